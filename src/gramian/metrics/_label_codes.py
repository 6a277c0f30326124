"""Labels as small whole numbers, and counts of pairs of them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["MAX_CELLS", "Coded", "Ints", "code_integers", "code_text", "count_pairs"]

Ints = NDArray[np.int64]

MAX_CELLS = 1 << 20  # a table of counts up to this size is filled directly


@dataclass(frozen=True)
class Coded:
    """One column of labels: the label of row i is ``levels[codes[i]]``; some may not occur."""

    levels: NDArray[Any]
    codes: Ints

    def compressed(self) -> "Coded":
        """Return the same column without the levels that do not occur."""
        occurs = np.bincount(self.codes, minlength=len(self.levels)) > 0
        if occurs.all():
            return self
        position = np.cumsum(occurs) - 1
        return Coded(self.levels[occurs], position[self.codes])


def code_integers(array: NDArray[Any]) -> Coded:
    """Code whole numbers, without sorting if they lie close together."""
    low, high = int(array.min()), int(array.max())
    if high - low >= max(2 * len(array), 1024) or high >= 2**62:
        return Coded(*np.unique(array, return_inverse=True))
    levels = np.arange(low, high + 1).astype(array.dtype)
    if low == 0 or array.dtype.kind != "i":
        codes = array.astype(np.int64, copy=False)
        return Coded(levels, codes - low if low else codes)
    return Coded(levels, np.subtract(array, low, dtype=np.int64))


def code_text(array: NDArray[Any], name: str) -> Coded:
    """Code text; `name` is what messages call it."""
    texts = array.tolist()
    distinct = set(texts)
    if not all(isinstance(text, str) for text in distinct):
        other = next(text for text in distinct if not isinstance(text, str))
        raise TypeError(
            f"{name} must hold text only or numbers only, but it holds text and {other!r}."
        )
    levels = sorted(distinct)
    position = {text: code for code, text in enumerate(levels)}
    codes = np.fromiter(map(position.__getitem__, texts), np.int64, len(texts))
    return Coded(np.asarray(levels), codes)


def count_pairs(true: Coded, pred: Coded) -> tuple[Ints, Ints, Ints]:
    """Return the pairs of codes that occur, in order, and how often."""
    n_pred = len(pred.levels)
    joint = true.codes * n_pred + pred.codes
    if len(true.levels) * n_pred <= MAX_CELLS:
        table = np.bincount(joint)
        cells = np.flatnonzero(table)
        return cells // n_pred, cells % n_pred, table[cells]
    cells, counts = np.unique(joint, return_counts=True)
    return cells // n_pred, cells % n_pred, counts
