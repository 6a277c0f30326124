"""What all searches share: the evaluation of candidates, and the best one as an estimator."""

import inspect
import math
import numbers
import time
import warnings
from collections.abc import Callable, Iterable
from typing import Any, Self

import numpy as np

from gramian._composition import available_if
from gramian._parts import copy_names
from gramian._requests import raise_for_params, routing_enabled
from gramian._routing import (
    MetadataRouter,
    MethodMapping,
    Routed,
    RoutedMethods,
    process_routing,
)
from gramian._rows import indexable, require_rows
from gramian._tags import tags_of
from gramian.base import BaseEstimator, MetaEstimatorMixin, Tags, clone, is_classifier
from gramian.exceptions import NotFittedError
from gramian.metrics import check_scoring
from gramian.model_selection._arguments import JOBS, ErrorScore
from gramian.model_selection._fit_score import Evaluation, Outcome, fit_rows
from gramian.model_selection._search_results import TIME_COLUMNS
from gramian.model_selection._search_work import SearchWork
from gramian.model_selection._split_leave import check_cv
from gramian.params import (
    REQUIRED,
    Anything,
    Boolean,
    Callables,
    Estimator,
    Integer,
    OneOf,
    Strings,
    param,
)
from gramian.validation import check_consistent_length, check_is_fitted


def _best_has(name: str) -> Callable[[Any], bool]:
    """Return a check that a search refits, and that its (best) estimator has an attribute."""

    def check(search: Any) -> bool:
        search._require_refit(name)
        getattr(getattr(search, "best_estimator_", search.estimator), name)
        return True

    return check


