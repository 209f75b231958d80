"""Every public function against bad data: a ValueError that names the argument, never a number."""

import functools
import pickle

import numpy as np
import pandas as pd
import pytest

import pwu_desk
import pwu_lite as pwu
from pwu_book import figures, imprecise, unique
from pwu_desk import robust
from pwu_lite import forecasts, metrics, plots, reporting, validation
from pwu_lite.alignment import kendall_tau, somers_d

INF, NAN = float("inf"), float("nan")


def functions(task):
    """Name and callable of everything that takes labels and a prediction."""
    named = {name: m
             for (kind, name), m in metrics.REGISTRY.items() if kind == task}
    if task == "binary":
        scores = {"PWU": pwu.PWU(pwu.BinaryDecision(), pwu.Beta(2, 10)),
                  "PWU top-k": pwu.PWU(pwu.TopK(), pwu.Beta(1.2, 20.8))}
        thetas = {"PWU": 0.3, "PWU top-k": 2}
    else:
        gamma = pwu.Beta(2, 6)
        scores = {"PWU": pwu.PWU(pwu.SelectivePrediction(), pwu.Gamma(2, 1)),
                  "PWU risk": pwu.PWU(pwu.RiskAverseTopK(), pwu.Beta(1.2, 20.8), gamma)}
        thetas = {"PWU": 0.3, "PWU risk": (2, 0.5)}
    for name, score in scores.items():
        named[name] = score
        named[f"{name}.curve"] = functools.partial(score.curve, thetas=[thetas[name]])
        named[f"{name}.utility"] = functools.partial(score.family.utility, thetas[name])
    named["PWU.per_sample"] = scores["PWU"].per_sample
    return named


Y, F = [0, 1, 1, 0], [0.2, 0.9, 0.4, 0.1]
T, M, S = [0.5, 1.0, -1.0, 2.0], [0.4, 1.2, -0.7, 2.5], [0.3, 0.5, 1.0, 2.0]
BAD_BINARY = {
    "NaN probability": (Y, [0.2, NAN, 0.4, 0.1], r"y_prob\[1\]"),
    "NaN label": ([0, 1, NAN, 0], F, r"y_true\[2\]"),
    "infinity": (Y, [0.2, 0.9, INF, 0.1], r"y_prob\[2\]"),
    "wrong length": (Y, F[:3], "length"),
    "class probabilities": (Y, np.column_stack([1 - np.array(F), F]), r"\[:, 1\]"),
    "matrix": (Y, np.ones((2, 2, 1)), "one-dimensional"),
    "above one": (Y, [0.2, 1.1, 0.4, 0.1], r"y_prob\[1\].*1.1"),
    "below zero": (Y, [0.2, 0.9, 0.4, -1e-9], r"y_prob\[3\]"),
    "labels -1 and 1": ([-1, 1, 1, -1], F, r"y_true\[0\]"),
    "labels 1 and 2": ([1, 2, 1, 2], F, r"y_true\[1\]"),
    "empty": ([], [], "empty"),
    "swapped": (F, Y, "swapped"),
    "strings": (["no", "yes", "yes", "no"], F, "numeric"),
    "numbers as text": (Y, ["0.2", "0.9", "0.4", "0.1"], "numeric"),
    "text objects": (Y, np.array(["0.2", 0.9, 0.4, 0.1], dtype=object), "numeric"),
    "None": (Y, None, "y_prob"),
    "scalar": (1, 0.5, "one-dimensional"),
    "complex": (Y, np.array(F) + 1j, "numeric"),
    "dates": (Y, np.array(["2020-01-01"] * 4, dtype="datetime64[D]"), "numeric"),
    "masked": (Y, np.ma.array(F, mask=[0, 1, 0, 0]), "masked"),
    "missing in pandas": (Y, pd.Series([0.2, None, 0.4, 0.1], dtype="Float64"), "y_prob"),
    "a frame": (Y, pd.DataFrame({"a": F, "b": F}), "one-dimensional"),
    "too large": (Y, [0.2, 10**400, 0.4, 0.1], "y_prob"),
    "ragged": (Y, [[0.1], [0.2, 0.3], [0.4], [0.5]], "y_prob"),
}
BAD_REGRESSION = {
    "NaN mean": (T, [0.4, NAN, 1, 1], S, r"mean\[1\]"),
    "NaN target": ([NAN, 1, 1, 1], M, S, r"y_true\[0\]"),
    "infinite std": (T, M, [0.3, 0.5, 1.0, INF], r"std\[3\]"),
    "zero std": (T, M, [0.3, 0.0, 1.0, 2.0], r"std\[1\]"),
    "negative std": (T, M, [0.3, 0.5, -1.0, 2.0], r"std\[2\].*-1"),
    "wrong length": (T, M, S[:3], "length"),
    "matrix": (T, np.ones((4, 2)), S, "one-dimensional"),
    "empty": ([], [], [], "empty"),
    "swapped": (M, S, T, "std"),
    "strings": (T, list("abcd"), S, "numeric"),
    "scalar": (1.0, 1.0, 1.0, "one-dimensional"),
    "masked": (T, M, np.ma.array(S, mask=[1, 0, 0, 0]), "masked"),
}


