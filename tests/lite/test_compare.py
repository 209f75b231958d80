"""Models compared: costs are the score's, intervals pair, nothing hangs on rows, names or weights of one."""

import functools
import re
from html import escape

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.signal import lfilter
from scipy.special import ndtri, stdtrit

import pwu_lite as pwu
from pwu_book import unique
from pwu_desk import report, robust
from pwu_desk.picture import picture_of
from pwu_lite import _resampling, reporting
from pwu_lite.metrics import REGISTRY, classification
from pwu_lite.reporting.intervals import METHODS, Method, Options, _dependence, from_losses, from_scores
from pwu_lite.reporting.words import in_words

RNG = np.random.default_rng(0)
N = 300
P = RNG.beta(2, 3, N)
Y = (RNG.random(N) < P).astype(int)
MODELS = {"good": np.clip(P + 0.05 * RNG.normal(size=N), 0, 1), "flat": np.full(N, 0.4),
          "noisy": np.clip(P + 0.3 * RNG.normal(size=N), 0, 1)}
SCORE = pwu.PWU(pwu.BinaryDecision(), pwu.Beta(2, 5))
TOP = pwu.PWU(pwu.TopK(), pwu.Beta(2, 5))
A, U = np.arange(20.0), np.arange(1.0, 21.0)
SOME_MISSING = pd.Series(["a", None, *["b"] * (N - 2)], dtype="string")


@pytest.mark.parametrize("score", [SCORE, TOP, classification.brier_score], ids=["separable", "joint", "function"])
def test_costs_differences_and_verdicts(score):
    table = pwu.compare(Y, MODELS, score, n_resamples=200).table
    assert table["cost"].is_monotonic_increasing
    for name, forecast in MODELS.items():
        assert table.loc[name, "cost"] == pytest.approx(score(Y, forecast), rel=1e-12)
        assert table.loc[name, "low"] <= table.loc[name, "cost"] <= table.loc[name, "high"]
    best = table.index[0]
    assert table.loc[best, "verdict"] == "best" and table.loc[best, "difference"] == 0
    for name in table.index[1:]:
        expected = "costlier" if table.loc[name, "difference low"] > 0 else "not separable"
        assert table.loc[name, "verdict"] == expected
    assert table["share best"].sum() == pytest.approx(1)


def test_a_table_of_forecasts_is_read_by_position():
    frame = pd.DataFrame(MODELS, index=range(500, 500 + N))
    pd.testing.assert_frame_equal(pwu.compare(pd.Series(Y), frame, SCORE, n_resamples=50).table,
                                  pwu.compare(Y, MODELS, SCORE, n_resamples=50).table)


@pytest.mark.weekly
def test_fast_and_slow_resampling_agree():
    """The losses of single cases, resampled, against the score computed anew on each resample."""
    fast = pwu.compare(Y, MODELS, SCORE, n_resamples=2000).table
    slow = pwu.compare(Y, MODELS, lambda y, f: SCORE(y, f), n_resamples=2000, seed=5).table
    for column in ("low", "high", "difference low", "difference high"):
        assert fast[column].to_numpy() == pytest.approx(slow[column].to_numpy(), abs=0.15 * np.ptp(fast["high"]))


def test_groups_are_drawn_whole():
    """Each case ten times: groups know that there are only thirty, single cases believe in three hundred."""
    y, f = np.repeat(Y[:30], 10), np.repeat(MODELS["noisy"][:30], 10)
    group = np.repeat(np.arange(30), 10)
    widths = []
    for groups in (None, group, [f"patient {g}" for g in group]):
        row = pwu.compare(y, {"m": f}, SCORE, groups=groups, n_resamples=400).table.loc["m"]
        widths.append(row["high"] - row["low"])
    once = pwu.compare(Y[:30], {"m": MODELS["noisy"][:30]}, SCORE, n_resamples=400).table.loc["m"]
    assert widths[1] == pytest.approx(once["high"] - once["low"], rel=0.2) and widths[1] > 2 * widths[0]
    assert widths[2] == pytest.approx(widths[1], rel=0.2)
    joint = pwu.compare(y, {"m": f}, TOP, groups=group, n_resamples=100).table.loc["m"]
    alone = pwu.compare(y, {"m": f}, TOP, n_resamples=100).table.loc["m"]
    assert joint["high"] - joint["low"] > alone["high"] - alone["low"]


def test_weights_are_weights():
    weight = RNG.integers(1, 4, N)
    weighed = pwu.compare(Y, MODELS, SCORE, sample_weight=weight, n_resamples=50).table
    for name, f in MODELS.items():
        assert weighed.loc[name, "cost"] == pytest.approx(SCORE(Y, f, sample_weight=weight))
    with pytest.raises(ValueError, match="sample_weight"):
        pwu.compare(Y, MODELS, TOP, sample_weight=weight, n_resamples=5)


def test_skill_is_zero_for_the_base_rate_and_one_for_the_truth():
    table = pwu.compare(Y, {"base": np.full(N, Y.mean()), "truth": Y, "good": MODELS["good"]}, SCORE,
                        n_resamples=20).table
    assert table.loc["base", "skill"] == 0 and table.loc["truth", "skill"] == 1
    assert table.loc["good", "skill"] == pytest.approx(1 - SCORE(Y, MODELS["good"]) / table.loc["base", "cost"])
    top = pwu.compare(Y, {"base": np.full(N, 0.3), "truth": Y}, TOP, n_resamples=20).table
    assert top.loc["base", "skill"] == pytest.approx(0) and top.loc["truth", "skill"] == 1


def test_cases_needed_shrinks_with_the_difference_and_is_met():
    """With so many cases, four in five samples separate the two."""
    rng = np.random.default_rng(3)
    pair = {"a": MODELS["good"], "b": MODELS["noisy"]}
    needed = pwu.compare(Y, pair, SCORE, n_resamples=2000).table.loc["b", "cases needed"]
    gap = SCORE.per_sample(Y, pair["b"]) - SCORE.per_sample(Y, pair["a"])
    draws = rng.choice(gap, (2000, int(needed)))
    found = draws.mean(axis=1) - 1.96 * draws.std(axis=1) / np.sqrt(needed) > 0
    assert 0.7 < found.mean() < 0.9


def test_regressors_and_against():
    y = RNG.normal(size=80)
    models = {"a": (y + 0.5 * RNG.normal(size=80), np.full(80, 0.5)), "b": (0 * y, np.full(80, 1.0))}
    score = pwu.PWU(pwu.SelectivePrediction(), pwu.Gamma(2, 0.5))
    table = pwu.compare(y, models, score, against="b", n_resamples=200).table
    assert table.loc["b", "verdict"] == "reference" and table.loc["a", "verdict"] == "cheaper"
    assert 0 < table.loc["a", "skill"] < 1 and abs(table.loc["b", "skill"]) < 0.1


