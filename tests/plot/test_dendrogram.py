"""The picture of a tree of merges."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.cluster import hierarchy

from gramian.cluster import AgglomerativeClustering, FeatureAgglomeration, KMeans, linkage
from gramian.datasets import make_blobs
from gramian.plot import DendrogramDisplay, dendrogram

pytestmark = pytest.mark.usefixtures("pyplot")
X, _ = make_blobs(3000, centers=4, random_state=2)


def _links(display):
    return [line for line in display.ax_.lines if len(line.get_xdata()) == 4]


def test_the_links_are_those_of_scipy():
    Z = linkage(X[:30], "average")
    display = dendrogram(Z)
    expected = hierarchy.dendrogram(Z, no_plot=True)
    assert [int(t.get_text()) for t in display.ax_.get_xticklabels()] == expected["leaves"]
    drawn = sorted(tuple(line.get_ydata()) for line in _links(display))
    assert_allclose(drawn, sorted(map(tuple, expected["dcoord"])))
    # SciPy's leaves are ten apart and start at five.
    across = sorted(tuple(line.get_xdata()) for line in _links(display))
    assert_allclose(across, (np.array(sorted(map(tuple, expected["icoord"]))) - 5.0) / 10.0)


def test_a_long_table_is_folded(tmp_path):
    model = AgglomerativeClustering(4).fit(X)
    display = dendrogram(model, max_leaves=25)
    labels = [t.get_text() for t in display.ax_.get_xticklabels()]
    assert len(labels) == 25 and len(_links(display)) == 24
    sizes = [int(t[1:-1].replace(",", "")) if t.startswith("(") else 1 for t in labels]
    assert sum(sizes) == 3000
    assert len(display.ax_.patches) == sum(t.startswith("(") for t in labels)
    frame = display.frame()
    assert frame["leaves"].iloc[-1] == 3000 and len(frame) == 24
    display.figure_.savefig(tmp_path / "dendrogram.png")


def test_clusters_have_colours_and_the_cut_parts_them():
    model = AgglomerativeClustering(3).fit(X[:200])
    display = dendrogram(model)
    colours = {line.get_color() for line in _links(display)}
    assert len(colours) == 4  # three clusters, and what is above the cut
    (cut,) = (line for line in display.ax_.lines if len(line.get_xdata()) == 2)
    height = cut.get_ydata()[0]
    assert model.cut(height=height).max() + 1 == 3
    grey = [line for line in _links(display) if max(line.get_ydata()) > height]
    assert len(grey) == 2 and len({line.get_color() for line in grey}) == 1


def test_every_row_a_cluster_and_one_cluster():
    Z = linkage([[0.0], [1.0], [5.0]])
    for n_clusters in (1, 2, 3):
        assert len(_links(dendrogram(Z, n_clusters=n_clusters))) == 2
    assert len(dendrogram(Z, max_leaves=2, n_clusters=3).frame()) == 1


def test_heights_that_fall_have_no_cut():
    triangle = [[0.0, 0.0], [1.0, 0.0], [0.5, 0.9]]  # the third is nearer to the middle, 0.9 < 1
    Z = linkage(triangle, "centroid")
    assert_allclose(Z[:, 2], [1.0, 0.9])
    assert len(dendrogram(Z, n_clusters=2).ax_.lines) == 2


def test_names():
    display = dendrogram(linkage([[0.0], [1.0], [5.0]]), names=["a", "b", "c"])
    assert [t.get_text() for t in display.ax_.get_xticklabels()] == ["c", "a", "b"]
    columns = FeatureAgglomeration().fit(X[:20])
    assert {t.get_text() for t in dendrogram(columns).ax_.get_xticklabels()} == {"x0", "x1"}


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(ValueError, match="KMeans has none"):
        dendrogram(KMeans(2).fit(X))
    with pytest.raises(ValueError, match="one row for each merge"):
        dendrogram(X)
    with pytest.raises(ValueError, match="merged more than once"):
        DendrogramDisplay([[0, 1, 1.0, 2], [0, 2, 2.0, 3]])
    with pytest.raises(ValueError, match="nodes from 0"):
        DendrogramDisplay([[0, 7, 1.0, 2], [1, 2, 2.0, 3]])
    Z = linkage([[0.0], [1.0], [5.0]])
    with pytest.raises(ValueError, match="max_leaves must be a whole number of 2"):
        dendrogram(Z, max_leaves=1)
    with pytest.raises(ValueError, match="n_clusters must be a whole number from 1 to 3"):
        dendrogram(Z, n_clusters=4)
    with pytest.raises(ValueError, match="2 entries, and the tree has 3"):
        dendrogram(Z, names=["a", "b"])
    graph = np.eye(200, k=1) + np.eye(200, k=-1)
    model = AgglomerativeClustering(3, connectivity=graph, compute_full_tree=False)
    with pytest.raises(ValueError, match="compute_full_tree=True"):
        dendrogram(model.fit(X[:200]))
