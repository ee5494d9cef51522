"""Each gate closes: a page with the fault is reported, one without is not."""

import json
import textwrap

import pytest

from seqbook.press import lint


def page(article, name="a.html", head="", rest=""):
    return lint.Page(
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


# --- Nothing unaccounted ----------------------------------------------------

ACCOUNTED = {
    "checked": '<p>It is <data class="checked">3</data>.</p>',
    "measured": '<p>It is <data class="measured">3</data>.</p>',
    "checked formula": f'<p><data class="checked">{tex("3")}</data></p>',
    "cited": '<p><a class="cite" href="r.html#x">96 K80</a></p>',
    "code": "<p><code>x = 3</code></p><pre>3</pre>",
    "link within": '<p>See <a href="b.html#x">chapter 3, 4</a>.</p>',
    "equation": "<p>From (gru.4) follows</p>",
    "chapter": "<p>In chapter 5 and section 8.3, §6</p>",
    "chapter in Chinese": "<p>见第 5 章</p>",
    "names": "<p>INT8, word2vec, WordSim-353, GPT-2, F1, PTB3.0</p>",
    "3CosAdd": "<p>3CosAdd and 3CosMul</p>",
    "name in Chinese": "<p>用INT8量化</p>",
    "year": '<p>In 1994 <a class="cite" href="r.html">Bengio</a> did.</p>',
    "generated": '<p class="generated">3 numbers</p>',
    "generated table": '<table class="generated"><tr><td>3</td></tr></table>',
    "words": "<p>a hundred steps, the second gate, 一百步</p>",
    "exercise": "<details><summary>3. Show that it is</summary></details>",
    "permalink": '<h2>One<a class="headerlink" href="#3">3</a></h2>',
    "comment": "<p>a<!-- 3 --></p>",
    "alt": '<img alt="The state decays">',
}
LOOSE = {
    "prose": ("<p>After 100 steps</p>", "100"),
    "decimal": ("<p>It is 0.5 now</p>", "0.5"),
    "heading": ("<h2>The 3 gates</h2>", "3"),
    "table": ("<table><tr><td>GRU</td><td>25 %</td></tr></table>", "25"),
    "caption": ("<figcaption>After 40 steps</figcaption>", "40"),
    "list": ("<ul><li>4 gates</li></ul>", "4"),
    "summary": ("<details><summary>In 3 steps</summary></details>", "3"),
    "Chinese": ("<p>经过100步</p>", "100"),
    "count joined": ("<p>a 2-layer net</p>", "2"),
    "times": ("<p>it is 10x faster</p>", "10"),
    "ordinal": ("<p>the 3rd gate</p>", "3"),
    "power": ("<p>about 10⁻⁵ of it</p>", "10⁻⁵"),
    "thousands": ("<p>with 160,000 weights</p>", "160,000"),
    "scientific": ("<p>only 1e-74 is left</p>", "1e-74"),
    "fraction": ("<p>only ½ of it</p>", "½"),
    "bold": ("<p>a <strong>3</strong> b</p>", "3"),
    "beside a checked one": (
        '<p><data class="checked">3</data> of 4</p>',
        "4",
    ),
    "year without citation": ("<p>In 1994 it was known.</p>", "1994"),
    "year beside a citation elsewhere": (
        '<p><a class="cite" href="r.html">B</a></p><p>In 1994.</p>',
        "1994",
    ),
    "no year": ('<p><a class="cite" href="r.html">B</a> 1894</p>', "1894"),
    "link abroad": ('<p><a href="https://x.org">3 nets</a></p>', "3"),
    "alt": ('<img alt="falls to 0.3">', "0.3"),
    "definition": ('<p><abbr title="of 1997">L</abbr></p>', "1997"),
}


@pytest.mark.parametrize("article", ACCOUNTED.values(), ids=ACCOUNTED)
def test_what_is_accounted_for_passes(article):
    assert lint.unaccounted([page(article)], []) == []


@pytest.mark.parametrize(("article", "digits"), LOOSE.values(), ids=LOOSE)
def test_a_loose_digit_is_reported(article, digits):
    faults = lint.unaccounted([page(article)], [])
    assert faults
    assert faults[0].startswith(f"a.html: {digits} in “")


GENERAL = [
    "T = 100",
    "w=0.9",
    "b_z = -4",
    "x = (1, 0, 0)",
    "w = 0.9, u = 1",
    "D = H = 64",
    r"\beta_1 = 0.9",
    r"\eta = 10^{-3}",
    "T = 10{,}000",
    r"T = 10\,000",
    "(r, z) = (1, 1)",
    r"h_0 = \tfrac12",
    "h_{t-1} = 0",
    r"\gamma' = 1",
    "1 - z_t",
    "h_{t-1}",
    "W^2",
    "10^{-x}",
    "T",
    "h_t = (1 - z_t) h_{t-1}",
    r"L = \tfrac12 (h_T - y)^2",
    "t = 1, 2, \\dots, T",
    r"\sum_{t=1}^T x_t = S",
    r"h_t = \tanh(w h_{t-1} + 0.2 \varepsilon_t)",
    r"h_t = \tanh(w h_{t-1}), \quad w = 0.9",
    r"\begin{align} h_0 &= 0 \\ h_t &= w h_{t-1} \tag{rnn.1} \end{align}",
    r"f(x) = \begin{cases} 1 & x > 0 \\ 0 & x \le 0 \end{cases}",
    r"W = \begin{pmatrix} 1 & 0 \\ 0 & 1 \end{pmatrix}",
    "[0, 1]",
    r"\{0, 1\}",
    "(-1, 1)",
    "t > 1",
    r"\mathbb{R}^{3H}",
    "4H^2 + 4H",
    r"0.9^T",
    r"\frac{1}{2\pi} = c",
]
NUMERIC = [
    ("100", "100"),
    ("-4", "-4"),
    ("10^{-5}", "10^{-5}"),
    (r"2.7\times10^{-5}", r"2.7\times10^{-5}"),
    (r"25\,\%", r"25\,\%"),
    ("0.9^{100}", "0.9^{100}"),
    (r"0.9^{100} = 2.7\times10^{-5}", r"= 2.7\times10^{-5}"),
    (r"0.9^{T} \approx 0.3", r"\approx 0.3"),
    (r"L \approx 0.789", r"\approx 0.789"),
    ("L ≈ 0.789", "≈ 0.789"),
    ("f(x) = 3", "= 3"),
    ("4H(D + H + 1) = 394{,}240", "= 394240"),
    (r"\sum_i p_i = 1", "= 1"),
    ("a b = c d = 0.5", "= 0.5"),
    (r"a b = 0.5 < 1", "= 0.5"),
    (r"a b = 3\,\text{MB}", "= 3"),
    (r"a b = \tfrac{1}{4}", r"= \tfrac{1}{4}"),
    (r"\begin{align} a b &= c \\ &= 0.25 \tag{a.1} \end{align}", "= 0.25"),
    ("[0.3, 0.5]", "[0.3, 0.5]"),
    ("x = y, a b = 0.5", "= 0.5"),
]


@pytest.mark.parametrize("formula", GENERAL)
def test_general_formulas_and_given_values_pass(formula):
    assert lint.unaccounted([page(f"<p>{tex(formula)}</p>")], []) == []


@pytest.mark.parametrize(("formula", "said"), NUMERIC)
def test_a_number_that_a_formula_states_is_reported(formula, said):
    (fault,) = lint.unaccounted([page(f"<p>{tex(formula)}</p>")], [])
    assert f"{said} in the formula" in fault.replace("&", "")


def test_a_waiver_excuses_its_own_words_on_its_own_page():
    built = [page("<p>Python 3.11</p>"), page("<p>Python 3.11</p>", "b.html")]
    waiver = lint.Waiver("a.html", "Python 3.11", "a version")
    faults = lint.unaccounted(built, [waiver])
    assert {fault.partition(":")[0] for fault in faults} == {"b.html"}
    everywhere = lint.Waiver("*", "Python 3.11", "a version")
    assert lint.unaccounted(built, [everywhere]) == []


def test_a_waiver_that_nothing_needs_is_a_fault():
    waiver = lint.Waiver("a.html", "Python 3.11", "a version")
    (fault,) = lint.unaccounted([page("<p>Python</p>")], [waiver])
    assert fault.startswith("docs/waivers.toml: nothing on a.html")


def test_a_waiver_needs_a_reason(tmp_path):
    file = tmp_path / "waivers.toml"
    file.write_text('[[waiver]]\npage = "a"\ntext = "3"\nreason = ""\n')
    with pytest.raises(ValueError, match="needs"):
        lint.waivers(file)
    assert lint.waivers(tmp_path / "none.toml") == []


# --- The built site ---------------------------------------------------------


@pytest.fixture
def site(tmp_path):
    """write(files) -> the folder of a site with these files, pages read."""

    def write(**files):
        for name, text in files.items():
            path = tmp_path / name.replace("__", "/").replace("_", ".")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return tmp_path, lint.read(tmp_path)

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
    (fault,) = lint.links(built, folder)
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
    assert lint.links(built, folder) == []


def test_a_dead_address_in_a_style_sheet_is_reported(site):
    folder, built = site(a_html="<p>a", s_css="p { src: url(font.woff2) }")
    assert lint.links(built, folder) == ["s.css: font.woff2 does not exist"]


def test_an_address_that_leaves_a_site_in_a_folder_is_reported(site):
    folder, built = site(a_html='<a href="/a.html">a</a>')
    assert lint.links(built, folder, "/book/")
    folder, built = site(a_html='<a href="/book/a.html">a</a>')
    assert lint.links(built, folder, "/book/") == []


def test_an_id_stands_once():
    twice = page('<p id="x">a</p><p id="x">b</p>')
    assert lint.ids([twice]) == ["a.html: id x stands 2 times"]
    assert lint.ids([page('<p id="x">a</p><p id="y">b</p>')]) == []


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
    assert lint.leftovers([page(article)])


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
    assert lint.leftovers([page(article)]) == []


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
    assert len(lint.notebooks(tmp_path)) == count


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
    assert lint.foreign([page(html)])


def test_links_that_a_reader_follows_may_lead_abroad():
    html = (
        '<a href="https://x.org">x</a>'
        '<svg xmlns="http://www.w3.org/2000/svg"></svg>'
    )
    head = '<link rel="canonical" href="https://x.org/a.html">'
    assert lint.foreign([page(html, head=head)]) == []


def test_files_that_ask_another_host_are_reported(site):
    folder, built = site(
        a_html="<p>a",
        s_css="p { src: url(https://x.org/f.woff2) }",
        d_svg='<svg xmlns="http://www.w3.org/2000/svg">'
        '<image xlink:href="https://x.org/a.png"/></svg>',
        assets__labs__l_js='fetch("https://x.org/data.json")',
        assets__theme_js='"https://x.org/never"',
    )
    names = [f.partition(":")[0] for f in lint.foreign(built, folder)]
    assert names == ["assets/labs/l.js", "d.svg", "s.css"]


TWINS = (
    '<figure><picture class="only-light">{0}</picture>'
    '<picture class="only-dark">{0}</picture></figure>'
)
IMAGE = '<img src="a.svg" alt="It falls" width="4" height="3">'


def test_a_figure_with_its_twin_passes():
    assert lint.pictures([page(TWINS.format(IMAGE))]) == []


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
    (fault,) = lint.pictures([page(f"<div>{html}</div>")])
    assert said in fault


# --- Collected = rendered, weights ------------------------------------------


@pytest.fixture
def book(tmp_path):
    """write(en, zh) -> root of a book with one page a language, and more."""

    def write(en="# A {#a}\n", zh=None, name="a.md", **files):
        for language, text in ("en", en), ("zh", en if zh is None else zh):
            path = tmp_path / "docs" / language / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        for key, text in files.items():
            path = tmp_path / key.replace("__", "/").replace("_py", ".py")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return tmp_path

    return write


SHOWN = (
    '<data class="checked">3</data>'
    '<div class="language-python highlight"><pre>x</pre></div>'
)


@pytest.mark.parametrize(
    "more",
    [
        '<data class="checked">4</data>',
        '<div class="language-pycon highlight"><pre>x</pre></div>',
        '<div class="language-python3 highlight"><pre>x</pre></div>',
        '<div class="language-py highlight"><pre>x = 1</pre></div>',
        '<div class="language-text highlight"><pre>&gt;&gt;&gt; 1</pre></div>',
    ],
)
def test_what_is_shown_but_not_run_is_reported(book, more):
    root = book('[3](#= "3")\n\n```python\nx = 1\n```\n')
    both = [page(SHOWN), page(SHOWN, "zh/a.html")]
    assert lint.counts_differ(both, root) == []
    both[0] = page(SHOWN + more)
    (fault,) = lint.counts_differ(both, root)
    assert fault.startswith("a.html: shows 2 ")


def test_a_listing_is_not_counted_as_run(book):
    listing = (
        '<div class="language-py highlight"><span class="filename">a</span>'
        "<pre>x</pre></div>"
    )
    root = book()
    both = [page(listing), page(listing, "zh/a.html")]
    assert lint.counts_differ(both, root) == []


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
    assert lint.weights(built, folder) == []
    monkeypatch.setattr(lint, "compressed", lambda path: 6 * lint.KB)
    assert [f[:7] for f in lint.weights(built, folder)] == ["a.html:"]
    monkeypatch.setattr(lint, "compressed", lambda path: 61 * lint.KB)
    assert [f[:2] for f in lint.weights(built, folder)] == ["a.", "b."]


def test_a_heavy_search_index_is_reported(tmp_path, monkeypatch):
    index = tmp_path / "zh" / "search" / "search_index.js"
    index.parent.mkdir(parents=True)
    index.write_text("x")
    assert lint.weights([], tmp_path) == []
    monkeypatch.setattr(lint, "INDEX", 1)
    (fault,) = lint.weights([], tmp_path)
    assert fault.startswith("zh/search/search_index.js: ")


# --- The sources ------------------------------------------------------------

BOTH = textwrap.dedent(
    r"""
    # A {#a}

    ## B {#b}

    \begin{align}
    h &= x \text{ if } y \tag{a.1}
    \end{align}

    See [(a.1)](#eq-a-1).

    ```python
    x = 160_000
    ```

    It is [160,000](#= "x").
    By [here](#cite "one, §1"), [so](#cite "two, §2").

    ![A](figures/f.svg){lab=l}
    """
)
DIFFERENT = {
    "id": ("{#b}", "{#c}", "headings differ"),
    "no id": ("## B {#b}", "## B", "no ASCII id on “B”"),
    "Chinese id": ("{#b}", "{#门}", "no ASCII id"),
    "equation": ("h &= x", "h &= y", "numbered equations differ"),
    "code": ("x = 160_000", "x = 16_0000", "code differ"),
    "expression": ('"x"', '"x + 0"', "checked numbers differ"),
    "value": ("[160,000]", "[17 万]", "x is [160,000] in en"),
    "words": ("[160,000]", "[很多]", "x is [160,000] in en"),
    "citation": ("one, §1", "three, §1", "citations differ"),
    "figure": ("figures/f.svg", "figures/g.svg", "figures and labs differ"),
    "lab": ("lab=l", "lab=m", "figures and labs differ"),
}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("[160,000]", "[16 万]"),
        (r"\text{ if }", r"\text{若}"),
        ("## B", "## 乙"),
        ("![A]", "![图]"),
        (
            '[here](#cite "one, §1"), [so](#cite "two, §2")',
            '[此](#cite "two, §2")，[彼](#cite "one, 表 1")',
        ),
    ],
)
def test_a_translation_has_parity(book, old, new):
    assert old in BOTH
    assert lint.parity(book(BOTH, BOTH.replace(old, new))) == []


