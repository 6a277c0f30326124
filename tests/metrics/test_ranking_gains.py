"""Metrics of whole rankings give scikit-learn's numbers and errors, or those of a plain loop."""

import numpy as np
import polars as pl
import pytest
import scipy.sparse
import sklearn.metrics

from gramian import metrics

GAINS = ["dcg_score", "ndcg_score"]
LABELS = ["coverage_error", "label_ranking_average_precision_score", "label_ranking_loss"]
WEIGHT = np.random.default_rng(0).uniform(0.1, 2.0, 40)


def both(name):
    return getattr(metrics, name), getattr(sklearn.metrics, name)


def draw(seed, n_labels=6, decimals=None, n_gains=2):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_gains, (40, n_labels))
    y[0], y[1] = 0, 1  # none relevant, all relevant
    y[2, :2] = 0, n_gains - 1
    score = rng.normal(size=y.shape) + y
    return y, score if decimals is None else np.round(score, decimals)


@pytest.mark.parametrize("name", GAINS)
@pytest.mark.parametrize("k", [None, 1, 3, 100])
@pytest.mark.parametrize("decimals", [None, 0], ids=["distinct", "ties"])
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
def test_gains(name, k, decimals, weight, global_random_seed):
    ours, theirs = both(name)
    for n_gains in (2, 5):
        y, score = draw(global_random_seed, decimals=decimals, n_gains=n_gains)
        for ignore_ties in (False, True):
            options = {"k": k, "sample_weight": weight, "ignore_ties": ignore_ties}
            expected = theirs(y, score, **options)
            assert ours(y, score, **options) == pytest.approx(expected, rel=1e-12)
    assert ours(y / 3, score, k=k) == pytest.approx(theirs(y / 3, score, k=k), rel=1e-12)


@pytest.mark.parametrize("log_base", [1.5, 2, 10])
def test_base_of_the_logarithm(log_base):
    ours, theirs = both("dcg_score")
    y, score = draw(1)
    expected = theirs(y, score, log_base=log_base)
    assert ours(y, score, log_base=log_base) == pytest.approx(expected, rel=1e-12)


def test_perfect_ranking_has_all_gain():
    y, _ = draw(2, n_gains=6)
    assert metrics.ndcg_score(y[1:], y[1:]) == pytest.approx(1.0)


@pytest.mark.parametrize("name", GAINS)
@pytest.mark.parametrize(
    ("args", "options"),
    [
        (([1, 0], [0.1, 0.2]), {}),
        (([[1], [0]], [[0.1], [0.2]]), {}),
        (([[1, 0]], [[0.1, np.nan]]), {}),
        (([[1, 0]], [[0.1, 0.2], [0.2, 0.3]]), {}),
        (([[1, 0]], [[0.1, 0.2]]), {"k": 0}),
        (([[1, 0]], [[0.1, 0.2]]), {"ignore_ties": "no"}),
        (([[1, 0]], [[0.1, 0.2, 0.3]]), {}),
    ],
)
def test_refusals_of_gains(name, args, options):
    for function in both(name):
        with pytest.raises(ValueError):
            function(*args, **options)


def test_negative_gains():
    for function in both("ndcg_score"):
        with pytest.raises(ValueError, match="negative y_true values"):
            function([[1, -1]], [[0.1, 0.2]])
    for function in both("dcg_score"):
        assert function([[1, -1]], [[0.1, 0.2]]) < 0


@pytest.mark.parametrize("name", LABELS)
@pytest.mark.parametrize("decimals", [None, 0], ids=["distinct", "ties"])
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
@pytest.mark.parametrize("n_labels", [2, 7])
def test_label_ranking(name, decimals, weight, n_labels, global_random_seed):
    ours, theirs = both(name)
    y, score = draw(global_random_seed, n_labels, decimals)
    expected = theirs(y, score, sample_weight=weight)
    assert ours(y, score, sample_weight=weight) == pytest.approx(expected, rel=1e-12, abs=1e-15)
    frame = pl.DataFrame(score)
    assert ours(y, frame, sample_weight=weight) == pytest.approx(expected, rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("name", LABELS[1:])
def test_sparse_labels(name):
    ours, theirs = both(name)
    y, score = draw(3)
    sparse = scipy.sparse.csr_array(y)
    assert ours(sparse, score) == pytest.approx(theirs(sparse, score), rel=1e-12)


def test_one_label_has_the_best_precision():
    for function in both("label_ranking_average_precision_score"):
        assert function([[1], [0], [1]], [[0.1], [0.2], [0.3]]) == 1.0


@pytest.mark.parametrize("name", LABELS)
def test_degenerate_label_rankings(name):
    ours, theirs = both(name)
    for y in ([[0, 0], [0, 0]], [[1, 1], [1, 1]], [[1, 0], [0, 1]]):
        score = [[0.5, 0.5], [0.5, 0.5]]
        assert ours(y, score) == theirs(y, score)


@pytest.mark.parametrize("name", [*LABELS, "mean_reciprocal_rank", *GAINS])
def test_integer_weight_is_repetition(name):
    y, score = draw(4, decimals=1)
    weight = np.arange(40) % 3
    function = getattr(metrics, name)
    repeated = function(np.repeat(y, weight, axis=0), np.repeat(score, weight, axis=0))
    assert function(y, score, sample_weight=weight) == pytest.approx(repeated)


@pytest.mark.parametrize("name", LABELS)
@pytest.mark.parametrize(
    "args",
    [
        ([1, 0], [0.1, 0.2]),
        ([[0, 1, 2], [2, 1, 0]], [[0.1, 0.2, 0.7], [0.3, 0.4, 0.3]]),
        ([[1, 0], [0, 1]], [[0.1, 0.2, 0.3], [0.2, 0.1, 0.3]]),
        ([[1, 0]], [[0.1, 0.2], [0.2, 0.1]]),
        ([[1, 0]], [[0.1, np.inf]]),
    ],
)
def test_refusals_of_label_ranking(name, args):
    for function in both(name):
        with pytest.raises(ValueError):
            function(*args)


def reciprocal_rank(relevant, score, k):
    """Rank by hand, irrelevant labels first among ties."""
    ranking = sorted(zip(-score, relevant, strict=True))
    for rank, (_, is_relevant) in enumerate(ranking, start=1):
        if is_relevant and (k is None or rank <= k):
            return 1.0 / rank
    return 0.0


@pytest.mark.parametrize("k", [None, 1, 2])
@pytest.mark.parametrize("decimals", [None, 0], ids=["distinct", "ties"])
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
def test_mean_reciprocal_rank(k, decimals, weight, global_random_seed):
    y, score = draw(global_random_seed, decimals=decimals)
    by_hand = [reciprocal_rank(row, row_score, k) for row, row_score in zip(y, score, strict=True)]
    result = metrics.mean_reciprocal_rank(y, score, k=k, sample_weight=weight)
    assert result == pytest.approx(np.average(by_hand, weights=weight))


def test_refusals_of_mean_reciprocal_rank():
    with pytest.raises(ValueError, match="matrices of the same shape"):
        metrics.mean_reciprocal_rank([1, 0], [0.1, 0.2])
    with pytest.raises(ValueError, match="'k' parameter of mean_reciprocal_rank"):
        metrics.mean_reciprocal_rank([[1, 0]], [[0.1, 0.2]], k=0)
