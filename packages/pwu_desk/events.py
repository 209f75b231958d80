"""Outcomes of two kinds and probabilities: which columns are forecasts, of what, and why others are none.

Implements no part of a source.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from pwu_lite.forecasts import ipcw
from pwu_lite.reporting.rules import RULES

from . import as_labels, as_numbers, doubts, evidence
from .as_numbers import column_of, line_of
from .columns import EXPORTS, Columns, name_tokens
from .request import Found, between_commas, check_models

__all__: list[str] = []


LEAST_FIELDS = 20
SIGNED, MOSTLY_SIGNED = re.compile(r"\s*(?:[^\w\s.,+$\u20ac-]\s*0?[.,]\d+|0?[.,]\d+\s*[^\w\s.,%])\s*"), 0.5
TWO_UNITS = "and others are shares: two units in one column"
NONE = (-1, -9, -99, -999, -9999, 9, 99, 999, 9999)  # as surveys write a number that there is not
OUTSIDE, WORD = re.compile(r"line .* is [-+.\d]"), "is not a number"
SOFT = ("", "zeros and ones only", "no numbers")  # a later piece may say more; from the strongest on


def read_events(file: Found, frame: pd.DataFrame) -> tuple[np.ndarray, dict[str, Any], dict[str, str], set[str]]:
    """Outcomes of two kinds, and forecasts by model; why other columns are left out."""
    asked = file.asked
    frame, competing = _competing(file, frame)
    y = as_labels.events(frame, file.outcome(), file.event)
    names, left = event_columns(file, frame)
    known = dict.fromkeys([file.truth, *(name for name in names if name in frame)])
    labelled = _labelled(file, frame[[*known]], as_labels.key(label_of(file, frame, y))) if asked.models else {}
    models = {str(name): (frame[name].map(as_labels.key) == labelled[name]).to_numpy(dtype=float)
              if name in labelled else as_numbers.probabilities(frame, name, gaps=asked.may_lack) for name in names}
    file.notes += [f"{name} holds labels: it is read as 1 where it says {labelled[name]}, and as 0 elsewhere."
                    for name in names if name in labelled]
    shares = {} if file.weights else doubts.kept_shares(frame, y, file.special)
    if not asked.models:
        models, left = ({name: f for name, f in models.items() if name not in shares},
                        left | {name: "no forecast" for name in shares})
        models, other = _without_complements(models, as_labels.key(label_of(file, frame, y)))
        flat = evidence.constant(models) | evidence.limits(models)
        flat |= evidence.derived({name: f for name, f in models.items() if name not in flat}, y)
        models, left = {name: f for name, f in models.items() if name not in flat}, left | other | flat
    if not asked.models:
        _refuse_classes(models)
        _refuse_survival(models)
    models = _of_the_event(file, frame, models, y)
    if asked.time is not None:
        y = _until_horizon(file, frame, y, competing)
    said = doubted(file, frame, y, models)
    said += doubts.absent(models, y, str(as_labels.key(label_of(file, frame, y))))
    said += doubts.in_per_cent(frame, [name for name, reason in left.items() if "--percent" in reason], y)
    said += shares.values()
    other_sums = asked.time is not None or asked.recalibrate or file.weights or shares
    if not (other_sums or doubts.per_cent(models, y)):
        said += doubts.off({name: doubts.sums_of(f, y) for name, f in models.items()})
    file.notes += said
    return y, models, left, set(names)


def _refuse_classes(models):
    """Three columns or more that add up to one number in each row are one model's chances of several classes."""
    stems: dict[str, list[str]] = {}
    for name in models:
        stems.setdefault(re.split(r"[ _.:-]", name)[0], []).append(name)
    for names in [list(models), *stems.values()]:
        total = sum(models[name] for name in names)
        if len(names) > 2 and len(total) >= LEAST_FIELDS and np.ptp(total) < 0.08 and 0.99 < total.mean() < 1.2 and all(
                np.std(models[name]) > 0.02 for name in names):
            raise ValueError(f"{', '.join(names)} add up to {total.mean():.2f} in each row: they seem to be one "
                             f"model's chances of several classes. --models NAME takes that of the event; with the "
                             f"classes as outcomes, --decision acts scores all of them")


