"""Certificates against every prior at once: verified from scratch, and absent where a prior exists."""

from itertools import permutations

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

import pwu_lite as pwu
from pwu_lite import alignment, metrics
from pwu_lite.metrics import classification, ranking, regression

BINARY, SELECTIVE = pwu.BinaryDecision(), pwu.SelectivePrediction()
THETAS = {"BinaryDecision": np.linspace(0, 1, 401)[1:-1], "SelectivePrediction": np.geomspace(1e-3, 1e2, 401),
          "TopK": [1, 2, 3], "RiskAverseTopK": [(k, g) for k in (1, 2, 3) for g in np.geomspace(1e-3, 1e3, 61)],
          "Retention": range(1, 11),
          "OneVsRest": [(j, c) for j in range(3) for c in np.linspace(0, 1, 101)[1:-1]],
          "PerOutput": np.geomspace(1e-3, 1e2, 401)}


def loss(row):
    return row if row.lower_is_better else lambda *data: -row(*data)


def verify(proof, metric):
    """From scratch: the metric's order, and the weighted gap of costs at many thetas."""
    family = proof.family
    assert (proof.weights > 0).all()
    strict = 0.0
    for weight, comparison in zip(proof.weights, proof.comparisons, strict=True):
        values = [metric(comparison.y_true, *report) for report in (comparison.better, comparison.worse)]
        assert values[0] <= values[1] + 1e-12
        strict += weight * (values[1] > values[0] + 1e-12)
    gaps = np.array([proof.margin(theta) for theta in THETAS[type(family).__name__]])
    assert (gaps >= -1e-9).all()
    assert strict > 0 or (gaps > 0).all()


class Bare(pwu.BinaryDecision):
    """A family that does not say where its acts change."""

    breakpoints = pwu.Family.breakpoints


def rows(task):
    return [name for kind, name in metrics.REGISTRY if kind == task]


ALIGNED = {"BinaryDecision": {"log_loss", "brier_score", "zero_one_loss", "spherical_loss", "boosting_loss",
                              "winkler_loss"},
           "SelectivePrediction": {"gaussian_nll", "mean_squared_error"}, "TopK": set(), "RiskAverseTopK": set(),
           "OneVsRest": {"log_loss", "brier_score"}, "PerOutput": {"mean_squared_error"},
           "Retention": {"auc_difference", "performance_drop"}}
CASES = [(task, name, family) for task, families in
         {"binary": [BINARY, pwu.TopK()], "regression": [SELECTIVE, pwu.RiskAverseTopK()],
          "multiclass": [pwu.OneVsRest(BINARY)], "multivariate": [pwu.PerOutput(SELECTIVE)],
          "ranking": [pwu.Retention()]}.items()
         for family in families for name in rows(task)]


@pytest.mark.slow
@pytest.mark.parametrize("task, name, family", CASES, ids=lambda x: x if isinstance(x, str) else type(x).__name__)
def test_verdict_on_each_metric_and_family(task, name, family):
    """Propositions 3.9, 3.11 (bar its infinite cost), 3.14, G.1 to G.3: a proof exists exactly where it should."""
    metric = metrics.REGISTRY[task, name]
    is_aligned = name in ALIGNED[type(family).__name__]
    size = {"regression": 3, "multivariate": 3, "ranking": 10}.get(task, 4)
    proof = alignment.refute(metric, family, n=size, trials=4 if is_aligned else 10)
    if is_aligned:
        assert proof is None
    else:
        assert proof is not None, f"no proof against {name} for {family!r}: if it is aligned, add it to ALIGNED"
        verify(proof, loss(metric))


@pytest.mark.parametrize("family, data", [(SELECTIVE, ([0.0], [([0.5], [1.0]), ([0.4], [3.0])])),
                                          (pwu.PerOutput(SELECTIVE), ([[0.0, 0.0]], [
                                              ([[0.5, 0.5]], [np.eye(2)]), ([[0.4, 0.4]], [9 * np.eye(2)])]))])
def test_no_prior_between_two_variances_follows_the_mse(family, data):
    """Propositions 3.11 and G.3: the MSE prefers the better mean, whose variance makes everyone abstain."""
    def metric(y, mean, spread):
        return float(np.mean((np.array(y) - mean) ** 2))

    assert alignment.refute(metric, family, y_true=data[0], forecasts=data[1]) is None
    proof = alignment.refute(metric, family, y_true=data[0], forecasts=data[1], within=(1.0, 9.0))
    assert proof.comparisons[0].values == pytest.approx((0.16, 0.25))
    assert all(proof.margin(lam) > 0 for lam in np.linspace(1.001, 8.999, 50))


