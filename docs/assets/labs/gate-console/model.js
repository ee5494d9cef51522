// One LSTM unit whose gates are given; gates are three lists f, i, o, one
// value a step. `task`: {u, c_0, threshold, distractors}, as the figure has.

export const BITS = [1, -1];

/** x_1 is the bit, then come the distractors, then 0 as the bit is asked. */
export function inputs(bit, { distractors }) {
  return [bit, ...distractors, 0];
}

/** -> {x, c (with c_0), h} for one bit. */
export function run({ f, i, o }, bit, task) {
  const x = inputs(bit, task);
  const c = [task.c_0];
  const h = [];
  x.forEach((x_t, t) => {
    const g = Math.tanh(task.u * x_t);
    c.push(f[t] * c[t] + i[t] * g); // (lstm.5)
    h.push(o[t] * Math.tanh(c[t + 1])); // (lstm.6)
  });
  return { x, c, h };
}

/** The last h -> 1, -1, or 0: too close to zero to tell. */
export function answer(h_T, { threshold }) {
  return Math.abs(h_T) > threshold ? Math.sign(h_T) : 0;
}

/** The answers to the two bits, and how many are right. */
export function score(gates, task) {
  const shown = BITS.map((bit) => run(gates, bit, task).h.at(-1));
  const answers = shown.map((h_T) => answer(h_T, task));
  const right = answers.filter((a, k) => a === BITS[k]).length;
  return { answers, right };
}

/**
 * What the last cell is made of: c_T = bit * signal + leftover + noise.
 * `written`: how much of the bit i let in; `wiped`: the first step whose
 * f = 0 erased it, or 0; the cell needs more than `need` to be read at o = 1.
 */
export function parts({ f, i }, task) {
  const x = inputs(1, task);
  const written = i[0] * Math.tanh(task.u);
  let [signal, leftover, noise, wiped] = [0, task.c_0, 0, 0];
  x.forEach((x_t, t) => {
    const g = i[t] * Math.tanh(task.u * x_t);
    if (t > 0 && f[t] === 0 && wiped === 0) wiped = t + 1;
    signal = t === 0 ? written : f[t] * signal;
    leftover *= f[t];
    noise = t === 0 ? 0 : f[t] * noise + g;
  });
  const need = Math.atanh(task.threshold);
  return { written, signal, leftover, noise, wiped, need };
}

/** Why the bits arrive, or why they don't: the name of a sentence. */
export function verdict(gates, task) {
  if (score(gates, task).right === BITS.length) return "carried";
  const { written, signal, leftover, noise, need } = parts(gates, task);
  if (written === 0) return "missed";
  if (signal === 0) return "wiped";
  const common = Math.abs(leftover + noise);
  if (signal - common > need) return "hidden";
  if (signal > need || common >= signal) {
    return Math.abs(noise) >= Math.abs(leftover)
      ? "overwritten"
      : "not erased";
  }
  return written > need ? "faded" : "faint";
}

/** [0, 1, 1, 1] -> "0_1*3", for the address. */
export function encode(values) {
  const runs = [];
  for (const value of values) {
    if (runs.at(-1)?.[0] === value) runs.at(-1)[1] += 1;
    else runs.push([value, 1]);
  }
  return runs.map(([v, n]) => (n > 1 ? `${v}*${n}` : `${v}`)).join("_");
}

/** "0_1*3" -> [0, 1, 1, 1]; undefined unless it names T values of 0 to 1. */
export function decode(text, T) {
  const values = [];
  for (const part of text.split("_")) {
    const found = /^([01]|[01]?\.\d{1,2}|1\.0+)(?:\*([1-9]\d?))?$/.exec(part);
    if (!found || Number(found[1]) > 1) return undefined;
    const n = Number(found[2] ?? 1);
    values.push(...Array(n).fill(Number(found[1])));
  }
  return values.length === T ? values : undefined;
}

/** The list with `value` at steps `from` .. `to`, counted from 1. */
export function held(values, from, to, value) {
  return values.map((v, t) => (t + 1 >= from && t + 1 <= to ? value : v));
}
