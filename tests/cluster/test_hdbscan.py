"""HDBSCAN: the spanning tree of Prim's algorithm, and the clusters of scikit-learn."""

import warnings

import numpy as np
import pytest
import sklearn.cluster
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial.distance import cdist

import gramian
from gramian.cluster import HDBSCAN
from gramian.cluster._linkage import MergeTree
from gramian.datasets import make_blobs, make_moons
from gramian.metrics import adjusted_rand_score


def blobs(n, p, seed=0):
    return make_blobs(n, n_features=p, centers=6, cluster_std=1.5, random_state=seed)[0]


def reachability(X, min_samples, metric="euclidean", alpha=1.0, **params):
    distances = cdist(X, X, metric, **params)
    cores = np.partition(distances, min_samples - 1, axis=1)[:, min_samples - 1]
    return np.maximum(np.maximum(distances / alpha, cores[:, None]), cores)


def of_sklearn(X, **params):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        return sklearn.cluster.HDBSCAN(copy=True, **params).fit(X)


@pytest.mark.parametrize("p", [1, 2, 3, 5, 10, 11, 30])
@pytest.mark.parametrize("min_samples", [1, 2, 5, 30])
def test_heights_are_the_weights_of_the_minimum_spanning_tree(p, min_samples):
    for X in (blobs(700, p), np.random.default_rng(1).integers(0, 9, (500, p)).astype(float)):
        weights = reachability(X, min_samples)
        expected = minimum_spanning_tree(weights + 1.0).data - 1.0  # zero would be no edge
        model = HDBSCAN(min_samples=min_samples).fit(X)
        assert_allclose(model._merges[1], np.sort(expected), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    ("metric", "params"),
    [("manhattan", {}), ("chebyshev", {}), ("minkowski", {"p": 3.0}), ("canberra", {})],
)
def test_spanning_tree_of_other_metrics(metric, params):
    X = blobs(400, 3)
    name = {"manhattan": "cityblock"}.get(metric, metric)
    expected = np.sort(minimum_spanning_tree(reachability(X, 5, name, **params)).data)
    model = HDBSCAN(metric=metric, metric_params=params or None).fit(X)
    assert_allclose(model._merges[1], expected, rtol=1e-9)


def test_alpha_divides_the_distances():
    X = blobs(400, 2)
    expected = np.sort(minimum_spanning_tree(reachability(X, 5, alpha=1.7)).data)
    assert_allclose(HDBSCAN(alpha=1.7).fit(X)._merges[1], expected, rtol=1e-9)


@pytest.mark.parametrize("p", [2, 3, 12])
@pytest.mark.parametrize(
    "params",
    [
        {},
        {"min_cluster_size": 20},
        {"min_cluster_size": 15, "min_samples": 3},
        {"cluster_selection_method": "leaf"},
        {"cluster_selection_epsilon": 0.6},
        {"cluster_selection_method": "leaf", "cluster_selection_epsilon": 0.6},
        {"allow_single_cluster": True},
        {"allow_single_cluster": True, "cluster_selection_epsilon": 0.4},
        {"max_cluster_size": 90},
    ],
)
def test_same_clusters_as_sklearn(p, params):
    if p == 2 and "cluster_selection_epsilon" in params and "allow_single_cluster" not in params:
        pytest.skip("scikit-learn's climb to a parent fails with NumPy 2")
    for seed in range(3):
        X = blobs(500, p, seed)
        expected, model = of_sklearn(X, **params), HDBSCAN(**params).fit(X)
        assert_array_equal(model.labels_, expected.labels_)
        assert_allclose(model.probabilities_, expected.probabilities_, rtol=1e-9)
        assert_array_equal(model.predict(X), model.labels_)
        tree = expected._single_linkage_tree_
        children = np.column_stack([tree["left_node"], tree["right_node"]])
        same = MergeTree(children, tree["value"].copy(), tree["cluster_size"].copy())
        labels, probabilities = HDBSCAN(**params)._clusters(same)
        assert_array_equal(labels, expected.labels_)
        assert_allclose(probabilities, expected.probabilities_, rtol=1e-12)