@pytest.mark.slow
def test_auroc_and_dcg_are_top_k_aligned():
    """No refutation, and the weights k and k (d_k - d_(k+1)) reproduce them on every forecast."""
    rng, top, n = np.random.default_rng(0), pwu.TopK(), 7
    assert alignment.refute(lambda y, f: -roc_auc_score(y, f), top, n=6) is None
    d = 1 / np.log2(np.arange(2, n + 2))
    steps = np.append(d[:-1] - d[1:], d[-1])
    for _ in range(30):
        y = rng.permutation([1, 1, 0, 0, 0, 1, 0])
        f = rng.integers(1, 6, n) / 6
        precision = top.utility(np.arange(1, n + 1), y, f)
        k, ones = np.arange(1, n), 3
        expected = ones * (n - ones) * roc_auc_score(y, f) + ones * (ones + 1) / 2 - ones
        assert np.dot(k, precision[:-1]) == pytest.approx(expected)
        shares = [np.mean([y[i] for i in np.flatnonzero(f == f[j])]) for j in range(n)]
        order = np.argsort(-f, kind="stable")
        dcg = np.dot(d, np.array(shares)[order])
        assert np.dot(np.arange(1, n + 1) * steps, precision) == pytest.approx(dcg)


def test_a_proof_holds_or_does_not():
    top, score = pwu.TopK(), classification.brier_score
    proof = alignment.refute(score, top)
    comparison, = proof.comparisons
    assert proof.verify(score, [1, 2, 3, 4]) is True
    turned = comparison._replace(better=comparison.worse, worse=comparison.better)
    assert not proof._replace(comparisons=(turned,)).verify(score, [1, 2, 3])       # the metric says otherwise
    assert not proof.verify(lambda y, f: -score(y, f), [1, 2, 3])                    # another metric
    y, good, bad = [1, 0], [0.9, 0.4], [0.6, 0.7]
    false = alignment.Comparison(y, (good,), (bad,), (0.0, 1.0))
    assert not alignment.Refutation((false,), np.ones(1), top).verify(score, [1])   # the costs agree with it
    same = alignment.Comparison(y, (good,), (good,), (0.0, 0.0))
    assert not alignment.Refutation((same,), np.ones(1), top).verify(score, [1])    # nothing is strict


def test_a_proof_needs_weights_and_clear_numbers():
    y, good, bad = np.array([1, 0]), (np.array([0.9, 0.1]),), (np.array([0.1, 0.9]),)

    def proof(better, worse, weight, family, labels=y):
        comparison = alignment.Comparison(labels, better, worse, (0.0, 0.0))
        return alignment.Refutation((comparison,), np.array([weight]), family)

    middle = np.linspace(0.01, 0.99, 50)
    for weight in (-1.0, 0.0):
        assert not proof(good, bad, weight, BINARY).verify(classification.brier_score, middle)
    turned = proof(bad, good, 1.0, pwu.TopK())
    assert not turned.verify(lambda y, f: float("nan"), [1])
    assert not turned.verify(lambda y, f: np.inf if f[0] < 0.5 else 1.0, [1])
    assert turned.verify(lambda y, f: 1.0 if f[0] < 0.5 else np.inf, [1, 2])
    tiny = [(np.array([1e-8]), np.array([1e-8])), (np.array([2e-8]), np.array([1e-8]))]
    small = proof(*tiny, 1.0, SELECTIVE, np.array([0.0]))
    assert not small.verify(regression.mean_squared_error, np.geomspace(1e-20, 1e-12, 50))
    with pytest.raises(ValueError, match="at least one"):
        turned.verify(classification.brier_score, [])


def test_an_outlier_does_not_hide_a_difference():
    mse, zero = regression.mean_squared_error, [0.0]
    near = [([1.0], [1.0]), ([1e-5], [1.0]), ([2e-5], [1.0])]
    assert alignment.refute(mse, SELECTIVE, y_true=zero, forecasts=near) is None
    first = pwu.PWU(pwu.Retention(), pwu.Dirac(0.25))
    orders = [([1, 2, 3, 4.0],), ([2, 1, 3, 4.0],), ([3, 4, 1, 2.0],)]
    assert alignment.refute(first, pwu.Retention(), y_true=[1e-10, 2e-10, 1, 1], forecasts=orders) is None
    risky, s, y = pwu.RiskAverseTopK(), 1e-4, [100.0, 100.0]
    score = pwu.PWU(risky, pwu.Dirac(1.0), pwu.Dirac(1 / s**2))
    spreads = [(y, [s, s]), (y, [2 * s, 2 * s]), (y, [s, 2 * s])]
    assert alignment.refute(score, risky, y_true=y, forecasts=spreads) is None


