"""Regression on a transformed target against scikit-learn's."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn import compose as sk
from sklearn.linear_model import LinearRegression as SklearnLinearRegression
from sklearn.model_selection import cross_val_score
from sklearn.preprocessing import StandardScaler

import gramian
from gramian.compose import TransformedTargetRegressor
from gramian.linear_model import LinearRegression, Ridge

RNG = np.random.default_rng(0)
X = RNG.standard_normal((50, 3))
Y = np.exp(X @ [0.5, -0.3, 0.1] + 0.1 * RNG.standard_normal(50))

OPTIONS = [
    {},
    {"func": np.log, "inverse_func": np.exp},
    {"transformer": StandardScaler()},
    {"func": np.sqrt, "inverse_func": np.square, "check_inverse": False},
]


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("y", [Y, np.column_stack([Y, 2 * Y + 1]), Y[:, None]], ids=np.shape)
@pytest.mark.parametrize("weight", [None, np.linspace(0.5, 2.0, 50)], ids=["plain", "weighted"])
def test_same_as_sklearn(options, y, weight):
    params = {} if weight is None else {"sample_weight": weight}
    theirs = sk.TransformedTargetRegressor(SklearnLinearRegression(), **options)
    ours = TransformedTargetRegressor(LinearRegression(), **options)
    expected = theirs.fit(X, y, **params).predict(X)
    found = ours.fit(X, y, **params).predict(X)
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, rtol=1e-10)
    assert ours.score(X, y) == pytest.approx(theirs.score(X, y), abs=1e-12)
    assert ours.n_features_in_ == 3


def test_default_regressor_and_names():
    model = TransformedTargetRegressor().fit(pd.DataFrame(X, columns=list("abc")), Y)
    assert isinstance(model.regressor_, LinearRegression)
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    assert not hasattr(TransformedTargetRegressor(), "n_features_in_")
    model.fit(X, Y)
    assert not hasattr(model, "feature_names_in_")


def test_warns_unless_inverse():
    with pytest.warns(UserWarning, match="not strictly inverse"):
        TransformedTargetRegressor(func=np.sqrt, inverse_func=np.log).fit(X, Y)


@pytest.mark.parametrize(
    ("options", "y"),
    [
        ({"func": np.log, "inverse_func": np.exp, "transformer": StandardScaler()}, Y),
        ({"func": np.log}, Y),
        ({"inverse_func": np.log}, Y),
        ({}, None),
        ({}, np.full(50, np.nan)),
        ({"regressor": StandardScaler()}, Y),
    ],
)
def test_errors(options, y):
    for cls in (TransformedTargetRegressor, sk.TransformedTargetRegressor):
        with pytest.raises(ValueError):
            cls(**options).fit(X, y)


def test_copies(tmp_path):
    model = TransformedTargetRegressor(Ridge(), func=np.log, inverse_func=np.exp).fit(X, Y)
    gramian.save(model, tmp_path / "model.gramian")
    loaded = gramian.load(tmp_path / "model.gramian")
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    assert cross_val_score(sklearn.clone(model), X, Y).mean() > 0.8
    model.set_params(regressor__alpha=5.0)
    assert model.regressor.alpha == 5.0


def test_default_regressor_takes_routed_weights():
    weight = np.linspace(0.5, 2.0, 50)
    with gramian.config_context(enable_metadata_routing=True):
        model = TransformedTargetRegressor().fit(X, Y, sample_weight=weight)
    expected = LinearRegression().fit(X, Y, sample_weight=weight)
    np.testing.assert_allclose(model.predict(X), expected.predict(X))
