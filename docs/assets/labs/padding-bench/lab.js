// Three sequences in T slots: what is filled up, what is cut, what it does.

import { scaleLinear } from "d3-scale";
import {
  b,
  lengths as LENGTHS,
  padding as PADDING,
  readings,
  T as SLOTS,
  u,
  w,
} from "results/padding_bench.json";
import { axes, ink, line, mark, write } from "../parts/axes.js";
import { make } from "../parts/controls.js";
import { fixed, two } from "../parts/format.js";
import { register } from "../parts/lab.js";
import { number } from "../parts/number.js";
import { pad, within } from "../parts/pad.js";
import * as model from "./model.js";
import { words } from "./words.js";

const MOST = readings[0].length;
const ROWS = readings.map((_, row) => row);
const IDS = ROWS.map((row) => `n${row + 1}`);

function controls(words) {
  const typed = { kind: "number", make: number, min: 0, max: MOST, step: 1 };
  const range = { kind: "range" };
  return [
    ...ROWS.map((row) => ({
      ...typed,
      id: IDS[row],
      value: LENGTHS[row],
      label: words.length(row + 1),
    })),
    {
      ...range,
      id: "T",
      min: 1,
      max: MOST,
      step: 1,
      value: SLOTS,
      unit: String,
      label: words.T,
    },
    {
      ...range,
      id: "pad",
      min: 0,
      max: 1,
      step: 0.1,
      value: PADDING,
      unit: (value) => fixed(value, 1),
      label: words.pad,
    },
  ];
}

function measure({ T, pad: padding, ...state }) {
  const lengths = IDS.map((id) => state[id]);
  const found = model.bench(readings, lengths, T, { w, u, b, padding });
  return { ...found, T, lengths, padding };
}

function describe({ rows, T, padding }, words) {
  const missing = (row) => T - row.real;
  const worst = rows
    .filter(({ real }) => real)
    .reduce((a, b) => (missing(b) > missing(a) ? b : a), { real: T });
  const empty = rows.findIndex(({ real }) => real === 0);
  const name = rows.indexOf(worst) + 1;
  let text = words.full(T);
  if (empty >= 0) {
    const { mean_naive, last_naive } = rows[empty];
    text = words.empty(empty + 1, two(mean_naive), two(last_naive));
  } else if (missing(worst)) {
    const filler = words.filler(missing(worst), padding);
    const [naive, masked] = [worst.mean_naive, worst.mean_valid].map(two);
    text =
      naive === masked
        ? words.lucky(name, filler, masked)
        : words.padded(name, worst.real, T, filler, naive, masked);
    text += words.state(two(worst.last_naive), two(worst.last_valid));
  }
  const cut = ROWS.filter((row) => rows[row].overflow).map((row) => row + 1);
  if (!cut.length) return text;
  const lost = rows.reduce((sum, { overflow }) => sum + overflow, 0);
  return text + words.cut(cut, lost);
}

/** Where slots, means and states stand, as in the figure. */
function boxes({ width, height, narrow }) {
  if (narrow) {
    const right = width - 10;
    const panel = { left: 80, right, pitch: 27 };
    return {
      slots: { left: 80, right: width - 6, top: 27, pitch: 39, edge: width },
      mean: { ...panel, top: height - 262 },
      last: { ...panel, top: height - 128 },
      cell: 32,
    };
  }
  const rows = { top: 41, pitch: 53 };
  return {
    slots: { left: 80, right: 390, edge: 470, ...rows },
    mean: { left: 408, right: 524, ...rows },
    last: { left: 552, right: width - 10, ...rows },
    cell: 42,
  };
}

const middle = (box, row) => box.top + (row + 0.5) * box.pitch;

function draw(g, found, words, size) {
  const places = boxes(size);
  slots(g, found, words, places.slots, places.cell);
  panel(g, found, words, places.mean, "mean", size);
  panel(g, found, words, places.last, "last", size);
}

