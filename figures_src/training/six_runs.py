"""Six training runs of one program, five of them with one line changed.

For docs/en/training.md and its lab, diagnose. The runs are those of
studies/six_runs.py.

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

import matplotlib.pyplot as plt
import numpy as np

from bookproof.run.records import runs
from figures_src.studies.six_runs import FAULTS, UPDATES

# A to F; none stands where FAULTS has it.
ORDER = "leak wrong_axis unclipped padded_mean healthy too_fast".split()
ENDS = "valid", "norm", "saturated", "sentence"
BASELINES = "guess", "unigram", "bigram", "threshold", "units"
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
    letters = dict(zip(ORDER, "ABCDEF", strict=True))
    (baselines,) = runs("six_runs", row="baselines")
    return {
        "runs": [one_run(name, letters[name]) for name in FAULTS],
        **{key: baselines[key] for key in BASELINES},
    }


def one_run(name, letter):
    """What the lab knows of one of the six."""
    seeds = runs("six_runs", row=name)
    (right, wrong), (diagnosis, sign) = FAULTS[name], DIAGNOSES[name]
    return {
        "letter": letter,
        "name": name,
        "right": right,
        "wrong": wrong,
        "diagnosis": dict(zip(("en", "zh"), diagnosis, strict=True)),
        "sign": dict(zip(("en", "zh"), sign, strict=True)),
        **seeds[0]["curves"],
        "seeds": {key: [run[key] for run in seeds] for key in ENDS},
    }


PANELS = {  # series, axis label, limits, scale
    "valid": ("nats", (0, 6.2), "linear"),
    "norm": ("gradient norm", (0.004, 9), "log"),
    "saturated": ("gates at an end", (-0.05, 1.05), "linear"),
}


def figure(look):
    """Six runs beside each other; loss, gradient norm, saturated gates."""
    found = results()
    six = sorted(found["runs"], key=lambda run: run["letter"])
    rows = 2 if look.narrow else 1  # of runs
    size = look.size(4.8, phone=8.46)
    fig, axes = plt.subplots(len(PANELS) * rows, figsize=size, sharex=True)
    each = len(six) // rows
    for row in range(rows):
        some = six[row * each : (row + 1) * each]
        for ax, panel in zip(axes[row * 3 :], PANELS, strict=False):
            strips(look, ax, some, panel, found)
        for n, run in enumerate(some):
            place = {"xycoords": ("data", "axes fraction"), "ha": "center"}
            axes[row * 3].annotate(run["letter"], (n + 0.46, 1.03), **place)
    axes[-1].set_xlabel(f"{UPDATES} updates each")
    return fig


def strips(look, ax, some, panel, found):
    """One monitor of some runs, one strip of the axis each."""
    label, limits, scale = PANELS[panel]
    muted = look.colour("muted")
    for n, run in enumerate(some):
        t = n + 0.92 * np.array(run["t"]) / UPDATES
        if panel == "valid":
            ax.plot(t[::2], run["train"][::2], **look.line("x"))
            ax.plot(t[::2], run["valid"][::2], **look.line("h"))
        elif panel == "norm":
            norm = np.array(run["norm"])
            longest = [norm[0], *np.maximum(norm[1::2], norm[2::2])]
            ax.plot(t[::2], longest, color=look.colour("gradient"), lw=1.5)
        else:
            shade = look.colour("keep")
            ax.plot(t[::2], run["saturated"][::2], color=shade, lw=1.5)
        if n:
            ax.axvline(n - 0.04, color=muted, lw=0.5)
    lines = {"valid": ["guess", "bigram"], "norm": ["threshold"]}
    for key in lines.get(panel, []):
        ax.axhline(found[key], color=muted, ls=":", lw=1)
    ax.set(ylabel=label, ylim=limits, yscale=scale, xlim=(-0.04, len(some)))
    ax.set_xticks([])