def test_auc_difference_and_drops_are_costs_of_coverages():
    rng, keep = np.random.default_rng(3), pwu.Retention()
    for _ in range(20):
        e, u = rng.random(20), rng.permutation(20)
        cost = {k: -keep.utility(k, e, u) for k in range(1, 21)}
        best = {k: -keep.utility(k, e, e) for k in range(1, 21)}
        trapezoid = [0.05] + [0.1] * 8 + [0.05]
        area = sum(w * (cost[2 * j] - best[2 * j]) for j, w in enumerate(trapezoid, 1))
        assert ranking.auc_difference(e, u) == pytest.approx(area)
        assert ranking.performance_drop(e, u, reference="all") == pytest.approx(cost[20] - cost[2])
        high = (20 * cost[20] - 18 * cost[18]) / 2
        assert ranking.performance_drop(e, u) == pytest.approx(high - cost[2])


def test_newsvendor_costs_refute_the_log_loss():
    """Two spreads that are nearly alike in NLL cost almost 5 : 4 at every level but one half."""
    levels = [k / 100 for k in range(1, 100) if k != 50]

    def cost(level, y, mean, std):
        return regression.pinball_loss(y, mean, std, level=level)

    forecasts = [([0.0, 0.0], [1.0, 3.99]), ([0.0, 0.0], [2.0, 2.0])]
    proof = alignment.refute(regression.gaussian_nll, cost, y_true=[0.0, 0.0], forecasts=forecasts, thetas=levels)
    assert min(proof.margin(level) for level in levels) > 0
    ratios = [cost(level, [0, 0], *forecasts[0]) / cost(level, [0, 0], *forecasts[1]) for level in levels]
    assert np.allclose(ratios, 4.99 / 4)
    assert alignment.refute(regression.crps_gaussian, cost, y_true=[0.0, 0.0], forecasts=forecasts,
                            thetas=levels) is None


def test_several_comparisons_when_one_is_not_enough():
    """A metric that sees half of the cost curve: the program combines comparisons."""
    orders = [(order,) for order in permutations([1.0, 2.0, 3.0, 4.0])]
    proof = alignment.refute(lambda e, u: -ranking.spearman(e, u), pwu.Retention(), y_true=[1.0, 2.0, 2.0, 5.0],
                             forecasts=orders)
    assert len(proof.comparisons) > 1
    assert all(min(c_gap) < 0 for c_gap in (
        [alignment.Refutation((c,), np.ones(1), proof.family).margin(k) for k in (1, 2, 3, 4)]
        for c in proof.comparisons if c.values[0] < c.values[1]))


def test_a_tie_of_three_cases_at_one_gamma():
    """Worse at (k, gamma) = (1, 1) alone, where the middle case gets a third of the place."""
    family, y = pwu.RiskAverseTopK(), [10.0, -20.0, 10.0]
    tie = ([2.0, 1.0, 0.0], np.sqrt([3.0, 2.0, 1.0]))
    plain = ([100.0, 0.0, -100.0], np.sqrt([11.0, 12.0, 13.0]))
    others = [(k, g) for k in (1, 2, 3) for g in (0.1, 0.9, 0.999, 1.001, 5.0, 100.0)]
    assert (family.utility(others, y, *tie) > family.utility(others, y, *plain)).all()
    score = pwu.PWU(family, pwu.Dirac(1 / 3), pwu.Dirac(1.0))
    assert score(y, *tie) > score(y, *plain)
    assert alignment.refute(score, family, y_true=y, forecasts=[tie, plain]) is None


def test_beyond_the_last_change_of_act():
    """Cheaper up to gamma = 10, costlier from there on."""
    family, y = pwu.RiskAverseTopK(), [10.0, 9.0]
    first = ([100.0, -100.0], np.sqrt([2.0, 5.0]))
    second = ([-100.0, 100.0], np.sqrt([7.0, 1.9]))
    score = pwu.PWU(family, pwu.Dirac(0.5), pwu.Dirac(20.0))
    assert score(y, *second) < score(y, *first)
    assert alignment.refute(score, family, y_true=y, forecasts=[first, second]) is None
    early = pwu.PWU(family, pwu.Dirac(0.5), pwu.Dirac(5.0))
    assert early(y, *second) > early(y, *first)


