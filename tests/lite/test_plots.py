"""Figures: labelled axes, every curve named, colours and dashes that differ."""

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

import pwu_lite as pwu
from pwu_book import figures, reports
from pwu_lite import _resampling, plots

X = np.linspace(0, 1, 20)
BINARY = ([1, 0] * 20, [0.7, 0.2] * 20)
FIGURES = {
    "curves": lambda: plots.curves(X, {"a": X, "b": X**2}, xlabel="x", ylabel="y", mark=0.5, mark_label="c"),
    "reliability": lambda: figures.reliability([0, 1, 1, 0], [0.1, 0.8, 0.6, 0.3], label="model"),
    "isotonic": lambda: plots.reliability(*BINARY[:1], {"a": BINARY[1], "b": BINARY[1]}, repeats=9),
    "retention": lambda: figures.retention_curve([0, 1, 0, 1], {"entropy": [1, 2, 3, 4]}),
    "coverage": lambda: figures.coverage_curve(X, {"model": X}),
    "panels": lambda: reports.prior_panels({"as stated": (pwu.Beta(2, 10),), "moved": (pwu.Beta(3, 9),)}, ["c"], [0.5]),
}


def check_labels(figure, named=True):
    """Each axis has a label, or shares one; the vertical one need not where the rows have names."""
    for ax in figure.axes:
        assert ax.get_xlabel() or ax.get_xticklabels() or ax.get_shared_x_axes().joined(ax, figure.axes[-1])
    assert not named or any(ax.get_ylabel() for ax in figure.axes)
    assert figure.get_facecolor() == (1, 1, 1, 1)
    plt.close("all")


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


@pytest.mark.parametrize("name", FIGURES)
def test_axes_are_labelled(name):
    check_labels(FIGURES[name]())


def test_curves_are_told_apart_without_colour():
    ax = plots.curves(X, {str(i): X + i for i in range(4)}, xlabel="x", ylabel="y").axes[0]
    lines = ax.get_lines()
    assert len({line.get_linestyle() for line in lines}) == 4
    assert len({line.get_color() for line in lines}) == 4
    assert [text.get_text() for text in ax.texts] == list("0123")
    assert [text.get_color() for text in ax.texts] == [line.get_color() for line in lines]


def test_names_that_would_collide_are_moved_apart():
    ax = plots.curves(X, {"two": X + 1e-3, "one": X, "far": X + 5}, xlabel="x", ylabel="y").axes[0]
    heights = {text.get_text(): text.xy[1] for text in ax.texts}
    assert ax.get_legend() is None and heights["two"] - heights["one"] == pytest.approx(0.09)
    assert heights["far"] - heights["two"] > 0.09


@pytest.mark.parametrize("names", [["a name of more than twenty-four letters"], list("0123456")])
def test_names_without_room_are_in_a_legend(names):
    ax = plots.curves(X, {name: X + k for k, name in enumerate(names)}, xlabel="x", ylabel="y").axes[0]
    assert not ax.texts and [text.get_text() for text in ax.get_legend().get_texts()] == names


def test_panels_show_point_masses_and_narrow_priors():
    mixture = pwu.Mixture([pwu.Dirac(0.2), pwu.Beta(2, 10)], [0.8, 0.2])
    for prior in (mixture, pwu.Dirac(0.3), pwu.Uniform(2, 2.001), pwu.Beta(1e-3, 1e-3)):
        ax = reports.prior_panels({"as stated": (prior,)}, ["c"], [0.05, 0.5, 0.95]).axes[0]
        assert np.isfinite(ax.get_ylim()).all() and ax.get_ylim()[1] < 1e6
        stems = [line for line in ax.get_lines() if line.get_marker() == "^"]
        assert len(stems) == sum(isinstance(part, pwu.Dirac) for _, part in prior.parts)
    assert ax.get_lines()[0].get_ydata().max() > 0


