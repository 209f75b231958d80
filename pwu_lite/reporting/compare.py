"""Any number of models under one score, or several: costs, intervals, paired differences from the best.

Implements appendix L of the PWU paper, for more than two models.
"""

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from html import escape
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import ndtri

from .. import validation
from .._ranks import ROUNDING
from .._resampling import block_length, canonical_order, group_numbers, unit_sizes
from ..families import BinaryDecision, SeparableFamily
from ..metrics import REGISTRY, Metric
from ..metrics._kernels import average, of_each_case
from ..metrics.classification import net_benefit
from ..priors import with_index
from ..pwu import PWU
from ._tables import html
from ._together import pairs_of
from .intervals import Method, Options, apart, by_content, from_losses, from_scores, method_of, named
from .margin import decide, lifted, margin_of
from .margin import words as decided
from .words import at_a_glance, in_words, lines, remarks, wrapped

__all__ = ["ModelComparison", "compare"]

AVERAGES = [metric for metric in REGISTRY.values() if metric.separable and not metric.options]
MOST_REPEATS = 1_000_000
POWER = 0.8  # chance to separate two models for which "cases needed" is computed
COLUMNS = ["cost", "low", "high", "skill", "difference", "difference low", "difference high", "saving", "saving low",
           "saving high", "share best", "undefined", "may be best", "verdict", "cases needed"]


@dataclass(frozen=True, repr=False)
class ModelComparison:
    """Result of comparing models: see `compare`. Printed, it is the table at a glance and the sentences.

    Attributes
    ----------
    table : DataFrame
        A row for each model, or for each score and model.
    notes : tuple of str
        What the numbers cover.
    about : dict
        Number of cases and of events, the event's name, the unit of ``cases needed``, and the file, if the cases come
        from one.
    """

    table: pd.DataFrame
    notes: tuple[str, ...]
    scores: dict[str, Any]
    data: tuple[Any, dict[str, tuple[Any, ...]]] | None
    options: dict[str, Any]
    about: dict[str, Any]

    @property
    def words(self) -> tuple[str, ...]:
        """Which of several models may be the best; the cheapest one against every other one, pair by pair; then
        remarks on the data and the intervals.

        That is the event and how often it came, models that cost more than always predicting the base rate, and why
        intervals may be too narrow: few events or groups, a long tail, or dependence that is underestimated.
        With several scores each sentence begins with the name of its score.
        """
        return tuple(f"{name}: {line}" if self._several else line for name in self.scores for line in self.said(name))

    def said(self, name: str) -> list[str]:
        """The sentences of one score, as `words` has them, by the score's name ("score", if it was given none)."""
        table = self._of(name)
        first = [self.about["decided"][name]] if "decided" in self.about else []
        return [*first, *in_words(table, self.about), *remarks(table, self.about), *self.about["narrow"][name]]

    @property
    def decision(self) -> Any:
        """May a candidate replace the model that `against` names? ``ship``, ``keep`` or ``cannot tell``.

        Of the whole table: *ship* if at least one candidate costs at most the margin more (without a margin: less), as
        sure as the verdicts are for all candidates together; *keep* if each of them costs more than that. None without
        `against`; with several scores a dict by their names.
        """
        found = self.about.get("decision")
        return found if found is None or self._several else found["score"]

    @property
    def _several(self) -> bool:
        return isinstance(self.table.index, pd.MultiIndex)

    def _of(self, name: str) -> pd.DataFrame:
        return self.table.loc[name] if self._several else self.table

    def _repr_html_(self) -> str:
        tables = [(f"<p>{escape(name)}</p>" if self._several else "") + html(at_a_glance(self._of(name), self.about))
                  for name in self.scores]
        return "".join([*tables, *(f"<p>{escape(line)}</p>" for line in (*self.words, *self.notes))])

    def __str__(self) -> str:
        tables = [(f"{name}\n" if self._several else "") + lines(self._of(name), self.about) for name in self.scores]
        return "\n\n".join([*tables, "\n".join(map(wrapped, self.words)), *map(wrapped, self.notes)])

    __repr__ = __str__


