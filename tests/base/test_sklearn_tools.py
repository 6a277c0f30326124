"""Our estimators, and users' own classes built on ours, inside scikit-learn's tools."""

import numpy as np
import pytest
import sklearn
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import TransformedTargetRegressor
from sklearn.datasets import make_regression
from sklearn.ensemble import BaggingRegressor, StackingRegressor, VotingRegressor
from sklearn.feature_selection import RFE, SelectFromModel
from sklearn.inspection import permutation_importance
from sklearn.model_selection import (
    GridSearchCV,
    RandomizedSearchCV,
    cross_val_predict,
    cross_val_score,
    learning_curve,
    train_test_split,
    validation_curve,
)
from sklearn.multioutput import MultiOutputRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from gramian.base import BaseEstimator, RegressorMixin, TransformerMixin
from gramian.dummy import DummyClassifier
from gramian.linear_model import LinearRegression, Ridge
from gramian.validation import check_fit, check_predict

X, y = make_regression(n_samples=80, n_features=5, noise=5.0, random_state=0)


class ShrunkRidge(Ridge):
    """A user's class with a constructor of its own."""

    def __init__(self, alpha=1.0, *, shrink=0.5, solver="auto"):
        super().__init__(alpha=alpha, solver=solver)
        self.shrink = shrink

    def predict(self, X):
        return self.shrink * super().predict(X)


class Trimmed(TransformerMixin, BaseEstimator):
    """A user's transformer: values beyond `limit` are cut."""

    def __init__(self, limit=2.0):
        self.limit = limit

    def fit(self, X, y=None):
        check_fit(self, X, accept_sparse=False)
        self.limit_ = float(self.limit)
        return self

    def transform(self, X):
        return np.clip(check_predict(self, X), -self.limit_, self.limit_)

    def get_feature_names_out(self, input_features=None):
        return np.array([f"t{j}" for j in range(self.n_features_in_)], dtype=object)


class Constant(RegressorMixin, BaseEstimator):
    """A user's class without any help from the library's validation."""

    def __init__(self, value=0.0):
        self.value = value

    def fit(self, X, y):
        self.fitted_ = True
        return self

    def predict(self, X):
        return np.full(len(X), self.value)


