// Six training runs by their monitors: walk through one, say what is wrong.

import { scaleLinear, scaleLog } from "d3-scale";
import study from "results/six_runs.json";
import {
  axes,
  curve,
  DOTTED,
  ink,
  line,
  mark,
  power,
  write,
} from "../parts/axes.js";
import { group, make, makeControl } from "../parts/controls.js";
import { scientific } from "../parts/format.js";
import { register } from "../parts/lab.js";
import { pad, within } from "../parts/pad.js";
import { play } from "../parts/play.js";
import { radios } from "../parts/radios.js";
import { language } from "../parts/words.js";
import * as model from "./model.js";
import { nats, share, words } from "./words.js";

const LETTERS = study.runs.map(({ letter }) => letter).sort();
const RUNS = LETTERS.map((letter) =>
  study.runs.find((run) => run.letter === letter),
);
const NAMES = study.runs.map(({ name }) => name);
const HEALTHY = RUNS.find(({ name }) => name === "healthy");
const LAST = RUNS[0].t.at(-1);
const EVERY = LAST - RUNS[0].t.at(-2);
const NONE = "none";

/** "CA" -> "AC"; nothing that is not a run. */
function parse(text) {
  if (text === NONE) return text;
  const known = text && [...text].every((each) => LETTERS.includes(each));
  return known ? model.joined(text, "") : undefined;
}

function controls(words) {
  const choice = { kind: "choice", elsewhere: true };
  const letters = { parse, value: NONE, elsewhere: true };
  return [
    {
      ...choice,
      id: "run",
      options: LETTERS,
      names: LETTERS,
      value: LETTERS[0],
      label: words.run,
      make: radios,
    },
    {
      id: "t",
      kind: "range",
      min: 0,
      max: LAST,
      step: EVERY,
      value: LAST,
      label: words.t,
      elsewhere: true,
      unit: (t) => String(Math.max(t, RUNS[0].t[0])),
    },
    {
      ...choice,
      id: "guess",
      options: [NONE, ...NAMES],
      value: NONE,
      names: [words.choose, ...NAMES.map((name) => words.names[name])],
      label: words.ask,
    },
    { ...letters, id: "found", allowed: words.letters },
    { ...letters, id: "shown", allowed: words.letters },
  ];
}

const listed = (letters) => (letters === NONE ? "" : letters);

function measure(state) {
  const run = RUNS.find(({ letter }) => letter === state.run);
  const k = model.nearest(run, state.t);
  const told = state.guess !== NONE && model.judge(state.guess, run, study);
  const hit = told && told.claim === null;
  const found = model.joined(listed(state.found), hit ? run.letter : "");
  const open = model.joined(found, listed(state.shown));
  const known = open.includes(run.letter);
  return {
    run,
    k,
    guess: state.guess,
    told,
    found,
    open,
    known,
    won: found.includes(run.letter),
    shown: [...open].filter((letter) => !found.includes(letter)).length,
    now: model.values(run, k, study),
    beside: open.includes(HEALTHY.letter) && run !== HEALTHY,
    sign: known ? model.judge(run.name, run, study) : told,
  };
}

function describe({ run, now }, words) {
  const { t, valid, long, span, saturated } = now;
  const level = words.level[model.level(valid, study)];
  const gates = share(saturated);
  return words.now(
    run.letter,
    t,
    nats(valid),
    level,
    words.long(long, span),
    gates,
  );
}

// series: [monitor, colour]; ends: highest value, the first that is enough.
const PANELS = [
  {
    id: "loss",
    ends: [7, 32],
    places: nats,
    series: [
      ["train", "x"],
      ["valid", "h"],
    ],
  },
  { id: "worst", series: [["worst", "show"]], ends: [8, 40], places: nats },
  { id: "norm", series: [["norm", "gradient"]], places: scientific },
  { id: "above", series: [["above", "gradient"]], ends: [1], places: share },
  {
    id: "saturated",
    series: [["saturated", "keep"]],
    ends: [1],
    places: share,
  },
  { id: "cell", series: [["cell", "c"]], ends: [3, 8], places: scientific },
];

/** A box for each panel: beside each other, or on a phone in one column. */
function boxes({ width, height, narrow }) {
  const columns = narrow ? 1 : 2;
  const under = narrow ? 60 : 44;
  const [wide, tall] = [width / columns, (height - under) / (6 / columns)];
  return PANELS.map((_, i) => {
    const left = (i % columns) * wide + 52;
    const top = Math.floor(i / columns) * tall;
    const low = i >= PANELS.length - columns;
    const right = ((i % columns) + 1) * wide - 12;
    return { left, right, top: top + 29, bottom: top + tall - 8, low };
  });
}

