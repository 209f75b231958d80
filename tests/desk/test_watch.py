"""A watch over two models' losses: wrong at no look too often, sums that add, and what it refuses."""

import json
import warnings

import numpy as np
import pandas as pd
import pytest

import pwu_desk
import pwu_lite as pwu
from pwu_desk import bets as module
from pwu_desk import watch as watch_module
from pwu_desk.watch import Watch

SCORE = pwu.PWU(pwu.BinaryDecision(), pwu.Beta(2, 10))
LIMIT = np.log(2 / 0.05)


def streams(number, length, noise, seed=0):
    """Differences of two models' losses: equal ones (noise None), or the second with more noise than the first."""
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(number):
        p = rng.beta(1, 6, length)
        y, odds = (rng.random(length) < p).astype(int), np.log(p / (1 - p))
        one, two = rng.normal(0, 0.5, (2, length))
        said = [1 / (1 + np.exp(-(odds + z))) for z in ((one, two) if noise is None else (0, noise * one))]
        rows.append(SCORE.per_sample(y, said[1]) - SCORE.per_sample(y, said[0]))
    return np.array(rows)


def fortunes(gap, side):
    """Log fortunes after every case, by another road: products of the polynomial bets, case by case."""
    z = side * gap
    bets = sum(module._TAYLOR[:, k - 1, None] * z**k for k in module._POWERS)
    return np.log(np.exp(np.cumsum(bets, axis=1)).mean(axis=0))


def names(gap):
    return max(fortunes(gap, 1).max(), fortunes(gap, -1).max()) >= LIMIT


def test_a_bet_is_worth_at_least_its_polynomial():
    z = np.concatenate([np.linspace(-1, 1, 20_001), [np.nextafter(-1, 0), -1 + 1e-9]])
    for share, terms in zip(module._BETS, module._TAYLOR, strict=True):
        assert (np.log1p(share * z) >= sum(c * z**k for c, k in zip(terms, module._POWERS, strict=True)) - 1e-15).all()
        assert np.isclose(np.log1p(-share), sum(c * (-1.0)**k for c, k in zip(terms, module._POWERS, strict=True)))


def test_the_fortune_is_that_of_a_second_implementation():
    gap = streams(1, 700, 1.5)[0]
    seen = Watch().update(gap.clip(0), (-gap).clip(0))
    wanted = [float(np.exp(fortunes(gap, side)[-1])) for side in (-1, 1)]
    assert seen.evidence == pytest.approx(tuple(wanted), rel=1e-9)


def test_equal_models_are_told_apart_at_no_look_in_one_stream_of_twenty():
    """300 streams of 1,500 cases, looked at after every case; repeated 95% intervals err in a quarter of them."""
    gaps, places = streams(300, 1500, None), np.arange(100, 1501, 100)
    assert np.mean([names(gap) for gap in gaps]) <= 0.05
    mean = np.cumsum(gaps, axis=1)[:, places - 1] / places
    spread = np.sqrt((np.cumsum(gaps**2, axis=1)[:, places - 1] / places - mean**2) / places)
    assert (np.abs(mean) > 1.96 * spread).any(axis=1).mean() > 0.15


def test_dependence_and_drift_do_not_fool_it():
    """A spread that depends on the past and on the time; given the past the mean stays zero."""
    rng, wrong = np.random.default_rng(1), 0
    for _ in range(200):
        scale = np.clip(np.abs(np.cumsum(rng.normal(0, 0.05, 1500))), 0.02, 1) * np.linspace(0.2, 1, 1500)
        wrong += names(scale * rng.choice([-1.0, 1.0], 1500))
    assert wrong <= 10


def test_a_real_difference_is_found_with_few_more_cases_than_a_fixed_test_needs():
    gaps = streams(150, 3000, 2.0)
    fixed = (2.8016 * gaps.std() / gaps.mean()) ** 2
    first = [int(np.argmax(fortunes(gap, 1) >= LIMIT)) + 1 for gap in gaps]
    assert min(first) > 1 and np.mean(first) < 1.65 * fixed


def test_the_interval_holds_at_all_looks():
    rng, missed = np.random.default_rng(2), 0
    for _ in range(60):
        gap = rng.choice([-0.4, 0.1, 0.5], 1200, p=[0.2, 0.5, 0.3])  # mean 0.12
        seen, held = Watch(), True
        for part in np.split(gap, 12):
            low, high = seen.update(part.clip(0), (-part).clip(0)).interval
            held &= low <= 0.12 <= high
        missed += not held
    assert missed <= 3
    assert high - low < 0.12 and low <= seen.mean <= high


