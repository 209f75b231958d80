"""The command line: from a file of outcomes and forecasts to the model that is cheaper for a decision.

Implements appendices H and L of the PWU paper.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib
import itertools
import json
import re
import sys
import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from .. import elicitation
from ..families import Answers, BinaryDecision, CostMatrix, Family, Newsvendor, SelectivePrediction, TopK
from ..forecasts import ipcw
from ..priors import Beta, Dirac
from ..pwu import PWU
from ..reporting._rules import RULES, column_remarks, name_tokens, say, taken_by_name
from ..reporting.compare import compare
from ..reporting.tallies import compare_tallies
from ..tally import Tally
from ..theory.robust import Quantiles, judge
from . import beliefs, files, large, report

__all__ = ["main"]

EXAMPLES = """examples:
  python -m pwu_lite compare predictions.csv --truth y --ratio 3:30
  python -m pwu_lite compare predictions.csv --truth y --ratio 3:30 --groups patient --html report.html
  cat predictions.csv | python -m pwu_lite compare - --truth outcome --event malignant --ratio 5:50 --json
  python -m pwu_lite compare houses.csv --truth price --decision selective --error 2:20
  python -m pwu_lite compare leads.csv --truth bought --decision top-k --share 1%:10%
  python -m pwu_lite compare sales.csv --truth sold --decision orders --ratio 2:9
  python -m pwu_lite compare wards.csv --truth state --decision acts --costs costs.csv --range 0.5:2
  python -m pwu_lite compare answers.csv --decision answers --ratio 1:9 --groups question
  python -m pwu_lite compare orders.csv --truth sold --decision mine:Kiosk --range 0.6:0.9
  python -m pwu_lite explain log_loss
"""
WIDTH = 80
ROUNDED = 0.02  # how far rounding may leave a sum of class probabilities from 1
RANGES = ("ratio", "error", "share", "range")
BLOCKS, CELLS = 100, 256  # of tallies
LISTED = 20  # columns that are left out, by name


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; 0, or 2 with one line on standard error for what cannot be used.

    Parameters
    ----------
    arguments : sequence of str, optional
        Words of the command line; those of the process if not given.
    """
    given = _parser().parse_args(arguments)
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")  # a pipe may know ASCII only
    try:
        print(given.run(given))
    except KeyboardInterrupt:
        print(f"pwu_lite {given.command}: interrupted", file=sys.stderr)
        return 130
    except MemoryError:
        print(f"pwu_lite {given.command}: not enough memory: give it fewer rows, or name the models", file=sys.stderr)
        return 2
    except (ValueError, OSError, ImportError) as error:
        print(f"pwu_lite {given.command}: {' '.join(str(error).split())}", file=sys.stderr)
        return 2
    return 0


