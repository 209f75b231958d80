"""From a file, or a table, to outcomes and forecasts: what each column is, and what was taken, in words.

Implements no part of a source.
"""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pwu_lite.families import Answers, BinaryDecision, CostMatrix, Family, Newsvendor, SelectivePrediction, TopK
from pwu_lite.reporting.rules import RULES, say

from . import as_forecasts, as_labels, as_numbers, cost_tables, doubts, evidence, rows, suggested, tables
from .answers import read_answers
from .as_labels import key
from .as_numbers import column_of, line_of
from .columns import name_tokens
from .events import read_events, refuse_long
from .request import LISTED, Finding, Found, Request, Role, between_commas, findings_of

__all__ = ["Cases", "read"]

ROUNDED = 0.02  # how far rounding may leave a sum of class probabilities from 1

class Decision(NamedTuple):
    """What a decision is asked for: its family, the option with the range, and how range and file are read."""

    family: Family
    option: str
    said: str
    read: Callable[..., tuple[Any, ...]]
    ends: Callable[[float, float], tuple[float, float]] = lambda low, high: (low, high)
    most: float = np.inf
    unit: str = ""


ANOTHER_SPREAD = ((("var", "variance"), "a variance: write its root"),
                  (("log std", "log sd", "log sigma", "logstd", "logsigma"), "a logarithm: write exp(x) of each"),
                  (("precision", "prec"), "a precision: write 1 / its root"))
MOSTLY_ALIKE = 0.9
FEW_MEMBERS, RIVALS = 5, "; if each is a rival's own forecast, call them A_q50, B_q50"


def _share_of_odds(low: float, high: float) -> tuple[float, float]:
    return low / (1 + low), high / (1 + high)


def decide(file: Found, frame: pd.DataFrame) -> Decision:
    """One of ours, or a family of the reader's own: module:Class."""
    asked = file.asked
    if asked.decision in DECISIONS:
        return DECISIONS[asked.decision]
    if asked.decision == "orders":
        levels = as_forecasts.quantiles(file.others(frame), asked.coverage).levels
        return Decision(Newsvendor(levels or "members"), "ratio", "a unit short costs {} units left over, nine times "
                        "out of ten", read_orders, _share_of_odds,
                        unit="per case, in units of one short and one left over together")
    if asked.decision == "acts":
        if asked.costs is None:
            raise ValueError("say what each act costs in each class with --costs costs.csv")
        acts, classes, costs, price = cost_tables.cost_table(asked.costs)
        file.notes.append(f"According to {asked.costs}: {cost_tables.costs_in_words(acts, classes, costs, price)}")
        return Decision(CostMatrix(costs, price, acts), "range", f"costs from {asked.costs}, the price is {{}}, nine "
                        f"times out of ten", read_acts)
    module, colon, name = asked.decision.partition(":")
    if not colon:
        known = ", ".join([*DECISIONS, "orders", "acts"])
        raise ValueError(f"--decision must be {known} or module:Class, got {asked.decision!r}")
    sys.path.insert(0, str(Path.cwd()))
    try:
        family = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"--decision {asked.decision}: {error}") from error
    finally:
        sys.path.pop(0)
    family = family() if isinstance(family, type) else family
    if not isinstance(family, Family) or len(family.stated) != 1 or family.takes not in (("y_prob",), ("mean", "std")):
        raise ValueError(f"--decision {asked.decision} must be a decision family with one prior that takes y_prob, or "
                         "mean and std")
    return Decision(family, "range", f"{family.names[0]} is {{}}, nine times out of ten",
                    read_pairs if family.takes == ("mean", "std") else read_events,
                    most=family.stated[0].domain[1])


