"""Part V: the stored tables are what the commands give, and the ledger's verdicts about them are what they show."""

import gzip
import re

import numpy as np
import pandas as pd
import pytest
import sklearn

from pwu_book import tables as stored_tables
from pwu_book.runs import align, datasets, grid, read, verdicts, wrong_priors
from pwu_book.runs import run as benchmark
from pwu_book.runs.tasks import CODE_PERTURBED, PAPER_TASKS, PERTURBED, POPULATION, RECALIBRATED, TASKS
from pwu_book.studies import few_labels
from pwu_lite.alignment import agreement

RESULTS = stored_tables.FOLDER
PAPER = stored_tables.load("paper_tables.csv")
OWN = {"J.1": ("binary", "binary"), "J.2": ("binary", "top_k"),
       "J.3": ("regression", "selective"), "J.4": ("regression", "risk_averse")}
CELLS = {"binary": [("heart", "boosting", 3), ("ionosphere", "naive Bayes", 17), ("sonar", "random forest", 9)],
         "regression": [("auto_mpg", "least squares", 2), ("energy", "network", 14), ("auto_mpg", "extra trees", 19)],
         "multiclass": [("iris", "network", 1), ("wine", "random forest", 3), ("wine", "boosting", 2)],
         "multivariate": [("energy_many", "random forest", 3), ("solar_flare", "boosting", 4),
                          ("energy_many", "network", 1)]}
WHOLE = {"binary": ("heart", 5), "regression": ("auto_mpg", 8), "multiclass": ("iris", 4),
         "multivariate": ("energy_many", 2)}


EVERY = {**TASKS, **PAPER_TASKS}


def table(task, name):
    return stored_tables.load(f"{task}_{name}.csv.gz")


def fitted_by_this_version(name):
    with gzip.open(RESULTS / name, "rt") as file:
        versions = [next(file) for _ in range(2)][1]
    if f"scikit-learn {sklearn.__version__}" not in versions:
        pytest.skip("another scikit-learn fits other models")


def data(task, name):
    """The data set; skipped where the data or the scikit-learn of the tables is missing."""
    fitted_by_this_version(f"{task}_scores.csv.gz")
    try:
        return datasets.load(name)
    except (FileNotFoundError, ImportError) as reason:
        pytest.skip(f"needs the data: {str(reason)[:60]}")


def rerun(task, name, chosen, repeat, folder, disjoint=False):
    cells = [grid.Cell(name, model, repeat, fold) for model in chosen for fold in range(5)]
    plan = TASKS[task].fresh if disjoint else TASKS[task].plan
    assert grid.run(cells, {name: data(task, name)}, TASKS[task].models(), folder, jobs=2, rows=plan[name].rows,
                    disjoint=disjoint, report=lambda line: None) == []


@pytest.mark.parametrize("task, cell", [(task, cell) for task in CELLS for cell in CELLS[task]], ids=str)
def test_three_cells_of_each_table_come_out_again(task, cell, tmp_path):
    name, model, repeat = cell
    rerun(task, name, [model], repeat, tmp_path)
    again = benchmark.score_repeat(TASKS[task], name, repeat, [model], tmp_path).reset_index()
    stored = table(task, "scores").set_index(["dataset", "model", "repeat"]).sort_index().loc[cell].reset_index()
    numbers = [column for column in stored if column not in ("dataset", "model", "repeat", "fold", "random")]
    assert len(stored) == 5
    assert np.allclose(again[numbers], stored[numbers], rtol=1e-6, atol=1e-9, equal_nan=True)


@pytest.mark.weekly
@pytest.mark.parametrize("task", WHOLE)
def test_alignment_of_a_whole_repeat_comes_out_again(task, tmp_path):
    name, repeat = WHOLE[task]
    makers = list(TASKS[task].models())
    rerun(task, name, makers, repeat, tmp_path)
    ours = benchmark.tables(TASKS[task], name, repeat, makers, tmp_path).alignment.set_index(benchmark.KEYS)
    stored = table(task, "alignment").set_index(benchmark.KEYS)
    assert set(stored.loc[name].loc[repeat].index) == set(ours.loc[name].loc[repeat].index)
    assert np.allclose(stored.loc[ours.index, ours.columns], ours, atol=1e-4, equal_nan=True)


