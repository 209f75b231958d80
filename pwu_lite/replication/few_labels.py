"""With few labels, which score picks the cheaper model? The run of chapter 20, by a design that was fixed before it.

Imports cases, datasets, experiment, models, stored_tables, tasks, alignment, assisted, families, metrics, priors,
pwu, ranks; joblib, numpy, pandas, scipy, threadpoolctl.
Implements no part of a source; it asks what section 5.1 of the PWU paper leaves open.

The design:

* Sources. Yes or no: `BINARY_SOURCES`, six real and a simulation; mean and spread: `REGRESSION_SOURCES`, four and one.
* Of each, 20 training draws. Disjoint in each draw: 500 cases to train the ten models on, 3,000 from which labels
  come, at most 4,000 others on which the models are paid. Nothing is chosen on these.
* Labels: n = 30, 100, 300, 1,000, 3,000, ten random subsets of the 3,000 each (one of all). What is not labelled
  among the 3,000 may be used without its labels by the score that wants it.
* Arms. *As trained*; *private*: nine models see a random half of the columns and boosting sees all; *copies*: eight
  copies of the model that is worst on the paying cases, with a jitter that changes no act to speak of.
* Defaults of the assisted score: n0 = 100, and 50 as the only second value; two-parameter reference; refusal at 90%.
* First outcome: expected regret under the prior, on the paying cases, of the model that a score ranks first (ties
  shared), as a share of what a random choice among the models would cost. Second: Somers' d with the utilities,
  averaged over the prior.
* Units: training draws. Harm criterion: the worst source, and the private arm.
* Seen before the design was committed: one training draw of "good wine" and of "wine", while this code was tested.
  Nothing was changed after it but the speed of the code.
* Priors: those of the benchmarks, Beta(2, 10) on c and on lambda in variances of the training targets,
  Beta(1.2, 20.8) on k/n. Broadened: Beta(1, 5) on each.

Usage: python -m pwu_lite.replication.few_labels --jobs 2
"""

from __future__ import annotations

import argparse
import functools
import shlex
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import joblib
import numpy as np
import pandas as pd
from scipy.special import expit, logit
from scipy.stats import rankdata
from threadpoolctl import threadpool_limits

from .. import assisted
from ..alignment import agreement
from ..families import BinaryDecision, SelectivePrediction, TopK, mass_of_k, place_worth
from ..metrics import regression
from ..priors import Beta, Uniform
from ..pwu import PWU
from ..ranks import ROUNDING, share_places, snap
from . import datasets, experiment, models, stored_tables
from .cases import credit
from .tasks import BINARY, REGRESSION

__all__ = ["ARMS", "LABELS", "SOURCES", "Draw", "exact", "half", "load", "main", "makers", "outcome", "read_draw",
           "run_draw", "scores", "split"]

TRAIN, POOL, PAID, TRAINING_DRAWS, LABEL_DRAWS = 500, 3000, 4000, 20, 10
LABELS = (30, 100, 300, 1000, 3000)
ARMS = ("as trained", "private", "copies")
KNOWING = "boosting"  # the model with private information
COPIES = 8
COST_PRIORS: dict[str, Any] = {"PWU": Beta(2, 10), "PWU, broad prior": Beta(1, 5),
               "clipped Brier": Uniform(float(Beta(2, 10).ppf(0.05)), float(Beta(2, 10).ppf(0.95)))}
SHARE_PRIORS = {"PWU": Beta(1.2, 20.8), "PWU, broad prior": Beta(1, 5)}
COSTS, SHARES = BINARY.question("binary"), BINARY.question("top_k")
PRICES = REGRESSION.question("selective")