def take_by_name(file, columns):
    """Weights and groups that the file names itself; what was taken, in words."""
    taken = []
    for role in ("weights", "groups"):
        if getattr(file, role) == "none" and "none" not in file.columns:
            file.decline(role)
        elif getattr(file, role) is None and not (role == "weights" and (file.is_joint or file.asked.case_costs)):
            matches = columns.taken(role, file.columns)
            if matches is not None and matches not in file.special:
                file.take(role, matches, "its name")
                taken.append(say("taken", role=role, column=matches))
    return taken


def truth_by_name(file, frame):
    """The only column of two labels that is called outcome, y, label or truth is the outcome; what is said of it."""
    if file.truth is not None or file.asked.count is not None or file.asked.decision not in ("binary", "top-k"):
        return []
    likely = [str(name) for name in frame.columns if str(name).lower() in RULES["outcomes"]
              and frame[name].map(key, na_action="ignore").nunique() <= 2]
    if len(likely) != 1:
        two = [evidence.typed(str(name)) for name in frame.columns
               if frame[name].nunique() <= 4 and frame[name].map(key, na_action="ignore").nunique() == 2]
        marks = [f"{evidence.typed(str(name))} --missing no" for name in frame.columns
                 if as_labels.of_one_label(frame[name])]
        raise ValueError("name the column of outcomes with --truth; " + (
            f"columns of two labels: {', '.join(two[:LISTED])}" if two else
            f"of one label, where a blank may mean no: {', '.join(marks[:LISTED])}" if marks else
            "no column has two labels: say --decision orders or selective for numbers, acts for several labels"))
    file.take("truth", likely[0], "its name")
    return [f"The outcome is taken from column {likely[0]}, by its name; --truth takes it from another one."]


def read_pairs(file, frame):
    """Outcomes, and means with standard deviations by model."""
    refuse_long(file, frame)
    other = {str(name): way for name in frame.columns for words, way in ANOTHER_SPREAD
             if any(set(word.split()) <= name_tokens(name) for word in words)}
    found = as_forecasts.pairs([name for name in file.others(frame) if name not in other])
    needs = "NAME_mean and NAME_std" + "".join(f" ({name}, by its name {way})" for name, way in [*other.items()][:1])
    pairs = file.chosen(found, needs)
    models = {name: (as_numbers.numbers(frame, mean, gaps=file.asked.may_lack),
                     as_numbers.numbers(frame, spread, above=0, gaps=file.asked.may_lack))
              for name, (mean, spread) in pairs.items()}
    used = {name for pair in pairs.values() for name in pair}
    _same_unit(file, frame, used)
    y = as_numbers.numbers(frame, file.outcome(), is_outcome=True)
    file.notes += [*doubts.coded(y, file.outcome()), *doubts.variances(models, y),
                   *evidence.leads(frame, file.outcome())]
    alone = [name for name in file.others(frame) if as_forecasts.MIDDLE.fullmatch(name) and name not in used]
    return y, models, {**dict.fromkeys(alone, "a mean without a standard deviation"),
                       **{name: f"by its name {way}" for name, way in other.items()}}, used