@pytest.mark.parametrize("cut", [1, 7, 250, 499])
def test_pieces_and_merges_are_the_whole(cut):
    gap = streams(1, 500, 2.0, seed=3)[0]
    one, two = gap.clip(0), (-gap).clip(0)
    whole = Watch().update(one, two)
    parts = Watch().update(one[:cut], two[:cut]).update(one[cut:], two[cut:])
    merged = Watch().update(one[:cut], two[:cut]).merge(Watch().update(one[cut:], two[cut:]))
    for other in (parts, merged):
        assert other.mean == pytest.approx(whole.mean, rel=1e-12)
        assert other.evidence == pytest.approx(whole.evidence, rel=1e-9)
        assert other.interval == pytest.approx(whole.interval, rel=1e-9)


def test_exchanged_models_and_another_unit():
    gap = streams(1, 1500, 2.0, seed=4)[0]
    one, two = gap.clip(0), (-gap).clip(0)
    seen, turned = Watch().update(one, two), Watch().update(two, one)
    assert seen.cheaper == "second" and turned.cheaper == "first"
    assert turned.interval == pytest.approx((-seen.interval[1], -seen.interval[0]))
    euros = Watch(bound=500).update(500 * one, 500 * two)
    assert euros.evidence == pytest.approx(seen.evidence) and euros.mean == pytest.approx(500 * seen.mean)


def test_a_name_stays_and_says_since_when():
    seen = Watch()
    for _ in range(40):
        seen.update(np.full(10, 0.5), np.full(10, 0.2))
    since = seen.since
    seen.update(np.full(2000, 0.2), np.full(2000, 0.5))
    assert seen.cheaper == "second" and seen.since == since and f"{since:,}" in str(seen)
    assert "nothing seen yet" in str(Watch()) and np.isnan(Watch().mean) and Watch().interval == (-1, 1)


def test_groups_are_units_and_must_be_whole():
    rng = np.random.default_rng(5)
    ward = np.repeat(np.arange(200), 5)
    gap = np.repeat(rng.normal(0.05, 0.1, 200), 5).clip(-1, 1)
    seen = Watch().update(gap.clip(0), (-gap).clip(0), groups=ward)
    alone = Watch().update(gap[::5].clip(0), (-gap[::5]).clip(0))
    assert seen.n == 200 and seen.cases == 1000 and seen.evidence == pytest.approx(alone.evidence)
    assert "200 groups of 1,000 cases" in str(seen)
    with pytest.raises(ValueError, match="was in an earlier piece"):
        seen.update([0.1], [0.2], groups=[7])
    with pytest.raises(ValueError, match="is in both watches"):
        Watch().update([0.1], [0.2], groups=["a"]).merge(Watch().update([0.1], [0.2], groups=["a"]))


def test_large_differences_are_refused_or_cut():
    with pytest.raises(ValueError, match=r"difference of unit 1 is 2, larger than the bound 1"):
        Watch().update([0.0, 3.0], [0.0, 1.0])
    cut = Watch(clip=True).update([0.0, 3.0], [0.0, 1.0])
    assert cut.mean == 0.5 and "1 differences were cut at 1" in str(cut)
    ends = Watch().update([1.0] * 50, [0.0] * 50)
    assert ends.cheaper == "second" and ends.interval[1] == 1 and ends.interval[0] > 0.75


@pytest.mark.parametrize("options, words", [
    ({"bound": 0}, "bound must be positive"), ({"level": 1}, "level must lie in"), ({"bound": np.inf}, "finite")])
def test_bad_options(options, words):
    with pytest.raises(ValueError, match=words):
        Watch(**options)


@pytest.mark.parametrize("first, second, words", [
    ([0.1, np.nan], [0.1, 0.2], "nan"), ([0.1], [0.1, 0.2], "same length"), ([], [], "empty")])
def test_bad_pieces(first, second, words):
    with pytest.raises(ValueError, match=words):
        Watch().update(first, second)


def test_other_options_do_not_merge():
    with pytest.raises(ValueError, match="same bound"):
        Watch().merge(Watch(bound=2))


