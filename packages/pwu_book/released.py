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

    Parameters
    ----------
    y : array_like, shape (n,)
        Labels 0 and 1.
    f : array_like, shape (n,)
        Forecast probabilities of a 1, in [0, 1].

    Examples
    --------
    >>> round(log_loss([1], [0.0]), 4)
    36.0437
    """
    y, f = np.asarray(y), np.asarray(f, dtype=float)
    chance = np.clip(np.where(y == 1, f, 1 - f), np.finfo(float).eps, 1)
    return float(-np.log(chance).mean())


def selective_utility(price: float, y: Any, mean: Any, std: Any) -> float:
    """Utility of selective prediction where each abstention is charged the price times the number of abstentions.

    Parameters
    ----------
    price : float
        Price of an abstention, in the squared unit of the targets.
    y : array_like, shape (n,)
        Targets.
    mean, std : array_like, shape (n,)
        Predictive means and standard deviations, in the unit of the targets.

    Examples
    --------
    >>> selective_utility(0.1, [0.0, 0.0], [0.0, 0.0], [1.0, 1.0])
    -0.2
    """
    y, mean, std = map(np.asarray, (y, mean, std))
    out = std**2 > price
    return -float(np.sum((y - mean)[~out] ** 2) + out.sum() * price * out.sum()) / y.size


def top_k_utility(k: int, y: Any, f: Any) -> float:
    """Precision of the first k, with tied cases in the order of the rows.

    Parameters
    ----------
    k : int
        Number of cases picked, from 1 to n.
    y : array_like, shape (n,)
        Labels 0 and 1.
    f : array_like, shape (n,)
        Forecast probabilities of a 1, in [0, 1].

    Examples
    --------
    >>> top_k_utility(1, [0, 1], [0.5, 0.5]), top_k_utility(1, [1, 0], [0.5, 0.5])
    (0.0, 1.0)
    """
    first = np.argsort(-np.asarray(f), kind="stable")[:k]
    return float(np.asarray(y)[first].mean())


def risk_averse_utility(k: int, gamma: float, y: Any, mean: Any, std: Any) -> float:
    """Mean of ``y - gamma std**2`` of the first k by ``mean - gamma std**2``, with ties in the order of the rows.

    Parameters
    ----------
    k : int
        Number of cases picked, from 1 to n.
    gamma : float
        Aversion to risk, in the inverse unit of the targets.
    y : array_like, shape (n,)
        Targets.
    mean, std : array_like, shape (n,)
        Predictive means and standard deviations, in the unit of the targets.

    Examples
    --------
    >>> risk_averse_utility(1, 2.0, [3.0, 1.0], [2.0, 1.0], [1.0, 0.1])
    0.98
    """
    y, mean, charge = np.asarray(y), np.asarray(mean), gamma * np.asarray(std) ** 2
    first = np.argsort(-(mean - charge), kind="stable")[:k]
    return float((y - charge)[first].mean())


def expected_calibration_error(y: Any, f: Any, n_bins: int = 10) -> float:
    """Expected calibration error over bins [l, u) with edges from linspace; a forecast of exactly 1 is in no bin.

    Parameters
    ----------
    y : array_like, shape (n,)
        Labels 0 and 1.
    f : array_like, shape (n,)
        Forecast probabilities of a 1, in [0, 1].
    n_bins : int
        Number of bins, default 10.

    Examples
    --------
    >>> expected_calibration_error([0, 0], [1.0, 1.0])
    0.0
    """
    return float(sum(share * gap for share, gap in _bins(y, f, n_bins)))


def maximum_calibration_error(y: Any, f: Any, n_bins: int = 10) -> float:
    """The largest gap in the bins of `expected_calibration_error`.

    Parameters
    ----------
    y : array_like, shape (n,)
        Labels 0 and 1.
    f : array_like, shape (n,)
        Forecast probabilities of a 1, in [0, 1].
    n_bins : int
        Number of bins, default 10.

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
    """Area under the curve of errors kept over all n cases, by the trapezoid rule over equally spaced shares.

    An oracle answers the cases that are not kept.

    Of tied cases the first rows are handed to the oracle first.

    Parameters
    ----------
    wrong : array_like, shape (n,)
        Error of each case, such as 0 or 1.
    uncertainty : array_like, shape (n,)
        Cases with larger values are handed to the oracle first.
    points : int
        Number of shares, at least 2; default 101.

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
    """`retention_auc` of the squared errors of targets and means that are cut to whole numbers first.

    Parameters
    ----------
    y : array_like, shape (n,)
        Targets.
    mean, std : array_like, shape (n,)
        Predictive means and standard deviations, in the unit of the targets.

    Examples
    --------
    >>> retention_auc_regression([0.9, 0.1], [0.2, 0.7], [1.0, 2.0])
    0.0
    """
    error = (np.asarray(y).astype(int) - np.asarray(mean).astype(int)) ** 2.0
    return retention_auc(error, std)


def strict_tau(a: Any, b: Any) -> float:
    """Kendall's tau of rankings without ties, where tied models take the order of the table.

    Values that differ by rounding alone are ranked as well.

    Parameters
    ----------
    a, b : array_like, shape (m,)
        Two values of each model, such as a metric and a utility.

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
    """Cost of a miss, cost of an alarm and threshold of each customer, with yearly rates used as monthly ones.

    There is neither a filter nor a lower bound of zero on the costs.

    The average line and the share of defaults come from all customers, also from those that are scored. A debt
    above one gives a negative line, and a threshold may lie anywhere.

    Parameters
    ----------
    income : array_like, shape (n,)
        Monthly income.
    debt : array_like, shape (n,)
        Share of the income that older debts take.
    y : array_like, shape (n,)
        Labels, 1 for a default.
    rate : float
        What the customer pays per year, as a share (0.05, not 5).
    funds : float
        What the bank pays for the money per year, as a share.
    cap : float
        Largest credit line, in the unit of the income.
    months : int
        Term, default 24.

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
    """Mean cost with `credit_costs`, where a customer at or above the threshold is declined.

    Parameters
    ----------
    y : array_like, shape (n,)
        Labels, 1 for a default.
    f : array_like, shape (n,)
        Forecast probabilities of a default, in [0, 1].
    costs : tuple of three ndarrays, shape (n,) each
        Cost of a miss, cost of an alarm and threshold, from `credit_costs`.

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
    """Number of whole loans that the budget buys, safest first, and what they earn; yearly rates are used as monthly.

    The purchase stops at the first loan that does not fit. A good loan earns its interest, a bad one loses all of
    its principal. Tied loans are taken in the order of the rows.

    Parameters
    ----------
    good : array_like, shape (n,)
        Labels, 1 for a loan that is paid back.
    p : array_like, shape (n,)
        Forecast probabilities of a 1, in [0, 1].
    amount : array_like, shape (n,)
        Principal of each loan, in the unit of the budget.
    rate : array_like, shape (n,)
        Interest per year, as a share (0.14, not 14).
    months : array_like, shape (n,)
        Terms.
    budget : float
        Money to spend.
    funds : float
        What the money earns elsewhere per year, as a share; default 0.0294.

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
    """UNIQUE's mean absolute and root mean squared calibration error, as its code computes them.

    Its arguments are swapped (uniform), or the standard deviation is used as a variance (quantile).

    Parameters
    ----------
    mean, variance : array_like, shape (n,)
        Predictive means and variances.
    y : array_like, shape (n,)
        Targets; positive for the strategy "uniform".
    strategy : {"uniform", "quantile"}
        Default "uniform".
    levels : int
        Number of levels from 0 to 1, default 10.

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
    """Mask of the hours that figure J.4 marks with a circle: a payoff of exactly zero, whatever was bid.

    Parameters
    ----------
    payoffs : array_like, shape (n,)
        Payoff of each hour.

    Examples
    --------
    >>> abstentions([0.0, -3.0, 12.0]).tolist()
    [True, False, False]
    """
    return np.asarray(payoffs) == 0


