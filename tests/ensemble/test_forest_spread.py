"""Votes, error curves, spread, quantiles and intervals of forests."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import gramian
from gramian.datasets import load_diabetes, make_classification, make_friedman1
from gramian.ensemble import (
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)


def test_hard_votes():
    X, y = make_classification(300, 8, n_informative=5, n_classes=3, random_state=0)
    soft, hard = (
        RandomForestClassifier(40, max_depth=2, voting=voting, oob_score=True, random_state=0).fit(
            X, y
        )
        for voting in ("soft", "hard")
    )
    votes = np.array([tree.predict(X) for tree in soft.estimators_])
    shares = (votes[:, :, None] == np.arange(3)).mean(axis=0)
    assert_allclose(hard.predict_proba(X), shares, rtol=1e-12)
    assert_array_equal(hard.predict(X), shares.argmax(axis=1))
    assert (hard.predict(X) != soft.predict(X)).any()
    n_voters = np.array([np.isin(np.arange(300), rows) for rows in hard.estimators_samples_])
    whole = hard.oob_decision_function_ * (~n_voters).sum(axis=0)[:, None]
    assert_allclose(whole, np.round(whole), atol=1e-9)


def test_growth_stops_when_the_error_is_flat():
    X, y = make_classification(300, 8, n_informative=5, random_state=0)
    options = {"oob_score": True, "random_state": 0}
    model = RandomForestClassifier(
        1000, early_stop=True, early_stop_trees=30, early_stop_tol=0.02, **options
    ).fit(X, y)
    n_trees = len(model.estimators_)
    assert 60 <= n_trees < 1000 and n_trees % 30 == 0
    curve = model.oob_error_curve_
    assert len(curve) == n_trees
    assert curve[-60:-30].mean() - curve[-30:].mean() <= 0.02 * curve[-60:-30].mean()
    if n_trees > 60:
        assert curve[-90:-60].mean() - curve[-60:-30].mean() > 0.02 * curve[-90:-60].mean()
    fixed = RandomForestClassifier(n_trees, **options).fit(X, y)
    assert_array_equal(fixed.oob_error_curve_, curve)
    assert_array_equal(fixed.predict_proba(X), model.predict_proba(X))
    never = RandomForestClassifier(70, early_stop=True, early_stop_trees=40, **options).fit(X, y)
    assert len(never) == 70
    with pytest.raises(ValueError, match="needs oob_score=True"):
        RandomForestClassifier(early_stop=True).fit(X, y)


@pytest.mark.parametrize("n_outputs", [1, 2])
def test_standard_deviation_of_the_trees(n_outputs):
    X, y = load_diabetes(return_X_y=True)
    target = y if n_outputs == 1 else np.column_stack([y, -y])
    model = RandomForestRegressor(12, max_depth=4, random_state=0).fit(X, target)
    mean, std = model.predict(X, return_std=True)
    each = np.array([tree.predict(X) for tree in model.estimators_])
    assert_allclose(mean, model.predict(X), rtol=1e-12)
    assert_allclose(std, each.std(axis=0, ddof=1), rtol=1e-10)
    one = RandomForestRegressor(1, random_state=0).fit(X, y)
    assert (one.predict(X, return_std=True)[1] == 0).all()


def quantiles_by_definition(model, X, y, levels, weight=None):
    """Return quantiles of the target under the weights of shared leaves, one row at a time."""
    leaves, seen = model.apply(X), model.estimators_samples_
    found = np.empty((len(X), len(levels)))
    order = np.argsort(y, kind="stable")
    for i, row in enumerate(leaves):
        weights = np.zeros(len(y))
        for t, leaf in enumerate(row):
            inside = np.bincount(seen[t], minlength=len(y)) * (model.apply(X)[:, t] == leaf)
            inside = inside if weight is None else inside * weight
            weights += inside / inside.sum() / len(row)
        sums = np.cumsum(weights[order])
        found[i] = [y[order][np.flatnonzero(sums >= level - 1e-9)[0]] for level in levels]
    return found


@pytest.mark.parametrize("cls", [RandomForestRegressor, ExtraTreesRegressor])
def test_quantiles_are_those_of_shared_leaves(cls, tmp_path):
    X, y = load_diabetes(return_X_y=True)
    X, y = X[:80], np.round(y[:80], -1)
    levels = [0.0, 0.1, 0.5, 0.95, 1.0]
    weight = None if cls is RandomForestRegressor else np.arange(80) % 3
    model = cls(6, min_samples_leaf=4, keep_leaf_rows=True, random_state=0).fit(X, y, weight)
    found = model.predict_quantiles(X, levels)
    expected = quantiles_by_definition(model, X, y, np.maximum(levels, 1e-8), weight)
    assert_array_equal(found, expected)
    assert_array_equal(model.predict_quantiles(X, 0.5), found[:, 2])
    gramian.save(model, tmp_path / "forest.gram")
    for copy in (gramian.load(tmp_path / "forest.gram"), pickle.loads(pickle.dumps(model))):
        assert_array_equal(copy.predict_quantiles(X, levels), found)
    both = cls(6, keep_leaf_rows=True, random_state=0).fit(X, np.column_stack([y, -y]))
    two = both.predict_quantiles(X, [0.25, 0.5])
    assert two.shape == (80, 2, 2) and (two[:, 0] <= two[:, 1]).all()


def test_intervals_cover_their_share():
    shares, widths = [], []
    for seed in range(3):
        X, y = make_friedman1(1800, noise=1.0, random_state=seed)
        y += np.random.default_rng(seed).normal(size=len(y)) * 3 * X[:, 5]  # wider to the right
        model = RandomForestRegressor(100, oob_score=True, random_state=seed, min_samples_leaf=3)
        lower, upper = model.fit(X[:900], y[:900]).predict_interval(X[900:]).T
        shares.append(np.mean((lower <= y[900:]) & (y[900:] <= upper)))
        widths.append(np.corrcoef(upper - lower, X[900:, 5])[0, 1])
    assert 0.88 <= np.mean(shares) <= 0.92
    assert min(widths) > 0.05
    mean = model.predict(X[900:])
    assert_allclose((lower + upper) / 2, mean, rtol=1e-10)
    narrow = model.predict_interval(X[900:], coverage=0.5)
    assert (narrow[:, 0] > lower).all() and (narrow[:, 1] < upper).all()
    assert np.isinf(model.predict_interval(X[:2], coverage=0.9999)).all()


def test_intervals_of_several_outputs_and_of_a_constant():
    X, y = load_diabetes(return_X_y=True)
    model = RandomForestRegressor(40, oob_score=True, random_state=0)
    both = model.fit(X, np.column_stack([y, y / 2])).predict_interval(X[:5])
    assert both.shape == (5, 2, 2)
    assert (both[:, 0] < both[:, 1]).all()
    flat = model.fit(X, np.full(len(y), 3.0)).predict_interval(X[:5])
    assert_allclose(flat, 3.0)


def test_what_is_needed_is_said():
    X, y = load_diabetes(return_X_y=True)
    model = RandomForestRegressor(5, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="keep_leaf_rows=True"):
        model.predict_quantiles(X, 0.5)
    with pytest.raises(ValueError, match="oob_score=True"):
        model.predict_interval(X)
    for wrong in (1.5, [0.1, -0.1], [[0.5]], np.nan):
        with pytest.raises(ValueError, match="quantiles must be numbers in"):
            model.predict_quantiles(X, wrong)
    for wrong in (0, 1.0, "most"):
        with pytest.raises(ValueError, match="coverage"):
            model.predict_interval(X, wrong)
    model = RandomForestRegressor(30, random_state=0, oob_score=True, keep_leaf_rows=True)
    model.fit(X, y).set_params(oob_score=False, keep_leaf_rows=False).fit(X, y)
    for method, argument in (("predict_quantiles", 0.5), ("predict_interval", 0.9)):
        with pytest.raises(ValueError, match="needs a fit with"):
            getattr(model, method)(X, argument)
