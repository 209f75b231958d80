"""Metrics with K classes: they are the binary ones for K = 2, and behave for more."""

import numpy as np
import pytest

from pwu_lite import validation
from pwu_lite.metrics import classification, multiclass

METRICS = [multiclass.log_loss, multiclass.brier_score, multiclass.zero_one_loss, multiclass.expected_calibration_error]


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    f = rng.dirichlet(np.ones(4), 100)
    return rng.integers(0, 4, 100), f


def test_two_classes(binary):
    y, f = binary
    both = np.column_stack([1 - f, f])
    keep = (f > 0) & (f < 1) & (f != 0.5)
    assert multiclass.log_loss(y[keep], both[keep]) == pytest.approx(classification.log_loss(y[keep], f[keep]))
    assert multiclass.brier_score(y, both) == pytest.approx(2 * classification.brier_score(y, f))
    assert multiclass.zero_one_loss(y[keep], both[keep]) == classification.zero_one_loss(y[keep], f[keep])
    each = [classification.expected_calibration_error(*pair) for pair in ((y == 0, 1 - f), (y == 1, f))]
    assert multiclass.expected_calibration_error(y, both) == pytest.approx(np.mean(each))


def test_top_label(data):
    y, f = data
    right, top = f.argmax(axis=1) == y, f.max(axis=1)
    expected = classification.expected_calibration_error(right, top)
    assert multiclass.expected_calibration_error(y, f, definition="top_label") == pytest.approx(expected)
    with pytest.raises(ValueError, match="row 0"):
        multiclass.expected_calibration_error([0], [[0.5, 0.5]], definition="top_label")
    with pytest.raises(ValueError, match="definition"):
        multiclass.expected_calibration_error([0], [[0.4, 0.6]], definition="classwise")


@pytest.mark.parametrize("metric", METRICS)
def test_classes_may_be_renamed_and_rows_reordered(metric, data):
    y, f = data
    rename, order = np.array([2, 0, 3, 1]), np.random.default_rng(1).permutation(100)
    renamed = np.empty_like(f)
    renamed[:, rename] = f
    assert metric(rename[y][order], renamed[order]) == pytest.approx(metric(y, f))


def test_an_impossible_class_costs_infinity():
    assert multiclass.log_loss([1, 0], [[1.0, 0.0], [0.5, 0.5]]) == np.inf
    assert multiclass.log_loss([1, 0], [[1.0, 0.0], [0.5, 0.5]], sample_weight=[0, 1]) == pytest.approx(np.log(2))


BAD = {"a vector": ([0, 1], [0.2, 0.8], "matrix"), "one column": ([0, 0], [[1.0], [1.0]], "matrix"),
       "no sum": ([0], [[0.2, 0.2]], "sum to 1: row 0"), "a label too many": ([2], [[0.2, 0.8]], r"y_true\[0\]"),
       "half a label": ([0.5], [[0.2, 0.8]], r"y_true\[0\]"), "NaN": ([0], [[np.nan, 1.0]], r"y_prob\[0, 0\]"),
       "negative": ([0], [[-0.1, 1.1]], r"y_prob\[0, 0\]"), "lengths": ([0, 1], [[0.2, 0.8]], "length"),
       "empty": ([], np.empty((0, 2)), "empty"), "labels from 1": ([1, 2, 3], np.eye(3), "from 0 to 2")}


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("y, f, words", BAD.values(), ids=BAD)
def test_bad_input(metric, y, f, words):
    with pytest.raises(ValueError, match=words):
        metric(y, f)


def test_rounding_makes_no_winner():
    assert multiclass.zero_one_loss([1], [[0.1 + 0.2, 0.3, 0.2, 0.2]]) == 0.5


def test_a_row_of_half_precision_is_read_alike_alone_and_in_a_batch():
    drawn = np.random.default_rng(0).dirichlet(np.ones(4), 400)
    rows = np.vstack([np.eye(4), [1, 6e-8, 0, 0], drawn]).astype(np.float16)
    together = validation.check_class_probabilities(rows)
    off = np.abs(rows.astype(float).sum(axis=1) - 1) > 1e-6
    assert off.any() and not off.all()
    for row, read in zip(rows, together, strict=True):
        assert (validation.check_class_probabilities(row[None])[0] == read).all()