def test_daily_tallies_are_days_as_units():
    """A tally has a day's mean loss, to within its cells."""
    rng, score = np.random.default_rng(4), pwu.PWU(pwu.BinaryDecision(), pwu.Beta(2, 10))
    from_tallies, days = pwu_desk.Watch(), pwu_desk.Watch()
    for day in range(8):
        p = rng.beta(1, 6, 90)
        y, both = (rng.random(90) < p).astype(int), (p, np.clip(p + rng.normal(0, 0.1, 90), 0, 1))
        means = []
        for f in both:
            tally = pwu_desk.Tally()
            tally.update(y, f)
            means.append(tally.score(score).value)
        from_tallies.update(*([mean] for mean in means))
        days.update(*(score.per_sample(y, f) for f in both), groups=np.full(90, day))
    assert from_tallies.n == days.n == 8
    assert from_tallies.mean == pytest.approx(days.mean, abs=1e-5)
    assert from_tallies.evidence == pytest.approx(days.evidence, rel=1e-3)


@pytest.mark.parametrize("n", [100, 5000, 10**6])
def test_differences_near_the_bound_are_no_evidence_of_rounding(n):
    """Powers around a mean near the bound cancel: the interval widens there, and still holds the mean."""
    for seed in range(6):
        gap = np.random.default_rng(seed).uniform(-1, -0.99, n)
        low, high = pwu_desk.Watch().update(gap, np.zeros(n)).interval
        assert -1 <= low <= gap.mean() - 1e-9 and low <= -0.995 <= high <= 0
    same = pwu_desk.Watch().update(np.full(n, -0.9999), np.zeros(n)).interval
    assert -1 <= same[0] <= -0.9999 <= same[1] < 0


def test_labels_that_are_missing_or_in_another_order_are_refused():
    with pytest.raises(ValueError, match=r"groups\[1\] is missing"):
        pwu_desk.Watch().update([0.1, 0.2, 0.3], [0, 0, 0], groups=np.array(["a", None, "b"], dtype=object))
    one, two = pd.Series([0.1, 0.2], list("ab")), pd.Series([0.1, 0.2], list("ba"))
    with pytest.raises(ValueError, match="different orders"):
        pwu_desk.Watch().update(one, two)


def exact(gap, mean, side):
    """Log fortune of the seven bets themselves, case by case, of which a watch may say less and never more."""
    z = side * (gap - mean) / (1 + side * mean)
    return np.logaddexp.reduce(np.log1p(module._BETS[:, None] * z).sum(axis=1)) - np.log(len(module._BETS))


EDGES = {"one case unlike the rest": lambda rng, n: np.r_[np.ones(n - 1), rng.choice([-1.0, 0.0, 1.0])],
         "all at the bound": lambda rng, n: np.ones(n), "near the bound": lambda rng, n: 1 - 1e-3 * rng.random(n),
         "seldom at the other end": lambda rng, n: np.where(rng.random(n) < 0.003, -1.0, 1.0),
         "tiny": lambda rng, n: 1e-9 * rng.normal(size=n), "signs": lambda rng, n: rng.choice([-1.0, 1.0], n)}


@pytest.mark.parametrize("kind", EDGES)
def test_a_fortune_is_never_overstated(kind):
    """At means up to 1e-8 from the bound, on both sides; and the interval is one there."""
    for seed in range(25):
        rng = np.random.default_rng(seed)
        gap = rng.choice([-1, 1]) * EDGES[kind](rng, int(rng.integers(2, 1500)))
        seen = Watch().update(gap, np.zeros(gap.size))
        low, high = seen.interval
        assert -1 <= low <= gap.mean() <= high <= 1 and str(seen)
        near = 10.0 ** -np.arange(1, 9)
        for mean in (0.0, 0.999 * gap.mean(), *(1 - near), *(near - 1)):
            for side in (1, -1):
                right = exact(gap, mean, side)
                assert float(seen._bets.fortune(mean, side)) <= right + 1e-9 * max(1.0, abs(right)), (mean, side)


@pytest.mark.parametrize("mean", [-0.997, -0.998, -0.999])
def test_the_interval_near_the_bound_holds(mean):
    """One look after 6,000 cases, of 100 streams: a remainder without digits missed a fifth, or raised."""
    missed = 0
    for seed in range(100):
        gap = np.where(np.random.default_rng(seed).random(6000) < (1 + mean) / 2, 1.0, -1.0)
        low, high = Watch().update(gap, np.zeros(6000)).interval
        missed += not low <= mean <= high
    assert missed <= 5