def compare(y_true: ArrayLike, models: Any, score: Any, *, against: str | None = None, groups: Any = None,
            sample_weight: ArrayLike | None = None, n_resamples: int = 1000, seed: int = 0,
            coverage: float = 0.95, blocks: int | None = None, interval: str | Method | None = None,
            margin: float | str | None = None) -> ModelComparison:
    """Compare models by cost, with paired intervals for the differences from the cheapest.

    Parameters
    ----------
    y_true : array_like, shape (n,)
    models : mapping of name to forecast, or DataFrame with a column for each model
        ``y_prob``, or a tuple ``(mean, std)``, as the score takes it. NaN marks a missing forecast: each model is then
        compared with the reference on the cases that both have, and the column ``cases`` counts them.
    score : PWU, loss function, or mapping of names to them
        ``score(y_true, *prediction)``, lower is better.
    against : str, optional
        The model that the others are compared with, chosen before looking; otherwise the cheapest one, which is chosen
        on the same data, so its cost is slightly optimistic, and the more so the more models there are.
    groups : array_like, shape (n,), optional
        Patients, sites or days, each of which is resampled whole.
    sample_weight : array_like, shape (n,), optional
        For scores that are averages over cases.
    n_resamples, seed : int
        Resamples of the cases, the same ones for every model. They do not depend on the order of the rows. From
        20,000 cases (or groups) on a normal interval takes their place where the differences are not too skewed.
    coverage : float
        Coverage of each interval by itself, that of one model's cost or of one pair's difference; and of the set of
        models that may be the best, and of the verdicts, for the whole table. All of them account for the luck of which
        cases are in the sample, not for that of fitting the models again.
    blocks : int, optional
        For cases in time order: number of consecutive cases that are resampled together. Blocks should be several times
        as long as the dependence, for instance a week if hours of the same day are alike; `words` warn where they are
        too short.
    interval : {"bootstrap", "normal", "hac"} or Method, optional
        How intervals are computed; by default the number of cases decides. They come from resamples, from a normal
        approximation, or, for cases in time order, from a variance that counts their dependence (over fewer than
        `blocks` steps, if given). Each errs as often as it says at one look; who looks again and again takes
        `pwu_desk.Watch`.
    margin : float or str, optional
        With `against`: how much more than that model a candidate may cost, in the unit of the cost, or as a share of
        its cost, such as "2%". The result's ``decision`` then says whether one may replace it.

    Returns
    -------
    ModelComparison
        With a table, the cheapest model first: ``cost`` with its interval; ``skill``, the share of
        the way from the base rate (or mean and standard deviation) of these very labels to a perfect
        forecast; ``difference`` from the cheapest (or from `against`) with its paired interval, and ``saving``, what
        the cheapest one saves as a share of the model's own cost; ``share best``, the share of the resamples on which
        the model is cheapest, ties shared, which is not a chance of being the best; the share of resamples on which the
        difference is ``undefined``; ``may be best``, the models that no other one rules out; ``verdict``: best (or
        reference), costlier (or cheaper), not separable; ``cases needed`` to separate the two with 80% power, if the
        difference is what it seems, counted in groups where there are groups (NaN where there are too few).

        Of two models the interval of their difference decides: not separable if it contains zero, or if there are so
        few cases with a positive weight, events or cases without an event that all of them pointing one way would be
        no evidence. Of more models some pair always looks different. There a verdict needs the interval of the pair
        and, on the same resamples, the largest error among all pairs: the worst model is dropped as long as it is
        further above another one than that, and those that stay may be the best. Only the others are costlier.
        With `against` the largest error is that among the reference's own pairs (Dunnett), and what these decide leaves
        the set as well. Where forecasts are missing, the first model is the one whose costs, beside those of each other
        one and added up over the cases that both have, are the least. Pairs differ in their cases there, and their
        number is counted instead (Bonferroni), as it is for fewer than 30 units or four for each model.

        `pwu_desk.robust.judge` says how far the verdicts rest on the prior.

    Raises
    ------
    ValueError
        Bad input, no models, or weights for a score that is not an average over cases.

    References
    ----------
    PWU paper, appendix L. Hansen, Lunde and Nason (2011) for the set, Dunnett (1955) for `against`. Newey and West
    (1987), Diebold and Mariano (1995), Harvey, Leybourne and Newbold (1997), Andrews (1991) for ``interval="hac"``.

    Examples
    --------
    >>> from pwu_lite import Beta, BinaryDecision
    >>> y = [1, 0, 1, 0] * 20
    >>> models = {"sharp": [0.8, 0.3, 0.9, 0.2] * 20, "vague": [0.5] * 80}
    >>> result = compare(y, models, PWU(BinaryDecision(), Beta(2, 10)), n_resamples=200)
    >>> result.table["verdict"].tolist()
    ['best', 'costlier']
    """
    coverage = validation.inside("coverage", coverage, 0, 1)
    forecasts = validation.named_forecasts(models)
    if not forecasts:
        raise ValueError("compare needs at least one model")
    scores = validation.named("score", score) if isinstance(score, Mapping) else {"score": score}
    if not scores:
        raise ValueError("compare needs at least one score")
    for one in scores.values():
        validation.same_order_of_models(forecasts, y_true=y_true, groups=groups, sample_weight=sample_weight,
                                        **with_index(getattr(one, "priors", ())))
    y_true, forecasts = _by_name(scores, y_true, forecasts)
    y, forecasts = _cases("y_true", y_true), {name: tuple(_cases(f"the forecast of {name}", part) for part in given)
                                              for name, given in forecasts.items()}
    for name, part in ((name, part) for name, parts in forecasts.items() for part in parts if len(part) != len(y)):
        raise ValueError(f"y_true has length {len(y)}, {name} has length {len(part)}")
    if against is not None and str(against) not in forecasts:
        raise ValueError(f"against is {against!r}, which is not one of the models: {', '.join(forecasts)}")
    number = None if groups is None else group_numbers(groups, len(y))
    weight = validation.relative_weight(sample_weight, len(y))
    method_of(interval).refuse(groups, blocks, weight)
    allowed = margin_of(margin, against)
    if allowed is not None and len(forecasts) < 2:
        raise ValueError("margin needs a candidate beside the model in use")
    options = Options(coverage, validation.whole("n_resamples", n_resamples, 2, MOST_REPEATS), seed,
                      None if blocks is None else block_length(blocks, len(y)), interval)
    present = {name: _present(parts) for name, parts in forecasts.items()}
    lacking = not all(mask.all() for mask in present.values())
    about = _about(y, forecasts, number, weight, options)
    make = _pairwise if lacking else _table
    results = {name: make(_as_loss(name, one), y, forecasts, against, number, weight, options, bool(about["few"]))
               for name, one in scores.items()}
    tables = {name: frame for name, (frame, _) in results.items()}
    raised = tables if allowed is None else {
        name: make(_as_loss(name, one), y, forecasts, against, number, weight, options._replace(margin=allowed),
                   bool(about["few"]))[0] for name, one in scores.items()}
    if against is not None:
        about["decision"] = {name: decide(frame) for name, frame in raised.items()}
    if allowed is not None:
        about["decided"] = {name: decided(frame, about, allowed) for name, frame in raised.items()}
    table = pd.concat(tables) if isinstance(score, Mapping) else tables["score"]
    context = {"against": against, "groups": groups, "sample_weight": sample_weight, "band": coverage, "seed": seed}
    of = "difference" if len(forecasts) > 1 else "cost"  # what the intervals are about
    about["narrow"] = {name: [said.replace("difference", of) for said in intervals.narrow]
                       for name, (_, intervals) in results.items()}
    notes = tuple(dict.fromkeys(_note(intervals, len(y), len(forecasts), number, weight, options)
                                for _, intervals in results.values()))
    if lacking:
        complete = np.all(list(present.values()), axis=0)
        y, forecasts = y[complete], {name: tuple(part[complete] for part in parts) for name, parts in forecasts.items()}
        context = {key: value[complete] if key in ("groups", "sample_weight") and value is not None else value
                   for key, value in (context | {"groups": number, "sample_weight": weight}).items()}
    return ModelComparison(table, notes, scores, (y, forecasts), context, about)


