"""One estimator for each target."""

from collections.abc import Callable
from inspect import signature
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gramian._composition import available_if
from gramian._labels import check_classification_targets
from gramian._parts import copy_names, run_parts
from gramian._requests import raise_for_params
from gramian._routing import MetadataRouter, MethodMapping, Routed, RoutedMethods, route
from gramian._rows import require_rows
from gramian._tags import tagged, tags_of
from gramian.base import (
    BaseEstimator,
    ClassifierMixin,
    MetaEstimatorMixin,
    RegressorMixin,
    Tags,
    clone,
    is_classifier,
)
from gramian.params import REQUIRED, Estimator, Integer, Nothing, param
from gramian.validation import check_is_fitted, check_y


def _parts_have(name: str) -> Callable[[Any], bool]:
    """Return a check that all fitted parts, or the estimator to be copied, have an attribute."""

    def check(outer: Any) -> bool:
        parts = vars(outer).get("estimators_", [outer.estimator])
        return all(getattr(part, name) is not None for part in parts)

    return check


class SeparateTargets(MetaEstimatorMixin, BaseEstimator):
    """Base class of estimators with a copy of another estimator for each target."""

    estimator: Any = param(REQUIRED, Estimator(("fit", "predict")), positional=True)
    n_jobs: int | None = param(None, Integer() | Nothing())
    estimators_: list[Any]

    def _fit(self, X: Any, y: Any, weight: Any, params: dict[str, Any]) -> Self:
        target = self._check_target(y)
        given = self._params("fit", weight, params)
        calls = [(self.estimator, X, column, given) for column in target.T]
        self.estimators_ = run_parts(_fit_part, calls, self.n_jobs)
        copy_names(self.estimators_[0], self)
        return self

    def _partial_fit(
        self, X: Any, y: Any, classes: Any, weight: Any, params: dict[str, Any]
    ) -> Self:
        raise_for_params(params, self, "partial_fit")
        target = self._check_target(y)
        given = self._params("partial_fit", weight, params)
        is_first = "estimators_" not in vars(self)
        n_outputs = target.shape[1]
        parts = [clone(self.estimator) for _ in range(n_outputs)] if is_first else self.estimators_
        if len(parts) != n_outputs:
            raise ValueError(
                f"y has {n_outputs} columns, but this {type(self).__name__} was fitted to "
                f"{len(parts)}."
            )
        labels = [{}] * n_outputs if classes is None else [{"classes": c} for c in classes]
        calls = [
            (part, X, column, {**own, **given})
            for part, column, own in zip(parts, target.T, labels, strict=True)
        ]
        self.estimators_ = run_parts(_partial_fit_part, calls, self.n_jobs)
        copy_names(self.estimators_[0], self)
        return self

    def _check_target(self, y: Any) -> NDArray[Any]:
        target = check_y(y, multi_output=True, estimator=self)
        require_rows(target, self)
        if is_classifier(self):
            check_classification_targets(target)
        if target.ndim == 1:
            raise ValueError(
                "y must have at least two dimensions for multi-output regression but has only one."
            )
        return target

    def _params(self, method: str, weight: Any, params: dict[str, Any]) -> dict[str, Any]:
        """Return the arguments for the copies' method besides the data."""
        given = params if weight is None else {**params, "sample_weight": weight}
        routed = route(self, method, given, Routed(estimator=RoutedMethods({method: given})))
        arguments = routed["estimator"][method]
        knows_weight = "sample_weight" in signature(self.estimator.fit).parameters
        if "sample_weight" in arguments and not knows_weight:
            raise ValueError(
                "Underlying estimator does not support sample weights: "
                f"{type(self.estimator).__name__}.fit has no argument sample_weight."
            )
        return arguments

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the predictions, a column for each target.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        calls = [(part, X) for part in self.estimators_]
        return np.asarray(run_parts(_predict_part, calls, self.n_jobs)).T

    def get_metadata_routing(self) -> MetadataRouter:
        """Return which arguments go to the copies of the estimator."""
        mapping = MethodMapping(fit="fit", partial_fit="partial_fit")
        return MetadataRouter(self).add(estimator=self.estimator, method_mapping=mapping)

    def _tags(self) -> Tags:
        tags = super()._tags()
        inner = tags_of(self.estimator)
        tags.sparse, tags.allow_nan = inner.sparse, inner.allow_nan
        tags.single_output, tags.multi_output = False, True
        return tags


def _fit_part(estimator: Any, X: Any, y: NDArray[Any], params: dict[str, Any]) -> Any:
    return clone(estimator).fit(X, y, **params)


def _partial_fit_part(estimator: Any, X: Any, y: NDArray[Any], params: dict[str, Any]) -> Any:
    return estimator.partial_fit(X, y, **params)


def _predict_part(estimator: Any, X: Any) -> Any:
    return estimator.predict(X)


