"""Cross-validation."""

import numbers
import time
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian.base import clone, is_classifier
from gramian.model_selection._rows import take_rows
from gramian.model_selection._scoring import Scorer, find_scorers
from gramian.model_selection._split import Indices, KFold, StratifiedKFold
from gramian.multiclass import type_of_target
from gramian.validation import check_consistent_length

__all__ = ["cross_validate"]


def cross_validate(
    estimator: Any, X: Any, y: Any = None, *, scoring: Any = None, cv: Any = None
) -> dict[str, NDArray[np.float64]]:
    """Fit on each training part, score on its test part, and record the times.

    Parameters
    ----------
    estimator : estimator
        Cloned for each split; the one given stays as it is. An error in its ``fit`` is raised.
    X : table, array or sparse matrix of shape (n_samples, n_features)
        The data. Rows of a data frame are taken by position, whatever its index says.
    y : array-like of shape (n_samples,) or (n_samples, n_outputs), optional
        The target.
    scoring : str, callable, list of str, dict or None, default=None
        What to measure. A name ("r2", "neg_mean_squared_error", "neg_root_mean_squared_error",
        "neg_mean_absolute_error", "accuracy"), a callable of (estimator, X, y) that returns a
        number or a dictionary of numbers, several names, or names with callables. None asks
        the estimator's own ``score``.
    cv : int, splitter, iterable of (train, test) or None, default=None
        A number of folds without shuffling (None is 5; stratified if a classifier's target has
        classes), an object with ``split``, or the row numbers themselves.

    Returns
    -------
    dict of ndarray of shape (n_splits,)
        ``fit_time``, ``score_time`` in seconds, and ``test_score`` (or ``test_<name>`` for each
        of several scores).

    Examples
    --------
    >>> from gramian.datasets import load_diabetes
    >>> from gramian.dummy import DummyRegressor
    >>> from gramian.model_selection import cross_validate
    >>> X, y = load_diabetes(return_X_y=True)
    >>> result = cross_validate(DummyRegressor(), X, y, cv=3, scoring="r2")
    >>> sorted(result)
    ['fit_time', 'score_time', 'test_score']
    """
    check_consistent_length(X, y)
    scorers = find_scorers(estimator, scoring)
    runs = [
        _run(clone(estimator), (X, y), split, scorers)
        for split in _splits(cv, X, y, classifier=is_classifier(estimator))
    ]
    if not runs:
        raise ValueError("cv gives no split: there must be at least one pair of train and test.")
    return {name: np.array([run[name] for run in runs]) for name in runs[0]}


def _splits(cv: Any, X: Any, y: Any, *, classifier: bool) -> Iterable[tuple[Indices, Indices]]:
    cv = 5 if cv is None else cv
    if isinstance(cv, numbers.Integral):
        has_classes = y is not None and type_of_target(y) in ("binary", "multiclass")
        cv = StratifiedKFold(int(cv)) if classifier and has_classes else KFold(int(cv))
    if hasattr(cv, "split") and not isinstance(cv, str):
        splits: Iterable[tuple[Indices, Indices]] = cv.split(X, y)
        return splits
    if isinstance(cv, Iterable) and not isinstance(cv, str):
        return cv
    raise ValueError(
        "Expected cv as an integer, an object with a split method, or an iterable yielding "
        f"(train, test) splits as arrays of indices. Got {cv!r}."
    )


def _run(
    estimator: Any,
    data: tuple[Any, Any],
    split: tuple[Indices, Indices],
    scorers: dict[str, Scorer] | Scorer,
) -> dict[str, float]:
    """Fit and score one split; the clock includes taking the rows, as scikit-learn's does."""
    X, y = data
    train, test = split
    start = time.perf_counter()
    X_train, y_train = take_rows(X, train), None if y is None else take_rows(y, train)
    X_test, y_test = take_rows(X, test), None if y is None else take_rows(y, test)
    estimator.fit(X_train) if y is None else estimator.fit(X_train, y_train)
    fitted = time.perf_counter()
    if callable(scorers):
        scores = scorers(estimator, X_test, y_test)
    else:
        scores = {name: scorer(estimator, X_test, y_test) for name, scorer in scorers.items()}
    times = {"fit_time": fitted - start, "score_time": time.perf_counter() - fitted}
    named = scores if isinstance(scores, dict) else {"score": scores}
    return times | {f"test_{name}": _number(value, name) for name, value in named.items()}


def _number(value: Any, name: str) -> float:
    value = value.item() if getattr(value, "size", 0) == 1 and hasattr(value, "item") else value
    if not isinstance(value, numbers.Number):
        raise ValueError(
            f"scoring must return a number, got {value!r} ({type(value)}) instead. (scorer={name})"
        )
    return value  # type: ignore[return-value]
