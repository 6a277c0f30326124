"""Products of columns: polynomials as basis functions."""

from collections.abc import Iterator
from itertools import combinations, combinations_with_replacement
from math import comb
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gramian._column_blocks import feature_names
from gramian._powers import largest_of
from gramian._rows import row_slices
from gramian._tags import tagged
from gramian.base import BaseEstimator, TransformerMixin
from gramian.params import Arrays, Boolean, Integer, OneOf, param
from gramian.preprocessing._checks import fit_matrix, is_sparse, transform_matrix
from gramian.validation import check_is_fitted

_MOST_DEGREE = 1023  # 2.0**1024 is no number


class PolynomialFeatures(TransformerMixin, BaseEstimator):
    """All products of columns up to a degree, for example ``1, a, b, a², ab, b²``.

    Parameters
    ----------
    degree : int or tuple (min_degree, max_degree), default=2
        The largest degree, or the smallest (beside the constant) and the largest.
    interaction_only : bool, default=False
        Whether to leave out powers: products of different columns only.
    include_bias : bool, default=True
        Whether to include the constant column of ones.
    order : {"C", "F"}, default="C"
        The memory order of a dense result.

    Attributes
    ----------
    powers_ : ndarray of shape (n_output_features_, n_features_in_)
        The exponent of each input column in each output column.
    n_output_features_ : int
        The number of output columns.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.

    Examples
    --------
    >>> from gramian.preprocessing import PolynomialFeatures
    >>> features = PolynomialFeatures(degree=2)
    >>> features.fit_transform([[2.0, 3.0]])
    array([[1., 2., 3., 4., 6., 9.]])
    >>> features.get_feature_names_out(["a", "b"])
    array(['1', 'a', 'b', 'a^2', 'a b', 'b^2'], dtype=object)
    """

    degree: Any = param(2, Integer(0) | Arrays(), positional=True)
    interaction_only: bool = param(False, Boolean())
    include_bias: bool = param(True, Boolean())
    order: str = param("C", OneOf("C", "F"))
    n_features_in_: int

    _own_tags = tagged(sparse=True)

    def fit(self, X: Any, y: Any = None) -> Self:
        """Count the output columns.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.
        y : None
            Not used.
        """
        _, high = self._degrees()
        fit_matrix(self, X, accept_sparse=("csr", "csc"))
        if high > _MOST_DEGREE:
            raise ValueError(f"degree={self.degree} is too large: {_MOST_DEGREE} is the most.")
        self.n_output_features_ = sum(self._widths())
        if self.n_output_features_ > np.iinfo(np.intp).max:
            raise ValueError(
                "The output that would result from the current configuration would have "
                f"{self.n_output_features_} features which is too large to be indexed by int64. "
                f"X has {self.n_features_in_} columns, and degree={self.degree}; lower one of them."
            )
        return self

    def _check_state(self) -> None:
        """Refuse a number of columns of a model file that is not that of the products."""
        if "n_output_features_" not in vars(self):
            return
        if self._degrees()[1] > _MOST_DEGREE or self.n_output_features_ != sum(self._widths()):
            raise ValueError("n_output_features_ is not the number of products")

    def _widths(self) -> list[int]:
        """Return the number of output columns of each degree: the constant's, then from 1 on."""
        low, high = self._degrees()
        n, kept = self.n_features_in_, max(low, 1)
        grow = 0 if self.interaction_only else 1
        counts = [comb(n + grow * (d - 1), d) if d >= kept else 0 for d in range(1, high + 1)]
        return [int(self.include_bias), *counts]

    def _degrees(self) -> tuple[int, int]:
        """Return the smallest and the largest degree, checked."""
        if isinstance(self.degree, (int, np.integer)):
            if self.degree == 0 and not self.include_bias:
                raise ValueError(
                    "Setting degree to zero and include_bias to False would result in an empty "
                    "output array."
                )
            return 0, int(self.degree)
        if len(self.degree) != 2:
            raise ValueError(
                "degree must be a non-negative int or tuple (min_degree, max_degree), got "
                f"{self.degree}."
            )
        low, high = self.degree
        is_whole = all(isinstance(bound, (int, np.integer)) for bound in (low, high))
        if not is_whole or not 0 <= low <= high:
            raise ValueError(
                "degree=(min_degree, max_degree) must be non-negative integers that fulfil "
                f"min_degree <= max_degree, got {self.degree}."
            )
        if high == 0 and not self.include_bias:
            raise ValueError(
                "Setting both min_degree and max_degree to zero and include_bias to False would "
                "result in an empty output array."
            )
        return int(low), int(high)

    def _products(self) -> Iterator[tuple[int, ...]]:
        """Yield the columns multiplied in each output column."""
        low, high = self._degrees()
        choose = combinations if self.interaction_only else combinations_with_replacement
        if self.include_bias:
            yield ()
        for degree in range(max(low, 1), high + 1):
            yield from choose(range(self.n_features_in_), degree)

    @property
    def powers_(self) -> NDArray[np.int64]:
        """The exponent of each input column in each output column."""
        check_is_fitted(self)
        powers = np.zeros((self.n_output_features_, self.n_features_in_), dtype=np.int64)
        for row, product in zip(powers, self._products(), strict=True):
            np.add.at(row, list(product), 1)
        return powers

    def transform(self, X: Any) -> Any:
        """Return the products.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray or sparse matrix of shape (n_samples, n_output_features_)
        """
        check_is_fitted(self)
        data = transform_matrix(self, X, accept_sparse=("csr", "csc"))
        self._check_size(data)
        return self._sparse_products(data) if is_sparse(data) else self._dense_products(data)

    def _check_size(self, X: Any) -> None:
        """Refuse numbers whose products would be infinite."""
        largest = largest_of(X.data if is_sparse(X) else X)
        most = float(np.finfo(X.dtype).max) ** (1.0 / max(self._degrees()[1], 1))
        if largest > most:
            raise ValueError(
                f"The values of X are as large as {largest:.3g}, and products of degree "
                f"{self._degrees()[1]} are beyond the largest number. Scale the columns first."
            )

    def _dense_products(self, X: NDArray[Any]) -> NDArray[Any]:
        out = np.empty((X.shape[0], self.n_output_features_), dtype=X.dtype, order=self.order)  # type: ignore[call-overload]
        for rows in row_slices(len(X), self.n_output_features_):
            self._write_products(X[rows], out[rows])
        result: NDArray[Any] = out
        return result

    def _write_products(self, X: NDArray[Any], out: NDArray[Any]) -> None:
        low, high = self._degrees()
        n_bias = int(self.include_bias)
        kept = max(low, 1)
        out[:, :n_bias] = 1
        end = n_bias
        block, first = X, list(range(X.shape[1]))
        for degree in range(1, high + 1):
            if degree > 1:
                shapes = self._next_blocks(first, block.shape[1])
                width = sum(stop - start for start, stop in shapes)
                target = (
                    out[:, end : end + width]
                    if degree >= kept
                    else np.empty((X.shape[0], width), dtype=X.dtype)
                )
                first = _multiply_blocks(X, block, shapes, target)
                block = target
            elif degree >= kept:
                out[:, end : end + X.shape[1]] = X
            end += block.shape[1] if degree >= kept else 0

    def _next_blocks(self, first: list[int], width: int) -> list[tuple[int, int]]:
        """Return for each column with which products of the degree below it is multiplied.

        They are those whose own first factor is not before the column (or is behind it, without
        powers): the columns from some position to the last. ``first[j]`` is where the products
        that begin with column j start.
        """
        n_features = len(first)
        step = int(self.interaction_only)
        starts = [*first, width]
        return [(starts[min(j + step, n_features)], width) for j in range(n_features)]

    def _sparse_products(self, X: Any) -> Any:
        """Multiply the stored entries of each row with each other; nothing else is touched."""
        from scipy import sparse

        low, high = self._degrees()
        widths = self._widths()
        matrix = X.tocsr()
        ends = matrix.indptr[1:].astype(np.int64)
        rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
        last = np.arange(matrix.nnz)  # the last factor of each product, as a stored entry
        factors, values = [matrix.indices.astype(np.int64)], matrix.data
        parts = [(np.arange(widths[0] * len(ends)), np.zeros(widths[0] * len(ends), np.int64))]
        numbers = [np.ones(len(parts[0][0]), dtype=X.dtype)]
        for degree in range(1, high + 1):
            if degree > 1:
                first = last + int(self.interaction_only)
                n_more = np.maximum(ends[rows] - first, 0)
                chosen = np.repeat(np.arange(len(rows)), n_more)
                within = np.arange(len(chosen)) - np.repeat(np.cumsum(n_more) - n_more, n_more)
                last = first[chosen] + within
                rows, values = rows[chosen], values[chosen] * matrix.data[last]
                factors = [*(f[chosen] for f in factors), matrix.indices[last].astype(np.int64)]
            if degree >= max(low, 1):
                offset = sum(widths[:degree])
                parts.append((rows, offset + self._ranks(factors)))
                numbers.append(values)
        places = [np.concatenate(part) for part in zip(*parts, strict=True)]
        shape = (matrix.shape[0], self.n_output_features_)
        result = sparse.coo_matrix((np.concatenate(numbers), tuple(places)), shape=shape)
        return result.asformat(X.format)

    def _ranks(self, factors: list[NDArray[np.int64]]) -> NDArray[np.int64]:
        """Return the places of products among those of their degree, in lexicographic order.

        Before (i_1, ..., i_d) come, for each k, the products that agree up to i_(k-1) and whose
        k-th factor is smaller than i_k.
        """
        step = int(self.interaction_only)
        smallest = np.zeros_like(factors[0])
        ranks = np.zeros_like(factors[0])
        for k, factor in enumerate(factors):
            size = len(factors) - k
            ranks += self._n_from(smallest, size) - self._n_from(factor, size)
            smallest = factor + step
        return ranks

    def _n_from(self, first: NDArray[np.int64], size: int) -> NDArray[np.int64]:
        """Return how many products of `size` factors have none before `first`."""
        top = self.n_features_in_ - first + (0 if self.interaction_only else size - 1)
        count = np.ones_like(top)
        for t in range(size):  # count * (top - t) // (t + 1), whose product might overflow
            whole, rest = np.divmod(top - t, t + 1)
            count = count * whole + count * rest // (t + 1)
        return count

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the names of the output columns, for example ``a^2`` and ``a b``.

        Parameters
        ----------
        input_features : array-like of str, optional
            The names of the input columns; by default those seen at fit, or x0, x1, ...
        """
        check_is_fitted(self)
        names = feature_names(self, input_features)
        found = []
        for powers in self.powers_:
            factors = [
                f"{names[j]}^{powers[j]}" if powers[j] > 1 else str(names[j])
                for j in np.flatnonzero(powers)
            ]
            found.append(" ".join(factors) or "1")
        return np.array(found, dtype=object)


def _multiply_blocks(
    X: NDArray[Any], block: NDArray[Any], shapes: list[tuple[int, int]], out: NDArray[Any]
) -> list[int]:
    """Write each column times its block; return where the products of each column begin."""
    first, end = [], 0
    for j, (start, stop) in enumerate(shapes):
        first.append(end)
        np.multiply(X[:, [j]], block[:, start:stop], out=out[:, end : end + stop - start])
        end += stop - start
    return first
