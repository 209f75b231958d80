"""The stated population of models: fifty for each task, five settings of each kind, nothing chosen by a result."""

import numpy as np
import pandas as pd
import pytest

from pwu_book import tables
from pwu_book.runs import align, population, read
from pwu_book.runs.tasks import POPULATION

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # as in a run
rng = np.random.default_rng(0)
X = pd.DataFrame(rng.normal(size=(150, 3)), columns=list("abc"))


@pytest.mark.parametrize("task", ["binary", "regression"])
def test_each_kind_has_five_settings_and_the_task_fifty_models(task):
    assert set(population.settings(task).groupby("kind").size()) == {5}
    makers = POPULATION[f"population_{task}"].models()
    assert len(makers) == 50 and set(pd.Series(population.kinds(makers)).value_counts()) == {5 if task == "binary"
                                                                                            else 10}


def test_every_classifier_gives_probabilities_of_its_seed_alone():
    y = (X["a"] + rng.normal(size=150) > 0).to_numpy().astype(int)
    for name, maker in population.classifiers().items():
        first, again = (maker(3).fit(X[:120], y[:120]).predict(X[120:]) for _ in range(2))
        assert np.all((first >= 0) & (first <= 1)), name
        np.testing.assert_array_equal(first, again)


def test_every_regressor_says_how_sure_it_is_in_two_ways():
    y = 5 * X["a"].to_numpy() + rng.normal(size=150)
    for name, maker in population.regressors().items():
        mean, std = maker(3).fit(X[:120], y[:120]).predict(X[120:])
        assert np.isfinite(mean).all() and std.min() > 0, name
        assert (np.ptp(std) == 0) == ("one spread" in name), name


def test_sets_leave_out_single_models_and_whole_kinds():
    task = POPULATION["population_binary"]
    names = list(task.models())
    index = pd.MultiIndex.from_product([names, range(5)], names=["model", "fold"])
    frame = pd.DataFrame(rng.normal(size=(250, 2)), index=index, columns=["pwu_binary", "pwu_top_k"])
    sets = align.suites(task, frame, names)
    assert sum(len(chosen) == 49 for chosen in sets.values()) == 50
    kinds = {name: chosen for (_, name), chosen in sets.items() if name.startswith("all kinds but ")}
    assert len(kinds) == 10 and all(len(chosen) == 45 for chosen in kinds.values())
    assert not any(name.startswith("tree ") for name in kinds["all kinds but tree"])
    assert any(name.startswith("tree ") for name in kinds["all kinds but extra trees"])


@pytest.mark.parametrize(("task", "family", "kinds"), [("binary", "binary", 10), ("regression", "risk_averse", 5)])
def test_intervals_over_models_leave_out_whole_kinds(task, family, kinds):
    """By hand: the spread of the leads without one kind each, not without one setting each."""
    models, cases = (tables.load(f"population_{task}_{part}.csv.gz") for part in ("models", "cases"))
    own, rival = f"pwu_{family}", {"binary": "log_loss", "regression": "gaussian_nll"}[task]
    found = read.leads(models, cases, family, own, "new_two", rival=rival)
    rows = models[(models["family"] == family) & (models["scheme"] == "new_two") & (models["suite"] == "as forecast")]
    for dataset in found.index:
        wide = rows[rows["dataset"] == dataset].pivot(index="models", columns="metric", values="expected_d")
        gap, error = wide[own] - wide[rival], {}
        for start in ("all kinds but ", "without "):
            left = gap[[name for name in gap.index if name.startswith(start) and not name.endswith("worst two")]]
            error[start] = np.sqrt((len(left) - 1) / len(left) * ((left - left.mean()) ** 2).sum())
            assert len(left) == (kinds if start == "all kinds but " else 50)
        assert found.loc[dataset, "models"] == pytest.approx(error["all kinds but "], rel=1e-9)
        assert found.loc[dataset, "models"] != pytest.approx(error["without "], rel=1e-6)
