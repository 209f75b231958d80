"""Counts of outcomes and forecasts: scores for any number of cases, under priors chosen afterwards, with bounds that
always hold.

Implements section 4 of the PWU paper for data beyond memory: a case's loss is monotone in its forecast.
"""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from pwu_lite import validation
from pwu_lite.families import BinaryDecision, SelectivePrediction
from pwu_lite.metrics.classification import net_benefit
from pwu_lite.priors import Dirac
from pwu_lite.pwu import PWU

__all__ = ["Bounded", "Tally"]

CELLS = 1024  # per unit of log odds, or of the logarithm of a variance
_END = 1_000_000_000  # the cells of forecasts 0 and 1
_WIDER = 1e-6  # of a cell at both of its ends: engines round logarithms differently
_WAITING = 250_000  # rows
_SMALLEST = 1e-300  # below, numbers lose their digits
_ROUNDING = 1e-11  # of a sum, relative
_SUMS = ("cases", "n", "s", "v")
_MOST_WEIGHT = 1e300  # in SQL


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

    A cell is a small interval of log odds. A table of some ten thousand rows stands for any number of cases;
    tables of parts of the data add up. A score is computed from the mean forecast in each cell. Its bounds put all
    forecasts at one end or the other of their cells, so they hold whatever the forecasts are.

    Parameters
    ----------
    kind : {"binary", "selective"}
        For `BinaryDecision` (outcome and probability), or `SelectivePrediction` (target, mean and standard deviation;
        then cells are of the variance, and hold its sum and that of the squared errors).
    cells : int
        Number of cells per unit of log odds, or of the logarithm of a variance. Bounds are about 1/cells wide, relative
        to the score.

    Raises
    ------
    ValueError
        Another kind, or cells that are not a whole number from 1 to 100,000.

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
        self.kind = validation.one_of("kind", kind, "binary", "selective")
        self.cells = validation.whole("cells", cells)
        if self.cells > 100_000:
            raise ValueError(f"cells must be at most 100,000, got {cells!r}")
        keys = np.empty((0, 3), dtype=np.int64)  # block, outcome, cell
        sums = np.empty((0, 4))  # cases, weight, weighted forecasts (or squared errors), weighted variances
        self._rows = (keys, sums)
        self._waiting: list[tuple[np.ndarray, np.ndarray]] = []
        self._total = np.zeros(4)
        self._unsigned: bool | None = None  # blocks from 2**63 on, or below zero, which share their 64 bits
        self._lock = threading.RLock()

    def __getstate__(self) -> dict[str, Any]:
        self._settled()
        return {name: value for name, value in vars(self).items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _lock=threading.RLock())

    def __len__(self) -> int:
        """Number of cases; a case of weight zero is not one."""
        return int(self._sums[:, 0].sum())

    def __repr__(self) -> str:
        keys, sums = self._settled()
        return f"Tally({self.kind!r}, cells={self.cells}): {int(sums[:, 0].sum()):,} cases in {len(keys):,} rows"

    def update(self, y_true: ArrayLike, *prediction: ArrayLike, weight: ArrayLike | None = None,
               block: ArrayLike | None = None) -> None:
        """Count some more cases.

        Parameters
        ----------
        y_true : array_like, shape (n,)
            Labels in {0, 1}, or targets.
        *prediction : array_like, shape (n,)
            ``y_prob``, or ``mean, std``.
        weight : array_like, shape (n,), optional
            Non-negative weights, in the same unit in every call: they are added up as they are. A case of weight
            zero is left out.
        block : array_like of int, shape (n,), optional
            A block number for each case, the same for every model, with about 200 different numbers in all: intervals
            come from the spread between blocks. Cases that belong together (a patient, a site) share a block. Any
            numbers of 64 bits will do, such as hashes; but negative ones and those from 2**63 on cannot be mixed.

        Raises
        ------
        ValueError
            Bad input, named with its first bad index. None of it is then counted.
        """
        if self.kind == "binary":
            y, f = validation.check_binary(*_given(y_true, prediction, 1))
            outcome, cell, kept, variance = y.astype(np.int64), self._cells(f), f, None
        else:
            y, mean, std = validation.check_regression(*_given(y_true, prediction, 2))
            kept, variance = (y - mean) ** 2, std**2
            outcome, cell = np.zeros(y.size, dtype=np.int64), self._cells(variance)
        parts = {f"prediction[{k}]": part for k, part in enumerate(prediction)}
        validation.same_order(y_true=y_true, **parts, weight=weight, block=block)
        weights = validation.check_weight(weight, y.size)
        blocks = np.zeros(y.size, dtype=np.int64) if block is None else _whole_numbers("block", block, y.size)
        ones = np.ones(y.size)
        weights = ones if weights is None else weights
        with np.errstate(over="ignore"):
            self._add(blocks, np.column_stack([outcome, cell]), np.column_stack(
                [weights > 0, weights, weights * kept, ones if variance is None else weights * variance]))

    def merge(self, other: Tally) -> None:
        """Add the counts of another tally: those of other cases of the same model.

        Parameters
        ----------
        other : Tally
            A tally of the same kind, with the same cells.

        Raises
        ------
        ValueError
            A different kind, or different cells.
        """
        if not isinstance(other, Tally) or (other.kind, other.cells) != (self.kind, self.cells):
            raise ValueError(f"tallies to merge must agree in kind and cells, got {self!r} and {other!r:.80}")
        keys, sums = other._settled()
        self._add(keys[:, 0].view(np.uint64) if other._unsigned else keys[:, 0], keys[:, 1:], sums)

    @classmethod
    def from_counts(cls, frame: Any, kind: str = "binary", cells: int = CELLS) -> Tally:
        """A tally from its table: what `sql` returns, or `to_parquet` wrote.

        Parameters
        ----------
        frame : DataFrame, or mapping of names to columns
            Columns ``cell``, ``cases``, ``n`` and ``s``; binary: ``y``; selective: ``v``; with blocks: ``block``.
        kind, cells
            As they were counted.

        Raises
        ------
        ValueError
            A column is missing, cases had a bad outcome, forecast or weight, counts are negative or not whole, or the
            sums do not belong to the cells.
        """
        tally = cls(kind, cells)
        names = ["cell", "cases", "n", "s", "y" if kind == "binary" else "v"]
        missing = [name for name in names if name not in getattr(frame, "columns", frame)]
        if missing:
            raise ValueError(f"a {kind} tally has columns {', '.join(names)}: {', '.join(missing)} missing")
        column = {name: _filled(frame[name]) for name in names}
        size = len(column["cell"])
        if size == 0:
            return tally
        lost = np.isnan(column["cell"].astype(float))
        if lost.any():
            raise ValueError(f"{int(np.sum(column['cases'][lost])):,} cases have no cell: a forecast is missing or out "
                             f"of range, an outcome is {'not 0 or 1' if kind == 'binary' else 'missing'}, a weight is "
                             f"negative or missing, or one of these is text")
        sums = [validation.vector(name, column[name] if name in column else np.ones(size)) for name in _SUMS]
        for name, values in zip(_SUMS, sums, strict=True):
            validation.reject(name, values, values < 0, "must not be negative")
        validation.reject("cases", sums[0], sums[0] != np.floor(sums[0]), "must be a whole number")
        validation.reject("n", sums[1], (sums[0] == 0) & (sums[1] > 0), "must be 0 where there are no cases")
        block = _filled(frame["block"]) if "block" in getattr(frame, "columns", frame) else np.zeros(size)
        outcome = column["y"] if kind == "binary" else np.zeros(size)
        blocks, outcomes, numbers = (_whole_numbers(name, values, size) for name, values in
                                     (("block", block), ("y", outcome), ("cell", column["cell"])))
        validation.reject("y", outcomes, ~np.isin(outcomes, (0, 1)), "must be 0 or 1")
        validation.reject("cell", numbers, (numbers < -_END) | (numbers > _END), f"must be at most {_END:g} in size")
        tally._add(blocks, np.column_stack([outcomes, numbers]), np.column_stack(sums))
        _, low, high = tally._places()
        given = tally._means()
        slack = 1e-9 * np.abs(given) + 1e-306 / tally._sums[:, 1]  # a product of small numbers loses its digits
        wrong = np.flatnonzero(~((given >= low - slack) & (given <= high + slack)))
        if wrong.size:
            raise ValueError(f"the forecasts counted in cell {tally._keys[wrong[0], 2]} average to "
                             f"{given[wrong[0]]:g}, outside of it: were they counted with cells={cells}, and within "
                             f"[0, 1]?")
        return tally

    @staticmethod
    def sql(table: str, truth: str, model: str | tuple[str, str], *, block: str | None = None,
            weight: str | None = None, cells: int = CELLS) -> str:
        """A query that counts inside the database; `from_counts` reads its result.

        Cases that `update` would refuse come back without a cell, and `from_counts` refuses them.

        Parameters
        ----------
        table : str
            A table, or any expression that the engine accepts as one, copied as it stands:
            ``read_parquet('part-*.parquet')``.
        truth, model : str
            Names of columns, which hold numbers; for selective prediction `model` is a pair, mean and standard
            deviation.
        block, weight : str, optional
            A column, or an expression, as it stands: ``hash(patient) % 200``.
        cells : int
            As in `Tally`.

        Examples
        --------
        >>> print(Tally.sql("forecasts", "y", "p"))
        SELECT y, cell, COUNT(CASE WHEN w > 0 OR cell IS NULL THEN 1 END) AS cases, SUM(w) AS n, SUM(w * f) AS s FROM (
          SELECT *, CASE WHEN y IS NULL OR f IS NULL OR w IS NULL THEN NULL WHEN f = 0 THEN -1000000000
            WHEN f = 1 THEN 1000000000 ELSE CAST(FLOOR(1024 * LN(f / (1 - f))) AS INTEGER) END AS cell
          FROM (
            SELECT CASE WHEN COALESCE(source."y", NULL) BETWEEN 0 AND 0 THEN 0
              WHEN COALESCE(source."y", NULL) BETWEEN 1 AND 1 THEN 1 END AS y,
              CASE WHEN COALESCE(source."p", NULL) BETWEEN 0 AND 1 THEN CAST(source."p" AS DOUBLE PRECISION) END AS f,
              1 AS w FROM (SELECT * FROM forecasts) AS source) AS cases
        ) AS counted GROUP BY y, cell
        """
        # A name behind "source." is a column or an error: SQLite takes "prob" alone for a text. COALESCE strips a
        # column's type there, so that a text is greater than any number, and no text passes for one.
        pair = not isinstance(model, str)
        names = [f"source.{_quoted(name)}" for name in (truth, *(model if pair else (model,)))]
        extra = "" if block is None else "block, "
        of_block = "" if block is None else ", source.given_block AS block"
        own = ("" if weight is None else f", {weight} AS given_weight") + (
            "" if block is None else f", {block} AS given_block")  # before any other name is given that they could mean
        w = "1" if weight is None else _number("source.given_weight", f"BETWEEN 0 AND {_MOST_WEIGHT}")
        cases = "COUNT(CASE WHEN w > 0 OR cell IS NULL THEN 1 END) AS cases, SUM(w) AS n"
        source = f"{w} AS w{of_block} FROM (SELECT *{own} FROM {table}) AS source) AS cases\n"
        if pair:
            most, least = validation.LARGEST, 1 / validation.LARGEST
            y, mean = (_number(name, f"BETWEEN -{most} AND {most}") for name in names[:2])
            return (f"SELECT {extra}cell, {cases}, SUM(w * e * e) AS s, SUM(w * v) AS v FROM (\n"
                    f"  SELECT *, CASE WHEN e IS NULL OR v IS NULL OR w IS NULL THEN NULL\n"
                    f"    ELSE CAST(FLOOR({cells} * LN(v)) AS INTEGER) END AS cell FROM (\n"
                    f"    SELECT {y} - {mean} AS e, {_number(names[2], f'BETWEEN {least} AND {most}')}\n"
                    f"      * CAST({names[2]} AS DOUBLE PRECISION) AS v, {source}"
                    f") AS counted GROUP BY {extra}cell")
        y = f"COALESCE({names[0]}, NULL) BETWEEN"
        return (f"SELECT {extra}y, cell, {cases}, SUM(w * f) AS s FROM (\n"
                f"  SELECT *, CASE WHEN y IS NULL OR f IS NULL OR w IS NULL THEN NULL WHEN f = 0 THEN -{_END}\n"
                f"    WHEN f = 1 THEN {_END} ELSE CAST(FLOOR({cells} * LN(f / (1 - f))) AS INTEGER) END AS cell\n"
                f"  FROM (\n"
                f"    SELECT CASE WHEN {y} 0 AND 0 THEN 0\n      WHEN {y} 1 AND 1 THEN 1 END AS y,\n"
                f"      {_number(names[1], 'BETWEEN 0 AND 1')} AS f,\n"
                f"      {source}) AS counted GROUP BY {extra}y, cell")

    def counts(self) -> dict[str, np.ndarray]:
        """The table, column by column, as `from_counts` reads it (``pandas.DataFrame(tally.counts())``)."""
        keys, sums = self._settled()
        columns = dict(zip(("block", "y", "cell"), keys.T, strict=True)) | dict(zip(_SUMS, sums.T, strict=True))
        if self._unsigned:
            columns["block"] = columns["block"].astype(np.uint64)
        del columns["v" if self.kind == "binary" else "y"]
        return columns

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

    def score(self, score: PWU) -> Bounded:
        """A score of all cases, with bounds that hold whatever the forecasts in the cells are.

        Parameters
        ----------
        score : PWU
            Score of a binary decision, or of selective prediction, with one prior for all cases.

        Raises
        ------
        ValueError
            A score of a different kind, or no cases.
        """
        together = self._together()
        together._check(score)
        weight = together._sums[:, 1] / together._sums[:, 1].max()
        rows = [together._losses(score, which) @ weight / weight.sum() for which in range(3)]
        return _ordered(*rows)

    def curve(self, thetas: ArrayLike) -> Bounded:
        """Cost at each decision parameter, the Murphy diagram, with bounds.

        Parameters
        ----------
        thetas : array_like, shape (m,)
            Cost shares, or prices of passing.
        """
        family = BinaryDecision() if self.kind == "binary" else SelectivePrediction()
        together = self._together()
        values = [together.score(PWU(family, Dirac(theta))) for theta in validation.vector("thetas", thetas)]
        return Bounded(*np.array(values).T)

    def net_benefit(self, threshold: ArrayLike) -> Bounded:
        """Net benefit of acting above each threshold, with bounds; higher is better.

        Parameters
        ----------
        threshold : array_like, shape (m,)
            In [0, 1).
        """
        together, thresholds = self._of_events()._together(), validation.vector("threshold", threshold)
        weight = together._sums[:, 1]
        rows = [net_benefit(together._keys[:, 1], place, thresholds, sample_weight=weight)
                for place in together._extremes()]
        return _ordered(rows[0], rows[2], rows[1], size=1 / (1 - thresholds))

    def auroc(self) -> Bounded:
        """Area under the ROC curve: pairs in the same or in neighbouring cells may be in either order.

        Raises
        ------
        ValueError
            No events, or nothing but events.
        """
        together = self._of_events()._together()
        # Weight of events and of others in each cell, cells by rising forecast.
        cells, where = np.unique(together._keys[:, 2], return_inverse=True)
        event, weight = together._keys[:, 1] == 1, together._sums[:, 1] / together._sums[:, 1].max(initial=0.0)
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
        exact = (cells == -_END) | (cells == _END)  # all forecasts there are equal
        sure[exact] = possible[exact] = (below[index] + zeros / 2)[exact]
        value = ones @ (below[index] + zeros / 2) / pairs
        return _ordered(value, ones @ sure / pairs, ones @ possible / pairs)

    def blocks(self, score: PWU) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """What each block adds to a score: numbers of the blocks, sums of losses, sums of weights.

        Parameters
        ----------
        score : PWU
            As in `score`.
        """
        one = self._snapshot()
        one._check(score)
        numbers, where = one._by_block()
        weight = one._sums[:, 1]
        return numbers, np.bincount(where, one._losses(score, 0) * weight), np.bincount(where, weight)

    def outcomes(self) -> tuple[float, float]:
        """Weight of the cases without an event, and of those with one; of a binary tally."""
        one = self._of_events()._snapshot()
        event, weight = one._keys[:, 1] == 1, one._sums[:, 1]
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
        one = self._snapshot()
        numbers, where = one._by_block()
        event, count = one._keys[:, 1] == 1, one._sums[:, 0]
        both = (np.bincount(where, np.where(chosen, count, 0), minlength=numbers.size) for chosen in (~event, event))
        without, with_one = (column.astype(np.int64) for column in both)
        return numbers, without, with_one

    def _by_block(self):
        """The different blocks in order, and which of them each row belongs to."""
        block = self._keys[:, 0]
        return np.unique(block.view(np.uint64) if self._unsigned else block, return_inverse=True)

    def _of_events(self):
        if self.kind != "binary":
            raise ValueError("this needs a tally of the kind 'binary', whose outcomes are events")
        return self

    def _check(self, score):
        family = BinaryDecision() if self.kind == "binary" else SelectivePrediction()
        if not isinstance(score, PWU) or score.family != family:
            raise ValueError(f"a {self.kind} tally scores PWU({family!r}, prior), got {score!r:.80}")
        if score.priors[0].length is not None:
            raise ValueError("a tally does not keep single cases: it takes one prior for all cases")
        if not self._sums[:, 1].sum() > 0:
            raise ValueError("the tally has no cases yet" if not len(self) else "all weights in the tally are zero")

    def _cells(self, value):
        with np.errstate(divide="ignore", over="ignore"):
            log = np.log(value / (1 - value)) if self.kind == "binary" else np.log(value)
        return np.where(np.isfinite(log), np.floor(self.cells * np.where(np.isfinite(log), log, 0)),
                        np.where(value > 0.5, _END, -_END)).astype(np.int64)

    @property
    def _keys(self):
        return self._settled()[0]

    @property
    def _sums(self):
        return self._settled()[1]

    def _add(self, blocks, keys, sums):
        """Add rows; they wait until there are many, so that each row is sorted a few times only."""
        counted = sums[:, 0] > 0
        if not counted.any():
            return
        blocks, keys, sums = blocks[counted], keys[counted], sums[counted]
        with self._lock:
            total = self._total + sums.sum(axis=0)
            if not np.isfinite(total).all():
                raise ValueError("weights, or targets, are too large to be added up: change their unit")
            high, negative = blocks.dtype == np.uint64 and blocks.max() >= 2**63, blocks.min() < 0
            if high and self._unsigned is False or negative and self._unsigned:
                raise ValueError("block has numbers below 0 and numbers from 2**63 on: use one kind for all cases")
            self._unsigned = True if high else False if negative else self._unsigned
            self._total = total
            self._waiting.append(_grouped(np.column_stack([blocks.astype(np.int64), keys]), sums))
            if sum(len(rows) for rows, _ in self._waiting) > max(_WAITING, len(self._rows[0])):
                self._settled()

    def _settled(self):
        """All rows, equal keys together."""
        with self._lock:
            if self._waiting:
                keys, sums = zip(self._rows, *self._waiting, strict=True)
                self._rows, self._waiting = _grouped(np.concatenate(keys), np.concatenate(sums)), []
            return self._rows

    def _snapshot(self):
        """The rows as they are now: what another thread counts meanwhile is not in them."""
        tally = Tally(self.kind, self.cells)
        with self._lock:
            tally._rows, tally._unsigned = self._settled(), self._unsigned
        return tally

    def _together(self):
        """The same cases without blocks."""
        tally, (keys, sums) = Tally(self.kind, self.cells), self._settled()
        if len(keys):
            tally._rows = _grouped(keys * np.array([0, 1, 1]), sums)
        return tally

    def _means(self):
        """Mean forecast (or variance) of each row, to twelve digits.

        A forecast that all cases of a row share then comes back as it was, whatever the order in which it was added
        up: if it ties with a known threshold, it still does.
        """
        means = self._sums[:, 2 if self.kind == "binary" else 3] / self._sums[:, 1]
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            scale = 10.0 ** (11 - np.floor(np.log10(means)))
            rounded = np.rint(means * scale) / scale
        return np.where(np.isfinite(rounded), rounded, means)

    def _places(self):
        """In each row a forecast (or variance) to compute with, and ends between which all of them lie."""
        cell, ends = self._keys[:, 2], []
        for end in (cell - _WIDER, cell + 1 + _WIDER):
            log = end / self.cells
            with np.errstate(over="ignore"):
                ends.append(np.exp(-np.logaddexp(0, -log)) if self.kind == "binary" else np.exp(log))
        low, high = ends[0] - 4 * np.spacing(ends[0]), ends[1] + 4 * np.spacing(ends[1])
        if self.kind == "binary":
            low, high = np.clip(low, 0, 1), np.clip(high, 0, 1)
            low[cell == _END], high[cell == -_END] = 1.0, 0.0
        return np.clip(self._means(), low, high), low, high

    def _extremes(self):
        """Forecasts in the middle, and those that make events and others cheapest, and dearest."""
        mean, low, high = self._places()
        event = self._keys[:, 1] == 1
        return mean, np.where(event, high, low), np.where(event, low, high)

    def _losses(self, score, which):
        """Mean loss of each row: estimated (0), at least (1), at most (2)."""
        if self.kind == "binary":
            return score.family.losses(score.resolved, (self._keys[:, 1] == 1, self._extremes()[which]))
        mean, low, high = self._places()
        error = self._sums[:, 2] / self._sums[:, 1]
        prior = score.priors[0]
        predicted, passed = ((mean, mean), (high, low), (low, high))[which]  # a larger variance is passed sooner
        total = np.zeros(error.size)
        for weight, part in prior.blended():
            total += weight * (error * part.tail("above", predicted) + part.tail("mean_below", passed))
        return total


