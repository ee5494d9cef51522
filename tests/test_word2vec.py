import numpy as np
import pytest
import torch
from gensim.models import Word2Vec
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn.functional import binary_cross_entropy_with_logits

from seqbook.gradcheck import numerical_grad, relative_error
from seqbook.pmi import pmi
from seqbook.word2vec import (
    context_windows,
    keep_probability,
    negative_sampling_backward,
    negative_sampling_loss,
    noise_distribution,
    shrinking_windows,
    skipgram_pairs,
    train_embeddings,
)

B, K, D, V = 3, 4, 5, 7  # all different, so a swapped axis cannot pass
CLOSE = {"rtol": 1e-12, "atol": 1e-12}  # float64, sums of some 30 terms
COUNTS = np.array([100, 10, 1])


def make_case(scale=1.0):
    """h (B, D), c (B, 1 + K, D), dlosses (B,)."""
    rng = np.random.default_rng(0)
    h, c = rng.normal(size=(B, D)), rng.normal(size=(B, 1 + K, D))
    return scale * h, c, rng.normal(size=B)


def make_counts():
    """(6, 6) counts, every pair seen."""
    return np.random.default_rng(0).integers(1, 50, size=(6, 6))


def make_examples():
    """Contexts (T, 4) with -1 at the ends, ids (T,), noise (V,)."""
    ids = np.array([3, 1, 4, 1, 5, 0, 2, 6, 5, 3, 5])
    return context_windows(ids, 2), ids, noise_distribution(np.arange(1, 8))


# --- What the model reads ---------------------------------------------------


@settings(deadline=None, derandomize=True, max_examples=25)
@given(st.lists(st.integers(0, 9), max_size=8), st.integers(1, 4))
def test_pairs_of_a_window_equal_two_loops(ids, window):
    ids = np.array(ids, int)
    contexts = context_windows(ids, window)
    assert contexts.shape == (len(ids), 2 * window)
    want = [
        (ids[t], ids[s])
        for t in range(len(ids))
        for s in range(max(t - window, 0), min(t + window + 1, len(ids)))
        if s != t
    ]
    pairs = skipgram_pairs(ids, contexts)
    assert list(zip(*pairs, strict=True)) == want


def test_window_known_by_hand():
    got = context_windows(np.array([7, 8, 9]), 2).tolist()
    assert got == [[-1, -1, 8, 9], [-1, 7, 9, -1], [7, 8, -1, -1]]
    assert context_windows([7], 1).tolist() == [[-1, -1]]


def test_word_at_distance_d_is_seen_as_often_as_the_shrinking_window_says():
    ids, window = np.arange(20000), 4
    got = shrinking_windows(np.random.default_rng(0), ids, window)[4:-4]
    full = context_windows(ids, window)[4:-4]
    seen = got >= 0
    assert (got[seen] == full[seen]).all()
    assert (seen == seen[:, ::-1]).all()  # the same reach on both sides
    assert (seen[:, :3] <= seen[:, 1:4]).all()  # without holes
    frequency = seen.mean(axis=0)[4:]
    want = [(window + 1 - d) / window for d in (1, 2, 3, 4)]
    np.testing.assert_allclose(frequency, want, atol=0.015)  # 4 sigma


def test_subsampling_keeps_words_as_often_as_the_paper_says():
    counts = np.array([900, 90, 9, 1, 0])
    kept = keep_probability(counts, 1e-3)
    share = counts[:3] / 1000
    np.testing.assert_allclose(kept[:3], np.sqrt(1e-3 / share), **CLOSE)
    assert kept[3:].tolist() == [1, 1]


def small_gensim(counts, **options):
    words = [str(v) for v, n in enumerate(counts) for _ in range(n)]
    model = Word2Vec(min_count=1, vector_size=D, workers=1, **options)
    model.build_vocab([words])
    order = [model.wv.key_to_index[str(v)] for v in range(len(counts))]
    return model, order


