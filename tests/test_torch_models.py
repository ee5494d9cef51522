import math
from functools import partial

import numpy as np
import pytest
import torch
from torch import nn

from seqbook.tasks import NOISE, SYMBOLS, delayed_recall
from seqbook.torch_models import (
    LastStepClassifier,
    accuracy,
    seeded,
    set_forget_bias,
    set_gate_bias,
    set_orthogonal,
    set_update_bias,
    train_until,
)

T, B, D, H, K = 6, 3, 7, 5, 4  # all different, so a swapped axis cannot pass


def sigmoid(a):
    return 1 / (1 + np.exp(-a))


def numpy_state(cell):
    """Every parameter of a one-layer cell as a float64 array, by name."""
    return {
        name.removesuffix("_l0"): p.detach().numpy().astype(float)
        for name, p in cell.named_parameters()
    }


def distinct(cell):
    """Fill every parameter with random values: no bias may stay zero."""
    rng = np.random.default_rng(2)
    with torch.no_grad():
        for p in cell.parameters():
            p.copy_(torch.from_numpy(rng.normal(0, 0.5, p.shape)))
    return cell


def changed_rows(cell, change):
    """{parameter: rows that `change(cell)` altered}, empty ones left out."""
    before = {n: p.detach().clone() for n, p in cell.named_parameters()}
    change(cell)
    altered = {
        n: (p != before[n]).reshape(len(p), -1).any(dim=1).nonzero().flatten()
        for n, p in cell.named_parameters()
    }
    return {n: rows.tolist() for n, rows in altered.items() if len(rows)}


def rnn_unrolled(p, x):
    h = np.zeros((x.shape[1], H))
    for x_t in x:
        a = x_t @ p["weight_ih"].T + p["bias_ih"]
        h = np.tanh(a + h @ p["weight_hh"].T + p["bias_hh"])
    return h


def lstm_unrolled(p, x):
    h = c = np.zeros((x.shape[1], H))
    for x_t in x:
        a = x_t @ p["weight_ih"].T + p["bias_ih"]
        a = a + h @ p["weight_hh"].T + p["bias_hh"]
        i, f, g, o = np.split(a, 4, axis=1)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
    return h


def gru_unrolled(p, x):
    h = np.zeros((x.shape[1], H))
    for x_t in x:
        x_r, x_z, x_n = np.split(
            x_t @ p["weight_ih"].T + p["bias_ih"], 3, axis=1
        )
        h_r, h_z, h_n = np.split(
            h @ p["weight_hh"].T + p["bias_hh"], 3, axis=1
        )
        keep = sigmoid(x_z + h_z)  # torch's z
        n = np.tanh(x_n + sigmoid(x_r + h_r) * h_n)
        h = (1 - keep) * n + keep * h
    return h


@pytest.mark.parametrize(
    "make, unrolled",
    [
        (nn.RNN, rnn_unrolled),
        (nn.LSTM, lstm_unrolled),
        (nn.GRU, gru_unrolled),
    ],
)
def test_model_equals_a_loop_by_hand_read_at_the_last_step(make, unrolled):
    cell = distinct(make(D, H))
    model = LastStepClassifier(cell, K)
    ids = np.random.default_rng(0).integers(D, size=(T, B))
    logits = model(torch.from_numpy(ids)).detach().numpy()

    h = unrolled(numpy_state(cell), np.eye(D)[ids])  # h_T (B, H)
    W_hy = model.readout.weight.detach().numpy().astype(float)
    want = h @ W_hy.T + model.readout.bias.detach().numpy()
    assert logits.shape == (B, K)
    np.testing.assert_allclose(logits, want, rtol=0, atol=1e-5)  # float32


def test_forget_bias_stands_in_one_vector_in_the_rows_of_f():
    lstm = distinct(nn.LSTM(D, H, num_layers=2))
    f = list(range(H, 2 * H))  # blocks i, f, g, o
    assert changed_rows(lstm, lambda cell: set_forget_bias(cell, 1.0)) == {
        f"bias_{side}_l{layer}": f for side in ("ih", "hh") for layer in (0, 1)
    }
    total = (lstm.bias_ih_l0 + lstm.bias_hh_l0)[H : 2 * H]
    assert torch.sigmoid(total).tolist() == pytest.approx([0.7311] * H, 1e-4)
    assert lstm.bias_hh_l1[H : 2 * H].tolist() == [0.0] * H


