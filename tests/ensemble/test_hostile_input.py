"""Forests and other ensembles on targets and tables that are odd, or wrong."""

import numpy as np
import pandas as pd
import pytest

import gramian
from gramian.ensemble import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    BaggingClassifier,
    BaggingRegressor,
    ExtraTreesRegressor,
    HistGradientBoostingRegressor,
    IsolationForest,
    RandomForestClassifier,
    RandomForestRegressor,
)
from gramian.linear_model import LogisticRegression, Ridge
from gramian.tree import DecisionTreeRegressor


@pytest.mark.parametrize("cls", [RandomForestRegressor, ExtraTreesRegressor])
def test_forests_of_counts_say_what_is_wrong(cls):
    model = cls(2, criterion="poisson")
    with pytest.raises(ValueError, match="Sum of y is not strictly positive which is necessary"):
        model.fit(np.zeros((3, 2)), [0, 0, 0])
    with pytest.raises(ValueError, match="negative which is not allowed for Poisson"):
        model.fit(np.zeros((3, 2)), [-1, 1, 3])


def test_bagged_trees_of_counts_say_what_is_wrong():
    model = BaggingRegressor(DecisionTreeRegressor(criterion="poisson"), 2)
    with pytest.raises(ValueError, match="negative which is not allowed for Poisson"):
        model.fit(np.zeros((3, 2)), [-1, 1, 3])


@pytest.mark.parametrize(
    "model",
    [
        BaggingClassifier(n_estimators=4),
        BaggingClassifier(LogisticRegression(), 4, max_features=0.7),
        BaggingRegressor(n_estimators=4),
        AdaBoostClassifier(n_estimators=4),
        AdaBoostClassifier(LogisticRegression(), n_estimators=4),
        AdaBoostRegressor(n_estimators=4),
        AdaBoostRegressor(Ridge(), n_estimators=4),
    ],
    ids=repr,
)
def test_names_that_are_wanting_are_spoken_of_once(model):
    X = np.random.default_rng(0).normal(size=(60, 3))
    y, frame = (X[:, 0] > 0).astype(int), pd.DataFrame(X, columns=list("abc"))
    for known, new, message in ((frame, X, "does not have valid"), (X, frame, "has feature names")):
        model.fit(known, y)
        with pytest.warns(UserWarning, match=message) as told:
            model.predict(new)
        assert [type(model).__name__ in str(warning.message) for warning in told] == [True]


def test_an_isolation_forest_of_no_columns_takes_one():
    X = np.random.default_rng(0).normal(size=(60, 3))
    none, one = (
        IsolationForest(n_estimators=5, max_features=n, random_state=0).fit(X).score_samples(X)
        for n in (0, 1)
    )
    np.testing.assert_array_equal(none, one)


@pytest.mark.parametrize("cls", [RandomForestClassifier, ExtraTreesRegressor])
def test_trees_of_two_forests_can_be_joined(cls, tmp_path):
    X = np.random.default_rng(0).normal(size=(80, 3))
    y = np.digitize(X[:, 0], [-0.5, 0.5])
    one, two = (cls(n, random_state=n).fit(X, y) for n in (5, 3))
    ask = "predict_proba" if cls is RandomForestClassifier else "predict"
    first, second = (getattr(model, ask)(X) for model in (one, two))
    one.estimators_ += two.estimators_
    one.n_estimators = len(one)
    assert len(one.estimators_) == len(one.estimators_samples_) == 8
    np.testing.assert_allclose(getattr(one, ask)(X), (5 * first + 3 * second) / 8)
    gramian.save(one, tmp_path / "forest.zip")
    loaded = gramian.load(tmp_path / "forest.zip")
    np.testing.assert_array_equal(getattr(loaded, ask)(X), getattr(one, ask)(X))
    one.estimators_ = np.array(one.estimators_)[5:]
    np.testing.assert_array_equal(getattr(one, ask)(X), second)
    np.testing.assert_array_equal(one.feature_importances_, two.feature_importances_)


def test_trees_of_another_kind_cannot():
    X = np.random.default_rng(0).normal(size=(40, 3))
    y, text = X[:, 0], pd.DataFrame({"a": list("abcd") * 10, "b": X[:, 1], "c": X[:, 2]})
    model = RandomForestRegressor(2, keep_leaf_rows=True).fit(X, y)
    for other, message in [
        ([], "list of decision trees"),
        ([Ridge()], "list of decision trees"),
        ([DecisionTreeRegressor()], "not fitted yet"),
        (RandomForestRegressor(2, criterion="absolute_error").fit(X, y), "the criterion"),
        (RandomForestRegressor(2).fit(X[:, :2], y), "the same columns"),
        (RandomForestRegressor(2).fit(text, y), "the same levels"),
        ([DecisionTreeRegressor().fit(X, y)], "whole numbers as random_state"),
    ]:
        with pytest.raises(ValueError, match=message):
            model.estimators_ = other if isinstance(other, list) else other.estimators_
    model.predict_quantiles(X, [0.5])
    model.estimators_ = model.estimators_[:1]
    with pytest.raises(ValueError, match="keep_leaf_rows"):
        model.predict_quantiles(X, [0.5])


def test_members_of_a_bag_can_be_taken_out():
    X = np.random.default_rng(0).normal(size=(60, 3))
    model = BaggingRegressor(n_estimators=5, random_state=0).fit(X, X[:, 0])
    model.estimators_ = model.estimators_[:2]
    mean = np.mean([member.predict(X) for member in model], axis=0)
    np.testing.assert_allclose(model.predict(X), mean)


@pytest.mark.parametrize(
    ("cls", "max_samples"),
    [(RandomForestRegressor, 2**70), (RandomForestRegressor, 1e300), (BaggingClassifier, 2**70)],
)
def test_more_draws_than_can_be_counted(cls, max_samples):
    X = np.arange(6.0)[:, None]
    with pytest.raises(ValueError, match="draws of rows for each member"):
        cls(n_estimators=2, max_samples=max_samples).fit(X, [0, 0, 0, 1, 1, 1])


def test_weights_beyond_any_number_of_copies():
    rng = np.random.default_rng(0)
    X, weight = rng.normal(size=(500, 3)), rng.integers(1, 4, 500)
    y = X[:, 0] + rng.normal(size=500)
    model = HistGradientBoostingRegressor(max_iter=10)
    large, small = (
        model.fit(X, y, sample_weight=weight * factor).predict(X) for factor in (1e9, 0.37)
    )
    np.testing.assert_allclose(large, small, rtol=1e-5, atol=1e-6)
