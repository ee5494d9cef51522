import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from seqbook.convolution import init_conv
from seqbook.counting import (
    attention_crossing,
    attention_multiply_adds,
    attention_parameters,
    cache_bytes,
    checkpointed_states,
    convolution_parameters,
    embedding_parameters,
    grid_paths,
    gru_parameters,
    largest_hidden,
    lstm_coupled_parameters,
    lstm_layer_norm_parameters,
    lstm_parameters,
    lstm_peephole_parameters,
    lstm_projection_parameters,
    matrix_state_bytes,
    mingru_parameters,
    minlstm_parameters,
    mlp_parameters,
    readout_parameters,
    rnn_parameters,
    state_bytes,
    step_multiply_adds,
    stored_states,
    truncation_coverage,
)
from seqbook.gru import init_gru
from seqbook.lstm import init_lstm
from seqbook.lstm_variants import (
    LSTMLayerNormParams,
    LSTMPeepholeParams,
    LSTMProjectionParams,
    LSTMTwoGateParams,
    lstm_coupled_step,
    lstm_layer_norm_step,
    lstm_peephole_step,
    lstm_projection_step,
)
from seqbook.minimal import MinimalParams, mingru_forward, minlstm_forward
from seqbook.multihead import init_multihead, multihead_forward
from seqbook.params import arrays_of
from seqbook.rnn import init_rnn, rnn_forward

CELLS = [
    (rnn_parameters, init_rnn, torch.nn.RNN),
    (gru_parameters, init_gru, torch.nn.GRU),
    (lstm_parameters, init_lstm, torch.nn.LSTM),
]


@pytest.mark.parametrize(("count", "init", "layer"), CELLS)
def test_counts_are_those_of_the_arrays_here_and_in_torch(count, init, layer):
    p = init(np.random.default_rng(0), 3, 5)
    assert count(3, 5) == sum(a.size for a in arrays_of(p))
    theirs = sum(a.numel() for a in layer(3, 5).parameters())
    assert count(3, 5, biases=2) == theirs
    none = sum(a.numel() for a in layer(3, 5, bias=False).parameters())
    assert count(3, 5, biases=0) == none


def test_layers_of_128_inputs_and_256_units_have_their_known_sizes():
    counts = lstm_parameters, gru_parameters, rnn_parameters
    assert [c(128, 256) for c in counts] == [394_240, 295_680, 98_560]
    two = [c(128, 256, biases=2) for c in counts]
    assert two == [395_264, 296_448, 98_816]


def test_fair_sizes_are_256_303_and_566_or_567_with_two_biases():
    for biases, rnn in (1, 566), (2, 567):
        budget = lstm_parameters(128, 256, biases)
        sizes = [
            largest_hidden(count, 128, budget, biases)
            for count in (lstm_parameters, gru_parameters, rnn_parameters)
        ]
        assert sizes == [256, 303, rnn]


@settings(deadline=None, derandomize=True, max_examples=25)
@given(st.integers(1, 50), st.integers(10, 5000))
def test_one_more_unit_would_not_fit(D, budget):
    if rnn_parameters(D, 1) <= budget:
        H = largest_hidden(rnn_parameters, D, budget)
        assert rnn_parameters(D, H) <= budget < rnn_parameters(D, H + 1)


def test_mlp_grows_with_the_window_and_the_rnn_does_not():
    layer = torch.nn.Linear(10 * 3, 5)
    count = sum(a.numel() for a in layer.parameters())
    assert mlp_parameters(10, 3, 5) == count
    assert mlp_parameters(20, 3, 5) - count == 10 * 3 * 5


def test_multiply_adds_of_a_step_are_two_matrix_products():
    p = init_lstm(np.random.default_rng(0), 3, 5)
    assert step_multiply_adds(4, 3, 5) == p.W_xh.size + p.W_hh.size


