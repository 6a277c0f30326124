"""Partial dependence: scikit-learn's numbers, closed forms, any table."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.compose import make_column_transformer
from sklearn.ensemble import (
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.inspection import partial_dependence as theirs
from sklearn.linear_model import LogisticRegression
from sklearn.linear_model import Ridge as TheirRidge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeRegressor

from gramian.inspection import partial_dependence
from gramian.linear_model import LinearRegression, Ridge


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(130, 4))
    X[:, 3] = rng.integers(0, 5, size=130)  # few values
    return X, np.sin(X[:, 0]) + X[:, 1] * X[:, 3] + 0.1 * rng.normal(size=130)


def assert_same(ours, expected):
    assert set(ours) == set(expected)
    for one, other in zip(ours.grid_values, expected.grid_values, strict=True):
        if other.dtype.kind == "f":
            assert_allclose(one, other, rtol=0, atol=1e-10)
        else:
            assert_array_equal(one, other)
    for name in set(ours) - {"grid_values"}:
        assert ours[name].shape == expected[name].shape
        assert_allclose(ours[name], expected[name], rtol=0, atol=1e-10)


@pytest.mark.parametrize("kind", ["average", "individual", "both"])
@pytest.mark.parametrize("features", [0, [1], [3], (0, 1), [1, 3]], ids=str)
def test_regressor(data, features, kind):
    X, y = data
    model = RandomForestRegressor(n_estimators=8, random_state=0).fit(X, y)
    options = {"grid_resolution": 9, "kind": kind, "percentiles": (0.1, 0.8)}
    assert_same(
        partial_dependence(model, X, features, **options), theirs(model, X, features, **options)
    )


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("response_method", ["auto", "predict_proba", "decision_function"])
def test_classifier(data, n_classes, response_method):
    X, y = data
    classes = np.array(["a", "b", "c"])[np.digitize(y, [0.0, 0.5][: n_classes - 1])]
    for model in (LogisticRegression(), LinearSVC(), GradientBoostingClassifier()):
        model.fit(X, classes)
        if not hasattr(model, "predict_proba") and response_method == "predict_proba":
            with pytest.raises(AttributeError, match="predict_proba"):
                partial_dependence(model, X, 0, response_method=response_method)
            continue
        options = {"grid_resolution": 5, "kind": "both", "response_method": response_method}
        assert_same(partial_dependence(model, X, 0, **options), theirs(model, X, 0, **options))


def test_weights_are_copies(data):
    X, y = data
    weight = np.random.default_rng(0).integers(0, 3, size=len(y))
    model = RandomForestRegressor(n_estimators=5, random_state=0).fit(X, y)
    values = {0: [-1.0, 0.0, 1.0]}
    weighted = partial_dependence(model, X, [0], sample_weight=weight, custom_values=values)
    copied = partial_dependence(
        model, np.repeat(X, weight, axis=0), [0], method="brute", custom_values=values
    )
    assert_allclose(weighted.average, copied.average, atol=1e-12)
    assert_same(weighted, theirs(model, X, [0], sample_weight=weight, custom_values=values))


def test_linear_model_gives_its_coefficient(data):
    X, y = data
    model = LinearRegression().fit(X, y)
    result = partial_dependence(model, X, [1], kind="both", grid_resolution=7)
    assert_allclose(np.diff(result.average[0]) / np.diff(result.grid_values[0]), model.coef_[1])
    assert_allclose(result.individual.mean(axis=1), result.average, atol=1e-12)


def test_several_targets(data):
    X, y = data
    model = TheirRidge().fit(X, np.column_stack([y, -y, X[:, 0]]))
    ours = partial_dependence(model, X, (0, 2), kind="both", grid_resolution=4)
    assert ours.average.shape == (3, 4, 4)
    assert_same(ours, theirs(model, X, (0, 2), kind="both", grid_resolution=4))


def test_many_rows_and_few_are_batched_alike(data, monkeypatch):
    from gramian.inspection._dependence import partial_dependence as module

    X, y = data
    model = RandomForestRegressor(n_estimators=5, random_state=0).fit(X, y)
    options = {"kind": "both", "grid_resolution": 7, "method": "brute"}
    joined = partial_dependence(model, X, (0, 1), **options)
    for rows in (1, 300):
        monkeypatch.setattr(module, "BATCH_ROWS", rows)
        assert_same(partial_dependence(model, X, (0, 1), **options), joined)


def test_float32_stays_float32(data):
    X, y = data
    seen = set()

    class Spy(Ridge):
        def predict(self, X):
            seen.add(X.dtype)
            return super().predict(X)

    model = Spy().fit(X.astype(np.float32), y)
    ours = partial_dependence(model, X.astype(np.float32), [0], grid_resolution=5)
    assert seen == {np.dtype(np.float32)}
    expected = theirs(TheirRidge().fit(X, y), X, [0], grid_resolution=5)
    assert_allclose(ours.average, expected.average, rtol=1e-4)


# -- tables ----------------------------------------------------------------------------------------


def test_every_data_frame(make_frame):
    rng = np.random.default_rng(0)
    columns = {
        "size": rng.normal(size=70).tolist(),
        "city": rng.choice(["Bern", "Oslo", "Rome"], size=70).tolist(),
        "age": rng.normal(size=70).tolist(),
    }
    y = np.array(columns["size"]) + 3.0 * (np.array(columns["city"]) == "Oslo")
    frame, pandas = make_frame(columns), pd.DataFrame(columns, index=np.arange(70) % 9)
    model = Ridge().fit(frame, y)
    for features in (["size"], ["city"], ["age", "city"]):
        options = {"categorical_features": ["city"], "grid_resolution": 6, "kind": "both"}
        assert_same(
            partial_dependence(model, frame, features, **options),
            theirs(model, pandas, features, **options),
        )


def test_categories_of_pandas_and_polars():
    import polars as pl

    rng = np.random.default_rng(1)
    city = rng.choice(["Bern", "Oslo"], size=40)
    y = rng.normal(size=40) + (city == "Oslo")
    pandas = pd.DataFrame({"city": pd.Categorical(city), "x": rng.normal(size=40)})
    encoder = make_column_transformer((OneHotEncoder(), ["city"]), remainder="passthrough")
    model = make_pipeline(encoder, TheirRidge()).fit(pandas, y)
    ours = partial_dependence(model, pandas, ["city"], categorical_features=["city"])
    assert_same(ours, theirs(model, pandas, ["city"], categorical_features=["city"]))
    native = Ridge().fit(pandas, y)
    for dtype in (pl.Categorical, pl.Enum(["Bern", "Oslo"])):
        frame = pl.DataFrame({"city": city, "x": pandas["x"].to_numpy()}).cast({"city": dtype})
        result = partial_dependence(native, frame, "city", categorical_features=["city"])
        expected = partial_dependence(native, pandas, "city", categorical_features=["city"])
        assert result.grid_values[0].tolist() == ["Bern", "Oslo"]
        assert_allclose(result.average, expected.average, atol=1e-12)


def test_custom_values_by_name_or_position(data):
    X, y = data
    frame = pd.DataFrame(X, columns=list("abcd"))
    model = Ridge().fit(frame, y)
    by_name = partial_dependence(model, frame, ["b"], custom_values={"b": [0.0, 4.0]})
    by_position = partial_dependence(model, frame, [1], custom_values={1: [0.0, 4.0]})
    assert_array_equal(by_name.average, by_position.average)
    assert by_name.grid_values[0].tolist() == [0.0, 4.0]
    masked = partial_dependence(model, frame, [False, True, False, False], grid_resolution=5)
    assert_array_equal(
        masked.average, partial_dependence(model, frame, "b", grid_resolution=5).average
    )


def test_lists_and_missing_values():
    X = [[0.0, 1.0], [np.nan, 0.0], [2.0, 1.0], [3.0, 0.0]]
    from sklearn.ensemble import HistGradientBoostingRegressor

    model = HistGradientBoostingRegressor(min_samples_leaf=1).fit(np.array(X), [0.0, 1, 2, 3])
    assert_same(partial_dependence(model, X, [1], kind="both"), theirs(model, X, [1], kind="both"))


# -- recursion -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "model",
    [DecisionTreeRegressor(max_depth=3), ExtraTreesRegressor(5), RandomForestRegressor(5)],
    ids=lambda model: type(model).__name__,
)
def test_auto_recurs_where_scikit_learn_does(data, model):
    X, y = data
    model.fit(X, y)
    assert_same(
        partial_dependence(model, X[:40], (0, 1), grid_resolution=5),
        theirs(model, X[:40], (0, 1), grid_resolution=5),
    )


def test_the_hook_is_used(data):
    X, y = data

    class Recursive(Ridge):
        def _compute_partial_dependence_recursion(self, grid, features):
            return grid[:, 0] * 10.0 + features[0]

    model = Recursive().fit(X, y)
    result = partial_dependence(model, X, [1], custom_values={1: [1.0, 2.0]})
    assert_array_equal(result.average, [[11.0, 21.0]])
    brute = partial_dependence(model, X, [1], custom_values={1: [1.0, 2.0]}, method="brute")
    assert not np.allclose(result.average, brute.average)


# -- errors ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "recursion"}, "Ridge does not. Try using method='brute'"),
        ({"method": "fast"}, "must be a str among"),
        ({"kind": "all"}, "must be a str among"),
        ({"features": [4]}, r"all features must be in \[0, 3\]"),
        ({"features": [-1]}, r"all features must be in \[0, 3\]"),
        ({"features": ["x9"]}, "not columns of the dataframe"),
        ({"features": [0, "x1"]}, "No valid specification"),
        ({"percentiles": (0.5, 0.5)}, "strictly less"),
        ({"percentiles": (0.1, 1.2)}, r"must be in \[0, 1\]"),
        ({"grid_resolution": 1}, "strictly greater than 1"),
        ({"grid_resolution": 0}, "must be an int"),
        ({"response_method": "predict_proba"}, "must be 'auto'"),
        ({"categorical_features": []}, "empty list"),
        ({"categorical_features": [True, False]}, "boolean array-like"),
        ({"categorical_features": [1.5]}, "boolean, integer, or string"),
        ({"custom_values": {0: [[1.0]]}}, "not a one-dimensional array"),
        ({"sample_weight": [1.0]}, "one for each row"),
        ({"feature_names": ["a", "a", "b", "c"]}, "duplicates"),
    ],
    ids=str,
)
def test_wrong_arguments(data, options, message):
    X, y = data
    arguments = {"features": [0], **options}
    with pytest.raises(ValueError, match=message):
        partial_dependence(Ridge().fit(X, y), X, **arguments)


def test_integers_are_refused_unless_categorical(data):
    X, y = data
    frame = pd.DataFrame({"n": X[:, 3].astype(int), "x": X[:, 0]})
    model = Ridge().fit(frame, y)
    with pytest.raises(ValueError, match="'n' contains integer data"):
        partial_dependence(model, frame, ["n"])
    result = partial_dependence(model, frame, ["n"], categorical_features=["n"])
    assert result.grid_values[0].tolist() == [0, 1, 2, 3, 4]


def test_wrong_models(data):
    X, y = data
    from sklearn.cluster import KMeans

    with pytest.raises(ValueError, match="fitted regressor or classifier"):
        partial_dependence(KMeans(2, n_init=1).fit(X), X, [0])
    with pytest.raises(ValueError, match="not fitted"):
        partial_dependence(Ridge(), X, [0])
    labels = np.column_stack([y > 0, y > 0.5]).astype(int)
    forest = RandomForestClassifier(3).fit(X, labels)
    with pytest.raises(ValueError, match="Multiclass-multioutput"):
        partial_dependence(forest, X, [0])


def test_constant_column(data):
    X, y = data
    flat = X.copy()
    flat[:, 0] = 2.0
    flat[0, 0] = 3.0
    model = Ridge().fit(flat, y)
    assert partial_dependence(model, flat, [0]).grid_values[0].tolist() == [2.0, 3.0]
    with pytest.raises(ValueError, match="too close to each other"):
        partial_dependence(model, flat, [0], grid_resolution=2)
