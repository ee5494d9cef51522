// Axes and marks that look like the book's figures; colours from the page.

import { axisBottom, axisLeft } from "d3-axis";
import { select } from "d3-selection";
import { line as path } from "d3-shape";

import palette from "../../palette.json";
import { raised } from "./format.js";

export const ink = (quantity) => `var(--q-${quantity})`;

/** Two axes with labels around a box {left, right, top, bottom}, or, where
 *  y is null, only the lower one. */
export function axes(g, box, x, y, options) {
  const { xLabel, yLabel, xTicks, yTicks, xFormat, yFormat } = options;
  const bottom = axisBottom(x).tickValues(xTicks).tickSizeOuter(0);
  if (xFormat) bottom.tickFormat(xFormat);
  select(g)
    .append("g")
    .attr("class", "axis")
    .attr("transform", `translate(0,${box.bottom})`)
    .call(bottom);
  if (xLabel) {
    write(g, xLabel, (box.left + box.right) / 2, box.bottom + 36, "middle");
  }
  if (!y) return;
  const left = axisLeft(y).tickValues(yTicks).tickSizeOuter(0);
  if (yFormat) left.tickFormat(yFormat);
  select(g)
    .append("g")
    .attr("class", "axis")
    .attr("transform", `translate(${box.left},0)`)
    .call(left);
  if (yLabel) {
    const middle = (box.top + box.bottom) / 2;
    const place = options.yLabelX ?? box.left - 44;
    write(g, yLabel, 0, 0, "middle").attr(
      "transform",
      `translate(${place},${middle}) rotate(-90)`,
    );
  }
}

/** Text at a place; `anchor` as in SVG. */
export function write(g, text, x, y, anchor = "start", quantity = "ink") {
  return select(g)
    .append("text")
    .attr("x", x)
    .attr("y", y)
    .attr("text-anchor", anchor)
    .attr("fill", ink(quantity))
    .text(text);
}

// By the names that palette.json has for them.
const DASHES = { "--": "7 4", "-.": "9 4 2 4", ":": "2 4", longdash: "12 4" };
export const DOTTED = "1.5 3";

/** Dash of a quantity's curves, or null; an aside is dashed, too. */
export function dash(quantity) {
  const name = quantity === "muted" ? "--" : palette[quantity].line;
  return DASHES[name] ?? null;
}

/** A curve through [x, y] points in the colour and dash of its quantity. */
export function curve(g, points, quantity, width = 2.2, opacity = 1) {
  return select(g)
    .append("path")
    .attr("d", path()(points))
    .attr("fill", "none")
    .attr("stroke", ink(quantity))
    .attr("stroke-dasharray", dash(quantity))
    .attr("stroke-width", width)
    .attr("opacity", opacity);
}

/** A straight line, never dashed, from [x, y] to [x, y]. */
export function line(g, [x1, y1], [x2, y2], quantity, width = 1, opacity = 1) {
  const ends = { x1, y1, x2, y2, stroke: ink(quantity) };
  return mark(g, "line", { ...ends, "stroke-width": width, opacity });
}

/** A shaded field of the picture. */
export function band(g, { left, right, top, bottom }) {
  const size = { width: right - left, height: bottom - top };
  return mark(g, "rect", { class: "band", x: left, y: top, ...size });
}

/** Any SVG element with attributes. */
export function mark(g, tag, attributes) {
  const element = select(g).append(tag);
  for (const [name, value] of Object.entries(attributes)) {
    element.attr(name, value);
  }
  return element;
}

/** 1e-5 -> "10⁻⁵", for log axes. */
export function power(value) {
  const exponent = Math.round(Math.log10(value));
  return exponent === 0 ? "1" : `10${raised(exponent)}`;
}
