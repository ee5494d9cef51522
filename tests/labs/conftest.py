"""A browser on the small site of page.py, and Node.js for the arithmetic."""

import json
import subprocess

import pytest

from bookproof.book import here
from bookproof.run import node
from bookproof.site.browser import serve
from tests.labs.page import built, write_site

LABS = here().docs / "assets" / "labs"
REPLAY = """
import { readFileSync } from "node:fs";
%s
const models = { %s };
const calls = JSON.parse(readFileSync(process.argv[2], "utf8"));
const plain = (key, value) =>
  ArrayBuffer.isView(value) ? Array.from(value) : value;
const found = calls.map(([model, name, ...given]) =>
  models[model][name](...given),
);
console.log(JSON.stringify(found, plain));
"""


@pytest.fixture(scope="session")
def replay(tmp_path_factory):
    """Run [lab, function, *arguments] lists of models in Node.js.

    In the lab's place "format" or "axes" names what labs share.
    """
    node.install()
    folder = tmp_path_factory.mktemp("replay")
    files = {path.parent.name: path for path in LABS.glob("*/model.js")}
    for part in "format", "axes":
        files[part] = LABS / "parts" / f"{part}.js"
    imports = [
        f'import * as m{i} from "{path.as_posix()}";'
        for i, path in enumerate(files.values())
    ]
    models = [f'"{name}": m{i}' for i, name in enumerate(files)]
    entry, script = folder / "entry.js", folder / "replay.cjs"
    text = REPLAY % ("\n".join(imports), ", ".join(models))
    entry.write_text(text, encoding="utf-8")
    esbuild = node.folder() / "esbuild" / "bin" / "esbuild"
    options = ["--bundle", "--platform=node", "--log-level=warning"]
    node.run(esbuild, entry, *options, f"--outfile={script}")

    def run(*calls):
        file = folder / "calls.json"
        file.write_text(json.dumps(calls, allow_nan=False), encoding="utf-8")
        done = node.run(script, file, stdout=subprocess.PIPE, encoding="utf-8")
        return json.loads(done.stdout)

    return run


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    built()
    return write_site(tmp_path_factory.mktemp("site"))


@pytest.fixture(scope="session")
def address(site):
    with serve(site) as served:
        yield served.url


@pytest.fixture
def visit(browse, address):
    """visit(lab, query="", ...) -> page with its lab alive; see `browse`."""

    def open_page(
        name, query="", lang="en", scheme="default", base=None, **options
    ):
        file = f"{name}-{lang}-{scheme}.html{query}"
        page = browse(base or address, file, **options)
        if options.get("java_script_enabled", True):
            page.wait_for_selector("seq-lab[data-live]")
        return page

    return open_page
