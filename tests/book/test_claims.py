"""Statements of the ledger whose test is at home nowhere else. Each fails when its verdict is flipped."""

from functools import partial
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest
import scipy.stats
import sympy as sp
import yaml
from scipy import integrate, special

import pwu_lite as pwu
from pwu_book import tables
from pwu_book.examples import screening
from pwu_lite import alignment, elicitation, symbolic
from pwu_lite.metrics import classification, multiclass, multivariate, ranking, regression
from tools.checks.flips import kind_of

FAMILY = pwu.BinaryDecision()


def test_the_record_of_flips_is_that_of_the_ledger():
    """`make flips` was run for these rows and these changes, and nine in ten are guarded."""
    ledger, record = tables.load("claims.csv"), tables.load("flips.csv")
    flips = yaml.safe_load(Path(__file__).with_name("flips.yml").read_text())
    words = {row: flip["words"] for flip in flips for row in flip["rows"]}
    assert record["row"].tolist() == (ledger["source"] + ": " + ledger["number"]).tolist()
    assert [words[row] for row in record["row"]] == record["change"].tolist()
    kinds = {row: kind_of(flip) for flip in flips for row in flip["rows"]}
    assert [kinds[row] for row in record["row"]] == record["of"].tolist()
    assert (record["verdict"] == "guarded").mean() >= 0.9


def test_within_a_tolerance_the_costs_go_either_way():
    """Three forecasts, each calibrated up to .05. Of two that are not perfectly so, one costs less than the perfect."""
    y = np.repeat([1, 0], [30, 70])
    known, high = np.full(100, 0.3), np.full(100, 0.35)
    sharp = np.where(y == 1, 0.95, 0.05)
    error = [classification.expected_calibration_error(y, f) for f in (known, sharp, high)]
    assert np.allclose(error, [0, 0.05, 0.05])
    cost = [pwu.PWU(FAMILY, pwu.Uniform(0, 1))(y, f) for f in (known, sharp, high)]
    assert cost[1] < cost[0] < cost[2]


def test_alignment_of_the_brier_score():
    rng = np.random.default_rng(0)
    score = pwu.PWU(FAMILY, pwu.Uniform(0, 1))
    for _ in range(20):
        y, pair = rng.integers(0, 2, 5), rng.random((2, 5))
        brier = [classification.brier_score(y, f) for f in pair]
        cost = [score(y, f) for f in pair]
        assert (brier[0] < brier[1]) == (cost[0] < cost[1])


def test_the_log_loss_prior_has_infinite_mass():
    c, low = sp.symbols("c l", positive=True)
    mass = sp.integrate(1 / c, (c, low, sp.Rational(1, 2)))  # below the mass, as 1/(1 - c) >= 1
    assert sp.limit(mass, low, 0) == sp.oo
    cost = sp.integrate(1 / c, (c, sp.Rational(1, 10), 1))  # of f = 1/10 when y = 1
    assert cost == sp.log(10)


def test_the_tie_clause_is_needed():
    y, one, two = [1, 0], [0.9, 0.4], [0.6, 0.4]
    score = pwu.PWU(FAMILY, pwu.Uniform(0, 1))
    assert classification.zero_one_loss(y, one) == classification.zero_one_loss(y, two)
    assert score(y, one) != score(y, two)


def test_infinity_hides_the_other_cases():
    y = [1, 1]
    assert classification.log_loss(y, [0.9, 0.0]) == classification.log_loss(y, [0.6, 0.0]) == np.inf
    assert classification.log_loss(y, [0.9, 0.5]) < classification.log_loss(y, [0.6, 0.5])


def expected_cost(y, f, density):
    """Integral of the cost of one case, straight from the utility."""
    def cost(c):
        return -FAMILY.utility(c, [y], [f]) * density(c)

    return sum(integrate.quad(cost, *ends)[0] for ends in ((0, f), (f, 1)))


@pytest.mark.parametrize("y, f", [(1, 0.3), (0, 0.3), (1, 0.95), (0, 0.02)])
def test_prior_of_the_brier_score(y, f):
    assert expected_cost(y, f, lambda c: 2.0) == pytest.approx(classification.brier_score([y], [f]))


@pytest.mark.parametrize("y, f", [(1, 0.3), (0, 0.3), (1, 0.95), (0, 0.02)])
def test_prior_of_the_log_loss(y, f):
    assert expected_cost(y, f, lambda c: 1 / (c * (1 - c))) == pytest.approx(classification.log_loss([y], [f]))
    assert classification.log_loss([1], [0.0]) == np.inf  # the caveat: no finite cost at the ends


@pytest.mark.parametrize("rounded, aligned", [(False, True), (True, False)])
def test_alignment_is_keeping_order_and_ties(rounded, aligned):
    """An increasing h exists for the Brier score, and for its rounded self neither h nor order and ties."""
    rng = np.random.default_rng(0)
    y, forecasts = [1, 0, 1, 1, 0, 0], rng.uniform(0.01, 0.99, (100, 6))
    brier = np.array([classification.brier_score(y, f) for f in forecasts])
    metric = np.round(brier, 1) if rounded else brier
    cost = np.array([pwu.PWU(FAMILY, pwu.Uniform(0, 1))(y, f) for f in forecasts])
    pairs = [(i, j) for i in range(100) for j in range(100)]
    keeps = all(np.sign(metric[i] - metric[j]) == np.sign(round(cost[i] - cost[j], 12)) for i, j in pairs)
    levels = [cost[metric == value] for value in np.unique(metric)]
    has_h = all(np.ptp(level) < 1e-12 for level in levels) and (np.diff([level[0] for level in levels]) > 0).all()
    assert keeps == has_h == aligned


def test_binary_act_and_separability():
    f = np.linspace(0, 1, 101)
    for c in (0.1, 0.5, 0.83):
        acts = FAMILY.act(c, f)
        assert (np.where(acts, (1 - f) * c, f * (1 - c)) <= np.minimum((1 - f) * c, f * (1 - c)) + 1e-15).all()
        y = np.random.default_rng(0).integers(0, 2, 101)
        alone = [FAMILY.utility(c, [label], [report]) for label, report in zip(y, f, strict=True)]
        assert FAMILY.utility(c, y, f) == pytest.approx(np.mean(alone))


