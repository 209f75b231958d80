"""The tables: agreement counts ties and infinities right, new data share no case, a run writes what a loop gives."""

import gzip
from dataclasses import replace
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import pytest
import scipy.stats
from scipy.stats import kendalltau

from pwu_book import tables as stored_tables
from pwu_book.runs import _pickles, align, datasets, grid, models, read, score
from pwu_book.runs import run as benchmark
from pwu_book.runs.align import TIED
from pwu_book.runs.best import of_the_best
from pwu_book.runs.tasks import BINARY, TASKS, Plan
from pwu_lite import alignment

MODELS = ["naive Bayes", "logistic regression", "nearest neighbours"]


def quiet(line):
    pass


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Predictions on 200 rows of bundled data, two repeats."""
    place = tmp_path_factory.mktemp("cells")
    data = datasets.load("breast_cancer")
    data = data._replace(X=data.X.iloc[:200, :4], y=data.y[:200])
    cells = grid.grid(["small"], MODELS, repeats=3)
    assert grid.run(cells, {"small": data}, models.classifiers(), place, report=quiet) == []
    return place


@pytest.fixture(scope="module")
def tables(folder):
    return benchmark.tables(BINARY, "small", 0, MODELS, folder)


@pytest.mark.parametrize("metric, utility, tau", [
    ([-0.1, -np.inf, -np.inf], [3.0, 2.0, 1.0], 2 / 6**0.5),  # infinite losses are tied for the worst
    ([1.0, np.nan, 2.0], [1.0, 2.0, 3.0], np.nan), ([1.0, 2.0, 3.0], [0.1 + 0.2, 0.3, 0.5], 2 / 6**0.5),
    ([-5e13, -2.64, -2.70, -3.74], [0.0, 3.0, 2.0, 1.0], 1)])  # one absurd model does not tie the others
def test_agreement_of_awkward_values(metric, utility, tau):
    """And the column beside it is none the worse for them."""
    found = alignment.agreement(np.column_stack([metric, utility]), np.array(utility)[:, None])["tau"]
    assert found.ravel() == pytest.approx([tau, 1], nan_ok=True)


def test_scores_use_the_variance_of_the_training_targets(folder):
    folds = list(align.folds(BINARY, "small", 0, MODELS, folder))
    first = [grid.predictions(grid.Cell("small", MODELS[0], 0, k), folder, BINARY) for k in range(5)]
    assert folds[0][2].variance == pytest.approx(np.var(np.concatenate([p.y for p in first[1:]])))
    assert len(folds) == 15


def test_same_alignment_is_align_of_fold_means(folder, tables):
    frame = benchmark.score_repeat(BINARY, "small", 0, MODELS, folder).groupby("model").mean()
    utilities = frame[[f"binary:s{k:02d}" for k in range(5)]]
    plain = dict(of_the_best(-frame[["brier_score"]], utilities, TIED)) | {
        key: table.ravel() for key, table in alignment.agreement(-frame[["brier_score"]], utilities).items()}
    rows = tables.alignment.set_index(["scheme", "metric", "family"]).loc[("same", "brier_score", "binary")]
    for value in ("tau", "somers_d", "top1", "pearson"):
        assert rows[value] == pytest.approx(plain[value].mean())


def test_expected_tau_weighs_the_curve_by_the_prior(tables):
    question = BINARY.question("binary")
    again = read.expected(tables.curves, question, {"tau": question.priors})["tau"]
    rows = tables.alignment.query("scheme == 'same' and family == 'binary'").set_index("metric")
    for (_, metric), value in again.items():
        assert value == pytest.approx(rows.loc[metric, "expected_tau"], nan_ok=True)


def test_new_data_share_no_fold(folder, monkeypatch):
    """Spoil the metric's folds for the utility: only utilities of the other folds may enter."""
    seen = []
    plain = align.means

    def spy(frame, folds=range(5)):
        seen.append(frozenset(folds))
        return plain(frame, folds)

    monkeypatch.setattr(align, "means", spy)
    frame = benchmark.score_repeat(BINARY, "small", 0, MODELS, folder)
    for size in (1, 2, 3):
        seen.clear()
        align.rotated(BINARY, frame, size, disjoint=True)
        pairs = list(zip(seen[::2], seen[1::2], strict=True))
        assert len(pairs) == 5 and all(len(a) == size and len(b) == 2 and not a & b for a, b in pairs)
    seen.clear()
    align.rotated(BINARY, frame, 2, disjoint=False)
    assert all(a == b and len(a) == 2 for a, b in zip(seen[::2], seen[1::2], strict=True))


