"""Distances and kernels give scikit-learn's numbers and errors, with more digits for close rows."""

import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn.metrics.pairwise as theirs
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse

import gramian
from gramian.exceptions import DataConversionWarning
from gramian.metrics import pairwise as ours

DISTANCES = ["euclidean", "nan_euclidean", "manhattan", "cosine", "haversine"]
KERNELS = [
    *("linear_kernel", "polynomial_kernel", "sigmoid_kernel", "rbf_kernel", "laplacian_kernel"),
    *("cosine_similarity", "additive_chi2_kernel", "chi2_kernel"),
]
FUNCTIONS = [f"{name}_distances" for name in DISTANCES] + KERNELS
SPARSE = [n for n in FUNCTIONS if "nan" not in n and "chi2" not in n]
SCIPY = ["braycurtis", "canberra", "correlation", "hamming", "chebyshev", "sqeuclidean"]


def draw(seed, n=37, m=51, p=6, dtype=np.float64):
    rng = np.random.default_rng(seed)
    return (rng.uniform(size=(k, p)).astype(dtype) for k in (n, m))


def both(name):
    return getattr(ours, name), getattr(theirs, name)


def assert_close(found, expected, dtype=np.float64):
    assert found.dtype == expected.dtype
    tolerance = 1e-10 if dtype == np.float64 else 3e-6
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32], ids=["f64", "f32"])
@pytest.mark.parametrize("p", [2, 6, 100])
def test_functions(name, dtype, p, global_random_seed):
    X, Y = draw(global_random_seed, p=2 if "haversine" in name else p, dtype=dtype)
    our, their = both(name)
    assert_close(our(X, Y), their(X, Y), dtype)
    assert_close(our(X), their(X), dtype)
    assert_close(our(X, np.asfortranarray(Y)), their(X, Y), dtype)
    assert_close(our(X.astype(np.float64), Y), their(X.astype(np.float64), Y), dtype)


@pytest.mark.parametrize("name", SPARSE)
def test_sparse(name, global_random_seed):
    X, Y = draw(global_random_seed, p=2 if "haversine" in name else 30)
    X[X < 0.7] = 0.0
    Y[Y < 0.7] = 0.0
    X[3] = 0.0
    our, expected = getattr(ours, name), getattr(theirs, name)(X, Y)
    assert_close(our(sparse.csr_array(X), sparse.csc_array(Y)), expected)
    assert_close(our(sparse.csr_array(X), Y), expected)


@pytest.mark.parametrize("name", ["linear_kernel", "cosine_similarity"])
def test_sparse_output(name):
    X = sparse.csr_array([[1.0, 0.0], [0.0, 2.0]])
    found = getattr(ours, name)(X, dense_output=False)
    assert sparse.issparse(found)
    assert_close(found.toarray(), getattr(theirs, name)(X.toarray()))


@pytest.mark.parametrize("name", ["polynomial_kernel", "sigmoid_kernel"])
def test_kernel_parameters(name, global_random_seed):
    X, Y = draw(global_random_seed)
    our, their = both(name)
    assert_close(our(X, Y, gamma=0.3, coef0=-0.2), their(X, Y, gamma=0.3, coef0=-0.2))
    for kernel in ("rbf_kernel", "laplacian_kernel", "chi2_kernel"):
        our, their = both(kernel)
        assert_close(our(X, Y, gamma=0.3), their(X, Y, gamma=0.3))
    with pytest.raises(ValueError, match="'gamma' parameter of rbf_kernel"):
        ours.rbf_kernel(X, gamma=-1.0)
    with pytest.raises(ValueError, match="negative values"):
        ours.chi2_kernel(-X)


def test_euclidean_norms(global_random_seed):
    X, Y = draw(global_random_seed)
    norms = {"X_norm_squared": (X**2).sum(axis=1), "Y_norm_squared": (Y**2).sum(axis=1)[None]}
    expected = theirs.euclidean_distances(X, Y)
    assert_close(ours.euclidean_distances(X, Y, **norms), expected)
    wrong = np.zeros(len(Y))
    assert_close(
        ours.euclidean_distances(X, Y, Y_norm_squared=wrong),
        theirs.euclidean_distances(X, Y, Y_norm_squared=wrong),
    )
    assert_close(
        ours.euclidean_distances(X, Y, squared=True), theirs.euclidean_distances(X, Y, squared=True)
    )
    with pytest.raises(ValueError, match="Incompatible dimensions for X"):
        ours.euclidean_distances(X, Y, X_norm_squared=wrong)


