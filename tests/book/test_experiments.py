"""Part IV: the stored tables are what the commands give, and the ledger's verdicts about them are what they show."""

import gzip
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import sklearn

from pwu_lite.replication import benchmark, datasets, experiment, findings, models, scoring

RESULTS = Path(__file__).resolve().parents[2] / "book" / "results"
PAPER = pd.read_csv(RESULTS.parent / "experiments" / "paper_tables.csv")
OWN = {"J.1": ("binary", "binary"), "J.2": ("binary", "top_k"),
       "J.3": ("regression", "selective"), "J.4": ("regression", "risk_averse")}
CELLS = {"binary": [("heart", "boosting", 3), ("ionosphere", "naive Bayes", 17), ("sonar", "random forest", 60)],
         "regression": [("auto_mpg", "least squares", 2), ("energy", "network", 40), ("auto_mpg", "extra trees", 99)],
         "multiclass": [("iris", "network", 1), ("wine", "random forest", 7), ("wine", "boosting", 19)],
         "multivariate": [("energy_many", "random forest", 3), ("solar_flare", "boosting", 11),
                          ("energy_many", "network", 19)]}
WHOLE = {"binary": ("heart", 5), "regression": ("auto_mpg", 8), "multiclass": ("iris", 4),
         "multivariate": ("energy_many", 6)}


def table(task, name):
    return benchmark.read(RESULTS / f"{task}_{name}.csv.gz")


def data(task, name):
    """The data set, and the row of versions; skipped where the data or the scikit-learn of the tables is missing."""
    with gzip.open(RESULTS / f"{task}_scores.csv.gz", "rt") as file:
        versions = [next(file) for _ in range(2)][1]
    if f"scikit-learn {sklearn.__version__}" not in versions:
        pytest.skip("another scikit-learn fits other models")
    try:
        return datasets.load(name)
    except (FileNotFoundError, ImportError) as reason:
        pytest.skip(f"needs the data: {str(reason)[:60]}")


def rerun(task, name, chosen, repeat, folder):
    found = data(task, name)
    cells = [experiment.Cell(name, model, repeat, fold) for model in chosen for fold in range(5)]
    failed = experiment.run(cells, {name: found}, models.for_task(task), folder, jobs=2,
                            rows=benchmark.PLAN[task][name].rows, report=lambda line: None)
    assert failed == []


@pytest.mark.parametrize("task, cell", [(task, cell) for task in CELLS for cell in CELLS[task]], ids=str)
def test_three_cells_of_each_table_come_out_again(task, cell, tmp_path):
    name, model, repeat = cell
    rerun(task, name, [model], repeat, tmp_path)
    again = benchmark.score_repeat(task, name, repeat, [model], tmp_path).reset_index()
    stored = table(task, "scores").set_index(["dataset", "model", "repeat"]).sort_index().loc[cell].reset_index()
    numbers = [column for column in stored if column not in ("dataset", "model", "repeat", "fold", "random")]
    assert len(stored) == 5
    assert np.allclose(again[numbers], stored[numbers], rtol=1e-6, atol=1e-9, equal_nan=True)


@pytest.mark.parametrize("task", WHOLE)
def test_alignment_and_curves_of_a_whole_repeat_come_out_again(task, tmp_path):
    name, repeat = WHOLE[task]
    makers = list(models.for_task(task))
    rerun(task, name, makers, repeat, tmp_path)
    again = benchmark.tables(task, name, repeat, makers, tmp_path)
    for kind, keys in (("alignment", benchmark.KEYS), ("curves", ["dataset", "repeat", "metric", "family"])):
        if kind == "curves" and task == "multiclass":
            continue
        ours = getattr(again, kind).set_index(keys).sort_index()
        stored = table(task, kind)
        stored = stored[(stored["dataset"] == name) & (stored["repeat"] == repeat)]
        stored = stored[~stored.get("scheme", pd.Series("", stored.index)).str.startswith("fresh")]
        stored = stored.set_index(keys).sort_index()
        assert stored.index.equals(ours.index)
        assert np.allclose(stored[ours.columns], ours, atol=1e-4, equal_nan=True)


@pytest.mark.parametrize("task", benchmark.PLAN)
def test_stored_alignment_follows_from_the_stored_scores(task):
    """For three repeats, tau of the sampled parameters from the fold means."""
    scores, alignment = table(task, "scores"), table(task, "alignment").set_index(benchmark.KEYS).sort_index()
    repeats = list(scores.groupby(["dataset", "repeat"]))
    for (name, repeat), rows in [repeats[0], repeats[len(repeats) // 2], repeats[-1]]:
        means = rows.groupby("model").mean(numeric_only=True)
        for question in scoring.QUESTIONS[task]:
            utilities = means[[column for column in means if column.startswith(f"{question.name}:s")]]
            own = f"pwu_{question.name}"
            tau = benchmark.agreement(-means[[own]], utilities)["tau"]
            stored = alignment.loc[name, repeat, "same", own, question.name]["tau"]
            expected = np.nanmean(tau) if np.isfinite(tau).any() else np.nan
            assert stored == pytest.approx(expected, abs=2e-6, nan_ok=True)


@pytest.mark.parametrize("task", benchmark.PLAN)
def test_the_tables_hold_what_was_planned(task):
    alignment = table(task, "alignment")
    same = alignment[alignment["scheme"] == "same"].groupby("dataset")["repeat"].nunique()
    assert same.to_dict() == {name: plan.repeats for name, plan in benchmark.PLAN[task].items()}
    fresh = alignment[alignment["scheme"] == "fresh_one"].groupby("dataset")["repeat"].nunique()
    assert fresh.to_dict() == {name: plan.repeats for name, plan in benchmark.FRESH[task].items()}
    for value in ("tau", "somers_d", "expected_tau"):
        assert alignment[value].dropna().between(-1, 1).all()
    for value in ("top1", "top3", "defined", "expected_defined"):
        assert alignment[value].dropna().between(0, 1 + 1e-9).all()


def test_the_papers_tables_are_whole():
    assert PAPER.groupby("table").size().to_dict() == {"J.1": 45, "J.2": 45, "J.3": 40, "J.4": 40}
    assert (PAPER["low"] <= PAPER["median"]).all() and (PAPER["median"] <= PAPER["high"]).all()
    mushroom = PAPER.query("table == 'J.2' and dataset == 'mushroom' and metric == 'pwu_top_k'")
    assert mushroom[["median", "low", "high"]].to_numpy().tolist() == [[1.0, 1.0, 1.0]]


def columns(family):
    return list(dict.fromkeys(PAPER.loc[PAPER["family"] == family, "metric"]))


def lead(number, scheme="same", value="tau"):
    task, family = OWN[number]
    return findings.lead(table(task, "alignment"), family, f"pwu_{family}", scheme, value, columns(family))
