"""What numbers alone make one doubt: rows to which a model was fitted, forecasts that were filled in, capped demand.

Implements no part of a source. Each function returns sentences; two refuse: forecasts that are all of the other label,
and a total among the rows.
"""

from __future__ import annotations

import contextlib
import itertools
import math
import re
from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import binom

from pwu_lite.metrics._kernels import detection_auroc
from pwu_lite.reporting.rules import RULES

from . import as_numbers
from .as_labels import key
from .columns import name_tokens
from .evidence import typed

__all__ = ["above", "absent", "by_segment", "capped", "coded", "copied", "ends", "features", "filled", "fitted",
           "frequencies", "horizons", "in_per_cent", "in_sample", "in_steps", "kept_shares", "mirrored", "of_a_label",
           "of_another_column",
           "of_the_other_label", "off", "one_outcome", "pending", "per_cent", "ranks", "refuse_sum", "repeats",
           "sums_of", "together", "totals", "two_acts", "units", "variances"]

FAR, LOWER = 6.0, 4.0  # standard errors: by luck once in a billion columns, and once in thirty thousand models
MANY_UNITS, MOST_APART = 60, 100.0  # variables of a table, and how far apart their outcomes are
CODES = (99.0, 999.0, 9999.0, 99999.0)  # and their negatives: what stands for a missing value
LEAST_ROWS, MOST_VALUES, SHARE, APART, ROUNDED = 30, 6, 0.05, 4, 2e-3
SOLD_OUT = {"stockout", "stockouts", "soldout", "outofstock", "oos"}  # what says that demand was not met
LEAST_OFTEN, LEAST_STEPS = 5, 4  # rows of a number, and numbers, that tell a fit to these outcomes
SPAN = re.compile(r"(?<![a-z0-9.])(\d+)[ _-]?(h|d|w|m|y|hr|hour|day|wk|week|mo|mth|month|yr|year)s?(?![a-z0-9])")
HOURS = {word: hours for words, hours in (("h hr hour", 1.0), ("d day", 24.0), ("w wk week", 168.0),
                                          ("m mo mth month", 730.5), ("y yr year", 8766.0)) for word in words.split()}
SAME_SPAN = 0.1  # 4 weeks and a month, 30 days and a month
IN_SAMPLE = {"train", "training", "insample", "fitted", "apparent", "resubstitution"}
CALLED = {"score", "prob", "proba", "probability", "risk", "pred", "prediction", "predicted", "forecast"}
SINCE = {"book", "mob", "tenure", "vintage", "since", "exposure", "followed", "observed", "open"}
FEW_ROWS = 100
LEAST_ALIKE, MOST_MATCHED = 20, 6  # values of a column, and rows of each that were matched
CLOSE, HIGHER = 1.5, 0.6  # of a forecast's mean to the share of events, and the least chance that it orders a pair
ODDS = 3.0  # of the mean forecast to those of the share of events: more than most models are off
FEW_TIMES, ALIKE = 1.25, 0.95  # the least ratio of losses; how many rows a column has like a model's own success


def fitted(frame: pd.DataFrame, models: Mapping[str, np.ndarray], y: np.ndarray, special: set[Any]) -> list[str]:
    """Columns in one value of which a model is far better than elsewhere, and the other models are not.

    Better with the event as well as without it, so that a copy of the outcome or a predicted label says nothing; and a
    column that says where the model was right is left out.

    Parameters
    ----------
    frame : pandas.DataFrame
    models : mapping of str to ndarray, shape (n,)
        Probabilities.
    y : ndarray, shape (n,)
        Outcomes, 0 or 1.
    special : set
        Columns that have another part.

    Examples
    --------
    >>> y, rows = np.tile([0, 1], 80), np.repeat(["a", "b"], 80)
    >>> said = np.where(y == 1, 0.6, 0.4)
    >>> known = np.where(rows == "a", 0.1 + 0.8 * y, said)
    >>> fitted(pd.DataFrame({"part": rows}), {"tree": known, "line": said}, y, set())
    ['tree is far nearer to the outcomes where part = a than elsewhere, and the other models are not: was it fitted to \
these rows? --only leaves rows out.']
    """
    losses = {name: (f - y) ** 2 for name, f in models.items() if np.isfinite(f).all()}
    every = sum(losses.values(), np.zeros(len(y)))
    found: list[str] = []
    for column, number, keys in _few(frame, special | {*models}) if len(losses) > 1 else ():
        for kind in sorted(set(keys)):
            here = number == keys.index(kind)
            if min(here.sum(), (~here).sum()) < LEAST_ROWS:
                continue
            for name, loss in losses.items():
                ahead = (every - loss) / (len(losses) - 1) - loss  # of the mean of the others
                means, noise = zip(*((ahead[rows].mean(), ahead[rows].var() / rows.sum()) for rows in (here, ~here)),
                                   strict=True)
                kinds = [[rows & (y == label) for rows in (here, ~here)] for label in (0, 1)]
                better = all(own.any() and rest.any() and FEW_TIMES * loss[own].mean() < loss[rest].mean()
                             for own, rest in kinds)
                right = np.mean(here == (loss < 0.25)) > ALIKE
                if better and not right and means[0] - means[1] > FAR * np.sqrt(sum(noise)):
                    found.append(f"{name} is far nearer to the outcomes where {column} = {kind} than elsewhere, and "
                                 f"the other models are not: was it fitted to these rows? --only leaves rows out.")
    return found


