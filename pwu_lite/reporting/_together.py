"""Verdicts of a whole table: which models may be the best, and which differ from a reference, all of them together.

Implements a model confidence set (Hansen, Lunde and Nason, 2011) with the largest of all pairs' errors, and Dunnett's
comparison with a reference.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri, stdtrit

__all__ = ["Together", "all_together", "pairs_of", "students"]


LEAST_UNITS, UNITS_PER_MODEL = 30, 4  # fewer are few: the joint law of all errors cannot be told from them


class Together(NamedTuple):
    """What holds for all models of a table at once.

    Attributes
    ----------
    may_be_best : ndarray of bool, shape (k,)
        The models that no other one rules out. Of two models the interval of the pair decides, and here is neither.
    apart : ndarray of bool, shape (k,)
        The models that differ from the reference by more than the largest error among its rivals.
    critical : float
        How many standard errors a pair must differ by before it separates anything in this table; NaN where the
        interval of the pair decides, and for bets.
    """

    may_be_best: np.ndarray
    apart: np.ndarray
    critical: float


def all_together(cost: np.ndarray, draws: np.ndarray, best: int, coverage: float, number: float, *, resampled: bool,
                 own: np.ndarray | None = None, named: bool = False, pairs: int = 1) -> Together:
    """The models that may be the best, and those that differ from the reference, from joint draws of all costs.

    Parameters
    ----------
    cost : ndarray, shape (k,)
    draws : ndarray, shape (repeats, k)
        Costs of all models on the same resamples, or drawn from their joint normal law.
    best : int
        The reference.
    coverage : float
        Chance that the set holds every best model.
    number : float
        Of independent units.
    resampled : bool
        Are the draws resamples? They vary less than samples do, by (number - 1)/number in the variance.
    own : ndarray, shape (k, n), optional
        What each unit adds to the error of each cost. Standard errors from these are not blurred by the number of
        draws; without them they are the spread of the draws.
    named : bool
        Was the reference named beforehand? Then the critical value for cases needed is that of its rivals alone.
    pairs : int
        How many pairs are asked like this one, each on cases of its own, if there are two models.

    Examples
    --------
    >>> draws = np.random.default_rng(0).normal([0, 0, 5], 1, (4000, 3))
    >>> found = all_together(np.array([0.0, 0.1, 5.0]), draws, 0, 0.95, 1000, resampled=True)
    >>> found.may_be_best.tolist(), round(found.critical, 1)
    ([True, True, False], 2.0)
    """
    k, everyone = len(cost), np.ones(len(cost), bool)
    judged = ~(np.isnan(cost) | np.isnan(draws).all(axis=0))
    if not judged.all():  # a cost that is not defined says nothing, of its own model and of others
        stays, apart, critical = everyone.copy(), ~everyone, np.nan
        if judged[best]:
            stays[judged], apart[judged], critical = all_together(
                cost[judged], draws[:, judged], int(judged[:best].sum()), coverage, number, resampled=resampled,
                own=None if own is None else own[judged], named=named, pairs=pairs)
        return Together(stays, apart, critical)
    if k < 3 and pairs == 1:
        return Together(~everyone, everyone, np.nan)
    # A cost that is infinite, here or on a resample, has no standard error. Such a model is ruled out where it costs
    # more than the cheapest one on every resample, and takes no part in the rest.
    defined = draws[~np.isnan(draws).any(axis=1)]
    if not len(defined):
        return Together(everyone, ~everyone, np.nan)
    finite = np.isfinite(cost) & np.isfinite(defined).all(axis=0)
    cheapest = int(np.argmin(cost))
    stays, apart = ~(defined > defined[:, [cheapest]]).all(axis=0), (defined != defined[:, [best]]).all(axis=0)
    all_pairs = _Pairs(cost[finite], defined[:, finite], None if own is None else own[finite], coverage, number,
                       resampled, pairs)
    stays[finite], critical = all_pairs.survivors()
    if finite[best]:
        rivals, limit = all_pairs.rivals(int(finite[:best].sum()))
        apart[finite], critical = rivals, limit if named else critical
    return Together(stays, apart, critical)


class _Pairs:
    """All pairs of models: their differences in standard errors, and the errors of these on the draws."""

    def __init__(self, cost: Any, draws: Any, own: Any, coverage: Any, number: Any, resampled: Any,
                 pairs: Any) -> None:
        self.cost, self.errors = cost, draws - cost
        self.coverage, self.number, self.pairs = coverage, number, pairs
        self.lacks = np.sqrt(number / (number - 1)) if resampled and number > 1 else 1.0
        squares = [np.mean(self._error(a, slice(None)) ** 2, axis=0) if own is None else
                   ((own - own[a]) ** 2).sum(axis=1) for a in range(len(cost))]
        self.scale = self.lacks * np.sqrt(squares)
        gap = cost[:, None] - cost
        gap[np.abs(gap) <= 1e-12 * np.maximum(np.abs(cost[:, None]), np.abs(cost))] = 0.0
        with np.errstate(divide="ignore", invalid="ignore"):  # no error, but a difference: it is certain
            self.t = np.where(gap == 0, 0.0, gap / self.scale)

    def _error(self, a: int, others: list[int] | slice) -> np.ndarray:
        """Errors of the differences between one model and others, on each draw; what is only rounding is none."""
        errors = self.errors[:, [a]] - self.errors[:, others]
        errors[np.abs(errors) <= 1e-12 * (np.abs(self.cost[a]) + np.abs(self.cost[others]))] = 0.0
        return errors

    def _largest(self, a: int, others: list[int]) -> np.ndarray:
        """The largest error among these pairs on each draw, in standard errors."""
        scale = self.scale[a, others]
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(scale > 0, np.abs(self._error(a, others)) / scale, 0.0).max(axis=1)

    def _limit(self, largest: np.ndarray, pairs: int) -> float:
        """How many standard errors are too many: the largest error's quantile, as Student's for so few units.

        Pairs with cases of their own have no joint draws, so there it is a quantile for so many of them (Bonferroni).
        So it is where units are few for so many models: few units look more alike than they are, and the largest
        error of many pairs is underestimated.
        """
        apart = ndtri(1 - (1 - self.coverage) / (2 * max(pairs, self.pairs)))
        if self.pairs > 1:
            return students(apart, self.number)
        joint = self.lacks * np.quantile(largest, self.coverage)
        few = pairs > 1 and self.number < max(LEAST_UNITS, UNITS_PER_MODEL * len(self.cost))
        return students(max(joint, apart) if few else joint, self.number)

    def survivors(self) -> tuple[np.ndarray, float]:
        """The models left when the worst is dropped as long as it is too far from another one; and the last limit."""
        k, alive, order, furthest = len(self.cost), list(range(len(self.cost))), [], []
        # In which order models would go: always the one that is furthest above another one that is still there.
        while len(alive) > 1:
            worst = self.t[np.ix_(alive, alive)].max(axis=1)
            at = int(np.lexsort((self.cost[alive], worst))[-1])
            furthest.append(worst[at])
            order.append(alive.pop(at))
        order += alive
        # The limit of each stage, from the last pair back to all of them: one more model, one maximum more.
        largest, limits = np.zeros(len(self.errors)), np.zeros(k)
        for stage in range(k - 2, -1, -1):
            largest = np.maximum(largest, self._largest(order[stage], order[stage + 1:]))
            limits[stage] = self._limit(largest, (k - stage) * (k - stage - 1) // 2)
        stage = next((stage for stage in range(k - 1) if furthest[stage] <= limits[stage]), k - 1)
        stays = np.zeros(k, bool)
        stays[order[stage:]] = True
        return stays, float(limits[min(stage, max(k - 2, 0))])

    def rivals(self, reference: int) -> tuple[np.ndarray, float]:
        """Which models differ from the reference by more than the largest error among all of its rivals."""
        others = [index for index in range(len(self.cost)) if index != reference]
        limit = self._limit(self._largest(reference, others), len(others)) if others else 0.0
        return np.abs(self.t[:, reference]) > limit, float(limit)


def pairs_of(models: int, named: bool) -> int:
    """How many pairs a table asks about: all of them, or those with a reference that was named beforehand.

    Examples
    --------
    >>> pairs_of(8, False), pairs_of(8, True), pairs_of(2, False)
    (28, 7, 1)
    """
    return models - 1 if named else models * (models - 1) // 2


def students(quantile: float, number: float) -> float:
    """A normal quantile as that of Student's law with ``number - 1`` degrees of freedom.

    Examples
    --------
    >>> round(students(1.96, 1e9), 3), round(students(1.96, 10), 3)
    (1.96, 2.262)
    """
    return max(float(-stdtrit(max(number - 1, 0.5), ndtr(-quantile))), 0.0)  # of zero some versions make -1e-17
