"""The PWU paper's case studies: one module a decision, with its costs, data and policies.

Imports nothing of the package here.
Implements section 5.2 and appendix J.2 of the PWU paper, as far as a module says.
"""
