"""A thousand streams of two models' losses, looked at again and again: how often is one named that is not cheaper?

Implements no section of the sources: runs behind the chapter "When may you stop looking?".

Usage: python -m pwu_book.studies watching
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.signal import lfilter
from scipy.special import expit, logit

from pwu_desk import Watch
from pwu_lite import PWU, Beta, BinaryDecision

from .. import tables

__all__ = ["KINDS", "looked_at", "main", "stream"]

TARGET = Path("packages/pwu_book/tables/watching.csv.gz")
KINDS = ("twins", "prevalence drifts", "days are alike", "second is cheaper")
STREAMS, CASES, EVERY = 1000, 2000, 20  # streams of a kind, cases of each, and cases between two looks
DAY = 20  # cases of a day, and the reach of the dependence where days are alike
SCORE = PWU(BinaryDecision(), Beta(2, 10))


def stream(kind: str, seed: int, n: int = CASES) -> np.ndarray:
    """First model's loss minus the second's, case by case.

    Parameters
    ----------
    kind : one of `KINDS`
        Two equally noisy models; the same while the prevalence rises from 1/9 to 1/2; differences with a part that is
        an autoregression over 20 cases; or a first model with more noise.
    seed, n : int
        Number of the stream, and of its cases.

    Examples
    --------
    >>> gap = stream("second is cheaper", 0)
    >>> gap.shape, bool(abs(gap).max() < 1)
    ((2000,), True)
    """
    rng = np.random.default_rng([17, KINDS.index(kind), seed])
    if kind == "days are alike":
        slow = lfilter([1.0], [1.0, -0.8], rng.normal(0, 0.03, n))
        return np.clip(slow + rng.normal(0, 0.1, n), -1, 1)
    p = rng.beta(1, np.linspace(8, 1, n) if kind == "prevalence drifts" else np.full(n, 6.0))
    y, (one, two) = (rng.random(n) < p).astype(int), rng.normal(0, 0.5, (2, n))
    errors = (2 * one, 0 * two) if kind == "second is cheaper" else (one, two)
    losses = [SCORE.per_sample(y, expit(logit(p) + error)) for error in errors]
    return losses[0] - losses[1]


def looked_at(gap: np.ndarray, days: bool = False, every: int = EVERY) -> tuple[str, int, str, int]:
    """Whom the repeated 95% interval and the watch name, and after how many cases: "" and all of them for nobody.

    Parameters
    ----------
    gap : ndarray, shape (n,)
        Differences, in the order in which they came.
    days : bool
        Whether the watch takes a day as one unit; the interval always takes cases as independent.
    every : int
        Cases between two looks.
    """
    n, watch, usual = len(gap), Watch(), ("", len(gap))
    for start in range(0, n, every):
        piece = gap[start:start + every]
        groups = (start + np.arange(len(piece))) // DAY if days else None
        watch.update(piece, np.zeros(len(piece)), groups=groups)
        seen = gap[:start + len(piece)]
        if not usual[0] and len(seen) >= 100 and abs(seen.mean()) > 1.96 * seen.std() / len(seen) ** 0.5:
            usual = "second" if seen.mean() > 0 else "first", len(seen)
        if watch.cheaper and usual[0]:
            break
    since = n if watch.since is None else watch.since * (DAY if days else 1)
    return *usual, watch.cheaper or "", since


def main(arguments: Sequence[str] | None = None) -> int:
    """Look at all streams, and write the table; about three minutes."""
    parser = argparse.ArgumentParser("python -m pwu_book.studies watching", description=main.__doc__)
    parser.add_argument("--streams", type=int, default=STREAMS)
    parser.add_argument("--target", type=Path, default=TARGET)
    given = parser.parse_args(arguments)
    rows = []
    for kind in KINDS:
        gaps = [stream(kind, seed) for seed in range(given.streams)]
        pooled = np.concatenate(gaps)
        found = pd.DataFrame([looked_at(gap, days=kind == "days are alike") for gap in gaps],
                             columns=["interval", "interval after", "watch", "watch after"])
        for method in ("interval", "watch"):
            rows.append({"kind": kind, "method": method, "streams": given.streams, "cases": CASES,
                         "first": (found[method] == "first").mean(), "second": (found[method] == "second").mean(),
                         "after": found[f"{method} after"].mean(),
                         "fixed": (2.8016 * pooled.std() / pooled.mean()) ** 2 if kind == KINDS[-1] else np.nan})
        print(f"{kind}: {given.streams} streams", flush=True)
    tables.write(given.target, pd.DataFrame(rows), "python -m pwu_book.studies watching",
                 "numpy.random.default_rng([17, kind, stream])", "%.6g")
    return 0
