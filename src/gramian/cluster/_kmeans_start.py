"""Where k-means starts: scikit-learn's draws for an integer seed."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._draws import draw_by_weight, random_state_of
from gramian._typing import Floats
from gramian.blocks import BlockMatrix, BlockRows, is_blocks
from gramian.config import core_context
from gramian.params import Integer, Nothing, RandomState, check_arguments
from gramian.validation import check_array, check_sample_weight, is_sparse

__all__ = ["kmeans_plusplus"]

_MOST_SEEDED = 1 << 18  # rows in blocks that k-means++ draws from
_ROUNDS = 5  # of k-means||, each of about 2 k rows


def kmeans_plusplus(
    X: Any,
    n_clusters: int,
    *,
    sample_weight: Any = None,
    x_squared_norms: Any = None,
    random_state: Any = None,
    n_local_trials: int | None = None,
) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Choose rows as first centres by greedy k-means++.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        Rows to choose from.
    n_clusters : int
        How many to choose.
    sample_weight : array of shape (n_samples,), optional
        Weights of the rows.
    x_squared_norms : array of shape (n_samples,), optional
        Taken for scikit-learn's sake: distances come from the differences of the rows.
    random_state : int, RandomState, Generator or None, default=None
        Source of the draws.
    n_local_trials : int, optional
        How many rows to try for each centre; ``2 + int(log(n_clusters))`` by default.

    Returns
    -------
    centers : ndarray of shape (n_clusters, n_features)
    indices : ndarray of shape (n_clusters,)
        The rows that they are.

    Examples
    --------
    >>> from gramian.cluster import kmeans_plusplus
    >>> X = [[1.0, 2.0], [1.0, 4.0], [10.0, 2.0], [10.0, 4.0]]
    >>> centers, indices = kmeans_plusplus(X, n_clusters=2, random_state=0)
    >>> sorted(centers[:, 0].tolist())
    [1.0, 10.0]
    """
    check_arguments(
        "kmeans_plusplus",
        n_clusters=(n_clusters, Integer(1)),
        n_local_trials=(n_local_trials, Integer(1) | Nothing()),
        random_state=(random_state, RandomState()),
    )
    rows = check_array(X, accept_sparse="csr", dtype=(np.float64, np.float32))
    if rows.shape[0] < n_clusters:
        raise ValueError(f"n_samples={rows.shape[0]} should be >= n_clusters={n_clusters}.")
    if x_squared_norms is not None and len(x_squared_norms) != rows.shape[0]:
        raise ValueError(
            f"The length of x_squared_norms {len(x_squared_norms)} should be equal to the length "
            f"of n_samples {rows.shape[0]}."
        )
    weight = None if sample_weight is None else check_sample_weight(sample_weight, rows)
    chosen = seeds(rows, weight, n_clusters, random_state_of(random_state), n_local_trials)
    return dense_rows(rows, chosen), chosen


def seeds(
    rows: Any,
    weight: Floats | None,
    n_clusters: int,
    rng: np.random.RandomState,
    n_trials: int | None = None,
) -> NDArray[np.intp]:
    """Return the rows that greedy k-means++ chooses."""
    n_trials = n_trials or 2 + int(np.log(n_clusters))
    n = rows.shape[0]
    first = draw_by_weight(rng, np.ones(n) if weight is None else weight, 1)[0]
    draws = rng.uniform(size=(n_clusters - 1, n_trials))
    if is_sparse(rows):
        return _sparse_seeds(rows, np.ones(n) if weight is None else weight, first, draws)
    chosen = np.full(n_clusters, first, dtype=np.int64)
    _core.seed_centres(np.ascontiguousarray(rows), weight, draws, chosen=chosen, ctx=core_context())
    return chosen.astype(np.intp, copy=False)


