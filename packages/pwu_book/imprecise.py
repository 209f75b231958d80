"""Sets of probabilities: what they advise, what the advice costs, and whether its announced price is fair.

Implements sections 2 and 3 of the IP paper ("Scoring Rules and Calibration for Imprecise Probabilities").
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from numbers import Rational
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from pwu_lite import validation
from pwu_lite._resampling import group_numbers
from pwu_lite.pwu import PWU

__all__ = ["CredalSet", "MaximumEntropy", "as_one", "best_score", "by_group", "calibration",
           "calibration_by_group", "max_entropy", "minimax_act", "score", "upper_risks"]

TOLERANCE = 1e-12  # floats closer than this share of the largest number in play are tied; Fractions are exact
_MOST = 2_000_000  # combined acts that best_score goes through


class CredalSet:
    """A set of probabilities on k states: the convex hull of its vertices.

    Parameters
    ----------
    vertices : array_like, shape (m, k)
        A row for each probability. If all entries are integers or Fractions, everything that is computed
        from them and from such a loss is exact, a Fraction.

    Raises
    ------
    ValueError
        Not a matrix, fewer than two states, a negative entry, or a row that does not sum to one.

    References
    ----------
    IP paper, sections 1 and 2: a set P and its upper expectation, the largest one of its members.

    Examples
    --------
    >>> rain = CredalSet.interval(0.05, 0.15)
    >>> rain.upper([0, 1]), rain.lower([0, 1])
    (0.15, 0.05)
    """

    def __init__(self, vertices: Any):
        self.vertices = _numbers("vertices", vertices, 2)
        m, k = self.vertices.shape
        single = getattr(vertices, "dtype", None) in (np.float16, np.float32)
        rounding = k * float(np.finfo(vertices.dtype).eps) if single else TOLERANCE * k
        if m < 1 or k < 2:
            raise ValueError(f"vertices must be rows with at least two states, got shape {(m, k)}")
        sums = self.vertices.sum(axis=1)
        for row, (least, total) in enumerate(zip(self.vertices.min(axis=1), sums, strict=True)):
            if least < 0:
                raise ValueError(f"vertices[{row}] has a negative probability, {_said(least)}")
            if abs(total - 1) > rounding * (not _exact(self.vertices)):
                raise ValueError(f"vertices[{row}] sums to {_said(total)} (1 and {_said(total - 1)}); divide it by its "
                                 f"sum, in double precision")
        if single:
            self.vertices = self.vertices / sums[:, None]

    @classmethod
    def interval(cls, low: Any, high: Any) -> CredalSet:
        """The probabilities from `low` to `high` of the second of two states (no, yes)."""
        low, high = _numbers("low, high", [low, high], 1)
        if not 0 <= low <= high <= 1:
            raise ValueError(f"an interval of probabilities needs 0 <= low <= high <= 1, got {_said(low)} and "
                             f"{_said(high)}")
        return cls([[1 - low, low], [1 - high, high]])

    def __repr__(self) -> str:
        rows = ", ".join("[" + ", ".join(_said(p) for p in row) + "]" for row in self.vertices)
        return f"CredalSet([{rows}])"

    @property
    def states(self) -> int:
        """Number of states, k."""
        return int(self.vertices.shape[1])

    def expectations(self, gamble: Any) -> np.ndarray:
        """Expectation of a gamble, shape (k,), under each vertex; of each of its rows, (A, k), shape (A, m).

        Parameters
        ----------
        gamble : array_like, shape (k,) or (m, k)
            One number per state; several gambles are rows.
        """
        gamble = self._gamble(gamble)
        if _exact(gamble) != _exact(self.vertices):
            return gamble.astype(float) @ self.vertices.astype(float).T
        return gamble @ self.vertices.T

    def upper(self, gamble: Any) -> Any:
        """``max over P of E_P[Z]``: one number for a gamble of shape (k,), shape (A,) for rows (A, k).

        Parameters
        ----------
        gamble : array_like, shape (k,) or (m, k)
            One number per state; several gambles are rows.
        """
        return _plain(self.expectations(gamble).max(axis=-1))

    def lower(self, gamble: Any) -> Any:
        """``min over P of E_P[Z]``.

        Parameters
        ----------
        gamble : array_like, shape (k,) or (m, k)
            One number per state; several gambles are rows.
        """
        return _plain(self.expectations(gamble).min(axis=-1))

    def given(self, event: Any) -> CredalSet:
        """The generalised Bayes rule: every member conditioned on the event.

        Parameters
        ----------
        event : array_like of bool, shape (k,)

        Raises
        ------
        ValueError
            Some member gives the event probability zero, so conditioning it is not defined.

        References
        ----------
        IP paper, definitions 2.13 and 2.14.

        Examples
        --------
        >>> CredalSet([[0.5, 0.2, 0.3], [0.2, 0.2, 0.6]]).given([True, True, False]).upper([0, 1, 0])
        0.5
        """
        inside = _event(event, self.states)
        mass = self.vertices[:, inside].sum(axis=1)
        if min(mass) <= 0:
            raise ValueError("the event has lower probability zero: at least one member of the set gives it no "
                             "mass, and the set cannot be conditioned on it")
        rows = np.where(inside, self.vertices, 0 * self.vertices)
        conditional = rows / mass[:, None]
        if not _exact(conditional):
            conditional = conditional / conditional.sum(axis=1, keepdims=True)
        return CredalSet(conditional)

    def same(self, other: CredalSet) -> bool:
        """Do both have the same convex hull, up to a distance of 1e-9, and so the same upper expectations?

        Two exact sets of two states are compared exactly.

        Parameters
        ----------
        other : CredalSet
            The set to compare with, on the same states.

        Examples
        --------
        >>> CredalSet([[1, 0], [0, 1]]).same(CredalSet([[1, 0], [0.3, 0.7], [0, 1]]))
        True
        """
        if not isinstance(other, CredalSet):
            raise ValueError(f"other must be a CredalSet, got {type(other).__name__}")
        _same_states(self.states, other.states, "the other set")
        if self.states == 2 and _exact(self.vertices) and _exact(other.vertices):
            ends = [(min(some.vertices[:, 1]), max(some.vertices[:, 1])) for some in (self, other)]
            return ends[0] == ends[1]
        return _covers(self.vertices, other.vertices) and _covers(other.vertices, self.vertices)

    def _gamble(self, gamble):
        gamble = _numbers("the gamble", gamble, None)
        if gamble.ndim not in (1, 2):
            raise ValueError(f"a gamble has one number per state, or is a row of a matrix; got shape {gamble.shape}")
        _same_states(self.states, gamble.shape[-1], "the gamble")
        return gamble


class MaximumEntropy(NamedTuple):
    """What `max_entropy` returns.

    Attributes
    ----------
    value : float or Fraction
        The largest entropy of a member of the hull.
    weights : ndarray, shape (m,)
        The member that has it, as weights of the vertices.
    mixed_acts : DataFrame, cells by acts
        For each cell, with which chance to take which act so that no member costs more than `value`.
    unique : bool
        Does that member give every cell mass and have one best act in each, up to acts that cost the same there?
        Where several members have the largest entropy, one is returned, and another may be unique.
    """

    value: Any
    weights: np.ndarray
    mixed_acts: pd.DataFrame
    unique: bool


def upper_risks(P: CredalSet, loss: Any) -> np.ndarray:
    """``max over P of E_P[loss(a, .)]`` of each act, shape (A,).

    Parameters
    ----------
    P : CredalSet
    loss : array_like, shape (A, k)
        Acts are rows, states columns.

    Examples
    --------
    >>> upper_risks(CredalSet.interval(0.05, 0.15), [[0, 0.9], [0.1, 0]]).round(3).tolist()
    [0.135, 0.095]
    """
    return np.asarray(P.upper(_loss(loss, P.states)))


def minimax_act(P: CredalSet, loss: Any, order: Sequence[int] | None = None) -> int:
    """The act with the least upper risk; of several, the first one.

    Parameters
    ----------
    P : CredalSet
        The forecast.
    loss : array_like, shape (A, k)
    order : sequence of int, optional
        All acts, the one that wins ties first; by number, if not given. Floats are tied when they differ by
        less than `TOLERANCE` of the largest loss of the two acts.

    References
    ----------
    IP paper, assumption 2.2 (Gamma-minimax) and appendix A.1 (a fixed order).

    Examples
    --------
    >>> minimax_act(CredalSet.interval(0.05, 0.15), [[0, 0.9], [0.1, 0]])
    1
    """
    loss = _loss(loss, P.states)
    order = _order(order, len(loss))
    return _first_least(P.upper(loss), order, _rounding(loss, P.vertices))


def score(P: CredalSet, forecasts: Any, loss: Any, cells: Any = None, order: Sequence[int] | None = None) -> Any:
    """IP score: the largest expected cost, over the data's set P, of the acts that the forecasts advise.

    ``max over P of E_P[loss(a(x), .)]`` with a(x) the minimax act of the forecast in cell x.

    Parameters
    ----------
    P : CredalSet
        Where the data may come from.
    forecasts : CredalSet, or mapping of cell to CredalSet
    loss : array_like, shape (A, k)
    cells : sequence, length k, optional
        What is seen in each state; nothing, if not given.
    order : sequence of int, optional
        As in `minimax_act`.

    References
    ----------
    IP paper, definition 2.3 and assumption 2.4.

    Examples
    --------
    >>> P = CredalSet.interval(0.05, 0.15)
    >>> score(P, P, [[0, 0.9], [0.1, 0]])
    0.095
    """
    loss, cells = _loss(loss, P.states), _cells(cells, P.states)
    gamble, _ = _gamble_of(forecasts, loss, cells, order)
    return P.upper(gamble)


def best_score(P: CredalSet, loss: Any, cells: Any = None) -> Any:
    """The least IP score that any forecasts reach.

    Goes through all combinations of acts, one for each cell, that some set of probabilities advises. An act that
    no set advises cannot be reached by forecasting. Which acts are advised is decided in fractions, so the result
    is exact where loss and set are.

    Parameters
    ----------
    P : CredalSet
        The set that the data come from.
    loss : array_like, shape (acts, k)
        What each act costs in each state.
    cells : sequence of length k, optional
        The feature that is seen in each state; None if nothing is seen.

    Raises
    ------
    ValueError
        More than two million combinations.

    References
    ----------
    IP paper, equation (3).

    Examples
    --------
    >>> best_score(CredalSet.interval(0.05, 0.15), [[0, 0.9], [0.1, 0]])
    0.095
    """
    loss, cells = _loss(loss, P.states), _cells(cells, P.states)
    advised = [act for act in range(len(loss)) if _is_advised(act, loss)]
    table = _shares(P, loss[advised], cells)
    m, count, acts = table.shape
    if acts**count > _MOST:
        raise ValueError(f"{acts} acts in {count} cells are {acts}**{count} combinations, more than {_MOST:,}")
    totals = table[:, 0, :]
    for cell in range(1, count):
        totals = (totals[:, :, None] + table[:, cell, None, :]).reshape(m, -1)
    return _plain(totals.max(axis=0).min())


def max_entropy(P: CredalSet, loss: Any, cells: Any = None) -> MaximumEntropy:
    """The hull's member under which the best acts cost most, and mixed acts that cost no more under any other.

    ``max over P of sum over x of min over a of E_P[1_x loss(a, .)]``, by one linear program: its dual solution is
    a chance for each act in each cell. Exact data are solved in fractions, and so are floats of so different a
    size that the solver in floats finds no solution.

    Parameters
    ----------
    P : CredalSet
        The set that the data come from.
    loss : array_like, shape (acts, k)
        What each act costs in each state.
    cells : sequence of length k, optional
        The feature that is seen in each state; None if nothing is seen.

    Returns
    -------
    MaximumEntropy
        Begins with the value: a Fraction when all data are.

    References
    ----------
    IP paper, definition 2.9, propositions 2.10 and A.4.

    Examples
    --------
    >>> found = max_entropy(CredalSet.interval(0.05, 0.15), [[0, 0.9], [0.1, 0]])
    >>> round(found.value, 12), found.mixed_acts.round(6).values.tolist()
    (0.09, [[0.1, 0.9]])
    """
    loss, cells = _loss(loss, P.states), _cells(cells, P.states)
    table = _shares(P, loss, cells)
    if _exact(table):
        weights, mixed = _exact_program(table)
    else:
        weights, mixed = _entropy_program(table.astype(float))
    value = _entropy(table, weights)
    names = list(dict.fromkeys(cells))
    frame = pd.DataFrame(mixed, index=pd.Index(names, name="cell"))
    return MaximumEntropy(_plain(np.asarray(value)), weights, frame, _is_unique(P, loss, cells, weights, table))


def calibration(P: CredalSet, forecasts: Any, loss: Any, cells: Any = None, partition: Any = "acts",
                order: Sequence[int] | None = None) -> pd.DataFrame:
    """Does the price announced for the advice cover its cost, whichever member of P generated the data?

    With S the cost of the advised acts and H(x) its upper expectation under the forecast in cell x (the announced
    price), block B of a partition has

    - ``I = max over P of E_P[1_B (S - H)]``,
    - ``II = max over P of E_P[S - H | B]``.

    Parameters
    ----------
    P : CredalSet
    forecasts : CredalSet, or mapping of cell to CredalSet
    loss : array_like, shape (A, k)
    cells : sequence, length k, optional
    partition : "acts", "cells", None or sequence of length k
        Blocks: where each act is advised, each cell, everything at once, or labels of your own.
    order : sequence of int, optional
        As in `minimax_act`.

    Returns
    -------
    DataFrame
        A row for each block. ``verdict``: calibrated (I is zero), sub-calibrated (negative: the price is more than
        enough), over-optimistic (positive), "free zero" (I is zero only because some member never comes to
        this block), or "never" for an act that is not advised anywhere (I and II are NaN). II is NaN where
        some member gives the block no mass.

    References
    ----------
    IP paper, definitions 3.2 and 3.3, equation (9).

    Examples
    --------
    >>> P = CredalSet.interval(0.05, 0.15)
    >>> calibration(P, CredalSet.interval(0.15, 0.15), [[0, 0.9], [0.1, 0]])["verdict"].tolist()
    ['never', 'over-optimistic']
    """
    loss, cells = _loss(loss, P.states), _cells(cells, P.states)
    gamble, acts = _gamble_of(forecasts, loss, cells, order)
    price = np.array([_price(forecasts, cell, gamble) for cell in cells], dtype=object)
    if not all(isinstance(one, Rational) for one in price):
        price = price.astype(float)
    blocks, names = _blocks(partition, acts, cells, len(loss))
    gap = gamble - price
    if not _exact(gap) or any(isinstance(x, float) for x in gap):  # a forecast in floats
        gap = gap.astype(float)
    size = np.maximum(np.abs(gamble.astype(float)), np.abs(price.astype(float)))
    rows = {name: _fairness(P, gap, blocks == number, size) for number, name in enumerate(names)}
    return pd.DataFrame.from_dict(rows, orient="index", columns=["I", "II", "verdict"])


def as_one(low: Any, high: Any) -> Any:
    """The one probability that acts like an interval, at every cost share: ``high / (1 + high - low)``.

    Under costs c for a false alarm and 1 - c for a miss, nothing else, the minimax act for
    [low, high] is to act exactly when this number is above c. It lies between `low` and `high`.

    Parameters
    ----------
    low, high : float, or array_like of shape (n,)
        In [0, 1], low <= high.

    Returns
    -------
    float, Fraction or ndarray

    Examples
    --------
    >>> round(as_one(0.05, 0.15), 6)
    0.136364
    """
    if isinstance(low, Rational) and isinstance(high, Rational):
        CredalSet.interval(low, high)
        return Fraction(high) / (1 + Fraction(high) - Fraction(low))
    scalar = np.ndim(low) == 0 and np.ndim(high) == 0
    low, high = (validation.check_probabilities(np.atleast_1d(part)) for part in (low, high))
    validation.same_length("low", low, "high", high)
    validation.reject("low", low, low > high, "must not be above high")
    one = np.clip(high / (1 + (high - low)), low, high)
    return float(one[0]) if scalar else one


def by_group(scores: Any, y_true: ArrayLike, *prediction: ArrayLike, groups: Any) -> pd.DataFrame:
    """Each score in each group; ``.max()`` is the upper score, over all mixtures of the groups.

    Parameters
    ----------
    scores : function, or mapping of names to functions
        ``score(y_true, *prediction)``: a metric, a `PWU`, or ``lambda y, f: -family.utility(c, y, f)``.
    y_true : array_like, shape (n,)
    *prediction : array_like, shape (n,)
    groups : array_like, shape (n,)
        Hospitals, countries, ...: any labels.

    Returns
    -------
    DataFrame, groups by scores

    Examples
    --------
    >>> from pwu_lite.metrics import classification
    >>> costs = by_group(classification.brier_score, [1, 0, 1, 0], [0.9, 0.2, 0.4, 0.4], groups=["a", "a", "b", "b"])
    >>> costs["score"].round(3).to_dict()
    {'a': 0.025, 'b': 0.26}
    """
    scores = validation.named("scores", scores) if isinstance(scores, Mapping) else {"score": scores}
    validation.same_order_of_models({"the model": prediction}, y_true=y_true, groups=groups)
    for part in (y_true, groups, *prediction):
        if np.ma.is_masked(part):
            raise ValueError("an array has masked entries; drop them or fill them first")
    family = next((score.family for score in scores.values() if isinstance(score, PWU)), None)
    named = (y_true, *prediction) if family is None else family.by_name(y_true, *prediction)
    labels, data = np.asarray(groups), [np.asarray(part) for part in named]
    alone = labels.ndim == 1 and labels.size == len(data[0]) and not pd.isna(labels).any() and len(set(labels)) == 1
    number = np.zeros(labels.size, dtype=int) if alone else group_numbers(labels, len(data[0]))
    for part in data[1:]:
        if len(part) != len(data[0]):
            raise ValueError(f"y_true has length {len(data[0])}, a prediction has length {len(part)}")
    rows, names = [], []
    for group in range(number.max() + 1):
        inside = number == group
        names.append(labels[inside][0].item() if hasattr(labels[inside][0], "item") else labels[inside][0])
        rows.append({title: _of_group(score, names[-1], [part[inside] for part in data])
                     for title, score in scores.items()})
    return pd.DataFrame(rows, index=pd.Index(names, name="group"))


def calibration_by_group(c: float, y_true: ArrayLike, low: ArrayLike, high: ArrayLike, groups: Any) -> pd.DataFrame:
    """Announced and paid cost at one cost share; each group is a member of the data's set.

    An interval advises as `as_one` does; it announces ``(1 - c) high`` where it does not act and
    ``c (1 - low)`` where it does.

    Parameters
    ----------
    c : float
        Cost share of a false alarm, in (0, 1).
    y_true, low, high, groups : array_like, shape (n,)
        ``low = high`` is a precise forecast.

    Returns
    -------
    DataFrame
        Rows "either act", "wait" and "act"; columns I, II and verdict as in `calibration`.

    References
    ----------
    IP paper, section 4.4 and figure 1.

    Examples
    --------
    >>> low, high = [0.8, 0.1, 0.2, 0.7], [0.9, 0.2, 0.2, 0.8]
    >>> calibration_by_group(0.5, [1, 0, 0, 1], low, high, ["a", "a", "b", "b"])["verdict"].unique().tolist()
    ['sub-calibrated']
    """
    c = validation.inside("c", c, 0, 1)
    validation.same_order(y_true=y_true, low=low, high=high, groups=groups)
    one = as_one(np.atleast_1d(low), np.atleast_1d(high))
    y, one = validation.check_binary(y_true, one)
    low, high = (validation.check_probabilities(part) for part in (low, high))
    number = group_numbers(groups, y.size)
    acts = one > c
    gap = np.where(acts, c * ~y - c * (1 - low), (1 - c) * y - (1 - c) * high)
    sizes = np.bincount(number)
    P = CredalSet((number == np.arange(sizes.size)[:, None]) / sizes[:, None])
    rows = {name: _fairness(P, gap, inside, np.ones(y.size))
            for name, inside in (("either act", np.full(y.size, True)), ("wait", ~acts), ("act", acts))}
    return pd.DataFrame.from_dict(rows, orient="index", columns=["I", "II", "verdict"])


def _fairness(P, gap, inside, size):
    """I, II and the verdict on one block; costs of this size may be off by their rounding."""
    mass = P.vertices[:, inside].sum(axis=1)
    if not inside.any() or max(mass) <= 0:
        return np.nan, np.nan, "never"
    exact = _exact(gap) and _exact(P.vertices)
    slack = 0 if exact else TOLERANCE * float(size[inside].max()) * float(max(mass))
    sums = P.expectations(np.where(inside, gap, 0 * gap))
    worst = _plain(np.asarray(sums.max()))
    reached = mass > 0
    conditional = np.nan if not reached.all() else _plain(np.asarray((sums / mass).max()))
    if worst > slack:
        return worst, conditional, "over-optimistic"
    if worst < -slack:
        return worst, conditional, "sub-calibrated"
    free = not reached.all() and sums[reached].max() < -slack
    return worst, conditional, "free zero" if free else "calibrated"


def _blocks(partition, acts, cells, count):
    """Number of each state's block, and the blocks' names."""
    if isinstance(partition, str):
        validation.one_of("partition", partition, "acts", "cells")
        labels, names = (acts, list(range(count))) if partition == "acts" else (cells, list(dict.fromkeys(cells)))
    elif partition is None:
        labels, names = ["all"] * len(cells), ["all"]
    else:
        labels = _cells(partition, len(cells), "partition")
        names = list(dict.fromkeys(labels))
    return np.array([names.index(label) for label in labels]), names


def _gamble_of(forecasts, loss, cells, order):
    """Cost of the advised acts in each state, and the acts."""
    order = _order(order, len(loss))
    acts: dict[Any, int] = {}
    for cell in dict.fromkeys(cells):
        forecast = _forecast(forecasts, cell)
        _same_states(forecast.states, loss.shape[1], "the loss")
        acts[cell] = _first_least(forecast.upper(loss), order, _rounding(loss, forecast.vertices))
    advised = [acts[cell] for cell in cells]
    return loss[advised, np.arange(len(cells))], advised


def _forecast(forecasts, cell):
    if isinstance(forecasts, CredalSet):
        return forecasts
    if not isinstance(forecasts, Mapping) or cell not in forecasts:
        raise ValueError(f"forecasts must be a CredalSet, or a mapping with one for each cell; none for {cell!r}")
    if not isinstance(forecasts[cell], CredalSet):
        raise ValueError(f"the forecast for {cell!r} must be a CredalSet, got {type(forecasts[cell]).__name__}")
    return forecasts[cell]


def _price(forecasts, cell, gamble):
    return _forecast(forecasts, cell).upper(gamble)


def _shares(P, loss, cells):
    """``E_P[1_x loss(a, .)]`` of each vertex, cell and act, shape (m, J, A)."""
    names, cells = list(dict.fromkeys(cells)), np.array([list(dict.fromkeys(cells)).index(cell) for cell in cells])
    parts = [P.expectations(np.where(cells == index, loss, 0 * loss)).T for index in range(len(names))]
    return np.stack(parts, axis=1)


def _entropy(table, weights):
    """Expected cost of the best acts under the mixture of the vertices with these weights."""
    return np.tensordot(weights, table, axes=1).min(axis=1).sum()


def _mixed_risks(table, mixed):
    """Each vertex's expected cost of the mixed acts."""
    return (table * mixed).sum(axis=(1, 2))


