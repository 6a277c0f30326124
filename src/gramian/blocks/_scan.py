"""Rows that are read block by block."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gramian.blocks._matrix import BlockMatrix, OwedMeans
from gramian.blocks._schema import Schema, require_column
from gramian.blocks._sources import Source, dtypes_of, source_of
from gramian.blocks._taken import TakenRows, mask_of

__all__ = ["Reading", "Scan", "scan"]

_BATCH_ROWS = 1 << 15


@dataclass
class Reading:
    """What has been read of a scan so far.

    Attributes
    ----------
    n_rows : int
        Rows of the data set; 0 before they were counted.
    n_passes : int
        Complete passes over the features.
    n_bytes : int
        Bytes of the numbers that were handed to models.
    peak : int or None
        The most memory that the process has held so far, in bytes; None where the system does not
        say.
    """

    n_rows: int = 0
    n_passes: int = 0
    n_bytes: int = 0

    @property
    def peak(self) -> int | None:
        """The most memory that the process has held so far, in bytes."""
        try:
            import resource
        except ImportError:
            return None
        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


class Scan:
    """Rows that are read block by block, as often as a fit needs them; made by `scan`.

    Iterating over it yields the data frames that the source gives, one after the other.

    Parameters
    ----------
    source : Source
        Where the rows come from.
    columns : sequence of str, optional
        The columns to read; by default all.
    block_rows : int, optional
        How many rows are asked for at once.

    Attributes
    ----------
    reading_ : Reading
        What has been read so far: rows, passes and bytes, and the most memory held.
    """

    def __init__(
        self, source: Source, columns: Sequence[str] | None = None, block_rows: int | None = None
    ) -> None:
        self._source = source
        self._columns = None if columns is None else list(columns)
        self._n_rows: int | None = None
        self.block_rows = block_rows
        self.schema = Schema()
        self.reading_ = Reading()
        self.needs_survey = False  # whether numbers had gaps when they were taken for plain ones
        self.owed: OwedMeans | None = None
        self._look()

    def __repr__(self) -> str:
        names = self._columns or list(self.schema.seen)
        shown = ", ".join(map(repr, names[:6])) + ", ..." * (len(names) > 6)
        return f"Scan of {len(names) or 'all'} columns{': ' * bool(names)}{shown}"

    def __iter__(self) -> Iterator[Any]:
        """Yield the data frames of the source."""
        for _, frame in self.frames():
            yield frame

    @property
    def has_names(self) -> bool:
        """Whether columns have names, as those of a data frame; else they have places alone."""
        return self._source.has_names

    def _look(self) -> None:
        """Take what the source tells without being read."""
        parts = self._source.parts()
        if parts is None:
            return
        counted: list[int] = []
        for part in parts:
            if part.n_rows != 0:
                self.schema.take(part.label, part.dtypes, self._columns)
            if part.n_rows is not None:
                counted.append(part.n_rows)
        if len(counted) == len(parts):
            self.count(sum(counted))
        if not self.schema.seen:
            raise ValueError("There are no rows: all parts of the source are empty.")

    def count(self, n_rows: int) -> None:
        """Note how many rows there are; ValueError for none, or another number than before."""
        if n_rows == 0:
            raise ValueError("There are no rows: all parts of the source are empty.")
        if self._n_rows is not None and n_rows != self._n_rows:
            raise ValueError(
                f"The source gave {n_rows} rows in this pass and {self._n_rows} before. The rows "
                "must stay the same while a model is fitted."
            )
        self._n_rows = self.reading_.n_rows = n_rows

    def frames(self, names: Sequence[str] | None = None) -> Iterator[tuple[str, Any]]:
        """Yield each frame of a pass with the label of its part; frames without rows are left out.

        Parameters
        ----------
        names : sequence of str, optional
            The columns to read, in this order; by default all of the scan.
        """
        wanted = self._columns if names is None else list(names)
        n_rows, last = 0, None
        for label, frame in self._source.frames(wanted, self.block_rows or _BATCH_ROWS):
            if len(frame) == 0:
                continue
            types = getattr(frame, "schema", None)  # pandas has none
            if types is None or types != last:
                self.schema.take(label, dtypes_of(frame), wanted or self._columns)
                last = types
            n_rows += len(frame)
            yield label, frame
        self.count(n_rows)

    def take(self, rows: ArrayLike) -> "Scan":
        """Return some of the rows, by a mask or by numbers that ascend; nothing is read.

        Parameters
        ----------
        rows : array-like of bool or int
            Which rows.
        """
        mask = mask_of(rows, self.n_rows)
        some = Scan(TakenRows(self._source, mask), self._columns, self.block_rows)
        some.count(int(np.count_nonzero(mask)))
        return some

    def target(self, y: str | Sequence[str]) -> NDArray[Any]:
        """Return the column of this name whole, or those of these names side by side."""
        if isinstance(y, str):
            return self.vectors([y])[y]
        found = self.vectors(list(y))
        return np.column_stack([found[name] for name in y])

    def matrix(self, names: Sequence[str], dtype: Any, encoding: Any = None) -> BlockMatrix:
        """Return columns as a matrix in blocks: where the source has them, or read here."""
        there = self._source.matrix(self, names, dtype, encoding)
        return BlockMatrix(self, names, dtype, encoding) if there is None else there

    def settle(self) -> None:
        """Give what a fit has been promised to see on its passes, if it made no whole one."""
        owed, self.owed = self.owed, None
        if owed is not None:
            owed.settle()

    def require_repeatable(self, who: str) -> None:
        """Raise TypeError if the rows come only once."""
        if not self._source.is_repeatable:
            raise TypeError(
                f"{who} reads the rows several times, and those of an iterator or a "
                "RecordBatchReader come only once. Scan a function that makes a fresh one: "
                "scan(lambda: open_reader())."
            )

    def vectors(self, names: Sequence[str]) -> dict[str, NDArray[Any]]:
        """Return some columns whole, as arrays of their own types; counts the rows.

        Parameters
        ----------
        names : sequence of str
            The columns, such as the target and the weights.
        """
        import narwhals.stable.v2 as nw

        if not names and self._n_rows is not None:
            return {}
        pieces: dict[str, list[NDArray[Any]]] = {name: [] for name in names}
        first = list(self.schema.seen)[:1]  # where only the number of rows is asked for
        wanted = list(names) or first or None
        for label, frame in self.frames(wanted if self.schema.seen else None):
            for name in names:
                require_column(label, name, list(self.columns))
                column = nw.from_native(frame, eager_only=True).get_column(name)
                pieces[name].append(column.to_numpy())
        return {name: np.concatenate(of_name) for name, of_name in pieces.items()}

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns; those of a function or an iterator once it was read."""
        return tuple(self.schema.seen if self._columns is None else self._columns)

    @property
    def n_rows(self) -> int:
        """Number of rows; counts them where the source does not tell."""
        if self._n_rows is None:
            self.vectors(())
        assert self._n_rows is not None
        return self._n_rows


