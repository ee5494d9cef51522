// Drag a point in the square of a GRU's two gates; count its parameters.

import { scaleLinear } from "d3-scale";
import { points, u, w } from "results/rz_square.json";
import { axes, curve, ink, line, mark, write } from "../parts/axes.js";
import { make } from "../parts/controls.js";
import { fixed, grouped, scientific, two } from "../parts/format.js";
import { register } from "../parts/lab.js";
import { pad, within } from "../parts/pad.js";
import * as model from "./model.js";
import { words } from "./words.js";

const STEPS = 40;
const ZEROS = Array(100).fill(0);
const IMPULSE = [1, ...ZEROS.slice(1)];
const LEVELS = [0.5, 0.7, 0.9, 0.98];
const CELLS = Object.keys(model.BLOCKS);

function controls(words) {
  const gate = { kind: "range", min: 0, max: 1, step: 0.01, unit: two };
  const size = { kind: "range", min: 1, step: 1, row: 2, unit: String };
  const choice = { kind: "choice", row: 2 };
  return [
    { ...gate, id: "r", value: 0.5, label: words.r },
    { ...gate, id: "z", value: 0.1, label: words.z },
    {
      ...choice,
      id: "cell",
      options: CELLS,
      names: CELLS,
      value: "GRU",
      label: words.cell,
    },
    { ...size, id: "D", max: 512, value: 128, label: words.D },
    { ...size, id: "H", max: 1024, value: 256, label: words.H },
    {
      ...choice,
      id: "biases",
      options: ["1", "2"],
      value: "1",
      names: [words.one, words.two],
      label: words.biases,
    },
  ];
}

function measure(state) {
  const { r, z, D, H, biases } = state;
  const counts = {};
  for (const cell of CELLS) {
    counts[cell] = model.parameters(cell, D, H, Number(biases));
  }
  return {
    ...state,
    counts,
    kept: model.run(r, z, w, u, ZEROS, 1),
    written: model.run(r, z, w, u, IMPULSE, 0),
    slope: model.slope(r, z, w),
  };
}

function describe({ r, z, kept, written, slope }, words) {
  if (z === 0) return words.copy();
  if (z === 1 && r === 0) return words.memoryless(two(written[1]));
  const left = [20, 100].map((t) => scientific(kept[t]));
  if (z === 1 && r === 1) return words.elman(two(slope), ...left);
  if (r === 0) {
    const span = Math.round(2 / z - 1);
    if (span > 1) return words.average(two(slope), ...left, span);
  }
  const parts = [1 - z, z, r].map(two);
  return words.between(...parts, fixed(slope, 3), ...left);
}

/** Where the square and the two responses stand, as in the figure. */
function boxes({ width, height, narrow }) {
  if (narrow) {
    const side = width - 44 - 24;
    const under = 30 + side + 52;
    const rest = (height - under - 46 - 16) / 2;
    const left = 44;
    const right = width - 12;
    return {
      square: { left, right: left + side, top: 30, bottom: 30 + side },
      kept: { left, right, top: under, bottom: under + rest },
      written: { left, right, top: under + rest + 16, bottom: height - 46 },
    };
  }
  const side = height - 30 - 46;
  const left = 44 + side + 66;
  const right = width - 12;
  const half = (height - 12 - 46 - 18) / 2;
  return {
    square: { left: 44, right: 44 + side, top: 30, bottom: 30 + side },
    kept: { left, right, top: 12, bottom: 12 + half },
    written: { left, right, top: 30 + half, bottom: height - 46 },
  };
}

function draw(g, found, words, size) {
  const places = boxes(size);
  square(g, found, words, places.square);
  response(g, "kept", found, words, places.kept);
  response(g, "written", found, words, places.written);
}

