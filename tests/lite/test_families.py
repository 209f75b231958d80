"""Decision families: the act, the cost, ties."""

import numpy as np
import pandas as pd
import pytest

import pwu_lite as pwu
from pwu_lite.families import mass_of_k


def test_binary_costs():
    family = pwu.BinaryDecision()
    y, f = [1, 1, 0, 0], [0.2, 0.8, 0.2, 0.8]
    assert family.utility(0.3, y, f) == pytest.approx(-(0.7 + 0.3) / 4)
    assert family.utility(0.2, [1, 0], [0.2, 0.2]) == pytest.approx(-0.8 / 2)  # at f = c: no act
    grid = [0.1, 0.3, 0.9]
    np.testing.assert_allclose(family.utility(grid, y, f), [family.utility(c, y, f) for c in grid])


def test_selective_costs_and_the_tie():
    family = pwu.SelectivePrediction()
    assert family.utility(0.3, [0.0], [2.0], [np.sqrt(0.3)]) == -4  # std**2 rounds above 0.3
    assert family.utility(0.3, [0.0], [2.0], [0.6]) == pytest.approx(-0.3)
    assert family.act(0.25, [0, 0], [0.5, np.nextafter(0.5, 1)]).tolist() == [True, False]


def test_top_k_shares_ties(binary):
    family = pwu.TopK()
    y, f = np.array([1, 0, 0, 1]), np.array([0.5, 0.5, 0.5, 0.9])
    assert family.act(2, f) == pytest.approx([1 / 3, 1 / 3, 1 / 3, 1])
    assert family.utility(2, y, f) == pytest.approx((1 + 1 / 3) / 2)
    assert family.utility(4, y, f) == pytest.approx(0.5)
    for k in (1, 17, 200):
        assert family.act(k, binary[1]).sum() == pytest.approx(k)
        assert family.utility(k, *binary) == pytest.approx(family.act(k, binary[1]) @ binary[0] / k)


def test_risk_averse_ties_survive_rounding():
    """mean - gamma variance is 0.5 twice, though sqrt(3)**2 is not 3."""
    family = pwu.RiskAverseTopK()
    assert family.act((1, 0.5), [1.0, 2.0], [1.0, np.sqrt(3)]).tolist() == [0.5, 0.5]


@pytest.mark.slow
def test_published_penalty_is_improper_and_the_repaired_one_is_not():
    """Truth N(0, 1) twice, gamma = 1, k = 1: reporting a tiny variance pays under the first alone."""
    y = np.random.default_rng(0).normal(size=(2, 4000))
    def loss(penalty, std):
        family = pwu.RiskAverseTopK(penalty)
        return -np.mean([family.utility((1, 1.0), pair, [0, 0], [std, std]) for pair in y.T])
    assert loss("reported", 0.1) < 0.1 < 0.9 < loss("reported", 1.0)
    assert loss("realized", 0.1) == pytest.approx(loss("realized", 1.0))


@pytest.mark.parametrize("family, one, several, data", [
    (pwu.BinaryDecision(), 0.2, [0.2, 0.4], ([1, 0], [0.3, 0.6])),
    (pwu.SelectivePrediction(), 0.2, [0.2, 0.4], ([1, 0], [0.3, 0.6], [1, 2])),
    (pwu.TopK(), 1, [1, 2], ([1, 0], [0.3, 0.6])),
    (pwu.RiskAverseTopK(), (1, 0.5), [(1, 0.5), (2, 0.1)], ([1, 0], [0.3, 0.6], [1, 2])),
])
def test_one_theta_gives_a_float_and_several_an_array(family, one, several, data):
    assert type(family.utility(one, *data)) is float
    values = family.utility(several, *data)
    assert values.shape == (2,)
    assert values[0] == family.utility(one, *data)


