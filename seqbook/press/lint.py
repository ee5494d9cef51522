"""What must hold of the book's sources and of the site built from them.

    python -m seqbook.press.lint site

Each check returns a list of faults, one line each: "gru.html: what".

**Nothing unaccounted.** A digit that a reader sees in prose, a table or a
caption (or hears, in the words of a picture) is accounted for when it stands
in a checked number, a citation, code or its output, generated text, a link
within the book, an equation number "(gru.4)" or the number of a chapter, a
section or an exercise; when it belongs to a name, that is a word whose
letters come first (INT8, word2vec, WordSim-353) or one like 3CosAdd; when it
is a year and its paragraph, item or caption has a citation; or when
docs/waivers.toml holds it with a reason. A formula is read
as TeX, row by row and clause by clause. A clause `symbol = number` (`T = 100`,
`D = H = 64`, `x = (1, 0, 0)`) gives a symbol its value and is accounted for.
Any other clause is general, whatever digits it holds, except what comes after
`=`, `\\approx` or `≈` and is a number without letters, and a formula that is
nothing but a number; of those, only intervals and sets of single digits, as
in `[0, 1]`, may stand unchecked. Number words and ordinals are not digits.
"""

import ast
import gzip
import re
import sys
import tomllib
from collections import Counter
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import zip_longest
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

from bs4 import BeautifulSoup, Comment, NavigableString

from seqbook.press import mathematics, numbers, pages
from seqbook.press.sources import ROOT

WAIVERS = ROOT / "docs" / "waivers.toml"
LANGUAGES = "en", "zh"

# --- The built site ---------------------------------------------------------


@dataclass
class Page:
    """One built page, parsed once."""

    name: str  # its path in the site, "zh/gru.html"
    html: str
    tree: BeautifulSoup = field(init=False)

    def __post_init__(self):
        self.tree = BeautifulSoup(self.html, "lxml")

    @cached_property
    def ids(self):
        return [tag["id"] for tag in self.tree.select("[id]")]

    @cached_property
    def article(self):
        return self.tree.select_one("article.md-content__inner")


def read(site):
    """Folder of a site -> list of Page, sorted by name."""
    return [
        Page(path.relative_to(site).as_posix(), path.read_text("utf-8"))
        for path in sorted(Path(site).rglob("*.html"))
    ]


ADDRESSES = "href", "src", "srcset", "poster", "data", "action", "xlink:href"
STYLE_URL = re.compile(
    r"""url\(\s*["']?([^"')]+)["']?\s*\)|@import\s+["']([^"']+)["']"""
)


def addresses(page):
    """(tag, address) of everything that a page points at or loads."""
    for tag in page.tree.find_all(True):
        for attribute in ADDRESSES:
            value = tag.get(attribute)
            if value is None:
                continue
            if attribute == "srcset":
                for candidate in re.split(r",\s+", value.strip()):
                    yield tag, candidate.split()[0]
            else:
                yield tag, value
        if "style" in tag.attrs:
            yield from ((tag, url) for url in style_urls(tag["style"]))
        if tag.name == "style":
            yield from ((tag, url) for url in style_urls(tag.get_text()))


def style_urls(css):
    """Addresses that a style sheet loads."""
    css = re.sub(r"/\*.*?\*/", "", css, flags=re.DOTALL)
    return [a or b for a, b in STYLE_URL.findall(css)]


def is_foreign(address):
    return bool(urlsplit(address).netloc)


def is_followed(tag):
    """True for what a reader clicks; the rest the browser loads itself."""
    if tag.name == "link":
        return bool({"canonical", "alternate", "prev", "next"} & {*tag["rel"]})
    return tag.name == "a"


def foreign(built, site=None):
    """No page, style sheet or script of ours asks another host."""
    faults = []
    for page in built:
        for tag, address in addresses(page):
            if is_foreign(address) and not is_followed(tag):
                faults.append(f"{page.name}: <{tag.name}> loads {address}")
    for path in sorted(Path(site).rglob("*")) if site else ():
        name = path.relative_to(site).as_posix()
        faults += [f"{name}: loads {url}" for url in foreign_in(path, name)]
    return faults


