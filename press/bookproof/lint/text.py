"""What must hold of one page's source, each fault with its line.

A check takes a Source and yields (line, sentence). CHECKS are all of them:
the build stops at what they find, and `python -m bookproof.lint` prints it.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from bookproof import sources
from bookproof.book import here
from bookproof.read import citations, listings, pages
from bookproof.run import doctests
from bookproof.run.figures import scripts as figure_scripts
from bookproof.show import glossary, mathematics

DISPLAY = re.compile(
    r"\\begin\{(align|equation|gather)\*?\}.*?\\end\{\1\*?\}"
    r"|\$\$.*?\$\$|\\\[.*?\\\]",
    re.DOTALL,
)
IMAGE = re.compile(
    r"!\[[^\]]*\]\((?:\.\./)*figures/([\w-]+)\.svg\)(?:\{([^}]*)\})?"
)
LISTING = re.compile(r'\{ *\.py +title="([^"]+)" *\}')
TEXTUAL = {"text", "console", "markdown", "toml", "yaml", "bash", "html"}
CITED_TAG = re.compile(r"\(([a-z_]+\.\d+[a-z]?)\)")
PLAIN_LINK = re.compile(r"(?<!!)\[([^\[\]]*)\]\(([^()\s]*)\)")
HEADING = re.compile(
    r"^(?P<quote>[ \t>]*)(?P<marks>#{1,6})[ \t]+(?P<title>.*?)[ \t]*$", re.M
)
HEADING_ID = re.compile(r"\{[^{}]*#([a-z][a-z0-9_.-]*)[^{}]*\}$")
ANY_ID = re.compile(r"\{[^{}\n]*#([\w.-]+)[^{}\n]*\}|\bid=[\"']?([\w.:-]+)")
UNDERLINED = re.compile(
    r"^[ \t>]*(?=\S)(?![-=|#>*+])[^\n]+\n[ \t>]*(=+|-{2,})$", re.M
)
RAW_HEADING = re.compile(r"<h[1-6](?![^>]*\bid=)[^>]*>", re.I)

COUNTED = {
    **{"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7},
    **{"eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12},
    **{"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "hundred": 100},
    **{"两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8},
    **{"九": 9, "十": 10, "二十": 20, "一百": 100},
}
ANNOUNCED = re.compile(
    rf"(?:\b(?:[Tt]he (?:first|last)|[Hh]ere are|[Tt]hese)\ "
    rf"(?P<en>{'|'.join(w for w in COUNTED if w.isascii())})\b"
    rf"|(?:最?[前后]|下面是|以下是|这是)"
    rf"(?P<zh>{'|'.join(w for w in COUNTED if not w.isascii())})"
    r"[个条行句步组])[^\n]*[:：]$"
)


@dataclass(frozen=True)
class Source:
    """A page's source: its file below the book, its language, its text."""

    name: str
    language: str | None  # None: a file that is no page, such as README.md
    text: str

    @property
    def path(self):
        return here().root / self.name


def page_sources():
    """Source of each page of the book, and of its README."""
    for language in here().languages:
        for path in pages.sources_of(here().pages(language)):
            yield source_of(path, language)
    readme = here().root / "README.md"
    if readme.exists():
        yield source_of(readme, None)


