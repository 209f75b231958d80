"""The PWU paper's case studies: one module a decision, with its costs, data and policies.

Implements section 5.2 and appendix J.2 of the PWU paper.
"""

from __future__ import annotations

from . import credit, lending, wind

__all__ = ["STUDIES"]

STUDIES = {study.name: study for study in (wind.STUDY, credit.STUDY, lending.STUDY)}
"""What ``python -m pwu_lite.replication.benchmark`` can run of them, by name."""