def test_top_k_act_and_non_separability():
    top, f = pwu.TopK(), np.array([0.9, 0.1, 0.45, 0.3, 0.8, 0.2])
    for k in range(1, 7):
        best = max(f[list(chosen)].sum() for chosen in combinations(range(6), k))
        assert top.act(k, f) @ f == pytest.approx(best)
    corners = {(a, b): top.utility(1, [1, 0], [a, b]) for a in (0.2, 0.7) for b in (0.1, 0.5)}
    assert corners[0.7, 0.5] - corners[0.7, 0.1] - corners[0.2, 0.5] + corners[0.2, 0.1] != 0


def test_the_mce_flips_from_zero():
    def mce(first, middling):
        z = [first] + [1.0] * middling + [1.4, 1.4, 1.8, 2.2]
        z = np.array(z + [0.0] * (20 - len(z)))
        return regression.maximum_calibration_error(z, 0 * z, 0 * z + 1)

    assert mce(0.0, 6) < mce(1.0, 6)
    assert mce(0.0, 5) > mce(1.0, 5)
    assert mce(0.0, 6) == pytest.approx(0)  # no level dominates: all deviations are zero


def test_accuracy_needs_a_constant_in_its_link():
    y, f = [1, 0], [0.9, 0.1]
    accuracy = classification.zero_one_loss(y, f) - 1
    expected_cost = 2 * pwu.PWU(FAMILY, pwu.Dirac(0.5))(y, f)
    assert accuracy != expected_cost == accuracy + 1


def test_converse_of_the_barrier_fails():
    def utility(sign, f):
        return -np.mean(f**2) - sign * float(f[0] > f[1])

    corners = [utility(1, np.array(f)) for f in ((1.0, 1.0), (1.0, 0.0), (0.0, 1.0), (0.0, 0.0))]
    assert corners[0] - corners[1] - corners[2] + corners[3] != 0
    for f in np.random.default_rng(0).normal(size=(20, 2)):
        assert -(utility(1, f) + utility(-1, f)) / 2 == pytest.approx(np.mean(f**2))


def test_second_background_needs_one_miss_fewer():
    def gap(misses):
        y = np.where(np.arange(10) < misses, 9.0, 0.0)
        return regression.expected_calibration_error(y, np.zeros(10), np.ones(10), coverages=[0.5])

    assert gap(5) < gap(6)
    assert gap(4) > gap(5)


def verdicts(task, family, names, **options):
    """True for each metric that no refutation is found for."""
    rows = {name: pwu.metrics.REGISTRY[task, name] for name in names}
    return {name: alignment.refute(row, family, **options) is None for name, row in rows.items()}


CLASSIFIERS = ["log_loss", "brier_score", "zero_one_loss", "expected_calibration_error", "maximum_calibration_error",
               "retention_auc", "error_detection_auroc"]
REGRESSORS = ["gaussian_nll", "mean_squared_error", "expected_calibration_error", "maximum_calibration_error",
              "retention_auc", "error_detection_auroc"]


def test_proposition_3_9_none_follows_top_k():
    found = verdicts("binary", pwu.TopK(), CLASSIFIERS)
    assert not any(found.values())
    assert alignment.refute(pwu.PWU(pwu.TopK(), pwu.Uniform(0, 1)), pwu.TopK()) is None  # the search can say yes


@pytest.mark.parametrize("n", [5, 6, 17, 200])
def test_cubed_forecasts_have_the_same_top_k_and_other_metrics(n):
    """Proposition 3.9 for every n from 5 on: five cases, and padding that nobody picks before them."""
    rest = np.linspace(0.1, 0.05, n)[5:]
    y, f = [1, 0, 0, 1, 1, *[0] * (n - 5)], np.array([0.7, 0.3, 0.6, 0.8, 0.75, *rest])
    k = np.arange(1, n + 1)
    assert np.array_equal(pwu.TopK().utility(k, y, f), pwu.TopK().utility(k, y, f**3))  # so every prior has them equal
    for name in CLASSIFIERS:
        one, other = (getattr(classification, name)(y, part) for part in (f, f**3))
        assert abs(one - other) > 1e-6, name
    test_proposition_3_9_none_follows_top_k()  # and by a search, for three cases


@pytest.mark.parametrize("family", [pwu.BinaryDecision(), pwu.TopK()])
def test_lemma_3_6_step_by_step(family):
    """The cost of an average is the average of costs: what the other cases are changes no difference; with top-k it
    does."""
    score, y = pwu.PWU(family, pwu.Beta(2, 3)), np.array([1, 0])
    one, other = np.array([0.9, 0.2]), np.array([0.3, 0.6])
    gaps = []
    for labels, rest in (([1, 1], [0.1, 0.5]), ([0, 1], [0.95, 0.4]), ([0, 0], [0.7, 0.8])):
        gaps.append(4 * (score([*y, *labels], [*one, *rest]) - score([*y, *labels], [*other, *rest])))
    assert (np.ptp(gaps) < 1e-12) == family.separable
    cases = [score(y[[i]], one[[i]]) for i in range(2)] if family.separable else []
    assert not cases or score(y, one) == pytest.approx(np.mean(cases), rel=1e-14)


def test_accuracy_is_not_precision_at_n():
    y, good, bad = [1, 0], [0.9, 0.1], [0.1, 0.9]
    top = pwu.TopK()
    assert top.utility(2, y, good) == top.utility(2, y, bad) == 0.5
    assert classification.zero_one_loss(y, good) != classification.zero_one_loss(y, bad)


def test_accuracy_of_flags_is_precision_at_k():
    rng, top = np.random.default_rng(0), pwu.TopK()
    for _ in range(50):
        f, y, k = rng.permutation(8) / 8, rng.integers(0, 2, 8), int(rng.integers(1, 8))
        right = np.mean((f >= np.sort(f)[-k]) == y)
        assert right == pytest.approx((2 * k * top.utility(k, y, f) + 8 - k - y.sum()) / 8)


