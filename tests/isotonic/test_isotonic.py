"""Isotonic regression: scikit-learn's results, the optimality conditions, weights as copies."""

import io
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sklearn.isotonic as sk
from hypothesis import given
from hypothesis import strategies as st
from sklearn.utils.estimator_checks import check_estimator

import gramian
from gramian.exceptions import InvalidParameterError
from gramian.isotonic import IsotonicRegression, check_increasing, isotonic_regression


def points(seed, n=200, dtype=np.float64, ties=False):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    x = np.round(x, 1) if ties else x
    return x.astype(dtype), (x + rng.normal(size=n)).astype(dtype), rng.integers(0, 4, n)


# -- the function ----------------------------------------------------------------------------------


@pytest.mark.parametrize("increasing", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_values_are_those_of_sklearn(increasing, weighted):
    for seed in range(5):
        _, y, weight = points(seed)
        options = {"increasing": increasing, "sample_weight": weight + 1.0 if weighted else None}
        ours = isotonic_regression(y, y_min=-1.0, y_max=1.5, **options)
        theirs = sk.isotonic_regression(y, y_min=-1.0, y_max=1.5, **options)
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-13)


@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(1, 4)), min_size=1, max_size=40))
def test_optimality_conditions(pairs):
    """Cumulative residuals are never positive, and zero at the end of each constant stretch."""
    y, weight = np.array(pairs, dtype=np.float64).T
    fit = isotonic_regression(y, sample_weight=weight)
    assert np.all(np.diff(fit) >= 0)
    residuals = np.cumsum(weight * (y - fit))
    assert residuals.min() >= -1e-9
    np.testing.assert_allclose(residuals[np.append(np.diff(fit) > 0, True)], 0.0, atol=1e-9)
    copies = isotonic_regression(np.repeat(y, weight.astype(int)))
    np.testing.assert_allclose(copies, np.repeat(fit, weight.astype(int)), atol=1e-12)


def test_values_keep_float32_and_the_input():
    y = np.array([2, 1, 3], dtype=np.float32)
    assert isotonic_regression(y).dtype == np.float32
    assert isotonic_regression([2, 1, 3]).dtype == np.float64
    assert y.tolist() == [2, 1, 3]


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"y": [1.0, np.nan]}, ValueError),
        ({"y": [[1.0], [2.0]]}, ValueError),
        ({"y": []}, ValueError),
        ({"y": [1.0, 2.0], "sample_weight": [1.0]}, ValueError),
        ({"y": [1.0, 2.0], "sample_weight": [1.0, 0.0]}, ValueError),
        ({"y": [1.0, 2.0], "increasing": "auto"}, InvalidParameterError),
        ({"y": [1.0, 2.0], "y_min": "low"}, InvalidParameterError),
        ({"y": 3.0}, InvalidParameterError),
    ],
)
def test_values_refuse(arguments, error):
    with pytest.raises(error):
        isotonic_regression(**arguments)
    with pytest.raises(ValueError):
        sk.isotonic_regression(**arguments)


@pytest.mark.parametrize("y", [[1, 3, 2, 5, 9], [9, 5, 2, 3, 1], [1, 2, 3, 4, 5], [5, 4, 3, 2, 1]])
def test_check_increasing(y):
    assert check_increasing(range(5), y) is bool(sk.check_increasing(range(5), y))


@pytest.mark.parametrize("y", [[1, 3, 2, 1, 4], [3, 1, 4, 2, 1]])
def test_check_increasing_warns(y):
    for check in (check_increasing, sk.check_increasing):
        with pytest.warns(UserWarning, match="spans zero"):
            assert check(range(5), y) == (y[0] < y[-1])


# -- the estimator ---------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("ties", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize(
    "options",
    [{}, {"increasing": "auto"}, {"increasing": False}, {"y_min": -1.0, "y_max": 0.5}],
    ids=str,
)
def test_model_is_that_of_sklearn(dtype, ties, weighted, options):
    for seed in range(3):
        x, y, weight = points(seed, dtype=dtype, ties=ties)
        weight = weight.astype(float) if weighted else None
        ours = IsotonicRegression(out_of_bounds="clip", **options).fit(x, y, weight)
        theirs = sk.IsotonicRegression(out_of_bounds="clip", **options).fit(x, y, weight)
        tolerance = 1e-13 if dtype == np.float64 else 2e-6
        places = np.linspace(-4, 4, 500, dtype=dtype)
        predicted = ours.predict(places)
        np.testing.assert_allclose(predicted, theirs.predict(places), rtol=0, atol=tolerance)
        assert predicted.dtype == dtype
        assert ours.increasing_ == theirs.increasing_
        assert (ours.X_min_, ours.X_max_) == (theirs.X_min_, theirs.X_max_)
        if dtype == np.float64:
            np.testing.assert_array_equal(ours.X_thresholds_, theirs.X_thresholds_)


