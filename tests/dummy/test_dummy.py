"""The baselines are scikit-learn's."""

import numpy as np
import polars as pl
import pytest
import scipy.sparse
import sklearn.dummy

from gramian import clone
from gramian.dummy import DummyClassifier, DummyRegressor
from gramian.exceptions import NotFittedError

RNG = np.random.default_rng(0)
X = RNG.normal(size=(41, 3))
Y = RNG.normal(size=41)
LABELS = RNG.choice(["a", "b", "c"], size=41, p=[0.5, 0.3, 0.2])
WEIGHT = RNG.uniform(0.0, 2.0, size=41)

REGRESSORS = [
    {"strategy": "mean"},
    {"strategy": "median"},
    {"strategy": "quantile", "quantile": 0.0},
    {"strategy": "quantile", "quantile": 0.3},
    {"strategy": "quantile", "quantile": 1.0},
]
CLASSIFIERS = [
    {"strategy": "prior"},
    {"strategy": "most_frequent"},
    {"strategy": "stratified", "random_state": 3},
    {"strategy": "uniform", "random_state": 3},
]


@pytest.mark.parametrize("options", REGRESSORS)
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
@pytest.mark.parametrize("y", [Y, RNG.normal(size=(41, 2)), RNG.integers(0, 9, 41)])
def test_regressor(options, weight, y):
    ours = DummyRegressor(**options).fit(X, y, weight)
    theirs = sklearn.dummy.DummyRegressor(**options).fit(X, y, weight)
    np.testing.assert_allclose(ours.constant_, theirs.constant_, rtol=1e-14)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-14)
    assert ours.n_outputs_ == theirs.n_outputs_
    assert ours.score(None, y) == pytest.approx(theirs.score(None, y))
    _, std = ours.predict(X, return_std=True)
    assert not std.any() and std.shape == ours.predict(X).shape


@pytest.mark.parametrize(("constant", "y"), [(3, Y), ([1.0, 2.5], RNG.normal(size=(41, 2)))])
def test_constant_regressor(constant, y):
    options = {"strategy": "constant", "constant": constant}
    ours = DummyRegressor(**options).fit(X, y).predict(X)
    theirs = sklearn.dummy.DummyRegressor(**options).fit(X, y).predict(X)
    np.testing.assert_array_equal(ours, theirs)
    assert ours.dtype == theirs.dtype


@pytest.mark.parametrize("options", CLASSIFIERS)
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
@pytest.mark.parametrize("y", [LABELS, RNG.integers(0, 4, (41, 2))], ids=["one", "two"])
def test_classifier(options, weight, y):
    ours = DummyClassifier(**options).fit(X, y, weight)
    theirs = sklearn.dummy.DummyClassifier(**options).fit(X, y, weight)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    assert_same(ours.predict_proba(X), theirs.predict_proba(X))
    with np.errstate(divide="ignore"):
        assert_same(ours.predict_log_proba(X), theirs.predict_log_proba(X))
    for name in ("classes_", "n_classes_", "class_prior_"):
        assert_same(getattr(ours, name), getattr(theirs, name))
    if y.ndim == 1:
        assert ours.score(None, y) == theirs.score(None, y)


def assert_same(ours, theirs):
    assert isinstance(ours, list) == isinstance(theirs, list)
    for mine, other in zip(
        *(v if isinstance(v, list) else [v] for v in (ours, theirs)), strict=True
    ):
        if np.asarray(other).dtype.kind == "f":
            np.testing.assert_allclose(mine, other, rtol=1e-14)
        else:
            np.testing.assert_array_equal(mine, other)


def test_constant_classifier():
    ours = DummyClassifier(strategy="constant", constant="b").fit(X, LABELS)
    theirs = sklearn.dummy.DummyClassifier(strategy="constant", constant="b").fit(X, LABELS)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    np.testing.assert_array_equal(ours.predict_proba(X), theirs.predict_proba(X))


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (DummyRegressor(strategy="mode"), "'strategy' parameter of DummyRegressor"),
        (DummyRegressor(strategy="quantile", quantile=1.5), "'quantile' parameter"),
        (DummyRegressor(strategy="quantile"), "specify the desired quantile"),
        (DummyRegressor(strategy="constant", constant=[1.0, 2.0]), r"shape \(1, 1\)"),
        (DummyClassifier(strategy="constant"), "has to be specified"),
        (DummyClassifier(strategy="constant", constant="z"), "must be present in the training"),
        (DummyClassifier(strategy="constant", constant=["a", "b"]), r"shape \(1, 1\)"),
    ],
)
def test_refusals(model, message):
    y = Y if isinstance(model, DummyRegressor) else LABELS
    with pytest.raises(ValueError, match=message):
        model.fit(X, y)
    assert not hasattr(model, "n_outputs_")


def test_constant_must_be_given():
    with pytest.raises(TypeError, match="has to be specified"):
        DummyRegressor(strategy="constant").fit(X, Y)


def test_not_fitted():
    with pytest.raises(NotFittedError):
        DummyRegressor().predict(X)
    with pytest.raises(NotFittedError):
        DummyClassifier().predict_proba(X)


def test_tables_of_any_kind_are_counted_not_read():
    table = pl.DataFrame({"text": ["x", None, "y"], "number": [1.0, None, 3.0]})
    model = DummyRegressor().fit(table, [1.0, 2.0, 3.0])
    assert model.predict(table).tolist() == [2.0, 2.0, 2.0]
    assert model.feature_names_in_.tolist() == ["text", "number"]
    assert model.n_features_in_ == 2


def test_clone_and_repr():
    model = DummyClassifier(strategy="uniform", random_state=1)
    assert repr(clone(model)) == "DummyClassifier(random_state=1, strategy='uniform')"


@pytest.mark.parametrize("strategy", ["most_frequent", "prior", "stratified", "constant"])
def test_sparse_targets(strategy):
    Y = np.array([[1, 0], [1, 3], [4, 0], [0, 1], [1, 0]])
    model = DummyClassifier(strategy=strategy, random_state=0, constant=[1, 0])
    sparse = model.fit(np.zeros((5, 1)), scipy.sparse.csc_array(Y)).predict(np.zeros((9, 1)))
    dense = model.fit(np.zeros((5, 1)), Y).predict(np.zeros((9, 1)))
    assert scipy.sparse.issparse(sparse)
    np.testing.assert_array_equal(sparse.toarray(), dense)


def test_sparse_targets_drawn_evenly_become_dense():
    model = DummyClassifier(strategy="uniform", random_state=0)
    with pytest.warns(UserWarning, match="would not save memory"):
        model.fit(np.zeros((2, 1)), scipy.sparse.csc_matrix([[1, 2], [3, 1]]))
    assert isinstance(model.predict(np.zeros((4, 1))), np.ndarray)