def _entropy_program(table):
    """Weights of the vertices and mixed acts, a primal and a dual solution of one linear program."""
    from scipy.optimize import linprog  # slow to import

    m, count, acts = table.shape
    least = table.max(axis=0).min(axis=1)  # of each cell: no act whose smallest cost is above it is ever best
    cell, act = np.nonzero(table.min(axis=0) <= least[:, None])
    scale = float(np.abs(table[:, cell, act]).max(axis=0).min()) or 1.0
    below = np.zeros((cell.size, m + count))  # t_x - sum of weights times table <= 0
    below[:, :m] = -table[:, cell, act].T
    below[np.arange(cell.size), m + cell] = scale
    size = np.abs(below).max(axis=1, keepdims=True)
    gains = np.concatenate([np.zeros(m), -np.ones(count)])
    total = np.concatenate([np.ones(m), np.zeros(count)])[None]
    answer = linprog(gains, below / size, np.zeros(cell.size), total, [1.0], [(0, None)] * m + [(None, None)] * count,
                    method="highs", options={"dual_feasibility_tolerance": 1e-10,
                                             "primal_feasibility_tolerance": 1e-10})
    if answer.status != 0:
        return _in_floats(table)
    weights, mixed = np.clip(answer.x[:m], 0, None), np.zeros((count, acts))
    mixed[cell, act] = np.clip(-answer.ineqlin.marginals / size[:, 0], 0, None)
    weights, mixed = weights / weights.sum(), mixed / mixed.sum(axis=1, keepdims=True)
    low, high = _entropy(table, weights), _mixed_risks(table, mixed).max()
    return (weights, mixed) if high - low <= 1e-9 * max(abs(low), abs(high)) else _in_floats(table)


