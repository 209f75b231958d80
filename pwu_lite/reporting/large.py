"""Data beyond memory: files read in pieces, and models compared by their tallies.

Implements appendix L of the PWU paper for any number of cases.
"""

from __future__ import annotations

import glob
import gzip
import io
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from .. import validation
from ..pwu import PWU
from ..tally import Tally
from ._intervals import Luck, apart, normal, why_narrow
from ._rules import RULES
from .compare import COLUMNS, ModelComparison, cases_needed, few_units, verdict_of
from .files import layout

__all__ = ["compare_tallies", "is_large", "pieces", "sources"]

ROWS = 500_000  # of a piece
LEAST_BLOCKS = 10
PARQUET = (".parquet", ".pq")


def compare_tallies(tallies: Mapping[str, Tally], score: PWU, *, against: str | None = None,
                    coverage: float = 0.95) -> ModelComparison:
    """Models of the same cases by their tallies: as `compare`, at any size.

    Parameters
    ----------
    tallies : mapping of name to Tally
        Of the same cases, counted with the same blocks: at least ten of them, some 200 are good.
    score : PWU
        Of a binary decision, or of selective prediction.
    against : str, optional
        The model that the others are compared with; otherwise the cheapest one.
    coverage : float
        Of the intervals, from the spread between blocks.

    Returns
    -------
    ModelComparison
        Its table has two more columns, ``least`` and ``most``: the exact cost lies between them, whatever the forecasts
        in the cells are. Costs and differences are estimates from the mean forecast in each cell. There is
        no radius, and no report with pictures.

    Raises
    ------
    ValueError
        No tallies, too few blocks, or tallies of different cases.

    Examples
    --------
    >>> from pwu_lite import Beta, BinaryDecision
    >>> rng = np.random.default_rng(0)
    >>> f, block = rng.random(20_000), np.arange(20_000) % 50
    >>> y, tallies = rng.random(20_000) < f, {"sharp": Tally(), "vague": Tally()}
    >>> tallies["sharp"].update(y, f, block=block)
    >>> tallies["vague"].update(y, 0.25 + f / 2, block=block)
    >>> compare_tallies(tallies, PWU(BinaryDecision(), Beta(2, 10))).table["verdict"].tolist()
    ['best', 'costlier']
    """
    coverage = validation.inside("coverage", coverage, 0, 1)
    if not isinstance(tallies, Mapping) or not tallies or not all(isinstance(one, Tally) for one in tallies.values()):
        raise ValueError("tallies must be a mapping of names to Tally objects, at least one")
    names = [str(name) for name in tallies]
    if against is not None and str(against) not in names:
        raise ValueError(f"against is {against!r}, which is none of the models: {', '.join(names)}")
    numbers, losses, sizes = zip(*(one.blocks(score) for one in tallies.values()), strict=True)
    counted = [one.cases() for one in tallies.values()]
    for name, number, size, cases in zip(names, numbers, sizes, counted, strict=True):
        same = np.array_equal(number, numbers[0]) and np.allclose(size, sizes[0], rtol=1e-9, atol=0)
        if not same or not all(map(np.array_equal, cases, counted[0])):
            raise ValueError(f"{names[0]} and {name} were not counted on the same cases with the same blocks: cases, "
                             f"weights or events differ")
    if len(numbers[0]) < LEAST_BLOCKS:
        raise ValueError(f"intervals need at least {LEAST_BLOCKS} blocks, the tallies have {len(numbers[0])}: pass "
                         f"block= to update, the same for every model")
    cost = np.sum(losses, axis=1) / sizes[0].sum()
    best = int(np.argmin(cost)) if against is None else names.index(str(against))
    found, _ = normal(np.array(losses), sizes[0], best, Luck(coverage, 0, 0))
    first, (_, without, events) = next(iter(tallies.values())), counted[0]
    about = _about(first.kind, int(without.sum()), int(events.sum()), coverage)
    about["narrow"] = {"score": why_narrow(found.skew, sizes[0], "blocks", Luck(coverage, 0, 0))}
    gap, word = apart(cost, cost[best]), "best" if against is None else "reference"
    with np.errstate(invalid="ignore", divide="ignore"):
        saving = gap / np.abs(cost)
    bounds = [one.score(score) for one in tallies.values()]
    frame = pd.DataFrame({
        "cost": cost, "low": found.cost[0], "high": found.cost[1], "skill": _skill(first, score, cost),
        "difference": gap, "difference low": found.difference[0], "difference high": found.difference[1],
        "saving": saving, "saving low": found.saving[0], "saving high": found.saving[1],
        "share best": found.share_best, "undefined": found.undefined,
        "verdict": [word if index == best else verdict_of(gap[index], low, high, bool(about["few"]))
                    for index, (low, high) in enumerate(found.difference.T)],
        "cases needed": np.nan if about["few"] else cases_needed(len(first), gap, found.spread, coverage),
        "radius": np.nan}, index=names, columns=COLUMNS)
    frame["least"], frame["most"] = [bound.lower for bound in bounds], [bound.upper for bound in bounds]
    widest = max((bound.upper - bound.lower) / 2 for bound in bounds)
    note = (f"From tallies of {len(first):,} cases: the exact costs are within {widest:.1g} of the estimates, most "
            f"often far nearer. Intervals: {100 * coverage:.3g}%, normal, from the spread between {len(numbers[0])} "
            f"blocks. They cover which cases are in the sample, not the luck of fitting.")
    return ModelComparison(frame.iloc[np.argsort(cost, kind="stable")], (note,), {"score": score}, None, {}, about)