@pytest.mark.slow
def test_subsets_compare_a_metric_with_other_subsets_only(folder):
    frames = [benchmark.score_repeat(BINARY, "small", r, MODELS, folder) for r in range(3)]
    rows = align.subsets(BINARY, "small", frames)
    means = [align.means(frame) for frame in frames]
    costs = [name for name in means[0] if name.startswith("binary:g")]
    weights = BINARY.question("binary").mass()
    for first, other in ((0, 1), (2, 0)):
        d = alignment.agreement(-means[first][["pwu_binary"]], means[other][costs], tie=benchmark.TIED)["somers_d"][0]
        row = rows.query("first == @first and other == @other and size == 1 and metric == 'pwu_binary' "
                         "and family == 'binary'")
        assert row["expected_d"].item() == pytest.approx(align.average(d, weights))
    pairs = rows[["first", "size", "other"]].drop_duplicates()
    assert set(pairs["size"]) == {1, 2}  # three subsets leave no other one for three
    two = pairs[pairs["size"] == 2]
    assert set(zip(two["first"], two["other"], strict=True)) == {(0, 2), (1, 0), (2, 1)}


def test_names_and_order_of_models_change_nothing(folder, tables):
    again = benchmark.tables(BINARY, "small", 0, MODELS[::-1], folder)
    known = tables.alignment[(tables.alignment["metric"] != "random") & (tables.alignment["scheme"] != "released")]
    other = again.alignment[(again.alignment["metric"] != "random") & (again.alignment["scheme"] != "released")]
    pd.testing.assert_frame_equal(known, other)


@pytest.mark.weekly
def test_the_command_writes_what_the_functions_give(tmp_path, monkeypatch):
    task = replace(BINARY, plan={"breast_cancer": Plan(2, 100)}, fresh={"breast_cancer": Plan(2, 60)},
                   models=lambda: {name: models.classifiers()[name] for name in MODELS},
                   added=lambda: {"tree": models.more_classifiers()["tree"]})
    monkeypatch.setitem(TASKS, "binary", task)
    words = ["binary", "--folder", str(tmp_path / "cells"), "--results", str(tmp_path / "results")]
    assert benchmark.main(words) == 0
    found = {name: stored_tables.read(tmp_path / "results" / f"binary_{name}.csv.gz")
             for name in ("scores", "alignment", "curves", "models", "cases", "subsets")}
    assert len(found["scores"]) == 2 * 3 * 5  # the added model is not in it
    assert set(found["models"]["models"]) == {"all", "two more", *(f"without {name}" for name in MODELS)}
    for kind in ("models", "cases"):
        assert set(found[kind]["suite"]) == {"as forecast", "recalibrated"}
    assert set(found["cases"]["group"]) == set(range(10))
    halves = [benchmark.tables(BINARY, "breast_cancer", r, MODELS, tmp_path / "cells" / "main") for r in (0, 1)]
    keys = ["scheme", "value", "metric", "family"]
    both = pd.concat([half.curves for half in halves]).set_index(keys)["t7"].groupby(level=keys).mean()
    stored = found["curves"].set_index(keys)["t7"]
    assert np.allclose(stored, both[stored.index], atol=1e-4, equal_nan=True)
    stored = found["scores"][found["scores"]["repeat"] == 1].reset_index(drop=True)
    assert np.allclose(stored["brier_score"], halves[1].scores["brier_score"], rtol=1e-8)
    with gzip.open(tmp_path / "results" / "binary_scores.csv.gz", "rt") as file:
        head = [next(file) for _ in range(4)]
    assert [line.split(":")[0] for line in head] == ["# command", "# versions", "# seeds", "# date"]
    before = (tmp_path / "results" / "binary_alignment.csv.gz").read_bytes()
    assert benchmark.main([*words, "--jobs", "2"]) == 0  # nothing to fit, same table but for its command
    after = stored_tables.read(tmp_path / "results" / "binary_alignment.csv.gz")
    pd.testing.assert_frame_equal(after, found["alignment"])
    assert before != (tmp_path / "results" / "binary_alignment.csv.gz").read_bytes()


