"""The paper's own models: probabilities and spreads that mean something, seeds, and what SAINT owes to its batch."""

import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from pwu_book import tables
from pwu_book.runs import align, datasets, grid, paper, paper_models, read, released_models, wrong_priors
from pwu_book.runs.tasks import PAPER_TASKS, RELEASED, TASKS, Fold
from pwu_book.studies import STUDIES, study

# ngboost asks for an older scikit-learn, which warns about newer ones of scipy and torch.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")

RNG = np.random.default_rng(0)
X = pd.DataFrame({"a": RNG.normal(size=240), "b": RNG.normal(size=240), "kind": RNG.choice(["u", "v"], 240)})
SCORE = X["a"] - X["b"] + (X["kind"] == "u")
Y = (RNG.random(240) < 1 / (1 + np.exp(-3 * SCORE))).astype(int).to_numpy()
T = (10 * SCORE + 3 * RNG.normal(size=240) + 100).to_numpy()
TRAIN, TEST = slice(0, 160), slice(160, 240)


@pytest.mark.slow
@pytest.mark.parametrize("models", [paper_models, released_models])
@pytest.mark.parametrize("name", paper_models.classifiers())
def test_classifiers_beat_the_base_rate(models, name):
    pytest.importorskip("torch")
    pytest.importorskip("gpytorch")
    f = models.classifiers()[name](0).fit(X[TRAIN], Y[TRAIN]).predict(X[TEST])
    assert f.shape == (80,) and (f >= 0).all() and (f <= 1).all()
    assert np.mean((f - Y[TEST]) ** 2) < 0.9 * np.mean((Y[TRAIN].mean() - Y[TEST]) ** 2)


@pytest.mark.slow
@pytest.mark.parametrize("models", [paper_models, released_models])
@pytest.mark.parametrize("name", paper_models.regressors())
def test_regressors_know_how_far_off_they_are(models, name):
    pytest.importorskip("torch")
    pytest.importorskip("ngboost")
    mean, std = models.regressors()[name](0).fit(X[TRAIN], T[TRAIN]).predict(X[TEST])
    assert (std > 0).all() and np.mean((mean - T[TEST]) ** 2) < 0.8 * T[TEST].var()
    squared = np.mean(((mean - T[TEST]) / std) ** 2)
    assert 0.1 < squared < (1000 if name == "natural boosting" else 8)  # 500 rounds without a halt: far too sure


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["mlp", "saint"])
def test_the_seed_decides_and_saint_looks_at_its_batch(kind):
    pytest.importorskip("torch")
    Z = X[["a", "b"]].to_numpy()
    first, again, other = (paper_models.Network(kind, seed).fit(Z[TRAIN], Y[TRAIN]) for seed in (0, 0, 1))
    chance = first.predict_proba(Z[TEST])[:, 1]
    np.testing.assert_allclose(again.predict_proba(Z[TEST])[:, 1], chance, rtol=1e-5)
    assert np.abs(other.predict_proba(Z[TEST])[:, 1] - chance).max() > 1e-3
    alone = np.concatenate([first.predict_proba(Z[at:at + 1])[:, 1] for at in range(160, 240)])
    assert (np.abs(alone - chance).max() > 1e-3) == (kind == "saint")


def test_without_torch_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ValueError, match=r"pwu_book\[paper\]"):
        paper_models.Network("mlp", 0).fit(np.ones((4, 1)), np.array([0, 1, 0, 1]))
    with pytest.raises(ValueError, match="kind must be one of mlp, resnet"):
        paper_models.Network("cnn", 0)


def test_the_paper_asks_the_same_questions():
    for name, task in {**PAPER_TASKS, **RELEASED}.items():
        other = TASKS[task.kind]
        sets = {dataset.replace("_released", "_many" if "air" in dataset else "") for dataset in task.plan}
        assert task.questions is other.questions and task.metrics is other.metrics and sets <= set(other.plan)
        many = {"both": 17, "released_multi": 5, "authors_multiclass": 4, "authors_multivariate": 5,  # two in both
                "authors_binary": 7, "authors_regression": 7}
        assert len(task.models()) == next((n for word, n in many.items() if name.startswith(word)), 9)


