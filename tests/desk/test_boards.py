"""Boards: the set at each worth by hand, twins, what a file may look like, and the command."""

import json

import numpy as np
import pandas as pd
import pytest

import pwu_desk
import pwu_lite as pwu
from pwu_desk import boards, command
from pwu_lite.metrics import regression

RNG = np.random.default_rng(3)


@pytest.fixture(autouse=True)
def own_draws(monkeypatch):
    """Each test has the same draws, in whatever order they run."""
    monkeypatch.setitem(globals(), "RNG", np.random.default_rng(3))


def tasks(n=300, **skill):
    ease = RNG.normal(size=n)
    return pd.DataFrame({name: ease + RNG.normal(size=n) > -one for name, one in skill.items()})


def test_the_set_is_that_of_compare_on_the_bills():
    """The same verdicts as of a squared error that is the bill, worth by worth."""
    solved = tasks(small=0.2, middle=0.5, large=0.8)
    cost = pd.DataFrame({name: RNG.gamma(4, one / 4, 300) for name, one in
                         zip(solved.columns, (0.05, 0.3, 0.9), strict=True)})
    found = pwu_desk.board(solved, cost, [0.2, 2, 20], n_resamples=200)
    for worth in (0.2, 2, 20):
        bill = cost - worth * solved
        shift = 1 - bill.to_numpy().min()
        models = {name: (0.5 + np.sqrt(bill[name] + shift), np.ones(300)) for name in bill}
        table = pwu.compare(np.full(300, 0.5), models, regression.mean_squared_error, n_resamples=200).table
        table = table.loc[list(bill)]
        assert (table["may be best"] == found.may_be_best.loc[worth]).all()
        assert np.allclose(table["cost"] - shift, found.cost.loc[worth])
    assert found.words[0] == "Worth of a solved task 0.2 to 2: small alone may be the best."


def test_stretches_join_neighbours_with_one_set():
    cost = pd.DataFrame([[1, 2], [1, 2], [3, 2]], [1.0, 2.0, 4.0], ["a", "b"])
    best = pd.DataFrame([[True, False], [True, True], [True, True]], cost.index, cost.columns)
    found = boards.Board(cost, best, 10, "worth")
    assert found.words == ("Worth 1: a alone may be the best.",
                           "Worth 2 to 4: it cannot be told which of a and b is the best.")


def test_who_is_ruled_out_for_every_reader():
    """Among many models, at all cost shares at once: one that is worse everywhere, and none that is best somewhere."""
    chance = RNG.beta(1, 3, 3000)
    y = (RNG.random(3000) < chance).astype(int)
    models = {"low": np.where(chance < 0.3, chance, 0.3), "high": np.where(chance > 0.3, chance, 0.3),
              "noisy": np.clip(chance + 0.4 * RNG.normal(size=3000), 0, 1)}
    losses = {c: pd.DataFrame({name: pwu.PWU(pwu.BinaryDecision(), pwu.Dirac(c)).per_sample(y, f)
                               for name, f in models.items()}) for c in (0.1, 0.2, 0.4, 0.5)}
    apart, both = (pwu_desk.board_of(losses, "cost share", together=kept, n_resamples=2000) for kept in (False, True))
    assert both.for_nobody == ["noisy"] and "for all values at once" in str(both)
    assert (both.may_be_best | ~apart.may_be_best).all(axis=None)  # the sets together are no smaller


@pytest.mark.slow
def test_twins_stay_together():
    """Of 40 boards with eight equal agents at most 7% (and two errors) rule one out at a given worth."""
    wrong = 0
    for _ in range(40):
        solved = tasks(200, **{f"m{k}": 0.4 for k in range(8)})
        cost = pd.DataFrame({name: RNG.gamma(4, 0.1, 200) for name in solved})
        wrong += not pwu_desk.board(solved, cost, [3.0], n_resamples=200).may_be_best.to_numpy().all()
    assert wrong <= 40 * 0.07 + 2 * (40 * 0.07 * 0.93) ** 0.5


