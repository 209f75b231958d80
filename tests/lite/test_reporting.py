"""Reports, cards and comparisons say what the score is, and nothing else."""

import itertools

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest
import scipy.stats

import pwu_lite as pwu
from pwu_lite import reporting
from pwu_lite.families import Family
from pwu_lite.metrics import classification
from pwu_lite.priors import as_prior

SCORE = pwu.PWU(pwu.BinaryDecision(), pwu.Beta(2, 10))
RISKY = pwu.PWU(pwu.RiskAverseTopK(), pwu.Beta(1.2, 20.8), pwu.Beta(2, 6))


def test_quantiles_of_the_papers_example():
    """Appendix I.3: .033, .148, .364, that is 29, 5.8 and 1.7 false alarms."""
    table = reporting.prior_report(SCORE).quantiles.loc["c"]
    assert table.loc[["5%", "median", "95%"], "value"].tolist() == pytest.approx([0.033, 0.148, 0.364], abs=5e-4)
    words = table.loc[["5%", "median", "95%"], "in words"].tolist()
    assert words == ["a miss costs 29 false alarms", "a miss costs 5.76 false alarms", "a miss costs 1.74 false alarms"]
    assert table.loc["mode", "value"] == pytest.approx(0.1) and table.loc["mean", "value"] == pytest.approx(1 / 6)


def test_degeneracy_is_the_mass_where_all_are_treated_alike(binary):
    y, f = binary
    inside = 0.2 + 0.3 * f
    mass = reporting.prior_report(SCORE, y, {"m": inside}).degeneracy["prior mass"]
    prior = pwu.Beta(2, 10)
    assert mass["m: the same act for all cases"] == pytest.approx(prior.mass(0, 0.2) + prior.mass(0.5, 1))
    assert mass["c below 0.01"] == pytest.approx(prior.mass(0, 0.01))
    nearly = reporting.prior_report(SCORE, y, {"m": np.clip(f, 0.01, 1 - 1e-12)}).degeneracy["prior mass"]
    assert nearly["m: the same act for all cases"] == pytest.approx(prior.mass(0, f.clip(0.01).min()), abs=1e-9)


def test_sensitivity_repeats_the_scores_under_moved_priors(binary):
    y, f = binary
    models = {"a": f, "b": np.full(f.size, 0.3)}
    table = reporting.prior_report(SCORE, y, models).sensitivity
    assert list(table.index) == ["as stated", "c moved down", "c moved up"]
    low = pwu.PWU(pwu.BinaryDecision(), pwu.Beta(1.5, 10.5))
    assert table.loc["c moved down", "a"] == low(y, f)
    assert table.loc["as stated", "best"] == min(models, key=lambda name: SCORE(y, models[name]))
    tied = reporting.prior_report(SCORE, y, {"a": f, "b": f}).sensitivity
    assert set(tied["best"]) == {"a, b"}


def test_alternatives_replace_the_shifts(binary):
    y, f = binary
    mixture = pwu.PWU(pwu.BinaryDecision(), pwu.Mixture([pwu.Dirac(0.1), pwu.Uniform(0, 1)], [0.5, 0.5]))
    table = reporting.prior_report(mixture, y, {"a": f}, alternatives={"flat": scipy.stats.uniform(0, 1)}).sensitivity
    assert table.loc["flat", "a"] == pytest.approx(classification.brier_score(y, f) / 2)
    report = reporting.prior_report(mixture)
    assert list(report.sensitivity.index) == ["as stated"] and "no rule" in report.notes[0]
    assert "no rule" in str(report) and "no rule" in report._repr_html_()
    assert list(reporting.prior_report(mixture, alternatives={}).sensitivity.index) == ["as stated"]


def test_a_family_that_does_not_say_where_its_acts_change(binary):
    class Own(pwu.BinaryDecision):
        """Act or not, my way."""
        breakpoints = Family.breakpoints

        def numerical_error(self, prior, *data):
            return 1e-9

    y, f = binary
    own = pwu.PWU(Own(), pwu.Beta(2, 10))
    assert list(reporting.prior_report(own, y, {"m": f}).degeneracy.index) == ["c below 0.01", "c above 0.99"]
    assert reporting.metric_card(own).rows["Computation"].startswith("numerical")
    assert reporting.metric_card(own).rows["Family"] == "Act or not, my way."


