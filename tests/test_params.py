from dataclasses import dataclass

import numpy as np
import pytest

from seqbook.params import arrays_of, map_params
from seqbook.rnn import RNNParams, init_rnn


@dataclass
class Model:
    cells: list
    W_hy: np.ndarray


def make_model():
    rng = np.random.default_rng(0)
    return Model([init_rnn(rng, 2, 3), init_rnn(rng, 3, 3)], np.ones((4, 3)))


def test_every_array_is_reached_and_the_form_is_kept():
    p = make_model()
    twice = map_params(np.add, p, p)
    assert isinstance(twice, Model)
    assert [type(cell) for cell in twice.cells] == [RNNParams, RNNParams]
    for got, want in zip(arrays_of(twice), arrays_of(p), strict=True):
        assert np.array_equal(got, 2 * want)
    assert len(arrays_of(p)) == 7


def test_tuples_stay_tuples():
    assert map_params(np.negative, (1, [2])) == (-1, [-2])


def test_lists_of_different_length_are_refused():
    with pytest.raises(ValueError, match="shorter"):
        map_params(np.add, [1, 2], [1])


CALLS = {
    map_params: lambda: {"function": np.negative, "params": (make_model(),)},
    arrays_of: lambda: {"params": make_model()},
}
OTHER = {
    (map_params, "function"): lambda: np.exp,
    (map_params, "params"): lambda: (
        init_rnn(np.random.default_rng(1), 2, 3),
    ),
}
