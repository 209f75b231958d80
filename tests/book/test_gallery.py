"""The gallery: each card's verdict is what its evidence shows, and a card with another verdict is refused."""

import json
import re
from pathlib import Path

import jsonschema
import numpy as np
import pytest

from pwu_book import gallery

BOOK = Path(__file__).parents[2] / "book"
KEYS = [card.key for card in gallery.CARDS]
BY_KEY = dict(zip(KEYS, gallery.CARDS, strict=True))


def changed(card, **fields):
    """The same card with other statements."""
    words = ("name", "forecast", "decision", "verdict", "note", "code", "source", "chapter", "evidence")
    return gallery.Card(card.key, **({word: getattr(card, word) for word in words} | fields))


@pytest.mark.slow
@pytest.mark.parametrize("key", KEYS)
def test_the_evidence_shows_the_verdict_and_no_other(key):
    card = BY_KEY[key]
    assert card.holds()
    other = "aligned" if card.verdict == "not aligned" else "not aligned"
    assert not changed(card, verdict=other).holds()


@pytest.mark.parametrize("key, prior, other", [
    ("net-benefit", "0.2", "0.3"), ("pinball", "0.9", "0.8"), ("wis", "alike()", "ends()"),
    ("crps", "Uniform(0, 1)", "Beta(2, 1)"), ("twcrps", "Uniform(1, 3)", "Uniform(1, 4)"),
    ("firm", "[2/3, 1/3]", "[1/2, 1/2]"), ("dcg", "dcg_prior()", "pwu.Uniform(0, 1)"),
    ("precision-at-k", "8 / n", "9 / n")])
def test_another_belief_is_another_score(key, prior, other):
    card = BY_KEY[key]
    if "PWU" in card.code:
        assert prior in card.code and not changed(card, code=card.code.replace(prior, other)).holds()
    else:
        cost = card.evidence.cost
        assert prior in cost and not changed(card, evidence=card.evidence._replace(
            cost=cost.replace(prior, other))).holds()


@pytest.mark.parametrize("key, words", [
    ("brier", "a quarter of it a miss costs more than 3 false alarms"),
    ("bas-clipped", "a wrong answer costs more than 99 right ones"),
    ("accuracy", "a miss costs as much as a false alarm"),
    ("auroc-top-k", "at least 71% of the cases"), ("nll-clamped", "more than 0.5 for passing"),
    ("log-loss", "infinite near c = 0"), ("net-benefit", "a miss costs 4 times as much as a false alarm"),
    ("pinball", "a missing unit costs 9 times as much"), ("focal", "it prefers (0.5, 0.5, 0.5) to"),
    ("ece", "it prefers")])
def test_where_half_of_the_weight_lies(key, words):
    assert words in BY_KEY[key].belief


def test_the_file_keeps_to_its_schema_and_its_chapters_exist():
    data = json.loads(gallery.as_json())
    jsonschema.validate(data, gallery.SCHEMA)
    assert [row["id"] for row in data["scores"]] == KEYS and len(set(KEYS)) == len(KEYS)
    labels = set(re.findall(r"^\(([\w-]+)\)=$", "".join(path.read_text() for path in BOOK.rglob("*.md")), re.M))
    assert {card.chapter for card in gallery.CARDS} <= labels


def test_a_wrong_card_stops_the_page(monkeypatch):
    card = changed(BY_KEY["ece"], verdict="aligned")
    monkeypatch.setattr(gallery, "CARDS", (card,))
    with pytest.raises(ValueError, match="does not show the verdict of ece"):
        gallery.as_html({card.chapter: ""})


def test_a_score_without_a_prior_shows_two_forecasts_of_which_it_prefers_the_costlier():
    """At no place is the preferred line below the other, and somewhere it is above; most such cards draw it."""
    cards = [card for card in gallery.CARDS if card.verdict == gallery.NOT and gallery.picture_of(card)]
    assert len(cards) > 14 and all("it prefers" in card.belief for card in cards)
    for card in cards:
        axis, places, (better, worse) = gallery.costs_of(card.evidence)
        assert (np.diff(places) > 0).all() and (better >= worse - 1e-12).all(), card.key
        assert (better > worse + 1e-12).any() or "as much" in card.belief, card.key
        drawn = gallery.picture_of(card)
        ends = [[float(v.split()[1]) for v in re.search(rf'class="{kind}" d="M([^"h]+)"', drawn)[1].split("L")]
                for kind in ("preferred", "other")]
        assert (np.array(ends[0]) <= np.array(ends[1]) + 0.06).all(), card.key  # higher on the page


def test_short_formulas_stand_on_the_cards():
    assert r"\pi(c) = \frac{1}{c \left(1 - c\right)}" in gallery._formulas(BY_KEY["log-loss"])
    assert r"\ell_1 = \left(1 - f\right)^{2}" in gallery._formulas(BY_KEY["brier"])
    assert gallery._formulas(BY_KEY["brier-rounded"]) == "" == gallery._formulas(BY_KEY["ece"])
