"""Decisions case by case: act or not on a probability, predict or abstain on a mean and a standard deviation.

Implements sections 3.2.1 and 3.3.1 of the PWU paper.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import validation
from ..metrics._kernels import to_sum_one, weight_above, weight_up_to
from ..priors import Prior
from .base import FALSE_ALARM, Data, Parameter, SeparableFamily, Weight, covers

__all__ = ["BinaryDecision", "SelectivePrediction"]


@dataclass(frozen=True)
class BinaryDecision(SeparableFamily):
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

    parameters = (Parameter("c", (0.0, 1.0), words=FALSE_ALARM),)
    largest_difference = 1.0

    def act(self, theta: float, y_prob: ArrayLike) -> np.ndarray:
        """True where the forecast says to act, ``y_prob > c``; shape (n,).

        Parameters
        ----------
        theta : float
            The cost share of a false alarm, c in (0, 1).
        y_prob : array_like, shape (n,)
            Probabilities of label 1, in [0, 1].
        """
        c = validation.inside("c", theta, 0, 1)
        return validation.check_probabilities(y_prob) > c

    def describe(self, theta: float, which: int) -> str:
        names, share = (("a miss", "false alarms"), theta) if theta < 0.5 else (("a false alarm", "misses"), 1 - theta)
        return f"{names[0]} costs {(1 - share) / share if share > 0 else np.inf:.3g} {names[1]}"

    def properness(self, *priors: Any) -> tuple[str, str]:
        if covers(priors[0], 0, 1):
            return "strictly proper", "every interval of c has mass: any other forecast leads to a worse act somewhere"
        return "proper", "forecasts between which no c has mass have the same expected loss"

    def breakpoints(self, data: Data) -> tuple[Any, Any]:
        return None, data[1]

    def cost(self, theta: Any, y: Any, f: Any) -> np.ndarray:
        """A miss costs 1 - c, a false alarm c."""
        return np.where(y, (1 - theta) * (f <= theta), theta * (f > theta))

    def per_sample(self, prior: Prior, y: Any, f: Any) -> np.ndarray:
        """Misses cost ``E[1 - c; c >= f]``, false alarms ``E[c; c < f]``."""
        loss = np.empty(f.shape)
        loss[y] = prior.for_cases(y).tail("complement_above", f[y])
        loss[~y] = prior.for_cases(~y).tail("mean_below", f[~y])
        return loss

    def utilities(self, thetas: np.ndarray, data: Data, weight: Weight) -> np.ndarray:
        """Counts of misses and false alarms at every c at once."""
        y, f = data
        weight = to_sum_one(weight, f.size)
        misses = weight_up_to(f[y], weight[y], thetas)
        alarms = weight_above(f[~y], weight[~y], thetas)
        return -(1 - thetas) * misses - thetas * alarms


@dataclass(frozen=True)
class SelectivePrediction(SeparableFamily):
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

    parameters = (Parameter("lambda"),)
    takes = ("mean", "std")
    check = staticmethod(validation.check_regression)

    def act(self, theta: float, mean: ArrayLike, std: ArrayLike) -> np.ndarray:
        """True where the forecast says to predict, ``std <= sqrt(lambda)``; shape (n,).

        Parameters
        ----------
        theta : float
            What passing costs, lambda > 0, in the unit of y squared.
        mean : array_like, shape (n,)
            Predictive means, in the unit of the targets.
        std : array_like, shape (n,)
            Predictive standard deviations, positive, in the unit of the targets.
        """
        lam = validation.positive("lambda", theta)
        return validation.check_gaussian(mean, std)[1] <= np.sqrt(lam)

    def describe(self, theta: float, which: int) -> str:
        return f"predict up to a standard deviation of {np.sqrt(theta):.3g}"

    def properness(self, *priors: Any) -> tuple[str, str]:
        end = priors[0].support[1]
        if covers(priors[0], 0, end):
            reach = f"while the variance is below {end:.4g}" if np.isfinite(end) else "at any size"
            return "proper", f"strictly in mean and variance {reach}; other features of y are not seen"
        return "proper", "does not distinguish variances between which the prior has no mass"

    def breakpoints(self, data: Data) -> tuple[Any, Any]:
        return None, data[2] ** 2

    def cost(self, theta: Any, y: Any, mean: Any, std: Any) -> np.ndarray:
        """The squared error where the case is predicted, else lambda."""
        return np.where(std <= np.sqrt(theta), (mean - y) ** 2, theta)

    def per_sample(self, prior: Prior, y: Any, mean: Any, std: Any) -> np.ndarray:
        """``(mean - y)**2 P(lambda >= std**2) + E[lambda; lambda < std**2]``."""
        above, mean_below = prior.tail("above", std**2), prior.tail("mean_below", std**2)
        return (mean - y) ** 2 * above + mean_below

    def utilities(self, thetas: np.ndarray, data: Data, weight: Weight) -> np.ndarray:
        """Squared errors of the predicted cases, at every lambda at once."""
        y, mean, std = data
        weight = to_sum_one(weight, y.size)
        roots = np.sqrt(thetas)
        errors = weight_up_to(std, weight * (mean - y) ** 2, roots)
        return -errors - thetas * weight_above(std, weight, roots)
