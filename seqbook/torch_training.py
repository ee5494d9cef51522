"""One whole training run, from sentences to a model, watched and resumable.

Chapter: docs/en/training.md. Sources: Zaremba et al. 2014, §3.2 (dropout,
but not in time); Pascanu et al. 2013, §3.2 (clipping); Jozefowicz et al.
2015 (forget bias). All that a run needs to go on is in its Run, the states
of both generators included: interrupted and resumed on one machine it gives
the same numbers, bit for bit.

    python -m seqbook.torch_training run.pt     trains, or goes on
"""

import copy
import sys
from collections import Counter
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn.functional import cross_entropy
from torch.nn.utils import clip_grad_norm_

from seqbook import text
from seqbook.batching import bucket_batches, pad
from seqbook.checks import check_positive
from seqbook.conventions import from_torch
from seqbook.lstm import LSTMParams, lstm_forward
from seqbook.optim import warmup_cosine
from seqbook.torch_models import seeded, set_forget_bias

SGD = partial(torch.optim.SGD, momentum=0.9)


# --8<-- [start:Recipe.fields]
@dataclass
class Recipe:
    """What is chosen by hand; `seed` draws weights, batches and dropout."""

    H: int = 64  # units
    B: int = 32  # sentences in a batch
    width: int = 20  # of a bucket of lengths
    peak: float = 8.0  # highest learning rate
    warmup: int = 20  # updates until it is reached
    total: int = 400  # updates until it is back at zero
    clip: float = 0.25  # longest gradient
    forget_bias: float = 1.0
    dropout: float = 0.1
    every: int = 20  # updates from one look to the next
    patience: int = 5  # looks without a new best
    seed: int = 0
    # --8<-- [end:Recipe.fields]

    def __post_init__(self):
        sizes = "H", "B", "width", "total", "every", "patience"
        check_positive(**{name: getattr(self, name) for name in sizes})
        for name, value in ("peak", self.peak), ("clip", self.clip):
            if not value > 0:
                raise ValueError(f"{name} must be above 0, got {value}")


@dataclass
class Texts:
    """Sentences as ids, some of them held out."""

    train: list  # of lists of ids
    valid: tuple  # ids, mask (T, B), tensors
    vocabulary: dict
    baseline: float  # nats per id, on valid, of one who only counts ids


def prepare(sentences, min_count: int = 5):
    """Different sentences -> Texts; every tenth is held out.

    The vocabulary is that of the others: what is held out stays unseen.
    ValueError unless there are at least two, and none of them twice.
    """
    n, differ = len(sentences), len(set(sentences))
    if not 2 <= n == differ:
        got = f"got {n}, of which {differ} differ"
        raise ValueError(f"sentences must be different, two or more, {got}")
    kept = [s for n, s in enumerate(sentences) if n % 10]
    seen = [character for s in kept for character in text.characters(s)]
    vocabulary = text.build_vocabulary(seen, min_count)

    def ids_of(s):
        ids, _ = text.encode(vocabulary, text.characters(s))
        return [text.BOS, *ids.tolist(), text.EOS]

    train = [ids_of(s) for s in kept]
    ids, _, mask = pad([ids_of(s) for s in sentences[::10]])
    counts = Counter(i for sentence in train for i in sentence[1:])
    p = np.array([counts[i] + 1.0 for i in range(len(vocabulary))])
    baseline = -np.log(p / p.sum())[ids[1:][mask[1:]]].mean()
    valid = torch.from_numpy(ids), torch.from_numpy(mask)
    return Texts(train, valid, vocabulary, float(baseline))


class NextId(nn.Module):
    """ids (T, B) -> logits (T, B, V) of the id that comes next."""

    def __init__(self, V: int, H: int, dropout: float):
        super().__init__()
        self.embed = nn.Embedding(V, H)
        self.cell = nn.LSTM(H, H)
        self.readout = nn.Linear(H, V)
        self.dropout = nn.Dropout(dropout)  # on the way in and out only

    def forward(self, ids):
        h, _ = self.cell(self.dropout(self.embed(ids)))  # (T, B, H)
        return self.readout(self.dropout(h))


