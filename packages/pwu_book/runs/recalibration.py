"""Forecasts recalibrated with two parameters, fitted on the other folds: the models that a careful reader would have.

Implements no part of a source: it asks what a conclusion of section 5.1 of the PWU paper owes to miscalibration.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.optimize import minimize
from scipy.special import logit
from sklearn.linear_model import LogisticRegression

from .grid import Prediction
from .tasks import Task

__all__ = ["platt", "recalibrated", "two_part_variance"]

LEAST = 1e-3  # probabilities are kept this far from zero and one before their logit is taken


def recalibrated(task: Task, said: Sequence[Prediction]) -> list[Prediction]:
    """Recalibrate each fold's forecasts by a map that is fitted to the forecasts and outcomes of the other folds.

    Probabilities by `platt`, standard deviations by `two_part_variance`; means stay. The models behind the
    other folds' forecasts have seen this fold's cases, the two parameters have not.

    Parameters
    ----------
    task : Task
        Kind of forecast, binary or regression.
    said : sequence of Prediction
        What one model said in each fold.

    Raises
    ------
    ValueError
        Forecasts of another kind.
    """
    if task.kind not in ("binary", "regression"):
        raise ValueError(f"only probabilities of two classes and means with a spread are recalibrated, not {task.name}")
    mend = platt if task.kind == "binary" else two_part_variance
    mended = []
    for place, one in enumerate(said):
        others = [other for number, other in enumerate(said) if number != place]
        y = np.concatenate([other.y for other in others])
        forecast = [np.concatenate(parts) for parts in zip(*(other.forecast for other in others), strict=True)]
        mended.append(one._replace(forecast=mend(y, forecast, one.forecast)))
    return mended


def platt(y: np.ndarray, forecast: Sequence[np.ndarray], new: Sequence[np.ndarray]) -> tuple[np.ndarray, ...]:
    """Recalibrate probabilities by a lightly penalised logistic regression of the outcome on their logits (Platt).

    Parameters
    ----------
    y : ndarray, shape (n,)
        Labels 0 and 1.
    forecast : sequence of one ndarray, shape (n,)
        Forecast probabilities of a 1, in [0, 1].
    new : sequence of one ndarray, shape (m,)
        Probabilities to recalibrate.

    Returns
    -------
    tuple of one ndarray, shape (m,)

    Examples
    --------
    >>> y, f = np.array([0, 1] * 50), np.full(100, 0.9)
    >>> platt(y, [f], [f[:1]])[0].round(2)
    array([0.5])
    """
    x, fresh = (logit(np.clip(f, LEAST, 1 - LEAST))[:, None] for f in (forecast[0], new[0]))
    return (LogisticRegression(C=10.0).fit(x, y).predict_proba(fresh)[:, 1],)


def two_part_variance(y: np.ndarray, forecast: Sequence[np.ndarray], new: Sequence[np.ndarray]
                      ) -> tuple[np.ndarray, ...]:
    """Recalibrate variances to ``a * std**2 + b``, with the a and b, not negative, of the least mean Gaussian NLL.

    Parameters
    ----------
    y : ndarray, shape (n,)
        Targets.
    forecast : sequence of two ndarrays, shape (n,) each
        Predictive means and standard deviations, in the unit of the targets.
    new : sequence of two ndarrays, shape (m,) each
        Means and standard deviations to recalibrate.

    Returns
    -------
    tuple of two ndarrays, shape (m,) each
        The means of `new`, unchanged, and the new standard deviations.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y, zero, std = rng.normal(0, 2, 4000), np.zeros(4000), np.full(4000, 0.1)
    >>> bool(abs(two_part_variance(y, [zero, std], [zero[:1], std[:1]])[1][0] - 2) < 0.1)
    True
    """
    mean, std = forecast
    square = (y - mean) ** 2
    unit = square.mean()
    z = square / unit
    # The reported variances in units of the mean squared error, without the wildest, so that both parts count.
    said = np.minimum(std**2 / unit, 1e4)

    def nll(logs):
        a, b = np.exp(logs)
        variance = a * said + b
        slope = (1 / variance - z / variance**2) / 2
        return np.mean(np.log(variance) + z / variance) / 2, np.array([a * np.mean(slope * said), b * slope.mean()])

    starts = [np.log([0.5, 0.5]), np.log([1e-3, 1.0]), np.log([1.0, 1e-3])]
    found = [minimize(nll, start, jac=True, method="L-BFGS-B", bounds=[(-14, 14), (-9, 9)]) for start in starts]
    a, b = np.exp(min(found, key=lambda one: one.fun).x)
    return new[0], np.sqrt(unit * (a * np.minimum(new[1] ** 2 / unit, 1e4) + b))
