// What f^k says of an LSTM's gradient, and what all its roads add to it.

import { scaleLinear, scaleLog } from "d3-scale";
import { D, H, lstm, rnn, T, x as tenths } from "results/carousel.json";

import * as model from "./models/carousel.js";
import { axes, curve, mark, power, write } from "./parts/axes.js";
import { fixed, raised, scientific } from "./parts/format.js";
import { register } from "./parts/lab.js";

const x = tenths.map((value) => value / 10);
const GROWN = 1.05; // "grows to 1.0" would be no growth

const words = {
  en: {
    f: "Forget gate f",
    g: "Scale g of W_hh",
    roads: "All roads",
    x: "steps back ℓ",
    y: "gradient norm (log scale)",
    direct: "direct path",
    all: "all roads",
    plain: "plain network",
    whole: () =>
      `On the direct path f = 1 loses nothing: after ${T} steps the whole ` +
      `gradient is still there.`,
    share: (f, left) =>
      `On the direct path f = ${f} takes its share at every step: after ` +
      `${T} steps ${left} of the gradient is left.`,
    beside: (left) => ` The plain network beside it has ${left} left.`,
    some: (left) => left,
    none: "nothing",
    unseen: (left) =>
      ` W_hh is not on that road: its scale moves only the plain network, ` +
      `which has ${left} left.`,
    one: (said, left) =>
      `With W_hh at zero there are no detours: all roads are the one road, ` +
      `and ${said} = ${left} is exact.`,
    more: (said, left, all, times) =>
      `${said} says ${left}, but all roads together leave ${all}, ${times} ` +
      `times as much: the rest came by way of W_hh.`,
    grown: (said, left, all, times) =>
      `${said} says ${left}, but the gradient grows to ${all} by all roads, ` +
      `${times} times as much: what the gate takes, W_hh more than gives ` +
      `back.`,
    raised: (said, left, all) =>
      `${said} says ${left}, but by all roads the gradient grows to ${all}: ` +
      `the gate keeps everything, and W_hh adds to it.`,
  },
  zh: {
    f: "遗忘门 f",
    g: "W_hh 的倍数 g",
    roads: "所有的路",
    x: "往回走的步数 ℓ",
    y: "梯度的范数（对数刻度）",
    direct: "直接的路",
    all: "所有的路",
    plain: "普通网络",
    whole: () => `f = 1，直接的路一点不丢：走完 ${T} 步，梯度还是整个的。`,
    share: (f, left) =>
      `f = ${f}，直接的路每一步都要打个折：走完 ${T} 步，梯度剩下 ${left}。`,
    beside: (left) => `旁边的普通网络${left}。`,
    some: (left) => `只剩 ${left}`,
    none: "什么也不剩",
    unseen: (left) => `W_hh 不在这条路上：调 g，动的只有普通网络，它${left}。`,
    one: (said, left) =>
      `W_hh 归零，弯路全断了：所有的路就是这一条，${said} = ${left} 分毫不差。`,
    more: (said, left, all, times) =>
      `${said} 说只剩 ${left}，所有的路合起来却剩 ${all}，是它的 ${times} ` +
      `倍：多出来的，是绕道 W_hh 走回来的。`,
    grown: (said, left, all, times) =>
      `${said} 说只剩 ${left}，算上所有的路，梯度反而长到 ${all}，是它的 ` +
      `${times} 倍：门拿走的，W_hh 加倍还了回来。`,
    raised: (said, left, all) =>
      `${said} 说是 ${left}，算上所有的路，梯度却长到 ${all}：` +
      `门什么也没拿走，W_hh 还往上添。`,
  },
};

function controls(words) {
  const range = { kind: "range", unit: (value) => fixed(value, 2) };
  return [
    {
      ...{ ...range, id: "f", min: 0.8, max: 1, step: 0.01, value: 1 },
      label: words.f,
    },
    {
      ...{ ...range, id: "g", min: 0, max: 3, step: 0.05, value: 1 },
      label: words.g,
    },
    { id: "roads", kind: "checkbox", value: false, label: words.roads },
  ];
}