@pytest.mark.slow
def test_mse_is_aligned_with_the_realized_penalty_at_k_n():
    family = pwu.RiskAverseTopK("realized")
    assert alignment.refute(regression.mean_squared_error, family, n=3, trials=2) is None
    assert alignment.refute(regression.mean_squared_error, pwu.RiskAverseTopK(), n=3, trials=2) is not None


@pytest.mark.slow
@pytest.mark.parametrize("unit", [1e-7, 1e-4, 1e6])
def test_units_do_not_matter(unit):
    rng = np.random.default_rng(1)
    y = unit * np.ones(3)
    forecasts = [(y + unit * rng.choice([-2, -1, 0, 1, 2], 3), unit * rng.choice([0.5, 1, 1.2, 2], 3))
                 for _ in range(40)]
    fixed = pwu.PWU(SELECTIVE, pwu.Dirac(1.1 * unit**2))
    for metric in (regression.mean_squared_error, regression.gaussian_nll, fixed):
        assert alignment.refute(metric, SELECTIVE, y_true=y, forecasts=forecasts) is None
    assert alignment.refute(regression.crps_gaussian, SELECTIVE, y_true=y, forecasts=forecasts) is not None


@pytest.mark.slow
def test_many_forecasts_are_not_slow_or_wrong():
    rng = np.random.default_rng(0)
    many = [(rng.random(3),) for _ in range(80)]
    assert alignment.refute(classification.brier_score, BINARY, y_true=[0, 1, 1], forecasts=many) is None
    calibration = classification.expected_calibration_error
    assert alignment.refute(calibration, BINARY, y_true=[0, 1, 1], forecasts=many) is not None


def test_result_depends_on_the_seed_alone():
    proofs = [alignment.refute(classification.retention_auc, BINARY, seed=3) for _ in range(2)]
    assert proofs[0].comparisons[0].values == proofs[1].comparisons[0].values


@pytest.mark.parametrize("options, words", [
    ({"family": lambda theta, y, f: 0.0}, "thetas"), ({"family": lambda theta, y, f: 0.0, "thetas": []}, "thetas"),
    ({"family": lambda theta, y, f: float("nan"), "thetas": [1], "y_true": [1, 0],
      "forecasts": [([0.2, 0.3],), ([0.1, 0.4],)]}, "finite"),
    ({"y_true": [1, 0], "forecasts": [np.array([0.2, 0.3])]}, "tuple"), ({"y_true": [1, 0]}, "both"),
    ({"y_true": [1, 0], "forecasts": [([0.2, 0.3],)]}, "fewer than two"), ({"within": (0.6, 0.2)}, "low < high"),
    ({"within": 0.5}, "low, high"),
    ({"family": pwu.TopK(), "within": (0.1, 0.5)}, "discrete"), ({"family": Bare()}, "breakpoints"),
    ({"within": (-1, 0.5)}, "inside"), ({"n": 2.5}, "whole number"),
    ({"family": lambda theta, y, f: 0.0, "thetas": [1], "within": (0, 1)}, "continuous")])
def test_refute_refuses(options, words):
    options = {"family": BINARY} | options
    with pytest.raises(ValueError, match=words):
        alignment.refute(classification.brier_score, **options)


def brier_32(y, f):
    return float(np.mean((np.float32(f) - np.float32(y)) ** 2))


def log_32(y, f):
    return float(-np.mean(np.log(np.where(np.asarray(y) == 1, np.float32(f), np.float32(1) - np.float32(f)))))


ALIGNED_SCORES = {"Brier": classification.brier_score, "Brier 32": brier_32,
                  "log 32": log_32, "accuracy": classification.zero_one_loss,
                  "point mass": pwu.PWU(BINARY, pwu.Dirac(0.3))}
LINKS = {"itself": lambda t: t, "1 - exp": lambda t: 1 - np.exp(-100 * t), "steeper": lambda t: 1 - np.exp(-500 * t),
         "steepest": lambda t: 1 - np.exp(-1e9 * t), "sigmoid": lambda t: 1 / (1 + np.exp(-300 * (t - 0.1))),
         "two steps": lambda t: np.tanh(1000 * (t - 0.2)) + np.tanh(1000 * (t - 0.6)),
         "an offset": lambda t: 1e6 + t, "a small unit": lambda t: 1e-30 * t,
         "exp 32": lambda t: np.exp(np.float32(50 * t))}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize("score", ALIGNED_SCORES)
