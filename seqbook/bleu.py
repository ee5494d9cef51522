"""BLEU of a corpus or of a sentence, with its smoothing named.

Chapter: docs/en/decoding.md. Sources: Papineni et al. 2002, section 2;
smoothing as in Chen & Cherry 2014, under sacrebleu's names. From 0 to 1,
where sacrebleu prints 0 to 100.
"""

import math
from collections import Counter
from collections.abc import Callable

import numpy as np

from seqbook.checks import check_positive


def smooth_none(correct, total):
    """Matches, n-grams, each (N,) -> precisions (N,); 0 of none is 0."""
    return correct / np.maximum(total, 1)


def smooth_floor(correct, total, floor: float = 0.1):
    """As smooth_none, but no matches among some n-grams count as floor."""
    floored = np.where((correct == 0) & (total > 0), floor, correct)
    return floored / np.maximum(total, 1)


def smooth_add_k(correct, total, k: float = 1):
    """As smooth_none, after adding k to both from bigrams on."""
    k = k * (np.arange(len(correct)) > 0).astype(correct.dtype)
    return (correct + k) / np.where(total + k > 0, total + k, 1)


def corpus_bleu(
    hypotheses, references, N: int = 4, smooth: Callable = smooth_none
):
    """Lists of tokens, and for each the list of its references -> BLEU.

    Matches and lengths are added up over the corpus, then divided. The
    reference length is the nearest, of two the shorter. Where nothing at
    all matches it is 0, however smoothed. ValueError if references are
    missing, or a string stands for a list of tokens.
    """
    check_positive(N=N)
    if [len(r) > 0 for r in references] != [True] * len(hypotheses):
        got = f"{len(hypotheses)} hypotheses and {len(references)} lists"
        raise ValueError(f"each hypothesis needs its references, got {got}")
    correct, total, lengths = np.zeros(N), np.zeros(N), np.zeros(2)
    for tokens, targets in zip(hypotheses, references, strict=True):
        L = len(tokens)
        lengths += L, min((abs(len(r) - L), len(r)) for r in targets)[1]
        for n in range(1, N + 1):
            found, allowed = _ngrams(tokens, n), Counter()
            for target in targets:
                allowed |= _ngrams(target, n)  # the most in any reference
            correct[n - 1] += (found & allowed).total()
            total[n - 1] += found.total()
    precisions = smooth(correct, total)
    if not (correct.any() and precisions.all()):
        return 0.0
    brevity = min(0, 1 - lengths[1] / lengths[0])
    return math.exp(brevity + np.mean(np.log(precisions)))


def _ngrams(tokens, n):
    if isinstance(tokens, str):
        raise ValueError(f"tokens must be a list, got the string {tokens!r}")
    return Counter(zip(*(tokens[i:] for i in range(n)), strict=False))


def sentence_bleu(tokens, targets, N: int = 4, smooth: Callable = smooth_none):
    """One list of tokens and the list of its references -> BLEU.

    Orders longer than the sentence are left out, sacrebleu's
    effective_order; with add-k sacrebleu takes them for perfect.
    """
    longest = min(N, max(len(tokens), 1))
    return corpus_bleu([tokens], [targets], longest, smooth)
