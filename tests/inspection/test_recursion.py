"""Partial dependence inside trees against scikit-learn, and against its definition."""

import numpy as np
import pandas as pd
import pytest
import sklearn.ensemble
import sklearn.inspection
import sklearn.tree
from sklearn.datasets import load_diabetes, load_iris

import gramian.ensemble
from gramian import config
from gramian._trees.tree import Tree
from gramian.boosting import BoostingClassifier, BoostingRegressor
from gramian.ensemble import (
    GradientBoostingRegressor,
    HistGradientBoostingRegressor,
    RandomForestRegressor,
)
from gramian.inspection import partial_dependence
from gramian.linear_model import LinearRegression
from gramian.tree import DecisionTreeRegressor


@pytest.fixture(scope="module")
def numbers():
    return load_diabetes(return_X_y=True)


@pytest.fixture(scope="module")
def few():
    """Return rows without ties, and so few that bins hold one value each."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(240, 4))
    return X, np.exp(np.sin(2.0 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.2 * rng.normal(size=240))


@pytest.mark.parametrize(
    ("model", "other"),
    [
        (DecisionTreeRegressor(max_depth=5), sklearn.tree.DecisionTreeRegressor(max_depth=5)),
        (
            GradientBoostingRegressor(n_estimators=20),
            sklearn.ensemble.GradientBoostingRegressor(n_estimators=20),
        ),
        (
            HistGradientBoostingRegressor(max_iter=20),
            sklearn.ensemble.HistGradientBoostingRegressor(max_iter=20),
        ),
        (
            HistGradientBoostingRegressor(loss="poisson", max_iter=20),
            sklearn.ensemble.HistGradientBoostingRegressor(loss="poisson", max_iter=20),
        ),
    ],
    ids=lambda model: type(model).__module__.split(".")[0] + type(model).__name__,
)
@pytest.mark.parametrize("features", [[2], [0, 3]])
def test_numbers_are_scikit_learns(few, model, other, features):
    X, y = few
    model.set_params(random_state=0).fit(X, y)
    other.set_params(random_state=0).fit(X, y)
    found = partial_dependence(model, X, features, grid_resolution=9)
    expected = sklearn.inspection.partial_dependence(other, X, features, grid_resolution=9)
    for ours, theirs in zip(found.grid_values, expected.grid_values, strict=True):
        np.testing.assert_allclose(ours, theirs)
    np.testing.assert_allclose(found.average, expected.average, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", ["GradientBoostingClassifier", "HistGradientBoostingClassifier"])
def test_classes_are_scikit_learns(few, name, n_classes):
    X, y = few
    y = np.digitize(y, np.quantile(y, [0.3, 0.7][: n_classes - 1]))
    ours, theirs = (
        getattr(package, name)(max_depth=2, min_samples_leaf=20, random_state=0).fit(X, y)
        for package in (gramian.ensemble, sklearn.ensemble)
    )
    options = {"grid_resolution": 8, "response_method": "decision_function", "method": "recursion"}
    found = partial_dependence(ours, X, [2, 3], **options)
    expected = sklearn.inspection.partial_dependence(theirs, X, [2, 3], **options)
    assert found.average.shape == expected.average.shape
    np.testing.assert_allclose(found.average, expected.average, atol=1e-4)


def walked(tree, node, known):
    """Return the mean of a tree's leaves, where some columns are known, by its definition."""
    column = tree.feature[node]
    if column < 0:
        return tree.value[node, 0, 0]
    left, right = tree.children_left[node], tree.children_right[node]
    if column not in known:
        rows = tree.n_node_samples
        parts = rows[left] * walked(tree, left, known) + rows[right] * walked(tree, right, known)
        return parts / rows[node]
    value = known[column]
    if np.isnan(value):
        goes_left = tree.missing_go_to_left[node]
    elif tree.is_categorical[node]:
        goes_left = int(value) in tree.left_levels(node)
    else:
        goes_left = value <= tree.threshold[node]
    return walked(tree, left if goes_left else right, known)


