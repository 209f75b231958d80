"""What published scores believe: a card for each, with the evidence that the build computes.

A card is *aligned* if its score is an average cost under a prior, which is derived from a formula or compared with a
PWU; *not aligned* if two forecasts are found that no prior ranks as the score does.
"""

from __future__ import annotations

import html
import json
import re
import tomllib
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

import numpy as np
import sympy as sp
from sklearn import metrics as sk

import pwu_lite as pwu
from pwu_book import imprecise
from pwu_lite import alignment, reporting, symbolic
from pwu_lite._ranks import block_means, sorted_blocks
from pwu_lite.metrics import classification as binary
from pwu_lite.metrics import multivariate, ranking, regression

from . import machine

__all__ = ["CARDS", "SCHEMA", "Card", "Evidence", "Formula", "Refuted", "Same", "Spread", "as_html", "as_json",
           "chooser"]

ALIGNED, CONDITION, NOT = "aligned", "aligned under a condition", "not aligned"
LEVELS = (0.025, 0.1, 0.25, 0.5, 0.75, 0.9, 0.975)


def _sample(seed: int, ties: bool = False) -> dict[str, Any]:
    """Forecasts of every kind, on which each card's line of code is run; with ties, but for the eighth place."""
    rng = np.random.default_rng(seed)
    n = 80
    f = rng.uniform(0.02, 0.98, n)
    mean, std = rng.normal(0, 2, n), rng.uniform(0.3, 2, n)
    t = mean + std * rng.normal(size=n)
    members = mean[:, None] + std[:, None] * rng.normal(size=(n, 20))
    if ties:
        first = np.argsort(-f)[:8]
        f, std, t, members = (np.round(values, 1) for values in (f, std, t, members))
        f[first] += 0.01
    return {"y": (rng.random(n) < f).astype(int), "f": f, "t": t, "mean": mean, "std": std, "members": members,
            "q": np.quantile(members, LEVELS, axis=1).T, "levels": LEVELS, "n": n, "error": np.abs(t - mean),
            "T": rng.normal(size=(n, 2)), "M": np.zeros((n, 2)), "C": np.tile(np.eye(2), (n, 1, 1))}


SAMPLES = _sample(35), _sample(36, ties=True)
SAMPLE = dict(SAMPLES[0])  # the one that code is run on


def _best_thresholds(prior):
    """Cost with the best threshold at each cost share, in hindsight, averaged over the prior: the EMP as a loss."""
    y, order = SAMPLE["y"], np.argsort(SAMPLE["f"])
    ranked = SAMPLE["f"][order]
    cuts = np.concatenate([[True], np.diff(ranked) > 0, [True]])  # no threshold lies between tied forecasts
    misses = np.concatenate([[0], np.cumsum(y[order])])[cuts] / y.size
    alarms = np.concatenate([np.cumsum((1 - y[order])[::-1])[::-1], [0]])[cuts] / y.size
    shares = prior.ppf((np.arange(200_000) + 0.5) / 200_000)
    return np.mean([np.min((1 - c) * misses + c * alarms) for c in shares])


def _hits():
    """Events among the first k, for k from 1 to n; tied cases share their places."""
    order, starts = sorted_blocks(-SAMPLE["f"])
    return np.cumsum(block_means(SAMPLE["y"][order].astype(float), starts))


def _auroc_from_precisions():
    """AUROC as a straight line in the average of precisions with weights k."""
    y, n = SAMPLE["y"], SAMPLE["n"]
    events, k = y.sum(), np.arange(1, n + 1)
    average = np.sum(k * (_hits() / k))
    return (average - events * (events + 1) / 2) / (events * (n - events))


def _dcg_weights():
    """Weight of the precision of the top k, for k below n: all n have the same precision for every model."""
    k = np.arange(1, SAMPLE["n"])
    return k * (1 / np.log2(k + 1) - 1 / np.log2(k + 2))


def _dcg_prior():
    weights, n = _dcg_weights(), SAMPLE["n"]
    return pwu.Mixture([pwu.Dirac(k / n) for k in range(1, n)], weights / weights.sum())


