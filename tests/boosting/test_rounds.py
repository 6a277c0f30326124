"""The rounds of boosting against scikit-learn, and properties that hold for every loss."""

import itertools

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

import gramian
from gramian._boosting.losses import LINKS, Loss
from gramian._boosting.model import BoostedModel
from gramian._boosting.rows import Part
from gramian._boosting.run import BoostingRun
from gramian._boosting.settings import BoostingSettings, TreePlan
from gramian.config import core_context


def boosted(X, y, loss, plan=None, n_rounds=10, weight=None, **options):
    n_levels = options.pop("n_levels", np.zeros(X.shape[1], np.int32))
    y = np.asarray(y, float)
    settings = BoostingSettings(plan or TreePlan(), **options)
    fit = BoostingRun(Part(X, y, weight), loss, settings, n_levels=n_levels)
    for number in range(n_rounds):
        fit.step(number)
    trees, gains = fit.trees()
    return fit, BoostedModel(trees, gains, fit.baseline, loss.name, loss.parameter)


def coarse(X, step=0.01):
    """Return columns of so few values that bins hold one each."""
    return np.round(X / step) * step


def test_regression_is_scikit_learns():
    X, y = load_diabetes(return_X_y=True)
    X = coarse(X)
    _, model = boosted(X, y, Loss("squared_error"), n_rounds=30)
    other = HistGradientBoostingRegressor(max_iter=30, early_stopping=False).fit(X, y)
    np.testing.assert_allclose(model.scores(X)[:, 0], other.predict(X), rtol=1e-6)


def test_classification_is_scikit_learns():
    X, y = load_iris(return_X_y=True)
    _, model = boosted(X, y, Loss("softmax", n_groups=3), n_rounds=20)
    other = HistGradientBoostingClassifier(max_iter=20, early_stopping=False).fit(X, y)
    shares = model.loss.predict(model.scores(X))
    np.testing.assert_allclose(shares, other.predict_proba(X), atol=1e-5)


@pytest.mark.parametrize("growth", ["leaf", "level", "symmetric"])
def test_the_model_gives_the_scores_of_the_fit(growth):
    X, y = load_breast_cancer(return_X_y=True)
    X = X.astype(np.float32)
    plan = TreePlan(growth=growth, max_depth=4, max_leaves=16)
    fit, model = boosted(X, y, Loss("logistic"), plan, n_rounds=8)
    np.testing.assert_array_equal(model.scores(X).T, fit.train.scores)
    *_, last = model.staged_scores(X)
    np.testing.assert_array_equal(last, model.scores(X))
    first = model.rounds(0, 3)
    stages = list(model.staged_scores(X))
    np.testing.assert_array_equal(first.scores(X), stages[2])
    assert first.n_rounds == 3


@pytest.mark.parametrize("depth", [1, 3, 6, 8])
def test_symmetric_trees_predict_what_they_learnt(depth):
    rng = np.random.default_rng(5)
    X = np.where(rng.random((3000, 6)) < 0.1, np.nan, rng.normal(size=(3000, 6)))
    y = np.nan_to_num(X).sum(axis=1) + np.isnan(X[:, 0])
    plan = TreePlan(growth="symmetric", max_depth=depth, max_leaves=0, min_rows=1)
    fit, model = boosted(X, y, Loss("squared_error"), plan, n_rounds=30)
    assert (np.diff(model.trees.node_offsets) == 2 ** (depth + 1) - 1).all()
    np.testing.assert_array_equal(model.scores(X).T, fit.train.scores)
    one_by_one = np.vstack([model.scores(row[None]) for row in X[:20]])
    np.testing.assert_array_equal(one_by_one, model.scores(X)[:20])


