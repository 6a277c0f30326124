"""k-means."""

import math
import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._draws import random_state_of
from gramian._typing import Floats
from gramian.base import Tags
from gramian.blocks import is_blocks
from gramian.certificate import Certificate
from gramian.cluster._kmeans_base import CentresBase, mean_variance
from gramian.cluster._kmeans_start import nearest_labels
from gramian.config import core_context
from gramian.exceptions import ConvergenceWarning, shared
from gramian.params import Boolean, OneOf, param
from gramian.validation import check_fit, is_sparse

__all__ = ["KMeans", "k_means"]

_NEAR_ROWS = 1024  # about which sums of rows in blocks are taken, as those of rows in memory
Run = tuple[NDArray[Any], NDArray[np.int32], tuple[int, float, float, bool, bool]]


class KMeans(CentresBase):
    """k-means: clusters around centres that are the means of their rows.

    Minimises the inertia ``sum_i w_i |x_i - c(i)|^2``, where c(i) is the centre nearest to row i,
    by Lloyd's algorithm, to a minimum that depends on the start.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    init : {"k-means++", "k-means||", "random"}, callable or array, default="k-means++"
        Where the centres start: at rows drawn by their distance from each other, in few rounds of
        many draws, or evenly; or what a function of rows, number and random state returns, or the
        array of shape (n_clusters, n_features).
    n_init : int or "auto", default="auto"
        How many starts to try; the best end is kept. "auto" is 10 for "random" and functions, and 1
        otherwise.
    max_iter : int, default=300
        Most steps of one start.
    tol : float, default=1e-4
        Stop when the sum of the centres' squared moves is at most this part of the columns' mean
        variance.
    verbose : int, default=0
        Whether to print the inertia of each step.
    random_state : int, RandomState, Generator or None, default=None
        Source of the draws.
    copy_x : bool, default=True
        Taken for scikit-learn's sake: `X` is not changed either way.
    algorithm : {"lloyd", "elkan"}, default="lloyd"
        Taken for scikit-learn's sake: bounds of distances are used either way, and the result is
        that of Lloyd's algorithm.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        The centres; for a data frame in the columns of ``encoding_``.
    labels_ : ndarray of shape (n_samples,)
        The cluster of each training row.
    inertia_ : float
        Weighted sum of squared distances of the rows to their centres.
    n_iter_ : int
        Number of steps from the best start.
    certificate_ : Certificate
        Labels and centres verified in double precision, and what one more step would gain.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    >>> from gramian.cluster import KMeans
    >>> X = [[1.0, 2.0], [1.0, 4.0], [10.0, 2.0], [10.0, 4.0]]
    >>> model = KMeans(n_clusters=2, random_state=0).fit(X)
    >>> sorted(model.cluster_centers_.tolist())
    [[1.0, 3.0], [10.0, 3.0]]
    """

    _signature = (
        "n_clusters, *, init, n_init, max_iter, tol, verbose, random_state, copy_x, algorithm"
    )

    copy_x: bool = param(True, Boolean())
    algorithm: str = param("lloyd", OneOf("lloyd", "elkan"))

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.blocks = not callable(self.init)
        return tags

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the centres.

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
        rows = self._checked_rows(data)
        if self.algorithm == "elkan" and self.n_clusters == 1:
            warnings.warn(
                "algorithm='elkan' doesn't make sense for a single cluster. Using 'lloyd' instead.",
                RuntimeWarning,
                stacklevel=2,
            )
        centres, labels, found = self._best_run(rows, data.sample_weight)
        n_distinct = np.count_nonzero(np.bincount(labels))
        if n_distinct < self.n_clusters:
            warnings.warn(
                f"Number of distinct clusters ({n_distinct}) found smaller than n_clusters "
                f"({self.n_clusters}). Possibly due to duplicate points in X.",
                shared(ConvergenceWarning),
                stacklevel=2,
            )
        if not math.isfinite(found[1]):
            raise ValueError(
                "The squares of the values of X are beyond the range of numbers; scale X."
            )
        self.cluster_centers_, self.labels_ = centres, labels
        self.n_iter_, self.inertia_ = found[0], found[1]
        self.certificate_ = _certify(rows, data.sample_weight, centres, labels, found)
        return self

    def _best_run(self, rows: Any, weight: Floats | None) -> Run:
        rng = random_state_of(self.random_state)
        tol = self.tol * mean_variance(rows, weight) if self.tol > 0.0 else 0.0
        best: Run | None = None
        self._n_init = self._n_starts()
        for _ in range(self._n_init):
            start = self._start(rows, weight, rng)
            if self.verbose:
                print("Initialization complete")
            run = lloyd_run(rows, weight, start, self.max_iter, tol, verbose=bool(self.verbose))
            if best is None or run[2][1] < best[2][1]:
                best = run
        assert best is not None
        return best