def _parser():
    parser = argparse.ArgumentParser("python -m pwu_lite", epilog=EXAMPLES, description=(
        "Which forecast is cheaper for a decision, and how sure is that? From a CSV or Parquet file."),
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--version", action="version", version=f"pwu_lite {_version()}")
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("compare", help="models beside each other, with intervals", epilog=EXAMPLES,
                                  formatter_class=argparse.RawDescriptionHelpFormatter)
    command.set_defaults(run=_compare)
    _add_data(command)
    _add_decision(command)
    command.add_argument("--groups", help="column of patients, sites or days, which are resampled whole; taken by its "
                         "name where there is one, unless you say: --groups none")
    command.add_argument("--missing", choices=["refuse", "pairwise"], default="refuse", help="forecasts that are "
                         "missing, binary and selective: refuse the file, or compare each model with the cheapest one "
                         "on the cases that both have")
    command.add_argument("--blocks", type=int, help="rows in time order: so many consecutive ones hang together and "
                         "are resampled together")
    command.add_argument("--resamples", type=int, default=1000)
    command.add_argument("--seed", type=int, default=0)
    command.add_argument("--html", help="write a report of one file")
    command.add_argument("--json", action="store_true", help="print JSON")
    command = commands.add_parser("explain", help="what a common metric believes about costs")
    command.add_argument("score", help=f"one of {', '.join(beliefs.KNOWN)}")
    command.set_defaults(run=_explain)
    return parser


def _version():
    from .. import __version__

    return __version__


def _add_data(parser):
    parser.add_argument("file", help="CSV (also packed, .csv.gz) or Parquet; - for standard input; large files, and "
                        "several ('part-*.parquet', in quotes), are read in pieces")
    parser.add_argument("--truth", help="column of outcomes; answers: of right answers, if there is one")
    parser.add_argument("--event", help="the label that counts as the event")
    parser.add_argument("--models", help="columns of forecasts, separated by commas; all other columns of numbers, "
                        "if not given; selective: columns NAME_mean and NAME_std; orders: NAME_q05 to NAME_q95, or "
                        "NAME_1 to NAME_50; acts: NAME:CLASS; answers: NAME_confidence (blank for an "
                        "abstention) and NAME_right")
    parser.add_argument("--truth-file", help="a second file with the outcomes, joined by the columns that both have")
    parser.add_argument("--coverage", type=float, help="orders: of intervals called lower and upper, in per cent")
    parser.add_argument("--time", help="binary: column of times followed; --truth then says whether the event came")
    parser.add_argument("--horizon", type=float, help="with --time: an event counts until then; who was lost before "
                        "stands in no row, and the others for them (inverse probability of censoring)")
    parser.add_argument("--weights", help="column of case weights; taken by its name where there is one, unless you "
                        "say: --weights none")


def _add_decision(parser):
    parser.add_argument("--decision", default="binary", help="binary, selective, top-k, orders, acts, answers, or a "
                        "family of your own as module:Class")
    parser.add_argument("--ratio", help="binary: a miss costs LOW:HIGH false alarms, nine times out of ten; orders: a "
                        "unit short costs LOW:HIGH units left over; answers: a wrong answer costs what LOW:HIGH right "
                        "ones earn")
    parser.add_argument("--costs", help="acts: file with a row per act and a column per class; a cost is a number, "
                        "price, or 2+0.5*price")
    parser.add_argument("--error", help="selective: passing costs as much as an error of LOW:HIGH, nine times out of "
                        "ten")
    parser.add_argument("--share", help="top-k: the share of cases picked, LOW:HIGH, nine times out of ten")
    parser.add_argument("--range", help="acts: the price is LOW:HIGH, nine times out of ten; a family of your own: its "
                        "parameter")
    parser.add_argument("--threshold", help="binary: everybody acts above this probability, such as 0.1 or 10%%; as "
                        "--ratio 9, a miss that costs 9 false alarms")
    parser.add_argument("--prior", help="A,B of a Beta prior on a parameter in (0, 1), instead of a range")
    parser.add_argument("--cost-share", help="binary: column with each case's own cost share of a false alarm, instead")
    parser.add_argument("--case-costs", help="binary: four columns with each case's costs in money, of a false alarm, "
                        "a miss, a hit and a case rightly left alone: C_FP,C_FN,C_TP,C_TN")


def _range(name, text, most=np.inf):
    parts = [part.strip() for part in str(text).split(":")]
    parts = parts * 2 if len(parts) == 1 else parts
    try:
        low, high = (float(part.rstrip("%")) / (100 if part.endswith("%") else 1) for part in parts)
    except ValueError:
        raise ValueError(f"--{name} must be LOW:HIGH, as in --{name} 3:30, got {text!r}") from None
    if 0 < low == high < most:  # known
        return low, high
    if not 0 < low < high < most:
        raise ValueError(f"--{name} must have 0 < LOW < HIGH{', below one: write 1%:10%' if most == 1 else ''}, "
                         f"got {text!r}")
    if high < RULES["least_range"] * low:
        raise ValueError(f"--{name}: {text} is too narrow for a range; HIGH must be at least 1% above LOW")
    return low, high


class Decision(NamedTuple):
    """What a decision is asked for: its family, the option with the range, and how range and file are read."""

    family: Family
    option: str
    said: str
    read: Callable[..., tuple[Any, ...]]
    ends: Callable[[float, float], tuple[float, float]] = lambda low, high: (low, high)
    most: float = np.inf


def _share_of_odds(low: float, high: float) -> tuple[float, float]:
    return low / (1 + low), high / (1 + high)


def _decide(given, frame=None) -> Decision:
    """One of ours, or a family of the reader's own: module:Class."""
    if given.decision in DECISIONS:
        return DECISIONS[given.decision]
    if given.decision == "orders":
        levels = () if frame is None else files.quantiles(_others(given, frame), given.coverage).levels
        return Decision(Newsvendor(levels or None), "ratio", "a unit short costs {} units left over, nine times out of "
                        "ten", _read_orders, _share_of_odds)
    if given.decision == "acts":
        if given.costs is None:
            raise ValueError("say what each act costs in each class with --costs costs.csv")
        acts, classes, costs, price = files.cost_table(given.costs)
        given.notes.append(f"By {given.costs}: {files.costs_in_words(acts, classes, costs, price)}")
        return Decision(CostMatrix(costs, price, acts), "range", f"costs from {given.costs}, the price is {{}}, nine "
                        f"times out of ten", _read_acts)
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
                    _read_pairs if family.takes == ("mean", "std") else _read_events,
                    most=family.stated[0].domain[1])


