"""From a scoring rule to the prior it believes in, and back, by sympy.

May import its own modules.
Implements sections 3.2 and 3.3 and appendices C.4 and C.5 of the PWU paper, equation (3) both ways.
"""

from .algebra import LAMBDA, C, read
from .implicit import ImplicitPrior, NotAligned, Steps, binary_prior, selective_prior
from .induced import expected_loss

__all__ = ["C", "LAMBDA", "ImplicitPrior", "NotAligned", "Steps", "binary_prior", "expected_loss", "read",
           "selective_prior"]
