"""What released code computes where it differs from its source's text. For comparison; never the right answer.

PWU paper: fortuinlab/prior-weighted-utilities at 94ab70d. UNIQUE: version 0.2.2 (commit afe98da).
Each function was written anew from a description of the behaviour.
"""

import numpy as np
from scipy.stats import norm


def selective_utility(price, y, mean, std):
    """Each abstained case is charged the price times the number of abstained cases."""
    y, mean, std = map(np.asarray, (y, mean, std))
    out = std**2 > price
    return -(np.sum((y - mean)[~out] ** 2) + out.sum() * price * out.sum()) / y.size


def expected_calibration_error(y, f, n_bins=10):
    """Bins [l, u) with edges from linspace; a forecast of exactly 1 falls out of the last one."""
    y, f = np.asarray(y), np.asarray(f)
    edges, total = np.linspace(0, 1, n_bins + 1), 0.0
    for low, high in zip(edges[:-1], edges[1:], strict=True):
        inside = (f >= low) & (f < high)
        if inside.any():
            total += inside.mean() * abs(y[inside].mean() - f[inside].mean())
    return total


def retention_auc(wrong, uncertainty, points=101):
    """Errors kept over all n cases (an oracle answers the rest), trapezoid over 101 shares."""
    wrong = np.asarray(wrong, float)[np.argsort(uncertainty, kind="stable")]
    shares = np.linspace(0, 1, points)
    kept = np.concatenate([[0.0], np.cumsum(wrong)])
    curve = [kept[round(share * wrong.size)] / wrong.size for share in shares]
    return float(np.sum((np.array(curve[1:]) + curve[:-1]) / 2) / (points - 1))


def retention_auc_regression(y, mean, std):
    """Targets and means are cut to whole numbers first."""
    error = (np.asarray(y).astype(int) - np.asarray(mean).astype(int)) ** 2.0
    order = np.argsort(std, kind="stable")
    return float(np.mean(np.cumsum(error[order]) / np.arange(1, error.size + 1)))


def strict_tau(a, b):
    """Kendall's tau of rankings without ties: tied models take the order of the table."""
    ranks = [np.argsort(np.argsort(values, kind="stable"), kind="stable") for values in (a, b)]
    pairs = [(i, j) for i in range(len(a)) for j in range(i)]
    signs = [np.sign((ranks[0][i] - ranks[0][j]) * (ranks[1][i] - ranks[1][j])) for i, j in pairs]
    return float(np.mean(signs))


def mace(mean, variance, y, strategy="uniform", levels=10):
    """UNIQUE: arguments swapped (uniform), or the standard deviation used as a variance (quantile)."""
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


def coefficient(curve, copies=14):
    """UNIQUE: each bin stands in the table 14 times, and the *positions* of decreases are added up."""
    values = np.repeat(curve, copies)
    return float(np.flatnonzero(values[1:] < values[:-1]).sum() / (values.size - 1))


def performance_drop(low, high):
    """UNIQUE: a ratio, where the documentation says difference."""
    return high / low