function slots(g, { rows, T, lengths }, words, box, height) {
  const wide = (box.right - box.left) / MOST;
  const bottom = box.top + ROWS.length * box.pitch;
  rows.forEach((row, i) => {
    const y = middle(box, i);
    write(g, words.row(lengths[i]), box.left - 11, y + 5, "end");
    for (let t = 0; t < Math.max(T, lengths[i]); t++) {
      const kind = t >= T ? "lost" : t < row.real ? "real" : "pad";
      const value = kind === "lost" ? readings[i][t] : row.x[t];
      const square = { x: box.left + t * wide + 1.5, y: y - height / 2 };
      slot(g, { ...square, width: wide - 3, height }, kind, value);
    }
    grip(g, box.left + lengths[i] * wide, y);
  });
  for (let t = 1; t <= T; t++) {
    const x = box.left + (t - 0.5) * wide;
    line(g, [x, bottom], [x, bottom + 4], "muted");
    write(g, t, x, bottom + 18, "middle").attr("class", "small");
  }
  write(g, words.t, box.left + 6 * wide, bottom + 36, "middle");
  wall(g, words, T, box.left + T * wide, { ...box, bottom }, rows);
}

/** One slot: a reading, a hatched filler, or a dotted reading that is lost. */
function slot(g, box, kind, value) {
  const shade = ink(kind === "real" ? "x" : "muted");
  const look = { stroke: shade, fill: "none", "stroke-width": 1.6 };
  if (kind === "lost") look["stroke-dasharray"] = "1.6 2.6";
  if (kind === "pad") {
    Object.assign(look, { "stroke-width": 0.8, opacity: 0.6 });
  }
  mark(g, "rect", { ...box, ...look });
  if (kind === "pad") mark(g, "path", { ...look, d: hatch(box, 7) });
  const places = [0, 1].includes(value) ? 0 : 1;
  const text = value.toFixed(places).replace(/^0\./, ".");
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2 + 4.5];
  write(g, text, x, y, "middle")
    .attr("class", kind === "pad" ? "small halo" : "small")
    .attr("fill", shade);
}

/** Lines like / across a box, `gap` apart. */
function hatch({ x, y, width, height }, gap) {
  const lines = [];
  for (let c = gap; c < width + height; c += gap) {
    const [left, low] = [Math.max(0, c - height), Math.min(c, height)];
    const [right, high] = [Math.min(c, width), Math.max(0, c - width)];
    lines.push(`M${x + left},${y + low}L${x + right},${y + high}`);
  }
  return lines.join("");
}

function grip(g, x, y) {
  const paint = { fill: ink("ink"), stroke: ink("paper"), "stroke-width": 2 };
  mark(g, "circle", { cx: x, cy: y, r: 5.5, ...paint });
}

/** The end of the slots, and what stands on its two sides. */
function wall(g, words, T, x, { top, edge, bottom }, rows) {
  line(g, [x, 8], [x, bottom], "ink", 2);
  write(g, words.slots(T), x - 9, top - 9, "end");
  grip(g, x, 8);
  if (!rows.some(({ overflow }) => overflow)) return;
  const text = write(g, words.overflow, x + 9, top - 9);
  text.attr("class", "small");
  if (x + 9 + text.node().getComputedTextLength() > edge) {
    text.attr("text-anchor", "end");
    text.attr("x", edge).attr("y", bottom + 36);
  }
}

