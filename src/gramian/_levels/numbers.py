"""Whole numbers as levels: their codes by a table of all numbers between the least and largest."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._typing import Floats
from gramian.config import core_context

__all__ = ["NumberSlots", "known_codes"]

_SLOTS_BESIDE_ROWS = 1024  # of a column; a table of more numbers is longer than the rows
_LARGEST = 2.0**31


@dataclass(frozen=True, eq=False)
class NumberSlots:
    """A slot for every whole number between the least and the largest of each column.

    Parameters
    ----------
    least : ndarray of shape (n_columns,)
        The number of the first slot of each column.
    first : ndarray of shape (n_columns + 1,)
        Where the slots of each column begin, and how many there are.
    """

    least: NDArray[np.int64]
    first: NDArray[np.int64]

    @classmethod
    def of(cls, matrix: NDArray[np.floating]) -> "NumberSlots | None":
        """Return the slots of the columns of a matrix; None if numbers are large or far apart.

        NaN stands for missing values.
        """
        low, high = np.empty((2, matrix.shape[1]))
        _core.column_ranges(matrix, low=low, high=high, ctx=core_context())
        is_empty = ~(low <= high)
        low[is_empty], high[is_empty] = 0.0, -1.0
        most = matrix.shape[0] + _SLOTS_BESIDE_ROWS
        if not ((np.abs(low) < _LARGEST) & (high - low < most)).all():
            return None
        least = np.floor(low).astype(np.int64)
        n_slots = np.floor(high).astype(np.int64) - least + 1
        return cls(least, np.concatenate([[0], np.cumsum(n_slots)]))

    def present(
        self, matrix: NDArray[np.floating], weight: Floats | None = None
    ) -> list[NDArray[np.int64]] | None:
        """Return the numbers in each column, ascending; None if some entry is no whole number.

        Those that only rows of weight 0 have are left out.
        """
        marks = np.zeros(int(self.first[-1]), np.uint8)
        if not _core.mark_numbers(
            matrix, weight, self.least, self.first, is_present=marks, ctx=core_context()
        ):
            return None
        parts = zip(self.first[:-1], self.first[1:], self.least, strict=True)
        return [np.flatnonzero(marks[begin:end]) + least for begin, end, least in parts]

    def codes(
        self, matrix: NDArray[np.floating], code: NDArray[np.int32]
    ) -> tuple[NDArray[np.int32], bool]:
        """Return `code` of the slot of each entry, -1 missing, -2 without one; whether all have."""
        codes = np.empty(matrix.shape, np.int32, order="F")
        all_found = _core.number_codes(
            matrix, self.least, self.first, code, codes=codes, ctx=core_context()
        )
        return codes, all_found


def known_codes(
    matrix: NDArray[np.floating], levels: Sequence[tuple[str, ...]]
) -> NDArray[np.int32] | None:
    """Return numbers as codes of the levels of each column, -1 missing, -2 none of the levels.

    None if some levels are no whole numbers, or are far apart.
    """
    tables = [_table_of(known) for known in levels]
    if not all(tables):
        return None
    least, codes = zip(*tables, strict=True)
    first = np.concatenate([[0], np.cumsum([len(part) for part in codes])])
    slots = NumberSlots(np.array(least, np.int64), first.astype(np.int64))
    return slots.codes(matrix, np.concatenate(codes))[0]


@lru_cache(maxsize=1024)
def _table_of(levels: tuple[str, ...]) -> tuple[int, NDArray[np.int32]] | None:
    """Return the least number among levels and the code of each from it on, -2 for the others."""
    try:
        numbers = [int(level) for level in levels]
    except ValueError:
        return None
    is_whole = all(str(number) == level for number, level in zip(numbers, levels, strict=True))
    least, largest = min(numbers, default=0), max(numbers, default=-1)
    is_near = largest - least < 4 * len(levels) + _SLOTS_BESIDE_ROWS
    if not is_whole or not is_near or max(abs(least), abs(largest)) >= _LARGEST:
        return None
    codes = np.full(largest - least + 1, -2, np.int32)
    codes[np.array(numbers, np.int64) - least] = np.arange(len(levels))
    return least, codes
