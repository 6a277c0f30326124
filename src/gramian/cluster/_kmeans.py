"""k-means."""

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._class_moments import ClassMoments
from gramian._draws import random_state_of
from gramian._magnitude import require_squares
from gramian._powers import largest_of
from gramian._sums import row_sum
from gramian._tags import tagged
from gramian._typing import Floats
from gramian.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    TransformerMixin,
)
from gramian.certificate import Certificate
from gramian.cluster._kmeans_start import dense_rows, nearest, nearest_labels, scalable_start, seeds
from gramian.config import core_context
from gramian.exceptions import ConvergenceWarning, shared
from gramian.metrics.pairwise import euclidean_distances
from gramian.params import Arrays, Boolean, Callables, Integer, OneOf, RandomState, Real, param
from gramian.validation import (
    all_finite,
    check_array,
    check_fit,
    check_is_fitted,
    check_predict,
    check_sample_weight,
    is_sparse,
)

__all__ = ["KMeans", "k_means"]

Run = tuple[NDArray[Any], NDArray[np.int32], tuple[int, float, float, bool, bool]]


class KMeans(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, BaseEstimator):
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

    _own_tags = tagged(sparse=True)

    n_clusters: int = param(8, Integer(1), positional=True)
    init: Any = param(
        "k-means++", OneOf("k-means++", "random", "k-means||") | Callables() | Arrays()
    )
    n_init: Any = param("auto", OneOf("auto") | Integer(1))
    max_iter: int = param(300, Integer(1))
    tol: float = param(1e-4, Real(0.0))
    verbose: int = param(0, Integer(0) | Boolean())
    random_state: Any = param(None, RandomState())
    copy_x: bool = param(True, Boolean())
    algorithm: str = param("lloyd", OneOf("lloyd", "elkan"))

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
        if data.n_samples < self.n_clusters:
            raise ValueError(
                f"n_samples={data.n_samples} should be >= n_clusters={self.n_clusters}."
            )
        require_squares(self, data.X)
        rows = data.X if is_sparse(data.X) else np.ascontiguousarray(data.X)
        if self.algorithm == "elkan" and self.n_clusters == 1:
            warnings.warn(
                "algorithm='elkan' doesn't make sense for a single cluster. Using 'lloyd' instead.",
                RuntimeWarning,
                stacklevel=2,
            )
        centres, labels, found = self._best_run(rows, data.sample_weight)
        n_distinct = len(np.unique(labels))
        if n_distinct < self.n_clusters:
            warnings.warn(
                f"Number of distinct clusters ({n_distinct}) found smaller than n_clusters "
                f"({self.n_clusters}). Possibly due to duplicate points in X.",
                shared(ConvergenceWarning),
                stacklevel=2,
            )
        self.cluster_centers_, self.labels_ = centres, labels
        self.n_iter_, self.inertia_ = found[0], found[1]
        self.certificate_ = _certify(rows, data.sample_weight, centres, labels, found)
        return self

    def _best_run(self, rows: Any, weight: Floats | None) -> Run:
        rng = random_state_of(self.random_state)
        tol = self.tol * _mean_variance(rows, weight) if self.tol > 0.0 else 0.0
        best: Run | None = None
        for _ in range(self._n_starts()):
            start = self._start(rows, weight, rng)
            if self.verbose:
                print("Initialization complete")
            run = self._run(rows, weight, start, tol)
            if best is None or run[2][1] < best[2][1]:
                best = run
        assert best is not None
        return best

    def _run(self, rows: Any, weight: Floats | None, centres: NDArray[Any], tol: float) -> Run:
        labels = np.empty(rows.shape[0], dtype=np.int32)
        history = np.empty(self.max_iter) if self.verbose else None
        found = _core.lloyd(
            rows,
            weight,
            centres=centres,
            max_iter=self.max_iter,
            tol=tol,
            labels=labels,
            history=history,
            ctx=core_context(),
        )
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

    def _n_starts(self) -> int:
        is_array = not isinstance(self.init, str) and not callable(self.init)
        if self.n_init == "auto":
            is_random = isinstance(self.init, str) and self.init == "random"
            return 10 if is_random or callable(self.init) else 1
        if is_array and self.n_init != 1:
            warnings.warn(
                f"Explicit initial center position passed: performing only one init in "
                f"{type(self).__name__} instead of n_init={self.n_init}.",
                RuntimeWarning,
                stacklevel=2,
            )
            return 1
        return int(self.n_init)

    def _start(self, rows: Any, weight: Floats | None, rng: np.random.RandomState) -> NDArray[Any]:
        """Return centres to start from, in an array of their own."""
        k = self.n_clusters
        if isinstance(self.init, str):
            if self.init == "k-means||":
                return scalable_start(rows, weight, k, rng)
            if self.init == "k-means++":
                return dense_rows(rows, seeds(rows, weight, k, rng))
            n = rows.shape[0]
            share = np.full(n, 1.0 / n) if weight is None else weight / weight.sum()
            return dense_rows(rows, rng.choice(n, size=k, replace=False, p=share))
        given = self.init(rows, k, random_state=rng) if callable(self.init) else self.init
        dtype = rows.dtype
        centres = np.array(check_array(given, dtype=dtype), dtype=dtype, order="C", copy=True)
        if len(centres) != k:
            raise ValueError(
                f"The shape of the initial centers {centres.shape} does not match the number of "
                f"clusters {k}."
            )
        if centres.shape[1] != rows.shape[1]:
            raise ValueError(
                f"The shape of the initial centers {centres.shape} does not match the number of "
                f"features of the data {rows.shape[1]}."
            )
        return centres

    def fit_predict(  # type: ignore[override]
        self, X: Any, y: Any = None, sample_weight: Any = None
    ) -> Any:
        """Fit and return ``labels_``.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            Training rows.
        y : None
            Not used.
        sample_weight : array of shape (n_samples,), optional
            Weights of the rows.
        """
        return self.fit(X, sample_weight=sample_weight).labels_

    def predict(self, X: Any) -> NDArray[np.int32]:
        """Return the cluster of each row, that of the nearest centre.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            Rows.
        """
        check_is_fitted(self)
        return nearest_labels(self._in_dtype(self._rows(X)), self.cluster_centers_)

    def _rows(self, X: Any) -> Any:
        rows = check_predict(self, X)
        if largest_of(rows.data if is_sparse(rows) else rows) > 1.0:
            require_squares(self, rows)
        return rows

    def _in_dtype(self, rows: Any) -> Any:
        return rows.astype(self.cluster_centers_.dtype, copy=False)

    def fit_transform(  # type: ignore[override]
        self, X: Any, y: Any = None, sample_weight: Any = None
    ) -> Any:
        """Fit, and return the distances of the rows to the centres.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            Training rows.
        y : None
            Not used.
        sample_weight : array of shape (n_samples,), optional
            Weights of the rows.
        """
        return self.fit(X, sample_weight=sample_weight).transform(X)

    def transform(self, X: Any) -> Any:
        """Return the distances of rows to the centres.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            Rows.
        """
        check_is_fitted(self)
        distances = euclidean_distances(self._rows(X), self.cluster_centers_)
        if not all_finite(distances):
            raise ValueError(
                f"The distances of X from the centres are too large for {distances.dtype}; scale X."
            )
        return distances

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Return the inertia of rows, with a minus: more is better.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            Rows.
        y : None
            Not used.
        sample_weight : array of shape (n_samples,), optional
            Weights of the rows.
        """
        check_is_fitted(self)
        rows = self._rows(X)
        squared = nearest(self._in_dtype(rows), self.cluster_centers_)[1]
        if sample_weight is not None:
            squared = squared * check_sample_weight(sample_weight, rows)
        return -row_sum(squared)

    @property
    def _n_features_out(self) -> int:
        return len(self.cluster_centers_)


def _mean_variance(rows: Any, weight: Floats | None) -> float:
    """Return the mean of the columns' variances."""
    if not is_sparse(rows):
        one_class = np.zeros(rows.shape[0], dtype=np.int64)
        return float(ClassMoments.of(rows, one_class, weight, 1).variance.mean())
    values = rows.astype(np.float64)
    mass = np.full(rows.shape[0], 1.0 / rows.shape[0]) if weight is None else weight / weight.sum()
    mean = mass @ values
    squares = mass @ values.multiply(values)
    return float(np.mean(np.maximum(squares - mean**2, 0.0)))


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
