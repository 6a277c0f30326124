"""Clusters around exemplars, chosen by messages between rows."""

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gramian._draws import random_state_of
from gramian._magnitude import require_squares
from gramian.base import BaseEstimator, ClusterMixin, Tags
from gramian.certificate import Certificate
from gramian.cluster._exemplars import find_exemplars, require_memory
from gramian.cluster._kmeans_start import nearest_labels
from gramian.exceptions import ConvergenceWarning, shared
from gramian.metrics.pairwise import euclidean_distances
from gramian.params import Arrays, Boolean, Integer, Nothing, OneOf, RandomState, Real, param
from gramian.validation import check_fit, check_is_fitted, check_predict

__all__ = ["AffinityPropagation", "affinity_propagation"]


class AffinityPropagation(ClusterMixin, BaseEstimator):
    """Clusters around rows that are exemplars of others, without a number of them.

    Rows tell each other how well one would serve as the exemplar of the other, in rounds, until
    the exemplars no longer change. The sum of the similarities of the rows to their exemplars,
    and of the preferences of the exemplars, is to be large.

    Parameters
    ----------
    damping : float, default=0.5
        Part of the former messages that is kept in each round, at least 0.5 and below 1: more of
        it where messages swing.
    max_iter : int, default=200
        Most rounds.
    convergence_iter : int, default=15
        Rounds without a change that end it.
    copy : bool, default=True
        Whether given similarities are left as they are.
    preference : float or array-like of shape (n_samples,), default=None
        How much rows are to be exemplars: more of it, more of them. None is the median of the
        similarities.
    affinity : {"euclidean", "precomputed"}, default="euclidean"
        The similarity of two rows: the negative squared distance, or what `X` says.
    verbose : bool, default=False
        Whether to print how it ended.
    random_state : int, RandomState, Generator or None, default=None
        Source of the noise, of the size of rounding, that parts equal similarities.

    Attributes
    ----------
    cluster_centers_indices_ : ndarray of shape (n_clusters,)
        Numbers of the exemplars.
    cluster_centers_ : ndarray or sparse matrix of shape (n_clusters, n_features)
        The exemplars, if rows were given.
    labels_ : ndarray of shape (n_samples,)
        Cluster of each row.
    affinity_matrix_ : ndarray of shape (n_samples, n_samples)
        The similarities, with the preferences on the diagonal.
    n_iter_ : int
        Number of rounds.
    certificate_ : Certificate
        What one exemplar more or less would do to the sum of similarities.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    >>> from gramian.cluster import AffinityPropagation
    >>> X = [[1, 2], [1, 4], [1, 0], [4, 2], [4, 4], [4, 0]]
    >>> model = AffinityPropagation(random_state=5).fit(X)
    >>> model.labels_
    array([0, 0, 0, 1, 1, 1])
    >>> model.predict([[0, 0], [4, 4]])
    array([0, 1])
    """

    damping: float = param(0.5, Real(0.5, 1.0))
    max_iter: int = param(200, Integer(1))
    convergence_iter: int = param(15, Integer(1))
    copy: bool = param(True, Boolean())
    preference: Any = param(None, Real() | Arrays() | Nothing())
    affinity: str = param("euclidean", OneOf("euclidean", "precomputed"))
    verbose: bool = param(False, Boolean() | Integer(0))
    random_state: Any = param(None, RandomState())

    cluster_centers_indices_: NDArray[np.intp]
    cluster_centers_: Any
    labels_: NDArray[np.int64]
    affinity_matrix_: NDArray[Any]
    n_iter_: int
    certificate_: Certificate

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find exemplars.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            Training rows; with ``affinity="precomputed"`` the similarities between them.
        y : None
            Not used.
        """
        is_given = self.affinity == "precomputed"
        rows = check_fit(self, X, accept_sparse=False if is_given else ("csr",)).X
        S = self._similarities(rows)
        found = find_exemplars(
            S,
            self.preference,
            random_state_of(self.random_state),
            damping=self.damping,
            max_iter=self.max_iter,
            convergence_iter=self.convergence_iter,
        )
        if self.verbose:
            is_settled = found.certificate.converged
            print(
                f"Converged after {found.n_iter} iterations." if is_settled else "Did not converge"
            )
        self.affinity_matrix_ = S
        self.cluster_centers_indices_, self.labels_ = found.indices, found.labels
        self.n_iter_, self.certificate_ = found.n_iter, found.certificate
        vars(self).pop("cluster_centers_", None)
        if not is_given:
            self.cluster_centers_ = rows[found.indices].copy()
        return self

    def predict(self, X: Any) -> NDArray[np.int64]:
        """Return the cluster of each row, that of the nearest exemplar.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            Rows.
        """
        check_is_fitted(self)
        rows = check_predict(self, X, accept_sparse=("csr",))
        if "cluster_centers_" not in vars(self):
            raise ValueError("Predict method is not supported when affinity='precomputed'.")
        centres = self.cluster_centers_
        if centres.shape[0] == 0:
            warnings.warn(
                "This model does not have any cluster centers because affinity propagation did not "
                "converge. Labeling every sample as '-1'.",
                shared(ConvergenceWarning),
                stacklevel=2,
            )
            return np.full(rows.shape[0], -1, dtype=np.int64)
        dense = centres.toarray() if hasattr(centres, "toarray") else centres
        return nearest_labels(rows, dense).astype(np.int64)

    def _similarities(self, rows: Any) -> NDArray[Any]:
        """Return a square matrix that may be written to."""
        n = rows.shape[0]
        if self.affinity == "precomputed":
            if rows.shape[1] != n:
                raise ValueError(
                    f"The matrix of similarities must be a square array. Got {rows.shape} instead."
                )
            require_memory(n, 0 if self.copy else 1)
            is_kept = not self.copy and rows.flags.writeable
            return rows if is_kept else np.array(rows, order="C")
        require_squares(self, rows)
        require_memory(n, 0)
        S: NDArray[Any] = euclidean_distances(rows, squared=True)
        np.negative(S, out=S)
        return S

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.pairwise = self.affinity == "precomputed"
        tags.sparse = self.affinity != "precomputed"
        return tags


def affinity_propagation(
    S: Any,
    *,
    preference: Any = None,
    convergence_iter: int = 15,
    max_iter: int = 200,
    damping: float = 0.5,
    copy: bool = True,
    verbose: bool = False,
    return_n_iter: bool = False,
    random_state: Any = None,
) -> tuple[Any, ...]:
    """Cluster by given similarities, as `AffinityPropagation` with these parameters does.

    Parameters
    ----------
    S : array-like of shape (n_samples, n_samples)
        Similarities.
    preference, convergence_iter, max_iter, damping, copy, verbose, random_state
        As in `AffinityPropagation`.
    return_n_iter : bool, default=False
        Whether to return the number of rounds, too.

    Returns
    -------
    cluster_centers_indices : ndarray of shape (n_clusters,)
    labels : ndarray of shape (n_samples,)
    n_iter : int
        Only with ``return_n_iter=True``.

    Examples
    --------
    >>> from gramian.cluster import affinity_propagation
    >>> from gramian.metrics.pairwise import euclidean_distances
    >>> X = [[1, 2], [1, 4], [1, 0], [4, 2], [4, 4], [4, 0]]
    >>> S = -euclidean_distances(X, squared=True)
    >>> affinity_propagation(S, random_state=0)
    (array([0, 3]), array([0, 0, 0, 1, 1, 1]))
    """
    model = AffinityPropagation(
        damping=damping,
        max_iter=max_iter,
        convergence_iter=convergence_iter,
        copy=copy,
        preference=preference,
        affinity="precomputed",
        verbose=verbose,
        random_state=random_state,
    ).fit(S)
    found = model.cluster_centers_indices_, model.labels_
    return (*found, model.n_iter_) if return_n_iter else found