def test_table_1():
    """All entries but accuracy's in the top-k column."""
    aligned = verdicts("binary", FAMILY, CLASSIFIERS, trials=6)
    assert [name for name, yes in aligned.items() if yes] == ["log_loss", "brier_score", "zero_one_loss"]
    selective = verdicts("regression", pwu.SelectivePrediction(), REGRESSORS, n=3, trials=6)
    assert [name for name, yes in selective.items() if yes] == ["gaussian_nll", "mean_squared_error"]
    risky = verdicts("regression", pwu.RiskAverseTopK(), REGRESSORS, n=3, trials=3)
    assert not any(risky.values())
    assert not verdicts("binary", pwu.TopK(), ["zero_one_loss"])["zero_one_loss"]  # printed: aligned at k = n
    p, c = sp.symbols("p c", positive=True)  # and the priors that it prints
    log, brier, wrong = (symbolic.binary_prior(*losses, p) for losses in (
        (-sp.log(p), -sp.log(1 - p)), ((1 - p)**2, p**2),
        (sp.Piecewise((0, p > sp.Rational(1, 2)), (1, True)), sp.Piecewise((1, p > sp.Rational(1, 2)), (0, True)))))
    assert [sp.simplify(prior.density.subs(prior.symbol, c) - printed) for prior, printed in (
        (log, 1 / (c * (1 - c))), (brier, 2))] == [0, 0]
    assert wrong.density == 0 and wrong.atoms == {sp.Rational(1, 2): 2}
    nll = symbolic.selective_prior(NLL, X, V)
    assert sp.simplify(nll.density * nll.symbol**2).is_constant()  # eps/lambda^2, with the factor of proposition 3.12
    assert not symbolic.selective_prior(X, X, V).density and sp.oo in symbolic.selective_prior(X, X, V).atoms


P, X, V = sp.symbols("p x v", positive=True)
NLL = sp.log(2 * sp.pi * V) / 2 + X / (2 * V)


def test_nll_has_an_infinite_cost_and_finite_differences():
    prior = symbolic.selective_prior(NLL, X, V)
    assert prior.finite == sp.S.EmptySet and prior.link[1] == sp.oo
    low, high = sp.Rational(1, 2), 2
    lam = symbolic.LAMBDA
    difference = sp.integrate((X - lam) * lam**-2, (lam, low, high))
    assert sp.simplify(difference - 2 * (NLL.subs(V, low) - NLL.subs(V, high))) == 0


def test_no_prior_on_finite_prices_follows_the_mse():
    proof = alignment.refute(regression.mean_squared_error, pwu.SelectivePrediction(), y_true=[0.0],
                             forecasts=[([0.5], [1.0]), ([0.4], [3.0])], within=(1, 9))
    assert proof is not None
    assert all(proof.margin(price) > 0 for price in np.linspace(1.01, 8.99, 30))
    inner = pwu.Uniform(1, 9).partial_mean(2, 5)
    costs = [pwu.PWU(pwu.SelectivePrediction(), pwu.Uniform(1, 9))([0.0], [0.0], [v**0.5]) for v in (2, 5)]
    assert costs[1] - costs[0] == pytest.approx(inner)  # the factor lambda belongs inside the integral


def test_the_pareto_prior_weighs_small_prices_most():
    """Its density falls; half of the prices are below twice the smallest, a tenth above ten times that, and so on."""
    low = sp.Rational(1, 25)
    density = symbolic.selective_prior(NLL, X, V).density
    lam = next(iter(density.free_symbols))
    part = density / sp.integrate(density, (lam, low, sp.oo))
    assert sp.simplify(sp.diff(part, lam)).subs(lam, 3) < 0
    assert sp.integrate(part, (lam, low, 2 * low)) == sp.Rational(1, 2)
    prior = pwu.Pareto(0.04)
    assert [prior.mass(10**k * 0.04, np.inf) for k in range(4)] == pytest.approx([1, 0.1, 0.01, 0.001])
    np.testing.assert_allclose([float(part.subs(lam, price)) for price in (0.05, 0.3, 7)],
                               [0.04 / price**2 for price in (0.05, 0.3, 7)])


def test_the_cheaper_model_may_be_worse_for_the_smaller_group():
    """A tenth of the cases are turned upside down by the model that a PWU prefers, under every prior."""
    y = np.tile([0, 1], 50)
    small = np.arange(100) < 10
    one = np.where(small, np.where(y == 1, 0.9, 0.1), np.where(y == 1, 0.6, 0.4))
    other = np.where(small, np.where(y == 1, 0.1, 0.9), np.where(y == 1, 0.95, 0.05))
    for prior in (pwu.Beta(2, 10), pwu.Uniform(0, 1), pwu.Dirac(0.5)):
        score = pwu.PWU(FAMILY, prior)
        assert score(y, other) <= score(y, one) or prior == pwu.Dirac(0.5)
        assert score(y[small], other[small]) > score(y[small], one[small])


def test_first_places_and_correlations_are_not_alignment():
    """A metric may find the best of four models and turn the others round; one in the right order has no rho of one."""
    utility = np.array([4.0, 3.0, 2.0, 1.0])
    turned, bent = np.array([4.0, 1.0, 2.0, 3.0]), np.exp(2 * utility)
    assert turned.argmax() == utility.argmax() and scipy.stats.kendalltau(turned, utility).statistic == 0
    assert scipy.stats.kendalltau(bent, utility).statistic == 1 > np.corrcoef(bent, utility)[0, 1] + 0.1
    nearly = np.array([4.0, 2.9, 3.1, -40.0])  # a higher rho than the right order, and a pair turned round
    assert np.corrcoef(nearly, np.array([4.0, 3.0, 2.9, -40.0]))[0, 1] > np.corrcoef(bent, utility)[0, 1]


def test_the_recipe_for_a_forest_counts_its_noise_twice():
    """Pure noise of variance one, which is all that there is to know: the recipe reports about two."""
    from sklearn.ensemble import RandomForestRegressor

    rng = np.random.default_rng(0)
    features, y = rng.normal(size=(1500, 3)), rng.normal(size=1500)
    forest = RandomForestRegressor(100, oob_score=True, random_state=0).fit(features[:500], y[:500])
    trees = np.array([tree.predict(features[500:]) for tree in forest.estimators_])
    residual = np.mean((y[:500] - forest.oob_prediction_) ** 2)
    squared = np.mean((y[500:] - trees.mean(axis=0)) ** 2)
    assert residual / squared == pytest.approx(1, abs=0.15)
    assert 1.6 < np.mean(trees.var(axis=0, ddof=1) + residual) / squared < 2.4


