"""What the built pages point at and load: nothing dead, nothing foreign."""

import re
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

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


def dead(address, origin, site, ids, root):
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
