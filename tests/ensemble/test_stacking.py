"""Stacks against scikit-learn's: folds, methods, passthrough, several labels, tables."""

import joblib
import numpy as np
import pandas as pd
import pytest
import sklearn.ensemble as sk
from scipy import sparse
from sklearn.linear_model import Ridge as SkRidge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.svm import SVC

import gramian
from gramian.base import clone
from gramian.datasets import load_breast_cancer, load_diabetes, load_iris
from gramian.dummy import DummyClassifier, DummyRegressor
from gramian.ensemble import StackingClassifier, StackingRegressor
from gramian.exceptions import InvalidParameterError, NotFittedError
from gramian.linear_model import (
    LinearRegression,
    LogisticRegression,
    Ridge,
    RidgeClassifier,
    RidgeCV,
)
from gramian.model_selection import KFold, ShuffleSplit, cross_val_predict

IRIS = load_iris(return_X_y=True)
CANCER = load_breast_cancer(return_X_y=True)
DIABETES = load_diabetes(return_X_y=True)


def classifiers():
    return [("near", KNeighborsClassifier()), ("no", "drop"), ("bayes", GaussianNB())]


def regressors():
    return [("near", KNeighborsRegressor()), ("ridge", SkRidge()), ("no", "drop")]


@pytest.mark.parametrize("data", [IRIS, CANCER], ids=["three", "two"])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"cv": 3, "passthrough": True},
        {"cv": KFold(4, shuffle=True, random_state=1)},
        {"stack_method": "predict"},
    ],
    ids=["default", "passthrough", "splitter", "predict"],
)
def test_classifier_equals_sklearn(data, options):
    X, y = data
    X = ((X - X.mean(axis=0)) / X.std(axis=0))[:, :6]
    final = LogisticRegression()
    ours = StackingClassifier(classifiers(), final, **options).fit(X, y)
    theirs = sk.StackingClassifier(classifiers(), final, **options).fit(X, y)
    np.testing.assert_allclose(ours.transform(X), theirs.transform(X), rtol=1e-12)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-10)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-10)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    assert ours.stack_method_ == theirs.stack_method_
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()
    assert list(ours.named_estimators_) == ["near", "no", "bayes"]


@pytest.mark.parametrize("options", [{}, {"cv": 3, "passthrough": True}], ids=["plain", "all"])
def test_regressor_equals_sklearn(options):
    X, y = DIABETES
    ours = StackingRegressor(regressors(), SkRidge(), **options).fit(X, y)
    theirs = sk.StackingRegressor(regressors(), SkRidge(), **options).fit(X, y)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-12)
    np.testing.assert_allclose(ours.transform(X), theirs.transform(X), rtol=1e-12)
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()


def test_default_final_estimators():
    X, y = DIABETES
    model = StackingRegressor([("r", Ridge()), ("mean", DummyRegressor())]).fit(X, y)
    assert type(model.final_estimator_) is RidgeCV
    X, y = IRIS
    model = StackingClassifier([("r", RidgeClassifier())]).fit(X, y)
    assert type(model.final_estimator_) is LogisticRegression
    assert model.final_estimator is None


def test_final_estimator_learns_from_rows_held_out():
    """The final model is the one fitted to `cross_val_predict` by hand."""
    X, y = DIABETES
    members = [("plane", LinearRegression()), ("ridge", Ridge(alpha=0.1))]
    model = StackingRegressor(members, LinearRegression(), cv=4).fit(X, y)
    held_out = np.column_stack([cross_val_predict(m, X, y, cv=4) for _, m in members])
    expected = LinearRegression().fit(held_out, y)
    np.testing.assert_allclose(model.final_estimator_.coef_, expected.coef_, rtol=1e-8)
    np.testing.assert_array_equal(model.estimators_[0].coef_, LinearRegression().fit(X, y).coef_)


def test_members_share_the_folds_of_a_random_splitter():
    X, y = DIABETES
    cv = KFold(5, shuffle=True, random_state=np.random.RandomState(0))
    members = [("a", Ridge()), ("b", Ridge())]
    model = StackingRegressor(members, Ridge(alpha=1e-9), cv=cv).fit(X, y)
    first, second = model.final_estimator_.coef_
    assert first == pytest.approx(second, rel=1e-6)
    assert cv.random_state.randint(1000) == np.random.RandomState(0).randint(1000)


def test_folds_must_hold_out_each_row_once():
    with pytest.raises(ValueError, match="only works for partitions"):
        StackingRegressor(regressors(), cv=ShuffleSplit(2)).fit(*DIABETES)


