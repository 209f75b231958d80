"""Conventional metrics of probabilistic binary classification.

Implements appendix F of the PWU paper, and three more proper scores.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import validation
from ..validation import check_binary
from ._kernels import (
    average,
    average_with_infinity,
    bin_gaps,
    calibration_error,
    detection_auroc,
    read,
    retention_area,
    to_sum_one,
    weight_above,
)

__all__ = ["boosting_loss", "brier_score", "cutoff_calibration_error", "error_detection_auroc",
           "expected_calibration_error",
           "log_loss", "maximum_calibration_error", "net_benefit", "retention_auc", "spherical_loss",
           "winkler_loss", "zero_one_loss"]


def log_loss(y_true: ArrayLike, y_prob: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float:
    """Negative log-likelihood, the mean of ``-log f_y`` (nats).

    ``f_y`` is the probability given to what happened. An impossible outcome costs
    infinity: nothing is clipped.

    Parameters
    ----------
    y_true : array_like, shape (n,)
        Labels in {0, 1}.
    y_prob : array_like, shape (n,)
        Probability of label 1.
    sample_weight : array_like, shape (n,), optional

    Returns
    -------
    float

    Raises
    ------
    ValueError
        Bad input, named with its first bad index.

    References
    ----------
    PWU paper, appendix F.

    Examples
    --------
    >>> round(log_loss([1, 0], [0.8, 0.4]), 6)
    0.366985
    """
    y, f, weight = _read(y_true, y_prob, sample_weight)
    with np.errstate(divide="ignore"):
        loss = np.where(y, -np.log(f), -np.log1p(-f))
    return average_with_infinity(loss, weight)


def brier_score(y_true: ArrayLike, y_prob: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float:
    """Brier score, the mean of ``(f - y)**2``.

    PWU paper, appendix F.

    Parameters
    ----------
    y_true : array_like, shape (n,)
        Labels in {0, 1}.
    y_prob : array_like, shape (n,)
        Probabilities of label 1, in [0, 1].
    sample_weight : array_like, shape (n,), optional
        Non-negative weights; equal ones if not given.

    Examples
    --------
    >>> round(brier_score([1, 0], [0.8, 0.4]), 6)
    0.1
    """
    y, f, weight = _read(y_true, y_prob, sample_weight)
    return average((f - y) ** 2, weight)


def zero_one_loss(y_true: ArrayLike, y_prob: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float:
    """Share of wrong labels, the mean of ``1[1[f > 1/2] != y]``; 0.5 predicts class 0.

    One minus accuracy. PWU paper, appendix F.

    Parameters
    ----------
    y_true : array_like, shape (n,)
        Labels in {0, 1}.
    y_prob : array_like, shape (n,)
        Probabilities of label 1, in [0, 1].
    sample_weight : array_like, shape (n,), optional
        Non-negative weights; equal ones if not given.

    Examples
    --------
    >>> zero_one_loss([1, 0], [0.5, 0.5])
    0.5
    """
    y, f, weight = _read(y_true, y_prob, sample_weight)
    return average((f > 0.5) != y, weight)


def spherical_loss(y_true: ArrayLike, y_prob: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float:
    """Spherical loss, the mean of ``1 - f_y / sqrt(f**2 + (1 - f)**2)``.

    Its implicit prior is ``(c**2 + (1 - c)**2)**(-3/2)``.

    Parameters
    ----------
    y_true : array_like, shape (n,)
        Labels in {0, 1}.
    y_prob : array_like, shape (n,)
        Probabilities of label 1, in [0, 1].
    sample_weight : array_like, shape (n,), optional
        Non-negative weights; equal ones if not given.

    Examples
    --------
    >>> round(spherical_loss([1], [0.6]), 6)
    0.16795
    """
    y, f, weight = _read(y_true, y_prob, sample_weight)
    other = np.where(y, 1 - f, f)
    norm = np.hypot(f, 1 - f)
    return average(other**2 / (norm * (norm + (1 - other))), weight)


def boosting_loss(y_true: ArrayLike, y_prob: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float:
    """Boosting (exponential) loss, the mean of ``sqrt((1 - f_y) / f_y)``.

    Its implicit prior is ``(c (1 - c))**(-3/2) / 2``. An impossible outcome costs
    infinity.

    Parameters
    ----------
    y_true : array_like, shape (n,)
        Labels in {0, 1}.
    y_prob : array_like, shape (n,)
        Probabilities of label 1, in [0, 1].
    sample_weight : array_like, shape (n,), optional
        Non-negative weights; equal ones if not given.

    Examples
    --------
    >>> boosting_loss([1, 0], [0.5, 0.5])
    1.0
    """
    y, f, weight = _read(y_true, y_prob, sample_weight)
    with np.errstate(divide="ignore"):
        loss = np.where(y, np.sqrt(1 - f) / np.sqrt(f), np.sqrt(f) / np.sqrt(1 - f))
    return average_with_infinity(loss, weight)


def winkler_loss(y_true: ArrayLike, y_prob: ArrayLike, *, c: float, sample_weight: ArrayLike | None = None) -> float:
    """Winkler's asymmetric quadratic loss around the baseline c.

    The mean of ``1 - ((c - y)**2 - (f - y)**2) / D`` with ``D = (1 - c)**2`` where ``f >= c``,
    else ``c**2``: zero for a perfect forecast, one for f = c. (Winkler 1994; not his interval
    score.) Its implicit prior is ``2/c**2`` below c and ``2/(1 - c)**2`` above.

    Parameters
    ----------
    y_true, y_prob, sample_weight
        As in `log_loss`.
    c : float
        Baseline probability in (0, 1).

    Examples
    --------
    >>> round(winkler_loss([0], [0.05], c=0.1), 12)
    0.25
    """
    y, f, weight = _read(y_true, y_prob, sample_weight)
    c = validation.inside("c", c, 0, 1)
    scale = np.where(f >= c, 1 - c, c)
    skill = ((c - f) / scale) * ((c + f - 2 * y) / scale)  # (c - y)**2 - (f - y)**2, divided
    return average(1 - skill, weight)


def expected_calibration_error(y_true: ArrayLike, y_prob: ArrayLike, *,
                               n_bins: int = 10, sample_weight: ArrayLike | None = None) -> float:
    """Expected calibration error, ``sum_j n_j/n |freq(B_j) - conf(B_j)|``.

    Bins of equal width are (l, u], with 0 in the first and edges j/n_bins.

    Parameters
    ----------
    y_true, y_prob : array_like, shape (n,)
        As in `log_loss`.
    n_bins : int
        Number of bins.
    sample_weight : None
        Must be None, because the metric is not an average over data points.

    References
    ----------
    PWU paper, appendix F.

    Examples
    --------
    >>> expected_calibration_error([1, 0, 1, 0], [1.0, 0.0, 0.5, 1.0])
    0.375
    """
    validation.no_weight(sample_weight, "the calibration error")
    return calibration_error(*check_binary(y_true, y_prob), n_bins)


def maximum_calibration_error(y_true: ArrayLike, y_prob: ArrayLike, *,
                              n_bins: int = 10, sample_weight: ArrayLike | None = None) -> float:
    """Maximum calibration error, ``max_j |freq(B_j) - conf(B_j)|`` over bins that hold data.

    PWU paper, appendix F.

    Parameters
    ----------
    y_true : array_like, shape (n,)
        Labels in {0, 1}.
    y_prob : array_like, shape (n,)
        Probabilities of label 1, in [0, 1].
    n_bins : int
        Number of bins of equal width, at least 1.
    sample_weight : None
        Weights are refused; the value is not an average over cases.

    Examples
    --------
    >>> maximum_calibration_error([1, 0, 1, 0], [1.0, 0.0, 0.5, 1.0])
    0.5
    """
    validation.no_weight(sample_weight, "the calibration error")
    gaps, sizes = bin_gaps(*check_binary(y_true, y_prob), n_bins)
    used = sizes > 0
    return float((np.abs(gaps[used]) / sizes[used]).max())


def cutoff_calibration_error(y_true: ArrayLike, y_prob: ArrayLike, *,
                             sample_weight: ArrayLike | None = None) -> float:
    """Largest ``|mean of (y - f) 1[a < f <= b]|`` over all intervals: what another threshold can save, for any c.

    For every cost share c and every t, acting where f > c costs at most this much more per case than acting where
    f > t, in units of a miss and a false alarm together. There are no bins, and cases with equal forecasts stay
    together. It bounds what another threshold saves, not what other acts for single forecasts would save. Chance
    alone makes it positive: about ``1.6 sqrt(mean of f (1 - f) / n)`` for calibrated forecasts that are all different.

    Parameters
    ----------
    y_true : array_like, shape (n,)
        Labels in {0, 1}.
    y_prob : array_like, shape (n,)
        Probabilities of label 1, in [0, 1].
    sample_weight : array_like, shape (n,), optional
        Non-negative weights; equal ones if not given.

    References
    ----------
    Rossellini et al. (2025), "Can a calibration metric be both testable and actionable?", arXiv 2502.19851.

    Examples
    --------
    >>> cutoff_calibration_error([1, 0, 1, 0], [0.25, 0.25, 0.75, 0.75])
    0.125
    """
    y, f, weight = _read(y_true, y_prob, sample_weight)
    weight = np.ones(f.size) if weight is None else weight
    values, place = np.unique(f, return_inverse=True)
    # The sum of w (y - f) over an interval is the difference of two values of one cumulative sum; its range is the
    # largest of all these differences. Equal forecasts are one step.
    steps = np.bincount(place, weight * (y - f), minlength=values.size)
    total = np.concatenate([[0.0], np.cumsum(steps)])
    return float(np.ptp(total) / weight.sum())


def retention_auc(y_true: ArrayLike, y_prob: ArrayLike, *,
                  definition: str = "retained", sample_weight: ArrayLike | None = None) -> float:
    """Area under the retention curve; cases are dropped starting with the most uncertain.

    Parameters
    ----------
    y_true, y_prob : array_like, shape (n,)
        As in `log_loss`. The uncertainty is the entropy of f.
    definition : {"retained", "oracle"}
        ``"retained"``: the error rate among the n - r kept cases, averaged over
        r = 0..n-1 (the paper). ``"oracle"``: errors kept divided by n, as if an
        oracle answered for the dropped ones.
    sample_weight : None
        Must be None, because the metric is not an average over data points.

    Notes
    -----
    Uncertainties within 1e-12 are tied; the value is the expectation over a random order.

    References
    ----------
    PWU paper, appendix F.

    Examples
    --------
    >>> retention_auc([1, 0], [0.51, 0.8])
    0.75
    """
    validation.no_weight(sample_weight, "the retention curve")
    y, f = check_binary(y_true, y_prob)
    return retention_area(((f > 0.5) != y).astype(float), _uncertainty(f), definition)


def error_detection_auroc(y_true: ArrayLike, y_prob: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float:
    """AUROC of the entropy as a detector of wrong labels; higher is better.

    NaN when every label is right, or every one wrong. Ties count one half.
    PWU paper, appendix F (there with a minus sign).

    Parameters
    ----------
    y_true : array_like, shape (n,)
        Labels in {0, 1}.
    y_prob : array_like, shape (n,)
        Probabilities of label 1, in [0, 1].
    sample_weight : None
        Weights are refused; the value is not an average over cases.

    Examples
    --------
    >>> error_detection_auroc([1, 0, 1], [0.49, 0.999, 0.6])
    0.5
    """
    validation.no_weight(sample_weight, "an AUROC")
    y, f = check_binary(y_true, y_prob)
    return detection_auroc((f > 0.5) != y, _uncertainty(f))


def net_benefit(y_true: ArrayLike, y_prob: ArrayLike, threshold: ArrayLike, *,
                ties: str = "wait", sample_weight: ArrayLike | None = None) -> Any:
    """Net benefit of acting above a threshold, the height of a decision curve; higher is better.

    ``TP/n - FP/n * t/(1 - t)``, with true and false positives counted where ``f > t``, or ``f >= t``. In the
    terms of a binary decision it is ``prevalence + U_t/(1 - t)``.

    Parameters
    ----------
    y_true, y_prob, sample_weight
        As in `log_loss`.
    threshold : float or array_like of shape (m,)
        In [0, 1). At 0 an alarm costs nothing and everybody is treated, whatever the forecast: it is the prevalence.
    ties : {"wait", "act"}
        What a forecast equal to the threshold does. Both cost the same in expectation. ``"wait"`` is what
        `pwu_lite.BinaryDecision` does; packages for decision curves act at ``f >= t``. Where forecasts and
        thresholds are rounded to the same digits the two differ.

    Returns
    -------
    float or ndarray of shape (m,)

    References
    ----------
    Vickers and Elkin (2006), *Decision curve analysis*.

    Examples
    --------
    >>> round(net_benefit([1, 0, 1, 0], [0.8, 0.6, 0.2, 0.1], 0.5), 12)
    0.0
    """
    y, f, weight = _read(y_true, y_prob, sample_weight)
    t = validation.vector("threshold", np.atleast_1d(validation.as_float("threshold", threshold)))
    validation.reject("threshold", t, (t < 0) | (t >= 1), "must lie in [0, 1)")
    act = validation.one_of("ties", ties, "wait", "act") == "act"
    weight = to_sum_one(weight, f.size)
    gains = weight_above(f[y], weight[y], t, equal=act) - weight_above(f[~y], weight[~y], t, equal=act) * t / (1 - t)
    gains[t == 0] = weight[y].sum()
    return float(gains[0]) if np.ndim(threshold) == 0 else gains


def _read(y_true: Any, y_prob: Any, sample_weight: Any) -> tuple[Any, ...]:
    return read(check_binary, sample_weight, y_true=y_true, y_prob=y_prob)


def _uncertainty(f: np.ndarray) -> np.ndarray:
    """Smaller of the two probabilities: it orders cases as the entropy does."""
    return np.minimum(f, 1 - f)