def _asked(given, frame: pd.DataFrame | None = None) -> PWU:
    """The score that the options ask for."""
    if given.cost_share is not None or given.case_costs is not None:
        return _each_its_own(given, frame)
    _read_threshold(given)
    family, wanted, *_ = given.decided
    if not family.stated:
        if given.prior or any(getattr(given, name) for name in RANGES):
            raise ValueError(f"all costs in {given.costs} are known: leave out the range and the prior, or write "
                             f"price where a cost differs between users")
        return PWU(family)
    for name in sorted(set(RANGES) - {wanted}):
        if getattr(given, name) is not None:
            raise ValueError(f"--{name} is not for --decision {given.decision}; use --{wanted} LOW:HIGH")
    text, of_share = getattr(given, wanted), family.stated[0].domain == (0.0, 1.0)
    if given.prior is not None and text is None and of_share:
        try:
            a, b = (float(part) for part in given.prior.split(","))
        except ValueError:
            raise ValueError(f"--prior must be A,B, as in --prior 2,10, got {given.prior!r}") from None
        return PWU(family, Beta(a, b))
    if text is None or given.prior is not None:
        raise ValueError(f"say what the decision costs with --{wanted} LOW:HIGH"
                         + (" or --prior A,B, one of them" if of_share else ""))
    low, high = _ends(given)
    if low == high:
        return PWU(family, Dirac(low))
    fit = elicitation.beta_from_quantiles if of_share else elicitation.lognormal_from_quantiles
    return PWU(family, fit(low, high))


def _read_threshold(given):
    """A threshold is the ratio that everybody has."""
    if given.threshold is not None:
        if given.decision != "binary" or given.ratio is not None or given.prior is not None:
            raise ValueError("--threshold is for binary decisions, without --ratio and --prior")
        share, _ = _range("threshold", given.threshold, 1)
        given.ratio = f"{(1 - share) / share:.12g}"


def _each_its_own(given, frame):
    """A point mass for each case, from a column, or from its four costs."""
    other = given.prior or given.threshold or any(getattr(given, name) for name in RANGES)
    option = "--cost-share" if given.cost_share is not None else "--case-costs"
    if frame is None or given.decision != "binary" or other or (given.cost_share and given.case_costs):
        raise ValueError(f"{option} is for binary decisions, without --ratio, --threshold, --prior and another option "
                         f"for each case's costs")
    if given.cost_share is not None:
        return PWU(BinaryDecision(), Dirac(files.numbers(frame, given.cost_share, above=0, below=1)))
    if given.weights is not None:
        raise ValueError("--case-costs gives each case its weight, the money at stake: leave out --weights")
    alarm, miss, hit, rest = (files.numbers(frame, name) for name in _cost_columns(given))
    more, less = alarm - rest, miss - hit  # what acting costs too much where there is no event, and not acting else
    for low, words in ((more, "a false alarm must cost more than a case rightly left alone"),
                       (less, "a miss must cost more than a hit")):
        if not (low > 0).all():
            raise ValueError(f"line {files.line_of(frame, int(np.argmax(low <= 0)))}: {words}, by {given.case_costs}")
    given.stake, given.sunk = more + less, (hit, rest)
    return PWU(BinaryDecision(), Dirac(more / (more + less)))


def _cost_columns(given):
    names = [name.strip() for name in given.case_costs.split(",")] if given.case_costs else []
    if len(names) != 4:
        raise ValueError(f"--case-costs must be four columns, C_FP,C_FN,C_TP,C_TN, got {given.case_costs!r}")
    return names


def _special(given):
    own = _cost_columns(given) if given.case_costs else []
    return {given.truth, given.weights, given.cost_share, given.groups, given.time, *own}


def _take_by_name(given, frame):
    """Weights and groups that the file names itself; what was taken, in words."""
    taken = []
    for role in ("weights", "groups"):
        if getattr(given, role) == "none" and "none" not in frame:
            setattr(given, role, None)
        elif getattr(given, role) is None and not (role == "weights" and _joint(given)):
            matches = taken_by_name(frame, role)
            if matches is not None and matches not in _special(given):
                setattr(given, role, matches)
                taken.append(say("taken", role=role, column=matches))
    return taken


def _joint(given):
    return not given.decided.family.separable


def _truth(given):
    if given.truth is None:
        raise ValueError("name the column of outcomes with --truth")
    return given.truth


def _named_models(given):
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
    return any(column == name or re.match(r"[ _.:-]", column.removeprefix(name)) for column in columns
               if column.startswith(name))


def _others(given, frame):
    """Names of the columns that may belong to a forecast."""
    named, special = _named_models(given), _special(given)
    names = [str(name) for name in frame.columns if name not in special]
    return [name for name in names if any(name.startswith(model) for model in named)] if named else names


def _chosen(given, found, needs):
    """The models asked for, or all; a ValueError that says which columns a model needs."""
    named = _named_models(given)
    missing = [name for name in named if name not in found]
    if missing and found:
        raise ValueError(f"a model needs columns {needs}; found for: {', '.join(found)}, not for {', '.join(missing)}")
    if missing or not found:
        long = (" The file seems to have one row per model: make it one row per case first, in pandas with "
                'table.pivot(columns="model", ...).') if "model" in map(str.lower, given.columns) else ""
        raise ValueError(f"a model needs columns {needs}; found for: none. The columns are: "
                         f"{', '.join(given.columns[:LISTED])}.{long}")
    _check_models(named or found)
    return {name: found[name] for name in named or found}


