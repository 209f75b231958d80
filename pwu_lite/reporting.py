"""What a reviewer needs to see: a prior's report, a metric's card, a comparison with intervals.

May import every module below it; pandas and, for pictures, matplotlib.
Implements appendices H, I.3 and L of the PWU paper.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any

import numpy as np
import pandas as pd

from . import elicitation, sweep, validation
from .families import Family, RiskAverseTopK, mass_of_k
from .priors import Prior, as_prior
from .pwu import PWU

__all__ = ["MetricCard", "PriorReport", "comparison", "metric_card", "paired_bootstrap", "prior_report"]

LEVELS = {"5%": 0.05, "median": 0.5, "95%": 0.95}
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
        Prior mass in the outer hundredths of a parameter between 0 and 1, and where a model's
        forecasts all get the same act.
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
        from . import plots

        return plots.prior_panels(self.variants, self.score.family.names, list(LEVELS.values()))

    def _repr_html_(self) -> str:
        tables = {"Quantiles": self.quantiles, "Degeneracy": self.degeneracy, "Sensitivity": self.sensitivity.T}
        shown = "".join(f"<p><b>{title}</b></p>{_html(table)}" for title, table in tables.items() if len(table))
        return shown + "".join(f"<p>{escape(note)}</p>" for note in self.notes)

    def __str__(self) -> str:
        tables = (self.quantiles, self.degeneracy, self.sensitivity)
        return "\n\n".join([*(table.to_string() for table in tables if len(table)), *self.notes])


def prior_report(score: PWU, y_true: Any = None, models: Mapping[str, Any] | None = None, *,
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
    if (models is None) != (y_true is None):
        raise ValueError("give both y_true and models, or neither")
    share = validation.inside("share", share, 0, 1)
    columns = [f"{parameter}, {label}" for parameter in score.family.names for label in LEVELS]
    given = validation.named("models", {} if models is None else models, [*columns, "best"])
    named = {name: _prediction(values) for name, values in given.items()}
    if alternatives is None:
        variants, notes = _moved(score, share)
    else:
        variants, notes = _alternatives(score, alternatives), ()
    return PriorReport(score, _quantiles(score), _degeneracy(score, y_true, named),
                       _sensitivity(score, variants, y_true, named), variants, notes)


def _quantiles(score):
    rows = {}
    for which, (name, prior) in enumerate(zip(score.family.names, score.priors, strict=True)):
        values = {label: float(prior.ppf(level)) for label, level in LEVELS.items()}
        values |= {"mode": elicitation.mode(prior), "mean": prior.mean}
        for label, value in values.items():
            if np.isfinite(value):
                rows[name, label] = {"value": value, "in words": score.family.words(value, which)}
    return pd.DataFrame.from_dict(rows, orient="index")


def _degeneracy(score, y_true, models):
    """Mass at the ends of a parameter in (0, 1); with forecasts, mass where all cases get the same act."""
    rows = {}
    for which, (name, prior) in enumerate(zip(score.family.names, score.priors, strict=True)):
        if score.family.domain_of(which) == (0, 1):
            rows[f"{name} below {EDGE:g}"] = prior.mass(0, EDGE)
            rows[f"{name} above {1 - EDGE:g}"] = prior.mass(1 - EDGE, np.inf)
    for name, prediction in models.items():
        mass = _same_act(score, score.family.read(y_true, *prediction))
        if mass is not None:
            rows[f"{name}: the same act for all cases"] = mass
    return pd.Series(rows, dtype=float).to_frame("prior mass")


def _same_act(score, data):
    """Prior mass of the parameters beyond the first and the last change of an act, None where nobody says."""
    family, prior = score.family, score.priors[0]
    if family.names[0] == "k/n":
        tied = all(np.ptp(values) == 0 for values in data[1:])
        return 1.0 if tied else float(mass_of_k(prior, len(data[0]))[-1])
    if type(family).pieces is Family.pieces:
        return None
    _, edges = family.pieces(data)
    return float(1 - prior.mass(edges.min(), edges.max()))


def _alternatives(score, given):
    """The stated priors, then the ones to compare with."""
    named = validation.named("alternatives", given, [STATED])
    if named and len(score.priors) > 1:
        raise ValueError("alternatives are for families with one parameter; build the other scores yourself")
    return {STATED: score.priors} | {name: (as_prior(prior),) for name, prior in named.items()}


def _moved(score, share):
    """The stated priors, then each of them moved down and up; and a note where that cannot be."""
    variants, notes = {STATED: score.priors}, []
    for place, (name, prior) in enumerate(zip(score.family.names, score.priors, strict=True)):
        try:
            for words, move in (("down", -share), ("up", share)):
                changed = elicitation.shifted(prior, move)
                score.family.check_prior(changed, place)
                variants[f"{name} moved {words}"] = (*score.priors[:place], changed, *score.priors[place + 1:])
        except ValueError as reason:
            notes.append(f"The prior on {name} was not moved both ways: {reason}. Give `alternatives`.")
    return variants, tuple(notes)


def _sensitivity(score, variants, y_true, models):
    rows = {}
    for name, priors in variants.items():
        moved = PWU(score.family, *priors)
        row = {f"{parameter}, {label}": float(prior.ppf(level))
               for parameter, prior in zip(score.family.names, priors, strict=True) for label, level in LEVELS.items()}
        losses = {model: moved(y_true, *prediction) for model, prediction in models.items()}
        rows[name] = row | losses | ({"best": _best(losses)} if losses else {})
    return pd.DataFrame.from_dict(rows, orient="index")


def _best(losses):
    """The models with the smallest loss: all of them, where they tie."""
    least = min(losses.values())
    return ", ".join(name for name, loss in losses.items() if np.isclose(loss, least, rtol=1e-12, atol=0))


@dataclass(frozen=True)
class MetricCard:
    """What has to be known about a score, as rows of text: see `metric_card`."""

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


def metric_card(score: PWU, *, decision: str = "", source: str = "") -> MetricCard:
    """A card that documents a prior-weighted utility for a reviewer.

    Family, parameters, priors with their quantiles in words, direction, computation, properness
    and limits are read from the score; the decision and the source of the prior are yours.

    Parameters
    ----------
    score : PWU
    decision : str
        Who decides what, in a sentence.
    source : str
        Where the prior comes from, and when it was fixed.

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
    rows = {"Score": repr(score), "Decision": str(decision) or missing, "Family": _first_sentence(family)}
    for which, (name, prior) in enumerate(zip(family.names, score.priors, strict=True)):
        said = "; ".join(f"{label}: {family.words(float(prior.ppf(level)), which)}" for label, level in LEVELS.items())
        rows[f"Prior on {name}"] = said
    return MetricCard(rows | {
        "Source of the prior": str(source) or missing,
        "Value": "minus the utility, averaged over the prior; lower is better; compare on the same data only",
        "Computation": _computation(score),
        "Properness": _properness(score),
        "Blind spots": _blind_spots(score),
        "Limits": "one kind of decision; first-order forecasts; nothing on subgroups; report it beside other scores",
    })


