import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn.functional import bilinear, scaled_dot_product_attention

from seqbook.attention import (
    AdditiveParams,
    additive_score,
    additive_score_backward,
    attend,
    attend_backward,
    concat_params,
    coverage_loss,
    coverage_loss_backward,
    coverage_score,
    coverage_score_backward,
    dot_score,
    dot_score_backward,
    general_score,
    general_score_backward,
    masked_softmax,
    scaled_dot_score,
)
from seqbook.checks import valid_steps
from seqbook.functional import softmax
from seqbook.gradcheck import numerical_grad
from seqbook.params import arrays_of, map_params

# All different, so a swapped axis cannot pass; values are V wide.
T, B, S, H_Q, H_K, A, V = 6, 3, 5, 4, 7, 2, 8
LENGTHS = np.array([5, 1, 3])  # of the sources
MASK = valid_steps(LENGTHS, S, B)
EXACT = {"rtol": 1e-12, "atol": 1e-12}  # float64, sums of some 30 terms
SLOPE = {"rtol": 1e-6, "atol": 1e-8}  # central differences with eps = 1e-6


def concat(p, queries, keys):
    return additive_score(concat_params(*p, H_Q), queries, keys)


def concat_backward(p, dscores, cache):
    halves = concat_params(*p, H_Q)
    dq, dk, grads = additive_score_backward(halves, dscores, cache)
    return dq, dk, [np.hstack([grads.W_q, grads.W_k]), grads.v]


# name: forward and backward with the parameters p, and the shapes of p
SCORES = {
    "dot": (
        lambda p, q, k: dot_score(q, k),
        lambda p, ds, cache: (*dot_score_backward(ds, cache), []),
        [],
    ),
    "scaled": (
        lambda p, q, k: scaled_dot_score(q, k),
        lambda p, ds, cache: (*dot_score_backward(ds, cache), []),
        [],
    ),
    "general": (
        lambda p, q, k: general_score(*p, q, k),
        lambda p, ds, cache: general_score_backward(*p, ds, cache),
        [(H_Q, H_K)],
    ),
    "additive": (
        lambda p, q, k: additive_score(AdditiveParams(*p), q, k),
        lambda p, ds, cache: additive_score_backward(
            AdditiveParams(*p), ds, cache
        ),
        [(A, H_Q), (A, H_K), A],
    ),
    "concat": (concat, concat_backward, [(A, H_Q + H_K), A]),
}
every_score = pytest.mark.parametrize("name", SCORES)
steps = pytest.mark.parametrize("lead", [(T,), ()], ids=["all", "one"])


def make_case(name, lead=(T,), scale=1.0):
    """Params, queries, keys, values, dcontext and dweights of one score."""
    rng = np.random.default_rng(0)
    shapes = SCORES[name][2]
    p = [scale * rng.normal(size=shape) for shape in shapes]
    width = H_K if shapes else H_Q  # a dot product needs equal widths
    queries = scale * rng.normal(size=(*lead, B, H_Q))
    keys = rng.normal(size=(S, B, width))
    values = rng.normal(size=(S, B, V))
    dcontext = rng.normal(size=(*lead, B, V))
    dweights = rng.normal(size=(*lead, B, S))
    return p, queries, keys, values, dcontext, dweights


def forward(name, p, queries, keys, values, mask=MASK):
    """-> context, weights, cache of the score and of attend."""
    scores, score_cache = SCORES[name][0](p, queries, keys)
    context, weights, cache = attend(scores, values, mask)
    return context, weights, (score_cache, cache)


def backward(name, p, dcontext, dweights, caches):
    """-> dqueries, dkeys, dvalues, grads."""
    score_cache, cache = caches
    dscores, dvalues = attend_backward(dcontext, cache, dweights)
    dq, dk, grads = SCORES[name][1](p, dscores, score_cache)
    return [dq, dk, dvalues, *arrays_of(grads)]


