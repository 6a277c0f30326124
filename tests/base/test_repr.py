"""Estimators print as scikit-learn's do."""

import numpy as np
import pytest
import sklearn.linear_model
from hypothesis import given
from hypothesis import strategies as st
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import BaggingRegressor
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

import gramian
from gramian.base import BaseEstimator
from gramian.linear_model import LinearRegression, Ridge
from gramian.params import Anything, param

THEIRS = {
    "Ridge": sklearn.linear_model.Ridge,
    "LinearRegression": sklearn.linear_model.LinearRegression,
}

RIDGE_VALUES = st.fixed_dictionaries(
    {},
    optional={
        "alpha": st.floats(allow_nan=True) | st.integers(),
        "fit_intercept": st.booleans(),
        "copy_X": st.booleans(),
        "max_iter": st.none() | st.integers(1, 10**6),
        "tol": st.floats(0.0, 1.0),
        "solver": st.sampled_from(["auto", "svd", "lbfgs"]),
        "positive": st.booleans(),
        "random_state": st.none() | st.integers(0, 100),
    },
)


def _words(text):
    """Return the text without its line breaks, which may differ by one column."""
    return " ".join(text.split())


@given(RIDGE_VALUES)
def test_same_as_sklearn(params):
    text = repr(Ridge(**params))
    assert _words(text) == _words(repr(sklearn.linear_model.Ridge(**params)))
    assert max(map(len, text.splitlines())) <= 80


@given(RIDGE_VALUES)
def test_same_as_sklearn_with_all_parameters(params):
    theirs = sklearn.linear_model.Ridge(**params)
    with gramian.config(print_changed_only=False), sklearn.config_context(print_changed_only=False):
        assert _words(repr(Ridge(**params))) == _words(repr(theirs))


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"positive": True},
        {"fit_intercept": False, "n_jobs": 4, "tol": 1e-9},
        {"tol": np.float64(1e-3)},
    ],
)
def test_linear_regression(params):
    assert repr(LinearRegression(**params)) == repr(THEIRS["LinearRegression"](**params))


class Holder(BaseEstimator):
    inner = param(None, Anything())
    steps = param(None, Anything())


class SklearnHolder(sklearn.base.BaseEstimator):
    def __init__(self, *, inner=None, steps=None):
        self.inner = inner
        self.steps = steps


def _both(build):
    """Return the text of a nested estimator made of our classes, and of scikit-learn's."""
    ours = repr(build(Holder, Ridge)).replace("Holder", "H")
    theirs = repr(build(SklearnHolder, sklearn.linear_model.Ridge)).replace("SklearnHolder", "H")
    return ours, theirs


def test_nested():
    ours = Holder(inner=Holder(inner=Ridge(alpha=2.0)), steps=[("a", Ridge()), ("b", 3)])
    assert repr(ours) == (
        "Holder(inner=Holder(inner=Ridge(alpha=2.0)), steps=[('a', Ridge()), ('b', 3)])"
    )


@pytest.mark.parametrize(
    "build",
    [
        lambda h, r: Pipeline([("scale", StandardScaler()), ("ridge", r(alpha=3.0))]),
        lambda h, r: make_pipeline(StandardScaler(), r(alpha=3.0, solver="svd", tol=1e-9)),
        lambda h, r: GridSearchCV(r(), {"alpha": [0.1, 1.0, 10.0]}, cv=3),
        lambda h, r: BaggingRegressor(r(alpha=2.0, positive=True), n_estimators=3),
        lambda h, r: ColumnTransformer([("a", r(alpha=2.0), [0, 1]), ("b", "passthrough", [2])]),
    ],
    ids=["pipeline", "make_pipeline", "search", "bagging", "columns"],
)
def test_inside_sklearns(build):
    ours, theirs = _both(build)
    assert ours == theirs


def test_lines_break_as_sklearns():
    params = {
        "alpha": 123456.789,
        "fit_intercept": False,
        "copy_X": False,
        "max_iter": 123456,
        "tol": 0.123456,
        "solver": "sparse_cg",
        "positive": True,
        "random_state": 42,
    }
    text = repr(Ridge(**params))
    assert text == repr(sklearn.linear_model.Ridge(**params))
    assert max(map(len, text.splitlines())) <= 80


def test_long_values_lose_their_middle():
    model = Ridge(alpha=list(range(1000)))
    assert repr(model) == repr(sklearn.linear_model.Ridge(alpha=model.alpha))
    assert repr(model).endswith("28, 29, ...])")
    assert len(model.__repr__(N_CHAR_MAX=60)) < 70
    text = repr(Ridge(solver="s" * 1000))
    assert len(text) < 760
    assert text.startswith("Ridge(solver='sss")
    assert text.endswith("sss')")


@pytest.mark.parametrize(
    "value", [float("nan"), np.nan, 1.0, np.float64(1.0), np.array([1.0, 2.0])]
)
def test_what_counts_as_changed(value):
    assert repr(Ridge(alpha=value)) == repr(sklearn.linear_model.Ridge(alpha=value))


def test_default_nan_is_not_shown():
    class Gap(BaseEstimator):
        missing = param(np.nan, Anything())

    assert repr(Gap()) == "Gap()"
    assert repr(Gap(missing=float("nan"))) == "Gap()"
    assert repr(Gap(missing=0.0)) == "Gap(missing=0.0)"


def test_class_as_value():
    assert repr(Holder(inner=Ridge)) == f"Holder(inner={Ridge!r})"


def test_html_escapes():
    page = Holder(inner="<script>alert(1)</script>")._repr_html_()
    assert "<script>" not in page
    assert "&lt;script&gt;" in page


def test_html_marks_what_was_changed():
    page = Ridge(alpha=2.0)._repr_html_()
    assert "<b>alpha</b>" in page
    assert "<b>solver</b>" not in page
    assert "(not fitted)" in page
    assert "(fitted)" in Ridge().fit([[0.0], [1.0]], [0.0, 1.0])._repr_html_()
    nested = Holder(inner=Ridge(alpha=2.0))._repr_html_()
    assert nested.count("<details") == 2
