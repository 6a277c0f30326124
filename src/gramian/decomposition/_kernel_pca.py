"""Principal component analysis in the feature space of a kernel."""

import math
import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gramian._draws import random_state_of
from gramian._interrupt import interruptible
from gramian._kernel.gram import CentredGram, CentredProducts, RowKernel
from gramian._linalg import eigh, single_threaded_blas
from gramian._magnitude import require_squares
from gramian._spectral.lanczos import leading_pairs
from gramian._spectral.spectrum import svd_flip
from gramian._tags import tagged
from gramian._typing import Floats
from gramian.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, Tags, TransformerMixin
from gramian.certificate import Certificate
from gramian.exceptions import ConvergenceWarning, NotFittedError, shared
from gramian.metrics.pairwise import kernel_metrics
from gramian.params import (
    Boolean,
    Callables,
    Integer,
    Mappings,
    Nothing,
    OneOf,
    RandomState,
    Real,
    param,
)
from gramian.validation import check_array, check_fit, check_is_fitted, check_predict, is_sparse

__all__ = ["KernelPCA"]

_NAMES = sorted([*kernel_metrics(), "precomputed"])
_DENSE_SIDE = 300  # of a kernel matrix whose whole spectrum is found in some milliseconds
_FEW = 0.1  # of all eigenpairs: so few are found sooner by iteration
_WIDTH = 8
_PROVEN = 1e-8
_LEAST = float(np.finfo(np.float64).tiny)
# Eigenvalues that rounding errors, or kernels that are not positive, have made what they are, as
# parts of the largest one.
_NEGATIVE, _LEAST_NEGATIVE, _ZERO = 1e-5, 1e-10, 1e-12


class KernelPCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Kernel principal component analysis: the components of rows in a kernel's feature space.

    With the kernel matrix K of the training rows, centred to ``K' = (I - 11'/n) K (I - 11'/n)``,
    the components are the leading eigenvectors of K', and a row's coordinates
    ``sum_i K'(x, x_i) a_i / sqrt(λ)``.

    Parameters
    ----------
    n_components : int, default=None
        How many components to keep; None keeps all with an eigenvalue above zero.
    kernel : str or callable, default="linear"
        "linear", "poly", "rbf", "sigmoid", "cosine", "laplacian", "chi2", "additive_chi2",
        "precomputed", or a function of two rows.
    gamma : float, default=None
        Factor of "rbf", "poly", "sigmoid", "laplacian" and "chi2"; None is ``1 / n_features``.
    degree : float, default=3
        Degree of "poly".
    coef0 : float, default=1
        Constant of "poly" and "sigmoid".
    kernel_params : dict, default=None
        Further arguments of a callable kernel.
    alpha : float, default=1.0
        Penalty of the kernel ridge regression behind `inverse_transform`.
    fit_inverse_transform : bool, default=False
        Whether to learn the way back from coordinates to rows.
    eigen_solver : {"auto", "dense", "arpack", "randomized"}, default="auto"
        "dense" factors the matrix. "arpack" and "randomized" find the leading eigenpairs by block
        Lanczos iteration, on small matrices and for most pairs by the same factors; "randomized"
        seeks those of largest magnitude. "auto" chooses by the shape, and takes the singular values
        of the rows for a linear kernel and few columns.
    tol : float, default=0
        Residual at which iteration ends, relative to the eigenvalue; 0 is 1e-10.
    max_iter : int, default=None
        Most products of iteration; None is 300.
    iterated_power : int or "auto", default="auto"
        Steps of iteration with `eigen_solver="randomized"`; "auto" goes on until the components are
        proven.
    remove_zero_eig : bool, default=False
        Whether components with an eigenvalue of zero are left out.
    random_state : int, RandomState, Generator or None, default=None
        Where iteration starts.
    copy_X : bool, default=True
        Whether the model keeps its own copy of the rows.
    n_jobs : int, default=None
        Threads for kernels that are functions.

    Attributes
    ----------
    eigenvalues_ : ndarray of shape (n_components,)
        Eigenvalues of the centred kernel matrix, descending.
    eigenvectors_ : ndarray of shape (n_samples, n_components)
        Their vectors, of length 1; the largest entry of each is positive.
    gamma_ : float
        The factor that was used.
    X_fit_ : array or sparse matrix of shape (n_samples, n_features)
        The training rows, which new ones are compared with.
    dual_coef_ : ndarray of shape (n_samples, n_features)
        Coefficients of the way back, with `fit_inverse_transform`.
    X_transformed_fit_ : ndarray of shape (n_samples, n_components)
        Coordinates of the training rows, with `fit_inverse_transform`.
    certificate_ : Certificate
        Residual ``|K' v - λ v|``, and the captured fraction of the trace where that is cheap.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    >>> from gramian.datasets import make_circles
    >>> from gramian.decomposition import KernelPCA
    >>> X, y = make_circles(n_samples=400, factor=0.3, noise=0.05, random_state=32)
    >>> Z = KernelPCA(n_components=2, kernel="rbf", gamma=2).fit_transform(X)
    >>> Z.shape, bool((Z[y == 1, 0] > Z[y == 0, 0].max()).all())
    ((400, 2), True)
    """

    _own_tags = tagged(scales_tables=True)

    n_components: int | None = param(None, Integer(1) | Nothing(), positional=True)
    kernel: Any = param("linear", OneOf(*_NAMES) | Callables())
    gamma: float | None = param(None, Real(0.0) | Nothing())
    degree: float = param(3, Real(0.0))
    coef0: float = param(1, Real(closed="neither"))
    kernel_params: dict[str, Any] | None = param(None, Mappings() | Nothing())
    alpha: float = param(1.0, Real(0.0))
    fit_inverse_transform: bool = param(False, Boolean())
    eigen_solver: str = param("auto", OneOf("auto", "dense", "arpack", "randomized"))
    tol: float = param(0, Real(0.0))
    max_iter: int | None = param(None, Integer(1) | Nothing())
    iterated_power: Any = param("auto", OneOf("auto") | Integer(0))
    remove_zero_eig: bool = param(False, Boolean())
    random_state: Any = param(None, RandomState())
    copy_X: bool = param(True, Boolean())
    n_jobs: int | None = param(None, Integer() | Nothing())

    eigenvalues_: NDArray[Any]
    eigenvectors_: NDArray[Any]
    X_fit_: Any
    gamma_: float
    _column_means: Floats

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.sparse = True
        tags.pairwise = isinstance(self.kernel, str) and self.kernel == "precomputed"
        tags.preserves_dtype = ("float64", "float32")
        return tags

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the components.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            Training rows; with `kernel="precomputed"` their kernel matrix.
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
            Training rows; with `kernel="precomputed"` their kernel matrix.
        y : None
            Not used.
        """
        return self._fit(X).astype(self.eigenvectors_.dtype, copy=False)

    def _fit(self, X: Any) -> Floats:
        """Set the fitted attributes, and return the coordinates of the rows."""
        if self.fit_inverse_transform and self.kernel == "precomputed":
            raise ValueError("Cannot fit_inverse_transform with a precomputed kernel.")
        rows = check_fit(self, X, accept_sparse=("csr",)).X
        if self.kernel == "precomputed" and (is_sparse(rows) or rows.shape[0] != rows.shape[1]):
            raise ValueError(
                f"Kernel matrix must be a square matrix. Input is a {rows.shape[0]}x"
                f"{rows.shape[1]} {'sparse matrix' if is_sparse(rows) else 'matrix'}."
            )
        self.gamma_ = 1 / rows.shape[1] if self.gamma is None else self.gamma
        by_rows = self._is_found_by_rows(rows)
        gram = CentredProducts(rows) if by_rows else CentredGram(self._row_kernel(), rows)
        if not np.isfinite(gram.mean):
            raise ValueError("The kernel of X is not finite: scale X, or choose another kernel.")
        self._column_means = gram.column_means
        values, vectors, n_iter = self._pairs(gram)
        if not _LEAST <= float(np.abs(values).max(initial=0.0)) < math.inf and not is_sparse(rows):
            require_squares(self, rows)
        self._set_pairs(gram, values, vectors, n_iter, rows.dtype)
        # Coordinates of new rows need those of fit, which the caller may change.
        self.X_fit_ = rows.copy() if self.copy_X and _shares_memory(rows, X) else rows
        coordinates: Floats = self.eigenvectors_ * np.sqrt(self.eigenvalues_)
        if self.fit_inverse_transform:
            self._fit_way_back(coordinates, rows)
        return coordinates

    def _row_kernel(self) -> RowKernel:
        gamma, params = float(self.gamma_), self.kernel_params or {}
        return RowKernel(self.kernel, gamma, self.degree, float(self.coef0), params, self.n_jobs)

    def _is_found_by_rows(self, rows: Any) -> bool:
        """Tell whether the pairs follow from few columns sooner than from a matrix of all rows."""
        if self.kernel != "linear" or self.eigen_solver != "auto" or is_sparse(rows):
            return False
        n, p = rows.shape
        return 2 * p <= n and (self.n_components is None or self.n_components <= p)

    def _pairs(self, gram: CentredGram | CentredProducts) -> tuple[Floats, Floats, int]:
        """Return eigenvalues, descending, their vectors, and the steps that found them."""
        n = gram.n
        if isinstance(gram, CentredProducts):
            values, vectors = interruptible(n * gram.rows.shape[1] ** 2, gram.pairs)
            return values[: self.n_components], vectors[:, : self.n_components], 0
        k = n if self.n_components is None else min(self.n_components, n)
        by_size = self.eigen_solver == "randomized"
        if self.eigen_solver == "dense" or n <= _DENSE_SIDE or k > _FEW * n:
            matrix = gram.centred()
            if by_size:
                values, vectors = interruptible(n**3, eigh, matrix)
                order = np.argsort(-np.abs(values), kind="stable")[:k]
                order = order[np.argsort(-values[order], kind="stable")]
                return values[order], vectors[:, order], 0
            few = k if k <= 0.25 * n else None
            values, vectors = interruptible(n**3, eigh, matrix, few)
            return values[::-1][:k], vectors[:, ::-1][:, :k], 0
        start = random_state_of(self.random_state).normal(size=(n, _WIDTH))
        is_counted = by_size and self.iterated_power != "auto"
        found = leading_pairs(
            gram.times,
            start,
            k,
            tol=self.tol or 1e-10,
            max_iter=max(self.iterated_power, 1) if is_counted else self.max_iter or 300,
            by_size=by_size,
        )
        if not found.converged and not is_counted:
            warnings.warn(
                f"The components have not converged in {found.n_iter} products of iteration; raise "
                "max_iter or tol, or take eigen_solver='dense'.",
                shared(ConvergenceWarning),
                stacklevel=5,
            )
        order = np.argsort(-found.values, kind="stable")
        return found.values[order], found.vectors[:, order], found.n_iter

    def _set_pairs(
        self,
        gram: CentredGram | CentredProducts,
        values: Floats,
        vectors: Floats,
        n_iter: int,
        dtype: Any,
    ) -> None:
        values = _positive_part(values)
        vectors = svd_flip(vectors)
        if self.remove_zero_eig or self.n_components is None:
            vectors, values = vectors[:, values > 0.0], values[values > 0.0]
        self.certificate_ = self._certify(gram, values, vectors, n_iter)
        self.eigenvalues_ = values.astype(dtype)
        self.eigenvectors_ = np.ascontiguousarray(vectors, dtype)

    def _certify(
        self, gram: CentredGram | CentredProducts, values: Floats, vectors: Floats, n_iter: int
    ) -> Certificate:
        """Certify the pairs by products with the kernel, of the matrix where it has been kept."""
        largest = float(values.max(initial=0.0))
        residual = 0.0
        if largest > 0.0 and len(values):
            shown = vectors[:, : 8 * _WIDTH]  # all of few components, the leading ones of many
            # Divided first: squares of values would leave the range of numbers.
            image = gram.times(shown) / largest - shown * (values[: shown.shape[1]] / largest)
            residual = float(np.sqrt((image**2).sum(axis=0)).max())
        trace = gram.trace()
        solver = "svd" if isinstance(gram, CentredProducts) else "dense"
        details: dict[str, float | int | str] = {"solver": "lanczos" if n_iter else solver}
        statement = f"|K v - λ v| of {len(values)} components is at most {residual:.1e} of the "
        statement += "largest eigenvalue"
        if trace is not None and trace > 0.0:
            details["captured"] = captured = min(float(values.sum()) / trace, 1.0)
            statement += f"; they hold {captured:.4g} of the trace"
        lost = 0.0 if trace is None else max(trace - float(values.sum()), 0.0)
        is_proven = residual <= max(_PROVEN, 10.0 * self.tol)
        return Certificate(lost, residual, is_proven, statement, n_iter, details=details)

    def _fit_way_back(self, coordinates: Floats, rows: Any) -> None:
        if is_sparse(rows):
            raise NotImplementedError("Inverse transform not implemented for sparse matrices!")
        K = self._row_kernel().matrix(coordinates)
        K[np.diag_indices(len(K))] += self.alpha
        self.dual_coef_ = interruptible(len(K) ** 3, _solve_positive, K, rows.astype(np.float64))
        self.X_transformed_fit_ = coordinates

    def transform(self, X: Any) -> Any:
        """Return the coordinates of rows along the components.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            Rows; with `kernel="precomputed"` their kernel with the training rows.
        """
        check_is_fitted(self)
        rows = check_predict(self, X, accept_sparse=("csr",))
        if is_sparse(rows) != is_sparse(self.X_fit_):
            rows = type(self.X_fit_)(rows) if is_sparse(self.X_fit_) else rows.toarray()
        scale = np.sqrt(self.eigenvalues_.astype(np.float64))
        inverse = np.divide(1.0, scale, out=np.zeros_like(scale), where=scale > 0.0)
        weights = self.eigenvectors_ * inverse
        # (k - 1 mean(k) - c + mean(c)) W = (k - c) (W - mean(W))
        weights -= weights.mean(axis=0)
        known = self.X_fit_ if self.kernel != "precomputed" else None
        along = self._row_kernel().times(rows, known, weights)
        along = along - np.einsum("i,ik->k", self._column_means, weights)
        return np.ascontiguousarray(along, rows.dtype)

    def inverse_transform(self, X: Any) -> Any:
        """Return rows with about these coordinates, by kernel ridge regression.

        The mean that centring has taken off is not part of it.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_components)
            Coordinates.
        """
        if not self.fit_inverse_transform:
            raise shared(NotFittedError)(
                "The fit_inverse_transform parameter was not set to True when instantiating and "
                "hence the inverse transform is not available."
            )
        check_is_fitted(self)
        given = check_array(X, dtype=(np.float64, np.float32), input_name="X")
        if given.shape[1] != len(self.eigenvalues_):
            raise ValueError(
                f"X has {given.shape[1]} columns, but KernelPCA has {len(self.eigenvalues_)} "
                "components."
            )
        rows = self._row_kernel().times(given, self.X_transformed_fit_, self.dual_coef_)
        return np.ascontiguousarray(rows, given.dtype)

    @property
    def _n_features_out(self) -> int:
        return len(self.eigenvalues_)


def _shares_memory(rows: Any, X: Any) -> bool:
    if is_sparse(rows):
        return hasattr(X, "data") and np.may_share_memory(rows.data, X.data)
    return isinstance(X, np.ndarray) and np.may_share_memory(rows, X)


def _positive_part(values: Floats) -> Floats:
    """Return eigenvalues with those that rounding has left beside zero set to it; or raise."""
    largest, least = float(values.max(initial=0.0)), float(values.min(initial=0.0))
    if len(values) and float(values.max()) < 0.0:
        raise ValueError(
            f"All eigenvalues are negative (maximum is {values.max():g}). Either the matrix is not "
            "PSD, or there was an issue while computing the eigendecomposition of the matrix."
        )
    if least < -_NEGATIVE * largest and least < -_LEAST_NEGATIVE:
        raise ValueError(
            f"There are significant negative eigenvalues ({-least / largest:g} of the maximum "
            "positive). Either the matrix is not PSD, or there was an issue while computing the "
            "eigendecomposition of the matrix."
        )
    return np.where(values < _ZERO * largest, 0.0, values).clip(0.0)


def _solve_positive(K: Floats, Y: Floats) -> Floats:
    from scipy import linalg

    with single_threaded_blas():
        try:
            solution: Floats = linalg.solve(K, Y, assume_a="pos", check_finite=False)
        except linalg.LinAlgError:
            raise ValueError(
                "The kernel matrix of the coordinates plus alpha on its diagonal is not positive "
                "definite; raise alpha."
            ) from None
    return solution
