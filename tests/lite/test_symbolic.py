"""The symbolic engine: known priors from the bare formula, refusals with proof, and there and back."""

import re
import signal
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import sympy as sp
from scipy import integrate

import pwu_lite as pwu
from pwu_book import induced
from pwu_lite import symbolic
from pwu_lite.symbolic import NotAligned, binary_prior, expected_loss, selective_prior

p, c0 = sp.Symbol("p"), sp.Symbol("c0", positive=True)
a, b = sp.Symbol("a", positive=True), sp.Rational(7, 2)
error, v, eps, q = sp.symbols("error v epsilon q", positive=True)
C, LAMBDA = symbolic.C, symbolic.LAMBDA
NORM = sp.sqrt(p**2 + (1 - p) ** 2)
SCALE = sp.Piecewise(((1 - c0) ** 2, p >= c0), (c0**2, True))
CLIP = sp.Min(sp.Max(p, sp.Rational(1, 10)), sp.Rational(2, 5))
BINARY = {
    "log loss": (-sp.log(p), -sp.log(1 - p), 1 / (C * (1 - C)), {}),
    "Brier": ((1 - p) ** 2, p**2, 2, {}),
    "0-1": (sp.Piecewise((1, p <= 0.5), (0, True)), sp.Piecewise((0, p <= 0.5), (1, True)), 0, {sp.Rational(1, 2): 2}),
    "spherical": (1 - p / NORM, 1 - (1 - p) / NORM, (C**2 + (1 - C) ** 2) ** sp.Rational(-3, 2), {}),
    "boosting": (sp.sqrt((1 - p) / p), sp.sqrt(p / (1 - p)), (C * (1 - C)) ** sp.Rational(-3, 2) / 2, {}),
    "Winkler": (1 - ((c0 - 1) ** 2 - (p - 1) ** 2) / SCALE, 1 - (c0**2 - p**2) / SCALE,
                sp.Piecewise((2 / c0**2, c0 > C), (2 / (1 - c0) ** 2, True)), {}),
    "clipped Brier": ((1 - CLIP) ** 2, CLIP**2,
                      sp.Piecewise((0, C < 0.1), (2, C < 0.4), (0, True)), {}),
    "any Beta(a, 7/2)": (b / (a + b) * sp.betainc_regularized(a, b + 1, p, 1),
                         a / (a + b) * sp.betainc_regularized(a + 1, b, 0, p),
                         C ** (a - 1) * (1 - C) ** (b - 1) * sp.gamma(a + b) / sp.gamma(a) / sp.gamma(b), {}),
    "a mixture": ((1 - p) ** 2 + sp.Piecewise((0.75, p <= 0.25), (0, True)) - 3,
                  p**2 + sp.Piecewise((0, p <= 0.25), (0.25, True)) + 7, 2, {sp.Rational(1, 4): 1}),
    "ninth power": (sp.Rational(1, 10) * (1 - p) ** 10, p / 9 * (1 - (1 - p) ** 9) - sp.integrate(
        (1 - (1 - p) ** 9) / 9, p) + sp.integrate((1 - (1 - p) ** 9) / 9, p).subs(p, 0), (1 - C) ** 8, {}),
}
AT = {c0: sp.Rational(3, 10), a: sp.Rational(4, 5)}


@pytest.mark.slow
@pytest.mark.parametrize("score", BINARY.values(), ids=BINARY)
def test_known_binary_priors(score):
    found = binary_prior(*score[:2], p)
    for place in (0.03, 0.21, 0.31, 0.5, 0.77, 0.99):
        ours = sp.sympify(found.density).subs(AT).subs(C, place).evalf()
        theirs = sp.sympify(score[2]).subs(AT).subs(C, place).evalf()
        assert float(ours) == pytest.approx(float(theirs), rel=1e-12)
    assert found.atoms == score[3]
    assert found.link[0] == 1