def foreign_in(path, name):
    """Foreign addresses in a style sheet, a drawing or a script of ours."""
    if path.suffix == ".css":
        return [
            u for u in style_urls(path.read_text("utf-8")) if is_foreign(u)
        ]
    if path.suffix == ".svg":
        text = path.read_text("utf-8")
        found = re.findall(r'\b(?:href|src)="([^"]+)"', text)
        return [u for u in [*found, *style_urls(text)] if is_foreign(u)]
    if path.suffix == ".js" and is_own(name):
        found = re.findall(r"https?://[^\s\"'`)]+", path.read_text("utf-8"))
        return [url for url in found if "//www.w3.org/" not in url]
    return []


def is_own(name):
    """True for a script of the book's own, not the theme's."""
    name = name.removeprefix("zh/")
    return name == "assets/book.js" or name.startswith("assets/labs/")


def links(built, site, root="/"):
    """Every address within the site leads to a file, and to an id in it."""
    site = Path(site)
    ids = {page.name: {*page.ids} for page in built}
    faults = []
    for page in built:
        for tag, address in addresses(page):
            wrong = dead(address, page.name, site, ids, root)
            if wrong and not (tag.name == "link" and is_folder(address)):
                faults.append(f"{page.name}: {address} {wrong}")
    for path in sorted(site.rglob("*.css")):
        name = path.relative_to(site).as_posix()
        for address in style_urls(path.read_text("utf-8")):
            if wrong := dead(address, name, site, ids, root):
                faults.append(f"{name}: {address} {wrong}")
    return faults


def is_folder(address):
    return address.endswith("/") or PurePosixPath(address).name in ("", "..")


def dead(address, origin, site, ids, root="/"):
    """What is wrong with an address in the file `origin`, or None."""
    parts = urlsplit(address)
    if parts.scheme or parts.netloc:
        return None
    if parts.path.startswith("/"):
        if not parts.path.startswith(root):
            return f"leaves the site, which is at {root}"
        target = parts.path.removeprefix(root)
    elif parts.path:
        target = str(PurePosixPath(origin).parent / unquote(parts.path))
    else:
        target = origin
    target = normal(target)
    if (site / target).is_dir():
        if origin != "404.html":
            return "is a folder, which does not open from disk"
        target = normal(f"{target}/index.html")
    if not (site / target).is_file():
        return "does not exist"
    fragment = unquote(parts.fragment)
    if fragment and target in ids and fragment not in ids[target]:
        return "has no such place"
    return None


def normal(path):
    """A path without "." and ".."; above the site it stays above."""
    kept = []
    for piece in path.split("/"):
        if piece == ".." and kept and kept[-1] != "..":
            kept.pop()
        elif piece not in ("", "."):
            kept.append(piece)
    return "/".join(kept)


def ids(built):
    """An id stands once in a page."""
    return [
        f"{page.name}: id {name} stands {count} times"
        for page in built
        for name, count in Counter(page.ids).items()
        if count > 1
    ]


UNSEEN = {"script", "style", "template", "noscript", "math"}
CODE = {"code", "pre", "kbd", "textarea"}
STRAY = re.compile(r"\$|\\\(|\\\[|\*\*|\\begin|\\end\b|\\tag|\[\[|\]\(|#=")


def visible(node, skip=UNSEEN | CODE):
    """Visible strings below a node, outside code and typeset formulas."""
    for child in node.children:
        if isinstance(child, Comment):
            continue
        if isinstance(child, NavigableString):
            yield str(child)
        elif child.name not in skip and "katex" not in child.get("class", ()):
            yield from visible(child, skip)


def leftovers(built):
    """No markup that nothing turned into a page; no traceback, no stderr."""
    faults = []
    for page in built:
        texts = [*visible(page.tree)]
        texts += [t.get("alt", "") for t in page.tree.select("img")]
        texts += [t["title"] for t in page.tree.select("abbr[title]")]
        for text in texts:
            if match := STRAY.search(text):
                faults.append(
                    f"{page.name}: stray {match.group()} in "
                    f"“{around(text, match.start())}”"
                )
        for block in page.tree.select("pre"):
            inside = block.find_parent(class_=["language-pycon"])
            text = block.get_text()
            if pages.doctests.TRACEBACK in text and not inside:
                faults.append(f"{page.name}: a traceback: {last_line(text)}")
        for _ in page.tree.select("[data-mime-type*=stderr], .stderr"):
            faults.append(f"{page.name}: output of stderr")
    return faults


