"""Six training runs of one program, five of them with one line changed.

Every run is seqbook/torch_training.py itself, executed after one line of its
text was replaced, so that the line shown is the line that ran.
"""

import inspect
import math
import types

import torch

from bookproof.run.records import crossed
from seqbook import torch_training
from seqbook.language_model import count_ngrams, kneser_ney_probs, ngram_nats
from seqbook.text import EOS, topic_sentences

SEEDS = [0, 1, 2, 3, 4]  # the lab has the curves of the first
EVERY, UPDATES = 8, 400
SERIES = "train", "valid", "worst", "norm", "above", "cell", "saturated"
FAULTS = {  # name: the line, what stood there instead
    "healthy": ("", ""),
    "unclipped": (
        "norm = clip_grad_norm_("
        "model.parameters(), clip, error_if_nonfinite=True)",
        'norm = clip_grad_norm_(model.parameters(), float("inf"))',
    ),
    "too_fast": ("peak: float = 8.0", "peak: float = 80.0"),
    "wrong_axis": (
        "self.cell = nn.LSTM(H, H)",
        "self.cell = nn.LSTM(H, H, batch_first=True)",
    ),
    "padded_mean": (
        "mean = nats.sum() / real.sum()",
        "mean = nats.mean()",
    ),
    "leak": (
        "logits, targets, real = model(ids[:-1]), ids[1:], mask[1:]",
        "logits, targets, real = model(ids[1:]), ids[1:], mask[1:]",
    ),
}


def jobs(done):
    yield from crossed(row=[*FAULTS], seed=SEEDS)
    yield {"row": "baselines", "seed": None}


def run(row, seed):
    """-> the end of one of the six runs, of the first seed also its curves."""
    if row == "baselines":
        return baselines()
    curves, sentence = trained(row, seed)
    found = {
        "valid": curves["valid"][-1],
        "norm": max(curves["norm"]),
        "saturated": curves["saturated"][-1],
        "sentence": sentence,
    }
    return found | ({"curves": curves} if seed == SEEDS[0] else {})


def trained(name, seed):
    """Train one of the six -> its monitors, a dict of lists; the sentence
    of the held-out ones that costs most in the end.
    """
    p = program(*FAULTS[name])
    texts = p.prepare(topic_sentences())
    recipe = p.Recipe(
        seed=seed, every=EVERY, total=UPDATES, warmup=1, patience=UPDATES
    )
    this = p.start(recipe, len(texts.vocabulary))
    p.train(this, texts, 1)
    this.looks.append(p.look(this, texts))
    p.train(this, texts, UPDATES, tell=lambda line: None)
    with torch.no_grad():
        _, nats = p.next_id_loss(this.model.eval(), *texts.valid)
    return {
        key: [shortened(look[key]) for look in this.looks]
        for key in ("t", *SERIES)
    }, topic_sentences()[::10][int(nats.argmax())]


def program(right, wrong):
    """seqbook/torch_training.py with one line replaced, as a module."""
    text = inspect.getsource(torch_training)
    if right:
        assert text.count(right) == 1, right
        text = text.replace(right, wrong)
    module = types.ModuleType("program")
    exec(compile(text, "program", "exec"), module.__dict__)
    return module


def shortened(value):
    return float(f"{value:.3g}") if isinstance(value, float) else value


def baselines():
    """Nats of those who know less, and two sizes of the program."""
    texts = torch_training.prepare(topic_sentences())
    return {
        "guess": math.log(len(texts.vocabulary)),
        "unigram": texts.baseline,
        "bigram": bigram(texts),
        "threshold": torch_training.Recipe().clip,
        "units": torch_training.Recipe().H,
    }


def bigram(texts):
    """Nats per character, held out, of one who sees the one before."""
    ids, mask = (a.numpy() for a in texts.valid)
    V = len(texts.vocabulary)
    lm = count_ngrams([s[1:-1] for s in texts.train], 2, V, EOS)
    held_out = [
        i[m][1:-1].tolist() for i, m in zip(ids.T, mask.T, strict=True)
    ]
    nats, counts = ngram_nats(
        lm, lambda lm, context: kneser_ney_probs(lm, context, 0.75), held_out
    )
    return float(nats.sum() / counts.sum())