def torch_score(name, p, q, k):
    """Scores (T, B, S), each written as its paper does, word by word."""
    columns = []
    for j in range(S):
        k_j = k[j].expand(*q.shape[:-1], k.shape[-1])
        if name in ("dot", "scaled"):
            score = (q * k_j).sum(-1)
            score = score / np.sqrt(H_Q) if name == "scaled" else score
        elif name == "general":
            score = bilinear(q, k_j, p[0][None])[..., 0]
        elif name == "additive":
            W_a, U_a, v_a = p
            a = torch.einsum("ah,...h->...a", W_a, q)
            a = a + torch.einsum("ah,...h->...a", U_a, k_j)
            score = (v_a * torch.tanh(a)).sum(-1)
        else:
            W_a, v_a = p
            both = torch.cat([q, k_j], dim=-1)
            score = torch.tanh(torch.nn.functional.linear(both, W_a)) @ v_a
        columns.append(score)
    return torch.stack(columns, dim=-1)


@every_score
@steps
def test_context_weights_and_gradients_equal_torch_autograd(name, lead):
    p, q, k, values, dcontext, dweights = make_case(name, lead)
    leaves = [torch.tensor(a, requires_grad=True) for a in (q, k, values, *p)]
    scores = torch_score(name, leaves[3:], *leaves[:2])
    scores = scores.masked_fill(~torch.tensor(MASK.T), -torch.inf)
    want_w = torch.softmax(scores, dim=-1)
    want = torch.einsum("...bs,sbv->...bv", want_w, leaves[2])
    loss = (torch.tensor(dcontext) * want).sum()
    (loss + (torch.tensor(dweights) * want_w).sum()).backward()

    context, weights, caches = forward(name, p, q, k, values)
    np.testing.assert_allclose(weights, want_w.detach(), **EXACT)
    np.testing.assert_allclose(context, want.detach(), **EXACT)
    got = backward(name, p, dcontext, dweights, caches)
    for grad, leaf in zip(got, leaves, strict=True):
        np.testing.assert_allclose(grad, leaf.grad, **EXACT)


@every_score
@steps
@pytest.mark.parametrize("scale", [0.5, 3.0], ids=["open", "saturated"])
def test_backward_matches_central_differences(name, lead, scale):
    p, q, k, values, dcontext, dweights = make_case(name, lead, scale)

    def loss():
        context, weights, _ = forward(name, p, q, k, values)
        return np.sum(dcontext * context) + np.sum(dweights * weights)

    _, _, caches = forward(name, p, q, k, values)
    got = backward(name, p, dcontext, dweights, caches)
    for grad, array in zip(got, [q, k, values, *p], strict=True):
        np.testing.assert_allclose(grad, numerical_grad(loss, array), **SLOPE)


@pytest.mark.parametrize("name", ["dot", "scaled"])
def test_dot_attention_equals_the_fused_kernel_of_torch(name):
    p, q, k, values, dcontext, _ = make_case(name)
    leaves = [torch.tensor(a, requires_grad=True) for a in (q, k, values)]
    want = scaled_dot_product_attention(
        *(leaf.transpose(0, 1) for leaf in leaves),  # batch first
        attn_mask=torch.tensor(MASK.T[:, None]),
        scale=1.0 if name == "dot" else None,
    ).transpose(0, 1)
    (torch.tensor(dcontext) * want).sum().backward()
    context, _, caches = forward(name, p, q, k, values)
    np.testing.assert_allclose(context, want.detach(), **EXACT)
    got = backward(name, p, dcontext, 0, caches)
    for grad, leaf in zip(got, leaves, strict=True):
        np.testing.assert_allclose(grad, leaf.grad, **EXACT)


@every_score
def test_one_step_equals_its_row_of_all_steps(name):
    p, q, k, values, dcontext, dweights = make_case(name)
    context, weights, caches = forward(name, p, q, k, values)
    total = backward(name, p, dcontext, dweights, caches)
    parts = []
    for t in range(T):
        context_t, weights_t, caches = forward(name, p, q[t], k, values)
        np.testing.assert_allclose(context_t, context[t], **EXACT)
        np.testing.assert_allclose(weights_t, weights[t], **EXACT)
        parts.append(backward(name, p, dcontext[t], dweights[t], caches))
    dq, *shared = zip(*parts, strict=True)
    np.testing.assert_allclose(np.stack(dq), total[0], **EXACT)
    for grads, want in zip(shared, total[1:], strict=True):
        np.testing.assert_allclose(sum(grads), want, **EXACT)


