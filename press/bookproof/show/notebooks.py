"""The page of an experiment: its notebook, in the book's own clothes.

mkdocs-jupyter renders the notebook; what stays are the highlighted code and
the outputs, put where the script has its cells.
"""

import html

from bookproof.run.notebooks import INLINE, PLACE, digest_of
from bookproof.show.words import WORDS

PRINTED = '<pre class="output" tabindex="0">'


def code_cells(rendered):
    """HTML of a notebook by mkdocs-jupyter -> its code cells, undressed.

    What stays is the highlighted input and the outputs; Jupyter's wrappers,
    styles and scripts go.
    """
    from bs4 import BeautifulSoup

    soup = BeautifulSoup(rendered, "lxml")
    found = []
    for cell in soup.select(".jp-CodeCell[id]"):
        source = cell.select_one(".highlight-ipynb pre")
        code_html = (
            '<div class="language-python highlight experiment"><pre><code>'
            f"{source.decode_contents().strip()}\n</code></pre></div>"
        )
        shown = "".join(map(output, cell.select(".jp-OutputArea-output")))
        # What one cell prints is one output, however Jupyter received it.
        found.append(code_html + shown.replace(f"</pre>{PRINTED}", "\n"))
    return found


def output(area):
    """One output of a cell, as it stands on the page."""
    if area.find(["img", "table", "svg", "div"]):
        # A notebook carries its drawings, a page points at them.
        inner = INLINE.sub(
            lambda m: f"../assets/experiments/{digest_of(m[1])}.svg",
            area.decode_contents().strip(),
        )
        return f'<div class="output">{inner}</div>'
    return f"{PRINTED}{html.escape(area.get_text().strip())}</pre>"


def put_cells(rendered, cells):
    """Fill the places for code cells in a rendered page."""
    places = rendered.count('data-cell="')
    if places != len(cells):
        raise ValueError(f"{places} places for {len(cells)} code cells")
    for n, cell in enumerate(cells):
        rendered = rendered.replace(PLACE.format(n), cell)
    return rendered


def links(name, language, repository):
    """Where to take an experiment away from its page."""
    words = WORDS[language]
    link = f'<a href="{name}.ipynb" download>{words["notebook"]}</a>'
    if repository and "github.com/" in repository:
        project = repository.partition("github.com/")[2].strip("/")
        folder = "" if language == "en" else f"{language}/"
        colab = (
            f"https://colab.research.google.com/github/{project}/blob/"
            f"gh-pages/{folder}experiments/{name}.ipynb"
        )
        link += f' · <a href="{colab}">{words["colab"]}</a>'
    return f'<p class="download">{link}</p>'
