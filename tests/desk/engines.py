"""Engines that run the query of `Tally.sql`, forty inputs for each, and a table of what they do.

Usage: python -m tests.desk.engines [--rows 1e7] [--more 1e8] [--out packages/pwu_book/tables/engines.csv] [NAME ...]

An engine is left out, and said so, where its package is not installed. PostgreSQL and MariaDB are taken from the
addresses in PWU_POSTGRES and PWU_MYSQL, or started in a temporary folder where their programs are installed.
"""

from __future__ import annotations

import argparse
import contextlib
import getpass
import io
import os
import pwd
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd

from pwu_desk import Tally, compare_tallies
from pwu_lite import PWU, Beta, BinaryDecision


class Engine:
    """An engine: `put` makes a table named forecasts of a frame, `ask` returns the rows of a query."""

    name, dialect, boolean = "", "ansi", "ansi"
    reads = False  # a text that writes a number is that number

    def version(self):
        return sys.modules[self.module].__version__


class DuckDB(Engine):
    name, module = "DuckDB", "duckdb"

    def __init__(self, folder):
        import duckdb

        self.connection = duckdb.connect()

    def put(self, frame):
        self.connection.register("forecasts", frame)

    def open(self, path):
        self.connection.execute(f"SET memory_limit = '600MB'; SET threads = 2; CREATE OR REPLACE VIEW forecasts AS "
                                f"SELECT * FROM read_parquet('{path}')")

    def ask(self, query):
        return self.connection.execute(query).df()


class SQLite(Engine):
    name = "SQLite"

    def __init__(self, folder):
        self.connection = sqlite3.connect(":memory:")

    def put(self, frame):
        for name in [name for name in frame if frame[name].map(type).eq(Decimal).any()]:
            frame = frame.assign(**{name: frame[name].astype(float)})
        frame.to_sql("forecasts", self.connection, if_exists="replace", index=False)

    def ask(self, query):
        return pd.read_sql(query, self.connection)

    def version(self):
        return sqlite3.sqlite_version


class Polars(Engine):
    name, module = "Polars", "polars"

    def __init__(self, folder):
        import polars

        self.polars = polars

    def put(self, frame):
        self.frame = self.polars.from_pandas(frame).lazy()

    def open(self, path):
        self.frame = self.polars.scan_parquet(path)

    def ask(self, query):
        return self.polars.SQLContext(forecasts=self.frame).execute(query).collect(engine="streaming")


class DataFusion(Engine):
    name, module, boolean = "DataFusion", "datafusion", "postgres"

    def __init__(self, folder):
        import datafusion

        self.datafusion = datafusion

    def put(self, frame):
        import pyarrow

        self.context = self.datafusion.SessionContext()
        self.context.from_arrow(pyarrow.Table.from_pandas(frame), "forecasts")

    def open(self, path):
        self.context = self.datafusion.SessionContext()
        self.context.register_parquet("forecasts", str(path))

    def ask(self, query):
        return self.context.sql(query).to_arrow_table()


class ClickHouse(Engine):
    name, module = "ClickHouse", "chdb"

    def __init__(self, folder):
        import chdb

        self.chdb, self.path = chdb, Path(folder) / "clickhouse.parquet"

    def put(self, frame):
        frame.to_parquet(self.path)

    def open(self, path):
        self.path = path

    def ask(self, query):
        table = f"file('{self.path}', Parquet)"
        return self.chdb.query(query.replace("FROM forecasts)", f"FROM {table})"), "DataFrame")

    def version(self):
        return self.chdb.query("SELECT version()", "CSV").bytes().decode().strip().strip('"')


class Spark(Engine):
    name, module, dialect, boolean = "Spark", "pyspark", "spark", "spark"
    reads = True

    def __init__(self, folder):
        from pyspark.sql import SparkSession

        self.path = Path(folder) / "spark.parquet"
        self.session = (SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
                        .config("spark.sql.shuffle.partitions", "4").config("spark.driver.memory", "2g")
                        .config("spark.ui.showConsoleProgress", "false").getOrCreate())
        self.session.sparkContext.setLogLevel("OFF")

    def put(self, frame):
        frame.to_parquet(self.path)
        self.open(self.path)

    def open(self, path):
        self.session.catalog.clearCache()
        self.session.read.parquet(str(path)).createOrReplaceTempView("forecasts")

    def ask(self, query):
        return self.session.sql(query).toPandas()


