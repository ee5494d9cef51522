"""The book's colours: one per quantity, the same wherever it is drawn.

The values live in docs/assets/palette.json, which style sheet and labs read
too. build.py draws each figure once in each scheme.
"""

import json
from pathlib import Path

FILE = Path(__file__).parents[1] / "docs" / "assets" / "palette.json"
PALETTE = json.loads(FILE.read_text(encoding="utf-8"))
DASHES = {"longdash": (0, (9, 3))}

scheme = "light"  # set by build.py before it calls figure()
narrow = False  # True while it draws the copy for phones


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
