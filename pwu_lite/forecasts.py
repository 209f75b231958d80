"""Mean and standard deviation from what models give instead: intervals, draws, variances, distributions.

Implements the Gaussian forecast of section 3.3 of the PWU paper for models that report their forecast in another form.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import _special as special
from . import validation

__all__ = ["from_distribution", "from_interval", "from_samples", "from_variance", "ipcw"]


def from_interval(low: Any, high: Any, *, coverage: float) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation of the Gaussian whose central interval this is.

    ``mean = (low + high)/2`` and ``std = (high - low)/(2 z)`` with z the ``(1 + coverage)/2``
    quantile of the standard normal distribution.

    Parameters
    ----------
    low, high : array_like, shape (n,)
        Ends of the prediction intervals, in the unit of y.
    coverage : float
        Nominal coverage of the intervals, in (0, 1).

    Returns
    -------
    mean, std : ndarray, shape (n,)

    Raises
    ------
    ValueError
        Bad input, or an interval whose ends are not in order.

    Examples
    --------
    >>> mean, std = from_interval([0.0], [2.0], coverage=0.95)
    >>> mean.tolist(), std.round(6).tolist()
    ([1.0], [0.510213])
    """
    validation.same_order(low=low, high=high)
    low, high = validation.vector("low", low), validation.vector("high", high)
    validation.same_length("low", low, "high", high)
    validation.reject("low", low, low >= high, "must be below high")
    share = validation.inside("coverage", coverage, 0, 1)
    return validation.check_gaussian(low / 2 + high / 2, (high / 2 - low / 2) / (np.sqrt(2) * special.erfinv(share)))


def from_samples(samples: Any) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation of each case's draws, or of an ensemble's members.

    ``std`` is the root of ``sum((draw - mean)**2)/(m - 1)``.

    Parameters
    ----------
    samples : array_like, shape (n, m)
        One row per case, m draws each.

    Returns
    -------
    mean, std : ndarray, shape (n,)

    Raises
    ------
    ValueError
        Bad input, fewer than two draws, or draws that are all the same: their spread is not a forecast.

    Examples
    --------
    >>> from_samples([[1.0, 3.0], [0.0, 4.0]])[0].tolist()
    [2.0, 2.0]
    """
    draws = validation.numbers("samples", samples)
    if draws.ndim != 2 or draws.shape[1] < 2 or not len(draws):
        raise ValueError(f"samples must have shape (n, m), one row per case and at least two draws, got {draws.shape}")
    same = draws.max(axis=1) == draws.min(axis=1)
    validation.reject("samples", draws[:, 0], same, "must differ within a case: all of its draws are the same")
    return validation.check_gaussian(draws.mean(axis=1), draws.std(axis=1, ddof=1))


def from_variance(mean: ArrayLike, variance: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation of a forecast that states a *variance*, as CatBoost's does.

    Parameters
    ----------
    mean : array_like, shape (n,)
        Predictive means.
    variance : array_like, shape (n,)
        Predictive variances, positive.

    Examples
    --------
    >>> from_variance([1.0], [4.0])[1].tolist()
    [2.0]
    """
    validation.same_order(mean=mean, variance=variance)
    variance = validation.vector("variance", variance)
    validation.reject("variance", variance, variance <= 0, "must be positive")
    return validation.check_gaussian(mean, np.sqrt(variance))