@pytest.mark.weekly
@pytest.mark.parametrize("task, name", [("multiclass", "iris"), ("binary", "heart"), ("regression", "auto_mpg")])
def test_agreement_without_some_cases_comes_out_again(task, name, tmp_path):
    """One group of cases left out, in the repeats of the table, as forecast and recalibrated."""
    makers, repeats = list(TASKS[task].models()), range(align.CASE_REPEATS)
    for repeat in repeats:
        rerun(task, name, makers, repeat, tmp_path)
    keys = ["scheme", "metric", "family"]
    stored = table(task, "cases").query("dataset == @name and group == 4").set_index(["suite", *keys])
    for suite in TASKS[task].suites:
        frames = [benchmark.score_repeat(TASKS[task], name, repeat, makers, tmp_path, left_out=4,
                                         metrics=align.usual(TASKS[task]), recalibrate=suite == RECALIBRATED)
                  for repeat in repeats]
        same = align.mean_of([align._scheme(TASKS[task], frame, "same") for frame in frames])
        ours = same["expected_d"].drop("random", level="metric")
        found = stored.loc[suite].loc["same"]["expected_d"]
        assert np.allclose(found[ours.index], ours, atol=1e-4, equal_nan=True)


@pytest.mark.weekly
def test_agreement_with_other_models_comes_out_again(tmp_path):
    task, name, makers = TASKS["multiclass"], "iris", list(TASKS["multiclass"].models())
    for repeat in range(task.plan[name].repeats):
        rerun("multiclass", name, makers, repeat, tmp_path)
    frames = [benchmark.score_repeat(task, name, repeat, makers, tmp_path) for repeat in range(task.plan[name].repeats)]
    keys = ["models", "scheme", "metric", "family"]
    ours = align.models(task, name, frames, makers).set_index(keys)
    stored = table("multiclass", "models").query("dataset == @name").set_index(keys)
    assert set(stored.index) == set(ours.index)
    assert np.allclose(stored.loc[ours.index, "expected_d"], ours["expected_d"], atol=1e-4, equal_nan=True)


@pytest.mark.weekly
@pytest.mark.parametrize("task, name, place", [("binary", "mushroom", (0, 3)), ("regression", "wine_quality", (1, 2))])
def test_agreement_on_other_subsets_comes_out_again(task, name, place, tmp_path):
    makers, means = list(TASKS[task].models()), []
    for repeat in place:
        rerun(task, name, makers, repeat, tmp_path, disjoint=True)
        means.append(align.means(benchmark.score_repeat(TASKS[task], name, repeat, makers, tmp_path)))
    first, other = means
    ours = align.summary(TASKS[task], align.oriented(TASKS[task], first), other, first)["expected_d"]
    stored = table(task, "subsets").query("dataset == @name and size == 1")
    stored = stored[(stored["first"] == place[0]) & (stored["other"] == place[1])]
    stored = stored.set_index(["metric", "family"])["expected_d"]
    ours = ours.drop("random", level="metric")
    assert np.allclose(stored[ours.index], ours, atol=1e-4, equal_nan=True)


@pytest.mark.parametrize("task", list(EVERY))
def test_all_models_are_those_of_the_alignment_table(task):
    """Mean over repeats of the one table, and the rows "all" of the other."""
    keys = ["dataset", "scheme", "metric", "family"]
    chosen = table(task, "models").query("models == 'all' and suite == 'as forecast'").set_index(keys)["expected_d"]
    mean = table(task, "alignment").groupby(keys)["expected_d"].mean()
    assert np.allclose(chosen, mean[chosen.index], atol=2e-5, equal_nan=True)