def _read_pairs(given, frame):
    """Outcomes, and means with standard deviations by model."""
    pairs = _chosen(given, files.pairs(_others(given, frame)), "NAME_mean and NAME_std")
    models = {name: tuple(files.numbers(frame, column, gaps=_gaps(given)) for column in pair)
              for name, pair in pairs.items()}
    return files.numbers(frame, _truth(given)), models, {}, {name for pair in pairs.values() for name in pair}


def _read_orders(given, frame):
    """Outcomes, and quantiles or members by model, one row per case."""
    names = _others(given, frame)
    found = files.quantiles(names, given.coverage)
    columns = _chosen(given, found.columns or files.members(names),
                      "NAME_q05 to NAME_q95 (quantiles) or NAME_1 to NAME_50 (members)")
    models = {name: np.column_stack([files.numbers(frame, column, gaps=_gaps(given)) for column in own])
              for name, own in columns.items()}
    for name, own in columns.items():
        crossing = np.argwhere(np.diff(models[name], axis=1) < 0) if given.decided.family.levels else np.empty(0)
        if crossing.size:
            row, k = crossing[0]
            raise ValueError(f"line {files.line_of(frame, row)}: quantiles must not cross, {own[k]} is "
                             f"{models[name][row, k]:g} and {own[k + 1]} is {models[name][row, k + 1]:g}")
    levels = given.decided.family.levels
    given.notes += [line for line in found.said if line.partition(":")[0] in columns]
    given.notes.append(f"Read as quantiles at the levels {', '.join(f'{level:g}' for level in levels)}." if levels else
                       f"Read as ensembles of {', '.join(str(len(own)) for own in columns.values())} members.")
    return files.numbers(frame, _truth(given)), models, {}, {name for own in columns.values() for name in own}


def _read_acts(given, frame):
    """Classes as numbers, and rows of class probabilities by model."""
    classes = files.cost_table(given.costs)[1]
    y = files.codes(frame, _truth(given), classes)
    names = [name.rpartition(":") for name in _others(given, frame) if ":" in name]
    stems = dict.fromkeys(stem for stem, _, kind in names if kind in classes)
    columns = {stem: [f"{stem}:{kind}" for kind in classes] for stem in stems}
    whole = {stem: own for stem, own in columns.items() if all(name in frame for name in own)}
    columns = _chosen(given, whole, " and ".join(f"NAME:{kind}" for kind in classes))
    models = {name: np.column_stack([files.probabilities(frame, column) for column in own])
              for name, own in columns.items()}
    for name, rows in models.items():
        total = rows.sum(axis=1)
        off = np.flatnonzero(np.abs(total - 1) > ROUNDED)
        if off.size:
            raise ValueError(f"line {files.line_of(frame, off[0])}: the probabilities of {name} must sum to 1, they "
                             f"sum to {total[off[0]]:.8g}: is a class missing?")
        if np.abs(total - 1).max() > 1e-6:
            models[name] = rows / total[:, None]
            given.notes.append(f"The rounded probabilities of {name} were divided by their sum, at most "
                               f"{np.abs(total - 1).max():.2g} from 1.")
    return y, models, {}, {name for own in columns.values() for name in own}


def _read_answers(given, frame):
    """Right answers as 1, or as numbers of their own, and by model the answers with their confidences."""
    names, found = _others(given, frame), {}
    for name in names:
        match = files.CONFIDENCE.fullmatch(name)
        ends = ("right", "correct") if given.truth is None else ("answer", "")
        own = [given for given in names for end in ends if match and re.fullmatch(
            re.escape(match[1]) + (f"[ _.:-]+{end}" if end else ""), given, re.IGNORECASE)]
        if match and own:
            found[match[1]] = (own[0], name)
    if not found:
        frame, found = _always_given(given, frame, names)
    columns = _chosen(given, found, "NAME_confidence and NAME_right (1 or 0), or with --truth NAME_answer")
    silent = {name: files.abstentions(frame, pair[1]) for name, pair in columns.items()}
    frame = frame.copy()
    for name, (answer, confidence) in columns.items():  # an abstention has confidence 0, whatever stands beside it
        if silent[name].any():
            frame[confidence] = frame[confidence].astype(object).where(~silent[name], 0.0)
            if given.truth is None:
                frame[answer] = frame[answer].astype(object).where(~silent[name], 0)
            given.notes.append(f"{name} abstains from {silent[name].sum():,} of {len(frame):,} answers.")
    sure = {name: files.probabilities(frame, pair[1]) for name, pair in columns.items()}
    if given.truth is None:
        answers = {name: files.right_or_wrong(frame, pair[0]) for name, pair in columns.items()}
        y = np.ones(len(frame))
    else:
        y, answers = files.same_words(frame, given.truth, {name: pair[0] for name, pair in columns.items()})
    return (y, {name: (answers[name], sure[name]) for name in columns}, {},
            {name for pair in columns.values() for name in pair})


