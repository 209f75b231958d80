"""Reports, cards and comparisons say what the score is, and nothing else."""

import itertools

import matplotlib

matplotlib.use("Agg")

import numpy as np
import pytest
import scipy.stats

import pwu_lite as pwu
from pwu_lite import reporting
from pwu_lite.metrics import classification
from pwu_lite.priors import as_prior

SCORE = pwu.PWU(pwu.BinaryDecision(), pwu.Beta(2, 10))
RISKY = pwu.PWU(pwu.RiskAverseTopK(), pwu.Beta(1.2, 20.8), pwu.Beta(2, 6))


@pytest.mark.parametrize("score", [
    SCORE, RISKY, pwu.PWU(pwu.SelectivePrediction(), pwu.LogNormal(0, 1)), pwu.PWU(pwu.TopK(), pwu.Uniform(0, 1)),
    pwu.PWU(pwu.Retention(), pwu.Beta(2, 2)), pwu.PWU(pwu.OneVsRest(pwu.BinaryDecision()), pwu.Beta(2, 2)),
    pwu.PWU(pwu.PerOutput(pwu.SelectivePrediction()), pwu.Gamma(2, 1)), pwu.PWU(pwu.BinaryDecision(), pwu.Dirac(0.5))],
    ids=lambda score: repr(score)[:40])
def test_every_family_has_a_card(score):
    card = reporting.metric_card(score, decision="who", source="where")
    assert card.rows["Score"] == repr(score) and "NOT STATED" not in card.text
    for name in score.family.names:
        assert card.rows[f"Prior on {name}"].count("; ") == 2
    assert card.rows["Properness"].split(":")[0] == score.family.properness(*score.priors)[0]
    assert card.text in str(card) and len(card.table) == len(card.rows)
    assert card._repr_html_().count("<tr>") == len(card.rows)


def test_the_card_asks_for_what_only_its_author_knows_and_is_safe_in_a_page():
    assert reporting.metric_card(SCORE).text.count("NOT STATED") == 2
    card = reporting.metric_card(SCORE, decision="<script>", source='"&')
    assert "<script>" not in card._repr_html_() and "&lt;script&gt;" in card._repr_html_()


GRID = np.arange(0, 21) / 20


@pytest.mark.parametrize("prior", [
    pwu.Beta(2, 10), pwu.Beta(0.4, 0.4), pwu.Uniform(0, 1), pwu.Uniform(0.1, 1), pwu.TruncatedBeta(2, 2, 0.0, 0.8),
    pwu.Dirac(0.5), pwu.Mixture([pwu.Uniform(0, 0.5), pwu.Uniform(0.5, 1)], [0.5, 0.5]),
    pwu.Mixture([pwu.Uniform(0, 0.4), pwu.Uniform(0.6, 1)], [0.5, 0.5]),
    pwu.Mixture([pwu.Beta(2, 2), pwu.Dirac(0.3)], [0.1, 0.9])], ids=repr)
def test_verdicts_on_binary_priors_are_those_of_an_exact_search(prior):
    score = pwu.PWU(pwu.BinaryDecision(), prior)
    one, zero = (score.per_sample(np.full(21, y), GRID) for y in (1, 0))
    table = np.outer(GRID, one) + np.outer(1 - GRID, zero)
    regrets = table - np.diagonal(table)[:, None]
    assert (regrets > -1e-15).all()
    strict = (regrets + np.eye(21) > 0).all()
    assert pwu.BinaryDecision().properness(prior)[0] == ("strictly proper" if strict else "proper")


def expected(score, worlds, chances, *report):
    return float(np.dot(chances, [score(np.array(y), *report) for y in worlds]))


@pytest.mark.parametrize("penalty, verdict", [("reported", "improper"), ("realized", "proper")])
def test_verdicts_on_risk_averse_selection(penalty, verdict):
    """Two funds with two-point returns; every report of a grid of means and standard deviations.

    The realised penalty is strict in the means; of the variances it sees no common shift.
    """
    family = pwu.RiskAverseTopK(penalty)
    score = pwu.PWU(family, pwu.Uniform(0, 1), pwu.Gamma(2, 0.5))
    mean, std = np.array([0.5, 0.2]), np.array([1.0, 0.4])
    worlds, chances = [mean + std * signs for signs in itertools.product([-1, 1], repeat=2)], [0.25] * 4
    honest = expected(score, worlds, chances, mean, std)
    reports = itertools.product([0.2, 0.5, 0.9], [0.2, 0.5], [0.1, 0.4, 1.0], [0.1, 0.4, 1.0])
    best = min(expected(score, worlds, chances, r[:2], r[2:]) for r in reports)
    assert family.properness(*score.priors)[0] == verdict
    assert (best < honest - 0.1) if verdict == "improper" else best >= honest - 1e-12
    if penalty == "realized":
        assert expected(score, worlds, chances, mean + 0.3, std) > honest + 0.01
        shifted = np.sqrt(std**2 + 0.7)
        assert expected(score, worlds, chances, mean, shifted) == pytest.approx(honest, abs=1e-12)
        assert "shift of all variances" in family.properness(*score.priors)[1]


