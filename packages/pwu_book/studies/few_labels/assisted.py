"""Model-assisted PWU: fewer labels for a choice among fixed models, at the price of trusting a reference.

Implements no part of the sources: difference estimators of survey sampling, as the book's record derives them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.optimize import minimize
from scipy.special import expit, logit

from pwu_lite import validation
from pwu_lite._ranks import share_places
from pwu_lite.families import BinaryDecision, Family, SelectivePrediction, mass_of_k, place_worth
from pwu_lite.priors import as_prior
from pwu_lite.pwu import PWU

__all__ = ["Assisted", "binary", "binary_reference", "gaussian_reference", "logistic", "mean_logit",
           "selective", "shrink", "top_k", "variance_line"]

FOLDS = 5  # of the cross-fitted reference
LEAST = 1e-3  # forecasts are kept this far from zero and one before their logit is taken
SIGNS = 199  # random signs that the moment test is compared with
LEVEL = 0.9  # of its quantile


class Assisted(NamedTuple):
    """What `binary`, `top_k` and `selective` give.

    Attributes
    ----------
    table : DataFrame
        A row for each model: ``plain`` (the PWU), ``assisted``, and ``loss``, what to rank by: the assisted
        column, or the plain one for all models if the moment test refuses.
    largest, limit : float
        The largest absolute t of a pair of models, and what random signs reach in one case of ten
        (with few labels a right reference is refused more often than that).
    refused : bool
        Is `largest` above `limit`?
    weight : float
        ``n/(n + n0)``, the part of the labels.
    """

    table: pd.DataFrame
    largest: float
    limit: float
    refused: bool
    weight: float

    @property
    def notes(self) -> tuple[str, ...]:
        """What has to be known about these numbers, in sentences."""
        verdict = "above it, so the models are ranked by the plain PWU" if self.refused else "not above it"
        return (f"Model-assisted PWU: labels count {self.weight:.0%}, a reference fitted to the forecasts of all "
                f"models the rest. The same order as the PWU in the limit of many labels.",
                "It depends on which models are compared, copies count, and it is not proper: for a choice among fixed "
                "models, never to reward forecasts. It gains only if the reference is right where the models act "
                "differently, and marks down a model that knows what the others do not.",
                f"Moment test: largest |t| of a pair {self.largest:.2f}, limit {self.limit:.2f}: {verdict}. With few "
                f"labels it refuses right references, too, more often than one in ten.")


def binary(y_true: ArrayLike, forecasts: Any, prior: Any, *, n0: float = 100.0,
           family: Family | None = None) -> Assisted:
    """The PWU for yes-or-no decisions at labels shrunk towards a reference.

    ``C_j = M_j(w y + (1 - w) q)`` with ``w = n/(n + n0)`` and q from `binary_reference`; M_j is linear in the
    labels. The same order as the PWU in the limit, whatever q; a gain with few labels if q is right where the
    models act differently, and a loss if one of them knows what the others do not. Not proper: for a choice among
    fixed models, never to reward forecasts.

    Parameters
    ----------
    y_true : array_like, shape (n,)
    forecasts : mapping of name to array_like, or DataFrame with a column for each model
        Probabilities, fitted on other cases.
    prior : Prior
        On c.
    n0 : float
        Weight of the reference in labels; zero is the plain PWU.
    family : Family, optional
        A separable family that takes ``y_prob``; `BinaryDecision`, if not given.

    Raises
    ------
    ValueError
        Bad input, fewer than two models, or a negative n0.

    Examples
    --------
    >>> from pwu_lite import Beta
    >>> y = [0, 0, 0, 1, 0, 1, 0, 0, 1, 0]
    >>> models = {"sharp": [.1, .1, .2, .7, .1, .6, .3, .1, .5, .2], "flat": [.3] * 10}
    >>> found = binary(y, models, Beta(2, 10), n0=0)
    >>> bool((found.table["loss"] == found.table["plain"]).all())
    True
    """
    y, names, F = _probabilities(y_true, forecasts)
    score = PWU(family or BinaryDecision(), as_prior(prior))
    loss_if_1, loss_if_0 = (np.column_stack([score.per_sample(np.full(y.size, label), f) for f in F.T])
                            for label in (1, 0))
    q, scores = binary_reference(y, F)
    observed, expected = (loss_if_0 + chance[:, None] * (loss_if_1 - loss_if_0) for chance in (y, q))
    return shrink(observed, expected, scores, n0, names)


def top_k(y_true: ArrayLike, forecasts: Any, prior: Any, *, n0: float = 100.0) -> Assisted:
    """The top-k PWU at labels shrunk towards a reference, see `binary`; the prior is on k/n.

    The utilities are expected hits ``sum_i a_ij y_i``, with weights from the order of the forecasts alone.

    Parameters
    ----------
    y_true : array_like, shape (n,)
        Labels in {0, 1}.
    forecasts : mapping of name to forecast, or DataFrame
        At least two models.
    prior : Prior or frozen scipy.stats distribution
        On the share k/n.
    n0 : float
        How many labels the reference is trusted to be worth, at least 0.

    Examples
    --------
    >>> from pwu_lite import Beta
    >>> y = [0, 0, 0, 1, 0, 1, 0, 0, 1, 0]
    >>> models = {"sharp": [.1, .1, .2, .7, .1, .6, .3, .1, .5, .2], "flat": [.3] * 10}
    >>> bool(top_k(y, models, Beta(1.2, 20.8)).table["assisted"].idxmin() == "sharp")
    True
    """
    y, names, F = _probabilities(y_true, forecasts)
    places = place_worth(mass_of_k(as_prior(prior), y.size)) * y.size
    worth = np.column_stack([share_places(f, places) for f in F.T])  # of each label to minus the loss, times n
    q, scores = binary_reference(y, F)
    return shrink(-worth * y[:, None], -worth * q[:, None], scores, n0, names)


def selective(y_true: ArrayLike, forecasts: Any, prior: Any, *, n0: float = 100.0,
              family: Family | None = None) -> Assisted:
    """The selective PWU with squared errors shrunk towards those that a reference expects, see `binary`.

    The loss of a case is ``A(std) (y - mean)**2 + B(std)``; the square becomes
    ``w (y - mean)**2 + (1 - w) (r**2 + (m - mean)**2)`` with m and r**2 from `gaussian_reference`.

    Parameters
    ----------
    forecasts : mapping of name to tuple
        Of means and standard deviations.
    prior : Prior
        On lambda, in the unit of y squared.

    Examples
    --------
    >>> from pwu_lite import Beta
    >>> rng = np.random.default_rng(0)
    >>> y = rng.normal(size=60)
    >>> models = {"near": (0.8 * y, np.full(60, 0.3)), "far": (0 * y, np.full(60, 1.0))}
    >>> bool(selective(y, models, Beta(2, 10)).table["assisted"].idxmin() == "near")
    True
    """
    y, names, mean, std = _gaussians(y_true, forecasts)
    score = PWU(family or SelectivePrediction(), as_prior(prior))
    fixed = np.column_stack([score.per_sample(m, m, s) for m, s in zip(mean.T, std.T, strict=True)])
    # A(std) from a case whose error is as large as its standard deviation: in the data's own unit.
    slope = np.column_stack([(score.per_sample(m + s, m, s) - rest) / s**2
                             for m, s, rest in zip(mean.T, std.T, fixed.T, strict=True)])
    middle, variance, scores = gaussian_reference(y, mean, std)
    far = np.column_stack([score.per_sample(m + 2 * s, m, s) for m, s in zip(mean.T, std.T, strict=True)])
    if not np.allclose(far, fixed + slope * (2 * std) ** 2, rtol=1e-9, atol=1e-300):
        raise ValueError(f"assistance needs a loss that is linear in the squared error, that of {score!r:.60} is not")
    expected = variance[:, None] + (middle[:, None] - mean) ** 2
    return shrink(fixed + slope * (y[:, None] - mean) ** 2, fixed + slope * expected, scores, n0, names)


def shrink(at_labels: np.ndarray, at_reference: np.ndarray, scores: np.ndarray, n0: float, names: Any) -> Assisted:
    """Mean of ``w at_labels + (1 - w) at_reference``, and the moment test of the reference.

    For each pair of models, the sum of what labels and reference disagree on, over the root of the sum of its
    squares, less the part that fitting the reference has taken out already (a projection on its scores). The
    largest of these is compared with what the same residuals give under random signs.

    Parameters
    ----------
    at_labels, at_reference : ndarray, shape (n, m)
        Loss of each case at its label, and expected loss under the reference.
    scores : ndarray, shape (n, parameters)
        Derivatives of each case's log-likelihood by the reference's parameters.
    n0 : float
    names : sequence of str
    """
    n0 = validation.one_number("n0", n0)
    if not (0 <= n0 < np.inf):
        raise ValueError(f"n0 must be at least 0 and finite, got {n0!r}")
    n = len(at_labels)
    weight = n / (n + n0)
    plain, guessed = at_labels.mean(axis=0), at_reference.mean(axis=0)
    assisted = weight * plain + (1 - weight) * guessed if n0 else plain.copy()
    first, second = np.triu_indices(len(names), 1)
    gap = at_labels - at_reference
    gap = gap[:, first] - gap[:, second]
    rest = gap - scores @ np.linalg.lstsq(scores, gap, rcond=None)[0]
    size = np.sqrt((rest**2).sum(axis=0))
    known = size > 1e-12 * (1e-300 + np.abs(gap).max())
    rows = np.argsort(np.abs(rest[:, known] / size[known]).sum(axis=1))  # the same signs in any order of the rows
    signs = np.empty((SIGNS, n))
    signs[:, rows] = np.random.default_rng(0).choice([-1.0, 1.0], (SIGNS, n))
    drawn = np.abs(signs @ rest[:, known] / size[known])
    limit = float(np.quantile(drawn.max(axis=1), LEVEL)) if known.any() else np.inf
    largest = float(np.abs(gap[:, known].sum(axis=0) / size[known]).max()) if known.any() else 0.0
    refused = bool(largest > limit)
    table = pd.DataFrame({"plain": plain, "assisted": assisted, "loss": plain if refused else assisted}, list(names))
    return Assisted(table, largest, limit, refused, weight)


def binary_reference(y: np.ndarray, forecasts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Cross-fitted probabilities from a logistic regression on the mean logit of all models, and its scores.

    Parameters
    ----------
    y : ndarray, shape (n,)
    forecasts : ndarray, shape (n, m)

    Returns
    -------
    q : ndarray, shape (n,)
        No case's label enters its own; folds follow from the data, not from the order of the rows.
    scores : ndarray, shape (n, 2)
    """
    x = mean_logit(forecasts)
    return _cross_fitted(y, x, y, lambda rows, new: (expit(logistic(x[rows], y[rows])(x[new])),),
                         lambda q: (y - q)[:, None] * np.column_stack([np.ones(y.size), x]))


