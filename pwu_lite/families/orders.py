"""Orders and warnings: decisions on quantile forecasts and on ensembles.

Implements the utilities of section 3.1 of the PWU paper for the newsvendor (Gneiting 2011; Ehm et al. 2016) and for
warnings of an exceedance, with a prior on the threshold and one on the cost share.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import validation
from ..metrics._kernels import to_sum_one
from ..priors import Dirac, Prior
from .base import FALSE_ALARM, Data, Parameter, References, SeparableFamily, Weight
from .cases import BinaryDecision

__all__ = ["Exceedance", "Newsvendor"]

MEMBERS = "members"  # in place of levels
_ON_LEVEL = 1e-9  # a parameter this close to a level, or to a cell's end, lies on it


class _Orders(SeparableFamily):
    """What both families share: forecasts as quantiles at levels, or as members of equal weight.

    Everything is said of tau, the share of the total cost that a unit short costs; the cost of ordering a where y is
    wanted is ``tau (y - a)`` if a is too little and ``(1 - tau) (a - y)`` if it is too much.
    """

    takes = ("forecast",)
    blur = 4 * _ON_LEVEL

    def __init__(self, levels: Any = None, act: str | None = None) -> None:
        if levels is None:  # a matrix of quantiles would be read as an ensemble, without a word
            name = type(self).__name__
            raise ValueError(f"say what the columns of a forecast are: {name}(levels=[0.1, 0.5, 0.9]) for quantiles, "
                             f"{name}(levels={MEMBERS!r}) for the members of an ensemble")
        members = isinstance(levels, str) and levels == MEMBERS
        if members and act is not None:
            raise ValueError(f"act says how quantile levels are used; with levels={MEMBERS!r} each row is an ensemble")
        self.levels = None if members else _levels(levels)
        self.reading = validation.one_of("act", act or "at levels", "at levels", "nearest level")

    def __repr__(self) -> str:
        how = f"levels={MEMBERS!r}" if self.levels is None else f"levels={self.levels}, act={self.reading!r}"
        return f"{type(self).__name__}({how})"

    def by_name(self, y_true: Any, *prediction: Any) -> tuple[Any, ...]:
        """As they are; columns called by the levels in another order are refused."""
        columns = getattr(prediction[0], "columns", None)
        if self.levels is not None and columns is not None:
            named = [_as_number(name) for name in columns]
            if sorted(named) == list(self.levels) and named != list(self.levels):
                raise ValueError(f"the columns of the forecast are called {', '.join(map(str, columns))}, the levels "
                                 f"in another order: pass forecast[{list(self.levels)}], by these names")
        return (y_true, *prediction)

    def check(self, y_true: ArrayLike, forecast: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        """Read outcomes and rows of quantiles or members.

        Parameters
        ----------
        y_true : array_like, shape (n,)
            Outcomes.
        forecast : array_like, shape (n, columns)
            As `read_rows` takes it.
        """
        y, rows = validation.vector("y_true", y_true), self.read_rows(forecast)
        validation.same_length("y_true", y, "forecast", rows[:, 0])
        return y, rows

    def read_rows(self, forecast: ArrayLike) -> np.ndarray:
        """Read quantiles or members: one row per case, each ascending.

        Parameters
        ----------
        forecast : array_like, shape (n, K) or (n, m)
            Quantiles at the levels, or the members of an ensemble in any order.
        """
        rows = np.ascontiguousarray(validation.as_float("forecast", forecast))
        rows = validation.check_matrix("forecast", rows[:, None] if rows.ndim == 1 else rows)
        if self.levels is None:
            return np.sort(rows, axis=1)
        if rows.shape[1] != len(self.levels):
            raise ValueError(f"forecast has {rows.shape[1]} columns, there are {len(self.levels)} levels: "
                             f"{', '.join(f'{level:g}' for level in self.levels)}")
        crossing = rows[:, 1:] < rows[:, :-1]
        if crossing.any():
            row, k = np.argwhere(crossing)[0]
            raise ValueError(f"quantiles must not cross: row {row} of forecast has {rows[row, k]:g} at level "
                             f"{self.levels[k]:g} and {rows[row, k + 1]:g} at level {self.levels[k + 1]:g}")
        return rows

    def edges(self, columns: int) -> np.ndarray:
        """Where the act changes: ends of the levels' cells, or the steps j/m of m members; from 0 to 1.

        Parameters
        ----------
        columns : int
            Number of levels or members.
        """
        if self.levels is None:
            return np.arange(columns + 1) / columns
        levels = np.array(self.levels)
        return np.concatenate([[0.0], (levels[1:] + levels[:-1]) / 2, [1.0]])

    def charges(self, short: np.ndarray, left: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What a unit short of each column costs, and a unit left over, summed over the prior; shape (..., columns).

        Parameters
        ----------
        short, left : ndarray, shape (..., cells)
            ``E[tau]`` and ``E[1 - tau]`` over each cell between two of the `edges`.
        """
        if self.levels is None or self.reading == "nearest level":
            return short, left
        levels, mass = np.array(self.levels), short + left
        return mass * levels, mass * (1 - levels)

    def charges_at(self, tau: Any, columns: int) -> tuple[np.ndarray, np.ndarray]:
        """The same for users who know tau, one number or one for each case; shape (..., columns).

        Parameters
        ----------
        tau : float or ndarray, shape (n,)
            In (0, 1).
        columns : int
            Number of levels or members.
        """
        tau = np.asarray(tau, dtype=float)
        inside = np.arange(columns) == self.column(tau, columns)[..., None]
        return self.charges(inside * tau[..., None], inside * (1 - tau)[..., None])

    def column(self, tau: Any, columns: int) -> np.ndarray:
        """Which column is ordered at tau: the one at the nearest level, or the member at tau; an index.

        Parameters
        ----------
        tau : float or ndarray
            In (0, 1).
        columns : int
            Number of levels or members.
        """
        if self.levels is None:  # the left-continuous inverse
            return np.clip(np.ceil(np.asarray(tau) * columns - _ON_LEVEL).astype(int) - 1, 0, columns - 1)
        levels = np.array(self.levels)
        return np.searchsorted((levels[1:] + levels[:-1]) / 2 - _ON_LEVEL, tau, side="right")

    def references(self, y: np.ndarray, weight: Weight) -> References:
        """The quantiles of the outcomes, and the outcome itself."""
        order = np.argsort(y)
        total = np.cumsum(np.ones(len(y)) if weight is None else weight[order])
        levels = (np.arange(50) + 0.5) / 50 if self.levels is None else np.array(self.levels)
        places = np.minimum(np.searchsorted(total, levels * total[-1]), len(y) - 1)
        return (np.tile(y[order][places], (len(y), 1)),), (np.tile(y[:, None], (1, levels.size)),)

    def closed_form(self) -> bool:
        return True

    def honest(self, prior: Prior, mirrored: bool = False) -> tuple[str, str]:
        """Verdict on reporting the true quantiles.

        Parameters
        ----------
        prior : Prior
            On tau, or on ``1 - tau``.
        mirrored : bool
            Is it on ``1 - tau``?
        """
        if self.levels is None:
            return "proper", ("for the distribution with equal mass on each member; draws of another distribution are "
                              "not scored fairly, more of them score better")
        levels = np.array(self.levels)
        ratios = np.sort(1 - levels) if mirrored else levels
        on_levels = all(isinstance(part, Dirac) and np.ndim(part.at) == 0
                        and np.abs(part.at - ratios).min() <= _ON_LEVEL for _, part in prior.parts)
        if on_levels or self.reading == "at levels":
            return "proper", "every reported quantile is charged at its own level"
        if prior.length is not None:
            return "not known", "each case has a prior of its own"
        edges = self.edges(levels.size)
        short, left = _on_cells(prior, edges[:-1], edges[1:], mirrored)
        mass = short + left
        mean = np.divide(short, mass, out=levels.copy(), where=mass > 0)
        off = np.abs(mean - levels)
        if off.max() <= _ON_LEVEL:
            return "proper", "the users of every reported quantile have its level as their mean critical ratio"
        k = int(np.argmax(off))
        return "improper", (f"the users of the quantile reported at level {self.levels[k]:g} have a mean critical "
                            f"ratio of {mean[k]:.3g}: reporting that quantile instead pays")