@pytest.mark.parametrize(
    ("old", "new", "said"), DIFFERENT.values(), ids=DIFFERENT
)
def test_a_page_that_says_something_else_is_reported(book, old, new, said):
    assert old in BOTH
    faults = lint.parity(book(BOTH, BOTH.replace(old, new)))
    assert len(faults) in (1, 2)
    assert said in " ".join(faults)


def test_a_page_of_one_language_is_reported(book):
    root = book()
    (root / "docs" / "zh" / "a.md").unlink()
    assert lint.parity(root) == ["en/a.md: only in one language"]


def test_experiments_have_the_same_code(book):
    script = "# %% [markdown]\n# # A {#a}\n\n# %%\nx = 1\n"
    name = "experiments/e.py"
    assert lint.parity(book(script, name=name)) == []
    root = book(script, script.replace("x = 1", "x = 2"), name=name)
    (fault,) = lint.parity(root)
    assert fault.startswith("experiments/e.py: code differ")


FENCES = {
    "title": '```python title="x"\nx = 1\n```\n',
    "attributes": "```{.python}\nx = 1\n```\n",
    "py": "```py\nx = 1\n```\n",
    "pycon": "```pycon\n>>> 1\n```\n",
    "python3": "```python3\nx\n```\n",
    "space": "``` python\nx = 1\n```\n",
    "none": "```\nx = 1\n```\n",
    "prompts in text": "```text\n>>> 1\n```\n",
    "pasted listing": '```{.py title="seqbook/a.py"}\nx = 1\n```\n',
    "two snippets": '```{.py title="seqbook/a.py"}\n'
    '--8<-- "seqbook/a.py:x"\n--8<-- "seqbook/a.py:y"\n```\n',
    "other title": '```{.py title="seqbook/b.py"}\n'
    '--8<-- "seqbook/a.py:x"\n```\n',
    "loose snippet": '--8<-- "seqbook/a.py:x"\n',
    "byte-order mark": "\ufeff```python\nx = 1\n```\n",
    "tildes": "~~~python\nx = 1\n~~~\n",
    "four": "````python\nx = 1\n````\n",
}


