"""Collected = rendered: what a reader sees as run is what pytest runs."""

from bookproof.book import here
from bookproof.lint.text import page_names
from bookproof.read import pages

PAGE_SOURCE = "language-markdown"  # how a page is written, not what is run


def rendered(built):
    """Page name -> (checked numbers, executed blocks) as a reader sees them.

    Counted in the built page, by what they look like there, so that a number
    or a block that the press never saw makes the counts differ.
    """
    counts = {}
    for page in built:
        if page.article is None:
            continue
        shown = page.article.select("data.checked, data.measured")
        blocks = page.article.select(
            ".language-pycon, .language-python, .language-python3, "
            ".language-py3, .language-ipython"
        )
        pasted = [
            block
            for block in page.article.select(".language-py")
            if not block.select_one(".filename")
        ]
        prompts = [
            b
            for b in page.article.select("pre")
            if ">>> " in b.get_text()
            and not b.find_parent(class_=["language-pycon", PAGE_SOURCE])
        ]
        counts[page.name] = (
            len(shown),
            len(blocks) + len(pasted) + len(prompts),
        )
    return counts


def collected():
    """Page name -> (checked numbers, executed blocks) as pytest runs them."""
    counts = {}
    for language in here().languages:
        sources = pages.sources_of(here().pages(language))
        names = page_names(language)
        for name, path in zip(names, sources, strict=True):
            parts = pages.scan(pages.read(path))
            blocks = sum(part.kind == "block" for part in parts)
            if path.suffix == ".py":
                cells = pages.cells(path.read_text("utf-8"))
                blocks += sum(kind == "code" for kind, _ in cells)
            count = sum(part.kind == "number" for part in parts)
            counts[name] = count, blocks
    return counts


def counts_differ(built, site=None):
    """What a reader sees was run: the two counts agree on every page."""
    seen, run = rendered(built), collected()
    faults = []
    for name, want in run.items():
        for what, shown, ran in zip(
            ("checked numbers", "code blocks"),
            seen.get(name, (0, 0)),
            want,
            strict=True,
        ):
            if shown != ran:
                faults.append(f"{name}: shows {shown} {what}, {ran} were run")
    return faults
