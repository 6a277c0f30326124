"""Searches that drop the worse candidates early, and give the rest more rows or iterations."""

from math import ceil, floor, log
from numbers import Integral
from typing import Any

import numpy as np

from gramian._labels import as_label_array, type_of_target
from gramian.base import is_classifier
from gramian.model_selection._candidates import ParameterGrid, ParameterSampler
from gramian.model_selection._search_base import BaseSearchCV
from gramian.model_selection._search_work import SearchWork
from gramian.model_selection._split_base import Indices, Splits
from gramian.params import (
    Anything,
    Boolean,
    Callables,
    Integer,
    Nothing,
    OneOf,
    RandomState,
    Real,
    Strings,
    param,
)
from gramian.validation import check_random_state, column_or_1d, n_samples_of

__all__ = ["BaseSuccessiveHalving", "HalvingGridSearchCV", "HalvingRandomSearchCV"]

_ROWS_PER_CLASS = 2  # in each test part, for the smallest amount of rows
_ABOVE_ZERO = Real(0, closed="neither")


class _Sample:
    """The splits of a splitter, with a random share of the rows of each part."""

    def __init__(self, splitter: Any, share: float, random_state: Any) -> None:
        self._splitter = splitter
        self._share = share
        self._random_state = random_state

    def split(self, X: Any, y: Any, **options: Any) -> Splits:
        """Yield the row numbers of the training and of the test part, for each split."""
        for train, test in self._splitter.split(X, y, **options):
            yield self._some(train), self._some(test)

    def _some(self, rows: Any) -> Indices:
        n_kept = int(self._share * len(rows))
        if n_kept == 0:
            raise ValueError(
                f"{self._share:.3g} of the {len(rows)} rows of a part of the splits are none; "
                "raise min_resources or lower the number of splits."
            )
        order = np.arange(len(rows))
        check_random_state(self._random_state).shuffle(order)
        chosen: Indices = np.asarray(rows)[order[:n_kept]]
        return chosen


