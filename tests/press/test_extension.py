"""From Markdown to the page: numbers, citations, figures, mathematics."""

import dataclasses
import html

import markdown
import pytest
from bs4 import BeautifulSoup
from mkdocs.utils import yaml_load

from bookproof.book import Language, here
from bookproof.read import citations
from bookproof.run import execution
from bookproof.show import extension, tables

ROOT = here().root

SOURCE = {
    "authors": ["Cho, Kyunghyun", "Bengio, Yoshua", "Gulcehre, Caglar"],
    "year": 2014,
    "title": "A title",
    "venue": "EMNLP",
}


@pytest.fixture
def convert(tmp_path, monkeypatch):
    """Markdown -> its page, with the extensions that mkdocs.yml names."""
    monkeypatch.setattr(execution, "recorded", execution.run)
    monkeypatch.setattr(citations, "bibliography", lambda: {"cho": SOURCE})
    with (ROOT / "mkdocs.yml").open("rb") as file:
        settings = yaml_load(file)["markdown_extensions"]

    def converting(text, language="en", **more):
        own = {"language": language, **more}
        configs = {**settings, "bookproof": own}
        md = markdown.Markdown(
            extensions=list(configs), extension_configs=configs
        )
        return BeautifulSoup(md.convert(text), "lxml")

    return converting


NUMBER = '[0.48](#= "0.481 * 1")'
PLACES = {
    "sentence": (f"It is {NUMBER} now.", "p"),
    "heading": (f"## It is {NUMBER} {{#it}}", "h2"),
    "table": (f"| a |\n| --- |\n| {NUMBER} |", "td"),
    "list": (f"- It is {NUMBER}.", "li"),
    "admonition": (f'!!! note "N"\n\n    It is {NUMBER}.', ".admonition p"),
    "folded": (f'??? note "N"\n\n    It is {NUMBER}.', "details p"),
    "bold": (f"It is **{NUMBER}**.", "strong"),
    "caption": (
        f"![A](figures/gru_memory.svg)\n\n*It is {NUMBER}.*",
        "figcaption",
    ),
}


@pytest.mark.parametrize(("text", "place"), PLACES.values(), ids=PLACES)
def test_a_checked_number_becomes_data_with_its_proof(convert, text, place):
    page = convert(text)
    (data,) = page.select(f"{place} data.checked")
    assert data.get_text() == "0.48"
    assert data["value"] == "0.481"
    assert data["title"] == "0.481 * 1 = 0.481, checked"
    assert data["tabindex"] == "0"
    assert data["id"] == "n-1"


def test_a_checked_formula_is_typeset_inside_its_data(convert):
    page = convert('It is [$2.7\\times10^{-5}$](#= "0.9**100").')
    (data,) = page.select("data.checked")
    assert data.select_one(".katex annotation").get_text() == (
        r"2.7\times10^{-5}"
    )


def test_parentheses_and_quotes_of_an_expression_survive(convert):
    page = convert("[3](#= \"len({'a': (1, 2), 'b': 0, 'c': 1})\") more")
    assert page.select_one("data")["title"].startswith("len({'a': (1, 2),")
    assert page.select_one("p").get_text() == "3 more"


def test_a_bar_of_a_table_is_shown_as_a_bar(convert):
    page = convert('| a | b |\n| - | - |\n| [7](#= "3 \\| 4") | c |')
    assert page.select_one("td data")["title"] == "3 | 4 = 7, checked"
    assert len(page.select("td")) == 2


def test_a_measured_number_is_filled_in(convert):
    page = convert("[…](#= \"'3.0 – 4.0'\") s")
    (data,) = page.select("data.measured")
    assert data.get_text() == "3.0 – 4.0"
    assert data["title"].endswith("measured when this book was built")


def test_a_claim_is_its_own_proof(convert):
    page = convert('[far above](#= "2 > 1")')
    assert page.select_one("data")["title"] == "2 > 1, checked"


def test_numbers_in_code_stay_code(convert):
    page = convert(f"`{NUMBER}` and {NUMBER}")
    assert page.select_one("code").get_text() == NUMBER
    assert len(page.select("data")) == 1


def test_a_figure_has_two_schemes_a_caption_and_its_script(convert):
    page = convert("![It decays](figures/gru_memory.svg)\n\n*So it is.*\n")
    figure = page.select_one("figure#fig-gru-memory")
    assert figure.select_one(".only-light img")["alt"] == "It decays"
    assert figure.select_one(".only-dark img")["src"].endswith("-dark.svg")
    phones = [s["srcset"] for s in figure.select("source")]
    assert phones == [
        "figures/gru_memory-phone.svg",
        "figures/gru_memory-dark-phone.svg",
    ]
    caption = figure.select_one("figcaption")
    assert caption.get_text().startswith("So it is. ")
    assert caption.a["href"] == "figures/gru_memory.py.txt"
    assert not page.select("em")


