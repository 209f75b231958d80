"""The weekly job of the page Every Monday morning, with a real file of SQLite: killed, run twice, run at once."""

import re
import sqlite3
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

from pwu_desk import Watch

PAGE = Path(__file__).parents[2] / "book" / "reference" / "every_monday.md"
JOB = next(cell.split("\n", 1)[1] for cell in re.findall(r"^```\{code-cell\} ipython3\n(.*?)^```$", PAGE.read_text(),
                                                         re.S | re.M) if "def monday" in cell)
WEEK = np.random.default_rng(0).random((2, 50))


def job():
    space = {}
    exec(compile(JOB, str(PAGE), "exec"), space)
    return space["monday"]


def state(store):
    return sqlite3.connect(store).execute("SELECT state FROM watch").fetchall()


def test_a_job_that_dies_leaves_the_week_before(tmp_path, monkeypatch):
    store, monday = tmp_path / "watch.db", job()
    y = (WEEK[0] < 0.3).astype(int)
    monday(store, "first", y, *WEEK)
    before = state(store)
    for method in ("update", "to_json"):  # before the count, and after it
        with monkeypatch.context() as patch:
            patch.setattr(Watch, method, lambda *_, **__: sys.exit("killed"))
            with pytest.raises(SystemExit):
                monday(store, "second", y, *WEEK)
        assert state(store) == before
    assert monday(store, "second", y, *WEEK).n == 100
    with pytest.warns(UserWarning, match="counted before"):
        assert monday(store, "second", y, *WEEK).n == 100


def test_jobs_at_once_count_each_week_once(tmp_path):
    code = JOB + (f"\nimport sys, numpy as np\nf, y = np.full(50, 0.2), (np.arange(50) % 5 == 0).astype(int)\n"
                  f"monday({str(tmp_path / 'watch.db')!r}, sys.argv[1], y, f, f / 2)")
    jobs = [subprocess.Popen([sys.executable, "-W", "ignore", "-c", code, week]) for week in ("a", "b", "c", "b")]
    assert [each.wait() for each in jobs] == [0] * 4
    assert Watch.from_json(state(tmp_path / "watch.db")[0][0]).n == 150


def test_a_state_that_was_cut_off_stops_the_job(tmp_path):
    store, monday = tmp_path / "watch.db", job()
    y = (WEEK[0] < 0.3).astype(int)
    text = monday(store, "first", y, *WEEK).to_json()
    with sqlite3.connect(store) as base:
        base.execute("UPDATE watch SET state = ?", [text[:-30]])
    with warnings.catch_warnings(), pytest.raises(ValueError, match="not the state of a watch"):
        warnings.simplefilter("error")
        monday(store, "second", y, *WEEK)


def test_the_job_is_short():
    assert len([line for line in JOB.splitlines() if line.strip() and not line.startswith(":")]) <= 25
