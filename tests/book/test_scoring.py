"""Scores of a fold: they are the library's own metrics, the utilities meet the PWU, scales come from training data."""

import numpy as np
import pytest
from scipy import integrate

import pwu_lite as pwu
from pwu_book import released
from pwu_book.runs import tasks
from pwu_book.runs.score import released_scores, score
from pwu_book.runs.tasks import TASKS, Fold
from pwu_lite.metrics import classification, regression

RNG = np.random.default_rng(0)
Y = RNG.integers(0, 2, 60)
BINARY = Fold(Y, (np.clip(0.4 * Y + RNG.uniform(0, 0.6, 60), 0, 1).round(2),))
T = RNG.normal(20, 3, 60)
REGRESSION = Fold(T, (T + RNG.normal(0, 1, 60), RNG.uniform(0.5, 2, 60)), 9.0)
CLASSES = Fold(RNG.integers(0, 3, 60), (RNG.dirichlet([1, 1, 1], 60),))
OUTPUTS = Fold(RNG.normal(0, [1, 5], (60, 2)), (RNG.normal(0, [1, 5], (60, 2)),
               np.array([np.diag([0.5, 9.0])] * 60)), np.array([1.0, 25.0]))
FOLDS = {"binary": BINARY, "regression": REGRESSION, "multiclass": CLASSES, "multivariate": OUTPUTS}
PAIRS = [(task, question) for task in TASKS.values() for question in task.questions]


def ids(value):
    return getattr(value, "name", value)


@pytest.mark.parametrize("task, question", PAIRS, ids=ids)
def test_the_prior_fills_the_cells(task, question):
    assert question.mass().sum() == pytest.approx(1)
    assert len(question.mass()) == len(question.grid())
    for edges in question.edges:
        assert edges[0] == 0 and edges[-1] == 1 and (np.diff(edges) > 0).all()


@pytest.mark.parametrize("task, question", PAIRS, ids=ids)
def test_the_grid_average_of_utilities_is_the_pwu(task, question):
    fold = task.prepare(FOLDS[task.name])
    average = -question.mass() @ question.utilities(question.grid(), fold)
    spread = np.ptp(question.utilities(question.grid(), fold))
    assert average == pytest.approx(question.pwu(fold), abs=0.03 * spread)


@pytest.mark.parametrize("task, question", PAIRS, ids=ids)
def test_samples_come_from_the_prior(task, question):
    many = np.concatenate([question.samples(seed) for seed in range(400)])
    for column, prior in zip(many.T, question.priors, strict=True):
        assert np.mean(column) == pytest.approx(prior.mean, rel=0.06)
    assert question.samples().shape == (5, len(question.priors))


def test_scores_are_the_functions_of_the_library():
    numbers = score(tasks.BINARY, BINARY)
    assert numbers["log_loss"] == classification.log_loss(Y, *BINARY.forecast)
    assert numbers["pwu_binary"] == pwu.PWU(pwu.BinaryDecision(), pwu.Beta(2, 10))(Y, *BINARY.forecast)
    assert numbers["pwu_binary_strong"] == pwu.PWU(pwu.BinaryDecision(), pwu.Beta(6, 6))(Y, *BINARY.forecast)
    assert numbers["pwu_top_k"] == pwu.PWU(pwu.TopK(), pwu.Beta(1.2, 20.8))(Y, *BINARY.forecast)
    numbers = score(tasks.REGRESSION, REGRESSION)
    assert numbers["crps_gaussian"] == regression.crps_gaussian(T, *REGRESSION.forecast)
    price = pwu.Beta(2, 10, scale=9.0)
    assert numbers["pwu_selective"] == pwu.PWU(pwu.SelectivePrediction(), price)(T, *REGRESSION.forecast)
    z = (T - REGRESSION.forecast[0]) / REGRESSION.forecast[1]
    assert numbers["squared_z"] == pytest.approx(np.mean(z**2))


def test_sampled_utilities_are_at_the_sampled_parameters():
    numbers = score(tasks.REGRESSION, REGRESSION)
    question = tasks.REGRESSION.questions[0]
    for place, (q,) in enumerate(question.samples()):
        expected = pwu.SelectivePrediction().utility(9.0 * q, T, *REGRESSION.forecast)
        assert numbers[f"selective:s{place:02d}"] == pytest.approx(expected)
    k = int(np.ceil(60 * tasks.BINARY.questions[1].samples()[0, 0]))
    assert score(tasks.BINARY, BINARY)["top_k:s00"] == pwu.TopK().utility(k, Y, *BINARY.forecast)


