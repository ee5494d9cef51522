"""Draw every figure, in the light and in the dark scheme, and only if stale.

    python -m bookproof.run.figures [name ...]

A script is figures_src/<chapter>/<name>.py. Its `figure(look)` returns a
Matplotlib figure with the colours and the size of that look; one that the
text or a lab quotes has `results()` too, without arguments, which is called
once. Into .cache/figures/ go name.svg, name-dark.svg, both again with -phone
(narrower, for small screens), and name.json (the results): a script is drawn
again when it, the style, a module that it imports or a record that it reads
has changed.

figures_src/lib/ holds what several drawings share, figures_src/studies/ no
figures. The style sheet figures_src/book.mplstyle and the palette (look.py)
may be missing.
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
import traceback
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

from bookproof import kept, sources
from bookproof.book import here
from bookproof.read.numbers import power
from bookproof.run import execution
from bookproof.run import look as looks
from bookproof.run.look import Look

LOOKS = [
    Look(scheme, narrow)
    for scheme, narrow in itertools.product(("light", "dark"), (False, True))
]
SALT = {"svg.hashsalt": "bookproof"}  # or each run would name clips anew
DECIMALS = re.compile(rb"(?<![\d.(])(\d+\.\d\d)\d+")
TENTHS = re.compile(rb"(?<![\d.])(\d+\.\d)\d+")
TEXT = (
    "text.color",
    "axes.labelcolor",
    "xtick.labelcolor",
    "ytick.labelcolor",
)
LINES = "axes.edgecolor", "xtick.color", "ytick.color", "grid.color"
METADATA = "Date", "Creator", "Format", "Type"  # none of them
NOT_FIGURES = {"__init__"}
NOT_CHAPTERS = {"lib", "studies"}


def style():
    """The style sheet of all figures, which may be missing."""
    return here().scripts / "book.mplstyle"


def cache():
    """The folder that figures are drawn into."""
    return here().cache / "figures"


def scripts():
    """-> {name: Path} of all figure scripts, sorted by name.

    Raises ValueError if two chapters use one name: it is the address of the
    picture.
    """
    folder, found = here().scripts, {}
    for path in sorted([*folder.glob("*.py"), *folder.glob("*/*.py")]):
        if path.stem in NOT_FIGURES or path.parent.name in NOT_CHAPTERS:
            continue
        if path.stem in found:
            one, other = map(here().name, (found[path.stem], path))
            raise ValueError(f"{one} and {other}: two figures of one name")
        found[path.stem] = path
    return dict(sorted(found.items()))


def names():
    """Names of all figure scripts."""
    return list(scripts())


def script(name):
    """Path of a figure's script; ValueError if there is none."""
    found = scripts()
    if name not in found:
        raise ValueError(f"no script for the figure {name}")
    return found[name]


def key(name):
    """Digest of all that a figure depends on.

    Of the press only what draws: a study's record is read as data.
    """
    import matplotlib

    own = {Path(looks.__file__), Path(__file__)}
    files = {
        path
        for path in sources.files_behind(script(name))
        if not path.is_relative_to(sources.PRESS)
    }
    files |= {p for p in (style(), looks.file()) if p.is_file()}
    versions = execution.versions()
    return sources.digest(files | own, matplotlib.__version__, versions)


def is_stale(name):
    """True if a figure is not drawn, or from other sources."""
    try:
        return not (
            kept.is_made(f"figures/{name}", key(name))
            and (cache() / f"{name}.svg").exists()
        )
    except SyntaxError:  # draw() will say where
        return True


def draw(name, folder=None):
    """Render one script in every look -> seconds it took.

    Into the cache, or into another folder. Raises RuntimeError if it fails:
    one sentence that begins with the line of the script.
    """
    import matplotlib

    matplotlib.use("svg")
    started, path = time.perf_counter(), script(name)
    target = folder or cache()
    try:
        module = importlib.import_module(module_name(path))
        stamp = key(name)
        if hasattr(module, "results"):
            text = json.dumps(module.results(), allow_nan=False)
            kept.write(target / f"{name}.json", text)
        for copy, image in copies(module.figure).items():
            kept.write(target / f"{name}{copy}.svg", image)
    except Exception as error:
        raise RuntimeError(complaint(path, error)) from error
    if folder is None:
        kept.made(f"figures/{name}", stamp)
    return time.perf_counter() - started


def module_name(path):
    """Path of a script -> "figures_src.gru.gru_cell"."""
    return ".".join(path.relative_to(here().root).with_suffix("").parts)


def complaint(path, error):
    """What a script raised -> "figures_src/gru/f.py:42: ValueError: why".

    The line is the script's own last one on the way to the error.
    """
    frames = traceback.extract_tb(error.__traceback__)
    lines = [f.lineno for f in frames if Path(f.filename) == path]
    if isinstance(error, SyntaxError) and error.filename == str(path):
        lines = [error.lineno]
    where = [here().name(path), *map(str, lines[-1:])]
    why = " ".join(str(error).split())
    return f"{':'.join(where)}: {type(error).__name__}: {why}"


def copies(draw):
    """figure(look) in every look -> {name suffix: SVG}."""
    return {suffix(look): copy(draw, look) for look in LOOKS}


def copy(draw, look):
    """One copy of a figure -> SVG, as bytes."""
    import matplotlib.pyplot as plt

    image, sheet = io.BytesIO(), [style()] if style().is_file() else []
    with plt.style.context([SALT, *sheet, inks(look)]):
        draw(look).savefig(
            image, format="svg", metadata=dict.fromkeys(METADATA)
        )
        plt.close("all")
    return lighter(image.getvalue())


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


def suffix(look):
    """What a copy adds to the name: "", "-phone", "-dark", "-dark-phone"."""
    return "-dark" * (look.scheme == "dark") + "-phone" * look.narrow


def inks(look):
    """Settings that give text and axes the colours of a look."""
    settings = {"figure.figsize": look.size()}
    if looks.palette():
        settings |= dict.fromkeys(TEXT, look.colour("ink"))
        settings |= dict.fromkeys(LINES, look.colour("muted"))
    return settings


def results(name):
    """What a script's results() gave, drawn again first if it is stale."""
    if is_stale(name):
        draw(name)
    return json.loads((cache() / f"{name}.json").read_text(encoding="utf-8"))


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
    """Draw what is stale, in parallel -> names of what was drawn.

    Raises ValueError for a name without a script, RuntimeError when a script
    fails.
    """
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    stale = [name for name in wanted or names() if is_stale(name)]
    if not stale:
        return []
    with ProcessPoolExecutor(min(len(stale), os.cpu_count() or 1)) as pool:
        jobs = {pool.submit(draw, name): name for name in stale}
        for done, job in enumerate(as_completed(jobs), 1):
            try:
                seconds = job.result()
            except Exception:
                pool.shutdown(cancel_futures=True)
                raise
            say(
                f"figure {done} of {len(stale)}: {jobs[job]} ({seconds:.1f} s)"
            )
    return stale


if __name__ == "__main__":
    try:
        build(sys.argv[1:])
        for name in sys.argv[1:]:
            print((cache() / f"{name}.svg").as_uri())
    except (RuntimeError, ValueError) as error:
        sys.exit(str(error))
