"""What a prior says, and what a forecast is worth under it: reports of chapters 4, 13 and 15.

Implements appendix I.3 of the PWU paper; the value of information is after Murphy (1977) and Mitchell et al. (2022).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from pwu_lite import elicitation, plots, validation
from pwu_lite.families import mass_of_k
from pwu_lite.priors import Beta, Dirac, Gamma, LogNormal, Pareto, Prior, Uniform, as_prior
from pwu_lite.pwu import PWU
from pwu_lite.reporting._tables import LEVELS, html

__all__ = ["PriorReport", "ValueOfInformation", "prior_panels", "prior_report", "shifted", "value_of_information"]


EDGE = 0.01  # of a parameter between 0 and 1: nearer to an end the decision is as good as made
STATED = "as stated"


@dataclass(frozen=True)
class PriorReport:
    """What a prior says: see `prior_report`.

    Attributes
    ----------
    quantiles : DataFrame
        A row for each parameter and each of 5%, median, 95%, mode, mean: its value, and what it says in words.
    degeneracy : DataFrame
        Prior mass in the outermost 1% at each end of a parameter between 0 and 1, and where a model's forecasts all
        lead to the same act.
    sensitivity : DataFrame
        A row for each prior: its quantiles, and each model's score under it.
    notes : tuple of str
        What could not be done, and why.
    """

    score: PWU
    quantiles: pd.DataFrame
    degeneracy: pd.DataFrame
    sensitivity: pd.DataFrame
    variants: dict[str, tuple[Prior, ...]] = field(repr=False)
    notes: tuple[str, ...] = ()

    def picture(self) -> Any:
        """Density of the prior and of its variants, the 5%, 50% and 95% quantiles marked; a matplotlib figure."""
        return prior_panels(self.variants, self.score.family.names, list(LEVELS.values()))

    def _repr_html_(self) -> str:
        tables = {"Quantiles": self.quantiles, "Degeneracy": self.degeneracy, "Sensitivity": self.sensitivity.T}
        text = "".join(f"<p><b>{title}</b></p>{html(table)}" for title, table in tables.items() if len(table))
        return text + "".join(f"<p>{escape(note)}</p>" for note in self.notes)

    def __str__(self) -> str:
        tables = (self.quantiles, self.degeneracy, self.sensitivity)
        return "\n\n".join([*(table.to_string() for table in tables if len(table)), *self.notes])


def prior_report(score: PWU, y_true: ArrayLike | None = None, models: Mapping[str, Any] | None = None, *,
                 alternatives: Mapping[str, Any] | None = None, share: float = 0.5) -> PriorReport:
    """The diagnostics of a prior: quantiles in words, degeneracy, sensitivity.

    Parameters
    ----------
    score : PWU
    y_true : array_like, shape (n,), optional
        Labels, for the sensitivity of a ranking of `models`.
    models : mapping of name to prediction, optional
        ``y_prob``, or a tuple ``(mean, std)``, as the family takes it.
    alternatives : mapping of name to prior, optional
        For families with one parameter: priors to compare with, instead of moving the mode by
        `share`; empty for none.
    share : float
        How far to move the mode down and up, see `shifted`. Where there is
        no rule, or the moved prior leaves the parameter's domain, a note says so.

    Raises
    ------
    ValueError
        Only one of `y_true` and `models` is given, or names are used twice.

    References
    ----------
    PWU paper, appendix I.3.

    Examples
    --------
    >>> from pwu_lite import Beta, BinaryDecision
    >>> report = prior_report(PWU(BinaryDecision(), Beta(2, 10)))
    >>> report.quantiles.loc[("c", "5%"), "in words"]
    'a miss costs 29 false alarms'
    """
    if not isinstance(score, PWU):
        raise ValueError(f"score must be a PWU, got {type(score).__name__}")
    if not score.priors:
        raise ValueError(f"{score!r:.80} has no prior to report: all its costs are known")
    if (models is None) != (y_true is None):
        raise ValueError("give both y_true and models, or neither")
    if any(prior.length is not None for prior in score.priors):
        raise ValueError("prior_report is for one prior for all cases; report the cases' own parameters as data")
    share = validation.inside("share", share, 0, 1)
    columns = [f"{parameter}, {label}" for parameter in score.family.names for label in LEVELS]
    named = validation.named_forecasts({} if models is None else models, [*columns, "best"])
    if alternatives is None:
        variants, notes = _moved(score, share)
    else:
        variants, notes = _alternatives(score, alternatives), ()
    return PriorReport(score, _quantiles(score), _degeneracy(score, y_true, named),
                       _sensitivity(score, variants, y_true, named), variants, notes)


def _quantiles(score: PWU) -> pd.DataFrame:
    rows = {}
    for which, (name, prior) in enumerate(zip(score.family.names, score.priors, strict=True)):
        values = {label: float(prior.ppf(level)) for label, level in LEVELS.items()}
        values |= {"mode": elicitation.mode(prior), "mean": prior.mean}
        for label, value in values.items():
            if np.isfinite(value):
                rows[name, label] = {"value": value, "in words": score.family.words(value, which)}
    return pd.DataFrame.from_dict(rows, orient="index")


def _degeneracy(score: PWU, y_true: Any, models: dict[Any, Any]) -> pd.DataFrame:
    """Mass at the ends of a parameter in (0, 1); with forecasts, mass where all cases get the same act."""
    rows = {}
    for which, (name, prior) in enumerate(zip(score.family.names, score.priors, strict=True)):
        if score.family.stated[which].domain == (0, 1):
            rows[f"{name} below {EDGE:g}"] = prior.mass(0, EDGE)
            rows[f"{name} above {1 - EDGE:g}"] = prior.mass(1 - EDGE, np.inf)
    for name, prediction in models.items():
        mass = _same_act(score, score.family.read(y_true, *prediction), prediction)
        if mass is not None:
            rows[f"{name}: the same act for all cases"] = mass
    return pd.Series(rows, dtype=float).to_frame("prior mass")


def _same_act(score: PWU, data: tuple[Any, ...], prediction: tuple[Any, ...]) -> float | None:
    """Prior mass of the parameters at which all cases get one act, None where nobody says.

    Those are below the first change of an act or above the last one, if all acts are the same there.
    """
    family, prior = score.family, score.priors[0]
    if family.stated[0].counts:
        tied = all(np.ptp(values) == 0 for values in data[1:])
        return 1.0 if tied else float(mass_of_k(prior, len(data[0]))[-1])
    if not family.linear_between_breakpoints:
        return None
    _, edges = family.breakpoints(data)
    first, last = (edges.min(), edges.max()) if edges.size else (np.inf, np.inf)
    below, above = float(prior.mass(-np.inf, first)), float(prior.mass(last, np.inf))
    places = [(below, prior.ppf(below / 2))] + [(above, prior.ppf(1 - above / 2))] * bool(edges.size)
    return sum(mass for mass, value in places if mass > 0 and _alike(
        family, float(family.thetas(value, data)[0]), prediction))


def _alike(family: Any, theta: float, prediction: tuple[Any, ...]) -> bool:
    """Does every case get the same act? Yes, where a family does not name its acts."""
    if not hasattr(family, "act"):
        return True
    acts = np.asarray(family.act(theta, *prediction))
    return bool((acts == acts[:1]).all())


def _alternatives(score: PWU, given: Mapping[str, Any]) -> dict[Any, Any]:
    """The stated priors, then the ones to compare with."""
    named = validation.named("alternatives", given, [STATED])
    if named and len(score.priors) > 1:
        raise ValueError("alternatives are for families with one parameter; build the other scores yourself")
    return {STATED: score.priors} | {name: (as_prior(prior),) for name, prior in named.items()}


def _moved(score: PWU, share: float) -> tuple[Any, ...]:
    """The stated priors, then each of them moved down and up; and a note where that cannot be."""
    variants, notes = {STATED: score.priors}, []
    for index, (name, prior) in enumerate(zip(score.family.names, score.priors, strict=True)):
        try:
            for words, move in (("down", -share), ("up", share)):
                changed = shifted(prior, move)
                score.family.check_prior(changed, index)
                variants[f"{name} moved {words}"] = (*score.priors[:index], changed, *score.priors[index + 1:])
        except ValueError as reason:
            notes.append(f"The prior on {name} was not moved both ways: {reason}. Give `alternatives`.")
    return variants, tuple(notes)


def _sensitivity(score: PWU, variants: dict[Any, Any], y_true: Any, models: dict[Any, Any]) -> pd.DataFrame:
    rows = {}
    for name, priors in variants.items():
        moved = PWU(score.family, *priors)
        row = {f"{parameter}, {label}": float(prior.ppf(level))
               for parameter, prior in zip(score.family.names, priors, strict=True) for label, level in LEVELS.items()}
        losses = {model: moved(y_true, *prediction) for model, prediction in models.items()}
        rows[name] = row | losses | ({"best": _best(losses)} if losses else {})
    return pd.DataFrame.from_dict(rows, orient="index")


def _best(losses: dict[str, float]) -> str:
    """The models with the smallest loss: all of them, where they tie."""
    least = min(losses.values())
    return ", ".join(name for name, loss in losses.items() if np.isclose(loss, least, rtol=1e-12, atol=0))


def shifted(prior: Any, share: float) -> Prior:
    """A prior moved up or down, for a sensitivity check.

    The mode of a Beta prior (its mean, where it has no mode inside) moves by `share` of its
    distance to the nearer end, at the same a + b. Everything else is multiplied by ``1 + share``.

    Parameters
    ----------
    prior : Beta, Gamma, LogNormal, Pareto, Uniform or Dirac
    share : float
        In (-1, 1); the paper shifts by one half.

    Raises
    ------
    ValueError
        No rule for this prior: state the alternatives yourself.

    References
    ----------
    PWU paper, appendix I.3 (sensitivity check).

    Examples
    --------
    >>> shifted(Beta(2, 10), 0.5)
    Beta(a=2.5, b=9.5, scale=1.0)
    """
    prior, share = as_prior(prior), validation.inside("share", share, -1, 1)
    if prior.length is not None:
        raise ValueError(f"one prior for all cases is needed, {prior!r} is one for each of {prior.length}")
    if isinstance(prior, Beta):
        return _shifted_beta(prior, share)
    for kind, changed in _SCALED:
        if isinstance(prior, kind):
            return kind(**(vars(prior) | changed(prior, 1 + share)))
    raise ValueError(f"there is no rule to shift {prior!r}: state the alternative priors yourself")


def _shifted_beta(prior: Any, share: float) -> Prior:
    """Shapes 1 + kappa m around a mode m, or kappa m around a mean m."""
    least = 1.0 if prior.a > 1 and prior.b > 1 else 0.0
    size = prior.a + prior.b - 2 * least
    position = (prior.a - least) / size
    moved = position + share * min(position, 1 - position)
    return Beta(least + size * moved, least + size * (1 - moved), scale=prior.scale)


_SCALED: list[tuple[type, Callable[[Any, float], dict[str, float]]]] = [
    (Gamma, lambda prior, factor: {"scale": prior.scale * factor}),
    (LogNormal, lambda prior, factor: {"mu": prior.mu + np.log(factor)}),
    (Pareto, lambda prior, factor: {"minimum": prior.minimum * factor}),
    (Dirac, lambda prior, factor: {"at": prior.at * factor}),
    (Uniform, lambda prior, factor: {"low": prior.low * factor, "high": prior.high * factor}),
]


def prior_panels(variants: Mapping[str, Sequence[Prior]], names: Sequence[str], levels: Sequence[float]) -> Figure:
    """One panel per parameter: the first prior's density with its quantiles marked, the others behind it.

    Parameters
    ----------
    variants : mapping of label to priors, one for each parameter
        The first one is the stated one.
    names : sequence of str
        The parameters.
    levels : sequence of float
        Quantiles to mark.

    Examples
    --------
    >>> from pwu_lite import Beta
    >>> figure = prior_panels({"stated": [Beta(2, 10)], "flat": [Beta(1, 1)]}, ["c"], [0.05, 0.95])
    >>> figure.axes[0].get_ylabel()
    'prior density'
    """
    plots.use_style()
    figure, axes = plt.subplots(len(names), 1, figsize=(6.4, 3.2 * len(names)), squeeze=False)
    for which, (ax, name) in enumerate(zip(axes[:, 0], names, strict=True)):
        (first, stated), *rest = [(label, priors[which]) for label, priors in variants.items()]
        labels_shown = [(first, stated), *((label, prior) for label, prior in rest if prior is not stated)]
        ends = [float(prior.ppf(level)) for _, prior in labels_shown for level in (0.005, 0.995)]
        low, high = 0.0 if min(ends) < 0.5 * max(ends) else min(ends), max(ends)
        x = np.linspace(low, high, 802)[1:-1] if high > low else np.linspace(0, 2 * high, 802)[1:-1]
        inner = [float(np.max(prior.pdf(prior.ppf([0.02, 0.2, 0.5, 0.8, 0.98])))) for _, prior in labels_shown]
        top = 1.6 * max([value for value in inner if np.isfinite(value)] or [0.0]) or 1.0
        for index, (label, prior) in enumerate(labels_shown):
            style = {"color": plots.COLOURS[index % 6], "ls": plots.DASHES[index % 6], "lw": 1.5 if index else 2.5}
            ax.plot(x, prior.pdf(x), label=label, **style)
            for weight, part in prior.parts:
                if isinstance(part, Dirac):  # a stem as high as its mass, the top for all of it
                    ax.plot([part.at] * 2, [0, weight * top], marker="^", markevery=[1], **style)
        for level in levels:
            at = float(stated.ppf(level))
            ax.axvline(at, color=plots.INK, lw=0.8, ls="-")
            ax.annotate(f"{level:.0%}", (at, 0), xytext=(3, 3), textcoords="offset points", fontsize=9)
        ax.set(xlabel=name, ylabel="prior density", ylim=(0, min(top, 1.05 * ax.dataLim.y1)))
        ax.legend()
    return figure


_POINTS = 199


@dataclass(frozen=True)
class ValueOfInformation:
    """What a forecast saves per case: see `value_of_information`.

    Attributes
    ----------
    value : float
        Averaged over the prior, in units of cost per case; negative if acting on the mean outcome costs less.
    perfect : float
        What a forecast that knows every outcome would save.
    theta : ndarray, shape (m,)
        Decision parameters, between the 0.5% and the 99.5% quantile of the prior.
    saved : ndarray, shape (m,)
        What is saved at each of them.
    name : str
        Name of the decision parameter.
    """

    value: float
    perfect: float
    theta: np.ndarray
    saved: np.ndarray
    name: str

    def plot(self) -> Any:
        """Plot the saving at each decision parameter, with a line at zero; returns a matplotlib Figure."""
        lines = {"acting on the forecast": self.saved, "acting on the mean outcome": 0 * self.saved}
        return plots.curves(self.theta, lines, xlabel=self.name, ylabel="saved per case")


def value_of_information(score: PWU, y_true: ArrayLike, *prediction: ArrayLike) -> ValueOfInformation:
    """What a forecast saves compared with a forecast that knows only the average outcome.

    At each theta, the cost of acting on the mean outcome minus the cost of acting on the forecast. For yes-or-no
    decisions with base rate b it is ``v(c) = min(c (1 - b), (1 - c) b) - L(c)``. Its average over the prior is the
    forecast's discrimination minus its miscalibration (`decompose`). The worth of a calibrated forecast is at least
    zero at every theta. For one event, a calibrated forecast is worth at least as much as another at every theta if
    and only if it is at least as informative in Blackwell's order. With more acts or classes a family may not use all
    of a forecast: two forecasts can be worth the same at every theta but not be ordered.

    Parameters
    ----------
    score : PWU
        With one decision parameter, and one prior for all cases.
    y_true : array_like, shape (n,)
        Outcomes.
    *prediction : array_like
        What the family takes.

    Returns
    -------
    ValueOfInformation

    Raises
    ------
    ValueError
        Bad input, more or fewer than one decision parameter, or a family without a reference forecast.

    References
    ----------
    Blackwell, "Equivalent comparisons of experiments" (1953); Savage (1971).

    Examples
    --------
    >>> from pwu_lite import BinaryDecision, Uniform
    >>> worth = value_of_information(PWU(BinaryDecision(), Uniform(0, 1)), [0, 0, 1, 1], [0.1, 0.4, 0.6, 0.9])
    >>> round(worth.value, 4), round(worth.perfect, 4)
    (0.0825, 0.125)
    """
    if not isinstance(score, PWU) or len(score.priors) != 1 or score.priors[0].length is not None:
        raise ValueError(f"value_of_information takes a PWU with one prior for all cases, got {score!r:.80}")
    data = score.family.read(y_true, *prediction)
    ends = score.family.references(np.asarray(data[0], dtype=float), None)
    if ends is None:
        raise ValueError(f"{score.family!r} has no reference forecast of the average outcome")
    values = [score(y_true, *forecast, return_error=True)[0] for forecast in (*ends, prediction)]
    low, high = score.priors[0].ppf([0.005, 0.995])
    thetas = score.family.thetas(np.linspace(low, high, _POINTS), data)
    base, own = (score.curve(y_true, *forecast, thetas=thetas) for forecast in (ends[0], prediction))
    return ValueOfInformation(values[0] - values[2], values[0] - values[1], thetas, base - own, score.family.names[0])
