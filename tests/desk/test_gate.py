"""The gate of the command line: exit status, Markdown, bad use; workflow and hook of the recipe, step by step."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

import pwu_lite as pwu
from pwu_desk import Tally, command, compare_tallies
from pwu_lite.reporting.rules import RULES

RECIPE = Path(__file__).resolve().parents[2] / "book" / "start" / "gate"


@pytest.fixture
def held_out(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    chance = rng.beta(1, 4, 2000)
    table = pd.DataFrame({"outcome": (rng.random(2000) < chance).astype(int)})
    for name, noise in (("old", 0.05), ("new", 0.05), ("worse", 0.3)):
        table[name] = np.clip(chance + noise * rng.normal(size=2000), 0, 1).round(4)
    table.to_csv("held_out.csv", index=False)
    return table


def gate(*more, models="old,new"):
    return command.main(["compare", "held_out.csv", "--truth", "outcome", "--ratio", "3:30", "--models", models,
                         "--gate", *more])


@pytest.mark.parametrize("at_once", [10**9, 1000])  # as one table, and in pieces
def test_the_status_is_the_decision(held_out, capsys, monkeypatch, at_once):
    monkeypatch.setitem(RULES, "most_bytes_at_once", at_once)
    score = pwu.PWU(pwu.BinaryDecision(), pwu.elicitation.beta_from_quantiles(1 / 31, 1 / 4))
    for status, decision, against, margin, models in (
            (0, "ship", "old", "10%", "old,new"), (3, "cannot tell", "old", "0.5%", "old,new"),
            (1, "keep", "old", "1%", "old,worse"), (0, "ship", "worse", "0.001", "new,worse"),
            (0, "ship", "old", "10%", "old,new,worse")):
        assert gate("--against", against, "--margin", margin, "--json", models=models) == status
        said = json.loads(capsys.readouterr().out)
        assert said["gate"] == decision and said["words"][0].startswith({"ship": "Ship", "keep": "Keep"}.get(
            decision, "It cannot")), said["words"]
        ours = pwu.compare(held_out["outcome"], {name: held_out[name] for name in models.split(",")}, score,
                           against=against, margin=margin if "%" in margin else float(margin))
        assert ours.decision == decision
    assert gate("--against", "old", models="old,worse") == 1  # without a margin: does it cost less?


def test_the_cases_of_each_value_are_compared_with_the_model_in_use(held_out, capsys):
    held_out.assign(site=["north", "south"] * 1000).to_csv("held_out.csv", index=False)
    assert gate("--against", "worse", "--by", "site", "--json", models="new,worse") == 0
    said = json.loads(capsys.readouterr().out)["by"]
    assert all(one["words"][0].startswith("worse costs ") and " more than new " in one["words"][0]
               for one in said.values()), said


@pytest.mark.parametrize(("more", "words"), [
    (["--gate"], "--gate needs --against"), (["--margin", "2%"], "--margin needs --against"),
    (["--against", "nobody"], "not one of the models"), (["--against", "old", "--margin", "some"], "margin must be")])
def test_bad_use_has_status_two(held_out, capsys, more, words):
    assert command.main(["compare", "held_out.csv", "--ratio", "3:30", *more]) == 2
    assert words in capsys.readouterr().err


def test_markdown_is_one_line_of_words_and_one_table(held_out, capsys):
    held_out.rename(columns={"new": "a|b *c*"}).to_csv("held_out.csv", index=False)
    assert gate("--against", "old", "--margin", "10%", "--markdown", models="old,a|b *c*") == 0
    first, blank, *rows = capsys.readouterr().out.splitlines()
    assert first == r"**ship**: Ship a\|b \*c\*: it costs at most 10% more than old." and blank == ""
    fields = [len(row.replace(r"\|", "").strip("|").split("|")) for row in rows[:4]]
    assert len(set(fields)) == 1 and r"a\|b \*c\*" in rows[3] + rows[2]
    assert command.main(["compare", "held_out.csv", "--ratio", "3:30", "--markdown"]) == 0
    assert capsys.readouterr().out.startswith("**")


@pytest.mark.parametrize("at_once", [10**9, 1000])
def test_a_gate_without_a_candidate_is_bad_use(held_out, capsys, monkeypatch, at_once):
    monkeypatch.setitem(RULES, "most_bytes_at_once", at_once)
    assert gate("--against", "old", models="old") == 2
    assert "there is no candidate beside old: name it with --models" in capsys.readouterr().err
    held_out.drop(columns=["worse"]).assign(new="high").to_csv("held_out.csv", index=False)
    assert command.main(["compare", "held_out.csv", "--truth", "outcome", "--ratio", "3:30", "--against", "old",
                         "--margin", "2%"]) == 2
    assert "there is no candidate beside old (left out: new): name it with --models" in capsys.readouterr().err


def test_tallies_have_a_gate_of_their_own(held_out):
    block, tallies = np.arange(2000) % 40, {name: Tally() for name in ("old", "worse")}
    for name, tally in tallies.items():
        tally.update(held_out["outcome"], held_out[name], block=block)
    score = pwu.PWU(pwu.BinaryDecision(), pwu.Beta(2, 10))
    assert compare_tallies(tallies, score, against="old").decision == "keep"
    assert compare_tallies(tallies, score).decision is None
    for margin in ("2%", 0.001, "500%"):  # the sums of the blocks, with those of the old model raised by hand
        found = compare_tallies(tallies, score, against="old", margin=margin)
        (_, old, size), (_, worse, _) = (tallies[name].blocks(score) for name in ("old", "worse"))
        more = old * (1 + float(margin[:-1]) / 100) if isinstance(margin, str) else old + margin * size
        gap, mean = (worse - more).sum() / size.sum(), (worse - more) / size
        half = 1.96 * np.sqrt(np.sum((size * (mean - gap)) ** 2) * 40 / 39) / size.sum()
        assert found.decision == ("keep" if gap > half else "ship" if gap < -half else "cannot tell")
    assert found.decision == "ship" and found.words[0] == "Ship worse: it costs at most 500% more than old."
    with pytest.raises(ValueError, match="name that model with against"):
        compare_tallies(tallies, score, margin="2%")


def run(line, folder, **more):
    place = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", line], cwd=folder,
                          capture_output=True, text=True, env=os.environ | {"PATH": place} | more)


@pytest.mark.slow
@pytest.mark.parametrize(("new", "status"), [("new", 0), ("worse", 1)])
def test_the_workflow_and_the_hook_of_the_recipe(held_out, tmp_path, new, status):
    """Each `run` step as the runner runs it, with the reader's own script; the wheels are installed here already."""
    steps = yaml.safe_load((RECIPE / "model-gate.yml").read_text())["jobs"]["gate"]["steps"]
    held_out[["outcome", "old", new]].set_axis(["outcome", "old", "new"], axis=1).to_csv("ours.csv", index=False)
    Path("evaluate.py").write_text("import shutil\nshutil.copy('ours.csv', 'held_out.csv')\n")
    lines = [step["run"].replace("2%", "10%") for step in steps if "run" in step]
    assert lines[0].startswith("python -m pip install wheels/")
    assert run(lines[1], tmp_path).returncode == 0
    done = run(lines[2], tmp_path, GITHUB_STEP_SUMMARY="summary.md")
    assert done.returncode == status and done.stdout.startswith(("**ship**", "**keep**")[status])
    assert (tmp_path / "summary.md").read_text() == done.stdout
    hook = yaml.safe_load((RECIPE / "pre-commit-config.yaml").read_text())["repos"][0]["hooks"][0]
    assert run(hook["entry"].replace("2%", "10%"), tmp_path).returncode == status