def _kept(k):
    """Mean error of the k least uncertain cases, where tied ones share their places, and of the k least errors."""
    error, (order, starts) = SAMPLE["error"], sorted_blocks(SAMPLE["std"])
    return block_means(error[order], starts)[:k].mean(), np.sort(error)[:k].mean()


def _auc_from_retention():
    weights = [0.05] + [0.1] * 8 + [0.05]
    return sum(weight * np.subtract(*_kept(k)) for weight, k in zip(weights, range(8, 81, 8), strict=True))


def _firm(thresholds, c):
    """Weighted costs of warnings: c for a false alarm and 1 - c for a miss, at each threshold."""
    t, members = SAMPLE["t"], SAMPLE["members"]
    cost = 0.0
    for threshold, weight in thresholds:
        warned, came = (members > threshold).mean(axis=1) > c, t > threshold
        cost += weight * np.mean(np.where(came, (1 - c) * ~warned, c * warned))
    return cost


def _crps(members, t=None):
    t = SAMPLE["t"] if t is None else t
    return (np.abs(members - t[:, None]).mean() - np.abs(members[:, :, None] - members[:, None, :]).mean() / 2)


def _worst_cost(c):
    """Worst expected cost over P(event) in [0.1, 0.3] of acting if the worst case over [0.15, 0.35] says so."""
    acts = max(c * (1 - chance) for chance in (0.15, 0.35)) < max((1 - c) * chance for chance in (0.15, 0.35))
    return max(c * (1 - chance) if acts else (1 - c) * chance for chance in (0.1, 0.3))


def _constant_as_zero(score, y, f):
    """A correlation of labels and acts, 0 where one of them is constant."""
    acts = np.asarray(f) > 0.5
    return score(y, acts) if 0 < np.mean(y) < 1 and 0 < acts.mean() < 1 else 0.0


NAMES = {"pwu": pwu, "np": np, "sk": sk, "binary": binary, "regression": regression, "multivariate": multivariate,
         "ranking": ranking, "reporting": reporting, "imprecise": imprecise,
         "best_thresholds": _best_thresholds, "auroc_from_precisions": _auroc_from_precisions,
         "dcg_weights": _dcg_weights, "dcg_prior": _dcg_prior, "auc_from_retention": _auc_from_retention,
         "drop_from_retention": lambda: _kept(80)[0] - _kept(8)[0], "firm": _firm, "crps": _crps,
         "worst_cost": _worst_cost, "truth": imprecise.CredalSet.interval(0.1, 0.3),
         "forecast": imprecise.CredalSet.interval(0.15, 0.35), "defined": lambda x: 0.0 if np.isnan(x) else x,
         "correlation": lambda y, f: _constant_as_zero(sk.matthews_corrcoef, y, f),
         "kappa": lambda y, f: _constant_as_zero(sk.cohen_kappa_score, y, f),
         "ends": lambda: pwu.Mixture([pwu.Dirac(0.025), pwu.Dirac(0.975)], [0.5, 0.5]),
         "alike": lambda: pwu.Mixture([pwu.Dirac(level) for level in LEVELS], [1 / 7] * 7)}


def run(code: str) -> Any:
    """Value of a card's line of code on the sample.

    Parameters
    ----------
    code : str
        A line of this module; never a reader's.
    """
    return eval(code, {**NAMES, **SAMPLE})  # noqa: S307 -- the lines below, and no others


