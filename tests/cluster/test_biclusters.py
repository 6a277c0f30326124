"""Biclusters: those that were hidden, and the partitions of scikit-learn."""

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.cluster
from numpy.testing import assert_allclose, assert_array_equal

from gramian.cluster import SpectralBiclustering, SpectralCoclustering
from gramian.cluster._balancing import bistochastic, scaled_by_roots
from gramian.datasets import make_biclusters, make_checkerboard
from gramian.metrics import adjusted_rand_score, consensus_score


def diagonal(seed=0, noise=0.5):
    return make_biclusters((60, 45), 4, noise=noise, minval=5, maxval=20, random_state=seed)


def board(seed=0, noise=0.5):
    return make_checkerboard((60, 45), (4, 3), noise=noise, minval=5, maxval=50, random_state=seed)


@pytest.mark.parametrize("svd_method", ["randomized", "arpack"])
@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("n_svd_vecs", [None, 20])
def test_blocks_are_found(svd_method, container, n_svd_vecs):
    X, rows, columns = diagonal()
    X = np.maximum(X, 0.0)
    model = SpectralCoclustering(
        4, svd_method=svd_method, n_svd_vecs=n_svd_vecs, random_state=0
    ).fit(container(X))
    assert consensus_score(model.biclusters_, (rows, columns)) == 1.0
    assert model.certificate_.converged and model.certificate_.optimality < 1e-6


@pytest.mark.parametrize("method", ["bistochastic", "scale", "log"])
@pytest.mark.parametrize("mini_batch", [False, True])
def test_the_board_is_found(method, mini_batch):
    X, rows, columns = board()
    model = SpectralBiclustering((4, 3), method=method, mini_batch=mini_batch, random_state=0).fit(
        X
    )
    assert consensus_score(model.biclusters_, (rows, columns)) == 1.0
    assert model.rows_.shape == (12, 60) and model.columns_.shape == (12, 45)
    assert_array_equal(model.rows_.sum(axis=0), np.full(60, 3))
    assert_array_equal(model.columns_.sum(axis=0), np.full(45, 4))


def test_partitions_of_sklearn_where_nothing_is_clear():
    for seed in range(3):
        X = diagonal(seed, noise=6.0)[0]
        model = SpectralCoclustering(4, random_state=seed).fit(X)
        expected = sklearn.cluster.SpectralCoclustering(4, random_state=seed).fit(X)
        assert adjusted_rand_score(model.row_labels_, expected.row_labels_) > 0.9
        assert adjusted_rand_score(model.column_labels_, expected.column_labels_) > 0.9


def test_parts_of_a_matrix():
    X = diagonal()[0]
    model = SpectralCoclustering(4, random_state=0).fit(X)
    for i in range(4):
        rows, columns = model.get_indices(i)
        assert_array_equal(rows, np.flatnonzero(model.row_labels_ == i))
        assert model.get_shape(i) == (len(rows), len(columns))
        assert_array_equal(model.get_submatrix(i, X), X[np.ix_(rows, columns)])
        part = model.get_submatrix(i, sp.csr_array(X)).toarray()
        assert_array_equal(part, X[np.ix_(rows, columns)])
        with pytest.raises(ValueError, match="1D array"):
            model.get_submatrix(i, np.arange(5))


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_bistochastic_sums(container):
    X = np.random.default_rng(0).uniform(0.1, 3.0, (30, 20))
    scaled, r, c = bistochastic(container(X))
    dense = scaled.toarray() if sp.issparse(scaled) else scaled
    assert_allclose(dense, r[:, None] * X * c, rtol=1e-12)
    assert_allclose(dense.sum(axis=1), np.full(30, dense.sum() / 30), rtol=1e-5)
    assert_allclose(dense.sum(axis=0), np.full(20, dense.sum() / 20), rtol=1e-5)


def test_empty_rows_and_columns_scale_to_nothing():
    X = np.array([[1.0, 0.0, 3.0], [0.0, 0.0, 0.0], [2.0, 0.0, 2.0]])
    scaled, row_scale, column_scale = scaled_by_roots(X)
    assert row_scale[1] == 0.0 and column_scale[1] == 0.0
    assert_allclose(scaled[0, 0], 1.0 / np.sqrt(4.0 * 3.0))
    assert np.isfinite(SpectralCoclustering(2, random_state=0).fit(X).row_labels_).all()


def test_one_cluster_holds_everything():
    model = SpectralCoclustering(1).fit(diagonal()[0])
    assert model.rows_.all() and model.columns_.all()


@pytest.mark.parametrize("n_clusters", [(3, 3, 3), "abc", (3, 4.0), (0, 2), (2, 46), None])
def test_wrong_numbers_of_clusters(n_clusters):
    with pytest.raises(ValueError, match="Incorrect parameter n_clusters has value"):
        SpectralBiclustering(n_clusters).fit(board()[0])


def test_other_errors():
    X = board()[0]
    with pytest.raises(ValueError, match="n_clusters should be <= n_samples=60"):
        SpectralBiclustering(61).fit(X)
    with pytest.raises(ValueError, match="n_best=4 must be <= n_components=3"):
        SpectralBiclustering(n_components=3, n_best=4).fit(X)
    with pytest.raises(ValueError, match="Cannot compute log of a sparse matrix"):
        SpectralBiclustering(method="log").fit(sp.csr_array(X))
    with pytest.raises(ValueError, match="Cannot make the data matrix nonnegative"):
        SpectralCoclustering().fit(sp.csr_array(X - 30.0))
