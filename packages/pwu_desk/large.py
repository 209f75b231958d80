"""Data beyond memory: files read in pieces.

Implements no section of the sources.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import itertools
import sys
import time
import zlib
from collections.abc import Collection, Iterator, Mapping
from functools import partial
from types import MappingProxyType

import numpy as np
import pandas as pd

from pwu_lite.reporting.rules import RULES

from .as_numbers import SEPARATORS, SIGNS, Ways, decimal_commas, plain, unlike_percent
from .tables import PARQUET_ROWS, is_row, layout, literal, sources, without_preamble

__all__ = ["Suspects", "is_large", "pieces"]

ROWS = 500_000  # of a piece
PARQUET = (".parquet", ".pq")


def is_large(source: str) -> bool:
    """Is it read in pieces, with more bytes than are read at once?

    Examples
    --------
    >>> is_large("-")
    False
    """
    if source == "-":
        return False
    total = sum((5 if path.suffix.lower() in (".gz", *PARQUET) else 1) * path.stat().st_size
                for path in sources(source) if path.is_file())
    return total > RULES["most_bytes_at_once"]


def pieces(source: str, columns: Collection[str] | None = None, text: Collection[str] = (),
           ways: Mapping[str, str | None] = MappingProxyType({})) -> Iterator[pd.DataFrame]:
    """Tables of half a million rows each, one after the other; progress and time left go to standard error.

    Some columns only, if they are named; columns that are kept as text, and how the numbers of some are written.

    Raises
    ------
    ValueError
        Files of both kinds, or with different columns, or that cannot be read.
    """
    files = sources(source)
    kinds = {path.suffix.lower() in PARQUET for path in files}
    if len(kinds) > 1:
        raise ValueError(f"{source} matches both CSV and Parquet files: read one kind at a time")
    started, shown, before = time.monotonic(), 0.0, 0
    try:
        for frame, share in (_from_parquet(files, columns) if kinds == {True} else
                             _from_csv(files, columns, {*text, *ways})):
            now = time.monotonic()
            if now - shown > 0.5:
                shown = now
                _progress(share, now - started)
            frame.attrs["before"] = before  # rows in all pieces so far: the answer does not depend on where files end
            before += len(frame)
            for name, way in ways.items():
                frame[name] = _as_numbers(plain(frame[name], way))
            yield frame
    finally:
        if shown and sys.stderr.isatty():
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def _as_numbers(fields):
    """Numbers to the last digit, where every field is one; else the fields."""
    try:
        return fields.map(float, na_action="ignore")
    except ValueError:
        return fields


class Suspects:
    """Columns whose numbers may be written in more than one way, so that a single piece cannot tell."""

    def __init__(self) -> None:
        self.text: set[str] = set()
        self.point = True  # is a comma the delimiter of every piece, and no decimal comma?
        self.points: dict[str, tuple[bool, bool]] = {}  # thousands after a point so far? and is there a point?
        self.signs: dict[str, set[bool]] = {}  # is there a % sign behind a number that is not zero?

    def add(self, frame: pd.DataFrame) -> None:
        """Look at a piece, in which pandas has read plain numbers."""
        self.point = self.point and frame.attrs.get("point", False)
        for name in frame.columns:
            column = frame[name]
            if pd.api.types.is_numeric_dtype(column):
                known = column.dropna().to_numpy(float)
                so_far, any_ = self.points.get(name, (True, False))
                if so_far:
                    broken = known[known % 1 != 0]
                    grouped = bool(np.all(np.abs(known) < 1000) and np.all(np.abs(broken) >= 1)
                                   and np.all(np.abs(1000 * broken - np.round(1000 * broken)) < 1e-6))
                    self.points[name] = grouped, any_ or broken.size > 0
                self.signs.setdefault(name, set()).update([False] * bool(unlike_percent(name, known).any()))
            elif pd.api.types.is_string_dtype(column):
                if column.str.contains(rf"{SEPARATORS}|^[-+]?[1-9]\d{{0,2}}(?:\.\d{{3}})+$", regex=True).any():
                    self.text.add(name)
                self.point = self.point and not decimal_commas(column)
                signs = self.signs.setdefault(name, set())
                if (percent := column.str.endswith("%").fillna(False)).any():
                    signs.add(True)
                elif len(signs) < 2:
                    bare = pd.to_numeric(column[~percent], errors="coerce").dropna().to_numpy(float)
                    signs.update([False] * bool(unlike_percent(name, bare).any()))

    def ways(self, source: str, apart: Collection[str]) -> tuple[dict[str, str | None], dict[str, str]]:
        """How their numbers are written, by all rows; and what is said of columns where two ways fit."""
        grouped = {name for name, (all_, any_) in self.points.items() if all_ and any_ and not self.point}
        names = {*self.text} | grouped
        names -= {*apart}
        found: dict[str, str | None] = {}
        open_ = {name: f"column {name!r}: {SIGNS}" for name, signs in self.signs.items() if len(signs) > 1}
        seen = {name: Ways(self.point) for name in names}
        for frame in pieces(source, names, names) if names else ():
            for name in names:
                seen[name].add(frame[name].astype("string").str.strip())
        for name in names:
            try:
                found[name] = seen[name].decided(name)
            except ValueError as error:
                open_[name] = str(error)
        return found, open_


def _progress(share, seconds):
    """A bar where a person looks on."""
    if sys.stderr.isatty():
        left = f"{seconds * (1 - share) / share:.0f} s left" if share > 0 else ""
        print(f"\r[{'#' * round(30 * share):<30}] {share:4.0%}  {left:<16}", end="", file=sys.stderr, flush=True)


def _from_csv(files, columns, text):
    total, done = sum(path.stat().st_size for path in files), 0
    names: list[str] | None = None
    for path in files:
        if not path.stat().st_size:  # engines write parts without rows
            continue
        try:
            encoding, skipped, delimiter, found = _head(path)
            if names is not None and set(found) != set(names):
                raise ValueError(f"the columns of {path} differ from those of {files[0]}")
            names, first = found, 0
            with open(path, "rb") as raw:
                lines = io.TextIOWrapper(gzip.open(raw) if _is_packed(path) else raw, encoding, errors="replace",
                                         newline="")
                for part in pd.read_csv(lines, sep=delimiter, skipinitialspace=True, chunksize=ROWS, usecols=columns,
                                        dtype=dict.fromkeys({*text} & {*found}, str), names=found, header=0,
                                        skiprows=skipped, index_col=False):
                    if part.empty:
                        continue
                    frame = part.reset_index(drop=True)
                    frame.attrs["point"] = delimiter == ","
                    frame.attrs["line"] = partial(_line, path, encoding, delimiter, skipped, first, len(files) > 1)
                    yield frame, (done + raw.tell()) / max(total, 1)
                    first += len(frame)
        except (pd.errors.ParserError, EOFError, OSError, zlib.error) as error:
            raise ValueError(f"{path} could not be read as a table: {error}") from error
        done += path.stat().st_size


def _is_packed(path):
    with open(path, "rb") as raw:
        return raw.read(2) == b"\x1f\x8b"


def _unpacked(path):
    return gzip.open(path) if _is_packed(path) else open(path, "rb")


def _head(path):
    """Encoding, number of lines before the header, delimiter and names of columns."""
    with _unpacked(path) as raw:
        start = raw.read(RULES["most_first_line"])
        encoding = "utf-16" if start[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
        decoder = codecs.getincrementaldecoder(encoding)()
        zero = encoding != "utf-16" and b"\0" in start
        try:
            text = decoder.decode(start)
            while more := raw.read(2**20):  # to the end: a file that was written by Windows may tell late
                zero |= encoding != "utf-16" and b"\0" in more
                decoder.decode(more)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            encoding, text = "cp1252", start.decode("cp1252", errors="replace")
            zero |= any(b"\0" in more for more in iter(lambda: raw.read(2**20), b""))
    if zero:
        raise ValueError(f"{path} is not a text file: save the table as CSV")
    text, said = without_preamble(text)
    rows = text.lstrip("\r\n")
    return encoding, text[:len(text) - len(rows)].count("\n"), *layout(io.StringIO(rows), str(path), said)


def _line(path, encoding, delimiter, skipped, first, several, place):
    """The line on which a row of a file starts: looked for when a message needs it."""
    with io.TextIOWrapper(_unpacked(path), encoding, errors="replace", newline="") as lines:
        reader, before = csv.reader(itertools.islice(lines, skipped, None), delimiter=delimiter), 0
        wanted = first + place + 1  # after the header
        for row in reader:
            wanted -= is_row(row)
            if wanted < 0:
                break
            before = reader.line_num
    return f"{skipped + before + 1} of {path}" if several else skipped + before + 1


def _from_parquet(files, columns):
    try:
        import duckdb
    except ImportError as error:
        raise ValueError('reading Parquet files in pieces needs duckdb: pip install duckdb') from error
    with duckdb.connect() as connection:
        connection.execute("SET memory_limit = '400MB'")
        names = [literal(path) for path in files]
        try:
            counted = connection.execute(PARQUET_ROWS.format("COUNT(*)"), [names]).fetchall()
            total = counted[0][0]
            wanted = "*" if columns is None else ", ".join('"' + name.replace('"', '""') + '"' for name in columns)
            connection.execute(PARQUET_ROWS.format(wanted), [names])
            done = 0
            while len(frame := connection.fetch_df_chunk(max(1, ROWS // 2048))):
                frame.attrs["first"] = done
                done += len(frame)
                yield frame, done / max(total, 1)
        except duckdb.Error as error:
            raise ValueError(f"{files[0]} could not be read: {str(error).splitlines()[0]}") from error
