"""Mean shift: the centres of scikit-learn, its bandwidths and its seeds."""

import numpy as np
import pytest
import sklearn.cluster
from numpy.testing import assert_allclose, assert_array_equal

import gramian
from gramian.cluster import MeanShift, estimate_bandwidth, get_bin_seeds, mean_shift
from gramian.datasets import make_blobs


def drawn(seed, n_columns=2, n_rows=300):
    return make_blobs(n_rows, n_features=n_columns, centers=4, random_state=seed)[0]


def assert_same(model, expected, tolerance=1e-10):
    assert_allclose(model.cluster_centers_, expected.cluster_centers_, atol=tolerance)
    assert_array_equal(model.labels_, expected.labels_)
    assert model.n_iter_ == expected.n_iter_


@pytest.mark.parametrize("n_columns", [1, 2, 5, 20])
@pytest.mark.parametrize("part", [0.3, 1.0, 3.0])
def test_same_clusters_as_sklearn(n_columns, part):
    for seed in range(2):
        X = drawn(seed, n_columns)
        params = {"bandwidth": part * float(estimate_bandwidth(X, quantile=0.2))}
        model = MeanShift(**params).fit(np.asfortranarray(X))
        assert_same(model, sklearn.cluster.MeanShift(**params).fit(X))
        assert_array_equal(model.predict(X), model.labels_)


@pytest.mark.parametrize(
    "params",
    [
        {"bin_seeding": True, "bandwidth": 1.5},
        {"bin_seeding": True, "bandwidth": 1.5, "min_bin_freq": 5},
        {"cluster_all": False, "bandwidth": 1.0},
        {"max_iter": 0, "bandwidth": 1.0},
        {"max_iter": 2, "bandwidth": 2.0},
        {"seeds": [[0.0, 0.0], [50.0, 50.0], [1.0, 4.0]], "bandwidth": 3.0},
        {},
    ],
)
def test_parameters_as_sklearn(params):
    X = drawn(3)
    assert_same(MeanShift(**params).fit(X), sklearn.cluster.MeanShift(**params).fit(X))


def test_single_precision_rows():
    X = drawn(4).astype(np.float32)
    model = MeanShift(bandwidth=2.0).fit(X)
    assert model.cluster_centers_.dtype == np.float32
    assert_allclose(
        model.cluster_centers_,
        MeanShift(bandwidth=2.0).fit(X.astype(float)).cluster_centers_,
        rtol=1e-6,
    )


def test_rows_on_a_lattice_at_the_bandwidth():
    """Neighbours at exactly the bandwidth count."""
    X = np.array([(i, j) for i in range(12) for j in range(12)], dtype=float)
    for bandwidth in (1.0, 2.0, np.sqrt(5.0)):
        for seed in ([0.0, 0.0], [5.0, 0.0], [4.0, 7.0]):
            params = {"bandwidth": bandwidth, "max_iter": 0, "seeds": [seed]}
            assert_same(MeanShift(**params).fit(X), sklearn.cluster.MeanShift(**params).fit(X))


def test_seeds_far_from_all_rows():
    X = drawn(0)
    with pytest.raises(ValueError, match=r"No point was within bandwidth=0\.1"):
        MeanShift(bandwidth=0.1, seeds=[[900.0, 900.0]]).fit(X)
    with pytest.raises(ValueError, match=r"seeds must have the 2 columns of X\. Got 3"):
        MeanShift(bandwidth=0.1, seeds=[[0.0, 0.0, 0.0]]).fit(X)


def test_one_place():
    model = MeanShift().fit(np.ones((5, 2)))
    assert_array_equal(model.cluster_centers_, [[1.0, 1.0]])
    assert model.certificate_.converged


def test_certificate_names_seeds_that_were_still_on_their_way():
    X = drawn(5)
    settled = MeanShift(bandwidth=2.0).fit(X).certificate_
    assert settled.converged and settled.optimality < 1e-2
    stopped = MeanShift(bandwidth=2.0, max_iter=0).fit(X).certificate_
    assert not stopped.converged and "still on their way" in str(stopped)
    assert stopped.optimality > settled.optimality


def test_the_time_limit_ends_the_ways_of_seeds():
    X = drawn(6)
    with gramian.config(time_limit=1e-9):
        model = MeanShift(bandwidth=0.5).fit(X)
    assert model.n_iter_ == 0 and not model.certificate_.converged


@pytest.mark.parametrize("quantile", [0.0, 0.1, 0.5, 1.0])
@pytest.mark.parametrize("n_columns", [1, 3])
def test_bandwidths_of_sklearn(quantile, n_columns):
    X = drawn(7, n_columns)
    for n_samples in (None, 70, 10_000):
        params = {"quantile": quantile, "n_samples": n_samples, "random_state": 3}
        expected = sklearn.cluster.estimate_bandwidth(X, **params)
        assert_allclose(estimate_bandwidth(X, **params), expected, rtol=1e-9)


def test_a_common_offset_changes_no_bandwidth():
    X = np.round(drawn(7) * 1024.0) / 1024.0
    assert_allclose(estimate_bandwidth(X + 2.0**30), estimate_bandwidth(X), rtol=1e-12)


def test_seeds_of_cells_as_sklearn():
    rng = np.random.default_rng(8)
    X = np.round(rng.normal(size=(400, 3)) * 4.0) / 4.0
    for size, least in [(0.5, 1), (1.0, 3), (2.0, 20), (100.0, 1)]:
        seeds = get_bin_seeds(X, size, least)
        expected = sklearn.cluster.get_bin_seeds(X, size, least)
        assert seeds.dtype == expected.dtype
        assert_array_equal(seeds, expected)
    assert_array_equal(get_bin_seeds(X, 0), X)
    with pytest.warns(UserWarning, match="Binning data failed"):
        assert_array_equal(get_bin_seeds(np.unique(X, axis=0), 1e-3), np.unique(X, axis=0))


def test_function_is_the_class():
    X = drawn(9)
    centers, labels = mean_shift(X, bandwidth=2.0, cluster_all=False)
    model = MeanShift(bandwidth=2.0, cluster_all=False).fit(X)
    assert_array_equal(centers, model.cluster_centers_)
    assert_array_equal(labels, model.labels_)