class Formula(NamedTuple):
    """A score of one probability by its two losses, as formulas in p: the prior is derived."""

    if_event: str
    if_none: str

    @cache  # noqa: B019 -- the cards live as long as the module
    def prior(self) -> Any:
        """The derived prior; NotAligned if there is none."""
        p = sp.Symbol("p", positive=True)
        return symbolic.binary_prior(*(sp.sympify(text, {"p": p}) for text in self), p)

    @cache  # noqa: B019
    def proof(self) -> Any:
        """The two forecasts that forbid a prior, or None."""
        try:
            self.prior()
        except symbolic.NotAligned as refusal:
            return refusal.witness
        return None

    def holds(self, card: Card) -> bool:
        """Is the formula that of the line of code, and is there a prior exactly if the card says so?"""
        p = sp.Symbol("p", positive=True)
        losses = [sp.lambdify(p, sp.sympify(text, {"p": p}), "numpy") for text in self]
        y, f = SAMPLE["y"], SAMPLE["f"]
        same = np.isclose(run(card.code), np.where(y == 1, losses[0](f), losses[1](f)).mean(), rtol=1e-9)
        try:
            self.prior()
        except symbolic.NotAligned:
            return bool(same) and card.verdict == NOT
        return bool(same) and card.verdict != NOT


class Spread(NamedTuple):
    """A score of a mean and a spread, as a formula in the squared error e and the variance v: the prior is derived."""

    loss: str

    @cache  # noqa: B019
    def prior(self) -> Any:
        """The derived prior on the price of passing; NotAligned if there is none."""
        e, v = sp.symbols("e v", positive=True)
        return symbolic.selective_prior(sp.sympify(self.loss, {"e": e, "v": v}), e, v)

    def holds(self, card: Card) -> bool:
        """Is the formula that of the line of code, and is there a prior exactly if the card says so?"""
        e, v = sp.symbols("e v", positive=True)
        loss = sp.lambdify((e, v), sp.sympify(self.loss, {"e": e, "v": v}), "numpy")
        value = np.mean(loss((SAMPLE["t"] - SAMPLE["mean"]) ** 2, SAMPLE["std"] ** 2))
        try:
            self.prior()
        except symbolic.NotAligned:
            return False
        return card.verdict != NOT and bool(np.isclose(run(card.code), value, rtol=1e-9))


class Same(NamedTuple):
    """A score that equals an average cost: the same number by a PWU, on two samples, one of them with ties."""

    cost: str
    belief: str  # the prior, as code
    axis: str = "c"

    def prior(self) -> Any:
        """The prior of the PWU."""
        return run(self.belief)

    def holds(self, card: Card) -> bool:
        """Do the line of code and the average cost give the same number, on both samples?"""
        try:
            for sample in SAMPLES:
                SAMPLE.update(sample)
                if not np.isclose(run(card.code), run(self.cost), rtol=1e-7):
                    return False
        finally:
            SAMPLE.update(SAMPLES[0])
        return card.verdict != NOT


class Refuted(NamedTuple):
    """A score that no prior explains: two forecasts that every prior ranks the other way."""

    loss: str
    family: str

    def prior(self) -> None:
        """There is none."""

    @cache  # noqa: B019
    def proof(self) -> Any:
        """The counterexample that the search finds, or None."""
        return alignment.refute(run(self.loss), run(self.family), trials=40)

    def holds(self, card: Card) -> bool:
        """Is a counterexample found, and is it one when it is computed afresh?"""
        proof = self.proof()
        if proof is None or card.verdict != NOT:
            return False
        thetas = np.linspace(0.02, 0.98, 25) if "Binary" in self.family else (
            [1, 2, 3] if "Top" in self.family or "Ret" in self.family else np.geomspace(0.01, 10, 25))
        return bool(proof.verify(run(self.loss), list(thetas)))


Evidence = Formula | Spread | Same | Refuted


