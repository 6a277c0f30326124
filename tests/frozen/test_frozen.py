"""Frozen estimators keep what they have learnt."""

import copy
import io
import pickle

import numpy as np
import pytest
from sklearn.base import clone as sklearn_clone
from sklearn.tree import DecisionTreeClassifier

import gramian
from gramian.base import clone, is_classifier, is_regressor
from gramian.exceptions import NotFittedError
from gramian.frozen import FrozenEstimator
from gramian.linear_model import Ridge
from gramian.pipeline import make_pipeline
from gramian.preprocessing import StandardScaler

X = np.arange(10.0).reshape(-1, 1)


def test_fit_changes_nothing():
    model = Ridge().fit(X, X[:, 0])
    frozen = FrozenEstimator(model).fit(X, -X[:, 0], sample_weight=np.ones(10))
    np.testing.assert_array_equal(frozen.predict(X), model.predict(X))
    assert frozen.coef_ is model.coef_
    assert clone(frozen) is frozen
    assert sklearn_clone(frozen) is frozen
    assert is_regressor(frozen)
    assert is_classifier(FrozenEstimator(DecisionTreeClassifier()))


def test_unfitted_raises():
    with pytest.raises(NotFittedError):
        FrozenEstimator(Ridge()).fit(X, X[:, 0])
    with pytest.raises(AttributeError):
        FrozenEstimator(Ridge()).coef_  # noqa: B018


def test_attributes():
    scaler = FrozenEstimator(StandardScaler().fit(X))
    assert not hasattr(scaler, "fit_transform")
    assert not hasattr(scaler, "no_such_thing")
    assert not hasattr(scaler, "__getitem__")
    pipeline = make_pipeline(scaler, Ridge()).fit(X + 5, X[:, 0])
    np.testing.assert_array_equal(pipeline[0].transform(X), scaler.transform(X))
    assert FrozenEstimator(pipeline)[0] is pipeline[0]


def test_parameters():
    frozen = FrozenEstimator(Ridge())
    assert list(frozen.get_params()) == ["estimator"]
    other = Ridge(alpha=3.0)
    assert frozen.set_params(estimator=other).estimator is other
    with pytest.raises(ValueError, match="cannot set parameters"):
        frozen.set_params(estimator__alpha=1.0)


def test_state():
    frozen = FrozenEstimator(Ridge().fit(X, X[:, 0]))
    file = io.BytesIO()
    gramian.save(frozen, file)
    for other in (gramian.load(file), pickle.loads(pickle.dumps(frozen)), copy.deepcopy(frozen)):
        np.testing.assert_array_equal(other.predict(X), frozen.predict(X))
