"""Data frames as sparse rows for a first layer that learns numbers for the levels of columns."""

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from gramian._finite import all_finite
from gramian._levels.matrix import TableLevels, as_levels, matrix_of
from gramian._typing import Floats
from gramian.persistence import persistable
from gramian.table import NumericColumn, Table

__all__ = ["EmbeddingOptions", "LevelEmbedding", "plain_numbers"]

_MOST = 32  # numbers for a level
_FIRST_SIZE = 0.3  # of the numbers of a level; columns of numbers have the size one
_LEAST_ROWS = 2  # of a level that gets numbers of its own


@persistable
@dataclass(frozen=True, eq=False)
class LevelEmbedding:
    """How the columns of a data frame become the inputs of a layer of embeddings.

    A column of numbers is one input, centred and scaled; a gap is its mean, and a further input
    marks it where there were gaps at fit. A column of levels has one input for each level that two
    rows have or more, one for gaps if there were any, and one for rare and unseen levels.
    Where no level is rare, unseen ones are the mean of the others.

    Parameters
    ----------
    names : tuple of str
        Names of the columns.
    levels : TableLevels or None
        Levels of the columns that have some.
    places : tuple of (ndarray of int64 or None)
        For each column of levels the input of each level, of gaps, and of rare and unseen levels.
    centre, scale : ndarray of shape (n_columns,)
        Of the columns of numbers.
    marks : ndarray of shape (n_columns,)
        Input that marks the gaps of a column of numbers, or -1.
    begins, ends : ndarray of shape (n_inputs,)
        The neurons of each input; the same twice for one that is handed on.
    shares : ndarray of shape (n_inputs,)
        Of the rows that have a level.
    bound : float
        Where numbers are bent towards: x becomes ``x / sqrt(1 + (x / bound)^2)``; 0 leaves them.
    numbers : ndarray of int32
        The neurons of columns of numbers with more than two values.
    """

    names: tuple[str, ...]
    levels: TableLevels | None
    places: tuple[NDArray[np.int64] | None, ...]
    centre: Floats
    scale: Floats
    marks: NDArray[np.int64]
    begins: NDArray[np.int32]
    ends: NDArray[np.int32]
    shares: Floats
    bound: float = 0.0
    numbers: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))

    @staticmethod
    def of(
        table: Table, weight: Floats | None, options: "EmbeddingOptions | None" = None
    ) -> "LevelEmbedding":
        """Look at the rows of positive weight."""
        options = options or EmbeddingOptions()
        weight = np.ones(table.shape[0]) if weight is None else weight
        levels = TableLevels.of(table, weight)
        matrix = matrix_of(table, levels)
        n = matrix.shape[1]
        sizes = np.zeros(n, np.int32) if levels is None else levels.n_levels
        is_levels = _is_levels(levels, n)
        centre, scale, marks = np.zeros(n), np.ones(n), np.full(n, -1)
        places: list[NDArray[np.int64] | None] = [None] * n
        begins: list[int] = []
        ends: list[int] = []
        shares: list[float] = []
        numbers: list[int] = []
        n_neurons = 0
        for j in range(n):
            if is_levels[j]:
                found, own = _places(table, j, matrix[:, j], int(sizes[j]), weight)
                places[j] = found + len(begins)
                n_inputs = len(own)
                shares += own.tolist()
                if sum(own > 0) <= options.most_one_hot:
                    begins += range(n_neurons, n_neurons + n_inputs)
                    ends += range(n_neurons, n_neurons + n_inputs)
                    n_neurons += n_inputs
                    continue
                n_numbers = min(options.most_numbers, _n_numbers(n_inputs))
                begins += [n_neurons] * n_inputs
                ends += [n_neurons + n_numbers] * n_inputs
                n_neurons += n_numbers
                continue
            moments = _robust_moments if options.bound else _moments
            centre[j], scale[j], has_gaps = moments(matrix[:, j], weight)
            if options.bound and _has_many_values(matrix[:, j], weight):
                numbers.append(n_neurons)
            for is_mark in (False, True)[: 1 + has_gaps]:
                if is_mark:
                    marks[j] = len(begins)
                begins.append(n_neurons)
                ends.append(n_neurons)
                shares.append(1.0)
                n_neurons += 1
        names = tuple(str(column.name) for column in table.columns)
        return LevelEmbedding(
            names,
            levels,
            tuple(places),
            centre,
            scale,
            marks,
            np.array(begins, np.int32),
            np.array(ends, np.int32),
            np.array(shares),
            options.bound,
            np.array(numbers, np.int32),
        )

    @property
    def n_inputs(self) -> int:
        """Number of inputs of the layer."""
        return len(self.begins)

    @property
    def n_neurons(self) -> int:
        """Number of its outputs."""
        last: int = max(int(self.ends.max()), int(self.begins.max()) + 1)
        return last

    def matrix(self, table: Table) -> NDArray[Any]:
        """Return a table with these columns as numbers and codes of levels, with NaN for gaps."""
        return matrix_of(table, self.levels)

    def rows(self, table: Table, matrix: NDArray[Any]) -> Any:
        """Return the inputs of each row of a table and its `matrix`."""
        n_rows, n = matrix.shape
        numbers = [each for each in table.columns if isinstance(each, NumericColumn)]
        is_single = numbers and all(each.values.dtype == np.float32 for each in numbers)
        dtype = np.float32 if is_single else np.float64
        n_entries = n + int((self.marks >= 0).sum())
        cols = np.empty((n_rows, n_entries), np.int32)
        values = np.ones((n_rows, n_entries), dtype)
        inputs = iter(self._first_inputs())
        at = 0
        for j in range(n):
            known = self.places[j]
            first = next(inputs)
            if known is not None:
                cols[:, at] = known[_codes(table, j, matrix[:, j], len(known) - 2)]
            else:
                is_gap = np.isnan(matrix[:, j])
                cols[:, at] = first
                scaled = (matrix[:, j] - self.centre[j]) / self.scale[j]
                if self.bound:
                    scaled = scaled / np.hypot(1.0, scaled / self.bound)
                values[:, at] = np.where(is_gap, 0, scaled)
                if self.marks[j] >= 0:
                    at += 1
                    cols[:, at] = self.marks[j]
                    values[:, at] = is_gap
            at += 1
        begin = np.arange(n_rows + 1, dtype=np.int32) * np.int32(n_entries)
        shape = (n_rows, self.n_inputs)
        return sparse.csr_matrix((values.ravel(), cols.ravel(), begin), shape=shape)

    def _first_inputs(self) -> list[int]:
        """Return the first input of each column."""
        firsts, at = [], 0
        for known, mark in zip(self.places, self.marks, strict=True):
            firsts.append(at)
            at += (int(mark >= 0) + 1) if known is None else len(np.unique(known))
        return firsts

    def draw(self, rng: np.random.RandomState, dtype: Any) -> NDArray[Any]:
        """Draw first weights of the layer; rare and unseen levels begin at zero."""
        weights = np.zeros((self.n_inputs, self.n_neurons))
        is_frozen = self.begins == self.ends
        # an indicator that no row has hands on nothing
        weights[is_frozen, self.begins[is_frozen]] = self.shares[is_frozen] > 0
        drawn = self.mask()
        sizes = np.broadcast_to((self.ends - self.begins)[:, None], weights.shape)[drawn]
        weights[drawn] = _FIRST_SIZE * rng.normal(size=int(drawn.sum())) / np.sqrt(sizes)
        for known in self.places:
            if known is not None and not is_frozen[known[-1]]:
                weights[known[-1]] = 0.0
        return weights.astype(dtype, copy=False)

    def fill(self, weights: NDArray[Any]) -> None:
        """Set levels that are unseen to the mean row's, where no rare ones have been learned."""
        for known, first in zip(self.places, self._first_inputs(), strict=True):
            if known is None or self.shares[known[-1]] > 0:
                continue
            rare = int(known[-1])
            neurons = slice(self.begins[rare], self.ends[rare])
            rows = weights[first:rare, neurons] * self.shares[first:rare, None]
            weights[rare, neurons] = rows.sum(axis=0)

    def mask(self) -> NDArray[np.bool_]:
        """Tell which weights of the layer are learned."""
        neurons = np.arange(self.n_neurons)
        learned: NDArray[np.bool_] = neurons >= self.begins[:, None]
        learned &= neurons < self.ends[:, None]
        return learned

    def tables(self, weights: NDArray[Any]) -> dict[str, dict[str | None, NDArray[Any]]]:
        """Return for each column of levels the numbers of each level; None are the gaps."""
        found: dict[str, dict[str | None, NDArray[Any]]] = {}
        for j, known in enumerate(self.places):
            if known is None or self.begins[known[-1]] == self.ends[known[-1]]:
                continue
            assert self.levels is not None
            names = [*(self.levels.levels[j] or ()), None]
            rows = {
                name: weights[row, self.begins[row] : self.ends[row]]
                for name, row in zip(names, known[:-1].tolist(), strict=True)
                if row != known[-1]
            }
            found[self.names[j]] = rows
        return found


