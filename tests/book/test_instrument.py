"""The instrument: it draws costs at their places, says what the package computes, and stands alone."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
import sympy as sp

import pwu_lite as pwu
from pwu_book import instrument
from pwu_book.instrument import _drawing as drawing
from pwu_book.instrument import states
from pwu_desk import robust
from pwu_lite import elicitation
from pwu_lite._resampling import tail_of

p = sp.Symbol("p")
BRIER, LOG = ((1 - p) ** 2, p**2), (-sp.log(p), -sp.log(1 - p))
BINARY = pwu.BinaryDecision()
rng = np.random.default_rng(0)
F = rng.beta(1, 4, 400)
Y = (rng.random(400) < F).astype(int)
PAIR = {"honest": F, "half": F / 2}
THREE = {**PAIR, "flat": np.full(400, F.mean())}


def plain(html):
    """An element without its styles and scripts."""
    return re.sub(r"<(style|script)\b.*?</\1>", "", html, flags=re.S)


def data(shown):
    page = shown._repr_html_()
    return page, json.loads(re.search(r'application/json">(.*?)</script>', page, re.S).group(1))


def points(path):
    """Places on a path that is told by its first point and the steps from there."""
    first, steps = (np.array(re.findall(r"-?[\d.]+", part), dtype=float).reshape(-1, 2) for part in path.split("l"))
    return np.cumsum(np.vstack([first, steps]), axis=0)


def test_the_axis_speaks_of_the_mistakes_that_the_bill_speaks_of():
    named = {"miss": "a <b> missed", "alarm": "meals"}
    for shown in (instrument.hill(Y, PAIR, **named), instrument.undecided(Y, PAIR, repeats=20, **named)):
        drawn = plain(shown._repr_html_())
        assert drawn.count("a &lt;b&gt; missed costs as many meals as</text>") == len(drawing.SIZES)
    assert f">{drawing.SAID}</text>" in plain(instrument.hill(Y, PAIR)._repr_html_())


@pytest.mark.parametrize("size", drawing.SIZES)
def test_one_axis_and_one_unit(size):
    """Ticks stand at 1 / (1 + ratio), curves at the costs of a miss and an alarm that add up to one."""
    page = plain(instrument.costs(Y, PAIR, per=1000, case="cases", mark=0.02)._repr_html_())
    svg = re.search(rf'<svg class="{size.name}".*?</svg>', page, re.S).group()
    for ratio in size.ticks:
        number = float(sp.Rational(ratio))
        assert drawing.RATIOS[ratio] == pytest.approx(1 / (1 + number))
        place = re.search(rf'<text x="([\d.]+)" y="{size.base + 22}" text-anchor="middle">{ratio}</text>', svg)
        assert float(place[1]) == pytest.approx(size.x(1 / (1 + number)), abs=0.06)
    assert "cost per 1,000 cases, lower is better" in svg and drawing.SAID in svg
    for k, f in enumerate(PAIR.values()):
        x, y = points(re.search(rf'class="line line{k}" d="([^"]+)"', svg)[1]).T
        cost = -1000 * BINARY.utility(drawing.GRID, Y, f)
        top = 1.04 * max(-1000 * BINARY.utility(drawing.GRID, Y, g).min() for g in PAIR.values())
        assert x == pytest.approx(size.x(drawing.GRID), abs=0.06)
        assert y == pytest.approx(size.floor - cost / top * (size.floor - size.top), abs=0.06)
        assert f'<text class="name name{k}"' in svg
    assert f'transform="translate({size.x(0.02):.1f} 0)"' in svg


def test_a_colour_belongs_to_a_model_by_its_place():
    """The same classes in lines, names, bars: the style gives each the colour of its number."""
    style = instrument.element.STYLE
    for k in range(4):
        colour = re.search(rf"\.line{k} {{ stroke: (var\(--c\d)", style)[1]
        assert re.search(rf"\.name{k} {{ fill: {re.escape(colour)}", style)
        assert re.search(rf"\.who{k}::before {{ background: {re.escape(colour)}", style)


def test_a_hill_is_the_density_on_the_axis():
    """Level for the log loss, c (1 - c) for the Brier score, and a Beta by its formula."""
    shown = instrument.beliefs(Y, PAIR, {"log": LOG, "Brier": BRIER, "mine": pwu.Beta(3, 30)})
    c = drawing.GRID[::2]
    assert drawing.heights(shown.view(0).hill) == pytest.approx(np.ones(c.size))
    assert drawing.heights(shown.view(1).hill) == pytest.approx(c * (1 - c) / (c * (1 - c)).max())
    assert drawing.heights(shown.view(2).hill) == pytest.approx(drawing.heights((3.0, 30.0)), rel=1e-3)
    jump = instrument.beliefs(Y, PAIR, {"0-1": (sp.Piecewise((1, p <= 0.5), (0, True)),
                                                 sp.Piecewise((0, p <= 0.5), (1, True)))}).view(0)
    assert np.flatnonzero(jump.hill).tolist() == [np.abs(c - 0.5).argmin()]


def test_the_average_height_over_the_hill_is_the_score():
    """A PWU is the mean of the cost curve, each place counting as much as the hill below it is high."""
    for prior in (pwu.Beta(2, 10), pwu.Beta(30, 60), pwu.Uniform(0.05, 0.4)):
        shown = instrument.costs(Y, PAIR, prior=prior)
        for name, f in PAIR.items():
            height, weight = shown.curves[name][::2], drawing.heights(shown.view().hill)
            assert np.average(height, weights=weight) == pytest.approx(pwu.PWU(BINARY, prior)(Y, f), rel=0.02)


def test_point_masses_of_a_prior_are_stems_by_share():
    height = states.weight(pwu.Mixture([pwu.Dirac(0.05), pwu.Dirac(0.3)], [0.25, 0.75]))
    assert sorted(height[height > 0]) == [0.25, 0.75]


@pytest.mark.parametrize("width", range(4))
def test_the_bill_is_the_pwu_around_the_mark(width):
    shown = instrument.hill(Y, PAIR, per=1000)
    for place in range(0, len(shown.places), 9):
        c = shown.places[place]
        prior = states.around(c, list(states.WIDTHS.values())[width])
        score, view = pwu.PWU(BINARY, prior), shown.view(place, width)
        bills = {name: 1000 / c * score(Y, f) for name, f in PAIR.items()}
        for (_, words, _), (name, bill) in zip(view.bills, bills.items(), strict=True):
            said = re.fullmatch(rf"{name}: ([\d,]+) false alarms", words)[1]
            assert float(said.replace(",", "")) == pytest.approx(bill, abs=0.501)
        gap = (score.per_sample(Y, F) - score.per_sample(Y, F / 2)) * 1000 / c
        sure = abs(gap.mean()) > 1.96 * gap.std() / 20
        assert ("is cheaper" in view.words[1]) == sure
        if width:
            assert prior.a / (prior.a + prior.b) == pytest.approx(c)


def test_plates_hold_a_thousand_by_fate():
    shown = instrument.hill(Y, PAIR, plates=True)
    for place in range(0, len(shown.places), 12):
        for f, counts in zip(PAIR.values(), shown.view(place).counts, strict=True):
            acts = shown.places[place] < f
            exact = [np.mean(cases) * 1000 for cases in ((Y == 1) & acts, (Y == 1) & ~acts, (Y == 0) & acts,
                                                         (Y == 0) & ~acts)]
            assert sum(counts) == 1000 and np.abs(np.subtract(counts, exact)).max() < 1
    drawn = drawing.plate([400, 100, 300, 200])
    assert [path.count("M") for path in drawn] == [400, 100, 300, 200]
    assert len(set(re.findall(r"M\d+ \d+", "".join(drawn)))) == 1000


def test_nobody_is_cheaper_inside_the_band():
    """The band is that of paired resamples; the verdict is that of the band."""
    shown = instrument.undecided(Y, PAIR, seed=7)
    gap = np.subtract(*(np.array([pwu.PWU(BINARY, pwu.Dirac(c)).per_sample(Y, f) for c in drawing.GRID])
                        for f in (F / 2, F)))
    draw, gap = np.random.default_rng(7), gap[:, np.lexsort([F, Y])]  # in an order of their own
    draws = [gap[:, draw.integers(0, 400, 400)].mean(axis=1) for _ in range(500)]
    tail = tail_of(0.95, 400)
    low, high = np.quantile(draws, [tail, 1 - tail], axis=0, method="inverted_cdf")
    found = np.where(low > 1e-12, "honest", np.where(high < -1e-12, "half", "undecided"))
    assert shown.cheaper == np.where((gap == 0).all(axis=1), "both the same", found).tolist()
    assert {"honest", "undecided"} <= set(shown.cheaper)
    same = instrument.undecided(Y, {"a": F, "b": F})
    assert set(same.cheaper) == {"both the same"}


def test_a_score_says_whom_it_prefers_and_asks():
    people = {"festival": 0.005, "gardener": 0.2}
    scores = {"Brier": BRIER, "log": LOG, "absolute": (1 - p, p), "ECE": "It does not add up."}
    shown = instrument.beliefs(Y, PAIR, scores, people=people)
    means = [np.mean((F - Y) ** 2), np.mean((F / 2 - Y) ** 2)]
    assert shown.view(0).words == [f"Brier: prefers honest, {means[0]:.4g} against {means[1]:.4g} for half.",
                                   "It weights the festival (c = 0.005) and the gardener (c = 0.2) alike."]
    assert "32.2 times as much" in shown.view(1).words[1]
    assert "no hill" in shown.view(2).words[0] and shown.view(2).hill is None
    assert "has no hill. It does not add up." in shown.view(3).words[0]
    weighted = instrument.beliefs([1, 0], {"a": [0.8, 0.2], "b": [0.4, 0.1]}, {"Brier": BRIER}, sample_weight=[3, 1])
    assert weighted.view(0).words == ["Brier: prefers a, 0.04 against 0.2725 for b."]


def test_the_refused_score_is_wrong_about_its_two_forecasts():
    """At no cost share is the preferred forecast the cheaper one: read from the words."""
    words = instrument.beliefs(Y, PAIR, {"absolute": (1 - p, p)}).view(0).words[0]
    labels, one, two = ([float(v) for v in part.split(", ")] for part in re.search(
        r"labels are ([\d., ]+), it prefers the forecasts ([\d., ]+) to ([\d., ]+), although", words).groups())
    assert np.mean(np.abs(np.subtract(labels, one))) < np.mean(np.abs(np.subtract(labels, two)))
    gap = BINARY.utility(drawing.GRID, labels, two) - BINARY.utility(drawing.GRID, labels, one)
    assert (gap >= 0).all() and (gap > 0).any()


def test_readers_rank_and_could_be_best():
    shown = instrument.readers(Y, THREE, [0.05, 0.2, 0.5], [5, 50])
    for mode, size in ((0, 1), (2, 0)):
        prior = elicitation.beta_from_mode((0.05, 0.2, 0.5)[mode], (5, 50)[size])
        losses = {name: pwu.PWU(BINARY, prior)(Y, f) for name, f in THREE.items()}
        assert shown.view(mode, size, 0).words[1] == f"Ranking: {', '.join(sorted(losses, key=losses.get))}."
        agreed = robust.Quantiles({float(prior.ppf(q)): q for q in (0.05, 0.5, 0.95)})
        best = robust.order(BINARY, agreed, Y, THREE).maximal
        assert shown.view(mode, size, 1).words[1].endswith(f"could be best {', '.join(best)}.")


def test_samples_of_labels_are_what_they_say():
    shown = instrument.labels(Y, PAIR, pwu.Beta(2, 8), sizes=[20, 200], draws=5, seed=3)
    again = np.random.default_rng(3)
    rows = {n: [again.integers(0, 400, n) for _ in range(5)] for n in (20, 200)}
    score = pwu.PWU(BINARY, pwu.Beta(2, 8))
    for place, n in enumerate((20, 200)):
        best = ["honest" if score(Y[some], F[some]) <= score(Y[some], F[some] / 2) else "half" for some in rows[n]]
        for draw, some in enumerate(rows[n]):
            view = shown.view(place, draw)
            assert view.words[0] == f"With these {n} labels {best[draw]} is cheaper."
            assert view.curves[0] == pytest.approx(-BINARY.utility(drawing.GRID, Y[some], F[some]))
        assert f"cheaper one in {best.count('honest')} of 5" in view.words[1]


STATES = {
    "hill": lambda: instrument.hill(Y, PAIR, scores={"log loss": LOG}, plates=True).after(
        "Where?", ["here", "there"], "There."),
    "beliefs": lambda: instrument.beliefs(Y, THREE, {"Brier": BRIER, "log": LOG}),
    "undecided": lambda: instrument.undecided(Y, PAIR),
    "costs": lambda: instrument.costs(Y, PAIR, prior=pwu.Beta(2, 9)),
    "readers": lambda: instrument.readers(Y, THREE, [0.1, 0.2], [5]),
    "labels": lambda: instrument.labels(Y, PAIR, pwu.Beta(2, 8), sizes=[20], draws=2)}


@pytest.mark.parametrize("name", STATES)
def test_an_element_stands_alone(name):
    """No other host, a label for each input, a text for each drawing; the same twice; the index reaches every view."""
    page, bare = STATES[name]()._repr_html_(), plain(STATES[name]()._repr_html_())
    assert page == STATES[name]()._repr_html_() and "http" not in page
    assert bare.count("<label>") == bare.count("<input") + bare.count("<select")
    assert all('aria-label="' in tag or "aria" in tag for tag in re.findall(r"<svg[^>]*role[^>]*>", bare))
    if name != "costs":
        held = data(STATES[name]())[1]
        assert len(held["index"]) == np.prod([len(words) for words in held["options"]])
        assert set(held["index"]) == set(range(len(held["views"])))
    else:
        assert "<script" not in page


def test_names_are_text_and_nothing_else():
    name = '</script><b>"'
    for shown in (instrument.hill(Y, {name: F, "b": F / 2}), instrument.beliefs(Y, {name: F, 7: F / 2}, {name: BRIER})):
        page, held = data(shown)
        assert page.count("<script") == 2 and "<b>" not in page
        assert any(name in " ".join(words) for words in held["parts"]["words"])


def test_where_scripts_are_off_a_choice_is_a_row_of_figures():
    page = plain(STATES["beliefs"]()._repr_html_())
    assert page.count("<figcaption>") == 2 and page.count('<svg class="slim"') == 3


def test_figures_without_scripts_have_the_same_lines_and_few_strokes():
    moved = instrument.hill(Y, PAIR).through({"costs": 9.0}, {"costs": 1.0})
    for shown in (STATES["beliefs"](), moved):
        alive, _, still = shown._repr_html_().partition('class="steps"')
        lines = re.findall(r'class="line line\d" d="[^"]*"', alive)
        for figure in re.findall(r"<figure><svg.*?</figure>", still, re.S):
            assert all(line in lines for line in re.findall(r'class="line line\d" d="[^"]*"', figure))
            assert figure.count('class="saved') <= 24 and "<use" not in figure  # a use takes no style from above it


def test_what_the_script_is_given_is_each_view_whole():
    """What views share is said once; curves are steps from point to point, to a five-thousandth of the height."""
    for name in ("labels", "hill", "beliefs"):
        shown = STATES[name]()
        held, views = data(shown)[1], shown.views()[0]
        every = [*shown.curves.values(), *(curve for view in views for curve in view.curves or ())]
        step = 1.04 * np.max(every) / held["top"]
        for values in held["parts"].values():
            assert len({json.dumps(value) for value in values}) == len(values)
        for row, view in zip(held["views"], views, strict=True):
            given = {key: values[k] for (key, values), k in zip(held["parts"].items(), row, strict=True) if k >= 0}
            if view.curves is not None:
                curves = step * np.cumsum(given.pop("curves"), axis=1)
                np.testing.assert_allclose(curves, view.curves, rtol=5e-3, atol=step)
            whole = view.as_data()
            whole.pop("curves", None)
            assert given == json.loads(json.dumps(whole))


def test_a_view_has_the_state_of_its_controls():
    shown = STATES["hill"]()
    views, index = shown.views()
    sizes = [len(control.options) for control in shown.controls]
    for setting in ((3, 0, 0), (5, 2, 0), (7, 1, 1)):
        view = views[index[np.ravel_multi_index(setting, sizes)]]
        assert view.as_data() == shown.view(*setting).as_data()
    assert len(views) < len(index)  # another hill than one's own has no place


@pytest.mark.parametrize(("make", "words"), [
    (lambda: instrument.hill(Y, {"a": F}), "two models"), (lambda: instrument.undecided(Y, THREE), "two models"),
    (lambda: instrument.labels(Y, THREE, pwu.Beta(2, 8), sizes=[20]), "two models"),
    (lambda: instrument.beliefs(Y, {"a": F}, {"b": BRIER}), "compares models"),
    (lambda: instrument.beliefs(Y, PAIR, {"k": (sp.Symbol("k") * BRIER[0], BRIER[1])}), "put numbers"),
    (lambda: instrument.costs(Y, {str(k): F for k in range(7)}), "one to six"),
    (lambda: instrument.curves({"a": [1.0, 2.0]}, title="", words=""), "161 finite"),
    (lambda: instrument.costs(Y, [F]), "mapping")])
def test_bad_input(make, words):
    with pytest.raises((ValueError, TypeError), match=words):
        make()


def test_nothing_else_draws_a_cost_curve():
    """No cell of the textbook draws costs of yes-or-no decisions over c by itself."""
    book = Path(__file__).parents[2] / "book"
    for page in sorted(book.glob("*/*.md")):
        if page.parent.name in ("record", "teaching", "imprecise"):
            continue
        for cell in re.findall(r"```\{code-cell\} ipython3\n(.*?)```", page.read_text(encoding="utf-8"), re.S):
            drawn = re.search(r"(plots\.curves|ax\.plot)\(.*COST_SHARE", cell, re.S)
            assert not (drawn and "cost" in cell[drawn.start():].partition("ylabel")[2][:30]), f"{page}: {cell[:400]}"


def test_a_text_that_passes_sets_the_controls():
    """Stages are places of the controls, numbers go to the nearest one, and without scripts each is a picture."""
    shown = instrument.hill(Y, PAIR, start=49, ratios=[49, 9, 1]).through(
        {"costs": "9"}, {"costs": 48.0}, {"unsure": "much"})
    costs, unsure = (control.options for control in shown.controls)
    assert [costs[stage[0]] for stage in shown.stages] == ["9", "49", "49"]
    assert [unsure[stage[1]] for stage in shown.stages] == ["not at all", "not at all", "much"]
    page, held = data(shown)
    assert held["stages"] == shown.stages
    told = re.findall(r"<figcaption>(If.*?)</figcaption>", page.split('class="steps"')[1])
    assert [words.split(":")[0] for words in told] == [
        shown.view(*stage).words[0].split(":")[0] for stage in shown.stages]
    for wrong in ({"costs": "8.5"}, {"price": "9"}, {"price": 9.0}, {"unsure": "very"}):
        with pytest.raises(ValueError, match="stage"):
            shown.through(wrong)


def test_the_same_cost_of_both_mistakes_is_said_in_words():
    shown = instrument.hill(Y, PAIR, start=1, ratios=[1])
    assert list(shown.jumps) == ["the same"]
    assert shown.view(shown.controls[0].start, 0).words[0].startswith("If both mistakes cost the same: ")
    assert shown.view(shown.controls[0].start, 2).words[0].startswith("If both mistakes cost about the same: on ave")


def test_metrics_vote_and_the_first_line_counts_those_on_your_side():
    """The count is of the metrics whose model is cheaper here; where the data cannot tell, it says so."""
    y, models = [1, 0] * 200, {"a": [0.6, 0.3] * 200, "b": [0.9, 0.7] * 200}
    votes = {"log loss": "a", "Brier score": "a", "AUROC": "b"}
    shown = instrument.hill(y, models, start=1, ratios=[1, 4], votes=votes,
                            scores={"log loss": (-sp.log(p), -sp.log(1 - p))})
    at_one, at_many = (next(k for k, c in enumerate(shown.places) if abs(c - want) < 1e-9) for want in (0.5, 0.2))
    assert shown.view(at_one, 0, 0).words[0] == "2 of 3 metrics are on your side."
    assert "a is cheaper" in " ".join(shown.view(at_one, 0, 0).words).lower()
    assert shown.view(at_many, 0, 0).words[0] == "These cases cannot tell."
    assert shown.view(at_one, 0, 1).words[0] == "What the log loss believes."
    page = shown._repr_html_()
    assert page.index('role="status"') < page.index('class="views"') and page.count('class="votes"') == 1
    with pytest.raises(ValueError, match="votes are for a or b"):
        instrument.hill(y, models, votes={"log loss": "c"})
