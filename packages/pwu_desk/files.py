"""From a file, or a table, to outcomes and forecasts: what each column is, and what was taken, in words.

Implements no part of a source.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import itertools
import os
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pwu_lite.families import Answers, BinaryDecision, CostMatrix, Family, Newsvendor, SelectivePrediction, TopK
from pwu_lite.forecasts import ipcw
from pwu_lite.metrics._kernels import detection_auroc
from pwu_lite.reporting.rules import RULES, say

from . import doubts, evidence, tables
from .columns import Columns, name_tokens
from .tables import *  # noqa: F403 - a column as numbers, as events, as groups

__all__ = [*tables.__all__, "Cases", "read"]  # noqa: PLE0604

ROUNDED = 0.02  # how far rounding may leave a sum of class probabilities from 1
LISTED = 20  # columns that are left out, by name
RANGES = ("ratio", "error", "share", "range")


class Decision(NamedTuple):
    """What a decision is asked for: its family, the option with the range, and how range and file are read."""

    family: Family
    option: str
    said: str
    read: Callable[..., tuple[Any, ...]]
    ends: Callable[[float, float], tuple[float, float]] = lambda low, high: (low, high)
    most: float = np.inf
FEW_MEMBERS, RIVALS = 5, "; if each is a rival's own forecast, call them A_q50, B_q50"
OFTEN_INSIDE = 0.2  # share of answers that hold the right one among other words: then they are written otherwise
OFTEN_PART, MOST_LETTERS = 0.05, 30  # of all answers; and different answers, of a test with letters


def _share_of_odds(low: float, high: float) -> tuple[float, float]:
    return low / (1 + low), high / (1 + high)


def decide(given, frame=None) -> Decision:
    """One of ours, or a family of the reader's own: module:Class."""
    if given.decision in DECISIONS:
        return DECISIONS[given.decision]
    if given.decision == "orders":
        levels = () if frame is None else tables.quantiles(_others(given, frame), given.coverage).levels
        return Decision(Newsvendor(levels or "members"), "ratio", "a unit short costs {} units left over, nine times "
                        "out of ten", read_orders, _share_of_odds)
    if given.decision == "acts":
        if given.costs is None:
            raise ValueError("say what each act costs in each class with --costs costs.csv")
        acts, classes, costs, price = tables.cost_table(given.costs)
        given.notes.append(f"According to {given.costs}: {tables.costs_in_words(acts, classes, costs, price)}")
        return Decision(CostMatrix(costs, price, acts), "range", f"costs from {given.costs}, the price is {{}}, nine "
                        f"times out of ten", read_acts)
    module, colon, name = given.decision.partition(":")
    if not colon:
        known = ", ".join([*DECISIONS, "orders", "acts"])
        raise ValueError(f"--decision must be {known} or module:Class, got {given.decision!r}")
    sys.path.insert(0, str(Path.cwd()))
    try:
        family = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"--decision {given.decision}: {error}") from error
    finally:
        sys.path.pop(0)
    family = family() if isinstance(family, type) else family
    if not isinstance(family, Family) or len(family.stated) != 1 or family.takes not in (("y_prob",), ("mean", "std")):
        raise ValueError(f"--decision {given.decision} must be a decision family with one prior that takes y_prob, or "
                         "mean and std")
    return Decision(family, "range", f"{family.names[0]} is {{}}, nine times out of ten",
                    read_pairs if family.takes == ("mean", "std") else read_events,
                    most=family.stated[0].domain[1])


def cost_columns(given):
    names = [name.strip() for name in given.case_costs.split(",")] if given.case_costs else []
    if len(names) != 4:
        raise ValueError(f"--case-costs must be four columns, C_FP,C_FN,C_TP,C_TN, got {given.case_costs!r}")
    return names


def special(given):
    own = cost_columns(given) if given.case_costs else []
    more = {given.confidence_of, *(given.confidence_of or "").split(","), given.competing}
    return {given.truth, given.weights, given.cost_share, given.groups, given.time, given.by, *own, *more}


def take_by_name(given, columns):
    """Weights and groups that the file names itself; what was taken, in words."""
    taken = []
    for role in ("weights", "groups"):
        if getattr(given, role) == "none" and "none" not in given.columns:
            setattr(given, role, None)
            given.refused.add(role)
        elif getattr(given, role) is None and not (role == "weights" and (is_joint(given) or given.case_costs)):
            matches = columns.taken(role, given.columns)
            if matches is not None and matches not in special(given):
                setattr(given, role, matches)
                taken.append(say("taken", role=role, column=matches))
    return taken


def is_joint(given):
    return not given.decided.family.separable


def truth_of(given):
    if given.truth is None:
        raise ValueError("name the column of outcomes with --truth")
    return given.truth


def truth_by_name(given, frame):
    """The only column of two labels that is called outcome, y, label or truth is the outcome; what is said of it."""
    if given.truth is not None or given.count is not None or given.decision not in ("binary", "top-k"):
        return []
    likely = [str(name) for name in frame.columns if str(name).lower() in RULES["outcomes"]
              and frame[name].map(tables.key, na_action="ignore").nunique() <= 2]
    if len(likely) != 1:
        two = [evidence.typed(str(name)) for name in frame.columns
               if frame[name].nunique() <= 4 and frame[name].map(tables.key, na_action="ignore").nunique() == 2]
        marks = [f"{evidence.typed(str(name))} --missing no" for name in frame.columns
                 if tables.of_one_label(frame[name])]
        raise ValueError("name the column of outcomes with --truth; " + (
            f"columns of two labels: {', '.join(two[:LISTED])}" if two else
            f"of one label, where a blank may mean no: {', '.join(marks[:LISTED])}" if marks else
            "no column has two labels: say --decision orders or selective for numbers, acts for several labels"))
    given.truth = likely[0]
    return [f"The outcome is taken from column {likely[0]}, by its name; --truth takes it from another one."]


def named_models(given):
    """Names between commas; a comma inside a column's own name separates nothing."""
    parts, named = (given.models.split(",") if given.models else []), []
    while parts:
        ends = [end for end in range(len(parts), 0, -1) if _is_known(",".join(parts[:end]).strip(), given.columns)]
        end = ends[0] if ends else 1
        named.append(",".join(parts[:end]).strip())
        parts = parts[end:]
    return named


def _is_known(name, columns):
    """A column, or what the columns of a model begin with."""
    return any(_belongs(column, name) for column in columns)


def _others(given, frame):
    """Names of the columns that may belong to a forecast."""
    named, taken = named_models(given), special(given)
    names = [str(name) for name in frame.columns if name not in taken]
    return [name for name in names if any(_belongs(name, model) for model in named)] if named else names


def _belongs(name, model):
    """Is it a column of the model: its name, or its name and a separator?"""
    return name == model or name.startswith(model) and re.match(r"[ _.:-]", name[len(model):]) is not None


def _chosen(given, found, needs):
    """The models asked for, or all; a ValueError that says which columns a model needs."""
    named = named_models(given)
    missing = [name for name in named if name not in found]
    if missing and found:
        raise ValueError(f"a model needs columns {needs}; they are there for {', '.join(found)}, not for "
                         f"{', '.join(missing)}")
    if missing or not found:
        long = (" The file seems to have one row per model: make it one row per case first, in pandas with "
                'table.pivot(columns="model", ...).') if "model" in map(str.lower, given.columns) else ""
        raise ValueError(f"a model needs columns {needs}, which were found for no model. The columns are: "
                         f"{', '.join(given.columns[:LISTED])}.{long}")
    check_models(named or found)
    return {name: found[name] for name in named or found}


