"""The figures of single pages: labelled axes, every cell and every number there."""

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from scipy.integrate import trapezoid

import pwu_lite as pwu
from pwu_book import figures
from tests.lite.test_plots import check_labels

X = np.linspace(0, 1, 20)
FIGURES = {
    "flip": lambda: figures.flip([0, 1, 1, 0], ylabel="ECE"),
    "bars": lambda: figures.bars({"a": 1.0, "b": 2.0}, xlabel="euros", highlight=["a"]),
    "histograms": lambda: figures.histograms({"m": {"s": X}, "k": {"s": X}}, mark=0.1, mark_label="c", xlabel="f"),
    "boxes": lambda: figures.boxes({"p": {"a": X, "b": [np.nan]}}, xlabel="tau", highlight={"p": "a"},
                                 dots={"p": {"a": [0.5]}}),
    "dumbbells": lambda: figures.dumbbells({"a": [0.1, 0.5], "b": [0.2, np.nan]}, ["same", "new"], xlabel="tau"),
    "scatter": lambda: figures.scatter({"a": (X, X), "b": (X, -X)}, xlabel="x", ylabel="y"),
    "priors": lambda: figures.prior_densities({"one": pwu.Beta(2, 10), "two": pwu.Uniform(0, 1)}),
    "growth": lambda: figures.growth({"ours": {"a": ([10, 100], [0.1, 1.0])}}),
}


@pytest.mark.parametrize("name", FIGURES)
def test_axes_are_labelled(name):
    check_labels(FIGURES[name](), named=name not in ("bars", "boxes", "dumbbells"))


def test_a_sheet_holds_every_cell_and_refuses_what_does_not_fit():
    rows = [["act", "$c$"], ["ask", "score(y, f)"]]
    figure = figures.sheet(rows, ["decide", "code"], [0.4, 0.5], title="sheet", notes=["note"])
    words = {text.get_text() for text in figure.texts}
    assert words == {"sheet", "decide", "code", "act", "$c$", "ask", "score(y, f)", "note"}
    with pytest.raises(ValueError, match="wider than its column"):
        figures.sheet([["a long sentence that is cut", "b"]], ["x", "y"], [0.05, 0.9], title="t")
    with pytest.raises(ValueError, match="at least one row"):
        figures.sheet([], ["x"], [0.9], title="t")
    plt.close("all")


def test_a_block_has_a_square_for_each_of_a_thousand():
    counts = [417, 3, 0, 580]
    figure = figures.squares({"a": counts, "b": [1000, 0, 0, 0]}, dict.fromkeys("wxyz", "#000000"))
    drawn = [sum(bar.get_width() for bar in container) for container in figure.axes[0].containers]
    assert drawn == counts
    ends = np.array([[bar.get_x() + bar.get_width() for bar in container] for container in figure.axes[0].containers])
    assert (ends[-1] == 50).all() and (np.diff(ends, axis=0) >= 0).all()


def test_each_pair_has_its_own_scale_and_its_numbers():
    scores = pd.DataFrame({"first": [0.1, 200.0], "second": [0.2, 100.0]}, ["one", "two"])
    figure = figures.paired_bars(scores, digits=1)
    assert [[bar.get_width() for bar in container] for container in figure.axes[0].containers] == [[0.5, 1], [1, 0.5]]
    assert {"0.1", "0.2", "200.0", "100.0", "first", "second"} == {text.get_text() for text in figure.axes[0].texts}


def test_the_area_over_an_axis_of_prior_mass_is_the_pwu():
    """Equal widths hold equal mass: the trapezoids under the drawn line are the prior's average of the costs."""
    rng = np.random.default_rng(0)
    y, mean, std = rng.normal(size=30), np.zeros(30), 0.3 + rng.random(30)
    prior = pwu.Beta(2, 10, scale=6.0)
    x = prior.ppf(np.linspace(0, 1, 4001)[:-1])
    cost = -np.asarray(pwu.SelectivePrediction().utility(np.maximum(x, 1e-12), y, mean, std))
    figure = figures.by_prior_mass(x, {"a model": cost}, prior, ticks=[0.5, 1, 2], xlabel="price", ylabel="cost")
    line = figure.axes[0].get_lines()[0]
    area = trapezoid(line.get_ydata(), line.get_xdata())
    assert area == pytest.approx(pwu.PWU(pwu.SelectivePrediction(), prior)(y, mean, std), rel=2e-3)
    assert [label.get_text() for label in figure.axes[0].get_xticklabels()] == ["0.5", "1", "2"]


def test_a_box_spans_the_middle_half_and_names_what_is_missing():
    figure = FIGURES["boxes"]()
    ax = figure.axes[0]
    box = ax.patches[0]
    assert (box.get_x(), box.get_width()) == (0.25, 0.5)
    assert [text.get_text() for text in ax.texts] == ["not defined"]
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["b", "a"]
    plt.close("all")