def test_a_lab_stands_around_its_picture(convert):
    page = convert("![It](figures/gru_memory.svg){lab=cliff}\n\n*So.*\n")
    lab = page.select_one(".lab seq-lab[name=cliff]")
    assert lab.select_one("figure figcaption")
    script = page.select_one("script[src]")
    assert script["src"] == "assets/labs/cliff.js"
    assert "defer" in script.attrs


def test_a_citation_leads_to_the_references(convert):
    page = convert('[96 K80](#cite "cho, §6") and more.')
    link = page.select_one("a.cite")
    assert link["href"] == "references.md#cho"
    assert link["title"] == "Cho et al. 2014, §6"
    assert page.select_one("p").get_text() == "96 K80 and more."


def test_a_page_in_a_folder_leads_up(convert):
    text = '[it](#cite "cho, §6")\n\n![A](figures/gru_memory.svg)\n'
    page = convert(text + '\n[3](#= "3")', up="../")
    links = [a["href"] for a in page.select("a")]
    assert links == [
        "../references.md#cho",
        "../figures/gru_memory.py.txt",
        "../numbers.md",
    ]
    assert page.img["src"] == "../figures/gru_memory.svg"


@pytest.mark.parametrize(
    ("cited", "said"),
    [("nobody, §1", "is not in docs/bibliography.toml"), ("cho", "needs a")],
)
def test_a_citation_needs_a_source_and_a_place(convert, cited, said):
    with pytest.raises(ValueError, match=said):
        convert(f'[x](#cite "{cited}")')


def test_each_numbered_equation_can_be_linked(convert):
    page = convert(
        "\\begin{align}\na &= b \\tag{gru.1} \\\\\nc &= d \\tag{gru.2}\n"
        "\\end{align}\n\nSee [(gru.2)](#eq-gru-2).\n"
    )
    assert page.select_one("div.equation")["id"] == "eq-gru-1"
    assert page.select_one("#eq-gru-2")
    assert len(page.select(".katex-display")) == 1


def test_underscores_in_mathematics_are_no_emphasis(convert):
    page = convert("With $a_i b_i$ and $c_j d_j$.")
    assert not page.select("em")
    assert len(page.select(".formula .katex")) == 2


BOLD = {
    "**门控：**重置门": "门控：",
    "这是**粗体**文字": "粗体",
    "他说**“好”**了": "“好”",
}


@pytest.mark.parametrize(("text", "bold"), BOLD.items())
def test_chinese_bold_needs_no_spaces(convert, text, bold):
    page = convert(text, "zh")
    assert page.select_one("strong").get_text() == bold
    assert "*" not in page.get_text()


@pytest.mark.parametrize(
    ("text", "joined"),
    [
        ("更新门\n决定", "更新门决定"),
        ("门，\n它", "门，它"),
        ("**门**\n它", "门它"),
        ("门\nGRU", "门\nGRU"),
        ("GRU\n门", "GRU\n门"),
        ("门。\nGRU", "门。GRU"),
        ("门：\n“门”", "门：“门”"),
        ("**门。**\nGRU", "门。GRU"),
        ("一\n二\n三", "一二三"),
    ],
)
def test_a_line_break_between_chinese_is_no_space(convert, text, joined):
    assert convert(text, "zh").select_one("p").get_text() == joined


def test_code_keeps_its_line_breaks(convert):
    page = convert("```text\n门\n门\n```\n", "zh")
    assert page.select_one("pre").get_text() == "门\n门\n"


def test_a_session_is_coloured_as_one(convert):
    page = convert("```python\n>>> 1\n1\n```\n\n```python\nx = 1\n```\n")
    assert len(page.select(".language-pycon .gp")) == 1
    assert len(page.select(".language-python")) == 1


def test_a_page_says_what_was_run(convert):
    page = convert(f"# A {{#a}}\n\n{NUMBER}\n\n```python\nx = 1\n```\n")
    line = page.select_one("p.colophon.generated").get_text()
    assert "code blocks 1, numbers 1" in line
    assert "NumPy" in line


def test_a_page_without_code_says_nothing(convert):
    assert not convert("# A {#a}\n\nNo numbers.").select(".colophon")


