"""The scorer: right sign, right response, any labels; and clear words where an estimator does not fit."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_diabetes, load_iris
from sklearn.ensemble import RandomForestRegressor
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.linear_model import BayesianRidge, LogisticRegression
from sklearn.metrics import make_scorer
from sklearn.model_selection import GridSearchCV, KFold, TunedThresholdClassifierCV, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import pwu_lite as pwu

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 3))
Y = (X[:, 0] + RNG.normal(size=120) > 0.5).astype(int)
SCORE = pwu.PWU(pwu.BinaryDecision(), pwu.Beta(2, 10))
MODEL = LogisticRegression().fit(X, Y)


@pytest.mark.parametrize("labels, positive", [
    (np.array(["no", "yes"]), "yes"), (np.array(["yes", "well"]), "well"), (np.array([-1, 1]), 1),
    (np.array([True, False]), False), (np.array([1, 2]), 2)])
def test_any_two_labels(labels, positive):
    named = labels[Y]
    model = LogisticRegression().fit(X, named)
    ones = (named == positive).astype(int)
    place = list(model.classes_).index(positive)
    assert SCORE.scorer(pos_label=positive)(model, X, named) == -SCORE(ones, model.predict_proba(X)[:, place])
    if labels.tolist() == [-1, 1]:
        assert SCORE.scorer()(model, X, named) == SCORE.scorer(pos_label=positive)(model, X, named)


HELD = {"numpy": np.asarray, "Series": pd.Series, "objects": lambda given: np.array(given, object),
        "string": lambda given: pd.Series(given, dtype="string"),
        "categorical": lambda given: pd.Series(given).astype("category"),
        "frame": lambda given: pd.DataFrame({"y": given})}


@pytest.mark.parametrize("held", HELD)
@pytest.mark.parametrize("labels", [("CHD", "none"), (1, 2), ("a", "b"), ("no", "yes"), (3, -1), ("0", "1")])
def test_no_event_is_guessed(labels, held):
    """Whatever holds the labels: in `cross_val_score` another error than this would be a NaN."""
    named = np.array(labels)[Y]
    if held == "string" and not isinstance(labels[0], str):
        return
    plain, named = named, HELD[held](named)
    model = LogisticRegression().fit(X, plain)
    for score in (SCORE, pwu.PWU(pwu.TopK(), pwu.Beta(2, 4))):
        with pytest.raises(ValueError, match="which of the labels .* is the event"):
            score.scorer()(model, X, named)
    assert SCORE.scorer(pos_label=labels[1])(model, X, named) == SCORE.scorer(pos_label=labels[1])(model, X, plain) < 0


def test_one_threshold_is_tuned_to_the_cost():
    """As scikit-learn tunes it for a score of labels, whatever the labels are called."""
    make = make_scorer(SCORE, greater_is_better=False)
    plain = TunedThresholdClassifierCV(LogisticRegression(), scoring=make).fit(X, Y)
    for labels, positive in (((0, 1), None), (("no", "yes"), "yes"), (("ill", "well"), "well"), (("b", "a"), "a")):
        named = np.where(Y == 1, labels[1], labels[0])
        tuned = TunedThresholdClassifierCV(LogisticRegression(), scoring=SCORE.scorer(pos_label=positive)).fit(X, named)
        assert tuned.best_score_ == pytest.approx(plain.best_score_, rel=1e-9)
    with pytest.raises(ValueError, match="TopK does not act above a threshold"):
        TunedThresholdClassifierCV(LogisticRegression(), scoring=pwu.PWU(pwu.TopK(), pwu.Beta(2, 4)).scorer()).fit(X, Y)


def test_a_fold_with_one_kind_of_label_needs_the_event():
    """Labels 1 and 2, a fold of ones: taken for the event, they would be scored by the probabilities of the twos."""
    model = LogisticRegression().fit(X, Y + 1)
    with pytest.raises(ValueError, match="which of the labels"):
        SCORE.scorer()(model, X[Y == 0], (Y + 1)[Y == 0])
    assert SCORE.scorer(pos_label=2)(model, X[Y == 0], (Y + 1)[Y == 0]) < 0
    for labels, event, words in ((Y + 0.5, 0.5, "could be taken for probabilities"), (Y + 7, 1, "two labels")):
        with pytest.raises(ValueError, match=words):
            SCORE.scorer(pos_label=event)._score_func(labels, MODEL.predict_proba(X)[:, 1], pos_label=event)


def test_each_case_has_its_own_cost_share_and_amount():
    """In a cross-validation, a grid search and a tuned threshold they follow the cases into the folds."""
    rng = np.random.default_rng(5)
    share, amount = rng.uniform(0.05, 0.6, 120), rng.uniform(1, 9, 120)
    each = pwu.PWU(pwu.BinaryDecision(), pwu.Dirac(share))
    chance = MODEL.predict_proba(X)[:, 1]
    with config_context(enable_metadata_routing=True):
        found = SCORE.scorer()(MODEL, X, Y, sample_weight=amount, cost_share=share)
        assert found == -each(Y, chance, sample_weight=amount)
        scorer = SCORE.scorer().set_score_request(cost_share="share", sample_weight="amount")
        options, folds = {"share": share, "amount": amount}, KFold(4)
        found = cross_validate(LogisticRegression(), X, Y, cv=folds, scoring=scorer, params=options,
                               error_score="raise")["test_score"]
        for value, (train, test) in zip(found, folds.split(X), strict=True):
            model = LogisticRegression().fit(X[train], Y[train])
            one = pwu.PWU(pwu.BinaryDecision(), pwu.Dirac(share[test]))
            assert value == pytest.approx(-one(Y[test], model.predict_proba(X[test])[:, 1],
                                               sample_weight=amount[test]), rel=1e-12)
        search = GridSearchCV(LogisticRegression(), {"C": [0.1, 10]}, cv=folds, scoring=scorer, error_score="raise")
        assert search.fit(X, Y, **options).best_score_ >= found.mean() - 0.1
        tuned = TunedThresholdClassifierCV(LogisticRegression(), scoring=scorer, cv=folds).fit(X, Y, **options)
        assert tuned.best_score_ < 0
        assert tuned.best_threshold_ != TunedThresholdClassifierCV(
            LogisticRegression(), scoring=SCORE.scorer(), cv=folds).fit(X, Y).best_threshold_
    top = pwu.PWU(pwu.TopK(), pwu.Beta(2, 4)).scorer()
    with config_context(enable_metadata_routing=True):
        for wrong, words in ((np.full(120, 1.0), "at|must|domain|outside"), (share[:5], "for 5 cases")):
            with pytest.raises(ValueError, match=words):
                SCORE.scorer()(MODEL, X, Y, cost_share=wrong)
        with pytest.raises(ValueError, match="no cost share"):
            top(MODEL, X, Y, cost_share=share)


@pytest.mark.slow
def test_nested_calibration_and_several_metrics():
    model = CalibratedClassifierCV(make_pipeline(StandardScaler(), LogisticRegression()), cv=3)
    found = cross_validate(model, X, Y, cv=3, error_score="raise",
                           scoring={"pwu": SCORE.scorer(), "top": pwu.PWU(pwu.TopK(), pwu.Beta(2, 4)).scorer()})
    assert np.isfinite(found["test_pwu"]).all() and (found["test_top"] > 0).all()


def test_weights_are_routed():
    weight = RNG.uniform(0.5, 2, 120)
    assert SCORE.scorer()(MODEL, X, Y, sample_weight=weight) == -SCORE(Y, MODEL.predict_proba(X)[:, 1],
                                                                    sample_weight=weight)
    with config_context(enable_metadata_routing=True):
        scorer = SCORE.scorer().set_score_request(sample_weight=True)
        model = LogisticRegression().set_fit_request(sample_weight=False)
        weighed = cross_val_score(model, X, Y, scoring=scorer, params={"sample_weight": weight}, error_score="raise")
        plain = cross_val_score(model, X, Y, scoring=SCORE.scorer(), error_score="raise")
    assert (weighed != plain).all()


def test_top_k_ranks_by_a_decision_function():
    top = pwu.PWU(pwu.TopK(), pwu.Beta(2, 4))
    svm = LinearSVC().fit(X, Y)
    values = svm.decision_function(X)
    squeezed = (values - values.min()) / np.ptp(values)
    assert top.scorer()(svm, X, Y) == pytest.approx(-top(Y, squeezed))
    turned = top.scorer(pos_label=0)(svm, X, Y)
    assert turned == pytest.approx(-top(1 - Y, 1 - squeezed))
    flat = LinearSVC().fit(X, Y)
    flat.coef_, flat.intercept_ = 0 * flat.coef_, 0 * flat.intercept_
    tied = top.scorer()(flat, X, Y)
    assert tied == pytest.approx(Y.mean())


@pytest.mark.slow
def test_several_classes_follow_the_estimators_order():
    iris = load_iris()
    names = iris.target_names[iris.target]
    model = LogisticRegression(max_iter=500).fit(iris.data, names)
    score = pwu.PWU(pwu.OneVsRest(pwu.BinaryDecision()), pwu.Beta(2, 4))
    assert score.scorer()(model, iris.data, names) == -score(iris.target, model.predict_proba(iris.data))


def test_regressors_that_return_a_standard_deviation():
    features, target = load_diabetes(return_X_y=True)
    score = pwu.PWU(pwu.SelectivePrediction(), pwu.Beta(2, 4, scale=10_000))
    model = make_pipeline(StandardScaler(), BayesianRidge()).fit(features, target)
    assert score.scorer()(model, features, target) == -score(target, *model.predict(features, return_std=True))
    process = GaussianProcessRegressor(alpha=1.0, optimizer=None).fit(features[:50], target[:50])
    assert score.scorer()(process, features[:50], target[:50]) < 0
    with pytest.raises(ValueError, match="RandomForestRegressor"):
        score.scorer()(RandomForestRegressor(2).fit(features, target), features, target)


@pytest.mark.parametrize("call, words", [
    (lambda: SCORE.scorer(pos_label="ill")(MODEL, X, Y), "ill"),
    (lambda: SCORE.scorer()(MODEL, X, Y + 7), "which of the labels"),
    (lambda: SCORE.scorer()(LogisticRegression().fit(X, np.arange(120) % 3), X, Y), "y_prob"),
    (lambda: pwu.PWU(pwu.OneVsRest(pwu.BinaryDecision()), pwu.Beta(2, 4)).scorer()(MODEL, X, Y + 7), r"y_true\[0\]"),
    (lambda: pwu.PWU(pwu.Retention(), pwu.Uniform(0, 1)).scorer(), "which no scikit-learn"),
    (lambda: pwu.PWU(pwu.BinaryDecision(), pwu.Dirac([0.2] * 5)).scorer(), "for each case")])
def test_what_does_not_fit_is_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_it_can_be_pickled_and_printed():
    copied = pickle.loads(pickle.dumps(SCORE.scorer(pos_label=1)))
    assert copied(MODEL, X, Y) == SCORE.scorer()(MODEL, X, Y) and "pos_label=1" in repr(copied)
    several = pwu.PWU(pwu.SelectivePrediction(), pwu.Beta(2, 4)).scorer()
    assert pickle.loads(pickle.dumps(several)) == several and "SelectivePrediction" in repr(several)


def test_labels_that_are_missing_or_masked_are_refused():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 1)), np.arange(60) % 3
    for labels, score in ((y, pwu.PWU(pwu.CostMatrix(1 - np.eye(3)))), (y % 2, pwu.PWU(pwu.BinaryDecision(),
                                                                                      pwu.Beta(2, 10)))):
        estimator = LogisticRegression().fit(X, labels)
        with pytest.raises(ValueError, match="masked"):
            score.scorer()(estimator, X, np.ma.array(labels, mask=labels == 0))
        with pytest.raises(ValueError, match=r"y_true\[0\] is missing"):
            score.scorer()(estimator, X, np.array([pd.NA, *labels[1:]], dtype=object))


@pytest.mark.parametrize("low, high", [(False, True), (0, 1), (-1, 1), (0.0, 1.0)])
def test_a_fold_of_one_class_has_a_cost(low, high):
    rng = np.random.default_rng(0)
    x = rng.random(200)
    score, labels = pwu.PWU(pwu.BinaryDecision(), 0.2), np.where(rng.random(200) < x, high, low)
    model = LogisticRegression().fit(x[:, None], labels)
    for label in (low, high) if high is True else (low,):
        rows = x[labels == label][:, None]
        expected = score(np.full(len(rows), int(label == high)), model.predict_proba(rows)[:, 1])
        assert score.scorer()(model, rows, np.full(len(rows), label)) == pytest.approx(-expected)
