// Rows of readings in T slots; one tanh unit reads each from h_0 = 0.

const mean = (values) => values.reduce((a, b) => a + b, 0) / values.length;

/** h_1 .. h_T of a row. */
export function states(x, { w, u, b }) {
  const h = [];
  for (const x_t of x) h.push(Math.tanh(w * (h.at(-1) ?? 0) + u * x_t + b));
  return h; // (rnn.1)
}

/** The first lengths[b] readings of row b in T slots, filled up. */
export function bench(readings, lengths, T, cell) {
  const rows = readings.map((row, b) => {
    const kept = row.slice(0, Math.min(lengths[b], T));
    return readRow(kept, lengths[b] - kept.length, T, cell);
  });
  const tokens = rows.flatMap((row) => row.kept);
  const means = rows.filter((row) => row.real).map((row) => row.mean_valid);
  return {
    rows,
    batch: {
      cells: mean(rows.flatMap((row) => row.x)),
      tokens: tokens.length ? mean(tokens) : null,
      sequences: means.length ? mean(means) : null,
    },
    real: tokens.length,
    cells: T * rows.length,
  };
}

/** naive: from all T slots; valid: from real ones, null if there is none. */
function readRow(kept, overflow, T, cell) {
  const real = kept.length;
  const x = [...kept, ...Array(T - real).fill(cell.padding)];
  const h = states(x, cell);
  return {
    kept,
    real,
    overflow,
    x,
    states: h,
    mean_naive: mean(x),
    mean_valid: real ? mean(kept) : null, // (batching.2)
    last_naive: h.at(-1),
    last_valid: real ? h[real - 1] : null,
  };
}