@pytest.mark.slow
@pytest.mark.parametrize("score", BINARY.values(), ids=BINARY)
def test_binary_there_and_back(score):
    """Score to prior to score: the same up to the link's constant."""
    found = binary_prior(*score[:2], p)
    for y, loss, back in zip((1, 0), score[:2], expected_loss(found.family, found, p), strict=True):
        constant = found.link[1].subs(sp.Symbol("y"), y)
        for place in (0.04, 0.22, 0.5, 0.9):
            expected, value = (float(sp.N(e.subs(AT).subs(p, place), 15)) for e in (loss + constant, back))
            assert value == pytest.approx(expected, rel=1e-10, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("prior", [pwu.Beta(2, 10), pwu.Beta(1.2, 20.8), pwu.TruncatedBeta(2, 10, 0.05, 0.4),
                                   pwu.Uniform(0.05, 0.4), pwu.Dirac(0.2), pwu.TruncatedBeta(2.5, 3.5, 0.1, 0.6),
                                   pwu.Beta(2.5, 3.5, scale=0.5),
                                   pwu.Mixture([pwu.Beta(1.2, 20.8), pwu.Dirac(0.4)], [0.25, 0.75])], ids=repr)
def test_formula_of_a_prior_is_its_pwu(prior):
    score = pwu.PWU(pwu.BinaryDecision(), prior)
    formulas = expected_loss(pwu.BinaryDecision(), prior, p)
    for label, formula in zip((1, 0), formulas, strict=True):
        for f in (0.03, 0.2, 0.41, 0.45, 0.5, 0.9):
            assert float(sp.N(formula.subs(p, f), 15)) == pytest.approx(score([label], [f]), abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("prior", [pwu.Pareto(0.1), pwu.Gamma(2, 0.3), pwu.LogNormal(0, 1), pwu.Dirac(0.5),
                                   pwu.Beta(2, 10, scale=3)], ids=repr)
def test_formula_of_a_selective_prior_is_its_pwu(prior):
    score = pwu.PWU(pwu.SelectivePrediction(), prior)
    formula = expected_loss(pwu.SelectivePrediction(), prior, error, v)
    for x, variance in ((0.5, 0.03), (0.5, 0.4), (2.0, 4.0), (0.0, 0.2)):
        value = float(formula.subs({error: x, v: variance}).evalf())
        assert value == pytest.approx(score([x**0.5], [0.0], [variance**0.5]), abs=1e-12)


NLL = sp.log(2 * sp.pi * v) / 2 + error / (2 * v)
POWER = error * v**-q + q / (1 - q) * v ** (1 - q)
SELECTIVE = {
    "NLL": (NLL, LAMBDA**-2, {}, (2, sp.oo)),
    "Dawid-Sebastiani": (error / v + sp.log(v), LAMBDA**-2, {}, (1, sp.oo)),
    "MSE": (error, 0, {sp.oo: 1}, (1, 0)),
    "three times MSE": (3 * error + 5, 0, {sp.oo: 1}, (sp.Rational(1, 3), -sp.Rational(5, 3))),
    "power": (POWER, q * LAMBDA ** (-q - 1), {}, (1, 0)),
    "half power": (error / sp.sqrt(v) + sp.sqrt(v) - 7, LAMBDA ** sp.Rational(-3, 2), {}, (2, 14)),
    "MSE and exponential": (
        error + error * sp.exp(-v) + 1 - sp.exp(-v) * (1 + v), sp.exp(-LAMBDA), {sp.oo: 1}, (1, 0)),
}


@pytest.mark.slow
@pytest.mark.parametrize("score", SELECTIVE.values(), ids=SELECTIVE)
def test_known_selective_priors(score):
    found = selective_prior(score[0], error, v)
    assert sp.simplify(found.density - score[1]) == 0
    assert found.atoms == score[2] and found.link == score[3]
    assert (found.finite == sp.S.EmptySet) == (found.link[1] == sp.oo)


@pytest.mark.slow
def test_proposition_3_12():
    cut = selective_prior(NLL, error, v).truncate(eps)
    assert cut.density == eps / LAMBDA**2 and cut.support == (eps, sp.oo) and cut.mass == 1
    assert sp.simplify(cut.link[0] - 2 * eps) == 0
    assert sp.simplify(cut.link[1] + eps * sp.log(2 * sp.pi * eps)) == 0
    formula = expected_loss(pwu.SelectivePrediction(), selective_prior(NLL, error, v).truncate(sp.Rational(1, 10)),
                            error, v)
    linked = (cut.link[0] * NLL + cut.link[1]).subs(eps, sp.Rational(1, 10))
    at = {error: 0.7, v: 0.4}
    assert float(formula.subs(at)) == pytest.approx(float(linked.subs(at)), rel=1e-12)
    with pytest.raises(ValueError, match="infinite"):
        expected_loss(pwu.SelectivePrediction(), selective_prior(NLL, error, v))


Z = sp.sqrt(error / v)
CRPS = sp.sqrt(v) * (Z * sp.erf(Z / sp.sqrt(2)) + sp.sqrt(2 / sp.pi) * sp.exp(-Z**2 / 2) - 1 / sp.sqrt(sp.pi))
REFUSED = {
    "CRPS": (CRPS, "affine"), "root of the error": (sp.sqrt(error) / v + sp.log(v), "affine"),
    "wrong penalty": (error / v + v, "stationary"), "mean minus variance": (error - v, "stationary"),
    "negative": (-error, "negative"), "growing": (error * v - v**2 / 2, "negative"),
    "constant": (sp.Integer(1), "does not depend"),
}


def test_the_nlls_of_laplace_and_student_forecasts_are_refused():
    """With the forecast's variance v: only the Gaussian's is affine in the squared error, as every aligned score is."""
    laplace = sp.log(2 * sp.sqrt(v / 2)) + sp.sqrt(2 * error / v)
    student = sp.log(v) / 2 + 3 * sp.log(1 + error / (3 * v))  # five degrees of freedom, scale^2 = 3 v / 5
    for loss in (laplace, student):
        with pytest.raises(NotAligned, match="affine in the squared error"):
            selective_prior(loss, error, v)
    assert selective_prior(sp.log(2 * sp.pi * v) / 2 + error / (2 * v), error, v).density != 0


@pytest.mark.slow
@pytest.mark.parametrize("loss, words", REFUSED.values(), ids=REFUSED)
def test_refused_selective_scores(loss, words):
    """The certificate, checked from scratch: the score prefers `better`, every lambda prefers `worse` or ties."""
    with pytest.raises(NotAligned, match=words) as caught:
        selective_prior(loss, error, v)
    if words == "does not depend":
        assert caught.value.witness is None
        return
    check_witness(caught.value.witness, pwu.SelectivePrediction(), np.geomspace(1e-3, 1e3, 4001),
                  lambda y, m, s: np.mean([float(loss.subs({error: (y[i] - m[i]) ** 2, v: s[i] ** 2}).evalf())
                                           for i in range(len(y))]))


def check_witness(witness, family, thetas, metric):
    comparison, = witness.comparisons
    assert metric(comparison.y_true, *comparison.better) < metric(comparison.y_true, *comparison.worse) - 1e-9
    better, worse = (-family.utility(thetas, comparison.y_true, *forecast)
                     for forecast in (comparison.better, comparison.worse))
    assert (better >= worse - 1e-12).all()


ABSOLUTE = (1 - p, p)
REFUSED_BINARY = {
    "absolute error": (*ABSOLUTE, "disagree"), "fourth power": ((1 - p) ** 4, p**4, "disagree"),
    "the sign turned": (-((1 - p) ** 2), -(p**2), "negative"),
    "a jump for one label only": ((1 - p) ** 2 + sp.Piecewise((1, p <= 0.5), (0, True)), p**2, "jumps"),
    "a jump the wrong way": (sp.Piecewise((0, p <= 0.5), (1, True)), sp.Piecewise((1, p <= 0.5), (0, True)),
                             "negative"),
}


@pytest.mark.slow
@pytest.mark.parametrize("one, zero, words", REFUSED_BINARY.values(), ids=REFUSED_BINARY)
def test_refused_binary_scores(one, zero, words):
    with pytest.raises(NotAligned, match=words) as caught:
        binary_prior(one, zero, p)
    check_witness(caught.value.witness, pwu.BinaryDecision(), np.linspace(0, 1, 1003)[1:-1],
                  lambda y, f: np.mean([float((one if y[i] else zero).subs(p, f[i])) for i in range(len(y))]))


@pytest.mark.slow
def test_where_the_cost_is_finite():
    assert binary_prior(*BINARY["Brier"][:2], p).finite == sp.Interval(0, 1)
    assert binary_prior(*BINARY["log loss"][:2], p).finite == sp.Interval.open(0, 1)
    one_sided = binary_prior(-sp.log(p) + p - 1, p, p)  # the multiclass log loss's share of one class
    assert one_sided.density == 1 / C and one_sided.finite == sp.Interval.Lopen(0, 1)


def test_what_is_not_a_score():
    with pytest.raises(NotAligned, match="does not depend"):
        binary_prior(1, 2, p)
    with pytest.raises(ValueError, match="one free parameter is allowed, got h, l"):
        low, high = sp.symbols("l h", positive=True)
        clip = sp.Min(sp.Max(p, low), high)
        binary_prior((1 - clip) ** 2, clip**2, p)
    with pytest.raises(ValueError, match="BinaryDecision"):
        expected_loss(pwu.TopK(), pwu.Uniform(0, 1))
    with pytest.raises(ValueError, match="truncate"):
        binary_prior(*BINARY["Brier"][:2], p).truncate(0.1)


HALF, POLE = sp.Rational(1, 2), (p - sp.Rational(1, 2)) ** 4
CUBIC = 8 * p**3 - 6 * p + 1 <= 0
INSIDE = sp.Contains(p, sp.Interval(0, HALF / 2))


def jump(miss, alarm, condition):
    return sp.Piecewise((miss, condition), (0, True)), sp.Piecewise((0, condition), (alarm, True))


@pytest.mark.slow
@pytest.mark.parametrize("losses, error, words", [
    (jump(HALF, HALF, CUBIC), NotAligned, "jumps"),
    (jump(1, 1, sp.exp(p) <= p + sp.Rational(3, 2)), ValueError, "cannot decide"),
    (jump(3 * HALF / 2, HALF / 2, INSIDE), ValueError, "not among"),
    (jump(1, 1, sp.exp(p) >= 2 - sp.log(p + 1)), ValueError, "cannot solve|cannot decide|cannot work"),
    ((sp.integrate(sp.expand(-(1 - p) / POLE), p), sp.integrate(sp.expand(p / POLE), p)), ValueError, "pole|finite"),
    ((sp.log(p - 1), p), ValueError, "not real"), (((1 - p) ** 2 + sp.oo, p**2), ValueError, "finite"),
    (("a b", p**2), ValueError, "sympy"), ((-C * sp.log(p), -C * sp.log(1 - p)), ValueError, "another name"),
], ids=range(9))
def test_binary_formulas_that_cannot_be_read(losses, error, words):
    with pytest.raises(error, match=words):
        binary_prior(*losses, p)


@pytest.mark.slow
@pytest.mark.parametrize("loss, words", [
    (sp.Piecewise((error, v <= 2), (error + 5, True)), "jumps"), (error / sp.Max(1, v), "stationary"),
    (error / (v - 1) + sp.log((v - 1) ** 2) / 2 - 1 / (v - 1), "pole|finite"), ((q - HALF) * NLL, "cannot decide"),
    (LAMBDA * NLL, "another name"), (sp.nan, "finite")], ids=range(6))
def test_selective_formulas_that_cannot_be_read(loss, words):
    with pytest.raises(ValueError, match=words):
        selective_prior(loss, error, v)


def from_density(density):
    """A pair of losses with this polynomial density."""
    return -sp.integrate(sp.expand((1 - p) * density), p), sp.integrate(sp.expand(p * density), p)


@pytest.mark.slow
@pytest.mark.parametrize("density", [
    p - sp.Rational(1, 250), (p - sp.Rational(1, 3)) ** 2 - sp.Rational(1, 10**10), sp.Rational(999, 1000) - p])
def test_a_density_that_is_negative_between_the_places(density):
    with pytest.raises(NotAligned, match="negative"):
        binary_prior(*from_density(density), p)
    assert binary_prior(*from_density(density + 1), p).density is not None


def test_symbols_must_be_the_same_ones():
    with pytest.raises(ValueError, match="another symbol"):
        binary_prior((1 - p) ** 2, p**2, sp.Symbol("p", positive=True))
    with pytest.raises(ValueError, match="another symbol"):
        selective_prior(sp.Symbol("v") * error, error, v)
    with pytest.raises(ValueError, match="Symbol"):
        binary_prior((1 - p) ** 2, p**2, 3)
    with pytest.raises(ValueError, match="Piecewise"):
        binary_prior(-sp.floor(2 * p) / 2, sp.floor(2 * p) / 2, p)


@pytest.mark.slow
@pytest.mark.parametrize("shapes", [(3, 2), (2, 1.3), (1.2, 20.8), (0.5, 0.5)])
def test_beta_priors_come_back(shapes):
    prior = pwu.Beta(*shapes)
    back = binary_prior(*expected_loss(pwu.BinaryDecision(), prior, p), p)
    for c in (0.05, 0.3, 0.8):
        assert float(back.density.subs(C, c).evalf()) == pytest.approx(prior.pdf(c))


@pytest.mark.slow
def test_parameters_may_have_any_other_name():
    w, x = sp.symbols("w x", positive=True)
    assert sp.simplify(binary_prior(-w * sp.log(p), -w * sp.log(1 - p), p).density - w / (C * (1 - C))) == 0
    assert sp.simplify(selective_prior(x * (error / q + sp.log(q)), error, q).density - x / LAMBDA**2) == 0
    assert binary_prior(sp.Abs(1 - p) ** 2, sp.Abs(p) ** 2, p).density == 2


@pytest.mark.parametrize("prior", [pwu.Dirac(2), pwu.Uniform(-1, 2), pwu.Gamma(2, 0.1),
                                   selective_prior(error, error, v)], ids=range(4))
def test_expected_loss_checks_the_domain(prior):
    with pytest.raises(ValueError, match="mass outside|not for"):
        expected_loss(pwu.BinaryDecision(), prior)


@pytest.mark.slow
@pytest.mark.parametrize("value", [0, -1, float("nan"), "x y"])
def test_truncation_is_above_zero(value):
    with pytest.raises(ValueError, match="eps"):
        selective_prior(NLL, error, v).truncate(value)


t, y = sp.symbols("t y", positive=True)
TWO = binary_prior((1 - p) ** 2, p**2, p)


@pytest.mark.slow
@pytest.mark.parametrize("rate", [1, 3])
def test_crps_from_thresholds_and_from_quantiles(rate):
    """Exponential forecast: both mixtures are the CRPS, whose closed form is y - 2 F(y)/rate + 1/(2 rate)."""
    cdf, quantile = 1 - sp.exp(-rate * t), -sp.log(1 - p) / rate
    closed = y - 2 * (1 - sp.exp(-rate * y)) / rate + sp.Rational(1, 2) / rate
    by_thresholds = induced.threshold_score(cdf, t, y, TWO, (0, sp.oo))
    by_quantiles = induced.newsvendor_score(quantile, p, y, cdf.subs(t, y), density=2)
    assert sp.simplify(by_thresholds - closed) == 0
    assert sp.simplify((by_quantiles - closed).subs(y, 0.7)) == pytest.approx(0, abs=1e-12)


@pytest.mark.slow
def test_scores_of_distributions_are_real_and_finite():
    formula = induced.newsvendor_score(-sp.log(1 - p), p, y, 1 - sp.exp(-y), density=2)
    assert complex(formula.subs(y, 1.0)).imag == 0
    log_loss = binary_prior(*BINARY["log loss"][:2], p)
    bets = induced.threshold_score(1 - sp.exp(-t), t, y, log_loss, (0, sp.oo))
    below = integrate.quad(lambda u: u, 0, 0.8)[0]  # -log(1 - F(u)) = u
    above = integrate.quad(lambda u: -np.log(-np.expm1(-u)), 0.8, np.inf)[0]
    assert float(bets.subs(y, 0.8).evalf()) == pytest.approx(below + above)
    with pytest.raises(ValueError, match="level"):
        induced.newsvendor_score(p, p, 0.5, 0.5, atoms={2: 1})


def test_interval_score_is_two_newsvendors():
    alpha = sp.Rational(1, 5)
    atoms = {alpha / 2: 2 / alpha, 1 - alpha / 2: 2 / alpha}
    for outcome in (0.02, 0.5, 0.97):
        total = induced.newsvendor_score(p, p, outcome, outcome, density=0, atoms=atoms)
        low, high = 0.1, 0.9
        score = high - low + 10 * (max(low - outcome, 0) + max(outcome - high, 0))
        assert float(total) == pytest.approx(score)


def test_the_mass_is_that_of_the_density_and_the_atoms():
    """Read off the losses' ends: no integral, which sympy may search for minutes, or find to be oo + i pi."""
    assert binary_prior(1 - p, -p - sp.log(1 - p), p).mass == sp.oo
    assert binary_prior(*BINARY["boosting"][:2], p).mass == sp.oo and TWO.mass == 2
    for if1, if0, *_ in BINARY.values():
        prior = binary_prior(if1, if0, p)
        if prior.mass != sp.oo and not prior.mass.free_symbols:
            density = sp.lambdify(C, prior.density)
            inner = sum(integrate.quad(density, *ends)[0] for ends in pairwise((0, 0.1, 0.3, 0.4, 0.7, 1)))
            assert float(inner + sum(prior.atoms.values()) - prior.mass) == pytest.approx(0, abs=1e-7), prior
    base = p**4 + (1 - p)**4
    pseudo = [1 - x**3 / base**sp.Rational(3, 4) for x in (p, 1 - p)]
    assert binary_prior(*pseudo, p).mass == 2


A, B = sp.Symbol("a"), sp.Symbol("b")


@pytest.mark.slow
def test_free_symbols_need_no_assumptions():
    assert binary_prior(-A * sp.log(p), -A * sp.log(1 - p), p).finite == sp.Interval.open(0, 1)
    steep = A * (1 / p + sp.log(1 - p) - sp.log(p)), A * (1 / (1 - p) + sp.log(p) - sp.log(1 - p))
    found = binary_prior(*steep, p)
    assert found.finite == sp.S.EmptySet and found.link == (1, sp.oo) and found.density.free_symbols == {A, C}
    assert selective_prior(A * (error / v + sp.log(v)), error, v).finite == sp.S.EmptySet
    power = selective_prior(error * v**-A + A / (1 - A) * v ** (1 - A), error, v)
    assert sp.simplify(power.density - A * LAMBDA ** (-A - 1)) == 0 and power.link == (1, 0)


@pytest.mark.slow
def test_floats_are_read_exactly():
    low, high = sp.Rational(1, 10**12), 1 - sp.Rational(1, 10**12)
    clips = [sp.Max(sp.Min(p, top), bottom) for bottom, top in ((1e-12, 1 - 1e-12), (low, high))]
    found = [binary_prior(-sp.log(clip), -sp.log(1 - clip), p) for clip in clips]
    assert found[0].finite == found[1].finite == sp.Interval(0, 1) and found[0].density == found[1].density
    with pytest.raises(NotAligned):
        binary_prior((1 - p) ** 2 * (1 + 1e-9), p**2, p)
    assert binary_prior((1 - p) ** 2 / 3, 0.3333333333333333 * p**2, p).density == sp.Rational(2, 3)


@pytest.mark.slow
def test_text_is_never_evaluated(tmp_path):
    mark = tmp_path / "mark"
    text = f"__import__('pathlib').Path({str(mark)!r}).write_text('x')"
    calls = [lambda: binary_prior(text, p**2, p), lambda: selective_prior(text, error, v),
             lambda: induced.newsvendor_score(text, p, y, y), lambda: induced.newsvendor_score(p, p, text, y),
             lambda: induced.threshold_score(text, t, y, TWO, (0, 1)),
             lambda: induced.threshold_score(t, text, y, TWO, (0, 1)),
             lambda: induced.threshold_score(t, t, y, TWO, (0, text)),
             lambda: selective_prior(NLL, error, v).truncate(text)]
    for call in calls:
        with pytest.raises(ValueError, match="text|Symbol"):
            call()
    assert not mark.exists()


def pole(weight):
    place = sp.Rational(1, 3)
    logs = sp.log((p - place) ** 2) / 2
    return weight * (logs + (1 - place) / (p - place)), weight * (logs - place / (p - place))


@pytest.mark.slow
@pytest.mark.parametrize("weight", [1, sp.Rational(1, 10**4), sp.Rational(1, 10**8)])
def test_a_small_pole_is_found(weight):
    one, zero = pole(weight)
    with pytest.raises(ValueError, match="pole"):
        binary_prior((1 - p) ** 2 + one, p**2 + zero, p)


FLOOR = sp.Max(v, eps)


@pytest.mark.slow
def test_clamped_variances_are_read():
    found = selective_prior((error / FLOOR + sp.log(FLOOR)) / 2, error, v)
    assert found.finite == sp.Interval.open(0, sp.oo) and found.link == (2, -sp.log(eps))
    assert found.density.subs({eps: 1, LAMBDA: 2}) == sp.Rational(1, 4)
    assert found.density.subs({eps: 1, LAMBDA: HALF}) == 0
    back = expected_loss(found.family, found, error, v)
    for at in ({error: 0.7, v: 0.4, eps: 0.1}, {error: 0.7, v: 0.04, eps: 0.1}):
        score = (error / FLOOR + sp.log(FLOOR) - sp.log(eps)).subs(at)
        assert float(back.subs(at)) == pytest.approx(float(score), rel=1e-12)


@pytest.mark.slow
def test_a_jump_in_the_variance_is_an_atom():
    step = sp.Piecewise((error, v <= 2), (2, True))
    assert selective_prior(step, error, v).atoms == {2: 1}
    mixed = selective_prior(sp.log(v) + error / v + 3 * step, error, v)
    assert mixed.atoms == {2: 3} and mixed.truncate(3).atoms == {} and mixed.truncate(3).mass == 1
    with pytest.raises(ValueError, match="above h"):
        mixed.truncate(sp.Symbol("h", positive=True))
    for wrong, words in ((sp.Piecewise((error, v <= 2), (3, True)), "jumps"), (sp.Max(error, v), "affine"),
                         (sp.Min(error, 1) / v + sp.log(v), "affine"), (v**2 / 2 - error * v, "infinity"),
                         (sp.Piecewise((2, v <= 2), (error, True)), "negative")):
        with pytest.raises(NotAligned, match=words):
            selective_prior(wrong, error, v)


@pytest.mark.slow
def test_densities_are_nowhere_negative_whatever_the_sign_of_their_factor():
    turned = sp.Piecewise(((1 + v * sp.log(v) - v) * error - (v**2 / 2 * sp.log(v) - v**2 / 4), v < 1),
                          (sp.Rational(1, 4), True))
    found = selective_prior(turned, error, v)
    assert found.link[0] == 1 and float(found.density.subs(LAMBDA, HALF)) == pytest.approx(np.log(2))


@pytest.mark.parametrize("loss", [sp.true, p + sp.oo, p + sp.nan, sp.zoo * p, sp.Interval(0, 1), None])
def test_what_is_no_finite_expression_is_refused_as_such(loss):
    with pytest.raises(ValueError, match="finite sympy expression|must be a sympy expression"):
        binary_prior(loss, p**2, p)


@pytest.mark.slow
@pytest.mark.parametrize("always", [p <= 2, p**2 + 1 > 0, p**2 - p + 1 > 0, p**2 - p + A + 1 > 0, p + A > 0], ids=str)
def test_a_condition_that_always_holds_is_no_break(always):
    found = binary_prior(sp.Piecewise(((1 - p) ** 2, always), (5, True)), p**2, p)
    assert found.density == 2 and found.atoms == {}


@pytest.mark.slow
def test_floats_that_differ_by_rounding_are_no_refusal():
    for c in (0.7, 0.8, 0.9):
        with pytest.raises(ValueError, match="rounding error of floats") as caught:
            binary_prior(sp.Piecewise((1 - c, p <= c), (0, True)), sp.Piecewise((0, p <= c), (c, True)), p)
        assert not isinstance(caught.value, NotAligned)
    exact = sp.Rational(7, 10)
    found = binary_prior(sp.Piecewise((1 - exact, p <= exact), (0, True)),
                         sp.Piecewise((0, p <= exact), (exact, True)), p)
    assert found.atoms == {exact: 1}


def test_a_caller_keeps_his_alarm():
    """A library sets no signals: the time limit belongs to the caller."""
    def ring(*_):
        raise AssertionError("the alarm rings too early")

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, 100.0, 7.0)
    try:
        binary_prior(-sp.log(p), -sp.log(1 - p), p)
        left, again = signal.getitimer(signal.ITIMER_REAL)
        assert 90 < left <= 100 and again == 7.0 and signal.getsignal(signal.SIGALRM) is ring
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    package = Path(symbolic.__file__).parents[1]
    assert not [path for path in package.rglob("*.py")
                if re.search(r"^import signal|setitimer|settrace", path.read_text(), re.M)]


THIRD, NANO = sp.Rational(1, 3), sp.Rational(1, 10**9)
UNDECIDED = {
    "a narrow dip": (p - THIRD) ** 2 * sp.exp(p) - NANO, "a narrow dip of a root": sp.sqrt(p) - 2 * THIRD + 1 / (
        9 * sp.sqrt(p)) - NANO, "a narrow dip of a logarithm": (sp.log(p) + 1) ** 2 - NANO,
    "irrational coefficients": (p - sp.sqrt(2) / 2) ** 2 - NANO,
    "a parameter": A - sp.Rational(1, 20), "a curve of the parameter": (A - THIRD) ** 2 - NANO + p,
    "a root of the parameter": sp.sqrt(A - sp.Rational(1, 4))}


@pytest.mark.slow
@pytest.mark.parametrize("density", UNDECIDED.values(), ids=UNDECIDED)
def test_what_cannot_be_decided_is_said(density):
    """No sample of points stands for a proof: the sign of these densities hangs on a digit, or on the parameter."""
    with pytest.raises(ValueError, match="cannot decide|depends on|not real") as caught:
        binary_prior(*from_density(density), p)
    assert not isinstance(caught.value, NotAligned)


@pytest.mark.parametrize("place", [2 * A, A**2 - HALF])
def test_a_break_point_is_inside_whatever_the_parameter(place):
    step = sp.Piecewise((1 - place, p <= place), (0, True)), sp.Piecewise((0, p <= place), (place, True))
    with pytest.raises(ValueError, match="cannot decide"):
        binary_prior(*step, p)


def test_a_branch_that_hangs_on_the_parameter_is_refused():
    with pytest.raises(ValueError, match="depends on whether"):
        binary_prior(sp.Max(A, HALF) * (1 - p) ** 2, sp.Max(A, HALF) * p**2, p)


@pytest.mark.parametrize("k", [sp.Symbol("k", integer=True), sp.Symbol("k", negative=True)])
def test_a_parameter_lies_between_zero_and_one(k):
    with pytest.raises(ValueError, match="put a number for it"):
        binary_prior(k * (1 - p) ** 2, k * p**2, p)


@pytest.mark.parametrize("density", [((v - 2) ** 2 - sp.Rational(1, 10**8)) * sp.exp(-v),
                                     sp.exp(-v) - sp.Rational(1, 4), (10**7 - v) / (1 + v) ** 5], ids=str)
def test_densities_that_are_negative_on_a_few_variances_or_far_out(density):
    slope, rest = sp.integrate(density, v), sp.integrate(sp.expand(v * density), v)
    with pytest.raises(NotAligned, match="negative"):
        selective_prior(rest - slope * error, error, v)


DISGUISED = [sp.arg(p - THIRD) / sp.pi, THIRD * sp.atan2(0, p - THIRD) / sp.pi, sp.im(sp.log(p - THIRD)) / sp.pi,
             sp.Mod(p, THIRD), sp.frac(3 * p), sp.acot(p - THIRD), sp.atan(sp.tan(sp.pi * p)), sp.floor(3 * p),
             sp.atan(1 / (p - THIRD)), sp.tanh(1 / (p - THIRD)), 1 / (1 + sp.exp(1 / (p - THIRD))),
             (p - THIRD) / sp.sqrt(sp.expand((p - THIRD) ** 2)), sp.Function("f")(p), sp.Abs(p - THIRD) / (p - THIRD),
             sp.log((p - THIRD) ** 2), sp.tanh(1 / (sp.exp(p) - sp.exp(THIRD))), sp.Sum(p**A, (A, 0, 3)),
             sp.tanh(10**15 * (p - THIRD))]


@pytest.mark.parametrize("jump", DISGUISED, ids=str)
def test_a_jump_in_disguise_is_refused(jump):
    with pytest.raises(ValueError):
        binary_prior((1 - p) ** 2 - (1 - THIRD) * jump, p**2 + THIRD * jump, p)
    with pytest.raises(ValueError):
        selective_prior(error / v + sp.log(v) - jump.subs(p, v) * error, error, v)


@pytest.mark.parametrize("name", ["log loss", "Brier", "spherical", "boosting"])
def test_the_steps_of_a_derivation_hold_and_end_in_the_prior(name):
    """Each right side is the left one, computed; both sides of the condition and the density are one function."""
    losses = BINARY[name][:2]
    prior = binary_prior(*losses, p)
    steps = binary_prior(*losses, p, steps=True)
    known = {steps[0].lhs: losses[0], steps[1].lhs: losses[1]}
    for step in steps[:-1]:
        gap = step.lhs.subs(known).doit() - step.rhs
        assert all(abs(gap.subs(p, at).evalf(30)) < 1e-20 for at in (sp.Rational(1, 7), sp.Rational(5, 6)))
    assert steps[-1].rhs == prior.density
    assert abs((steps[-1].rhs.subs(C, p) - steps[-2].rhs).subs(p, sp.Rational(1, 7)).evalf(30)) < 1e-20


def test_the_steps_name_jumps_and_the_mass_at_infinity():
    half = sp.Rational(1, 2)
    jump = binary_prior(sp.Piecewise((1, p <= half), (0, True)), sp.Piecewise((0, p <= half), (1, True)), p,
                                 steps=True)[-1]
    loss = sp.Function("l_0")(p)  # from 0 to 1 at one half, so that the jump over t is 2
    assert jump.lhs == (sp.Limit(loss, p, half, "+") - sp.Limit(loss, p, half, "-")) / half and jump.rhs == 2
    assert selective_prior(error, error, v, steps=True)[-1] == sp.Eq(
        sp.Limit(sp.Function("S")(v), v, sp.oo), 1, evaluate=False)
    last = selective_prior(sp.log(2 * sp.pi * v) / 2 + error / (2 * v), error, v, steps=True)[-1]
    assert last.rhs == 1 / (2 * LAMBDA**2)


def test_the_steps_keep_a_parameter_s_name_and_refuse_what_has_no_prior():
    steps = binary_prior(a * (1 - p)**2, a * p**2, p, steps=True)
    assert steps[-1].rhs == 2 * a and steps[0].rhs.free_symbols == {a, p}
    with pytest.raises(NotAligned):
        binary_prior(1 - p, p, p, steps=True)
