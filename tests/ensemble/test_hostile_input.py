"""Forests and other ensembles on targets and tables that are odd, or wrong."""

import numpy as np
import pandas as pd
import pytest

from gramian.ensemble import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    BaggingClassifier,
    BaggingRegressor,
    ExtraTreesRegressor,
    IsolationForest,
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
