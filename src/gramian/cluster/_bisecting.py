"""k-means by cutting clusters in two."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gramian._draws import random_state_of
from gramian._sums import row_sum
from gramian._typing import Floats
from gramian.cluster._kmeans import lloyd_run
from gramian.cluster._kmeans_base import CentresBase
from gramian.cluster._kmeans_start import nearest, nearest_labels
from gramian.params import Boolean, Callables, Integer, OneOf, param
from gramian.validation import check_fit, check_is_fitted

__all__ = ["BisectingKMeans"]

_LEAF = -1


class BisectingKMeans(CentresBase):
    """k-means from the top: the worst cluster is cut in two until there are enough.

    Each cut is a k-means of two clusters on the rows of one, so the cost grows with the logarithm
    of the number of clusters, and clusters are leaves of a tree down which new rows go.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    init : {"k-means++", "k-means||", "random"} or callable, default="random"
        Where the two centres of a cut start, as in `KMeans`.
    n_init : int, default=1
        How many starts to try for each cut.
    random_state : int, RandomState, Generator or None, default=None
        Source of the draws.
    max_iter : int, default=300
        Most steps of a cut.
    verbose : int, default=0
        Whether to print the inertia of each step.
    tol : float, default=1e-4
        A cut ends when the sum of the centres' squared moves is at most this.
    copy_x : bool, default=True
        Taken for scikit-learn's sake: `X` is not changed either way.
    algorithm : {"lloyd", "elkan"}, default="lloyd"
        Taken for scikit-learn's sake; the result is that of Lloyd's algorithm.
    bisecting_strategy : {"biggest_inertia", "largest_cluster"}, default="biggest_inertia"
        Which cluster is cut next: the one with the largest inertia, or with most rows.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        The centres; for a data frame in the columns of ``encoding_``.
    labels_ : ndarray of shape (n_samples,)
        The cluster of each training row.
    inertia_ : float
        Weighted sum of squared distances of the rows to their centres.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    >>> from gramian.cluster import BisectingKMeans
    >>> X = [[1.0], [2.0], [10.0], [11.0], [50.0], [51.0]]
    >>> model = BisectingKMeans(n_clusters=3, random_state=0).fit(X)
    >>> sorted(model.cluster_centers_.ravel().tolist())
    [1.5, 10.5, 50.5]
    """

    _signature = (
        "n_clusters, *, init, n_init, random_state, max_iter, verbose, tol, copy_x, algorithm, "
        "bisecting_strategy"
    )

    init: Any = param("random", OneOf("k-means++", "random", "k-means||") | Callables())
    n_init: int = param(1, Integer(1))
    copy_x: bool = param(True, Boolean())
    algorithm: str = param("lloyd", OneOf("lloyd", "elkan"))
    bisecting_strategy: str = param("biggest_inertia", OneOf("biggest_inertia", "largest_cluster"))

    _children: NDArray[np.int64]
    _node_centres: NDArray[Any]
    _leaf_labels: NDArray[np.int32]

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Cut the rows into clusters.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            Training rows.
        y : None
            Not used.
        sample_weight : array of shape (n_samples,), optional
            Weights of the rows.
        """
        data = check_fit(self, X, None, sample_weight, accept_sparse=("csr",))
        rows, weight = self._checked_rows(data), data.sample_weight
        rng = random_state_of(self.random_state)
        mean = np.asarray(rows.mean(axis=0), dtype=rows.dtype).ravel()
        leaves = {0: np.arange(data.n_samples)}
        scores, centres, children = [0.0], [mean], [(_LEAF, _LEAF)]
        for _ in range(self.n_clusters - 1):
            node = self._next_cut(children, leaves, scores)
            places = leaves.pop(node)
            mass = None if weight is None else weight[places]
            some = rows if len(places) == data.n_samples else rows[places]
            ends, labels, of_each = self._cut(some, mass, rng)
            children[node] = (len(centres), len(centres) + 1)
            for side in (0, 1):
                leaves[len(centres)] = places[labels == side]
                scores.append(of_each[side])
                centres.append(ends[side])
                children.append((_LEAF, _LEAF))
        self._children, self._node_centres = np.array(children), np.array(centres)
        self._keep_leaves(rows, weight, leaves)
        return self

    def _next_cut(
        self, children: list[tuple[int, int]], leaves: dict[int, Any], scores: list[float]
    ) -> int:
        """Return the leaf with the largest score, the leftmost of several, that has two rows."""
        in_order = [node for node in _leaves_in_order(children) if len(leaves[node]) > 1]
        return max(in_order, key=lambda node: scores[node])

    def _cut(
        self, rows: Any, weight: Floats | None, rng: np.random.RandomState
    ) -> tuple[NDArray[Any], NDArray[np.int32], list[float]]:
        """Return two centres, the side of each row, and the score of each side."""
        best: Any = None
        for _ in range(self.n_init):
            start = self._start(rows, weight, rng, 2)
            run = lloyd_run(
                rows, weight, start, self.max_iter, self.tol, verbose=bool(self.verbose)
            )
            if best is None or run[2][1] < best[2][1] * (1 - 1e-6):
                best = run
        centres, labels, _ = best
        if self.verbose:
            print(f"New centroids from bisection: {centres}")
        if self.bisecting_strategy == "largest_cluster":
            return centres, labels, np.bincount(labels, minlength=2).astype(float).tolist()
        squared = nearest(rows, centres)[1]
        squared = squared if weight is None else squared * weight
        return centres, labels, np.bincount(labels, weights=squared, minlength=2).tolist()

    def _keep_leaves(self, rows: Any, weight: Floats | None, leaves: dict[int, Any]) -> None:
        """Number the leaves from the left, and label the rows."""
        in_order = _leaves_in_order(self._children.tolist())
        self._leaf_labels = np.full(len(self._children), -1, dtype=np.int32)
        self._leaf_labels[in_order] = np.arange(len(in_order))
        self.cluster_centers_ = self._node_centres[in_order]
        self.labels_ = np.empty(rows.shape[0], dtype=np.int32)
        total = 0.0
        for node in in_order:
            places = leaves[node]
            self.labels_[places] = self._leaf_labels[node]
            if len(places) == 0:
                continue  # of rows that are all alike
            squared = nearest(rows[places], self._node_centres[[node]])[1]
            total += row_sum(squared if weight is None else squared * weight[places])
        self.inertia_ = total

    def predict(self, X: Any) -> NDArray[np.int32]:
        """Return the cluster of each row: at each cut it takes the side of the nearer centre.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            Rows.
        """
        check_is_fitted(self)
        rows = self._in_dtype(self._rows(X))
        labels = np.empty(rows.shape[0], dtype=np.int32)
        waiting = [(0, np.arange(rows.shape[0]))]
        while waiting:
            node, places = waiting.pop()
            children = self._children[node]
            if children[0] == _LEAF:
                labels[places] = self._leaf_labels[node]
            elif len(places):
                sides = nearest_labels(rows[places], self._node_centres[children])
                waiting += [(int(children[side]), places[sides == side]) for side in (0, 1)]
        return labels


def _leaves_in_order(children: Any) -> list[int]:
    """Return the leaves of a tree from the left."""
    found, waiting = [], [0]
    while waiting:
        node = waiting.pop()
        left, right = children[node]
        if left == _LEAF:
            found.append(node)
        else:
            waiting += [right, left]
    return found
