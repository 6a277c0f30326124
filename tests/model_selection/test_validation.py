"""cross_validate gives scikit-learn's scores, from any kind of table."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
import sklearn.linear_model
import sklearn.model_selection

from gramian.datasets import load_diabetes
from gramian.dummy import DummyClassifier, DummyRegressor
from gramian.metrics import r2_score
from gramian.model_selection import KFold, cross_validate

X, Y = load_diabetes(return_X_y=True)
LABELS = np.where(Y > 140, "high", "low")

NAMES = [
    "r2",
    "neg_mean_squared_error",
    "neg_root_mean_squared_error",
    "neg_mean_absolute_error",
]


@pytest.mark.parametrize("scoring", [None, *NAMES])
@pytest.mark.parametrize("cv", [None, 3, KFold(4, shuffle=True, random_state=1)])
def test_regression_scores(scoring, cv):
    model = sklearn.linear_model.Ridge()
    ours = cross_validate(model, X, Y, scoring=scoring, cv=cv)
    theirs = sklearn.model_selection.cross_validate(model, X, Y, scoring=scoring, cv=cv)
    assert set(ours) == set(theirs) == {"fit_time", "score_time", "test_score"}
    np.testing.assert_allclose(ours["test_score"], theirs["test_score"])
    assert (ours["fit_time"] > 0).all() and (ours["score_time"] > 0).all()


def test_several_scores():
    model = sklearn.linear_model.Ridge()
    ours = cross_validate(model, X, Y, scoring=("r2", "neg_mean_squared_error"))
    theirs = sklearn.model_selection.cross_validate(
        model, X, Y, scoring=("r2", "neg_mean_squared_error")
    )
    assert list(ours) == list(theirs)
    for name in ("test_r2", "test_neg_mean_squared_error"):
        np.testing.assert_allclose(ours[name], theirs[name])


def test_classifier_is_stratified_by_default():
    ours = cross_validate(DummyClassifier(), X, LABELS, scoring="accuracy")
    theirs = sklearn.model_selection.cross_validate(DummyClassifier(), X, LABELS)
    np.testing.assert_allclose(ours["test_score"], theirs["test_score"])


def test_callables():
    def both(model, X, y):
        return {"r2": r2_score(y, model.predict(X)), "rows": len(y)}

    result = cross_validate(DummyRegressor(), X, Y, scoring=both, cv=3)
    assert result["test_rows"].sum() == len(Y)
    named = cross_validate(DummyRegressor(), X, Y, scoring={"mine": both_first}, cv=3)
    np.testing.assert_array_equal(named["test_mine"], result["test_r2"])


def both_first(model, X, y):
    return np.array([r2_score(y, model.predict(X))])


class PositionOfRows(DummyRegressor):
    """Predicts the column `row`, to see which rows arrive."""

    def predict(self, X):
        column = X["row"] if not isinstance(X, (list, np.ndarray)) else np.asarray(X)[:, 0]
        return np.asarray(column, dtype=float)


def containers():
    row = np.arange(10.0)
    yield "numpy", row[:, None], row
    yield "list", [[value] for value in row], row.tolist()
    yield "pandas", pd.DataFrame({"row": row}, index=row[::-1] + 3), pd.Series(row, index=row[::-1])
    yield "polars", pl.DataFrame({"row": row}), pl.Series(row)
    yield "pyarrow", pa.table({"row": row}), row


@pytest.mark.parametrize(("name", "X", "y"), list(containers()), ids=lambda v: str(v)[:8])
def test_rows_are_taken_by_position(name, X, y):
    def exact(model, X, y):
        return float(np.array_equal(model.predict(X), np.asarray(y, dtype=float)))

    cv = KFold(5, shuffle=True, random_state=0)
    assert cross_validate(PositionOfRows(), X, y, scoring=exact, cv=cv)["test_score"].all()


def test_sparse_rows():
    model = sklearn.linear_model.Ridge(solver="sparse_cg")
    ours = cross_validate(model, scipy.sparse.coo_array(X), Y)
    dense = cross_validate(model, X, Y)
    np.testing.assert_allclose(ours["test_score"], dense["test_score"], rtol=1e-3)


def test_given_splits():
    splits = [(np.arange(100, 442), np.arange(100)), (np.arange(300), np.arange(300, 442) >= 300)]
    splits[1] = (np.arange(300), np.arange(442) >= 300)
    result = cross_validate(DummyRegressor(), X, Y, scoring="r2", cv=splits)
    assert result["test_score"].shape == (2,)


def test_estimator_stays_unfitted():
    model = DummyRegressor()
    cross_validate(model, X, Y)
    assert not hasattr(model, "constant_")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"scoring": "auc"}, "'auc' is not a valid scoring value"),
        ({"scoring": []}, "Empty list"),
        ({"scoring": ["r2", "r2"]}, "Duplicate"),
        ({"cv": "five"}, "Expected `cv` as an integer"),
        ({"cv": []}, "cv gives no split"),
        ({"scoring": lambda model, X, y: "good"}, "must return a number"),
    ],
)
def test_refusals(options, message):
    with pytest.raises(ValueError, match=message):
        cross_validate(DummyRegressor(), X, Y, **options)


def test_lengths_must_agree():
    with pytest.raises(ValueError, match="inconsistent"):
        cross_validate(DummyRegressor(), X, Y[:-1])


def test_no_score_method():
    class Bare:
        def fit(self, X, y):
            return self

    with pytest.raises(TypeError, match="'score' method"):
        cross_validate(Bare(), X, Y)
