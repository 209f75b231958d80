"""Figures that single pages of the book draw, in the style of `pwu_lite.plots`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike
from scipy.special import expit, logit

from pwu_desk.boards import Board
from pwu_lite import validation
from pwu_lite.metrics._kernels import bin_of, error_of_kept
from pwu_lite.plots import COLOURS, COST_SHARE, DASHES, INK, MUTED, curves, name_lines, new_axes, use_style
from pwu_lite.priors import Prior

__all__ = ["against_diagonal", "bars", "board", "boxes", "by_labels", "by_prior_mass", "coverage_curve", "dumbbells",
           "flip", "growth", "histograms", "implicit_priors", "intervals", "paired_bars", "prior_densities", "radii",
           "reliability", "retention_curve", "roof", "scatter", "sheet", "squares", "triangle"]


PALE = "#a9c7dc"
TICKS = {"log": (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000),
         "logit": (0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99)}


def implicit_priors(priors: Mapping[str, Any], *, low: float = 0.0, high: float = 1.0, top: float = 8.0,
                    xlabel: str = COST_SHARE, ax: Axes | None = None) -> Figure:
    """Densities of implicit priors, cut off at `top`, their point masses as stems.

    Parameters
    ----------
    priors : mapping of label to `pwu_lite.symbolic.ImplicitPrior`
        A point mass at infinity is drawn at the right edge.
    low, high, top : float
        Limits of the axes.
    """
    from sympy import lambdify

    figure, ax = new_axes(ax)
    x = np.linspace(low, high, 802)[1:-1]
    for index, (label, prior) in enumerate(priors.items()):
        style: dict[str, Any] = {"color": COLOURS[index % 6], "lw": 2, "ls": DASHES[index % 6], "label": label}
        if prior.density != 0:
            y = np.broadcast_to(lambdify(prior.symbol, prior.density, "numpy")(x), x.shape)
            inside = (x >= float(prior.support[0])) & (y <= top)
            ax.plot(x[inside], y[inside], **style)
            style.pop("label")
        for at, mass in prior.atoms.items():
            ax.plot([min(float(at), high)] * 2, [0, min(float(mass), top)], marker="^", markevery=[1],
                    clip_on=False, **style)
            style.pop("label", None)
    stems = ", or point mass" if any(prior.atoms for prior in priors.values()) else ""
    ax.set(xlabel=xlabel, ylabel=f"prior density{stems}", xlim=(low, high), ylim=(0, top))
    name_lines(ax)
    return figure


def prior_densities(priors: Mapping[str, Prior], *, low: float = 0.0, high: float = 1.0,
                    xlabel: str = COST_SHARE, ax: Axes | None = None) -> Figure:
    """Densities of priors on one axis; not in the colours of the first two models of a chapter.

    Parameters
    ----------
    priors : mapping of label to Prior
    low, high : float
        Ends of the axis.
    xlabel : str
    """
    x = np.linspace(low, high, 802)[1:-1]
    densities = {label: prior.pdf(x) for label, prior in priors.items()}
    return curves(x, densities, xlabel=xlabel, ylabel="prior density", colours=(MUTED, *COLOURS[2:]), ax=ax)


def by_prior_mass(x: Any, values: Mapping[str, Any], prior: Prior, *, ticks: Sequence[float], xlabel: str,
                  ylabel: str, top: float | None = None) -> Figure:
    """One labelled curve per name, over an axis on which equal widths hold equal shares of the prior.

    The area under a curve is then its mean under the prior: for costs, the PWU.

    Parameters
    ----------
    x : array_like, shape (m,)
        Ascending.
    values : mapping of label to array_like of shape (m,)
        Heights of the curves.
    prior : Prior
        Decides the distances on the horizontal axis.
    ticks : sequence of float
        Values of x to write at their places.
    xlabel, ylabel : str
        Labels of the axes.
    top : float, optional
        Upper end of the vertical axis; curves may leave it.
    """
    figure, ax = new_axes(None)
    for label, y in values.items():
        ax.plot(prior.mass(prior.support[0], np.asarray(x, dtype=float)), y, label=label, lw=2)
    ax.set_xticks(prior.mass(prior.support[0], np.asarray(ticks, dtype=float)), [f"{tick:,g}" for tick in ticks])
    ax.set(xlabel=xlabel, ylabel=ylabel, xlim=(0, 1), ylim=(0, top))
    name_lines(ax)
    return figure


def sheet(rows: Sequence[Sequence[str]], header: Sequence[str], widths: Sequence[float], *, title: str,
          notes: Sequence[str] = ()) -> Figure:
    """One page of text in columns, A4 landscape, to be saved as a PDF.

    Parameters
    ----------
    rows : sequence of rows
        Cells are text, mathematics between dollar signs; a line break starts a new line.
    header : sequence of str
    widths : sequence of float
        Of the columns, in shares of the page.
    title : str
    notes : sequence of str
        Lines below the table.

    Raises
    ------
    ValueError
        No rows, or a cell is wider than its column.
    """
    if len(rows) == 0:
        raise ValueError("a sheet needs at least one row")
    figure = plt.figure(figsize=(11.69, 8.27), facecolor="white")
    places, ends = np.cumsum([0.03, *widths[:-1]]), 0.03 + np.cumsum(widths)
    step = 0.8 / len(rows)
    figure.text(0.03, 0.945, title, fontsize=15, weight="bold")
    for place, name in zip(places, header, strict=True):
        figure.text(place, 0.905, name, fontsize=9, weight="bold", color=COLOURS[0])
    for line, row in enumerate(rows):
        y = 0.885 - step * (line + 0.5)
        figure.add_artist(plt.Line2D([0.03, 0.97], [y + step / 2] * 2, color="#cccccc", lw=0.7))
        for place, end, cell, name in zip(places, ends, row, header, strict=True):
            family = "monospace" if name == header[-1] else None
            text = figure.text(place, y, cell, fontsize=7 if family else 9, family=family, va="center", linespacing=1.6)
            if text.get_window_extent().x1 > end * figure.bbox.width:
                raise ValueError(f"this cell is wider than its column: {cell!r}")
    for line, note in enumerate(notes):
        figure.text(0.03, 0.06 - 0.02 * line, note, fontsize=8, color="#333333")
    return figure


def histograms(groups: Mapping[str, Mapping[str, Any]], *, mark: float, mark_label: str,
               xlabel: str) -> Figure:
    """One panel per group, one outlined histogram per label, counts on a logarithmic axis.

    Parameters
    ----------
    groups : mapping of title to mapping of label to array_like
        Values in [0, 1]; two panels or more.
    mark : float
        Where to draw a vertical line, in [0, 1].
    mark_label : str
        Words beside that line, in the first panel.
    xlabel : str
        Label of the horizontal axes.
    """
    use_style()
    figure, axes = plt.subplots(1, len(groups), sharey=True, figsize=(7.4, 3.4))
    for ax, (title, samples) in zip(axes, groups.items(), strict=True):
        for (label, values), colour in zip(samples.items(), COLOURS, strict=False):
            ax.hist(values, bins=np.linspace(0, 1, 26), histtype="step", lw=2, label=label, color=colour)
        ax.axvline(mark, color=INK, lw=1, ls="-")
        ax.set(title=title, xlabel=xlabel, yscale="log")
    axes[0].set_ylabel("number of cases")
    axes[0].annotate(mark_label, (mark, 0.98), xycoords=("data", "axes fraction"), xytext=(4, 0),
                     textcoords="offset points", va="top")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncol=2)
    return figure


def bars(values: Mapping[str, float], *, xlabel: str, highlight: Sequence[str] = ()) -> Figure:
    """Horizontal bars with their numbers, in the colours that lines of the same order have.

    Parameters
    ----------
    values : mapping of label to float
        Lengths of the bars, from top to bottom.
    xlabel : str
        Label of the horizontal axis.
    highlight : sequence of str
        Labels whose bars are hatched; default none.
    """
    use_style()
    figure, ax = plt.subplots(figsize=(6.4, 0.5 + 0.38 * len(values)))
    names = list(values)[::-1]
    for place, name in enumerate(names):
        ax.barh(place, values[name], color=COLOURS[(len(names) - 1 - place) % 6],
                hatch="//" if name in highlight else None, edgecolor="white")
        ax.annotate(f"{values[name]:,.0f}", (values[name], place), xytext=(4, 0),
                    textcoords="offset points", va="center")
    ax.set_yticks(range(len(names)), names)
    ax.set(xlabel=xlabel)
    ax.grid(axis="y", visible=False)
    ax.margins(x=0.12)
    return figure


def paired_bars(scores: Any, digits: int) -> Figure:
    """Two bars for each score, one for each model, on a scale of its own; the first pair has the models' names.

    Parameters
    ----------
    scores : DataFrame
        A row for each score and a column for each of two models.
    digits : int
        Decimals of the numbers at the bars.
    """
    figure, ax = new_axes(None)
    figure.set_size_inches(7.2, 1.1 + 0.37 * len(scores))
    for k, (model, colour) in enumerate(zip(scores, COLOURS[:2], strict=True)):
        lengths, heights = (scores[model] / scores.max(axis=1)).to_numpy(), 2.6 * np.arange(len(scores)) + k
        ax.barh(heights, lengths, color=colour, height=0.92)
        for height, length, value in zip(heights, lengths, scores[model], strict=True):
            ax.text(length + 0.01, height, f"{value:.{digits}f}", va="center")
        ax.text(lengths[0] + 0.13, k, model, va="center", weight="bold", color=colour)
    ax.set_yticks(2.6 * np.arange(len(scores)) + 0.5, list(scores.index))
    ax.invert_yaxis()
    ax.set(xticks=[], xlim=(0, 1.3))
    ax.tick_params(length=0)
    ax.grid(visible=False)
    ax.spines["bottom"].set_visible(False)
    return figure


def squares(groups: Mapping[str, Sequence[int]], colours: Mapping[str, str]) -> Figure:
    """A block of a thousand small squares for each title, coloured by what happened.

    Parameters
    ----------
    groups : mapping of title to sequence of int
        How many squares of each colour, in the order of `colours`; they fill the block column by column.
    colours : mapping of label to str
        What happened, and its colour.
    """
    use_style()
    figure, axes = plt.subplots(1, len(groups), figsize=(7.4, 2.7))
    for ax, (title, counts) in zip(axes, groups.items(), strict=True):
        ends, rows = np.cumsum([0, *counts]), np.arange(20)
        for k, (label, colour) in enumerate(colours.items()):
            low, high = (-(-(end - rows) // 20) for end in ends[k:k + 2])
            ax.barh(rows, high - low, left=low, height=1.0, color=colour, label=label)
        ax.vlines(np.arange(51), -0.5, 19.5, color="#ffffff", lw=0.8)
        ax.hlines(np.arange(21) - 0.5, 0, 50, color="#ffffff", lw=0.8)
        ax.set(title=title)
        ax.set_axis_off()
    figure.legend(*axes[0].get_legend_handles_labels(), ncol=len(colours), loc="outside lower center")
    return figure


def board(shown: Board, *, xlabel: str, scale: str = "log") -> Figure:
    """A row for each model: a pale band where it may be the best, a dark one where it is the cheapest.

    Parameters
    ----------
    shown : Board
        See `pwu_desk.board`.
    xlabel : str
        What the values are.
    scale : {"log", "logit"}
        Of the axis.
    """
    use_style()
    values, cheapest = shown.cost.index.to_numpy(float), shown.cost.idxmin(axis=1)
    order = sorted(shown.cost.columns, key=lambda name: (-(cheapest == name).sum(), -shown.may_be_best[name].sum()))
    figure, ax = plt.subplots(figsize=(6.2, 1.1 + 0.34 * len(order)))
    ax.set_xscale(scale)
    to, back = (np.log, np.exp) if scale == "log" else (logit, expit)
    middle = back((to(values[:-1]) + to(values[1:])) / 2)
    left, right = np.r_[values[0], middle], np.r_[middle, values[-1]]
    for row, name in enumerate(reversed(order)):
        for kept, colour, height in ((shown.may_be_best[name].to_numpy(), PALE, 0.66),
                                     ((cheapest == name).to_numpy(), COLOURS[0], 0.36)):
            for first, last in _stretches(kept):
                ax.barh(row, right[last] - left[first], height, left[first], color=colour, lw=0)
    ax.set_yticks(range(len(order)), list(reversed(order)))
    ticks = [tick for tick in TICKS[scale] if values[0] <= tick <= values[-1]]
    ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    ax.minorticks_off()
    ax.set_xlim(values[0], values[-1])
    ax.set_xlabel(xlabel)
    ax.grid(axis="y", visible=False)
    return figure


def _stretches(kept):
    """First and last places of the runs of True."""
    edges = np.flatnonzero(np.diff(np.r_[0, kept.astype(int), 0]))
    return [(first, last - 1) for first, last in edges.reshape(-1, 2)]


def boxes(panels: Mapping[str, Mapping[str, Any]], *, xlabel: str, highlight: Mapping[str, str] | None = None,
          dots: Mapping[str, Mapping[str, Any]] | None = None) -> Figure:
    """One panel per title, one horizontal box per label: median, quarters, and whiskers from 5% to 95%.

    Parameters
    ----------
    panels : mapping of title to mapping of label to array_like
        NaNs are left out; a label without any value gets no box.
    xlabel : str
        Label of the horizontal axes.
    highlight : mapping of title to label, optional
        The box in the second colour, its label in bold.
    dots : mapping of title to mapping of label to array_like, optional
        Single values to show beside the box.
    """
    use_style()
    tallest = max(len(panel) for panel in panels.values())
    figure, axes = plt.subplots(1, len(panels), figsize=(1.6 + 3.1 * len(panels), 0.9 + 0.31 * tallest),
                                squeeze=False, sharex=True)
    for ax, (title, panel) in zip(axes[0], panels.items(), strict=True):
        names = list(panel)[::-1]
        for place, name in enumerate(names):
            special = (highlight or {}).get(title) == name
            _box(ax, place, panel[name], special)
            if dots and name in dots.get(title, {}):
                values = np.asarray(dots[title][name], dtype=float)
                ax.plot(values, np.full(values.size, place), "o", ms=3.5, color=INK, mfc="white", mew=0.8)
        for label in ax.set_yticks(range(len(names)), names):
            if (highlight or {}).get(title) == label.label1.get_text():
                label.label1.set_fontweight("bold")
        ax.axvline(0, color=INK, lw=1, ls="-")
        ax.set(title=title, xlabel=xlabel, ylim=(-0.6, len(names) - 0.4))
        ax.grid(axis="y", visible=False)
    return figure


def _box(ax, place, values, special):
    kept = np.asarray(values, dtype=float)
    kept = kept[np.isfinite(kept)]
    if not kept.size:
        ax.annotate("not defined", (0, place), xytext=(4, 0), textcoords="offset points", va="center", fontsize=9)
        return
    low, first, middle, third, high = np.quantile(kept, [0.05, 0.25, 0.5, 0.75, 0.95])
    ax.plot([low, high], [place, place], color=INK, lw=1, ls="-")
    ax.barh(place, third - first, left=first, height=0.56, color=COLOURS[1 if special else 0], alpha=0.75,
            edgecolor="white")
    ax.plot([middle, middle], [place - 0.28, place + 0.28], color=INK, lw=2, ls="-")


def dumbbells(values: Mapping[str, Sequence[float]], names: Sequence[str], *, xlabel: str,
              highlight: Sequence[str] = ()) -> Figure:
    """One row per label: its values, one marker per name, joined by a line.

    Parameters
    ----------
    values : mapping of label to sequence of float
        One value per name; NaN is not drawn.
    names : sequence of str
        What the values are called, at most six.
    xlabel : str
        Label of the horizontal axis.
    highlight : sequence of str
        Labels in bold; default none.
    """
    use_style()
    figure, ax = plt.subplots(figsize=(6.4, 1.3 + 0.31 * len(values)))
    rows = list(values)[::-1]
    for place, row in enumerate(rows):
        ax.plot([np.nanmin(values[row]), np.nanmax(values[row])], [place, place], color=MUTED, lw=1.5, ls="-",
                zorder=1)
    for which, name in enumerate(names):
        x = [values[row][which] for row in rows]
        ax.scatter(x, range(len(rows)), s=42, color=COLOURS[which], marker="osD^vP"[which], label=name, zorder=2)
    ax.set_yticks(range(len(rows)), [row.replace("_", " ") for row in rows])
    for tick, row in zip(ax.get_yticklabels(), rows, strict=True):
        tick.set_fontweight("bold" if row in highlight else "normal")
    ax.axvline(0, color=INK, lw=1, ls="-")
    ax.set(xlabel=xlabel)
    ax.grid(axis="y", visible=False)
    figure.legend(loc="outside lower center", ncol=len(names))
    return figure


def scatter(groups: Mapping[str, tuple[Any, Any]], *, xlabel: str, ylabel: str) -> Figure:
    """Points of several groups in one panel, with a line at zero; one colour and marker per group.

    Parameters
    ----------
    groups : mapping of label to (array_like, array_like), each of shape (n,)
        Horizontal and vertical values; at most six groups are drawn.
    xlabel, ylabel : str
        Labels of the axes.
    """
    figure, ax = new_axes(None)
    for (label, (x, y)), colour, marker in zip(groups.items(), COLOURS, "osD^vP", strict=False):
        ax.scatter(x, y, color=colour, marker=marker, s=36, label=label, alpha=0.85)
    ax.axhline(0, color=INK, lw=1, ls="-")
    ax.set(xlabel=xlabel, ylabel=ylabel)
    ax.legend()
    return figure


def flip(values: Sequence[float], *, ylabel: str, better: str = "lower",
         names: tuple[str, str] = ("background r", "background r'"),
         ax: Axes | None = None) -> Figure:
    """The four values of a counterexample: a line from report a to report b for each of two backgrounds.

    Parameters
    ----------
    values : sequence of four float
        Reports a and b against the first background, then a and b against the second.
    ylabel : str
        Name of the metric.
    better : {"lower", "higher"}
        Direction of the metric; default "lower".
    names : (str, str)
        What the backgrounds are called; default "background r" and "background r'".
    ax : Axes, optional
        Axes to draw on; a new figure if omitted.
    """
    figure, ax = new_axes(ax)
    for which, name in enumerate(names):
        ax.plot([0, 1], values[2 * which:2 * which + 2], marker="o s".split()[which], lw=2, label=name)
    ax.set_xticks([0, 1], ["report a", "report b"])
    ax.set(ylabel=f"{ylabel} ({better} is better)", xlim=(-0.3, 1.3))
    ax.legend()
    return figure


def by_labels(panels: Mapping[str, Mapping[str, tuple[Any, Any]]], *, ylabel: str, level: float | None = None
              ) -> Figure:
    """One panel per title, one line per score, against the number of labels on a logarithmic axis.

    Parameters
    ----------
    panels : mapping of title to mapping of score to (numbers of labels, values)
        Points of each line.
    ylabel : str
        Label of the vertical axis.
    level : float, optional
        Where to draw a horizontal line.
    """
    use_style()
    figure, axes = plt.subplots(1, len(panels), figsize=(0.9 + 2.2 * len(panels), 3.4), squeeze=False, sharey=True)
    styles: dict[str, dict[str, Any]] = {}
    for ax, (title, lines) in zip(axes[0], panels.items(), strict=True):
        for label, (n, values) in lines.items():
            place = len(styles)
            style = styles.setdefault(label, {"color": [*COLOURS, INK][place % 7], "marker": "osD^vP*X"[place % 8],
                                              "ls": DASHES[place % len(DASHES)], "ms": 5})
            ax.plot(n, values, label=label, **style)
        if level is not None:
            ax.axhline(level, color=INK, lw=1, ls="-")
        ax.set(title=title, xscale="log", xlabel="labels, n")
        ax.set_xticks(np.unique(np.concatenate([n for n, _ in lines.values()])))
        ax.xaxis.set_major_formatter("{x:g}")
        ax.xaxis.set_minor_locator(plt.NullLocator())
    axes[0][0].set_ylabel(ylabel)
    found: dict[str, Any] = {}
    for ax in axes[0]:
        for line, label in zip(*ax.get_legend_handles_labels(), strict=True):
            found.setdefault(label, line)
    figure.legend(list(found.values()), list(found), loc="outside lower center", ncol=4, fontsize=9.5)
    return figure


def growth(groups: Mapping[str, Mapping[str, tuple[Any, Any]]]) -> Figure:
    """Seconds against n on logarithmic axes.

    Parameters
    ----------
    groups : mapping of group to mapping of label to (sizes, seconds)
        A dash for each group, a colour and a marker for each of its methods.
    """
    figure, ax = new_axes(None)
    for dash, methods in zip(DASHES, groups.values(), strict=False):
        for place, (label, (sizes, seconds)) in enumerate(methods.items()):
            style: dict[str, Any] = {"color": COLOURS[place], "ls": dash, "marker": "osD^"[place]}
            ax.plot(sizes, seconds, label=label, **style)
    ax.set(xscale="log", yscale="log", xlabel="number of cases, n", ylabel="seconds")
    figure.set_size_inches(6.4, 4.8)
    figure.legend(loc="outside lower center", fontsize=9, ncol=3)
    return figure


def triangle(levels: Sequence[float], *, marks: Mapping[str, tuple[float, float]] | None = None) -> Figure:
    """Intervals of probabilities as points, lower end against upper end, with lines of intervals that act alike.

    Parameters
    ----------
    levels : sequence of float
        Probabilities in (0, 1), each with a line through the intervals that act like it.
    marks : mapping of label to (float, float), optional
        Lower and upper end of the intervals to mark.
    """
    figure, ax = new_axes(None)
    figure.set_size_inches(5.2, 4.6)
    ax.plot([0, 1], [0, 1], color=INK, lw=1, ls="-")
    for level in levels:
        ends = np.array([max(0.0, 1 - (1 - level) / level), level])
        ax.plot(ends, level * (1 - ends) / (1 - level), color=COLOURS[0], lw=1.6, ls="-")
        ax.annotate(f"{level:g}", (level, level), xytext=(4, -4), textcoords="offset points", va="top",
                    color=COLOURS[0])
    for name, (low, high) in (marks or {}).items():
        ax.plot(low, high, "o", color=COLOURS[1], ms=7)
        ax.annotate(name, (low, high), xytext=(95, -4), textcoords="offset points", va="center", color=COLOURS[1],
                    weight="bold", arrowprops={"arrowstyle": "-", "color": COLOURS[1], "lw": 0.8})
    ax.set(xlabel="lower probability", ylabel="upper probability", xlim=(-0.01, 1), ylim=(0, 1.08))
    return figure


def roof(x: Any, entropy: Any, xlabel: str, losses: Any, marks: Mapping[str, float]) -> Figure:
    """Left, an entropy along a mixture; right, the expected costs of several acts on two states, with levels marked.

    Parameters
    ----------
    x : array_like, shape (m,)
        Weights of the mixture, ascending in [0, 1].
    entropy : array_like, shape (m,)
        Entropy at each weight.
    xlabel : str
        Label of the left panel's horizontal axis.
    losses : sequence of (float, float)
        Cost of each act in the first and in the second state.
    marks : mapping of label to float
        Expected costs to mark in the right panel, at most three.
    """
    use_style()
    figure, (left, right) = plt.subplots(1, 2, figsize=(8.6, 3.4))
    left.plot(x, entropy, color=COLOURS[0], ls="-")
    left.set(xlabel=xlabel, ylabel="entropy")
    p = np.linspace(0, 1, 101)
    for act, (first, second) in enumerate(losses):
        right.plot(p, (1 - p) * first + p * second, color=COLOURS[act], ls=DASHES[act])
        right.annotate(f"act {act + 1}", (0, first), xytext=(4, 4), textcoords="offset points", color=COLOURS[act],
                       weight="bold")
    for (name, level), colour in zip(marks.items(), (INK, MUTED, MUTED), strict=False):
        right.axhline(level, color=colour, lw=0.9, ls=":")
        right.annotate(f"{name}: {level:g}", (1, level), xytext=(5, 0), textcoords="offset points", va="center",
                       annotation_clip=False, color=colour)
    right.set(xlabel="probability of the second state", ylabel="expected cost")
    return figure


def against_diagonal(groups: Mapping[str, tuple[Any, Any]], *, xlabel: str, ylabel: str) -> Figure:
    """Points of several groups in one panel, with the diagonal; one colour and marker per group.

    Parameters
    ----------
    groups : mapping of label to (array_like, array_like), each of shape (n,)
        Horizontal and vertical values, not negative; at most six groups are drawn.
    xlabel, ylabel : str
        Labels of the axes.
    """
    figure, ax = new_axes(None)
    top = 1.08 * max(float(np.max(axis)) for pair in groups.values() for axis in pair)
    ax.plot([0, top], [0, top], color=INK, lw=1, ls="-")
    for (label, (x, y)), colour, marker in zip(groups.items(), COLOURS, "osD^vP", strict=False):
        ax.scatter(x, y, color=colour, marker=marker, s=46, label=label, alpha=0.85)
    ax.set(xlabel=xlabel, ylabel=ylabel, xlim=(0, top), ylim=(0, top))
    ax.legend(loc="lower right")
    return figure


def radii(pairs: Mapping[tuple[str, str], tuple[float, bool]]) -> Figure:
    """Pairs of models by their robustness radius, plain where a statement decides them and hatched elsewhere.

    Parameters
    ----------
    pairs : mapping of (model, model) to (float, bool)
        Radius in [0, 1], and whether the statement decides the pair.
    """
    use_style()
    ordered = sorted(pairs.items(), key=lambda item: item[1][0])
    figure, ax = plt.subplots(figsize=(6.4, 0.8 + 0.22 * len(ordered)))
    for place, (_, (radius, decided)) in enumerate(ordered):
        ax.barh(place, radius, color=COLOURS[0] if decided else COLOURS[4], hatch=None if decided else "//",
                edgecolor="white", height=0.8)
    ax.set_yticks(range(len(ordered)), [", ".join(names) for names, _ in ordered], fontsize=9)
    ax.set(xlabel="radius: share of readers who may believe anything", xlim=(0, 1))
    ax.grid(axis="y", visible=False)
    return figure


def intervals(panels: Mapping[str, Mapping[str, Any]], *, xlabel: str, highlight: str = "") -> Figure:
    """One panel per title, one row per label, one line per source: a marker at its median, ends at low and high.

    Parameters
    ----------
    panels : mapping of title to mapping of source to DataFrame
        Rows are labels, columns ``median``, ``low`` and ``high``; all panels have the labels of the first.
    highlight : str, optional
        The label in bold.
    """
    use_style()
    names = list(next(iter(next(iter(panels.values())).values())).index)[::-1]
    wide = 2 if len(panels) == 4 else min(3, len(panels))
    tall = -(-len(panels) // wide)
    most = max(len(sources) for sources in panels.values())
    size = (9.4 if wide > 1 else 7.2, tall * (0.9 + 0.15 * max(most, 2) * len(names)))
    figure, axes = plt.subplots(tall, wide, figsize=size, squeeze=False, sharex=True, sharey=True)
    for ax, (title, sources) in zip(axes.flat, panels.items(), strict=False):
        apart = np.linspace(0.17, -0.17, 2) if len(sources) < 3 else np.linspace(0.26, -0.26, len(sources))
        for which, (source, frame) in enumerate(sources.items()):
            rows = frame.loc[names]
            places = np.arange(len(names)) + apart[which]
            ax.hlines(places, rows["low"], rows["high"], color=COLOURS[which], lw=2, ls="-")
            ax.plot(rows["median"], places, "osD^"[which], ms=5, ls="", color=COLOURS[which], label=source)
        ax.set_yticks(range(len(names)), [str(name).replace("_", " ") for name in names])
        ax.axvline(0, color=INK, lw=1, ls="-")
        ax.set_title(str(title).replace("_", " "), fontsize=11)
        ax.grid(axis="y", visible=False)
        for tick in ax.get_yticklabels():
            tick.set_fontweight("bold" if tick.get_text() == highlight else "normal")
    for index, ax in enumerate(axes.flat):
        if index >= len(panels):
            ax.set_axis_off()
        elif index + wide >= len(panels):  # the lowest panel of its column
            ax.tick_params(labelbottom=True)
    if wide > 1:
        figure.supxlabel(xlabel, fontsize=11)
    else:
        axes.flat[0].set_xlabel(xlabel)
    location: Any = f"outside {'upper' if most > 2 and wide > 1 else 'lower'} {'right' if wide > 1 else 'center'}"
    figure.legend(*axes.flat[0].get_legend_handles_labels(), ncol=max(2, most % 4), loc=location)
    return figure


def reliability(y_true: ArrayLike, y_prob: ArrayLike, *,
                n_bins: int = 10, label: str = "", ax: Axes | None = None) -> Figure:
    """Reliability diagram: frequency of y = 1 against mean forecast, bins (l, u].

    Parameters
    ----------
    y_true : array_like, shape (n,)
        Labels in {0, 1}.
    y_prob : array_like, shape (n,)
        Probabilities of label 1, in [0, 1].
    n_bins : int
        Number of bins of equal width, at least 1.
    label : str
        Name of the line in the legend.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if not given.
    """
    figure, ax = new_axes(ax)
    y, f = validation.check_binary(y_true, y_prob)
    where = bin_of(f, n_bins)
    used = np.unique(where)
    points = [(f[where == b].mean(), y[where == b].mean(), (where == b).sum()) for b in used]
    x, frequency, size = np.transpose(points)
    ax.plot([0, 1], [0, 1], color=INK, lw=1, ls="-")
    ax.vlines(x, x, frequency, color=COLOURS[1], lw=2)
    ax.scatter(x, frequency, s=20 + 200 * size / size.max(), color=COLOURS[0], zorder=3)
    ax.set(xlabel="mean forecast in the bin", ylabel="frequency of y = 1", title=label,
           xlim=(-0.03, 1.03), ylim=(-0.05, 1.05))
    return figure


def retention_curve(error: ArrayLike, uncertainties: Mapping[str, Any], *, ylabel: str = "error rate of the kept",
                    ax: Axes | None = None) -> Figure:
    """Mean error among the kept cases against the share kept, least uncertain first; ties as in `retention_auc`.

    Parameters
    ----------
    error : array_like, shape (n,)
        Errors of the cases, on any scale.
    uncertainties : mapping of name to array_like
        Uncertainties of the cases, one curve per name.
    ylabel : str
        Label of the vertical axis.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if not given.
    """
    validation.same_order(error=error, **uncertainties)
    error = validation.vector("error", error)
    share = np.arange(1, error.size + 1) / error.size
    kept = {}
    for label, uncertainty in uncertainties.items():
        uncertainty = validation.vector(label, uncertainty)
        validation.same_length(label, uncertainty, "error", error)
        kept[label] = error_of_kept(error, uncertainty) / np.arange(1, error.size + 1)
    return curves(share, kept, xlabel="share of cases kept", ylabel=ylabel, ax=ax)


def coverage_curve(levels: Any, observed: Mapping[str, Any], *, ax: Axes | None = None) -> Figure:
    """Observed against nominal coverage of central intervals.

    Parameters
    ----------
    levels : array_like, shape (m,)
        Nominal levels, in (0, 1).
    observed : mapping of name to array_like
        Observed shares at these levels, one line per name.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if not given.
    """
    figure, ax = new_axes(ax)
    ax.plot([0, 1], [0, 1], color=INK, lw=1, ls="-")
    return curves(levels, observed, xlabel="nominal coverage", ylabel="observed coverage", ax=ax)
