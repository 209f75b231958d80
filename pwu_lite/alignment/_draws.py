"""Random labels and forecasts for a family, by what it takes: few values, so that ties and crossings come up."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..families import Family

__all__ = ["drawn", "gaussians"]

FORECASTS = 60
Drawn = tuple[Any, list[tuple[Any, ...]]]  # labels and forecasts
PROBABILITIES = np.array([0.01, 0.02, *(np.arange(1, 20) / 20), 0.98, 0.99])


def drawn(family: Family, rng: np.random.Generator, n: int) -> Drawn:
    """Labels of n cases and random forecasts of them.

    Raises
    ------
    ValueError
        Nothing is known of what the family takes.
    """
    draw = _DRAWS.get(("classes",) if family.multiclass else family.takes)
    if draw is None:
        raise ValueError(f"forecasts for {type(family).__name__} cannot be drawn: pass y_true and forecasts")
    return draw(family, rng, n)


def gaussians(family: Any, rng: np.random.Generator, n: int) -> Drawn:
    """Targets of one, means near them, and standard deviations; fewer where acts change at many parameters."""
    many = FORECASTS // (3 if isinstance(family, Family) and len(family.stated) > 1 else 1)
    errors = rng.choice([-2, -1, 0, 0, 1, 2], (many, n))
    return np.ones(n), [(1.0 + error, rng.choice([0.5, 1.0, 1.2, 2.0], n)) for error in errors]


def _probabilities(family: Family, rng: np.random.Generator, n: int) -> Drawn:
    """Labels, balanced or not, and probabilities; every second forecast is an earlier one with another case."""
    ones = rng.integers(1, n) if n > 1 else rng.integers(0, 2)
    forecasts: list[np.ndarray] = []
    for index in range(FORECASTS):
        forecast = rng.choice(PROBABILITIES, n)
        if index % 2:
            kept = rng.permutation(n) > 0
            forecast[kept] = forecasts[rng.integers(index)][kept]
        forecasts.append(forecast)
    return rng.permutation(np.arange(n) < ones).astype(int), [(forecast,) for forecast in forecasts]


def _classes(family: Any, rng: np.random.Generator, n: int) -> Drawn:
    """Classes, and probabilities in steps of a twentieth."""
    k = len(family.costs[0]) if hasattr(family, "costs") else 3
    return rng.integers(0, k, n), [(rng.multinomial(20, np.ones(k) / k, n) / 20,) for _ in range(FORECASTS)]


def _orders(family: Any, rng: np.random.Generator, n: int) -> Drawn:
    """Outcomes of one, and sorted quantiles or members around them, in steps of a half."""
    columns = len(family.levels or range(3))
    return np.ones(n), [(np.sort(rng.integers(-2, 7, (n, columns)) / 2, axis=1),) for _ in range(FORECASTS)]


def _answers(family: Any, rng: np.random.Generator, n: int) -> Drawn:
    """Right answers of one, and answers with confidences in steps of a twentieth."""
    return np.ones(n), [(rng.integers(0, 2, n), rng.integers(0, 21, n) / 20) for _ in range(FORECASTS)]


def _ranks(family: Any, rng: np.random.Generator, n: int) -> Drawn:
    """Errors, and orders of uncertainty."""
    return rng.integers(1, 6, n).astype(float), [(rng.permutation(n) + 1.0,) for _ in range(FORECASTS)]


def _outputs(family: Any, rng: np.random.Generator, n: int) -> Drawn:
    """Zero targets of two outputs, few errors, variances and correlations."""
    d, reports = len(family.scale or range(2)), []
    for _ in range(FORECASTS):
        mean, std = rng.choice([0.0, 1.0], (n, d)), rng.choice([0.5, 1.0], (n, d))
        same = rng.choice([0.0, 0.5], (n, 1, 1))
        reports.append((mean, std[:, :, None] * std[:, None] * (same + (1 - same) * np.eye(d))))
    return np.zeros((n, d)), reports


_DRAWS: dict[tuple[str, ...], Callable[..., Drawn]] = {
    ("y_prob",): _probabilities, ("mean", "std"): gaussians, ("classes",): _classes, ("forecast",): _orders,
    ("answer", "confidence"): _answers, ("uncertainty",): _ranks, ("mean", "cov"): _outputs}
