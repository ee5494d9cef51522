"""Checked numbers: reading a literal, and holding it to its expression.

`[2.7×10⁻⁵](#= "0.9**100")` in a page is a number (the link text) and the
expression that proves it (the title). This module reads the number as a
person types it, in English and in Chinese, and compares it with the value
of the expression at the precision that is printed. Tests, pages and ledger
all call it.
"""

import ast
import contextlib
import math
import re
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Real

# [text](#= "expression"): the text may hold one level of square brackets.
LINK = re.compile(r'\[((?:[^\[\]\n]|\[[^\[\]\n]*\])+)\]\(#= "([^"\n]*)"\)')
FILLED = "…"  # a link text that the build fills in with the value

ABOUT = re.compile(r"\b[Aa]bout\b|约|≈|\\approx")
UNBOUNDED = re.compile(r"∞|\\infty|infinit|无穷|NaN", re.IGNORECASE)
SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
RAISED = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
THIN = "\u2009\u202f\u00a0"
SCALES = {
    "%": Decimal("0.01"),
    "‰": Decimal("0.001"),
    "万": Decimal(10**4),
    "亿": Decimal(10**8),
    **{f"{p}B": Decimal(10 ** (3 * i)) for i, p in enumerate("kMGT", 1)},
    **{f"{p}iB": Decimal(2 ** (10 * i)) for i, p in enumerate("KMGT", 1)},
}
NUMBER = re.compile(
    r"""
    (?P<sign>(?<![\w)\]}%.])(?:(?<![\w)\]}%]\s)[-+])?)
    (?:
      (?P<digits>\d{1,3}(?:,\d{3})+(?!\d) | \d{1,3}(?:[ ]\d{3})+(?!\d) | \d+)
      (?P<decimals>\.\d+)?
      (?:
        [eE](?P<e>[-+]?\d+)
        | \s*×\s*10\^(?P<times>[-+]?\d+)
        | (?P<power>(?<=(?<!\d)10)\^[-+]?\d+)
      )?
    )
    (?P<scale>\s?(?:%|‰|万|亿|[kMGT]B\b|[KMGT]iB\b))?
    """,
    re.VERBOSE,
)


@dataclass(frozen=True)
class Literal:
    """A number as printed: its value, and the step of its last digit.

    `about` says that the trailing zeros of an integer are free.
    """

    value: Decimal
    step: Decimal
    about: bool = False


def plain(text):
    """Link text with TeX and typographic forms in ASCII; × stays.

    `$2.7\\times10^{-5}$` -> `2.7×10^-5`, `10⁻⁵` -> `10^-5`, `−3` -> `-3`.
    """
    text = text.replace("$", "").replace("\\times", "×")
    text = text.replace("\\%", "%").replace("{,}", ",").replace("\\cdot", "×")
    text = re.sub(r"\\[,;:! ]|~", " ", text)
    text = text.replace("\u2212", "-").replace("·", "×")
    text = re.sub(f"[{THIN}]", " ", text)
    text = re.sub(
        "[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+",
        lambda m: "^" + m.group().translate(SUPERSCRIPTS),
        text,
    )
    return re.sub(r"\^\{([-+]?\d+)\}", r"^\1", text)


def read_literal(text):
    """The one number in a link text -> Literal.

    Raises ValueError if the text holds no number or more than one: a range
    ("1–2") is two, and no dash between two numbers is a minus sign.
    """
    text = plain(text)
    found = list(NUMBER.finditer(text))
    if len(found) != 1:
        held = ", ".join(m.group().strip() for m in found) or "none"
        raise ValueError(f"expected one number in “{text}”, found {held}")
    match = found[0]
    digits = re.sub("[, ]", "", match["digits"])
    decimals = (match["decimals"] or ".")[1:]
    exponent = int(match["e"] or match["times"] or 0)
    if match["power"]:  # a bare power of ten, 10^-5
        digits, exponent = "1", int(match["power"][1:])
    scale = SCALES[match["scale"].strip()] if match["scale"] else Decimal(1)
    unit = Decimal(1).scaleb(exponent - len(decimals)) * scale
    value = Decimal(int(digits + decimals)) * unit
    about = bool(ABOUT.search(text))
    if about and not decimals:
        zeros = len(digits) - len(digits.rstrip("0") or "0")
        unit = unit.scaleb(zeros)
    return Literal(-value if match["sign"] == "-" else value, unit, about)


