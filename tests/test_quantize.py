import numpy as np
import pytest
import scipy.linalg
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from seqbook.gru import init_gru
from seqbook.lstm import init_lstm, lstm_forward
from seqbook.params import arrays_of, map_params
from seqbook.quantize import (
    fake_quantize,
    low_rank,
    pack_int4,
    quantize_rows,
    quantize_tensor,
    unpack_int4,
)

M, N = 5, 7
BITS = {8: 127, 4: 7}  # the largest level of each
finite = st.floats(
    -(2.0**99), 2.0**99, width=32
)  # subnormals and zeros included


def make_W(M=M, N=N, dtype=float):
    """Rows of very different sizes, as an outlier makes them."""
    rng = np.random.default_rng(0)
    W = rng.normal(size=(M, N)) * 10.0 ** np.arange(M)[:, None]
    return W.astype(dtype)


def test_an_outlier_costs_the_small_weights_their_values():
    W = np.array([-1, 0, 0.5, 100])
    q, scale = quantize_tensor(W)
    assert q.tolist() == [-1, 0, 1, 127] and q.dtype == np.int8
    assert scale.shape == (1,) and round(scale.item(), 4) == 0.7874
    np.testing.assert_allclose(q * scale, [-0.7874, 0, 0.7874, 100], 1e-4)
    q, scale = quantize_tensor(W[:3])  # without it
    assert np.abs(q * scale - W[:3]).max() <= scale / 2 < 0.004


