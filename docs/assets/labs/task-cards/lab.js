// Pick a task, blank inputs: which of them change the answer, from how far?

import { tasks } from "results/task_cards.json";
import { dash, ink, mark, write } from "../parts/axes.js";
import { group, make, makeControl } from "../parts/controls.js";
import { two } from "../parts/format.js";
import { register } from "../parts/lab.js";
import { pad, within } from "../parts/pad.js";
import { language } from "../parts/words.js";
import * as model from "./model.js";
import { words } from "./words.js";

const NAMES = tasks.map(({ task }) => task);
const MOST = Math.max(...tasks.map(({ examples }) => examples.length));
const LONGEST = Math.max(
  ...tasks.flatMap((t) => t.examples.map(({ inputs }) => inputs.length)),
);
const FEW = 3; // blanks that a sentence still names

/** "5_2_2" -> "2_5"; "0" is no blank at all. */
function parse(text) {
  if (text === "0") return text;
  if (!/^\d+(_\d+)*$/.test(text)) return undefined;
  const found = [...new Set(text.split("_").map(Number))];
  if (found.some((t) => t < 1 || t > LONGEST)) return undefined;
  return found.sort((a, b) => a - b).join("_");
}

/** [4, 1] -> "2_5"; none -> "0". */
function join(blanks) {
  const steps = blanks.map((t) => t + 1).sort((a, b) => a - b);
  return steps.join("_") || "0";
}

/** "2_5" -> [1, 4], those of T inputs, counted from 0. */
const listed = (text, T) =>
  text
    .split("_")
    .map((t) => t - 1)
    .filter((t) => t >= 0 && t < T);

/** The blank that a new example starts with: the first that matters. */
const first = ({ changes }) => join(changes.slice(0, 1).map(([t]) => t));

function controls(words) {
  const names = NAMES.map((name) => words.tasks[name]);
  const choice = { kind: "choice", options: NAMES, names };
  return [
    { ...choice, id: "task", value: NAMES[0], elsewhere: true },
    {
      id: "example",
      kind: "range",
      min: 1,
      max: MOST,
      step: 1,
      value: 1,
      elsewhere: true,
    },
    {
      id: "blanks",
      kind: "list",
      parse,
      elsewhere: true,
      value: first(tasks[0].examples[0]),
      allowed: words.joined(LONGEST),
    },
  ];
}

function measure(state) {
  const task = tasks.find((each) => each.task === state.task);
  const example = Math.min(state.example, task.examples.length);
  const { inputs } = task.examples[example - 1];
  const T = inputs.length;
  const blanks = listed(state.blanks, T);
  const old = model.answer(task, inputs).answer;
  const now = model.answer(task, model.blanked(inputs, blanks)).answer;
  return {
    task,
    example,
    inputs,
    T,
    blanks,
    old,
    now,
    changed: model.changed(task, old, now),
    pivots: model.pivots(task, inputs, blanks),
  };
}

/** What input t and an entry of the answer are called. */
function names({ task, inputs }) {
  const lang = language();
  if (!task.words) return { input: (t) => two(inputs[t]), entry: two };
  return {
    input: (t) => task.words[lang][inputs[t]],
    entry: (id) => task.answers[lang][id],
  };
}

function describe(found, words) {
  const { task, T, blanks, old, now, changed, pivots } = found;
  const { input, entry } = names(found);
  const quote = task.words ? words.quote : words.number;
  const text = (answer) => {
    const said = answer.map(entry).join(" ");
    return said ? quote(said) : words.nothing;
  };
  if (!blanks.length) return words.untouched(text(now));
  if (blanks.length === T) return words.all(text(now));
  const called = (t) => (task.words ? quote(input(t)) : words.step(t + 1));
  const gone =
    blanks.length > FEW
      ? words.inputs(blanks.length)
      : words.list(blanks.map(called));
  if (!changed.length) return words.same(gone, text(now));
  const some = (answer) =>
    task.tolerance ? text(changed.map((j) => answer[j])) : text(answer);
  const turns = words.turns(gone, some(old), some(now));
  if (!pivots.length) return turns + words.shared;
  const far = pivots
    .map(([t, j]) => model.place(task, T, j) - t - 1)
    .reduce((a, b) => (Math.abs(b) > Math.abs(a) ? b : a));
  if (far === 0) return turns + words.here;
  return turns + (far > 0 ? words.after(far) : words.before(-far));
}

/** A row a step: inputs on the left, answers where they stand, right. */
function rows({ task, T, old, now }, { width, height, narrow }) {
  const n = Math.max(old.length, now.length);
  const last = Math.max(T, model.place(task, T, n - 1));
  const pitch = Math.min(56, (height - 34) / last);
  return {
    pitch,
    top: 30,
    bottom: 30 + T * pitch,
    left: narrow ? 30 : 130,
    wide: narrow ? 96 : 120,
    right: width - (narrow ? 150 : 230),
    y: (step) => 30 + (step - 0.5) * pitch,
  };
}

