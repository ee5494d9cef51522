// Axes and marks that look like the book's figures; colours from the page.

import { axisBottom, axisLeft } from "d3-axis";
import { select } from "d3-selection";
import { line } from "d3-shape";

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

const DASHES = {
  keep: "7 4",
  write: "9 4 2 4",
  candidate: "2 4",
  show: "12 4",
  muted: "7 4",
};

/** A curve through [x, y] points in the colour and dash of its quantity. */
export function curve(g, points, quantity, width = 2.2, opacity = 1) {
  return select(g)
    .append("path")
    .attr("d", line()(points))
    .attr("fill", "none")
    .attr("stroke", ink(quantity))
    .attr("stroke-dasharray", DASHES[quantity] ?? null)
    .attr("stroke-width", width)
    .attr("opacity", opacity);
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
