import copy
import math
import subprocess
import sys
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
import torch

from seqbook import text, torch_training
from seqbook.conventions import from_torch
from seqbook.functional import log_softmax
from seqbook.gradients import clip_global_norm
from seqbook.lstm import LSTMParams, lstm_step
from seqbook.text import BOS, EOS, UNK, topic_sentences
from seqbook.torch_models import seeded
from seqbook.torch_training import (
    SGD,
    NextId,
    Recipe,
    gates_of,
    look,
    next_batch,
    next_id_loss,
    prepare,
    restore,
    snapshot,
    stalled,
    start,
    train,
    update,
)

SMALL = Recipe(
    H=6, B=7, width=9, peak=2.0, warmup=4, total=60, clip=0.2,
    dropout=0.2, every=9, patience=3, seed=3,
)  # fmt: skip
SENTENCES = topic_sentences()[:90]


def texts(n=90):
    return prepare(SENTENCES[:n], min_count=2)


def run(**changes):
    """A run of SMALL before its first update."""
    return start(replace(SMALL, **changes), len(texts().vocabulary))


def trained(updates=20, **changes):
    this = run(**changes)
    train(this, texts(), updates, tell=lambda line: None)
    return this


def a_model(seed=0, V=9, H=5, dropout=0.0):
    return seeded(seed, lambda: NextId(V, H, dropout))


def a_batch(seed=0):
    """ids, mask (T, B) of three sentences of five, two and four ids."""
    ids = np.random.default_rng(seed).integers(4, 9, size=(5, 3))
    mask = np.arange(5)[:, None] < np.array([5, 2, 4])
    return torch.from_numpy(np.where(mask, ids, 0)), torch.from_numpy(mask)


def equal(a, b):
    """Whether two runs, or parts of them, are the same bit for bit."""
    if isinstance(a, torch.Tensor):
        return torch.equal(a, b)
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(equal(a[k], b[k]) for k in a)
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(equal, a, b))
    return a == b


# Data


def test_every_tenth_sentence_is_held_out_and_seen_by_nobody():
    sentences = [f"word {'abcdefghijklmnopqrst'[n]}" for n in range(20)]
    found = prepare(sentences, min_count=1)
    ids, mask = found.valid
    assert len(found.train) == 18 and ids.shape[1] == 2
    assert "a" not in found.vocabulary and "k" not in found.vocabulary
    assert "b" in found.vocabulary and "w" in found.vocabulary
    first = ids[:, 0][mask[:, 0]].tolist()
    assert first[0] == BOS and first[-1] == EOS and first[-2] == UNK
    assert all(s[0] == BOS and s[-1] == EOS for s in found.train)


@pytest.mark.parametrize("sentences", [[], ["one"], ["one", "two", "one"]])
def test_sentences_that_cannot_be_split_are_refused(sentences):
    n = len(set(sentences))
    said = f"two or more, got {len(sentences)}, of which {n} differ"
    with pytest.raises(ValueError, match=said):
        prepare(sentences)


@pytest.mark.parametrize(
    "name", ["H", "B", "width", "total", "every", "patience", "peak", "clip"]
)
def test_a_recipe_names_what_cannot_be(name):
    for value in 0, -1, math.nan:
        with pytest.raises(ValueError, match=f"^{name} must be .*{value}"):
            Recipe(**{name: value})


def test_the_program_asks_for_a_file():
    command = [sys.executable, "-m", "seqbook.torch_training"]
    done = subprocess.run(command, capture_output=True, encoding="utf-8")
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert done.stderr == "usage: python -m seqbook.torch_training run.pt\n"


def test_baseline_is_the_held_out_loss_of_counting_by_hand():
    found = texts()
    counts, V = Counter(), len(found.vocabulary)
    for sentence in found.train:
        counts.update(sentence[1:])
    total = sum(counts.values()) + V  # each id once more
    ids, mask = found.valid
    nats = [
        -math.log((counts[i] + 1) / total)
        for b in range(ids.shape[1])
        for i in ids[:, b][mask[:, b]].tolist()[1:]
    ]
    assert found.baseline == pytest.approx(sum(nats) / len(nats), rel=1e-12)


