import re
from datetime import date, timedelta

import numpy as np
import pytest
from babel.dates import format_date, get_month_names
from hypothesis import given, settings
from hypothesis import strategies as st

from seqbook.dates import (
    FORMS,
    MONTHS,
    date_alignment,
    date_pairs,
    write_date,
)

EVERY_FORM = [
    (language, form) for language in FORMS for form in FORMS[language]
]
DAY = date(2021, 3, 4)


def seed(number=0):
    return np.random.default_rng(number)


def names_of_months():
    """{name: month} in every language, from CLDR as babel ships it."""
    found = {}
    for language in MONTHS:
        cldr = get_month_names("wide", "format", language)
        found |= {cldr[month]: month for month in range(1, 13)}
    english = get_month_names("abbreviated", "format", "en")
    return found | {english[month]: month for month in range(1, 13)}


NAMES = names_of_months()


def read_date(text):
    """Text in any of the languages -> date, by rules of its own.

    The four digits are the year. If it comes first, the month is next, else
    the day comes before the month, unless the month has a name.
    """
    numbers = [int(n) for n in re.findall(r"\d+", text)]
    year = next(n for n in numbers if n >= 1000)
    rest = [n for n in numbers if n < 1000]
    words = [w for w in re.findall(r"[^\W\d]+", text) if w in NAMES]
    if words:
        (word,), (day,) = words, rest
        return date(year, NAMES[word], day)
    month, day = rest if numbers[0] == year else rest[::-1]
    return date(year, month, day)


def test_every_pair_reads_back_as_its_target():
    sources, targets, _ = date_pairs(seed(), 3000)
    for source, target in zip(sources, targets, strict=True):
        assert read_date(source).isoformat() == target, source


@settings(deadline=None, derandomize=True, max_examples=60)
@given(st.dates(date(1900, 1, 1), date(2099, 12, 31)))
def test_every_form_reads_back_and_its_spans_hold_the_parts(day):
    for language, form in EVERY_FORM:
        text, spans = write_date(day, language, form)
        assert read_date(text) == day, text
        year, month, number = (text[a:b] for a, b in spans)
        assert year == str(day.year)
        assert int(NAMES.get(month, month)) == day.month
        assert int(re.match(r"\d+", number)[0]) == day.day


def test_no_text_stands_for_two_days():
    said = {}
    day = date(2021, 1, 1)
    while day.year == 2021:
        for language, form in EVERY_FORM:
            text, _ = write_date(day, language, form)
            assert said.setdefault(text, day) == day, text
        day += timedelta(days=1)


def test_month_names_are_those_of_cldr():
    for language, names in MONTHS.items():
        cldr = get_month_names("wide", "format", language)
        assert names.split() == [cldr[month] for month in range(1, 13)]


def test_each_language_has_the_form_that_cldr_calls_long():
    for language, forms in FORMS.items():
        long = format_date(DAY, "long", language).replace("\u202f", " ")
        if language == "fr":  # where a sentence would say "le"
            long = long.removeprefix("le ")
        assert long in [write_date(DAY, language, f)[0] for f in forms]


def test_dates_look_as_they_are_written():
    written = [write_date(DAY, x, FORMS[x][0])[0] for x in FORMS]
    assert written == [
        "March 4, 2021",
        "le 4 mars 2021",
        "4. März 2021",
        "4 de marzo de 2021",
        "4 marzo 2021",
        "4 марта 2021 г.",
        "4 marca 2021",
        "4 Μαρτίου 2021",
        "4. maaliskuuta 2021",
        "2021. március 4.",
        "2021年3月4日",
        "2021년 3월 4일",
    ]


def test_only_french_and_italian_have_a_word_for_the_first():
    first, second = date(2021, 3, 1), date(2021, 3, 2)
    texts = [
        write_date(day, language, FORMS[language][0])[0]
        for language in ("fr", "it", "de")
        for day in (first, second)
    ]
    assert texts == [
        "le 1er mars 2021",
        "le 2 mars 2021",
        "1º marzo 2021",
        "2 marzo 2021",
        "1. März 2021",
        "2. März 2021",
    ]


def test_the_order_of_the_parts_differs_between_languages():
    orders = {}
    for language, form in EVERY_FORM:
        _, spans = write_date(DAY, language, form)
        order = "".join(np.array([*"ymd"])[np.argsort(spans[:, 0])])
        orders.setdefault(order, set()).add(language)
    assert set(orders) == {"ymd", "dmy", "mdy"}
    assert orders["ymd"] == {"hu", "zh", "ko"} and orders["mdy"] == {"en"}


def test_pairs_come_in_every_form_and_many_lengths():
    sources, targets, spans = date_pairs(seed(1), 4000)
    assert len(sources) == len(targets) == len(spans) == 4000
    assert {len(target) for target in targets} == {10}
    assert {len(source) for source in sources} >= set(range(8, 24))
    assert (spans[..., 0] < spans[..., 1]).all()
    years = [int(target[:4]) for target in targets]
    assert min(years) < 1905 and max(years) > 2094
    for names in MONTHS.values():  # 4000 / 12 languages: none is left out
        assert any(w in s for s in sources for w in names.split())


def test_spans_of_a_batch_are_those_of_its_texts():
    sources, targets, spans = date_pairs(seed(2), 200)
    for source, target, where in zip(sources, targets, spans, strict=True):
        year, _, number = (source[a:b] for a, b in where)
        assert year == target[:4]
        assert int(re.match(r"\d+", number)[0]) == int(target[8:])


def test_alignment_leads_every_character_to_its_part():
    text, spans = write_date(DAY, "es", "{d} de {name} de {y}")
    rows = date_alignment(spans, len(text))
    assert rows.shape == (10, len(text)) and rows.dtype == bool
    read = ["".join(np.array([*text])[row]) for row in rows]
    assert read == ["2021"] * 4 + ["", "marzo", "marzo", "", "4", "4"]


def test_alignment_of_a_language_with_the_day_first_runs_backwards():
    middles = {}
    for language in "fr", "zh", "en":
        text, spans = write_date(DAY, language, FORMS[language][0])
        rows = date_alignment(spans, len(text))[[0, 5, 8]]
        middles[language] = [np.mean(np.flatnonzero(row)) for row in rows]
    assert middles["zh"] == sorted(middles["zh"])
    assert middles["fr"] == sorted(middles["fr"])[::-1]
    month, day, year = sorted(middles["en"])
    assert middles["en"] == [year, month, day]


def test_errors_name_the_argument_what_it_must_be_and_what_it_is():
    bad = [
        (lambda: write_date(DAY, "xx", "{y}"), "form .* of 'xx', got '{y}'"),
        (lambda: write_date(DAY, "zh", "{name}"), "form .* got '{name}'"),
        (lambda: date_pairs(seed(), 0), "B must be .* at least 1, got 0"),
    ]
    for call, message in bad:
        with pytest.raises(ValueError, match=message):
            call()


CALLS = {
    write_date: lambda: {"day": DAY, "language": "de", "form": FORMS["de"][0]},
    date_pairs: lambda: {"rng": seed(), "B": 5},
    date_alignment: lambda: {
        "spans": np.array([[8, 12], [2, 7], [0, 1]]),
        "S": 13,
    },
}
OTHER = {
    (write_date, "day"): lambda: date(2020, 3, 4),
    (write_date, "language"): lambda: "fi",
    (write_date, "form"): lambda: FORMS["de"][1],
    (date_alignment, "spans"): lambda: np.array([[8, 12], [2, 7], [0, 2]]),
}