def _by_name(scores: dict[str, Any], y_true: Any, forecasts: dict[Any, Any]) -> tuple[Any, ...]:
    """Labels and forecasts as the scores' families want them, before names and orders of rows are left behind."""
    families = {id(score.family): score.family for score in scores.values() if isinstance(score, PWU)}.values()
    known = {family.classes for family in families if family.classes is not None}
    if len(known) > 1:
        raise ValueError("the scores name their classes in different orders: compare them one by one")
    for family in families:
        arranged = {name: family.by_name(y_true, *parts) for name, parts in forecasts.items()
                    if len(parts) == len(family.takes)}
        forecasts = forecasts | {name: tuple(parts) for name, (_, *parts) in arranged.items()}
        if arranged:
            y_true = next(iter(arranged.values()))[0]
    return y_true, forecasts


def _present(parts: tuple[Any, ...]) -> np.ndarray:
    """The cases of which there is a forecast: those without NaN in it."""
    return ~np.any([np.isnan(part).reshape(len(part), -1).any(axis=1) for part in parts], axis=0)


def _about(y: np.ndarray, forecasts: dict[Any, Any], groups: np.ndarray | None, weight: np.ndarray | None,
           options: Options) -> dict[str, Any]:
    """What carries information: units with a positive weight, and units with events and without."""
    carries = np.ones(len(y), bool) if weight is None else weight > 0
    one = all(len(parts) == 1 and parts[0].ndim == 1 for parts in forecasts.values())
    binary = y.ndim == 1 and one and bool(np.isin(y, (0, 1)).all())
    unit = "cases" if groups is None else "groups"
    kinds = [carries] + ([carries & (y == 1), carries & (y == 0)] if binary else [])
    counts = [int(kept.sum()) if groups is None else len(np.unique(groups[kept])) for kept in kinds]
    least = min((count, index) for index, count in enumerate(counts))
    needed = np.log2(2 / (1 - options.coverage))  # with fewer no evidence, even if all of them point one way
    few = "" if least[0] >= needed else few_units(*least, unit)
    drawn = options.blocks if options.interval != "hac" else None  # there it is how far dependence reaches
    if not few and drawn and len(y) / drawn < needed:
        few = f"there are only {len(y) / drawn:.2g} blocks"
    pairs = all(len(parts) == 2 for parts in forecasts.values())
    base = ("the base rate" if binary else "the mean and standard deviation of all cases" if pairs else
            "the same distribution, that of all cases")
    return {"cases": int(carries.sum()), "events": int((carries & (y == 1)).sum()) if binary else None,
            "event": "y_true = 1", "unit": unit, "few": few, "base": base,
            "coverage": f"{100 * options.coverage:.10g}"}