def in_steps(models: Mapping[str, np.ndarray], y: np.ndarray) -> list[str]:
    """Models whose numbers are the very shares of events among the rows that have them, as after a fit to these rows.

    A number v of d digits on n rows equals an attainable share by chance in about ``n * 10**-d`` of the cases, and is
    then the share that came with the binomial probability; both together must be below one in a million.

    Parameters
    ----------
    models : mapping of str to ndarray, shape (n,)
        Probabilities.
    y : ndarray, shape (n,)
        Outcomes, 0 or 1.

    Examples
    --------
    >>> group = np.repeat(np.arange(7), 60)
    >>> y = (np.tile(np.arange(60), 7) < 7 * group + 5).astype(int)
    >>> shares = (np.bincount(group, y) / 60).round(4)
    >>> in_steps({"tuned": shares[group], "plain": np.linspace(0.1, 0.7, 7)[group]}, y)
    ['tuned has 7 different numbers, of which 7 are exactly the share of events among their rows: was it fitted to \
these outcomes? Then its cost on other rows is higher; --only leaves rows out.']
    """
    found = []
    for name, f in models.items():
        known = np.isfinite(f)
        values, place, often = np.unique(f[known], return_inverse=True, return_counts=True)
        digits = next((d for d in range(1, 13) if np.allclose(values, values.round(d), rtol=0, atol=1e-9)), 12)
        events, slack = np.bincount(place, y[known]), often * 0.5 * 10.0**-digits + 1e-9
        telling = (values > 0) & (values < 1) & (often >= LEAST_OFTEN) & (slack < 0.25)
        exact = telling & (np.abs(values * often - events) <= slack)
        chance = binom.logpmf(events[exact], often[exact], values[exact]) + np.log(np.minimum(1, 2 * slack[exact]))
        ways = math.comb(int(telling.sum()), int(exact.sum()))
        if exact.sum() >= LEAST_STEPS and chance.sum() + math.log(ways) < math.log(1e-6):
            found.append(f"{name} has {len(values):,} different numbers, of which {exact.sum():,} are exactly the "
                         f"share of events among their rows: was it fitted to these outcomes? Then its cost on other "
                         f"rows is higher; --only leaves rows out.")
    return found


def _few(frame, without):
    """Columns of two to six values: name, number of each row's value (-1 if it is missing), and keys of the values."""
    for column in map(str, frame.columns):
        if column not in without:
            number, kinds = pd.factorize(frame[column])
            if 2 <= len(kinds) <= MOST_VALUES:
                keys = [key(kind) for kind in kinds]
                places = [*map(keys.index, keys), -1]  # 1 and 1.0 are one value
                yield column, np.array(places)[number], keys


def one_outcome(frame: pd.DataFrame, y: np.ndarray, truth: str, special: set[Any],
                models: Mapping[str, np.ndarray] = MappingProxyType({})) -> list[str]:
    """Parts of the rows in which the outcome never changes, as where nobody looked for it, or where a shop was closed.

    Not where all parts are of one outcome each: such a column is the outcome again. Nor where a column of three values
    or more says in which range a forecast lies; of two, it may say what was decided by the forecast.

    Examples
    --------
    >>> y = np.where(np.arange(200) < 100, 0, np.arange(200) % 2)
    >>> one_outcome(pd.DataFrame({"status": np.repeat(["closed", "seen"], 100)}), y, "ill", set())
    ['ill is 0 in all 100 rows where status = closed: was it looked for there, and is there a decision to take? \
--only leaves rows out.']
    """
    found = []
    for column, number, keys in _few(frame, special | {truth}):
        if len(keys) > 2 and (any(_in_ranges(number, f) for f in models.values())
                              or all(np.ptp(y[number == kind]) == 0 for kind in np.unique(number))):
            continue
        for kind in sorted(set(keys)):
            here = number == keys.index(kind)
            inside, outside = y[here], y[~here]
            if min(inside.size, outside.size) < LEAST_ROWS or np.ptp(inside) > 0 or np.ptp(outside) == 0:
                continue
            if len(keys) == 2 and np.mean(outside == inside[0]) < 0.5 and any(
                    _is_label(number, above) for f in models.values() for above in (f > 0.5, f >= 0.5)):
                continue  # the label that a model predicts, and mostly rightly
            if inside.size * np.log(max(np.mean(outside == inside[0]), 1e-9)) < np.log(1e-9):  # by chance never
                own = {key(each) for each in frame.loc[here, truth].unique()} if truth in frame else set()
                found.append(f"{truth} is {own.pop() if len(own) == 1 else format(inside[0], 'g')} in all "
                             f"{inside.size:,} rows where {column} = {kind}: was it looked for there, and is there a "
                             f"decision to take? --only leaves rows out.")
    return found


def _is_label(number, above):
    """Does a column have one value where a forecast is above one half, and another one where it is not?"""
    return 0 < above.sum() < above.size and not {*number[above]} & {*number[~above]}


def _in_ranges(number, f):
    """Does each value stand where the forecasts lie in a range of its own, in which they differ?"""
    in_order = number[np.argsort(f, kind="stable")]
    kinds = np.unique(number)
    return np.count_nonzero(np.diff(in_order)) < kinds.size and all(np.ptp(f[number == kind]) > 0 for kind in kinds)


def kept_shares(frame: pd.DataFrame, y: np.ndarray, special: set[Any]) -> dict[str, str]:
    """Columns that tell how a sample was drawn by the outcome: the shares that it kept, or what each case stands for.

    A share is 1 (or 100) for each event and less for most other cases. A weight above 1 is one number for all events,
    and either another one for all others, or 1 beside larger ones.

    Examples
    --------
    >>> y = np.arange(100) % 4 == 0
    >>> kept_shares(pd.DataFrame({"frac": np.where(y, 1.0, 0.15)}), y, set())["frac"][:52]
    'frac is 1 for each event and less for 75 other cases'
    """
    found = {}
    for column, number, keys in _few(frame, special):
        try:
            values = np.array([*map(float, keys), np.nan])[number]
        except ValueError:
            continue
        top, rest = (values[y == label] for label in (1, 0))
        if min(top.size, rest.size) >= LEAST_ROWS / 2 and np.ptp(top) == 0 and top[0] in (1, 100) and (
                rest > 0).all() and np.mean(rest < top[0]) > 0.5 and (rest <= top[0]).all():
            fewer = np.sum(rest < top[0])
            found[column] = (f"{column} is {top[0]:g} for each event and less for {fewer:,} other cases: is it the "
                             f"share that was kept of such cases? Then a column of {top[0]:g} / {column}, named with "
                             f"--weights, counts each case for all that it stands for.")
        elif min(top.size, rest.size) >= LEAST_ROWS / 2 and values.max() > 1 and _stand_for(top, rest):
            found[column] = (f"{column} is {top[0]:g} for each event and {_ends(rest)} for the others: is it how many "
                             f"cases each one stands for, as in a sample that was drawn by the outcome? Then --weights "
                             f"{column} takes it.")
    return found