function draw(g, found, words, size) {
  const places = boxes(size);
  PANELS.forEach((each, i) => {
    panel(g, found, words, each, places[i]);
  });
  if (!found.beside) return;
  const text = words.beside(HEALTHY.letter);
  const low = size.height - (size.narrow ? 3 : 16);
  const note = write(g, text, size.width / 2, low, "middle", "muted");
  note.attr("class", "small");
}

/** The values of a monitor from a point to another. */
function along(run, key, from, to) {
  const keys = run.t.map((_, k) => k).slice(from, to + 1);
  return keys.map((k) => [run.t[k], model.values(run, k, study)[key]]);
}

function panel(g, found, words, { id, series, ends, places }, box) {
  const { run, k, now, beside, sign } = found;
  const last = run.t.length - 1;
  const lines = series.map(([key]) => along(run, key, 0, last));
  const most = Math.max(...lines.flat().map(([, value]) => value));
  const high = ends?.find((end) => end >= most) ?? ends?.at(-1);
  const x = scaleLinear([0, LAST], [box.left, box.right]);
  const scale = ends ? scaleLinear : scaleLog;
  const domain = ends ? [0, high] : [1e-3, 10];
  const y = scale(domain, [box.bottom, box.top]).clamp(true);
  if (sign?.monitor === id) frame(g, box, found.known ? "write" : "gradient");
  axes(g, box, x, y, {
    xTicks: box.low ? x.ticks(4) : [],
    yTicks: ends ? y.ticks(3) : [1e-3, 1e-2, 0.1, 1, 10],
    yFormat: !ends ? power : high === 1 ? share : String,
    xLabel: box.low ? words.axis : undefined,
  });
  const paint = (values, ...look) => {
    const points = values.map(([t, v]) => [x(t), y(v)]);
    return curve(g, points, ...look).attr("stroke-dasharray", null);
  };
  line(g, [x(now.t), box.top], [x(now.t), box.bottom], "ink", 0.8);
  series.forEach(([key, quantity], i) => {
    const width = quantity === "x" ? 1.3 : 2.1;
    if (beside && quantity !== "x") {
      const healthy = paint(along(HEALTHY, key, 0, last), "muted", 1.4);
      healthy.attr("stroke-dasharray", "4 3");
    }
    paint(lines[i].slice(k), quantity, width, 0.4);
    paint(lines[i].slice(0, k + 1), quantity, width);
    const dot = { cx: x(now.t), cy: y(now[key]), r: 3.6 };
    mark(g, "circle", { ...dot, fill: ink(quantity) });
  });
  if (id === "loss") levels(g, run, words, x, y);
  if (id === "norm") rule(g, words.threshold, study.threshold, x, y, true);
  const title = write(g, words.titles[id], box.left - 44, box.top - 13);
  title.attr("class", "small");
  heading(g, now, words, series, places, box);
}

/** The values at the cursor, right-aligned above a panel. */
function heading(g, now, words, series, places, box) {
  let right = box.right;
  for (const [key, quantity] of [...series].reverse()) {
    const name = series.length > 1 ? `${words[key]} ` : "";
    const value = name + places(now[key]);
    const text = write(g, value, right, box.top - 13, "end", quantity);
    text.attr("class", "small strong");
    right -= text.node().getComputedTextLength() + 10;
  }
}

/** A frame around the panel that decides. */
function frame(g, { left, right, top, bottom, low }, quantity) {
  const place = { x: left - 50, y: top - 28, rx: 4 };
  mark(g, "rect", {
    ...place,
    width: right - left + 58,
    height: bottom - top + (low ? 51 : 35),
    fill: "none",
    stroke: ink(quantity),
    "stroke-width": 2,
  });
}

/** What knowing nothing and what a bigram costs; names off the curve. */
function levels(g, { valid }, words, x, y) {
  const late = Math.max(...valid.slice(Math.floor(0.6 * valid.length)));
  const room = y(study.bigram) - y(study.guess) > 20; // for both names
  rule(g, words.nothing, study.guess, x, y, true);
  const up = late < study.bigram;
  rule(g, room ? words.bigram : "", study.bigram, x, y, up);
}