def read_pairs(given, frame):
    """Outcomes, and means with standard deviations by model."""
    _refuse_long(given, frame)
    found, variance = tables.pairs(_others(given, frame)), {"var", "variance"}
    roots = [str(name) for name in frame.columns if name_tokens(name) & variance]
    needs = "NAME_mean and NAME_std" + (f" ({roots[0]}, by its name a variance, needs its root)" if roots else "")
    pairs = _chosen(given, found, needs)
    models = {name: (tables.numbers(frame, mean, gaps=may_lack(given)),
                     tables.numbers(frame, spread, above=0, gaps=may_lack(given)))
              for name, (mean, spread) in pairs.items()}
    used = {name for pair in pairs.values() for name in pair}
    _same_unit(given, frame, used)
    y = tables.numbers(frame, truth_of(given))
    given.notes += [*doubts.coded(y, truth_of(given)), *doubts.variances(models, y)]
    alone = [name for name in _others(given, frame) if tables.MIDDLE.fullmatch(name) and name not in used]
    return y, models, {**dict.fromkeys(alone, "a mean without a standard deviation"),
                       **dict.fromkeys(roots, "a variance, by its name: write its root")}, used


def read_orders(given, frame):
    """Outcomes, and quantiles or members by model, one row per case."""
    names = _others(given, frame)
    found = tables.quantiles(names, given.coverage)
    columns = _chosen(given, found.columns or tables.members(names),
                      "NAME_q05 to NAME_q95 (quantiles) or NAME_1 to NAME_50 (members; a number that is ordered as it "
                      "stands, where a unit short costs nine left over, is NAME_q90)")
    models = {name: np.column_stack([tables.numbers(frame, column, gaps=may_lack(given)) for column in own])
              for name, own in columns.items()}
    for name, own in columns.items():
        crossing = np.argwhere(np.diff(models[name], axis=1) < 0) if given.decided.family.levels else np.empty(0)
        if crossing.size:
            row, k = crossing[0]
            turned = ". They fall everywhere: if they are numbers that are exceeded with these chances, P90 is the " \
                     "quantile 0.1; rename them" if (np.diff(models[name], axis=1) <= 0).all() else ""
            raise ValueError(f"line {tables.line_of(frame, row)}: quantiles must not cross, {own[k]} is "
                             f"{models[name][row, k]:g} and {own[k + 1]} is {models[name][row, k + 1]:g}{turned}")
    levels = given.decided.family.levels
    given.notes += [line for line in found.said if line.partition(":")[0] in columns]
    given.notes.append(f"Read as quantiles at the levels {', '.join(f'{level:g}' for level in levels)}." if levels else
                       f"Read as ensembles of {', '.join(str(len(own)) for own in columns.values())} members"
                       f"{'' if max(map(len, columns.values())) > FEW_MEMBERS else RIVALS}.")
    used = {name for own in columns.values() for name in own}
    _same_unit(given, frame, used)
    y = tables.numbers(frame, truth_of(given))
    doubts.refuse_sum(y, truth_of(given), lambda place: tables.line_of(frame, place))
    other = special(given) | used
    given.notes += [*doubts.coded(y, truth_of(given)), *doubts.capped(frame, y, other), *doubts.totals(frame, other),
                    *doubts.one_outcome(frame, y, truth_of(given), other)]
    return y, models, {}, used


def _same_unit(given, frame, used):
    """Outcomes and forecasts all in per cent, or none of them."""
    percent = {name for name in (truth_of(given), *used)
               if tables.column_of(frame, name).astype(str).str.contains("%", regex=False).any()}
    if percent and len(percent) <= len(used):
        rest = next(name for name in (truth_of(given), *sorted(used)) if name not in percent)
        raise ValueError(f"column {sorted(percent)[0]!r} is in per cent, but {rest!r} is not: use one unit")


def read_acts(given, frame):
    """Classes as numbers, and rows of class probabilities by model."""
    classes = tables.cost_table(given.costs)[1]
    y = tables.codes(frame, truth_of(given), classes)
    by_stem: dict[str, dict[str, str]] = {}
    for name in _others(given, frame):  # NAME:CLASS, NAME_CLASS, NAME.CLASS, NAME(CLASS), NAME (y=CLASS), CLASS alone
        for kind in sorted(classes, key=len, reverse=True):
            match = re.fullmatch(rf"(?:(.+)[ _.:-])?{re.escape(kind)}|(.+?) ?\((?:.*= ?)?{re.escape(kind)}\)", name)
            if match:
                by_stem.setdefault(match[1] or match[2] or "forecast", {})[kind] = name
                break
    whole = {stem: [own[kind] for kind in classes] for stem, own in by_stem.items() if set(own) == set(classes)}
    columns = _chosen(given, whole, " and ".join(f"NAME:{kind}" for kind in classes))
    models = {name: np.column_stack([tables.probabilities(frame, column) for column in own])
              for name, own in columns.items()}
    for name, rows in models.items():
        total = rows.sum(axis=1)
        off = np.flatnonzero(np.abs(total - 1) > ROUNDED)
        if off.size:
            raise ValueError(f"line {tables.line_of(frame, off[0])}: the probabilities of {name} must sum to 1, they "
                             f"sum to {total[off[0]]:.8g}: is a class missing?")
        if np.abs(total - 1).max() > 1e-6:
            models[name] = rows / total[:, None]
            given.notes.append(f"The rounded probabilities of {name} were divided by their sum, at most "
                               f"{np.abs(total - 1).max():.2g} from 1.")
    return y, models, {}, {name for own in columns.values() for name in own}


def read_answers(given, frame):
    """Right answers as 1, or as numbers of their own, and by model the answers with their confidences."""
    names, found = _others(given, frame), {}
    for name in names:
        match = tables.CONFIDENCE.fullmatch(name)
        ends = (tables.CORRECT,) if given.truth is None else ("answer", "")
        own = [given for given in names for end in ends if match and re.fullmatch(
            re.escape(match[1]) + (f"[ _.:-]+{end}" if end else ""), given, re.IGNORECASE)]
        if match and own:
            found[match[1]] = (own[0], name)
    found |= _called_as_the_model(given, names, found)
    found = found or _of_one_model(given, names)
    if not found:
        frame, found = _always_given(given, frame, names)
    columns = _chosen(given, found, "NAME_confidence and NAME_right (1 or 0), or with --truth NAME_answer")
    silent = {name: tables.abstentions(frame, pair[1]) for name, pair in columns.items()}
    for name, (answer, _) in columns.items():
        letters = frame[answer].astype("string").str.strip().str.lower().str.replace("\u2019", "'").str.rstrip(".")
        none = letters.isin(tables.SILENT)
        if given.truth is not None:
            right = frame[given.truth].astype("string").str.strip().str.lower()
            none = (none | letters.isin(tables.UNSURE)) & ~letters.eq(right) | letters.isna() | letters.eq("")
        silent[name] = silent[name] | none.fillna(False).to_numpy(dtype=bool)
        if given.truth is None and letters.isin(["c", "i"]).any():  # inspect's: N is no answer, whatever stands beside
            silent[name] = silent[name] | letters.eq("n").fillna(False).to_numpy(dtype=bool)
    frame = frame.copy()
    for name, (answer, confidence) in columns.items():  # an abstention has confidence 0, whatever stands beside it
        if silent[name].any():
            frame[confidence] = frame[confidence].astype(object).where(~silent[name], 0.0)
            if given.truth is None:
                frame[answer] = frame[answer].astype(object).where(~silent[name], 0)
            given.notes.append(f"{name} abstains from {silent[name].sum():,} of {len(frame):,} answers.")
    sure = {name: tables.probabilities(frame, pair[1]) for name, pair in columns.items()}
    if given.truth is None:
        answers = {name: tables.right_or_wrong(frame, pair[0]) for name, pair in columns.items()}
        y = np.ones(len(frame))
    else:
        if given.ignore_punctuation:
            compared = [given.truth, *(pair[0] for pair in columns.values())]
            frame = frame.assign(**{name: frame[name].map(_without_marks, na_action="ignore") for name in compared})
            given.notes.append("Answers are compared without commas, signs of money, brackets and full stops.")
        y, answers = tables.same_words(frame, given.truth, {name: pair[0] for name, pair in columns.items()})
        for name, (answer, _) in columns.items():
            said = ~silent[name]
            inside = said & (_inside(frame, given.truth, answer) | _inside(frame, answer, given.truth, ends=True))
            often = inside.sum() > OFTEN_INSIDE * said.sum() and said.sum() >= evidence.LEAST_ROWS
            known = {one for one, here in zip(answers[name], said, strict=True) if here}
            apart = said.sum() >= 2 * evidence.LEAST_ROWS and len(known | {*y}) <= MOST_LETTERS and not known & {*y}
            if (often or apart) and not (answers[name] == y)[said].any():
                line = int(np.argmax(inside if often else said))
                raise ValueError(f"none of the {said.sum():,} answers of {name} is the right one word for word: line "
                                 f"{tables.line_of(frame, line)} says {frame[answer].iloc[line]!r}, right is "
                                 f"{frame[given.truth].iloc[line]!r}. Write both alike, or give a column {name}_right "
                                 f"of 1 and 0 instead of --truth")
        given.notes += [_one_of_several(frame, given.truth, name, pair[0], answers[name] != y)
                        for name, pair in columns.items()]
        given.notes += [_in_marks_alone(frame, given.truth, name, pair[0]) or _same_number(
            frame, given.truth, name, pair[0], answers[name] != y) for name, pair in columns.items()]
        given.notes = [note for note in given.notes if note]
    return (y, {name: (answers[name], sure[name]) for name in columns}, {},
            {name for pair in columns.values() for name in pair})