def _stand_for(top, rest):
    """Is it one number for all events, and another or larger ones for the others? Two whole numbers may be labels."""
    if np.ptp(top) > 0 or min(top[0], rest.min()) <= 0:
        return False
    pair = {top[0], rest[0]}
    labels = pair == {1, 2} or (1 not in pair and all(value == np.floor(value) for value in pair))
    if np.ptp(rest) == 0:
        return len(pair) > 1 and not labels
    return top[0] == 1 <= rest.min() and np.mean(rest > 1) > 0.5


def by_segment(frame: pd.DataFrame, models: Mapping[str, np.ndarray], special: set[Any]) -> list[str]:
    """Columns beside forecasts that have one value for each kind of case, as thresholds have.

    Examples
    --------
    >>> kind = np.repeat(["new", "old"], 20)
    >>> table = pd.DataFrame({"kind": kind})
    >>> by_segment(table, {"a": np.linspace(0.1, 0.9, 40), "cut": np.where(kind == "new", 0.1, 0.3)}, set())[0][:44]
    'cut has one value for each value of kind, as'
    """
    few = {name: len(np.unique(values)) for name, values in models.items()}
    coarse = [name for name, number in few.items() if number <= MOST_VALUES < max(few.values()) / 3]
    kinds = [column for column in map(str, frame.columns) if coarse and column not in {*models} | special
             and 2 <= frame[column].nunique() <= len(frame) / 10]
    said = []
    for name in coarse:
        segment = next((column for column in kinds
                        if (pd.Series(models[name]).groupby(frame[column].to_numpy()).nunique() <= 1).all()), None)
        if segment is not None:
            said.append(f"{name} has one value for each value of {segment}, as a threshold or a price has. If it is "
                        f"one, choose the forecasts with --models; "
                        f"--cost-share {typed(name)} takes it as each case's c.")
    return said


def _ends(values):
    low, high = values.min(), values.max()
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"


def mirrored(models: Mapping[str, np.ndarray], y: np.ndarray) -> list[str]:
    """Rows of which each has a twin with the other label and 1 minus each forecast: two sides of one case.

    Examples
    --------
    >>> f, y = np.linspace(0.1, 0.8, 40), np.arange(40) % 2
    >>> mirrored({"a": np.append(f, 1 - f)}, np.append(y, 1 - y))[0][:50]
    'Each row has a twin with the other outcome and 1 m'
    """
    rows = np.column_stack([y, *models.values()])
    if len(y) < LEAST_ROWS or not np.isfinite(rows).all() or len(np.unique(rows[:, 1])) < MOST_VALUES:
        return []
    both = [np.rint(1e5 * one) for one in (rows, 1 - rows)]
    one, two = (side[np.lexsort(side.T)] for side in both)
    return ["Each row has a twin with the other outcome and 1 minus each forecast: are these the two sides of one "
            "case? Keep one of the two, or name the case with --groups. The intervals are too narrow otherwise."] if (
        abs(one - two) <= 1).all() else []


def totals(frame: pd.DataFrame, special: set[Any]) -> list[str]:
    """Columns in which a value is the beginning of others, as ``AU`` is of ``AU/NSW``: totals beside their parts.

    Examples
    --------
    >>> totals(pd.DataFrame({"unique_id": ["AU", "AU/NSW", "AU/VIC"] * 9}), set())[0][:59]
    'unique_id has AU beside AU/NSW: are these totals and their '
    """
    found = []
    for name in map(str, frame.columns):
        if name in special or pd.api.types.is_numeric_dtype(frame[name]):
            continue
        kinds = sorted({key(kind) for kind in frame[name].dropna().unique()})
        below = (pair for pair in itertools.pairwise(kinds) if pair[1].startswith((f"{pair[0]}/", f"{pair[0]}|")))
        total, part = next(below, ("", ""))
        if part and len(kinds) < len(frame) / 2:
            found.append(f"{name} has {total} beside {part}: are these totals and their parts? What is counted twice "
                         f"weighs twice, and totals most; --only keeps the rows of one value.")
    return found


def of_another_column(frame: pd.DataFrame, models: Mapping[str, np.ndarray], y: np.ndarray, truth: str,
                      special: set[Any]) -> list[str]:
    """Models that are nearer to another column of two labels than to the outcome, or have its name in theirs; not all.

    A column that a forecast alone decides says nothing: it is the label that a model predicts.

    Examples
    --------
    >>> ill, hurt = np.tile([0, 1], 100), np.tile([0, 0, 1, 1], 50)
    >>> models = {"a": 0.2 + 0.4 * ill + np.arange(200) / 400, "b": 0.2 + 0.4 * hurt + np.arange(200) / 400}
    >>> of_another_column(pd.DataFrame({"hurt": hurt.astype(str)}), models, ill, "ill", set())
    ['b goes with hurt more than with ill: is it a forecast of that? --models names the forecasts of ill.']
    """
    known = {name: f for name, f in models.items() if np.isfinite(f).all()}
    found = []
    for column, number, kinds in _few(frame, special | {truth, *models}) if len(known) > 1 else ():
        if sorted(set(kinds)) != ["0", "1"] or (number < 0).any():
            continue
        label = number == kinds.index("1")
        if (label == (y == 1)).all():  # the outcome again, as a join leaves it
            continue
        if any(f[label].min() >= f[~label].max() for f in known.values()):
            continue
        gaps = {name: (f - y) ** 2 - (f - label) ** 2 for name, f in known.items()}
        nearer = [name for name, gap in gaps.items() if gap.mean() > LOWER * gap.std() / np.sqrt(len(y))]
        mine, its = (name_tokens(one) - name_tokens(two) for one, two in ((truth, column), (column, truth)))
        if not nearer and mine and its and any(mine <= name_tokens(name) for name in known):
            nearer = [name for name in known if its <= name_tokens(name) and not mine <= name_tokens(name)]
        nearer = [name for name in nearer if not mine or not mine <= name_tokens(name)]  # it has the outcome's name
        if 0 < len(nearer) < len(known):
            each = ("goes", "is it a forecast") if len(nearer) == 1 else ("go", "are they forecasts")
            found.append(f"{', '.join(nearer)} {each[0]} with {column} more than with {truth}: {each[1]} of that? "
                         f"--models names the forecasts of {truth}.")
    return found


