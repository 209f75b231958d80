"""How often intervals hold the truth, and whether they say so where they do not: simulated samples with a known truth.

Implements no section of the sources: runs behind the page "Notes on intervals".

Usage: python -m pwu_book.studies coverage
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from scipy.signal import lfilter

import pwu_desk
from pwu_lite.families import BinaryDecision
from pwu_lite.priors import Beta, Dirac, Mixture
from pwu_lite.pwu import PWU
from pwu_lite.reporting.intervals import Options, from_losses
from pwu_lite.reporting.rules import RULES

from .. import tables

__all__ = ["LOGS", "ROWS", "Row", "Sample", "difference", "log_of_decisions", "main"]

TARGET = Path("packages/pwu_book/tables/coverage.csv.gz")
SAMPLES, RESAMPLES = 600, 400


class Sample(NamedTuple):
    """One sample: differences of two models' losses in the cases, and what goes with them.

    Attributes
    ----------
    gap : ndarray, shape (n,)
    groups, weight : ndarray of shape (n,), or None
    events : int or None
        How many cases are events.
    """

    gap: np.ndarray
    groups: np.ndarray | None = None
    weight: np.ndarray | None = None
    events: int | None = None


class Row(NamedTuple):
    """Samples of one kind, their true mean difference, and how the interval is asked for."""

    draw: Callable[[np.random.Generator], Sample]
    truth: float
    options: dict[str, Any]


def _cases(law: Callable[[np.random.Generator, int], np.ndarray], n: int, truth: float, **options: Any) -> Row:
    return Row(lambda rng: Sample(law(rng, n)), truth, options)


def _rare(n: int, rate: float) -> Row:
    """An honest forecast of a rare event against its base rate, under Beta(2, 10)."""
    score, spread = PWU(BinaryDecision(), Beta(2, 10)), 1.5

    def chance(rng, n):
        return np.minimum(rate * np.exp(spread * rng.normal(size=n) - spread**2 / 2), 0.9)

    def gap(y, p):
        return score.per_sample(y, np.full(p.size, rate)) - score.per_sample(y, p)

    def draw(rng):
        p = chance(rng, n)
        y = rng.random(n) < p
        return Sample(gap(y, p), events=int(y.sum()))

    p = chance(np.random.default_rng(999), 1_000_000)
    ones, zeros = gap(np.ones(p.size), p), gap(np.zeros(p.size), p)
    return Row(draw, float(np.mean(p * ones + (1 - p) * zeros)), {})


def _groups(sizes: Callable[[np.random.Generator], np.ndarray], law: str = "normal") -> Row:
    """Groups that share a part of the difference; its mean over cases is zero."""
    def draw(rng):
        size = sizes(rng)
        shared = rng.normal(size=size.size) if law == "normal" else np.exp(rng.normal(size=size.size)) - np.exp(0.5)
        number = np.repeat(np.arange(size.size), size)
        return Sample(shared[number] + 0.5 * rng.normal(size=number.size), number)
    return Row(draw, 0.0, {})


def _growing(number: int, spread: float, slope: float) -> Row:
    """Groups of random size, whose part of the difference grows with the logarithm of their size."""
    def sizes(rng, number):
        return np.maximum(1, np.round(np.exp(rng.normal(1.5, spread, number)))).astype(int)

    def draw(rng):
        size = sizes(rng, number)
        group = np.repeat(np.arange(number), size)
        shared = rng.normal(size=number) + slope * np.log(size)
        return Sample(shared[group] + rng.normal(size=group.size), group)

    size = sizes(np.random.default_rng(999), 4_000_000)
    return Row(draw, float((size * slope * np.log(size)).mean() / size.mean()), {})


def _series(rho: float, n: int, **options: Any) -> Row:
    return Row(lambda rng: Sample(lfilter([1], [1, -rho], rng.normal(size=n + 200))[200:]), 0.0, options)


def _slow(n: int, **options: Any) -> Row:
    """A part that changes slowly, under noise: neighbours are hardly alike, and stay so for long."""
    def draw(rng):
        slow = lfilter([1], [1, -0.95], rng.normal(size=n + 200))[200:] * np.sqrt(1 - 0.95**2)
        return Sample(0.6 * slow + rng.normal(size=n))
    return Row(draw, 0.0, options)


def _daily(n: int, **options: Any) -> Row:
    """Each hour is like the same hour of the day before, and unlike its neighbours."""
    return Row(lambda rng: Sample(lfilter([1], [1, *[0] * 23, -0.7], rng.normal(size=n + 480))[480:]), 0.0, options)


def _regimes(stay: int, n: int, **options: Any) -> Row:
    """One model is ahead for a while, then the other one."""
    def draw(rng):
        return Sample(np.repeat(rng.choice([-1.0, 1.0], n), rng.geometric(1 / stay, n))[:n])
    return Row(draw, 0.0, options)


def _weighted(rng: np.random.Generator) -> Sample:
    return Sample(rng.normal(size=200), weight=rng.pareto(1.5, 200) + 1)


def _same(number: int) -> Callable[[np.random.Generator], np.ndarray]:
    return lambda rng: np.full(number, 20)


def _unequal(rng: np.random.Generator) -> np.ndarray:
    return np.maximum(1, (5 * rng.pareto(1.2, 20)).astype(int))


def _log_normal(sigma: float) -> Callable[[np.random.Generator, int], np.ndarray]:
    return lambda rng, n: np.exp(sigma * rng.normal(size=n))


def _happens(chance: float) -> Callable[[np.random.Generator, int], np.ndarray]:
    return lambda rng, n: 1.0 * (rng.random(n) < chance)


ROWS: dict[str, Row] = {
    **{f"normal, n = {n}": _cases(lambda rng, n: rng.normal(size=n), n, 0.0) for n in (8, 10, 30)},
    **{f"Student's t with 3, n = {n}": _cases(lambda rng, n: rng.standard_t(3, size=n), n, 0.0) for n in (20, 50)},
    **{f"exponential, n = {n}": _cases(lambda rng, n: rng.exponential(size=n), n, 1.0) for n in (30, 100, 1000)},
    **{f"log-normal(0, 1), n = {n:,}": _cases(_log_normal(1), n, float(np.exp(0.5))) for n in (30, 100, 300, 3000)},
    "log-normal(0, 2), n = 1,000": _cases(_log_normal(2), 1000, float(np.exp(2))),
    "Pareto losses, tail 2.5, n = 1,000": _cases(lambda rng, n: rng.pareto(2.5, size=n), 1000, 1 / 1.5),
    "better 5%, worse 2% of 200": _cases(lambda rng, n: rng.choice([-1.0, 0, 1], n, p=[0.02, 0.93, 0.05]), 200, 0.03),
    "cost 1 with chance 0.3, n = 20": _cases(_happens(0.3), 20, 0.3),
    "cost 1 with chance 0.001, n = 3,000": _cases(_happens(0.001), 3000, 0.001),
    "cost 1 with chance 0.005, n = 20,000": _cases(_happens(0.005), 20_000, 0.005),
    **{f"{round(n * rate)} events in {n:,}": _rare(n, rate) for n, rate in (
        (5000, 0.001), (1000, 0.01), (19_000, 0.001), (2000, 0.01), (3000, 0.01), (4000, 0.01), (6000, 0.01),
        (1000, 0.1))},
    "200 weights, Pareto 1.5": Row(_weighted, 0.0, {}),
    **{f"{number} groups of 20": _groups(_same(number)) for number in (5, 8, 10, 20, 50)},
    "20 groups of very different size": _groups(_unequal),
    "20 groups of 20, log-normal": _groups(_same(20), "log-normal"),
    "AR(0.5), n = 500, blocks of 24": _series(0.5, 500, blocks=24), "AR(0.5), n = 500, hac": _series(
        0.5, 500, interval="hac"),
    "AR(0.5), n = 100, blocks of 24": _series(0.5, 100, blocks=24), "AR(0.5), n = 100, hac": _series(
        0.5, 100, interval="hac"),
    "AR(0.9), n = 500, blocks of 24": _series(0.9, 500, blocks=24), "AR(0.9), n = 500, blocks of 100": _series(
        0.9, 500, blocks=100), "AR(0.9), n = 500, hac": _series(0.9, 500, interval="hac"),
    "AR(0.9), n = 2,000, blocks of 24": _series(0.9, 2000, blocks=24), "AR(0.9), n = 2,000, hac": _series(
        0.9, 2000, interval="hac"),
    **{f"two regimes, mean stay {stay}, n = 1,000, hac": _regimes(stay, 1000, interval="hac") for stay in (20, 100)},
    **{f"{kind}, n = {n:,}, {name}": draw(n, **options) for n in (1000, 5000)
       for kind, draw in (("slow part and noise", _slow), ("like the day before", _daily))
       for name, options in (("blocks of 24", {"blocks": 24}), ("blocks of 120", {"blocks": 120}),
                             ("hac", {"interval": "hac"}))},
    **{f"{number} groups of random size ({spread:g}), effect grows by {slope:g}": _growing(number, spread, slope)
       for number, spread, slope in ((15, 1.0, 0.5), (30, 1.0, 0.0), (30, 1.0, 0.5), (60, 1.2, 0.5), (100, 1.0, 0.2))},
    **{f"AR({rho:g}), n = {n:,}, hac": _series(rho, n, interval="hac")
       for rho, n in ((0.5, 150), (0.5, 250), (0.9, 1000), (0.95, 2000), (0.95, 4000))},
    "Student's t with 2.5, n = 200": _cases(lambda rng, n: rng.standard_t(2.5, size=n), 200, 0.0),
    "300 weights, log-normal": Row(
        lambda rng: Sample(rng.normal(size=300), weight=rng.lognormal(0, 1.2, 300)), 0.0, {}),
}
"""Rows of the table, by name."""

GUIDELINES = {"Beta(2, 10)": Beta(2, 10), "one guideline": Dirac(0.2),
              "two guidelines": Mixture([Dirac(0.1), Dirac(0.3)], [0.5, 0.5])}
REPORTED: dict[str, Callable[[np.random.Generator, int], np.ndarray]] = {
    "any number": lambda rng, n: rng.random(n), "tenths": lambda rng, n: np.round(rng.random(n), 1),
    "eighths": lambda rng, n: np.round(8 * rng.random(n)) / 8}
LOGS = [(law, report, n) for law in GUIDELINES for report in REPORTED for n in (200, 1000)]
"""Deciders, how forecasts are reported, and decisions in the log."""


def difference(name: str, samples: int = SAMPLES) -> dict[str, Any]:
    """How often the 95% interval of a difference holds its true value, and how often something is said.

    Parameters
    ----------
    name : str
        One of `ROWS`.
    samples : int

    Returns
    -------
    dict
        ``coverage``; ``high`` and ``low``, the shares of intervals above and below the truth; ``said``, the share with
        a word on why the interval is narrow; ``unsaid``, coverage of the others (NaN if there are none).

    Examples
    --------
    >>> found = difference("normal, n = 30", samples=20)
    >>> bool(0.7 < found["coverage"] <= 1), bool(0 <= found["said"] < 1)
    (True, True)
    """
    row, inside, above, said, place = ROWS[name], [], 0, [], list(ROWS).index(name)
    for seed in range(samples):
        sample = row.draw(np.random.default_rng([place, seed]))
        losses = np.array([np.zeros(sample.gap.size), sample.gap])
        luck = Options(0.95, RESAMPLES, samples + seed, row.options.get("blocks"), row.options.get("interval"))
        found = from_losses(np.zeros(sample.gap.size), {"a": (losses[0],), "b": (losses[1],)}, 0, losses,
                            sample.groups, sample.weight, luck)
        low, high = found.difference[:, 1]
        inside.append(low <= row.truth <= high)
        above += row.truth < low
        said.append(bool(found.narrow) or sample.events is not None and sample.events < RULES["few_events"])
    held, words = np.array(inside), np.array(said)
    unsaid = float(held[~words].mean()) if not words.all() else np.nan
    return {"kind": "difference", "row": name, "samples": samples, "coverage": held.mean(), "high": above / samples,
            "low": 1 - held.mean() - above / samples, "said": words.mean(), "unsaid": unsaid}


def log_of_decisions(law: str, report: str, n: int, samples: int = SAMPLES) -> dict[str, Any]:
    """How often the 90% band of `pwu_desk.from_decisions` holds the share of deciders, over its places.

    Parameters
    ----------
    law, report : str
        Names in `GUIDELINES` and `REPORTED`.
    n : int
        Decisions.
    samples : int

    Examples
    --------
    >>> log_of_decisions("one guideline", "tenths", 200, samples=5)["coverage"]
    1.0
    """
    prior, inside = GUIDELINES[law], []
    for seed in range(samples):
        rng = np.random.default_rng(seed)
        forecast, share = REPORTED[report](rng, n), prior.rvs(n, rng)
        found = pwu_desk.from_decisions(forecast, forecast > share)
        known = prior.mass(0, found.at)
        inside += [*((found.low <= known) & (known <= found.high))]
    return {"kind": "log of decisions", "row": f"{law}, {report}, n = {n:,}", "samples": samples,
            "coverage": float(np.mean(inside))}


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; 0 once the table is written.

    Parameters
    ----------
    arguments : sequence of str, optional
        Words after the command; those of the process if omitted.
    """
    parser = argparse.ArgumentParser("python -m pwu_book.studies coverage", description=(
        "Simulate how often intervals hold the truth, and write the table of the page on intervals."))
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--samples", type=int, default=SAMPLES)
    given = parser.parse_args(arguments)
    run = Parallel(n_jobs=given.jobs, verbose=5)
    rows = run([*(delayed(difference)(name, given.samples) for name in ROWS),
                *(delayed(log_of_decisions)(*log, given.samples) for log in LOGS)])
    tables.write(TARGET, pd.DataFrame(rows), "python -m pwu_book.studies coverage",
                 f"numpy.random.default_rng([row, sample]), resamples by other numbers; {given.samples} samples, "
                 f"{RESAMPLES} resamples", "%.6g")
    return 0
