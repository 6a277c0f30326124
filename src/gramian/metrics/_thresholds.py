"""Labels of two classes and scores, read once, and what the native core counts in them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._labels import at_most_two, positive_label, type_of_target
from gramian._typing import Floats
from gramian.config import core_context
from gramian.validation import (
    check_array,
    check_consistent_length,
    check_sample_weight,
    column_or_1d,
)

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Counts:
    """Weights of the rows that reach each threshold, from the highest on."""

    fps: Floats
    tps: Floats
    thresholds: NDArray[Any]

    def take(self, kept: Mask) -> "Counts":
        """Return the counts at some of the thresholds."""
        return Counts(self.fps[kept], self.tps[kept], self.thresholds[kept])


def count_at_thresholds(
    y_true: Any, y_score: Any, pos_label: Any = None, sample_weight: Any = None
) -> Counts:
    """Check labels and scores, and count at every distinct score.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes, or of more if `pos_label` is given.
    y_score : array-like of shape (n_samples,)
        Scores, high for the positive class.
    pos_label : int, float, bool or str, optional
        The positive class; 1 by default if the others are 0 or -1.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows; a row of weight zero is as good as absent.
    """
    kind = target_kind(y_true)
    if kind != "binary" and (kind != "multiclass" or pos_label is None):
        raise ValueError(f"{kind} format is not supported")
    labels = column_or_1d(y_true, input_name="y_true")
    if pos_label is None:
        pos_label = positive_label(labels)
    scores = check_array(
        column_or_1d(y_score, input_name="y_score"),
        dtype="numeric",
        ensure_2d=False,
        ensure_min_samples=0,
        input_name="y_score",
    )
    check_consistent_length(labels, scores, sample_weight)
    if len(scores) == 0:
        raise ValueError("Found empty y_true and y_score: at least one row is needed for a curve.")
    return _count(scores, is_label(labels, pos_label), check_weight(sample_weight, labels))


def _count(scores: NDArray[Any], positive: Mask, weight: Floats | None) -> Counts:
    native, restore = native_scores(scores)
    native = np.ascontiguousarray(native)
    fps, tps, thresholds = np.empty(len(native)), np.empty(len(native)), np.empty_like(native)
    n_thresholds = _core.threshold_counts(
        native,
        np.ascontiguousarray(positive).view(np.uint8),
        weight,
        thresholds=thresholds,
        fps=fps,
        tps=tps,
        ctx=core_context(),
    )
    kept = slice(n_thresholds)
    return Counts(fps[kept].copy(), tps[kept].copy(), restore(thresholds[kept].copy()))


def roc_areas(
    scores: NDArray[Any], positive: Mask, weight: Floats | None = None, max_fpr: float = 1.0
) -> Floats:
    """Return the area under the ROC curve of each row of `scores`, NaN without both classes.

    Parameters
    ----------
    scores, positive : ndarray of shape (n_problems, n_samples)
        Finite scores, and which belong to the positive class.
    weight : ndarray of shape (n_samples,), optional
        Weights, the same for every problem.
    max_fpr : float, default=1.0
        The false positive rate at which the area ends.
    """
    areas = np.empty(len(scores))
    _core.roc_areas(
        native_scores(scores)[0],
        positive.view(np.uint8),
        weight,
        max_fpr=max_fpr,
        out=areas,
        ctx=core_context(),
    )
    return areas


def average_precisions(
    scores: NDArray[Any], positive: Mask, weight: Floats | None = None
) -> Floats:
    """Return the average precision of each row of `scores`, NaN without positives.

    The parameters are those of `roc_areas`.
    """
    precisions = np.empty(len(scores))
    _core.average_precisions(
        native_scores(scores)[0],
        positive.view(np.uint8),
        weight,
        out=precisions,
        ctx=core_context(),
    )
    return precisions


def native_scores(scores: NDArray[Any]) -> tuple[NDArray[Any], Callable[[Any], Any]]:
    """Return scores in a type that the core sorts, ties and order kept, and the way back."""
    dtype = scores.dtype
    if dtype in (np.float64, np.float32, np.int64):
        return scores, lambda thresholds: thresholds
    if dtype.kind == "b" or (dtype.kind in "iu" and np.can_cast(dtype, np.int64)):
        return scores.astype(np.int64), lambda thresholds: thresholds.astype(dtype)
    if dtype == np.float16:
        return scores.astype(np.float32), lambda thresholds: thresholds.astype(dtype)
    levels, codes = np.unique(scores, return_inverse=True)
    return codes.reshape(scores.shape).astype(np.int64), lambda thresholds: levels[thresholds]


def check_weight(sample_weight: Any, y: Any) -> Floats | None:
    """Return the weights as the core takes them, None if there are none."""
    if sample_weight is None:
        return None
    weight = column_or_1d(sample_weight, input_name="sample_weight")
    checked = check_sample_weight(weight, y, ensure_non_negative=False)
    return np.ascontiguousarray(checked, dtype=np.float64)


def target_kind(y_true: Any) -> str:
    """Return `type_of_target`, at once for whole numbers of at most two values."""
    if isinstance(y_true, np.ndarray) and y_true.ndim == 1 and y_true.dtype.kind in "biu":
        labels = at_most_two(y_true)
        if labels is not None:
            return "binary"
    return type_of_target(y_true, "y_true")


def is_label(labels: NDArray[Any], label: Any) -> Mask:
    """Return where the labels are the given one."""
    if isinstance(label, str) != (labels.dtype.kind in "UT") and labels.dtype.kind != "O":
        return np.zeros(len(labels), dtype=np.bool_)  # text never equals a number
    return np.asarray(labels == label, dtype=np.bool_)
