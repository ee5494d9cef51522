// The gradient cliff, for its chapter and, with fewer controls, the title.

import { scaleLinear, scaleLog } from "d3-scale";
import { Q, noise as tenths } from "results/gradient_cliff.json";

import * as model from "../models/cliff.js";
import { axes, curve, mark, power, write } from "./axes.js";
import { fixed, percent, raised, scientific } from "./format.js";

const N = Math.sqrt(Q.length);
const LONGEST = 200;
const LIMIT = 5; // of the norm, when clipping is on
const ONES = Array(N).fill(1);
const START = Array(N).fill(1 / Math.sqrt(N));
const noise = tenths.map((value) => value / 10);

const words = {
  en: {
    g: "Scale g of W",
    s: "Input noise s",
    T: "Steps back T",
    clip: `Clip at norm ${LIMIT}`,
    steps: (n) => `${n} steps`,
    x: "steps back ℓ",
    y: "gradient norm (log scale)",
    bound: (text) => `bound ${text}`,
    far: "far half",
    before: "before clipping",
    reached: (T, left, bound) =>
      `Going back ${T} steps leaves ${left} of the gradient, all that the ` +
      `bound ${bound} allows: the states are at 0, where tanh is steepest.`,
    below: (T, left, bound, value) =>
      `Going back ${T} steps leaves ${left} of the gradient. The bound ` +
      `${bound} = ${value} allows more, but the states lie where tanh is ` +
      `flatter.`,
    noisy: (T, left, bound, value) =>
      `The bound ${bound} = ${value} would let the gradient explode, yet ` +
      `going back ${T} steps leaves ${left}: noise pushes the states to ` +
      `where tanh is flat.`,
    quiet: (T, left, bound, value) =>
      `The bound ${bound} = ${value} would let the gradient explode, yet ` +
      `going back ${T} steps leaves ${left}: the states have grown until ` +
      `tanh flattens.`,
    grown: (T, left, bound, value) =>
      `Going back ${T} steps multiplies the gradient by ${left}. The bound ` +
      `is ${bound} = ${value}.`,
    share: (part) => ` The far half holds ${part} of the whole gradient.`,
    clipped: (norm, factor) =>
      ` The whole has norm ${norm}: clipping multiplies every step by ` +
      `${factor}, and that share stays.`,
    unclipped: (norm) =>
      ` The whole has norm ${norm}, below ${LIMIT}: clipping does nothing.`,
  },
  zh: {
    g: "W 的倍数 g",
    s: "输入噪声 s",
    T: "往回走 T",
    clip: `按范数 ${LIMIT} 裁剪`,
    steps: (n) => `${n} 步`,
    x: "往回走的步数 ℓ",
    y: "梯度的范数（对数刻度）",
    bound: (text) => `上界 ${text}`,
    far: "较远的一半",
    before: "裁剪之前",
    reached: (T, left, bound) =>
      `往回走 ${T} 步，梯度剩下 ${left}，正好用满上界 ${bound}：` +
      `状态都在 0，那里 tanh 最陡。`,
    below: (T, left, bound, value) =>
      `往回走 ${T} 步，梯度剩下 ${left}。上界 ${bound} = ${value} ` +
      `还允许更多，可状态落在 tanh 较平的地方。`,
    noisy: (T, left, bound, value) =>
      `看上界 ${bound} = ${value}，梯度该爆炸了；往回走 ${T} 步却只剩 ` +
      `${left}：噪声把状态推到了 tanh 平坦的地方。`,
    quiet: (T, left, bound, value) =>
      `看上界 ${bound} = ${value}，梯度该爆炸了；往回走 ${T} 步却只剩 ` +
      `${left}：状态自己长大，走到了 tanh 变平的地方。`,
    grown: (T, left, bound, value) =>
      `往回走 ${T} 步，梯度变成原来的 ${left} 倍；上界 ${bound} 是 ` +
      `${value}。`,
    share: (part) => `较远的一半占全部梯度的 ${part}。`,
    clipped: (norm, factor) =>
      `全部梯度的范数是 ${norm}，裁剪把每一步都乘以 ${factor}，` +
      `这个份额不变。`,
    unclipped: (norm) =>
      `全部梯度的范数是 ${norm}，不到 ${LIMIT}，裁剪什么也不做。`,
  },
};

function controls(words) {
  const two = (value) => fixed(value, 2);
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
    ...{ g, s, T, clip, norms },
    left: norms[T],
    bound: g ** T,
    total: model.total(norms),
    scale: clip ? model.clipScale(norms, LIMIT) : 1,
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
  mark(g, "rect", {
    class: "band",
    x: x(T / 2),
    y: box.top,
    width: x(T) - x(T / 2),
    height: box.bottom - box.top,
  });
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
  mark(g, "circle", { cx: end.x, cy: end.y, r: 5, fill: "var(--q-gradient)" });
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

export const cliff = { words, controls, measure, describe, draw };
