"""Reports on a prior, and the value of a forecast, say what the score is, and nothing else."""

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest
import scipy.stats

import pwu_lite as pwu
from pwu_book import reports
from pwu_lite import reporting
from pwu_lite.families import Family
from pwu_lite.metrics import classification

SCORE = pwu.PWU(pwu.BinaryDecision(), pwu.Beta(2, 10))
RISKY = pwu.PWU(pwu.RiskAverseTopK(), pwu.Beta(1.2, 20.8), pwu.Beta(2, 6))


def test_quantiles_of_the_papers_example():
    """Appendix I.3: .033, .148, .364, that is 29, 5.8 and 1.7 false alarms."""
    table = reports.prior_report(SCORE).quantiles.loc["c"]
    assert table.loc[["5%", "median", "95%"], "value"].tolist() == pytest.approx([0.033, 0.148, 0.364], abs=5e-4)
    words = table.loc[["5%", "median", "95%"], "in words"].tolist()
    assert words == ["a miss costs 29 false alarms", "a miss costs 5.76 false alarms", "a miss costs 1.74 false alarms"]
    assert table.loc["mode", "value"] == pytest.approx(0.1) and table.loc["mean", "value"] == pytest.approx(1 / 6)


def test_degeneracy_is_the_mass_where_all_are_treated_alike(binary):
    y, f = binary
    inside = 0.2 + 0.3 * f
    mass = reports.prior_report(SCORE, y, {"m": inside}).degeneracy["prior mass"]
    prior = pwu.Beta(2, 10)
    assert mass["m: the same act for all cases"] == pytest.approx(prior.mass(0, 0.2) + prior.mass(0.5, 1))
    assert mass["c below 0.01"] == pytest.approx(prior.mass(0, 0.01))
    nearly = reports.prior_report(SCORE, y, {"m": np.clip(f, 0.01, 1 - 1e-12)}).degeneracy["prior mass"]
    assert nearly["m: the same act for all cases"] == pytest.approx(prior.mass(0, f.clip(0.01).min()), abs=1e-9)


def test_sensitivity_repeats_the_scores_under_moved_priors(binary):
    y, f = binary
    models = {"a": f, "b": np.full(f.size, 0.3)}
    table = reports.prior_report(SCORE, y, models).sensitivity
    assert list(table.index) == ["as stated", "c moved down", "c moved up"]
    low = pwu.PWU(pwu.BinaryDecision(), pwu.Beta(1.5, 10.5))
    assert table.loc["c moved down", "a"] == low(y, f)
    assert table.loc["as stated", "best"] == min(models, key=lambda name: SCORE(y, models[name]))
    tied = reports.prior_report(SCORE, y, {"a": f, "b": f}).sensitivity
    assert set(tied["best"]) == {"a, b"}


def test_alternatives_replace_the_shifts(binary):
    y, f = binary
    mixture = pwu.PWU(pwu.BinaryDecision(), pwu.Mixture([pwu.Dirac(0.1), pwu.Uniform(0, 1)], [0.5, 0.5]))
    table = reports.prior_report(mixture, y, {"a": f}, alternatives={"flat": scipy.stats.uniform(0, 1)}).sensitivity
    assert table.loc["flat", "a"] == pytest.approx(classification.brier_score(y, f) / 2)
    report = reports.prior_report(mixture)
    assert list(report.sensitivity.index) == ["as stated"] and "no rule" in report.notes[0]
    assert "no rule" in str(report) and "no rule" in report._repr_html_()
    assert list(reports.prior_report(mixture, alternatives={}).sensitivity.index) == ["as stated"]


def test_a_family_that_does_not_say_where_its_acts_change(binary):
    class Own(pwu.BinaryDecision):
        """Act or not, my way."""
        breakpoints = Family.breakpoints

        def numerical_error(self, prior, *data):
            return 1e-9

    y, f = binary
    own = pwu.PWU(Own(), pwu.Beta(2, 10))
    assert list(reports.prior_report(own, y, {"m": f}).degeneracy.index) == ["c below 0.01", "c above 0.99"]
    assert reporting.metric_card(own).rows["Computation"].startswith("numerical")
    assert reporting.metric_card(own).rows["Family"] == "Act or not, my way."