def _always_given(given, frame, names):
    """Answers without confidences: each is given, and N or a blank is none."""
    end = "right|correct" if given.truth is None else "answer"
    found = {match[1]: (name, f"{match[1]}_confidence") for name in names
             if (match := re.fullmatch(rf"(.+?)[ _.:-]+(?:{end})", name, re.IGNORECASE))}
    frame = frame.copy()
    for answer, confidence in found.values():
        words = frame[answer].map(lambda value: files.key(value).lower(), na_action="ignore")
        letters = given.truth is None and words.isin(["c", "i"]).any()
        none = words.isna() | words.isin(["n", "noanswer", "no answer"]) & (letters | (given.truth is not None))
        frame[confidence] = np.where(none, "", "1")
    if found:
        given.notes.append("There are no confidences: every answer counts as given, whatever a wrong one costs.")
    return frame, found


def _read_events(given, frame):
    """Outcomes of two kinds, and forecasts by model; why other columns are left out."""
    y = files.events(frame, _truth(given), given.event)
    names, left = _event_columns(given, frame)
    models = {str(name): files.probabilities(frame, name, gaps=_gaps(given)) for name in names}
    if not given.models:
        models, other = _without_complements(models, files.key(_label(given, frame, y)))
        left |= other
    if given.time is not None:
        y = _until_horizon(given, frame, y)
    return y, models, left, set(names)


def _without_complements(models, event):
    """Both columns of a two-class forecast are one model: the column that is named like the event stays."""
    left = {}
    for one, other in itertools.combinations(models, 2):
        if one in left or other in left or not np.allclose(models[one] + models[other], 1, rtol=0, atol=2e-4):
            continue
        like = [name for name in (one, other) if re.fullmatch(rf"(?:.*[^a-z0-9])?p?{re.escape(event.lower())}",
                                                              name.lower())]
        if len(like) == 1:
            left[other if like == [one] else one] = f"1 minus {like[0]}, the probability of the other label"
    return {name: f for name, f in models.items() if name not in left}, left


def _until_horizon(given, frame, came):
    """Did the event come by the horizon? Weights stand in for those that were lost before."""
    if given.horizon is None:
        raise ValueError("--time needs --horizon: until when does an event count?")
    y, given.observed = ipcw(files.numbers(frame, given.time, least=0), came, horizon=given.horizon)
    given.notes.append(f"{int((given.observed == 0).sum()):,} of {len(y):,} cases were lost before {given.horizon:g}; "
                       f"those that were followed as long stand in for them, by weights.")
    return y.astype(int)


def _gaps(given):
    """May forecasts be missing?"""
    return given.missing == "pairwise"


def _event_columns(given, frame):
    """Columns of probabilities, and why the others are left out."""
    named, special = _named_models(given), _special(given)
    reasons = {} if named else {name: _why_not(frame, name) for name in frame.columns if name not in special}
    names = named or [name for name, reason in reasons.items() if not reason]
    if not names:
        near = next((f"{name}, {reason}: " for name, reason in reasons.items() if "(" in reason), "")
        raise ValueError(f"{near}no column looks like probabilities; name them with --models A,B")
    _check_models(names)
    return names, {name: reason for name, reason in reasons.items() if reason}


DECISIONS = {
    "binary": Decision(BinaryDecision(), "ratio", "a miss costs {} false alarms, nine times out of ten", _read_events,
                       lambda low, high: (1 / (1 + high), 1 / (1 + low))),
    "selective": Decision(SelectivePrediction(), "error",
                          "passing costs as much as an error of {}, nine times out of ten", _read_pairs,
                          lambda low, high: (low**2, high**2)),
    "top-k": Decision(TopK(), "share", "a share of {} of the cases is picked, nine times out of ten", _read_events,
                      most=1),
    "answers": Decision(Answers(), "ratio", "a wrong answer costs as much as {} right ones earn, nine times out of ten",
                        _read_answers, _share_of_odds),
}


def _unread(given, frame, used):
    """Columns whose names are not those of a forecast, where several columns make one."""
    if given.models or given.decided.read not in (_read_orders, _read_acts, _read_answers):
        return {}
    return {name: "not read" for name in map(str, frame.columns) if name not in used | _special(given)}


def _check_models(names):
    if len(names) > RULES["most_models"]:
        raise ValueError(f"{len(names):,} columns look like forecasts, more than {RULES['most_models']}: name some "
                         "with --models A,B")


