"""Answers of a fitted model about a Dask collection: another collection, not yet computed."""

import warnings
from typing import Any

import numpy as np

from gramian.blocks._dask_frames import frame_of, is_array

__all__ = ["lazy_answers"]


def lazy_answers(model: Any, collection: Any, method: str) -> Any:
    """Return what a method of a model answers about each partition, as a collection.

    Parameters
    ----------
    model : estimator
        A fitted model.
    collection : dask DataFrame or Array
        The rows. Columns of a DataFrame that the model was not fitted on are left out.
    method : str
        The method.
    """
    if is_array(collection):
        return _of_array(model, collection, method)
    frame = frame_of("The source", collection)
    names = getattr(model, "feature_names_in_", None)
    if names is not None:
        frame = frame[list(names)]
    meta = _answer_about_frame(frame._meta_nonempty, model, method).iloc[:0]
    return frame.map_partitions(
        _answer_about_frame, model, method, meta, meta=meta, enforce_metadata=False
    )


def _of_array(model: Any, array: Any, method: str) -> Any:
    if array.ndim != 2:
        raise ValueError(f"The source must be an Array of two dimensions. Got {array.ndim}.")
    whole = array.rechunk({1: -1})
    example = np.asarray(_asked(model, method, np.zeros((1, array.shape[1]), array.dtype)))
    shape = (
        {"drop_axis": 1} if example.ndim == 1 else {"chunks": (whole.chunks[0], example.shape[1])}
    )
    meta = np.empty((0,) * example.ndim, example.dtype)
    return whole.map_blocks(_answer_about_block, model, method, meta, meta=meta, **shape)


def _asked(model: Any, method: str, rows: Any) -> Any:
    """Return the answer about rows that are made up: its type and form are those of others."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return getattr(model, method)(rows)


def _answer_about_block(rows: Any, model: Any, method: str, empty: Any) -> Any:
    if len(rows) == 0:
        return empty
    return np.asarray(getattr(model, method)(rows))


def _answer_about_frame(frame: Any, model: Any, method: str, empty: Any = None) -> Any:
    """Return the answer as a Series or a DataFrame, with the index of the rows."""
    import narwhals.stable.v2 as nw
    import pandas as pd

    if empty is not None and len(frame) == 0:
        return empty
    answer = _asked(model, method, frame) if empty is None else getattr(model, method)(frame)
    table = nw.from_native(answer, eager_only=True, pass_through=True)
    if isinstance(table, nw.DataFrame):
        return table.to_pandas().set_index(frame.index)
    values = np.asarray(answer)
    if values.ndim == 1:
        return pd.Series(values, index=frame.index, name=method)
    return pd.DataFrame(values, index=frame.index, columns=_names_of(model, values.shape[1]))


def _names_of(model: Any, count: int) -> list[Any]:
    """Return names of the columns of an answer: of classes or of features, or their numbers."""
    classes = getattr(model, "classes_", None)
    if isinstance(classes, np.ndarray) and len(classes) == count:
        return list(classes.tolist())
    if hasattr(model, "get_feature_names_out"):
        names = list(model.get_feature_names_out())
        if len(names) == count:
            return names
    return list(range(count))
