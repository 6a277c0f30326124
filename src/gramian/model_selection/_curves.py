"""Scores against the number of training rows, and against a parameter."""

import time
import warnings
from collections.abc import Iterable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._rows import indexable, rows_of_params, split_rows
from gramian.base import clone, is_classifier
from gramian.model_selection._arguments import check_arguments
from gramian.model_selection._fit_score import (
    Evaluation,
    Outcome,
    fit_and_score,
    fit_rows,
    report_failures,
    score_rows,
)
from gramian.model_selection._parallel import run_all
from gramian.model_selection._routes import route_params
from gramian.model_selection._split_base import Indices, as_labels
from gramian.model_selection._split_leave import check_cv
from gramian.model_selection._validation import single_scorer
from gramian.validation import check_consistent_length, check_random_state

_SIZES = np.linspace(0.1, 1.0, 5)


def learning_curve(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    groups: Any = None,
    train_sizes: Any = _SIZES,
    cv: Any = None,
    scoring: Any = None,
    exploit_incremental_learning: bool = False,
    n_jobs: int | None = None,
    pre_dispatch: Any = "all",
    verbose: int = 0,
    shuffle: bool = False,
    random_state: Any = None,
    error_score: Any = np.nan,
    return_times: bool = False,
    params: dict[str, Any] | None = None,
) -> tuple[Any, ...]:
    """Return the scores on the training and the test parts for growing training parts.

    Parameters
    ----------
    estimator, X, y, groups, cv, n_jobs, verbose, error_score, params, pre_dispatch
        As for `cross_validate`.
    train_sizes : array-like of shape (n_ticks,), default=linspace(0.1, 1.0, 5)
        Numbers of training rows, or shares in (0, 1] of the largest training part.
    scoring : str, callable or None, default=None
        As for `cross_val_score`.
    exploit_incremental_learning : bool, default=False
        Whether to go from one size to the next with ``partial_fit``.
    shuffle : bool, default=False
        Whether to shuffle the training rows before taking the first ones.
    random_state : int, RandomState, Generator or None, default=None
        The source of the shuffle.
    return_times : bool, default=False
        Whether to return the times too.

    Returns
    -------
    train_sizes_abs : ndarray of shape (n_unique_ticks,)
        The numbers of training rows; duplicates are left out.
    train_scores, test_scores : ndarray of shape (n_ticks, n_splits)
    fit_times, score_times : ndarray of shape (n_ticks, n_splits)
        In seconds; only with `return_times`.

    Examples
    --------
    >>> from gramian.datasets import load_diabetes
    >>> from gramian.linear_model import Ridge
    >>> from gramian.model_selection import learning_curve
    >>> X, y = load_diabetes(return_X_y=True)
    >>> sizes, train_scores, test_scores = learning_curve(Ridge(), X, y, train_sizes=[50, 200, 350])
    >>> sizes, test_scores.mean(axis=1).round(2)
    (array([ 50, 200, 350]), array([0.13, 0.34, 0.41]))
    """
    check_arguments(
        "learning_curve",
        estimator=estimator,
        exploit_incremental_learning=exploit_incremental_learning,
        n_jobs=n_jobs,
        verbose=verbose,
        shuffle=shuffle,
        random_state=random_state,
        error_score=error_score,
        return_times=return_times,
        params=params,
    )
    if exploit_incremental_learning and not hasattr(estimator, "partial_fit"):
        raise ValueError(
            "An estimator must support the partial_fit interface to exploit incremental learning"
        )
    data, evaluation, found = _prepare(
        "learning_curve",
        estimator,
        (X, y, groups),
        cv,
        scoring,
        params,
        method="partial_fit" if exploit_incremental_learning else "fit",
        error_score=error_score,
        verbose=verbose,
    )
    splits = [(np.asarray(train), np.asarray(test)) for train, test in found]
    sizes = _numbers_of_rows(train_sizes, len(splits[0][0]))
    if verbose > 0:
        print(f"[learning_curve] Training set sizes: {sizes}")
    if shuffle:
        source = check_random_state(random_state)
        splits = [(source.permutation(train), test) for train, test in splits]
    run = partial(run_all, n_jobs=n_jobs, verbose=verbose, pre_dispatch=pre_dispatch)
    grow = _grow_incrementally if exploit_incremental_learning else _grow
    outcomes = grow(run, estimator, data, splits, sizes, evaluation)
    fields = ("train_scores", "test_scores", *(("fit_time", "score_time") if return_times else ()))
    return (sizes, *(_grid(outcomes, name, len(sizes)) for name in fields))