@pytest.mark.parametrize("factor", [0.1, 7.0])
def test_units_of_y_change_no_ranking(factor):
    """lambda in units of y squared, gamma in units of 1/y: another unit rescales all utilities alike."""
    def in_units(unit):
        mean, std = REGRESSION.forecast
        fold = Fold(unit * T, (unit * mean, unit * std), unit**2 * 9.0)
        return [question.utilities(question.grid(), fold) for question in tasks.REGRESSION.questions]

    (selective, risky), (selective_2, risky_2) = in_units(1.0), in_units(factor)
    assert selective_2 == pytest.approx(factor**2 * selective)
    assert risky_2 == pytest.approx(factor * risky)


def test_outputs_are_scored_in_their_own_spread():
    other = Fold(OUTPUTS.y * 3, (OUTPUTS.forecast[0] * 3, OUTPUTS.forecast[1] * 9), OUTPUTS.variance * 9)
    one, two = score(tasks.MULTIVARIATE, OUTPUTS), score(tasks.MULTIVARIATE, other)
    assert all(two[name] == pytest.approx(one[name]) for name in one)


def test_one_class_only_has_no_auroc():
    numbers = score(tasks.BINARY, Fold(np.ones(9, int), (np.full(9, 0.9),)))
    assert np.isnan(numbers["auroc"]) and np.isnan(numbers["error_detection_auroc"])


def test_released_scores_differ_where_the_code_does():
    ours, theirs = score(tasks.REGRESSION, REGRESSION), released_scores(tasks.REGRESSION, REGRESSION)
    assert set(theirs) >= set(tasks.REGRESSION.metrics)
    assert theirs["gaussian_nll"] == ours["gaussian_nll"] and theirs["mean_squared_error"] == ours["mean_squared_error"]
    for name in ("retention_auc", "pwu_selective", "pwu_risk_averse", "selective:s00", "risk_averse:s00"):
        assert theirs[name] != pytest.approx(ours[name])
    price = np.var(T) * tasks.REGRESSION.code_samples()["selective"][0, 0]
    assert theirs["selective:s00"] == released.selective_utility(price, T, *REGRESSION.forecast)
    ours, theirs = score(tasks.BINARY, BINARY), released_scores(tasks.BINARY, BINARY)
    assert theirs["pwu_binary"] == ours["pwu_binary"]
    assert theirs["retention_auc"] != pytest.approx(ours["retention_auc"])


@pytest.mark.slow
def test_released_selective_pwu_is_the_average_of_its_utility():
    fold = REGRESSION._replace(variance=float(np.var(T)))
    prior = pwu.Beta(2, 10)

    def cost(q):
        return -released.selective_utility(fold.variance * q, T, *fold.forecast) * prior.pdf(q)

    exact = integrate.quad(cost, 0, 1, points=np.unique(fold.forecast[1] ** 2 / fold.variance)[:40], limit=400)[0]
    assert released_scores(tasks.REGRESSION, fold, levels=4000)["pwu_selective"] == pytest.approx(exact, rel=1e-3)


def test_released_top_k_follows_the_rows():
    y, f = np.array([0, 1, 0, 1]), np.full(4, 0.5)
    forward, backward = (released_scores(tasks.BINARY, Fold(y[order], (f,)))["top_k:s03"] for order in
                         ([0, 1, 2, 3], [3, 2, 1, 0]))
    assert (forward, backward) == (0.0, 1.0)
    assert score(tasks.BINARY, Fold(y, (f,)))["top_k:s03"] == 0.5


def test_no_released_counterpart():
    with pytest.raises(ValueError, match="no counterpart for multiclass"):
        released_scores(tasks.MULTICLASS, CLASSES)


def test_an_unknown_question_is_refused():
    with pytest.raises(ValueError, match="binary, top_k"):
        tasks.BINARY.question("poetry")


def test_released_scores_survive_certain_forecasts():
    numbers = released_scores(tasks.BINARY, Fold(np.array([1, 0, 1]), (np.ones(3),)))
    assert np.isnan(numbers["maximum_calibration_error"]) and numbers["expected_calibration_error"] == 0


def test_released_retention_lets_an_oracle_answer():
    """Errors over all cases, in regression too: half of what is averaged over the kept, where order says nothing."""
    error, same = np.full(400, 4.0), np.ones(400)
    assert released.retention_auc_regression(error * 0 + 2, error * 0, same) == pytest.approx(2.0, rel=0.01)
    assert regression.retention_auc(error * 0 + 2, error * 0, same) == pytest.approx(4.0)
    first = released.retention_auc([1, 0, 0, 0], np.ones(4))
    assert first < released.retention_auc([0, 0, 0, 1], np.ones(4))


@pytest.mark.parametrize("classes", [3, 7, 10])
def test_classes_weigh_alike(classes):
    question = tasks.MULTICLASS.questions[0]
    place = np.floor(question.grid()[:, 0] * classes)
    shares = [question.mass()[place == j].sum() for j in range(classes)]
    assert shares == pytest.approx([1 / classes] * classes)