class Card:
    """One published score.

    Parameters
    ----------
    key, name : str
        For links, and for people.
    forecast : str
        What is scored, such as "a probability".
    decision : str
        The decision whose costs it is compared with.
    verdict : {"aligned", "aligned under a condition", "not aligned"}
    note : str
        The condition, or what else a reader must know.
    code : str
        A line that computes it, run on `SAMPLE`.
    source, chapter : str
        Where it was published, and the label of the page of this book that says more.
    evidence : Evidence
        What the verdict rests on.
    """

    def __init__(self, key: str, name: str, forecast: str, decision: str, verdict: str, note: str, code: str,
                 source: str, chapter: str, evidence: Evidence):
        self.key, self.name, self.forecast, self.decision, self.verdict = key, name, forecast, decision, verdict
        self.note, self.code, self.source, self.chapter, self.evidence = note, code, source, chapter, evidence

    def holds(self) -> bool:
        """Is the verdict what the evidence shows?"""
        return self.evidence.holds(self)

    @cached_property
    def axis(self) -> str:
        """The parameter of the decision, a key of `machine.HALF`."""
        if self.decision == "answer or abstain":
            return "answers"
        return "lambda" if isinstance(self.evidence, Spread) else getattr(self.evidence, "axis", "c")

    @cached_property
    def shares(self) -> tuple[np.ndarray, np.ndarray] | None:
        """Places on the axis, and the share of the weight at each; None without a finite prior."""
        if self.verdict == NOT:
            return None
        if isinstance(self.evidence, Same):
            levels = (np.arange(5040) + 0.5) / 5040
            places = np.asarray(self.evidence.prior().ppf(levels), dtype=float)
            return places, np.full(len(places), 1 / len(places))
        return machine.weights(self.evidence.prior())

    @cached_property
    def belief(self) -> str:
        """Where the weight lies, in words."""
        if self.verdict == NOT:
            return _refuted(self.evidence)
        if self.shares is None:
            return machine.endless(self.evidence.prior(), self.axis)
        return machine.words(*self.shares, self.axis)

    def as_dict(self) -> dict[str, str]:
        """The card's statements, as text."""
        return {"id": self.key, "name": self.name, "forecast": self.forecast, "decision": self.decision,
                "verdict": self.verdict, "belief": self.belief, "note": self.note, "code": self.code,
                "source": self.source, "link": f"book/reference/gallery.html#score-{self.key}"}


def _refuted(evidence):
    """The counterexample, in words."""
    proof = evidence.proof()
    if proof is None:
        return "No prior makes this score."
    if len(proof.comparisons) > 1:
        return f"{len(proof.comparisons)} comparisons of two forecasts each contradict every prior."
    one = proof.comparisons[0]
    size = sum(np.size(part) for part in one.better)
    if size > 16:
        return f"Two forecasts of {len(one.y_true)} cases: it prefers the one that costs every reader as much or more."
    names = _parts(evidence)
    said = machine.listed
    better, worse = (" with ".join(f"{word} {said(part)}".strip() for word, part in zip(names[1], report, strict=True))
                     for report in (one.better, one.worse))
    return (f"With {names[0]} {said(one.y_true)} it prefers {better} to {worse}, although the first costs every "
            "reader as much or more.")


def _parts(evidence):
    """What the outcomes of a counterexample are, and the parts of its forecasts."""
    return {"Ret": ("errors", ["uncertainties"]), "Sel": ("outcomes", ["means", "spreads"])}.get(
        getattr(evidence, "family", "")[4:7], ("outcomes", [""]))


def costs_of(evidence: Formula | Refuted) -> tuple[str, np.ndarray, np.ndarray] | None:
    """The two forecasts of a counterexample by their costs: a key of `machine.HALF`, places, and a row for each.

    Parameters
    ----------
    evidence : Formula or Refuted
        Of a score that is not aligned. None if it has more than one comparison.
    """
    proof = evidence.proof()
    if proof is None or len(proof.comparisons) > 1:
        return None
    one = proof.comparisons[0]
    family = pwu.BinaryDecision() if isinstance(evidence, Formula) else run(evidence.family)
    n = len(one.y_true)
    axis, thetas, places = {
        "c": ("c", (at := (np.arange(200) + 0.5) / 200), at),
        "k/n": ("kept" if isinstance(family, pwu.Retention) else "k/n", (k := np.arange(1, n + 1)), k / n),
    }.get(family.parameters[0].name, ("lambda", (at := np.geomspace(0.01, 100, 200)), at))
    return axis, places, np.array([-np.asarray(family.utility(thetas, one.y_true, *report))
                                   for report in (one.better, one.worse)])