def _refuse_survival(models):
    """Numbered columns that fall along every row, which no five rivals do, are chances of surviving so long."""
    numbered = [(float(name[at.start():]), name[:at.start()], name) for name in models
                if (at := re.search(r"\d+(?:\.\d+)?$", name))]
    names = [name for _, _, name in sorted(numbered)]
    if len(names) < 5 or len({stem for _, stem, _ in numbered}) > 1:
        return
    rows = np.column_stack([models[name] for name in names])
    if len(rows) >= LEAST_FIELDS and (np.diff(rows, axis=1) <= 0).all() and (rows[:, 0] > rows[:, -1]).mean() > 0.9:
        raise ValueError(f"{names[0]} to {names[-1]} fall along every row: they seem to be chances of surviving so "
                         f"long. The forecast of an event by then is 1 minus the column of your horizon: write it into "
                         f"a column of its own, or say --models {evidence.typed(names[-1])} to take one as it stands")


def _labelled(file, frame, event=""):
    """Columns of two words, those of the outcome or a yes and a no, as of tests; and the word that says the event."""
    outcome, found = {as_labels.key(kind) for kind in frame[file.truth].dropna().unique()}, {}
    for name in map(str, frame.columns.difference(list(file.special))):
        kinds = {as_labels.key(kind) for kind in frame[name].unique()}
        if len(kinds) != 2 or frame[name].isna().any() or not evidence.is_words(frame[name]):
            continue
        with contextlib.suppress(ValueError):  # it is not clear which of the two is the event
            found[name] = event if kinds == outcome else as_labels.key(frame[name].iloc[int(np.argmax(
                as_labels.events(frame, name)))])
    return found


def doubted(file: Found, frame: pd.DataFrame, y: np.ndarray, models: Mapping[str, np.ndarray]) -> list[str]:
    """What the numbers make one doubt, in sentences; forecasts of the other label are refused."""
    asked = file.asked
    event, other = _both_labels(file, frame, y)
    parts = [] if asked.time is not None or asked.count is not None else doubts.one_outcome(
        frame, y, file.outcome(), file.special | {*models}, models)
    try:
        turned = [] if asked.time is not None else doubts.of_the_other_label(models, y, event, other,
                                                                             named=file.event is not None)
    except ValueError as error:
        label = next((evidence.typed(name) for name in map(str, frame.columns) if name not in file.special | {*models}
                      and {re.sub(r"^\w*?[ _-](?=\d+$)", "", as_labels.key(kind)) for kind in frame[name].unique()} == {
                          event, other}), None)
        sure = [f"If they say how sure the label in {label} is: --confidence-of {label}. If that "
                f"label is the forecast, and they are not: --models {label}."] if label else []
        raise ValueError(" ".join([f"{error}.", *sure, *parts[:1]]) if sure or parts else str(error)) from error
    again = [] if file.groups is not None else (
        doubts.repeats(y) or doubts.copied(models, y) or doubts.mirrored(models, y))
    other = doubts.of_another_column(frame, models, y, file.outcome(), file.special)
    other += doubts.two_acts(frame.drop(columns=[file.outcome()]), models)
    other += doubts.by_segment(frame, models, file.special)
    steps = [] if asked.time is not None or asked.count is not None else doubts.in_steps(models, y)
    other += doubts.horizons(models, file.outcome()) + doubts.in_sample(models)
    other += doubts.of_a_label(models, y, file.outcome()) + ([] if asked.models else doubts.features(models))
    parts += [] if asked.time is not None else doubts.pending(frame, y, file.special | {*models})
    other = [*turned, *doubts.cut(models, y), *other]
    said = [*file.notes, *frame.attrs.get("notes", [])]
    as_written = {name: f for name, f in models.items() if as_numbers.PERCENT.format(name) not in said}
    return [*other, *parts, *doubts.fitted(frame, models, y, file.special), *steps, *doubts.ends(models, y),
            *doubts.per_cent(as_written, y), *doubts.ranks(models), *doubts.filled(models), *again]