def test_softmax_runs_over_the_source_and_not_over_a_batch_of_one():
    weights = masked_softmax(np.array([[[1.0, 2.0]]]))
    np.testing.assert_allclose(weights, [[[0.2689, 0.7311]]], atol=5e-5)


@every_score
def test_each_target_word_spreads_a_weight_of_one_over_the_source(name):
    p, q, k, values, *_ = make_case(name)
    _, weights, _ = forward(name, p, q, k, values)
    assert weights.shape == (T, B, S)
    np.testing.assert_allclose(weights.sum(axis=2), 1, **EXACT)
    assert abs(weights.sum(axis=0) - 1).max() > 0.1
    assert abs(weights.sum(axis=1) - 1).max() > 0.1


def test_mask_belongs_to_the_source_and_not_to_the_target():
    source = valid_steps([3], 5, 1)  # 3 of 5 words real
    target = valid_steps([4], 6, 1)  # 4 of 6
    rng = np.random.default_rng(0)
    queries = rng.normal(size=(6, 1, H_Q))
    keys = rng.normal(size=(5, 1, H_Q))
    scores, _ = dot_score(queries, keys)
    _, weights, _ = attend(scores, keys, source)
    assert not weights[:, :, 3:].any()  # for every target word, padded or not
    assert (weights[:, :, :3] > 0).all()
    want = r"mask must be \(S, B\) = \(5, 1\) booleans, got \(6, 1\)"
    with pytest.raises(ValueError, match=want):
        attend(scores, keys, target)
    one, _ = dot_score(queries[0], keys)
    np.testing.assert_array_equal(attend(one, keys, source)[1], weights[0])
    with pytest.raises(ValueError, match=want):
        attend(one, keys, target)


def test_masked_softmax_has_its_known_values():
    scores = np.array([[1.0, 2.0, 3.0]])
    every = masked_softmax(scores)
    np.testing.assert_allclose(every, [[0.090, 0.245, 0.665]], atol=5e-4)
    two = masked_softmax(scores, np.array([[True], [True], [False]]))
    np.testing.assert_allclose(two, [[0.269, 0.731, 0]], atol=5e-4)
    assert two[0, 2] == 0


@every_score
def test_nothing_under_the_mask_changes_anything(name):
    p, q, k, values, dcontext, dweights = make_case(name)
    want, want_w, caches = forward(name, p, q, k, values)
    want_grads = backward(name, p, dcontext, dweights, caches)
    k[~MASK] = values[~MASK] = 1e9
    context, weights, caches = forward(name, p, q, k, values)
    dweights[:, ~MASK.T] = -1e9
    got = backward(name, p, dcontext, dweights, caches)
    assert np.array_equal(context, want) and np.array_equal(weights, want_w)
    for grad, want_grad in zip(got, want_grads, strict=True):
        assert np.array_equal(grad, want_grad)
    assert not got[1][~MASK].any() and not got[2][~MASK].any()


@pytest.mark.parametrize("score", [1e9, 1000.0, np.inf, np.nan])
def test_a_score_under_the_mask_is_never_read(score):
    scores = np.random.default_rng(0).normal(size=(T, B, S))
    want = masked_softmax(scores, MASK)
    scores[:, ~MASK.T] = score
    assert np.array_equal(masked_softmax(scores, MASK), want)


@every_score
def test_an_empty_source_gives_zeros_and_zero_gradients(name):
    p, q, k, values, dcontext, dweights = make_case(name)
    mask = MASK.copy()
    mask[:, 1] = False
    context, weights, caches = forward(name, p, q, k, values, mask)
    got = backward(name, p, dcontext, dweights, caches)
    assert not context[:, 1].any() and not weights[:, 1].any()
    for grad in got[:3]:  # of queries, keys and values
        assert not grad[:, 1].any()
    want, _, caches = forward(name, p, q, k, values)
    for b in (0, 2):  # the others do not notice
        assert np.array_equal(context[:, b], want[:, b])
    dcontext[:, 1] = dweights[:, 1] = 0
    without = backward(name, p, dcontext, dweights, caches)
    for grad, want_grad in zip(got, without, strict=True):
        np.testing.assert_allclose(grad, want_grad, **EXACT)


