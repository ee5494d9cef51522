// Which state of a stack reads which; steps and windows count from 0, layers
// from 1. A window reads what lies ahead of its chunk, too, as states of its
// own. Only "chunked" has more than one.

/** Nodes {w, l, d, t, reads}, each after those that it reads; outputs. */
export function graph(kind, L, chunk, ahead, T) {
  const [size, more] = kind === "chunked" ? [chunk, ahead] : [T, 0];
  const chains = kind === "right" ? ["right"] : ["right", "left"];
  const inputs = Array.from({ length: T }, (_, t) => node(0, 0, "x", t, []));
  const nodes = [...inputs];
  const at = new Map();
  const find = (...place) => at.get(String(place));
  const outputs = [];
  for (let w = 0, begin = 0; begin < T; w++, begin += size) {
    const end = Math.min(begin + size + more, T);
    for (let l = 1; l <= L; l++) {
      for (const d of chains) {
        for (let i = begin; i < end; i++) {
          const t = d === "right" ? i : end - 1 - (i - begin);
          const beside =
            d === "left"
              ? find(w, l, d, t + 1)
              : find(t === begin ? w - 1 : w, l, d, t - 1);
          const below = chains.map((e) => find(w, l - 1, e, t));
          const reads = l === 1 ? [inputs[t]] : below;
          const state = node(w, l, d, t, beside ? [beside, ...reads] : reads);
          at.set(String([w, l, d, t]), state);
          nodes.push(state);
        }
      }
    }
    for (let t = begin; t < Math.min(begin + size, T); t++) {
      outputs.push(chains.map((d) => find(w, L, d, t)));
    }
  }
  return { nodes, outputs };
}

const node = (w, l, d, t, reads) => ({ w, l, d, t, reads });

/** How many ways lead from each input to output t: T numbers. */
export function paths({ nodes, outputs }, t) {
  return outputs.map((_, s) => {
    const ways = new Map();
    const sum = (list) => list.reduce((n, each) => n + ways.get(each), 0);
    for (const each of nodes) {
      ways.set(each, each.l ? sum(each.reads) : Number(each.t === s));
    }
    return sum(outputs[t]);
  });
}

/** Nodes of a longest way from input s to output t, empty if there is none. */
export function longest({ nodes, outputs }, t, s) {
  const before = new Map([[nodes[s], null]]);
  const length = new Map([[nodes[s], 0]]);
  const far = (each) => length.get(each) ?? -1;
  const farther = (a, b) => (far(b) > far(a) ? b : a);
  for (const each of nodes) {
    if (!each.reads.length) continue;
    const best = each.reads.reduce(farther);
    if (!length.has(best)) continue;
    length.set(each, length.get(best) + 1);
    before.set(each, best);
  }
  const way = [];
  let last = outputs[t].reduce(farther);
  if (!length.has(last)) return way;
  for (; last; last = before.get(last)) way.unshift(last);
  return way;
}

/** Edges of a way from its lowest state to its highest, -1 if there is none. */
export const edges = (way) => Math.max(way.length - 2, -1);

/** All nodes on a way to output t, among them the inputs that it sees. */
export function lit({ outputs }, t) {
  const found = new Set();
  const left = [...outputs[t]];
  while (left.length) {
    const each = left.pop();
    if (found.has(each)) continue;
    found.add(each);
    left.push(...each.reads);
  }
  return found;
}

const places = (nodes) => [...nodes].map(({ w, l, d, t }) => [w, l, d, t]);

/** A longest way from each input to each output, by the places of nodes. */
export function ways(kind, L, chunk, ahead, T) {
  const grid = graph(kind, L, chunk, ahead, T);
  return grid.outputs.map((_, t) =>
    grid.outputs.map((_, s) => places(longest(grid, t, s))),
  );
}

/** Paths, edges of a longest one (-1: none) and lit places, by output. */
export function tables(kind, L, chunk, ahead, T) {
  const grid = graph(kind, L, chunk, ahead, T);
  const steps = grid.outputs.map((_, t) => t);
  return {
    paths: steps.map((t) => paths(grid, t)),
    longest: steps.map((t) => steps.map((s) => edges(longest(grid, t, s)))),
    lit: steps.map((t) => places(lit(grid, t))),
  };
}
