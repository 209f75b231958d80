"""What a forecast is worth: what it saves compared with acting on the mean outcome alone.

Implements the value of information of decision theory (Blackwell 1953; Savage 1971) for the costs of appendix L.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..pwu import PWU

__all__ = ["ValueOfInformation", "value_of_information"]

_POINTS = 199


@dataclass(frozen=True)
class ValueOfInformation:
    """What a forecast saves per case: see `value_of_information`.

    Attributes
    ----------
    value : float
        Averaged over the prior, in units of cost per case; negative if acting on the mean outcome costs less.
    perfect : float
        What a forecast that knows every outcome would save.
    theta : ndarray, shape (m,)
        Decision parameters, between the 0.5% and the 99.5% quantile of the prior.
    saved : ndarray, shape (m,)
        What is saved at each of them.
    name : str
        Name of the decision parameter.
    """

    value: float
    perfect: float
    theta: np.ndarray
    saved: np.ndarray
    name: str

    def plot(self) -> Any:
        """Plot the saving at each decision parameter, with a line at zero; returns a matplotlib Figure."""
        from .. import plots

        lines = {"acting on the forecast": self.saved, "acting on the mean outcome": 0 * self.saved}
        return plots.curves(self.theta, lines, xlabel=self.name, ylabel="saved per case")


def value_of_information(score: PWU, y_true: ArrayLike, *prediction: ArrayLike) -> ValueOfInformation:
    """What a forecast saves compared with a forecast that knows only the average outcome.

    At each theta, the cost of acting on the mean outcome minus the cost of acting on the forecast. For yes-or-no
    decisions with base rate b it is ``v(c) = min(c (1 - b), (1 - c) b) - L(c)``. Its average over the prior is the
    forecast's discrimination minus its miscalibration (`decompose`). The worth of a calibrated forecast is at least
    zero at every theta. For one event, a calibrated forecast is worth at least as much as another at every theta if
    and only if it is at least as informative in Blackwell's order. With more acts or classes a family may not use all
    of a forecast: two forecasts can be worth the same at every theta but not be ordered.

    Parameters
    ----------
    score : PWU
        With one decision parameter, and one prior for all cases.
    y_true : array_like, shape (n,)
        Outcomes.
    *prediction : array_like
        What the family takes.

    Returns
    -------
    ValueOfInformation

    Raises
    ------
    ValueError
        Bad input, more or fewer than one decision parameter, or a family without a reference forecast.

    References
    ----------
    Blackwell, "Equivalent comparisons of experiments" (1953); Savage (1971).

    Examples
    --------
    >>> from pwu_lite import BinaryDecision, Uniform
    >>> worth = value_of_information(PWU(BinaryDecision(), Uniform(0, 1)), [0, 0, 1, 1], [0.1, 0.4, 0.6, 0.9])
    >>> round(worth.value, 4), round(worth.perfect, 4)
    (0.0825, 0.125)
    """
    if not isinstance(score, PWU) or len(score.priors) != 1 or score.priors[0].length is not None:
        raise ValueError(f"value_of_information takes a PWU with one prior for all cases, got {score!r:.80}")
    data = score.family.read(y_true, *prediction)
    ends = score.family.references(np.asarray(data[0], dtype=float), None)
    if ends is None:
        raise ValueError(f"{score.family!r} has no reference forecast of the average outcome")
    values = [score(y_true, *forecast, return_error=True)[0] for forecast in (*ends, prediction)]
    low, high = score.priors[0].ppf([0.005, 0.995])
    thetas = score.family.thetas(np.linspace(low, high, _POINTS), data)
    base, own = (score.curve(y_true, *forecast, thetas=thetas) for forecast in (ends[0], prediction))
    return ValueOfInformation(values[0] - values[2], values[0] - values[1], thetas, base - own, score.family.names[0])
