"""Whether statements of the PWU paper about its benchmarks are replicated: one rule each, applied to stored tables.

Each rule is asked of several suites of models, by two schemes. *As written*: metrics and utilities by the definitions
of the text, over the whole prior, with prices in units of the training variance and aversions in units of one over a
training standard deviation, where text and code take the variance of the scored labels for both. *As released*: by the
formulas of the released code, at the five parameters that it draws. The print itself is asked by the same rules. The
verdict is that of the paper's own models; what other suites give stands beside it.

Implements the claims ledger's rows of sections 4.2 and 5.1 and appendices J and K of the PWU paper.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pandas as pd

from .. import tables as stored_tables
from . import read
from .tasks import CODE_PERTURBED, TASKS

__all__ = ["DRAWN", "ORDER", "PRINT", "RULES", "SETTINGS", "SUITES", "WRONG", "Found", "Runs", "by_suite",
           "ledger_verdict", "lost"]

ORDER = ["not replicated", "direction replicated", "replicated"]
OWN = {"J.1": ("binary", "binary"), "J.2": ("binary", "top_k"),
       "J.3": ("regression", "selective"), "J.4": ("regression", "risk_averse")}
OTHER = {"J.1": "pwu_top_k", "J.2": "pwu_binary", "J.3": "pwu_risk_averse", "J.4": "pwu_selective"}
LEVELS = ["stated", "slight", "strong", "extreme"]
# Whose priors the paper's footnote 7, and its sections on the NLL and the MSE, call pathological.
PATHOLOGICAL = {"binary": ["log_loss", "brier_score", "zero_one_loss"],
                "selective": ["gaussian_nll", "mean_squared_error"]}


class Runs(NamedTuple):
    """Which models, by whose formulas."""

    suite: str  # prefix of the stored tables, a value of `SUITES`
    scheme: str = "as written"
    without: int = -1  # this repeat of the runs with wrong priors is left out


class Found(NamedTuple):
    """A verdict, and what the rule counted."""

    verdict: str
    counted: str


PRINT = Runs("print", "as printed")
SUITES = {"the paper's nine": "paper_", "our ten": "", "the fifty": "population_"}
SETTINGS = Runs("released_", "as released")
"""The paper's nine with the released settings, on the data sets where they were run."""
MODELS = {"print": 10, "": 10, "paper_": 9, "released_": 9, "population_": 50}


@functools.cache
def _table(name):
    return stored_tables.load(name)


def _columns(family):
    paper = _table("paper_tables.csv")
    return list(dict.fromkeys(paper.loc[paper["family"] == family, "metric"]))


def _by_dataset(runs, number, value="expected_tau", middle="mean"):
    """Agreement of the paper's columns for one of its tables: data sets in the rows. Over the repeats it is the mean;
    by the released formulas, as in the print, the median."""
    task, family = OWN[number]
    if runs == PRINT:
        paper = _table("paper_tables.csv")
        return paper[paper["table"] == number].pivot(index="dataset", columns="metric", values="median")
    rows = _table(f"{runs.suite}{task}_alignment.csv.gz")
    scheme, value = ("same", value) if runs.scheme == "as written" else ("released", "tau")
    rows = rows[(rows["family"] == family) & (rows["scheme"] == scheme)]
    middle = middle if runs.scheme == "as written" else "median"
    found = rows.pivot_table(index="dataset", columns="metric", values=value, aggfunc=middle)
    # An infinite loss has no linear correlation.
    return found[[name for name in _columns(family) if value != "pearson" or name in found]]


def _own(number):
    return f"pwu_{OWN[number][1]}"


def _leads_on_average(runs, number, value="expected_tau"):
    mean, own = _by_dataset(runs, number, value).mean(), _own(number)
    return bool(mean[own] > mean.drop(own).max() + 1e-9)  # a shared first place is none


def _table_row(runs, number):
    """First by the median of Kendall's tau on as many data sets as in the paper, and by `read.leads` *behind* on
    none; or first on average.

    A shared first place is counted apart: it is none.
    """
    task, family = OWN[number]
    each = _by_dataset(runs, number, middle="median")
    printed = _by_dataset(PRINT, number).loc[each.index]
    claimed = int((printed.idxmax(axis=1) == _own(number)).sum())
    if runs == PRINT:
        return Found(ORDER[2], f"{claimed} of {len(printed)}")
    behind = False
    if runs.scheme == "as written":
        leads = read.leads(_table(f"{runs.suite}{task}_models.csv.gz"), _table(f"{runs.suite}{task}_cases.csv.gz"),
                           family, _own(number), among=_columns(family))
        behind = bool((leads["verdict"] == "behind").any())
    lead = each[_own(number)] - each.drop(columns=_own(number)).max(axis=1)
    first, shared = int((lead > 1e-9).sum()), int((lead.abs() <= 1e-9).sum())
    good = first >= claimed and not behind
    return Found(ORDER[2 if good else int(_leads_on_average(runs, number))],
                 f"{first} of {len(printed)}" + (f", {shared} shared" if shared else "")
                 + (f"; in print {claimed}" if runs == SETTINGS else ""))


