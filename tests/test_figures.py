"""Figures: the same on every run, readable in both schemes, up to date."""

import json
import re
import subprocess
import sys

import pytest

from bookproof.book import here
from bookproof.run import figures as build
from bookproof.site import assets
from bookproof.site import build as builder
from figures_src import palette

ROOT = here().root

NAMES = build.names()
COPIES = "", "-dark", "-phone", "-dark-phone"
DRAW = (
    "import sys; from pathlib import Path; "
    "from bookproof.run import figures as build; "
    "[build.draw(n, Path(sys.argv[1])) for n in sys.argv[2:]]"
)


@pytest.fixture(scope="module")
def drawn():
    """The folder of figures, brought up to date."""
    build.build(say=lambda line: None)
    return build.CACHE


@pytest.fixture(scope="module")
def again(tmp_path_factory):
    """The same figures, drawn once more in a process of their own."""
    folder = tmp_path_factory.mktemp("figures")
    done = subprocess.run(
        [sys.executable, "-c", DRAW, str(folder), *NAMES],
        cwd=ROOT,
        env=builder.environment(),
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.parametrize("name", NAMES)
def test_a_figure_is_drawn_the_same_twice(drawn, again, name):
    made = sorted(path.name for path in again.glob(f"{name}*.*"))
    assert f"{name}.svg" in made
    for file in made:
        first, second = (folder / file for folder in (drawn, again))
        assert first.read_bytes() == second.read_bytes(), file


@pytest.mark.parametrize("name", NAMES)
def test_a_figure_has_its_copies_and_is_not_older_than_its_sources(
    drawn, name
):
    assert not build.is_stale(name)
    for suffix in COPIES:
        assert (drawn / f"{name}{suffix}.svg").stat().st_size
    known = {f"{n}{suffix}" for n in NAMES for suffix in COPIES}
    strays = {path.stem for path in drawn.glob("*.svg")} - known
    assert not [
        s for s in strays if (ROOT / "figures_src" / f"{s}.py").exists()
    ]


@pytest.mark.parametrize("name", NAMES)
def test_phone_copies_are_narrow(drawn, name):
    if name == "logo":
        return
    wide, phone = (
        width((drawn / f"{name}{suffix}.svg").read_text("utf-8"))
        for suffix in ("", "-phone")
    )
    assert phone <= 4.2 * 72 < wide


def width(svg):
    return float(re.search(r'viewBox="0 0 ([\d.]+)', svg)[1])


def luminance(colour):
    """Relative luminance of #rrggbb, as WCAG defines it."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
        for c in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    """Contrast ratio of two colours, 1 to 21."""
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


TEXT = re.compile(r'<g id="text_\d+">(.*?)</g>\s*</g>', re.DOTALL)
FILL = re.compile(r"fill: (#[0-9a-f]{6})")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", [n for n in NAMES if n != "logo"])
def test_text_in_a_figure_stands_out_from_the_page(drawn, name, scheme):
    """Above 4.5 : 1 on the page's ground, or on an opaque box of its own."""
    ground = palette.PALETTE["paper"][scheme]
    suffix = "-dark" if scheme == "dark" else ""
    for phone in "", "-phone":
        svg = (drawn / f"{name}{suffix}{phone}.svg").read_text("utf-8")
        texts = TEXT.findall(svg)
        assert texts
        for text in texts:
            fills = FILL.findall(text)
            ink = fills[-1] if fills else "#000000"
            own = fills[0] if len(fills) > 1 and "<path d" in text else ground
            best = max(contrast(ink, ground), contrast(ink, own))
            assert best > 4.5, (ink, ground)


def test_every_colour_of_the_palette_stands_out():
    for name, entry in palette.PALETTE.items():
        if name in ("paper", "muted"):
            continue
        for scheme in "light", "dark":
            ground = palette.PALETTE["paper"][scheme]
            assert contrast(entry[scheme], ground) > 5, (name, scheme)


@pytest.mark.parametrize("name", NAMES)
def test_results_are_plain_and_finite(drawn, name):
    """What text and lab read: JSON, without NaN or infinity."""
    script = (ROOT / "figures_src" / f"{name}.py").read_text("utf-8")
    kept = drawn / f"{name}.json"
    has_results = bool(re.search(r"^def results\(", script, re.MULTILINE))
    assert kept.exists() or not has_results
    if has_results:
        json.loads(kept.read_text("utf-8"), parse_constant=refuse)


def refuse(word):
    raise ValueError(f"{word} in the results")


def test_figures_reach_the_site_with_their_scripts(drawn):
    shared = {uri for uri, _ in assets.shared()}
    for name in NAMES:
        if name != "logo":
            assert f"figures/{name}-dark-phone.svg" in shared
            assert f"figures/{name}.py.txt" in shared


def test_an_unknown_figure_gets_a_sentence():
    with pytest.raises(RuntimeError, match="^no script for the figure nope$"):
        build.build(["clipping", "nope"])


def test_a_figure_is_lighter_by_digits_that_no_screen_shows():
    svg = (
        b'<g transform="scale(0.015625)" style="opacity: 0.456">'
        b'<path d="M 1.26 -0.349 \nL 2.5 3 \nz" x="1.239"/></g>'
    )
    assert build.lighter(svg) == (
        b'<g transform="scale(0.015625)" style="opacity: 0.45">'
        b'<path d="M1.2 -0.3L2.5 3z" x="1.23"/></g>'
    )


@pytest.mark.parametrize(
    ("values", "digits", "text"),
    [
        ([120.4, 4.0], 2, "4 – 120"),
        ([0.00312], 2, "0.0031"),
        ([3.14e-5, 2e-16], 2, "2.0×10⁻¹⁶ – 3.1×10⁻⁵"),
        ([593, 706], 4, "593 – 706"),
        ([13780.6], 3, "1.38×10⁴"),
        ([0.0, 1.0], 3, "0 – 1"),
        ([-0.5, 0.25], 1, "-0.5 – 0.2"),
        ([7, 7], 2, "7"),
    ],
)
def test_a_range_reads_like_the_other_numbers(values, digits, text):
    assert build.spread(values, digits) == text