def test_scores_of_a_thousand_and_of_minus_infinity_are_safe():
    scores = np.array([[[1000.0, -1000, 1000], [-np.inf, 5, -np.inf]]])
    want = [[[0.5, 0, 0.5], [0, 1, 0]]]
    assert masked_softmax(scores).tolist() == want
    mask = np.array([[True, True], [True, False], [False, True]])
    want = [[[1, 0, 0], [0, 0, 0]]]  # all that is left in the second is -inf
    assert masked_softmax(scores, mask).tolist() == want


def test_equal_scores_average_the_real_words_and_a_large_one_picks():
    _, _, _, values, *_ = make_case("dot")
    scores = np.full((T, B, S), 7.0)
    context, _, _ = attend(scores, values, MASK)
    for b, n in enumerate(LENGTHS):
        mean = values[:n, b].mean(axis=0)
        np.testing.assert_allclose(context[:, b], [mean] * T, **EXACT)
    scores[:, :, 4] = 1000
    context, _, _ = attend(scores, values)
    assert np.array_equal(context, np.broadcast_to(values[4], (T, B, V)))


@every_score
def test_order_of_the_source_does_not_matter_to_the_context(name):
    p, q, k, values, *_ = make_case(name)
    context, weights, _ = forward(name, p, q, k, values)
    order = np.array([3, 0, 4, 2, 1])
    moved = forward(name, p, q, k[order], values[order], MASK[order])
    np.testing.assert_allclose(moved[0], context, **EXACT)
    np.testing.assert_allclose(moved[1], weights[..., order], **EXACT)


def test_concat_is_the_additive_score_with_its_matrices_side_by_side():
    p, q, k, *_ = make_case("additive")
    W_q, W_k, v = p
    both, _ = concat([np.hstack([W_q, W_k]), v], q, k)
    assert np.array_equal(both, additive_score(AdditiveParams(*p), q, k)[0])


def test_general_score_with_the_identity_is_the_dot_score():
    _, q, k, *_ = make_case("dot")
    got, _ = general_score(np.eye(H_Q), q, k)
    np.testing.assert_allclose(got, dot_score(q, k)[0], **EXACT)


@pytest.mark.parametrize("d", [16, 64, 256])
def test_dot_products_of_unit_noise_have_variance_d_until_scaled(d):
    rng = np.random.default_rng(0)
    queries, keys = rng.normal(size=(50, 20, d)), rng.normal(size=(50, 20, d))
    scores, _ = dot_score(queries, keys)  # 50 000, of 2000 vectors
    assert 0.9 < scores.var() / d < 1.1
    scaled, _ = scaled_dot_score(queries, keys)
    np.testing.assert_allclose(scaled, scores / np.sqrt(d), **EXACT)


def test_parameters_of_the_scores_at_a_thousand_units():
    n = 1000
    additive = AdditiveParams(np.zeros((n, n)), np.zeros((n, n)), np.zeros(n))
    halves = concat_params(np.zeros((n, 2 * n)), np.zeros(n), n)
    for p in (additive, halves):
        assert sum(a.size for a in arrays_of(p)) == 2_001_000


def accumulate(p, queries, keys, values):
    """Decode with coverage -> contexts, weights, caches, step by step."""
    coverage, contexts, rows, caches = np.zeros((B, S)), [], [], []
    for query in queries:
        scores, score_cache = coverage_score(p, query, keys, coverage)
        context, weights, cache = attend(scores, values, MASK)
        coverage = coverage + weights
        contexts.append(context)
        rows.append(weights)
        caches.append((score_cache, cache))
    return np.stack(contexts), np.stack(rows), caches


def accumulate_backward(p, dcontexts, dweights, caches):
    """-> dqueries, dkeys, dvalues, grads of accumulate."""
    dcoverage, dqueries, total = np.zeros((B, S)), [], None
    for t in reversed(range(len(caches))):
        score_cache, cache = caches[t]
        dw = dweights[t] + dcoverage  # weights go on into the coverage
        dscores, dv = attend_backward(dcontexts[t], cache, dw)
        dq, dk, part, grads = coverage_score_backward(p, dscores, score_cache)
        dcoverage = dcoverage + part
        dqueries.append(dq)
        step = [dk, dv, grads]
        total = step if total is None else map_params(np.add, total, step)
    return [np.stack(dqueries[::-1]), *arrays_of(total)]


