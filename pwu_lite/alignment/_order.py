"""How a metric ranks, or ties, forecasts beyond doubt: what rounding and plateaus explain is not an order.

Implements what definitions 3.1 and 3.5 of the PWU paper leave to whoever computes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .. import metrics as registry

__all__ = ["Comparison"]

_ULPS = 8 * np.finfo(float).eps  # last digits: values this close are tied
PRECISION = 1e-5  # of the largest value: as a metric is computed in single precision
_HALF = ((8, 1e-2), (11, 1e-3))  # bits of bfloat16 and of float16, and the precision to assume of such numbers
_STEP, _SMALL_STEP = 0.01, 1e-4  # how far forecasts are moved to see whether the metric moves


class Comparison(NamedTuple):
    """Labels and two forecasts, of which the metric calls one at least as good as the other.

    ``better`` and ``worse`` are tuples of arrays, as the metric takes them after y_true;
    ``values`` holds the metric at both.
    """

    y_true: np.ndarray
    better: tuple[np.ndarray, ...]
    worse: tuple[np.ndarray, ...]
    values: tuple[float, float]


def check_metric(metric):
    if not callable(metric):
        raise ValueError(f"metric must be a function metric(y_true, *prediction), got {metric!r}; those of the "
                         f"registry are in pwu_lite.metrics.REGISTRY")


def as_list(name, values):
    try:
        return list(values)
    except TypeError:
        raise ValueError(f"{name} must be a sequence, got {values!r:.60}") from None


def metric_value(loss, labels, report):
    """The metric as one real number, or ValueError."""
    try:
        value = loss(labels, *report)
    except TypeError as error:
        raise ValueError(f"the metric must take y_true and {len(report)} array(s): {error}") from error
    return one_real("the metric", value)


def one_real(what, value):
    array = np.asarray(value)
    if array.ndim != 0 or array.dtype.kind not in "biuf":
        raise ValueError(f"{what} must return one number, got {value!r:.60}")
    return float(array)


def _noise(loss, labels, report, value):
    """How much the metric depends on the order of the cases: the rounding of its sums."""
    size = len(labels)
    others = [np.arange(size)[::-1], np.roll(np.arange(size), size // 2)]
    values = [metric_value(loss, np.asarray(labels)[order], [part[order] for part in report]) for order in others]
    return float(np.nan_to_num(np.max(np.abs(np.subtract(values, value))), nan=np.inf))


class Order:
    """Which forecasts the metric ranks (below[i, j]: i has the smaller loss), and which it ties.

    `confirm` looks closer at a pair, and takes out of both what rounding or a plateau explains.
    """

    def __init__(self, loss, labels, reports, values, precision, ends=None):
        self.loss, self.labels, self.reports, self.values = loss, np.asarray(labels), reports, values
        self.precision = precision = max(precision, _half_precision(loss, self.labels, reports))
        low, high = ends or (values.min(), values.max())
        self.room = precision * max(abs(low), abs(high))
        self.inside = (low + self.room, high - self.room)
        self.gap = values[None, :] - values[:, None]
        own = np.maximum(np.abs(values)[None, :], np.abs(values)[:, None])
        self.below = self.gap > self.room
        self.tied = np.abs(self.gap) <= _ULPS * own
        saturates = ((np.abs(self.gap) <= self.room) & ~self.tied).any(axis=1)  # nearly its own value elsewhere
        self.tied &= ~(saturates[:, None] | saturates[None, :])
        for i, j in zip(*np.nonzero(np.triu(self.tied)), strict=True):
            if _nearly_equal(reports[i], reports[j]):  # single precision may have made them so
                self.tied[i, j] = self.tied[j, i] = False
        self.noise = {}

    def comparison(self, i, j):
        return Comparison(np.asarray(self.labels), self.reports[i], self.reports[j],
                          (float(self.values[i]), float(self.values[j])))

    def confirm(self, i, j):
        """Is the order, or the tie, of i and j beyond doubt?"""
        for place in (i, j):
            if place not in self.noise:
                self.noise[place] = _noise(self.loss, self.labels, self.reports[place], self.values[place])
                beyond = np.abs(self.gap[place]) > self._room_at(place)
                self.below[place] &= beyond
                self.below[:, place] &= beyond
        if self.below[i, j]:
            return True
        if self.tied[i, j] and not all(self._genuine(place) for place in (i, j)):
            places = np.flatnonzero(self.tied.any(axis=1))
            kept = np.isin(np.arange(len(self.reports)), [place for place in places if self._genuine(place)])
            self.tied &= kept[:, None] & kept[None, :]
        elif self.tied[i, j] and not (self._moves(i) and self._moves(j)) and not self._lasts(i, j):
            self.tied[:] = False  # the metric saturates
        return bool(self.tied[i, j])

    def outlives(self, i, j):
        """Is j still worse than i when both get the cases of the worst forecast too?

        A metric that spreads small values, such as a logarithm, ranks forecasts whose costs differ by less than the
        rounding of a tie between larger costs. Such an order may not be added up with ties.
        """
        worst = self.reports[int(np.argmax(np.where(np.isfinite(self.values), self.values, -np.inf)))]
        labels = np.concatenate([self.labels, self.labels])
        values = [_values_where_defined(self.loss, labels, [np.concatenate([part, more]) for part, more in
                                                            zip(self.reports[place], worst, strict=True)])
                  for place in (i, j)]
        if not (values[0] and values[1]):
            return False
        return values[1][0] - values[0][0] > self.precision * max(abs(values[0][0]), abs(values[1][0]))

    def _genuine(self, place):
        """Is a tie at this place more than a plateau, where a score saturates or is flat?

        Small changes of the forecast move the metric up and down; or it is a step function here,
        still under smaller changes, inside its range, and leaves its value with a jump.
        """
        return self._moves(place) or (self._still(place) and self.inside[0] < self.values[place] < self.inside[1]
                                      and self._ends_in_jumps(place))

    def _lasts(self, i, j):
        """Does the tie last when both forecasts get the same further cases, sure ones, right or wrong?

        They carry an average to other values, where it does not saturate, and leave ranks as they are.
        """
        tied, lasts = 0, True
        for labels, *reports in _longer(self.labels, self.reports[i], self.reports[j]):
            values = [metric_value(self.loss, labels, report) for report in reports]
            if np.isfinite(values).all():
                tied += 1
                lasts &= abs(values[0] - values[1]) <= _ULPS * max(np.abs(values))
        return lasts and tied > 0

    def _moves(self, place):
        return _both_ways(self._changes(place, _STEP), self._room_at(place))

    def _still(self, place):
        return all(abs(change) <= _ULPS * abs(self.values[place]) for change in self._changes(place, _SMALL_STEP))

    def _ends_in_jumps(self, place):
        here = self.reports[place]
        targets = self._away(place) or [*_moved(here, [], 0.5), *_moved(here, [], 3.0)]
        jumps = [self._jump(place, target) for target in targets]
        return any(jumps) and all(jump is None or jump for jump in jumps)

    def _jump(self, place, target):
        """Does the metric leave its value with a jump, on the way to the target? None if it keeps it."""
        low, high, width = 0.0, 1.0, _ULPS * abs(self.values[place])

        def change(share):
            gap = list(self._gaps(place, [_between(self.reports[place], target, share)]))
            return abs(gap[0]) if gap else 0.0

        if not change(high) > width:
            return None
        for _ in range(75):
            middle = low + 0.618 * (high - low)  # not the middle: forecasts on a grid tie there
            low, high = (low, middle) if change(middle) > width else (middle, high)
        return change(high) > self._room_at(place)

    def _room_at(self, place):
        return self.room + 20 * self.noise.get(place, 0.0)

    def _changes(self, place, size):
        return self._gaps(place, _moved(self.reports[place], self._away(place), size))

    def _away(self, place):
        """Reports of another value."""
        return [self.reports[j] for j in np.flatnonzero(self.values != self.values[place])[:4]]

    def _gaps(self, place, moved):
        """By how much the metric changes with the forecast."""
        for other in moved:
            for value in _values_where_defined(self.loss, self.labels, other):
                yield value - self.values[place]


def _half_precision(loss, labels, reports):
    """The precision to assume where the metric gives numbers of half precision between forecasts, else 0."""
    pairs = zip(reports[:12], reports[1:13], strict=False)
    between = [_between(here, there, 0.6180339887498949) for here, there in pairs]
    values = np.array([value for report in between for value in _values_where_defined(loss, labels, report)])
    mantissas = np.frexp(values)[0]
    return next((precision for bits, precision in _HALF if (np.ldexp(mantissas, bits) % 1 == 0).all()), 0.0)


def _nearly_equal(one, two):
    """Do two forecasts differ by less than a thousandth everywhere?"""
    return all(np.allclose(here, there, rtol=1e-3, atol=0) for here, there in zip(one, two, strict=True))


def _both_ways(gaps, room):
    up = down = False
    for gap in gaps:
        up, down = up or gap > room, down or gap < -room
        if up and down:
            return True
    return False


def _between(here, there, share):
    return [start + share * (end - start) for start, end in zip(here, there, strict=True)]


def _moved(report, others, size):
    """Forecasts a small step away: towards others, and up and down in all cases or in one."""
    for other in others:
        yield _between(report, other, min(size, 1.0))
    first, rest = report[0], report[1:]
    if first.ndim > 1 and not rest:
        return  # rows of probabilities: only towards others do they stay such
    unit = rest[0] if rest and rest[0].shape == first.shape else 1.0
    for case in (slice(None), *range(min(len(first), 8))):
        for step in (size, -size):
            factor = np.zeros(first.shape)
            factor[case] = step
            if not rest and ((first >= 0) & (first <= 1)).all():  # probabilities: towards 1 or towards 0
                unit = np.where(factor > 0, 1 - first, first) / max(1.0, 2 * size)
            yield [first + factor * unit, *rest]
            if rest and np.ndim(unit):
                yield [first, unit * (1 + factor), *rest[1:]]


def _longer(labels, *reports):
    """The data and forecasts with up to 34 sure cases more, right or wrong."""
    first, rest = reports[0][0], reports[0][1:]
    if len(rest) > 1 or (first.ndim > 1 and rest):
        return  # not of a kind that is known here
    for label, parts in _sure_cases(labels, reports):
        for count in (1, 2, 3, 5, 8, 13, 21, 34):
            added = [[np.concatenate([part, np.repeat(np.array([more], dtype=float), count, axis=0)])
                      for part, more in zip(report, parts, strict=True)] for report in reports]
            yield np.concatenate([labels, np.full(count, label)]), *added


def _sure_cases(labels, reports):
    """Labels and forecasts of cases that are more certain, or less, than all in the reports."""
    first = np.concatenate([report[0] for report in reports])
    if len(reports[0]) == 2:
        std = np.concatenate([report[1] for report in reports])
        for spread in (std.min() / 8, std.max() * 8):
            for error in (0.0, 8 * np.ptp(first) + 8):
                yield labels[0], (labels[0] + error, spread)
    elif first.ndim > 1:
        sure = np.full(first.shape[1], 1e-4)
        sure[0] = 1 - 1e-4 * (first.shape[1] - 1)
        yield from ((label, (sure,)) for label in (0, 1))
    elif (first >= 0).all() and (first <= 1).all() and set(labels.tolist()) <= {0, 1}:
        yield from ((label, (f,)) for label in (0, 1) for f in (1e-4, 1 - 1e-4))
    else:
        yield from ((label, (u,)) for label in (0.0, labels.max() + 1) for u in (first.min() - 1, first.max() + 1))


def order_of(loss, comparison, precision):
    """1 if the metric is above at `worse`, 0 if the two are tied, -1 if below; None if that is unclear."""
    order, low, high = _around(loss, comparison, precision)
    if np.isnan(low) or np.isnan(high):
        return None
    if order is None:
        return int(np.sign(high - low)) if low != high else None
    if order.confirm(0, 1):
        return 1 if order.below[0, 1] else 0
    return -1 if order.below[1, 0] else None


def outlives(loss, comparison, precision):
    """Does a strict comparison count beside ties? See `Order.outlives`."""
    order, *_ = _around(loss, comparison, precision)
    return order is None or order.outlives(0, 1)


def _around(loss, comparison, precision):
    """The two forecasts of a comparison among forecasts around them, and the metric at the two; None if not finite."""
    labels = comparison.y_true
    reports = [tuple(map(np.asarray, report)) for report in (comparison.better, comparison.worse)]
    low, high = (metric_value(loss, labels, report) for report in reports)
    if not np.isfinite([low, high]).all():
        return None, low, high
    # values that the metric takes nearby
    around = [*_moved(reports[0], reports[1:], 0.5), *_moved(reports[1], reports[:1], 3.0)]
    seen = [(report, value) for report in around for value in _values_where_defined(loss, labels, report)]
    order = Order(loss, labels, [*reports, *(report for report, _ in seen)],
                  np.array([low, high, *(value for _, value in seen)]), precision)
    return order, low, high


def _values_where_defined(loss, labels, report):
    """The metric in a list, empty where it refuses the forecast or is not finite."""
    try:
        value = metric_value(loss, labels, report)
    except ValueError:
        return []
    return [value] if np.isfinite(value) else []


def as_loss(metric):
    if isinstance(metric, registry.Metric) and not metric.lower_is_better:
        return lambda *data: -metric(*data)
    return metric
