"""Everything of the site that is not a page: figures, styles, fonts, labs.

Built into .cache/, shared by both languages, rebuilt only when stale.
"""

import base64
import json
import re
import shutil

from bookproof import sources
from bookproof.run import figures, node, notebooks, proofs
from bookproof.sources import ROOT

OWN = ROOT / "docs" / "assets"
BUILT = ROOT / ".cache" / "assets"
FIGURES = ROOT / ".cache" / "figures"


def prepare(say=print):
    """Bring all that pages need up to date, in order."""
    node.install()
    figures.build(say=say)
    notebooks.build(say=say)
    proofs.prove_all(say=say)
    palette()
    katex()
    bundle(say)


def shared():
    """(address in the site, Path) of every file both languages use."""
    found = []
    for path in sorted(OWN.glob("*.*")):
        if path.suffix in (".css", ".svg"):
            found.append((f"assets/{path.name}", path))
    for path in sorted(BUILT.rglob("*")):
        if path.is_file() and path.suffix != ".key":
            uri = path.relative_to(BUILT).as_posix()
            found.append((f"assets/{uri}", path))
    for path in sorted(FIGURES.glob("*.svg")):
        if path.stem == "logo":
            found.append((f"assets/{path.name}", path))
        else:
            found.append((f"figures/{path.name}", path))
    for path in figures.scripts().values():
        found.append((f"figures/{path.name}.txt", path))
    return found


def palette():
    """docs/assets/palette.json -> custom properties for both schemes."""
    entries = json.loads((OWN / "palette.json").read_text(encoding="utf-8"))
    rules = []
    for scheme, selector in (
        ("light", ":root, [data-md-color-scheme=default]"),
        ("dark", "[data-md-color-scheme=slate]"),
    ):
        lines = [f"  --q-{k}: {v[scheme]};" for k, v in entries.items()]
        rules.append(selector + " {\n" + "\n".join(lines) + "\n}")
    rules += [f".q-{k} {{ color: var(--q-{k}); }}" for k in entries]
    write(BUILT / "palette.css", "\n".join(rules) + "\n")


def write(path, text):
    """Write a file, but leave it alone when it already says so."""
    if path.exists() and path.read_text(encoding="utf-8") == text:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


# In the style sheet itself: a font that came later would move the text.
INLINED = re.compile(
    r"fonts/(KaTeX_(?:Main-Regular|Math-Italic|Size[1-4]-Regular)\.woff2)"
)


def katex():
    """KaTeX's style sheet and its fonts, woff2 alone; iframe-worker."""
    source = node.MODULES / "katex" / "dist"
    target = BUILT / "katex"
    css = (source / "katex.min.css").read_text(encoding="utf-8")
    # Every browser that can show the site reads woff2.
    css = re.sub(r',url\([^)]*\) format\("(?:woff|truetype)"\)', "", css)
    css = INLINED.sub(lambda m: inlined(source / "fonts" / m.group(1)), css)
    write(target / "katex.min.css", css)
    for font in (source / "fonts").glob("*.woff2"):
        copy = target / "fonts" / font.name
        if not copy.exists():
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(font, copy)
    worker = node.MODULES / "iframe-worker" / "shim" / "index.js"
    text = worker.read_text(encoding="utf-8")
    write(BUILT / "iframe-worker.js", text.partition("//# source")[0])


def inlined(font):
    """A font as an address that holds it."""
    data = base64.b64encode(font.read_bytes()).decode()
    return f"data:font/woff2;base64,{data}"


def labs():
    """Entry scripts of the labs: docs/assets/labs/<name>.js."""
    return sorted((OWN / "labs").glob("*.js"))


def bundle(say=print):
    """Labs and the book's own script -> classic scripts, minified."""
    inputs = [*OWN.rglob("*.js"), *FIGURES.glob("*.json")]
    lock = ROOT / "package-lock.json"
    texts = [path.read_text(encoding="utf-8") for path in sorted(inputs)]
    key = sources.digest([lock], *texts)
    stamp = BUILT / "bundle.key"
    if stamp.exists() and stamp.read_text(encoding="utf-8") == key:
        return
    esbuild = node.MODULES / "esbuild" / "bin" / "esbuild"
    options = ["--bundle", "--minify", "--format=iife", "--target=es2020"]
    options += ["--charset=utf8", "--log-level=warning", "--loader:.json=json"]
    options.append(f"--alias:results={FIGURES}")
    if labs():
        out = f"--outdir={BUILT / 'labs'}"
        node.run(esbuild, *labs(), *options, out)
    node.run(
        esbuild, OWN / "book.js", *options, f"--outfile={BUILT / 'book.js'}"
    )
    write(stamp, key)
    say(f"bundled {len(labs())} labs")
