"""Neighbourhood components analysis: the linear map after which neighbours are of one class."""

import time
import warnings
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._draws import random_state_of
from gramian._labels import check_classification_targets, encode_labels
from gramian._linalg import cross_product, product
from gramian._magnitude import require_squares
from gramian._sums import row_sum
from gramian._typing import Floats
from gramian.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, Tags, TransformerMixin
from gramian.certificate import Certificate
from gramian.config import core_context
from gramian.decomposition import PCA
from gramian.discriminant_analysis import LinearDiscriminantAnalysis
from gramian.exceptions import ConvergenceWarning, shared
from gramian.params import (
    Arrays,
    Boolean,
    Callables,
    Integer,
    Nothing,
    OneOf,
    RandomState,
    Real,
    param,
)
from gramian.validation import check_array, check_fit, check_is_fitted, check_predict

__all__ = ["NeighborhoodComponentsAnalysis"]


class NeighborhoodComponentsAnalysis(
    ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator
):
    """A linear map after which the nearest rows are of one class.

    Maximises the number of training rows that would be classified right if each took the class of
    another row, drawn with probabilities proportional to ``exp(-|A x_i - A x_j|^2)``, by L-BFGS.
    The pairs of rows are gone through anew in each step and never stored, so that memory grows
    with the rows and not with their square.

    Parameters
    ----------
    n_components : int, optional
        Number of rows of the map A; None: as many as there are columns.
    init : str or ndarray of shape (n_components, n_features), default="auto"
        Where the search starts: "pca", "lda", "identity", "random", a matrix, or "auto", which is
        "lda" if there are more classes than components, else "pca" if there are fewer components
        than columns and rows, else "identity".
    warm_start : bool, default=False
        Whether to start from the map of the previous fit.
    max_iter : int, default=50
        Most steps.
    tol : float, default=1e-5
        Stop when a step gains less than this share, or no entry of the gradient is larger.
    callback : callable, optional
        Called after each step with the flattened map and the number of the step.
    verbose : int, default=0
        Whether to print the objective at each evaluation.
    random_state : int, RandomState, Generator or None, default=None
        Source of the draws of ``init="random"``.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The map A.
    n_iter_ : int
        Number of steps, the start counted as one.
    random_state_ : RandomState
        The source of the draws.
    certificate_ : Certificate
        Minus the expected number of rows classified right, and how large the gradient is for it.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian.neighbors import NeighborhoodComponentsAnalysis
    >>> X = np.array([[0.0, 0.0], [0.0, 1.0], [2.0, 0.0], [2.0, 1.0]])
    >>> y = [1, 0, 1, 0]  # the second column tells, the first is wider
    >>> model = NeighborhoodComponentsAnalysis(init="identity").fit(X, y)
    >>> Z = model.transform(X)
    >>> bool(abs(Z[0] - Z[2]).max() < abs(Z[0] - Z[1]).max())
    True
    """

    n_components: int | None = param(None, Integer(1) | Nothing(), positional=True)
    init: Any = param("auto", OneOf("auto", "pca", "lda", "identity", "random") | Arrays())
    warm_start: bool = param(False, Boolean())
    max_iter: int = param(50, Integer(1))
    tol: float = param(1e-5, Real(0.0))
    callback: Callable[[Floats, int], Any] | None = param(None, Callables() | Nothing())
    verbose: int = param(0, Integer(0) | Boolean())
    random_state: Any = param(None, RandomState())

    components_: Floats
    n_iter_: int
    random_state_: Any
    certificate_: Certificate

    def fit(self, X: Any, y: Any) -> Self:
        """Find the map.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Their classes.
        """
        data = check_fit(self, X, y, accept_sparse=False, min_samples=2)
        check_classification_targets(data.y)
        rows = np.ascontiguousarray(data.X, dtype=np.float64)
        require_squares(self, rows)
        assert data.y is not None
        labels, codes = encode_labels(data.y)
        start_time = time.perf_counter()
        self._check_shapes(rows.shape[1])
        self.random_state_ = random_state_of(self.random_state)
        start = np.ascontiguousarray(self._start(rows, codes, len(labels)), dtype=np.float64)
        search = _Search(self, rows, np.array(codes, dtype=np.int64))
        result = search.run(start)
        self.components_, self.n_iter_ = result.x.reshape(start.shape), search.n_iter
        self.certificate_ = search.certify(self.components_, result)
        if self.verbose:
            self._report(result, time.perf_counter() - start_time)
        return self

    def transform(self, X: Any) -> Floats:
        """Return the rows mapped.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
        """
        check_is_fitted(self)
        rows = check_predict(self, X, accept_sparse=False)
        return product(np.ascontiguousarray(rows, dtype=np.float64), self.components_.T.copy())

    def _check_shapes(self, n_features: int) -> None:
        """Raise if the number of components, the start or the last fit do not suit the rows."""
        k = self.n_components
        asked = f"The preferred dimensionality of the projected space `n_components` ({k})"
        if k is not None and k > n_features:
            raise ValueError(
                f"{asked} cannot be greater than the given data dimensionality ({n_features})!"
            )
        if self._starts_warm() and self.components_.shape[1] != n_features:
            raise ValueError(
                f"The new inputs dimensionality ({n_features}) does not match the input "
                "dimensionality of the previously learned transformation "
                f"({self.components_.shape[1]})."
            )
        if isinstance(self.init, str):
            return
        n_rows, n_columns = check_array(self.init).shape
        if n_columns != n_features:
            raise ValueError(
                f"The input dimensionality ({n_columns}) of the given linear transformation "
                f"`init` must match the dimensionality of the given inputs `X` ({n_features})."
            )
        if n_rows > n_columns:
            raise ValueError(
                f"The output dimensionality ({n_rows}) of the given linear transformation `init` "
                f"cannot be greater than its input dimensionality ({n_columns})."
            )
        if k is not None and k != n_rows:
            raise ValueError(
                f"{asked} does not match the output dimensionality of the given linear "
                f"transformation `init` ({n_rows})!"
            )

    def _starts_warm(self) -> bool:
        return bool(self.warm_start) and hasattr(self, "components_")

    def _start(self, rows: Floats, codes: NDArray[Any], n_classes: int) -> Any:
        n, p = rows.shape
        k = self.n_components or p
        if self._starts_warm():
            return self.components_
        if not isinstance(self.init, str):
            return check_array(self.init)
        init = self.init
        if init == "auto":
            fewer = "pca" if k < min(n, p) else "identity"
            init = "lda" if k <= min(p, n_classes - 1) else fewer
        if init == "identity":
            return np.eye(k, p)
        if init == "random":
            return self.random_state_.standard_normal(size=(k, p))
        begin = time.perf_counter()
        name = "principal" if init == "pca" else "most discriminative"
        if self.verbose:
            print(f"Finding {name} components... ", end="", flush=True)
        if init == "pca":
            seed = self.random_state_
            start = PCA(n_components=k, random_state=seed).fit(rows).components_
        else:
            lda = LinearDiscriminantAnalysis(n_components=k).fit(rows, codes)
            start = lda.scalings_.T[:k]
        if self.verbose:
            print(f"done in {time.perf_counter() - begin:5.2f}s")
        return start

    def _report(self, result: Any, seconds: float) -> None:
        name = type(self).__name__
        if not result.success:
            warnings.warn(
                f"[{name}] NCA did not converge: {result.message}",
                shared(ConvergenceWarning),
                stacklevel=3,
            )
        print(f"[{name}] Training took {seconds:8.2f}s.")

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.required_y = tags.scales_tables = True
        return tags


