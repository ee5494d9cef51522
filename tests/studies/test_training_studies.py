"""The studies of docs/en/training.md: what was run, and what came out."""

import inspect

import numpy as np
import pytest
import torch

from bookproof.run.confirm import row_of
from bookproof.run.records import record
from figures_src.studies import adding_plateau as adding
from figures_src.studies import six_runs as six
from figures_src.studies.gate_histograms import BIASES, BINS
from figures_src.training import (
    adding_plateau,
    gate_histograms,
    learning_rates,
    six_runs,
)
from seqbook import torch_training
from seqbook.tasks import adding_baseline
from seqbook.text import topic_sentences

FAULTY = [name for name in six.FAULTS if name != "healthy"]


@pytest.mark.parametrize(
    "name", ["adding_plateau", "gate_histograms", "learning_rates", "six_runs"]
)
def test_five_seeds_each(name):
    rows = {}
    for entry in record(name)["runs"]:
        rows.setdefault(row_of(entry["job"]), []).append(entry["job"]["seed"])
    rows.pop(row_of({"row": "baselines"}), None)
    assert all(seeds == [*range(5)] for seeds in rows.values())


# Six runs


@pytest.mark.parametrize("name", FAULTY)
def test_the_line_that_is_right_stands_in_the_program_once(name):
    right, wrong = six.FAULTS[name]
    text = inspect.getsource(torch_training)
    assert text.count(right) == 1 and wrong not in text


@pytest.mark.parametrize("name", six.FAULTS)
def test_the_program_that_runs_differs_in_that_line_only(name, monkeypatch):
    monkeypatch.setattr(six, "UPDATES", 3)
    monkeypatch.setattr(six, "EVERY", 3)
    found, sentence = six.trained(name, 0)
    assert sentence in topic_sentences()[::10]
    assert found["t"] == [1, 3]
    if name == "healthy":
        assert found == plain()
    else:
        assert found != plain()


def plain():
    """Three updates of the program as it stands."""
    texts = torch_training.prepare(topic_sentences())
    recipe = torch_training.Recipe(every=3, total=3, warmup=1, patience=3)
    run = torch_training.start(recipe, len(texts.vocabulary))
    torch_training.train(run, texts, 1)
    run.looks.append(torch_training.look(run, texts))
    torch_training.train(run, texts, 2, tell=lambda line: None)
    return {
        key: [six.shortened(look[key]) for look in run.looks]
        for key in ("t", *six.SERIES)
    }


def test_the_contract_with_the_lab():
    found = six_runs.results()
    assert set(found) == {
        "runs",
        "guess",
        "unigram",
        "bigram",
        "threshold",
        "units",
    }
    assert [run["name"] for run in found["runs"]] == [*six.FAULTS]
    for run in found["runs"]:
        assert set(run) == {
            "letter",
            "name",
            "right",
            "wrong",
            "diagnosis",
            "sign",
            "t",
            *six.SERIES,
            "seeds",
        }
        points = len(run["t"])
        assert points <= 120 and run["t"][-1] == six.UPDATES
        assert all(len(run[key]) == points for key in six.SERIES)
        for words in run["diagnosis"], run["sign"]:
            assert set(words) == {"en", "zh"} and all(words.values())
            assert not any(c.isdigit() for t in words.values() for c in t)
        assert all(len(values) == 5 for values in run["seeds"].values())


def test_each_fault_shows_where_its_sign_says():
    found = six_runs.results()
    runs = {run["name"]: run for run in found["runs"]}
    end = {name: run["seeds"]["valid"] for name, run in runs.items()}
    stuck = {name: run["seeds"]["saturated"] for name, run in runs.items()}
    assert max(end["healthy"]) < found["bigram"] - 0.5
    assert runs["healthy"]["above"][1] > 0.5
    assert max(runs["healthy"]["above"][10:]) == 0
    assert min(stuck["unclipped"]) > 0.9 > 0.8 > max(stuck["healthy"])
    assert max(runs["unclipped"]["norm"][10:]) < 1
    assert np.mean(runs["too_fast"]["above"]) > 0.5
    assert max(runs["too_fast"]["valid"]) > 2 * found["guess"]
    assert min(runs["too_fast"]["valid"][:25]) > found["guess"]  # half way
    assert min(abs(np.array(end["wrong_axis"]) - found["bigram"])) < 0.1
    assert runs["padded_mean"]["valid"][0] < found["unigram"]
    assert runs["padded_mean"]["worst"][0] > found["guess"] - 0.2
    assert max(end["leak"]) < 0.01


