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

import * as model from "./models/padding-bench.js";
import { axes, ink, mark, write } from "./parts/axes.js";
import { make } from "./parts/controls.js";
import { fixed } from "./parts/format.js";
import { register } from "./parts/lab.js";
import { number } from "./parts/number.js";
import { pad } from "./parts/pad.js";

const MOST = readings[0].length;
const ROWS = readings.map((_, row) => row);
const IDS = ROWS.map((row) => `n${row + 1}`);

const series = (rows) => rows.join(", ").replace(/, (\d+)$/, " and $1");
const plural = (n, one) => (n === 1 ? one : `${one}s`);

const words = {
  en: {
    length: (row) => `Length ${row}`,
    T: "Slots T",
    pad: "Filler",
    row: (n) => `length ${n}`,
    slots: (T) => `${T} ${plural(T, "slot")}`,
    overflow: "overflow",
    t: "step t",
    mean: "mean reading",
    last: "last state",
    naive: "naive",
    mean_valid: "masked",
    last_valid: "valid",
    none: "none",
    dragRow: (row) => `Row ${row}: drag to change its length`,
    dragT: "Drag to change the number of slots",
    filler: (n, value) =>
      value === 0
        ? `${n} ${plural(n, "zero")}`
        : `${n} ${plural(n, "filler")} of ${fixed(value, 1)}`,
    padded: (row, real, T, filler, naive, masked) =>
      `Row ${row} has ${real} ${plural(real, "reading")} in ` +
      `${T} ${plural(T, "slot")}. Count the ${filler} and the mean is ` +
      `${naive}; masked, it is ${masked}.`,
    lucky: (row, filler, masked) =>
      `With ${filler}, the mean of row ${row} is right by luck: ${masked}, ` +
      `masked or not.`,
    state: (naive, valid) =>
      naive === valid
        ? ` Read on through them and the last state stays at ${valid}.`
        : ` Read on through them and the last state turns from ${valid} ` +
          `into ${naive}.`,
    empty: (row, naive, state) =>
      `Row ${row} is empty, and so is its mask: nothing to add up, and zero ` +
      `to divide by. It has no mean and no last state. Unmasked, it passes ` +
      `for ${naive} and ${state}, all of it filler.`,
    full: (T) =>
      `Every row fills its ${T} ${plural(T, "slot")}: there is nothing to ` +
      `mask, and rings and dots agree.`,
    cut: (rows, lost) =>
      ` ${rows.length === 1 ? "Row" : "Rows"} ${series(rows)} ` +
      `${rows.length === 1 ? "has" : "have"} lost ${lost} ` +
      `${plural(lost, "reading")}, and nobody will know.`,
    batch: (cells, padded, share) =>
      padded === 0
        ? `None of the ${cells} cells is padding. `
        : `${padded} of the ${cells} cells ${padded === 1 ? "is" : "are"} ` +
          `padding, ${share} %. `,
    means: (cells, all, real, tokens, rows, sequences) =>
      `Mean of the batch: ${cells} over all ${all} cells, ${tokens} over ` +
      `${real} ${plural(real, "reading")}, ${sequences} over ` +
      `${rows} ${plural(rows, "row")}.`,
    nothing: "There is nothing in this batch to take a mean of.",
  },
  zh: {
    length: (row) => `第 ${row} 行长度`,
    T: "位置数 T",
    pad: "填充值",
    row: (n) => `长度 ${n}`,
    slots: (T) => `${T} 个位置`,
    overflow: "放不下",
    t: "步 t",
    mean: "读数的平均",
    last: "最后的状态",
    naive: "直接算",
    mean_valid: "掩码",
    last_valid: "有效",
    none: "没有",
    dragRow: (row) => `第 ${row} 行：左右拖动，改变长度`,
    dragT: "左右拖动，改变位置数",
    filler: (n, value) =>
      value === 0 ? `${n} 个零` : `${n} 个填充（${fixed(value, 1)}）`,
    padded: (row, real, T, filler, naive, masked) =>
      `第 ${row} 行只有 ${real} 个读数，却占了 ${T} 个位置。把补上的 ${filler}` +
      `也算进去，平均是 ${naive}；用掩码挡住，是 ${masked}。`,
    lucky: (row, filler, masked) =>
      `第 ${row} 行把 ${filler}也算了进去，平均碰巧没错：用不用掩码都是 ` +
      `${masked}。`,
    state: (naive, valid) =>
      naive === valid
        ? `一直读到右边缘，状态倒没怎么变，还是 ${valid}。`
        : `一直读到右边缘，状态就从 ${valid} 变成了 ${naive}。`,
    empty: (row, naive, state) =>
      `第 ${row} 行是空的，掩码里一个 1 也没有，没有可加的，也没有可除的：` +
      `平均和最后的状态都不存在。不用掩码，倒会冒出 ${naive} 和 ` +
      `${state}，全是填充造出来的。`,
    full: (T) =>
      `每一行都填满了 ${T} 个位置，没有什么要挡，圆圈和圆点处处重合。`,
    cut: (rows, lost) =>
      `第 ${rows.join("、")} 行有 ${lost} 个读数放不下，丢了也没人知道。`,
    batch: (cells, padded, share) =>
      padded === 0
        ? `${cells} 格里没有一格是填充。`
        : `${cells} 格里有 ${padded} 格是填充，占 ${share} %。`,
    means: (cells, all, real, tokens, rows, sequences) =>
      `整批的平均：按全部 ${all} 格算是 ${cells}，按 ${real} 个读数算是 ` +
      `${tokens}，按 ${rows} 行算是 ${sequences}。`,
    nothing: "这一批里什么也没有，谈不上平均。",
  },
};