@pytest.mark.parametrize("name", functions("binary"))
@pytest.mark.parametrize("bad", BAD_BINARY)
def test_bad_binary_data(name, bad):
    *data, words = BAD_BINARY[bad]
    with pytest.raises(ValueError, match=words):
        functions("binary")[name](*data)


@pytest.mark.parametrize("name", functions("regression"))
@pytest.mark.parametrize("bad", BAD_REGRESSION)
def test_bad_regression_data(name, bad):
    *data, words = BAD_REGRESSION[bad]
    with pytest.raises(ValueError, match=words):
        functions("regression")[name](*data)


@pytest.mark.parametrize("task, data", [("binary", (Y, F)), ("regression", (T, M, S))])
def test_pandas_is_read_by_position_and_columns_are_flattened(task, data):
    labelled = [pd.Series(column, index=order) for column, order in zip(
        data, ([3, 1, 0, 2], [10, 11, 12, 13], list("abcd")), strict=False)]
    columns = [np.reshape(column, (-1, 1)) for column in data]
    for run in functions(task).values():
        expected = np.asarray(run(*data))
        np.testing.assert_array_equal(run(*labelled), expected)
        np.testing.assert_array_equal(run(*columns), expected)


@pytest.mark.parametrize("labels", [[0, 1, 2, 3], list("abcd"), pd.date_range("2026-01-01", periods=4)],
                         ids=["numbers", "text", "dates"])
@pytest.mark.parametrize("task, data", [("binary", (Y, F)), ("regression", (T, M, S))])
def test_the_same_labels_in_another_order_are_refused(task, data, labels):
    index = pd.Index(labels)
    for place in range(1, len(data)):
        given = [pd.Series(column, index=index) for column in data]
        given[place] = given[place].set_axis(index[[3, 1, 0, 2]])
        for name, run in functions(task).items():
            with pytest.raises(ValueError, match="in different orders, at position 0"):
                run(*given)
                pytest.fail(f"{name} reads by position")


