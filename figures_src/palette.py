"""The book's colours: one per quantity, the same wherever it is drawn.

The values live in docs/assets/palette.json, which style sheet and labs read
too. build.py draws each figure once in each scheme.
"""

import json
from dataclasses import dataclass
from pathlib import Path

FILE = Path(__file__).parents[1] / "docs" / "assets" / "palette.json"
PALETTE = json.loads(FILE.read_text(encoding="utf-8"))
DASHES = {"longdash": (0, (9, 3))}

scheme = "light"  # set before figure() is called
narrow = False  # True while the copy for phones is drawn


@dataclass(frozen=True)
class Look:
    """How one copy of a figure is to look: figure(look) asks it.

    scheme: "light" or "dark"; narrow: True for the copy for phones.
    """

    scheme: str = "light"
    narrow: bool = False

    def colour(self, quantity):
        """Hex colour of a quantity ("h", "keep", "gradient")."""
        return PALETTE[quantity][self.scheme]

    def line(self, quantity):
        """Keyword arguments for plot(): its colour, dash and width."""
        entry = PALETTE[quantity]
        return {
            "color": entry[self.scheme],
            "linestyle": DASHES.get(entry["line"], entry["line"]),
            "linewidth": entry["width"],
        }

    def size(self, height=3.2):
        """Size in inches: 7 wide, 4 wide on a phone."""
        return (4.0, 0.9 * height) if self.narrow else (7.0, height)


def colour(quantity):
    """Hex colour of a quantity ("h", "keep", "gradient") in this scheme."""
    return PALETTE[quantity][scheme]


def line(quantity):
    """Keyword arguments for plot(): the quantity's colour, dash and width."""
    entry = PALETTE[quantity]
    dash = DASHES.get(entry["line"], entry["line"])
    return {
        "color": entry[scheme],
        "linestyle": dash,
        "linewidth": entry["width"],
    }


def size(height=3.2):
    """Figure size in inches for this copy: 7 wide, 4 wide on a phone."""
    return (4.0, 0.9 * height) if narrow else (7.0, height)