@dataclass(frozen=True)
class EmbeddingOptions:
    """How columns become inputs.

    Attributes
    ----------
    most_one_hot : int
        Columns with so many levels are indicators of them.
    most_numbers : int
        Most numbers that stand for a level of the other columns.
    bound : float
        Size that scaled numbers do not reach, 0 for none: they are then standardised, else centred
        at the median and scaled by the quartiles.
    """

    most_one_hot: int = 0
    most_numbers: int = _MOST
    bound: float = 0.0


def plain_numbers(table: Table) -> NDArray[Any] | None:
    """Return a table that holds finite numbers and nothing else as the matrix that it is."""
    if TableLevels.of(table) is not None:
        return None
    matrix = matrix_of(table, None)
    return np.ascontiguousarray(matrix) if all_finite(matrix) else None


def _is_levels(levels: TableLevels | None, n: int) -> list[bool]:
    if levels is None:
        return [False] * n
    return [
        known is not None and not ordered
        for known, ordered in zip(levels.levels, levels.is_ordered, strict=True)
    ]


def _n_numbers(n_inputs: int) -> int:
    """Return how many numbers stand for one of so many levels."""
    return max(1, min(_MOST, n_inputs - 1, math.ceil(1.6 * math.pow(n_inputs, 0.56))))


