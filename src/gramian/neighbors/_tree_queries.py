"""What trees of rows are asked: neighbours, counts and sums."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._distance.lists import NeighbourLists
from gramian._distance.metric import effective_metric
from gramian._distance.search import SearchedRows
from gramian._distance.space import MappedMetric, mapped_metric
from gramian._distance.tree import TreeArrays, build_tree, tree_measure
from gramian._typing import Floats
from gramian.config import core_context
from gramian.metrics import DistanceMetric
from gramian.neighbors._kernel_sums import KERNELS, checked_weight, log_kernel_norm
from gramian.validation import check_array

__all__ = ["BinaryTree"]


class BinaryTree:
    """Base of the trees: rows, their metric and weights, and what is asked about them."""

    valid_metrics: ClassVar[list[str]] = []
    _dtype: ClassVar[Any] = np.float64

    data: NDArray[Any]
    sample_weight: Floats | None
    sum_weight: float
    _metric: DistanceMetric
    _space: MappedMetric
    _rows: NDArray[Any]
    _tree: TreeArrays | None

    def __init__(
        self,
        data: Any,
        leaf_size: int = 40,
        metric: Any = "minkowski",
        sample_weight: Any = None,
        **kwargs: Any,
    ) -> None:
        if leaf_size < 1:
            raise ValueError(f"leaf_size must be greater than or equal to 1, not {leaf_size}.")
        self.data = np.ascontiguousarray(check_array(data, dtype=self._dtype))
        self._set_metric(metric, kwargs)
        self.sample_weight = checked_weight(sample_weight, len(self.data))
        self.sum_weight = float(
            len(self.data) if self.sample_weight is None else self.sample_weight.sum()
        )
        self._rows = self._space.rows(self.data)
        is_native = tree_measure(self._space.metric, self._space.params) is not None
        self._tree = build_tree(self._rows) if is_native else None

    def _set_metric(self, metric: Any, kwargs: dict[str, Any]) -> None:
        known = isinstance(metric, DistanceMetric) or callable(metric)
        if not known and metric not in self.valid_metrics:
            raise ValueError(f"metric {metric} is not valid for {type(self).__name__}")
        self._metric = DistanceMetric.get_metric(metric, self._dtype, **kwargs)
        if self._metric.name not in self.valid_metrics:
            raise ValueError(f"metric {self._metric.name} is not valid for {type(self).__name__}")
        self._metric.check_sizes(self.data.shape[1])
        name, params = self._metric.named()
        if self._metric.name == "pyfunc":
            name(self.data[0], self.data[0], **params)
        if name == "minkowski" and params.get("w") is None:
            name = {1: "manhattan", 2: "euclidean", np.inf: "chebyshev"}.get(params["p"], name)
            params = {"p": params["p"]} if name == "minkowski" else {}
        self._space = mapped_metric(name, params)

    def effective_metric(self) -> tuple[Any, dict[str, Any]]:
        """Return the metric and its arguments; Minkowski's by its own name where it has one."""
        name, params = self._metric.named()
        return effective_metric(name, None, params)

    # -- searches ---------------------------------------------------------------------------------

    def query(
        self,
        X: Any,
        k: int = 1,
        return_distance: bool = True,
        dualtree: bool = False,
        breadth_first: bool = False,
        sort_results: bool = True,
    ) -> Any:
        """Return the nearest rows of the tree for each row of `X`, nearest first.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features)
            Rows.
        k : int, default=1
            How many.
        return_distance : bool, default=True
            Whether to return the distances, too.
        dualtree, breadth_first, sort_results : bool
            Accepted for scikit-learn's sake: queries of one leaf always go together, and answers
            are always sorted.

        Returns
        -------
        dist : ndarray of shape (n_queries, k)
            Distances, if `return_distance`.
        ind : ndarray of shape (n_queries, k)
            Numbers of the rows; of equally near ones the first come first.
        """
        queries = self._queries(X)
        if not 1 <= k <= len(self.data):
            raise ValueError(
                f"k must be less than or equal to the number of training points, "
                f"{len(self.data)}, and at least 1. Got {k}."
            )
        distance, index = self._searched().nearest(queries, k)
        return (distance.astype(self._dtype, copy=False), index) if return_distance else index

    def query_radius(
        self,
        X: Any,
        r: Any,
        return_distance: bool = False,
        count_only: bool = False,
        sort_results: bool = False,
    ) -> Any:
        """Return the rows of the tree within a radius of each row of `X`.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features)
            Rows.
        r : float or array-like of shape (n_queries,)
            The largest distance, for all queries or for each.
        return_distance : bool, default=False
            Whether to return the distances, too.
        count_only : bool, default=False
            Whether to return the numbers of rows instead.
        sort_results : bool, default=False
            Whether the nearest come first; only with `return_distance`.

        Returns
        -------
        count : ndarray of shape (n_queries,)
            If `count_only`.
        ind : ndarray of shape (n_queries,) of arrays
            Numbers of the rows.
        dist : ndarray of shape (n_queries,) of arrays
            Distances, if `return_distance`.
        """
        if count_only and return_distance:
            raise ValueError("count_only and return_distance cannot both be true")
        if sort_results and not return_distance:
            raise ValueError("return_distance must be True if sort_results is True")
        queries = self._queries(X)
        radius = np.asarray(r, dtype=np.float64)
        if radius.ndim > 0 and radius.shape != (len(queries),):
            raise ValueError(
                f"r must be broadcastable to X.shape[:-1], {(len(queries),)}. Got shape "
                f"{radius.shape}."
            )
        radii: Any = radius if radius.ndim else float(radius)
        lists = self._searched().within(queries, radii, by_distance=sort_results)
        return self._found(lists, return_distance, count_only)

    def _found(self, lists: NeighbourLists, return_distance: bool, count_only: bool) -> Any:
        if count_only:
            return lists.counts()
        index = lists.split(lists.index)
        if not return_distance:
            return index
        return index, lists.split(lists.distance.astype(self._dtype, copy=False))

    def _queries(self, X: Any) -> NDArray[Any]:
        rows = check_array(X, dtype=self._dtype)
        if rows.shape[1] != self.data.shape[1]:
            raise ValueError(
                "query data dimension must match training data dimension: "
                f"{rows.shape[1]} is not {self.data.shape[1]}."
            )
        return self._space.rows(np.ascontiguousarray(rows))

    def _searched(self) -> SearchedRows:
        return SearchedRows(self._rows, self._space.metric, self._space.params, None, self._tree)

    # -- sums and counts --------------------------------------------------------------------------

    def kernel_density(
        self,
        X: Any,
        h: float,
        kernel: str = "gaussian",
        atol: float = 0.0,
        rtol: float = 1e-8,
        breadth_first: bool = True,
        return_log: bool = False,
    ) -> NDArray[Any]:
        """Return the weighted sum of kernels around the tree's rows at each row of `X`.

        Each kernel integrates to 1 for the Euclidean metric, so the sum is a density times the
        number of rows, or their weight.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features)
            Rows.
        h : float
            Bandwidth.
        kernel : {"gaussian", "tophat", "epanechnikov", "exponential", "linear", "cosine"}
            Shape of the kernel.
        atol, rtol : float, default=0 and 1e-8
            How wrong the answer may be, to be found sooner: ``atol + rtol * answer``.
        breadth_first : bool, default=True
            Accepted for scikit-learn's sake.
        return_log : bool, default=False
            Whether to return logarithms, which do not underflow far from all rows.

        Returns
        -------
        ndarray of shape (n_queries,)
        """
        if kernel not in KERNELS:
            raise ValueError(f"kernel must be one of {', '.join(KERNELS)}. Got {kernel!r}.")
        if not h > 0:
            raise ValueError(f"h must be positive. Got {h}.")
        log_norm = log_kernel_norm(kernel, float(h), self.data.shape[1])
        how: dict[str, Any] = {"kernel": kernel, "bandwidth": float(h), "rtol": float(rtol)}
        how["atol"] = float(atol * np.exp(-log_norm)) if atol > 0 else 0.0
        logs = self._log_sums(self._queries(X), how) + log_norm
        return (logs if return_log else np.exp(logs)).astype(self._dtype, copy=False)

    def _log_sums(self, queries: NDArray[Any], how: dict[str, Any]) -> Floats:
        out = np.empty(len(queries))
        measure = tree_measure(self._space.metric, self._space.params)
        if self._tree is not None and measure is not None:
            how = {**how, "metric": measure[0], "power": measure[1]}
            ctx = core_context()
            _core.log_density_in_tree(
                queries, self._tree, self.sample_weight, **how, out=out, ctx=ctx
            )
            return out
        for first, block in self._searched().blocks(queries):
            part = out[first : first + len(block)]
            ctx = core_context()
            _core.log_density_of_distances(block, self.sample_weight, **how, out=part, ctx=ctx)
        return out

    def two_point_correlation(self, X: Any, r: Any, dualtree: bool = False) -> NDArray[np.int64]:
        """Return how many pairs of a row of `X` and one of the tree are within each radius.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features)
            Rows.
        r : array-like
            Radii.
        dualtree : bool, default=False
            Accepted for scikit-learn's sake.

        Returns
        -------
        ndarray of the shape of `r`
        """
        queries = self._queries(X)
        radii = np.atleast_1d(np.asarray(r, dtype=np.float64))
        order = radii.ravel().argsort(kind="stable")
        rising = np.ascontiguousarray(radii.ravel()[order])
        found = np.zeros(len(rising), dtype=np.int64)
        measure = tree_measure(self._space.metric, self._space.params)
        if self._tree is not None and measure is not None:
            how: dict[str, Any] = {"metric": measure[0], "power": measure[1], "radii": rising}
            _core.count_pairs_in_tree(queries, self._tree, **how, counts=found, ctx=core_context())
        else:
            for _, block in self._searched().blocks(queries):
                found += np.searchsorted(np.sort(block, axis=None), rising, side="right")
        counts = np.empty(len(rising), dtype=np.int64)
        counts[order] = found
        return counts.reshape(radii.shape)

    def get_arrays(self) -> tuple[NDArray[Any], NDArray[np.int64], NDArray[Any], NDArray[Any]]:
        """Return the rows, their order by leaves, and the splits and boxes of the nodes.

        The last two are empty for metrics that are not searched by a tree.
        """
        if self._tree is None:
            return self.data, np.arange(len(self.data)), np.empty((0, 2)), np.empty((2, 0, 0))
        order, splits, boxes, _ = self._tree
        sides = boxes.reshape(-1, 2, self.data.shape[1])[1:]
        return self.data, order, splits.reshape(-1, 2)[1:], sides.transpose(1, 0, 2)
