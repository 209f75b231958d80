"""The case studies, one module per decision, with its costs, data and policies; and three studies of the book's own.

Wind, credit and lending follow section 5.2 and appendix J.2 of the PWU paper.
"""

from __future__ import annotations

from . import credit, lending, wind

__all__ = ["STUDIES"]

STUDIES = {study.name: study for study in (wind.STUDY, credit.STUDY, lending.STUDY)}
"""What ``python -m pwu_book.studies`` can run of them, by name."""
