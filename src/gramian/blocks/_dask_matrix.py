"""A matrix whose blocks lie on the workers of a Dask cluster, as do the sums over their rows.

All are ordinary tasks. A block depends on the partitions that its rows come from, so that Dask
makes it anew where a worker was lost; partitions themselves are let go once the blocks are there.
"""

import hashlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian.blocks._dask_wait import results_in_order
from gramian.blocks._matrix import BlockMatrix, columns_of, floor_power, write_columns
from gramian.blocks._sources import dtypes_of
from gramian.config import config, core_context

if TYPE_CHECKING:
    from gramian.blocks._scan import Scan
    from gramian.encoding import TableEncoding

__all__ = ["DaskMatrix"]

_MOST_ROWS = 1 << 16  # of a block: the target of its rows stays below a megabyte
_PARTS_OF_PARTITION = 4  # blocks in a partition, so that few rows travel to the first of two
_SMALL = 1 << 14  # bytes that each task may carry with it
_HELD_VECTORS = 4  # of numbers for each row, such as targets and weights
_SUMS_AHEAD = 64  # blocks whose sums are under way at once


class DaskMatrix(BlockMatrix):
    """Features of a scan of a Dask collection, in blocks on the workers.

    Parameters
    ----------
    scan : Scan
        The rows.
    partitions : list of Delayed
        The partitions, with the columns `names`.
    client : distributed.Client
        Of the cluster.
    names, dtype, encoding
        As of `BlockMatrix`.
    """

    def __init__(
        self,
        scan: "Scan",
        partitions: Sequence[Any],
        client: Any,
        names: Sequence[str],
        dtype: Any,
        encoding: "TableEncoding | None" = None,
    ) -> None:
        self._client = client
        self._given: dict[bytes, list[Any]] = {}
        frames = [client.compute(part, optimize_graph=False) for part in partitions]
        lengths = self._look(scan, frames, list(names))
        super().__init__(scan, names, dtype, encoding)
        fitting = max(self._least_rows, floor_power(max(lengths) // _PARTS_OF_PARTITION))
        self.block_rows = min(self.block_rows, fitting, max(_MOST_ROWS, self._least_rows))
        self._blocks = self._made(frames, lengths)

    def _look(self, scan: "Scan", frames: list[Any], names: list[str]) -> list[int]:
        """Return the lengths of the partitions, whose columns it compares."""
        facts = (self._client.submit(_facts, frame, pure=False) for frame in frames)
        lengths = []
        found = results_in_order(self._client, facts, "partition", len(frames))
        for number, (n_rows, dtypes) in enumerate(found):
            if n_rows > 0:
                scan.schema.take(f"partition {number}", dtypes, names)
            lengths.append(n_rows)
        scan.count(sum(lengths))
        return lengths

    def _made(self, frames: list[Any], lengths: list[int]) -> list[Any]:
        """Return the blocks, as tasks that gather the pieces of partitions."""
        how = self._client.submit(
            _given, (self.names, self.dtype, self.encoding, self.n_columns), pure=False
        )
        ends = np.cumsum(lengths)
        blocks = []
        for first in range(0, self.n_rows, self.block_rows):
            last = min(first + self.block_rows, self.n_rows)
            pieces = []
            for k in range(int(np.searchsorted(ends, first, side="right")), len(frames)):
                begin = int(ends[k]) - lengths[k]
                if begin >= last:
                    break
                if lengths[k] > 0:
                    cut = (max(first - begin, 0), min(last - begin, lengths[k]))
                    piece = self._client.submit(
                        _piece, frames[k], how, f"partition {k}", *cut, pure=False
                    )
                    pieces.append(piece)
            is_whole = len(pieces) == 1
            block = pieces[0] if is_whole else self._client.submit(_joined, pieces, pure=False)
            blocks.append(block)
        return blocks

    def __getitem__(self, kept: NDArray[np.bool_]) -> BlockMatrix:
        """Return the rows of a mask as a matrix of their own, which is read here."""
        return BlockMatrix(self.scan, self.names, self.dtype, self.encoding)[kept]

    def row_blocks(self) -> Iterator[NDArray[Any]]:
        """Bring the blocks here, one after the other."""
        count = len(self._blocks)
        for block in results_in_order(self._client, self._blocks, "block", count, ahead=2):
            found = np.require(block, requirements=["A", self._order])
            self.scan.reading_.n_bytes += found.nbytes
            yield found if self._function is None else self._function(found)
        self.scan.reading_.n_passes += 1

    def block_sums(
        self, what: str, point: NDArray[np.float64], of_rows: list[tuple[Any, int]]
    ) -> Iterator[NDArray[np.float64]]:
        """Yield the sums of each block that are asked for; see ``_core.block_sums``."""
        given: Any = point.copy()
        if given.nbytes > _SMALL:
            given = self._client.submit(_given, given, pure=False)
        vectors = [(self._parts_of(values, width), width) for values, width in of_rows]
        sums = (
            self._client.submit(
                _sums,
                block,
                what,
                given,
                [(parts[k], width) for parts, width in vectors],
                self._order,
                pure=False,
            )
            for k, block in enumerate(self._blocks)
        )
        count = len(self._blocks)
        of_blocks = f"{what} of block"
        for found in results_in_order(self._client, sums, of_blocks, count, ahead=_SUMS_AHEAD):
            yield _aligned(np.frombuffer(found))
        self.scan.reading_.n_passes += 1

    def _parts_of(self, values: NDArray[np.float64] | None, width: int) -> list[Any]:
        """Return the numbers of the rows of each block, as tasks that hold them on the workers."""
        if values is None:
            return [None] * len(self._blocks)
        key = hashlib.blake2b(values.data, digest_size=16).digest()
        if key not in self._given:
            while len(self._given) >= _HELD_VECTORS:
                del self._given[next(iter(self._given))]
            step = self.block_rows * width
            self._given[key] = [
                self._client.submit(_given, values[first : first + step].copy(), pure=False)
                for first in range(0, len(values), step)
            ]
        return self._given[key]

    def rows(self, numbers: NDArray[np.intp]) -> NDArray[Any]:
        """Return rows by their numbers, which ascend."""
        places = np.asarray(numbers) // self.block_rows
        chosen = np.unique(places)
        tasks = (
            self._client.submit(
                _chosen, self._blocks[k], numbers[places == k] - k * self.block_rows, pure=False
            )
            for k in chosen
        )
        found = list(results_in_order(self._client, tasks, "rows of block", len(chosen)))
        return np.ascontiguousarray(np.concatenate(found))


# -- what workers do ------------------------------------------------------------------------------


def _facts(frame: Any) -> tuple[int, dict[str, Any]]:
    return len(frame), dtypes_of(frame)


def _given(value: Any) -> Any:
    return value


def _piece(frame: Any, how: Any, label: str, first: int, last: int) -> NDArray[Any]:
    """Return some rows of a partition as a matrix of numbers."""
    names, dtype, encoding, width = how
    out = np.empty((last - first, width), dtype, order="F")
    columns = columns_of(label, frame.iloc[first:last], names, encoding)
    write_columns(columns, 0, last - first, out)
    return out


def _joined(pieces: list[NDArray[Any]]) -> NDArray[Any]:
    return np.asfortranarray(np.concatenate(pieces))


def _chosen(block: NDArray[Any], places: NDArray[np.intp]) -> NDArray[Any]:
    return block[places]


def _sums(
    block: NDArray[Any],
    what: str,
    point: Any,
    of_rows: list[tuple[Any, int]],
    order: Literal["C", "F"],
) -> bytes:
    rows = np.require(block, requirements=["A", order])
    numbers = [(None if part is None else _aligned(part), width) for part, width in of_rows]
    with config(n_threads=1):  # the worker's other threads take other blocks
        return _core.block_sums(rows, what, _aligned(point), numbers, ctx=core_context())


def _aligned(values: NDArray[Any]) -> NDArray[Any]:
    """Return an array whose numbers lie where they may: what came from afar need not."""
    return np.require(values, requirements="A")
