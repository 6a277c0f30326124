"""Weights of classes, and of rows by their class."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._typing import Floats


def class_weights(
    class_weight: Any, classes: NDArray[Any], codes: NDArray[np.intp], sample_weight: Floats | None
) -> Floats:
    """Return the weight of each class.

    Parameters
    ----------
    class_weight : dict, "balanced" or None
        Weight by class, 1 for those not named. "balanced" gives all classes the same total:
        ``W / (n_classes * W_k)`` with the weight W of all rows and W_k of those of class k.
    classes : ndarray of shape (n_classes,)
        The classes.
    codes : ndarray of shape (n_samples,)
        Position of each row's class in `classes`.
    sample_weight : ndarray of shape (n_samples,), optional
        Weights of the rows, counted by "balanced".
    """
    if class_weight is None:
        return np.ones(len(classes))
    if isinstance(class_weight, str):
        if class_weight != "balanced":
            raise ValueError(
                f"class_weight must be a dict, 'balanced' or None. Got {class_weight!r}."
            )
        counts = np.bincount(codes, sample_weight, len(classes)).astype(np.float64)
        if (counts == 0).any():
            missing = classes[counts == 0].tolist()
            raise ValueError(
                f"class_weight='balanced' needs rows of every class; none of {missing}."
            )
        weights: Floats = counts.sum() / (len(classes) * counts)
        return weights
    if not isinstance(class_weight, Mapping):
        raise ValueError(f"class_weight must be a dict, 'balanced' or None. Got {class_weight!r}.")
    known = classes.tolist()
    missing = [label for label in known if label not in class_weight]
    if missing and len(known) - len(missing) < len(class_weight):  # a label spelt otherwise?
        unknown = [label for label in class_weight if label not in known]
        raise ValueError(
            f"The classes, {missing}, are not in class_weight, which names {unknown} instead."
        )
    return np.array([class_weight.get(label, 1.0) for label in known], dtype=np.float64)


def row_weights(
    class_weight: Any, classes: NDArray[Any], codes: NDArray[np.intp], sample_weight: Floats | None
) -> Floats | None:
    """Return each row's weight times that of its class; None if every row counts once."""
    if class_weight is None:
        return sample_weight
    by_class = class_weights(class_weight, classes, codes, sample_weight)[codes]
    return by_class if sample_weight is None else by_class * sample_weight
