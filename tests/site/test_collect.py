"""A folder of hand-ins becomes nbgrader's folders and a summary: right, wrong, endless, empty, twice, foreign."""

import json
import os
import signal

import pytest

from tools.kit import collect, exercises

NAME = "01_good_score"
CELLS = exercises.read(exercises.files(collect.ROOT)[0])


def hand_in(folder, student, change=lambda source: source, file=None, name=NAME):
    """A file as the page saves it, with the solution filled in and changed."""
    made = exercises.release(CELLS, name)
    solved = [cell for cell in exercises.for_nbgrader(CELLS).cells]
    for cell, full in zip(made.cells, solved, strict=True):
        if "BEGIN SOLUTION" in full.source:
            cell.source = change(full.source)
    made.metadata["student"] = student
    path = folder / (file or f"{student.lower().replace(' ', '-')}_{name}.ipynb")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(made))
    return path


def test_a_class_is_sorted_and_summed_up(tmp_path, capsys):
    hand_in(tmp_path, "Ann Lee")
    early = hand_in(tmp_path, "Ben", lambda source: "def bill(*given):\n    return 0", file="mail/early.ipynb")
    os.utime(early, (1, 1))
    hand_in(tmp_path, "Ben")
    hand_in(tmp_path, "Cem", lambda source: "import os\nos._exit(0)")
    hand_in(tmp_path, "Dora", lambda source: exercises.GIVEN.sub(rf"\1{exercises.BLANK}", source))
    hand_in(tmp_path, "Émile", lambda source: "import sys\nsys.exit(0)")
    (tmp_path / "notes.ipynb").write_text("not a notebook")
    (tmp_path / "other.ipynb").write_text('{"metadata": {}, "cells": []}')
    hand_in(tmp_path, "", file="nameless.ipynb")
    hand_in(tmp_path, "", file="Fay/from-the-folder.ipynb")
    assert collect.main(tmp_path) == 1
    said = capsys.readouterr()
    placed = sorted(path.relative_to(tmp_path / "submitted").as_posix() for path in tmp_path.glob("submitted/*/*/*"))
    students = ("Fay", "ann-lee", "ben", "cem", "dora", "nameless", "émile")
    assert placed == [f"{student}/{NAME}/{NAME}.ipynb" for student in students]
    assert "BEGIN SOLUTION" in (tmp_path / f"submitted/ben/{NAME}/{NAME}.ipynb").read_text()  # the later one
    lines = said.out.splitlines()
    assert lines[0] == f"ben, {NAME}: {early.with_name(f'ben_{NAME}.ipynb').name} takes the place of early.ipynb"
    assert lines[1] == f"{NAME}: 7 handed in" and lines[2].startswith("  a: passes 4; does not run 2")
    assert "    ann-lee: a passes, b passes" in lines and "    cem: a does not run, b does not run" in lines
    assert "    dora: a not written, b not written" in lines
    assert all(word in said.err for word in ("notes.ipynb", "other.ipynb", "nameless.ipynb: no name was given",
                                                   "taken as 'Fay'"))
    assert collect.main(tmp_path) == 1 and capsys.readouterr().out == said.out  # what is sorted is not handed in again
    (tmp_path / "course").mkdir()
    assert collect.main(tmp_path / "Fay", tmp_path / "course") == 1
    assert (tmp_path / f"course/submitted/from-the-folder/{NAME}/{NAME}.ipynb").exists()
    assert collect.main(tmp_path, tmp_path / "nowhere") == 2


@pytest.fixture
def in_the_background():
    """As a shell starts a command with &: without the signal of a keyboard, which its children do not get either."""
    kept = signal.signal(signal.SIGINT, signal.SIG_IGN)
    yield
    signal.signal(signal.SIGINT, kept)


@pytest.mark.parametrize("loop, longest, said", [
    ("while True: pass", 300, {"a": exercises.ENDLESS, "b": "passes"}),  # it says nothing of the other exercise
    ("while True:\n        try:\n            while True: pass\n        except BaseException: pass", 8,
     {"a": collect.RUNS, "b": collect.RUNS})])
def test_a_loop_that_does_not_end(tmp_path, monkeypatch, in_the_background, loop, longest, said):
    monkeypatch.setattr(collect, "LONGEST", longest)
    path = hand_in(tmp_path, "Ann", lambda source: source.replace("return", f"{loop}\n    return", 1)
                   if "def bill" in source else source)
    assert collect.verdicts(path, NAME) == said


@pytest.mark.parametrize("mistake", exercises.mistakes(CELLS), ids=lambda one: one.name)
def test_a_known_mistake_is_named(tmp_path, mistake):
    code = [cell.source for cell in mistake.cells if exercises.is_answer(cell)]
    path = tmp_path / "one.ipynb"
    path.write_text(json.dumps({"cells": [{"cell_type": "code", "metadata": {}, "source": one} for one in code]}))
    said = collect.verdicts(path, NAME)
    other = {"a": "b", "b": "a"}[mistake.exercise]
    assert said[mistake.exercise].startswith("like “") and said[other] == "passes"


def test_a_folder_that_is_not_there(tmp_path, capsys):
    assert collect.main(tmp_path / "nowhere") == 2 and "no folder" in capsys.readouterr().err
