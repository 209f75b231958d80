"""From the stored tables of Part IV to the sentences of its chapters: medians, leads, and what is left on new data.

Imports tasks, priors, resampling; numpy, pandas.
Implements the reading of tables J.1 to J.4 and figures 2, J.1 to J.3, J.8, J.9 and K.1 of the PWU paper.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from ..priors import Prior
from ..resampling import paired_bootstrap
from .tasks import PERTURBED, Question

__all__ = ["LABELS", "averages", "beside", "counted", "expected", "lead", "medians", "over_datasets", "printed",
           "ranges", "resemblance", "shown"]

LABELS = {
    "log_loss": "Log loss", "gaussian_nll": "NLL", "brier_score": "Brier", "mean_squared_error": "MSE",
    "zero_one_loss": "0-1 loss", "expected_calibration_error": "ECE", "maximum_calibration_error": "MCE",
    "retention_auc": "R-AUC", "error_detection_auroc": "E-Det", "energy_score": "Energy score",
    "pwu_binary": "PWU binary", "pwu_top_k": "PWU top-k", "pwu_selective": "PWU selective",
    "pwu_risk_averse": "PWU risk-averse", "pwu_one_vs_rest": "PWU one-vs-rest", "pwu_per_output": "PWU per output",
    "log_loss_clipped": "Log loss, clipped", "clipped_brier": "Brier, clipped", "auroc": "AUROC",
    "average_precision": "Average precision", "crps_gaussian": "CRPS", "interval_score": "Interval score",
    "mean_absolute_calibration_error": "MACE", "random": "random numbers"}
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


def lead(alignment: pd.DataFrame, family: str, own: str, scheme: str = "same", value: str = "tau",
         among: Sequence[str] | None = None, resamples: int = 2000) -> pd.DataFrame:
    """How far a metric is ahead of the best other one, data set by data set.

    The rival is the one with the highest mean, chosen after the fact among those that are defined
    in at least half of the repeats. The interval is a paired
    bootstrap over repeats: repeats share their cases, so it covers the luck of folds and seeds
    and not that of another sample of cases.

    Parameters
    ----------
    own : str
        The metric whose lead it is.
    among : sequence of str, optional
        Possible rivals; all metrics of the table but random numbers, if not given.

    Returns
    -------
    DataFrame
        ``own``, ``rival``, ``rival_value``, ``lead``, ``low``, ``high``: means over the repeats
        in which both are defined, and a 95% interval.
    """
    wide = _wide(_rows(alignment, family, scheme), value)
    names = [name for name in (among or wide.columns) if name not in (own, "random")]
    rows = {}
    for dataset, part in wide.groupby(level="dataset"):
        there = part[names].notna() & part[[own]].notna().to_numpy()
        means = part[names].mean()[there.mean() >= 0.5]
        if means.empty:
            rows[dataset] = {"own": part[own].mean(), "rival": "-"}
            continue
        rival = means.idxmax()
        both = part[[own, rival]].dropna().to_numpy()
        gaps = both[:, 0] - both[:, 1]
        draws = paired_bootstrap(_mean_of(gaps), len(gaps), repeats=resamples)
        low, high = np.quantile(draws, [0.025, 0.975])
        rows[dataset] = {"own": both[:, 0].mean(), "rival": LABELS.get(rival, rival), "rival_value": both[:, 1].mean(),
                         "lead": gaps.mean(), "low": low, "high": high}
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("data set")


def counted(leads: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """On how many data sets a lead's interval is above zero, holds it, or is below; a row for each table of `lead`.

    Examples
    --------
    >>> table = pd.DataFrame({"lead": [0.2, 0.0, np.nan], "low": [0.1, -0.1, np.nan], "high": [0.3, 0.1, np.nan]})
    >>> counted({"own": table}).loc["own"].tolist()
    [1, 1, 0]
    """
    rows = {name: [(frame["low"] > 0).sum(), ((frame["low"] <= 0) & (frame["high"] >= 0)).sum(),
                   (frame["high"] < 0).sum()] for name, frame in leads.items()}
    return pd.DataFrame(list(rows.values()), pd.Index(list(rows)), ["ahead", "undecided", "behind"]).astype(int)


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


def _mean_of(values):
    return lambda chosen: values[chosen].mean()


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


def expected(curves: pd.DataFrame, question: Question, priors: Mapping[str, Sequence[Prior]]) -> pd.DataFrame:
    """Expected tau under each of several priors, from the stored curves.

    ``sum_i P(cell i) tau_i / sum_i P(cell i)`` over the cells where tau is defined.

    Returns
    -------
    DataFrame
        A row for each data set, repeat and metric, a column for each prior.
    """
    rows = curves[curves["family"] == question.name]
    tau = rows[[f"t{place}" for place in range(len(question.mass()))]].to_numpy(float)
    there = np.isfinite(tau)
    columns = {}
    for label, prior in priors.items():
        mass = question.mass(prior)
        weight = there @ mass
        with np.errstate(invalid="ignore"):
            columns[label] = np.where(there, tau, 0.0) @ mass / weight
    index = pd.MultiIndex.from_frame(rows[["dataset", "repeat", "metric"]])
    return pd.DataFrame(columns, index=index)
