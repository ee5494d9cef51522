// A number that is typed: a control that brings its own `make`.

import { make } from "./controls.js";
import { within } from "./pad.js";

/** A number field; what is typed beyond its ends counts as the end. */
export function number(control, id, change) {
  const { min, max, step } = control;
  const input = make("input", { type: "number", id, min, max, step });
  const typed = () => {
    if (input.value.trim() === "") return undefined;
    const steps = Math.round((Number(input.value) - min) / step);
    return within(min, min + steps * step, max);
  };
  let shown;
  input.addEventListener("input", () => {
    if (typed() !== undefined) change(typed());
  });
  input.addEventListener("change", () => (input.value = typed() ?? shown));
  return {
    element: make(
      "div",
      { class: "control number" },
      make("label", { for: id }, control.label),
      input,
    ),
    show(value) {
      shown = value;
      if (typed() !== value) input.value = value;
    },
  };
}