@pytest.mark.parametrize("task", ["binary", "regression", "multivariate", "paper_binary", "paper_regression"])
def test_curves_under_the_prior_are_the_expected_tau(task):
    """Where tau is defined everywhere, the mean curve's average is the mean of the averages."""
    rows = table(task, "alignment").query("scheme == 'same'")
    whole = rows.groupby(["family", "dataset", "metric"])[["expected_tau", "expected_defined"]].agg(["mean", "min"])
    for question in EVERY[task].questions:
        tau = read.expected(table(task, "curves"), question, {"tau": question.priors})["tau"]
        family = whole.loc[question.name]
        sure = family.index[family["expected_defined", "min"] > 1 - 1e-5]
        assert len(sure) > 5
        assert np.allclose(tau[sure], family.loc[sure, ("expected_tau", "mean")], atol=1e-3)


@pytest.mark.parametrize("task", list(EVERY))
def test_stored_alignment_follows_from_the_stored_scores(task):
    """For three repeats, tau of the sampled parameters from the fold means."""
    scores, alignment = table(task, "scores"), table(task, "alignment").set_index(benchmark.KEYS).sort_index()
    repeats = list(scores.groupby(["dataset", "repeat"]))
    for (name, repeat), rows in [repeats[0], repeats[len(repeats) // 2], repeats[-1]]:
        means = rows.groupby("model").mean(numeric_only=True)
        for question in EVERY[task].questions:
            utilities = means[[column for column in means if column.startswith(f"{question.name}:s")]]
            own = f"pwu_{question.name}"
            tau = agreement(-means[[own]], utilities, tie=10 * benchmark.TIED)["tau"]  # of numbers with nine digits
            stored = alignment.loc[name, repeat, "same", own, question.name]["tau"]
            expected = np.nanmean(tau) if np.isfinite(tau).any() else np.nan
            assert stored == pytest.approx(expected, abs=2e-6, nan_ok=True)


@pytest.mark.parametrize("task", list(EVERY))
def test_the_tables_hold_what_was_planned(task):
    alignment = table(task, "alignment")
    same = alignment[alignment["scheme"] == "same"].groupby("dataset")["repeat"].nunique()
    assert same.to_dict() == {name: plan.repeats for name, plan in EVERY[task].plan.items()}
    if EVERY[task].fresh:
        fresh = table(task, "subsets").groupby("dataset")["other"].nunique()
        assert fresh.to_dict() == {name: plan.repeats for name, plan in EVERY[task].fresh.items()}
    for value in ("tau", "somers_d", "expected_tau", "expected_d"):
        assert alignment[value].dropna().between(-1, 1).all()
    for value in ("top1", "top3", "defined", "expected_defined"):
        assert alignment[value].dropna().between(0, 1 + 1e-9).all()


def test_the_papers_tables_are_whole():
    assert PAPER.groupby("table").size().to_dict() == {"2": 8, "J.1": 45, "J.2": 45, "J.3": 40, "J.4": 40}
    assert (PAPER["low"] <= PAPER["median"]).all() and (PAPER["median"] <= PAPER["high"]).all()
    mushroom = PAPER.query("table == 'J.2' and dataset == 'mushroom' and metric == 'pwu_top_k'")
    assert mushroom[["median", "low", "high"]].to_numpy().tolist() == [[1.0, 1.0, 1.0]]


@pytest.mark.parametrize("number", verdicts.RULES)
def test_the_ledger_says_what_the_tables_show(number):
    """By both schemes the verdict of the paper's nine models; ours do not count, but where only they were run."""
    ledger = stored_tables.load("claims.csv").fillna("")
    row = ledger[ledger["source"] == "PWU paper"].set_index("number").loc[number]
    runs = verdicts.Runs("" if number == "Figure K.1" else "paper_")
    assert row["verdict"] == verdicts.ledger_verdict(number) == verdicts.RULES[number](runs).verdict
    asked = number in verdicts.DRAWN + verdicts.WRONG
    assert row["released"] == (verdicts.ledger_verdict(number, "as released") if asked else "")


@pytest.mark.parametrize("number, family, own, small, large", [
    ("Table J.1", "binary", "pwu_binary", "first on all three, as in print", "on neither of the other two"),
    ("Table J.2", "top_k", "pwu_top_k", "first on one, in print on two of these",
     "on the mushrooms, where all are level, and not on the bank"),
    ("Table J.3", "selective", "pwu_selective", "first on all three, as in print", "on the other two as well"),
    ("Table J.4", "risk_averse", "pwu_risk_averse", "first on two, in print on all three", "on the other two")])
def test_the_brackets_of_the_ledger_count_the_released_settings(number, family, own, small, large):
    statement = stored_tables.load("claims.csv").query("source == 'PWU paper'").set_index("number").loc[
        number, "statement"]
    assert statement.endswith(f"it is {small}; of seven models, run once, {large}.)")
    print_ = stored_tables.load("paper_tables.csv").query("family == @family").pivot(
        index="metric", columns="dataset", values="median")

    def first(medians):
        return [name for name in medians if medians[name].max() - medians.loc[own, name] < 1e-9]

    medians, task = {}, "binary" if family in ("binary", "top_k") else "regression"
    for kind in ("released", "authors"):
        every = stored_tables.load(f"{kind}_{task}_alignment.csv.gz")
        every = every[(every["family"] == family) & (every["scheme"] == "released")]
        medians[kind] = every.groupby(["metric", "dataset"])["tau"].median().unstack().loc[print_.index]
    words = {1: "one", 2: "two", 3: "all three"}
    here, in_print = first(medians["released"]), first(print_[list(medians["released"])])
    assert small == f"first on {words[len(here)]}, " + (
        "as in print" if len(here) == len(in_print) else f"in print on {words[len(in_print)]}" + " of these" * (
            len(in_print) < 3))
    seven = {"on neither": [], "on the mushrooms": ["mushroom"], "on the other": [*medians["authors"]]}
    assert next(names for word, names in seven.items() if large.startswith(word)) == first(medians["authors"])


def test_what_is_judged_of_the_runs_stands_in_the_words_of_the_source():
    """A statement with a rule quotes it, outside of the brackets in which we say what was counted."""
    ledger = stored_tables.load("claims.csv").query("source == 'PWU paper'").set_index("number")["statement"]
    for number in verdicts.RULES:
        judged = ledger[number].partition(" (")[0]
        assert re.search(r'"[^"]{15,}"', judged), number
    assert not stored_tables.load("claims.csv")["statement"].str.contains("read here", case=False).any()


def test_how_many_models_were_ranked_is_what_the_tables_hold():
    """A random ranking's spread depends on it."""
    for suite, number in verdicts.MODELS.items():
        if suite not in ("print", "population_"):
            for task in ("binary", "regression"):
                assert table(f"{suite}{task}", "scores")["model"].nunique() == number
    assert {len(task.models()) for task in POPULATION.values()} == {verdicts.MODELS["population_"]}
    wrong = stored_tables.load("released_wrong_priors.csv.gz")
    assert wrong.groupby("dataset")["repeat"].nunique().eq(wrong_priors.REPEATS).all()


def test_the_rules_read_the_print_as_the_paper_does():
    """Its own claims by the same rules: each table, and what section 5.1 and remark J.1 see in them."""
    counted = {number: verdicts.RULES[number](verdicts.PRINT) for number in verdicts.DRAWN}
    assert [counted[f"Table J.{number}"].counted for number in range(1, 5)] == ["5 of 5", "3 of 5", "5 of 5", "5 of 5"]
    assert all(counted[number].verdict == "replicated" for number in ("Figure 2", "Section 5.1", "Remark J.1"))
    assert counted["Section 1 (contributions)"].counted == "3 of 4, no other in 3 of 4"


@pytest.mark.parametrize("rule, agreement, score", [
    ("_slightly_worse", (0.7, 0.9, 0.65, 0.61), 2), ("_slightly_worse", (0.7, 0.67, 0.65, 0.61), 1),
    ("_slightly_worse", (0.7, 0.67, 0.65, 0.59), 0), ("_strong_and_steady", (0.6, 0.55, 0.5, 0.58), 2),
    ("_strong_and_steady", (0.6, 0.5, 0.49, 0.55), 0), ("_strong_and_steady", (0.4, 0.44, 0.35, 0.4), 1),
    ("_steady", (0.6, 0.5, 0.41, 0.5), 1), ("_best_where_even", (0.1, 0.2, 0.4, 0.3), 2),
    ("_best_where_even", (0.1, 0.2, 0.3, 0.4), 1), ("_best_where_even", (0.4, 0.2, 0.3, 0.1), 0)])
def test_rules_on_four_numbers(rule, agreement, score):
    """Under the stated, slight, strong and extreme prior: a gain costs nothing, and steady is a tenth."""
    row = pd.DataFrame([agreement], index=["own"], columns=verdicts.LEVELS)
    assert getattr(verdicts, rule)(row, "own") == score


def test_a_shared_first_place_is_none():
    by = verdicts._by_dataset(verdicts.Runs("paper_", "as released"), "J.1").loc["mushroom"]
    assert by["pwu_binary"] == pytest.approx(by["brier_score"]) and by.max() == pytest.approx(by["pwu_binary"])
    assert verdicts.RULES["Table J.1"](verdicts.Runs("paper_", "as released")).counted == "4 of 5, 1 shared"


def test_figure_j7_modes_of_the_wrong_priors():
    def mode(prior):
        return (prior.a - 1) / (prior.a + prior.b - 2)

    for perturbed in (CODE_PERTURBED, PERTURBED):  # the shapes of the released code, and those of the stored metrics
        modes = {name: [mode(part) for level in levels.values() for part in level]
                 for name, levels in perturbed.items()}
        assert modes["binary"] == modes["selective"] == pytest.approx([0.2, 0.5, 0.9])
        assert modes["top_k"] == pytest.approx([0.02, 0.1, 0.5])
        assert modes["risk_averse"] == pytest.approx([0.02, 0.1, 0.1, 0.4, 0.5, 0.8])


def test_ten_models_have_ten_ranks():
    """Appendix J prints five models and ranks from 0 to 5, which are six."""
    assert len(TASKS["binary"].models()) == len(TASKS["regression"].models()) == 10
    for task in ("binary", "regression"):
        means = table(task, "scores").query("repeat == 0").groupby(["dataset", "model"])["log_loss" if task == "binary"
                                                                                       else "gaussian_nll"].mean()
        ranks = means.groupby("dataset").rank()
        assert ranks.groupby("dataset").size().eq(10).all() and ranks.max() == 10 > 5


def test_tau_of_four_fifths_is_nine_pairs_in_ten():
    tau = agreement(pd.DataFrame({"m": [5.0, 4, 3, 2, 1]}), pd.DataFrame({"u": [4.0, 5, 3, 2, 1]}))["tau"]
    assert tau.item() == pytest.approx(0.8) == pytest.approx(2 * 9 / 10 - 1)


def test_agreement_falls_on_new_data():
    for number in OWN:
        task, family = OWN[number]
        both = read.averages(table(task, "alignment"), family, ["same_two", "new_two"])
        assert both.loc[f"pwu_{family}", "new_two"] < both.loc[f"pwu_{family}", "same_two"]


@pytest.mark.weekly
@pytest.mark.parametrize("source, repeat", [("simulated credit", 3), ("simulated credit", 17), ("simulated", 11)])
def test_draws_of_the_run_with_few_labels_come_out_again(source, repeat, tmp_path):
    """Of the sources that need no files: fits, scores and regrets of one training draw."""
    fitted_by_this_version("few_labels.csv.gz")
    made = few_labels.makers(few_labels.SOURCES[source])
    cells = [grid.Cell(source, model, repeat, 0) for model in made]
    assert grid.run(cells, {source: few_labels.load(source)}, made, tmp_path, split=few_labels.split,
                          report=lambda line: None) == []
    keys = ["family", "n", "score"]
    again = few_labels.run_draw(source, repeat, "as trained", tmp_path).set_index(keys).sort_index()
    stored = stored_tables.load("few_labels.csv.gz").query(
        "source == @source and draw == @repeat and arm == 'as trained'").set_index(keys).sort_index()
    assert stored.index.equals(again.index)
    # The limit of the refusal is a quantile over random signs, which were dealt out in another order in that run.
    stored, again = (frame.drop(index="assisted, or plain if refused", level="score") for frame in (stored, again))
    for value in ("regret", "d", "chance"):
        assert np.allclose(stored[value], again[value], rtol=1e-3, atol=2e-5, equal_nan=True), value