def test_baselines_stand_in_their_order():
    found = six_runs.results()
    assert found["guess"] > found["unigram"] > found["bigram"] > 2


# Learning rates


def test_clipping_widens_the_range_of_sgd_and_not_of_adam():
    found = learning_rates.results()
    for rate in 8.0, 16.0, 32.0:
        clipped = found["SGD, clipped"][rate]["valid"]
        assert max(clipped) < min(found["SGD"][rate]["valid"])
    assert min(found["SGD"][8.0]["saturated"]) > 0.9
    assert max(found["SGD, clipped"][8.0]["saturated"]) < 0.7
    for rate, runs in found["Adam, clipped"].items():
        apart = np.median(runs["valid"]) - np.median(
            found["Adam"][rate]["valid"]
        )
        assert abs(apart) < 0.2


def test_the_best_rates_are_what_the_corrections_say():
    found = learning_rates.results()

    def best(row):
        rates = found[row]
        return min(rates, key=lambda rate: np.median(rates[rate]["valid"]))

    assert best("Adam") == best("Adam, clipped") == 30 * 0.001
    assert 1000 * 0.001 < best("SGD") <= best("SGD, clipped") < 10


def test_more_is_clipped_the_higher_the_rate():
    found = learning_rates.results()["SGD, clipped"]
    above = [np.median(runs["above"]) for runs in found.values()]
    assert above[-1] > above[-2] > max(above[1:5])


# Gates


def test_histograms_are_shares_and_start_where_the_bias_says():
    found = gate_histograms.results()
    assert [*found] == BIASES
    middle = BINS[:-1] + 0.025
    for bias, runs in found.items():
        for shares in runs["before"] + runs["after"]:
            assert sum(shares) == pytest.approx(1, abs=2e-3)
        mean = np.mean(np.array(runs["before"]) @ middle)
        assert abs(mean - 1 / (1 + np.exp(-bias))) < 0.05


# Plateaus


def test_first_counts_iterations_until_something_holds():
    losses = [3.0, 2.0, 1.0]
    assert adding_plateau.moment(losses, lambda seen: seen[-1] < 2.5) == 100
    assert adding_plateau.moment(losses, lambda seen: seen[-1] < 0) is None


def test_summary_of_a_run_that_waits_and_falls():
    flat, low = [0.17, 0.168, *[0.169] * 9], [0.1, 0.01]
    reach = [1e-5] * 10 + [0.02, 1.0, 1.0]
    run = {"iterations": 650, "solved": True, "losses": flat + low}
    found = adding_plateau.summary([{**run, "reach": reach}])
    assert found["reaches"] == [11 * 50]
    assert found["plateau"] == [12 * 50]
    assert found["impatient"] == [7 * 50]  # five means after the second
    assert found["patient"] == [None]


def test_plain_networks_stay_on_the_plateau_and_the_others_leave_it():
    found = adding_plateau.results()["zero"]
    baseline = adding_baseline()
    assert found["RNN"]["solved"] == [False] * 5
    assert min(min(losses) for losses in found["RNN"]["losses"]) > 0.1
    for kind in "IRNN", "LSTM", "GRU":
        assert found[kind]["solved"] == [True] * 5
        assert max(losses[-1] for losses in found[kind]["losses"]) < 0.02
        assert found[kind]["patient"] == [None] * 5
    for kind in "LSTM", "GRU":
        waited = [losses[:6] for losses in found[kind]["losses"]]
        assert np.min(waited) > 0.9 * baseline


def test_the_reach_rises_before_the_error_falls():
    found = adding_plateau.results()["zero"]
    for kind in "LSTM", "GRU":
        for reaches, plateau in zip(
            found[kind]["reaches"], found[kind]["plateau"], strict=True
        ):
            assert reaches < plateau
    assert found["IRNN"]["reaches"] == [adding.EVERY] * 5


def test_reach_compares_the_first_steps_with_the_last():
    gradient = torch.zeros(50, 3, 2)
    gradient[4, 1] = torch.tensor([3.0, 4.0])
    gradient[49, 2, 0] = 10.0
    gradient[25] = 99.0
    assert adding.reach(gradient) == pytest.approx(0.5)


def test_a_recorded_fall_repeats_itself_here():
    # Iterations differ between machines; that it falls does not.
    again = adding.run("zero", "IRNN", 0)
    assert again["solved"] and again["iterations"] < 2500