def test_report_of_two_parameters_and_its_picture():
    report = reports.prior_report(RISKY)
    assert set(report.quantiles.index.get_level_values(0)) == {"k/n", "gamma"}
    assert len(report.sensitivity) == 5
    figure = report.picture()
    assert [ax.get_xlabel() for ax in figure.axes] == ["k/n", "gamma"]
    assert len(figure.axes[0].get_legend().get_texts()) == 3  # the stated prior, and itself moved; not gamma's
    plt.close("all")
    assert "<table" in report._repr_html_() and "mean" in str(report)


@pytest.mark.parametrize("score, parameter", [
    (pwu.PWU(pwu.TopK(), pwu.Uniform(0, 1)), "k/n"), (pwu.PWU(pwu.BinaryDecision(), pwu.Dirac(0.9)), "c"),
    (pwu.PWU(pwu.RiskAverseTopK(), pwu.Uniform(0, 1), pwu.Gamma(2, 1)), "k/n"),
    (pwu.PWU(pwu.BinaryDecision(), pwu.TruncatedBeta(2, 10, 0.05, 0.4)), "c")])
def test_a_prior_that_cannot_be_moved_costs_the_report_a_note_only(score, parameter):
    report = reports.prior_report(score)
    assert f"The prior on {parameter} was not moved both ways" in report.notes[0]
    assert "as stated" in report.sensitivity.index and len(report.quantiles) >= 3
    assert reports.prior_report(score, alternatives={}).notes == ()
    report.picture()
    plt.close("all")


def test_degeneracy_is_about_the_domain_not_the_support():
    inside = reports.prior_report(pwu.PWU(pwu.BinaryDecision(), pwu.Uniform(0.1, 0.3))).degeneracy
    assert inside["prior mass"].tolist() == [0, 0]
    assert len(reports.prior_report(pwu.PWU(pwu.SelectivePrediction(), pwu.Uniform(2, 2.5))).degeneracy) == 0
    tied = reports.prior_report(pwu.PWU(pwu.TopK(), pwu.Beta(2, 9)), [1, 0, 1], {"flat": [0.4] * 3}).degeneracy
    assert tied.loc["flat: the same act for all cases", "prior mass"] == 1


@pytest.mark.parametrize("call, words", [
    (lambda y, f: reports.prior_report(SCORE, y, {"best": f}), "best"),
    (lambda y, f: reports.prior_report(SCORE, y, {1: f, "1": f}), "twice"),
    (lambda y, f: reports.prior_report(SCORE, y, {"c, 5%": f}), "c, 5%"),
    (lambda y, f: reports.prior_report(SCORE, y, [f]), "mapping"),
    (lambda y, f: reports.prior_report(SCORE, alternatives={"as stated": pwu.Beta(2, 2)}), "as stated"),
    (lambda y, f: reports.prior_report(RISKY, alternatives={"a": pwu.Beta(2, 2)}), "one parameter"),
    (lambda y, f: reports.prior_report("x"), "PWU"), (lambda y, f: reports.prior_report(SCORE, y), "both"),
    (lambda y, f: reporting.metric_card(classification.log_loss), "PWU"),
    (lambda y, f: reporting.paired_bootstrap(np.mean, 50, repeats=1), "repeats"),
    (lambda y, f: reports.prior_report(SCORE, share=-0.5), "share"),
    (lambda y, f: reporting.compare(y, {'a': f}, {}), "at least one"),
    (lambda y, f: reporting.compare(1, {'a': f}, SCORE), "one entry per case"),
    (lambda y, f: reporting.compare(np.ma.array(y, mask=y == 1), {'a': f}, SCORE), "masked")])
