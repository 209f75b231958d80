"""Prior-weighted utility metrics: a decision family and a prior make a score.

Implements section 4, equation (4), of the PWU paper.
"""

import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import validation
from .families import Family, SeparableFamily
from .families.base import resolved
from .priors import as_prior, with_index

__all__ = ["PWU"]


class PWU:
    """Prior-weighted utility, ``M_pi(f, y) = -integral of U_theta(f, y) pi(d theta)``.

    A loss: lower is better. Exact wherever the prior's mass and partial mean are known, but for what the
    family's `numerical_error` says.

    Parameters
    ----------
    family : Family
        What the decision costs.
    *priors : Prior, frozen scipy.stats distribution, or float
        One for each decision parameter; a number is a value that is known. For separable families the parameters of
        `Beta`, `Dirac`, `Uniform` and `Pareto` may be arrays of shape (n,): a prior for each case; `RiskAverseTopK`
        takes two, on k/n and on gamma, independent of each other. Fix them before the labels are seen, or the metric
        is not proper.

    Raises
    ------
    ValueError
        The number of priors is wrong, a prior has mass outside the parameter's domain,
        or a finite mean is needed and does not exist.

    References
    ----------
    PWU paper, section 4.1, equation (4).

    Examples
    --------
    >>> from pwu_lite import Beta, BinaryDecision
    >>> score = PWU(BinaryDecision(), Beta(2, 10))
    >>> round(score([1, 0, 1], [0.9, 0.2, 0.1]), 6)
    0.207593
    >>> score
    PWU(BinaryDecision(), Beta(a=2.0, b=10.0, scale=1.0))
    """

    def __init__(self, family: Family, *priors: Any) -> None:
        validation.no_class("family", family)
        if not isinstance(family, Family):
            raise ValueError(f"family must be a decision family, got {type(family).__name__}")
        family.check_declaration()
        if len(priors) != len(family.names):
            needs = (f"needs {len(family.names)} prior(s), on {' and '.join(family.names)}" if family.names else
                     "has no decision parameter, so it takes no prior")
            raise ValueError(f"{family!r} {needs}; got {len(priors)}")
        self.family = family
        self.priors = tuple(as_prior(prior) for prior in priors)
        for which, prior in enumerate(self.priors):
            family.check_prior(prior, which)
        self.resolved = resolved(*self.priors)

    def __repr__(self) -> str:
        return f"PWU({', '.join(map(repr, (self.family, *self.priors)))})"

    def __eq__(self, other: object) -> bool:
        if self is other or not isinstance(other, PWU):
            return self is other
        try:
            return bool((self.family, self.priors) == (other.family, other.priors))
        except ValueError:  # a prior of one's own that compares arrays and gives one answer for each entry
            return False

    def __hash__(self) -> int:
        return hash((self.family, self.priors))

    @property
    def __name__(self) -> str:  # scikit-learn's make_scorer prints it; xgboost splits its log at blanks
        return re.sub(r"\W+", "_", repr(self)).strip("_")

    def __call__(self, y_true: ArrayLike, *prediction: ArrayLike, sample_weight: ArrayLike | None = None,
                 return_error: bool = False) -> Any:
        """The loss over a data set.

        Parameters
        ----------
        y_true : array_like, shape (n,)
            Labels in {0, 1}, or targets.
        *prediction : array_like, shape (n,)
            ``y_prob``, or ``mean, std``.
        sample_weight : array_like, shape (n,), optional
            For separable families only.
        return_error : bool
            Also return an estimate of the numerical error, 0.0 for a closed form. If not asked
            for, an error above a ten-thousandth of the loss is a warning.

        Returns
        -------
        float, or (float, float)

        Raises
        ------
        ValueError
            Bad input, named with its first bad index.
        """
        data = self.family.read(y_true, *prediction)
        self._check_order(y_true, prediction, sample_weight=sample_weight)
        weight = None if sample_weight is None else self.family.weight(sample_weight, data)
        loss, error = self.family.loss(self.resolved, data, weight)
        if return_error:
            return loss, error
        if error > 1e-4 * abs(loss):
            warnings.warn(f"{self!r} is computed numerically: {loss:.6g} may be off by {error:.1g} "
                          f"(return_error=True gives both)", stacklevel=2)
        return loss

    def _check_order(self, y_true: Any, prediction: Any, **more: Any) -> None:
        parts = dict(zip(self.family.takes, prediction, strict=True))
        validation.same_order(y_true=y_true, **parts, **more, **with_index(self.priors))

    @property
    def largest_difference(self) -> float | None:
        """A bound on the difference of two losses of a case, whatever the forecasts; None where none is known."""
        return self.family.largest_difference_under(*self.priors)

    def per_sample(self, y_true: ArrayLike, *prediction: ArrayLike) -> np.ndarray:
        """The loss of each case, shape (n,); its mean is the score.

        Parameters
        ----------
        y_true : array_like, shape (n,)
            Labels or targets.
        *prediction : array_like
            What the family takes, for instance ``y_prob``, or ``mean, std``.

        Raises
        ------
        TypeError
            The family is not separable: its cases have no losses of their own.
        """
        if not isinstance(self.family, SeparableFamily):
            raise TypeError(f"{type(self.family).__name__} is not separable: "
                            f"a case has no loss of its own")
        data = self.family.read(y_true, *prediction)
        self._check_order(y_true, prediction)
        return self.family.losses(self.resolved, data)

    def curve(self, y_true: ArrayLike, *prediction: ArrayLike, thetas: Any,
              sample_weight: ArrayLike | None = None) -> np.ndarray:
        """``-U_theta`` at each theta: the Murphy diagram behind the number.

        Parameters
        ----------
        thetas : array_like, shape (m,)
            c, lambda or k; for `RiskAverseTopK` rows ``(k, gamma)``, shape (m, 2).

        Returns
        -------
        ndarray, shape (m,)
        """
        return -np.asarray(self.family.utility(thetas, y_true, *prediction,
                                               sample_weight=sample_weight))

    def scorer(self, *, pos_label: Any = None) -> Callable[..., float]:
        """A scorer for scikit-learn: ``scoring=score.scorer()`` in a grid search or a cross-validation.

        It returns minus the loss, computed from the estimator's probabilities (top-k: from its decision function, where
        there are none; mean and std: from ``predict(X, return_std=True)``). For two labels it is made by
        `sklearn.metrics.make_scorer`: metadata routing passes ``sample_weight``, and ``cost_share``, each case's own
        cost share of a false alarm in place of the prior; `TunedThresholdClassifierCV` tunes one threshold for all
        cases. With several classes it calls the estimator; all should be in each training fold, as an average over
        fewer is a different score.

        Parameters
        ----------
        pos_label : any label, optional
            Which of two labels counts as 1. Needed unless the labels are 0 and 1, False and True, or -1 and 1:
            nothing is guessed. A test fold of ones alone needs it, too, because ones may stand beside twos.

        Raises
        ------
        ValueError
            The family takes what no scikit-learn estimator predicts.

        Examples
        --------
        >>> from pwu_lite import Beta, BinaryDecision
        >>> callable(PWU(BinaryDecision(), Beta(2, 10)).scorer(pos_label="ill"))
        True
        """
        from . import scorer  # scikit-learn comes with the first scorer

        return scorer.make(self, pos_label)

    def plot(self, y_true: ArrayLike, models: Any, *, band: float | None = 0.95, **options: Any) -> Any:
        """Murphy curves of any number of models with paired bands, the prior under them.

        Parameters
        ----------
        y_true : array_like, shape (n,)
        models : mapping of name to forecast, or DataFrame with a column for each model
        band : float or None
            Share of the resamples inside the bands; None for no bands.
        **options
            As in `pwu_lite.plots.murphy`.

        Returns
        -------
        matplotlib Figure
        """
        from . import plots  # matplotlib comes with the first figure

        return plots.murphy(self, y_true, models, band=band, **options)
