"""Dask collections as rows: each partition is read as a data frame, in the order of partitions."""

import sys
from collections.abc import Iterator, Sequence
from typing import Any

from gramian.blocks._dask_wait import results_in_order
from gramian.blocks._schema import require_column
from gramian.blocks._sources import Part, Source, dtypes_of, pieces

__all__ = ["DaskRows", "current_client", "is_in_task"]


class DaskRows(Source):
    """The rows of a Dask DataFrame.

    Without a client of ``distributed``, this process computes one partition after the other.

    Parameters
    ----------
    frame : dask DataFrame
        The rows.
    has_names : bool
        Whether the columns have names; those of an Array have none.
    """

    def __init__(self, frame: Any, *, has_names: bool = True) -> None:
        self.has_names = has_names
        self._frame = frame
        self._partitions: dict[tuple[str, ...], list[Any]] = {}

    def parts(self) -> list[Part] | None:
        """Return the columns; how many rows there are is known once they were read."""
        return [Part("the Dask collection", dtypes_of(self._frame._meta))]

    def frames(self, columns: Sequence[str] | None, n_rows: int) -> Iterator[tuple[str, Any]]:
        """Yield each partition, cut into pieces."""
        for number, frame in enumerate(_computed(self.partitions(columns))):
            yield from pieces(f"partition {number}", frame, n_rows)

    def matrix(self, scan: Any, names: Sequence[str], dtype: Any, encoding: Any) -> Any:
        """Return a matrix on the workers; None without a client."""
        client = current_client()
        if client is None:
            return None
        from gramian.blocks._dask_matrix import DaskMatrix

        return DaskMatrix(scan, self.partitions(names), client, names, dtype, encoding)

    def partitions(self, columns: Sequence[str] | None) -> list[Any]:
        """Return the partitions, with some of the columns, as delayed values."""
        key = tuple(self._frame.columns if columns is None else columns)
        if key not in self._partitions:
            self._partitions[key] = self._delayed(list(key))
        return self._partitions[key]

    def _delayed(self, columns: list[str]) -> list[Any]:
        import dask

        for name in columns:
            require_column("The Dask collection", name, list(self._frame.columns))
        # Else Dask joins partitions where few columns are read: each pass would cut the rows anew.
        with dask.config.set({"optimization.tune.active": False}):
            found: list[Any] = self._frame[columns].to_delayed()
        if len(found) != self._frame.npartitions:
            raise RuntimeError(
                f"Dask made {len(found)} partitions of {self._frame.npartitions}. Persist the "
                "collection before it is passed."
            )
        # Each with its own part of the graph, which is then not cut out anew for each pass.
        return [dask.optimize(partition)[0] for partition in found]


def current_client() -> Any:
    """Return the client of ``distributed`` that computes collections here; None without one."""
    if "distributed" not in sys.modules or is_in_task():
        return None
    import dask
    import distributed

    client = getattr(dask.base.get_scheduler(), "__self__", None)
    return client if isinstance(client, distributed.Client) else None


def is_in_task() -> bool:
    """Tell whether this runs in a task of a worker, where nothing may wait for another task."""
    if "distributed" not in sys.modules:
        return False
    import distributed

    try:
        distributed.get_worker()
    except ValueError:
        return False
    return True


def _computed(partitions: list[Any]) -> Iterator[Any]:
    """Yield the frames of partitions in their order."""
    client = current_client()
    if client is not None:
        futures = (client.compute(partition, optimize_graph=False) for partition in partitions)
        yield from results_in_order(client, futures, "partition", len(partitions))
        return
    options = {"scheduler": "synchronous"} if is_in_task() else {}
    for partition in partitions:
        yield partition.compute(optimize_graph=False, **options)