@pytest.mark.parametrize("text", FENCES.values(), ids=FENCES)
def test_a_fence_that_is_never_run_is_reported(book, text):
    root = book(text, "# A {#a}\n")
    faults = lint.fences(root)
    assert faults
    assert faults[0].startswith("docs/en/a.md:1: ")


def test_run_fences_listings_and_text_pass(book):
    root = book(
        "```python\nx = 1\n```\n\n"
        '```{.py title="seqbook/a.py"}\n--8<-- "seqbook/a.py:x"\n```\n\n'
        "```text\nx\n```\n\n````markdown\n```py\nx\n```\n````\n"
    )
    assert lint.fences(root) == []


def test_figures_and_scripts_belong_together(book):
    draws = "def figure():\n    pass\n"
    used = "![A](figures/f.svg)\n"
    root = book(used, figures_src__f_py=draws, figures_src__logo_py=draws)
    assert lint.figure_use(root) == []
    root = book(used, figures_src__g_py=draws)
    assert lint.figure_use(root) == ["figures_src/g.py: used on no page"]
    (root / "figures_src" / "f.py").unlink()
    faults = lint.figure_use(root)
    assert "docs/en/a.md: no figures_src/f.py with a figure()" in faults


def test_numbers_of_equations_exist_and_stand_once(book):
    text = "\\begin{align}\na &= b \\tag{gru.1}\n\\end{align}\n"
    good = "x = 1  # (gru.1), (lstm.9) of a chapter to come\n"
    assert lint.equations(book(text, seqbook__gru_py=good)) == []
    root = book(text, seqbook__gru_py="\nx = 1  # (gru.2)\n")
    assert lint.equations(root) == [
        r"seqbook/gru.py:2: no page has \tag{gru.2}"
    ]
    root = book(text + text, seqbook__gru_py=good)
    assert lint.equations(root) == ["(gru.1) numbers 2 equations"]


@pytest.mark.parametrize(
    ("link", "good"),
    [
        ("[(gru.4)](#eq-gru-4)", True),
        ("[equation (gru.4)](gru.md#eq-gru-4)", True),
        ("[(gru.4)](#eq-gru-3)", False),
        ("[(gru.4)](gru.md#one-step)", False),
        ("[the update](gru.md#eq-gru-4)", True),
        ("[see](gru.md#one-step)", True),
    ],
)
def test_the_text_of_an_equation_link_is_its_target(book, link, good):
    faults = lint.equation_links(book(f"See {link}.\n", "# A {#a}\n"))
    assert bool(faults) is not good


def test_both_tables_of_contents_list_the_same(tmp_path):
    english = "nav:\n  - index.md\n  - Gates:\n      - gru.md\n"
    chinese = english.replace("Gates", "门")
    (tmp_path / "mkdocs.yml").write_text(english, "utf-8")
    (tmp_path / "mkdocs.zh.yml").write_text(chinese, "utf-8")
    assert lint.contents(tmp_path) == []
    (tmp_path / "mkdocs.zh.yml").write_text("nav:\n  - index.md\n", "utf-8")
    assert lint.contents(tmp_path)
