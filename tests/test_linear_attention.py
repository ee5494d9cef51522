import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from seqbook.functional import sigmoid
from seqbook.linear_attention import (
    delta_chunks,
    delta_step,
    gated_chunks,
    gated_delta_step,
    gated_step,
    linear_chunks,
    linear_step,
    masked_attention,
    matrix_loop,
    wkv,
    wkv_sum,
)

T, B, N, D, H = 11, 2, 3, 5, 4  # all different: no swapped axis can pass
EXACT = {"rtol": 1e-12, "atol": 1e-12}  # float64, sums of some 50 terms
quick = settings(deadline=None, derandomize=True, max_examples=25)
sizes = pytest.mark.parametrize("size", [1, 2, 4, 11, 20])
widths = pytest.mark.parametrize("width", [1, N], ids=["scalar", "rows"])


def make_case(T=T, seed=0):
    """q, k (T, B, N), |k| = 1, v (T, B, D), S_0 (B, N, D)."""
    rng = np.random.default_rng(seed)
    q, k = rng.normal(size=(2, T, B, N))
    k /= np.linalg.norm(k, axis=-1, keepdims=True)
    return q, k, rng.normal(size=(T, B, D)), rng.normal(size=(B, N, D))


def make_gates(T=T, width=N, scale=1.0, seed=1):
    """log_a (T, B, width), at most 0, and beta (T, B, 1) from 0 to 2."""
    rng = np.random.default_rng(seed)
    log_a = -scale * rng.uniform(0, 1, (T, B, width))
    return log_a, rng.uniform(0, 2, (T, B, 1))


def make_wkv(T=T, scale=1.0, seed=0):
    """w, u (H,), k, v (T, B, H); w at least 0."""
    rng = np.random.default_rng(seed)
    w, u = scale * rng.uniform(0, 2, H), scale * rng.normal(size=H)
    return w, u, scale * rng.normal(size=(T, B, H)), rng.normal(size=(T, B, H))


def transitions(k, a, beta):
    """The matrices (T, B, N, N) by which a step multiplies S from the left.

    (I - beta k k') diag(a), the step of every rule here; beta = 0 for the
    rules that read nothing before they write.
    """
    eye = np.eye(k.shape[-1])
    erase = eye - beta[..., None] * k[..., :, None] * k[..., None, :]
    return erase * (a * np.ones_like(k))[..., None, :]


def sum_over_paths(q, k, v, a, beta, write, S_0):
    """o by T x T products of matrices: no state is carried along."""
    M = transitions(k, a, beta)
    o = np.zeros(v.shape)
    for t, b in np.ndindex(len(q), q.shape[1]):
        row = q[t, b]  # q_t' M_t M_{t-1} ... down to M_{s+1}
        for s in range(t, -1, -1):
            o[t, b] += (row @ k[s, b]) * write[s, b] * v[s, b]
            row = row @ M[s, b]
        o[t, b] += row @ S_0[b]
    return o


ONES, ZEROS = np.ones((T, B, 1)), np.zeros((T, B, 1))


def assert_same(got, want):
    for a, b in zip(got, want, strict=True):
        np.testing.assert_allclose(a, b, **EXACT)


def test_linear_attention_is_a_causal_sum():
    q, k, v, S_0 = make_case()
    o, S = matrix_loop(linear_step, q, (k, v), 0 * S_0)
    want = np.zeros_like(o)
    for t in range(T):
        for s in range(t + 1):
            weight = np.sum(q[t] * k[s], axis=-1, keepdims=True)
            want[t] += weight * v[s]
    np.testing.assert_allclose(o, want, **EXACT)
    np.testing.assert_allclose(masked_attention(q, k, v), want, **EXACT)
    total = sum(k[t][:, :, None] * v[t][:, None] for t in range(T))
    np.testing.assert_allclose(S, total, **EXACT)