def _sparse_seeds(rows: Any, weight: Floats, first: int, draws: Floats) -> NDArray[np.intp]:
    values = rows.astype(np.float64)
    norms = np.asarray(values.multiply(values).sum(axis=1)).ravel()

    def squared(trials: Any) -> Floats:
        products = (values @ values[trials].T).toarray()
        distances: Floats = np.maximum(norms[:, None] - 2.0 * products + norms[trials], 0.0)
        return distances

    chosen, closest = [first], squared([first])[:, 0]
    for of_centre in draws:
        sums = np.cumsum(weight * closest)
        trials = np.minimum(np.searchsorted(sums, of_centre * sums[-1]), len(closest) - 1)
        left = np.minimum(closest[:, None], squared(trials))
        best = int(np.einsum("i,ij->j", weight, left).argmin())
        chosen.append(trials[best])
        closest = left[:, best]
    return np.array(chosen, dtype=np.intp)


def dense_rows(rows: Any, chosen: NDArray[np.intp]) -> NDArray[Any]:
    """Return some rows as an array of their own."""
    if is_blocks(rows):
        return BlockRows(rows)[chosen]
    some = rows[chosen]
    return np.ascontiguousarray(some.toarray() if is_sparse(rows) else some)


def seeded_rows(rows: BlockMatrix, weight: Floats | None) -> tuple[NDArray[Any], Floats | None]:
    """Return the rows in blocks that k-means++ draws from: all, or of many some of equal gaps."""
    chosen = np.arange(rows.n_rows)
    if rows.n_rows > _MOST_SEEDED:
        counted = chosen if weight is None else np.flatnonzero(weight)
        n_kept = min(_MOST_SEEDED, len(counted))
        chosen = counted[np.arange(n_kept) * len(counted) // n_kept]
    return dense_rows(rows, chosen), None if weight is None else weight[chosen]


def scalable_start(
    rows: Any, weight: Floats | None, n_clusters: int, rng: np.random.RandomState
) -> NDArray[Any]:
    """Return centres by k-means||: a few rounds of many draws, then k-means++ among them."""
    mass = np.ones(rows.shape[0]) if weight is None else weight
    chosen = draw_by_weight(rng, mass, 1)
    for _ in range(_ROUNDS):
        labels, squared = nearest(rows, dense_rows(rows, chosen))
        share = mass * squared
        total = float(share.sum())
        if total == 0.0:
            break
        drawn = np.flatnonzero(rng.random_sample(len(share)) < 2.0 * n_clusters * share / total)
        chosen = np.union1d(chosen, drawn)
    if len(chosen) < n_clusters:
        others = np.setdiff1d(np.arange(rows.shape[0]), chosen)
        chosen = np.union1d(chosen, rng.choice(others, n_clusters - len(chosen), replace=False))
    labels, _ = nearest(rows, dense_rows(rows, chosen))
    counts: Floats = np.bincount(labels, weights=mass, minlength=len(chosen)).astype(np.float64)
    candidates = dense_rows(rows, chosen)
    return candidates[seeds(candidates, counts, n_clusters, rng)]


def nearest(rows: Any, centres: NDArray[Any]) -> tuple[NDArray[np.int32], Floats]:
    """Return the nearest centre of each row, and the squared distance to it."""
    squared = np.empty(rows.shape[0])
    return nearest_labels(rows, centres, squared), squared


def nearest_labels(
    rows: Any, centres: NDArray[Any], squared: Floats | None = None
) -> NDArray[np.int32]:
    """Return the nearest centre of each row; `squared` takes the squared distances."""
    labels = np.empty(rows.shape[0], dtype=np.int32)
    if hasattr(rows, "block_sums"):  # where the rows are
        point = np.concatenate([[squared is not None], np.ravel(centres)]).astype(np.float64)
        first = 0
        for found in rows.block_sums("nearest centres", point, []):
            n_rows = min(rows.block_rows, rows.n_rows - first)
            labels[first : first + n_rows] = found[:n_rows]
            if squared is not None:
                squared[first : first + n_rows] = found[n_rows:]
            first += n_rows
        return labels
    if is_blocks(rows):
        first = 0
        for block in rows.row_blocks():
            part = slice(first, first + len(block))
            labels[part] = nearest_labels(
                block, centres, squared if squared is None else squared[part]
            )
            first += len(block)
        return labels
    given = rows if is_sparse(rows) else np.ascontiguousarray(rows)
    _core.nearest_centres(
        given,
        np.ascontiguousarray(centres, rows.dtype),
        labels=labels,
        squared=squared,
        ctx=core_context(),
    )
    return labels
