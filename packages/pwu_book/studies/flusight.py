"""Losses of forecasts of hospital admissions with influenza, by week, model and quantile: FluSight's public hub.

Implements no section of the sources: runs behind the page "Which of many?".

Usage: git clone https://github.com/cdcepi/FluSight-forecast-hub, then
python -m pwu_book.studies flusight --hub FluSight-forecast-hub

The hub's code is under the MIT licence, and the forecasts of the models that are kept are under CC BY 4.0, as their
metadata say. What is stored are losses, not forecasts.
"""

from __future__ import annotations

import argparse
import io
import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from .. import tables

__all__ = ["COMMIT", "losses", "main"]

COMMIT = "92469693f9114523f877d69edd5b9d084e7218ad"  # of 1 July 2026: git holds every file to it
TARGET = Path("packages/pwu_book/tables/flusight.csv.gz")
STATES, WEEKS = 50, 80  # that a model covers in most weeks; in which it sent a file
SHAREABLE = "cc-by-4.0"


def losses(forecasts: pd.DataFrame, truth: pd.DataFrame) -> pd.DataFrame:
    """The pinball loss of each week, model and level, on average over the places for which every model has a forecast.

    Parameters
    ----------
    forecasts : DataFrame
        Columns ``model``, ``week``, ``place``, ``level``, ``value``. Weeks and places that lack one of the models or
        levels are left out.
    truth : DataFrame
        Columns ``week``, ``place``, ``outcome``.

    Examples
    --------
    >>> rows = [(model, "2025-01-04", "01", 0.9, value) for model, value in (("a", 10.0), ("b", 20.0))]
    >>> given = pd.DataFrame(rows, columns=["model", "week", "place", "level", "value"])
    >>> losses(given, pd.DataFrame({"week": ["2025-01-04"], "place": ["01"], "outcome": [15.0]}))["loss"].tolist()
    [4.5, 0.5]
    """
    known = forecasts.merge(truth, on=["week", "place"]).dropna()
    count = known.groupby(["week", "place"])["value"].transform("size")
    known = known[count == known["model"].nunique() * known["level"].nunique()]
    gap = known["outcome"] - known["value"]
    known = known.assign(loss=np.where(gap >= 0, known["level"] * gap, (known["level"] - 1) * gap))
    found = known.groupby(["week", "model", "level"], sort=True)["loss"].mean().reset_index()
    return found.assign(loss=found["loss"].round(4))


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the hub at one commit, keep the models that sent nearly every week, and write the table."""
    parser = argparse.ArgumentParser("python -m pwu_book.studies flusight", description=main.__doc__)
    parser.add_argument("--hub", type=Path, required=True)
    parser.add_argument("--target", type=Path, default=TARGET)
    given = parser.parse_args(arguments)

    def git(*words: str) -> bytes:
        return subprocess.run(["git", "-C", str(given.hub), *words], capture_output=True, check=True).stdout

    paths = [path for path in git("ls-tree", "-r", "--name-only", COMMIT, "model-output").decode().split("\n")
             if path.endswith(".csv")]
    by_model = pd.Series(paths).groupby([path.split("/")[1] for path in paths]).apply(list)
    described = set(git("ls-tree", "-r", "--name-only", COMMIT, "model-metadata").decode().split("\n"))
    parts = []
    for model, files in by_model[by_model.map(len) >= WEEKS].items():
        about = f"model-metadata/{model}.yml"
        if about not in described or SHAREABLE not in git("show", f"{COMMIT}:{about}").decode().lower():
            continue
        own = pd.concat([_one_week_ahead(git("show", f"{COMMIT}:{path}")) for path in files])
        if own.groupby("week")["place"].nunique().median() >= STATES:
            parts.append(own.assign(model=model))
            print(f"{model}: {own['week'].nunique()} weeks", flush=True)
    truth = pd.read_csv(io.BytesIO(git("show", f"{COMMIT}:target-data/target-hospital-admissions.csv")),
                        dtype={"location": str})
    truth = truth.rename(columns={"date": "week", "location": "place", "value": "outcome"})
    table = losses(pd.concat(parts), truth[["week", "place", "outcome"]])
    tables.write(given.target, table, "python -m pwu_book.studies flusight --hub FluSight-forecast-hub",
                 f"none; the hub at commit {COMMIT[:12]}", "%.6g")
    print(f"{given.target}: {table['model'].nunique()} models, {table['week'].nunique()} weeks")
    return 0


def _one_week_ahead(content: bytes) -> pd.DataFrame:
    frame = pd.read_csv(io.BytesIO(content), dtype={"location": str, "output_type_id": str})
    kept = frame[(frame["target"] == "wk inc flu hosp") & (frame["output_type"] == "quantile") & (frame["horizon"] == 1)
                 & (frame["location"] != "US")]
    return pd.DataFrame({"week": kept["target_end_date"], "place": kept["location"],
                         "level": kept["output_type_id"].astype(float), "value": kept["value"].astype(float)})
