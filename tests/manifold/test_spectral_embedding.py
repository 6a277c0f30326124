"""Spectral embeddings and clusters: eigenvectors of dense solvers, cuts, parts of a graph."""

import numpy as np
import pytest
import sklearn.cluster
import sklearn.manifold
from scipy import sparse

from gramian._spectral.graph import embed_graph
from gramian.cluster import SpectralClustering, spectral_clustering
from gramian.cluster._spectral_labels import cluster_qr, discretize
from gramian.datasets import make_blobs, make_moons
from gramian.manifold import SpectralEmbedding, spectral_embedding
from gramian.metrics import adjusted_rand_score


def _path(n):
    return np.diag(np.ones(n - 1), 1) + np.diag(np.ones(n - 1), -1)


def _dense_eigenvalues(A, k):
    A = A.toarray() if sparse.issparse(A) else A.copy()
    np.fill_diagonal(A, 0.0)
    degree = A.sum(axis=0)
    return np.linalg.eigvalsh(np.eye(len(A)) - A / np.sqrt(np.outer(degree, degree)))[:k]


def test_eigenvalues_of_a_ring_are_those_of_the_formula():
    n = 40
    A = _path(n)
    A[0, -1] = A[-1, 0] = 1.0
    found = embed_graph(
        A, 5, eigen_solver=None, source=np.random.RandomState(0), eigen_tol="auto", drop_first=False
    )
    true = np.sort(1.0 - np.cos(2.0 * np.pi * np.arange(n) / n))[:5]
    np.testing.assert_allclose(found.eigenvalues, true, atol=1e-12)
    assert found.residual < 1e-12


@pytest.mark.parametrize("solver", [None, "arpack", "lobpcg"])
def test_iteration_finds_what_dense_solvers_find(solver):
    X = np.random.default_rng(0).normal(size=(900, 4))
    model = SpectralEmbedding(3, n_neighbors=12, eigen_solver=solver, random_state=0).fit(X)
    true = _dense_eigenvalues(model.affinity_matrix_, 4)
    assert model.certificate_.objective == pytest.approx(true.sum(), abs=1e-8)
    assert model.certificate_.converged
    theirs = sklearn.manifold.SpectralEmbedding(3, n_neighbors=12, random_state=0).fit(X)
    for ours, column in zip(model.embedding_.T, theirs.embedding_.T, strict=True):
        cosine = ours @ column / np.linalg.norm(ours) / np.linalg.norm(column)
        assert abs(cosine) == pytest.approx(1.0, abs=1e-6)
        assert np.linalg.norm(ours) == pytest.approx(np.linalg.norm(column), rel=1e-5)


def test_parts_of_a_graph_are_named_with_their_sizes():
    A = np.zeros((12, 12))
    A[:7, :7] = 1.0
    A[7:, 7:] = 1.0
    with pytest.warns(UserWarning, match="not fully connected.*2 components, of 7, 5 nodes"):
        points = spectral_embedding(A, n_components=2, drop_first=False)
    assert len(np.unique(points.round(8), axis=0)) == 2


def test_large_graphs_in_parts_have_exact_first_eigenvectors():
    parts = sparse.block_diag([_path(500), _path(400)], format="csr")
    with pytest.warns(UserWarning, match="of 500, 400 nodes"):
        found = embed_graph(
            parts,
            3,
            eigen_solver=None,
            source=np.random.RandomState(0),
            eigen_tol="auto",
            drop_first=False,
        )
    np.testing.assert_allclose(found.eigenvalues[:2], 0.0, atol=1e-14)
    true = 1.0 - np.cos(np.pi / 499)
    assert found.eigenvalues[2] == pytest.approx(true, abs=1e-9)


@pytest.mark.parametrize("labels", ["kmeans", "discretize", "cluster_qr"])
def test_moons_are_parted(labels):
    X, y = make_moons(400, noise=0.06, random_state=0)
    model = SpectralClustering(
        2, affinity="nearest_neighbors", n_neighbors=12, assign_labels=labels, random_state=0
    ).fit(X)
    assert adjusted_rand_score(y, model.labels_) > 0.9
    assert model.certificate_.dual_bound <= model.certificate_.objective


def test_clusters_are_those_of_scikit_learn():
    X, _ = make_blobs(300, centers=4, cluster_std=1.5, random_state=2)
    for params in ({"gamma": 0.5}, {"affinity": "nearest_neighbors"}, {"affinity": "laplacian"}):
        ours = SpectralClustering(4, random_state=0, **params).fit(X)
        theirs = sklearn.cluster.SpectralClustering(4, random_state=0, **params).fit(X)
        assert adjusted_rand_score(ours.labels_, theirs.labels_) > 0.98