def scan(
    source: Any,
    *,
    columns: Sequence[str] | None = None,
    filter: Any = None,
    block_rows: int | None = None,
) -> Scan:
    """Return rows that are read block by block, for ``fit`` and `apply`.

    Parameters
    ----------
    source : path, Dataset, LazyFrame, RecordBatchReader, Dask collection, frame(s) or function
        A Parquet file, or a folder whose ``*.parquet`` files are read by path in the order of
        their names; a data set or a reader of pyarrow; a lazy frame of polars; a DataFrame or an
        Array of Dask; a data frame or a list of them; or a function without arguments that returns
        a fresh iterator of data frames.
    columns : sequence of str, optional
        The columns to read; by default all.
    filter : expression, optional
        Which rows to keep: of pyarrow for files and data sets, of polars for a lazy frame.
    block_rows : int, optional
        How many rows to read at once; by default as many as take some megabytes. The model does
        not depend on it.

    Returns
    -------
    Scan

    Examples
    --------
    >>> import polars as pl
    >>> from gramian import blocks
    >>> from gramian.preprocessing import StandardScaler
    >>> rows = blocks.scan(pl.LazyFrame({"x": [1.0, 2.0, 3.0, 4.0]}))
    >>> StandardScaler().fit(rows).mean_
    array([2.5])
    """
    if isinstance(source, Scan):
        raise TypeError("The source is a Scan already; pass it to fit as it is.")
    is_count = isinstance(block_rows, (int, np.integer)) and not isinstance(block_rows, bool)
    if block_rows is not None and not (is_count and block_rows > 0):
        raise ValueError(f"block_rows must be a positive integer or None. Got {block_rows!r}.")
    if columns is not None and (isinstance(columns, str) or not len(columns)):
        raise ValueError(f"columns must be a list of names of columns. Got {columns!r}.")
    return Scan(source_of(source, filter), columns, block_rows)
