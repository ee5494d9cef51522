"""The book in hand: where it stands, and the few facts that are its own."""

import os
from pathlib import Path


def find_root():
    """Folder of the book: the nearest one, upwards, with a mkdocs.yml."""
    here = Path(os.environ.get("BOOKPROOF_ROOT") or Path.cwd()).resolve()
    for folder in here, *here.parents:
        if (folder / "mkdocs.yml").is_file():
            return folder
    return here


ROOT = find_root()
