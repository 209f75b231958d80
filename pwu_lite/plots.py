"""Figures for a user: cost curves and priors. One palette, labels with units, light and dark."""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from . import validation
from ._resampling import bands
from .families.base import FALSE_ALARM
from .metrics._kernels import isotonic
from .priors import Dirac, Prior

__all__ = ["COLOURS", "curves", "murphy", "name_lines", "new_axes", "reliability", "use_style"]

# Okabe and Ito's colours: colour-blind readers can distinguish them, and on white
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00")
DASHES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1)), (0, (1, 1)))

COST_SHARE = FALSE_ALARM  # the one phrase for this axis


INK, MUTED, HAIRLINE = "#1d232b", "#5a6472", "#d5d9de"  # lines and words, labels, grid


def use_style() -> None:
    """Set the fonts, sizes and colours of every figure after it; in SVG, text stays text.

    Examples
    --------
    >>> use_style()
    >>> plt.rcParams["svg.fonttype"]
    'none'
    """
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


def new_axes(ax: Axes | None) -> tuple[Any, Axes]:
    """A figure and its axes: those given, or new ones in the style of the book.

    Parameters
    ----------
    ax : matplotlib Axes, optional
        Where to draw; a new figure if not given.

    Examples
    --------
    >>> figure, ax = new_axes(None)
    >>> new_axes(ax)[1] is ax
    True
    """
    if ax is None:
        use_style()
        return plt.subplots()
    return ax.figure, ax