def test_intervals_stand_under_each_other_at_their_numbers():
    ours = pd.DataFrame({"median": [0.2, 0.5], "low": [0.1, np.nan], "high": [0.3, np.nan]}, index=["Brier", "ECE"])
    figure = figures.intervals({"a": {"ours": ours, "paper": ours[::-1] + 0.1}, "b": {"paper": ours}}, xlabel="tau",
                             highlight="ECE")
    one, two = figure.axes
    assert [text.get_text() for text in one.get_yticklabels()] == ["ECE", "Brier"]
    assert [text.get_fontweight() for text in one.get_yticklabels()] == ["bold", "normal"]
    assert [line.get_xdata().tolist() for line in one.get_lines()[:2]] == [[0.5, 0.2], [0.6, pytest.approx(0.3)]]
    ends = one.collections[0].get_segments()[1]
    assert ends[:, 0].tolist() == [0.1, 0.3] and len(two.collections) == 1


def test_the_retention_curve_shares_ties():
    lines = [figures.retention_curve(error, {"a": [1.0, 1, 1, 1]}).axes[0].lines[0].get_ydata() for error in
             ([1, 0, 0, 1], [0, 1, 1, 0])]
    assert np.allclose(lines, 0.5)


@pytest.mark.parametrize("family, prior, data", [
    (pwu.BinaryDecision(), pwu.Beta(2, 10), BINARY),
    (pwu.BinaryDecision(), pwu.Mixture([pwu.Dirac(0.2), pwu.Uniform(0, 1)], [0.5, 0.5]), BINARY),
    (pwu.BinaryDecision(), pwu.Dirac(np.linspace(0.1, 0.4, 40)), BINARY),
    (pwu.TopK(), pwu.Beta(2, 6), BINARY),
    (pwu.SelectivePrediction(), pwu.LogNormal(0, 1), ([1.0, 0.0] * 20, ([0.7, 0.2] * 20, [0.5, 1.0] * 20)))])
def test_murphy_draws_every_family_with_one_parameter(family, prior, data):
    y, forecast = data
    score = pwu.PWU(family, prior)
    figure = score.plot(y, {"a": forecast, "b": forecast}, n_resamples=20)
    above, middle, below = figure.axes
    assert [line.get_label() for line in above.lines] == ["a", "b"]
    x, cost = above.lines[0].get_data()
    thetas = family.parameters[0].theta(x, len(y))
    given = forecast if isinstance(forecast, tuple) else (forecast,)
    assert cost == pytest.approx(score.curve(y, *given, thetas=thetas))
    assert np.allclose(middle.lines[1].get_ydata(), 0) and below.get_xlabel()


def test_bands_do_not_depend_on_the_order_of_rows():
    rng = np.random.default_rng(3)
    f, g, groups = rng.random(60), rng.random(60).round(1), np.repeat(np.arange(20), 3)
    y, weight, order = (rng.random(60) < f).astype(int), rng.integers(1, 4, 60), rng.permutation(60)
    for given in ({}, {"groups": groups}, {"sample_weight": weight}):
        there, back = (_resampling.bands(
            pwu.BinaryDecision(), [0.2, 0.5], y[rows], [(f[rows],), (g[rows],)], 0, repeats=40,
            **{name: part[rows] for name, part in given.items()})[1] for rows in (np.arange(60), order))
        np.testing.assert_allclose(there, back, rtol=1e-12)


def test_murphy_bands_pair_the_models():
    rng = np.random.default_rng(0)
    y, f = rng.integers(0, 2, 200), rng.random(200)
    score = pwu.PWU(pwu.BinaryDecision(), pwu.Beta(2, 4))
    figure = score.plot(y, {"a": f, "same": f, "other": rng.random(200)}, thetas=[0.1, 0.3, 0.5], n_resamples=40)
    widths = [np.ptp(band.get_paths()[0].vertices[:, 1]) for band in figure.axes[1].collections]
    assert min(widths) < 1e-12 < max(widths)  # a model and itself are never apart
    assert not score.plot(y, {"a": f}, band=None).axes[1].collections


@pytest.mark.parametrize("call, words", [
    (lambda: pwu.PWU(pwu.RiskAverseTopK(), pwu.Beta(2, 4), pwu.Gamma(2, 1)).plot([1.0], {"a": ([1.0], [1.0])}),
     "needs one decision parameter"),
    (lambda: pwu.PWU(pwu.BinaryDecision(), pwu.Beta(2, 4)).plot([1, 0], {}), "at least one model"),
    (lambda: pwu.PWU(pwu.BinaryDecision(), pwu.Beta(2, 4)).plot([1, 0], {"a": [0.2, 0.4]}, band=95), "band")])
