// The state of a lab in the address: ?g=1.1&s=0.5, only what isn't default.

/** -> {state, refused}: refused names controls whose value made no sense. */
export function readAddress(controls, search = location.search) {
  const asked = new URLSearchParams(search);
  const state = {};
  const refused = [];
  for (const control of controls) {
    state[control.id] = control.value;
    if (!asked.has(control.id)) continue;
    const value = parse(control, asked.get(control.id));
    if (value === undefined) refused.push([control, asked.get(control.id)]);
    else state[control.id] = value;
  }
  return { state, refused };
}

function parse(control, text) {
  if (control.parse) return control.parse(text);
  if (control.kind === "checkbox") {
    return { 1: true, 0: false }[text];
  }
  if (control.kind === "choice") {
    return control.options.find((option) => option === text);
  }
  const { min, max, step } = control;
  if (!/^-?\d*\.?\d+(e-?\d+)?$/i.test(text)) return undefined;
  const value = Number(text);
  if (!(value >= min && value <= max)) return undefined;
  return snap(min + Math.round((value - min) / step) * step);
}

/** 0.1 + 0.2 -> 0.3: what a range input would hold. */
export function snap(value) {
  return Number(value.toFixed(9));
}

/** Put the state into the address; other parameters and the hash stay. */
export function writeAddress(controls, state) {
  const asked = new URLSearchParams(location.search);
  for (const { id, kind, value } of controls) {
    if (state[id] === value) asked.delete(id);
    else asked.set(id, kind === "checkbox" ? Number(state[id]) : state[id]);
  }
  const search = String(asked) && `?${asked}`;
  if (search === location.search) return;
  const address = location.pathname + search + location.hash;
  try {
    history.replaceState(history.state, "", address);
  } catch {
    // Some browsers refuse this for pages opened from disk.
  }
}