def curves(x: Any, values: Mapping[str, Any], *, xlabel: str, ylabel: str, mark: float | None = None,
           mark_label: str = "", colours: Sequence[str] = (), ylim: tuple[float, float] | None = None,
           ax: Axes | None = None) -> Figure:
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
        Colours of the curves; those of the style, if not given.
    ylim : (float, float), optional
        Limits of the vertical axis. Names stand where curves end within them, so set them here.

    Examples
    --------
    >>> figure = curves([0, 1], {"rises": [0, 1], "falls": [1, 0]}, xlabel="x", ylabel="cost")
    >>> [line.get_label() for line in figure.axes[0].get_lines()]
    ['rises', 'falls']
    """
    figure, ax = new_axes(ax)
    for index, (label, y) in enumerate(values.items()):
        ax.plot(x, y, label=label, lw=2, color=colours[index % len(colours)] if colours else None)
    if mark is not None:
        ax.axvline(mark, color=INK, lw=1, ls="-")
        ax.annotate(mark_label, (mark, 0.97), xycoords=("data", "axes fraction"), xytext=(5, 0),
                    textcoords="offset points", va="top")
    ax.set(xlabel=xlabel, ylabel=ylabel, **({} if ylim is None else {"ylim": ylim}))
    name_lines(ax)
    return figure


def name_lines(ax: Axes, most: int = 6) -> None:
    """Write each line's name beside its end, in its colour; names are moved apart where they would collide.

    Names of more than 24 characters, more than `most` of them, or names that would stand far from their lines go into a
    legend.

    Parameters
    ----------
    ax : matplotlib Axes
        With its lines drawn and its limits set.
    most : int, default 6
        Largest number of names that are written beside their lines.

    Examples
    --------
    >>> figure, ax = new_axes(None)
    >>> _ = ax.plot([0, 1], [0, 1], label="rises")
    >>> name_lines(ax)
    >>> [text.get_text() for text in ax.texts]
    ['rises']
    """
    lines = [line for line in ax.get_lines() if not str(line.get_label()).startswith("_")]
    names = [str(line.get_label()) for line in lines]
    low, high = ax.get_ylim()
    ends = []
    for line in lines:
        x, y = np.asarray(line.get_xdata(), dtype=float), np.asarray(line.get_ydata(), dtype=float)
        seen = np.flatnonzero(np.isfinite(y) & (y >= low) & (y <= high))
        if seen.size:  # a vertical line is named at half of its height
            ends.append((float(x[seen[-1]]), float(y[seen].mean() if np.ptp(x) == 0 else y[seen[-1]])))
    if len(ends) < len(names) or len(names) > most or max(map(len, names), default=0) > 24:
        ax.legend()
        return
    at = ax.transAxes.inverted().transform(ax.transData.transform(np.reshape(ends, (-1, 2))))
    margin = [k for k in np.argsort(at[:, 1], kind="stable") if at[k, 0] > 0.85]  # from the lowest to the highest
    heights = _apart(at[margin, 1], 0.09)
    if np.abs(heights - at[margin, 1]).max(initial=0.0) > 0.14:
        ax.legend()
        return
    for k, height in zip(margin, heights, strict=True):
        ax.annotate(names[k], (1.02, height), xycoords="axes fraction", va="center", color=lines[k].get_color(),
                    weight="bold", annotation_clip=False)
    for k in set(range(len(names))) - set(margin):
        side, aligned = (-6, "right") if at[k, 1] > 0.97 else (6, "left")  # a line that leaves at the top turns left
        ax.annotate(names[k], ends[k], xytext=(side, 0), textcoords="offset points", va="center", ha=aligned,
                    color=lines[k].get_color(), weight="bold", annotation_clip=False)


def _apart(heights: np.ndarray, gap: float) -> np.ndarray:
    """Ascending heights, moved so that neighbours are at least `gap` apart, and as little as that takes."""
    from scipy.optimize import isotonic_regression

    # Without the gaps that they need, neighbours in the wrong order share their mean: isotonic regression.
    steps = gap * np.arange(len(heights))
    return isotonic_regression(heights - steps).x + steps if len(heights) else heights


def murphy(score: Any, y_true: ArrayLike, models: Mapping[str, Any], *, band: float | None = 0.95, thetas: Any = None,
           against: str | None = None, groups: Any = None, sample_weight: ArrayLike | None = None,
           n_resamples: int = 300, seed: int = 0) -> Figure:
    """Murphy curves of any number of models, their difference from the cheapest one, and the prior under them.

    Parameters
    ----------
    score : PWU
        A score of a family with one decision parameter.
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
        Patients, sites or days, each of which is resampled whole.
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

    Examples
    --------
    >>> from pwu_lite import PWU, Beta, BinaryDecision
    >>> models = {"a": [0.9, 0.2, 0.4] * 9, "b": [0.6, 0.5, 0.3] * 9}
    >>> figure = murphy(PWU(BinaryDecision(), Beta(2, 10)), [1, 0, 0] * 9, models, n_resamples=20)
    >>> len(figure.axes)
    3
    """
    if not hasattr(score, "family"):
        raise ValueError(f"score must be a PWU, as PWU(BinaryDecision(), Beta(2, 10)), got {score!r:.60}")
    family, reports = score.family, validation.named_forecasts(models)
    if len(family.parameters) != 1:
        raise ValueError(f"a Murphy diagram needs one decision parameter, {family!r} has {len(family.parameters)}")
    if not reports:
        raise ValueError("a Murphy diagram needs at least one model")
    validation.same_order_of_models(reports, y_true=y_true, groups=groups, sample_weight=sample_weight)
    data = family.read(y_true, *next(iter(reports.values())))
    x, thetas = _parameters(score, thetas, len(data[0]))
    costs = np.array([score.curve(y_true, *report, thetas=thetas, sample_weight=sample_weight)
                      for report in reports.values()])
    best = _reference(score, y_true, reports, against, sample_weight)
    use_style()
    figure, axes = plt.subplots(3, 1, sharex=True, figsize=(6.4, 6.4), height_ratios=[3, 2, 1])
    gaps, names = costs - costs[best], list(reports)
    ends: list[Any] = [None] * len(names) if band is None else bands(
        family, thetas, y_true, list(reports.values()), best, groups=groups, sample_weight=sample_weight,
        repeats=n_resamples, seed=seed, coverage=validation.inside("band", band, 0, 1))
    for index, name in enumerate(names):
        style: dict[str, Any] = {"color": COLOURS[index % 6], "ls": DASHES[(index + index // 6) % 6], "lw": 2}
        axes[0].plot(x, costs[index], label=_as_text(name), **style)
        axes[1].plot(x, gaps[index], **style)
        if ends[index] is not None:
            axes[1].fill_between(x, *ends[index], color=COLOURS[index % 6], alpha=0.2, lw=0)
    name_lines(axes[0])
    axes[2].fill_between(x, _mean_density(score.priors[0], x), color=MUTED, alpha=0.35, lw=0)
    only = family.parameters[0]
    axes[0].set(ylabel="cost per case")
    axes[1].set(ylabel=f"minus that of\n{_as_text(names[best])}")
    axes[2].set(ylabel="prior", xlabel=only.words or only.name, yticks=[], ylim=(0, None))
    return figure


def _reference(score: Any, y_true: Any, reports: dict[Any, Any], against: Any, sample_weight: Any) -> int:
    """Place of the model that the others are compared with."""
    if against is not None:
        if str(against) not in reports:
            raise ValueError(f"against is {against!r}, which is not one of the models: {', '.join(reports)}")
        return list(reports).index(str(against))
    losses = [score(y_true, *report, sample_weight=sample_weight, return_error=True)[0] for report in reports.values()]
    return int(np.argmin(losses))


def _as_text(name: str) -> str:
    """A model's name as it is: no mathematics, and not hidden by a leading underscore."""
    return ("\u200b" if name.startswith("_") else "") + name.replace("$", r"\$")