def test_what_the_released_code_asks_of_several_outputs_has_the_units_of_the_file():
    task = RELEASED["released_multivariate"]
    rng = np.random.default_rng(0)
    y, mean = rng.normal(size=(2, 40, 2)) * [1, 100]
    fold = task.prepare(Fold(y, (mean, np.tile(np.diag([1.0, 1e4]), (40, 1, 1))), np.array([1.0, 1e4])))
    assert task.extra["mse_own_units"](fold) == pytest.approx(((y - mean) ** 2).sum(axis=1).mean())
    assert task.metrics["mean_squared_error"](fold) == pytest.approx((((y - mean) / [1, 100]) ** 2).sum(axis=1).mean())


def test_released_settings():
    """Those that need no torch, as the released code sets them; the same names as with our settings."""
    makers = released_models.classifiers()
    assert list(makers) == list(paper_models.classifiers())
    assert list(released_models.regressors()) == list(paper_models.regressors())
    trees = makers["gradient boosting"](3).fit(X[TRAIN], Y[TRAIN]).estimator.trees
    assert (trees.n_estimators, trees.learning_rate, trees.max_depth, trees.random_state) == (500, 0.03, 3, 3)
    assert [released_models._few_hundred(n) for n in (999, 1000)] == [500, 1000]
    network = makers["MLP"](3).fit(X[TRAIN], Y[TRAIN]).estimator.network
    assert (network.hidden_layer_sizes, network.batch_size, network.n_iter_no_change) == ((128, 128), 32, 20)
    forest = released_models.regressors()["random forest"](3).fit(X[TRAIN], T[TRAIN])
    each = np.array([tree.predict(forest.prepare.transform(X[TEST])) for tree in forest.model.forest.estimators_])
    wanted = forest.unit * np.sqrt(each.var(axis=0, ddof=1) + forest.model.noise)
    np.testing.assert_allclose(forest.predict(X[TEST])[1], wanted)
    holes = pd.DataFrame({"kind": ["u", "u", np.nan, "v"]})
    assert released_models.preprocessing().fit_transform(holes)[2].tolist() == [1.0, 0.0]  # the most frequent one


