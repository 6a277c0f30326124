"""Classifiers that decide by another threshold than one half."""

from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gramian._composition import available_if
from gramian._labels import type_of_target
from gramian._parts import copy_names, is_fitted
from gramian._requests import raise_for_params
from gramian._routing import MetadataRouter, MethodMapping, Routed, process_routing
from gramian._rows import indexable, require_rows, rows_of_params, take_rows
from gramian._tags import tags_of
from gramian.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, Tags, clone
from gramian.exceptions import NotFittedError, shared
from gramian.metrics import check_scoring
from gramian.model_selection._arguments import JOBS
from gramian.model_selection._parallel import run_all
from gramian.model_selection._split_leave import check_cv
from gramian.model_selection._split_shuffle import StratifiedShuffleSplit
from gramian.model_selection._threshold_curve import (
    ThresholdCurve,
    curve_of_split,
    labels_at,
    scores_of,
)
from gramian.params import (
    REQUIRED,
    Anything,
    Arrays,
    Boolean,
    Callables,
    Estimator,
    Integer,
    Nothing,
    OneOf,
    RandomState,
    Strings,
    param,
)
from gramian.params import Real as RealNumber
from gramian.validation import check_consistent_length, check_is_fitted

_RESPONSES = ("predict_proba", "decision_function")
_CLASSIFIER = Estimator(("fit", "predict_proba")) | Estimator(("fit", "decision_function"))


def _inner_has(name: str) -> Callable[[Any], bool]:
    """Return a check that the classifier inside has an attribute."""
    return lambda outer: hasattr(getattr(outer, "estimator_", outer.estimator), name)


class BaseThresholdClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """Base class of classifiers with a threshold; a subclass writes ``_fit`` and ``predict``."""

    estimator: Any = param(REQUIRED, _CLASSIFIER, positional=True)
    response_method: str = param("auto", OneOf("auto", *_RESPONSES))
    estimator_: Any

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.multi_class = False
        inner = tags_of(self.estimator)
        for name in ("sparse", "allow_nan", "categorical", "string", "positive_only", "pairwise"):
            setattr(tags, name, getattr(inner, name))
        tags.no_validation, tags.poor_score = inner.no_validation, inner.poor_score
        return tags

    def _responses(self) -> tuple[str, ...]:
        return _RESPONSES if self.response_method == "auto" else (self.response_method,)

    def fit(self, X: Any, y: Any, **params: Any) -> Self:
        """Fit the classifier, and choose the threshold where it is not given.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Two classes.
        **params : arguments for the parts that request them
            Only while metadata routing is on.
        """
        raise_for_params(params, self, None)
        X, y = indexable(X), indexable(y, "y")
        check_consistent_length(X, y)
        require_rows(X, self)
        kind = type_of_target(y, "y")
        if kind != "binary":
            raise ValueError(f"Only binary classification is supported. Unknown label type: {kind}")
        self._fit(X, y, process_routing(self, "fit", params))
        copy_names(self.estimator_, self)
        return self

    def _fit(self, X: Any, y: Any, routed: Routed) -> None:
        raise NotImplementedError

    def _inner(self) -> Any:
        """Return the fitted classifier: our own, or the one given if it was fitted before."""
        if hasattr(self, "estimator_"):
            return self.estimator_
        if not is_fitted(self.estimator):
            check_is_fitted(self, "estimator_")
        return self.estimator

    @property
    def classes_(self) -> NDArray[Any]:
        """The two classes."""
        classes: NDArray[Any] = self.estimator_.classes_
        return classes

    @available_if(_inner_has("predict_proba"))
    def predict_proba(self, X: Any) -> Any:
        """Return the probabilities of the classifier inside."""
        return self._inner().predict_proba(X)

    @available_if(_inner_has("predict_log_proba"))
    def predict_log_proba(self, X: Any) -> Any:
        """Return the logarithms of the probabilities of the classifier inside."""
        return self._inner().predict_log_proba(X)

    @available_if(_inner_has("decision_function"))
    def decision_function(self, X: Any) -> Any:
        """Return the decision function of the classifier inside."""
        return self._inner().decision_function(X)


