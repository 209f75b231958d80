"""Whether statements of the PWU paper about its benchmarks are replicated: one rule each, applied to stored tables.

Implements the claims ledger's rows of section 5.1 and appendices J and K of the PWU paper.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import pandas as pd

from .. import tables as stored_tables
from . import read
from .tasks import PERTURBED, TASKS

__all__ = ["ORDER", "RULES", "by_suite", "weaker"]

ORDER = ["not replicated", "direction replicated", "replicated"]
OWN = {"J.1": ("binary", "binary"), "J.2": ("binary", "top_k"),
       "J.3": ("regression", "selective"), "J.4": ("regression", "risk_averse")}


@functools.cache
def _table(name):
    return stored_tables.load(name)


def _columns(family):
    paper = _table("paper_tables.csv")
    return list(dict.fromkeys(paper.loc[paper["family"] == family, "metric"]))


def _mean(suite, number, value):
    """Mean over repeats and data sets, of the paper's columns for one of its tables."""
    task, family = OWN[number]
    rows = _table(f"{suite}{task}_alignment.csv.gz")
    return read.averages(rows, family, ["same"], value)["same"][_columns(family)]


def _leads_on_average(suite, number, value):
    mean, own = _mean(suite, number, value), f"pwu_{OWN[number][1]}"
    return bool(mean[own] > mean.drop(own).max() + 1e-9)  # a shared first place is none


def _table_row(suite, number):
    """First on as many data sets as in the paper and *behind* on none, over the whole prior; or first on average."""
    task, family = OWN[number]
    paper = _table("paper_tables.csv")
    printed = paper[paper["table"] == number].pivot(index="dataset", columns="metric", values="median")
    leads = read.leads(_table(f"{suite}{task}_models.csv.gz"), _table(f"{suite}{task}_cases.csv.gz"), family,
                       f"pwu_{family}", among=_columns(family))
    claimed = (printed.idxmax(axis=1) == f"pwu_{family}").sum()
    if (leads["lead"] > 1e-9).sum() >= claimed and not (leads["verdict"] == "behind").any():
        return ORDER[2]
    return ORDER[_leads_on_average(suite, number, "expected_tau")]


def _figure(suite, value):
    """First on average for all four decisions, or for most of them."""
    first = sum(_leads_on_average(suite, number, value) for number in OWN)
    return ORDER[2 if first == len(OWN) else 1 if first > len(OWN) / 2 else 0]


def _perturbed(suite, task):
    """Among the best three columns under the extreme prior: in both decisions, or in one."""
    good = 0
    for question in TASKS[task].questions:
        own = f"pwu_{question.name}"
        tau = read.expected(_table(f"{suite}{task}_curves.csv.gz"), question,
                            {"extreme": PERTURBED[question.name]["extreme"]})["extreme"]
        mean = tau.groupby("metric").mean().loc[_columns(question.name)]
        good += mean.rank(ascending=False)[own] <= 3
    return ORDER[good]


def _classes_and_outputs(suite):
    """Classes: PWU and Brier score are the best two. Outputs: the PWU alone has no negative 5% quantile, and the
    energy score a higher median. Both, or one of the two."""
    classes, outputs = (read.over_datasets(_table(f"{suite}{task}_alignment.csv.gz"), family, "expected_tau")[
        [*TASKS[task].metrics]] for task, family in (("multiclass", "one_vs_rest"), ("multivariate", "per_output")))
    first = set(classes.median().nlargest(2).index) == {"pwu_one_vs_rest", "brier_score"}
    low, middle = outputs.quantile(0.05), outputs.median()
    second = ((low > 0) == (low.index == "pwu_per_output")).all() and middle["energy_score"] > middle["pwu_per_output"]
    return ORDER[int(first) + int(second)]


def _remark(suite):
    """Each PWU is among the best three columns of the other decision of its task: always, or in half of the cases."""
    good = 0
    for one, other in (("J.1", "J.2"), ("J.2", "J.1"), ("J.3", "J.4"), ("J.4", "J.3")):
        good += _mean(suite, one, "expected_tau").rank(ascending=False)[f"pwu_{OWN[other][1]}"] <= 3
    return ORDER[2 if good == 4 else 1 if good >= 2 else 0]


def _section(suite):
    """Most common columns have a mean tau below one standard deviation of a random ranking's: for the top few and
    for predict or pass, or for one of the two."""
    found = 0
    for number in ("J.2", "J.3"):
        models = _table(f"{suite}{OWN[number][0]}_scores.csv.gz")["model"].nunique()
        floor = (2 * (2 * models + 5) / (9 * models * (models - 1))) ** 0.5
        mean = _mean(suite, number, "expected_tau")
        found += (mean[[name for name in mean.index if not name.startswith("pwu")]] < floor).mean() > 0.5
    return ORDER[found]


RULES: dict[str, Callable[[str], str]] = {
    **{f"Table {number}": functools.partial(_table_row, number=number) for number in OWN},
    **{figure: functools.partial(_figure, value=value) for figure, value in (
        ("Figure 2", "expected_tau"), ("Figure J.1", "top1"), ("Figure J.2", "top3"), ("Figure J.3", "pearson"))},
    "Figure J.8": functools.partial(_perturbed, task="binary"),
    "Figure J.9": functools.partial(_perturbed, task="regression"),
    "Figure K.1": _classes_and_outputs, "Section 5.1": _section, "Remark J.1": _remark}
"""A rule for each statement: from the prefix of the stored tables, "" or "paper_", to one of `ORDER`."""


def weaker(number: str) -> str:
    """The ledger's verdict: the weaker one of our models' and of the paper's own, where those were run.

    Parameters
    ----------
    number : str
        Number of the statement, such as "Table J.1"; a key of `RULES`.

    Examples
    --------
    >>> weaker("Figure K.1") in ORDER
    True
    """
    suites = [""] if number == "Figure K.1" else ["", "paper_"]
    return min((RULES[number](suite) for suite in suites), key=ORDER.index)


def by_suite() -> pd.DataFrame:
    """Verdicts of all statements that were asked of both suites, a column for each."""
    return pd.DataFrame({word: {number: rule(suite) for number, rule in RULES.items() if number != "Figure K.1"}
                         for word, suite in (("our ten", ""), ("the paper's nine", "paper_"))})