def _of_the_event(file, frame, models, y):
    """Probabilities of the event, also where a column holds the confidence of a predicted label."""
    if file.confidence_of is not None:
        of = {name: evidence.by_label(models[name], evidence.is_event(frame, label, file.outcome(), y))
              for name, label in _labels_of(file, frame, models).items()}
        return models | of
    doubt = evidence.confidence_of(frame, models, y, file.outcome(), file.special)
    if doubt and "confidence_of" not in file.declined:
        raise ValueError(f"column {doubt[0]!r} is never below one half and goes with the labels in {doubt[1]!r}: it "
                         f"seems to be the confidence of that label, not a probability of the event. Say "
                         f"--confidence-of {evidence.typed(doubt[1])}, or --confidence-of none")
    event, other = _both_labels(file, frame, y)
    words = re.search("[a-z]{2}", other, re.IGNORECASE)
    if words:  # .pred_No, where .pred_Yes is not in the file, or is not among those that were named
        turned = [name for name in models if _is_of(name, other) and not _is_of(name, event)]
        models = {name: 1 - f if name in turned else f for name, f in models.items()}
        file.notes += [f"{name} is read as the probability of {other}, by its name: the forecast is 1 minus it."
                        for name in turned]
    few = f"{'fewer than half' if y.mean() < 0.5 else f'{y.mean():.0%}'} of the cases are events"
    file.notes += [f"{name} is never below one half, and {few}: is it the confidence of a label, and not a "
                    f"probability of the event?" for name, f in models.items()
                    if len(f) >= 20 and np.nanmin(f) >= 0.5 and doubts.above(f, y)]
    return models


def _labels_of(file, frame, models):
    """Which models are confidences, and the column of labels that each of them is about."""
    labels = between_commas(file.confidence_of, frame.columns.__contains__)
    for label in labels:
        column_of(frame, label)
    sure = [name for name, f in models.items() if np.nanmin(f) >= 0.5] or list(models)  # of two labels no less
    other = evidence.other_labels(frame, labels[0], file.special)
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
        file.notes.append(f"{', '.join(of)} {'is' if len(of) == 1 else 'are'} read as the confidence of the label in "
                           f"{label}.")
    return pairs


def _own_words(names):
    """What each name says that not all of them say."""
    words = {name: name_tokens(name) for name in names}
    return {name: own - set[str].intersection(*words.values()) for name, own in words.items()}


def _competing(file, frame):
    """The outcome in two labels, and where a competing event came."""
    asked = file.asked
    if asked.time is None:
        if asked.competing is not None:
            raise ValueError("--competing needs --time and --horizon")
        return frame, None
    truth = file.outcome()
    keys = column_of(frame, truth).map(as_labels.key, na_action="ignore")
    if asked.competing is None:
        kinds = sorted(keys.dropna().unique())
        if len(kinds) == 3:
            raise ValueError(f"column {truth!r} has the labels {', '.join(kinds)}: say which one is the event, "
                             "--event, and which one a competing event, after which it cannot come any more, "
                             "--competing")
        other = next((name for name in map(str, frame.columns) if name not in file.special and _excludes(
            frame, name, keys)), None)
        if other is not None:
            raise ValueError(f"column {other!r} is 1 in some rows, and never where {truth!r} is: if it is a competing "
                             f"event, such as death without the event, say --competing {other}, else --competing none")
        return frame, None
    if asked.competing == "none":
        return frame, None
    if asked.competing in frame.columns:
        return frame, as_labels.events(frame, asked.competing).astype(bool)
    came = keys.eq(asked.competing).to_numpy()
    rest = sorted(set(keys[~came].dropna()) - {as_labels.key(file.event)} if file.event else {"0"} & set(keys))
    if not came.any() or not rest:
        raise ValueError(f"--competing must be a column, or a label of {truth!r} beside the event's and that of cases "
                         f"that were lost; got {asked.competing!r}, the labels are {', '.join(sorted(set(keys)))}")
    column = frame[truth].astype(object).where(~came, next(value for value, key in zip(
        frame[truth], keys, strict=True) if key == rest[0]))
    return frame.assign(**{truth: column}), came


def _excludes(frame, name, keys):
    """Is a column zeros and ones, and never one where the outcome is?"""
    own = frame[name].map(as_labels.key, na_action="ignore")
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
        both = sum(as_numbers.values(frame[name]) for name in pair)
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
        bare = {name: re.sub(r"\s+\d+$", "", name.lower()) for name in (one, other)}  # JMP numbers a second model
        like = _like(bare[one], bare[other], event.lower())
        like = [name for name in (one, other) if bare[name] in like]
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
    sides = [(as_labels.YES | {"pos", "positive"}, as_labels.WRONG | {"neg", "negative"})] * (event in as_labels.YES)
    for yes, no in [({event}, set()), *sides]:
        like = [name for name, own in parts.items() if yes & own]
        if len(like) == 1 and (not no or any(no & own for name, own in parts.items() if name not in like)):
            return like
    return [name for name in (one, other) if re.fullmatch(rf"(?:.*[^a-z0-9])?p?{re.escape(event)}", name)]


