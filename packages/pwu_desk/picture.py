"""What the drawing of a comparison shows: costs over the decision parameter, paired bands, and the prior's hill.

Implements the Murphy diagram of PWU paper, appendix L, for any number of models.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit, logit

from pwu_lite._resampling import bands
from pwu_lite.families import Answers, Family, Newsvendor, RejectOption, SelectivePrediction, TopK
from pwu_lite.families.base import FALSE_ALARM
from pwu_lite.metrics._kernels import average
from pwu_lite.priors import Dirac
from pwu_lite.pwu import PWU

__all__ = ["axis_of", "picture_of"]

POINTS, REPEATS = 81, 200


def picture_of(score: PWU, y: np.ndarray, forecasts: dict[str, tuple[np.ndarray, ...]], names: list[str],
               options: dict[str, Any]) -> dict[str, Any] | str:
    """Costs, differences from the first of `names` with bands, and the hill, as numbers; or why none can be drawn.

    The bands are 95% percentile intervals at each place by itself, from 200 resamples; the axis spans 99% of the prior.

    Examples
    --------
    >>> from pwu_lite import Beta, BinaryDecision
    >>> y, f = np.array([1, 0] * 10), np.array([0.7, 0.2] * 10)
    >>> shown = picture_of(PWU(BinaryDecision(), Beta(2, 10)), y, {"a": (f,)}, ["a"], {})
    >>> shown["axis"]["scale"], len(shown["x"]), shown["bands"]
    ('logit', 81, [None])
    """
    if not score.priors:
        return "all costs are known, there is no decision parameter"
    if any(prior.length is not None for prior in score.priors):
        return "each case has a prior of its own"
    if len(score.priors) > 1:
        return f"the score has {len(score.priors)} decision parameters, {' and '.join(score.family.names)}"
    axis, counts = _axis(score.family), score.family.stated[0].counts
    shown, thetas = _places(axis, score.priors[0], score.family.stated[0].domain, len(y) if counts else None)
    if len(shown) < 2:
        return "the prior leaves one place to draw"
    weight = options.get("sample_weight")
    costs = np.array([_curve(score, thetas, y, forecasts[name], weight) for name in names])
    reference = names.index(options["against"]) if options.get("against") else 0
    found = bands(score.family, thetas, y, [forecasts[name] for name in names], reference, repeats=REPEATS,
                  groups=options.get("groups"), sample_weight=weight, seed=options.get("seed", 0),
                  coverage=options.get("band", 0.95))
    return {"axis": axis_of(score.family), "x": shown.tolist(), "names": [str(name) for name in names],
            "costs": costs.tolist(), "gaps": (costs - costs[reference]).tolist(),
            "bands": [None if band is None else band.tolist() for band in found],
            "reference": reference, "hill": _hill(axis, score.priors[0], shown)}


@dataclass(frozen=True)
class Axis:
    """How a picture shows the decision parameter.

    Attributes
    ----------
    scale : {"linear", "log", "logit"}
    label : str
        Label of the axis, with the unit.
    cost : str
        Label of the costs on the other axis.
    power : float
        The axis shows ``theta ** power``.

    Examples
    --------
    >>> Axis("log", "price of a call", power=0.5).shown(4.0)
    2.0
    """

    scale: str = "linear"
    label: str = "theta"
    cost: str = "cost per case"
    power: float = 1.0

    def shown(self, theta: Any) -> Any:
        """From values of the parameter to places on the axis."""
        return theta**self.power

    def theta(self, at: Any) -> Any:
        """From places on the axis to values of the parameter."""
        return at ** (1 / self.power)


AXES: dict[type, Axis] = {  # a family may say another one as its attribute `axis`
    SelectivePrediction: Axis("log", "error that costs as much as passing, in the unit of the outcome",
                              "cost per case, in its square", power=0.5),
    TopK: Axis("log", "share of the cases picked", "cost per case, minus precision"),
    RejectOption: Axis("logit", "price of handing a case over, in wrong answers"),
    Answers: Axis("logit", Answers.parameters[0].words, "cost per question"),
    Newsvendor: Axis("logit", "critical ratio: a unit short, of a unit short and one left over")}


def _axis(family):
    """What the family says, or the table, or a scale that fits the parameter's domain."""
    parameter = family.stated[0]
    scale = {(0.0, np.inf): "log", (0.0, 1.0): "log" if parameter.counts else "logit"}.get(parameter.domain, "linear")
    known = (AXES[kind] for kind in type(family).__mro__ if kind in AXES)
    return getattr(family, "axis", None) or next(known, Axis(scale, parameter.words or parameter.name))


