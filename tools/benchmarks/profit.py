"""What empulse computes on the cases of the page Profit metrics: pip install empulse==0.13.1, then run this.

Prints the figures that the page compares with its own.
"""

from __future__ import annotations

import numpy as np
import sympy
import sympy.stats
from empulse.metrics import Cost, CostMatrix, Metric, MinCost, Savings


def cases(n=2000):
    """Outcomes, and forecasts that are a little too high; the same ones as on the page."""
    rng = np.random.default_rng(0)
    chance = rng.beta(1, 4, n)
    return (rng.random(n) < chance).astype(int), chance**0.7


def main():
    y, f = cases()
    c, share = sympy.stats.Beta("c", 2, 10), sympy.Symbol("share")
    random = CostMatrix().add_fp_cost(c).add_fn_cost(1 - c)
    each = CostMatrix().add_fp_cost(share).add_fn_cost(1 - share)
    print(f"MinCost {Metric(random, MinCost())(y, f):.10f}")
    print(f"Cost {Metric(random, Cost())(y, f):.10f}")
    shares = np.linspace(0.05, 0.4, y.size)
    acts = (f > shares).astype(float)
    print(f"Cost of acts {Metric(each, Cost())(y, acts, share=shares):.10f}")
    print(f"Savings of acts {Metric(each, Savings())(y, acts, share=shares):.10f}")


if __name__ == "__main__":
    main()
