"""The local outlier factor, against its definition and scikit-learn's."""

import warnings

import numpy as np
import pytest
import sklearn.neighbors
from numpy.testing import assert_allclose, assert_array_equal

from gramian.neighbors import LocalOutlierFactor


def by_definition(X, k):
    distance = np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=2))
    np.fill_diagonal(distance, np.inf)
    near = np.argsort(distance, axis=1, kind="stable")[:, :k]
    to_near = np.take_along_axis(distance, near, axis=1)
    k_distance = to_near[:, -1]
    density = 1.0 / np.maximum(to_near, k_distance[near]).mean(axis=1)
    return density[near].mean(axis=1) / density


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_factors_are_those_of_the_definition(dtype):
    X = np.random.default_rng(0).normal(size=(200, 3)).astype(dtype)
    model = LocalOutlierFactor(n_neighbors=7).fit(X)
    expected = -by_definition(X.astype(np.float64), 7)
    assert model.negative_outlier_factor_.dtype == dtype
    assert_allclose(model.negative_outlier_factor_, expected, rtol=1e-6)


@pytest.mark.parametrize("settings", [{}, {"metric": "manhattan"}, {"contamination": 0.1}], ids=str)
@pytest.mark.parametrize("n_neighbors", [1, 20, 500])
def test_as_scikit_learn(settings, n_neighbors):
    rng = np.random.default_rng(1)
    X, new = rng.normal(size=(150, 4)), 2.0 * rng.normal(size=(40, 4))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of 500 neighbours
        for novelty in (False, True):
            params = {"n_neighbors": n_neighbors, "novelty": novelty, **settings}
            ours = LocalOutlierFactor(**params).fit(X)
            theirs = sklearn.neighbors.LocalOutlierFactor(**params).fit(X)
            assert_allclose(
                ours.negative_outlier_factor_, theirs.negative_outlier_factor_, rtol=1e-10
            )
            assert ours.offset_ == pytest.approx(theirs.offset_, rel=1e-10)
    assert_allclose(ours.score_samples(new), theirs.score_samples(new), rtol=1e-10)
    assert_array_equal(ours.predict(new), theirs.predict(new))


def test_each_kind_has_its_methods():
    X = np.arange(10.0)[:, None]
    for name in ("predict", "decision_function", "score_samples"):
        assert not hasattr(LocalOutlierFactor(), name)
        assert hasattr(LocalOutlierFactor(novelty=True), name)
    assert not hasattr(LocalOutlierFactor(novelty=True), "fit_predict")
    assert_array_equal(LocalOutlierFactor(n_neighbors=3).fit_predict(X), np.ones(10))


def test_warns_of_duplicates():
    X = np.concatenate([np.zeros(20), [1.0, 2.0, 3.0]])[:, None]
    with pytest.warns(UserWarning, match="Duplicate values"):
        LocalOutlierFactor(n_neighbors=5).fit(X)