def test_everything_that_goes_with_the_labels_is_refused_in_another_order():
    y, f = pd.Series(Y), pd.Series(F)
    turned = pd.Series([1.0, 2, 3, 4], index=[3, 1, 0, 2])
    score = pwu.PWU(pwu.BinaryDecision(), pwu.Beta(2, 10))
    for call in (lambda: score(y, f, sample_weight=turned),
                 lambda: score.curve(y, f, thetas=[0.2], sample_weight=turned),
                 lambda: metrics.classification.brier_score(y, f, sample_weight=turned),
                 lambda: pwu.compare(y, {"a": f}, score, groups=turned, n_resamples=5),
                 lambda: pwu.compare(y, {"a": f}, score, sample_weight=turned, n_resamples=5),
                 lambda: pwu.compare(y, {"a": f, "b": turned / 5}, score, n_resamples=5),
                 lambda: pwu.compare(y, pd.DataFrame({"a": f}).loc[[3, 1, 0, 2]], score, n_resamples=5),
                 lambda: score(Y, f, sample_weight=turned),
                 lambda: metrics.classification.brier_score(Y, f, sample_weight=turned),
                 lambda: pwu.Answers().act(0.5, f, turned / 5),
                 *(lambda call=call: call(pwu.BinaryDecision(), pwu.Beta(2, 10), Y, f, F, sample_weight=turned)
                   for call in (robust.preference, robust.radius)),
                 lambda: robust.preference(pwu.BinaryDecision(), pwu.Beta(2, 10), Y, f, turned / 5),
                 lambda: robust.radius(pwu.BinaryDecision(), pwu.Beta(2, 10), Y, f, F, groups=turned, repeats=5),
                 lambda: robust.interval(pwu.BinaryDecision(), pwu.Beta(2, 10), Y, f, sample_weight=turned),
                 lambda: robust.order(pwu.BinaryDecision(), pwu.Beta(2, 10), Y, {"a": F, "b": f}, sample_weight=turned),
                 lambda: robust.cost_curve(pwu.BinaryDecision(), Y, f, sample_weight=turned),
                 lambda: plots.murphy(score, Y, {"a": f, "b": turned / 5}, thetas=[0.2], band=None),
                 lambda: plots.murphy(score, Y, {"a": f}, thetas=[0.2], groups=turned),
                 lambda: figures.retention_curve(f, {"a": turned}), lambda: forecasts.from_variance(f, turned),
                 lambda: reporting.decompose(score, Y, f, sample_weight=turned),
                 lambda: reporting.recalibrated(Y, f, sample_weight=turned),
                 lambda: imprecise.by_group(score, Y, f, groups=turned),
                 lambda: imprecise.calibration_by_group(0.5, Y, f, f, turned),
                 lambda: pwu_desk.from_decisions(F, y, groups=turned),
                 lambda: pwu_desk.from_decisions(f, turned > 2), lambda: forecasts.ipcw(turned, y, horizon=2.5),
                 lambda: robust.missing_labels(pwu.BinaryDecision(), pwu.Beta(2, 10), y, turned / 5, f),
                 lambda: unique.unique_benchmarks(y, turned, {"u": f}, n_resamples=5),
                 lambda: unique.unique_benchmarks(y, f, {"u": turned}, n_resamples=5)):
        with pytest.raises(ValueError, match="in different orders"):
            call()


@pytest.mark.parametrize("called", [[2, 0, 1], ["2", "0", "1"], [1.0, 0.0, 2.0]])
def test_columns_called_by_the_numbers_of_classes_are_in_their_order(called):
    table, costs = pd.DataFrame([[0.7, 0.2, 0.1]] * 3, columns=called), 1 - np.eye(3)
    for call in (lambda: metrics.multiclass.log_loss([0, 1, 2], table),
                 lambda: pwu.PWU(pwu.RejectOption(3), pwu.Uniform(0, 1))([0, 1, 2], table),
                 lambda: pwu.CostMatrix(pd.DataFrame(costs, columns=called))):
        with pytest.raises(ValueError, match="in order"):
            call()
    assert metrics.multiclass.log_loss([0, 1, 2], table[sorted(table)]) == pytest.approx(-np.log(0.7 * 0.2 * 0.1) / 3)
    assert metrics.multiclass.log_loss([0, 1, 2], table.set_axis([1, 2, 3], axis=1)) > 0


def test_a_group_keeps_the_names_of_classes():
    costs = pd.DataFrame([[0, 10.0], [2, 1]], columns=["well", "ill"])
    score = pwu.PWU(pwu.CostMatrix(costs))
    table = pd.DataFrame({"ill": [0.1, 0.8, 0.3, 0.9], "well": [0.9, 0.2, 0.7, 0.1]})
    y = ["well", "ill", "ill", "ill"]
    found = imprecise.by_group(score, y, table, groups=["a", "a", "b", "b"])["score"]
    assert found["a"] == score(y[:2], table[:2]) and found["b"] == score(y[2:], table[2:])


