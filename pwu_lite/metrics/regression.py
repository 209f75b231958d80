"""Conventional metrics of regression with a predictive mean and standard deviation.

Implements appendix F of the PWU paper; CRPS, quantile and interval scores of a Gaussian.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import _special as special
from .. import validation
from ..validation import check_regression
from ._kernels import average, detection_auroc, read, retention_area

__all__ = ["check_score", "crps_gaussian", "error_detection_auroc", "expected_calibration_error", "gaussian_nll",
           "interval_score", "maximum_calibration_error", "mean_absolute_calibration_error", "mean_squared_error",
           "pinball_loss", "retention_auc", "root_mean_squared_calibration_error"]

COVERAGES = (0.5, 0.8, 0.9, 0.95)
DECILES = tuple(k / 10 for k in range(1, 10))
PERCENTILES = tuple(k / 100 for k in range(1, 100))


def gaussian_nll(y_true: ArrayLike, mean: ArrayLike, std: ArrayLike, *,
                 sample_weight: ArrayLike | None = None) -> float:
    """Gaussian negative log-likelihood, ``log(2 pi std**2)/2 + (y - mean)**2/(2 std**2)``.

    Parameters
    ----------
    y_true : array_like, shape (n,)
        Targets.
    mean, std : array_like, shape (n,)
        Predictive mean and standard deviation, in the unit of y.
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
    >>> round(gaussian_nll([0.0], [0.0], [1.0]), 6)
    0.918939
    """
    y, m, s, weight = _read(y_true, mean, std, sample_weight)
    z = (y - m) / s
    return average(np.log(s) + 0.5 * np.log(2 * np.pi) + z**2 / 2, weight)


def mean_squared_error(y_true: ArrayLike, mean: ArrayLike, std: ArrayLike, *,
                       sample_weight: ArrayLike | None = None) -> float:
    """Mean of ``(y - mean)**2``; `std` is checked but not used.

    PWU paper, appendix F.

    Parameters
    ----------
    y_true : array_like, shape (n,)
        Targets, in any unit.
    mean : array_like, shape (n,)
        Predictive means, in the unit of the targets.
    std : array_like, shape (n,)
        Predictive standard deviations, positive, in the unit of the targets.
    sample_weight : array_like, shape (n,), optional
        Non-negative weights; equal ones if not given.

    Examples
    --------
    >>> mean_squared_error([0.0, 1.0], [1.0, 1.0], [0.1, 9.0])
    0.5
    """
    y, m, s, weight = _read(y_true, mean, std, sample_weight)
    return average((y - m) ** 2, weight)


def crps_gaussian(y_true: ArrayLike, mean: ArrayLike, std: ArrayLike, *,
                  sample_weight: ArrayLike | None = None) -> float:
    """Continuous ranked probability score of a Gaussian, in the unit of y.

    ``std (z (2 Phi(z) - 1) + 2 phi(z) - 1/sqrt(pi))`` with ``z = (y - mean)/std``.

    Parameters
    ----------
    y_true : array_like, shape (n,)
        Targets, in any unit.
    mean : array_like, shape (n,)
        Predictive means, in the unit of the targets.
    std : array_like, shape (n,)
        Predictive standard deviations, positive, in the unit of the targets.
    sample_weight : array_like, shape (n,), optional
        Non-negative weights; equal ones if not given.

    Examples
    --------
    >>> round(crps_gaussian([0.0], [0.0], [1.0]), 6)
    0.233695
    """
    y, m, s, weight = _read(y_true, mean, std, sample_weight)
    z = (y - m) / s
    density = np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)
    return average(s * (z * special.erf(z / np.sqrt(2)) + 2 * density - 1 / np.sqrt(np.pi)), weight)


def pinball_loss(y_true: ArrayLike, mean: ArrayLike, std: ArrayLike, *,
                 level: float, sample_weight: ArrayLike | None = None) -> float:
    """Pinball loss of the Gaussian's quantile q at `level`, in the unit of y.

    ``(1 - level) (q - y)`` where ``y < q``, else ``level (y - q)``: what a newsvendor loses.

    Parameters
    ----------
    y_true, mean, std, sample_weight
        As in `gaussian_nll`.
    level : float
        In (0, 1).

    Examples
    --------
    >>> pinball_loss([1.0], [0.0], [2.0], level=0.5)
    0.5
    """
    y, m, s, weight = _read(y_true, mean, std, sample_weight)
    level = validation.inside("level", level, 0, 1)
    short = y - (m + s * special.ndtri(level))
    return average(np.maximum(level * short, (level - 1) * short), weight)


def check_score(y_true: ArrayLike, mean: ArrayLike, std: ArrayLike, *,
                levels: Sequence[float] = PERCENTILES, sample_weight: ArrayLike | None = None) -> float:
    """Check score: the pinball loss averaged over quantile levels, in the unit of y.

    Parameters
    ----------
    y_true, mean, std, sample_weight
        As in `gaussian_nll`.
    levels : sequence of float
        In (0, 1).

    References
    ----------
    UNIQUE, evaluation benchmarks, "Check score".

    Examples
    --------
    >>> round(check_score([0.0], [0.0], [1.0]), 6)
    0.117956
    """
    y, m, s, weight = _read(y_true, mean, std, sample_weight)
    grid = validation.check_thetas("levels", levels, 0, 1)
    loss = np.empty(y.size)
    for start in range(0, y.size, 4096):  # blocks of cases keep the table of all levels small
        part = slice(start, start + 4096)
        short = (y[part] - m[part])[:, None] - s[part][:, None] * special.ndtri(grid)
        loss[part] = np.maximum(grid * short, (grid - 1) * short).mean(axis=1)
    return average(loss, weight)


def interval_score(y_true: ArrayLike, mean: ArrayLike, std: ArrayLike, *,
                   coverage: float, sample_weight: ArrayLike | None = None) -> float:
    """Interval score of the central Gaussian interval [l, u], in the unit of y.

    ``(u - l) + 2/alpha * max(l - y, 0, y - u)`` with ``alpha = 1 - coverage``.

    Parameters
    ----------
    y_true, mean, std, sample_weight
        As in `gaussian_nll`.
    coverage : float
        In (0, 1).

    Examples
    --------
    >>> round(interval_score([0.0], [0.0], [1.0], coverage=0.9), 6)
    3.289707
    """
    y, m, s, weight = _read(y_true, mean, std, sample_weight)
    coverage = validation.inside("coverage", coverage, 0, 1)
    half = s * _half_width(coverage)
    outside = np.maximum(np.abs(y - m) - half, 0)
    return average(2 * half + 2 / (1 - coverage) * outside, weight)


def expected_calibration_error(y_true: ArrayLike, mean: ArrayLike, std: ArrayLike, *,
                               coverages: Sequence[float] = COVERAGES, sample_weight: ArrayLike | None = None) -> float:
    """Mean over `coverages` of the gap between observed and nominal coverage.

    ``abs(share of y inside the central Gaussian interval - coverage)``.

    Parameters
    ----------
    y_true, mean, std : array_like, shape (n,)
        As in `gaussian_nll`.
    coverages : sequence of float
        Nominal coverages in (0, 1).
    sample_weight : None
        Must be None, because the metric is not an average over data points.

    References
    ----------
    PWU paper, appendix F (its levels .5, .8, .9 and .95 are coverages).

    Examples
    --------
    >>> round(expected_calibration_error([0.0, 3.0], [0.0, 0.0], [1.0, 1.0]), 6)
    0.2875
    """
    validation.no_weight(sample_weight, "the calibration error")
    return float(_coverage_gaps(y_true, mean, std, coverages).mean())


def maximum_calibration_error(y_true: ArrayLike, mean: ArrayLike, std: ArrayLike, *,
                              coverages: Sequence[float] = COVERAGES, sample_weight: ArrayLike | None = None) -> float:
    """Maximum over `coverages` of the gap between observed and nominal coverage.

    PWU paper, appendix F.

    Parameters
    ----------
    y_true : array_like, shape (n,)
        Targets, in any unit.
    mean : array_like, shape (n,)
        Predictive means, in the unit of the targets.
    std : array_like, shape (n,)
        Predictive standard deviations, positive, in the unit of the targets.
    coverages : sequence of float
        Nominal coverages of central intervals, in (0, 1).
    sample_weight : None
        Weights are refused; the value is not an average over cases.

    Examples
    --------
    >>> round(maximum_calibration_error([0.0, 3.0], [0.0, 0.0], [1.0, 1.0]), 6)
    0.45
    """
    validation.no_weight(sample_weight, "the calibration error")
    return float(_coverage_gaps(y_true, mean, std, coverages).max())


def mean_absolute_calibration_error(y_true: ArrayLike, mean: ArrayLike, std: ArrayLike, *,
                                    coverages: Sequence[float] = DECILES,
                                    sample_weight: ArrayLike | None = None) -> float:
    """MACE: the mean over `coverages` of ``abs(observed - nominal coverage)``.

    The same formula as `expected_calibration_error`, with other levels. Levels 0 and 1
    are allowed, and pull the mean down: their error is zero, unless a prediction is exact.

    Parameters
    ----------
    y_true, mean, std : array_like, shape (n,)
        As in `gaussian_nll`.
    coverages : sequence of float
        Nominal coverages of central Gaussian intervals, in [0, 1].
    sample_weight : None
        Must be None, because the metric is not an average over data points.

    References
    ----------
    UNIQUE, evaluation benchmarks, "Mean absolute calibration error".

    Examples
    --------
    >>> round(mean_absolute_calibration_error([0.0, 3.0], [0.0, 0.0], [1.0, 1.0]), 6)
    0.222222
    """
    validation.no_weight(sample_weight, "the calibration error")
    return float(_coverage_gaps(y_true, mean, std, coverages, closed=True).mean())


def root_mean_squared_calibration_error(y_true: ArrayLike, mean: ArrayLike, std: ArrayLike, *,
                                        coverages: Sequence[float] = DECILES,
                                        sample_weight: ArrayLike | None = None) -> float:
    """RMSCE: the root of the mean over `coverages` of ``(observed - nominal coverage)**2``.

    UNIQUE, evaluation benchmarks, "Root mean squared calibration error".

    Parameters
    ----------
    y_true : array_like, shape (n,)
        Targets, in any unit.
    mean : array_like, shape (n,)
        Predictive means, in the unit of the targets.
    std : array_like, shape (n,)
        Predictive standard deviations, positive, in the unit of the targets.
    coverages : sequence of float
        Nominal coverages of central intervals, in (0, 1).
    sample_weight : None
        Weights are refused; the value is not an average over cases.

    Examples
    --------
    >>> round(root_mean_squared_calibration_error([0.0, 3.0], [0.0, 0.0], [1.0, 1.0]), 6)
    0.258199
    """
    validation.no_weight(sample_weight, "the calibration error")
    return float(np.sqrt(np.mean(_coverage_gaps(y_true, mean, std, coverages, closed=True) ** 2)))


def retention_auc(y_true: ArrayLike, mean: ArrayLike, std: ArrayLike, *,
                  definition: str = "retained", sample_weight: ArrayLike | None = None) -> float:
    """Area under the retention curve of the squared error, dropping the largest std first.

    Parameters
    ----------
    y_true, mean, std : array_like, shape (n,)
        As in `gaussian_nll`.
    definition : {"retained", "oracle"}
        As in `pwu_lite.metrics.classification.retention_auc`.
    sample_weight : None
        Must be None, because the metric is not an average over data points.

    References
    ----------
    PWU paper, appendix F.

    Examples
    --------
    >>> retention_auc([0.0, 0.0], [1.0, 0.0], [10.0, 1.0])
    0.25
    """
    validation.no_weight(sample_weight, "the retention curve")
    y, m, s = check_regression(y_true, mean, std)
    validation.same_order(y_true=y_true, mean=mean, std=std, sample_weight=sample_weight)
    return retention_area((y - m) ** 2, np.log(s), definition)


def error_detection_auroc(y_true: ArrayLike, mean: ArrayLike, std: ArrayLike, *,
                          tolerance: float = 0.1, sample_weight: ArrayLike | None = None) -> float:
    """AUROC of std as a detector of relative errors above `tolerance`; higher is better.

    A prediction is wrong when ``|y - mean| > tolerance |y|`` (rounding aside). NaN when
    none is wrong, or all are. Ties count one half. PWU paper, appendix F (there with a
    minus sign, and a small constant that keeps y = 0 from dividing by zero).

    Parameters
    ----------
    y_true, mean, std : array_like, shape (n,)
        As in `gaussian_nll`.
    tolerance : float
        Positive.
    sample_weight : None
        Must be None, because the metric is not an average over data points.

    Examples
    --------
    >>> error_detection_auroc([1.0, 1.0], [1.05, 2.0], [0.1, 0.5])
    1.0
    """
    validation.no_weight(sample_weight, "an AUROC")
    y, m, s = check_regression(y_true, mean, std)
    limit = validation.positive("tolerance", tolerance) * np.abs(y)
    wrong = np.abs(y - m) - limit > 1e-12 * np.abs(y)
    return detection_auroc(wrong, np.log(s))


def _read(y_true: Any, mean: Any, std: Any, sample_weight: Any) -> tuple[Any, ...]:
    return read(check_regression, sample_weight, y_true=y_true, mean=mean, std=std)


def _half_width(coverage: float) -> float:
    """Half the width of a central interval, in standard deviations; exact near both ends."""
    return np.sqrt(2) * special.erfinv(coverage) if coverage < 0.5 else -special.ndtri((1 - coverage) / 2)


def _coverage_gaps(y_true: Any, mean: Any, std: Any, coverages: Any, closed: bool = False) -> np.ndarray:
    """Gap at each coverage in (0, 1), or in [0, 1] if closed."""
    y, m, s = check_regression(y_true, mean, std)
    levels = validation.vector("coverages", np.atleast_1d(validation.as_float("coverages", coverages)))
    if not closed:
        validation.check_thetas("coverages", levels, 0, 1)
    validation.reject("coverages", levels, (levels < 0) | (levels > 1), "must lie in [0, 1]")
    z = np.abs(y - m) / s
    return np.array([abs(np.mean(z <= _half_width(level)) - level) for level in levels])
