"""Partial least squares and canonical correlation, component by component."""

from typing import Any, ClassVar

from numpy.typing import NDArray

from gramian._typing import Floats
from gramian.cross_decomposition._blocks import Block
from gramian.cross_decomposition._components import ComponentModel
from gramian.cross_decomposition._steps import Components, Search
from gramian.params import OneOf, param

__all__ = ["CCA", "PLSCanonical", "PLSRegression"]


class PLSRegression(ComponentModel):
    """Partial least squares regression: PLS1 of one target, PLS2 of several.

    Each component is the direction of X whose scores have the largest covariance with the targets;
    X and the targets are then freed of these scores. The prediction is the regression on the
    scores: with all components it is that of least squares, with few of them it does not suffer
    from columns that nearly depend on each other.

    Parameters
    ----------
    n_components : int, default=2
        How many components; at most ``min(n_samples, n_features)``.
    scale : bool, default=True
        Whether the columns of both tables are divided by their standard deviations.
    max_iter : int, default=500
        Most steps of the power method that looks for a pair of directions.
    tol : float, default=1e-6
        Squared change of the weights at which it ends; 0 takes the exact pair at once.
    copy : bool, default=True
        With False, `X` and `y` of double precision are centred and scaled where they lie.

    Attributes
    ----------
    x_weights_ : ndarray of shape (n_features, n_components)
        Directions of the deflated X, of length 1; the largest entry of each is positive.
    y_weights_ : ndarray of shape (n_targets, n_components)
        Those of the targets, which are `y_loadings_`.
    x_loadings_ : ndarray of shape (n_features, n_components)
        What the scores are multiplied with to approximate X.
    y_loadings_ : ndarray of shape (n_targets, n_components)
        The same for the targets.
    x_scores_ : ndarray of shape (n_samples, n_components)
        Scores of the training rows, orthogonal to each other.
    y_scores_ : ndarray of shape (n_samples, n_components)
        Scores of the targets.
    x_rotations_ : ndarray of shape (n_features, n_components)
        What rows are multiplied with to get scores.
    y_rotations_ : ndarray of shape (n_targets, n_components)
        The same for the targets.
    coef_ : ndarray of shape (n_targets, n_features)
        Coefficients of columns less their means.
    intercept_ : ndarray of shape (n_targets,)
        Means of the targets.
    n_iter_ : list of int
        Steps of the power method for each component; none with `tol=0`.
    certificate_ : Certificate
        How far the weights are from the leading pairs, and the scores from being orthogonal.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    >>> from gramian.cross_decomposition import PLSRegression
    >>> X = [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [2.0, 2.0, 2.0], [2.0, 5.0, 4.0]]
    >>> y = [[0.1, -0.2], [0.9, 1.1], [6.2, 5.9], [11.9, 12.3]]
    >>> model = PLSRegression(n_components=2).fit(X, y)
    >>> model.predict(X).round(1)
    array([[ 0.3,  0.2],
           [ 0.6,  0.5],
           [ 6.5,  6.5],
           [11.8, 12. ]])
    """

    x_scores_: NDArray[Any]
    y_scores_: NDArray[Any]

    _is_canonical: ClassVar[bool] = False

    def _store(self, x: Block, Y: Floats, found: Components, search: Search) -> None:
        super()._store(x, Y, found, search)
        self.x_scores_, self.y_scores_ = self._x_scores, self._y_scores


