"""Cost matrices: against crossings written out, binary decisions and Chow's rule; ties; what is refused."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import pwu_lite as pwu
from pwu_desk import robust
from pwu_lite import alignment
from pwu_lite.metrics import multiclass

PRIORS = (pwu.Gamma(2, 0.5), pwu.Uniform(0, 2), pwu.Mixture([pwu.LogNormal(-1, 1), pwu.Dirac(0.37)], [0.5, 0.5]))


def by_crossings(costs, price, prior, y, f):
    """Cut at all crossings of all pairs of lines; in each piece the cheapest acts at its middle share the case."""
    level, slope = costs @ f, price @ f
    cuts = [0.0]
    for i in range(len(costs)):
        for j in range(i):
            if abs(slope[i] - slope[j]) > 1e-12:
                cuts.append((level[i] - level[j]) / (slope[j] - slope[i]))
    cuts = np.unique([cut for cut in cuts if cut >= 0])
    total = 0.0
    for low, high in zip(cuts, [*cuts[1:], np.inf], strict=True):
        middle = (low + high) / 2 if np.isfinite(high) else 2 * low + 1
        expected = level + middle * slope
        best = expected <= expected.min() + 1e-9
        total += (costs[best, y].mean() * prior.mass(low, high)
                  + price[best, y].mean() * prior.partial_mean(low, high))
    return total


@pytest.mark.slow
@given(st.integers(0, 10**6))
def test_against_all_crossings(seed):
    """Small whole numbers: many parallel lines, twins, and lines through one point."""
    rng = np.random.default_rng(seed)
    acts, classes = rng.integers(1, 6), rng.integers(2, 4)
    costs, price = rng.integers(0, 4, (acts, classes)) / 1.0, rng.integers(0, 3, (acts, classes)) / 1.0
    f, y = rng.multinomial(6, np.ones(classes) / classes, 5) / 6, rng.integers(0, classes, 5)
    losses = pwu.PWU(pwu.CostMatrix(costs, price), pwu.Gamma(2, 0.5)).per_sample(y, f)
    expected = [by_crossings(costs, price, pwu.Gamma(2, 0.5), label, row) for label, row in zip(y, f, strict=True)]
    np.testing.assert_allclose(losses, expected, rtol=1e-9, atol=1e-12)


def test_two_acts_on_two_classes_are_the_binary_decision(binary):
    y, f = binary
    family = pwu.CostMatrix([[0, 1], [0, 0]], [[0, -1], [1, 0]])
    for prior in (pwu.Beta(2, 10), pwu.Beta(0.5, 0.5), pwu.Beta(20, 400)):
        np.testing.assert_allclose(pwu.PWU(family, prior).per_sample(y, np.column_stack([1 - f, f])),
                                   pwu.PWU(pwu.BinaryDecision(), prior).per_sample(y, f), rtol=1e-12, atol=1e-15)


def test_chows_rule():
    rng = np.random.default_rng(1)
    f, y = rng.dirichlet(np.ones(4), 200), rng.integers(0, 4, 200)
    top, wrong = f.max(axis=1), f.argmax(axis=1) != y
    for prior in (pwu.Beta(2, 10), pwu.Uniform(0, 1)):
        expected = prior.partial_mean(0, 1 - top) + wrong * prior.mass(1 - top, 1)
        np.testing.assert_allclose(pwu.PWU(pwu.RejectOption(4), prior).per_sample(y, f), expected, rtol=1e-12)
    handed_over = pwu.RejectOption(4).act(0.45, f)[:, -1] == 1
    assert (handed_over == (top < 0.55)).all()


@pytest.mark.parametrize("prior", PRIORS, ids=str)
def test_no_order_of_acts_decides(prior):
    rng = np.random.default_rng(2)
    costs, price = rng.integers(0, 4, (5, 3)).astype(float), rng.integers(0, 3, (5, 3)).astype(float)
    f, y = rng.multinomial(6, [1 / 3] * 3, 60) / 6, rng.integers(0, 3, 60)
    losses = pwu.PWU(pwu.CostMatrix(costs, price), prior).per_sample(y, f)
    for _ in range(5):
        order = rng.permutation(5)
        moved = pwu.PWU(pwu.CostMatrix(costs[order], price[order]), prior).per_sample(y, f)
        np.testing.assert_allclose(moved, losses, rtol=1e-12, atol=1e-14)
    shares = pwu.CostMatrix(costs, price).act(0.37, f)
    np.testing.assert_allclose(shares.sum(axis=1), 1)


def test_acts_that_tie_share_the_case():
    thirds = [[1 / 3, 1 / 3, 1 / 3]]
    assert pwu.RejectOption(3).act(0.9, thirds).tolist() == [[1 / 3, 1 / 3, 1 / 3, 0]]
    for label in range(3):
        assert pwu.RejectOption(3).utility(0.9, [label], thirds) == pytest.approx(-2 / 3)
        assert pwu.PWU(pwu.RejectOption(3), pwu.Uniform(0.8, 0.9))([label], thirds) == pytest.approx(2 / 3)


def test_known_costs_need_no_prior():
    costs = pd.DataFrame([[0, 10], [2, 1]], index=["home", "admit"])
    family = pwu.CostMatrix(costs)
    score = pwu.PWU(family)
    assert family.acts == ("home", "admit") and family.names == ()
    assert score([0, 1, 1], [[0.95, 0.05], [0.9, 0.1], [0.2, 0.8]]) == pytest.approx((0 + 10 + 1) / 3)
    assert score.per_sample([1], [[0.2, 0.8]]).tolist() == [1.0] == [-family.utility(None, [1], [[0.2, 0.8]])]
    result = pwu.compare([0, 1] * 30, {"sharp": [[0.9, 0.1], [0.2, 0.8]] * 30, "vague": [[0.5, 0.5]] * 60}, score,
                         n_resamples=100)
    assert result.table.loc["vague", "verdict"] == "costlier"
    proof = alignment.refute(multiclass.log_loss, pwu.CostMatrix([[0, 10], [2, 1]]))
    assert proof is not None and proof.verify(multiclass.log_loss, [None])


def test_a_price_for_each_case():
    rng = np.random.default_rng(3)
    f, y, price = rng.dirichlet(np.ones(3), 20), rng.integers(0, 3, 20), rng.uniform(0.1, 0.9, 20)
    losses = pwu.PWU(pwu.RejectOption(3), pwu.Dirac(price)).per_sample(y, f)
    high = pwu.PWU(pwu.RejectOption(3), pwu.Uniform(0.0, price)).per_sample(y, f)
    for case in (0, 7):
        assert losses[case] == pwu.PWU(pwu.RejectOption(3), pwu.Dirac(price[case]))(y[[case]], f[[case]])
        assert high[case] == pytest.approx(pwu.PWU(pwu.RejectOption(3), pwu.Uniform(0, price[case]))(
            y[[case]], f[[case]]), rel=1e-12)


def test_a_scorer_takes_any_labels():
    x, y = load_wine(return_X_y=True)
    labels = np.array(["merlot", "barolo", "riesling"])[y]  # sorted: barolo, merlot, riesling
    costs = np.array([[0, 5, 9], [2, 0, 3], [4, 2, 0]])
    score = pwu.PWU(pwu.CostMatrix(costs))
    model = make_pipeline(StandardScaler(), LogisticRegression())
    search = GridSearchCV(model, {"logisticregression__C": [1e-3, 1.0]}, scoring=score.scorer(), cv=3).fit(x, labels)
    column = np.searchsorted(search.classes_, labels)
    chance = search.predict_proba(x)
    assert score.scorer()(search, x, labels) == -score(column, chance)
    assert search.best_params_ == {"logisticregression__C": 1.0}


def test_an_infinite_mean_is_paid_only_by_who_pays_the_price():
    family = pwu.CostMatrix([[0, 4], [1, 1], [0, 0]], [[0, 0], [0, 0], [1, 1]])
    assert np.isfinite(pwu.PWU(family, pwu.Pareto(0.1))([0, 1], [[0.5, 0.5], [0.9, 0.1]]))
    assert pwu.PWU(pwu.CostMatrix([[0, 0]], [[1, 1]]), pwu.Pareto(0.1))([0], [[0.5, 0.5]]) == np.inf


@pytest.mark.parametrize("act, words", [
    (lambda: pwu.CostMatrix([[0, 1], [1, 0]], [[0, -1], [0, -1]], ["a", "b"]), "makes the act 'b' free in class 1"),
    (lambda: pwu.PWU(pwu.CostMatrix([[1, 2], [1, 0]], [[-1, 0], [0, 0]]), pwu.Uniform(0, 2)),
     "above 1, where the act '0' would cost less than nothing in class 0"),
    (lambda: pwu.CostMatrix([[1, 2, 3]], [[1, 2]]), "must have the shape of costs"),
    (lambda: pwu.CostMatrix([1, 2]), "one row per act"),
    (lambda: pwu.CostMatrix([[1, np.inf]]), r"costs\[0, 1\] is inf"),
    (lambda: pwu.CostMatrix([[1, 2], [3, 4]], acts=["a", "a"]), "2 different names"),
    (lambda: pwu.PWU(pwu.CostMatrix([[0, 1]]))([0], [[0.3, 0.3, 0.4]]), "3 columns, the cost matrix has 2 classes"),
    (lambda: pwu.PWU(pwu.CostMatrix([[0, 1]]))([0], [[0.3, 0.3]]), "row 0 sums to 0.6"),
    (lambda: pwu.PWU(pwu.CostMatrix([[0, 1]]), pwu.Uniform(0, 1)), "takes no prior; got 1"),
    (lambda: pwu.CostMatrix([[0, 1]]).utility(0.3, [0], [[0.5, 0.5]]), "theta must be None"),
    (lambda: pwu.RejectOption(1), "at least 2")])
def test_refusals(act, words):
    with pytest.raises(ValueError, match=words):
        act()


@given(st.integers(0, 10**6))
def test_the_curve_is_the_cost_at_each_price(seed):
    """At prices between changes of act, at the changes themselves, and where three lines meet; with weights."""
    rng = np.random.default_rng(seed)
    costs, price = rng.integers(0, 4, (4, 3)) / 1.0, rng.integers(0, 3, (4, 3)) / 1.0
    f, y, weight = rng.multinomial(6, [1 / 3] * 3, 8) / 6, rng.integers(0, 3, 8), rng.integers(1, 4, 8) / 1.0
    family = pwu.CostMatrix(costs, price)
    edges = family.breakpoints(family.read(y, f))[1]
    thetas = np.concatenate([edges[edges > 0], rng.uniform(0.01, 5, 10)])
    expected = [-np.average(family.cost(theta, y, f), weights=weight) for theta in thetas]
    np.testing.assert_allclose(family.utility(thetas, y, f, sample_weight=weight), expected, rtol=1e-9, atol=1e-12)


def test_a_forbidden_act_changes_nothing():
    """A dominated act with a cost of 1e12 neither ties others nor moves the score."""
    f, y = np.random.default_rng(4).dirichlet(np.ones(2), 30), np.arange(30) % 2
    for price in (None, [[0, 1], [1, 0]]):
        costs = [[0.003, 0.009], [0.008, 0.001]]
        priors = () if price is None else (pwu.Gamma(2, 0.001),)
        alone = pwu.PWU(pwu.CostMatrix(costs, price), *priors)(y, f)
        more = None if price is None else [*price, [0, 0]]
        assert pwu.PWU(pwu.CostMatrix([*costs, [1e12, 1e12]], more), *priors)(y, f) == pytest.approx(alone, rel=1e-12)


def test_a_scorer_finds_named_classes():
    x, y = load_wine(return_X_y=True)
    labels = np.array(["merlot", "barolo", "riesling"])[y]
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(x, labels)
    costs = pd.DataFrame([[0, 5, 9], [2, 0, 3], [4, 2, 0]], columns=["riesling", "barolo", "merlot"])
    plain = pwu.CostMatrix(costs[["barolo", "merlot", "riesling"]].to_numpy())
    assert pwu.PWU(pwu.CostMatrix(costs)).scorer()(model, x, labels) == pytest.approx(
        pwu.PWU(plain).scorer()(model, x, labels))
    with pytest.raises(ValueError, match="the costs are for"):
        pwu.PWU(pwu.CostMatrix(costs.rename(columns={"merlot": "syrah"}))).scorer()(model, x, labels)
    with pytest.raises(ValueError, match="pos_label is for one event"):
        pwu.PWU(plain).scorer(pos_label="merlot")


def test_small_units_and_certain_forecasts_compare():
    rng = np.random.default_rng(5)
    y, f = rng.integers(0, 2, 60), rng.dirichlet(np.ones(2), 60)
    for unit in (1e-9, 1.0, 1e9):
        family = pwu.CostMatrix(unit * np.array([[0, 10], [2, 1], [0, 0]]), [[0, 0], [0, 0], [1, 1]])
        score = pwu.PWU(family, pwu.Uniform(0, 2 * unit))
        table = robust.judge(pwu.compare(y, {"a": f, "b": f[::-1]}, score, n_resamples=50))
        assert table["radius"].notna().sum() == 1
    sure = pwu.PWU(pwu.CostMatrix([[1, 5], [0.5, 0]], [[0, 0], [0, 1]]), pwu.Gamma(2, 1))
    table = robust.judge(pwu.compare(y, {"sure": np.eye(2)[1 - y], "b": f}, sure, n_resamples=50))
    assert table["radius"].isna().all()  # the sure one pays any price


def test_the_same_as_empulse():
    """Known costs of two acts are empulse's cost loss of the decisions, added up."""
    metrics = pytest.importorskip("empulse.metrics")
    rng = np.random.default_rng(6)
    f = rng.random(50)
    y, chance = (rng.random(50) < f).astype(int), np.column_stack([1 - f, f])
    family = pwu.CostMatrix([[0, 5.0], [2.0, 0]], acts=["wait", "act"])
    acts = family.act(None, chance).argmax(axis=1)
    assert 50 * pwu.PWU(family)(y, chance) == pytest.approx(metrics.cost_loss(y, acts, fp_cost=2.0, fn_cost=5.0))


