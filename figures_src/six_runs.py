"""Six training runs of one program, five of them with one line changed.

For docs/en/training.md and its lab, diagnose. A study: `make studies` runs
it. Every run is seqbook/torch_training.py itself, executed after one line
of its text was replaced, so that the line shown is the line that ran.

results() is the contract of the lab:

    "runs": [{            six, in the order of FAULTS
        "letter":         "A" to "F": what it is called until it is found out
        "name":           "healthy", "unclipped", "too_fast", "wrong_axis",
                          "padded_mean" or "leak"
        "right", "wrong": the line of the program, and what stood there
                          instead; "" for the healthy run
        "diagnosis":      {"en", "zh"} what is wrong, one sentence
        "sign":           {"en", "zh"} what gives it away, one sentence
        "t":              updates done: 1, 8, 16, ..., 400
        "train", "valid", "worst": nats per character; of the last updates,
                          held out, of the worst held-out sentence
        "norm":           longest gradient since the point before
        "above":          share of gradients longer than the threshold
        "cell":           mean length of c
        "saturated":      share of gates below 0.05 or above 0.95
        "seeds":          {"valid", "norm", "saturated", "sentence"}: over
                          five seeds, the last valid, the longest gradient,
                          the last share, the worst held-out sentence
    }, ...]
    "guess":     log V, nats of one who knows nothing
    "unigram":   nats of one who counts characters, on the held-out ones
    "bigram":    the same, looking at the character before
    "threshold": where gradients are clipped
    "units":     H, so that cell / sqrt(H) is the size of an entry
"""

import inspect
import math
import types

import matplotlib.pyplot as plt
import numpy as np
import torch

from bookproof.run.studies import load_study
from figures_src import palette
from seqbook import torch_training
from seqbook.language_model import count_ngrams, kneser_ney_probs, ngram_nats
from seqbook.text import EOS, topic_sentences

SEEDS = [0, 1, 2, 3, 4]
EVERY, UPDATES = 8, 400
SERIES = "train", "valid", "worst", "norm", "above", "cell", "saturated"
FAULTS = {  # name: the line, what stood there instead
    "healthy": ("", ""),
    "unclipped": (
        "norm = clip_grad_norm_("
        "model.parameters(), clip, error_if_nonfinite=True)",
        'norm = clip_grad_norm_(model.parameters(), float("inf"))',
    ),
    "too_fast": ("peak: float = 8.0", "peak: float = 80.0"),
    "wrong_axis": (
        "self.cell = nn.LSTM(H, H)",
        "self.cell = nn.LSTM(H, H, batch_first=True)",
    ),
    "padded_mean": (
        "mean = nats.sum() / real.sum()",
        "mean = nats.mean()",
    ),
    "leak": (
        "logits, targets, real = model(ids[:-1]), ids[1:], mask[1:]",
        "logits, targets, real = model(ids[1:]), ids[1:], mask[1:]",
    ),
}
# A to F; none stands where FAULTS has it.
ORDER = "leak wrong_axis unclipped padded_mean healthy too_fast".split()


def program(right, wrong):
    """seqbook/torch_training.py with one line replaced, as a module."""
    text = inspect.getsource(torch_training)
    if right:
        assert text.count(right) == 1, right
        text = text.replace(right, wrong)
    module = types.ModuleType("program")
    exec(compile(text, "program", "exec"), module.__dict__)
    return module


def run(name, seed):
    """Train one of the six -> its monitors, a dict of lists; the sentence
    of the held-out ones that costs most in the end.
    """
    p = program(*FAULTS[name])
    texts = p.prepare(topic_sentences())
    recipe = p.Recipe(
        seed=seed, every=EVERY, total=UPDATES, warmup=1, patience=UPDATES
    )
    this = p.start(recipe, len(texts.vocabulary))
    p.train(this, texts, 1)
    this.looks.append(p.look(this, texts))
    p.train(this, texts, UPDATES, tell=lambda line: None)
    with torch.no_grad():
        _, each = p.next_id_loss(this.model.eval(), *texts.valid)
    return {
        key: [shortened(look[key]) for look in this.looks]
        for key in ("t", *SERIES)
    }, topic_sentences()[::10][int(each.argmax())]


