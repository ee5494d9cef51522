"""Mathematics at build time: TeX to HTML with MathML, by KaTeX in Node.js.

One Node process serves a whole build, and what it returned is kept. A
quantity keeps its colour: a symbol that stands with a time index (h_t, z_t,
c_{t-1}) gets the class of its quantity, as the book's settings give it.
"""

import atexit
import json
import re
import subprocess
from functools import cache
from pathlib import Path

from bookproof import kept
from bookproof.book import here
from bookproof.run import node

SCRIPT = Path(__file__).with_name("typeset.js")
INDEXED = r"(?=_(?:\{?[tkT0-9]))"  # a time index follows
TAG = re.compile(r"\\tag\{([^{}]+)\}")

_process = None


def coloured(tex):
    """TeX in which symbols with a time index carry their quantity's class."""
    colours = here().colours
    if not colours:
        return tex
    return symbols(tuple(colours)).sub(
        lambda m: rf"\htmlClass{{q-{colours[m.group(1)]}}}{{{m.group(1)}}}",
        tex,
    )


@cache
def symbols(names):
    """Pattern of the symbols that have a colour, the longest first."""
    ranked = sorted(names, key=len, reverse=True)
    any_of = "|".join(map(re.escape, ranked))
    return re.compile(rf"(?<![\\A-Za-z_{{^])({any_of}){INDEXED}")


def tags(tex):
    """Equation numbers of a display, as printed: ["gru.1", "gru.2"]."""
    return TAG.findall(tex)


def equation_id(tag):
    """Id of a numbered equation, a letter first: gru.1 -> eq-gru-1."""
    return "eq-" + tag.replace(".", "-")


def typeset(tex, display=False):
    """TeX -> HTML with MathML inside; search reads the TeX, once.

    Raises ValueError with KaTeX's message and the formula.
    """
    tex = tex.strip()
    question = [coloured(tex), display]
    own = Path(__file__).read_text("utf-8"), SCRIPT.read_text("utf-8")
    lock = (node.OWN / "package-lock.json").read_text("utf-8")
    key = kept.digest(*question, *own, lock) + ".html"
    html = kept.get("formulas", key)
    if html is None:
        answer = _ask(question)
        if "error" in answer:
            raise ValueError(f"{answer['error']} in the formula {tex}")
        html = for_search(answer["html"], tex, display)
        kept.put("formulas", key, html)
    return html


def for_search(html, tex, display):
    """KaTeX's HTML with all but the TeX, once, hidden from the search.

    The theme's search leaves out an element that is marked, up to the next
    end of the same tag: so what is drawn, and what is read aloud, each get a
    tag of their own.
    """
    skip = "data-search-exclude"
    start = html.index('<span class="katex-html"')
    end = len(html) - len("</span>") * (2 if display else 1)
    drawn = html[start:end].removeprefix("<span").removesuffix("</span>")
    spoken = re.sub(
        r"<semantics>(.*)<annotation([^>]*)>.*</annotation>",
        lambda m: (
            f"<semantics><mpadded {skip}>{m[1]}</mpadded>"
            f"<annotation{m[2]}>{_escaped(tex)}</annotation>"
        ),
        html[:start],
        flags=re.DOTALL,
    )
    return f"{spoken}<seq-math {skip}{drawn}</seq-math>{html[end:]}"


def _escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _stop():
    """End Node.js: it stops when its input does."""
    _process.stdin.close()
    _process.stdout.close()
    _process.wait()


def _ask(question):
    global _process
    if _process is None:
        node.install()
        _process = subprocess.Popen(
            [node.program(), str(SCRIPT)],
            cwd=here().root,
            env=node.environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        atexit.register(_stop)
    _process.stdin.write(json.dumps(question) + "\n")
    _process.stdin.flush()
    line = _process.stdout.readline()
    if not line:
        raise RuntimeError("Node.js stopped while typesetting " + question[0])
    return json.loads(line)
