"""Counts of outcomes and forecasts: scores for any number of cases, under priors chosen afterwards, with bounds that
always hold.

Implements section 4 of the PWU paper for data beyond memory: a case's loss is monotone in its forecast.
"""

from __future__ import annotations

import copy
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from pwu_lite import validation
from pwu_lite.families import BinaryDecision, SelectivePrediction, TopK
from pwu_lite.metrics.classification import net_benefit
from pwu_lite.priors import Dirac
from pwu_lite.pwu import PWU

from .picked import precision
from .query import DIALECTS, EDGE, END, Columns, counts, losses

__all__ = ["Bounded", "Tally"]

CELLS = 1024  # per unit of log odds, or of the logarithm of a variance
WIDE = 32  # the same, of rows that have a block: a hundred blocks of a hundred million cases then have 165,000 rows
_WIDER = 1e-6  # of a cell at both of its ends: engines round logarithms differently
_WAITING = 250_000  # rows
_DENSE = 8  # numbers in a range so many times as wide are counted place by place
_SMALLEST = 1e-300  # below, numbers lose their digits
_ROUNDING = 1e-11  # of a sum, relative
_SUMS = ("cases", "n", "s", "v")
_OWN = {"binary": ["y"], "selective": ["v"], "losses": ["v"]}  # columns of one kind only; v of losses: their sizes
_MISSING = "rows are missing: the cases with a block are not all cases; pass the whole result of the query"


class Bounded(NamedTuple):
    """An estimate, and bounds between which the exact value lies.

    Attributes
    ----------
    value, lower, upper : float or ndarray
    """

    value: Any
    lower: Any
    upper: Any


