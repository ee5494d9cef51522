import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import mean_absolute_error, root_mean_squared_error
from statsmodels.tsa.ar_model import AutoReg

from seqbook.forecasting import (
    Scaling,
    ar_forecast,
    chronological_split,
    fit_ar,
    fit_scaling,
    forecast_errors,
    rolling_origin,
    scale,
    seasonal_naive,
    unscale,
    windows,
)


def make_series(N=60, number=0):
    """A noisy wave around 5 (N,)."""
    rng = np.random.default_rng(number)
    return 5 + np.sin(np.arange(N)) + rng.normal(size=N)


# Windows and splits


def test_windows_of_five_values_by_hand():
    x, y = windows(np.array([1.0, 2, 3, 4, 5]), T=2, horizon=1)
    assert x.tolist() == [[1, 2, 3], [2, 3, 4]]  # time first: columns
    assert y.tolist() == [[3, 4, 5]]


@settings(deadline=None, derandomize=True, max_examples=25)
@given(st.integers(1, 6), st.integers(1, 5), st.integers(0, 7))
def test_windows_start_everywhere_once_and_targets_follow(T, horizon, more):
    series = make_series(T + horizon + more)
    x, y = windows(series, T, horizon)
    assert x.shape == (T, more + 1) and y.shape == (horizon, more + 1)
    for w in range(more + 1):
        both = np.concatenate([x[:, w], y[:, w]])
        assert both.tolist() == series[w : w + T + horizon].tolist()


def test_windows_are_copies():
    series = make_series(9)
    x, y = windows(series, 3, 2)
    kept = series.copy()
    x[:], y[:] = 0, 0
    assert np.array_equal(series, kept)


@settings(deadline=None, derandomize=True, max_examples=25)
@given(st.integers(2, 9), st.data())
def test_split_keeps_the_order_and_every_value(N, data):
    held_out = data.draw(st.integers(1, N - 1))
    series = np.arange(float(N))
    train, test = chronological_split(series, held_out)
    assert len(test) == held_out and max(train) < min(test)
    assert np.array_equal(np.concatenate([train, test]), series)


# Scaling


def test_a_scaler_that_has_seen_the_test_gives_itself_away():
    # 80 values from 0 to 1, then 20 from 5 to 6
    series = np.concatenate([np.linspace(0, 1, 80), np.linspace(5, 6, 20)])
    train, test = chronological_split(series, 20)
    p = fit_scaling(train)
    assert scale(p, train).max() == 1 and scale(p, test).max() == 6
    leaked = scale(fit_scaling(series), train)
    assert round(leaked.max(), 4) == 0.1667


@settings(deadline=None, derandomize=True, max_examples=25)
@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6))
def test_unscale_undoes_scale_and_training_data_fill_0_to_1(low, width):
    train = low + width * np.array([0.3, 0, 1, 0.7])
    p = fit_scaling(train)
    scaled = scale(p, train)
    assert scaled.min() == 0 and scaled.max() == 1
    x = low + width * np.linspace(-1, 3, 7)
    back = unscale(p, scale(p, x))
    np.testing.assert_allclose(back, x, rtol=1e-9, atol=1e-9 * width)


# Baselines


def test_the_last_season_comes_again_and_again():
    x = np.arange(10.0)
    assert seasonal_naive(x, 7, 4).tolist() == [6, 7, 8, 9, 6, 7, 8]
    assert seasonal_naive(x, 2, 4).tolist() == [6, 7]
    assert seasonal_naive(x, 3, 1).tolist() == [9, 9, 9]  # persistence
    assert seasonal_naive(x, 3, 10).tolist() == [0, 1, 2]


def test_seasonal_naive_is_right_about_a_series_that_repeats():
    series = np.tile([3.0, 1.0, 2.0], 6)
    train, test = chronological_split(series, 7)
    assert np.array_equal(seasonal_naive(train, 7, 3), test)


def test_autoregression_is_that_of_statsmodels():
    series = make_series(60)
    for order in 1, 2, 5:
        w = fit_ar(series, order)
        result = AutoReg(series, order).fit()
        # both solve one least-squares problem, with condition below 1e3
        np.testing.assert_allclose(w, result.params, rtol=1e-9)
        want = result.predict(start=60, end=60 + 7)
        got = ar_forecast(w, series, 8)
        np.testing.assert_allclose(got, want, rtol=1e-9)