def _first_sentence(family):
    return (inspect.getdoc(type(family)) or type(family).__name__).split("\n")[0]


def _computation(score):
    error = max(part.error for prior in score.priors for _, part in prior.parts)
    kind = "average over the cases" if score.family.separable else "all cases together, no losses of single cases"
    own = type(score.family).error is not Family.error  # a family that estimates its own error
    how = "closed form" if error == 0 and not own else "numerical integration, error by return_error=True"
    if isinstance(score.family, RiskAverseTopK):
        how += f", up to {sweep.EXACT_UP_TO} cases; beyond that numerical integration"
    return f"{how}; {kind}"


def _properness(score):
    verdict, reason = score.family.properness(*score.priors)
    condition = "" if verdict == "improper" else "; with the prior fixed before the labels are seen"
    return f"{verdict}: {reason}{condition}"


def _blind_spots(score):
    """Where the prior has no mass, or next to none."""
    spans = []
    for name, prior in zip(score.family.names, score.priors, strict=True):
        low, high = float(prior.ppf(0.005)), float(prior.ppf(0.995))
        spans.append(f"99% of the mass on {name} is from {low:.3g} to {high:.3g}"
                     + "".join(f", none of it between {a:.3g} and {b:.3g}" for a, b in _gaps(prior)))
    return "acts at other parameters have little weight: " + "; ".join(spans)


def _gaps(prior):
    """Where, inside the support, no part of a prior has mass."""
    ends = sorted(part.support for weight, part in prior.parts if weight > 0)
    reached, gaps = ends[0][1], []
    for start, end in ends[1:]:
        if start > reached:
            gaps.append((reached, start))
        reached = max(reached, end)
    return gaps