def _called_as_the_model(given, names, found):
    """A column that is called as its model, beside NAME_right, is how sure the model is."""
    right = {match[1]: name for name in names
             if (match := re.fullmatch(rf"(.+?)[ _.:-]+{tables.CORRECT}", name, re.IGNORECASE))}
    return {model: (own, model) for model, own in right.items()
            if given.truth is None and model in names and model not in found}


def _of_one_model(given, names):
    """Columns that name no model, as of a file with the answers of one."""
    kinds = tables.CORRECT if given.truth is None else "answer", "confidence|conf|prob(?:ability)?"
    own = [[name for name in names if re.fullmatch(kind, name, re.IGNORECASE)] for kind in kinds]
    long = any(name.lower() in tables.EXPORTS["long"]["model"] for name in names)  # a row for each model
    return {"the model": (own[0][0], own[1][0])} if all(len(one) == 1 for one in own) and not long else {}


def _inside(frame, part, whole, ends=False):
    """Where one answer stands as a word among others in another one; also as a number, if that is its end."""
    pairs = zip(*(map(tables.key, frame[column].fillna("")) for column in (part, whole)), strict=True)
    stop = [r"(?!\w)", r"\s*$"]
    return np.array([bool(one) and bool(re.search(r"[^\W\d_]{2}", two)) and re.search(
        rf"(?<!\w){re.escape(one.lower())}{stop[ends and one[0].isdigit()]}", two.lower()) is not None
                     for one, two in pairs])


def _one_of_several(frame, truth, name, answer, wrong):
    """A remark where an answer that counts as wrong is often a part of the right one, as of a list of them."""
    inside = wrong & _inside(frame, answer, truth, ends=True)
    return _often_wrong(frame, (truth, name, answer), inside, "stand inside the right one", "in",
                        "are several answers right? Give")


def _often_wrong(frame, columns, alike, what, beside, way):
    """The remark on answers that count as wrong and perhaps are not, if there are enough of them."""
    truth, name, answer = columns
    if alike.sum() < max(evidence.LEAST_ROWS, OFTEN_PART * len(alike)):
        return ""
    line = int(np.argmax(alike))
    return (f"{alike.sum():,} answers of {name} count as wrong and {what}, such as {frame[answer].iloc[line]!r} "
            f"{beside} {frame[truth].iloc[line]!r:.60}: {way} a column {name}_right of 1 and 0 instead of --truth.")


def _in_marks_alone(frame, truth, name, answer):
    """How many answers differ from the right one in commas, signs of money, brackets or full stops alone."""
    right, given_ = ([tables.key(value).lower() for value in frame[column]] for column in (truth, answer))
    bare = [[_without_marks(text) for text in texts] for texts in (right, given_)]
    alike = sum(a != b and c == d for a, b, c, d in zip(right, given_, *bare, strict=True))
    return (f"{alike:,} of {len(right):,} answers of {name} differ from the right one in punctuation alone, and count "
            f"as wrong: --ignore-punctuation counts them as right." if alike else "")


def _same_number(frame, truth, name, answer, wrong):
    """A remark where answers that count as wrong hold the number of the right one, beside a unit or a mark."""
    numbers = [[re.findall(r"[-+]?\d+(?:[.,]\d+)?", text) for text in frame[column].map(tables.key)]
               for column in (truth, answer)]
    alike = [len(one) == len(two) == 1 and float(one[0].replace(",", ".")) == float(two[0].replace(",", "."))
             for one, two in zip(*numbers, strict=True)] & wrong
    return _often_wrong(frame, (truth, name, answer), alike, "hold the number of the right one", "for",
                        "write both alike, or give")


def _without_marks(answer):
    """An answer in letters and digits, with decimal points, signs and %."""
    return re.sub(r"[^\w%.-]|(?<!\d)[.]|[.](?!\d)", "", tables.key(answer).lower())


def _always_given(given, frame, names):
    """Answers without confidences: each is given, and N or a blank is none."""
    end = tables.CORRECT if given.truth is None else "answer"
    found = {match[1]: (name, f"{match[1]}_confidence") for name in names
             if (match := re.fullmatch(rf"(.+?)[ _.:-]+(?:{end})", name, re.IGNORECASE))}
    frame = frame.copy()
    for answer, confidence in found.values():
        words = frame[answer].map(lambda value: tables.key(value).lower(), na_action="ignore")
        letters = given.truth is None and words.isin(["c", "i"]).any()
        none = words.isna() | words.isin(tables.SILENT) | words.isin(["n", "noanswer"]) & (
            letters | (given.truth is not None))
        frame[confidence] = np.where(none, "", "1")
    if found:
        given.notes.append("There are no confidences: every answer counts as given, whatever a wrong one costs.")
    return frame, found


def read_events(given, frame):
    """Outcomes of two kinds, and forecasts by model; why other columns are left out."""
    frame, competing = _competing(given, frame)
    y = tables.events(frame, truth_of(given), given.event)
    names, left = event_columns(given, frame)
    known = dict.fromkeys([given.truth, *(name for name in names if name in frame)])
    labelled = _labelled(given, frame[[*known]], tables.key(label_of(given, frame, y))) if given.models else {}
    models = {str(name): (frame[name].map(tables.key) == labelled[name]).to_numpy(dtype=float) if name in labelled else
              tables.probabilities(frame, name, gaps=may_lack(given)) for name in names}
    given.notes += [f"{name} holds labels: it is read as 1 where it says {labelled[name]}, and as 0 elsewhere."
                    for name in names if name in labelled]
    shares = {} if given.weights else doubts.kept_shares(frame, y, special(given))
    if not given.models:
        models, left = ({name: f for name, f in models.items() if name not in shares},
                        left | {name: "no forecast" for name in shares})
        models, other = _without_complements(models, tables.key(label_of(given, frame, y)))
        flat = evidence.constant(models) | evidence.limits(models)
        flat |= evidence.derived({name: f for name, f in models.items() if name not in flat}, y)
        models, left = {name: f for name, f in models.items() if name not in flat}, left | other | flat
    models = _of_the_event(given, frame, models, y)
    if given.time is not None:
        y = _until_horizon(given, frame, y, competing)
    said = doubted(given, frame, y, models)
    said += doubts.absent(models, y, str(tables.key(label_of(given, frame, y))))
    said += shares.values()
    if not (given.time is not None or given.recalibrate or given.weights or shares or doubts.per_cent(models, y)):
        said += doubts.off({name: doubts.sums_of(f, y) for name, f in models.items()})
    given.notes += said
    return y, models, left, set(names)


