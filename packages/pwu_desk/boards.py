"""Which of many? A board of models scored again for what a solved task is worth, with the set that may be the best.

Implements the sensitivity to costs of the PWU paper, appendix L, for solved tasks and their bills.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from pwu_lite import validation
from pwu_lite.families import SeparableFamily
from pwu_lite.pwu import PWU
from pwu_lite.reporting.compare import compare

from . import tables

__all__ = ["Board", "Charged", "board", "board_of", "likely", "read_board", "rows", "worths"]

ROLES = {"model": ("model", "agent", "system", "submission", "model_name"),
         "task": ("task", "instance_id", "instance", "task_id", "question_id", "question", "problem", "id", "item"),
         "solved": ("solved", "resolved", "correct", "passed", "success", "accuracy"),
         "cost": ("cost", "dollars", "usd", "price", "total_cost", "cost_usd")}
PLACES = 41


class Charged(SeparableFamily):
    """Losses that are given: the forecast of a case is what it costs."""

    parameters = ()
    takes = ("loss",)

    def check(self, y_true: ArrayLike, loss: ArrayLike) -> tuple[np.ndarray, ...]:
        """Read numbers of any size."""
        return validation.vector("y_true", y_true), validation.vector("loss", loss)

    def cost(self, theta: Any, y: np.ndarray, loss: np.ndarray) -> np.ndarray:  # type: ignore[override]
        return loss

    def per_sample(self, prior: Any, y: np.ndarray, loss: np.ndarray) -> np.ndarray:  # type: ignore[override]
        return loss


@dataclass(frozen=True)
class Board:
    """Costs of all models at each value, and which of them may be the best there.

    Attributes
    ----------
    cost : DataFrame, shape (values, models)
        Average cost of a case.
    may_be_best : DataFrame of bool, shape (values, models)
        The models that no other one rules out, 95% sure at each value by itself.
    cases : int
    value : str
        What the values are, in words.
    together : bool
        Are the sets sure for all values at once?
    """

    cost: pd.DataFrame
    may_be_best: pd.DataFrame
    cases: int
    value: str
    together: bool = False

    @property
    def for_nobody(self) -> list[str]:
        """The models that may be the best at no value: ruled out for every reader, if the sets hold ``together``."""
        return [str(name) for name in self.may_be_best.columns[~self.may_be_best.any()]]

    @property
    def stretches(self) -> pd.DataFrame:
        """Neighbouring values with the same set: ``low``, ``high``, ``may be best`` (the cheapest first)."""
        rows: list[list[Any]] = []
        for at, kept in self.may_be_best.iterrows():
            order = [name for name in self.cost.loc[at].sort_values(kind="stable").index if kept[name]]
            if rows and set(rows[-1][2]) == set(order):
                rows[-1][1] = at
            else:
                rows.append([at, at, order])
        return pd.DataFrame(rows, columns=["low", "high", "may be best"])

    @property
    def words(self) -> tuple[str, ...]:
        """A sentence for each stretch of values."""
        found = []
        for low, high, names in self.stretches.itertuples(index=False):
            where = f"{low:.3g}" if low == high else f"{low:.3g} to {high:.3g}"
            who = (f"{names[0]} alone may be the best" if len(names) == 1 else
                   f"it cannot be told which of {', '.join(names[:-1])} and {names[-1]} is the best")
            found.append(f"{self.value[0].upper()}{self.value[1:]} {where}: {who}.")
        return tuple(found)

    def __str__(self) -> str:
        sure = "the sets are 95% sure for all values at once" if self.together else (
            "each set is 95% sure at its value by itself")
        return "\n".join([*self.words, f"From {self.cases:,} cases; {sure}."])


def board_of(losses: Mapping[float, pd.DataFrame], value: str = "value", *, together: bool = False,
             **options: Any) -> Board:
    """A board from the losses of the cases, a table of cases and models for each value.

    Parameters
    ----------
    losses : mapping of float to DataFrame, shape (cases, models)
        The same cases and models at each value.
    value : str
        What the values are, in words.
    together : bool
        Sets that are 95% sure for all values at once (Bonferroni), and so larger: then a model that is in none of them
        is ruled out for every reader.
    **options
        ``groups``, ``blocks``, ``n_resamples``, ``seed`` and others of `pwu_lite.compare`.

    Raises
    ------
    ValueError
        No table, or models that differ.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> bills = pd.DataFrame({"small": rng.uniform(0, 1, 200), "large": rng.uniform(1, 2, 200)})
    >>> board_of({1.0: bills}, "worth").words
    ('Worth 1: small alone may be the best.',)
    """
    if not losses:
        raise ValueError("losses must have a table for at least one value")
    names = [str(name) for name in next(iter(losses.values())).columns]
    cost, best, cases = {}, {}, 0
    if together:  # and as many more resamples, since their tails decide
        options = {"coverage": 1 - 0.05 / len(losses), "n_resamples": 1000 + 100 * len(losses), **options}
    for at, given in losses.items():
        if [str(name) for name in given.columns] != names:
            raise ValueError(f"the models at {at:g} are not those at the first value")
        models = {name: given.iloc[:, place].to_numpy(float) for place, name in enumerate(names)}
        cases = len(given)
        # An outcome that is neither 0 nor 1: nothing here is an event.
        table = compare(np.full(cases, 0.5), models, PWU(Charged()), **options).table.loc[names]
        cost[at], best[at] = table["cost"], table["may be best"]
    return Board(pd.DataFrame(cost).T, pd.DataFrame(best).T.astype(bool), cases, value, together)


def board(solved: pd.DataFrame, cost: pd.DataFrame, worth: Iterable[float], **options: Any) -> Board:
    """Models by what they cost net of the tasks that they solve, for each worth of a solved task.

    Parameters
    ----------
    solved : DataFrame, shape (tasks, models)
        1 or 0, or a share where a task was tried several times.
    cost : DataFrame, shape (tasks, models)
        What the attempt cost, with the same rows and columns.
    worth : iterable of float
        What a solved task is worth, in the unit of the cost.
    **options
        As `board_of` takes them; tasks of one kind (a repository, a question in several wordings) are ``groups``.

    Raises
    ------
    ValueError
        Tables of other tasks or models, missing values, or shares beyond 0 and 1.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> solved = pd.DataFrame({"small": rng.random(400) < 0.5, "large": rng.random(400) < 0.7})
    >>> cost = pd.DataFrame({"small": np.full(400, 0.1), "large": np.full(400, 1.0)})
    >>> print(board(solved, cost, [1, 50]))
    Worth of a solved task 1: small alone may be the best.
    Worth of a solved task 50: large alone may be the best.
    From 400 cases; each set is 95% sure at its value by itself.
    """
    if not solved.index.equals(cost.index) or list(solved.columns) != list(cost.columns):
        raise ValueError("solved and cost must have the same tasks and the same models, in the same order")
    share, paid = solved.astype(float), cost.astype(float)
    if not np.isfinite(paid.to_numpy()).all() or not ((share >= 0) & (share <= 1)).to_numpy().all():
        raise ValueError("solved must be between 0 and 1, and every cost a number: no task may lack a model")
    return board_of({validation.positive("worth", float(one)): paid - float(one) * share for one in worth},
                     "worth of a solved task", **options)


def read_board(source: Any, groups: str | None = None,
               **columns: str) -> tuple[pd.DataFrame, pd.DataFrame, list[str], np.ndarray | None]:
    """What was solved and what it cost, tasks by models; what was taken, in words; and the group of each task.

    Parameters
    ----------
    source : str, path or DataFrame
        A table with a row for each model and task; or JSON of models, tasks and their ``resolved`` and ``cost``, as
        the site of SWE-bench keeps it. Several rows of one model and task are averaged.
    groups : str, optional
        Column of tasks that belong together.
    **columns
        Names of the columns ``model``, ``task``, ``solved`` and ``cost``, where the file calls them otherwise.

    Raises
    ------
    ValueError
        A column that cannot be told, or no task that all models have tried.

    Examples
    --------
    >>> rows = pd.DataFrame({"agent": ["a", "b"], "instance_id": [1, 1], "resolved": [True, False], "usd": [0.2, 0.1]})
    >>> solved, cost, said, groups = read_board(rows)
    >>> solved.loc["1"].tolist(), cost.loc["1"].tolist()
    ([1.0, 0.0], [0.2, 0.1])
    """
    frame, names = rows(source), {}
    for role in ROLES:
        name = columns.get(role) or likely(frame).get(role)
        if name is None or name not in frame:
            raise ValueError(f"which column is the {role}? Say --{role} NAME; the columns are: "
                             f"{', '.join(map(str, frame.columns))}")
        names[role] = name
    frame = frame.assign(**{"_solved": tables.right_or_wrong(frame, names["solved"]),
                            "_cost": tables.numbers(frame, names["cost"])})
    keys = [frame[names[role]].map(tables.key) for role in ("task", "model")]
    wide = frame.groupby([key.rename(role) for key, role in zip(keys, ("task", "model"), strict=True)])[
        ["_solved", "_cost"]].mean().unstack()
    whole = wide.dropna()
    if whole.empty:
        raise ValueError("no task was tried by every model: keep the models whose tasks are the same")
    said = [f"{len(whole):,} tasks, {wide.shape[1] // 2} models."]
    if len(whole) < len(wide):
        said.append(f"{len(wide) - len(whole):,} tasks that some model has not tried are left out.")
    if len(frame) > wide.notna().sum().sum() // 2:
        said.append("Several tries of one task by one model are averaged.")
    if groups is None:
        return whole["_solved"], whole["_cost"], said, None
    of_task = tables.column_of(frame, groups).map(tables.key).groupby(keys[0])
    if (of_task.nunique() > 1).any():
        raise ValueError(f"column {groups!r} has several values for one task")
    return whole["_solved"], whole["_cost"], said, of_task.first().loc[whole.index].to_numpy()


def rows(source: Any) -> pd.DataFrame:
    """The table of a file, or what SWE-bench keeps as JSON, with a row for each model and task.

    Examples
    --------
    >>> rows(pd.DataFrame({"model": ["a"]})).shape
    (1, 1)
    """
    if isinstance(source, pd.DataFrame):
        return source.reset_index(drop=True)
    if Path(source).suffix.lower() == ".json":
        with contextlib.suppress(ValueError, AttributeError, KeyError, TypeError):  # a table, in some other form
            held = json.loads(Path(source).read_text(encoding="utf-8"))
            return pd.DataFrame([
                {"model": model, "task": task, "solved": int(one["resolved"]), "cost": one["cost"]}
                for model, tasks in held.items() for task, one in tasks.items()])
    return tables.read_table(str(source))


def likely(frame: pd.DataFrame) -> dict[str, str]:
    """The columns that are called as a board's are, by role; of a role with several of them, none.

    Examples
    --------
    >>> likely(pd.DataFrame(columns=["agent", "instance_id", "cost", "price"]))
    {'model': 'agent', 'task': 'instance_id'}
    """
    found = {role: [str(name) for name in frame.columns if str(name).lower() in known] for role, known in ROLES.items()}
    return {role: names[0] for role, names in found.items() if len(names) == 1}


def worths(low: float, high: float) -> Sequence[float]:
    """Values between two ends, evenly spaced by ratio.

    Examples
    --------
    >>> len(worths(1, 100)), worths(1, 100)[20], worths(5, 5)
    (41, 10.0, [5])
    """
    return [float(f"{one:.4g}") for one in np.geomspace(low, high, PLACES)] if low < high else [low]
