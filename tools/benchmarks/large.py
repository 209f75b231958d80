"""Time tallies from 100,000 to 100 million rows, against the exact score where it fits, in processes of their own.

Usage: python tools/benchmarks/large.py [--rows 1e8] [--out packages/pwu_book/tables/large.csv]

Writes seconds, peak memory and rows of the answer, by rows, models, cells and threads. The forecasts are made by DuckDB
(the query of the page From a laptop to a cluster); 1e8 rows, and 1e7 of fifty models, take some 4 GB of disk each, in a
temporary folder.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd

import pwu_desk
import pwu_lite as pwu
from pwu_desk.tally import CELLS

SCORE = pwu.PWU(pwu.BinaryDecision(), pwu.Beta(2, 10))
MANY = 50  # models of the widest table


def make(path, rows, models):
    """Forecasts and outcomes of so many cases, the same ones on every machine; the first two are those of the page."""
    names = names_of(models)
    more = "".join(f", pow(p, {1 + k / 50}) AS {name}" for k, name in enumerate(names[2:], 2))
    duckdb.sql(f"""COPY (
        SELECT id, CAST(u < p AS INTEGER) AS y, p AS sharp, (p + 0.1) / 1.3 AS vague{more}
        FROM (SELECT id, pow(hash(2 * id) / 18446744073709551616.0, 3) AS p,
                     hash(2 * id + 1) / 18446744073709551616.0 AS u
              FROM range({rows}) AS cases(id))) TO '{path}'""")


def names_of(models):
    return ["sharp", "vague", *(f"model_{k}" for k in range(2, models))][:models]


def count(path, models, cells, threads):
    """Models counted by DuckDB in one query, in 100 blocks, and compared; the query's rows per model, too."""
    connection = duckdb.connect()
    connection.execute(f"SET threads = {threads}; SET memory_limit = '600MB'")
    names = names_of(models)
    counted = connection.execute(pwu_desk.Tally.sql(f"read_parquet('{path}')", "y", names, block="id % 100",
                                                    cells=cells)).df()
    cost = pwu_desk.compare_tallies(pwu_desk.Tally.from_counts(counted), SCORE).table["cost"].iloc[0]
    return cost, len(counted) // models


def exact(path, *_):
    """The same two models, all cases in memory."""
    frame = duckdb.sql(f"SELECT * FROM read_parquet('{path}')").df()
    return pwu.compare(frame["y"], frame[["sharp", "vague"]], SCORE).table["cost"].iloc[0], 0


def pieces(path, *_):
    """The command line, which reads the file in pieces."""
    words = ["compare", str(path), "--truth", "y", "--models", "sharp,vague", "--prior", "2,10"]
    subprocess.run([sys.executable, "-m", "pwu_desk", *words], check=True, capture_output=True)
    return np.nan, 0


def measured(way, path, *options):
    """Seconds, CPU seconds, peak memory in GB, the cost and rows per model, of a process of its own."""
    words = [sys.executable, __file__, "--run", way, str(path), *map(str, options)]
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    answer = subprocess.run(words, check=True, capture_output=True, text=True).stdout.split()
    seconds, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, cpu, float(answer[2]), float(answer[0]), int(answer[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=float, default=1e8)
    parser.add_argument("--out", help="where the page's table is written; nowhere, if not given")
    parser.add_argument("--run", nargs="+")
    options = parser.parse_args()
    if options.run:
        way, path, *rest = options.run
        cost, kept = {"tally": count, "all cases": exact, "command line": pieces}[way](path, *map(int, rest))
        kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
        print(cost, kept, max(resource.getrusage(kind).ru_maxrss for kind in kinds) / 2**20)
        return
    most, rows = int(options.rows), []
    with tempfile.TemporaryDirectory() as folder:
        for n in [10**k for k in range(5, 10) if 10**k <= most]:
            path = Path(folder) / f"{n}.parquet"
            wide = n == min(most, 10**7)  # where models, cells and threads are varied
            todo = [("tally", 2, CELLS, 2)]
            if n <= 10**7:
                todo += [("all cases", 2, 0, 1)]
            if n >= 10**7:
                todo += [("command line", 2, CELLS, 1)]
            if wide:
                todo += [("tally", 2, cells, 2) for cells in (64, 4096)] + [("tally", 2, CELLS, 1)]
                todo += [("tally", models, CELLS, 2) for models in (1, 10, MANY)]
            for way, models, cells, threads in todo:
                if models != 2 or not path.is_file():
                    make(path, n, models)
                seconds, cpu, peak, cost, kept = measured(way, path, models, cells, threads)
                rows.append({"way": way, "rows": n, "models": models, "cells": cells, "threads": threads,
                             "seconds": seconds, "cpu": cpu, "peak": peak, "cost": cost, "kept": kept})
                print(f"{way}, {n:,} rows, {models} models, {cells} cells, {threads} threads: {seconds:.1f} s, "
                      f"{cpu:.1f} s CPU, {peak:.2f} GB, {kept:,} rows per model (target at 1e8 rows and 2 models: "
                      f"120 s, 1 GB)", flush=True)
            path.unlink()
    if options.out:
        temporary = Path(options.out).with_suffix(".tmp")
        pd.DataFrame(rows).to_csv(temporary, index=False, float_format="%.6g")
        temporary.replace(options.out)
        print(f"wrote {options.out}")


if __name__ == "__main__":
    main()