def _is_of(name, label):
    """Is a column called after this label?"""
    return bool(re.fullmatch(rf"(?:.*[^a-z0-9])?p?{re.escape(label.lower())}", name.lower()))


def _until_horizon(file, frame, came, competing):
    """Did the event come by the horizon? Weights stand in for those that were lost before."""
    asked = file.asked
    if asked.horizon is None:
        raise ValueError("--time needs --horizon: until when does an event count?")
    times, horizon = as_numbers.numbers(frame, asked.time, least=0), asked.horizon
    evidence.refuse_stretches(frame, asked.time, file.special)
    if times.max() < horizon:
        raise ValueError(f"nobody was followed until {horizon:g}, the longest time is {times.max():g}: choose an "
                         "earlier --horizon")
    y, file.observed = ipcw(times, came, horizon=horizon, competing=competing)
    if came.any() and not y.any():
        raise ValueError(f"no event came by {horizon:g}, the first one came at {times[came == 1].min():g}: is "
                         f"--horizon in the unit of {asked.time}?")
    if competing is not None:
        file.notes.append(f"{int(competing.sum()):,} competing events count as followed, and as no event.")
    file.notes.append(f"{int((file.observed == 0).sum()):,} of {len(y):,} cases were lost before {horizon:g}; "
                      f"weights make those that were followed as long stand in for them.")
    return y.astype(int)


def event_columns(file, frame):
    """Columns of probabilities, and why the others are left out."""
    refuse_long(file, frame)
    if file.asked.models:
        return _named_or_found(file, frame, {})
    found = {name: _reason(frame, name) for name in frame.columns if name not in file.special}
    for name, (reason, *_) in found.items():
        field = SIGNED.fullmatch(str(frame[name].dropna().iloc[0])) if reason == "not numbers" else None
        if field and frame[name].dropna().astype("string").str.fullmatch(SIGNED).mean() > MOSTLY_SIGNED:
            raise ValueError(f"column {name!r} has a sign beside each number, as in {field[0]!r}: take it away, or say "
                             f"with --models which columns are forecasts")
        if reason.endswith(TWO_UNITS):
            raise ValueError(f"column {name!r}: {reason}. Write all of them as shares, or say with --models which "
                             f"columns are forecasts")
    _refuse_few({name: fields for name, (_, _, fields) in found.items() if fields is not None},
                {name: reason for name, (reason, _, _) in found.items()})
    return _named_or_found(file, frame, {name: reason + as_numbers.other_unit(np.array(ends), name)
                                   for name, (reason, ends, _) in found.items()})


def _named_or_found(file, frame, reasons):
    names = file.named() or [name for name, reason in reasons.items() if not reason]
    if not names:
        lines = [f"{name}, {reason}{_unit_of_all(frame, name, reason)}: " for name, reason in reasons.items()
                 if reason.startswith("line ") and not name_tokens(name) & {"id", "key", "index", "row", "case"}]
        fields = {name: str(frame[name].iloc[0]) for name, reason in reasons.items()
                  if reason == "not numbers" and name in frame}
        texts = [f"{name}, such as {field!r:.60}, is not a number: " for name, field in fields.items()
                 if re.search(r"[.,]\d|\b1\D+\d", field)]
        near = next((f"{name}, {reason}: " for name, reason in reasons.items() if "(" in reason),
                    (texts or lines or [""])[0])
        labels = _labelled(file, frame) if file.truth in frame else {}
        raise ValueError(f"{near}no column looks like probabilities; name them with --models " + (
            f"{evidence.typed(','.join(labels))}: of two labels, one is read as 1 and the other as 0" if labels
            else "A,B"))
    check_models(names)
    return names, {name: reason for name, reason in reasons.items() if reason}


def _unit_of_all(frame, name, reason):
    """What all numbers of a column may be, where its ends alone did not tell."""
    is_outside = OUTSIDE.match(reason) and name in frame
    return as_numbers.other_unit(as_numbers.values(frame[name]), name) if is_outside else ""