class BaseSearchCV(MetaEstimatorMixin, BaseEstimator):
    """Base class of searches; a subclass writes ``_run_search(evaluate_candidates)``.

    ``evaluate_candidates(candidates)`` fits and scores a sequence of parameter dicts and returns
    the table of all candidates so far. It may be called several times.
    """

    estimator: Any = param(REQUIRED, Estimator(("fit",)), positional=True)
    scoring: Any = param(None, Anything())
    n_jobs: int | None = param(None, JOBS)
    refit: Any = param(True, Boolean() | Strings() | Callables())
    cv: Any = param(None, Anything())
    verbose: int = param(0, Integer(0) | Boolean())
    pre_dispatch: Any = param("2*n_jobs", Integer(-math.inf) | Strings())
    error_score: Any = param(np.nan, OneOf("raise") | ErrorScore())
    return_train_score: bool = param(False, Boolean())

    def _run_search(self, evaluate_candidates: Callable[..., dict[str, Any]]) -> None:
        raise NotImplementedError("_run_search not implemented.")

    def _search(self, work: SearchWork) -> None:
        self._run_search(work.evaluate)

    def _tags(self) -> Tags:
        tags, inner = super()._tags(), tags_of(self.estimator)
        for name in ("estimator_type", "multi_class", "multi_label", "poor_score"):
            setattr(tags, name, getattr(inner, name))
        for name in ("single_output", "multi_output", "pairwise", "sparse", "no_validation"):
            setattr(tags, name, getattr(inner, name))
        for name in ("allow_nan", "categorical", "string", "positive_only", "positive_y"):
            setattr(tags, name, getattr(inner, name))
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return "cv_results_" in vars(self)

    # -- fitting --------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None, **params: Any) -> Self:
        """Score all candidates, and fit the best one on all rows.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_outputs), optional
        **params : arguments of the estimator's ``fit``
            Those with one value for each row are split like the rows. ``groups`` goes to the
            splitter, and ``sample_weight`` to the scorers that take it, too.
        """
        X, y = indexable(X), indexable(y, "y")
        check_consistent_length(X, y)
        require_rows(X, self)
        scorer = self._scorer()
        routed = self._routed(scorer, params)
        evaluation = Evaluation(
            scorer,
            fit_params=routed["estimator"]["fit"],
            score_params=routed["scorer"]["score"],
            error_score=self.error_score,
            with_train_score=self.return_train_score,
            verbose=self.verbose,
        )
        splitter = check_cv(self.cv, y, classifier=is_classifier(self.estimator))
        work = SearchWork(self, (X, y), routed["splitter"]["split"], splitter, evaluation)
        self._search(work)
        metric = self._metric(work.outcomes)
        self.n_splits_ = work.n_splits
        self.multimetric_ = isinstance(work.outcomes[0].test_scores, dict)
        self._set_best(work.results, metric)
        if self.refit:
            self._refit((X, y), routed["estimator"]["fit"])
        self.scorer_ = getattr(scorer, "scorers", scorer)
        self.cv_results_ = work.results
        return self

    def _routed(self, scorer: Any, params: dict[str, Any]) -> Routed:
        """Return the arguments of ``fit``, by part and by the part's method."""
        if routing_enabled():
            return process_routing(self, "fit", params)
        groups = params.pop("groups", None)
        weights = self._score_params(scorer, params.get("sample_weight"))
        return Routed(
            estimator=RoutedMethods(fit=params),
            splitter=RoutedMethods(split={"groups": groups}),
            scorer=RoutedMethods(score=weights),
        )

    def get_metadata_routing(self) -> MetadataRouter:
        """Return which arguments go to the estimator, the scorer and the splitter."""
        return (
            MetadataRouter(self)
            .add(estimator=self.estimator, method_mapping=MethodMapping(fit="fit"))
            .add(scorer=self._scorer(), method_mapping=MethodMapping(score="score", fit="score"))
            .add(splitter=self.cv, method_mapping=MethodMapping(fit="split"))
        )

    def _scorer(self) -> Any:
        raises = isinstance(self.error_score, str)
        scorer = check_scoring(self.estimator, self.scoring, raise_exc=raises)
        if hasattr(scorer, "scorers"):
            self._check_refit_metric(scorer.scorers)
        return scorer

    def _metric(self, outcomes: list[Outcome]) -> Any:
        """Return the name of the score by which candidates are ranked."""
        if not outcomes:
            raise ValueError("No fits were performed: the search evaluated no candidates.")
        scores = outcomes[0].test_scores
        if not isinstance(scores, dict):
            return "score"
        self._check_refit_metric(scores)
        return self.refit

    def _check_refit_metric(self, names: Iterable[str]) -> None:
        is_name = isinstance(self.refit, str) and self.refit in names
        if self.refit is not False and not is_name and not callable(self.refit):
            raise ValueError(
                "For multi-metric scoring, the parameter refit must be set to a scorer key or a "
                "callable to refit an estimator with the best parameter setting on the whole data "
                "and make the best_* attributes available for that metric. If this is not needed, "
                f"refit should be set to False explicitly. {self.refit!r} was passed."
            )

    def _score_params(self, scorer: Any, sample_weight: Any) -> dict[str, Any]:
        """Return the weights for the scorers; warn about those that take none."""
        if sample_weight is None:
            return {}
        named = getattr(scorer, "scorers", {"": scorer})
        taking = {name: _takes_weight(item) for name, item in named.items()}
        for name in (name for name, takes in taking.items() if not takes):
            what = f"{name}={named[name]}" if name else named[name]
            warnings.warn(
                f"The scoring {what} does not support sample_weight, which may lead to "
                f"statistically incorrect results when fitting {self} with sample_weight. ",
                UserWarning,
                stacklevel=5,
            )
        return {"sample_weight": sample_weight} if any(taking.values()) else {}

    def _set_best(self, results: dict[str, Any], metric: Any) -> None:
        if not self.refit and self.multimetric_:
            return
        self.best_index_ = self._best_index(results, metric)
        if not callable(self.refit):
            self.best_score_ = results[f"mean_test_{metric}"][self.best_index_]
        self.best_params_ = results["params"][self.best_index_]

    def _best_index(self, results: dict[str, Any], metric: Any) -> Any:
        if not callable(self.refit):
            return results[f"rank_test_{metric}"].argmin()
        best = self.refit(results)
        if not isinstance(best, numbers.Integral):
            raise TypeError("best_index_ returned is not an integer")
        if not 0 <= int(best) < len(results["params"]):
            raise IndexError("best_index_ index out of range")
        return best

    def _refit(self, data: tuple[Any, Any], params: dict[str, Any]) -> None:
        chosen = clone(self.best_params_, safe=False)
        self.best_estimator_ = clone(self.estimator).set_params(**chosen)
        start = time.perf_counter()
        fit_rows(self.best_estimator_.fit, data, params)
        self.refit_time_ = time.perf_counter() - start
        copy_names(self.best_estimator_, self, ("feature_names_in_",))

    def _check_state(self) -> None:
        """Refuse results of a model file that are no table of the candidates."""
        table = vars(self).get("cv_results_", {})
        if not isinstance(table, dict) or not all(
            isinstance(column, (np.ndarray, list)) for column in table.values()
        ):
            raise ValueError("cv_results_ must give a column for each name.")
        if len({len(column) for column in table.values()}) > 1:
            raise ValueError("the columns of cv_results_ must have an entry for each candidate.")
        index = vars(self).get("best_index_", 0)
        n_candidates = len(table.get("params", ()))
        if not isinstance(index, (int, np.integer)) or (table and not 0 <= index < n_candidates):
            raise ValueError(f"best_index_ must be a candidate's number, and is {index!r}.")

    @staticmethod
    def _computed_state(state: dict[str, Any]) -> dict[str, Any]:
        """Return the attributes without the times, which `fingerprint` leaves out."""
        kept = {name: value for name, value in state.items() if name != "refit_time_"}
        if "cv_results_" in kept:
            columns = kept["cv_results_"].items()
            kept["cv_results_"] = {k: v for k, v in columns if k not in TIME_COLUMNS}
        return kept

    # -- what the best estimator can do ------------------------------------------------------------

    def _require_refit(self, name: str) -> None:
        if not self.refit:
            raise AttributeError(
                f"This {type(self).__name__} instance was initialized with `refit=False`. {name} "
                "is available only after refitting on the best parameters. You can refit an "
                "estimator manually using the `best_params_` attribute"
            )

    def score(self, X: Any, y: Any = None, **params: Any) -> float:
        """Return the best estimator's score, by the scorer of the search (or that of `refit`).

        Further arguments go to the scorer if it requests them, while metadata routing is on.
        """
        self._require_refit("score")
        check_is_fitted(self)
        raise_for_params(params, self, "score")
        given = process_routing(self, "score", params)["scorer"]["score"]
        scorer = self.scorer_[self.refit] if isinstance(self.scorer_, dict) else self.scorer_
        score = scorer(self.best_estimator_, X, *(() if y is None else (y,)), **given)
        number: float = score[self.refit] if isinstance(score, dict) else score
        return number

    def _ask(self, method: str, X: Any) -> Any:
        check_is_fitted(self)
        return getattr(self.best_estimator_, method)(X)

    @available_if(_best_has("predict"))
    def predict(self, X: Any) -> Any:
        """Return the best estimator's predictions."""
        return self._ask("predict", X)

    @available_if(_best_has("predict_proba"))
    def predict_proba(self, X: Any) -> Any:
        """Return the best estimator's probabilities."""
        return self._ask("predict_proba", X)

    @available_if(_best_has("predict_log_proba"))
    def predict_log_proba(self, X: Any) -> Any:
        """Return the logarithms of the best estimator's probabilities."""
        return self._ask("predict_log_proba", X)

    @available_if(_best_has("decision_function"))
    def decision_function(self, X: Any) -> Any:
        """Return the best estimator's decision function."""
        return self._ask("decision_function", X)

    @available_if(_best_has("score_samples"))
    def score_samples(self, X: Any) -> Any:
        """Return the best estimator's scores of rows."""
        return self._ask("score_samples", X)

    @available_if(_best_has("transform"))
    def transform(self, X: Any) -> Any:
        """Return the rows as the best estimator transforms them."""
        return self._ask("transform", X)

    @available_if(_best_has("inverse_transform"))
    def inverse_transform(self, X: Any) -> Any:
        """Return what the best estimator transforms into `X`."""
        return self._ask("inverse_transform", X)

    @property
    def n_features_in_(self) -> int:
        """The number of features that the best estimator saw."""
        try:
            check_is_fitted(self)
        except NotFittedError as error:
            raise AttributeError(
                f"{type(self).__name__} object has no n_features_in_ attribute."
            ) from error
        number: int = self.best_estimator_.n_features_in_
        return number

    @property
    def classes_(self) -> Any:
        """The classes of the best estimator."""
        _best_has("classes_")(self)
        return self.best_estimator_.classes_


def _takes_weight(scorer: Any) -> bool:
    if hasattr(scorer, "_accept_sample_weight"):
        return bool(scorer._accept_sample_weight())
    return "sample_weight" in inspect.signature(scorer).parameters
