"""Agglomerative clustering: trees, labels and cuts of scikit-learn and SciPy, and their bounds."""

import numpy as np
import pytest
import sklearn.cluster
from numpy.testing import assert_allclose, assert_array_equal
from scipy.cluster import hierarchy
from scipy.spatial.distance import cdist, pdist

import gramian
from gramian.cluster import AgglomerativeClustering, FeatureAgglomeration, linkage
from gramian.neighbors import kneighbors_graph

METHODS = ("single", "complete", "average", "weighted", "centroid", "median", "ward")
LINKAGES = ("ward", "complete", "average", "single")


def normal(n, p, seed=0, offset=0.0):
    return np.random.default_rng(seed).normal(size=(n, p)) + offset


def naive_heights(X, method):
    """Return the heights of the definition: the two clusters of least distance merge."""
    clusters = [(np.array([i]), X[i].astype(float)) for i in range(len(X))]
    apart = cdist(X, X)

    def distance(a, b):
        (rows, centre), (others, other) = a, b
        if method == "ward":
            n, m = len(rows), len(others)
            return np.sqrt(2 * n * m / (n + m) * ((centre - other) ** 2).sum())
        if method in ("centroid", "median"):
            return np.sqrt(((centre - other) ** 2).sum())
        pairs = apart[np.ix_(rows, others)]
        return {"single": pairs.min, "complete": pairs.max, "average": pairs.mean}[method]()

    heights = []
    while len(clusters) > 1:
        pairs = [(i, j) for i in range(len(clusters)) for j in range(i)]
        values = [distance(clusters[i], clusters[j]) for i, j in pairs]
        best = int(np.argmin(values))
        i, j = pairs[best]
        heights.append(values[best])
        (rows, centre), (others, other) = clusters[i], clusters[j]
        share = 0.5 if method == "median" else len(rows) / (len(rows) + len(others))
        union = np.concatenate([rows, others]), share * centre + (1 - share) * other
        clusters = [c for k, c in enumerate(clusters) if k not in (i, j)] + [union]
    return np.array(heights)


@pytest.mark.parametrize("method", [m for m in METHODS if m != "weighted"])
@pytest.mark.parametrize(("n", "p", "offset"), [(2, 1, 0.0), (33, 3, 0.0), (40, 2, 1e6)])
def test_heights_are_those_of_the_definition(method, n, p, offset):
    X = normal(n, p, offset=offset)
    assert_allclose(linkage(X, method)[:, 2], naive_heights(X, method), rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("n", "p"), [(2, 1), (3, 2), (65, 3), (500, 5), (900, 2), (300, 40)])
def test_same_tree_as_scipy(method, n, p):
    X = normal(n, p)
    expected = hierarchy.linkage(X, method)
    for Z in (linkage(X, method), linkage(pdist(X), method)):
        assert_array_equal(Z[:, [0, 1, 3]], expected[:, [0, 1, 3]])
        assert_allclose(Z[:, 2], expected[:, 2], rtol=1e-10)