def _parameters(score: Any, thetas: Any, n: int) -> tuple[Any, Any]:
    """Where to draw, in the prior's own parameter and in the utility's."""
    only, prior = score.family.parameters[0], score.priors[0]
    if thetas is not None:
        thetas = np.sort(validation.vector("thetas", thetas))
        return (thetas / n if only.counts else thetas), thetas
    low, high = only.domain
    reach = float(np.max(prior.ppf(0.995)))
    end = min(high, max(1.15 * reach, 1.6 * float(np.max(prior.ppf(0.5)))))
    start = max(low, 0.0) if np.isfinite(low) else float(np.min(prior.ppf(0.005)))
    wide = (start, reach) if reach > start else (start - 1, reach + 1)  # a point mass
    x = np.linspace(start, end, 102)[1:-1] if np.isfinite(low) else np.linspace(*wide, 100)
    if only.counts:
        k = np.unique(only.theta(x, n))
        return k / n, k
    return x, x


def _mean_density(prior: Prior, x: np.ndarray) -> np.ndarray:
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


def reliability(y_true: ArrayLike, models: Mapping[str, Any], *, band: float | None = 0.9, repeats: int = 200,
                seed: int = 0, ax: Axes | None = None) -> Figure:
    """Reliability diagram: the forecast against what it should have been, by isotonic regression, without bins.

    The band around the diagonal is where the curve of a calibrated model lies, place by place, if its outcomes are
    drawn from its own forecasts: a curve within it is not evidence of miscalibration.

    Parameters
    ----------
    y_true : array_like, shape (n,)
        Labels in {0, 1}.
    models : mapping of name to y_prob
        At most six.
    band : float, optional
        Share of the curves of a calibrated model that the band holds at each place; None for no band.
    repeats, seed : int
        Draws of outcomes for the band.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if not given.

    References
    ----------
    Dimitriadis, Gneiting and Jordan (2021), *Stable reliability diagrams for probabilistic classifiers*.

    Examples
    --------
    >>> f = np.linspace(0.05, 0.95, 60)
    >>> y = np.random.default_rng(0).random(60) < f
    >>> figure = reliability(y, {"calibrated": f, "too sure": np.where(f > 0.5, 0.99, 0.01)})
    >>> figure.axes[0].get_ylabel()
    'frequency of the event'
    """
    models, rng = validation.named("models", models), np.random.default_rng(validation.seed(seed))
    repeats, band = validation.whole("repeats", repeats), band and validation.inside("band", band, 0, 1)
    if not 0 < len(models) <= len(COLOURS):
        raise ValueError(f"reliability shows one to {len(COLOURS)} models, got {len(models)}")
    figure, ax = new_axes(ax)
    ax.plot([0, 1], [0, 1], color=MUTED, lw=1, ls="-")
    for place, (name, forecast) in enumerate(models.items()):
        y, f = validation.check_binary(y_true, forecast)
        order, alike = np.argsort(f, kind="stable"), np.ones(f.size)
        ax.plot(f[order], isotonic(y, f, alike)[order], color=COLOURS[place], ls=DASHES[place],
                label=_as_text(str(name)))
        if band is not None:
            drawn = np.array([isotonic(rng.random(f.size) < f, f, alike)[order] for _ in range(repeats)])
            low, high = np.quantile(drawn, [(1 - band) / 2, (1 + band) / 2], axis=0)
            ax.fill_between(f[order], low, high, color=COLOURS[place], alpha=0.15, lw=0)
    ax.set(xlabel="forecast of the event", ylabel="frequency of the event", xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
    name_lines(ax)
    return figure
