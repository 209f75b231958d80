"""Property tests for decision families and priors: a reader's own, and this package's.

Implements what equation (4) of the PWU paper promises, as checks on data.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from . import validation
from .families import Family, SeparableFamily
from .priors import Dirac, Mixture, Uniform, as_prior
from .pwu import PWU

__all__ = ["check_family", "check_prior"]

_LATTICE = (0.6180339887498949, 0.7548776662466927)  # steps that fill the unit square, or cube, evenly


def check_family(family: Family, prior: Any, data: Sequence[Any], *, points: int = 4000, rtol: float = 0.02) -> None:
    """Check what every decision family must satisfy.

    On the given data: the order of the cases does not matter; the PWU is the prior's average of
    ``-U_theta``; a point mass gives ``-U_theta`` itself, at quantiles of the prior, where an act changes, next to
    these places and between them, to nine digits of the cost there, however large other costs are; a mixture of
    priors gives the mixture of PWUs; where the family is separable, the losses of the cases average to the score,
    cases given twice count as weight two, in the score and in ``-U_theta``, a case costs alone what it costs among
    others, and a prior for each case costs what the cases' own priors cost alone (or is refused, unless it is a known
    value); NaN in any argument is refused.

    Where the family has the method, also: `act` and the cost belong together (a forecast with the same
    act costs the same; True, or a larger share, is the act that a larger label favours); between two `breakpoints`
    the cost is linear and the act constant. It cannot see a slip in `cost` that `per_sample` repeats: deriving the two
    formulas independently is the stronger check. What `properness` says is not checked.

    Parameters
    ----------
    family : Family
    prior : Prior, or tuple of them
        One for each parameter, continuous. A heavy tail needs more `points`.
    data : sequence of array_like
        ``(y_true, *prediction)`` as the family takes them.
    points : int
        Values of the prior in the average of ``-U_theta``.
    rtol : float
        How far that average may be from the PWU, relative to it.

    Raises
    ------
    AssertionError
        A property fails; the message says which.
    ValueError
        A prior for each case, or there are no data.

    Examples
    --------
    >>> from pwu_lite import Beta, BinaryDecision
    >>> check_family(BinaryDecision(), Beta(2, 10), ([1, 0, 1], [0.9, 0.2, 0.1]))
    """
    arrays = [validation.as_float("data", values) for values in data]
    if len(arrays) < 2 or arrays[0].ndim == 0 or len(arrays[0]) == 0:
        raise ValueError("data must be (y_true, *prediction), not empty")
    score = PWU(family, *(prior if isinstance(prior, tuple) else (prior,)))
    if any(one.length is not None for one in score.priors):
        raise ValueError("check_family takes one prior for all cases")
    value, order = _value(score, *arrays), np.random.default_rng(0).permutation(len(arrays[0]))
    _same("the order of the cases matters", _value(score, *(a[order] for a in arrays)), value, abs(value))

    thetas = family.thetas(_spread(score.priors, points), family.read(*arrays)) if score.priors else None
    costs = score.curve(*arrays, thetas=thetas)
    size = float(np.max(np.abs(costs)))
    _same("the PWU is not the prior's average of -U", np.mean(costs), value, size, rtol)
    if score.priors:
        _check_point_masses(score, arrays, size)
    if len(score.priors) == 1 and not family.stated[0].counts:
        _check_everywhere(score, arrays)
    if isinstance(family, SeparableFamily):
        _check_cases(score, arrays, value, order, size)
    for index in range(len(arrays)):
        _refuses_nan(score, arrays, index)
    _check_act(score, arrays, size)
    if family.linear_between_breakpoints:
        _check_breakpoints(score, arrays, size)


def check_prior(prior: Any, *, points: int = 2000, rtol: float = 1e-6) -> None:
    """Check what every continuous prior must satisfy.

    Mass and partial mean below and above any point add up, on the support and outside of it; NaN
    gives NaN or a ValueError; quantiles invert the mass; mass, partial mean and, on [0, 1],
    ``E[1 - theta; theta >= t]`` are integrals of the density between two quantiles.

    Parameters
    ----------
    prior : Prior or frozen scipy.stats distribution
    points : int
        Nodes of the integrals.
    rtol : float
        How far the integrals may be off, relative to the mass between the two quantiles.

    Raises
    ------
    AssertionError
        A property fails; the message says which.
    ValueError
        A prior for each case.

    Examples
    --------
    >>> from pwu_lite import Beta
    >>> check_prior(Beta(2, 10))
    """
    prior = as_prior(prior)
    if prior.length is not None:
        raise ValueError("check_prior takes one prior for all cases")
    low, high = prior.support
    levels = np.array([1e-9, 0.01, 0.2, 0.5, 0.8, 0.99, 1 - 1e-9])
    inner = np.asarray(prior.ppf(levels))
    outside = np.array([-np.inf, low - 1 - abs(low), low, np.nextafter(high, np.inf), high + 1 + abs(high), np.inf])
    with np.errstate(all="ignore"):  # behaviour outside the support is what is tested
        below, above, mean_below, mean_above = (np.asarray(tail) for tail in prior.tails(np.r_[outside, inner]))
    _same("below and above any point there is not all mass", below + above, 1.0, 1.0)
    _same("outside the support there is mass", below[:6], [0, 0, 0, 1, 1, 1], 1.0)
    _same("quantiles do not invert the mass", below[6:], levels, 1.0, rtol)
    mean = prior.mean
    if np.isfinite(mean):
        size = max(abs(mean), float(np.abs(inner[1:-1]).max()))  # of a mean that cancels: what it is made of
        _same("partial means do not add up to the mean", mean_below + mean_above, mean, size, rtol)
        _same("outside the support there is a partial mean", mean_below[:6], below[:6] * mean, size, rtol)
    _nan_is_no_number(prior)
    for start, end in pairwise(inner[1:-1]):  # in parts: over the whole range, errors of both signs cancel
        _check_density(prior, start, end, points, rtol)


def _nan_is_no_number(prior: Any) -> None:
    try:
        tails = prior.tails(np.array(np.nan))
    except ValueError:
        return
    if not all(np.isnan(np.asarray(tail)).all() for tail in tails):
        raise AssertionError(f"the tails at NaN are {tails!r}")


def _check_density(prior: Any, low: float, high: float, points: int, rtol: float) -> None:
    """Mass, partial mean and complement between two quantiles, as integrals of the density."""
    nodes, weight = np.polynomial.legendre.leggauss(20)
    levels = np.linspace(float(prior.mass(-np.inf, low)), float(prior.mass(-np.inf, high)), points // 20 + 1)
    edges = np.unique([low, *np.clip(prior.ppf(levels[1:-1]), low, high), high])  # close together where it is high
    half = np.diff(edges)[:, None] / 2
    x = edges[:-1, None] + half * (nodes + 1)
    density = half * weight * np.asarray(prior.pdf(x))
    integrals = [("mass", 1.0, prior.mass(low, high), 1.0),
                 ("partial mean", x, prior.partial_mean(low, high), max(abs(low), abs(high)))]
    if prior.support[0] >= 0 and prior.support[1] <= 1:  # a cost share, and what is left of one
        integrals.append(("complement", 1 - x, prior.complement_above(low) - prior.complement_above(high), 1.0))
    for what, factor, integral, size in integrals:
        _same(f"the {what} between two quantiles is not the density's", float(integral),
              float((factor * density).sum()), size, rtol)


def _spread(priors: tuple[Any, ...], points: int) -> Any:
    """Values of the priors that fill their quantiles evenly: one after the other, or on a lattice of two."""
    levels = (np.arange(points) + 0.5) / points
    others = [(np.arange(points) * step + 0.5) % 1 for step in _LATTICE[:len(priors) - 1]]
    return np.column_stack([prior.ppf(level) for prior, level in zip(priors, [levels, *others], strict=True)])


def _check_point_masses(score: PWU, arrays: list[np.ndarray], size: float) -> None:
    """Under point masses the PWU is -U, and under a mixture of priors the mixture of PWUs."""
    family, data = score.family, score.family.read(*arrays)
    place = [float(prior.ppf(0.4)) for prior in score.priors]
    cost = float(np.mean(score.curve(*arrays, thetas=family.thetas(place, data))))
    known = [Dirac(_of_prior(one, at, len(arrays[0]))) for one, at in zip(family.stated, place, strict=True)]
    _same("a point mass does not give -U", _value(PWU(family, *known), *arrays), cost, size)
    mixed = Mixture([score.priors[0], known[0]], [0.25, 0.75])
    whole, *both = [_value(PWU(family, first, *score.priors[1:]), *arrays)
                    for first in (mixed, score.priors[0], known[0])]
    _same("a mixture of priors is not the mixture of PWUs", whole, 0.25 * both[0] + 0.75 * both[1], size)


def _check_everywhere(score: PWU, arrays: list[np.ndarray]) -> None:
    """A point mass costs -U at all scales of theta, to nine digits of what is paid there."""
    family = score.family
    data = family.read(*arrays)
    places = [np.asarray(score.priors[0].ppf([1e-6, 0.01, 0.2, 0.5, 0.8, 0.99, 1 - 1e-6]))]
    if family.linear_between_breakpoints:
        edges = np.unique(np.asarray(family.breakpoints(data)[1], dtype=float))
        edges = edges[np.isfinite(edges)]
        edges = edges[np.unique(np.linspace(0, edges.size - 1, 20).astype(int))] if edges.size else edges
        places += [edges, np.nextafter(edges, -np.inf), np.nextafter(edges, np.inf), edges * (1 - 1e-9),
                   edges * (1 + 1e-9), (edges[1:] + edges[:-1]) / 2]
    low, high = family.stated[0].domain
    thetas = np.unique(np.concatenate(places))
    thetas = thetas[(thetas > low) & (thetas < high)]
    costs = np.asarray(score.curve(*arrays, thetas=family.thetas(thetas, data)), dtype=float).reshape(
        thetas.size, -1).mean(axis=1)
    for theta, cost in zip(thetas.tolist(), costs.tolist(), strict=True):
        known = PWU(family, Dirac(theta))
        paid = np.abs(known.per_sample(*arrays)).mean() if isinstance(family, SeparableFamily) else abs(cost)
        value = _value(known, *arrays)
        if not abs(value - cost) <= 1e-9 * paid + 1e-300:
            raise AssertionError(f"a point mass does not give -U at {family.names[0]} = {theta!r}: {value!r} and "
                                 f"{cost!r}, where cases cost {paid:.3g}")


def _check_cases(score: PWU, arrays: list[np.ndarray], value: float, order: np.ndarray, size: float) -> None:
    """Losses of single cases, weights, and a prior for each case."""
    losses, n = score.per_sample(*arrays), len(order)
    _same("the losses of the cases do not average to the score", losses.mean(), value, size)
    _same("the order changes the loss of a case", score.per_sample(*(a[order] for a in arrays)), losses[order], size)
    alone = [_value(score, *(a[i:i + 1] for a in arrays)) for i in range(min(n, 20))]
    _same("a case alone does not cost what it costs among others", alone, losses[:20], size)
    weight = 1.0 + np.random.default_rng(1).integers(0, 4, n)
    twice = [np.repeat(a, weight.astype(int), axis=0) for a in arrays]
    _same("weight two is not the same as twice", _value(score, *arrays, sample_weight=weight), _value(score, *twice),
          size)
    if not score.priors:
        return
    family = score.family
    theta = family.thetas([float(prior.ppf(0.4)) for prior in score.priors], family.read(*arrays))
    _same("weight two is not the same as twice in -U", score.curve(*arrays, thetas=theta, sample_weight=weight),
          score.curve(*twice, thetas=theta), size)
    each, rest = np.asarray(score.priors[0].ppf(np.linspace([0.1, 0.2, 0.6], [0.4, 0.8, 0.9], n))).T, score.priors[1:]
    for what, kind, values in (("known parameter", Dirac, each[1:2]), ("prior", Uniform, each[::2])):
        own = [_value(PWU(family, kind(*case), *rest), *(a[i:i + 1] for a in arrays))
               for i, case in enumerate(values.T[:20].tolist())]
        try:
            losses = PWU(family, kind(*values), *rest).per_sample(*arrays)
        except ValueError:  # a family that takes one prior with a width for all cases: what it refuses is not wrong
            if kind is Dirac:
                raise
            continue
        _same(f"a {what} for each case does not cost what it costs alone", losses[:20], own, size)


def _check_act(score: PWU, arrays: list[np.ndarray], size: float) -> None:
    """The cost follows the act that `act` names."""
    family = score.family
    if not hasattr(family, "act") or any(parameter.averaged for parameter in family.parameters):
        return
    labels, *prediction = arrays
    data = family.read(*arrays)
    for quantile in (0.2, 0.5, 0.8, *np.linspace(0.01, 0.99, 50)):
        thetas = [float(prior.ppf(quantile)) for prior in score.priors]
        theta: Any = family.thetas(thetas, data)[0] if thetas else None
        theta = tuple(theta) if np.ndim(theta) else theta
        acts = np.asarray(family.act(theta, *prediction))
        if acts.shape[:1] != (len(labels),):
            raise AssertionError(f"act must return one act per case, got shape {acts.shape} for {len(labels)} cases")
        if isinstance(family, SeparableFamily) and family.takes == ("y_prob",) and acts.ndim == 1:
            costs = np.asarray(family.cost(theta, *data))
            for act in np.unique(acts):
                for label in np.unique(labels):
                    same = costs[(acts == act) & (labels == label)]
                    if same.size and np.ptp(same) > 1e-9 * size:
                        raise AssertionError(f"act and cost do not belong together at {theta!r}: cases with the same "
                                             f"act and label cost {same.min():.6g} and {same.max():.6g}")
        whole = quantile in (0.2, 0.5, 0.8) and acts.shape == (len(labels),)  # the direction takes long
        if whole and acts.dtype.kind in "biuf" and ((acts >= 0) & (acts <= 1)).all():
            _check_direction(score, arrays, theta, acts.astype(float), size)


def _check_direction(score: PWU, arrays: list[np.ndarray], theta: float, acts: np.ndarray, size: float) -> None:
    """What a larger label adds to the utility grows with the act; where it has a sign of its own, in size."""
    family, (labels, *prediction) = score.family, arrays
    plain = family.takes in (("y_prob",), ("mean", "std")) and not (family.separable and len(family.stated) > 1)
    if labels.ndim > 1 or np.ptp(acts) == 0 or not plain:  # else a larger label need not favour a larger act
        return
    binary = family.takes == ("y_prob",)
    cases = np.unique([*np.argsort(acts, kind="stable")[:6], *np.argsort(-acts, kind="stable")[:6]])
    gains = []
    for case in cases:
        low, high = labels.copy(), labels.copy()
        low[case], high[case] = (0, 1) if binary else (labels[case], labels[case] + 1 + abs(labels[case]))
        gain = float(np.ravel(family.utility(theta, high, *prediction))[0]) - float(
            np.ravel(family.utility(theta, low, *prediction))[0])
        gains.append(gain if binary else abs(gain))
    worth, acts = np.array(gains), acts[cases]
    least, most = worth[acts == acts.max()].min(), worth[acts == acts.min()].max()
    if acts.max() > acts.min() and least < most - 1e-9 * size:
        raise AssertionError(f"act and cost do not belong together at {theta!r}: the label of a case with the act "
                             f"{acts.max():g} adds {least:.6g} to the utility, of one with the act "
                             f"{acts.min():g} {most:.6g}")


def _check_breakpoints(score: PWU, arrays: list[np.ndarray], size: float) -> None:
    """Between two of them the cost is linear, and the act the same."""
    family = score.family
    data = family.read(*arrays)
    first, edges = family.breakpoints(data)
    parameter, n = family.stated[-1], len(data[0])
    if family.stated[0].counts and (first is None or np.setdiff1d(np.arange(1, n + 1), first).size):
        raise AssertionError(f"breakpoints must give every value of {family.stated[0].short} from 1 to {n}")
    if edges is None or len(family.stated) > 1:
        return
    low, high = parameter.domain
    edges = np.unique(edges[(edges > low) & (edges < high)])
    starts = np.concatenate([[low], edges])
    ends = np.append(edges, high if np.isfinite(high) else 4 * max(abs(starts[-1]), 1.0))
    shares = np.array([1e-6, 0.1, 0.3, 0.5, 0.7, 0.9, 1 - 1e-6])
    kept = ends - starts > 1e-6 * np.maximum(np.abs(starts), np.abs(ends))
    places = starts[kept, None] + (ends - starts)[kept, None] * shares
    costs = -np.asarray(family.utility(family.thetas(places.ravel(), data), *arrays))
    costs = costs.reshape(*places.shape, -1).mean(axis=2)
    lines = costs[:, :1] + (costs[:, -1:] - costs[:, :1]) * (shares - shares[0]) / (shares[-1] - shares[0])
    wrong = np.abs(costs - lines) > 1e-9 * size + 1e-9 * np.abs(costs).max()
    if wrong.any():
        row, column = np.argwhere(wrong)[0]
        raise AssertionError(f"breakpoints: the cost is not linear between {starts[kept][row]:.6g} and "
                             f"{ends[kept][row]:.6g}; at {places[row, column]:.6g} it is {costs[row, column]:.6g}, on "
                             f"a line {lines[row, column]:.6g}")
    if hasattr(family, "act") and len(family.parameters) == 1:
        for row in places[:20]:
            before, after = (np.asarray(family.act(float(at), *arrays[1:])) for at in row[[0, -1]])
            if not np.array_equal(before, after):
                raise AssertionError(f"breakpoints: the act changes between {row[0]:.6g} and {row[-1]:.6g}")


def _value(score: PWU, *arrays: Any, **options: Any) -> float:
    """The score, with its numerical error left aside: the checks have a tolerance of their own."""
    return score(*arrays, return_error=True, **options)[0]


def _of_prior(parameter: Any, at: float, n: int) -> float:
    """A value of the prior's own parameter that the utility takes as it is: k/n for a share that leads to k."""
    return float(parameter.theta(at, n)) / n if parameter.counts else float(at)


def _same(message: str, first: Any, second: Any, size: float, rtol: float = 1e-9) -> None:
    if not np.allclose(first, second, rtol=rtol, atol=1e-12 * size):
        raise AssertionError(f"{message}: {_in_words(first)} and {_in_words(second)}")


def _in_words(value: Any) -> str:
    return f"{value:.6g}" if np.ndim(value) == 0 else str(value)


def _refuses_nan(score: PWU, arrays: list[np.ndarray], index: int) -> None:
    broken = [a.copy() for a in arrays]
    broken[index].flat[0] = np.nan
    try:
        value = score(*broken)
    except ValueError:
        return
    raise AssertionError(f"NaN in argument {index} gives {value!r} instead of a ValueError")
