"""Can a metric be aligned with any separable family? A search for coordinate dependence.

Implements definition 3.5, lemma 3.6 and proposition F.1 of the PWU paper.
"""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .. import validation
from ._order import PRECISION, assumed_precision, check_metric, check_order_of_cases, check_repeats, metric_value

__all__ = ["Counterexample", "coordinate_dependence"]

_LAST_DIGITS = 8 * np.finfo(float).eps  # of the largest value; values at most this far apart are equal


class _Parts(NamedTuple):
    labels: np.ndarray
    a: Any
    b: Any
    r: np.ndarray
    r_prime: np.ndarray


class Counterexample(_Parts):
    """Two reports a and b for case 0, and two backgrounds r and r' that disagree about which is better.

    A tuple ``(labels, a, b, r, r_prime)``. In regression each report is a pair (mean, std) and
    a background has shape (n - 1, 2). The attribute `values` holds the metric at (a, r), (b, r),
    (a, r') and (b, r').
    """

    values: tuple[float, ...]

    def __new__(cls, *parts: Any, values: tuple[float, ...] = ()) -> "Counterexample":
        self = super().__new__(cls, *parts)
        self.values = values
        return self


def coordinate_dependence(metric: Callable[..., float], *, task: str = "binary", n: int = 3,
                          seed: int = 0, trials: int = 5000, precision: float = PRECISION) -> Counterexample | None:
    """Search for proof that a metric is coordinate-dependent.

    Parameters
    ----------
    metric : callable
        ``metric(y_true, y_prob)`` or ``metric(y_true, mean, std)``.
    task : {"binary", "regression", "ranking", "multiclass"}
        What the metric takes. A ranking metric ``metric(error, uncertainty)`` is given
        ``abs(y - mean), std`` of regression forecasts.
    n : int
        Number of cases, at least 2.
    seed : int
    trials : int
        How many random tries before giving up.
    precision : float
        How accurate the metric is, relative to its largest value, as in `Refutation`.

    Returns
    -------
    Counterexample or None
        Labels, two reports a and b for the first case, and backgrounds r and r' such that
        the metric orders (a, r) and (b, r) differently from (a, r') and (b, r'). By lemma
        3.6 such a metric is aligned with no separable family. Where it finds a and b equal with
        one background and different with the other, a reversal for two cases at once was found, too:
        equal values alone may be due to rounding. None proves nothing.

    References
    ----------
    PWU paper, definition 3.5, lemma 3.6, proposition F.1.

    Examples
    --------
    >>> from pwu_lite.metrics import classification
    >>> coordinate_dependence(classification.brier_score) is None
    True
    >>> coordinate_dependence(classification.retention_auc) is None
    False
    """
    if not isinstance(task, str) or task not in _DRAWS:
        raise ValueError(f"task must be one of {', '.join(_DRAWS)}, got {task!r}")
    check_metric(metric)
    n, trials = validation.whole("n", n, 2), validation.whole("trials", trials)  # a single case has no background
    precision = validation.inside("precision", precision, 0, 1)
    rng, loss = np.random.default_rng(validation.seed(seed)), _as_called(metric, task)
    do_ties_count = functools.cache(lambda: _two_cases_are_reversed(loss, task, seed, max(n, 3), trials, precision))
    largest = 0.0
    for _ in range(trials):
        labels, reports, backgrounds = _DRAWS[task](rng, n)
        wholes = [_together(task, report, rest) for rest in backgrounds for report in reports]
        values = _values(loss, labels, wholes)
        if values is None:
            continue
        if largest == 0.0:
            check_repeats(loss, labels, wholes[0], values[0])
        largest = max(largest, *np.abs(values))
        if not (_is_reversed(values, precision * largest) or _is_tie_and_order(values, precision * largest)):
            continue
        room = assumed_precision(loss, labels, wholes, precision) * largest
        for whole, value in zip(wholes, values, strict=True):
            check_order_of_cases(loss, labels, whole, value, room)
        if _is_reversed(values, room) or (_is_tie_and_order(values, room) and do_ties_count()):
            return Counterexample(labels, *reports, *backgrounds, values=tuple(values))
    return None


