"""Parameters, multiply-adds, bytes and paths of every layer, as formulas.

Chapters: docs/en/rnn.md, docs/en/bptt.md, docs/en/gru.md,
docs/en/deep_bidirectional.md, docs/en/three_roads.md,
docs/en/fast_inference.md. The book's cells have one bias; biases=2 counts as
PyTorch does, whose two vectors only appear as a sum (except in its GRU). One
multiply-add is one product and one addition.
"""

from collections.abc import Callable
from math import comb

from seqbook.checks import check_positive


def rnn_parameters(D: int, H: int, biases: int = 1) -> int:
    """Inputs D, units H -> numbers in W_xh, W_hh and the bias vectors."""
    check_positive(D=D, H=H)
    if biases not in (0, 1, 2):
        raise ValueError(f"biases must be 0, 1 or 2, got {biases!r}")
    return H * D + H * H + biases * H


def gru_parameters(D: int, H: int, biases: int = 1) -> int:
    """Inputs D, units H -> parameters: three blocks, r, z and n."""
    return 3 * rnn_parameters(D, H, biases)


def lstm_parameters(D: int, H: int, biases: int = 1) -> int:
    """Inputs D, units H -> parameters: four blocks, i, f, g and o."""
    return 4 * rnn_parameters(D, H, biases)


def lstm_coupled_parameters(D: int, H: int, biases: int = 1) -> int:
    """Inputs D, units H -> parameters: an LSTM whose i is 1 - f."""
    return 3 * rnn_parameters(D, H, biases)


def lstm_peephole_parameters(D: int, H: int, biases: int = 1) -> int:
    """Inputs D, units H -> parameters: each gate sees its own c as well."""
    return lstm_parameters(D, H, biases) + 3 * H


def lstm_layer_norm_parameters(D: int, H: int, biases: int = 1) -> int:
    """Inputs D, units H -> parameters: three gains and one shift more."""
    return lstm_parameters(D, H, biases) + 2 * 4 * H + 2 * H


def lstm_projection_parameters(D: int, H: int, P: int, biases: int = 1):
    """Inputs D, units H, outputs P -> parameters: only P numbers return."""
    check_positive(P=P)
    return lstm_parameters(D, H, biases) - 4 * H * H + 4 * H * P + P * H


def mingru_parameters(D: int, H: int, biases: int = 1) -> int:
    """Inputs D, units H -> parameters: blocks z and n, no W_hh."""
    return 2 * (rnn_parameters(D, H, biases) - H * H)


def minlstm_parameters(D: int, H: int, biases: int = 1) -> int:
    """Inputs D, units H -> parameters: blocks f, i and n, no W_hh."""
    return 3 * (rnn_parameters(D, H, biases) - H * H)


def mlp_parameters(T: int, D: int, H: int) -> int:
    """One layer of H units that reads a window of T inputs at once.

    Every position has its own weights, so the count grows with T.
    """
    check_positive(T=T, D=D, H=H)
    return H * T * D + H


def convolution_parameters(C_in: int, C_out: int, k: int) -> int:
    """Channels in and out, k taps -> parameters; dilation costs none."""
    check_positive(C_in=C_in, C_out=C_out, k=k)
    return k * C_out * C_in + C_out


def attention_parameters(D: int, H: int) -> int:
    """Inputs D, all heads together H -> parameters of q, k, v and output."""
    check_positive(D=D, H=H)
    return 3 * (H * D + H) + D * H + D


def embedding_parameters(V: int, D: int) -> int:
    """V words -> numbers in a table with D for each of them."""
    check_positive(V=V, D=D)
    return V * D


def readout_parameters(H: int, V: int) -> int:
    """States H, logits V -> numbers in W_hy and b_y."""
    check_positive(H=H, V=V)
    return V * H + V


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


def step_multiply_adds(blocks: int, D: int, H: int) -> int:
    """Multiply-adds of one step of one example, matrix products only.

    blocks is 1 for an RNN, 3 for a GRU, 4 for an LSTM.
    """
    check_positive(blocks=blocks, D=D, H=H)
    return blocks * (H * D + H * H)


def attention_multiply_adds(n: int, D: int, H: int) -> int:
    """Multiply-adds of a step: projections, then scores and sum of n."""
    check_positive(n=n, D=D, H=H)
    return 4 * D * H + 2 * n * H


def attention_crossing(blocks: int, d: int) -> int:
    """Context up to which attention costs less than a cell, both d wide.

    blocks is that of step_multiply_adds; an RNN's 1 gives 0: never.
    """
    check_positive(blocks=blocks, d=d)
    return max(blocks - 2, 0) * d  # 4 d^2 + 2 n d = 2 blocks d^2


def stored_states(T: int) -> int:
    """States that backpropagation over T steps keeps: h_0 to h_T."""
    check_positive(T=T)
    return T + 1


def checkpointed_states(T: int, every: int) -> int:
    """States kept at once if only every `every`-th one is stored.

    The checkpoints, and the states of the one segment being recomputed;
    least near every = sqrt(T), where both are about sqrt(T).
    """
    check_positive(T=T, every=every)
    checkpoints = -(-T // every)  # rounded up; h_0 is the first
    return checkpoints + min(every, T)


def state_bytes(states: int, B: int, H: int, itemsize: int = 4) -> int:
    """Bytes of so many states (B, H); an item of float32 takes 4."""
    check_positive(states=states, B=B, H=H, itemsize=itemsize)
    return states * B * H * itemsize


def cache_bytes(layers: int, kv_heads: int, head_dim: int, itemsize: int = 2):
    """-> bytes that each token adds to the keys and values of attention."""
    check_positive(layers=layers, kv_heads=kv_heads)
    check_positive(head_dim=head_dim, itemsize=itemsize)
    return 2 * layers * kv_heads * head_dim * itemsize


def matrix_state_bytes(
    layers: int, heads: int, rows: int, columns: int, itemsize: int = 2
) -> int:
    """Bytes of states that are matrices, the same for any context.

    Linear attention: keys by values; an SSM: one head, D channels by N.
    """
    check_positive(layers=layers, heads=heads, itemsize=itemsize)
    check_positive(rows=rows, columns=columns)
    return layers * heads * rows * columns * itemsize


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


def grid_paths(T: int, L: int) -> tuple[int, int]:
    """Edges, and number, of the paths from step 1 to T and up L layers.

    A stack unrolls to a T x L grid with edges to the right and up; every
    path from corner to corner is equally long.
    """
    check_positive(T=T, L=L)
    edges = (T - 1) + (L - 1)
    return edges, comb(edges, L - 1)  # (deep.5)