@widths
def test_every_rule_equals_the_sum_over_its_paths(width):
    q, k, v, S_0 = make_case()
    log_a, beta = make_gates(width=width)
    a = np.exp(log_a)
    rules = [
        (linear_step, (k, v), (ONES, ZEROS, ONES)),
        (gated_step, (k, v, log_a), (a, ZEROS, ONES)),
        (delta_step, (k, v, beta), (ONES, beta, beta)),
        (gated_delta_step, (k, v, log_a, beta), (a, beta, beta)),
    ]
    for step, inputs, gates in rules:
        want = sum_over_paths(q, k, v, *gates, S_0)
        o, _ = matrix_loop(step, q, inputs, S_0)
        np.testing.assert_allclose(o, want, **EXACT)


@sizes
def test_chunks_of_linear_attention_equal_its_loop(size):
    q, k, v, S_0 = make_case()
    want = matrix_loop(linear_step, q, (k, v), S_0)
    assert_same(linear_chunks(q, k, v, S_0, size), want)


@sizes
@widths
@pytest.mark.parametrize("scale", [0.1, 3.0, 1000.0])
def test_chunks_of_gated_attention_equal_its_loop(size, width, scale):
    q, k, v, S_0 = make_case()
    log_a, _ = make_gates(width=width, scale=scale)
    want = matrix_loop(gated_step, q, (k, v, log_a), S_0)
    assert_same(gated_chunks(q, k, v, log_a, S_0, size), want)


@sizes
def test_chunks_of_the_delta_rule_equal_its_loop(size):
    q, k, v, S_0 = make_case()
    _, beta = make_gates()
    want = matrix_loop(delta_step, q, (k, v, beta), S_0)
    assert_same(delta_chunks(q, k, v, beta, S_0, size), want)


@quick
@given(st.data())
def test_chunks_equal_loops_for_any_length_and_size(data):
    T, size = data.draw(st.integers(1, 12)), data.draw(st.integers(1, 14))
    seed = data.draw(st.integers(0, 99))
    q, k, v, S_0 = make_case(T, seed)
    log_a, beta = make_gates(T, data.draw(st.sampled_from([1, N])), 2, seed)
    pairs = [
        (linear_chunks, linear_step, (k, v)),
        (gated_chunks, gated_step, (k, v, log_a)),
        (delta_chunks, delta_step, (k, v, beta)),
    ]
    for chunks, step, inputs in pairs:
        want = matrix_loop(step, q, inputs, S_0)
        assert_same(chunks(q, *inputs, S_0, size), want)


def test_decay_of_minus_infinity_forgets_in_the_loop_and_in_chunks():
    q, k, v, S_0 = make_case()
    log_a, _ = make_gates()
    log_a[[0, 4, 5]] = -np.inf
    log_a[7, 1, 2] = -np.inf
    want = matrix_loop(gated_step, q, (k, v, log_a), S_0)
    for size in 1, 3, T:
        assert_same(gated_chunks(q, k, v, log_a, S_0, size), want)
    fresh = matrix_loop(gated_step, q[5:], (k[5:], v[5:], log_a[5:]), 0 * S_0)
    np.testing.assert_allclose(want[0][5:], fresh[0], **EXACT)


def test_gates_that_do_nothing_leave_the_simpler_rule():
    q, k, v, S_0 = make_case()
    log_a, beta = make_gates()
    linear = matrix_loop(linear_step, q, (k, v), S_0)
    assert_same(matrix_loop(gated_step, q, (k, v, ZEROS), S_0), linear)
    assert_same(gated_chunks(q, k, v, ZEROS, S_0, 4), linear)
    delta = matrix_loop(delta_step, q, (k, v, beta), S_0)
    both = k, v, ZEROS, beta
    assert_same(matrix_loop(gated_delta_step, q, both, S_0), delta)
    o, S = matrix_loop(gated_delta_step, q, (k, v, log_a, ZEROS), S_0)
    kept = np.exp(log_a.sum(axis=0))[..., None] * S_0
    np.testing.assert_allclose(S, kept, **EXACT)