def refuse_long(file: Found, frame: pd.DataFrame) -> None:
    """A row for each model is not a row for each case, unless the groups are named."""
    if file.groups is not None or "groups" in file.declined:
        return
    for name in frame.columns:
        if str(name).lower() in EXPORTS["long"]["model"] and name not in file.special:
            often = frame[name].value_counts()
            even = often.nunique() == 1 and often.iloc[0] > 1
            if 1 < often.size <= 50 and (even or _names_cases(frame, name)):
                each = f"each {often.iloc[0]:,} times" if even else f"{often.iloc[-1]:,} to {often.iloc[0]:,} times"
                raise ValueError(f"the file has one row per model, judging by {name!r} ({often.size} values, {each}"
                                 f"): --model-column {evidence.typed(name)} compares them if another column names "
                                 f"each case, --only {evidence.typed(f'{name}={often.index[0]}')} takes one "
                                 f"model's rows, --groups COLUMN (or none) says that each row is a case")
            if 1 < often.size <= 50 and often.iloc[-1] >= 10 and evidence.is_words(frame[name]):
                file.notes.append(f"Column {name} has {often.size} values: if these are models, their rows are "
                                   f"pooled here; --only {evidence.typed(f'{name}={often.index[0]}')} takes one.")


def _names_cases(frame, model):
    """Does a column say the same case again for each model, and for no model twice?"""
    for name in frame.columns:
        if name != model and 4 * frame[name].nunique() <= 3 * len(frame) and not frame.duplicated([model, name]).any():
            return True
    return False


def _reason(frame, name):
    """Why not; the least and the greatest number, where these tell the unit; and how many fields are probabilities."""
    column = frame[name]
    try:
        values = as_numbers.values(column if len(column) <= 1000 else column.dropna().head(1000))
        if len(values) < len(column) and np.isfinite(values).any():  # of text the first rows tell
            values = as_numbers.values(column)
    except ValueError as error:
        return str(error).partition(": ")[2], (0.0, 1.0), None
    known = values[np.isfinite(values)]
    if not known.size:
        reason = f"not numbers{as_numbers.of_vectors(column)}" if column.notna().any() else "no numbers"
        return reason, (0.0, 1.0), None
    between = np.sum((known > 0) & (known < 1))
    fields = np.array([np.sum((known >= 0) & (known <= 1)), between, column.notna().sum(), np.isin(known, NONE).sum()])
    wrong = np.flatnonzero(np.isnan(values) & column.notna().to_numpy())
    if wrong.size:
        field = str(column.iloc[wrong[0]]).strip()
        shown = f": {field!r}" if re.fullmatch(r"[<>]=?\s*\d*[.,]\d+", field) else ""
        return f"line {line_of(frame, wrong[0])} {WORD}{shown}", (0.0, 1.0), fields
    if as_numbers.in_percent(name) and known.min() >= 0 and known.max() <= 100:
        return "", (0.0, 1.0), None
    if {"odds"} <= name_tokens(name) and not name_tokens(name) & {"log", "ln"} and known.min() >= 0:
        paid = "1 / x of each, if a bookmaker pays them, or else " if known.min() >= 1 else ""
        return f"odds, by its name: write {paid}x / (1 + x) of each, or name it with --models", (0.0, 1.0), None
    outside = np.flatnonzero(np.isfinite(values) & (np.abs(values - 0.5) > 0.5 + as_numbers.ROUNDING))
    beyond = values[outside]
    if between >= known.size / 5 and outside.size > 1 and (beyond % 1 == 0).all() and (
            1 < beyond.min() and beyond.max() <= 100 and beyond.max() > 10):
        return f"line {line_of(frame, outside[0])} is {beyond[0]:g} {TWO_UNITS}", (0.0, 1.0), None
    if outside.size:
        reason = f"line {line_of(frame, outside[0])} is {values[outside[0]]:.8g}"
    else:
        reason = "zeros and ones only" if np.isin(known, (0, 1)).all() else ""
    return reason, (known.min(), known.max()), fields


def _refuse_few(fields, reasons):
    """Probabilities in all but a few fields: a column with an error, and not one that is not a forecast.

    At most one field in fifty, or one, or a quarter without a number, or half where all are a number that
    stands for none; at least half of the others between zero and one, and not at the ends.
    """
    for name, (inside, between, total, none) in fields.items():
        bad = total - inside
        censored = "'<" in reasons.get(name, "") or "'>" in reasons.get(name, "")
        share = 4 if reasons.get(name, "").endswith(WORD) else 50
        most = total / 2 if bad == none or censored else max(1, total / share)
        if 0 < bad <= most and total >= LEAST_FIELDS and 2 * between >= inside and reasons.get(name):
            raise ValueError(f"column {name!r} has probabilities in {inside:,} of {total:,} fields, but "
                             f"{reasons[name].partition(' (')[0]}: correct the file (a blank stands for none), or say "
                             f"with --models which columns are forecasts")