def coverage_case(scale=1.0):
    rng = np.random.default_rng(2)
    shapes = (A, H_Q), (A, H_K + 1), A
    p = AdditiveParams(*(scale * rng.normal(size=s) for s in shapes))
    sizes = (T, B, H_Q), (S, B, H_K), (S, B, V), (T, B, V), (T, B, S)
    return p, *(rng.normal(size=size) for size in sizes)


@pytest.mark.parametrize("scale", [1.0, 3.0], ids=["open", "saturated"])
def test_gradient_flows_through_the_coverage_of_all_later_steps(scale):
    p, queries, keys, values, dcontexts, dweights = coverage_case(scale)
    tensors = [queries, keys, values, p.W_q, p.W_k[:, :-1], p.v, p.W_k[:, -1]]
    leaves = [torch.tensor(a, requires_grad=True) for a in tensors]
    q, h, vals, W_s, W_h, v, w_c = leaves
    coverage, loss, want = torch.zeros(B, S, dtype=torch.float64), 0, []
    for t in range(T):  # as in See et al. 2017, without their bias
        a = (h @ W_h.T).transpose(0, 1) + (q[t] @ W_s.T)[:, None]
        e = torch.tanh(a + coverage[..., None] * w_c) @ v
        weights = e.masked_fill(~torch.tensor(MASK.T), -torch.inf).softmax(-1)
        context = torch.einsum("bs,sbv->bv", weights, vals)
        coverage = coverage + weights
        loss = loss + (torch.tensor(dcontexts[t]) * context).sum()
        loss = loss + (torch.tensor(dweights[t]) * weights).sum()
        want.append(context)
    loss.backward()

    contexts, _, caches = accumulate(p, queries, keys, values)
    np.testing.assert_allclose(contexts, torch.stack(want).detach(), **EXACT)
    got = accumulate_backward(p, dcontexts, dweights, caches)
    dW_k = torch.cat([W_h.grad, w_c.grad[:, None]], dim=1)
    grads = [q.grad, h.grad, vals.grad, W_s.grad, dW_k, v.grad]
    for grad, want_grad in zip(got, grads, strict=True):
        np.testing.assert_allclose(grad, want_grad, **EXACT)


def test_coverage_backward_matches_central_differences():
    p, queries, keys, values, dcontexts, dweights = coverage_case()

    def loss():
        contexts, weights, _ = accumulate(p, queries, keys, values)
        return np.sum(dcontexts * contexts) + np.sum(dweights * weights)

    _, _, caches = accumulate(p, queries, keys, values)
    got = accumulate_backward(p, dcontexts, dweights, caches)
    arrays = [queries, keys, values, *arrays_of(p)]
    for grad, array in zip(got, arrays, strict=True):
        np.testing.assert_allclose(grad, numerical_grad(loss, array), **SLOPE)


def test_coverage_without_a_weight_changes_nothing():
    p, queries, keys, *_ = coverage_case()
    p.W_k[:, -1] = 0
    coverage = np.random.default_rng(0).uniform(size=(B, S))
    got, _ = coverage_score(p, queries[0], keys, coverage)
    plain = AdditiveParams(p.W_q, np.ascontiguousarray(p.W_k[:, :-1]), p.v)
    want, _ = additive_score(plain, queries[0], keys)
    np.testing.assert_allclose(got, want, **EXACT)


def test_a_negative_weight_of_the_coverage_moves_attention_on():
    p = AdditiveParams(np.zeros((1, 1)), np.array([[1.0, -2.0]]), np.ones(1))
    p.v *= 20
    keys = np.array([0.9, 0.6, 0.3]).reshape(3, 1, 1)
    coverage, order = np.zeros((1, 3)), []
    for _ in range(3):
        scores, _ = coverage_score(p, np.zeros((1, 1)), keys, coverage)
        weights = masked_softmax(scores)
        coverage = coverage + weights
        order.append(int(weights.argmax()))
    assert order == [0, 1, 2]


