"""DBSCAN: the partitions of scikit-learn, on drawn rows with ties and copies."""

import resource

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.cluster
from numpy.testing import assert_array_equal

import gramian
from gramian.cluster import DBSCAN, dbscan


def drawn(seed, n_columns, dtype=np.float64):
    """Rows on a coarse lattice, so that many distances are equal and many rows are copies."""
    rng = np.random.default_rng(seed)
    centres = rng.integers(0, 12, (6, n_columns))
    X = centres[rng.integers(0, 6, 700)] + rng.integers(-2, 3, (700, n_columns)) / 2
    return X.astype(dtype)


@pytest.mark.parametrize("n_columns", [1, 2, 3, 5, 10, 14])
@pytest.mark.parametrize("algorithm", ["auto", "kd_tree", "brute"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_same_partition_as_sklearn(n_columns, algorithm, dtype):
    for seed in range(3):
        X = drawn(seed, n_columns, dtype)
        for eps in (0.5, 1.0, 2.5):
            params = {"eps": eps, "min_samples": 4}
            expected = sklearn.cluster.DBSCAN(**params).fit(X)
            model = DBSCAN(**params, algorithm=algorithm).fit(np.asfortranarray(X))
            assert_array_equal(model.core_sample_indices_, expected.core_sample_indices_)
            assert_array_equal(model.labels_, expected.labels_)
            assert_array_equal(model.predict(X), expected.labels_)


@pytest.mark.parametrize("seed", range(30))
def test_cells_find_what_the_tree_finds(seed):
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(200, 900)), int(rng.integers(1, 4))
    X = rng.normal(size=(5, p))[rng.integers(0, 5, n)] + rng.choice([0.01, 0.3]) * rng.normal(
        size=(n, p)
    )
    if seed % 2:
        X = np.round(X, 1)
    X = np.asarray(X + rng.choice([0.0, 1e5]), rng.choice([np.float32, np.float64]))
    # The least eps would need more cells than there are numbers for.
    params = {"eps": rng.choice([1e-9, 0.05, 0.1, 0.3, 1.0, 9.0]), "min_samples": seed % 12 + 1}
    model = DBSCAN(**params).fit(np.asarray(X, order=rng.choice(["C", "F"])))
    expected = DBSCAN(**params, algorithm="kd_tree").fit(X)
    assert_array_equal(model.labels_, expected.labels_)
    assert_array_equal(model.core_sample_indices_, expected.core_sample_indices_)


def test_dense_cells_are_joined_where_one_pair_is_near():
    rng = np.random.default_rng(0)
    square = rng.uniform(0.0, 0.3, (4000, 2))
    for gap, n_clusters in [(0.55, 1), (1.05, 2)]:
        X = np.concatenate([square, square + np.array([0.3 + gap, 0.0])])
        X = np.concatenate([X, [[0.3, 0.15], [0.3 + gap, 0.15]]])
        assert DBSCAN(eps=1.0).fit(X).labels_.max() + 1 == n_clusters


@pytest.mark.parametrize("metric", ["manhattan", "chebyshev", "cosine", "minkowski"])
def test_other_metrics(metric):
    X = drawn(0, 4) + 1.0
    params = {"eps": 0.01 if metric == "cosine" else 1.0, "metric": metric}
    params |= {"p": 3} if metric == "minkowski" else {}
    expected = sklearn.cluster.DBSCAN(**params).fit(X)
    model = DBSCAN(**params).fit(X)
    assert_array_equal(model.labels_, expected.labels_)
    assert_array_equal(model.predict(X), expected.labels_)


@pytest.mark.parametrize("n_columns", [2, 14])
def test_weights_of_any_sign(n_columns):
    X = drawn(1, n_columns)
    weights = np.random.default_rng(1).integers(-2, 6, len(X)).astype(float)
    expected = sklearn.cluster.DBSCAN(eps=1.0).fit(X, sample_weight=weights)
    for algorithm in ("kd_tree", "brute"):
        model = DBSCAN(eps=1.0, algorithm=algorithm).fit(X, sample_weight=weights)
        assert_array_equal(model.labels_, expected.labels_)


def test_predict_of_given_distances():
    X = drawn(2, 2)
    D = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))
    model = DBSCAN(eps=1.0, metric="precomputed").fit(D)
    assert_array_equal(model.labels_, DBSCAN(eps=1.0).fit(X).labels_)
    assert_array_equal(model.predict(D), model.labels_)


def test_rows_without_neighbours_are_noise():
    core, labels = dbscan([[0.0], [10.0]], eps=1.0, min_samples=2)
    assert core.size == 0
    assert_array_equal(labels, [-1, -1])
    model = DBSCAN(eps=1.0, min_samples=2).fit([[0.0], [10.0]])
    assert_array_equal(model.predict([[0.0]]), [-1])


def test_precomputed_must_be_square():
    with pytest.raises(ValueError, match="square"):
        DBSCAN(metric="precomputed").fit(np.ones((3, 2)))


def test_weights_are_copies_of_rows_that_have_some():
    X = drawn(2, 3)
    weight = np.random.default_rng(2).integers(1, 4, len(X))
    weighted = DBSCAN(eps=1.0, min_samples=8).fit(X, sample_weight=weight.astype(float))
    copied = DBSCAN(eps=1.0, min_samples=8).fit(np.repeat(X, weight, axis=0))
    assert_array_equal(np.repeat(weighted.labels_, weight), copied.labels_)
    assert weighted.labels_.max() >= 0


def test_same_labels_for_any_number_of_threads():
    X = np.random.default_rng(3).normal(size=(5_000, 2))
    found = []
    for n_threads in (1, 2, 3):
        with gramian.config(n_threads=n_threads):
            found.append(DBSCAN(eps=0.08).fit(X).labels_)
    assert_array_equal(found[0], found[1])
    assert_array_equal(found[0], found[2])
    assert found[0].max() > 5


@pytest.mark.parametrize("n_columns", [2, 12])
def test_no_list_of_neighbours_where_all_are_near(n_columns):
    """Lists of all pairs of 20,000 rows would hold 400 million numbers."""
    X = np.random.default_rng(0).normal(size=(20_000, n_columns))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    labels = DBSCAN(eps=100.0).fit(X).labels_
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert not labels.any()
    assert grown < 400_000  # kilobytes


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
def test_a_radius_whose_square_is_no_number_takes_all_rows(make):
    X = make(np.array([[1.0], [2.0], [3.0]]))
    model = DBSCAN(eps=1e300, min_samples=3).fit(X)
    assert model.labels_.tolist() == [0, 0, 0]
    assert model.predict(sp.csr_array([[9.0], [0.0]])).tolist() == [0, 0]