function controls(words) {
  const typed = { kind: "number", make: number, min: 0, max: MOST, step: 1 };
  const range = { kind: "range" };
  return [
    ...ROWS.map((row) => ({
      ...typed,
      ...{ id: IDS[row], value: LENGTHS[row], label: words.length(row + 1) },
    })),
    {
      ...range,
      ...{ id: "T", min: 1, max: MOST, step: 1, value: SLOTS },
      ...{ unit: String, label: words.T },
    },
    {
      ...range,
      ...{ id: "pad", min: 0, max: 1, step: 0.1, value: PADDING },
      ...{ unit: (value) => fixed(value, 1), label: words.pad },
    },
  ];
}

function measure({ T, pad: padding, ...state }) {
  const lengths = IDS.map((id) => state[id]);
  const found = model.bench(readings, lengths, T, { w, u, b, padding });
  return { ...found, T, lengths, padding };
}

function describe({ rows, T, padding }, words) {
  const two = (value) => fixed(value, 2);
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
  const cut = ROWS.filter((row) => rows[row].overflow);
  if (!cut.length) return text;
  const lost = cut.reduce((sum, row) => sum + rows[row].overflow, 0);
  return (
    text +
    words.cut(
      cut.map((row) => row + 1),
      lost,
    )
  );
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
    mark(g, "line", { x1: x, x2: x, y1: bottom, y2: bottom + 4 }).attr(
      "stroke",
      ink("muted"),
    );
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
  const line = { x1: x, x2: x, y1: 8, y2: bottom };
  mark(g, "line", { ...line, stroke: ink("ink"), "stroke-width": 2 });
  write(g, words.slots(T), x - 9, top - 9, "end");
  grip(g, x, 8);
  if (!rows.some(({ overflow }) => overflow)) return;
  const text = write(g, words.overflow, x + 9, top - 9);
  text.attr("class", "small");
  if (x + 9 + text.node().getComputedTextLength() > edge) {
    text
      .attr("text-anchor", "end")
      .attr("x", edge)
      .attr("y", bottom + 36);
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
    const line = { x1: x(0), x2: x(0), y1: box.top - 12, y2: bottom };
    mark(g, "line", { ...line, stroke: ink("muted"), "stroke-width": 0.8 });
  }
  rows.forEach((row, i) => {
    const y = middle(box, i);
    const [naive, valid] = [row[`${kind}_naive`], row[`${kind}_valid`]];
    const ends = { x1: x(naive), x2: x(valid ?? naive), y1: y, y2: y };
    const paint = { stroke: ink(quantity), "stroke-width": 1.5 };
    if (narrow) write(g, words.row(lengths[i]), box.left - 11, y + 5, "end");
    mark(g, "line", { ...ends, ...paint });
    const ring = { ...paint, cx: x(naive), cy: y, r: 6 };
    mark(g, "circle", { ...ring, fill: ink("paper") });
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
  const within = (value, low) => Math.min(MOST, Math.max(low, value));
  const wall = pad(
    svg,
    words.dragT,
    (x) => element.set({ T: within(slot(x), 1) }),
    { along: true },
  );
  const rows = ROWS.map((row) =>
    pad(
      svg,
      words.dragRow(row + 1),
      (x) => element.set({ [IDS[row]]: within(slot(x), 0) }),
      { along: true },
    ),
  );
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
  const two = (value) => fixed(value, 2);
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
