"""The native steps of k-means against brute force in double precision."""

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from gramian import _core
from gramian.config import config, core_context


def _brute(X: Any, centres: Any) -> Any:
    apart = X.astype(np.float64)[:, None, :] - centres.astype(np.float64)[None]
    return (apart**2).sum(axis=2)


def _lloyd(X: Any, start: Any, weight: Any = None, max_iter: int = 40, tol: float = 0.0) -> Any:
    centres = start.copy()
    labels = np.empty(X.shape[0], dtype=np.int32)
    found = _core.lloyd(
        X,
        weight,
        centres=centres,
        max_iter=max_iter,
        tol=tol,
        labels=labels,
        history=None,
        ctx=core_context(),
    )
    return centres, labels, found


def _brute_lloyd(X: Any, start: Any, weight: Any, max_iter: int) -> Any:
    centres, labels = start.astype(np.float64).copy(), np.full(len(X), -1)
    n_iter = 0
    while n_iter < max_iter:
        n_iter += 1
        new = _brute(X, centres.astype(X.dtype)).argmin(axis=1)
        for c in range(len(centres)):
            centres[c] = np.average(X[new == c], axis=0, weights=weight[new == c])
        centres = centres.astype(X.dtype).astype(np.float64)
        if (new == labels).all():
            break
        labels = new
    return centres, _brute(X, centres.astype(X.dtype)).argmin(axis=1), n_iter


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(("n", "p", "k"), [(300, 2, 3), (5000, 7, 20), (3000, 30, 70), (64, 1, 1)])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_bounds_skip_no_row_that_would_move(
    dtype: Any, n: int, p: int, k: int, is_weighted: bool
) -> None:
    rng = np.random.default_rng(n + p)
    X = (rng.normal(size=(n, p)) + 1000.0 + 3.0 * rng.integers(0, 3, size=(n, 1))).astype(dtype)
    weight = rng.integers(1, 4, size=n).astype(np.float64) if is_weighted else None
    start = X[rng.choice(n, k, replace=False)]
    centres, labels, (n_iter, inertia, _, is_settled, _) = _lloyd(X, start, weight)
    ones = np.ones(n) if weight is None else weight
    expected, expected_labels, expected_iter = _brute_lloyd(X, start, ones, 40)
    assert is_settled or n_iter == 40
    assert n_iter == expected_iter
    np.testing.assert_array_equal(labels, expected_labels)
    np.testing.assert_allclose(centres, expected, rtol=1e-6 if dtype == np.float32 else 1e-12)
    squares = _brute(X, centres)
    assert (squares.argmin(axis=1) == labels).all()
    np.testing.assert_allclose(inertia, (ones * squares.min(axis=1)).sum(), rtol=1e-9)


def test_ties_go_to_the_lower_number() -> None:
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    labels, squared = np.empty(4, dtype=np.int32), np.empty(4)
    _core.nearest_centres(
        X, np.array([[2.0], [0.0], [2.0]]), labels=labels, squared=squared, ctx=core_context()
    )
    np.testing.assert_array_equal(labels, [1, 0, 0, 0])
    np.testing.assert_array_equal(squared, [0.0, 1.0, 0.0, 1.0])


@pytest.mark.parametrize("scale", [1e-200, 1e-30, 1e30, 1e150])
def test_rows_of_any_scale(scale: float) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 3))
    start = X[:5]
    _, expected, _ = _lloyd(X, start)
    _, labels, _ = _lloyd(X * scale, start * scale)
    if scale > 1e-150:
        np.testing.assert_array_equal(labels, expected)
    assert labels.min() >= 0
    assert labels.max() < 5


def test_sparse_rows_find_the_clusters_of_dense_ones() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(2000, 12)) * (rng.random((2000, 12)) < 0.3)
    start = X[:6].copy()
    centres, labels, found = _lloyd(X, start)
    sparse_centres, sparse_labels, sparse_found = _lloyd(csr_array(X), start)
    np.testing.assert_array_equal(sparse_labels, labels)
    np.testing.assert_allclose(sparse_centres, centres, atol=1e-12)
    assert sparse_found[0] == found[0]


def test_an_empty_cluster_takes_the_farthest_row() -> None:
    X = np.array([[0.0], [0.1], [0.2], [10.0]])
    centres, labels, _ = _lloyd(X, np.array([[0.0], [1e6]]))
    np.testing.assert_allclose(np.sort(centres[:, 0]), [0.1, 10.0])
    assert labels[0] == labels[1] == labels[2] != labels[3]


def test_same_bits_for_any_number_of_threads() -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(60_000, 10))
    results = []
    for n_threads in (1, 2, 4):
        with config(n_threads=n_threads):
            results.append(_lloyd(X, X[:30], max_iter=20))
    for centres, labels, found in results[1:]:
        assert centres.tobytes() == results[0][0].tobytes()
        assert labels.tobytes() == results[0][1].tobytes()
        assert found == results[0][2]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_seeds_are_those_of_greedy_kmeans_plusplus(dtype: Any) -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(3000, 6)).astype(dtype)
    weight = rng.integers(0, 4, size=3000).astype(np.float64)
    draws = rng.random((8, 4))
    chosen = np.full(9, 17, dtype=np.int64)
    _core.seed_centres(X, weight, draws, chosen=chosen, ctx=core_context())
    closest = _brute(X, X[[17]])[:, 0]
    for c in range(1, 9):
        sums = np.cumsum(weight * closest)
        trials = np.searchsorted(sums, draws[c - 1] * sums[-1])
        left = np.minimum(closest[:, None], _brute(X, X[trials]))
        best = (weight @ left).argmin()
        assert chosen[c] == trials[best]
        closest = left[:, best]


def test_sums_by_cluster() -> None:
    rng = np.random.default_rng(4)
    X = rng.normal(size=(5000, 5))
    labels = rng.integers(0, 7, size=5000).astype(np.int32)
    sums, weights = np.empty((7, 5)), np.empty(7)
    _core.cluster_sums(
        X, None, labels, shift=np.ones(5), sums=sums, weights=weights, ctx=core_context()
    )
    np.testing.assert_array_equal(weights, np.bincount(labels))
    expected = [(X[labels == c] - 1.0).sum(axis=0) for c in range(7)]
    np.testing.assert_allclose(sums, expected, atol=1e-10)


def test_what_does_not_fit_is_refused() -> None:
    X, labels = np.zeros((4, 2)), np.zeros(4, dtype=np.int32)
    with pytest.raises(ValueError, match="centres must be rows"):
        _core.nearest_centres(
            X, np.zeros((1, 3)), labels=labels, squared=np.zeros(4), ctx=core_context()
        )
    with pytest.raises(ValueError, match="contiguous"):
        _core.nearest_centres(
            np.asfortranarray(X),
            np.zeros((1, 2)),
            labels=labels,
            squared=np.zeros(4),
            ctx=core_context(),
        )