def test_a_model_that_never_acts_can_be_watched():
    y = np.ones(1000, int)
    score = pwu.PWU(pwu.BinaryDecision(), pwu.Dirac(1e-3))
    seldom, always = (score.per_sample(y, f) for f in (np.r_[np.full(999, 1e-9), 0.9], np.ones(1000)))
    low, high = Watch().update(seldom, always).interval
    assert low > 0.9 and high <= 1


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.999])
def test_a_model_is_named_at_the_first_look_at_which_the_evidence_suffices(level):
    """At 2 / (1 - level), not below; and an end of the interval is where the fortune reaches it."""
    gap = np.random.default_rng(0).normal(0.15, 0.3, 600).clip(-1, 1)
    for sign, name in ((1, "second"), (-1, "first")):
        seen, enough = Watch(level=level), []
        for case in sign * gap:
            seen.update([case], [0.0])
            enough.append(max(seen.evidence) >= 2 / (1 - level))
            assert (seen.cheaper == name) == any(enough)
        assert seen.since == enough.index(True) + 1
        for side, end in zip((1, -1), seen.interval, strict=True):
            assert float(seen._bets.fortune(end, side)) == pytest.approx(np.log(2 / (1 - level)), abs=1e-9)


@pytest.mark.parametrize("first, second", [
    ([1, 2], ["1", "2"]), (["1", "2"], [1]), ([1, 2], [2.0]), (np.array([1, "x"], object), [1]),
    (np.array(["2026-11-27", "2026-11-28"], "M8[D]"), np.array(["2026-11-28T00"], "M8[h]")),
    (np.array(["2026-11-27", "2026-11-28"], "M8[D]"), np.array(["2026-11-28"], "M8[ns]")),
    (pd.Series(pd.to_datetime(["2026-11-27", "2026-11-28"])), [pd.Timestamp("2026-11-28")]),
    (pd.to_datetime(["2026-11-27", "2026-11-28"]), ["2026-11-28"]), ([1, 2], ["1.0"]), (["1.0"], ["1"])])
def test_a_group_that_changes_its_type_is_the_same_or_refused(first, second):
    seen = Watch().update([0.2] * len(first), [0] * len(first), groups=first)
    with pytest.raises(ValueError, match="was in an earlier piece|may be the same"):
        seen.update([0.2] * len(second), [0] * len(second), groups=second)
    with pytest.raises(ValueError, match="is in both watches|may be the same"):
        seen.merge(Watch().update([0.2] * len(second), [0] * len(second), groups=second))
    assert seen.n == len(first)


def test_labels_that_only_look_alike_are_others():
    seen = Watch().update([0.2, 0.1], [0, 0], groups=["01", "a"]).update([0.2, 0.2], [0, 0], groups=["1", "A"])
    assert seen.n == 4


def test_a_piece_that_came_before_is_left_out_with_a_word():
    seen = Watch().update([0.2] * 50, [0.1] * 50, batch="2026-11-28")
    for again in ("2026-11-28", np.datetime64("2026-11-28T00", "h"), pd.Timestamp("2026-11-28")):
        with pytest.warns(UserWarning, match="batch '2026-11-28' has been counted before"):
            seen.update([0.2] * 50, [0.1] * 50, batch=again)
    assert seen.n == 50 and seen.update([0.2], [0.1], batch="2026-11-29").n == 51
    with pytest.raises(ValueError, match="larger than the bound"):
        seen.update([3.0], [0.0], batch=7)
    assert seen.update([0.3], [0.0], batch=7).n == 52  # a refused piece is not known
    with pytest.raises(ValueError, match="of the batch labels 1 is in both"):
        seen.merge(Watch().update([0.1], [0.0], batch="7"))


def test_a_watch_is_not_merged_with_itself():
    seen = Watch().update([0.2] * 5, [0.1] * 5)
    with pytest.raises(ValueError, match="with itself"):
        seen.merge(seen)
    assert seen.n == 5


def test_a_level_is_printed_with_its_digits():
    assert "99.999% at all looks" in str(Watch(level=0.99999).update([0.2], [0.1]))
    assert "1e-07% at all" in str(Watch(level=1e-9).update([0.2], [0.1]))