class _Search:
    """The steps from a start to a map whose gradient vanishes."""

    def __init__(
        self, model: NeighborhoodComponentsAnalysis, rows: Floats, codes: NDArray[np.int64]
    ) -> None:
        self.model, self.rows, self.codes = model, rows, codes
        self.n_iter, self.ctx = 0, core_context()

    def run(self, start: Floats) -> Any:
        from scipy.optimize import minimize

        return minimize(
            self._objective,
            start.ravel(),
            jac=True,
            method="L-BFGS-B",
            tol=self.model.tol,
            callback=self._after_step,
            options={"maxiter": self.model.max_iter},
        )

    def value_and_gradient(self, components: Floats) -> tuple[float, Floats]:
        """Return how many rows are expected to be classified right, and its derivatives."""
        mapped = product(self.rows, components.T.copy())
        chances, pull = np.empty(len(mapped)), np.empty(mapped.shape)
        _core.choose_neighbours(mapped, self.codes, probabilities=chances, pull=pull, ctx=self.ctx)
        return row_sum(chances), 2.0 * cross_product(self.rows, pull).T

    def certify(self, components: Floats, result: Any) -> Certificate:
        value, gradient = self.value_and_gradient(components)
        size = float(np.abs(components).max(initial=0.0))
        optimality = float(np.abs(gradient).max(initial=0.0)) * size / len(self.rows)
        how = "a stationary point within tol" if result.success else f"stopped: {result.message}"
        statement = (
            f"{value:.6g} of {len(self.rows)} rows are expected to be classified right; {how}; "
            f"the gradient is {optimality:.1e} of its scale"
        )
        return Certificate(-value, optimality, bool(result.success), statement, int(result.nit))

    def _objective(self, flat: Floats) -> tuple[float, Floats]:
        begin = time.perf_counter()
        if self.n_iter == 0:
            self.n_iter = 1
            self._print_head()
        value, gradient = self.value_and_gradient(flat.reshape(-1, self.rows.shape[1]))
        if self.model.verbose:
            seconds, name = time.perf_counter() - begin, type(self.model).__name__
            print(f"[{name}] {self.n_iter:>10} {value:>20.6e} {seconds:>10.2f}", flush=True)
        return -value, -gradient.ravel()

    def _print_head(self) -> None:
        if self.model.verbose:
            head, name = (
                f"{'Iteration':>10} {'Objective Value':>20} {'Time(s)':>10}",
                type(self.model),
            )
            print(
                f"[{name.__name__}]\n[{name.__name__}] {head}\n[{name.__name__}] {'-' * len(head)}"
            )

    def _after_step(self, flat: Floats) -> None:
        if self.model.callback is not None:
            self.model.callback(flat, self.n_iter)
        self.n_iter += 1
        if self.ctx.expired:
            raise StopIteration
