"""Print the faults of the sources and of the sites named; 1 if any."""

import sys

from bookproof.lint.every import of_site, of_sources


def main(arguments):
    sys.stdout.reconfigure(encoding="utf-8")
    faults = of_sources()
    for site in arguments:
        faults += of_site(site)
    print("\n".join(faults) or "nothing to find fault with")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
