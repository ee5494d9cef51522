"""The built pages, and what each of them must hold by itself.

Ids stand once, no markup and no traceback is left over, and every picture
has its words, its size and its twin in the other scheme.
"""

import json
import re
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from bs4 import BeautifulSoup, Comment, NavigableString

from bookproof.run import doctests

MUTE = {  # elements without prose
    *("script", "style", "template", "noscript", "math"),
    *("code", "pre", "kbd", "textarea"),
}
STRAY = re.compile(r"\$|\\\(|\\\[|\*\*|\\begin|\\end\b|\\tag|\[\[|\]\(|#=")


@dataclass
class Page:
    """One built page, parsed once."""

    name: str  # its path in the site, "zh/gru.html"
    html: str
    tree: BeautifulSoup = field(init=False)

    def __post_init__(self):
        self.tree = BeautifulSoup(self.html, "lxml")

    @cached_property
    def ids(self):
        return [tag["id"] for tag in self.tree.select("[id]")]

    @cached_property
    def article(self):
        return self.tree.select_one("article.md-content__inner")


def read(site):
    """Folder of a site -> list of Page, sorted by name."""
    return [
        Page(path.relative_to(site).as_posix(), path.read_text("utf-8"))
        for path in sorted(Path(site).rglob("*.html"))
    ]


def ids(built, site=None):
    """An id stands once in a page."""
    return [
        f"{page.name}: id {name} stands {count} times"
        for page in built
        for name, count in Counter(page.ids).items()
        if count > 1
    ]


def visible(node):
    """Visible strings below a node, outside code and typeset formulas."""
    for child in node.children:
        if isinstance(child, Comment):
            continue
        if isinstance(child, NavigableString):
            yield str(child)
        elif child.name not in MUTE and "katex" not in child.get("class", ()):
            yield from visible(child)


def leftovers(built, site=None):
    """No markup that nothing turned into a page; no traceback, no stderr."""
    faults = []
    for page in built:
        texts = [*visible(page.tree)]
        texts += [t.get("alt", "") for t in page.tree.select("img")]
        texts += [t["title"] for t in page.tree.select("abbr[title]")]
        for text in texts:
            if match := STRAY.search(text):
                faults.append(
                    f"{page.name}: stray {match.group()} in "
                    f"“{around(text, match.start())}”"
                )
        for block in page.tree.select("pre"):
            inside = block.find_parent(class_=["language-pycon"])
            text = block.get_text()
            if doctests.TRACEBACK in text and not inside:
                faults.append(f"{page.name}: a traceback: {last_line(text)}")
        for _ in page.tree.select("[data-mime-type*=stderr], .stderr"):
            faults.append(f"{page.name}: output of stderr")
    return faults


def last_line(text):
    return text.strip().splitlines()[-1]


def around(text, at, width=30):
    """The words around a place in a text, on one line."""
    piece = text[max(0, at - width) : at + width]
    return " ".join(piece.split())


def notebooks(built, site):
    """No notebook of the site holds an error, or anything from stderr."""
    faults = []
    for path in sorted(Path(site).rglob("*.ipynb")):
        book = json.loads(path.read_text("utf-8"))
        for cell in book["cells"]:
            for output in cell.get("outputs", ()):
                kind = output.get("name", output["output_type"])
                if kind in ("stderr", "error"):
                    name = path.relative_to(site).as_posix()
                    text = output.get("text") or output.get("evalue", "")
                    faults.append(
                        f"{name}: {kind}: {last_line(''.join(text))}"
                    )
    return faults


def pictures(built, site=None):
    """Every image has alt, width and height; each scheme has its figure."""
    faults = []
    for page in built:
        for image in page.tree.select("img"):
            name = image.get("src", "an image")
            lacks = [
                k for k in ("alt", "width", "height") if k not in image.attrs
            ]
            inside = page.article and image in page.article.select("img")
            if not lacks and inside and not image["alt"].strip():
                lacks = ["words in its alt"]
            if lacks:
                faults.append(f"{page.name}: {name} lacks {', '.join(lacks)}")
        for one, other in ("light", "dark"), ("dark", "light"):
            for picture in page.tree.select(f".only-{one}"):
                if not picture.parent.select(f".only-{other}"):
                    image = picture.select_one("img") or picture
                    name = image.get("src", "a figure")
                    faults.append(f"{page.name}: {name} has no {other} twin")
    return faults
