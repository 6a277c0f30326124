"""Principal component analysis."""

import math
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gramian._draws import random_state_of
from gramian._magnitude import require_squares
from gramian._spectral.operator import CentredRows, orthogonality, project, residual
from gramian._spectral.spectrum import (
    Spectrum,
    exact_spectrum,
    iterated_spectrum,
    svd_flip,
    warn_if_not_converged,
)
from gramian._sums import row_mean
from gramian._tags import tagged
from gramian._typing import Floats
from gramian.base import Tags
from gramian.blocks import is_blocks
from gramian.certificate import Certificate
from gramian.decomposition._components import LinearComponents
from gramian.decomposition._dimension import components_for_fraction, is_count, likeliest_dimension
from gramian.params import Boolean, Fraction, Integer, Nothing, OneOf, RandomState, Real, param
from gramian.validation import check_fit, check_is_fitted, check_predict, is_sparse, refuse_scan

__all__ = ["PCA"]

_EXACT_SIDE = 2000  # of the smaller Gram matrix: below, all of its spectrum is cheap
_CONVERGED = 1e-6  # residual of the leading values; their own error is its square
_PROVEN = 1e-8
_LEAST = float(np.finfo(np.float64).tiny)


class PCA(LinearComponents):
    """Principal component analysis: orthogonal directions of the largest variance.

    The components are the leading eigenvectors of the covariance ``X_c' X_c / (n - 1)`` of the rows
    less their means, and ``transform`` gives the coordinates of rows along them.

    Parameters
    ----------
    n_components : int, float or "mle", default=None
        How many components to keep; a number below 1 is the fraction of the variance that they must
        exceed, "mle" is Minka's choice, and None keeps ``min(n_samples, n_features)`` (one fewer
        with `svd_solver="arpack"`).
    copy : bool, default=True
        Taken for scikit-learn's sake: `X` is neither copied nor changed either way.
    whiten : bool, default=False
        Whether the coordinates are divided by their standard deviations.
    svd_solver : {"auto", "full", "covariance_eigh", "arpack", "randomized"}, default="auto"
        "full" and "covariance_eigh" find the whole spectrum from the smaller one of the two Gram
        matrices, small values anew from the rows. "arpack" and "randomized" find the leading
        values, on more than 2,000 rows and columns by subspace iteration. "auto" chooses by the
        shape.
    tol : float, default=0.0
        Residual at which iteration ends with `svd_solver="arpack"`, relative to the largest
        singular value; 0 is as small as rounding lets it become in a hundred steps.
    iterated_power : int or "auto", default="auto"
        Steps of iteration with `svd_solver="randomized"`; "auto" goes on until the residual of the
        components shows that they have converged.
    n_oversamples : int, default=10
        Directions that iteration carries beside the components.
    power_iteration_normalizer : {"auto", "QR", "LU", "none"}, default="auto"
        Taken for scikit-learn's sake: every step makes its directions orthonormal.
    random_state : int, RandomState, Generator or None, default=None
        Where iteration starts.

    Attributes
    ----------
    components_ : ndarray of shape (n_components_, n_features)
        Orthonormal directions, by falling variance; the largest entry of each is positive.
    explained_variance_ : ndarray of shape (n_components_,)
        Variance along each.
    explained_variance_ratio_ : ndarray of shape (n_components_,)
        The same as a fraction of the variance of all columns.
    singular_values_ : ndarray of shape (n_components_,)
        Singular values of the centred rows.
    mean_ : ndarray of shape (n_features,)
        Means of the columns.
    n_components_ : int
        Number of components.
    n_samples_ : int
        Number of training rows.
    noise_variance_ : float
        Mean variance of the directions that are left out.
    certificate_ : Certificate
        Residual ``|C v - λ v|`` of the components, with their orthogonality and the fraction of the
        variance that they capture.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    >>> from gramian.decomposition import PCA
    >>> X = [[2.5, 2.4], [0.5, 0.7], [2.2, 2.9], [1.9, 2.2], [3.1, 3.0]]
    >>> X += [[2.3, 2.7], [2.0, 1.6], [1.0, 1.1], [1.5, 1.6], [1.1, 0.9]]
    >>> model = PCA(n_components=1).fit(X)
    >>> model.components_.round(6), model.explained_variance_ratio_.round(6)
    (array([[0.677873, 0.735179]]), array([0.963181]))
    """

    _own_tags = tagged(scales_tables=True)

    n_components: Any = param(
        None, Integer(0) | Fraction(0.0, 1.0) | OneOf("mle") | Nothing(), positional=True
    )
    copy: bool = param(True, Boolean())
    whiten: bool = param(False, Boolean())
    svd_solver: str = param(
        "auto", OneOf("auto", "full", "covariance_eigh", "arpack", "randomized")
    )
    tol: float = param(0.0, Real(0.0))
    iterated_power: Any = param("auto", OneOf("auto") | Integer(0))
    n_oversamples: int = param(10, Integer(1))
    power_iteration_normalizer: str = param("auto", OneOf("auto", "QR", "LU", "none"))
    random_state: Any = param(None, RandomState())

    components_: NDArray[Any]
    explained_variance_: NDArray[Any]
    mean_: NDArray[Any]
    noise_variance_: float
    n_components_: int
    n_samples_: int

    @property
    def _n_rows(self) -> int:
        return self.n_samples_

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.sparse = self.svd_solver in ("auto", "arpack", "covariance_eigh")
        tags.preserves_dtype = ("float64", "float32")
        tags.blocks = True
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
        refuse_scan(X, "fit_transform of PCA")
        return self._project(self._fit(X))

    def _fit(self, X: Any) -> Any:
        """Set the fitted attributes, and return the rows as numbers."""
        if hasattr(X, "tocsr") and not self._tags().sparse:
            raise TypeError(
                'PCA only support sparse inputs with the "arpack" and "covariance_eigh" solvers, '
                f'while "{self.svd_solver}" was passed.'
            )
        rows = check_fit(self, X, accept_sparse=("csr",), min_samples=2).X
        self._fit_svd_solver = solver = self._solver(rows)
        n_components = self._checked_n_components(rows.shape, solver)
        spectrum = self._spectrum(rows, n_components, solver)
        total = math.inf if spectrum is None else spectrum.total
        if not _LEAST <= total < math.inf:
            require_squares(self, rows if not is_sparse(rows) else rows.data)
        if spectrum is None or not math.isfinite(total):
            raise ValueError("The variances of X are too large for double precision; scale X.")
        if spectrum.squares.max(initial=0.0) > np.finfo(rows.dtype).max:
            raise ValueError(f"The variances of X are too large for {rows.dtype}; scale X.")
        self._set_components(spectrum, n_components, rows)
        return rows

    def _solver(self, rows: Any) -> str:
        """Return the solver that "auto" stands for."""
        n, p = rows.shape
        if self.svd_solver != "auto":
            return self.svd_solver
        if is_sparse(rows):
            return "arpack"
        if p <= 1000 and n >= 10 * p:
            return "covariance_eigh"
        if max(n, p) <= 500 or self.n_components in ("mle", None):
            return "full"
        return "randomized" if 1 <= self.n_components < 0.8 * min(n, p) else "full"

    def _checked_n_components(self, shape: tuple[int, int], solver: str) -> Any:
        """Return the number of components, a fraction or "mle", or raise ValueError."""
        smallest, n_components = min(shape), self.n_components
        is_truncated = solver in ("arpack", "randomized")
        if n_components is None:
            return smallest - 1 if solver == "arpack" else smallest
        if isinstance(n_components, str):
            if is_truncated:
                raise ValueError(
                    f"n_components={n_components!r} cannot be a string with svd_solver={solver!r}"
                )
            if shape[0] < shape[1]:
                raise ValueError("n_components='mle' is only supported if n_samples >= n_features")
        elif not (1 if is_truncated else 0) <= n_components <= smallest:
            raise ValueError(
                f"n_components={n_components} must be between {int(is_truncated)} and "
                f"min(n_samples, n_features)={smallest} with svd_solver={solver!r}"
            )
        elif solver == "arpack" and n_components == smallest:
            raise ValueError(
                f"n_components={n_components} must be strictly less than "
                f"min(n_samples, n_features)={smallest} with svd_solver={solver!r}"
            )
        return n_components

    def _spectrum(self, rows: Any, n_components: Any, solver: str) -> Spectrum | None:
        n, p = rows.shape
        width = (
            min(n_components + self.n_oversamples, n, p)
            if solver in ("arpack", "randomized")
            else p
        )
        if solver in ("full", "covariance_eigh") or min(n, p) <= max(_EXACT_SIDE, 4 * width):
            # Of a fraction and of "mle" the number is known only behind the whole spectrum.
            return exact_spectrum(rows, int(n_components) if is_count(n_components) else None)
        if is_blocks(rows):
            raise ValueError(
                f"PCA from blocks takes at most {_EXACT_SIDE} columns, or a whole spectrum. Got "
                f"{p} columns: set svd_solver='covariance_eigh', or fit on rows in memory."
            )
        start = random_state_of(self.random_state).normal(size=(p, width))
        is_counted = solver == "randomized" and self.iterated_power != "auto"
        return iterated_spectrum(
            rows,
            n_components,
            start=start,
            n_steps=int(self.iterated_power) if is_counted else None,
            tol=_CONVERGED if solver == "randomized" else max(self.tol, 1e-12),
        )

    def _set_components(self, spectrum: Spectrum, n_components: Any, rows: Any) -> None:
        """Set the attributes of the components that are kept."""
        n, p = rows.shape
        variance = spectrum.squares / (n - 1)
        total = max(spectrum.total / (n - 1), float(variance.sum()))
        ratio = variance / total if total > 0.0 else np.zeros_like(variance)
        if n_components == "mle":
            n_components = likeliest_dimension(variance, n)
        elif 0 < n_components < 1:
            n_components = components_for_fraction(ratio, n_components)
        k = int(n_components)
        kept = svd_flip(spectrum.vectors[:, :k])
        self.certificate_ = self._certify(spectrum, kept, ratio[:k], rows)
        warn_if_not_converged(spectrum, self.certificate_)
        rest = max(total - float(variance[:k].sum()), 0.0)
        self.noise_variance_ = rest / (min(n, p) - k) if k < min(n, p) else 0.0
        self.n_samples_, self.n_components_ = n, k
        dtype = rows.dtype
        self.mean_ = spectrum.mean.astype(dtype)
        self.components_ = np.ascontiguousarray(kept.T, dtype)
        self.explained_variance_ = variance[:k].astype(dtype)
        self.explained_variance_ratio_ = ratio[:k].astype(dtype)
        self.singular_values_ = np.sqrt(spectrum.squares[:k]).astype(dtype)

    def _certify(self, found: Spectrum, V: Floats, ratio: Floats, rows: Any) -> Certificate:
        k = V.shape[1]
        largest_residual = residual(CentredRows(rows, found.mean), V, found.squares[:k], found.gram)
        captured, angle = float(ratio.sum()), orthogonality(V)
        statement = (
            f"{k} components hold {captured:.4g} of the variance; |C v - λ v| is at most "
            f"{largest_residual:.1e} of the largest variance"
        )
        is_proven = largest_residual <= max(_PROVEN, _CONVERGED, self.tol) and angle <= _PROVEN
        lost = found.total / (rows.shape[0] - 1) * max(1.0 - captured, 0.0)
        details: dict[str, float | int | str] = {
            "orthogonality": angle,
            "captured": captured,
            "solver": self._fit_svd_solver,
        }
        return Certificate(
            lost, largest_residual, is_proven, statement, found.n_iter, details=details
        )

    def score_samples(self, X: Any) -> NDArray[Any]:
        """Return the log-likelihood of each row under the model's normal distribution.

        Directions without variance have no density, and are left out.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            Rows.
        """
        check_is_fitted(self)
        rows = check_predict(self, X)
        dense = rows.toarray() if is_sparse(rows) else rows
        centred = dense.astype(np.float64) - self.mean_
        inverse, noise = self._inverse_variances()
        present = inverse[inverse > 0.0]
        n_left = centred.shape[1] - len(inverse) if noise > 0.0 else 0
        constant = float(np.log(present).sum()) + (n_left * math.log(noise) if n_left else 0.0)
        constant -= (len(present) + n_left) * math.log(2.0 * math.pi)
        V = np.ascontiguousarray(self.components_.T, np.float64)
        along = project(centred, V, np.zeros(V.shape[1]))
        squares = along**2 @ inverse
        if noise > 0.0:
            centred -= project(along, np.ascontiguousarray(V.T), np.zeros(V.shape[0]))
            squares += noise * (centred**2).sum(axis=1)
        likelihood: NDArray[Any] = (0.5 * (constant - squares)).astype(rows.dtype)
        return likelihood

    def score(self, X: Any, y: Any = None) -> float:
        """Return the mean log-likelihood of rows.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            Rows.
        y : None
            Not used.
        """
        return row_mean(self.score_samples(X))
