"""Oblivious trees: one condition for each depth, the same tree for any order of the rows."""

import io
import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import gramian
from gramian._trees.exact_sums import ExactSums
from gramian.datasets import load_breast_cancer, load_diabetes
from gramian.tree import ObliviousTreeClassifier, ObliviousTreeRegressor


def table(n=300, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "a": rng.normal(size=n).round(2),
            "b": rng.normal(size=n),
            "city": rng.choice(["Bonn", "Oslo", "Rome"], n),
        }
    )
    y = 2.0 * (frame["a"] > 0.3) + (frame["city"] == "Oslo") * 1.5 + rng.normal(size=n) * 0.3
    frame.loc[::17, "a"] = np.nan
    frame.loc[::23, "city"] = None
    return frame, y.to_numpy()


def conditions(frame):
    """Return the rows that meet each condition on the columns, missing values on either side."""
    found = []
    for name in frame:
        column = frame[name]
        missing = column.isna().to_numpy()
        if column.dtype.kind == "f":
            values = np.unique(column.dropna())
            masks = [(column <= v).to_numpy() for v in values[:-1]]
        else:
            masks = [
                (column == v).fillna(False).to_numpy() for v in sorted(column.dropna().unique())
            ]
        found += masks + ([mask | missing for mask in masks] if missing.any() else [])
    return found


def within(y, leaf, w):
    """Return the sum of squares about the means of the leaves."""
    mean = np.bincount(leaf, w * y) / np.maximum(np.bincount(leaf, w), 1e-300)
    return float((w * (y - mean[leaf]) ** 2).sum())


# -- exact sums ----------------------------------------------------------------------------------


def test_exact_sums_are_those_of_fsum_in_any_order():
    rng = np.random.default_rng(0)
    values = rng.normal(size=5000) * 10.0 ** rng.integers(-12, 12, 5000)
    groups = rng.integers(0, 8, 5000)
    sums = ExactSums.of(values, groups, (8,))
    expected = [math.fsum(values[groups == g]) for g in range(8)]
    np.testing.assert_allclose(sums.rounded(), expected, rtol=1e-13)
    order = rng.permutation(5000)
    again = ExactSums.of(values[order], groups[order], (8,))
    assert sums.rounded().tobytes() == again.rounded().tobytes()
    pairs = ExactSums.of(values, groups // 2, (4,))
    assert sums.in_pairs().rounded().tobytes() == pairs.rounded().tobytes()


# -- growth --------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_each_depth_has_the_best_condition(seed):
    frame, y = table(seed=seed)
    w = np.random.default_rng(seed).uniform(0.5, 2.0, len(y))
    model = ObliviousTreeRegressor(max_depth=3, max_bins=1000).fit(frame, y, w)
    leaf = np.zeros(len(y), dtype=int)
    final = model.apply(frame)
    for depth in range(3):
        best = min(within(y, 2 * leaf + ~mask, w) for mask in conditions(frame))
        before = within(y, leaf, w)
        leaf = final >> (2 - depth)
        assert within(y, leaf, w) == pytest.approx(best, rel=1e-9)
        decrease = (before - best) / w.sum()
        assert model.tree_.decrease[depth] == pytest.approx(decrease, rel=1e-8)
    means = np.bincount(leaf, w * y) / np.maximum(np.bincount(leaf, w), 1e-300)
    np.testing.assert_allclose(model.predict(frame), means[leaf], rtol=1e-12)


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_a_stump_is_that_of_scikit_learn(criterion):
    X, y = load_breast_cancer(return_X_y=True)
    ours = ObliviousTreeClassifier(criterion=criterion, max_depth=1, max_bins=1000).fit(X, y)
    theirs = DecisionTreeClassifier(criterion=criterion, max_depth=1, random_state=0).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-14)
    root = theirs.tree_.impurity[0]
    shares = theirs.tree_.n_node_samples[1:] / len(y)
    assert ours.tree_.decrease[0] == pytest.approx(root - shares @ theirs.tree_.impurity[1:])