@pytest.mark.parametrize("name", sorted(LINKS))
def test_every_loss_falls(name):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 4))
    y = np.exp(X[:, 0] + 0.3 * rng.normal(size=600))
    if name in ("logistic", "softmax"):
        y = (y > 1.0).astype(float) + (name == "softmax") * (X[:, 1] > 0.5)
    parameter = {"huber": 1.0, "quantile": 0.8, "expectile": 0.7, "tweedie": 1.5}.get(name, 0.0)
    loss = Loss(name, parameter, 3 if name == "softmax" else 1)
    ctx = core_context()
    settings = BoostingSettings(TreePlan(max_leaves=8), learning_rate=0.3)
    fit = BoostingRun(Part(X, y, None), loss, settings)
    before = [loss.mean(y, None, fit.train.scores, ctx)]
    for number in range(8):
        fit.step(number)
        before.append(loss.mean(y, None, fit.train.scores, ctx))
    assert all(later < earlier for earlier, later in itertools.pairwise(before))
    # What the best scores of all would leave; classes can be told apart for sure.
    perfect = np.log(y) if LINKS[name] == "log" else y
    least = 0.0 if "logit" in LINKS[name] else loss.mean(y, None, perfect[None], ctx)
    assert before[-1] - least < 0.75 * (before[0] - least)


@pytest.mark.parametrize("name", ["squared_error", "logistic", "absolute_error"])
def test_whole_weights_are_copies(name):
    rng = np.random.default_rng(1)
    X = coarse(rng.normal(size=(400, 3)), 0.25)
    y = (X[:, 0] + rng.normal(size=400) > 0).astype(float)
    weight = rng.integers(0, 4, size=400).astype(float)
    repeated = np.repeat(np.arange(400), weight.astype(int))
    plan = TreePlan(max_leaves=10, min_rows=5)
    _, model = boosted(X, y, Loss(name), plan, weight=weight)
    _, copies = boosted(X[repeated], y[repeated], Loss(name), plan)
    np.testing.assert_allclose(model.scores(X), copies.scores(X), atol=1e-9)
    np.testing.assert_array_equal(model.trees.feature, copies.trees.feature)


def test_levels_missing_values_and_unknown_levels():
    rng = np.random.default_rng(2)
    levels = rng.integers(0, 40, size=3000).astype(float)
    effect = rng.normal(size=40)
    y = effect[levels.astype(int)] + 0.1 * rng.normal(size=3000)
    X = np.column_stack([levels, rng.normal(size=3000)])
    X[::7, 0] = np.nan
    y[::7] = 3.0
    _, model = boosted(
        X, y, Loss("squared_error"), n_rounds=60, n_levels=np.array([40, 0], np.int32)
    )
    predicted = model.scores(X)[:, 0]
    assert np.abs(predicted - y)[1:].mean() < 0.12
    new = np.array([[np.nan, 0.0], [77.0, 0.0]])
    np.testing.assert_allclose(model.scores(new)[:, 0], 3.0, atol=0.1)


def test_any_number_of_threads_gives_the_same_model():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(40_000, 5)).astype(np.float32)
    y = (X[:, 0] * X[:, 1] > 0).astype(float)
    models = [boosted(X, y, Loss("logistic"), n_rounds=3, n_jobs=k)[1] for k in (1, 2, 3)]
    prints = {gramian.fingerprint(model.trees) for model in models}
    assert len(prints) == 1


def test_importances_add_up():
    X, y = load_diabetes(return_X_y=True)
    _, model = boosted(X, y, Loss("squared_error"))
    n_splits = int((model.trees.feature >= 0).sum())
    assert model.importances("split").sum() == n_splits
    np.testing.assert_allclose(model.importances("gain").sum(), model.split_gain.sum())
    assert model.importances("cover").min() >= 0
    assert (model.split_gain > 0).all()


def test_symmetric_trees_with_empty_nodes_are_the_same_each_time():
    X, y = load_diabetes(return_X_y=True)
    plan = TreePlan(growth="symmetric", max_depth=6, max_leaves=0, min_rows=1, l2=1.0)
    first, *others = (
        boosted(X, y, Loss("squared_error"), plan, n_rounds=5)[1].scores(X) for _ in range(4)
    )
    for other in others:
        np.testing.assert_array_equal(other, first)
