"""What the drawing of a comparison shows: costs over the decision parameter, paired bands, and the prior's hill.

Imports families, pwu, resampling; numpy, scipy.
Implements the Murphy diagram of PWU paper, appendix L, for any number of models.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit, logit

from ..families import BinaryDecision, SelectivePrediction, TopK
from ..pwu import PWU
from ..resampling import canonical_order, percentiles, resampled_curves

__all__ = ["picture_of"]

KINDS = {BinaryDecision: "binary", SelectivePrediction: "selective", TopK: "topk"}
POINTS, REPEATS = 81, 200


def picture_of(score: PWU, y: np.ndarray, forecasts: dict[str, tuple[np.ndarray, ...]], names: list[str],
               options: dict[str, Any]) -> dict[str, Any] | None:
    """Costs, differences from the first of `names` with bands, and the hill, as numbers; None where there is no curve.

    The bands are 95% percentile intervals at each place by itself, from 200 resamples; the axis spans 99% of the prior.

    Examples
    --------
    >>> from pwu_lite import Beta
    >>> y, f = np.array([1, 0] * 10), np.array([0.7, 0.2] * 10)
    >>> shown = picture_of(PWU(BinaryDecision(), Beta(2, 10)), y, {"a": (f,)}, ["a"], {})
    >>> shown["kind"], len(shown["x"]), shown["bands"]
    ('binary', 81, [None])
    """
    kind = KINDS.get(type(score.family))
    if kind is None or any(prior.length is not None for prior in score.priors):
        return None
    shown, thetas = _places(kind, score.priors[0], len(y))
    if len(shown) < 2:
        return None
    weight = options.get("sample_weight")
    costs = np.array([score.curve(y, *forecasts[name], thetas=thetas, sample_weight=weight) for name in names])
    reference = names.index(options["against"]) if options.get("against") else 0
    bands = _bands(score.family, thetas, y, forecasts, names, reference, options)
    return {"kind": kind, "x": shown.tolist(), "names": [str(name) for name in names], "costs": costs.tolist(),
            "gaps": (costs - costs[reference]).tolist(), "bands": bands, "reference": reference,
            "hill": _hill(kind, score.priors[0], shown)}


def _places(kind, prior, n):
    """Where the curves are drawn: on the axis, and in the utility's own parameter."""
    ends = np.asarray(prior.ppf([0.005, 0.995]), dtype=float)
    if kind == "binary":
        ends = np.clip(ends, 1e-9, 1 - 1e-9)
    if not ends[0] > 0 or not ends[1] > ends[0]:  # a point mass, or one that touches zero: a little around it
        ends = np.array([0.5, 2.0]) * max(ends[1], 1e-9) if kind == "selective" else np.clip(
            [ends[1] / 3, 1 - (1 - ends[1]) / 1.5], 1e-6, 1 - 1e-6)
    along = np.linspace(0, 1, POINTS)
    if kind == "binary":
        shown = expit(logit(ends[0]) + along * (logit(ends[1]) - logit(ends[0])))
        return shown, shown
    between = np.exp(np.log(ends[0]) + along * (np.log(ends[1]) - np.log(ends[0])))
    if kind == "selective":
        shown = np.sqrt(between)
        return shown, shown**2
    k = np.unique(np.clip(np.floor(between * n + 0.5).astype(int), 1, n))
    return k / n, k


def _hill(kind, prior, shown):
    """Density on the scale of the axis, its highest point one."""
    theta = shown**2 if kind == "selective" else shown
    with np.errstate(all="ignore"):
        height = np.asarray(prior.pdf(theta)) * theta * (1 - theta if kind == "binary" else 1) if hasattr(
            prior, "pdf") else np.zeros(len(shown))
    height = np.where(np.isfinite(height), height, 0.0)
    return (height / (height.max() or 1.0)).tolist()


def _bands(family, thetas, y, forecasts, names, reference, options):
    weight, groups = options.get("sample_weight"), options.get("groups")
    order = canonical_order(y, forecasts, None if weight is None else np.asarray(weight, dtype=float))
    chosen = {name: None if given is None else np.asarray(given)[order] for name, given in
              (("groups", groups), ("sample_weight", weight))}
    reports = [tuple(part[order] for part in forecasts[name]) for name in names]
    draws = resampled_curves(family, thetas, y[order], reports, repeats=REPEATS, seed=options.get("seed", 0),
                             **chosen)
    tail = (1 - options.get("band", 0.95)) / 2
    return [None if place == reference else percentiles(draws[:, place] - draws[:, reference], tail).tolist()
            for place in range(len(names))]
