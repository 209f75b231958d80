"""Labels that are never seen: bounds on the difference of two models, whatever these labels are.

Implements no section of the sources: a bound in the manner of Manski (2003).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from pwu_lite import validation
from pwu_lite.families import Family, SeparableFamily
from pwu_lite.priors import with_index
from pwu_lite.pwu import PWU

__all__ = ["MissingLabels", "missing_labels"]


class MissingLabels(NamedTuple):
    """What can be said about two models where labels are missing.

    ``lower`` and ``upper`` are the ends of the cost of the first model minus that of the second, over all labels that
    the missing ones may have; some labels reach each end. ``known`` is the difference on the known labels alone,
    ``missing`` the share of the total weight without a label. The verdict is "first" if the first model is not
    costlier whatever the labels are, "second" the reverse, else "undecided". ``tipping`` says how few missing labels
    are enough: that many of them being 1, the others 0, can turn the order round that holds if all are 0. It is None if
    no number of them can, or if there are more than two classes.
    """

    verdict: str
    lower: float
    upper: float
    known: float
    missing: float
    tipping: int | None


def missing_labels(family: Family, prior: Any, y_true: ArrayLike, a: Any, b: Any, *,
                   sample_weight: ArrayLike | None = None) -> MissingLabels:
    """Exact range of the difference of two models' PWUs, whatever the missing labels are.

    Each case has a loss of its own, so a missing label affects only that case's difference of losses. The lower end is
    the sum of the cases' smallest differences, the upper end that of their largest.

    Parameters
    ----------
    family : Family
        Separable, for labels: of a probability, or of a row of class probabilities.
    prior : Prior, tuple of them, or None
        One for each parameter; None for a family without.
    y_true : array_like, shape (n,)
        Labels, NaN where they are missing.
    a, b : array_like, shape (n,) or (n, K)
        The two forecasts, of all cases.
    sample_weight : array_like, shape (n,), optional
        Non-negative weights.

    Returns
    -------
    MissingLabels
        Begins with the verdict.

    Raises
    ------
    ValueError
        Bad input, a family whose outcomes are not labels, or an infinite loss of a case.

    References
    ----------
    Manski, *Partial Identification of Probability Distributions* (2003).

    Examples
    --------
    >>> from pwu_lite import Beta, BinaryDecision
    >>> y = [1, 0, 0, float("nan")]
    >>> found = missing_labels(BinaryDecision(), Beta(2, 10), y, [0.6, 0.1, 0.1, 0.1], [0.2, 0.2, 0.3, 0.2])
    >>> found.verdict, round(found.lower, 3), round(found.upper, 3), found.tipping
    ('first', -0.111, -0.017, None)
    """
    if not isinstance(family, SeparableFamily) or family.takes != ("y_prob",):
        raise ValueError(f"missing_labels needs a family with labels and one loss per case, got {family!r}")
    priors = () if prior is None else prior if isinstance(prior, tuple) else (prior,)
    score, y = PWU(family, *priors), validation.as_float("y_true", y_true)
    forecasts = {"forecast a": a, "forecast b": b}
    validation.same_order(y_true=y_true, **forecasts, sample_weight=sample_weight, **with_index(score.priors))
    if y.ndim != 1 or not y.size:
        raise ValueError(f"y_true must be one-dimensional and not empty, got shape {y.shape}")
    absent = np.isnan(y)
    labels = range(np.shape(a)[1]) if family.multiclass and np.ndim(a) == 2 else (0, 1)
    gaps = np.array([_difference(score, np.where(absent, label, y), a, b) for label in labels])
    weight = validation.relative_weight(sample_weight, y.size)
    weight = np.ones(y.size) if weight is None else weight
    share = weight / weight.sum()
    lower, upper = float(share @ gaps.min(axis=0)), float(share @ gaps.max(axis=0))
    seen = share[~absent].sum()
    known = float(share[~absent] @ gaps[0, ~absent] / seen) if seen > 0 else float("nan")
    room = 1e-12 * float(share @ np.abs(gaps).max(axis=0))
    first, second = upper <= room and lower < -room, lower >= -room and upper > room
    verdict = "first" if first else "second" if second else "undecided"
    tipping = _tipping(share @ gaps[0], (share * (gaps[1] - gaps[0]))[absent], room) if len(gaps) == 2 else None
    return MissingLabels(verdict, lower, upper, known, float(share[absent].sum()), tipping)


def _tipping(none, moves, room):
    """How few of the moves turn the sign of `none` round, the largest first; None if they cannot, or it has no sign."""
    reached = np.sign(none) * none + np.cumsum(np.sort(np.sign(none) * moves))
    turned = np.flatnonzero(reached < -room)
    return int(turned[0]) + 1 if turned.size and abs(none) > room else None


def _difference(score, y, a, b):
    gap = score.per_sample(y, a) - score.per_sample(y, b)
    validation.reject("the loss", gap, ~np.isfinite(gap), "must be finite for every label")
    return gap
