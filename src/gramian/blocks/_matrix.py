"""The matrix of a scan: what a fit takes in the place of an array, and reads block by block."""

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._as_scan import SurveyNeededError
from gramian.config import core_context, get_config
from gramian.table import CategoricalColumn, as_table

if TYPE_CHECKING:
    from gramian.blocks._scan import Scan
    from gramian.encoding import TableEncoding

__all__ = [
    "BlockMatrix",
    "OwedMeans",
    "columns_of",
    "floor_power",
    "is_blocks",
    "write_columns",
]

_BLOCK_BYTES = 16 << 20
_GROUP_BYTES = 128 << 20  # of columns that are held whole
_LIMIT_PARTS = 8  # of a memory limit one is a block; the rest is for what is read and summed
# Sums over rows are taken in tiles of up to so many; those of single columns in larger ones.
_LARGEST_TILE = 8192
_TILE_ENTRIES = 1 << 17
_LARGEST_NARROW_TILE = 1 << 16
_LARGEST_EXACT = 2**53


def is_blocks(X: Any) -> bool:
    """Tell whether a matrix comes in blocks."""
    return isinstance(X, BlockMatrix)


class BlockMatrix:
    """Features of a scan as a matrix of floats that is never whole in memory.

    Parameters
    ----------
    scan : Scan
        The rows.
    names : sequence of str
        The columns that become features.
    dtype : dtype
        float32 or float64.
    encoding : TableEncoding, optional
        How columns become numbers; None: they are numbers.

    Attributes
    ----------
    shape : tuple of int
        Number of rows, and of columns after the encoding.
    block_rows : int
        Rows of each block but the last: a power of two, so that sums do not depend on it.
    is_finite : bool or None
        Whether all entries are finite; None before someone has looked.
    """

    ndim = 2

    def __init__(
        self,
        scan: "Scan",
        names: Sequence[str],
        dtype: Any,
        encoding: "TableEncoding | None" = None,
    ) -> None:
        self.scan = scan
        self.names = list(names)
        self.encoding = encoding
        self.dtype = np.dtype(dtype)
        width = len(self.names) if encoding is None else len(encoding.get_feature_names_out())
        self.shape = (scan.n_rows, width)
        self.n_rows, self.n_columns = self.shape
        self.holds_doubles = bool(self.dtype == np.float64)
        self._least_rows = _least_rows(width)
        self.block_rows = _block_rows(scan.block_rows, width, self.dtype.itemsize)
        self.is_finite: bool | None = None
        self._kept: NDArray[np.bool_] | None = None
        self._order: Literal["C", "F"] = "F"
        self._function: Callable[[NDArray[Any]], NDArray[Any]] | None = None
        self._owed: OwedMeans | None = None

    def owe(self, weight: NDArray[np.float64] | None, take: "TakeMeans") -> "OwedMeans":
        """Let the first whole pass give the means of the columns to `take`, on its way."""
        self._owed = OwedMeans(self, weight, take)
        return self._owed

    def by_rows(self) -> "BlockMatrix":
        """Return the same matrix, in whose blocks the numbers of a row are neighbours."""
        found = copy(self)
        found._order = "C"
        return found

    def mapped(self, function: Callable[[NDArray[Any]], NDArray[Any]]) -> "BlockMatrix":
        """Return the matrix of what a function makes of each block, in the same type."""
        found = copy(self)
        found._function = function
        return found

    def __getitem__(self, kept: NDArray[np.bool_]) -> "BlockMatrix":
        """Return the rows of a mask as a matrix of their own."""
        if self._owed is not None:
            self._owed.settle()
        some = copy(self)
        some._kept = kept
        some.n_rows = int(np.count_nonzero(kept))
        some.shape = (some.n_rows, self.n_columns)
        return some

    def row_blocks(self) -> Iterator[NDArray[Any]]:
        """Yield the rows in blocks; each is overwritten by the next."""
        found = self._read()
        for block in found if self._owed is None else self._owed.over(found):
            self.scan.reading_.n_bytes += block.nbytes
            yield block if self._function is None else self._function(block)
        self.scan.reading_.n_passes += 1

    def _read(self) -> Iterator[NDArray[Any]]:
        most = min(self.block_rows, self.n_rows)
        block = np.empty((most, self.n_columns), self.dtype, order=self._order)
        filled = first = 0
        for label, frame in self.scan.frames(self.names):
            columns = columns_of(label, frame, self.names, self.encoding)
            n_rows, start, first = len(frame), 0, first + len(frame)
            if first > self.scan.n_rows:
                self.scan.count(first)  # raises: there are more rows than before
            if self._kept is not None:
                kept = np.flatnonzero(self._kept[first - n_rows : first])
                is_list = isinstance(columns, list)
                columns = [column[kept] for column in columns] if is_list else columns[kept]
                n_rows = len(kept)
            while start < n_rows:
                stop = min(start + most - filled, n_rows)
                write_columns(columns, start, stop, block[filled : filled + stop - start])
                filled, start = filled + stop - start, stop
                if filled == most:
                    yield block
                    filled = 0
        if filled:
            yield block[:filled]

    def __matmul__(self, other: NDArray[Any]) -> NDArray[Any]:
        """Return the product with a vector or a matrix of few columns."""
        return np.concatenate([block @ other for block in self.row_blocks()])

    def column_groups(self) -> Iterator[tuple[int, NDArray[Any]]]:
        """Yield columns of numbers whole, as many at once as fit, with the place of the first."""
        limit = get_config()["memory_limit"]
        room = _GROUP_BYTES if limit is None else int(limit * 2**20) // 4
        width = max(1, room // (self.dtype.itemsize * self.n_rows))
        for first in range(0, len(self.names), width):
            group = BlockMatrix(self.scan, self.names[first : first + width], self.dtype)
            columns, filled = np.empty(group.shape, self.dtype, order="F"), 0
            for block in group.row_blocks():
                columns[filled : filled + len(block)] = block
                filled += len(block)
            yield first, columns

    def rows(self, numbers: NDArray[np.intp]) -> NDArray[Any]:
        """Return rows by their numbers, which ascend; reads no further than the last of them."""
        found, first = [], 0
        for block in self.row_blocks():
            within = numbers[(numbers >= first) & (numbers < first + len(block))] - first
            found.append(block[within])
            first += len(block)
            if first < self.n_rows and (len(numbers) == 0 or numbers[-1] < first):
                break
        return np.ascontiguousarray(np.concatenate(found))


TakeMeans = Callable[[NDArray[np.float64]], None]


class OwedMeans:
    """Means of plain columns that the first whole pass gives, so that none is made for them.

    Parameters
    ----------
    matrix : BlockMatrix
        Of the columns.
    weight : ndarray of shape (n_rows,) or None
        Weights of the rows.
    take : callable
        Is called with the means.
    """

    def __init__(
        self, matrix: BlockMatrix, weight: NDArray[np.float64] | None, take: TakeMeans
    ) -> None:
        self._matrix, self._weight, self._take = matrix, weight, take
        self._is_paid = False

    def over(self, blocks: Iterator[NDArray[Any]]) -> Iterator[NDArray[Any]]:
        """Yield the blocks; SurveyNeededError for one that holds what is not finite."""
        if self._is_paid:
            yield from blocks
            return
        shape = self._matrix.n_rows, self._matrix.n_columns, self._matrix.block_rows
        sums, first = _core.BlockMeans(*shape, self._weight), 0
        for block in blocks:
            if not sums.add(first, block, core_context()):
                raise SurveyNeededError
            first += len(block)
            yield block
        means = np.empty(self._matrix.n_columns)
        sums.write(means)
        self._is_paid = True
        self._take(means)

    def settle(self) -> None:
        """Read the rows if no pass was whole."""
        for _ in () if self._is_paid else self._matrix.row_blocks():
            pass


def columns_of(label: str, frame: Any, names: list[str], encoding: Any) -> Any:
    """Return the encoded matrix of a frame, or its columns of numbers."""
    import narwhals.stable.v2 as nw

    if encoding is not None:
        found = nw.from_native(frame, eager_only=True).select(names)
        return encoding.transform(as_table(found.to_native()))
    is_arrow = type(frame).__module__ == "pyarrow.lib"
    columns = [_floats_of(frame.column(name)) if is_arrow else None for name in names]
    if any(column is None for column in columns):
        found = nw.from_native(frame, eager_only=True)
        for j, name in enumerate(names):
            if columns[j] is None:
                columns[j] = _numbers(label, found.get_column(name))
    return columns


def _floats_of(column: Any) -> NDArray[Any] | None:
    """Return a column of Arrow as it lies in memory; None unless it holds floats without gaps."""
    if str(column.type) not in ("float", "double") or column.num_chunks != 1:
        return None
    chunk = column.chunk(0)
    found: NDArray[Any] | None = chunk.to_numpy() if chunk.null_count == 0 else None
    return found


def write_columns(columns: Any, start: int, stop: int, out: NDArray[Any]) -> None:
    """Write some rows of what `columns_of` returns."""
    if isinstance(columns, list):
        for j, column in enumerate(columns):
            out[:, j] = column[start:stop]
    else:
        out[:] = columns[start:stop]


def _numbers(label: str, series: Any) -> NDArray[Any]:
    """Return the values of a column of numbers, NaN where they are missing."""
    values: NDArray[Any] = series.to_numpy()
    if values.dtype.kind in "iu" and values.dtype.itemsize == 8:
        _require_exact(label, series.name, values)
    if values.dtype.kind in "fiu":
        return values
    table = as_table(series.to_frame().to_native())
    assert table is not None
    column = table.columns[0]
    numbers = column.numbers()
    if numbers is None or (isinstance(column, CategoricalColumn) and not column.is_missing.all()):
        raise TypeError(
            f"Column {series.name!r} holds text in {label} ({series.dtype}); numbers are needed."
        )
    return numbers


def _require_exact(label: str, name: str, values: NDArray[Any]) -> None:
    low, high = values.min(), values.max()
    if low < -_LARGEST_EXACT or high > _LARGEST_EXACT:
        worst = high if high > _LARGEST_EXACT else low
        raise ValueError(
            f"Column {name!r} of {label} holds the integer {worst}, and beyond 2^53 not every "
            "integer is a number of double precision. If it names the rows, leave it out by "
            "columns=; else divide it first."
        )


def _block_rows(wanted: int | None, width: int, itemsize: int) -> int:
    """Return the rows of a block: a power of two that holds whole tiles of every sum."""
    least = _least_rows(width)
    row_bytes = max(width, 1) * itemsize
    limit = get_config()["memory_limit"]
    most_bytes = _BLOCK_BYTES if limit is None else int(limit * 2**20) // _LIMIT_PARTS
    if limit is not None and least * row_bytes > most_bytes * _LIMIT_PARTS // 2:
        raise MemoryError(
            f"memory_limit={limit} (MiB) is too small: a block of {least} rows and {width} columns "
            f"takes {least * row_bytes / 2**20:.1f} MiB, and must be at most half of it."
        )
    fitting = floor_power(most_bytes // row_bytes)
    return max(least, fitting if wanted is None else min(floor_power(wanted), fitting))


def _least_rows(width: int) -> int:
    """Return the rows of the largest tile of any sum over so many columns."""
    narrow = min(_TILE_ENTRIES // max(width, 1), _LARGEST_NARROW_TILE)
    return max(floor_power(narrow), _LARGEST_TILE)


def floor_power(number: int) -> int:
    """Return the largest power of two up to a number; 1 for less."""
    return 1 << (max(int(number), 1).bit_length() - 1)
