"""A classifier whose scores become probabilities by functions fitted to held-out rows."""

import warnings
from inspect import signature
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gramian._labels import type_of_target
from gramian._parts import copy_names, run_parts
from gramian._requests import routing_enabled
from gramian._routing import MetadataRouter, MethodMapping, Routed, fitting, process_routing
from gramian._rows import indexable, require_rows, rows_of_params, split_rows, take_rows
from gramian._tags import tags_of
from gramian.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, Tags, clone
from gramian.calibration._calibrators import SigmoidCalibration, TemperatureScaling
from gramian.isotonic import IsotonicRegression
from gramian.model_selection import check_cv, cross_val_predict
from gramian.params import Anything, Boolean, Estimator, Integer, Nothing, OneOf, param
from gramian.persistence import persistable
from gramian.svm import LinearSVC
from gramian.validation import (
    check_consistent_length,
    check_is_fitted,
    check_sample_weight,
    check_y,
    n_samples_of,
)

if TYPE_CHECKING:
    from typing import Self

__all__ = ["CalibratedClassifierCV"]

_SCORES = Estimator(("fit", "predict_proba")) | Estimator(("fit", "decision_function"))


class CalibratedClassifierCV(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """A classifier with calibrated probabilities.

    The classifier's scores on rows that it was not fitted to are turned into probabilities by a
    function fitted to the true classes. With several classes, each has a function of its own
    (one against the rest) and the probabilities are scaled to sum to one; a temperature is common
    to all.

    Parameters
    ----------
    estimator : classifier, optional
        Has ``decision_function`` or ``predict_proba``; copied and fitted. One that is fitted
        already is given as a `gramian.frozen.FrozenEstimator`: all rows are then held-out rows.
        None is `gramian.svm.LinearSVC`.
    method : {"sigmoid", "isotonic", "temperature"}, default="sigmoid"
        Platt's sigmoid of the score; the best function of the score that never falls, for a
        thousand rows and more; or the softmax of the scaled logits.
    cv : int, splitter, iterable of (train, test) or None, default=None
        How rows are held out; None is five stratified folds.
    n_jobs : int, optional
        Number of workers, through joblib.
    ensemble : bool or "auto", default="auto"
        True: a classifier and its calibrator for each split; the probabilities are their mean.
        False: the calibrator is fitted to the held-out scores of all splits together, and one
        classifier to all rows. "auto" is False for a `FrozenEstimator` and True for others.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    calibrated_classifiers_ : list
        The pairs of a fitted classifier, ``estimator``, and its ``calibrators``.
    n_features_in_ : int
        Number of columns seen at fit, if the classifier says so.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.

    Examples
    --------
    >>> from gramian.calibration import CalibratedClassifierCV
    >>> from gramian.dummy import DummyClassifier
    >>> X, y = [[0.0]] * 10, [0, 1] * 3 + [1] * 4
    >>> model = CalibratedClassifierCV(DummyClassifier(), cv=3).fit(X, y)
    >>> model.predict_proba([[0.0]]).round(2)
    array([[0.36, 0.64]])
    """

    estimator: Any = param(None, _SCORES | Nothing(), positional=True)
    method: str = param("sigmoid", OneOf("sigmoid", "isotonic", "temperature"))
    cv: Any = param(None, Anything())
    n_jobs: int | None = param(None, Integer() | Nothing())
    ensemble: bool | str = param("auto", Boolean() | OneOf("auto"))

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any) -> "Self":
        """Fit classifiers and calibrators.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            Whatever the classifier takes.
        y : array-like of shape (n_samples,)
            The classes.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows, for the classifier, if it takes any, and for the calibrators.
        **fit_params : dict
            Further parameters of the classifier's ``fit``; while metadata routing is on, also of
            the splitter.
        """
        labels = check_y(y, estimator=self)
        _require_classes(labels)
        X = indexable(X)
        check_consistent_length(X, labels, sample_weight)
        require_rows(X, self)
        classes, codes = np.unique(labels, return_inverse=True)
        _require_two_classes(classes)
        _require_enough_rows(self.cv, np.bincount(codes))
        weight = None if sample_weight is None else check_sample_weight(sample_weight, X)
        classifier = self._classifier()
        routed = self._routed(classifier, sample_weight, fit_params)
        params = routed["estimator"]["fit"]
        splitter = check_cv(self.cv, labels, classifier=True)
        splits = splitter.split(X, labels, **routed["splitter"]["split"])
        is_frozen = type(classifier).__name__ == "FrozenEstimator"
        if self.ensemble is True or (self.ensemble == "auto" and not is_frozen):
            calls = [
                (clone(classifier), (X, labels, weight), split, params, (classes, self.method))
                for split in splits
            ]
            pairs = run_parts(_fit_pair, calls, self.n_jobs)
        else:
            pairs = [self._fit_one(classifier, (X, labels, weight), params, classes, list(splits))]
        self.classes_ = classes
        self.calibrated_classifiers_ = pairs
        copy_names(pairs[0].estimator, self)
        return self

    def _classifier(self) -> Any:
        """Return the classifier that is to be copied."""
        if self.estimator is not None:
            return self.estimator
        machine: Any = LinearSVC(random_state=0)
        return machine.set_fit_request(sample_weight=True) if routing_enabled() else machine

    def _routed(self, classifier: Any, sample_weight: Any, fit_params: dict[str, Any]) -> Routed:
        """Return the arguments of the classifier's fit and of the splitter."""
        if not routing_enabled():
            return Routed(estimator=fitting(_fit_params(classifier, sample_weight, fit_params)))
        weight = {} if sample_weight is None else {"sample_weight": sample_weight}
        return process_routing(self, "fit", {**fit_params, **weight})

    def get_metadata_routing(self) -> MetadataRouter:
        """Return which arguments go to the classifier and to the splitter."""
        router = MetadataRouter(self).add_self_request(self)
        router.add(estimator=self._classifier(), method_mapping=MethodMapping(fit="fit"))
        return router.add(splitter=self.cv, method_mapping=MethodMapping(fit="split"))

    def _fit_one(
        self,
        classifier: Any,
        data: tuple[Any, NDArray[Any], Any],
        params: dict[str, Any],
        classes: Any,
        splits: Any,
    ) -> "CalibratedClassifier":
        """Fit one classifier to all rows, and its calibrators to held-out scores."""
        X, y, weight = data
        model = clone(classifier)
        method = _score_method(model)
        scores = cross_val_predict(
            model, X, y, cv=splits, method=method, n_jobs=self.n_jobs, params=params
        )
        if len(classes) == 2:
            scores = (scores[:, 1] if method == "predict_proba" else scores).reshape(-1, 1)
        model.fit(X, y, **params)
        return CalibratedClassifier(model, classes, self.method).fit(scores, y, weight)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class, a column for each of ``classes_``.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        pairs = self.calibrated_classifiers_
        total = np.zeros((n_samples_of(X), len(self.classes_)))
        for pair in pairs:
            total += pair.predict_proba(X)
        total /= len(pairs)
        return total

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class with the highest calibrated probability.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        found: NDArray[Any] = self.classes_[np.argmax(self.predict_proba(X), axis=1)]
        return found

    def _tags(self) -> Tags:
        tags = super()._tags()
        inner = tags_of(self._classifier())
        tags.sparse, tags.allow_nan, tags.string = inner.sparse, inner.allow_nan, inner.string
        tags.categorical, tags.pairwise = inner.categorical, inner.pairwise
        tags.no_validation, tags.poor_score = inner.no_validation, inner.poor_score
        return tags


