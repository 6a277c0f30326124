"""Random projections, and how many dimensions they need."""

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from gramian._draws import random_state_of, sample_without_replacement
from gramian._linalg import pseudo_inverse
from gramian._memory import available_bytes
from gramian._spectral.operator import project
from gramian._typing import Floats
from gramian.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, Tags, TransformerMixin
from gramian.exceptions import DataDimensionalityWarning, shared
from gramian.params import Boolean, Integer, OneOf, RandomState, Real, param
from gramian.validation import check_array, check_fit, check_is_fitted, check_predict, is_sparse

__all__ = [
    "GaussianRandomProjection",
    "SparseRandomProjection",
    "johnson_lindenstrauss_min_dim",
]


def johnson_lindenstrauss_min_dim(n_samples: Any, *, eps: Any = 0.1) -> Any:
    """Return how many random dimensions keep all distances between rows.

    With good probability every squared distance changes by at most the fraction `eps`, for
    ``4 ln n / (eps² / 2 - eps³ / 3)`` dimensions, however many columns the rows have.

    Parameters
    ----------
    n_samples : int or array-like of int
        Number of rows.
    eps : float or array-like of float, default=0.1
        Largest relative change, between 0 and 1.

    Returns
    -------
    int or ndarray of int

    Examples
    --------
    >>> from gramian.random_projection import johnson_lindenstrauss_min_dim
    >>> johnson_lindenstrauss_min_dim(1e6, eps=[0.5, 0.1, 0.01])
    array([    663,   11841, 1112658])
    """
    change, n = np.asarray(eps), np.asarray(n_samples)
    if (change <= 0.0).any() or (change >= 1.0).any():
        raise ValueError(f"The JL bound is defined for eps in ]0, 1[, got {change!r}")
    if (n <= 0).any():
        raise ValueError(f"The JL bound is defined for n_samples greater than zero, got {n!r}")
    return (4.0 * np.log(n) / (change**2 / 2.0 - change**3 / 3.0)).astype(np.int64)


