"""The Markdown extension: what is the book's own in a page's source.

Checked numbers, citations, typeset mathematics with linkable equation
numbers, figures in two schemes with caption and script, labs, and the
generated tables. It is a plain Python-Markdown extension, so any generator
that runs Python-Markdown shows the same pages.
"""

import html
import re
import textwrap
import xml.etree.ElementTree as etree

from markdown.extensions import Extension
from markdown.inlinepatterns import InlineProcessor
from markdown.postprocessors import Postprocessor
from markdown.preprocessors import Preprocessor
from markdown.treeprocessors import Treeprocessor
from markdown.util import AtomicString

from bookproof.book import here
from bookproof.lint import text as lint
from bookproof.read import citations, listings, numbers, pages
from bookproof.run import notebooks, proofs
from bookproof.show import glossary, mathematics
from bookproof.show import tables as generated
from bookproof.show.words import WORDS

MARK = "\ue000"  # before a number's place on the page; nobody types it
CJK = "\u3000-\u30ff\u3400-\u9fff\uff00-\uffef"
STOPS = "、。，：；！？）」"
INLINE_TAGS = r"(?:</?(?:strong|em|a|data|code|span|abbr)\b[^>]*>)*"


class Check(Preprocessor):
    """Hold the page against its code and the checks of its source.

    Each checked number gets its place on the page, behind a mark.
    """

    def __init__(self, md, page):
        super().__init__(md)
        self.page = page

    def run(self, lines):
        text = "\n".join(lines)
        self.page.check(text)
        changes = [
            (part.start, part.end, f'[{part.text}](#= "{MARK}{place}")')
            for place, part in enumerate(checked_links(text))
        ]
        changes += [
            (fence.start, fence.end, as_session(text, fence))
            for fence in pages.fences(text)
            if fence.info == "python" and ">>> " in fence.body
        ]
        for start, end, new in sorted(changes, reverse=True):
            text = text[:start] + new + text[end:]
        return text.split("\n")


def checked_links(text):
    return [part for part in pages.links(text) if part.kind == "number"]


def as_session(text, fence):
    """A fence that holds a doctest, to be coloured as a session."""
    return text[fence.start : fence.end].replace("python", "pycon", 1)


class Listings(Preprocessor):
    """Put the lines that a listing names in its place."""

    def __init__(self, md, page):
        super().__init__(md)
        self.page = page

    def run(self, lines):
        return listings.SNIPPET.sub(self.cut, "\n".join(lines)).split("\n")

    def cut(self, match):
        try:
            code = listings.cut(here().root / match[2], match[3])
        except ValueError as error:
            if self.page.serving:  # the page says what is wrong
                return match.group()
            raise ValueError(f"{self.page.source}: {error}") from None
        return textwrap.indent(code, match[1])


class CheckedNumber(InlineProcessor):
    """A link to `#=` becomes <data> with its proof as tooltip."""

    def __init__(self, pattern, md, page):
        super().__init__(pattern, md)
        self.page = page

    def handleMatch(self, match, data):
        place = match.group(2).removeprefix(MARK)
        if place == match.group(2):
            raise ValueError(
                f"{self.page.source}: [{match.group(1)}](#= …) stands where "
                "no checked number is looked for, in code or a comment"
            )
        if self.page.proof is None:  # served with a fault in it
            element = etree.Element("data")
        else:
            element = data_element(self.page, int(place))
        if element.text is None:
            element.text = match.group(1)
        return element, match.start(0), match.end(0)


def data_element(page, place):
    """<data> for the place-th number of a page; text only if filled in."""
    proof = page.proof.numbers[place]
    word = page.words["measured" if proof["fill"] else "checked"]
    element = etree.Element("data")
    element.set("id", f"n-{place + 1}")
    element.set("class", "measured" if proof["fill"] else "checked")
    element.set("value", proof["shown"])
    element.set("tabindex", "0")
    comma = "，" if page.language == "zh" else ", "
    element.set("title", tooltip(proof, comma + word))
    if proof["fill"]:
        element.text = AtomicString(proof["fill"])
    return element


def tooltip(proof, tail):
    """`0.9**100 = 2.656e-05, checked`; a claim is its own proof."""
    expression = proof["expression"].replace(r"\|", "|")
    if proof["shown"] == "true" or proof["fill"]:
        return expression + tail
    return f"{expression} = {proof['shown']}{tail}"


class Citation(InlineProcessor):
    """A link to `#cite` leads to the entry in the list of references."""

    def __init__(self, pattern, md, page):
        super().__init__(pattern, md)
        self.page = page

    def handleMatch(self, match, data):
        element = etree.Element("a")
        try:
            name, locator = citations.split(match.group(2))
        except ValueError:
            if not self.page.serving:
                raise
            name, locator = match.group(2), ""
            return element, match.start(0), match.end(0)
        element.set("class", "cite")
        element.set("href", f"{self.page.up}references.md#{name}")
        element.set("title", f"{citations.short(name)}, {locator}")
        element.text = match.group(1)
        return element, match.start(0), match.end(0)


