"""What models with orthonormal components share: coordinates, the way back, and the covariance."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._linalg import matmul
from gramian._spectral.operator import project
from gramian._typing import Floats
from gramian.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from gramian.validation import check_array, check_is_fitted, check_predict

__all__ = ["LinearComponents"]


class LinearComponents(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Base of models of a mean, orthonormal components, their variances, and noise."""

    whiten: bool
    components_: NDArray[Any]
    explained_variance_: NDArray[Any]
    mean_: NDArray[Any]
    noise_variance_: float

    @property
    def _n_rows(self) -> int:
        """How many rows the components were found from."""
        raise NotImplementedError

    def _scale(self) -> Floats:
        """Return what coordinates are divided by."""
        if not self.whiten:
            return np.ones(len(self.components_))
        deviation = np.sqrt(self.explained_variance_.astype(np.float64))
        return np.maximum(deviation, np.finfo(self.explained_variance_.dtype).eps)

    def _project(self, rows: Any) -> Any:
        directions = self.components_.T.astype(np.float64, copy=False)
        if self.whiten:
            directions = directions / self._scale()
        shift = -np.einsum("j,jk->k", self.mean_.astype(np.float64), directions)
        return project(rows, directions, shift)

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
        directions = self._scale()[:, None] * self.components_.astype(np.float64)
        return project(given, directions, self.mean_.astype(np.float64))

    def get_covariance(self) -> NDArray[Any]:
        """Return the covariance of the model: of the components, and noise in all directions."""
        V = self.components_.astype(np.float64)
        excess = np.maximum(self.explained_variance_ - self.noise_variance_, 0.0)
        covariance = matmul(np.ascontiguousarray(V.T * excess), V)
        covariance[np.diag_indices(len(covariance))] += self.noise_variance_
        return covariance.astype(self.components_.dtype)

    def get_precision(self) -> NDArray[Any]:
        """Return the inverse of the model's covariance.

        Where that has none, for directions without variance, it is the pseudo-inverse.
        """
        V = self.components_.astype(np.float64)
        inverse, noise = self._inverse_variances()
        # (noise I + sum (λ - noise) v v')^-1 = I / noise + sum (1 / λ - 1 / noise) v v'
        precision = matmul(np.ascontiguousarray(V.T * (inverse - noise)), V)
        precision[np.diag_indices(len(precision))] += noise
        return precision.astype(self.components_.dtype)

    def _inverse_variances(self) -> tuple[Floats, float]:
        """Return 1 / λ of the components and 1 / noise, 0 for what is rounding noise."""
        variance = np.maximum(self.explained_variance_.astype(np.float64), self.noise_variance_)
        largest = float(variance.max(initial=self.noise_variance_))
        cut = max(self._n_rows, self.components_.shape[1]) * float(
            np.finfo(self.components_.dtype).eps
        )
        least = cut * largest
        inverse = np.divide(1.0, variance, out=np.zeros_like(variance), where=variance > least)
        return inverse, 1.0 / self.noise_variance_ if self.noise_variance_ > least else 0.0

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)