def test_constant_decay_is_retention():
    # RetNet: o = (Q K' * D) V with D_ts = gamma**(t - s), by torch
    q, k, v, S_0 = make_case()
    gamma = 0.9
    t = torch.arange(T)
    decay = torch.tril(gamma ** (t[:, None] - t).double())
    q_t, k_t, v_t = (torch.tensor(a).transpose(0, 1) for a in (q, k, v))
    want = (q_t @ k_t.transpose(1, 2) * decay) @ v_t
    log_a = np.full((T, B, 1), np.log(gamma))
    o, _ = matrix_loop(gated_step, q, (k, v, log_a), 0 * S_0)
    np.testing.assert_allclose(o, want.transpose(0, 1), **EXACT)


def test_column_of_ones_gives_the_denominator():
    # positive features: the loop becomes an average with weights phi_q phi_k
    q, k, v, S_0 = make_case()
    phi_q, phi_k = np.exp(q), np.exp(k)
    with_ones = np.concatenate([v, ONES], axis=-1)
    start = np.zeros((B, N, D + 1))
    o, _ = matrix_loop(linear_step, phi_q, (phi_k, with_ones), start)
    weights = np.einsum("tbn,sbn->bts", phi_q, phi_k)
    weights = np.tril(weights)
    weights /= weights.sum(axis=-1, keepdims=True)
    want = np.einsum("bts,sbd->tbd", weights, v)
    np.testing.assert_allclose(o[..., :-1] / o[..., -1:], want, **EXACT)


def test_delta_rule_replaces_what_linear_attention_adds_up():
    key = np.zeros((2, 1, N))
    key[:, :, 1] = 1
    v = np.array([[[1.0, 2]], [[10, 20]]])
    S_0, beta = np.zeros((1, N, 2)), np.ones((2, 1, 1))
    added, _ = matrix_loop(linear_step, key, (key, v), S_0)
    replaced, _ = matrix_loop(delta_step, key, (key, v, beta), S_0)
    assert added[1].tolist() == [[11, 22]]
    assert replaced[1].tolist() == [[10, 20]]


def test_orthogonal_keys_are_recalled_up_to_the_width_of_the_state():
    k = np.eye(N)[:, None]  # N keys for N rows: full
    v = np.random.default_rng(0).normal(size=(N, 1, D))
    S_0, beta = np.zeros((1, N, D)), np.ones((N, 1, 1))
    for step, inputs in (linear_step, (k, v)), (delta_step, (k, v, beta)):
        _, S = matrix_loop(step, k, inputs, S_0)
        recalled = np.einsum("tbn,bnd->tbd", k, S)
        np.testing.assert_allclose(recalled, v, **EXACT)


def test_delta_step_is_a_step_of_gradient_descent_on_the_error():
    _, k, v, S_0 = make_case()
    _, beta = make_gates()
    S = torch.tensor(S_0, requires_grad=True)
    read = torch.einsum("bn,bnd->bd", torch.tensor(k[0]), S)
    (0.5 * (read - torch.tensor(v[0])) ** 2).sum().backward()
    want = S_0 - beta[0][..., None] * S.grad.numpy()
    got = delta_step(S_0, k[0], v[0], beta[0])
    np.testing.assert_allclose(got, want, **EXACT)


def test_beta_above_one_can_flip_a_sign_and_count_parity():
    # eigenvalue 1 - beta |k|**2 = -1 along the key, v = 0
    ones = np.array([1, 0, 1, 1, 0, 1, 1.0])
    beta = (2 * ones)[:, None, None]
    k = np.ones((7, 1, 1))
    o, _ = matrix_loop(delta_step, k, (k, 0 * k, beta), np.ones((1, 1, 1)))
    np.testing.assert_allclose(o[:, 0, 0], (-1) ** np.cumsum(ones), **EXACT)


def test_delta_rule_diverges_once_beta_times_the_squared_key_passes_two():
    k, beta = np.ones((40, 1, 1)), np.ones((40, 1, 1))
    for factor, limit in (1.9, 0.02), (2.1, np.inf):
        _, S = matrix_loop(
            delta_step, k, (k, 0 * k, factor * beta), np.ones((1, 1, 1))
        )
        assert abs(S.item()) < limit
        assert S.item() == pytest.approx((1 - factor) ** 40, rel=1e-12)
    assert S.item() > 40


