"""Print the faults of the sources and of the sites named; 1 if any."""

import sys

from bookproof.lint.addresses import foreign, links
from bookproof.lint.built import ids, leftovers, notebooks, pictures, read
from bookproof.lint.counts import counts_differ
from bookproof.lint.digits import unaccounted
from bookproof.lint.languages import contents, parity
from bookproof.lint.text import equations, fences, figure_use
from bookproof.lint.weights import weights


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