@pytest.mark.parametrize("dtype", [np.float64, np.float32], ids=["f64", "f32"])
@pytest.mark.parametrize("offset", [0.0, 1e4])
@pytest.mark.parametrize("p", [3, 20])
def test_close_rows_keep_their_distance(dtype, offset, p, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    X = (rng.normal(size=(60, p)) + offset).astype(dtype)
    X[30:50] = np.nextafter(X[:20], np.inf, dtype=dtype)
    X[50:] = X[:10]
    exact = np.sqrt(((X[:, None].astype(np.longdouble) - X[None]) ** 2).sum(axis=2))
    found = ours.euclidean_distances(X)
    np.testing.assert_allclose(found, exact.astype(dtype), rtol=4 * np.finfo(dtype).eps * p + 1e-13)
    assert (found[50:, :10].diagonal() == 0.0).all()
    np.testing.assert_array_equal(found, found.T)


@given(arrays(np.float64, (9, 7), elements=st.floats(-1e3, 1e3)))
def test_metric_axioms(X):
    for metric in ("euclidean", "manhattan", "chebyshev"):
        D = ours.pairwise_distances(X, metric=metric)
        assert (D.diagonal() == 0).all()
        assert (D == D.T).all()
        assert (D[:, :, None] + D[None] >= D[:, None] * (1 - 1e-9) - 1e-9).all()


@pytest.mark.parametrize("missing", [math.nan, -1.0])
@pytest.mark.parametrize("squared", [False, True])
def test_nan_euclidean(missing, squared, global_random_seed):
    X, Y = draw(global_random_seed)
    X[X < 0.4] = missing
    Y[Y < 0.4] = missing
    X[0] = missing
    kept = X.copy()
    options = {"missing_values": missing, "squared": squared}
    found = ours.nan_euclidean_distances(X, Y, **options)
    assert_close(found, theirs.nan_euclidean_distances(X, Y, **options))
    assert np.isnan(found[0]).all()
    np.testing.assert_array_equal(X, kept)


@pytest.mark.parametrize("n_jobs", [None, 2])
@pytest.mark.parametrize("metric", [*SCIPY, "l1", "l2", "cosine", "seuclidean", "mahalanobis"])
def test_pairwise_distances(metric, n_jobs, global_random_seed):
    X, Y = draw(global_random_seed)
    extra = {"V": X.var(axis=0)} if metric == "seuclidean" else {}
    if metric == "mahalanobis":
        extra = {"VI": np.linalg.inv(np.cov(X.T))}
    found = ours.pairwise_distances(X, Y, metric=metric, n_jobs=n_jobs, **extra)
    assert_close(found, theirs.pairwise_distances(X, Y, metric=metric, **extra))
    found = ours.pairwise_distances(X, metric=metric, n_jobs=n_jobs)
    assert_close(found, theirs.pairwise_distances(X, metric=metric))


@pytest.mark.parametrize(
    "options", [{}, {"p": 1}, {"p": 3.5}, {"p": math.inf}, {"w": np.arange(6)}]
)
def test_minkowski(options, global_random_seed):
    X, Y = draw(global_random_seed)
    found = ours.pairwise_distances(X, Y, metric="minkowski", **options)
    assert_close(found, theirs.pairwise_distances(X, Y, metric="minkowski", **options))


def test_functions_of_two_rows():
    X, Y = draw(0, n=5, m=6)

    def metric(x, y, scale=1.0):
        return scale * np.abs(x - y).max()

    for function in ("pairwise_distances", "pairwise_kernels"):
        our, their = both(function)
        for n_jobs in (None, 2):
            found = our(X, Y, metric=metric, n_jobs=n_jobs, scale=2.0)
            assert_close(found, their(X, Y, metric=metric, scale=2.0))
    assert_close(
        ours.pairwise_distances(X, metric=metric), theirs.pairwise_distances(X, metric=metric)
    )
    words = ["one", "three"]
    lengths = ours.pairwise_distances(words, metric=lambda a, b: abs(len(a) - len(b)))
    np.testing.assert_array_equal(lengths, [[0, 2], [2, 0]])


@pytest.mark.parametrize("kernel", sorted(ours.PAIRWISE_KERNEL_FUNCTIONS))
def test_pairwise_kernels(kernel, global_random_seed):
    X, Y = draw(global_random_seed)
    options = {"gamma": 0.2, "filter_params": True}
    found = ours.pairwise_kernels(X, Y, metric=kernel, **options)
    assert_close(found, theirs.pairwise_kernels(X, Y, metric=kernel, **options))
    assert ours.kernel_metrics()[kernel] is ours.PAIRWISE_KERNEL_FUNCTIONS[kernel]


def test_precomputed():
    D = ours.pairwise_distances([[0.0], [1.0]])
    np.testing.assert_array_equal(ours.pairwise_distances(D, metric="precomputed"), D)
    with pytest.raises(ValueError, match="Negative values"):
        ours.pairwise_distances(-D, metric="precomputed")
    with pytest.raises(ValueError, match="Precomputed metric requires shape"):
        ours.pairwise_distances(D[:1], metric="precomputed")


def test_boolean_metrics_convert():
    X = np.array([[1.0, 0.0, 2.0], [0.0, 0.0, 1.0]])
    with pytest.warns(DataConversionWarning, match="converted to boolean for metric jaccard"):
        found = ours.pairwise_distances(X, metric="jaccard")
    assert_close(found, theirs.pairwise_distances(X.astype(bool), metric="jaccard"))


def test_refused():
    X = np.ones((3, 2))
    with pytest.raises(ValueError, match="Incompatible dimension"):
        ours.euclidean_distances(X, np.ones((3, 1)))
    with pytest.raises(ValueError, match="'metric' parameter of pairwise_distances"):
        ours.pairwise_distances(X, metric="blah")
    with pytest.raises(TypeError, match="do not support sparse"):
        ours.pairwise_distances(sparse.csr_array(X), metric="canberra")
    with pytest.raises(ValueError, match="NaN"):
        ours.euclidean_distances([[np.nan, 1.0]])
    with pytest.raises(ValueError, match="2 dimensions"):
        ours.haversine_distances(np.ones((2, 3)))
    with pytest.raises(ValueError, match="same shape"):
        ours.paired_distances(X, X[:2])


@pytest.mark.parametrize("metric", [*sorted(ours.PAIRED_DISTANCES), lambda x, y: (x * y).sum()])
def test_paired(metric, global_random_seed):
    X, Y = draw(global_random_seed, n=20, m=20)
    found = ours.paired_distances(X, Y, metric=metric)
    assert_close(found, theirs.paired_distances(X, Y, metric=metric))
    if isinstance(metric, str):
        by_rows = ours.PAIRED_DISTANCES[metric](sparse.csr_array(X), sparse.csr_array(Y))
        assert_close(by_rows, found)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "cosine", "chebyshev", "canberra"])