class Typeset(Treeprocessor):
    """Mathematics found by arithmatex -> KaTeX; equations get their ids."""

    def __init__(self, md, page):
        super().__init__(md)
        self.page = page

    def run(self, root):
        for parent in list(root.iter()):
            for child in list(parent):
                if child.get("class") == "arithmatex":
                    self.replace(parent, child)

    def replace(self, parent, element):
        text = html.unescape(element.text or "").strip()
        display = text.startswith("\\[")
        tex = text[2:-2].strip()
        try:
            typeset = mathematics.typeset(tex, display)
        except ValueError as error:
            raise ValueError(f"{self.page.where(tex)}: {error}") from None
        element.text = self.md.htmlStash.store(typeset)
        element.tag = "div" if display else "span"
        element.set("class", "equation" if display else "formula")
        tags = mathematics.tags(tex)
        for tag in reversed(tags):
            anchor = etree.Element("span")
            anchor.set("id", mathematics.equation_id(tag))
            anchor.set("class", "anchor")
            if tag is not tags[0]:
                parent.insert(list(parent).index(element), anchor)
        if tags:
            element.set("id", mathematics.equation_id(tags[0]))


class Figures(Treeprocessor):
    """`![alt](figures/name.svg)`, then `*caption*` -> a figure, a lab."""

    def __init__(self, md, page):
        super().__init__(md)
        self.page = page

    def run(self, root):
        for parent in list(root.iter()):
            children = list(parent)
            for paragraph in children:
                image = only_child(paragraph, "img")
                if image is not None and is_figure(image):
                    self.replace(parent, paragraph, image)

    def replace(self, parent, paragraph, image):
        place = list(parent).index(paragraph)
        name = image.get("src").removeprefix("figures/").removesuffix(".svg")
        figure = etree.Element("figure")
        figure.set("id", f"fig-{name.replace('_', '-')}")
        for suffix in "", "-dark":
            figure.append(picture(image, name, suffix, self.page.up))
        caption = etree.SubElement(figure, "figcaption")
        following = list(parent)[place + 1 : place + 2]
        if following and only_child(following[0], "em") is not None:
            em = following[0][0]
            caption.text, caption[:] = em.text, list(em)
            parent.remove(following[0])
        link = etree.Element("a")
        link.set("class", "script")
        link.set("href", f"{self.page.up}figures/{name}.py.txt")
        link.text = self.page.words["script"]
        if len(caption):
            caption[-1].tail = (caption[-1].tail or "") + " "
        else:
            caption.text = (caption.text or "") + " "
        caption.append(link)
        lab = image.get("lab")
        parent[place] = lab_element(lab, figure) if lab else figure


def only_child(paragraph, tag):
    """The one child of a paragraph that holds nothing else, or None."""
    if paragraph.tag != "p" or len(paragraph) != 1:
        return None
    child = paragraph[0]
    alone = not ((paragraph.text or "") + (child.tail or "")).strip()
    return child if child.tag == tag and alone else None


def is_figure(image):
    return image.get("src", "").startswith("figures/")


def picture(image, name, suffix, up):
    """One scheme's <picture>: its phone copy, and the wide one."""
    element = etree.Element("picture")
    element.set("class", "only-dark" if suffix else "only-light")
    phone = etree.SubElement(element, "source")
    phone.set("media", "(max-width: 37.5em)")
    sized(phone, "srcset", up, f"{name}{suffix}-phone")
    wide = etree.SubElement(element, "img")
    wide.set("alt", image.get("alt", ""))
    wide.set("loading", "lazy")
    sized(wide, "src", up, f"{name}{suffix}")
    return element


def sized(element, attribute, up, drawing):
    """Point at a drawing, with the size that keeps the page from jumping."""
    element.set(attribute, f"{up}figures/{drawing}.svg")
    drawn = here().cache / "figures" / f"{drawing}.svg"
    if drawn.exists():
        head = drawn.read_text(encoding="utf-8")[:2000]
        size = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', head)
        element.set("width", f"{float(size[1]) * 4 / 3:.0f}")
        element.set("height", f"{float(size[2]) * 4 / 3:.0f}")


def lab_element(name, figure):
    """The lab's element around its picture, and the script that wakes it."""
    box = etree.Element("div")
    box.set("class", "lab")
    lab = etree.SubElement(box, "seq-lab")
    lab.set("name", name)
    lab.append(figure)
    script = etree.SubElement(box, "script")
    script.set("src", f"assets/labs/{name}.js")
    script.set("defer", "defer")
    return box


