"""Decision families: what a decision costs, and which act a forecast triggers.

May import priors, ranks, sweep and validation, numpy.
Implements sections 3.2, 3.3 and 4 and appendix G of the PWU paper.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import sweep, validation
from .priors import Dirac, Frozen, Prior
from .ranks import block_means, share_places, snap, sorted_blocks

__all__ = ["BinaryDecision", "Family", "OneVsRest", "PerOutput", "Retention", "RiskAverseTopK",
           "SelectivePrediction", "TopK"]


class Family:
    """A set of utilities ``U_theta``, one for each decision parameter theta."""

    separable = True
    names: tuple[str, ...] = ("theta",)
    domain: tuple[float, float] = (0.0, np.inf)
    theta_ndim = 0  # dimensions of one theta: 1 where it is a tuple
    needs_mean: tuple[bool, ...] = (False,)
    takes: tuple[str, ...] = ("y_prob",)
    _check: Callable[..., tuple[np.ndarray, ...]] = staticmethod(validation.check_binary)
    per_sample: Callable[..., np.ndarray]  # (part of a prior, *data): each case's loss, for a separable family
    expected_loss: Callable[..., tuple[float, float]]  # (*priors, *data): loss and error, for the others

    def pieces(self, data: tuple[np.ndarray, ...]) -> tuple[np.ndarray | None, np.ndarray | None]:
        """Between which decision parameters the acts, and so the utility's formula, stay the same.

        Returns
        -------
        first : ndarray or None
            All values of a discrete (first) parameter.
        edges : ndarray or None
            Values of the continuous (last) parameter at which an act changes, or acts tie;
            between two of them the utility is linear in it.
        """
        raise ValueError(f"{type(self).__name__} does not say where its acts change: give it a method pieces, "
                         f"or pass a cost function and thetas to refute")

    def draw(self, rng: np.random.Generator, n: int) -> tuple[Any, list[tuple[Any, ...]]]:
        """Labels of n cases and random forecasts of them, for `pwu_lite.alignment.refute` to compare.

        Values on a coarse grid, so that acts and ties repeat, and some forecasts that differ in
        one case only.

        Raises
        ------
        ValueError
            The family takes something else than y_prob or mean and std, and has no method of
            its own.
        """
        if self.takes == ("y_prob",):
            return draw_probabilities(rng, n)
        if self.takes == ("mean", "std"):
            return draw_gaussians(rng, n)
        raise ValueError(f"{type(self).__name__} does not say what its forecasts look like: give it a method draw, "
                         f"or pass y_true and forecasts to refute")

    def read(self, y_true: Any, *prediction: Any) -> tuple[np.ndarray, ...]:
        """Check labels and prediction, and return them as arrays."""
        if len(prediction) != len(self.takes):
            raise ValueError(f"{type(self).__name__} takes y_true, {', '.join(self.takes)}; "
                             f"got {len(prediction)} argument(s) after y_true")
        try:
            return self._check(y_true, *prediction)
        except TypeError as error:  # a reader's own family with another check
            raise ValueError(f"{type(self).__name__} takes {', '.join(self.takes)}, and its _check does not: "
                             f"{error}") from error

    def utility(self, theta: Any, y_true: Any, *prediction: Any, sample_weight: Any = None) -> Any:
        """Average utility at theta, or at each of several, higher is better."""
        data = self.read(y_true, *prediction)
        weight = self.weight(sample_weight, data)
        thetas = self.read_theta(theta, len(data[0]))
        values = np.asarray(self._utilities(thetas, data, weight))
        if values.shape != (len(thetas),):
            raise ValueError(f"the method _utilities of {type(self).__name__} must return one number for each of "
                             f"{len(thetas)} thetas, got shape {values.shape}")
        return float(values[0]) if np.ndim(theta) == self.theta_ndim else values

    def _utilities(self, thetas: np.ndarray, data: tuple[np.ndarray, ...], weight: np.ndarray | None) -> np.ndarray:
        """Average utility at each theta."""
        raise ValueError(f"{type(self).__name__} does not say what its acts are worth: give it a method _utilities")

    def weight(self, sample_weight: Any, data: tuple[np.ndarray, ...]) -> np.ndarray | None:
        """Check the weights, or refuse them for a family that is not separable."""
        if not self.separable:
            validation.no_weight(sample_weight, f"a {type(self).__name__} utility")
        return validation.check_weight(sample_weight, len(data[0]))

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

    def words(self, theta: float, which: int = 0) -> str:
        """What a value of the decision parameter says, in words; of the prior's, so k/n and not k.

        Examples
        --------
        >>> BinaryDecision().words(0.1)
        'a miss costs 9 false alarms'
        """
        if not isinstance(which, int) or which not in range(len(self.names)):
            raise ValueError(f"which must be a place in {self.names}, got {which!r}")
        theta, (low, high) = validation.one_number(self.names[which], theta), self.domain_of(which)
        if not low <= theta <= high:
            raise ValueError(f"{self.names[which]} must lie in [{low:g}, {high:g}], got {theta!r}")
        return self._words(theta, which)

    def _words(self, theta, which):
        return f"{self.names[which]} = {theta:.3g}"

    def domain_of(self, which: int) -> tuple[float, float]:
        """Ends of the values that a decision parameter can take; (0, 1) for k/n."""
        return (0.0, 1.0) if self.names[which] == "k/n" else self.domain

    def error(self, prior: Prior, *data: Any) -> float:
        """Estimated numerical error of a separable family's score; zero for a closed form."""
        return prior.error

    def properness(self, *priors: Prior) -> tuple[str, str]:
        """Verdict on the PWU under these priors, and the reason for it."""
        return "not known", "the family does not say whether its act is a Bayes act"

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

    def _words(self, theta, which):
        names, share = (("a miss", "false alarms"), theta) if theta < 0.5 else (("a false alarm", "misses"), 1 - theta)
        return f"{names[0]} costs {(1 - share) / share if share > 0 else np.inf:.3g} {names[1]}"

    def properness(self, *priors):
        if _covers(priors[0], 0, 1):
            return "strictly proper", "the prior charges every interval of c: any other forecast acts wrongly somewhere"
        return "proper", "forecasts between which no c has mass have the same expected loss"

    def pieces(self, data):
        return None, data[1]

    def per_sample(self, prior: Prior, y, f):
        """Expected loss of each forecast under one part of a prior, shape (n,)."""
        loss = np.empty(f.shape)
        loss[y], loss[~y] = self._miss(prior, f[y]), self._alarm(prior, f[~y])
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

    def _words(self, theta, which):
        return f"predict up to a standard deviation of {np.sqrt(theta):.3g}"

    def properness(self, *priors):
        end = priors[0].support[1]
        if _covers(priors[0], 0, end):
            reach = f"while the variance is below {end:.4g}" if np.isfinite(end) else "at any size"
            return "proper", f"strictly in mean and variance {reach}; other features of y are not seen"
        return "proper", "variances between which the prior has no mass are not told apart"

    def pieces(self, data):
        return None, data[2] ** 2

    def per_sample(self, prior: Prior, y, mean, std):
        """Expected loss of each forecast under one part of a prior, shape (n,)."""
        squared = (mean - y) ** 2
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

    def _words(self, theta, which):
        return f"pick {100 * theta:.3g}% of the cases"

    def properness(self, *priors):
        return "proper", "never strictly: only the order of the forecasts counts"

    def pieces(self, data):
        return np.arange(1, data[0].size + 1), None

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

    def _words(self, theta, which):
        if which == 0:
            return TopK()._words(theta, 0)
        return f"a variance of 1 costs {theta:.3g} units of y"

    def properness(self, *priors):
        if self.penalty == "reported":
            return "improper", "it charges the reported variance: reporting too small a one lowers the loss"
        return "proper", "strictly in the means of the cases that get picked; a shift of all variances is not seen"

    def pieces(self, data):
        _, mean, std = data
        with np.errstate(divide="ignore", invalid="ignore"):
            crossings = np.subtract.outer(mean, mean) / np.subtract.outer(std**2, std**2)
        return np.arange(1, mean.size + 1), crossings[np.isfinite(crossings) & (crossings > 0)]

    def check_prior(self, prior, which=0):
        if which == 0:
            TopK().check_prior(prior)
        else:
            super().check_prior(prior, which)

    def act(self, theta: tuple[int, float], mean: Any, std: Any) -> np.ndarray:
        """Probability of each case to be among the selected, shape (n,); sums to k."""
        m, s = validation.check_gaussian(mean, std)
        (k, gamma), = _one_pair(self.read_theta(theta, m.size))
        return _risk_shares(m, s, gamma, _first(int(k), m.size))

    def read_theta(self, theta, length):
        pairs = _rows("(k, gamma)", theta)
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
        return -_not_overflown(total), error

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
            values.append(_not_overflown(float(np.dot(shares, y - gamma * charge)) / k))
        return np.array(values)

    def draw(self, rng, n):
        """Fewer forecasts: their acts change at many gammas."""
        return draw_gaussians(rng, n, _FORECASTS // 3)

    def _charge(self, y, mean, std):
        return std**2 if self.penalty == "reported" else (y - mean) ** 2


@dataclass(frozen=True)
class Retention(Family):
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

    separable = False
    names = ("k/n",)
    takes = ("uncertainty",)
    _check = staticmethod(validation.check_ranking)

    def _words(self, theta, which):
        return f"keep {100 * theta:.3g}% of the cases"

    def properness(self, *priors):
        return "proper", "for given predictions, where honest is each one's expected error; only their order counts"

    def pieces(self, data):
        return np.arange(1, data[0].size + 1), None

    def check_prior(self, prior, which=0):
        TopK().check_prior(prior)

    def read_theta(self, theta, length):
        return _read_k(theta, length)

    def act(self, theta: int, uncertainty: Any) -> np.ndarray:
        """Probability of each case to be kept, shape (n,); sums to k."""
        u = validation.vector("uncertainty", uncertainty)
        k = _read_k(validation.one_number("k", theta), u.size)[0]
        return share_places(-u, _first(k, u.size))

    def draw(self, rng, n):
        """Errors, and orders of uncertainty."""
        return rng.integers(1, 6, n).astype(float), [(rng.permutation(n) + 1.0,) for _ in range(_FORECASTS)]

    def expected_loss(self, prior: Prior, error, uncertainty):
        """``sum_j P(k = j) mean error of the j kept``, and its error, which is zero."""
        places = place_worth(mass_of_k(prior, error.size))
        return float(np.dot(share_places(-uncertainty, places), error)), 0.0

    def _utilities(self, thetas, data, weight):
        error, uncertainty = data
        order, starts = sorted_blocks(uncertainty)
        return -np.cumsum(block_means(error[order], starts))[thetas - 1] / thetas


@dataclass(frozen=True)
class OneVsRest(Family):
    """One binary decision for each of K classes: flag the class or not, at cost share c.

    ``u_(j,c)(f, y) = u_c(f^j, 1[y = j])`` for theta = (j, c), with class j in 0..K-1; several
    are rows of an (m, 2) array. A prior is on c, and every class is equally likely: the PWU
    averages over cases and classes.

    Parameters
    ----------
    family : BinaryDecision

    References
    ----------
    PWU paper, appendix G.1.

    Examples
    --------
    >>> family = OneVsRest(BinaryDecision())
    >>> family.utility((2, 0.3), [2, 0], [[0.1, 0.1, 0.8], [0.5, 0.1, 0.4]])
    -0.15
    >>> family.act((2, 0.3), [[0.1, 0.1, 0.8], [0.5, 0.3, 0.2]]).tolist()
    [True, False]
    """

    family: BinaryDecision

    names = ("c",)
    theta_ndim = 1
    domain = (0.0, 1.0)
    _check = staticmethod(validation.check_multiclass)

    def __post_init__(self):
        _wraps(self, BinaryDecision)

    def _words(self, theta, which):
        return self.family._words(theta, which) + ", for each class"

    def properness(self, *priors):
        return self.family.properness(*priors)

    def pieces(self, data):
        return np.arange(data[1].shape[1]), data[1].ravel()

    def draw(self, rng, n):
        """Labels of three classes, and probabilities in steps of a twentieth."""
        return rng.integers(0, 3, n), [(rng.multinomial(20, np.ones(3) / 3, n) / 20,) for _ in range(_FORECASTS)]

    def read_theta(self, theta, length):
        pairs = _rows("(class, c)", theta)
        if (pairs[:, 0] != np.floor(pairs[:, 0])).any() or (pairs[:, 0] < 0).any():
            raise ValueError(f"a class must be a whole number from 0 on, got {pairs[:, 0].tolist()}")
        validation.check_thetas("c", pairs[:, 1], 0, 1)
        return pairs

    def act(self, theta: tuple[int, float], y_prob: Any) -> np.ndarray:
        """True where class j is flagged, ``y_prob[:, j] > c``; shape (n,)."""
        f = validation.check_class_probabilities(y_prob)
        (j, c), = _one_pair(self.read_theta(theta, len(f)))
        return f[:, _column(j, f)] > c

    def per_sample(self, prior: Prior, y, f):
        """Expected loss of each case, averaged over classes, shape (n,)."""
        classes = range(f.shape[1])
        return np.mean([self.family.per_sample(prior, y == j, f[:, j]) for j in classes], axis=0)

    def _utilities(self, pairs, data, weight):
        y, f = data
        values = np.empty(len(pairs))
        for j in np.unique(pairs[:, 0]):
            rows, column = pairs[:, 0] == j, _column(j, f)
            values[rows] = self.family._utilities(pairs[rows, 1], (y == column, f[:, column]), weight)
        return values


@dataclass(frozen=True)
class PerOutput(Family):
    """Selective prediction in each of D outputs, on its own scale, averaged over the outputs.

    ``u_lambda = -(1/D) sum_d (y_d - mean_d)**2 / v_d`` where ``cov_dd <= lambda v_d``, else
    ``-lambda / D``: predict or abstain output by output. lambda has no unit.

    Parameters
    ----------
    family : SelectivePrediction
    scale : array_like, shape (D,), optional
        ``v_d`` in the unit of y_d squared, for instance the variance of y_d in the training
        data; 1 for outputs that are standardised already. Fix it before the labels are
        seen, or the score is not proper.

    References
    ----------
    PWU paper, appendix G.2.

    Examples
    --------
    >>> family = PerOutput(SelectivePrediction(), scale=[1.0, 4.0])
    >>> cov = [[[0.5, 0.0], [0.0, 8.0]]]
    >>> family.utility(1.0, [[0.0, 0.0]], [[1.0, 6.0]], cov)
    -1.0
    >>> family.act(1.0, [[1.0, 6.0]], cov).tolist()
    [[True, False]]
    """

    family: SelectivePrediction
    scale: Any = None

    names = ("lambda",)
    takes = ("mean", "cov")
    _check = staticmethod(validation.check_multivariate)

    def __post_init__(self):
        _wraps(self, SelectivePrediction)
        if self.scale is not None:
            scale = validation.vector("scale", self.scale)
            validation.reject("scale", scale, (scale < 1e-140) | (scale > 1e140), "must be positive, 1e-140 to 1e140")
            object.__setattr__(self, "scale", tuple(scale.tolist()))

    def _words(self, theta, which):
        return f"predict an output up to {np.sqrt(theta):.3g} times the root of its scale"

    def properness(self, *priors):
        verdict, reason = self.family.properness(*priors)
        return verdict, f"{reason} (each output on its own scale; correlations are not seen)"

    def pieces(self, data):
        return None, np.concatenate([variance / unit for _, variance, unit in self._outputs(data)])

    def draw(self, rng, n):
        """Zero targets of two outputs, few errors, variances and correlations."""
        outputs = 2 if self.scale is None else len(self.scale)
        reports = []
        for _ in range(_FORECASTS):
            mean = rng.choice([0.0, 1.0], (n, outputs))
            std, rho = rng.choice([0.5, 1.0], (n, outputs)), rng.choice([0.0, 0.5], n)
            cov = np.array([np.outer(s, s) * (r + (1 - r) * np.eye(outputs)) for s, r in zip(std, rho, strict=True)])
            reports.append((mean, cov))
        return np.zeros((n, outputs)), reports

    def act(self, theta: float, mean: Any, cov: Any) -> np.ndarray:
        """True where an output is predicted; shape (n, D)."""
        lam = validation.positive("lambda", theta)
        m, s = validation.check_multivariate_gaussian(mean, cov)
        return np.column_stack([variance <= lam * unit for _, variance, unit in self._outputs((m, m, s))])

    def per_sample(self, prior: Prior, y, mean, cov):
        """Expected loss of each case, averaged over outputs, shape (n,)."""
        losses = []
        for squared, variance, unit in self._outputs((y, mean, cov)):
            if isinstance(prior, Dirac):
                losses.append(np.where(variance <= prior.at * unit, squared, prior.at))
            else:
                _, above, mean_below, _ = prior.tails(variance / unit)
                losses.append(squared * above + mean_below)
        return np.mean(losses, axis=0)

    def _utilities(self, thetas, data, weight):
        weight = _to_sum_one(weight, len(data[0]))
        values = [-_weight_up_to(variance, weight * squared, thetas * unit)
                  - thetas * _weight_above(variance, weight, thetas * unit)
                  for squared, variance, unit in self._outputs(data)]
        return np.mean(values, axis=0)

    def _outputs(self, data):
        """Squared error in its unit, variance, and the unit v_d of each output."""
        y, mean, cov = data
        unit = np.ones(y.shape[1]) if self.scale is None else np.array(self.scale)
        if unit.size != y.shape[1]:
            raise ValueError(f"scale has length {unit.size}, y_true has {y.shape[1]} outputs")
        variance = np.diagonal(cov, axis1=1, axis2=2)
        return [((y[:, d] - mean[:, d]) ** 2 / unit[d], variance[:, d], unit[d]) for d in range(unit.size)]


_FORECASTS = 60
_PROBABILITIES = np.array([0.01, 0.02, *(np.arange(1, 20) / 20), 0.98, 0.99])


def draw_probabilities(rng: np.random.Generator, n: int) -> tuple[np.ndarray, list[tuple[np.ndarray]]]:
    """Labels, balanced or not, and probabilities; every second forecast is an earlier one with another case."""
    ones = rng.integers(1, n) if n > 1 else rng.integers(0, 2)
    forecasts: list[np.ndarray] = []
    for place in range(_FORECASTS):
        forecast = rng.choice(_PROBABILITIES, n)
        if place % 2:
            kept = rng.permutation(n) > 0
            forecast[kept] = forecasts[rng.integers(place)][kept]
        forecasts.append(forecast)
    return rng.permutation(np.arange(n) < ones).astype(int), [(forecast,) for forecast in forecasts]


def draw_gaussians(rng: np.random.Generator, n: int, forecasts: int = _FORECASTS):
    """Targets of one, means near them, and standard deviations."""
    errors = rng.choice([-2, -1, 0, 0, 1, 2], (forecasts, n))
    return np.ones(n), [(1.0 + error, rng.choice([0.5, 1.0, 1.2, 2.0], n)) for error in errors]


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


def _covers(prior, low, high):
    """Do the supports of the continuous closed-form parts leave no gap in (low, high)?"""
    parts = [part for weight, part in prior.parts if weight > 0 and not isinstance(part, (Dirac, Frozen))]
    for start, end in sorted(part.support for part in parts):
        low = max(low, end) if start <= low else low
    return low >= high


def _mass_between(prior, edges):
    if isinstance(prior, Dirac):
        mass = np.zeros(edges.size - 1)
        mass[np.searchsorted(edges[1:], prior.at)] = 1.0
        return mass
    below, above, *_ = prior.tails(edges)
    return np.maximum(np.where(below[1:] < 0.5, np.diff(below), -np.diff(above)), 0.0)


def _not_overflown(value):
    if not np.isfinite(value):
        raise ValueError("gamma times a variance is too large for a number: change the unit of y")
    return value


def _first(k, n):
    """Places worth 1 down to the k-th, then 0."""
    return (np.arange(n) < k).astype(float)


def _risk_shares(mean, std, gamma, places):
    """Shares of the places by mean - gamma variance; scores equal up to their own rounding are tied."""
    with np.errstate(over="ignore"):
        mean, penalty = snap(mean), gamma * snap(std**2)
    _not_overflown(penalty.max())
    return share_places(mean - penalty, places, 1e-13 * (np.abs(mean) + penalty))


def _rows(what, theta):
    """Pairs of decision parameters as rows."""
    pairs = np.atleast_2d(validation.numbers("theta", theta))
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        raise ValueError(f"theta must be {what} or rows of it, got shape {np.shape(theta)}")
    return pairs


def _one_pair(pairs):
    if len(pairs) != 1:
        raise ValueError(f"act takes one theta, got {len(pairs)}")
    return pairs


def _column(j, f):
    if j >= f.shape[1]:
        raise ValueError(f"class {j:g} does not exist: y_prob has {f.shape[1]} columns, from 0 on")
    return int(j)


def _wraps(family, kind):
    if not isinstance(family.family, kind):
        raise ValueError(f"{type(family).__name__} takes a {kind.__name__}, got {family.family!r}")


def _read_k(theta, length):
    values = validation.vector("k", np.atleast_1d(validation.as_float("k", theta)))
    wrong = (values != np.floor(values)) | (values < 1) | (values > length)
    validation.reject("k", values, wrong, f"must be a whole number from 1 to {length}")
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
