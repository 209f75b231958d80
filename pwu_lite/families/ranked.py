"""Decisions that rank all cases: pick the top k, averse to risk or not, and keep the k least uncertain.

Implements sections 3.2.2 and 3.3.2 of the PWU paper, and the retention curve of its appendix F.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import validation
from .._ranks import ROUNDING, share_places, snap
from ..metrics._kernels import error_of_kept
from ..priors import Dirac, Prior, as_prior
from . import sweep
from .base import Data, JointFamily, Parameter, Weight

__all__ = ["Retention", "RiskAverseTopK", "TopK", "mass_between", "mass_of_k", "place_worth"]

SHARE = Parameter("k/n", (0.0, 1.0), counts=True)


@dataclass(frozen=True)
class TopK(JointFamily):
    """Select the k cases with the highest forecast; the utility is precision at k.

    ``U_k = (1/k) sum of y over the top k of y_prob``, k in 1..n. Tied forecasts share
    the places at the boundary evenly: the value is the expectation over a random order.
    A prior is on ``u = k/n``: ``P(k = j) = P((j - 1)/n < u <= j/n)``.

    References
    ----------
    PWU paper, section 3.2.2.

    Examples
    --------
    >>> family = TopK()
    >>> family.act(1, [0.5, 0.5, 0.2]).tolist()
    [0.5, 0.5, 0.0]
    >>> family.utility(1, [1, 0, 1], [0.5, 0.5, 0.2])
    0.5
    """

    parameters = (SHARE,)

    def describe(self, theta: float, which: int) -> str:
        return f"pick {100 * theta:.3g}% of the cases"

    def properness(self, *priors: Any) -> tuple[str, str]:
        return "proper", "never strictly: only the order of the forecasts counts"

    def breakpoints(self, data: Data) -> tuple[Any, Any]:
        return np.arange(1, data[0].size + 1), None

    def act(self, theta: int, y_prob: ArrayLike) -> np.ndarray:
        """Probability of each case to be among the selected, shape (n,); sums to k.

        Parameters
        ----------
        theta : int
            How many are picked, k from 1 to n.
        y_prob : array_like, shape (n,)
            Probabilities of label 1, in [0, 1].
        """
        f = validation.check_probabilities(y_prob)
        k, = self.one_theta(theta, f.size)
        return share_places(f, _first(k, f.size))

    def joint_loss(self, prior: Prior, y: Any, f: Any) -> tuple[float, float]:
        """``-sum_j P(k = j) U_j``, and its error, which is zero."""
        worth = share_places(f, place_worth(mass_of_k(prior, f.size))) * f.size
        return -float(np.dot(worth, y)) / f.size, 0.0

    def utilities(self, thetas: np.ndarray, data: Data, weight: Weight) -> np.ndarray:
        y, f = data
        return error_of_kept(y.astype(float), -f, tolerance=0.0)[thetas - 1] / thetas  # the hits among the picked


@dataclass(frozen=True)
class RiskAverseTopK(JointFamily):
    """Select the k cases with the highest ``mean - gamma * variance``.

    ``U_phi = (1/k) sum over the selected of (y - gamma * charge)`` for theta =
    ``phi = (k, gamma)``, gamma > 0 in the unit of 1/y; several are rows of an (m, 2) array.

    Parameters
    ----------
    penalty : {"reported", "realized"}
        ``"reported"`` charges the forecaster's own variance, as the paper prints it.
        That utility does not depend on the act and the outcome alone, so its PWU is
        *improper*: reporting too small a variance lowers the loss. ``"realized"``
        charges ``(y - mean)**2``; the Bayes act and an honest forecaster's
        expectation stay as they are, and the PWU is proper.

    References
    ----------
    PWU paper, section 3.3.2.

    Examples
    --------
    >>> family = RiskAverseTopK()
    >>> family.utility((1, 0.5), [2.0, 1.0], [1.5, 1.4], [1.0, 0.5])
    0.875
    """

    penalty: str = "reported"

    parameters = (SHARE, Parameter("gamma", needs_mean=True))
    takes = ("mean", "std")
    check = staticmethod(validation.check_regression)

    def __post_init__(self) -> None:
        validation.one_of("penalty", self.penalty, "reported", "realized")

    def computation(self) -> str:
        return f", up to {sweep.EXACT_UP_TO} cases; beyond that numerical integration"

    def describe(self, theta: float, which: int) -> str:
        return TopK().describe(theta, 0) if which == 0 else f"a variance of 1 costs {theta:.3g} units of y"

    def properness(self, *priors: Any) -> tuple[str, str]:
        if self.penalty == "reported":
            return "improper", "it charges the reported variance: reporting too small a one lowers the loss"
        return "proper", "strictly in the means of the cases that get picked; a shift of all variances is not seen"

    def breakpoints(self, data: Data) -> tuple[Any, Any]:
        _, mean, std = data
        with np.errstate(divide="ignore", invalid="ignore"):
            crossings = np.subtract.outer(mean, mean) / np.subtract.outer(std**2, std**2)
        return np.arange(1, mean.size + 1), crossings[np.isfinite(crossings) & (crossings > 0)]

    def act(self, theta: tuple[int, float], mean: ArrayLike, std: ArrayLike) -> np.ndarray:
        """Probability of each case to be among the selected, shape (n,); sums to k.

        Parameters
        ----------
        theta : (int, float)
            How many are picked, k from 1 to n, and gamma > 0, the price of variance, in 1 / y.
        mean : array_like, shape (n,)
            Predictive means, in the unit of the targets.
        std : array_like, shape (n,)
            Predictive standard deviations, positive, in the unit of the targets.
        """
        m, s = validation.check_gaussian(mean, std)
        k, gamma = self.one_theta(theta, m.size)
        return _risk_shares(m, s, gamma, _first(k, m.size))

    def joint_loss(self, k_prior: Prior, gamma_prior: Prior, y: Any, mean: Any, std: Any) -> tuple[float, float]:
        """Loss under independent priors on k/n and gamma, and its error estimate."""
        charge, places = self._charge(y, mean, std), place_worth(mass_of_k(k_prior, y.size))

        def value(gamma: float) -> tuple[float, float]:
            shares = _risk_shares(mean, std, gamma, places)
            return float(np.dot(shares, y)), float(np.dot(shares, charge))

        total, error = 0.0, 0.0
        for weight, part in gamma_prior.parts:
            if isinstance(part, Dirac):
                gained, charged = value(part.at)
                found, spread = gained - part.at * charged, 0.0
            elif y.size > sweep.EXACT_UP_TO:
                found, spread = sweep.quadrature(part, value)
            else:
                found = sweep.exact(part, places, y, charge, mean, std)
                spread = part.numerical_error * float(charge.max())
            total, error = total + weight * found, error + weight * spread
        return -_not_overflown(total), error

    def utilities(self, pairs: np.ndarray, data: Data, weight: Weight) -> np.ndarray:
        y, mean, std = data
        charge = self._charge(y, mean, std)
        values = []
        for k, gamma in pairs:
            shares = _risk_shares(mean, std, gamma, _first(int(k), y.size))
            values.append(_not_overflown(float(np.dot(shares, y - gamma * charge)) / k))
        return np.array(values)

    def _charge(self, y: np.ndarray, mean: np.ndarray, std: np.ndarray) -> np.ndarray:
        return std**2 if self.penalty == "reported" else (y - mean) ** 2


@dataclass(frozen=True)
class Retention(JointFamily):
    """Keep the k least uncertain cases and hand over the rest; the cost is the mean error of the kept.

    ``U_k = -(1/k) sum of error over the k smallest uncertainties``, k in 1..n; tied
    uncertainties share the places at the boundary evenly. A prior is on ``k/n``. Under the
    uniform one the PWU is the area under the retention curve.

    References
    ----------
    PWU paper, appendix F (R-AUC).

    Examples
    --------
    >>> family = Retention()
    >>> family.act(1, [0.1, 0.1, 0.4]).tolist()
    [0.5, 0.5, 0.0]
    >>> family.utility(1, [1.0, 0.0, 5.0], [0.1, 0.1, 0.4])
    -0.5
    """

    parameters = (SHARE,)
    takes = ("uncertainty",)

    @staticmethod
    def check(error: ArrayLike, uncertainty: Any) -> Data:
        """Read errors and uncertainties; those that differ by rounding alone become equal."""
        error, uncertainty = validation.check_ranking(error, uncertainty)
        return error, snap(uncertainty)

    def describe(self, theta: float, which: int) -> str:
        return f"keep {100 * theta:.3g}% of the cases"

    def properness(self, *priors: Any) -> tuple[str, str]:
        return "proper", "for given predictions, where honest is each one's expected error; only their order counts"

    def breakpoints(self, data: Data) -> tuple[Any, Any]:
        return np.arange(1, data[0].size + 1), None

    def act(self, theta: int, uncertainty: ArrayLike) -> np.ndarray:
        """Probability of each case to be kept, shape (n,); sums to k.

        Parameters
        ----------
        theta : int
            How many are kept, k from 1 to n.
        uncertainty : array_like, shape (n,)
            Larger where the forecast is less certain.
        """
        u = snap(validation.vector("uncertainty", uncertainty))
        k, = self.one_theta(theta, u.size)
        return share_places(-u, _first(k, u.size))

    def joint_loss(self, prior: Prior, error: Any, uncertainty: Any) -> tuple[float, float]:
        """``sum_j P(k = j) mean error of the j kept``, and its error, which is zero."""
        places = place_worth(mass_of_k(prior, error.size))
        return float(np.dot(share_places(-uncertainty, places), error)), 0.0

    def utilities(self, thetas: np.ndarray, data: Data, weight: Weight) -> np.ndarray:
        error, uncertainty = data
        return -error_of_kept(error, uncertainty, tolerance=0.0)[thetas - 1] / thetas


def mass_of_k(prior: Prior, n: int) -> np.ndarray:
    """``P(k = j) = P((j - 1)/n < u <= j/n)`` for j = 1..n, for a prior on u = k/n.

    Parameters
    ----------
    prior : Prior
        On the share k/n, in (0, 1].
    n : int
        Number of cases, at least 1.

    Examples
    --------
    >>> from pwu_lite.priors import Uniform
    >>> mass_of_k(Uniform(0, 1), 4).tolist()
    [0.25, 0.25, 0.25, 0.25]
    """
    prior, n = as_prior(prior), validation.whole("n", n)
    SHARE.check_prior(prior)
    edges = np.arange(n + 1) / n
    return sum((weight * mass_between(part, edges) for weight, part in prior.parts), start=np.zeros(()))


def place_worth(mass: np.ndarray) -> np.ndarray:
    """``sum over k > r of P(k)/k``: what a hit at place r = 0..n-1 adds to expected precision.

    Parameters
    ----------
    mass : ndarray, shape (n,)
        ``P(k = j)`` for j = 1..n.
    """
    return np.cumsum((mass / np.arange(1, mass.size + 1))[::-1])[::-1]


def mass_between(prior: Prior, edges: np.ndarray) -> np.ndarray:
    """Mass of a part of a prior between neighbouring edges, the upper one included.

    Parameters
    ----------
    prior : Prior
        One of its `parts`.
    edges : ndarray, shape (m + 1,)
        Rising.
    """
    if isinstance(prior, Dirac):
        mass = np.zeros(edges.size - 1)
        mass[np.searchsorted(edges[1:], prior.at)] = 1.0
        return mass
    below, above = prior.tail("below", edges), prior.tail("above", edges)
    return np.maximum(np.where(below[1:] < 0.5, np.diff(below), -np.diff(above)), 0.0)


def _not_overflown(value: float) -> float:
    if not np.isfinite(value):
        raise ValueError("gamma times a variance is too large to be represented: change the unit of y")
    return value


def _first(k: float, n: int) -> np.ndarray:
    """Places worth 1 down to the k-th, then 0."""
    return (np.arange(n) < k).astype(float)


def _risk_shares(mean: np.ndarray, std: np.ndarray, gamma: float, places: np.ndarray) -> np.ndarray:
    """Shares of the places by mean - gamma variance; scores equal up to their own rounding are tied."""
    with np.errstate(over="ignore"):
        mean, penalty = snap(mean), gamma * snap(std**2)
    _not_overflown(penalty.max())
    return share_places(mean - penalty, places, ROUNDING * (np.abs(mean) + penalty))
