"""The explorers' elements: self-contained, valid data, safe names, clear errors."""

import json
import re
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import numpy as np
import pandas as pd
import pytest
import sympy as sp

import pwu_lite as pwu
from pwu_book import bench
from pwu_book.bench import Bench
from pwu_book.explorers import HillExplorer, MetricExplorer, MurphyExplorer, PriorExplorer, _element
from pwu_lite import elicitation
from pwu_lite.app import command
from pwu_lite.theory import robust

p = sp.Symbol("p")
BRIER, LOG = ((1 - p) ** 2, p**2), (-sp.log(p), -sp.log(1 - p))


def data(element):
    page = element._repr_html_()
    return page, json.loads(re.search(r'application/json">(.*?)</script>', page, re.S).group(1))


def test_curves_are_the_scores():
    _, held = data(MetricExplorer({"Brier": BRIER, "log": LOG}, p, points=99))
    grid, (brier, log) = np.array(held["grid"]), held["rows"]
    assert brier["prior"] == [2.0] * 99
    assert brier["one"] == pytest.approx((1 - grid) ** 2, rel=1e-3)
    assert log["zero"] == pytest.approx(-np.log(1 - grid), rel=1e-3)
    assert log["prior"] == pytest.approx(1 / (grid * (1 - grid)), rel=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("make", [
    lambda k: MetricExplorer({"ab"[k]: BRIER}, p),
    lambda k: PriorExplorer(Y, MODELS, modes=[0.1, 0.2], sizes=[5, 9], start=(0, k))])
def test_two_explorers_have_different_ids(make):
    one, other = (set(re.findall(r'id="([^"]+)"', make(k)._repr_html_())) for k in (0, 1))
    assert one and not one & other


def test_what_is_infinite_is_left_out():
    """JSON has no infinity; the script draws a gap."""
    assert _element.short(np.array([1.0, np.inf, np.nan])) == [1.0, None, None]


MODELS = {"honest": [0.9, 0.2, 0.6, 0.3], "sure": [0.99, 0.6, 0.2, 0.01], "flat": [0.5] * 4}
Y = [1, 0, 1, 0]


def prior_explorer(models=MODELS):
    return PriorExplorer(Y, models, modes=[0.05, 0.2, 0.4, 0.6], sizes=[5, 50], start=(1, 1))


def murphy_explorer(models, thetas=(0.2, 0.4), label="c"):
    return MurphyExplorer(pwu.BinaryDecision(), Y, models, thetas, label=label)


def test_prior_explorer_holds_the_scores():
    _, held = data(prior_explorer())
    for i, size in enumerate(held["sizes"]):
        for j, mode in enumerate(held["modes"]):
            prior = elicitation.beta_from_mode(mode, size)
            score = pwu.PWU(pwu.BinaryDecision(), prior)
            assert held["losses"][i][j] == pytest.approx([score(Y, f) for f in MODELS.values()], rel=1e-5)
            assert held["quantiles"][i][j] == pytest.approx(prior.ppf([0.05, 0.5, 0.95]), rel=1e-3)
            x = 0.3  # the script's density
            logs = (prior.a - 1) * np.log(x) + (prior.b - 1) * np.log(1 - x) - held["norm"][i][j]
            assert np.exp(logs) == pytest.approx(prior.pdf(x), rel=1e-4)


def test_murphy_explorer_holds_the_costs_and_says_who_wins():
    pair = {name: MODELS[name] for name in ("honest", "sure")}
    shown = MurphyExplorer(pwu.BinaryDecision(), Y, pair, [0.1, 0.25, 0.5, 0.995], label="c", start=2)
    _, held = data(shown)
    for cost, f in zip(held["costs"], pair.values(), strict=True):
        assert cost == pytest.approx(-pwu.BinaryDecision().utility([0.1, 0.25, 0.5, 0.995], Y, f))
    verdicts = shown.verdicts()
    for name in ("honest", "sure"):
        assert (f"{name} is cheaper" in held["note"]) == (name in verdicts)
    assert held["verdicts"] == verdicts


def test_murphy_explorer_calls_nobody_cheaper_inside_its_band():
    rng = np.random.default_rng(3)
    q = rng.random(300)
    y = (rng.random(300) < q).astype(int)
    pair = {"good": q, "noise": np.where(q < 0.3, np.abs(q + 0.01 * rng.normal(size=300)), rng.uniform(0.3, 1, 300))}
    thetas = np.array([0.1, 0.5])
    shown = MurphyExplorer(pwu.BinaryDecision(), y, pair, thetas, label="c", seed=7)
    losses = [np.array([pwu.PWU(pwu.BinaryDecision(), pwu.Dirac(c)).per_sample(y, f) for c in thetas]) for f in
              pair.values()]
    gap, draw = losses[1] - losses[0], np.random.default_rng(7)
    draws = [gap[:, draw.integers(0, 300, 300)].mean(axis=1) for _ in range(500)]
    assert shown.band == pytest.approx(np.quantile(draws, [0.025, 0.975], axis=0))
    assert shown.verdicts() == ["undecided", "good"]
    same = MurphyExplorer(pwu.BinaryDecision(), y, {"a": q, "b": q}, thetas, label="c")
    assert same.verdicts() == ["same", "same"]


def test_murphy_explorer_of_regressors(regression):
    y, mean, std = regression
    pair = {"a": (mean, std), "b": (mean, 2 * std)}
    shown = MurphyExplorer(pwu.SelectivePrediction(), y, pair, [0.1, 1, 4], label="lambda")
    assert data(shown)[1]["words"][2] == "predict up to a standard deviation of 2"


@pytest.mark.parametrize("make", [
    lambda name: prior_explorer({name: MODELS["honest"], "other": MODELS["sure"]}),
    lambda name: murphy_explorer({name: MODELS["honest"], "b": MODELS["flat"]}, label=name),
    lambda name: MetricExplorer({name: BRIER, 7: BRIER, "@DATA@": BRIER}, p)])
def test_names_are_text_and_nothing_else(make):
    page, held = data(make('</script><b>"@ID@'))
    assert page.count("<script") == 2 and "<b>" not in page and page.count('"grid"') == ("grid" in held)
    names = held.get("models") or held.get("names") or [row["name"] for row in held["rows"]]
    assert names[0] == '</script><b>"@ID@' and names[1] in ("other", "b", "7")


@pytest.mark.slow
@pytest.mark.parametrize("element", [
    lambda: MetricExplorer({"Brier": BRIER}, p), prior_explorer,
    lambda: murphy_explorer({"a": [0.1] * 4, "b": [0.2] * 4})])
def test_an_element_stands_alone(element):
    page, held = data(element())
    assert "http" not in page and "@" not in re.sub(r"<style>.*?</style>", "", page, flags=re.S)
    assert page.count('<svg class="still"') == 1 and re.search(r'<svg class="still"[^>]*aria-label="[^"]{40,}', page)
    assert page.count("<label>") == page.count("<input") + page.count("<select")
    assert element()._repr_html_() == page


def test_break_even_is_where_the_best_model_changes():
    """Also to a third model that is best only between two."""
    models = {"a": [0.9, 0.3, 0.6, 0.8, 0.7, 0.9], "b": [0.9, 0.9, 0, 0.4, 0.5, 0.1], "c": [0, 0.8, 1, 0.8, 0.3, 0.7]}
    between = PriorExplorer([1, 0, 1, 0, 0, 1], models, modes=[0.05, 0.35, 0.65, 0.95], sizes=[50])
    for shown in (prior_explorer(), between):
        found = [(size, *change) for size in shown.sizes for change in shown.breaks(size)]
        for size, at, name in found:
            assert shown.ranking(at - 0.002, size)[0] != name == shown.ranking(at + 0.002, size)[0]
        assert found
    assert "a" in {name for _, name in between.breaks(50)}


@pytest.mark.slow
def test_models_that_tie_do_not_take_turns():
    rng = np.random.default_rng(0)
    y, f = np.repeat([0, 1], 50), rng.random(100)
    same = np.concatenate([rng.permutation(f[:50]), rng.permutation(f[50:])])
    shown = PriorExplorer(y, {"a": f, "b": same}, modes=np.arange(1, 40) / 40, sizes=[5, 50])
    assert [shown.breaks(size) for size in shown.sizes] == [[], []]
    assert all(shown.ranking(mode, 5) == ["a", "b"] for mode in shown.modes)


def test_a_perfect_model_and_equal_models_are_drawn():
    data(PriorExplorer([1, 0], {"a": [1, 0], "b": [0.9, 0.2]}, [0.1, 0.3]))
    data(murphy_explorer({"a": MODELS["flat"], "b": MODELS["flat"]}))


def test_ties_do_not_depend_on_the_unit(regression):
    y, mean, std = (1e-7 * values for values in regression)
    pair = {"a": (mean, std), "b": (mean, 3 * std)}
    small = MurphyExplorer(pwu.SelectivePrediction(), y, pair, np.array([1, 5, 9]) * 1e-15, label="lambda")
    pair = {name: (1e7 * m, 1e7 * s) for name, (m, s) in pair.items()}
    large = MurphyExplorer(pwu.SelectivePrediction(), 1e7 * y, pair, np.array([1, 5, 9]) * 1e-1, label="lambda")
    assert (np.sign(small.costs[1] - small.costs[0]) == np.sign(large.costs[1] - large.costs[0])).all()
    assert small.wins().split(" from")[0].split(" at")[0] == large.wins().split(" from")[0].split(" at")[0]


def test_axes_reach_the_data():
    scores = {"shifted": (BRIER[0] - 5, BRIER[1] - 5), "large": (1e6 * BRIER[0], 1e6 * BRIER[1])}
    _, held = data(MetricExplorer(scores, p))
    low, high = held["rows"][0]["axes"][1]
    assert low <= -4.9 and high >= -4
    assert held["rows"][1]["axes"][0][1] == 2e6
    assert data(MetricExplorer({"Brier": BRIER}, p))[1]["rows"][0]["axes"] == [[0, 8], [0, 4]]


@pytest.mark.parametrize("make, words", [
    (lambda: MetricExplorer({}, p), "at least one"),
    (lambda: MetricExplorer({"a": BRIER}, p, points=2), "at least 9"),
    (lambda: MetricExplorer({"a": BRIER}, p, points=20.5), "whole"),
    (lambda: MetricExplorer({"a": (sp.Symbol("k") * BRIER[0], sp.Symbol("k") * BRIER[1])}, p), "put numbers"),
    (lambda: MetricExplorer({"a": (1 - p, p)}, p), "disagree"),
    (lambda: MetricExplorer({"Brier": BRIER}, p, people={"gardener": 1.2}), "gardener"),
    (lambda: PriorExplorer(Y, {"a": MODELS["flat"]}, modes=[0.1, 0.2]), "two to six"),
    (lambda: PriorExplorer(Y, MODELS, modes=[0.2, 0.1]), "ascending"),
    (lambda: PriorExplorer(Y, MODELS, modes=[0.2, 1.1]), "mode"),
    (lambda: PriorExplorer(Y, MODELS, modes=[0.2, 0.3], sizes=[0]), "concentration"),
    (lambda: murphy_explorer(MODELS), "two models"),
    (lambda: murphy_explorer({"a": MODELS["flat"], "b": MODELS["sure"]}, thetas=[0.1]), "ascending"),
    (lambda: HillExplorer([0, 1], {"a": [0.1, 0.2]}), "two models"),
    (lambda: hill(low=0.5, high=0.1), "low must be below high"), (lambda: hill(low=0.0), "low"),
    (lambda: hill(high=1.0), "high"), (lambda: Bench({"a": {"file": "a.csv"}}), "needs a table"),
    (lambda: prior_explorer({1: MODELS["flat"], "1": MODELS["sure"]}), "same as text"),
    (lambda: PriorExplorer(Y, MODELS, modes=[0.1, 0.2], start=(9, 0)), "start"),
    (lambda: PriorExplorer(Y, MODELS, modes=[0.1, 0.2], start=0), "start"),
    (lambda: PriorExplorer(Y, [1], modes=[0.1, 0.2]), "mapping"),
    (lambda: MurphyExplorer(pwu.TopK(), Y, {"a": [0.1] * 4, "b": [0.2] * 4}, [1, 2], label="k"), "one continuous"),
    (lambda: MurphyExplorer(pwu.RiskAverseTopK(), Y, {"a": 1, "b": 2}, [1, 2], label="k"), "one continuous"),
    (lambda: MurphyExplorer(pwu.BinaryDecision(), Y, {"a": [0.1] * 4, "b": [0.2] * 4}, [0.1, 0.2], label="c", start=2),
     "start"),
    (lambda: MetricExplorer({"a": p}, p), "pair")])
def test_refusals(make, words):
    with pytest.raises(ValueError, match=words):
        make()


def test_the_leader_stays_where_another_catches_up_without_passing():
    """Far from 0.04 to 0.3, where b is cheaper, both cost the same to the last digit."""
    shown = PriorExplorer([1, 0], {"a": [0.9, 0.3], "b": [0.9, 0.04]}, modes=[0.1, 0.15, 0.7, 0.75], sizes=[20_000])
    assert shown.ranking(0.1, 20_000)[0] == "b" and shown.breaks(20_000) == []


def test_whom_a_score_asks():
    people = {"festival": 0.005, "gardener": 0.2}
    explorer = MetricExplorer({"Brier": BRIER, "log": LOG}, p, people=people)
    brier, log = (row["asked"] for row in explorer.rows)
    assert brier == [2, 2] and log == pytest.approx([1 / (0.005 * 0.995), 1 / (0.2 * 0.8)], rel=1e-3)
    step = tuple(sp.Piecewise((a, p <= sp.Rational(1, 2)), (b, True)) for a, b in ((1, 0), (0, 1)))
    assert MetricExplorer({"0-1": step}, p, people=people).rows[0]["asked"] == [0, 0]


def hill(**options):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    near, far = np.clip(0.7 * y + 0.3 * rng.random(300), 0, 1), rng.random(300)
    return y, {"near": near, "far": far}, HillExplorer(y, {"near": near, "far": far}, **options)


def test_the_hill_costs_what_its_prior_says():
    y, models, explorer = hill(per=1000)
    for width, place in ((0, 3), (2, 30), (4, -1)):
        prior = explorer.prior(explorer.places[place], (0.15, 0.3, 0.45, 0.7, 1.0)[width])
        unit = 1000 / explorer.places[place]  # in false alarms of the decision maker at the peak
        scores = [unit * pwu.PWU(pwu.BinaryDecision(), prior)(y, f) for f in models.values()]
        assert explorer.costs[width, place] == pytest.approx(scores)
        assert explorer.verdict(place, width) in ("near", "undecided")
    assert prior.a / (prior.a + prior.b) == pytest.approx(explorer.places[-1])


def test_a_cheaper_miss_never_raises_the_bill_and_buttons_mean_what_they_say():
    explorer = hill(low=0.004, high=0.3, start=49, ratios=[199, 49, 9])[2]
    for ratio in (199, 49, 9):
        assert np.abs((1 - explorer.places) / explorer.places - ratio).min() < 1e-9
    certain = HillExplorer([0, 1, 1], {"a": [0.0, 0.0, 1.0], "b": [1.0, 1.0, 1.0]}, low=0.004, high=0.3)
    assert (np.diff(certain.costs[1, :, 0]) < 0).all() and np.allclose(certain.costs[1, :, 1], certain.costs[1, 0, 1],
                                                                      rtol=0.05)


def test_the_hill_is_undecided_between_equal_forecasts_and_turns_with_their_order():
    y, models, explorer = hill()
    same = HillExplorer(y, {"a": models["near"], "b": models["near"]})
    assert same.verdict(10, 1) == "undecided"
    turned = HillExplorer(y, dict(reversed(models.items())))
    assert [turned.verdict(j, 2) for j in range(0, 60, 6)] == [explorer.verdict(j, 2) for j in range(0, 60, 6)]


def test_prior_explorer_says_who_could_be_best():
    """Over all priors with the same three points: a model inside its interval, the order's maximal models."""
    explorer = prior_explorer()
    for mode in explorer.modes:
        prior = elicitation.beta_from_mode(mode, 50)
        stated = robust.Quantiles({float(prior.ppf(level)): level for level in (0.05, 0.5, 0.95)})
        assert explorer.maximal(mode, 50) == robust.order(pwu.BinaryDecision(), stated, Y, MODELS).maximal
        for name, (low, high) in explorer.intervals(mode, 50).items():
            assert low - 1e-12 <= explorer.losses(mode, 50)[name] <= high + 1e-12
    assert explorer.data()["maximal"][1][0] == [list(MODELS).index(name) for name in explorer.maximal(0.05, 50)]


def test_the_bench_is_one_element_that_asks_nobody():
    table = pd.DataFrame({"y": [1, 0], "<a>": [0.7, 0.2]})
    page = Bench({"Try <this>": {"table": table, "file": "a.csv", "choice": {"event": "1"}}})._repr_html_()
    held = json.loads(re.search(r'<script type="application/json">(.*?)</script>', page, re.S).group(1))
    assert held["examples"]["Try <this>"]["table"] == "y,<a>\n1,0.7\n0,0.2\n" and "Try <this>" not in page
    assert not re.search(r"https?:|@[A-Z]+@|<a>", page)
    assert page.count("</script>") == page.count("<script") == 2
    labels = re.findall(r"<label[^>]*>(.*?)</label>", page, re.S)
    assert len(re.findall(r"<(?:input|select|textarea)", page)) == sum("<" in label for label in labels)


def test_the_bench_answers_as_the_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    f = rng.beta(1, 4, 300)
    pd.DataFrame({"y": (rng.random(300) < f).astype(int), "a": f, "b": f / 2}).to_csv("p.csv", index=False)
    words = ["compare", "p.csv", "--truth", "y", "--ratio", "3:30"]
    found = json.loads(bench.answer(words))
    assert command.main([*words, "--html", "report.html"]) == 0
    assert found["said"] == capsys.readouterr().out and found["code"] == 0 and found["wrong"] == ""
    assert found["report"] == Path("report.html").read_text()
    assert "What the cost is made of" in found["report"] and "Brier score" in found["report"]
    assert json.loads(json.loads(bench.answer([*words, "--json"]))["said"])["models"][0]["name"] == "a"


def test_a_report_of_weighted_cases_leaves_out_what_takes_no_weights(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    f = rng.beta(1, 4, 300)
    pd.DataFrame({"y": (rng.random(300) < f).astype(int), "a": f, "b": f / 2, "w": 1 + (f > 0.2)}).to_csv("p.csv")
    found = json.loads(bench.answer(["compare", "p.csv", "--truth", "y", "--ratio", "3:30", "--weights", "w",
                                     "--models", "a,b"]))
    assert found["code"] == 0 and "Brier score" in found["report"] and "ECE" not in found["report"]


@pytest.mark.parametrize(("words", "said"), [
    (["compare", "none.csv", "--ratio", "3:30"], "none.csv"), (["compare", "p.csv", "--nonsense"], "--nonsense"),
    (["compare", "p.csv", "--truth", "y"], "--ratio LOW:HIGH")])
def test_what_the_command_refuses_the_bench_refuses_in_its_words(tmp_path, monkeypatch, words, said):
    monkeypatch.chdir(tmp_path)
    Path("p.csv").write_text("y,a\n" + "1,0.7\n0,0.2\n" * 20)
    found = json.loads(bench.answer(words))
    assert found["code"] == 2 and said in found["wrong"] and found["report"] == ""