def copied(models: Mapping[str, np.ndarray], y: np.ndarray) -> list[str]:
    """Rows with the outcome and all the forecasts of an earlier row, of models one of which hardly ever repeats itself.

    Rounded forecasts meet by chance, but then each model alone repeats itself in the other rows as well.

    Examples
    --------
    >>> f = np.linspace(0.1, 0.9, 100)
    >>> copied({"a": np.append(f, f[:9]), "b": np.append(f**2, f[:9] ** 2)}, np.zeros(109))
    ['9 of 109 rows have the outcome and the forecasts of an earlier row: if a join has copied them, take them out, \
or name the case with --groups. The intervals are too narrow otherwise.']
    """
    if len(models) < 2:
        return []
    table = pd.DataFrame({**models, "outcome of the row": y})
    table = table[~table[list(models)].isin((0, 1)).all(axis=1)]  # a certain case is like another
    again = int(table.duplicated().sum())
    rest = table.drop_duplicates()
    if again <= max(2, SHARE * len(y)) or max(rest[name].nunique() for name in models) < 0.9 * len(rest):
        return []
    return [f"{again:,} of {len(y):,} rows have the outcome and the forecasts of an earlier row: if a join has copied "
            f"them, take them out, or name the case with --groups. The intervals are too narrow otherwise."]


def ends(models: Mapping[str, np.ndarray], y: np.ndarray) -> list[str]:
    """Models that are often exactly zero or one, and wrong there as often as half of a guess.

    Examples
    --------
    >>> ends({"a": np.where(np.arange(100) < 20, 0.0, 0.5)}, np.arange(100) % 2)
    ['a is exactly 0 in 20 of 100 rows, and wrong in 10 of them: are these forecasts, or filled in?']
    """
    found = []
    for (name, f), end in itertools.product(models.items(), (0.0, 1.0)):
        rows = f == end
        wrong = int((y[rows] != end).sum())
        if np.isin(f, (0, 1)).all():  # labels
            continue
        if SHARE * len(f) <= rows.sum() < len(f) / 2 and wrong > max(2, rows.sum() * abs(y.mean() - end) / 2):
            found.append(f"{name} is exactly {end:g} in {rows.sum():,} of {len(f):,} rows, and wrong in {wrong:,} "
                         f"of them: are these forecasts, or filled in?")
    return found


def per_cent(models: Mapping[str, np.ndarray], y: np.ndarray) -> list[str]:
    """Models whose mean is the share of events if it is read as per cent, and far from it otherwise.

    Examples
    --------
    >>> per_cent({"a": np.full(1000, 0.4)}, (np.arange(1000) < 5).astype(int))
    ['a is 0.4 on average, and 0.50% of the cases are events: is it in per cent? Then divide it by 100.']
    """
    base, means = float(y.mean()), {name: float(f[np.isfinite(f)].mean()) for name, f in models.items()
                                    if np.isfinite(f).any()}
    return [f"{name} is {mean:.2g} on average, and {base:.2%} of the cases are events: is it in per cent? Then divide "
            f"it by 100." for name, mean in means.items() if mean > 10 * base > 0 and base / 3 < mean / 100 < 3 * base]


def in_per_cent(frame: pd.DataFrame, names: list[str], y: np.ndarray) -> list[str]:
    """Columns that were left out and look like forecasts in per cent: of the event's frequency, and higher with it.

    Examples
    --------
    >>> y = np.arange(100) >= 80
    >>> in_per_cent(pd.DataFrame({"b": np.where(y, 60.5, 12.5)}), ["b"], y)[0][:59]
    'b / 100 is 0.22 on average, 20% of the cases are events, an'
    """
    found, base = [], float(y.mean())
    for name in names:
        values = as_numbers.values(frame[name])
        if not np.isfinite(values).all() or (values % 1 == 0).all() or not 0 < base < 1:
            continue
        if name_tokens(name) & set(RULES["outcomes"]):  # actual_share is what happened
            continue
        mean = values.mean() / 100
        if base / CLOSE < mean < CLOSE * base and detection_auroc(y == 1, values) > HIGHER:
            found.append(f"{name} / 100 is {mean:.2g} on average, {100 * base:.2g}% of the cases are events, and it is "
                         f"higher where they are: is it a forecast in per cent? --percent {typed(name)} compares it.")
    return found


def ranks(models: Mapping[str, np.ndarray]) -> list[str]:
    """Models of which each value is its rank as a share, but for rounding: probabilities never are, by chance alone.

    Examples
    --------
    >>> len(ranks({"a": np.arange(1, 201) / 200})), ranks({"a": np.random.default_rng(0).random(200)})
    (1, [])
    """
    found = []
    for name, f in models.items():
        values, often = np.unique(f[np.isfinite(f)], return_counts=True)
        if len(values) >= max(100, len(f) / 4):
            below, near = (often.cumsum() - often) / often.sum(), 1 / often.sum() + 5e-4
            if ((values >= below - near) & (values <= below + often / often.sum() + near)).all():
                found.append(f"{name} is spread evenly from 0 to 1, as ranks and percentiles are and probabilities are "
                             f"not: --models names the forecasts to compare.")
    return found


def filled(models: Mapping[str, np.ndarray]) -> list[str]:
    """Models with one number far more often than any other; the smallest and largest may be bounds.

    Examples
    --------
    >>> filled({"a": np.where(np.arange(100) < 9, 0.5, np.linspace(0.1, 0.9, 100))})
    ['a is 0.5 in 9 of 100 rows, and no other number in more than 1: are these forecasts, or filled in?']
    """
    found = []
    for name, f in models.items():
        values, often = np.unique(f[np.isfinite(f)], return_counts=True)
        if len(values) < LEAST_ROWS:
            continue
        values, often = values[1:-1], often[1:-1]  # at the ends many may have been cut off
        second, number = (int(one) for one in np.sort(often)[-2:])
        value = values[np.argmax(often)]
        if number >= max(SHARE * len(f), APART * second):
            found.append(f"{name} is {value:g} in {number:,} of {len(f):,} rows, and no other number in more than "
                         f"{second:,}: are these forecasts, or filled in?")
    return found


