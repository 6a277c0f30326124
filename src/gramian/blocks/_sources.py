"""Where rows come from: every source gives its frames in one order, as often as it can."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from gramian.blocks._dask_frames import frame_of, is_array, is_dask

__all__ = ["Part", "Source", "pieces", "source_of"]

_READ_BYTES = 1 << 20  # of a column of Parquet at a time


@dataclass(frozen=True)
class Part:
    """What is known of a part of the data before it is read.

    Parameters
    ----------
    label : str
        What messages call it, such as the path of a file.
    dtypes : dict
        The type of each column, by its name.
    n_rows : int or None
        The number of rows; None where only reading tells.
    """

    label: str
    dtypes: dict[str, Any]
    n_rows: int | None = None


class Source:
    """Rows in one order. Frames are those of pandas, polars or Arrow."""

    is_repeatable = True
    has_names = True  # else the columns are known by their places alone

    def parts(self) -> list[Part] | None:
        """Return what is known of the parts before reading; None if nothing is."""
        return None

    def frames(self, columns: Sequence[str] | None, n_rows: int) -> Iterator[tuple[str, Any]]:
        """Yield frames of about so many rows, each with the label of its part."""
        raise NotImplementedError

    def matrix(self, scan: Any, names: Sequence[str], dtype: Any, encoding: Any) -> Any:
        """Return a matrix in blocks that lie elsewhere; None where frames are all there is."""
        return None


def source_of(source: Any, row_filter: Any) -> Source:
    """Return the source that an object of the user's is."""
    if isinstance(source, (str, PathLike)):
        return ParquetFiles(Path(source), row_filter)
    kind = f"{type(source).__module__.partition('.')[0]}.{type(source).__qualname__}"
    if kind.startswith("pyarrow.") and hasattr(source, "get_fragments"):
        return ArrowDataset(source, row_filter)
    if kind == "polars.LazyFrame":
        return LazyRows(source if row_filter is None else source.filter(row_filter))
    if is_dask(source) and row_filter is None:
        return _dask_rows(source)
    if row_filter is not None:
        raise TypeError(
            f"filter is for Parquet files, pyarrow data sets and polars LazyFrames. Got a source "
            f"of type {kind}: filter its frames where they are made."
        )
    if kind == "pyarrow.RecordBatchReader" or isinstance(source, Iterator):
        return OneIterator(source)
    if isinstance(source, (list, tuple)):
        return Frames(source)
    if _is_frame(source):
        return Frames([source])
    if callable(source):
        return Called(source)
    raise TypeError(
        "A source of blocks is a path to a Parquet file or a folder of them, a pyarrow Dataset or "
        "RecordBatchReader, a polars LazyFrame, a Dask DataFrame or Array, a data frame, a list of "
        "data frames, or a function that returns a fresh iterator of frames. Got "
        f"{type(source).__qualname__}."
    )


def _dask_rows(collection: Any) -> Source:
    from gramian.blocks._dask_rows import DaskRows

    return DaskRows(frame_of("The source", collection), has_names=not is_array(collection))


def _is_frame(obj: Any) -> bool:
    import narwhals.stable.v2 as nw

    found = nw.from_native(obj, pass_through=True)
    return isinstance(found, nw.DataFrame) or hasattr(type(obj), "__arrow_c_stream__")


class ParquetFiles(Source):
    """A file, or those of a folder and of the folders in it, by path in the order of names."""

    def __init__(self, path: Path, row_filter: Any) -> None:
        self._filter = row_filter
        self._paths = [path] if path.is_file() else _parquet_files(path)
        self._marks = {path: _mark(path) for path in self._paths}

    def parts(self) -> list[Part] | None:
        """Return the columns of each file, and its length where no filter takes rows away."""
        found = []
        for path in self._paths:
            with _opened(path) as file:
                n_rows = file.metadata.num_rows if self._filter is None else None
                found.append(Part(str(path), dtypes_of(file.schema_arrow.empty_table()), n_rows))
        return found

    def frames(self, columns: Sequence[str] | None, n_rows: int) -> Iterator[tuple[str, Any]]:
        """Yield the batches of each file; a file that has changed raises ValueError."""
        import pyarrow as pa

        for path in self._paths:
            if _mark(path) != self._marks[path]:
                raise ValueError(f"{path} has changed since it was scanned; scan it again.")
            with _opened(path) as file:
                try:
                    for batch in self._batches(file, path, columns, n_rows):
                        yield str(path), pa.Table.from_batches([batch])
                except (pa.ArrowException, OSError) as error:
                    raise ValueError(f"{path} cannot be read: {error}") from error

    def _batches(self, file: Any, path: Path, columns: Sequence[str] | None, n_rows: int) -> Any:
        names = None if columns is None else list(columns)
        if self._filter is None:
            return file.iter_batches(batch_size=n_rows, columns=names)
        import pyarrow.dataset as ds

        return _filtered(ds.dataset(path, format="parquet"), names, self._filter, n_rows)


def _parquet_files(folder: Path) -> list[Path]:
    if not folder.is_dir():
        raise FileNotFoundError(f"{folder} is neither a Parquet file nor a folder of them.")
    found = sorted(
        path
        for path in folder.rglob("*.parquet")
        if not any(part.startswith((".", "_")) for part in path.relative_to(folder).parts)
    )
    if not found:
        raise FileNotFoundError(f"The folder {folder} holds no *.parquet file.")
    return found


def _mark(path: Path) -> tuple[int, int]:
    """Return what changes with a file."""
    try:
        state = path.stat()
    except FileNotFoundError:
        raise ValueError(f"{path} was there when it was scanned, and is gone now.") from None
    return state.st_size, state.st_mtime_ns


