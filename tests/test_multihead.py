import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn.functional import scaled_dot_product_attention

from seqbook.functional import softmax
from seqbook.gradcheck import numerical_grad
from seqbook.multihead import (
    MultiHeadParams,
    init_multihead,
    multihead_backward,
    multihead_forward,
    multihead_step,
)
from seqbook.params import arrays_of, map_params

# All different, so a swapped axis cannot pass; H / HEADS is 4.
T, B, D, H, HEADS = 6, 3, 5, 8, 2
CAUSAL = np.tri(T, dtype=bool)
WINDOW = CAUSAL & ~np.tri(T, k=-2, dtype=bool)  # itself and one before
EXACT = {"rtol": 1e-12, "atol": 1e-12}  # float64, sums of some 30 terms
every_mask = pytest.mark.parametrize(
    "mask", [None, CAUSAL, WINDOW], ids=["all", "causal", "window"]
)


def make_case(D=D, scale=0.6):
    """Params with random biases, x and dy (T, B, D)."""
    rng = np.random.default_rng(0)
    p = map_params(
        lambda a: scale * rng.normal(size=a.shape),
        init_multihead(rng, D, H),
    )
    return p, *rng.normal(size=(2, T, B, D))


@pytest.mark.parametrize("mask", [None, CAUSAL], ids=["all", "causal"])
@pytest.mark.parametrize("heads", [1, 2, 8])
def test_forward_and_gradients_equal_torch_module(heads, mask):
    p, x, dy = make_case(D=H)  # torch has one width for both
    net = torch.nn.MultiheadAttention(H, heads).double()
    stack = [p.W_q, p.W_k, p.W_v], [p.b_q, p.b_k, p.b_v]
    weight, bias = (torch.tensor(np.concatenate(part)) for part in stack)
    out = {"out_proj.weight": p.W_o, "out_proj.bias": p.b_o}
    net.load_state_dict(
        {"in_proj_weight": weight, "in_proj_bias": bias}
        | {name: torch.tensor(a) for name, a in out.items()}
    )
    leaf = torch.tensor(x, requires_grad=True)
    hidden = None if mask is None else torch.tensor(~mask)  # True: not read
    want, want_w = net(
        leaf, leaf, leaf, attn_mask=hidden, average_attn_weights=False
    )
    (torch.tensor(dy) * want).sum().backward()

    y, weights, cache = multihead_forward(p, x, heads, mask)
    np.testing.assert_allclose(y, want.detach(), **EXACT)
    want_w = want_w.detach().permute(2, 0, 1, 3)  # from (B, heads, T, S)
    np.testing.assert_allclose(weights, want_w, **EXACT)
    dx, grads = multihead_backward(p, dy, cache)
    np.testing.assert_allclose(dx, leaf.grad, **EXACT)
    stack = (
        [grads.W_q, grads.W_k, grads.W_v],
        [grads.b_q, grads.b_k, grads.b_v],
    )
    in_proj = net.in_proj_weight.grad, net.in_proj_bias.grad
    for part, want_grad in zip(stack, in_proj, strict=True):
        np.testing.assert_allclose(np.concatenate(part), want_grad, **EXACT)
    np.testing.assert_allclose(grads.W_o, net.out_proj.weight.grad, **EXACT)
    np.testing.assert_allclose(grads.b_o, net.out_proj.bias.grad, **EXACT)


@every_mask
def test_forward_and_gradients_equal_the_fused_kernel_of_torch(mask):
    p, x, dy = make_case()
    leaves = [torch.tensor(a, requires_grad=True) for a in (x, *arrays_of(p))]
    leaf, W_q, b_q, W_k, b_k, W_v, b_v, W_o, b_o = leaves
    pairs = (W_q, b_q), (W_k, b_k), (W_v, b_v)
    q, k, v = (
        (leaf @ W.T + b).reshape(T, B, HEADS, -1).permute(1, 2, 0, 3)
        for W, b in pairs
    )
    attn_mask = None if mask is None else torch.tensor(mask)
    heads = scaled_dot_product_attention(q, k, v, attn_mask=attn_mask)
    want = torch.cat(list(heads.transpose(0, 1)), dim=-1) @ W_o.T + b_o
    want = want.transpose(0, 1)  # (T, B, D)
    (torch.tensor(dy) * want).sum().backward()

    y, _, cache = multihead_forward(p, x, HEADS, mask)
    np.testing.assert_allclose(y, want.detach(), **EXACT)
    dx, grads = multihead_backward(p, dy, cache)
    for grad, leaf in zip([dx, *arrays_of(grads)], leaves, strict=True):
        np.testing.assert_allclose(grad, leaf.grad, **EXACT)