def test_nearest(metric, axis, global_random_seed):
    X, Y = draw(global_random_seed, n=301, m=203)
    found = ours.pairwise_distances_argmin_min(X, Y, axis=axis, metric=metric)
    expected = theirs.pairwise_distances_argmin_min(X, Y, axis=axis, metric=metric)
    np.testing.assert_array_equal(found[0], expected[0])
    assert_close(found[1], expected[1])
    index = ours.pairwise_distances_argmin(X, Y, axis=axis, metric=metric)
    np.testing.assert_array_equal(index, expected[0])


def test_nearest_of_sparse_rows_and_squares(global_random_seed):
    X, Y = draw(global_random_seed)
    options = {"metric": "euclidean", "metric_kwargs": {"squared": True}}
    expected = theirs.pairwise_distances_argmin_min(X, Y, **options)
    for rows in (X, sparse.csr_array(X)):
        index, least = ours.pairwise_distances_argmin_min(rows, Y, **options)
        np.testing.assert_array_equal(index, expected[0])
        assert_close(least, expected[1])


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "canberra"])
def test_chunks_join_to_the_matrix(metric, global_random_seed):
    X, Y = draw(global_random_seed, n=150, m=300)
    blocks = list(ours.pairwise_distances_chunked(X, Y, metric=metric, working_memory=0.1))
    assert len(blocks) > 1
    np.testing.assert_array_equal(np.vstack(blocks), ours.pairwise_distances(X, Y, metric=metric))
    with gramian.config(working_memory=0.1):
        assert len(list(ours.pairwise_distances_chunked(X, Y, metric=metric))) == len(blocks)


def test_chunks_reduce_and_refuse():
    X = [[0.0], [1.0], [3.0]]
    farthest = ours.pairwise_distances_chunked(X, reduce_func=lambda D, start: D.max(axis=1))
    np.testing.assert_array_equal(next(farthest), [3.0, 2.0, 3.0])
    for wrong, error in ((lambda D, start: 1, TypeError), (lambda D, start: D[:1], ValueError)):
        with pytest.raises(error, match="reduce_func returned"):
            next(ours.pairwise_distances_chunked(X, reduce_func=wrong))
    with pytest.warns(UserWarning, match="working_memory"):
        next(ours.pairwise_distances_chunked(X, working_memory=0))
    with pytest.raises(ValueError, match="working_memory"):
        gramian.set_config(working_memory=-1)


def test_data_frames_and_threads(global_random_seed):
    X, Y = draw(global_random_seed, n=400, m=300)
    expected = ours.euclidean_distances(X, Y)
    for frame in (pd.DataFrame, pl.DataFrame):
        np.testing.assert_array_equal(ours.euclidean_distances(frame(X), frame(Y)), expected)
        blocks = ours.pairwise_distances_chunked(frame(X), frame(Y))
        np.testing.assert_array_equal(next(blocks), expected)
    for metric in ("euclidean", "cosine", "manhattan", "minkowski"):
        one, two = (ours.pairwise_distances(X, Y, metric=metric, n_jobs=n) for n in (1, 2))
        np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize(
    ("function", "metric", "words"),
    [
        (ours.pairwise_distances, "euclidean", "'euclidean' has no parameter 'x'; it has Y_norm"),
        (ours.pairwise_distances, "minkowski", "'minkowski' has no parameter 'x'; it has p, w"),
        (ours.pairwise_distances, "hamming", "'hamming' has no parameter 'x'; it has w"),
        (ours.pairwise_distances, "l1", "'l1' has no parameter 'x'; it has none"),
        (ours.pairwise_kernels, "rbf", "'rbf' has no parameter 'x'; it has gamma"),
    ],
)
def test_unknown_parameters_of_metrics(function, metric, words):
    with pytest.raises(TypeError, match=words):
        function([[1.0, 2.0], [3.0, 4.0]], metric=metric, x=1)
