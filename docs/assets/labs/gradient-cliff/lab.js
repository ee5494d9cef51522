// How far back a gradient reaches, and what clipping does to it.

import { scaleLinear, scaleLog } from "d3-scale";
import { Q, noise as tenths } from "results/gradient_cliff.json";
import { axes, band, curve, ink, mark, power, write } from "../parts/axes.js";
import { percent, raised, scientific, two } from "../parts/format.js";
import { register } from "../parts/lab.js";
import * as model from "./model.js";
import { words } from "./words.js";

const N = Math.sqrt(Q.length);
const LONGEST = 200;
const ONES = Array(N).fill(1);
const START = Array(N).fill(1 / Math.sqrt(N));
const noise = tenths.map((value) => value / 10);

function controls(words) {
  const range = { kind: "range", step: 0.01, unit: two };
  return [
    { ...range, id: "g", min: 0.5, max: 2, value: 0.9, label: words.g },
    { ...range, id: "s", min: 0, max: 1, value: 0, label: words.s },
    {
      id: "T",
      kind: "range",
      min: 10,
      max: LONGEST,
      step: 1,
      value: 100,
      unit: words.steps,
      label: words.T,
    },
    { id: "clip", kind: "checkbox", value: false, label: words.clip },
  ];
}

function measure({ g, s, T = 100, clip = false }) {
  const h = model.states(Q, noise, ONES, g, s);
  const norms = model.backwardNorms(Q, h, g, START, T);
  return {
    g,
    s,
    T,
    clip,
    norms,
    left: norms[T],
    bound: g ** T,
    total: model.total(norms),
    scale: clip ? model.clipScale(norms, model.LIMIT) : 1,
    share: model.farShare(norms),
  };
}

const powerOf = (g, T) => (g === 1 ? "1.0" : String(g)) + raised(T);

function describe({ g, s, T, clip, ...found }, words) {
  const { left, bound, total, scale, share } = found;
  let kind = "below";
  if (left > 0.995 * bound) kind = "reached";
  else if (left >= 1) kind = "grown";
  else if (bound > 1) kind = s > 0 ? "noisy" : "quiet";
  const text = powerOf(g, T);
  const parts = [words[kind](T, scientific(left), text, scientific(bound))];
  parts.push(words.share(percent(share)));
  if (clip && scale < 1) {
    parts.push(words.clipped(scientific(total), scientific(scale)));
  } else if (clip) parts.push(words.unclipped(scientific(total)));
  return parts.join("");
}

/** The first of these ends that holds the value: axes that seldom jump. */
const reach = (ends, value) => ends.find((end) => end >= value) ?? ends.at(-1);

function draw(g, found, words, { width, height, narrow }) {
  const { norms, T, bound, scale, clip } = found;
  const box = { left: 66, right: width - 16, top: 14, bottom: height - 46 };
  const lowest = Math.min(...norms) * scale;
  const down = reach([21, 42, 84, 126], -Math.log10(lowest));
  const up = reach([9, 18, 36, 63], Math.log10(bound));
  const x = scaleLinear([0, LONGEST], [box.left, box.right]);
  const domain = [10 ** -down, 10 ** up];
  const y = scaleLog(domain, [box.bottom, box.top]).clamp(true);
  const step = 5 * Math.ceil((down + up) / 35);
  const ticks = [];
  for (let e = -Math.floor(down / step) * step; e <= up; e += step) {
    ticks.push(10 ** e);
  }
  band(g, { ...box, left: x(T / 2), right: x(T) });
  write(g, words.far, x(0.75 * T), box.bottom - 8, "middle", "x");
  axes(g, box, x, y, {
    xTicks: narrow ? [0, 50, 100, 150, 200] : x.ticks(8),
    yTicks: ticks,
    yFormat: power,
    xLabel: words.x,
    yLabel: words.y,
    yLabelX: 16,
  });
  const lags = norms.map((_, lag) => lag);
  const edge = lags.map((lag) => [x(lag), y(found.g ** lag)]);
  curve(g, edge, "muted", 1.4);
  const clipped = clip && scale < 1;
  if (clipped) {
    const before = norms.map((value, lag) => [x(lag), y(value)]);
    curve(g, before, "gradient", 1.2, 0.55);
  }
  const now = norms.map((value, lag) => [x(lag), y(value * scale)]);
  curve(g, now, "gradient", 2.4);
  label(g, found, words, x, y, box);
}

function label(g, found, words, x, y, box) {
  const { T, left, bound, scale } = found;
  const end = { x: x(T), y: y(left * scale) };
  mark(g, "circle", { cx: end.x, cy: end.y, r: 5, fill: ink("gradient") });
  const inside = T > 120;
  const anchor = inside ? "end" : "start";
  const place = end.x + (inside ? -9 : 9);
  const value = scientific(left * scale);
  const yValue = Math.min(end.y + (inside ? 20 : 5), box.bottom - 24);
  write(g, value, place, yValue, anchor, "gradient").attr("class", "strong");
  const text = words.bound(powerOf(found.g, T));
  let yText = Math.max(y(bound) + (inside ? -10 : 5), box.top + 10);
  if (Math.abs(yText - yValue) < 18) yText = yValue - 18;
  write(g, text, place, yText, anchor, "muted");
}

export const lab = { words, controls, measure, describe, draw };
register({ ...lab, name: "gradient-cliff" });
