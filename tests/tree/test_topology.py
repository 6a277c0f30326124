"""Nodes derived from the flat format against the nodes that scikit-learn stores."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from tests.tree.convert import from_sklearn, preorder

from gramian import _core
from gramian._trees.trees import Trees
from gramian.config import core_context

RNG = np.random.default_rng(3)
X = RNG.normal(size=(200, 5))
WEIGHT = RNG.uniform(0.1, 3.0, 200)
CLASSES = RNG.integers(0, 4, (200, 2))
TARGETS = np.abs(X[:, :2] + RNG.normal(size=(200, 2))) * RNG.integers(0, 2, (200, 2))
MODELS = {
    "gini": DecisionTreeClassifier(random_state=0),
    "entropy": DecisionTreeClassifier(criterion="entropy", max_depth=5, random_state=0),
    "log_loss": DecisionTreeClassifier(criterion="log_loss", max_leaf_nodes=9, random_state=0),
    "squared_error": DecisionTreeRegressor(max_leaf_nodes=20, random_state=0),
    "poisson": DecisionTreeRegressor(criterion="poisson", max_depth=4, random_state=0),
    "stump": DecisionTreeRegressor(max_depth=1),
}


def fitted(name, n_outputs, weight):
    model = MODELS[name]
    is_classifier = isinstance(model, DecisionTreeClassifier)
    y = (CLASSES if is_classifier else TARGETS)[:, :n_outputs]
    criterion = model.criterion
    return model.fit(X, y, weight), criterion


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("n_outputs", [1, 2])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_nodes_are_scikit_learns(name, n_outputs, is_weighted):
    model, criterion = fitted(name, n_outputs, WEIGHT if is_weighted else None)
    theirs, order = model.tree_, preorder(model.tree_)
    ours = _core.tree_topology(from_sklearn(model), tree=0, criterion=criterion)
    number_of = np.append(np.argsort(order), -1)
    for side in ("children_left", "children_right"):
        assert np.array_equal(ours[side], number_of[getattr(theirs, side)[order]])
    for count in ("n_node_samples", "weighted_n_node_samples", "impurity"):
        assert np.allclose(ours[count], getattr(theirs, count)[order], rtol=1e-12, atol=1e-12)
    value = theirs.value[order]
    if isinstance(model, DecisionTreeClassifier):
        value = value * theirs.weighted_n_node_samples[order][:, None, None]
    assert np.allclose(ours["value"], value.reshape(len(order), -1), rtol=1e-12, atol=1e-12)
    assert ours["max_depth"] == model.get_depth() == ours["depth"].max()
    assert ours["n_leaves"] == model.get_n_leaves()


@pytest.mark.parametrize("n_threads", [1, 2])
def test_impurity_decreases_are_the_feature_importances(n_threads):
    model = RandomForestClassifier(7, random_state=0).fit(X, CLASSES[:, 0])
    out = np.empty((7, 5))
    ctx = core_context(n_threads)
    _core.tree_impurity_decreases(from_sklearn(model), criterion="gini", out=out, ctx=ctx)
    expected = [m.tree_.compute_feature_importances(normalize=False) for m in model.estimators_]
    assert np.allclose(out, expected, rtol=1e-12, atol=1e-15)


def test_misclassification_is_the_share_of_the_other_classes():
    trees = from_sklearn(DecisionTreeClassifier(max_depth=2).fit(X, CLASSES[:, 0]))
    found = _core.tree_topology(trees, tree=0, criterion="misclassification")
    share = found["value"].max(axis=1) / found["value"].sum(axis=1)
    assert np.allclose(found["impurity"], 1.0 - share)


def test_kept_nodes_are_used_where_present():
    trees = from_sklearn(DecisionTreeRegressor(max_depth=2).fit(X, TARGETS[:, 0]))
    with pytest.raises(ValueError, match="cannot be derived"):
        _core.tree_topology(trees, tree=0, criterion="absolute_error")
    n_nodes = len(trees.feature)
    impurity, value = np.arange(n_nodes, dtype=float), np.arange(n_nodes, dtype=float)[:, None]
    kept = replace(trees, node_impurity=impurity, node_value=value)
    forest = Trees.concatenate([kept, kept])
    found = _core.tree_topology(forest, tree=1, criterion="absolute_error")
    assert np.array_equal(found["impurity"], impurity) and np.array_equal(found["value"], value)


def test_wrong_arguments_are_refused():
    trees = from_sklearn(DecisionTreeRegressor(max_depth=2).fit(X, TARGETS[:, 0]))
    with pytest.raises(ValueError, match="no tree"):
        _core.tree_topology(trees, tree=1, criterion="squared_error")
    with pytest.raises(ValueError, match="unknown criterion"):
        _core.tree_topology(trees, tree=0, criterion="mse")
    with pytest.raises(ValueError, match="cannot be derived"):
        _core.tree_topology(trees, tree=0, criterion="gini")


def test_a_tree_as_deep_as_it_has_splits():
    n_splits = 50_000
    feature = np.append(np.tile(np.array([0, -1], np.int32), n_splits), np.int32(-1))
    arrays = {
        "node_offsets": np.array([0, len(feature)]),
        "feature": feature,
        "threshold": np.arange(n_splits, dtype=float),
        "flags": np.zeros(n_splits, np.uint8),
        "n_levels": np.zeros(1, np.int32),
        "is_double": np.zeros(1, np.uint8),
        "leaf_value": np.arange(n_splits + 1, dtype=float)[:, None],
        "leaf_count": np.ones(n_splits + 1, np.int32),
    }
    found = _core.tree_topology(Trees.from_native(arrays), tree=0, criterion="squared_error")
    assert found["max_depth"] == n_splits
    assert found["value"][0, 0] == pytest.approx(n_splits / 2)
    assert found["impurity"][0] == pytest.approx(np.var(np.arange(n_splits + 1.0)))