def test_scoring_goes_on_where_it_was_and_starts_again_with_another_version(folder, tmp_path, monkeypatch):
    calls = []

    def slow(task, name, number, makers, place):
        calls.append(number)
        if len(calls) == 2:
            raise KeyboardInterrupt  # the run is stopped in its second repeat
        return {"number": number}

    def both(makers=("a",), rows=None):
        return [benchmark._kept(slow, "binary", "small", [r], makers, tmp_path / "main", Plan(2, rows), r, makers, "")
                for r in (0, 1)]

    for cell in grid.grid(["small"], ["a", "b"], 2):
        grid._write(cell.path(tmp_path / "main"), np.zeros((1, 3)))

    with pytest.raises(KeyboardInterrupt):
        both()
    assert both() == [{"number": 0}, {"number": 1}] and calls == [0, 1, 1]
    both(makers=("a", "b")), both(rows=50)
    assert len(calls) == 7 and not list(tmp_path.rglob("*.part"))
    monkeypatch.setattr(benchmark, "VERSION", 0)
    both()
    assert len(calls) == 9
    grid._write(grid.Cell("small", "a", 1, 4).path(tmp_path / "main"), np.ones((1, 3)))
    both()
    assert len(calls) == 10 and calls[-1] == 1  # the repeat whose predictions changed, and no other


def test_a_failing_model_means_no_table(tmp_path, monkeypatch, capsys):
    task = replace(BINARY, plan={"breast_cancer": Plan(1, 60)}, fresh={}, added=dict,
                   models=lambda: {"broken": lambda seed: "no model"})
    monkeypatch.setitem(TASKS, "binary", task)
    assert benchmark.main(["binary", "--folder", str(tmp_path), "--results", str(tmp_path / "r")]) == 1
    assert "5 cells failed, no table" in capsys.readouterr().err and not (tmp_path / "r").exists()


@pytest.mark.parametrize("arguments, words", [
    (["binary", "--datasets", "titanic"], "no such data set in the plan: titanic"),
    (["binary", "--repeats", "0"], "at least 1"), (["poetry"], "invalid choice"),
    (["binary", "--datasets", "heart"], "needs --results")])
def test_bad_arguments(arguments, words, capsys):
    with pytest.raises(SystemExit):
        benchmark.main(arguments)
    assert words in capsys.readouterr().err


def test_the_plans_cover_the_papers_data_sets():
    for task in TASKS.values():
        in_the_paper = 5 if task.name in ("binary", "regression") else 4
        assert list(task.plan) == datasets.names(task.name)[:in_the_paper]
        assert all(p.repeats >= 2 for p in task.plan.values())
    whole = [name for task in (TASKS["binary"], TASKS["regression"]) for name, p in task.plan.items() if not p.rows]
    assert len(whole) == 10  # none is cut down


def table(values):
    """An alignment table from {(dataset, repeat, metric): tau}."""
    rows = [(*key, "same", "binary", value) for key, value in values.items()]
    return pd.DataFrame(rows, columns=["dataset", "repeat", "metric", "scheme", "family", "tau"])