def _values(loss: Any, labels: np.ndarray, wholes: list[Any]) -> list[float] | None:
    """The metric at the forecasts (a, r), (b, r), (a, r') and (b, r'), or None if one is not finite."""
    values = [metric_value(loss, labels, whole) for whole in wholes]
    return values if np.isfinite(values).all() else None


def _is_reversed(values: list[float], room: float) -> bool:
    """Is a better than b with one background, and worse with the other?"""
    first, second = np.subtract(values[1::2], values[::2])
    return min(first, second) < -room and max(first, second) > room


def _is_tie_and_order(values: list[float], room: float) -> bool:
    """Are a and b equal with one background, and clearly different with the other?"""
    low, high = sorted(np.abs(np.subtract(values[1::2], values[::2])))
    return low <= _LAST_DIGITS * np.abs(values).max() and high > room


def _two_cases_are_reversed(loss: Callable[..., Any], task: str, seed: int, n: int, trials: int,
                            precision: float) -> bool:
    """Does the background reverse the order of two reports for two cases at once?

    Equal values alone may be a saturated metric, or a difference lost beside a larger one. A reversal is neither;
    and as the costs of two cases are a sum like those of one, lemma 3.6 holds for two cases, too.
    """
    rng, largest = np.random.default_rng(seed), 0.0
    for _ in range(trials):
        labels, reports, backgrounds = _DRAWS[task](rng, n)
        wholes = [_together(task, report, np.concatenate([own[:1], rest[1:]]))
                  for rest in backgrounds for report, own in zip(reports, backgrounds, strict=True)]
        values = _values(loss, labels, wholes)
        if values is not None:
            largest = max(largest, *np.abs(values))
            if _is_reversed(values, precision * largest) and _is_reversed(
                    values, assumed_precision(loss, labels, wholes, precision) * largest):
                return True
    return False


def _together(task: str, report: float | tuple[float, float], rest: np.ndarray) -> tuple[Any, ...]:
    """The forecast with `report` for case 0 and `rest` for the others, as the metric takes it."""
    whole = np.concatenate([np.atleast_2d(report), np.atleast_2d(rest.T).T])
    return (whole,) if task == "multiclass" else tuple(whole.T)


def _as_called(metric: Any, task: str) -> Any:
    """The metric as a function of labels and forecast."""
    if task == "ranking":
        return lambda labels, mean, std: metric(np.abs(labels - mean), std)
    return metric


def _draw_binary(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    """Labels and probabilities with two decimals, half the time close together."""
    labels = rng.integers(0, 2, n)
    low, high = (1, 100) if rng.random() < 0.5 else (10 * rng.integers(0, 10) + np.array([1, 10]))
    values = rng.integers(low, high, 2 + 2 * (n - 1)) / 100
    return labels, (values[0], values[1]), (values[2:n + 1], values[n + 1:])


def _draw_regression(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    """Targets around 1, means from near to far, standard deviations over two decades."""
    labels = np.round(rng.normal(1, 0.5, n), 1)
    size = 2 + 2 * (n - 1)
    error = rng.choice([0, 0.05, 0.3, 1, 2], size) * rng.choice([-1, 1], size)
    target = np.concatenate([[labels[0]] * 2, labels[1:], labels[1:]])
    reports = np.column_stack([target + error, rng.choice([0.1, 0.3, 1, 3, 10], size)])
    return labels, (tuple(reports[0]), tuple(reports[1])), (reports[2:n + 1], reports[n + 1:])


def _draw_multiclass(rng: Any, n: Any) -> Any:
    """Labels of three classes, and probabilities with two decimals."""
    shares = rng.multinomial(100, (0.5, 0.3, 0.2), 2 + 2 * (n - 1)) / 100
    shares = shares[:, rng.permutation(3)]
    return rng.integers(0, 3, n), (tuple(shares[0]), tuple(shares[1])), (shares[2:n + 1], shares[n + 1:])


_DRAWS: dict[str, Callable[..., Any]] = {"binary": _draw_binary, "regression": _draw_regression,
                                         "ranking": _draw_regression, "multiclass": _draw_multiclass}
