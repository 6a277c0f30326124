"""k-means on batches and by cuts, against scikit-learn's for the same draws."""

import numpy as np
import pytest
import sklearn.cluster
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array

from gramian.cluster import BisectingKMeans, KMeans, MiniBatchKMeans
from gramian.datasets import make_blobs

X, _ = make_blobs(n_samples=600, n_features=3, centers=5, cluster_std=2.0, random_state=0)
X[X < -9.0] = 0.0


@pytest.mark.parametrize(
    "init", ["k-means++", "random", X[:5]], ids=["k-means++", "random", "array"]
)
@pytest.mark.parametrize(
    "settings", [{}, {"batch_size": 50, "tol": 1e-3}, {"init_size": 40}], ids=str
)
@pytest.mark.parametrize("weighted", [False, True])
def test_batches_as_scikit_learn(init, settings, weighted):
    weight = np.random.default_rng(0).random(len(X)) if weighted else None
    params = {"n_clusters": 5, "init": init, "random_state": 3, **settings}
    ours = MiniBatchKMeans(**params).fit(X, sample_weight=weight)
    theirs = sklearn.cluster.MiniBatchKMeans(**params).fit(X, sample_weight=weight)
    assert ours.n_steps_ == theirs.n_steps_
    assert ours.n_iter_ == theirs.n_iter_
    assert_allclose(ours.cluster_centers_, theirs.cluster_centers_, rtol=1e-9)
    assert_array_equal(ours.labels_, theirs.labels_)
    assert ours.inertia_ == pytest.approx(theirs.inertia_, rel=1e-9)


def test_single_batches_as_scikit_learn():
    ours, theirs = (
        kind(n_clusters=5, random_state=0)
        for kind in (MiniBatchKMeans, sklearn.cluster.MiniBatchKMeans)
    )
    weight = np.random.default_rng(0).random(100)
    for first in range(0, 600, 100):
        part = X[first : first + 100]
        ours.partial_fit(part, sample_weight=weight)
        theirs.partial_fit(part, sample_weight=weight)
    assert ours.n_steps_ == theirs.n_steps_ == 6
    assert_allclose(ours.cluster_centers_, theirs.cluster_centers_, rtol=1e-9)
    assert_array_equal(ours.labels_, theirs.labels_)


@pytest.mark.parametrize("init", ["k-means++", "random"])
@pytest.mark.parametrize("strategy", ["biggest_inertia", "largest_cluster"])
@pytest.mark.parametrize("weighted", [False, True])
def test_cuts_as_scikit_learn(init, strategy, weighted):
    weight = np.random.default_rng(0).random(len(X)) if weighted else None
    params = {
        **{"n_clusters": 6, "init": init, "random_state": 1, "n_init": 2},
        "bisecting_strategy": strategy,
    }
    ours = BisectingKMeans(**params).fit(X, sample_weight=weight)
    theirs = sklearn.cluster.BisectingKMeans(**params).fit(X, sample_weight=weight)
    assert_allclose(ours.cluster_centers_, theirs.cluster_centers_, rtol=1e-9)
    assert_array_equal(ours.labels_, theirs.labels_)
    assert ours.inertia_ == pytest.approx(theirs.inertia_, rel=1e-9)
    assert_array_equal(ours.predict(X), ours.labels_)
    new = X + 0.5
    assert_array_equal(ours.predict(new), theirs.predict(new))


@pytest.mark.parametrize("kind", [BisectingKMeans, MiniBatchKMeans])
def test_sparse_rows_as_dense_ones(kind):
    dense, sparse = (kind(n_clusters=4, random_state=0).fit(rows) for rows in (X, csr_array(X)))
    assert_allclose(dense.cluster_centers_, sparse.cluster_centers_, rtol=1e-9, atol=1e-9)
    assert_array_equal(dense.labels_, sparse.labels_)
    assert_array_equal(sparse.predict(csr_array(X)), sparse.labels_)


def test_batches_come_near_k_means():
    whole = KMeans(n_clusters=5, random_state=0, n_init=5).fit(X)
    batches = MiniBatchKMeans(n_clusters=5, random_state=0, n_init=5).fit(X)
    assert batches.inertia_ < 1.05 * whole.inertia_


def test_cuts_leave_rows_that_are_alone():
    rows = np.repeat([[0.0], [9.0]], [5, 1], axis=0)
    rows[:5, 0] += np.arange(5)
    model = BisectingKMeans(n_clusters=6, random_state=0).fit(rows)
    assert sorted(model.cluster_centers_.ravel()) == [0.0, 1.0, 2.0, 3.0, 4.0, 9.0]


def test_fewer_rows_than_clusters_are_refused():
    for kind in (BisectingKMeans, MiniBatchKMeans):
        with pytest.raises(ValueError, match="n_samples=3 should be >= n_clusters=8"):
            kind().fit([[0.0], [1.0], [2.0]])
