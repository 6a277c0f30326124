"""What the reductions to two classes share: fitting one binary problem, and its score."""

import warnings
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gramian._composition import available_if
from gramian._incremental import known_classes
from gramian._routing import MetadataRouter, MethodMapping
from gramian._tags import tags_of
from gramian.base import (
    BaseEstimator,
    ClassifierMixin,
    MetaEstimatorMixin,
    Tags,
    clone,
    is_classifier,
    is_regressor,
)
from gramian.params import REQUIRED, Estimator, param
from gramian.persistence import persistable
from gramian.validation import n_samples_of, set_feature_names


def part_has(name: str) -> Callable[[Any], bool]:
    """Return a check that the fitted parts, or the estimator to be copied, have an attribute."""

    def check(outer: Any) -> bool:
        parts = vars(outer).get("estimators_")
        return getattr(outer.estimator if parts is None else parts[0], name) is not None

    return check


class BinaryReduction(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """Base class of classifiers made of binary ones; a subclass writes ``fit`` and ``predict``."""

    estimator: Any = param(REQUIRED, Estimator(("fit",)), positional=True)
    classes_: NDArray[Any]

    @property
    def n_classes_(self) -> int:
        """Number of classes."""
        return len(self.classes_)

    def get_metadata_routing(self) -> MetadataRouter:
        """Return which arguments go to the binary classifiers."""
        router = MetadataRouter(self)
        mapping = MethodMapping(fit="fit")
        if hasattr(type(self), "partial_fit"):
            router.add_self_request(self)
            mapping.add(caller="partial_fit", callee="partial_fit")
        return router.add(estimator=self.estimator, method_mapping=mapping)

    def _tags(self) -> Tags:
        tags = super()._tags()
        inner = tags_of(self.estimator)
        tags.sparse, tags.pairwise, tags.allow_nan = inner.sparse, inner.pairwise, inner.allow_nan
        return tags


class PartialFit:
    """``partial_fit``, for estimators that have it."""

    @available_if(part_has("partial_fit"))
    def partial_fit(self, X: Any, y: Any, classes: Any = None, **partial_fit_params: Any) -> Self:
        """Fit the binary classifiers to some more rows.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            The classes.
        classes : array-like of shape (n_classes,), optional
            All classes that will occur; needed in the first call.
        **partial_fit_params : dict
            Arguments for the binary classifiers; only while metadata routing is on.
        """
        return self._partial_fit(X, y, classes, partial_fit_params)  # type: ignore[attr-defined, no-any-return]


def classes_of_parts(
    estimator: Any, y: Any, classes: Any, subject: str
) -> tuple[NDArray[Any], bool]:
    """Return all classes of an estimator that is fitted in parts, and whether this is the first.

    Raises ValueError for rows of other classes, with `subject` for what may not hold them.
    """
    is_first = "classes_" not in vars(estimator)
    known = known_classes(estimator, classes)
    if len(np.setdiff1d(y, known)):
        raise ValueError(
            f"Mini-batch contains {np.unique(y)} while {subject} must be subset of {known}"
        )
    return known, is_first


@persistable
class ConstantPredictor(ClassifierMixin, BaseEstimator):
    """Stands for a binary classifier whose training rows are all of one class."""

    def fit(self, X: Any, y: NDArray[Any]) -> "ConstantPredictor":
        """Remember the only class, a number."""
        set_feature_names(self, X)
        self.y_ = y[:1]
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class for each row."""
        return np.repeat(self.y_, n_samples_of(X))

    def decision_function(self, X: Any) -> NDArray[Any]:
        """Return the class, as a score, for each row."""
        return np.repeat(self.y_, n_samples_of(X))

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probabilities of 0 and 1 for each row."""
        positive = self.y_.astype(np.float64)
        return np.repeat([np.hstack([1.0 - positive, positive])], n_samples_of(X), axis=0)


def fit_binary(
    estimator: Any, X: Any, y: NDArray[Any], params: dict[str, Any], names: Any = None
) -> Any:
    """Fit a copy to one binary problem; one class alone gives a constant.

    Parameters
    ----------
    estimator : estimator
    X : table, array or sparse matrix of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
        Two numbers, of which the larger is the positive class.
    params : dict
        Further arguments of ``fit``.
    names : sequence of two, optional
        What a warning about a single class calls the classes.
    """
    if (y == y[0]).all():
        if names is not None:
            warnings.warn(
                f"Label {names[max(int(y[0]), 0)]} is present in all training examples.",
                stacklevel=2,
            )
        return ConstantPredictor().fit(X, y)
    return clone(estimator).fit(X, y, **params)


def partial_fit_binary(estimator: Any, X: Any, y: NDArray[Any], params: dict[str, Any]) -> Any:
    """Fit a binary classifier to some more rows; return it."""
    return estimator.partial_fit(X, y, classes=np.array((0, 1)), **params)


def binary_scores(estimator: Any, X: Any) -> NDArray[Any]:
    """Return how much a fitted binary classifier, or regressor, speaks for the positive class."""
    if is_regressor(estimator):
        return np.ravel(estimator.predict(X))
    try:
        return np.ravel(estimator.decision_function(X))
    except (AttributeError, NotImplementedError):
        positive: NDArray[Any] = estimator.predict_proba(X)[:, 1]
        return positive


def threshold_of(estimator: Any) -> float:
    """Return the score above which the positive class is predicted."""
    return 0.0 if hasattr(estimator, "decision_function") and is_classifier(estimator) else 0.5
