"""The class as a prior: who is served, by the room, by its mean and by oneself."""

import json

import numpy as np
import pytest

from pwu_book import room
from pwu_book.examples import mushrooms

HIKERS = {f"hiker {k}": 5 for k in range(1, 10)} | {"the cook": 200}


def by_hand(ratio, name):
    """Meals lost per thousand, counted: a wasted meal costs one, a poisoned one the ratio."""
    part = mushrooms.split(mushrooms.mushrooms(), seed=0)
    away = part.bill[name] > 1 / (1 + ratio)
    lost = np.where(away, part.y_bill == 0, ratio * (part.y_bill == 1))
    return 1000 * lost.mean()


def test_each_person_pays_what_a_count_says():
    table = room.Room({"Ana": 2, "Ben": 13.5, "Cleo": 200}).table
    for name in mushrooms.INSTRUMENTS:
        assert table[name].tolist() == pytest.approx([by_hand(ratio, name) for ratio in (2, 13.5, 200)], rel=1e-12)


def test_the_rooms_score_is_the_average_bill():
    people = room.Room({"Ana": 2, "Ben": 13.5, "Cleo": 200, "Dan": 49})
    part = mushrooms.split(mushrooms.mushrooms(), seed=0)
    units = 1000 * (1 + people.table["ratio"]).mean()
    for name, f in part.bill.items():
        assert people.score(part.y_bill, f) * units == pytest.approx(people.table[name].mean(), rel=1e-12)


def test_the_mean_may_choose_against_nearly_everybody():
    said = room.Room(HIKERS).sentences
    assert said[1] == "The nose costs less for 9 of them, the eye for 1."
    assert said[2].startswith("At the mean ratio the eye costs less. Averaged over the room the nose costs less: ")
    harm = by_hand(5, "the eye") - by_hand(5, "the nose")
    assert said[3] == (f"Giving the eye to everybody, as the mean says, harms 9 people, most of all hiker 1, who pays "
                       f"{harm:,.0f} meals more.")
    assert room.Room({"Ana": 300, "Ben": 80}).sentences[3] == (
        "Giving the eye to everybody, as the mean says, harms nobody here.")


def test_files_are_read_by_person_and_what_is_no_ratio_is_named():
    found = room.read({"Zoë.ratio.txt": " 9,5\n", "b.txt": "1e3", "c.txt": "", "d.txt": "-1", "e.txt": "nan",
                       "f.txt": "1,000,000", "g.txt": "9 to 1", "h.txt": "1.000", "i.txt": "2000000",
                       "b.ratio.txt": "4"})
    assert dict(found.table["ratio"]) == {"b": 4.0, "Zoë": 9.5}
    assert [line.split(" is left out")[0] for line in found.left_out] == [
        "b.txt", "c.txt", "d.txt", "e.txt", "f.txt", "g.txt", "h.txt", "i.txt"]
    assert "there is another file of b" in found.left_out[0] and "'9 to 1' is not a number" in found.left_out[5]
    assert "'1.000' may be thousands or decimals" in found.left_out[6] and "to 1,000,000." in found.left_out[7]
    with pytest.raises(ValueError, match=r"nobody has stated a ratio c.txt is left out: '' is not a number"):
        room.read({"c.txt": ""})
    with pytest.raises(ValueError, match="the ratio of Ana must be positive"):
        room.Room({"Ana": 0})


def test_order_of_files_changes_nothing(tmp_path):
    texts = {f"{name}.ratio.txt": str(ratio) for name, ratio in HIKERS.items()}
    there = room.read(texts)
    back = room.read(dict(reversed(texts.items())))
    assert there.sentences == back.sentences and there.table.equals(back.table)
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8-sig")
    assert room.read_folder(tmp_path).sentences == there.sentences
    assert room.tell(json.dumps(texts)).sentences == there.sentences


def test_names_are_text_and_not_markup():
    shown = room.read({"<b>x.txt": "7", "<i>y.txt": "no"})._repr_html_()
    assert "<b>" not in shown and "<i>" not in shown and "&lt;b&gt;x" in shown
