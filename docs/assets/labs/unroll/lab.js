// Read a review word by word, swap one word, see how far the change travels.

import { scaleLinear, scaleLog } from "d3-scale";
import {
  groups,
  sentences,
  swap,
  words as V,
  weights,
} from "results/unroll.json";
import {
  axes,
  band,
  curve,
  ink,
  line,
  mark,
  power,
  write,
} from "../parts/axes.js";
import { group, make, makeControl } from "../parts/controls.js";
import { fixed, percent, scientific } from "../parts/format.js";
import { register } from "../parts/lab.js";
import { pad, within } from "../parts/pad.js";
import { play } from "../parts/play.js";
import * as model from "./model.js";
import { words } from "./words.js";

const NETS = Object.keys(weights);
const LONGEST = Math.max(...sentences.map((words) => words.length));
const OPTIONS = sentences.map((_, i) => String(i + 1));
const SMALLEST = 1e-12; // nothing is drawn below
const H = weights[NETS[0]].b_h.length;

function controls(words) {
  const range = { kind: "range", max: LONGEST, step: 1, elsewhere: true };
  return [
    { ...range, id: "t", min: 0, value: LONGEST },
    { ...range, id: "at", min: 1, value: swap.step },
    {
      id: "word",
      kind: "choice",
      value: swap.word,
      label: words.word,
      options: groups.flat(),
      names: groups.flat(),
    },
    {
      id: "net",
      kind: "choice",
      options: NETS,
      value: NETS[0],
      names: NETS.map((name) => words.nets[name]),
      label: words.net,
    },
    {
      id: "sentence",
      kind: "choice",
      options: OPTIONS,
      value: OPTIONS[swap.sentence],
      label: words.sentence,
      names: sentences.map((sentence) => words.length(sentence.length)),
    },
  ];
}

const ids = (sentence) => sentence.map((word) => V.indexOf(word));

function measure(state) {
  const sentence = sentences[Number(state.sentence) - 1];
  const T = sentence.length;
  const steps = model.places(groups, sentence);
  const at = model.place(steps, Math.min(state.at, T));
  const choices = model.alternatives(groups, sentence[at - 1]);
  const word = choices.includes(state.word) ? state.word : choices[0];
  const net = weights[state.net];
  const h = model.states(net, ids(sentence));
  const against = (step, other) =>
    model.states(net, ids(model.swapped(sentence, step, other)));
  const other = against(at, word);
  const others = steps
    .filter((step) => step !== at)
    .map((step) => {
      const [first] = model.alternatives(groups, sentence[step - 1]);
      return { step, d: model.distances(h, against(step, first)) };
    });
  return {
    sentence,
    T,
    steps,
    at,
    choices,
    word,
    h,
    other,
    others,
    t: Math.min(state.t, T),
    trained: state.net === "trained",
    d: model.distances(h, other),
    praise: [h, other].map((rows) => model.praise(net, rows.at(-1))),
  };
}

function describe({ sentence, T, t, at, word, d, praise, trained }, words) {
  const [old, now, n] = [sentence[at - 1], word, t - at];
  if (t === 0) return words.nothing();
  if (t < at) return words.before({ at, old });
  const [a, b] = [d[at - 1], d[t - 1]];
  const [first, last] = [a, b].map(scientific);
  const ratio = b / a;
  const left =
    ratio > 1 ? words.times(scientific(ratio)) : words.share(percent(ratio));
  const found = { old, now, n, first, last, left };
  if (t < T) return n === 0 ? words.parts(found) : words.between(found);
  const text = n === 0 ? words.verdict(found) : words.end(found);
  const [p, q] = praise.map((value) => fixed(value, 3));
  const answer = p === q ? words.stays(p) : words.from(p, q);
  const flips = praise[0] > 0.5 !== praise[1] > 0.5;
  const kept = n === 0 ? words.turns : words.kept;
  const why = flips ? kept : words.let;
  return text + words.join + answer + (trained ? why : words.untaught);
}

/** The units above, the distance below, under them the words. */
function boxes({ width, height, narrow }, T) {
  const left = narrow ? 56 : 62;
  const right = width - 10;
  const low = height - (narrow ? 88 : 92);
  const middle = Math.round(0.5 * low);
  return {
    units: { left, right, top: 8, bottom: middle - 8 },
    far: { left, right, top: middle + 8, bottom: low },
    names: { left, right, top: low, bottom: height },
    x: scaleLinear([0.3, T + 0.7], [left, right]),
  };
}

function draw(g, found, words, size) {
  const places = boxes(size, found.T);
  const { units, far, x } = places;
  if (found.t < found.T) {
    band(g, { ...units, left: x(found.t + 0.5), bottom: far.bottom });
  }
  bars(g, found, words, places);
  travel(g, found, words, places);
  name(g, found, places, size);
}

