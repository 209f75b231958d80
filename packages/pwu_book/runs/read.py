"""From the stored tables to the sentences of the pages: medians, leads, their uncertainty by source, and verdicts.

Implements the reading of tables J.1 to J.4 and figures 2, J.1 to J.3, J.8, J.9 and K.1 of the PWU paper, and what
they leave open.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from pwu_lite.priors import Prior

from .tasks import AS_FORECAST, PERTURBED, Question

__all__ = ["LABELS", "LEVEL", "WORDS", "against", "anew", "averages", "beside", "between", "counted", "expected",
           "five", "leads", "medians", "over_datasets", "printed", "ranges", "resemblance", "shown", "sources",
           "verdict", "with_a_clear_first"]

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

    Parameters
    ----------
    alignment : DataFrame
        Table ``*_alignment`` of a task.
    family : str
        Name of the decision family.
    scheme : str
        Scheme of folds, one that the table has; default "same".
    value : str
        Column of the table, default "tau".

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
    """Median and 5% to 95% range over repeats as text, the way the paper prints them; a dash where undefined.

    Parameters
    ----------
    alignment : DataFrame
        Table ``*_alignment`` of a task.
    family : str
        Name of the decision family.
    scheme : str
        Scheme of folds, one that the table has; default "same".
    value : str
        Column of the table, default "tau".
    """
    groups = _wide(_rows(alignment, family, scheme), value).groupby(level="dataset")
    middle, low, high = groups.median(), groups.quantile(0.05), groups.quantile(0.95)
    text = pd.DataFrame(index=middle.index, columns=middle.columns, dtype=object)
    for column in middle:
        text[column] = [_words(*values) for values in zip(middle[column], low[column], high[column], strict=True)]
    return text


def _words(middle, low, high):
    return "-" if np.isnan(middle) else f"{middle:.2f} [{low:.2f}, {high:.2f}]"


def beside(alignment: pd.DataFrame, paper: pd.DataFrame, family: str, scheme: str = "same") -> pd.DataFrame:
    """Our medians and ranges above the paper's, data set by data set, as the text that `printed` gives.

    The columns have the paper's order.

    Parameters
    ----------
    alignment : DataFrame
        Table ``*_alignment`` of a task.
    paper : DataFrame
        The paper's printed tables, ``paper_tables.csv``.
    family : str
        Name of the decision family.
    scheme : str
        Scheme of folds, one that the table has; default "same".
    """
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
    """The numbers that `beside` prints: for each data set and table, a row per metric with median, low and high.

    Parameters
    ----------
    alignment : DataFrame
        Table ``*_alignment`` of a task.
    paper : DataFrame
        The paper's printed tables, ``paper_tables.csv``.
    family : str
        Name of the decision family.

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
    """Rename the metrics in the columns (or rows) to what the chapters call them.

    Parameters
    ----------
    frame : DataFrame
        Table with metrics in the columns or rows.
    """
    return frame.rename(columns=LABELS, index=LABELS)


