# %% [markdown]
# # 梯度去了哪里 {#where-the-gradient-goes}
#
# 损失放在一百步的最后一步。
# 它的梯度传到一步、十步、五十步、九十九步之前的输入，还剩多少？
# 本书的每种单元，我们都测一遍，都不训练：先按和 PyTorch 差不多的方式初始化，再改动一个数，那个决定记忆的数。
#
# 先读[梯度消失](../vanishing_gradients.md)；门的名字见[门控循环单元](../gru.md)。
#
# ## 怎样测 {#measurement}
#
# 六十四个单元，八个输入，一批三十二条随机序列，损失 $L = \sum h_T^2$。
# 反向传播用的是本书自己的代码，正交初始化也是。

# %%
import time

import numpy as np

from seqbook.gradients import orthogonal
from seqbook.gru import gru_backward, gru_forward, init_gru
from seqbook.lstm import init_lstm, lstm_backward, lstm_forward
from seqbook.rnn import init_rnn, rnn_backward, rnn_forward

T, B, D, H, SEEDS = 100, 32, 8, 64, 5


def rnn(rng, start):
    p = init_rnn(rng, D, H)
    if start == "orthogonal":
        p.W_hh = orthogonal(rng, H)
    x, zero = rng.normal(size=(T, B, D)), np.zeros((B, H))
    h, cache = rnn_forward(p, x, zero)
    return rnn_backward(p, at_the_end(h), cache)[0]


def gru(rng, b_z):
    p = init_gru(rng, D, H)
    if b_z is not None:
        p.b_h[H : 2 * H] = b_z  # blocks r | z | n
    x, zero = rng.normal(size=(T, B, D)), np.zeros((B, H))
    h, cache = gru_forward(p, x, zero)
    return gru_backward(p, at_the_end(h), cache)[0]


def lstm(rng, b_f):
    p = init_lstm(rng, D, H)
    if b_f is not None:
        p.b_h[H : 2 * H] = b_f  # blocks i | f | g | o
    x, zero = rng.normal(size=(T, B, D)), np.zeros((B, H))
    h, _, cache = lstm_forward(p, x, zero, zero)
    return lstm_backward(p, at_the_end(h), zero, cache)[0]


def at_the_end(h):
    dh = np.zeros_like(h)
    dh[-1] = 2 * h[-1]  # L = sum of h_T squared
    return dh


# %% [markdown]
# `dx` 的形状是 (T, B, D)。每一步取一片，算它的范数，再把时间倒过来，从损失所在的那一步数起：往回几步，滞后（lag）就是几。最后都除以滞后为零的那一个，因为要看的只是衰减的**形状**，公共的倍数可以由学习率补上。

# %%
CELLS = {
    "RNN": (rnn, None),
    "RNN, orthogonal": (rnn, "orthogonal"),
    "GRU": (gru, None),
    "GRU, b_z = -3": (gru, -3.0),
    "LSTM": (lstm, None),
    "LSTM, b_f = 1": (lstm, 1.0),
    "LSTM, b_f = 2": (lstm, 2.0),
    "LSTM, b_f = 5": (lstm, 5.0),
}


def decay(cell, setting, seed):
    dx = cell(np.random.default_rng(seed), setting)
    norms = np.linalg.norm(dx, axis=(1, 2))[::-1]
    return norms / norms[0]


started = time.process_time()
runs = {
    name: np.array([decay(cell, setting, s) for s in range(SEEDS)])
    for name, (cell, setting) in CELLS.items()
}
seconds = time.process_time() - started

for name, curves in runs.items():
    row = "  ".join(f"{np.median(curves[:, k]):8.1e}" for k in (1, 10, 50, 99))
    print(f"{name:16s} {row}")

# %% [markdown]
# 各列的滞后依次是一、十、五十和九十九，表中是五个随机种子的中位数。
# 在构建本页的机器上，一个核用了 […](#= "f'{seconds:.0f}'") 秒。

# %%
import matplotlib.pyplot as plt

from bookproof.run.figures import Shown, spread

LINES = {"RNN": ("h", "-"), "GRU": ("write", "--"), "LSTM": ("c", "-")}