@pytest.mark.parametrize("prior", [pwu.Beta(2, 10, scale=4), pwu.Uniform(1, 2), pwu.Dirac(1.0), pwu.LogNormal(0, 1)])
def test_verdicts_on_selective_prediction(prior):
    """Two-point truths; strict in the variance exactly where the reason says so."""
    family, score = pwu.SelectivePrediction(), pwu.PWU(pwu.SelectivePrediction(), prior)
    for std in (0.6, 1.1, 1.3):
        own = expected(score, [[-std], [std]], [0.5, 0.5], [0.0], [std])
        others = [expected(score, [[-std], [std]], [0.5, 0.5], [0.0], [s]) for s in (0.4, 0.7, 1.2, 1.35, 1.9)]
        assert own <= min(others) + 1e-12
        strict = min(others) > own + 1e-9
        verdict, reason = family.properness(prior)
        assert verdict == "proper" and ("strictly" in reason) <= strict


@pytest.mark.slow
@pytest.mark.parametrize("family", [pwu.TopK(), pwu.Retention()])
def test_only_the_order_counts(family):
    """Three cases with two-valued outcomes: honest is best, and every report in the same order as good."""
    score, outcomes = pwu.PWU(family, pwu.Beta(2, 2)), np.array(list(itertools.product([0, 1], repeat=3)))
    truth = np.array([0.7, 0.4, 0.1])
    chances = np.where(outcomes == 1, truth, 1 - truth).prod(axis=1)
    losses = {report: expected(score, outcomes, chances, np.array(report))
              for report in itertools.product([0.1, 0.2, 0.4, 0.7, 0.9], repeat=3)}
    honest = losses[0.7, 0.4, 0.1]
    assert min(losses.values()) == pytest.approx(honest, abs=1e-14)
    assert losses[0.9, 0.7, 0.4] == pytest.approx(honest, abs=1e-14)
    verdict, reason = family.properness(pwu.Beta(2, 2))
    assert verdict == "proper" and "order" in reason


def test_cards_name_gaps_the_condition_and_the_computation():
    gap = pwu.PWU(pwu.BinaryDecision(), pwu.Mixture([pwu.Dirac(0.1), pwu.Uniform(0.6, 0.7)], [0.5, 0.5]))
    card = reporting.metric_card(gap)
    assert "none of it between 0.1 and 0.6" in card.rows["Blind spots"]
    assert "fixed before" in card.rows["Properness"]
    assert "fixed before" not in reporting.metric_card(RISKY).rows["Properness"]
    halves = pwu.PWU(pwu.BinaryDecision(), pwu.Mixture([pwu.Uniform(0, 0.5), pwu.Uniform(0.5, 1)], [0.5, 0.5]))
    for whole in (SCORE, halves):
        assert "none of it" not in reporting.metric_card(whole).rows["Blind spots"]
    assert "beyond that numerical" in reporting.metric_card(RISKY).rows["Computation"]
    assert "closed form" in reporting.metric_card(SCORE).rows["Computation"]
    frozen = pwu.PWU(pwu.SelectivePrediction(), scipy.stats.weibull_min(1.5))
    assert "numerical" in reporting.metric_card(frozen).rows["Computation"]


def test_multiclass_and_many_outputs_inherit():
    assert pwu.OneVsRest(pwu.BinaryDecision()).properness(pwu.Beta(2, 2))[0] == "strictly proper"
    assert pwu.OneVsRest(pwu.BinaryDecision()).properness(pwu.Dirac(0.5))[0] == "proper"
    assert pwu.PerOutput(pwu.SelectivePrediction()).properness(pwu.Gamma(2, 1))[0] == "proper"


