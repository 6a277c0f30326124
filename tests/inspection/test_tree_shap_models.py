"""Shapley values of the tree models themselves, on data frames too."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from gramian.exceptions import NotFittedError
from gramian.inspection import tree_shap
from gramian.tree import DecisionTreeClassifier, DecisionTreeRegressor


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    n = 200
    numbers = rng.normal(size=n)
    return {
        "size": np.where(rng.random(n) < 0.2, np.nan, rng.normal(size=n)).tolist(),
        "city": rng.choice(["Bern", "Oslo", "Rome"], n).tolist(),
        "age": numbers.tolist(),
    }


@pytest.mark.parametrize("kind", ["tree_path_dependent", "interventional"])
def test_text_and_missing_values_of_any_frame(rows, make_frame, kind):
    frame = make_frame(rows)
    city = np.array(rows["city"])
    y = np.array(rows["age"]) + 2.0 * (city == "Oslo") + np.nan_to_num(rows["size"])
    model = DecisionTreeRegressor(max_depth=6, random_state=0).fit(frame, y)
    background = frame if kind == "interventional" else None
    result = tree_shap(model, frame, feature_perturbation=kind, background=background)
    assert result.check().optimality < 1e-12
    assert result.feature_names == ["size", "city", "age"]
    assert result.data[:, 1].tolist() == rows["city"]
    assert_allclose(result.predictions, model.predict(frame))
    oslo = result.values[city == "Oslo", 1].mean()
    assert oslo > 0.5 > result.values[city == "Rome", 1].mean()


def test_classes_have_an_axis(rows):
    X = np.column_stack([rows["size"], rows["age"]])
    y = np.where(X[:, 1] > 0, "old", "young")
    model = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y)
    result = tree_shap(model, X)
    assert result.values.shape == (200, 2, 2) and result.output_names == ["old", "young"]
    assert_array_equal(result.predictions, model.predict_proba(X))
    assert result.check().converged
    assert (result.output("old").values[X[:, 1] > 0, 1] > 0).all()


def test_a_model_that_is_not_fitted(rows):
    with pytest.raises(NotFittedError):
        tree_shap(DecisionTreeRegressor(), np.zeros((2, 2)))