def test_the_hours_follow_from_the_minutes():
    """Four benchmarks of five data sets and 500 folds, of 14 to 17 minutes each."""
    folds = 4 * 5 * 500
    least, most = (folds * minutes / 60 for minutes in (14, 17))
    assert 2300 < least < 2500 < most < 2900


def test_mse_is_minus_the_utility_of_never_abstaining():
    y, mean, std = [1.0, 0.0], [0.5, 2.0], [1.0, 1.0]
    utility = pwu.SelectivePrediction().utility(1e9, y, mean, std)
    assert utility == -regression.mean_squared_error(y, mean, std) != regression.mean_squared_error(y, mean, std)
    assert symbolic.selective_prior(X, X, V).atoms == {sp.oo: 1}


def test_proposition_3_14_none_follows_risk_averse_selection():
    assert not any(verdicts("regression", pwu.RiskAverseTopK(), REGRESSORS, n=3, trials=3).values())
    family = pwu.RiskAverseTopK()
    score = pwu.PWU(family, pwu.Uniform(0, 1), pwu.Gamma(2, 1))
    assert alignment.refute(score, family, n=3, trials=2) is None


def test_e_det_of_appendix_c6_needs_another_example():
    family = pwu.RiskAverseTopK()
    theta = (1, 0.5)
    printed = [family.utility(theta, [0, 0, 0], m, np.sqrt([1, 2, 2])) for m in ([0, 1.1, 1.1], [1.1, 0, 0])]
    assert printed[0] != pytest.approx(printed[1])
    thetas = [(k, g) for k in (1, 2, 3) for g in np.geomspace(1e-3, 1e3, 61)]
    mended = [family.utility(thetas, [0, 0, 0], m, np.sqrt([1, 2, 3])) for m in ([1.1, 0, 0], [0, 0, -1.1])]
    assert mended[0] == pytest.approx(mended[1])


def test_a_term_of_the_ece():
    assert classification.expected_calibration_error([0, 0], [0.25, 0.25]) == abs(0 - 1 / 4) != abs(0 - 1 / 2)


def test_values_of_appendix_c3():
    zeros, low, high = np.zeros(4), np.full(4, 0.25), np.full(4, 0.75)
    assert classification.log_loss(zeros, low) == pytest.approx(-np.log(0.75))
    assert [classification.brier_score(zeros, f) for f in (low, high)] == pytest.approx([1 / 16, 9 / 16])
    assert [classification.zero_one_loss(zeros, f) for f in (low, high)] == [0, 1]
    assert [classification.retention_auc(zeros, f) for f in (low, high)] == [0, 1]
    a, b = 0.1, 0.3
    e_det = [classification.error_detection_auroc(zeros, f) for f in ([a] + [1 - b] * 3, [b] + [1 - a] * 3)]
    assert e_det == [1, 0]


def expectation(metric, truth, report):
    total = 0.0
    for labels in product((0, 1), repeat=len(truth)):
        chance = np.prod([p if one else 1 - p for p, one in zip(truth, labels, strict=True)])
        total += chance * metric(np.array(labels), np.array(report))
    return total


GRID = [k / 10 for k in range(1, 10)]


def best_lie(metric, truth):
    return min(expectation(metric, truth, report) for report in product(GRID, repeat=len(truth)))


@pytest.mark.parametrize("truth", [(0.2, 0.8), (0.4, 0.9), (0.3, 0.6)])
def test_ece_and_mce_are_not_proper(truth):
    for metric in (classification.expected_calibration_error, classification.maximum_calibration_error):
        assert best_lie(metric, truth) < expectation(metric, truth, truth) - 0.05


@pytest.mark.parametrize("truth", list(combinations((0.1, 0.4, 0.6, 0.9), 2)))
def test_accuracy_and_r_auc_are_proper(truth):
    for metric in (classification.zero_one_loss, classification.retention_auc, classification.log_loss):
        assert best_lie(metric, truth) >= expectation(metric, truth, truth) - 1e-12


def test_e_det_is_not_proper():
    def conditional(truth, report):
        values, chances = 0.0, 0.0
        for labels in product((0, 1), repeat=3):
            chance = np.prod([p if one else 1 - p for p, one in zip(truth, labels, strict=True)])
            value = classification.error_detection_auroc(labels, report)
            if np.isfinite(value):
                values, chances = values + chance * value, chances + chance
        return values / chances

    truth = (0.9, 0.9, 0.6)
    assert conditional(truth, truth) < conditional(truth, (0.9, 0.9, 0.49)) < conditional(truth, (0.9, 0.49, 0.48))


def test_mse_is_proper_and_not_strictly():
    draws = np.random.default_rng(0).normal(1.0, 2.0, 5000)
    at = {m: regression.mean_squared_error(draws, np.full(5000, m), np.full(5000, 2.0))
          for m in (0.5, draws.mean(), 2.0)}
    assert min(at, key=at.get) == draws.mean()
    same = [regression.mean_squared_error([0.0], [1.0], [std]) for std in (1.0, 2.0)]
    assert same[0] == same[1]


def test_levels_of_the_regression_ece_are_coverages():
    y, mean = np.array([0.0, 1.6, -0.1, 1.2, 0.8]), np.array([0.2, 1.1, -0.4, 2.5, 0.9])
    std = np.sqrt([0.04, 0.3, 0.09, 1.5, 0.25])
    meant = regression.expected_calibration_error(y, mean, std, coverages=(0.5, 0.8, 0.9, 0.95))
    printed = regression.expected_calibration_error(y, mean, std, coverages=(0.5, 0.2, 0.1, 0.05))
    assert meant == pytest.approx(regression.expected_calibration_error(y, mean, std)) != pytest.approx(printed)


def test_prior_of_the_multiclass_log_loss():
    happened, another = -sp.log(P) - 1 + P, P
    assert symbolic.binary_prior(happened, another, P).density == 1 / symbolic.C
    f, y = np.random.default_rng(0).dirichlet(np.ones(3), 20), np.random.default_rng(1).integers(0, 3, 20)
    cost = sum(np.where(y == j, -np.log(f[:, j]) - 1 + f[:, j], f[:, j]) for j in range(3))
    assert cost.mean() == pytest.approx(multiclass.log_loss(y, f))
    over = [0.5, 0.5, 0.4]  # not a distribution: the cost exceeds -log f_y by what is too much
    part = [expected_cost(label, f, lambda c: 1 / c) for label, f in zip((1, 0, 0), over, strict=True)]
    assert sum(part) == pytest.approx(-np.log(0.5) + sum(over) - 1) != pytest.approx(-np.log(0.5))


