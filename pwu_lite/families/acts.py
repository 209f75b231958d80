"""Several acts on class probabilities: a cost matrix, part of which has a price that only the user knows.

Implements the utilities of section 3.1 of the PWU paper for any number of acts; Chow's reject option (1970) as a case.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import validation
from ..metrics._kernels import average
from ..priors import Prior
from .base import Data, Parameter, References, SeparableFamily, Weight

__all__ = ["CostMatrix", "RejectOption"]

TIED = 1e-14  # expected costs closer than this, relative to the largest cost, differ by rounding alone


@dataclass(frozen=True, init=False)
class CostMatrix(SeparableFamily):
    """Choose one of m acts on K class probabilities; act a costs ``costs[a, y] + theta price[a, y]`` in class y.

    theta is a price that each user knows and that differs between users, and the prior is on this price. The Bayes act
    has the lowest expected cost. Expected costs are lines in theta, so the Bayes act changes at most m - 1 times, and
    the PWU is exact under every prior. Acts that tie share the case equally: neither the order of the acts nor that of
    the rows decides anything. Without `price` there is no parameter and no prior: ``PWU(CostMatrix(costs))``.

    Parameters
    ----------
    costs : array_like, shape (m, K)
        One row per act, one column per class, in any unit of cost. A DataFrame names the acts by its index.
    price : array_like, shape (m, K), optional
        How many times the price is paid. An entry may be negative where the cost is positive; the price must then
        stay so low that no cost becomes a gain.
    acts : sequence of str, optional
        Names of the acts; their numbers, if not given. Names of the classes come from a DataFrame's columns. A
        `scorer` then finds the classes by name, ``y_true`` may hold these names, and a DataFrame of probabilities
        with these columns is read by name, whatever their order.

    Raises
    ------
    ValueError
        The matrices have different shapes, an entry is not finite, or a negative price makes an act free.

    References
    ----------
    PWU paper, section 3.1; Chow (1970); Elkan (2001).

    Examples
    --------
    >>> triage = CostMatrix([[0, 10], [2, 1], [0, 0]], price=[[0, 0], [0, 0], [1, 1]], acts=["home", "admit", "test"])
    >>> triage.act(0.5, [[0.99, 0.01], [0.8, 0.2], [0.1, 0.9]]).argmax(axis=1).tolist()
    [0, 2, 2]
    >>> from pwu_lite import PWU, Uniform
    >>> PWU(triage, Uniform(0, 2))([0, 1], [[0.9, 0.1], [0.5, 0.5]])
    0.53125
    """

    costs: Any
    price: Any = None
    acts: Any = None
    classes: Any = field(default=None, repr=False)

    multiclass = True
    blur = 1e-10  # crossings of expected costs are computed

    def __init__(self, costs: ArrayLike, price: ArrayLike | None = None, acts: Sequence[str] | None = None) -> None:
        validation.columns_in_order("costs", costs)
        table, columns = _matrix("costs", costs), getattr(costs, "columns", None)
        given: Any = range(len(table)) if columns is None else getattr(costs, "index", ())
        other: Any = price
        names = [str(name) for name in (given if acts is None else acts if np.ndim(acts) == 1 else [acts])]
        if columns is not None and hasattr(other, "columns") and not (
                list(other.columns) == list(columns) and list(other.index) == list(given)):
            raise ValueError("price must have the acts and classes of costs, in the same order")
        if len(set(names)) < len(names) or len(names) != len(table):
            raise ValueError(f"acts must be {len(table)} different names, one per row of costs, got {names!r:.80}")
        prices = None if price is None else _matrix("price", price)
        if prices is not None:
            if prices.shape != table.shape:
                raise ValueError(f"price must have the shape of costs, {table.shape}, got {prices.shape}")
            free = np.argwhere((prices < 0) & (table <= 0))
            if free.size:
                act, label = free[0]
                raise ValueError(f"a negative price makes the act {names[act]!r} free in class {label}, which costs "
                                 f"{table[act, label]:g} + theta * {prices[act, label]:g}: add the same amount to "
                                 f"the costs of all acts in that class")
        object.__setattr__(self, "costs", tuple(map(tuple, table.tolist())))
        object.__setattr__(self, "price", None if prices is None else tuple(map(tuple, prices.tolist())))
        object.__setattr__(self, "acts", tuple(names))
        labels = () if columns is None else tuple(columns)
        numbered = not any(isinstance(one, str) for one in labels) and list(labels) == list(range(len(labels)))
        if not numbered and (len(set(labels)) < len(labels) or not all(isinstance(one, str) for one in labels)):
            raise ValueError(f"the columns of costs are called {', '.join(map(str, labels))}: classes have names as "
                             f"text, each its own, or the numbers 0 to {len(labels) - 1}; costs.rename(columns=str) "
                             f"makes text of numbers")
        object.__setattr__(self, "classes", labels if labels and all(isinstance(one, str) for one in labels) else None)
        parameters: tuple[Parameter, ...] = ()
        if prices is not None:
            falling = prices < 0
            parameters = (Parameter("price", (0.0, float(np.min(-table[falling] / prices[falling],
                                                                initial=np.inf)))),)
        object.__setattr__(self, "parameters", parameters)

    def by_name(self, y_true: Any, y_prob: Any) -> tuple[Any, ...]:
        """Classes and columns by the names that a DataFrame of costs gave them: numbers, and its own order."""
        if self.classes is None or validation.has_a_mask(y_true):
            return y_true, y_prob
        labels = np.asarray(y_true)
        if labels.dtype.kind in "US" or labels.dtype.kind == "O" and any(isinstance(one, str) for one in labels.flat):
            places = {name: place for place, name in enumerate(self.classes)}
            for index, label in enumerate(labels.flat):
                if label not in places:
                    raise ValueError(f"y_true[{index}] is {str(label)!r}, which is none of the classes: "
                                     f"{', '.join(self.classes)}")
            y_true = np.array([places[label] for label in labels.flat]).reshape(labels.shape)
        return y_true, self._columns_by_name(y_prob)

    def _columns_by_name(self, y_prob: Any) -> Any:
        """A table's columns in the order of the classes, if they have names."""
        columns = getattr(y_prob, "columns", None)
        if self.classes is None or columns is None or not all(isinstance(name, str) for name in columns):
            return y_prob
        if sorted(columns) != sorted(self.classes):
            raise ValueError(f"the columns of y_prob, {', '.join(columns)}, are not the classes of the costs, "
                             f"{', '.join(self.classes)}: rename them, or pass .to_numpy() to go by position")
        return y_prob[list(self.classes)]

    def check(self, y_true: ArrayLike, y_prob: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        """Read classes in 0..K-1 and rows of K probabilities.

        Parameters
        ----------
        y_true : array_like, shape (n,)
            Classes in 0..K-1.
        y_prob : array_like, shape (n, K)
            Class probabilities; each row sums to 1.
        """
        y, f = validation.check_multiclass(y_true, y_prob)
        self._check_columns(f)
        return y, f

    def check_prior(self, prior: Prior, which: int = 0) -> None:
        """Raise ValueError for a prior with mass where a negative price would turn a cost into a gain.

        Parameters
        ----------
        prior : Prior
            On the price, in units of cost.
        which : int
            Index of the parameter, 0.
        """
        high = self.parameters[which].domain[1]
        costs, price = self._matrices()
        if prior.support[1] > high and np.any(price < 0):
            act, label = np.argwhere((price < 0) & (costs + high * np.minimum(price, 0) <= TIED * costs.max()))[0]
            raise ValueError(f"the prior on the price has mass above {high:g}, where the act {self.acts[act]!r} would "
                             f"cost less than nothing in class {label}")
        super().check_prior(prior, which)

    def act(self, theta: float | None, y_prob: ArrayLike) -> np.ndarray:
        """Each act's share of each case: 1 for the cheapest act, 1/t where t acts tie; shape (n, m).

        Parameters
        ----------
        theta : float or None
            The price; None if the family has none.
        y_prob : array_like, shape (n, K)
            Class probabilities; each row sums to 1.
        """
        f = validation.check_class_probabilities(self._columns_by_name(y_prob))
        self._check_columns(f)
        prices = self.read_theta(theta, len(f)) if not self.parameters else self.one_theta(theta, len(f))
        return self._shares(np.ravel(prices), self._expectations(f))

    def describe(self, theta: float, which: int) -> str:
        return f"the price is {theta:.3g}"

    def properness(self, *priors: Any) -> tuple[str, str]:
        return "proper", "forecasts that lead to the same acts at almost every price have the same expected cost"

    def breakpoints(self, data: Data) -> tuple[Any, Any]:
        if not self.parameters:
            return None, None
        y, f = data
        return None, np.unique(self._segments(y, f)[1])[1:]  # the lowest start is the domain's end

    @property
    def largest_difference(self) -> float | None:  # type: ignore[override]
        """The largest difference in a class at an end of the price's domain; None if it has no end."""
        if not self.parameters:
            return self._apart(0.0)
        low, high = self.parameters[0].domain
        return None if np.isinf(high) else max(self._apart(low), self._apart(high))

    def largest_difference_under(self, *priors: Any) -> float | None:
        """Of two acts in a class it is convex in the price: no more than at the ends of the prior's support, and no
        more than at the mean price if each act's costs and prices are taken apart."""
        if not priors:
            return self.largest_difference
        (low, high), (costs, price) = priors[0].support, self._matrices()
        apart = float(np.max(np.ptp(costs, axis=0) + float(np.max(priors[0].mean)) * np.ptp(price, axis=0)))
        if np.isfinite(high):
            apart = min(apart, max(self._apart(low), self._apart(high)))
        return apart if np.isfinite(apart) else None

    def _apart(self, theta: float) -> float:
        costs, price = self._matrices()
        return float(np.ptp(costs + theta * price, axis=0).max())

    @property
    def linear_between_breakpoints(self) -> bool:
        return bool(self.parameters)

    def references(self, y: np.ndarray, weight: Weight) -> References:
        """The shares of the classes in the data, and the class itself."""
        classes = len(self.costs[0])
        shares = np.bincount(y.astype(int), weight, classes) / (len(y) if weight is None else weight.sum())
        return (np.tile(shares, (len(y), 1)),), (np.eye(classes)[y.astype(int)],)

    def cost(self, theta: Any, y: Any, f: Any) -> np.ndarray:
        """What the cheapest act of each case costs at this price; the mean over acts that tie."""
        return self._paid(theta, y, self._expectations(f))

    def utilities(self, thetas: np.ndarray, data: Data, weight: Weight) -> np.ndarray:
        """At each price in turn, from expected costs that are computed once."""
        (y, f), rows = data, thetas if self.parameters else [np.empty(0)]
        expected = self._expectations(f)
        return np.array([-average(self._paid(theta, y, expected), weight) for theta in rows])

    def per_sample(self, prior: Prior, y: Any, f: Any) -> np.ndarray:
        """Each act's cost, times the prior's mass and partial mean of the prices at which the forecast leads to it."""
        case, start, end, cost, times = self._segments(y, f)
        part = prior.for_cases(case)
        loss = cost * part.mass(start, end)
        paid = times != 0
        loss[paid] += times[paid] * prior.for_cases(case[paid]).partial_mean(start[paid], end[paid])
        return np.bincount(case, loss, len(y))

    def _matrices(self) -> tuple[np.ndarray, np.ndarray]:
        costs = np.array(self.costs)
        return costs, np.zeros_like(costs) if self.price is None else np.array(self.price)

    def _check_columns(self, f: np.ndarray) -> None:
        if f.shape[1] != len(self.costs[0]):
            raise ValueError(f"y_prob has {f.shape[1]} columns, the cost matrix has {len(self.costs[0])} classes")

    def _expectations(self, f: np.ndarray) -> list[np.ndarray]:
        """Each act's expected cost and price, and the sizes of what was added up; shape (n, acts) each."""
        costs, price = self._matrices()
        return [_expected(f, matrix) for matrix in (costs, price, np.abs(costs), np.abs(price))]

    def _shares(self, theta: Any, expected: list[np.ndarray]) -> np.ndarray:
        cost, size = expected[0], expected[2]
        if np.size(theta):
            paid = np.reshape(theta, (-1, 1))
            cost, size = cost + paid * expected[1], size + paid * expected[3]
        tied = cost - cost.min(axis=1, keepdims=True) <= TIED * size
        return tied / tied.sum(axis=1, keepdims=True)

    def _paid(self, theta: Any, y: np.ndarray, expected: list[np.ndarray]) -> np.ndarray:
        costs, price = self._matrices()
        real = costs.T[y] if np.size(theta) == 0 else costs.T[y] + np.reshape(theta, (-1, 1)) * price.T[y]
        return (self._shares(theta, expected) * real).sum(axis=1)

    def _segments(self, y: np.ndarray, f: np.ndarray) -> tuple[np.ndarray, ...]:
        """Which prices lead to which act: a walk along the lowest of the acts' lines, from the lowest price on.

        Returns
        -------
        case, start, end, cost, times : ndarray
            One entry per segment: its case, its prices, and what its act really costs there, ``cost + theta times``.
            The segments of a case are adjacent, and cover all prices.
        """
        low, high = self.parameters[0].domain
        costs, price = self._matrices()
        level, slope, *same = self._expectations(f)
        at_low, case = level + low * slope, np.arange(len(y))
        # Of the acts that are cheapest at the lowest price the one with the smallest slope is so just above it, too.
        tied = at_low - at_low.min(axis=1, keepdims=True) <= TIED * (same[0] + low * same[1])
        act, start, parts = np.where(tied, slope, np.inf).argmin(axis=1), np.full(len(y), low), []
        while case.size:
            # Acts whose lines fall below this one, and where; what differs by rounding alone is equal, and such acts
            # share the segment.
            place, own = np.arange(case.size), act[:, None]
            rise, fall = level[case] - np.take_along_axis(level[case], own, 1), np.take_along_axis(
                slope[case], own, 1) - slope[case]
            blur = [TIED * np.maximum(part[case], np.take_along_axis(part[case], own, 1)) for part in same]
            rise[np.abs(rise) <= blur[0]], fall[np.abs(fall) <= blur[1]] = 0.0, 0.0
            alike, gap = (rise == 0) & (fall == 0), np.where(fall > 0, fall, 1.0)
            crossing = np.where(fall > 0, rise / gap, np.inf)
            following = crossing.argmin(axis=1)
            at, wide = crossing[place, following], gap[place, following]
            reach = 2 * (blur[0] + np.where(np.isfinite(crossing), np.abs(crossing), 0.0) * blur[1])[place, following]
            end = np.clip(_shortest(at, reach / wide), start, high)
            paid = [(matrix.T[y[case]] * alike).sum(axis=1) / alike.sum(axis=1) for matrix in (costs, price)]
            parts.append((case, start, end, *paid))
            more = end < high
            case, act, start = case[more], following[more], end[more]
        case, start, end, *paid = (np.concatenate(part) for part in zip(*parts, strict=True))
        kept = start < end
        return case[kept], start[kept], end[kept], paid[0][kept], paid[1][kept]


class RejectOption(CostMatrix):
    """Name one of K classes and pay 1 if it is wrong, or hand the case over at the price theta in (0, 1).

    Chow's rule: answer if the largest probability is above ``1 - theta``. The price is a share of what a wrong answer
    costs.

    Parameters
    ----------
    K : int
        Number of classes, at least 2.

    References
    ----------
    Chow, "On optimum recognition error and reject tradeoff" (1970).

    Examples
    --------
    >>> from pwu_lite import PWU, Uniform
    >>> round(PWU(RejectOption(3), Uniform(0, 1))([0, 2], [[0.8, 0.1, 0.1], [0.5, 0.3, 0.2]]), 12)
    0.3225
    """


    def __init__(self, K: int) -> None:
        classes = validation.whole("K", K, 2)
        answers = 1.0 - np.eye(classes)
        super().__init__(np.vstack([answers, np.zeros(classes)]), np.vstack([0 * answers, np.ones(classes)]),
                         [*(f"answer {label}" for label in range(classes)), "hand over"])
        object.__setattr__(self, "parameters", (Parameter("price", (0.0, 1.0)),))

    def __repr__(self) -> str:
        return f"RejectOption({len(self.costs[0])})"

    def describe(self, theta: float, which: int) -> str:
        return f"handing over costs {theta:.3g} of a wrong answer: answer if the chance of being right is above " \
               f"{1 - theta:.3g}"


def _shortest(values: np.ndarray, reach: np.ndarray) -> np.ndarray:
    """A decimal of at most ten digits where one is as near as rounding reaches: .5 for .5 + 6e-16."""
    shortest, left = values.copy(), np.flatnonzero((values != 0) & np.isfinite(values))
    power = np.floor(np.log10(np.abs(values[left])))
    for digits in range(1, 11):
        scale = 10.0 ** np.clip(digits - 1 - power, -300, 300)
        short = np.rint(values[left] * scale) / scale
        fits = np.abs(short - values[left]) <= reach[left]
        shortest[left[fits]], left, power = short[fits], left[~fits], power[~fits]
    return shortest


def _expected(f: np.ndarray, matrix: np.ndarray) -> np.ndarray:
    """Each act's mean under each row of probabilities, added up class by class: a row's digits are its own.

    A product of matrices adds up in an order that depends on how many rows there are.
    """
    total = np.zeros((len(f), len(matrix)))
    for label, column in enumerate(matrix.T):
        total += f[:, label, None] * column
    return total


def _matrix(name: str, values: Any) -> np.ndarray:
    table = validation.as_float(name, values)
    if table.ndim != 2 or table.shape[0] < 1 or table.shape[1] < 2:
        raise ValueError(f"{name} must have one row per act and one column per class, at least two classes; got "
                         f"shape {table.shape}")
    return validation.numbers(name, table)
