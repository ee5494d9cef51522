"""Everything of the site that is not a page: figures, styles, fonts, labs.

Built into .cache/, shared by both languages, rebuilt only when stale.
"""

import base64
import json
import re
import shutil
import subprocess
from pathlib import Path

from bookproof import kept
from bookproof.book import here
from bookproof.run import figures, node, stale
from bookproof.show import extension

STYLES = Path(extension.__file__).with_name("page.css")


def own():
    """The folder of what a book writes itself: styles, labs, the palette."""
    return here().docs / "assets"


def built():
    """The folder of what is made for the site, under its own address."""
    return here().cache / "assets"


def drawn():
    """The folder of the figures as drawn, and of their results."""
    return figures.cache()


def prepare(say=print):
    """Bring all that pages need up to date, in order."""
    node.install()
    figures.build(say=say)
    stale.run(say)
    palette()
    katex()
    bundle(say)


def shared():
    """(address in the site, Path) of every file both languages use."""
    found = []
    found.append(("assets/bookproof.css", STYLES))
    for path in sorted(own().glob("*.*")):
        if path.suffix in (".css", ".svg") and path.name != "labs.css":
            found.append((f"assets/{path.name}", path))
    for path in sorted(built().rglob("*")):
        if path.is_file() and path.suffix != ".key":
            uri = path.relative_to(built()).as_posix()
            found.append((f"assets/{uri}", path))
    for path in sorted(drawn().glob("*.svg")):
        if path.stem == "logo":
            found.append((f"assets/{path.name}", path))
        else:
            found.append((f"figures/{path.name}", path))
    for path in figures.scripts().values():
        found.append((f"figures/{path.name}.txt", path))
    return found


def palette():
    """docs/assets/palette.json -> custom properties for both schemes."""
    file = own() / "palette.json"
    if not file.exists():
        return
    entries = json.loads(file.read_text(encoding="utf-8"))
    rules = []
    for scheme, selector in (
        ("light", ":root, [data-md-color-scheme=default]"),
        ("dark", "[data-md-color-scheme=slate]"),
    ):
        lines = [f"  --q-{k}: {v[scheme]};" for k, v in entries.items()]
        rules.append(selector + " {\n" + "\n".join(lines) + "\n}")
    rules += [f".q-{k} {{ color: var(--q-{k}); }}" for k in entries]
    kept.write_new(built() / "palette.css", "\n".join(rules) + "\n")


# In the style sheet itself: a font that came later would move the text.
INLINED = re.compile(
    r"fonts/(KaTeX_(?:Main-Regular|Math-Italic|Size[1-4]-Regular)\.woff2)"
)


def katex():
    """KaTeX's style sheet and its fonts, woff2 alone; iframe-worker."""
    source = node.folder() / "katex" / "dist"
    target = built() / "katex"
    css = (source / "katex.min.css").read_text(encoding="utf-8")
    # Every browser that can show the site reads woff2.
    css = re.sub(r',url\([^)]*\) format\("(?:woff|truetype)"\)', "", css)
    css = INLINED.sub(lambda m: inlined(source / "fonts" / m.group(1)), css)
    kept.write_new(target / "katex.min.css", css)
    for font in (source / "fonts").glob("*.woff2"):
        copy = target / "fonts" / font.name
        if not copy.exists():
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(font, copy)
    worker = node.folder() / "iframe-worker" / "shim" / "index.js"
    text = worker.read_text(encoding="utf-8")
    kept.write_new(
        built() / "iframe-worker.js", text.partition("//# source")[0]
    )


def inlined(font):
    """A font as an address that holds it."""
    data = base64.b64encode(font.read_bytes()).decode()
    return f"data:font/woff2;base64,{data}"


def labs():
    """Names of the labs: folders of docs/assets/labs with a lab.js.

    Raises ValueError for a folder without one; `parts` is no lab.
    """
    folders = [path for path in own().glob("labs/*") if path.is_dir()]
    names = sorted({folder.name for folder in folders} - {"parts"})
    for name in names:
        if not (own() / "labs" / name / "lab.js").is_file():
            raise ValueError(f"the lab {name} has no lab.js")
    return names


KINDS = ".js", ".css", ".json"


def bundle(say=print):
    """Labs and the book's own script -> classic scripts, minified; the style
    sheets of labs -> one.

    Raises ValueError, a line "file:line: what is wrong" for each fault.
    """
    names = labs()
    inputs = [*sorted(drawn().glob("*.json"))]
    inputs += sorted(p for p in own().rglob("*") if p.suffix in KINDS)
    inputs += [p / "package-lock.json" for p in (node.OWN, here().root)]
    key = kept.digest(*(path for path in inputs if path.exists()))
    if kept.is_made("bundle", key):
        return
    scripts = {
        f"labs/{name}": own() / "labs" / name / "lab.js" for name in names
    }
    scripts["book"] = own() / "book.js"
    found = [f"{k}={path}" for k, path in scripts.items() if path.exists()]
    options = ["--bundle", "--format=iife", "--target=es2020"]
    options += ["--charset=utf8", f"--alias:results={drawn()}"]
    if found:
        esbuild(*found, *options, f"--outdir={built()}")
    sheets = [own() / "labs.css", *sorted(own().glob("labs/*/style.css"))]
    names_of = [here().name(path) for path in sheets if path.exists()]
    imports = "".join(f'@import "./{name}";\n' for name in names_of)
    if imports:
        rules = esbuild("--bundle", "--loader=css", input=imports)
        kept.write_new(built() / "labs.css", rules)
    for path in built().glob("labs/*.js"):
        if path.stem not in names:
            path.unlink()
    kept.made("bundle", key)
    say(f"bundled {len(names)} labs")


FAULT = re.compile(r"\[(?:ERROR|WARNING)\] (.*)\n\n +(\S.*:\d+):\d+:")


def esbuild(*arguments, **options):
    """Run esbuild, which makes what it is given small -> what it prints.

    Raises ValueError with its complaints, a line each.
    """
    tool = node.folder() / "esbuild" / "bin" / "esbuild"
    command = [node.program(), tool, "--minify", "--log-level=warning"]
    options |= {"cwd": here().root, "capture_output": True}
    done = subprocess.run([*command, *arguments], encoding="utf-8", **options)
    if done.returncode or done.stderr:
        faults = FAULT.findall(done.stderr)
        lines = [f"{place}: {text}" for text, place in faults]
        raise ValueError("\n".join(lines) or done.stderr)
    return done.stdout
