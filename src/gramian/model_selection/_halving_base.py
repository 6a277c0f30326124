"""Successive halving: the budget of each round, and which candidates stay."""

from math import ceil, floor, log
from numbers import Integral
from typing import Any

import numpy as np

from gramian._labels import as_label_array, type_of_target
from gramian.base import is_classifier
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

_ROWS_PER_CLASS = 2  # in each test part, for the smallest amount of rows
_LEAST_FACTOR = 1.001
_ABOVE_ZERO = Real(0, closed="neither")


class _Sample:
    """The splits of a splitter, with a random fraction of the rows of each part."""

    def __init__(self, splitter: Any, fraction: float, random_state: Any) -> None:
        self._splitter = splitter
        self._fraction = fraction
        self._random_state = random_state

    def split(self, X: Any, y: Any, **options: Any) -> Splits:
        """Yield the row numbers of the training and of the test part, for each split."""
        for train, test in self._splitter.split(X, y, **options):
            yield self._some(train), self._some(test)

    def _some(self, rows: Any) -> Indices:
        n_kept = int(self._fraction * len(rows))
        if n_kept == 0:
            raise ValueError(
                f"{self._fraction:.3g} of the {len(rows)} rows of a part of the splits are none; "
                "raise min_resources or lower the number of splits."
            )
        order = np.arange(len(rows))
        check_random_state(self._random_state).shuffle(order)
        chosen: Indices = np.asarray(rows)[order[:n_kept]]
        return chosen


class BaseSuccessiveHalving(BaseSearchCV):
    """Base class of the halving searches; a subclass writes ``_generate_candidate_params``."""

    cv: Any = param(5, Anything())
    return_train_score: bool = param(True, Boolean())
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
        if self.factor < _LEAST_FACTOR:
            raise ValueError(
                f"factor={self.factor} leaves (nearly) all candidates in each iteration, without "
                f"an end; it must be at least {_LEAST_FACTOR}."
            )
        required = 1 + floor(log(n_candidates, self.factor))
        if self.min_resources == "exhaust":  # the last iteration then uses (nearly) all there is
            # The last of the required rounds then gets all: min * factor^(required - 1) = max.
            exhausting = self.max_resources_ // self.factor ** (required - 1)
            self.min_resources_ = max(self.min_resources_, exhausting)
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
            fraction = amount / n_samples_of(work.data[0])
            splitter = _Sample(splitter, fraction, self.random_state)
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
