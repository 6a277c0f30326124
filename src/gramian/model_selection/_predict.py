"""Predictions for each row by a model that has not seen it."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._rows import indexable, rows_of_params, split_rows
from gramian.base import clone, is_classifier
from gramian.exceptions import InvalidParameterError
from gramian.model_selection._arguments import check_arguments
from gramian.model_selection._fit_score import fit_rows
from gramian.model_selection._parallel import run_all
from gramian.model_selection._routes import route_params
from gramian.model_selection._split_base import Indices, as_labels
from gramian.model_selection._split_leave import check_cv
from gramian.validation import check_consistent_length, n_samples_of


def cross_val_predict(
    estimator: Any,
    X: Any,
    y: Any = None,
    *,
    groups: Any = None,
    cv: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
    params: dict[str, Any] | None = None,
    pre_dispatch: Any = "2*n_jobs",
    method: str = "predict",
) -> Any:
    """Return for each row the prediction of the model for whose test part it was left out.

    Parameters
    ----------
    estimator : estimator
        Cloned for each split; the one given stays as it is.
    X : table, array or sparse matrix of shape (n_samples, n_features)
        The data.
    y : array-like of shape (n_samples,) or (n_samples, n_outputs), optional
        The target.
    groups : array-like of shape (n_samples,), optional
        The group of each row, for splitters of groups.
    cv : int, splitter, iterable of (train, test) or None, default=None
        As for `cross_validate`; each row must be in exactly one test part.
    n_jobs, verbose, params, pre_dispatch
        As for `cross_validate`.
    method : {"predict", "predict_proba", "predict_log_proba", "decision_function"}
        What to ask of the models. The columns are all classes in sorted order, also those that a
        training part lacks.

    Returns
    -------
    ndarray or sparse matrix of shape (n_samples,) or (n_samples, ...), or a list of such arrays
        A list for the probabilities of several outputs.

    Examples
    --------
    >>> from gramian.datasets import load_diabetes
    >>> from gramian.linear_model import Ridge
    >>> from gramian.model_selection import cross_val_predict
    >>> X, y = load_diabetes(return_X_y=True)
    >>> cross_val_predict(Ridge(), X, y).shape
    (442,)
    """
    check_arguments(
        "cross_val_predict",
        estimator=estimator,
        n_jobs=n_jobs,
        verbose=verbose,
        params=params,
        pre_dispatch=pre_dispatch,
        method=method,
    )
    if not hasattr(estimator, "predict"):
        raise InvalidParameterError(
            "The 'estimator' parameter of cross_val_predict must be an object implementing 'fit' "
            f"and 'predict'. Got {estimator!r} instead."
        )
    X, y = indexable(X), indexable(y, "y")
    check_consistent_length(X, y)
    splitter = check_cv(cv, y, classifier=is_classifier(estimator))
    routed = route_params(
        "cross_val_predict", params, groups, estimator=estimator, splitter=splitter
    )
    splits = [
        (np.asarray(train), np.asarray(test))
        for train, test in splitter.split(X, y, **routed["splitter"]["split"])
    ]
    order = _order_of_rows([test for _, test in splits], n_samples_of(X))
    encodes = method != "predict" and y is not None and not hasattr(y, "toarray")
    y = _encoded(as_labels(y, "y")) if encodes else y
    parts = run_all(
        _fit_and_predict,
        ((clone(estimator), (X, y), split, routed["estimator"]["fit"], method) for split in splits),
        n_jobs=n_jobs,
        verbose=verbose,
        pre_dispatch=pre_dispatch,
    )
    return _in_order(parts, order)


def _order_of_rows(tests: list[Indices], n_samples: int) -> Indices:
    """Return where each row is in the concatenated test parts."""
    rows = np.concatenate([np.flatnonzero(t) if t.dtype == bool else t for t in tests])
    order = np.full(n_samples, -1, dtype=np.intp)
    if len(rows) == n_samples:
        order[rows] = np.arange(n_samples)
    if np.any(order < 0):
        raise ValueError("cross_val_predict only works for partitions")
    return order


def _encoded(y: NDArray[Any]) -> NDArray[np.intp]:
    """Return the numbers of the classes, in each column for itself."""
    columns = y.reshape(len(y), -1).T
    codes = np.column_stack([np.unique(column, return_inverse=True)[1] for column in columns])
    return codes.reshape(y.shape)


def _in_order(parts: list[Any], order: Indices) -> Any:
    first = parts[0]
    if hasattr(first, "toarray"):
        from scipy.sparse import vstack

        return vstack(parts, format=first.format)[order]
    if isinstance(first, list):
        return [np.concatenate(label)[order] for label in zip(*parts, strict=True)]
    return np.concatenate(parts)[order]


def _fit_and_predict(
    estimator: Any,
    data: tuple[Any, Any],
    split: tuple[Indices, Indices],
    params: dict[str, Any],
    method: str,
) -> Any:
    X, y = data
    train, test = split
    fit_params = rows_of_params(X, params, train)
    fit_rows(estimator.fit, split_rows(estimator, X, y, train), fit_params)
    X_test, _ = split_rows(estimator, X, None, test, train)
    predicted = getattr(estimator, method)(X_test)
    if method == "predict" or not isinstance(y, np.ndarray):
        return predicted
    if isinstance(predicted, list):
        return [
            _all_classes(classes, label, len(np.unique(y[:, column])), method)
            for column, (classes, label) in enumerate(
                zip(estimator.classes_, predicted, strict=True)
            )
        ]
    n_classes = len(np.unique(y)) if y.ndim == 1 else y.shape[1]
    return _all_classes(estimator.classes_, predicted, n_classes, method)


def _all_classes(classes: Any, predicted: NDArray[Any], n_classes: int, method: str) -> Any:
    """Return the response with a column for every class, also those the training part lacks."""
    n_known = len(classes)
    if n_known == n_classes:
        return predicted
    advice = "To fix this, use a cross-validation technique resulting in properly stratified folds"
    warnings.warn(
        f"Number of classes in training fold ({n_known}) does not match total number of classes "
        f"({n_classes}). Results may not be appropriate for your use case. {advice}",
        RuntimeWarning,
        stacklevel=2,
    )
    if method == "decision_function":
        if predicted.ndim == 2 and predicted.shape[1] != n_known:
            raise ValueError(
                f"Output shape {predicted.shape} of {method} does not match number of classes "
                f"({n_known}) in fold. Irregular decision_function outputs are not currently "
                "supported by cross_val_predict"
            )
        if n_known <= 2:
            raise ValueError(
                f"Only {n_known} class/es in training fold, but {n_classes} in overall dataset. "
                f"This is not supported for decision_function with imbalanced folds. {advice}"
            )
    lowest = 0 if method == "predict_proba" else np.finfo(predicted.dtype).min
    complete = np.full((len(predicted), n_classes), lowest, dtype=predicted.dtype)
    complete[:, classes] = predicted
    return complete
