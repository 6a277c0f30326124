"""BIRCH: the subclusters of scikit-learn, and rows far from the origin."""

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.cluster
import sklearn.metrics
from numpy.testing import assert_allclose, assert_array_equal

import gramian
from gramian.cluster import AgglomerativeClustering, Birch, KMeans
from gramian.datasets import make_blobs
from gramian.exceptions import ConvergenceWarning, NotFittedError


def drawn(seed, n_columns=3, n_rows=600):
    return make_blobs(n_rows, n_features=n_columns, centers=5, random_state=seed)[0]


@pytest.mark.parametrize("n_columns", [1, 2, 10])
@pytest.mark.parametrize("threshold", [0.05, 0.5, 2.0])
@pytest.mark.parametrize("branching_factor", [2, 7, 50])
def test_same_subclusters_as_sklearn(n_columns, threshold, branching_factor):
    X = drawn(0, n_columns)
    params = {"threshold": threshold, "branching_factor": branching_factor, "n_clusters": None}
    model = Birch(**params).fit(np.asfortranarray(X))
    expected = sklearn.cluster.Birch(**params).fit(X)
    # Of the two features that part a node the first is a matter of rounding there.
    order, other = (
        np.lexsort(centres.T.round(9))
        for centres in (model.subcluster_centers_, expected.subcluster_centers_)
    )
    ours = model.subcluster_centers_[order]
    assert_allclose(ours, expected.subcluster_centers_[other], atol=1e-10)
    assert_array_equal(np.argsort(order)[model.labels_], np.argsort(other)[expected.labels_])
    assert_allclose(model.transform(X)[:, order], expected.transform(X)[:, other], atol=1e-6)
    assert_array_equal(model.predict(X), model.labels_)


def test_clusters_of_subclusters_as_sklearn():
    X = drawn(1)
    labels = Birch(n_clusters=5).fit_predict(X)
    expected = sklearn.cluster.Birch(n_clusters=5).fit_predict(X)
    assert sklearn.metrics.adjusted_rand_score(labels, expected) == 1.0
    given = Birch(n_clusters=AgglomerativeClustering(5)).fit(X)
    assert_array_equal(given.labels_, labels)
    assert not hasattr(given.n_clusters, "labels_")  # a copy of it was fitted
    other = Birch(n_clusters=KMeans(5, random_state=0)).fit(X)
    assert len(np.unique(other.labels_)) == 5


def test_rows_far_from_the_origin():
    """Sums of squares cancel there: scikit-learn's radius is rounding, and the tree arbitrary."""
    X = np.round(drawn(2) * 1024.0) / 1024.0
    near = Birch(threshold=0.5, n_clusters=None).fit(X)
    far = Birch(threshold=0.5, n_clusters=None).fit(X + 2.0**30)
    assert_array_equal(far.labels_, near.labels_)
    assert_allclose(far.subcluster_centers_ - 2.0**30, near.subcluster_centers_, atol=1e-5)


def test_parts_make_the_whole():
    X = drawn(3)
    whole = Birch(n_clusters=None).fit(X)
    parts = Birch(n_clusters=None)
    for rows in np.array_split(X, 5):
        parts.partial_fit(rows)
    assert_array_equal(parts.subcluster_centers_, whole.subcluster_centers_)
    assert_array_equal(parts.labels_, whole.predict(X[-120:]))
    parts.set_params(n_clusters=5).partial_fit()
    whole = Birch(n_clusters=5).fit(X)
    assert_array_equal(parts.subcluster_labels_, whole.subcluster_labels_)


def test_without_rows_a_model_must_be_fitted():
    with pytest.raises(NotFittedError):
        Birch().partial_fit()


def test_sparse_rows():
    X = drawn(4)
    X[np.abs(X) < 2.0] = 0.0
    dense, sparse = Birch().fit(X), Birch().fit(sp.csr_array(X))
    assert_array_equal(sparse.subcluster_centers_, dense.subcluster_centers_)
    assert_array_equal(sparse.labels_, dense.labels_)
    assert_array_equal(sparse.predict(sp.csr_array(X)), dense.labels_)


def test_nodes_and_leaves():
    X = drawn(5)
    model = Birch(threshold=0.2, branching_factor=6, n_clusters=None).fit(X)

    def n_rows_below(node):
        assert 1 <= len(node.subclusters_) <= 6
        return sum(
            part.n_samples_ if part.child_ is None else n_rows_below(part.child_)
            for part in node.subclusters_
        )

    assert n_rows_below(model.root_) == len(X)
    assert sum(part.n_samples_ for part in model.root_.subclusters_) == len(X)
    leaf, centres = model.dummy_leaf_.next_leaf_, []
    while leaf is not None:
        assert leaf.is_leaf and leaf.prev_leaf_ is not None
        assert all(part.radius <= 0.2 * (1.0 + 1e-12) for part in leaf.subclusters_)
        centres.append(leaf.centroids_)
        leaf = leaf.next_leaf_
    assert_array_equal(np.vstack(centres), model.subcluster_centers_)
    part = model.root_.subclusters_[0]
    assert_allclose(part.linear_sum_ / part.n_samples_, part.centroid_)
    assert part.squared_sum_ >= part.n_samples_ * part.sq_norm_


def test_fewer_subclusters_than_clusters():
    with pytest.warns(ConvergenceWarning, match=r"subclusters found \(1\) by BIRCH is less than"):
        model = Birch(threshold=1e4).fit(drawn(6))
    assert_array_equal(np.unique(model.labels_), [0])


def test_no_labels_and_saved(tmp_path):
    X = drawn(7)
    model = Birch(compute_labels=False).fit(X)
    assert not hasattr(model, "labels_")
    gramian.save(model, tmp_path / "model.gramian")
    loaded = gramian.load(tmp_path / "model.gramian")
    assert_array_equal(loaded.predict(X), model.predict(X))
    loaded.partial_fit(X[:50])
    assert_array_equal(loaded.subcluster_centers_, model.partial_fit(X[:50]).subcluster_centers_)