def coverage_loss_by_hand(weights):
    """See et al. 2017: sum over words of min(weight, coverage), by loops."""
    losses = np.zeros((T, B))
    for t in range(T):
        for b in range(B):
            for s in range(S):
                before = sum(weights[i, b, s] for i in range(t))
                losses[t, b] += min(weights[t, b, s], before)
    return losses


def test_coverage_loss_equals_its_definition():
    scores = 3 * np.random.default_rng(0).normal(size=(T, B, S))
    weights = masked_softmax(scores, MASK)
    losses, coverage = coverage_loss(weights)
    np.testing.assert_allclose(losses, coverage_loss_by_hand(weights), **EXACT)
    np.testing.assert_allclose(
        coverage[1:] - coverage[:-1], weights[:-1], **EXACT
    )
    assert not losses[0].any() and not coverage[0].any()


def test_coverage_loss_is_one_for_repeating_and_zero_for_moving_on():
    stay = np.tile(np.eye(1, 4), (3, 1, 1))  # the first word, three times
    assert coverage_loss(stay)[0].tolist() == [[0], [1], [1]]
    move = np.eye(3, 4)[:, None]
    assert coverage_loss(move)[0].tolist() == [[0], [0], [0]]


def test_coverage_loss_backward_equals_autograd_and_central_differences():
    rng = np.random.default_rng(1)
    mask = valid_steps([5, 2, 3], S, B)  # a lone word would always tie
    weights = masked_softmax(3 * rng.normal(size=(T, B, S)), mask)
    dlosses = rng.normal(size=(T, B))
    _, coverage = coverage_loss(weights)
    got = coverage_loss_backward(dlosses, weights, coverage)

    leaf = torch.tensor(weights, requires_grad=True)
    before = torch.cumsum(leaf, dim=0) - leaf
    losses = torch.minimum(leaf, before).sum(dim=-1)
    (torch.tensor(dlosses) * losses).sum().backward()
    real = np.broadcast_to(mask.T, weights.shape)  # elsewhere min has a kink
    np.testing.assert_allclose(got[real], leaf.grad.numpy()[real], **EXACT)
    want = numerical_grad(
        lambda: np.sum(dlosses * coverage_loss(weights)[0]), weights
    )
    np.testing.assert_allclose(got[real], want[real], **SLOPE)


@settings(deadline=None, derandomize=True, max_examples=25)
@given(st.data())
def test_example_alone_equals_itself_in_company(data):
    T, B, S, H = (data.draw(st.integers(1, 5)) for _ in range(4))
    one_length = st.integers(1, S)
    lengths = data.draw(st.lists(one_length, min_size=B, max_size=B))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    shapes = (3, H), (3, H), 3
    p = AdditiveParams(*(rng.normal(size=shape) for shape in shapes))
    queries, dcontext = rng.normal(size=(2, T, B, H))
    keys = rng.normal(size=(S, B, H))
    scores, score_cache = additive_score(p, queries, keys)
    mask = valid_steps(lengths, S, B)
    context, weights, cache = attend(scores, keys, mask)
    dscores, dvalues = attend_backward(dcontext, cache)
    dq, dk, _ = additive_score_backward(p, dscores, score_cache)
    np.testing.assert_allclose(weights.sum(axis=-1), 1, **EXACT)
    for b, n in enumerate(lengths):
        one = slice(b, b + 1)
        scores, score_cache = additive_score(p, queries[:, one], keys[:n, one])
        alone, alone_w, cache = attend(scores, keys[:n, one])
        np.testing.assert_allclose(context[:, one], alone, **EXACT)
        np.testing.assert_allclose(weights[:, one, :n], alone_w, **EXACT)
        dscores, dvalues_b = attend_backward(dcontext[:, one], cache)
        dq_b, dk_b, _ = additive_score_backward(p, dscores, score_cache)
        np.testing.assert_allclose(dq[:, one], dq_b, **EXACT)
        np.testing.assert_allclose(dk[:n, one], dk_b, **EXACT)
        np.testing.assert_allclose(dvalues[:n, one], dvalues_b, **EXACT)


