"""Trees of clusters: the two nearest are merged until one is left."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._distance.metric import effective_metric
from gramian._magnitude import require_squares
from gramian._memory import available_bytes
from gramian._typing import Floats
from gramian.config import core_context
from gramian.metrics.pairwise import pairwise_distances_chunked
from gramian.validation import check_array

__all__ = ["MergeTree", "linkage", "tree_of_condensed", "tree_of_rows", "tree_of_square"]

Places = NDArray[np.int64]

METHODS = ("single", "complete", "average", "weighted", "centroid", "median", "ward")
OF_CENTROIDS = ("ward", "centroid", "median")
_EUCLIDEAN = ("euclidean", "l2")
_NATIVE = {
    "euclidean": "euclidean",
    "l2": "euclidean",
    "sqeuclidean": "sqeuclidean",
    "manhattan": "manhattan",
    "cityblock": "manhattan",
    "l1": "manhattan",
    "chebyshev": "chebyshev",
    "minkowski": "minkowski",
    "cosine": "cosine",
}
_OF_TREES = ("euclidean", "manhattan", "chebyshev", "minkowski")


@dataclass(frozen=True, eq=False)
class MergeTree:
    """The merges of n rows, lowest first.

    Attributes
    ----------
    children : ndarray of shape (n_merges, 2)
        Merge k makes node ``n + k`` of these two nodes.
    heights : ndarray of shape (n_merges,)
        The distance of the two.
    sizes : ndarray of shape (n_merges,)
        Number of rows of the new node.
    """

    children: Places
    heights: Floats
    sizes: Places

    @classmethod
    def empty(cls, n_merges: int) -> "MergeTree":
        """Return arrays to be filled."""
        children = np.empty((n_merges, 2), dtype=np.int64)
        return cls(children, np.empty(n_merges), np.empty(n_merges, dtype=np.int64))

    def arrays(self) -> dict[str, Any]:
        """Return the arrays by the names of the native arguments."""
        return {"children": self.children, "heights": self.heights, "sizes": self.sizes}


def tree_of_rows(X: NDArray[Any], method: str, metric: Any = "euclidean") -> MergeTree:
    """Return the tree of rows.

    Ward, centroid, median, and single linkage by Minkowski's metrics take the memory of the rows;
    the others hold all distances once.
    """
    tree = MergeTree.empty(len(X) - 1)
    name, params = effective_metric(metric, None, {})
    native, power = _NATIVE.get(name), float(params.get("p", 2.0))
    if _holds_no_distances(X, method, native):
        _core.linkage_of_rows(
            X,
            method=method,
            metric=native or "euclidean",
            power=power,
            sorts_children=method != "single",
            ctx=core_context(),
            **tree.arrays(),
        )
        return tree
    triangle = _triangle(len(X))
    native = "sqeuclidean" if method == "ward" else native
    if native is not None:
        rows = _of_unit_length(X) if native == "cosine" else X
        _core.linkage_fill(rows, metric=native, power=power, triangle=triangle, ctx=core_context())
    else:
        first = 0
        for block in pairwise_distances_chunked(X, metric=metric, working_memory=64):
            _fill(triangle, block, first, squares=False)
            first += len(block)
    return _of_triangle(triangle, len(X), method, tree)


def _holds_no_distances(X: NDArray[Any], method: str, native: str | None) -> bool:
    """Tell whether rows are merged without the distances of all pairs.

    Ward's method takes them where they need no more memory than the rows: it is quicker so, and as
    no sum of squares is near zero beside the distances that it is made of, as exact.
    """
    if method == "ward":
        return bool(len(X) > 2 * X.shape[1])
    return method in OF_CENTROIDS or (method == "single" and native in _OF_TREES)


def tree_of_square(distances: NDArray[Any], method: str) -> MergeTree:
    """Return the tree of a square matrix of distances, of which the upper half counts."""
    n = len(distances)
    triangle = _triangle(n)
    _fill(triangle, distances, 0, squares=method in OF_CENTROIDS)
    return _of_triangle(triangle, n, method, MergeTree.empty(n - 1))


def tree_of_condensed(distances: Floats, n: int, method: str) -> MergeTree:
    """Return the tree of the upper half of a matrix of distances, row by row."""
    triangle = _triangle(n)
    squares = method in OF_CENTROIDS
    _core.linkage_fill_condensed(
        distances, n, squares=squares, triangle=triangle, ctx=core_context()
    )
    return _of_triangle(triangle, n, method, MergeTree.empty(n - 1))


def _fill(triangle: Floats, block: NDArray[Any], first: int, *, squares: bool) -> None:
    if block.dtype not in (np.float32, np.float64):
        block = block.astype(np.float64)
    if not np.isfinite(block).all():
        raise ValueError("The distance matrix must contain only finite values.")
    _core.linkage_fill_rows(block, first, squares=squares, triangle=triangle, ctx=core_context())


def _of_triangle(triangle: Floats, n: int, method: str, tree: MergeTree) -> MergeTree:
    _core.linkage_of_triangle(triangle, n, method=method, ctx=core_context(), **tree.arrays())
    return tree


def _triangle(n: int) -> Floats:
    """Return memory for the distances of all pairs, if there is enough."""
    size = _core.linkage_triangle_size(n)
    available = available_bytes()
    if available is not None and 8 * size > available:
        raise MemoryError(
            f"The distances of {n} rows take {8 * size / 2**30:.1f} GiB, of which "
            f"{available / 2**30:.1f} are available. Ward and single linkage of Euclidean rows "
            "take the memory of the rows only."
        )
    return np.empty(size)


def _of_unit_length(X: NDArray[Any]) -> Floats:
    """Return the rows divided by their lengths."""
    rows = X.astype(np.float64)
    rows /= np.maximum(np.abs(rows).max(axis=1, keepdims=True), np.finfo(np.float64).tiny)
    lengths = np.sqrt((rows * rows).sum(axis=1, keepdims=True))
    if not lengths.all():
        raise ValueError("Cosine affinity cannot be used when X contains zero vectors")
    return np.asarray(rows / lengths)


def linkage(X: Any, method: str = "single", metric: Any = "euclidean") -> Floats:
    """Return the tree of clusters in the shape of SciPy.

    The heights are those of `scipy.cluster.hierarchy.linkage`. Ward, centroid, median, and single
    linkage by Minkowski's metrics never hold the distances of all pairs.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features) or (n_samples * (n_samples - 1) / 2,)
        Rows; or the distances of all pairs, the upper half of their matrix row by row.
    method : {"single", "complete", "average", "weighted", "centroid", "median", "ward"}, \
