"""What an expression gave, as JSON, without losing a digit.

A claim stays true or false, an integer and a fraction stay exact, a float
keeps its bits, a text its letters; anything else is kept as it looks.
"""

from fractions import Fraction
from numbers import Integral, Real

from bookproof.read import numbers


class Other:
    """A value that is neither number, claim nor text: only its looks."""

    def __init__(self, looks):
        self.looks = looks

    def __repr__(self):
        return self.looks


def encode(value):
    """Value -> [kind, text]."""
    kind = numbers.kind(value)
    if kind == "claim":
        return ["claim", str(bool(value))]
    if kind == "text":
        return ["text", value]
    if isinstance(value, Integral):
        return ["integer", str(int(value))]
    if isinstance(value, Fraction):
        return ["fraction", str(value)]
    if isinstance(value, Real):
        return ["real", float(value).hex()]
    return ["other", repr(value)]


def decode(pair):
    """[kind, text] -> value."""
    kind, text = pair
    read = {
        "claim": lambda said: said == "True",
        "integer": int,
        "fraction": Fraction,
        "real": float.fromhex,
        "text": str,
        "other": Other,
    }
    return read[kind](text)