def test_an_increasing_function_of_an_aligned_score_is_never_refuted(score, link):
    """Single precision, saturation, plateaus, offsets and units are no proof."""
    def metric(y, f):
        return float(LINKS[link](ALIGNED_SCORES[score](y, f)))

    for n, seed in ((3, 1), (4, 0)):
        assert alignment.refute(metric, BINARY, n=n, seed=seed, trials=2) is None
    assert alignment.coordinate_dependence(metric, trials=100) is None


def test_two_orders_of_a_sum_are_no_comparison():
    y, one, two = [1, 0, 0], [0.85, 0.9, 0.45], [0.85, 0.45, 0.9]
    assert alignment.refute(brier_32, BINARY, y_true=y, forecasts=[(one,), (two,)]) is None
    false = alignment.Comparison(np.array(y), (np.array(one),), (np.array(two),), (0.0, 0.0))
    assert not alignment.Refutation((false,), np.ones(1), BINARY).verify(brier_32, np.linspace(0.01, 0.99, 99))


def balanced(y, f):
    y, acts = np.asarray(y), np.asarray(f) > 0.5
    return 1 - (acts[y == 1].mean() + (~acts[y == 0]).mean()) / 2


def smoothed(y, f):
    target = 0.9 * np.asarray(y) + 0.05
    return float(-np.mean(target * np.log(f) + (1 - target) * np.log1p(-np.asarray(f))))


@pytest.mark.slow
@pytest.mark.parametrize("metric", [balanced, smoothed], ids=lambda metric: metric.__name__)
def test_unbalanced_labels_and_sure_forecasts_are_drawn(metric):
    """Refuted by default: with balanced labels these are functions of the costs."""
    proof = alignment.refute(metric, BINARY)
    assert proof is not None and proof.verify(metric, THETAS["BinaryDecision"])


class Own(pwu.Family):
    """Guess a number; the cost is theta times the distance."""

    takes = ("guess",)
    loss = None
    check = staticmethod(lambda y, guess: (np.asarray(y, float), np.asarray(guess, float)))

    def breakpoints(self, data):
        return None, np.empty(0)

    def utilities(self, thetas, data, weight):
        return -thetas * np.mean(np.abs(data[0] - data[1]))


RANDOM = np.random.default_rng(0)
GIVEN = {"y_true": np.zeros(4), "forecasts": [(RANDOM.normal(size=4),) for _ in range(20)]}


def absolute(y, guess):
    return float(np.mean(np.abs(np.asarray(y) - guess)))


def squared(y, guess):
    return float(np.mean((np.asarray(y) - guess) ** 2))


def test_a_reader_s_own_family_works():
    assert alignment.refute(absolute, Own(), **GIVEN) is None
    proof = alignment.refute(squared, Own(), **GIVEN)
    assert proof is not None and proof.verify(squared, np.geomspace(0.01, 100, 50))


class Curved(Own):
    """Not linear in theta, and it does not say so."""

    def utilities(self, thetas, data, weight):
        return -(thetas**2) * np.mean(np.abs(data[0] - data[1])) - np.sqrt(thetas)


class Short(Own):
    """A utility for the wrong number of thetas."""

    def utilities(self, thetas, data, weight):
        return np.zeros(3)


@pytest.mark.parametrize("family, words", [
    (Curved(), "not linear"), (Short(), "one number for"), ("brier", "decision family")],
    ids=range(3))
def test_a_family_that_refute_cannot_use_is_told_why(family, words):
    with pytest.raises(ValueError, match=words):
        alignment.refute(absolute, family, **GIVEN)
    with pytest.raises(ValueError, match="pass y_true and forecasts"):
        alignment.refute(absolute, Own(), n=3)


def test_a_metric_that_is_none_is_named():
    state = np.random.default_rng(0)
    for metric, words in (("brier_score", "REGISTRY"), (lambda y, f: float(state.random()), "two values"),
                          (lambda y, f: None, "one number"), (lambda y: 0.0, "must take y_true")):
        with pytest.raises(ValueError, match=words):
            alignment.refute(metric, BINARY)
        with pytest.raises(ValueError, match=words):
            alignment.coordinate_dependence(metric)
    with pytest.raises(ValueError, match="part of shape"):
        alignment.refute(brier_32, BINARY, y_true=[1, 0], forecasts=[([0.2, 0.3],), ([0.2, 0.3, 0.4],)])