def _given(y_true, prediction, number):
    if len(prediction) != number:
        raise ValueError(f"this tally counts y_true and {'y_prob' if number == 1 else 'mean, std'}; got "
                         f"{len(prediction)} argument(s) after y_true")
    return (y_true, *prediction)


def _whole_numbers(name, values, size):
    """Whole numbers of 64 bits, none of them through a float if they came as integers: signed if they can be."""
    checked = validation.vector(name, values)
    if checked.size != size:
        raise ValueError(f"{name} has length {checked.size}, not {size}")
    validation.reject(name, checked, checked != np.floor(checked), "must be a whole number")
    array = np.asarray(values).reshape(-1)
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
    blocks, rank = np.unique(keys[:, 0], return_inverse=True)  # any 64 bits: their ranks are small
    low = keys[:, 1:].min(axis=0)
    span = keys[:, 1:].max(axis=0) - low + 1  # at most 2, and 2 * _END + 1
    code = (rank * span[0] + keys[:, 1] - low[0]) * span[1] + keys[:, 2] - low[1]
    kinds, number = np.unique(code, return_inverse=True)
    rest, cell = np.divmod(kinds, span[1])
    rank, outcome = np.divmod(rest, span[0])
    rows = np.column_stack([blocks[rank], outcome + low[0], cell + low[1]])
    return rows, np.column_stack([np.bincount(number.ravel(), column) for column in sums.T])


def _number(expression, condition):
    """SQL of a number, or NULL where it is none or does not meet a condition."""
    return f"CASE WHEN COALESCE({expression}, NULL) {condition} THEN CAST({expression} AS DOUBLE PRECISION) END"


def _filled(values):
    """An array; what is masked, as a database masks NULL, is not a number."""
    if np.ma.isMaskedArray(values) and np.ma.getmaskarray(values).any():
        return np.ma.filled(values.astype(float), np.nan)
    return np.asarray(values)


def _quoted(name):
    return '"' + str(name).replace('"', '""') + '"'


def _ordered(value, lower, upper, size=None):
    """Bounds, wider by the rounding of the sums (of terms of a size), and the estimate between them."""
    slack = _ROUNDING * (np.maximum(np.abs(lower), np.abs(upper)) if size is None else size) + _SMALLEST
    lower, upper = lower - slack, upper + slack
    value = np.clip(value, lower, upper)
    if np.ndim(value):
        return Bounded(value, lower, upper)
    return Bounded(float(value), float(lower), float(upper))
