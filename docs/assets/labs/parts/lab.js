// The custom element <seq-lab name="..."> around a figure, and its registry.
//
// A lab registers {name, words, controls(words), measure(state),
// describe(measured, words), draw(svg, measured, words, size)} and, if it is
// more than a picture and a
// row of controls, parts(element) -> {above, below, update(measured)}. Registering
// twice is harmless: instant navigation runs the scripts of a page again.

import { readAddress, snap, writeAddress } from "./address.js";
import { make, makeControl } from "./controls.js";
import { COMMON, language } from "./words.js";

const PHONE = "(max-width: 37.5em)"; // where the page switches pictures
const SVG = "http://www.w3.org/2000/svg";

export function register(lab) {
  const labs = (window.seqLabs ??= new Map());
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
    this.build(figure);
    this.follow();
    this.read();
    this.draw();
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
    this.inputs = new Map(
      this.controls.map((control) => [
        control.id,
        makeControl(control, (value) => this.set({ [control.id]: value })),
      ]),
    );
    const reset = make("button", { type: "button" }, words.reset);
    reset.addEventListener("click", () => this.set(this.defaults()));
    const group = { class: "controls", role: "group" };
    const row = make("div", { ...group, "aria-label": words.controls });
    for (const { id } of this.controls) {
      row.append(this.inputs.get(id).element);
    }
    row.append(make("div", { class: "control reset" }, reset));
    const box = make("div", { class: "workbench" }, row);
    this.extra = lab.parts?.(this);
    if (this.extra) box.prepend(this.extra.above ?? "");
    if (this.extra) box.append(this.extra.below ?? "");
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

  /** Size of the picture that the page would show, so that nothing moves. */
  size() {
    const source = this.querySelector(".only-light source");
    const image = this.querySelector(".only-light img");
    const narrow = matchMedia(PHONE).matches;
    const picture = narrow ? source : image;
    const width = Number(picture?.getAttribute("width")) || 672;
    const height = Number(picture?.getAttribute("height")) || 307;
    return { width, height, narrow };
  }

  /** Keep up with the window, and with links that only change the state. */
  follow() {
    const { signal } = this.ends;
    const again = () => {
      if (location.search === this.search) return;
      this.read();
      this.redraw();
    };
    matchMedia(PHONE).addEventListener("change", () => this.redraw(), {
      signal,
    });
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
    const allowed = values ? words.among(values) : words.between(min, max);
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
    const { width, height, narrow } = this.size();
    for (const [id, input] of this.inputs) input.show(state[id]);
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.svg.replaceChildren();
    const measured = lab.measure(state);
    lab.draw(this.svg, measured, words, { width, height, narrow });
    this.says.textContent = this.refused + lab.describe(measured, words);
    this.extra?.update(measured);
  }

  /** After a drag: the address, and the sentence for those who listen. */
  settle() {
    writeAddress(this.controls, this.state);
    this.search = location.search;
    this.status.textContent = this.says.textContent;
  }
}
