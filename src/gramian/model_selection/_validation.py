"""Cross-validation."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._rows import indexable
from gramian.base import clone, is_classifier
from gramian.blocks import Scan
from gramian.exceptions import InvalidParameterError
from gramian.metrics import check_scoring
from gramian.model_selection._arguments import check_arguments
from gramian.model_selection._fit_score import (
    Evaluation,
    Outcome,
    fit_and_score,
    report_failures,
    scores_by_name,
)
from gramian.model_selection._parallel import run_all
from gramian.model_selection._routes import route_params
from gramian.model_selection._split_leave import check_cv
from gramian.validation import check_consistent_length


def cross_validate(
    estimator: Any,
    X: Any,
    y: Any = None,
    *,
    groups: Any = None,
    scoring: Any = None,
    cv: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
    params: dict[str, Any] | None = None,
    pre_dispatch: Any = "2*n_jobs",
    return_train_score: bool = False,
    return_estimator: bool = False,
    return_indices: bool = False,
    error_score: Any = np.nan,
) -> dict[str, Any]:
    """Fit on each training part, score on its test part, and record the times.

    Parameters
    ----------
    estimator : estimator
        Cloned for each split; the one given stays as it is.
    X : table, array, sparse matrix or scan of shape (n_samples, n_features)
        The data. Rows of a data frame are taken by position, whatever its index says. Of a
        `gramian.blocks.scan` the rows are read for each fit; folds must keep their order.
    y : array-like of shape (n_samples,) or (n_samples, n_outputs), or str, optional
        The target; of a scan the name of its column.
    groups : array-like of shape (n_samples,), optional
        The group of each row, for splitters of groups.
    scoring : str, callable, list, tuple, dict or None, default=None
        What to measure: a name of `gramian.metrics.get_scorer_names`, a callable of
        (estimator, X, y) that returns a number or a dictionary of numbers, several names, or
        names with callables. None asks the estimator's own ``score``.
    cv : int, splitter, iterable of (train, test) or None, default=None
        A number of folds without shuffling (None is 5; stratified if a classifier's target has
        classes), an object with ``split``, or the row numbers themselves.
    n_jobs : int or None, default=None
        How many fits run at a time, through joblib; None follows joblib's context, -1 is all.
    verbose : int, default=0
        How much is printed: 2 each fit, 3 its scores too, 10 its beginning too.
    params : dict, optional
        Arguments of ``fit``; those with one value for each row are split like the rows. While
        metadata routing is on, also what the splitter and the scorers request.
    pre_dispatch : int or str, default="2*n_jobs"
        How many fits are prepared at once.
    return_train_score : bool, default=False
        Whether to score on the training parts too.
    return_estimator : bool, default=False
        Whether to return the fitted estimators.
    return_indices : bool, default=False
        Whether to return the row numbers of the splits.
    error_score : "raise" or number, default=nan
        The score of a fit that fails, with a warning. If all fail, an error is raised.

    Returns
    -------
    dict of ndarray of shape (n_splits,)
        ``fit_time``, ``score_time`` in seconds, ``test_score`` (or ``test_<name>`` for each of
        several scores), ``train_...`` likewise; a list ``estimator``; a dictionary ``indices`` of
        tuples ``train`` and ``test``.

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
    check_arguments(
        "cross_validate",
        estimator=estimator,
        n_jobs=n_jobs,
        verbose=verbose,
        params=params,
        return_train_score=return_train_score,
        return_estimator=return_estimator,
        return_indices=return_indices,
        error_score=error_score,
    )
    X, y, target = _checked(X, y)
    splitter = check_cv(cv, target, classifier=is_classifier(estimator))
    scorer = check_scoring(estimator, scoring, raise_exc=isinstance(error_score, str))
    parts = {"estimator": estimator, "splitter": splitter, "scorer": scorer}
    routed = route_params("cross_validate", params, groups, **parts)
    evaluation = Evaluation(
        scorer,
        fit_params=routed["estimator"]["fit"],
        score_params=routed["scorer"]["score"],
        error_score=error_score,
        with_train_score=return_train_score,
        with_estimator=return_estimator,
        verbose=verbose,
    )
    numbered = np.arange(X.n_rows) if isinstance(X, Scan) else X
    splits = splitter.split(numbered, target, **routed["splitter"]["split"])
    splits = list(splits) if return_indices else splits
    outcomes = run_all(
        fit_and_score,
        ((clone(estimator), (X, y), split, evaluation) for split in splits),
        n_jobs=n_jobs,
        verbose=verbose,
        pre_dispatch=pre_dispatch,
    )
    if not outcomes:
        raise ValueError("cv gives no split: there must be at least one pair of train and test.")
    report_failures(outcomes, evaluation)
    return _collect(outcomes, evaluation, splits if return_indices else None)