def _in_floats(table):
    """The exact solution of a problem in floats, rounded."""
    weights, mixed = _exact_program(np.vectorize(Fraction, otypes=[object])(table))
    return weights.astype(float), mixed.astype(float)


def _exact_program(table):
    """Weights of the vertices and mixed acts, in fractions, by the simplex method with Bland's rule.

    sympy's exact `linprog` (1.14) oscillates on degenerate tables of this kind: it raises, or does not end.
    """
    m, count, acts = table.shape
    # Raised by the same number in each cell all costs are positive, and so is the cost t of each cell. Then the
    # program is: maximise the sum of t, where t - sum of weights times table <= 0 and the weights sum to 1 at most.
    raised = table + np.abs(table).max(axis=(0, 2), keepdims=True)[0] if acts else table
    rows, columns = count * acts, m + count
    tableau = np.full((rows + 2, columns + rows + 2), Fraction(0), dtype=object)
    for cell in range(count):
        for act in range(acts):
            line = cell * acts + act
            tableau[line, :m] = -raised[:, cell, act]
            tableau[line, m + cell] = Fraction(1)
    tableau[rows, :m], tableau[rows, -1] = Fraction(1), Fraction(1)
    tableau[np.arange(rows + 1), columns + np.arange(rows + 1)] = Fraction(1)
    tableau[-1, m:columns] = Fraction(-1)
    # The slack variables start in the basis: all weights are zero, which is feasible. The first column with a gain
    # enters, and of the rows that bind first the one of the smallest variable leaves, so no basis comes twice.
    basis = list(range(columns, columns + rows + 1))
    while (entering := next((at for at, gain in enumerate(tableau[-1, :-1]) if gain < 0), None)) is not None:
        ratios = [(tableau[line, -1] / tableau[line, entering], basis[line], line) for line in range(rows + 1)
                  if tableau[line, entering] > 0]
        leaving = min(ratios)[2]
        tableau[leaving] /= tableau[leaving, entering]
        for line in range(rows + 2):
            if line != leaving and tableau[line, entering] != 0:
                tableau[line] = tableau[line] - tableau[line, entering] * tableau[leaving]
        basis[leaving] = entering
    weights = np.full(m, Fraction(0), dtype=object)
    for line, at in enumerate(basis):
        if at < m:
            weights[at] = tableau[line, -1]
    if not sum(weights):
        weights[0] = Fraction(1)
    # The last row holds the dual solution: the price of each act's constraint is the chance of the act.
    mixed = tableau[-1, columns:columns + rows].reshape(count, acts)
    for cell in range(count):
        if not sum(mixed[cell]):
            mixed[cell, 0] = Fraction(1)
    return weights / sum(weights), mixed / mixed.sum(axis=1)[:, None]