def test_a_report_is_one_file_that_asks_nobody(tmp_path):
    result = pwu.compare(Y, {"<b>good": MODELS["good"], "flat": MODELS["flat"]}, {"mine": SCORE, "top": TOP},
                         n_resamples=30)
    report.write(result, tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert page.count("<svg") == 4 and "<script" not in page
    assert "NOT STATED" in page and "<b>good" not in page and len(page) < 300_000
    for asks in ("http:", "https:", "src=", "href=", "url(", "@import"):
        assert asks not in page
    assert "default-src 'none'" in page
    assert all(escape(line.partition(": ")[2]) in page for line in result.words)
    assert not list(tmp_path.glob("*.part")) and "30 resamples" in str(result)
    report.write(result, tmp_path / "report.html", decision="whom to <call>", source="two physicians")
    page = (tmp_path / "report.html").read_text()
    assert "NOT STATED" not in page and page.count("whom to &lt;call&gt;") == 3 and page.count("two physicians") == 2


@pytest.mark.parametrize("call, words", [
    (lambda: pwu.compare(Y, {}, SCORE), "at least one model"),
    (lambda: pwu.compare(Y, [MODELS["good"]], SCORE), "mapping"),
    (lambda: pwu.compare(Y, {1: Y, "1": Y}, SCORE), "twice"), (lambda: pwu.compare(Y[:9], MODELS, SCORE), "length"),
    (lambda: pwu.compare(Y, MODELS, "brier"), "loss function"),
    (lambda: pwu.compare(Y, MODELS, {}), "at least one score"),
    (lambda: pwu.compare(Y, MODELS, REGISTRY["binary", "error_detection_auroc"]), "higher is better"),
    (lambda: pwu.compare(Y, MODELS, SCORE, against="best"), "not one of the models"),
    (lambda: pwu.compare(Y, MODELS, SCORE, groups=np.zeros(N)), "at least two groups"),
    (lambda: pwu.compare(Y, MODELS, SCORE, groups=[1, 2]), "one label per case"),
    (lambda: pwu.compare(Y, MODELS, SCORE, groups=[None, *range(1, N)]), r"groups\[0\] is missing"),
    (lambda: pwu.compare(Y, MODELS, SCORE, groups=SOME_MISSING), "missing"),
    (lambda: pwu.compare(Y, MODELS, SCORE, n_resamples=1), "at least 2"),
    *[(functools.partial(pwu.compare, Y, MODELS, SCORE, n_resamples=n), "n_resamples") for n in (1e17, 10**7, 0, 2.5)],
    (lambda: pwu.compare(Y, MODELS, SCORE, coverage=95), "coverage"),
    (lambda: pwu.compare(np.where(P > 0.5, np.nan, Y), MODELS, SCORE), "finite"),
    (lambda: pwu.compare(Y, {"a": np.full(N, np.nan)}, SCORE), "a has no forecast in any case"),
    (lambda: pwu.compare(Y, {"a": P, "b": np.full(N, np.nan)}, SCORE), "b has no forecast in any case"),
    (lambda: pwu.compare(Y, {name: np.where(np.arange(N) % 3 == k, np.nan, P) for k, name in enumerate("abc")}, SCORE),
     "no case has a forecast of every model"),
    (lambda: pwu.compare(Y, {"a": np.where(np.arange(N) % 2, P, np.nan), "b": np.where(np.arange(N) % 2, np.nan, P)},
                         SCORE), "each was used on cases of its own"),
    (lambda: pwu.compare(Y, {"a": np.where(np.arange(N) < 9, P, np.nan), "b": np.where(np.arange(N) > 8, P, np.nan),
                             "c": P}, SCORE), "say which model the others are compared with"),
    (lambda: pwu.compare(Y, {"a": np.where(P > 0.5, np.nan, P), "b": np.where(P > 0.5, P, np.nan)}, SCORE,
                         against="a"), "no case has forecasts of both a and b"),
    (lambda: pwu.compare(Y, MODELS, SCORE, blocks=N), "from 1 to half of all"),
    (lambda: pwu.compare(Y, MODELS, SCORE, blocks=2.5), "blocks"),
    (lambda: pwu.compare(Y, MODELS, SCORE, blocks=5, groups=np.arange(N) // 2), "leave out the groups"),
    (lambda: pwu.compare(Y, MODELS, SCORE, blocks=5, interval="normal"), "assumes independent cases"),
    (lambda: pwu.compare(Y[:1], {"a": P[:1]}, SCORE, interval="normal"), "at least two cases"),
    (lambda: pwu.compare(Y, MODELS, SCORE, interval="t"), "must be one of bootstrap, normal, hac"),
    (lambda: pwu.compare(Y, MODELS, pwu.PWU(pwu.TopK(), pwu.Beta(2, 10)), interval="hac"), "averages over cases"),
    (lambda: pwu.compare([], {"a": []}, SCORE), "one entry per case"),
    (lambda: pwu.compare(Y, pd.DataFrame(np.column_stack([Y, Y]), columns=["a", "a"]), SCORE), "same name"),
    (lambda: robust.judge(pwu.compare(Y, MODELS, SCORE, n_resamples=5), SCORE.priors[0]), "set of priors"),
    (lambda: reporting.decompose("brier", Y, MODELS["good"]), "score must be"),
    (lambda: reporting.decompose(pwu.PWU(pwu.BinaryDecision(), pwu.Dirac(P)), Y, P), "one prior for all"),
    (lambda: unique.unique_benchmarks(A, A, {}), "at least one"),
    (lambda: unique.unique_benchmarks(A, A, {"a": -U}), "must be positive"),
    (lambda: unique.unique_benchmarks(A, A, {"best": U}), "best"),
    (lambda: unique.unique_benchmarks(A, A[:3], {"a": U}), "length"),
    (lambda: unique.unique_benchmarks(A, A, {"a": U}, rankings=["b"]), "none of the estimates"),
    (lambda: unique.unique_benchmarks(A, A, {"a": U}, scaled_on=(A, A)), "scaled_on"),
    (lambda: unique.unique_benchmarks(A, A, {"a": U}, scaled_on=(A, A, {"c": U})), "no estimate 'a'")])
def test_refusals(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_ties_share_the_best_place():
    table = pwu.compare(Y, {"a": MODELS["good"], "b": MODELS["good"]}, SCORE, n_resamples=50).table
    assert table["share best"].tolist() == [0.5, 0.5] and table["verdict"].tolist() == ["best", "not separable"]
    assert np.isnan(table["cases needed"]).all()


def test_curves_on_resamples_follow_the_slow_way():
    family, thetas = pwu.BinaryDecision(), np.array([0.1, 0.3, 0.6])
    reports = [(MODELS["good"],), (MODELS["flat"],)]
    draws = _resampling.resampled_curves(family, thetas, [family.read(Y, *one) for one in reports], repeats=30, seed=2)

    def slow(i):
        return [-family.utility(thetas, Y[i], report[0][i]) for report in reports]

    assert draws == pytest.approx(_resampling.paired_bootstrap(slow, N, repeats=30, seed=2), abs=1e-12)
    read = [pwu.TopK().read(Y, *one) for one in reports]
    top = _resampling.resampled_curves(pwu.TopK(), np.array([1, 5]), read, repeats=5)
    assert top.shape == (5, 2, 2) and (top <= 0).all()


def test_the_decomposition_adds_up_and_is_never_negative():
    rng = np.random.default_rng(7)
    for trial in range(60):
        n = int(rng.integers(2, 40))
        f = rng.choice(np.arange(11) / 10, n) if trial % 2 else rng.random(n)
        y, weight = rng.integers(0, 2, n), rng.uniform(0.1, 2, n) if trial % 3 else None
        for prior in (pwu.Beta(2, 10), pwu.Uniform(0, 1), pwu.Dirac(0.3), pwu.Beta(0.3, 0.3)):
            parts = reporting.decompose(pwu.PWU(pwu.BinaryDecision(), prior), y, f, sample_weight=weight)
            total = parts.miscalibration - parts.discrimination + parts.uncertainty
            assert parts.cost == pytest.approx(total, abs=1e-15)
            assert min(parts.miscalibration, parts.discrimination) >= -1e-15


def test_the_decomposition_of_known_forecasts():
    base = reporting.decompose(SCORE, Y, np.full(N, Y.mean()))
    assert base.miscalibration == base.discrimination == 0
    turned = reporting.decompose(classification.brier_score, [0, 1, 0, 1], [0.9, 0.1, 0.9, 0.1])
    assert turned.discrimination == 0 and turned.miscalibration == pytest.approx(0.81 - 0.25)
    for f in (MODELS["good"], MODELS["noisy"].round(1)):
        again = reporting.recalibrated(Y, reporting.recalibrated(Y, f))
        assert again == pytest.approx(reporting.recalibrated(Y, f))
        for value in np.unique(f):
            assert np.ptp(reporting.recalibrated(Y, f)[f == value]) == 0


@pytest.mark.slow
def test_unique_benchmarks_are_the_registry_s_metrics():
    rng = np.random.default_rng(2)
    std = rng.uniform(0.5, 2, 150)
    y = std * rng.normal(size=150)
    order = rng.permutation(150)
    estimates = {"own": std, "flat": np.ones(150), "rank": np.argsort(np.argsort(std)).astype(float)}
    found = unique.unique_benchmarks(y, 0 * y, estimates, rankings=["rank"], n_resamples=60,
                                        scaled_on=(y, 0 * y, {**estimates, "own": 3 * std}))
    table = found.table
    assert table.loc[("ranking", "Spearman"), "rank"] == table.loc[("ranking", "Spearman"), "own"]
    assert np.isnan(table.loc[("ranking", "Spearman"), "flat"])
    assert np.isnan(table.loc[("proper scores", "CRPS"), "rank"])
    for (task, name), kind in ((("regression", "crps_gaussian"), "proper scores"),
                               (("ranking", "auc_difference"), "ranking"),
                               (("regression", "mean_absolute_calibration_error"), "calibration")):
        metric = REGISTRY[task, name]
        data = (y, 0 * y, std) if task == "regression" else (np.abs(y), std)
        assert table.loc[(kind, metric.label), "own"] == pytest.approx(metric(*data))
    assert table.loc[("proper scores", "Gaussian NLL"), "best"] in ("own", "rank, scaled")
    assert table.loc[("proper scores", "Gaussian NLL"), "separably worse"] == "own, scaled"
    assert table.loc[("ranking", "AUC difference"), "separably worse"] == "flat"
    scale = np.sqrt(np.mean((y / (3 * std)) ** 2))
    assert table.loc[("proper scores", "CRPS"), "own, scaled"] == pytest.approx(
        REGISTRY["regression", "crps_gaussian"](y, 0 * y, scale * std))
    low, high = (frame.loc[("proper scores", "CRPS"), "own"] for frame in (found.low, found.high))
    assert low < table.loc[("proper scores", "CRPS"), "own"] < high
    shuffled = unique.unique_benchmarks(y[order], 0 * y, {name: u[order] for name, u in estimates.items()},
                                           rankings=["rank"], n_resamples=60)
    plain = unique.unique_benchmarks(y, 0 * y, estimates, rankings=["rank"], n_resamples=60)
    pd.testing.assert_frame_equal(plain.low, shuffled.low, rtol=1e-9)
    assert "excludes zero" in str(plain) and "<table" in plain._repr_html_()


@pytest.mark.slow
def test_many_estimates_that_are_alike_are_seldom_separably_worse():
    """Twelve equally good estimates: judged pair by pair, a third of the rows of these tables name some."""
    named = 0
    for seed in range(6):
        rng = np.random.default_rng(seed)
        y = rng.normal(size=200)
        estimates = {f"m{k}": np.exp(rng.normal(0, 0.3, 200)) for k in range(12)}
        table = unique.unique_benchmarks(y, 0 * y, estimates, n_resamples=100, seed=seed).table
        named += (table["separably worse"] != "-").sum()
    assert named <= 3  # of 66 rows, each right with 95%


def test_the_picture_of_the_report_is_that_of_its_table(tmp_path):
    y, a, b = [1, 0, 1, 0] * 10, [0.9, 0.1, 0.2, 0.6] * 10, [0.3, 0.5, 0.9, 0.1] * 10
    pages = []
    for options in ({"sample_weight": [1, 1, 0.01, 0.01] * 10}, {}, {"against": "a"}, {"coverage": 0.5},
                    {"groups": np.arange(40) // 10}):
        result = pwu.compare(y, {"a": a, "b": b}, SCORE, n_resamples=20, **options)
        report.write(result, tmp_path / "r.html")
        pages.append((tmp_path / "r.html").read_text())
    drawn = [re.findall(r'<svg class="landscape".*?</svg>', page) for page in pages]
    assert len({tuple(pair) for pair in drawn}) == 5 and all(len(pair) == 2 for pair in drawn)
    for page, (wide, _) in zip(pages, drawn, strict=True):
        best = "a" if page.index("<th>a</th>") < page.index("<th>b</th>") else "b"
        assert f"minus that of {'a' if wide == drawn[2][0] else best}," in wide and wide.count('class="band ') == 1


def test_the_picture_is_the_curve_and_its_paired_band():
    shown = picture_of(SCORE, Y, {name: (f,) for name, f in MODELS.items()}, list(MODELS), {})
    x = np.array(shown["x"])
    for name, costs in zip(MODELS, shown["costs"], strict=True):
        assert costs == pytest.approx(SCORE.curve(Y, MODELS[name], thetas=x))
    assert max(shown["hill"]) == 1 and x[0] == pytest.approx(SCORE.priors[0].ppf(0.005))
    low, high = map(np.array, shown["bands"][1])
    assert (low <= np.array(shown["gaps"][1]) + 0.05).all() and (low <= high).all()
    backwards = picture_of(SCORE, Y[::-1], {name: (f[::-1],) for name, f in MODELS.items()}, list(MODELS), {})
    assert np.array(backwards["bands"][1]) == pytest.approx(np.array(shown["bands"][1]))
    assert picture_of(pwu.PWU(pwu.BinaryDecision(), pwu.Dirac(np.full(N, 0.2))), Y, {}, [], {}) == (
        "each case has a prior of its own")


def test_words_say_what_the_table_says():
    result = pwu.compare(Y, MODELS, SCORE, n_resamples=40)
    first, *others = result.table.index
    for name, line in zip(others, result.words[1:], strict=False):
        assert f"{first} costs " in line and f" less than {name} (95% interval of the pair: " in line
    assert pwu.compare(Y, {"a": MODELS["good"]}, SCORE, n_resamples=40).words[0].startswith("a costs")
    assert "cost the same" in pwu.compare(Y, {"a": Y * 1.0, "b": Y * 1.0}, SCORE, n_resamples=40).words[0]
    assert "gains" in pwu.compare(Y, MODELS, TOP, n_resamples=40).words[1]
    both = pwu.compare(Y, MODELS, {"mine": SCORE, "top": TOP}, n_resamples=40).words
    assert sum("interval" in line for line in both) == 2 * len(others)
    assert both[0].startswith("mine: ") and both[-1].startswith("top: ")


COLUMNS = ["cost", "verdict", "saving", "saving low", "saving high", "difference", "difference low", "difference high",
           "cases needed"]


@pytest.mark.parametrize("cost, row, words", [
    (-1.0, [-0.8, "not separable", .25, -.1, .6, .2, -.1, .4, 50],
     "Not decided: a gains 25% more than b (95% interval: 10% less to 60% more); about 50 cases would be needed to "
     "tell them apart."),
    (1.0, [1.25, "costlier", .2, .1, .3, .25, .1, .4, 90], "a costs 20% less than b (95% interval: 10% to 30% less)."),
    (1.0, [1.25, "not separable", .17, -.19, .42, .25, -.1, .4, 9000],
     "Not decided: a costs 17% less than b (95% interval: 19% more to 42% less); about 9,000 cases would be needed "
     "to tell them apart."),
    (1.0, [0.8, "cheaper", -.25, -.5, -.1, -.2, -.3, -.1, 90],
     "a costs 25% more than b (95% interval: 10% to 50% more)."),
    (1.0, [-1.0, "not separable", .17, -.19, .42, .25, -.1, .4, 2e9],
     "Not decided, and no realistic number of cases would tell them apart: a costs 0.25 less than b (95% interval: 0.1 "
     "more to 0.4 less)."),
    (1.0, [1.25, "not separable", .2, .1, .3, .25, .1, .4, np.nan],
     "Not decided, because there are too few cases: a costs 20% less than b (95% interval: 10% to 30% less).")])
def test_an_end_below_zero_is_more(cost, row, words):
    table = pd.DataFrame([[cost, "best", 0, 0, 0, 0, 0, 0, np.nan], row], ["a", "b"], COLUMNS)
    assert in_words(table) == [words]


@pytest.mark.parametrize("cost, rows, words", [
    (1.0, [[1.2, "costlier", 90]], "a costs less than b."),
    (1.0, [[1.2, "costlier", 90], [1.3, "costlier", 9]], "a costs less than each of the others."),
    (-1.0, [[-0.8, "costlier", 90]], "a earns more than b."),
    (1.0, [[1.2, "not separable", 1234]], "Not decided between a and b: about 1,200 cases would tell."),
    (1.0, [[1.2, "not separable", 90], [1.3, "costlier", 9]],
     "Not decided between a and b: about 90 cases would tell."),
    (1.0, [[1.2, "not separable", 90], [1.3, "not separable", np.nan]], "Not decided between a, b and c."),
    (1.0, [[1.2, "not separable", 90]] * 3, "Not decided among four models: about 90 cases would tell."),
    (1.0, [[1.2, "not separable", 2e9]], "Not decided between a and b."),
    (1.0, [], "a has no rival in this file.")])
def test_the_answer_is_one_short_sentence(cost, rows, words):
    names = list("abcd")[:len(rows) + 1]
    table = pd.DataFrame([[cost, "best", np.nan], *rows], names, ["cost", "verdict", "cases needed"])
    assert report.headline(table, {"unit": "cases"}) == words


def test_the_answer_against_a_reference_names_what_is_cheaper():
    table = pd.DataFrame([[1.0, "reference", np.nan], [0.8, "cheaper", 9], [0.7, "cheaper", 9], [1.1, "costlier", 9]],
                         ["old", "a", "b", "c"], ["cost", "verdict", "cases needed"])
    assert report.headline(table, {"unit": "cases"}) == "a and b cost less than old."
    assert report.headline(table.loc[["old", "a"]], {"unit": "cases"}) == "a costs less than old."


def test_models_worse_than_no_model_are_named():
    rng = np.random.default_rng(0)
    y = (rng.random(500) < 0.1).astype(int)
    bad = np.clip(rng.random(500), 0.01, 0.99)
    one = pwu.compare(y, {"good": 0.05 + 0.8 * y, "bad": bad}, SCORE, n_resamples=50).words
    assert f"{y.sum()} of 500 cases are events (y_true = 1)." in one
    assert any(words.startswith("More expensive than always predicting the base rate: bad.") for words in one)


@pytest.mark.slow
def test_the_verdict_on_two_models_depends_on_them_alone():
    """Neither a third model, nor the order or names of columns, rows or groups changes an interval."""
    models = {"a": MODELS["good"], "b": MODELS["noisy"], "c": np.where(Y, 0.05, 0.9)}
    mixed, groups = RNG.permutation(N), RNG.integers(0, 30, N)
    for score, options in ((SCORE, {}), (SCORE, {"sample_weight": 1.0 + Y}), (classification.brier_score, {}),
                           (TOP, {}), (SCORE, {"groups": groups})):
        def rows(names, order, renamed=lambda g: g, called=str, score=score, options=options):
            given = {name: renamed(np.asarray(value)[order]) if name == "groups" else np.asarray(value)[order]
                     for name, value in options.items()}
            table = pwu.compare(Y[order], {called(name): models[name][order] for name in names}, score,
                                n_resamples=60, **given).table
            return table.loc[[called("a"), called("b")]].set_axis(["a", "b"])

        same, whole = np.arange(N), rows("ab", np.arange(N))
        for other in (rows("ba", same), rows("ab", mixed), rows("ab", same, called={"a": "z", "b": "y"}.get)):
            pd.testing.assert_frame_equal(whole, other, rtol=1e-9)
        of_the_table = ["share best", "cases needed"]
        pd.testing.assert_frame_equal(whole.drop(columns=of_the_table), rows("cab", same).drop(columns=of_the_table),
                                      rtol=1e-9)
    pd.testing.assert_frame_equal(whole, rows("ab", same, renamed=lambda g: 1000 - g), rtol=1e-9)


def test_too_few_is_what_carries_information():
    rng = np.random.default_rng(0)
    y, weight = (np.arange(50) < 25).astype(int), np.zeros(50)
    models = {"a": 0.1 + 0.8 * y, "b": rng.random(50)}
    weight[[0, -1]] = 1.0
    found = pwu.compare(y, models, SCORE, n_resamples=50, sample_weight=weight)
    assert found.table.loc["b", "verdict"] == "not separable" and "because there is only 1 " in found.words[0]
    rare = (np.arange(1000) < 3).astype(int)
    table = pwu.compare(rare, {"a": 0.01 + 0.9 * rare, "b": np.full(1000, 0.5)}, SCORE, n_resamples=50)
    assert table.table.loc["b", "verdict"] == "not separable" and "because there are only 3 events: " in table.words[0]
    assert any("With so few events (3)" in line for line in table.words)
    turned = pwu.compare(1 - rare, {"a": 0.99 - 0.9 * rare, "b": np.full(1000, 0.5)}, SCORE, n_resamples=50)
    assert any("With so few cases without an event (3)" in line for line in turned.words)
    patients = np.repeat(np.arange(40), 25)
    y = (rng.random(1000) < 0.3).astype(int)
    models = {"a": np.clip(0.3 + 0.2 * (y - 0.3), 0, 1), "b": np.clip(0.3 + 0.19 * (y - 0.3), 0, 1)}
    grouped = pwu.compare(y, models, SCORE, n_resamples=200, groups=patients)
    assert grouped.table.loc["b", "cases needed"] < 100


def test_a_saving_is_the_difference_as_a_share():
    table = pwu.compare(Y, MODELS, SCORE, n_resamples=300).table
    assert table["saving"].to_numpy() == pytest.approx((table["difference"] / table["cost"]).to_numpy())
    assert (table["saving low"] <= table["saving"]).all() and (table["saving"] <= table["saving high"]).all()
    top = pwu.compare(Y, MODELS, TOP, n_resamples=50).table  # costs below zero: what the best one gains
    assert top["saving"].to_numpy() == pytest.approx((top["cost"].iloc[0] / top["cost"] - 1).to_numpy())


def test_rounding_does_not_make_a_difference():
    """Costs that are equal but for the order of summation are equal."""
    c = np.full(6, 0.1)
    models = {"a": [0.05, 0.2, 0.2, 0.05, 0.05, 0.2], "b": [0.2, 0.05, 0.05, 0.2, 0.2, 0.05]}
    table = pwu.compare([0] * 6, models, pwu.PWU(pwu.BinaryDecision(), pwu.Dirac(c)), n_resamples=200).table
    assert table["share best"].sum() == 1 and (table["difference"] == 0).all()


@pytest.mark.weekly
def test_intervals_cover_as_stated():
    """Of 400 simulated samples about 95% of the paired intervals contain the true difference, which is known."""
    chance, wrong = np.array([0.02, 0.1, 0.3, 0.6]), np.array([0.1, 0.04, 0.45, 0.5])
    costs = [np.array([SCORE.per_sample([label], [f])[0] for f in row]) for row in (chance, wrong) for label in (0, 1)]
    truth = np.mean((1 - chance) * (costs[2] - costs[0]) + chance * (costs[3] - costs[1]))
    rng, inside = np.random.default_rng(0), []
    for _ in range(400):
        kind = rng.integers(0, 4, 150)
        y = (rng.random(150) < chance[kind]).astype(int)
        row = pwu.compare(y, {"a": chance[kind], "b": wrong[kind]}, SCORE, against="a", n_resamples=400).table.loc["b"]
        inside.append(row["difference low"] <= truth <= row["difference high"])
    assert 0.92 <= np.mean(inside) <= 0.98


@pytest.mark.parametrize("n", [2, 3, 5])
def test_so_few_cases_separate_nothing(n):
    def verdict(n):
        y = np.repeat([0, 1], n)
        models = {"a": 0.1 + 0.8 * y, "b": 0.5 + 0 * y}
        return pwu.compare(y, models, SCORE, n_resamples=200).table.loc["b", "verdict"]

    assert verdict(n) == "not separable" and verdict(6) == "costlier"


@pytest.mark.parametrize("outcome, words", [(0, "there is no event"), (1, "there is no case without an event")])
def test_without_an_event_nothing_is_separable(outcome, words):
    """A score that nobody has ever missed says nothing of what missing costs."""
    found = pwu.compare([outcome] * 500, {"a": [abs(outcome - 0.1)] * 500, "b": [0.4] * 500}, SCORE, n_resamples=50)
    assert set(found.table["verdict"]) == {"best", "not separable"} and words in found.words[0]
    assert found.table["cases needed"].isna().all()


def gaps(d, **options):
    """Losses that differ by d, and outcomes and forecasts that go with them."""
    def score(y, f):
        return float(np.mean(f))

    losses = np.array([np.zeros(d.size), d])
    luck = Options(0.95, 400, 0, options.get("blocks"), options.get("interval"))
    forecasts = {"a": (losses[0],), "b": (losses[1],)}
    if options.get("joint"):
        return from_scores(score, np.zeros(d.size), forecasts, 0, options.get("groups"), None, luck)
    return from_losses(np.zeros(d.size), forecasts, 0, losses, options.get("groups"), options.get("weight"), luck)


def series(rho, n):
    return lfilter([1], [1, -rho], np.random.default_rng(0).normal(size=n + 200))[200:]


def like_the_day_before(n):
    return lfilter([1], [1, *[0] * 23, -0.7], np.random.default_rng(0).normal(size=n + 480))[480:]


DRAWN = np.random.default_rng(0)
SLOW = series(0.95, 5000) * np.sqrt(1 - 0.95**2) * 0.6 + DRAWN.normal(size=5000)


@pytest.mark.parametrize("d, options, words", [
    (DRAWN.normal(size=9), {}, "so few cases (9)"),
    (DRAWN.normal(size=100), {"groups": np.arange(100) % 8}, "so few groups (8)"),
    (DRAWN.normal(size=100), {"groups": np.minimum(np.arange(100), 30)}, "so few groups (31, worth"),
    (DRAWN.normal(size=300), {"weight": np.where(np.arange(300) < 4, 1000.0, 1.0)}, "so few cases (300, worth 4"),
    (np.exp(DRAWN.normal(size=30)), {}, "A few cases make up much"),
    (np.exp(2 * DRAWN.normal(size=1000)), {}, "A few cases make up much"),
    (1000.0 * (np.arange(1000) < 3), {"joint": True}, "A few cases make up much"),
    (1.0 * (DRAWN.random(5000) < 0.001), {"interval": "normal"}, "A few cases make up much"),
    (series(0.9, 2000), {"blocks": 24}, "blocks of 24 are too short"),
    (series(0.5, 100), {"blocks": 24}, "so few blocks (4.2)"),
    (np.repeat(DRAWN.choice([-1.0, 1], 10), 100) + 0.01 * DRAWN.normal(size=1000), {"interval": "hac"},
     "1,000 cases carry about as much information as"),
    (SLOW, {"interval": "hac"}, "5,000 cases carry about as much information as"),
    (SLOW, {"blocks": 24}, "blocks of 24 are too short"),
    (like_the_day_before(2000), {"interval": "hac"}, "2,000 cases carry about as much information as"),
    (like_the_day_before(2000), {"blocks": 24}, "blocks of 24 are too short"),
])
def test_an_interval_knows_when_it_is_narrow(d, options, words):
    assert words in " ".join(gaps(d, **options).narrow)


@pytest.mark.parametrize("d, options", [
    (DRAWN.normal(size=40), {}), (np.arange(1000.0), {"joint": True}),
    (ndtri((np.arange(400) + 0.5) / 400), {"groups": np.arange(400) // 20}), (series(0.5, 500), {"blocks": 24}),
    (series(0.9, 2000), {"interval": "hac"}), (np.tile([1.0, -1.0], 100), {"blocks": 4}),
    (DRAWN.normal(size=3000), {"blocks": 24}), (DRAWN.normal(size=3000), {"interval": "hac"}),
    (SLOW, {"blocks": 400})])
def test_an_interval_that_covers_says_nothing(d, options):
    assert gaps(d, **options).narrow == ()


@pytest.mark.parametrize("d, true", [(series(0.5, 200_000), 3.0), (series(-0.5, 200_000), 1.0), (0 * SLOW, 1.0),
                                     (like_the_day_before(200_000), 0.51 / 0.3**2), (series(0.9, 200_000), 19.0)])
def test_dependence_is_that_of_an_autoregression(d, true):
    """The variance of a mean over that of independent cases, known for each of them."""
    assert _dependence([d - d.mean()])[0][0] == pytest.approx(true, rel=0.1)


@pytest.mark.parametrize("number", [8, 20, 40])
@pytest.mark.parametrize("grouped", [False, True])
def test_intervals_of_few_units_are_as_wide_as_students(number, grouped):
    """Resamples of n units vary too little, by n/(n - 1) in the variance, and by Student's against the normal law."""
    d = ndtri((np.arange(number) + 0.5) / number)
    groups = np.repeat(np.arange(number), 3) if grouped else None
    found = from_losses(np.zeros(d.size * (3 if grouped else 1)), {}, 0, np.array([0 * d, d]).repeat(
        3 if grouped else 1, axis=1), groups, None, Options(0.9, 20_000, 0))
    student = stdtrit(number - 1, 0.95) * d.std(ddof=1) / np.sqrt(number)
    assert found.difference[:, 1] == pytest.approx([-student, student], rel=0.05)


def test_words_say_why_an_interval_is_narrow():
    y = (np.arange(400) < 20).astype(int)
    found = pwu.compare(y, {"a": 0.05 + 0.5 * y, "b": np.full(400, 0.05)}, {"mine": SCORE}, n_resamples=50)
    assert any(line.startswith("mine: A few cases make up") for line in found.words)
    assert any("With so few events (20)" in line for line in found.words)


def test_cases_of_weight_zero_are_left_out_of_all_counts():
    y, weight = np.tile([0, 1], 100), np.repeat([0.0, 1], 100)
    about = pwu.compare(y, {"a": 0.2 + 0.5 * y}, SCORE, sample_weight=weight, n_resamples=5).about
    assert (about["cases"], about["events"]) == (100, 50)


def test_skill_is_only_said_where_it_is_known():
    ece = pwu.compare(Y, {"m": MODELS["good"]}, classification.expected_calibration_error, n_resamples=5).table
    interval = (np.zeros(9), np.ones(9))
    pair = pwu.compare(np.arange(9.0), {"m": interval}, lambda y, low, high: float(np.mean(high - low)),
                       n_resamples=5).table
    assert np.isnan(ece.loc["m", "skill"]) and np.isnan(pair.loc["m", "skill"])


def test_a_model_is_named_and_an_undefined_cost_has_no_verdict(tmp_path):
    broken = MODELS["good"].copy()
    broken[3] = 1.5
    with pytest.raises(ValueError, match=r"y_prob\[3\] is 1.5.*model 'broken'"):
        pwu.compare(Y, {"fine": MODELS["good"], "broken": broken}, SCORE)
    table = pwu.compare(Y, {"fine": MODELS["good"], "broken": broken},
                        lambda y, f: float(np.mean((y - f) ** 2)) if f.max() <= 1 else np.nan, n_resamples=50).table
    assert table.loc["broken", "verdict"] == "undefined"
    with pytest.raises(ValueError, match="folder"):
        report.write(pwu.compare(Y, MODELS, SCORE, n_resamples=5), tmp_path)


def test_the_radius_and_what_a_statement_decides():
    """Against the best model, as `robust` has them; nothing where there is no curve over one parameter."""
    prior, family = pwu.Beta(2, 10), pwu.BinaryDecision()
    stated = robust.Quantiles({0.05: 0.2, 0.3: 0.9})
    table = robust.judge(pwu.compare(Y, MODELS, pwu.PWU(family, prior), n_resamples=50), stated)
    best = table.index[0]
    assert np.isnan(table.loc[best, "radius"]) and table.loc[best, "statement"] == ""
    words = {"first": "cheaper", "second": "costlier", "undecided": "undecided"}
    for name in table.index[1:]:
        share = robust.radius(family, prior, Y, MODELS[name], MODELS[best], repeats=0)
        assert table.loc[name, "radius"] == pytest.approx(share.value)
        verdict = robust.preference(family, stated, Y, MODELS[name], MODELS[best]).verdict
        assert table.loc[name, "statement"] == words[verdict]
    plain = robust.judge(pwu.compare(Y, MODELS, classification.brier_score, n_resamples=20))
    assert plain["radius"].isna().all() and "statement" not in plain
    card = reporting.metric_card(pwu.PWU(family, prior), comparison=table)
    assert f"against {best}" in card.rows["Order of the models"] and "%" in card.rows["Order of the models"]


def test_the_last_bit_of_a_loss_does_not_change_the_resamples():
    losses = RNG.integers(0, 4, (2, 200)) / 4 + 0.1
    nudged = losses * (1 + 2.3e-16 * RNG.integers(0, 2, losses.shape))
    ends = [from_losses(np.zeros(200), {}, 0, each, None, None, Options(0.95, 50, 0)).cost for each in (losses, nudged)]
    assert np.abs(ends[0] - ends[1]).max() < 1e-14


def many(n, rare=0.3):
    """Losses of three models that often agree."""
    rng = np.random.default_rng(1)
    hard = rng.random(n) < rare
    return np.array([hard * 1.0, hard * rng.uniform(0.6, 1.5, n), hard * 1.1])


@pytest.mark.slow
@pytest.mark.parametrize("groups, weighted", [(None, False), (None, True), (np.arange(40_000) // 2, True)])
def test_normal_intervals_are_those_of_resamples(groups, weighted):
    losses, weight = many(40_000), np.linspace(0.5, 2, 40_000) if weighted else None
    data = (np.zeros(40_000), {}, 0, losses, groups, weight)
    data = (data[0], {str(k): (row,) for k, row in enumerate(losses)}, *data[2:])
    normal = from_losses(*data, Options(0.9, 1000, 0))
    drawn = from_losses(*data, Options(0.9, 4000, 0, None, "bootstrap"))
    assert (normal.method.name, drawn.method.name) == ("normal", "bootstrap")
    for name in ("cost", "difference", "saving"):
        width = np.diff(getattr(drawn, name), axis=0)
        assert getattr(normal, name) == pytest.approx(getattr(drawn, name), abs=0.1 * float(width.max()))
    assert normal.share_best == pytest.approx(drawn.share_best, abs=0.03)
    assert normal.spread == pytest.approx(drawn.spread, rel=0.05, abs=1e-12)


@pytest.mark.parametrize("n, rare, method", [(19_999, 0.3, "bootstrap"), (20_000, 0.3, "normal"),
                                             (20_000, 0.001, "bootstrap")])
def test_few_or_skewed_differences_keep_their_resamples(n, rare, method):
    losses = many(n, rare)[[0, 2]]
    found = from_losses(np.zeros(n), {"a": (losses[0],), "b": (losses[1],)}, 0, losses, None, None,
                        Options(0.95, 20, 0))
    assert found.method.name == method


def test_many_cases_say_that_their_interval_is_normal():
    rng = np.random.default_rng(3)
    f = rng.random(30_000)
    y, models = rng.random(30_000) < f, {"a": f, "again": f, "b": 0.5 + 0.5 * f}
    result = pwu.compare(y, models, SCORE)
    assert result.notes[0].startswith("Intervals: 95%, normal, from the spread over 30000 cases")
    assert result.table.loc["again", ["difference low", "difference high"]].tolist() == [0, 0]
    assert result.table["share best"].tolist() == [0.5, 0.5, 0]
    turned = pwu.compare(y[::-1], {name: models[name][::-1] for name in ("b", "a", "again")}, SCORE).table
    pd.testing.assert_frame_equal(turned.loc[result.table.index], result.table, rtol=1e-9)


SERIES = np.cos(np.arange(60) * 1.7) + 0.3 * np.sin(np.arange(60.0) ** 2) + 0.25


def of_series(series, **options):
    """Differences that are a series in time: the first model's losses are zero."""
    losses = np.array([np.zeros(series.size), series])
    return from_losses(np.zeros(series.size), {}, 0, losses, None, None, Options(0.95, 1000, 0, **options))


@pytest.mark.parametrize("steps, error", [(0, 0.10157687578492844), (3, 0.03387429119831659),
                                          (10, 0.028971097387566962)])
def test_variance_in_time_is_that_of_statsmodels(steps, error):
    """OLS(d, ones).fit(cov_type="HAC", cov_kwds={"maxlags": steps}).bse of statsmodels 0.15, without its correction."""
    h, n = steps + 1, SERIES.size
    correction = (n + 1 - 2 * h + h * (h - 1) / n) / n
    found = of_series(SERIES, blocks=h, interval="hac")
    assert found.spread[1] * np.sqrt(correction) == pytest.approx(error, rel=1e-12)
    assert (found.method.name, found.reach) == ("hac", steps)


def test_one_step_ahead_is_diebold_and_mariano_as_scores_has_it():
    """scores 2.7, diebold_mariano(..., method="HLN", statistic_distribution="t"), h = 1."""
    found = of_series(SERIES, blocks=1, interval="hac")
    assert found.difference[:, 1] == pytest.approx([0.05016653055947827, 0.4601067710662309], rel=1e-8)  # of any scipy


def test_reach_follows_the_dependence_and_blocks_widen_the_interval():
    noise = np.random.default_rng(2).normal(size=2000)
    smooth = np.convolve(noise, np.ones(12) / 12, mode="same")
    assert of_series(noise, interval="hac").reach < 6 < of_series(smooth, interval="hac").reach
    alone, blocks, hac = (of_series(smooth, **options).spread[1] for options in
                          ({"interval": "bootstrap"}, {"blocks": 60}, {"interval": "hac"}))
    assert 2 * alone < blocks and 2 * alone < hac
    assert blocks == pytest.approx(np.sqrt(1 / 2000), rel=0.3)


def test_blocks_are_consecutive_and_all_cases_are_drawn_as_often():
    counts = np.concatenate(list(_resampling.resampled_weights(10, repeats=4000, blocks=4)))
    assert (counts.sum(axis=1) == 10).all()
    assert counts.mean(axis=0) == pytest.approx(np.ones(10), abs=0.06)
    drawn = []
    _resampling.paired_bootstrap(lambda index: drawn.append(index) or 0.0, 10, repeats=3, blocks=5)
    assert all((np.diff(half) % 10 == 1).all() for index in drawn for half in (index[:5], index[5:]))
    top = pwu.PWU(pwu.TopK(), pwu.Beta(2, 10))
    assert "in blocks of 5 consecutive ones" in pwu.compare(Y, MODELS, top, blocks=5, n_resamples=20).notes[0]


def test_models_that_lack_forecasts_are_compared_on_the_cases_they_share(tmp_path):
    late = np.where(np.arange(N) < N // 4, np.nan, MODELS["good"])
    models = {"good": MODELS["good"], "late": late, "vague": np.full(N, 0.5)}
    result = pwu.compare(Y, models, SCORE, against="vague", n_resamples=50)
    kept = slice(N // 4, None)
    alone = pwu.compare(Y[kept], {"vague": models["vague"][kept], "late": late[kept]}, SCORE, against="vague",
                        n_resamples=50).table
    columns = [name for name in alone if name not in ("share best", "cases needed")]  # a table of three asks for more
    pd.testing.assert_series_equal(result.table.loc["late", columns], alone.loc["late", columns])
    assert result.table["cases"].to_dict() == {"good": N, "late": N - N // 4, "vague": N}
    assert result.table["verdict"]["vague"] == "reference"
    assert any(f"late is for the {N - N // 4} of {N} cases that it shares with vague" in line for line in result.words)
    each = pwu.PWU(pwu.BinaryDecision(), pwu.Dirac(np.linspace(0.1, 0.9, N)))
    best = pwu.compare(Y, models, each, n_resamples=20, sample_weight=np.ones(N), groups=np.arange(N) // 3)
    assert best.table["verdict"].iloc[0] == "best"
    report.write(result, tmp_path / "report.html")
    assert "that it shares with vague" in (tmp_path / "report.html").read_text()


def test_models_that_tie_share_the_resamples():
    """Exactly: a is cheaper with fewer than three events of thirty less, K ~ Bin(30, 0.1), and at three they tie."""
    y = np.r_[1, 1, 1, np.zeros(27, int)]
    found = pwu.compare(y, {"a": np.full(30, 0.9), "b": np.zeros(30)}, pwu.PWU(pwu.BinaryDecision(), pwu.Dirac(0.1)),
                        n_resamples=20_000).table
    wanted = stats.binom(30, 0.1).sf(3) + stats.binom(30, 0.1).pmf(3) / 2
    assert found.loc["a", "share best"] == pytest.approx(wanted, abs=0.02)


def test_one_enormous_case_does_not_hide_what_the_others_say():
    """Both models pay the same for it; what they pay for the rest differs, and has an interval."""
    for seed in range(4):
        rng = np.random.default_rng(seed)
        y = rng.normal(size=30_000)
        y[0] = 1e7
        models = {name: (y + rng.normal(size=y.size), np.ones(y.size)) for name in "ab"}
        for mean, _ in models.values():
            mean[0] = 0
        score = pwu.PWU(pwu.SelectivePrediction(), pwu.Dirac(4.0))
        row = pwu.compare(y, models, score, against="a", interval="normal").table.loc["b"]
        assert row["difference high"] - row["difference low"] > 0.01, seed


def test_three_models_in_groups_share_alike_whatever_the_order_of_the_rows():
    rng = np.random.default_rng(0)
    for _ in range(12):
        n = 199
        y, groups = rng.integers(0, 2, n), rng.integers(0, 40, n)
        models = {name: np.clip(y * 0.3 + rng.random(n) * 0.7, 0, 1).round(1) for name in "abc"}
        score = pwu.PWU(pwu.BinaryDecision(), pwu.Dirac(0.3))
        first = pwu.compare(y, models, score, groups=groups, n_resamples=200).table["share best"]
        order = rng.permutation(n)
        again = pwu.compare(y[order], {name: f[order] for name, f in models.items()}, score, groups=groups[order],
                            n_resamples=200).table["share best"]
        assert again.to_dict() == first.to_dict()


@pytest.mark.slow
@pytest.mark.parametrize("score", [pwu.PWU(pwu.BinaryDecision(), pwu.Dirac(0.3)),
                                   classification.expected_calibration_error])
@pytest.mark.parametrize("grouped", [False, True])
def test_three_models_share_alike_whatever_their_names_and_columns(score, grouped):
    rng = np.random.default_rng(1)
    for _ in range(6):
        y = rng.integers(0, 2, 150)
        forecasts = np.clip(y * 0.2 + rng.random((3, 150)) * 0.8, 0, 1).round(2)
        options = {"groups": rng.integers(0, 40, 150)} if grouped else {}
        first, again = (pwu.compare(y, {names[k]: forecasts[k] for k in order}, score, n_resamples=200, **options)
                        .table["share best"] for names, order in (("abc", (0, 1, 2)), ("zxy", (2, 0, 1))))
        assert first.loc[list("abc")].tolist() == again.loc[list("zxy")].tolist()


@pytest.mark.parametrize("steps", [1, 4, 12])
def test_the_interval_in_time_is_student_s_with_the_stated_freedom(steps):
    """By hand: Newey and West's variance, Harvey's correction, Student's law with n / steps - 1 degrees of freedom."""
    n, reach = 120, steps - 1
    gap = lfilter([1], [1, -0.5], np.random.default_rng(3).normal(size=n))
    own = gap - gap.mean()
    around = [own[step:] @ own[:n - step] / n for step in range(steps)]
    variance = (around[0] + 2 * sum((1 - k / steps) * around[k] for k in range(1, steps))) / n
    harvey = (n + 1 - 2 * steps + steps * (steps - 1) / n) / n
    width = stats.t.ppf(0.975, n / (reach + 1) - 1) * np.sqrt(variance / harvey)
    losses = np.array([np.zeros(n), gap])
    found = from_losses(np.zeros(n), {}, 0, losses, None, None, Options(0.95, 10, 0, steps, "hac"))
    assert found.difference[:, 1] == pytest.approx([gap.mean() - width, gap.mean() + width], rel=1e-8)


@pytest.mark.parametrize("metric", [one for one in REGISTRY.values() if one.separable], ids=lambda m: m.task + m.name)
def test_an_average_has_losses_of_its_cases(metric):
    """Their mean is the metric; `compare` then takes it for what it is; and no two differ by more than the bound."""
    rng, n = np.random.default_rng(0), 60
    y, f = rng.integers(0, 2, n), rng.random(n)
    rows = rng.dirichlet([0.3] * 3, n)
    spread = np.array([np.eye(2)] * n)
    data = {"binary": (y, f), "regression": (rng.normal(size=n), rng.normal(size=n), f + 0.1),
            "multiclass": (rng.integers(0, 3, n), rows),
            "multivariate": (rng.normal(size=(n, 2)), rng.normal(size=(n, 2)), spread)}[metric.task]
    losses = metric.per_sample(*data)
    assert losses.shape == (n,) and losses.mean() == pytest.approx(metric(*data), rel=1e-12)
    if metric.largest_difference is not None:
        edges = {"binary": ([1, 1, 0, 0], [0.0, 1.0, 0.0, 1.0]),
                 "multiclass": ([0, 0], [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])}[metric.task]
        found = metric.per_sample(*edges)
        assert found.max() - found.min() == metric.largest_difference and losses.min() >= 0
        assert losses.max() <= metric.largest_difference


def test_conventional_averages_take_every_interval():
    for way in ("normal", "hac"):
        scores = {"Brier": classification.brier_score, "0-1": REGISTRY["binary", "zero_one_loss"]}
        result = pwu.compare(Y, MODELS, scores, interval=way)
        assert not result.table["difference low"].isna().any() and not result.table["low"].isna().any()
    with pytest.raises(ValueError, match="averages over cases"):
        pwu.compare(Y, MODELS, classification.expected_calibration_error, interval="normal")
    weighed = pwu.compare(Y, MODELS, classification.brier_score, sample_weight=1.0 + Y, n_resamples=50)
    assert weighed.table.loc["good", "cost"] == pytest.approx(
        classification.brier_score(Y, MODELS["good"], sample_weight=1.0 + Y), rel=1e-12)


def test_a_share_beyond_all_measure_is_not_printed():
    """Four cases: the interval of a share reaches a million million per cent; the difference is said in its unit."""
    y, models = [1, 0, 1, 0], {"a": [0.9, 0.2, 0.6, 0.4], "b": [0.99, 0.01, 0.9, 0.1]}
    for seed in range(20):
        words = " ".join(pwu.compare(y, models, SCORE, seed=seed).words)
        assert not re.search(r"\d{5,}%", words), words
    from pwu_desk.page import numbers
    shown = numbers(pd.DataFrame({"saving low": [-1.1e12, 0.2]}, ["a", "b"]))
    assert "below -1,000%" in shown and "20%" in shown


def test_groups_whose_effect_grows_with_their_size_are_told():
    said = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        size = np.maximum(1, np.round(np.exp(rng.normal(1.5, 1, 40)))).astype(int)
        group = np.repeat(np.arange(40), size)
        gap = (rng.normal(size=40) + np.log(size))[group] + rng.normal(size=group.size)
        losses = np.array([np.zeros(gap.size), gap])
        found = from_losses(np.zeros(gap.size), {"a": (losses[0],), "b": (losses[1],)}, 0, losses, group, None,
                            Options(0.95, 50, seed))
        said.append(any("changes with the size of a group" in line for line in found.narrow))
        same = from_losses(np.zeros(gap.size), {"a": (losses[0],), "b": (losses[1],)}, 0, losses,
                           np.arange(gap.size) // 10, None, Options(0.95, 50, seed))
        assert not any("changes with the size" in line for line in same.narrow)
    assert np.mean(said) > 0.8


def test_what_is_printed_is_the_table_at_a_glance_and_the_sentences():
    """Five columns and no more, at most 80 characters wide; a notebook shows the same; two scores, two tables."""
    result = pwu.compare(Y, MODELS, SCORE, n_resamples=50)
    said = str(result)
    assert repr(result) == said and max(map(len, said.splitlines())) <= 80
    assert re.match(r"model +cost +95% interval +skill +verdict +cases\n", said)
    flat = " ".join(said.split())
    assert all(" ".join(line.split()) in flat for line in (*result.words, *result.notes))
    page = result._repr_html_()
    assert page.count("<th>") == 6 + len(MODELS) and all(escape(line) in page for line in result.words)
    cheapest = result.table.iloc[0]
    assert f"{cheapest['cost']:.4g}" in said.splitlines()[2] and f"<td>{cheapest['cost']:.4g}</td>" in page
    two = str(pwu.compare(Y, MODELS, {"one": SCORE, "other": SCORE}, n_resamples=50))
    assert two.count("95% interval  ") == 2 and two.startswith("one\n") and "\nother\n" in two


def test_a_method_of_one_s_own_is_an_object():
    """It computes and says what it is; scores of all cases together refuse it, as they refuse all but resamples."""
    class Half(Method):
        name = "half"

        def compute(self, cases, options):
            found = METHODS["normal"].compute(cases, options)
            return found._replace(difference=found.difference / 2, method=self)

    own = pwu.compare(Y, MODELS, SCORE, interval=Half())
    plain = pwu.compare(Y, MODELS, SCORE, interval="normal")
    columns = ["difference low", "difference high"]
    np.testing.assert_allclose(own.table[columns], plain.table[columns] / 2)
    assert own.notes[0].startswith("Intervals: 95%, by the method 'half', from 300 cases.")
    with pytest.raises(ValueError, match="'half' is for scores that are averages"):
        pwu.compare(Y, MODELS, pwu.PWU(pwu.TopK(), pwu.Beta(2, 10)), interval=Half())
    with pytest.raises(NotImplementedError, match="Method has no method compute"):
        pwu.compare(Y, MODELS, SCORE, interval=Method())


@pytest.mark.parametrize("method, unsuited", [
    (None, "both"), ("bootstrap", "both"), ("normal", "blocks"), ("hac", "groups")])
def test_every_method_is_refused_where_it_does_not_suit(method, unsuited):
    data = {"groups": {"groups": np.arange(N) // 3}, "blocks": {"blocks": 5}, "weights": {"sample_weight": np.ones(N)}}
    data["both"] = data["groups"] | data["blocks"]
    for name, options in data.items():
        if name in unsuited or name == "both":
            with pytest.raises(ValueError, match="blocks|groups"):
                pwu.compare(Y, MODELS, SCORE, interval=method, n_resamples=20, **options)
        else:
            assert len(pwu.compare(Y, MODELS, SCORE, interval=method, n_resamples=20, **options).table) == 3
    assert {"bootstrap", "normal", "hac"} == set(METHODS)


def test_of_one_model_there_is_no_difference():
    y = np.zeros(40)
    score = pwu.PWU(pwu.SelectivePrediction(), pwu.Gamma(2, 0.5))
    words = " ".join(pwu.compare(y, {"a": (np.r_[np.zeros(38), 9.0, 30.0], y + 0.1)}, score, n_resamples=200).words)
    assert "cases make up much of the cost" in words and "difference" not in words
    both = {"a": (np.r_[np.zeros(38), 9.0, 30.0], y + 0.1), "b": (y + 0.1, np.r_[np.full(38, 0.1), 60.0, 80.0])}
    assert "make up much of the difference" in " ".join(pwu.compare(y, both, score, n_resamples=200).words)


def test_the_first_of_models_that_cannot_be_told_apart_is_lowest_not_best():
    rng = np.random.default_rng(1)
    p = rng.random(300)
    y, score = (rng.random(300) < p).astype(int), pwu.PWU(pwu.BinaryDecision(), pwu.Beta(2, 2))
    alike = pwu.compare(y, {"a": p, "b": np.clip(p + 0.01 * rng.normal(size=300), 0, 1)}, score, n_resamples=200)
    assert alike.table["verdict"].tolist() == ["best", "not separable"]
    assert "lowest" in str(alike) and " best" not in str(alike).split("skill:")[0]
    apart = pwu.compare(y, {"a": p, "b": 1 - p}, score, n_resamples=200)
    assert apart.table["verdict"].tolist() == ["best", "costlier"] and "lowest" not in str(apart)


@pytest.mark.parametrize("gain", [pwu.metrics.ranking.spearman, pwu.metrics.error_detection_auroc,
                                  functools.partial(pwu.metrics.net_benefit, threshold=0.3),
                                  REGISTRY["ranking", "spearman"]])
def test_what_is_better_where_it_is_higher_is_no_loss(gain):
    """The package's own functions, as they are or with their options."""
    y, f = np.tile([0, 1], 20), np.linspace(0.1, 0.9, 40)
    with pytest.raises(ValueError, match="higher is better for"):
        pwu.compare(y, {"a": f, "b": f[::-1]}, gain, n_resamples=50)


def test_a_coverage_near_one_is_not_called_one():
    y, f = np.tile([0, 1], 40), np.linspace(0.1, 0.9, 80)
    said = str(pwu.compare(y, {"a": f, "b": f[::-1]}, classification.brier_score, coverage=0.9996, interval="normal"))
    assert "99.96%" in said and "100% interval" not in said


@pytest.mark.parametrize("interval", ["normal", "hac", "bootstrap"])
@pytest.mark.parametrize("power", [-700, -400, 400])
def test_no_unit_of_the_losses_changes_a_verdict(interval, power):
    """Squares of very small or large losses leave the range of floats: an interval would have no width."""
    rng = np.random.default_rng(0)
    y = rng.normal(size=60)
    models = {name: (y + rng.normal(size=60),) for name in "ab"}
    losses, options = np.array([np.abs(y - f) for f, in models.values()]), Options(0.95, 200, 0, interval=interval)
    one, other = (from_losses(y, models, 0, unit * losses, None, None, options) for unit in (1.0, 2.0**power))
    for name in ("cost", "difference", "spread"):
        np.testing.assert_allclose(getattr(other, name), 2.0**power * getattr(one, name), rtol=1e-9)
    np.testing.assert_allclose(other.saving, one.saving, rtol=1e-9)
    assert one.skew == pytest.approx(other.skew) and one.narrow == other.narrow


def test_resamples_that_are_too_few_for_the_coverage_are_named():
    """39 leave less than one resample beyond each end of 95%, and 199 do of 99%; scores of all cases alike."""
    rng = np.random.default_rng(0)
    y = rng.random(60) < 0.4
    models = {"a": np.where(y, 0.6, 0.3), "b": rng.random(60)}
    for score in (pwu.PWU(pwu.BinaryDecision(), pwu.Beta(2, 10)), pwu.PWU(pwu.TopK(), 0.2)):
        for coverage, least in ((0.95, 40), (0.99, 200)):
            for repeats in (least - 1, least):
                found = pwu.compare(y, models, score, n_resamples=repeats, coverage=coverage)
                said = [line for line in found.words if "resamples are too few" in line]
                assert len(said) == (repeats < least)
                assert all(f"{least}" in line and f"{100 * coverage:.0f}%" in line for line in said)


def test_names_that_begin_alike_are_told_apart_in_the_table():
    y, rng = np.tile([0, 1, 0], 60), np.random.default_rng(0)
    names = ["election_2020_forecast_economist", "election_2020_forecast_markets"]
    told = str(pwu.compare(y, {name: rng.uniform(0.1, 0.6, 180) for name in names}, SCORE, n_resamples=20))
    assert "~ecast_economist " in told and "~orecast_markets " in told


def test_a_model_of_few_cases_does_not_decide_which_one_the_others_are_compared_with():
    """Of 400 cases it has four; on them, which alone are everybody's, the dearer one of the others costs less."""
    rng = np.random.default_rng(0)
    y = (rng.random(400) < 0.3).astype(int)
    good, fair = (np.clip(0.3 + gain * (y - 0.3) + rng.normal(0, 0.05, 400), 0.01, 0.99) for gain in (0.5, 0.2))
    y[:4], good[:4], fair[:4] = 0, 0.9, 0.05
    few = np.where(np.arange(400) < 4, 0.1, np.nan)
    for weight in (None, np.where(np.arange(400) < 4, 1.0, 3.0)):
        table = pwu.compare(y, {"fair": fair, "few": few, "good": good}, SCORE, sample_weight=weight).table
        assert table.loc["good", ["verdict", "difference"]].tolist() == ["best", 0.0]
        assert table.loc["fair", "verdict"] == "costlier" and table.loc["few", "cases"] == 4