def test_forget_bias_decides_what_is_left_of_the_cell_after_a_step():
    lstm = nn.LSTM(D, H)
    with torch.no_grad():
        for p in lstm.parameters():
            p.zero_()
    set_forget_bias(lstm, 1.0)
    zero, one = torch.zeros(1, 1, H), torch.ones(1, 1, H)
    _, (_, c) = lstm(torch.zeros(1, 1, D), (zero, one))
    # sigmoid(1) = .7311; filling both vectors would leave sigmoid(2) = .8808
    assert c.flatten().tolist() == pytest.approx([0.7311] * H, rel=1e-4)


def test_update_bias_takes_the_books_sign_and_torch_gets_the_other():
    gru = distinct(nn.GRU(D, H))
    z = list(range(H, 2 * H))  # blocks r, z, n
    assert changed_rows(gru, lambda cell: set_update_bias(cell, -3.0)) == {
        "bias_ih_l0": z,
        "bias_hh_l0": z,
    }
    total = (gru.bias_ih_l0 + gru.bias_hh_l0)[H : 2 * H]
    assert total.tolist() == [3.0] * H


def test_negative_update_bias_remembers():
    gru = nn.GRU(D, H)
    with torch.no_grad():
        for p in gru.parameters():
            p.zero_()
    set_update_bias(gru, -3.0)
    _, h = gru(torch.zeros(1, 1, D), torch.ones(1, 1, H))
    # the book's z = sigmoid(-3) writes a zero candidate over the state
    left = 1 - 1 / (1 + math.exp(3))
    assert h.flatten().tolist() == pytest.approx([left] * H, rel=1e-6)


def test_orthogonal_recurrence_keeps_lengths_and_touches_nothing_else():
    rnn = distinct(nn.RNN(D, H, num_layers=2))
    generator = torch.Generator().manual_seed(0)
    rows = list(range(H))
    assert changed_rows(
        rnn, lambda cell: set_orthogonal(cell, 1.0, generator)
    ) == {"weight_hh_l0": rows, "weight_hh_l1": rows}
    for W_hh in rnn.weight_hh_l0, rnn.weight_hh_l1:
        W = W_hh.detach().numpy().astype(float)
        np.testing.assert_allclose(W.T @ W, np.eye(H), rtol=0, atol=1e-6)


def test_gain_is_every_singular_value_of_the_recurrence():
    rnn = nn.RNN(D, H)
    set_orthogonal(rnn, 1.3, torch.Generator().manual_seed(0))
    sizes = torch.linalg.svdvals(rnn.weight_hh_l0.detach())
    assert sizes.tolist() == pytest.approx([1.3] * H, rel=1e-6)


def test_seeded_repeats_itself_and_leaves_the_global_generator_alone():
    state = torch.get_rng_state()
    first, again, other = (
        seeded(seed, lambda: nn.LSTM(D, H)).weight_hh_l0 for seed in (5, 5, 6)
    )
    assert torch.equal(first, again) and not torch.equal(first, other)
    assert torch.equal(torch.get_rng_state(), state)


def make_case(limit, T=3):
    """A GRU trained on delayed recall -> model, iterations, accuracy."""

    def build():
        cell = nn.GRU(SYMBOLS + NOISE, 8)
        return LastStepClassifier(cell, SYMBOLS)

    model, rng = seeded(0, build), np.random.default_rng(0)

    def draw(size):
        return delayed_recall(rng, size, T)

    return model, *train_until(model, draw, limit=limit)


def test_training_learns_a_short_recall_and_says_when():
    model, iterations, reached = make_case(limit=400)
    assert iterations < 400 and iterations % 10 == 0
    assert reached >= 0.99
    fresh = delayed_recall(np.random.default_rng(9), 500, 3)
    assert accuracy(model, *fresh) > 0.95


def test_training_stops_at_its_limit_and_measures_there():
    _, iterations, reached = make_case(limit=7)
    assert iterations == 7
    assert 0 < reached < 0.99


def test_training_repeats_itself():
    (one, *first), (two, *again) = make_case(limit=30), make_case(limit=30)
    assert first == again
    for p, q in zip(one.parameters(), two.parameters(), strict=True):
        assert torch.equal(p, q)