def scores_of_classes(mean: Any, variance: Any, y: Any) -> list[float]:
    """UNIQUE's scores of classes as its evaluation calls them: each is handed a variance that it does not take.

    Parameters
    ----------
    mean, variance : array_like, shape (n,)
        Predicted probability, and its variance.
    y : array_like, shape (n,)
        Zeros and ones.

    Raises
    ------
    TypeError
        Always.

    Examples
    --------
    >>> scores_of_classes([0.5], [0.1], [1])
    Traceback (most recent call last):
        ...
    TypeError: scores_of_classes.<locals>.brier() got an unexpected keyword argument 'y_variance'
    """
    def brier(y_pred, y_true):
        return float(np.mean((np.asarray(y_pred) - np.asarray(y_true)) ** 2))

    def crps(y_pred, y_true):  # of a forecast that is one number: the absolute error
        return float(np.mean(np.abs(np.asarray(y_pred) - np.asarray(y_true))))

    scores: list[Any] = [brier, crps]
    return [score(mean, y, y_variance=variance) for score in scores]


def coefficient(curve: Any, copies: int = 14) -> float:
    """UNIQUE's increasing or decreasing coefficient, which adds up the *positions* of decreases.

    Each bin stands in the table 14 times.

    Parameters
    ----------
    curve : array_like, shape (m,)
        Error in each bin.
    copies : int
        How often each bin is repeated, default 14.

    Examples
    --------
    >>> coefficient([1.0, 2.0, 3.0])
    0.0
    """
    values = np.repeat(curve, copies)
    return float(np.flatnonzero(values[1:] < values[:-1]).sum() / (values.size - 1))


def performance_drop(low: float, high: float) -> float:
    """UNIQUE's performance drop, a ratio where the documentation says difference.

    Parameters
    ----------
    low, high : float
        Errors of the cases with low and with high uncertainty.

    Examples
    --------
    >>> performance_drop(2.0, 3.0)
    1.5
    """
    return high / low
