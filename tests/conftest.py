"""Settings and data shared by the tests."""

import os
import tempfile
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")  # each test process has a core; before numpy is loaded

import numpy as np
import pytest
from hypothesis import settings
from sklearn.datasets import load_iris, load_wine


def write_small_sets(folder):
    """Iris and wine as the UCI repository has them, from scikit-learn's copies; loading checks their SHA-256.

    The repository's iris differs from Fisher's paper, and so from scikit-learn's, in two rows.
    """
    flowers, bottles = load_iris(), load_wine()
    measured = flowers.data.copy()
    measured[34, 3], measured[37, 1], measured[37, 2] = 0.1, 3.1, 1.5
    kinds = np.array(["Iris-setosa", "Iris-versicolor", "Iris-virginica"])[flowers.target]
    lines = {"iris/iris.data": [f"{','.join(map(str, row))},{kind}" for row, kind in zip(measured, kinds, strict=True)],
             "wine/wine.csv": [f"{','.join(map(str, row))},{kind + 1}" for row, kind in
                               zip(bottles.data, bottles.target, strict=True)]}
    for name, rows in lines.items():
        (folder / name).parent.mkdir()
        (folder / name).write_text("\n".join(rows) + "\n")


if "PWU_LITE_DATA" not in os.environ:  # the sets that can be had everywhere make their tests run everywhere
    KEPT = tempfile.TemporaryDirectory(prefix="pwu-lite-sets-")
    write_small_sets(Path(KEPT.name))
    os.environ |= {"PWU_LITE_DATA": KEPT.name, "PWU_LITE_SMALL_SETS": "1"}


settings.register_profile("book", deadline=None, derandomize=True, max_examples=40)
settings.load_profile("book")


@pytest.fixture
def binary():
    """200 labels and probabilities, the first three of them awkward."""
    rng = np.random.default_rng(1)
    f = np.concatenate([[0.0, 1.0, 0.5], rng.random(197)])
    return (rng.random(200) < f).astype(int), f


@pytest.fixture
def regression():
    """60 targets, means and standard deviations, with ties."""
    rng = np.random.default_rng(2)
    mean, std = np.round(rng.normal(size=60), 1), rng.choice([0.2, 0.5, 1.0, 1.5], 60)
    return mean + std * rng.normal(size=60), mean, std
