"""Settings and data shared by the tests."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

SLOW = (Path(__file__).parent / "slow.txt").read_text().splitlines()


def pytest_collection_modifyitems(items):
    for item in items:
        if item.nodeid.split("[")[0] in SLOW:
            item.add_marker(pytest.mark.slow)


settings.register_profile("book", deadline=None, derandomize=True, max_examples=60)
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