@pytest.mark.parametrize(
    ("model", "name", "values"),
    [
        (Ridge(), "alpha", [0.01, 1.0, 100.0]),
        (LinearRegression(), "fit_intercept", [True, False]),
        (ShrunkRidge(), "shrink", [0.5, 1.0, 1.5]),
        (Constant(), "value", [-1.0, 0.0, 50.0]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_searches(model, name, values):
    grid = GridSearchCV(model, {name: values}, cv=3).fit(X, y)
    assert grid.best_params_[name] in values
    assert grid.best_estimator_.get_params()[name] == grid.best_params_[name]
    assert np.isfinite(grid.cv_results_["mean_test_score"]).all()
    drawn = RandomizedSearchCV(model, {name: values}, n_iter=2, cv=3, random_state=0).fit(X, y)
    assert drawn.predict(X).shape == y.shape


def test_search_finds_what_sklearns_finds():
    grid = {"alpha": [0.1, 1.0, 10.0, 100.0]}
    ours = GridSearchCV(Ridge(), grid, cv=5).fit(X, y)
    theirs = GridSearchCV(sklearn.linear_model.Ridge(), grid, cv=5).fit(X, y)
    assert ours.best_params_ == theirs.best_params_
    np.testing.assert_allclose(
        ours.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"], rtol=1e-9
    )


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_search_in_processes():
    grid = GridSearchCV(Ridge(), {"alpha": [0.1, 1.0]}, cv=3, n_jobs=2).fit(X, y)
    assert grid.best_score_ > 0.9


@pytest.mark.parametrize("model", [Ridge(), LinearRegression(), ShrunkRidge(shrink=1.0)])
def test_pipelines(model):
    pipeline = make_pipeline(Trimmed(limit=3.0), StandardScaler(), PolynomialFeatures(2), model)
    scores = cross_val_score(pipeline, X, y, cv=4)
    assert (scores > 0.5).all()
    pipeline.set_params(trimmed__limit=0.1).fit(X, y)
    assert pipeline[0].limit_ == 0.1
    search = GridSearchCV(pipeline, {"trimmed__limit": [0.5, 3.0]}, cv=3).fit(X, y)
    assert search.best_params_ == {"trimmed__limit": 3.0}


def test_sample_weight_through_a_pipeline():
    pipeline = make_pipeline(StandardScaler(), Ridge())
    weight = np.linspace(0.0, 1.0, len(y))
    name = f"{pipeline.steps[-1][0]}__sample_weight"
    weighted, plain = sklearn.clone(pipeline).fit(X, y, **{name: weight}), pipeline.fit(X, y)
    assert not np.allclose(weighted.predict(X), plain.predict(X))


def test_cross_validation_agrees_with_sklearn():
    theirs = sklearn.linear_model.LinearRegression()
    for scoring in ("r2", "neg_mean_squared_error", "neg_mean_absolute_error"):
        np.testing.assert_allclose(
            cross_val_score(LinearRegression(), X, y, scoring=scoring),
            cross_val_score(theirs, X, y, scoring=scoring),
            rtol=1e-9,
        )
    np.testing.assert_allclose(
        cross_val_predict(LinearRegression(), X, y), cross_val_predict(theirs, X, y), rtol=1e-8
    )


def test_classifiers_are_stratified():
    """scikit-learn splits by class because it sees that ours is a classifier."""
    labels = np.array(["a"] * 12 + ["b"] * 4)
    scores = cross_val_score(DummyClassifier(), np.zeros((16, 1)), labels, cv=4)
    assert scores.tolist() == [0.75] * 4
    calibrated = CalibratedClassifierCV(DummyClassifier(), cv=2).fit(np.zeros((16, 1)), labels)
    assert calibrated.classes_.tolist() == ["a", "b"]


@pytest.mark.parametrize(
    "build",
    [
        lambda: BaggingRegressor(Ridge(), n_estimators=3, random_state=0),
        lambda: StackingRegressor([("r", Ridge()), ("l", LinearRegression())], LinearRegression()),
        lambda: VotingRegressor([("r", Ridge()), ("l", LinearRegression())]),
        lambda: TransformedTargetRegressor(Ridge(), transformer=StandardScaler()),
        lambda: make_pipeline(SelectFromModel(Ridge()), LinearRegression()),
        lambda: RFE(Ridge(), n_features_to_select=3),
        lambda: ShrunkRidge(shrink=1.0),
    ],
    ids=["bagging", "stacking", "voting", "transformed", "select", "rfe", "subclass"],
)
def test_meta_estimators(build):
    X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
    assert build().fit(X_train, y_train).score(X_test, y_test) > 0.3


def test_multi_output():
    Y = np.column_stack([y, -2.0 * y])
    wrapped = MultiOutputRegressor(Ridge()).fit(X, Y).predict(X)
    np.testing.assert_allclose(wrapped, Ridge().fit(X, Y).predict(X), rtol=1e-9)


def test_curves_and_importances():
    _, train, test = learning_curve(Ridge(), X, y, cv=3)
    assert np.isfinite(train).all() and np.isfinite(test).all()
    train, test = validation_curve(Ridge(), X, y, param_name="alpha", param_range=[0.1, 1.0], cv=3)
    assert np.isfinite(train).all() and np.isfinite(test).all()
    result = permutation_importance(Ridge().fit(X, y), X, y, n_repeats=2, random_state=0)
    assert result.importances_mean.shape == (5,)


def test_helpers_see_what_they_need():
    assert has_fit_parameter(Ridge(), "sample_weight")
    check_is_fitted(Ridge().fit(X, y))
    with pytest.raises(sklearn.exceptions.NotFittedError):
        check_is_fitted(Ridge())


def test_subclass_keeps_its_parameters():
    model = ShrunkRidge(2.0, shrink=0.25)
    assert model.get_params() == {"alpha": 2.0, "shrink": 0.25, "solver": "auto"}
    assert sklearn.clone(model).get_params() == model.get_params()
    assert repr(model) == "ShrunkRidge(alpha=2.0, shrink=0.25)"