def test_code_of_word2vec_keeps_more_than_its_paper():
    counts = [900, 90, 9, 1]
    model, _ = small_gensim(counts, sample=2e-3)
    kept = [
        model.wv.get_vecattr(str(v), "sample_int") / (2**32 - 1)
        for v in range(4)
    ]
    paper = keep_probability(np.array(counts), 2e-3)
    want = np.minimum(paper + paper**2, 1)  # sqrt(t/f) + t/f
    np.testing.assert_allclose(kept, want, 1e-6)
    assert kept[0] > paper[0] and kept[1] > paper[1]


@pytest.mark.parametrize(
    ("exponent", "want"),
    [
        (0.75, [0.8268, 0.1470, 0.0261]),
        (1, [0.9009, 0.0901, 0.0090]),
        (0, [1 / 3] * 3),
    ],
)
def test_noise_has_the_frequencies_of_its_exponent(exponent, want):
    noise = noise_distribution(COUNTS, exponent)
    np.testing.assert_allclose(noise, want, atol=5e-5)
    assert (noise_distribution(COUNTS) == noise).all() == (exponent == 0.75)


@pytest.mark.parametrize("exponent", [0.5, 0.75, 1.0])
def test_noise_equals_the_table_of_gensim(exponent):
    model, order = small_gensim(COUNTS, ns_exponent=exponent, negative=5)
    table = np.diff(model.cum_table.astype(float), prepend=0)[order]
    want = noise_distribution(COUNTS, exponent)
    np.testing.assert_allclose(table / 2**31, want, 1e-6)


@pytest.mark.parametrize("exponent", [0.75, 1.0])
def test_training_draws_the_noise_it_was_given(exponent):
    # C starts at zero, so each draw moves it by -lr sigmoid(0) times the
    # input, and one step leaves there how often each word was drawn.
    noise, P, k = noise_distribution(COUNTS, exponent), 20000, 5
    inputs, targets = np.ones((1, 1), int), np.zeros(1, int)
    rng, same = np.random.default_rng(0), np.random.default_rng(0)
    _, C, _ = train_embeddings(rng, inputs, targets, noise, 1, k, 1, P, 0.1)
    w = same.uniform(-0.5, 0.5, (3, 1))[1]
    drawn = C[:, 0] / (-0.1 * 0.5 * w)
    drawn[0] += P  # the true word moves the other way
    assert abs(drawn.sum() - k * P) < 1e-6
    np.testing.assert_allclose(drawn / (k * P), noise, atol=0.005)


# --- What it minimises ------------------------------------------------------


@pytest.mark.parametrize("scale", [1.0, 30.0], ids=["open", "saturated"])
def test_backward_matches_central_differences(scale):
    h, c, dlosses = make_case(scale)
    _, cache = negative_sampling_loss(h, c)
    dh, dc = negative_sampling_backward(dlosses, cache)
    for got, array in ((dh, h), (dc, c)):
        want = numerical_grad(
            lambda: np.sum(dlosses * negative_sampling_loss(h, c)[0]), array
        )
        assert relative_error(got, want) < 1e-6


@pytest.mark.parametrize("scale", [1.0, 30.0], ids=["open", "saturated"])
def test_loss_and_gradients_equal_binary_cross_entropy_in_torch(scale):
    h, c, dlosses = make_case(scale)
    leaves = [torch.tensor(a, requires_grad=True) for a in (h, c)]
    logits = (leaves[0][:, None] * leaves[1]).sum(-1)
    labels = torch.zeros_like(logits)
    labels[:, 0] = 1
    want = binary_cross_entropy_with_logits(logits, labels, reduction="none")
    (torch.tensor(dlosses) * want.sum(1)).sum().backward()
    losses, cache = negative_sampling_loss(h, c)
    np.testing.assert_allclose(losses, want.sum(1).detach(), **CLOSE)
    got = negative_sampling_backward(dlosses, cache)
    for grad, leaf in zip(got, leaves, strict=True):
        np.testing.assert_allclose(grad, leaf.grad, **CLOSE)