def test_metrics_and_scores_are_python_floats(binary, regression):
    priors = {pwu.BinaryDecision(): [pwu.Beta(2, 10)], pwu.TopK(): [pwu.Beta(2, 10)],
              pwu.SelectivePrediction(): [pwu.Gamma(2, 1)],
              pwu.RiskAverseTopK(): [pwu.Beta(2, 10), pwu.Gamma(2, 1)]}
    for family, prior in priors.items():
        data = regression if "std" in family.takes else binary
        assert type(pwu.PWU(family, *prior)(*data)) is float
    y, mean, std = regression
    data = {"binary": binary, "regression": regression, "ranking": (abs(y - mean), std),
            "multiclass": (binary[0], np.column_stack([1 - binary[1], binary[1]])),
            "multivariate": (y[:, None], mean[:, None], std[:, None, None] ** 2)}
    for (task, _), metric in pwu.metrics.REGISTRY.items():
        assert type(metric(*data[task])) is float
        assert metric(*data[task], **metric.options) == metric(*data[task])
    level = pwu.metrics.REGISTRY["regression", "pinball_loss"]
    assert level(*regression, level=0.5) == level.function(*regression, level=0.5) != level(*regression)


def test_retention_area_is_a_pwu(binary, regression):
    """R-AUC is the expected cost of keeping the least uncertain k, every k alike."""
    score = pwu.PWU(pwu.Retention(), pwu.Uniform(0, 1))
    y, f = binary
    wrong, uncertainty = ((f > 0.5) != y).astype(float), np.minimum(f, 1 - f)
    assert score(wrong, uncertainty) == pytest.approx(pwu.metrics.classification.retention_auc(y, f))
    y, mean, std = regression
    assert score((y - mean) ** 2, std) == pytest.approx(pwu.metrics.regression.retention_auc(y, mean, std))


def test_retention_is_top_k_of_the_certain():
    rng = np.random.default_rng(0)
    wrong, u = rng.integers(0, 2, 9), rng.integers(1, 5, 9)
    for k in range(1, 10):
        picked = pwu.TopK().utility(k, wrong, 1 - u / 10)
        assert pwu.Retention().utility(k, wrong, u) == pytest.approx(-picked)
        assert pwu.Retention().act(k, u).sum() == pytest.approx(k)


def test_one_vs_rest_is_an_average_of_binary_decisions():
    rng = np.random.default_rng(0)
    f, y = rng.dirichlet(np.ones(3), 40), rng.integers(0, 3, 40)
    family, prior = pwu.OneVsRest(pwu.BinaryDecision()), pwu.Beta(2, 10)
    binary = [pwu.PWU(pwu.BinaryDecision(), prior)(y == j, f[:, j]) for j in range(3)]
    score = pwu.PWU(family, prior)
    assert score(y, f) == pytest.approx(np.mean(binary)) == pytest.approx(score.per_sample(y, f).mean())
    thetas = [(j, c) for j in range(3) for c in (0.1, 0.5)]
    expected = [pwu.BinaryDecision().utility(c, y == j, f[:, j]) for j, c in thetas]
    assert family.utility(thetas, y, f) == pytest.approx(expected)
    assert score.curve(y, f, thetas=thetas) == pytest.approx(-np.array(expected))
    assert family.act((1, 0.3), f).tolist() == (f[:, 1] > 0.3).tolist()
    weight = rng.random(40)
    assert score(y, f, sample_weight=weight) == pytest.approx(np.average(score.per_sample(y, f), weights=weight))


def test_multiclass_brier_score_is_a_pwu():
    """Proposition G.1: density 2 on each class, so 2 K times the average over classes and c."""
    rng = np.random.default_rng(0)
    f, y = rng.dirichlet(np.ones(4), 30), rng.integers(0, 4, 30)
    score = pwu.PWU(pwu.OneVsRest(pwu.BinaryDecision()), pwu.Uniform(0, 1))
    assert 2 * 4 * score(y, f) == pytest.approx(pwu.metrics.multiclass.brier_score(y, f))