def test_released_settings_of_several_outputs():
    """Spread of least squares, seeds of the forests, constant columns, and the mixture; those that need no torch."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"a": rng.normal(size=60), "b": rng.normal(size=60), "same": np.repeat([1.0, 2.0], [50, 10])})
    targets = np.column_stack([table["a"] + rng.normal(size=60), 100 * table["b"]])
    makers = released_models.multivariate_regressors()
    lines = makers["least squares"](0).fit(table[:50], targets[:50])
    mean, cov = lines.predict(table[50:])
    A = np.column_stack([np.ones(50), table.loc[:49, ["a", "b"]]])  # the third is constant there: it is left out
    coefficients, rest, *_ = np.linalg.lstsq(A, targets[:50], rcond=None)
    np.testing.assert_allclose(mean, np.column_stack([np.ones(10), table.loc[50:, ["a", "b"]]]) @ coefficients)
    np.testing.assert_allclose(cov, np.tile(np.diag(rest / 47), (10, 1, 1)), atol=1e-9)
    forest = makers["random forest"](3).fit(table[:50], targets[:50])
    assert [part.forest.random_state for part in forest.model.parts] == [3, 4]
    members = [SimpleNamespace(predict=lambda Z, at=at: (np.full((1, 2), at), np.array([[[2.0, 1.0], [1.0, 2.0]]])))
               for at in (-1.0, 1.0)]
    mean, cov = released_models._JointMixture(members).predict(None)
    assert mean.tolist() == [[0.0, 0.0]] and cov.tolist() == [[[3.0, 2.0], [2.0, 3.0]]]


def test_a_joint_network_says_means_and_a_covariance():
    pytest.importorskip("torch")
    rng = np.random.default_rng(0)
    Z, noise = rng.normal(size=(600, 1)), rng.multivariate_normal([0, 0], [[0.04, 0.03], [0.03, 0.04]], 600)
    network = released_models.JointNetwork(0).fit(Z, np.column_stack([Z[:, 0], -Z[:, 0]]) + noise)
    mean, cov = network.predict(Z)
    assert np.abs(mean[:, 0] + mean[:, 1]).mean() < 0.1 and np.corrcoef(mean[:, 0], Z[:, 0])[0, 1] > 0.99
    assert (np.linalg.eigvalsh(cov) > 0).all()
    assert np.mean(cov[:, 0, 1] / np.sqrt(cov[:, 0, 0] * cov[:, 1, 1])) == pytest.approx(0.75, abs=0.15)
    torch = sys.modules["torch"]
    outputs, y = torch.randn(5, 5, dtype=torch.double), torch.randn(5, 2, dtype=torch.double)
    law = network._law(torch, outputs)
    normal = torch.distributions.MultivariateNormal(law[0], scale_tril=law[1])
    assert float(network._loss(torch, outputs, y)) == pytest.approx(
        float(-2 * normal.log_prob(y).mean() - 2 * np.log(2 * np.pi)))


def test_wrong_priors_are_drawn_as_by_the_released_script():
    """One generator for all: c and then k / n by level; for numbers lambda, k / n and gamma, level by level."""
    shapes = {"slight": ((3, 9), (1.5, 25.5), (2, 10)), "strong": ((10, 10), (2, 10), (5, 7)),
              "extreme": ((10, 2), (10, 10), (9, 3))}
    rng = np.random.default_rng(0)
    cost = {level: stats.beta.rvs(*one[0], size=5, random_state=rng) for level, one in shapes.items()}
    share = {level: stats.beta.rvs(*one[1], size=5, random_state=rng) for level, one in shapes.items()}
    found = wrong_priors.draws(TASKS["binary"])
    for level in shapes:
        np.testing.assert_array_equal(found[level]["binary"].ravel(), cost[level])
        np.testing.assert_array_equal(found[level]["top_k"].ravel(), share[level])
    rng, found = np.random.default_rng(0), wrong_priors.draws(TASKS["regression"])
    for level, one in shapes.items():
        price, few, aversion = (stats.beta.rvs(*shape, size=5, random_state=rng) for shape in one)
        np.testing.assert_array_equal(found[level]["selective"].ravel(), price)
        np.testing.assert_array_equal(found[level]["risk_averse"], np.column_stack([few, aversion]))
    assert list(found) == ["stated", *shapes] and list(found["stated"]) == ["selective", "risk_averse"]


def test_wrong_priors_have_the_released_seeds_names_and_rows(monkeypatch):
    """Folds count from one, models by the alphabet, and cars without a horsepower are left out."""
    asked = []
    monkeypatch.setattr(released_models, "regressors", lambda: dict.fromkeys(("SAINT", "least squares"), asked.append))
    made = wrong_priors.makers(TASKS["regression"])
    assert list(made) == ["LinReg", "SAINT"]
    made["SAINT"](7000 + 4)  # repeat 7, the fifth fold
    made["LinReg"](0)
    assert asked == [75, 1]
    cars = SimpleNamespace(X=pd.DataFrame({"horsepower": [1.0, np.nan, 3.0]}), y=np.array([5.0, 6.0, 7.0]),
                           _replace=lambda **changed: SimpleNamespace(**changed))
    monkeypatch.setattr(wrong_priors.datasets, "load", lambda name: cars)
    assert wrong_priors.data_set("auto_mpg").y.tolist() == [5.0, 7.0] and len(wrong_priors.data_set("energy").y) == 3


def test_costs_of_yes_or_no_are_summed_and_equal_names_stand_for_one():
    """The larger fold weighs more there; of draws with one name, .9512 and .9520, the second counts twice."""
    few, many = np.array([1, 0]), np.repeat([1, 0], 20)
    says = {"A": (np.array([0.2, 0.1]), np.where(many == 1, 0.99, 0.01)),  # wrong on the small fold only
            "B": (np.array([0.99, 0.01]), np.where(many == 1, 0.2, 0.01)),
            "C": (np.array([0.3, 0.4]), np.where(many == 1, 0.8, 0.4))}
    folds = [(name, Fold(y, (f,))) for name, both in says.items() for y, f in zip((few, many), both, strict=True)]
    found = wrong_priors.taus(TASKS["binary"], folds).set_index(["prior", "family", "metric"])["tau"]

    def cost(c, y, f):
        return np.sum(np.where(y == 1, (1 - c) * (f < c), c * (f >= c)))

    draws = wrong_priors.draws(TASKS["binary"])["extreme"]["binary"].ravel()
    assert np.round(draws, 2)[3] == np.round(draws, 2)[4] == 0.95
    different = {(level, family): len({tuple(row.round(2)) for row in rows}) for level, families
                 in wrong_priors.draws(TASKS["binary"]).items() for family, rows in families.items()}
    assert {place: number for place, number in different.items() if number < 5} == {
        ("stated", "top_k"): 4, ("extreme", "binary"): 4, ("slight", "top_k"): 3}
    own = TASKS["binary"].metrics["pwu_binary"]
    metrics = {"brier_score": lambda y, f: np.mean((f - y) ** 2),
               "pwu_binary": lambda y, f: y.size * own(Fold(y, (f,)))}
    bills = [[np.mean([cost(c, few, one), cost(c, many, other)]) for one, other in says.values()]
             for c in draws[[0, 1, 2, 4, 4]]]
    for name, metric in metrics.items():
        loss = [np.mean([metric(few, one), metric(many, other)]) for one, other in says.values()]
        orders = [np.argsort(np.argsort(values, kind="stable")) for values in (loss, *bills)]
        signs = [(order[i] - order[j]) * (orders[0][i] - orders[0][j]) > 0 for order in orders[1:]
                 for i in range(3) for j in range(i)]
        assert found["extreme", "binary", name] == pytest.approx(2 * np.mean(signs) - 1)


def test_models_that_are_level_but_for_rounding_are_level():
    """The same forecasts of like cases in another order: sums differ in their last digits, the table does not."""
    rng, y = np.random.default_rng(0), np.repeat([0, 1], 50)
    one, other = rng.random(100), rng.random(100)
    again = np.concatenate([rng.permutation(one[:50]), rng.permutation(one[50:])])
    assert np.mean((one - y) ** 2) > np.mean((again - y) ** 2)
    found, wanted = (wrong_priors.taus(TASKS["binary"], [("A", Fold(y, (one,))), ("B", Fold(y, (other,))),
                                                         ("C", Fold(y, (third,)))]) for third in (again, one))
    pd.testing.assert_frame_equal(found, wanted)


def test_a_part_of_the_wrong_priors_does_not_replace_the_whole(capsys):
    for words in (["--datasets", "heart"], ["--repeats", "1"]):
        with pytest.raises(SystemExit):
            wrong_priors.main(words)
        assert "would overwrite the tables of the whole" in capsys.readouterr().err


def test_the_released_protocol_has_its_own_tables(monkeypatch, capsys):
    asked = []
    monkeypatch.setattr(paper.run, "main", lambda words: asked.append(words) or 0)
    assert paper.main(["binary", "--protocol", "released", "--jobs", "1"]) == 0
    assert asked == [["released_binary", "--jobs", "1"]]
    with pytest.raises(SystemExit):
        paper.main(["credit", "--protocol", "released"])
    assert "only of binary and regression" in capsys.readouterr().err


def test_tables_and_cells_name_the_device(monkeypatch):
    """A fit on a GPU is another fit: its cells are not mixed with those of a processor."""
    monkeypatch.setenv(paper_models.DEVICE, "cpu")
    data, plain = SimpleNamespace(X=X, y=Y), tables.versions()
    made = grid._made_by(data)
    monkeypatch.setenv(paper_models.DEVICE, "cuda")
    assert tables.versions() == f"{plain}, device cuda" and grid._made_by(data) != made


@pytest.mark.parametrize("case", ["credit", "lending"])
def test_the_case_studies_use_the_same_splits(case, tmp_path):
    """Two models are in both suites, fitted with other versions, and a fit without a seed comes out again."""
    ours, theirs = (tables.load(f"{name}_scores.csv.gz").set_index(["dataset", "repeat", "part", "model"]).sort_index()
                    for name in (case, f"paper_{case}"))
    shared = [place for place in theirs.index if place[3] in ("logistic regression", "random forest")]
    splits = sum(STUDIES[f"paper_{case}"].repeats.values())
    assert len(shared) == splits * 2 * 2 and len(theirs) == splits * 2 * 9
    np.testing.assert_allclose(theirs.loc[shared, "brier_score"], ours.loc[shared, "brier_score"], rtol=5e-3)
    what = STUDIES[f"paper_{case}"]
    data = what.load("simulated")
    assert study.fit(what, data, [3], tmp_path, models=["logistic regression"]) == []
    found = study.tables(what, data, 3, tmp_path, ["logistic regression"])
    assert list(found) == ["scores"]
    again = found["scores"].set_index(["dataset", "repeat", "part", "model"])[theirs.columns]
    np.testing.assert_allclose(again, theirs.loc[again.index], rtol=1e-3, atol=1e-6)


def test_one_command_runs_both_suites_and_says_what_is_left_out(monkeypatch, capsys):
    given = []
    monkeypatch.setattr(paper.run, "main", lambda words: given.append(words) or 0)
    monkeypatch.setattr(paper, "_torch", lambda: SimpleNamespace(zeros=lambda size, device: None))
    monkeypatch.setenv(paper_models.DEVICE, "cpu")
    monkeypatch.setenv(paper_models.WEIGHTS, "")
    paper.main(["binary", "--device", "meta", "--jobs", "2"])
    assert given == [["paper_binary", "--jobs", "2"], ["both_binary", "--jobs", "2"]]
    assert paper_models.Network("mlp", 0).device == "meta" and "TabPFN is left out" in capsys.readouterr().out
    paper.main(["regression", "--tabpfn", "weights", "--datasets", "energy"])
    assert given[2:] == [["paper_regression", "--datasets", "energy"]]
    monkeypatch.setattr(paper.studies, "main", lambda words: given.append(words) or 0)
    paper.main(["lending", "--jobs", "2"])
    assert given[3:] == [["paper_lending", "--jobs", "2"]] and "left out" not in capsys.readouterr().out
    assert "TabPFN" in paper_models.classifiers() and "TabPFN" in paper_models.regressors()


def test_a_device_that_is_not_there_is_named_before_anything_is_fitted(monkeypatch, capsys):
    def refuse(size, device):
        raise RuntimeError("Expected one of cpu, cuda\nand a long list")

    monkeypatch.setattr(paper, "_torch", lambda: SimpleNamespace(zeros=refuse))
    monkeypatch.setattr(paper.run, "main", lambda words: pytest.fail("fitted"))
    with pytest.raises(SystemExit):
        paper.main(["binary", "--device", "moon"])
    said = capsys.readouterr().err.strip().splitlines()[-1]
    assert said.endswith("error: nothing can be computed on 'moon': Expected one of cpu, cuda")


class Pretended:
    """Stands in for the package tabpfn: a normal law around the mean of the training targets."""

    def __init__(self, model_path, device, random_state):
        self.path = model_path

    def fit(self, Z, t):
        self.t = t

    def predict_proba(self, Z):
        return np.tile([1 - self.t.mean(), self.t.mean()], (len(Z), 1))

    def predict(self, Z, output_type="mean", quantiles=()):
        if output_type == "mean":
            return np.full(len(Z), self.t.mean())
        return [np.full(len(Z), np.quantile(self.t, level)) for level in quantiles]


def test_tabpfn_takes_the_readers_weights(monkeypatch, tmp_path):
    with pytest.raises(ValueError, match=r"one file \*classifier\*.ckpt in the folder .*, got 0"):
        paper_models.Pretrained(0).fit(np.ones((4, 1)), np.array([0, 1, 0, 1]))
    monkeypatch.setenv(paper_models.WEIGHTS, str(tmp_path))
    for kind in ("classifier", "regressor"):
        (tmp_path / f"some-{kind}-v2.ckpt").touch()
    monkeypatch.setitem(sys.modules, "tabpfn", None)
    with pytest.raises(ValueError, match="pip install tabpfn"):
        paper_models.Pretrained(0).fit(np.ones((4, 1)), np.array([0, 1, 0, 1]))
    monkeypatch.setitem(sys.modules, "tabpfn", SimpleNamespace(TabPFNClassifier=Pretended, TabPFNRegressor=Pretended))
    chance = paper_models.classifiers()["TabPFN"](0).fit(X, Y).predict(X)
    assert chance[0] == Y.mean()
    rng = np.random.default_rng(1)
    Z, t = rng.normal(size=(12_000, 2)), rng.normal(size=12_000)
    model = paper_models.Pretrained(0, gaussian=True).fit(Z, t)
    assert len(model.model.t) == 10_000 and model.model.path.endswith("some-regressor-v2.ckpt")
    assert model.predict(Z[:3])[1] == pytest.approx(np.ones(3), rel=0.05)  # half of two standard deviations, squared


@pytest.mark.weekly
@pytest.mark.parametrize("kind, name, model", [("binary", "heart", "MLP"), ("binary", "sonar", "ResNet"),
                                               ("regression", "auto_mpg", "FT-Transformer")])
def test_a_stored_cell_comes_out_again(kind, name, model, tmp_path):
    """One repeat of one model; torch's sums differ between machines, so to a tolerance."""
    pytest.importorskip("torch")
    try:
        data = datasets.load(name)
    except (FileNotFoundError, ImportError) as reason:
        pytest.skip(f"needs the data: {str(reason)[:60]}")
    task = PAPER_TASKS[f"paper_{kind}"]
    cells = [grid.Cell(name, model, 0, fold) for fold in range(5)]
    assert grid.run(cells, {name: data}, task.models(), tmp_path, report=lambda line: None) == []
    again = align.score_repeat(task, name, 0, [model], tmp_path)
    stored = tables.load(f"paper_{kind}_scores.csv.gz").query("dataset == @name and model == @model and repeat == 0")
    score = "brier_score" if kind == "binary" else "gaussian_nll"
    np.testing.assert_allclose(again[score].to_numpy(), stored[score].to_numpy(), rtol=0.05)


@pytest.mark.parametrize("m", [2, 5, 9])
def test_one_more_model_that_is_first_or_last_everywhere(m):
    """Kendall's tau, counted anew with the added model on either end."""
    rng = np.random.default_rng(m)
    for _ in range(20):
        one, two = rng.permutation(m), rng.permutation(m)
        tau = stats.kendalltau(one, two).statistic
        for end in (-1, m):
            more = stats.kendalltau(np.append(one, end), np.append(two, end)).statistic
            assert read.with_a_clear_first(tau, m) == pytest.approx(more, abs=1e-12)
