// An LSTM whose forget gates are held at f, and a plain tanh network, with
// zero states at the start and g times W_hh. Names and formulas as in
// seqbook/lstm.py and seqbook/rnn.py. A network is {W_xh, W_hh, b_h}, row by
// row; the LSTM's are the blocks i | g | o, for f has no weights. x (T D).

const sigmoid = (a) => 1 / (1 + Math.exp(-a));
const norm = (v) => Math.sqrt(v.reduce((sum, value) => sum + value ** 2, 0));

/** dL/d(last state), of length one: the loss is sum(state) / sqrt(H). */
const start = (H) => Array(H).fill(1 / Math.sqrt(H));

/** W_xh x_t + g W_hh h + b_h, one value a row. */
function sums({ W_xh, W_hh, b_h }, x_t, h, g) {
  const [D, H] = [x_t.length, h.length];
  return b_h.map((b, row) => {
    let a = b;
    for (let j = 0; j < D; j++) a += W_xh[row * D + j] * x_t[j];
    for (let j = 0; j < H; j++) a += g * W_hh[row * H + j] * h[j];
    return a;
  });
}

/** g W_hh^T da: what goes back to h_{t-1}. */
function back({ W_hh }, da, H, g) {
  const dh = Array(H).fill(0);
  da.forEach((value, row) => {
    for (let j = 0; j < H; j++) dh[j] += g * W_hh[row * H + j] * value;
  });
  return dh;
}

/** x (T D) -> T lists of D. */
function rows(x, D) {
  return Array.from({ length: x.length / D }, (_, t) =>
    x.slice(t * D, (t + 1) * D),
  );
}

/** The direct path alone: f^lag at lag 0 .. T. */
export function direct(f, T) {
  return Array.from({ length: T + 1 }, (_, lag) => f ** lag);
}

/** Norms of the gradient at lag 0 .. T, of h and c together, by all roads. */
export function total(lstm, x, { H, D }, f, g) {
  let [h, c] = [Array(H).fill(0), Array(H).fill(0)];
  const steps = rows(x, D).map((x_t) => {
    const a = sums(lstm, x_t, h, g);
    const i = a.slice(0, H).map(sigmoid); // (lstm.1)
    const z = a.slice(H, 2 * H).map(Math.tanh); // (lstm.3), there g
    const o = a.slice(2 * H).map(sigmoid); // (lstm.4)
    c = c.map((value, k) => f * value + i[k] * z[k]); // (lstm.5)
    const s = c.map(Math.tanh);
    h = s.map((value, k) => o[k] * value); // (lstm.6)
    return { i, z, o, s };
  });
  let [dh, dc] = [Array(H).fill(0), start(H)];
  const norms = [norm(dc)];
  for (const { i, z, o, s } of steps.reverse()) {
    dc = dc.map((d, k) => d + dh[k] * o[k] * (1 - s[k] ** 2)); // (lstm.7)
    const da_i = dc.map((d, k) => d * z[k] * i[k] * (1 - i[k]));
    const da_g = dc.map((d, k) => d * i[k] * (1 - z[k] ** 2));
    const da_o = dh.map((d, k) => d * s[k] * o[k] * (1 - o[k]));
    dh = back(lstm, [...da_i, ...da_g, ...da_o], H, g);
    dc = dc.map((d) => d * f); // the direct path
    norms.push(norm([...dh, ...dc]));
  }
  return norms;
}

/** The same of the plain network. */
export function plain(rnn, x, { H, D }, g) {
  let h = Array(H).fill(0);
  const states = rows(x, D).map((x_t) => {
    h = sums(rnn, x_t, h, g).map(Math.tanh); // (rnn.1)
    return h;
  });
  let dh = start(H);
  const norms = [norm(dh)];
  for (const h_t of states.reverse()) {
    const da = dh.map((d, k) => d * (1 - h_t[k] ** 2)); // (bptt.2)
    dh = back(rnn, da, H, g); // (bptt.1)
    norms.push(norm(dh));
  }
  return norms;
}
