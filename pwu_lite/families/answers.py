"""Answers with a confidence: answer, or say "I don't know", where a wrong answer costs more than a right one earns.

Implements the binary decision of section 3.2.1 of the PWU paper for the event "the answer is right".
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import validation
from ..metrics._kernels import to_sum_one, weight_above, weight_up_to
from ..priors import Prior
from .base import Data, Parameter, SeparableFamily, Weight, covers

__all__ = ["Answers"]


def _equal(first: Any, second: Any) -> np.ndarray:
    """Which of two arrays of numbers are equal, as numbers: 1 and 1.0 are, 2**53 and 2**53 + 1 are not."""
    one, two = (np.asarray(values, dtype=None if hasattr(values, "dtype") else object).reshape(-1)  # no list becomes
                for values in (first, second))  # floats only because one of its numbers is none
    if one.dtype != two.dtype or one.dtype.kind == "O":  # Python compares a whole number and a float exactly
        one, two = one.astype(object), two.astype(object)
    return np.asarray(one == two, dtype=bool)


@dataclass(frozen=True)
class Answers(SeparableFamily):
    """Give the answer if its confidence is above c, else abstain: a wrong answer costs c, a right one earns 1 - c.

    Relative to a model that gives the right answer to every question, a right answer costs nothing, an abstention
    ``1 - c``, a wrong answer 1. c is the share of the stake that a wrong answer costs: a wrong answer costs as much
    as ``c / (1 - c)`` right ones earn. Models that give different answers can be compared, which `BinaryDecision` on
    the event "right" cannot do: it charges nothing for a wrong answer that is not given.

    References
    ----------
    PWU paper, section 3.2.1; Chow (1970).

    Examples
    --------
    >>> family = Answers()
    >>> family.act(0.5, [3, 1], [0.9, 0.4]).tolist()
    [True, False]
    >>> family.utility(0.5, [3, 2, 2], [3, 1, 1], [0.9, 0.4, 0.8])
    -0.5
    """

    parameters = (Parameter("c", (0.0, 1.0), words="share of the stake that a wrong answer costs, c"),)
    takes = ("answer", "confidence")
    largest_difference = 1.0

    def check(self, y_true: ArrayLike, answer: ArrayLike, confidence: ArrayLike) -> Data:
        """Read what is right, what was answered, and how sure the model is.

        Parameters
        ----------
        y_true : array_like, shape (n,)
            The right answers, as numbers; 1 for all where only right and wrong is known.
        answer : array_like, shape (n,)
            The model's answers; 1 for right and 0 for wrong where only that is known.
        confidence : array_like, shape (n,)
            Probabilities that the answer is right, in [0, 1]; 0 for an abstention.
        """
        y, given = validation.vector("y_true", y_true), validation.vector("answer", answer)
        f = validation.vector("confidence", confidence)
        validation.reject("confidence", f, (f < 0) | (f > 1), "must lie in [0, 1]")
        for name, part in (("answer", given), ("confidence", f)):
            validation.same_length("y_true", y, name, part)
        return y, _equal(y_true, answer), f

    def act(self, theta: float, answer: ArrayLike, confidence: ArrayLike) -> np.ndarray:
        """True where the answer is given, ``confidence > c``; shape (n,).

        Parameters
        ----------
        theta : float
            c, in (0, 1).
        answer : array_like, shape (n,)
            The model's answers.
        confidence : array_like, shape (n,)
            Probabilities that the answer is right.
        """
        c = validation.inside("c", theta, 0, 1)
        validation.same_order(answer=answer, confidence=confidence)
        return self.check(answer, answer, confidence)[2] > c

    def describe(self, theta: float, which: int) -> str:
        return f"a wrong answer costs as much as {theta / (1 - theta) if theta < 1 else np.inf:.3g} right ones earn"

    def properness(self, *priors: Any) -> tuple[str, str]:
        if covers(priors[0], 0, 1):
            return "strictly proper", "for the confidence; and the answer that is most likely right costs least"
        return "proper", "confidences between which no c has mass have the same expected cost"

    def breakpoints(self, data: Data) -> tuple[Any, Any]:
        return None, data[2]

    def cost(self, theta: Any, y: Any, right: Any, f: Any) -> np.ndarray:
        """A right answer costs nothing, an abstention 1 - c, a wrong answer 1."""
        return np.where(f > theta, ~right, 1 - theta)

    def utilities(self, thetas: np.ndarray, data: Data, weight: Weight) -> np.ndarray:
        """Shares of wrong answers given and of abstentions at every c at once."""
        _, right, f = data
        weight = to_sum_one(weight, f.size)
        wrong = weight_above(f[~right], weight[~right], thetas)
        return -wrong - (1 - thetas) * weight_up_to(f, weight, thetas)

    def per_sample(self, prior: Prior, y: Any, right: Any, f: Any) -> np.ndarray:
        """``P(c < f)`` where the answer is wrong, and ``E[1 - c; c >= f]``."""
        return prior.tail("complement_above", f) + np.where(right, 0.0, prior.tail("below", f))
