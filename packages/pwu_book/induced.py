"""From a prior to the score of a whole distribution: bets on every threshold, orders at every level.

Implements the paper's section 3.1 for the CRPS: a binary decision for each threshold (Gneiting and Ranjan 2011), or a
newsvendor for each level (Gneiting 2011).
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from pwu_lite.families import BinaryDecision
from pwu_lite.symbolic import expected_loss, read
from pwu_lite.symbolic.algebra import attempt, check_symbols, guarded, read_expression, sampled

__all__ = ["newsvendor_score", "threshold_score"]


@guarded
def threshold_score(cdf: Any, t: sp.Symbol, y: Any, prior: Any, support: tuple[Any, Any] = (-sp.oo, sp.oo)) -> Any:
    """The score of a distribution that pays for bets on every event {Y <= t}.

    ``integral over t of the expected_loss of F(t) for the event y <= t``, with equal
    weight on all t and the prior on c. The density 2 gives the CRPS.

    Parameters
    ----------
    cdf : sympy expression in t
        The predictive distribution function F.
    t : sympy.Symbol
    y : sympy expression
        The outcome, inside the support.
    prior : ImplicitPrior, or a prior of pwu_lite
        On c.
    support : (low, high)
        Outside of it F is 0 or 1.

    Examples
    --------
    >>> from pwu_lite.symbolic import binary_prior
    >>> t, y = sp.symbols("t y", positive=True)
    >>> twice_uniform = binary_prior((1 - t) ** 2, t**2, t)
    >>> sp.expand(threshold_score(t, t, y, twice_uniform, (0, 1)))
    y**2 - y + 1/3
    """
    cdf, y = read_expression("cdf", cdf), read_expression("y", y)
    check_symbols((cdf, y), t)
    if not isinstance(support, tuple) or len(support) != 2:
        raise ValueError(f"support must be (low, high), got {support!r}")
    support = tuple(read("support", end) for end in support)
    if y.is_number and not support[0] <= y <= support[1]:
        raise ValueError(f"the outcome {y} lies outside of the support {support}")
    q = sp.Dummy("q", positive=True)
    if_below, if_above = expected_loss(BinaryDecision(), prior, q)  # the event y <= t, and its opposite
    above, below = if_above.subs(q, cdf), if_below.subs(q, cdf)
    return (_solved_or_not(attempt(sp.simplify, above) or above, (t, support[0], y))
            + _solved_or_not(attempt(sp.simplify, below) or below, (t, y, support[1])))


@guarded
def newsvendor_score(quantile: Any, level: sp.Symbol, y: Any, cdf_at_y: Any, density: Any = 1,
                     atoms: dict[Any, Any] | None = None) -> Any:
    """The score of a distribution whose quantiles are ordered by newsvendors of every level.

    A newsvendor of level tau loses the pinball loss: ``tau (y - q)`` if her order q, the
    tau-quantile, was too small and ``(1 - tau)(q - y)`` if it was too large. The score
    integrates it over ``density(tau) d tau`` plus the atoms. Density 2 gives the CRPS, an atom
    of mass 1 one pinball loss, two atoms of mass ``2/alpha`` at ``alpha/2`` and
    ``1 - alpha/2`` the interval score.

    Parameters
    ----------
    quantile : sympy expression in `level`
        The predictive quantile function.
    level : sympy.Symbol
    y, cdf_at_y : sympy expression
        The outcome, and F at it.
    density : sympy expression in `level`
    atoms : dict
        ``{level: mass}``.

    Examples
    --------
    >>> tau, y = sp.symbols("tau y", positive=True)
    >>> sp.expand(newsvendor_score(tau, tau, y, y, density=2))
    y**2 - y + 1/3
    """
    check_symbols((quantile, y, cdf_at_y, density), level)
    if atoms is not None and not isinstance(atoms, dict):
        raise ValueError(f"atoms must be a mapping of levels to masses, got {atoms!r}")
    quantile, density = read_expression("quantile", quantile), read_expression("density", density)
    y, cdf_at_y = read_expression("y", y), read_expression("cdf_at_y", cdf_at_y)
    s = sp.Dummy("s", positive=True)  # 1 - level, for the upper tail
    loss_short, loss_over = density * level * (y - quantile), density * (1 - level) * (quantile - y)
    total = (_solved_or_not(loss_short, (level, 0, cdf_at_y))
             + _solved_or_not(sp.expand(loss_over.subs(level, 1 - s)), (s, 0, 1 - cdf_at_y)))
    for atom, mass in (atoms or {}).items():
        atom, mass = read_expression("a level", atom), read_expression("a mass", mass)
        if not atom.free_symbols and not 0 < atom < 1:
            raise ValueError(f"a level must lie in (0, 1), got {atom}")
        order = quantile.subs(level, atom)
        total += mass * sp.Max(atom * (y - order), (1 - atom) * (order - y))
    return total


def _solved_or_not(f: Any, limits: tuple[Any, Any, Any]) -> Any:
    """The integral as a formula if sympy's is real and agrees with quadrature, else unsolved."""
    unsolved = sp.Integral(f, limits)
    solved = attempt(sp.integrate, sp.expand(f), limits, manual=True)
    if solved is None or solved.has(sp.Integral, sp.oo, sp.zoo, sp.nan):
        return unsolved
    at = sampled(unsolved)
    closed_form, by_quadrature = (sp.N(each.subs(at), 15) for each in (solved, unsolved))
    return sp.expand(solved) if abs(closed_form - by_quadrature) < 1e-9 * (1 + abs(by_quadrature)) else unsolved
