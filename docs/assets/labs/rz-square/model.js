// A one-unit GRU whose gates are held at (r, z). z = 1 overwrites.

/** h_0 .. h_T for inputs x. */
export function run(r, z, w, u, x, h_0) {
  const h = [h_0];
  for (const x_t of x) {
    const before = h.at(-1);
    const candidate = Math.tanh(w * (r * before) + u * x_t); // (gru.3)
    h.push((1 - z) * before + z * candidate); // (gru.4)
  }
  return h;
}

/** dh_t/dh_{t-1} at rest, h = 0. */
export function slope(r, z, w) {
  return 1 - z + z * w * r;
}

/** The z of a given slope at r, which may lie outside of 0 .. 1. */
export function levelZ(r, level, w) {
  return (1 - level) / (1 - w * r);
}

export const BLOCKS = { RNN: 1, GRU: 3, LSTM: 4 };

/** Numbers in W_xh, W_hh and the bias vectors, as seqbook.counting counts. */
export function parameters(cell, D, H, biases) {
  return BLOCKS[cell] * H * (D + H + biases);
}