def _codes(table: Table, j: int, values: NDArray[Any], n_levels: int) -> NDArray[np.intp]:
    """Return the level of each row, n_levels for a gap and n_levels + 1 for one unseen at fit."""
    column = table.columns[j]
    if isinstance(column, NumericColumn):
        column = as_levels(column)
    codes = np.where(np.isnan(values), n_levels + 1, values).astype(np.intp)
    codes[column.codes < 0] = n_levels
    return codes


def _places(
    table: Table, j: int, values: NDArray[Any], n_levels: int, weight: Floats
) -> tuple[NDArray[np.int64], Floats]:
    """Return the input of each level of a column, of gaps and of rare ones; and their shares."""
    codes = _codes(table, j, values, n_levels)[weight > 0]
    sums = np.bincount(codes, weight[weight > 0], minlength=n_levels + 2)
    is_kept = sums >= _LEAST_ROWS
    is_kept[n_levels] = sums[n_levels] > 0
    is_kept[n_levels + 1] = False
    rare = int(is_kept.sum())
    places = np.where(is_kept, np.cumsum(is_kept) - 1, rare)
    shares: Floats = np.bincount(places, sums, minlength=rare + 1) / sums.sum()
    return places, shares


def _has_many_values(values: NDArray[Any], weight: Floats) -> bool:
    known = values[(weight > 0) & ~np.isnan(values)]
    return len(known) > 0 and len(np.unique(known)) > 2


def _robust_moments(values: NDArray[Any], weight: Floats) -> tuple[float, float, bool]:
    """Return median and distance of the quartiles, or half the range, and whether there are gaps.

    A whole weight counts as so many rows.
    """
    counts = weight > 0
    is_known = counts & ~np.isnan(values)
    has_gaps = bool((counts & np.isnan(values)).any())
    if not is_known.any():
        return 0.0, 1.0, has_gaps
    x, w = values[is_known].astype(np.float64), weight[is_known]
    order = np.argsort(x, kind="stable")
    x, sums = x[order], np.cumsum(w[order])
    low, median, high = x[np.searchsorted(sums, np.array([0.25, 0.5, 0.75]) * sums[-1])]
    spread = float(high - low) or 0.5 * float(x[-1] - x[0]) or 1.0
    return float(median), spread, has_gaps


def _moments(values: NDArray[Any], weight: Floats) -> tuple[float, float, bool]:
    """Return mean and standard deviation of numbers, and whether there are gaps."""
    counts = weight > 0
    is_known = counts & ~np.isnan(values)
    has_gaps = bool((counts & np.isnan(values)).any())
    if not is_known.any():
        return 0.0, 1.0, has_gaps
    x, w = values[is_known].astype(np.float64), weight[is_known]
    mean = float(np.average(x, weights=w))
    spread = math.sqrt(float(np.average((x - mean) ** 2, weights=w)))
    return mean, spread if spread > 0 else 1.0, has_gaps