/** A ring for the naive value of each row, a dot for the valid one. */
function panel(g, { rows, lengths }, words, box, kind, { narrow }) {
  const quantity = kind === "mean" ? "x" : "h";
  const domain = kind === "mean" ? [0, 1] : [-1, 1];
  const bottom = box.top + ROWS.length * box.pitch + 1;
  const x = scaleLinear(domain, [box.left, box.right]);
  axes(g, { ...box, bottom }, x, null, {
    xTicks: kind === "mean" ? [0, 0.5, 1] : [-1, 0, 1],
    xFormat: (value) => fixed(value, value % 1 ? 1 : 0),
    xLabel: words[kind],
  });
  if (kind === "last") {
    line(g, [x(0), box.top - 12], [x(0), bottom], "muted", 0.8);
  }
  rows.forEach((row, i) => {
    const y = middle(box, i);
    const [naive, valid] = [row[`${kind}_naive`], row[`${kind}_valid`]];
    if (narrow) write(g, words.row(lengths[i]), box.left - 11, y + 5, "end");
    line(g, [x(naive), y], [x(valid ?? naive), y], quantity, 1.5);
    const ring = { cx: x(naive), cy: y, r: 6, fill: ink("paper") };
    mark(g, "circle", { ...ring, stroke: ink(quantity), "stroke-width": 1.5 });
    if (valid === null) {
      const right = x(naive) < (box.left + box.right) / 2;
      const place = x(naive) + (right ? 12 : -12);
      const text = write(g, words.none, place, y + 4.5);
      text.attr("text-anchor", right ? "start" : "end");
      text.attr("class", "small halo").attr("fill", ink("muted"));
    } else {
      const dot = { cx: x(valid), cy: y, r: 3.6, fill: ink(quantity) };
      mark(g, "circle", dot);
    }
  });
  const { [`${kind}_naive`]: naive, [`${kind}_valid`]: valid } = rows[0];
  const up = middle(box, 0) - (narrow ? 10 : 14);
  const places = [[words.naive, x(naive)]];
  if (valid !== null) places.push([words[`${kind}_valid`], x(valid)]);
  apart(g, places, up, box.left - 14, box.right + 8);
}

/** One or two words over their places, or as near as they fit. */
function apart(g, places, y, left, right) {
  const texts = places
    .map(([text, x]) => ({ text: write(g, text, x, y, "middle"), x }))
    .sort((a, b) => a.x - b.x);
  for (const { text } of texts) text.attr("class", "small halo");
  for (const each of texts) {
    each.half = each.text.node().getComputedTextLength() / 2 + 3;
  }
  const [first, last] = [texts[0], texts.at(-1)];
  const short = texts[1] ? first.half + last.half - (last.x - first.x) : 0;
  if (short > 0) {
    first.x -= short / 2;
    last.x += short / 2;
  }
  const shift =
    Math.max(0, left - first.x + first.half) -
    Math.max(0, last.x + last.half - right);
  for (const { text, x } of texts) text.attr("x", x + shift);
}

/** Rows and the wall are dragged sideways; the batch is summed up below. */
function parts(element) {
  const { words, svg } = element;
  const slot = (x) => Math.ceil(x * MOST - 0.3);
  const moveWall = (x) => element.set({ T: within(1, slot(x), MOST) });
  const wall = pad(svg, words.dragT, moveWall, "along");
  const rows = ROWS.map((row) => {
    const move = (x) => element.set({ [IDS[row]]: within(0, slot(x), MOST) });
    return pad(svg, words.dragRow(row + 1), move, "along");
  });
  const says = make("p", { class: "count" });
  return {
    above: says,
    says: () => says.textContent,
    update(found, size) {
      const { left, right, top, pitch } = boxes(size).slots;
      wall.place({ left, right, top: 0, bottom: top });
      rows.forEach((field, row) => {
        const from = top + row * pitch;
        field.place({ left, right, top: from, bottom: from + pitch });
      });
      says.textContent = sum(found, words);
    },
  };
}

function sum({ rows, batch, real, cells }, words) {
  if (!real) return words.nothing;
  const padded = cells - real;
  const share = fixed((100 * padded) / cells, 0);
  const { cells: all, tokens, sequences } = batch;
  const counted = rows.filter((row) => row.real).length;
  return (
    words.batch(cells, padded, share) +
    words.means(two(all), cells, real, two(tokens), counted, two(sequences))
  );
}

const lab = { words, controls, measure, describe, draw, parts };
register({ ...lab, name: "padding-bench" });