def repeats(y: np.ndarray) -> list[str]:
    """Outcomes that come again in the same order, as from repeated fits without a column that says so.

    Examples
    --------
    >>> y = np.random.default_rng(0).integers(0, 2, 60)
    >>> repeats(np.tile(y, 3))
    ['The outcomes of the first 60 rows come 3 times in the same order: if these are the same cases again, number them \
in a column and name it with --groups. The intervals are too narrow otherwise.']
    """
    n = len(y)
    for times in range(20, 1, -1):
        size = n // times
        if n % times or size < LEAST_ROWS or np.count_nonzero(np.diff(y[:size])) < 9:
            continue
        if (y.reshape(times, size) == y[:size]).all() and not any(
                size % one == 0 and (y[:size].reshape(-1, one) == y[:one]).all() for one in range(1, LEAST_ROWS)):
            return [f"The outcomes of the first {size:,} rows come {times} times in the same order: if these are the "
                    f"same cases again, number them in a column and name it with --groups. The intervals are too "
                    f"narrow otherwise."]
    return []


def of_the_other_label(models: Mapping[str, np.ndarray], y: np.ndarray, event: str, other: str,
                       named: bool = False) -> list[str]:
    """Forecasts that are lower where the event came: all of them are refused, unless the event was named; some said.

    By far more than luck, or on average as often as the other label comes, and not as the event does.

    Raises
    ------
    ValueError
        All of them are, and nobody has said which label is the event.

    Examples
    --------
    >>> of_the_other_label({"a": np.linspace(1, 0, 40)}, np.repeat([0, 1], 20), "ill", "well", named=True)
    ['a is lower where the outcome is ill: is it the probability of well? Then write 1 - x of each.']
    """
    came = y == 1
    known = {name: f for name, f in models.items() if np.isfinite(f).all()}
    if not known or min(came.sum(), (~came).sum()) < 5:
        return []
    turned, certain = list[str](), True
    for name, f in known.items():
        one, two, base = f[~came], f[came], came.mean()
        gap = (one.mean() - two.mean()) / np.sqrt(one.var() / one.size + two.var() / two.size + 1e-300)
        certain = certain and gap > LOWER
        if gap > LOWER or gap > 0 and f.min() < 0.5 and APART * abs(1 - f.mean() - base) < abs(f.mean() - base):
            turned.append(name)
    if certain and not named:
        raise ValueError(f"all forecasts are lower where the outcome is {event}: they seem to be probabilities of "
                         f"{other}. Write 1 - x of each; or say --event {typed(other)}, and a miss is then one of "
                         f"{other}; or --event {typed(event)} if they are not")
    each = ("is", "is it the probability") if len(turned) == 1 else ("are", "are they probabilities")
    return [f"{', '.join(turned)} {each[0]} lower where the outcome is {event}: {each[1]} of {other}? Then write "
            f"1 - x of each."] if turned else []


def cut(models: Mapping[str, np.ndarray], y: np.ndarray) -> list[str]:
    """Forecasts above which all events lie, and all other cases below: one of the two was made from the other.

    Forecasts of two values are answers, and those of a model that knows are said to.

    Examples
    --------
    >>> cut({"a": np.linspace(0.2, 0.4, 40), "b": np.tile([0.1, 0.4], 20)}, np.repeat([0, 1], 20))
    ['In a all events lie above all other cases: was the outcome cut from it, or was it made with the outcome known?']
    """
    came = y == 1
    few = min(came.sum(), (~came).sum()) < LEAST_ROWS / 5
    names = [] if few else [name for name, f in models.items() if f[came].min() > f[~came].max()
                            and len(np.unique(f)) > 2 and np.abs(f - y).mean() > 0.01]
    them = "it, or was it" if len(names) == 1 else "them, or were they"
    return [f"In {', '.join(names)} all events lie above all other cases: was the outcome cut from {them} made with "
            f"the outcome known?"] if names else []


def off(sums: Mapping[str, np.ndarray]) -> list[str]:
    """Models that say far more events, or far fewer, than came: other cases, or scores in place of probabilities.

    By far more than luck, and three times in odds.

    Parameters
    ----------
    sums : mapping of str to ndarray, shape (4,)
        Of each model's forecasts f that are there: their number, the sums of f and f (1 - f), and the events; of pieces
        of a file these add up.

    Examples
    --------
    >>> off({"a": sums_of(np.linspace(0.3, 0.9, 200), np.arange(200) >= 180)})
    ['a is 0.6 on average, and 10% of the cases are events: were the cases chosen by their outcome, or is a a score? \
--recalibrate judges what is left when that is repaired.']
    """
    far, base = {}, 0.0
    for name, (cases, total, spread, events) in sums.items():
        mean, share = total / max(cases, 1), events / max(cases, 1)
        if min(mean, share) <= 0 or max(mean, share) >= 1 or abs(mean - share) <= FAR * np.sqrt(spread) / cases:
            continue
        ratio = mean / (1 - mean) * (1 - share) / share
        if max(ratio, 1 / ratio) > ODDS:
            far[name], base = mean, share
    if not far:
        return []
    said = ", ".join(f"{name} is {mean:.2g}" for name, mean in far.items())
    scores = f"is {next(iter(far))} a score" if len(far) == 1 else "are these scores"
    return [f"{said} on average, and {100 * base:.2g}% of the cases are events: were the cases chosen by their "
            f"outcome, or {scores}? --recalibrate judges what is left when that is repaired."]


def above(f: np.ndarray, y: np.ndarray) -> bool:
    """Does a model say far more events than came, by more than luck; or are fewer than half of the cases events?

    Examples
    --------
    >>> above(np.full(400, 0.7), np.arange(400) < 220), above(np.full(400, 0.6), np.arange(400) < 220)
    (True, False)
    """
    cases, total, spread, events = sums_of(f, y)
    return bool(events < cases / 2 or total - events > FAR * np.sqrt(spread))