def draw(look):
    fig, ax = plt.subplots(figsize=look.size(4.2))
    ends = {
        name: np.median(curves, axis=0)[-1] for name, curves in runs.items()
    }
    below, places = 0, {}
    for name in sorted(ends, key=ends.get):  # labels, one above the other
        below = places[name] = max(ends[name], 20 * below)
    for name, curves in runs.items():
        quantity, style = LINES[name.partition(",")[0]]
        colour, special = look.colour(quantity), "," in name
        for curve in curves:
            ax.plot(curve, style, color=colour, lw=0.5, alpha=0.35)
        middle = np.median(curves, axis=0)
        ax.plot(middle, style, color=colour, lw=2.2 - special)
        ax.annotate(
            name,
            (T - 1, places[name]),
            xytext=(4, 0),
            textcoords="offset points",
            va="center",
            fontsize=9,
            color=colour,
        )
    ax.set(yscale="log", ylim=(1e-26, 1e3), xlim=(0, 99))
    ax.set(xlabel="lag", ylabel="gradient, lag 0 = 1 (log axis)")
    return fig


Shown(draw, "Gradient against lag for eight cells on a log axis")

# %% [markdown]
# 看得出三件事。
#
# **LSTM 按默认值初始化，和普通网络一样丢掉梯度**。
# 滞后九十九处，每个种子都只剩[不到百亿分之一](#= "runs['LSTM'][:, 99].max() < 1e-10")。穿过细胞状态的路是有的，可是门只开了一半：刚初始化的遗忘门在二分之一附近，二分之一的九十九次方是 [1.6×10⁻³⁰](#= "0.5**99")。实际传到的是它的[一亿倍](#= "runs['LSTM'][:, 99].min() > 10**8 * 0.5**99")以上，走的是别的路，[下面](#direct-path)会讲。GRU 的门默认改写一半状态，结果[也好不了](#= "runs['GRU'][:, 99].max() < 1e-10")。
#
# **改一个数，就不一样了**。
# 遗忘门偏置取一，远端的梯度比默认时高出[十二个数量级以上](#= "runs['LSTM, b_f = 1'][:, 99].min() > 10**12 * runs['LSTM'][:, 99].max()")。取二，传到的有 […](#= "spread(runs['LSTM, b_f = 2'][:, 99])")。GRU 取 $b_z = -3$，也涨了上来，传到的有 […](#= "spread(runs['GRU, b_z = -3'][:, 99])")。
#
# **梯度也会太多**。
# 偏置取五，远端得到的[比近端还多](#= "np.median(runs['LSTM, b_f = 5'][:, 99]) > 1")：细胞状态留了下来，亮在外面的那一份候选每一步都看得到，往回走的梯度就[经过候选](#direct-path)，每一步都添一点。“LSTM 的梯度几乎不衰减”，这话说的是偏置，不是单元。
#
# 正交初始化的网络比默认的[好得多](#= "runs['RNN, orthogonal'][:, 99].min() > 10**10 * runs['RNN'][:, 99].max()")，[甚至胜过](#= "runs['RNN, orthogonal'][:, 99].min() > runs['LSTM, b_f = 1'][:, 99].max()")偏置取一的 LSTM。它还是在降，因为矩阵保持长度，tanh 不保持。
#
# ## 直接的路漏掉了什么 {#direct-path}
#
# 这些曲线通常用一行来解释：$\partial c_t / \partial c_{t-1} = f_t$，所以只看遗忘门的乘积。
# 这个导数把旧的输出 $h_{t-1}$ 固定住了。可是 $h_{t-1} = o_{t-1} \odot \tanh(c_{t-1})$ 随细胞状态而变，第 $t$ 步的三道门和候选又都看着它。
# 这一行漏掉了多少？

# %%
from seqbook.gradcheck import relative_error
from seqbook.lstm import lstm_step


