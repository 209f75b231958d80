"""Figures: labelled axes, every curve named, colours and dashes that differ."""

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest

import pwu_lite as pwu
from pwu_lite import plots

X = np.linspace(0, 1, 20)
FIGURES = {
    "curves": lambda: plots.curves(X, {"a": X, "b": X**2}, xlabel="x", ylabel="y", mark=0.5, mark_label="c"),
    "priors": lambda: plots.prior_densities({"one": pwu.Beta(2, 10), "two": pwu.Uniform(0, 1)}),
    "reliability": lambda: plots.reliability([0, 1, 1, 0], [0.1, 0.8, 0.6, 0.3], label="model"),
    "retention": lambda: plots.retention_curve([0, 1, 0, 1], {"entropy": [1, 2, 3, 4]}),
    "coverage": lambda: plots.coverage_curve(X, {"model": X}),
    "flip": lambda: plots.flip([0, 1, 1, 0], ylabel="ECE"),
    "bars": lambda: plots.bars({"a": 1.0, "b": 2.0}, xlabel="euros", highlight=["a"]),
    "histograms": lambda: plots.histograms({"m": {"s": X}, "k": {"s": X}}, mark=0.1, mark_label="c", xlabel="f"),
    "growth": lambda: plots.growth({"ours": {"a": ([10, 100], [0.1, 1.0])}}),
}


@pytest.mark.parametrize("name", FIGURES)
def test_axes_are_labelled(name):
    figure = FIGURES[name]()
    for ax in figure.axes:
        assert ax.get_xlabel() or ax.get_xticklabels()
    assert any(ax.get_ylabel() for ax in figure.axes) or name == "bars"
    assert figure.get_facecolor() == (1, 1, 1, 1)
    plt.close("all")


def test_curves_are_told_apart_without_colour():
    ax = plots.curves(X, {str(i): X + i for i in range(4)}, xlabel="x", ylabel="y").axes[0]
    lines = ax.get_lines()
    assert len({line.get_linestyle() for line in lines}) == 4
    assert len({line.get_color() for line in lines}) == 4
    assert [text.get_text() for text in ax.get_legend().get_texts()] == list("0123")
    plt.close("all")


def test_images_have_their_names():
    figure = plots.images({"eights": np.zeros((3, 64)), "others": np.ones((2, 64))})
    assert {ax.get_title(loc="left") for ax in figure.axes} >= {"eights", "others"}
    plt.close("all")