def test_every_sentence_comes_once_an_epoch_and_in_another_order_the_next():
    this, found = run(), texts()
    batches = math.ceil(len(found.train) / SMALL.B)
    epochs = []
    for _ in range(2):
        epoch = []
        for _ in range(batches):
            ids, mask = next_batch(this, found)
            assert ids.shape == mask.shape and ids.shape[1] <= SMALL.B
            epoch += [
                i[m].tolist() for i, m in zip(ids.T, mask.T, strict=True)
            ]
        assert this.queue == []
        epochs.append(epoch)
    assert sorted(epochs[0]) == sorted(epochs[1]) == sorted(found.train)
    assert epochs[0] != epochs[1]


# Model and loss


def test_loss_is_that_of_the_books_cell_step_by_step():
    model, (ids, mask) = a_model(), a_batch()
    weights = {
        k: w.numpy().astype(float) for k, w in model.state_dict().items()
    }
    cell = {
        k.removeprefix("cell."): w
        for k, w in weights.items()
        if k.startswith("cell.")
    }
    p, each = from_torch(LSTMParams, cell), []
    for b in range(3):
        real, nats = ids[:, b][mask[:, b]].tolist(), []
        h = c = np.zeros((1, 5))
        for now, after in zip(real, real[1:], strict=False):
            x_t = weights["embed.weight"][now][None]
            h, c, _ = lstm_step(p, x_t, h, c)
            y = h @ weights["readout.weight"].T + weights["readout.bias"]
            nats.append(-log_softmax(y)[0, after])
        each.append(nats)
    mean, found = next_id_loss(model, ids, mask)
    np.testing.assert_allclose(found, [*map(np.mean, each)], rtol=1e-5)
    assert mean.item() == pytest.approx(np.mean(sum(each, [])), rel=1e-5)


def test_what_stands_in_the_padding_changes_nothing():
    model, (ids, mask) = a_model(), a_batch()
    other = torch.where(mask, ids, 8)
    assert not torch.equal(ids, other)
    for one, two in zip(
        next_id_loss(model, ids, mask),
        next_id_loss(model, other, mask),
        strict=True,
    ):
        assert torch.equal(one, two)
    for one, two in zip(
        gates_of(model, ids, mask), gates_of(model, other, mask), strict=True
    ):
        np.testing.assert_array_equal(one, two)


def test_who_knows_nothing_pays_the_logarithm_of_the_choices():
    model = a_model()
    torch.nn.init.zeros_(model.readout.weight)
    torch.nn.init.zeros_(model.readout.bias)
    mean, each = next_id_loss(model, *a_batch())
    assert mean.item() == pytest.approx(math.log(9), rel=1e-6)
    assert each.tolist() == pytest.approx([math.log(9)] * 3, rel=1e-6)


def test_dropout_acts_in_training_only_and_not_in_time():
    model, (ids, mask) = a_model(dropout=0.5), a_batch()
    one, two = (next_id_loss(model, ids, mask)[0] for _ in range(2))
    assert one != two
    model.eval()
    one, two = (next_id_loss(model, ids, mask)[0] for _ in range(2))
    assert one == two
    assert model.cell.dropout == 0


# One update


def test_update_is_sgd_on_the_clipped_gradient():
    model, twin = a_model(), a_model()
    batch, lr, clip = a_batch(), 0.7, 0.05
    sgd = torch.optim.SGD(model.parameters(), lr=123.0)
    value, norm = update(model, sgd, batch, lr, clip)
    loss, _ = next_id_loss(twin, *batch)
    loss.backward()
    assert value == loss.item()
    grads = [w.grad.numpy().astype(float) for w in twin.parameters()]
    clipped, want = clip_global_norm(grads, clip)
    assert norm == pytest.approx(want, rel=1e-5) and norm > 2 * clip
    for w, before, g in zip(
        model.parameters(), twin.parameters(), clipped, strict=True
    ):
        moved = (w - before).detach().numpy()
        np.testing.assert_allclose(moved, -lr * g, rtol=0, atol=1e-6)


def test_update_forgets_the_gradient_of_the_one_before():
    model, batch = a_model(), a_batch()
    sgd = SGD(model.parameters(), lr=0.0)
    norms = {update(model, sgd, batch, 0.0, 1e9)[1] for _ in range(3)}
    assert len(norms) == 1


