// One shared weight taken apart: drag the copy of one step, or all of them.

import { scaleBand, scaleLinear } from "d3-scale";
import { x as inputs, u, w } from "results/derivation_table.json";
import { axes, ink, line, mark, write } from "../parts/axes.js";
import { make } from "../parts/controls.js";
import { change, fixed, two } from "../parts/format.js";
import { register } from "../parts/lab.js";
import * as model from "./model.js";
import { words } from "./words.js";

const COPIES = inputs.map(() => w);
const STEPS = inputs.map((_, i) => i + 1);
const ALL = "all";
const CHOICES = [...STEPS.map(String), ALL];

function controls(words) {
  const range = { kind: "range" };
  return [
    {
      id: "copy",
      kind: "choice",
      options: CHOICES,
      value: "2",
      elsewhere: true,
    },
    {
      ...range,
      id: "nudge",
      min: -0.5,
      max: 0.5,
      step: 0.01,
      value: 0.1,
      unit: (value) => change(value, 2),
      label: words.nudge,
    },
    {
      ...range,
      id: "h0",
      min: -1,
      max: 1,
      step: 0.05,
      value: 0,
      unit: two,
      label: words.h0,
    },
  ];
}

function measure({ copy, nudge, h0 }) {
  const rows = model.table(COPIES, u, inputs, h0);
  const sum = rows.reduce((total, row) => total + row.term, 0);
  const L = rows.at(-1).h;
  const choices = CHOICES.map((name, i) => {
    const moved = name === ALL ? STEPS : [i + 1];
    const term = name === ALL ? sum : rows[i].term;
    const after = model.nudged(COPIES, u, inputs, h0, moved, nudge);
    const quotient = nudge === 0 ? term : (after - L) / nudge;
    return { name, term, after, moves: after - L, quotient };
  });
  const wrong = model.withoutSlope(COPIES, u, inputs, h0);
  const chosen = choices.find(({ name }) => name === copy);
  return { copy, nudge, h0, rows, sum, L, choices, chosen, wrong };
}

function describe({ nudge, h0, L, chosen, wrong }, words) {
  const [from, to] = [fixed(L, 4), fixed(chosen.after, 4)];
  if (nudge === 0) return words.still(from);
  const by = words.by(nudge);
  if (chosen.name === "1" && h0 === 0) return words.dead(by);
  const term = fixed(chosen.term, 3);
  const guess = change(chosen.term * nudge, 4);
  const real = change(chosen.moves, 4);
  if (chosen.name !== ALL) {
    return words.one(chosen.name, by, term, guess, real, from, to);
  }
  const mistaken = change(wrong * nudge, 4);
  return words.every(by, term, guess, real, from, to, mistaken);
}

