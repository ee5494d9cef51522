import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from seqbook.conventions import from_torch
from seqbook.rnn import RNNParams, rnn_forward
from seqbook.stack import bidirectional, reverse_valid

T, B, D, H = 6, 3, 4, 5
LENGTHS = [6, 1, 4]


def test_padding_stays_at_the_end():
    x = np.array([[1, 2, 3, 0], [4, 5, 6, 7]]).T
    got = reverse_valid(x, [3, 4]).T
    assert got.tolist() == [[3, 2, 1, 0], [7, 6, 5, 4]]


def test_without_lengths_everything_is_turned_round():
    x = np.random.default_rng(0).normal(size=(T, B, D))
    assert np.array_equal(reverse_valid(x), x[::-1])


@settings(deadline=None, derandomize=True, max_examples=25)
@given(st.lists(st.integers(1, 5), min_size=1, max_size=4))
def test_twice_is_not_at_all(lengths):
    x = np.random.default_rng(0).normal(size=(5, len(lengths), 2))
    once = reverse_valid(x, lengths)
    assert np.array_equal(reverse_valid(once, lengths), x)
    for b, n in enumerate(lengths):
        assert np.array_equal(once[:n, b], x[:n, b][::-1])
        assert np.array_equal(once[n:, b], x[n:, b])


@pytest.mark.parametrize("lengths", [[T] * B, LENGTHS], ids=["full", "ragged"])
def test_bidirectional_rnn_equals_torch(lengths):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(T, B, D))
    net = torch.nn.RNN(D, H, bidirectional=True).double()
    weights = {
        name: rng.normal(size=tuple(a.shape)) / 2
        for name, a in net.state_dict().items()
    }
    net.load_state_dict({n: torch.tensor(a) for n, a in weights.items()})
    packed = pack_padded_sequence(
        torch.tensor(x), lengths, enforce_sorted=False
    )
    h_0 = rng.normal(size=(2, B, H))
    out, h_T = net(packed, torch.tensor(h_0))
    want, _ = pad_packed_sequence(out)

    def reader(suffix, h_0):
        p = from_torch(RNNParams, weights, suffix)
        return lambda x, lengths: rnn_forward(p, x, h_0, lengths)[0]

    readers = reader("_l0", h_0[0]), reader("_l0_reverse", h_0[1])
    x[np.arange(T)[:, None] >= np.array(lengths)] = 1e9  # never read
    h = bidirectional(*readers, x, lengths)
    mask = (np.arange(T)[:, None] < np.array(lengths))[..., None]
    np.testing.assert_allclose(h * mask, want.detach(), 1e-12, 1e-12)
    last = h[-1, :, :H], h[0, :, H:]
    np.testing.assert_allclose(last, h_T.detach(), 1e-12, 1e-12)


def test_impossible_lengths_are_refused():
    with pytest.raises(ValueError, match=r"lengths must be B = 2 .*\[1, 9\]"):
        reverse_valid(np.ones((3, 2, 1)), [1, 9])
