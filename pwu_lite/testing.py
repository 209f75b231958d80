"""Property tests for decision families: a reader's own, and this package's.

May import pwu and what is below it, numpy.
Implements what equation (4) of the PWU paper promises, as checks on data.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from . import validation
from .families import Family
from .priors import Dirac, Mixture, Prior
from .pwu import PWU

__all__ = ["check_family"]


def check_family(family: Family, prior: Prior, data: Sequence[Any], *, points: int = 4000, rtol: float = 0.02) -> None:
    """Check what every decision family with one continuous parameter, or k/n, must satisfy.

    On the given data: the order of the cases does not matter; the PWU is the prior's average of
    ``-U_theta``; a point mass gives ``-U_theta`` itself; a mixture of priors gives the mixture of
    PWUs; where the family is separable, the losses of the cases average to the score, and cases
    given twice count as weight two, in the score and in ``-U_theta``; a case costs alone what it
    costs among others; NaN in any argument is refused. It does not check that the act is a Bayes act.

    Parameters
    ----------
    family : Family
        Its parameter is one number.
    prior : Prior
        With a continuous density. A heavy tail needs more `points`.
    data : sequence of array_like
        ``(y_true, *prediction)`` as the family takes them.
    points : int
        Quantiles of the prior in the average of ``-U_theta``.
    rtol : float
        How far that average may be from the PWU, relative to it.

    Raises
    ------
    AssertionError
        A property fails; the message says which.
    ValueError
        The family has a parameter of several numbers, or there are no data.

    Examples
    --------
    >>> from pwu_lite import Beta, BinaryDecision
    >>> check_family(BinaryDecision(), Beta(2, 10), ([1, 0, 1], [0.9, 0.2, 0.1]))
    """
    if family.theta_ndim or len(family.names) > 1:
        raise ValueError(f"check_family is for one decision parameter, {family!r} has more")
    arrays = [validation.as_float("data", values) for values in data]
    if len(arrays) < 2 or len(arrays[0]) == 0:
        raise ValueError("data must be (y_true, *prediction), not empty")
    n, score = len(arrays[0]), PWU(family, prior)
    value, order = _value(score, *arrays), np.random.default_rng(0).permutation(n)
    _same("the order of the cases matters", _value(score, *(a[order] for a in arrays)), value, abs(value))

    theta = _inside(family, np.asarray(prior.ppf((np.arange(points) + 0.5) / points)), n)
    costs = score.curve(*arrays, thetas=theta)
    size = float(np.max(np.abs(costs)))
    _same("the PWU is not the prior's average of -U", np.mean(costs), value, size, rtol)
    _check_point_masses(family, prior, arrays, value, size)
    if family.separable:
        _check_cases(score, prior, arrays, value, order, size)
    for place in range(len(arrays)):
        _refuses_nan(score, arrays, place)


def _check_point_masses(family, prior, arrays, value, size):
    """Under a point mass the PWU is -U, at a quantile and where the act of a case changes; mixtures mix."""
    n = len(arrays[0])
    for at in _points(family, prior, arrays):
        place = at / n if _counts(family) else at
        cost = -family.utility(at, *arrays)
        _same("a point mass does not give -U", _value(PWU(family, Dirac(place)), *arrays), cost, size)
        both = _value(PWU(family, Mixture([prior, Dirac(place)], [0.25, 0.75])), *arrays)
        _same("a mixture of priors is not the mixture of PWUs", both, 0.25 * value + 0.75 * cost, size)


def _check_cases(score, prior, arrays, value, order, size):
    """Losses of single cases, and weights."""
    losses, n = score.per_sample(*arrays), len(order)
    _same("the losses of the cases do not average to the score", losses.mean(), value, size)
    _same("the order changes the loss of a case", score.per_sample(*(a[order] for a in arrays)), losses[order], size)
    alone = [_value(score, *(a[i:i + 1] for a in arrays)) for i in range(min(n, 20))]
    _same("a case alone does not cost what it costs among others", alone, losses[:20], size)
    weight = 1.0 + np.random.default_rng(1).integers(0, 4, n)
    twice = [np.repeat(a, weight.astype(int), axis=0) for a in arrays]
    _same("weight two is not the same as twice", _value(score, *arrays, sample_weight=weight), _value(score, *twice),
          size)
    theta = [float(prior.ppf(0.4))]
    _same("weight two is not the same as twice in -U", score.curve(*arrays, thetas=theta, sample_weight=weight),
          score.curve(*twice, thetas=theta), size)


def _value(score, *arrays, **options):
    """The score, with its numerical error left aside: the checks have a tolerance of their own."""
    return score(*arrays, return_error=True, **options)[0]


def _counts(family):
    """Is the parameter of the prior k/n, and that of the utility k?"""
    return family.names[0] == "k/n"


def _inside(family, theta, n):
    """Values of the parameter of the utility, off the ends of its domain."""
    if _counts(family):
        return np.clip(np.ceil(theta * n), 1, n)
    low, high = family.domain
    return np.clip(theta, np.nextafter(low, np.inf), np.nextafter(high, -np.inf))


def _points(family, prior, arrays):
    """A quantile of the prior, and a parameter at which an act changes, if the family says where."""
    points = [float(_inside(family, prior.ppf(0.4), len(arrays[0])))]
    if not _counts(family) and type(family).pieces is not Family.pieces:
        low, high = family.domain
        edges = family.pieces(family.read(*arrays))[1]
        inside = np.sort(edges[(edges > low) & (edges < high)])
        points += [float(inside[inside.size // 2])] if inside.size else []
    return points


def _same(message, first, second, size, rtol=1e-9):
    if not np.allclose(first, second, rtol=rtol, atol=1e-12 * size):
        raise AssertionError(f"{message}: {first!r} and {second!r}")


def _refuses_nan(score, arrays, place):
    broken = [a.copy() for a in arrays]
    broken[place].flat[0] = np.nan
    try:
        value = score(*broken)
    except ValueError:
        return
    raise AssertionError(f"NaN in argument {place} gives {value!r} and no ValueError")
