"""How many clusters: criteria by their definitions, and verdicts on blobs whose number is known."""

import matplotlib as mpl
import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import silhouette_score

from gramian.cluster import DBSCAN, AgglomerativeClustering, KMeans, choose_k
from gramian.datasets import make_blobs

mpl.use("Agg")

CENTRES = [[0.0, 0.0], [9.0, 0.0], [0.0, 9.0], [9.0, 9.0]]
METHODS = ["silhouette", "gap", "elbow", "stability"]


def blobs(seed=0, n_rows=160, **how):
    return make_blobs(n_rows, centers=CENTRES, random_state=seed, **how)[0]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("estimator", [None, AgglomerativeClustering()])
def test_the_number_of_clear_blobs(method, estimator):
    X = blobs()
    resamples = None if method == "silhouette" else 8
    choice = choose_k(X, estimator, range(2, 8), method=method, n_resamples=resamples)
    assert choice.best == 4
    assert_array_equal(choice.ks, np.arange(2, 8))
    assert choice.plausible[2]
    assert choice.model.n_clusters == 4 and len(np.unique(choice.model.labels_)) == 4
    assert str(choice).count("\n") == 7
    if method != "stability":  # two halves of a square are about as stable
        assert choice.plausible.sum() == 1 and "4 clusters, clearly" in str(choice)


def test_silhouettes_are_those_of_the_model():
    X = blobs(cluster_std=3.0)
    model = KMeans(random_state=0)
    choice = choose_k(X, model, [5, 3, 4])
    for k, value in zip(choice.ks, choice.criterion, strict=True):
        labels = KMeans(int(k), random_state=0).fit_predict(X)
        assert_allclose(value, silhouette_score(X, labels), rtol=1e-9)
    assert_array_equal(choice.ks, [3, 4, 5])
    assert "n_clusters" not in str(model)  # the template stays as it was


def test_shares_of_scatter_are_those_of_inertia():
    X = blobs(1)
    choice = choose_k(X, KMeans(n_init=5, random_state=0), range(1, 8), method="elbow")
    assert choice.best == 4
    assert_allclose(choice.criterion[0], 1.0)
    for k, value in zip(choice.ks, choice.criterion, strict=True):
        inertia = KMeans(int(k), n_init=5, random_state=0).fit(X).inertia_
        assert_allclose(value, inertia / ((X - X.mean(axis=0)) ** 2).sum(), rtol=1e-9)


def test_gap_by_its_definition():
    X = blobs(2, 60)
    choice = choose_k(X, AgglomerativeClustering(), [1, 2, 3], method="gap", n_resamples=4)
    rng = np.random.RandomState(0)
    logs = []
    for _ in range(4):
        even = rng.uniform(X.min(axis=0), X.max(axis=0), size=X.shape)
        logs.append([np.log(scatter(even, k)) for k in (1, 2, 3)])
    expected = np.mean(logs, axis=0) - [np.log(scatter(X, k)) for k in (1, 2, 3)]
    assert_allclose(choice.criterion, expected, rtol=1e-9)
    assert_allclose(choice.error, np.std(logs, axis=0) * np.sqrt(1.25), rtol=1e-9)


def scatter(X, k):
    labels = AgglomerativeClustering(k).fit_predict(X)
    return sum(((X[labels == c] - X[labels == c].mean(axis=0)) ** 2).sum() for c in range(k))


def test_one_cluster_by_the_gap():
    X = np.random.default_rng(0).uniform(size=(200, 2))
    assert choose_k(X, ks=range(1, 6), method="gap", n_resamples=10).best == 1


def test_numbers_that_are_not_told_apart():
    X = np.random.default_rng(1).normal(size=(150, 4))
    choice = choose_k(X, ks=range(2, 7), method="stability", n_resamples=10)
    assert choice.plausible.sum() > 1
    assert "does not tell them from" in choice.verdict() and "  ~" in str(choice)
    again = choose_k(X, ks=range(2, 7), method="stability", n_resamples=10)
    assert_array_equal(again.criterion, choice.criterion)


def test_sparse_rows_have_silhouettes():
    X = blobs(3)
    dense, sparse = (choose_k(rows, ks=[3, 4]) for rows in (X, sp.csr_array(X)))
    assert_allclose(sparse.criterion, dense.criterion, rtol=1e-6)


def test_plot():
    choice = choose_k(blobs(), ks=range(2, 6))
    axes = choice.plot()
    assert axes.get_xlabel() == "number of clusters" and axes.get_ylabel() == "mean silhouette"
    assert_allclose(axes.lines[0].get_ydata(), choice.criterion)
    assert choice.plot(axes) is axes


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"ks": []}, r"ks must be numbers of clusters from 2 to 159"),
        ({"ks": [1, 2]}, r"from 2 to 159.*Got \[1, 2\]"),
        ({"ks": [160]}, r"from 2 to 159"),
        ({"ks": [2.5]}, r"Got \[2\.5\]"),
        ({"method": "aic"}, "method"),
        ({"method": "elbow", "ks": [2, 3]}, "An elbow needs three numbers of clusters; ks has 2"),
        ({"n_resamples": 5}, "draws no resamples"),
        ({"estimator": DBSCAN()}, "parameter n_clusters. Got DBSCAN"),
    ],
)
def test_errors(arguments, message):
    with pytest.raises(ValueError, match=message):
        choose_k(blobs(), **arguments)