def shortened(value):
    return float(f"{value:.3g}") if isinstance(value, float) else value


def bigram(texts):
    """Nats per character, held out, of one who sees the one before."""
    ids, mask = (a.numpy() for a in texts.valid)
    V = len(texts.vocabulary)
    lm = count_ngrams([s[1:-1] for s in texts.train], 2, V, EOS)
    held_out = [
        i[m][1:-1].tolist() for i, m in zip(ids.T, mask.T, strict=True)
    ]
    nats, counts = ngram_nats(
        lm, lambda lm, context: kneser_ney_probs(lm, context, 0.75), held_out
    )
    return float(nats.sum() / counts.sum())


def study(tell):
    """-> the six runs of the first seed, the ends of all, the baselines."""
    torch.set_num_threads(1)
    curves, ends = {}, {}
    for name in FAULTS:
        keys = "valid", "norm", "saturated", "sentence"
        ends[name] = {key: [] for key in keys}
        for seed in SEEDS:
            found, sentence = run(name, seed)
            curves.setdefault(name, found)
            ends[name]["valid"].append(found["valid"][-1])
            ends[name]["norm"].append(max(found["norm"]))
            ends[name]["saturated"].append(found["saturated"][-1])
            ends[name]["sentence"].append(sentence)
            tell(f"{name}, seed {seed}: {found['valid'][-1]} nats")
    texts = torch_training.prepare(topic_sentences())
    return {
        "curves": curves,
        "ends": ends,
        "guess": math.log(len(texts.vocabulary)),
        "unigram": texts.baseline,
        "bigram": bigram(texts),
        "threshold": torch_training.Recipe().clip,
        "units": torch_training.Recipe().H,
    }


DIAGNOSES = {  # name: (what is wrong, what gives it away), en and zh
    "healthy": (
        (
            "Nothing is wrong.",
            "没有问题。",
        ),
        (
            "Both losses fall together and pass the bigram; the first "
            "gradients are clipped, later ones are not.",
            "两条损失一起下降，越过二元模型；只有开头的梯度被裁剪，后来不再被裁剪。",
        ),
    ),
    "unclipped": (
        (
            "The gradient is measured but not clipped: the first steps were "
            "too long, and they jammed the gates.",
            "梯度只量了长度，没有裁剪：开头几步太长，门被推到了两端，卡死了。",
        ),
        (
            "Nearly every gate is stuck near zero or one from the first "
            "updates on, and the loss stops above the bigram, though the "
            "gradients have long been short.",
            "从最初几步起，几乎所有的门都贴在零或一附近；梯度早已变短，损失却停在二元模型之上。",
        ),
    ),
    "too_fast": (
        (
            "The learning rate is ten times too high.",
            "学习率高了十倍。",
        ),
        (
            "For most of the run every gradient is longer than the threshold, "
            "and the loss wanders above that of knowing nothing; it only "
            "comes down when the schedule has lowered the rate.",
            "大部分时间里每个梯度都超过阈值，损失在“一无所知”的水平之上徘徊；直到学习率按计划降下来，它才下降。",
        ),
    ),
    "wrong_axis": (
        (
            "Batch and time are swapped: the cell runs from sentence to "
            "sentence and never sees the character before.",
            "批次轴和时间轴弄反了：单元在句子之间走，从来看不到前一个字符。",
        ),
        (
            "Training is calm, gradients are short, and the loss stays at "
            "that of the bigram: all it knows is the character in front "
            "of it.",
            "训练平静，梯度很短，损失却停在二元模型的水平：它只知道眼前这一个字符。",
        ),
    ),
    "padded_mean": (
        (
            "The loss is averaged over the padding too.",
            "求平均时把填充也算了进去。",
        ),
        (
            "The first training loss, from before anything was learned, is "
            "already below that of knowing nothing, and the worst held-out "
            "sentence is far above the mean from the start.",
            "还什么都没学，第一个训练损失就已经低于“一无所知”的水平，留出集里最差的句子从一开始就远高于平均。",
        ),
    ),
    "leak": (
        (
            "The input is not shifted: the model is shown the very "
            "character that it is to predict.",
            "输入没有错开一位：要预测的字符，模型已经看到了。",
        ),
        (
            "The held-out loss goes to zero, and no model of language "
            "does that.",
            "留出集的损失趋于零，而没有哪个语言模型做得到。",
        ),
    ),
}


