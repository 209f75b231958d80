"""A comparison in plain sentences, for the decision maker."""

import textwrap
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from .rules import RULES, say

__all__ = ["at_a_glance", "in_words", "lines", "remarks", "wrapped", "written"]

NUMBERS = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
MOST_NAMES = 12
WIDTH = 80  # characters of a terminal's line
LONGEST = 16  # of a model's name
MOST_SHARE = 10  # a share beyond 1,000% says nothing: the difference is given in its unit


def at_a_glance(table: pd.DataFrame, about: Mapping[str, Any]) -> pd.DataFrame:
    """What a reader needs of a comparison, as text: cost, its interval, skill, verdict, cases needed.

    Python, a terminal and the report show this table; the numbers behind it are in `ModelComparison.table`. Its verdict
    *best* reads *lowest* here where another model may be as good.

    Parameters
    ----------
    table : DataFrame
        The table of one `compare`.
    about : mapping
        ``coverage`` of the intervals in per cent, and ``unit`` of cases needed.

    Examples
    --------
    >>> table = pd.DataFrame([[0.25, 0.2, 0.3, 0.5, "best", np.nan]], ["a"],
    ...                      ["cost", "low", "high", "skill", "verdict", "cases needed"])
    >>> at_a_glance(table, {"coverage": "95", "unit": "cases"}).iloc[0].tolist()
    ['0.25', '0.2 to 0.3', '50%', 'best', '']
    """
    undecided = (table["verdict"] == "not separable").any()
    columns = {"cost": table["cost"].map(_number),
             f"{about['coverage']}% interval": [f"{_number(low)} to {_number(high)}" for low, high in zip(
                 table["low"], table["high"], strict=True)],
             "skill": ["" if pd.isna(skill) else f"{skill:.0%}" for skill in table["skill"]],
             "verdict": table["verdict"].replace("best", "lowest") if undecided else table["verdict"],
             f"{about['unit']} needed": table["cases needed"].map(_needed)}
    return pd.DataFrame(columns, index=table.index)


def lines(table: pd.DataFrame, about: Mapping[str, Any]) -> str:
    """The same for a terminal, about 80 characters wide, with what its columns mean.

    Parameters
    ----------
    table : DataFrame
        The table of one `compare`.
    about : mapping
        As `at_a_glance` takes it, and ``base``: the forecast without a model, in words.

    Examples
    --------
    >>> table = pd.DataFrame([[0.25, 0.2, 0.3, np.nan, "best", 90]], ["a"],
    ...                      ["cost", "low", "high", "skill", "verdict", "cases needed"])
    >>> print(lines(table, {"coverage": "95", "unit": "cases", "base": ""}).splitlines()[2])
    a           0.25           0.2 to 0.3          best               90
    """
    glance = at_a_glance(table, about)
    names = [str(name) for name in glance.index]
    wide = min(LONGEST, max(5, *map(len, names)))
    short = [name if len(name) <= wide else name[:wide - 1] + "~" for name in names]
    short = [one if short.count(one) == 1 else "~" + name[1 - wide:] for one, name in zip(short, names, strict=True)]
    head = f"{'model':<{wide}}  {'cost':>9}  {glance.columns[1]:>19}  {'skill':>6}  {'verdict':<13}  {about['unit']:>6}"
    rows = [f"{name:<{wide}}  {cost:>9}  {ends:>19}  {skill:>6}  {verdict:<13}  {needed:>6}".rstrip()
            for name, (cost, ends, skill, verdict, needed) in zip(short, glance.to_numpy(), strict=True)]
    notes = [f"{about['unit']}: sample size for 80% power"]
    if table["skill"].notna().any():
        notes.insert(0, wrapped(f"skill: share of the way from {about['base']} to a perfect forecast"))
    return "\n".join([head, "-" * len(head), *rows, *notes])


def wrapped(text: str) -> str:
    """A sentence in lines of a terminal.

    Examples
    --------
    >>> len(wrapped("word " * 40).splitlines())
    3
    """
    return textwrap.fill(text, WIDTH)


