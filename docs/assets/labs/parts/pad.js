// A transparent field over a part of the picture that is pressed or dragged.

import { mark } from "./axes.js";

/** The value, or the end that it lies beyond. */
export const within = (low, value, high) =>
  Math.min(high, Math.max(low, value));

/**
 * move(x, y, first) is called while the field is dragged, 0 .. 1 from its left
 * and its top, and beyond when the pointer leaves it; `first` as it begins.
 * A field that is dragged "along" lets a finger scroll the page across it, as
 * one that is only to "press" does.
 */
export function pad(svg, title, move, kind = "") {
  const field = mark(svg, "rect", { class: `pad ${kind}`.trim() });
  const node = field.node();
  field.append("title").text(title);
  const moved = ({ clientX, clientY }, first) => {
    const { left, top, width, height } = node.getBoundingClientRect();
    move((clientX - left) / width, (clientY - top) / height, first);
  };
  if (kind === "press") field.on("click", (event) => moved(event, true));
  else {
    field.on("pointerdown", (event) => {
      if (event.button) return;
      node.setPointerCapture(event.pointerId);
      moved(event, true);
    });
    field.on("pointermove", (event) => {
      if (node.hasPointerCapture(event.pointerId)) moved(event, false);
    });
  }
  return {
    place({ left, right, top, bottom }) {
      field.attr("x", left).attr("width", right - left);
      field.attr("y", top).attr("height", bottom - top);
    },
  };
}