def test_per_output_is_an_average_of_selective_predictions():
    rng = np.random.default_rng(0)
    y, mean = rng.normal(size=(2, 15, 2))
    cov = np.array([[[0.5, 0.2], [0.2, 3.0]]] * 15) * rng.uniform(0.5, 2, (15, 1, 1))
    scale = [1.5, 4.0]
    family, prior = pwu.PerOutput(pwu.SelectivePrediction(), scale), pwu.Gamma(2, 0.5)
    single = [pwu.PWU(pwu.SelectivePrediction(), prior)(y[:, d] / v**0.5, mean[:, d] / v**0.5,
                                                         (cov[:, d, d] / v) ** 0.5) for d, v in enumerate(scale)]
    score = pwu.PWU(family, prior)
    assert score(y, mean, cov) == pytest.approx(np.mean(single))
    assert score.curve(y, mean, cov, thetas=[0.3, 1.0]) == pytest.approx(
        [-family.utility(lam, y, mean, cov) for lam in (0.3, 1.0)])
    assert family.act(0.7, mean, cov).tolist() == (np.diagonal(cov, axis1=1, axis2=2) / scale <= 0.7).tolist()
    weight = rng.random(15)
    assert score(y, mean, cov, sample_weight=weight) == pytest.approx(
        np.average(score.per_sample(y, mean, cov), weights=weight))
    other_unit = pwu.PWU(pwu.PerOutput(pwu.SelectivePrediction(), [150.0, 400.0]), prior)
    assert other_unit(10 * y, 10 * mean, 100 * cov) == pytest.approx(score(y, mean, cov))


@pytest.mark.parametrize("call, words", [
    (lambda: pwu.OneVsRest(pwu.TopK()), "BinaryDecision"), (lambda: pwu.PerOutput(pwu.TopK()), "SelectivePrediction"),
    (lambda: pwu.PerOutput(pwu.SelectivePrediction(), [1.0, -1.0]), "positive"),
    (lambda: pwu.PerOutput(pwu.SelectivePrediction(), [1.0]).utility(1, [[0, 0]], [[0, 0]], [np.eye(2)]), "2 outputs"),
    (lambda: pwu.OneVsRest(pwu.BinaryDecision()).utility((3, 0.5), [0], [[0.5, 0.5]]), "2 columns"),
    (lambda: pwu.OneVsRest(pwu.BinaryDecision()).utility((0.5, 0.5), [0], [[0.5, 0.5]]), "whole number"),
    (lambda: pwu.OneVsRest(pwu.BinaryDecision()).utility(0.5, [0], [[0.5, 0.5]]), "theta"),
    (lambda: pwu.OneVsRest(pwu.BinaryDecision()).act([(0, 0.5), (1, 0.5)], [[0.5, 0.5]]), "one theta"),
    (lambda: pwu.Retention().utility(0, [1.0], [1.0]), "whole number"),
    (lambda: pwu.PWU(pwu.Retention(), pwu.Gamma(1, 1)), "mass outside"),
    (lambda: pwu.PerOutput(pwu.SelectivePrediction()).act(0.7, [[np.nan, 0]], [np.eye(2)]), "mean.0, 0. is nan"),
    (lambda: pwu.OneVsRest(pwu.BinaryDecision()).act((0, 0.3), 5), "y_prob must be a matrix"),
    (lambda: pwu.BinaryDecision().words(0.2, 5), "which"),
    (lambda: pwu.TopK().utility([1, 9], [1, 0], [0.2, 0.3]), "k.1. is 9"),
    (lambda: pwu.RiskAverseTopK().utility((1, 1e100), [3.0, 0], [1.0, 0.0], [1.0, 1e120]), "change the unit"),
    (lambda: pwu.PWU(pwu.TopK, pwu.Beta(2, 2)), "family is the class TopK")],
    ids=range(16))
