"""Whether a table declares that its rows follow one another in time."""

from __future__ import annotations

from typing import Any


def is_in_time_order(X: Any) -> bool:
    """Return whether the index of a data frame, or one of its columns, is of ascending times.

    Times that are all the same say nothing about the order of the rows.

    Examples
    --------
    >>> import pandas as pd
    >>> from gramian.inspection._diagnosis.time_order import is_in_time_order
    >>> frame = pd.DataFrame({"x": [3.0, 1.0, 2.0]})
    >>> is_in_time_order(frame)
    False
    >>> is_in_time_order(frame.set_index(pd.date_range("2024-01-01", periods=3)))
    True
    """
    import narwhals.stable.v2 as nw

    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame) or len(frame) == 0:
        return False
    index = getattr(X, "index", None)
    if index is not None and index.dtype.kind == "M" and index[0] != index[-1]:
        return bool(index.is_monotonic_increasing)
    return any(
        column.dtype in (nw.Date, nw.Datetime)
        and not column.is_null().any()
        and column[0] != column[-1]
        and column.is_sorted()
        for column in frame.iter_columns()
    )