class BaseSuccessiveHalving(BaseSearchCV):
    """Base class of the halving searches; a subclass writes ``_generate_candidate_params``."""

    scoring: Any = param(None, Strings() | Callables() | Nothing())
    random_state: Any = param(None, RandomState())
    max_resources: Any = param("auto", OneOf("auto") | Integer(1))
    min_resources: Any = param("exhaust", OneOf("exhaust", "smallest") | Integer(1))
    resource: str = param("n_samples", Strings())
    factor: float = param(3, _ABOVE_ZERO)
    aggressive_elimination: bool = param(False, Boolean())

    pre_dispatch = "2*n_jobs"  # no parameter here

    def _generate_candidate_params(self) -> Any:
        raise NotImplementedError("_generate_candidate_params not implemented.")

    def _search(self, work: SearchWork) -> None:
        self._check_resource(work)
        self._set_resources(work)
        candidates = self._generate_candidate_params()
        if self.resource != "n_samples" and any(self.resource in given for given in candidates):
            raise ValueError(
                f"Cannot use parameter {self.resource} as the resource since it is part of the "
                "searched parameters."
            )
        self._plan_iterations(len(candidates))
        self.n_resources_: list[int] = []
        self.n_candidates_: list[int] = []
        for number in range(self.n_iterations_):
            candidates = self._halve(work, number, candidates)
        self.n_remaining_candidates_ = len(candidates)

    def _check_resource(self, work: SearchWork) -> None:
        shuffles = getattr(work.splitter, "shuffle", True)
        if shuffles and not isinstance(getattr(work.splitter, "random_state", 0), Integral):
            raise ValueError(
                "The cv parameter must yield consistent folds across calls to split(). Set its "
                "random_state to an int, or set shuffle=False."
            )
        if self.resource == "n_samples":
            return
        if self.resource not in self.estimator.get_params():
            raise ValueError(
                f"Cannot use resource={self.resource} which is not supported by estimator "
                f"{type(self.estimator).__name__}"
            )
        if self.max_resources == "auto":
            raise ValueError("resource can only be 'n_samples' when max_resources='auto'")

    def _set_resources(self, work: SearchWork) -> None:
        """Set the least and the most that a fit may get."""
        X, y = work.data
        least = self.min_resources
        if isinstance(least, str):
            least = 1
            if self.resource == "n_samples":
                least = work.n_splits * _ROWS_PER_CLASS * self._n_classes(y)
        most = n_samples_of(X) if self.max_resources == "auto" else self.max_resources
        if least > most:
            rows = f" X has n_samples = {n_samples_of(X)}." if self.resource == "n_samples" else ""
            raise ValueError(f"min_resources_={least} is greater than max_resources_={most}.{rows}")
        if least == 0:
            raise ValueError(f"min_resources_={least}: you might have passed an empty dataset X.")
        self.min_resources_, self.max_resources_ = least, most

    def _n_classes(self, y: Any) -> int:
        if not is_classifier(self.estimator):
            return 1
        if y is None:
            raise ValueError(
                f"This {type(self).__name__} estimator requires y to be passed, but the target y "
                "is None."
            )
        kind = type_of_target(y, "y")
        if kind.startswith("continuous") or kind == "unknown":
            raise ValueError(
                f"Unknown label type: {kind}. A classifier expects discrete classes, not a target "
                "with continuous values."
            )
        return len(np.unique(column_or_1d(as_label_array(y), warn=True)))

    def _plan_iterations(self, n_candidates: int) -> None:
        required = 1 + floor(log(n_candidates, self.factor))
        if self.min_resources == "exhaust":  # the last iteration then uses (nearly) all there is
            share = self.max_resources_ // self.factor ** (required - 1)
            self.min_resources_ = max(self.min_resources_, share)
        possible = 1 + floor(log(self.max_resources_ // self.min_resources_, self.factor))
        self.n_required_iterations_, self.n_possible_iterations_ = required, possible
        self.n_iterations_ = required if self.aggressive_elimination else min(possible, required)
        if self.verbose:
            print(f"n_iterations: {self.n_iterations_}")
            print(f"n_required_iterations: {required}")
            print(f"n_possible_iterations: {possible}")
            print(f"min_resources_: {self.min_resources_}")
            print(f"max_resources_: {self.max_resources_}")
            print(f"aggressive_elimination: {self.aggressive_elimination}")
            print(f"factor: {self.factor}")

    def _halve(self, work: SearchWork, number: int, candidates: Any) -> list[dict[str, Any]]:
        """Evaluate the candidates of an iteration, and return the best of them."""
        n_candidates, amount = len(candidates), self._amount(number)
        self.n_resources_.append(amount)
        self.n_candidates_.append(n_candidates)
        if self.verbose:
            print("-" * 10)
            print(f"iter: {number}")
            print(f"n_candidates: {n_candidates}")
            print(f"n_resources: {amount}")
        splitter = work.splitter
        if self.resource == "n_samples":
            share = amount / n_samples_of(work.data[0])
            splitter = _Sample(splitter, share, self.random_state)
        else:
            candidates = [{**given, self.resource: amount} for given in candidates]
        more = {"iter": [number] * n_candidates, "n_resources": [amount] * n_candidates}
        results = work.evaluate(candidates, splitter, more)
        return _best_candidates(results, number, ceil(n_candidates / self.factor))

    def _amount(self, number: int) -> int:
        """Return the resources of an iteration."""
        if self.aggressive_elimination:  # begin with as many rounds at the least as are too many
            number = max(0, number - self.n_required_iterations_ + self.n_possible_iterations_)
        return min(int(self.factor**number * self.min_resources_), self.max_resources_)

    def _set_best(self, results: dict[str, Any], metric: Any) -> None:
        super()._set_best(results, metric)
        self.best_score_ = results["mean_test_score"][self.best_index_]

    def _best_index(self, results: dict[str, Any], metric: Any) -> Any:
        """Return the best of the last iteration: earlier scores are of fewer resources."""
        last = np.flatnonzero(results["iter"] == np.max(results["iter"]))
        scores = results["mean_test_score"][last]
        return last[0 if np.isnan(scores).all() else np.nanargmax(scores)]


def _best_candidates(results: dict[str, Any], number: int, n_kept: int) -> list[dict[str, Any]]:
    """Return the best candidates of an iteration, the best of them last."""
    rows = np.flatnonzero(np.asarray(results["iter"]) == number)
    scores = np.asarray(results["mean_test_score"])[rows]
    order = np.roll(np.argsort(scores), np.count_nonzero(np.isnan(scores)))  # NaN first
    return [results["params"][row] for row in rows[order[-n_kept:]]]


class HalvingGridSearchCV(BaseSuccessiveHalving):
    """Try every combination of some values, the worse ones with few rows only.

    All candidates are scored with few resources (rows, or what `resource` names); the best
    1/`factor` of them with `factor` times as many; and so on until fewer than `factor` are left or
    the resources are used up. The same integer `random_state` gives scikit-learn's samples.

    Parameters
    ----------
    estimator : estimator
        Cloned for each fit.
    param_grid : dict of str to sequence, or list of such dicts
        The values to try; parameters of nested estimators as ``<part>__<name>``.
    factor : int or float, default=3
        The share of candidates that each iteration keeps is 1/`factor`.
    resource : "n_samples" or str, default="n_samples"
        What grows: the rows, or a parameter of the estimator with positive whole values.
    max_resources : int or "auto", default="auto"
        The most that a candidate may get; "auto" is the number of rows.
    min_resources : {"exhaust", "smallest"} or int, default="exhaust"
        What each candidate gets at first. "smallest" is twice the number of splits (times that of
        classes) for rows, else 1; "exhaust" is as much as lets the last iteration use it all.
    aggressive_elimination : bool, default=False
        Whether to begin with several rounds at the least resources, if otherwise too many
        candidates would be left in the end.
    cv : int, splitter or iterable of (train, test), default=5
        As for `cross_validate`; its splits must be the same each time.
    scoring : str, callable or None, default=None
        A single score, as for `cross_val_score`.
    refit : bool or callable, default=True
        Whether to fit the best candidate on all rows.
    error_score : "raise" or number, default=nan
        The score of a fit that fails, with a warning.
    return_train_score : bool, default=True
        Whether to score on the training parts too.
    random_state : int, RandomState, Generator or None, default=None
        The source of the samples of rows.
    n_jobs : int or None, default=None
        How many fits run at a time, through joblib.
    verbose : int, default=0
        How much is printed.

    Attributes
    ----------
    cv_results_ : dict of arrays
        As for `GridSearchCV`, with ``iter`` and ``n_resources`` of each row.
    n_resources_, n_candidates_ : list of int
        Of each iteration.
    n_remaining_candidates_ : int
        How many would have gone on after the last iteration.
    min_resources_, max_resources_ : int
        What the first iteration gave, and the most that one may give.
    n_iterations_, n_required_iterations_, n_possible_iterations_ : int
        The number of iterations, the number that leaves fewer than `factor` candidates, and the
        number that the resources allow.
    best_estimator_, best_params_, best_score_, best_index_
        The best of the last iteration; the first with `refit` only.
    n_splits_, refit_time_, scorer_, multimetric_, classes_, n_features_in_, feature_names_in_

    Examples
    --------
    >>> from gramian.datasets import load_diabetes
    >>> from gramian.linear_model import Ridge
    >>> from gramian.model_selection import HalvingGridSearchCV
    >>> X, y = load_diabetes(return_X_y=True)
    >>> grid = {"alpha": [0.001, 0.01, 0.1, 1.0, 10.0, 100.0]}
    >>> search = HalvingGridSearchCV(Ridge(), grid, random_state=0).fit(X, y)
    >>> search.n_candidates_, search.n_resources_
    ([6, 2], [147, 441])
    """

    param_grid: Any = param(None, Anything(), positional=True)

    def __init__(
        self,
        estimator: Any,
        param_grid: Any,
        *,
        factor: float = 3,
        resource: str = "n_samples",
        max_resources: Any = "auto",
        min_resources: Any = "exhaust",
        aggressive_elimination: bool = False,
        cv: Any = 5,
        scoring: Any = None,
        refit: Any = True,
        error_score: Any = np.nan,
        return_train_score: bool = True,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.param_grid = param_grid
        self.factor = factor
        self.resource = resource
        self.max_resources = max_resources
        self.min_resources = min_resources
        self.aggressive_elimination = aggressive_elimination
        self.cv = cv
        self.scoring = scoring
        self.refit = refit
        self.error_score = error_score
        self.return_train_score = return_train_score
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _generate_candidate_params(self) -> ParameterGrid:
        return ParameterGrid(self.param_grid)


class HalvingRandomSearchCV(BaseSuccessiveHalving):
    """Try random combinations of the parameters, the worse ones with few rows only.

    Parameters
    ----------
    estimator : estimator
        Cloned for each fit.
    param_distributions : dict of str to sequence or distribution, or list of such dicts
        As for `ParameterSampler`.
    n_candidates : int or "exhaust", default="exhaust"
        How many combinations to draw; "exhaust" is as many as let the last iteration use all
        resources, which needs another `min_resources`.
    factor, resource, max_resources, aggressive_elimination
        As for `HalvingGridSearchCV`.
    min_resources : {"exhaust", "smallest"} or int, default="smallest"
        As for `HalvingGridSearchCV`.
    cv, scoring, refit, error_score, return_train_score, n_jobs, verbose
        As for `HalvingGridSearchCV`.
    random_state : int, RandomState, Generator or None, default=None
        The source of the combinations and of the samples of rows.

    Attributes
    ----------
    cv_results_, n_resources_, n_candidates_, n_remaining_candidates_, min_resources_,
    max_resources_, n_iterations_, n_required_iterations_, n_possible_iterations_,
    best_estimator_, best_params_, best_score_, best_index_, n_splits_, refit_time_, scorer_,
    multimetric_, classes_, n_features_in_, feature_names_in_
        As for `HalvingGridSearchCV`.

    Examples
    --------
    >>> from scipy.stats import loguniform
    >>> from gramian.datasets import load_diabetes
    >>> from gramian.linear_model import Ridge
    >>> from gramian.model_selection import HalvingRandomSearchCV
    >>> X, y = load_diabetes(return_X_y=True)
    >>> search = HalvingRandomSearchCV(
    ...     Ridge(), {"alpha": loguniform(1e-3, 10)}, min_resources=45, random_state=0
    ... )
    >>> search.fit(X, y).n_candidates_
    [9, 3, 1]
    """

    param_distributions: Any = param(None, Anything(), positional=True)
    n_candidates: Any = param("exhaust", OneOf("exhaust") | Integer(1))

    def __init__(
        self,
        estimator: Any,
        param_distributions: Any,
        *,
        n_candidates: Any = "exhaust",
        factor: float = 3,
        resource: str = "n_samples",
        max_resources: Any = "auto",
        min_resources: Any = "smallest",
        aggressive_elimination: bool = False,
        cv: Any = 5,
        scoring: Any = None,
        refit: Any = True,
        error_score: Any = np.nan,
        return_train_score: bool = True,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.param_distributions = param_distributions
        self.n_candidates = n_candidates
        self.factor = factor
        self.resource = resource
        self.max_resources = max_resources
        self.min_resources = min_resources
        self.aggressive_elimination = aggressive_elimination
        self.cv = cv
        self.scoring = scoring
        self.refit = refit
        self.error_score = error_score
        self.return_train_score = return_train_score
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _check_resource(self, work: SearchWork) -> None:
        super()._check_resource(work)
        if self.n_candidates == self.min_resources == "exhaust":
            raise ValueError("n_candidates and min_resources cannot be both set to 'exhaust'.")

    def _generate_candidate_params(self) -> ParameterSampler:
        n_candidates = self.n_candidates
        if n_candidates == "exhaust":
            n_candidates = self.max_resources_ // self.min_resources_
        return ParameterSampler(
            self.param_distributions, n_candidates, random_state=self.random_state
        )
