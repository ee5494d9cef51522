import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from seqbook.counting import (
    checkpointed_states,
    gru_parameters,
    largest_hidden,
    lstm_parameters,
    mlp_parameters,
    rnn_parameters,
    state_bytes,
    step_multiply_adds,
    stored_states,
    truncation_coverage,
)
from seqbook.gru import init_gru
from seqbook.lstm import init_lstm
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


def test_errors_name_the_argument_what_it_must_be_and_what_it_is():
    bad = [
        (lambda: rnn_parameters(0, 5), "D must be .* at least 1, got 0"),
        (lambda: lstm_parameters(3, 5.0), "H must be an integer.*got 5.0"),
        (lambda: gru_parameters(3, 5, 3), "biases must be 0, 1 or 2, got 3"),
        (lambda: largest_hidden(rnn_parameters, 9, 5), "budget .*got 5"),
        (lambda: truncation_coverage(100, 0), "k must be .*got 0"),
        (lambda: checkpointed_states(10, 0), "every must be .*got 0"),
        (lambda: state_bytes(1, 1, 0), "H must be .*got 0"),
    ]
    for call, message in bad:
        with pytest.raises(ValueError, match=message):
            call()
