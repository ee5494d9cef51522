// Native inputs with a visible label, and the value with its unit.

let count = 0; // two labs on a page must not share an id

/** Element with a tag, attributes and children. */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

/** A row of controls, named for those who don't see that it is one. */
export function group(words, kind, ...inside) {
  const label = { role: "group", "aria-label": words.controls };
  return make("div", { class: kind, ...label }, ...inside);
}

/** -> {element, show(value)}; change(value) is called when it is moved.
 *  A control may bring a `make` of its own, as parts/number.js has one. */
export function makeControl(control, change) {
  const id = `lab-${control.id}-${++count}`;
  return (control.make ?? KINDS[control.kind])(control, id, change);
}

const KINDS = {
  range(control, id, change) {
    const { min, max, step } = control;
    const input = make("input", { type: "range", id, min, max, step });
    const output = make("output", { for: id });
    input.addEventListener("input", () => change(Number(input.value)));
    return {
      element: make(
        "div",
        { class: "control" },
        make("label", { for: id }, control.label),
        output,
        input,
      ),
      limit(most) {
        input.max = most;
      },
      show(value) {
        if (Number(input.value) !== value) input.value = value;
        output.textContent = control.unit(value);
        input.setAttribute("aria-valuetext", control.unit(value));
      },
    };
  },

  checkbox(control, id, change) {
    const input = make("input", { type: "checkbox", id });
    input.addEventListener("change", () => change(input.checked));
    return {
      element: make(
        "div",
        { class: "control check" },
        input,
        make("label", { for: id }, control.label),
      ),
      show(value) {
        input.checked = value;
      },
    };
  },

  choice(control, id, change) {
    const options = control.options.map((value, i) =>
      make("option", { value }, control.names[i]),
    );
    const select = make("select", { id }, ...options);
    select.addEventListener("change", () => change(select.value));
    return {
      element: make(
        "div",
        { class: "control choice" },
        make("label", { for: id }, control.label),
        select,
      ),
      show(value) {
        select.value = value;
      },
    };
  },
};
