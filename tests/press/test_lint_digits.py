"""A digit that nothing accounts for is reported, and no other is."""

import pytest

from bookproof.lint.digits import Waiver, unaccounted, waivers
from tests.press.lint_cases import page, tex

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
    assert unaccounted([page(article)], known=[]) == []


@pytest.mark.parametrize(("article", "digits"), LOOSE.values(), ids=LOOSE)
def test_a_loose_digit_is_reported(article, digits):
    faults = unaccounted([page(article)], known=[])
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
    assert unaccounted([page(f"<p>{tex(formula)}</p>")], known=[]) == []


@pytest.mark.parametrize(("formula", "said"), NUMERIC)
def test_a_number_that_a_formula_states_is_reported(formula, said):
    (fault,) = unaccounted([page(f"<p>{tex(formula)}</p>")], known=[])
    assert f"{said} in the formula" in fault.replace("&", "")


def test_a_waiver_excuses_its_own_words_on_its_own_page():
    built = [page("<p>Python 3.11</p>"), page("<p>Python 3.11</p>", "b.html")]
    waiver = Waiver("a.html", "Python 3.11", "a version")
    faults = unaccounted(built, known=[waiver])
    assert {fault.partition(":")[0] for fault in faults} == {"b.html"}
    everywhere = Waiver("*", "Python 3.11", "a version")
    assert unaccounted(built, known=[everywhere]) == []


def test_a_waiver_that_nothing_needs_is_a_fault():
    waiver = Waiver("a.html", "Python 3.11", "a version")
    (fault,) = unaccounted([page("<p>Python</p>")], known=[waiver])
    assert fault.startswith("docs/waivers.toml: nothing on a.html")


def test_a_waiver_needs_a_reason(tmp_path):
    file = tmp_path / "waivers.toml"
    file.write_text('[[waiver]]\npage = "a"\ntext = "3"\nreason = ""\n')
    with pytest.raises(ValueError, match="needs"):
        waivers(file)
    assert waivers(tmp_path / "none.toml") == []
