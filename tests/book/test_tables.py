"""Stored tables: an error that says what there is."""

import pytest

from pwu_book import tables


def test_a_missing_table_is_named_with_those_that_are_there():
    with pytest.raises(FileNotFoundError, match=r"'speed\.txt'.*binary_scores\.csv\.gz.*speed\.csv"):
        tables.path("speed.txt")
