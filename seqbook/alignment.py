"""IBM Model 1: word translation probabilities by EM, and word alignments.

Chapter: docs/en/attention.md. Sources: Brown et al. 1993, section 4.1; Och &
Ney 2003, section 5 (error rate). t[e, f] is the probability of target word f
given source word e. Sentences are word ids; the paper's NULL is a word that
the caller puts before every source. The target's length is taken as given.
Alignments are target x source, as in attention.
"""

import numpy as np

from seqbook.checks import check_integers, check_positive


def ibm1_posterior(t, source, target):
    """t (V_e, V_f), ids (S,), ids (T,) -> (T, S), log p(target | source).

    Entry (j, i): the probability that target word j comes from source word
    i; a row is 0 where no source word gives it. The log is in nats.
    ValueError unless the ids are rows and columns of t.
    """
    source = check_integers("source", source, "S", high=len(t) - 1)
    target = check_integers("target", target, "T", high=t.shape[1] - 1)
    joint = t[np.ix_(source, target)].T / len(source)  # all i alike before
    total = joint.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore"):  # log(0) = -inf is the answer
        log_p = float(np.log(total).sum())
    return joint / np.where(total > 0, total, 1), log_p


def ibm1_step(t, pairs):
    """t (V_e, V_f), pairs -> t after one EM step, log-likelihood before."""
    counts, log_likelihood = np.zeros_like(t), 0.0
    for source, target in pairs:
        posterior, log_p = ibm1_posterior(t, source, target)
        np.add.at(counts, np.ix_(source, target), posterior.T)  # words repeat
        log_likelihood += log_p
    total = counts.sum(axis=1, keepdims=True)
    seen = total > 0  # a word that no source has keeps its row
    return np.where(seen, counts / np.where(seen, total, 1), t), log_likelihood


def ibm1_fit(pairs, steps: int):
    """pairs of ids -> t (V_e, V_f), log-likelihoods (steps,) before each.

    From a uniform t. ValueError unless every sentence holds ids from 0 up.
    """
    check_positive(pairs=len(pairs), steps=steps)
    V_e, V_f = (1 + max(map(_largest, s)) for s in zip(*pairs, strict=True))
    t, history = np.full((V_e, V_f), 1 / V_f), []
    for _ in range(steps):
        t, log_likelihood = ibm1_step(t, pairs)
        history.append(log_likelihood)
    return t, np.array(history)


def _largest(ids):
    ids = check_integers("a sentence", ids, "n")
    check_positive(**{"a sentence's length": len(ids)})
    return int(ids.max())


def alignment_error_rate(links, sure, possible):
    """Three bool arrays of one shape -> error rate, from 0 (best) to 1.

    Every sure link must be found, and every link found must be possible.
    ValueError if nothing is sure, or a sure link is not possible.
    """
    n, outside = int(sure.sum()), int((sure & ~possible).sum())
    if n == 0 or outside:
        want = "sure must hold links, all of them possible"
        raise ValueError(f"{want}, got {n}, of which {outside} are not")
    right = (links & sure).sum() + (links & possible).sum()
    return float(1 - right / (links.sum() + sure.sum()))