class _RegressorPartialFit:
    """``partial_fit``, for regressors that have it."""

    @available_if(_parts_have("partial_fit"))
    def partial_fit(
        self, X: Any, y: Any, sample_weight: Any = None, **partial_fit_params: Any
    ) -> Self:
        """Fit the regressors to some more rows.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples, n_outputs)
        sample_weight : array-like of shape (n_samples,), optional
        **partial_fit_params : dict
            Further arguments; only while metadata routing is on.
        """
        return self._partial_fit(X, y, None, sample_weight, partial_fit_params)  # type: ignore[attr-defined, no-any-return]


class _ClassifierPartialFit:
    """``partial_fit``, for classifiers that have it."""

    @available_if(_parts_have("partial_fit"))
    def partial_fit(
        self,
        X: Any,
        y: Any,
        classes: Any = None,
        sample_weight: Any = None,
        **partial_fit_params: Any,
    ) -> Self:
        """Fit the classifiers to some more rows.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples, n_outputs)
        classes : list of arrays, optional
            All classes of each target; needed in the first call by most classifiers.
        sample_weight : array-like of shape (n_samples,), optional
        **partial_fit_params : dict
            Further arguments; only while metadata routing is on.
        """
        self._partial_fit(X, y, classes, sample_weight, partial_fit_params)  # type: ignore[attr-defined]
        parts = self.estimators_  # type: ignore[attr-defined]
        if all(hasattr(part, "classes_") for part in parts):
            self.classes_ = [part.classes_ for part in parts]
        return self


class MultiOutputRegressor(_RegressorPartialFit, RegressorMixin, SeparateTargets):
    """A regressor for each target, for regressors that have only one.

    Parameters
    ----------
    estimator : regressor
        Copied and fitted for each target.
    n_jobs : int, optional
        Number of workers, through joblib.

    Attributes
    ----------
    estimators_ : list of regressors
        One for each target.
    n_features_in_ : int
        Number of columns seen at fit, if the regressors say so.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.

    Examples
    --------
    >>> from gramian.linear_model import Ridge
    >>> from gramian.multioutput import MultiOutputRegressor
    >>> X, y = [[0.0], [1.0], [2.0]], [[0.0, 5.0], [1.0, 4.0], [2.0, 3.0]]
    >>> MultiOutputRegressor(Ridge(alpha=0.0)).fit(X, y).predict([[3.0]]).round(6)
    array([[3., 2.]])
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any) -> Self:
        """Fit a regressor to each target.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples, n_outputs)
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows, if the regressors take any.
        **fit_params : dict
            Further arguments of the regressors' ``fit``.
        """
        return self._fit(X, y, sample_weight, fit_params)


class MultiOutputClassifier(_ClassifierPartialFit, ClassifierMixin, SeparateTargets):
    """A classifier for each target, for classifiers that have only one.

    Parameters
    ----------
    estimator : classifier
        Copied and fitted for each target.
    n_jobs : int, optional
        Number of workers, through joblib.

    Attributes
    ----------
    classes_ : list of ndarrays
        The classes of each target.
    estimators_ : list of classifiers
        One for each target.
    n_features_in_ : int
        Number of columns seen at fit, if the classifiers say so.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.

    Examples
    --------
    >>> from gramian.dummy import DummyClassifier
    >>> from gramian.multioutput import MultiOutputClassifier
    >>> Y = [["ash", 1], ["ash", 0], ["birch", 1]]
    >>> MultiOutputClassifier(DummyClassifier()).fit([[0.0]] * 3, Y).predict([[0.0]]).tolist()
    [['ash', '1']]
    """

    classes_: list[NDArray[Any]]

    _own_tags = tagged(multi_label=True)

    def fit(self, X: Any, Y: Any, sample_weight: Any = None, **fit_params: Any) -> Self:
        """Fit a classifier to each target.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        Y : array-like of shape (n_samples, n_outputs)
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows, if the classifiers take any.
        **fit_params : dict
            Further arguments of the classifiers' ``fit``.
        """
        self._fit(X, Y, sample_weight, fit_params)
        self.classes_ = [part.classes_ for part in self.estimators_]
        return self

    @available_if(_parts_have("predict_proba"))
    def predict_proba(self, X: Any) -> list[NDArray[np.float64]]:
        """Return the probabilities of the classes, an array for each target.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        return [part.predict_proba(X) for part in self.estimators_]

    def score(self, X: Any, y: Any) -> float:  # type: ignore[override]
        """Return the fraction of rows all of whose targets are predicted right.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples, n_outputs)
        """
        check_is_fitted(self)
        target = check_y(y, multi_output=True, estimator=self)
        if target.ndim == 1:
            raise ValueError(
                "y must have at least two dimensions for multi target classification but has "
                "only one"
            )
        if target.shape[1] != len(self.estimators_):
            raise ValueError(
                f"The number of outputs of Y for fit {len(self.estimators_)} and score "
                f"{target.shape[1]} should be same"
            )
        return float(np.mean(np.all(target == self.predict(X), axis=1)))