@pytest.mark.parametrize("linkage", LINKAGES)
@pytest.mark.parametrize(("n", "p"), [(2, 5000), (19, 1001), (70, 333), (128, 65), (129, 70)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
def test_few_long_rows_and_columns_of_a_table(linkage, n, p, dtype, order):
    X = np.asarray(normal(n, p, offset=100.0), dtype=dtype, order=order)
    expected = hierarchy.linkage(X.astype(np.float64), linkage)
    columns = FeatureAgglomeration(linkage=linkage, compute_distances=True).fit(X.T)
    rows = AgglomerativeClustering(linkage=linkage, compute_distances=True).fit(X)
    for model in (columns, rows):
        assert_array_equal(np.sort(model.children_, axis=1), expected[:, :2])
        assert_allclose(model.distances_, expected[:, 2], rtol=1e-10)


@pytest.mark.parametrize("metric", ["cityblock", "chebyshev", "sqeuclidean", "cosine", "canberra"])
@pytest.mark.parametrize("method", ["single", "complete", "average", "weighted"])
def test_other_metrics(metric, method):
    X = normal(200, 4)
    expected = hierarchy.linkage(X, method, metric)
    assert_allclose(linkage(X, method, metric)[:, 2], expected[:, 2], rtol=1e-10)


@pytest.mark.parametrize("method", ["single", "complete", "average", "weighted"])
def test_ties_go_as_in_scipy(method):
    X = np.random.default_rng(0).integers(0, 4, (300, 3)).astype(float)
    assert_array_equal(linkage(X, method)[:, :2], hierarchy.linkage(X, method)[:, :2])


def test_far_outlier_costs_no_digits():
    X = np.vstack([normal(400, 3, seed=1) * 1e-9, [[1e3, 0.0, 0.0]]])
    for method in ("ward", "centroid"):
        assert_allclose(linkage(X, method)[:, 2], hierarchy.linkage(X, method)[:, 2], rtol=1e-6)


@pytest.mark.parametrize("linkage_name", LINKAGES)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_same_clusters_as_sklearn(linkage_name, dtype):
    for seed in range(3):
        X = normal(150, 3, seed).astype(dtype)
        params = {"n_clusters": 7, "linkage": linkage_name, "compute_distances": True}
        expected = sklearn.cluster.AgglomerativeClustering(**params).fit(X)
        model = AgglomerativeClustering(**params).fit(np.asfortranarray(X))
        assert_array_equal(model.labels_, expected.labels_)
        assert_array_equal(model.children_, expected.children_)
        assert_allclose(model.distances_, expected.distances_, rtol=1e-6)
        threshold = float(np.median(expected.distances_)) * 1.5
        params = {"n_clusters": None, "linkage": linkage_name, "distance_threshold": threshold}
        expected = sklearn.cluster.AgglomerativeClustering(**params).fit(X)
        assert_array_equal(model.cut(height=threshold), expected.labels_)
        assert_array_equal(model.cut(k=expected.n_clusters_), expected.labels_)


@pytest.mark.parametrize("linkage_name", LINKAGES)
@pytest.mark.parametrize("full", [True, False])
def test_same_clusters_as_sklearn_in_a_graph(linkage_name, full):
    X = normal(120, 3, seed=2)
    graph = kneighbors_graph(X, 8, include_self=False)
    params = {"n_clusters": 9, "linkage": linkage_name, "connectivity": graph}
    params |= {"compute_full_tree": full, "compute_distances": True}
    expected = sklearn.cluster.AgglomerativeClustering(**params).fit(X)
    model = AgglomerativeClustering(**params).fit(X)
    assert_array_equal(model.labels_, expected.labels_)
    assert_allclose(model.distances_, expected.distances_, rtol=1e-10)
    assert model.n_connected_components_ == expected.n_connected_components_


def test_components_of_a_graph_are_joined_by_their_nearest_rows():
    X = np.array([[0.0], [1.0], [4.0], [5.0], [20.0]])
    graph = np.zeros((5, 5))
    graph[0, 1] = graph[2, 3] = 1
    model = AgglomerativeClustering(2, connectivity=graph, linkage="single", compute_distances=True)
    with pytest.warns(UserWarning, match="connected components"):
        model.fit(X)
    assert model.n_connected_components_ == 3
    assert_array_equal(model.distances_, [1.0, 1.0, 3.0, 15.0])
    assert_array_equal(model.labels_ == model.labels_[4], [False] * 4 + [True])


@pytest.mark.parametrize("linkage_name", LINKAGES)
def test_predict_is_the_rule_of_the_linkage(linkage_name):
    X, new = normal(90, 2), normal(40, 2, seed=5) * 2
    model = AgglomerativeClustering(4, linkage=linkage_name).fit(X)
    apart = cdist(new, X)
    rules = {
        "ward": lambda own: (
            own.sum() / (own.sum() + 1) * ((new - X[own].mean(axis=0)) ** 2).sum(axis=1)
        ),
        "complete": lambda own: apart[:, own].max(axis=1),
        "average": lambda own: apart[:, own].mean(axis=1),
        "single": lambda own: apart[:, own].min(axis=1),
    }
    scores = [rules[linkage_name](model.labels_ == label) for label in range(4)]
    assert_array_equal(model.predict(new), np.argmin(scores, axis=0))


def test_predict_of_given_distances():
    X, new = normal(60, 2), normal(20, 2, seed=3)
    by_rows = AgglomerativeClustering(3, linkage="average").fit(X)
    given = AgglomerativeClustering(3, linkage="average", metric="precomputed").fit(cdist(X, X))
    assert_array_equal(given.labels_, by_rows.labels_)
    assert_array_equal(given.predict(cdist(new, X)), by_rows.predict(new))


def test_certificate_of_ward():
    X = normal(300, 4, offset=50.0)
    certificate = AgglomerativeClustering().fit(X).certificate_
    assert certificate.converged
    assert certificate.optimality < 1e-12
    assert_allclose(certificate.objective, ((X - X.mean(axis=0)) ** 2).sum())


def test_cut_names_what_is_wrong():
    X = normal(200, 2)
    graph = kneighbors_graph(X, 8, include_self=False)
    partial = AgglomerativeClustering(50, connectivity=graph, compute_full_tree=False).fit(X)
    with pytest.raises(ValueError, match="compute_full_tree=True"):
        partial.cut(10)
    model = AgglomerativeClustering().fit(X)
    with pytest.raises(ValueError, match="k or height"):
        model.cut()
    for k in (0, 201, 2.5):
        with pytest.raises(ValueError, match="number of leaves, 200"):
            model.cut(k)


def test_same_bits_for_any_number_of_threads():
    X = normal(70_000, 2, seed=4)
    trees = []
    for n_threads in (1, 2, 4):
        with gramian.config(n_threads=n_threads):
            trees.append(AgglomerativeClustering(2, compute_distances=True).fit(X[:5000]))
    for tree in trees[1:]:
        assert_array_equal(tree.children_, trees[0].children_)
        assert_array_equal(tree.distances_, trees[0].distances_)


def test_memory_is_asked_for_before_the_work(monkeypatch):
    from gramian.cluster import _linkage

    monkeypatch.setattr(_linkage, "available_bytes", lambda: 1000)
    with pytest.raises(MemoryError, match="300 rows"):
        linkage(normal(300, 2), "complete")
    assert linkage(normal(300, 2), "ward").shape == (299, 4)


@pytest.mark.parametrize(
    ("X", "arguments", "message"),
    [
        ([[1.0]], {}, "two rows"),
        ([1.0, 2.0], {}, "number of pairs"),
        ([[1.0], [2.0]], {"method": "wards"}, "method='wards'"),
        ([[1.0], [2.0]], {"method": "ward", "metric": "cityblock"}, "metric='euclidean'"),
    ],
)
def test_linkage_names_what_is_wrong(X, arguments, message):
    with pytest.raises(ValueError, match=message):
        linkage(X, **arguments)


def test_features_are_pooled_as_in_sklearn():
    X = normal(50, 12)
    for pooling in (np.mean, np.median, np.max):
        params = {"n_clusters": 4, "pooling_func": pooling}
        expected = sklearn.cluster.FeatureAgglomeration(**params).fit(X)
        model = FeatureAgglomeration(**params).fit(X)
        assert_array_equal(model.labels_, expected.labels_)
        assert_allclose(model.transform(X), expected.transform(X), rtol=1e-12)
        pooled = expected.transform(X)
        assert_array_equal(model.inverse_transform(pooled), expected.inverse_transform(pooled))
    with pytest.raises(ValueError, match="4 clusters"):
        model.inverse_transform(X)