/** A bar a unit and step; a dash where the other reading's state is. */
function bars(g, { h, other, t, at }, words, { units, x }) {
  const row = (units.bottom - units.top) / H;
  const y = scaleLinear([0, H], [units.top, units.bottom]);
  axes(g, units, x, y, {
    xTicks: [],
    yTicks: [...Array(H).keys()].map((k) => k + 0.5),
    yFormat: (k) => String(k + 0.5),
    yLabel: words.unit,
    yLabelX: 13,
  });
  const wide = Math.min(12, 0.55 * (x(1) - x(0)));
  for (let k = 0; k < H; k++) {
    const zero = y(k + 0.5);
    line(g, [units.left, zero], [units.right, zero], "muted", 0.6, 0.6);
    for (let s = 1; s <= t; s++) {
      const [a, b] = [h, other].map((rows) => 0.44 * row * rows[s - 1][k]);
      mark(g, "rect", {
        x: x(s) - wide / 2,
        y: zero - Math.max(a, 0),
        width: wide,
        height: Math.abs(a),
        fill: ink("h"),
      });
      if (s < at) continue;
      const [from, to] = [x(s) - wide / 2 - 2, x(s) + wide / 2 + 2];
      line(g, [from, zero - b], [to, zero - b], "ink", 1.5);
    }
  }
}

/** How far apart the two states are; faint, what other swaps would do. */
function travel(g, found, words, { far, x }) {
  const { t, at, d, others, sentence, word } = found;
  const runs = [{ step: at, d }, ...others].map((run) => ({
    ...run,
    d: run.d.map((value) => Math.max(value, SMALLEST)),
  }));
  const values = runs.flatMap(({ step, d }) => d.slice(step - 1));
  const low = Math.floor(Math.log10(Math.min(...values)));
  const high = Math.max(1, Math.ceil(Math.log10(Math.max(...values))));
  const y = scaleLog([10 ** low, 10 ** high], [far.bottom, far.top]);
  const each = high - low > 5 ? 2 : 1;
  const powers = [];
  for (let k = high - 1; k >= low; k -= each) powers.push(10 ** k);
  axes(g, far, x, y, {
    xTicks: [],
    yTicks: powers,
    yFormat: power,
    yLabel: words.distance,
    yLabelX: 13,
  });
  const path = ({ step, d }) =>
    d.slice(step - 1, t).map((v, i) => [x(step + i), y(v)]);
  for (const run of runs.slice(1)) {
    if (run.step <= t) curve(g, path(run), "x", 1, 0.45);
  }
  if (at > t) return;
  const points = path(runs[0]);
  curve(g, points, "h", 2.2);
  for (const [cx, cy] of points) {
    mark(g, "circle", { cx, cy, r: 3, fill: ink("h") });
  }
  const late = at > 0.6 * found.T; // then there is room on the left only
  const heights = points.slice(0, late ? 1 : 6).map(([, up]) => up);
  const above = Math.min(...heights) - 12;
  const fits = above > far.top + 8;
  const text = `${sentence[at - 1]} → ${word}`;
  const left = points[0][0] + (late ? 4 : -4);
  const height = fits ? above : Math.max(...heights) + 24;
  const label = write(g, text, left, height, late ? "end" : "start", "h");
  label.attr("class", "halo");
}

/** The words under the picture; bold the one that is swapped. */
function name(g, { sentence, t, at, T }, { names, x }, { narrow }) {
  const dense = narrow && T > 16;
  for (const [i, word] of sentence.entries()) {
    const place = `translate(${x(i + 1) + 4},${names.top + 12})`;
    const tilt = dense ? -90 : -60;
    const quantity = i + 1 === at ? "h" : i < t ? "ink" : "muted";
    const text = write(g, word, 0, 0, "end", quantity);
    text.attr("transform", `${place} rotate(${tilt})`);
    const look = i + 1 === at ? "small strong" : "small";
    text.attr("class", dense ? `${look} dense` : look);
  }
}

/** Reading position and swap: two sliders, and two fields to press. */
function parts(element) {
  const { words } = element;
  let found;
  const read = (t) => {
    const now = within(0, t, found.T);
    element.set({ t: now === found.T ? LONGEST : now });
  };
  const choose = (step) =>
    element.set({ at: model.place(found.steps, step, found.at) });
  const range = { kind: "range", step: 1, max: LONGEST };
  const t = makeControl(
    {
      ...range,
      id: "t",
      min: 0,
      label: words.t,
      unit: (value) => words.read(value, found.T),
    },
    (value) => {
      clock.stop();
      read(value);
    },
  );
  const at = makeControl(
    {
      ...range,
      id: "at",
      min: 1,
      label: words.at,
      unit: (value) => `${value}: ${found.sentence[value - 1]}`,
    },
    choose,
  );
  const clock = play(element, words, {
    now: () => Math.min(element.state.t, found.T),
    last: () => found.T,
    go: read,
  });
  const row = [t, clock, at].map((part) => part.element);
  const step = (x) => {
    const [from, to] = [0.3, found.T + 0.7];
    return Math.round(from + x * (to - from));
  };
  const drag = (x) => {
    clock.stop();
    read(step(x));
  };
  const field = pad(element.svg, words.drag, drag, "along");
  const swapped = (x) => choose(step(x));
  const names = pad(element.svg, words.choose, swapped, "along");
  return {
    above: group(words, "controls reader", ...row),
    update(measured, size) {
      found = measured;
      const { units, far, names: under } = boxes(size, found.T);
      field.place({ ...units, bottom: far.bottom });
      names.place(under);
      t.limit(found.T);
      at.limit(found.T);
      t.show(found.t);
      at.show(found.at);
      const word = element.inputs.get("word"); // only what may stand there
      const menu = word.element.querySelector("select");
      menu.replaceChildren(
        ...found.choices.map((value) => make("option", { value }, value)),
      );
      word.show(found.word);
    },
  };
}

const lab = { words, controls, measure, describe, draw, parts };
register({ ...lab, name: "unroll" });
