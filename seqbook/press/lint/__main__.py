"""Print the faults of the sources and of the sites named; 1 if any."""

import sys

from seqbook.press.lint.addresses import foreign, links
from seqbook.press.lint.built import ids, leftovers, notebooks, pictures, read
from seqbook.press.lint.counts import counts_differ
from seqbook.press.lint.digits import unaccounted
from seqbook.press.lint.languages import contents, parity
from seqbook.press.lint.text import equations, fences, figure_use
from seqbook.press.lint.weights import weights


def of_sources():
    """Faults of the book's text."""
    checks = parity, fences, figure_use, equations, contents
    return [fault for check in checks for fault in check()]


def of_site(site):
    """Faults of a built site."""
    built = read(site)
    if not built:
        return [f"{site}: there is no page"]
    return [
        *links(built, site),
        *ids(built),
        *leftovers(built),
        *notebooks(site),
        *foreign(built, site),
        *pictures(built),
        *unaccounted(built),
        *counts_differ(built),
        *weights(built, site),
    ]


def main(arguments):
    sys.stdout.reconfigure(encoding="utf-8")
    faults = of_sources()
    for site in arguments:
        faults += of_site(site)
    print("\n".join(faults) or "nothing to find fault with")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
