// The custom element <seq-lab name="..."> around a figure, and its registry.
//
// A lab is a folder with its name: lab.js, the arithmetic in model.js, what it
// says in words.js, and rules of its own in style.css. lab.js registers
// {name, words, controls(words), measure(state), describe(measured, words),
// draw(g, measured, words, size)} and, if it has more than a picture and a
// row of controls, parts(element) -> {above, below, says(), update(measured,
// size)}. A control with `row: 2` stands under `below`; one with `elsewhere`
// is shown by parts; one with parse(text) reads the address itself, and says
// in `allowed` what it takes. Registering twice is harmless: instant
// navigation runs the scripts of a page again.

import { readAddress, snap, writeAddress } from "./address.js";
import { group, make, makeControl } from "./controls.js";
import { COMMON, language } from "./words.js";

const SVG = "http://www.w3.org/2000/svg";

export function register(lab) {
  window.seqLabs ??= new Map();
  const labs = window.seqLabs;
  if (!labs.has(lab.name)) labs.set(lab.name, lab);
  if (!customElements.get("seq-lab")) {
    customElements.define("seq-lab", SeqLab);
  }
  for (const element of document.querySelectorAll("seq-lab")) element.start();
}

class SeqLab extends HTMLElement {
  connectedCallback() {
    this.start();
  }

  disconnectedCallback() {
    this.stop();
  }

  /** Come alive, once, as soon as both the picture and the lab are there. */
  start() {
    const lab = window.seqLabs?.get(this.getAttribute("name"));
    const figure = this.querySelector("figure");
    if (this.live || !this.isConnected || !lab || !figure) return;
    this.live = true;
    this.lab = lab;
    this.words = { ...COMMON[language()], ...lab.words[language()] };
    this.controls = lab.controls(this.words);
    this.ends = new AbortController();
    this.path = location.pathname;
    this.build(figure);
    this.read();
    this.draw();
    this.follow();
    this.said = [this.says.textContent, this.extra.says?.() ?? ""];
    this.dataset.live = "";
  }

  stop() {
    if (!this.live) return;
    this.live = false;
    delete this.dataset.live;
    this.ends.abort();
    this.subscription?.unsubscribe();
    cancelAnimationFrame(this.frame);
    clearTimeout(this.later);
    this.frame = 0;
    for (const part of this.built) part.remove();
  }

  build(figure) {
    const { lab, words } = this;
    const alt = figure.querySelector("img")?.alt ?? "";
    this.says = make("p", { class: "says" });
    this.status = make("p", { class: "lab-status", role: "status" });
    this.svg = document.createElementNS(SVG, "svg");
    this.svg.setAttribute("class", "live");
    this.svg.setAttribute("role", "img");
    this.svg.setAttribute("aria-label", alt);
    this.drawing = document.createElementNS(SVG, "g");
    this.svg.append(this.drawing);
    this.inputs = new Map();
    const box = make("div", { class: "workbench" });
    this.extra = lab.parts?.(this) ?? {};
    box.append(this.extra.above ?? "", this.row(1));
    box.append(this.extra.below ?? "", this.row(2));
    const reset = make("button", { type: "button" }, words.reset);
    reset.addEventListener("click", () => this.set(this.defaults()));
    box.lastElementChild.append(
      make("div", { class: "control reset" }, reset),
    );
    this.prepend(this.says, this.status);
    const caption = figure.querySelector("figcaption");
    figure.insertBefore(this.svg, caption);
    figure.insertBefore(box, caption);
    this.built = [this.says, this.status, this.svg, box];
    // The picture is hidden now, but print needs it.
    for (const image of figure.querySelectorAll("img")) {
      if (image.closest(".only-light")) image.loading = "eager";
    }
  }

  /** A row of controls, or nothing if it has none. */
  row(number) {
    const here = this.controls.filter(
      ({ row = 1, elsewhere }) => row === number && !elsewhere,
    );
    if (!here.length) return "";
    const row = group(this.words, "controls");
    for (const control of here) {
      const { id } = control;
      const input = makeControl(control, (value) => this.set({ [id]: value }));
      this.inputs.set(id, input);
      row.append(input.element);
    }
    return row;
  }

  /** Whether the page shows the picture for phones: it says where. */
  phone() {
    return matchMedia(this.querySelector("source")?.media ?? "not all");
  }

  /** Size of the picture that the page would show, so that nothing moves. */
  size() {
    const source = this.querySelector(".only-light source");
    const image = this.querySelector(".only-light img");
    const narrow = this.phone().matches;
    const picture = narrow ? source : image;
    const width = Number(picture?.getAttribute("width")) || 672;
    const height = Number(picture?.getAttribute("height")) || 307;
    return { width, height, narrow };
  }

  /** Keep up with the window, and with links that only change the state. */
  follow() {
    const { signal } = this.ends;
    const again = () => {
      const elsewhere = location.pathname !== this.path;
      if (elsewhere || location.search === this.search) return;
      this.read();
      this.redraw();
    };
    this.phone().addEventListener("change", () => this.redraw(), { signal });
    addEventListener("popstate", again, { signal });
    this.subscription = window.location$?.subscribe(again);
  }

  defaults() {
    return Object.fromEntries(this.controls.map((c) => [c.id, c.value]));
  }

  read() {
    const { state, refused } = readAddress(this.controls);
    this.search = location.search;
    this.state = state;
    this.refused = refused
      .map(([control, asked]) => this.refusal(control, asked))
      .join("");
  }

  refusal(control, asked) {
    const { words } = this;
    const { id, kind, min, max, value, options } = control;
    const values = kind === "checkbox" ? [0, 1] : options;
    const range = values ? words.among(values) : words.between(min, max);
    const allowed = control.allowed ?? range;
    const shown = kind === "checkbox" ? Number(value) : value;
    return words.refused(id, asked.slice(0, 20), allowed, shown);
  }

  /** Change some of the state; the picture follows in the next frame. */
  set(change) {
    this.refused = "";
    for (const [id, value] of Object.entries(change)) {
      this.state[id] = typeof value === "number" ? snap(value) : value;
    }
    this.redraw();
    clearTimeout(this.later);
    this.later = setTimeout(() => this.settle(), 400);
  }

  redraw() {
    this.frame ||= requestAnimationFrame(() => this.draw());
  }

  draw() {
    this.frame = 0;
    const { lab, words, state } = this;
    const size = this.size();
    const measured = lab.measure(state);
    for (const [id, input] of this.inputs) input.show(state[id]);
    this.svg.setAttribute("viewBox", `0 0 ${size.width} ${size.height}`);
    this.drawing.replaceChildren();
    lab.draw(this.drawing, measured, words, size);
    this.says.textContent = this.refused + lab.describe(measured, words);
    this.extra.update?.(measured, size);
  }

  /** After a drag: the address, and what changed for those who listen. */
  settle() {
    if (location.pathname !== this.path) return; // on the way to a new page
    writeAddress(this.controls, this.state);
    this.search = location.search;
    const sentences = [this.says.textContent, this.extra.says?.() ?? ""];
    const news = sentences.filter((text, i) => text !== this.said[i]);
    if (news.length) this.status.textContent = news.join(" ");
    this.said = sentences;
  }
}