def test_masked_groups_are_refused():
    masked = np.ma.array([1, 2, 3], mask=[False, True, False])
    with pytest.raises(ValueError, match="groups has masked entries"):
        Watch().update([0.1] * 3, [0.2] * 3, groups=masked)
    with pytest.raises(ValueError, match="groups has masked entries"):
        pwu.compare([0, 1, 1], {"a": [0.1, 0.2, 0.3]}, SCORE, groups=masked)


@pytest.mark.parametrize("most", [0.95, 0.999, 1.0])
def test_many_small_pieces_are_worth_what_one_is(most):
    gap = np.full(3000, most)
    gap[::50] -= 0.01
    pieces, whole = Watch(), Watch().update(gap, np.zeros(3000))
    for one in gap:
        pieces.update([one], [0.0])
    assert pieces.interval == pytest.approx(whole.interval, abs=1e-9) and str(pieces)
    assert pieces.interval[0] <= gap.mean() <= pieces.interval[1]


def test_a_copy_goes_its_own_way():
    import copy

    watch = Watch().update([0.2, 0.3], [0.1, 0.1], groups=["a", "b"], batch="first")
    other = copy.copy(watch).update([0.9], [0.0], groups=["c"], batch="second")
    assert (watch.n, other.n) == (2, 3) and watch.mean == pytest.approx(0.15)
    watch.update([0.9], [0.0], groups=["c"], batch="second")
    assert watch.n == 3


HOURS = pd.to_datetime(["2026-01-01 06:00", "2026-01-02 06:00"])


@pytest.mark.parametrize("first, second", [
    (HOURS, HOURS.astype(str)), (HOURS, HOURS.tz_localize("UTC")),
    (HOURS.tz_localize("UTC"), HOURS.tz_localize("UTC").tz_convert("Europe/Berlin")), ([True, False], [1, 0]),
    (np.array([b"a", b"b"]), ["a", "b"]), (np.array([1, 2], "m8[D]"), pd.to_timedelta([24, 48], "h")),
    ([1e22, 2e22], ["1e+22", "2e+22"]), (["1.", "2."], [1, 2]), (["1E0", "2E0"], [1, 2])])
def test_a_label_of_another_type_is_no_second_unit(first, second):
    with pytest.raises(ValueError, match="must be whole|may be the same"):
        Watch().update([0.1, 0.2], [0, 0], groups=first).update([0.1, 0.2], [0, 0], groups=second)
    watch = Watch().update([0.1], [0], batch=first[0])
    with warnings.catch_warnings():  # left out with a warning, or refused
        warnings.simplefilter("error")
        with pytest.raises((ValueError, UserWarning), match="counted before|may be the same"):
            watch.update([0.1], [0], batch=second[0])
    assert watch.n == 1


def test_a_batch_has_a_name():
    with pytest.raises(ValueError, match="batch must name"):
        Watch().update([0.1], [0], batch=pd.NaT)


@pytest.mark.parametrize("seed", range(6))
def test_a_watch_that_is_stored_between_pieces_is_the_same_to_the_last_bit(seed):
    rng = np.random.default_rng(seed)
    whole, stored = Watch(0.7, 0.9, clip=True), Watch(0.7, 0.9, clip=True)
    for day in range(40):
        size = int(rng.integers(1, 30))
        losses = rng.uniform(0, 1, (2, size)) * [[1], [0.8]]
        more = {"groups": [f"{day}-{k // 3}" for k in range(size)]} if size and seed % 2 else {}
        whole.update(*losses, batch=day, **more)
        stored = Watch.from_json(Watch.from_json(stored.to_json()).update(*losses, batch=day, **more).to_json())
        assert vars(stored)["_bets"].state() == vars(whole)["_bets"].state()
        assert (str(stored), stored.since, stored.clipped) == (str(whole), whole.since, whole.clipped)
    with pytest.warns(UserWarning, match="counted before"):
        stored.update([0.1], [0.2], batch=3)
    assert stored.cheaper == "second" or seed % 2