function draw(g, found, words, size) {
  const { task, T, blanks, old, now, changed, pivots } = found;
  const { left, wide, right, pitch, y } = rows(found, size);
  const { input, entry } = names(found);
  const tall = Math.min(28, pitch - 4);
  const half = 64;
  write(g, words.input, left + wide / 2, 18, "middle", "muted");
  write(g, words.answer, right + half / 2, 18, "middle", "muted");
  for (const [t, j] of pivots) {
    const [a, b] = [y(t + 1), y(model.place(task, T, j))];
    const [from, to] = [left + wide + 2, right - 3];
    const bend = (from + to) / 2;
    mark(g, "path", {
      d: `M${from},${a}C${bend},${a} ${bend},${b} ${to},${b}`,
      fill: "none",
      stroke: ink("keep"),
      "stroke-width": 1.7,
      "stroke-dasharray": dash("keep"),
    });
  }
  const touched = new Set(pivots.map(([t]) => t));
  for (let t = 0; t < T; t++) {
    const blank = blanks.includes(t);
    const shade = touched.has(t) ? "keep" : blank ? "muted" : "x";
    const at = y(t + 1);
    const step = write(g, t + 1, left - 8, at + 4.5, "end", "muted");
    step.attr("class", "small");
    box(g, left, at, wide, tall, shade, touched.has(t), blank);
    const middle = left + wide / 2;
    const text = write(g, input(t), middle, at + 4.5, "middle", shade);
    if (blank) text.attr("text-decoration", "line-through");
  }
  const n = Math.max(old.length, now.length);
  for (let j = 0; j < n; j++) {
    const at = y(model.place(task, T, j));
    const other = changed.includes(j);
    const shade = other ? "keep" : "show";
    const name = (answer) =>
      j < answer.length ? entry(answer[j]) : words.nothing;
    box(g, right, at, half, tall, shade, other, j >= now.length);
    write(g, name(now), right + half / 2, at + 4.5, "middle", shade);
    if (!other) continue;
    const was = write(g, words.was(name(old)), right + half + 8, at + 4.5);
    was.attr("class", "small").attr("fill", ink("muted"));
  }
}

function box(g, x, y, width, height, quantity, heavy, dotted) {
  mark(g, "rect", {
    x,
    y: y - height / 2,
    width,
    height,
    rx: 4,
    fill: "none",
    stroke: ink(quantity),
    "stroke-width": heavy ? 2.6 : 1.1,
    "stroke-dasharray": dotted ? "2 3" : "none",
  });
}

/** Menu, two sliders, and a button an input; inputs are pressed, too. */
function parts(element) {
  const { words, svg } = element;
  let found, shown;
  const start = (name, example) => {
    const task = tasks.find((each) => each.task === name);
    const blanks = first(task.examples[example - 1]);
    element.set({ task: name, example, blanks });
  };
  const toggle = (t) => {
    const blanks = listed(element.state.blanks, found.T);
    const others = blanks.filter((other) => other !== t);
    const more = others.length < blanks.length ? others : [...blanks, t];
    element.set({ blanks: join(more) });
  };
  const [choice] = controls(words);
  const task = makeControl({ ...choice, label: words.task }, (name) =>
    start(name, 1),
  );
  const range = { kind: "range", step: 1 };
  const example = makeControl(
    {
      ...range,
      id: "example",
      min: 1,
      max: MOST,
      label: words.example,
      unit: (k) => words.of(k, found.task.examples.length),
    },
    (k) => start(element.state.task, k),
  );
  const one = makeControl(
    {
      ...range,
      id: "one",
      min: 0,
      max: LONGEST,
      label: words.one,
      unit: (t) => {
        const { blanks } = found;
        if (blanks.length > 1) return words.several(blanks.length);
        return t ? `${t}: ${names(found).input(t - 1)}` : words.none;
      },
    },
    (t) => element.set({ blanks: String(t) }),
  );
  const row = [task, example, one].map((part) => part.element);
  const label = { role: "group", "aria-label": words.buttons };
  const tokens = make("div", { class: "tokens", ...label });
  const press = (_, y) => {
    toggle(within(0, Math.floor(y * found.T), found.T - 1));
  };
  const field = pad(svg, words.press, press, "press");
  return {
    above: tokens,
    below: group(words, "controls cards", ...row),
    update(measured, size) {
      found = measured;
      const { left, wide, top, bottom } = rows(found, size);
      field.place({ left, right: left + wide, top, bottom });
      const { T, blanks } = found;
      const key = `${found.task.task} ${found.example}`;
      if (shown !== key) {
        shown = key;
        const { input } = names(found);
        tokens.replaceChildren(
          ...found.inputs.map((_, t) => {
            const name = `${t + 1}: ${input(t)}`;
            const look = { type: "button", "aria-label": name };
            const button = make("button", look, input(t));
            button.addEventListener("click", () => toggle(t));
            return button;
          }),
        );
      }
      [...tokens.children].forEach((button, t) => {
        button.setAttribute("aria-pressed", blanks.includes(t));
      });
      example.limit(found.task.examples.length);
      one.limit(T);
      task.show(found.task.task);
      example.show(found.example);
      one.show(blanks.length ? blanks[0] + 1 : 0);
    },
  };
}

const lab = { words, controls, measure, describe, draw, parts };
register({ ...lab, name: "task-cards" });
