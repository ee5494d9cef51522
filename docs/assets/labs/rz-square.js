// Drag a point in the square of a GRU's two gates; count its parameters.

import { scaleLinear } from "d3-scale";
import { points, u, w } from "results/rz_square.json";

import * as model from "./models/rz.js";
import { axes, curve, ink, mark, write } from "./parts/axes.js";
import { make } from "./parts/controls.js";
import { fixed, grouped, scientific } from "./parts/format.js";
import { register } from "./parts/lab.js";

const STEPS = 40;
const ZEROS = Array(100).fill(0);
const IMPULSE = [1, ...ZEROS.slice(1)];
const LEVELS = [0.5, 0.7, 0.9, 0.98];
const CELLS = Object.keys(model.BLOCKS);
const SVG = "http://www.w3.org/2000/svg";

const words = {
  en: {
    r: "Reset gate r",
    z: "Update gate z",
    cell: "Cell",
    D: "Inputs D",
    H: "Units H",
    biases: "Biases",
    one: "one (this book)",
    two: "two (PyTorch)",
    overwrite: "z = 1  OVERWRITE",
    keep: "z = 0  KEEP",
    kept: "kept: h₀ = 1",
    written: "written: x₁ = 1",
    t: "time step t",
    square: "Square of the gates: drag the point, or use the two sliders",
    points: {
      copy: "copy",
      average: "average",
      Elman: "Elman",
      memoryless: "memoryless",
    },
    copy: () =>
      "z = 0: the cell copies its state and never writes. All of it is left " +
      "after 100 steps, and the input leaves no trace.",
    memoryless: (first) =>
      `z = 1 and r = 0: overwritten at every step, from the input alone. ` +
      `The input writes ${first} and nothing of it is left one step later.`,
    elman: (slope, a, b) =>
      `(1, 1) is Elman’s network: overwritten at every step, by tanh(0.9 h). ` +
      `Slope ${slope} per step; ${a} of the state is left after 20 steps, ` +
      `${b} after 100.`,
    average: (slope, a, b, n) =>
      `r = 0 gives a moving average over about ${n} steps (2/z − 1). ` +
      `Slope ${slope} per step; ${a} of the state is left after 20 steps, ` +
      `${b} after 100.`,
    between: (keep, z, r, slope, a, b) =>
      `Each step keeps ${keep} of the state and writes ${z} of a candidate ` +
      `that sees ${r} of it: slope ${slope} per step. ${a} of the state is ` +
      `left after 20 steps, ${b} after 100.`,
    count: (cell, sum, n) => `${cell}: ${sum} = ${n} parameters`,
    ratio: (percent, n) => `, ${percent} % of the LSTM’s ${n}.`,
    full: ", the most of the three.",
  },
  zh: {
    r: "重置门 r",
    z: "更新门 z",
    cell: "单元",
    D: "输入维数 D",
    H: "隐藏维数 H",
    biases: "偏置",
    one: "一组（本书）",
    two: "两组（PyTorch）",
    overwrite: "z = 1  改写",
    keep: "z = 0  保留",
    kept: "保留：h₀ = 1",
    written: "写入：x₁ = 1",
    t: "时间步 t",
    square: "两个门的方格：拖动圆点，或用两个滑块",
    points: {
      copy: "照抄",
      average: "平均",
      Elman: "Elman",
      memoryless: "无记忆",
    },
    copy: () =>
      "z = 0：照抄旧状态，从不写入。一百步之后原样还在，输入也没留下任何痕迹。",
    memoryless: (first) =>
      `z = 1、r = 0：每一步都只凭输入改写。输入写进 ${first}，` +
      `下一步就一点不剩。`,
    elman: (slope, a, b) =>
      `(1, 1) 就是 Elman 网络：每一步都用 tanh(0.9 h) 改写。每步斜率 ` +
      `${slope}；20 步后状态还剩 ${a}，100 步后剩 ${b}。`,
    average: (slope, a, b, n) =>
      `r = 0 时是滑动平均，大约平均 ${n} 步（2/z − 1）。每步斜率 ${slope}；` +
      `20 步后状态还剩 ${a}，100 步后剩 ${b}。`,
    between: (keep, z, r, slope, a, b) =>
      `每一步留下旧状态的 ${keep}，写入候选的 ${z}，候选看到旧状态的 ${r}：` +
      `每步斜率 ${slope}。20 步后状态还剩 ${a}，100 步后剩 ${b}。`,
    count: (cell, sum, n) => `${cell}：${sum} = ${n} 个参数`,
    ratio: (percent, n) => `，是 LSTM（${n} 个）的 ${percent} %。`,
    full: "，三者中最多。",
  },
};