def few_units(count: int, which: int, unit: str) -> str:
    """What there is too little of: units (0), units with an event (1) or without one (2).

    Examples
    --------
    >>> few_units(1, 1, "cases"), few_units(3, 2, "groups"), few_units(0, 1, "cases")
    ('there is only 1 event', 'there are only 3 groups without an event', 'there is no event')
    """
    singular = {"cases": "case", "groups": "group"}[unit] if count < 2 else unit
    name = (singular, f"event{'' if count < 2 else 's'}" if unit == "cases" else f"{singular} with an event",
            f"{singular} without an event")[which]
    return f"there {'is' if count < 2 else 'are'} {f'only {count:,}' if count else 'no'} {name}"


def _as_loss(name: str, score: Any) -> Any:
    validation.no_class(name, score)
    if not callable(score):
        raise ValueError(f"{name} must be a PWU or a loss function score(y_true, *prediction), got {score!r:.60}")
    function = score.func if isinstance(score, partial) else score
    gains = [score] if isinstance(score, Metric) else [one for one in REGISTRY.values() if one.function is function]
    if any(not one.lower_is_better for one in gains) or function is net_benefit:
        raise ValueError(f"{name}: higher is better for {getattr(function, 'name', '') or function.__name__}; pass a "
                         "function that returns its negative")
    return next((metric for metric in AVERAGES if metric.function is score), score)


def _table(score: Any, y: np.ndarray, forecasts: dict[Any, Any], against: str | None, groups: np.ndarray | None,
           weight: np.ndarray | None, options: Options, few: bool) -> tuple[pd.DataFrame, Any]:
    """One score's rows, the cheapest model first, and how its intervals were computed."""
    values, losses = _values(score, y, forecasts, weight)
    options = options._replace(named=against is not None)
    if options.margin is not None:
        values, losses = lifted(values, losses, list(forecasts).index(str(against)), options.margin)
    first = int(np.nanargmin(values)) if np.isfinite(values).any() else 0
    if (values == values[first]).sum() > 1:  # whichever comes first would decide what the others are compared with
        names = list(forecasts)
        first = next(names.index(name) for name in by_content(y, forecasts)
                     if values[names.index(name)] == values[first])
    best = first if against is None else list(forecasts).index(str(against))
    intervals = (from_losses(y, forecasts, best, losses, groups, weight, options) if losses is not None else
                 from_scores(score, y, forecasts, best, groups, weight, options))
    units = int(np.count_nonzero(unit_sizes(len(y), groups, weight)))
    return frame_of(list(forecasts), values, _skill(score, y, forecasts, values, weight), best, against is not None,
                    intervals, few, units, options.coverage), intervals


