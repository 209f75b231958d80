"""The clinic's file is what the code that made it makes again."""

import pandas as pd

from pwu_book.examples import screening


def test_the_clinics_file_is_what_its_code_makes():
    pd.testing.assert_frame_equal(screening.clinic(), screening.make_clinic(), atol=1.01e-6)


def test_it_is_read_without_being_told_much(tmp_path, capsys):
    from pwu_lite.app import command

    assert command.main(["compare", str(screening.CLINIC), "--truth", "ill", "--ratio", "3:30"]) == 0
    said = capsys.readouterr().out
    assert "Left out: patient" in said and "forest" in said and "naive_bayes" in said
