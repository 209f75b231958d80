"""Seven models and a reader who can say a sentence: which pairs does it decide, and which does it leave open?

Implements no section of the sources: runs behind the chapter "When the prior itself is a set".

Usage: python -m pwu_book.studies readers
       python -m pwu_book.studies readers coverage
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

from pwu_desk import robust
from pwu_desk.robust.curve import Curve
from pwu_desk.robust.decide import resampled
from pwu_lite._resampling import weighted_means
from pwu_lite.elicitation import beta_from_quantiles
from pwu_lite.families import BinaryDecision
from pwu_lite.priors import Beta
from pwu_lite.pwu import PWU

from .. import tables
from ..runs import datasets, models

__all__ = ["MODELS", "QUANTILES", "SETS", "STATED", "STATEMENT", "contest", "coverage", "forecasts", "main", "pairs",
           "per_alarm", "truth"]

STATEMENT = robust.Statements([(1 / 31, 1 / 4, 0.9), (0, 1 / 11, 0.5)])
QUANTILES = robust.Quantiles({1 / 31: 0.05, 1 / 11: 0.5, 1 / 4: 0.95})
SETS = {"statement": STATEMENT, "quantiles": QUANTILES, "all": robust.AnyPrior()}
STATED = beta_from_quantiles(1 / 31, 1 / 4, coverage=0.9)
MODELS = ("logistic regression", "random forest", "extra trees", "boosting", "naive Bayes", "nearest neighbours",
          "network")
RUNS = {"breast cancer": 10, "digits": 10, "bank": 3}  # splits
REPEATS = {"breast cancer": 300, "digits": 300, "bank": 80}
TARGETS = {name: Path(f"packages/pwu_book/tables/readers_{name}.csv.gz") for name in ("pairs", "coverage")}
FAMILY = BinaryDecision()
_HUGE = 1e100  # false alarms: a miss of a case that was called impossible costs more


def contest(name: str) -> tuple[pd.DataFrame, np.ndarray]:
    """Features and labels, where 1 is a malignant tumour, a digit that is an 8, or a customer who subscribes.

    Parameters
    ----------
    name : {"breast cancer", "digits", "bank"}
        Name of the data set.

    Examples
    --------
    >>> X, y = contest("digits")
    >>> len(y), int(y.sum())
    (1797, 174)
    """
    if name == "digits":
        data = datasets.load("digits")
        return data.X, (data.y == 8).astype(int)
    data = datasets.load({"breast cancer": "breast_cancer"}.get(name, name))
    return data.X, data.y


def forecasts(name: str, split: int) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Labels of one half of the cases, and forecasts of them by models that were trained on the other half.

    Parameters
    ----------
    name : {"breast cancer", "digits", "bank"}
        Name of the data set.
    split : int
        Seed of the split and of the models.
    """
    X, y = contest(name)
    train, test = train_test_split(np.arange(len(y)), test_size=0.5, random_state=split, stratify=y)
    makers = models.classifiers()
    return y[test], {model: makers[model](split).fit(X.iloc[train], y[train]).predict(X.iloc[test])
                     for model in MODELS}


def pairs(y: np.ndarray, said: Mapping[str, np.ndarray], repeats: int) -> pd.DataFrame:
    """Verdicts of the sample, the statement and other sets on each pair of models, one row per pair.

    ``low`` to ``high`` is the paired 95% interval of the difference under the stated prior; the other
    columns are verdicts, and the radius with its bound from ``repeats`` resamples.

    Parameters
    ----------
    y : ndarray, shape (n,)
        Labels 0 and 1.
    said : mapping of model to ndarray, shape (n,)
        Forecast probabilities of a 1, in [0, 1].
    repeats : int
        Resamples of the cases for the radius's bound.
    """
    score = PWU(FAMILY, STATED)
    losses = np.array([score.per_sample(y, f) for f in said.values()])
    draws = weighted_means(losses, repeats=1000)
    rows = []
    for (i, first), (j, second) in combinations(enumerate(said), 2):
        found = {name: robust.preference(FAMILY, some, y, said[first], said[second]) for name, some in SETS.items()}
        low, high = np.quantile(draws[:, i] - draws[:, j], [0.025, 0.975])
        one, two = (robust.cost_curve(FAMILY, y, said[name]) for name in (first, second))
        alarms = per_alarm(_without_rounding(one - two, max(one.scale, two.scale)), [1 / 31, 1 / 11, 1 / 4])
        least, most = STATEMENT.lower(alarms).value, STATEMENT.upper(alarms).value
        share = robust.radius(FAMILY, STATED, y, said[first], said[second], repeats=repeats)
        rows.append({"first": first, "second": second, "difference": losses[i].mean() - losses[j].mean(), "low": low,
                     "high": high, **{name: one.verdict for name, one in found.items()},
                     "statement_low": found["statement"].low, "statement_high": found["statement"].high,
                     "per_alarm": "first" if most <= 0 > least else "second" if least >= 0 < most else "undecided",
                     "radius": share.value, "radius_low": share.lower, "winner": share.winner})
    return pd.DataFrame(rows)