def test_report_of_two_parameters_and_its_picture():
    report = reporting.prior_report(RISKY)
    assert set(report.quantiles.index.get_level_values(0)) == {"k/n", "gamma"}
    assert len(report.sensitivity) == 5
    figure = report.picture()
    assert [ax.get_xlabel() for ax in figure.axes] == ["k/n", "gamma"]
    assert len(figure.axes[0].get_legend().get_texts()) == 3  # the stated prior, and itself moved; not gamma's
    plt.close("all")
    assert "<table" in report._repr_html_() and "mean" in str(report)


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


@pytest.mark.parametrize("score, parameter", [
    (pwu.PWU(pwu.TopK(), pwu.Uniform(0, 1)), "k/n"), (pwu.PWU(pwu.BinaryDecision(), pwu.Dirac(0.9)), "c"),
    (pwu.PWU(pwu.RiskAverseTopK(), pwu.Uniform(0, 1), pwu.Gamma(2, 1)), "k/n"),
    (pwu.PWU(pwu.BinaryDecision(), pwu.TruncatedBeta(2, 10, 0.05, 0.4)), "c")])
def test_a_prior_that_cannot_be_moved_costs_the_report_a_note_only(score, parameter):
    report = reporting.prior_report(score)
    assert f"The prior on {parameter} was not moved both ways" in report.notes[0]
    assert "as stated" in report.sensitivity.index and len(report.quantiles) >= 3
    assert reporting.prior_report(score, alternatives={}).notes == ()
    report.picture()
    plt.close("all")


def test_degeneracy_is_about_the_domain_not_the_support():
    inside = reporting.prior_report(pwu.PWU(pwu.BinaryDecision(), pwu.Uniform(0.1, 0.3))).degeneracy
    assert inside["prior mass"].tolist() == [0, 0]
    assert len(reporting.prior_report(pwu.PWU(pwu.SelectivePrediction(), pwu.Uniform(2, 2.5))).degeneracy) == 0
    tied = reporting.prior_report(pwu.PWU(pwu.TopK(), pwu.Beta(2, 9)), [1, 0, 1], {"flat": [0.4] * 3}).degeneracy
    assert tied.loc["flat: the same act for all cases", "prior mass"] == 1


@pytest.mark.parametrize("call, words", [
    (lambda y, f: reporting.prior_report(SCORE, y, {"best": f}), "best"),
    (lambda y, f: reporting.prior_report(SCORE, y, {1: f, "1": f}), "twice"),
    (lambda y, f: reporting.prior_report(SCORE, y, {"c, 5%": f}), "c, 5%"),
    (lambda y, f: reporting.prior_report(SCORE, y, [f]), "mapping"),
    (lambda y, f: reporting.prior_report(SCORE, alternatives={"as stated": pwu.Beta(2, 2)}), "as stated"),
    (lambda y, f: reporting.prior_report(RISKY, alternatives={"a": pwu.Beta(2, 2)}), "one parameter"),
    (lambda y, f: reporting.prior_report("x"), "PWU"), (lambda y, f: reporting.prior_report(SCORE, y), "both"),
    (lambda y, f: reporting.metric_card(classification.log_loss), "PWU"),
    (lambda y, f: reporting.paired_bootstrap(np.mean, 50, repeats=1), "repeats"),
    (lambda y, f: reporting.prior_report(SCORE, share=-0.5), "share"),
    (lambda y, f: reporting.compare(y, {'a': f}, {}), "at least one"),
    (lambda y, f: reporting.compare(1, {'a': f}, SCORE), "one entry per case"),
    (lambda y, f: reporting.compare(np.ma.array(y, mask=y == 1), {'a': f}, SCORE), "masked")])
def test_bad_arguments_are_named(binary, call, words):
    with pytest.raises(ValueError, match=words):
        call(*binary)


def test_numbers_as_names_are_read_as_text(binary):
    y, f = binary
    table = reporting.prior_report(SCORE, y, {1: f, 2: 1 - f}).sensitivity
    assert {"1", "2"} <= set(table.columns) and set(table["best"]) == {"1"}


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


