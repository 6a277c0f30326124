"""What kind of target an array holds."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["type_of_target"]


def type_of_target(y: Any, input_name: str = "y") -> str:
    """Return the kind of target that `y` holds, in scikit-learn's words.

    Parameters
    ----------
    y : array-like or sparse matrix
        The target.
    input_name : str, default="y"
        What messages call it.

    Returns
    -------
    str
        "binary" (at most two values), "multiclass", "continuous" (floats that are not all whole),
        "multilabel-indicator" (two or more columns of at most two whole values), and with more
        than one column "multiclass-multioutput" or "continuous-multioutput"; "unknown" otherwise.

    Examples
    --------
    >>> from gramian.multiclass import type_of_target
    >>> type_of_target(["a", "b", "a"]), type_of_target([1, 2, 3]), type_of_target([0.5, 1.0])
    ('binary', 'multiclass', 'continuous')
    """
    array = _as_label_array(y)
    if array.ndim not in (1, 2):
        return "unknown"
    if array.size == 0:
        return "binary" if array.ndim == 1 else "unknown"
    if array.dtype.kind == "O" and not isinstance(array.flat[0], str):
        return "unknown"
    is_multi = array.ndim == 2 and array.shape[1] > 1
    suffix = "-multioutput" if is_multi else ""
    if array.dtype.kind == "f" and not _all_whole(array):
        if not np.isfinite(array).all():
            raise ValueError(f"Input {input_name} contains NaN or infinity.")
        return f"continuous{suffix}"
    n_values = len(np.unique(array))
    if is_multi and n_values <= 2 and array.dtype.kind in "biuf":
        return "multilabel-indicator"
    return f"multiclass{suffix}" if n_values > 2 or is_multi else "binary"


def _as_label_array(y: Any) -> NDArray[Any]:
    if hasattr(y, "toarray"):
        dense: NDArray[Any] = y.toarray()
        return dense
    is_sequence = isinstance(y, Sequence) or hasattr(y, "__array__")
    if not is_sequence or isinstance(y, (str, bytes)):
        raise ValueError(f"Expected array-like (array or non-string sequence), got {y!r}")
    try:
        array = np.asarray(y)
    except ValueError:  # rows of different lengths
        array = np.asarray(y, dtype=object)
    first = array.flat[0] if array.size else None
    if isinstance(first, bytes):
        raise TypeError(
            "Labels represented as bytes are not supported. Convert the labels to a string or "
            "integer format."
        )
    if array.dtype.kind == "O" and isinstance(first, Sequence) and not isinstance(first, str):
        raise ValueError(
            "You appear to be using a legacy multi-label data representation: a sequence of "
            "sequences. Use a binary array or a sparse matrix with one column for each label."
        )
    return array


def _all_whole(array: NDArray[Any]) -> bool:
    with np.errstate(invalid="ignore"):
        return bool(np.array_equal(array, np.trunc(array)))
