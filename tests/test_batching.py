import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn.utils.rnn import (
    pack_padded_sequence,
    pack_sequence,
    pad_packed_sequence,
    pad_sequence,
)

from seqbook.batching import (
    bucket_batches,
    chunks,
    last_valid,
    last_valid_backward,
    masked_mean,
    masked_mean_backward,
    pack,
    pad,
    pad_left,
    truncate,
    unpack,
    waste,
)
from seqbook.checks import valid_steps
from seqbook.functional import cross_entropy, linear, mean_cross_entropy
from seqbook.gradcheck import numerical_grad, relative_error
from seqbook.gru import gru_forward, init_gru
from seqbook.rnn import RNNParams, init_rnn, rnn_forward
from seqbook.text import BOS, EOS, PAD

T, B, H, D, V = 6, 3, 5, 4, 7  # all different
LENGTHS = np.array([4, 6, 1])
MASK = np.arange(T)[:, None] < LENGTHS
EXACT = {"rtol": 1e-12, "atol": 1e-12}  # float64, sums of some 30 terms
fast = settings(deadline=None, derandomize=True, max_examples=25)
some_ids = st.lists(st.integers(0, 9), min_size=1, max_size=6)
some_sequences = st.lists(some_ids, min_size=1, max_size=5)


def make_case():
    """h (T, B, H), d (B, H), random."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(T, B, H)), rng.normal(size=(B, H))


def lognormal_lengths(seed):
    """20 000 lengths with median 20 and 99th percentile 80."""
    sigma = math.log(80 / 20) / 2.3263  # the normal's 99th percentile
    rng = np.random.default_rng(seed)
    lengths = rng.lognormal(math.log(20), sigma, 20_000)
    return np.maximum(np.round(lengths), 1).astype(int)


def test_padding_stands_at_the_end_or_at_the_start():
    ids, lengths, mask = pad([[5, 6, 7], [8]])
    assert ids.T.tolist() == [[5, 6, 7], [8, PAD, PAD]]
    assert mask.T.tolist() == [[True] * 3, [True, False, False]]
    assert lengths.tolist() == [3, 1]
    ids, lengths, mask = pad_left([[5, 6, 7], [8]])
    assert ids.T.tolist() == [[5, 6, 7], [PAD, PAD, 8]]
    assert mask.T.tolist() == [[True] * 3, [False, False, True]]
    assert lengths.tolist() == [3, 1]


@fast
@given(some_sequences)
def test_padding_equals_torch_and_gives_back_the_sequences(sequences):
    ids, lengths, mask = pad(sequences)
    tensors = [torch.tensor(sequence) for sequence in sequences]
    assert np.array_equal(ids, pad_sequence(tensors))
    left, left_lengths, left_mask = pad_left(sequences)
    turned = [tensor.flip(0) for tensor in tensors]  # before torch 2.5
    want = pad_sequence(turned).flip(0)
    assert np.array_equal(left, want)
    assert np.array_equal(lengths, left_lengths)
    for b, sequence in enumerate(sequences):
        assert ids[mask[:, b], b].tolist() == sequence
        assert left[left_mask[:, b], b].tolist() == sequence
    assert mask.sum() == sum(map(len, sequences))


def test_real_token_with_the_id_of_padding_is_still_a_token():
    _, lengths, mask = pad([[PAD, PAD], [4, PAD, 5]])
    assert lengths.tolist() == [2, 3] and mask.sum() == 5


@fast
@given(some_sequences, st.integers(1, 7))
def test_truncation_reports_every_token_that_it_cuts(sequences, T):
    kept, cut = truncate(sequences, T)
    assert [len(ids) for ids in kept] == [
        min(len(ids), T) for ids in sequences
    ]
    for before, after, n in zip(sequences, kept, cut, strict=True):
        assert before == after + before[len(before) - n :]


def test_truncation_keeps_the_start():
    kept, cut = truncate([[1, 2, 3], [4]], 2)
    assert kept == [[1, 2], [4]] and cut.tolist() == [1, 0]


def test_mean_and_last_state_of_one_sequence_known_by_hand():
    h = np.array([[[1.0]], [[5]], [[6]], [[100]]])
    assert masked_mean(h, np.array([[True]] * 3 + [[False]])).item() == 4
    assert last_valid(h, [3]).item() == 6
    assert h.mean() == 28 and h[-1].item() == 100  # what no mask would give


def readouts(h, d):
    """Mean and last state, and the gradients of both, of LENGTHS."""
    return [
        masked_mean(h, MASK),
        last_valid(h, LENGTHS),
        masked_mean_backward(d, MASK),
        last_valid_backward(d, LENGTHS, T),
    ]


def test_readouts_and_their_gradients_equal_torch():
    h, d = make_case()
    leaf = torch.tensor(h, requires_grad=True)
    parts = [leaf[:n, b] for b, n in enumerate(LENGTHS)]
    mean = torch.stack([part.mean(dim=0) for part in parts])
    last = torch.stack([part[-1] for part in parts])
    want = [mean.detach(), last.detach()]
    for result in (mean, last):
        loss = (torch.tensor(d) * result).sum()
        want += torch.autograd.grad(loss, leaf, retain_graph=True)
    for a, b in zip(readouts(h, d), want, strict=True):
        np.testing.assert_allclose(a, b, **EXACT)


def test_gradients_of_the_readouts_match_central_differences():
    h, d = make_case()
    _, _, dmean, dlast = readouts(h, d)
    want = numerical_grad(lambda: np.sum(d * masked_mean(h, MASK)), h)
    assert relative_error(dmean, want) < 1e-7
    want = numerical_grad(lambda: np.sum(d * last_valid(h, LENGTHS)), h)
    assert relative_error(dlast, want) < 1e-7


@pytest.mark.parametrize("padding", [1e9, -np.inf, np.nan])
def test_nothing_in_the_padding_changes_anything(padding):
    h, d = make_case()
    want = readouts(h, d)
    h[~MASK] = padding
    for a, b in zip(readouts(h, d), want, strict=True):
        assert np.array_equal(a, b)
    for dh in want[2:]:
        assert not dh[~MASK].any()
    packed = pack(h, LENGTHS)[0]
    assert np.isfinite(packed).all() and np.abs(packed).max() < 10


@fast
@given(st.data())
def test_sequence_alone_equals_itself_in_company(data):
    sequences = data.draw(some_sequences)
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    p, table = init_rnn(rng, D, H), rng.normal(size=(10, D))
    ids, lengths, mask = pad(sequences)
    h, _ = rnn_forward(p, table[ids], np.zeros((len(lengths), H)))
    for b, sequence in enumerate(sequences):
        alone_ids, alone_lengths, alone_mask = pad([sequence])
        alone, _ = rnn_forward(p, table[alone_ids], np.zeros((1, H)))
        for got, want in [
            (masked_mean(h, mask), masked_mean(alone, alone_mask)),
            (last_valid(h, lengths), last_valid(alone, alone_lengths)),
            (last_valid(h, lengths), alone[-1]),
        ]:
            np.testing.assert_allclose(got[b : b + 1], want, **EXACT)


def encoded(padder, sequences, read):
    """State of the first sequence after padder, by `read` (h, lengths)."""
    rng = np.random.default_rng(3)
    p, table = init_gru(rng, D, H), rng.normal(size=(V, D))
    ids, lengths, _ = padder(sequences)
    h, _ = gru_forward(p, table[ids], np.zeros((len(lengths), H)))
    return read(h, lengths)[0]


def test_short_source_beside_a_long_one_is_spoiled_by_reading_padding():
    short, pair = [[4, 5]], [[4, 5], [6, 1, 2, 3]]

    def end(h, lengths):
        return h[-1]

    alone = encoded(pad, short, end)
    # read to its length, the state is the one it has alone
    np.testing.assert_allclose(encoded(pad, pair, last_valid), alone, **EXACT)
    # read to the end of the padding, or after padding, it is another
    assert np.abs(encoded(pad, pair, end) - alone).max() > 1e-3
    assert np.abs(encoded(pad_left, pair, end) - alone).max() > 1e-3


def test_lstm_of_torch_padded_is_wrong_and_packed_or_gathered_is_right():
    rng = np.random.default_rng(0)
    x, lengths = rng.normal(size=(5, 2, D)), [5, 2]
    x[2:, 1] = 0
    net = torch.nn.LSTM(D, 4).double()
    weights = {
        name: torch.tensor(rng.normal(size=tuple(a.shape)) / 2)
        for name, a in net.state_dict().items()
    }
    net.load_state_dict(weights)
    out, (h_T, _) = net(torch.tensor(x))
    alone = net(torch.tensor(x[:2, 1:]))[1][0][0, 0].detach()
    packed = pack_padded_sequence(torch.tensor(x), lengths)
    packed_h = net(packed)[1][0][0, 1].detach()
    gathered = last_valid(out.detach().numpy(), lengths)[1]
    assert (h_T[0, 1] - alone).abs().max() > 1e-3
    np.testing.assert_allclose(packed_h, alone, **EXACT)
    np.testing.assert_allclose(gathered, alone, **EXACT)


def test_row_of_the_padding_id_need_not_be_zero():
    rng = np.random.default_rng(0)
    p, table = init_rnn(rng, D, H), rng.normal(size=(V, D))
    ids, lengths, mask = pad([[4, PAD, 5], [6]])
    found = []
    for row in (np.zeros(D), np.full(D, 1e9)):
        x = table[ids]
        x[~mask] = row
        h, _ = rnn_forward(p, x, np.zeros((2, H)))
        found.append((masked_mean(h, mask), last_valid(h, lengths)))
    assert np.array_equal(found[0], found[1])


def test_loss_is_a_mean_over_real_tokens():
    mask = pad([[1, 1, 1], [1] * 5])[2]  # lengths 3 and 5 of T = 5
    logits, targets = np.zeros((5, 2, 4)), np.ones((5, 2), int)
    assert mean_cross_entropy(logits, targets, mask) == pytest.approx(
        math.log(4)
    )
    losses = np.where(mask, cross_entropy(logits, targets), 0)
    assert losses.mean() == pytest.approx(1.1090, abs=5e-5)
    twice = losses.mean(axis=0).sum() / mask.sum()
    assert twice == pytest.approx(0.2773, abs=5e-5)


def test_three_denominators_are_three_losses():
    losses = np.array([[1.0, 1, 1, 1], [3, 0, 0, 0]]).T
    mask = valid_steps([4, 1], 4, 2)
    per_sequence = masked_mean(losses[..., None], mask)[:, 0]
    assert losses.mean() == 0.875  # over cells
    assert losses.sum() / mask.sum() == 1.4  # over tokens
    assert per_sequence.mean() == 2.0  # over sequences


def test_loss_of_a_batch_is_the_token_weighted_mean_of_single_losses():
    rng = np.random.default_rng(0)
    p, table = init_rnn(rng, D, H), rng.normal(size=(V, D))
    W, b = rng.normal(size=(V, H)), rng.normal(size=V)

    def loss(sequences):
        ids, _, mask = pad([[BOS, *s, EOS] for s in sequences])
        h, _ = rnn_forward(p, table[ids[:-1]], np.zeros((ids.shape[1], H)))
        logits = linear(W, b, h)
        return mean_cross_entropy(logits, ids[1:], mask[1:]), mask[1:].sum()

    sequences = [[4], [5, 6, 4, 5], [6, 0]]
    singles, tokens = zip(*(loss([s]) for s in sequences), strict=True)
    batch, total = loss(sequences)
    assert total == sum(tokens) == 7 + len(sequences)  # <eos> is predicted
    assert batch == pytest.approx(np.dot(singles, tokens) / total, rel=1e-12)


def test_teacher_forcing_of_a_batch_is_a_shift_by_one():
    ids, _, mask = pad([[BOS, 4, 5, EOS], [BOS, 6, EOS]])
    assert ids[:-1].T.tolist() == [[BOS, 4, 5], [BOS, 6, EOS]]
    assert ids[1:].T.tolist() == [[4, 5, EOS], [6, EOS, PAD]]
    assert mask[1:].T.tolist() == [[True] * 3, [True, True, False]]


@fast
@given(
    st.lists(st.integers(1, 30), min_size=1, max_size=40),
    st.integers(1, 9),
    st.integers(1, 40),
    st.integers(0, 99),
)
def test_every_index_is_in_one_batch_and_buckets_stay_in_order(
    lengths, size, width, seed
):
    lengths = np.array(lengths)
    batches = bucket_batches(np.random.default_rng(seed), lengths, size, width)
    everything = np.concatenate(batches)
    assert sorted(everything) == [*range(len(lengths))]
    assert sorted(map(len, batches))[1:] == [size] * (len(batches) - 1)
    buckets = [(lengths[batch] - 1) // width for batch in batches]
    spans = sorted((b.min(), b.max()) for b in buckets)
    for (_, most), (least, _) in zip(spans, spans[1:], strict=False):
        assert most <= least
    padded = sum(len(b) * max(lengths[i] for i in b) for b in batches)
    want = (padded - sum(lengths)) / padded  # counted cell by cell
    assert waste(lengths, batches) == pytest.approx(want, abs=1e-12)


def test_first_bucket_holds_lengths_one_to_width():
    for seed in range(9):  # a wrong edge could be right by chance in one
        rng = np.random.default_rng(seed)
        batches = bucket_batches(rng, np.arange(1, 9), 4, 4)
        indices = sorted(sorted(batch.tolist()) for batch in batches)
        assert indices == [[0, 1, 2, 3], [4, 5, 6, 7]]


def test_waste_known_by_hand():
    assert waste([1, 3, 2], [[0, 1], [2]]) == 2 / 8
    assert waste([1, 3, 2], [[0, 1, 2]]) == pytest.approx(3 / 9)
    assert waste([2, 2], [[0, 1]]) == 0


def test_waste_is_the_share_of_false_in_the_masks():
    lengths = np.array([3, 1, 4, 1, 5, 9, 2, 6])
    batches = bucket_batches(np.random.default_rng(0), lengths, 3, 4)
    masks = [pad([[1] * n for n in lengths[b]])[2].ravel() for b in batches]
    share = 1 - np.concatenate(masks).mean()
    assert waste(lengths, batches) == pytest.approx(share)


@pytest.mark.parametrize("seed", range(5))
def test_waste_of_long_tailed_lengths(seed):
    # .713, .164, .012 and .880 in one draw; the maximum of 20 000 draws
    # from a long tail moves most from seed to seed
    lengths, rng = lognormal_lengths(seed), np.random.default_rng(seed)
    assert np.median(lengths) == 20
    assert np.percentile(lengths, 99) == pytest.approx(80, abs=2)

    def waste_of(width):
        return waste(lengths, bucket_batches(rng, lengths, 64, width))

    everything = waste(lengths, [np.arange(len(lengths))])
    assert everything == pytest.approx(0.880, abs=0.025)
    assert everything == pytest.approx(1 - lengths.mean() / lengths.max())
    assert waste_of(lengths.max()) == pytest.approx(0.713, abs=0.015)
    assert waste_of(10) == pytest.approx(0.164, abs=0.01)
    assert waste_of(1) == pytest.approx(0.012, abs=0.005)


def test_buckets_are_shuffled_inside_and_among_each_other():
    lengths = np.repeat([1, 2], 50)
    first, again, other = (
        bucket_batches(np.random.default_rng(seed), lengths, 10, 1)
        for seed in (0, 0, 1)
    )
    assert np.array_equal(first, again) and not np.array_equal(first, other)
    kinds = [set(lengths[batch].tolist()) for batch in first]
    assert sorted(map(len, kinds)) == [1] * 10  # one length in each batch
    assert kinds != [{1}] * 5 + [{2}] * 5  # but not the short ones first
    assert not np.array_equal(np.sort(first[0]), first[0])


@fast
@given(some_sequences, st.integers(0, 3))
def test_packing_equals_torch_in_data_sizes_and_order(sequences, extra):
    ids, lengths, _ = pad(sequences)
    ids = np.pad(ids, [(0, extra), (0, 0)])
    data, batch_sizes, order = pack(ids, lengths)
    want = pack_padded_sequence(
        torch.tensor(ids), lengths, enforce_sorted=False
    )
    assert np.array_equal(data, want.data)
    assert np.array_equal(batch_sizes, want.batch_sizes)
    assert np.array_equal(order, want.sorted_indices)
    direct = pack_sequence([*map(torch.tensor, sequences)], False)
    assert np.array_equal(data, direct.data)

    x, found = unpack(data, batch_sizes, order)
    padded, torch_lengths = pad_packed_sequence(want)
    assert np.array_equal(x, padded)
    assert np.array_equal(found, torch_lengths)
    assert np.array_equal(x, ids[: lengths.max()])
    assert np.array_equal(found, lengths)


def test_packing_known_by_hand_and_ties_keep_their_order():
    ids, lengths, _ = pad([[1], [2, 3], [4], [5, 6]])
    data, batch_sizes, order = pack(ids, lengths)
    assert data.tolist() == [2, 5, 1, 4, 3, 6]
    assert batch_sizes.tolist() == [4, 2]
    assert order.tolist() == [1, 3, 0, 2]


def test_packed_rnn_computes_the_real_steps_and_no_other():
    rng = np.random.default_rng(0)
    p = RNNParams(*(rng.normal(size=s) for s in [(H, D), (H, H), H]))
    x = rng.normal(size=(T, B, D))
    want, _ = rnn_forward(p, x, np.zeros((B, H)), LENGTHS)
    data, batch_sizes, order = pack(x, LENGTHS)
    h_t, steps, start = np.zeros((B, H)), [], 0
    for n in batch_sizes:  # the first n of the sorted batch still run
        x_t = data[start : start + n]
        h_t = np.tanh(x_t @ p.W_xh.T + h_t[:n] @ p.W_hh.T + p.b_h)
        steps.append(h_t)
        start += n
    h, lengths = unpack(np.concatenate(steps), batch_sizes, order)
    np.testing.assert_allclose(h, np.where(MASK[..., None], want, 0), **EXACT)
    np.testing.assert_allclose(last_valid(h, lengths), want[-1], **EXACT)


def test_chunks_known_by_hand():
    pairs, dropped = chunks(np.arange(10, 22), B=2, k=3)
    # 11 targets for 2 columns: 5 steps each, in chunks of 3 and of 2
    (x_1, y_1), (x_2, y_2) = pairs
    assert x_1.T.tolist() == [[10, 11, 12], [15, 16, 17]]
    assert y_1.T.tolist() == [[11, 12, 13], [16, 17, 18]]
    assert x_2.T.tolist() == [[13, 14], [18, 19]]
    assert y_2.T.tolist() == [[14, 15], [19, 20]]
    assert dropped == 1  # the id 21 is never asked for


@fast
@given(st.integers(1, 5), st.integers(1, 9), st.integers(1, 60))
def test_chunks_ask_for_every_id_once_and_go_on_where_they_stopped(B, k, more):
    stream = np.random.default_rng(more).integers(0, 99, B + more)
    pairs, dropped = chunks(stream, B, k)
    inputs = np.concatenate([x for x, _ in pairs])  # (T, B)
    targets = np.concatenate([y for _, y in pairs])
    n = targets.size
    assert inputs.T.ravel().tolist() == stream[:n].tolist()
    assert targets.T.ravel().tolist() == stream[1 : n + 1].tolist()
    assert len(stream) == 1 + n + dropped and 0 <= dropped < B
    assert [len(x) for x, _ in pairs[:-1]] == [k] * (len(pairs) - 1)
    assert 1 <= len(pairs[-1][0]) <= k
    assert np.array_equal(inputs[1:], targets[:-1])


def test_chunks_with_the_state_carried_equal_one_long_run():
    rng = np.random.default_rng(0)
    p, table = init_rnn(rng, D, H), rng.normal(size=(V, D))
    stream = rng.integers(0, V, 2 * 11 + 1)
    (whole, _), *rest = chunks(stream, 2, 99)[0]
    assert rest == []
    want, _ = rnn_forward(p, table[whole], np.zeros((2, H)))
    h_0, found = np.zeros((2, H)), []
    for x, _ in chunks(stream, 2, 4)[0]:
        h, _ = rnn_forward(p, table[x], h_0)
        h_0 = h[-1]  # carried; zeros again when the stream begins anew
        found.append(h)
    np.testing.assert_allclose(np.concatenate(found), want, **EXACT)


def test_chunks_share_no_memory():
    stream = np.arange(9)
    pairs, _ = chunks(stream, 2, 2)
    for x, y in pairs:
        assert not np.shares_memory(x, y)
        assert not np.shares_memory(x, stream)


def test_float32_in_gives_float32_out():
    h, d = (a.astype(np.float32) for a in make_case())
    packed = pack(h, LENGTHS)
    found = [*readouts(h, d), packed[0], unpack(*packed)[0]]
    assert {a.dtype for a in found} == {np.dtype(np.float32)}


def test_errors_name_the_argument_what_it_must_be_and_what_it_is():
    h, d = make_case()
    rng = np.random.default_rng(0)
    data, batch_sizes, order = pack(h, LENGTHS)
    ended = MASK.copy()
    ended[:, 2] = False
    bad = [
        (lambda: pad([]), "B .*at least 1, got 0"),
        (lambda: pad([[1], []]), r"len\(sequences\[1\]\) .*1, got 0"),
        (lambda: pad([np.array([], int)]), r"len\(sequences\[0\]\) .*got 0"),
        (lambda: pad([[1.0]]), r"sequences\[0\] .*integers.*float64"),
        (lambda: pad([[[1]]]), r"sequences\[0\] .*got \(1, 1\)"),
        (lambda: pad_left([[1, -2]]), r"\[0\] .*from 0 up.*got -2 to 1"),
        (lambda: truncate([[1]], 0), "T .*at least 1, got 0"),
        (lambda: masked_mean(h[1:], MASK), r"mask .*\(5, 3\) bool.*got \(6"),
        (lambda: masked_mean(h, MASK.astype(int)), "mask .*got .*of int64"),
        (lambda: masked_mean(h, ended), r"mask .*got \[4, 6, 0\]"),
        (lambda: masked_mean(h[0], MASK), r"h .*\(T, B, H\), got \(3, 5\)"),
        (lambda: masked_mean_backward(d[1:], MASK), r"mask .*got \(6, 3\)"),
        (lambda: masked_mean_backward(d[0], MASK), r"dmean .*got \(5,\)"),
        (lambda: masked_mean_backward(d, ended), "mask .*True once in each"),
        (lambda: last_valid(h[0], LENGTHS), r"h .*\(T, B, H\), got \(3, 5"),
        (lambda: last_valid(h, [4, 7, 1]), r"lengths .*\[4, 7, 1\]"),
        (lambda: last_valid_backward(h, LENGTHS, T), r"dlast .*got \(6"),
        (lambda: last_valid_backward(d, LENGTHS, 5), "lengths .*to T = 5"),
        (lambda: bucket_batches(rng, [3, 0], 2, 1), "lengths .*from 1 up"),
        (lambda: bucket_batches(rng, [], 2, 1), r"len\(lengths\) .*got 0"),
        (lambda: bucket_batches(rng, [3], 0, 1), "size .*got 0"),
        (lambda: bucket_batches(rng, [3], 2, 0.5), "width .*got 0.5"),
        (lambda: waste([2, 0], [[0, 1]]), "lengths .*from 1 up.*got 0 to 2"),
        (lambda: pack(h, [4, 6, 0]), r"lengths .*\[4, 6, 0\]"),
        (lambda: unpack(data[1:], batch_sizes, order), "what pack .*got 10"),
        (lambda: unpack(data, batch_sizes - 1, order), "batch_sizes .*got 0"),
        (lambda: unpack(data, batch_sizes[::-1], order), r"\[1 1 2 2 2 3\]"),
        (lambda: unpack(data, batch_sizes, [0, 1, 1]), r"\[0, 1, 1\]"),
        (lambda: unpack(data, batch_sizes, order[1:]), "what pack gave"),
        (lambda: chunks([1, 2, 3], 3, 1), r"\(n - 1\) // B .*got 0"),
        (lambda: chunks([1, 2, 3], 0, 1), "B .*at least 1, got 0"),
        (lambda: chunks([1, 2, 3], 1, 0), "k .*at least 1, got 0"),
        (lambda: chunks([1.0, 2.0], 1, 1), "stream .*float64"),
    ]
    for call, message in bad:
        with pytest.raises(ValueError, match=message):
            call()


def _mixed_mask():
    """(T, B), with True and False in every column."""
    return np.arange(T)[:, None] < np.array([4, 5, 1])


CALLS = {
    pad: lambda: dict(sequences=[[4, 5, 6], [7]]),
    pad_left: lambda: dict(sequences=[[4, 5, 6], [7]]),
    truncate: lambda: dict(sequences=[[4, 5, 6], [7]], T=1),
    masked_mean: lambda: dict(h=make_case()[0], mask=_mixed_mask()),
    masked_mean_backward: lambda: dict(
        dmean=make_case()[1], mask=_mixed_mask()
    ),
    last_valid: lambda: dict(h=make_case()[0], lengths=[4, 6, 1]),
    last_valid_backward: lambda: dict(
        dlast=make_case()[1], lengths=[4, 6, 1], T=6
    ),
    bucket_batches: lambda: dict(
        rng=np.random.default_rng(0), lengths=[*range(1, 21)], size=3, width=4
    ),
    waste: lambda: dict(lengths=[1, 3, 2], batches=[[0, 1], [2]]),
    pack: lambda: dict(x=make_case()[0], lengths=[4, 6, 1]),
    unpack: lambda: dict(
        zip(
            ("data", "batch_sizes", "order"),
            pack(make_case()[0], LENGTHS),
            strict=True,
        )
    ),
    chunks: lambda: dict(stream=np.arange(4, 20), B=2, k=3),
}
OTHER = {
    (pad, "sequences"): lambda: [[4, 5, 6], [7, 8]],
    (pad_left, "sequences"): lambda: [[4, 5, 6], [7, 8]],
    (truncate, "sequences"): lambda: [[4, 5, 6], [7, 8]],
    (waste, "batches"): lambda: [[0, 2], [1]],
    # 11 real steps of 3 sequences, shared out in another way
    (unpack, "batch_sizes"): lambda: np.array([3, 3, 2, 1, 1, 1]),
}