def _is_unique(P, loss, cells, weights, table):
    """Mass in each cell, and no second best act that costs something else there."""
    mixture = np.tensordot(weights, P.vertices, axes=1)
    risks = np.tensordot(weights, table, axes=1)
    exact = _exact(risks)
    for index, cell in enumerate(dict.fromkeys(cells)):
        inside = np.array([other == cell for other in cells])
        if not mixture[inside].sum() > (0 if exact else TOLERANCE):
            return False
        rounding = 0 if exact else TOLERANCE * np.abs(table[:, index].astype(float)).max(axis=0)
        best = np.flatnonzero(risks[index] - risks[index].min() <= rounding)
        if any((loss[act][inside] != loss[best[0]][inside]).any() for act in best):
            return False
    return True


def _is_advised(act, loss):
    """Is there a set of probabilities for which this is the minimax act, the first among those that tie?

    A set works if, for some number r, no member makes this act cost more than r and each other act costs r or more
    (an earlier act: more) under one of its members. For one other act these r are an interval, whose ends are at
    pure states or at mixtures of two states under which both acts cost the same: exact, in fractions.
    """
    exact = _exact(loss)
    lows, highs = [], []
    for other in range(len(loss)):
        if other == act:
            continue
        slack = 0 if exact or other < act else TOLERANCE * np.abs(loss[[act, other]]).max()
        own_loss, other_loss = ([Fraction(x) for x in loss[which]] for which in (act, other))
        gap = [b + Fraction(slack) - a for a, b in zip(own_loss, other_loss, strict=True)]
        above, below = ([state for state, size in enumerate(gap) if size * sign > 0] for sign in (1, -1))
        pure = [state for state, size in enumerate(gap) if size >= 0]
        if not pure or (other < act and not above):
            return False
        ties = [own_loss[s] + gap[s] / (gap[s] - gap[t]) * (own_loss[t] - own_loss[s]) for s in above for t in below]
        low = min([own_loss[state] for state in pure] + ties)
        open_ = other < act and low not in [own_loss[state] for state in above]
        lows.append((low, open_))
        highs.append((max([own_loss[state] + gap[state] for state in pure] + ties), other < act))
    if not lows:
        return True
    low, high = max(low for low, _ in lows), min(high for high, _ in highs)
    return low < high or (low == high and not any(open_ and end in (low, high) for end, open_ in lows + highs))


