"""Eight common scores as voters: values of scikit-learn, ties, weights, and the sentence."""

import json

import numpy as np
import pytest
from sklearn import metrics

from pwu_desk import command, report, votes
from pwu_lite import PWU, Beta, BinaryDecision, Dirac, Newsvendor, compare


@pytest.fixture
def cases():
    rng = np.random.default_rng(3)
    p = np.round(np.clip(rng.beta(1, 3, 400), 0.01, 0.99), 2)  # with ties
    return (rng.random(400) < p).astype(int), {"keen": p, "shy": np.round(0.5 * p + 0.1, 2)}


def of(cases, score, **options):
    return compare(*cases, score, n_resamples=200, **options)


def test_the_scores_are_those_of_scikit_learn(cases):
    y, models = cases
    found = votes.scores(of(cases, PWU(BinaryDecision(), Beta(2, 10))), PWU(BinaryDecision(), Beta(2, 10)))
    assert len(found) == 8
    for name, f in models.items():
        for label, theirs in (("AUROC (higher is better)", metrics.roc_auc_score(y, f)),
                              ("Brier score", np.mean((y - f)**2)),
                              ("Average precision (higher is better)", metrics.average_precision_score(y, f)),
                              ("F1 (higher is better)", metrics.f1_score(y, f >= 0.5)),
                              ("Log loss", metrics.log_loss(y, f))):
            assert found[label][name] == pytest.approx(theirs, rel=1e-12)


def test_a_shared_first_place_is_no_vote(cases):
    y, models = cases
    score = PWU(BinaryDecision(), Beta(2, 10))
    first = votes.of(compare(y, {"a": models["keen"], "b": models["keen"]}, score, n_resamples=200), score)
    assert len(first) == 8 and set(first.values()) == {None}
    told = "".join(report.parts(compare(y, {"a": models["keen"], "b": models["keen"]}, score, n_resamples=200)))
    assert "common scores put" not in told  # neither costs least


def test_rounding_is_no_vote():
    assert votes.votes({"Brier score": {"a": 0.1 + 0.2, "b": 0.3}}) == {"Brier score": None}


def test_the_model_that_costs_least_need_not_be_the_one_that_most_prefer(cases):
    y, _ = cases
    rng = np.random.default_rng(5)
    risky = np.where(y == 1, 0.45, 0.02 + 0.1 * rng.random(len(y)))  # misses nobody at a low threshold
    sharp = np.where(y == 1, np.where(rng.random(len(y)) < 0.9, 0.99, 0.005), 0.002)
    score = PWU(BinaryDecision(), Dirac(0.03))
    result = of((y, {"risky": risky, "sharp": sharp}), score)
    first = votes.of(result, score)
    cheapest = result.table["cost"].idxmin()
    told = votes.said(first, cheapest)
    own = [label for label, name in first.items() if name == cheapest]
    assert f"{len(own)} of 8 common scores put {cheapest} first" in told and 0 < len(own) < 8
    assert told in "".join(report.parts(result))
    for label, name in first.items():
        mine, others = told.split(". ", 1)
        assert label in (mine if name == cheapest else others)


def test_weights_leave_the_scores_that_can_be_weighted(cases):
    score = PWU(BinaryDecision(), Beta(2, 10))
    weighted = of(cases, score, sample_weight=np.arange(1, 401))
    assert set(votes.of(weighted, score)) == {"Log loss", "Brier score", "0-1 loss"}


def test_other_decisions_and_single_models_have_no_votes(cases):
    y, models = cases
    score = PWU(Newsvendor(levels=(0.1, 0.9)), Beta(2, 2))
    orders = {name: np.column_stack([f, f + 1]) for name, f in models.items()}
    assert votes.of(compare(y.astype(float), orders, score, n_resamples=200), score) == {}
    score = PWU(BinaryDecision(), Beta(2, 10))
    assert votes.of(compare(y, {"keen": models["keen"]}, score, n_resamples=200), score) == {}


def test_the_json_names_the_votes(cases, tmp_path, capsys):
    y, models = cases
    path = tmp_path / "cases.csv"
    np.savetxt(path, np.column_stack([y, *models.values()]), delimiter=",", fmt="%g", header="y,keen,shy", comments="")
    command.main(["compare", str(path), "--truth", "y", "--event", "1", "--ratio", "3:30", "--json"])
    told = json.loads(capsys.readouterr().out)["votes"]
    assert len(told) == 8 and set(told.values()) <= {"keen", "shy", None}
