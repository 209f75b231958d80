"""Families made of simpler ones: a binary decision for each class, selective prediction for each output.

Implements appendix G of the PWU paper.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import validation
from ..metrics._kernels import to_sum_one, weight_above, weight_up_to
from ..priors import Prior
from .base import FALSE_ALARM, Data, Parameter, SeparableFamily, Weight
from .cases import BinaryDecision, SelectivePrediction

__all__ = ["OneVsRest", "PerOutput"]


@dataclass(frozen=True)
class OneVsRest(SeparableFamily):
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

    parameters = (Parameter("class", averaged=True), Parameter("c", (0.0, 1.0), words=FALSE_ALARM))
    multiclass = True
    largest_difference = 1.0  # a mean over classes, each of which differs by 1 at most
    check = staticmethod(validation.check_multiclass)

    def __post_init__(self) -> None:
        _wraps(self, BinaryDecision)

    def describe(self, theta: float, which: int) -> str:
        return self.family.describe(theta, which) + ", for each class"

    def properness(self, *priors: Any) -> tuple[str, str]:
        return self.family.properness(*priors)

    def breakpoints(self, data: Data) -> tuple[Any, Any]:
        return np.arange(data[1].shape[1]), data[1].ravel()

    def act(self, theta: tuple[int, float], y_prob: ArrayLike) -> np.ndarray:
        """True where class j is flagged, ``y_prob[:, j] > c``; shape (n,).

        Parameters
        ----------
        theta : (int, float)
            The class, from 0 on, and the cost share c in (0, 1).
        y_prob : array_like, shape (n, K)
            Class probabilities; each row sums to 1.
        """
        f = validation.check_class_probabilities(y_prob)
        j, c = self.one_theta(theta, len(f))
        return f[:, _column(j, f)] > c

    def thetas(self, values: Any, data: Data) -> np.ndarray:
        """Each value of c with each class."""
        c = super().thetas(values, data)
        classes = np.arange(data[1].shape[1])
        return np.column_stack([np.tile(classes, c.size), np.repeat(c, classes.size)])

    def cost(self, theta: Any, y: Any, f: Any) -> np.ndarray:
        """Averaged over the classes, at cost share theta."""
        return np.mean([self.family.cost(theta, y == j, f[:, j]) for j in range(f.shape[1])], axis=0)

    def per_sample(self, prior: Prior, y: Any, f: Any) -> np.ndarray:
        """Expected loss of each case, averaged over classes, shape (n,)."""
        classes = range(f.shape[1])
        return np.mean([self.family.per_sample(prior, y == j, f[:, j]) for j in classes], axis=0)

    def utilities(self, pairs: np.ndarray, data: Data, weight: Weight) -> np.ndarray:
        y, f = data
        values = np.empty(len(pairs))
        for j in np.unique(pairs[:, 0]):
            rows, column = pairs[:, 0] == j, _column(j, f)
            values[rows] = self.family.utilities(pairs[rows, 1], (y == column, f[:, column]), weight)
        return values


@dataclass(frozen=True)
class PerOutput(SeparableFamily):
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

    parameters = (Parameter("lambda"),)
    takes = ("mean", "cov")
    check = staticmethod(validation.check_multivariate)

    def __post_init__(self) -> None:
        _wraps(self, SelectivePrediction)
        if self.scale is not None:
            scale = validation.vector("scale", self.scale)
            validation.reject("scale", scale, (scale < 1e-140) | (scale > 1e140), "must be positive, 1e-140 to 1e140")
            object.__setattr__(self, "scale", tuple(scale.tolist()))

    def describe(self, theta: float, which: int) -> str:
        return f"predict an output up to {np.sqrt(theta):.3g} times the root of its scale"

    def properness(self, *priors: Any) -> tuple[str, str]:
        verdict, reason = self.family.properness(*priors)
        return verdict, f"{reason} (each output on its own scale; correlations are not seen)"

    def breakpoints(self, data: Data) -> tuple[Any, Any]:
        return None, np.concatenate([variance / unit for _, variance, unit in self._outputs(data)])

    def act(self, theta: float, mean: ArrayLike, cov: ArrayLike) -> np.ndarray:
        """True where an output is predicted; shape (n, D).

        Parameters
        ----------
        theta : float
            lambda > 0, without a unit.
        mean : array_like, shape (n, D)
            Predictive means.
        cov : array_like, shape (n, D, D)
            Predictive covariances, symmetric and positive definite.
        """
        lam = validation.positive("lambda", theta)
        m, s = validation.check_multivariate_gaussian(mean, cov)
        return np.column_stack([variance <= lam * unit for _, variance, unit in self._outputs((m, m, s))])

    def cost(self, theta: Any, y: Any, mean: Any, cov: Any) -> np.ndarray:
        """Averaged over the outputs."""
        return np.mean([np.where(variance <= theta * unit, squared, theta)
                        for squared, variance, unit in self._outputs((y, mean, cov))], axis=0)

    def per_sample(self, prior: Prior, y: Any, mean: Any, cov: Any) -> np.ndarray:
        """Expected loss of each case, averaged over outputs, shape (n,)."""
        losses = []
        for squared, variance, unit in self._outputs((y, mean, cov)):
            relative = variance / unit
            losses.append(squared * prior.tail("above", relative) + prior.tail("mean_below", relative))
        return np.mean(losses, axis=0)

    def utilities(self, thetas: np.ndarray, data: Data, weight: Weight) -> np.ndarray:
        weight = to_sum_one(weight, len(data[0]))
        values = [-weight_up_to(variance, weight * squared, thetas * unit)
                  - thetas * weight_above(variance, weight, thetas * unit)
                  for squared, variance, unit in self._outputs(data)]
        return np.mean(values, axis=0)

    def _outputs(self, data: Data) -> list[Any]:
        """Squared error in its unit, variance, and the unit v_d of each output."""
        y, mean, cov = data
        unit = np.ones(y.shape[1]) if self.scale is None else np.array(self.scale)
        if unit.size != y.shape[1]:
            raise ValueError(f"scale has length {unit.size}, y_true has {y.shape[1]} outputs")
        variance = np.diagonal(cov, axis1=1, axis2=2)
        return [((y[:, d] - mean[:, d]) ** 2 / unit[d], variance[:, d], unit[d]) for d in range(unit.size)]


def _column(j: float, f: np.ndarray) -> int:
    if j >= f.shape[1]:
        raise ValueError(f"class {j:g} does not exist: y_prob has {f.shape[1]} columns, numbered from 0")
    return int(j)


def _wraps(family: Any, kind: Any) -> None:
    if not isinstance(family.family, kind):
        raise ValueError(f"{type(family).__name__} takes a {kind.__name__}, got {family.family!r}")