def counterexample(evidence: Formula | Refuted) -> str:
    """Two forecasts as a picture: what the score prefers costs every reader as much as the other one, or more.

    Parameters
    ----------
    evidence : Formula or Refuted
        As of `costs_of`.
    """
    found = costs_of(evidence)
    if found is None:
        return ""
    axis, places, costs = found
    along = np.log(places) if axis == "lambda" else places
    x = 4 + 192 * (along - along[0]) / (along[-1] - along[0])
    low, high = min(costs.min(), 0.0), max(costs.max(), 0.0)
    y = 40 - 30 * (costs - low) / (high - low)
    lines = ["L".join(f"{a:.1f} {b:.1f}" for a, b in zip(x, row, strict=True)) for row in y]
    middle = machine.ENDS[axis] + (", logarithmic" if axis == "lambda" else "")
    return ('<svg class="counterexample" viewBox="0 0 200 52" role="img" aria-label="Costs of the two forecasts: the '
            'preferred one costs every reader as much or more"><path class="floor" d="M0 40.5h200"/>'
            f'<path class="other" d="M{lines[1]}"/><path class="preferred" d="M{lines[0]}"/>'
            '<path class="preferred" d="M4 5h12"/><text x="19" y="8">preferred</text>'
            '<path class="other" d="M70 5h12"/><text x="85" y="8">costs no reader more</text>'
            f'<text x="0" y="50">{round(places[0], 2):g}</text>'
            f'<text x="100" y="50" text-anchor="middle">{middle}</text>'
            f'<text x="199" y="50" text-anchor="end">{round(places[-1], 2):g}</text></svg>')


EVIDENCE: dict[str, type[Evidence]] = {"formula": Formula, "spread": Spread, "same": Same, "refuted": Refuted}


def _read():
    """The cards of gallery.toml, in its order."""
    text = (Path(__file__).parent / "gallery.toml").read_text(encoding="utf-8")
    for key, row in tomllib.loads(text).items():
        ((kind, parts),) = ((kind, row.pop(kind)) for kind in EVIDENCE if kind in row)
        yield Card(key, evidence=EVIDENCE[kind](*parts), **row)


CARDS: tuple[Card, ...] = tuple(_read())
"""All cards, in the order of the page."""

SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "What published scores believe",
    "type": "object", "required": ["license", "scores"], "properties": {"license": {"type": "string"}, "scores": {
        "type": "array", "items": {"type": "object", "additionalProperties": False, "required": [
            "id", "name", "forecast", "decision", "verdict", "belief", "note", "code", "source", "link"],
            "properties": {name: {"type": "string"} for name in (
                "id", "name", "forecast", "decision", "belief", "note", "code", "source", "link")} | {
                "verdict": {"enum": [ALIGNED, CONDITION, NOT]}}}}}}
"""What `as_json` promises."""


def as_json() -> str:
    """All cards, as JSON by `SCHEMA`."""
    return json.dumps({"license": "CC BY 4.0", "scores": [card.as_dict() for card in CARDS]}, indent=1,
                      ensure_ascii=False) + "\n"


def chooser(items: str, noun: str, choices: dict[str, tuple[str, list[str]]], *, ordered: bool = False) -> str:
    """A form that shows those items of a page that fit; the site's script does the work.

    Parameters
    ----------
    items : str
        CSS selector of the items. Each has a ``data-`` attribute for every choice.
    noun : str
        What the items are, in the plural.
    choices : dict of str to (str, list of str)
        For each attribute its label and the values of all items.
    ordered : bool
        Offer an order by name, too; items then have an ``h3``.

    Examples
    --------
    >>> 'data-items=".row"' in chooser(".row", "rows", {"kind": ("Kind", ["a", "b", "a"])})
    True
    """
    fields = ['<label>Words <input type="search" name="text" autocomplete="off"></label>']
    for name, (label, values) in choices.items():
        options = "".join(f"<option>{html.escape(value)}</option>" for value in dict.fromkeys(values))
        fields.append(f'<label>{label} <select name="{name}"><option value="">all</option>{options}</select></label>')
    if ordered:
        fields.append('<label>Order <select name="order"><option value="">by kind</option>'
                      '<option>by name</option></select></label>')
    return (f'<form class="filter" role="search" data-items="{html.escape(items)}" data-noun="{noun}">'
            f'{" ".join(fields)} <output></output></form>')


