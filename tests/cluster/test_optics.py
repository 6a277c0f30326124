"""OPTICS: the order of scikit-learn's class and of a plain loop, and the clusters in it."""

import warnings

import numpy as np
import pytest
import sklearn.cluster
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist

import gramian
from gramian.cluster import (
    DBSCAN,
    OPTICS,
    cluster_optics_dbscan,
    cluster_optics_xi,
    compute_optics_graph,
)
from gramian.datasets import make_blobs
from gramian.metrics import adjusted_rand_score
from gramian.neighbors import radius_neighbors_graph

NAMES = ("ordering_", "reachability_", "core_distances_", "predecessor_", "labels_")


def blobs(n, p, seed=0):
    return make_blobs(n, n_features=p, centers=5, cluster_std=1.3, random_state=seed)[0]


def order_of_loop(distances, min_samples, max_eps):
    """The definition: each next row is the one reached at the least distance."""
    n = len(distances)
    core = np.sort(distances, axis=1)[:, min_samples - 1]
    core = np.where(core > max_eps, np.inf, np.around(core, 15))
    reached, predecessor = np.full(n, np.inf), np.full(n, -1)
    ordering, waiting = [], set(range(n))
    while waiting:
        row = min(waiting, key=lambda i: (reached[i], i))
        waiting.remove(row)
        ordering.append(row)
        for other in waiting:
            if core[row] == np.inf or distances[row, other] > max_eps:
                continue
            length = np.around(max(core[row], distances[row, other]), 15)
            if length < reached[other]:
                reached[other], predecessor[other] = length, row
    return np.array(ordering), reached, core, predecessor


@pytest.mark.parametrize("p", [1, 2, 12])
@pytest.mark.parametrize(("min_samples", "max_eps"), [(2, np.inf), (5, 1.0), (30, 3.0)])
def test_order_is_that_of_a_plain_loop(p, min_samples, max_eps):
    for X in (blobs(150, p), np.random.default_rng(1).integers(0, 9, (150, p)).astype(float)):
        expected = order_of_loop(cdist(X, X), min_samples, max_eps)
        model = OPTICS(min_samples=min_samples, max_eps=max_eps)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # nothing within max_eps
            model.fit(X)
        for name, values in zip(NAMES[:4], expected, strict=True):
            assert_allclose(getattr(model, name), values, rtol=1e-12, err_msg=name)


@pytest.mark.parametrize("p", [2, 11])
@pytest.mark.parametrize(
    "params",
    [
        {},
        {"max_eps": 4.0},
        {"min_samples": 20, "xi": 0.02},
        {"min_samples": 0.1, "min_cluster_size": 0.2, "predecessor_correction": False},
        {"metric": "manhattan"},
        {"metric": "canberra"},
        {"cluster_method": "dbscan", "eps": 3.0, "max_eps": 4.0},
    ],
)
def test_same_clusters_as_sklearn(p, params):
    X = blobs(300, p)
    expected, model = sklearn.cluster.OPTICS(**params).fit(X), OPTICS(**params).fit(X)
    for name in NAMES:
        assert_allclose(getattr(model, name), getattr(expected, name), rtol=1e-9, err_msg=name)
    if "cluster_method" not in params:
        assert_array_equal(model.cluster_hierarchy_, expected.cluster_hierarchy_)


def test_third_powers():
    X = np.random.default_rng(1).integers(0, 30, (150, 2)).astype(float)  # sums without rounding
    expected = order_of_loop(cdist(X, X, "minkowski", p=3), 5, np.inf)
    model = OPTICS(p=3).fit(X)
    for name, values in zip(NAMES[:4], expected, strict=True):
        assert_allclose(getattr(model, name), values, rtol=1e-12, err_msg=name)


def test_xi_clusters_of_any_plot():
    rng = np.random.default_rng(0)
    for seed in range(60):
        n = 80
        reached = np.around(np.abs(rng.normal(size=n)) ** 3 + 0.1, seed % 4)
        reached[rng.integers(0, n, 3)] = np.inf
        given = {
            "reachability": reached,
            "predecessor": rng.integers(-1, n, n),
            "ordering": rng.permutation(n),
            "min_samples": int(rng.integers(2, 6)),
            "xi": float(rng.uniform(0.0, 0.5)),
            "predecessor_correction": bool(seed % 3),
        }
        labels, clusters = cluster_optics_xi(**given)
        with np.errstate(all="ignore"):
            expected = sklearn.cluster.cluster_optics_xi(**given)
        assert_array_equal(labels, expected[0])
        assert_array_equal(clusters, expected[1].reshape(-1, 2))


def test_dbscan_clusters_are_those_of_dbscan_but_for_border_rows():
    X = blobs(500, 2)
    model = OPTICS(min_samples=5, cluster_method="dbscan").fit(X)
    for eps in (0.3, 0.6, 1.2):
        labels = cluster_optics_dbscan(
            reachability=model.reachability_,
            core_distances=model.core_distances_,
            ordering=model.ordering_,
            eps=eps,
        )
        other = DBSCAN(eps=eps, min_samples=5).fit(X)
        core = other.core_sample_indices_
        assert adjusted_rand_score(labels[core], other.labels_[core]) == 1.0