class Newsvendor(_Orders):
    """Order an amount: a unit short costs tau, a unit left over ``1 - tau``; tau is the critical ratio, in (0, 1).

    ``u_tau = -(tau - 1[y < a]) (y - a)``, and the Bayes act is to order the forecast's quantile at tau. A forecast has
    quantiles at some levels only, so other tau need a rule (`act`).

    Parameters
    ----------
    levels : sequence of float, or "members"
        Levels of the reported quantiles, ascending, in (0, 1). With "members" each row is an ensemble, or a set of
        draws, and the act is its quantile. One of them must be said.
    act : {"at levels", "nearest level"}, optional
        What a user with critical ratio tau does. *At levels*, the default: they count as a user whose critical ratio
        is the nearest level, so the prior is put on the levels, and the score is proper for the reported quantiles.
        *Nearest level*: they order the quantile at the nearest level and pay at their own tau; an honest forecast is
        then in general not the best one, see `properness`.

    Raises
    ------
    ValueError
        Levels that are not ascending or not in (0, 1), or, when data are read, quantiles that cross.

    References
    ----------
    Gneiting, "Quantiles as optimal point forecasts" (2011); Ehm, Gneiting, Jordan and Krueger (2016); Bracher et al.
    (2021) for the weighted interval score, which is twice this one with equal masses at the levels.

    Examples
    --------
    >>> from pwu_lite import PWU, Beta
    >>> depot = Newsvendor(levels=(0.1, 0.5, 0.9))
    >>> depot.act(0.8, [[80, 100, 125]]).tolist()
    [125.0]
    >>> round(PWU(depot, Beta(8, 2))([110], [[80, 100, 125]]), 4)
    2.1851
    """

    parameters = (Parameter("tau", (0.0, 1.0)),)

    def act(self, theta: float, forecast: ArrayLike) -> np.ndarray:
        """What is ordered at the critical ratio theta; shape (n,), in the unit of y.

        Parameters
        ----------
        theta : float
            The critical ratio, in (0, 1).
        forecast : array_like, shape (n, K) or (n, m)
            Quantiles at the levels, or the members of an ensemble.
        """
        tau, rows = validation.inside("tau", theta, 0, 1), self.read_rows(forecast)
        return rows[:, self.column(tau, rows.shape[1])]

    def describe(self, theta: float, which: int) -> str:
        odds = theta / (1 - theta) if theta < 1 else np.inf
        return (f"a unit short costs as much as {odds:.3g} left over" if odds >= 1 else
                f"a unit left over costs as much as {1 / odds if odds else np.inf:.3g} short")

    def properness(self, *priors: Any) -> tuple[str, str]:
        return self.honest(priors[0])

    def breakpoints(self, data: Data) -> tuple[Any, Any]:
        middle = [] if self.levels is None else np.add(self.levels[1:], self.levels[:-1]) / 2
        return None, np.union1d(self.edges(data[1].shape[1])[1:-1], middle)

    def cost(self, theta: Any, y: Any, rows: Any) -> np.ndarray:
        """A unit short costs theta, one left over ``1 - theta``, or what the reading makes of theta."""
        return _pay(y, rows, *self.charges_at(theta, rows.shape[1]))

    def per_sample(self, prior: Prior, y: Any, rows: Any) -> np.ndarray:
        """Every column's shortfall and excess, at the prior's mass and partial mean of the tau that order it."""
        edges = self.edges(rows.shape[1])
        return _pay(y, rows, *self.charges(*_on_cells(prior, edges[:-1], edges[1:])))

    def utilities(self, thetas: np.ndarray, data: Data, weight: Weight) -> np.ndarray:
        """Shortfall and excess of each column once, charged at every tau."""
        y, rows = data
        share, gap = to_sum_one(weight, len(y)), y[:, None] - rows
        short, left = self.charges_at(thetas, rows.shape[1])
        return -(short @ (share @ np.maximum(gap, 0)) + left @ (share @ np.maximum(-gap, 0)))

    def numerical_error(self, prior: Prior, *data: Any) -> float:
        """Zero for a closed form, else the prior's own error times the mean distance of forecasts and outcomes.

        Parameters
        ----------
        prior : Prior
            The continuous parts of a prior on tau.
        *data : ndarray
            Outcomes and forecasts, checked.
        """
        error = prior.numerical_error
        return error * float(np.mean(np.abs(data[1] - data[0][:, None]))) if error else 0.0


