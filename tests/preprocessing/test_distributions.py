"""Quantile and power transforms, and any function, against scikit-learn's."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn.preprocessing as sk
from scipy import sparse
from tests.preprocessing.cases import numbers, theirs

import gramian.preprocessing as ours

pytestmark = pytest.mark.filterwarnings("ignore:n_quantiles:UserWarning")


@pytest.mark.parametrize("output_distribution", ["uniform", "normal"])
@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("params", [{"n_quantiles": 20}, {"n_quantiles": 7, "subsample": 30}])
def test_quantiles(output_distribution, gaps, params):
    X, new = numbers(gaps=gaps), 2.0 * numbers(1, gaps=gaps)
    model = ours.QuantileTransformer(
        output_distribution=output_distribution, random_state=5, **params
    )
    expected = theirs(model).fit(X)
    model.fit(X)
    np.testing.assert_allclose(model.quantiles_, expected.quantiles_, rtol=1e-12)
    for rows in (X, new):
        found = model.transform(rows)
        np.testing.assert_allclose(found, expected.transform(rows), rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(
            model.inverse_transform(found), expected.inverse_transform(found), rtol=1e-10
        )


@pytest.mark.parametrize("ignore_implicit_zeros", [False, True])
def test_quantiles_of_sparse_data(ignore_implicit_zeros):
    X = sparse.csc_array(np.maximum(numbers(), 0.0))
    for subsample in (10_000, 20):
        model = ours.QuantileTransformer(
            n_quantiles=10,
            ignore_implicit_zeros=ignore_implicit_zeros,
            subsample=subsample,
            random_state=0,
        )
        expected = theirs(model).fit(X)
        np.testing.assert_allclose(
            model.fit_transform(X).toarray(), expected.transform(X).toarray(), rtol=1e-10
        )
    with pytest.raises(ValueError, match="non-negative"):
        ours.QuantileTransformer(n_quantiles=3).fit(-X)


def test_quantile_function_warnings_and_errors():
    X = numbers()
    for axis in (0, 1):
        np.testing.assert_allclose(
            ours.quantile_transform(X, axis=axis, n_quantiles=5),
            sk.quantile_transform(X, axis=axis, n_quantiles=5),
            rtol=1e-10,
            atol=1e-12,
        )
    with pytest.raises(ValueError, match="cannot be greater"):
        ours.QuantileTransformer(n_quantiles=50, subsample=20).fit(X)
    with pytest.warns(UserWarning, match="is greater than the total number"):
        ours.QuantileTransformer().fit(X)


@pytest.mark.parametrize("method", ["yeo-johnson", "box-cox"])
@pytest.mark.parametrize("standardize", [True, False])
@pytest.mark.parametrize("gaps", [False, True])
def test_powers(method, standardize, gaps):
    X = np.random.default_rng(0).gamma(2.0, size=(70, 3)) * [1.0, 5.0, 20.0]
    X = X + 0.1 if method == "box-cox" else X - [0.0, 4.0, 30.0]
    if gaps:
        X[::7, 1] = np.nan
    model = ours.PowerTransformer(method, standardize=standardize)
    expected = theirs(model).fit(X)
    found = model.fit_transform(X)
    np.testing.assert_allclose(model.lambdas_, expected.lambdas_, rtol=1e-10)
    np.testing.assert_allclose(found, expected.transform(X), rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(model.inverse_transform(found), X, rtol=1e-6)
    np.testing.assert_allclose(
        ours.power_transform(X, method, standardize=standardize), found, rtol=1e-12
    )


def test_powers_of_constant_columns_and_errors():
    X = numbers()[:, :2]
    model, expected = ours.PowerTransformer().fit(X), sk.PowerTransformer().fit(X)
    np.testing.assert_allclose(model.lambdas_, expected.lambdas_, rtol=1e-10)
    np.testing.assert_allclose(model.transform(X), expected.transform(X), atol=1e-9)
    for family in (ours, sk):
        with pytest.raises(ValueError, match="strictly positive"):
            family.PowerTransformer("box-cox").fit(X - 100.0)
        with pytest.raises(ValueError, match="method"):
            family.PowerTransformer("cube").fit(X)
    huge = np.column_stack([X[:, 0], 1e150 * np.random.default_rng(0).standard_normal(len(X))])
    with pytest.raises(ValueError, match=r"Column 1 of X has values up to .*e\+150, .*too large"):
        ours.PowerTransformer().fit(huge)


def test_function():
    X = np.abs(numbers())
    model = ours.FunctionTransformer(np.log1p, np.expm1, validate=True)
    np.testing.assert_array_equal(model.fit_transform(X), np.log1p(X))
    np.testing.assert_allclose(model.inverse_transform(np.log1p(X)), X)
    scaled = ours.FunctionTransformer(np.clip, kw_args={"a_min": 0, "a_max": 3.0}).transform(X)
    np.testing.assert_array_equal(scaled, np.minimum(X, 3.0))
    assert ours.FunctionTransformer().fit_transform(X) is X
    with pytest.warns(UserWarning, match="not strictly inverse"):
        ours.FunctionTransformer(np.sqrt, np.log, check_inverse=True).fit(X + 1.0)
    assert not hasattr(ours.FunctionTransformer(), "get_feature_names_out")


@pytest.mark.parametrize("library", [pd, pl], ids=["pandas", "polars"])
def test_function_of_frames(library):
    frame = library.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]})
    model = ours.FunctionTransformer(lambda X: X, feature_names_out="one-to-one").fit(frame)
    assert model.get_feature_names_out().tolist() == ["a", "b"]
    assert list(model.transform(frame).columns) == ["a", "b"]
    longer = ours.FunctionTransformer(feature_names_out=lambda t, names: [n + "!" for n in names])
    assert list(longer.fit_transform(frame).columns) == ["a!", "b!"]
    wrong = ours.FunctionTransformer(
        lambda X: library.DataFrame({"c": [1.0, 2.0]}), feature_names_out="one-to-one"
    )
    with pytest.raises(ValueError, match="different column names"):
        wrong.fit_transform(frame)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ours.FunctionTransformer().fit(frame).transform(frame)
    silent = ours.FunctionTransformer(np.asarray).set_output(transform="pandas")
    with pytest.warns(UserWarning, match="should return a pandas DataFrame"):
        silent.fit_transform(frame)
