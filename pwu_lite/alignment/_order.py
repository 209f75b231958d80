"""How a metric ranks forecasts: which of its differences count.

Implements what definitions 3.1 and 3.5 of the PWU paper leave open about computing.
"""

from typing import Any, NamedTuple

import numpy as np

from .. import metrics as registry

__all__ = ["Comparison"]

PRECISION = 1e-5  # of the largest value: room for a metric computed in single precision
_HALF = ((8, 1e-2), (11, 1e-3))  # bits of bfloat16 and of float16, and the precision of such numbers


class Comparison(NamedTuple):
    """Labels and two forecasts, of which the metric calls the first one better.

    ``better`` and ``worse`` are tuples of arrays, as the metric takes them after y_true;
    ``values`` holds the metric at both, negated where higher is better.
    """

    y_true: np.ndarray
    better: tuple[np.ndarray, ...]
    worse: tuple[np.ndarray, ...]
    values: tuple[float, float]


def check_metric(metric: Any) -> None:
    if not callable(metric):
        raise ValueError(f"metric must be a function metric(y_true, *prediction), got {metric!r}; those of the "
                         f"registry are in pwu_lite.metrics.REGISTRY")


def as_list(name: str, values: Any) -> list[Any]:
    try:
        return list(values)
    except TypeError:
        raise ValueError(f"{name} must be a sequence, got {values!r:.60}") from None


def as_loss(metric: Any) -> Any:
    if isinstance(metric, registry.Metric) and not metric.lower_is_better:
        return lambda *data: -metric(*data)
    return metric


def metric_value(loss: Any, labels: Any, report: list[np.ndarray] | tuple[Any, ...]) -> float:
    """The metric as one real number, or ValueError."""
    try:
        value = loss(np.array(labels), *map(np.array, report))  # copies: a metric may sort or clip in place
    except TypeError as error:
        raise ValueError(f"the metric must take y_true and {len(report)} array(s): {error}") from error
    return one_real("the metric", value)


def one_real(what: str, value: float | None) -> float:
    array = np.asarray(value)
    if array.ndim != 0 or array.dtype.kind not in "biuf":
        raise ValueError(f"{what} must return one number, got {value!r:.60}")
    return float(array)


def check_repeats(loss: Any, labels: Any, report: tuple[Any, ...], value: float) -> None:
    """Raise ValueError for a metric that is random or keeps a state."""
    if metric_value(loss, labels, report) != value:
        raise ValueError("the metric gives two values for the same forecast: it is random, or keeps a state")


def check_order_of_cases(loss: Any, labels: Any, report: tuple[Any, ...], value: float, room: float) -> None:
    """Raise ValueError for a metric whose value depends on the order of the cases."""
    labels = np.asarray(labels)
    turned = metric_value(loss, labels[::-1], [np.asarray(part)[::-1] for part in report])
    if not abs(turned - value) <= room:
        raise ValueError(f"the metric depends on the order of the cases ({value:.9g}, and {turned:.9g} from the last "
                         f"to the first), so it ranks no forecasts")


def assumed_precision(loss: Any, labels: Any, reports: list[Any], precision: float) -> float:
    """The stated precision, or that of half precision where the metric's values are such numbers.

    Values between forecasts are looked at: those at round forecasts may be short numbers in any precision.
    """
    values = []
    for first, second in zip(reports[:12], reports[1:13], strict=False):
        between = [start + 0.6180339887498949 * (end - start) for start, end in zip(first, second, strict=True)]
        try:
            values.append(metric_value(loss, labels, between))
        except ValueError:  # a forecast that the metric refuses
            continue
    mantissas = np.frexp([value for value in values if np.isfinite(value)])[0]
    if not len(mantissas):
        return precision
    return max([precision, *(coarse for bits, coarse in _HALF if (np.ldexp(mantissas, bits) % 1 == 0).all())])
