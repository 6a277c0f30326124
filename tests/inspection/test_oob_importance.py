"""Importances by shuffling columns among the rows out of the bag."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse, stats

from gramian.datasets import load_diabetes, load_iris, load_wine
from gramian.ensemble import ExtraTreesClassifier, RandomForestClassifier, RandomForestRegressor
from gramian.inspection import oob_permutation_importance
from gramian.linear_model import Ridge


class _AsMatrix:
    """A tree that is asked with levels as their codes."""

    _estimator_type = "regressor"

    def __init__(self, tree):
        self.nodes = tree.tree_

    def predict(self, rows):
        return self.nodes.value[self.nodes.apply(rows), 0, 0]


def by_definition(forest, X, y, seed, samples=None):
    """Return the losses of shuffling, tree by tree, by the trees' own predictions."""
    rng = np.random.RandomState(seed)
    is_classifier = forest[0]._estimator_type == "classifier"
    samples = forest.estimators_samples_ if samples is None else samples
    codes = np.unique(y, return_inverse=True)[1] if is_classifier else y
    losses = np.zeros((X.shape[1], len(forest)))
    for t, (tree, seen) in enumerate(zip(forest, samples, strict=True)):
        out = np.setdiff1d(np.arange(len(y)), seen)
        order = rng.permutation(len(out))

        def loss(rows, tree=tree, out=out):
            found = tree.predict(rows)
            return np.mean(found != codes[out] if is_classifier else (found - y[out]) ** 2)

        for column in range(X.shape[1]):
            shuffled = X[out].copy()
            shuffled[:, column] = shuffled[order, column]
            losses[column, t] = loss(shuffled) - loss(X[out])
    return losses


@pytest.mark.parametrize("cls", [RandomForestClassifier, RandomForestRegressor])
def test_against_the_definition(cls):
    X, y = (load_iris if cls is RandomForestClassifier else load_diabetes)(return_X_y=True)
    labels = np.array(["a", "b", "c"])[y] if cls is RandomForestClassifier else y
    forest = cls(12, max_depth=3, random_state=0).fit(X, labels)
    found = oob_permutation_importance(forest, X, labels, random_state=1)
    expected = by_definition(forest, X, labels, 1)
    assert_allclose(found.importances, expected, rtol=1e-9, atol=1e-12)
    assert_allclose(found.importances_mean, expected.mean(axis=1), rtol=1e-9, atol=1e-12)
    assert_allclose(found.importances_std, expected.std(axis=1), rtol=1e-9, atol=1e-12)
    interval = stats.t.interval(0.95, 11, expected.mean(axis=1), stats.sem(expected, axis=1))
    assert_allclose(found.importances_ci.T, interval, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_missing_values_and_deep_trees_for_any_number_of_threads(dtype):
    X, y = load_diabetes(return_X_y=True)
    X = X.astype(dtype)
    X[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
    forest = RandomForestRegressor(6, max_features=0.5, random_state=0).fit(X, y)
    found = [
        oob_permutation_importance(forest.set_params(n_jobs=n_jobs), X, y, random_state=1)
        for n_jobs in (1, 3)
    ]
    assert_allclose(found[0].importances, by_definition(forest, X, y, 1), rtol=1e-9, atol=1e-9)
    assert_array_equal(found[0].importances, found[1].importances)


def test_levels_are_shuffled_as_their_codes():
    rng = np.random.default_rng(0)
    levels = np.array([f"level {k:02}" for k in range(80)], dtype=object)
    frame = pd.DataFrame({"city": rng.choice(levels, 500), "size": rng.normal(size=500)})
    y = frame["city"].isin(levels[:40]) + 0.1 * rng.normal(size=500)
    frame.loc[::20, "city"] = None
    forest = RandomForestRegressor(8, random_state=0).fit(frame, y)
    codes = forest._rows(frame)
    numbers = by_definition(
        [_AsMatrix(tree) for tree in forest], codes, y.to_numpy(), 1, forest.estimators_samples_
    )
    found = oob_permutation_importance(forest, frame, y, random_state=1)
    assert_allclose(found.importances, numbers, rtol=1e-9, atol=1e-9)
    assert found.importances_mean[0] > 10 * abs(found.importances_mean[1])


def test_noise_of_many_values_has_none():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 2, 400), rng.normal(size=(400, 2))])
    y = X[:, 0] + rng.normal(size=400)
    forest = RandomForestRegressor(60, random_state=0).fit(X, y)
    found = oob_permutation_importance(forest, X, y, random_state=0)
    assert forest.feature_importances_.argmin() == 0
    assert found.importances_mean.argmax() == 0
    assert found.importances_ci[0, 0] > 0
    assert found.frame()["feature"].tolist()[0] == "x0"


def test_tables_outputs_and_sparse_rows():
    wine = load_wine(as_frame=True)
    frame = wine.data.assign(kind=np.where(wine.target == 0, "first", "other"))
    forest = ExtraTreesClassifier(30, bootstrap=True, random_state=0).fit(frame, wine.target)
    found = oob_permutation_importance(forest, frame, wine.target, random_state=0)
    assert found.features == list(frame.columns) and found.importances.shape == (14, 30)
    X, y = load_diabetes(return_X_y=True)
    Y = np.column_stack([y, -y])
    forest = RandomForestRegressor(5, max_depth=3, random_state=0).fit(X, Y)
    dense = oob_permutation_importance(forest, X, Y, random_state=0)
    one = RandomForestRegressor(5, max_depth=3, random_state=0).fit(X, y)
    alone = oob_permutation_importance(one, X, y, random_state=0)
    assert_allclose(dense.importances, alone.importances, rtol=1e-9)
    packed = oob_permutation_importance(forest, sparse.csr_array(X), Y, random_state=0)
    assert_array_equal(packed.importances, dense.importances)


def test_errors():
    X, y = load_iris(return_X_y=True)
    forest = RandomForestClassifier(5, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="the 150 rows of the fit"):
        oob_permutation_importance(forest, X[:100], y[:100])
    with pytest.raises(ValueError, match="the classes of the fit"):
        oob_permutation_importance(forest, X, y + 1)
    with pytest.raises(ValueError, match="bootstrap=True"):
        oob_permutation_importance(ExtraTreesClassifier(5).fit(X, y), X, y)
    with pytest.raises(ValueError, match="'forest' parameter"):
        oob_permutation_importance(Ridge().fit(X, y), X, y)
