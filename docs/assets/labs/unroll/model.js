// A tanh network reads words, one-hot, from h_0 = 0; two readings compared.

/** ids of T words -> h_1 .. h_T, lists of H numbers. */
export function states({ W_xh, W_hh, b_h }, ids) {
  let before = b_h.map(() => 0);
  return ids.map((id) => {
    before = W_hh.map((row, k) => {
      const sum = row.reduce((total, w, j) => total + w * before[j], 0);
      return Math.tanh(W_xh[k][id] + sum + b_h[k]); // (rnn.1)
    });
    return before;
  });
}

/** The probability of praise that is read from a state. */
export function praise({ W_hy, b_y }, h) {
  const logit = W_hy[0].reduce((total, w, j) => total + w * h[j], b_y[0]);
  return 1 / (1 + Math.exp(-logit));
}

/** |h_t - h'_t| at every step. */
export function distances(h, other) {
  return h.map((row, t) => Math.hypot(...row.map((v, k) => v - other[t][k])));
}

/** The words that may stand for a word, without it; none for most. */
export function alternatives(groups, word) {
  const group = groups.find((words) => words.includes(word)) ?? [];
  return group.filter((other) => other !== word);
}

/** Steps, counted from one, whose word has an alternative. */
export function places(groups, sentence) {
  const steps = sentence.map((word, i) =>
    alternatives(groups, word).length ? i + 1 : 0,
  );
  return steps.filter((step) => step > 0);
}

/** The place for `step`: itself, or the next one on the way from `from`. */
export function place(steps, step, from = 0) {
  const up = steps.find((s) => s >= step);
  const down = steps.findLast((s) => s <= step);
  return step >= from ? (up ?? steps.at(-1)) : (down ?? steps[0]);
}

/** The sentence with another word at a step, counted from one. */
export function swapped(sentence, step, word) {
  return sentence.map((w, i) => (i + 1 === step ? word : w));
}