class Additions(Treeprocessor):
    """Reading time under the title, generated tables, what was run; on a
    served page also what is wrong with it."""

    def __init__(self, md, page):
        super().__init__(md)
        self.page = page

    def run(self, root):
        if self.page.faults:
            root.insert(0, fault_box(self.page.faults))
        wrap_tables(root)
        for i, child in enumerate(list(root)):
            marker = re.fullmatch(r"\[\[(\w+)\]\]", (child.text or "").strip())
            if child.tag == "p" and marker and not len(child):
                root[i] = generated.table(marker[1], self.page.language)
        if not self.page.proof:
            return
        heading = next((c for c in root if c.tag == "h1"), None)
        if heading is not None and self.page.minutes >= 3:
            time = etree.Element("p")
            time.set("class", "minutes generated")
            words = self.page.words["minutes"]
            time.text = AtomicString(words.format(self.page.minutes))
            root.insert(list(root).index(heading) + 1, time)
        root.append(self.page.colophon())


def fault_box(faults):
    """What is wrong with a page, file and line, at its top."""
    box = etree.Element("div")
    box.set("class", "admonition failure generated")
    box.set("role", "alert")
    for fault in faults:
        etree.SubElement(box, "p").text = AtomicString(fault)
    return box


def wrap_tables(root):
    """Give every table a box that scrolls; a class keeps the theme from
    doing the same later, when the page would jump."""
    for parent in list(root.iter()):
        for i, child in enumerate(list(parent)):
            if child.tag == "table" and not child.get("class"):
                box = etree.Element("div")
                box.set("class", "table")
                if full_of_prose(child):
                    box.set("class", "table prose")
                    generated.label(child)
                box.tail, child.tail = child.tail, None
                child.set("class", "cells")
                parent[i] = box
                box.append(child)


def full_of_prose(table):
    """Whether its cells hold sentences, too long for columns on a phone.

    A Chinese character says as much as about three letters.
    """
    cells = ["".join(cell.itertext()) for cell in table.iter("td")]
    columns = len(table.findall("thead/tr/th"))
    letters = sum(1 + 2 * (c >= "⺀") for cell in cells for c in cell)
    return columns > 2 and letters > 35 * len(cells)


class Terms(Treeprocessor):
    """The first use of a glossary term leads to where it is explained."""

    def __init__(self, md, page):
        super().__init__(md)
        self.page = page

    def run(self, root):
        if self.page.name != "glossary.md":
            page = self.page
            glossary.mark(root, page.language, page.name, page.up)


class ListingLinks(Postprocessor):
    """The title of a listing leads to what it shows in the reference."""

    TITLE = re.compile(r'(<span class="filename">)(\w+/\w+\.py)(</span>)')

    def __init__(self, md, page):
        super().__init__(md)
        self.page = page

    def run(self, text):
        shown = iter(self.page.listings)

        def link(match):
            path, names = next(shown, (None, None))
            library, _, module = match[2].removesuffix(".py").partition("/")
            if path != match[2] or library != here().library:
                return match.group()
            name = f"{library}.{module}.{listings.title(names)}"
            href = f"{self.page.up}api/{module}.html#{name}"
            return f'{match[1]}<a href="{href}">{match[2]}</a>{match[3]}'

        return self.TITLE.sub(link, text)


class JoinChinese(Postprocessor):
    """A line break between two Chinese characters is no space.

    Nor is one after a Chinese stop, whatever follows.
    """

    BREAK = re.compile(
        rf"([{CJK}]{INLINE_TAGS})\n({INLINE_TAGS}[{CJK}])"
        rf"|([{STOPS}]{INLINE_TAGS})\n"
    )

    def run(self, text):
        return "".join(
            piece if piece.startswith("<pre") else self.join(piece)
            for piece in re.split(r"(<pre.*?</pre>)", text, flags=re.DOTALL)
        )

    def join(self, text):
        # Twice: a character may end one break and begin the next.
        return self.BREAK.sub(r"\1\2\3", self.BREAK.sub(r"\1\2\3", text))