def gradient_left(**settings):
    """The gradient of a small RNN, before and after train_until."""
    model = seeded(0, lambda: LastStepClassifier(nn.RNN(D, H), K))
    ids = np.random.default_rng(0).integers(D, size=(T, B))
    loss = nn.functional.cross_entropy
    loss(model(torch.from_numpy(ids)), torch.zeros(B, dtype=int)).backward()
    true = torch.cat([p.grad.flatten() for p in model.parameters()])
    assert true.norm() > 0.2

    def draw(size):
        return ids, np.zeros(B, dtype=int)

    train_until(model, draw, **settings)
    return true, torch.cat([p.grad.flatten() for p in model.parameters()])


def test_gradient_is_clipped_by_its_norm_over_all_parameters():
    true, left = gradient_left(limit=1, clip=0.1)
    assert left.norm().item() == pytest.approx(0.1, rel=1e-4)
    np.testing.assert_allclose(
        left, 0.1 * true / true.norm(), rtol=0, atol=1e-6
    )


def test_gradient_of_an_iteration_is_its_own_and_not_a_sum():
    # with a learning rate of zero every iteration has the same gradient
    true, left = gradient_left(goal=2, limit=3, lr=0.0, clip=1e9)
    np.testing.assert_allclose(left, true, rtol=0, atol=1e-6)


def test_accuracy_counts_what_is_right():
    model = LastStepClassifier(nn.RNN(D, H), K)
    with torch.no_grad():
        model.readout.weight.zero_()
        model.readout.bias.copy_(torch.tensor([0.0, 0.0, 1.0, 0.0]))
    ids = np.zeros((T, 4), dtype=int)
    assert accuracy(model, ids, np.array([2, 2, 2, 0])) == 0.75


def trained():
    """One short call of train_until, the same weights and data each time."""
    rng = np.random.default_rng(0)
    model = seeded(0, lambda: LastStepClassifier(nn.GRU(8, H), SYMBOLS))
    draw = partial(delayed_recall, rng, T=3)
    sizes = {"goal": 0.9, "limit": 12, "B": 8, "lr": 0.01, "clip": 0.1}
    return {"model": model, "draw": draw, **sizes}


def a_gru(hidden=H):
    return seeded(0, lambda: nn.GRU(D, hidden))


def an_rnn(seed=0):
    return seeded(seed, lambda: nn.RNN(D, H))


def an_lstm(seed=0):
    return seeded(seed, lambda: nn.LSTM(D, H))


def a_guess(seed=0):
    """A classifier, ids and targets that it partly gets right."""
    rng = np.random.default_rng(1)
    model = seeded(seed, lambda: LastStepClassifier(nn.RNN(D, H), K))
    ids = rng.integers(D, size=(T, 200))
    return {"model": model, "ids": ids, "targets": rng.integers(K, size=200)}


CALLS = {
    seeded: lambda: {"seed": 0, "build": lambda: torch.rand(3)},
    set_gate_bias: lambda: {"cell": a_gru(), "block": 0, "value": 0.5},
    set_forget_bias: lambda: {"lstm": an_lstm(), "b_f": 1.0},
    set_update_bias: lambda: {"gru": a_gru(), "b_z": -1.0},
    set_orthogonal: lambda: {
        "rnn": an_rnn(),
        "gain": 1.0,
        "generator": torch.Generator().manual_seed(0),
    },
    accuracy: a_guess,
    train_until: trained,
}
OTHER = {
    (seeded, "build"): lambda: lambda: torch.rand(4),
    (set_gate_bias, "cell"): lambda: an_lstm(),
    (set_forget_bias, "lstm"): lambda: an_lstm(1),
    (set_update_bias, "gru"): lambda: a_gru(4),
    (set_orthogonal, "rnn"): lambda: an_rnn(1),
    (set_orthogonal, "generator"): lambda: torch.Generator().manual_seed(1),
    (accuracy, "model"): lambda: a_guess(1)["model"],
    (train_until, "model"): lambda: seeded(
        1, lambda: LastStepClassifier(nn.GRU(8, H), SYMBOLS)
    ),
    (train_until, "draw"): lambda: partial(
        delayed_recall, np.random.default_rng(0), T=4
    ),
    (train_until, "goal"): lambda: 0.0,
}