def test_prefit():
    X, y = IRIS
    fitted = [("near", KNeighborsClassifier().fit(X, y)), ("bayes", GaussianNB().fit(X, y))]
    ours = StackingClassifier(fitted, LogisticRegression(), cv="prefit").fit(X, y)
    theirs = sk.StackingClassifier(fitted, LogisticRegression(), cv="prefit").fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-12)
    assert ours.estimators_[0] is fitted[0][1]
    with pytest.raises(NotFittedError):
        StackingClassifier([("r", RidgeClassifier())], cv="prefit").fit(X, y)


def test_several_labels():
    X, y = IRIS
    labels = np.column_stack([y == 0, y > 0, X[:, 0] > 6]).astype(int)
    members = [("near", KNeighborsClassifier()), ("far", KNeighborsClassifier(20))]
    ours = StackingClassifier(members, KNeighborsClassifier()).fit(X, labels)
    theirs = sk.StackingClassifier(members, KNeighborsClassifier()).fit(X, labels)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    np.testing.assert_array_equal(ours.predict_proba(X), theirs.predict_proba(X))
    np.testing.assert_array_equal(ours.transform(X), theirs.transform(X))
    assert [classes.tolist() for classes in ours.classes_] == [[0, 1]] * 3
    assert ours.get_feature_names_out()[3] == "stackingclassifier_far0"


def test_text_classes_and_regressors_as_members():
    X, y = IRIS
    names = np.array(["low", "middle", "top"])[y]
    model = StackingClassifier([("ridge", Ridge()), ("flat", DummyClassifier())]).fit(X, names)
    assert model.stack_method_ == ["predict", "predict_proba"]
    assert model.score(X, names) > 0.9
    assert model.classes_.tolist() == ["low", "middle", "top"]


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
def test_sparse_passthrough_keeps_the_format(form):
    y = DIABETES[1]
    rows = sparse.random_array((len(y), 6), density=0.3, format=form, rng=0)
    model = StackingRegressor([("r", Ridge())], Ridge(), passthrough=True).fit(rows, y)
    joined = model.transform(rows)
    assert joined.format == form
    np.testing.assert_allclose(joined.toarray()[:, 1:], rows.toarray())
    assert model.set_params(passthrough=False).transform(rows).shape == (len(y), 1)


def test_weights_are_copies():
    """For fitted members; otherwise the folds of copied rows are others."""
    X, y = DIABETES
    weight = np.random.default_rng(0).integers(0, 4, len(y))
    rows = np.repeat(np.arange(len(y)), weight)
    members = [("r", Ridge().fit(X, y)), ("p", LinearRegression().fit(X, y))]
    model = StackingRegressor(members, Ridge(), cv="prefit")
    weighted = clone(model).set_params(estimators=members).fit(X, y, sample_weight=weight)
    copied = clone(model).set_params(estimators=members).fit(X[rows], y[rows])
    np.testing.assert_allclose(weighted.predict(X), copied.predict(X), rtol=1e-9)
    assert np.abs(model.fit(X, y).predict(X) - copied.predict(X)).max() > 0.1


def test_weights_reach_members_and_final_estimator():
    X, y = DIABETES
    weight = np.random.default_rng(0).random(len(y))
    members = [("r", SkRidge(alpha=0.1)), ("flat", DummyRegressor())]
    ours = StackingRegressor(members, SkRidge()).fit(X, y, sample_weight=weight)
    theirs = sk.StackingRegressor(members, SkRidge()).fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-12)
    with pytest.raises(TypeError, match="KNeighborsRegressor does not support sample weights"):
        StackingRegressor(regressors()).fit(X, y, sample_weight=weight)
    with pytest.raises(TypeError, match="KNeighborsRegressor does not support sample weights"):
        StackingRegressor(members, KNeighborsRegressor()).fit(X, y, sample_weight=weight)


@pytest.fixture
def flats(make_frame):
    rng = np.random.default_rng(3)
    size, city = rng.normal(80.0, 20.0, 150), rng.choice(["Bern", "Oslo", "Rome"], 150)
    columns = {"size": size.tolist(), "city": city.tolist()}
    columns["rooms"] = [None if i % 10 == 0 else float(i % 5) for i in range(150)]
    return columns, make_frame, 0.1 * size + 5.0 * (city == "Oslo")


