"""The conventional metrics, and a registry with each one's label, direction and kind.

May import its own modules and validation.
Implements appendices F and G of the PWU paper, and UNIQUE's evaluation benchmarks.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import classification, multiclass, multivariate, ranking, regression
from ._kernels import of_each_case
from .classification import *  # noqa: F403 - the scores of a probability stand at the top: metrics.brier_score

__all__ = ["REGISTRY", "Metric", "classification", "multiclass", "multivariate", "ranking", "regression",
           *classification.__all__]  # noqa: PLE0604


@dataclass(frozen=True)
class Metric:
    """One row of the registry.

    Attributes
    ----------
    name, label : str
        The function's name, and what a figure calls it.
    task : str
        "binary", "regression", "ranking", "multiclass" or "multivariate".
    lower_is_better : bool
        The metric's customary direction.
    separable : bool
        Is it an average of one number per case?
    function : callable
    options : mapping
        What the function needs beyond data, for instance the level of a quantile: a call
        uses these values unless it gives others.
    largest_difference : float or None
        Of two values of a case, whatever the forecasts; None where no bound is known.
    """

    name: str
    label: str
    task: str
    lower_is_better: bool
    separable: bool
    function: Callable[..., float]
    options: Mapping[str, Any] = field(default_factory=dict)

    largest_difference: float | None = None

    def __call__(self, *data: Any, **options: Any) -> float:
        return self.function(*data, **{**self.options, **options})

    def per_sample(self, *data: Any) -> np.ndarray:
        """The metric of each case, shape (n,), of a metric that is an average over cases.

        Examples
        --------
        >>> REGISTRY["binary", "brier_score"].per_sample([1, 0], [0.8, 0.4]).round(6).tolist()
        [0.04, 0.16]
        """
        if not self.separable:
            raise ValueError(f"{self.name} is computed from all cases together: there is no value of a single case")
        values = of_each_case(self.function, *data, **self.options)
        if values is None:
            raise ValueError(f"{self.name} does not say what it averages: it is not one average of this package's own")
        return values


_ROWS = [
    ("binary", "log_loss", "Log loss", True, True),
    ("binary", "brier_score", "Brier score", True, True),
    ("binary", "zero_one_loss", "0-1 loss", True, True),
    ("binary", "spherical_loss", "Spherical loss", True, True),
    ("binary", "boosting_loss", "Boosting loss", True, True),
    ("binary", "winkler_loss", "Winkler loss", True, True),
    ("binary", "expected_calibration_error", "ECE", True, False),
    ("binary", "maximum_calibration_error", "MCE", True, False),
    ("binary", "retention_auc", "R-AUC", True, False),
    ("binary", "error_detection_auroc", "E-Det", False, False),
    ("regression", "gaussian_nll", "Gaussian NLL", True, True),
    ("regression", "mean_squared_error", "MSE", True, True),
    ("regression", "crps_gaussian", "CRPS", True, True),
    ("regression", "pinball_loss", "Pinball loss", True, True),
    ("regression", "interval_score", "Interval score", True, True),
    ("regression", "expected_calibration_error", "ECE", True, False),
    ("regression", "maximum_calibration_error", "MCE", True, False),
    ("regression", "retention_auc", "R-AUC", True, False),
    ("regression", "error_detection_auroc", "E-Det", False, False),
    ("regression", "check_score", "Check score", True, True),
    ("regression", "mean_absolute_calibration_error", "MACE", True, False),
    ("regression", "root_mean_squared_calibration_error", "RMSCE", True, False),
    ("ranking", "spearman", "Spearman", False, False),
    ("ranking", "auc_difference", "AUC difference", True, False),
    ("ranking", "increasing_coefficient", "Increasing coefficient", False, False),
    ("ranking", "decreasing_coefficient", "Decreasing coefficient", False, False),
    ("ranking", "performance_drop", "Performance drop", False, False),
    ("multiclass", "log_loss", "Log loss", True, True),
    ("multiclass", "brier_score", "Brier score", True, True),
    ("multiclass", "zero_one_loss", "0-1 loss", True, True),
    ("multiclass", "expected_calibration_error", "ECE", True, False),
    ("multivariate", "gaussian_nll", "Gaussian NLL", True, True),
    ("multivariate", "mean_squared_error", "MSE", True, True),
    ("multivariate", "energy_score", "Energy score", True, True),
]
_MODULES = {"binary": classification, "regression": regression, "ranking": ranking,
            "multiclass": multiclass, "multivariate": multivariate}

_OPTIONS: dict[str, dict[str, float]] = {"winkler_loss": {"c": 0.3}, "pinball_loss": {"level": 0.7},
                                        "interval_score": {"coverage": 0.8}}

_LARGEST = {("binary", "brier_score"): 1.0, ("binary", "zero_one_loss"): 1.0, ("binary", "spherical_loss"): 1.0,
            ("multiclass", "brier_score"): 2.0, ("multiclass", "zero_one_loss"): 1.0}

REGISTRY = {
    (task, name): Metric(name, label, task, lower, separable, getattr(_MODULES[task], name), _OPTIONS.get(name, {}),
                         _LARGEST.get((task, name)))
    for task, name, label, lower, separable in _ROWS
}

