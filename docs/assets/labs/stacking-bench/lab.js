// Three stacks of the same height: click an output, see what it can see.

import {
  ahead as AHEAD,
  chunk as CHUNK,
  start,
  T,
} from "results/stacking_bench.json";
import { band, DOTTED, ink, line, mark, write } from "../parts/axes.js";
import { register } from "../parts/lab.js";
import { pad, within } from "../parts/pad.js";
import * as model from "./model.js";
import { words } from "./words.js";

const KINDS = ["right", "both", "chunked"];
const QUANTITY = { up: "x", right: "h", left: "show" };
const SHIFT = 0.14;

function controls(words) {
  const range = { kind: "range", step: 1, unit: String };
  const place = { ...range, min: 1, max: T };
  const steps = { ...range, row: 2, unit: words.steps };
  return [
    {
      id: "kind",
      kind: "choice",
      options: KINDS,
      names: words.kinds,
      value: start.kind,
      label: words.kind,
    },
    { ...range, id: "L", min: 1, max: 4, value: start.L, label: words.L },
    { ...place, id: "t", value: start.t + 1, label: words.t },
    { ...place, id: "s", value: 1, label: words.s },
    { ...steps, id: "C", min: 1, max: T, value: CHUNK, label: words.chunk },
    {
      ...steps,
      id: "R",
      min: 0,
      max: T - 1,
      value: AHEAD,
      label: words.ahead,
    },
  ];
}

function measure({ kind, L, t, s, C, R }) {
  const stacks = KINDS.map((name) => {
    const grid = model.graph(name, L, C, R, T);
    return {
      name,
      grid,
      lit: model.lit(grid, t - 1),
      counts: model.paths(grid, t - 1),
      way: model.longest(grid, t - 1, s - 1),
    };
  });
  const chosen = stacks.find(({ name }) => name === kind);
  return { kind, L, t, s, C, R, stacks, chosen };
}

function describe({ kind, L, t, s, C, R, chosen }, words) {
  const way = words.way[kind](C, R);
  const seen = chosen.counts.filter((n) => n > 0).length;
  let text = words.some(way, t, seen);
  if (seen === T) text = words.all(way, t, T);
  else if (seen === 1) text = words.only(way, t);
  const n = chosen.counts[s - 1];
  if (n === 0) return text + words.none(s);
  const short = Math.abs(t - s) + L - 1;
  const long = model.edges(chosen.way);
  if (long === 0) return text + words.straight(s, n);
  if (n === 1) return text + words.single(s, long);
  if (short === long) return text + words.equal(s, n, long);
  return text + words.spread(s, n, short, long, long === T * L - 1);
}

/** Where each of the three grids stands. */
function boxes({ width, height, narrow }) {
  return KINDS.map((_, i) => {
    const [w, h] = narrow ? [width, height / 3] : [(width + 6) / 3, height];
    const left = narrow ? 8 : i * w + 4;
    const right = narrow ? width - 8 : left + w - 14;
    const top = narrow ? i * h : 0;
    const low = top + h;
    return { left, right, top, bottom: low - (narrow ? 40 : 52), low };
  });
}

function draw(g, found, words, size) {
  boxes(size).forEach((box, i) => {
    panel(g, found, i, words, box, size);
  });
}

function panel(g, found, i, words, box, { narrow }) {
  const { L, t, s } = found;
  const { name, grid, lit, counts, way } = found.stacks[i];
  const chosen = name === found.kind;
  const apart = name === "right" ? 0 : SHIFT; // of the two chains of a layer
  const unit = Math.min(110, (box.bottom - box.top - 84) / (L + SHIFT));
  const x = (t) => box.left + ((t + 0.5) * (box.right - box.left)) / T;
  const y = (l) => box.bottom - l * unit;
  const place = ({ l, d, t }) => {
    const shift = d === "x" ? 0 : d === "left" ? apart : -apart;
    return [x(t + shift), y(l + shift)];
  };
  const summit = y(L + apart) - 9;
  const title = write(g, words.titles[i], x((T - 1) / 2), box.top + 15);
  title.attr("text-anchor", "middle").attr("class", chosen ? "strong" : null);
  if (name === "chunked") cuts(g, found, words, box, x, summit);
  edges(g, grid, lit, place);
  if (chosen) route(g, way, place, [x(t - 1), summit]);
  states(g, grid, lit, place);
  const stagger = !narrow && Math.max(...counts) > 99 ? 13 : 0;
  counts.forEach((n, step) => {
    const marked = chosen && step === s - 1;
    const shade = ink(marked ? "gradient" : n ? "x" : "muted");
    arrow(g, x(step), summit, step === t - 1);
    input(g, x(step), box.bottom, n, shade, marked);
    const low = box.bottom + 19 + (step % 2) * stagger;
    const text = write(g, n, x(step), low, "middle").attr("fill", shade);
    text.attr("class", marked ? "small strong" : "small");
  });
  caption(g, words.output(t), x(t - 1), summit - 22, box);
  if (!chosen) return;
  caption(g, words.input(s), x(s - 1), box.low - 5, box, "gradient");
}