def _why_not(frame, name):
    """Why a column is not taken for a forecast, or "": numbers in [0, 1], and not only zeros and ones.

    A column of flags has to be asked for by name. One with gaps is taken, and refused where it is read, with the line.
    """
    column = frame[name]
    try:
        head = files.values(column.head(1000))  # text: the first rows tell
        values = files.values(column) if np.isfinite(head).any() else head
    except ValueError as error:
        return str(error).partition(": ")[2]
    wrong = np.flatnonzero(np.isnan(values) & column.notna().to_numpy()[:len(values)])
    known = values[np.isfinite(values)]
    if not known.size:
        return "no numbers"
    if wrong.size:
        return f"line {files.line_of(frame, wrong[0])} is not a number"
    if files.in_percent(name) and known.min() >= 0 and known.max() <= 100:
        return ""
    outside = np.flatnonzero(np.isfinite(values) & ((values < 0) | (values > 1)))
    if outside.size:
        return f"line {files.line_of(frame, outside[0])} is {values[outside[0]]:.8g}{files.other_unit(known)}"
    return "zeros and ones only" if np.isin(known, (0, 1)).all() else ""


def _weights(given, frame):
    """Each case's weight: as the file says, the money at stake, and what stands in for the cases that were lost."""
    parts = [] if given.weights is None else [files.numbers(frame, given.weights, least=0)]
    parts += [part for part in (given.stake, given.observed) if part is not None]
    return np.prod(parts, axis=0) if parts else None


def _check_work(given, units, models):
    """Refuse what would keep the machine busy for more than about a minute."""
    joint = _joint(given)
    work = given.resamples * units * (len(models) if joint else 1)
    most = RULES["most_work_joint" if joint else "most_work"]
    if work > most:
        fewer = max(int(given.resamples * most / work), 2)
        raise ValueError(f"{given.resamples:,} resamples of {units:,} cases would take minutes or more: say "
                         f"--resamples {fewer}, give it a random sample of the rows, or name groups")


def _read(given):
    """The table, what the decision is, and room for notes on what was read."""
    frame = files.read_table(given.file)
    given.notes, given.stake, given.sunk, given.observed = [], None, None, None
    if given.truth_file:
        frame = _joined(given, frame)
    if given.decision == "orders":
        frame, said = files.wide(frame, _truth(given))
        given.notes += [said] if said else []
    given.columns = [str(name) for name in frame.columns]
    given.decided = _decide(given, frame)
    return frame


def _joined(given, frame):
    """Outcomes of a second file beside the forecasts, by the columns that both have."""
    truth = files.read_table(given.truth_file)
    keys = [name for name in frame.columns if name in truth.columns and name != given.truth]
    if not keys or _truth(given) not in truth:
        raise ValueError(f"{given.truth_file} needs the column {given.truth!r}, and columns that {given.file} has, "
                         f"too, to join them by; it has {', '.join(map(str, truth.columns[:LISTED]))}")
    known = truth[keys].apply(lambda column: column.map(files.key, na_action="ignore"))
    if known.duplicated().any():
        raise ValueError(f"line {files.line_of(truth, int(np.argmax(known.duplicated())))} of {given.truth_file} says "
                         f"an outcome again: {', '.join(map(str, keys))} must name a case")
    own = frame[keys].apply(lambda column: column.map(files.key, na_action="ignore"))
    joined = own.merge(known.assign(**{given.truth: truth[given.truth]}), on=keys, how="left")[given.truth]
    kept = joined.notna().to_numpy()
    if not kept.all():
        given.notes.append(f"{int((~kept).sum()):,} of {len(kept):,} rows have no outcome in {given.truth_file}, and "
                           f"are left out.")
    return frame.drop(columns=[given.truth], errors="ignore").assign(**{given.truth: joined.to_numpy()})[kept]


def _compare_large(given):
    """Models compared by tallies, from files that are read in pieces."""
    asked = {"--html": given.html, "--cost-share": given.cost_share, "--case-costs": given.case_costs,
             "--blocks": given.blocks, "--missing pairwise": _gaps(given), "--time": given.time,
             "--truth-file": given.truth_file}
    for option, value in asked.items():
        if value:
            raise ValueError(f"{option} needs all cases at once, and these files are read in pieces: give it a sample "
                             "of the rows")
    if given.decision not in ("binary", "selective"):
        raise ValueError(f"files are read in pieces for --decision binary and selective; for {given.decision} give it "
                         "a sample of the rows")
    tallies: dict[str, Tally] = {}
    known, columns, left = None, None, {}
    for frame in large.pieces(given.file):
        if columns is None:
            given.notes, given.stake, given.sunk, given.observed = [], None, None, None
            given.columns = [str(name) for name in frame.columns]
            given.decided = _decide(given, frame)
            taken, score = _take_by_name(given, frame), _asked(given, frame)
            columns = list(frame.columns)
            if given.decision == "binary":
                known = files.labels(frame, _truth(given), given.event)
                names, left = _event_columns(given, frame)
                given.models = ",".join(map(str, names))
            y, models, *_ = _read_piece(given, frame, known)
            tallies = {name: Tally(given.decision, cells=CELLS) for name in models}
        else:
            y, models, *_ = _read_piece(given, frame, known)
        block = files.blocks(frame, given.groups, BLOCKS)
        weights = _weights(given, frame)
        for name, forecast in models.items():
            tallies[name].update(y, *(forecast if isinstance(forecast, tuple) else (forecast,)), weight=weights,
                                 block=block)
    result = compare_tallies(tallies, score)
    event = {} if known is None else {"event": f"{given.truth} = {known[0]}"}
    result = dataclasses.replace(result, about=result.about | {"file": given.file} | event)
    if given.json:
        return json.dumps(_as_json(given, score, result) | {"remarks": [*taken, *result.notes]}, allow_nan=False,
                          indent=1)
    return "\n\n".join([_asked_words(given, score), _taken(result.about["cases"], models, left),
                        _lines(result.table, result.about["base"]),
                        "\n".join(_wrapped(line) for line in (*result.words, *taken)), _wrapped(result.notes[0])])


