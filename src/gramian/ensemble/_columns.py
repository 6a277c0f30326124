"""Columns of the data, as members of an ensemble are given them; a data frame stays one."""

from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._column_blocks import as_frame

__all__ = ["in_order_of_fit", "put_in_front", "take_columns"]


def take_columns(X: Any, columns: NDArray[np.int64]) -> Any:
    """Return the given columns of an array, sparse matrix or data frame, as one of its kind.

    In a data frame, columns that are taken again get a number after their name.
    """
    frame = as_frame(X)
    if frame is None:
        return X[:, columns]
    positions = columns.tolist()
    if len(set(positions)) == len(positions):
        return frame[:, positions].to_native()
    chosen, seen = [], Counter[int]()
    for position in positions:
        seen[position] += 1
        name, number = str(frame.columns[position]), seen[position]
        chosen.append(frame[:, position].alias(name if number == 1 else f"{name} ({number})"))
    return frame.select(*chosen).to_native()


def in_order_of_fit(estimator: Any, X: Any) -> Any:
    """Return a data frame with its columns in the order of fit; anything else as it is."""
    frame, names = as_frame(X), getattr(estimator, "feature_names_in_", None)
    if frame is None or names is None or list(frame.columns) == names.tolist():
        return X
    return frame.select(*names.tolist()).to_native()


def put_in_front(X: Any, block: NDArray[Any], names: list[str]) -> Any:
    """Return a data frame with the columns of a matrix in front of its own."""
    import narwhals.stable.v2 as nw

    frame: Any = as_frame(X)
    series = [
        nw.new_series(name, column, backend=frame.implementation)
        for name, column in zip(names, block.T, strict=True)
    ]
    return frame.with_columns(*series).select(*names, *frame.columns).to_native()
