"""The rows of a table: of one file or of several, with outcomes of another file, or each standing for many cases.

Implements no part of a source.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from . import as_labels, as_numbers, evidence, tables
from .as_numbers import column_of, line_of
from .request import LISTED, Found, Request, between_commas

__all__: list[str] = []

LEAST_JOINED, MOSTLY_JOINED = 0.5, 0.9  # shares of rows
MOST_OFF = 0.5  # of a sum of expected events from that of events


def model_columns(asked: Request) -> list[Any]:
    """Columns whose values are models, settings or members; of several files, the one that says which file."""
    if isinstance(asked.file, list | tuple):
        return ["file"]
    return [asked.model_column] if isinstance(asked.model_column, str) else asked.model_column or []


def rows_of(asked: Request) -> pd.DataFrame:
    """The rows of a table, of a file, of parts under one name; of several files, with a column that says which."""
    if isinstance(asked.file, pd.DataFrame):
        return tables.as_read(asked.file, "the table")
    if not isinstance(asked.file, list | tuple):
        return tables.read_table(str(asked.file))
    parts: dict[str, pd.DataFrame] = {}
    for path in map(str, asked.file):
        stem = Path(path).name.partition(".")[0]
        if stem in parts:
            raise ValueError(f"two files are called {stem}: models need names of their own")
        parts[stem] = tables.read_table(path)
    first = next(iter(parts.values()))
    for stem, part in parts.items():
        if set(part.columns) != set(first.columns):
            raise ValueError(f"{stem} does not have the columns of {next(iter(parts))}: files that are named one by "
                             f"one are models on the same cases")
    whole = pd.concat([part.assign(file=stem) for stem, part in parts.items()], ignore_index=True)
    whole.attrs = {"point": all(part.attrs.get("point", False) for part in parts.values())}
    return whole


def joined(file: Found, frame: pd.DataFrame) -> pd.DataFrame:
    """Outcomes of a second file beside the forecasts, by the columns that both have."""
    other, here = file.asked.truth_file, file.asked.file
    truth = _with_names_of(file, tables.read_table(other), frame)
    keys = [name for name in frame.columns if name in truth.columns and name != file.truth]
    if not keys or file.outcome() not in truth:
        raise ValueError(f"{other} needs the column {file.truth or '--truth NAME'!r} and a column in common with "
                         f"{here} to join by; it has {', '.join(map(str, truth.columns[:LISTED]))}")
    known = truth[keys].apply(lambda column: column.map(as_labels.key, na_action="ignore"))
    own = frame[keys].apply(lambda column: column.map(as_labels.key, na_action="ignore"))
    alike = [name for name in keys if 2 * len({*own[name]} & {*known[name]}) >= min(own[name].nunique(),
                                                                                   known[name].nunique())]
    if 0 < len(alike) < len(keys) and not known[alike].duplicated().any():  # further outcomes beside their forecasts
        rest = [name for name in keys if name not in alike]
        frame, own, known, keys = frame.drop(columns=rest), own[alike], known[alike], alike
        file.notes.append(f"{', '.join(rest)} of {here} and of {other} have other values: they are taken for "
                          f"forecasts of other outcomes, and left out.")
    fewer = _without_one(own, known)
    if fewer:
        file.notes.append(f"Joined by {', '.join(fewer)}, since by {', '.join(keys)} few rows are.")
        frame = frame.rename(columns={name: f"{name} of {Path(str(here)).name}" for name in keys if name not in fewer})
        own, known, keys = own[fewer], known[fewer], fewer
    if known.duplicated().any():
        raise ValueError(f"line {line_of(truth, int(np.argmax(known.duplicated())))} of {other} has "
                         f"a case again: {', '.join(map(str, keys))} must identify it")
    if file.truth in frame:  # a competition's submission calls its forecast as the solution calls the outcome
        own_name = f"{file.truth} of {Path(str(other)).name}"
        truth = truth.rename(columns={file.truth: own_name})
        file.take("truth", own_name, "asked")
    more = [name for name in truth if evidence.is_split(name) and name not in frame]  # Public, Private or Ignored
    known = known.assign(**truth[[file.truth, *more]]).dropna(subset=keys)  # a blank is no case's name
    both = own.merge(known, on=keys, how="left")
    kept = both[file.truth].notna().to_numpy()
    if not kept.any():
        apart = next((name for name in keys if not set(own[name]) & set(known[name])), keys[0])
        if own.merge(known[keys], on=keys).shape[0]:
            raise ValueError(f"{file.truth} is empty in the rows of {other} whose cases are in {here}")
        raise ValueError(f"no row of {here} has an outcome in {other}: joined by {', '.join(keys)}; "
                         f"{apart} is {own[apart].iloc[0]!r} here and {known[apart].iloc[0]!r} there")
    if not kept.all():
        file.notes.append(f"{int((~kept).sum()):,} of {len(kept):,} rows have no outcome in {other}, and "
                           f"are left out.")
    return tables.kept_rows(frame.assign(**{name: both[name].to_numpy() for name in (file.truth, *more)}), kept)


def _without_one(own: pd.DataFrame, known: pd.DataFrame) -> list[str]:
    """All columns to join by but one, where with that one few rows are joined, and without it nearly all; or none."""
    def share(names: list[str]) -> float:
        return float(own[names].merge(known[names].drop_duplicates().assign(found=1), how="left", on=names)[
            "found"].notna().mean())

    if share(list(own)) >= LEAST_JOINED:
        return []
    rest = [[name for name in own if name != one] for one in own] if own.shape[1] > 1 else []
    fits = [names for names in rest if not known[names].duplicated().any() and share(names) > MOSTLY_JOINED]
    return fits[0] if len(fits) == 1 else []


def _with_names_of(file, truth, frame):
    """The outcomes, where columns that both files have do not identify a case: a column under the forecasts' name.

    Two columns are the same if every value of the forecasts' column, of two or more, is in that of the outcomes.
    """
    other, here = file.asked.truth_file, file.asked.file
    shared = [name for name in frame.columns if name in truth.columns and name != file.truth]
    if shared and not truth[shared].apply(lambda column: column.map(as_labels.key)).duplicated().any():
        return truth
    kinds = {name: set(frame[name].dropna().map(as_labels.key)) for name in frame.columns if name not in truth.columns}
    for name in [name for name in truth.columns if name not in shared and name != file.truth]:
        known = set(truth[name].dropna().map(as_labels.key))
        same = [own for own, values in kinds.items() if len(values) > 1 and values <= known]
        if len(same) > 1:
            raise ValueError(f"column {name!r} of {other} may be {' or '.join(same)} of {here}: give "
                             f"it the name of the one that it is")
        if same:
            file.notes.append(f"{name} of {other} is {same[0]} of {here}: they have the same values.")
            truth = truth.rename(columns={name: same[0]})
    return truth


def of_percent(file: Found, frame: pd.DataFrame) -> pd.DataFrame:
    """Columns of which --percent says that they are percentages, divided by 100."""
    for name in filter(None, between_commas(file.asked.percent, frame.columns.__contains__)):
        column = column_of(frame, name)
        if as_numbers.in_percent(name) or column.astype(str).str.contains("%", regex=False).any():
            raise ValueError(f"column {name!r} says itself that it is in per cent: leave out --percent")
        read = as_numbers.numbers(frame, name, least=0, gaps=True)
        above = np.flatnonzero(read > 100)
        if above.size:
            raise ValueError(f"line {line_of(frame, int(above[0]))}: {name} is {read[above[0]]:g}, and a "
                             f"percentage is at most 100")
        if np.nanmax(read, initial=0.0) <= 1:
            raise ValueError(f"column {name!r} is never above 1, so its numbers seem to be shares: leave out --percent")
        frame = frame.assign(**{name: read / 100})
        file.notes.append(f"{name} is divided by 100: it has percentages.")
    return frame


def _without_outcomes(file, frame, names, events, cases):
    """The table without columns that are the share of events; one of expected events is asked about."""
    share = events / np.maximum(cases, 1)
    for name in [name for name in map(str, frame.columns) if name not in names]:
        try:
            values = as_numbers.values(frame[name])
        except ValueError:
            continue
        digits = next((d for d in range(2, 13) if np.allclose(values, values.round(d), rtol=0, atol=1e-9)), 12)
        if np.ptp(share) > 0 and (np.abs(values - share) <= 0.5 * 10.0**-digits + 1e-9).all():
            frame = frame.drop(columns=[name])
            file.notes.append(f"{name} is {names[0]} / {names[1]} in each row, the outcome itself: it is left out.")
        elif not file.asked.models and (values >= 0).all() and (values <= cases).all() and values.max() > 1 and (
                abs(values.sum() / max(events.sum(), 1) - 1) < MOST_OFF and (values % 1 > 0).any()):
            raise ValueError(f"{name} adds up to {values.sum():,.0f}, and {names[0]} to {events.sum():,.0f}: are these "
                             f"expected numbers of events? A column of {name} / {names[1]} is a forecast; or choose "
                             f"the forecasts with --models")
    return frame


def each_case(file: Found, frame: pd.DataFrame) -> pd.DataFrame:
    """A row for many cases becomes two: those with the event, and those without, each with its number as weight."""
    names = between_commas(str(file.asked.count), frame.columns.__contains__)
    if len(names) == 2 and "+" in names[1] and names[1] not in frame:  # those with the event and those without
        both = [as_numbers.numbers(frame, name.strip(), least=0) for name in names[1].split("+")]
        frame = frame.drop(columns=[name.strip() for name in names[1].split("+") if name.strip() != names[0]]).assign(
            **{names[1]: sum(both)})
    if len(names) != 2 or file.truth is not None or file.weights is not None or file.asked.decision != "binary":
        raise ValueError("--count EVENTS,CASES takes two columns, is for binary decisions, and stands in for --truth "
                         "and --weights")
    events, cases = (as_numbers.numbers(frame, name, least=0) for name in names)
    wrong = np.flatnonzero((events > cases) | (events % 1 > 0) | (cases % 1 > 0))
    if wrong.size:
        raise ValueError(f"line {line_of(frame, int(wrong[0]))}: --count needs whole numbers, and not more "
                         f"events than cases; got {events[wrong[0]]:g} of {cases[wrong[0]]:g}")
    total = np.flatnonzero((2 * events == events.sum()) & (2 * cases == cases.sum()) & (events > 0))
    if total.size and len(frame) > 3:
        raise ValueError(f"line {line_of(frame, int(total[0]))} has as many {names[0]} and {names[1]} as all "
                         f"other rows together: take a total out of the file, as it counts every case again")
    frame = _without_outcomes(file, frame, names, events, cases)
    file.truth, file.weights = f"event ({names[0]})", f"number ({names[1]})"
    file.groups = file.groups or "row of the file"
    rows = frame.drop(columns=names).assign(**{"row of the file": np.arange(len(frame))})
    both = pd.concat([rows.assign(**{file.truth: came, file.weights: number})
                      for came, number in ((1, events), (0, cases - events))], ignore_index=True)
    kept = both[both[file.weights] > 0].reset_index(drop=True)
    kept.attrs = {key: value for key, value in frame.attrs.items() if key != "lines"}
    file.notes.append(f"{len(frame):,} rows stand for {int(cases.sum()):,} cases: {names[1]} is read as the number of "
                       f"all, with and without the event. Rows are resampled whole.")
    return kept