def source_of(path, language):
    """Source of a file; of an experiment only its prose is left."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        from bookproof.run.notebooks import as_page

        text = as_page(text)
    return Source(here().name(path), language, text)


def page_names(language):
    """Pages of a language as paths in the site."""
    folder = here().pages(language)
    leads = language == next(iter(here().languages))
    return [
        ("" if leads else f"{language}/")
        + path.relative_to(folder).with_suffix(".html").as_posix()
        for path in pages.sources_of(folder)
    ]


# --- Checks -----------------------------------------------------------------


def unclosed(source):
    """What is opened is closed."""
    if source.text.startswith("\ufeff"):
        yield 1, "the file begins with a byte-order mark"
    yield from pages.layout(source.text).faults


def fences(source):
    """Every fence is run, or a listing from the library, or no Python."""
    for fence in pages.fences(source.text):
        if wrong := wrong_fence(fence):
            yield fence.line, wrong
    for match in listings.SNIPPET.finditer(pages.prose(source.text)):
        line = pages.line_of(source.text, match.start())
        yield line, "a snippet outside a listing"


def wrong_fence(fence):
    """What is wrong with a fence, or None."""
    if fence.info == "python" and fence.mark == "```":
        return None
    if listing := LISTING.fullmatch(fence.info):
        shown = listings.shown(fence.body)
        if len(shown) != 1 or fence.body.count("--8<--") != 1:
            return "a listing holds exactly one snippet line"
        file, names = shown[0]
        if file != listing[1]:
            return f"titled {listing[1]}, but shows {file}"
        try:
            listings.cut(here().root / file, names)
        except ValueError as error:
            return str(error)
        return None
    if fence.info in TEXTUAL and ">>> " not in fence.body:
        return None
    if fence.info == "markdown" and len(fence.mark) > 3:  # a page's source
        return None
    return f"a fence of “{fence.info}” is never run"


def headings(source):
    """Every heading has an id of its own, and is written with #."""
    if source.language is None:
        return
    text = pages.prose(source.text)
    for match in HEADING.finditer(text):
        if not HEADING_ID.search(match["title"]):
            line = pages.line_of(text, match.start())
            yield line, f"no ASCII id on “{match['title']}”"
    for pattern, what in (
        (UNDERLINED, "a heading that is underlined has no id: write ##"),
        (RAW_HEADING, "a heading in HTML has no id"),
    ):
        for match in pattern.finditer(without_front_matter(text)):
            yield pages.line_of(text, match.start()), what


def without_front_matter(text):
    """A page's text with its front matter blanked."""
    match = re.match(r"---\n.*?\n---\n", text, re.DOTALL)
    return pages.blank(text, [match.span()]) if match else text


def figures_and_labs(source):
    """A figure that is shown has a script, a lab that is named exists."""
    from bookproof.site.assets import labs

    text = pages.prose(source.text)
    for match in IMAGE.finditer(text):
        line = pages.line_of(text, match.start())
        if sources.figure_script(match[1]) is None:
            folder = here().figures
            yield line, f"no {match[1]}.py in {folder}/ draws this figure"
        lab = lab_of(match)
        if lab and lab not in labs():
            yield line, f"there is no lab {lab} in docs/assets/labs/"


def lab_of(image):
    """The lab that a figure wakes, or None."""
    lab = re.search(r"\blab=[\"']?([\w-]+)", image[2] or "")
    return lab and lab[1]


def figures(text):
    """(figure, lab or None) in order."""
    return [(m[1], lab_of(m)) for m in IMAGE.finditer(pages.prose(text))]


def cited_sources(source):
    """A citation names an entry of the bibliography, and a place in it."""
    for part in pages.links(source.text):
        if part.kind != "cite":
            continue
        try:
            citations.split(part.source)
        except ValueError as error:
            yield part.line, str(error)
        folder = source.language and here().pages(source.language)
        if folder and not (folder / "references.md").exists():
            yield part.line, "a citation leads to references.md: there is none"


def equations(source):
    """(gru.4) stands for an equation that there is; a link leads to it."""
    text = pages.prose(source.text)
    known = known_tags()
    prefixes = {tag.partition(".")[0] for tag in known}
    for tag, line in tags(text):
        if not re.fullmatch(r"[a-z]+\.\d+[a-z]?", tag):
            yield line, f"an equation is numbered like gru.4, not {tag}"
    for match in CITED_TAG.finditer(text):
        tag = match[1]
        if tag.partition(".")[0] in prefixes and tag not in known:
            line = pages.line_of(text, match.start())
            yield line, f"no equation has the number ({tag})"
    for match in PLAIN_LINK.finditer(text):
        said = CITED_TAG.findall(match[1])
        target = match[2].partition("#")[2]
        if said and [mathematics.equation_id(t) for t in said] != [target]:
            line = pages.line_of(text, match.start())
            yield line, f"[{match[1]}] leads to #{target}"


def links(source):
    """A link within the book leads to a page, and to a place on it."""
    if source.language is None:
        return
    text = pages.prose(source.text)
    for match in PLAIN_LINK.finditer(text):
        address, _, place = match[2].partition("#")
        if ":" in address or match[2].startswith("#="):
            continue
        if address and not address.endswith(".md"):
            continue
        line = pages.line_of(text, match.start())
        target = (source.path.parent / address) if address else source.path
        if not target.is_file():
            if not address.startswith(("api/", "../api/")):
                yield line, f"{match[2]} leads to no page"
        elif place and place not in places(target, source.language):
            yield line, f"{match[2]} leads to no place on that page"