def test_labels_that_are_not_the_same_go_by_position():
    """Parts of two data frames, a repeated label as often as in the other, labels of two levels and of one."""
    for one, two in (([0, 1, 2], [3, 4, 5]), ([0, 0, 1], [0, 1, 1]), ([1.0, 2.0], [1, 2]), ([np.nan, 1], [np.nan, 1]),
                     ([("a", 1), ("a", 2)], [1, 2])):
        validation.same_order(one=pd.Series(0, index=pd.Index(one)), two=pd.Series(0, index=pd.Index(two)))
    repeated = [pd.Series(0, index=pd.Index(labels)) for labels in ([0, 0, 1], [0, 1, 0])]
    with pytest.raises(ValueError, match="at position 1 0 and 1"):
        validation.same_order(one=repeated[0], two=repeated[1])


@pytest.mark.parametrize("task, data", [("binary", (Y, F)), ("regression", (T, M, S))])
@pytest.mark.parametrize("weight, words", [
    ([1, 1, 1], "length"), ([1, 1, 1, -1], r"sample_weight\[3\]"), ([0, 0, 0, 0], "zero"),
    ([1, NAN, 1, 1], r"sample_weight\[1\]"), (["a"] * 4, "numeric"), (2.0, "one-dimensional")])
def test_bad_weights(task, data, weight, words):
    for (kind, _), metric in metrics.REGISTRY.items():
        if kind == task:
            with pytest.raises(ValueError, match=words if metric.separable else "sample_weight"):
                metric(*data, sample_weight=weight)
    family = pwu.BinaryDecision() if task == "binary" else pwu.SelectivePrediction()
    with pytest.raises(ValueError, match=words):
        pwu.PWU(family, pwu.Beta(2, 10))(*data, sample_weight=weight)


@pytest.mark.parametrize("family, theta", [
    (pwu.BinaryDecision(), 0), (pwu.BinaryDecision(), 1), (pwu.BinaryDecision(), NAN),
    (pwu.BinaryDecision(), "x"), (pwu.BinaryDecision(), [0.2, 1.5]),
    (pwu.TopK(), 0), (pwu.TopK(), 5), (pwu.TopK(), 1.5), (pwu.TopK(), NAN), (pwu.TopK(), True + 0.5),
    (pwu.SelectivePrediction(), 0), (pwu.SelectivePrediction(), -1), (pwu.SelectivePrediction(), INF),
    (pwu.RiskAverseTopK(), (0, 1)), (pwu.RiskAverseTopK(), (1, 0)), (pwu.RiskAverseTopK(), (9, 1)),
    (pwu.RiskAverseTopK(), ("1", "0.5")), (pwu.RiskAverseTopK(), {}),
    (pwu.RiskAverseTopK(), 3), (pwu.RiskAverseTopK(), (1, NAN)), (pwu.RiskAverseTopK(), (1, 2, 3))])
def test_bad_thetas(family, theta):
    with pytest.raises(ValueError):
        family.utility(theta, *((Y, F) if family.takes == ("y_prob",) else (T, M, S)))


@pytest.mark.parametrize("family, theta", [(pwu.BinaryDecision(), 0.2), (pwu.TopK(), 1)])
@pytest.mark.parametrize("f", [[0.2, NAN], [0.2, 1.2], [], [[0.1, 0.9]], ["a"]])
def test_bad_forecasts_to_act_on(family, theta, f):
    with pytest.raises(ValueError):
        family.act(theta, f)


