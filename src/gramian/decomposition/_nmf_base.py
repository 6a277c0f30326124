"""What non-negative factorizations share: parameters, checks, starts and the certificate."""

import math
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._draws import random_state_of
from gramian._linalg import matmul
from gramian._magnitude import require_squares
from gramian._typing import Floats
from gramian.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, Tags, TransformerMixin
from gramian.certificate import Certificate
from gramian.decomposition._nmf_data import Data
from gramian.decomposition._nmf_start import first_factors
from gramian.decomposition._nmf_steps import Penalty, Settings, projected_gradient
from gramian.exceptions import ConvergenceWarning, shared
from gramian.params import Boolean, Integer, Nothing, OneOf, RandomState, Real, param
from gramian.validation import check_array, check_is_fitted, is_sparse

__all__ = ["BETAS", "Factorization", "given_factor", "require_non_negative", "warn_of_max_iter"]

BETAS = {"frobenius": 2.0, "kullback-leibler": 1.0, "itakura-saito": 0.0}
_LEAST = float(np.finfo(np.float64).tiny)
_INITS = ("random", "nndsvd", "nndsvda", "nndsvdar", "custom")


def require_non_negative(X: Any, whom: str) -> None:
    """Raise ValueError if an entry is below zero."""
    values = X.data if is_sparse(X) else X
    if values.size and values.min() < 0:
        raise ValueError(f"Negative values in data passed to {whom}: the least is {values.min()}.")


def warn_of_max_iter(max_iter: int, stacklevel: int) -> None:
    warnings.warn(
        f"Maximum number of iterations {max_iter} reached. Increase it to improve convergence.",
        shared(ConvergenceWarning),
        stacklevel=stacklevel + 1,
    )


