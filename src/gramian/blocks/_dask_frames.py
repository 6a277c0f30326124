"""What a user passes of Dask, as one DataFrame of Dask: features, target and weights side by side.

One collection has one graph: two selections of the same files could be cut into partitions in two
ways, and their rows would not belong together.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np

__all__ = ["frame_of", "is_array", "is_dask", "side_by_side"]


def is_dask(obj: Any) -> bool:
    """Tell whether something is a collection of Dask."""
    return hasattr(type(obj), "__dask_graph__")


def is_array(collection: Any) -> bool:
    """Tell whether a collection is an Array of Dask."""
    import dask.array as da

    return isinstance(collection, da.Array)


def frame_of(argument: str, collection: Any, taken: Iterable[str] = ()) -> Any:
    """Return a collection as a DataFrame of Dask; its columns get names that are not taken.

    Parameters
    ----------
    argument : str
        What the collection was passed as.
    collection : dask DataFrame, Series or Array
        The columns.
    taken : iterable of str
        Names of the columns beside it.
    """
    import dask.dataframe as dd

    if is_array(collection):
        collection = _frame_of_array(argument, collection)
    if isinstance(collection, dd.Series):
        collection = collection.to_frame(name=str(collection.name or argument))
    if not isinstance(collection, dd.DataFrame):
        raise TypeError(
            f"{argument} must be a Dask DataFrame, Series or Array. Got a "
            f"{type(collection).__qualname__}: convert it, as by dask.dataframe.from_delayed."
        )
    if not all(isinstance(name, str) for name in collection.columns):
        raise TypeError(
            f"The columns of {argument} must be named by text. Got {list(collection.columns)[:5]}."
        )
    names = {name: _free_name(name, taken) for name in collection.columns}
    is_free = all(old == new for old, new in names.items())
    return collection if is_free else collection.rename(columns=names)


def _frame_of_array(argument: str, array: Any) -> Any:
    import dask.dataframe as dd

    if array.ndim == 1:
        array = array[:, None]
    if array.ndim != 2 or np.isnan(array.shape[1]):
        raise ValueError(
            f"{argument} must be an Array of one or two dimensions with a known number of columns. "
            f"Got the shape {array.shape}."
        )
    if argument == "X" and array.dtype.kind not in "biuf":
        raise TypeError(
            f"X must be an Array of numbers. Got {array.dtype}: pass a Dask DataFrame instead."
        )
    if array.dtype.kind == "b" and argument == "X":
        array = array.astype(np.float64)
    names = [argument] if array.shape[1] == 1 else [f"{argument}{j}" for j in range(array.shape[1])]
    return dd.from_dask_array(array.rechunk({1: -1}), columns=names)


def _free_name(name: str, taken: Iterable[str]) -> str:
    while name in taken:
        name += "'"
    return name


def side_by_side(rows: Any, others: dict[str, Any]) -> Any:
    """Return one DataFrame of the columns of several, whose partitions belong together.

    Parameters
    ----------
    rows : dask DataFrame
        The features.
    others : dict
        Argument of ``fit`` -> DataFrame of other columns.
    """
    import dask.dataframe as dd

    for argument, frame in others.items():
        if frame.npartitions != rows.npartitions:
            raise ValueError(
                f"X has {rows.npartitions} partitions and {argument} has {frame.npartitions}: "
                f"which rows belong together is not known. Give {argument} the partitions of X, or "
                "make it a column of X and pass its name."
            )
    if not others:
        return rows
    meta = _joined(rows._meta, *(frame._meta for frame in others.values()), arguments=list(others))
    return dd.map_partitions(
        _joined,
        rows,
        *others.values(),
        arguments=list(others),
        meta=meta,
        align_dataframes=False,
        enforce_metadata=False,
    )


def _joined(rows: Any, *others: Any, arguments: list[str]) -> Any:
    """Return the columns of the partitions side by side, row by row."""
    added = {}
    for argument, frame in zip(arguments, others, strict=True):
        if len(frame) != len(rows):
            raise ValueError(
                f"X has {len(rows)} rows in a partition in which {argument} has {len(frame)}."
            )
        added.update({name: frame[name].array for name in frame.columns})
    return rows.assign(**added)
