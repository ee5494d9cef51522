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
import { axes, band, curve, ink, line, mark, write } from "../parts/axes.js";
import { group, makeControl } from "../parts/controls.js";
import { change, fixed, two } from "../parts/format.js";
import { register } from "../parts/lab.js";
import { pad, within } from "../parts/pad.js";
import * as model from "./model.js";
import { words } from "./words.js";

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
      id: "steps",
      kind: "choice",
      options: STEPS,
      value: "between",
      names: STEPS.map((name) => words.span(...SPANS[name])),
      label: words.steps,
      elsewhere: true,
    },
  ];
}

function measure(state) {
  const gates = Object.fromEntries(
    GATES.map((gate) => [gate, model.decode(state[gate], T)]),
  );
  return {
    gates,
    span: SPANS[state.steps],
    steps: state.steps,
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
    wiped,
    need: two(need),
    o: two(gates.o.at(-1)),
    written: two(written),
    signal: two(signal),
    leftover: change(leftover, 2),
    noise: change(noise, 2),
    c: runs.map((run) => change(run.c.at(-1), 2)),
    h: runs.map((run) => change(run.h.at(-1), 2)),
  });
  if (verdict === "carried") return text;
  const [a, b] = score.answers;
  return text + (a === b ? words.both(a) : words.each(a, b));
}

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
  const [left, right] = [x(from - 0.5), x(to + 0.5)];
  band(g, { left, right, top: curves.top, bottom: end });
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
    xTicks: [],
    yTicks: ticks,
    yFormat: (v) => fixed(v, 0),
  });
  const middle = y(0);
  const rule = [curves.left, curves.right].map((end) => [end, middle]);
  line(g, ...rule, "muted", 0.8, 0.6);
  runs.forEach((run, k) => {
    run.x.forEach((value, t) => {
      if (k > 0 && t > 0) return; // the distractors are the same
      const cx = x(t + 1);
      line(g, [cx, middle], [cx, y(value)], "x", 1.2);
      dot(g, cx, y(value), "x", k, 2.6);
    });
  });
  const starts = (t) => (t === 0 ? curves.left : x(t));
  [...runs.entries()].reverse().forEach(([k, { c, h }]) => {
    const cell = c.map((value, t) => [starts(t), y(value)]);
    curve(g, cell, "c", k === 0 ? 2.6 : 1.4);
    const shown = h.map((value, t) => [x(t + 1), y(value)]);
    curve(g, shown, "h", k === 0 ? 1.8 : 1.2);
    h.forEach((value, t) => {
      if (k > 0 && value === runs[0].h[t]) return;
      dot(g, x(t + 1), y(value), "h", k, 3);
    });
  });
  dot(g, curves.left, y(c_0), "c", 0, 3.2);
  for (const level of [threshold, -threshold]) {
    line(g, [x(T - 0.45), y(level)], [x(T + 0.45), y(level)], "ink", 2);
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
  const { fill, place } = pen(element, words.pen);
  const spans = element.controls.find(({ id }) => id === "steps");
  const steps = makeControl(spans, (steps) => element.set({ steps }));
  const names = ORDER.map((name) => words.named[name]);
  const policy = makeControl(
    {
      id: "policy",
      kind: "choice",
      label: words.policy,
      options: [...ORDER, ""],
      names: [...names, words.byHand],
    },
    (name) => element.set(NAMED[name] ?? {}),
  );
  const sliders = GATES.map((gate) =>
    makeControl(
      {
        id: gate,
        kind: "range",
        min: 0,
        max: 1,
        step: 0.01,
        label: words[gate],
        unit: two,
      },
      (value) => fill(gate, ...SPANS[element.state.steps], value),
    ),
  );
  const dials = [policy, steps, ...sliders].map((part) => part.element);
  return {
    below: group(words, "controls console", ...dials),
    update(found, size) {
      place(boxes(size).strips);
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
  let strips, row, before;
  const fill = (gate, from, to, value) => {
    const values = model.decode(element.state[gate], T);
    element.set({ [gate]: model.encode(model.held(values, from, to, value)) });
  };
  const field = pad(element.svg, title, (across, down, first) => {
    const [high, low] = [strips.f.top, strips.o.bottom];
    const y = high + down * (low - high);
    const t = within(1, Math.ceil(across * T), T);
    if (first) {
      row = nearest(strips, y);
      before = t;
    }
    const { top, bottom } = strips[row];
    const edge = 0.12 * (bottom - top); // open and shut are easy to hit
    const open = (bottom - edge - y) / (bottom - top - 2 * edge);
    const value = Math.round(10 * within(0, open, 1)) / 10;
    fill(row, Math.min(t, before), Math.max(t, before), value);
    before = t;
  });
  const place = (now) => {
    strips = now;
    field.place({ ...now.f, bottom: now.o.bottom });
  };
  return { fill, place };
}

/** The gate whose boxes are nearest to a height. */
function nearest(strips, y) {
  const far = (gate) => {
    const { top, bottom } = strips[gate];
    return Math.abs(y - (top + bottom) / 2);
  };
  return GATES.reduce((a, b) => (far(b) < far(a) ? b : a));
}

const lab = { words, controls, measure, describe, draw, parts };
register({ ...lab, name: "gate-console" });
