"""Polynomials, splines and bins against scikit-learn's."""

import warnings

import numpy as np
import pyarrow as pa
import pytest
import sklearn.preprocessing as sk
from scipy import sparse
from tests.preprocessing.cases import dense, numbers, theirs

import gramian
import gramian.preprocessing as ours

POLYNOMIALS = [
    {},
    {"degree": 0},
    {"degree": 4},
    {"degree": 3, "interaction_only": True},
    {"degree": (2, 3), "include_bias": False},
    {"degree": (0, 2), "order": "F"},
    {"degree": 6, "interaction_only": True},
]


@pytest.mark.parametrize("params", POLYNOMIALS)
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_matrix, sparse.csc_array])
def test_polynomials(params, container):
    X = np.random.default_rng(0).standard_normal((20, 4))
    X[np.abs(X) < 0.6] = 0.0
    model = ours.PolynomialFeatures(**params)
    expected = theirs(model).fit(X)
    found = model.fit_transform(container(X))
    np.testing.assert_allclose(dense(found), expected.transform(X), rtol=1e-12)
    np.testing.assert_array_equal(model.powers_, expected.powers_)
    assert model.n_output_features_ == expected.n_output_features_
    assert model.get_feature_names_out().tolist() == expected.get_feature_names_out().tolist()
    if container is np.asarray:
        assert found.flags.f_contiguous if params.get("order") == "F" else found.flags.c_contiguous
    else:
        assert found.format == container(X).format


def test_polynomials_of_many_sparse_columns():
    X = sparse.random_array((200, 5_000), density=0.001, rng=0, format="csr")
    found = ours.PolynomialFeatures(2, include_bias=False).fit_transform(X)
    expected = sk.PolynomialFeatures(2, include_bias=False).fit_transform(X)
    assert found.shape == expected.shape
    assert abs(found - expected).max() < 1e-15


def test_polynomials_of_float32():
    X = numbers().astype(np.float32)
    assert ours.PolynomialFeatures().fit_transform(X).dtype == np.float32


@pytest.mark.parametrize(
    "params",
    [
        {"degree": 0, "include_bias": False},
        {"degree": (3, 2)},
        {"degree": (0, 0), "include_bias": False},
        {"degree": (1, 2, 3)},
        {"degree": -1},
    ],
)
def test_polynomial_errors(params):
    for family in (ours, sk):
        with pytest.raises(ValueError, match="degree"):
            family.PolynomialFeatures(**params).fit([[1.0]])


SPLINES = [
    {"extrapolation": extrapolation, "degree": degree, "knots": knots}
    for extrapolation in ("constant", "linear", "continue", "periodic")
    for degree in (1, 2, 3, 5)
    for knots in ("uniform", "quantile")
]


@pytest.mark.parametrize("include_bias", [True, False])
@pytest.mark.parametrize("params", SPLINES)
def test_splines(params, include_bias):
    rng = np.random.default_rng(0)
    X, new = rng.random((50, 2)), 3.0 * rng.random((40, 2)) - 1.0
    new[0], new[1] = X.min(axis=0), X.max(axis=0)
    model = ours.SplineTransformer(n_knots=7, include_bias=include_bias, **params)
    expected = theirs(model).fit(X)
    model.fit(X)
    assert model.n_features_out_ == expected.n_features_out_
    assert model.get_feature_names_out().tolist() == expected.get_feature_names_out().tolist()
    for rows in (X, new):
        # One column after the other: scikit-learn 1.9.1 takes degree 2 for the columns that follow
        # one of degree 1 with linear extrapolation.
        alone = [theirs(model).fit(X[:, [j]]).transform(rows[:, [j]]) for j in range(2)]
        wanted = np.hstack(alone)
        np.testing.assert_allclose(model.transform(rows), wanted, rtol=1e-9, atol=1e-10)
        stored = gramian.clone(model).set_params(sparse_output=True).fit(X).transform(rows)
        np.testing.assert_allclose(stored.toarray(), wanted, rtol=1e-9, atol=1e-10)
    for ours_, theirs_ in zip(model.bsplines_, expected.bsplines_, strict=True):
        np.testing.assert_allclose(ours_.t, theirs_.t)
        np.testing.assert_allclose(ours_(X[:, 0]), theirs_(X[:, 0]), atol=1e-12)


def test_splines_with_weights_given_knots_and_gaps():
    X = np.random.default_rng(0).random((40, 2))
    weight = np.random.default_rng(1).integers(0, 3, 40)
    for knots in ("uniform", "quantile"):
        # scikit-learn's weighted quantiles are others than those of the copies
        model = ours.SplineTransformer(4, knots=knots).fit(X, sample_weight=weight)
        expected = sk.SplineTransformer(4, knots=knots).fit(np.repeat(X, weight, axis=0))
        np.testing.assert_allclose(model.transform(X), expected.transform(X), atol=1e-10)
    knots = np.array([[0.1, 0.0], [0.3, 0.4], [0.9, 1.0]])
    model = ours.SplineTransformer(knots=knots).fit(X)
    expected = sk.SplineTransformer(knots=knots).fit(X)
    np.testing.assert_allclose(model.transform(X), expected.transform(X), atol=1e-10)
    X[3, 0] = np.nan
    model = ours.SplineTransformer(handle_missing="zeros").fit(X)
    expected = sk.SplineTransformer(handle_missing="zeros").fit(X)
    np.testing.assert_allclose(model.transform(X), expected.transform(X), atol=1e-10)
    with pytest.raises(ValueError, match="configured to error"):
        ours.SplineTransformer().fit(X)