def test_corollary_g2():
    family = pwu.OneVsRest(FAMILY)
    for definition in ("one_vs_rest", "top_label"):
        def ece(y, f, definition=definition):
            try:
                return multiclass.expected_calibration_error(y, f, definition=definition)
            except ValueError:  # tied classes have no top label
                return np.nan

        assert alignment.refute(ece, family, trials=6) is not None
    assert alignment.refute(multiclass.brier_score, family, trials=3) is None


def test_proposition_g3():
    family = pwu.PerOutput(pwu.SelectivePrediction())
    found = verdicts("multivariate", family, ["gaussian_nll", "energy_score"], n=2, trials=3)
    assert not any(found.values())
    bounded = [([[0.5, 0.5]], [np.eye(2)]), ([[0.4, 0.4]], [9 * np.eye(2)])]
    assert alignment.refute(multivariate.mean_squared_error, family, y_true=[[0.0, 0.0]], forecasts=bounded,
                            within=(1, 9)) is not None


def test_details_of_the_proof_of_g3():
    equal = [multivariate.energy_score([[0, 0]], [[0, 0]], [[[1, rho], [rho, 1]]]) for rho in (0.0, 0.5)]
    assert equal[0] > equal[1]  # different variances are not needed
    along = [np.sqrt(np.dot(eta, (1, 1))) for eta in ((1, 3), (2, 2), (3, 1))]
    assert np.ptp(along) < 1e-15  # not strictly concave at z = (1, 1)
    atom = pwu.PWU(pwu.SelectivePrediction(), pwu.Dirac(0.5))
    costs = [atom([0.0], [0.0], [t**0.5]) for t in (0.4, 0.6, 0.8)]
    assert costs[0] < costs[1] == costs[2]


def test_figure_g1():
    """Left: up at both ends, flat, one stem. Right: falling from infinity, and a mass at infinity."""
    log_loss = symbolic.binary_prior(-sp.log(P), -sp.log(1 - P), P).density
    c, lam = symbolic.C, symbolic.LAMBDA
    assert sp.limit(log_loss, c, 0) == sp.oo == sp.limit(log_loss, c, 1, "-")
    assert sp.solve(sp.diff(log_loss, c), c) == [sp.Rational(1, 2)]
    nll = symbolic.selective_prior(NLL, X, V).density
    assert sp.limit(nll, lam, 0) == sp.oo and sp.diff(nll, lam).subs(lam, 1) < 0
    assert symbolic.selective_prior(X, X, V).density == 0


def test_interval_score_rewards_narrow_intervals_that_cover():
    def score(std, y=0.0):
        return regression.interval_score([y], [0.0], [std], coverage=0.9)

    assert score(1.0) < score(2.0)                  # both cover: the narrower is better
    assert score(1.0, y=5.0) > score(2.0, y=5.0)    # both miss: the nearer end is better


def test_proper_scores_of_unique_are_minimised_by_the_truth():
    rng = np.random.default_rng(0)
    y, mean, true = rng.normal(size=20_000), np.zeros(20_000), np.ones(20_000)
    for metric in (regression.gaussian_nll, regression.crps_gaussian, regression.check_score,
                   lambda *data: regression.interval_score(*data, coverage=0.9)):
        honest = metric(y, mean, true)
        assert all(metric(y, mean + shift, scale * true) > honest
                   for shift, scale in ((0.2, 1), (-0.2, 1), (0, 0.8), (0, 1.25)))


def test_calibration_metrics_of_unique_do_not_see_information():
    error = np.array([1.0, 2.0, 3.0, 4.0])
    h = special.ndtri(1 - (1 - np.array([0.2, 0.4, 0.6, 0.8])) / 2)
    for metric in (regression.mean_absolute_calibration_error, regression.root_mean_squared_calibration_error):
        values = [metric(error, 0 * error, std) for std in (error / h, error / h[::-1])]
        assert values[0] == pytest.approx(values[1])
        assert alignment.coordinate_dependence(metric, task="regression") is not None


def test_calibration_of_unique_is_zero_for_the_truth_in_the_limit():
    rng = np.random.default_rng(0)
    y = rng.normal(size=100_000)
    right, wrong = (regression.mean_absolute_calibration_error(y, 0 * y, np.full(y.size, s)) for s in (1.0, 2.0))
    assert right < 0.005 < 0.1 < wrong


@pytest.mark.parametrize("metric, better", [
    (ranking.spearman, max), (ranking.increasing_coefficient, max), (ranking.decreasing_coefficient, max),
    (ranking.performance_drop, max), (partial(ranking.performance_drop, reference="all"), max),
    (ranking.auc_difference, min)])
def test_ranking_metrics_of_unique_are_best_for_the_oracle(metric, better):
    rng = np.random.default_rng(0)
    error = rng.exponential(size=50)
    values = [metric(error, u) for u in (error, -error, rng.permutation(50).astype(float))]
    assert values.index(better(values)) == 0 and len(set(values)) > 1


def test_rank_metrics_do_not_see_scale_or_accuracy():
    rng = np.random.default_rng(0)
    error, u = rng.exponential(size=40), rng.permutation(40) + 1.0
    for metric in (ranking.spearman, ranking.increasing_coefficient, ranking.decreasing_coefficient):
        assert metric(10 * error, 3 * u) == pytest.approx(metric(error, u))
    assert ranking.auc_difference(np.ones(40), u) == pytest.approx(0, abs=1e-12)
    assert ranking.auc_difference(5 * np.ones(40), u) == pytest.approx(0, abs=1e-12)


def test_proposition_d1_for_separable_families():
    """Aligned with an affine link: no report beats the truth; a unique act does not make it strict."""
    grid = np.linspace(0.01, 0.99, 99)
    for prior in (pwu.Beta(2, 10), pwu.Uniform(0.2, 0.6), pwu.Dirac(0.3)):
        score = pwu.PWU(FAMILY, prior)
        one, zero = score.per_sample(np.ones(99), grid), score.per_sample(np.zeros(99), grid)
        for place, truth in enumerate(grid):
            loss = truth * one + (1 - truth) * zero
            assert loss[place] <= loss.min() + 1e-15