@pytest.mark.parametrize("run", [
    lambda: metrics.classification.expected_calibration_error(Y, F, n_bins=0),
    lambda: metrics.classification.expected_calibration_error(Y, F, n_bins=2.5),
    lambda: metrics.classification.maximum_calibration_error(Y, F, n_bins=NAN),
    lambda: metrics.classification.retention_auc(Y, F, definition="mine"),
    lambda: metrics.classification.winkler_loss(Y, F, c=0),
    lambda: metrics.classification.winkler_loss(Y, F, c=1.0),
    lambda: metrics.regression.pinball_loss(T, M, S, level=1),
    lambda: metrics.regression.interval_score(T, M, S, coverage=0),
    lambda: metrics.regression.expected_calibration_error(T, M, S, coverages=(0.5, 1.0)),
    lambda: metrics.regression.expected_calibration_error(T, M, S, coverages=()),
    lambda: metrics.regression.error_detection_auroc(T, M, S, tolerance=-0.1),
    lambda: metrics.regression.retention_auc(T, M, S, definition=None),
    lambda: pwu.BinaryDecision().act([0.2, 0.9], [0.5, 0.95]),
    lambda: pwu.SelectivePrediction().act([0.2, 0.9], [1, 2], [1, 1]),
    lambda: pwu.TopK().act([1, 2], [0.5, 0.95]),
    lambda: pwu.RiskAverseTopK().act([(1, 1), (2, 1)], [1, 2], [1, 1]),
    lambda: pwu.BinaryDecision().utility(np.ma.array([0.1, 0.3], mask=[0, 1]), Y, F),
    lambda: kendall_tau([1, NAN], [1, 2]), lambda: kendall_tau([1, 2, 3], [1, 2]), lambda: kendall_tau([1], [1]),
    lambda: kendall_tau([], []), lambda: kendall_tau(["a", "b"], [1, 2]), lambda: kendall_tau([[1, 2]], [1, 2]),
    lambda: somers_d([1, INF], [1, 2]), lambda: somers_d([1, 2], [1, 2, 3]),
    lambda: figures.reliability([0, 2], [0.1, 0.2]), lambda: figures.reliability([0, 1], [0.1, NAN]),
    lambda: figures.retention_curve([0, NAN], {"entropy": [1, 2]}),
])
def test_bad_options_thetas_and_values(run):
    with pytest.raises(ValueError):
        run()


class Tensor:
    """As torch's tensors with gradients refuse to become arrays."""

    def __init__(self, error):
        self.error = error

    def __array__(self, *_, **__):
        raise self.error("call detach first")


@pytest.mark.parametrize("values, words", [
    ([np.ma.array([0.9], mask=[True]), np.ma.array([0.2])], "masked"), (Tensor(RuntimeError), "detach"),
    (Tensor(TypeError), "detach"), ([0.2, "x"], r"y_prob\[1\] is 'x'"),
    (np.array([0.2, pd.NA], dtype=object), r"y_prob\[1\]"),
    ([0.2, 10**400], r"y_prob\[1\]"), ([0.2, None], r"y_prob\[1\]")])
def test_values_that_are_no_numbers_are_named_with_their_place(values, words):
    with pytest.raises(ValueError, match=words):
        metrics.classification.brier_score([1, 0], values)


@pytest.mark.parametrize("call, words", [
    (lambda: metrics.classification.expected_calibration_error(Y, F, n_bins=10**12), "at most 1,000,000"),
    (lambda: metrics.classification.retention_auc(Y, F, definition=np.array(["a"])), "definition"),
    (lambda: metrics.regression.mean_absolute_calibration_error(T, M, S, coverages=[0.5, 1.2]), r"coverages\[1\]"),
    (lambda: metrics.regression.interval_score(T, M, S, coverage=1.5), "coverage"),
    (lambda: pwu.Mixture([pwu.Beta(2, 2), pwu.Dirac(0.1)], [1.2, -0.2]), r"weights\[1\]"),
    (lambda: figures.reliability(Y, F, n_bins=2.5), "n_bins"),
    (lambda: figures.retention_curve([1, 0], {"a": [1, 2, 3]}), "length"),
    (lambda: pwu.PWU(pwu.SelectivePrediction(), pwu.Gamma(2, 1))([1, 2], [1, 2]), "mean, std"),
    (lambda: pwu.BinaryDecision().utility(0.2, [1, 0]), "y_prob"),
    (lambda: pwu.SelectivePrediction().act(0.2, [1, 2, 3], [1, 2]), "std"),
    (lambda: pwu.PWU(pwu.BinaryDecision(), pwu.Beta(2, 10))(["yes", "no"], [0.2, 0.3]), "y_true == the label"),
    (lambda: pwu.PWU(pwu.BinaryDecision(), pwu.Beta(2, 10))([-1, 1], [0.2, 0.3]), "y_true == 1")], ids=range(12))
