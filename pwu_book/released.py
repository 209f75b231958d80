"""What released code computes where it differs from its source's text. For comparison; never the right answer.

Implements the behaviour of fortuinlab/prior-weighted-utilities at 94ab70d (PWU paper) and of
UNIQUE 0.2.2 (commit afe98da), each function written anew from a description.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import norm

__all__ = ["abstentions", "coefficient", "credit_bill", "credit_costs", "expected_calibration_error",
           "lending_utility", "log_loss", "mace", "maximum_calibration_error", "performance_drop",
           "retention_auc", "retention_auc_regression", "risk_averse_utility", "selective_utility",
           "strict_tau", "top_k_utility"]


def log_loss(y: Any, f: Any) -> float:
    """Log loss with probabilities clipped at 2.2e-16, as scikit-learn does it.

    Examples
    --------
    >>> round(log_loss([1], [0.0]), 4)
    36.0437
    """
    y, f = np.asarray(y), np.asarray(f, dtype=float)
    chance = np.clip(np.where(y == 1, f, 1 - f), np.finfo(float).eps, 1)
    return float(-np.log(chance).mean())


def selective_utility(price: float, y: Any, mean: Any, std: Any) -> float:
    """Selective prediction; each abstained case is charged the price times the number of abstained cases.

    Examples
    --------
    >>> selective_utility(0.1, [0.0, 0.0], [0.0, 0.0], [1.0, 1.0])
    -0.2
    """
    y, mean, std = map(np.asarray, (y, mean, std))
    out = std**2 > price
    return -float(np.sum((y - mean)[~out] ** 2) + out.sum() * price * out.sum()) / y.size


def top_k_utility(k: int, y: Any, f: Any) -> float:
    """Precision of the first k; tied cases in the order of the rows.

    Examples
    --------
    >>> top_k_utility(1, [0, 1], [0.5, 0.5]), top_k_utility(1, [1, 0], [0.5, 0.5])
    (0.0, 1.0)
    """
    first = np.argsort(-np.asarray(f), kind="stable")[:k]
    return float(np.asarray(y)[first].mean())


def risk_averse_utility(k: int, gamma: float, y: Any, mean: Any, std: Any) -> float:
    """Mean of ``y - gamma std**2`` of the first k by ``mean - gamma std**2``; ties in the order of the rows.

    Examples
    --------
    >>> risk_averse_utility(1, 2.0, [3.0, 1.0], [2.0, 1.0], [1.0, 0.1])
    0.98
    """
    y, mean, charge = np.asarray(y), np.asarray(mean), gamma * np.asarray(std) ** 2
    first = np.argsort(-(mean - charge), kind="stable")[:k]
    return float((y - charge)[first].mean())


def expected_calibration_error(y: Any, f: Any, n_bins: int = 10) -> float:
    """Bins [l, u) with edges from linspace; a forecast of exactly 1 falls out of the last one.

    Examples
    --------
    >>> expected_calibration_error([0, 0], [1.0, 1.0])
    0.0
    """
    return float(sum(share * gap for share, gap in _bins(y, f, n_bins)))


def maximum_calibration_error(y: Any, f: Any, n_bins: int = 10) -> float:
    """The largest gap of the same bins.

    Raises
    ------
    ValueError
        All forecasts are exactly 1, so no bin is left.

    Examples
    --------
    >>> maximum_calibration_error([0, 0], [0.25, 1.0])
    0.25
    """
    return float(max(gap for _, gap in _bins(y, f, n_bins)))


def _bins(y, f, n_bins):
    """Share of the cases, and gap, of each bin that is not empty."""
    y, f = np.asarray(y), np.asarray(f)
    edges = np.linspace(0, 1, n_bins + 1)
    inside = [(f >= low) & (f < high) for low, high in zip(edges[:-1], edges[1:], strict=True)]
    return [(rows.mean(), abs(y[rows].mean() - f[rows].mean())) for rows in inside if rows.any()]


def retention_auc(wrong: Any, uncertainty: Any, points: int = 101) -> float:
    """Errors kept over all n cases (an oracle answers the rest), trapezoid over 101 shares.

    Of tied cases the first rows are handed to the oracle first.

    Examples
    --------
    >>> round(retention_auc([1, 0], [0.2, 0.1]), 4)
    0.1275
    """
    wrong = np.asarray(wrong, float)[np.argsort(-np.asarray(uncertainty), kind="stable")][::-1]
    shares = np.linspace(0, 1, points)
    kept = np.concatenate([[0.0], np.cumsum(wrong)])
    curve = [kept[round(share * wrong.size)] / wrong.size for share in shares]
    return float(np.sum((np.array(curve[1:]) + curve[:-1]) / 2) / (points - 1))


def retention_auc_regression(y: Any, mean: Any, std: Any) -> float:
    """As `retention_auc`, with the squared error of targets and means that are cut to whole numbers first.

    Examples
    --------
    >>> retention_auc_regression([0.9, 0.1], [0.2, 0.7], [1.0, 2.0])
    0.0
    """
    error = (np.asarray(y).astype(int) - np.asarray(mean).astype(int)) ** 2.0
    return retention_auc(error, std)


def strict_tau(a: Any, b: Any) -> float:
    """Kendall's tau of rankings without ties: tied models take the order of the table.

    Values that differ by rounding alone are ranked, too.

    Examples
    --------
    >>> strict_tau([1, 2, 3], [7, 7, 7])
    1.0
    """
    ranks = [np.argsort(np.argsort(np.asarray(values), kind="stable"), kind="stable") for values in (a, b)]
    upper = np.triu_indices(len(ranks[0]), 1)
    signs = [np.sign(np.subtract.outer(rank, rank)[upper]) for rank in ranks]
    return float(np.mean(signs[0] * signs[1]))


def credit_costs(income: Any, debt: Any, y: Any, *, rate: float, funds: float, cap: float,
                 months: int = 24) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Miss, alarm and threshold of each customer: rates a year used as a month's, no filter, no cost held above zero.

    The average line and the share of defaults come from all customers, those that are scored too. A debt
    above one gives a negative line, and a threshold may lie anywhere.

    Examples
    --------
    >>> miss, alarm, threshold = credit_costs([3000, 3000], [0.2, 1.5], [0, 0], rate=0.0479, funds=0.0294, cap=25_000)
    >>> threshold.round(2).tolist()
    [0.32, 0.17]
    """
    a, b = (share / (1 - (1 + share) ** -months) for share in (rate, funds))
    income, debt, rho, bad = np.asarray(income, float), np.asarray(debt, float), a / b - 1, np.mean(y)
    line = np.minimum(np.minimum(3 * income, cap), income * (1 - debt) / a)
    alarm = rho * line + line.mean() * (0.75 * bad - (1 - bad) * rho)
    return 0.75 * line, alarm, alarm / (alarm + 0.75 * line)


