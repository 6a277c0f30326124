"""What a fit must know of all rows before it reads them: which encoding each column gets."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian.blocks._matrix import BlockMatrix
from gramian.blocks._schema import kind_of, require_column
from gramian.config import core_context, get_config
from gramian.encoding import CategoricalEncoding, TableEncoding, TextEncoding
from gramian.table import MISSING, CategoricalColumn, Column, NumericColumn, as_table

if TYPE_CHECKING:
    from gramian.blocks._scan import Scan

__all__ = ["encoded_blocks", "number_blocks", "raw_blocks", "whole_columns"]

_SURVEY_BYTES = 256 << 20
_ENTRY_BYTES = 24  # of a column while its encoding is chosen


def number_blocks(scan: "Scan", names: Sequence[str], who: str) -> BlockMatrix:
    """Return the matrix of columns of numbers, NaN where they are missing; others raise."""
    for name in names:
        label, dtype = scan.schema.seen[name]
        if not scan.schema.is_plain([name]):
            raise TypeError(
                f"{who} takes columns of numbers, and column {name!r} holds {dtype} in {label}. "
                "Choose others by columns=."
            )
    return scan.matrix(names, np.float32 if scan.schema.is_single(names) else np.float64)


def raw_blocks(scan: "Scan", names: Sequence[str]) -> BlockMatrix:
    """Return the matrix of columns of any type, for models that read them as they are."""
    for name in names:
        require_column("The scan", name, list(scan.columns))
    numeric = [name for name in names if kind_of(scan.schema.seen[name][1]) in ("numbers", "dates")]
    is_single = all(scan.schema.singles[name] for name in numeric)
    return BlockMatrix(scan, names, np.float32 if is_single else np.float64)


def encoded_blocks(
    scan: "Scan",
    names: Sequence[str],
    encoding: TableEncoding,
    weight: NDArray[np.float64] | None,
    *,
    has_target: bool,
    can_restart: bool = False,
) -> BlockMatrix:
    """Fit an encoding to the columns of a scan, and return the matrix that it makes of them.

    Parameters
    ----------
    scan : Scan
        The rows.
    names : sequence of str
        The columns.
    encoding : TableEncoding
        Is fitted.
    weight : ndarray of shape (n_rows,) or None
        Weights of the rows.
    has_target : bool
        Whether there is a target, by whose means columns of many levels are encoded in memory.
    can_restart : bool, default=False
        Whether the fit may start again where plain numbers turn out to have gaps: then no pass is
        made to look for them.
    """
    schema = scan.schema
    dtype = np.float32 if schema.is_single(names) else np.float64
    is_plain = schema.is_plain(names)
    if is_plain:
        numbers = scan.matrix(names, dtype)
        if can_restart and type(numbers) is BlockMatrix and not scan.needs_survey:
            encoding.set_plain(names, np.full(len(names), np.nan))
            scan.owed = numbers.owe(weight, lambda means: encoding.set_plain(names, means))
            numbers.is_finite = True
            return numbers
        means = np.empty(len(names))
        _core.column_means(numbers, weight, out=means, ctx=core_context())
        numbers.is_finite = bool(np.isfinite(means).all())
        if numbers.is_finite:
            encoding.set_plain(names, means)
            return numbers
        is_plain = not _has_missing(scan, names, weight)
    encoding.fit_columns(
        whole_columns(scan, names), len(names), sample_weight=weight, is_plain=is_plain
    )
    for column in encoding.columns_:
        _refuse(column, has_target)
    return scan.matrix(names, dtype, encoding)


def _refuse(column: Any, has_target: bool) -> None:
    """Raise ValueError for an encoding whose training rows are not those of new ones."""
    if isinstance(column, TextEncoding):
        what = "free text, whose words are weighed over all rows"
    elif isinstance(column, CategoricalEncoding) and column.method == "frequency" and has_target:
        what = f"{len(column.levels)} levels, which become means of the target"
    else:
        return
    raise ValueError(
        f"Column {column.name!r} holds {what}: that takes all rows at once. Leave it out by "
        "columns=, encode it before, or fit on a data frame in memory."
    )


def _has_missing(scan: "Scan", names: Sequence[str], weight: NDArray[np.float64] | None) -> bool:
    """Tell whether a number is missing in a row that counts."""
    matrix, first = BlockMatrix(scan, names, np.float64), 0
    for block in matrix.row_blocks():
        counts = slice(None) if weight is None else weight[first : first + len(block)] > 0
        if np.isnan(block[counts]).any():
            return True
        first += len(block)
    return False


def whole_columns(scan: "Scan", names: Sequence[str]) -> Iterator[Column]:
    """Yield columns one after the other, each whole, reading as many at once as fit."""
    limit = get_config()["memory_limit"]
    room = _SURVEY_BYTES if limit is None else int(limit * 2**20) // 4
    at_once = max(1, room // (_ENTRY_BYTES * scan.n_rows))
    for first in range(0, len(names), at_once):
        group = list(names[first : first + at_once])
        pieces: list[list[tuple[str, Column]]] = [[] for _ in group]
        for label, frame in scan.frames(group):
            table = as_table(_selected(frame, group))
            assert table is not None
            for own, column in zip(pieces, table.columns, strict=True):
                own.append((label, column))
        for own in pieces:
            yield _joined(own)
            own.clear()


def _selected(frame: Any, names: Sequence[str]) -> Any:
    import narwhals.stable.v2 as nw

    return nw.from_native(frame, eager_only=True).select(names).to_native()


def _joined(pieces: list[tuple[str, Column]]) -> Column:
    """Return the column whose pieces these are, each with the label of its part."""
    filled = [(label, column) for label, column in pieces if not column.is_missing.all()]
    kinds = {column.kind for _, column in filled}
    if len(kinds) > 1:
        labels = [next(label for label, c in filled if c.kind == kind) for kind in sorted(kinds)]
        raise TypeError(
            f"Column {pieces[0][1].name!r} holds text in {labels[0]} and numbers in {labels[1]}. "
            "Write it with one type."
        )
    columns = [column for _, column in pieces]
    kind = kinds.pop() if kinds else columns[0].kind
    return _joined_numbers(columns) if kind == "numeric" else _joined_levels(columns)


def _joined_numbers(columns: list[Column]) -> NumericColumn:
    values = [
        c.values if isinstance(c, NumericColumn) else _no_numbers(len(c.codes)) for c in columns
    ]
    numeric = [c for c in columns if isinstance(c, NumericColumn)]
    is_date = any(column.is_date for column in numeric)
    return NumericColumn(columns[0].name, np.concatenate(values), is_date)


def _no_numbers(n_rows: int) -> NDArray[Any]:
    return np.full(n_rows, np.nan, np.float32)  # gives way to the type of the others


def _joined_levels(columns: list[Column]) -> CategoricalColumn:
    levels = [c for c in columns if isinstance(c, CategoricalColumn)]
    is_ordered = any(column.ordered for column in levels)
    is_numbers = any(column.is_numbers for column in levels)
    found = dict.fromkeys(level for column in levels for level in column.categories)
    if is_ordered:
        categories = tuple(found)
    else:
        categories = tuple(sorted(found, key=float if is_numbers else None))
    codes = [
        c.recode(categories)
        if isinstance(c, CategoricalColumn)
        else np.full(len(c.values), MISSING, np.int32)
        for c in columns
    ]
    name = columns[0].name
    return CategoricalColumn(name, np.concatenate(codes), categories, is_ordered, is_numbers)
