"""Densities as sums of kernels."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammainc

from gramian._draws import random_state_of
from gramian._magnitude import require_squares
from gramian._sums import row_sum
from gramian._typing import Floats
from gramian.base import BaseEstimator
from gramian.neighbors._binary_tree import BallTree, KDTree
from gramian.neighbors._kernel_sums import KERNELS
from gramian.params import Boolean, Integer, Mappings, Nothing, OneOf, Real, param
from gramian.validation import check_fit, check_is_fitted, check_predict

__all__ = ["KernelDensity"]

_METRICS = sorted({*KDTree.valid_metrics, *BallTree.valid_metrics} - {"pyfunc"})
_TREES: dict[str, Any] = {"kd_tree": KDTree, "ball_tree": BallTree}


class KernelDensity(BaseEstimator):
    """Kernel density estimation: the density as a mean of bumps around the training rows.

    With the bandwidth h, a kernel K and weights w_i,
    ``density(x) = sum_i w_i K(d(x, x_i) / h) / (h^p c sum_i w_i)``, where c is the integral of the
    kernel. Sums are taken in double precision and their logarithms do not underflow; only rows that
    cannot change the last digit are left out.

    Parameters
    ----------
    bandwidth : float or {"scott", "silverman"}, default=1.0
        Width of the bumps, in the units of the columns; or by a rule from the numbers of rows n and
        columns p: ``n^(-1 / (p + 4))``, or ``(n (p + 2) / 4)^(-1 / (p + 4))``, both for columns of
        variance 1.
    algorithm : {"auto", "kd_tree", "ball_tree"}, default="auto"
        How to search; the answers are the same.
    kernel : {"gaussian", "tophat", "epanechnikov", "exponential", "linear", "cosine"}, \
default="gaussian"
        Shape of the bumps. All but the gaussian and the exponential one end at distance h.
    metric : str, default="euclidean"
        A metric of `BallTree`. The density integrates to 1 for the Euclidean one only.
    atol, rtol : float, default=0
        How wrong a density may be, to be found sooner: ``atol + rtol * density``.
    breadth_first : bool, default=True
        Accepted for scikit-learn's sake.
    leaf_size : int, default=40
        Accepted for scikit-learn's sake; trees choose their own.
    metric_params : dict, default=None
        Further arguments of the metric.

    Attributes
    ----------
    bandwidth_ : float
        The bandwidth in use.
    tree_ : KDTree or BallTree
        The training rows.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    >>> from gramian.neighbors import KernelDensity
    >>> model = KernelDensity(bandwidth=0.5).fit([[0.0], [1.0], [1.2]])
    >>> model.score_samples([[1.1], [9.0]]).round(3)
    array([  -0.607, -123.003])
    """

    bandwidth: Any = param(
        1.0, Real(0.0, closed="neither") | OneOf("scott", "silverman"), positional=False
    )
    algorithm: str = param("auto", OneOf("auto", "kd_tree", "ball_tree"))
    kernel: str = param("gaussian", OneOf(*KERNELS))
    metric: str = param("euclidean", OneOf(*_METRICS))
    atol: float = param(0, Real(0.0))
    rtol: float = param(0, Real(0.0))
    breadth_first: bool = param(True, Boolean())
    leaf_size: int = param(40, Integer(1))
    metric_params: dict[str, Any] | None = param(None, Mappings() | Nothing())

    bandwidth_: float
    tree_: Any

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Keep the rows.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            Training rows.
        y : None
            Not used.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows.
        """
        tree = self._tree_class()
        data = check_fit(self, X, None, sample_weight, accept_sparse=False)
        require_squares(self, data.X)
        self.bandwidth_ = self._bandwidth(*data.X.shape)
        self.tree_ = tree(
            data.X.astype(np.float64, copy=False),
            leaf_size=self.leaf_size,
            metric=self.metric,
            sample_weight=data.sample_weight,
            **(self.metric_params or {}),
        )
        return self

    def _tree_class(self) -> Any:
        name = self.algorithm
        if name == "auto":
            name = "kd_tree" if self.metric in KDTree.valid_metrics else "ball_tree"
        tree = _TREES[name]
        if self.metric not in tree.valid_metrics:
            raise ValueError(
                f"invalid metric for {tree.__name__}: {self.metric!r}; it takes "
                f"{', '.join(tree.valid_metrics)}."
            )
        return tree

    def _bandwidth(self, n: int, p: int) -> float:
        if self.bandwidth == "scott":
            return float(n ** (-1.0 / (p + 4)))
        if self.bandwidth == "silverman":
            return float((n * (p + 2) / 4.0) ** (-1.0 / (p + 4)))
        return float(self.bandwidth)

    def score_samples(self, X: Any) -> Floats:
        """Return the logarithm of the density at each row.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        rows = check_predict(self, X, accept_sparse=False)
        require_squares(self, rows)
        total = self.tree_.sum_weight
        logs: Floats = self.tree_.kernel_density(
            rows,
            self.bandwidth_,
            kernel=self.kernel,
            atol=self.atol * total,
            rtol=self.rtol,
            return_log=True,
        )
        logs -= np.log(total)
        return logs

    def score(self, X: Any, y: Any = None) -> float:
        """Return the log-likelihood of rows: the sum of the logarithms of their densities.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            Rows.
        y : None
            Not used.
        """
        return row_sum(self.score_samples(X))

    def sample(self, n_samples: int = 1, random_state: Any = None) -> NDArray[np.float64]:
        """Draw rows from the density, those of scikit-learn for the same number.

        Parameters
        ----------
        n_samples : int, default=1
            How many.
        random_state : int, RandomState, Generator or None, default=None
            Source of the draws.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        if self.kernel not in ("gaussian", "tophat"):
            raise NotImplementedError(
                f"sample draws from the kernels 'gaussian' and 'tophat', not {self.kernel!r}."
            )
        rng = random_state_of(random_state)
        centres = self.tree_.data[self._drawn_rows(rng.uniform(0, 1, size=n_samples))]
        if self.kernel == "gaussian":
            return np.atleast_2d(rng.normal(centres, self.bandwidth_))
        drawn: Floats = centres + self.bandwidth_ * _in_unit_ball(rng, centres.shape)
        return drawn

    def _drawn_rows(self, shares: Floats) -> NDArray[np.intp]:
        """Return the rows at shares of the weight."""
        weight = self.tree_.sample_weight
        if weight is None:
            places: NDArray[np.intp] = (shares * len(self.tree_.data)).astype(np.intp)
            return places
        sums = np.cumsum(weight)
        return np.asarray(np.searchsorted(sums, shares * sums[-1]), dtype=np.intp)


def _in_unit_ball(rng: np.random.RandomState, shape: tuple[int, ...]) -> Floats:
    """Return even draws from the unit ball.

    The squared length of a normal draw has a chi-square distribution, whose value at it is an even
    draw from [0, 1], as the p-th power of the length of one from the ball must be.
    """
    draws = rng.normal(size=shape)
    squares = np.einsum("ij,ij->i", draws, draws)
    p = shape[1]
    lengths = gammainc(0.5 * p, 0.5 * squares) ** (1.0 / p)
    inside: Floats = draws * (lengths / np.sqrt(squares))[:, None]
    return inside
