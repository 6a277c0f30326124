"""Scores of clusterings give scikit-learn's numbers, errors and warnings."""

import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn.metrics
import sklearn.metrics.cluster
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import gramian
from gramian import metrics
from gramian.exceptions import InvalidParameterError
from gramian.metrics import cluster

SCORES = [
    "adjusted_mutual_info_score",
    "adjusted_rand_score",
    "completeness_score",
    "fowlkes_mallows_score",
    "homogeneity_score",
    "mutual_info_score",
    "normalized_mutual_info_score",
    "rand_score",
    "v_measure_score",
]
PAIRS = [*SCORES, "homogeneity_completeness_v_measure", "pair_confusion_matrix"]
SYMMETRIC = [name for name in SCORES if name not in ("completeness_score", "homogeneity_score")]
AVERAGES = ["min", "geometric", "arithmetic", "max"]


def draw(seed, n, n_classes, n_clusters):
    rng = np.random.default_rng(seed)
    true = rng.integers(0, n_classes, n)
    pred = np.where(rng.random(n) < 0.5, true, rng.integers(0, n_clusters, n))
    return true, pred


def both(name):
    return getattr(cluster, name), getattr(sklearn.metrics.cluster, name)


def assert_same(name, *args, atol=1e-12, **options):
    ours, theirs = (function(*args, **options) for function in both(name))
    assert type(ours) is type(theirs)
    np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=atol)


# -- against known classes -------------------------------------------------------------------------


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize(
    ("n", "n_classes", "n_clusters"),
    [(1, 1, 1), (2, 2, 2), (30, 1, 4), (30, 4, 1), (30, 30, 30), (200, 5, 9), (5000, 40, 60)],
)
def test_scores(name, n, n_classes, n_clusters, global_random_seed):
    true, pred = draw(global_random_seed, n, n_classes, n_clusters)
    for other in (pred, true, np.arange(n)):
        assert_same(name, true, other, atol=1e-10)


@pytest.mark.parametrize("name", PAIRS)
def test_labels_of_any_type(name):
    true, pred = draw(3, 100, 4, 6)
    letters = np.array(list("abcdefgh"))
    expected = both(name)[1](true, pred)
    function = getattr(metrics, name)
    for convert in (
        lambda y: letters[y],
        lambda y: letters[y].astype(object),
        lambda y: y.tolist(),
        lambda y: y * 10**12 - 5,
        lambda y: y.astype(np.uint8),
        lambda y: y.astype(np.float64) - 2.0,
        lambda y: y.astype(object),
        lambda y: pd.Series(letters[y], dtype="category"),
        lambda y: pl.Series(y),
    ):
        np.testing.assert_allclose(function(convert(true), convert(pred)), expected, rtol=1e-12)


@pytest.mark.parametrize("name", [*PAIRS, "contingency_matrix"])
def test_no_rows(name):
    if name == "mutual_info_score":
        for function in both(name):
            with pytest.raises(ValueError, match=r"row|domain"):
                function([], [])
    else:
        assert_same(name, [], [])


@pytest.mark.parametrize("average", AVERAGES)
def test_means_of_entropies(average):
    true, pred = draw(4, 300, 5, 20)
    for name in ("adjusted_mutual_info_score", "normalized_mutual_info_score"):
        assert_same(name, true, pred, average_method=average)


@pytest.mark.parametrize("beta", [0.0, 0.3, 1, 4.0])
def test_beta(beta):
    true, pred = draw(5, 100, 3, 7)
    for name in ("v_measure_score", "homogeneity_completeness_v_measure"):
        assert_same(name, true, pred, beta=beta)


@pytest.mark.parametrize("eps", [None, 0.5, 1])
@pytest.mark.parametrize("dtype", [np.int64, np.float32, np.int32])
def test_contingency_matrix(eps, dtype):
    true, pred = draw(6, 50, 3, 8)
    ours, theirs = (f(true, pred, eps=eps, dtype=dtype) for f in both("contingency_matrix"))
    assert ours.dtype == theirs.dtype
    np.testing.assert_array_equal(ours, theirs)


def test_sparse_contingency_matrix():
    true, pred = draw(7, 50, 6, 30)
    ours, theirs = (f(true, pred, sparse=True) for f in both("contingency_matrix"))
    assert sparse.issparse(ours)
    assert (ours.format, ours.dtype, ours.nnz) == (theirs.format, theirs.dtype, theirs.nnz)
    np.testing.assert_array_equal(ours.toarray(), theirs.toarray())
    with pytest.raises(ValueError, match="eps"):
        cluster.contingency_matrix(true, pred, eps=0.1, sparse=True)


