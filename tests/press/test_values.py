"""Values survive being kept: nothing is rounded, nothing changes kind."""

import json
import math
from fractions import Fraction

import numpy as np
import pytest

from bookproof.read import numbers
from bookproof.run import values


@pytest.mark.parametrize(
    "value",
    [
        True,
        np.bool_(False),
        3,
        np.int64(-7),
        10**30,
        Fraction(1, 3),
        0.1,
        np.float32(0.1),
        5e-324,
        -0.0,
        math.inf,
        "3.0 – 4.0",
    ],
)
def test_a_value_comes_back_as_it_was(value):
    back = values.decode(json.loads(json.dumps(values.encode(value))))
    assert numbers.kind(back) == numbers.kind(value)
    assert back == value
    assert numbers.show(back) == numbers.show(value)


def test_what_is_no_number_keeps_its_looks():
    back = values.decode(values.encode([1, 2]))
    assert repr(back) == "[1, 2]"
    assert numbers.fault("1", "x", back) == numbers.fault("1", "x", [1, 2])


def test_nan_stays_nan():
    assert math.isnan(values.decode(values.encode(math.nan)))