def frame_of(names: list[str], cost: np.ndarray, skill: Any, best: int, named: bool, intervals: Any, few: bool,
             units: int, coverage: float) -> pd.DataFrame:
    """A comparison's table, the cheapest model first: what is compared with row `best`, and how sure that is."""
    gap, word = apart(cost, cost[best]), "reference" if named else "best"
    with np.errstate(invalid="ignore", divide="ignore"):  # undefined where the cost is zero
        saving = gap / np.abs(cost)
    pair = [word if index == best else verdict_of(gap[index], low, high, few)
            for index, (low, high) in enumerate(intervals.difference.T)]
    may_be_best, verdicts = _of_the_table(pair, intervals.together, named, few)
    needed = np.full(len(cost), np.nan) if few else cases_needed(units, gap, intervals.spread, coverage,
                                                                 intervals.together.critical)
    # An interval that is wider than its standard deviation says asks for more cases than there are, too.
    with np.errstate(divide="ignore", invalid="ignore"):
        side = np.where(gap > 0, gap - intervals.difference[0], intervals.difference[1] - gap)
        wider = np.ceil(units * ((side + ndtri(POWER) * intervals.spread) / gap) ** 2)
    needed = np.where((np.array(pair) == "not separable") & (needed <= units), wider, needed)
    columns = (cost, *intervals.cost, skill, gap, *intervals.difference, saving, *intervals.saving,
               intervals.share_best, intervals.undefined, may_be_best, verdicts, needed)
    frame = pd.DataFrame(dict(zip(COLUMNS, columns, strict=True)), index=names)
    return frame.iloc[np.lexsort((np.arange(len(cost)) != best, np.where(np.isnan(cost), np.inf, cost)))]


def _of_the_table(pair: list[str], together: Any, named: bool, few: bool) -> tuple[Any, ...]:
    """Which models may be the best, and verdicts: those of pairs, as far as they hold for all models together."""
    word = np.array(pair, dtype=object)
    if named:
        word[np.isin(word, ("costlier", "cheaper")) & ~together.apart] = "not separable"
        return (together.may_be_best | few | (len(word) < 3)) & _beside_the_reference(word), list(word)
    word[(word == "costlier") & together.may_be_best] = "not separable"
    return word != "costlier", list(word)


def _beside_the_reference(word: np.ndarray) -> np.ndarray:
    """Which models may be the best, as far as the comparisons with the reference say."""
    return (word != "costlier") & ~(np.isin(word, ("best", "reference")) & (word == "cheaper").any())


def _refuse_apart(present: dict[Any, np.ndarray]) -> None:
    """Why no case has a forecast of every model, and what to do."""
    if empty := [name for name, each in present.items() if not each.any()]:
        raise ValueError(f"{empty[0]} has no forecast in any case: leave it out")
    if not any((one & two).any() for one, two in itertools.combinations(present.values(), 2)):
        raise ValueError("no case has forecasts of two models: each was used on cases of its own, and what is "
                         "compared here are models on the same cases")
    raise ValueError("no case has a forecast of every model: say which model the others are compared with (against)")