def problems(seed):
    """Costs over twelve orders of magnitude, whole numbers that make crossings round, rows of 1e-140 beside 1e130."""
    rng = np.random.default_rng(seed)
    classes, acts, n = rng.integers(2, 5), rng.integers(2, 6), rng.integers(1, 30)
    costs = [10.0 ** rng.uniform(-6, 6, (acts, classes)), rng.integers(0, 6, (acts, classes)).astype(float),
             np.where(rng.random((acts, classes)) < 0.3, 10.0 ** rng.uniform(8, 14), rng.random((acts, classes))),
             10.0 ** rng.uniform(-140, 130, (acts, 1)) * rng.random((acts, classes))][seed % 4]
    price = rng.integers(0, 3, (acts, classes)).astype(float)
    if seed % 4 != 1:
        price = price * rng.random((acts, classes)) * 10.0 ** rng.uniform(-3, 3, (acts, 1))
    price[0, 0] += 1
    f = rng.multinomial(20, np.ones(classes) / classes, n) / 20 if seed % 2 else rng.dirichlet(np.ones(classes), n)
    return pwu.CostMatrix(costs, price), rng.integers(0, classes, n), f, rng


@pytest.mark.parametrize("seed", range(60))
def test_a_curve_keeps_its_digits_beside_any_cost(seed):
    family, y, f, rng = problems(seed)
    edges = family.breakpoints((y, f))[1]
    edges = edges[np.isfinite(edges)]
    thetas = np.unique(np.concatenate([edges, edges * (1 + 1e-15), edges * (1 - 1e-12), np.nextafter(edges, 0),
                                       10.0 ** rng.uniform(-8, 8, 10), rng.integers(1, 8, 5) / 2]))
    thetas, weight = thetas[thetas > 0], rng.random(len(y)) + 0.1
    curve = -family.utility(thetas, y, f, sample_weight=weight)
    known = [pwu.PWU(family, pwu.Dirac(theta))(y, f, sample_weight=weight) for theta in thetas.tolist()]
    np.testing.assert_allclose(curve, known, rtol=1e-11)


