"""Everything of the site that is not a page: figures, styles, fonts, labs.

Built into .cache/, shared by both languages, rebuilt only when stale.
"""

import base64
import json
import re
import shutil
import subprocess

from bookproof import sources
from bookproof.run import node, notebooks, proofs
from bookproof.sources import ROOT

OWN = ROOT / "docs" / "assets"
BUILT = ROOT / ".cache" / "assets"
FIGURES = ROOT / ".cache" / "figures"
SCRIPTS = ROOT / "figures_src"


def prepare(say=print):
    """Bring all that pages need up to date, in order."""
    from bookproof.run import figures

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
        if path.suffix in (".css", ".svg") and path.name != "labs.css":
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
    for path in sorted(SCRIPTS.glob("*.py")):
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
    """Names of the labs: folders of docs/assets/labs with a lab.js.

    Raises ValueError for a folder without one; `parts` is no lab.
    """
    folders = [path for path in OWN.glob("labs/*") if path.is_dir()]
    names = sorted({folder.name for folder in folders} - {"parts"})
    for name in names:
        if not (OWN / "labs" / name / "lab.js").is_file():
            raise ValueError(f"the lab {name} has no lab.js")
    return names


KINDS = ".js", ".css", ".json"


def bundle(say=print):
    """Labs and the book's own script -> classic scripts, minified; the style
    sheets of labs -> one.

    Raises ValueError, a line "file:line: what is wrong" for each fault.
    """
    names = labs()
    inputs = [ROOT / "package-lock.json", *FIGURES.glob("*.json")]
    inputs += [p for p in OWN.rglob("*") if p.suffix in KINDS]
    key = sources.digest(inputs, root=ROOT)
    stamp = BUILT / "bundle.key"
    if stamp.exists() and stamp.read_text(encoding="utf-8") == key:
        return
    scripts = [f"labs/{name}={OWN / 'labs' / name}/lab.js" for name in names]
    options = ["--bundle", "--format=iife", "--target=es2020"]
    options += ["--charset=utf8", f"--alias:results={FIGURES}"]
    esbuild(f"book={OWN}/book.js", *scripts, *options, f"--outdir={BUILT}")
    sheets = [OWN / "labs.css", *sorted(OWN.glob("labs/*/style.css"))]
    addresses = [path.relative_to(ROOT).as_posix() for path in sheets]
    imports = "".join(f'@import "./{address}";\n' for address in addresses)
    rules = esbuild("--bundle", "--loader=css", input=imports)
    write(BUILT / "labs.css", rules)
    for path in BUILT.glob("labs/*.js"):
        if path.stem not in names:
            path.unlink()
    write(stamp, key)
    say(f"bundled {len(names)} labs")


FAULT = re.compile(r"\[(?:ERROR|WARNING)\] (.*)\n\n +(\S.*:\d+):\d+:")


def esbuild(*arguments, **options):
    """Run esbuild, which makes what it is given small -> what it prints.

    Raises ValueError with its complaints, a line each.
    """
    tool = node.MODULES / "esbuild" / "bin" / "esbuild"
    command = [node.program(), tool, "--minify", "--log-level=warning"]
    options |= {"cwd": ROOT, "capture_output": True, "encoding": "utf-8"}
    done = subprocess.run([*command, *arguments], **options)
    if done.returncode or done.stderr:
        faults = FAULT.findall(done.stderr)
        lines = [f"{place}: {text}" for text, place in faults]
        raise ValueError("\n".join(lines) or done.stderr)
    return done.stdout
