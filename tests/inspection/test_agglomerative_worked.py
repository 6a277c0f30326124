"""The worked merges of a hierarchical clustering."""

import numpy as np
import pytest

from gramian.cluster import AgglomerativeClustering
from gramian.inspection import worked

X = [[0.0], [1.0], [3.0], [10.0], [12.0]]


@pytest.mark.parametrize(
    ("linkage", "heights"),
    [
        ("single", [1.0, 2.0, 2.0, 7.0]),
        ("complete", [1.0, 2.0, 3.0, 12.0]),
        ("average", [1.0, 2.0, 2.5, 29.0 / 3.0]),
        ("ward", [1.0, 2.0, np.sqrt(25.0 / 3.0), np.sqrt(12.0 / 5.0) * 29.0 / 3.0]),
    ],
)
def test_the_merges_by_hand(linkage, heights):
    model = AgglomerativeClustering(linkage=linkage).fit(X)
    steps = worked(model, X, None)
    np.testing.assert_allclose(steps[1].values["h"], heights)
    assert [row[4] for row in steps[1].table.rows][-1] == 5
    assert "2 clusters" in str(steps)


def test_what_cannot_be_worked_out():
    model = AgglomerativeClustering().fit(X)
    with pytest.raises(ValueError, match="5 training rows"):
        worked(model, X[:3], None)
    with pytest.raises(ValueError, match="no query"):
        worked(model, X, None, query=[1.0])