def _labelled(given, frame, event=""):
    """Columns of two words, those of the outcome or a yes and a no, as of tests; and the word that says the event."""
    outcome, found = {tables.key(kind) for kind in frame[given.truth].dropna().unique()}, {}
    for name in map(str, frame.columns.difference(list(special(given)))):
        kinds = {tables.key(kind) for kind in frame[name].unique()}
        if len(kinds) != 2 or frame[name].isna().any() or not evidence.is_words(frame[name]):
            continue
        with contextlib.suppress(ValueError):  # it is not clear which of the two is the event
            found[name] = event if kinds == outcome else tables.key(frame[name].iloc[int(np.argmax(
                tables.events(frame, name)))])
    return found


def doubted(given, frame, y, models):
    """What the numbers make one doubt, in sentences; forecasts of the other label are refused."""
    event, other = labels_of(given, frame, y)
    parts = [] if given.time is not None or given.count is not None else doubts.one_outcome(
        frame, y, truth_of(given), special(given) | {*models})
    try:
        turned = [] if given.time is not None else doubts.of_the_other_label(models, y, event, other,
                                                                             named=given.event is not None)
    except ValueError as error:
        raise ValueError(" ".join([f"{error}.", *parts[:1]]) if parts else str(error)) from error
    again = [] if given.groups is not None else (
        doubts.repeats(y) or doubts.copied(models, y) or doubts.mirrored(models, y))
    other = doubts.of_another_column(frame, models, y, truth_of(given), special(given))
    other += doubts.two_acts(frame, models) + doubts.by_segment(frame, models, special(given))
    return [*turned, *other, *parts, *doubts.fitted(frame, models, y, special(given)), *doubts.ends(models, y),
            *doubts.per_cent(models, y), *doubts.ranks(models), *doubts.filled(models), *again]


def _of_the_event(given, frame, models, y):
    """Probabilities of the event, also where a column holds the confidence of a predicted label."""
    if given.confidence_of is not None:
        of = {name: evidence.by_label(models[name], evidence.is_event(frame, label, truth_of(given), y))
              for name, label in _labels_of(given, frame, models).items()}
        return models | of
    doubt = evidence.confidence_of(frame, models, y, truth_of(given), special(given))
    if doubt and "confidence_of" not in given.refused:
        raise ValueError(f"column {doubt[0]!r} is never below one half and goes with the labels in {doubt[1]!r}: it "
                         f"seems to be the confidence of that label, not a probability of the event. Say "
                         f"--confidence-of {evidence.typed(doubt[1])}, or --confidence-of none")
    event, other = labels_of(given, frame, y)
    if re.search("[a-z]{2}", other, re.IGNORECASE) and not given.models:  # .pred_No, where .pred_Yes is not in the file
        turned = [name for name in models if _is_of(name, other) and not _is_of(name, event)]
        models = {name: 1 - f if name in turned else f for name, f in models.items()}
        given.notes += [f"{name} is read as the probability of {other}, by its name: the forecast is 1 minus it."
                        for name in turned]
    few = f"{'fewer than half' if y.mean() < 0.5 else f'{y.mean():.0%}'} of the cases are events"
    given.notes += [f"{name} is never below one half, and {few}: is it the confidence of a label, and not a "
                    f"probability of the event?" for name, f in models.items()
                    if len(f) >= 20 and np.nanmin(f) >= 0.5 and doubts.above(f, y)]
    return models


def _labels_of(given, frame, models):
    """Which models are confidences, and the column of labels that each of them is about."""
    labels = [given.confidence_of] if given.confidence_of in frame else given.confidence_of.split(",")
    for label in labels:
        tables.column_of(frame, label)
    sure = [name for name, f in models.items() if np.nanmin(f) >= 0.5] or list(models)  # of two labels no less
    other = evidence.other_labels(frame, labels[0], special(given))
    if len(labels) == 1 and other and len(sure) > 1:
        raise ValueError(f"{other!r} holds labels, as {labels[0]!r} does: one column of labels for each column of "
                         f"confidences. Say both, --confidence-of {evidence.typed(f'{labels[0]},{other}')}, or which "
                         f"one goes with it, --models {evidence.typed(sure[0])}")
    pairs = dict.fromkeys(sure, labels[0])
    if len(labels) > 1:
        own = _own_words(labels)
        pairs = {name: label for name, its in _own_words(sure).items() for label in labels if its == own[label]}
    if {*pairs} != {*sure} or {*pairs.values()} != {*labels}:
        raise ValueError(f"which of {', '.join(labels)} goes with which of {', '.join(sure)} their names do not say: "
                         f"call them A_label and A_confidence, B_label and B_confidence")
    for label in labels:
        of = [name for name in sure if pairs[name] == label]
        given.notes.append(f"{', '.join(of)} {'is' if len(of) == 1 else 'are'} read as the confidence of the label in "
                           f"{label}.")
    return pairs


def _own_words(names):
    """What each name says that not all of them say."""
    words = {name: name_tokens(name) for name in names}
    return {name: own - set[str].intersection(*words.values()) for name, own in words.items()}


def _competing(given, frame):
    """The outcome in two labels, and where a competing event came."""
    if given.time is None:
        if given.competing is not None:
            raise ValueError("--competing needs --time and --horizon")
        return frame, None
    truth = truth_of(given)
    keys = tables.column_of(frame, truth).map(tables.key, na_action="ignore")
    if given.competing is None:
        kinds = sorted(keys.dropna().unique())
        if len(kinds) == 3:
            raise ValueError(f"column {truth!r} has the labels {', '.join(kinds)}: say which one is the event, "
                             "--event, and which one a competing event, after which it cannot come any more, "
                             "--competing")
        other = next((name for name in map(str, frame.columns) if name not in special(given) and _excludes(
            frame, name, keys)), None)
        if other is not None:
            raise ValueError(f"column {other!r} is 1 in some rows, and never where {truth!r} is: if it is a competing "
                             f"event, such as death without the event, say --competing {other}, else --competing none")
        return frame, None
    if given.competing == "none":
        return frame, None
    if given.competing in frame.columns:
        return frame, tables.events(frame, given.competing).astype(bool)
    came = keys.eq(given.competing).to_numpy()
    rest = sorted(set(keys[~came].dropna()) - {tables.key(given.event)} if given.event else {"0"} & set(keys))
    if not came.any() or not rest:
        raise ValueError(f"--competing must be a column, or a label of {truth!r} beside the event's and that of cases "
                         f"that were lost; got {given.competing!r}, the labels are {', '.join(sorted(set(keys)))}")
    column = frame[truth].astype(object).where(~came, next(value for value, key in zip(
        frame[truth], keys, strict=True) if key == rest[0]))
    return frame.assign(**{truth: column}), came


def _excludes(frame, name, keys):
    """Is a column zeros and ones, and never one where the outcome is?"""
    own = frame[name].map(tables.key, na_action="ignore")
    return (set(own.unique()) == {"0", "1"} and set(keys.unique()) == {"0", "1"}
            and not (own.eq("1") & keys.eq("1")).any() and own.eq("1").sum() > 2)


def _without_complements(models, event):
    """Both columns of a two-class forecast are one model: the column that is named like the event stays."""
    left = _complements([pair for pair in itertools.combinations(models, 2)
                         if _one(models[pair[0]] + models[pair[1]])], event)
    return {name: f for name, f in models.items() if name not in left}, left


def _apart(frame, pair):
    """Are these columns not chances of an event and of none, which sum to one?"""
    try:
        both = sum(tables.values(frame[name]) for name in pair)
    except ValueError:  # so few rows do not tell how numbers are written: the others do, or the column is refused
        return False
    return not _one(both)


def _one(both):
    both = both[np.isfinite(both)]
    return both.size > 0 and bool(np.abs(both - 1).max() <= 2e-4)


def _complements(twins, event):
    """Of each two columns that sum to one, the one that is not named like the event, and why it is left out."""
    left: dict[str, str] = {}
    for one, other in twins:
        like = _like(one.lower(), other.lower(), event.lower())
        like = [name for name in (one, other) if name.lower() in like]
        if len(like) == 1 and one not in left and other not in left:
            left[other if like == [one] else one] = f"1 minus {like[0]}, the probability of the other label"
    return left


