"""Who sees whom in a stack, and along how many paths.

For docs/en/deep_bidirectional.md and the lab of the same name. T = 9 steps,
one to four layers, three kinds of layer: "right" reads from left to right,
"both" reads both ways, "chunked" reads both ways in chunks of `chunk` steps
with `ahead` more beyond, as seqbook.stack.latency_controlled does.

What a lab may rely on. Steps count from zero here; windows, too.

A node is (w, l, d, t): in window w, in layer l = 1 .. L, the state at step t
of the chain that goes d = "right" or "left"; an input is (0, 0, "x", t).
Window w holds the steps from w chunk up to (w + 1) chunk + ahead, or to T.
What lies ahead is read again by the next window, as a node of its own; kinds
"right" and "both" have one window, which holds everything.
Into (w, l, d, t) go edges from
  * every chain of (w, l - 1, ., t): both halves of a layer are read by both
    chains of the next one; the lowest layer reads the input of step t;
  * (w, l, "right", t - 1) if d is "right", of window w - 1 where w begins;
  * (w, l, "left", t + 1) if d is "left" and window w holds t + 1.
The output of step t is the chains of (t // chunk, L, ., t), side by side.

paths(...)[t][s] counts the ways from input s to output t. It is the gradient
of the sum of that output in that input when all weights are one and every
slope is one, so a path through both halves of the output counts as two, and
so does one through both halves in between. Closed forms: "right" has
comb(t - s + L - 1, L - 1) for s <= t; "both" has ((T + 1)^L - 1) / T, one
more if s = t: for T = 9 that is 1, 11, 111, 1111, whatever s is.
longest(...)[t][s] is the number of edges of the longest of these, from the
lowest state to the highest one; the shortest has |t - s| + L - 1. -1: none.
lit(...) has all nodes on a path to an output, with the inputs it can see.

results()["paths"][kind][L][t][s], and "longest" likewise, are at chunk and
ahead as they start: 3 and 2; T, L, t and kind as well have a start.
"""

from functools import cache, partial

import matplotlib.pyplot as plt
import numpy as np

from seqbook.stack import bidirectional, deep, latency_controlled

T, LAYERS, CHUNK, AHEAD = 9, (1, 2, 3, 4), 3, 2
KINDS = "right", "both", "chunked"
START = {"kind": "both", "L": 2, "t": 4}


def summing(x, h_0=0.0):
    """One unit whose weights are all one, x (T, B, D) -> h (T, B, 1)."""
    return h_0 + np.cumsum(x.sum(axis=-1, keepdims=True), axis=0)


def longest_of(x, h_0=-np.inf):
    """The same net with + for times and max for +: edges, not paths."""
    steps = np.arange(len(x), dtype=float)[:, None, None]
    entered = x.max(axis=-1, keepdims=True) + 1 - steps  # one edge up
    from_start = np.maximum.accumulate(entered, axis=0) + steps
    return np.maximum(from_start, h_0 + 1 + steps)


def stack(read, kind, L, x, h_0, chunk=CHUNK, ahead=AHEAD):
    """h (T, B, 1 or 2) of L layers that all read by read(x, h_0)."""

    def anew(x, lengths):
        return read(x)

    if kind == "right":
        return deep([anew] * L, x)
    if kind == "both":
        return deep([partial(bidirectional, anew, anew)] * L, x)
    states = np.full((L, x.shape[1], 1), h_0)
    return latency_controlled([(read, anew)] * L, x, states, chunk, ahead)


def paths(kind, L, chunk=CHUNK, ahead=AHEAD, steps=T):
    """-> (T, T) int: how many ways lead to output t from input s."""
    impulses = np.eye(steps)[..., None]  # example s is one at step s
    h = stack(summing, kind, L, impulses, 0.0, chunk, ahead)
    return h.sum(axis=-1).astype(int)


def longest(kind, L, chunk=CHUNK, ahead=AHEAD, steps=T):
    """-> (T, T) int: edges of the longest of these ways, -1 if none."""
    start = np.where(np.eye(steps) == 1, -1.0, -np.inf)[..., None]
    h = stack(longest_of, kind, L, start, -np.inf, chunk, ahead)
    return np.maximum(h.max(axis=-1), -1).astype(int)


@cache
def graph(kind, L, chunk=CHUNK, ahead=AHEAD, steps=T):
    """-> {node: nodes that it reads}, {step: nodes of its output}."""
    if kind != "chunked":
        chunk, ahead = steps, 0
    chains = ("right",) if kind == "right" else ("right", "left")
    reads, outputs = {}, {}
    for w, begin in enumerate(range(0, steps, chunk)):
        window = range(begin, min(begin + chunk + ahead, steps))
        for layer in range(1, L + 1):
            for t, d in ((t, d) for t in window for d in chains):
                below = [(w, layer - 1, e, t) for e in chains]
                beside = t - 1 if d == "right" else t + 1
                chain = [(w, layer, d, beside)] if beside in window else []
                if d == "right" and t == begin > 0:
                    chain = [(w - 1, layer, d, beside)]
                lowest = [(0, 0, "x", t)]
                node = (w, layer, d, t)
                reads[node] = chain + (below if layer > 1 else lowest)
        for t in window[:chunk]:
            outputs[t] = [(w, L, d, t) for d in chains]
    return reads, outputs