def sums_of(f: np.ndarray, y: np.ndarray) -> np.ndarray:
    """What `off` needs of one model, or of its part of a file.

    Examples
    --------
    >>> sums_of(np.array([0.5, np.nan]), np.array([1, 0])).tolist()
    [1.0, 0.5, 0.25, 1.0]
    """
    known = np.isfinite(f)
    return np.array([known.sum(), f[known].sum(), (f[known] * (1 - f[known])).sum(), y[known].sum()], dtype=float)


def absent(models: Mapping[str, np.ndarray], y: np.ndarray, event: str) -> list[str]:
    """Models whose missing forecasts go with the outcome: the rows that are left are other cases.

    Examples
    --------
    >>> absent({"a": np.where(np.arange(100) < 40, np.nan, 0.5)}, (np.arange(100) < 50).astype(int), "ill")
    ['a has no forecast in 40 rows, of which 100% are ill, and 17% of the others: the rows with a forecast are other \
cases than those without.']
    """
    found = []
    for name, f in models.items():
        gone = np.isnan(f)
        if min(gone.sum(), (~gone).sum()) < 5:
            continue
        there, rest = y[gone].mean(), y[~gone].mean()
        if abs(there - rest) > LOWER * np.sqrt(y.mean() * (1 - y.mean()) * (1 / gone.sum() + 1 / (~gone).sum())):
            found.append(f"{name} has no forecast in {gone.sum():,} rows, of which {there:.0%} are {event}, and "
                         f"{rest:.0%} of the others: the rows with a forecast are other cases than those without.")
    return found


def together(frame: pd.DataFrame, y: np.ndarray, names: list[Any]) -> dict[Any, str]:
    """Columns that hold rows together as the outcome shows: it is the same for each value, or comes once for each.

    Examples
    --------
    >>> case = np.repeat(np.arange(40), 3)
    >>> together(pd.DataFrame({"item": case}), case % 2, ["item"])["item"][:66]
    'The outcome is the same in all rows of each item: are these rows o'
    >>> together(pd.DataFrame({"set": case}), (np.arange(120) % 3 == 0).astype(int), ["set"])["set"][:38]
    'Each set has one event in 3 rows: were'
    """
    found = {}
    for name in names:
        number, kinds = pd.factorize(frame[name])
        if len(kinds) < LEAST_ALIKE or (number < 0).any():
            continue
        rows, events = np.bincount(number), np.bincount(number, weights=y)
        more, base = rows > 1, y.mean()
        alike = (events == 0) | (events == rows)
        both = min(((events == 0) & more).sum(), ((events == rows) & more).sum()) >= LEAST_ALIKE / 4
        with np.errstate(divide="ignore"):  # of very many rows: no chance at all
            chance = np.sum(np.log(base ** rows[more] + (1 - base) ** rows[more])) if 0 < base < 1 else 0.0
        if alike.all() and both and chance < np.log(1e-9):
            found[name] = (f"The outcome is the same in all rows of each {name}: are these rows one case each time? "
                           f"--groups {typed(name)} keeps them together{_telling(frame, name)}.")
        elif (events == 1).all() and np.ptp(rows) == 0 and 1 < rows[0] <= MOST_MATCHED:
            found[name] = (f"Each {name} has one event in {rows[0]} rows: were cases chosen to match an event? Then "
                           f"the share of events, and so each cost, is that of the design; --groups {typed(name)} "
                           f"keeps them together.")
    return found


def _telling(frame, name):
    """The column of a few values that tells the rows of each value apart, and the option that keeps one of each."""
    for column in map(str, frame.columns):
        kinds = frame[column].nunique()
        if column != name and 2 <= kinds <= MOST_VALUES and not frame.duplicated([name, column]).any():
            last = max(map(key, frame[column].dropna().unique()))
            return f"; {column} tells them apart, and --only {typed(f'{column}={last}')} keeps one of each"
    return ""


def horizons(models: Collection[str], truth: str) -> list[str]:
    """Forecasts whose names say another span of time than the outcome's name does, or than that of another forecast.

    Examples
    --------
    >>> horizons(["pd_12m", "pd_24m"], "default_1y")
    ['default_1y is about 1y, and pd_24m about 24m, by their names: --models names the forecasts of default_1y.']
    >>> horizons(["risk_5y", "risk_10y"], "died")[0][:59]
    'By their names, risk_5y is about 5y and risk_10y about 10y:'
    """
    spans = {name: span for name in [truth, *models] if (span := _span(name))}
    if truth in spans:
        other = [name for name in spans if abs(spans[name][0] / spans[truth][0] - 1) > SAME_SPAN]
        said = ", ".join(f"{name} about {spans[name][1]}" for name in other)
        return [f"{truth} is about {spans[truth][1]}, and {said}, by their names: --models names the forecasts of "
                f"{truth}."] if other else []
    if len({round(hours) for hours, _ in spans.values()}) < 2:
        return []
    first, *rest = (f"{name} {{}}about {said}" for name, (_, said) in spans.items())
    said = " and ".join([first.format("is "), *(one.format("") for one in rest)])
    return [f"By their names, {said}: which of these spans is that of {truth}? --models names its forecasts."]


def _span(name):
    """The span of time that a name says, in hours, and as it is written; or None."""
    match = SPAN.search(str(name).lower())
    return (float(match[1]) * HOURS[match[2]], match[1] + match[2]) if match and float(match[1]) else None


def of_a_label(models: Mapping[str, np.ndarray], y: np.ndarray, truth: str) -> list[str]:
    """An outcome that says what was right, which forecasts tell by their distance from one half: they are of a label.

    Examples
    --------
    >>> f = np.tile([0.05, 0.45, 0.55, 0.95], 20)
    >>> of_a_label({"p": f}, (abs(f - 0.5) > 0.2).astype(int), "correct")[0][:51]
    'p tells correct by its distance from one half: is i'
    """
    if not name_tokens(truth) & {"correct", "right", "accurate"} or not 0 < y.mean() < 1:
        return []
    return [f"{name} tells {truth} by its distance from one half: is it the probability of a label, and {truth} "
            f"whether that label was predicted? Then make a column of the label, and compare with that." for name, f in
            models.items() if np.isfinite(f).all() and f.min() < 0.5 < f.max() and
            detection_auroc(y == 1, np.abs(f - 0.5)) > max(detection_auroc(y == 1, f), 0.5) + 0.1]