def test_loss_of_vectors_that_know_nothing_is_k_plus_one_bits():
    h, c, _ = make_case(scale=0)
    losses, _ = negative_sampling_loss(h, c)
    np.testing.assert_allclose(losses, (1 + K) * np.log(2), **CLOSE)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_scores_of_a_thousand_lose_their_size_and_nothing_overflows(dtype):
    h = np.array([[1000], [-1000]], dtype)
    c = np.ones((2, 2, 1), dtype)
    losses, cache = negative_sampling_loss(h, c)
    assert losses.tolist() == [1000, 1000] and losses.dtype == dtype
    dh, dc = negative_sampling_backward(np.ones(2, dtype), cache)
    assert dh.tolist() == [[1], [-1]]
    assert dc[:, :, 0].tolist() == [[0, 1000], [1000, 0]]


def best_scores(counts, noise, k):
    """Newton's method on the expected loss over free scores, by autograd."""
    N = torch.tensor(counts, dtype=torch.float64)
    drawn = k * N.sum(1, keepdim=True) * torch.tensor(noise)
    X = torch.zeros_like(N, requires_grad=True)
    log_sigmoid = torch.nn.functional.logsigmoid
    for _ in range(30):
        loss = -(N * log_sigmoid(X) + drawn * log_sigmoid(-X)).sum()
        (slope,) = torch.autograd.grad(loss, X, create_graph=True)
        (bend,) = torch.autograd.grad(slope.sum(), X)
        with torch.no_grad():
            X -= slope / bend
    return X.detach().numpy()


def test_best_free_scores_are_pmi_less_log_k():
    counts = make_counts()
    X = best_scores(counts, counts.sum(axis=0) / counts.sum(), 5)
    assert np.abs(X - (pmi(counts) - np.log(5))).max() < 1e-12


def test_shift_depends_on_the_word_once_the_noise_is_flattened():
    counts = make_counts()
    unigram = counts.sum(axis=0) / counts.sum()
    noise = noise_distribution(counts.sum(axis=0))
    shift = pmi(counts) - best_scores(counts, noise, 5)
    want = np.tile(np.log(5 * noise / unigram), (6, 1))
    np.testing.assert_allclose(shift, want, atol=1e-12)
    assert np.ptp(shift[0]) > 0.01


def test_pair_loss_falls_to_its_minimum_at_pmi_less_log_k():
    """The loss of sampled pairs, expected by listing every draw."""
    counts, k = make_counts(), 1
    unigram = counts.sum(axis=0) / counts.sum()
    w, c, n = np.indices((6, 6, 6)).reshape(3, -1)
    weight = counts[w, c] * unigram[n]  # of the centre, context and noise

    def loss(X):  # rows of X as words, unit vectors as contexts
        pair = np.eye(6)[np.stack([c, n], axis=1)]
        return np.sum(weight * negative_sampling_loss(X[w], pair)[0])

    X = pmi(counts) - np.log(k)
    slope = numerical_grad(lambda: loss(X), X)
    assert np.abs(slope).max() < 1e-5 < 1e-7 * loss(X)
    assert loss(X) < min(loss(X + 0.1), loss(X - 0.1), loss(0.9 * X))


# --- Training ---------------------------------------------------------------


def torch_training(seed, inputs, targets, noise, D, k, steps, batch, lr):
    """The same draws, through nn.EmbeddingBag and autograd."""
    rng = np.random.default_rng(seed)
    V = len(noise)
    start = rng.uniform(-0.5, 0.5, (V, D)) / D
    bag = torch.nn.EmbeddingBag(V + 1, D, mode="mean", padding_idx=V)
    bag = bag.double()
    with torch.no_grad():
        bag.weight[:V] = torch.tensor(start)
    C = torch.zeros(V, D, dtype=torch.float64, requires_grad=True)
    losses = []
    for step in range(steps):
        rows = rng.integers(len(targets), size=batch)
        false = rng.choice(V, size=(batch, k), p=noise)
        h = bag(torch.tensor(np.where(inputs < 0, V, inputs)[rows]))
        true = torch.tensor(targets[rows])
        log_sigmoid = torch.nn.functional.logsigmoid
        each = -log_sigmoid((h * C[true]).sum(-1))
        noise_scores = torch.einsum("bd,bkd->bk", h, C[torch.tensor(false)])
        each = each - log_sigmoid(-noise_scores).sum(1)
        grads = torch.autograd.grad(each.sum(), [bag.weight, C])
        with torch.no_grad():
            for array, grad in zip([bag.weight, C], grads, strict=True):
                array -= lr * (1 - step / steps) * grad
        losses.append(each.mean().item())
    return bag.weight[:V].detach().numpy(), C.detach().numpy(), losses


