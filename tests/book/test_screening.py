"""The files of the clinic and of the consultant are what the code that made them makes again."""

import pandas as pd

from pwu_book.examples import eyes, screening
from pwu_desk import command
from pwu_lite.metrics import classification as metrics


def test_the_clinics_file_is_what_its_code_makes():
    pd.testing.assert_frame_equal(screening.clinic(), screening.make_clinic(), atol=1.01e-6)


def test_the_stored_forecasts_are_what_the_models_say():
    """Fitted anew: to the last digits that a processor may change; and a subset is a subset."""
    made = screening.make_forecasts()
    y, said = screening.forecasts()
    assert list(said) == list(screening.models()) and (made["ill"] == y).all()
    for name, forecast in said.items():
        assert abs(made[name] - forecast).max() < 1e-9, name
    assert list(screening.forecasts(0, ["boosting", "naive Bayes"])[1]) == ["naive Bayes", "boosting"]
    assert (screening.forecasts(1, ["naive Bayes"])[1]["naive Bayes"] != said["naive Bayes"]).any()


def test_it_is_read_without_being_told_much(capsys):
    assert command.main(["compare", str(screening.CLINIC), "--truth", "ill", "--ratio", "3:30"]) == 0
    said = capsys.readouterr().out
    assert "Left out: patient" in said and "forest" in said and "naive_bayes" in said


def test_the_consultants_file_is_what_its_process_makes():
    made = eyes.make()
    made["disease"] = made["disease"].replace("", None)
    pd.testing.assert_frame_equal(eyes.project(), made, check_dtype=False)


def test_the_consultants_file_has_its_traps(tmp_path, capsys):
    """A percent column, patients twice, outcomes missing where a model saw little risk, a fit to these outcomes."""
    file = eyes.project()
    assert file["lamp"].max() > 50 and file["patient"].nunique() == 800 < len(file)
    gone = file[file["disease"].isna()]
    assert len(gone) > 150 and (gone["reader"] < 0.1).all()
    known = file.dropna(subset=["disease"])
    y = (known["disease"] == "yes").astype(int)
    error = {name: metrics.expected_calibration_error(y, known[name]) for name in ("reader", "reader_tuned")}
    assert error["reader_tuned"] < 0.02 < error["reader"]
    known.to_csv(tmp_path / "known.csv", index=False)
    assert command.main(["compare", str(tmp_path / "known.csv"), "--truth", "disease", "--ratio", "10:40"]) == 0
    said = capsys.readouterr().out
    words = " ".join(said.split())
    assert "are these percentages" in words and "column patient is used for the groups" in words