def read_orders(file, frame):
    """Outcomes, and quantiles or members by model, one row per case."""
    names = file.others(frame)
    found = as_forecasts.quantiles(names, file.asked.coverage)
    columns = file.chosen(found.columns or as_forecasts.members(names) or _like_outcomes(file, frame, names),
                      "NAME_q05 to NAME_q95 (quantiles) or NAME_1 to NAME_50 (members; a number that is ordered as it "
                      "stands, where a unit short costs nine left over, is NAME_q90)")
    models = {name: np.column_stack([as_numbers.numbers(frame, column, gaps=file.asked.may_lack) for column in own])
              for name, own in columns.items()}
    for name, own in columns.items():
        crossing = np.argwhere(np.diff(models[name], axis=1) < 0) if file.decided.family.levels else np.empty(0)
        if crossing.size:
            row, k = crossing[0]
            turned = ". They fall everywhere: if they are numbers that are exceeded with these chances, P90 is the " \
                     "quantile 0.1; rename them" if (np.diff(models[name], axis=1) <= 0).all() else ""
            raise ValueError(f"line {line_of(frame, row)}: quantiles must not cross, {own[k]} is "
                             f"{models[name][row, k]:g} and {own[k + 1]} is {models[name][row, k + 1]:g}"
                             f"{turned or '. If they were fitted one by one, sort those of each row, in the file'}")
    levels = file.decided.family.levels
    file.notes += [line for line in found.said if line.partition(":")[0] in columns]
    file.notes.append(f"Read as quantiles at the levels {', '.join(f'{level:g}' for level in levels)}." if levels else
                       f"Read as ensembles of {', '.join(str(len(own)) for own in columns.values())} members"
                       f"{'' if max(map(len, columns.values())) > FEW_MEMBERS else RIVALS}.")
    used = {name for own in columns.values() for name in own}
    _same_unit(file, frame, used)
    y = as_numbers.numbers(frame, file.outcome(), is_outcome=True)
    file.notes += evidence.leads(frame, file.outcome())
    doubts.refuse_sum(y, file.outcome(), lambda place: line_of(frame, place))
    other = file.special | used
    file.notes += [*doubts.coded(y, file.outcome()), *doubts.capped(frame, y, other), *doubts.totals(frame, other),
                    *doubts.one_outcome(frame, y, file.outcome(), other)]
    return y, models, {}, used


def _like_outcomes(file, frame, names):
    """Numbered columns whose numbers are mostly such as the outcome's, as those of members are, and not of features."""
    found, numbered = {}, as_forecasts.numbered(names)
    y = as_numbers.numbers(frame, file.outcome()) if numbered else np.zeros(1)
    for model, own in numbered.items():
        try:
            values = np.column_stack([as_numbers.values(frame[column]) for column in own])
        except ValueError:  # text: no members
            continue
        if np.mean((values >= 2 * y.min() - y.max()) & (values <= 2 * y.max() - y.min())) <= MOSTLY_ALIKE:
            continue
        if (np.diff(values, axis=1) >= 0).all() and len(frame) >= evidence.LEAST_ROWS:
            raise ValueError(f"{own[0]} to {own[-1]} fall in no row: as quantiles call them {model}_q10, {model}_q20, "
                             f"...; as members in order {model}_1, {model}_2, ...")
        found[model] = own
    return found


def _same_unit(file, frame, used):
    """Outcomes and forecasts all in per cent, or none of them."""
    percent = {name for name in (file.outcome(), *used)
               if column_of(frame, name).astype(str).str.contains("%", regex=False).any()}
    if percent and len(percent) <= len(used):
        rest = next(name for name in (file.outcome(), *sorted(used)) if name not in percent)
        raise ValueError(f"column {sorted(percent)[0]!r} is in per cent, but {rest!r} is not: use one unit")


def read_acts(file, frame):
    """Classes as numbers, and rows of class probabilities by model."""
    classes = cost_tables.cost_table(file.asked.costs)[1]
    y = as_labels.codes(frame, file.outcome(), classes)
    by_stem: dict[str, dict[str, str]] = {}
    for name in file.others(frame):  # NAME:CLASS, NAME_CLASS, NAME.CLASS, NAME(CLASS), NAME (y=CLASS), CLASS alone
        for kind in sorted(classes, key=len, reverse=True):
            match = re.fullmatch(rf"(?:(.+)[ _.:-])?{re.escape(kind)}|(.+?) ?\((?:.*= ?)?{re.escape(kind)}\)", name)
            if match:
                by_stem.setdefault(match[1] or match[2] or "forecast", {})[kind] = name
                break
    whole = {stem: [own[kind] for kind in classes] for stem, own in by_stem.items() if set(own) == set(classes)}
    columns = file.chosen(whole, " and ".join(f"NAME:{kind}" for kind in classes))
    models = {name: np.column_stack([as_numbers.probabilities(frame, column) for column in own])
              for name, own in columns.items()}
    for name, chances in models.items():
        total = chances.sum(axis=1)
        off = np.flatnonzero(np.abs(total - 1) > ROUNDED)
        if off.size:
            raise ValueError(f"line {line_of(frame, off[0])}: the probabilities of {name} must sum to 1, they "
                             f"sum to {total[off[0]]:.8g}: is a class missing?")
        if np.abs(total - 1).max() > 1e-6:
            models[name] = chances / total[:, None]
            file.notes.append(f"The rounded probabilities of {name} were divided by their sum, at most "
                               f"{np.abs(total - 1).max():.2g} from 1.")
    return y, models, {}, {name for own in columns.values() for name in own}


