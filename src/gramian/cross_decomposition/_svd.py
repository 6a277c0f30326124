"""Partial least squares by one singular value decomposition."""

from typing import Any, Self

import numpy as np

from gramian._spectral.operator import orthogonality
from gramian._spectral.singular import Triplets, leading_triplets
from gramian._spectral.spectrum import svd_flip
from gramian._tags import tagged
from gramian._typing import Floats
from gramian.certificate import Certificate
from gramian.cross_decomposition._blocks import Block, products
from gramian.cross_decomposition._tables import TwoTables
from gramian.params import Boolean, Integer, param

__all__ = ["PLSSVD"]

_TOLERANCE = 1e-12  # residual at which iteration ends, relative to the squared singular value
_PROVEN = 1e-8


class PLSSVD(TwoTables):
    """Partial least squares by the singular value decomposition of ``X'y``.

    The weights are the leading singular vectors of the product of both tables, less their means and
    in units of their deviations: directions whose scores have the largest covariances.

    Parameters
    ----------
    n_components : int, default=2
        How many pairs of directions; at most ``min(n_samples, n_features, n_targets)``.
    scale : bool, default=True
        Whether the columns of both tables are divided by their standard deviations.
    copy : bool, default=True
        With False, `X` and `y` of double precision are centred and scaled where they lie.

    Attributes
    ----------
    x_weights_ : ndarray of shape (n_features, n_components)
        Left singular vectors; the largest entry of each is positive.
    y_weights_ : ndarray of shape (n_targets, n_components)
        Right singular vectors.
    certificate_ : Certificate
        Residual ``|X'y v - s u|`` of the pairs, and how orthogonal they are.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    >>> from gramian.cross_decomposition import PLSSVD
    >>> X = [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [2.0, 2.0, 2.0], [2.0, 5.0, 4.0]]
    >>> y = [[0.1, -0.2], [0.9, 1.1], [6.2, 5.9], [11.9, 12.3]]
    >>> x_scores, y_scores = PLSSVD(n_components=2).fit_transform(X, y)
    >>> x_scores.shape, y_scores.shape
    ((4, 2), (4, 2))
    """

    n_components: int = param(2, Integer(1), positional=True)
    scale: bool = param(True, Boolean())
    copy: bool = param(True, Boolean())

    _own_tags = tagged(required_y=True, multi_output=True)

    def fit(self, X: Any, y: Any) -> Self:
        """Find the directions.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            Rows of the first table.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Rows of the second.
        """
        x, Y, _ = self._blocks(X, y)
        self._check_n_components(min(*x.shape, Y.shape[1]))
        cross = x.transposed_times(Y)
        start = np.random.default_rng(0).normal(size=(min(cross.shape), 8))
        found = leading_triplets(cross, self.n_components, start=start, tol=_TOLERANCE)
        if found is None:
            raise ValueError("The products of X and y are too large; scale them.")
        U = svd_flip(found.U)
        signs = np.where((U == found.U).all(axis=0), 1.0, -1.0)
        self.x_weights_, self.y_weights_ = U, found.V * signs
        self.certificate_ = self._certify(x, Y, found)
        return self

    def _certify(self, x: Block, Y: Floats, found: Triplets) -> Certificate:
        U, V = self.x_weights_, self.y_weights_
        scores = products(Y.T, V)
        images, s = x.transposed_times(scores), found.s
        largest = float(s.max(initial=0.0))
        residual = float(np.sqrt(((images - U * s) ** 2).sum(axis=0)).max())
        residual = residual / largest if largest > 0.0 else 0.0
        angle = max(orthogonality(U), orthogonality(V))
        statement = f"|X'y v - s u| of {len(s)} pairs is at most {residual:.1e} of the largest s"
        details: dict[str, float | int | str] = {"orthogonality": angle}
        is_proven = found.converged and max(residual, angle) <= _PROVEN
        covariance = -float(s.sum()) / (x.shape[0] - 1)
        return Certificate(
            covariance, residual, is_proven, statement, found.n_iter, details=details
        )

    def transform(self, X: Any, y: Any = None) -> Any:
        """Return the scores of rows.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            Rows of the first table.
        y : array-like of shape (n_samples,) or (n_samples, n_targets), optional
            Rows of the second.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            Scores of `X`; with `y` a tuple of those of both.
        """
        return self._scores(X, y, True, "weights")

    def fit_transform(self, X: Any, y: Any = None) -> Any:  # type: ignore[override]
        """Find the directions, and return the scores of both tables.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            Rows of the first table.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Rows of the second.
        """
        return self.fit(X, y).transform(X, y)
