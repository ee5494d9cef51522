// What f^k says of an LSTM's gradient, and what all its roads add to it.

import { scaleLinear, scaleLog } from "d3-scale";
import { D, H, lstm, rnn, T, x as tenths } from "results/carousel.json";
import { axes, curve, ink, mark, power, write } from "../parts/axes.js";
import { raised, scientific, two } from "../parts/format.js";
import { register } from "../parts/lab.js";
import * as model from "./model.js";
import { words } from "./words.js";

const x = tenths.map((value) => value / 10);
const GROWN = 1.05; // "grows to 1.0" would be no growth

function controls(words) {
  const range = { kind: "range", unit: two };
  return [
    {
      ...range,
      id: "f",
      min: 0.8,
      max: 1,
      step: 0.01,
      value: 1,
      label: words.f,
    },
    {
      ...range,
      id: "g",
      min: 0,
      max: 3,
      step: 0.05,
      value: 1,
      label: words.g,
    },
    { id: "roads", kind: "checkbox", value: false, label: words.roads },
  ];
}

function measure({ f, g, roads }) {
  return {
    f,
    g,
    roads,
    direct: model.direct(f, T),
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
    const fill = ink(quantity);
    mark(g, "circle", { cx: box.right, cy: y(value), r: 4, fill });
    const left = box.right + 10;
    write(g, name, left, heights[k] - 3, "start", quantity);
    const text = write(g, scientific(value), left, heights[k] + 14);
    text.attr("class", "strong").attr("fill", fill);
  });
}

register({ name: "carousel", words, controls, measure, describe, draw });