def test_state_of_a_first_part_continues_the_sequence_by_either_way():
    q, k, v, S_0 = make_case()
    log_a, _ = make_gates()
    o, S = matrix_loop(gated_step, q, (k, v, log_a), S_0)
    first, S_5 = gated_chunks(q[:5], k[:5], v[:5], log_a[:5], S_0, 3)
    rest = matrix_loop(gated_step, q[5:], (k[5:], v[5:], log_a[5:]), S_5)
    assert_same((np.concatenate([first, rest[0]]), rest[1]), (o, S))


@quick
@given(st.data())
def test_wkv_equals_its_weighted_sum(data):
    T = data.draw(st.integers(1, 12))
    scale = data.draw(st.sampled_from([0.1, 1.0, 1000.0]))
    w, u, k, v = make_wkv(T, scale, data.draw(st.integers(0, 99)))
    got, want = wkv(w, u, k, v), wkv_sum(w, u, k, v)
    np.testing.assert_allclose(got, want, **EXACT)
    low = np.minimum.accumulate(v, axis=0)
    high = np.maximum.accumulate(v, axis=0)
    assert (got >= low - 1e-12).all() and (got <= high + 1e-12).all()


def test_wkv_equals_the_formula_of_the_paper_term_by_term():
    w, u, k, v = make_wkv()
    for t, b, c in np.ndindex(T, B, H):
        above = below = 0.0
        for s in range(t):
            weight = np.exp(-(t - 1 - s) * w[c] + k[s, b, c])
            above, below = above + weight * v[s, b, c], below + weight
        now = np.exp(u[c] + k[t, b, c])
        want = (above + now * v[t, b, c]) / (below + now)
        for y in wkv(w, u, k, v), wkv_sum(w, u, k, v):
            assert y[t, b, c] == pytest.approx(want, rel=1e-12, abs=1e-12)


def test_wkv_is_a_gated_average():
    # the state as an average m and the logarithm of its weight, l: how much
    # is overwritten is a sigmoid of how far the new key stands above l
    w, u, k, v = make_wkv()
    y = wkv(w, u, k, v)
    m, log_weight = v[0], k[0]
    for t in range(1, T):
        z = sigmoid(u + k[t] - log_weight)
        np.testing.assert_allclose(y[t], (1 - z) * m + z * v[t], **EXACT)
        z = sigmoid(k[t] - (log_weight - w))
        m = (1 - z) * m + z * v[t]
        log_weight = np.logaddexp(log_weight - w, k[t])


def test_wkv_without_decay_or_bonus_is_a_running_softmax():
    _, _, k, v = make_wkv()
    zero = np.zeros(H)
    e = np.exp(k)
    want = np.cumsum(e * v, axis=0) / np.cumsum(e, axis=0)
    np.testing.assert_allclose(wkv(zero, zero, k, v), want, **EXACT)


def test_wkv_of_the_first_step_is_its_value_and_shifts_of_k_cancel():
    w, u, k, v = make_wkv()
    y = wkv(w, u, k, v)
    np.testing.assert_allclose(y[0], v[0], **EXACT)
    shifted = wkv(w, u, k + 1000, v)  # exp(1000) would overflow
    np.testing.assert_allclose(shifted, y, 1e-11, 1e-11)  # 1000 costs bits


def test_float32_in_gives_float32_out():
    q, k, v, S_0 = map(np.float32, make_case())
    log_a, beta = map(np.float32, make_gates())
    both = k, v, log_a, beta
    found = [*matrix_loop(linear_step, q, (k, v), S_0)]
    found += [*matrix_loop(gated_delta_step, q, both, S_0)]
    found += [masked_attention(q, k, v), *linear_chunks(q, k, v, S_0, 3)]
    found += gated_chunks(q, k, v, log_a, S_0, 3)
    found += delta_chunks(q, k, v, beta, S_0, 3)
    w_u_k_v = [*map(np.float32, make_wkv())]
    found += [wkv(*w_u_k_v), wkv_sum(*w_u_k_v)]
    assert {a.dtype for a in found} == {np.dtype(np.float32)}