def per_alarm(curve: Curve, ends: Sequence[float]) -> Curve:
    """Difference of costs in units of a false alarm, ``D(c)/c``: exact at the ends of its pieces, monotone between.

    Parameters
    ----------
    curve : Curve
        Difference D of two cost curves.
    ends : sequence of float
        Cost shares at which sets of priors cut it.
    """
    cut = curve.on(np.union1d(curve.edges, ends))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        left, right, at = cut.left / cut.edges[:-1], cut.right / cut.edges[1:], cut.at / cut.edges[:-1]
    left[0] = right[0] if cut.left[0] == 0 else np.sign(cut.left[0]) * _HUGE  # proportional to c, or a certain miss
    at[0] = left[0]
    left, right, at = (np.clip(part, -_HUGE, _HUGE) for part in (left, right, at))
    return Curve(cut.edges, left, right, cut.name, at, cut.parameter)


def _without_rounding(curve, scale):
    """Differences that are rounding alone become zero; divided by a small c they would not look it."""
    left, right, at = (np.where(np.abs(part) <= 1e-12 * scale, 0.0, part) for part in
                       (curve.left, curve.right, curve.at))
    return Curve(curve.edges, left, right, curve.name, at, curve.parameter)


def truth(kind: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A population: a grid of chances p, and two models' forecasts of each, shape (40,).

    Parameters
    ----------
    kind : {"wavy", "wavier", "near dominance", "dominance"}
        How the two models differ.

    Examples
    --------
    >>> p, a, b = truth("wavy")
    >>> p.shape == a.shape == b.shape
    True
    """
    p = (np.arange(40) + 0.5) / 40 * 0.6
    wave, other = np.sin(40 * p), 0.5 * p + 0.1
    known = {"wavy": (p + 0.06 * wave, 0.6 * p + 0.065), "wavier": (p + 0.07 * wave, 0.6 * p + 0.065),
             "near dominance": (np.where(p > 0.57, p - 0.002, p), np.where(p > 0.57, p, other)),
             "dominance": (p, other)}
    if kind not in known:
        raise ValueError(f"kind must be one of {', '.join(known)}, got {kind!r}")
    return p, *(np.clip(one, 0.001, 0.999) for one in known[kind])


def coverage(kind: str, n: int, samples: int = 200, repeats: int = 200, prior: Any = None) -> dict[str, Any]:
    """Coverage of the radius's percentile interval, and how often its lower end is below the true radius.

    Where the sample names the wrong winner, the true radius of what it says is 0.

    Parameters
    ----------
    kind : {"wavy", "wavier", "near dominance", "dominance"}
        Population, as in `truth`.
    n : int
        Cases per sample.
    samples : int
        Number of samples, default 200.
    repeats : int
        Resamples of the cases of each sample, default 200.
    prior : Prior, optional
        On the cost share; Beta(2, 10) if omitted.
    """
    prior = Beta(2, 10) if prior is None else prior
    p, a, b = truth(kind)
    labels, weights = np.repeat([0, 1], p.size), np.concatenate([1 - p, p])
    curves = [robust.cost_curve(FAMILY, labels, np.tile(f, 2), sample_weight=weights) for f in (a, b)]
    difference = curves[0] - curves[1]
    mean, top = difference.mean(prior), robust.AnyPrior().upper(difference).value
    exact = 1.0 if top <= 1e-12 else -mean / (top - mean)
    rng, covered, bounded, wrong, values = np.random.default_rng([3, n, len(kind)]), 0, 0, 0, []
    for _ in range(samples):
        drawn = rng.integers(0, p.size, n)
        y, seed = (rng.random(n) < p[drawn]).astype(int), int(rng.integers(2**31))
        found = robust.radius(FAMILY, prior, y, a[drawn], b[drawn], repeats=0)
        data = [FAMILY.read(y, f[drawn]) for f in (a, b)]
        draws = resampled(FAMILY, data, found.winner, prior, robust.AnyPrior(), repeats, seed)
        low, high = np.quantile(draws, [0.025, 0.975], method="inverted_cdf")
        true = exact if found.winner == "first" else 0.0
        values.append(found.value)
        wrong += found.winner != "first"
        bounded += low <= true + 1e-12
        covered += low <= true + 1e-12 <= high + 2e-12
    return {"kind": kind, "n": n, "radius": exact, "mean": float(np.mean(values)), "covered": covered / samples,
            "bounded": bounded / samples, "wrong": wrong / samples, "samples": samples}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one of the two studies, and write its table."""
    parser = argparse.ArgumentParser("python -m pwu_book.studies readers", description=main.__doc__)
    parser.add_argument("study", nargs="?", choices=list(TARGETS), default="pairs")
    parser.add_argument("--target", type=Path)
    given = parser.parse_args(arguments)
    command, seeds = "python -m pwu_book.studies readers", "splits and resamples from 0"
    if given.study == "pairs":
        parts = []
        for name, splits in RUNS.items():
            for split in range(splits):
                found = pairs(*forecasts(name, split), REPEATS[name])
                parts.append(found.assign(dataset=name, split=split))
                print(f"{name}: split {split} done", flush=True)
        table = pd.concat(parts, ignore_index=True)
    else:
        kinds = ("wavy", "wavier", "near dominance", "dominance")
        table = pd.DataFrame([coverage(kind, n) for kind in kinds for n in (500, 4000)])
        command, seeds = f"{command} coverage", "numpy.random.default_rng([3, n, length of the name])"
    tables.write(given.target or TARGETS[given.study], table, command, seeds, "%.6g")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