def last_line(text):
    return text.strip().splitlines()[-1]


def around(text, at, width=30):
    """The words around a place in a text, on one line."""
    piece = text[max(0, at - width) : at + width]
    return " ".join(piece.split())


def notebooks(site):
    """No notebook of the site holds an error, or anything from stderr."""
    import json

    faults = []
    for path in sorted(Path(site).rglob("*.ipynb")):
        book = json.loads(path.read_text("utf-8"))
        for cell in book["cells"]:
            for output in cell.get("outputs", ()):
                kind = output.get("name", output["output_type"])
                if kind in ("stderr", "error"):
                    name = path.relative_to(site).as_posix()
                    text = output.get("text") or output.get("evalue", "")
                    faults.append(
                        f"{name}: {kind}: {last_line(''.join(text))}"
                    )
    return faults


def pictures(built):
    """Every image has alt, width and height; each scheme has its figure."""
    faults = []
    for page in built:
        for image in page.tree.select("img"):
            name = image.get("src", "an image")
            lacks = [
                k for k in ("alt", "width", "height") if k not in image.attrs
            ]
            inside = page.article and image in page.article.select("img")
            if not lacks and inside and not image["alt"].strip():
                lacks = ["words in its alt"]
            if lacks:
                faults.append(f"{page.name}: {name} lacks {', '.join(lacks)}")
        for one, other in ("light", "dark"), ("dark", "light"):
            for picture in page.tree.select(f".only-{one}"):
                if not picture.parent.select(f".only-{other}"):
                    image = picture.select_one("img") or picture
                    name = image.get("src", "a figure")
                    faults.append(f"{page.name}: {name} has no {other} twin")
    return faults


# --- Nothing unaccounted ----------------------------------------------------