def _read_piece(given, frame, known):
    """Outcomes and forecasts of a piece of a file."""
    if known is None:
        return _read_pairs(given, frame)
    models = {name: files.probabilities(frame, name) for name in _named_models(given)}
    return files.one_of_two(frame, given.truth, *known), models, {}, set(models)


def _compare(given):
    if large.is_large(given.file):
        return _compare_large(given)
    frame = _read(given)
    taken = _take_by_name(given, frame)
    score = _asked(given, frame)
    y, models, left, used = given.decided.read(given, frame)
    left = left or _unread(given, frame, used)
    taken += given.notes
    groups = None if given.groups is None else files.groups(frame, given.groups)
    _check_work(given, len(y) if groups is None or _joint(given) else len(pd.unique(pd.Series(groups))), models)
    if given.html and not Path(given.html).absolute().parent.is_dir():
        raise ValueError(f"there is no folder {Path(given.html).parent}")
    result = compare(y, models, score, groups=groups, sample_weight=_weights(given, frame),
                     n_resamples=given.resamples, seed=given.seed, blocks=given.blocks)
    if given.stake is not None:
        result = dataclasses.replace(result, table=_in_money(given, result.table, y))
    about = {"file": given.file}
    if given.decided.read is _read_events:
        about["event"] = f"{given.truth} = {_label(given, frame, y)}"
    result = dataclasses.replace(result, about=result.about | about)
    if given.html:
        report.write(result, given.html, decision=_words(given), source="stated on the command line",
                     statement=_statement(given))
    hints = [*taken, *dict.fromkeys(frame.attrs.get("notes", [])), *_special_columns(given, frame, used)]
    hints += [] if given.groups else column_remarks(frame, _special(given), used | _follow_up(given, frame, used))
    if given.json:
        result = dataclasses.replace(result, table=judge(result, _statement(given)))
        said = {"remarks": hints, "left_out": {str(name): reason for name, reason in left.items()}}
        return json.dumps(_as_json(given, score, result) | said, allow_nan=False, indent=1)
    parts = [_asked_words(given, score), _taken(len(y), models, left), _lines(result.table, result.about["base"]),
             "\n".join(_wrapped(line) for line in (*result.words, *hints)), _wrapped(result.notes[0])]
    return "\n\n".join(parts) + (f"\nReport: {given.html}" if given.html else "")


def _in_money(given, table, y):
    """Costs per case in the money of the four columns, with what is paid whatever is done."""
    scale, (hit, rest) = float(np.mean(given.stake)), given.sunk
    table = table.copy()
    for name in ("cost", "low", "high", "difference", "difference low", "difference high"):
        table[name] *= scale
    for name in ("cost", "low", "high"):
        table[name] += float(np.mean(np.where(y == 1, hit, rest)))
    with np.errstate(divide="ignore", invalid="ignore"):
        for name in ("", " low", " high"):
            table[f"saving{name}"] = table[f"difference{name}"] / table["cost"].abs()
    return table


def _special_columns(given, frame, used):
    """Columns that ask for another command: each case's costs, or a time of follow-up."""
    if given.decided.read is not _read_events:
        return []
    said = []
    words = {kind: next((str(name) for name in frame.columns if re.fullmatch(
        rf"(?:c|cost)[ _.-]*{ending}", str(name), re.IGNORECASE)), "") for kind, ending in
        files.EXPORTS["case_costs"].items()}
    if all(words.values()) and not given.case_costs:
        said.append(f"The columns {', '.join(words.values())} look like each case's own costs: --case-costs "
                    f"{','.join(words.values())} counts them, in money, instead of a range.")
    said += [f"Column {name} looks like a time of follow-up. Who was lost early is no case without an event, and an "
             f"event that came late may come too late to count: --time {name} --horizon T takes both into account, as "
             f"pwu_lite.ipcw does." for name in _follow_up(given, frame, used)]
    return said


def _follow_up(given, frame, used):
    """Times of follow-up: positive numbers that are in no order, beside an outcome that has a word for an event."""
    if given.decided.read is not _read_events or given.time is not None:
        return set()
    outcome = name_tokens(given.truth) & set(files.EXPORTS["lost"])
    found = set()
    for name in map(str, frame.columns):
        words = name_tokens(name) & set(files.EXPORTS["follow_up"])
        if not words or name in used | _special(given):
            continue
        try:
            times = files.values(frame[name])
        except ValueError:
            continue
        if np.isfinite(times).all() and (times > 0).all() and (np.diff(times) < 0).any() and (
                outcome or (times != np.floor(times)).any()) and len(np.unique(times)) > 9:
            found.add(name)
    return found


