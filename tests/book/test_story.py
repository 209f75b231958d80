"""The clinic's story is told from its numbers."""

import re
from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold

import pwu_lite as pwu
from pwu_book.examples import screening, story

BOOK = Path(__file__).parents[2] / "book"
CLINIC = screening.clinic()


@pytest.mark.parametrize("who", story.RATIOS)
def test_a_bill_is_the_mean_of_cost_over_c(who):
    """In appointments, by quadrature of the curve: and not a fixed number of times the mean cost."""
    prior = story.score(who).priors[0]

    def extra(c):
        own, offered = (-pwu.BinaryDecision().utility(c, CLINIC["ill"], CLINIC[name])
                        for name in (story.OWNED, story.OFFERED))
        return (own - offered) / c * prior.pdf(c)

    places = np.linspace(*prior.ppf([1e-9, 1 - 1e-9]), 200_001)
    middle = (places[1:] + places[:-1]) / 2
    whole = float(np.dot(extra(middle), np.diff(places)))
    found = story.bill(who)
    assert found.more == pytest.approx(whole, rel=1e-4)
    assert found.low < found.more < found.high and found.share == pytest.approx(
        story.score(who)(CLINIC["ill"], CLINIC[story.OWNED]) / story.score(who)(
            CLINIC["ill"], CLINIC[story.OFFERED]) - 1)


def test_the_interval_is_that_of_a_comparison():
    chosen, factor = story.appointments("Amara")
    row = pwu.compare(CLINIC["ill"], CLINIC[[story.OFFERED, story.OWNED]], chosen, interval="normal").table.loc[
        story.OWNED]
    found = story.bill("Amara")
    assert (found.low, found.high) == pytest.approx((factor * row["difference low"], factor * row["difference high"]),
                                                    rel=0.02)


def test_amara_was_right_to_sign_and_rui_to_object_and_then_neither():
    before = {who: story.bill(who).more for who in ("Amara", "Rui")}
    after = {who: story.bill(who, after=True).more for who in ("Amara", "Rui")}
    assert before["Amara"] > 2 * story.FEE and before["Rui"] < story.FEE / 3
    assert all(0 < cost < story.FEE for cost in after.values())


@pytest.mark.parametrize("who, verdict", [("Amara", "costlier"), ("Rui", "not separable")])
def test_of_the_two_models_alone_one_person_sees_a_difference(who, verdict):
    """The physician and the budget holder of chapter 11's exercise have their sentences."""
    pair = pwu.compare(CLINIC["ill"], CLINIC[[story.OFFERED, story.OWNED]], story.score(who)).table
    assert pair.loc[story.OWNED, "verdict"] == verdict


@pytest.mark.parametrize("penalty", [1e6, 1.0])
@pytest.mark.parametrize("folds", [2, 10])
def test_the_turn_does_not_hang_on_how_the_curve_was_fitted(penalty, folds):
    """Half of the patients or nine tenths, with or without a penalty, in an order of their own."""
    y, found = CLINIC["ill"].to_numpy(), {}
    for name in (story.OWNED, story.OFFERED):
        f = np.clip(CLINIC[name].to_numpy(), 1e-6, 1 - 1e-6)
        odds, again = np.log(f / (1 - f))[:, None], np.empty(len(f))
        for fit, use in KFold(folds, shuffle=True, random_state=99).split(odds):
            again[use] = LogisticRegression(C=penalty).fit(odds[fit], y[fit]).predict_proba(odds[use])[:, 1]
        found[name] = again
    for who in ("Amara", "Rui"):
        chosen, factor = story.appointments(who)
        assert factor * (chosen(y, found[story.OWNED]) - chosen(y, found[story.OFFERED])) < story.FEE


def test_the_margin_of_the_log_loss_is_that_of_all_readers():
    """Above 1/4, by a sum over the log odds of c, of which the log loss gives each place the same weight."""
    odds = np.linspace(-14, 14, 40_001)
    c = 1 / (1 + np.exp(-odds))
    own, offered = (-pwu.BinaryDecision().utility(c, CLINIC["ill"], CLINIC[name].clip(1e-6, 1 - 1e-6))
                    for name in (story.OWNED, story.OFFERED))
    gap = own - offered
    assert story.margin_above(1 / 4) == pytest.approx(gap[c > 1 / 4].sum() / gap.sum(), abs=2e-3)


def remarks():
    for page in sorted(BOOK.rglob("*.md")):
        text = page.read_text()
        if "## Back at the clinic" in text:
            yield page.stem, re.split(r"\n## ", text.split("## Back at the clinic")[1])[0]


def test_each_remark_names_its_model_and_computes_what_it_says():
    found = dict(remarks())
    assert len(found) >= 15 and {"good_score", "worth", "reporting", "watching"} <= set(found)
    for page, text in found.items():
        words = text.split("```")[0]
        assert "assert" in text or not re.search(r"\{glue", words), page
        for vague in ("its model", "our own model costs", "so no file"):
            assert vague not in words or "naive Bayes" in words, (page, vague)
        if re.search(r"calls|called|leaves|phones", words) and "{glue" in words:
            assert re.search(r"naive Bayes|logistic regression", words), page


def test_the_story_has_one_owner_of_each_sentence_and_an_end():
    monday = (BOOK / "end" / "monday.md").read_text()
    assert "they end the contract" in monday and "Amara" in monday and "Rui" in monday
    for page in BOOK.rglob("*.md"):
        text = page.read_text()
        assert "two physicians said" not in text and "second physician" not in text, page
