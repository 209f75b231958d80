"""Data beyond memory: files read in pieces.

Implements no section of the sources.
"""

from __future__ import annotations

import gzip
import io
import sys
import time
import zlib
from collections.abc import Collection, Iterator

import pandas as pd

from ..reporting._rules import RULES
from .tables import PARQUET_ROWS, layout, literal, sources

__all__ = ["is_large", "pieces"]

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


def pieces(source: str, columns: list[str] | None = None, text: Collection[str] = ()) -> Iterator[pd.DataFrame]:
    """Tables of half a million rows each, one after the other; progress and time left go to standard error.

    Raises
    ------
    ValueError
        Files of both kinds, or with different columns, or that cannot be read.
    """
    files = sources(source)
    kinds = {path.suffix.lower() in PARQUET for path in files}
    if len(kinds) > 1:
        raise ValueError(f"{source} stands for CSV and Parquet files: read one kind at a time")
    started, shown = time.monotonic(), 0.0
    try:
        for frame, share in _from_parquet(files, columns) if kinds == {True} else _from_csv(files, columns, text):
            now = time.monotonic()
            if now - shown > 0.5:
                shown = now
                _progress(share, now - started)
            yield frame
    finally:
        if shown and sys.stderr.isatty():
            print("\r\033[K", end="", file=sys.stderr, flush=True)


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
        with open(path, "rb") as raw:
            packed = raw.read(2) == b"\x1f\x8b"
            raw.seek(0)
            try:
                with io.TextIOWrapper(gzip.open(path) if packed else open(path, "rb"), "utf-8-sig") as lines:
                    delimiter, found = layout(lines, str(path))
            except (UnicodeDecodeError, EOFError, OSError, zlib.error) as error:
                raise ValueError(f"{path} could not be read as a table: {error}") from error
            if names is not None and set(found) != set(names):
                raise ValueError(f"{path} has other columns than {files[0]}")
            names, first = found, 0
            try:
                parts = pd.read_csv(gzip.open(raw) if packed else raw, sep=delimiter, skipinitialspace=True,
                                    chunksize=ROWS, encoding="utf-8-sig", usecols=columns,
                                    dtype={name: str for name in text if name in found})
                for part in parts:
                    frame = part.reset_index(drop=True)
                    if frame.empty:
                        continue
                    frame.attrs |= {"first": first, "file": str(path)}
                    yield frame, (done + raw.tell()) / max(total, 1)
                    first += len(frame)
            except (pd.errors.ParserError, UnicodeDecodeError, EOFError, OSError, zlib.error) as error:
                raise ValueError(f"{path} could not be read as a table: {error}") from error
        done += path.stat().st_size


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
                frame.attrs |= {"first": done, "file": str(files[0]) if len(files) == 1 else "the files"}
                done += len(frame)
                yield frame, done / max(total, 1)
        except duckdb.Error as error:
            raise ValueError(f"{files[0]} could not be read: {str(error).splitlines()[0]}") from error
