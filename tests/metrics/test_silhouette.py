"""Silhouettes give scikit-learn's numbers and errors."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest
import sklearn.metrics
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import gramian
from gramian.metrics import pairwise_distances, silhouette_samples, silhouette_score

METRICS = ["euclidean", "l1", "cosine", "chebyshev", "minkowski", "sqeuclidean", "canberra"]


def draw(seed, n=200, p=5, n_clusters=4):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, n_clusters, n)
    return rng.normal(size=(n, p)) + labels[:, None], labels


def assert_same(X, labels, **options):
    found = silhouette_samples(X, labels, **options)
    expected = sklearn.metrics.silhouette_samples(X, labels, **options)
    assert found.dtype == expected.dtype
    tolerance = 1e-10 if found.dtype == np.float64 else 2e-5
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)
    score = silhouette_score(X, labels, **options)
    assert isinstance(score, float)
    assert score == pytest.approx(float(expected.mean()), abs=tolerance)


@pytest.mark.parametrize("metric", [*METRICS, lambda x, y: np.abs(x - y).max()])
@pytest.mark.parametrize("n_clusters", [2, 7, 60])
def test_metrics(metric, n_clusters, global_random_seed):
    n = 60 if callable(metric) else 150
    X, labels = draw(global_random_seed, n, n_clusters=n_clusters)
    assert_same(X, labels, metric=metric)


@pytest.mark.parametrize("dtype", [np.float32, np.int64], ids=["f32", "int"])
def test_types_of_rows(dtype, global_random_seed):
    X, labels = draw(global_random_seed)
    assert_same((10 * X).astype(dtype), labels)


@pytest.mark.parametrize("p", [1, 4, 5, 40])
def test_columns(p, global_random_seed):
    assert_same(*draw(global_random_seed, p=p))


def test_options_of_the_metric(global_random_seed):
    X, labels = draw(global_random_seed)
    assert_same(X, labels, metric="minkowski", p=3)
    assert_same(X, labels, metric="minkowski", p=3, w=np.arange(5))


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csc_matrix, sparse.coo_array])
def test_sparse_rows(kind, global_random_seed):
    X, labels = draw(global_random_seed)
    X[np.abs(X) < 1] = 0.0
    np.testing.assert_allclose(
        silhouette_samples(kind(X), labels), silhouette_samples(X, labels), atol=1e-10
    )


def test_precomputed(global_random_seed):
    X, labels = draw(global_random_seed)
    D = pairwise_distances(X)
    expected = silhouette_samples(X, labels)
    for distances in (D, sparse.csr_array(D), D.astype(np.float32)):
        found = silhouette_samples(distances, labels, metric="precomputed")
        np.testing.assert_allclose(found, expected, atol=1e-5)
    with gramian.config(working_memory=0.01):
        np.testing.assert_allclose(
            silhouette_samples(X, labels, metric="canberra"),
            sklearn.metrics.silhouette_samples(X, labels, metric="canberra"),
            atol=1e-10,
        )
    D[3, 3] = 1.0
    with pytest.raises(ValueError, match="non-zero elements on the diagonal"):
        silhouette_samples(D, labels, metric="precomputed")


@pytest.mark.parametrize("metric", ["euclidean", "precomputed"])
def test_sample(metric, global_random_seed):
    X, labels = draw(global_random_seed)
    X = pairwise_distances(X) if metric == "precomputed" else X
    options = {"metric": metric, "sample_size": 50, "random_state": global_random_seed}
    expected = sklearn.metrics.silhouette_score(X, labels, **options)
    assert silhouette_score(X, labels, **options) == pytest.approx(expected, abs=1e-10)
    if metric == "precomputed":
        found = silhouette_score(sparse.csr_array(X), labels, **options)
        assert found == pytest.approx(expected, abs=1e-10)


def test_clusters_of_one_row_and_equal_rows():
    assert_same(np.array([[0.0], [1.0], [5.0], [9.0]]), [0, 0, 1, 2])
    assert_same(np.ones((6, 5)), [0, 0, 0, 1, 1, 2])  # all distances 0: 0, not NaN
    assert (silhouette_samples(np.ones((6, 5)), [0, 0, 0, 1, 1, 2]) == 0).all()


@pytest.mark.parametrize("labels", [[0, 0, 0, 0], [0, 1, 2, 3]], ids=["one", "all"])
def test_number_of_labels(labels):
    with pytest.raises(ValueError, match="Number of labels is"):
        silhouette_score(np.arange(4.0)[:, None], labels)


def test_refused():
    X, labels = draw(0, 20)
    with pytest.raises(ValueError, match="'metric' parameter of silhouette_samples"):
        silhouette_samples(X, labels, metric="blah")
    with pytest.raises(ValueError, match="'sample_size' parameter of silhouette_score"):
        silhouette_score(X, labels, sample_size=0)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        silhouette_score(X, labels[:-1])


@given(st.permutations(range(30)), st.floats(0.1, 100.0))
def test_order_and_scale_do_not_matter(order, scale):
    X, labels = draw(1, 30)
    expected = silhouette_samples(X, labels)
    found = silhouette_samples(scale * X[order] + 3.0, labels[order])
    np.testing.assert_allclose(found, expected[order], atol=1e-10)


def test_text_labels_frames_and_threads(global_random_seed):
    X, labels = draw(global_random_seed, 500)
    expected = silhouette_samples(X, labels)
    names = np.array(["red", "green", "blue", "grey"])[labels]
    np.testing.assert_allclose(silhouette_samples(pd.DataFrame(X), names), expected, atol=1e-12)
    for n_threads in (1, 2):
        with gramian.config(n_threads=n_threads):
            np.testing.assert_array_equal(silhouette_samples(X, labels), expected)


def test_memory_grows_with_the_rows_only():
    X, labels = draw(0, 4000, p=10)
    tracemalloc.start()
    silhouette_samples(X, labels)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 4 * X.nbytes  # the matrix of distances would be 400 times X
