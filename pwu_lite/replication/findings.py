"""From the stored tables of Part IV to the sentences of its chapters: medians, leads, and what is left on new data.

Implements the reading of tables J.1 to J.4 and figures 2, J.1 to J.3, J.8, J.9 and K.1 of the PWU paper.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from ..priors import Prior
from .tasks import PERTURBED, Question

__all__ = ["LABELS", "averages", "beside", "expected", "medians", "over_datasets", "printed", "ranges", "resemblance",
           "shown"]

LABELS = {
    "log_loss": "Log loss", "gaussian_nll": "NLL", "brier_score": "Brier", "mean_squared_error": "MSE",
    "zero_one_loss": "0-1 loss", "expected_calibration_error": "ECE", "maximum_calibration_error": "MCE",
    "retention_auc": "R-AUC", "error_detection_auroc": "E-Det", "energy_score": "Energy score",
    "pwu_binary": "PWU binary", "pwu_top_k": "PWU top-k", "pwu_selective": "PWU selective",
    "pwu_risk_averse": "PWU risk-averse", "pwu_one_vs_rest": "PWU one-vs-rest", "pwu_per_output": "PWU per output",
    "log_loss_clipped": "Log loss, clipped", "clipped_brier": "Brier, clipped", "auroc": "AUROC",
    "average_precision": "Average precision", "crps_gaussian": "CRPS", "interval_score": "Interval score",
    "mean_absolute_calibration_error": "MACE", "random": "random numbers",
    "itself": "the decision itself"}
LABELS |= {f"pwu_{family}_{level}": f"{LABELS[f'pwu_{family}']}, {level} prior"
           for family, levels in PERTURBED.items() for level in levels}
"""What the chapters call the metrics."""


def _rows(alignment, family, scheme):
    rows = alignment[(alignment["family"] == family) & (alignment["scheme"] == scheme)]
    if rows.empty:
        raise ValueError(f"the table has no rows of family {family!r} under scheme {scheme!r}")
    return rows


def _wide(rows, value):
    """Repeats of data sets in the rows, metrics in the columns, in the table's order."""
    wide = rows.pivot(index=["dataset", "repeat"], columns="metric", values=value)
    return wide[list(dict.fromkeys(rows["metric"]))]


def medians(alignment: pd.DataFrame, family: str, scheme: str = "same", value: str = "tau") -> pd.DataFrame:
    """Median over repeats, a row for each data set and a column for each metric; NaN where no repeat has a value.

    Raises
    ------
    ValueError
        The table has no such family or scheme.

    Examples
    --------
    >>> table = pd.DataFrame({"dataset": "a", "repeat": [0, 1, 2], "scheme": "same", "family": "binary",
    ...                       "metric": "brier_score", "tau": [0.1, 0.2, 0.6]})
    >>> medians(table, "binary").loc["a", "brier_score"].item()
    0.2
    """
    return _wide(_rows(alignment, family, scheme), value).groupby(level="dataset").median()


def printed(alignment: pd.DataFrame, family: str, scheme: str = "same", value: str = "tau") -> pd.DataFrame:
    """Median and 5% to 95% range over repeats as text, the way the paper prints them; a dash where undefined."""
    groups = _wide(_rows(alignment, family, scheme), value).groupby(level="dataset")
    middle, low, high = groups.median(), groups.quantile(0.05), groups.quantile(0.95)
    text = pd.DataFrame(index=middle.index, columns=middle.columns, dtype=object)
    for column in middle:
        text[column] = [_words(*values) for values in zip(middle[column], low[column], high[column], strict=True)]
    return text


def _words(middle, low, high):
    return "-" if np.isnan(middle) else f"{middle:.2f} [{low:.2f}, {high:.2f}]"


def beside(alignment: pd.DataFrame, paper: pd.DataFrame, family: str, scheme: str = "same") -> pd.DataFrame:
    """Ours above the paper's, data set by data set, in the paper's order of columns; text as `printed`."""
    ours, theirs = printed(alignment, family, scheme), paper[paper["family"] == family]
    columns = list(dict.fromkeys(theirs["metric"]))
    text = {(row.dataset, row.metric): _words(row.median, row.low, row.high) for row in
            theirs.itertuples()}
    rows = {}
    for dataset in dict.fromkeys(theirs["dataset"]):
        if dataset in ours.index:
            rows[dataset, "ours"] = ours.loc[dataset, columns]
        rows[dataset, "paper"] = pd.Series({metric: text[dataset, metric] for metric in columns})
    frame = pd.DataFrame(rows).T
    return shown(frame.rename_axis(["data set", ""]))