def _number(value: float) -> str:
    return "" if pd.isna(value) else f"{value:.4g}"


def _needed(cases: float) -> str:
    if pd.isna(cases):
        return ""
    return f"{cases:.0f}" if cases < 1e6 else f"{cases / 1e6:.0f}M" if cases < 1e9 else ">1000M"


def in_words(table: pd.DataFrame, about: Mapping[str, Any] | None = None) -> list[str]:
    """Which models may be the best, then the cheapest one (or the reference) against every other one, pair by pair.

    Parameters
    ----------
    table : DataFrame
        The table of one `compare`, one row per model.
    about : mapping, optional
        What `compare` knows in addition to the table: ``coverage`` of the intervals in per cent, ``unit`` of cases
        needed ("cases" or "groups"), ``few`` (what is too few, in words, or "").

    Examples
    --------
    >>> columns = ["cost", "verdict", "saving", "saving low", "saving high", "difference", "difference low",
    ...            "difference high", "cases needed"]
    >>> in_words(pd.DataFrame([[1.0, "best", 0, 0, 0, 0, 0, 0, np.nan],
    ...                        [1.25, "costlier", 0.2, 0.1, 0.3, 0.25, 0.12, 0.38, 90]], ["a", "b"], columns))
    ['a costs 20% less than b (95% interval: 10% to 30% less).']
    """
    about = {"coverage": "95", "unit": "cases", "few": "", "models": len(table)} | dict(about or {})
    first = table.index[table["verdict"].isin(["best", "reference"])][0]
    if len(table) == 1:
        return [say("alone", first=first, cost=f"{table.loc[first, 'cost']:.4g}")]
    pairs = [_sentence(str(first), table.loc[first, "cost"], str(name), row, about) for name, row in table.iterrows()
             if name != first]
    return [_best(table), *pairs] if len(table) > 2 and "may be best" in table else pairs


def _best(table: pd.DataFrame) -> str:
    """Which of several models may be the best."""
    names, number = [str(name) for name in table.index[table["may be best"]]], len(table)
    if len(names) == number:
        return say("all_may_be", all=written(number))
    listed = names[:MOST_NAMES] + ([f"and {len(names) - MOST_NAMES} more"] if len(names) > MOST_NAMES else [])
    return say("may_be", number=written(len(names)).capitalize(), all=written(number), names=", ".join(listed))


def written(number: int) -> str:
    """A number as a word, up to twelve."""
    return NUMBERS[number] if number < len(NUMBERS) else f"{number:,}"


def remarks(table: pd.DataFrame, about: Mapping[str, Any]) -> list[str]:
    """Remarks on a comparison: the event and how often it came, and models that cost more than using no model.

    Parameters
    ----------
    table : DataFrame
        The table of one `compare`.
    about : mapping
        ``cases``, ``events`` (None where outcomes are not events), ``event`` (its name), ``base`` (the forecast
        without a model, in words), ``coverage``.

    Examples
    --------
    >>> found = remarks(pd.DataFrame({"skill": [-0.1, -0.2]}, ["a", "b"]),
    ...                 {"cases": 900, "events": 12, "event": "y = 1", "base": "the base rate", "coverage": "95"})
    >>> found[0], found[2]
    ('12 of 900 cases are events (y = 1).', 'Every model costs more than always predicting the base rate. \
Check the outcome, which label is the event, and how many events the forecasts add up to.')
    """
    sentences = []
    if about["events"] is not None:
        sentences.append(say("events", events=f"{about['events']:,}", cases=f"{about['cases']:,}",
                             event=about["event"]))
        number, kind = min((about["events"], "events"), (about["cases"] - about["events"], "cases without an event"))
        if number < RULES["few_events"]:
            sentences.append(say("few_events", kind=kind, number=f"{number:,}", coverage=about["coverage"]))
    first = table.index[table["verdict"].isin(["best", "reference"])][0] if "cases" in table else ""
    sentences += [say("missing_first" if name == first else "missing", name=name, cases=f"{cases:,}",
                      all=f"{about['cases']:,}", first=first)
                  for name, cases in (table["cases"].items() if "cases" in table else ()) if cases < about["cases"]]
    worse = [str(name) for name, skill in table["skill"].items() if skill < 0]
    if worse and len(worse) == len(table):
        event = "" if about["events"] is None else (
            ", which label is the event, and how many events the forecasts add up to")
        sentences.append(say("all_worse", base=about["base"], event=event))
    elif worse:
        sentences.append(say("some_worse", names=", ".join(worse), base=about["base"]))
    if about["events"] is not None and (knowing := [
            str(name) for name, skill in table["skill"].items() if skill >= RULES["knowing"]]):
        sentences.append(say("knows", names=", ".join(knowing)))
    return sentences


