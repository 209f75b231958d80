"""A thousand streams: the watch errs in at most one of twenty, the repeated interval in many; and what it costs."""

import numpy as np
import pytest

from pwu_book import tables
from pwu_book.studies import watching
from pwu_desk import Watch

FOUND = tables.load("watching.csv.gz").set_index(["kind", "method"])


@pytest.mark.parametrize("kind", watching.KINDS[:3])
def test_where_no_model_is_cheaper_the_watch_names_one_in_a_stream_of_twenty_at_most(kind):
    wrong = FOUND.loc[kind][["first", "second"]].sum(axis=1)
    assert wrong["watch"] <= 0.05 < 0.24 < wrong["interval"]


def test_a_cheaper_model_is_found_with_at_most_1_6_times_the_cases_of_a_fixed_test():
    row = FOUND.loc["second is cheaper", "watch"]
    assert row["second"] > 0.98 and row["first"] < 0.002
    assert row["after"] <= 1.6 * row["fixed"]


@pytest.mark.parametrize("kind", watching.KINDS)
def test_streams_are_as_their_names_say(kind):
    gaps = np.array([watching.stream(kind, seed) for seed in range(60)])
    mean, error = gaps.mean(), gaps.mean(axis=1).std() / np.sqrt(60)
    cheaper = kind == "second is cheaper"
    assert (mean > 10 * error) == cheaper and (abs(mean) < 4 * error) == (not cheaper)
    alike = np.mean([np.corrcoef(gap[1:], gap[:-1])[0, 1] for gap in gaps])
    assert (alike > 0.15) == (kind == "days are alike") and np.array_equal(gaps[0], watching.stream(kind, 0))


def test_a_stream_is_watched_as_a_watch_does():
    gap = watching.stream("second is cheaper", 1)
    watch = Watch()
    for start in range(0, len(gap), 20):
        watch.update(gap[start:start + 20], np.zeros(20))
    assert watching.looked_at(gap)[2:] == (watch.cheaper, watch.since)
    tenfold, days = np.clip(10 * gap, -1, 1), Watch()
    for start in range(0, len(gap), 20):
        days.update(tenfold[start:start + 20], np.zeros(20), groups=np.full(20, start))
    assert watching.looked_at(tenfold, days=True)[2:] == ("second", 20 * days.since)
