"""The sources of the pages: their fences, figures and equations."""

import re
from collections import Counter
from pathlib import Path

from bookproof.read import pages
from bookproof.run.figures import scripts
from bookproof.show import mathematics
from bookproof.sources import ROOT

LANGUAGES = "en", "zh"
DISPLAY = re.compile(
    r"\\begin\{(align|equation|gather)\*?\}.*?\\end\{\1\*?\}"
    r"|\$\$.*?\$\$|\\\[.*?\\\]",
    re.DOTALL,
)
IMAGE = re.compile(
    r"!\[[^\]]*\]\((?:\.\./)*figures/([\w-]+)\.svg\)(?:\{([^}]*)\})?"
)
LISTING = re.compile(r'\{ *\.py +title="([^"]+)" *\}')
SNIPPET = re.compile(r'--8<-- "([^":]+):([\w.,-]+)"')
TEXTUAL = {"text", "console", "markdown", "toml", "yaml", "bash", "html"}
CITED_TAG = re.compile(r"\(([a-z_]+\.\d+[a-z]?)\)")
EQUATION_LINK = re.compile(r"\[([^\[\]]*)\]\(([^()\s]*)\)")


def page_names(language, root=ROOT):
    """Pages of a language as paths in the site."""
    folder = Path(root, "docs", language)
    prefix = "" if language == "en" else "zh/"
    return [
        prefix + path.relative_to(folder).with_suffix(".html").as_posix()
        for path in pages.sources_of(folder)
    ]


def texts(root=ROOT):
    """(name, text) of each page and the README; experiments as Markdown."""
    paths = [
        path
        for language in LANGUAGES
        for path in pages.sources_of(Path(root, "docs", language))
    ]
    readme = Path(root, "README.md")
    for path in [*paths, *([readme] if readme.exists() else [])]:
        yield path.relative_to(root).as_posix(), pages.read(path)


def fences(root=ROOT):
    """Every fence is run, or a listing from the library, or no Python."""
    faults = []
    for where, text in texts(root):
        if text.startswith("\ufeff"):
            faults.append(f"{where}:1: starts with a byte-order mark")
        for match in pages.FENCE.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            wrong = wrong_fence(match["info"], match["body"], match["mark"])
            if wrong:
                faults.append(f"{where}:{line}: {wrong}")
        for match in SNIPPET.finditer(pages.prose(text)):
            line = text.count("\n", 0, match.start()) + 1
            faults.append(f"{where}:{line}: a snippet outside a listing")
    return faults


def wrong_fence(info, body, mark):
    """What is wrong with a fence, or None."""
    if info == "python" and mark == "```":
        return None
    if listing := LISTING.fullmatch(info.strip()):
        snippet = SNIPPET.fullmatch(body.strip())
        if not snippet:
            return "a listing holds exactly one snippet line"
        if snippet[1] != listing[1]:
            return f"titled {listing[1]}, but shows {snippet[1]}"
        return None
    if info.strip() in TEXTUAL and ">>> " not in body:
        return None
    return f"a fence of “{info.strip()}” is never run"


def figures(text):
    """(figure, lab or None) in order."""
    found = []
    for match in IMAGE.finditer(pages.prose(text)):
        lab = re.search(r"\blab=[\"']?([\w-]+)", match[2] or "")
        found.append((match[1], lab and lab[1]))
    return found


def figure_use(root=ROOT):
    """Each figure used has a script, each script is used."""
    used = {}
    for where, text in texts(root):
        for name, _ in figures(text):
            used.setdefault(name, where)
    try:
        known = scripts(root)
    except ValueError as error:
        return [str(error)]
    drawn = {
        name: path.relative_to(root).as_posix()
        for name, path in known.items()
        if re.search(r"^def figure\(", path.read_text("utf-8"), re.MULTILINE)
    }
    faults = [
        f"{where}: no {name}.py with a figure() in figures_src/"
        for name, where in sorted(used.items())
        if name not in drawn
    ]
    faults += [
        f"{path}: used on no page"
        for name, path in drawn.items()
        if name not in {"logo", *used}
    ]
    return faults


def tags_of(root=ROOT):
    """All equation numbers of the English pages, in order."""
    found = []
    for path in pages.sources_of(Path(root, "docs", "en")):
        text = pages.prose(pages.read(path))
        found += [
            t
            for d in DISPLAY.finditer(text)
            for t in mathematics.tags(d.group())
        ]
    return found


def equations(root=ROOT):
    """Numbers of equations: given once, and cited where they exist."""
    known = tags_of(root)
    faults = [
        f"({tag}) numbers {count} equations"
        for tag, count in Counter(known).items()
        if count > 1
    ]
    prefixes = {tag.partition(".")[0] for tag in known}
    for path in sorted(Path(root, "seqbook").glob("*.py")):
        text = path.read_text("utf-8")
        for match in CITED_TAG.finditer(text):
            tag = match[1]
            if tag.partition(".")[0] in prefixes and tag not in known:
                line = text.count("\n", 0, match.start()) + 1
                faults.append(
                    f"seqbook/{path.name}:{line}: no page has \\tag{{{tag}}}"
                )
    return faults + equation_links(root)


def equation_links(root=ROOT):
    """A link that reads (gru.4) leads to equation gru.4."""
    faults = []
    for where, text in texts(root):
        blanked = pages.prose(text)
        for match in EQUATION_LINK.finditer(blanked):
            said = CITED_TAG.findall(match[1])
            target = match[2].partition("#")[2]
            if not said:
                continue
            if [mathematics.equation_id(tag) for tag in said] != [target]:
                line = text.count("\n", 0, match.start()) + 1
                faults.append(
                    f"{where}:{line}: [{match[1]}] leads to #{target}"
                )
    return faults
