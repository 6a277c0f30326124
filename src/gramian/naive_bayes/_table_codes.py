"""Tables as codes of levels: of fit, among those known before, and of new rows."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._levels.codes import LevelCodes
from gramian._levels.matrix import numbers_of
from gramian._levels.numbers import NumberSlots, known_codes
from gramian._typing import Floats
from gramian.naive_bayes._level_counts import drop_unweighted, merged_levels, stacked
from gramian.table import Table

__all__ = ["codes_among", "codes_below", "whole_numbers", "with_levels"]

Levels = tuple[str, ...]


def whole_numbers(table: Table, model: Any) -> NDArray[np.int32]:
    """Return numbers as codes of levels, -1 where they are missing."""
    values = _matrix_of(table)
    slots = NumberSlots.of(values)
    if slots is not None and (slots.least >= 0).all():
        code = np.arange(slots.first[-1]) - np.repeat(slots.first[:-1] - slots.least, _sizes(slots))
        codes, all_found = slots.codes(values, code.astype(np.int32))
        if all_found:
            return codes
    is_missing = np.isnan(values)
    if (values < 0).any():
        raise ValueError(
            f"Negative values in data passed to {type(model).__name__} (input X): the least is "
            f"{np.nanmin(values):g}. Levels are text, or whole numbers from 0 on."
        )
    if (values >= np.iinfo(np.int32).max).any():
        raise ValueError(
            f"The level {np.nanmax(values):g} of X is too large to be counted from 0 on; pass the "
            "levels as text or as a data frame."
        )
    return np.where(is_missing, -1, values).astype(np.int32)


def codes_below(n_levels: NDArray[np.int64], table: Table, model: Any) -> NDArray[np.int32]:
    """Return numbers as codes of levels, -1 where they are missing and -2 from `n_levels` on."""
    codes = whole_numbers(table, model)
    is_beyond = codes >= n_levels
    if is_beyond.any():
        codes[is_beyond] = -2
    return codes


def codes_among(table: Table, levels: Sequence[Levels]) -> NDArray[np.int32]:
    """Return codes of the levels of each column, -1 for missing and -2 for other values."""
    codes = None if table.matrix is None else known_codes(table.matrix, levels)
    if codes is not None:
        return codes
    return stacked(LevelCodes(tuple(levels)).columns(table), len(table))


def with_levels(
    table: Table, levels: list[Levels], counts: list[Floats], weight: Floats | None
) -> tuple[NDArray[np.int32], list[Levels], list[Floats]]:
    """Return codes among the levels known before and the new ones, and the former counts."""
    slots = None if table.matrix is None else NumberSlots.of(table.matrix)
    numbers = None if slots is None else slots.present(table.matrix, weight)  # type: ignore[arg-type]
    if slots is not None and numbers is not None:
        new_levels = [tuple(map(str, found.tolist())) for found in numbers]
        all_levels, moved, widened = _merged(levels, new_levels, counts)
        code = np.full(int(slots.first[-1]), -1, np.int32)
        starts = slots.first[:-1] - slots.least
        for start, present, places in zip(starts, numbers, moved, strict=True):
            code[start + present] = places
        return slots.codes(table.matrix, code)[0], all_levels, widened  # type: ignore[arg-type]
    found, coded = LevelCodes.of(table, "all")
    parts = [
        drop_unweighted(column.codes, own, weight)  # type: ignore[union-attr]
        for column, own in zip(coded.columns, found.levels, strict=True)
    ]
    all_levels, moved, widened = _merged(levels, [own or () for _, own in parts], counts)
    columns = [
        np.append(places, np.int32(-1))[codes]
        for (codes, _), places in zip(parts, moved, strict=True)
    ]
    return stacked(columns, len(table)), all_levels, widened


def _merged(
    known: list[Levels], new: list[Levels], counts: list[Floats]
) -> tuple[list[Levels], list[NDArray[np.int32]], list[Floats]]:
    """Return the levels of both for each column, where the new ones stand, and the counts there."""
    all_levels, places, widened = [], [], []
    for before, own, count in zip(known, new, counts, strict=True):
        merged, place = merged_levels(before, own)
        position = {level: code for code, level in enumerate(merged or ())}
        wide = np.zeros((len(count), max(len(merged or ()), count.shape[1])))
        wide[:, place] = count[:, : len(place)]
        all_levels.append(merged or ())
        places.append(np.array([position[level] for level in own], np.int32))
        widened.append(wide)
    return all_levels, places, widened


def _matrix_of(table: Table) -> NDArray[Any]:
    if table.matrix is not None:
        return table.matrix
    return np.column_stack([numbers_of(column) for column in table.columns])


def _sizes(slots: NumberSlots) -> NDArray[np.int64]:
    return np.diff(slots.first)