def _checked(X: Any, y: Any) -> tuple[Any, Any, Any]:
    """Return rows and target as they are handed to ``fit``, and the values of the target."""
    if not isinstance(X, Scan):
        X, y = indexable(X), indexable(y, "y")
        check_consistent_length(X, y)
        return X, y, y
    X.require_repeatable("Cross-validation")
    if y is not None and not isinstance(y, str):
        raise TypeError(
            f"With a scan, y is the name of one of its columns. Got {type(y).__name__}."
        )
    return X, y, None if y is None else X.target(y)


def _collect(outcomes: list[Outcome], evaluation: Evaluation, splits: Any) -> dict[str, Any]:
    results: dict[str, Any] = {
        "fit_time": np.array([outcome.fit_time for outcome in outcomes]),
        "score_time": np.array([outcome.score_time for outcome in outcomes]),
    }
    if evaluation.with_estimator:
        results["estimator"] = [outcome.estimator for outcome in outcomes]
    if splits is not None:
        train, test = zip(*splits, strict=True)
        results["indices"] = {"train": train, "test": test}
    test_scores = scores_by_name([outcome.test_scores for outcome in outcomes])
    train_scores = {}
    if evaluation.with_train_score:
        train_scores = scores_by_name([outcome.train_scores for outcome in outcomes])
    for name, values in test_scores.items():
        results[f"test_{name}"] = values
        if name in train_scores:
            results[f"train_{name}"] = train_scores[name]
    return results


def cross_val_score(
    estimator: Any,
    X: Any,
    y: Any = None,
    *,
    groups: Any = None,
    scoring: Any = None,
    cv: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
    params: dict[str, Any] | None = None,
    pre_dispatch: Any = "2*n_jobs",
    error_score: Any = np.nan,
) -> NDArray[Any]:
    """Return the score on each test part of a model fitted on its training part.

    Parameters
    ----------
    estimator, X, y, groups, cv, n_jobs, verbose, params, pre_dispatch, error_score
        As for `cross_validate`.
    scoring : str, callable or None, default=None
        A name of `gramian.metrics.get_scorer_names`, or a callable of (estimator, X, y) that
        returns a number. None asks the estimator's own ``score``.

    Returns
    -------
    ndarray of shape (n_splits,)

    Examples
    --------
    >>> from gramian.datasets import load_diabetes
    >>> from gramian.linear_model import Ridge
    >>> from gramian.model_selection import cross_val_score
    >>> X, y = load_diabetes(return_X_y=True)
    >>> cross_val_score(Ridge(), X, y, cv=3).round(3)
    array([0.37 , 0.418, 0.44 ])
    """
    results = cross_validate(
        estimator,
        X,
        y,
        groups=groups,
        scoring={"score": single_scorer("cross_val_score", estimator, scoring)},
        cv=cv,
        n_jobs=n_jobs,
        verbose=verbose,
        params=params,
        pre_dispatch=pre_dispatch,
        error_score=error_score,
    )
    scores: NDArray[Any] = results["test_score"]
    return scores


def single_scorer(function: str, estimator: Any, scoring: Any) -> Any:
    """Return the scorer of a function that takes only one."""
    if scoring is not None and not isinstance(scoring, str) and not callable(scoring):
        raise InvalidParameterError(
            f"The 'scoring' parameter of {function} must be a str, a callable or None. "
            f"Got {scoring!r} instead. cross_validate takes several scores."
        )
    return check_scoring(estimator, scoring)
