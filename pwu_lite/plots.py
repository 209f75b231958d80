"""Every figure of the book: one palette, labels with units, readable in light and dark.

Implements the figures of the PWU paper's sections 3 and 4, and the book's own.
"""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from . import resampling, validation
from .metrics._kernels import bin_of, error_of_kept
from .priors import Dirac, Prior

__all__ = ["COLOURS", "against_diagonal", "as_svg", "bands", "bars", "boxes", "by_labels", "by_prior_mass",
           "coverage_curve", "curves", "dumbbells", "flip", "growth", "histograms", "implicit_priors",
           "intervals", "murphy", "prior_densities", "prior_panels", "radii", "readers", "reliability",
           "retention_curve", "roof", "scatter",
           "sheet", "triangle", "use_style", "weighted_area"]

# Okabe and Ito's colours: told apart by the colour-blind, and on white
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00")
DASHES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1)), (0, (1, 1)))

COST_SHARE = "cost share of a false alarm, c"  # the one phrase for this axis


INK, MUTED, HAIRLINE = "#1d232b", "#5a6472", "#d5d9de"  # lines and words, labels, grid


def use_style() -> None:
    """Set the fonts, sizes and colours of every figure after it; in SVG, text stays text."""
    plt.rcParams.update({
        "figure.dpi": 110, "savefig.dpi": 110, "figure.figsize": (6.25, 3.5), "figure.facecolor": "white",
        "axes.facecolor": "white", "axes.spines.top": False, "axes.spines.right": False, "axes.spines.left": False,
        "axes.prop_cycle": plt.cycler(color=COLOURS, linestyle=DASHES), "axes.grid": True, "axes.grid.axis": "y",
        "axes.axisbelow": True, "axes.linewidth": 0.8, "axes.edgecolor": MUTED, "axes.labelcolor": MUTED,
        "xtick.color": MUTED, "ytick.color": MUTED, "ytick.major.size": 0, "text.color": INK,
        "axes.titlesize": 10.5, "axes.titleweight": "bold", "axes.titlelocation": "left", "axes.labelsize": 10.5,
        "grid.color": HAIRLINE, "grid.linewidth": 0.6, "font.size": 10.5, "legend.frameon": False,
        "lines.linewidth": 2, "svg.fonttype": "none", "svg.hashsalt": "pwu_lite",
        "figure.constrained_layout.use": True,
    })


def _new(ax: Axes | None) -> tuple[Any, Axes]:
    if ax is None:
        use_style()
        return plt.subplots()
    return ax.figure, ax


def curves(x: Any, values: Mapping[str, Any], *, xlabel: str, ylabel: str, mark: float | None = None,
           mark_label: str = "", colours: Sequence[str] = (), ax: Axes | None = None) -> Figure:
    """One labelled curve per name, with an optional vertical mark.

    Parameters
    ----------
    x : array_like, shape (m,)
    values : mapping of label to array_like of shape (m,)
    xlabel, ylabel : str
        With their units.
    mark : float, optional
        Where to draw a vertical line, named `mark_label`.
    colours : sequence of str, optional
        Of the curves; those of the style, if not given.
    """
    figure, ax = _new(ax)
    for index, (label, y) in enumerate(values.items()):
        ax.plot(x, y, label=label, lw=2, color=colours[index % len(colours)] if colours else None)
    if mark is not None:
        ax.axvline(mark, color=INK, lw=1, ls="-")
        ax.annotate(mark_label, (mark, 0.97), xycoords=("data", "axes fraction"), xytext=(5, 0),
                    textcoords="offset points", va="top")
    ax.set(xlabel=xlabel, ylabel=ylabel)
    _name_lines(ax)
    return figure