/** Text in the middle over x, or as near as it fits. */
function caption(g, text, x, y, { left, right }, quantity = "ink") {
  const found = write(g, text, x, y, "middle", quantity);
  found.attr("class", "small");
  const half = found.node().getComputedTextLength() / 2;
  const least = Math.max(x, left - 2 + half);
  found.attr("x", Math.min(least, right + 4 - half));
}

/** The chunk of the output between dots, what it sees ahead in a band. */
function cuts(g, { C, R, t }, words, box, x, top) {
  const begin = C * Math.floor((t - 1) / C);
  const end = Math.min(begin + C, T);
  for (const edge of [begin, end].filter((edge) => edge > 0 && edge < T)) {
    const at = x(edge - 0.5);
    const cut = line(g, [at, box.bottom + 6], [at, top], "muted");
    cut.attr("stroke-dasharray", DOTTED);
  }
  const more = Math.min(R, T - end);
  if (!more) return;
  const [left, right] = [x(end - 0.5), x(end + more - 0.5)];
  band(g, { left, right, top, bottom: box.bottom + 8 });
  caption(g, words.wait, (left + right) / 2, box.top + 34, box, "muted");
}

/** Copies of a state in two windows lie on each other: lit if one is. */
function edges(g, { nodes }, lit, place) {
  const looks = new Map();
  for (const each of nodes) {
    for (const before of each.reads) {
      const edge = `M${place(before)}L${place(each)}`;
      const chain = before.l === each.l ? each.d : "up";
      const on = lit.has(each) || (looks.get(edge)?.on ?? false);
      looks.set(edge, { chain, on });
    }
  }
  for (const on of [false, true]) {
    for (const chain of ["up", "right", "left"]) {
      const same = [...looks].filter(
        ([, look]) => look.on === on && look.chain === chain,
      );
      if (!same.length) continue;
      mark(g, "path", {
        d: same.map(([edge]) => edge).join(""),
        fill: "none",
        stroke: ink(on ? QUANTITY[chain] : "muted"),
        opacity: on ? 1 : 0.35,
        "stroke-width": on && chain !== "up" ? 2.4 : 1.2,
        "stroke-dasharray": chain === "left" ? "5 2.4" : "none",
      });
    }
  }
}

function states(g, { nodes }, lit, place) {
  const looks = new Map();
  for (const each of nodes.filter(({ l }) => l)) {
    const at = String(place(each));
    const on = lit.has(each) || (looks.get(at)?.on ?? false);
    looks.set(at, { each, on });
  }
  for (const { each, on } of looks.values()) {
    const [x, y] = place(each);
    const r = each.d === "right" ? 3.6 : -3.6;
    mark(g, "path", {
      d: `M${x + r},${y}L${x - r},${y - 3.6}L${x - r},${y + 3.6}Z`,
      fill: ink(on ? QUANTITY[each.d] : "muted"),
      opacity: on ? 1 : 0.35,
    });
  }
}

/** A longest way, from its input up to the output. */
function route(g, way, place, top) {
  if (!way.length) return;
  mark(g, "path", {
    d: `M${[...way.map(place), top].join("L")}`,
    fill: "none",
    stroke: ink("gradient"),
    "stroke-width": 4.5,
    "stroke-linejoin": "round",
    opacity: 0.75,
  });
}

function arrow(g, x, y, chosen) {
  const stroke = ink(chosen ? "ink" : "muted");
  const fill = chosen ? stroke : "none";
  const d = `M${x - 3.5},${y - 9}L${x},${y - 16}L${x + 3.5},${y - 9}Z`;
  if (chosen) line(g, [x, y], [x, y - 9], "ink");
  mark(g, "path", { d, stroke, fill, opacity: chosen ? 1 : 0.45 });
}

function input(g, x, y, n, shade, marked) {
  const r = marked ? 4.5 : 3;
  mark(g, "rect", {
    x: x - r,
    y: y - r,
    width: 2 * r,
    height: 2 * r,
    fill: n ? shade : ink("paper"),
    stroke: shade,
    "stroke-width": 1.3,
  });
}

/** In each grid, outputs are pressed above and inputs below. */
function parts(element) {
  const { words, svg } = element;
  const step = (x) => within(1, Math.ceil(x * T), T);
  const fields = KINDS.map((kind, i) => {
    const name = words.titles[i];
    const choose = (id) => (x) => element.set({ kind, [id]: step(x) });
    return [
      pad(svg, words.pressOutput(name), choose("t"), "along"),
      pad(svg, words.pressInput(name), choose("s"), "along"),
    ];
  });
  return {
    update(_, size) {
      boxes(size).forEach(({ left, right, top, bottom, low }, i) => {
        const [outputs, inputs] = fields[i];
        outputs.place({ left, right, top, bottom: bottom - 9 });
        inputs.place({ left, right, top: bottom - 9, bottom: low });
      });
    },
  };
}

const lab = { words, controls, measure, describe, draw, parts };
register({ ...lab, name: "stacking-bench" });