class PLSCanonical(ComponentModel):
    """Canonical partial least squares: pairs of directions of the largest covariance.

    Both tables are treated alike: each is freed of its own scores after each component.

    Parameters
    ----------
    n_components : int, default=2
        How many components; at most ``min(n_samples, n_features, n_targets)``.
    scale : bool, default=True
        Whether the columns of both tables are divided by their standard deviations.
    algorithm : {"nipals", "svd"}, default="nipals"
        "nipals" looks for each pair by the power method; "svd" takes the exact pair at once.
    max_iter : int, default=500
        Most steps of the power method.
    tol : float, default=1e-6
        Squared change of the weights at which it ends; 0 takes the exact pair, too.
    copy : bool, default=True
        With False, `X` and `y` of double precision are centred and scaled where they lie.

    Attributes
    ----------
    x_weights_ : ndarray of shape (n_features, n_components)
        Directions of the deflated X, of length 1; the largest entry of each is positive.
    y_weights_ : ndarray of shape (n_targets, n_components)
        Those of the deflated second table, of length 1.
    x_loadings_ : ndarray of shape (n_features, n_components)
        What the scores are multiplied with to approximate X.
    y_loadings_ : ndarray of shape (n_targets, n_components)
        The same for the second table.
    x_rotations_ : ndarray of shape (n_features, n_components)
        What rows are multiplied with to get scores.
    y_rotations_ : ndarray of shape (n_targets, n_components)
        The same for the second table.
    coef_ : ndarray of shape (n_targets, n_features)
        Coefficients of columns less their means.
    intercept_ : ndarray of shape (n_targets,)
        Means of the second table.
    n_iter_ : list of int
        Steps of the power method for each component; none with `algorithm="svd"`.
    certificate_ : Certificate
        How far the weights are from the leading pairs, and the scores from being orthogonal.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    >>> from gramian.cross_decomposition import PLSCanonical
    >>> X = [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [2.0, 2.0, 2.0], [2.0, 5.0, 4.0]]
    >>> y = [[0.1, -0.2], [0.9, 1.1], [6.2, 5.9], [11.9, 12.3]]
    >>> PLSCanonical(n_components=2).fit(X, y).transform(X).shape
    (4, 2)
    """

    algorithm: str = param("nipals", OneOf("svd", "nipals"))

    _signature = "n_components, *, scale, algorithm, max_iter, tol, copy"


class CCA(ComponentModel):
    """Canonical correlation analysis: pairs of directions whose scores correlate most.

    The power method runs on the two tables made white, whose bases are found once from their Gram
    matrices; columns that depend on others take no part.

    Parameters
    ----------
    n_components : int, default=2
        How many components; at most ``min(n_samples, n_features, n_targets)``.
    scale : bool, default=True
        Whether the columns of both tables are divided by their standard deviations.
    max_iter : int, default=500
        Most steps of the power method that looks for a pair of directions.
    tol : float, default=1e-6
        Squared change of the weights at which it ends; 0 takes the exact pair at once.
    copy : bool, default=True
        With False, `X` and `y` of double precision are centred and scaled where they lie.

    Attributes
    ----------
    x_weights_ : ndarray of shape (n_features, n_components)
        Directions of the deflated X, of length 1; the largest entry of each is positive.
    y_weights_ : ndarray of shape (n_targets, n_components)
        Those of the deflated second table, of length 1.
    x_loadings_ : ndarray of shape (n_features, n_components)
        What the scores are multiplied with to approximate X.
    y_loadings_ : ndarray of shape (n_targets, n_components)
        The same for the second table.
    x_rotations_ : ndarray of shape (n_features, n_components)
        What rows are multiplied with to get scores.
    y_rotations_ : ndarray of shape (n_targets, n_components)
        The same for the second table.
    coef_ : ndarray of shape (n_targets, n_features)
        Coefficients of columns less their means.
    intercept_ : ndarray of shape (n_targets,)
        Means of the second table.
    n_iter_ : list of int
        Steps of the power method for each component; none with `tol=0`.
    certificate_ : Certificate
        How far the weights are from the leading pairs, and the scores from being orthogonal.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    >>> from gramian.cross_decomposition import CCA
    >>> X = [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [2.0, 2.0, 2.0], [3.0, 5.0, 4.0]]
    >>> y = [[0.1, -0.2], [0.9, 1.1], [6.2, 5.9], [11.9, 12.3]]
    >>> CCA(n_components=1).fit(X, y).transform(X).shape
    (4, 1)
    """

    _is_whitened: ClassVar[bool] = True
