"""Stored tables: found in a copy of the project and in a wheel, and an error that says what there is."""

import shutil

import pandas as pd
import pytest

from pwu_lite.replication import stored_tables


def test_in_a_wheel_the_tables_lie_in_the_package(tmp_path, monkeypatch):
    installed = tmp_path / "pwu_lite"
    (installed / "tables").mkdir(parents=True)
    shutil.copy(stored_tables.path("speed.csv"), installed / "tables")
    expected = stored_tables.load("speed.csv")
    monkeypatch.setattr(stored_tables, "PACKAGE", installed)
    assert stored_tables.path("speed.csv").parent == installed / "tables"
    pd.testing.assert_frame_equal(stored_tables.load("speed.csv"), expected)


def test_a_missing_table_is_named_with_those_that_are_there(tmp_path, monkeypatch):
    with pytest.raises(FileNotFoundError, match=r"'speed\.txt'.*binary_scores\.csv\.gz.*speed\.csv"):
        stored_tables.path("speed.txt")
    monkeypatch.setattr(stored_tables, "PACKAGE", tmp_path / "pwu_lite")
    with pytest.raises(FileNotFoundError, match="install the wheel"):
        stored_tables.load("speed.csv")
