"""Weights: search indexes and scripts of the book's own stay light."""

import gzip
from functools import cache
from pathlib import Path, PurePosixPath

from bookproof.lint.addresses import is_own, normal

KB = 1024
INDEX, LAB, OWN = 400 * KB, 60 * KB, 5 * KB


@cache
def compressed(path):
    """Bytes of a file as a host sends it."""
    return len(gzip.compress(Path(path).read_bytes(), 6))


def weights(built, site):
    """Search indexes and scripts of the book's own are within bounds."""
    site = Path(site)
    faults = []
    for path in sorted(site.glob("**/search/search_index.*")):
        if (size := compressed(path)) > INDEX:
            name = path.relative_to(site).as_posix()
            faults.append(
                f"{name}: {size // KB} KB compressed, bound {INDEX // KB}"
            )
    for page in built:
        own = [name for name in scripts(page) if is_own(name)]
        has_lab = bool(page.tree.select("seq-lab"))
        size = sum(compressed(site / n) for n in own if (site / n).exists())
        bound = LAB if has_lab else OWN
        if size > bound:
            faults.append(
                f"{page.name}: own scripts {size // KB} KB compressed, "
                f"bound {bound // KB}"
            )
    return faults


def scripts(page):
    """Scripts that a page loads, as paths in the site, each once."""
    folder = PurePosixPath(page.name).parent
    found = [tag["src"] for tag in page.tree.select("script[src]")]
    return list(dict.fromkeys(normal(f"{folder}/{src}") for src in found))
