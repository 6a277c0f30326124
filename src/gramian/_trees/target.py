"""What trees are fitted to: targets by class or number, weights of rows, and constraints."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._class_weight import class_weights
from gramian._labels import check_classification_targets
from gramian._trees.grow import TreeTarget
from gramian._typing import Floats

__all__ = ["check_counts", "class_target", "monotone_signs", "number_target", "weights_of_rows"]


def class_target(y: NDArray[Any]) -> tuple[list[NDArray[Any]], TreeTarget]:
    """Return the classes of each output, and the target by their numbers.

    Parameters
    ----------
    y : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        Labels.
    """
    check_classification_targets(y)
    found = [np.unique(column, return_inverse=True) for column in y.reshape(len(y), -1).T]
    classes = [labels for labels, _ in found]
    codes = np.column_stack([numbers.reshape(-1) for _, numbers in found]).astype(np.int32)
    n_classes = np.array([len(labels) for labels in classes], dtype=np.int32)
    return classes, TreeTarget(labels=codes, n_classes=n_classes)


def number_target(y: NDArray[Any]) -> TreeTarget:
    """Return the target of a regression.

    Parameters
    ----------
    y : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        Numbers.
    """
    return TreeTarget(values=np.ascontiguousarray(y.reshape(len(y), -1), dtype=np.float64))


def check_counts(y: NDArray[Any], required: str = "positive") -> None:
    """Raise ValueError unless all numbers are at least zero and one is larger.

    Parameters
    ----------
    y : ndarray
        The target of a Poisson regression.
    required : str, default="positive"
        What the message says their sum must be; scikit-learn's forests and trees differ there.
    """
    if (y < 0).any():
        raise ValueError(
            "Some value(s) of y are negative which is not allowed for Poisson regression."
        )
    if not (y > 0).any():
        raise ValueError(f"Sum of y is not {required} which is necessary for Poisson regression.")


def weights_of_rows(
    class_weight: Any,
    classes: list[NDArray[Any]],
    target: TreeTarget,
    sample_weight: Floats | None,
) -> Floats | None:
    """Return each row's weight times the weights of its classes in all outputs.

    Parameters
    ----------
    class_weight : dict, list of dict, "balanced" or None
        Weights of the classes.
    classes : list of ndarray
        The classes of each output.
    target : TreeTarget
        Numbers of the classes.
    sample_weight : ndarray of shape (n_samples,) or None
        Weights of the rows.
    """
    if class_weight is None:
        return sample_weight
    n_outputs = len(classes)
    is_list = not isinstance(class_weight, (str, dict))
    if n_outputs > 1 and isinstance(class_weight, dict):
        raise ValueError(
            "For multi-output, class_weight should be a list of dicts, or the string 'balanced'."
        )
    if is_list and n_outputs == 1:
        raise ValueError(
            "A list of class_weight is for several outputs, and y has one: pass a dict or "
            f"'balanced'. Got {class_weight!r}."
        )
    if is_list and len(class_weight) != n_outputs:
        raise ValueError(
            "For multi-output, number of elements in class_weight should match number of outputs. "
            f"Got {len(class_weight)} element(s) while having {n_outputs} outputs."
        )
    weights = sample_weight
    for k, labels in enumerate(classes):
        numbers = target.array[:, k].astype(np.intp)
        by_class = class_weight[k] if is_list else class_weight
        of_classes = class_weights(by_class, labels, numbers, sample_weight)
        if not (of_classes >= 0).all():
            raise ValueError(f"class_weight must not be negative. Got {by_class!r}.")
        factor = of_classes[numbers]
        weights = factor if weights is None else weights * factor
    return weights


def monotone_signs(
    monotonic_cst: Any, target: TreeTarget, n_levels: NDArray[np.int32], n_features: int
) -> NDArray[np.int8] | None:
    """Return monotonic constraints, checked, as the grower takes them.

    Parameters
    ----------
    monotonic_cst : array-like of shape (n_features,) or None
        -1, 0 or 1 for each column.
    target : TreeTarget
        The target: a constraint needs one output, of numbers or of two classes.
    n_levels : ndarray of shape (n_columns,)
        Columns of levels have no order that a constraint could be about.
    n_features : int
        Number of features; the columns after them, read in text, are free.
    """
    if monotonic_cst is None:
        return None
    if target.n_outputs > 1:
        raise ValueError("Monotonicity constraints are not supported with multiple outputs.")
    signs = np.asarray(monotonic_cst)
    if signs.shape != (n_features,):
        raise ValueError(
            f"monotonic_cst has shape {signs.shape[0]} but the input data X has "
            f"{n_features} features."
        )
    signs = np.append(signs, np.zeros(len(n_levels) - n_features, signs.dtype))
    if not np.isin(signs, (-1, 0, 1)).all():
        raise ValueError(
            f"monotonic_cst must be None or an array-like of -1, 0 or 1, but got {np.unique(signs)}"
        )
    if ((signs != 0) & (n_levels > 0)).any():
        columns = np.flatnonzero((signs != 0) & (n_levels > 0)).tolist()
        raise ValueError(
            f"monotonic_cst constrains the columns {columns}, which hold levels without an "
            "order. Use an ordered categorical, or 0."
        )
    if target.n_classes is None:
        return signs.astype(np.int8)
    if target.n_classes[0] > 2:
        raise ValueError(
            "Monotonicity constraints are not supported with multiclass classification"
        )
    return -signs.astype(np.int8)  # the native constraint is on the share of the first class
