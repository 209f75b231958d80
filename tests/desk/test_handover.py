"""What goes to a person: the threshold, the share and the bill, by hand and as the score counts them."""

import numpy as np
import pytest

import pwu_desk
import pwu_lite as pwu

RNG = np.random.default_rng(6)
SURE = RNG.beta(5, 2, 500)
RIGHT = (RNG.random(500) < SURE).astype(int)
ONES = np.ones(500)


@pytest.mark.parametrize("price", [0.05, 0.2, 0.5, 0.93])
def test_answers_by_hand_and_by_the_score(price):
    found = pwu_desk.hand_over(pwu.Answers(), price, ONES, RIGHT, SURE)
    handed = SURE <= 1 - price
    assert found.share == pytest.approx(handed.mean())
    assert found.bill == pytest.approx(np.where(handed, price, 1 - RIGHT).mean())
    assert found.bill == pytest.approx(pwu.PWU(pwu.Answers(), 1 - price)(ONES, RIGHT, SURE))
    assert (found.never, found.always) == (pytest.approx(1 - RIGHT.mean()), price)


def test_classes_by_hand_with_ties():
    y = [0, 1, 2, 1]
    f = [[0.9, 0.05, 0.05], [0.5, 0.5, 0], [0.2, 0.2, 0.6], [0.8, 0.1, 0.1]]
    found = pwu_desk.hand_over(pwu.RejectOption(3), 0.3, y, f)
    # Answers: the first (right) and the last (wrong); the second and the third, whose largest are 0.5 and 0.6, go.
    assert (found.threshold, found.share) == (0.7, 0.5)
    assert found.bill == pytest.approx((0 + 0.3 + 0.3 + 1) / 4)
    assert found.never == pytest.approx((0 + 0.5 + 0 + 1) / 4)  # half of a tie is right
    tied = pwu_desk.hand_over(pwu.RejectOption(3), 0.5, y, f)
    assert tied.share == pytest.approx((1 / 3) / 4)  # a third of the tie, of two answers and the hand-over
    assert tied.bill == pytest.approx(pwu.PWU(pwu.RejectOption(3), 0.5)(y, f))


def test_no_threshold_is_cheaper_than_that_of_the_price_if_the_confidence_is_calibrated():
    levels = np.repeat(np.arange(1, 20) / 20, 20)  # in each group exactly as many are right as the confidence says
    right = np.concatenate([np.arange(20) < round(20 * level) for level in np.arange(1, 20) / 20]).astype(int)
    for price in (0.1, 0.33, 0.6):
        found = pwu_desk.hand_over(pwu.Answers(), price, np.ones(380), right, levels)
        others = [np.where(levels <= at, price, 1 - right).mean() for at in np.linspace(0, 1, 101)]
        assert found.bill <= min(others) + 1e-12


def test_the_sentence_and_what_is_refused():
    found = pwu_desk.hand_over(pwu.Answers(), 0.2, [1] * 4, [1, 1, 0, 1], [0.9, 0.95, 0.6, 0.7])
    assert str(found) == ("Hand over where the confidence is at most 80%: 50% of the cases. The bill is 0.1 per "
                          "case, 0.25 if it never hands over and 0.2 if it always does.")
    small = pwu_desk.hand_over(pwu.Answers(), 0.0025, ONES, RIGHT, SURE)
    assert "at most 99.75%: " in str(small) and f"The bill is {small.bill:.3g} per case" in str(small)
    for cents in range(1, 100):  # a confidence that is the threshold, as decimals are written
        tied = pwu_desk.hand_over(pwu.Answers(), cents / 100, [1], [0], [float(f"{1 - cents / 100:.2f}")])
        assert (tied.share, tied.bill) == (1, pytest.approx(cents / 100))
    with pytest.raises(ValueError, match="need what was answered and the confidence"):
        pwu_desk.hand_over(pwu.Answers(), 0.2, RIGHT, SURE)
    for price in (0, 1, -0.1, np.nan):
        with pytest.raises(ValueError, match="price"):
            pwu_desk.hand_over(pwu.Answers(), price, ONES, RIGHT, SURE)
    with pytest.raises(ValueError, match=r"family must be Answers\(\) or RejectOption\(K\), got BinaryDecision"):
        pwu_desk.hand_over(pwu.BinaryDecision(), 0.2, RIGHT, SURE)
    with pytest.raises(ValueError, match="confidence"):
        pwu_desk.hand_over(pwu.Answers(), 0.2, ONES, RIGHT, SURE * 2)


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64])
def test_confidences_of_32_bits_are_their_decimals(kind):
    """A tenth to nine tenths, and a price that makes each of them the threshold."""
    sure = np.arange(1, 10) / 10
    right = np.array([0, 0, 1, 0, 1, 1, 0, 1, 1])
    for price in (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9):
        found = pwu_desk.hand_over(pwu.Answers(), price, np.ones(9), right, sure.astype(kind))
        assert found.share == pytest.approx(round(10 * (1 - price)) / 9)