def test_death_beside_a_test_does_not_hide_the_test():
    """The worst outcome costs 1e14 tests and does not happen here."""
    family = pwu.CostMatrix([[0, 1e14], [0, 0]], [[0, 0], [1, 1]])
    y, f = [0] * 40 + [1], [[1.0, 0.0]] * 40 + [[0.0, 1.0]]
    assert -family.utility(1e-5, y, f) == pytest.approx(1e-5 / 41, rel=1e-12)


@pytest.mark.parametrize("seed", range(40))
def test_bounds_over_priors_are_reached_also_where_an_end_is_a_crossing(seed):
    family, y, f, rng = problems(1 + 4 * seed)
    low, high = np.sort(rng.choice(np.arange(1, 12), 2, replace=False)) / 2
    for priors in (robust.AnyPrior(low, high), robust.Mean((low + high) / 2, low, high),
                   robust.Contamination(pwu.Uniform(low, high), 0.3, robust.AnyPrior(low, high))):
        found = robust.interval(family, priors, y, f)
        for bound, prior in ((found.lower, found.lower_prior), (found.upper, found.upper_prior)):
            assert pwu.PWU(family, prior)(y, f) == pytest.approx(bound, rel=1e-8, abs=1e-12)
        inside = [pwu.PWU(family, pwu.Dirac(theta))(y, f) for theta in (low, *rng.uniform(low, high, 5), high)]
        if isinstance(priors, robust.AnyPrior):
            assert found.lower - 1e-9 <= min(inside) and max(inside) <= found.upper + 1e-9