def test_autoregression_finds_the_rule_of_a_series_without_noise():
    series = [1.0, 2.0]
    for _ in range(18):
        series.append(2 + 1.5 * series[-1] - 0.7 * series[-2])
    w = fit_ar(np.array(series[:12]), 2)
    np.testing.assert_allclose(w, [2, 1.5, -0.7], rtol=1e-9)
    got = ar_forecast(w, np.array(series[:12]), 8)
    np.testing.assert_allclose(got, series[12:], rtol=1e-9)


def test_iterated_forecasts_settle_at_the_mean_of_the_process():
    w = np.array([2.0, 1.5, -0.7])
    far = ar_forecast(w, np.array([40.0, -3.0]), 300)
    assert far[-1] == pytest.approx(2 / (1 - 1.5 + 0.7), rel=1e-9)
    walk = np.array([0.0, 1.0])  # and persistence is an autoregression
    x = make_series(5)
    assert np.array_equal(ar_forecast(walk, x, 4), seasonal_naive(x, 4, 1))


def test_forecasts_of_many_columns_are_those_of_each_alone():
    x, _ = windows(make_series(20), 6, 1)
    w = np.array([0.3, 0.5, -0.2, 0.1])
    together, naive = ar_forecast(w, x, 4), seasonal_naive(x, 4, 3)
    assert together.shape == naive.shape == (4, 14)
    for i in range(14):
        alone = ar_forecast(w, x[:, i], 4)
        np.testing.assert_allclose(together[:, i], alone, rtol=1e-14)
        assert np.array_equal(naive[:, i], seasonal_naive(x[:, i], 4, 3))


# Evaluation


def test_rolling_origin_forecasts_from_every_place_by_hand():
    series = np.array([1.0, 2, 4, 8, 16, 32])
    y_hat, y = rolling_origin(
        lambda history, h: seasonal_naive(history, h, 2), series, 3, 2
    )
    assert y_hat.tolist() == [[2, 4], [4, 8]]  # last two of 3, of 4 values
    assert y.tolist() == [[8, 16], [16, 32]]


def test_rolling_origin_never_shows_what_is_still_to_come():
    series, first, horizon = make_series(12), 5, 3

    def refit(history, horizon):
        return ar_forecast(fit_ar(history, 2), history, horizon)

    y_hat, y = rolling_origin(refit, series, first, horizon)
    assert y_hat.shape == y.shape == (3, 12 - 5 - 3 + 1)
    for i in range(y.shape[1]):
        n = first + i
        changed = series.copy()
        changed[n:] = 1e9
        again, _ = rolling_origin(refit, changed, first, horizon)
        assert np.array_equal(again[:, i], y_hat[:, i])
        assert np.array_equal(y[:, i], series[n : n + horizon])


def test_errors_of_three_forecasts_by_hand():
    y, y_hat = np.array([1.0, 2, 0]), np.array([3.0, 2, 0])
    train = np.array([0.0, 1, 3, 6, 4])  # changes of 1, 2, 3, 2
    found = forecast_errors(y, y_hat, train, season=1)
    assert found["MAE"] == pytest.approx(2 / 3)
    assert found["RMSE"] == pytest.approx(np.sqrt(4 / 3))
    assert found["MASE"] == pytest.approx((2 / 3) / 2)
    assert found["sMAPE"] == pytest.approx(1 / 3)  # 2 / 2, and 0 of 0 is 0
    # a season of 2: changes of 3, 5, 1
    found = forecast_errors(y, y_hat, train, season=2)
    assert found["MASE"] == pytest.approx((2 / 3) / 3)


def test_errors_equal_those_of_sklearn():
    y, y_hat = make_series(30, 1), make_series(30, 2)
    found = forecast_errors(y, y_hat, make_series(9), 1)
    assert found["MAE"] == pytest.approx(mean_absolute_error(y, y_hat))
    assert found["RMSE"] == pytest.approx(root_mean_squared_error(y, y_hat))


@pytest.mark.parametrize("season", [1, 4])
def test_the_naive_forecast_inside_training_has_a_mase_of_one(season):
    train = make_series(40)
    y_hat, y = rolling_origin(
        lambda history, h: seasonal_naive(history, h, season),
        train,
        season,
        1,
    )
    found = forecast_errors(y, y_hat, train, season)
    assert found["MASE"] == pytest.approx(1, rel=1e-12)


