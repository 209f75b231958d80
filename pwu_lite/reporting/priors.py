"""What a prior says: quantiles in words, degeneracy, sensitivity.

Implements appendix I.3 of the PWU paper.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from .. import elicitation, validation
from ..families import mass_of_k
from ..priors import Prior, as_prior
from ..pwu import PWU
from ._tables import LEVELS, html

__all__ = ["PriorReport", "prior_report"]


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
        from .. import plots

        return plots.prior_panels(self.variants, self.score.family.names, list(LEVELS.values()))

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
        How far to move the mode down and up, see `pwu_lite.elicitation.shifted`. Where there is
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
                changed = elicitation.shifted(prior, move)
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
