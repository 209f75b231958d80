"""UNIQUE's three evaluation benchmarks for any number of uncertainty estimates of one model.

Implements UNIQUE's evaluation-benchmarks page: ranking, calibration and proper scores.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from pwu_lite import validation
from pwu_lite._resampling import effective_number, group_numbers, paired_bootstrap, percentiles, tail_of, unit_sizes
from pwu_lite.metrics import REGISTRY, Metric
from pwu_lite.reporting._tables import html
from pwu_lite.reporting._together import all_together

__all__ = ["UniqueBenchmarks", "unique_benchmarks"]

DECIDES = {
    ("ranking", "spearman"): "keeping k cases, where the rank of an error is its cost",
    ("ranking", "auc_difference"): "which share of the cases to keep, all shares alike",
    ("ranking", "increasing_coefficient"): "nothing: a large rise counts as a small one",
    ("ranking", "decreasing_coefficient"): "nothing: a large fall counts as a small one",
    ("ranking", "performance_drop"): "keeping one bin's share, or all but one bin's",
    ("regression", "mean_absolute_calibration_error"): "nothing about a case: do nominal levels mean what they say?",
    ("regression", "root_mean_squared_calibration_error"): "nothing about a case: do nominal levels mean it?",
    ("regression", "gaussian_nll"): "predict or abstain, at every price down to zero, in differences",
    ("regression", "crps_gaussian"): "orders at all levels alike",
    ("regression", "check_score"): "orders at the levels 1% to 99%",
    ("regression", "interval_score"): "two orders, at the ends of an 80% interval",
}
BENCHMARKS = {"ranking": [name for task, name in DECIDES if task == "ranking"],
              "calibration": ["mean_absolute_calibration_error", "root_mean_squared_calibration_error"],
              "proper scores": ["gaussian_nll", "crps_gaussian", "check_score", "interval_score"]}


@dataclass(frozen=True)
class UniqueBenchmarks:
    """UNIQUE's benchmarks of several uncertainty estimates: see `unique_benchmarks`.

    Attributes
    ----------
    table : DataFrame
        A row for each benchmark and metric: which direction is ``better``, a column for each
        estimate, the ``best`` one, those that are ``separably worse``, and what it ``decides``.
    low, high : DataFrame
        Ends of the intervals, a column for each estimate.
    notes : tuple of str
        What the numbers cover.
    """

    table: pd.DataFrame
    low: pd.DataFrame
    high: pd.DataFrame
    notes: tuple[str, ...]

    def _repr_html_(self) -> str:
        return html(self.table) + "".join(f"<p>{escape(note)}</p>" for note in self.notes)

    def __str__(self) -> str:
        return "\n\n".join([self.table.to_string(), *self.notes])


def unique_benchmarks(y_true: ArrayLike, mean: ArrayLike, uncertainties: Any, *, rankings: Sequence[str] = (),
                      scaled_on: tuple[Any, Any, Any] | None = None, groups: Any = None, n_resamples: int = 200,
                      seed: int = 0, coverage: float = 0.95) -> UniqueBenchmarks:
    """Ranking, calibration and proper scores of several uncertainty estimates of one model.

    Parameters
    ----------
    y_true, mean : array_like, shape (n,)
        Targets and the one model's predictions.
    uncertainties : mapping of name to array_like, or DataFrame
        Standard deviations in the unit of y, or any numbers that are larger where the model is less sure.
    rankings : sequence of str
        Names of the estimates that are not standard deviations: only the ranking benchmark uses them.
    scaled_on : tuple of three, optional
        ``(y_true, mean, uncertainties)`` of other cases, for instance a calibration set. Each estimate u is then
        scored a second time as the standard deviation ``s u``, ``s**2 = mean(((y - mean) / u)**2)`` over those
        cases. This includes rankings, if they are positive.
    groups : array_like, shape (n,), optional
        Groups of cases, each of which is resampled whole.
    n_resamples, seed, coverage
        As in `compare`; fewer resamples by default, for eleven metrics.

    Returns
    -------
    UniqueBenchmarks

    Raises
    ------
    ValueError
        Bad input, named with its first bad index; no estimates, or a ranking that is none of them.

    References
    ----------
    UNIQUE, evaluation benchmarks. Errors are ``abs(y - mean)``; deciles for both calibration errors;
    the interval score is that of 80%.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> std = rng.uniform(0.5, 2, 200)
    >>> found = unique_benchmarks(std * rng.normal(size=200), np.zeros(200), {"own": std, "flat": 0 * std + 1},
    ...                           n_resamples=50)
    >>> found.table.loc[("proper scores", "CRPS"), "best"]
    'own'
    """
    validation.same_order(y_true=y_true, mean=mean, groups=groups)
    for name, given in uncertainties.items() if hasattr(uncertainties, "items") else ():
        validation.same_order(y_true=y_true, **{f"uncertainties[{name!r}]": given})
    y, m = validation.vector("y_true", y_true), validation.vector("mean", mean)
    validation.same_length("y_true", y, "mean", m)
    estimates = _estimates("uncertainties", uncertainties, len(y))
    plain = [rankings] if isinstance(rankings, str) else [str(name) for name in rankings]
    if set(plain) - set(estimates):
        raise ValueError(f"rankings names {sorted(set(plain) - set(estimates))[0]!r}, which is none of the estimates")
    deviations = {name: u for name, u in estimates.items() if name not in plain}
    if scaled_on is not None:
        deviations |= _scaled(estimates, scaled_on)
    for name, u in deviations.items():
        validation.reject(f"uncertainties[{name!r}]", u, u <= 0, "must be positive (or name it in rankings)")
    coverage = validation.inside("coverage", coverage, 0, 1)
    columns = list(estimates | deviations)
    number = None if groups is None else group_numbers(groups, len(y))
    units = effective_number(unit_sizes(len(y), number, None))
    cells = [(metric, name) for metric in _metrics() for name in columns
             if name in (estimates if metric.task == "ranking" else deviations)]
    order = np.lexsort(np.vstack([*deviations.values(), *estimates.values(), m, y]))

    def values(drawn):
        chosen = order[drawn]
        return [_value(metric, y[chosen], m[chosen], (estimates | deviations)[name][chosen])
                for metric, name in cells]

    found = np.array(values(np.argsort(order)), dtype=float)
    draws = paired_bootstrap(values, len(y), repeats=n_resamples, seed=seed,
                             groups=None if number is None else number[order])
    return _result(cells, columns, found, draws.astype(float), units, coverage, n_resamples)


def _estimates(what, given, length):
    if hasattr(given, "columns"):
        given = {name: given[name] for name in given.columns}
    named = validation.named(what, given, ("better", "best", "separably worse", "decides"))
    if not named:
        raise ValueError(f"{what} must name at least one estimate")
    read = {name: validation.vector(f"{what}[{name!r}]", values) for name, values in named.items()}
    for name, values in read.items():
        if len(values) != length:
            raise ValueError(f"{what}[{name!r}] has length {len(values)}, y_true has length {length}")
    return read


def _scaled(estimates, scaled_on):
    """Each estimate, rescaled so that its mean squared standardised error on held-out cases is one."""
    if not isinstance(scaled_on, (tuple, list)) or len(scaled_on) != 3:
        raise ValueError("scaled_on must be (y_true, mean, uncertainties) of other cases")
    validation.same_order(**{"scaled_on[0]": scaled_on[0], "scaled_on[1]": scaled_on[1]})
    y, m = validation.vector("scaled_on[0]", scaled_on[0]), validation.vector("scaled_on[1]", scaled_on[1])
    others = _estimates("scaled_on[2]", scaled_on[2], len(y))
    scaled = {}
    for name, u in estimates.items():
        if name not in others:
            raise ValueError(f"scaled_on has no estimate {name!r}")
        if (u > 0).all() and (others[name] > 0).all():
            scaled[f"{name}, scaled"] = u * np.sqrt(np.mean(((y - m) / others[name]) ** 2))
    return scaled


def _metrics() -> list[Metric]:
    tasks = {"ranking": "ranking", "calibration": "regression", "proper scores": "regression"}
    return [REGISTRY[tasks[benchmark], name] for benchmark, names in BENCHMARKS.items() for name in names]


def _value(metric, y, mean, uncertainty):
    if metric.task == "ranking":
        return metric(np.abs(y - mean), uncertainty)
    return metric(y, mean, uncertainty)


def _result(cells, columns, found, draws, units, coverage, repeats):
    rows, low, high = {}, {}, {}
    tail = tail_of(coverage, units)
    benchmark = {name: kind for kind, names in BENCHMARKS.items() for name in names}
    for metric in _metrics():
        places = [index for index, (other, _) in enumerate(cells) if other is metric]
        names = [cells[index][1] for index in places]
        key = (benchmark[metric.name], metric.label)
        rows[key] = _row(metric, columns, names, found[places], draws[:, places], units, coverage)
        ends = percentiles(draws[:, places], tail)
        low[key], high[key] = (dict(zip(names, end, strict=True)) for end in ends)
    table = pd.DataFrame.from_dict(rows, orient="index")
    note = (f"Best: the best value. Separably worse: the {100 * coverage:.10g}% interval of the paired difference "
            f"from it, over {repeats} resamples of the cases, excludes zero, and some estimate is ahead by more than "
            f"the largest error among all pairs of that row. Each row is judged alone.")
    return UniqueBenchmarks(table.rename_axis(["benchmark", "metric"]), _frame(low, columns), _frame(high, columns),
                            (note,))


def _frame(rows: Mapping[Any, Any], columns: list[str]) -> pd.DataFrame:
    frame = pd.DataFrame.from_dict(rows, orient="index", columns=None).reindex(columns=columns)
    return frame.rename_axis(["benchmark", "metric"])


def _row(metric, columns, names, values, draws, units, coverage):
    losses, drawn = (values, draws) if metric.lower_is_better else (-values, -draws)
    row: dict[str, Any] = {"better": "lower" if metric.lower_is_better else "higher", **dict.fromkeys(columns, np.nan)}
    row |= dict(zip(names, values.tolist(), strict=True))
    if np.isnan(losses).all():
        best, worse = "-", "-"
    else:
        first = int(np.nanargmin(losses))
        least = percentiles(drawn - drawn[:, [first]], tail_of(coverage, units))[0]
        together = all_together(losses, drawn, first, coverage, units, resampled=True)
        best = ", ".join(name for name, loss in zip(names, losses, strict=True) if loss == losses[first])
        behind = (least > 0) & ~together.may_be_best
        worse = ", ".join(name for name, is_behind in zip(names, behind, strict=True) if is_behind) or "-"
    return row | {"best": best, "separably worse": worse, "decides": DECIDES[metric.task, metric.name]}
