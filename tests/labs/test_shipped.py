"""What of the labs is shipped, and how they write numbers."""

import gzip
import json
import re

import pytest

from bookproof.site import assets
from tests.labs.page import body, built, cases


def test_every_lab_is_tested():
    assert sorted(cases()) == assets.labs()


def test_numbers_as_the_book_writes_them(replay):
    values = {
        "scientific": [
            (0, "0"),
            (1, "1"),
            (0.9**100, "2.7×10⁻⁵"),
            (1.1**100, "1.4×10⁴"),
            (-0.0046, "−4.6×10⁻³"),
            (0.86, "0.86"),
            (0.01, "0.01"),
            (1e-205, "1.0×10⁻²⁰⁵"),
            (999.9, "1.0×10³"),
            (123.4, "120"),
        ],
        "percent": [(0.0046, "0.46 %"), (1, "100 %"), (1e-12, "1.0×10⁻¹⁰ %")],
        "grouped": [(98560, "98,560"), (7, "7"), (8392704, "8,392,704")],
        "two": [(0.5, "0.50"), (-0.004, "0.00"), (-1.239, "−1.24")],
    }
    calls = [
        ["format", name, value]
        for name, pairs in values.items()
        for value, _ in pairs
    ]
    want = [text for pairs in values.values() for _, text in pairs]
    assert replay(*calls) == want


def test_things_are_counted_in_english(replay):
    calls = [["format", "counted", n, "step"] for n in (0, 1, 3)]
    assert replay(*calls) == ["0 steps", "1 step", "3 steps"]


def test_curves_are_dashed_as_in_figures(replay):
    palette = json.loads(
        (assets.own() / "palette.json").read_text(encoding="utf-8")
    )
    lines = {name: each["line"] for name, each in palette.items()}
    del lines["muted"]  # an aside, dashed where it is a curve
    found = replay(*(["axes", "dash", name] for name in lines))
    dashes = dict(zip(lines.values(), found, strict=True))
    assert dashes.pop("-") is None
    assert len({*dashes.values()} - {None}) == len(dashes) > 3
    assert found == [dashes.get(line) for line in lines.values()]


def test_the_phone_begins_where_the_page_changes_pictures():
    sheets = [
        assets.own() / "labs.css",
        *assets.own().glob("labs/*/style.css"),
    ]
    text = "".join(path.read_text(encoding="utf-8") for path in sheets)
    widths = {*re.findall(r"@media [^{]*width[^{]*(?= \{)", text)}
    tablet, phone = sorted(widths, reverse=True)
    assert tablet == "@media (max-width: 48em)"
    assert f'media="{phone.removeprefix("@media ")}"' in body("unroll", "en")


@pytest.fixture(scope="module")
def shipped():
    built()
    return assets.built() / "labs"


@pytest.mark.parametrize("name", cases())
def test_bundle_is_small_and_classic(shipped, name):
    text = (shipped / f"{name}.js").read_bytes()
    assert len(gzip.compress(text, 9)) <= 60_000
    assert not text.lstrip().startswith((b"import", b"export"))
    assert b"fetch(" not in text and b"http://www.w3.org/2000/svg" in text
