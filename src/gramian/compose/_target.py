"""Regression on a transformed target."""

import warnings
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gramian._requests import routing_enabled
from gramian._routing import (
    MetadataRouter,
    MethodMapping,
    Routed,
    RoutedMethods,
    fitting,
    route,
)
from gramian._tags import tags_of
from gramian.base import BaseEstimator, MetaEstimatorMixin, RegressorMixin, Tags, clone
from gramian.linear_model import LinearRegression
from gramian.params import Boolean, Callables, Estimator, Nothing, param
from gramian.persistence import persistable
from gramian.validation import check_array, check_is_fitted, check_y


class TransformedTargetRegressor(MetaEstimatorMixin, RegressorMixin, BaseEstimator):
    """A regressor of the transformed target; predictions are transformed back.

    Fits ``regressor`` to ``func(y)`` and predicts ``inverse_func(regressor.predict(X))``; with the
    logarithm, for example, so that relative errors count.

    Parameters
    ----------
    regressor : regressor, optional
        Copied and fitted; None is a `LinearRegression`.
    transformer : transformer, optional
        An object with ``transform`` and ``inverse_transform``, copied and fitted to the target as
        a matrix; instead of the functions.
    func, inverse_func : callable, optional
        The function of the target, a matrix, and its inverse. None for both is the identity.
    check_inverse : bool, default=True
        Whether to warn if the inverse does not give some of the target back.

    Attributes
    ----------
    regressor_ : regressor
        The fitted regressor.
    transformer_ : transformer
        The fitted transformer.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if the regressor saw names.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian.compose import TransformedTargetRegressor
    >>> model = TransformedTargetRegressor(func=np.log, inverse_func=np.exp)
    >>> model.fit([[0.0], [1.0], [2.0]], [1.0, 10.0, 100.0]).predict([[3.0]]).round(6)
    array([1000.])
    """

    regressor: Any = param(None, Estimator(("fit", "predict")) | Nothing(), positional=True)
    transformer: Any = param(None, Estimator(("transform",)) | Nothing())
    func: Any = param(None, Callables() | Nothing())
    inverse_func: Any = param(None, Callables() | Nothing())
    check_inverse: bool = param(True, Boolean())

    def fit(self, X: Any, y: Any, **fit_params: Any) -> Self:
        """Transform the target and fit the regressor to it.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        **fit_params : dict
            Parameters of the regressor's ``fit``, such as `sample_weight`.
        """
        if y is None:
            raise ValueError(
                "This TransformedTargetRegressor estimator requires y to be passed, but the "
                "target y is None."
            )
        target = _as_target(y)
        matrix = target.reshape(-1, 1) if target.ndim == 1 else target
        transformer = self._unfitted_transformer()
        transformer.fit(matrix)
        if self.check_inverse:
            _warn_unless_inverse(transformer, matrix)
        transformed = np.asarray(transformer.transform(matrix))
        if target.ndim == 1 and transformed.ndim == 2 and transformed.shape[1] == 1:
            transformed = transformed[:, 0]
        regressor = self._unfitted_regressor()
        given = route(self, "fit", fit_params, Routed(regressor=fitting(fit_params)))
        regressor.fit(X, transformed, **given["regressor"]["fit"])
        self._n_axes = target.ndim
        self.transformer_ = transformer
        self.regressor_ = regressor
        vars(self).pop("feature_names_in_", None)
        if hasattr(regressor, "feature_names_in_"):
            self.feature_names_in_ = regressor.feature_names_in_
        return self

    def _unfitted_regressor(self) -> Any:
        return LinearRegression() if self.regressor is None else clone(self.regressor)

    def _unfitted_transformer(self) -> Any:
        functions = {"func": self.func, "inverse_func": self.inverse_func}
        given = [name for name, function in functions.items() if function is not None]
        if self.transformer is not None:
            if given:
                raise ValueError(
                    "'transformer' and functions 'func'/'inverse_func' cannot both be set."
                )
            return clone(self.transformer)
        if len(given) == 1:
            lacking = next(name for name in functions if name not in given)
            raise ValueError(
                f"When '{given[0]}' is provided, '{lacking}' must also be provided. If {lacking} "
                "is supposed to be the default, you need to explicitly pass it the identity "
                "function."
            )
        return TargetFunctions(self.func, self.inverse_func)

    def predict(self, X: Any, **predict_params: Any) -> NDArray[Any]:
        """Predict with the regressor and transform back.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        **predict_params : dict
            Parameters of the regressor's ``predict``.
        """
        check_is_fitted(self)
        otherwise = Routed(regressor=RoutedMethods(predict=predict_params))
        given = route(self, "predict", predict_params, otherwise)["regressor"]["predict"]
        predicted = np.asarray(self.regressor_.predict(X, **given))
        matrix = predicted.reshape(-1, 1) if predicted.ndim == 1 else predicted
        found = np.asarray(self.transformer_.inverse_transform(matrix))
        is_vector = self._n_axes == 1 and found.ndim == 2 and found.shape[1] == 1
        return found[:, 0] if is_vector else found

    def get_metadata_routing(self) -> MetadataRouter:
        """Return which arguments go to the regressor."""
        return MetadataRouter(self).add(
            regressor=self._router(),
            method_mapping=MethodMapping(fit="fit", predict="predict"),
        )

    def _router(self) -> Any:
        """Return the regressor; the default one takes weights without being told to."""
        if self.regressor is None and routing_enabled():
            regressor: Any = LinearRegression()
            return regressor.set_fit_request(sample_weight=True)
        return self._unfitted_regressor()

    @property
    def n_features_in_(self) -> int:
        """Number of columns seen at fit."""
        if "regressor_" not in vars(self):
            raise AttributeError(
                "TransformedTargetRegressor object has no n_features_in_ attribute."
            )
        return self.regressor_.n_features_in_  # type: ignore[no-any-return]

    def _tags(self) -> Tags:
        tags = super()._tags()
        inner = tags_of(LinearRegression() if self.regressor is None else self.regressor)
        tags.poor_score = True
        tags.sparse = inner.sparse
        tags.multi_output = inner.multi_output
        tags.allow_nan = inner.allow_nan
        return tags