def test_murphy_refusals(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_a_reliability_curve_is_isotonic_and_its_band_holds_calibrated_models():
    """The curve is `recalibrated`; of calibrated forecasts 9 curves in 10 lie in the band at a place, few otherwise."""
    rng = np.random.default_rng(0)
    inside = []
    for seed in range(60):
        f = np.sort(rng.uniform(0.05, 0.95, 200))
        y = (rng.random(200) < f).astype(int)
        ax = plots.reliability(y, {"model": f}, repeats=60, seed=seed).axes[0]
        x, curve = ax.lines[1].get_data()
        assert np.array_equal(x, f) and np.array_equal(curve, pwu.reporting.recalibrated(y, f))
        path = ax.collections[0].get_paths()[0].vertices
        edge = np.sort(path[np.isclose(path[:, 0], f[100]), 1])
        inside.append(edge[0] - 1e-12 <= curve[100] <= edge[-1] + 1e-12)
        plt.close("all")
    assert 0.78 <= np.mean(inside) <= 0.99
    far = plots.reliability(y, {"model": f**3}, repeats=60).axes[0]
    curve, path = far.lines[1].get_data(), far.collections[0].get_paths()[0].vertices
    edge = path[np.isclose(path[:, 0], curve[0][150]), 1]
    assert not edge.min() <= curve[1][150] <= edge.max()


def test_what_a_reliability_diagram_refuses():
    for models, words in (({}, "one to 6 models"), ({f"m{k}": BINARY[1] for k in range(7)}, "got 7"),
                          ({"a": [2.0, 0.1] * 20}, "y_prob")):
        with pytest.raises(ValueError, match=words):
            plots.reliability(BINARY[0], models, repeats=3)


def test_names_stand_at_their_lines_within_the_limits_and_beside_a_line_that_leaves_at_the_top():
    high = {"low": X / 10, "high": 50 + 50 * X}
    ax = plots.curves(X, high, xlabel="x", ylabel="y", ylim=(0, 1)).axes[0]
    assert ax.get_ylim() == (0, 1) and ax.get_legend() is not None  # the other line is not seen
    steep = {"steep": np.where(X < 0.5, 3.15 * X, np.inf), "flat": 0.5 + 0 * X}
    ax = plots.curves(X, steep, xlabel="x", ylabel="y", ylim=(0, 1)).axes[0]
    texts = {text.get_text(): text for text in ax.texts}
    assert texts["flat"].xy[1] == pytest.approx(0.5) and texts["steep"].get_ha() == "right"


def test_names_far_from_their_lines_are_in_a_legend():
    ax = plots.curves(X, {f"line {k}": X + 1e-3 * k for k in range(5)}, xlabel="x", ylabel="y").axes[0]
    assert not ax.texts and len(ax.get_legend().get_texts()) == 5


@pytest.mark.parametrize("family, data, label", [
    (pwu.BinaryDecision(), ([1, 0] * 20, [0.7, 0.2] * 20), "cost share of a false alarm, c"),
    (pwu.Answers(), ([1, 0] * 20, [1, 1] * 20, [0.7, 0.2] * 20), "share of the stake that a wrong answer costs, c"),
    (pwu.Newsvendor(levels=(0.1, 0.9)), ([1, 0] * 20, [[0, 1], [0, 2]] * 20), "tau")])
def test_an_axis_says_what_the_parameter_of_its_family_is(family, data, label):
    y, *forecast = map(np.array, data)
    figure = plots.murphy(pwu.PWU(family, pwu.Beta(2, 10)), y, {"a": tuple(forecast)}, band=None)
    assert figure.axes[-1].get_xlabel() == label


@pytest.mark.parametrize("bad, words", [({"repeats": 0}, "repeats must be a whole"), ({"band": 1.2}, "band must"),
                                        ({"band": "95"}, "band must")])
def test_a_band_that_cannot_be_drawn_is_refused(bad, words):
    with pytest.raises(ValueError, match=words):
        plots.reliability(BINARY[0], {"model": BINARY[1]}, **bad)
    assert plots.reliability(BINARY[0], {"model": BINARY[1]}, band=None).axes
