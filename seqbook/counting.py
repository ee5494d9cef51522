"""Parameters, multiply-adds and bytes of every cell, as formulas.

Chapters: docs/en/rnn.md, docs/en/bptt.md. The book's cells have one bias;
biases=2 counts as PyTorch does, whose two vectors only appear as a sum
(except in its GRU). One multiply-add is one product and one addition.
"""

from collections.abc import Callable

from seqbook.checks import check_positive


# --8<-- [start:rnn_parameters]
def rnn_parameters(D: int, H: int, biases: int = 1) -> int:
    """Inputs D, units H -> numbers in W_xh, W_hh and the bias vectors."""
    check_positive(D=D, H=H)
    if biases not in (0, 1, 2):
        raise ValueError(f"biases must be 0, 1 or 2, got {biases!r}")
    return H * D + H * H + biases * H
    # --8<-- [end:rnn_parameters]


# --8<-- [start:gru_parameters]
def gru_parameters(D: int, H: int, biases: int = 1) -> int:
    """Inputs D, units H -> parameters: three blocks, r, z and n."""
    return 3 * rnn_parameters(D, H, biases)
    # --8<-- [end:gru_parameters]


# --8<-- [start:lstm_parameters]
def lstm_parameters(D: int, H: int, biases: int = 1) -> int:
    """Inputs D, units H -> parameters: four blocks, i, f, g and o."""
    return 4 * rnn_parameters(D, H, biases)
    # --8<-- [end:lstm_parameters]


# --8<-- [start:mlp_parameters]
def mlp_parameters(T: int, D: int, H: int) -> int:
    """One layer of H units that reads a window of T inputs at once.

    Every position has its own weights, so the count grows with T.
    """
    check_positive(T=T, D=D, H=H)
    return H * T * D + H
    # --8<-- [end:mlp_parameters]


# --8<-- [start:largest_hidden]
def largest_hidden(
    parameters: Callable[..., int], D: int, budget: int, biases: int = 1
) -> int:
    """Largest H with parameters(D, H, biases) <= budget, for fair sizes.

    ValueError if not even one unit fits.
    """
    if parameters(D, 1, biases) > budget:
        raise ValueError(f"budget must pay for one unit, got {budget}")
    H = 1
    while parameters(D, H + 1, biases) <= budget:
        H += 1
    return H
    # --8<-- [end:largest_hidden]


# --8<-- [start:step_multiply_adds]
def step_multiply_adds(blocks: int, D: int, H: int) -> int:
    """Multiply-adds of one step of one example, matrix products only.

    blocks is 1 for an RNN, 3 for a GRU, 4 for an LSTM.
    """
    check_positive(blocks=blocks, D=D, H=H)
    return blocks * (H * D + H * H)
    # --8<-- [end:step_multiply_adds]


# --8<-- [start:stored_states]
def stored_states(T: int) -> int:
    """States that backpropagation over T steps keeps: h_0 to h_T."""
    check_positive(T=T)
    return T + 1
    # --8<-- [end:stored_states]


# --8<-- [start:checkpointed_states]
def checkpointed_states(T: int, every: int) -> int:
    """States kept at once if only every `every`-th one is stored.

    The checkpoints, and the states of the one segment being recomputed;
    least near every = sqrt(T), where both are about sqrt(T).
    """
    check_positive(T=T, every=every)
    checkpoints = -(-T // every)  # rounded up; h_0 is the first
    return checkpoints + min(every, T)
    # --8<-- [end:checkpointed_states]


# --8<-- [start:state_bytes]
def state_bytes(states: int, B: int, H: int, itemsize: int = 4) -> int:
    """Bytes of so many states (B, H); an item of float32 takes 4."""
    check_positive(states=states, B=B, H=H, itemsize=itemsize)
    return states * B * H * itemsize
    # --8<-- [end:state_bytes]


# --8<-- [start:truncation_coverage]
def truncation_coverage(T: int, k: int) -> tuple[float, float]:
    """Shares of all pairs s <= t in 1..T whose gradient truncation keeps.

    First in chunks of k steps (s in the chunk of t), then with a sliding
    window (t - s < k). A step's own pair s = t counts; full BPTT has 1.
    """
    check_positive(T=T, k=k)
    pairs = T * (T + 1) // 2
    chunks, rest = divmod(T, k)
    in_chunks = chunks * k * (k + 1) // 2 + rest * (rest + 1) // 2
    beyond = max(T - k, 0)  # pairs out of reach: t - s >= k
    return in_chunks / pairs, 1 - beyond * (beyond + 1) // 2 / pairs
    # --8<-- [end:truncation_coverage]