function square(g, { r, z }, words, box) {
  const x = scaleLinear([0, 1], [box.left, box.right]);
  const y = scaleLinear([0, 1], [box.bottom, box.top]);
  const side = { width: box.right - box.left, height: box.bottom - box.top };
  const frame = { x: box.left, y: box.top, fill: "none" };
  for (const level of LEVELS) {
    const rs = Array.from({ length: 41 }, (_, i) => i / 40);
    const inside = rs
      .map((r) => [r, model.levelZ(r, level, w)])
      .filter(([, z]) => z <= 1);
    const points = inside.map(([r, z]) => [x(r), y(z)]);
    curve(g, points, "x", 1, 0.6);
    const [at, up] = inside[level === 0.9 ? 25 : 8];
    const text = write(g, String(level), x(at), y(up) + 4, "middle", "muted");
    text.attr("class", "halo");
  }
  mark(g, "rect", { ...frame, ...side, stroke: ink("muted") });
  axes(g, box, x, y, {
    xTicks: [0, 0.5, 1],
    yTicks: [0, 0.5, 1],
    xLabel: words.r,
    yLabel: words.z,
    yLabelX: 12,
  });
  const top = box.top - 10;
  const middle = (box.left + box.right) / 2;
  write(g, words.overwrite, middle, top, "middle", "write");
  write(g, words.keep, box.right - 8, box.bottom - 8, "end", "keep");
  for (const [name, point] of Object.entries(points)) {
    const right = point.r === 1;
    const up = point.z < 0.5;
    const [cx, cy] = [x(point.r), y(point.z)];
    mark(g, "circle", { cx, cy, r: 3.5, fill: ink("ink") });
    const text = write(g, words.points[name], cx + 9, cy + (up ? -9 : 18));
    text.attr("class", "halo");
    if (right) text.attr("text-anchor", "end").attr("x", cx - 9);
  }
  const [cx, cy] = [x(r), y(z)];
  line(g, [box.left, cy], [cx, cy], "h", 1, 0.6);
  line(g, [cx, box.bottom], [cx, cy], "h", 1, 0.6);
  const paint = { fill: ink("h"), stroke: ink("paper"), "stroke-width": 2 };
  mark(g, "circle", { cx, cy, r: 10, ...paint });
}

function response(g, which, found, words, box) {
  const quantity = which === "kept" ? "keep" : "write";
  const x = scaleLinear([0, STEPS], [box.left, box.right]);
  const high = which === "kept" ? 1.22 : 0.9;
  const y = scaleLinear([0, high], [box.bottom, box.top]);
  const path = (h) => h.slice(0, STEPS + 1).map((v, t) => [x(t), y(v)]);
  axes(g, box, x, y, {
    xTicks: [0, 10, 20, 30, 40],
    yTicks: which === "kept" ? [0, 0.5, 1] : [0, 0.5],
    xFormat: which === "kept" ? () => "" : undefined,
    xLabel: which === "kept" ? "" : words.t,
    yLabel: "hₜ",
    yLabelX: box.left - 36,
  });
  for (const { r, z } of Object.values(points)) {
    const run = which === "kept" ? [ZEROS, 1] : [IMPULSE, 0];
    curve(g, path(model.run(r, z, w, u, ...run)), "muted", 1, 0.55);
  }
  curve(g, path(found[which]), quantity, 2.6);
  const title = write(g, words[which], box.right, box.top + 12);
  title.attr("text-anchor", "end").attr("class", "strong");
  title.attr("fill", ink(quantity));
}

/** The square takes a drag; blocks of the three cells are counted below. */
function parts(element) {
  const part = (x) => Math.round(100 * within(0, x, 1)) / 100;
  const field = pad(element.svg, element.words.square, (x, y) =>
    element.set({ r: part(x), z: part(1 - y) }),
  );
  const says = make("p", { class: "count" });
  const strip = make("div", { class: "blocks", "aria-hidden": "true" });
  const rows = Object.fromEntries(
    CELLS.map((cell) => [cell, blocks(cell, strip)]),
  );
  return {
    below: make("div", { class: "assembly" }, says, strip),
    says: () => says.textContent,
    update(found, size) {
      field.place(boxes(size).square);
      says.textContent = countSentence(found, element.words);
      for (const cell of CELLS) {
        rows[cell].row.classList.toggle("chosen", cell === found.cell);
        rows[cell].number.textContent = grouped(found.counts[cell]);
      }
    },
  };
}

const NAMES = {
  RNN: [["h", "h"]],
  GRU: [
    ["r", "candidate"],
    ["z", "write"],
    ["h̃", "candidate"],
  ],
  LSTM: [
    ["i", "write"],
    ["f", "keep"],
    ["g", "candidate"],
    ["o", "show"],
  ],
};

function blocks(cell, strip) {
  const row = make("div", { class: "blocks-row" });
  row.append(make("span", { class: "cell" }, cell));
  const boxes = make("span", { class: "boxes" });
  for (const [symbol, quantity] of NAMES[cell]) {
    boxes.append(make("i", { class: `q-${quantity}` }, symbol));
  }
  const number = make("span", { class: "number" });
  row.append(boxes, number);
  strip.append(row);
  return { row, number };
}

function countSentence({ cell, D, H, biases, counts }, words) {
  const sum = `${model.BLOCKS[cell]} × ${H} × (${D} + ${H} + ${biases})`;
  const text = words.count(cell, sum, grouped(counts[cell]));
  if (cell === "LSTM") return text + words.full;
  const percent = Math.round((100 * counts[cell]) / counts.LSTM);
  return text + words.ratio(percent, grouped(counts.LSTM));
}

const lab = { words, controls, measure, describe, draw, parts };
register({ ...lab, name: "rz-square" });
