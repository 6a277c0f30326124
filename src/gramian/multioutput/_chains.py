"""One estimator for each target, which also sees the targets before its own."""

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gramian._composition import available_if
from gramian._parts import elapsed
from gramian._requests import raise_for_params
from gramian._routing import MetadataRouter, MethodMapping, Routed, fitting, route
from gramian._tags import tagged, tags_of
from gramian.base import (
    BaseEstimator,
    ClassifierMixin,
    MetaEstimatorMixin,
    RegressorMixin,
    Tags,
    clone,
)
from gramian.model_selection import cross_val_predict
from gramian.params import (
    REQUIRED,
    Anything,
    Arrays,
    Boolean,
    Estimator,
    Nothing,
    OneOf,
    RandomState,
    param,
)
from gramian.validation import check_fit, check_predict, check_random_state

_RESPONSES = ("predict", "predict_proba", "predict_log_proba", "decision_function")


class Chain(MetaEstimatorMixin, BaseEstimator):
    """Base class of chains; a subclass writes ``fit``."""

    estimator: Any = param(REQUIRED, Estimator(("fit", "predict")), positional=True)
    order: Any = param(None, Arrays() | OneOf("random") | Nothing())
    cv: Any = param(None, Anything())
    random_state: Any
    verbose: bool
    estimators_: list[Any]
    order_: NDArray[np.intp]

    def _fit_chain(self, X: Any, Y: Any, params: dict[str, Any], method: str) -> Self:
        """Fit the estimators in turn, each to the features and the targets before its own."""
        data = check_fit(self, X, Y, multi_output=True, dtype="numeric")
        if data.y is None or data.y.ndim != 2:
            raise ValueError("Y must have two dimensions, a column for each target; it has one.")
        order = self._chosen_order(data.y.shape[1])
        target = data.y[:, order]
        features = Features(data.X, target.shape[1])
        parts = [clone(self.estimator) for _ in order]
        for k, part in enumerate(parts):
            message = f"({k + 1} of {len(parts)}) Processing order {order[k]}"
            with elapsed("Chain", message if self.verbose else None):
                part.fit(features.first(k), target[:, k], **params)
            if k + 1 == len(parts):
                break
            column = (
                target[:, k] if self.cv is None else self._held_out(features, k, target, method)
            )
            features.put(k, column)
        self.order_, self.estimators_ = order, parts
        return self

    def _held_out(
        self, features: "Features", k: int, target: NDArray[Any], method: str
    ) -> NDArray[Any]:
        """Return what the k-th estimator says of rows that it was not fitted to."""
        column: NDArray[Any] = cross_val_predict(
            self.estimator, features.first(k), target[:, k], cv=self.cv, method=method
        )
        return column[:, 1] if column.ndim > 1 else column

    def _chosen_order(self, n_outputs: int) -> NDArray[np.intp]:
        if self.order is None:
            return np.arange(n_outputs)
        if isinstance(self.order, str):
            random: NDArray[np.intp] = check_random_state(self.random_state).permutation(n_outputs)
            return random
        order = np.asarray(self.order)
        if sorted(order.tolist()) != list(range(n_outputs)):
            raise ValueError(
                f"invalid order: it must hold each of the numbers 0 to {n_outputs - 1} once. Got "
                f"{self.order!r}."
            )
        return order

    def _respond(self, X: Any, method: str, chain_method: str) -> NDArray[np.float64]:
        """Return a method's answers, a column for each target in the order of `Y`."""
        matrix = check_predict(self, X, dtype="numeric")
        features = Features(matrix, len(self.estimators_))
        answers = np.zeros((matrix.shape[0], len(self.estimators_)))
        for k, part in enumerate(self.estimators_):
            seen = features.first(k)
            answers[:, self.order_[k]] = answer = _response(part, seen, method)
            passed_on = answer if method == chain_method else _response(part, seen, chain_method)
            features.put(k, passed_on)
        return answers

    def get_metadata_routing(self) -> MetadataRouter:
        """Return which arguments go to the estimators."""
        mapping = MethodMapping(fit="fit")
        return MetadataRouter(self).add(estimator=self.estimator, method_mapping=mapping)

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.sparse = tags_of(self.estimator).sparse
        tags.single_output, tags.multi_output = False, True
        return tags


class Features:
    """The features with room for a column of each target, dense or sparse."""

    def __init__(self, X: Any, n_outputs: int) -> None:
        self._n_features = X.shape[1]
        self._is_sparse = hasattr(X, "tocsr")
        if self._is_sparse:
            self._joined = X.tocsr()
        else:
            dtype = np.result_type(X.dtype, np.float64)
            self._joined = np.zeros((X.shape[0], X.shape[1] + n_outputs), dtype=dtype)
            self._joined[:, : X.shape[1]] = X

    def first(self, n_targets: int) -> Any:
        """Return the features and the columns of the first targets."""
        return self._joined[:, : self._n_features + n_targets]

    def put(self, position: int, column: NDArray[Any]) -> None:
        """Set the column of the target at a position of the chain."""
        if not self._is_sparse:
            self._joined[:, self._n_features + position] = column
            return
        from scipy import sparse

        self._joined = sparse.hstack([self._joined, np.reshape(column, (-1, 1))], format="csr")


def _response(estimator: Any, X: Any, method: str) -> NDArray[Any]:
    """Return an estimator's answer, one number for each row."""
    answer = np.asarray(getattr(estimator, method)(X))
    if answer.ndim == 2 and answer.shape[1] == 2:
        answer = answer[:, 1]
    if answer.ndim != 1:
        raise ValueError(
            f"A chain needs one number for each row from {method}, but "
            f"{type(estimator).__name__} gives an array of shape {answer.shape}; targets of two "
            "classes give one."
        )
    return answer


