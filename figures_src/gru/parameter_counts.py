"""Parameters of RNN, GRU and LSTM: at equal size, and sizes at equal count.

For docs/en/gru.md. One bias a block, as everywhere in this book.
"""

import matplotlib.pyplot as plt

from seqbook.counting import (
    gru_parameters,
    largest_hidden,
    lstm_parameters,
    rnn_parameters,
)

D, H = 128, 256
CELLS = {
    "RNN": (rnn_parameters, "h", ""),
    "GRU": (gru_parameters, "write", "//"),
    "LSTM": (lstm_parameters, "c", "xx"),
}


def results():
    """Parameters at H units, and units at the LSTM's parameters."""
    budget = lstm_parameters(D, H)
    return {
        "D": D,
        "H": H,
        "count": {name: f(D, H) for name, (f, _, _) in CELLS.items()},
        "units": {
            name: largest_hidden(f, D, budget)
            for name, (f, _, _) in CELLS.items()
        },
    }


def figure(look):
    fig, (left, right) = plt.subplots(
        1, 2, figsize=look.size(2.6), sharey=True
    )
    found, paper = results(), look.colour("paper")
    for i, (name, (_, quantity, hatch)) in enumerate(CELLS.items()):
        style = {"color": look.colour(quantity), "hatch": hatch}
        count, units = found["count"][name], found["units"][name]
        left.barh(i, count, 0.6, edgecolor=paper, **style)
        left.text(count, i, f" {count:,}", va="center", fontsize=9.5)
        right.barh(i, units, 0.6, edgecolor=paper, **style)
        right.text(units, i, f" {units}", va="center", fontsize=9.5)
    left.set_yticks(range(3), CELLS)
    left.set(xlabel=f"parameters at $H = {H}$", xlim=(0, 560_000))
    left.set_xticks([0, 200_000, 400_000], ["0", "200k", "400k"])
    right.set(xlabel="units at equal count", xlim=(0, 700))
    return fig
