"""The grid: the same bytes however it is run, resumed where it stopped, one failure costs one cell."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from pwu_lite.replication import datasets, experiment, models

MODELS = ["naive Bayes", "logistic regression", "boosting"]


def quiet(line):
    pass


def small():
    """90 rows of bundled data under the loader's protocol."""
    data = datasets.load("breast_cancer")
    return {"small": data._replace(X=data.X.iloc[:90, :4], y=data.y[:90], name="small")}


class Failing:
    def __init__(self, seed):
        self.seed = seed

    def fit(self, X, y):
        if self.seed == 1001:
            raise RuntimeError("no luck")
        return self

    def predict(self, X):
        return np.full(len(X), np.nan if self.seed == 3 else 0.5)


def bytes_of(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(Path(folder).rglob("*.npy"))}


def run(folder, cells=None, makers=None, **options):
    makers = makers or {name: models.classifiers()[name] for name in MODELS}
    cells = cells or experiment.grid(["small"], makers, repeats=2)
    return experiment.run(cells, small(), makers, folder, report=quiet, **options), cells


def test_jobs_and_order_change_no_byte(tmp_path):
    _, cells = run(tmp_path / "one")
    run(tmp_path / "two", jobs=2)
    run(tmp_path / "back", cells=cells[::-1])
    assert bytes_of(tmp_path / "one") == bytes_of(tmp_path / "two") == bytes_of(tmp_path / "back")
    assert len(bytes_of(tmp_path / "one")) == 30


def test_names_of_models_change_nothing(tmp_path):
    maker = models.classifiers()["boosting"]
    run(tmp_path, makers={"first name": maker, "second": maker})
    one, other = (bytes_of(tmp_path / "small" / name) for name in ("first_name", "second"))
    assert one == other and len(one) == 10


def test_threads_change_nothing(tmp_path):
    code = ("from tests.replication import test_experiment as t; import sys; "
            "t.run(sys.argv[1])")
    for threads in ("1", "2"):
        subprocess.run([sys.executable, "-c", code, str(tmp_path / threads)], check=True,
                       env={**os.environ, "OMP_NUM_THREADS": threads}, cwd=Path(__file__).parents[2])
    assert bytes_of(tmp_path / "1") == bytes_of(tmp_path / "2")


def test_what_is_there_is_not_run_again(tmp_path):
    _, cells = run(tmp_path)
    before = bytes_of(tmp_path)
    marked = cells[3].path(tmp_path)
    np.save(marked, np.zeros((1, 3)))
    gone = cells[5].path(tmp_path)
    gone.unlink()
    lines = []
    experiment.run(cells, small(), {name: models.classifiers()[name] for name in MODELS}, tmp_path, report=lines.append)
    assert "29 of 30 cells are there, 1 to fit" in lines[0]
    assert np.load(marked).shape == (1, 3) and gone.read_bytes() == before[str(gone.relative_to(tmp_path))]


def test_a_failing_model_is_reported_and_costs_its_cell_only(tmp_path):
    makers = {"failing": Failing, "naive Bayes": models.classifiers()["naive Bayes"]}
    failed, cells = run(tmp_path, makers=makers)
    assert sorted(line.split(": ", 1)[0] for line in failed) == [
        "small, failing, repeat 0, fold 3", "small, failing, repeat 1, fold 1"]
    assert "not finite" in min(failed) and "no luck" in max(failed)
    assert len(bytes_of(tmp_path)) == len(cells) - 2
    with pytest.raises(FileNotFoundError, match="failing"):
        experiment.collect(cells, tmp_path)


def test_predictions_of_a_repeat_cover_every_case_once(tmp_path):
    _, cells = run(tmp_path)
    found = experiment.collect(cells, tmp_path)
    data = small()["small"]
    assert set(found) == {("small", model, repeat) for model in MODELS for repeat in (0, 1)}
    for frame in found.values():
        assert sorted(frame["case"]) == list(range(90)) and frame["p0"].between(0, 1).all()
        assert (frame["y"].to_numpy() == data.y[frame["case"]]).all()
        assert frame.groupby("fold")["y"].mean().between(0.3, 0.9).all()  # folds keep the share of events
    first, second = (found["small", "boosting", repeat].sort_values("case")["fold"].tolist() for repeat in (0, 1))
    assert first != second


