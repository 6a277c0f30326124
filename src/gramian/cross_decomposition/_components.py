"""The base of models of two tables whose components are found one after the other."""

import warnings
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from gramian._linalg import matmul
from gramian._spectral.operator import project
from gramian._tags import Tags, tagged
from gramian._typing import Floats
from gramian.base import RegressorMixin
from gramian.certificate import Certificate
from gramian.cross_decomposition._blocks import Block, centred_projection, in_place
from gramian.cross_decomposition._steps import Components, Search, fit_components, stationarity
from gramian.cross_decomposition._tables import TwoTables
from gramian.exceptions import ConvergenceWarning, shared
from gramian.params import Boolean, Integer, Real, param
from gramian.validation import check_array, check_is_fitted, check_predict

__all__ = ["ComponentModel"]

_PROVEN = 1e-6


class ComponentModel(RegressorMixin, TwoTables):
    """Base of models of components that are found one after the other."""

    n_components: int = param(2, Integer(1), positional=True)
    scale: bool = param(True, Boolean())
    max_iter: int = param(500, Integer(1))
    tol: float = param(1e-6, Real(0.0))
    copy: bool = param(True, Boolean())

    coef_: NDArray[Any]
    intercept_: NDArray[Any]
    x_loadings_: NDArray[Any]
    y_loadings_: NDArray[Any]
    x_rotations_: NDArray[Any]
    y_rotations_: NDArray[Any]
    n_iter_: list[int]
    certificate_: Certificate
    _x_scores: NDArray[Any]
    _y_scores: NDArray[Any]
    _predict_1d: bool

    _own_tags = tagged(multi_output=True, poor_score=True)
    _is_canonical: ClassVar[bool] = True
    _is_whitened: ClassVar[bool] = False

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.single_output = True
        return tags

    def fit(self, X: Any, y: Any) -> Self:
        """Find the components.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            Rows of the first table.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Rows of the second: the targets.
        """
        x, Y, self._predict_1d = self._blocks(X, y)
        q = Y.shape[1]
        self._check_n_components(min(*x.shape, q) if self._is_canonical else min(x.shape))
        is_exact = getattr(self, "algorithm", "nipals") == "svd" or self.tol == 0.0
        search = Search(
            self._is_canonical, self._is_whitened, None if is_exact else self.max_iter, self.tol
        )
        found, last = fit_components(x, Y, self.n_components, search)
        if last is not None:
            warnings.warn(
                f"y residual is constant at iteration {last}, or has no covariance with X: the "
                f"{self.n_components - last} components from there on are zero.",
                stacklevel=3,
            )
        self._store(x, Y, found, search)
        if not found.converged:
            warnings.warn(
                f"Maximum number of iterations reached: in max_iter={self.max_iter} steps the "
                f"weights did not settle within tol={self.tol:g}; raise max_iter.",
                shared(ConvergenceWarning),
                stacklevel=3,
            )
        return self

    def _store(self, x: Block, Y: Floats, found: Components, search: Search) -> None:
        self.x_weights_, self.y_weights_ = found.x_weights, found.y_weights
        self.x_loadings_, self.y_loadings_ = found.x_loadings, found.y_loadings
        self._x_scores, self._y_scores = found.x_scores, found.y_scores
        self.x_rotations_, self.y_rotations_ = found.rotations()
        coef = matmul(self.x_rotations_, np.ascontiguousarray(self.y_loadings_.T)) * self._y_std
        self.coef_ = np.ascontiguousarray(coef.T / self._x_std)
        self.intercept_ = self._y_mean
        self.n_iter_ = found.n_iter
        self.certificate_ = self._certify(x, Y, found, search)

    def _certify(self, x: Block, Y: Floats, found: Components, search: Search) -> Certificate:
        miss, angle = stationarity(x, Y, found, search)
        total = float((Y**2).sum())
        left = float((found.left**2).sum())
        share = 1.0 - left / total if total > 0.0 else 0.0
        statement = (
            f"weights miss the leading pair of their step by {miss:.1e} of its size, and the "
            f"cosine between two scores is at most {angle:.1e}"
        )
        details: dict[str, float | int | str] = {"orthogonality": angle, "explained_y": share}
        # The power method leaves an error of about the last change, over the gap of the values.
        is_proven = (
            found.converged and angle <= _PROVEN and miss <= max(_PROVEN, 10 * self.tol**0.5)
        )
        n_iter = sum(found.n_iter)
        return Certificate(left, miss, is_proven, statement, n_iter, details=details)

    def transform(self, X: Any, y: Any = None, copy: bool = True) -> Any:
        """Return the scores of rows.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            Rows of the first table.
        y : array-like of shape (n_samples,) or (n_samples, n_targets), optional
            Rows of the second.
        copy : bool, default=True
            With False, arrays are centred and scaled where they lie.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            Scores of `X`; with `y` a tuple of those of both.
        """
        return self._scores(X, y, copy, "rotations")

    def fit_transform(self, X: Any, y: Any = None) -> Any:  # type: ignore[override]
        """Find the components, and return the scores of both tables.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            Rows of the first table.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Rows of the second.
        """
        return self.fit(X, y).transform(X, y)

    def inverse_transform(self, X: Any, y: Any = None) -> Any:
        """Return the rows that have these scores, within the space of the loadings.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_components)
            Scores of the first table.
        y : array-like of shape (n_samples, n_components), optional
            Scores of the second.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            Rows of the first table; with `y` a tuple of those of both.
        """
        check_is_fitted(self)
        first = _restored(X, "X", self.x_loadings_, self._x_mean, self._x_std)
        if y is None:
            return first
        return first, _restored(y, "y", self.y_loadings_, self._y_mean, self._y_std)

    def predict(self, X: Any, copy: bool = True) -> NDArray[Any]:
        """Predict the targets of rows.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            Rows.
        copy : bool, default=True
            With False, an array is centred where it lies.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_targets)
        """
        check_is_fitted(self)
        rows = check_predict(self, X, accept_sparse=False)
        mean = self._x_mean
        if not copy:
            rows, mean = in_place(rows, mean), np.zeros(len(mean))
        found: Floats = centred_projection(rows, mean, self.coef_.T) + self.intercept_
        return found[:, 0] if self._predict_1d else found


def _restored(scores: Any, name: str, loadings: Floats, mean: Floats, deviation: Floats) -> Any:
    given = check_array(scores, dtype=(np.float64, np.float32), input_name=name)
    if given.shape[1] != loadings.shape[1]:
        raise ValueError(
            f"{name} has {given.shape[1]} columns, but there are {loadings.shape[1]} components."
        )
    given = given.astype(np.float64, copy=False)
    return project(given, np.ascontiguousarray(loadings.T * deviation), mean)