def exact(value):
    """A Python or NumPy number as an exact Decimal or Fraction."""
    if isinstance(value, Integral):
        return Fraction(int(value))
    if isinstance(value, Fraction):
        return value
    return Fraction(float(value))


def rounds_to(value, literal):
    """True if value, rounded half to even at the last printed digit, is it."""
    steps = exact(value) / Fraction(literal.step)
    return round(steps) * Fraction(literal.step) == Fraction(literal.value)


def numbers_in(expression):
    """The numeric constants of a Python expression, as Fractions."""
    nodes = ast.walk(ast.parse(expression, mode="eval"))
    constants = (n.value for n in nodes if isinstance(n, ast.Constant))
    return {
        Fraction(repr(c))
        for c in constants
        if isinstance(c, int | float)
        and not isinstance(c, bool)
        and math.isfinite(c)
    }


def kind(value):
    """What an expression gave: "claim", "number" or "text"."""
    if isinstance(value, bool) or type(value).__name__ in ("bool", "bool_"):
        return "claim"
    if isinstance(value, Real | Fraction):
        return "number"
    return "text" if isinstance(value, str) else "other"


def fault(text, expression, value):
    """What is wrong with a checked number, in one sentence; None if right."""
    what = kind(value)
    if text.strip() == FILLED:
        return None if what in ("number", "text") else _odd(value)
    if what == "claim":
        return _fault_of_claim(text, expression, value)
    if what != "number":
        return _odd(value)
    if not math.isfinite(value):
        if UNBOUNDED.search(text) and not re.search(r"\d", text):
            return None
        return f"the expression gives {value}, and the text does not say so"
    try:
        literal = read_literal(text)
    except ValueError as error:
        return str(error)
    if rounds_to(value, literal):
        return None
    return f"the expression gives {show(value)}"


def _odd(value):
    return f"the expression gives {value!r}, which is not a number"


def _fault_of_claim(text, expression, value):
    if not value:
        return "the comparison is false"
    known = numbers_in(expression)
    for match in NUMBER.finditer(plain(text)):
        literal = read_literal(match.group())
        if abs(Fraction(literal.value)) not in {abs(k) for k in known}:
            return f"{match.group().strip()} does not stand in the expression"
    return None


def power(exponent):
    """-5 -> "10⁻⁵", as a reader sees it."""
    return "10" + str(int(exponent)).translate(RAISED)


def show(value):
    """A value as tooltip and ledger print it: four significant digits."""
    what = kind(value)
    if what == "claim":
        return "true" if value else "false"
    if what == "text":
        return value
    if isinstance(value, Integral) and abs(value) < 10**15:
        return f"{int(value)}"
    return f"{float(value):.4g}"


def fill(value):
    """A measured value as it stands in the sentence."""
    if kind(value) == "text":
        return value
    if isinstance(value, Integral):
        return f"{int(value):,}"
    return f"{float(value):.3g}"


def evaluate(expression, namespace):
    """Value of an expression in a page's namespace, with math and np."""
    names = {"math": math, **namespace}
    with contextlib.suppress(ImportError):
        import numpy

        names.setdefault("np", numpy)
    code = compile(expression.replace(r"\|", "|"), "<number>", "eval")
    return eval(code, names)


def mutants(text, value):
    """Link texts that differ from this one in one digit and must fail.

    A number changes in its last significant printed digit; a claim in
    each of its digits. Digits that printed precision gives away (the zeros
    after "about") are passed over.
    """
    if kind(value) == "claim":
        places = [m.start() for m in re.finditer(r"\d", text)]
    else:
        places = _last_digit(text)
    for i in places:
        changed = str((int(text[i]) + 1) % 10)
        yield text[:i] + changed + text[i + 1 :]


def _last_digit(text):
    """Position of the last significant digit of the one number in text."""
    mantissa = re.sub(
        r"(×|\\times|·|\\cdot)\s*10.*|[eE][-+]?\d+.*",
        lambda m: " " * len(m.group()),
        text,
    )
    if re.fullmatch(r"\D*", mantissa):
        mantissa = text
    places = [m.start() for m in re.finditer("[0-9]", mantissa)]
    if ABOUT.search(text) and "." not in text:
        while len(places) > 1 and text[places[-1]] == "0":
            places.pop()
    return places[-1:]