@pytest.mark.parametrize("model", ["cbow", "skip-gram"])
def test_training_equals_the_embedding_bag_of_torch(model):
    contexts, ids, noise = make_examples()
    inputs, targets = contexts, ids
    if model == "skip-gram":
        centres, targets = skipgram_pairs(ids, contexts)
        inputs = centres[:, None]
    settings = inputs, targets, noise, D, K, 6, 9, 0.8  # repeats in a batch
    got = train_embeddings(np.random.default_rng(3), *settings)
    want = torch_training(3, *settings)
    for a, b in zip(got, want, strict=True):
        np.testing.assert_allclose(a, b, **CLOSE)


def test_word_that_is_nowhere_keeps_its_first_vector():
    contexts, ids, noise = make_examples()
    noise, rng = np.append(noise, 0.0), np.random.default_rng(0)
    W, C, _ = train_embeddings(rng, contexts, ids, noise, D, steps=20)
    first = np.random.default_rng(0).uniform(-0.5, 0.5, (V + 1, D)) / D
    assert (W[V] == first[V]).all() and not C[V].any()
    assert (W[:V] != first[:V]).all()


def topics(rng, sentences=300):
    """Sentences of one topic each, of three with eight words."""
    topic = rng.integers(3, size=(sentences, 1))
    return 8 * topic + rng.integers(8, size=(sentences, 10))