class Tally:
    """Counts of cases by outcome and by cell of the forecast: all that a score needs.

    A cell is a small interval of log odds. A table of some fifty thousand rows stands for any number of cases; with
    a hundred blocks of cases, from which intervals come, it has some two hundred thousand. Tables of parts of the data
    add up. A score is computed from the mean forecast in each cell. Its bounds put all forecasts at one end or the
    other of their cells, so they hold whatever the forecasts are.

    Parameters
    ----------
    kind : {"binary", "selective", "losses"}
        For `BinaryDecision` (outcome and probability), or `SelectivePrediction` (target, mean and standard deviation;
        then cells are of the variance, and hold its sum and that of the squared errors). "losses" are those of one
        decision that is fixed beforehand, added up as they are: there are no cells, and `score` takes no score.
    cells : int
        Number of cells per unit of log odds, or of the logarithm of a variance: up to 32, or a multiple of 32. Bounds
        are about 1/cells wide, relative to the score. Blocks are counted in 32 cells per unit.

    Raises
    ------
    ValueError
        Another kind, or another number of cells, or more than 100,000.

    Examples
    --------
    >>> from pwu_lite import Beta
    >>> first, second = Tally(), Tally()
    >>> first.update([1, 0], [0.9, 0.2])
    >>> second.update([1], [0.1])
    >>> first.merge(second)
    >>> found = first.score(PWU(BinaryDecision(), Beta(2, 10)))
    >>> round(found.value, 6), bool(found.lower < 0.207593 < found.upper)
    (0.207593, True)
    """

    def __init__(self, kind: str = "binary", cells: int = CELLS):
        self.kind = validation.one_of("kind", kind, "binary", "selective", "losses")
        self.cells = 1 if kind == "losses" else _cells_checked(cells)
        self._fine = _Sums()  # of all cases
        self._wide = _Sums()  # by block
        self._blocked = False  # has any case been given with a block?
        self._total = np.zeros(4)
        self._unsigned: bool | None = None  # blocks from 2**63 on, or below zero, which share their 64 bits
        self._lock = threading.RLock()

    def __getstate__(self) -> dict[str, Any]:
        with self._lock:  # of one moment, whatever is counted meanwhile
            state = {name: value for name, value in vars(self).items() if name != "_lock"}
            return state | {"_fine": self._fine.copy(), "_wide": self._wide.copy(), "_total": self._total.copy()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _lock=threading.RLock())

    def __copy__(self) -> Tally:
        return copy.deepcopy(self)

    def __len__(self) -> int:
        """Number of cases; a case of weight zero is not one."""
        return int(self._rows().sums[:, 0].sum())

    def __repr__(self) -> str:
        rows = self._rows().sums
        return f"Tally({self.kind!r}, cells={self.cells}): {int(rows[:, 0].sum()):,} cases in {len(rows):,} rows"

    def update(self, y_true: ArrayLike, *prediction: ArrayLike, weight: ArrayLike | None = None,
               block: ArrayLike | None = None) -> None:
        """Count some more cases.

        Parameters
        ----------
        y_true : array_like, shape (n,)
            Labels in {0, 1}, or targets; or losses, and nothing else.
        *prediction : array_like, shape (n,)
            ``y_prob``, or ``mean, std``.
        weight : array_like, shape (n,), optional
            Non-negative weights, in the same unit in every call: they are added up as they are. A case of weight
            zero is left out.
        block : array_like of int, shape (n,), optional
            A block number for each case, the same for every model, with about 100 different numbers in all: intervals
            come from the spread between blocks. Cases that belong together (a patient, a site) share a block. Any
            numbers of 64 bits will do, such as hashes; but negative ones and those from 2**63 on cannot be mixed.

        Raises
        ------
        ValueError
            Bad input, named with its first bad index. None of it is then counted.
        """
        if self.kind == "losses":
            kept = validation.vector("losses", *_given(y_true, prediction, 0))
            validation.reject("losses", kept, np.abs(kept) > validation.LARGEST, "is too large")
            y, outcome, cell, variance = kept, *(np.zeros(kept.size, dtype=np.int64),) * 2, np.abs(kept)
        elif self.kind == "binary":
            y, f = validation.check_binary(*_given(y_true, prediction, 1))
            outcome, cell, kept, variance = y.astype(np.int64), self._cells(f), f, np.zeros(y.size)
        else:
            y, mean, std = validation.check_regression(*_given(y_true, prediction, 2))
            kept, variance = (y - mean) ** 2, std**2
            outcome, cell = np.zeros(y.size, dtype=np.int64), self._cells(variance)
        parts = {f"prediction[{k}]": part for k, part in enumerate(prediction)}
        validation.same_order(y_true=y_true, **parts, weight=weight, block=block)
        weights = validation.check_weight(weight, y.size)
        blocks = np.zeros(y.size, dtype=np.int64) if block is None else _whole_numbers("block", block, y.size)
        weights = np.ones(y.size) if weights is None else weights
        with np.errstate(over="ignore"):
            sums = np.column_stack([weights > 0, weights, weights * kept, weights * variance])
        with self._lock:
            counted = sums[:, 0] > 0
            with np.errstate(over="ignore"):
                total = self._total + sums.sum(axis=0)
            if not np.isfinite(total).all():
                raise ValueError("weights, or targets, are too large to be added up: change their unit")
            self._sign(blocks[counted])
            self._total, self._blocked = total, self._blocked or block is not None
            fine = _grouped(np.column_stack([0 * outcome, outcome, cell])[counted], sums[counted])
            self._fine.add(*fine)
            keys, rows = fine if block is None else (  # without blocks, what is counted is counted on
                np.column_stack([blocks.astype(np.int64), outcome, cell])[counted], sums[counted])
            self._wide.add(*_grouped(self._merged(keys), rows))

    def merge(self, other: Tally) -> None:
        """Add the counts of another tally: those of other cases of the same model.

        Parameters
        ----------
        other : Tally
            A tally of the same kind, with the same cells.

        Raises
        ------
        ValueError
            A different kind, or different cells, or the tally itself.
        """
        if other is self:
            raise ValueError("a tally merged with itself would count each case twice")
        if not isinstance(other, Tally) or (other.kind, other.cells) != (self.kind, self.cells):
            raise ValueError(f"tallies to merge must agree in kind and cells, got {self!r} and {other!r:.80}")
        with other._lock:
            fine, wide, total, unsigned, blocked = (other._fine.settled(), other._wide.settled(), other._total.copy(),
                                                    other._unsigned, other._blocked)
        with self._lock:
            with np.errstate(over="ignore"):
                total = self._total + total
            if not np.isfinite(total).all():
                raise ValueError("weights, or targets, are too large to be added up: change their unit")
            self._sign(wide[0][:, 0].view(np.uint64) if unsigned else wide[0][:, 0])
            self._total, self._blocked = total, self._blocked or blocked
            self._fine.add(*fine)
            self._wide.add(*wide)

    @classmethod
    def from_counts(cls, frame: Any, kind: str = "binary") -> Any:
        """A tally from its table: what `sql` returns, or `to_parquet` wrote.

        Parameters
        ----------
        frame : DataFrame, Arrow table, or mapping of names to columns
            With the columns that `sql` names, in any case: ``cells``, ``cell``, ``cases``, ``n`` and ``s``; binary:
            ``y``; selective: ``v``; with blocks: ``block``; of several models: ``model``.
        kind : {"binary", "selective", "losses"}
            As they were counted.

        Returns
        -------
        Tally, or dict of name to Tally
            The latter with a column ``model``.

        Raises
        ------
        ValueError
            A column is missing, cases had a bad outcome, forecast or weight, counts are negative or not whole, the
            sums do not belong to the cells, or rows are missing. Where there are several models, it names the model.
        """
        column = _columns(frame, ["cells", "cell", "cases", "n", "s", *_OWN[cls(kind).kind]], kind)
        if "model" not in column:
            return cls._of_columns(column, kind)
        import pandas as pd  # takes half a second to import

        codes, names = pd.factorize(column["model"], use_na_sentinel=False)
        if len(set(map(str, names))) < len(names):
            raise ValueError(f"two models have one name as text: {', '.join(map(repr, names))}")
        rows = np.split(np.argsort(codes, kind="stable"), np.cumsum(np.bincount(codes))[:-1])  # of each model
        tallies = {}
        for name, chosen in zip(map(str, names), rows, strict=True):
            try:
                tallies[name] = cls._of_columns({key: values[chosen] for key, values in column.items()}, kind)
            except ValueError as error:
                raise ValueError(f"model {name!r}: {error}") from None
        return tallies

    @classmethod
    def _of_columns(cls, column: dict[str, np.ndarray], kind: str) -> Tally:
        size = len(column["cell"])
        if size == 0:
            return cls(kind)
        if (lost := np.isnan(column["cell"].astype(float))).any():
            cases = [np.sum(column["cases"][lost & (column["cells"] == one)]) for one in np.unique(column["cells"])]
            what = {"binary": "a forecast is missing or out of range, an outcome is not 0 or 1", "losses":
                    "a loss is missing", "selective": "a forecast is missing or out of range, an outcome is missing"}
            raise ValueError(f"{int(max(cases)):,} cases have no cell: {what[kind]}, a weight is negative or missing, "
                             f"a block is missing, or one of these is text")
        resolutions = validation.vector("cells", column["cells"])
        tally = cls(kind, int(resolutions.max()))
        split = "block" in column and tally.cells > WIDE
        wide = (resolutions == WIDE) & split
        validation.reject("cells", resolutions, ~wide & (resolutions != tally.cells),
                          f"must be {tally.cells}{f' or {WIDE}' * split}, as in the other rows")
        tally._blocked = bool(wide.any()) or "block" in column and not split
        sums = [validation.vector(name, column[name] if name in column else np.zeros(size)) for name in _SUMS]
        for name, values in zip(_SUMS, sums, strict=True):
            if (name, kind) != ("s", "losses"):
                validation.reject(name, values, values < 0, "must not be negative")
        validation.reject("cases", sums[0], sums[0] != np.floor(sums[0]), "must be a whole number")
        validation.reject("n", sums[1], (sums[0] == 0) & (sums[1] > 0), "must be 0 where there are no cases")
        blocks, outcomes, numbers = (
            np.zeros(size, dtype=np.int64) if name not in column else _whole_numbers(name, column[name], size)
            for name in ("block", "y", "cell"))
        validation.reject("y", outcomes, ~np.isin(outcomes, (0, 1)), "must be 0 or 1")
        most = 0 if kind == "losses" else END
        validation.reject("cell", numbers, (numbers < -most) | (numbers > most), f"must be at most {most:g} in size")
        if tally.cells > WIDE and not wide.any() and blocks.any():
            raise ValueError(_MISSING)
        tally._sign(blocks)
        keys, rows = np.column_stack([blocks.astype(np.int64), outcomes, numbers]), np.column_stack(sums)
        with np.errstate(over="ignore"):
            tally._total = rows[~wide].sum(axis=0)
        if not np.isfinite(tally._total).all():
            raise ValueError("weights, or targets, are too large to be added up: change their unit")
        counted = rows[:, 0] > 0
        fine, blocked = ~wide & counted, (wide if wide.any() else ~wide) & counted
        tally._fine.add(*_grouped(keys[fine] * np.array([0, 1, 1]), rows[fine]))
        tally._wide.add(*_grouped(keys[blocked] if wide.any() else tally._merged(keys[blocked]), rows[blocked]))
        tally._check_sums()
        return tally

    def _check_sums(self) -> None:
        """Means lie in their cells, and every case that is counted in a block is counted among all cases."""
        for rows in (self._rows(), self._rows(by_block=True)) if self.kind != "losses" else ():
            _, low, high = rows.places()
            given = rows.means()
            slack = 1e-9 * np.abs(given) + 1e-306 / rows.sums[:, 1]  # a product of small numbers loses its digits
            wrong = np.flatnonzero(~((given >= low - slack) & (given <= high + slack)))
            if wrong.size:
                raise ValueError(f"the forecasts counted in cell {rows.keys[wrong[0], 2]} average to "
                                 f"{given[wrong[0]]:g}, outside of it: were they counted with cells={rows.cells}, and "
                                 f"within [0, 1]?")
        fine, wide = self._rows(), self._rows(by_block=True)
        ours, theirs = (_grouped(keys * np.array([0, 1, 1]), sums)
                        for keys, sums in ((self._merged(fine.keys), fine.sums), (wide.keys, wide.sums)))
        if not (np.array_equal(ours[0], theirs[0]) and np.array_equal(ours[1][:, 0], theirs[1][:, 0])
                and np.allclose(ours[1][:, 1:], theirs[1][:, 1:], rtol=1e-9, atol=0)):
            raise ValueError(_MISSING)

    @staticmethod
    def sql(table: str, truth: str | None, models: str | tuple[str, str] | Sequence[Any] | Mapping[str, str], *,
            dialect: str = "ansi", block: str | None = None, weight: str | None = None, cells: int = CELLS) -> str:
        """A query that counts inside the database; `from_counts` reads its result.

        Cases that `update` would refuse come back without a cell, and `from_counts` refuses them.

        Parameters
        ----------
        table : str
            A table, or any expression that the engine accepts as one, copied as it stands:
            ``read_parquet('part-*.parquet')``.
        truth : str or None
            Name of the column of outcomes, numbers or booleans (`dialect`). None for losses.
        models : str, list of str, or mapping of str to str
            Names of columns of forecasts. A list gives one query for all of them, with a column ``model``. For
            selective prediction a model is a pair, mean and standard deviation, and is called by its mean. A mapping
            has the loss of a case of each model, an expression as it stands, for a tally of the kind "losses".
        dialect : {"ansi", "postgres", "spark", "mysql", "bigquery", "snowflake", "tsql"}
            The engine's words. "ansi" runs as it stands in DuckDB, SQLite, Polars, DataFusion, ClickHouse and
            PostgreSQL; in DataFusion and PostgreSQL, outcomes that are booleans need "postgres". In Snowflake a name
            is what its catalogue shows, often UPPER CASE.
        block, weight : str, optional
            A column, or an expression, as it stands: ``hash(patient) % 100``. Rows that have a block are counted in 32
            cells per unit.
        cells : int
            As in `Tally`.

        Raises
        ------
        ValueError
            Another dialect, no models, or the same one twice.

        Examples
        --------
        >>> print(Tally.sql("forecasts", "y", "p"))
        SELECT 1024 AS cells, y, cell,
          COUNT(CASE WHEN w > 0 OR cell IS NULL THEN 1 END) AS cases, SUM(w) AS n, SUM(w * f) AS s
        FROM (
          SELECT *, CASE WHEN y IS NULL OR f IS NULL OR w IS NULL THEN NULL
              WHEN f = 0 THEN -1000000000 WHEN f = 1 THEN 1000000000
              ELSE CAST(FLOOR(1024 * LN(f / (1 - f)) + 5e-07) AS INTEGER) END AS cell
          FROM (
            SELECT CASE WHEN COALESCE(source.given_y, NULL) BETWEEN 0 AND 0 THEN 0
              WHEN COALESCE(source.given_y, NULL) BETWEEN 1 AND 1 THEN 1 END AS y,
              CASE WHEN COALESCE(source.given_f, NULL) BETWEEN 0 AND 1
                THEN CAST(source.given_f AS DOUBLE PRECISION) END AS f,
              1 AS w
            FROM (SELECT given."y" AS given_y, given."p" AS given_f
              FROM (SELECT * FROM forecasts) AS given) AS source
          ) AS cases
        ) AS counted GROUP BY y, cell
        """
        words, cells = DIALECTS[validation.one_of("dialect", dialect, *DIALECTS)], _cells_checked(cells)
        several, of_losses = not isinstance(models, str | tuple), isinstance(models, Mapping)
        listed: list[Any] = list(models) if several else [models]
        kinds = {"name" if isinstance(model, str) else "pair" if isinstance(model, tuple) and len(model) == 2 else ""
                 for model in listed}
        if kinds not in ({"name"}, {"pair"}) or of_losses != (truth is None) or of_losses and kinds == {"pair"}:
            raise ValueError(f"models must be names of columns, or for selective prediction pairs of them, at least "
                             f"one; or with truth=None a mapping of names to losses: got {models!r}")
        if isinstance(models, Mapping):
            return "\nUNION ALL\n".join(losses(Columns(table, "", loss, label, block, weight, 1, 1), words)
                                       for label, loss in models.items())
        labels = [model if kinds == {"name"} else model[0] for model in listed]
        if twice := {label for label in labels if labels.count(label) > 1}:
            raise ValueError(f"model {min(twice)!r} is there twice")
        return "\nUNION ALL\n".join(
            counts(Columns(table, str(truth), model, label if several else None, block, weight, cells,
                           min(cells, WIDE)), words) for model, label in zip(listed, labels, strict=True))

    def counts(self) -> dict[str, Any]:
        """The table, column by column, as `from_counts` reads it (``pandas.DataFrame(tally.counts())``)."""
        with self._lock:
            fine, wide, blocked, unsigned = self._rows(), self._rows(by_block=True), self._blocked, self._unsigned
        parts = [fine] * (not blocked or wide.cells < fine.cells) + [wide] * blocked
        if not len(fine.keys):  # a row without cases: the table says how it was counted
            parts = [fine._replace(keys=np.zeros((1, 3), dtype=np.int64), sums=np.zeros((1, 4)))]
        keys, sums = (np.concatenate(part) for part in zip(*((rows.keys, rows.sums) for rows in parts), strict=True))
        columns = {"cells": np.repeat([rows.cells for rows in parts], [len(rows.keys) for rows in parts]),
                   **dict(zip(("block", "y", "cell"), keys.T, strict=True)), **dict(zip(_SUMS, sums.T, strict=True))}
        if unsigned:
            columns["block"] = columns["block"].astype(np.uint64)
        return {name: values for name, values in columns.items() if name not in "yv" or name in _OWN[self.kind]}

    def to_parquet(self, path: Any) -> None:
        """Write the table, whole or not at all. Needs pyarrow.

        Parameters
        ----------
        path : str or path
        """
        import pandas as pd  # takes half a second to import

        part = Path(f"{path}.part")
        try:
            pd.DataFrame(self.counts()).to_parquet(part)
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)

    def score(self, score: PWU | None = None) -> Bounded:
        """A score of all cases, with bounds that hold whatever the forecasts in the cells are.

        Parameters
        ----------
        score : PWU
            Score of a binary decision, of the top k, or of selective prediction, with one prior for all cases; None
            for losses.

        Raises
        ------
        ValueError
            A score of a different kind, or no cases; a score of the top k with weights.
        """
        rows = self._rows()
        if self.kind == "binary" and isinstance(score, PWU) and score.family == TopK():
            return self._top_k(score, rows)
        self._check(score, rows)
        weight = rows.sums[:, 1] / rows.sums[:, 1].max()
        size = np.sum(rows.sums[:, 3] / rows.sums[:, 1].max()) / weight.sum() if self.kind == "losses" else None
        value, least, most = (rows.losses(score, which) @ weight / weight.sum() for which in range(3))
        error = 0.0 if score is None else sum(prior.numerical_error for prior in score.priors)
        return _ordered(value, least - error, most + error, size, rows.sums[:, 0].max())

    def _top_k(self, score, rows):
        cells, where = np.unique(rows.keys[:, 2], return_inverse=True)
        event, cases = rows.keys[:, 1] == 1, rows.sums[:, 0]
        if not len(cells) or score.priors[0].length is not None or (rows.sums[:, 1] != cases).any():
            raise ValueError("the score of the top k needs cases without weights, and one prior for all of them")
        events, others = (np.bincount(where[chosen], cases[chosen], minlength=cells.size).astype(np.int64)[::-1]
                          for chosen in (event, ~event))
        value, least, most = precision(score.priors[0], events, others, (np.diff(cells) <= 1)[::-1],
                                       np.isin(cells, (-END, END))[::-1])
        return _ordered(-value, -most, -least)

    def curve(self, thetas: ArrayLike) -> Bounded:
        """Cost at each decision parameter, the Murphy diagram, with bounds.

        Parameters
        ----------
        thetas : array_like, shape (m,)
            Cost shares, or prices of passing.
        """
        family = BinaryDecision() if self.kind == "binary" else SelectivePrediction()
        values = [self.score(PWU(family, Dirac(theta))) for theta in validation.vector("thetas", thetas)]
        return Bounded(*np.array(values).T)

    def net_benefit(self, threshold: ArrayLike) -> Bounded:
        """Net benefit of acting above each threshold, with bounds; higher is better.

        Parameters
        ----------
        threshold : array_like, shape (m,)
            In [0, 1).
        """
        rows, thresholds = self._events(), validation.vector("threshold", threshold)
        middle, low, high = (net_benefit(rows.keys[:, 1], place, thresholds, sample_weight=rows.sums[:, 1])
                             for place in rows.extremes())
        return _ordered(middle, high, low, size=1 / (1 - thresholds))

    def auroc(self) -> Bounded:
        """Area under the ROC curve: pairs in the same or in neighbouring cells may be in either order.

        Raises
        ------
        ValueError
            No events, or nothing but events.
        """
        rows = self._events()
        # Weight of events and of others in each cell, cells by rising forecast.
        cells, where = np.unique(rows.keys[:, 2], return_inverse=True)
        event, weight = rows.keys[:, 1] == 1, rows.sums[:, 1] / rows.sums[:, 1].max(initial=0.0)
        ones, zeros = (np.bincount(where[chosen], weight[chosen], minlength=cells.size) for chosen in (event, ~event))
        if not (ones.sum() > 0 and zeros.sum() > 0):
            raise ValueError("AUROC needs events and cases without an event")
        # below[k] is the weight of others in all cells before the k-th. Mean forecasts of neighbouring cells may lie
        # on their common edge, so an event is surely above all but its own cell and the one before it, and possibly
        # above its own and the one after it.
        below, pairs = np.concatenate([[0.0], np.cumsum(zeros)]), ones.sum() * zeros.sum()
        index = np.arange(cells.size)
        near = np.diff(cells) <= 1  # the next row is the next cell
        sure = below[index - np.concatenate([[False], near])]
        possible = below[index + 1 + np.concatenate([near, [False]])]
        exact = (cells == -END) | (cells == END)  # all forecasts there are equal
        sure[exact] = possible[exact] = (below[index] + zeros / 2)[exact]
        value = ones @ (below[index] + zeros / 2) / pairs
        return _ordered(value, ones @ sure / pairs, ones @ possible / pairs)

    def blocks(self, score: PWU | None = None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """What each block adds to a score: numbers of the blocks, sums of losses, sums of weights.

        The losses of all blocks add up to the score. Inside a wide cell the loss of a block follows its mean forecast
        there, by the line that fits all cases of that cell best; `unseen` says how far losses are from that line.

        Parameters
        ----------
        score : PWU
            Of a binary decision, or of selective prediction: the order of all cases has no blocks.
        """
        fine, wide, numbers, where = self._both(score)
        place, slopes = self._lines(score, fine)
        losses = np.sum(wide.sums[:, 1:] * slopes[np.searchsorted(place, _code(wide.keys))], axis=1)
        return numbers, np.bincount(where, losses), np.bincount(where, wide.sums[:, 1])

    def unseen(self, score: PWU | None = None) -> float:
        """Spread of the sum of losses that blocks do not show: about the lines in wide cells, of independent cases.

        It is a standard deviation.

        It is next to nothing unless the prior has much of its mass inside of one cell, as a point has.

        Parameters
        ----------
        score : PWU
            As in `score`.
        """
        fine, *_ = self._both(score)
        place, slopes = self._lines(score, fine)
        weight = fine.sums[:, 1]
        on_line = np.sum(fine.sums[:, 1:] * slopes[np.searchsorted(place, _code(self._merged(fine.keys)))], axis=1)
        left = fine.losses(score, 0) - on_line / weight
        each = np.abs(weight / np.sqrt(fine.sums[:, 0]) * left)
        return float(np.linalg.norm(each / (largest := each.max() or 1.0)) * largest)

    def outcomes(self) -> tuple[float, float]:
        """Weight of the cases without an event, and of those with one; of a binary tally."""
        rows = self._events()
        event, weight = rows.keys[:, 1] == 1, rows.sums[:, 1]
        return float(weight[~event].sum()), float(weight[event].sum())

    def cases(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """How many cases each block has: numbers of the blocks, cases without an event (or all), cases with one.

        Cases are counted whatever their weights are.

        Examples
        --------
        >>> tally = Tally()
        >>> tally.update([1, 0, 1], [0.9, 0.2, 0.4], weight=[0.1, 0.1, 7])
        >>> [column.tolist() for column in tally.cases()]
        [[0], [1], [2]]
        """
        rows = self._rows(by_block=True)
        numbers, where = self._numbered(rows)
        event, count = rows.keys[:, 1] == 1, rows.sums[:, 0]
        both = (np.bincount(where, np.where(chosen, count, 0), minlength=numbers.size) for chosen in (~event, event))
        without, with_one = (column.astype(np.int64) for column in both)
        return numbers, without, with_one

    def _rows(self, by_block: bool = False) -> _Rows:
        """The rows as they are now, equal keys together: what another thread counts meanwhile is not in them."""
        with self._lock:
            keys, sums = (self._wide if by_block else self._fine).settled()
        return _Rows(self.kind, min(self.cells, WIDE) if by_block else self.cells, keys, sums)

    def _both(self, score):
        """Fine and wide rows of the same moment, the numbers of the blocks, and which of them each wide row has."""
        with self._lock:
            fine, wide = self._rows(), self._rows(by_block=True)
        self._check(score, fine)
        return fine, wide, *self._numbered(wide)

    def _lines(self, score, fine):
        """Of each outcome and wide cell, by its code: loss per weight, per sum of column 2, per sum of column 3."""
        place, of = np.unique(_code(self._merged(fine.keys)), return_inverse=True)
        weight, binary = fine.sums[:, 1], self.kind == "binary"

        def mean(values, weight=weight):
            with np.errstate(invalid="ignore"):
                return np.nan_to_num(np.bincount(of, weight * values) / np.bincount(of, weight))

        if self.kind == "losses":
            return place, np.tile([0.0, 1.0, 0.0], (place.size, 1))
        if binary:
            level, per_error = mean(losses := fine.losses(score, 0)), np.zeros(place.size)
            left = losses - level[of]
        else:  # what is charged per squared error, and for passing
            (above, below), error = fine.tails(score.priors[0], 0), fine.sums[:, 2]
            level, per_error = mean(below), mean(above, error)
            left = (above - per_error[of]) * error / weight + below - level[of]
        # What is left falls or rises with the forecast, or the variance, on a line through its mean.
        place_of = fine.places()[0]
        far = place_of - (middle := mean(place_of))[of]
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            slope = mean(far * left) / mean(far**2)
        slope = np.where(np.isfinite(slope), slope, 0.0)
        level = level - slope * middle
        return place, np.column_stack([level, slope, per_error] if binary else [level, per_error, slope])

    def _merged(self, keys):
        """The same keys in wide cells."""
        merged = self.cells // min(self.cells, WIDE)
        return np.column_stack([keys[:, :2], keys[:, 2] // merged])

    def _numbered(self, rows):
        """The different blocks in order, and which of them each row belongs to."""
        block = rows.keys[:, 0]
        return np.unique(block.view(np.uint64) if self._unsigned else block, return_inverse=True)

    def _events(self):
        if self.kind != "binary":
            raise ValueError("this needs a tally of the kind 'binary', whose outcomes are events")
        if not len((rows := self._rows()).keys):
            raise ValueError("the tally has no cases yet")
        return rows

    def _check(self, score, rows):
        family = BinaryDecision() if self.kind == "binary" else SelectivePrediction()
        if self.kind == "losses" and score is not None:
            raise ValueError(f"a tally of losses is the score of one decision: it takes no other, got {score!r:.80}")
        if self.kind != "losses" and (not isinstance(score, PWU) or score.family != family):
            raise ValueError(f"a {self.kind} tally scores PWU({family!r}, prior), got {score!r:.80}")
        if score is not None and score.priors[0].length is not None:
            raise ValueError("a tally does not keep single cases: it takes one prior for all cases")
        if not rows.sums[:, 1].sum() > 0:
            raise ValueError("the tally has no cases yet" if not len(rows.sums) else "all weights in the tally are "
                             "zero")

    def _cells(self, value):
        with np.errstate(divide="ignore", over="ignore"):
            log = np.log(value / (1 - value)) if self.kind == "binary" else np.log(value)
        return np.where(np.isfinite(log), np.floor(self.cells * np.where(np.isfinite(log), log, 0) + EDGE),
                        np.where(value > 0.5, END, -END)).astype(np.int64)

    def _sign(self, blocks):
        """Blocks of 64 bits are all signed, or all unsigned."""
        if not blocks.size:
            return
        high, negative = blocks.dtype == np.uint64 and blocks.max() >= 2**63, blocks.min() < 0
        if high and self._unsigned is False or negative and self._unsigned:
            raise ValueError("block has numbers below 0 and numbers from 2**63 on: use one kind for all cases")
        self._unsigned = True if high else False if negative else self._unsigned


class _Sums:
    """Sums by key; they wait until there are many, so that each row is sorted a few times only."""

    def __init__(self):
        self._rows = np.empty((0, 3), dtype=np.int64), np.empty((0, 4))  # block, outcome, cell; as in `_SUMS`
        self._waiting = []

    def copy(self):
        """The same rows, which go on by themselves."""
        other = _Sums()
        other._rows = self.settled()
        return other

    def add(self, keys, sums):
        if len(keys):
            self._waiting.append((keys, sums))
        if sum(len(rows) for rows, _ in self._waiting) > max(_WAITING, len(self._rows[0])):
            self.settled()

    def settled(self):
        """All rows, equal keys together."""
        if self._waiting:
            keys, sums = zip(self._rows, *self._waiting, strict=True)
            self._rows, self._waiting = _grouped(np.concatenate(keys), np.concatenate(sums)), []
        return self._rows


class _Rows(NamedTuple):
    """Rows of a tally, all different: keys (block, outcome, cell), and sums (cases, weight, forecasts, variances)."""

    kind: str
    cells: int
    keys: np.ndarray
    sums: np.ndarray

    def means(self):
        """Mean forecast (or variance) of each row, to twelve digits.

        A forecast that all cases of a row share then comes back as it was, whatever the order in which it was added
        up: if it ties with a known threshold, it still does.
        """
        means = self.sums[:, 2 if self.kind == "binary" else 3] / self.sums[:, 1]
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            scale = 10.0 ** (11 - np.floor(np.log10(means)))
            rounded = np.rint(means * scale) / scale
        return np.where(np.isfinite(rounded), rounded, means)

    def places(self):
        """In each row a forecast (or variance) to compute with, and ends between which all of them lie."""
        cell, ends = self.keys[:, 2], []
        for end in (cell - _WIDER, cell + 1 + _WIDER):
            log = end / self.cells
            with np.errstate(over="ignore"):
                ends.append(np.exp(-np.logaddexp(0, -log)) if self.kind == "binary" else np.exp(log))
        low, high = ends[0] - 4 * np.spacing(ends[0]), ends[1] + 4 * np.spacing(ends[1])
        if self.kind == "binary":
            far = cell / self.cells  # no other numbers than 0 and 1 have log odds beyond 750
            low, high = np.where(far > 800, 1.0, np.clip(low, 0, 1)), np.where(far < -800, 0.0, np.clip(high, 0, 1))
        return np.clip(self.means(), low, high), low, high

    def extremes(self):
        """Forecasts in the middle, and those that make events and others cheapest, and dearest."""
        mean, low, high = self.places()
        event = self.keys[:, 1] == 1
        return mean, np.where(event, high, low), np.where(event, low, high)

    def losses(self, score, which):
        """Mean loss of each row: estimated (0), at least (1), at most (2)."""
        if self.kind == "losses":
            return self.sums[:, 2] / self.sums[:, 1]
        if self.kind == "binary":
            return score.family.losses(score.resolved, (self.keys[:, 1] == 1, self.extremes()[which]))
        above, below = self.tails(score.priors[0], which)
        return self.sums[:, 2] / self.sums[:, 1] * above + below

    def tails(self, prior, which):
        """Of each row, what a prior on prices charges: per squared error, if it is predicted; and if it is passed."""
        mean, low, high = self.places()
        predicted, passed = ((mean, mean), (high, low), (low, high))[which]  # a larger variance is passed sooner
        above, below = np.zeros(mean.size), np.zeros(mean.size)
        for weight, part in prior.blended():
            above += weight * part.tail("above", predicted)
            below += weight * part.tail("mean_below", passed)
        return above, below


def _cells_checked(cells):
    cells = validation.whole("cells", cells)
    if cells > 100_000 or cells > WIDE and cells % WIDE:
        raise ValueError(f"cells must be up to {WIDE}, or a multiple of {WIDE} and at most 100,000, got {cells!r}")
    return cells


def _columns(frame, needed, kind):
    """Columns as arrays, by their names in lower case, which some databases turn to upper case."""
    if hasattr(frame, "collect") and not isinstance(frame, Mapping):  # Polars' lazy frames, Spark's tables
        raise ValueError("the table is not read yet: collect it first (toPandas() in Spark)")
    if frame is None or np.isscalar(frame):
        raise ValueError(f"the counts must be a table, got {type(frame).__name__}")
    names = {str(name).lower(): name for name in getattr(frame, "column_names", getattr(frame, "columns", frame))}
    if missing := [name for name in needed if name not in names]:
        raise ValueError(f"a {kind} tally has columns {', '.join(needed)}: {', '.join(missing)} missing")
    return {name: _filled(frame[names[name]]) for name in (*needed, "block", "model") if name in names}


def _code(keys):
    """One number for the outcome and the cell of each key."""
    return keys[:, 1] * (2 * END + 1) + keys[:, 2]


def _given(y_true, prediction, number):
    if len(prediction) != number:
        what = ("losses", "y_true and y_prob", "y_true and mean, std")[number]
        raise ValueError(f"this tally counts {what}; got {len(prediction)} argument(s) after the first")
    return (y_true, *prediction)


def _whole_numbers(name, values, size):
    """Whole numbers of 64 bits, none of them through a float if they came as integers: signed if they can be."""
    checked = validation.vector(name, values)
    if checked.size != size:
        raise ValueError(f"{name} has length {checked.size}, not {size}")
    validation.reject(name, checked, checked != np.floor(checked), "must be a whole number")
    # numpy may make floats of a list of whole numbers
    whole = isinstance(values, list) and all(isinstance(value, int | np.integer) for value in values)
    array = np.asarray(values, dtype=object if whole else None).reshape(-1)
    if array.dtype.kind == "O":
        exact = [int(value) for value in array]
        if min(exact) < -(2**63) or max(exact) >= (2**63 if min(exact) < 0 else 2**64):
            raise ValueError(f"{name} must be whole numbers of 64 bits, signed or unsigned")
        array = np.array(exact, dtype=np.uint64 if max(exact) >= 2**63 else np.int64)
    if array.dtype.kind == "f":
        validation.reject(name, checked, np.abs(checked) > 2**53, "must be integers: floats beyond 2**53 are not exact")
    return array if array.dtype == np.uint64 and array.max() >= 2**63 else array.astype(np.int64)


def _grouped(keys, sums):
    """The different keys in order, and the sums that belong to each."""
    if not len(keys):
        return keys, sums
    kinds, ranks = zip(*map(_ranked, keys.T), strict=True)  # of any 64 bits: their ranks are small
    sizes = [len(kind) for kind in kinds]
    code = (ranks[0].astype(np.int64) * sizes[1] + ranks[1]) * sizes[2] + ranks[2]
    used, number = _ranked(code)
    rest, cell = np.divmod(used, sizes[2])
    block, outcome = np.divmod(rest, sizes[1])
    return (np.column_stack([kind[rank] for kind, rank in zip(kinds, (block, outcome, cell), strict=True)]),
            np.column_stack([_added(number, column) for column in sums.T]))


def _added(number, column):
    """Sums of a column by number. Half of each value's digits are added exactly, so that many equal ones lose none."""
    upper = (np.ascontiguousarray(column).view(np.int64) & -(1 << 26)).view(float)
    return np.bincount(number, upper) + np.bincount(number, column - upper)


def _ranked(numbers):
    """The different numbers in order, and which of them each one is; without sorting, where they lie close together."""
    low, high = int(numbers.min()), int(numbers.max())
    if high - low > _DENSE * numbers.size:
        kinds, ranks = np.unique(numbers, return_inverse=True)
        return kinds, ranks.ravel()
    place = (numbers - low).astype(np.intp)  # of 32 bits in the browser
    there = np.bincount(place) > 0
    return np.flatnonzero(there).astype(numbers.dtype) + low, (np.cumsum(there) - 1)[place]


def _filled(values):
    """An array; what is masked, as a database masks NULL, is not a number."""
    if np.ma.isMaskedArray(values) and np.ma.getmaskarray(values).any():
        return np.ma.filled(values.astype(float), np.nan)
    array = np.asarray(values)
    if array.dtype == object:  # pandas' columns of whole numbers, where a value is missing
        array = np.array([np.nan if type(value).__name__ == "NAType" else value for value in array], dtype=object)
    return array


def _ordered(value, lower, upper, size=None, cases=0):
    """Bounds, wider by the rounding of sums, of so many terms of a size, and the estimate between them."""
    size = np.maximum(np.abs(lower), np.abs(upper)) if size is None else size
    slack = (_ROUNDING + cases * np.finfo(float).eps) * size + _SMALLEST
    lower, upper = lower - slack, upper + slack
    value = np.clip(value, lower, upper)
    if np.ndim(value):
        return Bounded(value, lower, upper)
    return Bounded(float(value), float(lower), float(upper))
