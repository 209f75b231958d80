"""The clinic's story is told from its numbers."""

import re
from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold

import pwu_lite as pwu
from pwu_book.examples import screening, story
from pwu_desk import Watch

BOOK = Path(__file__).parents[2] / "book"
CLINIC = screening.clinic()
STATIONS = {"good_score", "decisions", "binary_priors", "building", "choosing", "reporting", "worth", "watching"}


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
    assert set(found) == STATIONS  # and the clinic decides on Monday
    for page, text in found.items():
        words = text.split("```")[0]
        assert "assert" in text or not re.search(r"\{glue", words), page
        for vague in ("its model", "our own model costs", "so no file"):
            assert vague not in words or "naive Bayes" in words, (page, vague)
        if re.search(r"calls|called|leaves|phones", words) and "{glue" in words:
            assert re.search(r"naive Bayes|logistic regression", words), page


def test_recalibrated_naive_bayes_is_what_the_watch_sees():
    """Not as it is, and under the sentence of both: so that no model is named."""
    text = dict(remarks())["watching"]
    assert text.lstrip().startswith("Recalibrated naive Bayes") and "their joint sentence" in text
    joint = story.score("both")
    own, offered = story.losses(joint, story.OWNED, after=True), story.losses(joint, story.OFFERED)
    assert Watch().update(offered, own).cheaper is None and len(own) == 442
    as_it_was = story.losses(joint, story.OWNED)
    assert abs(as_it_was.mean() - own.mean()) > 0.004


def test_two_thirds_of_the_margin_come_from_people_whom_the_clinic_has_hardly():
    """The printed 76% is above a cost share of 1/4; and that is not said of ratios of 15 or 100."""
    text = dict(remarks())["binary_priors"].split("```")[0]
    assert "nobody in the clinic" not in text and "less than three appointments" in text
    assert 0.75 < story.margin_above(1 / 4) < 0.77
    assert all(float(story.score(who).priors[0].ppf(0.949)) < 1 / 4 for who in story.RATIOS)


def test_the_two_percentages_of_the_first_score_are_of_their_own_totals():
    told = story.log_losses()
    assert round(story.bill("both").share, 2) == 0.13
    assert round(told[story.OWNED] / told[story.OFFERED] - 1, 2) == 0.69
    assert "twice" not in dict(remarks())["building"]


def test_what_a_file_shows_depends_on_who_asks_and_in_which_unit():
    """In units of a miss and an alarm together the joint sentence shows nothing; in appointments it does."""
    pair = pwu.compare(CLINIC["ill"], CLINIC[[story.OFFERED, story.OWNED]], story.score("both")).table
    assert pair.loc[story.OWNED, "verdict"] == "not separable" and story.bill("both").seen
    assert [story.bill(who).seen for who in ("Amara", "Rui")] == [True, False]


def test_another_curve_leaves_the_fee_above_the_mean_bill():
    """Isotonic regression repairs less; its bill for Amara is near the fee, and above it in some divisions."""
    hers = story.by_split("Amara", isotonic=True)
    assert 0.08 < hers.mean() < story.FEE < hers.max() and story.by_split("Rui", isotonic=True).max() < story.FEE


def test_whoever_says_three_to_thirty_is_named():
    """On the road the sentence belongs to Amara and Rui together; no other paragraph states it as somebody's."""
    for page in sorted(BOOK.rglob("*.md")):
        if page.parent.name in ("teaching", "record", "reference"):
            continue
        prose = re.sub(r"^```\{code-cell\}.*?^```$", "", page.read_text(), flags=re.S | re.M)
        for line in prose.split("\n"):
            said = re.search(r"\$3\$ to \$30\$|three to thirty|between three and thirty", line)
            if said and page.stem in STATIONS | {"readers", "monday"}:
                assert "Amara and Rui" in line or "Their" in line or "their joint sentence" in line, (page.stem, line)


def test_the_story_has_one_owner_of_each_sentence_and_an_end():
    monday = (BOOK / "end" / "monday.md").read_text()
    assert "they end the contract" in monday and "Amara" in monday and "Rui" in monday
    for page in BOOK.rglob("*.md"):
        text = page.read_text()
        assert "two physicians said" not in text and "second physician" not in text, page