def test_a_stored_watch_knows_its_groups_and_how_they_were_written():
    watch = Watch.from_json(Watch().update([0.2, 0.1], [0, 0], groups=["7", "2026-11-28"]).to_json())
    for label, words in (("7", "was in an earlier piece"), ("7.0", "may be the same"), (7, "was in an earlier piece"),
                         ("2026-11-28 00:00", "may be the same")):
        with pytest.raises(ValueError, match=words):
            watch.update([0.2], [0.1], groups=[label])
    assert watch.update([0.2], [0.1], groups=["07"]).n == 3


STATE = json.loads(Watch().update([0.2] * 9, [0.1] * 9, batch="a", groups=list("aabbccddd")).to_json())
PLAIN = json.loads(Watch().update([0.2] * 9, [0.1] * 9, batch="a").to_json())


@pytest.mark.parametrize("text", [
    "", "[]", "null", "7", "{", json.dumps(STATE)[:-20], json.dumps(STATE | {"state": "another"}),
    json.dumps({key: value for key, value in STATE.items() if key != "sums"}),
    *(json.dumps(STATE | {key: value}) for key, value in (
        ("bound", -1), ("level", 2), ("n", 2), ("n", -4), ("n", 4.5), ("n", None), ("cases", 3), ("since", 9),
        ("since", 3), ("cheaper", "first"), ("cheaper", "both"), ("sums", [9.0] * 8), ("sums", [0.1]),
        ("sums", [None] * 8), ("lost", [float("nan")] * 8), ("groups", "%%%"), ("groups", "AAAA"), ("batches", 3))),
    *(json.dumps(PLAIN | {key: value}) for key, value in (
        ("sums", [0, -8, 0, 0, 0, 0, 0, 0]), ("sums", [9.0, *[0.0] * 7]), ("sums", [0, 4, 5, 4, 0, 0, 0, 0]),
        ("sums", [0, 4, 0, 5, 0, 0, 0, 0]), ("lost", [-1e308] * 8), ("clip", "false"), ("cases", 10**9),
        ("clipped", 4)))])
def test_what_is_no_state_is_refused(text):
    with pytest.raises(ValueError, match="this is not the state of a watch"):
        Watch.from_json(text)


def test_groups_take_sixteen_bytes_each_and_have_a_limit(monkeypatch):
    watch, losses = Watch(), np.full(50_000, 0.25)
    watch.update(losses, losses, groups=np.arange(50_000))
    assert watch._groups.hashes.nbytes == 16 * 50_000 and len(watch.to_json()) < 1.1e6
    monkeypatch.setattr(watch_module, "MOST_GROUPS", 50_001)
    with pytest.raises(ValueError, match="remembers 50,001 groups, and these would be 50,002"):
        watch.update([0.1, 0.2], [0, 0], groups=["x", "y"])
    with pytest.raises(ValueError, match="remembers 50,001 groups"):
        watch.merge(Watch().update([0.1, 0.2], [0, 0], groups=["x", "y"]))
    assert watch.update([0.1], [0], groups=["x"]).n == 50_001


def test_differences_that_overflow_are_refused_and_means_of_groups_do_not():
    with pytest.raises(ValueError, match="first minus second is too large"):
        Watch(clip=True).update([1e308, -1e308], [-1e308, 1e308], groups=["a", "a"])
    watch = Watch(1e308).update([1e308] * 4 + [0.0] * 4, [0.0] * 4 + [1e308] * 4, groups=["a"] * 8)
    assert (watch.n, watch.mean) == (1, 0.0) and np.isfinite(watch.interval).all()


@pytest.mark.parametrize("first, second, same", [
    (2**60 + 1, 2**60 + 2, False), ("20261128120000001", "20261128120000002", False), ("1e400", "2e400", False),
    ("-0", 0, True), (" 1", "1.0", True), ("1e22", 10**22, True), ("10.10", "10.1", True), ("0.1", "0.10000001", False),
    (np.datetime64("2026-11-28T12:00:00.123456789"), np.datetime64("2026-11-28T12:00:00.123456788"), False),
    ("2026-11-28 12:00:00.1234560", "2026-11-28 12:00:00.123456", True),
    ("2026-11-28 12:00:00.123456789+01:00", "2026-11-28 11:00:00.123456789", True)])
def test_labels_are_told_apart_to_their_last_digit(first, second, same):
    watch = Watch().update([0.1], [0], groups=[first])
    if not same:
        assert watch.update([0.1], [0], groups=[second]).n == 2
        return
    with pytest.raises(ValueError, match="may be the same"):
        watch.update([0.1], [0], groups=[second])