def next_id_loss(model, ids, mask):
    """ids, mask (T, B) -> nats per real id: the mean, each sentence's (B,)."""
    logits, targets, real = model(ids[:-1]), ids[1:], mask[1:]
    nats = cross_entropy(logits.mT, targets, reduction="none")
    nats = torch.where(real, nats, 0)
    mean = nats.sum() / real.sum()
    return mean, nats.detach().sum(0) / real.sum(0)


@dataclass
class Run:
    """A run under way; snapshot() is the same as plain values."""

    recipe: Recipe
    model: nn.Module
    optimizer: torch.optim.Optimizer
    rng: np.random.Generator  # draws the batches
    noise: torch.Tensor  # state of the generator of dropout
    queue: list = field(default_factory=list)  # batches left in this epoch
    log: list = field(default_factory=list)  # loss, norm of each update
    looks: list = field(default_factory=list)  # what the monitors said
    best: dict | None = None  # weights at the lowest held-out loss


def start(recipe: Recipe, V: int, optimizer=SGD):
    """-> a Run before its first update; optimizer(parameters, lr=...)."""
    r = recipe
    model = seeded(r.seed, lambda: NextId(V, r.H, r.dropout))
    set_forget_bias(model.cell, r.forget_bias)
    steps = optimizer(model.parameters(), lr=r.peak)
    # far from `seed`, or dropout would draw what the weights have drawn
    noise = torch.Generator().manual_seed(r.seed + 10**9).get_state()
    return Run(r, model, steps, np.random.default_rng(r.seed), noise)


def next_batch(run, texts):
    """-> ids, mask (T, B), tensors; every sentence once an epoch."""
    if not run.queue:
        r, lengths = run.recipe, [len(sentence) for sentence in texts.train]
        order = bucket_batches(run.rng, lengths, r.B, r.width)
        run.queue = [batch.tolist() for batch in order]
    ids, _, mask = pad([texts.train[i] for i in run.queue.pop()])
    return torch.from_numpy(ids), torch.from_numpy(mask)


def update(model, optimizer, batch, lr: float, clip: float, loss=next_id_loss):
    """-> loss, norm of the gradient before it was clipped.

    RuntimeError, from torch, before anything changes if that is not finite.
    """
    for group in optimizer.param_groups:
        group["lr"] = lr
    optimizer.zero_grad()
    value, _ = loss(model, *batch)
    value.backward()
    norm = clip_grad_norm_(model.parameters(), clip, error_if_nonfinite=True)
    optimizer.step()
    return value.item(), norm.item()


@torch.no_grad()
def gates_of(model, ids, mask):
    """-> |c| (N,) and gates i, f, o (3, N, H) at the N real steps.

    nn.LSTM keeps them to itself; the book's cell, given its weights, tells.
    """
    weights = {k: w.numpy() for k, w in model.cell.state_dict().items()}
    p, x = from_torch(LSTMParams, weights), model.embed(ids).numpy()
    zero, real = np.zeros((len(x[0]), model.cell.hidden_size)), mask.numpy()
    _, c, (_, _, _, gates, _) = lstm_forward(p, x, zero, zero)
    i, f, _, o = gates.swapaxes(0, 1)[:, real]
    return np.linalg.norm(c[real], axis=1), np.stack([i, f, o])