def _like(one, other, event):
    """Which of two names is that of the event: by itself, or by what the two do not share."""
    start = len(os.path.commonprefix([one, other]))
    tails = [name[start:] for name in (one, other)]
    end = len(os.path.commonprefix([name[::-1] for name in tails]))
    parts = {name: {name, tail, name[:len(name) - end], tail[:len(tail) - end], re.sub(r"\W+$", "", tail)}
             for name, tail in zip((one, other), tails, strict=True)}
    sides = [(tables.YES | {"pos", "positive"}, tables.WRONG | {"neg", "negative"})] if event in tables.YES else []
    for yes, no in [({event}, set()), *sides]:
        like = [name for name, own in parts.items() if yes & own]
        if len(like) == 1 and (not no or any(no & own for name, own in parts.items() if name not in like)):
            return like
    return [name for name in (one, other) if re.fullmatch(rf"(?:.*[^a-z0-9])?p?{re.escape(event)}", name)]


def _is_of(name, label):
    """Is a column called after this label?"""
    return bool(re.fullmatch(rf"(?:.*[^a-z0-9])?p?{re.escape(label.lower())}", name.lower()))


def _until_horizon(given, frame, came, competing):
    """Did the event come by the horizon? Weights stand in for those that were lost before."""
    if given.horizon is None:
        raise ValueError("--time needs --horizon: until when does an event count?")
    times = tables.numbers(frame, given.time, least=0)
    if times.max() < given.horizon:
        raise ValueError(f"nobody was followed until {given.horizon:g}, the longest time is {times.max():g}: choose an "
                         "earlier --horizon")
    y, given.observed = ipcw(times, came, horizon=given.horizon, competing=competing)
    if competing is not None:
        given.notes.append(f"{int(competing.sum()):,} competing events count as followed, and as no event.")
    given.notes.append(f"{int((given.observed == 0).sum()):,} of {len(y):,} cases were lost before {given.horizon:g}; "
                       f"weights make those that were followed as long stand in for them.")
    return y.astype(int)


def may_lack(given):
    """May forecasts be missing?"""
    return given.missing == "pairwise"


def with_outcome(given, frame):
    """The rows whose outcome is known, with --missing bounds; else all."""
    known = tables.column_of(frame, truth_of(given)).notna().to_numpy() if given.missing == "bounds" else None
    if known is None or known.all():
        return frame
    if not known.any():
        raise ValueError(f"column {given.truth!r} has no outcome")
    part, lines = frame[known], [tables.line_of(frame, int(place)) for place in np.flatnonzero(known)]
    part.attrs = {**frame.attrs, "line": lines.__getitem__}
    return part.reset_index(drop=True)


def blanks_as_no(given, frame):
    """With --missing no, a blank in a column of one label becomes the other label."""
    if given.missing != "no":
        return frame
    column = tables.column_of(frame, truth_of(given))
    kinds, blank = column.dropna().unique(), column.isna()
    if not tables.of_one_label(column):
        raise ValueError(f"--missing no is for outcomes of one label, or of dates, and blanks; column {given.truth!r} "
                         f"has {len(kinds)} labels and {blank.sum():,} blanks")
    label = str(kinds[0]) if len(kinds) == 1 else "date"
    given.notes.append(f"{given.truth} is blank in {blank.sum():,} rows: they count as no {label}.")
    given.event = label if given.event is None else given.event
    filled = frame.assign(**{given.truth: np.where(blank, f"no {label}", label)})
    filled.attrs = frame.attrs
    return filled


def event_columns(given, frame):
    """Columns of probabilities, and why the others are left out."""
    _refuse_long(given, frame)
    if given.models:
        return _named_or_found(given, frame, {})
    found = {name: _reason(frame, name) for name in frame.columns if name not in special(given)}
    _refuse_few({name: fields for name, (_, _, fields) in found.items() if fields is not None},
                {name: reason for name, (reason, _, _) in found.items()})
    return _named_or_found(given, frame, {name: reason + tables.other_unit(np.array(ends))
                                   for name, (reason, ends, _) in found.items()})


def _named_or_found(given, frame, reasons):
    names = named_models(given) or [name for name, reason in reasons.items() if not reason]
    if not names:
        lines = [f"{name}, {reason}: " for name, reason in reasons.items()
                 if reason.startswith("line ") and not name_tokens(name) & {"id", "key", "index", "row", "case"}]
        fields = {name: str(frame[name].iloc[0]) for name, reason in reasons.items()
                  if reason == "not numbers" and name in frame}
        texts = [f"{name}, such as {field!r:.60}, is not a number: " for name, field in fields.items()
                 if re.search(r"[.,]\d|\b1\D+\d", field)]
        near = next((f"{name}, {reason}: " for name, reason in reasons.items() if "(" in reason),
                    (texts or lines or [""])[0])
        labels = _labelled(given, frame) if given.truth in frame else {}
        raise ValueError(f"{near}no column looks like probabilities; name them with --models " + (
            f"{evidence.typed(','.join(labels))}: of two labels, one is read as 1 and the other as 0" if labels
            else "A,B"))
    check_models(names)
    return names, {name: reason for name, reason in reasons.items() if reason}


DECISIONS = {
    "binary": Decision(BinaryDecision(), "ratio", "a miss costs {} false alarms, nine times out of ten", read_events,
                       lambda low, high: (1 / (1 + high), 1 / (1 + low))),
    "selective": Decision(SelectivePrediction(), "error",
                          "passing costs as much as an error of {}, nine times out of ten", read_pairs,
                          lambda low, high: (low**2, high**2)),
    "top-k": Decision(TopK(), "share", "a share of {} of the cases is picked, nine times out of ten", read_events,
                      most=1),
    "answers": Decision(Answers(), "ratio", "a wrong answer costs as much as {} right ones earn, nine times out of ten",
                        read_answers, _share_of_odds),
}


def _refuse_long(given, frame):
    """A row for each model is not a row for each case."""
    for name in frame.columns:
        if str(name).lower() in tables.EXPORTS["long"]["model"] and name not in special(given):
            often = frame[name].value_counts()
            even = often.nunique() == 1 and often.iloc[0] > 1
            if 1 < often.size <= 50 and (even or _names_cases(frame, name)):
                each = f"each {often.iloc[0]:,} times" if even else f"{often.iloc[-1]:,} to {often.iloc[0]:,} times"
                raise ValueError(f"the file has one row per model, judging by {name!r} ({often.size} values, {each}"
                                 f"): --model-column {evidence.typed(name)} compares them if another column names "
                                 f"each case, --only {evidence.typed(f'{name}={often.index[0]}')} takes one "
                                 f"model's rows")
            if 1 < often.size <= 50 and often.iloc[-1] >= 10 and evidence.is_words(frame[name]):
                given.notes.append(f"Column {name} has {often.size} values: if these are models, their rows are "
                                   f"pooled here; --only {evidence.typed(f'{name}={often.index[0]}')} takes one.")


def _names_cases(frame, model):
    """Does a column say the same case again for each model, and for no model twice?"""
    for name in frame.columns:
        if name != model and 4 * frame[name].nunique() <= 3 * len(frame) and not frame.duplicated([model, name]).any():
            return True
    return False


def unread(given, frame, used):
    """Columns whose names are not those of a forecast, where several columns make one."""
    if given.models or given.decided.read not in (read_orders, read_acts, read_answers):
        return {}
    return {name: "not read" for name in map(str, frame.columns) if name not in used | special(given)}


def check_models(names):
    if len(names) > RULES["most_models"]:
        raise ValueError(f"{len(names):,} columns look like forecasts, more than {RULES['most_models']}: name some "
                         "with --models A,B")