def counted_words(source):
    """“Here are three of them:” stands before three lines, or three words.

    No expression proves such a number: what it counts comes only after it.
    """
    text = pages.prose(source.text)
    for fence in pages.fences(source.text):
        said = ANNOUNCED.search(text[: fence.start].rstrip())
        if not said:
            continue
        word = said["en"] or said["zh"]
        examples = doctests.examples(fence.body)
        shown = "".join(e.want for e in examples) or fence.body
        counts = {len(shown.splitlines()), len(shown.split())}
        if COUNTED[word.lower()] not in counts:
            lines, words = sorted(counts)[0], sorted(counts)[-1]
            yield (
                fence.line,
                f"“{said.group().strip()}” announces {lines} lines or "
                f"{words} words",
            )


CHECKS = [
    unclosed,
    fences,
    counted_words,
    headings,
    figures_and_labs,
    cited_sources,
    equations,
    links,
]


def faults_of(source):
    """(line, sentence) of all that the checks find, in order."""
    found = list(unclosed(source))
    if not found:  # else what follows is read as something that it is not
        found = [fault for check in CHECKS for fault in check(source)]
    return sorted(found)


def pages_hold():
    """Every page passes every check of this module."""
    return [
        f"{source.name}:{line}: {sentence}"
        for source in page_sources()
        for line, sentence in faults_of(source)
    ]


# --- What the pages hold together -------------------------------------------


def tags(prose):
    """(number, line) of the equations in a page's prose."""
    for display in DISPLAY.finditer(prose):
        for match in mathematics.TAG.finditer(display.group()):
            yield (
                match[1],
                pages.line_of(prose, display.start(0) + match.start()),
            )


def known_tags():
    """All equation numbers of the leading language, in order."""
    first = next(iter(here().languages))
    return [
        tag
        for path in pages.sources_of(here().pages(first))
        for tag in tags_of(path.read_text(encoding="utf-8"))
    ]


@lru_cache(maxsize=256)
def tags_of(text):
    return [tag for tag, _ in tags(pages.prose(text))]


def places(path, language):
    """The ids that a link to a page can end with."""
    return places_of(path.read_text(encoding="utf-8"), path.name, language)


@lru_cache(maxsize=256)
def places_of(text, name, language):
    words = pages.prose(text)
    found = {a or b for a, b in ANY_ID.findall(words)}
    found |= {mathematics.equation_id(tag) for tag in tags_of(text)}
    found |= {f"fig-{n.replace('_', '-')}" for n, _ in figures(text)}
    count = sum(part.kind == "number" for part in pages.links(text))
    found |= {f"n-{n}" for n in range(1, count + 1)}
    if "[[glossary]]" in text:
        found |= glossary.terms().keys()
    if "[[references]]" in text:
        found |= citations.bibliography().keys()
    return found


def figures_used():
    """Every figure script is shown on some page."""
    used = {name for s in page_sources() for name, _ in figures(s.text)}
    try:
        known = figure_scripts()
    except ValueError as error:
        return [str(error)]
    return [
        f"{here().name(path)}: used on no page"
        for name, path in known.items()
        if name not in used | {"logo"}
        and re.search(r"^def figure\(", path.read_text("utf-8"), re.M)
    ]


def equations_once():
    """An equation number is given once, and the library cites real ones."""
    known = known_tags()
    faults = [
        f"({tag}) numbers {known.count(tag)} equations"
        for tag in sorted(set(known))
        if known.count(tag) > 1
    ]
    prefixes = {tag.partition(".")[0] for tag in known}
    library = here().root / here().library
    for path in sorted(library.glob("*.py")) if here().library else ():
        text = path.read_text("utf-8")
        for match in CITED_TAG.finditer(text):
            tag = match[1]
            if tag.partition(".")[0] in prefixes and tag not in known:
                where = (
                    f"{here().name(path)}:{pages.line_of(text, match.start())}"
                )
                faults.append(f"{where}: no page has \\tag{{{tag}}}")
    return faults