@pytest.mark.parametrize("family, takes", [(pwu.TopK(), [0.2, 0.9, 0.5, 0.4]), (pwu.Retention(), [2.0, 1.0, 4.0, 3.0])])
def test_degeneracy_of_a_selection_is_the_mass_on_everybody(family, takes):
    score = pwu.PWU(family, pwu.Beta(2, 2))
    table = reporting.prior_report(score, [1, 0, 1, 0], {"m": takes}).degeneracy
    everybody = pwu.Beta(2, 2).mass(0.75, 1)
    assert table.loc["m: the same act for all cases", "prior mass"] == pytest.approx(everybody)


def test_the_value_of_information_is_discrimination_minus_miscalibration(binary):
    y, f = binary
    for prior in (pwu.Uniform(0, 1), pwu.Beta(2, 10)):
        score = pwu.PWU(pwu.BinaryDecision(), prior)
        worth, parts = reporting.value_of_information(score, y, f), reporting.decompose(score, y, f)
        assert worth.value == pytest.approx(parts.discrimination - parts.miscalibration)
        assert worth.perfect == pytest.approx(parts.uncertainty)
        base, c = y.mean(), worth.theta
        lost = -pwu.BinaryDecision().utility(c, y, f)
        np.testing.assert_allclose(worth.saved, np.minimum(c * (1 - base), (1 - c) * base) - lost, atol=1e-15)
    calibrated = reporting.value_of_information(score, y, reporting.recalibrated(y, f))
    assert calibrated.saved.min() >= -1e-15 and calibrated.value >= worth.value
    assert [line.get_label() for line in calibrated.plot().axes[0].lines] == [
        "acting on the forecast", "acting on the mean outcome"]


def test_the_value_of_information_of_other_forecasts():
    rng = np.random.default_rng(0)
    y = rng.normal(size=200)
    score = pwu.PWU(pwu.Newsvendor((0.1, 0.5, 0.9)), pwu.Beta(8, 2))
    worth = reporting.value_of_information(score, y, y[:, None] + [-0.1, 0, 0.1])
    assert 0.5 * worth.perfect < worth.value < worth.perfect
    with pytest.raises(ValueError, match="one prior for all cases"):
        reporting.value_of_information(pwu.PWU(pwu.CostMatrix([[0, 1], [1, 0]])), [0], [[0.5, 0.5]])
    with pytest.raises(ValueError, match="reference forecast of the average outcome"):
        reporting.value_of_information(pwu.PWU(pwu.Retention(), pwu.Beta(2, 2)), [0.5, 1.0], [0.5, 1.0])


def test_degeneracy_asks_whether_acts_are_the_same():
    """Two cases that get different answers at every price are not treated alike, nor are two different orders."""
    reject = pwu.PWU(pwu.RejectOption(3), pwu.Uniform(0.3, 0.5))
    for rows, mass in (([[0.9, 0.1, 0], [0.1, 0.9, 0]], 0.0), ([[0.9, 0.1, 0], [0.9, 0, 0.1]], 1.0)):
        report = reporting.prior_report(reject, [0, 1], {"m": rows}, alternatives={})
        assert report.degeneracy.loc["m: the same act for all cases", "prior mass"] == pytest.approx(mass)
    orders = pwu.PWU(pwu.Newsvendor((0.5,)), pwu.Uniform(0.8, 0.9))
    report = reporting.prior_report(orders, [0.0, 1.0], {"m": [[1.0], [2.0]]}, alternatives={})
    assert report.degeneracy.loc["m: the same act for all cases", "prior mass"] == 0


def test_cards_say_how_new_families_are_computed():
    each = pwu.Beta(np.arange(2.0, 7), 2.0)
    for score, words in ((pwu.PWU(pwu.Newsvendor("members"), pwu.Beta(8, 2)), "closed form"),
                         (pwu.PWU(pwu.Newsvendor((0.1, 0.5)), each), "closed form"),
                         (pwu.PWU(pwu.CostMatrix([[0, 1], [1, 0]])), "closed form")):
        assert words in reporting.metric_card(score).rows["Computation"]
