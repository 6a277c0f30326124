"""Columns with a uniform or normal distribution, by their quantiles."""

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gramian._quantiles import column_percentiles, percentiles
from gramian._tags import tagged
from gramian.base import BaseEstimator, TransformerMixin
from gramian.params import Boolean, Integer, Nothing, OneOf, RandomState, param
from gramian.preprocessing._checks import OneToOneNames, fit_matrix, is_sparse, transform_matrix
from gramian.preprocessing._columns import given_back
from gramian.preprocessing._ranges import check_axis
from gramian.validation import check_array, check_is_fitted, check_random_state

_EDGE = 1e-7  # how near to 0 and 1 counts as the end, where the normal's quantile is infinite


class QuantileTransformer(OneToOneNames, TransformerMixin, BaseEstimator):
    """Map each column to a uniform or normal distribution, by interpolating its quantiles.

    Outliers lose their weight, and so do distances. NaN is left out and stays in place.

    Parameters
    ----------
    n_quantiles : int, default=1000
        The number of quantiles between which to interpolate; at most that of rows.
    output_distribution : {"uniform", "normal"}, default="uniform"
        The distribution of the result.
    ignore_implicit_zeros : bool, default=False
        Whether the zeros of a sparse matrix that are not stored do not count.
    subsample : int, default=10000
        The most rows from which quantiles are found; None takes all.
    random_state : int, RandomState, Generator or None, default=None
        The source of the choice of rows.
    copy : bool, default=True
        Whether to return a new array; otherwise `X` is changed in place where possible.

    Attributes
    ----------
    n_quantiles_ : int
        The number of quantiles used.
    quantiles_ : ndarray of shape (n_quantiles, n_features)
        The quantiles of each column.
    references_ : ndarray of shape (n_quantiles,)
        The shares that they belong to.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.

    Examples
    --------
    >>> from gramian.preprocessing import QuantileTransformer
    >>> QuantileTransformer(n_quantiles=3).fit_transform([[1.0], [2.0], [100.0]])
    array([[0. ],
           [0.5],
           [1. ]])
    """

    n_quantiles: int = param(1000, Integer(1))
    output_distribution: str = param("uniform", OneOf("uniform", "normal"))
    ignore_implicit_zeros: bool = param(False, Boolean())
    subsample: int | None = param(10_000, Integer(1) | Nothing())
    random_state: Any = param(None, RandomState())
    copy: bool = param(True, Boolean())

    _own_tags = tagged(allow_nan=True, sparse=True)

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the quantiles.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows; a sparse matrix must not hold negative numbers.
        y : None
            Not used.
        """
        if self.subsample is not None and self.n_quantiles > self.subsample:
            raise ValueError(
                "The number of quantiles cannot be greater than the number of samples used. Got "
                f"{self.n_quantiles} quantiles and {self.subsample} samples."
            )
        data = fit_matrix(self, X, accept_sparse=("csc",))
        self._refuse_negative(data)
        n_samples = data.shape[0]
        if self.n_quantiles > n_samples:
            warnings.warn(
                f"n_quantiles ({self.n_quantiles}) is greater than the total number of samples "
                f"({n_samples}). n_quantiles is set to n_samples.",
                UserWarning,
                stacklevel=3,
            )
        self.n_quantiles_ = max(1, min(self.n_quantiles, n_samples))
        self.references_ = np.linspace(0, 1, self.n_quantiles_)
        source = check_random_state(self.random_state)
        if is_sparse(data):
            self.quantiles_ = self._sparse_quantiles(data, source)
        else:
            self.quantiles_ = self._dense_quantiles(data, source)
        return self

    def _dense_quantiles(self, X: NDArray[Any], source: Any) -> NDArray[Any]:
        if self.ignore_implicit_zeros:
            warnings.warn(
                "'ignore_implicit_zeros' takes effect only with sparse matrix. This parameter has "
                "no effect.",
                UserWarning,
                stacklevel=4,
            )
        if self.subsample is not None and self.subsample < X.shape[0]:
            rows = np.arange(X.shape[0])
            source.shuffle(rows)
            X = X[rows[: self.subsample]]
        return column_percentiles(X, 100 * self.references_)

    def _sparse_quantiles(self, X: Any, source: Any) -> NDArray[Any]:
        found = []
        for start, end in zip(X.indptr[:-1], X.indptr[1:], strict=True):
            column = self._sampled_column(X.data[start:end], X.shape[0], source)
            is_empty = not column.size
            shares = self.references_
            found.append(np.zeros(len(shares)) if is_empty else percentiles(column, 100 * shares))
        return np.transpose(found)

    def _sampled_column(self, stored: NDArray[Any], n_rows: int, source: Any) -> NDArray[Any]:
        """Return (a sample of) the values of a sparse column, the zeros last."""
        if self.subsample is None or len(stored) <= self.subsample:
            size = len(stored) if self.ignore_implicit_zeros else n_rows
        else:
            size = self.subsample
            # Of the drawn rows as many are stored as of all rows.
            n_drawn = size if self.ignore_implicit_zeros else size * len(stored) // n_rows
            stored = source.choice(stored, size=n_drawn, replace=False)
        column = np.zeros(size, dtype=stored.dtype)
        column[: len(stored)] = stored
        return column

    def _refuse_negative(self, data: Any) -> None:
        if is_sparse(data) and not self.ignore_implicit_zeros and (data.data < 0).any():
            raise ValueError("QuantileTransformer only accepts non-negative sparse matrices.")

    def transform(self, X: Any) -> Any:
        """Return the mapped columns.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.
        """
        check_is_fitted(self)
        data = transform_matrix(self, X, accept_sparse=("csc",))
        self._refuse_negative(data)
        return self._mapped(data, self._forward, copy=self.copy or data is not X)

    def inverse_transform(self, X: Any) -> Any:
        """Return the columns in their original distribution.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Mapped rows.
        """
        check_is_fitted(self)
        data = given_back(self, X, accept_sparse=("csc",), copy=False)
        return self._mapped(data, self._backward, copy=self.copy or data is not X)

    def _mapped(self, data: Any, function: Any, *, copy: bool) -> Any:
        if is_sparse(data):
            result = data.copy() if copy else data
            for j in range(result.shape[1]):
                entries = slice(result.indptr[j], result.indptr[j + 1])
                result.data[entries] = function(result.data[entries], self.quantiles_[:, j])
            return result
        result = data if not copy and data.flags.writeable else np.empty_like(data)
        for j in range(data.shape[1]):
            result[:, j] = function(data[:, j], self.quantiles_[:, j])
        return result

    def _forward(self, column: NDArray[Any], quantiles: NDArray[Any]) -> NDArray[Any]:
        values = column.astype(np.float64)
        is_normal = self.output_distribution == "normal"
        with np.errstate(invalid="ignore"):
            margin = _EDGE if is_normal else 0.0
            is_low = values - margin < quantiles[0] if is_normal else values == quantiles[0]
            is_high = values + margin > quantiles[-1] if is_normal else values == quantiles[-1]
            # The mean of the smallest and the largest share where quantiles are equal.
            fractions = 0.5 * (
                np.interp(values, quantiles, self.references_)
                - np.interp(-values, -quantiles[::-1], -self.references_[::-1])
            )
        fractions[np.isnan(values)] = np.nan
        fractions[is_high] = 1.0
        fractions[is_low] = 0.0
        if not is_normal:
            return fractions
        from scipy.special import ndtri

        edge = _EDGE - np.spacing(1)
        result: NDArray[Any] = np.clip(ndtri(fractions), ndtri(edge), ndtri(1 - edge))
        return result

    def _backward(self, column: NDArray[Any], quantiles: NDArray[Any]) -> NDArray[Any]:
        fractions = column.astype(np.float64)
        is_normal = self.output_distribution == "normal"
        if is_normal:
            from scipy.special import ndtr

            fractions = ndtr(fractions)
        with np.errstate(invalid="ignore"):
            is_low = fractions - _EDGE < 0 if is_normal else fractions == 0
            is_high = fractions + _EDGE > 1 if is_normal else fractions == 1
        values = np.interp(fractions, self.references_, quantiles)
        values[np.isnan(fractions)] = np.nan
        values[is_high] = quantiles[-1]
        values[is_low] = quantiles[0]
        result: NDArray[Any] = values
        return result


def quantile_transform(
    X: Any,
    *,
    axis: int = 0,
    n_quantiles: int = 1000,
    output_distribution: str = "uniform",
    ignore_implicit_zeros: bool = False,
    subsample: int | None = 100_000,
    random_state: Any = None,
    copy: bool = True,
) -> Any:
    """Map columns (or rows) to a uniform or normal distribution.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The data.
    axis : {0, 1}, default=0
        0 maps each column, 1 each row.
    n_quantiles, output_distribution, ignore_implicit_zeros, subsample, random_state, copy
        As in `QuantileTransformer`.

    Returns
    -------
    ndarray or sparse matrix of shape (n_samples, n_features)

    Examples
    --------
    >>> from gramian.preprocessing import quantile_transform
    >>> quantile_transform([[1.0], [2.0], [100.0]], n_quantiles=3)
    array([[0. ],
           [0.5],
           [1. ]])
    """
    mapping = QuantileTransformer(
        n_quantiles=n_quantiles,
        output_distribution=output_distribution,
        ignore_implicit_zeros=ignore_implicit_zeros,
        subsample=subsample,
        random_state=random_state,
        copy=copy,
    )
    data = check_array(X, ("csc", "csr"), ensure_all_finite="allow-nan", input_name="X")
    if check_axis(axis) == 0:
        return mapping.fit_transform(data)
    return mapping.fit_transform(data.T).T
