"""Every numbered statement of the IP paper on random problems in exact fractions, and what a caller relies on."""

from fractions import Fraction as F
from itertools import permutations, product

import numpy as np
import pandas as pd
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog, minimize_scalar

import pwu_lite as pwu
from pwu_book import imprecise as ip
from pwu_lite.metrics import classification as m

CELLS = ["cloudy", "cloudy", "sunny", "sunny"]
UMBRELLA = [[0, F("0.9")] * 2, [F("0.1"), 0] * 2]
RAIN = [[0, F("0.9")], [F("0.1"), 0]]  # without and with an umbrella; no rain, rain


def country(cloudy, rain_if_cloudy, rain_if_sunny):
    c, r, s = map(F, (cloudy, rain_if_cloudy, rain_if_sunny))
    return [c * (1 - r), c * r, (1 - c) * (1 - s), (1 - c) * s]


NARROW = ip.CredalSet.interval(F("0.05"), F("0.15"))
A, B = country("0.4", "0.95", "0.05"), country("0.9", "0.85", "0.15")
BOTH = ip.CredalSet([A, B])


def within(cell, cells=CELLS):
    return np.array([one == cell for one in cells])


def bayes(P, cells=CELLS):
    """The generalised Bayes rule in every cell."""
    return {cell: P.given(within(cell, cells)) for cell in dict.fromkeys(cells)}


def fractions(rng, shape, low=0, high=20):
    return np.array([F(int(x), 10) for x in rng.integers(low, high, shape).ravel()], dtype=object).reshape(shape)


def credal(rng, m, k, least=0):
    """m random vertices on k states."""
    counts = rng.integers(1, 30, (m, k)) if least else rng.integers(0, 12, (m, k)) + np.eye(k, dtype=int)[
        rng.integers(0, k, m)]
    return ip.CredalSet([[F(int(x), int(row.sum())) for x in row] for row in counts])


def problem(seed, acts=3, signed=False):
    """A random set on two cells of two states, a loss, cells."""
    rng = np.random.default_rng(seed)
    return rng, credal(rng, 3, 4, least=1), fractions(rng, (acts, 4), -15 if signed else 0, 20), CELLS


def any_set(rng, most):
    rows = [[int(x) for x in rng.multinomial(int(rng.integers(1, 9)), rng.dirichlet([0.4] * 4))]
            for _ in range(int(rng.integers(1, most)))]
    return ip.CredalSet([[F(x, sum(row)) for x in row] for row in rows])


def wild(seed):
    """As `problem`; the set may have zeros, and one act is often a million times larger."""
    rng = np.random.default_rng(seed)
    loss = fractions(rng, (3, 4), -20)
    if rng.random() < 0.7:
        loss[int(rng.integers(3))] *= 10 ** int(rng.integers(4, 9))
    return rng, any_set(rng, 5), loss, CELLS


@pytest.fixture(params=range(60))
def unsigned(request):
    return problem(request.param)


@pytest.fixture(params=range(60))
def signed(request):
    return problem(request.param, signed=True)


@pytest.fixture(params=range(70))
def of_any_scale(request):
    return problem(request.param, signed=True) if request.param < 30 else wild(request.param)


# --- section 2


def test_the_umbrella_of_the_interval():
    assert ip.upper_risks(NARROW, RAIN).tolist() == [F("0.135"), F("0.095")]
    assert ip.minimax_act(NARROW, RAIN) == 1
    assert [ip.minimax_act(ip.CredalSet.interval(p, p), RAIN) for p in (F("0.05"), F("0.15"))] == [0, 1]
    wet = ip.CredalSet.interval(F("0.85"), F("0.95"))
    assert ip.upper_risks(wet, RAIN).tolist() == [F("0.855"), F("0.015")]


def test_losses_may_be_negative():
    lower = np.array(RAIN, dtype=object) - 1
    assert ip.minimax_act(NARROW, lower) == ip.minimax_act(NARROW, RAIN)
    assert ip.score(NARROW, NARROW, lower) == ip.score(NARROW, NARROW, RAIN) - 1 < 0


def test_the_minimax_act_has_the_least_worst_risk(unsigned):
    rng, P, loss, _ = unsigned
    act = ip.minimax_act(P, loss)
    worst = [max(sum(p * row[w] for w, p in enumerate(member)) for member in P.vertices) for row in loss]
    assert worst[act] == min(worst) and act == worst.index(min(worst))


def test_the_score_is_the_cost_of_following_the_forecasts(unsigned):
    rng, P, loss, cells = unsigned
    forecasts = {cell: credal(rng, 2, 4) for cell in dict.fromkeys(cells)}
    acts = {cell: ip.minimax_act(Q, loss) for cell, Q in forecasts.items()}
    costs = [sum(p * loss[acts[cell]][w] for w, (p, cell) in enumerate(zip(member, cells, strict=True)))
             for member in P.vertices]
    assert ip.score(P, forecasts, loss, cells) == max(costs)


def test_the_best_score_is_reached_and_not_undercut(of_any_scale):
    rng, P, loss, cells = of_any_scale
    best = ip.best_score(P, loss, cells)
    assert isinstance(best, F)
    for _ in range(150):
        forecasts = {cell: any_set(rng, 4) for cell in dict.fromkeys(cells)}
        assert ip.score(P, forecasts, loss, cells) >= best


def test_mixtures_of_members_change_no_upper_expectation(unsigned):
    rng, P, loss, _ = unsigned
    mixed = ip.CredalSet([*P.vertices, (P.vertices[0] + 2 * P.vertices[1]) / 3])
    assert (ip.upper_risks(P, loss) == ip.upper_risks(mixed, loss)).all() and P.same(mixed)
    smaller = ip.CredalSet(P.vertices[:1])
    assert not P.same(smaller)
    assert (ip.upper_risks(smaller, loss) <= ip.upper_risks(P, loss)).all()