def _name_lines(ax: Axes) -> None:
    """Write each line's name where the line ends; in a legend where names are long, many or would collide."""
    names = {line: str(line.get_label()) for line in ax.get_lines() if not str(line.get_label()).startswith("_")}
    low, high = ax.get_ylim()
    ends = {}
    for line in names:
        x, y = np.asarray(line.get_xdata(), dtype=float), np.asarray(line.get_ydata(), dtype=float)
        kept = np.flatnonzero(np.isfinite(y) & (y >= low) & (y <= high))
        if kept.size:
            ends[line] = (float(x[kept[-1]]), float(y[kept[-1]]))
    heights = np.sort([y for _, y in ends.values()])
    apart = (np.diff(heights) > 0.07 * (high - low)).all()
    if len(ends) < len(names) or len(names) > 4 or not apart or max(map(len, names.values())) > 20:
        ax.legend()
        return
    for line, end in ends.items():
        ax.annotate(names[line], end, xytext=(6, 0), textcoords="offset points", va="center",
                    color=line.get_color(), weight="bold", annotation_clip=False)


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


def prior_panels(variants: Mapping[str, Sequence[Prior]], names: Sequence[str], levels: Sequence[float]) -> Figure:
    """One panel a parameter: the first prior's density with its quantiles marked, the others behind it.

    Parameters
    ----------
    variants : mapping of label to priors, one for each parameter
        The first one is the stated one.
    names : sequence of str
        The parameters.
    levels : sequence of float
        Quantiles to mark.
    """
    use_style()
    figure, axes = plt.subplots(len(names), 1, figsize=(6.4, 3.2 * len(names)), squeeze=False)
    for which, (ax, name) in enumerate(zip(axes[:, 0], names, strict=True)):
        (first, stated), *rest = [(label, priors[which]) for label, priors in variants.items()]
        shown = [(first, stated), *((label, prior) for label, prior in rest if prior is not stated)]
        ends = [float(prior.ppf(level)) for _, prior in shown for level in (0.005, 0.995)]
        low, high = 0.0 if min(ends) < 0.5 * max(ends) else min(ends), max(ends)
        x = np.linspace(low, high, 802)[1:-1] if high > low else np.linspace(0, 2 * high, 802)[1:-1]
        inner = [float(np.max(prior.pdf(prior.ppf([0.02, 0.2, 0.5, 0.8, 0.98])))) for _, prior in shown]
        top = 1.6 * max([value for value in inner if np.isfinite(value)] or [0.0]) or 1.0
        for place, (label, prior) in enumerate(shown):
            style = {"color": COLOURS[place % 6], "ls": DASHES[place % 6], "lw": 1.5 if place else 2.5}
            ax.plot(x, prior.pdf(x), label=label, **style)
            for weight, part in prior.parts:
                if isinstance(part, Dirac):  # a stem as high as its mass, the top for all of it
                    ax.plot([part.at] * 2, [0, weight * top], marker="^", markevery=[1], **style)
        for level in levels:
            at = float(stated.ppf(level))
            ax.axvline(at, color=INK, lw=0.8, ls="-")
            ax.annotate(f"{level:.0%}", (at, 0), xytext=(3, 3), textcoords="offset points", fontsize=9)
        ax.set(xlabel=name, ylabel="prior density", ylim=(0, min(top, 1.05 * ax.dataLim.y1)))
        ax.legend()
    return figure