/** A dotted level with its name above or below, at its right end. */
function rule(g, name, value, x, y, up) {
  const [x1, x2] = x.range();
  const level = line(g, [x1, y(value)], [x2, y(value)], "muted");
  level.attr("stroke-dasharray", DOTTED);
  const text = write(g, name, x2, y(value) + (up ? -4 : 12), "end", "muted");
  text.attr("class", "small halo dense");
}

/** Runs and time, then the question, then what there is to say to it. */
function parts(element) {
  const { words, svg } = element;
  const [run, t, guess] = controls(words);
  let found, asked;
  const change = (state) => {
    clock.stop();
    element.set(state);
  };
  const go = (letter) =>
    change({ run: letter, guess: NONE, found: found.found || NONE });
  const letters = makeControl(run, go);
  const time = makeControl(t, (value) => change({ t: value }));
  const clock = play(element, words, {
    now: () => element.state.t / EVERY,
    last: () => LAST / EVERY,
    go: (step) => element.set({ t: step * EVERY }),
  });
  const ask = makeControl(guess, () => ready());
  const menu = ask.element.querySelector("select");
  const check = make("button", { type: "button", class: "check" });
  const show = make("button", { type: "button" }, words.show);
  const ready = () => {
    check.disabled = !found.known && menu.value === NONE;
  };
  check.addEventListener("click", () => {
    if (found.known) {
      return go(model.following(LETTERS, found.run.letter, found.open));
    }
    const { claim } = model.judge(menu.value, found.run, study);
    const more = claim === null ? found.run.letter : "";
    const all = model.joined(found.found, more) || NONE;
    change({ guess: menu.value, found: all });
  });
  show.addEventListener("click", () => {
    const all = model.joined(listed(element.state.shown), found.run.letter);
    change({ guess: NONE, shown: all });
    check.disabled = false;
    check.focus(); // this button is about to go
  });
  const buttons = make("div", { class: "control answer" }, check, show);
  const verdict = make("div", { class: "verdict" });
  const count = make("p", { class: "tally" });
  const drag = (at) => {
    const step = Math.round((at * LAST) / EVERY);
    change({ t: within(0, EVERY * step, LAST) });
  };
  const fields = PANELS.map(() => pad(svg, words.drag, drag, "along"));
  return {
    above: make(
      "div",
      {},
      group(
        words,
        "controls runs",
        letters.element,
        time.element,
        clock.element,
      ),
      group(words, "controls question", ask.element, buttons),
    ),
    below: make("div", { class: "controls outcome" }, count, verdict),
    says: () =>
      [...verdict.children, count].map((p) => p.textContent).join(" "),
    update(measured, size) {
      found = measured;
      const { letter, name } = found.run;
      boxes(size).forEach((box, i) => {
        fields[i].place(box);
      });
      svg.setAttribute("aria-label", words.picture(letter));
      letters.show(
        letter,
        LETTERS.map((each) => {
          if (found.found.includes(each)) return `${each} ✓`;
          return found.open.includes(each) ? `${each} –` : each;
        }),
      );
      time.show(element.state.t);
      const key = [letter, found.guess, found.open].join(" ");
      if (key === asked) return;
      asked = key;
      ask.show(found.known ? name : found.guess);
      menu.disabled = found.known;
      check.textContent = found.known ? words.next : words.check;
      show.hidden = found.known;
      ready();
      verdict.replaceChildren(...answer(found, words));
      count.textContent = words.count(found.found.length, found.shown);
    },
  };
}

/** Paragraphs: what to do; or why not; or what it was, with its line. */
function answer({ run, guess, told, known, won }, words) {
  const tell = (...inside) => make("p", {}, ...inside);
  const strong = (text) => make("strong", {}, text);
  if (!known && !told) return [tell(words.hint)];
  if (!known) {
    const { claim, value } = told;
    return [tell(strong(words.no), words.against[guess][claim](value))];
  }
  const lang = language();
  const gap = lang === "en" ? " " : "";
  const start = won ? words.yes : words.shown(run.letter);
  const reason = run.diagnosis[lang] + gap + run.sign[lang];
  const code = (text) => make("code", {}, text);
  const lines = run.right
    ? [tell(words.right, code(run.right)), tell(words.wrong, code(run.wrong))]
    : [tell(words.whole)];
  return [tell(strong(start), reason), ...lines];
}

const lab = { words, controls, measure, describe, draw, parts };
register({ ...lab, name: "diagnose" });
