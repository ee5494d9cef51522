import numpy as np
import pytest

from seqbook.checks import (
    check_array,
    check_cell,
    check_positive,
    valid_steps,
)
from seqbook.rnn import init_rnn


def test_letters_are_free_and_numbers_are_fixed():
    check_array("x", np.ones((5, 3, 4)), "T", "B", 4)
    with pytest.raises(ValueError) as error:
        check_array("x", np.ones((5, 3)), "T", "B", 4)
    assert str(error.value) == (
        "x must be a float array of shape (T, B, 4), got (5, 3) of float64"
    )


def test_one_letter_is_one_size():
    check_array("J", np.ones((5, 3, 3)), "T", "H", "H")
    with pytest.raises(ValueError, match=r"\(T, H, H\), got \(5, 3, 4\)"):
        check_array("J", np.ones((5, 3, 4)), "T", "H", "H")


@pytest.mark.parametrize("size", [0, -1, 1.5, "3", None])
def test_sizes_are_positive_integers(size):
    with pytest.raises(ValueError, match="k must be an integer of at least 1"):
        check_positive(k=size)


def test_valid_steps_are_the_first_of_each_sequence():
    assert valid_steps([1, 2], 2, 2).T.tolist() == [[True, False], [True] * 2]
    assert valid_steps(None, 2, 3).all()


@pytest.mark.parametrize("lengths", [[0, 1], [1, 3], [1], [[1, 2]], [1.0, 2]])
def test_impossible_lengths_are_refused(lengths):
    with pytest.raises(ValueError, match="lengths must be B = 2 integers"):
        valid_steps(lengths, 2, 2)


def cell(**other):
    """One call of check_cell; `other` replaces arguments."""
    p = init_rnn(np.random.default_rng(0), 4, 5)
    x, h_0 = np.ones((3, 2, 4)), np.ones((2, 5))
    states = {"h_0": h_0}
    fixed = {"p": p, "blocks": 1, "x": x, "lengths": np.array([3, 1])}
    return {**fixed, "states": states, **other}


# What a check gives is its sentence, so these calls are refused.
CALLS = {
    check_array: lambda: {
        "name": "x",
        "array": np.ones((2, 4)),
        "shape": ("T", 3),
    },
    check_positive: lambda: {"sizes": {"D": 0}},
    valid_steps: lambda: {"lengths": np.array([2, 3]), "T": 2, "B": 2},
    check_cell: cell,
}
OTHER = {
    (check_array, "name"): lambda: "y",
    (check_array, "array"): lambda: np.ones((2, 5)),
    (check_array, "shape"): lambda: ("T", 5),
    (check_positive, "sizes"): lambda: {"D": -1},
    (check_cell, "blocks"): lambda: 4,
    (check_cell, "p"): lambda: init_rnn(np.random.default_rng(0), 3, 5),
    (check_cell, "states"): lambda: {"h_0": np.ones((2, 4))},
}