@settings(deadline=None, derandomize=True, max_examples=25)
@given(st.integers(1, 8), st.floats(0.01, 100))
def test_a_change_of_unit_scales_two_of_the_errors_and_leaves_two(N, unit):
    y, y_hat, train = make_series(N, 1), -make_series(N, 2), make_series(9)
    one = forecast_errors(y, y_hat, train, 2)
    other = forecast_errors(unit * y, unit * y_hat, unit * train, 2)
    for name, factor in {"MAE": unit, "RMSE": unit}.items():
        assert other[name] == pytest.approx(factor * one[name])
    for name in "MASE", "sMAPE":
        assert other[name] == pytest.approx(one[name])
    assert one["MAE"] <= one["RMSE"] + 1e-12 and 0 <= one["sMAPE"] <= 2 + 1e-12
    assert set(forecast_errors(y, y, train, 2).values()) == {0}


def test_float32_series_stay_float32():
    series = make_series(20).astype(np.float32)
    x, y = windows(series, 5, 2)
    w, p = fit_ar(series, 2), fit_scaling(series)
    found = [x, y, w, scale(p, x), unscale(p, x), ar_forecast(w, x, 3)]
    found += [ar_forecast(w, series, 3), seasonal_naive(series, 3, 2)]
    found += rolling_origin(lambda s, h: s[-h:], series, 9, 2)
    assert {a.dtype for a in found} == {np.dtype(np.float32)}


def test_errors_name_the_argument_what_it_must_be_and_what_it_is():
    series = make_series(9)
    y = series[:3]
    flat = np.ones(5)
    bad = [
        (lambda: chronological_split(series, 0), "held_out must be .* 0"),
        (lambda: chronological_split(series, 9), "kept must be .* got 0"),
        (lambda: windows(series, 0, 3), "T must be .* got 0"),
        (lambda: windows(series, 3, 0), "horizon must be .* got 0"),
        (lambda: windows(series, 6, 4), "windows must be .* got 0"),
        (lambda: windows(series[None], 2, 1), r"series .*got \(1, 9\)"),
        (lambda: windows(np.arange(9), 2, 1), "series .*float.*int64"),
        (lambda: fit_scaling(flat), r"train .*different.* got \[1.\]"),
        (lambda: fit_scaling(flat[:0]), r"train .*different.* got \[\]"),
        (lambda: seasonal_naive(series, 3, 10), "be 10 values or .* got 9"),
        (lambda: seasonal_naive(series, 3, 0), "season must be .* got 0"),
        (lambda: seasonal_naive(series, 0, 3), "horizon must be .* got 0"),
        (lambda: fit_ar(series, 5), "must be 11 values or more, got 9"),
        (lambda: fit_ar(series, 0), "T must be .* got 0"),
        (lambda: ar_forecast(series, y, 2), "be 8 values or more, got 3"),
        (lambda: ar_forecast(y, series, 0), "horizon must be .* got 0"),
        (lambda: rolling_origin(max, series, 0, 1), "first must be .* 0"),
        (lambda: rolling_origin(max, series, 8, 2), "origins must .* got 0"),
        (lambda: forecast_errors(y, series, series, 1), "y_hat must .*9"),
        (lambda: forecast_errors(y, y, flat, 1), "change within 2 values"),
        (lambda: forecast_errors(y, y, series, 9), "change within 10 val"),
        (lambda: forecast_errors(y, y, series, 0), "season must be .* 0"),
    ]
    for call, message in bad:
        with pytest.raises(ValueError, match=message):
            call()


CALLS = {
    chronological_split: lambda: {"series": make_series(9), "held_out": 4},
    windows: lambda: {"series": make_series(9), "T": 3, "horizon": 2},
    fit_scaling: lambda: {"train": make_series(9)},
    scale: lambda: {"p": Scaling(2.0, 7.0), "x": make_series(9)},
    unscale: lambda: {"p": Scaling(2.0, 7.0), "x": make_series(9)},
    seasonal_naive: lambda: {"x": make_series(9), "horizon": 4, "season": 3},
    fit_ar: lambda: {"series": make_series(20), "order": 2},
    ar_forecast: lambda: {
        "w": np.array([0.3, 0.5, -0.2]),
        "x": make_series(12).reshape(4, 3),
        "horizon": 2,
    },
    rolling_origin: lambda: {
        "forecast": lambda history, h: seasonal_naive(history, h, 3),
        "series": make_series(12),
        "first": 5,
        "horizon": 2,
    },
    forecast_errors: lambda: {
        "y": make_series(5, 1),
        "y_hat": make_series(5, 2),
        "train": make_series(9),
        "season": 2,
    },
}
OTHER = {
    (rolling_origin, "forecast"): lambda: lambda s, h: s[-h:],
}