def lloyd_run(
    rows: Any,
    weight: Floats | None,
    centres: NDArray[Any],
    max_iter: int,
    tol: float,
    *,
    verbose: bool,
) -> Run:
    """Move the centres until they rest; return them, the labels, and how it went."""
    labels = np.empty(rows.shape[0], dtype=np.int32)
    history = np.empty(max_iter) if verbose else None
    options: dict[str, Any] = {
        "centres": centres,
        "max_iter": max_iter,
        "tol": tol,
        "labels": labels,
        "history": history,
        "ctx": core_context(),
    }
    if is_blocks(rows):
        n_rows = rows.n_rows
        near = rows.rows(np.arange(0, n_rows, max(n_rows // _NEAR_ROWS, 1)))
        found = _core.lloyd_of_blocks(rows, near, weight, **options)
    else:
        found = _core.lloyd(rows, weight, **options)
    n_iter, _, moved, is_settled, is_converged = found
    if history is not None:
        for step, inertia in enumerate(history[:n_iter]):
            print(f"Iteration {step}, inertia {inertia}.")
        if is_settled:
            print(f"Converged at iteration {n_iter - 1}: strict convergence.")
        elif is_converged:
            how = f"center shift {moved} within tolerance {tol}."
            print(f"Converged at iteration {n_iter - 1}: {how}")
    return centres, labels, found


def _certify(
    rows: Any, weight: Floats | None, centres: NDArray[Any], labels: NDArray[np.int32], found: Any
) -> Certificate:
    """Return how good labels and centres are, from a pass over the rows that knows no bounds."""
    n_iter, inertia, _, _, is_converged = found
    n_wrong = int(np.count_nonzero(nearest_labels(rows, centres) != labels))
    gain = _gain_of_means(rows, weight, centres, labels) / inertia if inertia > 0.0 else 0.0
    statement = (
        f"inertia {inertia:.6g} after {n_iter} steps; moving the centres to the means of their "
        f"rows once more would lower it by {gain:.1e} of itself"
    )
    if n_wrong:
        statement += f"; {n_wrong} rows are not in the cluster of their nearest centre"
    is_right = is_converged and n_wrong == 0
    return Certificate(inertia, gain, is_right, statement, n_iter, details={"mislabelled": n_wrong})


def _gain_of_means(
    rows: Any, weight: Floats | None, centres: NDArray[Any], labels: NDArray[np.int32]
) -> float:
    """Return the inertia at the centres less that at the means, ``sum_c W_c |c - mean_c|^2``."""
    wide = centres.astype(np.float64)
    shift = np.zeros(wide.shape[1]) if is_sparse(rows) else wide.mean(axis=0)
    sums, weights = np.empty(wide.shape), np.empty(len(wide))
    _core.cluster_sums(
        rows, weight, labels, shift=shift, sums=sums, weights=weights, ctx=core_context()
    )
    means = np.divide(sums, weights[:, None], out=wide - shift, where=weights[:, None] > 0.0)
    return float((weights * ((wide - shift - means) ** 2).sum(axis=1)).sum())


def k_means(
    X: Any,
    n_clusters: int,
    *,
    sample_weight: Any = None,
    init: Any = "k-means++",
    n_init: Any = "auto",
    max_iter: int = 300,
    verbose: bool = False,
    tol: float = 1e-4,
    random_state: Any = None,
    copy_x: bool = True,
    algorithm: str = "lloyd",
    return_n_iter: bool = False,
) -> tuple[Any, ...]:
    """Cluster rows by k-means, as `KMeans` with these parameters does.

    Returns
    -------
    centroid : ndarray of shape (n_clusters, n_features)
    label : ndarray of shape (n_samples,)
    inertia : float
    best_n_iter : int
        Only with ``return_n_iter=True``.

    Examples
    --------
    >>> from gramian.cluster import k_means
    >>> centroid, label, inertia = k_means([[1.0], [2.0], [9.0]], 2, random_state=0)
    >>> inertia
    0.5
    """
    model = KMeans(
        n_clusters,
        init=init,
        n_init=n_init,
        max_iter=max_iter,
        verbose=verbose,
        tol=tol,
        random_state=random_state,
        copy_x=copy_x,
        algorithm=algorithm,
    ).fit(X, sample_weight=sample_weight)
    found = model.cluster_centers_, model.labels_, model.inertia_
    return (*found, model.n_iter_) if return_n_iter else found
