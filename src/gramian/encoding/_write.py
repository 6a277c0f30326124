"""The matrix of a table from the encodings of its columns."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian.encoding._columns import ColumnEncoding, text_column
from gramian.encoding._text import TextEncoding
from gramian.table import NumericColumn, Table

__all__ = ["write_columns"]


def write_columns(
    table: Table,
    encodings: Sequence[ColumnEncoding],
    training_rows: Mapping[int, NDArray[np.float64]],
) -> Any:
    """Return the matrix; sparse if there is a column of text with a column for each word."""
    kind = _float_type(table)
    if not any(_is_sparse(encoding) for encoding in encodings):
        return _dense(table, encodings, range(len(encodings)), training_rows, kind)
    from scipy.sparse import csr_array, hstack

    blocks = []
    for is_sparse, places in groupby(range(len(encodings)), lambda k: _is_sparse(encodings[k])):
        if is_sparse:
            blocks += [_words(table, encodings[k], k).astype(kind) for k in places]
        else:
            blocks.append(csr_array(_dense(table, encodings, list(places), training_rows, kind)))
    return csr_array(hstack(blocks, format="csr"))


def _is_sparse(encoding: ColumnEncoding) -> bool:
    return isinstance(encoding, TextEncoding) and encoding.is_sparse


def _words(table: Table, encoding: Any, place: int) -> Any:
    return encoding.sparse_rows(text_column(table.columns[place], encoding))


def _dense(
    table: Table,
    encodings: Sequence[ColumnEncoding],
    places: Sequence[int],
    training_rows: Mapping[int, NDArray[np.float64]],
    kind: type[np.floating],
) -> NDArray[Any]:
    width = sum(len(encodings[place].outputs) for place in places)
    out = np.empty((table.n_rows, width), dtype=kind, order="F")
    start = 0
    for place in places:
        encoding, column = encodings[place], table.columns[place]
        block = out[:, start : start + len(encoding.outputs)]
        if place in training_rows:
            block[:] = training_rows[place]
        elif isinstance(encoding, TextEncoding):
            encoding.write(text_column(column, encoding), block)
        else:
            encoding.write(column, block)
        start += len(encoding.outputs)
    return out


def _float_type(table: Table) -> type[np.floating]:
    numeric = [c.values.dtype for c in table.columns if isinstance(c, NumericColumn)]
    return np.float32 if numeric and all(t == np.float32 for t in numeric) else np.float64
