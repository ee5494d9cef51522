"""How one copy of a figure looks: its colours, its lines, its size.

The colours are docs/assets/palette.json, which style sheet and labs read
too: one entry a quantity, with its colour in either scheme and the line that
it is drawn with. A book without that file draws in Matplotlib's own colours.
"""

import json
from dataclasses import dataclass
from functools import cache

from bookproof.book import here

DASHES = {"longdash": (0, (9, 3))}  # beside those that Matplotlib can name


def file():
    """The palette's file, which may be missing."""
    return here().docs / "assets" / "palette.json"


def palette():
    """-> {quantity: {"light", "dark", "line", "width"}}, or {}."""
    return read(file()) if file().is_file() else {}


@cache
def read(path):
    return json.loads(path.read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Look:
    """What figure(look) asks for colours and sizes: one look a copy.

    scheme: "light" or "dark"; narrow: True for the copy for phones.
    """

    scheme: str = "light"
    narrow: bool = False

    def colour(self, quantity):
        """Hex colour of a quantity ("h", "keep", "gradient").

        Raises ValueError if the palette has no such quantity.
        """
        return entry(quantity)[self.scheme]

    def line(self, quantity):
        """Keyword arguments for plot(): its colour, dash and width."""
        drawn = entry(quantity)
        return {
            "color": drawn[self.scheme],
            "linestyle": DASHES.get(drawn["line"], drawn["line"]),
            "linewidth": drawn["width"],
        }

    def size(self, height=3.2, phone=None):
        """(width, height) in inches: 7 wide, on a phone 4.

        A phone's height is `phone`, or 0.9 of the other's.
        """
        if self.narrow:
            return 4.0, 0.9 * height if phone is None else phone
        return 7.0, height

    def row(self, panels):
        """Rows and columns of panels side by side, on a phone stacked."""
        return (panels, 1) if self.narrow else (1, panels)


def entry(quantity):
    """A quantity's entry in the palette; ValueError if it has none."""
    known = palette()
    if quantity not in known:
        has = "is missing" if not known else f"has {', '.join(known)}"
        raise ValueError(
            f"no colour for {quantity!r}: docs/assets/palette.json {has}"
        )
    return known[quantity]
