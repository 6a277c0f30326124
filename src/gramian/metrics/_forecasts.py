"""Predicted probabilities with the classes that they are of."""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._labels import as_label_array, type_of_target
from gramian._typing import AnyFloats
from gramian.validation import (
    check_array,
    check_consistent_length,
    check_sample_weight,
    column_or_1d,
)

__all__ = ["AnyFloats", "Forecast", "probabilities", "read_binary", "read_classes"]


@dataclass(frozen=True)
class Forecast:
    """Probabilities of the classes, shape (n_samples, n_classes), and the class of each row.

    The classes are the columns of an indicator matrix, or one number for each row.
    """

    true: NDArray[Any]
    proba: AnyFloats

    @property
    def _is_indicator(self) -> bool:
        return self.true.ndim == 2

    def log_losses(self) -> AnyFloats:
        """Return -log p of the true class of each row."""
        eps = np.finfo(self.proba.dtype).eps
        if self._is_indicator:
            logarithms = np.log(np.clip(self.proba, eps, 1 - eps))
            result: AnyFloats = -np.sum(np.where(self.true != 0, self.true * logarithms, 0), axis=1)
            return result
        rows = np.arange(len(self.true))
        result = -np.log(np.clip(self.proba[rows, self.true], eps, 1 - eps))
        return result

    def squared_losses(self) -> AnyFloats:
        """Return Σ (1[class is true] - p)² of each row."""
        if self._is_indicator:
            difference = self.true - self.proba
        else:
            difference = self.proba.copy()
            difference[np.arange(len(self.true)), self.true] -= 1
        result: AnyFloats = np.sum(difference**2, axis=1)
        return result

    def null(self, weight: Any) -> "Forecast":
        """Return the forecast that gives every row the fractions of the classes."""
        if self._is_indicator:
            fraction = np.average(self.true, axis=0, weights=weight)
        else:
            fraction = np.bincount(self.true, weights=weight, minlength=self.proba.shape[1])
            fraction = fraction / fraction.sum()
        return Forecast(self.true, np.broadcast_to(fraction, self.proba.shape))


def probabilities(y_proba: Any) -> AnyFloats:
    proba: AnyFloats = check_array(y_proba, ensure_2d=False, input_name="y_proba")
    return proba


def _require_probabilities(proba: AnyFloats) -> None:
    if proba.max() > 1:
        raise ValueError(f"y_prob contains values greater than 1: {proba.max()}")
    if proba.min() < 0:
        raise ValueError(f"y_prob contains values less than 0: {proba.min()}")


# -- several classes -------------------------------------------------------------------------------


def read_classes(y_true: Any, proba: AnyFloats, sample_weight: Any, labels: Any) -> Forecast:
    """Return probabilities with one column for each label in sorted order."""
    _require_probabilities(proba)
    check_consistent_length(proba, y_true, sample_weight)
    if sample_weight is not None:
        check_sample_weight(sample_weight, proba, ensure_non_negative=False)
    true, classes = _encode(y_true, labels)
    if proba.ndim == 1:
        proba = proba[:, None]
    if proba.shape[1] == 1:
        proba = np.concatenate([1 - proba, proba], axis=1)
    tolerance = np.sqrt(np.finfo(proba.dtype).eps)
    if not np.allclose(np.sum(proba, axis=1), 1, rtol=tolerance):
        warnings.warn(
            "The y_prob values do not sum to one. Make sure to pass probabilities.",
            UserWarning,
            stacklevel=3,
        )
    if len(classes) != proba.shape[1]:
        if labels is None:
            raise ValueError(
                f"y_true and y_prob contain different number of classes: {len(classes)} vs "
                f"{proba.shape[1]}. Please provide the true labels explicitly through the labels "
                f"argument. Classes found in y_true: {classes}"
            )
        raise ValueError(
            "The number of classes in labels is different from that in y_prob. Classes found in "
            f"labels: {classes}"
        )
    return Forecast(true, proba)


def _encode(y_true: Any, labels: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the class of each row as a number (or the indicator matrix), and the classes."""
    array = as_label_array(y_true)
    kind = type_of_target(array, "y_true")
    if kind == "multilabel-indicator" and labels is None:
        return array, np.arange(array.shape[1])
    if kind not in ("binary", "multiclass"):
        what = "Multioutput" if "multioutput" in kind else kind.capitalize()
        raise ValueError(f"{what} target data is not supported: y_true must hold labels.")
    array = column_or_1d(array)
    if labels is None:
        classes, codes = np.unique(array, return_inverse=True)
        if len(classes) == 1:
            raise ValueError(
                f"y_true contains only one label ({classes[0]}). Please provide the list of all "
                "expected class labels explicitly through the labels argument."
            )
        return codes, classes
    classes = _sorted_labels(labels)
    unknown = set(array.tolist()) - set(classes.tolist())
    if unknown:
        raise ValueError(
            f"y_true contains values {unknown} not belonging to the passed labels {labels}."
        )
    if len(classes) == 1:
        raise ValueError(f"The labels array needs to contain at least two labels, got {classes}.")
    return classes.searchsorted(array), classes


def _sorted_labels(labels: Any) -> NDArray[Any]:
    given = column_or_1d(as_label_array(labels), input_name="labels")
    classes = np.unique(given)
    if not np.array_equal(classes, given):
        warnings.warn(
            f"Labels passed were {labels}. But this function assumes labels are ordered "
            f"lexicographically. Pass the ordered labels={classes.tolist()} and ensure that the "
            "columns of y_prob correspond to this ordering.",
            UserWarning,
            stacklevel=5,
        )
    return classes


# -- two classes -----------------------------------------------------------------------------------


def read_binary(y_true: Any, proba: AnyFloats, sample_weight: Any, pos_label: Any) -> Forecast:
    """Return a forecast of the probabilities of a positive class alone."""
    array = column_or_1d(y_true, input_name="y_true")
    proba = column_or_1d(proba, input_name="y_proba")
    check_consistent_length(proba, array, sample_weight)
    if sample_weight is not None:
        check_sample_weight(sample_weight, proba, ensure_non_negative=False)
    kind = type_of_target(array, "y_true")
    if kind != "binary":
        raise ValueError(
            f"The type of the target inferred from y_true is {kind} but should be binary according "
            "to the shape of y_prob."
        )
    _require_probabilities(proba)
    positive = _positive_label(array, pos_label)
    is_positive = np.asarray(array == positive, dtype=np.int64)
    return Forecast(is_positive, np.stack((1 - proba, proba), axis=1))


def _positive_label(y_true: NDArray[Any], pos_label: Any) -> Any:
    """Return the given positive class, or the larger of two numbers; text must be given."""
    if pos_label is not None:
        return pos_label
    classes = np.unique(y_true)
    if classes.dtype.kind in "OUST":
        shown = ", ".join(repr(label) for label in classes.tolist())
        raise ValueError(
            f"y_true takes value in {{{shown}}} and pos_label is not specified: either make y_true "
            "take value in {0, 1} or {-1, 1} or pass pos_label explicitly."
        )
    return 1 if set(classes.tolist()) <= {0, 1} or set(classes.tolist()) <= {-1, 1} else classes[-1]