def _figure(runs, value):
    """First on average for all four decisions, or for most of them."""
    first = sum(_leads_on_average(runs, number, value) for number in OWN)
    return Found(ORDER[2 if first == len(OWN) else 1 if first > len(OWN) / 2 else 0], f"{first} of {len(OWN)}")


@functools.cache
def _moved(runs, family):
    """Agreement of the paper's columns, mean over data sets, under the stated prior and the three wrong ones.

    As written it is the expected tau. As released it is the median over the repeats of tau at five draws.
    """
    if runs.suite == SETTINGS.suite:
        rows = _table("released_wrong_priors.csv.gz").query("family == @family and repeat != @runs.without")
        each = rows.groupby(["metric", "dataset", "prior"])["tau"].median().unstack()
        return each.groupby("metric").mean().loc[_columns(family), LEVELS]
    task = next(task for task, own in OWN.values() if own == family)
    question = TASKS[task].question(family)
    tau = read.expected(_table(f"{runs.suite}{task}_curves.csv.gz"), question,
                        {"stated": question.priors, **CODE_PERTURBED[family]})
    return tau.groupby("metric").mean().loc[_columns(family)]


def _perturbed(runs, families):
    """Among the best three columns under the extreme prior: in all decisions of which the text says so, or in one."""
    ranks = [int(_moved(runs, family)["extreme"].rank(ascending=False)[f"pwu_{family}"]) for family in families]
    good = sum(rank <= 3 for rank in ranks)
    return Found(ORDER[2 if good == len(ranks) else min(good, 1)], "places " + ", ".join(map(str, ranks)))


def _common(row):
    return row[~row.index.str.startswith("pwu_")].mean()


def _still_aligned(runs):
    """Under the extreme prior each PWU agrees with its utility positively and more than the common columns do on
    average: in all four decisions, and by at least one half ("strong"); or in most of them."""
    own, common = zip(*((row[f"pwu_{family}"], _common(row)) for row, family in (
        (_moved(runs, family)["extreme"], family) for _, family in OWN.values())), strict=True)
    above = sum(one > max(rest, 0) for one, rest in zip(own, common, strict=True))
    return Found(ORDER[2 if above == len(own) and min(own) >= 0.5 else int(above > len(own) / 2)], ", ".join(
        f"{one:.2f} ({rest:.2f})" for one, rest in zip(own, common, strict=True)))


def _better_than_pathological(runs):
    """Under each wrong prior the PWU agrees more than each column whose prior the paper calls pathological, or more
    than those do on average; for yes or no, and for predict or pass."""
    each, mean, said = [], [], []
    for family, columns in PATHOLOGICAL.items():
        table = _moved(runs, family)[LEVELS[1:]]
        own, others = table.loc[f"pwu_{family}"], table.loc[columns]
        each += [*(own > others.max())]
        mean += [*(own > others.mean())]
        said += [f"{one:.2f} ({rest:.2f})" for one, rest in zip(own, others.max(), strict=True)]
    return Found(ORDER[2 if all(each) else int(all(mean))], ", ".join(said))


def lost(suite: str) -> pd.DataFrame:
    """What agreement changes by from the stated to the extreme prior, for each decision.

    Parameters
    ----------
    suite : str
        A value of `SUITES`.

    Returns
    -------
    DataFrame
        The decision's own score, and the common ones on average.

    Examples
    --------
    >>> bool((lost("")["own score"] < lost("")["common, mean"]).all())
    True
    """
    moved = {family: _moved(Runs(suite), family) for _, family in OWN.values()}
    changes = {family: table["extreme"] - table["stated"] for family, table in moved.items()}
    return pd.DataFrame({family: {"own score": change[f"pwu_{family}"], "common, mean": _common(change)}
                         for family, change in changes.items()}).T


def _row_moves(runs, family, metric, rule):
    """The agreement of one column under the four priors, and a rule on it: true, or half true."""
    row = _moved(runs, family)
    score = rule(row, metric)
    return Found(ORDER[score], ", ".join(f"{row.loc[metric, level]:.2f}" for level in LEVELS))


def _steady(row, metric):
    """No more than a tenth between the four priors; or at most twice that."""
    spread = np.ptp(row.loc[metric, LEVELS].to_numpy(float))
    return 2 if spread <= 0.1 else 1 if spread <= 0.2 else 0


