"""From the table of the run to what the chapter says.

Implements no part of a source; it asks what section 5.1 of the PWU paper leaves open.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

__all__ = ["gains", "shares"]


def shares(table: pd.DataFrame, arm: str = "as trained") -> pd.DataFrame:
    """Expected regret as a share of a random choice's: rows by family, source and n, and a column for each score.

    Means over the training draws are divided, not the single draws' ratios.

    Parameters
    ----------
    table : DataFrame
        Table ``few_labels.csv.gz``.
    arm : {"as trained", "private", "copies"}
        Default "as trained".
    """
    rows = table[table["arm"] == arm].groupby(["family", "source", "n", "score"])[["regret", "chance"]].mean()
    return (rows["regret"] / rows["chance"]).unstack("score")


def gains(table: pd.DataFrame, score: str, rival: str, arm: str = "as trained") -> pd.DataFrame:
    """Reduction of expected regret by a score compared with a rival, as a share of a random choice's regret.

    Parameters
    ----------
    table : DataFrame
        Table ``few_labels.csv.gz``.
    score, rival : str
        Names of the two scores.
    arm : {"as trained", "private", "copies"}
        Default "as trained".

    Returns
    -------
    DataFrame
        A row for each family, source and n: ``median`` (the estimate), ``low`` and ``high``: two standard errors by the
        jackknife over training draws, so for other training samples and labels from the same source.

    Examples
    --------
    >>> table = pd.DataFrame([("s", "binary", "as trained", draw, 30, score, regret, 1.0) for draw in range(3)
    ...                       for score, regret in (("a", .2), ("b", .5))],
    ...                      columns=["source", "family", "arm", "draw", "n", "score", "regret", "chance"])
    >>> gains(table, "a", "b")["median"].round(3).tolist()
    [0.3]
    """
    kept = table[(table["arm"] == arm) & table["score"].isin([score, rival])]
    wide = kept.pivot(index=["family", "source", "n", "draw"], columns="score", values="regret")
    chances = kept.groupby(wide.index.names)["chance"].first()
    parts = pd.DataFrame({"less": wide[rival] - wide[score], "chance": chances})
    rows = {}
    for key, part in parts.groupby(level=["family", "source", "n"]):
        less, chance = part["less"].to_numpy(), part["chance"].to_numpy()
        whole, number = less.sum() / chance.sum(), len(part)
        without = (less.sum() - less) / (chance.sum() - chance)
        error = np.sqrt((number - 1) / number * ((without - without.mean()) ** 2).sum())
        rows[key] = {"median": whole, "low": whole - 2 * error, "high": whole + 2 * error}
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis(["family", "source", "n"])