def together(E):
    """Share of words whose nearest neighbour has the same topic."""
    unit = E / np.linalg.norm(E, axis=1, keepdims=True)
    similar = unit @ unit.T - 2 * np.eye(len(E))
    return np.mean(similar.argmax(axis=1) // 8 == np.arange(len(E)) // 8)


@pytest.mark.parametrize("model", ["cbow", "skip-gram"])
def test_both_models_find_planted_topics_as_gensim_does(model):
    text = topics(np.random.default_rng(0))
    contexts = np.concatenate([context_windows(ids, 3) for ids in text])
    inputs, targets = contexts, text.ravel()
    if model == "skip-gram":
        centres, targets = skipgram_pairs(text.ravel(), contexts)
        inputs = centres[:, None]
    noise = noise_distribution(np.bincount(text.ravel()))
    rng = np.random.default_rng(1)
    W, _, losses = train_embeddings(
        rng, inputs, targets, noise, 6, steps=600, batch=64, lr=0.2
    )
    assert together(W) == 1 and losses[-50:].mean() < losses[:50].mean()
    theirs = Word2Vec(
        [[str(v) for v in ids] for ids in text],
        sg=int(model == "skip-gram"),
        vector_size=6,
        window=3,
        alpha=0.2,
        epochs=10,
        workers=1,
        seed=0,
    )
    assert together(theirs.wv[[str(v) for v in range(24)]]) == 1


def test_trained_scores_follow_pmi_less_log_k():
    counts, k = make_counts(), 2
    centres, contexts = np.indices((6, 6)).reshape(2, -1)
    inputs = np.repeat(centres, counts.ravel())[:, None]
    targets = np.repeat(contexts, counts.ravel())
    unigram = counts.sum(axis=0) / counts.sum()
    W, C, _ = train_embeddings(
        np.random.default_rng(0), inputs, targets, unigram, 6, k, 3000, 64, 0.1
    )
    want = pmi(counts) - np.log(k)
    assert np.corrcoef((W @ C.T).ravel(), want.ravel())[0, 1] > 0.97
    assert abs(np.mean(W @ C.T - want)) < 0.1


# --- Contracts --------------------------------------------------------------


def test_float32_in_gives_float32_out():
    h, c, dlosses = (a.astype(np.float32) for a in make_case())
    contexts, ids, noise = make_examples()
    losses, cache = negative_sampling_loss(h, c)
    found = [
        losses,
        *negative_sampling_backward(dlosses, cache),
        *train_embeddings(
            np.random.default_rng(0),
            contexts,
            ids,
            noise.astype(np.float32),
            D,
            steps=3,
        ),
        noise_distribution(COUNTS.astype(np.float32)),
        keep_probability(COUNTS.astype(np.float32), 1e-3),
    ]
    assert {a.dtype for a in found} == {np.dtype(np.float32)}


def test_errors_name_the_argument_what_it_must_be_and_what_it_is():
    rng = np.random.default_rng(0)
    contexts, ids, noise = make_examples()
    empty = np.where(np.arange(11)[:, None] == 4, -1, contexts)

    def train(inputs=contexts, targets=ids, noise=noise, D=D, **sizes):
        return train_embeddings(rng, inputs, targets, noise, D, **sizes)

    bad = [
        (lambda: context_windows(ids, 0), "window .*at least 1, got 0"),
        (lambda: context_windows(ids / 2, 1), "ids .*integers.*float64"),
        (lambda: context_windows(contexts, 1), r"ids .*\(T,\), got \(11, 4\)"),
        (lambda: context_windows(ids - 1, 1), "ids .*from 0.*got -1 to 5"),
        (lambda: shrinking_windows(rng, ids, -2), "window .*got -2"),
        (lambda: skipgram_pairs(ids, contexts - 1), "contexts .*got -2 to"),
        (lambda: skipgram_pairs(ids[1:], contexts), r"ids .*\(11,\), got"),
        (lambda: keep_probability(COUNTS, 0), "threshold .*positive, got 0"),
        (lambda: keep_probability(COUNTS - 5, 1), "counts .*got -4 to 95"),
        (lambda: noise_distribution(COUNTS, -1), "exponent .*got -1"),
        (lambda: noise_distribution(0 * COUNTS), "counts .*got 0 to 0"),
        (lambda: train(D=0), "D .*at least 1, got 0"),
        (lambda: train(k=0), "k .*got 0"),
        (lambda: train(steps=0), "steps .*got 0"),
        (lambda: train(batch=1.5), "batch .*got 1.5"),
        (lambda: train(noise=ids), "noise .*float.*int64"),
        (lambda: train(noise=2 * noise), "sum to 1"),
        (lambda: train(inputs=ids), r"inputs .*\(P, M\), got \(11,\)"),
        (lambda: train(inputs=contexts + 1), "inputs .*to 6 .*got 0 to 7"),
        (lambda: train(targets=ids + 1), "targets .*from 0 to 6 .*1 to 7"),
        (lambda: train(targets=ids[1:]), "for 10 targets, got 11 of 11"),
        (lambda: train(inputs=empty), "a word for 11 targets, got 10 of 11"),
    ]
    for call, message in bad:
        with pytest.raises(ValueError, match=message):
            call()


# One call of each function, and other values where a machine finds none.
CALLS = {
    context_windows: lambda: {"ids": make_examples()[1], "window": 2},
    shrinking_windows: lambda: {
        "rng": np.random.default_rng(0),
        "ids": make_examples()[1],
        "window": 3,
    },
    skipgram_pairs: lambda: {
        "ids": make_examples()[1],
        "contexts": np.delete(make_examples()[0], 0, axis=1),
    },
    keep_probability: lambda: {"counts": COUNTS, "threshold": 0.05},
    noise_distribution: lambda: {"counts": COUNTS, "exponent": 0.75},
    negative_sampling_loss: lambda: dict(
        zip(("h", "c"), make_case(), strict=False)
    ),
    negative_sampling_backward: lambda: {
        "dlosses": make_case()[2],
        "cache": negative_sampling_loss(*make_case()[:2])[1],
    },
    train_embeddings: lambda: {
        "rng": np.random.default_rng(0),
        "inputs": make_examples()[0],
        "targets": make_examples()[1],
        "noise": make_examples()[2],
        "D": D,
        "k": 2,
        "steps": 3,
        "batch": 8,
        "lr": 0.5,
    },
}
OTHER = {
    (train_embeddings, "noise"): lambda: make_examples()[2][::-1].copy(),
}
