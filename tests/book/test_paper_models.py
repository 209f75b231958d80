"""The paper's own models: probabilities and spreads that mean something, seeds, and what SAINT owes to its batch."""

import sys

import numpy as np
import pandas as pd
import pytest

from pwu_book.runs import paper, paper_models
from pwu_book.runs.tasks import PAPER_TASKS, TASKS

# ngboost asks for an older scikit-learn, which warns about newer ones of scipy and torch.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")

RNG = np.random.default_rng(0)
X = pd.DataFrame({"a": RNG.normal(size=240), "b": RNG.normal(size=240), "kind": RNG.choice(["u", "v"], 240)})
SCORE = X["a"] - X["b"] + (X["kind"] == "u")
Y = (RNG.random(240) < 1 / (1 + np.exp(-3 * SCORE))).astype(int).to_numpy()
T = (10 * SCORE + 3 * RNG.normal(size=240) + 100).to_numpy()
TRAIN, TEST = slice(0, 160), slice(160, 240)


@pytest.mark.slow
@pytest.mark.parametrize("name", paper_models.classifiers())
def test_classifiers_beat_the_base_rate(name):
    pytest.importorskip("torch")
    pytest.importorskip("gpytorch")
    f = paper_models.classifiers()[name](0).fit(X[TRAIN], Y[TRAIN]).predict(X[TEST])
    assert f.shape == (80,) and (f >= 0).all() and (f <= 1).all()
    assert np.mean((f - Y[TEST]) ** 2) < 0.9 * np.mean((Y[TRAIN].mean() - Y[TEST]) ** 2)


@pytest.mark.slow
@pytest.mark.parametrize("name", paper_models.regressors())
def test_regressors_know_how_far_off_they_are(name):
    pytest.importorskip("torch")
    pytest.importorskip("ngboost")
    mean, std = paper_models.regressors()[name](0).fit(X[TRAIN], T[TRAIN]).predict(X[TEST])
    assert (std > 0).all() and np.mean((mean - T[TEST]) ** 2) < 0.8 * T[TEST].var()
    squared = np.mean(((mean - T[TEST]) / std) ** 2)
    assert 0.1 < squared < (40 if name == "natural boosting" else 8)  # 500 rounds without a halt: far too sure


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


def test_the_paper_asks_the_same_questions(monkeypatch):
    for name, task in PAPER_TASKS.items():
        other = TASKS[name.removeprefix("paper_")]
        assert task.questions is other.questions and task.metrics is other.metrics and set(task.plan) == set(other.plan)
        assert len(task.models()) == 9
    given = []
    monkeypatch.setattr(paper.run, "main", lambda words: given.append(words) or 0)
    monkeypatch.setenv(paper_models.DEVICE, "cpu")
    paper.main(["binary", "--device", "meta", "--jobs", "2"])
    assert given == [["paper_binary", "--jobs", "2"]] and paper_models.Network("mlp", 0).device == "meta"