@every_mask
@pytest.mark.parametrize("scale", [0.6, 2.0], ids=["open", "saturated"])
def test_backward_matches_central_differences(mask, scale):
    p, x, dy = make_case(scale=scale)
    _, _, cache = multihead_forward(p, x, HEADS, mask)
    dx, grads = multihead_backward(p, dy, cache)

    def loss():
        return np.sum(dy * multihead_forward(p, x, HEADS, mask)[0])

    got = {"x": dx, **vars(grads)}
    for name, array in {"x": x, **vars(p)}.items():
        want = numerical_grad(loss, array)
        # b_k moves all scores of a row alike: its gradient is zero
        np.testing.assert_allclose(got[name], want, 1e-6, 1e-7, err_msg=name)
    np.testing.assert_allclose(grads.b_k, 0, atol=1e-11)


def run_steps(p, x, heads=HEADS):
    """One step at a time -> y (T, B, D), kv after each step."""
    kv = np.zeros((2, 0, x.shape[1], len(p.W_q)), x.dtype)
    outputs, caches = [], []
    for x_t in x:
        y_t, kv = multihead_step(p, x_t, kv, heads)
        outputs.append(y_t)
        caches.append(kv)
    return np.stack(outputs), caches


@pytest.mark.parametrize("heads", [1, 2, 4, 8])
def test_step_with_cache_equals_all_steps_without_at_every_step(heads):
    p, x, _ = make_case()
    want, _, _ = multihead_forward(p, x, heads, CAUSAL)
    y, _ = run_steps(p, x, heads)
    for t in range(T):
        np.testing.assert_allclose(y[t], want[t], **EXACT)
        n = t + 1  # and to the run that has seen no more than this
        seen, _, _ = multihead_forward(p, x[:n], heads)
        np.testing.assert_allclose(y[t], seen[t], **EXACT)


def test_cache_holds_the_keys_and_values_and_grows_by_one_step():
    p, x, _ = make_case()
    _, caches = run_steps(p, x)
    for n, kv in enumerate(caches, start=1):
        assert kv.shape == (2, n, B, H)
        assert kv.nbytes == 2 * n * B * H * 8
    keys, values = caches[-1]
    np.testing.assert_allclose(keys, x @ p.W_k.T + p.b_k, **EXACT)
    np.testing.assert_allclose(values, x @ p.W_v.T + p.b_v, **EXACT)


def test_one_head_is_scaled_dot_attention():
    p, x, _ = make_case()
    y, weights, _ = multihead_forward(p, x, 1)
    for b in range(B):
        q, k, v = (
            x[:, b] @ W.T + bias
            for W, bias in ((p.W_q, p.b_q), (p.W_k, p.b_k), (p.W_v, p.b_v))
        )
        rows = softmax(q @ k.T / np.sqrt(H))
        np.testing.assert_allclose(weights[:, b, 0], rows, **EXACT)
        want = rows @ v @ p.W_o.T + p.b_o
        np.testing.assert_allclose(y[:, b], want, **EXACT)


