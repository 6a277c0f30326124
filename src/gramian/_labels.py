"""What kind of target an array holds, and which labels occur in it."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._label_codes import label_codes, quick_codes
from gramian.validation import (
    check_sparse,
    is_sparse,
    n_samples_of,
    plain_objects,
    raise_non_finite,
)

_MIN_ROWS = 20  # among fewer, many classes are no sign of a regression
_LABELS_WITHOUT_NAME: tuple[list[int], ...] = (
    [0, 1],
    [-1, 1],
    [0],
    [-1],
    [1],
    [],
)  # whose positive class is clear


def type_of_target(y: Any, input_name: str = "", raise_unknown: bool = False) -> str:
    """Return the kind of target that `y` holds, in scikit-learn's words.

    Parameters
    ----------
    y : array-like or sparse matrix
        The target.
    input_name : str, default=""
        What messages call it.
    raise_unknown : bool, default=False
        Whether to raise ValueError instead of returning "unknown".

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
    values = _values_of_sparse(y, input_name) if is_sparse(y) else as_label_array(y)
    kind = _type_of_array(values, input_name)
    if kind == "unknown" and raise_unknown:
        raise ValueError(f"Unknown label type for {input_name or 'data'}: {y!r}")
    return kind


def check_classification_targets(y: Any) -> None:
    """Raise ValueError unless `y` holds classes.

    Parameters
    ----------
    y : array-like
        The target.

    Examples
    --------
    >>> from gramian.multiclass import check_classification_targets
    >>> check_classification_targets(["yes", "no", "yes"])
    """
    kind = type_of_target(y, input_name="y")
    if kind.startswith("continuous") or kind == "unknown":
        raise ValueError(
            f"Unknown label type: {kind}. Maybe you are trying to fit a classifier, which expects "
            "discrete classes on a regression target with continuous values."
        )
    if kind == "multiclass" and n_samples_of(y) > _MIN_ROWS:
        _warn_of_many(len(distinct_labels(as_label_array(y))), n_samples_of(y))


def _warn_of_many(n_classes: int, n_samples: int) -> None:
    if n_samples > _MIN_ROWS and n_classes > round(n_samples / 2):
        warnings.warn(
            "The number of unique classes is greater than 50% of the number of samples. `y` could "
            "represent a regression problem, not a classification problem.",
            stacklevel=3,
        )