def test_a_price_that_is_paid_at_any_height_has_bounds_on_a_bounded_range():
    family = pwu.CostMatrix([[2, 1], [1, 2]], [[1, 1], [1, 2]])
    found = robust.interval(family, robust.AnyPrior(0.1, 0.4), [0, 1], [[0.6, 0.4], [0.2, 0.8]])
    assert (found.lower, found.upper) == pytest.approx((1.1, 1.4))
    prior = pwu.Uniform(0.1, 8)
    curve = robust.cost_curve(family, [0, 1], [[0.6, 0.4], [0.2, 0.8]])
    assert curve.mean(prior) == pytest.approx(pwu.PWU(family, prior)([0, 1], [[0.6, 0.4], [0.2, 0.8]]), rel=1e-12)
    assert (curve - curve).grows == 0 and curve.value([10.0, 20.0]) == pytest.approx(
        [-family.utility(theta, [0, 1], [[0.6, 0.4], [0.2, 0.8]]) for theta in (10.0, 20.0)])
    for priors in (robust.AnyPrior(), robust.Statements([(0, 1, 0.5)]), robust.BoundedRatio(pwu.Gamma(2, 1), 2)):
        with pytest.raises(ValueError, match="grows without bound"):
            robust.interval(family, priors, [0, 1], [[0.6, 0.4], [0.2, 0.8]])


