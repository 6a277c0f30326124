"""Bins of dense and sparse tables."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian.blocks import BlockRows, is_block_rows
from gramian.config import core_context, get_config

__all__ = ["bins_like", "make_bins"]

# Bins lie by rows, for histograms, and where there is room by columns, too, to part rows.
_ROOM_PARTS = 4  # of a memory limit both may take one


def make_bins(
    X: Any,
    *,
    n_levels: NDArray[np.int32] | None = None,
    max_bins: int = 255,
    weight: NDArray[np.float64] | None = None,
    column_bins: NDArray[np.int32] | None = None,
    sharing: str = "all",
    max_conflict_rate: float = 0.0,
    absent_is_missing: bool = False,
    n_jobs: int | None = None,
) -> _core.BoostBins:
    """Return a table of float32 or float64, dense or sparse, cut into bins.

    Parameters
    ----------
    X : ndarray, SciPy sparse matrix or BlockRows of shape (n_samples, n_features)
        What a sparse matrix does not store is 0, unless `absent_is_missing`; NaN is missing. Of
        rows in blocks only the bins are held, which are those of the same rows in an array.
    n_levels : int32 array of shape (n_features,) or None
        Numbers of levels of categorical columns, else 0.
    max_bins : int
        Most bins of a column.
    weight : float64 array of shape (n_samples,) or None
        Weights; rows of no weight do not count.
    column_bins : int32 array of shape (n_features,) or None
        Most bins of each column, instead of `max_bins`.
    sharing : {"none", "exclusive", "all"}
        Whether columns share bytes of a row: none; those that are away from their usual bin in
        different rows; and those of few bins, too. The trees are the same.
    max_conflict_rate : float
        Fraction of the rows in which exclusive columns may be away from their usual bin together.
    absent_is_missing : bool
        Whether what a sparse matrix, also one of other rows, does not store is missing.
    n_jobs : int or None
        Number of threads.

    Returns
    -------
    BoostBins
    """
    ctx = core_context(n_jobs)
    if is_block_rows(X):
        if column_bins is not None or max_conflict_rate:
            raise ValueError("Rows in blocks take neither column_bins nor max_conflict_rate.")
        _require_room(X)
        chosen: Any = _core.boost_sample_rows(X.shape[0], weight=weight)
        blocks = _core.BoostBlocks(
            X[chosen],
            n_rows=X.shape[0],
            n_levels=n_levels,
            max_bins=max_bins,
            weight=None if weight is None else weight[chosen],
            ctx=ctx,
        )
        written = _written(blocks, X, ctx)
        return _core.BoostBins.of_blocks(written, sharing=sharing, is_lean=_is_lean(X), ctx=ctx)
    return _core.BoostBins(
        _canonical(X),
        n_levels=n_levels,
        max_bins=max_bins,
        weight=weight,
        column_bins=column_bins,
        sharing=sharing,
        max_conflict_rate=max_conflict_rate,
        absent_is_missing=absent_is_missing,
        ctx=ctx,
    )


def bins_like(bins: _core.BoostBins, X: Any, n_jobs: int | None = None) -> _core.BoostBins:
    """Return other rows, dense, sparse or in blocks, in the same bins."""
    ctx = core_context(n_jobs)
    if is_block_rows(X):
        _require_room(X)
        return bins.like_blocks(_written(bins.blocks_like(X.shape[0]), X, ctx), ctx=ctx)
    return bins.like(_canonical(X), ctx=ctx)


def _written(blocks: _core.BoostBlocks, X: BlockRows, ctx: Any) -> _core.BoostBlocks:
    """Cut all rows into bins, block by block."""
    for block, rows, places in X.placed_blocks():
        blocks.write(block, rows, places, ctx=ctx)
    return blocks


def _is_lean(X: BlockRows) -> bool:
    """Tell whether the memory that may be taken is too little to hold the bins twice."""
    limit = get_config()["memory_limit"]
    return limit is not None and _ROOM_PARTS * 2 * X.shape[0] * X.shape[1] > limit * 2**20


def _require_room(X: BlockRows) -> None:
    """Raise MemoryError if the bins are larger than the memory that may be taken."""
    limit, n_bytes = get_config()["memory_limit"], X.shape[0] * X.shape[1]
    if limit is not None and n_bytes > limit * 2**20:
        raise MemoryError(
            f"memory_limit={limit} (MiB) is too small: the bins of {X.shape[0]} rows and "
            f"{X.shape[1]} columns take {n_bytes / 2**20:.1f} MiB. Read fewer columns, or raise it."
        )


def _canonical(X: Any) -> Any:
    """Return the table as the native core takes it: sparse ones by rows, without duplicates."""
    if isinstance(X, np.ndarray):
        return X
    rows = X.tocsr()
    if not rows.has_canonical_format:
        rows = rows.copy() if rows is X else rows
        rows.sum_duplicates()
    return rows