def encode_labels(y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Return the sorted classes of a vector and the position of each row's; others raise.

    The same as `check_classification_targets` and ``numpy.unique``, but most labels are looked at
    once only. The positions may be `y` itself: do not write into them.

    Examples
    --------
    >>> import numpy as np
    >>> encode_labels(np.array(["no", "yes", "no"]))
    (array(['no', 'yes'], dtype='<U3'), array([0, 1, 0]))
    """
    coded = quick_codes(y)
    if coded is None:
        check_classification_targets(y)
        return label_codes(y)
    _warn_of_many(len(coded[0]), len(y))
    return coded


def _type_of_array(array: NDArray[Any], name: str) -> str:
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
            raise_non_finite(array, name or "y")
        return f"continuous{suffix}"
    n_values = len(distinct_labels(array))
    if is_multi and n_values <= 2 and array.dtype.kind in "biuf":
        return "multilabel-indicator"
    return f"multiclass{suffix}" if n_values > 2 or is_multi else "binary"


def unique_labels(*ys: Any) -> NDArray[Any]:
    """Return the sorted labels that occur in any of the targets.

    Parameters
    ----------
    *ys : array-likes
        Targets, all of labels or all label indicator matrices of the same width, for which the
        labels are the numbers of the columns.

    Returns
    -------
    ndarray of shape (n_labels,)

    Examples
    --------
    >>> from gramian.multiclass import unique_labels
    >>> unique_labels([3, 5, 5, 7], [2, 3])
    array([2, 3, 5, 7])
    """
    if not ys:
        raise ValueError("No argument has been passed.")
    kinds = {type_of_target(y) for y in ys}
    if kinds == {"binary", "multiclass"}:
        kinds = {"multiclass"}
    if len(kinds) > 1:
        raise ValueError(f"Mix type of y not allowed, got types {kinds}")
    kind = kinds.pop()
    if kind == "multilabel-indicator":
        widths = {(y if is_sparse(y) else as_label_array(y)).shape[1] for y in ys}
        if len(widths) > 1:
            raise ValueError("Multi-label binary indicator input with different numbers of labels")
        return np.arange(widths.pop())
    if kind not in ("binary", "multiclass"):
        raise ValueError(f"Unknown label type: {ys!r}")
    for y in ys:
        if isinstance(y, list) and len({isinstance(label, str) for label in y}) > 1:
            raise ValueError(f"Mix of label input types (string and number); Got {y}.")
    return merge_labels(*(np.unique(as_label_array(y)) for y in ys))


def merge_labels(*levels: NDArray[Any]) -> NDArray[Any]:
    """Return the sorted union of distinct labels; text and numbers cannot be mixed."""
    merged = {label for values in levels for label in values}
    if len({isinstance(label, str) for label in merged}) > 1:
        shown = " and ".join(str(values) for values in levels)
        raise ValueError(f"Mix of label input types (string and number); Got {shown}.")
    return np.asarray(sorted(merged))


def distinct_labels(labels: NDArray[Any]) -> NDArray[Any]:
    """Return the sorted distinct labels, without a sort of the rows where that can be."""
    few = at_most_two(labels) if labels.dtype.kind in "biuf" else None
    if few is not None:
        return few
    return label_codes(labels)[0] if labels.dtype.kind in "OU" else np.unique(labels)


def at_most_two(labels: NDArray[Any]) -> NDArray[Any] | None:
    """Return the sorted distinct labels if there are at most two, otherwise None."""
    if labels.size == 0:
        return labels
    low, high = labels.min(), labels.max()
    if not ((labels == low) | (labels == high)).all():
        return None
    return np.array([low] if low == high else [low, high], dtype=labels.dtype)


def positive_label(labels: NDArray[Any]) -> int:
    """Return 1 for labels among which it is clearly the positive class; others raise."""
    classes = distinct_labels(labels)
    if classes.dtype.kind in "OUST" or classes.tolist() not in _LABELS_WITHOUT_NAME:
        shown = ", ".join(repr(label) for label in classes.tolist())
        raise ValueError(
            f"y_true takes value in {{{shown}}} and pos_label is not specified: either make y_true "
            "take value in {0, 1} or {-1, 1} or pass pos_label explicitly."
        )
    return 1


def as_label_array(y: Any) -> NDArray[Any]:
    """Return a dense target as an array of any type and dimension.

    Examples
    --------
    >>> as_label_array(["a", "b"])
    array(['a', 'b'], dtype='<U1')
    """
    is_sequence = isinstance(y, Sequence) or hasattr(y, "__array__")
    if not is_sequence or isinstance(y, (str, bytes)):
        raise ValueError(f"Expected array-like (array or non-string sequence), got {y!r}")
    try:
        array = np.asarray(y)
    except ValueError:  # rows of different lengths
        array = np.asarray(y, dtype=object)
    if array.dtype.kind == "O" and hasattr(y, "dtypes"):  # a data frame of nullable numbers
        array = plain_objects(array)
    if array.dtype.kind == "c":
        raise ValueError(f"Complex data not supported\nthe target has dtype {array.dtype}.")
    first = array.flat[0] if array.size else None
    if isinstance(first, bytes):
        raise TypeError(
            "Support for labels represented as bytes is not supported. Convert the labels to a "
            "string or integer format."
        )
    if array.dtype.kind == "O" and isinstance(first, Sequence) and not isinstance(first, str):
        raise ValueError(
            "You appear to be using a legacy multi-label data representation. Sequence of "
            "sequences are no longer supported; use a binary array or sparse matrix instead."
        )
    return array


def _values_of_sparse(y: Any, name: str) -> NDArray[Any]:
    """Return a small dense matrix with as many columns and the same distinct values, and 0."""
    checked = check_sparse(y, name or "y")
    if checked.ndim != 2:
        raise ValueError(
            f"{name or 'y'} is a sparse array of shape {checked.shape}. Use '.toarray()', or pass "
            "a sparse matrix with one column for each label."
        )
    stored = checked.tocsr().data
    values = np.unique(np.append(stored, stored.dtype.type(0)))
    if y.shape[1] < 2 or len(values) == 0:
        return values.reshape(-1, 1)[:, : y.shape[1]]
    return np.resize(values, (len(values), y.shape[1]))


def _all_whole(array: NDArray[Any]) -> bool:
    with np.errstate(invalid="ignore"):
        return bool(np.array_equal(array, np.trunc(array))) and bool(np.isfinite(array).all())