default="single"
        How far two clusters are from each other. "centroid", "median" and "ward" take the distances
        for Euclidean ones.
    metric : str or callable, default="euclidean"
        Of rows: a metric of `gramian.metrics.pairwise_distances`.

    Returns
    -------
    Z : ndarray of shape (n_samples - 1, 4)
        For each merge the two nodes, their distance, and the number of rows of the new node, which
        is number ``n_samples + k``.

    Examples
    --------
    >>> from gramian.cluster import linkage
    >>> linkage([[0.0], [1.0], [5.0]], "average")
    array([[0. , 1. , 1. , 2. ],
           [2. , 3. , 4.5, 3. ]])
    """
    if method not in METHODS:
        raise ValueError(f"method={method!r} is unknown; it must be one of {', '.join(METHODS)}.")
    rows = check_array(X, ensure_2d=False, dtype=[np.float64, np.float32], input_name="X")
    if rows.ndim == 1:
        n = round((1 + np.sqrt(1 + 8 * len(rows))) / 2)
        if n * (n - 1) // 2 != len(rows) or n < 2:
            raise ValueError(
                f"X has {len(rows)} distances, which is not the number of pairs of any number of "
                "rows."
            )
        tree = tree_of_condensed(np.ascontiguousarray(rows, dtype=np.float64), n, method)
    else:
        if len(rows) < 2:
            raise ValueError(f"linkage needs two rows, and X has {len(rows)}.")
        if method in OF_CENTROIDS and metric not in _EUCLIDEAN:
            raise ValueError(f"method={method!r} needs metric='euclidean', not {metric!r}.")
        if metric in (*_EUCLIDEAN, "sqeuclidean"):
            require_squares(linkage, rows)
        tree = tree_of_rows(rows, method, metric)
    children = np.sort(tree.children, axis=1)
    return np.column_stack([children.astype(np.float64), tree.heights, tree.sizes])