NAMED = pd.DataFrame([[0, 2, 9], [3, 1, 0]], index=["wait", "act"], columns=["no", "maybe", "yes"])


def test_classes_with_names_are_read_by_name():
    rng = np.random.default_rng(0)
    f = pd.DataFrame(rng.dirichlet([1, 1, 1], 50), columns=NAMED.columns)
    y, family = rng.integers(0, 3, 50), pwu.CostMatrix(NAMED)
    score, turned = pwu.PWU(family), f[["yes", "no", "maybe"]]
    right = score(y, f.to_numpy())
    assert right == score(y, f) == score(y, turned) == score(NAMED.columns.to_numpy()[y], turned)
    np.testing.assert_array_equal(family.act(None, f), family.act(None, turned))
    assert pwu.compare(y, {"a": f, "b": turned}, score, n_resamples=5).table["cost"].tolist() == [right, right]
    for bad, words in ((f.rename(columns={"no": "none"}), "are not the classes"),):
        with pytest.raises(ValueError, match=words):
            score(y, bad)
    with pytest.raises(ValueError, match=r"y_true\[1\] is 'never'"):
        score(["no", "never"], f[:2])


def test_half_precision_is_divided_by_its_sums():
    f = np.random.default_rng(0).dirichlet([5, 3, 2], 200)
    y, score = np.arange(200) % 3, pwu.PWU(pwu.CostMatrix(NAMED))
    half = f.astype(np.float16)
    exact = half.astype(float) / half.astype(float).sum(axis=1, keepdims=True)
    assert score(y, half) == score(y, exact)
    with pytest.raises(ValueError, match="divide each row by its sum"):
        score(y, half.astype(float))
    with pytest.raises(ValueError, match="must sum to 1"):
        score(y, (1.02 * f).astype(np.float16))


