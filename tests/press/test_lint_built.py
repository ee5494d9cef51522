"""Each gate of the built site closes on a fault, and only on a fault."""

import json

import pytest

from bookproof.lint import weights
from bookproof.lint.addresses import foreign, links
from bookproof.lint.built import ids, leftovers, notebooks, pictures, read
from tests.press.lint_cases import page, tex


@pytest.fixture
def site(tmp_path):
    """write(files) -> the folder of a site with these files, pages read."""

    def write(**files):
        for name, text in files.items():
            path = tmp_path / name.replace("__", "/").replace("_", ".")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return tmp_path, read(tmp_path)

    return write


DEAD = {
    "page": '<a href="c.html">x</a>',
    "anchor here": '<a href="#nope">x</a>',
    "anchor there": '<a href="b.html#nope">x</a>',
    "notebook anchor": '<a href="sub/n.html#nope">x</a>',
    "image": '<img src="x.svg">',
    "srcset": '<source srcset="x.svg 2x">',
    "script": '<script src="x.js"></script>',
    "style sheet": '<link rel="stylesheet" href="x.css">',
    "style": '<p style="background: url(x.svg)">x</p>',
    "folder": '<a href="sub/">x</a>',
    "above the site": '<a href="../b.html">x</a>',
}


@pytest.mark.parametrize("html", DEAD.values(), ids=DEAD)
def test_a_dead_address_is_reported(site, html):
    folder, built = site(a_html=html, b_html="<p>b", sub__n_html="<p>n")
    (fault,) = links(built, folder)
    assert fault.startswith("a.html: ")


def test_live_addresses_pass(site):
    folder, built = site(
        a_html='<a href="b.html#x">b</a><a href="#y" id="y">y</a>'
        '<a href="sub/n.html">n</a><a href="https://x.org/#z">z</a>'
        '<a href="mailto:a@b.c">m</a><img srcset="p.svg 1x, p.svg 2x">'
        '<a href="">top</a>',
        b_html='<p id="x"><a href="./a.html#y">a</a>',
        sub__n_html='<a href="../b.html#x">b</a><a href="/a.html">a</a>',
        p_svg="<svg/>",
        s_css="p { background: url('p.svg') } q { src: url(data:x) }",
    )
    assert links(built, folder) == []


def test_a_dead_address_in_a_style_sheet_is_reported(site):
    folder, built = site(a_html="<p>a", s_css="p { src: url(font.woff2) }")
    assert links(built, folder) == ["s.css: font.woff2 does not exist"]


def test_an_address_that_leaves_a_site_in_a_folder_is_reported(site):
    folder, built = site(a_html='<a href="/a.html">a</a>')
    assert links(built, folder, "/book/")
    folder, built = site(a_html='<a href="/book/a.html">a</a>')
    assert links(built, folder, "/book/") == []


def test_an_id_stands_once():
    twice = page('<p id="x">a</p><p id="x">b</p>')
    assert ids([twice]) == ["a.html: id x stands 2 times"]
    assert ids([page('<p id="x">a</p><p id="y">b</p>')]) == []


STRAY = {
    "dollar": "<p>With $h_t$ in it</p>",
    "parenthesis": r"<p>With \(h_t\) in it</p>",
    "bracket": r"<p>With \[h_t\] in it</p>",
    "stars": "<p>**门控：**重置门</p>",
    "environment": r"<p>\begin{align} a</p>",
    "marker": "<p>[[ledger]]</p>",
    "checked number": '<p>[3](#= "3")</p>',
    "alt": '<img alt="the state $h_t$">',
    "heading": "<h2>The $z_t$ gate</h2>",
    "traceback": "<pre>Traceback (most recent call last):\nx</pre>",
    "stderr": '<div data-mime-type="application/vnd.jupyter.stderr">w</div>',
}


@pytest.mark.parametrize("article", STRAY.values(), ids=STRAY)
def test_leftovers_are_reported(article):
    assert leftovers([page(article)])


@pytest.mark.parametrize(
    "article",
    [
        "<p><code>$h_t$ **x** [[y]]</code></p><pre>[[0.4]] ** $</pre>",
        "<p>" + tex(r"\begin{align} a \end{align}") + "</p>",
        '<div class="language-pycon"><pre>Traceback (most recent call last):'
        "</pre></div>",
        "<p>plain</p><script>a[[0]] ** $</script>",
    ],
)
def test_code_formulas_and_awaited_tracebacks_are_no_leftovers(article):
    assert leftovers([page(article)]) == []