@pytest.mark.parametrize("criterion", ["squared_error", "poisson"])
def test_a_stump_of_numbers_is_that_of_scikit_learn(criterion):
    X, y = load_diabetes(return_X_y=True)
    ours = ObliviousTreeRegressor(criterion=criterion, max_depth=1, max_bins=1000).fit(X, y)
    theirs = DecisionTreeRegressor(criterion=criterion, max_depth=1, random_state=0).fit(X, y)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-12)
    tree = theirs.tree_
    decrease = tree.impurity[0] - tree.n_node_samples[1:] / len(y) @ tree.impurity[1:]
    assert ours.tree_.decrease[0] == pytest.approx(decrease, rel=1e-8)


@pytest.mark.parametrize("kind", [ObliviousTreeClassifier, ObliviousTreeRegressor])
def test_the_same_tree_for_any_order_of_the_rows(kind):
    """Bit for bit, with fractional weights and targets, where sums in floating point differ."""
    frame, y = table(500)
    target = np.digitize(y, [0.5, 2.0]) if kind is ObliviousTreeClassifier else y * 1e-3 + 1e3
    w = np.random.default_rng(1).uniform(0.1, 3.0, 500)
    first = kind(max_depth=6).fit(frame, target, w).tree_
    assert first.max_depth == 6
    for seed in range(4):
        order = np.random.default_rng(seed).permutation(500)
        again = kind(max_depth=6).fit(frame.iloc[order], target[order], w[order]).tree_
        for name in ("feature", "threshold", "level", "missing_side", "value", "decrease"):
            assert getattr(first, name).tobytes() == getattr(again, name).tobytes(), name


def test_weights_are_counts():
    frame, y = table()
    w = np.random.default_rng(3).integers(0, 4, len(y))
    copies = np.repeat(np.arange(len(y)), w)
    weighted = ObliviousTreeRegressor(max_bins=16).fit(frame, y, w)
    repeated = ObliviousTreeRegressor(max_bins=16).fit(frame.iloc[copies], y[copies])
    assert str(weighted.tree_).split("\n")[:6] == str(repeated.tree_).split("\n")[:6]
    np.testing.assert_allclose(weighted.predict(frame), repeated.predict(frame), rtol=1e-12)


def test_leaf_without_rows_answers_as_the_node_above():
    X = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [1.0, 1.0]])
    model = ObliviousTreeRegressor(max_depth=2).fit(X, [0.0, 4.0, 6.0, 6.0])
    assert model.tree_.n_leaf_samples.tolist() == [1, 0, 1, 2]
    assert model.predict([[0.0, 1.0]]).tolist() == [0.0]


def test_missing_and_unseen_values():
    X = np.array([[1.0], [2.0], [3.0], [np.nan]])
    model = ObliviousTreeRegressor(max_depth=1).fit(X, [0.0, 1.0, 9.0, 9.0])
    assert model.tree_.missing_side.tolist() == [1]
    assert model.predict([[np.nan]]).tolist() == [9.0]
    model = ObliviousTreeRegressor(max_depth=1).fit(X[:3], [0.0, 1.0, 9.0])
    assert model.predict([[np.nan]]).tolist() == [0.5]  # two of three rows are there
    towns = pl.DataFrame({"town": ["Oslo", "Oslo", "Rome", "Bonn"]})
    model = ObliviousTreeClassifier().fit(towns, [0, 0, 1, 1])
    assert model.tree_.condition(0) == "town = Oslo"
    assert model.predict(pl.DataFrame({"town": ["Paris"]})).tolist() == [0]