@pytest.mark.parametrize("increasing", [True, False])
def test_weights_are_copies(increasing):
    x, y, weight = points(0, ties=True)
    weighted = IsotonicRegression(increasing=increasing).fit(x, y, weight)
    copied = IsotonicRegression(increasing=increasing).fit(
        np.repeat(x, weight), np.repeat(y, weight)
    )
    np.testing.assert_array_equal(weighted.X_thresholds_, copied.X_thresholds_)
    np.testing.assert_allclose(weighted.y_thresholds_, copied.y_thresholds_, atol=1e-13)


def test_order_and_threads_do_not_matter():
    x, y, weight = points(1, n=150_000, ties=True)
    order = np.random.default_rng(0).permutation(len(x))
    expected = IsotonicRegression().fit(x, y, weight)
    for n_threads in (1, 4):
        with gramian.config(n_threads=n_threads):
            found = IsotonicRegression().fit(x[order], y[order], weight[order])
        np.testing.assert_array_equal(found.y_thresholds_, expected.y_thresholds_)


def test_out_of_bounds():
    model = IsotonicRegression().fit([1, 2, 3], [1.0, 2.0, 4.0])
    assert model.predict([0, 1.5, 4]).tolist()[1] == 1.5
    assert np.isnan(model.predict([0, 4])).all()
    assert model.set_params(out_of_bounds="clip").predict([0, 4]).tolist() == [1.0, 4.0]
    model.set_params(out_of_bounds="raise")
    for place, words in ((0, "below"), (4, "above")):
        with pytest.raises(ValueError, match=words):
            model.predict([place])


def test_one_place_predicts_its_mean_everywhere():
    model = IsotonicRegression().fit([2.0, 2.0], [1.0, 4.0])
    assert model.predict([0.0, 2.0, 9.0]).tolist() == [2.5, 2.5, 2.5]


@pytest.mark.parametrize(
    ("X", "y", "weight"),
    [
        ([[1.0, 2.0]] * 3, [1, 2, 3], None),
        ([1, 2, 3], [1, 2], None),
        ([1, 2, 3], [1, 2, 3], [1, 2]),
        ([1, 2, np.nan], [1, 2, 3], None),
        ([1, 2, 3], [1, 2, np.inf], None),
        ([], [], None),
        ([1, 2], [1, 2], [0, 0]),
    ],
)
def test_fit_refuses(X, y, weight):
    for model in (IsotonicRegression(), sk.IsotonicRegression()):
        with pytest.raises(ValueError):
            model.fit(X, y, weight)
    with pytest.raises(ValueError, match="Negative"):
        IsotonicRegression().fit([1, 2], [1, 2], [1, -1])


def test_frames_and_series():
    x, y, _ = points(2)
    expected = IsotonicRegression().fit(x, y).predict(x)
    holders = [
        (pd.DataFrame({"x": x}), pd.Series(y)),
        (pl.DataFrame({"x": x}), pl.Series(y)),
        (pa.table({"x": x}), pa.array(y)),
        (pd.Series(x), y),
        (pl.Series(x), y),
        (x.reshape(-1, 1), y.tolist()),
    ]
    for X, target in holders:
        np.testing.assert_array_equal(IsotonicRegression().fit(X, target).predict(X), expected)
    model = IsotonicRegression().set_output(transform="pandas").fit(x, y)
    frame = model.transform(x)
    assert frame.columns.tolist() == ["isotonicregression0"]
    np.testing.assert_array_equal(frame.to_numpy()[:, 0], expected)


def test_state():
    x, y, _ = points(3)
    model = IsotonicRegression(out_of_bounds="clip").fit(x, y)
    file = io.BytesIO()
    gramian.save(model, file)
    for copy in (gramian.load(file), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(copy.predict(x), model.predict(x))
        np.testing.assert_array_equal(copy.f_(x), model.f_(x))
    assert not hasattr(IsotonicRegression(), "f_")


@pytest.mark.filterwarnings("ignore:Can't test estimator")
def test_sklearn_checks():
    check_estimator(IsotonicRegression())


def test_the_name_of_the_feature():
    x, y, _ = points(0)
    frame = pd.DataFrame({"size": x})
    model = IsotonicRegression().fit(frame, y)
    assert model.n_features_in_ == 1
    assert model.feature_names_in_.tolist() == ["size"]
    np.testing.assert_array_equal(model.predict(frame), model.predict(x))
    with pytest.raises(ValueError, match="unseen at fit time:\n- height\n"):
        model.predict(frame.rename(columns={"size": "height"}))
    assert not hasattr(model.fit(x, y), "feature_names_in_")