def _slightly_worse(row, metric):
    """The slight prior costs at most .02, the others at most a tenth; or one of the two."""
    lost = row.loc[metric, "stated"] - row.loc[metric, LEVELS[1:]]
    return int(lost["slight"] <= 0.02) + int(max(lost["strong"], lost["extreme"]) <= 0.1)


def _no_worse_before_the_extreme(row, metric):
    """The slight and the strong prior cost at most .05, and the extreme one at most .2; or one of the two."""
    lost = row.loc[metric, "stated"] - row.loc[metric, LEVELS[1:]]
    return int(max(lost["slight"], lost["strong"]) <= 0.05) + int(lost["extreme"] <= 0.2)


def _gains_before_the_extreme(row, metric):
    """The slight and the strong prior gain .01 or more, and the extreme one costs at most .2; or the second."""
    gained = row.loc[metric, LEVELS[1:]] - row.loc[metric, "stated"]
    return 0 if gained["extreme"] < -0.2 else 2 if min(gained["slight"], gained["strong"]) >= 0.01 else 1


def _strong_and_steady(row, metric):
    """At least one half, and no more than a tenth between the four priors; or the second."""
    return int(_steady(row, metric) == 2) * (2 if row.loc[metric, LEVELS].min() >= 0.5 else 1)


def _best_at_the_extreme(row, metric):
    """Highest of all columns under the extreme prior; or among the best three."""
    rank = row["extreme"].rank(ascending=False)[metric]
    return 2 if rank == 1 else 1 if rank <= 3 else 0


def _best_where_even(row, metric):
    """Highest of its own under the strong prior, whose mode is one half; or higher there than under the stated one."""
    return 2 if row.loc[metric].idxmax() == "strong" else int(row.loc[metric, "strong"] > row.loc[metric, "stated"])


def _rises_most(row, metric):
    """Rises from the stated to the extreme prior, and more than every other common column; or rises."""
    change = (row["extreme"] - row["stated"])[~row.index.str.startswith("pwu_")]
    return 0 if change[metric] <= 0 else 2 if change.idxmax() == metric else 1


def _classes_and_outputs(runs):
    """Classes: PWU and Brier score are the best two. Outputs: the PWU alone has no negative 5% quantile, and the
    energy score a higher median. Both, or one of the two."""
    classes, outputs = (read.over_datasets(_table(f"{runs.suite}{task}_alignment.csv.gz"), family, "expected_tau")[
        [*TASKS[task].metrics]] for task, family in (("multiclass", "one_vs_rest"), ("multivariate", "per_output")))
    first = set(classes.median().nlargest(2).index) == {"pwu_one_vs_rest", "brier_score"}
    low, middle = outputs.quantile(0.05), outputs.median()
    second = ((low > 0) == (low.index == "pwu_per_output")).all() and middle["energy_score"] > middle["pwu_per_output"]
    return Found(ORDER[int(first) + int(second)], f"{int(first) + int(second)} of 2")


def _remark(runs):
    """A PWU is among the best three columns of the other decision of its task: as often as in print, or ever."""
    ranks = {one: [int(_by_dataset(one, number).mean().rank(ascending=False)[OTHER[number]]) for number in OWN]
             for one in (runs, PRINT)}
    good, claimed = (sum(rank <= 3 for rank in ranks[one]) for one in (runs, PRINT))
    return Found(ORDER[2 if good >= claimed else int(good > 0)], "places " + ", ".join(map(str, ranks[runs])))


def _section(runs):
    """Most common columns have a mean tau below one standard deviation of a random ranking's: for the top few and
    for predict or pass, or for one of the two."""
    found, said = 0, []
    for number in ("J.2", "J.3"):
        mean = _by_dataset(runs, number).mean()
        share = (mean[[name for name in mean.index if not name.startswith("pwu")]] < _floor(runs, number)).mean()
        found += share > 0.5
        said.append(f"{share:.2f}")
    return Found(ORDER[found], ", ".join(said))


def _only_ours(runs):
    """Above one standard deviation of a random ranking's tau on every data set: each decision's own score, and no
    common column. Both for as many decisions as in print, or the first."""
    (own, none), claimed = _reliable(runs), _reliable(PRINT)
    return Found(ORDER[2 if own >= claimed[0] and none >= claimed[1] else int(own >= claimed[0])],
                 f"{own} of 4, no other in {none} of 4")


def _reliable(runs):
    """In how many decisions the own score is above the floor on every data set, and in how many no common one is."""
    own = none = 0
    for number in OWN:
        above = _by_dataset(runs, number).min() > _floor(runs, number)
        own += above[_own(number)]
        none += not above[[name for name in above.index if not name.startswith("pwu")]].any()
    return own, none


