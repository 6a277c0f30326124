"""Trees asked directly, against loops over all pairs."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from gramian.metrics import DistanceMetric
from gramian.neighbors import BallTree, KDTree

RNG = np.random.default_rng(0)
SPREAD = RNG.normal(size=(3, 3))
METRICS = [
    (KDTree, "euclidean", {}),
    (KDTree, "manhattan", {}),
    (KDTree, "minkowski", {"p": 3}),
    (BallTree, "minkowski", {"p": 3, "w": np.array([1.0, 2.0, 0.5])}),
    (BallTree, "seuclidean", {"V": np.array([1.0, 2.0, 0.5])}),
    (BallTree, "mahalanobis", {"V": SPREAD @ SPREAD.T}),
    (BallTree, "canberra", {}),
    (BallTree, lambda x, y: float(np.abs(x - y).max()), {}),
]


def _named(value):
    return getattr(value, "__name__", str(value))


def rows(n=200, m=30):
    rng = np.random.default_rng(1)
    return rng.normal(size=(n, 3)), rng.normal(size=(m, 3))


@pytest.mark.parametrize(("kind", "metric", "params"), METRICS, ids=_named)
def test_as_over_all_pairs(kind, metric, params):
    X, new = rows()
    tree = kind(X, metric=metric, **params)
    all_pairs = DistanceMetric.get_metric(metric, **params).pairwise(new, X)
    distance, index = tree.query(new, k=5)
    expected = np.argsort(all_pairs, axis=1, kind="stable")[:, :5]
    assert_array_equal(index, expected)
    assert_allclose(distance, np.take_along_axis(all_pairs, expected, axis=1), rtol=1e-12)
    radius = np.linspace(0.5, 2.0, len(new))
    counts = tree.query_radius(new, radius, count_only=True)
    assert_array_equal(counts, (all_pairs <= radius[:, None]).sum(axis=1))
    found, apart = tree.query_radius(new, 1.0, return_distance=True, sort_results=True)
    for i, (places, values) in enumerate(zip(found, apart, strict=True)):
        assert_array_equal(np.sort(places), np.flatnonzero(all_pairs[i] <= 1.0))
        assert (np.diff(values) >= 0).all()
    radii = np.array([[2.0, 0.3], [0.0, 50.0]])
    pairs = tree.two_point_correlation(new, radii)
    assert_array_equal(pairs, (all_pairs[..., None, None] <= radii).sum(axis=(0, 1)))


def test_pickles_and_answers_as_before():
    X, new = rows()
    tree = KDTree(X, sample_weight=np.arange(len(X)))
    copy = pickle.loads(pickle.dumps(tree))
    assert_array_equal(tree.query(new, 3)[1], copy.query(new, 3)[1])
    assert_array_equal(tree.kernel_density(new, 0.5), copy.kernel_density(new, 0.5))
    assert copy.sum_weight == np.arange(len(X)).sum()


def test_the_order_of_the_leaves_holds_each_row_once():
    X, _ = rows()
    data, order, splits, boxes = KDTree(X).get_arrays()
    assert_array_equal(data, X)
    assert_array_equal(np.sort(order), np.arange(len(X)))
    assert boxes.shape == (2, 2 * len(splits) + 1, 3)
    assert_array_equal(boxes[:, 0], [X.min(axis=0), X.max(axis=0)])


def test_refuses_what_it_cannot_do():
    X, new = rows()
    with pytest.raises(ValueError, match="haversine is not valid for KDTree"):
        KDTree(X, metric="haversine")
    with pytest.raises(ValueError, match="k must be less than or equal"):
        KDTree(X).query(new, k=201)
    with pytest.raises(ValueError, match="must match training data dimension"):
        KDTree(X).query(new[:, :2])
    with pytest.raises(ValueError, match="r must be broadcastable"):
        KDTree(X).query_radius(new, [1.0, 2.0])
    with pytest.raises(ValueError, match="leaf_size"):
        KDTree(X, leaf_size=0)
    with pytest.raises(ValueError, match="sample_weight"):
        KDTree(X, sample_weight=[1.0])
    with pytest.raises(TypeError, match="takes no argument 'q'"):
        DistanceMetric.get_metric("minkowski", q=2)
    with pytest.raises(ValueError, match="Unrecognized metric 'far'"):
        DistanceMetric.get_metric("far")
