"""Printed output, compared at half a unit in its last digit."""

import pytest

from bookproof.run import doctests

AGREE = [
    ("0.4\n", "0.4\n"),
    ("0.4\n", "0.43\n"),
    ("0.48\n", "0.4849999\n"),
    ("[0.40, 1]\n", "[0.404, 1]\n"),
    ("-1.5e-05\n", "-1.52e-05\n"),
    ("1e-05\n", "1.4e-05\n"),
    ("shape (3, 4)\n", "shape (3, 4)\n"),
    ("W_0 is 2\n", "W_0 is 2\n"),
    ("float64\n", "float64\n"),
    ("a\n\n", "a\n"),
    ("a  \nb\n", "a\nb\n"),
    (
        "Traceback (most recent call last):\n  ...\nValueError: x is 3\n",
        "Traceback (most recent call last):\nValueError: x is 3\n",
    ),
]
DIFFER = [
    ("0.5\n", "0.4\n"),  # doctest's NUMBER lets this one pass
    ("0.48\n", "0.486\n"),
    ("0.48\n", "0.4749\n"),
    ("0.48\n", "0.49\n"),
    ("3\n", "4\n"),
    ("3\n", "3.6\n"),
    ("1.5e-05\n", "1.5e-04\n"),
    ("-0.4\n", "0.4\n"),
    ("[0.4, 1]\n", "[0.4]\n"),
    ("W_0 is 2\n", "W_1 is 2\n"),
    ("float64\n", "float32\n"),
    ("True\n", "False\n"),
    ("a 1\n", "b 1\n"),
    ("", "1\n"),
    (
        "Traceback (most recent call last):\nValueError: x is 3\n",
        "Traceback (most recent call last):\nValueError: x is 4\n",
    ),
    (
        "Traceback (most recent call last):\nValueError: x\n",
        "Traceback (most recent call last):\nTypeError: x\n",
    ),
]


@pytest.mark.parametrize(("want", "got"), AGREE)
def test_what_rounds_to_the_page_agrees(want, got):
    assert doctests.agree(want, got)


@pytest.mark.parametrize(("want", "got"), DIFFER)
def test_a_wrong_digit_or_word_differs(want, got):
    assert not doctests.agree(want, got)


@pytest.mark.parametrize(
    "want", ["[0.4, 12]\n", "W_0 is 2.50\n", "1.5e-05\n", "(3, 4)\n"]
)
def test_every_mutant_of_an_output_differs_from_it(want):
    mutants = list(doctests.mutants(want))
    assert len(mutants) == sum(c.isdigit() for c in want)
    assert not any(doctests.agree(mutant, want) for mutant in mutants)


def test_a_session_shares_its_names_and_gives_each_output():
    space = {}
    source = ">>> x = 2\n>>> x + 1\n3\n>>> print('a')\na\n>>> None\n"
    found = [
        (example.want, doctests.run_example(example, space))
        for example in doctests.examples(source)
    ]
    assert found == [("", ""), ("3\n", "3\n"), ("a\n", "a\n"), ("", "")]
    assert space["x"] == 2


def test_a_script_has_no_examples():
    assert doctests.examples("y = 1\nassert y\n") == []


def test_an_awaited_traceback_is_compared_by_its_message():
    source = (
        ">>> int('x')\n"
        "Traceback (most recent call last):\n"
        "    ...\n"
        "ValueError: invalid literal for int() with base 10: 'x'\n"
    )
    (example,) = doctests.examples(source)
    want, got = example.want, doctests.run_example(example, {})
    assert doctests.agree(want, got)
    assert not doctests.agree(want.replace("'x'", "'y'"), got)


def test_an_unawaited_exception_is_the_fault():
    (example,) = doctests.examples(">>> 1 / 0\n0\n")
    got = doctests.run_example(example, {})
    fault = doctests.fault(example.want, got)
    assert fault == "ZeroDivisionError: division by zero"


def test_a_wrong_output_names_what_was_expected():
    assert doctests.fault("3\n", "2\n") == "expected '3', got '2'"
    assert doctests.fault("3\n", "3\n") is None
