"""Filling each gap from the nearest rows."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian.config import core_context
from gramian.impute._base import ImputerBase, writeable
from gramian.impute._missing import is_nan_mark, missing_mask, read_fit, read_new
from gramian.params import Boolean, Callables, Integer, Nothing, OneOf, param
from gramian.validation import check_is_fitted

if TYPE_CHECKING:
    from typing import Self

_FLOATS = (np.float64, np.float32)
_BLOCK = 2**22
"""Most neighbours that are held at a time."""

_Donors = tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float64], NDArray[np.int64]]
"""Rows and columns of gaps, distances to the nearest rows of fit with a value there, and these."""


class KNNImputer(ImputerBase):
    """Fill each gap with the mean of that column in the nearest rows that have a value there.

    The distance of two rows counts the columns that both have, scaled up to all:
    ``d(x, z)^2 = n_features / n_common * sum over the common columns of (x_j - z_j)^2``.

    Parameters
    ----------
    missing_values : number, NaN or pandas.NA, default=NaN
        What stands for a missing value. In a data frame every null does.
    n_neighbors : int, default=5
        Number of rows that give a value.
    weights : {"uniform", "distance"}, callable or None, default="uniform"
        Whether their values count equally (None too), or by one over the distance; or a function
        that turns an array of distances into an array of weights.
    metric : {"nan_euclidean"} or callable, default="nan_euclidean"
        The distance; a function of two rows and the keyword ``missing_values``.
    copy : bool, default=True
        Whether `X` stays as it is. False fills a float array in place.
    add_indicator : bool, default=False
        Whether the columns of a `MissingIndicator` follow.
    keep_empty_features : bool, default=False
        Whether a column without any value at fit is kept, filled with 0.

    Attributes
    ----------
    indicator_ : MissingIndicator or None
        The indicator, with ``add_indicator=True``.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : None
        Data frames are read as they are.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian.impute import KNNImputer
    >>> X = [[1.0, 2.0], [3.0, 4.0], [np.nan, 6.0], [8.0, 8.0]]
    >>> KNNImputer(n_neighbors=2).fit_transform(X)[2]
    array([5.5, 6. ])
    """

    n_neighbors: int = param(5, Integer(1))
    weights: Any = param("uniform", OneOf("uniform", "distance") | Callables() | Nothing())
    metric: Any = param("nan_euclidean", OneOf("nan_euclidean") | Callables())
    copy: bool = param(True, Boolean())

    def fit(self, X: Any, y: Any = None) -> "Self":
        """Keep the rows.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
        y : None
            Not used.
        """
        data = read_fit(self, X, sparse=(), dtype=_FLOATS)
        mask = missing_mask(data, self.missing_values)
        self.indicator_ = self._fit_indicator(mask)
        self._rows = data.copy() if self.copy else data
        self._gaps = mask
        return self

    def transform(self, X: Any) -> Any:
        """Fill the gaps of `X`.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_features_out)
        """
        check_is_fitted(self)
        data = read_new(self, X, sparse=(), dtype=_FLOATS)
        mask = missing_mask(data, self.missing_values)
        filled = writeable(data, X, copy=self.copy)
        has_values = self._has_values()
        if mask.any():
            means = self._column_means()
            found = [
                (row, column, self._values(means[column], column, distance, donor))
                for row, column, distance, donor in self._donors(data, mask & has_values)
            ]
            for row, column, values in found:  # at the end: these may be the rows of fit
                filled[row, column] = values
        if self.keep_empty_features:
            filled[:, ~has_values] = 0.0
        kept = self._kept()
        return self._with_indicator(filled if kept.all() else filled[:, kept], mask)

    def _donors(self, data: NDArray[Any], gaps: NDArray[np.bool_]) -> Iterator[_Donors]:
        """Yield gaps, the distances to the nearest rows of fit with a value there, and these."""
        if callable(self.metric):
            yield from self._donors_by_function(data, gaps)
            return
        k = min(self.n_neighbors, len(self._rows))
        known = self._with_nan(self._rows, self._gaps)
        n_gaps = gaps.sum(axis=1)
        for rows in _blocks(n_gaps, max(1, _BLOCK // k)):
            queries = self._with_nan(data[rows], gaps[rows])
            starts = np.concatenate([[0], n_gaps[rows].cumsum()])
            row, column = (np.ascontiguousarray(place) for place in gaps[rows].nonzero())
            index = np.empty((len(row), k), dtype=np.int64)
            distance = np.empty(index.shape)
            _core.nearest_donors(
                queries, starts, column, known, index=index, distance=distance, ctx=core_context()
            )
            yield rows[row], column, distance, index

    def _donors_by_function(self, data: NDArray[Any], gaps: NDArray[np.bool_]) -> Iterator[_Donors]:
        for row in np.flatnonzero(gaps.any(axis=1)):
            distances = np.array(
                [self.metric(data[row], z, missing_values=self.missing_values) for z in self._rows],
                dtype=np.float64,
            )
            for column in np.flatnonzero(gaps[row]):
                donors = np.flatnonzero(~self._gaps[:, column])
                k = min(self.n_neighbors, len(donors))
                nearest = donors[np.argsort(distances[donors], kind="stable")[:k]]
                yield np.array([row]), np.array([column]), distances[nearest][None], nearest[None]

    def _with_nan(self, X: NDArray[Any], gaps: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return the rows with NaN for the mark of a gap."""
        marked = X if is_nan_mark(self.missing_values) else np.where(gaps, np.nan, X)
        return marked.astype(np.float64, copy=False)

    def _values(
        self,
        means: NDArray[np.float64],
        column: NDArray[np.intp],
        distance: NDArray[np.float64],
        donor: NDArray[np.int64],
    ) -> NDArray[np.float64]:
        """Return what gaps in columns of these means get from donors so far away; -1 is none."""
        weights = self._weights(distance)
        given = self._rows[np.maximum(donor, 0), column[:, None]].astype(np.float64)
        sums = (weights * np.where(weights != 0.0, given, 0.0)).sum(axis=1)
        totals = weights.sum(axis=1)
        filled: NDArray[np.float64] = np.divide(sums, totals, out=means, where=totals != 0)
        return filled

    def _column_means(self) -> NDArray[np.float64]:
        """Return the means of the columns over the rows of fit, 0 for those without values."""
        values = np.where(self._gaps, 0.0, self._rows).astype(np.float64)
        counts = (~self._gaps).sum(axis=0)
        means: NDArray[np.float64] = values.sum(axis=0) / np.maximum(counts, 1)
        return means

    def _weights(self, distances: NDArray[np.float64]) -> NDArray[np.float64]:
        chosen = self.weights(distances) if callable(self.weights) else None
        if chosen is not None:
            weights = np.array(chosen, dtype=np.float64)
        elif self.weights == "distance":
            with np.errstate(divide="ignore"):
                weights = 1.0 / distances
            # Rows that are the same as the receiver are the only ones that count.
            is_same = np.isinf(weights)
            weights = np.where(is_same.any(axis=1, keepdims=True), is_same, weights)
        else:
            weights = np.ones_like(distances)
        weights[np.isnan(distances) | np.isnan(weights)] = 0.0
        return weights

    def _kept(self) -> NDArray[np.bool_]:
        if self.keep_empty_features:
            return np.ones(self.n_features_in_, dtype=np.bool_)
        return self._has_values()

    def _has_values(self) -> NDArray[np.bool_]:
        """Tell which columns had values at fit."""
        if self._gaps[0].any():  # else the first row has a value in all
            return np.asarray(~self._gaps.all(axis=0))
        return np.ones(self._gaps.shape[1], dtype=np.bool_)


def _blocks(n_gaps: NDArray[np.int64], most: int) -> Iterator[NDArray[np.intp]]:
    """Yield the numbers of rows with gaps, of about `most` gaps in all at a time."""
    rows = np.flatnonzero(n_gaps)
    block = (n_gaps[rows].cumsum() - 1) // most
    yield from np.split(rows, np.flatnonzero(np.diff(block)) + 1) if len(rows) else ()