def _part_has(name: str) -> Callable[[Any], bool]:
    return lambda chain: (
        hasattr(chain.estimator, name) or all(hasattr(part, name) for part in chain.estimators_)
    )


class ClassifierChain(ClassifierMixin, Chain):
    """A classifier for each target, which also sees the targets before its own.

    Unlike separate classifiers, a chain can use that some labels come together.

    Parameters
    ----------
    estimator : classifier
        Copied and fitted for each target.
    order : array-like of shape (n_outputs,), "random" or None, default=None
        The order of the targets' columns in the chain; None is that of `Y`.
    cv : int, splitter, iterable of (train, test) or None, default=None
        If given, a classifier is fitted to held-out predictions of the targets before its own, as
        it will see them later; otherwise to the targets themselves.
    chain_method : str or sequence of str, default="predict"
        What is handed on along the chain: the answer of "predict", "predict_proba",
        "predict_log_proba" or "decision_function", or of the first of several that there is.
    random_state : int, RandomState, Generator or None, default=None
        Draws the order if it is "random".
    verbose : bool, default=False
        Whether to print the time each classifier takes.

    Attributes
    ----------
    classes_ : list of ndarrays
        The classes of each target, in the order of the chain.
    estimators_ : list of classifiers
        In the order of the chain.
    order_ : ndarray of shape (n_outputs,)
        The order of the targets' columns in the chain.
    chain_method_ : str
        What is handed on along the chain.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    >>> from gramian.dummy import DummyClassifier
    >>> from gramian.multioutput import ClassifierChain
    >>> chain = ClassifierChain(DummyClassifier(), order=[1, 0])
    >>> chain.fit([[0.0], [1.0], [2.0]], [[1, 0], [1, 0], [0, 1]]).predict([[1.0]])
    array([[1., 0.]])
    """

    chain_method: Any = param("predict", OneOf(*_RESPONSES) | Arrays())
    random_state: Any = param(None, RandomState())
    verbose: bool = param(False, Boolean())
    classes_: list[NDArray[Any]]

    _own_tags = tagged(multi_label=True)

    def fit(self, X: Any, Y: Any, **fit_params: Any) -> Self:
        """Fit the classifiers along the chain.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        Y : array-like of shape (n_samples, n_outputs)
            Numbers; two classes each.
        **fit_params : dict
            Arguments for the classifiers; only while metadata routing is on.
        """
        raise_for_params(fit_params, self, "fit")
        params = route(self, "fit", fit_params, Routed())["estimator"]["fit"]
        method = self._first_response()
        self._fit_chain(X, Y, params, method)
        self.chain_method_ = method
        self.classes_ = [part.classes_ for part in self.estimators_]
        return self

    def _first_response(self) -> str:
        named = self.chain_method
        names = [named] if isinstance(named, str) else list(named)
        for name in names:
            if hasattr(self.estimator, name):
                return str(name)
        raise AttributeError(
            f"{type(self.estimator).__name__} has none of the following attributes: "
            f"{', '.join(names)}."
        )

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Return the predicted classes, a column for each target.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        """
        return self._respond(X, "predict", self._handed_on())

    @available_if(_part_has("predict_proba"))
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of the second class of each target.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        """
        return self._respond(X, "predict_proba", self._handed_on())

    @available_if(_part_has("predict_proba"))
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the logarithm of the probability of the second class of each target.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        """
        logarithms: NDArray[np.float64] = np.log(self.predict_proba(X))
        return logarithms

    @available_if(_part_has("decision_function"))
    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the score of the second class of each target.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        """
        return self._respond(X, "decision_function", self._handed_on())

    def _handed_on(self) -> str:
        return getattr(self, "chain_method_", "predict")


class RegressorChain(RegressorMixin, Chain):
    """A regressor for each target, which also sees the targets before its own.

    Parameters
    ----------
    estimator : regressor
        Copied and fitted for each target.
    order : array-like of shape (n_outputs,), "random" or None, default=None
        The order of the targets' columns in the chain; None is that of `Y`.
    cv : int, splitter, iterable of (train, test) or None, default=None
        If given, a regressor is fitted to held-out predictions of the targets before its own, as
        it will see them later; otherwise to the targets themselves.
    random_state : int, RandomState, Generator or None, default=None
        Draws the order if it is "random".
    verbose : bool, default=False
        Whether to print the time each regressor takes.

    Attributes
    ----------
    estimators_ : list of regressors
        In the order of the chain.
    order_ : ndarray of shape (n_outputs,)
        The order of the targets' columns in the chain.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    >>> from gramian.linear_model import Ridge
    >>> from gramian.multioutput import RegressorChain
    >>> X, Y = [[0.0], [1.0], [3.0]], [[0.0, 0.0], [1.0, 1.0], [3.0, 9.0]]
    >>> RegressorChain(Ridge(alpha=1e-6)).fit(X, Y).predict([[2.0]]).round(2)
    array([[2. , 5.43]])
    """

    random_state: Any = param(None, RandomState())
    verbose: bool = param(False, Boolean())

    def fit(self, X: Any, Y: Any, **fit_params: Any) -> Self:
        """Fit the regressors along the chain.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        Y : array-like of shape (n_samples, n_outputs)
        **fit_params : dict
            Arguments of the regressors' ``fit``, such as `sample_weight`.
        """
        routed = route(self, "fit", fit_params, Routed(estimator=fitting(fit_params)))
        return self._fit_chain(X, Y, routed["estimator"]["fit"], "predict")

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Return the predictions, a column for each target.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        """
        return self._respond(X, "predict", "predict")
