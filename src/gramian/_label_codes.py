"""Labels as small whole numbers: what `numpy.unique` finds, without a sort of the rows."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._typing import Ints

__all__ = ["Coded", "Ints", "code_integers", "code_text", "label_codes", "quick_codes"]


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
    if not _is_close(low, high, len(array)) or high >= 2**62:
        return Coded(*np.unique(array, return_inverse=True))
    levels = np.arange(low, high + 1).astype(array.dtype)
    if low == 0 or array.dtype.kind != "i":
        codes = array.astype(np.int64, copy=False)
        return Coded(levels, codes - low if low else codes)
    return Coded(levels, np.subtract(array, low, dtype=np.int64))


def _is_close(low: float, high: float, n_rows: int) -> bool:
    """Tell whether a table of all whole numbers in a range is small beside the rows."""
    return high - low < max(2 * n_rows, 1024)


def code_text(array: NDArray[Any], name: str) -> Coded:
    """Code text; `name` is what messages call it."""
    texts = array.tolist()
    distinct = set(texts)
    if not all(isinstance(text, str) for text in distinct):
        other = next(text for text in distinct if not isinstance(text, str))
        raise TypeError(
            f"{name} must hold text only or numbers only, but it holds text and {other!r}."
        )
    return _code_by_table(texts, distinct, None)


def _code_by_table(rows: list[Any], distinct: set[Any], dtype: Any) -> Coded:
    levels = sorted(distinct)
    position = {level: code for code, level in enumerate(levels)}
    codes = np.fromiter(map(position.__getitem__, rows), np.int64, len(rows))
    return Coded(np.asarray(levels, dtype=dtype), codes)


def label_codes(labels: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Return the sorted distinct labels of a vector and the position of each row's among them.

    The same as ``numpy.unique(labels, return_inverse=True)``, but quicker for whole numbers that
    lie close together and for text. The codes may be `labels` itself: do not write into them.

    Examples
    --------
    >>> import numpy as np
    >>> label_codes(np.array([3, 1, 3]))
    (array([1, 3]), array([1, 0, 1]))
    """
    coded = quick_codes(labels)
    if coded is not None:
        return coded
    try:
        return np.unique(labels, return_inverse=True)
    except TypeError as error:
        kinds = sorted({type(label).__name__ for label in labels.flat})
        raise TypeError(
            f"Labels must be uniformly strings or numbers. Got {', '.join(kinds)}."
        ) from error


def quick_codes(labels: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp]] | None:
    """Return what `label_codes` does for labels that are surely classes, otherwise None.

    Those are text, booleans and integers, and floats that are whole numbers close together; None
    for what is no vector, is empty, or holds NaN, infinity, fractions or objects other than text.
    """
    if labels.ndim != 1 or labels.size == 0:
        return None
    coded = None
    if labels.dtype.kind in "biu":
        coded = code_integers(labels)
    elif labels.dtype.kind == "f":
        coded = _code_whole(labels)
    elif labels.dtype.kind in "OU":
        rows = labels.tolist()
        distinct = _distinct_texts(rows)
        coded = None if distinct is None else _code_by_table(rows, distinct, labels.dtype)
    if coded is None:
        return None
    coded = coded.compressed()
    return coded.levels, coded.codes.astype(np.intp, copy=False)


def _distinct_texts(rows: list[Any]) -> set[str] | None:
    try:
        distinct = set(rows)
    except TypeError:  # lists, for example
        return None
    return distinct if all(isinstance(text, str) for text in distinct) else None


def _code_whole(array: NDArray[Any]) -> Coded | None:
    """Code floats if they are whole numbers that lie close together."""
    low, high = float(array.min()), float(array.max())
    if not (abs(low) < 2**53 and abs(high) < 2**53 and _is_close(low, high, len(array))):
        return None
    whole = array.astype(np.int64)
    if not np.array_equal(whole, array):
        return None
    coded = code_integers(whole)
    return Coded(coded.levels.astype(array.dtype), coded.codes)
