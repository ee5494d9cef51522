// What the monitors of a run say, and which diagnoses they speak against.

/** Which point of a run is nearest to t updates. */
export function nearest({ t: times }, t) {
  const far = (k) => Math.abs(times[k] - t);
  return times.reduce((best, _, k) => (far(k) < far(best) ? k : best), 0);
}

/** All monitors at a point, and how many updates it looks back on. */
export function values(run, k, { units }) {
  const { train, valid, worst, norm, above, cell, saturated } = run;
  const span = run.t[k] - (k > 1 ? run.t[k - 1] : 0); // the second from zero
  return {
    t: run.t[k],
    span,
    long: Math.round(above[k] * span),
    train: train[k],
    valid: valid[k],
    worst: worst[k],
    norm: norm[k],
    above: above[k],
    cell: cell[k] / Math.sqrt(units),
    saturated: saturated[k],
  };
}

const NEAR = 0.2; // nats
const NOTHING = 0.1; // nats: nobody foretells language so well
const MOST = 0.9; // of the gates

/** What a held-out loss is worth: beside knowing nothing, beside pairs. */
export function level(valid, { guess, bigram }) {
  if (valid > guess) return "above";
  if (Math.abs(valid - bigram) <= NEAR) return "pair";
  return valid > bigram ? "between" : "below";
}

/** The four numbers that tell the six runs apart. */
export function summary({ t, train, valid, above, saturated }) {
  const half = t.at(-1) / 2;
  const early = above.filter((_, k) => k > 0 && t[k] <= half);
  return {
    first: train[0], // of the first batch, before it was learned from
    end: valid.at(-1),
    long: early.reduce((a, b) => a + b) / early.length, // in the first half
    stuck: saturated.at(-1),
  };
}

// name: [number of the summary, whether it is as the claim has it]
const CLAIMS = {
  starts: ["first", (x, { guess }) => Math.abs(x - guess) <= NEAR],
  diluted: ["first", (x, { guess }) => x < guess - NEAR],
  calm: ["long", (x) => x < 0.5],
  restless: ["long", (x) => x >= 0.5],
  free: ["stuck", (x) => x < MOST],
  jammed: ["stuck", (x) => x >= MOST],
  passes: ["end", (x, { bigram }) => x < bigram - NEAR],
  pairs: ["end", (x, { bigram }) => Math.abs(x - bigram) <= NEAR],
  language: ["end", (x) => x > NOTHING],
  sees: ["end", (x) => x <= NOTHING],
};

const PREDICTS = {
  healthy: ["starts", "calm", "free", "passes", "language"],
  unclipped: ["calm", "jammed"],
  too_fast: ["restless"],
  wrong_axis: ["free", "pairs"],
  padded_mean: ["diluted"],
  leak: ["sees"],
};

export const MONITORS = {
  first: "loss",
  end: "loss",
  long: "above",
  stuck: "saturated",
};

/**
 * The first claim of a diagnosis that a run does not bear out, the number
 * that speaks against it and the monitor that shows it; of the right one,
 * claim is null, and the rest is of its most telling claim.
 */
export function judge(diagnosis, run, study) {
  const found = summary(run);
  const claims = PREDICTS[diagnosis];
  const fails = (claim) => {
    const [key, holds] = CLAIMS[claim];
    return !holds(found[key], study);
  };
  const claim = claims.find(fails) ?? null;
  const [key] = CLAIMS[claim ?? claims.at(-1)];
  return { claim, value: found[key], monitor: MONITORS[key] };
}

/** "AC", "C" -> "ABC": letters of either, in order. */
export function joined(some, more) {
  return [...new Set(some + more)].sort().join("");
}

/** The letter to go to from here: the next that is not open, if any. */
export function following(letters, here, open) {
  const from = letters.indexOf(here) + 1;
  const round = [...letters.slice(from), ...letters.slice(0, from)];
  return round.find((letter) => !open.includes(letter)) ?? round[0];
}
