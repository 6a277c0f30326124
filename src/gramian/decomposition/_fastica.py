"""Independent component analysis by fixed-point iteration."""

import math
import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gramian._draws import random_state_of
from gramian._linalg import cross_product, matmul, product, pseudo_inverse
from gramian._magnitude import require_squares
from gramian._spectral.operator import project
from gramian._spectral.spectrum import exact_spectrum
from gramian._typing import Floats
from gramian.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, Tags, TransformerMixin
from gramian.certificate import Certificate
from gramian.decomposition._ica_steps import Contrast, deflation, parallel, turn_of_step
from gramian.exceptions import ConvergenceWarning, shared
from gramian.params import (
    Arrays,
    Boolean,
    Callables,
    Integer,
    Mappings,
    Nothing,
    OneOf,
    RandomState,
    Real,
    check_arguments,
    param,
)
from gramian.validation import check_array, check_fit, check_is_fitted, check_predict

__all__ = ["FastICA", "fastica"]

_CONTRASTS = ("logcosh", "exp", "cube")
_EPS = float(np.finfo(np.float64).eps)
_LEAST = float(np.finfo(np.float64).tiny)
_DID_NOT_CONVERGE = (
    "FastICA did not converge. Consider increasing tolerance or the maximum number of iterations."
)


class FastICA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Independent component analysis: signals that are independent, found in their mixtures.

    Rows are ``x = mean + A s`` with independent signals s of which at most one is normal. White
    rows are rotated so that the components are as far from normal as can be.

    Parameters
    ----------
    n_components : int, default=None
        How many components; None is ``min(n_samples, n_features)``.
    algorithm : {"parallel", "deflation"}, default="parallel"
        All components at once, or one after the other.
    whiten : {"unit-variance", "arbitrary-variance", False}, default="unit-variance"
        Whether the rows are made white, and the components scaled to variance 1; False takes rows
        that are white already.
    fun : {"logcosh", "exp", "cube"} or callable, default="logcosh"
        Slope g of the contrast function: ``tanh(alpha y)``, ``y exp(-y² / 2)`` or ``y³``. A
        function of an array returns g and the mean of its slope along the last axis.
    fun_args : dict, default=None
        Arguments of `fun`; `alpha` of "logcosh" is between 1 and 2.
    max_iter : int, default=200
        Most steps.
    tol : float, default=1e-4
        Change of a direction, as one less the cosine, below which iteration ends.
    w_init : array-like of shape (n_components, n_components), default=None
        Where iteration starts; None draws normal numbers.
    whiten_solver : {"svd", "eigh"}, default="svd"
        Both take the smaller Gram matrix; "svd" finds small singular values anew from the rows.
    random_state : int, RandomState, Generator or None, default=None
        Draws the start.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        What rows less the means are multiplied with.
    mixing_ : ndarray of shape (n_features, n_components)
        The pseudo-inverse of `components_`, which makes rows of components.
    mean_ : ndarray of shape (n_features,)
        Means of the columns, where rows are whitened.
    whitening_ : ndarray of shape (n_components, n_features)
        What makes rows white, but for the root of their number.
    n_iter_ : int
        Number of steps; of deflation the most of a component.
    certificate_ : Certificate
        By how much another step would turn a direction.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian.decomposition import FastICA
    >>> t = np.linspace(0.0, 8.0, 2000)
    >>> signals = np.column_stack([np.sin(2.0 * t), np.sign(np.sin(3.0 * t))])
    >>> mixed = signals @ np.array([[1.0, 1.0], [0.5, 2.0]]).T
    >>> found = FastICA(random_state=0).fit_transform(mixed)
    >>> np.abs(np.corrcoef(signals.T, found.T)[:2, 2:]).max(axis=1).round(2)
    array([1., 1.])
    """

    n_components: int | None = param(None, Integer(1) | Nothing(), positional=True)
    algorithm: str = param("parallel", OneOf("parallel", "deflation"))
    whiten: Any = param("unit-variance", OneOf("arbitrary-variance", "unit-variance", False))
    fun: Any = param("logcosh", OneOf(*_CONTRASTS) | Callables())
    fun_args: dict[str, Any] | None = param(None, Mappings() | Nothing())
    max_iter: int = param(200, Integer(1))
    tol: float = param(1e-4, Real(0.0))
    w_init: Any = param(None, Arrays() | Nothing())
    whiten_solver: str = param("svd", OneOf("eigh", "svd"))
    random_state: Any = param(None, RandomState())

    components_: NDArray[Any]
    mixing_: NDArray[Any]
    mean_: NDArray[Any]
    whitening_: NDArray[Any]
    _unmixing: NDArray[Any]

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.preserves_dtype = ("float64", "float32")
        return tags

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the components.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            Training rows.
        y : None
            Not used.
        """
        self._fit(X)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:  # type: ignore[override]
        """Find the components, and return those of the training rows.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            Training rows.
        y : None
            Not used.
        """
        return self._project(self._fit(X))

    def _fit(self, X: Any) -> Any:
        rows = check_fit(self, X, accept_sparse=False, min_samples=2).X
        function = Contrast(self.fun, dict(self.fun_args or {}))
        k = self._checked_n_components(*rows.shape)
        if self.whiten:
            mean, K = self._whitening(rows, k)
            directions = np.ascontiguousarray(K.T) * math.sqrt(len(rows))
            white = product(rows, directions, mean)
        else:
            mean, K, white = None, None, np.ascontiguousarray(rows, np.float64)
        is_parallel = self.algorithm == "parallel"
        solve = parallel if is_parallel else deflation
        W, self.n_iter_, has_converged = solve(
            white, function, self._first_directions(k), self.tol, self.max_iter
        )
        turn = turn_of_step(white, function, W, is_parallel=is_parallel)
        statement = f"another step would turn a direction by {turn:.1e} (one less the cosine)"
        self.certificate_ = Certificate(turn, turn, has_converged, statement, self.n_iter_)
        if not has_converged:
            warnings.warn(_DID_NOT_CONVERGE, shared(ConvergenceWarning), stacklevel=4)
        self._set_components(W, mean, K, white, rows.dtype)
        return rows

    def _checked_n_components(self, n: int, p: int) -> int:
        k = self.n_components
        if not self.whiten:
            if k is not None:
                warnings.warn("Ignoring n_components with whiten=False.", stacklevel=5)
            if n < p:
                raise ValueError(
                    f"whiten=False needs at least as many samples as features; X has {n} samples "
                    f"and {p} features."
                )
            return p
        if k is not None and k > min(n, p):
            warnings.warn(f"n_components is too large: it will be set to {min(n, p)}", stacklevel=5)
        return min(n, p) if k is None else min(k, n, p)

    def _whitening(self, rows: Any, k: int) -> tuple[Floats, Floats]:
        found = exact_spectrum(rows)
        if found is None or not _LEAST <= found.total < math.inf:
            require_squares(self, rows)
        if found is None or not math.isfinite(found.total):
            raise ValueError("The variances of X are too large for double precision; scale X.")
        if found.total == 0.0:
            raise ValueError("X has zero variance: it holds no components.")
        squares, vectors = found.squares, found.vectors
        if self.whiten_solver == "eigh" and (squares < 10.0 * _EPS).any():
            warnings.warn(
                "There are some small singular values, using whiten_solver = 'svd' might lead to "
                "more accurate results.",
                stacklevel=5,
            )
        deviations = np.sqrt(squares)
        # Directions without variance hold rounding errors alone, which stay small.
        deviations = np.maximum(deviations, max(_EPS * float(deviations[0]), _LEAST))
        vectors = vectors * np.where(vectors[0] < 0.0, -1.0, 1.0)
        return found.mean, np.ascontiguousarray((vectors / deviations).T[:k])

    def _first_directions(self, k: int) -> Floats:
        if self.w_init is None:
            drawn: Floats = random_state_of(self.random_state).normal(size=(k, k))
            return drawn
        given = np.asarray(self.w_init, np.float64)
        if given.shape != (k, k):
            raise ValueError(f"w_init has invalid shape -- should be {(k, k)}")
        return given

    def _set_components(
        self, W: Floats, mean: Floats | None, K: Floats | None, white: Floats, dtype: Any
    ) -> None:
        components = W
        if K is not None and mean is not None:
            if self.whiten == "unit-variance":
                W = W / np.maximum(_deviations(white, W), _LEAST)[:, None]
            components = matmul(W, K)
            self.mean_, self.whitening_ = mean.astype(dtype), K.astype(dtype)
        self._unmixing = W.astype(dtype)
        self.components_ = components.astype(dtype)
        self.mixing_ = pseudo_inverse(components).astype(dtype)

    def _project(self, rows: Any) -> Any:
        directions = np.ascontiguousarray(self.components_.T, np.float64)
        shift = np.zeros(directions.shape[1])
        if self.whiten:
            shift = -np.einsum("j,jk->k", self.mean_.astype(np.float64), directions)
        return project(rows, directions, shift)

    def transform(self, X: Any, copy: bool = True) -> Any:
        """Return the components of rows.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            Rows.
        copy : bool, default=True
            Taken for scikit-learn's sake: `X` is not changed either way.
        """
        check_is_fitted(self)
        return self._project(check_predict(self, X, accept_sparse=False))

    def inverse_transform(self, X: Any, copy: bool = True) -> Any:
        """Return the rows that mix these components.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_components)
            Components.
        copy : bool, default=True
            Taken for scikit-learn's sake: `X` is not changed either way.
        """
        check_is_fitted(self)
        given = check_array(X, dtype=(np.float64, np.float32), input_name="X")
        if given.shape[1] != len(self.components_):
            raise ValueError(
                f"X has {given.shape[1]} columns, but {type(self).__name__} has "
                f"{len(self.components_)} components."
            )
        directions = np.ascontiguousarray(self.mixing_.T, np.float64)
        mean = self.mean_.astype(np.float64) if self.whiten else np.zeros(directions.shape[1])
        return project(given, directions, mean)

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)


