"""The grid: the same bytes however it is run, resumed where it stopped, one failure costs one cell."""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from pwu_book.runs import datasets, models
from pwu_book.runs import grid as experiment
from pwu_book.runs.tasks import TASKS

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


@pytest.mark.slow
def test_jobs_and_order_change_no_byte(tmp_path):
    _, cells = run(tmp_path / "one")
    run(tmp_path / "two", jobs=2)
    run(tmp_path / "back", cells=cells[::-1])
    assert bytes_of(tmp_path / "one") == bytes_of(tmp_path / "two") == bytes_of(tmp_path / "back")
    assert len(bytes_of(tmp_path / "one")) == 30


@pytest.mark.weekly
def test_threads_change_nothing(tmp_path):
    code = ("from tests.book import test_experiment as t; import sys; "
            "t.run(sys.argv[1])")
    for threads in ("1", "2"):
        subprocess.run([sys.executable, "-c", code, str(tmp_path / threads)], check=True,
                       env={**os.environ, "OMP_NUM_THREADS": threads}, cwd=Path(__file__).parents[2])
    assert bytes_of(tmp_path / "1") == bytes_of(tmp_path / "2")


def test_what_is_there_is_not_run_again(tmp_path, capsys):
    _, cells = run(tmp_path)
    before = bytes_of(tmp_path)
    marked, gone, damaged = (cells[place].path(tmp_path) for place in (3, 5, 7))
    np.save(marked, np.zeros((1, 3)))
    gone.unlink()
    damaged.write_bytes(damaged.read_bytes()[:50])
    lines = []
    experiment.run(cells, small(), {name: models.classifiers()[name] for name in MODELS}, tmp_path, report=lines.append)
    assert "28 of 30 cells are there, 2 to fit" in lines[0] and f"{damaged} is damaged" in capsys.readouterr().err
    assert np.load(marked).shape == (1, 3)
    assert all(path.read_bytes() == before[str(path.relative_to(tmp_path))] for path in (gone, damaged))


def test_a_failing_model_is_reported_and_costs_its_cell_only(tmp_path):
    makers = {"failing": Failing, "naive Bayes": models.classifiers()["naive Bayes"]}
    failed, cells = run(tmp_path, makers=makers)
    assert sorted(line.split(": ", 1)[0] for line in failed) == [
        "small, failing, repeat 0, fold 3", "small, failing, repeat 1, fold 1"]
    assert "not finite" in min(failed) and "no luck" in max(failed)
    assert len(bytes_of(tmp_path)) == len(cells) - 2
    with pytest.raises(FileNotFoundError, match="failing"):
        [experiment.predictions(cell, tmp_path, TASKS["binary"]) for cell in cells]


def test_predictions_of_a_repeat_cover_every_case_once(tmp_path):
    _, cells = run(tmp_path)
    data = small()["small"]
    for model in MODELS:
        folds = [experiment.predictions(cell, tmp_path, TASKS["binary"]) for cell in cells
                 if cell.model == model and cell.repeat == 0]
        assert sorted(np.concatenate([fold.case for fold in folds])) == list(range(90))
        for fold in folds:
            assert (fold.y == data.y[fold.case]).all() and 0.3 < fold.y.mean() < 0.9  # folds keep the share of events
            assert len(fold.forecast) == 1 and ((fold.forecast[0] >= 0) & (fold.forecast[0] <= 1)).all()
    first, second = (experiment.predictions(experiment.Cell("small", "boosting", repeat, 0), tmp_path, TASKS["binary"])
                     for repeat in (0, 1))
    assert set(first.case) != set(second.case)


@pytest.mark.slow
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
    kept = [frozenset(cases_of(tmp_path, "boosting", repeat)) for repeat in (0, 1)]
    assert kept[0] == kept[1] and len(kept[0]) == 50


def cases_of(folder, model, repeat):
    cells = [experiment.Cell("small", model, repeat, fold) for fold in range(5)]
    return np.concatenate([experiment.predictions(cell, folder, TASKS["binary"]).case for cell in cells])


def test_disjoint_subsets_share_no_row_until_the_data_are_used_up(tmp_path):
    cells = experiment.grid(["small"], ["naive Bayes"], repeats=4)
    makers = {"naive Bayes": models.classifiers()["naive Bayes"]}
    assert experiment.run(cells, small(), makers, tmp_path, rows=30, disjoint=True, report=quiet) == []
    kept = [set(cases_of(tmp_path, "naive Bayes", repeat)) for repeat in range(4)]
    assert [len(cases) for cases in kept] == [30] * 4
    assert set.union(*kept[:3]) == set(range(90)) and kept[3] not in kept[:3]


@pytest.mark.parametrize("rows", [None, 46, 0])
def test_disjoint_subsets_need_room_for_two(rows):
    with pytest.raises(ValueError, match="disjoint subsets need rows from 1 to 45"):
        experiment.subset(90, 0, rows, disjoint=True)


