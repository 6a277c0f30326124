"""Nested cross-validation: how well a search for parameters does on rows that it has not seen."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._drawing import Backend, frame_of
from gramian._rows import indexable
from gramian._text import html_table, number, plus_minus, signed, text_table
from gramian.base import clone, is_classifier
from gramian.exceptions import InvalidParameterError
from gramian.metrics import check_scoring
from gramian.model_selection._arguments import check_arguments
from gramian.model_selection._fit_score import (
    Evaluation,
    Outcome,
    fit_and_score,
    fit_rows,
    report_failures,
)
from gramian.model_selection._parallel import run_all
from gramian.model_selection._search import GridSearchCV
from gramian.model_selection._split_leave import check_cv
from gramian.validation import check_consistent_length


def nested_cross_validate(
    search: Any,
    X: Any,
    y: Any = None,
    *,
    cv: Any = None,
    inner_cv: Any = None,
    scoring: Any = None,
    groups: Any = None,
    params: dict[str, Any] | None = None,
    n_jobs: int | None = None,
    verbose: int = 0,
    error_score: Any = np.nan,
    return_estimator: bool = False,
) -> "NestedResult":
    """Search for parameters within each training part, and score what was found on its test part.

    The best score of a search is optimistic: the same splits chose the parameters and measured
    them. Here the outer test parts take no part in the choice. The search also runs on all rows,
    which gives the model to use, and the non-nested score that the nested one is compared with.

    Parameters
    ----------
    search : search or (estimator, param_grid)
        A `GridSearchCV`, `RandomizedSearchCV` or any estimator that has ``best_params_`` after
        ``fit``; or an estimator and the values to try, for a `GridSearchCV`.
    X : table, array or sparse matrix of shape (n_samples, n_features)
        The data.
    y : array-like of shape (n_samples,) or (n_samples, n_outputs), optional
        The target.
    cv : int, splitter, iterable of (train, test) or None, default=None
        The outer splits, as for `cross_validate`.
    inner_cv : int, splitter or None, default=None
        The splits of the search; None keeps those of a search, and is 5 folds for a pair.
    scoring : str, callable or None, default=None
        What the search chooses by, and what is measured; None keeps that of a search, and is the
        estimator's own ``score`` for a pair.
    groups : array-like of shape (n_samples,), optional
        The group of each row, for the outer and the inner splitter.
    params : dict, optional
        Arguments of the search's ``fit``.
    n_jobs : int or None, default=None
        How many outer splits run at a time, through joblib; the search has an ``n_jobs`` of its
        own.
    verbose : int, default=0
        As for `cross_validate`.
    error_score : "raise" or number, default=nan
        The score of an outer split whose search fails, with a warning.
    return_estimator : bool, default=False
        Whether to keep the fitted search of each outer split.

    Returns
    -------
    NestedResult
        Prints as a table; has the outer scores, the parameters chosen, and the optimism.

    Examples
    --------
    >>> from gramian.datasets import load_diabetes
    >>> from gramian.linear_model import Ridge
    >>> from gramian.model_selection import nested_cross_validate
    >>> X, y = load_diabetes(return_X_y=True)
    >>> result = nested_cross_validate((Ridge(), {"alpha": [0.001, 0.1, 10.0]}), X, y, cv=3)
    >>> [chosen["alpha"] for chosen in result.best_params]
    [0.1, 0.1, 0.1]
    >>> round(result.score, 3), round(result.non_nested_score, 3)
    (0.489, 0.482)
    """
    check_arguments(
        "nested_cross_validate",
        n_jobs=n_jobs,
        verbose=verbose,
        params=params,
        error_score=error_score,
        return_estimator=return_estimator,
    )
    search = _as_search(search, inner_cv, scoring)
    X, y = indexable(X), indexable(y, "y")
    check_consistent_length(X, y, groups)
    fit_params = {**(params or {}), **({} if groups is None else {"groups": groups})}
    evaluation = Evaluation(
        check_scoring(search, None),
        fit_params=fit_params,
        error_score=error_score,
        with_estimator=True,
        verbose=verbose,
    )
    whole = _search_all_rows(search, (X, y), fit_params)
    splitter = check_cv(cv, y, classifier=is_classifier(search))
    outcomes = run_all(
        fit_and_score,
        (
            (clone(search), (X, y), split, evaluation)
            for split in splitter.split(X, y, groups=groups)
        ),
        n_jobs=n_jobs,
        verbose=verbose,
    )
    report_failures(outcomes, evaluation)
    return _collect(outcomes, whole, return_estimator)


def _as_search(search: Any, inner_cv: Any, scoring: Any) -> Any:
    """Return an unfitted search with the inner splits and the measure that are asked for."""
    if scoring is not None and not isinstance(scoring, str) and not callable(scoring):
        raise InvalidParameterError(
            "The 'scoring' parameter of nested_cross_validate must be a str, a callable or None. "
            f"Got {scoring!r} instead."
        )
    if isinstance(search, tuple) and len(search) == 2:
        return GridSearchCV(*search, cv=inner_cv, scoring=scoring)
    if not hasattr(search, "fit") or isinstance(search, type):
        raise InvalidParameterError(
            "The 'search' parameter of nested_cross_validate must be a search such as "
            f"GridSearchCV, or a pair of an estimator and a param_grid. Got {search!r} instead."
        )
    given = {"cv": inner_cv, "scoring": scoring}
    return clone(search).set_params(**{k: v for k, v in given.items() if v is not None})


def _search_all_rows(search: Any, data: tuple[Any, Any], fit_params: dict[str, Any]) -> Any:
    fitted = clone(search)
    fit_rows(fitted.fit, data, fit_params)
    if not hasattr(fitted, "best_params_"):
        raise TypeError(
            f"{type(fitted).__name__} has no best_params_ after fit; give a search such as "
            "GridSearchCV, or a pair of an estimator and a param_grid."
        )
    return fitted


def _collect(outcomes: list[Outcome], whole: Any, return_estimator: bool) -> "NestedResult":
    found = [None if o.fit_error is not None else o.estimator for o in outcomes]
    return NestedResult(
        scores=np.array([outcome.test_scores for outcome in outcomes], dtype=np.float64),
        inner_scores=np.array([_best_score(search) for search in found]),
        best_params=[None if search is None else dict(search.best_params_) for search in found],
        fit_times=np.array([outcome.fit_time for outcome in outcomes]),
        score_times=np.array([outcome.score_time for outcome in outcomes]),
        search=whole,
        estimators=found if return_estimator else None,
    )


def _best_score(search: Any) -> float:
    return float(getattr(search, "best_score_", np.nan))


@dataclass(frozen=True, repr=False)
class NestedResult:
    """What `nested_cross_validate` found.

    Attributes
    ----------
    scores : ndarray of shape (n_splits,)
        The score on each outer test part.
    inner_scores : ndarray of shape (n_splits,)
        The best score of the search within each outer training part.
    best_params : list of dict
        The parameters chosen within each outer training part; None where the search failed.
    fit_times, score_times : ndarray of shape (n_splits,)
        Seconds.
    search : search
        Fitted on all rows.
    estimators : list of searches or None
        Those of the outer splits, if asked for.
    """

    scores: NDArray[np.float64]
    inner_scores: NDArray[np.float64]
    best_params: list[dict[str, Any] | None]
    fit_times: NDArray[np.float64]
    score_times: NDArray[np.float64]
    search: Any
    estimators: list[Any] | None = field(default=None)

    @property
    def score(self) -> float:
        """The mean of the outer scores: what to expect of the model that the search finds."""
        return float(self.scores.mean())

    @property
    def non_nested_score(self) -> float:
        """The best score of the search on all rows, NaN if it has none."""
        return _best_score(self.search)

    @property
    def optimism(self) -> float:
        """The non-nested score less the nested one; above 0 if the search flatters itself.

        The outer training parts are smaller than the whole, which is part of the difference.
        """
        return self.non_nested_score - self.score

    def frame(self, backend: Backend = "pandas") -> Any:
        """Return a data frame with a row for each outer split.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, default="pandas"
            The library of the data frame.

        Returns
        -------
        frame : data frame
            Scores, times, and a column ``param_<name>`` for each parameter; values other than
            numbers of one kind are given as text.
        """
        columns: dict[str, Any] = {
            "split": list(range(len(self.scores))),
            "score": self.scores,
            "inner_score": self.inner_scores,
        }
        for name in self._names():
            columns[f"param_{name}"] = _plain(self._values(name))
        return frame_of(
            {**columns, "fit_time": self.fit_times, "score_time": self.score_times}, backend
        )

    def _names(self) -> list[str]:
        return list(dict.fromkeys(name for chosen in self.best_params for name in chosen or {}))

    def _values(self, name: str) -> list[Any]:
        return [(chosen or {}).get(name) for chosen in self.best_params]

    def __repr__(self) -> str:
        lines = "\n".join(f"{label:<17} {value}" for label, value in self._summary())
        return f"{self._caption()}\n\n{text_table(*self._table())}\n\n{lines}"

    def _repr_html_(self) -> str:
        split_table = html_table(self._caption(), *self._table())
        summary = [list(pair) for pair in self._summary()]
        return f"<div>{split_table}{html_table('', ['', ''], summary)}</div>"

    def _caption(self) -> str:
        inner = getattr(self.search, "estimator", None)
        of = "" if inner is None else f" of {type(inner).__name__}"
        return f"{type(self.search).__name__}{of}, nested in {len(self.scores)} outer splits"

    def _table(self) -> tuple[list[str], list[list[str]]]:
        names = self._names()
        chosen = [[_value_text(value) for value in self._values(name)] for name in names]
        numbers = (
            [str(split), number(score), number(inner)]
            for split, (score, inner) in enumerate(zip(self.scores, self.inner_scores, strict=True))
        )
        rows = [[*row, *values] for row, *values in zip(numbers, *chosen, strict=True)]
        return ["split", "score", "inner score", *names], rows

    def _summary(self) -> list[tuple[str, str]]:
        return [
            ("nested score", plus_minus(self.score, float(self.scores.std()))),
            ("non-nested score", number(self.non_nested_score)),
            ("optimism", signed(self.optimism)),
        ]


def _value_text(value: Any) -> str:
    if isinstance(value, (float, np.floating)):
        return f"{value:.4g}"
    return " ".join(str(value).split())


def _plain(values: list[Any]) -> list[Any]:
    """Return values that any data frame can hold in one column."""
    values = [value.item() if isinstance(value, np.generic) else value for value in values]
    kinds = {type(value) for value in values if value is not None}
    if len(kinds) <= 1 and kinds <= {bool, int, float, str}:
        return values
    if kinds == {int, float}:
        return [None if value is None else float(value) for value in values]
    return [None if value is None else " ".join(str(value).split()) for value in values]
