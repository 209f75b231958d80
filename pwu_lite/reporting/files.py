"""Outcomes and forecasts from a file, as people have them; what cannot be read is named with its line.

Implements no part of a source.
"""

from __future__ import annotations

import csv
import gzip
import io
import itertools
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ._rules import RULES

__all__ = ["column_of", "events", "line_of", "numbers", "pairs", "probabilities", "read_table"]

DELIMITERS = ",;\t|"
YES = set(RULES["yes"])
HIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")
"""Control characters, marks of direction and other characters that are not seen."""
MOST_UNPACKED = 2_000_000_000
SPREAD = re.compile(r"(.*?)[ _.:-]*(std|sd|sigma)", re.IGNORECASE)
MIDDLE = re.compile(r"(.*?)[ _.:-]*(mean|mu|pred)", re.IGNORECASE)


def read_table(source: str) -> pd.DataFrame:
    """A table from a CSV or Parquet file, or from standard input if `source` is ``-``.

    Delimiter (comma, semicolon, tab, bar) and decimal comma are recognised, a byte order mark is ignored, a file
    that was packed by gzip is unpacked.

    Parameters
    ----------
    source : str
        Path of a CSV or Parquet file; - for standard input.

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
        return _read_parquet(source)
    raw = _bytes(source)
    if raw[:2] == b"PK":
        raise ValueError(f"{source} is an Excel or zip file: save the sheet as CSV")
    try:
        text = raw.decode("utf-16" if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig")
    except UnicodeDecodeError:
        text = raw.decode("cp1252", errors="replace")
    if "\0" in text:
        raise ValueError(f"{source} is not a text file: save the table as CSV")
    if not text.strip():
        raise ValueError(f"{source} is empty")
    if "\n" not in text:
        text = text.replace("\r", "\n")
    end = text.find("\n", len(text) - len(text.lstrip()))
    if (end if end >= 0 else len(text)) > RULES["most_first_line"]:
        raise ValueError(f"the first line of {source} is longer than {RULES['most_first_line']:,} characters: is this "
                         "a table with one row per line?")
    lines = list(itertools.islice((line for line in io.StringIO(text) if line.strip()), 2))
    delimiter = max(DELIMITERS, key=re.sub(r'"[^"]*"', "", lines[0]).count)
    try:
        names, *rows = csv.reader(lines, delimiter=delimiter, skipinitialspace=True)
    except csv.Error as error:
        raise ValueError(f"{source} could not be parsed as a table: {error}") from error
    names = [name.strip() for name in names]
    _check_names(names)
    _check_header(names)
    if rows and len(rows[0]) > len(names):
        raise ValueError(f"the first row has {len(rows[0])} fields, the header has {len(names)}: a comma inside a "
                         "number or a name needs quotes")
    try:
        frame = pd.read_csv(io.StringIO(text), sep=delimiter, skipinitialspace=True)
    except (pd.errors.ParserError, pd.errors.EmptyDataError) as error:
        match = re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", str(error))
        raise ValueError(f"line {match[2]} has {match[3]} fields, the lines above have {match[1]}" if match
                         else f"{source} could not be parsed as a table: {error}") from error
    if frame.empty:
        raise ValueError(f"{source} has a header and no rows")
    if text.count("\n") + (not text.endswith("\n")) != len(frame) + 1:  # blank lines, or line ends inside quotes
        frame.attrs["lines"] = _lines_of(text, delimiter)
    return frame


def _bytes(source):
    """The content of a file or of standard input, unpacked."""
    if source == "-":
        if sys.stdin is None or sys.stdin.closed:
            raise ValueError("standard input is closed: name a file")
        raw = sys.stdin.buffer.read()
    else:
        raw = Path(source).read_bytes()
    if raw[:2] != b"\x1f\x8b":
        return raw
    with gzip.open(io.BytesIO(raw)) as packed:
        try:
            raw = packed.read(MOST_UNPACKED + 1)
        except (OSError, EOFError) as error:
            raise ValueError(f"{source} could not be unpacked: {error}") from error
    if len(raw) > MOST_UNPACKED:
        raise ValueError(f"{source} has more than {MOST_UNPACKED:,} bytes when unpacked")
    return raw


def _read_parquet(source):
    try:
        frame = pd.read_parquet(source)
    except ImportError as error:
        raise ValueError(f"reading {source} needs pyarrow: pip install pyarrow, or save it as CSV") from error
    except OSError:
        raise
    except Exception as error:  # pyarrow's own kinds
        raise ValueError(f"{source} could not be read as Parquet: {error}") from error
    frame.columns = [str(name) for name in frame.columns]
    _check_names(list(frame.columns))
    if frame.empty:
        raise ValueError(f"{source} has a header and no rows")
    return frame


def _lines_of(text, delimiter):
    """The line on which each row starts."""
    reader, starts, before = csv.reader(io.StringIO(text), delimiter=delimiter), [], 0
    try:
        for row in reader:
            if any(field.strip() for field in row):
                starts.append(before + 1)
            before = reader.line_num
    except csv.Error as error:
        raise ValueError(f"line {reader.line_num}: {error}") from error
    return starts[1:]


def _check_names(names):
    """Refuse names that are given twice, too long, too many, or hold characters that are not seen."""
    if len(names) > RULES["most_columns"]:
        raise ValueError(f"the table has {len(names):,} columns, more than {RULES['most_columns']:,}: keep the "
                         "outcome, the forecasts, weights and groups")
    seen: set[str] = set()
    for number, name in enumerate(names, start=1):
        if len(name) > RULES["most_name"]:
            raise ValueError(f"the name of column {number} has {len(name):,} characters: give it a short one")
        if HIDDEN.search(name):
            raise ValueError(f"the name of column {number} holds a line end or another character that is not seen, "
                             f"{name!r:.80}: rename it")
        if name in seen:
            raise ValueError(f"two columns are called {name!r}: give each its own name" if name else
                             "two columns have no name: give each its own")
        seen.add(name)


def _check_header(names):
    if all(re.fullmatch(r"[-+]?[0-9.,]+%?", name) for name in names) or any(
            re.fullmatch(r"[-+]?\d*[.,]\d+%?", name) for name in names):
        raise ValueError("the first line looks like data: is the header missing?")


def column_of(frame: pd.DataFrame, name: str) -> pd.Series:
    """A column of the table; a ValueError that lists the others if there is none of this name.

    Parameters
    ----------
    frame : DataFrame
        As `read_table` returns it.
    name : str
        Name of the column.
    """
    if name not in frame:
        raise ValueError(f"there is no column {name!r}; there are: {', '.join(map(str, frame.columns))}")
    return frame[name]


def _refuse(frame, column, bad, rule, hint=""):
    index = int(np.flatnonzero(bad)[0])
    value = column.iloc[index]
    number = isinstance(value, (int, float, np.integer, np.floating))
    shown = f"{value:g}" if number and not np.isnan(value) else f"{value!r:.60}"
    if number and np.isnan(value) or value is None or value is pd.NA or value is pd.NaT:
        shown = "nothing, or a word for it (NaN, n/a)"
    raise ValueError(f"line {line_of(frame, index)}, column {column.name!r}: {rule}, got {shown}{hint}")


def line_of(frame: pd.DataFrame, place: int) -> int:
    """The line of the file on which a row starts, counted from 1.

    Parameters
    ----------
    frame : DataFrame
        As `read_table` returns it.
    place : int
        Index of the row, from 0.

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
        There is no such column, or a field of it is not a number; the message says which line.

    Examples
    --------
    >>> numbers(pd.DataFrame({"a": ["0,5", "7%"]}), "a").tolist()
    [0.5, 0.07]
    """
    column = column_of(frame, name)
    if pd.api.types.is_bool_dtype(column) or pd.api.types.is_numeric_dtype(column):
        values = column.to_numpy(dtype=float, na_value=np.nan)
    else:
        try:
            text = column.astype("string").str.strip()
        except (TypeError, ValueError, NotImplementedError) as error:
            raise ValueError(f"column {column.name!r} holds {column.dtype}, not numbers: {error}") from error
        if text.notna().any() and text.str.fullmatch(r"[-+]?[1-9]\d{0,2}([.,]\d{3})+").fillna(True).all():
            raise ValueError(f"column {name!r}: {text.dropna().iloc[0]!r} may be thousands or decimals; write it "
                             "without separators between thousands")
        percent = text.str.endswith("%").fillna(False).to_numpy(dtype=bool)
        plain = text.str.rstrip("% ").str.replace(",", ".", regex=False)
        values = pd.to_numeric(plain, errors="coerce").to_numpy(dtype=float, na_value=np.nan)
        values = np.where(percent, values / 100, values)
    if not np.isfinite(values).all():
        _refuse(frame, column, ~np.isfinite(values), "expected a number")
    for outside, rule in ((None if least is None else values < least, f"expected a number of at least {least}"),
                          (None if above is None else values <= above, f"expected a number above {above}"),
                          (None if below is None else values >= below, f"expected a number below {below}")):
        if outside is not None and outside.any():
            _refuse(frame, column, outside, rule)
    return values


def probabilities(frame: pd.DataFrame, name: str) -> np.ndarray:
    """A column of numbers in [0, 1]; the first one outside is named with its line.

    Parameters
    ----------
    frame : DataFrame
        As `read_table` returns it.
    name : str
        Name of the column.

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
        _refuse(frame, column_of(frame, name), outside, "expected a probability between 0 and 1", hint)
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
        _refuse(frame, column, column.isna().to_numpy(), "expected an outcome")
    try:
        kinds = list(pd.unique(column))
    except TypeError as error:
        raise ValueError(f"column {name!r} holds {type(column.iloc[0]).__name__}s, not labels") from error
    words = {kind: _word(kind) for kind in kinds}
    if len(kinds) == 1:
        raise ValueError(f"column {name!r} contains only one outcome ({words[kinds[0]]}); two are needed")
    if len(kinds) > 2:
        raise ValueError(f"column {name!r} must have two labels, it has {len(kinds)}: "
                         f"{', '.join(list(words.values())[:4])}{', ...' if len(kinds) > 4 else ''}")
    for kind in kinds:
        if HIDDEN.search(words[kind]):
            raise ValueError(f"column {name!r} has a label with a line end or another character that is not seen, "
                             f"{words[kind]!r:.60}: rename it")
    if event is not None:
        chosen = [kind for kind in kinds if words[kind].strip().lower() == event.strip().lower()]
        if len(chosen) > 1:
            raise ValueError(f"column {name!r} has {len(chosen)} labels like {event!r}, which differ in blanks or "
                             "capitals: make them one")
        if not chosen:
            raise ValueError(f"column {name!r} has no label {event!r}; it has {', '.join(words.values())}")
    else:
        chosen = [kind for kind in kinds if words[kind].strip().lower() in YES]
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

    Parameters
    ----------
    names : list of str
        Names of columns.

    Examples
    --------
    >>> pairs(["y", "a_mean", "a_std", "b", "b sd"])
    {'a': ('a_mean', 'a_std'), 'b': ('b', 'b sd')}
    """
    stems: dict[str, list[str]] = {}
    for name in names:
        middle = MIDDLE.fullmatch(name)
        for stem in {name, *([middle[1]] if middle else [])}:
            stems.setdefault(stem, []).append(name)
    pairs_found: dict[str, tuple[str, str]] = {}
    for spread in names:
        match = SPREAD.fullmatch(spread)
        stem = str(match[1]) if match else ""
        for name in stems.get(stem, []) if match else []:
            if name != spread:
                pairs_found[stem] = (name, spread)
    return pairs_found
