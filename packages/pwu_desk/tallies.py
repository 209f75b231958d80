"""Models compared by their tallies: costs from counts, at any size.

Implements appendix L of the PWU paper for any number of cases.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pwu_lite import validation
from pwu_lite.pwu import PWU
from pwu_lite.reporting.compare import ModelComparison, few_units, frame_of, of_many
from pwu_lite.reporting.intervals import Options, lean_of, normal, unit_of, why_narrow
from pwu_lite.reporting.margin import decide, lifted, margin_of, words

from .tally import Tally

__all__ = ["compare_tallies"]

LEAST_BLOCKS = 10


def compare_tallies(tallies: Mapping[str, Tally], score: PWU | None = None, *, against: str | None = None,
                    margin: float | str | None = None, coverage: float = 0.95) -> ModelComparison:
    """Compare models by their tallies, as `compare` does, for any number of cases.

    Parameters
    ----------
    tallies : mapping of name to Tally
        Tallies of the same cases, counted with the same blocks, of which there must be at least ten; about 100 are
        good.
    score : PWU
        Score of a binary decision, or of selective prediction; None for tallies of losses.
    against : str, optional
        The model that the others are compared with; otherwise the cheapest one.
    margin : float or str, optional
        With `against`, how much more than that model another one may cost: see `pwu_lite.compare`.
    coverage : float
        Coverage of the intervals, which come from the spread between blocks.

    Returns
    -------
    ModelComparison
        Its table has two more columns, ``least`` and ``most``: the exact cost lies between them, whatever the forecasts
        in the cells are. Costs and differences are estimates from the mean forecast in each cell. There is
        no report with pictures, and no radius.

    Raises
    ------
    ValueError
        No tallies, too few blocks, or tallies of different cases.

    Examples
    --------
    >>> from pwu_lite import Beta, BinaryDecision
    >>> rng = np.random.default_rng(0)
    >>> f, block = rng.random(20_000), np.arange(20_000) % 50
    >>> y, tallies = rng.random(20_000) < f, {"sharp": Tally(), "vague": Tally()}
    >>> tallies["sharp"].update(y, f, block=block)
    >>> tallies["vague"].update(y, 0.25 + f / 2, block=block)
    >>> compare_tallies(tallies, PWU(BinaryDecision(), Beta(2, 10))).table["verdict"].tolist()
    ['best', 'costlier']
    """
    coverage = validation.inside("coverage", coverage, 0, 1)
    if not isinstance(tallies, Mapping) or not tallies or not all(isinstance(one, Tally) for one in tallies.values()):
        raise ValueError("tallies must be a mapping of names to Tally objects, at least one")
    names = [str(name) for name in tallies]
    if len(set(names)) < len(names):
        raise ValueError(f"two models have one name: {', '.join(names)}")
    if against is not None and str(against) not in names:
        raise ValueError(f"against is {against!r}, which is not one of the models: {', '.join(names)}")
    numbers, losses, sizes = zip(*(one.blocks(score) for one in tallies.values()), strict=True)
    counted = [one.cases() for one in tallies.values()]
    for name, number, size, cases in zip(names, numbers, sizes, counted, strict=True):
        same = np.array_equal(number, numbers[0]) and np.allclose(size, sizes[0], rtol=1e-9, atol=0)
        if not same or not all(map(np.array_equal, cases, counted[0])):
            raise ValueError(f"{names[0]} and {name} were not counted on the same cases with the same blocks: cases, "
                             f"weights or events differ")
    if len(numbers[0]) < LEAST_BLOCKS:
        raise ValueError(f"intervals need at least {LEAST_BLOCKS} blocks, the tallies have {len(numbers[0])}: pass "
                         f"block= to update, the same for every model")
    cost = np.sum(losses, axis=1) / sizes[0].sum()
    best = int(np.argmin(cost)) if against is None else names.index(str(against))
    options, allowed = Options(coverage, 0, 0, named=against is not None), margin_of(margin, against)
    power = 2.0 ** (np.frexp(sizes[0].sum())[1] - 1)  # weights count relative to each other, whatever their unit
    losses, sizes = [one / power for one in losses], [one / power for one in sizes]
    unseen = np.array([one.unseen(score) for one in tallies.values()]) / power
    units, weights = _units(np.array(losses), sizes[0], unseen)
    unit = unit_of(units)
    found = normal(units / unit, weights, best, options)[0].times(unit)
    first, (_, without, events) = next(iter(tallies.values())), counted[0]
    about = _about(first.kind, int(without.sum()), int(events.sum()), coverage)
    lean = lean_of(units - units[best], weights)
    about["narrow"] = {"score": why_narrow(found.skew, sizes[0], "blocks", options, lean=lean)}
    frame = frame_of(names, cost, _skill(first, score, cost), best, against is not None, found, bool(about["few"]),
                     len(first), coverage)
    if against is not None:
        raised = frame
        if allowed is not None:
            values, means = lifted(cost, np.array(losses) / sizes[0], best, allowed)
            units, weights = _units(means * sizes[0], sizes[0], unseen)
            more = normal(units / unit, weights, best, options)[0].times(unit)
            raised = frame_of(names, values, np.full(len(names), np.nan), best, True, more, bool(about["few"]),
                              len(first), coverage)
            about["decided"] = {"score": words(raised, about, allowed)}
        about["decision"] = {"score": decide(raised)}
    bounds = {str(name): one.score(score) for name, one in tallies.items()}
    frame["least"] = [bounds[name].lower for name in frame.index]
    frame["most"] = [bounds[name].upper for name in frame.index]
    widest = (frame["most"] - frame["least"]).max() / 2
    note = (f"From tallies of {len(first):,} cases: the exact costs are within {widest:.1g} of the estimates, most "
            f"often far nearer. Intervals: {100 * coverage:.10g}%, normal, from the spread between {len(numbers[0])} "
            f"blocks.{of_many(len(names))} They are about which cases are in the sample, not the luck of fitting.")
    return ModelComparison(frame, (note,), {"score": score}, None, {}, about)


def _units(losses, sizes, unseen):
    """Blocks, and for each model two units without weight, which spread by what the blocks do not show.

    These add to the variance of a difference that of both models, as if they were independent: with a prior that is a
    point, and models that are nearly one, an interval is too wide rather than too narrow. The sums over units are
    multiplied by n/(n - 1) later: so the blocks are spread here as if they were n.
    """
    kinds, which = np.unique(np.column_stack([losses, unseen]), axis=0, return_inverse=True)  # copies stay copies
    blocks, more = sizes.size, 2 * len(kinds)
    share = (blocks + more - 1) / (blocks + more)
    level = np.outer(losses.sum(axis=1) / sizes.sum(), sizes)
    extra = np.kron(np.diag(np.sqrt(share / 2) * kinds[:, -1]), [1, -1])[which.ravel()]
    spread = level + (losses - level) * np.sqrt(share * blocks / (blocks - 1))
    return np.hstack([spread, extra]), np.append(sizes, np.zeros(more))


def _about(kind, without, events, coverage):
    """What carries information, as `compare` has it: cases are counted, whatever their weights."""
    counts = [without + events, events, without] if kind == "binary" else [without]
    least = min((count, index) for index, count in enumerate(counts))
    few = "" if least[0] >= np.log2(2 / (1 - coverage)) else few_units(*least, "cases")
    return {"cases": counts[0], "events": events if kind == "binary" else None, "event": "y_true = 1", "unit": "cases",
            "few": few, "base": "the base rate", "coverage": f"{100 * coverage:.10g}"}


def _skill(tally, score, cost):
    """Share of the way from the base rate to a perfect forecast."""
    if tally.kind != "binary":
        return np.full(cost.size, np.nan)
    weight = np.array(tally.outcomes())
    rate, y = weight[1] / weight.sum(), np.array([0, 1])
    if not 0 < rate < 1:
        return np.full(cost.size, np.nan)
    base, perfect = (score(y, forecast, sample_weight=weight) for forecast in (np.full(2, rate), y.astype(float)))
    return (base - cost) / (base - perfect)
