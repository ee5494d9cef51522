"""Executable examples, compared at half a unit in the last printed digit.

`python` fences are run as they stand. A fence with prompts is a doctest: text
must be equal, and a printed number must be the value rounded at its last
digit. (doctest's own NUMBER option lets the last digit be off by one.)
"""

import contextlib
import doctest
import io
import re
import sys
import traceback
from fractions import Fraction

from bookproof.read.numbers import Literal, rounds_to

# Digits joined to letters (W_0, float64) are names and compared as text.
NUMBER = re.compile(
    r"(?<![\w.])[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w.]*[A-Za-z_])"
)
PARSER = doctest.DocTestParser()
TRACEBACK = "Traceback (most recent call last):"
PAGE = "<page>"  # the file name that code of a page runs under


def examples(source):
    """The examples of a fence with prompts; [] for a plain script."""
    if not re.search(r"^\s*>>> ", source, re.MULTILINE):
        return []
    return PARSER.get_examples(source)


def run_example(example, namespace):
    """What one example prints: its display, its output or its exception."""
    printed = io.StringIO()
    shown = sys.displayhook
    sys.displayhook = sys.__displayhook__
    try:
        with contextlib.redirect_stdout(printed):
            exec(compile(example.source, PAGE, "single"), namespace)
    except Exception as error:
        last = traceback.format_exception_only(error)[-1]
        printed.write(f"{TRACEBACK}\n{last}")
    finally:
        sys.displayhook = shown
    return printed.getvalue()


def fault(want, got):
    """What is wrong with an output, in one sentence; None if it agrees."""
    if agree(want, got):
        return None
    if got.startswith(TRACEBACK) and not want.startswith(TRACEBACK):
        return got.strip().splitlines()[-1]
    return f"expected {want.rstrip()!r}, got {got.rstrip()!r}"


def split(output):
    """Output -> (its text around the numbers, the numbers as printed)."""
    lines = output.strip("\n").splitlines()
    if lines and lines[0] == TRACEBACK:  # frames differ, the message counts
        lines = [lines[0], lines[-1]]
    output = "\n".join(line.rstrip() for line in lines)
    return NUMBER.split(output), NUMBER.findall(output)


def literal(printed):
    """A number as Python prints it -> Literal with its last digit's step."""
    mantissa, _, exponent = printed.lower().partition("e")
    decimals = len(mantissa.partition(".")[2])
    step = Fraction(10) ** (int(exponent or 0) - decimals)
    return Literal(Fraction(printed), step)


def agree(want, got):
    """True if got, rounded as want is printed, is want."""
    (want_text, want_numbers), (got_text, got_numbers) = (
        split(want),
        split(got),
    )
    if want_text != got_text:
        return False
    pairs = zip(want_numbers, got_numbers, strict=True)
    return all(rounds_to(Fraction(g), literal(w)) for w, g in pairs)


def mutants(want):
    """Outputs that differ from want in one digit."""
    for match in re.finditer("[0-9]", want):
        i = match.start()
        yield want[:i] + str((int(want[i]) + 1) % 10) + want[i + 1 :]
