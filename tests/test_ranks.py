"""Shared places and snapping."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pwu_lite import ranks


@given(st.lists(st.integers(0, 3), min_size=1, max_size=6))
def test_places_are_shared_as_over_all_orders(score):
    score, places = np.array(score, dtype=float), np.arange(len(score), 0, -1.0) ** 2
    total, count = np.zeros(len(score)), 0
    for order in permutations(range(len(score))):
        ranking = sorted(range(len(score)), key=lambda i: (-score[i], order[i]))
        total[ranking] += places
        count += 1
    assert ranks.share_places(score, places) == pytest.approx(total / count)


@given(st.lists(st.sampled_from([0.3, 0.1 + 0.2, 1.0, 2.0]), min_size=1, max_size=6), st.randoms())
def test_snapping_does_not_depend_on_order(values, random):
    snapped = dict(zip(values, ranks.snap(np.array(values)), strict=True))
    random.shuffle(values)
    assert dict(zip(values, ranks.snap(np.array(values)), strict=True)) == snapped
