"""What models of neighbours take beside arrays: trees, metrics as objects, radii by row."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from gramian.metrics import DistanceMetric
from gramian.neighbors import BallTree, KDTree, KNeighborsClassifier, NearestNeighbors

RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 3))
NEW = RNG.normal(size=(20, 3))


@pytest.mark.parametrize("tree", [KDTree, BallTree])
def test_a_tree_stands_for_its_rows(tree):
    given = NearestNeighbors(n_neighbors=4).fit(tree(X))
    rows = NearestNeighbors(n_neighbors=4).fit(X)
    for mine, expected in zip(given.kneighbors(NEW), rows.kneighbors(NEW), strict=True):
        assert_array_equal(mine, expected)
    labels = (X[:, 0] > 0).astype(int)
    model = KNeighborsClassifier(p=1).fit(tree(X, metric="manhattan"), labels)
    assert_array_equal(model.predict(NEW), KNeighborsClassifier(p=1).fit(X, labels).predict(NEW))
    with pytest.raises(ValueError, match="'cityblock' distances"):
        NearestNeighbors().fit(tree(X, metric="manhattan"))


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("euclidean", {}),
        ("manhattan", {}),
        ("minkowski", {"p": 3}),
        ("seuclidean", {"V": [1, 2, 3]}),
    ],
)
def test_a_metric_may_be_an_object(name, params):
    given = {
        key: np.asarray(value, float) if key == "V" else value for key, value in params.items()
    }
    metric = DistanceMetric.get_metric(name, **given)
    other = dict(given)
    p = other.pop("p", 2)
    by_name = NearestNeighbors(n_neighbors=4, metric=name, p=p, metric_params=other).fit(X)
    by_object = NearestNeighbors(n_neighbors=4, metric=metric).fit(X)
    for mine, expected in zip(by_object.kneighbors(NEW), by_name.kneighbors(NEW), strict=True):
        assert_array_equal(mine, expected)


@pytest.mark.parametrize("algorithm", ["kd_tree", "brute"])
def test_each_row_may_have_its_own_radius(algorithm):
    search = NearestNeighbors(algorithm=algorithm).fit(X)
    radii = RNG.uniform(0.2, 2.0, len(NEW))
    found = search.radius_neighbors(NEW, radii, return_distance=False)
    for row, radius, index in zip(NEW, radii, found, strict=True):
        alone = search.radius_neighbors(row[None], radius, return_distance=False)[0]
        assert_array_equal(index, alone)
    with pytest.raises(ValueError, match="one for each of the 20 rows"):
        search.radius_neighbors(NEW, radii[:3])