class Exceedance(_Orders):
    """Warn that y will exceed t if the chance of it is above the cost share c of a false alarm; theta = (t, c).

    ``u_(t,c) = -1[y > t] (1 - c) 1[p <= c] - 1[y <= t] c 1[p > c]``, where p is the forecast's chance of ``y > t``.
    Two independent priors: on the threshold t, and on the cost share c. With H the distribution function of the prior
    on t, this is a `Newsvendor` on H(y) with the critical ratio ``1 - c``: the users between two values of y who are
    warned wrongly are counted by H.

    Parameters
    ----------
    levels : sequence of float, or "members"
        Levels of reported quantiles; with "members" each row is an ensemble, or a set of draws. Of a normal forecast
        pass its quantiles at many levels.
    act : {"at levels", "nearest level"}, optional
        With levels: what the users of a cost share make of the quantiles, see `Newsvendor`, with the critical ratio
        ``1 - c``.

    Raises
    ------
    ValueError
        No levels; on use, quantiles that cross.

    References
    ----------
    Gneiting and Ranjan (2011) for the threshold-weighted CRPS, which is twice this score under a uniform prior on c;
    Taggart et al. (2022) for FIRM, which has point masses on t.

    Examples
    --------
    >>> from pwu_lite import PWU, Beta, Uniform
    >>> river = Exceedance("members")
    >>> river.act((2.0, 0.3), [[1.0, 1.5, 2.5, 3.0], [1.0, 1.1, 1.2, 2.1]]).tolist()
    [True, False]
    >>> round(PWU(river, Uniform(1, 3), Beta(2, 10))([2.6], [[1.0, 1.5, 2.5, 3.0]]), 6)
    0.028233
    """

    parameters = (Parameter("t", (-np.inf, np.inf)), Parameter("c", (0.0, 1.0), words=FALSE_ALARM))

    def act(self, theta: tuple[float, float], forecast: ArrayLike) -> np.ndarray:
        """True where a warning is given, that is, where ``P(y > t) > c``; shape (n,).

        Parameters
        ----------
        theta : (float, float)
            Threshold, in the unit of y, and cost share.
        forecast : array_like, shape (n, columns)
            Rows of quantiles or members.
        """
        rows = self.read_rows(forecast)
        t, c = self.one_theta(theta, len(rows))
        return rows[:, self.column(1 - c, rows.shape[1])] > t

    def describe(self, theta: float, which: int) -> str:
        return f"warn of more than {theta:.4g}" if which == 0 else BinaryDecision().describe(theta, 0)

    def properness(self, *priors: Any) -> tuple[str, str]:
        return self.honest(priors[1], mirrored=True)

    def cost(self, theta: Any, y: Any, rows: Any) -> np.ndarray:
        """A miss costs 1 - c, a false alarm c; theta is one pair, or a pair of arrays, one entry per case."""
        t, c = theta
        late, warned = (y > t)[:, None], rows > np.reshape(t, (-1, 1))
        short, left = self.charges_at(1 - np.asarray(c, dtype=float), rows.shape[1])
        return (short * (late & ~warned) + left * (~late & warned)).sum(axis=1)

    def per_sample(self, *arguments: Any) -> np.ndarray:
        """``per_sample(prior on t, prior on c, y, rows)``: the newsvendor's cost, measured by H."""
        on_t, on_c, y, rows = arguments
        if isinstance(on_c, Dirac):
            charges = self.charges_at(1 - np.asarray(on_c.at, dtype=float), rows.shape[1])
        else:
            edges = self.edges(rows.shape[1])
            charges = self.charges(*_on_cells(on_c, edges[:-1], edges[1:], mirrored=True))
        return _pay(y, rows, *charges, between=on_t)

    def numerical_error(self, *arguments: Any) -> float:
        """That of the prior on c; shares that are known have none."""
        return 0.0 if isinstance(arguments[1], Dirac) else arguments[1].numerical_error


