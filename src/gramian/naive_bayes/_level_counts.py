"""Counts of levels: which levels the columns of a table have, and how often in each class."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._typing import Floats
from gramian.config import core_context
from gramian.naive_bayes._classifier import log_or_infinity, room_for

__all__ = ["LevelTables", "count_levels", "drop_unweighted", "merged_levels", "stacked"]

Levels = tuple[str, ...] | None


def stacked(columns: Sequence[NDArray[Any]], n_rows: int) -> NDArray[np.int32]:
    """Return columns of codes as one matrix."""
    codes = np.empty((n_rows, len(columns)), np.int32, order="F")
    for j, column in enumerate(columns):
        codes[:, j] = column
    return codes


def count_levels(
    codes: NDArray[np.int32],
    n_levels: NDArray[np.int64],
    classes: NDArray[np.intp],
    weight: Floats | None,
    n_classes: int,
) -> list[Floats]:
    """Return for each column the weight of each level in each class: (n_classes, n_levels)."""
    first = _offsets(n_levels)
    counts = np.empty((int(first[-1]), n_classes))
    numbers = np.ascontiguousarray(classes, dtype=np.int64)
    _core.level_counts(codes, first, numbers, weight, counts=counts, ctx=core_context())
    return [part.T.copy() for part in np.split(counts, first[1:-1])]


def _offsets(n_levels: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(n_levels)]).astype(np.int64)


def merged_levels(known: Levels, new: Levels) -> tuple[Levels, NDArray[np.intp]]:
    """Return the levels of both, sorted, and where those known before stand among them."""
    old, more = known or (), new or ()
    if set(more) <= set(old):
        return known, np.arange(len(old))
    merged = tuple(sorted(set(old) | set(more)))
    position = {level: place for place, level in enumerate(merged)}
    return merged, np.array([position[level] for level in old], dtype=np.intp)


def drop_unweighted(
    codes: NDArray[np.int32], levels: Levels, weight: Floats | None
) -> tuple[NDArray[np.int32], Levels]:
    """Leave out the levels that only rows of weight 0 have: these rows are as good as absent."""
    if weight is None or levels is None or weight.all():
        return codes, levels
    is_present = codes >= 0
    occurs = np.bincount(codes[is_present], minlength=len(levels)) > 0
    counted = np.bincount(codes[is_present & (weight > 0)], minlength=len(levels)) > 0
    stays = counted | ~occurs
    place = np.append(np.where(stays, np.cumsum(stays) - 1, -1), -1).astype(np.int32)
    return place[codes], tuple(np.array(levels, dtype=object)[stays])


@dataclass(frozen=True, eq=False)
class LevelTables:
    """Logarithms of the probabilities of the levels of each column in each class.

    Parameters
    ----------
    tables : sequence of ndarray of shape (n_classes, n_levels)
        One for each column.
    unseen : sequence of ndarray of shape (n_classes,), optional
        Those of a level that was not seen; without them such levels are left out.
    """

    tables: Sequence[Floats]
    unseen: Sequence[Floats] | None = None

    @classmethod
    def smoothed(cls, counts: Sequence[Floats], alpha: float, *, has_unseen: bool) -> "LevelTables":
        """Return ``log((N + alpha) / sum(N + alpha))``; a level not seen has N = 0."""
        totals = [(count + alpha).sum(axis=1) for count in counts]
        logs = [np.log(np.where(total > 0, total, 1.0)) for total in totals]
        tables = [
            log_or_infinity(count + alpha) - log[:, None]
            for count, log in zip(counts, logs, strict=True)
        ]
        rest = log_or_infinity(np.array([alpha]))
        return cls(tables, [rest - log for log in logs] if has_unseen else None)

    def answer(
        self, codes: NDArray[np.int32], constant: Floats, log_prior: Floats, answer: str
    ) -> NDArray[Any]:
        """Return an answer about each row: -1 is a missing value, -2 a level not seen."""
        n_levels = np.array([table.shape[1] for table in self.tables])
        rows = [table.T for table in self.tables]
        if self.unseen is not None:
            codes = np.where(codes == -2, n_levels.astype(np.int32), codes)
            n_levels = n_levels + 1
            rows = [np.vstack(both) for both in zip(rows, self.unseen, strict=True)]
        out = room_for(answer, codes.shape[0], len(log_prior), np.float64)
        _core.level_answers(
            codes,
            _offsets(n_levels),
            np.ascontiguousarray(np.vstack(rows)),
            constant,
            log_prior,
            answer=answer,
            out=out,
            ctx=core_context(),
        )
        return out