def test_information_of_a_contingency_matrix():
    true, pred = draw(8, 400, 6, 9)
    table = cluster.contingency_matrix(true, pred)
    expected = sklearn.metrics.mutual_info_score(true, pred)
    stored_twice = sparse.coo_array((np.ones(400, dtype=np.int64), (true, pred)), shape=table.shape)
    for contingency in (
        table,
        table.tolist(),
        sparse.csr_array(table),
        sparse.csc_matrix(table),
        stored_twice,
    ):
        found = cluster.mutual_info_score(None, None, contingency=contingency)
        assert found == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize(("n", "k"), [(10, 2), (300, 7), (2000, 90), (20000, 5)])
def test_expected_information(n, k):
    true, pred = draw(9, n, k, 2 * k)
    table = cluster.contingency_matrix(true, pred)
    theirs = sklearn.metrics.cluster.expected_mutual_information(table, n)
    # scikit-learn subtracts logarithms of factorials, of size n log n.
    ours = cluster.expected_mutual_information(table, n)
    assert ours == pytest.approx(theirs, rel=1e-15 * n * math.log(n), abs=1e-13)
    assert cluster.expected_mutual_information(sparse.csr_array(table), n) == ours


def test_expected_information_by_enumeration():
    # Of two rows in each class and cluster, j of the first class are in the first cluster with
    # chance C(2, j)^2 / 6; the clusterings then share log 2 for j = 0 and 2, and nothing for j = 1.
    found = cluster.expected_mutual_information(np.array([[1, 1], [1, 1]]), 4)
    assert found == pytest.approx(math.log(2.0) / 3.0, rel=1e-14)


def test_expected_information_of_huge_clusters():
    # The mean of n I is (r - 1) (c - 1) / 2 in the limit.
    n = 4 * 10**9
    table = np.full((2, 2), n // 4)
    assert 2 * n * cluster.expected_mutual_information(table, n) == pytest.approx(1.0, abs=1e-4)


def test_expected_information_is_the_same_for_any_number_of_threads():
    true, pred = draw(10, 20000, 300, 400)
    table = cluster.contingency_matrix(true, pred)
    found = set()
    for n_threads in (1, 2, 5):
        with gramian.config(n_threads=n_threads):
            found.add(cluster.expected_mutual_information(table, 20000))
    assert len(found) == 1


def test_wrong_n_samples():
    with pytest.raises(ValueError, match="n_samples=3"):
        cluster.expected_mutual_information(np.array([[4, 0], [0, 4]]), 3)


def test_counts_of_pairs_do_not_overflow():
    # (tp + fn) (fn + tn) is about 2e20 here, beyond 64 bits.
    true = np.repeat([0, 1], 100_000)
    pred = np.tile([0, 1], 100_000)
    assert metrics.adjusted_rand_score(true, pred) == pytest.approx(-1 / 199_998, rel=1e-3)
    assert metrics.pair_confusion_matrix(true, pred).dtype == np.int64
    assert_same("rand_score", true, pred)


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=30),
    st.permutations(range(5)),
)
def test_properties(pairs, names):
    true, pred = np.array(pairs).T
    renamed = np.array(names)[pred]
    for name in SCORES:
        score = getattr(metrics, name)
        value = score(true, pred)
        assert score(true, renamed) == pytest.approx(value, abs=1e-12)
        if name in SYMMETRIC:
            assert score(pred, true) == pytest.approx(value, abs=1e-12)
    assert metrics.pair_confusion_matrix(true, pred).sum() == len(true) * (len(true) - 1)


@pytest.mark.parametrize("name", PAIRS)
def test_wrong_labels(name):
    function = getattr(metrics, name)
    with pytest.raises(ValueError, match=r"inconsistent numbers of samples: \[2, 3\]"):
        function([0, 1], [1, 1, 1])
    with pytest.raises(ValueError, match=r"labels_true must be 1D: shape is \(2"):
        function([[0, 1], [1, 0]], [1, 1])
    with pytest.raises(ValueError, match="NaN"):
        function([0.0, np.nan], [1, 1])
    with pytest.raises(TypeError, match="text"):
        function(np.array(["a", 1], dtype=object), [1, 1])
    with pytest.raises(InvalidParameterError, match=f"labels_true.* of {name}"):
        function("ab", [1, 1])
    with pytest.warns(UserWarning, match="discrete values but received continuous") as caught:
        function([0.5, 1.0], [1, 1])
    assert caught[0].filename == __file__


def test_wrong_arguments():
    with pytest.raises(InvalidParameterError, match="average_method"):
        metrics.normalized_mutual_info_score([0, 1], [0, 1], average_method="mean")
    with pytest.raises(InvalidParameterError, match="beta"):
        metrics.v_measure_score([0, 1], [0, 1], beta=-1.0)
    with pytest.raises(InvalidParameterError, match="eps"):
        cluster.contingency_matrix([0, 1], [0, 1], eps="a")


