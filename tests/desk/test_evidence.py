"""What a file's values say about its design: no silent wrong number; the option in a refusal gives the right one."""

import itertools
import json
import re
import shlex

import numpy as np
import pandas as pd
import pytest

import pwu_lite as pwu
from pwu_desk import as_labels, as_numbers, command, files, large, options, tables
from pwu_lite import elicitation
from pwu_lite.reporting.rules import RULES

from .told import parsed

N = 120
RNG = np.random.default_rng(8)
CHANCE = RNG.beta(1, 3, N)
Y = (RNG.random(N) < CHANCE).astype(int)
A, B = CHANCE.round(3), np.clip(CHANCE + RNG.normal(0, 0.2, N), 0, 1).round(3)
SCORE = pwu.PWU(pwu.BinaryDecision(), elicitation.beta_from_quantiles(1 / 31, 1 / 4))
RATIO = ["--ratio", "3:30"]
DAYS = [str(day) for day in np.datetime64("2026-01-01") + np.arange(N)]
CASES = pd.DataFrame({"case": np.arange(N), "y": Y})
TWO = pd.concat([CASES.assign(p=p, learner=name) for name, p in (("oak", A), ("elm", B))], ignore_index=True)


def run(capsys, folder, tables, *words):
    """The numbers of the command for tables, by name of file, or the one line of its refusal."""
    for name, table in tables.items():
        (folder / name).write_text(table if isinstance(table, str) else table.to_csv(index=False))
    code = command.main(["compare", *words, "--resamples", "50", "--json"])
    said = capsys.readouterr()
    found = parsed(said.out) if code == 0 else said.err
    if code:  # a program that asked for numbers gets the refusal as a finding, with the option that answers it
        (refused,) = json.loads(said.out)["findings"]
        assert said.err == f"pwu compare: {refused['sentence']}\n" and refused["severity"] == "refuse"
        assert refused["option"] in said.err
    if RULES["most_bytes_at_once"]:
        in_python(words, found)
    return found


def in_python(words, found):
    """`pwu_desk.read` refuses with the same words, and otherwise gives the same models and remarks."""
    sources = list(itertools.takewhile(lambda word: not word.startswith("--"), words))
    options = {"only": [], "model_column": []}
    for place, word in enumerate(words):
        if word == "--ignore-punctuation":
            options["ignore_punctuation"] = True
        elif word in ("--only", "--model-column"):
            options[word[2:].replace("-", "_")].append(words[place + 1])
        elif word.startswith("--") and word not in ("--ratio", "--error"):
            options[word[2:].replace("-", "_")] = words[place + 1]
    options = {name: float(value) if name == "horizon" else value for name, value in options.items() if value}
    source = sources[0] if len(sources) == 1 else sources
    if isinstance(found, str) and not re.match("pwu compare: (--ratio|--ignore-punctuation)", found):
        with pytest.raises(ValueError) as refused:
            files.read(source, **options)
        assert " ".join(str(refused.value).split()) == found.removeprefix("pwu compare: ").strip()
    elif not isinstance(found, str):
        cases = files.read(source, **options)
        assert {*map(str, cases.models)} == {model["name"] for model in found["models"]}
        said = {tuple(one.values()) for one in found["findings"] if "are alike: with --groups" not in one["sentence"]}
        assert said <= {*map(tuple, cases.findings)}