def test_files_as_boards_keep_them(tmp_path):
    rows = [(model, f"t{k}", (k + len(model)) % 3 > 0, 0.1 * len(model)) for model in ("a", "bb") for k in range(30)]
    frame = pd.DataFrame(rows, columns=["agent", "instance_id", "resolved", "usd"])
    frame.to_csv(tmp_path / "long.csv", index=False)
    held = {model: {task: {"resolved": bool(one), "cost": cost, "api_calls": 3} for _, task, one, cost in part}
            for model, part in ((name, [row for row in rows if row[0] == name]) for name in ("a", "bb"))}
    (tmp_path / "site.json").write_text(json.dumps(held))
    sources = (tmp_path / "long.csv", tmp_path / "site.json", frame)
    by_csv, by_json, by_frame = (boards.read_board(one) for one in sources)
    for solved, cost, said, groups in (by_csv, by_json, by_frame):
        assert solved.equals(by_frame[0].astype(float)) and np.allclose(cost, by_frame[1])
        assert said == ["30 tasks, 2 models."] and groups is None
    # Any order of rows, several tries, a task that one model lacks, and groups.
    more = pd.concat([frame, frame.assign(resolved=False)]).sample(frac=1, random_state=0)
    more = more[~((more["agent"] == "a") & (more["instance_id"] == "t7"))]
    more = more.assign(repo=more["instance_id"].str[-1])
    solved, cost, said, groups = boards.read_board(more, "repo")
    assert len(solved) == 29 and solved.loc["t1", "a"] == 0.5 * by_frame[0].loc["t1", "a"]
    assert said[1:] == ["1 tasks that some model has not tried are left out.",
                        "Several tries of one task by one model are averaged."]
    assert list(groups) == [task[-1] for task in solved.index]


@pytest.mark.parametrize(("change", "words"), [
    (lambda frame: frame.rename(columns={"usd": "x"}), "which column is the cost"),
    (lambda frame: frame.assign(task=1), "which column is the task"),
    (lambda frame: frame.assign(usd="cheap"), "usd"), (lambda frame: frame.assign(resolved="perhaps"), "resolved"),
    (lambda frame: frame.assign(instance_id=range(len(frame))), "no task was tried by every model")])
def test_files_that_cannot_be_read(change, words):
    rows = [(model, f"t{k}", k % 2, 0.1) for model in ("a", "b") for k in range(4)]
    with pytest.raises(ValueError, match=words):
        boards.read_board(change(pd.DataFrame(rows, columns=["agent", "instance_id", "resolved", "usd"])))


def test_bad_tables():
    solved, cost = tasks(20, a=0.1, b=0.2), pd.DataFrame({"a": np.ones(20), "b": np.ones(20)})
    for one, other, words in ((solved, cost[["b", "a"]], "same order"), (solved, cost.assign(b=np.nan), "every cost"),
                              (solved * 2, cost, "between 0 and 1"), (solved, cost.iloc[1:], "same tasks")):
        with pytest.raises(ValueError, match=words):
            pwu_desk.board(one, other, [1])
    with pytest.raises(ValueError, match="worth"):
        pwu_desk.board(solved, cost, [-1])
    with pytest.raises(ValueError, match="at least one value"):
        pwu_desk.board_of({})


def test_the_command(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    solved = tasks(small=0.2, large=0.8)
    rows = [(name, k, int(one), {"small": 0.05, "large": 1.0}[name]) for name in solved for k, one in
            enumerate(solved[name])]
    pd.DataFrame(rows, columns=["model", "task", "passed", "cost"]).to_csv("board.csv", index=False)
    assert command.main(["board", "board.csv", "--worth", "1:100"]) == 0
    said = capsys.readouterr().out
    assert "Worth of a solved task 1 to " in said and "small alone may be the best" in said
    assert "to 100: large alone" in said
    assert command.main(["board", "board.csv", "--worth", "1:100", "--markdown"]) == 0
    assert capsys.readouterr().out.startswith("| worth of a solved task | may be the best |\n")
    assert command.main(["board", "board.csv", "--solved", "nothing"]) == 2
    assert "Say --solved NAME" in capsys.readouterr().err
    assert command.main(["board", "none.csv"]) == 2 and "no file 'none.csv'" in capsys.readouterr().err
