"""What every test in a browser does with a page: open, listen, look."""

from bookproof.book import here
from bookproof.site.browser import FRAME

SIZES = {
    "desktop": {"width": 1280, "height": 800},
    "phone": {"width": 360, "height": 740},
}
AXE = here().root / "node_modules" / "axe-core" / "axe.min.js"

# In each page, before its own scripts: `shifts`, what moved although nobody
# touched it, and `nextFrame()`, a promise that the page is drawn.
PREPARED = f"""
window.nextFrame = {FRAME};
window.shifts = [];
new PerformanceObserver((list) => {{
  for (const entry of list.getEntries())
    if (!entry.hadRecentInput)
      shifts.push([entry.value, ...entry.sources.map((s) =>
        s.node?.parentElement?.outerHTML?.slice(0, 120))]);
}}).observe({{ type: "layout-shift", buffered: true }});
"""


def listen(page, base, complaints):
    """Note what goes wrong while a page is used."""

    def console(message):
        # The address that the 404 page stands at is its one failure.
        wanted = (
            "404 (" in message.text and "nowhere" in message.location["url"]
        )
        if message.type in ("error", "warning") and not wanted:
            complaints.append(f"console: {message.text}")

    def request(asked):
        if not asked.url.startswith((base, "data:", "blob:")):
            complaints.append(f"asked for {asked.url}")

    def failed(asked):
        if asked.failure != "net::ERR_ABORTED":  # the reader went on
            complaints.append(f"failed: {asked.url} {asked.failure}")

    def response(answer):
        if answer.status >= 400 and "nowhere" not in answer.url:
            complaints.append(f"{answer.status} {answer.url}")

    page.on("console", console)
    page.on("pageerror", lambda error: complaints.append(f"script: {error}"))
    page.on("request", request)
    page.on("response", response)
    page.on("requestfailed", failed)


def violations(page, within="html"):
    """What axe finds in the elements of a selector: a line for each.

    Formulas as drawn are hidden from readers' tools and half of a page's
    elements: axe passes them by, `faint` and `in_formulas` do not.
    """
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.read_text("utf-8"))
    found = page.evaluate(AUDIT, within)
    return [violation(v) for v in found]


AUDIT = """async (within) => {
  const where = { include: [within], exclude: [".katex-html"] };
  return (await axe.run(where, { resultTypes: ["violations"] })).violations;
}"""


def violation(found):
    node = found["nodes"][0]
    checks = [*node["any"], *node["all"], *node["none"]]
    why = checks[0]["message"] if checks else found["help"]
    return f"{found['id']}: {node['html'][:150]}: {why}"