function draw(g, found, words, { width, height, narrow }) {
  const { rows, choices, copy, wrong } = found;
  const margin = narrow ? 180 : 186;
  const box = { left: margin, right: width - 44, top: 8, bottom: height - 64 };
  const values = choices.flatMap((c) => [c.term, c.quotient]).concat(wrong);
  const low = Math.floor(2 * Math.min(0, ...values)) / 2;
  const high = Math.max(1.5, Math.ceil(2 * Math.max(...values)) / 2);
  const x = scaleLinear([low, high], [box.left, box.right]);
  const y = scaleBand(CHOICES.concat("wrong"), [box.top, box.bottom]);
  const thick = 0.55 * y.bandwidth();
  const bar = (name, from, to, look) =>
    mark(g, "rect", {
      x: Math.min(x(from), x(to)),
      y: y(name) + (y.bandwidth() - thick) / 2,
      width: Math.abs(x(to) - x(from)),
      height: thick,
      ...look,
    });
  const solid = { fill: ink("gradient"), "fill-opacity": 0.55 };
  const edged = { ...solid, stroke: ink("ink") };
  axes(g, box, x, y, { xTicks: x.ticks(narrow ? 4 : 6), yTicks: [] });
  line(g, [x(0), box.top], [x(0), box.bottom], "muted");
  let reached = 0;
  rows.forEach(({ term, immediate, chain }, i) => {
    bar(CHOICES[i], 0, term, solid);
    bar(ALL, reached, reached + term, edged);
    reached += term;
    const product = `${fixed(immediate, 3)} × ${fixed(chain, 3)}`;
    name(g, words.step(i + 1), product, y, CHOICES[i], copy, margin);
  });
  name(g, words.sum, "", y, ALL, copy, margin);
  name(g, words.forgotten, "", y, "wrong", copy, margin);
  bar("wrong", 0, wrong, {
    fill: "none",
    stroke: ink("muted"),
    "stroke-width": 1.6,
    "stroke-dasharray": "6 4",
  });
  for (const { name, term, quotient } of choices) {
    const middle = y(name) + y.bandwidth() / 2;
    diamond(g, x(quotient), middle, name === copy);
    const end = Math.max(0, x(term) - x(0), x(quotient) - x(0) + 4);
    write(g, fixed(term, 3), x(0) + end + 8, middle + 5);
  }
  const place = y("wrong") + y.bandwidth() / 2 + 5;
  write(g, fixed(wrong, 3), Math.max(x(0), x(wrong)) + 8, place);
  write(g, words.x, (box.left + box.right) / 2, box.bottom + 36, "middle");
  const legend = (box.left + box.right) / 2;
  write(g, words.measured, legend, box.bottom + 56, "middle");
}

function name(outer, text, product, y, row, copy, margin) {
  const g = mark(outer, "g", { class: "axis" }).node();
  const middle = y(row) + y.bandwidth() / 2 + 5;
  const label = write(g, text, margin - 12, middle, "end");
  if (product) {
    label.attr("text-anchor", "start").attr("x", 14);
    write(g, product, margin - 12, middle, "end");
  }
  if (row === copy) {
    label.attr("class", "strong");
    write(g, "▸", 0, middle);
  }
}

function diamond(g, x, y, chosen) {
  const r = chosen ? 7 : 5;
  mark(g, "path", {
    d: `M${x - r},${y}L${x},${y - r}L${x + r},${y}L${x},${y + r}Z`,
    fill: ink("paper"),
    stroke: ink("ink"),
    "stroke-width": chosen ? 2.2 : 1.2,
  });
}

/** The table: a row a copy, whose radio button chooses what moves. */
function parts(element) {
  const { words } = element;
  const table = make("table", { class: "derivation" });
  table.append(make("caption", {}, words.caption));
  const head = make("tr");
  const heads = words.heads.map((text) => make("th", { scope: "col" }, text));
  head.append(...heads);
  table.append(make("thead", {}, head));
  const body = make("tbody");
  const group = `copy-${Math.random().toString(36).slice(2)}`;
  const rows = CHOICES.map((value) => {
    const input = make("input", { type: "radio", name: group, value });
    input.addEventListener("change", () => element.set({ copy: value }));
    const text = value === ALL ? words.all : words.step(value);
    const label = make("label", {}, input, text);
    const row = make("tr", {}, make("th", { scope: "row" }, label));
    const cells = words.heads.slice(1).map(() => make("td"));
    row.append(...cells);
    body.append(row);
    return { row, input, cells };
  });
  table.append(body);
  return {
    above: table,
    update(found) {
      rows.forEach(({ row, input, cells }, i) => {
        const { term, moves, name } = found.choices[i];
        input.checked = name === found.copy;
        row.classList.toggle("chosen", input.checked);
        const of = found.rows[i];
        const factors = of
          ? [of.h, of.immediate, of.chain].map((value) => fixed(value, 3))
          : ["", "", ""];
        const texts = [...factors, fixed(term, 3), change(moves, 4)];
        cells.forEach((cell, j) => {
          cell.textContent = texts[j];
        });
      });
    },
  };
}

const lab = { words, controls, measure, describe, draw, parts };
register({ ...lab, name: "derivation-table" });
