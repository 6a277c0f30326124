"""Truncated singular value decomposition, which does not centre: latent semantic analysis."""

import math
import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gramian._draws import random_state_of
from gramian._magnitude import require_squares
from gramian._spectral.operator import CentredRows, column_means, orthogonality, project, residual
from gramian._spectral.singular import Triplets, leading_triplets
from gramian._spectral.spectrum import svd_flip
from gramian._typing import Floats
from gramian.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, Tags, TransformerMixin
from gramian.certificate import Certificate
from gramian.exceptions import ConvergenceWarning, shared
from gramian.params import Boolean, Integer, OneOf, RandomState, Real, check_arguments, param
from gramian.validation import check_array, check_fit, check_is_fitted, check_predict, is_sparse

__all__ = ["TruncatedSVD", "randomized_svd"]

_WIDTH = 8
_RANDOMIZED = 1e-7  # residual of the squares; the error of the values is its square
_ARPACK = 1e-11
_PROVEN = 1e-6
_LEAST = float(np.finfo(np.float64).tiny)
_NORMALIZERS = OneOf("auto", "QR", "LU", "none")


class TruncatedSVD(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Dimension reduction by the leading singular vectors of the rows as they are.

    Unlike in principal component analysis the means are not taken off, so that sparse rows stay
    sparse: of counts of words this is latent semantic analysis.

    Parameters
    ----------
    n_components : int, default=2
        How many components to keep.
    algorithm : {"randomized", "arpack"}, default="randomized"
        Both find the components by block Lanczos iteration on the smaller side, or by the whole
        spectrum where that is small; "arpack" to all digits, "randomized" until the residual shows
        that the components have converged.
    n_iter : int, default=5
        Taken for scikit-learn's sake: iteration goes on until the components are proven.
    n_oversamples : int, default=10
        Taken for scikit-learn's sake: iteration keeps all directions that it has seen.
    power_iteration_normalizer : {"auto", "QR", "LU", "none"}, default="auto"
        Taken for scikit-learn's sake: every step makes its directions orthonormal.
    random_state : int, RandomState, Generator or None, default=None
        Where iteration starts.
    tol : float, default=0.0
        Residual at which iteration ends with `algorithm="arpack"`, relative to the squared singular
        value; 0 is 1e-11.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Right singular vectors; the largest entry of each is positive.
    explained_variance_ : ndarray of shape (n_components,)
        Variance of the training rows' coordinates.
    explained_variance_ratio_ : ndarray of shape (n_components,)
        The same as a fraction of the variance of all columns.
    singular_values_ : ndarray of shape (n_components,)
        Singular values of the rows.
    certificate_ : Certificate
        Residual ``|X'X v - s² v|`` of the components, and how orthogonal they are.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    >>> from scipy.sparse import random
    >>> from gramian.decomposition import TruncatedSVD
    >>> X = random(100, 50, density=0.1, format="csr", random_state=0)
    >>> model = TruncatedSVD(n_components=5, random_state=0).fit(X)
    >>> model.singular_values_.round(3)
    array([4.077, 2.962, 2.758, 2.689, 2.608])
    """

    n_components: int = param(2, Integer(1), positional=True)
    algorithm: str = param("randomized", OneOf("arpack", "randomized"))
    n_iter: int = param(5, Integer(0))
    n_oversamples: int = param(10, Integer(1))
    power_iteration_normalizer: str = param("auto", _NORMALIZERS)
    random_state: Any = param(None, RandomState())
    tol: float = param(0.0, Real(0.0))

    components_: NDArray[Any]

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.sparse = tags.reads_words = True
        tags.preserves_dtype = ("float64", "float32")
        return tags

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the components.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            Training rows.
        y : None
            Not used.
        """
        self._fit(X)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:  # type: ignore[override]
        """Find the components, and return the coordinates of the training rows.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            Training rows.
        y : None
            Not used.
        """
        return self._fit(X)

    def _fit(self, X: Any) -> Any:
        rows = check_fit(self, X, accept_sparse=("csr",)).X
        n, p = rows.shape
        if p < 2:
            raise ValueError(
                f"Found array with {p} feature(s) (shape={rows.shape}) while a minimum of 2 is "
                f"required by {type(self).__name__}."
            )
        self._check_n_components(n, p)
        tol = (self.tol or _ARPACK) if self.algorithm == "arpack" else _RANDOMIZED
        found = _triplets(rows, min(self.n_components, n), tol, self.random_state)
        total = CentredRows(rows, np.zeros(p)).squared_size()
        if found is None or not _LEAST <= total < math.inf:
            require_squares(self, rows.data if is_sparse(rows) else rows)
        if found is None or not math.isfinite(total):
            raise ValueError("The squares of X are too large for double precision; scale X.")
        V = svd_flip(found.V)
        self.components_ = np.ascontiguousarray(V.T, rows.dtype)
        self.singular_values_ = found.s.astype(rows.dtype)
        coordinates = self._project(rows)
        self._set_variances(rows, coordinates)
        self.certificate_ = self._certify(rows, V, found)
        if not found.converged:
            warnings.warn(
                f"The components have not converged in {found.n_iter} products of iteration: "
                f"{self.certificate_.statement}.",
                shared(ConvergenceWarning),
                stacklevel=4,
            )
        return coordinates

    def _check_n_components(self, n: int, p: int) -> None:
        k = self.n_components
        if self.algorithm == "arpack" and k >= min(n, p):
            raise ValueError(
                f"n_components={k} must be less than min(n_samples, n_features)={min(n, p)} with "
                "algorithm='arpack'."
            )
        if k > p:
            raise ValueError(f"n_components({k}) must be <= n_features({p}).")

    def _set_variances(self, rows: Any, coordinates: Any) -> None:
        variance = coordinates.var(axis=0, dtype=np.float64)
        total = CentredRows(rows, column_means(rows)).squared_size() / rows.shape[0]
        ratio = variance / total if total > 0.0 else np.zeros_like(variance)
        self.explained_variance_ = variance.astype(rows.dtype)
        self.explained_variance_ratio_ = ratio.astype(rows.dtype)

    def _certify(self, rows: Any, V: Floats, found: Triplets) -> Certificate:
        A = CentredRows(rows, np.zeros(rows.shape[1]))
        largest, angle = residual(A, V, found.s**2), orthogonality(V)
        statement = (
            f"|X'X v - s² v| of {len(found.s)} components is at most {largest:.1e} of the largest "
            "square"
        )
        total = A.squared_size()
        lost = max(total - float((found.s**2).sum()), 0.0)
        details: dict[str, float | int | str] = {"orthogonality": angle}
        is_proven = found.converged and max(largest, angle) <= max(_PROVEN, self.tol)
        return Certificate(lost, largest, is_proven, statement, found.n_iter, details=details)

    def _project(self, rows: Any) -> Any:
        directions = np.ascontiguousarray(self.components_.T, np.float64)
        return project(rows, directions, np.zeros(directions.shape[1]))

    def transform(self, X: Any) -> Any:
        """Return the coordinates of rows along the components.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            Rows.
        """
        check_is_fitted(self)
        return self._project(check_predict(self, X))

    def inverse_transform(self, X: Any) -> Any:
        """Return the rows with these coordinates, within the space of the components.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_components)
            Coordinates.
        """
        check_is_fitted(self)
        given = check_array(X, dtype=(np.float64, np.float32), input_name="X")
        if given.shape[1] != len(self.components_):
            raise ValueError(
                f"X has {given.shape[1]} columns, but {type(self).__name__} has "
                f"{len(self.components_)} components."
            )
        directions = self.components_.astype(np.float64)
        return project(given, directions, np.zeros(directions.shape[1]))

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)