def credit_bill(y: Any, f: Any, costs: tuple[np.ndarray, np.ndarray, np.ndarray]) -> float:
    """Mean cost with `credit_costs`; declined from the threshold on.

    Examples
    --------
    >>> credit_bill([1, 0], [0.5, 0.5], (np.array([10.0, 10.0]), np.array([1.0, 1.0]), np.array([0.5, 0.6])))
    0.0
    """
    miss, alarm, threshold = costs
    declined = np.asarray(f) >= threshold
    return float(np.where(np.asarray(y) == 1, miss * ~declined, alarm * declined).mean())


def lending_utility(good: Any, p: Any, amount: Any, rate: Any, months: Any, *, budget: float,
                    funds: float = 0.0294) -> tuple[int, float]:
    """How many whole loans the budget buys, safest first, and what they earn: rates a year used as a month's.

    The purchase stops at the first loan that does not fit. A good loan earns its interest, a bad one loses all of
    its principal. Tied loans are taken in the order of the rows.

    Examples
    --------
    >>> bought, earned = lending_utility([1, 1], [0.9, 0.8], [10_000, 8000], [0.2, 0.2], [36, 36], budget=15_000)
    >>> bought, round(earned / 10_000, 2)
    (1, 3.41)
    """
    rate, months, amount = (np.asarray(values, dtype=float) for values in (rate, months, amount))
    interest = rate / (1 - (1 + rate) ** -months) / (funds / (1 - (1 + funds) ** -months)) - 1
    left, bought, earned = float(budget), 0, 0.0
    for place in np.argsort(-np.asarray(p), kind="stable"):
        if amount[place] > left:
            break
        left, bought = left - amount[place], bought + 1
        earned += amount[place] * (interest[place] if good[place] else -1.0)
    return bought, float(earned)


def mace(mean: Any, variance: Any, y: Any, strategy: str = "uniform", levels: int = 10) -> tuple[float, float]:
    """UNIQUE: arguments swapped (uniform), or the standard deviation used as a variance (quantile).

    Examples
    --------
    >>> mace([1.0, 2.0], [1.0, 1.0], [1.0, 3.0])[0] > 0
    True
    """
    mean, variance, y = map(np.asarray, (mean, variance, y))
    std, grid = np.sqrt(variance), np.linspace(0, 1, levels)
    if strategy == "uniform":
        z = (mean - std) / np.sqrt(y)
        observed = [np.mean((z >= norm.ppf(0.5 - q / 2)) & (z <= norm.ppf(0.5 + q / 2))) for q in grid]
    else:
        z = (mean - y) / np.sqrt(std)
        observed = [np.mean(z <= norm.ppf(q)) for q in grid]
    gaps = np.array(observed) - grid
    return float(np.mean(np.abs(gaps))), float(np.sqrt(np.mean(gaps**2)))


def abstentions(payoffs: Any) -> np.ndarray:
    """The hours that figure J.4 marks with a circle: a payoff of exactly zero, whatever was bid.

    Examples
    --------
    >>> abstentions([0.0, -3.0, 12.0]).tolist()
    [True, False, False]
    """
    return np.asarray(payoffs) == 0


def coefficient(curve: Any, copies: int = 14) -> float:
    """UNIQUE: each bin stands in the table 14 times, and the *positions* of decreases are added up.

    Examples
    --------
    >>> coefficient([1.0, 2.0, 3.0])
    0.0
    """
    values = np.repeat(curve, copies)
    return float(np.flatnonzero(values[1:] < values[:-1]).sum() / (values.size - 1))


def performance_drop(low: float, high: float) -> float:
    """UNIQUE: a ratio, where the documentation says difference.

    Examples
    --------
    >>> performance_drop(2.0, 3.0)
    1.5
    """
    return high / low
