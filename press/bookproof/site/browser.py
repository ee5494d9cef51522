"""A browser for the tests: find one, bring one, start it, serve to it.

    python -m bookproof.site.browser     # makes sure that there is one

A browser that is already on the machine is used as it is. Otherwise this is
Debian's Chromium without its window where apt-get can be run, or the one
that Playwright brings. Where neither can be had, the tests that need one say
so; under CI=true a missing browser is a failure, and the one without a
window is brought even where there is another.
"""

import contextlib
import gzip
import os
import platform
import shutil
import subprocess
import sys
import threading
from functools import cache, partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

SHELL = "chromium-headless-shell"  # lighter than a whole browser
COMMANDS = (
    SHELL,
    "chromium",
    "chromium-browser",
    "google-chrome",
    "chrome",
    "msedge",
)
PLACES = (
    "/usr/bin/chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
)
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--no-first-run",
    "--hide-scrollbars",
]
PACKAGES = SHELL, "fonts-noto-cjk"
UNTESTED = "tests/site, tests/labs: what pages and labs do in a browser"
COMPRESSED = {".html", ".css", ".js", ".json", ".svg", ".txt", ".ipynb"}
# Until the page is drawn. A browser without a window may stop drawing a page
# for good. Another page helps: pyproject.toml has such a test tried again.
FRAME = """() => new Promise((done, fail) => {
  requestAnimationFrame(done);
  setTimeout(() => fail(new Error("the browser stopped drawing")), 20_000);
})"""
# Brings what is drawn lazily into view, and back to the top.
SCROLL_THROUGH = (
    """async () => {
  const frame = """
    + FRAME
    + """;
  const rest = async () => {
    await frame();
    await new Promise((done) => setTimeout(done, 30));
  };
  for (let y = 0; y < document.body.scrollHeight; y += 600) {
    scrollTo(0, y);
    await rest();
  }
  scrollTo(0, 0);
  await rest();
}"""
)


def on_ci():
    """True where a missing browser is a failure."""
    return os.environ.get("CI", "").lower() == "true"


@cache
def find():
    """Path of a browser on this machine, Playwright's own last, or None."""
    for command in COMMANDS:
        if path := shutil.which(command):
            return path
    for place in PLACES:
        if Path(place).is_file():
            return place
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).is_file() else None


def by_apt():
    """Commands that bring Debian's packages; none where they can't run."""
    root = platform.system() == "Linux" and os.geteuid() == 0
    if not (root and shutil.which("apt-get")):
        return []
    install = ["apt-get", "install", "-y", "--no-install-recommends"]
    return [["apt-get", "update"], [*install, *PACKAGES]]


def fetch(say=print):
    """Install a browser -> its path, or None when nothing works."""
    ways = [by_apt(), [[sys.executable, "-m", "playwright", "install"]]]
    ways[1][0].append("chromium")
    for way in filter(None, ways):
        say(f"to have a browser: {' '.join(way[-1])}")
        for command in way:
            try:
                done = subprocess.run(command, capture_output=True, text=True)
            except OSError as error:
                say(str(error))
                break
            if done.returncode:
                printed = (done.stdout + done.stderr).strip().splitlines()
                say((printed or ["it failed"])[-1])
        find.cache_clear()
        if path := find():
            return path
    return None


def launch(playwright):
    """Start the browser without a window, with a profile of its own.

    Raises FileNotFoundError when there is none.
    """
    path = find()
    if path is None:
        raise FileNotFoundError("no browser: python -m bookproof.site.browser")
    return playwright.chromium.launch(executable_path=path, args=ARGUMENTS)


@cache
def packed(body):
    """Bytes compressed; a page is asked for as often as there are tests."""
    return gzip.compress(body, 6)


class Handler(SimpleHTTPRequestHandler):
    """Files, compressed as a host would send them; keeps what it sent."""

    protocol_version = "HTTP/1.1"

    def __init__(self, *arguments, sent, compress, home, **options):
        self.sent, self.compress, self.home = sent, compress, home
        super().__init__(*arguments, **options)

    def do_GET(self):
        path = Path(self.translate_path(self.path))
        status = 200
        if path.is_dir():
            path = path / "index.html"
        if not path.is_file():
            path, status = Path(self.directory, "404.html"), 404
        if not path.is_file():
            return self.send_error(404)
        body = path.read_bytes()
        if path.name == "sitemap.xml" and self.home:
            here = f"http://{self.headers['Host']}/"
            body = body.replace(self.home.encode(), here.encode())
        self.send_response(status)
        self.send_header("Content-Type", self.guess_type(str(path)))
        self.send_header("Cache-Control", "max-age=600")
        if self.compress and path.suffix in COMPRESSED:
            body = packed(body)
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        address = self.path.partition("?")[0]
        self.sent.append((address, len(body)))
        with contextlib.suppress(ConnectionError):
            self.wfile.write(body)

    def log_message(self, *_):
        pass


class Served:
    """A folder at an address: `url`, and `sent`, (path, bytes) so far."""

    def __init__(self, url, sent):
        self.url, self.sent = url, sent


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        """A browser that closes a connection early is no error."""


@contextlib.contextmanager
def serve(folder, compress=False, home=None):
    """Serve a folder on a free port of 127.0.0.1 -> Served.

    An address that leads nowhere gets the folder's 404.html, as on Pages.
    `home` is the address that the site was built for: instant navigation
    takes only pages whose address in the sitemap begins like the present.
    """
    sent = []
    handler = partial(
        Handler, directory=str(folder), sent=sent, compress=compress, home=home
    )
    with Server(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield Served(f"http://127.0.0.1:{server.server_port}/", sent)
        finally:
            server.shutdown()
            thread.join()


def main():
    path = find()
    quicker = on_ci() and by_apt() and not shutil.which(SHELL)
    if path is None or quicker:
        path = fetch() or path
    if path:
        print(f"browser: {path}")
        return 0
    print(f"No browser could be found or installed. Not tested: {UNTESTED}.")
    return 1 if on_ci() else 0


if __name__ == "__main__":
    sys.exit(main())
