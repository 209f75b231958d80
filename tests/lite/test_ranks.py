"""Shared places and snapping."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pwu_lite import _ranks
from pwu_lite._ranks import snap, sorted_blocks


@given(st.lists(st.integers(0, 3), min_size=1, max_size=6))
def test_places_are_shared_as_over_all_orders(score):
    score, places = np.array(score, dtype=float), np.arange(len(score), 0, -1.0) ** 2
    total, count = np.zeros(len(score)), 0
    for order in permutations(range(len(score))):
        ranking = sorted(range(len(score)), key=lambda i: (-score[i], order[i]))
        total[ranking] += places
        count += 1
    assert _ranks.share_places(score, places) == pytest.approx(total / count)


@given(st.lists(st.sampled_from([0.3, 0.1 + 0.2, 1.0, 2.0]), min_size=1, max_size=6), st.randoms())
def test_snapping_does_not_depend_on_order(values, random):
    snapped = dict(zip(values, _ranks.snap(np.array(values)), strict=True))
    random.shuffle(values)
    assert dict(zip(values, _ranks.snap(np.array(values)), strict=True)) == snapped


def test_ties_are_relative_to_neighbours_and_do_not_chain():
    values = np.random.default_rng(0).uniform(0.5, 1.5, 1000)
    assert len(set(snap(np.append(values, 1e15)).tolist())) == 1001  # an outlier ties nobody else
    steps = 1.0 + 0.8e-13 * np.arange(100)
    blocks = snap(steps)
    assert 30 < len(set(blocks.tolist())) < 60  # small steps do not add up to one tie
    assert (steps - blocks <= 1.0e-13).all()
    assert snap(np.array([3e-20, 3e-20 * (1 + 1e-15), 1.0])).tolist() == [3e-20, 3e-20, 1.0]


def test_blocks_with_a_tolerance_of_their_own_for_each_value():
    order, starts = sorted_blocks(np.array([0.0, 1.0, 1.5, 9.0]), np.array([0.1, 1.0, 1.0, 100.0]))
    assert starts.tolist() == [0, 1, 3]  # the smaller tolerance of two neighbours counts
    assert sorted_blocks(np.arange(10.0), 1.0)[1].tolist() == [0, 2, 4, 6, 8]
