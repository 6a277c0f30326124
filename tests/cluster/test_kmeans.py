"""KMeans against scikit-learn, brute force and its own promises."""

from typing import Any

import numpy as np
import pytest
import sklearn.cluster
from scipy.sparse import csr_array

import gramian
from gramian.cluster import KMeans, k_means, kmeans_plusplus
from gramian.datasets import make_blobs


@pytest.fixture(params=[np.float32, np.float64])
def rows(request: Any) -> Any:
    return make_blobs(400, centers=6, n_features=5, random_state=3)[0].astype(request.param)


def _squares(X: Any, centres: Any) -> Any:
    apart = X.astype(np.float64)[:, None] - centres.astype(np.float64)[None]
    return (apart**2).sum(axis=2)


@pytest.mark.parametrize("n_clusters", [1, 2, 6, 40])
@pytest.mark.parametrize("weighted", [False, True])
def test_draws_and_steps_are_those_of_scikit_learn(n_clusters, weighted):
    X = make_blobs(400, centers=6, n_features=5, random_state=3)[0]
    weight = np.random.default_rng(0).uniform(0.5, 2.0, len(X)) if weighted else None
    settings = {"n_clusters": n_clusters, "random_state": 7, "tol": 0.0}
    model = KMeans(**settings).fit(X, sample_weight=weight)
    oracle = sklearn.cluster.KMeans(**settings).fit(X, sample_weight=weight)
    np.testing.assert_array_equal(model.labels_, oracle.labels_)
    np.testing.assert_allclose(model.cluster_centers_, oracle.cluster_centers_, rtol=1e-10)
    assert model.inertia_ == pytest.approx(oracle.inertia_, rel=1e-12)


@pytest.mark.parametrize("seed", range(8))
def test_many_tiles_of_rows_with_drawn_shapes(seed):
    # Tiles in which nothing changes keep their sums; far rows are passed over in the draws.
    rng = np.random.default_rng(seed)
    n, p, k = int(rng.integers(1500, 6000)), int(rng.integers(1, 30)), int(rng.integers(2, 30))
    spread = rng.choice([0.05, 0.5, 3.0])
    X = rng.normal(size=(k, p))[np.sort(rng.integers(0, k, n))] + spread * rng.normal(size=(n, p))
    weight = rng.uniform(0.5, 2.0, n) if rng.random() < 0.5 else None
    if rng.random() < 0.5:
        X = np.asfortranarray(X)
    settings = {"n_clusters": k, "random_state": seed, "tol": 0.0, "max_iter": 60}
    start = kmeans_plusplus(X, k, sample_weight=weight, random_state=seed)[1]
    expected = sklearn.cluster.kmeans_plusplus(X, k, sample_weight=weight, random_state=seed)[1]
    np.testing.assert_array_equal(start, expected)
    model = KMeans(**settings).fit(X, sample_weight=weight)
    oracle = sklearn.cluster.KMeans(**settings).fit(X, sample_weight=weight)
    np.testing.assert_array_equal(model.labels_, oracle.labels_)
    np.testing.assert_allclose(
        model.cluster_centers_, oracle.cluster_centers_, rtol=1e-9, atol=1e-11
    )
    assert model.n_iter_ == oracle.n_iter_


def test_labels_and_inertia_are_those_of_brute_force(rows):
    model = KMeans(9, random_state=0).fit(rows)
    squares = _squares(rows, model.cluster_centers_)
    np.testing.assert_array_equal(model.labels_, squares.argmin(axis=1))
    np.testing.assert_array_equal(model.predict(rows), model.labels_)
    assert model.inertia_ == pytest.approx(squares.min(axis=1).sum(), rel=1e-12)
    assert model.score(rows) == pytest.approx(-model.inertia_, rel=1e-12)
    np.testing.assert_allclose(model.transform(rows) ** 2, squares, rtol=2e-3, atol=1e-4)


def test_certificate_is_that_of_the_centres(rows):
    model = KMeans(6, random_state=0, tol=0.0).fit(rows)
    means = np.array([rows[model.labels_ == c].astype(float).mean(axis=0) for c in range(6)])
    np.testing.assert_allclose(model.cluster_centers_, means, rtol=1e-5)
    assert model.certificate_.converged
    assert model.certificate_.details["mislabelled"] == 0
    assert model.certificate_.optimality < 1e-10


def test_certificate_of_a_fit_that_was_stopped():
    X = np.random.default_rng(0).normal(size=(3000, 4))
    model = KMeans(20, init="random", n_init=1, max_iter=1, random_state=0).fit(X)
    means = np.array([X[model.labels_ == c].mean(axis=0) for c in range(20)])
    after = _squares(X, means)[np.arange(len(X)), model.labels_].sum()
    assert not model.certificate_.converged
    assert model.certificate_.optimality == pytest.approx(1.0 - after / model.inertia_, rel=1e-6)