@pytest.mark.slow
def test_a_case_alone_has_the_digits_that_it_has_among_others():
    """A product of matrices would round by the number of rows."""
    rng = np.random.default_rng(8)
    costs, price = rng.random((5, 9)), rng.random((5, 9))
    family, f = pwu.CostMatrix(costs, price), rng.dirichlet(np.ones(9), 300)
    y, whole = rng.integers(0, 9, 300), None
    for size in (1, 2, 3, 7, 300):
        rows = [slice(at, at + size) for at in range(0, 300, size)]
        shares = np.vstack([family.act(0.5, f[part]) for part in rows])
        losses = np.concatenate([family.per_sample(pwu.Gamma(2, 1), y[part], f[part]) for part in rows])
        whole = (shares, losses) if whole is None else whole
        np.testing.assert_array_equal(shares, whole[0])
        np.testing.assert_array_equal(losses, whole[1])


def test_the_worst_price_may_lie_beyond_the_last_change_of_act():
    """From .5 on nobody pays for the test, and the ill case costs 1; at .5 itself both acts tie."""
    family = pwu.CostMatrix([[0, 1.0], [0, 0]], price=[[0, 0], [1, 1.0]])
    curve = robust.cost_curve(family, [1], [[0.5, 0.5]])
    assert curve.peak(0, np.inf).value == 1.0 == robust.interval(family, robust.AnyPrior(), [1], [[0.5, 0.5]]).upper
    assert curve.value([0.25, 0.5, 0.75]).tolist() == [0.25, 0.75, 1.0]


@pytest.mark.parametrize("seed", range(4))
def test_no_price_is_lost_between_the_acts(seed):
    """If a class costs the same under all acts, its loss is that, however alike the acts' expected costs are."""
    rng = np.random.default_rng(seed)
    for _ in range(150):
        acts, base = int(rng.integers(2, 6)), float(rng.choice([1, 5, 10]))
        costs = np.column_stack([np.full(acts, base), rng.integers(0, 10, acts)])
        price = np.column_stack([np.zeros(acts), rng.integers(0, 6, acts)])
        rare = 10.0 ** -np.arange(1, 17)
        family = pwu.CostMatrix(costs, price)
        f = np.column_stack([1 - rare, rare])
        losses = pwu.PWU(family, pwu.Uniform(0, 4)).per_sample(np.zeros(rare.size, int), f)
        np.testing.assert_allclose(losses, base, rtol=1e-12)
        y = rng.integers(0, 2, rare.size)
        case, start, end, *_ = family._segments(y, f)
        np.testing.assert_allclose(np.bincount(case, np.minimum(end, 4) - np.minimum(start, 4)), 4, rtol=1e-15)


def test_lines_that_differ_by_rounding_share_their_prices():
    for d in 10.0 ** -np.arange(8, 17):
        family = pwu.CostMatrix([[1, 1], [1, 1 + 2 * d], [1, 1 + 4 * d]], price=np.zeros((3, 2)))
        assert pwu.PWU(family, pwu.Uniform(0, 1))([0], [[0.5, 0.5]]) == pytest.approx(1, rel=1e-12)