def _reason(frame, name):
    """Why not; the least and the greatest number, where these tell the unit; and how many fields are probabilities."""
    column = frame[name]
    try:
        values = tables.values(column if len(column) <= 1000 else column.dropna().head(1000))
        if len(values) < len(column) and np.isfinite(values).any():  # of text the first rows tell
            values = tables.values(column)
    except ValueError as error:
        return str(error).partition(": ")[2], (0.0, 1.0), None
    known = values[np.isfinite(values)]
    if not known.size:
        reason = f"not numbers{tables.of_vectors(column)}" if column.notna().any() else "no numbers"
        return reason, (0.0, 1.0), None
    between = np.sum((known > 0) & (known < 1))
    fields = np.array([np.sum((known >= 0) & (known <= 1)), between, column.notna().sum(), np.isin(known, NONE).sum()])
    wrong = np.flatnonzero(np.isnan(values) & column.notna().to_numpy())
    if wrong.size:
        field = str(column.iloc[wrong[0]]).strip()
        shown = f": {field!r}" if re.fullmatch(r"[<>]=?\s*\d*[.,]\d+", field) else ""
        return f"line {tables.line_of(frame, wrong[0])} {WORD}{shown}", (0.0, 1.0), fields
    if tables.in_percent(name) and known.min() >= 0 and known.max() <= 100:
        return "", (0.0, 1.0), None
    if {"odds"} <= name_tokens(name) and not name_tokens(name) & {"log", "ln"} and known.min() >= 0:
        paid = "1 / x of each, if a bookmaker pays them, or else " if known.min() >= 1 else ""
        return f"odds, by its name: write {paid}x / (1 + x) of each, or name it with --models", (0.0, 1.0), None
    outside = np.flatnonzero(np.isfinite(values) & ((values < 0) | (values > 1)))
    if outside.size:
        reason = f"line {tables.line_of(frame, outside[0])} is {values[outside[0]]:.8g}"
    else:
        reason = "zeros and ones only" if np.isin(known, (0, 1)).all() else ""
    return reason, (known.min(), known.max()), fields


def _refuse_few(fields, reasons):
    """Probabilities in all but a few fields: a column with an error, and not one that is not a forecast.

    At most one field in fifty, or one, or half of them where all are a number that stands for none; at least half of
    the others between zero and one, and not at the ends.
    """
    for name, (inside, between, total, none) in fields.items():
        bad = total - inside
        censored = "'<" in reasons.get(name, "") or "'>" in reasons.get(name, "")
        most = total / 2 if bad == none or censored else max(1, total / 50)
        if 0 < bad <= most and total >= LEAST_FIELDS and 2 * between >= inside and reasons.get(name):
            raise ValueError(f"column {name!r} has probabilities in {inside:,} of {total:,} fields, but "
                             f"{reasons[name].partition(' (')[0]}: correct the file (a blank stands for none), or say "
                             f"with --models which columns are forecasts")


LEAST_FIELDS = 20
NONE = (-1, -9, -99, -999, -9999, 9, 99, 999, 9999)  # as surveys write a number that there is not
OUTSIDE, WORD = re.compile(r"line .* is [-+.\d]"), "is not a number"
SOFT = ("", "zeros and ones only", "no numbers")  # a later piece may say more; from the strongest on


class Survey:
    """What the columns of a file in pieces are: decided by all of its rows, not by the first ones."""

    def __init__(self, given, unclear=None):
        self.given = given
        self.reasons = {name: message.partition(": ")[2] for name, message in (unclear or {}).items()}
        self.twins: dict[tuple[str, str], bool] = {}  # do two columns sum to one in all rows?
        self.ends: dict[str, tuple[float, float]] = {}  # least and greatest number of each column
        self.tops: dict[str, float] = {}  # greatest number of each column whose name says per cent
        self.kinds: dict[str, Any] = {}  # labels of the outcome, by their keys
        self.fields: dict[str, Any] = {}  # of probabilities, of those between zero and one, of all
        self.columns = Columns()

    def add(self, frame: pd.DataFrame) -> None:
        """Look at a piece."""
        given = self.given
        self.columns.add(frame)
        if given.decision == "binary":
            column = tables.column_of(frame, truth_of(given))
            kinds = {tables.key(kind): kind for kind in column.dropna().unique()}
            self.kinds |= {word: kind for word, kind in kinds.items() if word not in self.kinds and len(self.kinds) < 6}
            for name in [] if given.models else [name for name in frame if name not in special(given)]:
                (new, ends, fields), old = _reason(frame, name), self.reasons.get(name)
                if fields is not None:
                    self.fields[name] = self.fields.get(name, 0) + fields
                both = (*ends, *self.ends.get(name, ends))
                self.ends[name] = min(both), max(both)
                if old is None or old in SOFT or new.endswith(WORD) > old.endswith(WORD):
                    self.reasons[name] = new if old is None or new not in SOFT else min(old, new, key=SOFT.index)
            for name in (name for name in map(str, frame) if tables.in_percent(name)):
                with contextlib.suppress(ValueError):  # numbers written in two ways: told where the column is read
                    top = float(np.nanmax(tables.values(frame[name]), initial=0.0))
                    self.tops[name] = max(self.tops.get(name, 0.0), top)
            likely = [name for name, reason in self.reasons.items() if reason in SOFT][:RULES["most_models"]]
            for pair in itertools.combinations(likely, 2):
                self.twins[pair] = self.twins.get(pair, True) and not any(  # the first rows rule out most
                    _apart(part, pair) for part in (frame.head(20), frame))

    def labels(self) -> tuple[Any, Any]:
        """The event, and the other label."""
        kinds = pd.DataFrame({truth_of(self.given): list(self.kinds.values())}, dtype=object)
        return tables.labels(kinds, truth_of(self.given), self.given.event)

    def in_percent(self, chosen: list[str], signs: Mapping[str, set[bool]]) -> list[str]:
        """What is said of chosen columns whose numbers were read in per cent; one whose unit is open is refused."""
        asked = [name for name in chosen if name in self.tops and True not in signs.get(name, ())]
        for name in asked:
            if 0 < self.tops[name] <= 1:
                raise ValueError(tables.SHARES.format(name))
        return [tables.PERCENT.format(name) for name in asked]

    def models(self) -> tuple[list[str], dict[str, str]]:
        """Columns of probabilities, and why the others are left out."""
        flat = {name: np.array(ends) for name, ends in self.ends.items() if not self.reasons.get(name)}
        _refuse_few(self.fields, self.reasons)
        self.reasons |= evidence.constant(flat)
        names, left = _named_or_found(self.given, pd.DataFrame(), {
            name: reason + (tables.other_unit(np.array(self.ends[name])) if OUTSIDE.match(reason) else "")
            for name in self.columns.often if (reason := self.reasons.get(name)) is not None})
        other = _complements([pair for pair, sums in self.twins.items() if sums and set(pair) <= set(names)],
                             tables.key(self.labels()[0]))
        return [name for name in names if name not in other], left | other


def weights_by_name(given, frame, models, used):
    """What is said of columns that may be weights; one that is called so, and could be a forecast, is refused."""
    if given.weights is not None or "weights" in given.refused or is_joint(given) or given.case_costs:
        return []
    if given.decided.read is read_events:
        return evidence.refuse_weights(frame, special(given) | set(named_models(given)), list(models))
    return evidence.refuse_weights(frame, special(given) | used, [], refuse=False)


def weights_of(given, frame):
    """Each case's weight: as the file says, the money at stake, and what stands in for the cases that were lost."""
    parts = [] if given.weights is None else [tables.numbers(frame, given.weights, least=0)]
    parts += [part for part in (given.stake, given.observed) if part is not None]
    return np.prod(parts, axis=0) if parts else None


class Cases(NamedTuple):
    """Outcomes and forecasts, as `pwu_lite.compare` takes them.

    Attributes
    ----------
    y_true : ndarray, shape (n,)
    models : dict of name to array, or tuple of arrays
    family : Family
        Of the decision, with the levels of quantiles, or the costs of acts.
    groups, sample_weight : ndarray of shape (n,), or None
    said : list of str
        What was taken for what, and what was left out.
    """

    y_true: np.ndarray
    models: dict[str, Any]
    family: Family
    groups: np.ndarray | None
    sample_weight: np.ndarray | None
    said: list[str]