def murphy(score: Any, y_true: ArrayLike, models: Mapping[str, Any], *, band: float | None = 0.95, thetas: Any = None,
           against: str | None = None, groups: Any = None, sample_weight: ArrayLike | None = None,
           n_resamples: int = 300, seed: int = 0) -> Figure:
    """Murphy curves of any number of models, their difference from the cheapest one, and the prior under them.

    Parameters
    ----------
    score : PWU
        Of a family with one decision parameter.
    y_true : array_like, shape (n,)
    models : mapping of name to forecast, or DataFrame with a column for each model
        ``y_prob``, or a tuple ``(mean, std)``.
    band : float or None
        Share of the resamples inside the bands, at each parameter by itself; None for no bands.
    thetas : array_like, optional
        Where to draw; by default where the prior has its mass.
    against : str, optional
        The model that the others are compared with; the cheapest one under the prior, if not given.
    groups : array_like, shape (n,), optional
        Patients, sites or days: resampled whole.
    sample_weight : array_like, shape (n,), optional
        For separable families.
    n_resamples, seed : int
        Resamples of the cases, the same ones for all models.

    Returns
    -------
    Figure
        Above, the cost per case; in the middle, the difference from the cheapest model, with a paired band:
        where it contains zero the data do not tell the two apart; below, the prior.

    Raises
    ------
    ValueError
        No models, or a family with several parameters.
    """
    family, reports = score.family, validation.named_forecasts(models)
    if len(family.parameters) > 1:
        raise ValueError(f"a Murphy diagram needs one decision parameter, {family!r} has several")
    if not reports:
        raise ValueError("a Murphy diagram needs at least one model")
    data = family.read(y_true, *next(iter(reports.values())))
    x, thetas = _parameters(score, thetas, len(data[0]))
    costs = np.array([score.curve(y_true, *report, thetas=thetas, sample_weight=sample_weight)
                      for report in reports.values()])
    best = _reference(score, y_true, reports, against, sample_weight)
    use_style()
    figure, axes = plt.subplots(3, 1, sharex=True, figsize=(6.4, 6.4), height_ratios=[3, 2, 1])
    gaps, names = costs - costs[best], list(reports)
    ends: list[Any] = [None] * len(names)
    if band is not None:
        tail = (1 - validation.inside("band", band, 0, 1)) / 2
        draws = resampling.resampled_curves(family, thetas, y_true, list(reports.values()), groups=groups,
                                            sample_weight=sample_weight, repeats=n_resamples, seed=seed)
        ends = list(np.quantile(draws - draws[:, [best]], [tail, 1 - tail], axis=0).swapaxes(0, 1))
    for place, name in enumerate(names):
        style: dict[str, Any] = {"color": COLOURS[place % 6], "ls": DASHES[(place + place // 6) % 6], "lw": 2}
        axes[0].plot(x, costs[place], label=_as_text(name), **style)
        axes[1].plot(x, gaps[place], **style)
        if ends[place] is not None and place != best:
            axes[1].fill_between(x, *ends[place], color=COLOURS[place % 6], alpha=0.2, lw=0)
    axes[0].legend()
    axes[2].fill_between(x, _mean_density(score.priors[0], x), color=MUTED, alpha=0.35, lw=0)
    only = family.parameters[0]
    axes[0].set(ylabel="cost per case")
    axes[1].set(ylabel=f"minus that of\n{_as_text(names[best])}")
    axes[2].set(ylabel="prior", xlabel=COST_SHARE if only.name == "c" else only.name, yticks=[], ylim=(0, None))
    return figure


def _reference(score, y_true, reports, against, sample_weight):
    """Place of the model that the others are compared with."""
    if against is not None:
        if str(against) not in reports:
            raise ValueError(f"against is {against!r}, which is none of the models: {', '.join(reports)}")
        return list(reports).index(str(against))
    losses = [score(y_true, *report, sample_weight=sample_weight, return_error=True)[0] for report in reports.values()]
    return int(np.argmin(losses))


def _as_text(name):
    """A model's name as it is: no mathematics, and not hidden by a leading underscore."""
    return ("\u200b" if name.startswith("_") else "") + name.replace("$", r"\$")


def _parameters(score, thetas, n):
    """Where to draw, in the prior's own parameter and in the utility's."""
    only, prior = score.family.parameters[0], score.priors[0]
    if thetas is not None:
        thetas = np.sort(validation.vector("thetas", thetas))
        return (thetas / n if only.counts else thetas), thetas
    low, high = only.domain
    reach = float(np.max(prior.ppf(0.995)))
    end = min(high, max(1.15 * reach, 1.6 * float(np.max(prior.ppf(0.5)))))
    x = np.linspace(max(low, 0.0), end, 102)[1:-1]
    if only.counts:
        k = np.unique(only.theta(x, n))
        return k / n, k
    return x, x


def _mean_density(prior, x):
    """Density at x; of a prior for each case, their mean; known values as a histogram."""
    density, bins = np.zeros(len(x)), np.linspace(x[0], x[-1], 41) if len(x) > 1 else np.array([0.5, 1.5]) * x[0]
    for weight, part in prior.parts:
        if isinstance(part, Dirac):
            at = np.atleast_1d(part.at)
            counts = np.histogram(at, bins)[0] / at.size / np.diff(bins)
            density += weight * counts[np.clip(np.searchsorted(bins, x, side="right") - 1, 0, counts.size - 1)]
        else:
            values = np.minimum(part.pdf(x if part.length is None else x[:, None]), 1e3)
            density += weight * (values if part.length is None else values.mean(axis=1))
    return density


def as_svg(figure: Figure) -> str:
    """A figure as an SVG element for a page: no header, no style that reaches the whole page; its text stays text."""
    buffer = io.StringIO()
    with plt.rc_context({"svg.fonttype": "none", "svg.hashsalt": "pwu_lite"}):
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    plt.close(figure)
    svg = "<svg" + buffer.getvalue().split("<svg", 1)[1]
    svg = re.sub(r"<metadata>.*?</metadata>\s*|<defs>\s*<style.*?</style>\s*</defs>\s*", "", svg, flags=re.S)
    return re.sub(r'\sxmlns(:\w+)?="[^"]*"', "", svg)  # inside a page they mean nothing


def weighted_area(theta: Any, cost: Any, density: Any, *, xlabel: str, label: str = "cost") -> Figure:
    """Cost against theta, the prior under it, and their product, whose area is the PWU.

    Parameters
    ----------
    theta, cost, density : array_like, shape (m,)
        ``-U_theta`` and the prior's density at each theta.
    """
    use_style()
    figure, axes = plt.subplots(3, 1, sharex=True, figsize=(6.4, 5.6))
    labels = (f"{label}, $-U$", "prior density", "product")
    for place, (ax, values, name) in enumerate(zip(axes, (cost, density, np.multiply(cost, density)), labels,
                                                   strict=True)):
        ax.plot(theta, values, color=COLOURS[place], ls="-", lw=2)
        ax.fill_between(theta, values, color=COLOURS[place], alpha=0.35 if place == 2 else 0.1, lw=0)
        ax.set(ylabel=name, ylim=(0, None) if np.min(values) >= 0 else None)
    axes[2].set_xlabel(xlabel)
    return figure


def by_prior_mass(x: Any, values: Mapping[str, Any], prior: Prior, *, ticks: Sequence[float], xlabel: str,
                  ylabel: str) -> Figure:
    """One labelled curve a name, over an axis on which equal widths hold equal shares of the prior.

    The area under a curve is then its mean under the prior: for costs, the PWU.

    Parameters
    ----------
    x : array_like, shape (m,)
        Ascending.
    values : mapping of label to array_like of shape (m,)
    prior : Prior
    ticks : sequence of float
        Values of x to write at their places.
    """
    figure, ax = _new(None)
    for label, y in values.items():
        ax.plot(prior.mass(prior.support[0], np.asarray(x, dtype=float)), y, label=label, lw=2)
    ax.set_xticks(prior.mass(prior.support[0], np.asarray(ticks, dtype=float)), [f"{tick:,g}" for tick in ticks])
    ax.set(xlabel=xlabel, ylabel=ylabel, xlim=(0, 1), ylim=(0, None))
    figure.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncol=3)
    return figure


def bands(x: Any, values: Mapping[str, tuple[Any, Any, Any]], *, xlabel: str, ylabel: str,
          ax: Axes | None = None) -> Figure:
    """One curve a name, with a band from `low` to `high`.

    Parameters
    ----------
    x : array_like, shape (m,)
    values : mapping of label to (middle, low, high), each of shape (m,)
    """
    figure, ax = _new(ax)
    for place, (label, (middle, low, high)) in enumerate(values.items()):
        ax.plot(x, middle, label=label, lw=2, color=COLOURS[place % 6], ls=DASHES[place % 6])
        ax.fill_between(x, low, high, color=COLOURS[place % 6], alpha=0.2, lw=0)
    ax.set(xlabel=xlabel, ylabel=ylabel)
    ax.legend()
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

    figure, ax = _new(ax)
    x = np.linspace(low, high, 802)[1:-1]
    for place, (label, prior) in enumerate(priors.items()):
        style: dict[str, Any] = {"color": COLOURS[place % 6], "lw": 2, "ls": DASHES[place % 6], "label": label}
        if prior.density != 0:
            y = np.broadcast_to(lambdify(prior.symbol, prior.density, "numpy")(x), x.shape)
            inside = (x >= float(prior.support[0])) & (y <= top)
            ax.plot(x[inside], y[inside], **style)
            style.pop("label")
        for at, mass in prior.atoms.items():
            ax.plot([min(float(at), high)] * 2, [0, min(float(mass), top)], marker="^", markevery=[1],
                    clip_on=False, **style)
            style.pop("label", None)
    ax.set(xlabel=xlabel, ylabel="prior density, or point mass", xlim=(low, high), ylim=(0, top))
    ax.legend()
    return figure


def histograms(groups: Mapping[str, Mapping[str, Any]], *, mark: float, mark_label: str,
               xlabel: str) -> Figure:
    """One panel a group, one outlined histogram a label, counts on a logarithmic axis."""
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
    """Horizontal bars, each with its number, in the colours that lines of the same order have; highlights hatched."""
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


def boxes(panels: Mapping[str, Mapping[str, Any]], *, xlabel: str, highlight: Mapping[str, str] | None = None,
          dots: Mapping[str, Mapping[str, Any]] | None = None) -> Figure:
    """One panel a title, one horizontal box a label: median, quarters, and whiskers from 5% to 95%.

    Parameters
    ----------
    panels : mapping of title to mapping of label to array_like
        NaNs are left out; a label without any value gets no box.
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


def intervals(panels: Mapping[str, Mapping[str, Any]], *, xlabel: str, highlight: str = "") -> Figure:
    """One panel a title, one row a label, one line a source: a marker at its median, ends at low and high.

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
    place: Any = f"outside {'upper' if most > 2 and wide > 1 else 'lower'} {'right' if wide > 1 else 'center'}"
    figure.legend(*axes.flat[0].get_legend_handles_labels(), ncol=max(2, most % 4), loc=place)
    return figure


def dumbbells(values: Mapping[str, Sequence[float]], names: Sequence[str], *, xlabel: str,
              highlight: Sequence[str] = ()) -> Figure:
    """One row a label: its values, one marker a name, joined by a line."""
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
    """Points, one colour and marker a label, and a line at zero."""
    figure, ax = _new(None)
    for (label, (x, y)), colour, marker in zip(groups.items(), COLOURS, "osD^vP", strict=False):
        ax.scatter(x, y, color=colour, marker=marker, s=36, label=label, alpha=0.85)
    ax.axhline(0, color=INK, lw=1, ls="-")
    ax.set(xlabel=xlabel, ylabel=ylabel)
    ax.legend()
    return figure


def reliability(y_true: ArrayLike, y_prob: ArrayLike, *,
                n_bins: int = 10, label: str = "", ax: Axes | None = None) -> Figure:
    """Reliability diagram: frequency of y = 1 against mean forecast, bins (l, u]."""
    figure, ax = _new(ax)
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
    """Mean error among the kept cases against the share kept, least uncertain first; ties as in `retention_auc`."""
    error = validation.vector("error", error)
    share = np.arange(1, error.size + 1) / error.size
    kept = {}
    for label, uncertainty in uncertainties.items():
        uncertainty = validation.vector(label, uncertainty)
        if uncertainty.size != error.size:
            raise ValueError(f"{label} has length {uncertainty.size}, error has length {error.size}")
        kept[label] = error_of_kept(error, uncertainty) / np.arange(1, error.size + 1)
    return curves(share, kept, xlabel="share of cases kept", ylabel=ylabel, ax=ax)


def coverage_curve(levels: Any, observed: Mapping[str, Any], *, ax: Axes | None = None) -> Figure:
    """Observed against nominal coverage of central intervals."""
    figure, ax = _new(ax)
    ax.plot([0, 1], [0, 1], color=INK, lw=1, ls="-")
    return curves(levels, observed, xlabel="nominal coverage", ylabel="observed coverage", ax=ax)


def flip(values: Sequence[float], *, ylabel: str, better: str = "lower",
         names: tuple[str, str] = ("background r", "background r'"),
         ax: Axes | None = None) -> Figure:
    """The four values of a counterexample: report a to report b, against two backgrounds."""
    figure, ax = _new(ax)
    for which, name in enumerate(names):
        ax.plot([0, 1], values[2 * which:2 * which + 2], marker="o s".split()[which], lw=2, label=name)
    ax.set_xticks([0, 1], ["report a", "report b"])
    ax.set(ylabel=f"{ylabel} ({better} is better)", xlim=(-0.3, 1.3))
    ax.legend()
    return figure


def by_labels(panels: Mapping[str, Mapping[str, tuple[Any, Any]]], *, ylabel: str, level: float | None = None
              ) -> Figure:
    """One panel a title, one line a score, against the number of labels on a logarithmic axis.

    Parameters
    ----------
    panels : mapping of title to mapping of score to (numbers of labels, values)
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
    figure, ax = _new(None)
    for dash, methods in zip(DASHES, groups.values(), strict=False):
        for place, (label, (sizes, seconds)) in enumerate(methods.items()):
            style: dict[str, Any] = {"color": COLOURS[place], "ls": dash, "marker": "osD^"[place]}
            ax.plot(sizes, seconds, label=label, **style)
    ax.set(xscale="log", yscale="log", xlabel="number of cases, n", ylabel="seconds")
    figure.set_size_inches(6.4, 4.8)
    figure.legend(loc="outside lower center", fontsize=9, ncol=3)
    return figure


def triangle(levels: Sequence[float], *, marks: Mapping[str, tuple[float, float]] | None = None) -> Figure:
    """Intervals of probabilities as points, lower end against upper end: lines of those that act like one number."""
    figure, ax = _new(None)
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
    """Left, an entropy along a mixture; right, the expected costs of acts on two states, with levels marked."""
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
    """Points, one colour and marker a label, and the diagonal."""
    figure, ax = _new(None)
    top = 1.08 * max(float(np.max(axis)) for pair in groups.values() for axis in pair)
    ax.plot([0, top], [0, top], color=INK, lw=1, ls="-")
    for (label, (x, y)), colour, marker in zip(groups.items(), COLOURS, "osD^vP", strict=False):
        ax.scatter(x, y, color=colour, marker=marker, s=46, label=label, alpha=0.85)
    ax.set(xlabel=xlabel, ylabel=ylabel, xlim=(0, top), ylim=(0, top))
    ax.legend(loc="lower right")
    return figure


def readers(difference: Any, prior: Prior, lowest: Prior, highest: Prior, *, names: Sequence[str], high: float = 1.0,
            xlabel: str = COST_SHARE) -> Figure:
    """A difference of costs, with a prior as a shadow and two extreme priors as spikes.

    Parameters
    ----------
    difference : Curve
        Of `pwu_lite.robust`: cost of the first model less that of the second.
    prior, lowest, highest : Prior
        The stated one, and those with the smallest and the largest mean difference: mixtures of point masses.
    names : sequence of two str
        The models.
    high : float
        Right end of the axis.
    """
    figure, ax = _new(None)
    figure.set_size_inches(6.4, 4.4)
    inside = difference.edges[:-1] < high
    x = np.column_stack([difference.edges[:-1], difference.edges[1:]])[inside].ravel()
    y = np.column_stack([difference.left, difference.right])[inside].ravel()
    top = 1.15 * float(np.abs(y).max())
    grid = np.linspace(0, high, 400)[1:-1]
    density = prior.pdf(grid)
    ax.fill_between(grid, -top, -top + 0.5 * top * density / density.max(), color=MUTED, alpha=0.25, lw=0)
    ax.plot(x, y, color=COLOURS[0], lw=1.6, ls="-")
    for sign, extreme, colour, name in zip((-1, 1), (lowest, highest), (COLOURS[2], COLOURS[1]), names, strict=True):
        for place, (weight, part) in enumerate(extreme.parts):
            ax.plot([part.support[0]] * 2, [0, sign * top * weight], color=colour, lw=3, ls="-",
                    label=f"the reader who likes {name} most" if place == 0 else None)
    ax.axhline(0, color=INK, lw=1, ls="-")
    ax.set(xlabel=xlabel, ylabel=f"cost of {names[0]}, less the other", xlim=(0, high), ylim=(-top, top))
    figure.legend(loc="outside lower center")
    return figure


def radii(pairs: Mapping[tuple[str, str], tuple[float, bool]]) -> Figure:
    """Pairs of models by their robustness radius, dark where a statement decides them."""
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