@persistable
class CalibratedClassifier:
    """A fitted classifier and the functions that make probabilities of its scores."""

    def __init__(self, estimator: Any, classes: NDArray[Any], method: str) -> None:
        self.estimator = estimator
        self.classes = classes
        self.method = method
        self.calibrators: list[Any] = []

    def fit(self, scores: NDArray[Any], y: NDArray[Any], weight: Any) -> "CalibratedClassifier":
        """Fit the calibrators to held-out rows: their scores, classes and weights."""
        columns = self._columns()
        if self.method == "temperature":
            self.calibrators = [self._temperature(self._of_all_classes(scores), y, weight)]
            return self
        positives = columns[1:] if scores.shape[1] == 1 else columns
        self.calibrators = []
        for column, score in zip(positives, scores.T, strict=True):
            calibrator: Any = SigmoidCalibration()
            if self.method == "isotonic":
                calibrator = IsotonicRegression(out_of_bounds="clip")
            is_positive = np.asarray(y == self.classes[column], dtype=np.float64)
            self.calibrators.append(calibrator.fit(score, is_positive, weight))
        return self

    def _temperature(
        self, scores: NDArray[Any], y: NDArray[Any], weight: Any
    ) -> TemperatureScaling:
        """Fit a temperature to the rows of classes that the classifier knows, if there are any."""
        known = np.isin(y, self.estimator.classes_)
        calibrator = TemperatureScaling()
        if not known.any():
            calibrator.beta_ = 1.0
            return calibrator
        codes = np.searchsorted(self.estimator.classes_, y[known])
        return calibrator.fit(scores[known], codes, None if weight is None else weight[known])

    def _columns(self) -> NDArray[np.intp]:
        """Return the places of the classifier's classes among all; a split may lack some."""
        found: NDArray[np.intp] = np.searchsorted(self.classes, self.estimator.classes_)
        return found

    def _of_all_classes(self, scores: NDArray[Any]) -> NDArray[Any]:
        """Return the scores with both columns where one is the probability of two classes."""
        if scores.shape[1] == 1 and _score_method(self.estimator) == "predict_proba":
            return np.hstack([1 - scores, scores])
        return scores

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class; one that the classifier lacks has none."""
        scores = _scores(self.estimator, X)
        columns = self._columns()
        proba = np.zeros((len(scores), len(self.classes)))
        if self.method == "temperature":
            proba[:, columns] = self.calibrators[0].predict(self._of_all_classes(scores))
            return proba
        positives = columns[1:] if scores.shape[1] == 1 else columns
        for column, score, calibrator in zip(positives, scores.T, self.calibrators, strict=True):
            proba[:, column] = calibrator.predict(score)
        if scores.shape[1] == 1:
            proba[:, columns[0]] = 1.0 - proba[:, columns[1]]
            return proba
        total = proba.sum(axis=1, keepdims=True)
        uniform = np.full_like(proba, 1.0 / len(self.classes))
        result: NDArray[np.float64] = np.divide(proba, total, out=uniform, where=total != 0)
        return result


def _fit_params(classifier: Any, sample_weight: Any, fit_params: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of the classifier's fit; warn if it cannot take the weights."""
    if sample_weight is None:
        return fit_params
    if "sample_weight" in signature(classifier.fit).parameters:
        return {**fit_params, "sample_weight": sample_weight}
    warnings.warn(
        f"Since {type(classifier).__name__} does not appear to accept sample_weight, "
        "sample weights will only be used for the calibration itself. Be warned that the "
        "result of the calibration is likely to be incorrect.",
        stacklevel=4,
    )
    return fit_params