def test_entropy_is_deprecated():
    for labels in ([], [4, 4], ["a", "b", "b"]):
        values = []
        for function in both("entropy"):
            with pytest.warns(FutureWarning, match="deprecated"):
                values.append(function(labels))
        assert values[0] == pytest.approx(values[1], rel=1e-14)


@pytest.mark.parametrize("name", SCORES)
def test_scorers(name):
    class Clusterer:
        def fit(self, X, y=None):
            return self

        def predict(self, X):
            return np.asarray(X)[:, 0].astype(int)

    true, pred = draw(12, 60, 3, 4)
    score = metrics.get_scorer(name)(Clusterer(), pred.reshape(-1, 1), true)
    assert score == getattr(metrics, name)(true, pred)
    assert name in metrics.get_scorer_names()


# -- by shape --------------------------------------------------------------------------------------


def clusters(seed, n=200, p=3, n_clusters=4):
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % n_clusters
    return rng.standard_normal((n, p)) + 3.0 * rng.standard_normal((n_clusters, p))[labels], labels


@pytest.mark.parametrize("name", ["calinski_harabasz_score", "davies_bouldin_score"])
@pytest.mark.parametrize(("n", "p", "n_clusters"), [(20, 1, 2), (200, 3, 4), (5000, 80, 30)])
def test_dispersion(name, n, p, n_clusters, global_random_seed):
    X, labels = clusters(global_random_seed, n, p, n_clusters)
    ours, theirs = both(name)
    expected = theirs(X, labels)
    names = np.array([f"c{k}" for k in range(n_clusters)])[labels]
    for found in (
        ours(X, labels),
        ours(pd.DataFrame(X), names),
        ours(pl.DataFrame(X), pl.Series(labels * 7 - 3)),
        ours(np.asfortranarray(X), labels.tolist()),
        ours(X, labels.astype(float)),
    ):
        assert type(found) is float
        assert found == pytest.approx(expected, rel=1e-10)
    assert ours(X.astype(np.float32), labels) == pytest.approx(expected, rel=1e-4)


def test_degenerate_dispersion():
    for name in ("calinski_harabasz_score", "davies_bouldin_score"):
        ours, theirs = both(name)
        for X, labels in (
            (np.ones((10, 2)), [0] * 5 + [1] * 5),
            ([[-1, -1], [1, 1]] * 10, [0] * 10 + [1] * 10),
            ([[0, 0], [1, 1]] * 5 + [[3, 3], [4, 4]] * 5, [0, 1] * 5 + [2, 3] * 5),
        ):
            assert ours(X, labels) == pytest.approx(theirs(X, labels), rel=1e-10)
        for labels in ([0] * 10, np.arange(10)):
            with pytest.raises(ValueError, match="Number of labels is"):
                ours(np.eye(10), labels)
        with pytest.raises(ValueError, match="NaN"):
            ours([[0.0], [np.nan], [1.0]], [0, 0, 1])
        with pytest.raises(InvalidParameterError, match="X"):
            ours(sparse.eye_array(3), [0, 0, 1])


def test_a_cluster_of_one_row_has_no_spread():
    # |c_0 - c_1| = 9, spreads 1 and 0.
    assert metrics.davies_bouldin_score([[0.0], [2.0], [10.0]], [0, 0, 1]) == 1.0 / 9.0


# -- biclusters ------------------------------------------------------------------------------------


def test_consensus(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    a, b = ((rng.random((n, 12)) < 0.5, rng.random((n, 8)) < 0.6) for n in (4, 6))
    for similarity in ("jaccard", lambda r, c, s, d: float((r & s).sum() + (c & d).sum())):
        ours, theirs = (
            function(a, b, similarity=similarity) for function in both("consensus_score")
        )
        assert type(ours) is float
        assert ours == pytest.approx(theirs, rel=1e-12)
    lists = tuple(tuple(part.astype(int).tolist() for part in sets) for sets in (a, b))
    assert metrics.consensus_score(*lists) == pytest.approx(sklearn.metrics.consensus_score(a, b))
    assert metrics.consensus_score(a, a) == 1.0


def test_wrong_biclusters():
    rows, columns = [[True, False]], [[True, True]]
    with pytest.raises(InvalidParameterError, match="'a'"):
        metrics.consensus_score([rows, columns], (rows, columns))
    with pytest.raises(InvalidParameterError, match="similarity"):
        metrics.consensus_score((rows, columns), (rows, columns), similarity="dice")
    with pytest.raises(ValueError, match="inconsistent"):
        metrics.consensus_score((rows, columns * 2), (rows, columns))