def _deviations(white: Floats, W: Floats) -> Floats:
    """Return the deviations of the components ``white W'``, over the root of the rows.

    By the Gram matrix of the white columns, which is about n I: nothing cancels in it.
    """
    n = len(white)
    means = np.einsum("ij,j->i", W, white.sum(axis=0) / n)
    squares = np.einsum("ij,ij->i", matmul(W, cross_product(white, white) / n), W)
    deviations: Floats = np.sqrt(np.maximum(squares - means**2, 0.0) / n)
    return deviations


def fastica(
    X: Any,
    n_components: int | None = None,
    *,
    algorithm: str = "parallel",
    whiten: Any = "unit-variance",
    fun: Any = "logcosh",
    fun_args: dict[str, Any] | None = None,
    max_iter: int = 200,
    tol: float = 1e-4,
    w_init: Any = None,
    whiten_solver: str = "svd",
    random_state: Any = None,
    return_X_mean: bool = False,
    compute_sources: bool = True,
    return_n_iter: bool = False,
) -> Any:
    """Return the whitening, the unmixing matrix and the components of rows; see `FastICA`.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows.
    n_components, algorithm, whiten, fun, fun_args, max_iter, tol, w_init, whiten_solver
        As of `FastICA`.
    random_state : int, RandomState, Generator or None, default=None
        Draws the start.
    return_X_mean : bool, default=False
        Whether the means are returned, too.
    compute_sources : bool, default=True
        Whether the components of the rows are computed.
    return_n_iter : bool, default=False
        Whether the number of steps is returned, too.

    Returns
    -------
    list
        The whitening K or None, the unmixing matrix W, the components ``S = (X - mean) (W K)'`` or
        None; then the means, and the number of steps, where they are asked for.

    Examples
    --------
    >>> from gramian.datasets import load_digits
    >>> from gramian.decomposition import fastica
    >>> X, _ = load_digits(return_X_y=True)
    >>> K, W, S = fastica(X, n_components=7, max_iter=1000, random_state=0)
    >>> K.shape, W.shape, S.shape
    ((7, 64), (7, 7), (1797, 7))
    """
    flags = {"compute_sources": compute_sources, "return_n_iter": return_n_iter}
    flags["return_X_mean"] = return_X_mean
    check_arguments("fastica", **{name: (flag, Boolean()) for name, flag in flags.items()})
    model = FastICA(
        n_components,
        algorithm=algorithm,
        whiten=whiten,
        fun=fun,
        fun_args=fun_args,
        max_iter=max_iter,
        tol=tol,
        w_init=w_init,
        whiten_solver=whiten_solver,
        random_state=random_state,
    )
    sources = model.fit_transform(X) if compute_sources else None
    if not compute_sources:
        model.fit(X)
    K = model.whitening_ if whiten else None
    found = [K, model._unmixing, sources]
    if return_X_mean:
        found.append(model.mean_ if whiten else None)
    if return_n_iter:
        found.append(model.n_iter_)
    return found