def honest_and_other(metric, *reports):
    """Expected loss of a normal y, mean 1, deviation 2, for the honest report and for others; exact for squares."""
    y, weight = 1 + 2 * np.sqrt(3) * np.array([-1.0, 0.0, 1.0]), np.array([1, 4, 1]) / 6
    return [sum(w * metric([at], [mean], [std]) for at, w in zip(y, weight, strict=True))
            for mean, std in ((1.0, 2.0), *reports)]


def test_unique_acts_and_strictness_are_two_things():
    """The squared error: one act is best, the mean, and reports of every deviation tie. Binary acts tie at f = c,
    and under a prior that is everywhere the score is strict all the same."""
    honest, wide, moved = honest_and_other(regression.mean_squared_error, (1.0, 5.0), (1.2, 2.0))
    assert honest == pytest.approx(wide) and moved > honest + 0.01
    assert FAMILY.utility(0.3, [1], [0.3]) * 0.3 + FAMILY.utility(0.3, [0], [0.3]) * 0.7 == pytest.approx(
        FAMILY.utility(0.3, [1], [0.31]) * 0.3 + FAMILY.utility(0.3, [0], [0.31]) * 0.7)
    score, grid = pwu.PWU(FAMILY, pwu.Beta(2, 3)), np.linspace(0.01, 0.99, 99)
    loss = 0.3 * score.per_sample(np.ones(99), grid) + 0.7 * score.per_sample(np.zeros(99), grid)
    assert np.argmin(loss) == 29 and np.sum(loss <= loss[29] + 1e-9) == 1


def test_log_loss_and_nll_are_strictly_proper_averages():
    grid = np.linspace(0.01, 0.99, 99)
    for truth in (7, 29, 80):
        loss = [grid[truth] * classification.log_loss([1], [f]) + (1 - grid[truth]) * classification.log_loss([0], [f])
                for f in grid]
        assert np.argmin(loss) == truth
    honest, *others = honest_and_other(regression.gaussian_nll, (1.0, 2.2), (1.0, 1.8), (1.2, 2.0), (0.8, 2.0))
    assert min(others) > honest + 1e-3
    for metric, data in ((classification.log_loss, ([1, 0], [0.3, 0.6])),
                         (regression.gaussian_nll, ([1.0, 2.0], [0.5, 1.0], [1.0, 2.0]))):
        alone = [metric(*([part[i]] for part in data)) for i in range(2)]
        assert metric(*data) == pytest.approx(np.mean(alone))


def test_the_brier_score_is_a_strictly_proper_average():
    grid = np.linspace(0.01, 0.99, 99)
    for truth in (7, 29, 80):
        loss = [grid[truth] * classification.brier_score([1], [f])
                + (1 - grid[truth]) * classification.brier_score([0], [f]) for f in grid]
        assert np.argmin(loss) == truth
    assert classification.brier_score([1, 0], [0.3, 0.6]) == pytest.approx((0.49 + 0.36) / 2)


def test_accuracy_is_proper():
    grid = np.linspace(0.01, 0.99, 99)
    for truth in (7, 29, 80):
        loss = [grid[truth] * classification.zero_one_loss([1], [f])
                + (1 - grid[truth]) * classification.zero_one_loss([0], [f]) for f in grid]
        assert loss[truth] <= min(loss) + 1e-15


def test_proposition_4_2_for_three_families():
    """No report beats the truth: binary and selective case by case, top-k with all label vectors."""
    test_proposition_d1_for_separable_families()
    for prior in (pwu.Gamma(2, 1), pwu.Uniform(1, 6), pwu.LogNormal(0, 1)):
        honest, *others = honest_and_other(pwu.PWU(pwu.SelectivePrediction(), prior), (1.0, 1.0), (1.0, 2.4),
                                           (1.0, 1.6), (0.5, 2.0), (1.5, 2.0), (0.7, 1.5))
        assert honest <= min(others) + 1e-12
    test_proposition_4_2_for_top_k()


def test_the_condition_of_equation_3_is_properness_where_costs_are_finite():
    """Density (c(1 - c))**-2: proper, and its cost is infinite for every forecast."""
    steep = 1 / P + sp.log(1 - P) - sp.log(P), 1 / (1 - P) + sp.log(P) - sp.log(1 - P)
    prior = symbolic.binary_prior(*steep, P)
    assert prior.finite == sp.S.EmptySet and prior.link[1] == sp.oo
    grid = np.linspace(0.01, 0.99, 99)
    one, zero = (sp.lambdify(P, loss)(grid) for loss in steep)
    assert all(np.argmin(q * one + (1 - q) * zero) == place for place, q in enumerate(grid))
    for score in ((-sp.log(P), -sp.log(1 - P)), ((1 - P) ** 2, P**2)):
        found = symbolic.binary_prior(*score, P)
        assert sp.simplify(-sp.diff(score[0], P) / (1 - P) - found.density.subs(symbolic.C, P)) == 0


def test_the_nll_of_unique():
    """No newsvendor's, and in differences a prior's over prices."""
    test_nll_has_an_infinite_cost_and_finite_differences()
    levels, forecasts = [0.1, 0.3, 0.7, 0.9], [([0.0, 0.0], [1.0, 3.99]), ([0.0, 0.0], [2.0, 2.0])]
    proof = alignment.refute(regression.gaussian_nll, lambda level, *data: regression.pinball_loss(*data, level=level),
                             y_true=[0.0, 0.0], forecasts=forecasts, thetas=levels)
    assert min(proof.margin(level) for level in levels) > 0


def test_shifting_all_means_changes_metrics_and_no_utility():
    y, std, thetas = np.zeros(4), np.sqrt([1.0, 2.0, 3.0, 4.0]), [(k, g) for k in (1, 2, 3) for g in (0.1, 1.0, 10.0)]
    for name in ("gaussian_nll", "mean_squared_error", "retention_auc", "expected_calibration_error",
                 "maximum_calibration_error"):
        metric = pwu.metrics.REGISTRY["regression", name]
        assert metric(y, np.zeros(4), std) != metric(y, np.ones(4), std)
    at_zero, at_one = (pwu.RiskAverseTopK().utility(thetas, y, np.full(4, mean), std) for mean in (0.0, 1.0))
    assert at_zero == pytest.approx(at_one)
    realized = pwu.RiskAverseTopK("realized")  # the utility of an act and an outcome alone does change
    assert realized.utility((1, 0.5), y, np.zeros(4), std) != realized.utility((1, 0.5), y, np.ones(4), std)