@dataclass
class Draw:
    """One training draw of a source: labels and forecasts on the pool and on the paying cases.

    ``forecasts`` maps a model to the columns of its forecast, pool first; ``scale`` is the variance of the
    training targets (one for probabilities).
    """

    y: np.ndarray
    forecasts: dict[str, tuple[np.ndarray, ...]]
    scale: float

    def __post_init__(self) -> None:
        self._tables: dict[str, tuple[np.ndarray, np.ndarray]] = {}

    def matrix(self, place: int = 0) -> np.ndarray:
        """A column of all forecasts, shape (cases, models)."""
        return np.column_stack([parts[place] for parts in self.forecasts.values()])

    def losses(self, name: str, rows: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Losses of some cases at labels that may be any number in [0, 1], shape (rows, models): linear in them."""
        if name not in self._tables:
            F = self.matrix()
            self._tables[name] = tuple(_of_label(name, label, F) for label in (0, 1))
        zero, one = (table[rows] for table in self._tables[name])
        return zero + y[:, None] * (one - zero)

    def expected(self, name: str, rows: np.ndarray, mean: np.ndarray, std: Any) -> np.ndarray:
        """Expected losses if targets have this mean and standard deviation, shape (rows, models)."""
        if name not in self._tables:
            m, s = self.matrix(0), self.matrix(1)
            self._tables[name] = _of_square(name, m, s, self.scale)
        fixed, slope = (table[rows] for table in self._tables[name])
        variance = np.broadcast_to(np.square(std), mean.shape)
        return fixed + slope * (variance[:, None] + (mean[:, None] - self.matrix(0)[rows]) ** 2)


def _of_label(name, label, F):
    """Loss of each case and model if all labels are this one."""
    hit = F if label else 1 - F
    if name == "log loss":
        return -np.log(np.clip(hit, np.finfo(float).eps, 1))
    if name == "Brier":
        return (1 - hit) ** 2
    score = PWU(BinaryDecision(), COST_PRIORS[name])
    return np.column_stack([score.per_sample(np.full(len(f), label), f) for f in F.T])


def _of_square(name, mean, std, scale):
    """Loss without an error, and what a squared error of one adds, of each case and model."""
    if name == "NLL":
        return np.log(std), 1 / (2 * std**2)
    if name == "MSE":
        return np.zeros_like(std), np.ones_like(std)
    score = exact("selective", scale, broad=name != "PWU")
    pairs = list(zip(mean.T, std.T, strict=True))
    fixed = np.column_stack([score.per_sample(m, m, s) for m, s in pairs])
    return fixed, (np.column_stack([score.per_sample(m + s, m, s) for m, s in pairs]) - fixed) / std**2


def _credit(name):
    data = credit.load(name)
    return _plain(data.X, data.y, "binary")


class _Data(NamedTuple):
    X: pd.DataFrame
    y: np.ndarray
    task: str


def _plain(X, y, task):
    return _Data(X.reset_index(drop=True), np.asarray(y), task)


def _of(name, label: Callable[[np.ndarray], np.ndarray] | None = None, task="binary"):
    """A data set of the book, perhaps with another target made of its own."""
    def load():
        data = datasets.load(name)
        return _plain(data.X, data.y if label is None else label(data.y), task)
    return load


def _friedman():
    """Friedman's first function of ten columns with noise that grows with one of them; 9,000 cases."""
    rng = np.random.default_rng(7)
    X = rng.random((9000, 10))
    mean = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + 5 * X[:, 4]
    return _plain(pd.DataFrame(X).add_prefix("x"), mean + rng.normal(size=9000) * (0.5 + 4 * X[:, 5]), "regression")


BINARY_SOURCES: dict[str, Callable[[], Any]] = {
    "bank": _of("bank"), "credit, Kaggle": lambda: _credit("kaggle"), "credit, PAKDD": lambda: _credit("pakdd"),
    "mushroom": _of("mushroom"), "good wine": _of("wine_quality", lambda y: (y >= 7).astype(float)),
    "digit eight": _of("pen_digits", lambda y: (y == 8).astype(float)),
    "simulated credit": lambda: _credit("simulated")}
REGRESSION_SOURCES: dict[str, Callable[[], Any]] = {
    "air quality": _of("air_quality", task="regression"), "power plant": _of("power_plant", task="regression"),
    "wine": _of("wine_quality", task="regression"), "parkinsons": _of("parkinsons", lambda y: y[:, 0], "regression"),
    "simulated": _friedman}
SOURCES = {**{name: "binary" for name in BINARY_SOURCES}, **{name: "regression" for name in REGRESSION_SOURCES}}


@functools.lru_cache(maxsize=1)
def load(source: str) -> Any:
    """Features and targets of a source.

    Raises
    ------
    FileNotFoundError
        Its files are not there.
    """
    return {**BINARY_SOURCES, **REGRESSION_SOURCES}[source]()


def half(data: Any) -> Any:
    """The same cases with a random half of the columns."""
    chosen = np.sort(np.random.default_rng(0).permutation(data.X.shape[1])[: (data.X.shape[1] + 1) // 2])
    return data._replace(X=data.X.iloc[:, chosen])


def split(data: Any, cell: experiment.Cell) -> tuple[np.ndarray, np.ndarray]:
    """Training cases, and the pool followed by the paying cases, of a training draw."""
    order = np.random.default_rng(cell.repeat).permutation(len(data.y))
    return order[:TRAIN], order[TRAIN:TRAIN + POOL + PAID]


def makers(task: str) -> dict[str, Any]:
    """The ten models of the benchmarks."""
    return models.classifiers() if task == "binary" else models.regressors()


def read_draw(source: str, repeat: int, folder: Path | str, arm: str = "as trained") -> Draw:
    """What the models of an arm said in a training draw.

    Raises
    ------
    FileNotFoundError
        A cell has not been run.
    """
    name, task = SOURCES[source], {"binary": BINARY, "regression": REGRESSION}[SOURCES[source]]
    forecasts = {}
    for model in makers(name):
        where = source if arm != "private" or model == KNOWING else f"{source}, half"
        said = experiment.predictions(experiment.Cell(where, model, repeat, 0), folder, task)
        forecasts[model] = said.forecast
    scale = 1.0
    if name == "regression":
        data = load(source)
        scale = float(np.var(data.y[split(data, experiment.Cell(source, "", repeat, 0))[0]]))
    draw = Draw(said.y, forecasts, scale)
    return _with_copies(draw, repeat) if arm == "copies" else draw


def _with_copies(draw, repeat):
    """Eight copies of the model that is worst on the paying cases, each with a small jitter of its own."""
    rng, paid = np.random.default_rng(repeat), slice(POOL, None)
    family = "binary" if len(next(iter(draw.forecasts.values()))) == 1 else "selective"
    cost = {name: exact(family, draw.scale)(draw.y[paid], *(part[paid] for part in parts))
            for name, parts in draw.forecasts.items()}
    worst = draw.forecasts[max(cost, key=lambda name: cost[name])]
    copies = {}
    for number in range(COPIES):
        noise = 0.01 * rng.normal(size=len(draw.y))
        copies[f"copy {number + 1}"] = ((expit(logit(np.clip(worst[0], 1e-9, 1 - 1e-9)) + noise),)
                                        if len(worst) == 1 else (worst[0] + noise * worst[1], worst[1]))
    return Draw(draw.y, {**draw.forecasts, **copies}, draw.scale)


def exact(family: str, scale: float, broad: bool = False) -> PWU:
    """The family's PWU, in the unit of the targets."""
    name = "PWU, broad prior" if broad else "PWU"
    if family == "selective":
        prior = COST_PRIORS[name]
        return PWU(SelectivePrediction(), Beta(prior.a, prior.b, scale=scale))
    return PWU(TopK(), SHARE_PRIORS[name]) if family == "top_k" else PWU(BinaryDecision(), COST_PRIORS[name])


def scores(family: str, draw: Draw, labelled: np.ndarray, rest: np.ndarray) -> dict[str, np.ndarray]:
    """What each score says of each model, lower is better, from the labelled cases (and `rest` without labels)."""
    found = (_regression if family == "selective" else _classification)(family, draw, labelled, rest)
    return {name: np.asarray(values, dtype=float) for name, values in found.items()}


def _classification(family, draw, labelled, rest):
    y, F = draw.y[labelled], draw.matrix()
    f = F[labelled]
    q, moments = assisted.binary_reference(y, f)
    both = [draw.losses(name, labelled, y) for name in ("log loss", "Brier", "clipped Brier")]
    found = dict(zip(("log loss", "Brier", "clipped Brier"), [losses.mean(axis=0) for losses in both], strict=True))
    found["AUROC"] = [-_auroc(y, g) for g in f.T]
    found["average precision"] = [-_average_precision(y, g) for g in f.T]
    found["assisted log loss"] = _pulled(both[0], draw.losses("log loss", labelled, q), 100).mean(axis=0)
    if family == "top_k":
        def at(name, labels):
            return _hits(SHARE_PRIORS[name], f, labels)
    else:
        def at(name, labels):
            return draw.losses(name, labelled, labels)
    for name in ("PWU", "PWU, broad prior"):
        found[name] = at(name, y).mean(axis=0)
    found |= _shrunken(at("PWU", y), at("PWU", q), moments)
    alone = [assisted.binary_reference(y, np.delete(f, j, axis=1))[0] for j in range(f.shape[1])]
    found["leave itself out"] = [_pulled(at("PWU", y), at("PWU", other), 100)[:, j].mean()
                                 for j, other in enumerate(alone)]
    found["prediction-powered"] = found["PWU"]
    if len(rest):
        guess, free = (_fitted(draw, labelled, rows)[0] for rows in (labelled, rest))
        if family == "top_k":  # ranks in the pool; the correction with weight one
            both_parts = np.concatenate([guess + (y.size + rest.size) / y.size * (y - guess), free])
            found["prediction-powered"] = _hits(SHARE_PRIORS["PWU"], np.vstack([f, F[rest]]), both_parts).mean(axis=0)
        else:
            found["prediction-powered"] = _tuned(at("PWU", y), at("PWU", guess), draw.losses("PWU", rest, free))
    return found


def _hits(prior, F, y):
    """The top-k loss as a mean over cases, at labels that may be any number, shape (n, models)."""
    places = place_worth(mass_of_k(prior, y.size))
    return np.column_stack([-share_places(f, places) * y.size * y for f in F.T])


def _auroc(y, f):
    """Share of pairs of an event and another case that are ranked right, ties half; one half without pairs."""
    events = y.sum()
    pairs = events * (y.size - events)
    return (rankdata(f)[y == 1].sum() - events * (events + 1) / 2) / pairs if pairs else 0.5


def _average_precision(y, f):
    """Precision at each threshold, weighted by the recall that it adds; one without events."""
    order = np.argsort(-f, kind="stable")
    last = np.append(np.flatnonzero(np.diff(f[order])), y.size - 1)
    hits = np.cumsum(y[order])[last]
    return float(np.diff(hits, prepend=0) @ (hits / (last + 1)) / hits[-1]) if hits[-1] else 1.0


def _pulled(at, expected, n0):
    weight = len(at) / (len(at) + n0)
    return weight * at + (1 - weight) * expected


def _shrunken(at, expected, moments):
    """The assisted scores from losses at the labels, and as the reference expects them."""
    checked = assisted.shrink(at, expected, moments, 100.0, range(at.shape[1]))
    return {"assisted": checked.table["assisted"], "assisted, or plain if refused": checked.table["loss"],
            "assisted, n0 = 50": _pulled(at, expected, 50).mean(axis=0), "reference alone": expected.mean(axis=0)}


def _tuned(at, expected, expected_free):
    """Mean at the labels, plus lambda times (mean expected without labels - with), lambda of least variance.

    Prediction-powered inference (Angelopoulos and co-authors), tuned model by model.
    """
    spread = expected.var(axis=0)
    weight = np.where(spread > 0, ((at - at.mean(axis=0)) * (expected - expected.mean(axis=0))).mean(axis=0)
                      / np.where(spread > 0, spread, 1) / (1 + len(at) / len(expected_free)), 0.0)
    return at.mean(axis=0) + weight * (expected_free.mean(axis=0) - expected.mean(axis=0))


def _regression(family, draw, labelled, rest):
    y, parts = draw.y[labelled], list(draw.forecasts.values())
    mean, std = (np.column_stack([pair[place][labelled] for pair in parts]) for place in (0, 1))
    middle, variance, moments = assisted.gaussian_reference(y, mean, std)
    spread = np.sqrt(variance)
    at = {name: draw.expected(name, labelled, y, 0.0) for name in ("NLL", "MSE", "PWU", "PWU, broad prior")}
    found = {name: losses.mean(axis=0) for name, losses in at.items()}
    found["CRPS"] = [regression.crps_gaussian(y, m, s) for m, s in zip(mean.T, std.T, strict=True)]
    found["assisted NLL"] = _pulled(at["NLL"], draw.expected("NLL", labelled, middle, spread), 100).mean(axis=0)
    found |= _shrunken(at["PWU"], draw.expected("PWU", labelled, middle, spread), moments)
    found["prediction-powered"] = found["PWU"]
    if len(rest):
        guess, free = (draw.expected("PWU", rows, *_fitted(draw, labelled, rows)) for rows in (labelled, rest))
        found["prediction-powered"] = _tuned(at["PWU"], guess, free)
    return found


def outcome(said: Mapping[str, np.ndarray], cost: np.ndarray, utilities: np.ndarray, mass: np.ndarray) -> pd.DataFrame:
    """Regret of each score's first model, and Somers' d with the utilities over the prior.

    Parameters
    ----------
    said : mapping of score to ndarray of shape (models,)
        Lower is better.
    cost : ndarray, shape (models,)
        Expected cost under the prior on the paying cases.
    utilities : ndarray, shape (models, cells)
    mass : ndarray, shape (cells,)

    Examples
    --------
    >>> found = outcome({"right": np.array([1., 2, 3])}, np.array([.1, .2, .6]), np.array([[3.], [2], [1]]), np.ones(1))
    >>> float(found.loc["right", "regret"]), float(found.loc["right", "d"])
    (0.0, 1.0)
    """
    table = np.column_stack([snap(values, 1e-12) for values in said.values()])
    best = table == table.min(axis=0)
    regret = (best * (cost - cost.min())[:, None]).sum(axis=0) / best.sum(axis=0)
    d = agreement(-table, utilities, tie=ROUNDING)["somers_d"]
    there = np.isfinite(d)
    with np.errstate(invalid="ignore"):
        mean = np.where(there, d, 0) @ mass / (there @ mass)
    return pd.DataFrame({"regret": regret, "d": mean}, list(said))


def _paid(family, draw):
    """Cost of each model on the paying cases, and its utility at each cell of the prior's grid."""
    question = {"binary": COSTS, "top_k": SHARES, "selective": PRICES}[family]
    y, score = draw.y[POOL:], exact(family, draw.scale)
    forecasts = [tuple(part[POOL:] for part in parts) for parts in draw.forecasts.values()]
    grid = question.grid()[:, 0]
    thetas = np.clip(np.ceil(grid * y.size), 1, y.size) if family == "top_k" else grid * draw.scale
    cost = np.array([score(y, *parts) for parts in forecasts])
    return cost, np.array([question.family.utility(thetas, y, *parts) for parts in forecasts]), question.mass()


def run_draw(source: str, repeat: int, arm: str, folder: Path | str) -> pd.DataFrame:
    """Regret and d of each score with each number of labels, for one training draw."""
    with threadpool_limits(1):
        draw, parts = read_draw(source, repeat, folder, arm), []
        for family in ["selective"] if SOURCES[source] == "regression" else ["binary", "top_k"]:
            cost, utilities, mass = _paid(family, draw)
            chance = cost.mean() - cost.min()
            for n in LABELS:
                rows = []
                for number in range(LABEL_DRAWS if n < POOL else 1):
                    order = np.random.default_rng([repeat, n, number]).permutation(POOL)
                    labelled, rest = np.sort(order[:n]), np.sort(order[n:])
                    found = outcome(scores(family, draw, labelled, rest), cost, utilities, mass)
                    found.loc["deploy the reference"] = _deployed(family, draw, labelled) - cost.min(), np.nan
                    rows.append(found)
                mean = sum(rows) / len(rows)
                parts.append(mean.rename_axis("score").reset_index().assign(n=n, family=family, chance=chance))
            parts.append(_bias_alone(family, draw, cost).assign(family=family, chance=chance))
    return pd.concat(parts, ignore_index=True).assign(source=source, draw=repeat, arm=arm)


def _fitted(draw, rows, new):
    """The reference's forecast of some cases, fitted to all labels of others; its own is one more candidate."""
    parts, y = list(draw.forecasts.values()), draw.y[rows]
    if len(parts[0]) == 1:
        x = assisted.mean_logit(np.column_stack([pair[0] for pair in parts]))
        return (expit(assisted.logistic(x[rows], y)(x[new])),)
    mean, variance = (np.mean([pair[place] ** (place + 1) for pair in parts], axis=0) for place in (0, 1))
    line = np.linalg.lstsq(np.column_stack([np.ones(y.size), mean[rows]]), y, rcond=None)[0]
    c, d = assisted.variance_line((y - line[0] - line[1] * mean[rows]) ** 2, variance[rows])
    return line[0] + line[1] * mean[new], np.sqrt(c + d * variance[new])


def _deployed(family, draw, labelled):
    """Cost on the paying cases of the reference itself."""
    paid = np.arange(POOL, len(draw.y))
    return exact(family, draw.scale)(draw.y[paid], *_fitted(draw, labelled, paid))


def _bias_alone(family, draw, cost):
    """What the reference picks with all labels of the pool behind it and no luck of labels left, at equal weights."""
    pool, paid = np.arange(POOL), np.arange(POOL, len(draw.y))
    guess = _fitted(draw, pool, paid)
    if family == "selective":
        expected = draw.expected("PWU", paid, *guess).mean(axis=0)
    elif family == "top_k":
        expected = _hits(SHARE_PRIORS["PWU"], draw.matrix()[paid], guess[0]).mean(axis=0)
    else:
        expected = draw.losses("PWU", paid, guess[0]).mean(axis=0)
    pulled = snap((cost + expected) / 2, 1e-12)
    best = pulled == pulled.min()
    regret = float((best * (cost - cost.min())).sum() / best.sum())
    return pd.DataFrame({"score": "bias alone", "regret": regret, "d": np.nan, "n": POOL}, [0])


def main(arguments: Sequence[str] | None = None) -> int:
    """Fit what is missing, score, write the table; 1 if a cell failed."""
    parser = argparse.ArgumentParser("python -m pwu_lite.replication.few_labels", description=main.__doc__)
    parser.add_argument("--sources", nargs="+", default=list(SOURCES), choices=list(SOURCES), metavar="SOURCE")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--folder", type=Path, default=Path("experiments/few_labels"))
    parser.add_argument("--results", type=Path, default=Path("book/results"))
    parser.add_argument("--scheduler", help="address of a Dask scheduler (extra [cluster])")
    given = parser.parse_args(arguments)
    words = sys.argv[1:] if arguments is None else arguments
    if given.jobs < 1:
        parser.error(f"--jobs must be at least 1, got {given.jobs}")
    started = time.time()
    failed = []
    for source in given.sources:
        data, made = load(source), makers(SOURCES[source])
        knowing = {name: maker for name, maker in made.items() if name != KNOWING}
        for name, table, some in ((source, data, made), (f"{source}, half", half(data), knowing)):
            cells = [experiment.Cell(name, model, repeat, 0) for repeat in range(TRAINING_DRAWS) for model in some]
            failed += experiment.run(cells, {name: table}, some, given.folder, jobs=given.jobs, split=split,
                                     scheduler=given.scheduler)
    if failed:
        print(f"{len(failed)} cells failed, no table was written", file=sys.stderr)
        return 1
    jobs = [(source, repeat, arm) for source in given.sources for arm in ARMS for repeat in range(TRAINING_DRAWS)]
    parts = joblib.Parallel(n_jobs=given.jobs, verbose=1)(joblib.delayed(_kept)(*job, given.folder) for job in jobs)
    keys = ["source", "family", "arm", "draw", "n", "score"]
    table = pd.concat(parts)[[*keys, "regret", "d", "chance"]]
    seeds = "training draws 0 to 19, models by 1000 times the draw, labels by draw, n and number"
    command = f"python -m pwu_lite.replication.few_labels {shlex.join(words)}".strip()
    stored_tables.write(given.results / "few_labels.csv.gz", table, command, seeds, "%.6g")
    print(f"{len(table)} rows, {(time.time() - started) / 60:.0f} min since it was started or resumed", flush=True)
    return 0


def _kept(source, repeat, arm, folder):
    """A draw's table, from its file if it is there."""
    path = folder / "tables" / f"{source}-{arm}-{repeat:02d}.csv"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part")
        run_draw(source, repeat, arm, folder).to_csv(part, index=False)
        part.replace(path)
    return pd.read_csv(path)


if __name__ == "__main__":
    from pwu_lite.replication.few_labels import main as run_by_name

    raise SystemExit(run_by_name())