def ipcw(time: ArrayLike, event: ArrayLike, *, horizon: float,
         competing: ArrayLike | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Labels and weights that turn survival times into a binary decision about an event by a horizon.

    A case whose event came by the horizon has label 1, one that was followed until then without it label 0, also
    where it was lost at the horizon itself. A case that was lost before has weight 0, and cases that were followed at
    least as long stand in for it: the weight of every other case is one over the Kaplan-Meier chance of being followed
    so far (inverse probability of censoring). Pass the weights as ``sample_weight``. Twice the PWU under
    ``Uniform(0, 1)`` is then Graf's Brier score, divided by the sum of the weights instead of n; Graf leaves out who is
    lost at the horizon itself. Assumes that being lost does not depend on the risk.

    Parameters
    ----------
    time : array_like, shape (n,)
        Time until the event, or until the case was lost; not negative.
    event : array_like, shape (n,)
        1 where the event came, 0 where the case was lost.
    horizon : float
        In the unit of time, positive.
    competing : array_like, shape (n,), optional
        1 where another event came, after which this one cannot come any more, such as death without a relapse. Such a
        case was followed, and has label 0.

    Returns
    -------
    y_true, weight : ndarray, shape (n,)

    Raises
    ------
    ValueError
        Bad input, or nobody is followed up to the horizon and nobody has an event before it.

    References
    ----------
    Graf et al., "Assessment and comparison of prognostic classification schemes for survival data" (1999).

    Examples
    --------
    >>> y, weight = ipcw([1, 2, 3, 5], [1, 0, 1, 0], horizon=4)
    >>> y.tolist(), weight.round(6).tolist()
    ([1, 0, 1, 0], [1.0, 0.0, 1.5, 1.5])
    >>> y, weight = ipcw([1, 2, 3, 5], [1, 0, 1, 0], horizon=4, competing=[0, 1, 0, 0])
    >>> y.tolist(), weight.tolist()
    ([1, 0, 1, 0], [1.0, 1.0, 1.0, 1.0])
    """
    validation.same_order(time=time, event=event, competing=competing)
    t, came = validation.vector("time", time), validation.vector("event", event)
    validation.reject("time", t, t < 0, "must not be negative")
    validation.reject("event", came, (came != 0) & (came != 1), "must be 0 or 1")
    validation.same_length("time", t, "event", came)
    other = np.zeros(t.size) if competing is None else validation.vector("competing", competing)
    validation.reject("competing", other, (other != 0) & (other != 1), "must be 0 or 1")
    validation.same_length("time", t, "competing", other)
    validation.reject("competing", other, (other == 1) & (came == 1), "must not be 1 where the event came")
    end, any_event = validation.positive("horizon", horizon), (came == 1) | (other == 1)
    lost, counts = np.unique(t[~any_event], return_counts=True)
    at_risk = t.size - np.searchsorted(np.sort(t), lost, side="left")
    ends = np.sort(t[any_event])  # events come before losses at one time
    had_event = np.searchsorted(ends, lost, side="right") - np.searchsorted(ends, lost, side="left")
    followed = np.concatenate([[1.0], np.cumprod(1 - counts / (at_risk - had_event))])
    y = ((t <= end) & (came == 1)).astype(int)
    ended = (t <= end) & any_event
    known = ended | (t >= end)  # as events come before losses, who is lost at the end had none by then
    before = np.searchsorted(lost, np.minimum(t, end), side="left")
    if not known.any():
        raise ValueError(f"no case has an event by {end:g}, and none is followed until then")
    return y, np.where(known, 1 / np.where(known, followed[before], 1.0), 0.0)


def from_distribution(frozen: Any) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation of a frozen scipy.stats distribution, its parameters arrays of shape (n,).

    Parameters
    ----------
    frozen : frozen scipy.stats distribution
        One distribution per case: its parameters are arrays of shape (n,).

    Raises
    ------
    ValueError
        Not a frozen scipy.stats distribution, or one without a finite mean and standard deviation.

    Examples
    --------
    >>> import scipy.stats
    >>> mean, std = from_distribution(scipy.stats.gamma([1.0, 4.0], scale=0.5))
    >>> std.tolist()
    [0.5, 1.0]
    """
    if not hasattr(frozen, "mean") or not hasattr(frozen, "std") or not hasattr(frozen, "cdf"):
        raise ValueError(f"frozen must be a frozen scipy.stats distribution, got {type(frozen).__name__}")
    return validation.check_gaussian(np.atleast_1d(frozen.mean()), np.atleast_1d(frozen.std()))
