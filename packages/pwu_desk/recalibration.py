"""Forecasts recalibrated by two numbers that other cases have chosen, for ``--recalibrate``.

Implements no section of the sources: Platt's map, fitted crosswise.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize
from scipy.special import expit, logit

from pwu_lite import validation

__all__ = ["recalibrated"]

FOLDS = 5
LEAST = 1e-6  # probabilities are kept this far from zero and one before their logit is taken
STRENGTH = 1e-6  # of the penalty on the slope, which a separable fold would drive to infinity


def recalibrated(y_true: ArrayLike, models: Mapping[Any, ArrayLike], *, groups: ArrayLike | None = None,
                 sample_weight: ArrayLike | None = None, seed: int = 0) -> dict[Any, np.ndarray]:
    """Each model's probabilities after a logistic map with intercept and slope, fitted to the other four fifths.

    Whole groups are dealt to five folds at random. The map of a fold has seen no case of it, so that the costs
    afterwards are those of new cases from the same population; which cases fell into which fold is chance all the same.

    Parameters
    ----------
    y_true : array_like, shape (n,)
        Labels 0 and 1; NaN where there is no outcome: such a case fits no map and is recalibrated by that of its fold.
    models : mapping or DataFrame
        Name to probabilities of the event, shape (n,).
    groups : array_like, shape (n,), optional
        Cases of one group stay in one fold; by default each case is its own group.
    sample_weight : array_like, shape (n,), optional
        Non-negative weights, with which the maps are fitted.
    seed : int
        Of the division into folds. The order of the rows does not change the result.

    Returns
    -------
    dict
        Name to recalibrated probabilities.

    Raises
    ------
    ValueError
        Bad input, fewer than five groups, or a fold whose other cases have one outcome only.

    References
    ----------
    Platt, *Probabilistic outputs for support vector machines* (1999).

    Examples
    --------
    >>> y, f = np.tile([0, 0, 0, 1], 50), np.tile([0.6, 0.6, 0.6, 0.9], 50)
    >>> after = recalibrated(y, {"too high": f}, groups=np.arange(200) // 4)["too high"]
    >>> bool(after[0] < 0.01 and after[3] > 0.99)
    True
    >>> later = recalibrated(np.r_[y, np.nan], {"too high": np.r_[f, 0.6]}, groups=np.r_[np.arange(200) // 4, 99])
    >>> bool(later["too high"][-1] < 0.01)
    True
    """
    named = validation.named_forecasts(models)
    validation.same_order_of_models(named, y_true=y_true, groups=groups, sample_weight=sample_weight)
    y = validation.as_float("y_true", y_true)
    if y.ndim != 1:
        raise ValueError(f"y_true must be one-dimensional, got shape {y.shape}")
    known = ~np.isnan(y)
    if pairs := [name for name, given in named.items() if len(given) != 1]:
        raise ValueError(f"{pairs[0]} must be probabilities of the event, not a tuple")
    forecasts = {name: validation.check_binary(np.where(known, y, 0.0), *given)[1] for name, given in named.items()}
    weight = validation.relative_weight(sample_weight, y.size)
    weight = np.ones(y.size) if weight is None else weight
    groups = None if groups is None else validation.group_labels(groups, y.size)
    fold = _folds(groups, np.column_stack([y, weight, *forecasts.values()]), validation.seed(seed))
    after = {name: np.empty(y.size) for name in forecasts}
    for k in range(FOLDS):
        own, rest = fold == k, (fold != k) & (weight > 0) & known
        if len(np.unique(y[rest])) < 2:
            raise ValueError("too few events to recalibrate: outside one of five folds all outcomes are the same")
        for name, f in forecasts.items():
            after[name][own] = _fitted(f[rest], y[rest], weight[rest])(f[own])
    return after


def _folds(groups, rows, seed):
    """A fold for each case: groups, or rows without a place of their own, are sorted before they are dealt."""
    if groups is None:
        place = np.empty(len(rows), dtype=int)
        place[np.lexsort(rows.T)] = np.arange(len(rows))  # equal rows are interchangeable
    else:
        place = np.unique(groups, return_inverse=True)[1]
    number = int(place.max()) + 1
    if number < FOLDS:
        raise ValueError(f"recalibration needs at least {FOLDS} groups, got {number}")
    return (np.random.default_rng(seed).permutation(number) % FOLDS)[place]


def _fitted(f, y, weight):
    """The map that fits these cases best."""
    x, share = _odds(f), weight / weight.sum()

    def loss(at):
        line = at[0] + at[1] * x
        pull = share * (expit(line) - y)
        return (share @ (np.logaddexp(0, line) - y * line) + STRENGTH * at[1] ** 2,
                np.array([pull.sum(), pull @ x + 2 * STRENGTH * at[1]]))

    intercept, slope = minimize(loss, [0.0, 1.0], jac=True, tol=1e-10).x
    return lambda new: expit(intercept + slope * _odds(new))


def _odds(f):
    return logit(np.clip(f, LEAST, 1 - LEAST))
