"""Language models: n-grams, their smoothing, and perplexity.

Chapter: docs/en/language_models.md. Source: Chen & Goodman 1998, TR-10-98,
section 2 (Jelinek-Mercer; Kneser-Ney, interpolated), both ended by the
uniform distribution.

A text is a list of ids without begin or end. n - 1 begin symbols go before
it, seen and never predicted; one end symbol goes after it, predicted and
counted like any id. nltk predicts begin symbols too: with Kneser-Ney its
trigrams at the start of a text sum to more than 1, and what it never saw
has probability 0.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from seqbook.checks import check_integers, check_positive, check_share

BEGIN = -1  # no id: it stands in contexts only


@dataclass
class NgramModel:
    """What was counted. A context is a tuple of up to n - 1 symbols."""

    n: int
    V: int  # ids are 0..V-1, and the end symbol is one of them
    end: int
    counts: dict  # context -> {id: times it came next}
    continuations: dict  # context -> {id: symbols that context, id follow}


def count_ngrams(texts, n: int, V: int, end: int):
    """Texts, lists of ids -> NgramModel of their n-grams and all shorter.

    ValueError if there is no text, or an id is no integer from 0 to V - 1.
    """
    check_positive(n=n, V=V)
    if len(texts) == 0:
        raise ValueError("texts must hold at least one text, got none")
    counts, continuations = defaultdict(Counter), defaultdict(Counter)
    for text in texts:
        symbols = _padded(text, n, V, end)
        for t in range(n - 1, len(symbols)):
            for k in range(n):  # symbols of context
                counts[tuple(symbols[t - k : t])][symbols[t]] += 1
    for context, row in counts.items():
        if context:  # its end has one more symbol that it comes after
            continuations[context[1:]].update(list(row))
    return NgramModel(n, V, end, dict(counts), dict(continuations))


def _padded(text, n, V, end):
    """A text -> n - 1 begin symbols, its ids, the end symbol."""
    ids = check_integers("ids", [*text, end], "n", high=V - 1)
    return [BEGIN] * (n - 1) + ids.tolist()


def _rows(lm, context, shorter):
    """-> counts (V,) after each end of context that was seen, () first.

    The longest end looks in lm.counts, the others in the dict `shorter`.
    """
    symbols = (BEGIN,) * (lm.n - 1) + tuple(context[-lm.n :])
    for k in range(lm.n):
        table = lm.counts if k == lm.n - 1 else shorter
        row = table.get(symbols[len(symbols) - k :], {})
        if row:
            counts = np.zeros(lm.V)
            counts[list(row)] = list(row.values())
            yield counts


def mle_probs(lm, context):
    """NgramModel, context (list of ids) -> relative frequencies (V,).

    Where nothing was counted after the context, those after its longest
    end that was seen.
    """
    *_, counts = _rows(lm, context, lm.counts)
    return counts / counts.sum()


def jelinek_mercer_probs(lm, context, weight: float):
    """NgramModel, context (list of ids) -> probabilities (V,).

    weight, from 0 to 1, is what each order keeps for its own frequencies.
    """
    check_share(weight=weight)
    p = np.full(lm.V, 1 / lm.V)
    for counts in _rows(lm, context, lm.counts):
        p = weight * counts / counts.sum() + (1 - weight) * p
    return p


def kneser_ney_probs(lm, context, discount: float):
    """NgramModel, context (list of ids) -> probabilities (V,).

    Each count gives up discount, from 0 to 1, and the next shorter context
    hands it out, by how many symbols an id follows and not how often.
    """
    check_share(discount=discount)
    p = np.full(lm.V, 1 / lm.V)
    for counts in _rows(lm, context, lm.continuations):
        taken = discount * (counts > 0)
        p = (counts - taken + taken.sum() * p) / counts.sum()
    return p


def ngram_nats(lm, probs: Callable, texts):
    """Texts -> nats (N,), number of predicted ids (N,), ends included.

    probs(lm, context) is one of the three above. Each text is scored by
    itself; an id of probability zero costs inf.
    """
    nats, tokens = np.zeros(len(texts)), np.zeros(len(texts), int)
    for b, text in enumerate(texts):
        symbols = _padded(text, lm.n, lm.V, lm.end)
        for t in range(lm.n - 1, len(symbols)):
            p = probs(lm, symbols[t - lm.n + 1 : t])[symbols[t]]
            nats[b] -= math.log(p) if p > 0 else -math.inf
            tokens[b] += 1
    return nats, tokens


def perplexity(nats, tokens):
    """Totals of texts or of batches, each (N,) -> exp(nats per token).

    Added up first and divided then: in a mean of means a batch with few
    tokens weighs as much as a full one. ValueError if there is no token.
    """
    with np.errstate(over="ignore"):  # inf beyond the largest float
        return float(np.exp(_per(nats, tokens)))


def bits_per_unit(nats, units):
    """Totals, each (N,) -> bits per whatever is counted in units.

    Per character, models with different tokens can be compared.
    """
    return float(_per(nats, units) / math.log(2))


def _per(nats, counts):
    if not np.sum(counts) > 0:
        raise ValueError(f"there must be something to count, got {counts}")
    return np.sum(nats) / np.sum(counts)