def features(models: Mapping[str, np.ndarray]) -> list[str]:
    """Some columns are called forecasts and the others are not, nor alike: these may be features.

    Examples
    --------
    >>> features({"risk_score": np.zeros(3), "load": np.zeros(3), "entropy": np.zeros(3)})
    ['Only risk_score is called a forecast: if load and entropy are not, say --models risk_score.']
    """
    called = [name for name in models if name_tokens(name) & CALLED]
    rest = [name for name in models if name not in called]
    if len(called) != 1 or len(rest) < 2 and not any(as_numbers.in_percent(name) for name in rest):
        return []
    listed = " and ".join(filter(None, [", ".join(rest[:-1][:5]), rest[-1]]))
    return [f"Only {called[0]} is called a forecast: if {listed} {'are' if len(rest) > 1 else 'is'} not, say --models "
            f"{typed(called[0])}."]


def in_sample(models: Collection[str]) -> list[str]:
    """Forecasts that are called after the rows that a model was fitted to.

    Examples
    --------
    >>> in_sample(["p_train", "p_test"])[0][:60]
    'p_train is called after rows that a model was fitted to: if '
    """
    own = [name for name in models if name_tokens(name) & IN_SAMPLE or name.startswith("IP_")
           and f"XP_{name[3:]}" in models]  # SAS's, beside the one by cross-validation
    return [f"{name} is called after rows that a model was fitted to: if these are such rows, its cost on others is "
            f"higher; --models names the forecasts to compare." for name in own]


def frequencies(frame: pd.DataFrame, weights: str) -> list[str]:
    """Weights of a few rows, all different, that are whole numbers and add up to many cases: a table of frequencies.

    Examples
    --------
    >>> frequencies(pd.DataFrame({"p": [0.1, 0.2], "Freq": [40, 60]}), "Freq")[0][:66]
    'Freq adds up to 100 in 2 rows: if it counts cases, repeat each row'
    """
    number, rows = as_numbers.values(frame[weights]), len(frame)
    if rows > FEW_ROWS or not (number % 1 == 0).all() or number.sum() < 5 * rows or frame.drop(
            columns=[weights]).duplicated().any():
        return []
    return [f"{weights} adds up to {number.sum():,.0f} in {rows} rows: if it counts cases, repeat each row as often. "
            f"The intervals here are those of {rows} rows, each with its weight."]


def pending(frame: pd.DataFrame, y: np.ndarray, special: set[Any]) -> list[str]:
    """Columns of time in whose youngest tenth few events came, and more elsewhere: cases there may still be open.

    Dates, and numbers that are called a time since something began.

    Examples
    --------
    >>> day = np.repeat(np.arange(1, 29), 20)
    >>> y = (day < 24) & (np.arange(560) % 3 == 0)
    >>> pending(pd.DataFrame({"opened": [f"2026-03-{one:02}" for one in day]}), y, set())[0][:67]
    'Of the 60 rows with the latest opened 0 are events, and of the othe'
    """
    found = []
    for name in [str(column) for column in frame.columns if column not in special]:
        youth = _youth(frame[name], name)
        if youth is None:
            continue
        young = youth >= np.quantile(youth, 0.9)
        if min(young.sum(), (~young).sum()) < LEAST_ROWS or not 0 < y.mean() < 1:
            continue
        few, base = y[young].sum(), y[~young].mean()
        luck = np.sqrt((len(y) + 1) / (12 * y.sum() * (1 - y).sum()))  # of the chance that an event is the older one
        if few <= base * young.sum() / 2 and detection_auroc(y == 1, -youth) - 0.5 > LOWER * luck:
            which = "smallest" if name_tokens(name) & SINCE else "latest"
            found.append(f"Of the {young.sum():,} rows with the {which} {name} {few / young.sum():.2g} are events, and "
                         f"of the others {base:.2g}: had they less time to show it? A case that is still open is not "
                         f"one without an event; leave such rows out.")
    return found


def _youth(column, name):
    """How late each case began, or None: by ISO dates, or by a number that is called a time since then."""
    if name_tokens(name) & SINCE:
        with contextlib.suppress(ValueError):  # no numbers
            age = as_numbers.values(column)
            return -age if np.isfinite(age).all() else None
    if not re.match(r"\d{4}-\d\d", str(column.iloc[0])):
        return None
    texts = column.astype("string")
    if texts.isna().any() or not texts.str.match(r"\d{4}-\d\d(?:-\d\d)?").all():
        return None
    return pd.factorize(texts, sort=True)[0].astype(float)


def two_acts(frame: pd.DataFrame, models: Mapping[str, np.ndarray]) -> list[str]:
    """Forecasts with a treatment and without it, which do not compete: a column is the difference of two models, or one
    of two values has its name in that of a single one.

    Examples
    --------
    >>> one, two = np.linspace(0.1, 0.7, 30), np.linspace(0.3, 0.8, 30)
    >>> two_acts(pd.DataFrame({"uplift": two - one}), {"treated": two, "control": one})
    ['uplift is treated less control: are these forecasts for two treatments? Then they do not compete, and --only \
keeps the rows of one.']
    """
    found = [f"{name} is called after column {column}: is it a forecast for the rows where that is 1? Then --only "
             f"{typed(f'{column}=1')} with --models {typed(name)} takes these alone."
             for column, name in _called_after(frame, models).items()]
    numbers = {}
    for column in map(str, frame.columns):
        try:
            numbers[column] = as_numbers.values(frame[column])
        except ValueError:
            continue
    names, first = list(numbers), np.array([gap[0] for gap in numbers.values() if len(gap)])
    for one, two in itertools.permutations(models, 2) if len(frame) >= LEAST_ROWS else ():
        gap = models[one] - models[two]
        for place in np.flatnonzero(abs(first - gap[0]) < ROUNDED):  # of thousands of columns the first row leaves few
            column = names[place]
            alike = column not in (one, two) and np.ptp(gap) > 0 and (abs(numbers[column] - gap) < ROUNDED).all()
            if alike:
                found.append(f"{column} is {one} less {two}: are these forecasts for two treatments? Then they do "
                             f"not compete, and --only keeps the rows of one.")
    return found