def test_the_clamped_nll_is_aligned_for_all_variances():
    floor = sp.Max(V, sp.Rational(1, 25))
    found = symbolic.selective_prior(sp.log(2 * sp.pi * floor) / 2 + X / (2 * floor), X, V)
    assert found.finite == sp.Interval.open(0, sp.oo)
    rng = np.random.default_rng(0)
    y, mean, std = rng.normal(size=200), np.zeros(200), rng.uniform(0.01, 0.6, 200)
    cost = pwu.PWU(pwu.SelectivePrediction(), pwu.Pareto(0.04))(y, mean, std)
    clamped = regression.gaussian_nll(y, mean, np.maximum(std, 0.2))
    assert cost == pytest.approx(0.08 * clamped - 0.04 * np.log(2 * np.pi * 0.04))


def test_strictness_needs_a_prior_everywhere():
    """Acts tie at f = c and Beta is strict; a prior on a part of the unit interval is not."""
    grid = np.linspace(0.01, 0.99, 99)
    strict = {}
    for name, prior in {"everywhere": pwu.Beta(2, 3), "a part": pwu.Uniform(0.2, 0.6)}.items():
        score = pwu.PWU(FAMILY, prior)
        loss = 0.8 * score.per_sample(np.ones(99), grid) + 0.2 * score.per_sample(np.zeros(99), grid)
        strict[name] = np.sum(loss <= loss.min() + 1e-12) == 1
    assert strict == {"everywhere": True, "a part": False}


@pytest.mark.parametrize("family", [pwu.BinaryDecision(), pwu.TopK()])
def test_proposition_4_1(family):
    """A PWU orders and ties forecasts as the average of the costs does, and no search refutes it."""
    rng, score = np.random.default_rng(0), pwu.PWU(family, pwu.Beta(2, 3))
    y, n = np.array([1, 0, 1, 0]), 4
    u = pwu.Beta(2, 3).ppf((np.arange(20_000) + 0.5) / 20_000)
    thetas = np.ceil(u * n) if isinstance(family, pwu.TopK) else u
    forecasts = rng.integers(1, 10, (12, n)) / 10
    losses = [score(y, f) for f in forecasts]
    costs = [-np.mean(family.utility(thetas, y, f)) for f in forecasts]
    assert losses == pytest.approx(costs, abs=1e-4)
    assert alignment.refute(score, family, n=3, trials=30) is None


def test_proposition_4_2_for_top_k():
    """Three cases: every truth and every report of a grid, all eight label vectors."""
    score, labels = pwu.PWU(pwu.TopK(), pwu.Beta(2, 3)), np.array(list(product([0, 1], repeat=3)))
    reports = np.array(list(product([0.1, 0.4, 0.5, 0.9], repeat=3)))
    table = np.array([[score(y, f) for y in labels] for f in reports])
    chances = np.array([np.prod(np.where(labels == 1, p, 1 - p), axis=1) for p in reports])
    expected = chances @ table.T
    assert (np.diagonal(expected)[:, None] <= expected + 1e-14).all()


def test_a_scale_from_the_test_labels_is_improper():
    """Two cases, noise mostly zero: the best report of a variance of .1 is another one, unless the scale is fixed."""
    size = np.sqrt(0.9)
    errors = np.array(list(product([-size, 0, size], repeat=2)))
    chance = np.where(errors == 0, 16 / 18, 1 / 18).prod(axis=1)

    def loss(variance, scale):
        report = [-1, 1], [variance**0.5] * 2
        scores = [pwu.PWU(pwu.SelectivePrediction(), pwu.Beta(2, 10, scale=scale(y))) for y in errors + [-1, 1]]
        return chance @ [score(y, *report) for score, y in zip(scores, errors + [-1, 1], strict=True)]

    grid = np.arange(0.06, 0.14, 0.002)
    best = {name: grid[np.argmin([loss(v, scale) for v in grid])] for name, scale in
            {"labels": np.var, "fixed": lambda y: 1.0}.items()}
    assert best["fixed"] == pytest.approx(0.1, abs=1e-9) and best["labels"] < 0.09


def test_every_score_is_aligned_with_minus_itself():
    """Appendix D: U = -theta M, not theta M."""
    loss = classification.log_loss
    given = {"y_true": [1, 0], "forecasts": [([0.8, 0.3],), ([0.6, 0.5],), ([0.3, 0.4],)], "thetas": [1.0]}
    assert alignment.refute(loss, lambda theta, y, f: theta * loss(y, f), **given) is None  # the cost is minus U
    assert alignment.refute(loss, lambda theta, y, f: -theta * loss(y, f), **given) is not None


def test_priors_of_figure_1():
    modes = [elicitation.mode(pwu.Beta(*shape)) for shape in ((2, 10), (1.2, 20.8), (2, 6))]
    assert modes == pytest.approx([0.1, 0.01, 1 / 6])
    assert pwu.Beta(2, 10).mass(0, 0.5) > 0.99 and pwu.Beta(1.2, 20.8).mass(0, 0.2) > 0.97


def test_scaling_both_shapes_moves_the_mode():
    scaled = [elicitation.mode(pwu.Beta(2 * s, 10 * s)) for s in (1, 2, 5, 50)]
    assert scaled == pytest.approx([0.1, 0.1364, 0.1552, 0.1656], abs=5e-5)
    kept = [elicitation.mode(elicitation.beta_from_mode(0.1, 10 * s)) for s in (1, 2, 5, 50)]
    assert kept == pytest.approx([0.1] * 4)


def test_a_mode_of_one_hundredth_is_not_the_top_one_per_cent():
    prior = pwu.Beta(1.2, 20.8)
    assert prior.mean > 0.05 and prior.ppf(0.5) > 0.04 and prior.mass(0, 0.01) < 0.13


