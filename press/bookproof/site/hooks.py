"""What MkDocs alone can give: shared files, experiments, the watched folders.

All else is in the Markdown extension, so that another generator can build
the same pages.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

from bs4 import BeautifulSoup
from mkdocs.exceptions import PluginError
from mkdocs.plugins import event_priority
from mkdocs.structure.files import File
from mkdocs.structure.pages import Page

from bookproof import sources
from bookproof.run import notebooks
from bookproof.show import reference
from bookproof.site import assets
from bookproof.sources import ROOT

# A section marker in a listing of the reference.
MARKER = re.compile(r'\n *<span class="c1"># --8&lt;-- [^<]*</span>')


def on_serve(server, config, builder):
    """Reload when the library, a figure script or an asset changes."""
    for folder in (
        *("seqbook", "figures_src", "docs/assets", "docs/overrides"),
    ):
        server.watch(str(ROOT / folder))


_prepared = None  # digest of what the shared files were last made from


def on_pre_build(config):
    """Bring figures, experiments and assets up to date."""
    global _prepared
    inputs = [
        path
        for folder in ("seqbook", "figures_src", "docs")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in (".py", ".js", ".json", ".css", ".mplstyle")
    ]
    digest = sources.digest(inputs)
    if os.environ.get("SEQBOOK_PREPARED") or digest == _prepared:
        return
    # In a process of its own: this one would go on with the library and the
    # scripts as they were when it began to serve.
    prepare = [sys.executable, "-m", "bookproof.site", "prepare"]
    done = subprocess.run(prepare, cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise PluginError(done.stderr.strip())
    _prepared = digest


@event_priority(100)  # before mkdocs-jupyter looks for notebooks
def on_files(files, config):
    """Add what the languages share, notebooks, the library and its pages."""
    for uri, text in reference.pages(config.extra["language"]):
        files.append(File.generated(config, uri, content=text))
    for path in reference.modules():
        uri = f"seqbook/{path.name}.txt"
        text = reference.whole(path)
        files.append(File.generated(config, uri, content=text))
    for uri, path in assets.shared():
        files.append(File.generated(config, uri, abs_src_path=str(path)))
    for file in list(files):
        if file.src_uri.endswith(".py"):
            files.remove(file)
            path = Path(file.abs_src_path)
            kept = notebooks.notebook(path, config.extra["language"])
            uri = file.src_uri[:-3] + ".ipynb"
            folder = str(kept.parents[1])
            files.append(File(uri, folder, config.site_dir, False))
    return files


@event_priority(-100)  # after mkdocs-jupyter has set its own render
def on_pre_page(page, config, files):
    """Send the text of an experiment through the book's own Markdown.

    mkdocs-jupyter renders the notebook; its code cells are kept, and the
    Markdown cells become a page like every other, with checked links,
    numbers, mathematics and anchors.
    """
    up = "../" * page.file.src_uri.count("/")
    settings = config.mdx_configs["bookproof.show.extension"]
    settings.update(up=up, page=page.file.src_uri)
    if page.file.src_uri.endswith(".ipynb"):
        show_notebook = page.render

        def render(config, files):
            show_notebook(config, files)
            cells = notebooks.code_cells(page.content)
            source = ROOT / config.docs_dir / page.file.src_uri
            text = source.with_suffix(".py").read_text(encoding="utf-8")
            page.markdown = notebooks.markdown(text)
            vars(page).pop("title", None)  # as mkdocs-jupyter read it
            Page.render(page, config, files)
            page.content = notebooks.put_cells(page.content, cells)
            page.content += notebooks.links(
                page.file.name, config.extra["language"], config.repo_url
            )

        page.render = render
    if page.file.src_uri.startswith("api/"):
        show_module = page.render

        def render(config, files):
            kept = reference.Kept(page.file.src_uri, config.extra["language"])
            if kept.stale():
                show_module(config, files)
                kept.write(MARKER.sub("", page.content), page.toc)
            page.content, page.toc = kept.read()

        page.render = render
    return page


def on_page_content(html, page, config, files):
    """Paths of a page in a folder lead up to the shared files."""
    depth = page.file.dest_uri.count("/")
    if not depth or page.file.src_uri.startswith("api/"):
        return html
    soup = BeautifulSoup(html, "lxml")
    for script in soup.select("script[src^='assets/']"):
        script["src"] = "../" * depth + script["src"]
    return soup.body.decode_contents()
