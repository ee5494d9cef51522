"""Dates in twelve languages, with the place of year, month and day in each.

Chapter: docs/en/attention.md. Source: Unicode CLDR, for month names (in the
case that dates take, the genitive in Russian) and most forms. What has two
readings, such as 3/4/2021 in English, is left out.
"""

from datetime import date
from string import Formatter

import numpy as np

from seqbook.checks import check_positive

START, STOP = date(1900, 1, 1).toordinal(), date(2100, 1, 1).toordinal()
ORDINAL = {"fr": "1er", "it": "1º"}  # the first of a month, and only it
FORMS = {  # y year, m month, name its name, d day, nth day with ORDINAL
    "en": ["{name} {d}, {y}", "{d} {name} {y}", "{name:.3} {d}, {y}"],
    "fr": ["le {nth} {name} {y}", "{nth} {name} {y}", "{d:02}/{m:02}/{y}"],
    "de": ["{d}. {name} {y}", "den {d}. {name} {y}", "{d:02}.{m:02}.{y}"],
    "es": ["{d} de {name} de {y}", "el {d} de {name} de {y}", "{d}/{m}/{y}"],
    "it": ["{nth} {name} {y}", "{d:02}/{m:02}/{y}"],
    "ru": ["{d} {name} {y} г.", "{d} {name} {y} года", "{d:02}.{m:02}.{y}"],
    "pl": ["{d} {name} {y}", "{d} {name} {y} r.", "{d}.{m:02}.{y}"],
    "el": ["{d} {name} {y}", "{d}/{m}/{y}"],
    "fi": ["{d}. {name} {y}", "{d}.{m}.{y}"],
    "hu": ["{y}. {name} {d}.", "{y}. {m:02}. {d:02}."],
    "zh": ["{y}年{m}月{d}日", "{y}/{m}/{d}"],
    "ko": ["{y}년 {m}월 {d}일", "{y}. {m}. {d}."],
}
MONTHS = {
    "en": "January February March April May June July August September "
    "October November December",
    "fr": "janvier février mars avril mai juin juillet août septembre "
    "octobre novembre décembre",
    "de": "Januar Februar März April Mai Juni Juli August September "
    "Oktober November Dezember",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre "
    "octubre noviembre diciembre",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto "
    "settembre ottobre novembre dicembre",
    "ru": "января февраля марта апреля мая июня июля августа сентября "
    "октября ноября декабря",
    "pl": "stycznia lutego marca kwietnia maja czerwca lipca sierpnia "
    "września października listopada grudnia",
    "el": "Ιανουαρίου Φεβρουαρίου Μαρτίου Απριλίου Μαΐου Ιουνίου Ιουλίου "
    "Αυγούστου Σεπτεμβρίου Οκτωβρίου Νοεμβρίου Δεκεμβρίου",
    "fi": "tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesäkuuta "
    "heinäkuuta elokuuta syyskuuta lokakuuta marraskuuta joulukuuta",
    "hu": "január február március április május június július augusztus "
    "szeptember október november december",
}


def write_date(day: date, language: str, form: str):
    """A date, a key of FORMS, one of its forms -> text, spans (3, 2) int.

    Year, month and day, in this order, are text[start:stop] for start, stop
    in spans. ValueError if FORMS has no such form for the language.
    """
    if form not in FORMS.get(language, []):
        raise ValueError(f"form must be one of {language!r}, got {form!r}")
    nth = ORDINAL.get(language, 1) if day.day == 1 else day.day
    values = {"y": day.year, "m": day.month, "d": day.day, "nth": nth}
    if language in MONTHS:
        values["name"] = MONTHS[language].split()[day.month - 1]
    text, spans = "", np.zeros((3, 2), int)
    for literal, field, spec, _ in Formatter().parse(form):
        text += literal
        if field is not None:
            piece = format(values[field], spec)
            row = {"y": 0, "m": 1, "name": 1}.get(field, 2)
            spans[row] = len(text), len(text) + len(piece)
            text += piece
    return text, spans


def date_pairs(rng: np.random.Generator, B: int):
    """-> sources, targets (lists of B texts), spans (B, 3, 2) int.

    Any day of the years 1900 to 2099, any language, any of its forms, each
    as likely as the next; the target is written YYYY-MM-DD.
    """
    check_positive(B=B)
    drawn = []
    for _ in range(B):
        day = date.fromordinal(int(rng.integers(START, STOP)))
        language = str(rng.choice(list(FORMS)))
        form = str(rng.choice(FORMS[language]))
        text, spans = write_date(day, language, form)
        drawn.append((text, day.isoformat(), spans))
    sources, targets, spans = zip(*drawn, strict=True)
    return list(sources), list(targets), np.stack(spans)


def date_alignment(spans, S: int):
    """spans (3, 2) int, source length S -> (10, S) bool, the true alignment.

    Row t belongs to character t of the target and is True where the source
    says the same part of the date; the rows of the two dashes are empty.
    """
    parts = np.array([0, 0, 0, 0, 3, 1, 1, 3, 2, 2])  # YYYY-MM-DD
    s, ends = np.arange(S), np.vstack([spans, [0, 0]])[parts]  # (10, 2)
    return (ends[:, :1] <= s) & (s < ends[:, 1:])
