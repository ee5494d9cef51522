// Carry one bit past ten distractors with the three gates of one LSTM unit.

import { scaleLinear } from "d3-scale";
import {
  c_0,
  distractors,
  policies,
  T,
  threshold,
  u,
} from "results/gate_console.json";

import * as model from "./models/gate-console.js";
import { axes, curve, ink, mark, write } from "./parts/axes.js";
import { make, makeControl } from "./parts/controls.js";
import { change, fixed } from "./parts/format.js";
import { register } from "./parts/lab.js";

const TASK = { u, c_0, threshold, distractors };
const GATES = ["f", "i", "o"];
const QUANTITY = { f: "keep", i: "write", o: "show" };
const LAST = T - 1; // the last distractor
const SPANS = { 1: [1, 1], between: [2, LAST], [T]: [T, T] };
for (let t = 2; t <= LAST; t++) SPANS[t] = [t, t];
const STEPS = ["1", "between", String(T)];
for (let t = 2; t <= LAST; t++) STEPS.push(String(t));
const NAMED = Object.fromEntries(
  Object.entries(policies).map(([name, { gates }]) => [
    name,
    Object.fromEntries(
      GATES.map((gate, k) => [gate, model.encode(gates.map((row) => row[k]))]),
    ),
  ]),
);
const ORDER = ["overwritten", "carried", "not erased", "faded", "hidden"];
const START = NAMED[ORDER[0]];
const SVG = "http://www.w3.org/2000/svg";

