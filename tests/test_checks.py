from dataclasses import replace

import numpy as np
import pytest

from seqbook.checks import (
    check_array,
    check_cell,
    check_counts,
    check_integers,
    check_mask,
    check_positive,
    check_share,
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


@pytest.mark.parametrize(
    "array, got",
    [
        (np.ones((5, 3, 2)), r"\(5, 3, 2\) of float64"),
        (np.ones((5, 3, 4), int), r"\(5, 3, 4\) of int64"),
        ([[[1.0] * 4]], "a list"),
    ],
)
def test_what_is_no_float_array_of_the_shape_is_refused(array, got):
    with pytest.raises(ValueError, match=rf"\(T, B, 4\), got {got}$"):
        check_array("x", array, "T", "B", 4)


def test_a_float32_or_a_numpy_number_is_a_float_array():
    check_array("x", np.ones(3, np.float32), "T")
    check_array("x", np.float64(3))


def test_one_letter_is_one_size():
    check_array("J", np.ones((5, 3, 3)), "T", "H", "H")
    with pytest.raises(ValueError, match=r"\(T, H, H\), got \(5, 3, 4\)"):
        check_array("J", np.ones((5, 3, 4)), "T", "H", "H")


def test_integers_come_back_as_int64_whatever_held_them():
    for held in [[1, 2], np.array([1, 2], np.uint8), (1, 2)]:
        got = check_integers("ids", held, "T", high=2)
        assert got.dtype == np.int64 and got.tolist() == [1, 2]
    assert check_integers("ids", 3, high=3) == 3
    assert check_integers("ids", [-1, 10**12], 2, low=-1).max() == 10**12


@pytest.mark.parametrize("shape", [(0,), (0, 3)])
def test_nothing_is_integers_of_any_kind(shape):
    got = check_integers("ids", np.empty(shape), *"TB"[: len(shape)], high=-1)
    assert got.dtype == np.int64 and got.shape == shape


@pytest.mark.parametrize(
    "array, got",
    [
        ([0, 5], "0 to 5"),
        ([-1, 4], "-1 to 4"),
        ([0.0, 1.0], r"\(2,\) of float64"),
        ([True, False], r"\(2,\) of bool"),
        ([[0, 1]], r"\(1, 2\) of int64"),
        (1, r"\(\) of int64"),
        ("ab", r"\(\) of <U2"),
        (None, r"\(\) of object"),
    ],
)
def test_what_is_no_id_is_refused(array, got):
    want = rf"^ids must be integers from 0 to 4 of shape \(T,\), got {got}$"
    with pytest.raises(ValueError, match=want):
        check_integers("ids", array, "T", high=4)


def test_integers_without_a_largest_have_a_least():
    with pytest.raises(ValueError, match=r"from 2 up of shape \(3,\), got 1 "):
        check_integers("n", [3, 1, 2], 3, low=2)


def test_mask_has_its_shape_and_booleans():
    mask = np.array([[True, False, True]])
    assert check_mask(mask, "(T, B)", (1, 3)).tolist() == mask.tolist()
    assert check_mask(mask.tolist(), "(T, B)", (1, 3)).tolist()
    assert check_mask(None, "(T, B)", (2, 3)).tolist() == [[True] * 3] * 2
    want = r"^mask must be \(T, B\) = \(3, 1\) booleans, got \(1, 3\) of bool$"
    with pytest.raises(ValueError, match=want):
        check_mask(mask, "(T, B)", (3, 1))
    with pytest.raises(ValueError, match=r"got \(1, 3\) of int"):
        check_mask(mask * 1, "(T, B)", (1, 3))


@pytest.mark.parametrize("counts", [[], [0, 0], [[2, -1]], [np.nan, 1]])
def test_counts_are_not_negative_and_not_all_zero(counts):
    check_counts([[0, 1], [0.5, 0]])
    with pytest.raises(ValueError, match="counts must be at least 0 and not"):
        check_counts(counts)


@pytest.mark.parametrize("share", [-0.1, 1.1, np.nan])
def test_share_is_from_0_to_1(share):
    check_share(none=0, all=1.0)
    with pytest.raises(ValueError, match="p must be from 0 to 1, got "):
        check_share(p=share)


@pytest.mark.parametrize("size", [0, -1, 1.5, "3", None])
def test_sizes_are_positive_integers(size):
    check_positive(one=1, two=np.int32(2))
    with pytest.raises(ValueError, match="k must be an integer of at least 1"):
        check_positive(k=size)


def test_valid_steps_are_the_first_of_each_sequence():
    assert valid_steps([1, 2], 2, 2).T.tolist() == [[True, False], [True] * 2]
    every = valid_steps(None, 2, 3)
    assert every.dtype == bool and every.shape == (2, 3) and every.all()


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


def test_cell_reads_zeros_where_a_sequence_has_ended():
    given = cell()
    states = given.pop("states")
    x, valid = check_cell(**given, **states)
    assert valid[..., 0].T.tolist() == [[True] * 3, [True, False, False]]
    assert (x == valid * given["x"]).all() and given["x"].all()
    x, valid = check_cell(**{**given, "lengths": None}, **states)
    assert x is given["x"] and valid.shape == (3, 2, 1) and valid.all()


@pytest.mark.parametrize(
    "change, message",
    [
        ({"x": np.ones((3, 2, 5))}, r"x .*\(T, B, 4\), got \(3, 2, 5\)"),
        ({"x": np.ones((0, 2, 4))}, "x must hold at least one step"),
        ({"lengths": [3, 0]}, r"lengths .*\[3, 0\]"),
        ({"h_0": np.ones((2, 4))}, r"h_0 .*\(2, 5\), got \(2, 4\)"),
        ({"blocks": 4}, r"W_hh .*\(20, 5\), got \(5, 5\)"),
        ({"W_hh": np.ones((5, 4))}, r"W_hh .*\(H, H\), got \(5, 4\)"),
        ({"W_xh": np.ones((6, 4))}, r"W_xh .*\(5, D\), got \(6, 4\)"),
        ({"b_h": np.ones(6)}, r"b_h .*\(5,\), got \(6,\)"),
    ],
)
def test_what_does_not_fit_a_cell_is_named(change, message):
    given = cell()
    given |= given.pop("states")
    weights = {k: v for k, v in change.items() if k in vars(given["p"])}
    given["p"] = replace(given["p"], **weights)
    given |= {k: v for k, v in change.items() if k not in weights}
    with pytest.raises(ValueError, match=message):
        check_cell(**given)


# What a check gives is its sentence, so these calls are refused.
CALLS = {
    check_array: lambda: {
        "name": "x",
        "array": np.ones((2, 4)),
        "shape": ("T", 3),
    },
    check_integers: lambda: {
        "name": "ids",
        "array": np.array([2, 5]),
        "shape": ("T",),
        "low": 3,
        "high": 4,
    },
    check_mask: lambda: {
        "mask": np.array([True, False]),
        "axes": "(T, B)",
        "shape": (2, 1),
    },
    check_positive: lambda: {"sizes": {"D": 0}},
    check_counts: lambda: {"counts": np.array([1, -1])},
    check_share: lambda: {"shares": {"p": 2.0}},
    valid_steps: lambda: {"lengths": np.array([2, 3]), "T": 2, "B": 2},
    check_cell: cell,
}
OTHER = {
    (check_array, "name"): lambda: "y",
    (check_array, "array"): lambda: np.ones((2, 5)),
    (check_array, "shape"): lambda: ("T", 5),
    (check_integers, "name"): lambda: "targets",
    (check_integers, "array"): lambda: np.array([2, 6]),
    (check_integers, "shape"): lambda: ("T", "B"),
    (check_mask, "mask"): lambda: np.array([[True]]),
    (check_mask, "axes"): lambda: "(S, B)",
    (check_mask, "shape"): lambda: (1, 2),
    (check_positive, "sizes"): lambda: {"D": -1},
    (check_counts, "counts"): lambda: np.array([0, 0]),
    (check_share, "shares"): lambda: {"p": 3.0},
    (check_cell, "blocks"): lambda: 4,
    (check_cell, "p"): lambda: init_rnn(np.random.default_rng(0), 3, 5),
    (check_cell, "states"): lambda: {"h_0": np.ones((2, 4))},
}