class Survey:
    """What the columns of a file in pieces are: decided by all of its rows, not by the first ones."""

    def __init__(self, file: Found, unclear: Mapping[str, str] | None = None) -> None:
        self.file = file
        self.reasons = {name: message.partition(": ")[2] for name, message in (unclear or {}).items()}
        self.twins: dict[tuple[str, str], bool] = {}  # do two columns sum to one in all rows?
        self.ends: dict[str, tuple[float, float]] = {}  # least and greatest number of each column
        self.tops: dict[str, float] = {}  # greatest number of each column whose name says per cent
        self.kinds: dict[str, Any] = {}  # labels of the outcome, by their keys
        self.fields: dict[str, Any] = {}  # of probabilities, of those between zero and one, of all
        self.columns = Columns()

    def add(self, frame: pd.DataFrame) -> None:
        """Look at a piece."""
        file = self.file
        self.columns.add(frame)
        if file.asked.decision == "binary":
            column = column_of(frame, file.outcome())
            kinds = {as_labels.key(kind): kind for kind in column.dropna().unique()}
            self.kinds |= {word: kind for word, kind in kinds.items() if word not in self.kinds and len(self.kinds) < 6}
            for name in [] if file.asked.models else [name for name in frame if name not in file.special]:
                (new, ends, fields), old = _reason(frame, name), self.reasons.get(name)
                if fields is not None:
                    self.fields[name] = self.fields.get(name, 0) + fields
                both = (*ends, *self.ends.get(name, ends))
                self.ends[name] = min(both), max(both)
                if old is None or old in SOFT or new.endswith(WORD) > old.endswith(WORD):
                    self.reasons[name] = new if old is None or new not in SOFT else min(old, new, key=SOFT.index)
            for name in (name for name in map(str, frame) if as_numbers.in_percent(name)):
                with contextlib.suppress(ValueError):  # numbers written in two ways: told where the column is read
                    top = float(np.nanmax(as_numbers.values(frame[name]), initial=0.0))
                    self.tops[name] = max(self.tops.get(name, 0.0), top)
            likely = [name for name, reason in self.reasons.items() if reason in SOFT][:RULES["most_models"]]
            for pair in itertools.combinations(likely, 2):
                self.twins[pair] = self.twins.get(pair, True) and not any(  # the first rows rule out most
                    _apart(part, pair) for part in (frame.head(20), frame))

    def labels(self) -> tuple[Any, Any]:
        """The event, and the other label."""
        truth = self.file.outcome()
        kinds = pd.DataFrame({truth: list(self.kinds.values())}, dtype=object)
        return as_labels.labels(kinds, truth, self.file.event)

    def in_percent(self, chosen: list[str], signs: Mapping[str, set[bool]]) -> list[str]:
        """What is said of chosen columns whose numbers were read in per cent; one whose unit is open is refused."""
        asked = [name for name in chosen if name in self.tops and True not in signs.get(name, ())]
        for name in asked:
            if 0 < self.tops[name] <= 1:
                raise ValueError(as_numbers.SHARES.format(name))
        return [as_numbers.PERCENT.format(name) for name in asked]

    def models(self) -> tuple[list[str], dict[str, str]]:
        """Columns of probabilities, and why the others are left out."""
        flat = {name: np.array(ends) for name, ends in self.ends.items() if not self.reasons.get(name)}
        _refuse_few(self.fields, self.reasons)
        self.reasons |= evidence.constant(flat)
        names, left = _named_or_found(self.file, pd.DataFrame(), {
            name: reason + (as_numbers.other_unit(np.array(self.ends[name]), name) if OUTSIDE.match(reason) else "")
            for name in self.columns.often if (reason := self.reasons.get(name)) is not None})
        other = _complements([pair for pair, sums in self.twins.items() if sums and set(pair) <= set(names)],
                             as_labels.key(self.labels()[0]))
        return [name for name in names if name not in other], left | other


def label_of(file: Found, frame: pd.DataFrame, y: np.ndarray) -> Any:
    """How the outcome's column writes the event."""
    return frame[file.truth].to_numpy()[int(np.argmax(y))]


def _both_labels(file, frame, y):
    """How the outcome's column writes the event, and the other label."""
    return [as_labels.key(frame[file.outcome()].to_numpy()[place]) for place in (np.argmax(y), np.argmin(y))]
