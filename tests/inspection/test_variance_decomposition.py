"""Variance of a forest from variance and correlation of its trees."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.ensemble import RandomForestRegressor
from tests.tree.convert import from_sklearn, walk
from tests.tree.random_trees import TreeSum, random_forest, random_rows, random_tree

from gramian._trees.trees import Trees
from gramian.inspection import variance_decomposition
from gramian.linear_model import Ridge


def test_variance_of_equal_trees_is_the_formula():
    rng = np.random.default_rng(0)
    X = random_rows(rng, 50)
    trees = random_tree(rng, 4)
    same = TreeSum(Trees.concatenate([trees] * 5))
    found = variance_decomposition(same, X)
    assert_allclose([found.rho, found.predicted], [1.0, found.measured], rtol=1e-12)
    assert found.n_trees == 5 and found.sigma2 == pytest.approx(found.measured)


def test_variance_against_the_matrix_of_correlations():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    forest = RandomForestRegressor(30, random_state=0).fit(X, X[:, 0] + rng.normal(size=300))
    trees = from_sklearn(forest)
    found = variance_decomposition(TreeSum(trees), X)
    each = trees.leaf_value[walk(trees, X)[1], 0]
    matrix = np.corrcoef(each.T)
    assert_allclose(found.rho, matrix[~np.eye(30, dtype=bool)].mean(), rtol=1e-10)
    assert_allclose(found.sigma2, each.var(axis=0).mean(), rtol=1e-12)
    assert_allclose(found.measured, each.mean(axis=1).var(), rtol=1e-12)
    assert_allclose(found.predicted, found.measured, rtol=0.02)
    assert_allclose(found.curve([1, 30]), [found.sigma2, found.predicted], rtol=1e-12)
    assert found.frame()["quantity"].tolist()[0] == "rho" and "measured" in str(found)


def test_variance_of_shares_constant_trees_and_errors():
    rng = np.random.default_rng(0)
    X = random_rows(rng, 40)
    shares = TreeSum(random_forest(rng, 6, 3, width=3, is_classifier=True))
    assert -1.0 <= variance_decomposition(shares, X).rho <= 1.0
    flat = variance_decomposition(TreeSum(random_forest(rng, 3, 0)), X)
    assert flat.rho == 1.0 and flat.sigma2 == 0.0 and flat.predicted == 0.0
    with pytest.raises(ValueError, match="at least 2 rows"):
        variance_decomposition(shares, X[:1])
    with pytest.raises(ValueError, match="'model' parameter"):
        variance_decomposition(Ridge(), X)