def test_errors_name_the_right_argument(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_one_outlier_changes_no_other_pick():
    risky = pwu.RiskAverseTopK()
    assert risky.act((1, 1.0), [0, 0, 0, 0], [1e7, 3, 2, 1]).tolist() == [0, 0, 0, 1]
    assert risky.utility((1, 1.0), [0, 1, 2, 10], [0, 0, 0, 0], [1e8, 3, 2, 1]) == 9
    rng = np.random.default_rng(0)
    mean, std = rng.normal(size=200), rng.uniform(0.5, 1.5, 200)
    y = mean + std * rng.normal(size=200)
    score = pwu.PWU(risky, pwu.Beta(2, 8), pwu.Gamma(2, 2.0))
    losses = [score(np.r_[y, -50], np.r_[mean, -50], np.r_[std, wide]) for wide in (1.5, 1e4, 1e6)]
    assert losses == pytest.approx([losses[0]] * 3, rel=1e-6)  # it is picked with probability 1e-18


def test_exact_ties_of_a_price_and_a_variance():
    family = pwu.PerOutput(pwu.SelectivePrediction(), scale=[2])
    assert family.act(38, [[0.0]], [[[76.0]]]).item()  # 76 <= 38 * 2
    assert family.utility(38, [[100.0]], [[0.0]], [[[76.0]]]) == -5000
    assert pwu.PWU(family, pwu.Dirac(38))([[100.0]], [[0.0]], [[[76.0]]]) == 5000


class Half(pwu.SeparableFamily):
    """A family of one's own, to be declared wrongly."""

    def cost(self, theta, y, f):
        return np.full(y.size, float(theta))

    def per_sample(self, prior, y, f):
        return np.full(y.size, prior.mean)


class Share(pwu.JointFamily):
    parameters = (pwu.Parameter("k/n", counts=True),)

    def utilities(self, thetas, data, weight):
        return -np.asarray(thetas, dtype=float)

    def joint_loss(self, prior, y, f):
        return float(np.arange(1, y.size + 1) @ mass_of_k(prior, y.size)), 0.0


@pytest.mark.parametrize("said, words", [
    ({"parameters": pwu.Parameter("theta")}, "parameters of Wrong must be a tuple of Parameter"),
    ({"takes": "y_prob"}, "takes of Wrong must be a tuple of str"), ({"parameters": ()}, "takes no prior"),
    ({"per_sample": lambda self, prior, y, f: 0.5}, r"per_sample of Wrong must return one .* got shape \(\)"),
    ({"cost": lambda self, theta, y, f: np.ones((y.size, 1))}, r"cost of Wrong must return one .* got shape \(2, 1\)")])
def test_a_family_that_is_declared_wrongly_is_named(said, words):
    wrong = type("Wrong", (Half,), said)
    prior = pwu.Dirac(0.5) if "cost" in said else pwu.Gamma(2, 1)
    with pytest.raises(ValueError, match=words):
        pwu.PWU(wrong(), prior)([0, 1], [0.2, 0.4])


def test_a_joint_loss_without_its_error_is_named():
    assert pwu.PWU(Share(), pwu.Beta(2, 3))([0, 1], [0.2, 0.4]) > 1
    wrong = type("Wrong", (Share,), {"joint_loss": lambda self, prior, y, f: 0.5})
    with pytest.raises(ValueError, match="joint_loss of Wrong must return the loss and its numerical error"):
        pwu.PWU(wrong(), pwu.Beta(2, 3))([0, 1], [0.2, 0.4])


def test_a_parameter_that_counts_is_a_share():
    with pytest.raises(ValueError, match=r"mass outside \(0, 1\)"):
        pwu.PWU(Share(), pwu.Gamma(2, 3))


def test_the_numerical_error_is_asked_for_each_continuous_part():
    class Rough(Half):
        def numerical_error(self, prior, *data):
            assert not isinstance(prior, (pwu.Dirac, pwu.Mixture))
            return 0.5

    score = pwu.PWU(Rough(), pwu.Mixture([pwu.Gamma(2, 1), pwu.Dirac(0.3)], [0.25, 0.75]))
    assert score([0, 1], [0.2, 0.4], return_error=True)[1] == 0.125
    assert pwu.PWU(Rough(), pwu.Dirac(0.3))([0, 1], [0.2, 0.4], return_error=True)[1] == 0.0


def test_a_share_is_the_number_of_cases_that_its_prior_means():
    """The k with (k - 1)/n < share <= k/n, as `mass_of_k` counts, although 7/25 times 25 is more than 7 in floats."""
    parameter = pwu.TopK().parameters[0]
    for n in range(1, 200):
        k = np.arange(1, n + 1)
        assert parameter.theta(k / n, n).tolist() == k.tolist()
        assert parameter.theta(np.nextafter(k[:-1] / n, 1), n).tolist() == k[1:].tolist()


PRICED = pwu.CostMatrix([[0, 0], [0, 0]], [[1, 0], [0, 1]])
BOUNDED = {
    "binary": (pwu.BinaryDecision(), pwu.Beta(2, 10)), "answers": (pwu.Answers(), pwu.Beta(2, 2)),
    "reject": (pwu.RejectOption(3), pwu.Uniform(0, 1)), "reject at one price": (pwu.RejectOption(3), pwu.Dirac(0.3)),
    "classes": (pwu.OneVsRest(pwu.BinaryDecision()), pwu.Beta(2, 5)),
    "price": (PRICED, pwu.Dirac(5.0)), "price from 2 to 5": (PRICED, pwu.Uniform(2, 5)),
    "price without end": (pwu.CostMatrix([[0, 10], [2, 1], [0, 0]], [[0, 0], [0, 0], [1, 1]]), pwu.Gamma(2, 1)),
    "falling": (pwu.CostMatrix([[4, 1], [0, 3]], [[-1, 0], [0, -1]]), pwu.Uniform(0.5, 2)),
    "known costs": (pwu.CostMatrix([[1, 14], [9, 8], [21, 3]]),)}


def drawn_losses(family, priors, rng):
    """Losses of many forecasts of cases of each class: shape (forecasts, cases)."""
    score = pwu.PWU(family, *priors)
    if isinstance(family, pwu.Answers):
        y = np.ones(40)
        return np.array([score.per_sample(y, rng.integers(0, 2, 40), rng.random(40) ** rng.choice([0.1, 1, 9]))
                         for _ in range(300)])
    if not family.multiclass:
        y = np.arange(40) % 2
        return np.array([score.per_sample(y, rng.beta(0.2, 0.2, 40)) for _ in range(300)])
    classes = 3 if not isinstance(family, pwu.CostMatrix) else len(family.costs[0])
    y = np.arange(42) % classes
    return np.array([score.per_sample(y, rng.dirichlet(np.full(classes, 0.15), 42)) for _ in range(300)])


@pytest.mark.parametrize("name", BOUNDED)
def test_no_two_losses_of_a_case_differ_by_more_than_the_family_says(name):
    """The bound is met, but for classes, where three alarms cannot all be false, and
    where the mean of a price without end takes the place of the prior."""
    family, *priors = BOUNDED[name]
    score, losses = pwu.PWU(family, *priors), drawn_losses(family, priors, np.random.default_rng(0))
    apart = np.ptp(losses, axis=0).max()
    assert apart <= score.largest_difference * (1 + 1e-9)
    if name not in ("classes", "price without end", "price from 2 to 5", "falling", "binary", "answers", "reject"):
        assert apart == pytest.approx(score.largest_difference)
    if family.largest_difference is not None:
        assert score.largest_difference <= family.largest_difference


def test_bounds_by_hand():
    assert pwu.PWU(PRICED, pwu.Dirac(5.0)).largest_difference == 5  # the columns of costs differ by nothing
    assert PRICED.largest_difference is None and pwu.RejectOption(4).largest_difference == 1
    assert pwu.Answers().largest_difference == pwu.OneVsRest(pwu.BinaryDecision()).largest_difference == 1
    assert BOUNDED["known costs"][0].largest_difference == 20
    assert pwu.PWU(PRICED, pwu.Uniform(2, 5)).largest_difference == 3.5  # at the mean price
    assert pwu.PWU(pwu.SelectivePrediction(), pwu.Gamma(2, 1)).largest_difference is None
    assert pwu.PWU(PRICED, pwu.Pareto(1.0)).largest_difference is None  # no mean


class Fee(pwu.SeparableFamily):
    """Act if f > c, and pay a fee for acting; a family of one's own with something in it."""

    parameters = (pwu.Parameter("c", (0, 1)),)

    def __init__(self, fee, names=()):
        self.fee, self.names_of = fee, names

    def cost(self, theta, y, f):
        return np.where(f > theta, theta * ~y + self.fee, (1 - theta) * y)

    def per_sample(self, prior, y, f):
        return pwu.BinaryDecision().per_sample(prior, y, f) + self.fee * prior.mass(0, f)


def test_a_family_of_one_s_own_is_itself_by_its_values():
    one, same, other = (pwu.PWU(Fee(fee), pwu.Uniform(0, 0.5)) for fee in (0.1, 0.1, 0.2))
    assert one == same and hash(one) == hash(same) and one != other and one.family != pwu.BinaryDecision()
    assert repr(one.family) == "Fee(fee=0.1, names_of=())" and "0x" not in one.scorer().__class__.__name__
    assert "0x" not in repr(one) and "0x" not in one.__name__
    arrays = [Fee(np.array([0.1, value])) for value in (0.2, 0.2, 0.3)]
    assert arrays[0] == arrays[1] != arrays[2] and hash(arrays[0]) == hash(arrays[1])
    frames = [Fee(pd.DataFrame({"a": [value]})) for value in (1, 1, 2)]
    assert frames[0] == frames[1] != frames[2] and len({*frames[:2], frames[2]}) == 2
    assert Fee({"a": [1, 2]}) == Fee({"a": [1, 2]}) and "\n" not in repr(Fee(np.arange(500)))
    assert pwu.RejectOption(3) == pwu.RejectOption(3) != pwu.RejectOption(4)
    assert pwu.Newsvendor([0.1, 0.5]) == pwu.Newsvendor([0.1, 0.5]) != pwu.Newsvendor([0.1, 0.9])
    assert len({pwu.Newsvendor([0.1, 0.5]), pwu.Newsvendor([0.1, 0.5])}) == 1


def test_families_are_compared_by_what_they_hold_and_stay_keys_while_used():
    import pickle

    class Holds(Fee):
        def __init__(self, **given):
            vars(self).update(given)

    used = Holds(a=1)
    kept = {used: "kept"}
    used.calls = 1
    assert kept[used] == "kept"
    for value in (np.array([1, 2.5]), pd.Series(["a", pd.NA], dtype="string"), {1: None, "1": [2]}, pwu.Beta(2, 10)):
        assert Holds(a=value) == Holds(a=pickle.loads(pickle.dumps(value))), value
    for one, two in (({1: 0.5}, {"1": 0.5}), ({"a": 1}, [("a", 1)]), (np.ones(2), np.ones(3)), (1, "1")):
        assert Holds(a=one) != Holds(a=two)
    itself = Holds()
    itself.me = itself
    assert repr(itself) == "Holds(me=...)" and " at 0x" not in repr(Holds(g=lambda x: x, h=object()))


def test_no_loss_under_a_prior_of_prices_is_outside_its_bounds():
    rng = np.random.default_rng(0)
    for prior in (pwu.Uniform(0, 4), pwu.Beta(2, 3), pwu.LogNormal(0, 1), pwu.Gamma(2, 1), pwu.Dirac(0.7)):
        for _ in range(10):
            costs, price = rng.integers(0, 4, (3, 2)).astype(float), rng.integers(-1, 3, (3, 2)).astype(float)
            try:
                family = pwu.CostMatrix(costs, price=price)
                score = pwu.PWU(family, prior)
                loss = score.per_sample([0, 1] * 20, np.column_stack([f := rng.random(40), 1 - f]))
            except ValueError as error:
                assert any(word in str(error) for word in ("negative price", "prior on the price", "infinite")), error
                continue
            apart = score.largest_difference
            assert apart is None or np.ptp(loss[::2]) <= apart + 1e-9 and np.ptp(loss[1::2]) <= apart + 1e-9
