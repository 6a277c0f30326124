"""Nested cross-validation: the same as by hand, for our searches and scikit-learn's."""

import numpy as np
import pytest
import sklearn.model_selection
import sklearn.tree
from sklearn.neighbors import KNeighborsClassifier

from gramian.datasets import load_diabetes, load_iris
from gramian.dummy import DummyClassifier, DummyRegressor
from gramian.exceptions import FitFailedWarning
from gramian.linear_model import Ridge
from gramian.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    RandomizedSearchCV,
    cross_val_score,
    nested_cross_validate,
)

X, Y = load_diabetes(return_X_y=True)
GRID = {"alpha": [0.001, 0.1, 10.0]}
FOLDS = KFold(4, shuffle=True, random_state=0)


def by_hand(search, cv):
    scores, inner, chosen = [], [], []
    for train, test in cv.split(X):
        fitted = search.fit(X[train], Y[train])
        scores.append(fitted.score(X[test], Y[test]))
        inner.append(fitted.best_score_)
        chosen.append(fitted.best_params_)
    return scores, inner, chosen


@pytest.mark.parametrize("scoring", [None, "neg_mean_absolute_error"])
def test_by_hand(scoring):
    search = GridSearchCV(Ridge(), GRID, cv=3, scoring=scoring)
    result = nested_cross_validate(search, X, Y, cv=FOLDS)
    scores, inner, chosen = by_hand(GridSearchCV(Ridge(), GRID, cv=3, scoring=scoring), FOLDS)
    np.testing.assert_array_equal(result.scores, scores)
    np.testing.assert_array_equal(result.inner_scores, inner)
    assert result.best_params == chosen
    whole = GridSearchCV(Ridge(), GRID, cv=3, scoring=scoring).fit(X, Y)
    assert result.non_nested_score == whole.best_score_
    assert result.optimism == whole.best_score_ - np.mean(scores)
    assert result.search.best_params_ == whole.best_params_
    assert not hasattr(search, "best_params_") and result.estimators is None
    pair = nested_cross_validate((Ridge(), GRID), X, Y, cv=FOLDS, inner_cv=3, scoring=scoring)
    np.testing.assert_array_equal(pair.scores, scores)


def test_arguments_replace_those_of_the_search():
    search = GridSearchCV(Ridge(), GRID, cv=3)
    result = nested_cross_validate(search, X, Y, cv=FOLDS, inner_cv=4, scoring="neg_max_error")
    same = GridSearchCV(Ridge(), GRID, cv=4, scoring="neg_max_error")
    np.testing.assert_array_equal(
        result.scores, cross_val_score(same, X, Y, cv=FOLDS, scoring="neg_max_error")
    )
    assert search.cv == 3


def test_scikit_learns_searches():
    iris, kind = load_iris(return_X_y=True)
    search = sklearn.model_selection.GridSearchCV(
        KNeighborsClassifier(), {"n_neighbors": [1, 5, 9]}, cv=3
    )
    result = nested_cross_validate(search, iris, kind)
    theirs = sklearn.model_selection.cross_val_score(search, iris, kind)
    np.testing.assert_allclose(result.scores, theirs, rtol=1e-12)
    assert "GridSearchCV of KNeighborsClassifier" in repr(result)


def test_random_search_jobs_and_estimators():
    search = RandomizedSearchCV(Ridge(), {"alpha": [0.01, 0.1, 1]}, n_iter=2, random_state=0)
    one = nested_cross_validate(search, X, Y, cv=2, return_estimator=True)
    two = nested_cross_validate(search, X, Y, cv=2, n_jobs=2)
    np.testing.assert_array_equal(one.scores, two.scores)
    assert [found.best_params_ for found in one.estimators] == one.best_params


def test_several_scores_use_that_of_refit():
    search = GridSearchCV(Ridge(), GRID, scoring=["r2", "neg_max_error"], refit="r2", cv=3)
    result = nested_cross_validate(search, X, Y, cv=FOLDS)
    plain = nested_cross_validate((Ridge(), GRID), X, Y, cv=FOLDS, inner_cv=3, scoring="r2")
    np.testing.assert_array_equal(result.scores, plain.scores)
    assert result.optimism == plain.optimism


