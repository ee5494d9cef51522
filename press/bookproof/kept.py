"""The one cache: what was made, under a digest of all that it depends on.

    python -m bookproof.kept          # what there is
    python -m bookproof.kept clear    # all of it away

A value (what a page gave when it ran, a typeset formula) is kept under its
key: `get` and `put`. What stands in files of its own (a figure's drawings,
the site) is stamped with its key once it is complete: `is_made` and `made`.
A file is written beside its place and then moved there, so that no other
process sees half of it; what two would make at once, one makes: `alone`.
"""

import contextlib
import hashlib
import os
import shutil
import sys
from pathlib import Path

from bookproof.book import here


def digest(*things):
    """Texts and bytes, files by name and content -> hex SHA-256.

    Line endings of text files are read as one newline, and names are
    relative to the book, so that a Windows checkout agrees.
    """
    sha = hashlib.sha256()
    for thing in things:
        if isinstance(thing, Path):
            sha.update(here().name(thing).encode() + b"\0")
            content = thing.read_bytes().replace(b"\r\n", b"\n")
            sha.update(hashlib.sha256(content).digest())
        else:
            text = thing if isinstance(thing, bytes) else str(thing).encode()
            sha.update(b"%d\0" % len(text) + text)
    return sha.hexdigest()


def file(kind, key):
    return here().cache / kind / key


def get(kind, key):
    """The text kept under a key, or None."""
    try:
        return file(kind, key).read_text(encoding="utf-8")
    except FileNotFoundError:
        return None


def put(kind, key, text):
    """Keep a text under a key."""
    write(file(kind, key), text)


def write(path, content):
    """Write text or bytes to a file, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    data = content.encode() if isinstance(content, str) else content
    fresh.write_bytes(data)
    fresh.replace(path)


def write_new(path, content):
    """Write a file, but leave it alone when it already says so."""
    data = content.encode() if isinstance(content, str) else content
    if not path.is_file() or path.read_bytes() != data:
        write(path, data)


def is_made(name, key):
    """True if what has this name was made from what the key says."""
    return get("made", name) == key


def made(name, key):
    """Say that what has this name is complete, made from what the key says."""
    put("made", name, key)


@contextlib.contextmanager
def alone(name):
    """While one process is inside, others that want the same name wait."""
    from filelock import FileLock

    path = here().cache / "locks" / f"{name}.lock"
    path.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(path):
        yield


def clear(kind=""):
    """Forget what is kept of a kind, or everything."""
    shutil.rmtree(here().cache / kind, ignore_errors=True)


def summary():
    """One line a kind: how many files, how many megabytes."""
    for folder in sorted(here().cache.glob("*/")):
        sizes = [p.stat().st_size for p in folder.rglob("*") if p.is_file()]
        size = sum(sizes) / 1e6
        yield f"{folder.name:14s}{len(sizes):6d} files {size:8.1f} MB"


def main(arguments):
    if arguments == ["clear"]:
        clear()
    elif arguments:
        return "usage: python -m bookproof.kept [clear]"
    print("\n".join(summary()) or "nothing is kept")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