OPTIONS = ("event", "models", "groups", "weights", "costs", "truth_file", "coverage", "time", "horizon", "only",
           "model_column", "confidence_of", "competing", "count", "ignore_punctuation")


def read(source: Any, truth: str | None = None, decision: str = "binary", *, missing: str = "refuse",
         **options: Any) -> Cases:
    """Outcomes and forecasts of a file, or of a table, by the names that tools give to columns; as the command line.

    Parameters
    ----------
    source : str, path or DataFrame
        A CSV, Parquet or JSON lines file, several of them (``part-*.csv``), or a table.
    truth : str, optional
        Column of outcomes; of right answers, if there is one.
    decision : str
        As ``--decision``: binary, selective, top-k, orders, acts, answers, or module:Class.
    missing : {"refuse", "pairwise", "no"}
        May forecasts be missing? Or does a blank outcome mean no?
    **options
        ``event``, ``models`` (names between commas), ``groups``, ``weights``, ``costs``, ``truth_file``, ``coverage``,
        ``time``, ``horizon``, ``only`` (a list), ``model_column``, ``confidence_of``, ``competing``, ``count`` and
        ``ignore_punctuation``, as the options of these names.

    Returns
    -------
    Cases

    Raises
    ------
    ValueError
        What cannot be read, with its line, or an option that there is not.

    Examples
    --------
    >>> table = pd.DataFrame({"y": [3.0, 5.0], "ETS-lo-80": [1, 4], "ETS-hi-80": [6, 9]})
    >>> cases = read(table, "y", "orders")
    >>> cases.models["ETS"].tolist(), cases.family.levels, cases.said[0]
    ([[1.0, 6.0], [4.0, 9.0]], (0.1, 0.9), 'ETS: 80% intervals, as quantiles 0.1, 0.9 (as Nixtla writes them).')
    """
    unknown = sorted(set(options) - set(OPTIONS))
    if unknown:
        raise ValueError(f"there is no option {unknown[0]}; the options are: {', '.join(OPTIONS)}")
    given = argparse.Namespace(file=source, truth=truth, decision=decision, missing=missing, cost_share=None,
                               recalibrate=False, case_costs=None, by=None, refused=set(),
                               **{name: options.get(name) for name in OPTIONS})
    frame = load(given)
    columns = Columns()
    columns.add(frame)
    taken = take_by_name(given, columns)
    frame = blanks_as_no(given, frame)
    y, models, left, used = given.decided.read(given, frame)
    left = left or unread(given, frame, used)
    taken += weights_by_name(given, frame, models, used)
    said = [*taken, *given.notes, *findings(given, frame, used, columns),
            *(f"{name} is left out: {reason}." for name, reason in left.items())]
    return Cases(y, models, given.decided.family, None if given.groups is None else tables.groups(frame, given.groups),
                 weights_of(given, frame), said)


def load(given):
    """The table, what the decision is, and room for notes on what was read."""
    given.notes, given.stake, given.sunk, given.observed, given.refused = [], None, None, None, set()
    frame = _rows(given)
    given.notes += [] if given.truth_file else truth_by_name(given, frame)
    if given.truth_file:
        frame = _joined(given, frame)
    frame = evidence.chosen_rows(frame, [given.only] if isinstance(given.only, str) else given.only)
    columns = given.model_column or []
    told = str(given.count).partition(",")[0].strip() if given.count is not None else given.truth
    for name in [columns] if isinstance(columns, str) else columns:
        frame = evidence.as_models(frame, told, name, special(given) - {given.groups})
    if given.decision == "orders":
        frame, said = tables.wide(frame, truth_of(given))
        given.notes += [said] if said else []
    evidence.refuse_totals(frame)
    given.notes += evidence.repeated(frame)
    if told is None or told in frame:
        _models_in_rows(given, frame, told)
    if given.count is not None:
        frame = _each_case(given, frame)
    given.columns = [str(name) for name in frame.columns]
    given.decided = decide(given, frame)
    if given.confidence_of == "none" and "none" not in given.columns:
        given.confidence_of, given.refused = None, given.refused | {"confidence_of"}
    chosen = special(given) | {text.partition("=")[0] for text in given.only or ()}
    evidence.refuse_fitted({name: frame[name].value_counts().to_dict() for name in given.columns if name not in chosen
                            and 2 <= frame[name].nunique() <= 6})
    return frame


def _models_in_rows(given, frame, truth):
    """Refuse models, settings or members in rows; with groups or parts that somebody named, say it."""
    own = special(given) - {given.groups, given.by} | {truth}
    if truth is not None and given.groups is None:
        evidence.refuse_same_files(frame, truth, own)
    if truth is None and given.decision != "answers":
        return
    said = evidence.design(frame, truth, own)
    if said and given.groups is None and given.by is None:
        levels = truth is not None and tables.wide(frame, truth)[1]
        raise ValueError("the rows seem to be quantiles of the same cases: say --decision orders" if levels else said)
    if said:
        if given.groups is not None:  # whoever has named groups is not asked for them
            said = re.sub(r", (--only [^,]*), or --groups .*", r", or \1", said)
        given.notes.append(f"{said[0].upper()}{said[1:]}.")
    elif truth is not None and given.groups is None:
        given.notes += evidence.balanced(frame, truth, own)


def _each_case(given, frame):
    """A row for many cases becomes two: those with the event, and those without, each with its number as weight."""
    names = [name.strip() for name in str(given.count).split(",")]
    if len(names) == 2 and "+" in names[1] and names[1] not in frame:  # those with the event and those without
        both = [tables.numbers(frame, name.strip(), least=0) for name in names[1].split("+")]
        frame = frame.drop(columns=[name.strip() for name in names[1].split("+") if name.strip() != names[0]]).assign(
            **{names[1]: sum(both)})
    if len(names) != 2 or given.truth is not None or given.weights is not None or given.decision != "binary":
        raise ValueError("--count EVENTS,CASES takes two columns, is for binary decisions, and stands in for --truth "
                         "and --weights")
    events, cases = (tables.numbers(frame, name, least=0) for name in names)
    wrong = np.flatnonzero((events > cases) | (events % 1 > 0) | (cases % 1 > 0))
    if wrong.size:
        raise ValueError(f"line {tables.line_of(frame, int(wrong[0]))}: --count needs whole numbers, and not more "
                         f"events than cases; got {events[wrong[0]]:g} of {cases[wrong[0]]:g}")
    total = np.flatnonzero((2 * events == events.sum()) & (2 * cases == cases.sum()) & (events > 0))
    if total.size and len(frame) > 3:
        raise ValueError(f"line {tables.line_of(frame, int(total[0]))} has as many {names[0]} and {names[1]} as all "
                         f"other rows together: take a total out of the file, as it counts every case again")
    given.truth, given.weights = f"event ({names[0]})", f"number ({names[1]})"
    given.groups = given.groups or "row of the file"
    rows = frame.drop(columns=names).assign(**{"row of the file": np.arange(len(frame))})
    both = pd.concat([rows.assign(**{given.truth: came, given.weights: number})
                      for came, number in ((1, events), (0, cases - events))], ignore_index=True)
    kept = both[both[given.weights] > 0].reset_index(drop=True)
    kept.attrs = {key: value for key, value in frame.attrs.items() if key != "lines"}
    given.notes.append(f"{len(frame):,} rows stand for {int(cases.sum()):,} cases: {names[1]} is read as the number of "
                       f"all, with and without the event. Rows are resampled whole.")
    return kept


