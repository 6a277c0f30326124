"""The scalers against scikit-learn's, dense and sparse, with weights and gaps."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sklearn.preprocessing as sk
from scipy import sparse
from tests.preprocessing.cases import assert_same_state, dense, numbers, theirs

import gramian
import gramian.preprocessing as ours

SCALERS = {
    "mean_ var_ scale_ n_samples_seen_": [
        ours.StandardScaler(),
        ours.StandardScaler(with_mean=False),
        ours.StandardScaler(with_std=False),
        ours.StandardScaler(with_mean=False, with_std=False),
    ],
    "data_min_ data_max_ data_range_ scale_ min_ n_samples_seen_": [
        ours.MinMaxScaler(),
        ours.MinMaxScaler((-3.0, 5.0)),
        ours.MinMaxScaler(clip=True),
    ],
    "max_abs_ scale_ n_samples_seen_": [ours.MaxAbsScaler(), ours.MaxAbsScaler(clip=True)],
    "center_ scale_": [
        ours.RobustScaler(),
        ours.RobustScaler(with_centering=False, quantile_range=(5.0, 90.0), unit_variance=True),
        ours.RobustScaler(with_scaling=False),
    ],
}
CASES = [(scaler, names) for names, scalers in SCALERS.items() for scaler in scalers]
IDS = [repr(scaler) for scaler, _ in CASES]


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize(("scaler", "names"), CASES, ids=IDS)
def test_dense(scaler, names, gaps):
    X, new = numbers(gaps=gaps), numbers(1, gaps=gaps)
    expected = theirs(scaler).fit(X)
    model = gramian.clone(scaler).fit(X)
    assert_same_state(model, expected, names)
    for rows in (X, new):
        scaled = model.transform(rows)
        np.testing.assert_allclose(scaled, expected.transform(rows), rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(
            model.inverse_transform(scaled),
            expected.inverse_transform(scaled),
            rtol=1e-10,
            atol=1e-12,
        )
    np.testing.assert_array_equal(gramian.clone(scaler).fit_transform(X), model.transform(X))


@pytest.mark.parametrize("container", [sparse.csr_matrix, sparse.csc_array])
@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize(("scaler", "names"), CASES, ids=IDS)
def test_sparse(scaler, names, gaps, container):
    X = numbers(gaps=gaps)
    X[X < 0.5] = 0.0
    model = gramian.clone(scaler)
    if not scaler._tags().sparse:
        with pytest.raises((TypeError, ValueError), match=r"(?i)sparse"):
            model.fit(container(X))
        return
    expected = theirs(scaler).fit(container(X))
    model.fit(container(X))
    names = names.replace("n_samples_seen_", "")
    assert_same_state(model, expected, names)
    scaled = model.transform(container(X))
    np.testing.assert_allclose(dense(scaled), dense(expected.transform(container(X))), rtol=1e-10)
    np.testing.assert_allclose(dense(model.inverse_transform(scaled)), X, rtol=1e-10)


@pytest.mark.parametrize("gaps", [False, True])
def test_weights(gaps):
    X = numbers(gaps=gaps)
    weight = np.random.default_rng(0).integers(0, 4, len(X)).astype(float)
    names = "mean_ var_ scale_ n_samples_seen_"
    model = ours.StandardScaler().fit(X, sample_weight=weight)
    assert_same_state(model, sk.StandardScaler().fit(X, sample_weight=weight), names)
    copies = ours.StandardScaler().fit(np.repeat(X, weight.astype(int), axis=0))
    assert_same_state(model, copies, "mean_ var_ scale_")
    stored = sparse.csr_array(np.where(X > 2, X, 0.0))
    model = ours.StandardScaler(with_mean=False).fit(stored, sample_weight=weight)
    expected = sk.StandardScaler(with_mean=False).fit(stored, sample_weight=weight)
    assert_same_state(model, expected, "mean_ var_ scale_")


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("scaler", [c for c, n in CASES if "n_samples_seen_" in n])
def test_partial_fit(scaler, gaps):
    X = numbers(gaps=gaps, n_rows=90)
    names = next(names for names, scalers in SCALERS.items() if scaler in scalers)
    whole, parts = gramian.clone(scaler).fit(X), gramian.clone(scaler)
    expected = theirs(scaler)
    for rows in np.array_split(X, [15, 20, 50]):
        parts.partial_fit(rows)
        expected.partial_fit(rows)
    assert_same_state(parts, whole, names)
    assert_same_state(parts, expected, names)


def test_one_column_without_numbers():
    X = np.array([[np.nan, 1.0], [np.nan, 3.0]])
    model = ours.StandardScaler().fit(X)
    assert model.n_samples_seen_.tolist() == [0, 2]
    assert np.isnan(model.mean_[0]) and np.isnan(model.transform(X)[:, 0]).all()
    model.partial_fit([[4.0, 1.0], [6.0, 1.0]])
    assert model.mean_[0] == 5.0


def test_constant_columns_are_exact():
    X = np.full((1000, 3), [0.1, 1e9 + 0.1, -7.3])
    model = ours.StandardScaler().fit(X)
    assert (model.var_ == 0).all()
    assert (model.mean_ == X[0]).all()
    assert (model.transform(X) == 0).all()


def test_far_from_zero():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((50_000, 3)) + 1e9
    model = ours.StandardScaler().fit(X)
    exact = (X - 1e9).astype(np.longdouble)
    np.testing.assert_allclose(model.var_, exact.var(axis=0).astype(float), rtol=1e-9)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("n_rows", [1, 300, 40_000])
def test_bits_do_not_depend_on_threads_or_layout(n_rows, order):
    X = np.random.default_rng(0).standard_normal((n_rows, 7))
    with gramian.config(n_threads=1):
        one = ours.StandardScaler().fit(X)
        scaled = one.transform(X)
    with gramian.config(n_threads=4):
        many = ours.StandardScaler().fit(np.asarray(X, order=order))
        assert many.mean_.tobytes() == one.mean_.tobytes()
        assert many.var_.tobytes() == one.var_.tobytes()
        np.testing.assert_array_equal(many.transform(np.asarray(X, order=order)), scaled)


@pytest.mark.parametrize(
    "scaler", [ours.StandardScaler(), ours.MinMaxScaler(), ours.MaxAbsScaler(), ours.RobustScaler()]
)
def test_float32_is_kept_and_copy(scaler):
    X = numbers().astype(np.float32)
    scaled = gramian.clone(scaler).fit_transform(X)
    assert scaled.dtype == np.float32
    np.testing.assert_allclose(scaled, theirs(scaler).fit_transform(X), rtol=1e-4, atol=1e-5)
    in_place = X.copy()
    model = gramian.clone(scaler).set_params(copy=False)
    assert model.fit_transform(in_place) is in_place
    np.testing.assert_array_equal(in_place, scaled)


@pytest.mark.parametrize("scaler", [ours.StandardScaler(), ours.MinMaxScaler()])
def test_frames(scaler):
    X = numbers(gaps=True)
    names = list("abcde")
    expected = gramian.clone(scaler).fit_transform(X)
    pandas = pd.DataFrame(X, columns=names, index=range(100, 160))
    columns = {name: [None if v != v else v for v in X[:, j]] for j, name in enumerate(names)}
    for frame in (pandas, pl.DataFrame(columns), pa.table(columns)):
        model = gramian.clone(scaler)
        np.testing.assert_allclose(model.fit_transform(frame), expected, rtol=1e-12)
        assert model.get_feature_names_out().tolist() == names
    result = model.set_output(transform="pandas").fit_transform(pandas)
    assert result.columns.tolist() == names and result.index[0] == 100
    turned = model.transform(pandas[names[::-1]])
    np.testing.assert_array_equal(turned.to_numpy(), result.to_numpy())
    with pytest.raises(ValueError, match="could not convert string to float"):
        gramian.clone(scaler).fit(pd.DataFrame({"a": ["x", "y"]}))


FUNCTIONS = [
    ("scale", {}),
    ("scale", {"with_mean": False}),
    ("scale", {"with_std": False}),
    ("minmax_scale", {"feature_range": (1, 2)}),
    ("maxabs_scale", {}),
    ("robust_scale", {"quantile_range": (10.0, 90.0), "unit_variance": True}),
]


@pytest.mark.parametrize(("name", "params"), FUNCTIONS)
@pytest.mark.parametrize("axis", [0, 1])
def test_functions(name, params, axis):
    X = numbers()
    found = getattr(ours, name)(X, axis=axis, **params)
    expected = getattr(sk, name)(X, axis=axis, **params)
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10)
    vector = X[:, 0]
    np.testing.assert_allclose(
        getattr(ours, name)(vector, **params), getattr(sk, name)(vector, **params), atol=1e-10
    )
    with pytest.raises(ValueError, match="axis"):
        getattr(ours, name)(X, axis=2, **params)


@pytest.mark.parametrize("norm", ["l1", "l2", "max"])
@pytest.mark.parametrize("axis", [0, 1])
def test_normalize(norm, axis):
    X = numbers()
    X[3] = 0.0
    found = ours.normalize(X, norm, axis=axis, return_norm=True)
    expected = sk.normalize(X, norm, axis=axis, return_norm=True)
    for value, wanted in zip(found, expected, strict=True):
        np.testing.assert_allclose(value, wanted, rtol=1e-10)
    stored = sparse.csr_array(np.where(X > 0, X, 0.0))
    np.testing.assert_allclose(
        ours.normalize(stored, norm, axis=axis).toarray(),
        sk.normalize(stored, norm=norm, axis=axis).toarray(),
        rtol=1e-10,
    )
    if axis == 1:
        model = ours.Normalizer(norm)
        np.testing.assert_array_equal(model.transform(X), found[0])  # needs no fit


def test_normalize_errors():
    stored = sparse.csr_array(np.eye(3))
    with pytest.raises(NotImplementedError, match="return_norm"):
        ours.normalize(stored, "l1", return_norm=True)
    assert ours.normalize(stored, "max", return_norm=True)[1].tolist() == [1.0, 1.0, 1.0]
    with pytest.raises(ValueError, match="norm must be one of"):
        ours.normalize([[1.0]], "l3")


def test_binarize_and_dummy_feature():
    X = numbers()
    for threshold in (0.0, 1.5):
        expected = sk.binarize(X, threshold=threshold)
        np.testing.assert_array_equal(ours.binarize(X, threshold=threshold), expected)
        model = ours.Binarizer(threshold=threshold)
        np.testing.assert_array_equal(model.fit_transform(sparse.csc_array(X)).toarray(), expected)
    with pytest.raises(ValueError, match="threshold < 0"):
        ours.binarize(sparse.csr_array(X), threshold=-1)
    for data in (X, sparse.csr_matrix(X), sparse.coo_array(X)):
        found = ours.add_dummy_feature(data, 3.0)
        np.testing.assert_array_equal(dense(found), dense(sk.add_dummy_feature(data, 3.0)))


def test_kernel_centerer():
    X = numbers()
    K, new = X @ X.T, numbers(1) @ X.T
    model, expected = ours.KernelCenterer().fit(K), sk.KernelCenterer().fit(K)
    np.testing.assert_allclose(model.transform(new), expected.transform(new), rtol=1e-10)
    assert model.get_feature_names_out()[:2].tolist() == ["kernelcenterer0", "kernelcenterer1"]
    with pytest.raises(ValueError, match="square matrix"):
        ours.KernelCenterer().fit(new[:3])


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (lambda X: ours.MinMaxScaler((1, 1)).fit(X), ValueError, "smaller than maximum"),
        (lambda X: ours.RobustScaler(quantile_range=(80, 20)).fit(X), ValueError, "quantile range"),
        (lambda X: ours.StandardScaler(with_mean="yes").fit(X), ValueError, "with_mean"),
        (lambda X: ours.StandardScaler().fit(np.where(X > 2, np.inf, X)), ValueError, "infinity"),
        (lambda X: ours.StandardScaler().fit(X).transform(X[:, :2]), ValueError, "2 features"),
        (lambda X: ours.StandardScaler().transform(X), ValueError, "not fitted"),
        (lambda X: ours.MaxAbsScaler().fit(X[:0]), ValueError, "0 sample"),
    ],
)
def test_errors(call, error, match):
    with pytest.raises(error, match=match):
        call(numbers())


def test_a_failed_fit_changes_nothing():
    model = ours.StandardScaler().fit(numbers())
    before = model.mean_.copy()
    with pytest.raises(ValueError, match="infinity"):
        model.fit([[np.inf], [1.0]])
    assert model.n_features_in_ == 5
    np.testing.assert_array_equal(model.mean_, before)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_ranges_have_the_same_bits_in_both_orders(dtype: str) -> None:
    """Zeros of both signs and gaps among them."""
    rng = np.random.default_rng(3)
    for n in (1, 15, 17, 1_000, 5_000):
        X = np.round(rng.standard_normal((n, 5)), 1).astype(dtype) * rng.choice([-1, 1], (n, 5))
        X[rng.random(X.shape) < 0.1] = np.nan
        X[:, 4] = np.abs(X[:, 4])
        rows = ours.MinMaxScaler().fit(X)
        columns = ours.MinMaxScaler().fit(np.asfortranarray(X))
        for name in ("data_min_", "data_max_"):
            assert getattr(rows, name).tobytes() == getattr(columns, name).tobytes()
            expected = getattr(np, f"nan{name[5:8]}")(X, axis=0) if n > 1 else X[0]
            np.testing.assert_array_equal(getattr(rows, name), expected)


@pytest.mark.parametrize("frames", [pd, pl], ids=["pandas", "polars"])
def test_frames_of_numbers_give_names_and_the_numbers_of_arrays(frames: Any) -> None:
    X = np.arange(12, dtype=np.float64).reshape(4, 3)
    frame = frames.DataFrame({"a": X[:, 0], "b": X[:, 1].astype(np.int64), "c": X[:, 2]})
    scaler = ours.MinMaxScaler().fit(frame)
    assert scaler.feature_names_in_.tolist() == ["a", "b", "c"]
    np.testing.assert_array_equal(scaler.transform(frame), ours.MinMaxScaler().fit_transform(X))
    normalizer = ours.Normalizer().fit(frame)
    assert normalizer.n_features_in_ == 3
    assert ours.FunctionTransformer().fit(frame).feature_names_in_.tolist() == ["a", "b", "c"]