def _called_after(frame, models):
    """Columns of zeros and ones whose name is in that of one model, and of no other."""
    found = {}
    for column in map(str, frame.columns):
        named = [name for name in models if name_tokens(column) < name_tokens(name)]
        if len(named) == 1 < len(models) and column not in models and {*map(key, frame[column].unique())} == {
                "0", "1"}:
            found[column] = named[0]
    return found


def variances(models: Mapping[str, tuple[np.ndarray, np.ndarray]], y: np.ndarray) -> list[str]:
    """Standard deviations whose roots fit the errors, and which themselves do not: they may be variances.

    Examples
    --------
    >>> y = np.random.default_rng(0).normal(0, 5, 400)
    >>> variances({"a": (np.zeros(400), np.full(400, 25.0))}, y)
    ['The errors of a are 0.20 of its standard deviations, and as large as their roots: are they variances?']
    """
    found = []
    for name, (mean, spread) in models.items():
        size = [np.sqrt(np.nanmean((y - mean) ** 2 / spread**power)) for power in (2, 1)]
        if len(y) >= LEAST_ROWS and not 0.5 <= size[0] <= 2 and 0.8 < size[1] < 1.25:
            found.append(f"The errors of {name} are {size[0]:.2f} of its standard deviations, and as large as their "
                         f"roots: are they variances?")
    return found


def coded(y: np.ndarray, name: str) -> list[str]:
    """A number that comes again or is a usual code, and lies far from all others, as -999 for a missing value.

    Examples
    --------
    >>> coded(np.array([-999.0] * 4 + [3.0, 4.0, 5.0, 7.0] * 9), "sold")[0][:52]
    'sold is -999 in 4 of 40 rows, unlike all its other v'
    """
    values, often = np.unique(y[np.isfinite(y)], return_counts=True)
    if len(values) < 4:
        return []
    for place, rest in ((0, values[1:]), (-1, values[:-1])):
        far = abs(values[place] - rest).min() > 3 * np.ptp(rest) and often[place] < len(y) / 2
        if far and (often[place] > 2 or abs(values[place]) in CODES) or (
                often[place] > 2 and -values[place] in (1.0, 9.0, *CODES) and rest.min() >= 0):
            return [f"{name} is {values[place]:g} in {often[place]:,} of {len(y):,} rows, unlike all its other values: "
                    f"does that stand for a missing value? These rows are counted as they are; take them out if so."]
    return []


def units(frame: pd.DataFrame, y: np.ndarray, special: set[Any]) -> dict[str, str]:
    """Columns of text between whose values outcomes differ a hundredfold, as those of several variables do.

    Examples
    --------
    >>> table = pd.DataFrame({"target": ["rate", "jobs"] * 12})
    >>> units(table, np.tile([4.0, 150000.0], 12), set())["target"][:70]
    'Half of the outcomes are beyond 4 where target = rate and beyond 1.5e+'
    """
    found = {}
    for name in map(str, frame.columns):
        is_number = name in special or pd.api.types.is_numeric_dtype(frame[name])
        if is_number or not 2 <= frame[name].nunique() <= MANY_UNITS:
            continue
        kinds = frame[name].map(key, na_action="ignore").to_numpy()
        size = pd.Series(np.abs(y)).groupby(kinds).median()
        if size.min() > 0 and size.max() > MOST_APART * size.min():
            low, high = size.idxmin(), size.idxmax()
            found[name] = (f"Half of the outcomes are beyond {size[low]:.3g} where {name} = {low} and beyond "
                           f"{size[high]:.3g} where {name} = {high}: one bill adds up what may have several units, and "
                           f"the largest decide. --only {typed(f'{name}={low}')} takes one.")
    return found


def refuse_sum(y: np.ndarray, name: str, line: Callable[[int], Any]) -> None:
    """A row that is the sum of all others is not a case.

    Raises
    ------
    ValueError
        The largest outcome is the sum of the others.

    Examples
    --------
    >>> refuse_sum(np.array([3.0, 4.0, 5.0]), "sold", lambda place: place)
    """
    place = int(np.argmax(y))
    rest = np.delete(y, place)
    if (rest > 0).sum() > 5 and rest.min() >= 0 and abs(y[place] - rest.sum()) <= 1e-6 * y[place]:
        raise ValueError(f"line {line(place)} is not a case: its {name} is the sum of all others. Take it out of the "
                         f"file")


def capped(frame: pd.DataFrame, y: np.ndarray, special: set[Any]) -> list[str]:
    """Columns that the outcome reaches in some rows and never exceeds, as a stock does to what is sold.

    Examples
    --------
    >>> sold = np.array([5, 7, 9, 9, 6, 9, 8, 9, 9, 4] * 3)
    >>> capped(pd.DataFrame({"stock": [9, 12] * 15}), np.minimum(sold, [9, 12] * 15), set())
    ['The outcome never exceeds stock and equals it in 6 of 30 rows: demand may have been larger there \
than what is counted here.']
    """
    found = []
    for name in map(str, frame.columns):
        try:
            most = np.full(1, np.nan) if name in special else as_numbers.values(frame[name])
        except ValueError:
            continue
        reached = int((y == most).sum())
        words = set(re.sub(r"\W|_", " ", name.lower()).split()) | {re.sub(r"\W|_", "", name.lower())}
        if words & SOLD_OUT and np.isin(most, (0, 1)).all() and 0 < most.sum() < len(y):
            found.append(f"{name} is 1 in {int(most.sum()):,} of {len(y):,} rows: demand may have been larger there "
                         f"than what is counted here, and --only {typed(f'{name}=0')} leaves them out.")
            continue
        if np.isfinite(most).all() and (y <= most).all() and SHARE * len(y) <= reached < len(y):
            found.append(f"The outcome never exceeds {name} and equals it in {reached:,} of {len(y):,} rows: demand "
                         f"may have been larger there than what is counted here.")
    return found