const words = {
  en: {
    f: "Keep f",
    i: "Write i",
    o: "Show o",
    rows: { f: "keep", i: "write", o: "show" },
    steps: "Set step",
    policy: "Policy",
    byHand: "by hand",
    named: {
      overwritten: "i left open",
      carried: "carried",
      "not erased": "not wiped first",
      faded: "f = 0.9",
      hidden: "o = 0 at the end",
    },
    span: (name) =>
      name === "between"
        ? `2 to ${LAST}`
        : ({ 1: "1: the bit", [T]: `${T}: asked` }[name] ?? name),
    pen: "Gates: draw across the boxes, or use the three sliders",
    cell: (bit) => `cell cₜ, bit ${change(bit, 0)}`,
    shown: "shown hₜ",
    input: "input xₜ",
    reader: "sent → read",
    t: "time step t",
    gates: (n) => `a list of ${n} gates such as 0_1*${n - 1}`,
    both: (a) =>
      a === 0
        ? "The reader cannot answer for either bit."
        : `The reader says ${change(a, 0)} to both bits, right once by luck.`,
    each: (a, b) =>
      `The reader says ${answerEn(a)} to a +1 and ${answerEn(b)} to a −1.`,
    carried: ({ h }) =>
      `Both bits arrive: the reader is shown ${h[0]} for a +1 and ${h[1]} ` +
      `for a −1, past the marks. Lower f a little between: how low may it go?`,
    overwritten: ({ noise, signal }) =>
      `Overwritten. Through the open i the distractors brought ${noise}, ` +
      `whichever bit was sent; the bit’s own ±${signal} is buried under it.`,
    "not erased": ({ leftover, c }) =>
      `Not wiped first. The old ${leftover} is still in the cell beside the ` +
      `bit: it ends at ${c[0]} for a +1 and ${c[1]} for a −1.`,
    missed: () =>
      `The bit never got in: i was shut at step 1, and what is in the cell ` +
      `now has nothing to do with it.`,
    wiped: ({ wiped }) =>
      `Wiped: f = 0 at step ${wiped} emptied the cell with the bit in it.`,
    faded: ({ written, signal, need }) =>
      `Faded. ±${written} was written, f has left ±${signal} of it, and the ` +
      `reader needs ${need} in the cell.`,
    faint: ({ written, need }) =>
      `Too faint. i let only ±${written} of the bit in, and the reader needs ` +
      `${need} in the cell.`,
    hidden: ({ c, h, o }) =>
      `Hidden. The cell holds ${c[0]} or ${c[1]}, so the bit is there, but ` +
      `o = ${o} at the last step shows ${h[0]} or ${h[1]} of it.`,
  },
  zh: {
    f: "留 f",
    i: "写 i",
    o: "亮 o",
    rows: { f: "留", i: "写", o: "亮" },
    steps: "拨第几步",
    policy: "策略",
    byHand: "自己拨的",
    named: {
      overwritten: "i 一直开着",
      carried: "带到了",
      "not erased": "没有先擦",
      faded: "f = 0.9",
      hidden: "最后 o = 0",
    },
    span: (name) =>
      name === "between"
        ? `2 到 ${LAST}`
        : ({ 1: "1：比特", [T]: `${T}：来问` }[name] ?? name),
    pen: "三个门：在格子上划，或用三个滑块",
    cell: (bit) => `细胞 cₜ，比特 ${change(bit, 0)}`,
    shown: "亮出 hₜ",
    input: "输入 xₜ",
    reader: "送来 → 读出",
    t: "时间步 t",
    gates: (n) => `像 0_1*${n - 1} 这样的 ${n} 个门`,
    both: (a) =>
      a === 0
        ? "无论哪个比特，读数的人都答不上来。"
        : `无论哪个比特，读数的人都说 ${change(a, 0)}，对一个全凭运气。`,
    each: (a, b) =>
      `送来 +1，读数的人${answerZh(a)}；送来 −1，${answerZh(b)}。`,
    carried: ({ h }) =>
      `两个比特都带到了：送来 +1，亮出 ${h[0]}；送来 −1，亮出 ${h[1]}，都过了线。` +
      `把中间的 f 拨低一点试试，能低到多少？`,
    overwritten: ({ noise, signal }) =>
      `盖掉了。i 没关，干扰加进来 ${noise}，哪个比特都一样；` +
      `比特自己的 ±${signal} 埋在底下。`,
    "not erased": ({ leftover, c }) =>
      `没有先擦。旧的 ${leftover} 还在，和比特混在一起：` +
      `送来 +1，细胞里是 ${c[0]}；送来 −1，是 ${c[1]}。`,
    missed: () => `第 1 步 i 关着，比特没进来，细胞里的东西与它无关。`,
    wiped: ({ wiped }) => `擦掉了：第 ${wiped} 步 f = 0，比特跟着一起清空。`,
    faded: ({ written, signal, need }) =>
      `淡掉了。写进去 ±${written}，被 f 一步步减到 ±${signal}；` +
      `细胞里要有 ${need}，读数的人才看得清。`,
    faint: ({ written, need }) =>
      `写得太轻。i 只放进来 ±${written}；细胞里要有 ${need}，读数的人才看得清。`,
    hidden: ({ c, h, o }) =>
      `看不见。细胞里是 ${c[0]} 或 ${c[1]}，比特还在，` +
      `可最后一步 o = ${o}，只亮出 ${h[0]} 或 ${h[1]}。`,
  },
};

const answerEn = (a) => (a === 0 ? "nothing" : change(a, 0));
const answerZh = (a) => (a === 0 ? "答不上来" : `说 ${change(a, 0)}`);

function controls(words) {
  const canonical = (text) => {
    const values = model.decode(text, T);
    return values && model.encode(values);
  };
  const gate = { kind: "list", parse: canonical, elsewhere: true };
  gate.allowed = words.gates(T);
  return [
    ...GATES.map((id) => ({ ...gate, id, value: START[id] })),
    {
      ...{ id: "steps", kind: "choice", options: STEPS, value: "between" },
      ...{ names: STEPS.map(words.span), label: words.steps, elsewhere: true },
    },
  ];
}