def _floor(runs, number):
    """Standard deviation of Kendall's tau between two random rankings of these models."""
    models = MODELS[runs.suite]
    return (2 * (2 * models + 5) / (9 * models * (models - 1))) ** 0.5


RULES: dict[str, Callable[[Runs], Found]] = {
    **{f"Table {number}": functools.partial(_table_row, number=number) for number in OWN},
    **{figure: functools.partial(_figure, value=value) for figure, value in (
        ("Figure 2", "expected_tau"), ("Figure J.1", "top1"), ("Figure J.2", "top3"), ("Figure J.3", "pearson"))},
    "Figure J.8": functools.partial(_perturbed, families=("binary",)),
    "Figure J.9": functools.partial(_perturbed, families=("selective", "risk_averse")),
    "Figure K.1": _classes_and_outputs, "Section 5.1": _section, "Remark J.1": _remark,
    "Section 1 (contributions)": _only_ours,
    "Section 4.2 (robustness)": _still_aligned, "Appendix I (misspecified priors)": _better_than_pathological,
    **{f"Appendix J.3 ({name})": functools.partial(_row_moves, family=family, metric=metric, rule=rule)
       for name, family, metric, rule in (
        ("accuracy", "binary", "zero_one_loss", _best_where_even),
        ("binary PWU", "binary", "pwu_binary", _slightly_worse),
        ("top-k PWU, yes or no", "binary", "pwu_top_k", _steady),
        ("accuracy, larger k", "top_k", "zero_one_loss", _rises_most),
        ("top-k PWU", "top_k", "pwu_top_k", _gains_before_the_extreme),
        ("selective PWU", "selective", "pwu_selective", _slightly_worse),
        ("risk-averse PWU, prices", "selective", "pwu_risk_averse", _steady),
        ("MSE, high prices", "selective", "mean_squared_error", _best_at_the_extreme),
        ("risk-averse PWU", "risk_averse", "pwu_risk_averse", _no_worse_before_the_extreme),
        ("selective PWU, risk", "risk_averse", "pwu_selective", _strong_and_steady))}}
"""A rule for each statement: from `Runs` to a verdict, one of `ORDER`, and what it counted."""

DRAWN = [*(f"Table {number}" for number in OWN), "Figure 2", "Section 5.1", "Remark J.1", "Section 1 (contributions)"]
"""Statements that the stored tables can decide by the released formulas for all five data sets of a task."""
WRONG = [number for number in RULES if number.startswith(("Section 4.2", "Appendix", "Figure J.8", "Figure J.9"))]
"""Statements about wrong priors; by the released formulas they are decided on the five small data sets."""


def ledger_verdict(number: str, scheme: str = "as written") -> str:
    """The ledger's verdict: that of nine of the paper's models, or of ours where only those were run (figure K.1).

    As released, the models have the released settings where wrong priors are asked about, and the book's otherwise.

    Parameters
    ----------
    number : str
        Number of the statement, such as "Table J.1"; a key of `RULES`.
    scheme : {"as written", "as released"}
        By the text's definitions, or by the released formulas (statements in `DRAWN` and `WRONG`).

    Examples
    --------
    >>> ledger_verdict("Figure K.1") in ORDER
    True
    >>> ledger_verdict("Table J.3"), ledger_verdict("Table J.3", "as released")
    ('direction replicated', 'replicated')
    """
    runs = SETTINGS if scheme == "as released" and number in WRONG else Runs("paper_", scheme)
    return RULES[number](Runs("") if number == "Figure K.1" else runs).verdict


def by_suite() -> pd.DataFrame:
    """What each rule counted, and its verdict, for each suite by both schemes, and for the print itself.

    Returns
    -------
    DataFrame
        A row for each statement; columns ``(scheme, suite)`` with texts, empty where the stored tables cannot say.
    """
    asked = [number for number in RULES if number != "Figure K.1"]
    runs = {("the print", ""): (PRINT, DRAWN), ("as released", "released settings"): (SETTINGS, DRAWN + WRONG),
            **{("as released", word): (Runs(SUITES[word], "as released"), DRAWN)
               for word in ("the paper's nine", "our ten")},
            **{("as written", word): (Runs(suite), asked) for word, suite in SUITES.items()}}
    found = {column: {number: RULES[number](one) for number in numbers} for column, (one, numbers) in runs.items()}
    return pd.DataFrame({column: {number: one.counted if column[0] == "the print" else
                                  f"{one.verdict.split()[0]} ({one.counted})" for number, one in rules.items()}
                         for column, rules in found.items()}).reindex(asked).fillna("")