def test_certificate_counts_wrong_labels():
    from gramian.cluster._kmeans import _certify

    X = np.array([[0.0], [1.0], [10.0], [11.0]])
    labels = np.array([0, 0, 1, 0], dtype=np.int32)
    found = (1, 100.0, 0.0, True, True)
    certificate = _certify(X, None, np.array([[0.5], [10.5]]), labels, found)
    assert certificate.details["mislabelled"] == 1
    assert not certificate.converged


@pytest.mark.parametrize("init", ["k-means++", "k-means||", "random"])
def test_sparse_rows_are_dense_rows(init):
    X = make_blobs(300, centers=4, n_features=8, random_state=1)[0]
    X[np.random.default_rng(0).random(X.shape) < 0.6] = 0.0
    settings = {"n_clusters": 4, "init": init, "n_init": 5, "random_state": 0, "tol": 0.0}
    dense, sparse = KMeans(**settings).fit(X), KMeans(**settings).fit(csr_array(X))
    np.testing.assert_array_equal(sparse.labels_, dense.labels_)
    np.testing.assert_allclose(sparse.cluster_centers_, dense.cluster_centers_, atol=1e-12)


def test_same_bits_for_threads_and_orders():
    X = make_blobs(5000, centers=12, n_features=7, random_state=1)[0]
    found = set()
    for n_threads in (1, 2, 3):
        for order in ("C", "F"):
            with gramian.config(n_threads=n_threads):
                model = KMeans(12, random_state=0).fit(np.asarray(X, order=order))
            found.add(gramian.fingerprint(model))
    assert len(found) == 1


def test_weights_are_copies():
    X = make_blobs(200, centers=3, random_state=1)[0]
    weight = np.random.default_rng(0).integers(1, 4, len(X))
    start, settings = X[[0, 50, 100]], {"n_init": 1, "tol": 0.0}
    weighted = KMeans(3, init=start, **settings).fit(X, sample_weight=weight)
    copied = KMeans(3, init=start, **settings).fit(np.repeat(X, weight, axis=0))
    np.testing.assert_allclose(weighted.cluster_centers_, copied.cluster_centers_, rtol=1e-12)
    assert weighted.inertia_ == pytest.approx(copied.inertia_, rel=1e-12)


def test_weights_rule_the_tolerance():
    """Rows far away without a weight do not make the fit end early."""
    X = np.random.default_rng(0).normal(size=(600, 3))
    weight = (np.arange(600) % 3 > 0).astype(float)
    X[weight == 0] *= 1e4
    present = weight > 0
    settings = {"n_clusters": 5, "random_state": 0}
    all_rows = KMeans(**settings).fit(X, sample_weight=weight)
    some_rows = KMeans(**settings).fit(X[present], sample_weight=weight[present])
    assert all_rows.n_iter_ == some_rows.n_iter_
    np.testing.assert_allclose(
        all_rows.cluster_centers_, some_rows.cluster_centers_, rtol=1e-9, atol=1e-12
    )


def test_start_by_rounds_is_as_good_as_one_by_one():
    X = make_blobs(4000, centers=30, n_features=3, cluster_std=0.2, random_state=5)[0]
    by_rounds = [KMeans(30, init="k-means||", random_state=s).fit(X).inertia_ for s in range(5)]
    one_by_one = [KMeans(30, random_state=s).fit(X).inertia_ for s in range(5)]
    assert np.median(by_rounds) <= 1.5 * np.median(one_by_one)


def test_functions_are_the_class():
    X = make_blobs(100, centers=3, random_state=1)[0]
    centres, labels, inertia, n_iter = k_means(X, 3, random_state=2, return_n_iter=True)
    model = KMeans(3, random_state=2).fit(X)
    np.testing.assert_array_equal(centres, model.cluster_centers_)
    np.testing.assert_array_equal(labels, model.labels_)
    assert (inertia, n_iter) == (model.inertia_, model.n_iter_)
    chosen, which = kmeans_plusplus(X, 3, random_state=2)
    expected = sklearn.cluster.kmeans_plusplus(X, 3, random_state=2)
    np.testing.assert_array_equal(which, expected[1])
    np.testing.assert_array_equal(chosen, X[which])


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_numbers_without_squares_are_refused(scale):
    X = scale * make_blobs(50, centers=2, random_state=1)[0]
    with pytest.raises(ValueError, match="values of X are too"):
        KMeans(2, random_state=0).fit(X)


def test_more_clusters_than_different_rows():
    X = np.repeat([[0.0, 1.0], [5.0, 2.0]], 10, axis=0)
    with pytest.warns(gramian.exceptions.ConvergenceWarning, match=r"distinct clusters \(2\)"):
        model = KMeans(4, random_state=0).fit(X)
    assert model.inertia_ == 0.0
    with pytest.raises(ValueError, match="n_samples=20 should be >= n_clusters=21"):
        KMeans(21).fit(X)


def test_distances_beyond_single_precision_are_refused():
    X = np.array([[-2e38, -2e38], [2e38, 2e38], [2e38, 1.9e38]], dtype=np.float32)
    model = KMeans(2, n_init=1, random_state=0).fit(X)
    with pytest.raises(ValueError, match="too large for float32"):
        model.transform(X)
    assert len(set(model.predict(X))) == 2
