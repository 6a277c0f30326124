"""Nearest centres, against scikit-learn's and against what they are by definition."""

import warnings

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn import neighbors as oracle

from gramian.datasets import load_iris
from gramian.neighbors import NearestCentroid

SETTINGS = [
    {"metric": metric, "shrink_threshold": threshold, "priors": priors}
    for metric in ("euclidean", "manhattan")
    for threshold in (None, 0.7)
    for priors in ("uniform", "empirical", [0.5, 0.3, 0.2])
]
FITTED = ("centroids_", "deviations_", "within_class_std_dev_", "class_prior_")


def _rows(seed: int = 0):
    rng = np.random.default_rng(seed)
    y = rng.choice(["ash", "birch", "cedar"], size=90, p=[0.5, 0.3, 0.2])
    X = rng.standard_normal((90, 5)) * [1.0, 2.0, 0.5, 1.0, 3.0] + (y == "birch")[:, None]
    X[rng.random(X.shape) < 0.4] = 0.0
    return X, y


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("container", [np.asarray, csr_array])
def test_equals_the_oracle(settings, container):
    X, y = _rows()
    ours = NearestCentroid(**settings).fit(container(X), y)
    theirs = oracle.NearestCentroid(**settings).fit(X, y)
    for name in FITTED:
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), atol=1e-12)
    np.testing.assert_array_equal(ours.predict(container(X)), theirs.predict(X))
    assert hasattr(ours, "predict_proba") == hasattr(theirs, "predict_proba")
    if settings["metric"] == "euclidean":
        for method in ("decision_function", "predict_proba", "predict_log_proba"):
            expected = getattr(theirs, method)(X)
            np.testing.assert_allclose(getattr(ours, method)(container(X)), expected, rtol=1e-9)


def test_two_classes_have_one_score():
    X, y = load_iris(return_X_y=True)
    X, y = np.asarray(X)[:100], np.asarray(y)[:100]
    model = NearestCentroid(priors="empirical").fit(X, y)
    assert model.decision_function(X).shape == (100,)
    np.testing.assert_array_equal(model.decision_function(X) > 0, model.predict(X) == 1)


def test_medians_of_stored_and_absent_numbers():
    rng = np.random.default_rng(1)
    X = np.round(rng.standard_normal((61, 40))) * (rng.random((61, 40)) < 0.5)
    y = np.arange(61) % 2
    medians = [np.median(X[y == k], axis=0) for k in (0, 1)]
    for container in (np.asarray, csr_array):
        model = NearestCentroid(metric="manhattan").fit(container(X), y)
        np.testing.assert_array_equal(model.centroids_, medians)


def test_columns_without_spread_are_kept_when_centres_shrink():
    X = np.array([[0.0, 1.0], [0.0, 1.0], [1.0, 1.0], [1.0, 1.0]])
    with pytest.warns(UserWarning, match="zero standard deviation"):
        model = NearestCentroid(shrink_threshold=0.5).fit(X, [0, 0, 1, 1])
    np.testing.assert_array_equal(model.centroids_, [[0.0, 1.0], [1.0, 1.0]])
    np.testing.assert_array_equal(model.deviations_, [[-np.inf, 0.0], [np.inf, 0.0]])
    assert model.predict([[0.2, 1.0]]) == [0]


def test_refusals():
    X, y = _rows()
    with pytest.raises(ValueError, match=r"one number for each of the 3 classes.*\(2,\)"):
        NearestCentroid(priors=[0.5, 0.5]).fit(X, y)
    with pytest.raises(ValueError, match="non-negative"):
        NearestCentroid(priors=[1.5, -0.5, 0.0]).fit(X, y)
    with pytest.raises(ValueError, match="greater than one; got 1 class"):
        NearestCentroid().fit(X, np.zeros(len(X), dtype=int))
    with pytest.raises(ValueError, match="zero variance"):
        NearestCentroid().fit(np.ones((4, 2)), [0, 0, 1, 1])
    with pytest.warns(UserWarning, match="do not sum to 1"):
        model = NearestCentroid(priors=[2.0, 1.0, 1.0]).fit(X, y)
    np.testing.assert_allclose(model.class_prior_, [0.5, 0.25, 0.25])


def test_one_row_for_each_class():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = NearestCentroid(shrink_threshold=0.1).fit([[0.0], [1.0]], [0, 1])
    assert model.predict([[0.1], [0.9]]).tolist() == [0, 1]
