"""Decision families: what a decision costs, and which act a forecast triggers.

May import priors, ranks, sweep and validation, numpy.
Implements sections 3.2, 3.3 and 4 of the PWU paper.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import sweep, validation
from .priors import Dirac, Prior
from .ranks import block_means, share_places, snap, sorted_blocks

__all__ = ["BinaryDecision", "Family", "RiskAverseTopK", "SelectivePrediction", "TopK"]


class Family:
    """A set of utilities ``U_theta``, one for each decision parameter theta."""

    separable = True
    names: tuple[str, ...] = ("theta",)
    domain: tuple[float, float] = (0.0, np.inf)
    theta_ndim = 0  # dimensions of one theta: 1 where it is a tuple
    needs_mean: tuple[bool, ...] = (False,)
    takes: tuple[str, ...] = ("y_prob",)
    _check: Callable[..., tuple[np.ndarray, ...]] = staticmethod(validation.check_binary)
    per_sample: Callable[..., np.ndarray]  # (prior, *data): each case's loss, for a separable family
    expected_loss: Callable[..., tuple[float, float]]  # (*priors, *data): loss and error, for the others

    def read(self, y_true: Any, *prediction: Any) -> tuple[np.ndarray, ...]:
        """Check labels and prediction, and return them as arrays."""
        if len(prediction) != len(self.takes):
            raise ValueError(f"{type(self).__name__} takes y_true, {', '.join(self.takes)}; "
                             f"got {len(prediction)} argument(s) after y_true")
        return self._check(y_true, *prediction)

    def utility(self, theta: Any, y_true: Any, *prediction: Any, sample_weight: Any = None) -> Any:
        """Average utility at theta, or at each of several, higher is better."""
        data = self.read(y_true, *prediction)
        weight = self.weight(sample_weight, data)
        values = self._utilities(self.read_theta(theta, data[0].size), data, weight)
        return float(values[0]) if np.ndim(theta) == self.theta_ndim else values

    def _utilities(self, thetas: np.ndarray, data: tuple[np.ndarray, ...], weight: np.ndarray | None) -> np.ndarray:
        """Average utility at each theta."""
        raise NotImplementedError

    def weight(self, sample_weight: Any, data: tuple[np.ndarray, ...]) -> np.ndarray | None:
        """Check the weights, or refuse them for a family that is not separable."""
        if not self.separable:
            validation.no_weight(sample_weight, f"a {type(self).__name__} utility")
        return validation.check_weight(sample_weight, data[0].size)

    def read_theta(self, theta: Any, length: int) -> np.ndarray:
        """Check the decision parameters."""
        return validation.check_thetas(self.names[0], theta, *self.domain)

    def check_prior(self, prior: Prior, which: int = 0) -> None:
        """Raise ValueError for a prior that this family cannot use."""
        low, high = self.domain
        start, end = prior.support
        atoms = [part.at for _, part in prior.parts if isinstance(part, Dirac)]
        if start < low or end > high or any(not self._holds(at) for at in atoms):
            raise ValueError(f"the prior on {self.names[which]} has mass outside ({low:g}, {high:g}): "
                             f"its support is [{start:g}, {end:g}]")
        if self.needs_mean[which] and not np.isfinite(prior.mean):
            raise ValueError(f"the prior on {self.names[which]} needs a finite mean")

    def _holds(self, theta):
        return self.domain[0] < theta < self.domain[1]


@dataclass(frozen=True)
class BinaryDecision(Family):
    """Act or not, where a false positive costs c and a false negative 1 - c.

    ``u_c(f, y) = -y (1 - c) 1[f <= c] - (1 - y) c 1[f > c]`` for c in (0, 1).
    The Bayes act is to act when ``f > c``; at ``f = c`` both acts cost the same
    in expectation and the family does not act.

    References
    ----------
    PWU paper, section 3.2.1.

    Examples
    --------
    >>> family = BinaryDecision()
    >>> family.act(0.2, [0.1, 0.2, 0.9]).tolist()
    [False, False, True]
    >>> family.utility(0.2, [0, 1, 1], [0.1, 0.2, 0.9])
    -0.26666666666666666
    """

    names = ("c",)
    domain = (0.0, 1.0)

    def act(self, theta: float, y_prob: Any) -> np.ndarray:
        """True where the forecast says to act, ``y_prob > c``; shape (n,)."""
        c = validation.inside("c", theta, 0, 1)
        return validation.check_probabilities(y_prob) > c

    def per_sample(self, prior: Prior, y, f):
        """Expected loss of each forecast under the prior, shape (n,)."""
        loss = np.empty(f.shape)
        loss[y] = sum(w * self._miss(part, f[y]) for w, part in prior.parts)
        loss[~y] = sum(w * self._alarm(part, f[~y]) for w, part in prior.parts)
        return loss

    def _miss(self, prior, f):
        if isinstance(prior, Dirac):
            return (1 - prior.at) * (f <= prior.at)
        return prior.complement_above(f)

    def _alarm(self, prior, f):
        if isinstance(prior, Dirac):
            return prior.at * (f > prior.at)
        return prior.tails(f)[2]

    def _utilities(self, thetas, data, weight):
        """Counts of misses and false alarms at every c at once."""
        y, f = data
        weight = _to_sum_one(weight, f.size)
        misses = _weight_up_to(f[y], weight[y], thetas)
        alarms = _weight_above(f[~y], weight[~y], thetas)
        return -(1 - thetas) * misses - thetas * alarms


@dataclass(frozen=True)
class SelectivePrediction(Family):
    """Predict, and pay the squared error, or abstain, and pay lambda.

    ``u_lambda = -(mean - y)**2`` where ``std <= sqrt(lambda)``, else ``-lambda``.
    lambda has the unit of y squared.

    References
    ----------
    PWU paper, section 3.3.1.

    Examples
    --------
    >>> family = SelectivePrediction()
    >>> family.act(0.25, [1.0, 2.0], [0.5, 0.6]).tolist()
    [True, False]
    >>> family.utility(0.25, [1.0, 2.0], [1.1, 5.0], [0.5, 0.6])
    -0.13
    """

    names = ("lambda",)
    takes = ("mean", "std")
    _check = staticmethod(validation.check_regression)

    def act(self, theta: float, mean: Any, std: Any) -> np.ndarray:
        """True where the forecast says to predict, ``std <= sqrt(lambda)``; shape (n,)."""
        lam = validation.positive("lambda", theta)
        return validation.check_gaussian(mean, std)[1] <= np.sqrt(lam)

    def per_sample(self, prior: Prior, y, mean, std):
        """Expected loss of each forecast under the prior, shape (n,)."""
        squared = (mean - y) ** 2
        return sum(w * self._part(part, squared, std) for w, part in prior.parts)

    def _part(self, prior, squared, std):
        if isinstance(prior, Dirac):
            return np.where(std <= np.sqrt(prior.at), squared, prior.at)
        _, above, mean_below, _ = prior.tails(std**2)
        return squared * above + mean_below

    def _utilities(self, thetas, data, weight):
        """Squared errors of those who predict, at every lambda at once."""
        y, mean, std = data
        weight = _to_sum_one(weight, y.size)
        roots = np.sqrt(thetas)
        errors = _weight_up_to(std, weight * (mean - y) ** 2, roots)
        return -errors - thetas * _weight_above(std, weight, roots)


@dataclass(frozen=True)
class TopK(Family):
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

    separable = False
    names = ("k/n",)
    domain = (0.0, 1.0)

    def read_theta(self, theta, length):
        return _read_k(theta, length)

    def act(self, theta: int, y_prob: Any) -> np.ndarray:
        """Probability of each case to be among the selected, shape (n,); sums to k."""
        f = validation.check_probabilities(y_prob)
        k = _read_k(validation.one_number("k", theta), f.size)[0]
        return share_places(f, _first(k, f.size))

    def expected_loss(self, prior: Prior, y, f):
        """``-sum_j P(k = j) U_j``, and its error, which is zero."""
        places = place_worth(mass_of_k(prior, f.size))
        return -float(np.dot(share_places(f, places), y)), 0.0

    def _utilities(self, thetas, data, weight):
        y, f = data
        order, starts = sorted_blocks(-f)
        hits = np.cumsum(block_means(y[order].astype(float), starts))
        return hits[thetas - 1] / thetas

    def _holds(self, theta):
        return 0 < theta <= 1


@dataclass(frozen=True)
class RiskAverseTopK(Family):
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

    separable = False
    names = ("k/n", "gamma")
    theta_ndim = 1
    needs_mean = (False, True)
    takes = ("mean", "std")
    _check = staticmethod(validation.check_regression)

    def __post_init__(self):
        if self.penalty not in ("reported", "realized"):
            raise ValueError(f'penalty must be "reported" or "realized", got {self.penalty!r}')

    def check_prior(self, prior, which=0):
        if which == 0:
            TopK().check_prior(prior)
        else:
            super().check_prior(prior, which)

    def act(self, theta: tuple[int, float], mean: Any, std: Any) -> np.ndarray:
        """Probability of each case to be among the selected, shape (n,); sums to k."""
        m, s = validation.check_gaussian(mean, std)
        pairs = self.read_theta(theta, m.size)
        if len(pairs) != 1:
            raise ValueError(f"act takes one (k, gamma), got {len(pairs)}")
        k, gamma = pairs[0]
        return _risk_shares(m, s, gamma, _first(int(k), m.size))

    def read_theta(self, theta, length):
        pairs = np.atleast_2d(validation.numbers("theta", theta))
        if pairs.ndim != 2 or pairs.shape[1] != 2:
            raise ValueError(f"theta must be (k, gamma) or rows of it, got shape {np.shape(theta)}")
        _read_k(pairs[:, 0], length)
        validation.check_thetas("gamma", pairs[:, 1], 0, np.inf)
        return pairs

    def expected_loss(self, k_prior: Prior, gamma_prior: Prior, y, mean, std):
        """Loss under independent priors on k/n and gamma, and its error estimate."""
        gain, charge = y, self._charge(y, mean, std)
        places = place_worth(mass_of_k(k_prior, y.size))
        total, error = 0.0, 0.0
        for weight, part in gamma_prior.parts:
            value, spread = self._part(part, places, gain, charge, mean, std)
            total, error = total + weight * value, error + weight * spread
        return -total, error

    def _part(self, prior, places, gain, charge, mean, std):
        """Expected utility, and its error, under one part of the prior on gamma."""

        def value(gamma):
            shares = _risk_shares(mean, std, gamma, places)
            return float(np.dot(shares, gain)), float(np.dot(shares, charge))

        if isinstance(prior, Dirac):
            gained, charged = value(prior.at)
            return gained - prior.at * charged, 0.0
        if mean.size > sweep.EXACT_UP_TO:
            return sweep.quadrature(prior, value)
        return sweep.exact(prior, places, gain, charge, mean, std), prior.error * float(charge.max())

    def _utilities(self, pairs, data, weight):
        y, mean, std = data
        charge = self._charge(y, mean, std)
        values = []
        for k, gamma in pairs:
            shares = _risk_shares(mean, std, gamma, _first(int(k), y.size))
            values.append(float(np.dot(shares, y - gamma * charge)) / k)
        return np.array(values)

    def _charge(self, y, mean, std):
        return std**2 if self.penalty == "reported" else (y - mean) ** 2


def mass_of_k(prior: Prior, n: int) -> np.ndarray:
    """``P(k = j) = P((j - 1)/n < u <= j/n)`` for j = 1..n, for a prior on u = k/n.

    Examples
    --------
    >>> from pwu_lite.priors import Uniform
    >>> mass_of_k(Uniform(0, 1), 4).tolist()
    [0.25, 0.25, 0.25, 0.25]
    """
    edges = np.arange(n + 1) / n
    return sum(weight * _mass_between(part, edges) for weight, part in prior.parts)


def place_worth(mass: np.ndarray) -> np.ndarray:
    """``sum over k > r of P(k)/k``: what a hit at place r = 0..n-1 adds to expected precision."""
    return np.cumsum((mass / np.arange(1, mass.size + 1))[::-1])[::-1]


def _mass_between(prior, edges):
    if isinstance(prior, Dirac):
        mass = np.zeros(edges.size - 1)
        mass[np.searchsorted(edges[1:], prior.at)] = 1.0
        return mass
    below, above, *_ = prior.tails(edges)
    return np.maximum(np.where(below[1:] < 0.5, np.diff(below), -np.diff(above)), 0.0)


def _first(k, n):
    """Places worth 1 down to the k-th, then 0."""
    return (np.arange(n) < k).astype(float)


def _risk_shares(mean, std, gamma, places):
    """Shares of the places by mean - gamma variance; scores equal up to rounding are tied."""
    mean, penalty = snap(mean), gamma * snap(std**2)
    return share_places(mean - penalty, places, 1e-13 * np.max(np.abs(mean) + penalty))


def _read_k(theta, length):
    values = validation.vector("k", np.atleast_1d(theta))
    wrong = (values != np.floor(values)) | (values < 1) | (values > length)
    if wrong.any():
        raise ValueError(f"k must be a whole number from 1 to {length}, got {values[wrong][0]:g}")
    return values.astype(int)


def _to_sum_one(weight, n):
    """Weights that sum to 1, equal ones for None."""
    return np.full(n, 1 / n) if weight is None else weight / weight.sum()


def _weight_above(values, weight, thresholds):
    """Total weight of the values above each threshold."""
    order = np.argsort(values)
    total = np.concatenate([np.cumsum(weight[order][::-1])[::-1], [0.0]])
    return total[np.searchsorted(values[order], thresholds, side="right")]


def _weight_up_to(values, weight, thresholds):
    """Total weight of the values that are at most each threshold."""
    order = np.argsort(values)
    total = np.concatenate([[0.0], np.cumsum(weight[order])])
    return total[np.searchsorted(values[order], thresholds, side="right")]
