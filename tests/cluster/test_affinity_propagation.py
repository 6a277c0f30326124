"""Affinity propagation: the exemplars of scikit-learn for a seed, and what is said of them."""

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.cluster
import sklearn.metrics
from numpy.testing import assert_allclose, assert_array_equal

import gramian
from gramian.cluster import AffinityPropagation, affinity_propagation
from gramian.cluster import _exemplars as exemplars
from gramian.datasets import make_blobs
from gramian.exceptions import ConvergenceWarning


def drawn(seed, n_rows=150, n_columns=2):
    return make_blobs(n_rows, n_features=n_columns, centers=4, random_state=seed)[0]


def assert_same(model, expected):
    assert_array_equal(model.cluster_centers_indices_, expected.cluster_centers_indices_)
    assert_array_equal(model.labels_, expected.labels_)
    assert model.n_iter_ == expected.n_iter_
    assert_allclose(model.affinity_matrix_, expected.affinity_matrix_, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"damping": 0.8},
        {"preference": -50.0},
        {"preference": -5.0, "damping": 0.9, "max_iter": 400},
        {"convergence_iter": 3},
    ],
)
@pytest.mark.filterwarnings("ignore::gramian.exceptions.ConvergenceWarning")
def test_same_exemplars_as_sklearn(params):
    for seed in range(3):
        for n_rows in (20, 61, 150):
            X = drawn(seed, n_rows)
            # The same similarities to the last bit, which decides between two alike.
            S = -sklearn.metrics.pairwise.euclidean_distances(X, squared=True)
            given = {"affinity": "precomputed", "random_state": seed, **params}
            model = AffinityPropagation(**given).fit(S)
            assert_same(model, sklearn.cluster.AffinityPropagation(**given).fit(S))
            of_rows = AffinityPropagation(random_state=seed, **params).fit(X)
            assert_array_equal(of_rows.labels_, model.labels_)
            expected = sklearn.cluster.AffinityPropagation(random_state=seed, **params).fit(X)
            assert_array_equal(of_rows.predict(X), expected.predict(X))


def test_preferences_of_rows():
    X = drawn(3)
    preference = np.random.default_rng(0).uniform(-80.0, -20.0, len(X))
    params = {"preference": preference, "random_state": 1, "damping": 0.7}
    model = AffinityPropagation(**params).fit(X)
    assert_same(model, sklearn.cluster.AffinityPropagation(**params).fit(X))
    with pytest.raises(ValueError, match="one for each of the 150 rows"):
        AffinityPropagation(preference=preference[:3]).fit(X)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_given_similarities_that_are_not_symmetric(dtype):
    X = drawn(4)
    S = (-sklearn.metrics.pairwise_distances(X, metric="sqeuclidean")).astype(dtype)
    S += np.random.default_rng(0).normal(size=S.shape).astype(dtype)
    before = S.copy()
    params = {"damping": 0.7, "random_state": 2, "affinity": "precomputed"}
    model = AffinityPropagation(**params).fit(S)
    assert_array_equal(S, before)
    assert_same(model, sklearn.cluster.AffinityPropagation(**params).fit(S))
    again = AffinityPropagation(copy=False, **params).fit(S)
    assert_array_equal(again.labels_, model.labels_)
    assert again.affinity_matrix_ is S or np.shares_memory(again.affinity_matrix_, S)
    with pytest.raises(ValueError, match="not supported when affinity='precomputed'"):
        model.predict(S)
    with pytest.raises(ValueError, match="must be a square array"):
        AffinityPropagation(affinity="precomputed").fit(S[:5])


def test_sparse_rows():
    X = drawn(5)
    X[np.abs(X) < 1.0] = 0.0
    dense = AffinityPropagation(random_state=0, damping=0.7).fit(X)
    sparse = AffinityPropagation(random_state=0, damping=0.7).fit(sp.csr_array(X))
    assert_array_equal(sparse.labels_, dense.labels_)
    assert_array_equal(sparse.predict(sp.csr_array(X)), dense.predict(X))


def test_rows_that_are_all_alike():
    X = np.eye(5)  # any two are equally far from each other
    for preference, n_clusters in ((-10.0, 1), (1.0, 5)):
        with pytest.warns(UserWarning, match="mutually equal similarities"):
            model = AffinityPropagation(preference=preference, random_state=0).fit(X)
        assert len(np.unique(model.labels_)) == n_clusters


def test_messages_that_do_not_settle():
    X = drawn(6)
    with pytest.warns(ConvergenceWarning, match="may return degenerate"):
        model = AffinityPropagation(max_iter=16, random_state=0).fit(X)
    assert not model.certificate_.converged and "had not settled" in str(model.certificate_)
    with pytest.warns(ConvergenceWarning, match="will not have any cluster centers"):
        model = AffinityPropagation(max_iter=1, random_state=0).fit(X)
    assert model.cluster_centers_.shape == (0, 2)
    with pytest.warns(ConvergenceWarning, match="Labeling every sample as '-1'"):
        assert_array_equal(model.predict(X), np.full(len(X), -1))


def test_the_time_limit_ends_the_messages():
    with gramian.config(time_limit=1e-9), pytest.warns(ConvergenceWarning):
        assert AffinityPropagation(random_state=0).fit(drawn(7)).n_iter_ == 1


def test_certificate_is_the_best_single_change():
    """Against a loop over all sets of exemplars with one more or one less."""
    X = drawn(8, 40)
    model = AffinityPropagation(random_state=0, preference=-30.0, damping=0.7).fit(X)
    S, chosen = model.affinity_matrix_, set(model.cluster_centers_indices_.tolist())

    def total(indices):
        indices = sorted(indices)
        best = S[:, indices].max(axis=1)
        best[indices] = S[indices, indices]
        return best.sum()

    changes = [chosen - {k} for k in chosen if len(chosen) > 1]
    changes += [chosen | {k} for k in range(len(X)) if k not in chosen]
    gain = max(max(total(change) for change in changes) - total(chosen), 0.0)
    assert_allclose(-model.certificate_.objective, total(chosen), rtol=1e-12)
    assert_allclose(model.certificate_.optimality, gain / abs(total(chosen)), atol=1e-12)


def test_memory_is_estimated_first(monkeypatch):
    monkeypatch.setattr(exemplars, "available_bytes", lambda: 100_000)
    with pytest.raises(MemoryError, match="The messages between 150 rows take"):
        AffinityPropagation().fit(drawn(0))


def test_function_is_the_class():
    X = drawn(9)
    S = -sklearn.metrics.pairwise_distances(X, metric="sqeuclidean")
    centers, labels, n_iter = affinity_propagation(
        S, random_state=0, damping=0.8, return_n_iter=True
    )
    model = AffinityPropagation(random_state=0, damping=0.8, affinity="precomputed").fit(S)
    assert_array_equal(centers, model.cluster_centers_indices_)
    assert_array_equal(labels, model.labels_)
    assert n_iter == model.n_iter_