def test_nothing_given_is_changed():
    arrays = [*make_case(), *make_gates()]
    q, k, v, S_0, log_a, beta = arrays
    kept = [a.copy() for a in arrays]
    matrix_loop(gated_delta_step, q, (k, v, log_a, beta), S_0)
    linear_chunks(q, k, v, S_0, 4)
    gated_chunks(q, k, v, log_a, S_0, 4)
    delta_chunks(q, k, v, beta, S_0, 4)
    for array, copy in zip(arrays, kept, strict=True):
        assert np.array_equal(array, copy)


def test_errors_name_the_argument_what_it_must_be_and_what_it_is():
    q, k, v, S_0 = make_case()
    log_a, beta = make_gates()
    w, u, keys, values = make_wkv()
    loop, step = matrix_loop, linear_step
    long_beta = np.concatenate([beta, beta])
    bad = [
        (lambda: loop(step, q[0], (k, v), S_0), r"q .*\(T, B, N\), got"),
        (lambda: loop(step, q, (k[1:], v), S_0), r"inputs\[0\] .*\(11, 2, 3"),
        (lambda: loop(step, q, (v, k), S_0), r"inputs\[0\] .*got \(11, 2, 5"),
        (lambda: loop(step, q, (k, v), S_0[:, 1:]), r"S_0 .*\(2, 3, D\), got"),
        (lambda: loop(step, q[:0], (k, v), S_0), "T must be .*got 0"),
        (lambda: linear_chunks(q, k, v, S_0, 0), "size must be .*got 0"),
        (lambda: linear_chunks(q, k, v[1:], S_0, 2), r"v .*\(11, 2, 5\), got"),
        (lambda: gated_chunks(q, k, v, -log_a, S_0, 2), "log_a must be at mo"),
        (lambda: gated_chunks(q, k, v, log_a[1:], S_0, 2), r"log_a .*\(11, "),
        (lambda: delta_chunks(q, k, v, long_beta, S_0, 2), r"beta .*got \(22"),
        (lambda: wkv(w, u, keys[0], values), r"k .*\(T, B, 4\), got \(2, 4"),
        (lambda: wkv_sum(w, u, keys, values[1:]), r"v .*\(11, 2, 4\), got"),
    ]
    for call, message in bad:
        with pytest.raises(ValueError, match=message):
            call()


def _some(names, **more):
    q, k, v, S_0 = make_case()
    log_a, beta = make_gates()
    log_a = log_a - 1  # well below 0, so that a small change stays there
    found = {"q": q, "k": k, "v": v, "S_0": S_0}
    found |= {"log_a": log_a, "beta": beta}
    return {name: found[name] for name in names.split()} | more


def _step(names):
    """One time step of the arrays, under the names of a step's arguments."""
    found = _some(names)
    renamed = {f"{name}_t": array[0] for name, array in found.items()}
    return {"S": make_case()[3]} | renamed


def _wkv():
    return dict(zip("wukv", make_wkv(), strict=True))


CALLS = {
    linear_step: lambda: _step("k v"),
    gated_step: lambda: _step("k v log_a"),
    delta_step: lambda: _step("k v beta"),
    gated_delta_step: lambda: _step("k v log_a beta"),
    matrix_loop: lambda: {
        "step": gated_delta_step,
        **_some("q", inputs=tuple(_some("k v log_a beta").values())),
        **_some("S_0"),
    },
    masked_attention: lambda: _some("q k v"),
    linear_chunks: lambda: _some("q k v S_0", size=4),
    gated_chunks: lambda: _some("q k v log_a S_0", size=4),
    delta_chunks: lambda: _some("q k v beta S_0", size=4),
    wkv: _wkv,
    wkv_sum: _wkv,
}
OTHER = {
    (matrix_loop, "step"): lambda: lambda S, k, v, *_: linear_step(S, k, v),
    # the size of a chunk changes only what is rounded, and how
    (linear_chunks, "size"): lambda: 1,
    (gated_chunks, "size"): lambda: 1,
    (delta_chunks, "size"): lambda: 1,
}
