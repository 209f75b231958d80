"""What a lead in the tables of Part IV rests on: its uncertainty by source, and a verdict that all sources allow.

Imports findings, tasks; numpy, pandas.
Implements what tables J.1 to J.4 and figure K.1 of the PWU paper leave open.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from .findings import LABELS
from .tasks import Question

__all__ = ["against", "five", "leads", "sources", "verdict"]

LEVEL = 0.1  # a lead that is surely smaller is none
Z = 1.96


def _jackknife(whole, without):
    """Standard error of a statistic from its values with one part left out at a time."""
    number = without.shape[-1]
    return np.sqrt((number - 1) / number * ((without - without.mean(axis=-1, keepdims=True)) ** 2).sum(axis=-1))


def _values(table, family, scheme, value):
    """Metrics in the columns; what is left out and the data set in the rows."""
    rows = table[(table["family"] == family) & (table["scheme"] == scheme)]
    if rows.empty:
        raise ValueError(f"the table has no rows of family {family!r} under scheme {scheme!r}")
    left = "models" if "models" in rows else "group"
    return rows.pivot(index=["dataset", left], columns="metric", values=value)


def verdict(low: float, high: float) -> str:
    """One word for an interval of a lead.

    Examples
    --------
    >>> [verdict(*ends) for ends in ((0.02, 0.3), (-0.3, -0.1), (-0.05, 0.06), (-0.2, 0.3))]
    ['ahead', 'behind', 'level', 'open']
    """
    if low > 0:
        return "ahead"
    if high < 0:
        return "behind"
    return "level" if low > -LEVEL and high < LEVEL else "open"


def leads(models: pd.DataFrame, cases: pd.DataFrame, family: str, own: str, scheme: str = "same", *,
          suite: str = "as forecast", rival: str | None = None, among: Sequence[str] = (),
          value: str = "expected_d") -> pd.DataFrame:
    """How far a metric is ahead of another one, data set by data set, and how sure that is.

    Parameters
    ----------
    models, cases : DataFrame
        Tables ``*_models`` and ``*_cases`` of a task.
    rival : str, optional
        The other metric; the best of `among` on each data set, in hindsight, if not given.

    Returns
    -------
    DataFrame
        ``own``, ``rival``, ``rival_value``, ``itself`` (how well the utility predicts itself), ``lead``;
        ``cases`` and ``models``, its standard errors by leaving out groups of cases and single models; ``low``
        and ``high``, 95% by both together; ``worst two``, ``two more``: the lead without the two worst
        models and with two more; ``verdict``.
    """
    chosen = _values(models[models["suite"] == suite], family, scheme, value)
    groups, rows = _values(cases, family, scheme, value), {}
    for dataset in dict.fromkeys(chosen.index.get_level_values("dataset")):
        part, group = chosen.loc[dataset], groups.loc[dataset]
        everyone = part.loc["all"]
        names = [name for name in among if name != own and np.isfinite(everyone[name])]
        other = rival or everyone[names].astype(float).idxmax()
        gap = part[own] - part[other]
        single = gap[[name for name in gap.index if name.startswith("without ") and not name.endswith("worst two")]]
        errors = {"cases": _jackknife(None, (group[own] - group[other]).to_numpy(float)),
                  "models": _jackknife(None, single.to_numpy(float))}
        reach = Z * np.hypot(*errors.values())
        rows[dataset] = {"own": everyone[own], "rival": LABELS.get(other, other), "rival_value": everyone[other],
                         "itself": everyone["itself"], "lead": gap["all"], **errors, "low": gap["all"] - reach,
                         "high": gap["all"] + reach, "worst two": gap.get("without the worst two", np.nan),
                         "two more": gap.get("two more", np.nan)}
    frame = pd.DataFrame.from_dict(rows, orient="index").rename_axis("data set")
    frame["verdict"] = [verdict(low, high) for low, high in zip(frame["low"], frame["high"], strict=True)]
    return frame


def against(models: pd.DataFrame, cases: pd.DataFrame, family: str, own: str, rivals: Sequence[str],
            scheme: str = "new_two", *, suite: str = "as forecast", value: str = "expected_d") -> pd.DataFrame:
    """A metric against one fixed rival at a time: mean difference over the data sets, and on how many it is ahead.

    The interval leaves out single models, the same in all data sets, and groups of cases, in each by itself.
    """
    chosen = _values(models[models["suite"] == suite], family, scheme, value)
    groups, rows = _values(cases, family, scheme, value), {}
    for rival in rivals:
        gap = (chosen[own] - chosen[rival]).unstack("models")
        group = (groups[own] - groups[rival]).unstack("group")
        kept = gap["all"].notna()
        single = gap.loc[kept, [name for name in gap if name.startswith("without ") and not name.endswith("two")]]
        error = np.hypot(_jackknife(None, single.mean().to_numpy(float)), np.sqrt(np.square(_jackknife(
            None, group[kept].to_numpy(float))).sum()) / kept.sum())
        middle = gap.loc[kept, "all"].mean()
        rows[LABELS.get(rival, rival)] = {
            "median": middle, "low": middle - Z * error, "high": middle + Z * error,
            "ahead on": int((gap.loc[kept, "all"] > 0).sum()), "of": int(kept.sum())}
    return pd.DataFrame.from_dict(rows, orient="index")


def five(curves: pd.DataFrame, question: Question, own: str, rival: str, scheme: str = "same", *,
         value: str = "tau", draws: int = 4000, seed: int = 0) -> pd.DataFrame:
    """The lead over a rival as five random thetas would have shown it: a column for each data set, a row a draw."""
    rows = curves[(curves["family"] == question.name) & (curves["scheme"] == scheme) & (curves["value"] == value)]
    wide = rows.set_index(["dataset", "metric"])[[f"t{place}" for place in range(len(question.mass()))]]
    chosen = np.random.default_rng(seed).choice(len(question.mass()), (draws, 5), p=question.mass())
    found = {}
    for dataset in dict.fromkeys(rows["dataset"]):
        gap = (wide.loc[(dataset, own)] - wide.loc[(dataset, rival)]).to_numpy(float)
        with np.errstate(invalid="ignore"):
            found[dataset] = np.nanmean(np.where(np.isfinite(gap[chosen]), gap[chosen], np.nan), axis=1)
    return pd.DataFrame(found)


def sources(models: pd.DataFrame, cases: pd.DataFrame, alignment: pd.DataFrame, curves: pd.DataFrame,
            question: Question, own: str, rival: str, scheme: str = "same") -> pd.DataFrame:
    """Standard errors of a lead by source, a row for each data set: folds, cases, five thetas, models."""
    frame = leads(models, cases, question.name, own, scheme, rival=rival)
    rows = alignment[(alignment["family"] == question.name) & (alignment["scheme"] == scheme)]
    wide = rows.pivot(index=["dataset", "repeat"], columns="metric", values="expected_d")
    gap = (wide[own] - wide[rival]).groupby(level="dataset")
    thetas = five(curves, question, own, rival, scheme, value="somers_d").std()
    return pd.DataFrame({"folds": gap.std() / np.sqrt(gap.count()), "cases": frame["cases"],
                         "five thetas": thetas, "models": frame["models"]})
