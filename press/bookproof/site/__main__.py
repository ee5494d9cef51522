"""python -m bookproof.site build | prepare | serve [language]"""

import sys

from bookproof.site.build import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
