"""Clusters around the modes of a density."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._distance.tree import build_tree
from gramian._magnitude import require_squares
from gramian._typing import Floats
from gramian.base import BaseEstimator, ClusterMixin
from gramian.certificate import Certificate
from gramian.cluster._kmeans_start import nearest, nearest_labels
from gramian.cluster._mean_shift_seeds import get_bin_seeds, mean_kth_distance
from gramian.config import core_context
from gramian.params import Arrays, Boolean, Integer, Nothing, Real, param
from gramian.validation import check_array, check_fit, check_is_fitted, check_predict

__all__ = ["MeanShift", "mean_shift"]

_QUANTILE = 0.3  # of estimate_bandwidth


class MeanShift(ClusterMixin, BaseEstimator):
    """Clusters around the modes of a density, without a number of them.

    A seed moves to the mean of the rows within `bandwidth` of it, again and again, until it moves
    by no more than a thousandth of the bandwidth: that climbs the density of the rows. Of the
    places where seeds end, those with most rows around them are the centres; places within
    `bandwidth` of a better one are left out. Each row joins its nearest centre.

    Parameters
    ----------
    bandwidth : float, default=None
        How far a seed looks; None for what `estimate_bandwidth` says.
    seeds : array-like of shape (n_seeds, n_features), default=None
        Where to start; None for all rows, or what `bin_seeding` asks for.
    bin_seeding : bool, default=False
        Whether to start from the cells of a grid, `bandwidth` wide, that hold rows, rather than
        from all rows.
    min_bin_freq : int, default=1
        Least number of rows of such a cell.
    cluster_all : bool, default=True
        Whether rows farther than `bandwidth` from all centres join the nearest one; otherwise
        their label is -1.
    n_jobs : int, default=None
        Number of threads; None for what the settings say.
    max_iter : int, default=300
        Most steps of a seed after its first.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        The centres, those with most rows within `bandwidth` first.
    labels_ : ndarray of shape (n_samples,)
        Cluster of each row.
    n_iter_ : int
        The most steps that a seed took after its first.
    certificate_ : Certificate
        What one more step would do to the centres.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    >>> from gramian.cluster import MeanShift
    >>> X = [[1, 1], [2, 1], [1, 0], [4, 7], [3, 5], [3, 6]]
    >>> model = MeanShift(bandwidth=2).fit(X)
    >>> model.labels_
    array([1, 1, 1, 0, 0, 0])
    >>> model.predict([[0, 0], [5, 5]])
    array([1, 0])
    """

    bandwidth: float | None = param(None, Real(0.0, closed="right") | Nothing())
    seeds: Any = param(None, Arrays() | Nothing())
    bin_seeding: bool = param(False, Boolean())
    min_bin_freq: int = param(1, Integer(1))
    cluster_all: bool = param(True, Boolean())
    n_jobs: int | None = param(None, Integer() | Nothing())
    max_iter: int = param(300, Integer(0))

    cluster_centers_: NDArray[Any]
    labels_: NDArray[np.int64]
    n_iter_: int
    certificate_: Certificate

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the modes and their clusters.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            Training rows.
        y : None
            Not used.
        """
        rows = check_fit(self, X, accept_sparse=False).X
        require_squares(self, rows)
        bandwidth = self.bandwidth
        if bandwidth is None:
            k = max(1, int(len(rows) * _QUANTILE))
            bandwidth = mean_kth_distance(rows, k, self.n_jobs)
        seeds = np.array(self._seeds(rows, bandwidth), dtype=np.float64, order="C")
        tree = build_tree(rows)
        counts, n_iter, is_settled = _shift(tree, seeds, bandwidth, self.max_iter, self.n_jobs)
        if not counts.any():
            raise ValueError(
                f"No point was within bandwidth={bandwidth:f} of any seed. Try a different seeding "
                "strategy or increase the bandwidth."
            )
        found = counts > 0
        modes = _modes(seeds[found], counts[found], bandwidth, self.n_jobs)
        self.certificate_ = _certify(
            tree, modes, bandwidth, int(n_iter.max()), bool(is_settled[found].all())
        )
        self.n_iter_ = int(n_iter.max())
        self.cluster_centers_ = modes.astype(rows.dtype)
        self.labels_ = self._labels(rows, bandwidth)
        return self

    def predict(self, X: Any) -> NDArray[np.int64]:
        """Return the cluster of each row, that of the nearest centre.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            Rows.
        """
        check_is_fitted(self)
        rows = check_predict(self, X, accept_sparse=False)
        return nearest_labels(rows, self.cluster_centers_).astype(np.int64)

    def _seeds(self, rows: NDArray[Any], bandwidth: float) -> NDArray[Any]:
        if self.seeds is None:
            return get_bin_seeds(rows, bandwidth, self.min_bin_freq) if self.bin_seeding else rows
        seeds = check_array(self.seeds, dtype=np.float64, input_name="seeds")
        if seeds.shape[1] != rows.shape[1]:
            raise ValueError(
                f"seeds must have the {rows.shape[1]} columns of X. Got {seeds.shape[1]}."
            )
        return np.asarray(seeds)

    def _labels(self, rows: NDArray[Any], bandwidth: float) -> NDArray[np.int64]:
        labels, squared = nearest(rows, self.cluster_centers_)
        is_member = self.cluster_all | (np.sqrt(squared) <= bandwidth)
        return np.where(is_member, labels, -1).astype(np.int64)