def picture_of(card: Card) -> str:
    """The weight of a card's score as bars; if it has none, the two forecasts that forbid it.

    Parameters
    ----------
    card : Card
    """
    if card.verdict == NOT:
        return counterexample(card.evidence) if isinstance(card.evidence, Formula | Refuted) else ""
    prior = card.evidence.prior() if card.shares is None else None
    return machine.picture(machine.heights(card.shares, card.axis, prior), card.axis, cut=prior is not None)


def _formulas(card):
    """The losses and the density as formulas, where they are short."""
    if not isinstance(card.evidence, Formula | Spread):
        return ""
    symbols = {name: sp.Symbol("f" if name == "p" else name, positive=True) for name in "pev"}
    names = (r"\ell_1", r"\ell_0") if isinstance(card.evidence, Formula) else (r"\ell",)
    said = [f"{name} = {sp.latex(sp.sympify(text, symbols))}" for name, text in zip(names, card.evidence, strict=True)]
    said = said if max(map(len, said)) <= 70 and "cases" not in "".join(said) else []
    if card.verdict != NOT and card.evidence.prior().density != 0:
        axis, prior = r"\lambda" if isinstance(card.evidence, Spread) else "c", card.evidence.prior()
        density = sp.latex(prior.density.subs(prior.symbol, sp.Symbol(axis, positive=True)))
        same = r"\propto" if isinstance(card.evidence, Spread) else "="  # the one is exact, the other up to a factor
        said += [rf"\pi({axis}) {same} {density}"] if len(density) <= 60 and "cases" not in density else []
    return "".join(rf'<p><span class="math">\({words}\)</span></p>' for words in said)


def _open(card):
    """A link that opens a card's formula in the prior machine."""
    if not isinstance(card.evidence, Formula | Spread):
        return ""
    names = ("one", "zero") if isinstance(card.evidence, Formula) else ("loss",)
    given = urlencode(dict(zip(names, card.evidence, strict=True)))
    return f' · <a href="machine.html#{html.escape(given)}">Open in the machine</a>'


def as_html(pages: dict[str, str]) -> str:
    """All cards and their filter, and the same as JSON for the site's scores.json.

    Parameters
    ----------
    pages : dict of str to str
        Address of the page that each card's `chapter` stands for.

    Raises
    ------
    ValueError
        A card's verdict is not what its evidence shows.
    """
    wrong = [card.key for card in CARDS if not card.holds()]
    if wrong:
        raise ValueError(f"the evidence does not show the verdict of {', '.join(wrong)}")
    cards = []
    for card in CARDS:
        text = {name: html.escape(value) for name, value in card.as_dict().items()}
        set_ = _formulas(card)
        if r"\pi" in set_:  # said once
            text["note"] = re.sub(r"The density is [^.:,]*\.\s*", "", text["note"])
        cards.append(
            f'<article class="score-card" id="score-{card.key}" data-forecast="{text["forecast"]}" '
            f'data-verdict="{text["verdict"]}"><h3>{text["name"]}'
            f'<a class="headerlink" href="#score-{card.key}" title="Link to this card">#</a></h3>'
            f'<p class="score-verdict">{text["verdict"]} <span>({text["forecast"]}; {text["decision"]})</span></p>'
            f'{picture_of(card)}{set_}<p>{text["belief"]} {text["note"]}</p><code>{text["code"]}</code>'
            f'<p class="score-source">{text["source"]}. <a href="{pages[card.chapter]}">More</a>{_open(card)}</p>'
            "</article>")
    data = as_json().replace("</", "<\\/")
    choices = {"forecast": ("Scored is", [card.forecast for card in CARDS]),
               "verdict": ("Verdict", [card.verdict for card in CARDS])}
    return (chooser(".score-card", "cards", choices, ordered=True) + f'<div class="score-cards">{"".join(cards)}</div>'
            f'<script type="application/json" id="scores">{data}</script>')