def _label(given, frame, y):
    return frame[given.truth].to_numpy()[int(np.argmax(y))]


def _taken(cases, models, left):
    """What was read, in words: cases, models, and columns that nobody named and that are not forecasts."""
    summary = f"{cases:,} cases; models: {', '.join(models)}."
    if left:
        some = [f"{name} ({reason})" for name, reason in list(left.items())[:LISTED]]
        more = f", and {len(left) - LISTED:,} more" if len(left) > LISTED else ""
        summary += f" Left out: {', '.join(some)}{more}. Choose with --models."
    return _wrapped(summary)


def _statement(given):
    """What the two ends of a range say alone: a twentieth of the decision makers below, a twentieth above."""
    own = given.cost_share or given.case_costs
    if own or not given.decided.family.stated or getattr(given, given.decided.option) is None:
        return None
    low, high = _ends(given)
    return Quantiles({low: 0.05, high: 0.95}) if low < high else None


def _ends(given):
    """The stated range, in the decision's own parameter."""
    decision = given.decided
    return decision.ends(*_range(decision.option, getattr(given, decision.option), decision.most))


def _words(given):
    if given.cost_share is not None:
        return f"each case has its own cost share of a false alarm, column {given.cost_share}"
    if given.case_costs:
        return f"each case has its own costs, columns {given.case_costs}"
    if not given.decided.family.stated:
        return f"costs from {given.costs}, all known"
    text = getattr(given, given.decided.option)
    if text is None:
        return f"{given.decision}, prior Beta({given.prior})"
    low, _, high = text.partition(":")
    words = given.decided.said.format(f"{low} to {high}" if high and low != high else low)
    return words if high and low != high else words.replace(", nine times out of ten", "")


def _asked_words(given, score):
    known = not score.priors or score.priors[0].length is not None
    words = "" if known else f" Prior: {_said(score.priors[0])}, median {float(score.priors[0].ppf(0.5)):.3g}."
    if not known and isinstance(score.priors[0], Dirac):
        words = f" Known: {score.family.names[0]} = {score.priors[0].at:.4g}."
    return _wrapped(f"Decision: {_words(given)}.{words} Cost: lower is better.")


def _wrapped(text):
    return textwrap.fill(text, WIDTH)


def _number(value):
    return "" if pd.isna(value) else f"{value:.4g}"


def _lines(table, base):
    """One row per model, at most 80 characters wide."""
    wide = min(16, max(5, *map(len, table.index)))
    head = f"{'model':<{wide}}  {'cost':>9}  {'95% interval':>19}  {'skill':>6}  {'verdict':<13}  {'cases':>6}"
    lines = [head, "-" * len(head)]
    for name, row in table.iterrows():
        short = name if len(name) <= wide else name[:wide - 1] + "~"
        ends = f"{_number(row['low'])} to {_number(row['high'])}"
        needed = row["cases needed"]
        cases = "" if pd.isna(needed) else f"{needed:.0f}" if needed < 1e6 else f"{needed / 1e6:.0f}M" if (
            needed < 1e9) else ">1000M"
        cost, skill = _number(row["cost"]), "" if pd.isna(row["skill"]) else f"{row['skill']:.0%}"
        lines.append(f"{short:<{wide}}  {cost:>9}  {ends:>19}  {skill:>6}  {row['verdict']:<13}  {cases:>6}".rstrip())
    if table["skill"].notna().any():
        lines.append(textwrap.fill(f"skill: share of the way from {base} to a perfect forecast", WIDTH))
    return "\n".join([*lines, "cases: sample size (in groups, if there are any) for 80% power"])


def _as_json(given, score, result):
    prior = score.priors[0] if score.priors else None
    own = given.cost_share or given.case_costs
    shape = ({} if prior is None else {"column": own} if prior.length is not None else
             {"at": prior.at} if isinstance(prior, Dirac) else {"a": prior.a, "b": prior.b} if isinstance(prior, Beta)
             else {"mu": prior.mu, "sigma": prior.sigma})
    models = [{"name": name, **{key: _plain(value) for key, value in row.items()}}
              for name, row in result.table.iterrows()]
    return {"decision": given.decision, "prior": shape, "models": models, "words": list(result.words)}


def _plain(value: Any) -> Any:
    return value if isinstance(value, str) else None if not np.isfinite(value) else float(value)


def _explain(given):
    return _wrapped(beliefs.belief(given.score))


def _said(prior):
    if isinstance(prior, Dirac):
        return repr(prior)
    shape = (prior.a, prior.b) if isinstance(prior, Beta) else (prior.mu, prior.sigma)
    return f"{type(prior).__name__}({shape[0]:.4g}, {shape[1]:.4g})"
