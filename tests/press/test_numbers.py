"""Reading a number as it is typed, and holding it to its expression."""

import math
from decimal import Decimal

import numpy as np
import pytest

from bookproof.read import numbers

GOOD = [  # as typed, its value, the step of its last printed digit
    ("2.7×10⁻⁵", "2.7e-5", "1e-6"),
    (r"$2.7\times10^{-5}$", "2.7e-5", "1e-6"),
    (r"$2.7 \times 10^{-5}$", "2.7e-5", "1e-6"),
    (r"$2.7\cdot10^{-5}$", "2.7e-5", "1e-6"),
    ("2.7·10⁻⁵", "2.7e-5", "1e-6"),
    ("2.7e-5", "2.7e-5", "1e-6"),
    ("2.7E-5", "2.7e-5", "1e-6"),
    ("3×10²", "300", "100"),
    ("10⁻⁵", "1e-5", "1e-5"),
    ("$10^{6}$", "1e6", "1e6"),
    ("$10^6$", "1e6", "1e6"),
    ("25 %", "0.25", "0.01"),
    ("25%", "0.25", "0.01"),
    (r"$25\,\%$", "0.25", "0.01"),
    ("12.5\u202f%", "0.125", "0.001"),
    ("3 ‰", "0.003", "0.001"),
    ("160,000", "160000", "1"),
    ("$160{,}000$", "160000", "1"),
    (r"$160\,000$", "160000", "1"),
    ("160\u2009000", "160000", "1"),
    ("160\u202f000", "160000", "1"),
    ("160\u00a0000", "160000", "1"),
    ("1,234,567.5", "1234567.5", "0.1"),
    ("1.9 GB", "1.9e9", "1e8"),
    ("64 kB", "64000", "1000"),
    ("32 MiB", "33554432", "1048576"),
    ("16 万", "160000", "10000"),
    ("1.6万", "16000", "1000"),
    ("3 亿", "3e8", "1e8"),
    ("−3.5", "-3.5", "0.1"),
    ("-3.5", "-3.5", "0.1"),
    ("$-4$", "-4", "1"),
    ("+4", "4", "1"),
    ("0.50", "0.5", "0.01"),
    ("0", "0", "1"),
    ("about 330", "330", "10"),
    ("about 3,000", "3000", "1000"),
    ("约 330 步", "330", "10"),
    ("≈ 4×10⁻⁷⁸", "4e-78", "1e-78"),
    (r"$\approx 330$", "330", "10"),
    ("about 0.50", "0.5", "0.01"),
    ("46 steps", "46", "1"),
    ("一共 46 步", "46", "1"),
]
BAD = {  # as typed, and a word of what the error says
    "1–2": "1, 2",  # R34: a range is two numbers, and no minus sign
    "1-2": "1, 2",
    "1 - 2": "1, 2",
    "$1 - 2$": "1, 2",
    "1−2": "1, 2",
    "1 − 2": "1, 2",
    "1\u2009–\u20092": "1, 2",
    "47.5 % to 51.1 %": "47.5 %, 51.1 %",
    "50 %-60 %": "50 %, 60 %",
    "47.5 % 到 51.1 %": "47.5 %, 51.1 %",
    "(1, 2)": "1, 2",
    "a lot": "none",
    "很多": "none",
    "": "none",
}


@pytest.mark.parametrize(("text", "value", "step"), GOOD)
def test_a_number_is_read_as_it_is_typed(text, value, step):
    literal = numbers.read_literal(text)
    assert literal.value == Decimal(value)
    assert literal.step == Decimal(step)


@pytest.mark.parametrize(("text", "held"), BAD.items())
def test_no_number_and_two_numbers_are_refused(text, held):
    with pytest.raises(ValueError, match="expected one number") as error:
        numbers.read_literal(text)
    assert str(error.value).endswith(f"found {held}")