def _pay(y: np.ndarray, rows: np.ndarray, short: np.ndarray, left: np.ndarray,
         between: Prior | None = None) -> np.ndarray:
    """Shortfall and excess of every column, charged; measured in y, or by the mass of a prior in between."""
    y = y[:, None]
    if between is None:
        gap = y - rows
    else:
        below_y, above_y = (between.tail(name, y[:, 0])[:, None] for name in ("below", "above"))
        if between.length is None:
            below, above = (between.tail(name, rows) for name in ("below", "above"))
        else:
            below, above = (np.column_stack([between.tail(name, column) for column in rows.T])
                            for name in ("below", "above"))
        gap = np.where(np.minimum(below, below_y) < np.minimum(above, above_y), below_y - below, above - above_y)
    lack = np.maximum(gap, 0)
    excess = np.subtract(lack, gap, out=gap)
    if short.ndim == 1:  # not a matrix product: its last digits may depend on where a row stands
        return np.einsum("nk,k->n", lack, short) + np.einsum("nk,k->n", excess, left)
    return (short * lack + left * excess).sum(axis=1)


def _on_cells(prior: Prior, low: np.ndarray, high: np.ndarray, mirrored: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """``E[tau]`` and ``E[1 - tau]`` over each cell of tau, shape (cells,); with a prior for each case (n, cells).

    The prior is on tau, or on ``1 - tau``. Where tau is near 1 the second is a difference of `complement_above`, so
    that no digits cancel.
    """
    if mirrored:
        low, high = 1 - high, 1 - low
    if prior.length is not None:  # shape (cells, n) in between
        low, high = low[:, None], high[:, None]
    mean = np.asarray(prior.partial_mean(low, high))
    rest = np.where(low > 0.5, prior.complement_above(low) - prior.complement_above(high), prior.mass(low, high) - mean)
    return (rest.T, mean.T) if mirrored else (mean.T, rest.T)


def _levels(given: Any) -> tuple[Any, ...]:
    levels = validation.vector("levels", given)
    hint = " (percentages? divide by 100)" if 1 < levels.max() < 100 and levels.min() > 0 else ""
    validation.reject("levels", levels, (levels <= 0) | (levels >= 1), f"must lie in (0, 1){hint}")
    validation.reject("levels", levels, np.diff(levels, prepend=-np.inf) <= 0, "must be ascending")
    return tuple(levels.tolist())


def _as_number(name: Any) -> float:
    try:
        return float(name)
    except (TypeError, ValueError):
        return float("nan")