class Databend(Engine):
    """A warehouse whose SQL follows Snowflake's."""

    name, module, dialect, boolean = "Databend", "databend", "snowflake", "snowflake"

    def __init__(self, folder):
        os.environ["DATABEND_DATA_PATH"] = str(Path(folder) / "databend")  # it is read at import
        with contextlib.chdir(folder):  # where it writes its own log
            import databend

            self.session, self.folder, self.tables = databend.SessionContext(), Path(folder), 0

    def put(self, frame):
        self.tables += 1
        frame.to_parquet(path := self.folder / f"databend{self.tables}.parquet")
        self.session.register_parquet(f"loaded{self.tables}", str(path))  # with its names in small letters
        names = ", ".join(f'"{name.lower()}" AS "{name}"' for name in (name.replace('"', '""') for name in frame))
        self.session.sql(f"CREATE OR REPLACE TABLE forecasts AS SELECT {names} FROM loaded{self.tables}").collect()

    def open(self, path):
        self.session.register_parquet("forecasts", str(path))

    def ask(self, query):
        return self.session.sql(query).to_pandas()

    def version(self):
        return str(self.ask("SELECT version()").iloc[0, 0]).split()[2].strip("v").split("-")[0]


class Server(Engine):
    """A database with a server."""

    types = {"b": "boolean", "i": "bigint", "u": "bigint", "f": "double precision", "O": "text", "32": "real"}

    def quoted(self, name):
        return '"' + name.replace('"', '""') + '"'

    def kind(self, column):
        if column.map(type).eq(Decimal).any():
            return "numeric(12, 9)"
        if column.dtype.kind not in "iufb" and column.dropna().map(lambda value: isinstance(value, str)).any():
            return self.types["O"]
        kind = "f" if column.dtype.kind == "O" else column.dtype.kind
        return self.types["32" if column.dtype == np.float32 else kind]

    def make(self, cursor, frame):
        columns = ", ".join(f"{self.quoted(name)} {self.kind(frame[name])}" for name in frame)
        cursor.execute("DROP TABLE IF EXISTS forecasts")
        cursor.execute(f"CREATE TABLE forecasts ({columns})")

    def ask(self, query):
        with self.connection.cursor() as cursor:
            cursor.execute(query)
            return pd.DataFrame(cursor.fetchall(), columns=[column[0] for column in cursor.description])


class PostgreSQL(Server):
    name, module, boolean = "PostgreSQL", "psycopg2", "postgres"

    def __init__(self, folder):
        import psycopg2

        if "PWU_POSTGRES" not in os.environ:
            programs = max(Path("/usr/lib/postgresql").glob("*/bin"), default=None)
            if programs is None and shutil.which("initdb"):
                programs = Path(shutil.which("initdb")).parent
            if programs is None:
                raise ImportError("no PostgreSQL: set PWU_POSTGRES, or install it")
            place = _own_folder(folder, "postgres")
            _run([programs / "initdb", "-D", place / "data", "-U", "pwu", "-A", "trust"])
            started = _start([programs / "postgres", "-D", place / "data", "-k", place, "-c", "listen_addresses="])
            address = f"host={place} user=pwu dbname=postgres"
        else:
            started, address = None, os.environ["PWU_POSTGRES"]
        self.connection = _patiently(lambda: psycopg2.connect(address), started)
        self.connection.autocommit = True

    def put(self, frame):
        with self.connection.cursor() as cursor:
            self.make(cursor, frame)
            text = io.StringIO(frame.to_csv(index=False, header=False, na_rep="\\N"))
            cursor.copy_expert("COPY forecasts FROM STDIN WITH (FORMAT csv, NULL '\\N')", text)

    def version(self):
        return str(self.ask("SHOW server_version").iloc[0, 0]).split()[0]


