"""A card that documents a prior-weighted utility for a reviewer.

Implements appendix H of the PWU paper.
"""

import inspect
import re
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
import pandas as pd

from ..pwu import PWU
from ._tables import LEVELS

__all__ = ["MetricCard", "metric_card"]


@dataclass(frozen=True)
class MetricCard:
    """What a reviewer needs to know about a score, as rows of text: see `metric_card`."""

    rows: dict[str, str]

    @property
    def table(self) -> pd.DataFrame:
        """The card as a table of one column."""
        return pd.Series(self.rows).to_frame("")

    @property
    def text(self) -> str:
        """The card as lines of plain text."""
        return "\n".join(f"{name}: {value}" for name, value in self.rows.items())

    def _repr_html_(self) -> str:
        lines = "".join(f'<tr><th style="text-align: left">{escape(name)}</th>'
                        f'<td style="text-align: left">{escape(value)}</td></tr>' for name, value in self.rows.items())
        return f'<table class="dataframe"><tbody>{lines}</tbody></table>'

    def __str__(self) -> str:
        return self.text


def metric_card(score: PWU, *, decision: str = "", source: str = "",
                comparison: pd.DataFrame | None = None) -> MetricCard:
    """A card that documents a prior-weighted utility for a reviewer.

    Family, parameters, priors with their quantiles in words, direction, computation, properness
    and limits are read from the score; you supply the decision and the source of the prior.

    Parameters
    ----------
    score : PWU
    decision : str
        The decision maker and the act, in a sentence.
    source : str
        Where the prior comes from, and when it was fixed.
    comparison : DataFrame, optional
        The table of `pwu_desk.robust.judge` under this score: the card then says how far the order rests on
        the prior.

    References
    ----------
    PWU paper, appendix H.

    Examples
    --------
    >>> from pwu_lite import Beta, BinaryDecision
    >>> card = metric_card(PWU(BinaryDecision(), Beta(2, 10)), decision="whom to recall for a test")
    >>> card.rows["Properness"].split(":")[0]
    'strictly proper'
    """
    if not isinstance(score, PWU):
        raise ValueError(f"score must be a PWU, got {type(score).__name__}")
    family, missing = score.family, "NOT STATED: say it before you publish the number"
    short = re.sub(r"\d+\.\d{5,}", lambda digits: f"{float(digits[0]):.5g}", repr(score))  # shortened for display
    rows = {"Score": short, "Decision": str(decision) or missing, "Family": _first_sentence(family)}
    for which, (name, prior) in enumerate(zip(family.names, score.priors, strict=True)):
        rows[f"Prior on {name}"] = _said(family, prior, which)
    if comparison is not None:
        rows["Order of the models"] = _order(comparison)
    return MetricCard(rows | {
        "Source of the prior": str(source) or missing,
        "Value": "minus the utility, averaged over the prior; lower is better; compare on the same data only",
        "Computation": _computation(score),
        "Properness": _properness(score),
        "Blind spots": _blind_spots(score),
        "Limits": "one kind of decision; first-order forecasts; nothing on subgroups; report it alongside other scores",
    })


def _order(table: pd.DataFrame) -> str:
    """Radius, and what a statement alone decides, of each model against the best one."""
    lines: list[str] = []
    for name, row in table.iterrows():
        if row["verdict"] in ("best", "reference"):
            lines.insert(0, f"against {name}")
        elif not np.isnan(row.get("radius", np.nan)):
            known = f", every prior that fits the statement: {row['statement']}" if row.get("statement") else ""
            lines.append(f"{name}: holds while up to {row['radius']:.0%} of the readers believe anything{known}")
    return "; ".join(lines) if len(lines) > 1 else "no statement about other priors: one decision parameter is needed"


def _said(family: Any, prior: Any, which: int) -> str:
    """Quantiles in words; of a prior for each case, those of the cases' medians."""
    if prior.length is None:
        values, kind = {label: float(prior.ppf(level)) for label, level in LEVELS.items()}, ""
    else:
        medians = prior.ppf(0.5)
        values = {label: float(np.quantile(medians, level)) for label, level in LEVELS.items()}
        kind = f"one for each of {prior.length} cases; quantiles of their medians:  "
    return kind + "; ".join(f"{label}: {family.words(value, which)}" for label, value in values.items())


def _first_sentence(family: Any) -> str:
    return (inspect.getdoc(type(family)) or type(family).__name__).split("\n")[0]


def _computation(score: PWU) -> str:
    error = max(part.numerical_error for prior in score.priors for _, part in prior.parts) if score.priors else 0.0
    kind = "average over the cases" if score.family.separable else "all cases together, no losses of single cases"
    exact = error == 0 and score.family.closed_form()
    how = "closed form" if exact else "numerical integration, its error with return_error=True"
    return f"{how}{score.family.computation()}; {kind}"


def _properness(score: PWU) -> str:
    verdict, reason = score.family.properness(*score.priors)
    condition = "" if verdict == "improper" or not score.priors else "; with the prior fixed before the labels are seen"
    return f"{verdict}: {reason}{condition}"


def _blind_spots(score: PWU) -> str:
    """Where the prior has no mass, or next to none."""
    if not score.priors:
        return "costs other than these"
    spans = []
    for name, prior in zip(score.family.names, score.priors, strict=True):
        low, high = float(np.min(prior.ppf(0.005))), float(np.max(prior.ppf(0.995)))
        spans.append(f"99% of the mass on {name} is from {low:.3g} to {high:.3g}"
                     + "".join(f", none of it between {a:.3g} and {b:.3g}" for a, b in _gaps(prior)))
    return "acts at other parameters have little weight: " + "; ".join(spans)


def _gaps(prior: Any) -> list[Any]:
    """Where, inside the support, no part of a prior has mass."""
    if prior.length is not None:
        return []
    ends = sorted(part.support for weight, part in prior.parts if weight > 0)
    reached, gaps = ends[0][1], []
    for start, end in ends[1:]:
        if start > reached:
            gaps.append((reached, start))
        reached = max(reached, end)
    return gaps