def _opened(path: Path) -> Any:
    """Open a Parquet file so that a column is read piece by piece, not all at once."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return pq.ParquetFile(path, buffer_size=_READ_BYTES, pre_buffer=False)
    except (pa.ArrowException, OSError) as error:
        raise ValueError(f"{path} is not a Parquet file that can be read: {error}") from error


def _filtered(fragment: Any, columns: list[str] | None, row_filter: Any, n_rows: int) -> Any:
    return fragment.to_batches(
        columns=columns,
        filter=row_filter,
        batch_size=n_rows,
        batch_readahead=1,
        fragment_readahead=1,
    )


class ArrowDataset(Source):
    """A data set of pyarrow, fragment by fragment."""

    def __init__(self, dataset: Any, row_filter: Any) -> None:
        self._dataset, self._filter = dataset, row_filter

    def parts(self) -> list[Part] | None:
        """Return the columns; how many rows there are is known once they were read."""
        return [Part("the data set", dtypes_of(self._dataset.schema.empty_table()))]

    def frames(self, columns: Sequence[str] | None, n_rows: int) -> Iterator[tuple[str, Any]]:
        """Yield the batches of each fragment."""
        import pyarrow as pa

        names = None if columns is None else list(columns)
        for number, fragment in enumerate(self._dataset.get_fragments()):
            label = getattr(fragment, "path", None) or f"fragment {number}"
            scanner = fragment.scanner(
                schema=self._dataset.schema,
                columns=names,
                filter=self._filter,
                batch_size=n_rows,
                batch_readahead=1,
            )
            try:
                for batch in scanner.to_batches():
                    yield label, pa.Table.from_batches([batch])
            except (pa.ArrowException, OSError) as error:
                raise ValueError(f"{label} cannot be read: {error}") from error


class LazyRows(Source):
    """A lazy frame of polars, collected batch by batch."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame

    def parts(self) -> list[Part] | None:
        """Return the columns."""
        return [Part("the LazyFrame", dtypes_of(self._frame.collect_schema().to_frame(eager=True)))]

    def frames(self, columns: Sequence[str] | None, n_rows: int) -> Iterator[tuple[str, Any]]:
        """Yield the batches that polars makes."""
        frame = self._frame if columns is None else self._frame.select(list(columns))
        for batch in frame.collect_batches(chunk_size=n_rows, maintain_order=True):
            yield "the LazyFrame", batch


class Frames(Source):
    """Data frames that the user holds."""

    def __init__(self, frames: Sequence[Any]) -> None:
        self._frames = list(frames)

    def frames(self, columns: Sequence[str] | None, n_rows: int) -> Iterator[tuple[str, Any]]:
        """Yield them, cut into pieces."""
        for number, frame in enumerate(self._frames):
            yield from pieces(f"frame {number}", frame, n_rows)


class Called(Source):
    """A function that returns a fresh iterator of frames each time."""

    def __init__(self, function: Callable[[], Iterable[Any]]) -> None:
        self._function = function
        self._last: Any = None

    def frames(self, columns: Sequence[str] | None, n_rows: int) -> Iterator[tuple[str, Any]]:
        """Yield what an iterator of its own gives."""
        made = self._function()
        is_reader = isinstance(made, Iterable) and hasattr(made, "read_next_batch")
        if not isinstance(made, Iterable) or (_is_frame(made) and not is_reader):
            raise TypeError(
                "A function that is scanned returns an iterator of data frames. Got "
                f"{type(made).__qualname__}."
            )
        if isinstance(made, Iterator) and made is self._last:
            raise ValueError(
                "The function that is scanned returned the same iterator twice; the rows are read "
                "several times, and it must return a fresh one each time."
            )
        self._last = made
        for number, frame in enumerate(made):
            yield from pieces(f"frame {number}", frame, n_rows)


class OneIterator(Source):
    """Frames that can be had once."""

    is_repeatable = False

    def __init__(self, frames: Iterator[Any]) -> None:
        self._frames: Iterator[Any] | None = frames

    def frames(self, columns: Sequence[str] | None, n_rows: int) -> Iterator[tuple[str, Any]]:
        """Yield the frames, the first time."""
        frames, self._frames = self._frames, None
        if frames is None:
            raise ValueError("The rows of this iterator were read already, and come only once.")
        for number, frame in enumerate(frames):
            yield from pieces(f"frame {number}", frame, n_rows)


def pieces(label: str, frame: Any, n_rows: int) -> Iterator[tuple[str, Any]]:
    """Yield a frame in pieces, as a library's own frame."""
    import narwhals.stable.v2 as nw

    found = nw.from_native(frame, pass_through=True)
    if not isinstance(found, nw.DataFrame) and hasattr(type(frame), "__arrow_c_stream__"):
        import pyarrow as pa

        found = nw.from_native(pa.table(frame))
    if not isinstance(found, nw.DataFrame) and type(frame).__qualname__ == "RecordBatch":
        import pyarrow as pa

        found = nw.from_native(pa.Table.from_batches([frame]))
    if not isinstance(found, nw.DataFrame):
        raise TypeError(f"{label} is no data frame but a {type(frame).__qualname__}.")
    for first in range(0, max(len(found), 1), n_rows):
        yield label, found[first : first + n_rows].to_native()


def dtypes_of(frame: Any) -> dict[str, Any]:
    """Return the types of the columns of a frame, by name."""
    import narwhals.stable.v2 as nw

    return dict(nw.from_native(frame, eager_only=True).schema)
