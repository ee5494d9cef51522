// Small help for every page: what scrolls can be reached by keyboard.
const SCROLLS = ".equation, .table, .highlight pre";

function reachable() {
  for (const box of document.querySelectorAll(SCROLLS)) {
    if (box.scrollWidth > box.clientWidth + 1) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  }
}

// Solutions are open on paper, and as they were afterwards.
let folded = [];
addEventListener("beforeprint", () => {
  folded = [...document.querySelectorAll("details:not([open])")];
  for (const details of folded) details.open = true;
});
addEventListener("afterprint", () => {
  for (const details of folded) details.open = false;
});

// The theme puts each copy button into a landmark of its own; none has a name.
new MutationObserver(() => {
  for (const nav of document.querySelectorAll("nav.md-code__nav:not([role])"))
    nav.setAttribute("role", "presentation");
}).observe(document.body, { childList: true, subtree: true });

addEventListener("resize", reachable);
if (window.document$) window.document$.subscribe(reachable);
else addEventListener("DOMContentLoaded", reachable);