def _about(kind, without, events, coverage):
    """What carries information, as `compare` has it: cases are counted, whatever their weights."""
    counts = [without + events, events, without] if kind == "binary" else [without]
    least = min((count, index) for index, count in enumerate(counts))
    few = "" if least[0] >= np.log2(2 / (1 - coverage)) else few_units(*least, "cases")
    return {"cases": counts[0], "events": events if kind == "binary" else None, "event": "y_true = 1", "unit": "cases",
            "few": few, "base": "the base rate", "coverage": f"{100 * coverage:.3g}"}


def _skill(tally, score, cost):
    """Share of the way from the base rate to a perfect forecast."""
    if tally.kind != "binary":
        return np.full(cost.size, np.nan)
    weight = np.array(tally.outcomes())
    rate, y = weight[1] / weight.sum(), np.array([0, 1])
    if not 0 < rate < 1:
        return np.full(cost.size, np.nan)
    base, perfect = (score(y, forecast, sample_weight=weight) for forecast in (np.full(2, rate), y.astype(float)))
    return (base - cost) / (base - perfect)


def sources(source: str) -> list[Path]:
    """The files that a name with wildcards stands for, in order; or the one file.

    Parameters
    ----------
    source : str
        Path of a file, or with ``*`` and ``?``.

    Raises
    ------
    ValueError
        No file fits.

    Examples
    --------
    >>> sources("cases.csv")
    [PosixPath('cases.csv')]
    """
    if not any(letter in source for letter in "*?[") or Path(source).exists():
        return [Path(source)]
    found = sorted(Path(name) for name in glob.glob(source, recursive=True))
    if not found:
        raise ValueError(f"no file fits {source}")
    return found


def is_large(source: str) -> bool:
    """Is it read in pieces: several files, or more bytes than are read at once?

    Parameters
    ----------
    source : str
        As in `sources`.

    Examples
    --------
    >>> is_large("-"), is_large("part-*.csv")
    (False, True)
    """
    if source == "-":
        return False
    if any(letter in source for letter in "*?[") and not Path(source).exists():
        return True
    packed = 5 if source.lower().endswith((".gz", *PARQUET)) else 1
    return Path(source).is_file() and packed * Path(source).stat().st_size > RULES["most_bytes_at_once"]


def pieces(source: str, columns: list[str] | None = None) -> Iterator[pd.DataFrame]:
    """Tables of half a million rows each, one after the other; progress and time left go to standard error.

    Parameters
    ----------
    source : str
        CSV files (packed or not), or Parquet files, which need duckdb; as in `sources`.
    columns : list of str, optional
        The columns that are needed.

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
        for frame, share in (_from_parquet if kinds == {True} else _from_csv)(files, columns):
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


def _from_csv(files, columns):
    total, done = sum(path.stat().st_size for path in files), 0
    names: list[str] | None = None
    for path in files:
        with open(path, "rb") as raw:
            packed = raw.read(2) == b"\x1f\x8b"
            raw.seek(0)
            with io.TextIOWrapper(gzip.open(path) if packed else open(path, "rb"), "utf-8-sig") as text:
                delimiter, found = layout(text, str(path))
            if names is not None and set(found) != set(names):
                raise ValueError(f"{path} has other columns than {files[0]}")
            names, first = found, 0
            try:
                parts = pd.read_csv(gzip.open(raw) if packed else raw, sep=delimiter, skipinitialspace=True,
                                    chunksize=ROWS, encoding="utf-8-sig", usecols=columns)
                for part in parts:
                    frame = part.reset_index(drop=True)
                    frame.attrs |= {"first": first, "file": str(path)}
                    yield frame, (done + raw.tell()) / max(total, 1)
                    first += len(frame)
            except (pd.errors.ParserError, UnicodeDecodeError, EOFError, OSError) as error:
                raise ValueError(f"{path} could not be read as a table: {error}") from error
        done += path.stat().st_size


def _from_parquet(files, columns):
    try:
        import duckdb
    except ImportError as error:
        raise ValueError('reading Parquet files in pieces needs duckdb: pip install duckdb') from error
    with duckdb.connect() as connection:
        connection.execute("SET memory_limit = '400MB'")
        names = [str(path) for path in files]
        try:
            counted = connection.execute("SELECT COUNT(*) FROM read_parquet(?)", [names]).fetchall()
            total = counted[0][0]
            wanted = "*" if columns is None else ", ".join('"' + name.replace('"', '""') + '"' for name in columns)
            connection.execute(f"SELECT {wanted} FROM read_parquet(?)", [names])
            done = 0
            while len(frame := connection.fetch_df_chunk(max(1, ROWS // 2048))):
                frame.attrs |= {"first": done, "file": str(files[0]) if len(files) == 1 else "the files"}
                done += len(frame)
                yield frame, done / max(total, 1)
        except duckdb.Error as error:
            raise ValueError(f"{files[0]} could not be read: {str(error).splitlines()[0]}") from error