class Factorization(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Base of models ``X ~ W H`` of two non-negative factors."""

    n_components: Any = param("auto", Integer(1) | Nothing() | OneOf("auto"), positional=True)
    init: str | None = param(None, OneOf(*_INITS) | Nothing())
    beta_loss: Any = param("frobenius", OneOf(*BETAS) | Real())
    tol: float = param(1e-4, Real(0.0))
    max_iter: int = param(200, Integer(1))
    random_state: Any = param(None, RandomState())
    alpha_W: float = param(0.0, Real(0.0))
    alpha_H: Any = param("same", Real(0.0) | OneOf("same"))
    l1_ratio: float = param(0.0, Real(0.0, 1.0, "both"))
    verbose: int = param(0, Integer(0) | Boolean())

    components_: NDArray[Any]
    n_components_: int
    reconstruction_err_: float
    _n_components: Any

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.sparse = tags.positive_only = tags.reads_words = True
        tags.preserves_dtype = ("float64", "float32")
        return tags

    @property
    def _beta(self) -> float:
        return BETAS[self.beta_loss] if isinstance(self.beta_loss, str) else float(self.beta_loss)

    def _checked(self, rows: Any) -> Data:
        """Return the data of a fit or a transformation, checked."""
        name = type(self).__name__
        require_non_negative(rows, f"{name} (input X)")
        if self._beta <= 0.0 and _has_zeros(rows):
            raise ValueError(
                "When beta_loss <= 0 and X contains zeros, the solver may diverge. Please add "
                "small values to X, or use a positive beta_loss."
            )
        data = Data(rows)
        size = data.squared_size()
        if not _LEAST <= size < math.inf:
            require_squares(self, rows.data if is_sparse(rows) else rows)
        if not math.isfinite(size):
            raise ValueError("The squares of X are too large for double precision; scale X.")
        return data

    def _first(self, data: Data, W: Any, H: Any, dtype: Any) -> tuple[Floats, Floats]:
        """Return W and H to start with, given or found."""
        n, p = data.shape
        wanted = p if self.n_components is None else self.n_components
        if self.init == "custom":
            H = _start(H, (wanted, p), "NMF (input H)")
            W = _start(W, (n, wanted), "NMF (input W)")
            if W.shape[1] != H.shape[0]:
                raise ValueError(
                    f"W has {W.shape[1]} columns, but H has {H.shape[0]} rows: both are the number "
                    "of components."
                )
            if H.dtype != dtype or W.dtype != dtype:
                raise TypeError(
                    "H and W should have the same dtype as X. Got "
                    f"H.dtype = {H.dtype} and W.dtype = {W.dtype}, and X.dtype = {dtype}."
                )
            self._n_components = H.shape[0]
            return W.astype(np.float64), H.astype(np.float64)
        if W is not None or H is not None:
            warnings.warn(
                "When init!='custom', provided W or H are ignored. Set init='custom' to use them "
                "as initialization.",
                RuntimeWarning,
                stacklevel=5,
            )
        self._n_components = p if wanted == "auto" else wanted
        return first_factors(data, self._n_components, self.init, self.random_state)

    def _penalty(self, shape: tuple[int, int]) -> Penalty:
        """Return the penalties, which grow with what the other factor is summed over."""
        n, p = shape
        alpha_W = float(self.alpha_W)
        alpha_H = alpha_W if self.alpha_H == "same" else float(self.alpha_H)
        ratio = float(self.l1_ratio)
        return Penalty(
            p * alpha_W * ratio,
            n * alpha_H * ratio,
            p * alpha_W * (1.0 - ratio),
            n * alpha_H * (1.0 - ratio),
        )

    def _settings(self, update_H: bool) -> Settings:
        rng = random_state_of(self.random_state) if getattr(self, "shuffle", False) else None
        return Settings(float(self.tol), int(self.max_iter), update_H, int(self.verbose), rng)

    def _store(self, data: Data, W: Floats, H: Floats, n_iter: int, converged: bool) -> None:
        """Set the components and what is known about them."""
        beta, penalty = self._beta, self._penalty(data.shape)
        divergence = data.divergence(W, H, beta)
        self.reconstruction_err_ = math.sqrt(2.0 * max(divergence, 0.0))
        self.components_ = H.astype(data.X.dtype)
        self.n_components_ = len(H)
        miss = projected_gradient(data, W, H, beta, penalty, True)
        statement = (
            f"the projected gradient is {miss:.1e} of its positive part after {n_iter} iterations; "
            "such a point need not be the best factorization"
        )
        value = divergence + penalty.of(W, H)
        self.certificate_ = Certificate(value, miss, converged, statement, n_iter)

    def inverse_transform(self, X: Any) -> Any:
        """Return the rows that these coefficients make of the components.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_components)
            Coefficients.
        """
        check_is_fitted(self)
        given = check_array(X, ("csr",), dtype=(np.float64, np.float32), input_name="X")
        if given.shape[1] != len(self.components_):
            raise ValueError(
                f"X has {given.shape[1]} columns, but {type(self).__name__} has "
                f"{len(self.components_)} components."
            )
        if is_sparse(given):
            return given @ self.components_
        dtype = np.result_type(given.dtype, self.components_.dtype)
        rows = np.ascontiguousarray(given, np.float64)
        return matmul(rows, self.components_.astype(np.float64)).astype(dtype, order="C")

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)


def _has_zeros(X: Any) -> bool:
    if is_sparse(X):
        return bool(X.nnz < math.prod(X.shape) or (X.data == 0).any())
    return bool((X == 0).any())


def given_factor(A: Any, shape: tuple[Any, Any], whom: str) -> Any:
    """Return a factor that the user gave, or raise ValueError."""
    if A is None:
        raise ValueError(f"Array passed to {whom} is None; init='custom' needs both W and H.")
    given = check_array(A, dtype=(np.float64, np.float32), input_name=whom)
    for axis, place in enumerate(("first", "second")):
        if shape[axis] != "auto" and given.shape[axis] != shape[axis]:
            raise ValueError(
                f"Array with wrong {place} dimension passed to {whom}. Expected {shape[axis]}, but "
                f"got {given.shape[axis]}."
            )
    require_non_negative(given, whom)
    return given


def _start(A: Any, shape: tuple[Any, Any], whom: str) -> Any:
    """Return a factor to start with: updates of zeros alone would lead nowhere."""
    found = given_factor(A, shape, whom)
    if found.max() == 0:
        raise ValueError(f"Array passed to {whom} is full of zeros.")
    return found