def test_backpropagation_keeps_the_states_and_bytes_it_is_said_to():
    T, B, D, H = 7, 2, 3, 5
    p = init_rnn(np.random.default_rng(0), D, H)
    _, (_, h, _) = rnn_forward(p, np.ones((T, B, D)), np.zeros((B, H)))
    assert stored_states(T) == len(h)
    assert state_bytes(stored_states(T), B, H, itemsize=8) == h.nbytes


def test_checkpointing_every_tenth_of_100_steps_keeps_20_states():
    kept = [checkpointed_states(100, every) for every in range(1, 101)]
    assert min(kept) == kept[10 - 1] == 20
    assert kept[0] == kept[-1] == 101
    assert checkpointed_states(7, 3) == 3 + 3  # h_0, h_3, h_6; a segment


def brute_force_coverage(T, k):
    pairs = [(t, s) for t in range(T) for s in range(t + 1)]
    chunks = sum(t // k == s // k for t, s in pairs)
    window = sum(t - s < k for t, s in pairs)
    return chunks / len(pairs), window / len(pairs)


def test_chunks_of_20_credit_20_8_percent_of_100_steps_a_window_35_8():
    chunks, window = truncation_coverage(100, 20)
    assert round(100 * chunks, 1) == 20.8
    assert round(100 * window, 1) == 35.8
    assert truncation_coverage(100, 100) == (1, 1)


@settings(deadline=None, derandomize=True, max_examples=50)
@given(st.integers(1, 30), st.integers(1, 40))
def test_coverage_equals_counting_the_pairs(T, k):
    want = brute_force_coverage(T, k)
    assert truncation_coverage(T, k) == pytest.approx(want, abs=1e-12)


B, D, H, P = 2, 3, 5, 4
VARIANTS = [  # a count, the dataclass, its shapes, the step that accepts it
    (
        lstm_coupled_parameters,
        LSTMTwoGateParams,
        [(3 * H, D), (3 * H, H), 3 * H],
        lstm_coupled_step,
    ),
    (
        lstm_peephole_parameters,
        LSTMPeepholeParams,
        [(4 * H, D), (4 * H, H), 4 * H, 3 * H],
        lstm_peephole_step,
    ),
    (
        lstm_layer_norm_parameters,
        LSTMLayerNormParams,
        [(4 * H, D), (4 * H, H), 4 * H, 4 * H, 4 * H, H, H],
        lstm_layer_norm_step,
    ),
    (
        lambda D, H: lstm_projection_parameters(D, H, P),
        LSTMProjectionParams,
        [(4 * H, D), (4 * H, P), 4 * H, (P, H)],
        lstm_projection_step,
    ),
]


@pytest.mark.parametrize(("count", "kind", "shapes", "step"), VARIANTS)
def test_counts_of_variants_are_those_of_arrays_that_their_step_takes(
    count, kind, shapes, step
):
    rng = np.random.default_rng(0)
    p = kind(*(rng.normal(size=shape) for shape in shapes))
    width = P if kind is LSTMProjectionParams else H
    h_t, c_t, _ = step(
        p, np.ones((B, D)), np.ones((B, width)), np.ones((B, H))
    )
    assert h_t.shape == (B, width) and c_t.shape == (B, H)
    assert count(D, H) == sum(a.size for a in arrays_of(p))


@pytest.mark.parametrize(
    ("count", "blocks", "forward"),
    [
        (mingru_parameters, 2, mingru_forward),
        (minlstm_parameters, 3, minlstm_forward),
    ],
)
def test_minimal_cells_have_no_recurrent_weights(count, blocks, forward):
    rng = np.random.default_rng(0)
    p = MinimalParams(rng.normal(size=(blocks * H, D)), np.ones(blocks * H))
    h, _ = forward(p, np.ones((7, B, D)), np.zeros((B, H)))
    assert h.shape == (7, B, H)
    assert count(D, H) == sum(a.size for a in arrays_of(p))


@pytest.mark.parametrize("biases", [0, 2])
def test_projection_counts_as_torch_does(biases):
    layer = torch.nn.LSTM(8, 16, proj_size=4, bias=biases > 0)
    theirs = sum(a.numel() for a in layer.parameters())
    assert lstm_projection_parameters(8, 16, 4, biases) == theirs
    assert layer.weight_hr_l0.shape == (4, 16)


def test_coupled_gates_save_a_quarter_and_peepholes_cost_three_numbers_each():
    assert lstm_coupled_parameters(128, 256) == 295_680
    assert lstm_coupled_parameters(D, H) / lstm_parameters(D, H) == 3 / 4
    assert lstm_peephole_parameters(D, H) - lstm_parameters(D, H) == 3 * H


def test_gru_is_three_quarters_of_an_lstm_with_equal_biases_only():
    m, n = 128, 256
    for biases in 0, 1, 2:
        ratio = gru_parameters(m, n, biases) / lstm_parameters(m, n, biases)
        assert ratio == 3 / 4
    keras = gru_parameters(m, n, 2) / lstm_parameters(m, n, 1)
    without = gru_parameters(m, n, 0) / lstm_parameters(m, n, 1)
    assert round(keras, 4) == 0.7519 and round(without, 4) == 0.7481


@pytest.mark.parametrize(
    ("count", "layer", "two", "four", "both"),
    [
        (lstm_parameters, torch.nn.LSTM, 921_600, 1_974_272, 790_528),
        (gru_parameters, torch.nn.GRU, 691_200, 1_480_704, 592_896),
        (rnn_parameters, torch.nn.RNN, 230_400, 493_568, 197_632),
    ],
)
def test_stacks_have_their_known_sizes(count, layer, two, four, both):
    first, next_one = count(128, 256, 2), count(256, 256, 2)
    assert first + next_one == two
    assert first + 3 * next_one == four
    assert 2 * first == both
    nets = layer(128, 256, 2), layer(128, 256, 4)
    nets += (layer(128, 256, bidirectional=True),)
    theirs = [sum(a.numel() for a in net.parameters()) for net in nets]
    assert theirs == [two, four, both]


def test_small_nets_of_the_chapter_on_rnns_have_57_and_50_parameters():
    assert rnn_parameters(3, 5) + readout_parameters(5, 2) == 57
    assert rnn_parameters(3, 5, biases=2) == 50


def test_models_of_papers_come_out_at_their_published_sizes():
    # Sutskever et al. 2014, section 3.4: 384M, 64M of them recurrent
    recurrent = 8 * lstm_parameters(1000, 1000, biases=0)
    words = embedding_parameters(160_000, 1000)
    target = embedding_parameters(80_000, 1000)
    readout = readout_parameters(1000, 80_000) - 80_000  # without its bias
    assert recurrent == 64_000_000
    assert recurrent + words + target + readout == 384_000_000

    def layer(inputs):
        return lstm_parameters(inputs, 1024, biases=0)

    # GNMT, as reconstructed: Shazeer et al. 2017 give 278M
    cells = 2 * layer(1024) + layer(2048) + 6 * layer(1024) + 8 * layer(2048)
    gnmt = cells + 3 * embedding_parameters(32_000, 1024)
    assert round(gnmt / 1e6, 1) == 278.7


def test_word_vectors_are_small_beside_a_matrix_of_all_pairs():
    V, d = 10**5, 300
    assert embedding_parameters(V, d) == 3e7
    assert embedding_parameters(V, V) == 1e10
    shares = [
        V * V / (tables * embedding_parameters(V, d)) for tables in (1, 2)
    ]
    assert [round(share, 1) for share in shares] == [333.3, 166.7]


def test_embedding_and_readout_are_those_of_torch():
    table = torch.nn.Embedding(7, 3)
    assert embedding_parameters(7, 3) == table.weight.numel()
    layer = torch.nn.Linear(5, 7)
    theirs = sum(a.numel() for a in layer.parameters())
    assert readout_parameters(5, 7) == theirs


@pytest.mark.parametrize("dilation", [1, 3])
def test_convolution_is_that_of_the_arrays_here_and_in_torch(dilation):
    p = init_conv(np.random.default_rng(0), 3, 5, 2)
    assert convolution_parameters(3, 5, 2) == p.W.size + p.b.size
    layer = torch.nn.Conv1d(3, 5, 2, dilation=dilation)
    theirs = sum(a.numel() for a in layer.parameters())
    assert convolution_parameters(3, 5, 2) == theirs


def test_attention_is_that_of_the_arrays_here_and_in_torch():
    p = init_multihead(np.random.default_rng(0), 3, 8)
    assert attention_parameters(3, 8) == sum(a.size for a in arrays_of(p))
    for heads in 1, 2, 4:
        layer = torch.nn.MultiheadAttention(8, heads)
        theirs = sum(a.numel() for a in layer.parameters())
        assert attention_parameters(8, 8) == theirs


def test_multiply_adds_of_attention_are_those_of_its_products():
    n, D, heads, width = 7, 3, 2, 4
    H = heads * width
    p = init_multihead(np.random.default_rng(0), D, H)
    y, weights, _ = multihead_forward(p, np.ones((n, 1, D)), heads)
    matrices = [p.W_q, p.W_k, p.W_v, p.W_o]
    projections = n * sum(W.size for W in matrices)
    scores = sums = weights.size * width  # a product of that length each
    want = projections + scores + sums
    assert n * attention_multiply_adds(n, D, H) == want


def test_attention_costs_as_much_as_an_lstm_at_twice_its_width():
    d = 256
    for blocks in 3, 4:
        n = attention_crossing(blocks, d)
        cell = step_multiply_adds(blocks, d, d)
        costs = [attention_multiply_adds(n + i, d, d) for i in (-1, 0, 1)]
        assert costs[0] < costs[1] == cell < costs[2]
    assert attention_crossing(4, d) == 2 * d
    # n of d without any projections: n n d against n d d; so is a GRU's
    assert attention_crossing(3, d) == d
    one = attention_multiply_adds(1, d, d)
    assert attention_crossing(1, d) == 0 and one > step_multiply_adds(1, d, d)
    assert attention_crossing(2, d) == 0 and one > step_multiply_adds(2, d, d)


def test_caches_and_states_take_their_known_bytes():
    full = cache_bytes(layers=32, kv_heads=32, head_dim=128)
    assert full == 524_288 and full * 4096 == 2 * 2**30
    shared = cache_bytes(layers=32, kv_heads=8, head_dim=128)
    assert shared == 131_072 and shared * 131_072 == 16 * 2**30
    # h and c of four layers, in float32
    assert state_bytes(states=2 * 4, B=1, H=1024) == 32_768
    linear = matrix_state_bytes(layers=32, heads=32, rows=128, columns=128)
    assert linear == 32 * 2**20
    assert linear / full == 64  # tokens of a full cache


def test_cache_and_matrix_state_are_those_of_the_arrays():
    layers, heads, width, T = 3, 2, 4, 7
    kv = np.zeros((layers, 2, T, heads, width), np.float16)
    assert T * cache_bytes(layers, heads, width) == kv.nbytes
    S = np.zeros((layers, heads, width, 5), np.float32)
    assert matrix_state_bytes(layers, heads, width, 5, itemsize=4) == S.nbytes
    h = np.zeros((layers, 6, 16), np.float16)  # an SSM: D = 6, N = 16
    assert matrix_state_bytes(layers, 1, 6, 16) == h.nbytes


def test_errors_name_the_argument_what_it_must_be_and_what_it_is():
    bad = [
        (lambda: rnn_parameters(0, 5), "D must be .* at least 1, got 0"),
        (lambda: lstm_parameters(3, 5.0), "H must be an integer.*got 5.0"),
        (lambda: gru_parameters(3, 5, 3), "biases must be 0, 1 or 2, got 3"),
        (lambda: largest_hidden(rnn_parameters, 9, 5), "budget .*got 5"),
        (lambda: truncation_coverage(100, 0), "k must be .*got 0"),
        (lambda: checkpointed_states(10, 0), "every must be .*got 0"),
        (lambda: state_bytes(1, 1, 0), "H must be .*got 0"),
        (lambda: lstm_projection_parameters(3, 5, 0), "P must be .*got 0"),
        (lambda: lstm_peephole_parameters(3, 0), "H must be .*got 0"),
        (lambda: mingru_parameters(3, 5, 4), "biases must be .*got 4"),
        (lambda: embedding_parameters(0, 3), "V must be .*got 0"),
        (lambda: readout_parameters(3, 2.5), "V must be .*got 2.5"),
        (lambda: convolution_parameters(3, 5, 0), "k must be .*got 0"),
        (lambda: attention_parameters(3, 0), "H must be .*got 0"),
        (lambda: attention_multiply_adds(0, 3, 5), "n must be .*got 0"),
        (lambda: attention_crossing(0, 3), "blocks must be .*got 0"),
        (lambda: cache_bytes(1, 0, 3), "kv_heads must be .*got 0"),
        (lambda: matrix_state_bytes(1, 1, 0, 3), "rows must be .*got 0"),
    ]
    for call, message in bad:
        with pytest.raises(ValueError, match=message):
            call()


def sizes(**named):
    """A call that takes these sizes."""
    return lambda: dict(named)


@pytest.mark.parametrize(("T", "L"), [(1, 1), (1, 4), (5, 1), (6, 3)])
def test_paths_of_a_stack_are_those_one_can_walk(T, L):
    def lengths(t, layer):
        """Edges of every path from this node to the far corner."""
        if (t, layer) == (T, L):
            return [0]
        ahead = [(t + 1, layer), (t, layer + 1)]
        inside = [(a, b) for a, b in ahead if a <= T and b <= L]
        return [1 + n for node in inside for n in lengths(*node)]

    found = lengths(1, 1)
    assert grid_paths(T, L) == (found[0], len(found))
    assert len(set(found)) == 1


def test_a_hundred_steps_and_four_layers():
    assert grid_paths(100, 4) == (102, 171_700)


CALLS = {
    grid_paths: sizes(T=7, L=3),
    rnn_parameters: sizes(D=3, H=5, biases=1),
    gru_parameters: sizes(D=3, H=5, biases=1),
    lstm_parameters: sizes(D=3, H=5, biases=1),
    mlp_parameters: sizes(T=7, D=3, H=5),
    largest_hidden: lambda: {
        "parameters": gru_parameters,
        "D": 3,
        "budget": 100,
        "biases": 1,
    },
    step_multiply_adds: sizes(blocks=3, D=3, H=5),
    stored_states: sizes(T=7),
    checkpointed_states: sizes(T=12, every=2),
    state_bytes: sizes(states=2, B=3, H=5, itemsize=4),
    truncation_coverage: sizes(T=11, k=3),
    lstm_coupled_parameters: sizes(D=3, H=5, biases=1),
    lstm_peephole_parameters: sizes(D=3, H=5, biases=1),
    lstm_layer_norm_parameters: sizes(D=3, H=5, biases=1),
    lstm_projection_parameters: sizes(D=3, H=5, P=4, biases=1),
    mingru_parameters: sizes(D=3, H=5, biases=1),
    minlstm_parameters: sizes(D=3, H=5, biases=1),
    embedding_parameters: sizes(V=7, D=3),
    readout_parameters: sizes(H=5, V=7),
    convolution_parameters: sizes(C_in=3, C_out=5, k=2),
    attention_parameters: sizes(D=3, H=8),
    attention_multiply_adds: sizes(n=7, D=3, H=8),
    attention_crossing: sizes(blocks=4, d=16),
    cache_bytes: sizes(layers=3, kv_heads=2, head_dim=4, itemsize=2),
    matrix_state_bytes: sizes(
        layers=3, heads=2, rows=4, columns=5, itemsize=2
    ),
}
OTHER = {
    (largest_hidden, "parameters"): lambda: rnn_parameters,
    (largest_hidden, "D"): lambda: 9,
    (largest_hidden, "budget"): lambda: 300,
    (largest_hidden, "biases"): lambda: 2,
}
