"""The diagnosis of k-means and DBSCAN."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from gramian.cluster import DBSCAN, HDBSCAN, AgglomerativeClustering, KMeans
from gramian.datasets import make_blobs, make_moons
from gramian.inspection import diagnose
from gramian.inspection._diagnosis.dbscan import _knee

BLOBS, _ = make_blobs(600, centers=4, random_state=2)
MOONS, _ = make_moons(400, noise=0.06, random_state=0)


def test_the_right_number_of_clusters_raises_no_alarm():
    found = diagnose(KMeans(4, n_init=5, random_state=0).fit(BLOBS), BLOBS, None)
    assert found.ok
    codes = ["scale", "convergence", "start", "number of clusters", "stability"]
    assert [finding.code for finding in found] == codes


def test_too_many_clusters_and_no_clusters():
    found = diagnose(KMeans(6, n_init=5, random_state=0).fit(BLOBS), BLOBS, None)
    assert found["number of clusters"].verdict != "ok"
    assert "n_clusters=4" in found["number of clusters"].remedy
    noise = np.random.default_rng(0).normal(size=(600, 4))
    found = diagnose(KMeans(5, random_state=0).fit(noise), noise, None)
    assert found["stability"].verdict == "problem"


def test_a_bad_start_and_steps_that_were_cut_short():
    X = np.repeat([[0.0, 0.0], [0.0, 10.0], [30.0, 0.0], [30.0, 10.0]], 20, axis=0)
    X += np.random.default_rng(0).normal(size=X.shape)
    start = [[0.0, 4.0], [0.0, 6.0], [30.0, 5.0], [15.0, 500.0]]
    model = KMeans(4, init=[[-2.0, 0.0], [2.0, 0.0], [0.0, 10.0], [30.0, 5.0]]).fit(X)
    assert diagnose(model, X, None)["start"].verdict == "problem"
    model = KMeans(4, init=start, max_iter=1).fit(X)
    assert diagnose(model, X, None)["convergence"].verdict == "warning"


def test_scales_of_columns():
    X = BLOBS * [1.0, 1000.0]
    for model in (KMeans(4, random_state=0), DBSCAN(0.5)):
        finding = diagnose(model.fit(X), X, None)["scale"]
        assert finding.verdict == "problem" and "'x1' has the largest" in finding.explanation
    X = csr_matrix(np.abs(BLOBS))
    assert diagnose(KMeans(4, random_state=0).fit(X), X, None)["scale"].verdict == "not applicable"


def test_eps_against_the_knee():
    good = diagnose(DBSCAN(0.15).fit(MOONS), MOONS, None)
    assert good.ok and good["stability"].statistic > 0.95
    small = diagnose(DBSCAN(0.03).fit(MOONS), MOONS, None)
    assert small["noise"].verdict == "problem" and small["eps"].verdict != "ok"
    large = diagnose(DBSCAN(0.4).fit(MOONS), MOONS, None)
    assert large["eps"].verdict == "problem" and "1 cluster and" in large["eps"].explanation
    assert large["noise"].verdict == "warning"


def test_the_knee_by_hand():
    assert _knee(np.array([1.0, 1.0, 1.0, 1.5, 6.0])) == 1.5  # chord 1, 2.25, 3.5, 4.75, 6
    assert _knee(np.append(np.linspace(1.0, 2.0, 199), 1e6)) < 2.1


def test_other_metrics_distances_and_few_rows():
    apart = np.abs(MOONS[:, None] - MOONS).max(axis=2)
    by_distance = diagnose(DBSCAN(0.12, metric="precomputed").fit(apart), apart, None)
    by_metric = diagnose(DBSCAN(0.12, metric="chebyshev").fit(MOONS), MOONS, None)
    for code in ("eps", "noise", "stability"):
        assert by_distance[code].statistic == by_metric[code].statistic
    X = [[0.0], [1.0], [5.0]]
    assert diagnose(DBSCAN(1.0, min_samples=1).fit(X), X, None)["eps"].verdict == "not applicable"
    assert diagnose(KMeans(1).fit(X), X, None)["stability"].verdict == "not applicable"
    assert len(diagnose(KMeans(2).fit(X), X, None)) == 5


def test_what_is_refused():
    for model in (KMeans(2), DBSCAN()):
        with pytest.raises(ValueError, match="without sample_weight"):
            diagnose(model.fit(MOONS), MOONS, None, sample_weight=np.ones(400))
    with pytest.raises(ValueError, match="400 training rows"):
        diagnose(DBSCAN().fit(MOONS), MOONS[:9], None)


def test_the_cut_of_a_tree_of_clusters():
    X, _ = make_blobs(600, centers=4, cluster_std=0.6, random_state=3)
    found = diagnose(AgglomerativeClustering(4).fit(X), X)
    assert found.ok
    assert [finding.code for finding in found] == ["scale", "number of clusters", "stability"]
    found = diagnose(AgglomerativeClustering(6).fit(X), X)
    assert found["number of clusters"].verdict != "ok"
    assert "cut(4)" in found["number of clusters"].remedy
    noise = np.random.default_rng(0).normal(size=(300, 4))
    found = diagnose(AgglomerativeClustering(5).fit(noise), noise)
    assert found["stability"].verdict == "problem"
    D = np.abs(BLOBS[:, :1] - BLOBS[:, 0])
    given = AgglomerativeClustering(3, metric="precomputed", linkage="average").fit(D)
    assert {finding.verdict for finding in diagnose(given, D)} == {"not applicable"}


def test_noise_and_stability_of_hdbscan():
    found = diagnose(HDBSCAN(min_cluster_size=20).fit(BLOBS), BLOBS)
    assert [finding.code for finding in found] == ["scale", "noise", "stability"]
    assert found.ok and found["stability"].statistic > 0.9
    noise = np.random.default_rng(0).uniform(size=(500, 3))
    found = diagnose(HDBSCAN(min_cluster_size=5).fit(noise), noise)
    assert found["stability"].verdict == "problem"
    with pytest.raises(ValueError, match="500 training rows of HDBSCAN"):
        diagnose(HDBSCAN().fit(noise), noise[:100])