def _pairwise(score: Callable[..., Any] | PWU, y: np.ndarray, forecasts: dict[Any, Any], against: str | None,
              groups: np.ndarray | None, weight: np.ndarray | None, options: Options,
              few: bool) -> tuple[pd.DataFrame, Any]:
    """As `_table` where models lack forecasts: each row on the cases that a model shares with the reference."""
    present = {name: _present(parts) for name, parts in forecasts.items()}

    def part(names: dict[Any, Any], kept: np.ndarray) -> tuple[Any, ...]:
        chosen = score
        if isinstance(score, PWU) and any(prior.length is not None for prior in score.priors):
            chosen = PWU(score.family, *(prior.for_cases(kept) for prior in score.priors))
        return chosen, y[kept], {name: tuple(each[kept] for each in forecasts[name]) for name in names}

    def some(values: np.ndarray | None, kept: np.ndarray) -> np.ndarray | None:
        return None if values is None else values[kept]

    reference, shared = against, np.all(list(present.values()), axis=0)
    if against is None:
        if not shared.any():
            _refuse_apart(present)
        if weight is not None and not weight[shared].any():
            raise ValueError("no case of a positive weight has a forecast of every model: say which model the others "
                             "are compared with (against)")
        chosen, outcomes, given = part(forecasts, shared)
        values, losses = _values(chosen, outcomes, given, some(weight, shared))
        if losses is not None:  # a model of few cases leaves few that all of them share: then each pair has its own
            values = _beside_each_other(y, present, part, weight)
        reference = list(forecasts)[int(np.nanargmin(values))]
    rows: list[pd.DataFrame] = []
    narrow: dict[str, None] = {}
    options = options._replace(pairs=pairs_of(len(forecasts), against is not None))
    for name in forecasts:
        kept = present[name] & present[str(reference)]
        chosen, outcomes, given = part(dict.fromkeys([str(reference), name]), kept)
        _refuse_few_shared(f"{reference} and {name}", kept, weight, options.blocks)
        number = None if groups is None else np.unique(groups[kept], return_inverse=True)[1]
        lacks = few or bool(_about(outcomes, given, number, some(weight, kept), options)["few"])
        frame, intervals = _table(chosen, outcomes, given, reference, number, some(weight, kept), options, lacks)
        narrow |= dict.fromkeys(intervals.narrow)
        rows.append(frame.loc[[name]].assign(cases=int((kept if weight is None else kept & (weight > 0)).sum())))
    table = pd.concat(rows)
    table["share best"] = np.nan
    table["may be best"] = _beside_the_reference(table["verdict"].to_numpy())
    if against is None and not (table["verdict"] == "cheaper").any():  # else it was only cheapest on the shared cases
        table.loc[reference, "verdict"] = "best"
    order = np.argsort(table["difference"].fillna(np.inf), kind="stable")
    return table.iloc[order], intervals._replace(narrow=tuple(narrow))


def _beside_each_other(y: np.ndarray, present: dict[Any, np.ndarray], part: Callable[..., Any],
                       weight: np.ndarray | None) -> np.ndarray:
    """Each model's cost less that of each other one, added up over the cases that both have, shape (m,)."""
    losses = np.full((len(present), len(y)), np.nan)
    for row, (name, kept) in enumerate(present.items()):
        if kept.any():
            chosen, outcomes, given = part({name: None}, kept)
            own = _values(chosen, outcomes, given, None)[1]
            losses[row, kept] = np.inf if own is None else own[0]
    with np.errstate(invalid="ignore"):  # infinite less infinite
        return np.array([np.nansum((own - losses) * (1.0 if weight is None else weight)) for own in losses])


def _refuse_few_shared(both: str, kept: np.ndarray, weight: np.ndarray | None, blocks: int | None) -> None:
    """Cases of two models that are none, carry nothing, or are less than two blocks."""
    if not kept.any():
        raise ValueError(f"no case has forecasts of both {both}")
    if weight is not None and not weight[kept].any():
        raise ValueError(f"no case of a positive weight has forecasts of both {both}")
    if blocks is not None and 2 * blocks > kept.sum():
        raise ValueError(f"{both} share {kept.sum():,} cases, which are less than two blocks of {blocks}: use shorter "
                         f"ones")


def _values(score: Any, y: np.ndarray, forecasts: dict[Any, Any],
            weight: np.ndarray | None) -> tuple[np.ndarray, np.ndarray | None]:
    """Each model's cost, shape (m,), and the losses of the cases, shape (m, n), or None where there are none."""
    each = (score.per_sample if isinstance(score, PWU) and isinstance(score.family, SeparableFamily) else
            partial(of_each_case, score.function, **score.options) if isinstance(score, Metric) and score.separable
            else None)
    rows = [] if each is None else [named(name, each, y, *parts) for name, parts in forecasts.items()]
    if rows and all(row is not None and np.isfinite(row).all() for row in rows):
        losses = np.array(rows)
        return np.array([average(row, weight) for row in losses]), losses
    if isinstance(score, PWU) and any(prior.length is not None for prior in score.priors):
        raise ValueError("a prior for each case needs finite losses of each case")
    order = canonical_order(y, forecasts, weight)
    options = {} if weight is None else {"sample_weight": weight[order]}
    values = [validation.as_float("score", named(name, score, y[order], *(part[order] for part in parts), **options))
              for name, parts in forecasts.items()]
    if any(value.ndim for value in values):
        raise ValueError(f"score must return one number, got {values[0].tolist()!r:.40}")
    return np.array(values), None