def test_groups_and_weights_reach_both_levels():
    groups = np.arange(len(X)) % 7
    weight = np.random.default_rng(0).integers(1, 4, size=len(X))
    result = nested_cross_validate(
        (Ridge(), GRID),
        X,
        Y,
        cv=GroupKFold(3),
        inner_cv=GroupKFold(2),
        groups=groups,
        params={"sample_weight": weight},
    )
    for score, (train, test) in zip(result.scores, GroupKFold(3).split(X, Y, groups), strict=True):
        search = GridSearchCV(Ridge(), GRID, cv=GroupKFold(2))
        search.fit(X[train], Y[train], groups=groups[train], sample_weight=weight[train])
        assert score == search.score(X[test], Y[test])


def test_optimism_on_noise():
    """Among many useless settings the best looks better than it is."""
    search = GridSearchCV(
        DummyClassifier(strategy="uniform"), {"random_state": list(range(40))}, cv=3
    )
    optimism = []
    for seed in range(5):
        target = np.random.default_rng(seed).integers(0, 2, size=60)
        result = nested_cross_validate(search, np.zeros((60, 1)), target, cv=3)
        assert np.all(result.inner_scores > 0.55)
        optimism.append(result.optimism)
    assert np.mean(optimism) > 0.03


class Picky(Ridge):
    """Fails on the outer training part that begins with another row than the whole."""

    def fit(self, X, y, sample_weight=None):
        if len(X) < 400 and X[0, 0] != FIRST:
            raise RuntimeError("broken on purpose")
        return super().fit(X, y)


FIRST = X[0, 0]


def test_failures():
    split = np.arange(200), np.arange(200, 442)
    splits = [split, split[::-1]]
    search = GridSearchCV(Picky(), GRID, cv=[(np.arange(100), np.arange(100, 150))])
    with pytest.warns(FitFailedWarning, match="1 fits failed out of a total of 2"):
        result = nested_cross_validate(search, X, Y, cv=splits)
    assert result.best_params[1] is None and np.isnan(result.scores[1])
    assert np.isnan(result.optimism)
    for backend in ("pandas", "polars", "pyarrow"):
        assert result.frame(backend).shape == (2, 6)
    assert "None" in repr(result)
    with pytest.raises(ValueError, match="fits failed"):
        nested_cross_validate(search, X, Y, cv=splits, error_score="raise")


def test_shown(frame_library):
    result = nested_cross_validate(
        (Ridge(), {"alpha": [0.1, 1], "solver": ["auto", "svd"]}), X, Y, cv=FOLDS
    )
    frame = result.frame(frame_library)
    assert frame.shape == (4, 7)
    text = repr(result).splitlines()
    assert text[0] == "GridSearchCV of Ridge, nested in 4 outer splits"
    assert text[2].split() == ["split", "score", "inner", "score", "alpha", "solver"]
    labels = ["nested score", "non-nested score", "optimism"]
    for label, line in zip(labels, text[-3:], strict=True):
        assert line.startswith(label)
    assert "non-nested score" in result._repr_html_()
    mixed = nested_cross_validate(
        (sklearn.tree.DecisionTreeRegressor(random_state=0), {"max_features": [2, 0.5, "sqrt"]}),
        X,
        Y,
        cv=3,
    )
    assert mixed.frame(frame_library).shape == (3, 6)


@pytest.mark.parametrize(
    ("search", "options", "error", "message"),
    [
        (DummyRegressor(), {}, TypeError, "no best_params_ after fit"),
        (GridSearchCV, {}, ValueError, "'search' parameter"),
        ((Ridge(), GRID), {"scoring": ["r2"]}, ValueError, "'scoring' parameter"),
        ((Ridge(), {"beta": [1.0]}), {"error_score": "raise"}, ValueError, "Invalid parameter"),
        ((Ridge(), GRID), {"n_jobs": "two"}, ValueError, "'n_jobs' parameter"),
    ],
    ids=["no search", "class", "several scores", "unknown parameter", "jobs"],
)
def test_refusals(search, options, error, message):
    with pytest.raises(error, match=message):
        nested_cross_validate(search, X, Y, **options)
