// Pick a task, blank inputs: which of them change the answer, from how far?

import { tasks } from "results/task_cards.json";

import * as model from "./models/task-cards.js";
import { ink, mark, write } from "./parts/axes.js";
import { make, makeControl } from "./parts/controls.js";
import { fixed } from "./parts/format.js";
import { register } from "./parts/lab.js";
import { language } from "./parts/words.js";

const NAMES = tasks.map(({ task }) => task);
const MOST = Math.max(...tasks.map(({ examples }) => examples.length));
const LONGEST = Math.max(
  ...tasks.flatMap((t) => t.examples.map(({ inputs }) => inputs.length)),
);
const FEW = 3; // blanks that a sentence still names

const steps = (n) => (n === 1 ? "one step" : `${n} steps`);

const words = {
  en: {
    task: "Task",
    tasks: {
      opinion: "opinion (classification)",
      tags: "parts of speech (labelling)",
      melody: "melody (generation)",
      quarters: "quarters (forecasting)",
      numbers: "numbers (sequence to sequence)",
    },
    example: "Example",
    of: (k, n) => `${k} of ${n}`,
    one: "Move one blank",
    none: "none",
    several: (n) => `${n} blanks`,
    buttons: "Inputs: press to blank",
    press: "Press an input to blank it",
    input: "input",
    answer: "answer",
    was: (old) => `was ${old}`,
    nothing: "nothing",
    joined: (n) => `a row of steps from 1 to ${n} with _ between them`,
    step: (t) => `step ${t}`,
    quote: (text) => `‘${text}’`,
    number: (text) => text,
    list: (names) =>
      names.length < 2
        ? names.join("")
        : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`,
    inputs: (n) => `${n} of the inputs`,
    untouched: (now) =>
      `Nothing is blank, and the answer is ${now}. Which input could it do ` +
      `without? Blank one.`,
    same: (gone, now) =>
      `Without ${gone}, the answer stays as it was, or nearly: ${now}. ` +
      `Nobody would notice.`,
    turns: (gone, old, now) =>
      `Without ${gone}, the answer turns from ${old} into ${now}`,
    after: (d) => `, and the change reaches ${steps(d)} ahead.`,
    before: (d) =>
      `, and the change reaches ${steps(d)} back: this network reads from ` +
      `both ends.`,
    here: ", right where the blank is.",
    shared: ". Put any single one back, and that does not change.",
    all: (now) =>
      `Everything is blank, and the network still answers something: ${now}. ` +
      `That is what it guesses when it has read nothing.`,
  },
  zh: {
    task: "任务",
    tasks: {
      opinion: "评价（分类）",
      tags: "词性（标注）",
      melody: "旋律（生成）",
      quarters: "季度（预测）",
      numbers: "数字（序列到序列）",
    },
    example: "例子",
    of: (k, n) => `${k} / ${n}`,
    one: "只遮一个",
    none: "不遮",
    several: (n) => `遮了 ${n} 个`,
    buttons: "输入：按一下就遮住",
    press: "点一个输入，把它遮住",
    input: "输入",
    answer: "答案",
    was: (old) => `原为 ${old}`,
    nothing: "无",
    joined: (n) => `用 _ 隔开的步数（1 到 ${n}）`,
    step: (t) => `第 ${t} 步`,
    quote: (text) => `‘${text}’`,
    number: (text) => ` ${text} `,
    list: (names) => names.join("、"),
    inputs: (n) => ` ${n} 个输入`,
    untouched: (now) =>
      `什么都没遮，答案是${now.trimEnd()}。少了哪个输入也不要紧？遮一个试试。`,
    same: (gone, now) =>
      `遮住${gone}，答案不变，或者几乎不变：${now.trimEnd()}，少了也看不出来。`,
    turns: (gone, old, now) =>
      `遮住${gone}，答案就从${old}变成${now.trimEnd()}`,
    after: (d) => `，影响传到 ${d} 步之外。`,
    before: (d) => `，连 ${d} 步之前的答案也跟着变：这个网络从两头读。`,
    here: "，变的就是遮住的那一步。",
    shared: "。只放回其中任何一个，这一点都不会变。",
    all: (now) =>
      `全遮住了，网络还是要给个答案：${now.trimEnd()}。什么也没读到，它就这么猜。`,
  },
};

/** "5_2_2" -> "2_5"; "0" is no blank at all. */
function parse(text) {
  if (text === "0") return text;
  if (!/^\d+(_\d+)*$/.test(text)) return undefined;
  const found = [...new Set(text.split("_").map(Number))];
  if (found.some((t) => t < 1 || t > LONGEST)) return undefined;
  return found.sort((a, b) => a - b).join("_");
}

const join = (blanks) =>
  blanks.length
    ? blanks
        .map((t) => t + 1)
        .sort((a, b) => a - b)
        .join("_")
    : "0";

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
      ...{ id: "example", kind: "range", min: 1, max: MOST, step: 1 },
      ...{ value: 1, elsewhere: true },
    },
    {
      ...{ id: "blanks", kind: "list", parse, elsewhere: true },
      ...{
        value: first(tasks[0].examples[0]),
        allowed: words.joined(LONGEST),
      },
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
    ...{ task, example, inputs, T, blanks, old, now },
    changed: model.changed(task, old, now),
    pivots: model.pivots(task, inputs, blanks),
  };
}

const number = (value) => fixed(value, 2);

/** What input t and an entry of the answer are called. */
function names({ task, inputs }) {
  const lang = language();
  if (!task.words) return { input: (t) => number(inputs[t]), entry: number };
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
      ...{ d: `M${from},${a}C${bend},${a} ${bend},${b} ${to},${b}` },
      ...{ fill: "none", stroke: ink("keep"), "stroke-width": 1.7 },
      "stroke-dasharray": "7 4",
    });
  }
  const touched = new Set(pivots.map(([t]) => t));
  for (let t = 0; t < T; t++) {
    const blank = blanks.includes(t);
    const shade = touched.has(t) ? "keep" : blank ? "muted" : "x";
    write(g, t + 1, left - 8, y(t + 1) + 4.5, "end", "muted").attr(
      "class",
      "small",
    );
    box(g, left, y(t + 1), wide, tall, shade, touched.has(t), blank);
    const text = write(
      ...[g, input(t), left + wide / 2, y(t + 1) + 4.5, "middle", shade],
    );
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
    ...{ x, y: y - height / 2, width, height, rx: 4, fill: "none" },
    ...{ stroke: ink(quantity), "stroke-width": heavy ? 2.6 : 1.1 },
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
      ...{ ...range, id: "example", min: 1, max: MOST, label: words.example },
      unit: (k) => words.of(k, found.task.examples.length),
    },
    (k) => start(element.state.task, k),
  );
  const one = makeControl(
    {
      ...{ ...range, id: "one", min: 0, max: LONGEST, label: words.one },
      unit: (t) => {
        const { blanks } = found;
        if (blanks.length > 1) return words.several(blanks.length);
        return t ? `${t}: ${names(found).input(t - 1)}` : words.none;
      },
    },
    (t) => element.set({ blanks: String(t) }),
  );
  const row = make(
    "div",
    { class: "controls cards", role: "group", "aria-label": words.controls },
    ...[task, example, one].map((part) => part.element),
  );
  const label = { role: "group", "aria-label": words.buttons };
  const tokens = make("div", { class: "tokens", ...label });
  const field = mark(svg, "rect", { class: "pad press" });
  field.append("title").text(words.press);
  field.on("click", ({ clientY }) => {
    const { top, height } = field.node().getBoundingClientRect();
    const t = Math.floor(((clientY - top) / height) * found.T);
    toggle(Math.min(found.T - 1, Math.max(0, t)));
  });
  return {
    above: tokens,
    below: row,
    update(measured, size) {
      found = measured;
      const { left, wide, top, bottom } = rows(found, size);
      field.attr("x", left).attr("y", top);
      field.attr("width", wide).attr("height", bottom - top);
      const { T, blanks } = found;
      const key = `${found.task.task} ${found.example}`;
      if (shown !== key) {
        shown = key;
        const { input } = names(found);
        tokens.replaceChildren(
          ...found.inputs.map((_, t) => {
            const name = { "aria-label": `${t + 1}: ${input(t)}` };
            const look = { type: "button", ...name };
            const button = make("button", look, input(t));
            button.addEventListener("click", () => toggle(t));
            return button;
          }),
        );
      }
      [...tokens.children].forEach((button, t) => {
        button.setAttribute("aria-pressed", blanks.includes(t));
      });
      const sliders = [example, one].map(({ element: each }) =>
        each.querySelector("input"),
      );
      [sliders[0].max, sliders[1].max] = [found.task.examples.length, T];
      task.show(found.task.task);
      example.show(found.example);
      one.show(blanks.length ? blanks[0] + 1 : 0);
    },
  };
}

const lab = { words, controls, measure, describe, draw, parts };
register({ ...lab, name: "task-cards" });
