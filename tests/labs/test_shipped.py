"""What of the labs is shipped, and how they write numbers."""

import gzip

import pytest

from bookproof.site.assets import BUILT
from tests.labs.page import built, cases


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
    }
    calls = [
        ["format", name, value]
        for name, pairs in values.items()
        for value, _ in pairs
    ]
    want = [text for pairs in values.values() for _, text in pairs]
    assert replay(*calls) == want


@pytest.fixture(scope="module")
def shipped():
    built()
    return BUILT / "labs"


@pytest.mark.parametrize("name", cases())
def test_bundle_is_small_and_classic(shipped, name):
    text = (shipped / f"{name}.js").read_bytes()
    assert len(gzip.compress(text, 9)) <= 60_000
    assert not text.lstrip().startswith((b"import", b"export"))
    assert b"fetch(" not in text and b"http://www.w3.org/2000/svg" in text