def test_text_and_gaps_pass_through(flats):
    """The final model gets predictions and columns as one data frame, in any order of columns."""
    columns, make_frame, y = flats
    frame = make_frame(columns)
    model = StackingRegressor([("mean", DummyRegressor())], Ridge(0.01), passthrough=True)
    assert model.fit(frame, y).score(frame, y) > 0.99
    names = ["stackingregressor_mean", "size", "city", "rooms"]
    assert model.final_estimator_.feature_names_in_.tolist() == names
    assert model.get_feature_names_out().tolist() == names
    assert model.transform(frame).shape == (150, 4)
    turned = make_frame({name: columns[name] for name in ("rooms", "size", "city")})
    np.testing.assert_array_equal(model.predict(turned), model.predict(frame))


def test_numbers_pass_through_by_name(flats):
    columns, make_frame, y = flats
    numbers = {"size": columns["size"], "half": [s / 2 + i % 7 for i, s in enumerate(y)]}
    model = StackingRegressor([("r", Ridge())], Ridge(), passthrough=True)
    frame = make_frame(numbers)
    array = np.column_stack(list(numbers.values()))
    expected = clone(model).fit(array, y).predict(array)
    np.testing.assert_allclose(model.fit(frame, y).predict(frame), expected, rtol=1e-12)
    turned = make_frame(dict(reversed(numbers.items())))
    np.testing.assert_allclose(model.predict(turned), expected, rtol=1e-12)
    np.testing.assert_allclose(model.transform(turned)[:, 1:], array, rtol=1e-12)


def test_frame_with_an_index_of_its_own():
    X = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0] * 5, "t": list("ab") * 10}, index=range(90, 70, -1))
    y = X["x"] + (X["t"] == "a")
    model = StackingRegressor([("r", Ridge())], Ridge(1e-6), passthrough=True).fit(X, y)
    np.testing.assert_allclose(model.predict(X), y, atol=0.05)


@pytest.mark.parametrize(
    ("model", "error", "match"),
    [
        (StackingClassifier([]), ValueError, "non-empty list of"),
        (StackingClassifier([("a", "drop")]), ValueError, "All estimators are dropped"),
        (StackingRegressor([("a", GaussianNB())]), ValueError, "should be a regressor"),
        (
            StackingClassifier([("a", GaussianNB())], Ridge()),
            ValueError,
            "'final_estimator' parameter should be a classifier",
        ),
        (
            StackingClassifier([("a", SVC())], stack_method="predict_proba"),
            ValueError,
            "estimator a does not implement the method predict_proba",
        ),
        (
            StackingClassifier([("a", GaussianNB())], stack_method="guess"),
            InvalidParameterError,
            "'stack_method' parameter",
        ),
    ],
)
def test_errors(model, error, match):
    with pytest.raises(error, match=match):
        model.fit(*IRIS)


def test_methods_follow_the_final_estimator():
    X = IRIS[0]
    model = StackingClassifier(classifiers(), GaussianNB())
    assert hasattr(model, "predict_proba")
    assert not hasattr(model, "decision_function")
    assert hasattr(StackingClassifier(classifiers()), "decision_function")
    with pytest.raises(NotFittedError, match="StackingClassifier"):
        model.predict(X)
    with pytest.raises(AttributeError, match="has no attribute n_features_in_"):
        _ = model.n_features_in_


def test_jobs_and_output():
    X, y = load_iris(return_X_y=True, as_frame=True)
    model = StackingClassifier([("a", GaussianNB()), ("b", RidgeClassifier())], n_jobs=2)
    with joblib.parallel_config("threading"):
        parallel = model.fit(X, y).predict_proba(X)
    serial = clone(model).set_params(n_jobs=None).fit(X, y)
    np.testing.assert_array_equal(serial.predict_proba(X), parallel)
    frame = serial.set_output(transform="pandas").transform(X)
    assert frame.columns.tolist() == serial.get_feature_names_out().tolist()
    np.testing.assert_array_equal(serial.predict_proba(X), parallel)


def test_metadata_routing():
    X, y = DIABETES
    weight = np.random.default_rng(2).random(len(y))
    with gramian.config(enable_metadata_routing=True):
        member = Ridge().set_fit_request(sample_weight=True)
        model = StackingRegressor([("r", member)]).fit(X, y, sample_weight=weight)
        with pytest.raises(ValueError, match="not explicitly set as requested"):
            StackingRegressor([("r", Ridge())]).fit(X, y, sample_weight=weight)
    np.testing.assert_array_equal(model.estimators_[0].coef_, Ridge().fit(X, y, weight).coef_)
    with pytest.raises(ValueError, match="only supported if enable_metadata_routing=True"):
        StackingRegressor([("r", Ridge())]).fit(X, y, metadata=1)