def verdict_of(gap: float, low: float, high: float, few: bool) -> str:
    """What the interval of a difference says about a model: costlier, cheaper, not separable or undefined.

    Parameters
    ----------
    gap, low, high : float
        The difference from the reference, and the ends of its interval.
    few : bool
        Are there so few cases that all of them pointing one way would be no evidence?

    Examples
    --------
    >>> verdict_of(0.2, 0.1, 0.3, False), verdict_of(0.2, -0.1, 0.5, False)
    ('costlier', 'not separable')
    """
    if np.isnan([gap, low, high]).any():
        return "undefined"
    if few:
        return "not separable"
    return "costlier" if low > 0 else "cheaper" if high < 0 else "not separable"


def cases_needed(n: int, gap: np.ndarray, spread: np.ndarray, coverage: float,
                 critical: float = np.nan) -> np.ndarray:
    """Cases at which a verdict falls with probability `POWER`; NaN where there is no difference.

    Parameters
    ----------
    n : int
        Cases that there are, or groups.
    gap, spread : ndarray, shape (m,)
        Differences, and their standard deviations with n cases.
    coverage : float
        Coverage of the interval.
    critical : float, optional
        How many standard errors a pair must differ by in a table of more models, if that is more.

    Examples
    --------
    >>> cases_needed(100, np.array([0.0, 0.1]), np.array([0.0, 0.1]), 0.95).tolist()
    [nan, 785.0]
    """
    reach = np.fmax(ndtri((1 + coverage) / 2), critical) + ndtri(POWER)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(np.isfinite(gap) & (gap != 0), np.ceil(n * (reach * spread / gap) ** 2), np.nan)


def _skill(score: Any, y: np.ndarray, forecasts: dict[Any, Any], values: np.ndarray,
           weight: np.ndarray | None) -> np.ndarray:
    """Share of the way from a forecast without features to a perfect one; NaN where nobody says what those are."""
    parts = len(next(iter(forecasts.values())))
    family = score.family if isinstance(score, PWU) else BinaryDecision() if parts == 1 else None
    ends = None if family is None else family.references(y, weight)
    if ends is None:
        return np.full(values.size, np.nan)
    options = {} if weight is None else {"sample_weight": weight}
    try:
        base, perfect = (score(y, *forecast, **options) for forecast in ends)
    except ValueError:  # constant targets have no standard deviation; a score may refuse a perfect forecast
        return np.full(values.size, np.nan)
    size = max(abs(base), abs(perfect), np.nanmax(np.abs(values), initial=0.0))
    told_apart = np.isfinite([base, perfect]).all() and base - perfect > ROUNDING * size
    return (base - values) / (base - perfect) if told_apart else np.full(values.size, np.nan)


def _note(intervals: Any, n: int, models: int, groups: np.ndarray | None, weight: np.ndarray | None,
          options: Options) -> str:
    """How the intervals were made, and what they cover."""
    units = f"{n} cases" if groups is None else f"{groups.max() + 1} groups with {n} cases"
    units += "" if weight is None else ", each with its weight"
    how = intervals.method.words(intervals, units, options)
    return (f"Intervals: {100 * options.coverage:.10g}%, {how}.{of_many(models)} They are about which cases are in the "
            f"sample, not the luck of fitting.")


def of_many(models: int) -> str:
    """What intervals and verdicts are about, if there are more than two models.

    Examples
    --------
    >>> of_many(2), of_many(8)
    ('', ' Each is of one model or of one pair; verdicts are about all 8 together.')
    """
    return f" Each is of one model or of one pair; verdicts are about all {models} together." if models > 2 else ""


def _cases(name: str, values: Any) -> np.ndarray:
    array = validation.as_float(name, values)
    if array.ndim == 0 or not len(array):
        raise ValueError(f"{name} must be an array with one entry per case; got {values!r:.60}")
    if np.asarray(values).dtype.kind in "iu":  # as they are: a float would not tell 2**53 from 2**53 + 1
        array = np.asarray(values)
    return array[:, 0] if array.ndim == 2 and array.shape[1] == 1 else array