class FixedThresholdClassifier(BaseThresholdClassifier):
    """A binary classifier that decides by a given threshold.

    Parameters
    ----------
    estimator : classifier
        With ``predict_proba`` or ``decision_function``. One that was fitted before may be used
        without another fit.
    threshold : float or "auto", default="auto"
        A row whose response reaches it is of the positive class; "auto" is 0.5 for probabilities
        and 0 for decision functions.
    pos_label : int, float, bool, str or None, default=None
        The positive class; None is the last of ``classes_``.
    response_method : {"auto", "predict_proba", "decision_function"}, default="auto"
        The response to compare; "auto" is the first of the other two that there is.

    Attributes
    ----------
    estimator_ : classifier
        The fitted classifier.
    classes_, n_features_in_, feature_names_in_

    Examples
    --------
    >>> from gramian.dummy import DummyClassifier
    >>> from gramian.model_selection import FixedThresholdClassifier
    >>> X, y = [[0], [1], [2], [3]], [0, 0, 0, 1]
    >>> FixedThresholdClassifier(DummyClassifier(), threshold=0.2).fit(X, y).predict(X)
    array([1, 1, 1, 1])
    """

    threshold: Any = param("auto", OneOf("auto") | RealNumber())
    pos_label: Any = param(None, RealNumber() | Strings() | Boolean() | Nothing())

    _signature = "estimator, *, threshold, pos_label, response_method"

    def _fit(self, X: Any, y: Any, routed: Routed) -> None:
        self.estimator_ = clone(self.estimator).fit(X, y, **routed["estimator"]["fit"])

    @property
    def classes_(self) -> NDArray[Any]:
        """The two classes."""
        try:
            classes: NDArray[Any] = self._inner().classes_
        except NotFittedError as error:
            raise AttributeError("The underlying estimator is not fitted yet.") from error
        return classes

    def predict(self, X: Any) -> Any:
        """Return the class of each row, by the threshold."""
        inner, methods = self._inner(), self._responses()
        scores = scores_of(inner, X, methods, self.pos_label)
        threshold = self.threshold
        if isinstance(threshold, str):
            used = next(name for name in methods if hasattr(inner, name))
            threshold = 0.5 if used == "predict_proba" else 0.0
        return labels_at(scores, threshold, inner.classes_, self.pos_label)

    def get_metadata_routing(self) -> MetadataRouter:
        """Return which arguments of ``fit`` go to the classifier."""
        return MetadataRouter(self).add(
            estimator=self.estimator, method_mapping=MethodMapping(fit="fit")
        )


