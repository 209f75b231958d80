"""A family's costs of several forecasts at all of its decision parameters.

Implements the utilities of sections 3.2 and 3.3 of the PWU paper, between two changes of an act.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import validation
from .._ranks import ROUNDING
from ..families import Family
from ._order import one_real

_LINEAR = 1e-9  # of the largest cost: how far from a line a utility may be between two edges


def cost_at(family: Callable[..., Any] | Family, theta: float | None, y_true: Any,
            prediction: tuple[Any, ...]) -> float:
    if isinstance(family, Family):
        return -family.utility(theta, y_true, *prediction)
    try:
        cost = family(theta, y_true, *prediction)
    except TypeError as error:
        raise ValueError(f"the family must take theta, y_true and {len(prediction)} array(s): {error}") from error
    return one_real("the family", cost)


def all_costs(family: Callable[..., Any] | Family, labels: Any, reports: list[Any], thetas: list[Any],
              within: tuple[float, float] | None) -> tuple[Any, ...]:
    """Costs of each report, shape (reports, columns), each column on its own scale, and their rounding errors.

    A difference of rows that is nowhere negative in the columns is nowhere negative in theta.
    """
    if not isinstance(family, Family) or not family.parameters:
        costs = np.array([[cost_at(family, theta, labels, report) for theta in thetas or [None]] for report in reports])
        if not np.isfinite(costs).all():
            raise ValueError("the family's cost must be finite at each theta")
        return _scaled(costs, np.abs(costs))
    points = [_checked_breakpoints(family, family.read(labels, *report)) for report in reports]
    first = points[0][0]
    if points[0][1] is None:
        if within is not None:
            raise ValueError(f"within is for a continuous parameter; that of {type(family).__name__} is discrete")
        costs = _costs_at(family, labels, reports, first)
        return _scaled(costs, np.abs(costs))
    low, high = within or family.parameters[-1].domain
    edges = np.concatenate([edge for _, edge in points])
    edges = np.unique(edges[(edges > low) & (edges < high)])
    left, right_of, unbounded = _inner_points(edges, low, high)
    near, far, middle = (_costs_at(family, labels, reports, _pairs(first, points))
                         for points in (left, right_of, (left + right_of) / 2))
    room = _LINEAR * np.maximum(np.abs(near), np.abs(far)).max() + _rounding_of_theta(near, far, left, right_of)
    if (np.abs(near + far - 2 * middle) > room).any():
        raise ValueError(f"the utility of {type(family).__name__} is not linear between the edges that its method "
                         f"breakpoints gives: fix it, or pass a cost function and thetas")
    right = 2 * far - near
    if unbounded:
        lines = np.arange(near.shape[1]) % left.size == left.size - 1
        right[:, lines] = (far - near)[:, lines]
    size = 3 * np.maximum(np.abs(near), np.abs(far))
    columns = [_scaled(2 * near - far, size), _scaled(right, size)]
    if edges.size:  # where acts tie they are shared, and the cost is neither end's
        costs = _costs_at(family, labels, reports, _pairs(first, edges))
        columns.append(_scaled(costs, np.abs(costs)))
    return tuple(np.concatenate(parts, axis=1) for parts in zip(*columns, strict=True))


def _checked_breakpoints(family: Family, data: tuple[Any, ...]) -> tuple[np.ndarray | None, np.ndarray | None]:
    result = family.breakpoints(data)
    name = type(family).__name__
    if not isinstance(result, tuple) or len(result) != 2 or (result[0] is None and result[1] is None):
        raise ValueError(f"the method breakpoints of {name} must return (values or None, edges or None), "
                         f"got {result!r:.60}")
    first, edges = result
    return first, None if edges is None else validation.numbers(f"the edges of {name}", np.ravel(edges))


def _costs_at(family: Family, labels: Any, reports: list[Any], thetas: Any) -> np.ndarray:
    costs = -np.array([family.utility(thetas, labels, *report) for report in reports])
    if not np.isfinite(costs).all():
        raise ValueError(f"the utility of {type(family).__name__} is not finite at some theta between its edges")
    return costs


def _scaled(costs: np.ndarray, size: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Costs and rounding errors, each column divided by its spread: a prior may weigh it anew."""
    costs = costs - costs.min(axis=0)
    spread = costs.max(axis=0)
    flat = spread <= ROUNDING * size.max(axis=0)  # nothing but rounding errors
    spread = np.where(flat, 1.0, spread)
    return np.where(flat, 0.0, costs) / spread, ROUNDING * size / spread


def _rounding_of_theta(near: np.ndarray, far: np.ndarray, first_points: np.ndarray,
                       second_points: np.ndarray) -> np.ndarray:
    """What the last digits of theta, and of one minus theta, change in the costs."""
    columns = np.arange(near.shape[1]) % first_points.size
    slope = np.abs(far - near) / (second_points - first_points)[columns]
    return 8 * np.finfo(float).eps * (1 + np.abs(second_points[columns])) * slope


def _inner_points(edges: np.ndarray, low: float, high: float) -> tuple[np.ndarray, np.ndarray, bool]:
    """Two points inside each piece, from which a line gives its values at the ends; is the last piece unbounded?"""
    ends = np.concatenate([[low], edges, [high]])
    last = bool(np.isinf(high))
    if last:
        ends[-1] = ends[-2] + 3 * (ends[-2] if ends[-2] > 0 else 1.0)
    width = np.diff(ends)
    first_points, second_points = ends[:-1] + width / 3, ends[:-1] + 2 * width / 3
    inside = (ends[:-1] < first_points) & (first_points < second_points) & (second_points < ends[1:])
    if not inside.any():  # no number lies between the edges
        raise ValueError(f"no decision parameter between {low:g} and {high:g} tells these forecasts apart")
    return first_points[inside], second_points[inside], last and bool(inside[-1])


def _pairs(first: np.ndarray | None, points: np.ndarray) -> np.ndarray:
    """The points, or each combination of a discrete value and a point as a row."""
    if first is None:
        return points
    return np.column_stack([np.repeat(first, points.size), np.tile(points, len(first))])
