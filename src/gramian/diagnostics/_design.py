"""The factorised design matrix, on which every regression diagnostic rests."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gramian._linalg import matmul, qr, qr_triangle, svd
from gramian._typing import Floats
from gramian.validation import check_array

_BLOCK_ENTRIES = 1 << 18
_NULL_ENTRY = 1e-6
_ROUNDING = 1e-12


class Design:
    r"""Orthogonal factorisation of a design matrix, read in blocks of rows.

    With the weighted mean :math:`\bar x` and :math:`W = \mathrm{diag}(w)`,

    .. math:: W^{1/2} (X - 1 \bar x^\top) = Q R, \qquad R D^{-1} = U S V^\top,

    where `D` holds the column norms, so that neither shifting nor rescaling a column changes which
    directions count as dependent. Only `R` is stored; rows are read again, in blocks of a few
    megabytes, by the methods that need them. Single precision is worked on in double. The bits of
    factors and basis do not depend on the number of threads.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Features, without a column of ones.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the rows.
    fit_intercept : bool, default=True
        Whether the model has an intercept; if not, columns are not centred.

    Attributes
    ----------
    n_samples, n_features : int
        Shape of `X`.
    rank : int
        Numerical rank of the design, the intercept included.
    mean : ndarray of shape (n_features,)
        Weighted column means; zeros without an intercept.
    scale : ndarray of shape (n_features,)
        Weighted norms of the centred columns; 0 for a constant column.
    collinear : ndarray of int
        Columns that are an exact linear combination of others (or of the intercept).

    Examples
    --------
    >>> from gramian.diagnostics import Design
    >>> design = Design([[0.0, 1.0, 1.0], [1.0, 0.0, 1.0], [2.0, 5.0, 7.0], [3.0, 1.0, 4.0]])
    >>> design.rank, design.collinear.tolist()
    (3, [0, 1, 2])
    """

    def __init__(
        self, X: ArrayLike, *, sample_weight: ArrayLike | None = None, fit_intercept: bool = True
    ) -> None:
        self.X: Any = check_array(X, accept_sparse=("csr",))
        self.n_samples, self.n_features = (int(size) for size in self.X.shape)
        self.fit_intercept = fit_intercept
        self.weight: Floats | None = None
        if sample_weight is not None:
            self.weight = check_weight(sample_weight, self.n_samples)
        self.total_weight = float(self.n_samples if self.weight is None else self.weight.sum())
        self.mean, raw_norm = self._column_moments()
        self.triangle = self._triangle()
        self.scale = np.linalg.norm(self.triangle, axis=0)
        noise = 8 * np.finfo(self.X.dtype).eps * raw_norm
        self.scale[self.scale <= noise] = 0.0
        self._factorise(noise)

    def rows(self) -> Iterator[tuple[slice, Floats]]:
        """Yield the weighted, centred rows W^(1/2) (X - 1 mean') in blocks."""
        for rows, block in self.rows_unweighted():
            block = block - self.mean
            if self.weight is not None:
                block *= np.sqrt(self.weight[rows])[:, None]
            yield rows, block

    def predict(self, coef: Floats) -> Floats:
        """Return X @ coef in double precision, one block at a time."""
        out = np.empty((self.n_samples, *coef.shape[1:]))
        for rows, block in self.rows_unweighted():
            out[rows] = block @ coef
        return out

    def basis(self) -> Iterator[tuple[slice, Floats]]:
        """Yield the rows of Q: orthonormal columns that span the weighted design."""
        for rows, block in self.rows():
            part = matmul(block, self.inverse_factor)
            if self.fit_intercept:
                part = np.column_stack([self._intercept_rows(rows), part])
            yield rows, part

    def residuals(self, targets: Floats) -> Floats:
        """Return what least squares on the design leaves of each (weighted) target.

        Parameters
        ----------
        targets : ndarray of shape (n_samples,) or (n_samples, n_targets)
            Already multiplied by the square roots of the weights, as `rows` is.
        """
        left = np.array(targets, dtype=np.float64)
        # The basis X A loses orthogonality like eps * cond(X); a second projection restores it.
        kept = self._singular[self._kept]
        well_conditioned = kept.min(initial=1.0) > 1e-2 * kept.max(initial=0.0)
        for _ in range(1 if well_conditioned else 2):
            parts = [part.T @ left[rows] for rows, part in self.basis()]
            weights = np.sum(parts, axis=0)
            for rows, part in self.basis():
                left[rows] -= part @ weights
        return left

    def whiten(self, values: Floats) -> Floats:
        """Return the values multiplied by the square roots of the weights."""
        if self.weight is None:
            return np.asarray(values, dtype=np.float64)
        root = np.sqrt(self.weight)
        return values * (root if values.ndim == 1 else root[:, None])

    def leverage(self, penalty: float = 0.0) -> Floats:
        """Return the diagonal of the hat matrix, of ridge regression if `penalty` is positive."""
        factor = self.inverse_factor
        if penalty > 0.0:
            _, values, vt = np.linalg.svd(self.triangle, full_matrices=False)
            factor = vt.T / np.sqrt(values**2 + penalty)
        out = np.empty(self.n_samples)
        for rows, block in self.rows():
            out[rows] = ((block @ factor) ** 2).sum(axis=1)
            if self.fit_intercept:
                out[rows] += self._intercept_rows(rows) ** 2
        return out

    @property
    def parameter_map(self) -> Floats:
        """Map T from coordinates in Q to the parameters (intercept first): theta = T Q' y."""
        if not self.fit_intercept:
            return self.inverse_factor
        shift = -(self.mean[:, None] * self.inverse_factor).sum(axis=0)
        top = np.append(1.0 / np.sqrt(self.total_weight), shift)
        below = np.column_stack([np.zeros(self.n_features), self.inverse_factor])
        return np.vstack([top, below])

    def condition_number(self, *, scaled: bool = False) -> float:
        """Condition number of the design as the model sees it: with ones, and not centred.

        Parameters
        ----------
        scaled : bool, default=False
            Scale every column to unit length first.
        """
        triangle = self.triangle
        if self.fit_intercept:
            root = np.sqrt(self.total_weight)
            below = np.column_stack([np.zeros(len(triangle)), triangle])
            triangle = np.vstack([np.append(root, root * self.mean), below])
        if scaled:
            norms = np.linalg.norm(triangle, axis=0)
            triangle = triangle / np.where(norms > 0.0, norms, 1.0)
        values = np.linalg.svd(triangle, compute_uv=False)
        if len(values) < triangle.shape[1] or values[-1] == 0.0:
            return float("inf")
        return float(values[0] / values[-1])

    @cached_property
    def vif(self) -> Floats:
        """Variance inflation factors: diagonal of the inverse correlation matrix."""
        inverse_root = self._directions[:, self._kept] / self._singular[self._kept]
        values: Floats = np.square(inverse_root).sum(axis=1)
        values[self.collinear] = np.inf
        return values

    def spans_constant(self) -> bool:
        """Whether some combination of the columns is the same for every row."""
        if self.fit_intercept:
            return True
        ones = self.whiten(np.ones(self.n_samples))
        left = np.linalg.norm(self.residuals(ones))
        return bool(left <= 1e-10 * np.linalg.norm(ones))

    def constant_column(self) -> int | None:
        """Return the index of the first column that is constant and not zero, if there is one."""
        low, high = self.column_range()
        found = np.flatnonzero((low == high) & (low != 0.0))
        return int(found[0]) if len(found) else None

    def column_range(self) -> tuple[Floats, Floats]:
        """Return the smallest and the largest value of every column."""
        low = np.full(self.n_features, np.inf)
        high = -low
        for _, block in self.rows_unweighted():
            low, high = np.minimum(low, block.min(axis=0)), np.maximum(high, block.max(axis=0))
        return low, high

    def rows_unweighted(self) -> Iterator[tuple[slice, Floats]]:
        """Yield the rows of X as they are, in double precision, in blocks."""
        step = max(256, _BLOCK_ENTRIES // max(self.n_features, 1))
        for start in range(0, self.n_samples, step):
            rows = slice(start, min(start + step, self.n_samples))
            block = self.X[rows]
            dense = block.toarray() if hasattr(block, "toarray") else block
            yield rows, np.asarray(dense, dtype=np.float64)

    def _intercept_rows(self, rows: slice) -> Floats:
        if self.weight is None:
            return np.full(rows.stop - rows.start, 1.0 / np.sqrt(self.total_weight))
        return np.sqrt(self.weight[rows] / self.total_weight)

    def _column_moments(self) -> tuple[Floats, Floats]:
        first, second = np.zeros(self.n_features), np.zeros(self.n_features)
        for rows, block in self.rows_unweighted():
            weight = np.ones(len(block)) if self.weight is None else self.weight[rows]
            weighted = weight[:, None] * block
            first += weighted.sum(axis=0)
            second += (weighted * block).sum(axis=0)
        mean = first / self.total_weight if self.fit_intercept else np.zeros(self.n_features)
        return mean, np.sqrt(second)

    def _triangle(self) -> Floats:
        triangle: Floats = np.empty((0, self.n_features))
        for _, block in self.rows():
            triangle = qr_triangle(np.vstack([triangle, block]))
        return triangle

    def _factorise(self, noise: Floats) -> None:
        divisor = np.where(self.scale > 0.0, self.scale, 1.0)
        scaled = np.where(self.scale > 0.0, self.triangle, 0.0) / divisor
        _, singular, vt = svd(scaled, full_matrices=True)
        self._singular = np.zeros(self.n_features)
        self._singular[: len(singular)] = singular
        self._directions = vt.T
        relative_noise = (noise / divisor)[self.scale > 0.0].max(initial=0.0)
        tolerance = max(self.X.shape) * np.finfo(np.float64).eps + relative_noise
        self._kept = self._singular > tolerance * self._singular.max(initial=0.0)
        self.rank = int(self._kept.sum()) + int(self.fit_intercept)
        null = self._directions[:, ~self._kept]
        self.collinear = np.flatnonzero((np.abs(null) > _NULL_ENTRY).any(axis=1))
        factor = self._directions[:, self._kept] / self._singular[self._kept] / divisor[:, None]
        if null.shape[1]:
            # Minimum norm: remove from A what lies in the null space, in the columns' own units,
            # where the rounding errors of a tiny column would be blown up.
            null = np.where(np.abs(null) > _ROUNDING, null, 0.0)
            null_basis = qr(null / divisor[:, None])[0]
            factor = factor - matmul(null_basis, matmul(null_basis.T, factor))
        self.inverse_factor: Floats = factor


def as_design(
    X: ArrayLike | Design, *, sample_weight: ArrayLike | None = None, fit_intercept: bool = True
) -> Design:
    """Return `X` itself if it is a fitting `Design`, else the design made of it."""
    if not isinstance(X, Design):
        return Design(X, sample_weight=sample_weight, fit_intercept=fit_intercept)
    if X.weight is sample_weight and X.fit_intercept == fit_intercept:
        return X
    return Design(X.X, sample_weight=sample_weight, fit_intercept=fit_intercept)


def check_weight(sample_weight: ArrayLike, n_samples: int) -> Floats:
    """Return the weights as float64 after checking length, sign and finiteness."""
    weight = np.asarray(sample_weight, dtype=np.float64)
    if weight.shape != (n_samples,):
        raise ValueError(
            f"sample_weight has shape {weight.shape}; it needs one weight per row: ({n_samples},)."
        )
    if not np.isfinite(weight).all() or weight.min(initial=0.0) < 0.0 or weight.sum() <= 0.0:
        raise ValueError("sample_weight must be finite, not negative, and not all zero.")
    return weight


def check_vector(values: ArrayLike, name: str, n_samples: int | None = None) -> Floats:
    """Return a finite one-dimensional float64 array (a single column is flattened)."""
    vector = np.asarray(values, dtype=np.float64)
    if vector.ndim == 2 and vector.shape[1] == 1:
        vector = vector[:, 0]
    if vector.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional; got shape {vector.shape}.")
    if n_samples is not None and len(vector) != n_samples:
        raise ValueError(f"{name} has {len(vector)} values, but X has {n_samples} rows.")
    if not np.isfinite(vector).all():
        raise ValueError(f"{name} contains NaN or infinity; remove those rows first.")
    return vector