def test_beside_prints_ours_above_the_papers():
    values = {("a", r, "brier_score"): tau for r, tau in enumerate([0.1, 0.2, 0.3])}
    paper = pd.DataFrame({"table": "J.1", "family": "binary", "dataset": ["a", "b"], "metric": "brier_score",
                          "median": [0.5, 0.6], "low": 0.4, "high": 0.7})
    frame = read.beside(table(values), paper, "binary")
    assert frame.index.tolist() == [("a", "ours"), ("a", "paper"), ("b", "paper")]
    assert frame["Brier"].tolist() == ["0.20 [0.11, 0.29]", "0.50 [0.40, 0.70]", "0.60 [0.40, 0.70]"]
    drawn = read.ranges(table(values), paper, "binary")
    assert {name: list(sources) for name, sources in drawn.items()} == {"a": ["ours", "paper"], "b": ["paper"]}
    assert drawn["a"]["ours"].loc["Brier"].tolist() == pytest.approx([0.2, 0.11, 0.29])
    assert drawn["b"]["paper"].loc["Brier", ["median", "low", "high"]].tolist() == [0.6, 0.4, 0.7]


def test_unknown_family_is_refused():
    with pytest.raises(ValueError, match="no rows of family 'poetry'"):
        read.medians(table({("a", 0, "brier_score"): 1.0}), "poetry")


def test_averages_over_data_sets_weigh_them_alike():
    values = {("a", r, "m"): 0.0 for r in range(30)} | {("b", 0, "m"): 1.0}
    assert read.averages(table(values), "binary", ["same"]).loc["m", "same"] == 0.5
    assert read.over_datasets(table(values), "binary")["m"].tolist() == [0.5]  # the one repeat both have


def test_every_metric_has_a_name_and_a_direction():
    for task in TASKS.values():
        for name in [*task.metrics, *task.extra, "random"]:
            assert name in read.LABELS
            assert isinstance(benchmark.lower(name), bool)


def test_names_with_a_hash_survive_the_round_trip(tmp_path):
    frame = pd.DataFrame({"model": ["net #1", "b"], "x": [1.0, np.inf]})
    stored_tables.write(tmp_path / "t.csv.gz", frame, "none", "none", "%.9g")
    pd.testing.assert_frame_equal(stored_tables.read(tmp_path / "t.csv.gz"), frame)


def test_resemblance_uses_the_cells_that_all_schemes_have():
    rows = []
    for scheme, shift in (("same", 0.0), ("released", 0.5)):
        for place, metric in enumerate(("brier_score", "log_loss", "error_detection_auroc")):
            value = np.nan if (scheme, metric) == ("same", "error_detection_auroc") else 0.1 * place + shift
            rows += [("a", r, metric, scheme, "binary", value) for r in range(5)]
    frame = pd.DataFrame(rows, columns=["dataset", "repeat", "metric", "scheme", "family", "tau"])
    paper = pd.DataFrame({"dataset": "a", "family": "binary", "metric": ["brier_score", "log_loss",
                          "error_detection_auroc"], "median": [0.0, 0.2, 0.9], "low": [-0.1, 0.15, 0.8],
                          "high": [0.05, 0.3, 1.0]})
    found = read.resemblance(frame, paper, "binary")
    assert found["cells"].tolist() == [2, 2] and found["ranges apart"].tolist() == [1, 2]
    assert found["mean gap"].tolist() == pytest.approx([0.05, 0.45])
    assert found["correlation"].iloc[0] == pytest.approx(1)


def test_expected_tau_is_an_average_over_what_is_defined(monkeypatch):
    """Cells without a tau do not pull the average towards zero."""
    metrics = pd.DataFrame({"brier_score": [3.0, 2.0, 1.0]})
    question = BINARY.question("binary")
    tied, ranked = np.ones(3), np.array([3.0, 2.0, 1.0])
    columns = {f"binary:g{place:02d}": ranked if place < 15 else tied for place in range(40)}
    columns |= {f"binary:s{place:02d}": ranked for place in range(5)}
    columns |= {name.replace("binary", "top_k"): values for name, values in columns.items()}
    row = align.summary(BINARY, metrics, pd.DataFrame(columns)).loc[("brier_score", "binary")]
    assert row["expected_tau"] == pytest.approx(1)
    assert row["expected_defined"] == pytest.approx(question.mass()[:15].sum())