@pytest.mark.parametrize("family, theta, which, words", [
    (pwu.BinaryDecision(), 0.1, 0, "a miss costs 9 false alarms"),
    (pwu.BinaryDecision(), 0.8, 0, "a false alarm costs 4 misses"),
    (pwu.SelectivePrediction(), 9.0, 0, "predict up to a standard deviation of 3"),
    (pwu.TopK(), 0.05, 0, "pick 5% of the cases"), (pwu.Retention(), 0.4, 0, "keep 40% of the cases"),
    (pwu.RiskAverseTopK(), 0.05, 0, "pick 5% of the cases"),
    (pwu.RiskAverseTopK(), 0.5, 1, "a variance of 1 costs 0.5 units of y"),
    (pwu.OneVsRest(pwu.BinaryDecision()), 0.1, 0, "a miss costs 9 false alarms, for each class")])
def test_parameters_in_words(family, theta, which, words):
    assert family.words(theta, which) == words


def against_first(scores, y, first, second, **options):
    """Two models: the second one's rows, its differences from the first."""
    models = {"first": first, "second": second}
    return reporting.compare(y, models, scores, against="first", **options).table.xs("second", level=1)


def test_comparison_keeps_signs_and_names(binary):
    y, f = binary
    worse = np.clip(1 - f, 0.01, 0.99)
    table = against_first({"PWU": SCORE, "Brier": classification.brier_score}, y, f, worse, n_resamples=50)
    assert list(table.index) == ["PWU", "Brier"] and (table["difference low"] > 0).all()
    assert table.loc["PWU", "difference"] == pytest.approx(SCORE(y, worse) - SCORE(y, f))
    turned = against_first({"PWU": SCORE}, y, worse, f, n_resamples=50)
    assert turned.loc["PWU", "verdict"] == "cheaper" and table.loc["PWU", "verdict"] == "costlier"


def test_comparison_of_regressors_and_undefined_values(regression):
    y, mean, std = regression
    score = pwu.PWU(pwu.SelectivePrediction(), pwu.Gamma(2, 1))
    table = against_first({"PWU": score, "nothing": lambda *data: float("nan")}, y, (mean, std), (mean, 3 * std),
                          n_resamples=20)
    assert table.loc["nothing", "undefined"] == 1 and np.isnan(table.loc["nothing", "difference low"])
    assert table.loc["PWU", "undefined"] == 0


def test_infinite_losses_leave_an_infinite_end():
    y, good, bad = np.array([1, 0] * 30), np.array([0.8, 0.2] * 30), np.array([0.8, 0.2] * 30)
    bad[0] = 0.0
    table = against_first({"log loss": classification.log_loss}, y, good, bad, n_resamples=200).loc["log loss"]
    assert table["difference"] == table["difference high"] == np.inf and table["difference low"] == 0
    assert table["undefined"] == 0
    both = against_first({"log loss": classification.log_loss}, y, bad, bad, n_resamples=200).loc["log loss"]
    assert np.isnan(both["difference"]) and 0.4 < both["undefined"] < 0.9


@pytest.mark.parametrize("theta", [-0.1, 1.5, float("nan"), "0.2", None])
def test_words_refuse_what_is_no_parameter(theta):
    with pytest.raises(ValueError, match="c"):
        pwu.BinaryDecision().words(theta)


def test_no_strictness_is_claimed_for_a_density_that_is_not_known():
    unknown = as_prior(scipy.stats.truncnorm(0, 1))
    assert unknown.support == (0, 1) and pwu.BinaryDecision().properness(unknown)[0] == "proper"


@pytest.mark.slow
@pytest.mark.parametrize("coverage, z", [(0.95, 1.96), (0.5, 0.674)])
def test_intervals_have_the_normal_width_for_a_mean(coverage, z):
    rng = np.random.default_rng(0)
    y, gap = np.zeros(500), rng.normal(size=500)
    score = {"mean": lambda y, f: float(np.mean(f))}
    row = against_first(score, y, np.zeros(500), gap, coverage=coverage, n_resamples=3000).loc["mean"]
    assert row["difference high"] - row["difference low"] == pytest.approx(2 * z * gap.std() / np.sqrt(500), rel=0.07)
    assert row["difference low"] < gap.mean() < row["difference high"]


def test_cards_say_how_new_families_are_computed():
    each = pwu.Beta(np.arange(2.0, 7), 2.0)
    for score, words in ((pwu.PWU(pwu.Newsvendor("members"), pwu.Beta(8, 2)), "closed form"),
                         (pwu.PWU(pwu.Newsvendor((0.1, 0.5)), each), "closed form"),
                         (pwu.PWU(pwu.CostMatrix([[0, 1], [1, 0]])), "closed form")):
        assert words in reporting.metric_card(score).rows["Computation"]