@settings(deadline=None, derandomize=True, max_examples=25)
@given(st.data())
def test_weights_are_a_distribution_or_nothing_for_any_scores_and_mask(data):
    T, B, S = (data.draw(st.integers(1, 4)) for _ in range(3))
    kinds = st.sampled_from([-np.inf, -1000.0, -1.0, 0.0, 0.0, 2.0, 1000.0])
    count, cells = T * B * S, S * B
    scores = data.draw(st.lists(kinds, min_size=count, max_size=count))
    real = data.draw(st.lists(st.booleans(), min_size=cells, max_size=cells))
    scores = np.reshape(scores, (T, B, S))
    mask = np.reshape(real, (S, B))
    weights = masked_softmax(scores, mask)
    possible = mask.T & np.isfinite(scores)
    assert not weights[~possible].any()
    total = possible.any(axis=-1).astype(float)
    np.testing.assert_allclose(weights.sum(axis=-1), total, **EXACT)
    for t, b in np.ndindex(T, B):
        if possible[t, b].any():
            got, want = weights[t, b][possible[t, b]], scores[t, b]
            want = softmax(want[possible[t, b]])
            np.testing.assert_allclose(got, want, **EXACT)


@every_score
@steps
def test_float32_in_gives_float32_out(name, lead):
    case = map_params(np.float32, list(make_case(name, lead)))
    p, q, k, values, dcontext, dweights = case
    context, weights, caches = forward(name, p, q, k, values)
    with_coverage = backward(name, p, dcontext, dweights, caches)
    without = backward(name, p, dcontext, 0, caches)
    found = [context, weights, *with_coverage, *without]
    assert {a.dtype for a in found} == {np.dtype(np.float32)}


def test_coverage_in_float32_stays_float32():
    p, queries, keys, *_ = map_params(np.float32, list(coverage_case()))
    weights = masked_softmax(np.ones((T, B, S), np.float32), MASK)
    losses, coverage = coverage_loss(weights)
    dweights = coverage_loss_backward(losses, weights, coverage)
    scores, cache = coverage_score(p, queries[0], keys, coverage[2])
    grads = coverage_score_backward(p, scores, cache)
    found = [losses, coverage, dweights, scores, *arrays_of(list(grads))]
    assert {a.dtype for a in found} == {np.dtype(np.float32)}


def test_errors_name_the_argument_what_it_must_be_and_what_it_is():
    p, q, k, values, dcontext, _ = make_case("additive")
    p = AdditiveParams(*p)
    scores, score_cache = additive_score(p, q, k)
    _, weights, cache = attend(scores, values, MASK)
    short = AdditiveParams(p.W_q, p.W_k, p.v[1:])
    rows = AdditiveParams(p.W_q, p.W_k[1:], p.v)
    W = np.zeros((H_Q, H_K))
    losses, coverage = coverage_loss(weights)
    bad = [
        (lambda: masked_softmax(scores[0, 0]), r"scores .*got \(5,\)"),
        (lambda: masked_softmax(scores, MASK.T), r"mask .*got \(3, 5\)"),
        (lambda: masked_softmax(scores, MASK * 1), "mask .*got .*int64"),
        (lambda: masked_softmax(scores, MASK[0]), r"mask .*got \(3,\)"),
        (lambda: attend(scores, values[1:]), r"values .*got \(4, 3, 8\)"),
        (lambda: attend(scores, values[:, 1:]), r"values .*got \(5, 2, 8\)"),
        (lambda: attend_backward(dcontext[1:], cache), "dcontext .*got"),
        (lambda: dot_score(q, k), r"queries .*\(6, 3, 7\), got \(6, 3, 4\)"),
        (lambda: dot_score(q[0, 0], k), r"queries .*\(3, 7\), got \(4,\)"),
        (lambda: dot_score(k, k[0]), r"keys .*\(S, B, H\), got \(3, 7\)"),
        (lambda: scaled_dot_score(q, k), r"queries .*got \(6, 3, 4\)"),
        (lambda: general_score(W[0], q, k), r"W .*\(H_q, H_k\), got \(7,\)"),
        (lambda: general_score(W, q, q), r"keys .*\(S, B, 7\), got"),
        (lambda: general_score(W, k, k), r"queries .*got \(5, 3, 7\)"),
        (lambda: additive_score(short, q, k), r"v .*\(2,\), got \(1,\)"),
        (lambda: additive_score(rows, q, k), r"W_k .*got \(1, 7\)"),
        (lambda: additive_score(p, k, k), r"queries .*got \(5, 3, 7\)"),
        (lambda: additive_score(p, q, q), r"keys .*got \(6, 3, 4\)"),
        (lambda: additive_score(p, q, k.tolist()), "keys .*got a list"),
        (lambda: coverage_score(p, q[0], k, scores[0]), "keys .*, 8"),
        (lambda: coverage_loss(weights[0]), r"weights .*\(T, B, S\), got"),
        (
            lambda: additive_score_backward(p, scores[1:], score_cache),
            r"dscores .*\(6, 3, 5\), got \(5, 3, 5\)",
        ),
        (
            lambda: dot_score_backward(scores[..., 1:], dot_score(q, q)[1]),
            r"dscores .*\(6, 3, 6\), got \(6, 3, 4\)",
        ),
        (
            lambda: coverage_loss_backward(losses[1:], weights, coverage),
            r"dlosses .*\(6, 3\), got \(5, 3\)",
        ),
    ]
    for call, message in bad:
        with pytest.raises(ValueError, match=message):
            call()


