// A choice among a few, all of them in sight: a control that brings its own
// `make`. show(value, names) may also rename what can be chosen.

import { make } from "./controls.js";

export function radios(control, id, change) {
  const { label, names, options } = control;
  const inputs = options.map((value, i) => {
    const name = { type: "radio", name: id, id: `${id}-${i}`, value };
    const input = make("input", name);
    input.addEventListener("change", () => change(value));
    return input;
  });
  const labels = inputs.map((input, i) =>
    make("label", { for: input.id }, input, make("span", {}, names[i])),
  );
  const group = { role: "radiogroup", "aria-labelledby": id };
  return {
    element: make(
      "div",
      { class: "control radios", ...group },
      make("span", { id }, label),
      make("div", {}, ...labels),
    ),
    show(value, renamed = names) {
      inputs.forEach((input, i) => {
        input.checked = options[i] === value;
        labels[i].lastChild.textContent = renamed[i];
      });
    },
  };
}