def lit(kind, L, t, chunk=CHUNK, ahead=AHEAD):
    """All nodes on a way to output t, among them the inputs it sees."""
    reads, outputs = graph(kind, L, chunk, ahead)
    found, left = set(), list(outputs[t])
    while left:
        node = left.pop()
        if node not in found:
            found.add(node)
            left += reads.get(node, [])
    return found


@cache
def results():
    tables = {"paths": paths, "longest": longest}
    return {"T": T, "chunk": CHUNK, "ahead": AHEAD, "start": START} | {
        name: {
            kind: {str(L): table(kind, L).tolist() for L in LAYERS}
            for kind in KINDS
        }
        for name, table in tables.items()
    }


def figure(look):
    size = look.size(3.0, phone=7.38)
    fig, axes = plt.subplots(*look.row(3), figsize=size)
    titles = "one way", "both ways", "both ways, in chunks"
    for ax, kind, title in zip(axes, KINDS, titles, strict=True):
        panel(look, ax, kind, START["L"], START["t"])
        ax.annotate(title, (0.5, 1), xycoords="axes fraction", ha="center")
    return fig


CHAINS = {"right": ("h", ">", -0.12), "left": ("show", "<", 0.12)}


def panel(look, ax, kind, L, t):
    """One grid, with all that output t can see in the chains' colours."""
    apart = 0 if kind == "right" else 1

    def place(node):
        """All windows' copies of a state fall on one point."""
        _, layer, d, step = node
        shift = apart * CHAINS[d][2] if layer else 0
        return step + 1 + shift, layer + 1.2 * shift

    reads, seen = graph(kind, L)[0], lit(kind, L, t)
    draw_edges(look, ax, reads, seen, place)
    draw_states(look, ax, reads, seen, place)
    draw_inputs(look, ax, paths(kind, L)[t])
    pointer = {"arrowstyle": "<|-", "color": look.colour("ink"), "lw": 1}
    at, above = (t + 1, L + 0.15), (t + 1, L + 0.65)
    output = {"ha": "center", "va": "center", "fontsize": 9.5}
    ax.annotate(f"output {t + 1}", at, above, arrowprops=pointer, **output)
    if kind == "chunked":
        draw_chunk(look, ax, L, t)
    ax.set(xlim=(0.4, T + 0.6), ylim=(-0.7, L + 1.1), xticks=[], yticks=[])
    ax.spines[:].set_visible(False)


def draw_edges(look, ax, reads, seen, place):
    """All edges, those of one chain as a single line, the lit ones last."""
    edges = {}  # (from, to): chain it belongs to, is it lit
    for node, before in ((n, b) for n in reads for b in reads[n]):
        pair = place(before), place(node)
        on = node in seen or edges.get(pair, (0, False))[1]
        edges[pair] = (node[2] if before[1] == node[1] else "up", on)
    for chain, on in sorted(set(edges.values()), key=lambda kind: kind[::-1]):
        same = [pair for pair in edges if edges[pair] == (chain, on)]
        segments(look, ax, same, chain, on)


def draw_states(look, ax, reads, seen, place):
    """Every state with the marker of its chain, the lit ones in colour."""
    for d, (quantity, marker, _) in CHAINS.items():
        of = {place(n): n for n in reads if n[2] == d}
        of |= {place(n): n for n in reads if n[2] == d and n in seen}
        for on in False, True:
            at = [p for p, n in of.items() if (n in seen) == on]
            if at:
                shade = paint(look, quantity, on)
                x, y = zip(*at, strict=True)
                ax.plot(x, y, marker, ms=5, mew=0, **shade)


def draw_inputs(look, ax, counts):
    """The inputs (T,), each with the number of paths from it."""
    for s, n in enumerate(counts):
        shade = look.colour("x" if n else "muted")
        mark = {"mec": shade, "mfc": shade if n else "none"}
        ax.plot(s + 1, 0, "s", ms=4.5, mew=1, **mark)
        number = {"ha": "center", "va": "top", "fontsize": 9.5}
        ax.text(s + 1, -0.25, f"{n}", color=shade, **number)


def draw_chunk(look, ax, L, t):
    """Where the chunk of step t begins and ends, and what is ahead of it."""
    end, muted = (t // CHUNK + 1) * CHUNK + 0.5, look.colour("muted")
    for edge in end - CHUNK, end:
        ax.plot([edge] * 2, [-0.1, L + 0.35], ":", lw=1, color=muted)
    shade = {"color": look.colour("x"), "alpha": 0.12, "lw": 0}
    ax.axvspan(end, end + AHEAD, 0.15, 0.78, **shade)
    words = {"ha": "center", "va": "center", "fontsize": 9.5}
    ax.text(end + AHEAD / 2, L + 0.65, "ahead", color=muted, **words)


def paint(look, quantity, on):
    """Colour of what is on a way to the output, or faint."""
    if on:
        return {"color": look.colour(quantity)}
    return {"color": look.colour("muted"), "alpha": 0.35}


def segments(look, ax, ends, d, on):
    """Edges of one kind as a single line with gaps."""
    gap = np.full((len(ends), 1, 2), np.nan)
    xy = np.concatenate([np.array(ends, float), gap], axis=1).reshape(-1, 2)
    chain, dashed = d != "up", d == "left"
    ax.plot(
        *xy.T,
        linewidth=1.8 if chain and on else 0.9,
        linestyle=(0, (2.2, 1)) if dashed else "-",
        **paint(look, CHAINS[d][0] if chain else "x", on),
    )