def _covers(vertices, points):
    """Is each point a mixture of the vertices?"""
    from scipy.optimize import nnls

    columns = np.vstack([vertices.astype(float).T, np.ones(len(vertices))])
    return all(nnls(columns, np.append(point.astype(float), 1.0))[1] <= 1e3 * TOLERANCE for point in points)


def _first_least(risks, order, rounding):
    """The first act whose risk is the least one, up to the rounding of the two."""
    least = min(risks)
    best = next(act for act in order if risks[act] == least)
    return next(act for act in order if risks[act] - least <= max(rounding[act], rounding[best]))


def _rounding(loss, vertices):
    """What the risk of each act may be off by; nothing, if all is exact."""
    if _exact(loss) and _exact(vertices):
        return [0] * len(loss)
    return (TOLERANCE * np.abs(loss.astype(float)).max(axis=1)).tolist()


def _order(order, count):
    if order is None:
        return range(count)
    given = list(order)
    if sorted(given) != list(range(count)):
        raise ValueError(f"order must name each act from 0 to {count - 1} once, got {given!r:.60}")
    return given


def _loss(loss, states):
    loss = _numbers("loss", loss, 2)
    _same_states(states, loss.shape[1], "the loss")
    if not len(loss):
        raise ValueError("the loss has no act")
    return loss


