"""Which of many? A board of models scored again for what a solved task is worth, with the set that may be the best.

Implements the sensitivity to costs of the PWU paper, appendix L, for solved tasks and their bills.
"""

from __future__ import annotations

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
from pwu_lite.reporting.rules import RULES

from . import as_labels, as_numbers, tables
from .as_labels import key
from .as_numbers import column_of, line_of

__all__ = ["Board", "Charged", "amount", "board", "board_of", "is_board", "likely", "read_board", "rows", "worths"]

ROLES = {"model": ("model", "agent", "system", "submission", "model_name"),
         "task": ("task", "instance_id", "instance", "task_id", "question_id", "question", "problem", "id", "item"),
         "solved": ("solved", "resolved", "correct", "passed", "success", "accuracy"),
         "cost": ("cost", "dollars", "usd", "price", "total_cost", "cost_usd")}
TRIES = ("epoch", "run", "trial", "seed", "sample", "attempt", "try", "repeat")
PLACES, MANY = 41, 7  # values on the axis; so many models are not all named in a sentence


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
    cost : DataFrame, shape (values, m)
        Average cost of a case.
    may_be_best : DataFrame of bool, shape (values, m)
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
            where = amount(low) if low == high else f"{amount(low)} to {amount(high)}"
            listed = f"{', '.join(names[:-1])} and {names[-1]}" if len(names) < MANY else (
                f"{len(names)} models, from {names[0]}, the cheapest, to {names[-1]},")
            who = (f"{names[0]} alone may be the best" if len(names) == 1 else
                   f"it cannot be told which of {listed} is the best")
            found.append(f"{self.value[0].upper()}{self.value[1:]} {where}: {who}.")
        return tuple(found)

    def __str__(self) -> str:
        return "\n".join([*self.words, self.sure])

    @property
    def sure(self) -> str:
        """How many cases there are, and what the sets cover."""
        sure = "the sets are 95% sure for all values at once" if self.together else (
            "each set is 95% sure at its value by itself")
        return f"From {_many(self.cases, 'case')}; {sure}."