function measure(state) {
  const gates = Object.fromEntries(
    GATES.map((gate) => [gate, model.decode(state[gate], T)]),
  );
  return {
    ...{ gates, span: SPANS[state.steps], steps: state.steps },
    runs: model.BITS.map((bit) => model.run(gates, bit, TASK)),
    parts: model.parts(gates, TASK),
    score: model.score(gates, TASK),
    verdict: model.verdict(gates, TASK),
    policy: ORDER.find((name) =>
      GATES.every((gate) => NAMED[name][gate] === state[gate]),
    ),
  };
}

function describe({ gates, runs, parts, score, verdict }, words) {
  const { written, signal, leftover, noise, wiped, need } = parts;
  const text = words[verdict]({
    ...{ wiped, need: fixed(need, 2), o: fixed(gates.o.at(-1), 2) },
    ...{ written: fixed(written, 2), signal: fixed(signal, 2) },
    ...{ leftover: change(leftover, 2), noise: change(noise, 2) },
    c: runs.map((run) => change(run.c.at(-1), 2)),
    h: runs.map((run) => change(run.h.at(-1), 2)),
  });
  if (verdict === "carried") return text;
  const [a, b] = score.answers;
  const reader = a === b ? words.both(a) : words.each(a, b);
  return words.join(text, reader);
}
words.en.join = (a, b) => `${a} ${b}`;
words.zh.join = (a, b) => a + b;

/** Where the curves stand, and under them the boxes of the three gates. */
function boxes({ width, height, narrow }) {
  const left = narrow ? 56 : 72;
  const right = width - 84;
  const [row, gap] = narrow ? [112, 12] : [52, 9];
  const bottom = height - 54;
  const top = bottom - 3 * row - 2 * gap;
  const strips = Object.fromEntries(
    GATES.map((gate, k) => {
      const at = top + k * (row + gap);
      return [gate, { left, right, top: at, bottom: at + row }];
    }),
  );
  const x = scaleLinear([0.5, T + 0.5], [left, right]);
  const start = left - (narrow ? 14 : 20); // c_0 stands before the first step
  const curves = { left: start, right, top: 12, bottom: top - 20 };
  return { curves, strips, x };
}

function draw(g, found, words, size) {
  const places = boxes(size);
  const { curves, strips, x } = places;
  const [from, to] = found.span;
  const end = strips.o.bottom;
  mark(g, "rect", {
    ...{ class: "band", x: x(from - 0.5), width: x(to + 0.5) - x(from - 0.5) },
    ...{ y: curves.top, height: end - curves.top },
  });
  trace(g, found, words, places);
  for (const gate of GATES) strip(g, gate, found.gates[gate], words, places);
  const ticks = mark(g, "g", { class: "axis" }).node();
  for (const t of [1, 4, 8, T]) {
    write(ticks, String(t), x(t), end + 18, "middle");
  }
  write(g, words.t, (strips.o.left + strips.o.right) / 2, end + 42, "middle");
}

