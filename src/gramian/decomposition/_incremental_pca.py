"""Principal component analysis of rows that arrive in batches."""

import math
from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._linalg import matmul
from gramian._magnitude import require_squares
from gramian._spectral.operator import CentredRows, orthogonality, residual
from gramian._spectral.spectrum import Spectrum, exact_spectrum, gram_spectrum, svd_flip
from gramian._tags import tagged
from gramian._typing import Floats
from gramian.base import Tags
from gramian.certificate import Certificate
from gramian.config import core_context
from gramian.decomposition._components import LinearComponents
from gramian.params import Boolean, Integer, Nothing, param
from gramian.validation import check_fit, check_predict, is_sparse

__all__ = ["IncrementalPCA"]

_PROVEN = 1e-8


class IncrementalPCA(LinearComponents):
    """Principal component analysis of rows in batches, in memory that does not grow with them.

    Each batch is joined with what the components so far hold of the earlier rows, and the leading
    components of both are kept. What lies outside of them is forgotten, so the result depends on
    the batches; ``exact=True`` keeps the sums of squares and products instead, and gives the
    components of all rows at once.

    Parameters
    ----------
    n_components : int, default=None
        How many components to keep; None keeps ``min(n_samples, n_features)`` of the first batch.
    whiten : bool, default=False
        Whether the coordinates are divided by their standard deviations.
    copy : bool, default=True
        Taken for scikit-learn's sake: `X` is not changed either way.
    batch_size : int, default=None
        Rows of a batch in `fit`; None is five times the number of columns.
    exact : bool, default=False
        Whether the second moments of all rows are kept, in ``n_features²`` numbers: the components
        then depend neither on the batches nor on the order of the rows.

    Attributes
    ----------
    components_ : ndarray of shape (n_components_, n_features)
        Orthonormal directions, by falling variance; the largest entry of each is positive.
    explained_variance_ : ndarray of shape (n_components_,)
        Variance along each.
    explained_variance_ratio_ : ndarray of shape (n_components_,)
        The same as a fraction of the variance of all columns.
    singular_values_ : ndarray of shape (n_components_,)
        Singular values of the centred rows, as far as they have been kept.
    mean_ : ndarray of shape (n_features,)
        Means of the columns.
    var_ : ndarray of shape (n_features,)
        Variances of the columns, divided by the number of rows.
    noise_variance_ : float
        Mean variance of the directions that the last batch left out.
    n_components_ : int
        Number of components.
    n_samples_seen_ : int
        Number of rows so far.
    batch_size_ : int
        Rows of a batch in `fit`.
    certificate_ : Certificate
        Residual of the components in the last update, with their orthogonality and the fraction of
        the variance that they capture.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers; that of the first batch for `partial_fit`.

    Examples
    --------
    >>> from gramian.datasets import load_digits
    >>> from gramian.decomposition import IncrementalPCA
    >>> X, _ = load_digits(return_X_y=True)
    >>> model = IncrementalPCA(n_components=7, batch_size=200).fit(X)
    >>> model.transform(X).shape
    (1797, 7)
    """

    _own_tags = tagged(scales_tables=True)

    n_components: int | None = param(None, Integer(1) | Nothing(), positional=True)
    whiten: bool = param(False, Boolean())
    copy: bool = param(True, Boolean())
    batch_size: int | None = param(None, Integer(1) | Nothing())
    exact: bool = param(False, Boolean())

    components_: NDArray[Any]
    explained_variance_: NDArray[Any]
    singular_values_: NDArray[Any]
    mean_: NDArray[Any]
    var_: NDArray[Any]
    n_samples_seen_: int
    n_components_: int
    _scatter: Floats | None

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.sparse = True
        return tags

    @property
    def _n_rows(self) -> int:
        return self.n_samples_seen_

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the components of rows, batch by batch.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            Training rows.
        y : None
            Not used.
        """
        rows = check_fit(self, X, accept_sparse=("csr",)).X
        n, p = rows.shape
        self.batch_size_ = 5 * p if self.batch_size is None else self.batch_size
        self._forget()
        for batch in _batches(n, self.batch_size_, self.n_components or 0):
            part = rows[batch].toarray() if is_sparse(rows) else rows[batch]
            self._update(part, is_last=batch.stop == n)
        return self

    def partial_fit(self, X: Any, y: Any = None, check_input: bool = True) -> Self:
        """Take in one more batch of rows.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            Rows.
        y : None
            Not used.
        check_input : bool, default=True
            Whether `X` is checked and converted; without, it must be an array of floats.
        """
        if is_sparse(X):
            raise TypeError(
                "IncrementalPCA.partial_fit does not support sparse input. Either convert data to "
                "dense or use IncrementalPCA.fit to do so in batches."
            )
        is_first = not hasattr(self, "components_")
        if is_first:
            rows = check_fit(self, X, accept_sparse=False).X if check_input else X
            self._forget()
        else:
            rows = check_predict(self, X, accept_sparse=False) if check_input else X
        if not check_input:
            self.n_features_in_ = rows.shape[1]
            self.encoding_ = None
        self._update(rows, is_last=True)
        return self

    def _project(self, rows: Any) -> Any:
        return super()._project(rows.astype(np.float64, copy=False))

    def _forget(self) -> None:
        self.n_samples_seen_, self._scatter = 0, None
        for name in ("components_", "n_components_"):
            vars(self).pop(name, None)

    def _checked_n_components(self, n: int, p: int) -> int:
        is_first = self.n_samples_seen_ == 0
        if self.n_components is None:
            return min(n, p) if is_first else self.n_components_
        if self.n_components > p:
            raise ValueError(
                f"n_components={self.n_components!r} invalid for n_features={p}, need more rows "
                "than columns for IncrementalPCA processing"
            )
        if is_first and self.n_components > n:
            raise ValueError(
                f"n_components={self.n_components} must be less or equal to the batch number of "
                f"samples {n} for the first partial_fit call."
            )
        if not is_first and self.n_components != self.n_components_:
            raise ValueError(
                f"Number of input features has changed from {self.n_components_} to "
                f"{self.n_components} between calls to partial_fit! Try setting n_components to a "
                "fixed value."
            )
        return self.n_components

    def _update(self, rows: Any, *, is_last: bool) -> None:
        """Take in a batch; of exact moments the components are found behind the last one."""
        n, p = rows.shape
        k = self._checked_n_components(n, p)
        mean, squares = _moments(rows)
        if not math.isfinite(float(squares.sum())):
            require_squares(self, rows)
            raise ValueError("The variances of X are too large for double precision; scale X.")
        seen, total = self.n_samples_seen_, self.n_samples_seen_ + n
        correction = np.zeros(p)
        new_mean, sums = mean, squares
        if seen:
            # the batch's mean less that of the rows before, as one row more
            correction = math.sqrt(seen / total * n) * (self.mean_ - mean)
            new_mean = self.mean_ + (n / total) * (mean - self.mean_)
            sums = self.var_ * seen + squares + correction**2
        if self.exact:
            found = self._exact_spectrum(rows, mean, correction, k if is_last else None)
        else:
            found = self._kept_spectrum(rows, mean, correction, k)
        self.n_samples_seen_, self.mean_, self.var_ = total, new_mean, sums / total
        self.n_components_ = k
        if found is not None:
            self._set_components(found, k, min(n + 1 + (k if seen else -1), p), float(sums.sum()))

    def _kept_spectrum(self, rows: Any, mean: Floats, correction: Floats, k: int) -> Spectrum:
        """Return the spectrum of what is kept of the rows before, joined with the batch."""
        n_kept = self.n_components_ if self.n_samples_seen_ else 0
        n, n_more = len(rows), n_kept + (self.n_samples_seen_ > 0)
        centred = np.empty((n + n_more, len(mean)))
        np.subtract(rows, mean, out=centred[n_kept : n_kept + n])
        if self.n_samples_seen_:
            centred[:n_kept] = self.singular_values_[:, None] * self.components_
            centred[-1] = correction
        found = exact_spectrum(centred, k, is_centred=True)
        if found is None:
            raise ValueError("The variances of X are too large for double precision; scale X.")
        found.residual = residual(
            CentredRows(centred, np.zeros(centred.shape[1])),
            found.vectors[:, :k],
            found.squares[:k],
            found.gram,
        )
        return found

    def _exact_spectrum(
        self, rows: Any, mean: Floats, correction: Floats, k: int | None
    ) -> Spectrum | None:
        """Add the batch to the second moments, and return their spectrum behind the last one."""
        scatter = CentredRows(rows, mean.copy()).gram()
        if scatter is None:
            raise ValueError("The variances of X are too large for double precision; scale X.")
        if self._scatter is not None:
            scatter += self._scatter
            scatter += correction[:, None] * correction
        self._scatter = scatter
        if k is None:
            return None
        found = gram_spectrum(scatter, k)
        image = matmul(scatter, found.vectors) - found.vectors * found.squares
        largest = float(found.squares.max(initial=0.0))
        found.residual = float(np.sqrt((image**2).sum(axis=0)).max()) / largest if largest else 0.0
        return found

    def _set_components(self, found: Spectrum, k: int, n_directions: int, total: float) -> None:
        squares, vectors = found.squares[:k], svd_flip(found.vectors[:, :k])
        degrees = max(self.n_samples_seen_ - 1, 1)
        if self.exact:
            n_directions = min(self.n_samples_seen_ - 1, len(vectors))
        self.components_ = np.ascontiguousarray(vectors.T)
        self.singular_values_ = np.sqrt(squares)
        self.explained_variance_ = squares / degrees
        ratio = squares / total if total > 0.0 else np.zeros(k)
        self.explained_variance_ratio_ = ratio
        rest = max(found.total - float(squares.sum()), 0.0) / degrees
        self.noise_variance_ = rest / (n_directions - k) if k < n_directions else 0.0
        angle, captured = orthogonality(vectors), float(ratio.sum())
        statement = (
            f"{k} components hold {captured:.4g} of the variance; in the last update |C v - λ v| "
            f"is at most {found.residual:.1e} of the largest variance"
        )
        details: dict[str, float | int | str] = {"orthogonality": angle, "captured": captured}
        lost = total / degrees * max(1.0 - captured, 0.0)
        is_proven = max(found.residual, angle) <= _PROVEN
        self.certificate_ = Certificate(lost, found.residual, is_proven, statement, details=details)


def _batches(n: int, size: int, least: int) -> Iterator[slice]:
    """Yield runs of rows; the last one is as long as all that would not fill another of `least`."""
    begin = 0
    while begin < n:
        end = min(begin + size, n)
        if end + least > n:
            end = n
        yield slice(begin, end)
        begin = end


def _moments(rows: Any) -> tuple[Floats, Floats]:
    """Return the means of the columns, and their sums of squares about them."""
    n, p = rows.shape
    mean, scatter = np.empty((1, p)), np.empty((1, p))
    _core.class_moments(
        rows,
        np.zeros(n, np.int64),
        None,
        class_weight=np.empty(1),
        mean=mean,
        scatter=scatter,
        ctx=core_context(),
    )
    return mean[0], scatter[0]