class Page:
    """The page in hand: its language, its file, its proof, its faults."""

    def __init__(self, language, up="", name="", serving=False):
        self.language = language
        self.name = name  # its source, gru.md
        self.up = up  # from the page's folder to that of the chapters
        self.serving = serving
        self.words = WORDS.get(language, WORDS["en"])
        self.proof = proofs.Proof()  # None while a served page is wrong
        self.faults = []
        self.listings = []
        self.minutes = 0
        self.text, self.above = "", 0

    @property
    def source(self):
        """The page's file as a fault names it."""
        if not self.name:
            return "page"
        path = here().pages(self.language) / self.name
        if path.suffix == ".ipynb":
            path = path.with_suffix(".py")
        return here().name(path)

    def check(self, text):
        """Prove a page and pass it through the checks of its source.

        Raises FalsePage with a line for each fault; a page that is served
        while it is written shows them instead.
        """
        self.text, self.above = text, lines_above(self.source, text)
        self.listings = listings.shown(text)
        self.minutes = reading_minutes(text)
        try:
            if self.name.endswith(".ipynb"):
                self.proof = notebooks.prove(here().root / self.source)
            else:
                self.pass_checks(text)
                self.proof = proofs.prove(text, self.source, self.above)
        except (proofs.FalsePage, notebooks.FailedCell) as error:
            if not self.serving:
                raise
            self.faults, self.proof = str(error).splitlines(), None

    def pass_checks(self, text):
        if not (here().root / self.source).is_file():
            return  # made by the build: text of nobody
        source = lint.Source(self.source, self.language, text)
        if wrong := lint.faults_of(source):
            raise proofs.FalsePage(
                "\n".join(
                    f"{self.source}:{line + self.above}: {sentence}"
                    for line, sentence in wrong
                )
            )

    def where(self, piece):
        """File and line at which a piece of the page's source stands."""
        place = self.text.find(piece.splitlines()[0].strip())
        if place < 0:
            return self.source
        line = pages.line_of(self.text, place) + self.above
        return f"{self.source}:{line}"

    def colophon(self):
        """The line that says what was run for this page."""
        proof = self.proof
        versions = [f"{k} {v}" for k, v in proof.versions.items()]
        line = self.words["ran"].format(
            blocks=proof.blocks,
            numbers=len(proof.numbers),
            versions=self.words["comma"].join(versions),
            date=proof.date.replace("-", "\u2011"),  # on one line
        )
        paragraph = etree.Element("p")
        paragraph.set("class", "colophon generated")
        paragraph.set("data-search-exclude", "")
        paragraph.text = AtomicString(line + " ")
        if (here().pages(self.language) / "numbers.md").exists():
            link = etree.SubElement(paragraph, "a")
            link.set("href", f"{self.up}numbers.md")
            link.text = AtomicString(self.words["ledger"])
        return paragraph


def lines_above(name, text):
    """Lines of a page's file above its text: MkDocs takes front matter off."""
    path = here().root / name
    if not path.is_file() or path.suffix != ".md":
        return 0
    whole = path.read_text(encoding="utf-8")
    return len(whole.rstrip().splitlines()) - len(text.rstrip().splitlines())


def reading_minutes(text):
    """Minutes at 230 English words or 400 Chinese characters a minute."""
    spans = [(fence.start, fence.end) for fence in pages.fences(text)]
    prose = pages.blank(text, spans)
    characters = len(re.findall(r"[\u4e00-\u9fff]", prose))
    words = len(re.findall(r"[A-Za-z][A-Za-z'-]+", prose))
    code = sum(fence.body.count("\n") for fence in pages.fences(text))
    return round(characters / 400 + words / 230 + code / 30)


class Press(Extension):
    """Settings: language, "en" or "zh"."""

    def __init__(self, **settings):
        self.config = {
            "language": ["en", "language of the page"],
            "up": ["", "way up to the first folder of pages: ../"],
            "page": ["", "source of the page in its folder: gru.md"],
            "serving": [False, "show faults on the page, don't stop at them"],
        }
        super().__init__(**settings)

    def extendMarkdown(self, md):
        page = Page(*map(self.getConfig, self.config))
        link = numbers.LINK.pattern
        # Before fences (25): the source as its author left it. Numbers
        # between code spans (190) and mathematics (189.9), so that neither
        # is read in the other.
        md.preprocessors.register(Check(md, page), "check", 40)
        md.preprocessors.register(Listings(md, page), "listings", 39)
        md.inlinePatterns.register(
            CheckedNumber(link, md, page), "checked", 189.95
        )
        cite = Citation(pages.CITE.pattern, md, page)
        md.inlinePatterns.register(cite, "cite", 189.94)
        # After inline patterns (20) and attribute lists (8), before ids are
        # collected (5) and links resolved (0).
        trees = md.treeprocessors
        trees.register(Typeset(md, page), "typeset", 7.9)
        trees.register(Figures(md, page), "figures", 7.8)
        trees.register(Additions(md, page), "additions", 7.7)
        trees.register(Terms(md, page), "terms", 7.6)
        md.postprocessors.register(ListingLinks(md, page), "listings", -9)
        md.postprocessors.register(JoinChinese(md), "chinese", -10)


def makeExtension(**settings):
    return Press(**settings)