def _rows(given):
    """The rows of a table, of a file, of parts under one name; of several files, with a column that says which."""
    if isinstance(given.file, pd.DataFrame):
        return given.file
    if not isinstance(given.file, list | tuple):
        return tables.read_table(str(given.file))
    parts = {}
    for path in map(str, given.file):
        stem = Path(path).name.partition(".")[0]
        if stem in parts:
            raise ValueError(f"two files are called {stem}: models need names of their own")
        parts[stem] = tables.read_table(path)
    first = next(iter(parts.values()))
    for stem, part in parts.items():
        if set(part.columns) != set(first.columns):
            raise ValueError(f"{stem} does not have the columns of {next(iter(parts))}: files that are named one by "
                             f"one are models on the same cases")
    given.model_column = ["file"]
    whole = pd.concat([part.assign(file=stem) for stem, part in parts.items()], ignore_index=True)
    whole.attrs = {"point": all(part.attrs.get("point", False) for part in parts.values())}
    return whole


def _joined(given, frame):
    """Outcomes of a second file beside the forecasts, by the columns that both have."""
    truth = _with_names_of(given, tables.read_table(given.truth_file), frame)
    keys = [name for name in frame.columns if name in truth.columns and name != given.truth]
    if not keys or truth_of(given) not in truth:
        raise ValueError(f"{given.truth_file} needs the column {given.truth!r} and a column in common with "
                         f"{given.file} to join by; it has {', '.join(map(str, truth.columns[:LISTED]))}")
    known = truth[keys].apply(lambda column: column.map(tables.key, na_action="ignore"))
    if known.duplicated().any():
        raise ValueError(f"line {tables.line_of(truth, int(np.argmax(known.duplicated())))} of {given.truth_file} has "
                         f"a case again: {', '.join(map(str, keys))} must identify it")
    own = frame[keys].apply(lambda column: column.map(tables.key, na_action="ignore"))
    if given.truth in frame:  # a competition's submission calls its forecast as the solution calls the outcome
        own_name = f"{given.truth} of {Path(str(given.truth_file)).name}"
        truth = truth.rename(columns={given.truth: own_name})
        given.truth = own_name
    more = [name for name in truth if evidence.is_split(name) and name not in frame]  # Public, Private or Ignored
    known = known.assign(**truth[[given.truth, *more]]).dropna(subset=keys)  # a blank is no case's name
    both = own.merge(known, on=keys, how="left")
    joined = both[given.truth]
    kept = joined.notna().to_numpy()
    if not kept.any():
        apart = next((name for name in keys if not set(own[name]) & set(known[name])), keys[0])
        raise ValueError(f"no row of {given.file} has an outcome in {given.truth_file}: joined by {', '.join(keys)}; "
                         f"{apart} is {own[apart].iloc[0]!r} here and {known[apart].iloc[0]!r} there")
    if not kept.all():
        given.notes.append(f"{int((~kept).sum()):,} of {len(kept):,} rows have no outcome in {given.truth_file}, and "
                           f"are left out.")
    lines = [tables.line_of(frame, int(place)) for place in np.flatnonzero(kept)]
    found = frame.assign(**{name: both[name].to_numpy() for name in (given.truth, *more)})[kept].reset_index(drop=True)
    found.attrs = {"lines": tables.Shared(lines), "point": frame.attrs.get("point", False)}
    return found


def _with_names_of(given, truth, frame):
    """The outcomes, where columns that both files have do not identify a case: a column under the forecasts' name.

    Two columns are the same if every value of the forecasts' column, of two or more, is in that of the outcomes.
    """
    shared = [name for name in frame.columns if name in truth.columns and name != given.truth]
    if shared and not truth[shared].apply(lambda column: column.map(tables.key)).duplicated().any():
        return truth
    kinds = {name: set(frame[name].dropna().map(tables.key)) for name in frame.columns if name not in truth.columns}
    for name in [name for name in truth.columns if name not in shared and name != given.truth]:
        known = set(truth[name].dropna().map(tables.key))
        same = [own for own, values in kinds.items() if len(values) > 1 and values <= known]
        if len(same) > 1:
            raise ValueError(f"column {name!r} of {given.truth_file} may be {' or '.join(same)} of {given.file}: give "
                             f"it the name of the one that it is")
        if same:
            given.notes.append(f"{name} of {given.truth_file} is {same[0]} of {given.file}: they have the same values.")
            truth = truth.rename(columns={name: same[0]})
    return truth


def findings(given, frame, used, columns):
    """What columns that were not used suggest: notes of the reader, other commands, rows that belong together."""
    followed = follow_up(given, frame, used)
    other = special(given) | used | {*followed}
    told = {} if given.groups or given.decided.read is not read_events or given.time is not None else doubts.together(
        frame, tables.events(frame, truth_of(given), given.event),
        [name for name in columns.often if str(name) not in other and columns.repeat(name)])
    repeats = [] if given.groups else columns.remarks(special(given) | {*told}, used | {*followed})
    return [*dict.fromkeys(frame.attrs.get("notes", [])), *special_columns(given, frame), *followed.values(),
            *told.values(), *repeats,
            *(() if given.groups else copies(frame[[name for name in frame if name in used]]))]


def copies(frame):
    """A sentence where all rows occur several times, as in a file joined with itself."""
    counts = np.unique(pd.util.hash_pandas_object(frame, index=False), return_counts=True)[1]
    times = int(np.gcd.reduce(counts)) if len(frame) else 1
    if times < 2 or counts.size < RULES["least_different"]:
        return []
    return [say("copies", cases=f"{len(frame):,}", different=f"{counts.size:,}", times=times,
                wider=f"{np.sqrt(times):.2g}")]


def special_columns(given, frame):
    """Columns that ask for another command: each case's costs."""
    if given.decided.read is not read_events:
        return []
    words = {kind: next((str(name) for name in frame.columns if re.fullmatch(
        rf"(?:c|cost)[ _.-]*{ending}", str(name), re.IGNORECASE)), "") for kind, ending in
        tables.EXPORTS["case_costs"].items()}
    if all(words.values()) and not given.case_costs:
        return [f"The columns {', '.join(words.values())} look like each case's own costs: --case-costs "
                f"{','.join(words.values())} counts them, in money, instead of a range."]
    return []


def follow_up(given, frame, used):
    """Times of follow-up, and what is said of them: positive numbers in no order, by their name or by the outcome.

    By name, beside an outcome that has a word for an event. By the outcome: who had the event was followed until then,
    so the times of events are mostly the shorter ones; of several such columns the clearest is named.
    """
    if given.decided.read is not read_events or given.time is not None:
        return {}
    event, said, sooner = tables.events(frame, truth_of(given), given.event), {}, {}
    outcome = name_tokens(given.truth) & set(tables.EXPORTS["lost"])
    enough = min(event.sum(), (1 - event).sum()) >= RULES["least_different"]
    for name in [str(column) for column in frame.columns if str(column) not in used | special(given)]:
        try:
            times = tables.values(frame[name])
        except ValueError:
            continue
        if not (np.isfinite(times).all() and (times >= 0).all() and (np.diff(times) < 0).any()) or len(
                np.unique(times)) < 10 or tables.in_percent(name):
            continue
        if name_tokens(name) & set(tables.EXPORTS["follow_up"]) and (outcome or (times != np.floor(times)).any()):
            said[name] = f"Column {name} looks like a time of follow-up. Those who"
        elif times.max() > 1 and enough:
            sooner[name] = detection_auroc(event == 1, -times)
    likely = max(sooner, key=sooner.__getitem__, default=None)
    if not said and likely is not None and sooner[likely] > RULES["sooner"]:
        said[likely] = (f"Column {likely} is mostly smaller where the event came, as a time of follow-up is. If it is "
                        f"one, those who")
    rest = ("were lost early are not cases without an event, and an event that came late may come too late "
            "to count: --time {} --horizon T takes both into account, as pwu_lite.ipcw does.")
    return {name: f"{first} {rest.format(name)}" for name, first in said.items()}


def label_of(given, frame, y):
    return frame[given.truth].to_numpy()[int(np.argmax(y))]


def labels_of(given, frame, y):
    """How the outcome's column writes the event, and the other label."""
    return [tables.key(frame[truth_of(given)].to_numpy()[place]) for place in (np.argmax(y), np.argmin(y))]
