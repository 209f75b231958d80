"""The Python API with a user's own objects: masks, labels in another order, 32 bits, other units, other tables."""

import numpy as np
import pandas as pd
import pytest

import pwu_desk
import pwu_lite as pwu
from pwu_desk import Tally, compare_tallies, robust
from pwu_desk.recalibration import recalibrated
from pwu_desk.robust.restricted import Restricted

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
