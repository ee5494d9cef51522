"""Figures: the same on every run, readable in both schemes, up to date."""

import ast
import json
import re
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest
from filelock import FileLock

from bookproof import sources
from bookproof.book import here
from bookproof.lint.text import figures
from bookproof.read import pages
from bookproof.run import figures as build
from bookproof.run.look import palette
from bookproof.site import assets

ROOT = here().root
NAMES = build.names()
COPIES = "", "-dark", "-phone", "-dark-phone"
every_figure = pytest.mark.parametrize("name", NAMES)


@pytest.fixture
def drawn(name):
    """The folder of figures, the one under test brought up to date."""
    with FileLock(ROOT / ".cache" / "figures.lock"):  # one worker draws it
        build.build([name], say=lambda line: None)
    return build.cache()


@pytest.fixture(scope="module")
def artist():
    """A process of its own to draw in, kept from figure to figure."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        yield pool


def draw_anew(name, folder):
    """Draw with modules that have computed nothing for another figure."""
    for module in list(sys.modules):
        if module.split(".")[0] in ("figures_src", "seqbook"):
            del sys.modules[module]
    build.draw(name, folder)


@every_figure
def test_a_figure_is_drawn_the_same_twice(drawn, artist, name, tmp_path):
    artist.submit(draw_anew, name, tmp_path).result()
    made = sorted(path.name for path in tmp_path.iterdir())
    assert made == sorted(path.name for path in files_of(name))
    for file in made:
        first, second = (folder / file for folder in (drawn, tmp_path))
        assert first.read_bytes() == second.read_bytes(), file


def files_of(name):
    """What the build keeps of one figure."""
    found = [build.cache() / f"{name}{suffix}.svg" for suffix in COPIES]
    found += [build.cache() / f"{name}.json"] * has_results(name)
    return found


def has_results(name):
    script = build.script(name).read_text("utf-8")
    return bool(re.search(r"^def results\(", script, re.MULTILINE))


@every_figure
def test_a_figure_has_its_copies_and_is_not_older_than_its_sources(
    drawn, name
):
    assert not build.is_stale(name)
    for suffix in COPIES:
        assert (drawn / f"{name}{suffix}.svg").stat().st_size


def test_every_script_that_was_drawn_is_found():
    known = {f"{n}{suffix}" for n in NAMES for suffix in COPIES}
    strays = {path.stem for path in build.cache().glob("*.svg")} - known
    assert not [s for s in strays if list(here().scripts.rglob(f"{s}.py"))]


IN_CHAPTERS = [
    name
    for name, path in build.scripts().items()
    if path.parent not in (here().scripts, here().scripts / "site")
]


@pytest.mark.parametrize("name", IN_CHAPTERS)
def test_a_script_stands_in_the_folder_of_the_page_it_names(name):
    """And that page shows what it draws."""
    path = build.script(name)
    said = ast.get_docstring(ast.parse(path.read_text("utf-8")))
    page = re.search(r"docs/en/(\w+)\.md", said)[1]
    assert path.parent.name == page
    text = pages.read(ROOT / "docs" / "en" / f"{page}.md")
    assert name in [shown for shown, _ in figures(text)]


@pytest.mark.parametrize(
    ("name", "record"),
    [("flip_distance", "task_cards"), ("state_trajectories", "unroll")],
)
def test_a_figure_hangs_on_the_record_of_another_study(name, record):
    found = sources.files_behind(build.script(name))
    assert f"{record}.json" in [path.name for path in found]


@every_figure
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
    ground = palette()["paper"][scheme]
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
    for name, entry in palette().items():
        if name in ("paper", "muted"):
            continue
        for scheme in "light", "dark":
            ground = palette()["paper"][scheme]
            assert contrast(entry[scheme], ground) > 5, (name, scheme)


@every_figure
def test_results_are_plain_and_finite(drawn, name):
    """What text and lab read: JSON, without NaN or infinity."""
    if has_results(name):
        kept = (drawn / f"{name}.json").read_text("utf-8")
        json.loads(kept, parse_constant=refuse)


def refuse(word):
    raise ValueError(f"{word} in the results")


def test_figures_reach_the_site_with_their_scripts():
    with FileLock(ROOT / ".cache" / "figures.lock"):
        build.build(say=lambda line: None)
    shared = {uri for uri, _ in assets.shared()}
    for name in NAMES:
        if name != "logo":
            assert f"figures/{name}-dark-phone.svg" in shared
            assert f"figures/{name}.py.txt" in shared


def test_an_unknown_figure_gets_a_sentence():
    with pytest.raises(ValueError, match="^no script for the figure nope$"):
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
