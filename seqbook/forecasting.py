"""Windows, scaling without leakage, and baselines a forecaster must beat.

Chapter: docs/en/forecasting.md. Source: Hyndman & Koehler 2006 (errors). A
series is (N,), oldest value first; a forecast holds the next `horizon` ones.
Sizes that do not fit the docstring raise ValueError.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from seqbook.checks import check_array, check_positive


def chronological_split(series, held_out: int):
    """series (N,) -> all but the last held_out values, and those."""
    check_positive(held_out=held_out, kept=len(series) - held_out)
    return series[:-held_out], series[-held_out:]


def windows(series, T: int, horizon: int):
    """series (N,) -> x (T, W), y (horizon, W), W = N - T - horizon + 1 > 0."""
    check_array("series", series, "N")
    W = len(series) - T - horizon + 1
    check_positive(T=T, horizon=horizon, windows=W)
    both = series[np.arange(T + horizon)[:, None] + np.arange(W)]
    return both[:T], both[T:]


@dataclass
class Scaling:
    """The values of the training data that become 0 and 1."""

    low: float
    high: float


def fit_scaling(train) -> Scaling:
    """Training values, no others, two at least different -> Scaling."""
    if len(values := np.unique(train)) < 2:
        raise ValueError(f"train must hold two different values, got {values}")
    return Scaling(float(values[0]), float(values[-1]))


def scale(p: Scaling, x):
    """Values with a unit -> without; what is not training may pass 1."""
    return (x - p.low) / (p.high - p.low)


def unscale(p: Scaling, x):
    """What scale gave -> values in their unit."""
    return p.low + x * (p.high - p.low)


def seasonal_naive(x, horizon: int, season: int):
    """x (T, ...), T >= season -> (horizon, ...); persistence is season 1."""
    check_positive(horizon=horizon, season=season)
    return _last(season, x)[np.arange(horizon) % season]


def fit_ar(series, order: int):
    """series (N,), N > 2 order -> w (1 + order,): intercept, lag 1, 2, ..."""
    past, (now,) = windows(series, order, 1)
    _last(2 * order + 1, series)  # or there are fewer windows than weights
    X = np.vstack([np.ones_like(now), past[::-1]])  # (1 + order, W)
    return np.linalg.lstsq(X.T, now, rcond=None)[0]


def ar_forecast(w, x, horizon: int):
    """w (1 + order,), x (T, ...), T >= order -> (horizon, ...), iterated."""
    check_positive(horizon=horizon)
    known = [*_last(len(w) - 1, x)]
    for _ in range(horizon):  # each forecast is an input of the next
        recent = np.array(known[: -len(w) : -1])  # latest first
        known.append(w[0] + np.tensordot(w[1:], recent, 1))
    return np.array(known[-horizon:])


def rolling_origin(forecast: Callable, series, first: int, horizon: int):
    """forecast(history, horizon) -> y_hat, y (horizon, O) for O origins.

    history is series[:n] for n = first, first + 1, ..., and y what follows.
    """
    check_array("series", series, "N")
    origins = range(first, len(series) - horizon + 1)
    check_positive(first=first, horizon=horizon, origins=len(origins))
    y_hat = [forecast(series[:n], horizon) for n in origins]
    y = [series[n : n + horizon] for n in origins]
    return np.stack(y_hat, axis=1), np.stack(y, axis=1)


def forecast_errors(y, y_hat, train, season: int):
    """y, y_hat of one shape, train (N,) -> dict of four numbers.

    MAE and RMSE in the unit of y. MASE, without one: the MAE over that of
    the naive forecast, one season ahead inside train. sMAPE, 0 to 2: errors
    over the mean of |y| and |y_hat|. ValueError if the naive one is perfect.
    """
    check_array("y_hat", y_hat, *y.shape)
    check_positive(season=season)
    naive = np.abs(train[season:] - train[:-season])
    if not naive.any():
        raise ValueError(f"train must change within {season + 1} values")
    error, size = np.abs(y - y_hat), (np.abs(y) + np.abs(y_hat)) / 2
    return {
        "MAE": float(np.mean(error)),
        "RMSE": float(np.sqrt(np.mean(error**2))),
        "MASE": float(np.mean(error) / np.mean(naive)),
        "sMAPE": float(np.mean(error / np.where(size > 0, size, 1))),
    }


def _last(n, x):
    """-> the last n of x (T, ...)."""
    if len(x) < n:
        raise ValueError(f"there must be {n} values or more, got {len(x)}")
    return x[-n:]