def test_an_infinite_gradient_stops_the_run_before_it_touches_the_weights():
    model = a_model()
    with torch.no_grad():
        model.readout.bias[0] = math.inf
    before = copy.deepcopy(model.state_dict())
    sgd = SGD(model.parameters(), lr=1.0)
    with pytest.raises(RuntimeError, match="non-finite"):
        update(model, sgd, a_batch(), 1.0, 1.0)
    assert equal(before, dict(model.state_dict()))
    assert sgd.state_dict()["state"] == {}


# Monitors


def test_gates_and_cells_are_those_of_the_books_step_and_of_torchs_last():
    model, (ids, mask) = a_model(), a_batch()
    norm_c, gates = gates_of(model, ids, mask)
    N = int(mask.sum())
    assert norm_c.shape == (N,) and gates.shape == (3, N, 5)
    assert gates.min() > 0 and gates.max() < 1
    b, n = 2, 4  # the last sentence, whose steps are read out column by t
    _, (_, c) = model.cell(model.embed(ids[:n, b : b + 1]))
    at = int(mask.flatten()[: (n - 1) * 3 + b].sum())  # its last real step
    assert norm_c[at] == pytest.approx(c.norm().item(), rel=1e-5)


def test_gates_of_zero_weights_are_one_half_and_the_forget_bias():
    model = a_model()
    with torch.no_grad():
        for w in model.cell.parameters():
            w.zero_()
    torch_training.set_forget_bias(model.cell, 1.0)
    norm_c, (i, f, o) = gates_of(model, *a_batch())
    assert np.unique(i).tolist() == np.unique(o).tolist() == [0.5]
    np.testing.assert_allclose(f, 1 / (1 + math.exp(-1)), rtol=1e-6)
    assert not norm_c.any()


def test_look_reports_the_last_updates_and_the_held_out_sentences():
    this, found = trained(SMALL.every), texts()
    seen = this.looks[-1]
    losses, norms = np.array(this.log).T
    assert seen["t"] == SMALL.every == len(losses)
    assert seen["train"] == pytest.approx(losses.mean())
    assert seen["norm"] == norms.max()
    assert seen["above"] == np.mean(norms > SMALL.clip)
    this.model.eval()
    mean, each = next_id_loss(this.model, *found.valid)
    assert seen["valid"] == mean.item() and seen["worst"] == each.max().item()
    assert seen["worst"] > seen["valid"]


def test_look_sees_no_dropout_and_switches_it_on_again():
    this = trained(SMALL.every)
    assert this.model.training
    first, again = (look(this, texts())["valid"] for _ in range(2))
    assert first == again and this.model.training


def test_saturated_counts_gates_near_either_end():
    this = trained(SMALL.every)
    with torch.no_grad():
        for name, w in this.model.cell.named_parameters():
            w.zero_()
            if name == "bias_ih_l0":  # i shut, f open, o in between
                w[:6], w[6:12] = -9.0, 9.0
    seen = look(this, texts())
    assert seen["saturated"] == pytest.approx(2 / 3)
    assert seen["cell"] == pytest.approx(0)


# Stopping


@pytest.mark.parametrize(
    "losses, stops",
    [
        ([], False),
        ([3.0, 2.0, 1.0], False),  # still falling
        ([3.0, 1.0, 1.5, 1.4], False),  # two looks old
        ([3.0, 1.0, 1.5, 1.4, 1.2], True),  # three
        ([3.0, 1.0, 1.5, 1.4, 0.9], False),  # and then a new best
        ([5.0, 4.1, 4.2, 4.3, 4.4, 4.5, 4.6], False),  # a plateau
        ([5.0, 4.1, 4.2, 4.3, 4.4, 4.5, 3.9], False),  # it has begun
        ([1.0, 1.0, 1.0, 1.0], True),  # as good is not better
    ],
)
def test_patience_begins_when_the_baseline_is_beaten(losses, stops):
    assert stalled(losses, baseline=4.0, patience=3) is stops


def test_training_ends_at_its_total_and_stays_there():
    this = trained(1000, patience=99)
    assert len(this.log) == SMALL.total
    train(this, texts(), 5)
    assert len(this.log) == SMALL.total


