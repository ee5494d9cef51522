"""Pages as the press leaves them, for the tests of its lint."""

from bookproof.lint.built import Page


def page(article, name="a.html", head="", rest=""):
    return Page(
        name,
        f"<html><head><title>A</title>{head}</head><body>{rest}"
        f'<article class="md-content__inner">{article}</article>'
        "</body></html>",
    )


def tex(formula):
    """A typeset formula, as the press leaves it."""
    escaped = formula.replace("&", "&amp;").replace("<", "&lt;")
    return (
        '<span class="katex"><math><mn>9</mn>'
        f'<annotation encoding="application/x-tex">{escaped}</annotation>'
        '</math><span class="katex-html">9</span></span>'
    )
