"""The stored losses of the hub: whole, and the loss by hand."""

import pandas as pd

from pwu_book import tables
from pwu_book.studies import flusight


def test_the_table_is_whole():
    table = tables.load("flusight.csv.gz")
    assert len(table) == table["week"].nunique() * table["model"].nunique() * table["level"].nunique()
    assert table["level"].nunique() == 23 and table["model"].nunique() == 12 and (table["loss"] >= 0).all()


def test_places_that_a_model_lacks_are_left_out_for_all():
    rows = [("a", "w", "01", 0.9, 10.0), ("b", "w", "01", 0.9, 20.0), ("a", "w", "02", 0.9, 1.0)]
    given = pd.DataFrame(rows, columns=["model", "week", "place", "level", "value"])
    truth = pd.DataFrame({"week": ["w", "w"], "place": ["01", "02"], "outcome": [15.0, 999.0]})
    assert flusight.losses(given, truth)["loss"].tolist() == [4.5, 0.5]