@pytest.mark.parametrize("bits", BITS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_equal_fake_quantize_of_torch(bits, dtype):
    W, top = make_W(dtype=dtype), BITS[bits]
    q, scale = quantize_rows(W, bits)
    want = torch.fake_quantize_per_channel_affine(
        torch.tensor(W),
        torch.tensor(scale[:, 0].astype(np.float32)),  # all that torch takes
        torch.zeros(M, dtype=torch.int32),
        0,
        -top,
        top,
    )
    assert q.dtype == np.int8 and scale.dtype == dtype
    np.testing.assert_allclose(q * scale, want, 1e-6)


@pytest.mark.parametrize("bits", BITS)
def test_tensor_equals_fake_quantize_of_torch(bits):
    W, top = make_W(dtype=np.float32), BITS[bits]
    q, scale = quantize_tensor(W, bits)
    want = torch.fake_quantize_per_tensor_affine(
        torch.tensor(W), scale.item(), 0, -top, top
    )
    assert scale.shape == (1, 1)
    np.testing.assert_allclose(q * scale, want, 1e-6)


def test_halves_round_to_even_as_in_torch():
    W = np.array([0.5, 1.5, 2.5, -0.5, -1.5, 127], np.float32)  # scale 1
    q, scale = quantize_tensor(W)
    assert q.tolist() == [0, 2, 2, 0, -2, 127] and scale == 1
    want = torch.fake_quantize_per_tensor_affine(
        torch.tensor(W), 1.0, 0, -127, 127
    )
    assert q.tolist() == want.tolist()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@settings(deadline=None, derandomize=True, max_examples=25)
@given(st.data())
def test_no_weight_moves_by_more_than_half_a_scale(dtype, data):
    shape = data.draw(st.tuples(st.integers(1, 4), st.integers(1, 5)))
    W = data.draw(arrays(np.float32, shape, elements=finite)).astype(dtype)
    bits = data.draw(st.integers(2, 8))
    top = 2 ** (bits - 1) - 1
    slack = 1 + 300 * np.finfo(dtype).eps  # q * scale rounds at 127 scales
    for quantize in (quantize_rows, quantize_tensor):
        q, scale = quantize(W, bits)
        assert np.abs(q).max() <= top and scale.dtype == dtype
        error = np.abs(q.astype(float) * scale - W.astype(float))
        assert (error <= slack * scale.astype(float) / 2).all()
        np.testing.assert_array_equal(q[W == 0], 0)  # no zero point


def test_row_of_zeros_stays_zero_and_other_rows_do_not_notice():
    W = make_W()
    want, want_scale = quantize_rows(W)
    W[2] = 0
    q, scale = quantize_rows(W)
    assert not q[2].any() and np.isfinite(scale).all()
    keep = [0, 1, 3, 4]
    np.testing.assert_array_equal(q[keep], want[keep])
    np.testing.assert_array_equal(scale[keep], want_scale[keep])
    q, scale = quantize_tensor(np.zeros(3))
    assert not q.any() and np.isfinite(scale).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_row_too_small_to_have_a_scale_becomes_zero(dtype):
    least = np.finfo(dtype).smallest_subnormal
    W = np.array([[150, -1], [1, 0]], dtype) * least  # 150 / 127 rounds to 1
    q, scale = quantize_rows(W)
    assert not q.any() and scale.dtype == dtype
    assert (np.abs(W) <= scale / 2).all()


def test_a_scale_for_each_row_beats_one_for_all():
    W = make_W()
    by_row, by_tensor = (
        np.abs(np.multiply(*quantize(W)) - W)[0].max()
        for quantize in (quantize_rows, quantize_tensor)
    )
    assert by_row < by_tensor / 100  # the rows differ by powers of ten


def test_quantizing_again_changes_nothing():
    W = make_W()
    once = np.multiply(*quantize_rows(W, 4))
    np.testing.assert_allclose(np.multiply(*quantize_rows(once, 4)), once)


def lstm_errors(seed, bits, T=200, D=64, H=128):
    """Relative errors of h: over all steps, at step 10, at step 190."""
    rng = np.random.default_rng(seed)
    p, zero = init_lstm(rng, D, H), np.zeros((1, H))
    x = rng.normal(size=(T, 1, D))
    want = lstm_forward(p, x, zero, zero)[0]
    h = lstm_forward(fake_quantize(p, bits), x, zero, zero)[0]
    return [
        np.linalg.norm(h[t] - want[t]) / np.linalg.norm(want[t])
        for t in (slice(None), 10, 190)
    ]


def test_lstm_loses_little_to_int8_more_to_int4_and_nothing_to_time():
    int8 = np.array([lstm_errors(seed, 8) for seed in range(5)])
    int4 = np.array([lstm_errors(seed, 4) for seed in range(5)])
    np.testing.assert_allclose(int8[:, 0], 0.0040, rtol=0.1)
    np.testing.assert_allclose(int4[:, 0], 0.072, rtol=0.1)
    for errors in (int8, int4):  # medians: one step is one draw
        all_steps, early, late = np.median(errors, axis=0)
        assert 0.8 < late / early < 1.25 and 0.8 < late / all_steps < 1.25


@pytest.mark.parametrize(
    "p",
    [
        init_lstm(np.random.default_rng(0), 3, 4),
        init_gru(np.random.default_rng(0), 3, 4),
        [init_lstm(np.random.default_rng(layer), 4, 4) for layer in (0, 1)],
    ],
)
def test_fake_quantize_rounds_matrices_and_leaves_biases(p):
    got = fake_quantize(p, 4)
    assert type(got) is type(p)
    for array, found in zip(arrays_of(p), arrays_of(got), strict=True):
        want = array
        if array.ndim == 2:
            q, scale = quantize_rows(array, 4)
            want = q * scale
        np.testing.assert_array_equal(found, want)


@settings(deadline=None, derandomize=True, max_examples=25)
@given(st.data())
def test_packing_halves_the_bytes_and_loses_nothing(data):
    M, N = (data.draw(st.integers(1, 6)) for _ in range(2))
    q = data.draw(arrays(np.int8, (M, N), elements=st.integers(-8, 7)))
    packed = pack_int4(q)
    assert packed.dtype == np.uint8 and packed.nbytes == M * ((N + 1) // 2)
    got = unpack_int4(packed, N)
    assert got.dtype == np.int8
    np.testing.assert_array_equal(got, q)
    for m, row in enumerate(q.tolist()):  # by hand, as text
        bits = [format(value & 15, "04b") for value in row] + ["0000"]
        for n in range(packed.shape[1]):
            assert int(bits[2 * n + 1] + bits[2 * n], 2) == packed[m, n]


@pytest.mark.parametrize("shape", [(5, 7), (7, 5), (6, 6)])
@pytest.mark.parametrize("rank", [1, 3, 5])
def test_low_rank_error_is_what_eckart_and_young_say(shape, rank):
    W = np.random.default_rng(0).normal(size=shape)
    A, B = low_rank(W, rank)
    assert A.shape == (shape[0], rank) and B.shape == (rank, shape[1])
    dropped = scipy.linalg.svdvals(W)[rank:]
    error = W - A @ B
    np.testing.assert_allclose(
        np.linalg.norm(error), np.sqrt(np.sum(dropped**2)), atol=1e-12
    )
    np.testing.assert_allclose(
        np.linalg.norm(error, 2), max(dropped, default=0), atol=1e-12
    )


def test_no_other_low_rank_copy_is_nearer():
    rng = np.random.default_rng(0)
    W = rng.normal(size=(M, N))
    A, B = low_rank(W, 2)
    least = np.linalg.norm(W - A @ B)
    for _ in range(20):  # alternating least squares from a random start
        other = rng.normal(size=(2, N))
        for _ in range(30):
            left = np.linalg.lstsq(other.T, W.T, rcond=None)[0].T
            other = np.linalg.lstsq(left, W, rcond=None)[0]
        assert np.linalg.norm(W - left @ other) > least * (1 - 1e-12)


def test_low_rank_of_low_rank_is_exact():
    A, B = low_rank(make_W(), 3)
    again = np.matmul(*low_rank(A @ B, 3))
    np.testing.assert_allclose(again, A @ B, 1e-9)


def test_lstm_layer_of_rank_an_eighth_holds_9_percent():
    d = 64  # 4d x 2d, as a layer whose input is as wide as its state
    A, B = low_rank(np.random.default_rng(0).normal(size=(4 * d, 2 * d)), 8)
    assert (A.size + B.size) / (8 * d**2) == 6 * 128 / (8 * 1024) == 0.09375


def test_float32_in_gives_float32_out():
    W = make_W(dtype=np.float32)
    for quantize in (quantize_rows, quantize_tensor):
        q, scale = quantize(W)
        assert (q * scale).dtype == np.float32
    assert {a.dtype for a in low_rank(W, 2)} == {np.dtype(np.float32)}
    p = map_params(np.float32, init_lstm(np.random.default_rng(0), 3, 4))
    assert fake_quantize(p, 4).W_hh.dtype == np.float32


def test_errors_name_the_argument_what_it_must_be_and_what_it_is():
    W = make_W()
    q, _ = quantize_rows(W, 4)
    packed = pack_int4(q)
    bad = [
        (lambda: quantize_rows(W[0]), r"W .*\(M, N\), got \(7,\)"),
        (lambda: quantize_rows(W.astype(int)), "W .*float.*int64"),
        (lambda: quantize_tensor([1.0]), "W .*got a list"),
        (lambda: quantize_tensor(np.array([1, 2])), "W .*float.*int64"),
        (lambda: quantize_rows(W, 1), "bits .*from 2 to 8, got 1"),
        (lambda: quantize_tensor(W, 16), "bits .*got 16"),
        (lambda: quantize_rows(np.full((1, 2), np.nan)), "W must be finite"),
        (lambda: quantize_tensor(np.array([1, np.inf])), "W must be finite"),
        (lambda: pack_int4(q.astype(int)), "q .*int8.*got int64"),
        (lambda: pack_int4(quantize_rows(W)[0]), "q .*-8..7.*to 127"),
        (lambda: unpack_int4(packed, 9), "N must fit 4 bytes a row, got 9"),
        (lambda: unpack_int4(packed, 6), "N must fit 4 bytes a row, got 6"),
        (lambda: low_rank(W, 6), "rank must be 1 to 5, got 6"),
        (lambda: low_rank(W, 0), "rank .*got 0"),
        (lambda: low_rank(W[0], 1), r"W .*got \(7,\)"),
    ]
    for call, message in bad:
        with pytest.raises(ValueError, match=message):
            call()


# One call of each function, and other values where a machine finds none.
CALLS = {
    quantize_tensor: lambda: {"W": make_W(), "bits": 5},
    quantize_rows: lambda: {"W": make_W(), "bits": 5},
    fake_quantize: lambda: {
        "p": init_lstm(np.random.default_rng(0), 3, 4),
        "bits": 5,
    },
    pack_int4: lambda: {"q": quantize_rows(make_W(), 4)[0]},
    unpack_int4: lambda: {
        "packed": pack_int4(quantize_rows(make_W(), 4)[0]),
        "N": N,
    },
    low_rank: lambda: {"W": make_W(), "rank": 2},
}
OTHER = {}
