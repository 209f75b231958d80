"""What a score is made of: miscalibration, discrimination and uncertainty, by isotonic regression.

Implements the CORP decomposition of Dimitriadis, Gneiting and Jordan (2021) for the PWUs of binary decisions.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .. import validation
from ..metrics._kernels import isotonic, read

__all__ = ["Decomposition", "decompose", "recalibrated"]


class Decomposition(NamedTuple):
    """``cost = miscalibration - discrimination + uncertainty``, all in the unit of the cost."""

    cost: float
    miscalibration: float
    discrimination: float
    uncertainty: float


def decompose(score: Callable[..., float], y_true: ArrayLike, y_prob: ArrayLike, *,
              sample_weight: ArrayLike | None = None) -> Decomposition:
    """Split a score into miscalibration, discrimination and uncertainty.

    With g the forecast recalibrated by isotonic regression on these very labels and b their base
    rate, *miscalibration* is ``score(f) - score(g)``, *discrimination* ``score(b) - score(g)`` and
    *uncertainty* ``score(b)``. Under a proper score the first two are not negative: isotonic
    regression is best for every binary decision at once.

    Parameters
    ----------
    score : PWU or loss function
        Proper, of binary decisions: ``score(y_true, y_prob)``.
    y_true : array_like, shape (n,)
        Labels in {0, 1}.
    y_prob : array_like, shape (n,)
    sample_weight : array_like, shape (n,), optional

    Returns
    -------
    Decomposition

    Raises
    ------
    ValueError
        Bad input, named with its first bad index.

    References
    ----------
    Dimitriadis, Gneiting and Jordan (2021), *Stable reliability diagrams for probabilistic classifiers*.

    Examples
    --------
    >>> from pwu_lite.metrics.classification import brier_score
    >>> parts = decompose(brier_score, [0, 1, 0, 1], [0.1, 0.4, 0.6, 0.9])
    >>> [round(value, 6) for value in parts]
    [0.185, 0.06, 0.125, 0.25]
    """
    if not callable(score):
        raise ValueError(f"score must be a PWU or a loss function score(y_true, y_prob), got {score!r:.60}")
    if any(prior.length is not None for prior in getattr(score, "priors", ())):
        raise ValueError("decompose needs one prior for all cases: isotonic regression is not best with a "
                         "threshold per case")
    validation.same_order(y_true=y_true, y_prob=y_prob, sample_weight=sample_weight)
    y, f = validation.check_binary(y_true, y_prob)
    weight = validation.relative_weight(sample_weight, f.size)
    options = {} if weight is None else {"sample_weight": weight}
    labels = y.astype(float)
    base = np.full(f.size, np.average(labels, weights=weight))
    cost, calibrated, flat = (float(score(labels, forecast, **options))
                              for forecast in (f, recalibrated(y_true, y_prob, sample_weight=sample_weight), base))
    return Decomposition(cost, cost - calibrated, flat - calibrated, flat)


def recalibrated(y_true: ArrayLike, y_prob: ArrayLike, *, sample_weight: ArrayLike | None = None) -> np.ndarray:
    """The forecast after isotonic regression on its own labels; tied forecasts stay tied; shape (n,).

    Parameters
    ----------
    y_true : array_like, shape (n,)
        Labels in {0, 1}.
    y_prob : array_like, shape (n,)
        Probabilities of label 1, in [0, 1].
    sample_weight : array_like, shape (n,), optional
        Non-negative weights; equal ones if not given.

    Examples
    --------
    >>> recalibrated([0, 1, 0, 1], [0.1, 0.4, 0.6, 0.9]).tolist()
    [0.0, 0.5, 0.5, 1.0]
    """
    y, f, weight = read(validation.check_binary, sample_weight, y_true=y_true, y_prob=y_prob)
    return isotonic(y, f, np.ones(f.size) if weight is None else weight)