HOLDS = [
    ("2.7×10⁻⁵", "0.9**100"),
    ("0.48", "0.4849"),
    ("0.5", "0.45000001"),
    ("3×10²", "333.3"),
    ("333", "333.3"),
    ("about 330", "333.3"),
    ("约 330", "333.3"),
    ("25 %", "1 / 4"),
    ("16 万", "160_000"),
    ("1.9 GB", "1.94e9"),
    ("−3.5", "-3.46"),
    ("160,000", "np.int64(160_000)"),
    ("0.1", "np.float32(0.1)"),
    ("unbounded: ∞", "math.inf"),
    ("无穷大", "-math.inf"),
    ("NaN", "math.nan"),
    ("more than ten times", "0.2 * 10 > 1"),
    ("10 times", "np.all(np.array([25, 35]) > 10)"),
    ("above 0.9", "0.95 > 0.9"),
    ("four orders of magnitude", "1e4 <= 20000 < 1e5"),
    ("…", "0.123"),
    ("…", "'3.0 – 4.0'"),
]
FALLS = [
    ("300", "333.3", "333.3"),
    ("0.48", "0.4851", "0.4851"),
    ("2.6×10⁻⁵", "0.9**100", "2.656e-05"),
    ("about 340", "333.3", "333.3"),
    ("about 300", "333.3 + 50", "383.3"),
    ("3.5", "-3.5", "-3.5"),
    ("25", "1 / 4", "0.25"),
    ("160,000", "160_001", "160001"),
    ("1", "math.inf", "inf"),
    ("1", "math.nan", "nan"),
    ("a lot", "math.inf", "does not say so"),
    ("20 times more than infinity", "math.inf", "does not say so"),
    ("1–2", "1", "expected one number"),
    ("more than ten times", "0.05 * 10 > 1", "false"),
    ("20 times", "0.2 * 10 > 1", "20 does not stand in"),
    ("1", "[1]", "not a number"),
    ("1", "None", "not a number"),
    ("1", "'1'", "not a number"),
    ("1", "1 + 0j", "not a number"),
    ("…", "[1]", "not a number"),
]


@pytest.mark.parametrize(("text", "expression"), HOLDS)
def test_a_true_number_has_no_fault(text, expression):
    value = numbers.evaluate(expression, {})
    assert numbers.fault(text, expression, value) is None


@pytest.mark.parametrize(("text", "expression", "said"), FALLS)
def test_a_false_number_has_a_fault_that_names_the_value(
    text, expression, said
):
    value = numbers.evaluate(expression, {})
    assert said in numbers.fault(text, expression, value)


def test_rounding_is_to_the_last_printed_digit_and_exact():
    literal = numbers.read_literal("0.5")
    assert numbers.rounds_to(0.5499999, literal)
    assert not numbers.rounds_to(0.5500001, literal)
    assert numbers.rounds_to(0.4500001, literal)
    assert not numbers.rounds_to(0.4499999, literal)


def test_a_bar_of_a_table_is_a_bar_in_the_expression():
    assert numbers.evaluate(r"3 \| 4", {}) == 7


def test_names_of_the_page_hide_the_two_that_are_given():
    assert numbers.evaluate("np", {"np": 3}) == 3
    assert numbers.evaluate("math.pi", {}) == math.pi


@pytest.mark.parametrize(
    ("text", "value", "changed"),
    [
        ("2.7×10⁻⁵", 2.7e-5, ["2.8×10⁻⁵"]),
        (r"$2.7\times10^{-5}$", 2.7e-5, [r"$2.8\times10^{-5}$"]),
        ("2.7e-5", 2.7e-5, ["2.8e-5"]),
        ("about 330", 333.3, ["about 340"]),
        ("160,000", 160000, ["160,001"]),
        ("25 %", 0.25, ["26 %"]),
        ("0.49", 0.49, ["0.40"]),
        ("above 0.9", True, ["above 1.9", "above 0.0"]),
        ("ten times", True, []),
    ],
)
def test_mutants_change_the_last_digit(text, value, changed):
    assert list(numbers.mutants(text, value)) == changed


@pytest.mark.parametrize(("text", "expression"), HOLDS)
def test_every_mutant_of_a_true_number_is_false(text, expression):
    value = numbers.evaluate(expression, {})
    for mutant in numbers.mutants(text, value):
        assert numbers.fault(mutant, expression, value), mutant


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.9**100, "2.656e-05"),
        (160_000, "160000"),
        (np.int64(7), "7"),
        (True, "true"),
        (np.False_, "false"),
        ("3 – 4", "3 – 4"),
    ],
)
def test_a_value_is_shown_in_four_digits(value, shown):
    assert numbers.show(value) == shown


@pytest.mark.parametrize(
    "expression",
    ["max([1], default=True) < 3", "np.ones(3).any(keepdims=True)"],
)
def test_a_keyword_that_is_true_is_no_number(expression):
    assert numbers.fault("below 3", expression + " and 3", True) is None
