"""One chapter checked, in both languages: `make check PAGE=gru`.

python -m tests.check gru       # its text, numbers, digits, built pages
python -m tests.check gru no    # without building and without a browser
"""

import subprocess
import sys

from bookproof.book import environment, here
from bookproof.lint import every
from bookproof.read import pages

ROOT = here().root


def main(arguments):
    if not arguments or not arguments[0]:
        return "which page? For example: make check PAGE=gru"
    name, *more = arguments
    sources = [
        path
        for language in here().languages
        for path in pages.sources_of(here().pages(language))
        if path.stem == name
    ]
    if not sources:
        return f"no page is called {name}"
    if faults := every.of_sources():
        return "\n".join(faults)
    names = [here().name(path) for path in sources]
    failed = pytest(*names, "tests/test_docs.py", "-k", f"{name}.")
    if "no" not in more:
        failed = call("bookproof.site", "build") or failed
        looks = "tests/site", "tests/labs"
        failed = failed or pytest(*looks, "-n2", "-k", f"{name}.html]")
    return failed


def pytest(*arguments):
    """Run pytest quietly -> 0 if all passed or nothing was asked."""
    status = call("pytest", "-q", "-p", "no:cacheprovider", *arguments)
    return 0 if status == 5 else status  # 5: no test has that name


def call(*command):
    command = [sys.executable, "-m", *command]
    return subprocess.call(command, cwd=ROOT, env=environment())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
