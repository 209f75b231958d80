"""Evidence for a lead: errors by hand, verdicts that every source allows, recalibration that sees no outcome."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit, logit
from scipy.stats import t

from pwu_book.runs import align, read, recalibration
from pwu_book.runs.grid import Prediction
from pwu_book.runs.tasks import BINARY, MULTICLASS, REGRESSION

T2 = t.ppf(0.975, 2)  # three models
SETS = ["all", "without a", "without b", "without c", "without the worst two", "two more"]


def tables(own, groups=(0.5,) * 10, rival=0.3):
    """Tables of models and cases of one data set, in which the rival is always the same."""
    keys = {"dataset": "one", "suite": "as forecast", "scheme": "same", "family": "binary"}
    others = (("brier_score", rival), ("log_loss", rival - 0.1), ("itself", 1))
    models = [{**keys, "models": name, "metric": metric, "expected_d": value} for name, d in zip(SETS, own, strict=True)
              for metric, value in (("pwu_binary", d), *others)]
    cases = [{**keys, "group": group, "metric": metric, "expected_d": value} for group, d in enumerate(groups)
             for metric, value in (("pwu_binary", d), *others)]
    return pd.DataFrame(models), pd.DataFrame(cases)


def lead(*arguments, **options):
    both = tables(*arguments)
    return read.leads(*both, "binary", "pwu_binary", among=["log_loss", "brier_score"], **options).loc["one"]


def test_a_lead_is_over_the_best_other_and_its_error_is_the_jackknife():
    row = lead([0.5, 0.4, 0.5, 0.6, 0.5, 0.5])
    assert row["rival"] == "Brier" and row["lead"] == pytest.approx(0.2)
    assert row["models"] == pytest.approx(np.sqrt(2 / 3 * (0.1**2 + 0.1**2))) and row["cases"] == 0
    assert row["high"] - row["low"] == pytest.approx(2 * T2 * row["models"])


def test_the_error_of_cases_is_the_jackknife_over_groups():
    values = np.linspace(0.4, 0.6, 10)
    row = lead([0.5] * 6, values)
    assert row["cases"] == pytest.approx(np.sqrt(9 / 10 * ((values - 0.5) ** 2).sum()))


@pytest.mark.parametrize("own, word", [
    ([0.5] * 6, "ahead"), ([0.1] * 6, "behind"), ([0.31] * 6, "level"),
    ([0.5, 0.5, 0.5, 0.5, 0.2, 0.5], "cannot tell"),  # the two worst models made it
    ([0.5, 0.5, 0.5, 0.5, 0.5, 0.2], "cannot tell"),  # two more models take it away
    ([0.1, 0.1, 0.1, 0.1, 0.5, 0.1], "cannot tell"),
    ([0.5, 0.9, 0.1, 0.5, 0.5, 0.5], "cannot tell")])
def test_a_verdict_is_what_every_source_allows(own, word):
    assert lead(own)["verdict"] == word


def test_a_fixed_rival_is_not_chosen_in_hindsight():
    assert lead([0.5] * 6, (0.5,) * 10, 0.3, rival="log_loss")["lead"] == pytest.approx(0.3)
    both = tables([0.5, 0.4, 0.5, 0.6, 0.5, 0.5])
    row = read.against(*both, "binary", "pwu_binary", ["log_loss"], "same").loc["Log loss"]
    assert row["median"] == pytest.approx(0.3) and row["ahead on"] == row["of"] == 1
    assert row["high"] - row["median"] == pytest.approx(T2 * np.sqrt(2 / 3 * 0.02))


def test_two_sets_of_models_share_their_cases():
    """Cases that move both leads alike move no difference; models of the two sets are left out independently."""
    groups = np.linspace(0.4, 0.6, 10)
    first, second = tables([0.5, 0.4, 0.5, 0.6, 0.5, 0.5], groups), tables([0.7, 0.6, 0.7, 0.8, 0.7, 0.7], groups + 0.2)
    row = read.between(first, second, "binary", "pwu_binary", "log_loss", "same")
    assert row["median"] == pytest.approx(-0.2)
    assert row["high"] - row["median"] == pytest.approx(T2 * np.sqrt(2 * 2 / 3 * 0.02))
    alone = tables([0.7, 0.6, 0.7, 0.8, 0.7, 0.7], [0.7] * 10)
    wider = read.between(first, alone, "binary", "pwu_binary", "log_loss", "same")
    cases = 9 / 10 * ((groups - 0.5) ** 2).sum()
    assert wider["high"] - wider["median"] == pytest.approx(T2 * np.sqrt(2 * 2 / 3 * 0.02 + cases))
    nothing = [table.assign(dataset="two", expected_d=np.nan) for table in alone]
    more = [pd.concat(both) for both in zip(alone, nothing, strict=True)], [pd.concat(both) for both in zip(
        first, nothing, strict=True)]
    assert read.between(more[1], more[0], "binary", "pwu_binary", "log_loss", "same").tolist() == pytest.approx(
        wider.tolist())


def test_unknown_scheme_is_refused():
    with pytest.raises(ValueError, match="no rows of family 'poetry'"):
        read.leads(*tables([0.5] * 6), "poetry", "pwu_binary", among=["brier_score"])


def subset_rows(number, size, gaps):
    rows = [{"dataset": "one", "family": "binary", "first": first, "size": size, "other": other, "metric": metric,
             "expected_d": value} for first in range(number) for other in range(number)
            if (other - first) % number >= size
            for metric, value in (("pwu_binary", gaps[first]), ("brier_score", 0.0), ("itself", 1.0))]
    return pd.DataFrame(rows)


@pytest.mark.parametrize("size", [1, 2])
def test_leads_anew_leave_out_each_subset_wherever_it_occurs(size):
    rng = np.random.default_rng(size)
    gaps, number = rng.normal(0.2, 0.1, 5), 5
    row = read.anew(subset_rows(number, size, gaps), "binary", "pwu_binary", among=["brier_score"], size=size)
    row = row.loc["one"]
    without = []
    for gone in range(number):
        kept = [gaps[first] for first in range(number) for other in range(number)
                if (other - first) % number >= size and gone != other
                and gone not in {(first + step) % number for step in range(size)}]
        without.append(np.mean(kept))
    error = np.sqrt((number - 1) / number * np.sum((np.array(without) - np.mean(without)) ** 2))
    assert row["lead"] == pytest.approx(gaps.mean())
    assert row["high"] - row["lead"] == pytest.approx(t.ppf(0.975, number - 1) * error)
    assert row["subsets"] == number


def test_five_random_thetas_scatter_around_the_whole_prior():
    question = BINARY.question("binary")
    curve = np.linspace(-1, 1, 40)
    rows = pd.DataFrame([curve, 0 * curve]).add_prefix("t").assign(
        dataset="one", scheme="same", value="somers_d", family="binary", metric=["pwu_binary", "brier_score"])
    drawn = read.five(rows, question, "pwu_binary", "brier_score", draws=20_000)["one"]
    mean = question.mass() @ curve / question.mass().sum()
    spread = np.sqrt(question.mass() @ (curve - mean) ** 2 / 5)
    assert drawn.mean() == pytest.approx(mean, abs=0.01) and drawn.std() == pytest.approx(spread, rel=0.03)


def predictions(seed=0, folds=5, n=400):
    rng = np.random.default_rng(seed)
    said = []
    for fold in range(folds):
        f = rng.uniform(0.02, 0.98, n)
        y = (rng.random(n) < f).astype(float)
        said.append(Prediction(np.arange(n) + n * fold, y, (expit(3 * logit(f)),)))
    return said


def test_platt_mends_a_forecast_that_is_too_sure():
    said = predictions()
    mended = recalibration.recalibrated(BINARY, said)
    for before, after in zip(said, mended, strict=True):
        assert np.mean((after.y - after.forecast[0]) ** 2) < np.mean((before.y - before.forecast[0]) ** 2)
        order = np.argsort(before.forecast[0])
        assert (np.diff(after.forecast[0][order]) >= 0).all()


def test_recalibration_of_a_fold_does_not_see_its_outcomes():
    said = predictions()
    other = [*said[:-1], said[-1]._replace(y=1 - said[-1].y)]
    one, two = (recalibration.recalibrated(BINARY, each)[-1].forecast[0] for each in (said, other))
    assert (one == two).all()


def test_variances_are_mended_to_the_size_of_the_errors():
    rng = np.random.default_rng(0)
    said = [Prediction(np.arange(500) + 500 * k, rng.normal(0, 3, 500), (np.zeros(500), rng.uniform(0.01, 0.1, 500)))
            for k in range(5)]
    for fold in recalibration.recalibrated(REGRESSION, said):
        assert np.mean((fold.y / fold.forecast[1]) ** 2) == pytest.approx(1, abs=0.15)


def test_other_forecasts_are_not_recalibrated():
    with pytest.raises(ValueError, match="not multiclass"):
        recalibration.recalibrated(MULTICLASS, [])


def test_sets_of_models():
    names = ["a", "b", "c", "d", "worst", "bad"]
    index = pd.MultiIndex.from_product([names, range(5)], names=["model", "fold"])
    cost = index.get_level_values("model").map({"worst": 2.0, "bad": 1.0}).fillna(0.1)
    frame = pd.DataFrame({"pwu_binary": cost.to_numpy(float), "pwu_top_k": 0.0}, index=index)
    found = align.suites(BINARY, frame, names[1:])
    assert found["", "all"] == sorted(names[1:]) and found["", "two more"] == sorted(names)
    assert found["binary", "without the worst two"] == ["b", "c", "d"]
    assert found["", "without b"] == ["bad", "c", "d", "worst"]


def test_the_released_code_draws_one_prior_after_the_other():
    rng = np.random.default_rng(0)
    drawn = BINARY.code_samples()
    for question in BINARY.questions:
        prior, = question.priors
        assert drawn[question.name].ravel() == pytest.approx(rng.beta(prior.a, prior.b, 5))
    assert set(replace(REGRESSION).code_samples()) == {"selective", "risk_averse"}
    assert REGRESSION.code_samples()["risk_averse"].shape == (5, 2)