def test_gaps_and_categories_by_definition():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "x": np.where(rng.random(600) < 0.1, np.nan, rng.normal(size=600)),
            "kind": rng.choice(["a", "b", "c", "d"], 600),
            "z": rng.normal(size=600),
        }
    )
    y = np.nan_to_num(table["x"]) * (table["kind"] == "b") + table["z"] ** 2
    model = BoostingRegressor(n_estimators=15, random_state=0).fit(table, y)
    kinds, points = ["d", "a", "b"], [-1.0, 0.3, np.nan]
    found = partial_dependence(
        model, table, ["kind", "x"], custom_values={"kind": kinds, "x": points}
    )
    trees = model._model.trees
    trees = [Tree(trees.tree(t), "squared_error") for t in range(trees.n_trees)]
    expected = [
        [sum(walked(t, 0, {1: "abcd".index(kind), 0: x}) for t in trees) for x in points]
        for kind in kinds
    ]
    np.testing.assert_allclose(found.average[0], expected, rtol=1e-9)


def test_stumps_have_no_interactions(numbers):
    X, y = numbers
    for model, start in (
        (GradientBoostingRegressor(max_depth=1, n_estimators=30), np.mean(y)),
        (BoostingRegressor(max_leaves=2, n_estimators=30), np.mean(y)),
        (DecisionTreeRegressor(max_depth=1), 0.0),
        (RandomForestRegressor(5, max_depth=1, bootstrap=False, random_state=0), 0.0),
    ):
        model.fit(X, y)
        by_trees, by_rows = (
            partial_dependence(model, X, [2, 8], method=method, grid_resolution=12).average
            for method in ("recursion", "brute")
        )
        np.testing.assert_allclose(by_trees + start, by_rows, rtol=1e-9)


def test_several_classes_and_outputs(numbers):
    X, y = numbers
    Y = np.column_stack([y, -2.0 * y])
    forest = RandomForestRegressor(4, max_depth=4, random_state=0)
    both = partial_dependence(forest.fit(X, Y), X, [2], grid_resolution=5).average
    assert both.shape == (2, 5)
    np.testing.assert_allclose(both[1], -2.0 * both[0])
    X, labels = load_iris(return_X_y=True)
    model = BoostingClassifier(n_estimators=10, max_leaves=2).fit(X, labels)
    options = {"grid_resolution": 5, "response_method": "decision_function"}
    by_trees, by_rows = (
        partial_dependence(model, X, [3], method=method, **options).average
        for method in ("recursion", "brute")
    )
    np.testing.assert_allclose(by_trees + model._model.baseline[:, None], by_rows, rtol=1e-9)


def test_any_number_of_threads_gives_the_same_bits(numbers):
    X, y = numbers
    model = BoostingRegressor(n_estimators=40).fit(X, y)
    found = []
    for n_threads in (1, 3):
        with config(n_threads=n_threads):
            found.append(partial_dependence(model, X, [2, 8, 3], grid_resolution=12).average)
    np.testing.assert_array_equal(found[0], found[1])


def test_weights_and_linear_leaves_are_for_brute_force(numbers):
    X, y = numbers
    weighted = [
        HistGradientBoostingRegressor(max_iter=5).fit(X, y, np.ones(len(y))),
        BoostingRegressor(n_estimators=5).fit(X, y, np.ones(len(y))),
        BoostingRegressor(n_estimators=5, linear_leaves=True).fit(X, y),
    ]
    for model in weighted:
        automatic = partial_dependence(model, X, [2], grid_resolution=5)
        brute = partial_dependence(model, X, [2], grid_resolution=5, method="brute")
        np.testing.assert_array_equal(automatic.average, brute.average)
        with pytest.raises(NotImplementedError, match="does not support partial dependence"):
            partial_dependence(model, X, [2], method="recursion")


def test_target_statistics_are_for_brute_force():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {"town": rng.integers(0, 60, 1500).astype(str), "x": rng.normal(size=1500)}
    )
    y = table["town"].astype(float) / 60.0 + np.sin(table["x"])
    model = BoostingRegressor(n_estimators=10, categorical_encoding="ordered", max_cat_levels=10)
    model.fit(table, y)
    automatic = partial_dependence(model, table, ["x"], grid_resolution=5)
    brute = partial_dependence(model, table, ["x"], grid_resolution=5, method="brute")
    np.testing.assert_array_equal(automatic.average, brute.average)
    with pytest.raises(NotImplementedError, match="target statistics"):
        partial_dependence(model, table, ["x"], method="recursion")


def test_a_first_model_is_no_part_of_the_trees(numbers):
    X, y = numbers
    model = GradientBoostingRegressor(init=LinearRegression(), n_estimators=5).fit(X, y)
    with pytest.warns(UserWarning, match="non-constant init"):
        partial_dependence(model, X, [2], method="recursion")
    partial_dependence(model, X, [2])