def with_outcome(file, frame):
    """The rows whose outcome is known, with --missing bounds; else all."""
    known = column_of(frame, file.outcome()).notna().to_numpy() if file.asked.missing == "bounds" else None
    if known is None or known.all():
        return frame
    if not known.any():
        raise ValueError(f"column {file.truth!r} has no outcome")
    return tables.kept_rows(frame, known)


def blanks_as_no(file, frame):
    """With --missing no, a blank in a column of one label becomes the other label."""
    if file.asked.missing != "no":
        return frame
    column = column_of(frame, file.outcome())
    kinds, blank = column.dropna().unique(), column.isna()
    if not as_labels.of_one_label(column):
        raise ValueError(f"--missing no is for outcomes of one label, or of dates, and blanks; column {file.truth!r} "
                         f"has {len(kinds)} labels and {blank.sum():,} blanks")
    label = str(kinds[0]) if len(kinds) == 1 else "date"
    file.notes.append(f"{file.truth} is blank in {blank.sum():,} rows: they count as no {label}.")
    file.event = label if file.event is None else file.event
    return frame.assign(**{file.truth: np.where(blank, f"no {label}", label)})


DECISIONS = {
    "binary": Decision(BinaryDecision(), "ratio", "a miss costs {} false alarms, nine times out of ten", read_events,
                       lambda low, high: (1 / (1 + high), 1 / (1 + low)),
                       unit="per case, in units of a miss and a false alarm together"),
    "selective": Decision(SelectivePrediction(), "error",
                          "passing costs as much as an error of {}, nine times out of ten", read_pairs,
                          lambda low, high: (low**2, high**2), unit="per case, in the outcome's unit squared"),
    "top-k": Decision(TopK(), "share", "a share of {} of the cases is picked, nine times out of ten", read_events,
                      most=1, unit="minus the share of events among the picked"),
    "answers": Decision(Answers(), "ratio", "a wrong answer costs as much as {} right ones earn, nine times out of ten",
                        read_answers, _share_of_odds,
                        unit="per answer, in units of a wrong one's loss and a right one's gain together"),
}


def unread(file, frame, used):
    """Columns whose names are not those of a forecast, where several columns make one."""
    if file.asked.models or file.decided.read not in (read_orders, read_acts, read_answers):
        return {}
    return {name: "not read" for name in map(str, frame.columns) if name not in used | file.special}


def weights_by_name(file, frame, models, used):
    """What is said of columns that may be weights; one that is called so, and could be a forecast, is refused."""
    if file.weights is not None or "weights" in file.declined or file.is_joint or file.asked.case_costs:
        return []
    if file.decided.read is read_events:
        return evidence.refuse_weights(frame, file.special | set(file.named()), list(models))
    return evidence.refuse_weights(frame, file.special | used, [], refuse=False)


def weights_of(file, frame):
    """Each case's weight: as the file says, the money at stake, and what stands in for the cases that were lost."""
    parts = [] if file.weights is None else [as_numbers.numbers(frame, file.weights, least=0)]
    parts += [part for part in (file.stake, file.observed) if part is not None]
    return np.prod(parts, axis=0) if parts else None