class TunedThresholdClassifierCV(BaseThresholdClassifier):
    """A binary classifier that decides by the threshold with the best score in cross-validation.

    For each split the score is computed at many thresholds between the least and the largest
    response; the mean of these curves, interpolated, is largest at ``best_threshold_``.

    Parameters
    ----------
    estimator : classifier
        With ``predict_proba`` or ``decision_function``.
    scoring : str or scorer, default="balanced_accuracy"
        A name of `gramian.metrics.get_scorer_names`, or what `make_scorer` returns; a metric of
        predicted labels.
    response_method : {"auto", "predict_proba", "decision_function"}, default="auto"
        The response to compare; "auto" is the first of the other two that there is.
    thresholds : int or array-like, default=100
        How many thresholds to try, or the thresholds themselves.
    cv : int, float, splitter, iterable of (train, test), "prefit" or None, default=None
        As for `cross_validate`; a float is the fraction of rows of a single test part; "prefit"
        takes all rows as test part of an estimator that was fitted before.
    refit : bool, default=True
        Whether to fit the classifier on all rows. False keeps the one of a single split, and must
        be given with "prefit".
    n_jobs : int or None, default=None
        How many fits run at a time, through joblib.
    random_state : int, RandomState, Generator or None, default=None
        The source of the split, for a float `cv`.
    store_cv_results : bool, default=False
        Whether to keep the mean curve.

    Attributes
    ----------
    estimator_ : classifier
        The fitted classifier.
    best_threshold_, best_score_ : float
        The threshold, and the mean score at it.
    cv_results_ : dict with "thresholds" and "scores"
        With `store_cv_results`.
    classes_, n_features_in_, feature_names_in_

    Examples
    --------
    >>> from gramian.linear_model import LogisticRegression
    >>> from gramian.model_selection import TunedThresholdClassifierCV
    >>> X, y = [[i] for i in range(12)], [0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 1, 1]
    >>> plain = LogisticRegression().fit(X, y)
    >>> tuned = TunedThresholdClassifierCV(LogisticRegression(), scoring="recall", cv=3).fit(X, y)
    >>> int(plain.predict(X).sum()), int(tuned.predict(X).sum())  # rows called positive
    (4, 12)
    """

    scoring: Any = param("balanced_accuracy", Strings() | Callables())
    thresholds: Any = param(100, Integer(1) | Arrays())
    cv: Any = param(None, Anything())
    refit: bool = param(True, Boolean())
    n_jobs: int | None = param(None, JOBS)
    random_state: Any = param(None, RandomState())
    store_cv_results: bool = param(False, Boolean())

    _signature = (
        "estimator, *, scoring, response_method, thresholds, cv, refit, n_jobs, random_state, "
        "store_cv_results"
    )

    def _fit(self, X: Any, y: Any, routed: Routed) -> None:
        curve = self._curve()
        if isinstance(self.cv, str) and self.cv == "prefit":
            self._check_prefit()
            self.estimator_ = self.estimator
            curves = [curve(self.estimator, X, y, routed["scorer"]["score"])]
        else:
            splitter = self._splitter(y)
            splits = list(splitter.split(X, y, **routed["splitter"]["split"]))
            self.estimator_ = self._fit_inner(X, y, splits[0][0], routed["estimator"]["fit"])
            calls = ((clone(self.estimator), (X, y), rows, curve, routed) for rows in splits)
            curves = run_all(curve_of_split, calls, n_jobs=self.n_jobs)
        self._pos_label = curve.pos_label
        self._choose(curves)

    def _check_prefit(self) -> None:
        if self.refit:
            raise ValueError("When cv='prefit', refit cannot be True.")
        if not hasattr(self.estimator, "classes_"):
            raise shared(NotFittedError)(
                f"When cv='prefit', `estimator` must be fitted. Got {self.estimator!r}."
            )

    def _splitter(self, y: Any) -> Any:
        if isinstance(self.cv, Real) and 0 < float(self.cv) < 1:
            fraction = float(self.cv)
            return StratifiedShuffleSplit(1, test_size=fraction, random_state=self.random_state)
        splitter = check_cv(self.cv, y, classifier=True)
        if not self.refit and splitter.get_n_splits() > 1:
            raise ValueError("When cv has several folds, refit cannot be False.")
        return splitter

    def _fit_inner(self, X: Any, y: Any, train: Any, params: dict[str, Any]) -> Any:
        if self.refit:
            return clone(self.estimator).fit(X, y, **params)
        params = rows_of_params(X, params, train)
        return clone(self.estimator).fit(take_rows(X, train), take_rows(y, train), **params)

    def _choose(self, curves: list[tuple[NDArray[Any], NDArray[Any]]]) -> None:
        """Set the threshold at which the mean of the curves is largest."""
        if any(np.isclose(cuts[0], cuts[-1]) for _, cuts in curves):
            raise ValueError(
                "The provided estimator makes constant predictions. Therefore, it is impossible to "
                "optimize the decision threshold."
            )
        thresholds = np.asarray(self.thresholds)
        if isinstance(self.thresholds, Integral):
            low = min(cuts.min() for _, cuts in curves)
            high = max(cuts.max() for _, cuts in curves)
            thresholds = np.linspace(low, high, int(self.thresholds))
        means = np.mean([np.interp(thresholds, cuts, scores) for scores, cuts in curves], axis=0)
        best = means.argmax()
        self.best_score_, self.best_threshold_ = means[best], thresholds[best]
        if self.store_cv_results:
            self.cv_results_ = {"thresholds": thresholds, "scores": means}

    def predict(self, X: Any) -> Any:
        """Return the class of each row, by the best threshold."""
        check_is_fitted(self, "estimator_")
        scores = scores_of(self.estimator_, X, self._responses(), self._pos_label)
        return labels_at(scores, self.best_threshold_, self.classes_, self._pos_label)

    def _curve(self) -> ThresholdCurve:
        scorer = check_scoring(self.estimator, self.scoring)
        return ThresholdCurve(scorer, self._responses(), self.thresholds)

    def get_metadata_routing(self) -> MetadataRouter:
        """Return which arguments of ``fit`` go to the classifier, the splitter and the scorer."""
        return (
            MetadataRouter(self)
            .add(estimator=self.estimator, method_mapping=MethodMapping(fit="fit"))
            .add(splitter=self.cv, method_mapping=MethodMapping(fit="split"))
            .add(scorer=self._curve(), method_mapping=MethodMapping(fit="score"))
        )
