// One tanh unit whose steps have a copy of w each; L is the last state.

/** h_0 .. h_T; step k uses copies[k - 1]. */
export function states(copies, u, x, h_0) {
  const h = [h_0];
  copies.forEach((w, t) => {
    h.push(Math.tanh(w * h[t] + u * x[t])); // (rnn.1)
  });
  return h;
}

/** Per step: immediate derivative, chain of factors to L, their product. */
export function table(copies, u, x, h_0) {
  const h = states(copies, u, x, h_0);
  const T = copies.length;
  const slope = h.map((value) => 1 - value ** 2);
  const rows = [];
  for (let k = T, chain = 1; k >= 1; k--) {
    const immediate = slope[k] * h[k - 1];
    const term = chain * immediate; // (bptt.3), of step k alone
    rows.unshift({ k, h: h[k], immediate, chain, term });
    chain *= slope[k] * copies[k - 1]; // (bptt.6)
  }
  return rows;
}

/** The sum that forgets tanh': every slope is taken for 1. */
export function withoutSlope(copies, u, x, h_0) {
  const h = states(copies, u, x, h_0);
  let [sum, chain] = [0, 1];
  for (let k = copies.length; k >= 1; k--) {
    sum += chain * h[k - 1];
    chain *= copies[k - 1];
  }
  return sum;
}

/** L when the copies named by `moved` ([1, 3]: steps 1 and 3) gain delta. */
export function nudged(copies, u, x, h_0, moved, delta) {
  const shifted = copies.map((w, i) =>
    moved.includes(i + 1) ? w + delta : w,
  );
  return states(shifted, u, x, h_0).at(-1);
}