def test_messages_say_what_is_wrong(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_no_weight_vanishes():
    assert metrics.classification.log_loss([1, 1], [0, 0.5], sample_weight=[1e-200, 1e200]) == INF


@pytest.mark.parametrize("coverage, width", [(1 - 1e-12, 14.261019644), (1e-17, 2.5066282746e-17), (0.9, 3.289707)])
def test_intervals_near_both_ends(coverage, width):
    assert metrics.regression.interval_score([0.0], [0.0], [1.0], coverage=coverage) == pytest.approx(width, rel=1e-6)


def test_how_far_a_target_is_off_counts_from_its_mean():
    def several(y, mean, std):
        return metrics.multivariate.gaussian_nll([y], [mean], [[[std[0] ** 2]]])

    for score in (metrics.regression.gaussian_nll, several):
        assert np.isfinite(score([1e20], [1e20], [1e-139]))
        with pytest.raises(ValueError, match="standard deviations away"):
            score([-1e20], [1e20], [1e-121])


class Labelled(np.ndarray):
    """As xarray has it: a dimension called "index" is an attribute that can be compared, and is no pandas index."""

    @property
    def index(self):
        return type("Coordinate", (), {"equals": lambda self, other: False, "tolist": lambda self: [2, 1, 0]})()


def test_a_coordinate_called_index_is_no_index_of_pandas():
    y, f = np.array([1, 0, 1]), np.array([0.9, 0.2, 0.4]).view(Labelled)
    score = pwu.PWU(pwu.BinaryDecision(), pwu.Beta(2, 10))
    assert score(y.view(Labelled), f) == score(y, np.asarray(f))
    assert score(pd.Series(y, index=[0, 1, 2]), f) == score(y, np.asarray(f))
    table = pwu.compare(y.view(Labelled), {"a": f, "b": f}, score, n_resamples=9).table
    assert len(table) == 2
    tally = pwu_desk.Tally()
    tally.update(y.view(Labelled), f)
    assert len(tally) == 3


def test_prices_and_weights_with_the_labels_in_another_order_are_refused():
    """A price for each case that a Series brought keeps its labels; so do the weights of a scorer."""
    from sklearn.linear_model import LogisticRegression

    y = pd.Series([1, 0, 1, 0], index=list("abcd"))
    p, c = pd.Series([0.9, 0.2, 0.6, 0.4], index=y.index), pd.Series([0.1, 0.2, 0.3, 0.4], index=list("dcba"))
    same, other = (pwu.PWU(pwu.BinaryDecision(), pwu.Dirac(price)) for price in (c.loc[y.index], c))
    plain = pwu.PWU(pwu.BinaryDecision(), pwu.Dirac(c.loc[y.index].to_numpy()))
    assert same == plain and hash(same) == hash(plain) and same(y, p) == plain(y, p)
    assert pickle.loads(pickle.dumps(same))(y, p) == plain(y, p)
    model = LogisticRegression().fit(p.to_frame(), y)
    scorer = pwu.PWU(pwu.BinaryDecision(), 0.2).scorer()
    for wrong in (lambda: other(y, p), lambda: other.per_sample(y, p),
                  lambda: pickle.loads(pickle.dumps(other))(y, p), lambda: pwu.compare(y, {"a": p}, other),
                  lambda: scorer(model, p.to_frame(), y, sample_weight=c),
                  lambda: pwu.scorer._Cost(same)(y, p, cost_share=c)):
        with pytest.raises(ValueError, match="same index labels in different orders.*loc\\[y_true.index\\]"):
            wrong()
    with pytest.raises(ValueError, match="low and high have the same index labels in different orders"):
        pwu.Uniform(c, (c + 0.1)[::-1])