def _prepare(
    function: str,
    estimator: Any,
    data: tuple[Any, Any, Any],
    cv: Any,
    scoring: Any,
    params: dict[str, Any] | None,
    method: str = "fit",
    **options: Any,
) -> tuple[tuple[Any, Any], Evaluation, Iterable[tuple[Any, Any]]]:
    """Return X and y whose rows can be taken, how to score an estimator, and the splits.

    `data` is X, y and groups, `method` how rows are learnt from; `options` are the evaluation's.
    """
    X, y = indexable(data[0]), indexable(data[1], "y")
    groups = data[2]
    check_consistent_length(X, y)
    splitter = check_cv(cv, y, classifier=is_classifier(estimator))
    scorer = single_scorer(function, estimator, scoring)
    parts = {"estimator": estimator, "splitter": splitter, "scorer": scorer}
    routed = route_params(function, params, groups, **parts, callees=(method,))
    check_consistent_length(X, groups)
    evaluation = Evaluation(
        scorer,
        fit_params=routed["estimator"][method],
        score_params=routed["scorer"]["score"],
        with_train_score=True,
        **options,
    )
    return (X, y), evaluation, splitter.split(X, y, **routed["splitter"]["split"])


def _grid(outcomes: list[Outcome], field: str, n_rows: int) -> NDArray[Any]:
    """Return one field of outcomes, split by split, as an array of shape (n_rows, n_splits)."""
    return np.array([getattr(outcome, field) for outcome in outcomes]).reshape(-1, n_rows).T


def _numbers_of_rows(train_sizes: Any, n_max: int) -> Indices:
    sizes = np.asarray(train_sizes)
    least, most = sizes.min(), sizes.max()
    if sizes.dtype.kind == "f":
        if least <= 0.0 or most > 1.0:
            raise ValueError(
                "train_sizes has been interpreted as fractions of the maximum number of training "
                f"samples and must be within (0, 1], but is within [{least:f}, {most:f}]."
            )
        sizes = np.clip((sizes * n_max).astype(np.intp), 1, n_max)
    elif least <= 0 or most > n_max:
        raise ValueError(
            "train_sizes has been interpreted as absolute numbers of training samples and must be "
            f"within (0, {n_max}], but is within [{least}, {most}]."
        )
    unique = np.unique(sizes)
    if len(unique) < len(sizes):
        warnings.warn(
            "Removed duplicate entries from 'train_sizes'. Number of ticks will be less than the "
            f"size of 'train_sizes': {len(unique)} instead of {len(sizes)}.",
            RuntimeWarning,
            stacklevel=3,
        )
    return unique


def _grow(
    run: Any, estimator: Any, data: Any, splits: Any, sizes: Indices, evaluation: Evaluation
) -> list[Outcome]:
    """Fit anew for each size of each split."""
    calls = (
        (clone(estimator), data, (train[:size], test), evaluation)
        for train, test in splits
        for size in sizes
    )
    outcomes: list[Outcome] = run(fit_and_score, calls)
    report_failures(outcomes, evaluation)
    return outcomes