def test_spline_errors():
    X = np.random.default_rng(0).random((9, 1))
    cases = [
        ({"extrapolation": "periodic", "n_knots": 3}, "Periodic splines require"),
        ({"knots": [[0.0]]}, "must be >= 2"),
        ({"knots": [[0.0, 0.0], [1.0, 1.0]]}, "n_features is violated"),
        ({"knots": [[1.0], [1.0]]}, "sorted without duplicates"),
    ]
    for params, match in cases:
        for family in (ours, sk):
            with pytest.raises(ValueError, match=match):
                family.SplineTransformer(**params).fit(X)
    with pytest.raises(ValueError, match="beyond the limits"):
        ours.SplineTransformer(extrapolation="error").fit(X).transform(X + 1.0)


@pytest.mark.parametrize("strategy", ["uniform", "quantile", "kmeans"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("encode", ["onehot", "onehot-dense", "ordinal"])
def test_bins(strategy, weighted, encode):
    X = numbers(3, n_rows=80)
    X[:, 2] = np.repeat([0.0, 1.0, 50.0, 51.0], 20)
    weight = np.random.default_rng(1).integers(0, 4, 80).astype(float) if weighted else None
    model = ours.KBinsDiscretizer(n_bins=4, encode=encode, strategy=strategy)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of the constant column, and of ties
        expected = theirs(model).fit(X, sample_weight=weight)
        model.fit(X, sample_weight=weight)
    with pytest.warns(UserWarning, match="Feature 0 is constant"):
        gramian.clone(model).fit(X[:, 1:2])
    np.testing.assert_array_equal(model.n_bins_, expected.n_bins_)
    for found, wanted in zip(model.bin_edges_, expected.bin_edges_, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-10)
    binned = model.transform(X)
    np.testing.assert_array_equal(dense(binned), dense(expected.transform(X)))
    assert model.get_feature_names_out().tolist() == expected.get_feature_names_out().tolist()
    with np.errstate(invalid="ignore"):
        wanted = expected.inverse_transform(expected.transform(X))
    np.testing.assert_allclose(model.inverse_transform(binned), wanted, rtol=1e-10)


@pytest.mark.parametrize("method", ["linear", "hazen", "inverted_cdf"])
def test_bins_by_other_quantiles_and_samples(method):
    X = np.random.default_rng(0).standard_normal((500, 2))
    for subsample in (None, 100):
        params = {"quantile_method": method, "subsample": subsample, "random_state": 3}
        model, expected = (f.KBinsDiscretizer(**params).fit(X) for f in (ours, sk))
        for found, wanted in zip(model.bin_edges_, expected.bin_edges_, strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-12)
    single = ours.KBinsDiscretizer(encode="ordinal", dtype=np.float32).fit_transform(X)
    assert single.dtype == np.float32


def test_bin_errors():
    X = numbers()
    for params, match in (
        ({"n_bins": 1}, "n_bins"),
        ({"n_bins": [2, 3]}, "n_bins must be a scalar or array"),
        ({"n_bins": [2, 3, 1, 2.5, 2]}, "indices 2, 3"),
        ({"strategy": "none"}, "strategy"),
    ):
        for family in (ours, sk):
            with pytest.raises(ValueError, match=match):
                family.KBinsDiscretizer(**params).fit(X)
    with pytest.raises(ValueError, match="quantile_method should either"):
        ours.KBinsDiscretizer(quantile_method="linear").fit(X, sample_weight=np.ones(len(X)))


def test_more_products_than_can_be_counted():
    n_features = np.iinfo(np.int64).max // 2
    X = sparse.csr_array(([1.0], ([0], [n_features - 1])))
    with pytest.raises(ValueError, match="too large to be indexed"):
        ours.PolynomialFeatures(degree=(2, 2)).fit(X)


@pytest.mark.parametrize("n_features", [10, 65536, 3037000500])
def test_places_of_products_do_not_overflow(n_features):
    X = sparse.csr_array(([2.0], ([0], [n_features - 1])), shape=(1, n_features))
    found = ours.PolynomialFeatures(2, include_bias=False).fit_transform(X)
    last = n_features + n_features * (n_features + 1) // 2 - 1
    assert found.shape == (1, last + 1)
    assert found.indices.tolist() == [n_features - 1, last]
    assert found.data.tolist() == [2.0, 4.0]


def test_names_of_any_table_stay():
    table = pa.table({"a": [1.0], "b": [2.0]})
    model = ours.FunctionTransformer(feature_names_out="one-to-one").fit(table)
    assert model.transform(table).column_names == ["a", "b"]
    new = ours.FunctionTransformer(feature_names_out=lambda _, names: [f"{n}!" for n in names])
    assert new.fit(table).transform(table).column_names == ["a!", "b!"]
