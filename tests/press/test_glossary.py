"""Terms: marked once a page, in prose, and never where they are explained."""

import markdown
import pytest
from bs4 import BeautifulSoup

from bookproof.book import here
from bookproof.show import glossary
from bookproof.show.extension import Terms

TERMS = {
    "hidden-state": {
        "place": "rnn.md#state",
        "en": "hidden state",
        "zh": "隐藏状态",
        "zh_also": ["隐状态"],
        "en_says": "What a network remembers.",
        "zh_says": "网络记住的东西。",
    },
    "state": {
        "place": "rnn.md#state",
        "en": "state",
        "zh": "状态",
        "en_says": "A short one.",
        "zh_says": "短的一个。",
    },
    "pass": {
        "place": "bptt.md#pass",
        "en": "pass",
        "zh": "一遍",
        "en_says": "Once through.",
        "zh_says": "走一趟。",
    },
}


@pytest.fixture
def marked(monkeypatch):
    """Markdown -> (word, address) of each marked term."""
    monkeypatch.setattr(glossary, "terms", lambda: TERMS)
    return lambda *a, **k: [
        (a.get_text(), a["href"]) for a in page(*a, **k).select("a.term")
    ]


def page(text, language="en", name="gru.md", up=""):
    class Settings:
        pass

    Settings.language, Settings.name, Settings.up = language, name, up
    md = markdown.Markdown(extensions=["tables"])
    md.treeprocessors.register(Terms(md, Settings), "terms", 7.6)
    return BeautifulSoup(md.convert(text), "lxml")


def test_the_first_use_is_marked_and_the_longest_form_wins(marked):
    text = "A hidden state, a Hidden  State and a state.\n\nThe state."
    want = [("hidden state", "rnn.md#state"), ("state", "rnn.md#state")]
    assert marked(text) == want


def test_a_plural_is_its_singular_and_part_of_a_word_is_nothing(marked):
    assert marked("Passes, compass, pass-through")[0][0] == "Passes"
    assert marked("compass, pass-through, understated") == []


def test_code_links_and_headings_are_left_alone(marked):
    text = "# A state\n\n`state` [state](x.md) **the** *state* goes on"
    assert marked(text) == [("state", "rnn.md#state")]
    assert page(text).select_one("em a.term")


def test_a_page_does_not_mark_what_it_explains(marked):
    assert marked("a hidden state, a pass", name="rnn.md") == [
        ("pass", "bptt.md#pass")
    ]


def test_chinese_words_need_no_border(marked):
    found = marked("它的隐状态不是状态。", "zh", up="../")
    assert found == [
        ("隐状态", "../rnn.md#state"),
        ("状态", "../rnn.md#state"),
    ]


def test_the_words_around_a_term_stay_as_they_were(marked):
    text = "One state, *a pass*, then a hidden state here."
    assert marked(text)
    assert page(text).get_text().strip() == text.replace("*", "")


def test_a_term_that_lacks_a_field_is_named(another):
    another({"docs/glossary.toml": '[x]\nplace = "a.md"\nodd = ""'})
    with pytest.raises(ValueError, match=r"x lacks \['en', .* has \['odd'\]"):
        glossary.terms()


def test_every_term_of_the_book_has_a_place_and_no_digit():
    for name, entry in glossary.terms().items():
        page_name, _, anchor = entry["place"].partition("#")
        for language in "en", "zh":
            text = (here().pages(language) / page_name).read_text("utf-8")
            assert f"{{#{anchor}}}" in text, name
            says = entry[f"{language}_says"]
            assert not any(c.isdigit() for c in says), name
            assert says.endswith("。" if language == "zh" else "."), name


def test_no_form_means_two_things():
    for language in "en", "zh":
        found = [
            form.lower()
            for entry in glossary.terms().values()
            for form in [entry[language], *entry.get(f"{language}_also", [])]
        ]
        assert len(found) == len(set(found))
