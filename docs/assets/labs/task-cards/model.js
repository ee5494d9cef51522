// Five small GRUs answer; null among the inputs is a blank.

const sigmoid = (a) => 1 / (1 + Math.exp(-a));
const dot = (row, v) => row.reduce((sum, w, k) => sum + w * v[k], 0);
const largest = (row) => row.indexOf(Math.max(...row));

/** The state after x, as gru.md has it; r acts before the product. */
function step({ W_xh, W_hh, b_h }, x, h) {
  const H = h.length;
  const sum = (i, v) => dot(W_xh[i], x) + dot(W_hh[i], v) + b_h[i];
  const gated = h.map((value, k) => sigmoid(sum(k, h)) * value);
  return h.map((value, k) => {
    const z = sigmoid(sum(H + k, h));
    return (1 - z) * value + z * Math.tanh(sum(2 * H + k, gated));
  });
}

/** The states after each of the inputs. */
function read(cell, xs, h = cell.W_hh[0].map(() => 0)) {
  return xs.map((x) => (h = step(cell, x, h)));
}

const hot = (cell, id) => cell.W_xh[0].map((_, k) => Number(k === id));

/** -> {rows, answer}: ids without "end", or the forecasts themselves. */
export function answer(task, inputs) {
  const { shape, cells, W_hy, b_y, writes, go, end } = task;
  const row = (h) => W_hy.map((w, k) => dot(w, h) + b_y[k]);
  const [first, second] = cells;
  const xs = inputs.map((v) => {
    if (shape !== "forecasting") return hot(first, v ?? 0);
    return v === null ? [0, 0] : [v, 1];
  });
  const states = read(first, xs);
  let h = states.at(-1);
  const rows = [];
  if (shape === "labelling") {
    const left = read(second, xs.slice().reverse()).reverse();
    rows.push(...states.map((state, t) => row([...state, ...left[t]])));
  } else if (shape === "generation") {
    for (rows.push(row(h)); rows.length < writes; rows.push(row(h))) {
      h = step(first, hot(first, largest(rows.at(-1))), h);
    }
  } else if (shape === "translation") {
    for (let told = go; told !== end && rows.length < writes; ) {
      h = step(second, hot(second, told), h);
      rows.push(row(h));
      told = largest(rows.at(-1));
    }
  } else {
    rows.push(row(h));
  }
  if (shape === "forecasting") return { rows, answer: rows[0] };
  return { rows, answer: rows.map(largest).filter((id) => id !== end) };
}

/** Which answers are others, missing or new; counted from 0. */
export function changed({ tolerance }, old, now) {
  const n = Math.max(old.length, now.length);
  const moved = (j) =>
    tolerance ? Math.abs(now[j] - old[j]) > tolerance : now[j] !== old[j];
  return [...Array(n).keys()].filter(moved);
}

export const blanked = (inputs, blanks) =>
  inputs.map((v, t) => (blanks.includes(t) ? null : v));

/** [t, j]: answer j has changed, and changes again if t alone is put back. */
export function pivots(task, inputs, blanks) {
  const old = answer(task, inputs).answer;
  const now = answer(task, blanked(inputs, blanks)).answer;
  const gone = changed(task, old, now);
  return blanks.flatMap((t) => {
    const others = blanks.filter((other) => other !== t);
    const back = answer(task, blanked(inputs, others)).answer;
    const again = changed(task, now, back);
    return gone.filter((j) => again.includes(j)).map((j) => [t, j]);
  });
}

/** The step, counted from 1, at which answer j to T inputs stands. */
export function place({ shape }, T, j) {
  if (shape === "classification") return T;
  return shape === "labelling" ? j + 1 : T + 1 + j;
}