@torch.no_grad()
def look(run, texts, loss=next_id_loss):
    """-> the monitors, as plain numbers, over the last `every` updates."""
    run.model.eval()  # no dropout
    valid, each = loss(run.model, *texts.valid)
    run.model.train()
    norm_c, gates = gates_of(run.model, *(a[:, :32] for a in texts.valid))
    losses, norms = np.array(run.log[-run.recipe.every :]).T
    return {
        "t": len(run.log),
        "train": float(losses.mean()),  # nats per id
        "valid": valid.item(),
        "worst": each.max().item(),  # held-out sentence
        "norm": float(norms.max()),  # longest gradient, before clipping
        "above": float(np.mean(norms > run.recipe.clip)),  # so clipped
        "cell": float(norm_c.mean()),
        "saturated": float(np.mean(abs(gates - 0.5) > 0.45)),
    }


def stalled(losses, baseline: float, patience: int) -> bool:
    """Held-out losses so far -> whether the best is `patience` looks old.

    Never while the best is above the baseline: on a plateau nothing has been
    learned yet, and the patience has not begun.
    """
    best = int(np.argmin([baseline, *losses])) - 1
    return best >= 0 and len(losses) - 1 - best >= patience


def train(run, texts, updates: int, loss=next_id_loss, tell=print):
    """Go on for `updates` at most; `run` is changed in place.

    Ends early at recipe.total, or when it has stalled. `tell` is given a
    line at every look.
    """
    r = run.recipe
    with torch.random.fork_rng(devices=[]):
        torch.set_rng_state(run.noise)
        for _ in range(updates):
            held_out = [seen["valid"] for seen in run.looks]
            t = len(run.log) + 1
            if t > r.total or stalled(held_out, texts.baseline, r.patience):
                break
            lr = warmup_cosine(t, r.peak, r.warmup, r.total)
            batch = next_batch(run, texts)
            done = update(run.model, run.optimizer, batch, lr, r.clip, loss)
            run.log.append(done)
            if t % r.every == 0:
                seen = look(run, texts, loss)
                if seen["valid"] < min(held_out, default=np.inf):
                    run.best = copy.deepcopy(run.model.state_dict())
                run.looks.append(seen)
                told = (f"{k} {v:.3g}" for k, v in seen.items())
                tell(f"{t}/{r.total}: " + "  ".join([*told][1:]))
        run.noise = torch.get_rng_state()


def snapshot(run):
    """-> a dict of plain values and tensors, for torch.save."""
    kept = {**vars(run), "recipe": asdict(run.recipe)}
    kept["model"] = run.model.state_dict()
    kept["optimizer"] = run.optimizer.state_dict()
    kept["rng"] = run.rng.bit_generator.state
    return copy.deepcopy(kept)  # the run goes on, this does not


def restore(kept, optimizer=SGD):
    """What snapshot gave -> a Run that goes on as if never interrupted."""
    kept = copy.deepcopy(kept)
    V = len(kept["model"]["readout.bias"])
    run = start(Recipe(**kept.pop("recipe")), V, optimizer)
    run.model.load_state_dict(kept.pop("model"))
    run.optimizer.load_state_dict(kept.pop("optimizer"))
    run.rng.bit_generator.state = kept.pop("rng")
    return replace(run, **kept)


def _main(path):
    texts = prepare(text.topic_sentences())
    run = start(Recipe(), len(texts.vocabulary))
    if path.exists():
        try:
            kept = torch.load(path, weights_only=True)
            begun = kept.pop("vocabulary"), kept["recipe"]
        except Exception:  # whatever a file may hold
            sys.exit(f"{path} must be a run that this program saved")
        if begun != (texts.vocabulary, asdict(run.recipe)):
            sys.exit(f"{path} was begun with another recipe or text")
        run = restore(kept)
    done = -1
    while done < len(run.log):  # until it has ended, or stalled
        done = len(run.log)
        train(run, texts, run.recipe.every)
        kept = {**snapshot(run), "vocabulary": texts.vocabulary}
        torch.save(kept, path.with_suffix(".new"))
        path.with_suffix(".new").replace(path)  # never half a file


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m seqbook.torch_training run.pt")
    _main(Path(sys.argv[1]))