def test_cells_of_different_rows_are_never_mixed(tmp_path):
    run(tmp_path, rows=50)
    with pytest.raises(ValueError, match="rows=50, disjoint=False, not rows=None.*another folder"):
        run(tmp_path)


@pytest.mark.parametrize("task, name, model, shapes, sound", [
    ("multivariate", "linnerud", "least squares", [(3,), (3, 3)], lambda cov: np.linalg.eigvalsh(cov) > 0),
    ("regression", "diabetes", "least squares", [(), ()], lambda std: std > 0),
    ("multiclass", "digits", "logistic regression", [(10,)], lambda f: np.isclose(f.sum(axis=1), 1))])
def test_predictions_come_back_in_shape(tmp_path, task, name, model, shapes, sound):
    data = datasets.load(name)
    cells = experiment.grid([name], [model], repeats=1)
    assert experiment.run(cells, {name: data}, TASKS[task].models(), tmp_path, report=quiet) == []
    fold = experiment.predictions(cells[0], tmp_path, TASKS[task])
    assert np.array_equal(fold.y, data.y[fold.case])
    assert [part.shape for part in fold.forecast] == [(len(fold.case), *shape) for shape in shapes]
    assert sound(fold.forecast[-1]).all()


def test_a_full_disk_ends_the_run_and_spoils_nothing(tmp_path, monkeypatch):
    written, plain = [], np.save

    def full(file, values):
        if len(written) == 4:
            file.write(b"half a cell")
            raise OSError(28, "No space left on device")
        written.append(file)
        plain(file, values)

    monkeypatch.setattr(np, "save", full)
    with pytest.raises(OSError, match="No space left"):
        run(tmp_path)
    assert len(bytes_of(tmp_path)) == 4


def stump(share):
    """Makes a model that says the same of everybody."""
    fitted = SimpleNamespace(predict=lambda X: np.full(len(X), share))
    return lambda seed: SimpleNamespace(fit=lambda X, y: fitted)


def forecast(folder):
    cell = experiment.Cell("small", "stump", 0, 0)
    return experiment.predictions(cell, folder, TASKS["binary"]).forecast[0][0]


def refit(folder, maker, data=None, **options):
    lines = []
    cells = experiment.grid(["small"], ["stump"], repeats=1)
    experiment.run(cells, data or small(), {"stump": maker}, folder, report=lines.append, **options)
    return " ".join(lines)


@pytest.mark.parametrize("change", ["version", "packages", "data", "labels"])
def test_whatever_changes_predictions_sets_the_old_ones_aside(change, tmp_path, monkeypatch):
    assert "set aside" not in refit(tmp_path, stump(0.2))
    data = small()["small"]
    if change == "version":
        monkeypatch.setattr(experiment, "VERSION", 2)
    elif change == "packages":
        monkeypatch.setattr(experiment.stored_tables, "versions", lambda: "scikit-learn 99")
    elif change == "data":
        data = data._replace(X=data.X + 1)
    else:
        data = data._replace(y=1 - data.y)
    said = refit(tmp_path, stump(0.3), {"small": data})
    assert "set aside" in said and "0 of 5 cells are there" in said and forecast(tmp_path) == 0.3
    monkeypatch.undo()
    assert "5 of 5 cells are there" in refit(tmp_path, stump(0.3)) and forecast(tmp_path) == 0.2  # kept, and back


def test_cells_of_an_unknown_maker_are_not_used(tmp_path):
    refit(tmp_path, stump(0.2))
    (tmp_path / "small" / "stump" / "made_by.txt").unlink()
    assert "set aside" in refit(tmp_path, stump(0.2))
    assert len(list(tmp_path.rglob("stump~*/*.npy"))) == 5


def test_a_dask_cluster_of_two_workers_gives_the_same_bytes(tmp_path):
    distributed = pytest.importorskip("distributed")
    run(tmp_path / "serial")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        run(tmp_path / "cluster", scheduler=cluster.scheduler_address, jobs=2)
    assert bytes_of(tmp_path / "serial") == bytes_of(tmp_path / "cluster")


@pytest.mark.parametrize("names", [("my model", "my_model"), ("a/b", "c"), ("..", "c")])
def test_two_models_never_share_a_folder(names, tmp_path):
    cells = experiment.grid(["small"], names, repeats=1)
    with pytest.raises(ValueError, match="names of folders"):
        experiment.run(cells, small(), dict.fromkeys(names, models.classifiers()["naive Bayes"]), tmp_path,
                       report=quiet)


@pytest.mark.parametrize("task, prediction, words", [
    ("binary", np.array([0.2, 1.0000001]), "outside"), ("regression", (np.zeros(2), np.array([1.0, 0.0])), "positive"),
    ("regression", np.zeros(2), "mean and std")])
def test_a_prediction_that_is_none_is_no_cell(task, prediction, words):
    with pytest.raises(ValueError, match=words):
        experiment._columns(prediction, TASKS[task])