def gaussian_reference(y: np.ndarray, mean: np.ndarray, std: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Cross-fitted mean and variance from those of all models, and the scores of their four parameters.

    The mean is ``a + b`` times the models' mean, by least squares; the variance ``c + d`` times their mean
    variance, not negative, by Gaussian likelihood of the residuals.

    Parameters
    ----------
    y : ndarray, shape (n,)
        Labels or targets.
    mean : ndarray, shape (n, J)
        Predictive means, one column per model.
    std : ndarray, shape (n, J)
        Predictive standard deviations.
    """
    x, s = mean.mean(axis=1), (std**2).mean(axis=1)

    def fit(rows, new):
        line = np.linalg.lstsq(np.column_stack([np.ones(len(rows)), x[rows]]), y[rows], rcond=None)[0]
        square = (y[rows] - line[0] - line[1] * x[rows]) ** 2 * len(rows) / max(len(rows) - 2, 1)
        c, d = variance_line(square, s[rows])
        return line[0] + line[1] * x[new], c + d * s[new]

    def scores(m, v):
        z = (y - m) ** 2 / v - 1
        return np.column_stack([(y - m) / v, (y - m) / v * x, z / v, z / v * s])

    return _cross_fitted(y, x, np.zeros(y.size), fit, scores)


def mean_logit(forecasts: np.ndarray) -> np.ndarray:
    """Mean over the models of the logit of their probabilities, kept inside (0.001, 0.999).

    Parameters
    ----------
    forecasts : mapping of name to forecast, or DataFrame
        At least two models.
    """
    return logit(np.clip(forecasts, LEAST, 1 - LEAST)).mean(axis=1)


def logistic(x: np.ndarray, y: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """The line ``a + b x`` of a logistic regression with a penalty ``b**2/2``; of one class, its smoothed share.

    Parameters
    ----------
    x : ndarray, shape (n,)
        The one feature.
    y : ndarray, shape (n,)
        Labels or targets.
    """
    share = (y.sum() + 0.5) / (y.size + 1)
    if y.min() == y.max():
        return lambda new: np.full(new.size, logit(share))
    line = np.array([logit(share), 0.0])
    A = np.column_stack([np.ones(x.size), x])
    for _ in range(50):
        p = expit(A @ line)
        slope = A.T @ (y - p) - [0.0, line[1]]
        curve = (A * (p * (1 - p))[:, None]).T @ A + np.diag([1e-9, 1.0])
        step = np.linalg.solve(curve, slope)
        line = line + step * min(1.0, 2.0 / (np.abs(step).max() + 1e-12))
        if np.abs(step).max() < 1e-9:
            break
    return lambda new: line[0] + line[1] * new


def variance_line(square: np.ndarray, reported: np.ndarray) -> tuple[float, float]:
    """``c + d * reported``, both not negative, of the greatest Gaussian likelihood of squared residuals.

    Parameters
    ----------
    square : ndarray, shape (n,)
        Squared errors.
    reported : ndarray, shape (n,)
        Reported variances.
    """
    unit = max(float(square.mean()), 1e-300)
    z, variance = square / unit, np.minimum(reported / unit, 1e4)

    def nll(logs):
        c, d = np.exp(logs)
        v = c + d * variance
        slope = (1 / v - z / v**2) / 2
        return np.mean(np.log(v) + z / v) / 2, np.array([c * slope.mean(), d * np.mean(slope * variance)])

    starts = np.log([[0.5, 0.5], [1.0, 1e-3], [1e-3, 1.0]])
    fits = [minimize(nll, start, jac=True, method="L-BFGS-B", bounds=[(-9, 9), (-14, 14)]) for start in starts]
    c, d = np.exp(min(fits, key=lambda fit: fit.fun).x)
    return float(c * unit), float(d)


def _cross_fitted(y, x, kind, fit, scores):
    """Predictions for each case from a fit to the other folds; cases of a kind join the folds in order of x."""
    fold, order = np.empty(y.size, dtype=int), np.lexsort((y, x, kind))
    fold[order] = np.arange(y.size) % min(FOLDS, y.size)
    parts: list[np.ndarray] = []
    for number in np.unique(fold):
        new = np.flatnonzero(fold == number)
        values = fit(np.flatnonzero(fold != number), new)
        parts = parts or [np.empty(y.size) for _ in values]
        for part, value in zip(parts, values, strict=True):
            part[new] = value
    return *parts, scores(*parts)


def _probabilities(y_true, forecasts):
    table = {name: parts[0] for name, parts in _at_least_two(forecasts).items()}
    clean = [validation.check_binary(y_true, f) for f in table.values()]
    return clean[0][0].astype(float), list(table), np.column_stack([f for _, f, *_ in clean])


def _gaussians(y_true, forecasts):
    table = _at_least_two(forecasts)
    clean = [validation.check_regression(y_true, *pair) for pair in table.values()]
    return (clean[0][0], list(table), np.column_stack([m for _, m, _ in clean]),
            np.column_stack([s for _, _, s in clean]))


def _at_least_two(forecasts):
    table = validation.named_forecasts(forecasts)
    if len(table) < 2:
        raise ValueError(f"forecasts must hold at least two models to choose from, got {len(table)}")
    return table