def test_clusters_that_part_below_epsilon_stay_together():
    drawn = np.random.default_rng(0).normal(size=(180, 2)) * 0.1
    X = drawn + np.repeat([[0.0, 0.0], [1.0, 0.0], [9.0, 0.0]], 60, axis=0)
    parts = HDBSCAN(min_cluster_size=20, cluster_selection_method="leaf")
    assert len(np.unique(parts.fit(X).labels_[:120])) > 1
    joined = parts.set_params(cluster_selection_epsilon=2.0).fit(X).labels_
    assert_array_equal(joined, np.repeat([joined[0], joined[-1]], [120, 60]))
    assert joined[0] != joined[-1]


def test_rows_that_are_not_finite():
    X = blobs(300, 2)
    spoiled = X.copy()
    spoiled[3, 0], spoiled[7, 1], spoiled[9] = np.inf, np.nan, [np.nan, np.inf]
    model = HDBSCAN().fit(spoiled)
    assert_array_equal(model.labels_[[3, 7, 9]], [-2, -3, -3])
    assert_array_equal(np.isnan(model.probabilities_).nonzero()[0], [7, 9])
    others = np.delete(np.arange(300), [3, 7, 9])
    assert_array_equal(model.labels_[others], HDBSCAN().fit(X[others]).labels_)
    assert_array_equal(model.predict(spoiled), model.labels_)


def test_given_distances():
    X = blobs(300, 3)
    D = cdist(X, X)
    by_rows, given = HDBSCAN().fit(X), HDBSCAN(metric="precomputed").fit(D)
    assert adjusted_rand_score(by_rows.labels_, given.labels_) == 1.0
    assert_array_equal(given.predict(D), given.labels_)
    with pytest.raises(ValueError, match="asymmetric"):
        HDBSCAN(metric="precomputed").fit(np.triu(D))


def test_new_rows():
    X, _ = make_moons(500, noise=0.05, random_state=0)
    model = HDBSCAN(min_cluster_size=20).fit(X)
    assert model.labels_.max() == 1
    near = X[::7] + 1e-6
    assert_array_equal(model.predict(near), model.labels_[::7])
    assert_array_equal(model.predict([[9.0, 9.0], [np.nan, 0.0]]), [-1, -3])


def test_dbscan_clustering_is_the_cut_tree():
    X = blobs(300, 2)
    model, expected = HDBSCAN().fit(X), of_sklearn(X)
    for cut in (0.3, 0.8, 3.0):
        labels = model.dbscan_clustering(cut)
        assert adjusted_rand_score(expected.dbscan_clustering(cut), labels) == 1.0


def test_centres():
    X = blobs(300, 2)
    expected = of_sklearn(X, store_centers="both")
    model = HDBSCAN(store_centers="both").fit(X)
    match = cdist(model.centroids_, expected.centroids_).argmin(axis=1)
    assert_allclose(model.centroids_, expected.centroids_[match], rtol=1e-9)
    assert_allclose(model.medoids_, expected.medoids_[match])


def test_same_bits_for_any_number_of_threads():
    X = blobs(6000, 3)
    models = []
    for n_threads in (1, 2, 4):
        with gramian.config(n_threads=n_threads):
            models.append(HDBSCAN().fit(X))
    for model in models[1:]:
        assert_array_equal(model._merges[0], models[0]._merges[0])
        assert_array_equal(model._merges[1], models[0]._merges[1])
        assert_array_equal(model.labels_, models[0].labels_)


def test_copies_of_one_row():
    model = HDBSCAN().fit(np.ones((300, 2)))
    assert model.labels_.shape == (300,)
    assert (model._merges[1] == 0.0).all()


def test_errors_name_both_numbers():
    with pytest.raises(ValueError, match=r"min_samples \(9\).*\(5\)"):
        HDBSCAN(min_samples=9).fit(blobs(5, 2))
    with pytest.raises(ValueError, match="n_samples=1"):
        HDBSCAN().fit([[1.0]])