def test_output_is_the_sum_of_what_each_head_alone_writes():
    p, x, _ = make_case()
    y, weights, _ = multihead_forward(p, x, HEADS)
    want = p.b_o
    for n in range(HEADS):
        rows = slice(n * H // HEADS, (n + 1) * H // HEADS)
        halves = [a[rows] for a in arrays_of(p)[:6]]
        one = MultiHeadParams(*halves, p.W_o[:, rows], np.zeros(D))
        part, part_w, _ = multihead_forward(one, x, 1)
        np.testing.assert_allclose(weights[:, :, n], part_w[:, :, 0], **EXACT)
        want = want + part
    np.testing.assert_allclose(y, want, **EXACT)


def test_without_a_mask_a_permutation_of_inputs_permutes_the_outputs():
    p, x, _ = make_case()
    order = np.array([3, 0, 5, 1, 4, 2])
    y, _, _ = multihead_forward(p, x, HEADS)
    moved, _, _ = multihead_forward(p, x[order], HEADS)
    np.testing.assert_allclose(moved, y[order], **EXACT)
    y, _, _ = multihead_forward(p, x, HEADS, CAUSAL)
    moved, _, _ = multihead_forward(p, x[order], HEADS, CAUSAL)
    assert abs(moved - y[order]).max() > 0.1  # the mask knows the order


def test_causal_step_sees_nothing_of_what_comes_later():
    p, x, dy = make_case()
    y, weights, cache = multihead_forward(p, x, HEADS, CAUSAL)
    assert not weights.transpose(1, 2, 0, 3)[..., ~CAUSAL].any()
    dy[3:] = 0  # a loss on the first three steps alone
    dx, _ = multihead_backward(p, dy, cache)
    assert dx[:3].any() and not dx[3:].any()
    x[3:] = 1e9
    later, _, _ = multihead_forward(p, x, HEADS, CAUSAL)
    np.testing.assert_allclose(later[:3], y[:3], **EXACT)


def test_step_that_may_read_nothing_writes_the_bias():
    p, x, dy = make_case()
    mask = CAUSAL.copy()
    mask[2] = False
    y, weights, cache = multihead_forward(p, x, HEADS, mask)
    assert (y[2] == p.b_o).all() and not weights[2].any()
    dx, grads = multihead_backward(p, dy, cache)
    assert all(np.isfinite(a).all() for a in arrays_of([dx, grads]))
    np.testing.assert_allclose(grads.b_o, dy.sum(axis=(0, 1)), **EXACT)


@pytest.mark.parametrize("mask", [None, CAUSAL], ids=["all", "causal"])
def test_weights_of_every_head_sum_to_one_over_the_keys(mask):
    p, x, _ = make_case()
    for scale in (1, 1000):  # scores up to some millions
        _, weights, _ = multihead_forward(p, scale * x, HEADS, mask)
        assert weights.shape == (T, B, HEADS, T)
        np.testing.assert_allclose(weights.sum(axis=-1), 1, **EXACT)


@settings(deadline=None, derandomize=True, max_examples=25)
@given(st.data())
def test_example_alone_equals_itself_in_company_and_step_by_step(data):
    T, B, D, d, heads = (data.draw(st.integers(1, 4)) for _ in range(5))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    p = init_multihead(rng, D, d * heads)
    x, dy = rng.normal(size=(2, T, B, D))
    mask = np.tri(T, dtype=bool)
    y, _, cache = multihead_forward(p, x, heads, mask)
    dx, _ = multihead_backward(p, dy, cache)
    np.testing.assert_allclose(run_steps(p, x, heads)[0], y, **EXACT)
    for b in range(B):
        one = slice(b, b + 1)
        alone, _, cache = multihead_forward(p, x[:, one], heads, mask)
        np.testing.assert_allclose(y[:, one], alone, **EXACT)
        dx_b, _ = multihead_backward(p, dy[:, one], cache)
        np.testing.assert_allclose(dx[:, one], dx_b, **EXACT)


def test_float32_in_gives_float32_out():
    p, x, dy = map_params(np.float32, list(make_case()))
    y, weights, cache = multihead_forward(p, x, HEADS, CAUSAL)
    found = [y, weights, *arrays_of(list(multihead_backward(p, dy, cache)))]
    stepped, caches = run_steps(p, x)
    found += [stepped, *caches]
    assert {a.dtype for a in found} == {np.dtype(np.float32)}


def test_initial_weights_fill_the_interval_of_their_inputs():
    p = init_multihead(np.random.default_rng(0), 25, 100)
    shapes = [(100, 25), (100,)] * 3 + [(25, 100), (25,)]
    assert [a.shape for a in arrays_of(p)] == shapes
    for name, a in vars(p).items():
        end = 0.1 if name in ("W_o", "b_o") else 0.2  # 1 / sqrt(25)
        near = 0.95 * end if a.ndim == 2 else 0.8 * end  # 25 draws in b_o
        assert -end <= a.min() < -near and near < a.max() <= end


def test_errors_name_the_argument_what_it_must_be_and_what_it_is():
    p, x, dy = make_case()
    _, _, cache = multihead_forward(p, x, HEADS)
    mask, step = np.ones((T, T - 1), bool), np.zeros((2, 1, B, H))
    rng = np.random.default_rng(0)
    bad = [
        (lambda: multihead_forward(p, x[0], 2), r"x .*\(T, B, 5\), got"),
        (lambda: multihead_forward(p, x[..., 1:], 2), r"x .*got \(6, 3, 4\)"),
        (lambda: multihead_forward(p, x, 3), "heads must divide H = 8, got 3"),
        (lambda: multihead_forward(p, x, 0), "heads must divide H = 8, got 0"),
        (
            lambda: multihead_forward(p, x, 2, mask),
            r"mask must be \(T, T\) = \(6, 6\) booleans, got \(6, 5\) of bool",
        ),
        (lambda: multihead_forward(p, x, 2, CAUSAL * 1), "mask .*got .*int64"),
        (
            lambda: multihead_backward(p, dy[1:], cache),
            r"dy .*got \(5, 3, 5\)",
        ),
        (lambda: multihead_step(p, x[0], step, 3), "heads must divide H = 8"),
        (lambda: multihead_step(p, x[0, :, 1:], step, 2), r"x .*got \(3, 4\)"),
        (lambda: init_multihead(rng, 0, 8), "D must be .* at least 1, got 0"),
        (lambda: init_multihead(rng, 5, 0), "H must be .* at least 1, got 0"),
    ]
    for call, message in bad:
        with pytest.raises(ValueError, match=message):
            call()


def calls():
    """One call of each public function."""
    p, x, dy = make_case()
    cache = multihead_forward(p, x, HEADS, CAUSAL)[2]
    return {
        init_multihead: {"rng": np.random.default_rng(0), "D": 3, "H": 4},
        multihead_forward: {"p": p, "x": x, "heads": HEADS, "mask": CAUSAL},
        multihead_backward: {"p": p, "dy": dy, "cache": cache},
        multihead_step: {
            "p": p,
            "x_t": x[3],
            "kv": run_steps(p, x[:3])[1][-1],
            "heads": HEADS,
        },
    }


PUBLIC = (
    init_multihead,
    multihead_forward,
    multihead_backward,
    multihead_step,
)
CALLS = {f: lambda f=f: calls()[f] for f in PUBLIC}
OTHER = {  # 3 does not divide 8
    (multihead_forward, "heads"): lambda: 4,
    (multihead_step, "heads"): lambda: 4,
}