class Cases(NamedTuple):
    """Outcomes and forecasts, as `pwu_lite.compare` takes them, and what was found in the file.

    Attributes
    ----------
    y_true : ndarray, shape (n,)
    models : dict of name to array, or tuple of arrays
    family : Family
        Of the decision, with the levels of quantiles, or the costs of acts.
    groups, sample_weight : ndarray of shape (n,), or None
    findings : list of Finding
        What was taken for what, and what is open: each a sentence, a severity, an option.
    roles : dict of str to Role
        The part of each column, and by what evidence; of those that are left out, why.
    """

    y_true: np.ndarray
    models: dict[str, Any]
    family: Family
    groups: np.ndarray | None
    sample_weight: np.ndarray | None
    findings: list[Finding]
    roles: dict[str, Role]


OPTIONS = ("event", "models", "groups", "weights", "costs", "truth_file", "coverage", "time", "horizon", "only",
           "model_column", "confidence_of", "percent", "competing", "count", "ignore_punctuation")
TAKEN = {"source": (str, Path, pd.DataFrame, list, tuple), "only": (str, list, tuple),
         "model_column": (str, list, tuple), "truth_file": (str, Path), "costs": (str, Path),
         "coverage": (int, float), "horizon": (int, float), "ignore_punctuation": (bool,)}


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
        ``time``, ``horizon``, ``only`` (a list), ``model_column``, ``confidence_of``, ``percent``,
        ``competing``, ``count`` and ``ignore_punctuation``, as the options of these names.

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
    >>> cases.models["ETS"].tolist(), cases.family.levels
    ([[1.0, 6.0], [4.0, 9.0]], (0.1, 0.9))
    >>> cases.findings[0].sentence, cases.roles["y"].evidence
    ('ETS: 80% intervals, as quantiles 0.1, 0.9 (as Nixtla writes them).', 'asked')
    """
    unknown = sorted(set(options) - set(OPTIONS))
    if unknown:
        raise ValueError(f"there is no option {unknown[0]}; the options are: {', '.join(OPTIONS)}")
    for name, value in [("source", source), *options.items()]:
        kinds = TAKEN.get(name, (str,))
        if not (value is None and name != "source" or isinstance(value, kinds)):
            words = " or ".join(kind.__name__ for kind in kinds)
            raise ValueError(f"{name} must be {words}, got {type(value).__name__}"
                             f"{': names stand between commas' * isinstance(value, list | tuple)}")
    if missing not in ("refuse", "pairwise", "no"):
        bounds = "; robust.missing_labels has the bounds" * (missing == "bounds")
        raise ValueError(f"missing must be 'refuse', 'pairwise' or 'no', got {missing!r}{bounds}")
    if isinstance(source, list | tuple) and not all(isinstance(one, str | Path) for one in source):
        raise ValueError("several sources must be paths of files, one for each model")
    given: dict[str, Any] = {name: value if name in TAKEN or value is None else str(value)
                             for name, value in options.items()}
    file = Found(Request(source, None if truth is None else str(truth), decision, missing=missing, **given))
    frame = load(file)
    y, models, left, used = read_models(file, frame)
    said = [*file.notes, *suggested.findings(file, frame, used)]
    groups = None if file.groups is None else as_labels.groups(frame, file.groups)
    return Cases(y, models, file.decided.family, groups, weights_of(file, frame), findings_of(said),
                 file.roles(used, left))


def load(file: Found) -> pd.DataFrame:
    """The table, one row per case, once it is known what the decision is and which columns the file names itself."""
    asked = file.asked
    frame = rows.rows_of(asked)
    if asked.truth_file:
        frame = rows.joined(file, frame)
    else:
        file.notes += truth_by_name(file, frame)
    if asked.decision != "answers":
        frame = tables.unmerged(frame, file.truth, {file.groups, asked.by, *rows.model_columns(asked)})
    frame = evidence.chosen_rows(frame, [asked.only] if isinstance(asked.only, str) else asked.only)
    told = str(asked.count).partition(",")[0].strip() if asked.count is not None else file.truth
    own = {*map(str, frame.columns)}
    frame = _by_models(frame, told, rows.model_columns(asked), file.special - {file.groups}, asked.may_lack)
    if asked.decision == "orders":
        frame, said = as_forecasts.wide(frame, file.outcome())
        file.notes += [said] if said else []
    if file.groups and file.groups not in frame and len(
            names := between_commas(file.groups, frame.columns.__contains__)) > 1:  # a match is two teams
        parts = [pd.Series(as_labels.groups(frame, name)).astype(str) for name in names]
        frame = frame.assign(**{file.groups: pd.concat(parts, axis=1).agg(" ".join, axis=1).to_numpy()})
    evidence.refuse_totals(frame)
    file.notes += evidence.repeated(frame)
    if told is None or told in frame:
        _models_in_rows(file, frame, told)
    if asked.count is not None:
        frame = rows.each_case(file, frame)
    file.columns = [str(name) for name in frame.columns]
    frame = rows.of_percent(file, frame)
    file.decided = decide(file, frame)
    if file.confidence_of == "none" and "none" not in file.columns:
        file.decline("confidence_of")
    chosen = file.special | {text.partition("=")[0] for text in asked.only or ()}
    few = {name: pd.factorize(frame[name]) for name in file.columns if name in own - chosen}
    evidence.refuse_fitted({name: dict(zip(kinds, np.bincount(number[number >= 0]).tolist(), strict=True))
                            for name, (number, kinds) in few.items() if 2 <= len(kinds) <= 6})
    file.counts.add(frame)
    file.notes = [*take_by_name(file, file.counts), *file.notes]
    if file.weights is not None and file.weights in frame and asked.count is None:
        file.notes += doubts.frequencies(frame, file.weights)
    return blanks_as_no(file, frame)


def read_models(file: Found, frame: pd.DataFrame) -> tuple[np.ndarray, dict[str, Any], dict[str, str], set[str]]:
    """Outcomes, forecasts by model, why other columns are left out, and which columns were used."""
    y, models, left, used = file.decided.read(file, frame)
    file.notes += weights_by_name(file, frame, models, used)
    return y, models, left or unread(file, frame, used), used


def _by_models(frame, told, names, special, pairwise):
    """A column for each model; of several columns by each in turn, or by all together where not all pairs occur."""
    found = frame
    try:
        for name in names:
            found = evidence.as_models(found, told, name, special, pairwise)
    except ValueError:
        if len(names) < 2:
            raise
        together = frame[[column_of(frame, name).name for name in names]].map(key).agg(" ".join, axis=1)
        found = frame.drop(columns=names).assign(**{" ".join(names): together})
        found = evidence.as_models(found, told, " ".join(names), special, pairwise)
    return found


def _models_in_rows(file, frame, truth):
    """Refuse models, settings or members in rows; with groups or parts that somebody named, say it."""
    own = file.special - {file.groups, file.asked.by} | {truth}
    if truth is not None and file.groups is None:
        evidence.refuse_same_files(frame, truth, own)
    if truth is None and file.asked.decision != "answers":
        return
    said = evidence.design(frame, truth, own)
    if said and file.groups is None and file.asked.by is None:
        levels = truth is not None and as_forecasts.wide(frame, truth)[1]
        raise ValueError("the rows seem to be quantiles of the same cases: say --decision orders" if levels else said)
    if said:
        if file.groups is not None:  # whoever has named groups is not asked for them
            said = re.sub(r", (--only [^,]*), or --groups .*", r", or \1", said)
        file.notes.append(f"{said[0].upper()}{said[1:]}.")
    elif truth is not None and file.groups is None:
        file.notes += evidence.balanced(frame, truth, own) or evidence.pooled(frame, own)
