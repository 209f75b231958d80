"""What a conventional metric believes about the costs of a decision, in one paragraph.

Implements section 3 of the PWU paper, in words.
"""

from __future__ import annotations

import difflib
import re

import numpy as np

from pwu_lite import metrics
from pwu_lite.metrics._kernels import detection_auroc

__all__ = ["KNOWN", "belief"]

FORMULAS = {"log_loss": ("-log(p)", "-log(1 - p)"), "brier_score": ("(1 - p)**2", "p**2"),
            "boosting_loss": ("sqrt((1 - p)/p)", "sqrt(p/(1 - p))"),
            "spherical_loss": ("1 - p/sqrt(p**2 + (1 - p)**2)", "1 - (1 - p)/sqrt(p**2 + (1 - p)**2)")}
SQUARES = {"gaussian_nll": "log(v)/2 + e/(2*v)", "mean_squared_error": "e"}  # e: squared error, v: variance
BINARY = {metric.name: metric for metric in metrics.REGISTRY.values() if metric.task == "binary"}
REGRESSION = {metric.name: metric for metric in metrics.REGISTRY.values()
              if metric.task == "regression" and metric.name in (*SQUARES, "crps_gaussian")}
RANKING = "roc_auc"
CALLED = {"auc": RANKING, "auroc": RANKING, "roc_auc_score": RANKING, "logloss": "log_loss", "nll": "log_loss",
          "cross_entropy": "log_loss", "brier": "brier_score", "brier_score_loss": "brier_score",
          "accuracy": "zero_one_loss", "ece": "expected_calibration_error", "mce": "maximum_calibration_error",
          "mse": "mean_squared_error", "crps": "crps_gaussian"}  # as others call them
KNOWN = (*BINARY, RANKING, *REGRESSION)


def belief(name: str) -> str:
    """What a metric of probabilities, or of a mean and a standard deviation, believes.

    Parameters
    ----------
    name : str
        One of `KNOWN`.

    Raises
    ------
    ValueError
        No such metric.

    Examples
    --------
    >>> belief("zero_one_loss")[:56]
    '0-1 loss: aligned with one yes-or-no decision, c = 1/2: '
    """
    try:
        import sympy  # noqa: F401
    except ImportError as error:
        raise ValueError('this needs sympy: pip install sympy') from error
    name = CALLED.get(name.lower().replace("-", "_").replace(" ", "_"), name)
    if name in REGRESSION:
        return _of_regression(name)
    if name == RANKING:
        return _unaligned("AUROC", _one_minus_auroc) + (" It is aligned with picking the top k, where k has a weight "
                                                        "that grows with it.")
    if name not in BINARY:
        near = difflib.get_close_matches(name.lower(), (*KNOWN, *CALLED), 1, 0.5)
        hint = f"did you mean {CALLED.get(near[0], near[0])}? The" if near else "the"
        raise ValueError(f"there is no metric {name!r}; {hint} metrics are: {', '.join(KNOWN)}")
    return _of_probabilities(name)


def _of_probabilities(name):
    import sympy as sp

    from pwu_lite import symbolic

    label = BINARY[name].label
    if name in FORMULAS:
        p = sp.Symbol("p")
        density = symbolic.binary_prior(*(sp.sympify(text, {"p": p}) for text in FORMULAS[name]), p).density
        return (f"{label}: aligned with yes-or-no decisions, under the prior density {_written(density)} on the cost "
                f"share c (up to a factor). {_whom(density)}")
    if name == "zero_one_loss":
        return (f"{label}: aligned with one yes-or-no decision, c = 1/2: a miss costs as much as a false "
                "alarm. It serves users with exactly that cost, and nobody else.")
    return _unaligned(label, BINARY[name])


def _written(density):
    """A formula as people write it on one line.

    >>> _written("1/(2*c**(3/2)*(1 - c)**(3/2))")
    '1/(2 c^(3/2) (1 - c)^(3/2))'
    """
    return re.sub(r"\s*\*\s*", " ", str(density).replace("**", "^"))


def _one_minus_auroc(y, f):
    """Share of the pairs of an event and another case that are in the wrong order, ties half."""
    return 1 - detection_auroc(np.asarray(y) == 1, np.asarray(f, dtype=float))


def _unaligned(label, metric):
    from pwu_lite import alignment

    counterexample = alignment.coordinate_dependence(metric)
    if counterexample is None:
        return f"{label}: no counterexample to alignment was found, and we have no formula for its prior."
    steps = np.subtract(counterexample.values[1::2], counterexample.values[::2])
    first, second = ("does not change" if abs(step) < 1e-12 else "raises" if step > 0 else "lowers" for step in steps)
    return (f"{label}: not aligned with yes-or-no decisions under any prior. What it prefers for one case "
            f"depends on the other cases: with labels {list(map(int, counterexample.labels))}, changing a forecast "
            f"from {counterexample.a:.2g} to {counterexample.b:.2g} {first} the metric next to the forecasts "
            f"{np.round(counterexample.r, 2).tolist()} and {second} it beside "
            f"{np.round(counterexample.r_prime, 2).tolist()}.")


def _of_regression(name):
    import sympy as sp

    from pwu_lite import symbolic

    label = REGRESSION[name].label
    if name not in SQUARES:
        return (f"{label}: the cost to newsvendors, with equal weight on every ratio, of stocking too much or "
                "too little. Predict or pass is a different decision.")
    e, v = sp.symbols("e v", positive=True)
    prior = symbolic.selective_prior(sp.sympify(SQUARES[name], {"e": e, "v": v}), e, v)
    if prior.density == 0:
        at = " and ".join("infinity" if atom == sp.oo else str(atom) for atom in prior.atoms)
        return (f"{label}: aligned with predict or pass where abstaining is too expensive for anyone: all its mass is "
                f"at a price of {at}. The standard deviation does not count.")
    return (f"{label}: aligned with predict or pass, under the prior density {prior.density} on the price of passing "
            "(up to a factor). Its mass is mostly on prices near zero, and its expected cost is infinite.")


def _whom(density):
    """Where a density on c puts its mass between 1/100 and 99/100, in words."""
    import sympy as sp

    (symbol,) = density.free_symbols or {sp.Symbol("c")}
    weigh = sp.lambdify(symbol, density, "numpy")
    c = np.linspace(0.01, 0.99, 9801)
    mass = np.cumsum(np.broadcast_to(weigh(c), c.shape))
    ends = [float(np.interp(share * mass[-1], mass, c)) for share in (0.05, 0.5, 0.95)]
    ratios = [f"{(1 - end) / end:.2g}" for end in ends]
    return (f"Between c of 1% and 99%, 90% of its mass is on readers for whom a miss costs "
            f"{ratios[2]} to {ratios[0]} false alarms, median {ratios[1]}.")