def test_training_ends_when_it_has_stalled_and_keeps_the_best_weights():
    this, found = run(peak=1e-300, total=900), texts()
    found = replace(found, baseline=99.0)
    train(this, found, 900, tell=lambda line: None)
    valid = [seen["valid"] for seen in this.looks]
    assert len(valid) == 1 + SMALL.patience  # nothing moves
    assert equal(dict(this.best), dict(this.model.state_dict()))


def test_best_weights_are_those_of_the_lowest_held_out_loss():
    this = trained(45, peak=99.0, warmup=45, clip=9.0, patience=99)
    valid = [seen["valid"] for seen in this.looks]
    assert valid.index(min(valid)) < len(valid) - 1
    this.model.load_state_dict(this.best)
    assert look(this, texts())["valid"] == min(valid)


def test_training_learns_to_beat_counting():
    this = trained(60, total=60, H=24, peak=4.0, dropout=0.0)
    assert this.looks[-1]["valid"] < texts().baseline - 0.1


def test_a_line_is_told_at_every_look():
    this, lines = run(), []
    train(this, texts(), 20, tell=lines.append)
    assert [line.partition(":")[0] for line in lines] == ["9/60", "18/60"]
    assert "valid" in lines[0]


# Interrupting


@pytest.mark.parametrize("optimizer", [SGD, torch.optim.Adam])
@pytest.mark.parametrize("at", [1, 9, 13])
def test_an_interrupted_run_gives_the_same_numbers_bit_for_bit(
    tmp_path, optimizer, at
):
    found = texts()
    V = len(found.vocabulary)
    recipe = replace(SMALL, peak=2.0 if optimizer is SGD else 0.02)
    whole = start(recipe, V, optimizer)
    train(whole, found, 30, tell=lambda line: None)

    first = start(recipe, V, optimizer)
    train(first, found, at, tell=lambda line: None)
    torch.save(snapshot(first), tmp_path / "run.pt")
    torch.rand(5)  # somebody else draws
    train(first, found, 4, tell=lambda line: None)
    second = restore(
        torch.load(tmp_path / "run.pt", weights_only=True), optimizer
    )
    assert len(second.log) == at
    train(second, found, 30 - at, tell=lambda line: None)

    assert equal(snapshot(whole), snapshot(second))
    assert len(second.log) == 30 and second.looks == whole.looks


@pytest.mark.parametrize("left_out", ["model", "optimizer", "rng", "noise"])
def test_each_part_of_a_snapshot_is_needed(left_out):
    found = texts()
    kept, fresh = snapshot(trained(13)), snapshot(run())
    kept[left_out] = fresh[left_out]
    again = restore(kept)
    train(again, found, 17, tell=lambda line: None)
    assert again.log[:13] == trained(30).log[:13]
    assert again.log[13:] != trained(30).log[13:]


def test_a_snapshot_does_not_move_with_its_run():
    this = trained(9)
    kept = snapshot(this)
    before = copy.deepcopy(kept)
    train(this, texts(), 9, tell=lambda line: None)
    assert equal(kept, before)
    again = restore(kept)
    train(again, texts(), 9, tell=lambda line: None)
    assert equal(kept, before)


def test_training_leaves_the_global_generator_alone():
    state = torch.get_rng_state()
    trained(9)
    assert torch.equal(torch.get_rng_state(), state)


