"""A small site with one page a lab, as the press writes it, for a browser."""

import importlib
import shutil
from dataclasses import dataclass
from pathlib import Path

import markdown
import material
from markdown.extensions import Extension

from bookproof.show.extension import Figures
from bookproof.show.extension import Page as BookPage
from bookproof.site import assets

HERE = Path(__file__).parent


@dataclass
class Case:
    """What the tests of every lab need to know of one.

    figure: its script; starts: what it says first, in English and Chinese;
    key: (label, key, parameter, value as shown, value in the address) of a
    control; restored: (query, what it then says); refused: (nonsensical
    query, what it says all the same).
    """

    figure: str
    starts: tuple
    key: tuple
    restored: tuple
    refused: tuple


def cases():
    """Name of each lab -> its Case, from the test module of the lab."""
    found = {}
    for path in sorted(HERE.glob("test_*.py")):
        module = importlib.import_module(f"tests.labs.{path.stem}")
        found |= getattr(module, "CASES", {})
    return found


THEME = Path(material.__file__).parent / "templates/assets/stylesheets"
SHELL = """<!doctype html>
<html lang="{lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{name}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="assets/main.css">
<link rel="stylesheet" href="assets/theme-palette.css">
<link rel="stylesheet" href="assets/palette.css">
<link rel="stylesheet" href="assets/bookproof.css">
<link rel="stylesheet" href="assets/book.css">
<link rel="stylesheet" href="assets/labs.css">
</head>
<body dir="ltr" data-md-color-scheme="{scheme}">
<main class="md-main"><div class="md-main__inner md-grid">
<div class="md-content">
<article class="md-content__inner md-typeset">
<h1>{name}</h1>
<p>Before the lab.</p>
{body}
<p id="after">After the lab.</p>
</article>
</div></div></main>
</body>
</html>
"""


class OnlyFigures(Extension):
    def __init__(self, lang):
        super().__init__()
        self.page = BookPage(lang)

    def extendMarkdown(self, md):
        md.treeprocessors.register(Figures(md, self.page), "figures", 7.8)


def body(name, lang):
    """What the press makes of a lab's two lines of Markdown."""
    figure = cases()[name].figure
    source = f"![A figure.](figures/{figure}.svg){{lab={name}}}\n\n*Caption.*"
    return markdown.markdown(
        source, extensions=["attr_list", OnlyFigures(lang)]
    )


def write_site(folder):
    """Pages <lab>-<lang>-<scheme>.html and all that they load."""
    for uri, path in assets.shared():
        wanted = uri.startswith(("assets/labs", "assets/palette"))
        wanted |= uri.startswith(
            tuple(f"figures/{c.figure}" for c in cases().values())
        )
        if wanted or uri.endswith(("/bookproof.css", "/book.css")):
            copy = folder / uri
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
    for stem, name in ("main.", "main.css"), ("palette.", "theme-palette.css"):
        sheet = next(THEME.glob(f"{stem}*.css"))
        text = sheet.read_text(encoding="utf-8")
        (folder / "assets" / name).write_text(text, encoding="utf-8")
    for name in cases():
        for lang in "en", "zh":
            for scheme in "default", "slate":
                page = SHELL.format(
                    name=name, lang=lang, scheme=scheme, body=body(name, lang)
                )
                file = folder / f"{name}-{lang}-{scheme}.html"
                file.write_text(page, encoding="utf-8")
    return folder


def built():
    """Figures and bundles up to date, as `make site` would have them."""
    from bookproof.run import figures as build
    from bookproof.run import node

    node.install()
    figures = sorted({case.figure for case in cases().values()})
    build.build(figures, say=lambda _: None)
    assets.palette()
    assets.bundle(say=lambda _: None)


PHONE = {"size": "phone", "has_touch": True, "is_mobile": True}


def says(page):
    return page.text_content("seq-lab .says")


def slide(page, label, to):
    """Move a range input as a drag would."""
    page.get_by_label(label, exact=True).evaluate(
        """(input, to) => {
          input.value = to;
          input.dispatchEvent(new Event("input", { bubbles: true }));
        }""",
        to,
    )
    page.evaluate("nextFrame()")
