"""The case studies, one module per decision, with its costs, data and policies; and three studies of the book's own.

Wind, credit and lending follow section 5.2 and appendix J.2 of the PWU paper.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..runs import paper_models
from . import credit, lending, wind
from .study import Study

__all__ = ["STUDIES"]


def _again(study: Study, repeats: dict[str, int], models: Callable[[], dict[str, Any]]) -> Study:
    """The first splits with the paper's own models, and the tables that depend on the models."""
    return study._replace(name=f"paper_{study.name}", repeats=repeats, models=models,
                          tables=lambda *given: {name: table for name, table in study.tables(*given).items()
                                                 if name not in ("thresholds", "grades")})


def _regressors() -> dict[str, Any]:
    return wind.regressors(paper_models.regressors())


STUDIES = {study.name: study for study in (
    wind.STUDY, credit.STUDY, lending.STUDY,
    _again(wind.STUDY, {"simulated": 3, "britain": 3, "belgium": 1}, _regressors),
    _again(credit.STUDY, {"simulated": 5, "kaggle": 10, "pakdd": 10}, paper_models.classifiers),
    _again(lending.STUDY, dict.fromkeys(lending.STUDY.repeats, 5), paper_models.classifiers))}
"""What ``python -m pwu_book.studies`` can run of them, by name."""
