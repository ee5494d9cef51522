"""Serve one language of the book while it is written."""

import os
import socket
import subprocess
import sys

from bookproof.book import here
from bookproof.site import build

PORT = 8000


def serve(language):
    """Reload on every edit; only the pages that it touches are built again.

    PORT names another port; one that is taken is answered with a sentence.
    """
    port = int(os.environ.get("PORT", PORT))
    if is_taken(port):
        return (
            f"port {port} is taken, perhaps by another `make serve`: "
            f"`make serve PORT={port + 1}` takes the next one"
        )
    config = here().languages[language].config
    command = [sys.executable, "-m", "mkdocs", "serve", "--dirty"]
    command += ["--no-strict"]  # a dirty build is a warning, we know
    command += ["-f", config, "-a", f"127.0.0.1:{port}"]
    return subprocess.call(command, cwd=here().root, env=build.environment())


def is_taken(port):
    """True if another program listens on a port of this machine."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