def board_of(losses: Mapping[float, pd.DataFrame], value: str = "value", *, together: bool = False,
             **options: Any) -> Board:
    """A board from the losses of the cases, a table of cases and models for each value.

    Parameters
    ----------
    losses : mapping of float to DataFrame, shape (cases, m)
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
    solved : DataFrame, shape (tasks, m)
        1 or 0, or a share where a task was tried several times.
    cost : DataFrame, shape (tasks, m)
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


def read_board(source: Any, groups: str | None = None, tries: str | None = None,
               **columns: str) -> tuple[pd.DataFrame, pd.DataFrame, list[str], np.ndarray | None]:
    """What was solved and what it cost, tasks by models; what was taken, in words; and the group of each task.

    Parameters
    ----------
    source : str, path or DataFrame
        A table with a row for each model and task; or JSON of models, tasks and their ``resolved`` and ``cost``, as
        the site of SWE-bench keeps it.
    groups : str, optional
        Column of tasks that belong together.
    tries : str, optional
        Column with the number of a try; several tries of one task by one model are averaged.
    **columns
        Names of the columns ``model``, ``task``, ``solved`` and ``cost``, where the file calls them otherwise; a task
        may be named by several columns, with commas.

    Raises
    ------
    ValueError
        A column that cannot be told, an empty name, a negative cost, or no task that all models have tried.

    Examples
    --------
    >>> rows = pd.DataFrame({"agent": ["a", "b"], "instance_id": [1, 1], "resolved": [True, False], "usd": [0.2, 0.1]})
    >>> solved, cost, said, groups = read_board(rows)
    >>> solved.loc["1"].tolist(), cost.loc["1"].tolist()
    ([1.0, 0.0], [0.2, 0.1])
    """
    frame, names = rows(source), {}
    known = likely(frame)
    for role in ROLES:
        name = columns.get(role) or known.get(role)
        if name is None:
            raise ValueError(f"which column is the {role}? Say --{role} NAME; the columns are: "
                             f"{', '.join(map(str, frame.columns))}")
        for part in name.split(",") if role == "task" and name not in frame else [name]:
            column_of(frame, part)
        names[role] = name
    if len(set(names.values())) < len(names):
        roles = ", ".join(f"{role} is {name}" for role, name in names.items())
        raise ValueError(f"one column cannot have two roles: {roles}")
    model = _named(frame, names["model"], "model")
    whole = names["task"] in frame
    parts = [_named(frame, part, "task") for part in ([names["task"]] if whole else names["task"].split(","))]
    task = parts[0] if len(parts) == 1 else pd.Series([" ".join(row) for row in zip(*parts, strict=True)], frame.index)
    if model.nunique() < 2:
        raise ValueError(f"there is no other model to compare {model.iloc[0]} with" if len(model) else "no row is left")
    _refuse_repeats(frame, model, task, {*names.values(), *names["task"].split(","), tries})
    cells = pd.DataFrame({"task": task, "model": model, "solved": _shares(frame, names["solved"]),
                          "cost": as_numbers.amounts(frame, names["cost"], least=0)})
    wide = cells.groupby(["task", "model"])[["solved", "cost"]].mean().unstack()
    kept = wide.dropna()
    if kept.empty:
        raise ValueError(f"no task was tried by every model, if column {names['task']!r} is the task: say --task NAME, "
                         "or keep the models whose tasks are the same")
    said = [f"{_many(len(kept), 'task')}, {_many(wide.shape[1] // 2, 'model')}.",
            f"Column {names['model']!r} names the models, {names['task']!r} the tasks; {names['solved']!r} says what "
            f"was solved, {names['cost']!r} what it cost."]
    if len(kept) < len(wide):
        count = wide["solved"].notna().sum()
        fewest = str(count.idxmin())
        said.append(f"{_many(len(wide) - len(kept), 'task')} that some model has not tried: left out ({fewest} has "
                    f"tried {count.min():,} of {len(wide):,}).")
    if len(frame) > wide.notna().sum().sum() // 2:
        said.append("Several tries of one task by one model are averaged.")
    if groups is None or groups == "none":
        return kept["solved"], kept["cost"], said, None
    of_task = pd.Series(as_labels.groups(frame, groups), frame.index).groupby(task)
    if (of_task.nunique() > 1).any():
        raise ValueError(f"column {groups!r} has several values for one task")
    return kept["solved"], kept["cost"], said, of_task.first().loc[kept.index].to_numpy()


def _many(number, noun):
    return f"{number:,} {noun}{'s' * (number != 1)}"


def _named(frame, name, role):
    """Names as they are written: 4.1 and 4.10 are two models, unless the column holds numbers."""
    column = column_of(frame, name)
    blank = (column.isna() | (column.astype(str).str.strip() == "")).to_numpy()
    if blank.any():
        line = line_of(frame, int(np.flatnonzero(blank)[0]))
        raise ValueError(f"line {line}, column {name!r}: expected the name of a {role}, got nothing")
    return column.map(key) if column.dtype.kind in "if" else column.astype(str).str.strip()


def _shares(frame, name):
    """Right and wrong as ones and zeros, or shares."""
    read = as_numbers.values(column_of(frame, name))
    if np.isfinite(read).all() and ((read >= 0) & (read <= 1)).all():
        return read
    return as_labels.right_or_wrong(frame, name)


def _refuse_repeats(frame, model, task, used):
    """Rows of one model and task that another column tells apart are tries of it, or other tasks: ask which."""
    if frame.empty or not pd.DataFrame({"model": model, "task": task}).duplicated().any():
        return
    for name in frame.columns:
        if str(name) in used or str(name).lower() in TRIES:
            continue
        column = frame[name].astype(str)
        apart = not pd.DataFrame({"model": model, "task": task, "other": column}).duplicated().any()
        if apart and column.groupby(model).agg(lambda values: tuple(sorted(set(values)))).nunique() == 1:
            raise ValueError(f"rows repeat a model and a task, and column {name!r} tells them apart: add --task "
                             f"{name},TASK if it is part of the task, or --tries {name} if it counts tries")


def rows(source: Any) -> pd.DataFrame:
    """The table of a file, or what SWE-bench keeps as JSON, with a row for each model and task.

    Raises
    ------
    ValueError
        A model and task without ``resolved`` or without a cost.

    Examples
    --------
    >>> rows(pd.DataFrame({"model": ["a"]})).shape
    (1, 1)
    """
    if isinstance(source, pd.DataFrame):
        return source.reset_index(drop=True)
    held = _nested(source)
    if held is None:
        return tables.read_table(str(source))
    found = []
    for model, tasks in held.items():
        for task, one in tasks.items():
            solved, cost = one.get("resolved"), one.get("cost")
            if not isinstance(solved, int | float) or not isinstance(cost, int | float) or isinstance(cost, bool):
                raise ValueError(f"{model}, {task}: resolved must be true or false, and cost a number, got "
                                 f"{solved!r:.30} and {cost!r:.30}")
            found.append({"model": model, "task": task, "solved": float(solved), "cost": float(cost)})
    return pd.DataFrame(found)


def _nested(source):
    """Models, their tasks, and of each task what is known, if the file is an object of objects of objects."""
    path = Path(str(source))
    if not path.is_file() or path.suffix.lower() in (".gz", ".zip", ".parquet"):
        return None
    with path.open("rb") as file:
        if not file.read(64).removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{"):
            return None
    try:
        held = json.loads(path.read_text(encoding="utf-8-sig"), object_pairs_hook=tables.once)
    except json.JSONDecodeError:
        return None
    if not held or not all(isinstance(of_model, dict) for of_model in held.values()):
        return None
    of_tasks = [one for of_model in held.values() for one in of_model.values()]
    if not all(isinstance(one, dict) for one in of_tasks):
        return None
    return held if any("resolved" in one for one in of_tasks) else None


def likely(frame: pd.DataFrame) -> dict[str, str]:
    """The columns that are called as a board's are, by role; of a role with several of them, none.

    Examples
    --------
    >>> likely(pd.DataFrame(columns=["agent", "instance_id", "id", "cost", "price"]))
    {'model': 'agent', 'task': 'instance_id'}
    """
    found = {role: [str(name) for name in frame.columns if str(name).strip().lower() in known]
             for role, known in ROLES.items()}
    found["task"] = [name for name in found["task"] if name.lower() not in ("id", "item")] or found["task"]
    return {role: names[0] for role, names in found.items() if len(names) == 1}


def is_board(frame: pd.DataFrame) -> bool:
    """Do the columns have all roles of a board, and no outcome or confidence beside them?

    Examples
    --------
    >>> is_board(pd.DataFrame({"model": ["a", "b"], "task": [1, 1], "solved": [1, 0], "cost": [2, 3]}))
    True
    """
    known = likely(frame)
    others = {str(name).lower() for name in frame.columns} - {name.lower() for name in known.values()}
    if len(known) < len(ROLES) or others & {*RULES["outcomes"], "confidence", "probability"}:
        return False
    return frame[known["task"]].astype(str).nunique() < len(frame)  # some task was tried by two


def amount(value: float) -> str:
    """Three digits, with commas for thousands.

    Examples
    --------
    >>> amount(2.6591), amount(5000.0), amount(12345.0)
    ('2.66', '5,000', '12,300')
    """
    return f"{float(f'{value:.3g}'):,.10g}"


def worths(low: float, high: float) -> Sequence[float]:
    """Values between two ends, evenly spaced by ratio.

    Examples
    --------
    >>> len(worths(1, 100)), worths(1, 100)[20], worths(5, 5)
    (41, 10.0, [5])
    """
    if not low < high:
        return [low]
    return [low, *(float(f"{one:.4g}") for one in np.geomspace(low, high, PLACES)[1:-1]), high]