def test_bad_arguments_are_named(binary, call, words):
    with pytest.raises(ValueError, match=words):
        call(*binary)


def test_numbers_as_names_are_read_as_text(binary):
    y, f = binary
    table = reports.prior_report(SCORE, y, {1: f, 2: 1 - f}).sensitivity
    assert {"1", "2"} <= set(table.columns) and set(table["best"]) == {"1"}


@pytest.mark.parametrize("family, takes", [(pwu.TopK(), [0.2, 0.9, 0.5, 0.4]), (pwu.Retention(), [2.0, 1.0, 4.0, 3.0])])
def test_degeneracy_of_a_selection_is_the_mass_on_everybody(family, takes):
    score = pwu.PWU(family, pwu.Beta(2, 2))
    table = reports.prior_report(score, [1, 0, 1, 0], {"m": takes}).degeneracy
    everybody = pwu.Beta(2, 2).mass(0.75, 1)
    assert table.loc["m: the same act for all cases", "prior mass"] == pytest.approx(everybody)


def test_the_value_of_information_is_discrimination_minus_miscalibration(binary):
    y, f = binary
    for prior in (pwu.Uniform(0, 1), pwu.Beta(2, 10)):
        score = pwu.PWU(pwu.BinaryDecision(), prior)
        worth, parts = reports.value_of_information(score, y, f), reporting.decompose(score, y, f)
        assert worth.value == pytest.approx(parts.discrimination - parts.miscalibration)
        assert worth.perfect == pytest.approx(parts.uncertainty)
        base, c = y.mean(), worth.theta
        lost = -pwu.BinaryDecision().utility(c, y, f)
        np.testing.assert_allclose(worth.saved, np.minimum(c * (1 - base), (1 - c) * base) - lost, atol=1e-15)
    calibrated = reports.value_of_information(score, y, reporting.recalibrated(y, f))
    assert calibrated.saved.min() >= -1e-15 and calibrated.value >= worth.value
    assert [line.get_label() for line in calibrated.plot().axes[0].lines] == [
        "acting on the forecast", "acting on the mean outcome"]


def test_the_value_of_information_of_other_forecasts():
    rng = np.random.default_rng(0)
    y = rng.normal(size=200)
    score = pwu.PWU(pwu.Newsvendor((0.1, 0.5, 0.9)), pwu.Beta(8, 2))
    worth = reports.value_of_information(score, y, y[:, None] + [-0.1, 0, 0.1])
    assert 0.5 * worth.perfect < worth.value < worth.perfect
    with pytest.raises(ValueError, match="one prior for all cases"):
        reports.value_of_information(pwu.PWU(pwu.CostMatrix([[0, 1], [1, 0]])), [0], [[0.5, 0.5]])
    with pytest.raises(ValueError, match="reference forecast of the average outcome"):
        reports.value_of_information(pwu.PWU(pwu.Retention(), pwu.Beta(2, 2)), [0.5, 1.0], [0.5, 1.0])


def test_degeneracy_asks_whether_acts_are_the_same():
    """Two cases that get different answers at every price are not treated alike, nor are two different orders."""
    reject = pwu.PWU(pwu.RejectOption(3), pwu.Uniform(0.3, 0.5))
    for rows, mass in (([[0.9, 0.1, 0], [0.1, 0.9, 0]], 0.0), ([[0.9, 0.1, 0], [0.9, 0, 0.1]], 1.0)):
        report = reports.prior_report(reject, [0, 1], {"m": rows}, alternatives={})
        assert report.degeneracy.loc["m: the same act for all cases", "prior mass"] == pytest.approx(mass)
    orders = pwu.PWU(pwu.Newsvendor((0.5,)), pwu.Uniform(0.8, 0.9))
    report = reports.prior_report(orders, [0.0, 1.0], {"m": [[1.0], [2.0]]}, alternatives={})
    assert report.degeneracy.loc["m: the same act for all cases", "prior mass"] == 0