class _RandomProjection(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Base of random projections."""

    n_components: Any = param("auto", Integer(1) | OneOf("auto"), positional=True)
    eps: float = param(0.1, Real(0.0, closed="neither"))
    compute_inverse_components: bool = param(False, Boolean())
    random_state: Any = param(None, RandomState())

    components_: Any
    n_components_: int
    inverse_components_: NDArray[Any]

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.sparse = True
        tags.preserves_dtype = ("float64", "float32")
        return tags

    def fit(self, X: Any, y: Any = None) -> Self:
        """Draw the directions; of the rows their number and that of the columns count alone.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            Training rows.
        y : None
            Not used.
        """
        rows = check_fit(self, X, accept_sparse=("csr",)).X
        n, p = rows.shape
        self.n_components_ = k = self._checked_n_components(n, p)
        self.components_ = self._directions(k, p).astype(rows.dtype, copy=False)
        vars(self).pop("inverse_components_", None)
        if self.compute_inverse_components:
            self.inverse_components_ = self._inverse()
        return self

    def _require_memory(self, k: int, p: int) -> None:
        needed, available = self._bytes_of(k, p), available_bytes()
        if available is not None and needed > available:
            raise MemoryError(
                f"n_components={k} directions of {p} features take {needed / 2**30:,.0f} GiB, and "
                f"{available / 2**30:,.1f} GiB are free."
            )

    def _bytes_of(self, k: int, p: int) -> float:
        """Return how much memory the directions take."""
        return 8.0 * k * p

    def _checked_n_components(self, n: int, p: int) -> int:
        if self.n_components != "auto":
            if self.n_components > p:
                warnings.warn(
                    "The number of components is higher than the number of features: n_features < "
                    f"n_components ({p} < {self.n_components}). The dimensionality of the problem "
                    "will not be reduced.",
                    shared(DataDimensionalityWarning),
                    stacklevel=4,
                )
            self._require_memory(int(self.n_components), p)
            return int(self.n_components)
        k = int(johnson_lindenstrauss_min_dim(n, eps=self.eps))
        dimension = f"eps={self.eps:f} and n_samples={n} lead to a target dimension of {k} which is"
        if k <= 0:
            raise ValueError(f"{dimension} invalid; set n_components.")
        if k > p:
            raise ValueError(
                f"{dimension} larger than the original space with n_features={p}; set n_components."
            )
        return k

    def _directions(self, k: int, p: int) -> Any:
        raise NotImplementedError

    def _inverse(self) -> NDArray[Any]:
        directions = self.components_
        dense = directions.toarray() if is_sparse(directions) else directions
        inverse: NDArray[Any] = pseudo_inverse(dense.astype(np.float64)).astype(dense.dtype)
        return inverse

    def inverse_transform(self, X: Any) -> Any:
        """Return the shortest rows with these coordinates.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_components)
            Coordinates.
        """
        check_is_fitted(self)
        given = check_array(X, ("csr",), dtype=(np.float64, np.float32), input_name="X")
        if given.shape[1] != self.n_components_:
            raise ValueError(
                f"X has {given.shape[1]} columns, but {type(self).__name__} has "
                f"{self.n_components_} components."
            )
        inverse = self.inverse_components_ if self.compute_inverse_components else self._inverse()
        directions = np.ascontiguousarray(inverse.T, np.float64)
        return project(given, directions, np.zeros(directions.shape[1]))

    @property
    def _n_features_out(self) -> int:
        return int(self.components_.shape[0])


class GaussianRandomProjection(_RandomProjection):
    """Projection on directions of normal numbers, of variance ``1 / n_components``.

    Parameters
    ----------
    n_components : int or "auto", default="auto"
        How many directions; "auto" takes as many as keep the distances, by
        `johnson_lindenstrauss_min_dim`.
    eps : float, default=0.1
        Largest relative change of a squared distance, for `n_components="auto"`.
    compute_inverse_components : bool, default=False
        Whether the pseudo-inverse behind `inverse_transform` is found at fit, and kept.
    random_state : int, RandomState, Generator or None, default=None
        Draws the directions, for a seed those of scikit-learn.

    Attributes
    ----------
    components_ : ndarray of shape (n_components_, n_features)
        The directions.
    n_components_ : int
        Number of directions.
    inverse_components_ : ndarray of shape (n_features, n_components_)
        Their pseudo-inverse, with `compute_inverse_components`.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian.random_projection import GaussianRandomProjection
    >>> X = np.random.default_rng(0).normal(size=(25, 3000))
    >>> GaussianRandomProjection(random_state=0).fit_transform(X).shape
    (25, 2759)
    """

    def _directions(self, k: int, p: int) -> Floats:
        drawn: Floats = random_state_of(self.random_state).normal(
            loc=0.0, scale=1.0 / np.sqrt(k), size=(k, p)
        )
        return drawn

    def transform(self, X: Any) -> Any:
        """Return the coordinates of rows.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            Rows.
        """
        check_is_fitted(self)
        rows = check_predict(self, X)
        directions = np.ascontiguousarray(self.components_.T, np.float64)
        return project(rows, directions, np.zeros(directions.shape[1]))


class SparseRandomProjection(_RandomProjection):
    """Projection on directions that are zero but for a few entries of one size, of either sign.

    Parameters
    ----------
    n_components : int or "auto", default="auto"
        How many directions; "auto" takes as many as keep the distances, by
        `johnson_lindenstrauss_min_dim`.
    density : float or "auto", default="auto"
        Fraction of entries that are not zero; "auto" is ``1 / sqrt(n_features)``.
    eps : float, default=0.1
        Largest relative change of a squared distance, for `n_components="auto"`.
    dense_output : bool, default=False
        Whether the coordinates of sparse rows are dense.
    compute_inverse_components : bool, default=False
        Whether the pseudo-inverse behind `inverse_transform` is found at fit, and kept.
    random_state : int, RandomState, Generator or None, default=None
        Draws the directions, for a seed those of scikit-learn.

    Attributes
    ----------
    components_ : sparse matrix of shape (n_components_, n_features)
        The directions; an array if all entries are drawn.
    density_ : float
        Fraction of entries that are not zero.
    n_components_ : int
        Number of directions.
    inverse_components_ : ndarray of shape (n_features, n_components_)
        Their pseudo-inverse, with `compute_inverse_components`.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian.random_projection import SparseRandomProjection
    >>> X = np.random.default_rng(0).normal(size=(25, 3000))
    >>> model = SparseRandomProjection(random_state=0).fit(X)
    >>> model.transform(X).shape, round(model.density_, 4)
    ((25, 2759), 0.0183)
    """

    density: Any = param("auto", Real(0.0, 1.0, closed="right") | OneOf("auto"))
    dense_output: bool = param(False, Boolean())

    density_: float

    def _bytes_of(self, k: int, p: int) -> float:
        density = 1.0 / float(np.sqrt(p)) if self.density == "auto" else float(self.density)
        return 8.0 * k + 12.0 * density * k * p

    def _directions(self, k: int, p: int) -> Any:
        self.density_ = 1.0 / float(np.sqrt(p)) if self.density == "auto" else float(self.density)
        rng = random_state_of(self.random_state)
        if self.density_ == 1.0:
            signs = rng.binomial(1, 0.5, (k, p)) * 2 - 1
            return 1.0 / np.sqrt(k) * signs
        chosen = []
        for _ in range(k):
            count = int(rng.binomial(p, self.density_))
            chosen.append(sample_without_replacement(rng, p, count))
        indptr = np.concatenate(([0], np.cumsum([len(part) for part in chosen])))
        indices = np.concatenate(chosen)
        signs = rng.binomial(1, 0.5, size=len(indices)) * 2 - 1
        size = np.sqrt(1.0 / self.density_) / np.sqrt(k)
        directions = sparse.csr_matrix((size * signs, indices, indptr), shape=(k, p))
        directions.sort_indices()
        return directions

    def transform(self, X: Any) -> Any:
        """Return the coordinates of rows: sparse ones of sparse rows, unless `dense_output`.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            Rows.
        """
        check_is_fitted(self)
        rows = check_predict(self, X)
        if not is_sparse(self.components_):
            directions = np.ascontiguousarray(self.components_.T, np.float64)
            return project(rows, directions, np.zeros(directions.shape[1]))
        if not is_sparse(rows):
            dtype = rows.dtype
            return np.ascontiguousarray((self.components_ @ rows.T).T.astype(dtype, copy=False))
        found = rows @ self.components_.T
        return found.toarray() if self.dense_output else found