/** Both bits at once: the cell, what is shown, and what the reader says. */
function trace(g, { runs, score }, words, { curves, x }) {
  const values = runs.flatMap(({ c }) => c);
  const low = Math.min(-2.5, Math.floor(2 * Math.min(...values)) / 2);
  const high = Math.max(2.1, Math.ceil(2 * Math.max(...values)) / 2);
  const y = scaleLinear([low, high], [curves.bottom, curves.top]);
  const ticks = y.ticks(6).filter(Number.isInteger);
  axes(g, curves, x, y, {
    ...{ xTicks: [], yTicks: ticks, yFormat: (v) => fixed(v, 0) },
  });
  const rule = { stroke: ink("muted"), "stroke-width": 0.8, opacity: 0.6 };
  mark(g, "line", {
    ...{ ...rule, x1: curves.left, x2: curves.right, y1: y(0), y2: y(0) },
  });
  const middle = y(0);
  runs.forEach((run, k) => {
    run.x.forEach((value, t) => {
      if (k > 0 && t > 0) return; // the distractors are the same
      const cx = x(t + 1);
      const stem = { x1: cx, x2: cx, y1: middle, y2: y(value) };
      mark(g, "line", { ...stem, stroke: ink("x"), "stroke-width": 1.2 });
      dot(g, cx, y(value), "x", k, 2.6);
    });
  });
  const starts = (t) => (t === 0 ? curves.left : x(t));
  [...runs.entries()].reverse().forEach(([k, { c, h }]) => {
    const cell = c.map((value, t) => [starts(t), y(value)]);
    curve(g, cell, "c", k === 0 ? 2.6 : 1.4);
    curve(
      g,
      h.map((value, t) => [x(t + 1), y(value)]),
      "h",
      k === 0 ? 1.8 : 1.2,
    );
    h.forEach((value, t) => {
      if (k > 0 && value === runs[0].h[t]) return;
      dot(g, x(t + 1), y(value), "h", k, 3);
    });
  });
  dot(g, curves.left, y(c_0), "c", 0, 3.2);
  for (const level of [threshold, -threshold]) {
    mark(g, "line", {
      ...{ x1: x(T - 0.45), x2: x(T + 0.45), y1: y(level), y2: y(level) },
      ...{ stroke: ink("ink"), "stroke-width": 2 },
    });
  }
  name(g, runs, words, { x, y, middle });
  verdicts(g, runs, score, words, { y, curves });
}

/** What the curves are called, at places where they always are. */
function name(g, runs, words, { x, y, middle }) {
  const halo = (text, at, up, anchor, quantity) =>
    write(g, text, at, up, anchor, quantity).attr("class", "halo");
  const [first, second] = runs.map(({ c }) => c.slice(2, 6).map(y));
  const above = Math.min(...first, y(1)) - 12;
  const below = Math.max(...second, y(-0.5)) + 22;
  halo(words.cell(1), x(1.8), above, "start", "c");
  halo(words.cell(-1), x(1.8), below, "start", "c");
  halo(words.shown, x(9.5), middle - 8, "middle", "h");
  halo(words.input, x(8.3), y(-1) + 20, "start", "x");
}

/** Right of the curves, what was sent and what the reader takes it for. */
function verdicts(g, runs, { answers }, words, { y, curves }) {
  const at = curves.right + 4;
  const places = runs.map(({ h }) => y(h.at(-1)) + 5);
  if (places[1] - places[0] < 20) {
    const middle = (places[0] + places[1]) / 2;
    places[0] = middle - 10;
    places[1] = middle + 10;
  }
  write(g, words.reader, at, Math.min(places[0], y(threshold)) - 18).attr(
    "class",
    "small",
  );
  answers.forEach((answer, k) => {
    const bit = model.BITS[k];
    const read = answer === 0 ? "?" : change(answer, 0);
    const text = `${change(bit, 0)} → ${read}`;
    const look = answer === bit ? "strong small" : "small";
    const mind = answer === bit ? "✓" : "✗";
    write(g, `${text} ${mind}`, at, places[k]).attr("class", look);
  });
}

/** Filled for the bit +1, hollow for -1. */
function dot(g, cx, cy, quantity, k, r) {
  const fill = ink(k === 0 ? quantity : "paper");
  mark(g, "circle", { cx, cy, r, fill, stroke: ink(quantity) });
}

/** A row of boxes, each as full as the gate is open. */
function strip(g, gate, values, words, { strips, x }) {
  const { left, top, bottom } = strips[gate];
  const quantity = QUANTITY[gate];
  const [side, full] = [x(0.8) - x(0), bottom - top];
  values.forEach((value, t) => {
    const at = { x: x(t + 1) - side / 2, width: side };
    const shade = { fill: ink(quantity), y: bottom - value * full };
    mark(g, "rect", { ...at, ...shade, height: value * full });
    const frame = { fill: "none", stroke: ink(quantity), y: top };
    mark(g, "rect", { ...at, ...frame, height: full });
  });
  const middle = (top + bottom) / 2;
  for (const [text, down, look] of [
    [gate, -2, "strong"],
    [words.rows[gate], 14, "small"],
  ]) {
    const name = write(g, text, left - 10, middle + down, "end", quantity);
    name.attr("class", look);
  }
}

