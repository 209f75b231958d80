"""The protocol: agreement with ties and endless losses, a run that resumes, stored cells computed again."""

import gzip
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import sklearn

from pwu_book import tables as stored_tables
from pwu_book.studies import STUDIES, study
from pwu_book.studies import __main__ as command

RAW = Path(os.environ.get("PWU_LITE_DATA", "none"))
AGAIN = [("wind", "simulated", 7, ["least squares", "quantile boosting", "boosting"]),
         ("wind", "britain", 2, ["Bayesian splines", "boosting", "extra trees"]),
         ("credit", "simulated", 4, ["logistic regression", "naive Bayes", "boosting"]),
         ("credit", "kaggle", 1, ["logistic regression", "naive Bayes", "boosting"]),
         ("credit", "pakdd", 11, ["logistic regression", "naive Bayes", "boosting"]),
         ("lending", "simulated", 5, ["logistic regression", "extra trees", "boosting"]),
         ("lending", "sample", 9, ["logistic regression", "extra trees", "boosting"]),
         ("lending", "q1_2016", 13, ["logistic regression", "naive Bayes", "boosting"])]
FILES = {"britain": "wind_gb", "kaggle": "credit_kaggle", "pakdd": "credit_pakdd", "sample": "lending_club",
         "q1_2016": "lending_club_q1_2016"}


@pytest.mark.parametrize("case, dataset, repeat, models", AGAIN, ids=[f"{row[0]}-{row[1]}" for row in AGAIN])
def test_three_cells_again_give_the_stored_rows(case, dataset, repeat, models, tmp_path):
    if dataset in FILES and not (RAW / FILES[dataset]).exists():
        pytest.skip("needs the raw files in PWU_LITE_DATA")
    what = STUDIES[case]
    with gzip.open(stored_tables.path(f"{case}_scores.csv.gz"), "rt") as file:
        if f"scikit-learn {sklearn.__version__}" not in "".join(next(file) for _ in range(4)):
            pytest.skip("another scikit-learn fits other models")
    data = what.load(dataset)
    assert study.fit(what, data, [repeat], tmp_path, models=models) == []
    found = study.tables(what, data, repeat, tmp_path, models)["scores"].set_index(["part", "model"])
    stored = stored_tables.load(f"{case}_scores.csv.gz")
    stored = stored[(stored["dataset"] == dataset) & (stored["repeat"] == repeat)].set_index(["part", "model"])
    for column in found.columns.drop(["dataset", "repeat"]):
        there = stored.loc[found.index, column].to_numpy(float)
        assert found[column].to_numpy(float) == pytest.approx(there, rel=1e-6, abs=1e-9, nan_ok=True), column


def test_agreement_ties_endless_losses_and_turns_what_is_higher():
    rows = pd.DataFrame({"repeat": 0, "part": ["a"] * 3 + ["b"] * 3, "model": list("xyz") * 2,
                         "log_loss": [1.0, np.inf, np.inf, 1.0, 2.0, 3.0], "auroc": [0.9, 0.8, 0.7] * 2,
                         "holes": [1.0, np.nan, 2.0] * 2, "cost": [1.0, 2.0, 3.0, 3.0, 2.0, 1.0]})
    found = study.agreement(rows, ["log_loss", "auroc", "holes"], "cost", chosen="a", paid="a").iloc[0]
    assert found["log_loss"] == pytest.approx(2 / 6**0.5) and found["auroc"] == found["itself"] == 1
    assert np.isnan(found["holes"])
    assert study.agreement(rows, ["auroc"], "cost", chosen="a", paid="b").iloc[0].tolist() == [-1, -1]


def test_a_run_goes_on_where_it_stopped(tmp_path, monkeypatch, capsys):
    """The second call fits what the first one left out, and the table is the one of a single run."""
    quick = {name: maker for name, maker in STUDIES["lending"].models().items() if name in ("naive Bayes", "boosting")}
    what = STUDIES["lending"]._replace(models=lambda: quick)
    monkeypatch.setitem(STUDIES, "lending", what)
    folders = [["--folder", str(tmp_path / name), "--results", str(tmp_path / name / "results")] for name in "ab"]
    some = ["lending", "--datasets", "simulated", "--repeats"]
    assert command.main([*some, "1", *folders[0]]) == command.main([*some, "2", *folders[0]]) == 0
    assert "2 of 4 cells are there, 2 to fit" in capsys.readouterr().out
    assert command.main([*some, "2", *folders[1]]) == 0
    tables = [stored_tables.read(tmp_path / name / "results" / "lending_scores.csv.gz") for name in "ab"]
    pd.testing.assert_frame_equal(*tables)
    assert set(tables[0]["model"]) == set(quick) and len(tables[0]) == 8


def test_a_failing_model_leaves_no_table(tmp_path, monkeypatch, capsys):
    what = STUDIES["lending"]._replace(models=lambda: {"broken": lambda seed: "no model"})
    monkeypatch.setitem(STUDIES, "lending", what)
    called = ["lending", "--datasets", "simulated", "--repeats", "1"]
    called += ["--folder", str(tmp_path), "--results", str(tmp_path)]
    assert command.main(called) == 1 and not list(tmp_path.glob("*.csv.gz"))
    assert "1 cells failed, no table was written" in capsys.readouterr().err


def test_wrong_arguments_get_one_line(capsys):
    with pytest.raises(SystemExit) as stop:
        command.main(["credit", "--datasets", "bank", "--results", "x"])
    assert stop.value.code == 2 and capsys.readouterr().err.strip().splitlines()[-1].startswith("python -m")


@pytest.mark.parametrize("call, words", [
    (lambda: study.column("fee", [1.0, np.nan], 0, 5, "GBP"), r"fee \(GBP\) must lie between 0 and 5: row 1 has nan"),
    (lambda: study.column("price", [np.inf], -np.inf, np.inf, "EUR"), r"price \(EUR\) must be finite: row 0 has inf"),
    (lambda: study.column("fee", [], 0, 5, "GBP"), "one-dimensional and not empty"),
    (lambda: study.columns_of(pd.DataFrame({"a": [1]}), ["a", "b"], "x.csv"), r"x.csv lacks the column\(s\) b;")])
def test_what_makes_no_sense_is_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()