def test_default_families_of_table_i1_give_finite_scores(binary, regression):
    y, f = binary
    scores = [pwu.PWU(pwu.BinaryDecision(), pwu.Beta(2, 10))(y, f), pwu.PWU(pwu.TopK(), pwu.Beta(1.2, 20.8))(y, f)]
    scores += [pwu.PWU(pwu.SelectivePrediction(), prior)(*regression)
               for prior in (pwu.Beta(2, 10, scale=2), pwu.LogNormal(0, 1), pwu.Gamma(2, 1))]
    scores += [pwu.PWU(pwu.RiskAverseTopK(), pwu.Beta(1.2, 20.8), prior)(*regression)
               for prior in (pwu.Beta(2, 6), pwu.LogNormal(0, 1), pwu.Gamma(2, 1))]
    assert np.isfinite(scores).all()


@pytest.mark.parametrize("unit", [0.1, 1.0, 10.0])
def test_gamma_has_the_unit_of_one_over_y(unit):
    """Scaled by 1/sd(y) the preference is the same in every unit; scaled by Var(y) it is not."""
    rng = np.random.default_rng(1)
    mean, std = 2 * rng.normal(size=100), rng.uniform(0.5, 1.5, 100)
    y = mean + std * rng.normal(size=100)
    good, poor = (mean, std), (mean + 2 * rng.normal(size=100), np.full(100, 0.2))

    def prefers_good(scale):
        score = pwu.PWU(pwu.RiskAverseTopK(), pwu.Beta(1.2, 20.8), pwu.Beta(2, 6, scale=scale))
        first, second = (score(y * unit, m * unit, s * unit) for m, s in (good, poor))
        return first < second

    assert prefers_good(1 / (y * unit).std())
    assert prefers_good((y * unit).var()) == (unit == 0.1)


def test_a_prior_can_be_chosen_for_a_model():
    """Appendix I.4 on tuning the prior: on the same forecasts several models can be made the best."""
    y, forecasts = screening.forecasts()
    winners = set()
    for mode in np.arange(0.02, 0.5, 0.01):
        score = pwu.PWU(pwu.BinaryDecision(), elicitation.beta_from_mode(mode, 100))
        winners.add(min(forecasts, key=lambda name: score(y, forecasts[name])))
    assert len(winners) >= 3


def test_conventional_gains_where_nobody_decides():
    """Appendix L: a better log loss at the tails, and a better ECE, with the same acts between .05 and .5."""
    y = np.array([1, 1, 0, 0, 0, 0])
    score = pwu.PWU(pwu.BinaryDecision(), pwu.Uniform(0.05, 0.5))
    before, sharper = np.array([0.6, 0.6, 0.04, 0.04, 0.04, 0.6]), np.array([0.99, 0.99, 0.001, 0.001, 0.001, 0.6])
    assert classification.log_loss(y, sharper) < classification.log_loss(y, before)
    assert score(y, sharper) == pytest.approx(score(y, before), abs=1e-15)
    calibrated, useful = np.full(6, 1 / 3), np.array([0.6, 0.6, 0.2, 0.2, 0.2, 0.2])
    ece = classification.expected_calibration_error
    assert ece(y, calibrated) < ece(y, useful)
    assert score(y, calibrated) > score(y, useful)


def test_two_beliefs_with_one_mean_are_one_forecast():
    """Appendix A: by expected utility a distribution over probabilities acts as its mean."""
    for c in (0.1, 0.3, 0.7):
        for belief in (pwu.Beta(30, 70), pwu.Beta(0.3, 0.7)):
            p = belief.ppf((np.arange(4000) + 0.5) / 4000)
            acting, waiting = np.mean((1 - p) * c), np.mean(p * (1 - c))
            assert (acting < waiting) == pwu.BinaryDecision().act(c, [belief.mean])[0]


def test_the_clipped_brier_score_is_a_pwu(binary):
    y, f = binary
    low, high = 0.05, 0.4
    constant = np.where(y == 1, (1 - high) ** 2, low**2)
    brier = ((np.clip(f, low, high) - y) ** 2 - constant) / (2 * (high - low))
    assert pwu.PWU(pwu.BinaryDecision(), pwu.Uniform(low, high)).per_sample(y, f) == pytest.approx(brier, abs=1e-14)


def test_net_benefit_is_the_cost_in_other_units(binary):
    y, f = binary
    t = np.linspace(0.01, 0.99, 99)
    cost = -pwu.BinaryDecision().utility(t, y, f)
    assert cost == pytest.approx((1 - t) * (y.mean() - classification.net_benefit(y, f, t)))


def test_a_binary_pwu_can_be_trained_on():
    """Appendix H rules training out; under a Beta prior the loss is smooth and separable."""
    f, step = np.linspace(0.05, 0.95, 19), 1e-5
    score = pwu.PWU(pwu.BinaryDecision(), pwu.Beta(2, 10))
    up, down = (score.per_sample(np.ones(19), f + s) for s in (step, -step))
    assert (up - down) / (2 * step) == pytest.approx(-(1 - f) * pwu.Beta(2, 10).pdf(f), abs=1e-6)


def test_some_pwus_need_quadrature_and_say_so(regression):
    """Appendix H, limitations."""
    exact = pwu.PWU(pwu.SelectivePrediction(), pwu.Gamma(2, 1))(*regression, return_error=True)
    numeric = pwu.PWU(pwu.SelectivePrediction(), scipy.stats.weibull_min(1.5))(*regression, return_error=True)
    assert exact[1] == 0 < numeric[1] < 1e-6


def test_a_prior_depends_on_the_unit_of_costs():
    """If both costs together are b(c), the log loss is the average cost under Beta(2, 10): in shares it is not."""
    stated, grid = pwu.Beta(2, 10), (np.arange(200_000) + 0.5) / 200_000

    def belief(c):  # of the log loss, in shares of the two costs
        return 1 / (c * (1 - c))

    unit = belief(grid) / stated.pdf(grid)
    for f in (0.1, 0.4, 0.8):
        for y in (0, 1):
            cost = -pwu.BinaryDecision().utility(grid, [y], [f])
            average = np.mean(unit * cost * stated.pdf(grid))
            assert average == pytest.approx(-np.log(f if y else 1 - f), rel=1e-3)
            assert abs(pwu.PWU(pwu.BinaryDecision(), stated)([y], [f]) + np.log(f if y else 1 - f)) > 1e-2