def test_the_cell_is_what_a_plain_fit_gives(tmp_path):
    from sklearn.model_selection import StratifiedKFold

    _, cells = run(tmp_path)
    data, cell = small()["small"], experiment.Cell("small", "boosting", 1, 2)
    train, test = list(StratifiedKFold(5, shuffle=True, random_state=1).split(data.X, data.y))[2]
    model = models.classifiers()["boosting"](1002).fit(data.X.iloc[train], data.y[train])
    values = np.load(cell.path(tmp_path))
    assert np.array_equal(values[:, 0], test) and np.array_equal(values[:, 2], model.predict(data.X.iloc[test]))


def test_a_subset_is_the_same_in_every_repeat(tmp_path):
    _, cells = run(tmp_path, rows=50)
    found = experiment.collect(cells, tmp_path)
    kept = [frozenset(frame["case"]) for frame in found.values()]
    assert len(set(kept)) == 1 and len(kept[0]) == 50


def test_regression_writes_mean_and_std(tmp_path):
    data = datasets.load("diabetes")
    makers = {"least squares": models.regressors()["least squares"]}
    cells = experiment.grid(["diabetes"], makers, repeats=1)
    assert experiment.run(cells, {"diabetes": data}, makers, tmp_path, report=quiet) == []
    frame = experiment.collect(cells, tmp_path)["diabetes", "least squares", 0]
    assert list(frame.columns) == ["fold", "case", "y", "p0", "p1"] and (frame["p1"] > 0).all()


def test_a_full_disk_ends_the_run_and_spoils_nothing(tmp_path, monkeypatch):
    written = []
    plain = experiment._write

    def full(path, values):
        if len(written) == 4:
            raise OSError(28, "No space left on device")
        written.append(path)
        plain(path, values)

    monkeypatch.setattr(experiment, "_write", full)
    with pytest.raises(OSError, match="No space left"):
        run(tmp_path)
    monkeypatch.undo()
    assert len(bytes_of(tmp_path)) == 4
    run(tmp_path)
    assert len(bytes_of(tmp_path)) == 30


def test_kill_9_loses_the_cell_in_work_only(tmp_path):
    command = [sys.executable, "-m", "pwu_lite.replication.experiment", "binary", "--datasets", "breast_cancer",
               "--models", "random forest", "naive Bayes", "--repeats", "2", "--folder", str(tmp_path / "killed")]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    deadline = time.time() + 60
    while len(bytes_of(tmp_path / "killed")) < 3 and time.time() < deadline and child.poll() is None:
        time.sleep(0.05)
    child.send_signal(signal.SIGKILL)
    child.communicate()
    kept = bytes_of(tmp_path / "killed")
    assert 3 <= len(kept)
    assert subprocess.run(command, capture_output=True).returncode == 0
    subprocess.run([*command[:-1], str(tmp_path / "whole")], check=True, capture_output=True)
    resumed = bytes_of(tmp_path / "killed")
    assert resumed == bytes_of(tmp_path / "whole") and kept.items() <= resumed.items()


@pytest.mark.parametrize("arguments, words", [
    (["binary", "--models", "oracle"], "no such model: oracle"), (["binary", "--repeats", "0"], "at least 1"),
    (["poetry"], "invalid choice")])
def test_bad_arguments(arguments, words, capsys):
    with pytest.raises(SystemExit):
        experiment.main(arguments)
    assert words in capsys.readouterr().err


def test_a_dask_cluster_of_two_workers_gives_the_same_bytes(tmp_path):
    distributed = pytest.importorskip("distributed")
    run(tmp_path / "serial")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        run(tmp_path / "cluster", scheduler=cluster.scheduler_address, jobs=2)
    assert bytes_of(tmp_path / "serial") == bytes_of(tmp_path / "cluster")


def test_frames_hold_plain_numbers(tmp_path):
    _, cells = run(tmp_path)
    frame = next(iter(experiment.collect(cells, tmp_path).values()))
    assert all(pd.api.types.is_numeric_dtype(dtype) for dtype in frame.dtypes)