def test_the_program_goes_on_where_it_was_stopped(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.setattr(torch_training, "Recipe", lambda **given: SMALL)
    monkeypatch.setattr(text, "topic_sentences", lambda: SENTENCES)
    path = tmp_path / "run.pt"
    torch_training._main(path)
    whole = torch.load(path, weights_only=True)
    assert len(whole["log"]) == SMALL.total
    assert len(capsys.readouterr().out.splitlines()) == SMALL.total // 9
    torch_training._main(path)  # nothing left to do
    assert [f.name for f in tmp_path.iterdir()] == ["run.pt"]
    assert equal(torch.load(path, weights_only=True), whole)


@pytest.mark.parametrize("name", ["Recipe", "topic_sentences"])
def test_the_program_does_not_go_on_with_something_else(
    tmp_path, monkeypatch, name
):
    monkeypatch.setattr(torch_training, "Recipe", lambda **given: SMALL)
    monkeypatch.setattr(text, "topic_sentences", lambda: SENTENCES)
    path = tmp_path / "run.pt"
    torch_training._main(path)
    kept = path.read_bytes()
    if name == "Recipe":
        other = replace(SMALL, peak=1.0)
        monkeypatch.setattr(torch_training, name, lambda **given: other)
    else:
        monkeypatch.setattr(text, name, lambda: SENTENCES[:30])
    with pytest.raises(SystemExit, match="with another recipe or text"):
        torch_training._main(path)
    assert path.read_bytes() == kept


@pytest.mark.parametrize("held", [b"", b"no run", {"weights": [1.0]}, 3.0])
def test_the_program_refuses_a_file_that_it_did_not_save(tmp_path, held):
    path = tmp_path / "run.pt"
    if isinstance(held, bytes):
        path.write_bytes(held)
    else:
        torch.save(held, path)
    kept = path.read_bytes()
    with pytest.raises(SystemExit, match="must be a run that this program"):
        torch_training._main(path)
    assert path.read_bytes() == kept


def a_model_and_a_batch():
    ids, mask = a_batch()
    return {"model": a_model(), "ids": ids, "mask": mask}


def a_log():
    """A run with a few updates behind it, for the contracts."""
    return trained(12)


CALLS = {
    prepare: lambda: {"sentences": SENTENCES[:30], "min_count": 2},
    next_id_loss: a_model_and_a_batch,
    gates_of: a_model_and_a_batch,
    start: lambda: {"recipe": SMALL, "V": 9, "optimizer": SGD},
    next_batch: lambda: {"run": run(), "texts": texts()},
    update: lambda: {
        "model": (model := a_model()),
        "optimizer": SGD(model.parameters(), lr=0.1),
        "batch": a_batch(),
        "lr": 0.5,
        "clip": 0.01,
        "loss": next_id_loss,
    },
    look: lambda: {"run": a_log(), "texts": texts(), "loss": next_id_loss},
    stalled: lambda: {
        "losses": [3.0, 2.0, 2.5],
        "baseline": 2.7,
        "patience": 1,
    },
    train: lambda: {
        "run": run(),
        "texts": texts(),
        "updates": 9,
        "loss": next_id_loss,
        "tell": lambda line: None,
    },
    snapshot: lambda: {"run": a_log()},
    restore: lambda: {
        "kept": snapshot(a_log()),
        "optimizer": SGD,
    },
}


def other_loss(model, ids, mask):
    """The targets are not shifted."""
    return next_id_loss(lambda ids: model.readout(model.embed(ids)), ids, mask)


class Descent(torch.optim.SGD):
    """SGD under another name."""


def refuse(line):
    raise ValueError(line)


OTHER = {
    (prepare, "sentences"): lambda: SENTENCES[:40],
    (next_id_loss, "model"): lambda: a_model(1),
    (next_id_loss, "ids"): lambda: a_batch(1)[0],
    (next_id_loss, "mask"): lambda: torch.ones(5, 3, dtype=bool),
    (gates_of, "model"): lambda: a_model(1),
    (gates_of, "ids"): lambda: a_batch(1)[0],
    (gates_of, "mask"): lambda: torch.ones(5, 3, dtype=bool),
    (start, "optimizer"): lambda: torch.optim.Adam,
    (next_batch, "run"): lambda: run(seed=4),
    (next_batch, "texts"): lambda: texts(80),
    (update, "model"): lambda: a_model(1),
    (update, "optimizer"): lambda: SGD(a_model(1).parameters(), lr=0.1),
    (update, "batch"): lambda: a_batch(1),
    (update, "loss"): lambda: other_loss,
    (look, "run"): lambda: trained(13),
    (look, "texts"): lambda: texts(80),
    (look, "loss"): lambda: other_loss,
    (stalled, "losses"): lambda: [3.0, 2.5, 2.0],
    (train, "run"): lambda: run(seed=4),
    (train, "texts"): lambda: texts(80),
    (train, "loss"): lambda: other_loss,
    (train, "tell"): lambda: refuse,
    (snapshot, "run"): lambda: trained(13),
    (restore, "kept"): lambda: snapshot(trained(13)),
    (restore, "optimizer"): lambda: Descent,
}