class MariaDB(Server):
    name, module, dialect, boolean = "MariaDB", "pymysql", "mysql", "mysql"
    reads = True
    types = Server.types | {"32": "float", "f": "double"}

    def __init__(self, folder):
        import pymysql

        if "PWU_MYSQL" not in os.environ:  # host:port:user:password
            program = shutil.which("mariadbd")
            if program is None:
                raise ImportError("no MariaDB: set PWU_MYSQL, or install it")
            place = _own_folder(folder, "mariadb")
            _run([shutil.which("mariadb-install-db"), f"--datadir={place / 'data'}",
                  "--auth-root-authentication-method=normal"])
            started = _start([program, f"--datadir={place / 'data'}", f"--socket={place / 'socket'}",
                              "--skip-networking", f"--pid-file={place / 'pid'}"])
            how = {"unix_socket": str(place / "socket"), "user": "root"}
        else:
            host, port, user, password = os.environ["PWU_MYSQL"].split(":")
            started, how = None, {"host": host, "port": int(port), "user": user, "password": password}
        self.connection = _patiently(lambda: pymysql.connect(**how, autocommit=True), started)
        self.ask_nothing("CREATE DATABASE IF NOT EXISTS pwu")
        self.connection.select_db("pwu")

    def ask_nothing(self, query):
        with self.connection.cursor() as cursor:
            cursor.execute(query)

    def quoted(self, name):
        return "`" + name.replace("`", "``") + "`"

    def put(self, frame):
        columns = [[None if pd.isna(value) else value for value in frame[name].tolist()] for name in frame]
        with self.connection.cursor() as cursor:
            self.make(cursor, frame)
            cursor.executemany(f"INSERT INTO forecasts VALUES ({', '.join(['%s'] * frame.shape[1])})",
                               list(zip(*columns, strict=True)))

    def version(self):
        return str(self.ask("SELECT VERSION()").iloc[0, 0]).split("-")[0]


ENGINES = {engine.name: engine for engine in
           (DuckDB, SQLite, Polars, DataFusion, ClickHouse, Databend, PostgreSQL, MariaDB, Spark)}


def _own_folder(folder, name):
    """A short path that an unprivileged user may write to: servers refuse to run as root."""
    place = Path(tempfile.mkdtemp(prefix=name, dir="/tmp"))
    if os.geteuid() == 0:
        os.chown(place, pwd.getpwnam("nobody").pw_uid, -1)
    return place


def _as_user():
    return {"user": "nobody"} if os.geteuid() == 0 else {"user": getpass.getuser()}


def _run(words):
    subprocess.run([str(word) for word in words], check=True, capture_output=True, **_as_user())