BLOCKS = {
    *("p", "li", "td", "th", "dt", "dd", "figcaption", "caption", "summary"),
    *("h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "div", "figure"),
    *("ul", "ol", "dl", "table", "thead", "tbody", "tr", "section", "article"),
    *("details", "seq-lab", "picture", "hr", "br"),
}
DIGIT = "[\\d¼½¾⅓⅔⁰¹²³⁴-⁹]"
DIGITS = re.compile(rf"{DIGIT}+(?:(?:[.,⁻⁺]|e[-+]?){DIGIT}+)*")
HOLE = "\ufffc"  # what has been accounted for as a whole
FINE = re.compile(
    r"""
      ^\s*\d+\.(?=\s)                                    # 1. an exercise
    | \([a-z_]+\.\d+\)                                  # (gru.4)
    | (?:\b(?:[Cc]hapters?|[Ss]ections?|[Pp]arts?|[Aa]ppendix)|§{1,2})
      [\s\u00a0]*\d+(?:\.\d+)*
    | 第\s*\d+\s*[章节部]
    | (?<![A-Za-z0-9.])[A-Za-z](?:[A-Za-z0-9]|[-._](?=[A-Za-z0-9]))*   # INT8
    | (?<![\w.])\d[A-Z][A-Za-z]*[a-z][A-Za-z]*                 # 3CosAdd
    | (?<=[A-Za-z])[⁰¹²³⁴-⁹]+                                   # x²
    """,
    re.VERBOSE,
)
YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")


@dataclass
class Passage:
    """The visible text of one block, holes where it is accounted for."""

    text: str = ""
    formulas: list = field(default_factory=list)
    cites: bool = False


def passages(article):
    """The blocks of an article, in order, with what they say."""
    found = [Passage()]
    collect(article, found)
    return [p for p in found if p.text.strip() or p.formulas]


def collect(node, found):
    """Add what a node says to the last passage, or to new ones."""
    for child in node.children:
        if isinstance(child, NavigableString):
            if not isinstance(child, Comment):
                found[-1].text += str(child)
            continue
        classes = child.get("class", ())
        if child.name in UNSEEN | CODE or {"headerlink", "filename"} & {
            *classes
        }:
            found[-1].text += HOLE
        elif "generated" in classes:
            found.append(Passage())
        elif child.name == "data" and {"checked", "measured"} & {*classes}:
            found[-1].text += HOLE
        elif child.name == "a" and "cite" in classes:
            found[-1].text += HOLE
            found[-1].cites = True
        elif child.name == "a" and not is_foreign(child.get("href", "//x")):
            found[-1].text += HOLE
        elif "katex" in classes:
            tex = child.select_one('annotation[encoding="application/x-tex"]')
            found[-1].formulas.append(tex.get_text() if tex else "")
            found[-1].text += HOLE
        elif child.name == "img":
            found.append(Passage(child.get("alt", "")))
            found.append(Passage())
        elif child.name in BLOCKS:
            cites = found[-1].cites if child.name == "br" else False
            found.append(Passage(cites=cites))
            collect(child, found)
            found.append(Passage())
        else:
            if child.name == "abbr" and child.get("title"):
                found.insert(-1, Passage(child["title"]))
            collect(child, found)


def loose_digits(passage):
    """Places (start, end) of the digits in prose that nothing accounts for."""
    text = FINE.sub(lambda m: "\0" * len(m.group()), passage.text)
    if passage.cites:
        text = YEAR.sub(lambda m: "\0" * len(m.group()), text)
    return [match.span() for match in DIGITS.finditer(text)]


# Commands that stand in a number, or only move it about.
NUMERIC = re.compile(
    r"\\(?:times|cdot|[tdc]?frac|left|right|[bB]ig+[lr]?|quad|qquad|pm|mp|sqrt"
    r"|displaystyle|textstyle|not|ne|hat|[,;:! %{}|])|[&~]|\\$"
)
UNIT = re.compile(
    r"(?<=[\d}])((?:\\[,;: ]|\s|~)*)\\(?:text|mathrm|textrm|mathsf)\{[^{}]*\}"
)
RELATION = re.compile(
    r"(\\approx|\\simeq|\\cong|\\equiv|≈|=)"
    r"|(\\(?:l|g)(?:e|eq|l|g|t)(?![a-z])|\\neq?(?![a-z])|\\to(?![a-z])"
    r"|\\(?:Rightarrow|iff|implies|quad|qquad|text|propto|sim|in|mapsto|mid)"
    r"(?![a-z])|[<>;≤≥→])"
)
SYMBOL = (
    r"(?:\\(?:mathbf|mathrm|mathit|boldsymbol|hat|tilde|bar|vec|text)"
    r"\s*(?:\{[A-Za-z]+\}|[A-Za-z])|\\[A-Za-z]+|[A-Za-z])"
    r"(?:'|(?:[_^](?:\{[^{}=]*\}|\\[A-Za-z]+|[A-Za-z0-9*+-])))*"
)
SIGNED = (
    r"(?:\\pm)?[-+]?(?:\d+(?:\.\d+)?(?:\\times10\^(?:\{-?\d+\}|\d))?"
    r"|10\^(?:\{-?\d+\}|\d)|\\[td]?frac(?:\{\d+\}\{\d+\}|\d\d)"
    r")(?:/\d+)?(?:\\%)?"
)
VALUE = rf"(?:{SIGNED}|[(\[]{SIGNED}(?:,{SIGNED})*[)\]](?:\^\\top)?)"
NAMES = rf"(?:{SYMBOL}|\({SYMBOL}(?:,{SYMBOL})*\))"
GIVEN = re.compile(rf"(?:{NAMES}=)+{VALUE}[.]?")
SMALL_SET = re.compile(r"(?:[(\[]|\\\{)-?\d(?:,-?\d)*(?:[)\]]|\\\})")


def rows(tex):
    """TeX -> its rows, without numbers of equations and environments."""
    tex = re.sub(r"\\tag\*?\{[^{}]*\}|\\label\{[^{}]*\}|\\notag", "", tex)
    tex = re.sub(
        r"\\(?:begin|end)\{(?:align|aligned|gather|gathered|equation"
        r"|split|multline)\*?\}",
        "",
        tex,
    )
    tex = tex.replace("{,}", "").replace("{=}", "=")
    tex = re.sub(r"(\d)(?:\\,|~)(?=\d{3}(?!\d))", r"\1", tex)
    tex = UNIT.sub("", tex)
    return re.split(r"\\\\(?:\[[^\]]*\])?", tex)


def clauses(row):
    """A row of TeX, split at commas and wide spaces outside all brackets."""
    depth, start, i = 0, 0, 0
    found = []
    while i < len(row):
        wide = re.match(r"\\q?quad(?![a-z])", row[i:])
        token = re.match(r"\\[A-Za-z]+|\\.|.", row[i:], re.DOTALL).group()
        if token in ("{", "(", "[", r"\{"):
            depth += 1
        elif token in ("}", ")", "]", r"\}"):
            depth -= 1
        elif depth <= 0 and (wide or token in (",", ";", "，", "、")):
            found.append(row[start:i])
            start = i + len(token)
        i += len(token)
    return [*found, row[start:]]


def at_top(clause):
    """The clause with everything inside braces blanked, for finding signs."""
    kept, depth = [], 0
    for token in re.findall(r"\\[A-Za-z]+|\\.|.", clause, re.DOTALL):
        if token == "}":
            depth -= 1
        kept.append(token if depth <= 0 else " " * len(token))
        if token == "{":
            depth += 1
    return "".join(kept)


def is_number(tex):
    """True if a piece of TeX has digits and no letters."""
    bare = NUMERIC.sub(" ", tex)
    return bool(re.search(r"\d", bare)) and not re.search(
        r"[A-Za-z\\\u4e00-\u9fff]", bare
    )


def loose_formula(tex):
    """The numbers of a formula that nothing accounts for, as TeX."""
    found = []
    whole = is_number(" ".join(rows(tex)))
    for row in rows(tex):
        for clause in clauses(row):
            # spaces, alignment and thin spaces say nothing here
            tight = re.sub(
                r"\\[,;:! ]|\\left(?![a-z])|\\right(?![a-z])", "", clause
            )
            tight = re.sub(r"\\q?quad(?![a-z])|[\s&~]", "", tight)
            if GIVEN.fullmatch(tight) or SMALL_SET.fullmatch(tight):
                continue
            found += loose_sides(clause, whole)
    return found


def loose_sides(clause, whole):
    """Bare numbers after a sign of equality; all, where all is numbers."""
    signs = [*RELATION.finditer(at_top(clause))]
    if not signs:
        return [clause.strip()] if whole and is_number(clause) else []
    ends = [match.start() for match in signs[1:]] + [len(clause)]
    return [
        clause[match.start() : end].strip()
        for match, end in zip(signs, ends, strict=True)
        if match.group(1) and is_number(clause[match.end() : end])
    ]


@dataclass
class Waiver:
    """An entry of docs/waivers.toml: page ("*": any), text and reason."""

    page: str
    text: str
    reason: str
    used: bool = False


def waivers(file=WAIVERS):
    """The list of waivers. Raises ValueError for one that says too little."""
    if not file.exists():
        return []
    found = []
    for entry in tomllib.loads(file.read_text("utf-8")).get("waiver", []):
        wanted = {"page", "text", "reason"}
        if entry.keys() != wanted or not all(map(str.strip, entry.values())):
            raise ValueError(f"{file.name}: needs {sorted(wanted)}: {entry}")
        found.append(Waiver(**entry))
    return found


def is_waived(page, text, start, end, known):
    """True if a waiver for this page holds the place start..end of text."""
    for waiver in known:
        if waiver.page not in ("*", page):
            continue
        for match in re.finditer(re.escape(waiver.text), text):
            if match.start() <= start and end <= match.end():
                waiver.used = True
                return True
    return False


def unaccounted(built, known=None):
    """Every digit that a reader sees is accounted for; see above."""
    known = waivers() if known is None else known
    faults = []
    for page in built:
        for passage in passages(page.article) if page.article else ():
            text = " ".join(passage.text.split())
            squeezed = Passage(text, passage.formulas, passage.cites)
            for start, end in loose_digits(squeezed):
                if not is_waived(page.name, text, start, end, known):
                    faults.append(
                        f"{page.name}: {text[start:end]} in "
                        f"“{around(text, start).replace(HOLE, '…')}” is not "
                        "accounted for"
                    )
            for tex in passage.formulas:
                for loose in loose_formula(tex):
                    start = max(tex.find(loose), 0)
                    end = start + len(loose)
                    if not is_waived(page.name, tex, start, end, known):
                        faults.append(
                            f"{page.name}: {loose} in the formula "
                            f"{' '.join(tex.split())} is not accounted for"
                        )
    faults = [*dict.fromkeys(faults)]  # both schemes have the same alt
    faults += [
        f"docs/waivers.toml: nothing on {w.page} needs “{w.text}”"
        for w in known
        if not w.used
    ]
    return faults


# --- Collected = rendered ---------------------------------------------------


def rendered(built):
    """Page name -> (checked numbers, executed blocks) as a reader sees them.

    Counted in the built page, by what they look like there, so that a number
    or a block that the press never saw makes the counts differ.
    """
    counts = {}
    for page in built:
        if page.article is None:
            continue
        shown = page.article.select("data.checked, data.measured")
        blocks = page.article.select(
            ".language-pycon, .language-python, .language-python3, "
            ".language-py3, .language-ipython"
        )
        plain = page.article.select(".language-py, .language-text, .highlight")
        listings = [b for b in plain if "language-py" in b["class"]]
        pasted = [b for b in listings if not b.select_one(".filename")]
        prompts = [
            b
            for b in page.article.select("pre")
            if ">>> " in b.get_text()
            and not b.find_parent(class_="language-pycon")
        ]
        counts[page.name] = (
            len(shown),
            len(blocks) + len(pasted) + len(prompts),
        )
    return counts


def collected(root=ROOT):
    """Page name -> (checked numbers, executed blocks) as pytest runs them."""
    counts = {}
    for language in LANGUAGES:
        folder = Path(root, "docs", language)
        for path in sources_of(folder):
            parts = pages.scan(pages.read(path))
            blocks = sum(part.kind == "block" for part in parts)
            if path.suffix == ".py":
                cells = pages.cells(path.read_text("utf-8"))
                blocks += sum(kind == "code" for kind, _ in cells)
            name = path.relative_to(folder).with_suffix(".html").as_posix()
            prefix = "" if language == "en" else f"{language}/"
            count = sum(part.kind == "number" for part in parts)
            counts[prefix + name] = count, blocks
    return counts


def counts_differ(built, root=ROOT):
    """What a reader sees was run: the two counts agree on every page."""
    seen, run = rendered(built), collected(root)
    faults = []
    for name, want in run.items():
        for what, shown, ran in zip(
            ("checked numbers", "code blocks"),
            seen.get(name, (0, 0)),
            want,
            strict=True,
        ):
            if shown != ran:
                faults.append(f"{name}: shows {shown} {what}, {ran} were run")
    return faults


# --- The sources ------------------------------------------------------------

HEADING = re.compile(r"^(#{1,6})[ \t]+(.*?)[ \t]*$", re.MULTILINE)
HEADING_ID = re.compile(r"\{[^{}]*#([a-z][a-z0-9_.-]*)[^{}]*\}$")
DISPLAY = re.compile(
    r"\\begin\{(align|equation|gather)\*?\}.*?\\end\{\1\*?\}"
    r"|\$\$.*?\$\$|\\\[.*?\\\]",
    re.DOTALL,
)
IMAGE = re.compile(
    r"!\[[^\]]*\]\((?:\.\./)*figures/([\w-]+)\.svg\)(?:\{([^}]*)\})?"
)
LISTING = re.compile(r'\{ *\.py +title="([^"]+)" *\}')
SNIPPET = re.compile(r'--8<-- "([^":]+):([\w.-]+)"')
TEXTUAL = {"text", "console", "markdown", "toml", "yaml", "bash", "html"}
CITED_TAG = re.compile(r"\(([a-z_]+\.\d+[a-z]?)\)")
EQUATION_LINK = re.compile(
    r"\[([^\[\]]*)\]\(([^()\s]*#eq-[^()\s]*|[^()\s]*)\)"
)


def sources_of(folder):
    """Pages of a language: Markdown and experiments, sorted."""
    return sorted([*folder.glob("**/*.md"), *folder.glob("**/*.py")])


def page_names(language):
    """Pages of a language as paths in the site."""
    folder = ROOT / "docs" / language
    prefix = "" if language == "en" else "zh/"
    return [
        prefix + path.relative_to(folder).with_suffix(".html").as_posix()
        for path in sources_of(folder)
    ]


def prose(text):
    """A page's text with fences, comments and code spans blanked."""
    for pattern in pages.FENCE, pages.COMMENT, pages.CODE_SPAN:
        text = pages.blank(text, pattern)
    return text


def headings(text):
    """(title, id or None) of each heading, in order."""
    found = []
    for match in HEADING.finditer(prose(text)):
        place = HEADING_ID.search(match[2])
        found.append((match[2], place and place[1]))
    return found


def displays(text):
    """Displayed formulas with numbers, words in them left out."""
    found = []
    for match in DISPLAY.finditer(prose(text)):
        if r"\tag" in match.group():
            tex = re.sub(r"\\text\{[^{}]*\}", r"\\text{}", match.group())
            found.append(" ".join(tex.split()))
    return found


def figures(text):
    """(figure, lab or None) in order."""
    found = []
    for match in IMAGE.finditer(prose(text)):
        lab = re.search(r"\blab=[\"']?([\w-]+)", match[2] or "")
        found.append((match[1], lab and lab[1]))
    return found


def python_of(path):
    """Executed blocks and listings of a page, or cells of an experiment."""
    text = path.read_text("utf-8")
    if path.suffix == ".py":
        return [body for kind, body in pages.cells(text) if kind == "code"]
    return [
        match["body"].strip()
        for match in pages.FENCE.finditer(text)
        if is_python(match["info"].strip())
    ]


def is_python(info):
    return info == "python" or info.startswith("{")


def is_claim(expression):
    """True if an expression looks like a comparison."""
    try:
        node = ast.parse(expression.replace(r"\|", "|"), mode="eval").body
    except SyntaxError:
        return False
    return isinstance(node, ast.Compare | ast.BoolOp | ast.UnaryOp | ast.Call)


def worth(text):
    """The value of a link text, or None if it is not one number."""
    try:
        return numbers.read_literal(text).value
    except ValueError:
        return None


def parity(root=ROOT):
    """Both languages say the same: pages, ids, formulas, code, numbers."""
    docs = Path(root, "docs")
    names = {
        language: [
            path.relative_to(docs / language).as_posix()
            for path in sources_of(docs / language)
        ]
        for language in LANGUAGES
    }
    faults = [
        f"{language}/{name}: only in one language"
        for language, other in (LANGUAGES, LANGUAGES[::-1])
        for name in names[language]
        if name not in names[other]
    ]
    for name in names["en"]:
        if name in names["zh"]:
            faults += compare(name, docs / "en" / name, docs / "zh" / name)
    return faults


def compare(name, one, other):
    """Where two languages of a page part, one fault a kind."""
    faults = []
    texts = pages.read(one), pages.read(other)
    for language, text in zip(LANGUAGES, texts, strict=True):
        faults += [
            f"{language}/{name}: no ASCII id on “{title}”"
            for title, place in headings(text)
            if place is None
        ]
    for what, found in (
        ("headings", [[i for _, i in headings(text)] for text in texts]),
        ("numbered equations", [displays(text) for text in texts]),
        ("code", [python_of(path) for path in (one, other)]),
        ("figures and labs", [figures(text) for text in texts]),
        ("citations", [cited_keys(text) for text in texts]),
    ):
        if part := first_difference(*found):
            faults.append(f"{name}: {what} differ: {part}")
    return faults + compare_numbers(name, *texts)


def first_difference(left, right):
    """The first place where two lists part, as words; None if nowhere."""
    for a, b in zip_longest(left, right):
        if a != b:
            return f"en has {brief(a)}, zh has {brief(b)}"
    return None


def brief(item):
    text = " ".join(str(item).split())
    return text if len(text) < 60 else text[:57] + "…"


def cited_keys(text):
    """Keys of the sources that a page cites, sorted: word order differs."""
    found = [p.source for p in pages.scan(text) if p.kind == "cite"]
    return sorted(source.partition(",")[0].strip() for source in found)


def compare_numbers(name, one, other):
    """Same expressions in the same order, with the same values printed."""
    pair = [
        [p for p in pages.scan(text) if p.kind == "number"]
        for text in (one, other)
    ]
    part = first_difference(*[[p.source for p in found] for found in pair])
    if part:
        return [f"{name}: checked numbers differ: {part}"]
    faults = []
    for en, zh in zip(*pair, strict=True):
        left, right = worth(en.text), worth(zh.text)
        if left == right or (None in (left, right) and is_claim(en.source)):
            continue
        faults.append(
            f"{name}: {en.source} is [{en.text}] in en, [{zh.text}] in zh"
        )
    return faults


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
        for match in SNIPPET.finditer(prose(text)):
            line = text.count("\n", 0, match.start()) + 1
            faults.append(f"{where}:{line}: a snippet outside a listing")
    return faults


def texts(root=ROOT):
    """(name, text) of each page and the README; experiments as Markdown."""
    paths = [
        path
        for language in LANGUAGES
        for path in sources_of(Path(root, "docs", language))
    ]
    readme = Path(root, "README.md")
    for path in [*paths, *([readme] if readme.exists() else [])]:
        yield path.relative_to(root).as_posix(), pages.read(path)


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


def figure_use(root=ROOT):
    """Each figure used has a script, each script is used."""
    used = {}
    for where, text in texts(root):
        for name, _ in figures(text):
            used.setdefault(name, where)
    drawn = {
        path.stem
        for path in Path(root, "figures_src").glob("*.py")
        if re.search(r"^def figure\(", path.read_text("utf-8"), re.MULTILINE)
    }
    faults = [
        f"{where}: no figures_src/{name}.py with a figure()"
        for name, where in sorted(used.items())
        if name not in drawn
    ]
    faults += [
        f"figures_src/{name}.py: used on no page"
        for name in sorted(drawn - used.keys() - {"logo"})
    ]
    return faults


def tags_of(root=ROOT):
    """All equation numbers of the English pages, in order."""
    found = []
    for path in sources_of(Path(root, "docs", "en")):
        text = prose(pages.read(path))
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
        blanked = prose(text)
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


def contents(root=ROOT):
    """Both tables of contents list the same files in the same order."""
    from mkdocs.utils import yaml_load

    listed = []
    for name in "mkdocs.yml", "mkdocs.zh.yml":
        with Path(root, name).open("rb") as file:
            listed.append(leaves(yaml_load(file)["nav"]))
    part = first_difference(*listed)
    return [f"mkdocs.zh.yml: the contents differ: {part}"] if part else []


def leaves(nav):
    """Files of a table of contents, in order."""
    if isinstance(nav, str):
        return [nav]
    below = nav.values() if isinstance(nav, dict) else nav
    return [leaf for item in below for leaf in leaves(item)]


# --- Weights ----------------------------------------------------------------

KB = 1024
INDEX, LAB, OWN = 400 * KB, 60 * KB, 5 * KB


@cache
def compressed(path):
    """Bytes of a file as a host sends it."""
    return len(gzip.compress(Path(path).read_bytes(), 6))


def weights(built, site):
    """Search indexes and scripts of the book's own are within bounds."""
    site = Path(site)
    faults = []
    for path in sorted(site.glob("**/search/search_index.*")):
        if (size := compressed(path)) > INDEX:
            name = path.relative_to(site).as_posix()
            faults.append(f"{name}: {size // KB} KB compressed, bound 400")
    for page in built:
        own = [name for name in scripts(page) if is_own(name)]
        has_lab = bool(page.tree.select("seq-lab"))
        size = sum(compressed(site / n) for n in own if (site / n).exists())
        bound = LAB if has_lab else OWN
        if size > bound:
            faults.append(
                f"{page.name}: own scripts {size // KB} KB compressed, "
                f"bound {bound // KB}"
            )
    return faults


def scripts(page):
    """Scripts that a page loads, as paths in the site, each once."""
    folder = PurePosixPath(page.name).parent
    found = [tag["src"] for tag in page.tree.select("script[src]")]
    return list(dict.fromkeys(normal(f"{folder}/{src}") for src in found))


# --- All of it --------------------------------------------------------------


def of_sources(root=ROOT):
    """Faults of the book's text."""
    checks = parity, fences, figure_use, equations, contents
    return [fault for check in checks for fault in check(root)]


def of_site(site, root="/"):
    """Faults of a built site."""
    built = read(site)
    if not built:
        return [f"{site}: there is no page"]
    return [
        *links(built, site, root),
        *ids(built),
        *leftovers(built),
        *notebooks(site),
        *foreign(built, site),
        *pictures(built),
        *unaccounted(built),
        *counts_differ(built),
        *weights(built, site),
    ]


def main(arguments):
    sys.stdout.reconfigure(encoding="utf-8")
    faults = of_sources()
    for site in arguments:
        faults += of_site(site)
    print("\n".join(faults) or "nothing to find fault with")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