def _fit_pair(
    model: Any,
    data: tuple[Any, NDArray[Any], Any],
    split: tuple[Any, Any],
    params: dict[str, Any],
    target: tuple[NDArray[Any], str],
) -> CalibratedClassifier:
    """Fit a classifier to the training rows of a split, and its calibrators to the others."""
    X, y, weight = data
    train, test = split
    X_train, y_train = split_rows(model, X, y, train)
    X_test, y_test = split_rows(model, X, y, test, train)
    model.fit(X_train, y_train, **rows_of_params(X, params, train))
    test_weight = None if weight is None else take_rows(weight, test)
    return CalibratedClassifier(model, *target).fit(_scores(model, X_test), y_test, test_weight)


def _score_method(model: Any) -> str:
    return "decision_function" if hasattr(model, "decision_function") else "predict_proba"


def _scores(model: Any, X: Any) -> NDArray[Any]:
    """Return a classifier's scores: one column for two classes, otherwise one for each class."""
    _require_two_classes(model.classes_)
    method = _score_method(model)
    scores = np.asarray(getattr(model, method)(X))
    if scores.ndim == 1:
        return scores.reshape(-1, 1)
    if len(model.classes_) == 2 and method == "predict_proba":
        return scores[:, 1:]
    return scores


def _require_classes(y: NDArray[Any]) -> None:
    kind = type_of_target(y, "y")
    if kind not in ("binary", "multiclass"):
        raise ValueError(
            f"Unknown label type: {kind}. Maybe you are trying to fit a classifier, which expects "
            "discrete classes on a regression target with continuous values."
        )


def _require_two_classes(classes: NDArray[Any]) -> None:
    if len(classes) == 1:
        raise ValueError(
            "CalibratedClassifierCV needs a classifier with two classes at least. The rows to fit "
            f"it to are all of one class: {classes[0]}."
        )


def _require_enough_rows(cv: Any, counts: NDArray[np.intp]) -> None:
    """Raise ValueError where a class cannot be in every test part."""
    if type(cv).__name__ == "LeaveOneOut":
        raise ValueError(
            "LeaveOneOut cross-validation does not allow all classes to be present in test "
            "splits. Please use a cross-validation generator that allows all classes to appear in "
            "every test and train split."
        )
    n_folds = cv if isinstance(cv, int) else getattr(cv, "n_splits", None)
    if n_folds and counts.min() < n_folds:
        raise ValueError(
            f"Requesting {n_folds}-fold cross-validation but provided less than {n_folds} examples "
            "for at least one class."
        )
