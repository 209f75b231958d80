"""Chapter 1's example: halves do not overlap, bills add up, choices do not depend on names or order."""

import numpy as np
import pytest

from pwu_book.examples import parcels
from pwu_lite.metrics import classification


def test_the_bill_counts_misses_and_alarms():
    y = np.array([1, 1, 0, 0, 0])
    f = np.array([0.01, 0.9, 0.03, 0.05, 0.9])  # one miss, two alarms, in five parcels
    assert parcels.bill(y, f) == pytest.approx(1000 * (24 + 2 * 1) / 5)
    assert parcels.THRESHOLD == pytest.approx(1 / 25)


def test_choosing_and_paying_use_different_images():
    X, y = parcels.images(8)
    marked = np.column_stack([X, np.arange(len(y))])  # the last column tells the image

    class Identity:
        def fit(self, X, y):
            self.seen = set(X[:, -1])
            return self

        def predict_proba(self, X):
            assert not self.seen & set(X[:, -1])
            return np.column_stack([X[:, -1], X[:, -1]])

    part = parcels.split(marked, y, 3, {"id": Identity()})
    choose, pay = set(part.choose["id"]), set(part.bill["id"])
    assert not choose & pay
    assert len(choose) + len(pay) == pytest.approx(len(y) / 2, abs=1)
    first, second = parcels.split(X, y, 5), parcels.split(X, y, 5)
    np.testing.assert_array_equal(first.bill["bold"], second.bill["bold"])


def test_the_reversal_of_chapter_1():
    """Log loss chooses the costlier model in at least 9 of 10 splits (the page: of 100)."""
    runs = parcels.choose_and_pay(*parcels.images(8), {"log loss": classification.log_loss}, n_splits=10)
    assert (runs.extra > 0).sum() >= 9
