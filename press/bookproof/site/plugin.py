"""What MkDocs alone can give: shared files, experiments, the watched folders.

All else is in the Markdown extension, so that another generator can build
the same pages.
"""

import html
import logging
import os
import re
import subprocess
import sys
from pathlib import Path

from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin, event_priority
from mkdocs.structure.files import File
from mkdocs.structure.pages import Page
from mkdocs.structure.toc import get_toc

from bookproof import book, kept, sources
from bookproof.book import here
from bookproof.read import listings
from bookproof.run import execution, figures, notebooks, proofs
from bookproof.show import notebooks as shown
from bookproof.show import reference
from bookproof.site import assets

EXTENSION = "bookproof"  # the name of the Markdown extension
STYLES = "assets/katex/katex.min.css", "assets/bookproof.css"
# A section marker in a listing of the reference.
MARKER = re.compile(r'\n *<span class="c1"># --8&lt;-- [^<]*</span>')
LOG = logging.getLogger("mkdocs.plugins.bookproof")


class Plugin(BasePlugin):
    """The press, as MkDocs calls it."""

    def on_startup(self, command, dirty):
        self.serving = command == "serve"
        self.prepared = None  # digest of what shared files were made from
        self.trouble = ""  # why they could not be made, while serving
        self.keys = {}  # page -> what it was last built from
        logging.getLogger("jieba").setLevel(logging.WARNING)

    def on_config(self, config):
        book.use(Path(config.config_file_path).parent)
        name = Path(config.config_file_path).name
        known = {x.config: code for code, x in here().languages.items()}
        self.language = known.get(name, next(iter(here().languages)))
        missing = [s for s in STYLES if s not in config.extra_css]
        config.extra_css[:0] = missing
        if EXTENSION not in config.markdown_extensions:
            config.markdown_extensions.append(EXTENSION)
        settings = config.mdx_configs.setdefault(EXTENSION, {})
        settings.update(language=self.language, serving=self.serving)
        return config

    def on_serve(self, server, config, builder):
        """Reload when a figure, an asset, or a module of the book changes."""
        folders = [here().root / f for f in (here().figures, "docs")]
        if here().library:
            folders.append(here().root / here().library)
        for folder in filter(Path.is_dir, folders):
            server.watch(str(folder))
        for path in modules():
            if not any(path.is_relative_to(folder) for folder in folders):
                server.watch(str(path))

    def on_pre_build(self, config):
        """Bring figures, experiments and assets up to date."""
        if os.environ.get("BOOKPROOF_PREPARED"):
            return
        digest = kept.digest(*inputs())
        if digest == self.prepared:
            return
        self.trouble = prepare()
        self.prepared = digest
        if self.trouble and not self.serving:
            raise PluginError(self.trouble)

    @event_priority(100)  # before mkdocs-jupyter looks for notebooks
    def on_files(self, files, config):
        """Add what the languages share, notebooks, the reference."""
        for uri, text in reference.pages(self.language):
            files.append(File.generated(config, uri, content=text))
        for path in reference.modules():
            uri = f"{here().library}/{path.name}.txt"
            text = reference.whole(path)
            files.append(File.generated(config, uri, content=text))
        for uri, path in assets.shared():
            files.append(File.generated(config, uri, abs_src_path=str(path)))
        for file in list(files):
            if file.src_uri.startswith("experiments/") and (
                file.src_uri.endswith(".py")
            ):
                files.remove(file)
                path = Path(file.abs_src_path)
                written = notebooks.notebook(path, self.language)
                uri = file.src_uri[:-3] + ".ipynb"
                folder = str(written.parents[1])
                files.append(File(uri, folder, config.site_dir, False))
            elif file.src_uri.endswith(".md") and self.serving:
                self.build_if_stale(file)
        return files

    def build_if_stale(self, file):
        """A page whose library or figures changed is built again too.

        A dirty build looks at the time of the page's own source alone.
        """
        if file.abs_src_path is None or not Path(file.abs_dest_path).exists():
            return
        text = Path(file.abs_src_path).read_text(encoding="utf-8")
        cuts = [
            (here().root / module).read_text(encoding="utf-8")
            for module, _ in listings.shown(text)
            if (here().root / module).exists()
        ]
        parts = execution.stream(text)
        key = kept.digest(*cuts, execution.key(parts), self.trouble)
        if self.keys.setdefault(file.src_uri, key) != key:
            self.keys[file.src_uri] = key
            os.utime(file.abs_dest_path, (0, 0))

    @event_priority(-100)  # after mkdocs-jupyter has set its own render
    def on_pre_page(self, page, config, files):
        """Send the text of an experiment through the book's own Markdown.

        mkdocs-jupyter renders the notebook; its code cells are kept, and the
        Markdown cells become a page like every other, with checked links,
        numbers, mathematics and anchors.
        """
        uri = page.file.src_uri
        settings = config.mdx_configs[EXTENSION]
        settings.update(up="../" * uri.count("/"), page=uri)
        if uri.endswith(".ipynb"):
            page.render = self.experiment(page, page.render)
            if page.edit_url:
                page.edit_url = page.edit_url.removesuffix(".ipynb") + ".py"
        if uri.startswith("api/"):
            page.render = self.module(page, page.render)
        page.render = self.guarded(page, page.render)
        return page

    def experiment(self, page, show_notebook):
        def render(config, files):
            show_notebook(config, files)
            cells = shown.code_cells(page.content)
            source = Path(config.docs_dir, page.file.src_uri)
            text = notebooks.read(source.with_suffix(".py"))
            page.markdown = notebooks.markdown(text)
            vars(page).pop("title", None)  # as mkdocs-jupyter read it
            Page.render(page, config, files)
            page.content = shown.put_cells(page.content, cells)
            page.content += shown.links(
                page.file.name, self.language, config.repo_url
            )

        return render

    def module(self, page, show_module):
        uri = page.file.src_uri

        def render(config, files):
            found = reference.rendered(uri, self.language)
            if found is None:
                show_module(config, files)
                content = MARKER.sub("", page.content)
                reference.keep(uri, self.language, content, page.toc)
                found = reference.rendered(uri, self.language)
            page.content, page.toc = found[0], get_toc(found[1])

        return render

    def guarded(self, page, show):
        """A page that cannot be shown says why, in one sentence.

        That stops a build; a server shows the sentence instead of the page.
        """

        def render(config, files):
            try:
                show(config, files)
            except (ValueError, RuntimeError) as error:
                if not self.serving:
                    raise PluginError(str(error)) from None
                LOG.error(error)
                page.content, page.toc = box(str(error)), get_toc([])
            if self.trouble:
                page.content = box(self.trouble) + page.content

        return render

    def on_page_context(self, context, page, config, nav):
        """A page that does not know its address in the world names none.

        The sitemap keeps the local one: instant navigation reads it there.
        """
        self.address = page.canonical_url
        if self.address and "//127.0.0.1" in self.address:
            page.canonical_url = None
        return context

    def on_post_page(self, output, page, config):
        page.canonical_url = self.address
        return output

    def on_page_content(self, html, page, config, files):
        """Paths of a page in a folder lead up to the shared files."""
        depth = page.file.dest_uri.count("/")
        if not depth or page.file.src_uri.startswith("api/"):
            return html
        up = "../" * depth
        return re.sub(r'(<script\b[^>]*\bsrc=")(assets/)', rf"\1{up}\2", html)