def test_limits():
    frame, y = table()
    tree = ObliviousTreeRegressor(max_depth=8, min_samples_leaf=20).fit(frame, y).tree_
    filled = tree.n_leaf_samples[tree.n_leaf_samples > 0]
    assert filled.min() >= 20
    assert tree.max_depth < 8
    tree = ObliviousTreeRegressor(min_impurity_decrease=0.1).fit(frame, y).tree_
    assert 0 < tree.max_depth < 6
    assert tree.decrease.min() >= 0.1
    assert ObliviousTreeRegressor(max_bins=2, max_depth=1).fit(frame[["b"]], y).get_depth() == 1
    assert ObliviousTreeRegressor().fit(frame[["b"]] * 0.0, y).get_depth() == 0
    pure = ObliviousTreeClassifier().fit(frame, np.where(frame["b"] > 0, "p", "q"))
    assert (pure.get_depth(), pure.score(frame, np.where(frame["b"] > 0, "p", "q"))) == (1, 1.0)


def test_bins_of_like_weight():
    rng = np.random.default_rng(0)
    x = rng.exponential(size=2000)
    y = (x > 1.0) * 1.0
    model = ObliviousTreeRegressor(max_depth=1, max_bins=64).fit(x[:, None], y)
    share = (x <= model.tree_.threshold[0]).mean()
    assert abs(share - (x <= 1.0).mean()) <= 1.0 / 64


@pytest.mark.parametrize("n", [200, 300, 70_000])
def test_as_many_bins_as_values(n):
    """Bins are kept in one, two or four bytes."""
    x = np.random.default_rng(0).permutation(n) + 0.25
    model = ObliviousTreeClassifier(max_bins=n).fit(x[:, None], x > n // 3)
    assert model.tree_.threshold.tolist() == [n // 3 - 0.25]
    assert model.tree_.n_leaf_samples.tolist() == [n // 3, n - n // 3]


def test_doubles_that_differ_in_their_last_digits():
    x = 1.0 + np.arange(8) * 2.0**-52
    model = ObliviousTreeClassifier(max_depth=1).fit(x[:, None], np.arange(8) > 4)
    assert model.tree_.threshold.tolist() == [x[4]]
    assert model.predict(x[:, None]).tolist() == [False] * 5 + [True] * 3


def test_extreme_weights_and_targets():
    X = np.arange(3.0)[:, None]
    model = ObliviousTreeClassifier().fit(X, list("abc"), sample_weight=[1e-320, 1.0, 1e300])
    assert np.isfinite(model.predict_proba(X)).all()
    for scale in (1e-310, 1e290):
        y = scale * np.array([1.0, 2.0, 3.0])
        np.testing.assert_allclose(ObliviousTreeRegressor().fit(X, y).predict(X), y, rtol=1e-10)


def test_importances():
    frame, y = table()
    model = ObliviousTreeRegressor(max_depth=2).fit(frame, y)
    assert model.feature_importances_.sum() == pytest.approx(1.0)
    assert set(np.flatnonzero(model.feature_importances_)) == {0, 2}


def test_save_and_load():
    frame, y = table()
    model = ObliviousTreeRegressor().fit(frame, y)
    file = io.BytesIO()
    gramian.save(model, file)
    file.seek(0)
    np.testing.assert_array_equal(gramian.load(file).predict(frame), model.predict(frame))


def test_poisson_refuses_negative_targets():
    with pytest.raises(ValueError, match="negative"):
        ObliviousTreeRegressor(criterion="poisson").fit([[0.0], [1.0]], [-1.0, 1.0])
    with pytest.raises(ValueError, match="not positive"):
        ObliviousTreeRegressor(criterion="poisson").fit([[0.0], [1.0]], [0.0, 0.0])


def test_text_of_a_regression():
    model = ObliviousTreeRegressor(max_depth=1).fit([[0.0], [1.0]], [2.0, 4.5])
    assert str(model.tree_) == "1. x0 <= 0.5\nyes : 2 (1)\nno  : 4.5 (1)"
    assert repr(model.tree_) == "<ObliviousTree: depth 1, 2 leaves>"