@pytest.fixture
def ask(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return lambda tables, *words: run(capsys, tmp_path, tables, *words)


def costs(found):
    assert isinstance(found, dict), found
    return {model["name"]: model["cost"] for model in found["models"]}


def near(value):
    return pytest.approx(value, rel=1e-12)


def advised(said, option):
    """The words behind an option in a refusal, as a person would type them."""
    return [option, re.search(rf"{option} ([^\s,;.]+)", said)[1]]


# -- rows that a model was fitted to


@pytest.mark.parametrize("column, fitted, held", [
    ("split", "train", "test"), ("fold", "in-sample", "out-of-sample"), ("part", "Development", "Validation"),
    ("_partition", "TRAINING", "HOLDOUT"), ("set", "train set", "test set"), ("x", "fit", "eval")])
def test_rows_that_a_model_was_fitted_to_are_not_averaged(ask, column, fitted, held):
    kept = np.arange(N) % 3 == 0
    table = pd.DataFrame({"y": Y, "p": A, column: np.where(kept, held, fitted)})
    said = ask({"c.csv": table}, "c.csv", "--truth", "y", *RATIO)
    assert f"column {column!r} says {fitted} in {int((~kept).sum())} of {N}" in said
    assert f"--only {shlex.quote(f'{column}={held}')}" in said
    found = ask({}, "c.csv", "--truth", "y", *RATIO, "--only", f"{column}={held}")
    assert costs(found) == {"p": near(SCORE(Y[kept], A[kept]))}
    both = ask({}, "c.csv", "--truth", "y", *RATIO, "--only", f"{column}={held}", "--only", f"{column}={fitted}")
    assert costs(both) == {"p": near(SCORE(Y, A))}


def test_size_changes_no_refusal(ask, monkeypatch):
    split = pd.DataFrame({"y": Y, "p": A, "split": np.where(np.arange(N) < 80, "train", "test")})
    two = TWO.assign(p=TWO["p"] + 0.0)
    for name, table, words in (("split.csv", split, "column 'split' says train in 80 of 120 rows"),
                               ("two.csv", two, "column 'learner' cuts the rows into 2 parts with the same cases"),
                               ("shuffled.csv", two.sample(frac=1, random_state=7),
                                "column 'learner' cuts the rows into 2 parts with the same cases")):
        whole = ask({name: table}, name, "--truth", "y", "--models", "p", *RATIO)
        with monkeypatch.context() as patch:
            patch.setitem(RULES, "most_bytes_at_once", 0)
            patch.setattr(large, "ROWS", 50)
            patch.setattr(large, "BYTES", 1000, raising=False)
            in_pieces = ask({}, name, "--truth", "y", "--models", "p", *RATIO)
        assert isinstance(whole, str) and words in in_pieces, (name, in_pieces)
    # Halves of other cases are no models, whatever the size.
    table = CASES.assign(p=A, half=np.arange(N) % 2)
    table["y"] = np.repeat(Y[:N // 2], 2)
    monkeypatch.setitem(RULES, "most_bytes_at_once", 0)
    assert "p" in costs(ask({"half.csv": table}, "half.csv", "--truth", "y", "--models", "p", *RATIO))


def test_what_needs_all_cases_at_once_is_said_in_the_help(ask, monkeypatch, capsys):
    with pytest.raises(SystemExit):
        command.main(["compare", "--help"])
    said = " ".join(capsys.readouterr().out.partition("large files:")[2].split())
    monkeypatch.setitem(RULES, "most_bytes_at_once", 0)
    table = pd.DataFrame({"y": Y, "p": A, "t": 1.0})
    for option in (*options.ALL_AT_ONCE, "--missing"):
        more = {"--ignore-punctuation": [], "--recalibrate": [], "--missing": ["pairwise"], "--blocks": ["5"],
                "--only": ["y=1"], "--margin": ["2%", "--against", "p"], "--case-costs": ["a,b,c,d"],
                "--time": ["t", "--horizon", "5"]}.get(option, ["t"])
        refused = ask({"c.csv": table}, "c.csv", "--truth", "y", *RATIO, option, *more)
        assert option in said and option in refused and ("all cases at once" in refused or "is for" in refused)
    refused = ask({"d.csv": table}, "c.csv", "d.csv", "--truth", "y", *RATIO)
    assert "more than one file needs all cases at once" in refused


def test_other_words_are_not_a_split(ask):
    table = pd.DataFrame({"y": Y, "p": A, "shift": np.where(np.arange(N) % 2, "dev team", "night")})
    assert "p" in costs(ask({"c.csv": table}, "c.csv", "--truth", "y", *RATIO))


def test_only_names_what_there_is(ask):
    table = pd.DataFrame({"y": Y, "p": A, "split": "test"})
    assert "no row has it; column 'split' has test" in ask({"c.csv": table}, "c.csv", "--truth", "y", *RATIO, "--only",
                                                           "split=tset")
    assert "the columns are: y, p, split" in ask({}, "c.csv", "--truth", "y", *RATIO, "--only", "spilt=test")


# -- models in rows


@pytest.mark.parametrize("frame", [TWO, TWO.sample(frac=1, random_state=1), TWO.sort_values(["case", "learner"]),
                                   TWO.drop(columns="case"),
                                   TWO.assign(learner=TWO["learner"].map({"oak": 2, "elm": 7})),
                                   TWO.assign(site=TWO["case"] // 12, bed=TWO["case"] % 12).drop(columns="case").sample(
                                       frac=1, random_state=2)],
                         ids=["stacked", "shuffled", "by case", "without keys", "settings", "two keys"])
def test_models_in_rows_are_not_pooled(ask, frame):
    said = ask({"c.csv": frame}, "c.csv", "--truth", "y", "--models", "p", *RATIO)
    assert "column 'learner' cuts the rows into 2 parts with the same" in said
    found = ask({}, "c.csv", "--truth", "y", *RATIO, *advised(said, "--model-column"))
    oak, elm = ("oak", "elm") if frame["learner"].dtype == object or "oak" in set(frame["learner"]) else (
        "learner 2", "learner 7")
    assert costs(found) | {"case": 0} == {oak: near(SCORE(Y, A)), elm: near(SCORE(Y, B)), "case": 0}
    alone = ask({}, "c.csv", "--truth", "y", "--models", "p", *RATIO, "--only", f"learner={elm.split()[-1]}")
    assert costs(alone) == {"p": near(SCORE(Y, B))}


def test_a_column_that_cuts_other_cases_is_a_feature(ask):
    table = CASES.assign(p=A, sex=np.arange(N) % 2)
    assert costs(ask({"c.csv": table}, "c.csv", "--truth", "y", "--models", "p", *RATIO)) == {"p": near(SCORE(Y, A))}


def test_a_row_that_was_lost_changes_nothing_but_its_case(ask):
    short = TWO.drop(index=7)  # case 7 of the oak
    said = ask({"c.csv": short}, "c.csv", "--truth", "y", "--models", "p", *RATIO)
    assert "column 'learner' cuts the rows into 2 parts with nearly the same case and outcomes" in said
    found = ask({}, "c.csv", "--truth", "y", *RATIO, *advised(said, "--model-column"))
    kept = np.arange(N) != 7
    assert costs(found)["oak"] == near(SCORE(Y[kept], A[kept])) and costs(found)["elm"] == near(SCORE(Y[kept], B[kept]))
    assert "1 cases are left out: not every value of learner has them." in found["remarks"]


def test_a_model_column_needs_the_same_cases(ask):
    other = TWO.assign(case=np.arange(2 * N))
    said = ask({"c.csv": other}, "c.csv", "--truth", "y", *RATIO, "--model-column", "case")
    assert "its values do not have the same cases" in said


def test_models_without_a_key_are_remarked(ask):
    table = TWO.drop(columns="case").sample(frac=1, random_state=11).rename(columns={"learner": "algo"})
    found = ask({"c.csv": table}, "c.csv", "--truth", "y", "--models", "p", *RATIO)
    assert any("Column algo cuts the rows into 2 parts of the same size, which have the same outcomes in another"
               in line for line in found["remarks"])


@pytest.mark.parametrize("setting", [(0.1, 0.55), (1e-3, 1e3)])
def test_a_setting_may_be_a_broken_number(ask, setting):
    table = pd.concat([CASES.assign(alpha=value, p=p) for value, p in zip(setting, (A, B), strict=True)])
    said = ask({"c.csv": table}, "c.csv", "--truth", "y", *RATIO)
    found = ask({}, "c.csv", "--truth", "y", *RATIO, *advised(said, "--model-column"))
    assert sorted(costs(found).values()) == [near(value) for value in sorted((SCORE(Y, A), SCORE(Y, B)))]


def test_many_members_and_few_cases(ask):
    for members, cases in ((51, 20), (12, 8)):
        seen = RNG.normal(50, 10, cases).round(2)
        table = pd.DataFrame([{"day": day, "number": number, "level": round(seen[day] + RNG.normal(0, 5), 3),
                               "seen": seen[day]} for number in range(members) for day in range(cases)])
        words = ["--truth", "seen", "--decision", "orders", "--ratio", "4"]
        said = ask({"c.csv": table}, "c.csv", *words)
        found = ask({}, "c.csv", *words, *advised(said, "--model-column"))
        wide = table.pivot(index="day", columns="number", values="level").to_numpy()
        assert list(costs(found).values()) == [near(pwu.PWU(pwu.Newsvendor("members"), 4 / 5)(seen, wide))]


@pytest.mark.parametrize("groups", ["case", "none"])
def test_groups_that_were_named_get_a_word_about_models_in_rows(ask, groups):
    table = TWO.rename(columns={"learner": "algo"})
    found = ask({"c.csv": table}, "c.csv", "--truth", "y", "--models", "p", "--groups", groups, *RATIO)
    assert any("Say --model-column algo" in line for line in found["remarks"])


def test_answers_of_two_engines_are_not_pooled(ask):
    table = pd.concat([pd.DataFrame({"doc_id": np.arange(N), "engine": engine, "m_right": Y, "m_confidence": p})
                       for engine, p in (("x", A), ("z", B))])
    words = ["--decision", "answers", "--ratio", "1:9"]
    assert "column 'engine' cuts the rows into 2 parts with the same doc_id" in ask({"c.csv": table}, "c.csv", *words)
    alone = ask({}, "c.csv", *words, "--only", "engine=x")
    assert costs(alone) == costs(ask({"d.csv": table[:N].drop(columns="engine")}, "d.csv", *words))


@pytest.mark.parametrize("table", [
    pd.DataFrame({"set": np.repeat(np.arange(60), 2), "hospital": np.repeat(list("ABCD"), 30),
                  "y": np.tile([1, 0], 60), "p": A}),
    pd.DataFrame({"year": np.repeat([2019, 2020, 2021, 2022], 30), "y": np.tile([0, 0, 0, 0, 1], 24), "p": A}),
    pd.DataFrame({"arm": np.where(np.arange(N) % 3, "Reference", "Test"), "y": Y, "p": A}),
    pd.DataFrame({"ward": np.array(["east", "west"])[np.arange(N - 1) % 2], "y": Y[1:], "p": A[1:]}),
    pd.DataFrame({"test_result": np.arange(N) % 2, "sample": np.arange(N), "y": Y, "p": A}),
    pd.DataFrame({"weight": RNG.normal(80, 9, N).round(1), "height": RNG.normal(170, 9, N).round(), "y": Y, "p": A})],
    ids=["matched", "years", "arms", "wards", "tests", "bodies"])
def test_ordinary_features_are_not_refused(ask, table):
    found = ask({"c.csv": table}, "c.csv", "--truth", "y", "--models", "p", *RATIO)
    assert costs(found) == {"p": near(SCORE(table["y"], table["p"]))}


@pytest.mark.parametrize("pieces", [False, True])
def test_beds_of_two_hospitals_are_not_the_same_cases(ask, monkeypatch, pieces):
    """As many events in both, under the same numbers, of other people."""
    monkeypatch.setitem(RULES, "most_bytes_at_once", 0 if pieces else 10**9)
    table = pd.DataFrame({"hospital": np.repeat(["north", "south"], N), "bed": np.tile(np.arange(N), 2),
                          "y": [*Y, *Y[::-1]], "p": [*A, *B]})
    assert set(costs(ask({"c.csv": table}, "c.csv", "--truth", "y", "--models", "p", *RATIO))) == {"p"}


def test_two_eyes_of_a_patient_are_asked_about(ask):
    table = pd.DataFrame({"patient": np.repeat(np.arange(60), 2), "eye": np.tile(["L", "R"], 60),
                          "y": np.repeat(Y[:60], 2), "p": A})
    said = ask({"c.csv": table}, "c.csv", "--truth", "y", *RATIO)
    found = ask({}, "c.csv", "--truth", "y", "--models", "p", *RATIO, *advised(said, "--groups"))
    assert costs(found) == {"p": near(SCORE(table["y"], A))}


@pytest.mark.parametrize("column, values", [
    ("is_train", (1, 0)), ("in_bag", (1, 0)), ("oof", (0, 1)), ("split", (0, 1)), ("_PartInd_", (1, 2)),
    ("training", ("yes", "no")), ("set", ("T", "V"))])
def test_the_name_of_a_column_may_tell_which_rows_were_fitted(ask, column, values):
    kept = np.arange(N) % 3 == 0
    table = pd.DataFrame({"y": Y, "p": A, column: np.where(kept, values[1], values[0])})
    said = ask({"c.csv": table}, "c.csv", "--truth", "y", *RATIO)
    assert f"--only {column}={values[1]}" in said, said
    assert costs(ask({}, "c.csv", "--truth", "y", *RATIO, "--only", f"{column}={values[1]}"))["p"] == near(
        SCORE(Y[kept], A[kept]))


@pytest.mark.parametrize("name", ["w", "exposure", "frequency", "inv_prob"])
def test_shares_that_may_be_weights_are_no_rivals(ask, name):
    table = pd.DataFrame({"y": Y, "p": A, name: RNG.uniform(0.2, 1, N).round(3)})
    said = ask({"c.csv": table}, "c.csv", "--truth", "y", *RATIO)
    assert f"say --weights {name}, or --weights none --models p" in said
    named = ask({}, "c.csv", "--truth", "y", *RATIO, "--models", f"p,{name}")
    assert set(costs(named)) == {"p", name}


def test_labels_of_any_spelling_have_a_confidence(ask):
    label = A >= 0.5
    score = np.where(label, A, 1 - A)
    for words in (("neg", "pos"), ("LABEL_0", "LABEL_1")):
        table = pd.DataFrame({"y": Y, "pred": np.take(words, label.astype(int)), "score": score})
        said = ask({"c.csv": table}, "c.csv", "--truth", "y", *RATIO)
        found = ask({}, "c.csv", "--truth", "y", *RATIO, *advised(said, "--confidence-of"))
        assert costs(found) == {"score": near(SCORE(Y, A))}
    bare = ask({"d.csv": table.drop(columns="pred")}, "d.csv", "--truth", "y", *RATIO)
    assert any("score is never below one half, and fewer than half of the cases are events" in line
               for line in bare["remarks"])


def test_the_other_label_alone_is_turned(ask):
    table = pd.DataFrame({"Class": np.where(Y, "Yes", "No"), ".pred_No": (1 - A).round(3)})
    found = ask({"c.csv": table}, "c.csv", "--truth", "Class", "--event", "Yes", *RATIO)
    assert costs(found) == {".pred_No": near(SCORE(Y, 1 - (1 - A).round(3)))}
    assert ".pred_No is read as the probability of No, by its name: the forecast is 1 minus it." in found["remarks"]


def test_what_is_made_of_a_forecast_is_no_rival(ask):
    table = pd.DataFrame({"y": Y, "p": A, "miss": abs(Y - A).round(3), "brier": ((Y - A) ** 2).round(6),
                          "p_upper": np.clip(A + 0.05, 0, 1), "p_lower": np.clip(A - 0.05, 0, 1), "q": B})
    found = ask({"c.csv": table}, "c.csv", "--truth", "y", *RATIO)
    assert costs(found) == {"p": near(SCORE(Y, A)), "q": near(SCORE(Y, B))}
    assert found["left_out"]["miss"] == "the distance of p from the outcome"


def test_two_models_near_one_half_are_both_models(ask):
    table = pd.DataFrame({"y": Y, "p": np.where(Y, 0.5, 0.02), "q": np.where(Y, 0.501, 0.021)})
    assert set(costs(ask({"c.csv": table}, "c.csv", "--truth", "y", *RATIO))) == {"p", "q"}


def test_a_line_of_totals_is_not_a_case(ask):
    table = pd.DataFrame({"id": [*map(str, range(N)), "mean"], "y": [*Y, 1], "p": [*A, 0.3]})
    said = ask({"c.csv": table}, "c.csv", "--truth", "y", *RATIO)
    assert f"line {N + 2} is not a case: it says mean in column 'id'" in said


def test_rows_that_stand_twice_get_a_word(ask):
    table = CASES.assign(p=A)
    twice = pd.concat([table, table[:50]])
    found = ask({"c.csv": twice}, "c.csv", "--truth", "y", "--models", "p", *RATIO)
    assert any(f"50 of {N + 50} rows stand in the file a second time, case and all" in line
               for line in found["remarks"])


def test_a_number_that_stands_for_none_is_told(ask):
    table = pd.DataFrame({"y": Y, "p": np.where(np.arange(N) % 10, A, -1)})
    said = ask({"c.csv": table}, "c.csv", "--truth", "y", *RATIO)
    assert f"has probabilities in {N - 12} of {N} fields, but line 2 is -1: correct the file (a blank stands" in said


def test_two_models_of_counted_cells_are_not_pooled(ask):
    n = RNG.integers(5, 40, 30)
    cells = pd.DataFrame({"cell": np.arange(30), "ev": RNG.binomial(n, A[:30]), "n": n})
    table = pd.concat([cells.assign(algo=algo, p=p[:30]) for algo, p in (("x", A), ("z", B))])
    said = ask({"c.csv": table}, "c.csv", "--count", "ev,n", "--models", "p", *RATIO)
    found = ask({}, "c.csv", "--count", "ev,n", *RATIO, *advised(said, "--model-column"))
    alone = ask({"x.csv": cells.assign(x=A[:30])}, "x.csv", "--count", "ev,n", "--models", "x", *RATIO)
    assert costs(found)["x"] == near(costs(alone)["x"]) and set(costs(found)) >= {"x", "z"}


def test_advice_is_quoted_for_a_shell(ask):
    table = pd.DataFrame({"y": np.where(Y, ">50K", "<=50K"), "p": A, "Data Role": np.where(Y, "Train", "Validation")})
    said = ask({"c.csv": table}, "c.csv", "--truth", "y", *RATIO)
    assert "--only 'Data Role=Validation'" in said
    said = ask({"d.csv": table.drop(columns="Data Role")}, "d.csv", "--truth", "y", *RATIO)
    assert "Add --event '<=50K' or --event '>50K'" in said


def test_models_of_means_and_spreads_in_rows(ask):
    price = RNG.normal(50, 10, N)
    table = pd.concat([pd.DataFrame({"id": np.arange(N), "price": price, "mean": price + shift + np.arange(N) % 7,
                                     "std": 10.0,
                                     "team": team}) for shift, team in ((0, "a"), (5, "b"))])
    words = ["--truth", "price", "--decision", "selective", "--error", "5:20"]
    said = ask({"c.csv": table}, "c.csv", *words)
    assert set(costs(ask({}, "c.csv", *words, *advised(said, "--model-column")))) == {"a", "b"}


def test_members_and_samples_in_rows_are_ensembles(ask):
    seen = RNG.normal(50, 10, N)
    members = seen[:, None, None] + RNG.normal(0, 5, (N, 7, 2))
    table = pd.DataFrame([{"place": case, "draw_no": draw, "team": team, "predicted": members[case, draw, place],
                           "seen": seen[case]} for case in range(N) for draw in range(7)
                          for place, team in enumerate("AB")]).sample(frac=1, random_state=3)
    words = ["--truth", "seen", "--decision", "orders", "--ratio", "4"]
    said = ask({"c.csv": table}, "c.csv", *words)
    assert "--model-column" in said and "say it again for a second such column" in said
    found = ask({}, "c.csv", *words, "--model-column", "draw_no", "--model-column", "team")
    score = pwu.PWU(pwu.Newsvendor("members"), 4 / 5)
    assert costs(found) == {f"{team}_draw_no": near(score(seen, members[..., place]))
                            for place, team in enumerate("AB")}


# -- several files


def test_submissions_are_models(ask):
    files = {"sub_oak.csv": CASES.assign(p=A), "sub_elm.csv": CASES.assign(p=B).sample(frac=1, random_state=4)}
    said = ask(files, "sub_*.csv", "--truth", "y", "--models", "p", *RATIO)
    assert "they are models, not parts of one table. Name the files one by one" in said
    found = ask({}, "sub_oak.csv", "sub_elm.csv", "--truth", "y", *RATIO)
    assert {name: value for name, value in costs(found).items() if name != "case"} == {
        "sub_oak": near(SCORE(Y, A)), "sub_elm": near(SCORE(Y, B))}


def test_submissions_and_their_solution_are_three_files(ask):
    files = {"oak.csv": pd.DataFrame({"id": np.arange(N), "target": A}),
             "elm.csv": pd.DataFrame({"id": np.arange(N), "target": B}).sample(frac=1, random_state=9),
             "solution.csv": pd.DataFrame({"id": np.arange(N), "target": Y}).sample(frac=1, random_state=5)}
    found = ask(files, "oak.csv", "elm.csv", "--truth", "target", "--truth-file", "solution.csv", *RATIO)
    assert costs(found) == {"oak": near(SCORE(Y, A)), "elm": near(SCORE(Y, B))}


def test_parts_of_one_table_stay_one_table(ask):
    whole = CASES.assign(p=A)
    found = ask({"part-0.csv": whole[:50], "part-1.csv": whole[50:]}, "part-*.csv", "--truth", "y", "--models", "p",
                *RATIO)
    assert costs(found) == {"p": near(SCORE(Y, A))}


def test_a_submission_shares_the_name_of_the_target_with_the_solution(ask):
    files = {"submission.csv": pd.DataFrame({"id": np.arange(N), "target": A}),
             "solution.csv": pd.DataFrame({"id": np.arange(N), "target": Y}).sample(frac=1, random_state=5)}
    found = ask(files, "submission.csv", "--truth", "target", "--truth-file", "solution.csv", *RATIO)
    assert costs(found)["target"] == near(SCORE(Y, A))


def test_a_key_may_have_another_name_in_the_file_of_outcomes(ask):
    files = {"forecast.csv": pd.DataFrame({"issued": "2025-12-31", "target_day": DAYS, "place": "00", "p": A}),
             "target.csv": pd.DataFrame({"day": DAYS, "place": "00", "value": Y}).sample(frac=1, random_state=6)}
    found = ask(files, "forecast.csv", "--truth", "value", "--truth-file", "target.csv", "--models", "p", *RATIO)
    assert costs(found) == {"p": near(SCORE(Y, A))}
    assert "day of target.csv is target_day of forecast.csv: they have the same values." in found["remarks"]
    files["forecast.csv"]["shown_day"] = DAYS[::-1]
    said = ask(files, "forecast.csv", "--truth", "value", "--truth-file", "target.csv", "--models", "p", *RATIO)
    assert "column 'day' of target.csv may be target_day or shown_day of forecast.csv" in said


# -- columns that are no models


@pytest.mark.parametrize("name", ["weight", "Weight", "iptw", "survey_weight", "sampling weight", "pweight",
                                  "sampleWeight"])
def test_a_weight_is_asked_about_and_never_a_model(ask, name):
    weight = RNG.uniform(0.2, 0.9, N).round(3)
    said = ask({"c.csv": pd.DataFrame({"y": Y, "p": A, name: weight})}, "c.csv", "--truth", "y", *RATIO)
    assert f"column {name!r} may be each case's weight: say --weights {shlex.quote(name)}, or --weights none" in said
    counted = ask({}, "c.csv", "--truth", "y", *RATIO, "--weights", name)
    assert costs(counted) == {"p": near(SCORE(Y, A, sample_weight=weight))}
    alone = ask({}, "c.csv", "--truth", "y", *RATIO, "--weights", "none", "--models", "p")
    assert costs(alone) == {"p": near(SCORE(Y, A))}


def test_a_constant_is_no_model(ask):
    found = ask({"c.csv": pd.DataFrame({"y": Y, "p": A, "cutoff": 0.5})}, "c.csv", "--truth", "y", *RATIO)
    assert costs(found) == {"p": near(SCORE(Y, A))} and "same number" in found["left_out"]["cutoff"]


@pytest.mark.parametrize("labels", [("0", "1"), ("no", "yes")])
def test_the_confidence_of_a_label_is_not_a_chance_of_the_event(ask, labels):
    label = (A >= 0.5).astype(int)
    table = pd.DataFrame({"y": np.take(labels, Y), "prediction": np.take(labels, label),
                          "score": np.where(label == 1, A, 1 - A)})
    words = ["--truth", "y", "--event", labels[1], "--models", "score", *RATIO]
    said = ask({"c.csv": table}, "c.csv", *words)
    assert "it seems to be the confidence of that label, not a probability of the event" in said
    found = ask({}, "c.csv", *words, *advised(said, "--confidence-of"))
    assert costs(found) == {"score": near(SCORE(Y, np.where(label == 1, A, 1 - (1 - A))))}
    kept = ask({}, "c.csv", *words, "--confidence-of", "none")
    assert costs(kept) == {"score": near(SCORE(Y, table["score"]))}


def test_rows_that_are_alike_are_remarked(ask):
    size = RNG.integers(1, 12, 60)
    account = np.repeat(np.arange(60) + 5000, size)
    chance = np.repeat(RNG.beta(1, 3, 60), size)
    y = np.repeat(RNG.random(60) < RNG.beta(1, 3, 60), size).astype(int)
    table = pd.DataFrame({"y": y, "a": chance.round(3), "b": np.repeat(RNG.beta(1, 3, 60), size).round(3),
                          "account": account})
    found = ask({"c.csv": table}, "c.csv", "--truth", "y", "--models", "a,b", *RATIO)
    assert any("Rows with the same account are alike: with --groups account" in line for line in found["remarks"])
    found = ask({}, "c.csv", "--truth", "y", "--models", "a,b", "--groups", "account", *RATIO)
    assert not any("are alike: with" in line for line in found["remarks"])


# -- follow-up


@pytest.mark.parametrize("own_column", [False, True])
def test_a_competing_event_ends_the_follow_up(ask, own_column):
    time, status = RNG.exponential(6, N).round(2), RNG.choice([0, 1, 2], N, p=[0.3, 0.4, 0.3])
    table = pd.DataFrame({"time": time, "p": A})
    table = table.assign(relapse=status == 1, death=(status == 2).astype(int), status=0).drop(columns="status").assign(
        relapse=(status == 1).astype(int)) if own_column else table.assign(status=status)
    words = ["--truth", "relapse" if own_column else "status", "--time", "time", "--horizon", "5", "--models", "p",
             *RATIO]
    said = ask({"c.csv": table}, "c.csv", *words)
    assert "--competing" in said
    more = ["--competing", "death"] if own_column else ["--event", "1", "--competing", "2"]
    found = ask({}, "c.csv", *words, *more)
    # By hand: weights of Graf for either event; the label is one where the event itself came.
    came, weight = pwu.ipcw(time, status > 0, horizon=5)
    assert costs(found) == {"p": near(SCORE(((came == 1) & (status == 1)).astype(int), A, sample_weight=weight))}


# -- rows for many cases


def test_a_row_may_stand_for_many_cases(ask):
    cases = RNG.integers(5, 60, 30)
    events = RNG.binomial(cases, A[:30])
    table = pd.DataFrame({"deaths": events, "admissions": cases, "p": A[:30]})
    said = ask({"c.csv": table}, "c.csv", "--truth", "deaths", *RATIO)
    assert "--count deaths,admissions instead of --truth" in said
    found = ask({}, "c.csv", "--count", "deaths,admissions", *RATIO)
    y = np.concatenate([np.repeat([1, 0], [event, n - event]) for event, n in zip(events, cases, strict=True)])
    assert costs(found) == {"p": near(SCORE(y, np.repeat(A[:30], cases)))}
    assert any(f"30 rows stand for {cases.sum():,} cases: " in line for line in found["remarks"])
    assert any(f"{events.sum()} of {cases.sum():,} cases are events" in line for line in found["words"])
    assert "not more events than cases; got" in ask({}, "c.csv", "--count", "admissions,deaths", *RATIO)


# -- how tables are written


@pytest.mark.parametrize("gap", [".", "\\N", "#DIV/0!", "-"])
def test_gaps_as_tools_write_them(ask, gap):
    table = pd.DataFrame({"y": Y, "p": A.astype(str), "q": B})
    table.loc[[3, 7], "p"] = gap
    kept = ~np.isin(np.arange(N), [3, 7])
    found = ask({"c.csv": table}, "c.csv", "--truth", "y", "--missing", "pairwise", *RATIO)
    assert costs(found)["p"] == near(SCORE(Y[kept], A[kept])) and set(costs(found)) == {"p", "q"}


TABLES = {
    "blanks": pd.DataFrame({"y": Y, "p": A}).to_string(index=False),
    "names of rows": pd.DataFrame({"y": Y, "p": A}).to_string(),
    "a rule below the heading": "y   p\n--- -----\n" + "".join(f"{y}   {p}\n" for y, p in zip(Y, A, strict=True)),
    "markdown": "| y | p |\n|---|---:|\n" + "".join(f"| {y} | {p} |\n" for y, p in zip(Y, A, strict=True)),
    "psql": " y |   p   \n---+-------\n" + "".join(f" {y} | {p:.4f} \n" for y, p in zip(Y, A, strict=True))
            + f"({len(Y)} rows)\n\n",
    "heading again": "".join("y,p\n" * (k % 90 == 0) + f"{Y[k]},{A[k]}\n" for k in range(len(Y))),
    **{f"json, {orient}": pd.DataFrame({"y": Y, "p": A}).to_json(orient=orient, double_precision=15)
       for orient in ("split", "columns", "index", "records")},
    "json, lists": json.dumps({"y": Y.tolist(), "p": A.tolist()}, indent=1),
    "comments first": "# variable: T\n# units: C\ny p\n" + "".join(f"{y} {p}\n" for y, p in zip(Y, A, strict=True))}


@pytest.mark.parametrize("text", TABLES.values(), ids=TABLES)
def test_columns_apart_by_blanks_or_rules(ask, text):
    assert costs(ask({"c.txt": text}, "c.txt", "--truth", "y", *RATIO)) == {"p": near(SCORE(Y, A))}


@pytest.mark.parametrize("text, kind", [
    (pd.DataFrame({"y": Y, "p": A}).to_html(), "a page of HTML or XML"),
    ("@RELATION p\n@ATTRIBUTE y {0,1}\n@ATTRIBUTE p NUMERIC\n@DATA\n1,0.7\n0,0.2\n", "an ARFF file")])
def test_a_file_that_is_no_table_of_text_is_named(ask, text, kind):
    assert f"c.txt is {kind}: save the table as CSV" in ask({"c.txt": text}, "c.txt", "--truth", "y", *RATIO)


def test_rows_that_look_like_the_first_one_stay(ask):
    """Without a heading the first row may come again; so may a part of a heading."""
    for text in ("1,0.5\n0,0.2\n1,0.5\n", "-,.\n-,.\n", "y,p\n1,0.5\ny,p,q\n", "a|b\n1|2\n(2 rows)\n"):
        assert tables.without_headings(text) == text
    assert "as many values as there are columns" in ask({"c.json": '{"columns": ["y", "p"], "data": [[1]]}'}, "c.json",
                                                         "--truth", "y", *RATIO)


@pytest.mark.parametrize("values, words", [
    ((1.1 + 8 * A).round(2), "decimal odds?"), (np.log(A + 0.01).round(3) - 0.2, "log probabilities? Write exp(x)"),
    (RNG.integers(1, 11, N), "a scale to 10?")])
def test_a_unit_is_asked_by_its_shape(ask, values, words):
    table = pd.DataFrame({"y": Y, "p": values})
    assert words in ask({"c.csv": table}, "c.csv", "--truth", "y", "--models", "p", *RATIO)


def test_wide_tables_are_read_in_seconds(ask):
    # Sixty rows with thousands of columns of two values, of which many cut the rows into two equal halves.
    table = pd.DataFrame(RNG.integers(0, 2, (60, 2000)), columns=[f"x{place}" for place in range(2000)])
    table.insert(0, "y", Y[:60])
    table.insert(1, "p", A[:60])
    found = ask({"c.csv": table}, "c.csv", "--truth", "y", "--models", "p", *RATIO)
    assert costs(found) == {"p": near(SCORE(Y[:60], A[:60]))}


# -- one field, one name


@pytest.mark.parametrize("pieces", [False, True])
@pytest.mark.parametrize("field", ["1.31", "-0.2", "n.d."])
def test_a_field_that_is_wrong_is_told_and_its_model_stays_in_the_comparison(ask, monkeypatch, pieces, field):
    monkeypatch.setitem(RULES, "most_bytes_at_once", 0 if pieces else 10**9)
    table = pd.DataFrame({"y": Y, "p": A.astype(str), "q": B})
    table.loc[70, "p"] = field
    said = ask({"c.csv": table}, "c.csv", "--truth", "y", *RATIO)
    assert f"column 'p' has probabilities in {N - 1} of {N} fields, but line 72 is" in said, said
    assert costs(ask({}, "c.csv", "--truth", "y", "--models", "q", *RATIO)) == {"q": near(SCORE(Y, B))}


@pytest.mark.parametrize("pieces", [False, True])
@pytest.mark.parametrize("name", ["y", "outcome", "Label", "truth"])
def test_what_is_certain_is_not_asked(ask, monkeypatch, pieces, name):
    monkeypatch.setitem(RULES, "most_bytes_at_once", 0 if pieces else 10**9)
    found = ask({"c.csv": pd.DataFrame({name: Y, "p": A})}, "c.csv", *RATIO)
    assert costs(found) == {"p": near(SCORE(Y, A))}
    said = f"The outcome is taken from column {name}, by its name; --truth takes it from another one."
    assert said in found["remarks"]


def test_two_such_columns_are_asked_about(ask):
    table = pd.DataFrame({"y": Y, "label": 1 - Y, "p": A})
    assert "name the column of outcomes with --truth" in ask({"c.csv": table}, "c.csv", *RATIO)


def test_nearly_the_outcome_itself_gets_a_word(ask):
    table = pd.DataFrame({"y": Y, "p": A, "lab": np.where(Y == 1, 0.9999, 0.0001)})
    found = ask({"c.csv": table}, "c.csv", "--truth", "y", *RATIO)
    assert "Nearly the outcome itself: lab. Check that each of these was made without knowing it." in found["words"]


def test_answers_that_differ_in_marks_alone(ask):
    right = [f"{1000 + 37 * case:,}" for case in range(N)]
    said = [text.replace(",", "") if case % 3 else f"${text}." for case, text in enumerate(right)]
    said[0] = "17"
    table = pd.DataFrame({"target": right, "m_answer": said, "m_confidence": A})
    words = ["--truth", "target", "--decision", "answers", "--ratio", "4"]
    found = ask({"c.csv": table}, "c.csv", *words)
    assert any(f"{N - 1} of {N} answers of m differ" in line and "--ignore-punctuation" in line
               for line in found["remarks"])
    found = ask({}, "c.csv", *words, "--ignore-punctuation")
    by_hand = table.assign(m_right=(np.arange(N) > 0).astype(int))[["m_right", "m_confidence"]]
    assert costs(found) == costs(ask({"d.csv": by_hand}, "d.csv", *words[2:]))
    assert "--ignore-punctuation is for --decision answers" in ask({}, "d.csv", *words[2:], "--ignore-punctuation")


@pytest.mark.parametrize("text", ["5,000:20,000", "1,000", "3:1,234"])
def test_thousands_in_a_range_are_asked_about(ask, text):
    said = ask({"c.csv": CASES.assign(p=A)}, "c.csv", "--truth", "y", "--models", "p", "--ratio", text)
    assert "with a decimal comma: write " in said
    comma, point = (costs(ask({}, "c.csv", "--truth", "y", "--models", "p", "--ratio", ratio))
                    for ratio in ("2,5:20,5", "2.5:20.5"))
    assert comma == point


@pytest.mark.parametrize("times", [2, 3, 8])
def test_a_file_joined_with_itself_is_told(ask, times):
    table = pd.DataFrame({"y": Y, "a": A, "b": B})[:60]
    words = f"Only 60 of the {60 * times} cases are different, and each occurs {times} times or more."
    joined = pd.concat([table] * times).sample(frac=1, random_state=0)
    said = ask({"j.csv": joined, "k.csv": pd.concat([joined, CASES[["y"]][:1].assign(a=0.5, b=0.5)])}, "j.csv",
               "--truth", "y", *RATIO)["remarks"]
    assert words in " ".join(said)
    assert "different, and each" not in " ".join(ask({}, "k.csv", "--truth", "y", *RATIO)["remarks"])


@pytest.mark.parametrize("name", ["num_cases", "pesofac", "pspwght", "fexp_anual", "raking", "Hochrechnungsfaktor"])
def test_weights_of_other_surveys_are_asked_for(ask, name):
    table = pd.DataFrame({"y": Y, "p": A, name: RNG.integers(1, 30, N)})
    said = ask({"c.csv": table}, "c.csv", "--truth", "y", *RATIO)
    assert f"column {name!r} may be each case's weight" in said
    assert isinstance(ask({}, "c.csv", "--truth", "y", *RATIO, "--weights", name), dict)


def test_rows_that_a_solution_says_to_ignore_are_asked_for(ask):
    usage = np.where(np.arange(N) % 3 == 0, "Ignored", np.where(np.arange(N) % 3 == 1, "Public", "Private"))
    files = {"s1.csv": pd.DataFrame({"Id": range(N), "target": A}),
             "s2.csv": pd.DataFrame({"Id": range(N), "target": np.where(usage == "Ignored", Y, 0.3)}),
             "sol.csv": pd.DataFrame({"Id": range(N), "target": Y, "Usage": usage})}
    how = ["s1.csv", "s2.csv", "--truth", "target", "--truth-file", "sol.csv", *RATIO]
    said = ask(files, *how)
    assert "says Ignored in" in said and "--only Usage=Private --only Usage=Public" in said
    found = ask({}, *how, "--only", "Usage=Public", "--only", "Usage=Private")
    kept = usage != "Ignored"
    assert costs(found)["s1"] == near(SCORE(Y[kept], A[kept]))


@pytest.mark.parametrize("name", ["in_sample", "oos", "Selected"])
def test_a_flag_of_the_rows_of_a_fit_is_asked_for(ask, name):
    table = pd.DataFrame({"y": Y, "p": A, name: np.arange(N) % 2 == 0})
    said = ask({"c.csv": table}, "c.csv", "--truth", "y", *RATIO)
    assert f"--only {name}=False or --only {name}=True" in said


def test_limits_and_errors_are_no_models(ask):
    table = pd.DataFrame({"bad": Y, "P_1": A, "LCL_1": A * 0.8, "UCL_1": 0.2 + A * 0.8, "p_se": 0.01 + A / 20})
    found = ask({"c.csv": table}, "c.csv", "--truth", "bad", *RATIO)
    assert costs(found) == {"P_1": near(SCORE(Y, A))} and "called a limit" in found["left_out"]["LCL_1"]
    apart = table.assign(LCL_1=A[::-1]).drop(columns=["UCL_1", "p_se"])  # whatever it is called
    assert set(costs(ask({"c.csv": apart}, "c.csv", "--truth", "bad", *RATIO))) == {"P_1", "LCL_1"}


@pytest.mark.parametrize("event, other", [("bad", "good"), ("died", "survived")])
def test_the_complement_is_known_in_brackets(ask, event, other):
    table = pd.DataFrame({"risk": np.where(Y, event, other), f"P (risk={event})": A.round(6),
                          f"P (risk={other})": (1 - A).round(6)})
    found = ask({"c.csv": table}, "c.csv", "--truth", "risk", "--event", event, *RATIO)
    assert set(costs(found)) == {f"P (risk={event})"}


def test_answers_of_models_in_rows(ask):
    """As evaluations of language models keep them: the model, the question, C or I, a confidence."""
    right = {"gpt": Y, "claude": 1 - Y}
    table = pd.concat([pd.DataFrame({"model": name, "sample_id": range(N), "right": np.where(own, "C", "I"),
                                     "confidence": A}) for name, own in right.items()])
    found = ask({"c.csv": table}, "c.csv", "--decision", "answers", "--ratio", "1:9", "--model-column", "model")
    assert set(costs(found)) == {"gpt", "claude"}


def test_a_refusal_names_the_way_on(ask):
    lacks = pd.DataFrame({"y": Y, "a": A, "b": A}).astype({"a": object})
    lacks.loc[5, "a"] = "#N/A"
    said = ask({"c.csv": lacks}, "c.csv", "--truth", "y", *RATIO)
    assert "say --missing pairwise" in said
    assert isinstance(ask({}, "c.csv", "--truth", "y", *RATIO, "--missing", "pairwise"), dict)
    exceeded = pd.DataFrame({"sold": 9 + A, "m_P10": 12 + A, "m_P50": 9 + A, "m_P90": 7 + A})
    assert "P90 is the quantile 0.1" in ask({"c.csv": exceeded}, "c.csv", "--truth", "sold", "--decision", "orders",
                                            "--ratio", "4")
    spread = pd.DataFrame({"y": A, "m_mean": A, "m_var": A})
    assert "m_var, by its name a variance: write its root" in ask(
        {"c.csv": spread}, "c.csv", "--truth", "y", "--decision", "selective", "--error", "1:3")
    status = pd.DataFrame({"status": np.arange(N) % 3, "p": A})
    assert "--time, --horizon and --competing" in ask({"c.csv": status}, "c.csv", "--truth", "status", *RATIO)
    bins = pd.DataFrame({"id": np.arange(N) + 2, "y": Y, "a": "40-50%"})
    assert "id, line" not in ask({"c.csv": bins}, "c.csv", "--truth", "y", *RATIO)


def test_what_is_read_at_once_is_read_as_one_by_one():
    """Words, and numbers of plain columns: the quick way and the careful way agree on any text."""
    signs = [*"0015.+- \t\nra7eE,%'", "\xa0", "１", "０"]
    for _ in range(5000):
        words = ["".join(RNG.choice(signs, RNG.integers(0, 6))) for _ in range(RNG.integers(1, 4))]
        assert as_labels.keys(words) == [as_labels.key(word) for word in words], words
    slow = {"0.50": 0.5, "12.25": 12.25, "-0.125": -0.125, "+3": 3.0, "007": 7.0}
    assert as_numbers.values(pd.Series([*slow])).tolist() == [*slow.values()]
    with pytest.raises(ValueError, match="may be thousands or decimals"):  # never by the quick way
        as_numbers.values(pd.Series(["1.234", "7"]))


def test_a_total_of_counted_rows_is_refused_without_a_word_for_it(ask):
    """As a pivot table writes it: the key is blank, and the forecasts are the means."""
    rng = np.random.default_rng(3)
    cases = rng.integers(20, 90, 8)
    cells = pd.DataFrame({"ward": [*"abcdefgh"], "ev": rng.binomial(cases, 0.3), "n": cases,
                          "p": rng.uniform(0.2, 0.4, 8).round(3), "q": rng.uniform(0.1, 0.6, 8).round(3)})
    total = pd.DataFrame({"ward": [None], "ev": [cells["ev"].sum()], "n": [cases.sum()], "p": [0.3], "q": [0.3]})
    words = ("--count", "ev,n", *RATIO)
    for place in (0, 8):
        table = pd.concat([cells[:place], total, cells[place:]], ignore_index=True)
        said = ask({"t.csv": table}, "t.csv", *words)
        assert f"line {place + 2} has as many ev and n as all other rows together" in said
    assert set(costs(ask({"c.csv": cells}, "c.csv", *words))) == {"p", "q"}
