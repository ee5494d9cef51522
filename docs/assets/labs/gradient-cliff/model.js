// A tanh RNN whose W_hh is g times an orthogonal Q, with noise as its input.
// Formulas and shapes as in seqbook/rnn.py and seqbook/gradients.py.

/** h_1 .. h_n from h_0; Q (N N) by rows, noise (n N), s times it comes in. */
export function states(Q, noise, h_0, g, s) {
  const N = h_0.length;
  const h = [Float64Array.from(h_0)];
  for (let t = 0; t * N < noise.length; t++) {
    const h_t = new Float64Array(N);
    for (let i = 0; i < N; i++) {
      let a = 0;
      for (let j = 0; j < N; j++) a += g * Q[i * N + j] * h[t][j];
      h_t[i] = Math.tanh(a + s * noise[t * N + i]); // (rnn.1)
    }
    h.push(h_t);
  }
  return h.slice(1);
}

/** Norms of dL/dh at lag 0 .. T from dL/dh_T = v; h holds every state. */
export function backwardNorms(Q, h, g, v, T) {
  const N = v.length;
  const norms = [norm(v)];
  for (let t = h.length - 1; norms.length <= T; t--) {
    const back = new Float64Array(N);
    for (let i = 0; i < N; i++) {
      const da = (1 - h[t][i] ** 2) * v[i]; // (bptt.2)
      for (let j = 0; j < N; j++) back[j] += g * Q[i * N + j] * da; // (bptt.1)
    }
    v = back;
    norms.push(norm(v));
  }
  return norms;
}

function norm(v) {
  return Math.sqrt(v.reduce((sum, value) => sum + value * value, 0));
}

export const LIMIT = 5; // of the norm, when clipping is on

/** The factor that clipping to maxNorm multiplies everything with. */
export function clipScale(norms, maxNorm) {
  return Math.min(1, maxNorm / norm(norms)); // (vanishing.3)
}

export const total = norm;

/** Which part of the summed norms comes from lags beyond half of T. */
export function farShare(norms) {
  const half = (norms.length - 1) / 2;
  const sum = (values) => values.reduce((a, b) => a + b, 0);
  return sum(norms.filter((_, lag) => lag > half)) / sum(norms);
}