def jacobians(seed, H=6, scale=3.0, eps=1e-6):
    """Direct and total dc_2/dc_1 of an LSTM step by central differences."""
    rng = np.random.default_rng(seed)
    p = init_lstm(rng, 3, H)
    p.W_hh *= scale
    x_1, x_2 = rng.normal(size=(2, 1, 3))
    h_0, c_0 = rng.normal(size=(2, 1, H))
    h_1, c_1, (*_, o_1, _) = lstm_step(p, x_1, h_0, c_0)
    direct, total = np.zeros((H, H)), np.zeros((H, H))
    for j in range(H):
        for sign in (1, -1):
            c = c_1.copy()
            c[0, j] += sign * eps
            held = lstm_step(p, x_2, h_1, c)[1]
            moved = lstm_step(p, x_2, o_1 * np.tanh(c), c)[1]
            direct[:, j] += sign * held[0] / (2 * eps)
            total[:, j] += sign * moved[0] / (2 * eps)
    f_2 = lstm_step(p, x_2, h_1, c_1)[2][4]
    return direct, total, f_2[0]


pairs = [jacobians(seed) for seed in range(SEEDS)]
left_out = [relative_error(direct, total) for direct, total, _ in pairs]
exact = [relative_error(direct, np.diag(f)) for direct, _, f in pairs]
print(f"direct path against diag(f): {max(exact):.0e}")
print("left out of the total:", ", ".join(f"{e:.0%}" for e in left_out))

# %% [markdown]
# 直接的路就是遗忘门，相差只在[差分的精度](#= "max(exact) < 1e-6")以内，和公式说的一样。
# 全导数是另一回事：循环权重取默认的三倍，在各个种子上，这一行漏掉了全导数的 […](#= "f'{min(left_out):.0%} – {max(left_out):.0%}'")。
#
# 这只是一步。走许多步，权重也照常，有多少梯度走直接的路？
# 我们再往回走一遍，每一步都丢掉经过 $h_{t-1}$ 传来的那些。

# %%
from seqbook.lstm import lstm_step_backward


def without(cut, seed, b_f):
    """As decay(), the rows of W_hh in cut (of "ifgo") shut on the way back."""
    rng = np.random.default_rng(seed)
    p = init_lstm(rng, D, H)
    if b_f is not None:
        p.b_h[H : 2 * H] = b_f
    x, h, c = rng.normal(size=(T, B, D)), np.zeros((B, H)), np.zeros((B, H))
    caches = []
    for x_t in x:
        h, c, cache = lstm_step(p, x_t, h, c)
        caches.append(cache)
    for name in cut:
        p.W_hh["ifgo".index(name) * H :][:H] = 0
    dh, dc, norms = 2 * h, np.zeros_like(c), []
    for cache in caches[::-1]:
        dx, dh, dc, _ = lstm_step_backward(p, dh, dc, cache)
        norms.append(np.linalg.norm(dx))
    return np.array(norms) / norms[0]


roads = {}
for name, (cell, b_f) in CELLS.items():
    if cell is lstm:
        direct = [without("ifgo", seed, b_f)[99] for seed in range(SEEDS)]
        roads[name] = np.array(direct) / runs[name][:, 99]
        one, all_ = np.median(direct), np.median(runs[name][:, 99])
        print(f"{name:14s} direct {one:7.1e}  all roads {all_:7.1e}")

gates, candidate = (
    np.array([without(cut, seed, 5.0)[99] for seed in range(SEEDS)])
    for cut in ("ifo", "g")
)

# %% [markdown]
# 无论怎样设置，直接的路承担的都是**小头**：传到滞后九十九处的梯度里，偏置不超过二时它占[不到千分之一](#= "max(roads[n].max() for n in ('LSTM', 'LSTM, b_f = 1', 'LSTM, b_f = 2')) < 1e-3")，取五时占[不到十分之一](#= "roads['LSTM, b_f = 5'].max() < 0.1")。
# 别的路走的是候选。偏置取五时，往回走的路上对梯度关掉三道门，传到的还有 […](#= "spread(gates)")，是所有的路合起来的[七成以上](#= "(gates / runs['LSTM, b_f = 5'][:, 99]).min() > 0.7")；改成关掉候选，就只剩 […](#= "spread(candidate)")。
# 把 $f^k$ 当作“LSTM 的梯度”，看到的只是一条路。步数一多，大部分梯度走的是别的路。
#
# ## 这里没有说明什么 {#limits}
#
# 网络没有训练过，输入是噪声，损失只是个玩具。
# 梯度传得到，是能学会的必要条件，不是充分条件；传到之后单元能不能**学会**记忆，[GRU 一章](../gru.md#which-remembers)有测量。
