"""Boards: the set at each worth by hand, twins, what a file may look like, and the command."""

import json
import re

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
        assert said[0] == "30 tasks, 2 models." and len(said) == 2 and groups is None
    # Any order of rows, several tries, a task that one model lacks, and groups.
    more = pd.concat([frame, frame.assign(resolved=False)]).sample(frac=1, random_state=0)
    more = more[~((more["agent"] == "a") & (more["instance_id"] == "t7"))]
    more = more.assign(repo=more["instance_id"].str[-1])
    solved, cost, said, groups = boards.read_board(more, "repo")
    assert len(solved) == 29 and solved.loc["t1", "a"] == 0.5 * by_frame[0].loc["t1", "a"]
    assert said[2:] == ["1 task that some model has not tried: left out (a has tried 29 of 30).",
                        "Several tries of one task by one model are averaged."]
    assert list(map(str, groups)) == [task[-1] for task in solved.index]


@pytest.mark.parametrize(("change", "words"), [
    (lambda frame: frame.rename(columns={"usd": "x"}), "which column is the cost"),
    (lambda frame: frame.assign(task=1), "which column is the task"),
    (lambda frame: frame.replace({"agent": {"b": " "}}), "line 6, column 'agent': expected the name of a model"),
    (lambda frame: frame.replace({"instance_id": {"t3": None}}), "line 5, column 'instance_id': expected the name"),
    (lambda frame: frame.assign(usd=-0.1), "usd"), (lambda frame: frame[frame["agent"] == "a"], "no other model"),
    (lambda frame: frame.assign(dataset="A").pipe(lambda one: pd.concat([one, one.assign(dataset="B")])),
     "add --task dataset,TASK if it is part of the task, or --tries dataset"),
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
    assert "there is no column 'nothing'" in capsys.readouterr().err
    assert command.main(["board", "none.csv"]) == 2 and "no file 'none.csv'" in capsys.readouterr().err


def test_names_are_what_the_file_wrote_and_shares_are_shares(tmp_path):
    """4.1 and 4.10 are two models; 60% of the tries is 0.6; pass and fail, True and False are right and wrong."""
    tasks_ = [f"1.{k}" for k in range(1, 11)]
    rows = [(model, task, share, cost) for model, share, cost in (("4.1", "60%", 1), ("4.10", "pass", 2))
            for task in tasks_]
    frame = pd.DataFrame(rows, columns=["model", "task", "solved", "cost"])
    with pytest.raises(ValueError, match="solved"):  # one column is one or the other
        boards.read_board(frame)
    solved, cost, *_ = boards.read_board(frame.replace({"solved": {"pass": "100%"}}))
    assert solved.shape == (10, 2) and solved["4.1"].eq(0.6).all() and solved["4.10"].eq(1).all()
    frame.replace({"solved": {"60%": "fail"}}).to_csv(tmp_path / "words.csv", index=False)
    solved, *_ = boards.read_board(tmp_path / "words.csv")
    assert solved["4.1"].eq(0).all() and solved["4.10"].eq(1).all()


def test_what_tells_rows_apart_is_asked_unless_it_counts_tries():
    one = pd.DataFrame([(model, task, (task + len(model)) % 2, 1) for model in ("a", "bb") for task in range(8)],
                       columns=["model", "task", "solved", "cost"])
    two = pd.concat([one.assign(part="A"), one.assign(part="B", solved=1 - one["solved"])])
    assert boards.read_board(two, task="part,task")[0].shape == (16, 2)
    averaged = boards.read_board(two, tries="part")[0]
    assert averaged.shape == (8, 2) and averaged.eq(0.5).all(axis=None)
    assert boards.read_board(two.rename(columns={"part": "Epoch"}))[0].equals(averaged)


@pytest.mark.parametrize(("entry", "words"), [
    ({"cost": 1}, "large, t2: resolved must be true or false, and cost a number, got None and 1"),
    ({"resolved": True, "cost": None}, "got True and None"), ({"resolved": True, "cost": {"in": 1}}, "got True and"),
    ({"resolved": "True", "cost": 1}, "got 'True' and 1")])
def test_one_odd_entry_of_a_site_s_file_is_named(tmp_path, entry, words):
    held = {name: {f"t{k}": {"resolved": k % 2 > 0, "cost": 0.5} for k in range(4)} for name in ("small", "large")}
    held["large"]["t2"] = entry
    (tmp_path / "pasted.csv").write_text("\ufeff" + json.dumps(held))  # whatever it is called, with a mark before it
    with pytest.raises(ValueError, match=re.escape(words)):
        boards.read_board(tmp_path / "pasted.csv")
    held["large"]["t2"] = {"resolved": 0.6, "cost": 0.5}
    (tmp_path / "pasted.csv").write_text(json.dumps(held))
    assert boards.read_board(tmp_path / "pasted.csv")[0].loc["t2", "large"] == 0.6
    (tmp_path / "pasted.csv").write_text('{"a": {"t": {"resolved": 1, "cost": 1}, "t": {"resolved": 0, "cost": 1}}}')
    with pytest.raises(ValueError, match="'t' stands twice"):
        boards.read_board(tmp_path / "pasted.csv")


def test_a_comparison_is_no_board():
    full = pd.DataFrame({"model": ["a", "b"] * 4, "task": [k // 2 for k in range(8)], "solved": [1, 0] * 4,
                         "cost": range(8)})
    assert boards.is_board(full)
    for other in (full.assign(confidence=0.5), full.assign(y=1), full.drop(columns="cost"), full.assign(task=range(8))):
        assert not boards.is_board(other)


def test_what_was_left_out_is_told_in_every_form(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [(name, f"t{k}", (k + place) % 2, 6000 * (place + 1)) for place, name in enumerate("ab") for k in range(30)]
    pd.DataFrame(rows[1:], columns=["model", "task", "solved", "cost"]).to_csv("b.csv", index=False)
    for form in ([], ["--json"], ["--markdown"]):
        assert command.main(["board", "b.csv", "--worth", "5000:234567", "--groups", "none", *form]) == 0
        said = " ".join(capsys.readouterr().out.split())
        assert "1 task that some model has not tried: left out (a has tried 29 of 30)." in said
        assert "5,000" in said and "235,000" in said and "each set is 95% sure at its value by itself" in said


def test_many_models_are_not_all_named_in_a_sentence():
    names = [f"m{k}" for k in range(9)]
    cost = pd.DataFrame([range(9)], [1.0], names)
    found = boards.Board(cost, cost >= 0, 1, "worth")
    assert str(found) == ("Worth 1: it cannot be told which of 9 models, from m0, the cheapest, to m8, is the best.\n"
                          "From 1 case; each set is 95% sure at its value by itself.")


@pytest.mark.parametrize(("costs", "found"), [
    (["$1.50", "$2"], [1.5, 2]), (["1.50 €", "2"], [1.5, 2]), (["USD 1.50", "usd 2"], [1.5, 2]),
    (["0.02%", "1"], "line 2, column 'cost': expected an amount of money, not a percentage, got '0.02%'"),
    (["$1", "£1"], "has several currencies, $, £: use one"), (["-$1", "$1"], "at least 0"),
    (["$1", "free"], "expected a number")])
def test_a_cost_is_money(tmp_path, costs, found):
    """A percentage was read as a hundredth of it, and a sign of a currency refused."""
    (tmp_path / "board.csv").write_text("model,task,solved,cost\n" + "".join(
        f"{name},t,1,{cost}\n" for name, cost in zip("ab", costs, strict=True)))
    if isinstance(found, str):
        with pytest.raises(ValueError) as refused:
            boards.read_board(str(tmp_path / "board.csv"))
        assert found in str(refused.value)
    else:
        assert boards.read_board(str(tmp_path / "board.csv"))[1].loc["t"].tolist() == found
