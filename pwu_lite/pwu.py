"""Prior-weighted utility metrics: a decision family and a prior make a score.

Implements section 4, equation (4), of the PWU paper.
"""

from __future__ import annotations

import re
import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import validation
from .families import Family, OverFirst, SeparableFamily
from .priors import as_prior
from .scorer import Scorer

__all__ = ["PWU"]


class PWU:
    """Prior-weighted utility, ``M_pi(f, y) = -integral of U_theta(f, y) pi(d theta)``.

    A loss: lower is better. Exact wherever the prior's mass and partial mean are known.

    Parameters
    ----------
    family : Family
        What the decision costs.
    *priors : Prior or frozen scipy.stats distribution
        One for each decision parameter. For separable families the parameters of `Beta`, `Dirac`,
        `Uniform` and `Pareto` may be arrays of shape (n,): a prior for each case; `RiskAverseTopK` takes
        two, on k/n and on gamma,
        independent of each other. Fix them before the labels are seen, or the metric
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

    def __init__(self, family: Family, *priors: Any):
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
        validation.same_order(y_true=y_true, **dict(zip(self.family.takes, prediction, strict=True)),
                              sample_weight=sample_weight)
        weight = None if sample_weight is None else self.family.weight(sample_weight, data)
        loss, error = self.family.loss(self.priors, data, weight)
        if return_error:
            return loss, error
        if error > 1e-4 * abs(loss):
            warnings.warn(f"{self!r} is computed numerically: {loss:.6g} may be off by {error:.1g} "
                          f"(return_error=True gives both)", stacklevel=2)
        return loss

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
        return self.family.losses(self.priors, self.family.read(y_true, *prediction))

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

    def scorer(self, *, pos_label: Any = None) -> Scorer:
        """A scorer for scikit-learn: ``scoring=score.scorer()`` in a grid search or a cross-validation.

        It returns minus the loss, asks for probabilities (top-k: for a decision function, where there
        are none; mean and std: ``predict(X, return_std=True)``), and takes any two labels, or the
        classes that the estimator knows (all of them should be in each training fold: an average over
        fewer classes is another score).

        Parameters
        ----------
        pos_label : any label, optional
            Which of two labels counts as 1. Needed unless the labels are 0 and 1, False and True, -1 and 1, or one
            of them alone is a word for yes (yes, true, y, event, positive): nothing is guessed.

        Raises
        ------
        ValueError
            The family takes what no scikit-learn estimator predicts.

        Examples
        --------
        >>> from pwu_lite import Beta, BinaryDecision
        >>> PWU(BinaryDecision(), Beta(2, 10)).scorer(pos_label="ill")
        PWU(BinaryDecision(), Beta(a=2.0, b=10.0, scale=1.0)).scorer(pos_label='ill')
        """
        return Scorer(self, pos_label)

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
        from . import plots  # the one import that points up: who asks for a figure gets matplotlib

        return plots.murphy(self, y_true, models, band=band, **options)


def of_first_parameter(score: PWU) -> PWU:
    """The same score with its first prior alone, where cases have losses of their own: for pictures over one parameter.

    Parameters
    ----------
    score : PWU
        With two priors; any other is returned as it is.

    Examples
    --------
    >>> from pwu_lite import Beta, Exceedance, Uniform
    >>> score = PWU(Exceedance(), Uniform(1, 3), Beta(2, 10))
    >>> of_first_parameter(score).family.names
    ('t',)
    """
    if len(score.priors) != 2 or not isinstance(score.family, SeparableFamily):
        return score
    return PWU(OverFirst(score.family, score.priors[1]), score.priors[0])
