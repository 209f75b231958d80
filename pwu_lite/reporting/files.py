"""Outcomes and forecasts from a file, as people have them; what cannot be read is named with its line.

Imports nothing; numpy, pandas.
Implements no part of a source.
"""

from __future__ import annotations

import csv
import io
import itertools
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

__all__ = ["column_of", "events", "line_of", "numbers", "pairs", "probabilities", "read_table"]

DELIMITERS = ",;\t|"
YES = {"1", "true", "yes", "y", "event", "positive"}
SPREAD = re.compile(r"(.*?)[ _.:-]*(std|sd|sigma)", re.IGNORECASE)
MIDDLE = re.compile(r"(.*?)[ _.:-]*(mean|mu|pred)", re.IGNORECASE)


def read_table(source: str) -> pd.DataFrame:
    """A table from a CSV or Parquet file, or from standard input if `source` is ``-``.

    Delimiter (comma, semicolon, tab, bar) and decimal comma are recognised, a byte order mark is ignored.

    Raises
    ------
    ValueError
        No table, or rows of different lengths; the message says which line.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
    ...     _ = file.write("y;a\\n1;0,7\\n0;20%\\n")
    ...     file.flush()
    ...     frame = read_table(file.name)
    >>> numbers(frame, "a").tolist()
    [0.7, 0.2]
    """
    if str(source).lower().endswith((".parquet", ".pq")):
        try:
            return pd.read_parquet(source)
        except ImportError as error:
            raise ValueError(f"reading {source} needs pyarrow: pip install pyarrow, or save it as CSV") from error
    raw = sys.stdin.buffer.read() if source == "-" else Path(source).read_bytes()
    if raw[:2] == b"PK":
        raise ValueError(f"{source} is an Excel or zip file: save the sheet as CSV")
    try:
        text = raw.decode("utf-16" if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig")
    except UnicodeDecodeError:
        text = raw.decode("cp1252", errors="replace")
    if "\0" in text:
        raise ValueError(f"{source} is no text: save the table as CSV")
    if not text.strip():
        raise ValueError(f"{source} is empty")
    lines = list(itertools.islice((line for line in io.StringIO(text) if line.strip()), 2))
    delimiter = max(DELIMITERS, key=re.sub(r'"[^"]*"', "", lines[0]).count)
    try:
        names, *rows = csv.reader(lines, delimiter=delimiter, skipinitialspace=True)
    except csv.Error as error:
        raise ValueError(f"{source} is no table: {error}") from error
    _check_names([name.strip() for name in names])
    if rows and len(rows[0]) > len(names):
        raise ValueError(f"the first row has {len(rows[0])} fields, the header has {len(names)}: a comma inside a "
                         "number or a name needs quotes")
    try:
        frame = pd.read_csv(io.StringIO(text), sep=delimiter, skipinitialspace=True)
    except (pd.errors.ParserError, pd.errors.EmptyDataError) as error:
        found = re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", str(error))
        raise ValueError(f"line {found[2]} has {found[3]} fields, the lines above have {found[1]}" if found
                         else f"{source} is no table: {error}") from error
    if frame.empty:
        raise ValueError(f"{source} has a header and no rows")
    if text.count("\n") + (not text.endswith("\n")) != len(frame) + 1:  # blank lines, or line ends inside quotes
        frame.attrs["lines"] = _lines_of(text, delimiter)
    return frame


def _lines_of(text, delimiter):
    """The line on which each row starts."""
    reader, starts, before = csv.reader(io.StringIO(text), delimiter=delimiter), [], 0
    for row in reader:
        if any(field.strip() for field in row):
            starts.append(before + 1)
        before = reader.line_num
    return starts[1:]


def _check_names(names):
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"two columns are called {twice[0]!r}: give each its own name")
    if all(re.fullmatch(r"[-+]?[0-9.,]+%?", name) for name in names) or any(
            re.fullmatch(r"[-+]?\d*[.,]\d+%?", name) for name in names):
        raise ValueError("the first line looks like data: is the header missing?")


def column_of(frame: pd.DataFrame, name: str) -> pd.Series:
    """A column of the table; a ValueError that lists the others if there is none of this name."""
    if name not in frame:
        raise ValueError(f"there is no column {name!r}; there are: {', '.join(map(str, frame.columns))}")
    return frame[name]


def _refuse(frame, column, bad, rule, hint=""):
    place = int(np.flatnonzero(bad)[0])
    value = column.iloc[place]
    nothing = "nothing, or a word for it (NaN, n/a)"
    said = nothing if pd.isna(value) else repr(value) if isinstance(value, str) else f"{value:g}"
    raise ValueError(f"line {line_of(frame, place)}, column {column.name!r}: {rule}, got {said}{hint}")


def line_of(frame: pd.DataFrame, place: int) -> int:
    """The line of the file on which a row starts, counted from 1.

    Examples
    --------
    >>> line_of(pd.DataFrame({"a": [1, 2]}), 0)
    2
    """
    lines = frame.attrs.get("lines")
    return place + 2 if lines is None or place >= len(lines) else lines[place]


