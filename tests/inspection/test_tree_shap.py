"""Shapley values of trees equal their definition: means over all coalitions of features."""

import _thread
import os
import signal
import subprocess
import sys
import threading
import time
from itertools import combinations
from math import factorial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from tests.tree.convert import from_sklearn, goes_left, right_children
from tests.tree.random_trees import N_LEVELS, TreeSum, random_forest, random_rows, random_tree

import gramian
from gramian import _core
from gramian._trees.trees import Trees
from gramian.config import core_context
from gramian.inspection import tree_shap
from gramian.linear_model import Ridge

P = len(N_LEVELS)


def _shares(feature, right, weight, count):
    """Return the share of training weight that goes left at each node of one tree."""
    sizes = np.zeros((len(feature), 2))
    share, leaf = np.zeros(len(feature)), len(weight)
    for node in reversed(range(len(feature))):
        if feature[node] < 0:
            leaf -= 1
            sizes[node] = weight[leaf], count[leaf]
            continue
        left = sizes[node + 1]
        sizes[node] = left + sizes[right[node]]
        by = 0 if sizes[node, 0] > 0 else 1
        share[node] = left[by] / sizes[node, by]
    return share


def path_value(trees, t, outputs, row, known):
    """What tree t gives when only some features of a row are known."""
    one = trees.tree(t)
    right, n_leaves = right_children(one.feature), len(one.leaf_count)
    is_split = one.feature >= 0
    weight = one.leaf_weight if one.leaf_weight.size else one.leaf_count
    weight = one.leaf_value.sum(axis=1) if one.n_classes.size else weight
    share = _shares(one.feature, right, weight, one.leaf_count)
    first = int((trees.node_offsets[t] + t) // 2)
    values = outputs[first : first + n_leaves]
    leaf_of, split_of = np.cumsum(~is_split) - 1, np.cumsum(is_split) - 1

    def value(node):
        column = one.feature[node]
        if column < 0:
            return values[leaf_of[node]]
        if column in known:
            is_left = goes_left(one, split_of[node], column, row[column])
            return value(node + 1) if is_left else value(right[node])
        return share[node] * value(node + 1) + (1 - share[node]) * value(right[node])

    return value(0)


def shapley(value, n_features):
    """Return the Shapley values of a function of coalitions, by the definition."""
    phi = [0.0] * n_features
    for i in range(n_features):
        others = [j for j in range(n_features) if j != i]
        for size in range(n_features):
            chance = factorial(size) * factorial(n_features - size - 1) / factorial(n_features)
            for coalition in combinations(others, size):
                gain = value({*coalition, i}) - value(set(coalition))
                phi[i] = phi[i] + chance * gain
    return np.array(phi)


def coalition_values(model, row):
    ensemble = model.ensemble
    outputs = ensemble.leaf_outputs()
    cache = {}

    def value(known):
        key = frozenset(known)
        if key not in cache:
            cache[key] = sum(
                ensemble.scale[t] * path_value(ensemble.trees, t, outputs, row, known)
                for t in range(ensemble.trees.n_trees)
            )
        return cache[key]

    return value


@pytest.mark.parametrize("max_depth", [1, 3, 6])
def test_path_dependent_values_equal_the_definition(max_depth, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    model = TreeSum(random_forest(rng, 3, max_depth), scale=np.array([1.0, 0.5, -2.0]))
    X = random_rows(rng, 11)
    result = tree_shap(model, X)
    assert result.values.shape == X.shape and result.base_values.shape == (11,)
    for row, values, base in zip(X, result.values, result.base_values, strict=True):
        value = coalition_values(model, row)
        assert_allclose(values, shapley(value, P)[:, 0], rtol=0, atol=1e-12)
        assert_allclose(base, value(set())[0], rtol=0, atol=1e-12)


@pytest.mark.parametrize("max_depth", [1, 3, 6])
def test_interventional_values_equal_the_definition(max_depth, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    model = TreeSum(random_forest(rng, 2, max_depth))
    X, background = random_rows(rng, 4), random_rows(rng, 67)
    result = tree_shap(model, X, feature_perturbation="interventional", background=background)
    for row, values, base in zip(X, result.values, result.base_values, strict=True):

        def value(known, row=row):
            mixed = background.copy()
            mixed[:, list(known)] = row[list(known)]
            return model.predict(mixed).mean()

        assert_allclose(values, shapley(value, P), rtol=0, atol=1e-12)
        assert_allclose(base, model.predict(background).mean(), rtol=0, atol=1e-12)


def test_interactions_equal_the_definition(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    model = TreeSum(random_forest(rng, 2, 5))
    X = random_rows(rng, 3)
    result = tree_shap(model, X, interactions=True)
    assert_allclose(result.interactions.sum(axis=2), result.values, rtol=0, atol=1e-12)
    assert_allclose(result.interactions, result.interactions.swapaxes(1, 2), rtol=0, atol=1e-12)
    for row, pairs in zip(X, result.interactions, strict=True):
        value = coalition_values(model, row)
        for i in range(P):
            known = shapley(lambda s, i=i, value=value: value(s | {i}), P)[:, 0]
            unknown = shapley(lambda s, i=i, value=value: value(s - {i}), P)[:, 0]
            others = np.arange(P) != i
            expected = 0.5 * (known - unknown)[others]
            assert_allclose(pairs[i, others], expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("kind", ["tree_path_dependent", "interventional"])
def test_class_shares(kind):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 4))
    y = np.digitize(X[:, 0] + X[:, 1] ** 2, [0.0, 1.0])
    for labels in (y, y > 0):
        forest = RandomForestClassifier(7, random_state=0).fit(X, labels)
        model = TreeSum(from_sklearn(forest), response="predict_proba")
        model.classes_ = forest.classes_
        background = X[:30] if kind == "interventional" else None
        result = tree_shap(model, X[:20], feature_perturbation=kind, background=background)
        n_classes = len(forest.classes_)
        assert result.values.shape == (20, 4, n_classes)
        assert_allclose(result.predictions, forest.predict_proba(X[:20]), atol=1e-12)
        assert result.check().optimality < 1e-12
        assert_allclose(result.values.sum(axis=2), 0.0, atol=1e-12)
        assert result.output_names == forest.classes_.tolist()
        last = result.output(result.output_names[-1])
        assert_array_equal(last.values, result.values[:, :, -1])
        assert last.check().converged


def test_several_targets_and_trees_that_take_turns():
    rng = np.random.default_rng(0)
    X = random_rows(rng, 9)
    both = TreeSum(random_forest(rng, 2, 4, width=2), base=np.array([1.0, -1.0]))
    result = tree_shap(both, X)
    assert result.values.shape == (9, P, 2) and result.check().converged
    trees = random_forest(rng, 6, 4)
    options = {"scale": np.full(6, 0.1), "response": "decision_function"}
    turns = TreeSum(trees, base=np.arange(3.0), takes_turns=True, **options)
    for kind in ({}, {"feature_perturbation": "interventional", "background": X}):
        result = tree_shap(turns, X, **kind)
        for c in range(3):
            alone = TreeSum(trees.select([c, c + 3]), scale=np.full(2, 0.1), base=np.array([c]))
            expected = tree_shap(alone, X, **kind)
            assert_allclose(result.values[..., c], expected.values, rtol=0, atol=1e-15)
            assert_allclose(result.base_values[..., c], expected.base_values, rtol=0, atol=1e-14)
        assert result.check().converged


@pytest.mark.parametrize("n_features", [3, 40])
def test_deep_trees_add_up(n_features):
    """More than 30 splits, and up to 40 different features, on a path."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, n_features))
    chain = random_tree(rng, 1, np.zeros(n_features, np.int32))
    depth = 60
    columns = np.arange(depth) % n_features
    arrays = chain.arrays() | {
        "node_offsets": np.array([0, 2 * depth + 1]),
        "feature": np.append(np.column_stack([columns, np.full(depth, -1)]), -1).astype(np.int32),
        "threshold": rng.normal(-1.0, 0.5, depth),
        "flags": np.zeros(depth, np.uint8),
        "leaf_value": rng.normal(size=(depth + 1, 1)),
        "leaf_count": rng.integers(1, 50, depth + 1).astype(np.int32),
        "leaf_weight": np.empty(0),
    }
    model = TreeSum(type(chain)(**arrays))
    assert tree_shap(model, X).check().optimality < 1e-13
    result = tree_shap(model, X[:5], feature_perturbation="interventional", background=X[50:])
    assert result.check().optimality < 1e-13


def test_features_that_no_split_uses_have_no_value():
    rng = np.random.default_rng(0)
    leaf = random_tree(rng, 0)
    model = TreeSum(leaf)
    result = tree_shap(model, random_rows(rng, 3))
    assert not result.values.any() and result.check().objective == 0.0
    n_levels = np.zeros(3, np.int32)
    tree = random_tree(rng, 4, n_levels)
    tree.feature[tree.feature == 2] = 1
    assert not tree_shap(TreeSum(tree), rng.normal(size=(5, 3))).values[:, 2].any()


def test_bits_do_not_depend_on_threads_blocks_or_layout():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(700, 6))
    forest = RandomForestRegressor(5, random_state=0).fit(X, X[:, 0] * X[:, 1])
    model = TreeSum(from_sklearn(forest))
    kinds = [{}, {"feature_perturbation": "interventional", "background": X[:70]}]
    for kind in kinds:
        whole = tree_shap(model, X, n_jobs=1, **kind).values
        with gramian.config(n_threads=3):
            assert_array_equal(tree_shap(model, X, **kind).values, whole)
        assert_array_equal(tree_shap(model, np.asfortranarray(X[:3]), **kind).values, whole[:3])
        assert_array_equal(tree_shap(model, X[5:6], **kind).values, whole[5:6])


def test_float32_and_no_rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 3)).astype(np.float32)
    model = TreeSum(from_sklearn(RandomForestRegressor(3, random_state=0).fit(X, X[:, 0])))
    wide = tree_shap(model, X.astype(np.float64)).values
    assert_array_equal(tree_shap(model, X).values, wide)
    empty = tree_shap(model, X[:0])
    assert empty.values.shape == (0, 3) and empty.check().objective == 0.0


def test_frame_and_choice_of_outputs():
    rng = np.random.default_rng(0)
    X = random_rows(rng, 9)
    result = tree_shap(TreeSum(random_forest(rng, 2, 4, width=3)), X)
    frame = result.frame()
    assert (np.diff(frame["mean_abs"]) <= 0).all() and set(frame["feature"]) == {
        f"x{j}" for j in range(P)
    }
    with pytest.raises(ValueError, match="3 outputs"):
        result.output()
    with pytest.raises(ValueError, match="one of"):
        result.output(7)
    assert result.output(1).output(None).values.ndim == 2


def test_a_wrong_prediction_is_found():
    rng = np.random.default_rng(0)
    model = TreeSum(random_forest(rng, 2, 3))
    model.predict = lambda X: np.ones(len(X))
    result = tree_shap(model, random_rows(rng, 5))
    assert not result.certificate.converged
    with pytest.raises(ArithmeticError, match="do not add up"):
        result.check()


def test_arguments_are_checked():
    rng = np.random.default_rng(0)
    model, X = TreeSum(random_forest(rng, 1, 3)), random_rows(rng, 5)
    with pytest.raises(TypeError, match="tree_shap explains tree models"):
        tree_shap(Ridge(), X)
    with pytest.raises(ValueError, match="'feature_perturbation' parameter of tree_shap"):
        tree_shap(model, X, feature_perturbation="observational")
    with pytest.raises(ValueError, match="'n_jobs' parameter of tree_shap"):
        tree_shap(model, X, n_jobs="two")
    with pytest.raises(ValueError, match="needs background rows"):
        tree_shap(model, X, feature_perturbation="interventional")
    with pytest.raises(ValueError, match="interventional' only"):
        tree_shap(model, X, background=X)
    with pytest.raises(ValueError, match="tree_path_dependent"):
        tree_shap(model, X, feature_perturbation="interventional", background=X, interactions=True)
    with pytest.raises(ValueError, match="a column for each feature"):
        tree_shap(model, X[:, :2])
    with pytest.raises(ValueError, match="background must have rows"):
        tree_shap(model, X, feature_perturbation="interventional", background=X[:0])
    classes = random_tree(rng, 2, width=4, is_classifier=True)
    two = type(classes)(**classes.arrays() | {"n_classes": np.array([2, 2], np.int32)})
    with pytest.raises(ValueError, match="2 outputs with classes"):
        tree_shap(TreeSum(two), X)


def test_native_calls_check_shapes():
    trees = random_tree(np.random.default_rng(0), 3)
    outputs, one = trees.leaf_value, np.ones(1)
    context = core_context()
    X, phi = np.zeros((2, P)), np.zeros(2 * P)
    with pytest.raises(ValueError, match="phi must have"):
        _core.path_shap(trees, outputs, one, 1, False, X, phi[1:].copy(), one, ctx=context)
    with pytest.raises(ValueError, match="row for each leaf"):
        _core.path_shap(trees, outputs[1:], one, 1, False, X, phi, one, ctx=context)
    with pytest.raises(ValueError, match="one entry per tree"):
        _core.path_shap(trees, outputs, np.ones(2), 1, False, X, phi, one, ctx=context)


@pytest.fixture
def heeds_interrupts():
    """A process started in the background ignores the signal, and with it `interrupt_main`."""
    former = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, former)


@pytest.mark.usefixtures("heeds_interrupts")
@pytest.mark.parametrize("kind", ["tree_path_dependent", "interventional"])
def test_an_interrupt_ends_the_call(kind):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 8))
    forest = RandomForestRegressor(10, random_state=0).fit(X, X[:, 0] * X[:, 1])
    model = TreeSum(Trees.concatenate([from_sklearn(forest)] * 20))
    rows = np.tile(X, (50, 1))
    background = X if kind == "interventional" else None
    timer = threading.Timer(0.3, _thread.interrupt_main)
    timer.start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        tree_shap(model, rows, feature_perturbation=kind, background=background)
    assert time.monotonic() - start < 3.0


SCRIPT = """
import hashlib, numpy as np
from tests.tree.random_trees import TreeSum, random_forest, random_rows
from gramian.inspection import tree_shap
rng = np.random.default_rng(0)
model, X = TreeSum(random_forest(rng, 4, 7)), random_rows(rng, 30)
against = {"feature_perturbation": "interventional", "background": X[:20]}
for options in ({"interactions": True}, against):
    result = tree_shap(model, X, **options)
    print(hashlib.sha256(result.values.tobytes() + result.base_values.tobytes()).hexdigest())
"""


def test_every_instruction_set_gives_the_same_bits():
    def digest(level):
        environment = {**os.environ, "GRAMIAN_ISA": level}
        run = [sys.executable, "-W", "ignore", "-c", SCRIPT]
        return subprocess.run(run, env=environment, check=True, capture_output=True).stdout

    levels = ["v2", "v3", "v4"][: ["v2", "v3", "v4"].index(_core.cpu_level()) + 1]
    assert len({digest(level) for level in levels}) == 1