/** A pen for the boxes; a menu of policies, one of steps, three sliders. */
function parts(element) {
  const { words } = element;
  const [fill, field] = pen(element, words.pen);
  const spans = element.controls.find(({ id }) => id === "steps");
  const steps = makeControl(spans, (steps) => element.set({ steps }));
  const names = ORDER.map((name) => words.named[name]);
  const policy = makeControl(
    {
      ...{ id: "policy", kind: "choice", label: words.policy },
      ...{ options: [...ORDER, ""], names: [...names, words.byHand] },
    },
    (name) => element.set(NAMED[name] ?? {}),
  );
  const sliders = GATES.map((gate) =>
    makeControl(
      {
        ...{ id: gate, kind: "range", min: 0, max: 1, step: 0.01 },
        ...{ label: words[gate], unit: (value) => fixed(value, 2) },
      },
      (value) => fill(gate, ...SPANS[element.state.steps], value),
    ),
  );
  const dials = [policy, steps, ...sliders].map((part) => part.element);
  const row = make("div", { class: "controls console" }, ...dials);
  row.setAttribute("role", "group");
  row.setAttribute("aria-label", words.controls);
  return {
    below: row,
    update(found, size) {
      field(boxes(size));
      steps.show(found.steps);
      policy.show(found.policy ?? "");
      GATES.forEach((gate, k) => {
        sliders[k].show(found.gates[gate][found.span[0] - 1]);
      });
    },
  };
}

/** Drawing across a row of boxes sets its gates to the pen's height. */
function pen(element, title) {
  let places, before, row;
  const pad = document.createElementNS(SVG, "rect");
  pad.setAttribute("class", "pad");
  pad.append(document.createElementNS(SVG, "title"));
  pad.firstChild.textContent = title;
  element.svg.append(pad);
  const fill = (gate, from, to, value) => {
    const values = model.decode(element.state[gate], T);
    element.set({ [gate]: model.encode(model.held(values, from, to, value)) });
  };
  const at = ({ clientX, clientY }) => {
    const { left, top, width, height } = pad.getBoundingClientRect();
    const box = places.strips;
    const [high, low] = [box.f.top, box.o.bottom];
    const y = high + ((clientY - top) / height) * (low - high);
    const t = Math.ceil(((clientX - left) / width) * T);
    return { t: Math.min(T, Math.max(1, t)), y };
  };
  const move = (event) => {
    const { t, y } = at(event);
    const { top, bottom } = places.strips[row];
    const edge = 0.12 * (bottom - top); // open and shut are easy to hit
    const open = (bottom - edge - y) / (bottom - top - 2 * edge);
    const value = Math.round(10 * Math.min(1, Math.max(0, open))) / 10;
    fill(row, Math.min(t, before), Math.max(t, before), value);
    before = t;
  };
  pad.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    pad.setPointerCapture(event.pointerId);
    const { t, y } = at(event);
    const far = (gate) => {
      const { top, bottom } = places.strips[gate];
      return Math.abs(y - (top + bottom) / 2);
    };
    row = GATES.reduce((a, b) => (far(b) < far(a) ? b : a));
    before = t;
    move(event);
  });
  pad.addEventListener("pointermove", (event) => {
    if (pad.hasPointerCapture(event.pointerId)) move(event);
  });
  const place = (now) => {
    places = now;
    const { left, right, top } = now.strips.f;
    pad.setAttribute("x", left);
    pad.setAttribute("y", top);
    pad.setAttribute("width", right - left);
    pad.setAttribute("height", now.strips.o.bottom - top);
  };
  return [fill, place];
}

const lab = { words, controls, measure, describe, draw, parts };
register({ ...lab, name: "gate-console" });