def numbers(frame: pd.DataFrame, name: str, *, least: float | None = None, above: float | None = None,
            below: float | None = None) -> np.ndarray:
    """A column as numbers; text with a percent sign or a decimal comma is read, too.

    Parameters
    ----------
    least, above, below : float, optional
        Numbers must be at least, above, or below these.

    Raises
    ------
    ValueError
        There is no such column, or a field of it is no number; the message says which line.

    Examples
    --------
    >>> numbers(pd.DataFrame({"a": ["0,5", "7%"]}), "a").tolist()
    [0.5, 0.07]
    """
    column = column_of(frame, name)
    if pd.api.types.is_bool_dtype(column) or pd.api.types.is_numeric_dtype(column):
        values = column.to_numpy(dtype=float, na_value=np.nan)
    else:
        text = column.astype("string").str.strip()
        if text.str.fullmatch(r"[-+]?[1-9]\d{0,2}([.,]\d{3})+").fillna(True).all():
            raise ValueError(f"column {name!r}: {text.dropna().iloc[0]!r} may be thousands or decimals; write it "
                             "without separators between thousands")
        percent = text.str.endswith("%").fillna(False).to_numpy(dtype=bool)
        plain = text.str.rstrip("% ").str.replace(",", ".", regex=False)
        values = pd.to_numeric(plain, errors="coerce").to_numpy(dtype=float, na_value=np.nan)
        values = np.where(percent, values / 100, values)
    if not np.isfinite(values).all():
        _refuse(frame, column, ~np.isfinite(values), "a number is wanted")
    for outside, rule in ((None if least is None else values < least, f"a number of at least {least} is wanted"),
                          (None if above is None else values <= above, f"a number above {above} is wanted"),
                          (None if below is None else values >= below, f"a number below {below} is wanted")):
        if outside is not None and outside.any():
            _refuse(frame, column, outside, rule)
    return values


def probabilities(frame: pd.DataFrame, name: str) -> np.ndarray:
    """A column of numbers in [0, 1]; the first one outside is named with its line.

    Examples
    --------
    >>> probabilities(pd.DataFrame({"a": ["0,5", "7%"]}), "a").tolist()
    [0.5, 0.07]
    """
    values = numbers(frame, name)
    outside = (values < 0) | (values > 1)
    if outside.any():
        hint = " (are these percentages? divide them by 100, or add a % sign)" if (
            values.min() >= 0 and values.max() > 2) else ""
        _refuse(frame, column_of(frame, name), outside, "a probability between 0 and 1 is wanted", hint)
    return values


def events(frame: pd.DataFrame, name: str, event: str | None = None) -> np.ndarray:
    """A column of two labels as zeros and ones.

    Parameters
    ----------
    event : str, optional
        The label that is one; needed where it cannot be told (1/2, benign/malignant).

    Raises
    ------
    ValueError
        Not two labels, or it is not clear which is the event.

    Examples
    --------
    >>> events(pd.DataFrame({"y": ["no", "yes"]}), "y").tolist()
    [0, 1]
    """
    column = column_of(frame, name)
    if column.isna().any():
        _refuse(frame, column, column.isna().to_numpy(), "an outcome is wanted")
    kinds = list(pd.unique(column))
    words = {kind: _word(kind) for kind in kinds}
    if len(kinds) == 1:
        raise ValueError(f"column {name!r} has one outcome only, {words[kinds[0]]}: nothing is to be told apart")
    if len(kinds) > 2:
        raise ValueError(f"column {name!r} must have two labels, it has {len(kinds)}: "
                         f"{', '.join(list(words.values())[:4])}{', ...' if len(kinds) > 4 else ''}")
    if event is not None:
        chosen = [kind for kind in kinds if words[kind].lower() == event.strip().lower()]
        if not chosen:
            raise ValueError(f"column {name!r} has no label {event!r}; it has {', '.join(words.values())}")
    else:
        chosen = [kind for kind in kinds if words[kind].lower() in YES]
        if len(chosen) != 1 or len(kinds) == 2 and {"1", "2"} == set(words.values()):
            labels = sorted(words.values())
            raise ValueError(f"which label of column {name!r} is the event? Add --event {labels[0]} or "
                             f"--event {labels[1]}")
    return (column == chosen[0]).to_numpy().astype(int)


def _word(kind: Any) -> str:
    return f"{kind:g}" if isinstance(kind, (int, float, np.integer, np.floating)) and not isinstance(
        kind, bool) else str(kind)


def pairs(names: list[str]) -> dict[str, tuple[str, str]]:
    """Columns of means and standard deviations, by model: ``a_mean`` (or ``a``) and ``a_std`` (sd, sigma).

    Examples
    --------
    >>> pairs(["y", "a_mean", "a_std", "b", "b sd"])
    {'a': ('a_mean', 'a_std'), 'b': ('b', 'b sd')}
    """
    found = {}
    for spread in names:
        said = SPREAD.fullmatch(spread)
        if said:
            stem = said[1]
            for name in names:
                middle = MIDDLE.fullmatch(name)
                if name != spread and (name == stem or middle and middle[1] == stem):
                    found[stem] = (name, spread)
    return found