function measure({ f, g, roads }) {
  return {
    ...{ f, g, roads, direct: model.direct(f, T) },
    plain: model.plain(rnn, x, { H, D }, g),
    total: roads ? model.total(lstm, x, { H, D }, f, g) : undefined,
  };
}

function describe({ f, g, roads, ...found }, words) {
  const left = found.direct[T];
  const beside = found.plain[T];
  const plain = beside ? words.some(scientific(beside)) : words.none;
  const text = scientific(left);
  if (!roads) {
    const first = f === 1 ? words.whole() : words.share(f, text);
    return first + (g === 1 ? words.beside(plain) : words.unseen(plain));
  }
  const said = `${f}${raised(T)}`;
  if (g === 0) return words.one(said, text) + words.beside(plain);
  const all = found.total[T];
  const times = all / left;
  let kind = "more";
  if (all > GROWN) kind = f === 1 ? "raised" : "grown";
  const tell = words[kind](said, text, scientific(all), scientific(times));
  return tell + words.beside(plain);
}

const [LOWEST, HIGHEST] = [1e-10, 1e4]; // fixed, so that only curves move

function draw(g, found, words, { width, height, narrow }) {
  const right = width - (narrow ? 92 : 108);
  const box = { left: 60, right, top: 14, bottom: height - 46 };
  const place = scaleLinear([0, T], [box.left, box.right]);
  const y = scaleLog([LOWEST, HIGHEST], [box.bottom, box.top]).clamp(true);
  axes(g, box, place, y, {
    xTicks: place.ticks(narrow ? 4 : 5),
    yTicks: [1e-9, 1e-6, 1e-3, 1, 1e3],
    yFormat: power,
    xLabel: words.x,
    yLabel: words.y,
    yLabelX: 16,
  });
  const points = (norms) => norms.map((v, lag) => [place(lag), y(v)]);
  const seen = found.plain.findIndex((value) => value < LOWEST);
  const plain = points(found.plain.slice(0, seen < 0 ? T + 1 : seen + 1));
  curve(g, plain, "h", 2.2);
  const low = plain.find(([, at]) => at > box.bottom - 26) ?? plain.at(-1);
  const down = Math.min(low[0], place(0.8 * T));
  const inside = down - box.left > 120; // below the curve there is room
  const exit = inside ? down - 10 : plain.at(-1)[0] + 12;
  const anchor = inside ? "end" : "start";
  write(g, words.plain, exit, box.bottom - 10, anchor, "h");
  const ends = [[words.direct, found.direct[T], "keep"]];
  if (found.total) {
    curve(g, points(found.total), "c", 2.6);
    ends.push([words.all, found.total[T], "c"]);
  }
  curve(g, points(found.direct), "keep", 2.2); // dashes on what it may cover
  label(g, ends, y, box);
}

/** Name and value right of each curve's end; two that nearly meet part. */
function label(g, ends, y, box) {
  const room = 38;
  const low = box.bottom - 18;
  const heights = ends.map(([, value]) => Math.min(y(value), low));
  if (ends.length > 1 && Math.abs(heights[0] - heights[1]) < room) {
    const up = ends[1][1] >= ends[0][1] ? 1 : 0; // the larger one above
    const middle = (heights[0] + heights[1]) / 2;
    const top = Math.min(middle - room / 2, low - room);
    heights[up] = top;
    heights[1 - up] = top + room;
  }
  ends.forEach(([name, value, quantity], k) => {
    const fill = `var(--q-${quantity})`;
    mark(g, "circle", { cx: box.right, cy: y(value), r: 4, fill });
    const left = box.right + 10;
    write(g, name, left, heights[k] - 3, "start", quantity);
    const text = write(g, scientific(value), left, heights[k] + 14);
    text.attr("class", "strong").attr("fill", fill);
  });
}

register({ name: "carousel", words, controls, measure, describe, draw });
