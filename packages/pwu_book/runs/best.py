"""How well a metric finds the best models: figures J.1 to J.3 of the PWU paper."""

from __future__ import annotations

from math import comb
from typing import Any

import numpy as np
import pandas as pd

from pwu_lite._ranks import snap

__all__ = ["of_the_best"]


def of_the_best(metrics: pd.DataFrame, utilities: pd.DataFrame, tie: float) -> pd.DataFrame:
    """Agreement of each metric with each utility on the best model and the best three, and Pearson's correlation.

    Parameters
    ----------
    metrics, utilities : DataFrame
        A row for each model, higher is better in both.
    tie : float
        Values that differ by less than this share of their size are tied.

    Returns
    -------
    DataFrame
        ``metric``, ``utility``, ``top1`` (the chance that the metric's best model, ties at random, is a best one),
        ``top3`` (expected Jaccard overlap of the best three; NaN with three models or fewer), ``pearson``. NaN where a
        column is constant.

    Examples
    --------
    >>> models = list("abcd")
    >>> found = of_the_best(pd.DataFrame({"m": [1, 2, 3, 4]}, models), pd.DataFrame({"u": [1, 2, 4, 3]}, models), 0.0)
    >>> found[["top1", "top3", "pearson"]].to_numpy().round(3).tolist()
    [[0.0, 1.0, 0.8]]
    """
    return pd.DataFrame([
        {"metric": name, "utility": utility, **_of_the_best(*(snap(column.to_numpy(float), tie) for column in (
            metrics[name], utilities.loc[metrics.index, utility])))}
        for name in metrics.columns for utility in utilities.columns])


def _of_the_best(better: np.ndarray, values: np.ndarray) -> dict[str, float]:
    """Agreement on the best model and the best three, and Pearson's correlation."""
    constant = np.ptp(better) == 0 or np.ptp(values) == 0
    nan = float("nan")
    return {
        "top1": nan if constant else _top1(better, values),
        "top3": nan if constant or better.size <= 3 else _top3(better, values),
        "pearson": nan if constant else float(np.corrcoef(_in_units(better), _in_units(values))[0, 1]),
    }


def _in_units(values: np.ndarray) -> np.ndarray:
    """Around one, so that no square is too large or too small."""
    return values / np.abs(values).max()


def _top1(better: np.ndarray, values: np.ndarray) -> float:
    chosen = better == better.max()
    return float(np.mean(values[chosen] == values.max()))


def _top3(better: np.ndarray, values: np.ndarray) -> float:
    """Expected Jaccard overlap of the two best threes over random orders of the ties."""
    sure, tied = _best_three(values)
    chosen_sure, chosen_tied = _best_three(better)
    free = 3 - chosen_sure.sum()
    pools = [np.count_nonzero(chosen_tied & group) for group in (sure, tied, ~(sure | tied))]
    total = 0.0
    for from_sure in range(free + 1):
        for from_tied in range(free + 1 - from_sure):
            ways = comb(pools[0], from_sure) * comb(pools[1], from_tied)
            ways *= comb(pools[2], free - from_sure - from_tied)
            if not ways:
                continue  # more than a pool holds
            certain = np.count_nonzero(chosen_sure & sure) + from_sure
            likely = np.count_nonzero(chosen_sure & tied) + from_tied
            total += ways * _expected_jaccard(certain, likely, tied.sum(), 3 - sure.sum())
    return float(total / comb(int(chosen_tied.sum()), int(free)))


def _expected_jaccard(certain: Any, likely: Any, pool: int, free: int) -> float:
    """Overlap of `certain` plus however many of `likely` are among `free` ones from the `pool`."""
    chances = [(comb(likely, hit) * comb(int(pool - likely), int(free - hit)), certain + hit)
               for hit in range(min(likely, free) + 1)]
    return sum(ways * both / (6 - both) for ways, both in chances) / comb(int(pool), int(free))


def _best_three(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Which models are surely among the best three, and which is tied for the last places."""
    third = np.sort(values)[-3]
    return values > third, values == third