def paired_bootstrap(statistic: Callable[[np.ndarray], Any], n: int, *, repeats: int = 1000,
                     seed: int = 0) -> np.ndarray:
    """A statistic on resamples of the cases.

    Parameters
    ----------
    statistic : callable
        Takes the indices of the drawn cases, shape (n,), and returns a number or an array.
        Compute both models inside it: then they are compared on the same cases.
    n : int
        Number of cases.
    repeats, seed : int

    Returns
    -------
    ndarray, shape (repeats, ...)

    Examples
    --------
    >>> y = np.arange(10.0)
    >>> draws = paired_bootstrap(lambda i: y[i].mean(), 10, repeats=500)
    >>> bool(abs(draws.mean() - 4.5) < 0.1)
    True
    """
    n, repeats = validation.whole("n", n), validation.whole("repeats", repeats)
    if not callable(statistic):
        raise ValueError(f"statistic must be a function of the drawn indices, got {statistic!r:.60}")
    if n > 2**62:
        raise ValueError(f"n must be a number of cases, got {n}")
    if n < 1 or repeats < 2:
        raise ValueError(f"n must be at least 1 and repeats at least 2, got {n} and {repeats}")
    rng = np.random.default_rng(validation.seed(seed))
    return np.array([statistic(rng.integers(0, n, n)) for _ in range(repeats)])


def comparison(scores: Mapping[str, Callable[..., float]], y_true: Any, first: Any, second: Any, *,
               repeats: int = 1000, seed: int = 0, coverage: float = 0.95) -> pd.DataFrame:
    """Two models under several losses, with a paired bootstrap interval of each difference.

    Parameters
    ----------
    scores : mapping of name to callable
        Losses ``score(y_true, *prediction)``, lower is better.
    y_true : array_like, shape (n,)
    first, second : array_like or tuple of array_like
        Both models' predictions: ``y_prob``, or ``(mean, std)``.
    repeats, seed : int
        Resamples of the cases; the same ones for every score.
    coverage : float
        Of the percentile interval.

    Returns
    -------
    DataFrame
        A row for each score: ``first``, ``second``, ``difference`` (second minus first: positive
        where the first is better), ``low``, ``high``, and ``undefined``, the share of the resamples
        on which the difference is NaN; they are left out of the interval.

    References
    ----------
    PWU paper, appendix L.

    Examples
    --------
    >>> from pwu_lite.metrics.classification import brier_score
    >>> y, good, bad = [1, 0, 1, 0] * 20, [0.8, 0.3, 0.9, 0.2] * 20, [0.5] * 80
    >>> table = comparison({"Brier": brier_score}, y, good, bad, repeats=200)
    >>> bool(table.loc["Brier", "low"] > 0)
    True
    """
    tail = (1 - validation.inside("coverage", coverage, 0, 1)) / 2
    scores = validation.named("scores", scores)
    if not scores:
        raise ValueError("comparison needs at least one score")
    y = _cases("y_true", y_true)
    pair = [[_cases("a prediction", values) for values in _prediction(given)] for given in (first, second)]
    wrong = [len(values) for prediction in pair for values in prediction if len(values) != len(y)]
    if wrong:
        raise ValueError(f"y_true has length {len(y)}, a prediction has length {wrong[0]}")

    def losses(chosen):
        return [[score(y[chosen], *(values[chosen] for values in prediction)) for prediction in pair]
                for score in scores.values()]

    values = np.array(losses(np.arange(len(y))), dtype=float)
    draws = paired_bootstrap(losses, len(y), repeats=repeats, seed=seed).astype(float)
    with np.errstate(invalid="ignore"):  # infinite for both models: undefined
        gaps, gap = draws[:, :, 1] - draws[:, :, 0], values[:, 1] - values[:, 0]
    low, high = _interval(gaps, tail)
    return pd.DataFrame({"first": values[:, 0], "second": values[:, 1], "difference": gap, "low": low, "high": high,
                         "undefined": np.isnan(gaps).mean(axis=0)}, index=list(scores))


def _cases(name, values):
    array = validation.as_float(name, values)
    if array.ndim == 0:
        raise ValueError(f"{name} must be an array, one entry a case; got {values!r}")
    return array


def _interval(gaps, tail):
    """Percentiles of each column, NaN left out; NaN for a column without a number."""
    ends = np.full((2, gaps.shape[1]), np.nan)
    for column, values in enumerate(gaps.T):
        if not np.isnan(values).all():
            ends[:, column] = np.nanquantile(values, [tail, 1 - tail], method="inverted_cdf")  # no inf - inf
    return ends


def _prediction(given):
    return given if isinstance(given, tuple) else (given,)


def _html(table):
    """A table that the page can style, without the random marks of a Styler."""
    short = table.map(lambda value: f"{value:.4g}" if isinstance(value, float) else value)
    return short.to_html(border=1)
