import numpy as np
import pytest

from seqbook.checks import check_array, check_positive, valid_steps


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
