"""Build the book, or serve a language of it while it is written.

python -m bookproof.site prepare    # all that is not a page
python -m bookproof.site build
python -m bookproof.site serve [en|zh]
"""

import sys

from bookproof.book import here
from bookproof.site import assets
from bookproof.site.build import build
from bookproof.site.serve import serve


def main(arguments):
    for stream in sys.stdout, sys.stderr:
        stream.reconfigure(encoding="utf-8", line_buffering=True)
    command, *rest = arguments or ["build"]
    languages = list(here().languages)
    try:
        if command == "build":
            build()
        elif command == "prepare":
            assets.prepare()
        elif command == "serve" and (rest or languages)[0] in languages:
            return serve((rest or languages)[0])
        else:
            return f"usage: build | prepare | serve [{'|'.join(languages)}]"
    except (RuntimeError, ValueError) as error:
        return str(error)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