def test_released_ranking_puts_low_losses_first(folder):
    folds = [((model, fold), data) for model, fold, data in align.folds(BINARY, "small", 0, MODELS, folder)]
    theirs = benchmark._released(BINARY, folds)["tau"]
    frame = align.indexed({key: score.released_scores(BINARY, fold) for key, fold in folds})
    means = frame.groupby(level="model").mean()
    costs = -means[[f"binary:s{k:02d}" for k in range(5)]]
    for metric, sign in (("brier_score", 1), ("error_detection_auroc", -1)):
        taus = [kendalltau(sign * means[metric], costs[name], variant="c").statistic for name in costs]
        if not costs.round(12).apply(lambda column: column.duplicated().any()).any():
            assert theirs[metric, "binary"] == pytest.approx(np.mean(taus))
    assert theirs["brier_score", "binary"] > 0  # on these data the better scores do cost less


class Runs:
    """What a pickle from somebody else may do."""

    def __reduce__(self):
        return (Path.touch, (Path("ran"),))


def test_kept_results_of_somebody_else_are_not_read(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    _pickles.save(tmp_path / "mine.joblib", {"a": [1, 2]})
    assert _pickles.load(tmp_path / "mine.joblib") == {"a": [1, 2]}
    joblib.dump(Runs(), tmp_path / "theirs.joblib")
    (tmp_path / "cut.joblib").write_bytes((tmp_path / "mine.joblib").read_bytes()[:-3])
    (tmp_path / "empty.joblib").touch()
    for name in ("theirs", "cut", "empty"):
        assert _pickles.load(tmp_path / f"{name}.joblib") is None
        assert f"{name}.joblib is damaged, or was not written by this user" in capsys.readouterr().err
    assert not (tmp_path / "ran").exists()
    assert oct((tmp_path / "cache" / "pwu_lite" / "seal").stat().st_mode)[-3:] == "600"


def test_top3_with_many_ties_is_fast_and_right():
    ours, theirs = pd.DataFrame({"m": [0.0] + [-1.0] * 99}), pd.DataFrame({"u": [1.0] + [0.0] * 99})
    expected = sum(chance * (1 + hit) / (6 - 1 - hit) for hit, chance in enumerate(
        scipy.stats.hypergeom(99, 2, 2).pmf([0, 1, 2])))
    assert of_the_best(ours, theirs, 0.0)["top3"].item() == pytest.approx(expected)


def test_the_best_are_found_or_not_and_scale_is_none():
    models = list("abcde")
    ours = pd.DataFrame({"m": [5.0, 4, 3, 2, 1], "same": [1.0] * 5}, models)
    theirs = pd.DataFrame({"up": [-1.0, -2, -3, -4, -5], "down": [1.0, 2, 3, 4, 5], "tied": [1.0, 1, 0, 0, 0]}, models)
    rows = of_the_best(ours, theirs, 0.0).set_index(["metric", "utility"])
    assert rows.loc[("m", "up")].tolist() == pytest.approx([1, 1, 1]) and rows.loc[("m", "down"), "top1"] == 0
    assert rows.loc[("m", "tied"), "top1"] == 1 and rows.loc["same"].isna().all().all()
    huge = of_the_best(1e200 * ours, 1e-200 * theirs, 0.0).set_index(["metric", "utility"])
    assert huge.loc[("m", "up"), "pearson"] == pytest.approx(1)


def test_only_a_pwu_is_called_one():
    assert all(align.lower_is_better(name) for name in ("PWU", "pwu_binary", "PWU top-k"))
    for name, words in (("pwurzel", "direction"), (3, "a string")):
        with pytest.raises(ValueError, match=words):
            align.lower_is_better(name)