@pytest.mark.parametrize(
    ("output", "count"),
    [
        ({"output_type": "stream", "name": "stdout", "text": ["1"]}, 0),
        ({"output_type": "stream", "name": "stderr", "text": ["w"]}, 1),
        ({"output_type": "error", "evalue": "division by zero"}, 1),
    ],
)
def test_a_notebook_with_an_error_is_reported(tmp_path, output, count):
    book = {"cells": [{"cell_type": "code", "outputs": [output]}]}
    (tmp_path / "n.ipynb").write_text(json.dumps(book))
    assert len(notebooks([], tmp_path)) == count


FOREIGN = {
    "script": '<script src="https://cdn.org/x.js"></script>',
    "style sheet": '<link rel="stylesheet" href="//cdn.org/x.css">',
    "font": '<link rel="preconnect" href="https://fonts.org">',
    "image": '<img src="https://x.org/a.png">',
    "srcset": '<source srcset="a.svg 1x, https://x.org/a.png 2x">',
    "frame": '<iframe src="https://x.org"></iframe>',
    "style": '<style>@import "https://x.org/a.css";</style>',
    "inline style": '<p style="background:url(https://x.org/a)">a</p>',
}


@pytest.mark.parametrize("html", FOREIGN.values(), ids=FOREIGN)
def test_a_request_to_another_host_is_reported(html):
    assert foreign([page(html)])


def test_links_that_a_reader_follows_may_lead_abroad():
    html = (
        '<a href="https://x.org">x</a>'
        '<svg xmlns="http://www.w3.org/2000/svg"></svg>'
    )
    head = '<link rel="canonical" href="https://x.org/a.html">'
    assert foreign([page(html, head=head)]) == []


def test_files_that_ask_another_host_are_reported(site):
    folder, built = site(
        a_html="<p>a",
        s_css="p { src: url(https://x.org/f.woff2) }",
        d_svg='<svg xmlns="http://www.w3.org/2000/svg">'
        '<image xlink:href="https://x.org/a.png"/></svg>',
        assets__labs__l_js='fetch("https://x.org/data.json")',
        assets__theme_js='"https://x.org/never"',
    )
    names = [f.partition(":")[0] for f in foreign(built, folder)]
    assert names == ["assets/labs/l.js", "d.svg", "s.css"]


TWINS = (
    '<figure><picture class="only-light">{0}</picture>'
    '<picture class="only-dark">{0}</picture></figure>'
)
IMAGE = '<img src="a.svg" alt="It falls" width="4" height="3">'


def test_a_figure_with_its_twin_passes():
    assert pictures([page(TWINS.format(IMAGE))]) == []


@pytest.mark.parametrize(
    ("html", "said"),
    [
        ('<img src="a.svg" width="4" height="3">', "lacks alt"),
        ('<img src="a.svg" alt=" " width="4" height="3">', "words in its"),
        ('<img src="a.svg" alt="It falls">', "lacks width, height"),
        (f'<figure class="only-light">{IMAGE}</figure>', "no dark twin"),
        (f'<figure class="only-dark">{IMAGE}</figure>', "no light twin"),
    ],
)
def test_an_image_that_lacks_something_is_reported(html, said):
    (fault,) = pictures([page(f"<div>{html}</div>")])
    assert said in fault


def test_heavy_scripts_and_indexes_are_reported(site, monkeypatch):
    plain = '<script src="assets/book.js"></script>'
    lab = (
        '<seq-lab name="l"></seq-lab><script src="assets/labs/l.js"></script>'
    )
    folder, built = site(
        a_html=plain,
        b_html=lab,
        assets__book_js="x",
        assets__labs__l_js="x",
        search__search_index_js="x",
    )
    assert weights.weights(built, folder) == []
    monkeypatch.setattr(weights, "compressed", lambda path: 6 * weights.KB)
    assert [f[:7] for f in weights.weights(built, folder)] == ["a.html:"]
    monkeypatch.setattr(weights, "compressed", lambda path: 61 * weights.KB)
    assert [f[:2] for f in weights.weights(built, folder)] == ["a.", "b."]


def test_a_heavy_search_index_is_reported(tmp_path, monkeypatch):
    index = tmp_path / "zh" / "search" / "search_index.js"
    index.parent.mkdir(parents=True)
    index.write_text("x")
    assert weights.weights([], tmp_path) == []
    monkeypatch.setattr(weights, "INDEX", 1)
    (fault,) = weights.weights([], tmp_path)
    assert fault.startswith("zh/search/search_index.js: ")
