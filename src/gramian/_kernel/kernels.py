"""Kernel functions of support vector machines, and sums of kernels over support vectors."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import issparse

from gramian import _core
from gramian._magnitude import require_squares
from gramian._typing import Floats
from gramian.config import core_context

__all__ = [
    "Floats",
    "Kernel",
    "group_sums",
    "kernel_of",
    "kernel_sums",
    "require_kernel",
    "shift_of",
    "sorted_rows",
]

_LEAST_VARIANCE = 1e-290  # of numbers whose squares have lost no digits


@dataclass(frozen=True)
class Kernel:
    """A kernel function with its numbers; "precomputed" means that X holds its values."""

    name: str
    gamma: float
    coef0: float
    degree: int

    def arguments(self) -> dict[str, Any]:
        """Return what native functions take."""
        return {
            "kernel": self.name,
            "gamma": self.gamma,
            "coef0": self.coef0,
            "degree": self.degree,
        }

    def bound(self, largest_norm: float) -> float:
        """Return how large values may be for rows of at most this squared norm.

        With `by_absolutes` the norm is the sum of absolute values, which is not squared.
        """
        if self.name == "cosine":
            return 1.0
        if self.name in ("rbf", "laplacian", "chi2"):
            return 1.0 + self.gamma * largest_norm
        if self.name == "sigmoid":
            return 1.0 + self.gamma * largest_norm + abs(self.coef0)
        if self.name == "poly":
            return float((self.gamma * largest_norm + abs(self.coef0)) ** self.degree)
        return largest_norm

    @property
    def by_absolutes(self) -> bool:
        """Whether distances are sums of absolute values."""
        return self.name in ("laplacian", "chi2")


def kernel_of(model: Any, X: Any, weight: Floats | None = None) -> Kernel:
    """Return the kernel of an estimator for the rows X; weights count for gamma="scale" too."""
    if callable(model.kernel) or model.kernel == "precomputed":
        return Kernel("precomputed", 0.0, model.coef0, model.degree)
    if model.kernel == "cosine":
        return Kernel("cosine", 0.0, model.coef0, model.degree)
    gamma = model.gamma
    if gamma == "scale":
        variance = _variance(X, weight)
        if not np.isfinite(variance):
            raise ValueError(
                "The dual coefficients or intercepts are not finite, as the variance of X behind "
                "gamma='scale' overflows. The input data may contain large values and need to be "
                "preprocessed."
            )
        if variance < _LEAST_VARIANCE:
            require_squares(model, X)
        gamma = 1.0 / (X.shape[1] * variance) if variance != 0.0 else 1.0
    elif gamma == "auto":
        gamma = 1.0 / X.shape[1]
    return Kernel(model.kernel, float(gamma), float(model.coef0), int(model.degree))


def _variance(X: Any, weight: Floats | None) -> float:
    """Return the variance of all entries."""
    if weight is not None and (weight == weight[0]).all():
        weight = None  # the same bits as without weights
    if weight is None and not issparse(X):
        return float(X.var(dtype=np.float64))
    rows = X.astype(np.float64, copy=False)
    weight = np.ones(X.shape[0]) if weight is None else weight
    size = weight.sum() * X.shape[1]
    if issparse(X):
        mean = float((weight @ rows).sum()) / size
        result: float = float((weight @ rows.multiply(rows)).sum()) / size - mean**2
        return result
    # Not a product of matrices: its bits depend on the threads of the BLAS.
    mean = float(np.einsum("i,ij->", weight, rows)) / size
    result = float(np.einsum("i,ij->", weight, (rows - mean) ** 2)) / size
    return result


def shift_of(kernel: Kernel, rows: Any, *, with_products: bool = False) -> Floats:
    """Return what to take off dense rows: distances stay the same, and lose fewer digits.

    With `with_products` of rows of the linear kernel too, which then is another one.
    """
    names = ("rbf", "laplacian", "linear") if with_products else ("rbf", "laplacian")
    if kernel.name not in names or issparse(rows):
        return np.empty(0)
    means: Floats = rows.mean(axis=0, dtype=np.float64)
    return means


def _shifts_of(kernel: Kernel, rows: Any, ends: list[int]) -> Floats:
    """Return the same for groups of adjacent rows, one row each."""
    if kernel.name not in ("rbf", "laplacian") or issparse(rows):
        return np.empty((len(ends), 0))
    means = np.empty((len(ends), rows.shape[1]))
    for mean, begin, end in zip(means, [0, *ends[:-1]], ends, strict=True):
        np.add.reduce(rows[begin:end], axis=0, dtype=np.float64, out=mean)
        mean /= max(end - begin, 1)
    return means


def require_kernel(name: Any, X: Any) -> None:
    """Raise ValueError if the kernel is not one of such rows."""
    if name != "chi2":
        return
    least = X.data.min(initial=0.0) if issparse(X) else X.min(initial=0.0)
    if least < 0.0:
        raise ValueError(
            f"kernel='chi2' compares histograms, whose numbers are not negative, but X has {least}."
            " Take another kernel, such as 'laplacian', or count or shift the columns."
        )


def sorted_rows(X: Any) -> Any:
    """Return the rows as native functions take them: those of a CSR matrix with sorted indices."""
    return X.sorted_indices() if issparse(X) and not X.has_sorted_indices else X


def kernel_sums(kernel: Kernel, X: Any, centres: Any, coef: Floats) -> Floats:
    """Return ``sum_s coef[o, s] K(x, centre s)`` of each row x and each row o of `coef`."""
    sums: Floats = group_sums(kernel, X, centres, coef, [centres.shape[0]])[0].T
    return sums


def group_sums(kernel: Kernel, X: Any, centres: Any, coef: Floats, ends: list[int]) -> Floats:
    """Return these sums over groups of adjacent centres, which end before `ends`.

    Of shape (n_groups, n_sums, n_rows).
    """
    out = np.zeros((len(ends), coef.shape[0], X.shape[0]))
    if centres.shape[0] == 0:
        return out
    dtype = np.result_type(X.dtype, centres.dtype)
    X, centres = X.astype(dtype, copy=False), centres.astype(dtype, copy=False)
    _core.kernel_sums(
        sorted_rows(X),
        sorted_rows(centres),
        np.array(ends, dtype=np.int64),
        _shifts_of(kernel, centres, ends),
        **kernel.arguments(),
        coef=np.ascontiguousarray(coef),
        out=out.reshape(-1, X.shape[0]),
        ctx=core_context(),
    )
    return out