def _cells(cells, states, name="cells"):
    if cells is None:
        return ["all"] * states
    given = list(cells)
    if len(given) != states:
        raise ValueError(f"{name} must say what is seen in each of {states} states, got {len(given)}")
    return given


def _event(event, states):
    inside = np.asarray(event)
    if inside.dtype != bool or inside.shape != (states,):
        raise ValueError(f"an event says True or False for each of {states} states, got {event!r:.60}")
    return inside


def _same_states(states, given, what):
    if states != given:
        raise ValueError(f"the set has {states} states, {what} has {given}")


def _of_group(score: Callable[..., Any], name, data):
    if not callable(score):
        raise ValueError(f"a score is a function score(y_true, *prediction), got {score!r:.60}")
    try:
        return float(score(*data))
    except ValueError as error:
        raise ValueError(f"{error} (group {name!r})") from error


def _numbers(name, values, ndim):
    """Fractions where all entries are integers or Fractions, else finite floats."""
    array = values if isinstance(values, np.ndarray) else np.asarray(values, dtype=object)
    if array.dtype.kind in "iuO" and array.size and all(map(_is_rational, array.flat)):
        exact = np.empty(array.shape, dtype=object)
        exact.ravel()[:] = [Fraction(int(x)) if isinstance(x, np.integer) else Fraction(x) for x in array.flat]
        return _with_dimensions(name, exact, ndim)
    numbers = validation.as_float(name, values)
    bad = np.argwhere(~np.isfinite(numbers))
    if len(bad):
        index = ", ".join(map(str, bad[0]))
        raise ValueError(f"{name} must be finite: {name}[{index}] is {numbers[tuple(bad[0])]}")
    return _with_dimensions(name, numbers, ndim)


def _with_dimensions(name, array, ndim):
    if ndim is not None and array.ndim != ndim:
        raise ValueError(f"{name} must have {ndim} dimension(s), rows of equal length; got shape {array.shape}")
    return array


def _is_rational(number):
    return isinstance(number, (Rational, np.integer)) and not isinstance(number, bool)


def _exact(array):
    return array.dtype == object


def _plain(value):
    """A float or Fraction for a single number, else the array."""
    if np.ndim(value):
        return value
    value = value.item() if isinstance(value, np.ndarray) else value
    return value if isinstance(value, Fraction) else float(value)


def _said(number):
    return str(number) if isinstance(number, Fraction) else f"{number:.6g}"