def _start(words):
    import atexit

    process = subprocess.Popen([str(word) for word in words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               **_as_user())
    atexit.register(process.terminate)
    return process


def _patiently(connect, process):
    """A connection, as soon as the server takes one."""
    last = None
    for _ in range(300):
        try:
            return connect()
        except Exception as error:
            last = error
            if process is not None and process.poll() is not None:
                break
            time.sleep(0.1)
    raise ImportError(f"the server does not answer: {last}")


def made(n=3000, seed=3):
    """Cases with awkward forecasts: the ends, numbers near them, cell edges, weights of zero."""
    rng = np.random.default_rng(seed)
    p = np.round(rng.beta(0.4, 2, n), 6)
    p[:20], p[20:40], p[40:45], p[45:50], p[50] = 0, 1, 1e-300, 1 - 1e-16, 5e-324
    p[51:60] = np.exp(np.arange(9) - 4.0) / (1 + np.exp(np.arange(9) - 4.0))
    w = np.round(rng.gamma(2, 1, n), 3)
    w[200:260] = 0
    mean, std = rng.normal(0, 3, n), rng.gamma(2, 0.5, n) + 1e-6
    return pd.DataFrame({"y": (rng.random(n) < p).astype(int), "p": p, "q": np.clip(p * 1.3 + 0.01, 0, 1), "w": w,
                         "b": rng.integers(0, 97, n), "t": mean + std * rng.normal(size=n), "mean": mean, "std": std,
                         "id": np.arange(n)})


FRAME = made()
ALL = {f"m{k:02d}": np.clip(FRAME["p"] * (1 + k / 50), 0, 1) for k in range(12)}


def _at(column, value, row=7):
    values = FRAME[column].astype(object)
    values[row] = value
    return FRAME.assign(**{column: values})


def _lost(column, row=7):
    return FRAME.assign(**{column: FRAME[column].astype(float).where(FRAME["id"] != row)})


def _number(column, value, row=7):
    return FRAME.assign(**{column: FRAME[column].astype(float).where(FRAME["id"] != row, value)})


ORDER = "CASE WHEN t > mean THEN 0.9 * (t - mean) ELSE 0.1 * (mean - t) END"
KINDS = {"t": "selective", None: "losses"}  # by the truth
PAIR = {"truth": "t", "models": ("mean", "std")}
GOOD = {  # frame, what is asked beside truth="y" and models="p", and how Python's columns are called
    "numbers": (FRAME, {}),
    "booleans": (FRAME.assign(y=FRAME["y"] == 1), {}),
    "booleans, blocks": (FRAME.assign(y=FRAME["y"] == 1), {"block": "b", "weight": "w"}),
    "outcomes 0.0 and 1.0": (FRAME.assign(y=FRAME["y"].astype(float)), {}),
    "32 bits": (FRAME.assign(p=FRAME["p"].astype("float32")), {}),
    "decimals": (FRAME.assign(p=[Decimal(f"{p:.9f}") for p in FRAME["p"].clip(1e-6, 0.99)]), {}),
    "whole forecasts": (FRAME.assign(p=FRAME["y"]), {}),
    "reserved names": (FRAME.rename(columns={"p": "order", "y": "group"}), {"truth": "group", "models": "order"}),
    "odd names": (FRAME.rename(columns={"p": 'my "best" p', "y": "Y Truth"}),
                  {"truth": "Y Truth", "models": 'my "best" p'}),
    "names of the query": (FRAME.rename(columns={"p": "cell", "w": "n", "b": "block"}),
                           {"models": "cell", "weight": "n", "block": "block"}),
    "weights": (FRAME, {"weight": "w"}),
    "names inside of the query": (FRAME.assign(given_weight=1.0, given_block=1, given_y=0, given_f=0.5, f=0.5),
                                  {"weight": "w", "block": "b"}),
    "blocks": (FRAME, {"block": "b"}),
    "weights, blocks": (FRAME, {"weight": "w", "block": "b"}),
    "negative blocks": (FRAME.assign(b=FRAME["b"] - 50), {"block": "b"}),
    "blocks of 62 bits": (FRAME.assign(b=FRAME["b"] * 2**55 + 12_345_678_901), {"block": "b"}),
    "an expression": (FRAME, {"weight": "w * 2", "block": "b + 1"}),
    "few cells": (FRAME, {"cells": 16, "block": "b"}),
    "many cells": (FRAME, {"cells": 4096, "block": "b"}),
    "mean and deviation": (FRAME, PAIR),
    "mean and deviation, blocks": (FRAME, PAIR | {"weight": "w", "block": "b"}),
    "two models": (FRAME, {"models": ["p", "q"]}),
    "two models, blocks": (FRAME, {"models": ["p", "q"], "weight": "w", "block": "b"}),
    "twelve models": (FRAME.assign(**ALL), {"models": list(ALL), "block": "b"}),
    "odd models": (FRAME.rename(columns={"p": "it's", "q": "ä % b"}), {"models": ["it's", "ä % b"], "block": "b"}),
    "losses of an answer": (FRAME.assign(given=FRAME["id"] % 3), {"truth": None, "models": {
        "a": "CASE WHEN given = 2 THEN 0.3 WHEN given = y THEN 0 ELSE 1 END", "b": "(t - mean) * (t - mean)"},
        "weight": "w", "block": "b"}),
    "losses of an order": (FRAME, {"truth": None, "models": {"mean": ORDER}}),
    "two pairs": (FRAME.assign(other=FRAME["mean"] + 1), {"truth": "t", "models": [("mean", "std"), ("other", "std")]}),
}
BAD = {
    "no loss": (_lost("t"), {"truth": None, "models": {"a": "t - mean"}}),
    "no loss of some cases": (FRAME, {"truth": None, "models": {"a": "CASE WHEN mean > 0 THEN 1 END"}, "block": "b"}),
    "no forecast": (_lost("p"), {}),
    "no outcome": (_lost("y"), {}),
    "no weight": (_lost("w"), {"weight": "w"}),
    "no block": (_lost("b"), {"block": "b"}),
    "outcome 2": (_number("y", 2), {}),
    "outcome 0.5": (_number("y", 0.5), {}),
    "forecast 1.2": (_number("p", 1.2), {}),
    "forecast -0.1": (_number("p", -0.1), {}),
    "forecast NaN": (_number("p", np.nan), {}),
    "weight -1": (_number("w", -1), {"weight": "w"}),
    "a text among outcomes": (FRAME.assign(y=FRAME["y"].astype(str).where(FRAME["id"] != 7, "x")), {}),
    "a text among forecasts": (FRAME.assign(p=FRAME["p"].astype(str).where(FRAME["id"] != 7, "high")), {}),
    "decimal commas": (FRAME.assign(p=FRAME["p"].map(lambda p: f"{p:.6f}".replace(".", ","))), {}),
    "a text among weights": (FRAME.assign(w=FRAME["w"].astype(str).where(FRAME["id"] != 7, "much")), {"weight": "w"}),
    "dates as forecasts": (FRAME.assign(p="2026-11-29"), {}),
    "no such column": (FRAME, {"models": "prob"}),
    "no deviation": (FRAME.assign(std=FRAME["std"].where(FRAME["id"] != 7, 0)), PAIR),
    "no forecast of one model": (_lost("q"), {"models": ["p", "q"], "block": "b"}),
    "a text in one model": (FRAME.assign(q=FRAME["q"].astype(str).where(FRAME["id"] != 7, "high")),
                            {"models": ["p", "q"]}),
    "no outcome, blocks": (_lost("y"), {"block": "b", "models": ["p", "q"]}),
}


def own(frame, asked):
    """What Python counts of the same frame."""
    models, kind = asked.get("models", "p"), KINDS.get(asked.get("truth", "y"), "binary")
    if kind == "losses":
        answer = np.where(frame.get("given", 0) == 2, 0.3, frame.get("given", 0) != frame["y"])
        gap, weight, block = frame["t"] - frame["mean"], asked.get("weight"), asked.get("block")
        known = {"a": answer, "b": gap**2, "mean": np.where(gap > 0, 0.9 * gap, -0.1 * gap)}
        tallies = {name: Tally(kind) for name in models}
        for name, one in tallies.items():
            one.update(known[name], weight=weight and frame[weight], block=block and frame[block])
        return tallies

    def tally(model):
        forecast = [frame[name].astype(float) for name in ([model] if isinstance(model, str) else model)]
        weight, block = asked.get("weight"), asked.get("block")
        one = Tally(kind, asked.get("cells", 1024))
        one.update(frame[asked.get("truth", "y")].astype(float), *forecast,
                   weight=None if weight is None else frame.eval(weight).astype(float),
                   block=None if block is None else frame.eval(block))
        return one

    if isinstance(models, str | tuple):
        return tally(models)
    return {model if isinstance(model, str) else model[0]: tally(model) for model in models}


def asked_of(engine, name, asked):
    """What the engine's query counts of the frame that it was given."""
    options = {"truth": "y", "models": "p"} | asked
    dialect = engine.boolean if "boolean" in name else engine.dialect
    kind = KINDS.get(options["truth"], "binary")
    return Tally.from_counts(engine.ask(Tally.sql("forecasts", dialect=dialect, **options)), kind)


def difference(found, exact):
    """What differs in two tallies, or dicts of them, in words; "" where all rows are the same."""
    if isinstance(exact, dict):
        return "other models" if list(found) != list(exact) and set(found) != set(exact) else "".join(
            difference(found[name], exact[name]) for name in exact)
    ours, theirs = found.counts(), exact.counts()
    if len(ours["cell"]) != len(theirs["cell"]):
        return f"{len(ours['cell'])} rows for {len(theirs['cell'])}"
    for name, values in theirs.items():
        close = np.allclose(ours[name], values, rtol=1e-9, atol=0) if name in ("n", "s", "v") else np.array_equal(
            ours[name], values)
        if not close:
            return f"{name} differs"
    return ""


def timed(name, path):
    """Seconds, peak memory in GB and the cost of two models, of one query; in a process of its own."""
    words = [sys.executable, "-m", "tests.desk.engines", "--time", str(path), name]
    started = time.perf_counter()
    answer = subprocess.run(words, check=True, capture_output=True, text=True).stdout.split()
    return time.perf_counter() - started, float(answer[-1]), float(answer[-2])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--rows", type=float, default=1e7)
    parser.add_argument("--more", type=float, default=1e8, help="rows for DuckDB and Spark besides; 0 for none")
    parser.add_argument("--out")
    parser.add_argument("--time")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if options.time:
            engine = ENGINES[options.names[0]](folder)
            engine.open(options.time)
            query = Tally.sql("forecasts", "y", ["sharp", "vague"], block="id % 100", dialect=engine.dialect)
            tallies = Tally.from_counts(engine.ask(query))
            cost = compare_tallies(tallies, PWU(BinaryDecision(), Beta(2, 10))).table["cost"].iloc[0]
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
            print(cost, peak + _children(), flush=True)
            return
        from tools.benchmarks.large import make  # which needs DuckDB

        os.chmod(folder, 0o755)
        path, rows = Path(folder) / "timed.parquet", []
        make(path, int(options.rows), 2)
        for name in options.names or ENGINES:
            try:
                engine = ENGINES[name](folder)
            except ImportError as error:
                print(f"{name} is left out: {error}", flush=True)
                continue
            exact = refused = 0
            for kind, (frame, asked) in GOOD.items():
                engine.put(frame)
                try:
                    said = difference(asked_of(engine, kind, asked), own(frame, asked))
                except Exception as error:
                    said = f"{type(error).__name__}: {str(error).strip().splitlines()[0][:160]}"
                exact += not said
                if said:
                    print(f"  {name}, {kind}: {said}", flush=True)
            for kind, (frame, asked) in BAD.items():
                engine.put(frame)
                with contextlib.suppress(Exception):
                    asked_of(engine, kind, asked)
                    print(f"  {name}, {kind}: counted in silence", flush=True)
                    refused -= 1
                refused += 1
            row = {"engine": name, "version": engine.version(), "dialect": engine.dialect, "inputs": len(GOOD),
                   "exact": exact, "bad": len(BAD), "refused": refused}
            if hasattr(engine, "open"):
                row |= dict(zip(("seconds", "peak", "cost"), timed(name, path), strict=True), rows=int(options.rows))
            if name in ("DuckDB", "Spark") and options.more:
                more = Path(folder) / "more.parquet"
                if not more.exists():
                    make(more, int(options.more), 2)
                row |= dict(zip(("more_seconds", "more_peak", "more_cost"), timed(name, more), strict=True),
                            more_rows=int(options.more))
            rows.append(row)
            print(row, flush=True)
    if options.out:
        part = Path(options.out).with_suffix(".part")
        pd.DataFrame(rows).to_csv(part, index=False, float_format="%.6g")
        part.replace(options.out)


def _children():
    """Peak memory in GB of processes that were started, such as Java."""
    me, total = os.getpid(), 0
    for status in Path("/proc").glob("[0-9]*/status"):
        with contextlib.suppress(OSError):
            lines = dict(line.split(":", 1) for line in status.read_text().splitlines() if ":" in line)
            if int(lines["PPid"]) == me and "VmHWM" in lines:
                total += int(lines["VmHWM"].split()[0])
    return total / 2**20


if __name__ == "__main__":
    main()
