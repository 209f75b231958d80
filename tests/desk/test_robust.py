"""Sets of priors: every bound against a linear program over all breakpoints, and against its own worst prior."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

import pwu_lite as pwu
from pwu_desk import robust
from pwu_lite import testing

BINARY = pwu.BinaryDecision()
STATED = [(1 / 31, 1 / 4, 0.9), (0, 1 / 11, 0.5)]
QUANTILES = {1 / 31: 0.05, 1 / 11: 0.5, 1 / 4: 0.95}
SETS = {
    "any": robust.AnyPrior(0.05, 0.5), "all": robust.AnyPrior(),
    "contamination": robust.Contamination(pwu.Beta(2, 10), 0.1),
    "within": robust.Contamination(pwu.Beta(2, 10), 0.3, within=robust.Quantiles(QUANTILES)),
    "quantiles": robust.Quantiles(QUANTILES), "statements": robust.Statements(STATED),
    "ranges": robust.Statements([(1 / 31, 1 / 4, 0.8, 0.95)]), "mean": robust.Mean(0.12),
    "ratio": robust.BoundedRatio(pwu.Beta(2, 10), 3)}


def binary(rng, n):
    """Labels and two forecasts with ties."""
    return (rng.integers(0, 2, n), *(np.round(rng.random(n), int(rng.integers(1, 3))) for _ in range(2)))


def hard(kind):
    """Forecasts that are hard on a sweep over sorted places; random ones for a number."""
    if isinstance(kind, int):
        rng = np.random.default_rng(kind)
        return binary(rng, int(rng.integers(3, 40)))
    rng = np.random.default_rng(8)
    y, a, b = rng.integers(0, 2, 50), rng.random(50), rng.random(50)
    if kind == "float32":
        a, b = a.astype(np.float32), b.astype(np.float32)
    if kind == "saturated":
        a, b = np.where(a > 0.4, np.where(a > 0.6, 1.0, np.nextafter(1, 0)), 5e-324), np.where(b > 0.5, 1.0, 0.0)
    if kind == "neighbours":
        a, b = 0.3 + np.spacing(0.3) * rng.integers(0, 4, 50), 0.3 + np.spacing(0.3) * rng.integers(0, 4, 50)
    if kind == "ties":
        a, b = np.full(50, 0.2), np.where(y, 0.2, 0.1)
    return y, a, b


def of_both(value, y, a, b):
    """What a function of the cases makes of the first forecast, minus what it makes of the second."""
    a, b = (one if isinstance(one, tuple) else (one,) for one in (a, b))
    return value(y, *a) - value(y, *b)


def difference(family, y, a, b):
    return of_both(lambda *data: robust.cost_curve(family, *data), y, a, b)


def program(curve, ends, equal=(), ranges=()):
    """The largest mean over all priors on piece ends, by a linear program: (rows, limits) of points and values."""
    cut = curve.on(np.unique(np.concatenate([curve.edges, ends])))
    start = np.concatenate([cut.edges[:-1]] * 2)
    theta, value = np.concatenate([cut.edges[:-1], cut.edges[1:]]), np.concatenate([cut.left, cut.right])
    rows = [np.ones(theta.size), *(theta if low is None else (start >= low) & (start < high) for low, high, _ in equal)]
    bounds = [((start >= low) & (start < high), least, most) for low, high, least, most in ranges]
    below = np.array([sign * row for row, *_ in bounds for sign in (1, -1)]) if bounds else None
    limits = [limit for _, least, most in bounds for limit in (most, -least)] if bounds else None
    found = linprog(-value, below, limits, np.array(rows, dtype=float), [1.0, *(mass for *_, mass in equal)], (0, None),
                    method="highs")
    return -found.fun


@pytest.mark.parametrize("kind", [*range(12), "float32", "saturated", "neighbours", "ties"])
@pytest.mark.parametrize("name", SETS)
def test_the_worst_prior_gives_the_bound(name, kind):
    priors, (y, a, b) = SETS[name], hard(kind)
    for one, two in ((a, b), (b, a)):
        found = priors.upper(difference(BINARY, y, one, two))
        assert of_both(pwu.PWU(BINARY, found.prior), y, one, two) == pytest.approx(found.value, abs=1e-13)
        if isinstance(priors, robust.Statements):
            assert priors.holds_for(found.prior)
        if isinstance(priors, robust.AnyPrior):
            places = np.linspace(priors.low or 0.01, priors.high or 0.99, 200)
            costs = BINARY.utility(places, y, two) - BINARY.utility(places, y, one)
            assert costs.max() <= found.value + 1e-15


@pytest.mark.parametrize("seed", range(12))
def test_bounds_equal_a_linear_program_over_all_breakpoints(seed):
    rng = np.random.default_rng(100 + seed)
    curve = difference(BINARY, *binary(rng, int(rng.integers(3, 40))))
    ends = [1 / 31, 1 / 11, 1 / 4]
    cells = [(0, 1 / 31, 0.05), (1 / 31, 1 / 11, 0.45), (1 / 11, 1 / 4, 0.45)]
    wanted = {"quantiles": program(curve, ends, cells), "statements": program(curve, ends, STATED),
              "ranges": program(curve, ends, ranges=[(1 / 31, 1 / 4, 0.8, 0.95)]), "all": program(curve, ends),
              "mean": program(curve, ends, [(None, None, 0.12)])}
    for name, value in wanted.items():
        assert SETS[name].upper(curve).value == pytest.approx(value, abs=1e-9), name


@pytest.mark.parametrize("seed", range(6))
def test_the_shortfall_against_a_fine_grid(seed):
    rng = np.random.default_rng(200 + seed)
    curve = difference(BINARY, *binary(rng, 25))
    values = np.sort(curve.value(pwu.Beta(2, 10).ppf((np.arange(300_000) + 0.5) / 300_000)))[::-1]
    assert SETS["ratio"].upper(curve).value == pytest.approx(values[:100_000].mean(), abs=3e-5)


@given(st.integers(0, 10_000))
@settings(max_examples=40, deadline=None)
def test_no_member_of_a_set_exceeds_its_bound(seed):
    rng = np.random.default_rng(seed)
    curve = difference(BINARY, *binary(rng, 20))
    stated = pwu.Beta(2, 10)
    q = pwu.Beta(*rng.uniform(0.5, 5, 2))
    assert curve.mean(pwu.Mixture([stated, q], [0.9, 0.1])) <= SETS["contamination"].upper(curve).value + 1e-12
    parts = [pwu.Uniform(lo + (hi - lo) * u, hi - (hi - lo) * v) for lo, hi, u, v in
             zip([0, 1 / 31, 1 / 11, 1 / 4], [1 / 31, 1 / 11, 1 / 4, 1], *rng.uniform(0, 0.45, (2, 4)), strict=True)]
    prior = pwu.Mixture(parts, [0.05, 0.45, 0.45, 0.05])
    assert SETS["quantiles"].holds_for(prior) and SETS["statements"].holds_for(prior)
    low, high = SETS["statements"].lower(curve).value, SETS["statements"].upper(curve).value
    assert low - 1e-12 <= curve.mean(prior) <= high + 1e-12
    beta = pwu.Beta(1.0 + 10 * rng.random(), 1.0 + 10 * rng.random())
    assert curve.mean(beta) <= robust.Mean(beta.mean).upper(curve).value + 1e-12


def other_families(rng):
    y = rng.normal(size=30)
    one, two = ((rng.normal(size=30), np.round(rng.uniform(0.2, 2, 30), 1)) for _ in range(2))
    hits, a, b = binary(rng, 20)
    classes = rng.integers(0, 3, 15)
    f, g = (rng.dirichlet([1, 1, 1], 15) for _ in range(2))
    return {"selective": (pwu.SelectivePrediction(), y, one, two, pwu.Beta(2, 10, scale=4), 4.0),
            "top-k": (pwu.TopK(), hits, a, b, pwu.Beta(2, 5), 1.0),
            "one vs rest": (pwu.OneVsRest(BINARY), classes, f, g, pwu.Beta(2, 5), 1.0),
            "retention": (pwu.Retention(), np.abs(y[:20]), a, b, pwu.Uniform(0, 1), 1.0)}


@pytest.mark.parametrize("name", ["selective", "top-k", "one vs rest", "retention"])
def test_any_family_whose_breakpoints_are_known(name):
    family, y, a, b, prior, high = other_families(np.random.default_rng(3))[name]
    curve = difference(family, y, a, b)
    for some in (prior, pwu.Dirac(0.3), pwu.Mixture([prior, pwu.Dirac(0.25)], [0.5, 0.5])):
        assert curve.mean(some) == pytest.approx(of_both(pwu.PWU(family, some), y, a, b), abs=1e-13)
    for priors in (robust.AnyPrior(), robust.Quantiles({0.2: 0.5}), robust.Statements([(0.1, 0.33, 0.6)]),
                   robust.Mean(0.3, high=high), robust.BoundedRatio(prior, 2)):
        found = priors.upper(curve)
        assert of_both(pwu.PWU(family, found.prior), y, a, b) == pytest.approx(found.value, abs=1e-12), priors


@pytest.mark.parametrize("unit", [1e-60, 1e-6, 1.0, 1e6, 1e60])
def test_verdicts_do_not_depend_on_the_unit_of_y(unit):
    rng = np.random.default_rng(5)
    y, (m, s), (m2, s2) = rng.normal(size=40), rng.normal(size=(2, 40)), rng.normal(size=(2, 40))
    a, b = (m, np.abs(s) + 0.1), (m2, np.abs(s2) + 0.1)
    family, stated = pwu.SelectivePrediction(), pwu.Beta(2, 10, scale=4)
    wanted = robust.radius(family, stated, y, a, b, repeats=0)
    scaled = robust.radius(family, pwu.Beta(2, 10, scale=4 * unit**2), y * unit, tuple(part * unit for part in a),
                           tuple(part * unit for part in b), repeats=0)
    assert scaled.value == pytest.approx(wanted.value, rel=1e-9) and scaled.winner == wanted.winner


def test_intervals_contain_the_scores_of_members():
    y, a, _ = binary(np.random.default_rng(1), 60)
    found = robust.interval(BINARY, robust.Contamination(pwu.Beta(2, 10), 0.2), y, a)
    assert found.lower <= pwu.PWU(BINARY, pwu.Beta(2, 10))(y, a) <= found.upper
    assert pwu.PWU(BINARY, found.lower_prior)(y, a) == pytest.approx(found.lower, abs=1e-13)


def test_a_single_prior_is_a_set():
    y, a, b = binary(np.random.default_rng(1), 60)
    prior = pwu.Beta(2, 10)
    gap = of_both(pwu.PWU(BINARY, prior), y, a, b)
    found = robust.preference(BINARY, prior, y, a, b)
    assert found.low == found.high == pytest.approx(gap) and found.verdict == ("first" if gap < 0 else "second")


@pytest.mark.parametrize("seed", range(5))
def test_certain_preference_is_a_strict_partial_order(seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, 30)
    models = {name: np.clip(0.5 + (y - 0.5) * skill + rng.normal(0, 0.2, 30), 0, 1)
              for name, skill in zip("abcde", [0.9, 0.7, 0.5, 0.3, 0.1], strict=True)}
    table = robust.order(BINARY, robust.Statements(STATED), y, models)
    better = table == "better"
    assert (better.T == (table == "worse")).all(axis=None)
    for x in models:
        for z in models:
            if any(better.loc[x, m] and better.loc[m, z] for m in models):
                assert better.loc[x, z]
    assert table.maximal == [name for name in models if not better[name].any()] and table.maximal
    wide = robust.order(BINARY, robust.AnyPrior(), y, models)
    assert not ((wide == "better") & ~better).any(axis=None)  # a larger set decides no other pair
    for x in models:
        for z in models:
            ends = [robust.interval(BINARY, robust.Statements(STATED), y, models[name]) for name in (x, z)]
            assert not ends[0].upper < ends[1].lower or better.loc[x, z]  # interval dominance is certain


def test_models_that_cost_the_same_everywhere_are_undecided():
    y, a, _ = binary(np.random.default_rng(1), 60)
    assert robust.preference(BINARY, robust.AnyPrior(), y, a, a.copy()).verdict == "undecided"
    assert robust.radius(BINARY, pwu.Beta(2, 2), y, a, a, repeats=0)[:3][0] == 0.0


def test_the_radius_is_where_the_contamination_flips():
    stated = pwu.Beta(2, 10)
    for within, seed in ((None, 11), (robust.Quantiles(QUANTILES), 12), (robust.AnyPrior(0.02, 0.6), 11)):
        y, a, b = binary(np.random.default_rng(seed), 80)
        found = robust.radius(BINARY, stated, y, a, b, within, repeats=0)
        curve = difference(BINARY, y, a, b)
        curve = curve if found.winner == "first" else -curve
        assert 0 < found.value < 1
        assert robust.Contamination(stated, found.value, within).upper(curve).value == pytest.approx(0, abs=1e-15)
        verdicts = [robust.preference(BINARY, robust.Contamination(stated, share, within), y, a, b).verdict
                    for share in (found.value - 1e-6, found.value + 1e-6)]
        assert verdicts == [found.winner, "undecided"]


def test_the_radius_is_one_under_dominance():
    y = np.array([0, 1] * 20)
    good, bad = np.where(y == 1, 0.8, 0.2), np.where(y == 1, 0.6, 0.4)
    found = robust.radius(BINARY, pwu.Beta(2, 10), y, bad, good, repeats=50)
    assert (found.value, found.winner, found.lower) == (1.0, "second", 1.0)
    assert robust.preference(BINARY, robust.AnyPrior(), y, good, bad).verdict == "first"


def test_the_bound_of_the_radius_depends_on_nothing_but_the_data():
    rng = np.random.default_rng(4)
    y, a, b = binary(rng, 120)
    one = robust.radius(BINARY, pwu.Beta(2, 10), y, a, b, repeats=60, seed=1)
    mixed = rng.permutation(120)
    two = robust.radius(BINARY, pwu.Beta(2, 10), y[mixed], a[mixed], b[mixed], repeats=60, seed=1)
    assert two.lower == pytest.approx(one.lower) and one.lower <= one.value
    whole = robust.radius(BINARY, pwu.Beta(2, 10), y, a, b, repeats=60, seed=1, groups=np.arange(120))
    assert whole.lower == pytest.approx(one.lower, abs=0.1)


def test_the_radius_of_top_k_and_selective_prediction():
    for name in ("selective", "top-k"):
        family, y, a, b, prior, _ = other_families(np.random.default_rng(3))[name]
        found = robust.radius(family, prior, y, a, b, repeats=30)
        assert 0 <= found.lower <= 1 and found.winner in ("first", "second")


@pytest.mark.weekly
def test_dominance_is_rejected_where_it_fails_and_seldom_where_it_holds():
    rng = np.random.default_rng(0)
    y = rng.random(400) < 0.3
    skilled, vague = np.clip(0.3 + 0.4 * (y - 0.3) + rng.normal(0, 0.1, 400), 0.01, 0.99), np.full(400, 0.3)
    assert robust.dominance_test(BINARY, y, vague, skilled, repeats=199).p_value == pytest.approx(0.005)
    assert robust.dominance_test(BINARY, y, skilled, vague, 0.1, 0.6, repeats=199).p_value > 0.2
    small = []
    for _ in range(120):  # two forecasts with the same law: dominance holds with equality
        p = rng.random(60)
        y = rng.random(60) < p
        noise = rng.normal(0, 0.15, (2, 60))
        a, b = np.clip(p + noise, 0, 1)
        small.append(robust.dominance_test(BINARY, y, a, b, repeats=39, seed=int(rng.integers(1e6))).p_value <= 0.1)
    assert np.mean(small) < 0.18


def test_a_restricted_prior_is_a_prior():
    for prior in (pwu.Beta(2, 5), pwu.Uniform(0, 1)):
        testing.check_prior(robust.Restricted(prior, [0.05], [0.9]))
        parts, one = [(0.05, 0.2), (0.3, 0.9)], robust.Restricted(prior, [0.05, 0.3], [0.2, 0.9])
        whole = sum(prior.mass(*part) for part in parts)
        assert one.mass(0.1, 0.5) == pytest.approx((prior.mass(0.1, 0.2) + prior.mass(0.3, 0.5)) / whole)
        assert one.partial_mean(0.0, 0.5) == pytest.approx(
            (prior.partial_mean(0.05, 0.2) + prior.partial_mean(0.3, 0.5)) / whole)
        levels = np.linspace(0, 1, 50)
        assert one.mass(-1, one.ppf(levels)) == pytest.approx(levels)
        assert not one.pdf(0.25) and one.pdf(0.4) == pytest.approx(prior.pdf(0.4) / whole)


CASES = [0, 1], [0.2, 0.6]
TWO = [0, 1, 1], [0.2, 0.6, 0.4], [0.3, 0.6, 0.1]
CURVE, COMMON = robust.cost_curve(BINARY, *CASES), pwu.Beta(2, 2)
OVERLAP = [(0, 0.2, 0.9), (0.1, 0.5, 0.9), (0.5, 1, 0.5)]


@pytest.mark.parametrize("call", [
    lambda: robust.AnyPrior(0.4, 0.2), lambda: robust.AnyPrior(-1, 0.2).upper(CURVE), lambda: robust.AnyPrior("a"),
    lambda: robust.Statements(OVERLAP).upper(CURVE), lambda: robust.Statements([(0, 0.2, 1.1)]),
    lambda: robust.Statements([(0, 0.2)]), lambda: robust.Statements([(0, float("nan"), 0.5)]),
    lambda: robust.Statements(3), lambda: robust.Statements([3]), lambda: robust.Statements([(0, 1, "x")]),
    lambda: robust.Contamination(COMMON, 1.5), lambda: robust.Contamination("prior", 0.1),
    lambda: robust.Contamination(COMMON, 0.1, within="all"), lambda: robust.Quantiles({0.1: 0.5, 0.2: 0.4}),
    lambda: robust.BoundedRatio(COMMON, 0.5), lambda: robust.BoundedRatio(pwu.Dirac(0.2), 2),
    lambda: robust.Curve([0, 1], [1, 2], [1]), lambda: robust.Curve([1, 0], [1], [1]),
    lambda: robust.Mean(1.2).upper(CURVE), lambda: robust.Mean(None),
    lambda: robust.Mean(1.2).upper(robust.cost_curve(pwu.SelectivePrediction(), [0.0], [1.0], [1.0])),
    lambda: robust.cost_curve(pwu.RiskAverseTopK(), [0.0, 1], [1.0, 2], [1.0, 1]),
    lambda: robust.interval("family", robust.AnyPrior(), *CASES), lambda: robust.radius("family", COMMON, *TWO),
    lambda: robust.dominance_test("family", *TWO), lambda: robust.order("family", COMMON, [1], {"a": [0.5]}),
    lambda: robust.interval(BINARY, "prior", *CASES), lambda: robust.order(BINARY, "3", [1], {"a": [0.5]}),
    lambda: robust.interval(BINARY, pwu.Dirac([0.2, 0.3]), *CASES),
    lambda: robust.preference(BINARY, robust.AnyPrior(), [0, 1], [0.2], [0.2, 0.6]),
    lambda: robust.radius(BINARY, COMMON, [0, 1], [0.2, 1.6], [0.2, 0.6]),
    lambda: robust.radius(BINARY, pwu.Uniform(1, 2), *TWO),
    lambda: robust.interval(BINARY, robust.BoundedRatio(pwu.Uniform(-1, 1), 2), *CASES),
    lambda: robust.order(BINARY, robust.AnyPrior(), [0, 1], {}),
    lambda: robust.radius(BINARY, COMMON, *TWO, repeats=-3), lambda: robust.radius(BINARY, COMMON, *TWO, repeats=2.5),
    lambda: robust.dominance_test(pwu.TopK(), *TWO)])
def test_bad_input_is_named(call):
    with pytest.raises(ValueError, match=r"\w{3}"):
        call()


def test_an_enormous_ratio_is_told_what_to_use():
    with pytest.raises(ValueError, match="AnyPrior"):
        robust.BoundedRatio(COMMON, 1e15).upper(CURVE)


def test_weights_count_as_copies_in_the_radius():
    y, a, b = binary(np.random.default_rng(4), 60)
    times = np.random.default_rng(5).integers(1, 4, 60)
    copies = [np.repeat(part, times) for part in (y, a, b)]
    one = robust.radius(BINARY, pwu.Beta(2, 10), y, a, b, repeats=30, sample_weight=times)
    assert one.value == pytest.approx(robust.radius(BINARY, pwu.Beta(2, 10), *copies, repeats=0).value)
    assert one.lower <= one.value


class ActsAtTies(pwu.BinaryDecision):
    """Acts at f = c, so the cost is continuous from the left."""

    def cost(self, theta, y, f):
        return np.where(y, (1 - theta) * (f < theta), theta * (f >= theta))

    def utilities(self, thetas, data, weight):
        return np.array([-np.average(self.cost(theta, *data), weights=weight) for theta in thetas])


class SharesTies(ActsAtTies):
    """At f = c pays twice what either act costs, so the value at a jump is neither limit."""

    def cost(self, theta, y, f):
        return np.where(f == theta, 2 * np.where(y, 1 - theta, theta), super().cost(theta, y, f))


def point_masses_of(low, high, edges):
    """Both ends, jumps and places next to them, inside [low, high]."""
    near = np.concatenate([[low, high], edges, np.nextafter(edges, 0), np.nextafter(edges, 1)])
    return near[(near >= low) & (near <= high)]


@pytest.mark.parametrize("family", [BINARY, ActsAtTies(), SharesTies(), pwu.TopK()], ids=lambda one: type(one).__name__)
@pytest.mark.parametrize("seed", range(10))
def test_a_closed_interval_holds_its_ends(family, seed):
    """No point mass on [low, high], ends and ties included, costs more than the bound, and the bound is reached."""
    rng = np.random.default_rng(300 + seed)
    y, a, b = binary(rng, 12)
    ends = np.arange(1, 12) / 12 if isinstance(family, pwu.TopK) else np.unique([*a, *b, 0.4, 0.6]).clip(0.01, 0.99)
    low, high = np.sort(rng.choice(np.unique(ends), 2, replace=False))
    curve = difference(family, y, a, b)
    places = point_masses_of(low, high, np.arange(1, 13) / 12 if isinstance(family, pwu.TopK) else curve.edges)

    def excess(prior):
        return of_both(pwu.PWU(family, prior), y, a, b)

    sets = {"any": robust.AnyPrior(low, high), "within": robust.Contamination(pwu.Beta(2, 10), 1.0,
                                                                            within=robust.AnyPrior(low, high))}
    for name, one in sets.items():
        bound = one.upper(curve)
        assert max(excess(pwu.Dirac(at)) for at in places) <= bound.value + 1e-13, name
        assert excess(bound.prior) == pytest.approx(bound.value, abs=1e-12), name
    middle = float(rng.uniform(low, high))
    bound = robust.Mean(middle, low, high).upper(curve)
    pairs = [(one, two) for one in places for two in places if one < middle < two]
    means = [excess(pwu.Mixture([pwu.Dirac(one), pwu.Dirac(two)], [(two - middle) / (two - one),
                                                                  (middle - one) / (two - one)])) for one, two in pairs]
    assert max(means) <= bound.value + 1e-12
    assert excess(bound.prior) == pytest.approx(bound.value, abs=1e-10)


def test_a_statement_leaves_out_its_high_end_even_at_the_end_of_the_domain():
    y, f = [1, 0, 0], [0.2, 0.6, 0.7]
    sure, known = pwu.Dirac(1.0), robust.Statements([(0.9, 1.0, 0.0), (0.0, 0.9, 0.0)])
    assert known.holds_for(sure)
    found = robust.interval(pwu.TopK(), known, y, f)
    assert found.lower == found.upper == pwu.PWU(pwu.TopK(), sure)(y, f)
    assert robust.interval(pwu.TopK(), robust.Quantiles({1.0: 0.0}), y, f).upper_prior == sure


@pytest.mark.parametrize("prior", [pwu.Dirac(1.0), pwu.Dirac(0.0), pwu.Mixture([pwu.Beta(2, 2), pwu.Dirac(1.0)],
                                                                               [0.5, 0.5]), pwu.Uniform(-1, 0.5)])
def test_sets_refuse_the_priors_that_a_score_refuses(prior):
    y, a, b = [1, 0], [0.2, 0.6], [0.3, 0.4]
    with pytest.raises(ValueError, match="mass outside"):
        robust.preference(BINARY, robust.Contamination(prior, 0.1), y, a, b)
    with pytest.raises(ValueError, match="mass outside"):
        robust.interval(BINARY, prior, y, a)
    with pytest.raises(ValueError, match="mass outside"):
        robust.order(BINARY, prior, y, {"a": a, "b": b})



@pytest.mark.parametrize("seed", range(12))
def test_missing_labels_have_sharp_ends(seed):
    """All labels that four missing ones may have, one after the other; weights count."""
    rng = np.random.default_rng(seed)
    a, b, weight = rng.random(9), rng.random(9), rng.integers(1, 4, 9)
    y = np.array([1, 0, 1, 0, 1, *[np.nan] * 4])
    score = pwu.PWU(pwu.BinaryDecision(), pwu.Beta(2, 10))
    gaps = [score(full, a, sample_weight=weight) - score(full, b, sample_weight=weight)
            for full in (np.r_[y[:5], labels] for labels in np.ndindex(2, 2, 2, 2))]
    found = robust.missing_labels(score.family, score.priors[0], y, a, b, sample_weight=weight)
    assert (found.lower, found.upper) == pytest.approx((min(gaps), max(gaps)), abs=1e-15)
    assert found.missing == pytest.approx(weight[5:].sum() / weight.sum())
    assert found.known == pytest.approx(score(y[:5], a[:5], sample_weight=weight[:5])
                                        - score(y[:5], b[:5], sample_weight=weight[:5]))
    ones = np.array([sum(labels) for labels in np.ndindex(2, 2, 2, 2)])
    turned = np.sign(gaps) == -np.sign(gaps[0])
    assert found.tipping == (ones[turned].min() if turned.any() else None)
    f, g = rng.dirichlet(np.ones(3), 5), rng.dirichlet(np.ones(3), 5)
    costs, y = pwu.CostMatrix([[0, 5, 9], [2, 0, 3]]), np.array([0, 2, 1, np.nan, np.nan])
    gaps = [pwu.PWU(costs)(full, f) - pwu.PWU(costs)(full, g)
            for full in (np.r_[y[:3], labels].astype(int) for labels in np.ndindex(3, 3))]
    found = robust.missing_labels(costs, None, y, f, g)
    assert (found.lower, found.upper) == pytest.approx((min(gaps), max(gaps)), abs=1e-15)


@pytest.mark.parametrize("a, b, verdict", [([0.9, 0.1, 0.3], [0.6, 0.3, 0.3], "first"),
                                           ([0.6, 0.3, 0.3], [0.9, 0.1, 0.3], "second"),
                                           ([0.9, 0.1, 0.3], [0.9, 0.1, 0.3], "undecided"),
                                           ([0.9, 0.1, 0.9], [0.6, 0.3, 0.1], "undecided")])
def test_missing_labels_decide_or_not(a, b, verdict):
    assert robust.missing_labels(pwu.BinaryDecision(), pwu.Uniform(0, 1), [1, 0, np.nan], a, b).verdict == verdict


@pytest.mark.parametrize("act, words", [
    (lambda: robust.missing_labels(pwu.TopK(), pwu.Beta(2, 4), [1, np.nan], [0.2, 0.3], [0.1, 0.2]), "loss per case"),
    (lambda: robust.missing_labels(pwu.BinaryDecision(), pwu.Beta(0.5, 0), [1], [0.2], [0.1]), "b must be positive"),
    (lambda: robust.missing_labels(pwu.BinaryDecision(), pwu.Beta(2, 4), [[1]], [0.2], [0.1]), "one-dimensional"),
    (lambda: robust.missing_labels(pwu.BinaryDecision(), pwu.Beta(2, 4), [1, 2], [0.2, 0.1], [0.1, 0.1]),
     r"y_true\[1\] is 2.0")])
def test_missing_labels_refuse(act, words):
    with pytest.raises(ValueError, match=words):
        act()