def inputs():
    """Files that figures, experiments and assets are made from."""
    kinds = {".py", ".js", ".json", ".css", ".mplstyle", ".toml"}
    folders = [here().root / here().figures, here().docs]
    if here().library:
        folders.append(here().root / here().library)
    found = {
        path
        for folder in folders
        for path in folder.rglob("*")
        if path.suffix in kinds and path.is_file()
    }
    return sorted(found | modules())


def modules():
    """Modules of the book that its pages and figures import."""
    found = set()
    for path in proofs.markdown_pages():
        parts = execution.stream(path.read_text(encoding="utf-8"))
        found |= execution.files(parts)
    for path in figures.scripts().values():
        found |= sources.files_behind(path)
    return {p for p in found if not p.is_relative_to(sources.PRESS)}


def prepare():
    """Make what is stale, saying how far it is -> what went wrong, or "".

    In a process of its own: this one would go on with the library and the
    scripts as they were when it began.
    """
    process = subprocess.Popen(
        [sys.executable, "-m", "bookproof.site", "prepare"],
        cwd=here().root,
        env=book.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    for line in process.stdout:
        LOG.info(line.rstrip())
    wrong = process.stderr.read().strip()
    return wrong if process.wait() else ""


def box(trouble):
    """What is wrong, as it stands at the top of a served page."""
    lines = "".join(f"<p>{html.escape(x)}</p>" for x in trouble.splitlines())
    return f'<div class="admonition failure" role="alert">{lines}</div>\n'