def _shift(
    tree: Any, seeds: Floats, bandwidth: float, max_iter: int, n_jobs: int | None
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint8]]:
    """Move the seeds; return the rows around each, its steps, and whether it rests."""
    counts, n_iter = np.empty((2, len(seeds)), dtype=np.int64)
    is_settled = np.zeros(len(seeds), dtype=np.uint8)
    _core.shift_to_means(
        tree,
        bandwidth=float(bandwidth),
        max_iter=max_iter,
        means=seeds,
        n_within=counts,
        n_iter=n_iter,
        is_settled=is_settled,
        ctx=core_context(n_jobs),
    )
    return counts, n_iter, is_settled


def _modes(ends: Floats, counts: NDArray[np.int64], bandwidth: float, n_jobs: int | None) -> Floats:
    """Return the places where seeds ended, best first, that are not near a better one.

    Those with most rows come first, and of these the largest by their first coordinates. Of equal
    places the last one says how many rows there are, as scikit-learn has it.
    """
    order = np.lexsort(ends.T[::-1])
    is_last = np.append((np.diff(ends[order], axis=0) != 0.0).any(axis=1), True)
    distinct = order[is_last]
    best = distinct[np.argsort(counts[distinct], kind="stable")[::-1]]
    candidates = np.ascontiguousarray(ends[best])
    keeps = np.empty(len(candidates), dtype=np.uint8)
    _core.keep_apart(
        candidates,
        build_tree(candidates),
        radius=float(bandwidth),
        keeps=keeps,
        ctx=core_context(n_jobs),
    )
    modes: Floats = candidates[keeps.astype(bool)]
    return modes


def _certify(
    tree: Any, modes: Floats, bandwidth: float, n_iter: int, are_settled: bool
) -> Certificate:
    """Return how far one more step would move the centres."""
    moved = modes.copy()
    counts = _shift(tree, moved, bandwidth, 0, None)[0]
    step = float(np.sqrt(((moved - modes) ** 2).sum(axis=1)).max())
    relative = step / bandwidth if bandwidth > 0.0 else 0.0
    statement = (
        f"{len(modes)} centres after at most {n_iter} further steps; one more would move them by "
        f"{relative:.1e} of the bandwidth at most"
    )
    if not are_settled:
        statement += "; some seeds were still on their way"
    # What the centres have around them, as a part of the rows: none has more after a step.
    density = float(counts.sum()) / len(tree[0])
    details = {"bandwidth": bandwidth}
    return Certificate(-density, relative, are_settled, statement, n_iter, details=details)


def mean_shift(
    X: Any,
    *,
    bandwidth: float | None = None,
    seeds: Any = None,
    bin_seeding: bool = False,
    min_bin_freq: int = 1,
    cluster_all: bool = True,
    max_iter: int = 300,
    n_jobs: int | None = None,
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Cluster rows by mean shift, as `MeanShift` with these parameters does.

    Returns
    -------
    cluster_centers : ndarray of shape (n_clusters, n_features)
    labels : ndarray of shape (n_samples,)

    Examples
    --------
    >>> from gramian.cluster import mean_shift
    >>> X = [[1, 1], [2, 1], [1, 0], [4, 7], [3, 5], [3, 6]]
    >>> cluster_centers, labels = mean_shift(X, bandwidth=2)
    >>> labels
    array([1, 1, 1, 0, 0, 0])
    """
    model = MeanShift(
        bandwidth=bandwidth,
        seeds=seeds,
        bin_seeding=bin_seeding,
        min_bin_freq=min_bin_freq,
        cluster_all=cluster_all,
        n_jobs=n_jobs,
        max_iter=max_iter,
    ).fit(X)
    return model.cluster_centers_, model.labels_
