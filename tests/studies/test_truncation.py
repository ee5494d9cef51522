import functools
import sys

import matplotlib.pyplot as plt
import numpy as np
import pytest
import torch

from bookproof.run import records
from bookproof.run.look import Look
from bookproof.run.records import runs, select
from figures_src.bptt import truncation_study
from figures_src.studies import truncation as study
from figures_src.studies import truncation_text as text_study
from seqbook.torch_models import seeded


def make_case(cell, B=3, steps=50):
    """A model, x (T, B, 1) that wants gradients, bits (B,)."""
    model = seeded(0, lambda: study.build(cell)).double()
    x, bits = study.hold_bit(torch.Generator().manual_seed(0), B, steps)
    return model, x.double().requires_grad_(), bits.double()


@functools.cache
def results():
    return truncation_study.results()


def reach(case, cell):
    """Largest gradient that the loss of a case sends to each x_t (T,)."""
    model, x, bits = make_case(cell)
    study.hold_loss(model, x, bits, *study.CASES[case]).backward()
    return x.grad.abs().amax(dim=(1, 2))


# The algorithm


@pytest.mark.parametrize("cell", study.CELLS)
def test_cutting_changes_the_gradient_and_not_the_states(cell):
    model, x, bits = make_case(cell)
    whole, _ = model["cell"](x)
    for k in 5, 50:
        cut = study.in_chunks(model["cell"], x, k, carried=True)
        torch.testing.assert_close(cut, whole, rtol=1e-12, atol=1e-12)
    reset = study.in_chunks(model["cell"], x, 5, carried=False)
    alone, _ = model["cell"](x[5:10])  # from the zero state
    torch.testing.assert_close(reset[5:10], alone, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("cell", study.CELLS)
def test_only_the_uncut_and_the_dense_loss_reach_the_bit(cell):
    for case, (k, first, _) in study.CASES.items():
        reached = reach(case, cell)
        assert (reached[0] > 0) == (k >= first), case
        start = (first - 1) // k * k  # of the chunk with the first loss
        assert (reached[:start] == 0).all() and (reached[start:] > 0).all()


def test_truncated_gradient_is_the_sum_over_chunks_with_constant_start():
    model, x, bits = make_case("LSTM b_f = 1", steps=10)
    study.hold_loss(model, x, bits, 5, 1, True).backward()
    got = model["cell"].weight_hh_l0.grad.clone()
    model.zero_grad()
    with torch.no_grad():
        _, start = model["cell"](x[:5])
    for chunk, state in (x[:5], None), (x[5:], start):
        logits = model["readout"](model["cell"](chunk, state)[0])[..., 0]
        wrong = torch.nn.functional.softplus(-logits * (2 * bits - 1))
        (wrong.mean() / 2).backward()
    want = model["cell"].weight_hh_l0.grad
    torch.testing.assert_close(got, want, rtol=1e-12, atol=1e-12)


def test_bit_is_balanced_and_the_steps_after_it_are_noise():
    x, bits = study.hold_bit(torch.Generator().manual_seed(1), 4000, 30)
    assert x.shape == (30, 4000, 1)
    assert torch.equal(x[0, :, 0], 2 * bits - 1)
    assert abs(bits.mean() - 0.5) < 0.03  # 4 standard errors
    assert abs(x[1:].std() - study.NOISE) < 0.01
    assert abs((x[1:] * x[0]).mean()) < 0.01  # says nothing about the bit


def test_chunk_gradients_cut_once_are_those_of_the_mean_loss():
    model = seeded(0, lambda: text_study.CharacterModel(7, 6))
    ids = torch.arange(44).view(11, 4) % 7
    x, y = ids[:10], ids[1:]
    state = text_study.chunk_gradients(model, x, y, 10, None)
    got = model.embedding.weight.grad.clone()
    readout = model.readout.weight.grad.clone()  # no cut can change this one
    model.zero_grad()
    logits, want_state = model(x, None)
    wanted = y.flatten()
    torch.nn.functional.cross_entropy(logits.flatten(0, 1), wanted).backward()
    torch.testing.assert_close(got, model.embedding.weight.grad)
    model.zero_grad()
    cut = text_study.chunk_gradients(model, x, y, 5, None)
    assert not torch.allclose(got, model.embedding.weight.grad)
    torch.testing.assert_close(readout, model.readout.weight.grad)
    torch.testing.assert_close(cut, state)
    torch.testing.assert_close(state, want_state.detach())


def test_streams_are_contiguous_and_targets_are_one_ahead():
    x, y = text_study.streams(torch.arange(107), 3, 10)
    assert x.T.tolist() == [list(range(s, s + 30)) for s in (0, 30, 60)]
    assert torch.equal(y, x + 1)


def test_bits_per_character_of_a_model_that_knows_nothing():
    model = text_study.CharacterModel(8, 4)
    torch.nn.init.zeros_(model.readout.weight)
    torch.nn.init.zeros_(model.readout.bias)
    bits = text_study.bits_per_character(model, torch.arange(20) % 8)
    assert bits == pytest.approx(3)
    ids = torch.arange(16) % 8
    assert text_study.unigram_bits(ids, ids, 8) == pytest.approx(3)


def test_no_paragraph_held_out_was_trained_on():
    text = text_study.manual()
    cut = len(text) * 9 // 10
    pieces = text[:cut].split("\n\n"), text[cut:].split("\n\n")[1:]
    seen, held_out = ({" ".join(p.split()) for p in part} for part in pieces)
    assert len(held_out) > 50 and not seen & held_out


# The record


def test_records_have_every_seed():
    each = map(records.record, ("truncation", "truncation_text"))
    assert sum(record["made"]["seconds"] for record in each) < 25 * 60
    found = runs("truncation")
    assert [*dict.fromkeys(run["case"] for run in found)] == [*study.CASES]
    for case in study.CASES:
        want = study.MORE_SEEDS if case in study.LUCK else study.SEEDS
        cells = [run["cell"] for run in select(found, case=case)]
        for cell in set(cells):
            seeds = select(found, case=case, cell=cell)
            assert [run["seed"] for run in seeds] == want
        rnns = [cell for cell in set(cells) if cell.startswith("RNN")]
        assert len(rnns) == 2 * (case in study.CONTROLS)
        assert len(set(cells)) == 2 + len(rnns)
    for row in text_study.SCHEDULES:
        found = runs("truncation_text", row=row)
        seeds = [run["seed"] for run in found]
        assert seeds == 2 * text_study.TUNING + text_study.SEEDS


def test_the_digests_cover_every_function_that_a_run_executes(monkeypatch):
    monkeypatch.setattr(study, "ITERATIONS", 1)
    monkeypatch.setattr(study, "TESTED", 8)
    monkeypatch.setattr(text_study, "PASSES", 1)
    short = "abcdefgh" * 2000
    monkeypatch.setattr(text_study, "manual", lambda: short)
    row = next(iter(text_study.SCHEDULES))
    for name, calls in {
        "truncation": [(study.run, "full", cell, 0) for cell in study.CELLS],
        "truncation_text": [
            (text_study.run, "corpus", None, None),
            (text_study.run, row, 3e-3, 0),
        ],
    }.items():
        executed = set()

        def watch(frame, event, _, executed=executed):
            module = frame.f_globals.get("__name__", "")
            ours = module.split(".")[0] in ("seqbook", "figures_src")
            if event == "call" and ours:
                function = frame.f_code.co_qualname.split(".")[0]
                executed.add(f"{module}.{function}")

        sys.setprofile(watch)
        try:
            for run, *arguments in calls:
                run(*arguments)
        finally:
            sys.setprofile(None)
        assert f"figures_src.studies.{name}.run" in executed
        assert executed <= set(records.stamp(name)[0])


def fractions(case, cell, step=None):
    """Accuracies of all seeds, at one step or at both."""
    columns = results()["hold"][case][cell]
    steps = [step] if step else study.READ
    return [fraction for t in steps for fraction in columns[t]]


def held(case, cell):
    columns = results()["hold"][case][cell]
    return columns["held"], columns["of"]


def at_chance(values):
    return all(abs(value - 0.5) < 0.05 for value in values)  # 4 s.e.


def test_a_rule_learned_within_five_steps_lasts_two_hundred():
    for cell in "LSTM b_f = 1", "LSTM b_f = 3":
        assert min(fractions("dense", cell)) > 0.99


def test_reset_state_and_loss_at_the_end_is_chance_always():
    for cell in "LSTM b_f = 1", "LSTM b_f = 3":
        assert at_chance(fractions("end reset", cell))


def test_low_forget_bias_fails_with_and_without_truncation():
    for case in "full", "end carried":
        assert at_chance(fractions(case, "LSTM b_f = 1"))


def test_high_forget_bias_without_truncation_is_mostly_enough():
    cell = "LSTM b_f = 3"
    assert min(fractions("full", cell)) > 0.7
    assert np.median(fractions("full", cell, 50)) > 0.99


def test_loss_at_the_end_and_k_5_is_sometimes_read_from_what_is_left():
    count, of = held("end carried", "LSTM b_f = 3")
    assert 2 <= count <= 6 and of == 10
    lucky = [x for x in fractions("end carried", "LSTM b_f = 3") if x > 0.9]
    assert len(lucky) == 2 * count and max(lucky) < 0.99
    left = results()["untrained"]
    assert min(left["LSTM b_f = 3"][50]) > 0.75
    for cell in "RNN", "RNN orthogonal", "LSTM b_f = 1":
        assert at_chance(left[cell][50]), cell


def test_without_credit_no_rnn_and_about_half_of_the_lstms_hold_the_bit():
    for cell in "RNN", "RNN orthogonal":
        assert held("control", cell) == (0, 10)
        assert max(fractions("control", cell)) < 0.9
        assert at_chance([np.median(fractions("control", cell, 50))])
    for cell in "LSTM b_f = 1", "LSTM b_f = 3":
        count, of = held("control", cell)
        assert 3 <= count <= 7 and of == 10


def test_the_same_loss_with_credit_holds_the_bit_in_every_seed():
    for cell in study.CELLS:
        assert held("control full", cell) == (5, 5), cell
        assert min(fractions("control full", cell)) > 0.95


def test_loss_from_step_11_is_too_late_for_the_default_rnn_only():
    assert held("control full 11", "RNN")[0] <= 2
    for cell in "RNN orthogonal", "LSTM b_f = 1", "LSTM b_f = 3":
        assert held("control full 11", cell) == (5, 5), cell


def test_the_trace_of_the_bit_is_whole_where_the_control_takes_over():
    left = results()["untrained"]
    for cell in study.CELLS:
        assert min(left[cell][5]) > 0.98, cell


def bits(schedule):
    return np.array(results()["text"][schedule]["bits"])


def test_one_update_a_chunk_k_20_writes_best_and_k_100_worst():
    assert bits("k = 20").max() < bits("k = 100").min()
    assert np.median(bits("k = 20")) < np.median(bits("k = 5")) - 0.01
    assert np.median(bits("k = 5")) < np.median(bits("k = 100")) - 0.01
    assert abs(bits("k = 5") - bits("k = 100")).max() < 0.12


def test_with_as_many_updates_truncation_costs_less_than_the_seeds_differ():
    whole = bits("k = 100")
    for schedule in "k = 5, as many updates", "k = 20, as many updates":
        cut = bits(schedule)
        assert cut.min() < whole.max() and whole.min() < cut.max()
        assert -0.01 < np.median(cut) - np.median(whole) < 0.05
        assert abs(cut - whole).max() < 0.08
    assert np.ptp(whole) > 0.02


def test_every_language_model_learned_far_more_than_letter_frequencies():
    found = results()
    for schedule in text_study.SCHEDULES:
        assert bits(schedule).max() < found["corpus"]["unigram_bits"] / 1.9


def test_shorter_chunks_cost_more_time_for_as_many_characters():
    seconds = {k: v["seconds"] for k, v in results()["text"].items()}
    assert min(seconds["k = 5"]) > max(seconds["k = 20"])
    assert min(seconds["k = 20"]) > max(seconds["k = 100"])


def test_the_rate_used_is_the_better_one_of_the_tuning_seed():
    assert not set(text_study.TUNING) & set(text_study.SEEDS)
    for row in text_study.SCHEDULES:
        found = runs("truncation_text", row=row)
        trials = select(found, seed=text_study.TUNING)
        assert [run["rate"] for run in trials] == text_study.RATES
        best = min(trials, key=lambda run: run["bits"])["rate"]
        reported = select(found, seed=text_study.SEEDS)
        assert {run["rate"] for run in reported} == {best}


def test_updates_are_counted_right():
    found = results()
    steps = found["corpus"]["trained_on"] // text_study.B
    for name, (_, every) in text_study.SCHEDULES.items():
        want = steps // every * text_study.PASSES
        assert found["text"][name]["updates"] == want


@pytest.mark.parametrize("narrow", [False, True])
def test_figure_draws_every_seed_legibly_in_both_widths(narrow):
    look = Look(narrow=narrow)
    fig = truncation_study.figure(look)
    try:
        want = list(look.size(4.2 if narrow else 3.2))
        assert fig.get_size_inches().tolist() == want
        assert len(fig.axes) == len(study.READ)
        for ax in fig.axes:
            dots = [x for x in ax.lines if x.get_marker() != "None"]
            drawn = sum(len(line.get_xdata()) for line in dots)
            assert drawn == 2 * 25 + 2 * 10 + 4 * 10
            assert ax.get_title() == ""
    finally:
        plt.close("all")