def calls():
    """One call of each public function, and values that OTHER needs."""
    p, q, k, values, dcontext, dweights = make_case("additive")
    p = AdditiveParams(*p)
    scores, additive_cache = additive_score(p, q, k)
    _, _, cache = attend(scores, values, MASK)
    W = np.random.default_rng(3).normal(size=(H_Q, H_K))
    W_concat = np.random.default_rng(4).normal(size=(A, H_Q + H_K))
    keys = make_case("dot")[2]
    cover, queries, seen, *_ = coverage_case()
    _, weights, caches = accumulate(cover, queries, seen, values)
    losses, coverage = coverage_loss(weights)
    ds = np.random.default_rng(5).normal(size=scores.shape)
    return {
        masked_softmax: {"scores": scores, "mask": MASK},
        attend: {"scores": scores, "values": values, "mask": MASK},
        attend_backward: {
            "dcontext": dcontext,
            "cache": cache,
            "dweights": dweights,
        },
        dot_score: {"queries": q, "keys": keys},
        dot_score_backward: {"dscores": ds, "cache": dot_score(q, keys)[1]},
        scaled_dot_score: {"queries": q, "keys": keys},
        general_score: {"W": W, "queries": q, "keys": k},
        general_score_backward: {
            "W": W,
            "dscores": ds,
            "cache": general_score(W, q, k)[1],
        },
        concat_params: {"W": W_concat, "v": p.v, "H_q": H_Q},
        additive_score: {"p": p, "queries": q, "keys": k},
        additive_score_backward: {
            "p": p,
            "dscores": ds,
            "cache": additive_cache,
        },
        coverage_score: {
            "p": cover,
            "query": queries[0],
            "keys": seen,
            "coverage": coverage[2],
        },
        coverage_score_backward: {
            "p": cover,
            "dscores": ds[0],
            "cache": caches[0][0],
        },
        coverage_loss: {"weights": weights},
        coverage_loss_backward: {
            "dlosses": losses,
            "weights": weights,
            "coverage": coverage,
        },
    }


PUBLIC = (
    masked_softmax,
    attend,
    attend_backward,
    dot_score,
    dot_score_backward,
    scaled_dot_score,
    general_score,
    general_score_backward,
    concat_params,
    additive_score,
    additive_score_backward,
    coverage_score,
    coverage_score_backward,
    coverage_loss,
    coverage_loss_backward,
)
CALLS = {f: lambda f=f: calls()[f] for f in PUBLIC}
OTHER = {  # which of the two is the smaller must change
    (coverage_loss_backward, "weights"): lambda: np.zeros((T, B, S)),
    (coverage_loss_backward, "coverage"): lambda: np.zeros((T, B, S)),
}