def ranges(alignment: pd.DataFrame, paper: pd.DataFrame, family: str) -> dict[str, dict[str, pd.DataFrame]]:
    """What `beside` prints, as numbers: for each data set and table, a row a metric with median, low and high.

    Examples
    --------
    >>> table = pd.DataFrame({"dataset": "a", "repeat": [0, 1, 2], "scheme": "same", "family": "binary",
    ...                       "metric": "brier_score", "tau": [0.1, 0.2, 0.6]})
    >>> printed = pd.DataFrame({"family": "binary", "dataset": "a", "metric": "brier_score", "median": 0.3,
    ...                         "low": 0.2, "high": 0.4}, index=[0])
    >>> ranges(table, printed, "binary")["a"]["ours"].loc["Brier", "median"].item()
    0.2
    """
    groups = _wide(_rows(alignment, family, "same"), "tau").groupby(level="dataset")
    ours = {"median": groups.median(), "low": groups.quantile(0.05), "high": groups.quantile(0.95)}
    theirs = paper[paper["family"] == family]
    columns = list(dict.fromkeys(theirs["metric"]))
    found = {}
    for dataset in dict.fromkeys(theirs["dataset"]):
        rows = theirs[theirs["dataset"] == dataset].set_index("metric").loc[columns, ["median", "low", "high"]]
        found[dataset] = {"paper": shown(rows)}
        if dataset in ours["median"].index:
            own = pd.DataFrame({name: frame.loc[dataset, columns] for name, frame in ours.items()})
            found[dataset] = {"ours": shown(own), **found[dataset]}
    return found


def shown(frame: pd.DataFrame) -> pd.DataFrame:
    """Metrics in the columns (or rows) under the names that the chapters use."""
    return frame.rename(columns=LABELS, index=LABELS)


def resemblance(alignment: pd.DataFrame, paper: pd.DataFrame, family: str,
                schemes: Sequence[str] = ("same", "released")) -> pd.DataFrame:
    """How alike our table and the paper's are, over the cells that are defined under every scheme.

    Returns
    -------
    DataFrame
        A row for each scheme: ``correlation`` and ``mean gap`` (absolute) of the medians, the number of
        ``cells``, and of those whose ranges (5% to 95% of the repeats) do not overlap, ``ranges apart``.
    """
    theirs = paper[paper["family"] == family].set_index(["dataset", "metric"])[["median", "low", "high"]]
    ours = {}
    for scheme in schemes:
        groups = _wide(_rows(alignment, family, scheme), "tau").groupby(level="dataset")
        parts = {"median": groups.median(), "low": groups.quantile(0.05), "high": groups.quantile(0.95)}
        ours[scheme] = pd.DataFrame({name: part.stack() for name, part in parts.items()})
    cells = theirs.index
    for frame in ours.values():
        cells = cells.intersection(frame.dropna().index)
    theirs, rows = theirs.loc[cells], {}
    for scheme, frame in ours.items():
        own = frame.loc[cells]
        rows[scheme] = {"correlation": own["median"].corr(theirs["median"]),
                        "mean gap": (own["median"] - theirs["median"]).abs().mean(), "cells": len(cells),
                        "ranges apart": ((own["low"] > theirs["high"]) | (own["high"] < theirs["low"])).sum()}
    return pd.DataFrame.from_dict(rows, orient="index")


def averages(alignment: pd.DataFrame, family: str, schemes: Sequence[str], value: str = "tau") -> pd.DataFrame:
    """Mean over repeats, then over data sets; a row for each metric, a column for each scheme."""
    return pd.DataFrame({scheme: _wide(_rows(alignment, family, scheme), value).groupby(level="dataset").mean().mean()
                         for scheme in schemes})


def over_datasets(alignment: pd.DataFrame, family: str, value: str = "tau", scheme: str = "same") -> pd.DataFrame:
    """Mean over the data sets of each repeat that all of them have: what the paper's box plots average.

    A row for each repeat and a column for each metric; a data set where the metric is not
    defined in that repeat is left out of the mean.
    """
    rows = _rows(alignment, family, scheme)
    common = rows.groupby("dataset")["repeat"].nunique().min()
    return _wide(rows[rows["repeat"] < common], value).groupby(level="repeat").mean()


def expected(curves: pd.DataFrame, question: Question, priors: Mapping[str, Sequence[Prior]],
             value: str = "tau", scheme: str = "same") -> pd.DataFrame:
    """Expected agreement under each of several priors, from the stored curves.

    ``sum_i P(cell i) tau_i / sum_i P(cell i)`` over the cells where tau (or Somers' d) is defined.

    Returns
    -------
    DataFrame
        A row for each data set and metric, a column for each prior.
    """
    rows = curves[(curves["family"] == question.name) & (curves["value"] == value) & (curves["scheme"] == scheme)]
    tau = rows[[f"t{place}" for place in range(len(question.mass()))]].to_numpy(float)
    there = np.isfinite(tau)
    columns = {}
    for label, prior in priors.items():
        mass = question.mass(prior)
        weight = there @ mass
        with np.errstate(invalid="ignore"):
            columns[label] = np.where(there, tau, 0.0) @ mass / weight
    return pd.DataFrame(columns, index=pd.MultiIndex.from_frame(rows[["dataset", "metric"]]))
