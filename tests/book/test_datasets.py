"""The data sets: the table that was meant, or a refusal that says what to do."""

import dataclasses
import os
import sys
import types
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from pwu_book.runs import datasets

RAW = None if "PWU_LITE_SMALL_SETS" in os.environ else os.environ.get("PWU_LITE_DATA")
needs_raw = pytest.mark.skipif(not RAW, reason="PWU_LITE_DATA is not set")
ROWS = {  # rows, features, and the events, classes or outputs: as the UCI pages state them
    "bank": (45211, 16, 5289), "heart": (303, 13, 139), "ionosphere": (351, 34, 126), "mushroom": (8124, 22, 3916),
    "sonar": (208, 60, 111), "air_quality": (7674, 12, None), "auto_mpg": (398, 7, None), "energy": (768, 8, None),
    "power_plant": (9568, 4, None), "wine_quality": (6497, 11, None), "dry_bean": (13611, 16, 7), "iris": (150, 4, 3),
    "pen_digits": (10992, 16, 10), "wine": (178, 13, 3), "air_quality_many": (6941, 9, 4), "energy_many": (768, 8, 2),
    "solar_flare": (1066, 10, 3), "parkinsons": (5875, 19, 2), "breast_cancer": (569, 30, 212),
    "diabetes": (442, 10, None), "digits": (1797, 64, 10), "linnerud": (20, 3, 3),
    "air_quality_released": (7258, 10, 3), "solar_flare_released": (1066, 10, 3), "parkinsons_released": (5875, 16, 2)}
UNSEEN = ["covertype", "sgemm"]  # for whoever has a network; here they are checked with made-up files
BUNDLED = ["breast_cancer", "diabetes", "digits", "linnerud", "iris", "wine"]