def test_a_number_where_none_is_looked_for_is_refused(convert):
    # Between backticks that the two scanners might read differently.
    md = markdown.Markdown(extensions=["bookproof"])
    with pytest.raises(ValueError, match="no checked number is looked for"):
        md.preprocessors.deregister("check")
        md.convert(f"It is {NUMBER}.")


def test_a_listing_is_cut_by_its_name(convert):
    page = convert(
        '```{.py title="seqbook/gru.py"}\n'
        '--8<-- "seqbook/gru.py:gru_step"\n```\n'
    )
    code = page.select_one(".language-py code").get_text()
    assert code.startswith("def gru_step(p, x_t, h_prev")
    with pytest.raises(ValueError, match="page: gru.py defines no gru_stp"):
        convert(
            '```{.py title="seqbook/gru.py"}\n'
            '--8<-- "seqbook/gru.py:gru_stp"\n```\n'
        )


def test_a_formula_that_fails_is_named(convert):
    with pytest.raises(ValueError, match=r"page:3: .*in the formula \\oops"):
        convert("A\n\n$$\\oops$$\n")


def test_a_served_page_shows_what_is_wrong_with_it(convert):
    page = convert(f"# A {{#a}}\n\n{NUMBER} [3](#= '4')", serving=True)
    assert not page.select(".failure")
    page = convert('# A {#a}\n\n[3](#= "4")', serving=True)
    fault = page.select_one(".failure[role=alert]")
    assert fault.get_text() == "page:3: [3] is not 4: the expression gives 4"
    assert page.select_one("data").get_text() == "3"


def test_an_unknown_table_is_refused(convert):
    with pytest.raises(ValueError, match="is none of"):
        convert("[[nothing]]")


def test_expressions_are_escaped_in_the_page(convert):
    page = convert('[true](#= "1 < 2")')
    assert page.select_one("data")["title"] == html.unescape(
        "1 &lt; 2, checked"
    )


def test_reading_time_counts_both_languages():
    assert extension.reading_minutes("word " * 460) == 2
    assert extension.reading_minutes("门" * 800) == 2


def test_the_title_of_a_listing_leads_to_the_reference(convert):
    page = convert(
        '```{.py title="seqbook/gru.py"}\n'
        '--8<-- "seqbook/gru.py:gru_step"\n```\n\n'
        '```{.py title="seqbook/gru.py"}\n'
        '--8<-- "seqbook/gru.py:gru_backward"\n```\n',
        up="../",
    )
    links = [a["href"] for a in page.select(".filename a")]
    assert links == [
        "../api/gru.html#seqbook.gru.gru_step",
        "../api/gru.html#seqbook.gru.gru_backward",
    ]


SENTENCES = {
    "en": "A cell that holds a whole sentence is too wide for a phone.",
    "zh": "一格里写着一整句话，在手机上排不成三栏，只好上下排开。",
}


@pytest.mark.parametrize("language", SENTENCES)
def test_the_cells_of_a_table_of_sentences_know_their_titles(
    convert, language
):
    text = SENTENCES[language]
    rows = "| a | *b* | $c$ |\n| --- | --- | --- |\n"
    page = convert(rows + f"| {text} | {text} | {text} |", language)
    assert page.select_one(".table.prose")
    titles = [cell.get("data-title") for cell in page.select("td")]
    assert titles[:2] == ["a", "b"]
    page = convert(rows + "| A cell | B | C |", language)
    assert page.select_one(".table") and not page.select_one(".prose")
    assert not page.select("[data-title]")


def test_numbers_are_listed_under_the_page_that_they_stand_on(
    convert, tmp_path, monkeypatch
):
    (tmp_path / "en").mkdir()
    for name, number in (
        ("a", '[0.25](#= "1/4")'),
        ("b", ""),
        ("c", '[2](#= "2")'),
    ):
        text = f"# Page {name} {{#{name}}}\n\n{number}\n"
        (tmp_path / "en" / f"{name}.md").write_text(text, "utf-8")
    other = dataclasses.replace(
        here(), root=tmp_path, languages={"en": Language(pages="en")}
    )
    monkeypatch.setattr(tables, "here", lambda: other)
    page = convert("[[ledger]]")
    pages = [heading.a for heading in page.select("th[scope=rowgroup]")]
    assert [(a.text, a["href"]) for a in pages] == [
        ("Page a", "a.md"),
        ("Page c", "c.md"),
    ]
    numbers = page.select("td:first-child a")
    assert [(a.text, a["href"]) for a in numbers] == [
        ("0.25", "a.md#n-1"),
        ("2", "c.md#n-1"),
    ]
    rows = [row.get_text("|") for row in page.select("tr:has(td)")]
    assert rows == ["0.25|1/4|0.25", "2|2|2"]
