"""Weights that even out classes of unlike sizes."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._class_weight import class_weights
from gramian._composition import Entries
from gramian._typing import Floats
from gramian.params import Mappings, Nothing, OneOf, check_arguments
from gramian.validation import check_sample_weight, check_sparse, column_or_1d, is_sparse

__all__ = ["compute_class_weight", "compute_sample_weight"]


_WEIGHT = Mappings() | OneOf("balanced") | Nothing()


def compute_class_weight(
    class_weight: Any, *, classes: Any, y: Any, sample_weight: Any = None
) -> Floats:
    """Return the weight of each class.

    Parameters
    ----------
    class_weight : dict, "balanced" or None
        Weight by class, 1 for those not named; "balanced" gives all classes the same total weight,
        ``n_samples / (n_classes * n_samples_of_class)``; None gives ones.
    classes : ndarray of shape (n_classes,)
        The classes.
    y : array-like of shape (n_samples,)
        The class of each row.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows, for "balanced".

    Returns
    -------
    ndarray of shape (n_classes,)

    Examples
    --------
    >>> import numpy as np
    >>> from gramian.utils import compute_class_weight
    >>> y = [1, 1, 1, 1, 0, 0]
    >>> compute_class_weight("balanced", classes=np.unique(y), y=y)
    array([1.5 , 0.75])
    """
    check_arguments("compute_class_weight", class_weight=(class_weight, _WEIGHT))
    names, labels = np.asarray(classes), column_or_1d(y)
    by_name = np.argsort(names, kind="stable")
    places = np.searchsorted(names, labels, sorter=by_name)
    codes = by_name[np.minimum(places, len(names) - 1)]
    if len(names) == 0 or (names[codes] != labels).any():
        raise ValueError("classes should include all valid labels that can be in y")
    if isinstance(class_weight, Mapping) and not class_weight:
        return np.ones(len(names))
    if class_weight == "balanced" and len(np.unique(codes)) < len(names):
        raise ValueError("classes should have valid labels that are in y")
    weight = None if sample_weight is None else check_sample_weight(sample_weight, labels)
    return class_weights(class_weight, names, codes, weight)


def compute_sample_weight(class_weight: Any, y: Any, *, indices: Any = None) -> Floats:
    """Return the weight of each row by its class.

    Parameters
    ----------
    class_weight : dict, list of dicts, "balanced" or None
        As in `compute_class_weight`; for several targets a list with an entry for each, or
        "balanced".
    y : array-like or sparse matrix of shape (n_samples,) or (n_samples, n_outputs)
        The class of each row. The weights of several targets are multiplied.
    indices : array-like of int, optional
        Rows of a subsample, in which the classes are counted, for "balanced"; a class that is not
        in it has the weight 0.

    Returns
    -------
    ndarray of shape (n_samples,)

    Examples
    --------
    >>> from gramian.utils import compute_sample_weight
    >>> compute_sample_weight("balanced", [1, 1, 1, 1, 0, 0])
    array([0.75, 0.75, 0.75, 0.75, 1.5 , 1.5 ])
    """
    check_arguments("compute_sample_weight", class_weight=(class_weight, _WEIGHT | Entries("dict")))
    target = check_sparse(y, "y").toarray() if is_sparse(y) else np.atleast_1d(y)
    columns = target.reshape(-1, 1) if target.ndim == 1 else target
    n_outputs = columns.shape[1]
    if indices is not None and class_weight != "balanced":
        raise ValueError(
            f"The only valid class_weight for subsampling is 'balanced'. Given {class_weight}."
        )
    if n_outputs > 1:
        _require_weight_of_each(class_weight, n_outputs)
    weights = np.ones(len(columns))
    for k, column in enumerate(columns.T):
        own = class_weight[k] if isinstance(class_weight, (list, tuple)) else class_weight
        weights *= _weights_of_column(own, column, indices)
    return weights


def _require_weight_of_each(class_weight: Any, n_outputs: int) -> None:
    if class_weight is None or isinstance(class_weight, Mapping):
        raise ValueError(
            "For multi-output, class_weight should be a list of dicts, or the string 'balanced'."
        )
    if isinstance(class_weight, (list, tuple)) and len(class_weight) != n_outputs:
        raise ValueError(
            "For multi-output, number of elements in class_weight should match number of outputs. "
            f"Got {len(class_weight)} element(s) while having {n_outputs} outputs."
        )


def _weights_of_column(class_weight: Any, labels: NDArray[Any], indices: Any) -> Floats:
    """Return the weight of each row by one target."""
    classes, codes = np.unique(labels, return_inverse=True)
    if indices is None:
        return compute_class_weight(class_weight, classes=classes, y=labels)[codes]
    seen, places = np.unique(codes[np.asarray(indices)], return_inverse=True)
    weights = np.zeros(len(classes))
    weights[seen] = compute_class_weight(class_weight, classes=seen, y=seen[places])
    return weights[codes]