SHARES_OF_COST = (1e-5, 1e-4, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98,
                  0.99, 0.999, 0.9999)
SHARES_PICKED = (1e-4, 2e-4, 5e-4, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1)


def axis_of(family: Family) -> dict[str, Any]:
    """The axis for the script: its scale, what it says, and ``ticks`` (value, words, words below) if not round numbers.

    Examples
    --------
    >>> from pwu_lite import BinaryDecision, TopK
    >>> axis_of(BinaryDecision())["ticks"][8], axis_of(TopK())["ticks"][0]
    ((0.1, '0.1', '9'), (0.0001, '0.01%'))
    """
    axis, parameter = _axis(family), family.stated[0]
    found: dict[str, Any] = {"scale": axis.scale, "label": axis.label, "cost": axis.cost}
    if parameter.counts:
        found["ticks"] = [(u, f"{100 * u:.2g}%" if u < 1 else "100%") for u in SHARES_PICKED]
    elif axis.scale == "logit":
        costs = parameter.words == FALSE_ALARM
        below = [(f"{(1 - c) / c:.2g}" if c > 0.01 else f"{(1 - c) / c:.0f}",) if costs else () for c in SHARES_OF_COST]
        found["ticks"] = [(c, f"{c:g}", *words) for c, words in zip(SHARES_OF_COST, below, strict=True)]
        found["below"] = "so many false alarms cost as much as a miss" if costs else ""
    return found


def _curve(score, thetas, y, forecast, weight):
    """The average cost at each place; of a parameter that the family averages over, at values of the prior's."""
    if not score.family.separable:
        return score.curve(y, *forecast, thetas=thetas, sample_weight=weight)
    data = score.family.read(y, *forecast)
    return [average(score.family.cost(theta, *data), score.family.weight(weight, data)) for theta in thetas]


ALONG = {"linear": (lambda v: v, lambda v: v), "log": (np.log, np.exp), "logit": (logit, expit)}


def _places(axis: Axis, prior, domain, n):
    """Where the curves are drawn: on the axis, and in the utility's own parameter."""
    ends, scale = np.asarray(prior.ppf([0.005, 0.995]), dtype=float), axis.scale
    low, high = (np.nextafter(domain[0], np.inf), np.nextafter(domain[1], -np.inf)) if n is None else domain
    if scale == "logit":
        ends = np.clip(ends, 1e-9, 1 - 1e-9)
    if not ends[1] > ends[0] or (scale == "log" and not ends[0] > 0):  # a point mass, or one that touches zero
        top = ends[1]
        ends = np.array([top / 3, 1 - (1 - top) / 1.5]) if domain[1] == 1 else (
            np.array([0.5, 2.0]) * max(top, 1e-9) if scale == "log" else top + np.array([-1.0, 1.0]) * max(abs(top), 1))
        ends = np.clip(ends, 1e-6, 1 - 1e-6) if domain[1] == 1 else ends
    to_axis, from_axis = ALONG[scale]
    first, last = to_axis(ends)
    between = np.clip(from_axis(np.linspace(first, last, POINTS)), low, high)
    if n is None:
        return axis.shown(between), between
    k = np.unique(np.clip(np.floor(between * n + 0.5).astype(int), 1, n))
    return k / n, k


def _hill(axis, prior, shown):
    """Density on the scale of the axis, its highest point one; a point mass is a stem as high as its share."""
    theta = axis.theta(shown)
    slope = {"linear": 1.0, "log": theta, "logit": theta * (1 - theta)}[axis.scale]
    height, stems = np.zeros(len(shown)), np.zeros(len(shown))
    for share, part in prior.parts:
        if isinstance(part, Dirac):
            stems[np.abs(theta - part.at).argmin()] += share
        else:
            with np.errstate(all="ignore"):
                height += share * part.pdf(theta) * slope
    height = np.where(np.isfinite(height), height, 0.0)
    height += stems * (height.max() or 1.0)
    return (height / (height.max() or 1.0)).tolist()