def test_weak_propriety_in_every_order_of_ties(unsigned):
    rng, P, loss, _ = unsigned
    Q = credal(rng, 2, 4)
    honest = {ip.score(P, P, loss, order=list(order)) for order in permutations(range(3))}
    assert len(honest) == 1  # the score of P under P does not depend on ties
    assert all(ip.score(P, P, loss) <= ip.score(P, Q, loss, order=list(order)) for order in permutations(range(3)))


def test_a_short_segment_has_a_member_that_does_as_well(unsigned):
    rng, P, loss, _ = unsigned
    centre = P.vertices.mean(axis=0)
    risks = ip.CredalSet([centre]).upper(loss)
    if sorted(risks)[0] == sorted(risks)[1]:
        pytest.skip("a tie at the centre")
    segment = ip.CredalSet([centre, centre + (P.vertices[0] - centre) / 10**6])
    member = ip.CredalSet([centre])
    assert not segment.same(member)
    assert ip.score(segment, segment, loss) == ip.score(segment, member, loss)


def test_no_precise_forecast_does_as_well_with_three_acts():
    P = ip.CredalSet([[1, 0], [0, 1]])
    tie, apart = [[2, 7], [6, 3], [4, 5]], [[2, 7], [6, 3], [F("4.1"), F("5.1")]]
    precise = [ip.CredalSet([[1 - F(j, 60), F(j, 60)]]) for j in range(61)]
    assert ip.upper_risks(P, tie).tolist() == [7, 6, 5] and ip.max_entropy(P, tie).value == F(9, 2)
    assert min(ip.score(P, Q, tie) for Q in precise) == 6 > ip.score(P, P, tie) == 5
    assert min(ip.score(P, Q, tie, order=[2, 0, 1]) for Q in precise) == 5  # with other ties precise forecasts reach it
    for order in permutations(range(3)):
        assert ip.score(P, P, apart, order=list(order)) == F("5.1")
        assert min(ip.score(P, Q, apart, order=list(order)) for Q in precise) == 6


def separating(P, Q):
    """A gamble on which upper expectations differ, as the difference of the two is largest."""
    best = None
    for member in P.vertices.astype(float):  # max p.X - t, q.X <= t, X in [-1, 1]
        k = member.size
        rows = np.column_stack([Q.vertices.astype(float), -np.ones(len(Q.vertices))])
        found = linprog(-np.append(member, -1.0), rows, np.zeros(len(rows)), bounds=[(-1, 1)] * k + [(None, None)])
        if best is None or -found.fun > best[0]:
            best = -found.fun, found.x[:k]
    return best


@pytest.mark.parametrize("seed", range(40))
def test_strong_propriety(seed):
    rng = np.random.default_rng(seed)
    P, Q = credal(rng, 2, 3), credal(rng, 2, 3)
    if P.same(Q):
        pytest.skip("the same hull")
    gap, X = max((separating(P, Q), separating(Q, P)), key=lambda pair: pair[0])
    assert gap > 1e-9
    X = np.array([F(float(x)).limit_denominator(10**6) for x in X], dtype=object)
    between = (P.upper(X) + Q.upper(X)) / 2
    loss = [X, [between] * 3]
    assert ip.score(P, P, loss) < ip.score(P, Q, loss)


def test_the_maximum_entropy_forecast_is_optimal_where_acts_are_unique(unsigned):
    """MaxEnt <= best score <= score of f*, with equality throughout if f*'s acts are unique."""
    rng, P, loss, cells = unsigned
    found = ip.max_entropy(P, loss, cells)
    star = bayes(ip.CredalSet([found.weights @ P.vertices]))
    chain = [found.value, ip.best_score(P, loss, cells), ip.score(P, star, loss, cells)]
    assert chain == sorted(chain)
    if found.unique:
        assert chain[0] == chain[1] == chain[2]


def test_where_acts_are_unique_the_maximiser_is_a_vertex():
    """For generic losses; a plateau has its maximisers inside, with unique acts."""
    plateau = [[0, 10], [10, 0], [3, 3]]
    entropies = [ip.max_entropy(ip.CredalSet.interval(p, p), plateau).value for p in (0, F(1, 2), 1)]
    assert entropies == [0, 3, 0] and ip.max_entropy(ip.CredalSet.interval(0, 1), plateau).value == 3
    found = [ip.max_entropy(problem(seed)[1], problem(seed)[2], CELLS) for seed in range(60)]
    unique = [one for one in found if one.unique]
    assert len(unique) > 10 and all((one.weights == 1).any() for one in unique)
    assert any(not (one.weights == 1).any() for one in found)