def results():
    """See the contract above."""
    found = load_study("six_runs")["results"]
    runs = []
    letters = dict(zip(ORDER, "ABCDEF", strict=True))
    for name, (right, wrong) in FAULTS.items():
        says = [
            dict(zip(("en", "zh"), pair, strict=True))
            for pair in DIAGNOSES[name]
        ]
        runs.append(
            {
                "letter": letters[name],
                "name": name,
                "right": right,
                "wrong": wrong,
                "diagnosis": says[0],
                "sign": says[1],
                **found["curves"][name],
                "seeds": found["ends"][name],
            }
        )
    rest = ("guess", "unigram", "bigram", "threshold", "units")
    return {"runs": runs, **{key: found[key] for key in rest}}


PANELS = {  # series, axis label, limits, scale
    "valid": ("nats", (0, 6.2), "linear"),
    "norm": ("gradient norm", (0.004, 9), "log"),
    "saturated": ("gates at an end", (-0.05, 1.05), "linear"),
}


def figure():
    """Six runs beside each other; loss, gradient norm, saturated gates."""
    found = results()
    runs = sorted(found["runs"], key=lambda run: run["letter"])
    rows = 2 if palette.narrow else 1  # of runs
    shape = (len(PANELS) * rows, 1)
    size = palette.size(9.4 if palette.narrow else 4.8)
    fig, axes = plt.subplots(*shape, figsize=size, sharex=True)
    each = len(runs) // rows
    for row in range(rows):
        some = runs[row * each : (row + 1) * each]
        for ax, panel in zip(axes[row * 3 :], PANELS, strict=False):
            strips(ax, some, panel, found)
        for n, run in enumerate(some):
            axes[row * 3].annotate(
                run["letter"],
                (n + 0.46, 1.03),
                xycoords=("data", "axes fraction"),
                ha="center",
            )
    axes[-1].set_xlabel(f"{UPDATES} updates each")
    return fig


def strips(ax, runs, panel, found):
    """One monitor of some runs, one strip of the axis each."""
    label, limits, scale = PANELS[panel]
    for n, run in enumerate(runs):
        t = n + 0.92 * np.array(run["t"]) / UPDATES
        if panel == "valid":
            ax.plot(t[::2], run["train"][::2], **palette.line("x"))
            ax.plot(t[::2], run["valid"][::2], **palette.line("h"))
        elif panel == "norm":
            norm = np.array(run["norm"])
            longest = [norm[0], *np.maximum(norm[1::2], norm[2::2])]
            look = {"color": palette.colour("gradient"), "lw": 1.5}
            ax.plot(t[::2], longest, **look)
        else:
            look = {"color": palette.colour("keep"), "lw": 1.5}
            ax.plot(t[::2], run["saturated"][::2], **look)
        if n:
            ax.axvline(n - 0.04, color=palette.colour("muted"), lw=0.5)
    lines = {"valid": ["guess", "bigram"], "norm": ["threshold"]}
    for key in lines.get(panel, []):
        ax.axhline(found[key], color=palette.colour("muted"), ls=":", lw=1)
    ax.set(ylabel=label, ylim=limits, yscale=scale, xlim=(-0.04, len(runs)))
    ax.set_xticks([])