function controls(words) {
  const gate = { kind: "range", min: 0, max: 1, step: 0.01 };
  gate.unit = (value) => fixed(value, 2);
  const size = { kind: "range", min: 1, step: 1, row: 2, unit: String };
  const choice = { kind: "choice", row: 2 };
  return [
    { ...gate, id: "r", value: 0.5, label: words.r },
    { ...gate, id: "z", value: 0.1, label: words.z },
    {
      ...{ ...choice, id: "cell", options: CELLS, names: CELLS },
      ...{ value: "GRU", label: words.cell },
    },
    { ...size, id: "D", max: 512, value: 128, label: words.D },
    { ...size, id: "H", max: 1024, value: 256, label: words.H },
    {
      ...{ ...choice, id: "biases", options: ["1", "2"], value: "1" },
      ...{ names: [words.one, words.two], label: words.biases },
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
  if (z === 1 && r === 0) return words.memoryless(fixed(written[1], 2));
  const left = [20, 100].map((t) => scientific(kept[t]));
  if (z === 1 && r === 1) return words.elman(fixed(slope, 2), ...left);
  if (r === 0) {
    const span = Math.round(2 / z - 1);
    if (span > 1) return words.average(fixed(slope, 2), ...left, span);
  }
  const parts = [1 - z, z, r].map((value) => fixed(value, 2));
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
      written: {
        ...{ left, right, top: under + rest + 16, bottom: height - 46 },
      },
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
    const line = inside.map(([r, z]) => [x(r), y(z)]);
    curve(g, line, "x", 1, 0.6);
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
    const place = [x(point.r), y(point.z)];
    mark(g, "circle", {
      cx: place[0],
      cy: place[1],
      r: 3.5,
      fill: ink("ink"),
    });
    const shift = right ? -9 : 9;
    write(
      g,
      words.points[name],
      place[0] + shift,
      place[1] + (up ? -9 : 18),
      right ? "end" : "start",
    ).attr("class", "halo");
  }
  const cross = { stroke: ink("h"), "stroke-width": 1, opacity: 0.6 };
  const [cx, cy] = [x(r), y(z)];
  mark(g, "line", { ...cross, x1: box.left, x2: cx, y1: cy, y2: cy });
  mark(g, "line", { ...cross, x1: cx, x2: cx, y1: box.bottom, y2: cy });
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
  write(g, words[which], box.right, box.top + 12, "end", quantity).attr(
    "class",
    "strong",
  );
}

/** The square takes a drag; blocks of the three cells are counted below. */
function parts(element) {
  const pad = document.createElementNS(SVG, "rect");
  pad.setAttribute("class", "pad");
  pad.append(document.createElementNS(SVG, "title"));
  pad.firstChild.textContent = element.words.square;
  element.svg.append(pad);
  const move = (event) => {
    const { left, top, width, height } = pad.getBoundingClientRect();
    const part = (value) => Math.round(100 * Math.min(1, Math.max(0, value)));
    const r = part((event.clientX - left) / width) / 100;
    const z = part(1 - (event.clientY - top) / height) / 100;
    element.set({ r, z });
  };
  pad.addEventListener("pointerdown", (event) => {
    pad.setPointerCapture(event.pointerId);
    move(event);
  });
  pad.addEventListener("pointermove", (event) => {
    if (pad.hasPointerCapture(event.pointerId)) move(event);
  });
  const says = make("p", { class: "count" });
  const strip = make("div", { class: "blocks", "aria-hidden": "true" });
  const rows = Object.fromEntries(
    CELLS.map((cell) => [cell, blocks(cell, strip)]),
  );
  return {
    below: make("div", { class: "assembly" }, says, strip),
    says: () => says.textContent,
    update(found, size) {
      const box = boxes(size).square;
      pad.setAttribute("x", box.left);
      pad.setAttribute("y", box.top);
      pad.setAttribute("width", box.right - box.left);
      pad.setAttribute("height", box.bottom - box.top);
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