def test_maximum_entropy_is_the_value_with_a_coin(of_any_scale):
    """A member and a coin of equal value prove each other optimal; floats come near."""
    _, P, loss, cells = of_any_scale
    found = ip.max_entropy(P, loss, cells)
    mixed = found.mixed_acts.to_numpy()
    assert isinstance(found.value, F) and sum(found.weights) == 1 and (mixed.sum(axis=1) == 1).all()
    costs = [sum(p * sum(mixed[CELLS.index(cell) // 2][a] * loss[a][w] for a in range(3))
                 for w, (p, cell) in enumerate(zip(member, cells, strict=True))) for member in P.vertices]
    member = found.weights @ P.vertices
    assert max(costs) == found.value == sum(min(loss[:, at] @ member[at]) for at in (slice(2), slice(2, 4)))
    floats = ip.max_entropy(ip.CredalSet(P.vertices.astype(float)), loss.astype(float), cells)
    assert floats.value == pytest.approx(float(found.value), rel=1e-7, abs=1e-9 * float(abs(loss).max()))


def test_entropy_of_one_member_is_the_cost_of_its_bayes_acts():
    for member, value in ((A, F("0.029")), (B, F("0.022"))):
        P = ip.CredalSet([member])
        assert ip.max_entropy(P, UMBRELLA, CELLS).value == value == ip.best_score(P, UMBRELLA, CELLS)


def winkler(a, y, c, above):
    """Winkler's score; `above` is 1 from c on, or what is taken for that step."""
    return 1 - ((c - y) ** 2 - (a - y) ** 2) / (above * (1 - c) ** 2 + (1 - above) * c**2)


def test_a_proper_loss_clamps_its_favourite_to_the_interval():
    grid = np.arange(1001) / 1000
    P = ip.CredalSet.interval(0.2, 0.35)
    brier = np.column_stack([grid**2, (1 - grid) ** 2])
    act = ip.minimax_act(P, brier)
    assert grid[act] == 0.35 and ip.upper_risks(P, brier)[act] == pytest.approx(0.2275) == 0.35 * 0.65
    for c, low, high, wanted in ((0.1, 0.2, 0.6, 0.2), (0.3, 0.2, 0.6, 0.3), (0.7, 0.2, 0.6, 0.6)):
        costs = np.column_stack([winkler(grid, y, c, grid >= c) for y in (0, 1)])
        assert grid[ip.minimax_act(ip.CredalSet.interval(low, high), costs)] == pytest.approx(wanted, abs=0.002)


def test_without_features_the_best_score_is_that_of_the_set_itself(unsigned):
    _, P, loss, _ = unsigned
    found = ip.max_entropy(P, loss)
    assert ip.best_score(P, loss) == ip.score(P, P, loss) >= found.value
    if found.unique:
        assert found.value == ip.score(P, P, loss)


def test_generalised_bayes_rule_is_the_root_of_an_upper_expectation(signed):
    rng, P, loss, _ = signed
    Z, inside = loss[0], within("cloudy")
    root = P.given(inside).upper(Z)

    def value(alpha):
        return P.upper(np.where(inside, Z - alpha, 0 * Z))

    assert value(root) == 0 and value(root - F(1, 1000)) > 0 > value(root + F(1, 1000))


def test_conditioning_needs_a_positive_lower_probability():
    P = ip.CredalSet([[0, 0, 1], [F("0.2"), F("0.3"), F("0.5")]])
    with pytest.raises(ValueError, match="lower probability zero"):
        P.given([True, True, False])


# --- section 3


def test_the_constant_forecast_of_the_data_is_calibrated(signed):
    _, P, loss, cells = signed
    assert ip.calibration(P, P, loss, cells, None)["I"].tolist() == [0]


def test_calibration_is_announced_against_paid(signed):
    rng, P, loss, cells = signed
    forecasts = {cell: credal(rng, 2, 4) for cell in dict.fromkeys(cells)}
    acts = [ip.minimax_act(forecasts[cell], loss) for cell in cells]
    S = np.array([loss[act][w] for w, act in enumerate(acts)], dtype=object)
    H = np.array([forecasts[cell].upper(S) for cell in cells], dtype=object)
    table = ip.calibration(P, forecasts, loss, cells)
    for act in set(acts):
        inside = np.array(acts) == act
        assert table.loc[act, "I"] == max((member * (S - H))[inside].sum() for member in P.vertices)
    assert ip.calibration(P, forecasts, loss, cells, None)["I"].tolist() == [
        max((member * (S - H)).sum() for member in P.vertices)]


def test_sub_calibration_passes_to_coarser_partitions(signed):
    rng, P, loss, cells = signed
    forecasts = {cell: credal(rng, 3, 4) for cell in dict.fromkeys(cells)}
    fine = ip.calibration(P, forecasts, loss, cells, "cells")["I"]
    coarse = ip.calibration(P, forecasts, loss, cells, None)["I"].iloc[0]
    assert coarse <= sum(fine)
    assert max(fine) > 0 or coarse <= 0


def test_calibration_does_not_pass_to_coarser_partitions():
    rule = bayes(BOTH)
    assert ip.calibration(BOTH, rule, UMBRELLA, CELLS, "cells")["I"].tolist() == [0, 0]
    assert ip.calibration(BOTH, rule, UMBRELLA, CELLS, None)["I"].tolist() == [F("-0.001")]


def test_the_optimal_forecast_announces_too_little():
    told = ip.CredalSet.interval(F("0.15"), F("0.15"))
    assert ip.score(NARROW, told, RAIN) == ip.best_score(NARROW, RAIN) == ip.score(NARROW, NARROW, RAIN)
    assert ip.calibration(NARROW, told, RAIN, partition=None)["I"].tolist() == [F("0.01")]
    star = bayes(ip.CredalSet([A]))
    assert ip.score(BOTH, star, UMBRELLA, CELLS) == ip.best_score(BOTH, UMBRELLA, CELLS)
    assert ip.calibration(BOTH, star, UMBRELLA, CELLS, None)["I"].tolist() == [F("0.018")]  # printed .011
    table = ip.calibration(BOTH, star, UMBRELLA, CELLS)
    assert table["I"].tolist() == [F("0.009"), F("0.009")] and table["II"].tolist() == [F("0.09"), F("0.01")]


def test_calibration_is_a_conditional_upper_expectation_of_zero(signed):
    rng, P, loss, cells = signed
    forecasts = {cell: credal(rng, 2, 4) for cell in dict.fromkeys(cells)}
    table = ip.calibration(P, forecasts, loss, cells, "cells")
    assert [np.sign(float(x)) for x in table["I"]] == [np.sign(float(x)) for x in table["II"]]


def test_the_generalised_bayes_rule_is_calibrated_and_cheapest_to_announce(signed):
    rng, P, loss, cells = signed
    rule = bayes(P)
    assert ip.calibration(P, rule, loss, cells, "cells")["I"].tolist() == [0, 0]
    rival = {cell: credal(rng, 3, 4, least=1).given(within(cell)) for cell in rule}
    fair = ip.calibration(P, rival, loss, cells, "cells")
    for cell in rule:
        if fair.loc[cell, "I"] <= 0:  # sub-calibrated is enough
            own, other = (Q[cell].upper(loss[ip.minimax_act(Q[cell], loss)]) for Q in (rule, rival))
            assert own <= other


def test_a_calibrated_forecast_can_announce_strictly_more():
    P, told = ip.CredalSet.interval(F("0.25"), F("0.25")), ip.CredalSet.interval(F("0.75"), F("0.75"))
    loss = [[0, 1], [F("0.5"), F("0.5")]]
    assert [ip.calibration(P, Q, loss, partition=None)["verdict"].iloc[0] for Q in (P, told)] == ["calibrated"] * 2
    announced = [Q.upper(loss[ip.minimax_act(Q, loss)]) for Q in (P, told)]
    assert announced == [F("0.25"), F("0.5")]


def bound_of_39(P, rule, loss, corrected):
    """Announced prices times upper probabilities, or the worse end of each probability."""
    total = 0
    for cell, Q in rule.items():
        price, inside = Q.upper(loss[ip.minimax_act(Q, loss)]), within(cell).astype(int)
        high, low = P.upper(inside), P.lower(inside)
        total += max(price * high, price * low) if corrected else price * high
    return total


def test_the_corrected_bound_on_the_score(signed):
    _, P, loss, cells = signed
    rule = bayes(P)
    assert ip.score(P, rule, loss, cells) <= bound_of_39(P, rule, loss, corrected=True)
    positive = loss - loss.min()
    assert ip.score(P, rule, positive, cells) <= bound_of_39(P, rule, positive, corrected=False)


def test_the_printed_bound_fails():
    """Where losses may be gains; and where a forecast strays from its block, without any gain."""
    rule, shifted = bayes(BOTH), np.array(UMBRELLA, dtype=object) - F("0.03")
    found = ip.score(BOTH, rule, shifted, CELLS)
    assert found == F("0.029") > bound_of_39(BOTH, rule, shifted, corrected=False) == F("0.0255")
    assert bound_of_39(BOTH, rule, shifted, corrected=True) == F("0.033")


STRAYING = {"one": [[0, 1]], "two": [[1, 0]]}


def test_forecasts_that_stray_from_their_block():
    """Calibrated on both blocks, with less entropy than the conditional; the printed bound on the score fails."""
    halves, acts = ip.CredalSet([[F(1, 2), F(1, 2)]]), [[5, 0], [4, 5]]
    crossed = {cell: ip.CredalSet(rows) for cell, rows in STRAYING.items()}
    fair = ip.calibration(halves, crossed, acts, ["one", "two"], "cells")
    assert fair["verdict"].tolist() == ["calibrated"] * 2
    entropy = {cell: min(Q.upper(acts)) for cell, Q in crossed.items()}
    assert min(halves.given([True, False]).upper(acts)) == 4 > entropy["one"]
    assert ip.score(halves, crossed, acts, ["one", "two"]) == 5 > sum(entropy.values()) * F(1, 2) == 2


def kinked(q, c=F("0.3"), weight=F(4)):
    """Brier score plus some of the cost at c, for y = 0 and y = 1: strictly proper."""
    return [q**2 + weight * c * (q > c), (1 - q) ** 2 + weight * (1 - c) * (q <= c)]


def test_maximum_entropy_fails_at_a_kink():
    wide, grid = ip.CredalSet.interval(F("0.25"), F("0.6")), [F(k, 80) for k in range(81)]
    acts = [kinked(q) for q in grid]
    for p in grid[::4]:  # strictly proper among these reports
        costs = [(1 - p) * low + p * high for low, high in acts]
        assert costs.index(min(costs)) == grid.index(p) and costs.count(min(costs)) == 1
    found = ip.max_entropy(wide, acts)
    star = grid.index(max((q for q in grid if F("0.25") <= q <= F("0.6")),
                          key=lambda q: (1 - q) * kinked(q)[0] + q * kinked(q)[1]))
    assert grid[star] == F("0.3") and float(found.value) == pytest.approx(1.05, abs=2e-4)  # a grid of acts
    assert wide.upper(acts[star]) == F("2.01") > wide.upper(kinked(F("0.325"))) == F("1.093125")


def test_maximum_entropy_may_lie_below_the_imprecise_entropy(unsigned):
    """Never above it (drawn); and below it where two acts tie at the maximum and neither is safe."""
    _, P, loss, _ = unsigned
    assert ip.max_entropy(P, loss).value <= ip.best_score(P, loss)
    P, acts = ip.CredalSet.interval(F("0.1"), F("0.9")), [[0, 1], [1, 0]]
    found = ip.max_entropy(P, acts)
    assert found.value < ip.best_score(P, acts)
    assert (found.value, ip.best_score(P, acts)) == (F("0.5"), F("0.9"))


def test_the_best_act_against_maximum_entropy_is_minimax():
    """No kink at the maximum: one act is best on both sides of it, and its worst cost is the entropy."""
    acts = [[0, 3], [3, 0], [1, 1]]
    P = ip.CredalSet.interval(F("0.1"), F("0.9"))
    found, inside = ip.max_entropy(P, acts), np.array([F(1, 2), F(1, 2)])
    assert min(sum(p * x for p, x in zip(inside, act, strict=True)) for act in acts) == found.value == 1
    best = ip.minimax_act(ip.CredalSet([inside]), acts)
    near = [ip.minimax_act(ip.CredalSet([[inside[0] + d, inside[1] - d]]), acts) for d in (F(-1, 100), F(1, 100))]
    assert near == [best, best]
    assert min(ip.upper_risks(P, acts)) == ip.upper_risks(P, acts)[best] == found.value


def test_wider_forecasts_are_sub_calibrated(signed):
    rng, P, loss, cells = signed
    rule = bayes(P)
    wider = {cell: ip.CredalSet([*Q.vertices, *credal(rng, 2, 4, least=1).given(within(cell)).vertices])
             for cell, Q in rule.items()}
    assert max(ip.calibration(P, wider, loss, cells, "cells")["I"]) <= 0


def test_other_forecasts_fail_for_some_loss(unsigned):
    """Narrower: not sub-calibrated; different: not calibrated. The loss is a gamble that separates the sets."""
    rng, P, _, _ = unsigned
    narrow = ip.CredalSet(P.vertices[:2])
    if narrow.same(P):
        pytest.skip("the third vertex adds nothing")
    gap, X = separating(P, narrow)
    table = ip.calibration(P, narrow, [X], partition=None)
    assert gap > 1e-9 and table["verdict"].tolist() == ["over-optimistic"]
    other = credal(rng, 2, 4)
    gap, X = max((separating(P, other), separating(other, P)), key=lambda pair: pair[0])
    assert gap > 1e-9 and ip.calibration(P, other, [X], partition=None)["verdict"].tolist() != ["calibrated"]


def test_one_forecast_for_a_cell():
    rule = bayes(BOTH)
    assert ip.score(BOTH, rule, UMBRELLA, CELLS) == F("0.059") > F("0.029")
    with pytest.raises(ValueError, match="none for 'sunny'"):
        ip.score(BOTH, {"cloudy": rule["cloudy"]}, UMBRELLA, CELLS)


# --- section 4


@pytest.mark.parametrize("seed", range(10))
def test_accuracy_is_an_affine_map_of_the_even_cost(seed):
    rng = np.random.default_rng(seed)
    y, f = rng.integers(0, 2, 40), rng.random(40)
    assert 1 - m.zero_one_loss(y, f) == pytest.approx(1 + 2 * pwu.BinaryDecision().utility(0.5, y, f))


@pytest.mark.parametrize("c", [0.1, 0.3, 0.5, 0.9])
def test_winkler_is_a_prior_weighted_cost(c):
    y, f = np.array([0, 1] * 50), np.linspace(0, 1, 100)
    prior = pwu.Mixture([pwu.Uniform(0, c), pwu.Uniform(c, 1)], [1 - c, c])
    score = pwu.PWU(pwu.BinaryDecision(), prior).per_sample(y, f)
    winkler = np.array([m.winkler_loss([a], [b], c=c) for a, b in zip(y, f, strict=True)])
    assert winkler == pytest.approx(2 / (c * (1 - c)) * score)


@pytest.mark.parametrize("c", [0.1, 0.3, 0.7])
def test_entropies_of_both_losses_peak_at_c(c):
    p = np.linspace(0, 1, 1001)
    cost = np.minimum(p * (1 - c), (1 - p) * c)
    ill, well = (np.array([m.winkler_loss([y], [q], c=c) for q in p]) for y in (1, 0))
    winkler = p * ill + (1 - p) * well
    assert p[np.argmax(cost)] == pytest.approx(c) and p[np.argmax(winkler)] == pytest.approx(c)


def test_the_printed_step_leaves_the_worst_group():
    costs = np.array([0.2, 0.5])

    def weights(sign):
        w = np.ones(2) / 2
        for _ in range(300):
            w = w * np.exp(sign * 0.1 * costs)
            w /= w.sum()
        return w

    assert weights(-1)[0] > 0.99 and weights(1)[1] > 0.99


def test_zero_of_i_is_not_zero_of_ii():
    """Group 2 never acts: I of the act is zero for nothing."""
    y, groups = np.array([1] * 5 + [0] * 5 + [0] * 10), np.array([1] * 10 + [2] * 10)
    low = np.where(groups == 1, 0.2, 0.05)
    high = np.where(groups == 1, 0.9, 0.1)
    table = ip.calibration_by_group(0.3, y, low, high, groups)
    assert table.loc["act", "I"] == 0 and np.isnan(table.loc["act", "II"])
    assert table.loc["act", "verdict"] == "free zero"
    y[:5] = 0  # nobody is ill: still free
    assert ip.calibration_by_group(0.3, y, low, high, groups).loc["act", "verdict"] in ("free zero", "over-optimistic")


def test_calibration_by_group_is_calibration_under_the_groups():
    rng = np.random.default_rng(0)
    y, groups = rng.integers(0, 2, 60), np.repeat(["a", "b", "c"], 20)
    low = rng.random(60) * 0.8
    high = low + rng.random(60) * (1 - low)
    for c in (0.1, 0.5, 0.7):
        table = ip.calibration_by_group(c, y, low, high, groups)
        P = ip.CredalSet([(groups == g) / 20.0 for g in "abc"])
        acts = pwu.BinaryDecision().act(c, ip.as_one(low, high))
        paid = np.where(acts, c * (1 - y), (1 - c) * y)
        told = np.where(acts, c * (1 - low), (1 - c) * high)
        assert table.loc["either act", "I"] == pytest.approx(P.upper(paid - told))
        for name, inside in (("act", acts), ("wait", ~acts)):
            assert table.loc[name, "I"] == pytest.approx(P.upper((paid - told) * inside))


# --- the appendix


def test_lemma_a1_is_about_the_segment():
    """Along a segment of p1 = p2 H = min(p1, p2) is linear; across it, it has a kink at every point."""
    loss = np.array([[1, 0, 0], [0, 1, 0], [1, 1, 1]])

    def entropy(p):
        return ip.max_entropy(ip.CredalSet([p]), loss).value

    for x in (F("0.1"), F("0.2"), F("0.3"), F("0.4")):
        step, centre = F(1, 100), [x, x, 1 - 2 * x]
        right = entropy([x + step, x, 1 - 2 * x - step]) - entropy(centre)
        left = entropy(centre) - entropy([x - step, x, 1 - 2 * x + step])
        assert right / step == 0 and left / step == 1
        along = entropy([x + step, x + step, 1 - 2 * x - 2 * step]) - entropy(centre)
        assert along / step == 1


def test_ties_go_by_a_stated_order():
    P, loss = ip.CredalSet.interval(F("0.1"), F("0.1")), RAIN
    assert ip.upper_risks(P, loss).tolist() == [F("0.09"), F("0.09")]
    assert ip.minimax_act(P, loss) == 0 and ip.minimax_act(P, loss, order=[1, 0]) == 1
    floats = ip.CredalSet.interval(0.1, 0.1)  # 0.9 * 0.1 and 0.1 * 0.9 differ by rounding
    assert ip.minimax_act(floats, [[0, 0.9], [0.1, 0]]) == 0


def test_combined_acts_are_unique_exactly_where_each_cell_s_is(unsigned):
    _, P, loss, cells = unsigned
    one = ip.CredalSet(P.vertices[:1])
    costs = {acts: one.upper(np.array([loss[acts[w // 2]][w] for w in range(4)]))
             for acts in product(range(3), repeat=2)}
    unique = sum(cost == min(costs.values()) for cost in costs.values()) == 1
    each = [ip.upper_risks(one.given(within(cell)), loss) for cell in dict.fromkeys(cells)]
    assert unique == all(sum(risks == risks.min()) == 1 for risks in each) == ip.max_entropy(one, loss, cells).unique
    assert min(costs.values()) == ip.max_entropy(one, loss, cells).value


def test_combined_acts_of_the_two_countries():
    costs = {(a, b): BOTH.upper([UMBRELLA[a][0], UMBRELLA[a][1], UMBRELLA[b][2], UMBRELLA[b][3]])
             for a in (0, 1) for b in (0, 1)}
    assert costs == {(0, 0): F("0.702"), (0, 1): F("0.697"), (1, 0): F("0.029"), (1, 1): F("0.059")}


def test_the_entropy_rises_to_country_a():
    def entropy(share):
        mixed = share * np.array(A, dtype=object) + (1 - share) * np.array(B, dtype=object)
        return ip.max_entropy(ip.CredalSet([mixed]), UMBRELLA, CELLS).value

    values = [entropy(F(j, 70)) for j in range(71)]
    assert values == sorted(values) and len(set(values)) == 71 and (values[0], values[-1]) == (F("0.022"), F("0.029"))
    assert all(values[j] == F("0.022") + F("0.037") * F(j, 70) for j in range(11))
    assert all(values[j] == F("0.027") + F("0.002") * F(j, 70) for j in range(10, 71))
    found = ip.max_entropy(BOTH, UMBRELLA, CELLS)
    assert found.value == F("0.029") and found.weights.tolist() == [1, 0] and found.unique


def test_printed_weights_are_no_probabilities():
    assert F("0.85") * F("0.9") / F("0.6") > 1  # y at lambda = 0, as printed
    assert F("0.85") * F("0.9") / F("0.9") == F("0.85")


def gaps(c, told, true, chance):
    """Paid minus announced at a cost share, where one waits and where one acts."""
    act = told > c
    gap = chance * np.where(act, c * (told - true), (1 - c) * (true - told))
    return [gap[~act].sum(), gap[act].sum()]


def test_calibrated_for_one_cost_only():
    given = [np.array(one) for one in ([0.8, 0.6, 0.3], [0.6, 0.8, 0.3], [0.25, 0.25, 0.5])]
    assert gaps(0.5, *given) == pytest.approx([0, 0]) and gaps(0.7, *given) == pytest.approx([0.015, 0.035])


def test_calibrated_for_every_cost_is_calibrated():
    rng = np.random.default_rng(0)
    for calibrated in (True, False):
        told = np.array([0.2, 0.5, 0.9])
        true = told if calibrated else np.array([0.3, 0.5, 0.9])
        chance = rng.dirichlet([1, 1, 1])
        worst = np.abs([gaps(c, told, true, chance) for c in np.linspace(0.01, 0.99, 99)]).max()
        assert (worst < 1e-12) == calibrated


def test_the_stake_of_zhao_and_ermon_makes_the_loss_constant():
    c, low, high = sp.symbols("c low high", positive=True)
    for act, price in ((0, (1 - c) * high), (1, c * (1 - low))):
        cost = {0: {0: 0, 1: 1 - c}, 1: {0: c, 1: 0}}[act]
        stake = cost[1] - cost[0]
        bound = high if act == 0 else low  # b (Y - mu) - |b| half-width, at the end that b's sign takes
        for y in (0, 1):
            assert sp.expand(cost[y] - stake * (y - bound) - price) == 0


def test_counts_of_the_appendix():
    """Balanced: twice the larger class; a fifth of it is the test set."""
    young = 2 * (2567 + 615)
    assert -(-young // 5) == 1273 and young - 1273 == 5091  # printed 1,237
    assert 2 * (330 + 84) == 662 + 166
    assert round(0.1 * 3943 / 12247, 4) == 0.0322 and 0.1 * 12247 / 32064 > 0.038


def test_marginally_desirable_gambles_are_bets_at_the_ends():
    for low, high, stake in ((F("0.2"), F("0.5"), F(3)), (F("0.2"), F("0.5"), F(-3))):
        Q = ip.CredalSet.interval(low, high)
        middle, half = (low + high) / 2, (high - low) / 2
        for y in (0, 1):
            bet = stake * y - Q.upper([0, stake])
            assert bet == stake * (y - middle) - abs(stake) * half


def step(a, c):
    return 1 / (1 + np.exp(-1000 * (a - c)))


@pytest.mark.parametrize("c, wanted", [(0.1, 0.4425), (0.3, 0.0109), (0.5, 0.0)])
def test_the_sigmoid_is_not_close_for_a_small_cost(c, wanted):
    far = []
    for y in (0, 1):
        grid = np.linspace(c - 0.02, c + 0.02, 400_001)
        far.append(np.abs(winkler(grid, y, c, step(grid, c)) - winkler(grid, y, c, grid >= c)).max())
    assert max(far) == pytest.approx(wanted, abs=2e-4)


def test_the_smoothed_score_is_not_proper():
    p, c = 0.0964, 0.1

    def expected(a):
        return p * winkler(a, 1, c, step(a, c)) + (1 - p) * winkler(a, 0, c, step(a, c))

    best = minimize_scalar(expected, bounds=(0.08, 0.12), method="bounded", options={"xatol": 1e-9}).x
    assert abs(best - p) > 1e-3 and expected(best) < expected(p) - 1e-4


# --- beyond the paper


@pytest.mark.parametrize("unit, shares", [
    (st.floats(0, 1), st.floats(0.001, 0.999)),
    (st.fractions(0, 1, max_denominator=40), st.fractions(F(1, 40), F(39, 40), max_denominator=40))])
@given(data=st.data())
@settings(max_examples=300, deadline=None)
def test_an_interval_acts_like_one_number(unit, shares, data):
    low, high = sorted((data.draw(unit), data.draw(unit)))
    c, as_one = data.draw(shares), ip.as_one(low, high)
    assert low <= as_one <= high
    act = ip.minimax_act(ip.CredalSet.interval(low, high), [[0, 1 - c], [c, 0]])
    if isinstance(c, F) or abs(as_one - c) > 1e-9:
        assert act == (as_one > c)


def test_forecasting_cannot_reach_every_combination_of_acts():
    """An act that no set of probabilities advises: a coin-free policy beats every forecast."""
    a, b, c, p = (F("0.5"), 1), (0, F("1.01")), (F("0.6"), 0), F("0.3727")
    loss, cells = [list(row) * 2 for row in (a, b, c)], [1, 1, 2, 2]
    P = ip.CredalSet([[F("0.45"), 0, F("0.55") * (1 - p), F("0.55") * p], [0, F("0.45"), 0, F("0.55")]])
    policies = [P.upper([loss[i][0], loss[i][1], loss[j][2], loss[j][3]]) for i in range(3) for j in range(3)]
    assert min(policies) == F("0.45") < ip.best_score(P, loss, cells) == F("0.4545")
    assert float(ip.max_entropy(P, loss, cells).value) == pytest.approx(0.29924, abs=1e-5)


def test_copies_of_an_act_count_as_one():
    found = ip.max_entropy(ip.CredalSet([A]), [UMBRELLA[0], UMBRELLA[1], UMBRELLA[1]], CELLS)
    assert found.unique and not ip.max_entropy(ip.CredalSet.interval(F("0.1"), F("0.1")), RAIN).unique


@pytest.mark.parametrize("unit", [1e-150, 1e-9, 1.0, 1e9, 1e150])
def test_acts_do_not_depend_on_the_unit_of_the_loss(unit):
    rng = np.random.default_rng(0)
    for _ in range(20):
        P, loss = credal(rng, 3, 4, least=1), np.array(rng.integers(0, 20, (3, 4)), dtype=float)
        Q = ip.CredalSet(P.vertices.astype(float))
        assert ip.minimax_act(Q, loss * unit) == ip.minimax_act(P, loss.astype(int))
        exact, floats = (ip.max_entropy(P, loss.astype(int), CELLS), ip.max_entropy(Q, loss * unit, CELLS))
        assert floats.value == pytest.approx(float(exact.value) * unit, rel=1e-9)


def test_by_group_takes_any_score():
    y, f, groups = [1, 0, 1, 0], [0.9, 0.2, 0.4, 0.4], ["b", "b", "a", "a"]
    scores = {"Brier": m.brier_score, "PWU": pwu.PWU(pwu.BinaryDecision(), pwu.Beta(2, 10)),
              "cost": lambda y, f: -pwu.BinaryDecision().utility(0.3, y, f)}
    table = ip.by_group(scores, y, f, groups=groups)
    assert table.index.tolist() == ["a", "b"] and table.loc["a", "Brier"] == m.brier_score([1, 0], [0.4, 0.4])
    assert (table.max() >= [score(y, f) for score in scores.values()]).all()
    assert ip.by_group(scores, pd.Series(y, index=[5, 6, 7, 8]), pd.Series(f), groups=pd.Series(groups)).equals(table)


def test_a_very_dear_act_changes_nothing():
    """Found by an adversary: linear programs and ties were scaled by the largest loss of any act."""
    for dear in (10**3, 10**9, 10**15, 1e12):
        P, table = ip.CredalSet.interval(F(1, 5), F(3, 10)), [[F(1, 2)] * 2, [F(1, 10)] * 2, [dear] * 2]
        assert ip.best_score(P, table) == pytest.approx(0.1) and ip.minimax_act(P, table) == 1
        found = ip.max_entropy(ip.CredalSet.interval(0, 1), [[0, 1], [1, 0], [dear] * 2])
        assert float(found.value) == pytest.approx(0.5)
        assert ip.minimax_act(ip.CredalSet.interval(0.2, 0.3), [[0.5, 0.5], [0.1, 0.1], [float(dear)] * 2]) == 1


def test_a_rare_block_is_judged_by_its_own_mass():
    P = ip.CredalSet([[1e-13, 0.5, 0.5 - 1e-13], [2e-13, 0.5, 0.5 - 2e-13]])
    told = ip.CredalSet([[0.5, 0.25, 0.25]])
    row = ip.calibration(P, told, [[0.9, 0.0, 0.0]], partition=["b", "rest", "rest"]).loc["b"]
    assert row["II"] == pytest.approx(0.45) and row["verdict"] == "over-optimistic"


def test_single_precision_and_single_groups():
    rows = np.random.default_rng(0).dirichlet(np.ones(7), 5).astype(np.float32)
    assert ip.CredalSet(rows).vertices.sum(axis=1) == pytest.approx(np.ones(5), abs=1e-14)
    assert ip.by_group(m.brier_score, [0, 1], [0.2, 0.3], groups=["a", "a"])["score"].tolist() == [
        m.brier_score([0, 1], [0.2, 0.3])]
    assert len(ip.by_group(m.brier_score, [0, 1, 1], [0.2, 0.3, 0.1], groups=np.array([1, 2, 2.0], dtype=object))) >= 2
    near = ip.CredalSet([[1, 0], [F(1, 10**10), 1 - F(1, 10**10)]])
    assert not ip.CredalSet.interval(0, 1).same(near)


BAD = {
    "sum": lambda: ip.CredalSet([[0.5, 0.4]]),
    "exact sum": lambda: ip.CredalSet([[F(1, 3), F(1, 3)]]),
    "negative": lambda: ip.CredalSet([[1.2, -0.2]]),
    "nan": lambda: ip.CredalSet([[float("nan"), 0.5]]),
    "text": lambda: ip.CredalSet([["a", "b"]]),
    "one state": lambda: ip.CredalSet([[1.0]]),
    "ragged": lambda: ip.CredalSet([[1.0, 0.0], [1.0]]),
    "flat": lambda: ip.CredalSet([0.5, 0.5]),
    "interval": lambda: ip.CredalSet.interval(0.3, 0.2),
    "gamble": lambda: BOTH.upper([1, 2]),
    "infinite gamble": lambda: BOTH.upper([1.0, 2.0, float("inf"), 0.0]),
    "event": lambda: BOTH.given([0, 1, 1, 0]),
    "states of a loss": lambda: ip.upper_risks(BOTH, RAIN),
    "states of a forecast": lambda: ip.score(BOTH, ip.CredalSet.interval(0, 1), UMBRELLA, CELLS),
    "not a set": lambda: ip.score(BOTH, {"cloudy": 0.3, "sunny": 0.2}, UMBRELLA, CELLS),
    "cells": lambda: ip.score(BOTH, BOTH, UMBRELLA, ["a"]),
    "order": lambda: ip.minimax_act(BOTH, UMBRELLA, order=[0, 0]),
    "partition": lambda: ip.calibration(BOTH, BOTH, UMBRELLA, CELLS, "groups"),
    "same": lambda: BOTH.same([A, B]),
    "reversed": lambda: ip.as_one([0.5], [0.4]),
    "no probability": lambda: ip.as_one(0.5, 1.4),
    "lengths": lambda: ip.as_one([0.5, 0.6], [0.7]),
    "combinations": lambda: ip.best_score(ip.CredalSet(np.full((1, 60), 1 / 60)), np.eye(60), list(range(60))),
    "missing group": lambda: ip.by_group(m.brier_score, [0, 1], [0.2, 0.3], groups=["a", None]),
    "score": lambda: ip.by_group("brier", [0, 1], [0.2, 0.3], groups=["a", "b"]),
    "bad forecast": lambda: ip.by_group(m.brier_score, [0, 1], [0.2, 1.3], groups=["a", "b"]),
    "cost share": lambda: ip.calibration_by_group(1.2, [0, 1], [0.1, 0.2], [0.3, 0.3], ["a", "b"]),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_named(name):
    with pytest.raises(ValueError, match=r"\w{3}"):
        BAD[name]()


def test_the_best_score_is_reached_where_losses_differ_a_millionfold():
    loss = [[F(-13, 10), F(-3, 2), F(-3, 10), F(-3, 10)], [F(-4, 5), F(4, 5), F(1, 2), F(-3, 5)],
            [-1400000, 1300000, 1400000, -100000]]
    P = ip.CredalSet([[F(3, 8), F(1, 16), F(1, 8), F(7, 16)], [F(2, 9), F(5, 18), F(2, 9), F(5, 18)]])
    forecasts = {"b": ip.CredalSet([[0, F(107, 500), 0, F(393, 500)], [0, 0, 0, 1]]), "a": ip.CredalSet([[0, 1, 0, 0]])}
    assert ip.best_score(P, loss, list("aabb")) == ip.score(P, forecasts, loss, list("aabb")) == F(-137, 180)
    sure, close = ip.CredalSet([[0, 1]]), [[0, 1], [0, 1 - F(1, 10**10)]]
    assert ip.best_score(sure, close) == ip.score(sure, sure, close) == 1 - F(1, 10**10)


@pytest.mark.parametrize("acts, reached", [([[0, 1], [0, 1]], [0]), ([[0, 1], [0, 2]], [0]), ([[0, 2], [0, 1]], [0, 1]),
                                           ([[0, 2], [0, 1], [0, 0]], [0, 2]), ([[1, 1], [0, 2], [2, 0]], [0, 1, 2]),
                                           ([[2, 2], [0, 1], [1, 0]], [1, 2])])
def test_who_is_advised_with_ties(acts, reached):
    """The first of equal acts; a dominated act never."""
    exact = np.array([[F(x) for x in row] for row in acts], dtype=object)
    assert [act for act in range(len(acts)) if ip._is_advised(act, exact)] == reached


def test_an_entropy_beside_a_loss_of_a_hundred_billion():
    everything = ip.CredalSet([[1, 0], [0, 1]])
    assert ip.max_entropy(everything, [[0, 10**11], [1, 0]]).value == F(10**11, 10**11 + 1)
    assert ip.max_entropy(everything, [[0.0, 1e11], [1.0, 0.0]]).value == pytest.approx(1 / (1 + 1e-11), rel=1e-12)
