"""What a lead in the tables of Part IV rests on: its uncertainty by source, and a verdict that all sources allow.

Implements what tables J.1 to J.4 and figure K.1 of the PWU paper leave open.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from .findings import LABELS
from .tasks import AS_FORECAST, Question

__all__ = ["LEVEL", "WORDS", "against", "anew", "counted", "five", "leads", "sources", "verdict"]

LEVEL = 0.1  # in Somers' d; a lead that is surely smaller, two pairs of ten models, is none
WORDS = ["ahead", "level", "behind", "open"]


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


def _single(names):
    """The sets of models that leave out one of them."""
    return [name for name in names if name.startswith("without ") and not name.endswith("worst two")]


def verdict(low: float, high: float) -> str:
    """One word for what a lead may be: ahead, behind, level (surely less than `LEVEL`), or open.

    Examples
    --------
    >>> [verdict(*ends) for ends in ((0.02, 0.3), (-0.3, -0.1), (-0.05, 0.06), (-0.2, 0.3))]
    ['ahead', 'behind', 'level', 'open']
    """
    if low > -LEVEL and high < LEVEL:
        return "level"
    return "ahead" if low > 0 else "behind" if high < 0 else "open"


def leads(models: pd.DataFrame, cases: pd.DataFrame, family: str, own: str, scheme: str = "same", *,
          suite: str = AS_FORECAST, rival: str | None = None, among: Sequence[str] = (),
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
        and ``high``, 95% by both together; ``worst two``, ``two more``: the lead without the two worst models
        and with two more (NaN where that was not run); ``verdict``: ahead, level or behind only where
        interval, ``worst two`` and ``two more`` all say it.
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
                  "models": _jackknife(gap[_single(gap.index)].to_numpy(float))}
        reach = _reach(min(len(group), len(_single(gap.index))), *errors.values())
        rows[dataset] = {"own": everyone[own], "rival": LABELS.get(other, other), "rival_value": everyone[other],
                         "itself": everyone["itself"], "lead": gap["all"], **errors, "low": gap["all"] - reach,
                         "high": gap["all"] + reach, "worst two": gap.get("without the worst two", np.nan),
                         "two more": gap.get("two more", np.nan)}
    frame = pd.DataFrame.from_dict(rows, orient="index").rename_axis("data set")
    said = frame[["low", "high", "worst two", "two more"]]
    return frame.assign(verdict=[verdict(*ends) for ends in zip(said.min(axis=1), said.max(axis=1), strict=True)])


def counted(frames: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """How often each verdict is given; a row for each table of `leads` or `anew`.

    Examples
    --------
    >>> counted({"own": pd.DataFrame({"verdict": ["ahead", "open", "open"]})}).loc["own"].tolist()
    [1, 0, 0, 2]
    """
    rows = {name: frame["verdict"].value_counts() for name, frame in frames.items()}
    return pd.DataFrame(rows).reindex(WORDS).fillna(0).astype(int).T


def against(models: pd.DataFrame, cases: pd.DataFrame, family: str, own: str, rivals: Sequence[str],
            scheme: str = "new_two", *, suite: str = AS_FORECAST, value: str = "expected_d") -> pd.DataFrame:
    """A metric against one fixed rival at a time, as the mean over the data sets where both are defined.

    The interval leaves out single models, the same in all data sets, and groups of cases, in each by itself.

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
        by_model = _jackknife(gap.loc[kept, _single(gap)].mean().to_numpy(float))
        by_cases = np.sqrt(np.square(_jackknife(group[kept].to_numpy(float))).sum()) / kept.sum()
        middle, reach = gap.loc[kept, "all"].mean(), _reach(
            min(group.shape[1], len(_single(gap))), by_model, by_cases)
        rows[LABELS.get(rival, rival)] = {"median": middle, "low": middle - reach, "high": middle + reach,
                                          "ahead on": int((gap.loc[kept, "all"] > 0).sum()), "of": int(kept.sum())}
    return pd.DataFrame.from_dict(rows, orient="index")


def five(curves: pd.DataFrame, question: Question, own: str, rival: str, scheme: str = "same", *,
         value: str = "somers_d", draws: int = 4000, seed: int = 0) -> pd.DataFrame:
    """The lead over a rival as five random thetas would have shown it: a column for each data set, a row a draw."""
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
    """Standard errors of a lead by source, a row for each data set: folds, cases, five thetas, models."""
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
    among : sequence of str
        Possible rivals; the best on each data set, in hindsight.
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
