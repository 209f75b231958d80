"""Property tests for decision families: a reader's own, and this package's.

May import pwu and what is below it, numpy.
Implements what equation (4) of the PWU paper promises, as checks on data.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .families import Family
from .priors import Dirac, Mixture, Prior
from .pwu import PWU

__all__ = ["check_family"]


def check_family(family: Family, prior: Prior, data: Sequence[Any], *, points: int = 4000, rtol: float = 0.02) -> None:
    """Check what every decision family with one continuous parameter, or k/n, must satisfy.

    On the given data: the order of the cases does not matter; the PWU is the prior's average of
    ``-U_theta``; a point mass gives ``-U_theta`` itself; a mixture of priors gives the mixture of
    PWUs; where the family is separable, the losses of the cases average to the score, and cases
    given twice count as weight two; NaN in any argument is refused.

    Parameters
    ----------
    family : Family
    prior : Prior
        With a continuous density.
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

    Examples
    --------
    >>> from pwu_lite import Beta, BinaryDecision
    >>> check_family(BinaryDecision(), Beta(2, 10), ([1, 0, 1], [0.9, 0.2, 0.1]))
    """
    arrays = [np.asarray(values, dtype=float) for values in data]
    n, score = len(arrays[0]), PWU(family, prior)
    value = score(*arrays)
    turned = np.arange(n)[::-1]
    _same("the order of the cases matters", score(*(a[turned] for a in arrays)), value)

    theta = np.asarray(prior.ppf((np.arange(points) + 0.5) / points))
    theta = np.ceil(theta * n) if _counts(family) else theta
    _same("the PWU is not the prior's average of -U", np.mean(score.curve(*arrays, thetas=theta)), value, rtol)

    at = float(prior.ppf(0.4))
    at, shown = (np.ceil(at * n) / n, np.ceil(at * n)) if _counts(family) else (at, at)
    _same("a point mass does not give -U", PWU(family, Dirac(at))(*arrays), -family.utility(shown, *arrays))
    both = Mixture([prior, Dirac(at)], [0.25, 0.75])
    _same("a mixture of priors is not the mixture of PWUs", PWU(family, both)(*arrays),
          0.25 * value + 0.75 * PWU(family, Dirac(at))(*arrays))

    if family.separable:
        _same("the losses of the cases do not average to the score", score.per_sample(*arrays).mean(), value)
        weight = 1.0 + (np.arange(n) % 2)
        twice = np.repeat(np.arange(n), weight.astype(int))
        _same("weight two is not the same as twice", score(*arrays, sample_weight=weight),
              score(*(a[twice] for a in arrays)))
    for place in range(len(arrays)):
        _refuses_nan(score, arrays, place)


def _counts(family):
    """Is the parameter of the prior k/n, and that of the utility k?"""
    return family.names[0] == "k/n"


def _same(message, first, second, rtol=1e-9):
    assert np.isclose(first, second, rtol=rtol, atol=1e-12), f"{message}: {first!r} and {second!r}"


def _refuses_nan(score, arrays, place):
    broken = [a.copy() for a in arrays]
    broken[place].flat[0] = np.nan
    try:
        value = score(*broken)
    except ValueError:
        return
    raise AssertionError(f"NaN in argument {place} gives {value!r} and no ValueError")