def test_given_distances():
    X = blobs(200, 3)
    D = cdist(X, X)
    by_rows = OPTICS(max_eps=4.0).fit(X)
    dense = OPTICS(max_eps=4.0, metric="precomputed").fit(D)
    graph = radius_neighbors_graph(X, 4.0, mode="distance")
    sparse = OPTICS(max_eps=4.0, metric="precomputed").fit(graph)
    for name in NAMES:
        for model in (dense, sparse):
            assert_allclose(getattr(model, name), getattr(by_rows, name), rtol=1e-9, err_msg=name)
    assert_array_equal(dense.predict(D[::3]), by_rows.predict(X[::3]))
    with pytest.raises(ValueError, match="needs all distances"):
        sparse.predict(graph)


def test_sparse_rows_and_functions_and_tables_of_booleans():
    X = np.where(np.random.default_rng(0).random((120, 6)) < 0.5, blobs(120, 6), 0.0)
    dense, sparse = OPTICS().fit(X), OPTICS().fit(csr_array(X))
    called = OPTICS(metric=lambda x, z: np.sqrt(((x - z) ** 2).sum())).fit(X)
    for model in (sparse, called):
        assert_allclose(model.reachability_, dense.reachability_, rtol=1e-7)
    assert_array_equal(called.predict(X[:20]), dense.predict(X[:20]))
    flags = X > 0.0
    with np.errstate(divide="ignore"):
        expected = sklearn.cluster.OPTICS(metric="jaccard").fit(flags)
    assert_array_equal(OPTICS(metric="jaccard").fit(flags).labels_, expected.labels_)
    with pytest.warns(gramian.exceptions.DataConversionWarning, match="metric jaccard"):
        OPTICS(metric="jaccard").fit(X)


@pytest.mark.parametrize("method", ["xi", "dbscan"])
def test_new_rows(method):
    X, y = make_blobs([100, 100], centers=[[0, 0], [9, 0]], cluster_std=0.5, random_state=0)
    model = OPTICS(min_samples=10, min_cluster_size=50, max_eps=2.0, cluster_method=method).fit(X)
    assert adjusted_rand_score(model.labels_[model.labels_ >= 0], y[model.labels_ >= 0]) == 1.0
    assert (model.predict(X) == model.labels_).mean() > 0.95
    first, second = (model.labels_[y == group].max() for group in (0, 1))
    assert_array_equal(model.predict([[0, 0.1], [9, 0.1], [4.5, 0.0]]), [first, second, -1])


def test_labels_of_new_rows_are_those_of_the_row_that_reaches_them():
    X = blobs(300, 2)
    model, queries = OPTICS(min_samples=8).fit(X), blobs(100, 2, seed=1)
    reach = np.maximum(cdist(queries, X), model.core_distances_)
    found, best = model.predict(queries), model.labels_[reach.argmin(axis=1)]
    assert_array_equal(found[found >= 0], best[found >= 0])
    for label in range(model.labels_.max() + 1):
        inside = model.labels_[model.ordering_] == label
        widest = model.reachability_[model.ordering_][inside][1:].max()
        taken = reach.min(axis=1)[(best == label) & (found == label)]
        left = reach.min(axis=1)[(best == label) & (found == -1)]
        assert (taken <= widest * (1 + 1e-9)).all() and (left > widest).all()


def test_same_bits_for_any_number_of_threads():
    X = np.random.default_rng(0).normal(size=(1500, 40))  # steps that threads share
    models = []
    for n_threads in (1, 2, 4):
        with gramian.config(n_threads=n_threads):
            models.append(OPTICS().fit(X))
    for model in models[1:]:
        for name in NAMES:
            assert_array_equal(getattr(model, name), getattr(models[0], name))


def test_copies_of_one_row():
    model = OPTICS().fit(np.ones((120, 2)))
    assert_array_equal(model.ordering_, np.arange(120))
    assert_array_equal(model.reachability_[1:], 0.0)


def test_memory_keeps_the_order(tmp_path):
    X = blobs(100, 2)
    model = OPTICS(memory=str(tmp_path)).fit(X)
    again = OPTICS(memory=str(tmp_path), xi=0.2).fit(X)
    assert_array_equal(again.ordering_, model.ordering_)
    assert any(tmp_path.rglob("output.pkl"))


def test_errors_name_the_numbers():
    with pytest.raises(ValueError, match=r"min_samples must be no greater .*\(4\). Got 9"):
        OPTICS(min_samples=9).fit(blobs(4, 2))
    with pytest.raises(ValueError, match=r"smaller than 1.5. Got 2.0"):
        OPTICS(max_eps=1.5, eps=2.0, cluster_method="dbscan").fit(blobs(50, 2))
    with pytest.warns(UserWarning, match="All reachability values are inf"):
        OPTICS(max_eps=1e-9).fit(blobs(50, 2))
    with pytest.raises(ValueError, match="must name each row once"):
        cluster_optics_dbscan(
            reachability=[1.0, 1.0], core_distances=[1.0, 1.0], ordering=[0, 0], eps=1.0
        )
    how = {"p": 2, "metric_params": None, "algorithm": "auto", "leaf_size": 30, "n_jobs": None}
    with pytest.raises(ValueError, match="min_samples"):
        compute_optics_graph(blobs(9, 2), min_samples=1, max_eps=1.0, metric="euclidean", **how)
