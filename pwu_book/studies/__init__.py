"""The case studies, one module per decision, with its costs, data and policies; and three studies of the book's own.

Wind, credit and lending follow section 5.2 and appendix J.2 of the PWU paper.
"""

from __future__ import annotations

from ..runs import paper_models
from . import credit, lending, wind
from .study import Study

__all__ = ["STUDIES"]


def _again(study: Study) -> Study:
    """The first five splits with the paper's own models; only the scores depend on the models."""
    return study._replace(name=f"paper_{study.name}", repeats=dict.fromkeys(study.repeats, 5),
                          models=paper_models.classifiers,
                          tables=lambda *given: {"scores": study.tables(*given)["scores"]})


STUDIES = {study.name: study for study in (
    wind.STUDY, credit.STUDY, lending.STUDY, _again(credit.STUDY), _again(lending.STUDY))}
"""What ``python -m pwu_book.studies`` can run of them, by name."""
