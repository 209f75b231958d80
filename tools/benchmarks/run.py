"""Time every PWU against scikit-learn's metrics and Monte Carlo, in one run.

Usage: python tools/benchmarks/run.py [--quick] [--sets] [--out packages/pwu_book/tables/speed.csv]

Prints the median seconds of each method at each n, one thread, and ratios to peers. `--quick` stops at n = 1e5,
`--sets` times the bounds over sets of priors alone, `--out` writes a page's table, and speed_sets.csv beside it.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import argparse  # noqa: E402
import functools  # noqa: E402
import time  # noqa: E402
from pathlib import Path  # noqa: E402

import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402
from scipy import stats  # noqa: E402
from sklearn.metrics import brier_score_loss, log_loss, roc_auc_score  # noqa: E402

import pwu_lite as pwu  # noqa: E402
from pwu_desk import robust  # noqa: E402
from pwu_lite._tails import tail_table  # noqa: E402
from pwu_lite.metrics import classification  # noqa: E402

SIZES = [10**3, 10**4, 10**5, 10**6, 10**7]
DRAWS = 10_000
RARE = pwu.Beta(2.45, 547)  # a miss costs 100 to 1,000 false alarms
PRIORS = {"Beta(0.5, 0.5)": pwu.Beta(0.5, 0.5), "Beta(2, 300)": pwu.Beta(2, 300), "Beta(20, 400)": pwu.Beta(20, 400),
          "Beta(2.45, 547), rare events": RARE, "Beta(3, 30000)": pwu.Beta(3, 30_000),
          "truncated Beta": pwu.TruncatedBeta(2, 10, 0.05, 0.4),
          "truncated normal of scipy": pwu.as_prior(stats.truncnorm(-1, 4, loc=0.2, scale=0.15)),
          "logit-normal of scipy": pwu.as_prior(stats.johnsonsb(1.0, 1.0)),
          "mixture of three": pwu.Mixture([pwu.Beta(2, 10), RARE, pwu.Beta(20, 400)], [0.3, 0.3, 0.4])}
PRICES = {"Gamma": pwu.Gamma(2, 0.3), "log-normal": pwu.LogNormal(0, 1), "Pareto": pwu.Pareto(0.5),
          "inverse gamma of scipy": pwu.as_prior(stats.invgamma(3.0)),
          "mixture of three": pwu.Mixture([pwu.Gamma(2, 0.3), pwu.LogNormal(0, 1), pwu.Beta(2, 10, 3)],
                                          [0.3, 0.3, 0.4])}
TARGETS = [("binary PWU", "log_loss", 10**6, 1.0), ("selective PWU", "log_loss", 10**6, 1.0),
           ("top-k PWU", "roc_auc_score", 10**6, 1.5), ("binary PWU, a Beta per case", "log_loss", 10**6, 4.0),
           *((f"binary PWU, {name}", "log_loss", 10**6, 1.0) for name in PRIORS),
           *((f"selective PWU, {name}", "log_loss", 10**6, 1.0) for name in PRICES)]


def monte_carlo(score, *data):
    """The same score by averaging the utility over draws from the prior, sorting the data once."""
    thetas = score.priors[0].rvs(DRAWS, random_state=0)
    if isinstance(score.family, pwu.TopK):
        thetas = np.ceil(thetas * len(data[0])).astype(int)
    return float(np.mean(score.curve(*data, thetas=thetas)))


def methods(n, rng):
    """Name, largest n, and what to time."""
    f = rng.random(n)
    y = (rng.random(n) < f).astype(int)
    mean, std = rng.normal(size=n), rng.uniform(0.1, 2, n)
    target = mean + std * rng.normal(size=n)
    binary = pwu.PWU(pwu.BinaryDecision(), pwu.Beta(2, 10))
    selective = pwu.PWU(pwu.SelectivePrediction(), pwu.Beta(2, 10, scale=3.0))
    top = pwu.PWU(pwu.TopK(), pwu.Beta(1.2, 20.8))
    per_case = pwu.Beta(rng.uniform(1, 5, n), rng.uniform(5, 30, n))
    risk = pwu.PWU(pwu.RiskAverseTopK(), pwu.Beta(1.2, 20.8), pwu.Beta(2, 6))
    return [
        ("binary PWU", 10**7, lambda: binary(y, f)),
        *((f"binary PWU, {name}", 10**6, functools.partial(pwu.PWU(pwu.BinaryDecision(), prior), y, f))
          for name, prior in {**PRIORS, "a Beta per case": per_case}.items()),
        ("selective PWU", 10**7, lambda: selective(target, mean, std)),
        *((f"selective PWU, {name}", 10**6,
           functools.partial(pwu.PWU(pwu.SelectivePrediction(), prior), target, mean, std))
          for name, prior in PRICES.items()),
        ("top-k PWU", 10**7, lambda: top(y, f)),
        ("risk-averse top-k PWU", 10**5, lambda: risk(target, mean, std)),
        ("log_loss", 10**7, lambda: log_loss(y, f)),
        ("brier_score_loss", 10**7, lambda: brier_score_loss(y, f)),
        ("roc_auc_score", 10**7, lambda: roc_auc_score(y, f)),
        ("binary Monte Carlo", 10**5, lambda: monte_carlo(binary, y, f)),
        ("selective Monte Carlo", 10**5, lambda: monte_carlo(selective, target, mean, std)),
        ("top-k Monte Carlo", 10**5, lambda: monte_carlo(top, y, f)),
    ]


def comparisons(n=100_000, models=5, resamples=1000):
    """What compares models: five at n = 100,000, beside scoring them once; and net benefit beside a curve."""
    rng = np.random.default_rng(0)
    y, forecasts = rng.integers(0, 2, n), {f"model {k}": rng.random(n) for k in range(models)}
    score, grid = pwu.PWU(pwu.BinaryDecision(), pwu.Beta(2, 10)), np.arange(1, 100) / 100
    first = forecasts["model 0"]
    seconds = interleaved([
        ("compare", lambda: pwu.compare(y, forecasts, score, n_resamples=resamples)),
        ("scores", lambda: [score(y, f) for f in forecasts.values()]),
        ("curve", lambda: score.curve(y, first, thetas=grid)),
        ("net_benefit", lambda: classification.net_benefit(y, first, grid))], 3)
    print(f"compare, {models} models, n = {n:,}, {resamples:,} resamples: {seconds['compare']:.2f} s, "
          f"{seconds['compare'] / seconds['scores']:.0f} times scoring them once (target 3 s)")
    n = 10**6
    f = rng.random(n)
    y, two = rng.random(n) < f, {"a": f, "b": np.clip(f + rng.normal(0, 0.1, n), 0, 1)}
    started = time.process_time()
    pwu.compare(y, two, score)
    print(f"compare, 2 models, n = {n:,}: {time.process_time() - started:.2f} s CPU (target 0.5)")
    for name, prior in {"Beta(2, 10)": pwu.Beta(2, 10), **PRIORS}.items():
        started = time.perf_counter()
        tail_table(prior, "mean_below"), tail_table(prior, "complement_above")
        print(f"tables of {name}: {1000 * (time.perf_counter() - started):.0f} ms for both (target 60 each)")
    ratio = seconds["net_benefit"] / seconds["curve"]
    print(f"net_benefit / curve at {grid.size} thresholds: {ratio:.2f} (target 1.5)")


def every_kind(n=100_000):
    """Quantiles and ensembles beside scoringrules at the same levels, and acts beside argmin over a grid of prices."""
    import scoringrules

    rng = np.random.default_rng(0)
    levels = np.array([0.01, 0.025, *np.arange(1, 20) / 20, 0.975, 0.99])
    y, quantiles, members = rng.normal(size=n), np.sort(rng.normal(size=(n, 23)), axis=1), rng.normal(size=(n, 20))
    chance, kind = rng.dirichlet(np.ones(4), n), rng.integers(0, 4, n)
    costs, price, prices = rng.random((5, 4)), rng.random((5, 4)), np.linspace(0.01, 2, 200)
    acts = pwu.PWU(pwu.CostMatrix(costs, price), pwu.Gamma(2, 0.3))
    orders, ensembles = (pwu.PWU(pwu.Newsvendor(said), pwu.Beta(8, 2)) for said in (levels, "members"))

    def argmin():
        level, slope, real, times, rows = chance @ costs.T, chance @ price.T, costs.T[kind], price.T[kind], np.arange(n)
        total = 0.0
        for theta in prices:
            act = (level + theta * slope).argmin(axis=1)
            total += (real[rows, act] + theta * times[rows, act]).mean()
        return total / prices.size

    seconds = interleaved([
        ("orders", lambda: orders(y, quantiles)),
        ("quantile_score", lambda: scoringrules.quantile_score(y[:, None], quantiles, levels).mean()),
        ("ensembles", lambda: ensembles(y, members)),
        ("crps_ensemble", lambda: scoringrules.crps_ensemble(y, members).mean()),
        ("acts", lambda: acts(kind, chance)), ("argmin", argmin)], 7)
    for method, peer, limit in (("orders", "quantile_score", 3), ("ensembles", "crps_ensemble", 3),
                                ("acts", "argmin", 1)):
        print(f"{method} / {peer} at n = {n:,}: {seconds[method] / seconds[peer]:.2f} (target {limit})")


def bounds(n, rng):
    """Bounds of the difference of two models over sets of priors; the peers: both curves, and both scores."""
    f, g = rng.random(n), rng.random(n)
    y, family, prior = (rng.random(n) < f).astype(int), pwu.BinaryDecision(), pwu.Beta(2, 10)
    score = pwu.PWU(family, prior)
    curve = robust.cost_curve(family, y, f) - robust.cost_curve(family, y, g)
    any_prior, statement = robust.AnyPrior(), robust.Statements([(1 / 31, 1 / 4, 0.9), (0, 1 / 11, 0.5)])
    others = {"contamination": robust.Contamination(prior, 0.1),
              "quantiles": robust.Quantiles({1 / 31: 0.05, 0.25: 0.95}),
              "mean": robust.Mean(0.12), "bounded ratio": robust.BoundedRatio(prior, 3)}

    def radius():
        mean = curve.mean(prior)
        return mean / (mean - any_prior.upper(curve if mean < 0 else -curve).value)

    return [("two curves", lambda: robust.cost_curve(family, y, f) - robust.cost_curve(family, y, g)),
            ("two PWUs", lambda: score(y, f) - score(y, g)), ("statements", lambda: statement.upper(curve)),
            ("radius", radius), *((name, lambda some=some: some.upper(curve)) for name, some in others.items())]


def sets_of_priors(sizes, out):
    """Time the bounds, print those that have a limit at a million cases, and write the table."""
    rows = []
    for n in sizes:
        todo = bounds(n, np.random.default_rng(0))
        medians = interleaved(todo, 5 if n < 10**6 else 3)
        rows += [{"method": name, "n": n, "seconds": seconds} for name, seconds in medians.items()]
        print(f"sets of priors, n = {n:,}: " + ", ".join(f"{name} {value:.4f} s" for name, value in medians.items()),
              flush=True)
        for name in ("statements", "contamination", "radius"):
            print(f"  {name} / two curves: {medians[name] / medians['two curves']:.2f}")
    write(pd.DataFrame(rows), out and Path(out).with_name("speed_sets.csv"))


def write(table, out):
    """The table, whole or not at all, where one is asked for."""
    if out:
        temporary = Path(out).with_suffix(".tmp")
        table.to_csv(temporary, index=False, float_format="%.6g")
        temporary.replace(out)
        print(f"wrote {out}")


def interleaved(todo, rounds):
    """Median seconds of each, the methods taking turns so that a slow moment hits them all."""
    seconds = {name: [] for name, _ in todo}
    for _ in range(rounds):
        for name, run in todo:
            start = time.perf_counter()
            run()
            seconds[name].append(time.perf_counter() - start)
    return {name: float(np.median(values)) for name, values in seconds.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--out", help="where the page's table is written; nowhere, if not given")
    parser.add_argument("--sets", action="store_true", help="time bounds over sets of priors alone")
    options = parser.parse_args()
    sets_of_priors(SIZES[:3] if options.quick else SIZES[:4], options.out)
    if options.sets:
        return
    rows = []
    for n in SIZES[:3] if options.quick else SIZES:
        todo = methods(n, np.random.default_rng(0))
        todo = [(name, run) for name, top, run in todo if n <= top]
        for _, run in todo:
            run()  # warm up
        medians = interleaved(todo, 7 if n < 10**7 else 3)
        rows += [{"method": name, "n": n, "seconds": seconds} for name, seconds in medians.items()]
        print(f"n = {n:,}: " + ", ".join(f"{name} {value:.4f} s" for name, value in medians.items()), flush=True)
    table = pd.DataFrame(rows)
    at = table.set_index(["method", "n"]).seconds
    for method, peer, n, limit in TARGETS:
        if (method, n) in at:
            print(f"{method} / {peer} at n = {n:,}: {at[method, n] / at[peer, n]:.2f} (target {limit})")
    print(f"risk-averse top-k PWU at n = 1,000: {at['risk-averse top-k PWU', 1000] * 1000:.0f} ms (target 50)")
    comparisons()
    every_kind()
    write(table, options.out)


if __name__ == "__main__":
    main()