def test_labels_of_indicators_are_their_columns():
    y = np.random.default_rng(0).integers(0, 5, 200)
    noisy = np.eye(5)[y] + 0.05 * np.random.default_rng(1).normal(size=(200, 5))
    assert adjusted_rand_score(y, cluster_qr(noisy)) == 1.0
    assert adjusted_rand_score(y, discretize(noisy, random_state=0)) == 1.0


def test_negative_affinities_are_named():
    with pytest.raises(ValueError, match="affinities of node 1 add up to -2"):
        spectral_clustering([[0, -1, 5], [-1, 0, -1], [5, -1, 0]], n_clusters=2)
    with pytest.raises(ValueError, match=r"n_components=3 must be at most.*less one.*3 nodes"):
        spectral_embedding(np.ones((3, 3)), n_components=3)
    with pytest.raises(ValueError, match="square matrix"):
        spectral_embedding(np.ones((3, 2)), n_components=1)


@pytest.mark.parametrize("affinity", ["rbf", "nearest_neighbors", "laplacian"])
def test_new_rows_join_the_clusters_of_their_kind(affinity):
    X, y = make_blobs(600, centers=3, cluster_std=0.6, random_state=0)
    model = SpectralClustering(3, affinity=affinity, n_neighbors=60, random_state=0).fit(X[:500])
    np.testing.assert_array_equal(model.predict(X[:500]), model.labels_)
    assert adjusted_rand_score(y[500:], model.predict(X[500:])) > 0.9


@pytest.mark.parametrize("affinity", ["rbf", "nearest_neighbors"])
def test_new_points_are_means_of_their_neighbours(affinity):
    X = np.random.default_rng(0).normal(size=(500, 3))
    model = SpectralEmbedding(2, affinity=affinity, n_neighbors=15, random_state=0).fit(X[:490])
    np.testing.assert_array_equal(model.transform(X[:490]), model.embedding_)
    moved = model.transform(X[:20] + 1e-9)
    extent = np.abs(model.embedding_).max()
    assert np.abs(moved - model.embedding_[:20]).max() < 0.15 * extent
    assert model.transform(X[490:]).shape == (10, 2)


def test_affinities_of_new_nodes_place_them():
    A = _path(30)
    model = SpectralEmbedding(2, affinity="precomputed", random_state=0).fit(A)
    inner = model.transform(A)[5:25]
    np.testing.assert_allclose(inner, model.embedding_[5:25], atol=1e-12)
    with pytest.raises(ValueError, match="affinities of new rows"):
        SpectralEmbedding(1, affinity=lambda X: _path(len(X))).fit(A).transform(A)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (SpectralClustering(2), "300 rows with affinity='rbf'.*nearest_neighbors"),
        (SpectralClustering(2, affinity=np.dot), "300 rows with affinity=a function"),
        (SpectralClustering(2, affinity="nearest_neighbors"), "300 rows.*n_neighbors=10"),
        (SpectralEmbedding(affinity="rbf"), "300 rows with affinity='rbf'"),
        (SpectralEmbedding(), "300 rows with affinity='nearest_neighbors'.*n_neighbors=30"),
    ],
)
def test_memory_is_asked_for_before_the_work(model, message, monkeypatch):
    from gramian._spectral import graph

    X = np.random.default_rng(0).normal(size=(300, 3))
    monkeypatch.setattr(graph, "available_bytes", lambda: 10_000)
    with pytest.raises(MemoryError, match=message):
        model.fit(X)


def test_more_neighbours_than_rows_join_all():
    X = np.random.default_rng(0).normal(size=(8, 3))
    with pytest.warns(UserWarning, match="n_neighbors=10 is more than the 8 rows"):
        model = SpectralClustering(2, affinity="nearest_neighbors", random_state=0).fit(X)
    assert model.affinity_matrix_.nnz == 64
    assert model.predict(X).tolist() == model.labels_.tolist()
    with pytest.warns(UserWarning, match="n_neighbors=9 is more than the 8 rows"):
        assert SpectralEmbedding(n_neighbors=9).fit(X).n_neighbors_ == 8


def test_single_precision_is_kept():
    X = np.random.default_rng(0).normal(size=(80, 3)).astype(np.float32)
    model = SpectralEmbedding(n_neighbors=20, random_state=0)
    points = model.fit_transform(X)
    assert points.dtype == model.transform(X).dtype == np.float32
    double = model.fit_transform(X.astype(np.float64))
    np.testing.assert_allclose(points, double, rtol=1e-5, atol=1e-6)