def _grow_incrementally(
    run: Any, estimator: Any, data: Any, splits: Any, sizes: Indices, evaluation: Evaluation
) -> list[Outcome]:
    """Go from size to size with ``partial_fit``."""
    classes = np.unique(as_labels(data[1], "y")) if is_classifier(estimator) else None
    calls = ((clone(estimator), data, split, sizes, evaluation, classes) for split in splits)
    return [outcome for outcomes in run(_fit_incrementally, calls) for outcome in outcomes]


def _fit_incrementally(
    estimator: Any,
    data: tuple[Any, Any],
    split: tuple[Indices, Indices],
    sizes: Indices,
    evaluation: Evaluation,
    classes: NDArray[Any] | None,
) -> list[Outcome]:
    train, test = split
    options = {} if classes is None else {"classes": classes}
    partial_fit = partial(estimator.partial_fit, **options)
    outcomes = []
    for size, new in zip(sizes, np.split(train, sizes)[:-1], strict=True):
        seen = train[:size]
        new_data = split_rows(estimator, *data, new)
        train_data = split_rows(estimator, *data, seen)
        test_data = split_rows(estimator, *data, test, seen)
        start = time.perf_counter()
        fit_rows(partial_fit, new_data, rows_of_params(data[0], evaluation.fit_params, new))
        outcome = Outcome(time.perf_counter() - start)
        start = time.perf_counter()
        params = rows_of_params(data[0], evaluation.score_params, test)
        outcome.test_scores = score_rows(estimator, test_data, evaluation, params)
        params = rows_of_params(data[0], evaluation.score_params, seen)
        outcome.train_scores = score_rows(estimator, train_data, evaluation, params)
        outcome.score_time = time.perf_counter() - start
        outcomes.append(outcome)
    return outcomes


def validation_curve(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    param_name: str,
    param_range: Any,
    groups: Any = None,
    cv: Any = None,
    scoring: Any = None,
    n_jobs: int | None = None,
    pre_dispatch: Any = "all",
    verbose: int = 0,
    error_score: Any = np.nan,
    params: dict[str, Any] | None = None,
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the scores on the training and the test parts for values of one parameter.

    Parameters
    ----------
    estimator, X, y, groups, cv, n_jobs, verbose, error_score, params, pre_dispatch
        As for `cross_validate`.
    param_name : str
        The parameter.
    param_range : array-like of shape (n_values,)
        Its values.
    scoring : str, callable or None, default=None
        As for `cross_val_score`.

    Returns
    -------
    train_scores, test_scores : ndarray of shape (n_values, n_splits)

    Examples
    --------
    >>> from gramian.datasets import load_diabetes
    >>> from gramian.linear_model import Ridge
    >>> from gramian.model_selection import validation_curve
    >>> X, y = load_diabetes(return_X_y=True)
    >>> train_scores, test_scores = validation_curve(
    ...     Ridge(), X, y, param_name="alpha", param_range=[0.01, 1.0, 10.0]
    ... )
    >>> test_scores.mean(axis=1).round(2)
    array([0.48, 0.41, 0.14])
    """
    check_arguments(
        "validation_curve",
        estimator=estimator,
        param_name=param_name,
        n_jobs=n_jobs,
        verbose=verbose,
        error_score=error_score,
        params=params,
    )
    data, evaluation, splits = _prepare(
        "validation_curve",
        estimator,
        (X, y, groups),
        cv,
        scoring,
        params,
        error_score=error_score,
        verbose=verbose,
    )
    values = list(param_range)
    outcomes = run_all(
        fit_and_score,
        (
            (clone(estimator), data, split, evaluation, {param_name: value})
            for split in splits
            for value in values
        ),
        n_jobs=n_jobs,
        verbose=verbose,
        pre_dispatch=pre_dispatch,
    )
    report_failures(outcomes, evaluation)
    train_scores, test_scores = (
        _grid(outcomes, name, len(values)) for name in ("train_scores", "test_scores")
    )
    return train_scores, test_scores