def resemblance(alignment: pd.DataFrame, paper: pd.DataFrame, family: str,
                schemes: Sequence[str] = ("same", "released")) -> pd.DataFrame:
    """How alike our table and the paper's are, over the cells that are defined under every scheme.

    Parameters
    ----------
    alignment : DataFrame
        Table ``*_alignment`` of a task.
    paper : DataFrame
        The paper's printed tables, ``paper_tables.csv``.
    family : str
        Name of the decision family.
    schemes : sequence of str
        Schemes of folds; default "same" and "released".

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


def with_a_clear_first(tau: float | pd.Series, m: int) -> float | pd.Series:
    """Kendall's tau of m models with one more, which is first, or last, in both orders; exact where nothing ties.

    Of the ``(m + 1) m / 2`` pairs the m new ones agree.

    Parameters
    ----------
    tau : float or array_like
        Of the m models.
    m : int

    Examples
    --------
    >>> round(with_a_clear_first(0.5, 9), 12)
    0.6
    """
    return (tau * (m - 1) + 2) / (m + 1)


def averages(alignment: pd.DataFrame, family: str, schemes: Sequence[str], value: str = "tau") -> pd.DataFrame:
    """Mean over repeats, then over data sets; a row for each metric, a column for each scheme.

    Parameters
    ----------
    alignment : DataFrame
        Table ``*_alignment`` of a task.
    family : str
        Name of the decision family.
    schemes : sequence of str
        Schemes of folds that the table has.
    value : str
        Column of the table, default "tau".
    """
    return pd.DataFrame({scheme: _wide(_rows(alignment, family, scheme), value).groupby(level="dataset").mean().mean()
                         for scheme in schemes})


def over_datasets(alignment: pd.DataFrame, family: str, value: str = "tau", scheme: str = "same") -> pd.DataFrame:
    """Mean over the data sets of each repeat that all of them have: what the paper's box plots average.

    A row for each repeat and a column for each metric; a data set where the metric is not
    defined in that repeat is left out of the mean.

    Parameters
    ----------
    alignment : DataFrame
        Table ``*_alignment`` of a task.
    family : str
        Name of the decision family.
    value : str
        Column of the table, default "tau".
    scheme : str
        Scheme of folds, one that the table has; default "same".
    """
    rows = _rows(alignment, family, scheme)
    common = rows.groupby("dataset")["repeat"].nunique().min()
    return _wide(rows[rows["repeat"] < common], value).groupby(level="repeat").mean()


def expected(curves: pd.DataFrame, question: Question, priors: Mapping[str, Sequence[Prior]],
             value: str = "tau", scheme: str = "same") -> pd.DataFrame:
    """Expected agreement under each of several priors, from the stored curves.

    ``sum_i P(cell i) tau_i / sum_i P(cell i)`` over the cells where tau (or Somers' d) is defined.

    Parameters
    ----------
    curves : DataFrame
        Table ``*_curves`` of a task.
    question : Question
        The decision family.
    priors : mapping of label to sequence of Prior
        One prior per parameter of the family, in the units of the question.
    value : {"tau", "somers_d"}
        Default "tau".
    scheme : str
        Scheme of folds, one that the table has; default "same".

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


LEVEL = 0.1  # in Somers' d; a lead that is surely smaller, two pairs of ten models, is none
WORDS = ["ahead", "level", "behind", "cannot tell"]


def _jackknife(without):
    """Standard error of a statistic from its values with one part left out at a time, parts in the last axis."""
    number = without.shape[-1]
    return np.sqrt((number - 1) / number * ((without - without.mean(axis=-1, keepdims=True)) ** 2).sum(axis=-1))


def _reach(parts, *errors):
    """Half of a 95% interval from errors by leaving out one of so many parts (the fewer of models and groups)."""
    return stdtrit(parts - 1, 0.975) * np.sqrt(np.square(errors).sum())


def _values(table, family, scheme, suite, value):
    """Metrics in the columns; the data set and what is left out in the rows."""
    rows = table[(table["family"] == family) & (table["scheme"] == scheme) & (table["suite"] == suite)]
    if rows.empty:
        raise ValueError(f"the table has no rows of family {family!r} under scheme {scheme!r}, {suite}")
    left = "models" if "models" in rows else "group"
    return rows.pivot(index=["dataset", left], columns="metric", values=value)


def _left_out(names):
    """The sets that leave out one model, or one whole kind where there are kinds: five settings of one estimator are
    not five models that were drawn apart."""
    kinds = [name for name in names if name.startswith("all kinds but ")]
    return kinds or [name for name in names if name.startswith("without ") and not name.endswith("worst two")]


def verdict(low: float, high: float) -> str:
    """One word for an interval of a lead: ahead, behind, level (surely less than `LEVEL`), or cannot tell.

    Parameters
    ----------
    low, high : float
        Ends of the interval, in Somers' d.

    Examples
    --------
    >>> [verdict(*ends) for ends in ((0.02, 0.3), (-0.3, -0.1), (-0.05, 0.06), (-0.2, 0.3))]
    ['ahead', 'behind', 'level', 'cannot tell']
    """
    if low > -LEVEL and high < LEVEL:
        return "level"
    return "ahead" if low > 0 else "behind" if high < 0 else "cannot tell"


def leads(models: pd.DataFrame, cases: pd.DataFrame, family: str, own: str, scheme: str = "same", *,
          suite: str = AS_FORECAST, rival: str | None = None, among: Sequence[str] = (),
          value: str = "expected_d") -> pd.DataFrame:
    """How far a metric is ahead of another one, data set by data set, and how sure that is.

    Parameters
    ----------
    models, cases : DataFrame
        Tables ``*_models`` and ``*_cases`` of a task.
    family : str
        Name of the decision family.
    own : str
        Name of the metric.
    scheme : str
        Scheme of folds, one that the table has; default "same".
    suite : str
        "as forecast" or "recalibrated"; default "as forecast".
    rival : str, optional
        The other metric; the best of `among` on each data set, in hindsight, if not given.
    among : sequence of str
        Possible rivals, if `rival` is not given.
    value : str
        Column of the tables, default "expected_d".

    Returns
    -------
    DataFrame
        ``own``, ``rival``, ``rival_value``, ``itself`` (how well the utility predicts itself), ``lead``;
        ``cases`` and ``models``, its standard errors by leaving out groups of cases and single models (whole kinds
        in the population); ``low`` and ``high``, 95% by both together; ``worst two``, ``two more``: the lead without
        the two worst models and with two more (NaN where that was not run); ``verdict``: ahead, level or behind
        only where interval, ``worst two`` and ``two more`` all say it.
    """
    chosen = _values(models, family, scheme, suite, value)
    groups, rows = _values(cases, family, scheme, suite, value), {}
    for dataset in dict.fromkeys(chosen.index.get_level_values("dataset")):
        part, group = chosen.loc[dataset], groups.loc[dataset]
        everyone = part.loc["all"]
        names = [name for name in among if name != own and np.isfinite(everyone[name])]
        other = rival or everyone[names].astype(float).idxmax()
        gap = part[own] - part[other]
        errors = {"cases": _jackknife((group[own] - group[other]).to_numpy(float)),
                  "models": _jackknife(gap[_left_out(gap.index)].to_numpy(float))}
        reach = _reach(min(len(group), len(_left_out(gap.index))), *errors.values())
        rows[dataset] = {"own": everyone[own], "rival": LABELS.get(other, other), "rival_value": everyone[other],
                         "itself": everyone["itself"], "lead": gap["all"], **errors, "low": gap["all"] - reach,
                         "high": gap["all"] + reach, "worst two": gap.get("without the worst two", np.nan),
                         "two more": gap.get("two more", np.nan)}
    frame = pd.DataFrame.from_dict(rows, orient="index").rename_axis("data set")
    said = frame[["low", "high", "worst two", "two more"]]
    return frame.assign(verdict=[verdict(*ends) for ends in zip(said.min(axis=1), said.max(axis=1), strict=True)])


def counted(frames: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Number of times that each verdict is given, a row for each table of `leads` or `anew`.

    Parameters
    ----------
    frames : mapping of name to DataFrame
        Tables with a column ``verdict``.

    Examples
    --------
    >>> counted({"own": pd.DataFrame({"verdict": ["ahead", "cannot tell", "cannot tell"]})}).loc["own"].tolist()
    [1, 0, 0, 2]
    """
    rows = {name: frame["verdict"].value_counts() for name, frame in frames.items()}
    return pd.DataFrame(rows).reindex(WORDS).fillna(0).astype(int).T


def against(models: pd.DataFrame, cases: pd.DataFrame, family: str, own: str, rivals: Sequence[str],
            scheme: str = "new_two", *, suite: str = AS_FORECAST, value: str = "expected_d") -> pd.DataFrame:
    """Lead of a metric over each of several rivals, as the mean over the data sets where both are defined.

    The interval leaves out single models, or whole kinds in the population, the same in all data sets, and groups of
    cases, in each by itself.

    Parameters
    ----------
    models, cases : DataFrame
        Tables ``*_models`` and ``*_cases`` of a task.
    family : str
        Name of the decision family.
    own : str
        Name of the metric.
    rivals : sequence of str
        Names of the metrics that it is compared with, one at a time.
    scheme : str
        Scheme of folds, one that the table has; default "new_two".
    suite : str
        "as forecast" or "recalibrated"; default "as forecast".
    value : str
        Column of the tables, default "expected_d".

    Returns
    -------
    DataFrame
        A row for each rival: ``median`` (the lead), ``low``, ``high``, and the number of data sets ``ahead on``,
        ``of`` so many.
    """
    chosen = _values(models, family, scheme, suite, value)
    groups, rows = _values(cases, family, scheme, suite, value), {}
    for rival in rivals:
        gap = (chosen[own] - chosen[rival]).unstack("models")
        group = (groups[own] - groups[rival]).unstack("group")
        kept = gap["all"].notna()
        by_model = _jackknife(gap.loc[kept, _left_out(gap)].mean().to_numpy(float))
        by_cases = np.sqrt(np.square(_jackknife(group[kept].to_numpy(float))).sum()) / kept.sum()
        middle, reach = gap.loc[kept, "all"].mean(), _reach(
            min(group.shape[1], len(_left_out(gap))), by_model, by_cases)
        rows[LABELS.get(rival, rival)] = {"median": middle, "low": middle - reach, "high": middle + reach,
                                          "ahead on": int((gap.loc[kept, "all"] > 0).sum()), "of": int(kept.sum())}
    return pd.DataFrame.from_dict(rows, orient="index")


def between(first: Sequence[pd.DataFrame], second: Sequence[pd.DataFrame], family: str, own: str, rival: str,
            scheme: str = "new_two", *, suite: str = AS_FORECAST, value: str = "expected_d") -> pd.Series:
    """How much larger a lead is with one set of models than with another, over the data sets where both are defined.

    The interval leaves out single models of either set, and groups of cases of both sets at once.

    Parameters
    ----------
    first, second : pair of DataFrame
        Tables ``*_models`` and ``*_cases`` of either set of models.
    family : str
        Name of the decision family.
    own, rival : str
        Names of the two metrics.
    scheme : str
        Scheme of folds, one that the tables have; default "new_two".
    suite : str
        "as forecast" or "recalibrated"; default "as forecast".
    value : str
        Column of the tables, default "expected_d".

    Returns
    -------
    Series
        ``median`` (the difference of the leads), ``low`` and ``high``.
    """
    (gap, group), (other, others) = (
        [(values[own] - values[rival]).unstack() for values in (_values(table, family, scheme, suite, value)
                                                                for table in pair)] for pair in (first, second))
    difference = (gap["all"] - other["all"]).dropna()
    kept, middle = difference.index, difference.mean()
    by_model = [_jackknife(one.loc[kept, _left_out(one)].mean().to_numpy(float)) for one in (gap, other)]
    by_cases = np.sqrt(np.square(_jackknife((group - others).loc[kept].to_numpy(float))).sum()) / len(kept)
    reach = _reach(min(group.shape[1], len(_left_out(gap)), len(_left_out(other))), *by_model, by_cases)
    return pd.Series({"median": middle, "low": middle - reach, "high": middle + reach})


def five(curves: pd.DataFrame, question: Question, own: str, rival: str, scheme: str = "same", *,
         value: str = "somers_d", draws: int = 4000, seed: int = 0) -> pd.DataFrame:
    """Lead over a rival that five random thetas would have shown, a row for each draw and a column for each data set.

    Parameters
    ----------
    curves : DataFrame
        Table ``*_curves`` of a task.
    question : Question
        The decision family.
    own, rival : str
        Names of the two metrics.
    scheme : str
        Scheme of folds, one that the table has; default "same".
    value : {"tau", "somers_d"}
        Default "somers_d".
    draws : int
        Number of draws, default 4,000.
    seed : int
        Seed of the random numbers, default 0.
    """
    rows = curves[(curves["family"] == question.name) & (curves["scheme"] == scheme) & (curves["value"] == value)]
    wide = rows.set_index(["dataset", "metric"])[[f"t{place}" for place in range(len(question.mass()))]]
    chosen = np.random.default_rng(seed).choice(len(question.mass()), (draws, 5), p=question.mass())
    found = {}
    for dataset in dict.fromkeys(rows["dataset"]):
        gap = (wide.loc[(dataset, own)] - wide.loc[(dataset, rival)]).to_numpy(float)[chosen]
        there = np.isfinite(gap)
        with np.errstate(invalid="ignore"):
            found[dataset] = np.where(there, gap, 0).sum(axis=1) / there.sum(axis=1)
    return pd.DataFrame(found)


def sources(models: pd.DataFrame, cases: pd.DataFrame, alignment: pd.DataFrame, curves: pd.DataFrame,
            question: Question, own: str, rival: str, scheme: str = "same") -> pd.DataFrame:
    """Standard errors of a lead by source (folds, cases, five thetas, models), a row for each data set.

    Parameters
    ----------
    models, cases, alignment, curves : DataFrame
        Tables ``*_models``, ``*_cases``, ``*_alignment`` and ``*_curves`` of a task.
    question : Question
        The decision family.
    own, rival : str
        Names of the two metrics.
    scheme : str
        Scheme of folds, one that the table has; default "same".
    """
    frame = leads(models, cases, question.name, own, scheme, rival=rival)
    rows = alignment[(alignment["family"] == question.name) & (alignment["scheme"] == scheme)]
    wide = rows.pivot(index=["dataset", "repeat"], columns="metric", values="expected_d")
    gap = (wide[own] - wide[rival]).groupby(level="dataset")
    thetas = five(curves, question, own, rival, scheme).std()
    return pd.DataFrame({"folds and seeds": gap.std() / np.sqrt(gap.count()), "cases": frame["cases"],
                         "five thetas": thetas, "models": frame["models"]})


def anew(subsets: pd.DataFrame, family: str, own: str, *, among: Sequence[str], size: int = 1,
         value: str = "expected_d") -> pd.DataFrame:
    """Leads with models fitted anew: metric on `size` disjoint subsets, utility on one other.

    The interval leaves out one subset at a time, wherever it occurs: it covers the draw of the cases that train,
    of those that are scored and of those that are decided, and not the choice of the ten models.

    Parameters
    ----------
    subsets : DataFrame
        Table ``*_subsets`` of a task.
    family : str
        Name of the decision family.
    own : str
        Name of the metric.
    among : sequence of str
        Possible rivals; the best on each data set, in hindsight.
    size : {1, 2, 3}
        Number of subsets for the metric, default 1.
    value : str
        Column of the table, default "expected_d".
    """
    rows = subsets[(subsets["family"] == family) & (subsets["size"] == size) & (subsets["first"] != subsets["other"])]
    found = {}
    for dataset, part in rows.groupby("dataset", sort=False):
        number = int(part["other"].max()) + 1
        wide = part.pivot(index=["first", "other"], columns="metric", values=value)
        means = wide.mean()
        names = [name for name in among if name != own and np.isfinite(means[name])]
        rival = means[names].idxmax()
        gap = (wide[own] - wide[rival]).reset_index(name="gap")
        without = [gap.loc[~_uses(gap, subset, size, number), "gap"].mean() for subset in range(number)]
        error = _jackknife(np.array(without))
        low, high = (means[own] - means[rival] + side * _reach(number, error) for side in (-1, 1))
        found[dataset] = {"own": means[own], "rival": LABELS.get(rival, rival), "rival_value": means[rival],
                          "itself": means["itself"], "lead": means[own] - means[rival], "low": low, "high": high,
                          "subsets": number, "verdict": verdict(low, high)}
    return pd.DataFrame.from_dict(found, orient="index").rename_axis("data set")


def _uses(rows, subset, size, number):
    """Does a row's window of subsets, or its other one, contain this subset?"""
    return (rows["other"] == subset) | ((subset - rows["first"]) % number < size)