def _sentence(first: str, cost: float, name: str, row: pd.Series, about: Mapping[str, Any]) -> str:
    if np.isinf([cost, row["cost"]]).any():
        return _infinite(first, cost, name, row["cost"])
    if np.isnan([cost, row["cost"]]).any():
        return say("no_cost", first=first, name=name, lacking=first if np.isnan(cost) else name)
    if row["verdict"] == "undefined":
        return say("undefined", first=first, name=name)
    if row["difference"] == 0:
        return say("same", first=first, name=name)
    alike = cost != 0 and np.sign(cost) == np.sign(row["cost"]) and _tells(row)
    kind, form = ("saving", _percent) if alike else ("difference", "{:.3g}".format)
    gains = bool(alike and cost < 0)
    low, high = row[f"{kind} low"], row[f"{kind} high"]
    words = [_side(value, gains) for value in (low, high)]
    ends = (f"{form(min(abs(low), abs(high)))} to {form(max(abs(low), abs(high)))} {words[0]}" if
            words[0] == words[1] else
            f"{form(abs(low))} {words[0]} to {form(abs(high))} {words[1]}")
    apart = say("apart", first=first, verb="gains" if gains else "costs", name=name, coverage=about["coverage"],
                pair=" of the pair" if about["models"] > 2 else "",
                size=f"{form(abs(row[kind]))} {_side(row[kind], gains)}", ends=ends)
    if row["verdict"] != "not separable":
        return f"{apart}."
    needed = row["cases needed"]
    if np.isnan(needed):
        return say("few", apart=apart, few=about["few"] or f"there are too few {about['unit']}")
    if needed >= 1e9:
        return say("endless", apart=apart, unit=about["unit"])
    alone = about["models"] > 2 and (row["difference low"] > 0 or row["difference high"] < 0)
    return say("among" if alone else "needed", apart=apart, needed=f"{float(f'{needed:.2g}'):,.0f}", unit=about["unit"],
               all=written(about["models"]))


def _tells(row: pd.Series) -> bool:
    """Does the interval of the saving say what the interval of the difference does, which decides? NaN does not."""
    ends = np.array([row["saving low"], row["saving high"]], dtype=float)
    deciding = np.array([row["difference low"], row["difference high"]], dtype=float)
    most = 1 + 1e-9 if row["cost"] > 0 else MOST_SHARE  # of a cost no more than all can be saved
    return bool(np.all(np.abs(ends) <= MOST_SHARE) and ends[1] <= most and np.array_equal(
        np.sign(ends), np.sign(deciding)))


def _infinite(first: str, cost: float, name: str, other: float) -> str:
    """A cost is infinite where a forecast excluded what happened: then there is nothing to estimate."""
    if np.isinf(cost) and np.isinf(other):
        return say("both_infinite", first=first, name=name)
    return say("infinite", first=first if np.isinf(cost) else name, name=name if np.isinf(cost) else first)


def _side(value: float, gains: bool) -> str:
    """Is a saving of this sign a cost that is less, or more? A gain the other way."""
    return "less" if (value >= 0) != gains else "more"


def _percent(share: float) -> str:
    value = 100 * share + 0.0
    return f"{value:.0f}%" if abs(value) >= 9.95 else f"{value:.2g}%"
