"""Is a model cheaper for every reader? Bets at all cost shares at once, valid at every look.

Implements Murphy diagrams as tests: a mean of e-processes is an e-process (Ville; Vovk and Wang, 2021).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from pwu_lite import validation
from pwu_lite.families import BinaryDecision

from .watch import Watch

__all__ = ["Dominance", "dominance"]


@dataclass(frozen=True)
class Dominance:
    """Fortunes of two players, each betting on one of two models, at each cost share: see `dominance`.

    Attributes
    ----------
    curve : DataFrame
        A row for each cost share; a column for each model, with the fortune of a player who bets that it is the
        cheaper one there.
    level : float
    """

    curve: pd.DataFrame
    level: float

    @property
    def for_some(self) -> pd.Series:
        """Evidence that a model is cheaper for some reader, so that the other does not dominate it: mean fortunes."""
        return self.curve.mean()

    @property
    def for_all(self) -> pd.Series:
        """Evidence that a model is cheaper for every reader of these cost shares: the least fortunes."""
        return self.curve.min()

    @property
    def verdict(self) -> str:
        """What is established, in words."""
        enough, (one, two) = 2 / (1 - self.level), self.curve.columns
        for name in (one, two):
            if self.for_all[name] >= enough:
                return f"{name} is cheaper at each of these cost shares"
        known = [name for name in (one, two) if self.for_some[name] >= enough]
        if len(known) == 2:
            return "each model is cheaper for some reader: neither dominates the other"
        if known:
            other = two if known[0] == one else one
            return f"{known[0]} is cheaper for some reader, and {other} is not established to be cheaper for any"
        return "neither model is established to be cheaper for any reader"


def dominance(y_true: ArrayLike, models: Any, *, costs: ArrayLike | None = None, level: float = 0.95,
              groups: Any = None) -> Dominance:
    """Test at all cost shares at once which of two forecasts is cheaper, at any time that one cares to look.

    At each cost share c two players bet as in `Watch`. A player's fortune is at most 1 on average as long as that
    player's model, given the past, is not cheaper there. So the mean of the fortunes over c tests "the other model is
    at least as cheap for everyone", and the smallest of them tests "for someone". Each of the two directions has half
    of ``1 - level``. The verdict is that of the current fortunes, so a later look may withdraw it, and the chance that
    any look errs is at most ``1 - level``.

    Parameters
    ----------
    y_true : array_like, shape (n,)
        Labels in {0, 1}, in the order in which they came.
    models : mapping of name to array_like, shape (n,)
        Two forecasts: probabilities of label 1.
    costs : array_like, optional
        Cost shares of a false alarm, in (0, 1), fixed beforehand; default 0.01 to 0.99 in steps of 0.01.
    level : float
        Chance that no verdict errs, at all looks together; default 0.95.
    groups : array_like, shape (n,), optional
        Patients, sites or days: the mean difference of each is one unit.

    Raises
    ------
    ValueError
        Bad input, or not two models.

    References
    ----------
    Ehm, Gneiting, Jordan and Krueger (2016) on dominance; Vovk and Wang (2021) on means of e-values.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(20_000)
    >>> y = (rng.random(20_000) < p).astype(int)
    >>> dominance(y, {"sharp": p, "vague": 0.5 * p + 0.25}, costs=[0.1, 0.2, 0.8, 0.9]).verdict
    'sharp is cheaper at each of these cost shares'
    """
    forecasts = validation.named_forecasts(models)
    if len(forecasts) != 2:
        raise ValueError(f"dominance compares two models, got {len(forecasts)}")
    shares = validation.check_thetas("costs", np.linspace(0.01, 0.99, 99) if costs is None else costs, 0, 1)
    validation.same_order_of_models(forecasts, y_true=y_true, groups=groups)
    family, (one, two) = BinaryDecision(), forecasts
    read = [family.read(y_true, *forecast) for forecast in forecasts.values()]
    rows = []
    for c in shares:
        first, second = (family.cost(c, *data) for data in read)
        rows.append(Watch(max(c, 1 - c), level).update(first, second, groups=groups).evidence)
    return Dominance(pd.DataFrame(rows, pd.Index(shares, name="c"), [one, two]), level)