@persistable
class TargetFunctions(BaseEstimator):
    """A function and its inverse as a transformer; None is the identity."""

    def __init__(
        self, func: Callable[..., Any] | None, inverse_func: Callable[..., Any] | None
    ) -> None:
        self.func = func
        self.inverse_func = inverse_func

    def fit(self, X: Any, y: Any = None) -> "TargetFunctions":
        """Do nothing."""
        return self

    def transform(self, X: Any) -> Any:
        """Return the function of `X`."""
        return X if self.func is None else self.func(X)

    def inverse_transform(self, X: Any) -> Any:
        """Return the inverse function of `X`."""
        return X if self.inverse_func is None else self.inverse_func(X)


def _as_target(y: Any) -> NDArray[Any]:
    """Return the target as an array of numbers, of any number of axes."""
    if getattr(y, "ndim", 0) <= 2:
        return check_y(y, multi_output=True, y_numeric=True, estimator="TransformedTargetRegressor")
    target = np.asarray(y, dtype=np.float64)
    check_array(target.reshape(len(target), -1), input_name="y")
    return target


def _warn_unless_inverse(transformer: Any, target: NDArray[Any]) -> None:
    sample = target[:: max(1, len(target) // 10)]
    back = transformer.inverse_transform(transformer.transform(sample))
    if not np.allclose(sample, back):
        warnings.warn(
            "The provided functions or transformer are not strictly inverse of each other. If you "
            "are sure you want to proceed regardless, set 'check_inverse=False'",
            UserWarning,
            stacklevel=4,
        )
