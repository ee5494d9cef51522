"""Draw every figure, in the light and in the dark scheme, and only if stale.

    python -m bookproof.run.figures [name ...]

A script is this file's neighbour with a `figure()`; one that the text or a
lab quotes has `results()` too. Into .cache/figures/ go name.svg,
name-dark.svg, both again with -phone (narrower, for small screens),
name.json (the results) and name.key (what they came from):
a script is drawn again when it, the style, or any module of the library
that it imports has changed.
"""

import base64
import importlib
import io
import itertools
import json
import math
import os
import re
import sys
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from inspect import signature
from pathlib import Path

from bookproof import sources
from bookproof.book import here
from bookproof.read.numbers import power

HERE = here().root / "figures_src"
CACHE = here().root / ".cache" / "figures"
DECIMALS = re.compile(rb"(?<![\d.(])(\d+\.\d\d)\d+")
TENTHS = re.compile(rb"(?<![\d.])(\d+\.\d)\d+")
METADATA = "Date", "Creator", "Format", "Type"  # none of them
NOT_FIGURES = {"__init__", "palette"}


def names():
    """Names of all figure scripts."""
    stems = (path.stem for path in HERE.glob("*.py"))
    return sorted(set(stems) - NOT_FIGURES)


def key(name):
    """Digest of all that a figure depends on."""
    import matplotlib
    import numpy

    files = sources.files_behind(HERE / f"{name}.py")
    style = [HERE / "book.mplstyle", Path(__file__), HERE / "palette.py"]
    style.append(HERE.parent / "docs" / "assets" / "palette.json")
    style += HERE.glob(f"{name}.json")  # a study's results
    versions = matplotlib.__version__, numpy.__version__
    return sources.digest({*files, *style}, *versions)


def is_stale(name, cache=CACHE):
    stamp = cache / f"{name}.key"
    return not stamp.exists() or stamp.read_text("utf-8") != key(name)


def draw(name, cache=CACHE):
    """Render one script in both schemes -> seconds it took."""
    import matplotlib

    matplotlib.use("svg")
    started = time.perf_counter()
    module = importlib.import_module(f"figures_src.{name}")
    cache.mkdir(parents=True, exist_ok=True)
    stamp = key(name)
    if hasattr(module, "results"):
        text = json.dumps(module.results(), allow_nan=False)
        (cache / f"{name}.json").write_text(text, encoding="utf-8")
    for copy, image in copies(module.figure).items():
        (cache / f"{name}{copy}.svg").write_bytes(image)
    (cache / f"{name}.key").write_text(stamp, encoding="utf-8")
    return time.perf_counter() - started


def copies(draw):
    """draw() in every scheme and width -> {name suffix: SVG}."""
    import matplotlib.pyplot as plt

    from figures_src import palette

    found = {}
    for scheme, narrow in itertools.product(("light", "dark"), (False, True)):
        palette.scheme, palette.narrow = scheme, narrow
        image = io.BytesIO()
        with plt.style.context([HERE / "book.mplstyle", inks(palette)]):
            look = palette.Look(scheme, narrow)
            drawn = draw(look) if signature(draw).parameters else draw()
            drawn.savefig(
                image,
                format="svg",
                metadata=dict.fromkeys(METADATA),
            )
            plt.close("all")
        found[suffix(scheme, narrow)] = lighter(image.getvalue())
    palette.scheme, palette.narrow = "light", False
    return found


def lighter(svg):
    """An SVG without the digits and spaces that no screen can show."""
    svg = DECIMALS.sub(rb"\1", svg)  # a hundredth of a point
    return re.sub(rb' d="[^"]*"', lighter_path, svg)


def lighter_path(match):
    """A curve in tenths of a point, on one line."""
    path = TENTHS.sub(rb"\1", match.group())
    return re.sub(rb" ?\n|(?<=[A-Z]) ", b"", path)


class Shown:
    """A figure drawn inside an experiment, as the page or Jupyter shows it."""

    def __init__(self, draw, alt):
        self.images, self.alt = copies(draw), alt

    def _repr_html_(self):
        pictures = []
        for scheme, wide in ("light", ""), ("dark", "-dark"):
            phone, large = (
                "data:image/svg+xml;base64," + base64.b64encode(svg).decode()
                for svg in (self.images[wide + "-phone"], self.images[wide])
            )
            pictures.append(
                f'<picture class="only-{scheme}">'
                f'<source media="(max-width: 37.5em)" srcset="{phone}" '
                f"{extent(self.images[wide + '-phone'])}>"
                f'<img src="{large}" alt="{self.alt}" loading="lazy" '
                f"{extent(self.images[wide])}></picture>"
            )
        return f"<figure>{''.join(pictures)}</figure>"


def extent(svg):
    """width and height attributes, in CSS pixels, of an SVG."""
    size = re.search(rb'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg[:2000])
    width, height = (round(float(points) * 4 / 3) for points in size.groups())
    return f'width="{width}" height="{height}"'


def suffix(scheme, narrow):
    """What a copy adds to the name: "", "-phone", "-dark", "-dark-phone"."""
    return "-dark" * (scheme == "dark") + "-phone" * narrow


def inks(palette):
    """Settings that give text and axes the colours of the scheme."""
    ink, muted = palette.colour("ink"), palette.colour("muted")
    text = ["text.color", "axes.labelcolor", "xtick.labelcolor"]
    text.append("ytick.labelcolor")
    lines = ["axes.edgecolor", "xtick.color", "ytick.color", "grid.color"]
    settings = dict.fromkeys(text, ink) | dict.fromkeys(lines, muted)
    return settings | {"figure.figsize": palette.size()}


def results(name):
    """What a script's results() gave, drawn again first if it is stale."""
    if is_stale(name):
        draw(name)
    return json.loads((CACHE / f"{name}.json").read_text(encoding="utf-8"))


def spread(values, digits=2):
    """Measured values -> "3.0×10⁻¹⁶ – 4.8×10⁻¹⁶", or one if all agree."""
    low, high = (shown(v, digits) for v in (min(values), max(values)))
    return low if low == high else f"{low} – {high}"


def shown(value, digits):
    """120, 0.0031 and 3.1×10⁻⁵ rather than 1.2e+02 and 3.1e-05."""
    if value == 0 or 1e-3 <= abs(value) < 1e4:
        exponent = math.floor(math.log10(abs(value))) if value else 0
        text = f"{value:.{max(digits - 1 - exponent, 0)}f}"
        return text.rstrip("0").rstrip(".") if "." in text else text
    mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
    return f"{mantissa}×{power(exponent)}"


def build(wanted=None, say=print):
    """Draw what is stale, in parallel. Raises when a script fails."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    if unknown := sorted(set(wanted or ()) - set(names())):
        raise RuntimeError(f"no script for the figure {', '.join(unknown)}")
    stale = [name for name in wanted or names() if is_stale(name)]
    if not stale:
        return []
    with ProcessPoolExecutor(min(len(stale), os.cpu_count() or 1)) as pool:
        jobs = {pool.submit(draw, name): name for name in stale}
        for done, job in enumerate(as_completed(jobs), 1):
            name = jobs[job]
            try:
                seconds = job.result()
            except Exception as error:
                pool.shutdown(cancel_futures=True)
                raise RuntimeError(
                    f"figures_src/{name}.py: {type(error).__name__}: {error}"
                ) from error
            say(f"figure {done} of {len(stale)}: {name} ({seconds:.1f} s)")
    return stale


if __name__ == "__main__":
    try:
        build(sys.argv[1:])
    except RuntimeError as error:
        sys.exit(str(error))