def test_edges_that_differ_in_the_last_digits_stay_apart():
    score = pwu.PWU(BINARY, pwu.Dirac(0.3))
    near = [([f],) for f in (0.7 - 0.4, 0.3, 0.1 + 0.2)]
    assert alignment.refute(score, BINARY, y_true=[1], forecasts=near) is None
    selective = pwu.PWU(SELECTIVE, pwu.Dirac(1 + 5e-14))
    variances = [([0.5], [np.sqrt(v)]) for v in (1 - 3e-13, 1.0, 1 + 1e-13, 1 + 2e-13)]
    assert alignment.refute(selective, SELECTIVE, y_true=[0.0], forecasts=variances) is None


def test_costs_near_zero_are_not_lost_beside_large_ones():
    score = pwu.PWU(BINARY, pwu.Beta(0.05, 30))
    tiny = [(np.array(f),) for f in ([0.999, 1e-17], [0.999, 1e-15], [1e-20, 0.5])]
    assert alignment.refute(lambda *data: float(np.log(score(*data))), BINARY, y_true=[1, 0], forecasts=tiny) is None


@pytest.mark.parametrize("forecasts", [[([1 - 1e-9],), ([1 - 2e-9],)], [([np.nextafter(1, 0)],), ([0.5],)],
                                       [([5e-324],), ([0.5],)], [([1e-15],), ([1e-14],), ([0.5],)]], ids=range(4))
@pytest.mark.parametrize("metric", [classification.brier_score, classification.log_loss])
def test_forecasts_near_the_ends_are_legitimate(metric, forecasts):
    assert alignment.refute(metric, BINARY, y_true=[1], forecasts=forecasts) is None


def bfloat16(value):
    bits = np.array(value, np.float32).view(np.uint32)
    return float(((bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000).astype(np.uint32).view(np.float32))


NARROW = {"Beta(40, 60)": pwu.Beta(40, 60), "Beta(4000, 6000)": pwu.Beta(4000, 6000), "rare": pwu.Beta(2, 1e9),
          "a speck": pwu.Mixture([pwu.Dirac(0.4), pwu.Uniform(0, 1)], [1 - 1e-12, 1e-12])}
SPREADING = {"log": np.log, "a small power": lambda t: t**0.01, "log 32": lambda t: np.float32(np.log(t)),
             "float16": np.float16, "log bfloat16": lambda t: bfloat16(np.log(t))}


@pytest.mark.slow
@pytest.mark.parametrize("link", SPREADING)
@pytest.mark.parametrize("prior", NARROW)
def test_a_tie_by_absorption_is_no_proof(prior, link):
    """A narrow prior makes costs of 1e-20, which are lost beside 0.4 and seen again in a logarithm."""
    score = pwu.PWU(BINARY, NARROW[prior])

    def metric(y, f):
        with np.errstate(all="ignore"):
            return float(SPREADING[link](score(y, f)))

    assert alignment.refute(metric, BINARY, n=3, seed=2, trials=2) is None
    assert alignment.coordinate_dependence(metric, trials=60) is None


def test_ties_by_absorption_do_not_verify():
    """Case 0 costs 1e-20 or 1e-95, both of them nothing beside case 1."""
    score = pwu.PWU(BINARY, pwu.Beta(40, 60))
    y, one, two = [1, 0], [0.05, 0.9], [0.001, 0.9]
    assert score(y, one) == score(y, two)
    tie = alignment.Comparison(np.array(y), (np.array(two),), (np.array(one),), (0.0, 0.0))
    apart = alignment.Comparison(np.array(y), (np.array([0.95, 0.01]),), (np.array([0.9, 0.01]),), (0.0, 0.0))
    proof = alignment.Refutation((tie, apart), np.array([1.0, 1e-30]), BINARY)
    assert not proof.verify(lambda y, f: np.log(score(y, f)), [0.01, 0.03])


def test_a_metric_that_depends_on_the_order_of_the_cases_is_refused():
    """Ties that the row order breaks: such a metric ranks no forecasts."""
    def first_case(y, f):
        return float(abs(np.asarray(y)[0] - np.asarray(f)[0]))

    with pytest.raises(ValueError, match="order of the cases"):
        alignment.refute(first_case, BINARY)

    def sure_two(y, f):
        sure = np.argsort(np.minimum(f, 1 - f), kind="stable")[:2]
        return float(np.sum((f[sure] > 0.5) != y[sure]))

    with pytest.raises(ValueError, match="order of the cases"):
        alignment.coordinate_dependence(sure_two)
