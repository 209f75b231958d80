"""Readers: verdicts on pairs are those of `robust` and of the table; units and populations are right."""

import functools

import numpy as np
import pytest

from pwu_book import tables
from pwu_book.studies import readers
from pwu_desk import robust


@functools.cache
def split():
    return readers.forecasts("breast cancer", 0)


def few():
    return {name: split()[1][name] for name in ("logistic regression", "boosting", "naive Bayes")}


def test_pairs_are_compared_as_robust_does_and_stored_so():
    found = readers.pairs(split()[0], few(), repeats=20)
    stored = tables.load("readers_pairs.csv.gz")
    stored = stored[(stored["dataset"] == "breast cancer") & (stored["split"] == 0)].set_index(["first", "second"])
    for _, row in found.iterrows():
        a, b = split()[1][row["first"]], split()[1][row["second"]]
        assert row["statement"] == robust.preference(readers.FAMILY, readers.STATEMENT, split()[0], a, b).verdict
        kept = stored.loc[(row["first"], row["second"])]
        assert row["difference"] == pytest.approx(kept["difference"], abs=2e-3)
        assert row["low"] <= row["difference"] <= row["high"] and row["radius_low"] <= row["radius"] + 1e-9


def test_the_stated_prior_and_the_statement_belong_together():
    assert readers.STATED.mass(1 / 31, 1 / 4) == pytest.approx(0.9)
    assert readers.STATED.mass(0, 1 / 31) == pytest.approx(0.05)


def test_costs_per_alarm_are_divided_by_c():
    y, forecasts = split()
    one, two = (robust.cost_curve(readers.FAMILY, y, forecasts[name]) for name in ("logistic regression", "boosting"))
    curve = one - two
    alarms = readers.per_alarm(curve, [0.1])
    places = alarms.edges[1:-1]
    assert alarms.value(places) == pytest.approx(curve.value(places) / places, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("kind", ["wavy", "wavier", "near dominance", "dominance"])
def test_the_true_radius_of_a_population(kind):
    """Against a fine grid of cost shares."""
    p, a, b = readers.truth(kind)
    c = np.unique(np.concatenate([np.linspace(1e-4, 1 - 1e-4, 200_001), *(np.nextafter(f, s) for f in (a, b)
                                                                      for s in (0, 1))]))
    gap = np.zeros(c.size)
    for chance, f, g in zip(p, a, b, strict=True):
        for forecast, sign in ((f, 1), (g, -1)):
            gap += sign * np.where(forecast > c, c * (1 - chance), (1 - c) * chance) / p.size
    found = readers.coverage(kind, 200, samples=2, repeats=5)
    top, mean = gap.max(), np.trapezoid(gap * _beta(c), c)
    wanted = 1.0 if top <= 1e-12 else -mean / (top - mean)
    assert found["radius"] == pytest.approx(wanted, abs=2e-3)


def _beta(c):
    return 110 * c * (1 - c) ** 9


def test_the_lower_end_is_a_bound_in_the_stored_runs():
    table = tables.load("readers_coverage.csv.gz")
    assert (table["bounded"] > 0.97).all() and (table["wrong"] < 0.4).all()
    assert (table.loc[table["radius"] > 0.9, "covered"] < 0.05).all()


def test_unknown_names_are_refused():
    with pytest.raises(ValueError, match="kind must be one of"):
        readers.truth("flat")
    with pytest.raises(ValueError, match="no data set"):
        readers.contest("moons")