@pytest.fixture
def nowhere(monkeypatch, tmp_path):
    """Neither files nor a network; the cache is an empty folder."""
    monkeypatch.delenv("PWU_LITE_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setitem(sys.modules, "ucimlrepo", None)
    return tmp_path / "pwu_lite"


@pytest.mark.parametrize("name", [pytest.param(n, marks=() if n in BUNDLED else needs_raw)
                                  for n in datasets.names() if n not in UNSEEN])
def test_every_set_is_the_one_that_was_meant(name):
    pytest.importorskip("openpyxl" if name.startswith(("air", "energy", "power")) else "pandas")
    data = datasets.load(name)
    rows, features, what = ROWS[name]
    assert data.X.shape == (rows, features) and len(data.y) == rows and not np.isnan(data.y.astype(float)).any()
    if data.task == "binary":
        assert set(data.y) == {0, 1} and data.y.sum() == what
    elif data.task == "multiclass":
        assert set(data.y) == set(range(what))
    else:
        assert data.y.ndim == (1 if what is None else 2) and (what is None or data.y.shape[1] == what)
    assert data.licence and data.citation and data.target and data.name == name
    assert bool(data.unit) == (data.task in ("regression", "multivariate"))


RELEASED = {  # what 01_preprocess_datasets.py of the paper's repository (commit 94ab70d) codes as 1
    "bank": ("bank_marketing/bank-full.csv", ";", 0, -1, {"yes"}),
    "heart": ("heart_disease/processed.cleveland.data", ",", None, -1, {"1", "2", "3", "4"}),
    "ionosphere": ("ionosphere/ionosphere.csv", ",", None, -1, {"b"}),
    "mushroom": ("mushroom/mushrooms.csv", ",", 0, 0, {"p"}),
    "sonar": ("sonar/sonar.csv", ",", None, -1, {"M"})}
TARGETS = ["air_quality", "auto_mpg", "energy", "power_plant", "wine_quality"]  # CO(GT), mpg, Y1, PE, quality


@needs_raw
@pytest.mark.parametrize("name", RELEASED)
def test_the_event_is_the_class_that_the_paper_codes_as_one(name):
    file, separator, header, place, ones = RELEASED[name]
    raw = pd.read_csv(Path(RAW) / file, sep=separator, header=header, dtype=str).iloc[:, place].str.strip()
    y = datasets.load(name).y
    np.testing.assert_array_equal(y, raw.isin(ones).astype(int))
    assert datasets.event(name)[1] == y.mean()


@needs_raw
@pytest.mark.parametrize("name", TARGETS)
def test_the_target_is_the_one_that_the_paper_predicts(name):
    pytest.importorskip("openpyxl")
    where = Path(RAW)
    raw = {"air_quality": lambda: pd.read_excel(where / "air_quality/AirQualityUCI.xlsx", header=None)[0],
           "auto_mpg": lambda: pd.read_csv(where / "auto_mpg/auto-mpg.data", sep=r"\s+", header=None)[0],
           "energy": lambda: pd.read_excel(where / "energy_efficiency/ENB2012_data.xlsx")["Y1"],
           "power_plant": lambda: pd.read_excel(where / "power_plant/Folds5x2_pp.xlsx", sheet_name="Sheet1")["PE"],
           "wine_quality": lambda: pd.concat([pd.read_csv(where / f"wine_quality/winequality-{kind}.csv", header=None)
                                              for kind in ("red", "white")]).iloc[:, -1]}[name]()
    raw = raw.to_numpy(dtype=float)
    np.testing.assert_allclose(datasets.load(name).y, raw[(raw != -200) & ~np.isnan(raw)])  # missing


def test_an_event_is_named_for_data_with_two_outcomes_only():
    assert datasets.event("breast_cancer")[0] == "malignant"
    with pytest.raises(ValueError, match="bank, heart"):
        datasets.event("energy")


def test_without_data_the_message_names_three_ways(nowhere):
    with pytest.raises(FileNotFoundError) as caught:
        datasets.load("sonar")
    for words in ("PWU_LITE_DATA", "sonar/sonar.csv", str(nowhere), "pwu_book[data]", "CC BY 4.0"):
        assert words in str(caught.value)


def test_no_such_set():
    with pytest.raises(ValueError, match="sonar"):
        datasets.load("sonarr")


@needs_raw
@pytest.mark.parametrize("spoil", [
    lambda text: text[:len(text) // 2], lambda text: text.replace("0.0200", "0.0201", 1),
    lambda text: "\n".join(text.splitlines()[::-1]) + "\n"], ids=["truncated", "altered", "reordered"])
def test_a_file_that_was_cut_or_altered_is_refused(nowhere, monkeypatch, tmp_path, spoil):
    text = (Path(RAW) / "sonar" / "sonar.csv").read_text()
    (tmp_path / "sonar").mkdir()
    (tmp_path / "sonar" / "sonar.csv").write_text(spoil(text))
    monkeypatch.setenv("PWU_LITE_DATA", str(tmp_path))
    with pytest.raises(ValueError, match="sonar from .* is not the table"):
        datasets.load("sonar")


@needs_raw
def test_the_cache_serves_raw_files_too(nowhere):
    (nowhere / "sonar").mkdir(parents=True)
    (nowhere / "sonar" / "sonar.csv").write_bytes((Path(RAW) / "sonar" / "sonar.csv").read_bytes())
    assert datasets.load("sonar").y.sum() == 111


def stand_in(monkeypatch, features, targets):
    """A package that answers as the UCI one does."""
    asked = []
    module = types.ModuleType("ucimlrepo")
    answer = types.SimpleNamespace(data=types.SimpleNamespace(features=features, targets=targets))
    module.fetch_ucirepo = lambda id: asked.append(id) or answer
    monkeypatch.setitem(sys.modules, "ucimlrepo", module)
    return asked


@needs_raw
def test_what_is_fetched_is_checked_and_kept(nowhere, monkeypatch):
    frame = pd.read_csv(Path(RAW) / "sonar" / "sonar.csv", header=None).add_prefix("a")
    asked = stand_in(monkeypatch, frame.iloc[:, :-1], frame.iloc[:, -1:])
    first, second = datasets.load("sonar"), datasets.load("sonar")
    assert asked == [151] and first.y.sum() == 111 and (nowhere / "sonar.csv.gz").exists()
    pd.testing.assert_frame_equal(first.X, second.X)
    assert not list(nowhere.glob("*.part"))


def test_another_table_from_the_repository_is_refused(nowhere, monkeypatch):
    stand_in(monkeypatch, pd.DataFrame({"a": [1.0, 2.0]}), pd.DataFrame({"y": ["M", "R"]}))
    with pytest.raises(ValueError, match="another edition"):
        datasets.load("sonar")


def test_the_digest_is_of_values_and_their_order():
    X, y = pd.DataFrame({"a": [1.0, 2.5], "b": ["u", "v"]}), np.array([0, 1])
    same = X.rename(columns={"a": "x"}, index={0: 7})
    assert datasets.digest(X, y) == datasets.digest(same, y.astype(float))
    assert datasets.digest(X, y) != datasets.digest(X.iloc[::-1], y[::-1])
    assert datasets.digest(X, y) != datasets.digest(X, y[::-1])
    assert datasets.digest(X, y) != datasets.digest(X.replace("u", "w"), y)


@pytest.mark.parametrize("name, columns", [("covertype", 55), ("sgemm", 18)])
def test_large_sets_are_read_and_refused_by_their_size(name, columns, monkeypatch, tmp_path):
    folder = tmp_path / name
    folder.mkdir()
    file = {"covertype": "covtype.data", "sgemm": "sgemm_product.csv"}[name]
    values = np.random.default_rng(0).random((30, columns))
    values[:, -1] = np.arange(30) % 7 + 1
    pd.DataFrame(values).to_csv(folder / file, index=False, header=name == "sgemm")
    monkeypatch.setenv("PWU_LITE_DATA", str(tmp_path))
    with pytest.raises(ValueError, match=rf"{name} from .* has \(30, .*, expected .*replace or remove"):
        datasets.load(name)
    small = (30, 54, 7) if name == "covertype" else (30, 14, 4)
    monkeypatch.setitem(datasets._SOURCES, name, dataclasses.replace(datasets._SOURCES[name], sha256=small))
    data = datasets.load(name)
    assert data.X.shape == small[:2] and data.y.shape == ((30,) if name == "covertype" else (30, 4))
    if name == "covertype":
        assert set(data.y) == set(range(7))
    else:
        assert data.y[:, -1].tolist() == values[:, -1].tolist()