def _triplets(rows: Any, k: int, tol: float, random_state: Any) -> Triplets | None:
    start = random_state_of(random_state).normal(size=(min(rows.shape), _WIDTH))
    return leading_triplets(rows, k, start=start, tol=tol)


def randomized_svd(
    M: Any,
    n_components: int,
    *,
    n_oversamples: int = 10,
    n_iter: Any = "auto",
    power_iteration_normalizer: str = "auto",
    transpose: Any = "auto",
    flip_sign: bool = True,
    random_state: Any = None,
    svd_lapack_driver: str = "gesdd",
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return the leading singular triplets of a matrix, U, s and V'.

    The iteration starts at random, and goes on until the residual proves the triplets: what comes
    out is right whatever the spectrum.

    Parameters
    ----------
    M : array-like or sparse matrix of shape (n_rows, n_columns)
        The matrix.
    n_components : int
        How many triplets to find.
    n_oversamples, n_iter, power_iteration_normalizer, transpose, svd_lapack_driver
        Taken for scikit-learn's sake: iteration keeps all directions that it has seen, works on the
        smaller side, and ends by itself.
    flip_sign : bool, default=True
        Whether the largest entry of each column of U is made positive.
    random_state : int, RandomState, Generator or None, default=None
        Where iteration starts.

    Returns
    -------
    U : ndarray of shape (n_rows, n_components)
    s : ndarray of shape (n_components,)
    Vh : ndarray of shape (n_components, n_columns)

    Examples
    --------
    >>> from gramian.decomposition import randomized_svd
    >>> U, s, Vh = randomized_svd([[1.0, 2.0, 3.0], [5.0, 5.0, 6.0], [9.0, 9.0, 10.0]], 2)
    >>> s.round(3)
    array([18.985,  1.242])
    """
    check_arguments(
        "randomized_svd",
        n_components=(n_components, Integer(1)),
        n_oversamples=(n_oversamples, Integer(0)),
        n_iter=(n_iter, Integer(0) | OneOf("auto")),
        power_iteration_normalizer=(power_iteration_normalizer, _NORMALIZERS),
        transpose=(transpose, Boolean() | OneOf("auto")),
        flip_sign=(flip_sign, Boolean()),
        svd_lapack_driver=(svd_lapack_driver, OneOf("gesdd", "gesvd")),
    )
    rows = check_array(M, ("csr",), dtype=(np.float64, np.float32), input_name="M")
    found = _triplets(rows, min(n_components, *rows.shape), _RANDOMIZED, random_state)
    if found is None:
        raise ValueError("The squares of M are too large for double precision; scale M.")
    if not found.converged:
        warnings.warn(
            f"The triplets have not converged in {found.n_iter} products of iteration.",
            shared(ConvergenceWarning),
            stacklevel=2,
        )
    U, V = found.U, found.V
    if flip_sign and U.shape[1]:
        flipped = svd_flip(U)
        signs = np.where((flipped == U).all(axis=0), 1.0, -1.0)
        U, V = flipped, V * signs
    dtype = rows.dtype
    return U.astype(dtype), found.s.astype(dtype), np.ascontiguousarray(V.T, dtype)
