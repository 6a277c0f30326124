"""What estimators with ``partial_fit`` share: later rows, and classes that are known beforehand."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._labels import unique_labels
from gramian.validation import (
    FitData,
    check_consistent_length,
    check_predict,
    check_sample_weight,
    check_y,
)


def further_rows(
    model: Any, X: Any, y: Any, sample_weight: Any, *, y_numeric: bool = False, **options: Any
) -> FitData:
    """Check the rows of a later call of ``partial_fit`` against those of the first."""
    rows = check_predict(model, X, **options)
    target = check_y(y, y_numeric=y_numeric, estimator=model)
    check_consistent_length(rows, target)
    weight = None if sample_weight is None else check_sample_weight(sample_weight, rows)
    return FitData(rows, target, weight)


def known_classes(model: Any, classes: Any) -> NDArray[Any]:
    """Return the classes: those of the first call, in which they must be given."""
    seen: NDArray[Any] | None = getattr(model, "classes_", None)
    if classes is None:
        if seen is None:
            raise ValueError("classes must be passed on the first call to partial_fit.")
        return seen
    given: NDArray[Any] = unique_labels(classes)
    if seen is not None and not np.array_equal(seen, given):
        raise ValueError(
            f"`classes={classes!r}` is not the same as on last call to partial_fit, was: {seen!r}"
        )
    return given


def codes_of_known(y: NDArray[Any], classes: NDArray[Any]) -> NDArray[np.intp]:
    """Return the position of each row's class among the sorted classes; others raise."""
    codes = np.searchsorted(classes, y).clip(max=len(classes) - 1)
    if (classes[codes] != y).any():
        unknown = np.setdiff1d(y, classes).tolist()
        raise ValueError(
            f"The target label(s) {unknown} in y do not exist in the initial classes {classes}."
        )
    return codes
