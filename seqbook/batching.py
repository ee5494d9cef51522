"""Ids to arrays (T, B): padded with a mask, bucketed, packed, or cut.

Chapter: docs/en/batching.md. Source: Sutskever et al. 2014, §3.4 (batches of
similar lengths); Zaremba et al. 2014, §4.1 (chunks, the state carried over).
What is padding follows from lengths, never from values: 0 may be a real id.
"""

import numpy as np

from seqbook.checks import (
    check_array,
    check_integers,
    check_mask,
    check_positive,
    valid_steps,
)
from seqbook.text import PAD


def pad(sequences):
    """B lists of ids -> ids (T, B), lengths (B,), mask (T, B) bool.

    T is the longest length. ValueError if one is empty, or there is none.
    """
    found = [_integers(f"sequences[{b}]", s) for b, s in enumerate(sequences)]
    check_positive(B=len(found))
    lengths = np.array([len(sequence) for sequence in found])
    ids = np.full((lengths.max(), len(found)), PAD)
    for b, sequence in enumerate(found):
        ids[: len(sequence), b] = sequence
    return ids, lengths, valid_steps(lengths, *ids.shape)


def pad_left(sequences):
    """As pad, but every sequence ends at T: a cell starts in padding."""
    ids, lengths, mask = pad([sequence[::-1] for sequence in sequences])
    return ids[::-1].copy(), lengths, mask[::-1].copy()


def truncate(sequences, T: int):
    """B lists of ids -> their first T at most, and how many went (B,)."""
    check_positive(T=T)
    cut = [max(len(sequence) - T, 0) for sequence in sequences]
    return [sequence[:T] for sequence in sequences], np.array(cut, int)


def masked_mean(h, mask):
    """h (T, B, H), mask (T, B) bool -> mean over the real steps (B, H)."""
    check_array("h", h, "T", "B", "H")
    mask = check_mask(mask, "(T, B)", h.shape[:2])
    # (batching.2)
    return np.where(mask[..., None], h, 0).sum(axis=0) / _count(mask, h.dtype)


def masked_mean_backward(dmean, mask):
    """dmean (B, H), mask (T, B) bool -> dh (T, B, H), zero in padding."""
    check_array("dmean", dmean, "B", "H")
    mask = check_mask(mask, "(T, B)", (len(mask), len(dmean)))
    return np.where(mask[..., None], dmean / _count(mask, dmean.dtype), 0)


def last_valid(h, lengths):
    """h (T, B, H), lengths (B,) -> h at each last real step (B, H)."""
    check_array("h", h, "T", "B", "H")
    n = valid_steps(lengths, *h.shape[:2]).sum(axis=0)
    return h[n - 1, np.arange(len(n))]


def last_valid_backward(dlast, lengths, T: int):
    """dlast (B, H), lengths (B,) -> dh (T, B, H), zero at other steps."""
    check_array("dlast", dlast, "B", "H")
    n = valid_steps(lengths, T, len(dlast)).sum(axis=0)
    return np.where(np.arange(T)[:, None, None] == n[:, None] - 1, dlast, 0)


def bucket_batches(rng: np.random.Generator, lengths, size: int, width: int):
    """lengths (n,) -> list of index arrays of `size`, the last one smaller.

    Lengths 1 to width stand first, in random order, then the next bucket:
    width 1 sorts, a width above all lengths shuffles. Batches are shuffled.
    """
    check_positive(size=size, width=width)
    bucket = (_integers("lengths", lengths, 1) - 1) // width
    order = np.lexsort([rng.random(len(bucket)), bucket])
    batches = np.split(order, range(size, len(order), size))
    return [batches[i] for i in rng.permutation(len(batches))]


def waste(lengths, batches) -> float:
    """lengths (n,), batches of indices -> share of cells that is padding."""
    lengths = _integers("lengths", lengths, 1)
    cells = sum(len(batch) * lengths[batch].max() for batch in batches)
    return float(1 - sum(lengths[batch].sum() for batch in batches) / cells)


def pack(x, lengths):
    """x (T, B, ...), lengths (B,) -> data (N, ...), batch_sizes, order (B,).

    As in torch: the N real steps alone, step by step, longest sequence
    first; batch_sizes[t] sequences still run at step t.
    """
    mask = valid_steps(lengths, *x.shape[:2])
    order = np.argsort(-mask.sum(axis=0), kind="stable")
    batch_sizes = mask.sum(axis=1)
    data = x[:, order][mask[:, order]]
    return data, batch_sizes[batch_sizes > 0], order


def unpack(data, batch_sizes, order):
    """What pack gave -> x (T, B, ...) with zeros as padding, lengths (B,)."""
    batch_sizes = _integers("batch_sizes", batch_sizes, 1)
    mask = np.arange(len(order)) < batch_sizes[:, None]  # sorted, (T, B)
    fits = not (mask[1:] > mask[:-1]).any() and mask.sum() == len(data)
    if not fits or set(order) != {*range(len(order))}:
        got = f"{len(data)} rows, sizes {batch_sizes}, order {order}"
        raise ValueError(f"unpack takes what pack gave, got {got}")
    x = np.zeros((*mask.shape, *data.shape[1:]), data.dtype)
    x[mask] = data
    back = np.argsort(order)
    return x[:, back], mask.sum(axis=0)[back]


def chunks(stream, B: int, k: int):
    """Ids (n,) -> list of inputs, targets (k, B), and how many ids dropped.

    Column b goes on where the chunk before stopped, so that its state may
    be carried over; the last chunk may be shorter. ValueError unless n > B.
    """
    check_positive(B=B, k=k)
    T = (len(stream) - 1) // B
    check_positive(**{"(n - 1) // B": T})
    ids = _integers("stream", stream)[: B * T + 1]
    inputs, targets = (a.reshape(B, T).T.copy() for a in (ids[:-1], ids[1:]))
    pairs = [(inputs[t : t + k], targets[t : t + k]) for t in range(0, T, k)]
    return pairs, len(stream) - len(ids)


def _integers(name, values, least=0):
    """-> values (n,); ValueError unless n > 0 integers from `least` up."""
    values = check_integers(name, values, "n", low=least)
    check_positive(**{f"len({name})": len(values)})
    return values


def _count(mask, dtype):
    """mask (T, B) -> its count (B, 1); ValueError if a sequence has none."""
    n = mask.sum(axis=0, dtype=dtype)
    if not n.all():
        want = "mask must be True once in each column at least"
        raise ValueError(f"{want}, got {n.astype(int).tolist()}")
    return n[:, None]
