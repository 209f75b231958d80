"""The Python API with a user's own objects: masks, labels in another order, 32 bits, other units, other tables."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
import scipy.stats as st
import sympy
from scipy.integrate import quad

import pwu_desk
import pwu_lite as pwu
from pwu_desk import Tally, compare_tallies, robust
from pwu_desk.recalibration import recalibrated
from pwu_desk.robust.curve import between
from pwu_desk.robust.restricted import Restricted
from pwu_lite import alignment, metrics, symbolic
from pwu_lite._resampling import bands, paired_bootstrap

RNG = np.random.default_rng(0)
F = np.linspace(0.05, 0.95, 60)
Y = (RNG.random(60) < F).astype(float)


def test_all_pairs_say_what_each_pair_says_although_edges_differ_in_the_last_digit():
    # 1 - 4/9 and 1 - 5/9 of two rows are apart by one rounding.
    family, y = pwu.RejectOption(3), [1]
    models = {"a": np.array([[3, 4, 2]]) / 9, "b": np.array([[4, 4, 1]]) / 9}
    prior = pwu.Uniform(0, 1)
    pair = robust.preference(family, robust.AnyPrior(), y, models["a"], models["b"])
    table = robust.order(family, robust.AnyPrior(), y, models)
    assert {"first": "better", "second": "worse"}[pair.verdict] == table.loc["a", "b"]
    compared = pwu.compare(y * 40, {name: np.repeat(f, 40, axis=0) for name, f in models.items()},
                           pwu.PWU(family, prior), against="b", n_resamples=50)
    judged = robust.judge(compared, robust.AnyPrior())
    whole = robust.radius(family, prior, y, models["a"], models["b"], repeats=0)
    assert judged.loc["a", "radius"] == whole.value and judged.loc["a", "statement"] == "cheaper"


def test_curves_whose_edges_differ_in_the_last_digit_have_no_piece_between():
    family, y = pwu.RejectOption(3), [1]
    one, two = (robust.cost_curve(family, y, np.array([row]) / 9) for row in ([3, 4, 2], [4, 4, 1]))
    pair = robust.preference(family, robust.AnyPrior(), y, np.array([[3, 4, 2]]) / 9, np.array([[4, 4, 1]]) / 9)
    assert (one - two).peak(0, 1).value == pytest.approx(pair.high, abs=1e-12)


@pytest.mark.parametrize("given", [
    {"models": {"a": (F, F)}},
    {"y_true": np.ma.array(Y, mask=F > 0.9)}, {"y_true": Y[:, None]}, {"models": F}, {"seed": 1.5},
    {"y_true": pd.Series(Y), "models": {"a": pd.Series(F)[::-1]}}])
def test_what_cannot_be_recalibrated_by_position_is_refused(given):
    with pytest.raises(ValueError):
        recalibrated(**{"y_true": Y, "models": {"a": F}} | given)
    assert recalibrated(pd.Series(Y), pd.DataFrame({"a": F}))["a"].shape == (60,)


@pytest.mark.parametrize("unit", [1e-300, 1e-160, 1e160, 2.9e306])
def test_weights_count_relative_to_each_other_in_tallies(unit):
    ends = {}
    for weight in (1.0, unit):
        tallies = {"p": Tally(), "q": Tally()}
        for name, f in (("p", F), ("q", F / 2 + 0.25)):
            tallies[name].update(Y, f, weight=np.full(60, weight), block=np.arange(60) % 20)
        found = compare_tallies(tallies, pwu.PWU(pwu.BinaryDecision(), pwu.Beta(2, 10)), against="q").table
        ends[weight] = found.loc["p", ["difference low", "difference", "difference high"]].astype(float).tolist()
    assert ends[unit] == pytest.approx(ends[1.0], rel=1e-9) and ends[1.0][0] < ends[1.0][1] - 1e-3


def test_blocks_of_64_bits_may_be_a_list_of_python_ints():
    one, two = Tally(), Tally()
    block = [2**63 + 5, 7, 2**64 - 1]
    one.update(Y[:3], F[:3], block=block)
    two.update(Y[:3], F[:3], block=np.array(block, dtype=np.uint64))
    assert all(np.array_equal(one.counts()[name], column) for name, column in two.counts().items())


def test_counts_that_are_none_are_refused():
    with pytest.raises(ValueError, match="no cases yet"):
        Tally().net_benefit([0.5])
    with pytest.raises(ValueError, match="must be a table"):
        Tally.from_counts(None)
    tally = Tally()
    tally.update(Y, F)
    counts = pd.DataFrame(tally.counts())
    both = pd.concat([counts.assign(model=1), counts.assign(model="1")])
    with pytest.raises(ValueError, match="two models have one name"):
        Tally.from_counts(both)


def test_a_label_with_a_power_of_twenty_digits_is_a_label():
    watch = pwu_desk.Watch().update([0.1], [0.2], batch="1e99999999999999999999")
    with pytest.warns(UserWarning, match="counted before"):
        watch.update([0.1], [0.2], batch="1e99999999999999999999")
    with pytest.raises(ValueError, match="another watch"):
        watch.merge({})


def test_a_restricted_prior_with_an_infinite_mean_has_one():
    prior = Restricted(pwu.Pareto(0.5), [1.0, 9.0], [4.0, np.inf])
    below, above, mean_below, mean_above = prior.tails(np.array([2.0, 16.0]))
    assert np.all(mean_above == np.inf) and np.all(np.isfinite(mean_below)) and np.allclose(below + above, 1)
    found = robust.preference(pwu.SelectivePrediction(), robust.BoundedRatio(pwu.Pareto(0.5), 2), [0.0, 0.0],
                              ([0.0, 0.0], [1.0, 2.0]), ([9.0, 9.0], [1.0, 2.0]))
    assert found.verdict == "first" and not np.isnan([found.low, found.high]).any()


@pytest.mark.parametrize("prior", [pwu.Pareto(0.5), pwu.Mixture([pwu.Pareto(0.5), pwu.Gamma(2, 3)], [0.5, 0.5])])
def test_a_mean_between_two_places_is_finite_where_that_of_the_tail_is_not(prior):
    low = Restricted(prior, [2.0], [np.inf])
    x = np.linspace(10, 20, 200_001)
    assert low.partial_mean(10, 20) == pytest.approx(np.trapezoid(x * low.pdf(x), x), rel=1e-6)
    data = [0.3, 1.0, 2.0], (np.zeros(3), np.full(3, 0.7)), (np.full(3, 0.4), np.full(3, 1.3))
    found = robust.preference(pwu.SelectivePrediction(), robust.BoundedRatio(prior, 2), *data)
    one, two = (pwu.PWU(pwu.SelectivePrediction(), prior)(data[0], *each) for each in data[1:])
    assert found.low <= one - two <= found.high and np.isfinite([found.low, found.high]).all()


@pytest.mark.parametrize("within", [
    robust.Statements([(0, 5, 1)]), robust.Quantiles({0.0: 0.0, 5.0: 1.0}), robust.BoundedRatio(pwu.Uniform(0, 3), 2)])
def test_a_cost_that_grows_with_the_price_needs_no_more_than_a_bounded_set(within):
    family = pwu.CostMatrix([[0.0, 4.0], [1.0, 1.0]], price=[[1.0, 1.0], [2.0, 2.0]])
    rows = np.column_stack([1 - F, F])
    found = robust.interval(family, within, Y.astype(int), rows)
    score = pwu.PWU(family, pwu.Uniform(0, 3))(Y.astype(int), rows)
    assert found.lower < score < found.upper < 10 * score


@pytest.mark.parametrize(("prior", "high"), [(pwu.Beta([1, 2], 3), [1.0]), (pwu.Beta(1, 3), ["a"]),
                                            (pwu.Beta(1, 3), np.ma.array([1.0], mask=[True]))])
def test_a_restricted_prior_refuses_what_it_cannot_read(prior, high):
    with pytest.raises(ValueError, match="prior for each case|high"):
        Restricted(prior, [0.0], high)


def test_cases_of_weight_zero_do_not_stop_a_radius():
    weight = np.r_[1.0, np.zeros(59)]
    found = robust.radius(pwu.BinaryDecision(), pwu.Beta(2, 10), Y, F, F / 2, sample_weight=weight, repeats=50)
    assert found.lower == found.value  # one case: each resample is the sample


@pytest.mark.parametrize("family", ["answers", "reject"])
def test_thirty_two_bits_are_read_by_their_decimals_when_a_case_is_handed_over(family):
    sure, price = np.array([0.7, 0.9, 0.5]), 0.3
    if family == "answers":
        make = lambda f: pwu_desk.hand_over(pwu.Answers(), price, [1] * 3, [1, 1, 0], f)  # noqa: E731
    else:
        make = lambda f: pwu_desk.hand_over(pwu.RejectOption(2), price, [0] * 3,  # noqa: E731
                                            np.column_stack([f, np.array(["0.3", "0.1", "0.5"], f.dtype)]))
    assert make(sure.astype(np.float32)) == make(sure)


def test_a_mask_in_32_bits_is_not_dropped():
    for bits in (np.float16, np.float32, float):
        with pytest.raises(ValueError, match="mask"):
            pwu_desk.hand_over(pwu.Answers(), 0.3, [1, 1], [1, 0], np.ma.array([0.5, 0.9], bits, mask=[False, True]))


def test_bits_and_order_of_confidences():
    y, answers, sure = pd.Series([1, 1, 1]), [1, 1, 0], pd.Series([0.8, 0.9, 0.5], dtype=np.float32)
    with pytest.raises(ValueError, match="different orders"):
        pwu_desk.hand_over(pwu.Answers(), 0.2, y, answers, sure[::-1])
    shares = {pwu_desk.hand_over(pwu.Answers(), 0.2, y, answers, given).share for given in (
        sure, sure.astype("Float32"), list(sure.to_numpy()), sure.to_numpy(), [0.8, 0.9, 0.5])}
    assert len(shares) == 1
    rows = np.array([[0.3, 0.3, 0.4], [0.1, 0.2, 0.7]], dtype=np.float16)
    assert pwu_desk.hand_over(pwu.RejectOption(3), 0.3, [2, 2], rows).share == 0.75


def test_a_price_near_zero_has_a_threshold_below_one():
    assert pwu_desk.hand_over(pwu.Answers(), 1e-13, [1, 1], [1, 0], [1.0, 0.9]).threshold < 1


def test_a_group_that_is_missing_in_a_list_of_text_is_missing():
    groups = ["a", float("nan")] * 30
    with pytest.raises(ValueError, match=r"groups\[1\] is missing"):
        pwu.compare(Y, {"a": F, "b": F / 2}, pwu.PWU(pwu.BinaryDecision(), pwu.Beta(2, 10)), groups=groups)


def test_a_prior_for_each_case_in_another_order_is_refused_where_labels_lack():
    ends = pd.Series(np.linspace(1, 3, 60))[::-1]
    y = pd.Series(np.where(F > 0.9, np.nan, Y))
    with pytest.raises(ValueError, match="different orders"):
        robust.missing_labels(pwu.BinaryDecision(), pwu.Beta(ends, 3), y, F, F / 2)


TABLE = pd.DataFrame({"y": Y.astype(int), "a": F.round(4), "b": (F / 2).round(4)})


@pytest.mark.parametrize(("make", "words"), [
    (lambda table: table.rename(columns={"b": "a"}), "two columns are called 'a'"),
    (lambda table: table.head(0), "no rows"), (lambda table: table.to_dict(), "source must be"),
    (lambda table: table.to_numpy(), "source must be"), (lambda table: None, "source must be")])
def test_tables_that_cannot_be_read_are_refused(make, words):
    with pytest.raises(ValueError, match=words):
        pwu_desk.read(make(TABLE), "y")


@pytest.mark.parametrize(("options", "words"), [
    ({"models": ["a"]}, "names stand between commas"), ({"missing": "x"}, "missing must be"),
    ({"only": 3}, "only must be str"),
    ({"missing": "bounds"}, "robust.missing_labels"), ({"models": "a,b", "coverage": "90"}, "coverage must be")])
def test_options_of_another_type_are_refused(options, words):
    with pytest.raises(ValueError, match=words):
        pwu_desk.read(TABLE, "y", **options)


def test_a_table_is_read_as_a_file_of_it_would_be():
    whole = TABLE.rename(columns={"a": 0, "b": ("q", 1)}).assign(
        day=pd.Timestamp("2026-01-31"), kind=pd.Categorical(["x", "z"] * 30), c=F.astype(np.float16))
    found = pwu_desk.read(whole, "y", models="0")
    assert list(found.models) == ["0"] and found.models["0"].tolist() == TABLE["a"].tolist()
    assert whole.columns[1] == 0  # the table itself is left as it is


def test_bands_are_those_of_the_columns_by_name():
    costs = pd.DataFrame([[0.0, 9.0], [2.0, 1.0]], index=["home", "ward"], columns=["well", "ill"])
    family, price = pwu.CostMatrix(costs, price=[[0, 0], [1, 1]]), [0.5, 1.0]
    y = np.where(Y == 1, "ill", "well")
    one, two = pd.DataFrame({"well": 1 - F, "ill": F}), pd.DataFrame({"well": 1 - F**2, "ill": F**2})
    same = bands(family, price, y, [(one,), (two,)], 0, repeats=50)[1]
    assert np.array_equal(bands(family, price, y, [(one,), (two[["ill", "well"]],)], 0, repeats=50)[1], same)


SCORE = pwu.PWU(pwu.BinaryDecision(), pwu.Beta(2, 10))
MODELS = {"a": F, "b": F / 2, "c": F**3}


def test_with_few_events_each_model_may_be_the_best_against_one_in_use_too():
    y = np.zeros(60)
    y[[50, 55]] = 1
    for against in (None, "a"):
        found = pwu.compare(y, MODELS, SCORE, against=against, n_resamples=100)
        assert found.table["may be best"].all() and "only 2 events" in " ".join(found.words)


def test_few_blocks_decide_nothing():
    far = {"a": F, "b": 1 - F}
    for blocks, few in ((30, True), (12, True), (4, False)):
        found = pwu.compare(Y, far, SCORE, blocks=blocks, n_resamples=100)
        assert (found.table["verdict"].iloc[1] == "not separable") == few, blocks
        assert ("blocks" in found.words[0]) == few


def test_models_that_share_few_cases_are_not_compared_by_long_blocks():
    lacks = {"a": F, "b": np.where(np.arange(60) < 8, F / 2, np.nan)}
    with pytest.raises(ValueError, match="share 8 cases, which are less than two blocks of 5"):
        pwu.compare(Y, lacks, SCORE, blocks=5, against="a", n_resamples=50)
    with pytest.raises(ValueError, match="no case of a positive weight"):
        pwu.compare(Y, lacks, SCORE, sample_weight=(np.arange(60) >= 8) * 1.0, against="a", n_resamples=50)
    with pytest.raises(ValueError, match="no case of a positive weight has a forecast of every model"):
        pwu.compare(Y, lacks, SCORE, sample_weight=(np.arange(60) >= 8) * 1.0, n_resamples=50)


def test_a_case_of_weight_zero_is_none_in_normal_intervals():
    weight = np.r_[np.ones(40), np.zeros(20)]
    whole = pwu.compare(Y, MODELS, SCORE, interval="normal", sample_weight=weight)
    part = pwu.compare(Y[:40], {name: f[:40] for name, f in MODELS.items()}, SCORE, interval="normal",
                       sample_weight=weight[:40])
    pd.testing.assert_frame_equal(whole.table, part.table)
    alone = pwu.compare(Y, MODELS, SCORE, interval="normal", sample_weight=np.r_[1.0, 1.0, np.zeros(58)])
    assert "In all 60" not in str(alone)


def test_margins_say_what_they_need():
    with pytest.raises(ValueError, match="needs a candidate"):
        pwu.compare(Y, {"a": F}, SCORE, against="a", margin="5%")
    with pytest.raises(ValueError, match="or a loss is infinite"):
        pwu.compare(Y, {"a": np.where(Y == 1, 0.0, F), "b": F}, metrics.log_loss, against="a", margin=0.1)
    rare = np.r_[1, 1, 1, np.zeros(57)]
    found = pwu.compare(rare, {"a": F, "b": F / 2}, SCORE, against="a", margin="5%", n_resamples=50)
    assert "only 3 events" in str(found)


def test_a_metric_that_sorts_in_place_spoils_nobodys_numbers():
    def sorts(y_true, y_prob):
        value = float(np.mean((y_true - y_prob) ** 2))
        y_prob.sort()
        return value

    pair = [(np.array([0.9, 0.2, 0.4, 0.3]),), (np.array([0.1, 0.8, 0.3, 0.6]),)]
    alignment.refute(sorts, pwu.BinaryDecision(), y_true=[1, 0, 1, 0], forecasts=pair)
    assert pair[0][0].tolist() == [0.9, 0.2, 0.4, 0.3]
    labels = alignment.refute(lambda y, f: float(np.mean(np.where(y == 1, 1 - f, f))), pwu.BinaryDecision(),
                              y_true=[1, 0, 1, 0], forecasts=pair)
    assert labels is None or labels.comparisons


def test_groups_and_blocks_are_not_both_drawn():
    with pytest.raises(ValueError, match="not both"):
        paired_bootstrap(lambda sample: [F[sample].mean()], 60, groups=np.arange(60) // 3, blocks=5)


@pytest.mark.parametrize("law", [st.rice(1), st.f(5, 5), st.f(3, 9), st.betaprime(2, 3), st.mielke(2, 3), st.fisk(2.1),
                                 st.burr(3, 2)], ids=lambda law: law.dist.name)
def test_priors_of_scipy_with_heavy_tails_are_integrated(law):
    score = pwu.PWU(pwu.SelectivePrediction(), law)
    t = np.array([0.5, 2.0, 50.0])
    exact = [quad(lambda x: x * law.pdf(x), 0, end, limit=200)[0] for end in t]
    assert score.priors[0].partial_mean(0, t) == pytest.approx(exact, rel=1e-7)
    assert score.priors[0].mass(0, 2.0) == pytest.approx(law.cdf(2.0), rel=1e-12)


def test_limits_at_one_and_powers_that_a_parameter_decides():
    p, k = sympy.symbols("p k")
    power = 1 / sympy.sqrt(p) + sympy.sqrt(p) + sympy.sqrt(1 - p)
    assert symbolic.binary_prior(power, power.subs(p, 1 - p), p).mass == sympy.oo
    open_power = symbolic.binary_prior((1 - p ** (k - 1)) / (k - 1) - (1 - p**k) / k, p**k / k, p)
    known = symbolic.binary_prior(*(loss.subs(k, sympy.Rational(1, 2)) for loss in (
        (1 - p ** (k - 1)) / (k - 1) - (1 - p**k) / k, p**k / k)), p)
    assert open_power.mass == known.mass == sympy.oo and open_power.finite == known.finite


def test_partial_means_between_edges_are_finite_where_that_of_the_tail_is_not():
    for prior in (pwu.Pareto(0.5), Restricted(pwu.Pareto(0.5), [0.5], [np.inf])):
        mass, mean = between(prior, np.array([0.0, 1.0, 2.0, np.inf]))
        assert mass.tolist() == pytest.approx([0.5, 0.25, 0.25]) and mean[2] == np.inf
        assert mean[:2].tolist() == pytest.approx([0.5 * np.log(2), 0.5 * np.log(2)])


def test_rows_that_sum_to_nothing_like_one_are_not_made_to():
    rows = np.array([[0.3, 0.3], [0.1, 0.2]], dtype=np.float32)
    with pytest.raises(ValueError, match="sum to 1"):
        pwu_desk.hand_over(pwu.RejectOption(2), 0.3, [1, 1], rows)
    table = pd.DataFrame({"y": [1.0, 2.0, "n.d."] * 10, "a_q10": 0.0, "a_q90": 3.0})
    with pytest.raises(ValueError) as refused:
        pwu_desk.read(table, "y", "orders")
    assert "not known yet" not in str(refused.value)


@pytest.mark.parametrize("models", [1, 2, 3, 4])
def test_cases_of_weight_zero_leave_the_table_of_the_others(models):
    """As ipcw gives them to who was lost early; with three models or more this was an IndexError."""
    rng = np.random.default_rng(0)
    y, weight = pwu.ipcw(rng.exponential(1, 80), rng.integers(0, 2, 80), horizon=1.0)
    forecasts = {name: rng.random(80) for name in "abcd"[:models]}
    score, kept = pwu.PWU(pwu.BinaryDecision(), pwu.Beta(2, 5)), weight > 0
    assert 0 < kept.sum() < 80
    whole = pwu.compare(y, forecasts, score, sample_weight=weight).table
    rest = pwu.compare(y[kept], {name: f[kept] for name, f in forecasts.items()}, score, sample_weight=weight[kept])
    pd.testing.assert_frame_equal(whole, rest.table)


@pytest.mark.parametrize("columns", [[1, 2, 3], [30, 20, 10], ["a", "a", "b"], [0.0, "b", "c"]])
def test_classes_are_called_by_text_or_counted(columns):
    costs = pd.DataFrame([[0, 10, 20], [3, 0, 9], [5, 5, 0]], columns=columns)
    with pytest.raises(ValueError, match=r"costs.rename\(columns=str\)"):
        pwu.CostMatrix(costs)
    assert pwu.CostMatrix(costs.set_axis(["1", "2", "3"], axis=1)).classes == ("1", "2", "3")
    assert pwu.CostMatrix(costs.set_axis([0, 1, 2], axis=1)).classes is None


def test_masked_labels_of_named_classes_are_refused():
    costs = pwu.CostMatrix(pd.DataFrame([[0, 10], [2, 1]], columns=["b", "a"]))
    with pytest.raises(ValueError, match="masked"):
        pwu.PWU(costs)(np.ma.array(["b", "a"], mask=[False, True]), [[0.9, 0.1], [0.2, 0.8]])


def test_outputs_in_another_order_are_refused():
    y, mean = pd.DataFrame({"a": [0.0, 1], "b": [10.0, 11]}), pd.DataFrame({"b": [10.0, 11], "a": [0.0, 1]})
    with pytest.raises(ValueError, match=r"mean\[y_true.columns\]"):
        pwu.metrics.multivariate.mean_squared_error(y, mean, [np.eye(2)] * 2)
    assert pwu.metrics.multivariate.mean_squared_error(y, mean[["a", "b"]], [np.eye(2)] * 2) == 0


def test_a_missing_label_does_not_hide_another_order():
    index, score = [1.0, 2.0, 3.0, np.nan], pwu.PWU(pwu.BinaryDecision(), pwu.Beta(2, 10))
    y, f = pd.Series([1, 0, 1, 0], index), pd.Series([0.9, 0.1, 0.8, 0.2], index)
    assert score(y, f) > 0
    with pytest.raises(ValueError, match="different orders"):
        score(y, f[::-1])


@pytest.mark.parametrize("call", [lambda: pwu.Beta(2, 3).tail("belo", 0.3), lambda: pwu.Uniform(0, 1).tail(None, 0.3),
                                  lambda: pwu.Beta(2, 3).tail("below", "half"),
                                  lambda: pwu.mass_of_k(pwu.Uniform(0, 1), 2.5),
                                  lambda: pwu.mass_of_k(pwu.Uniform(0, 2), 4),
                                  lambda: pwu.mass_of_k(pwu.Dirac(1.5), 4)])
def test_a_tail_and_a_mass_check_what_they_get(call):
    with pytest.raises(ValueError):
        call()


def test_a_prior_without_a_hash_has_no_table():
    @dataclasses.dataclass
    class Line(pwu.Prior):
        tabulated = True
        support = (0.0, 1.0)
        top: float = 1.0

        def tails(self, t):
            t = np.clip(t, 0, 1)
            return t, 1 - t, t**2 / 2, 0.5 - t**2 / 2

    t = np.linspace(0, 1, 40_000)
    np.testing.assert_allclose(Line().tail("below", t), t)


def test_dominance_counts_what_grows_beyond_the_last_breakpoint():
    """Costlier everywhere, and ever more so with the price."""
    acts = pwu.CostMatrix([[0, 1], [1, 0]], price=[[1, 2], [2, 1]])
    y, a, b = [0, 1] * 30, [[0.2, 0.8], [0.8, 0.2]] * 30, [[0.8, 0.2], [0.2, 0.8]] * 30
    assert robust.dominance_test(acts, y, a, b, high=10, repeats=99).p_value < 0.05
    y_series, one = pd.Series([0, 1] * 20), pd.Series(np.linspace(0.01, 0.99, 40))
    with pytest.raises(ValueError, match="different orders"):
        robust.dominance_test(pwu.BinaryDecision(), y_series.to_list(), one, one[::-1], repeats=9)


def test_a_small_growth_of_large_costs_is_one():
    family = pwu.CostMatrix([[0, 4e10], [3e10, 1e10], [1e10, 1e10]], price=[[1, 1]] * 3)
    y, f, prior = [0, 1], [[0.9, 0.1], [0.2, 0.8]], pwu.Uniform(0, 1e10)
    low, high = robust.interval(family, prior, y, f)[:2]
    assert low == high == pytest.approx(pwu.PWU(family, prior)(y, f), rel=1e-9)


def test_acts_on_what_is_certain_say_nothing_of_a_threshold():
    told = pwu_desk.from_decisions([0.1, 0.3, 1, 1], [1, 0, 1, 0]).prior
    assert told.mass(0, 0.3) == pytest.approx(pwu_desk.from_decisions([0.1, 0.3], [1, 0]).prior.mass(0, 0.3))


def test_the_two_infinities_are_not_tied():
    found = [alignment.agreement([[np.inf], [-np.inf], *more], [[1.0], [0.0], *more])["tau"] for more in ([], [[0.5]])]
    assert found == [1.0, 1.0]


def test_refute_does_not_go_by_position_where_labels_are_in_another_order():
    y, f = pd.Series([0, 1, 1, 0]), pd.Series([0.2, 0.7, 0.6, 0.4])
    with pytest.raises(ValueError, match="different orders"):
        alignment.refute(metrics.classification.log_loss, pwu.BinaryDecision(), y_true=y, forecasts=[(f,), (f[::-1],)])


@pytest.mark.parametrize("against", ["a", "b"])
def test_judge_says_nothing_where_a_cost_grows_whichever_it_is(against):
    family = pwu.CostMatrix([[1, 1], [1, 1]], price=[[1, 0], [0, 1]])
    models = {"a": [[0.9, 0.1]] * 40, "b": [[0.1, 0.9]] * 40}
    result = pwu.compare([0] * 40, models, pwu.PWU(family, pwu.Uniform(0, 1)), against=against)
    assert robust.judge(result)["radius"].isna().all()
