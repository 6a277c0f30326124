"""Choosing the columns that matter to a model."""

import copy
import numbers
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gramian._column_blocks import as_frame
from gramian._composition import available_if
from gramian._parts import is_fitted
from gramian._routing import MetadataRouter, MethodMapping, Routed, fitting, route
from gramian._tags import tags_of
from gramian.base import BaseEstimator, MetaEstimatorMixin, Tags, clone
from gramian.exceptions import NotFittedError, shared
from gramian.feature_selection._base import SelectorMixin, importances_of, read_fit
from gramian.params import (
    Boolean,
    Callables,
    Constraint,
    Estimator,
    Integer,
    Nothing,
    Real,
    Strings,
    param,
)
from gramian.validation import check_array

if TYPE_CHECKING:
    from typing import Self

_SPARSE_DEFAULT = 1e-5
_FORMATS = ("csr", "csc")


class _Infinity(Constraint):
    def accepts(self, value: Any) -> bool:
        return isinstance(value, float) and bool(np.isinf(value))

    def describe(self) -> str:
        return "inf or -inf"


class _PartialFit:
    """``partial_fit``, for estimators that have it."""

    @available_if(lambda self: bool(self.estimator.partial_fit))
    def partial_fit(self, X: Any, y: Any = None, **partial_fit_params: Any) -> Any:
        """Fit the model to some more rows.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        y : array-like, optional
        **partial_fit_params : dict
            Parameters of the model's ``partial_fit``.
        """
        return self._partial_fit(X, y, partial_fit_params)  # type: ignore[attr-defined]


class SelectFromModel(_PartialFit, MetaEstimatorMixin, SelectorMixin, BaseEstimator):
    """Keep the columns whose importance for a model reaches a threshold.

    Parameters
    ----------
    estimator : estimator
        Has ``coef_`` or ``feature_importances_`` after ``fit``; copied and fitted.
    threshold : float or str, optional
        The importance that is enough: a number, "mean" or "median" of all, or such as
        "1.25*mean". None is 1e-5 for a model with an L1 penalty and the mean for others.
    prefit : bool, default=False
        Whether `estimator` is fitted already and only looked at.
    norm_order : int or inf, default=1
        The norm that joins the coefficients of several targets.
    max_features : int or callable, optional
        Most columns to keep, or a function of X that returns this number.
    importance_getter : str or callable, default="auto"
        Where the importances are: "auto", a dotted path of attributes, or a function of the fitted
        estimator.

    Attributes
    ----------
    estimator_ : estimator
        The fitted model.
    max_features_ : int
        The number, if `max_features` is given.
    threshold_ : float
        The threshold as a number.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    >>> from gramian.datasets import load_diabetes
    >>> from gramian.feature_selection import SelectFromModel
    >>> from gramian.linear_model import Ridge
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> SelectFromModel(Ridge()).fit(X, y).get_feature_names_out().tolist()
    ['bmi', 'bp', 's3', 's5']
    """

    estimator: Any = param(None, Estimator(("fit",)), positional=True)
    threshold: Any = param(None, Real() | Strings() | Nothing())
    prefit: bool = param(False, Boolean())
    norm_order: Any = param(1, Integer(high=-1, closed="right") | Integer(1) | _Infinity())
    max_features: Any = param(None, Integer(0) | Callables() | Nothing())
    importance_getter: Any = param("auto", Strings() | Callables())

    def __init__(
        self,
        estimator: Any,
        *,
        threshold: Any = None,
        prefit: bool = False,
        norm_order: Any = 1,
        max_features: Any = None,
        importance_getter: Any = "auto",
    ) -> None:
        self.estimator = estimator
        self.threshold = threshold
        self.prefit = prefit
        self.norm_order = norm_order
        self.max_features = max_features
        self.importance_getter = importance_getter

    def fit(self, X: Any, y: Any = None, **fit_params: Any) -> "Self":
        """Fit the model.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        y : array-like, optional
        **fit_params : dict
            Parameters of the model's ``fit``.
        """
        data = self._read(X)
        if self.prefit:
            self._require_fitted()
            model = copy.deepcopy(self.estimator)
        else:
            model = clone(self.estimator)
            routed = route(self, "fit", fit_params, Routed(estimator=fitting(fit_params)))
            model.fit(data, y, **routed["estimator"]["fit"])
        self._store_number(X)
        self.estimator_ = model
        return self

    def _partial_fit(self, X: Any, y: Any, params: dict[str, Any]) -> "Self":
        if self.prefit:
            return self if "estimator_" in vars(self) else self.fit(X, y)
        first = "estimator_" not in vars(self)
        model = clone(self.estimator) if first else self.estimator_
        routed = route(self, "partial_fit", params, Routed(estimator=fitting(params)))
        data = self._read(X) if first else self._read_new(X)
        model.partial_fit(data, y, **routed["estimator"]["partial_fit"])
        if first:
            self._store_number(X)
        self.estimator_ = model
        return self

    def get_metadata_routing(self) -> MetadataRouter:
        """Return which arguments go to the model."""
        mapping = MethodMapping(fit="fit", partial_fit="partial_fit")
        return MetadataRouter(self).add(estimator=self.estimator, method_mapping=mapping)

    def _read(self, X: Any) -> Any:
        """Return what the model is fitted to: `X` itself, or numbers if the model needs them."""
        matrix, _ = read_fit(self, X, accept_sparse=_FORMATS, check_finite=False)
        encoding = getattr(self, "encoding_", None)
        if encoding is not None and not encoding.is_identity:
            return matrix
        frame = as_frame(X)
        is_foreign = not isinstance(self.estimator, BaseEstimator)
        return matrix if is_foreign and frame is not None and not hasattr(X, "iloc") else X

    def _store_number(self, X: Any) -> None:
        vars(self).pop("max_features_", None)
        if self.max_features is None:
            return
        number = self.max_features(X) if callable(self.max_features) else self.max_features
        if not isinstance(number, numbers.Integral) or isinstance(number, bool):
            raise TypeError(
                f"max_features must be an instance of int, not {type(number).__name__}."
            )
        if number < 0:
            raise ValueError(f"max_features == {number}, must be >= 0.")
        self.max_features_ = int(number)

    def _require_fitted(self) -> None:
        if not is_fitted(self.estimator):
            raise shared(NotFittedError)(
                "When `prefit=True`, `estimator` is expected to be a fitted estimator."
            )

    @property
    def threshold_(self) -> float:
        """The threshold as a number."""
        return _threshold(self.estimator_, self._importances(self.estimator_), self.threshold)

    def _importances(self, model: Any) -> NDArray[np.float64]:
        def norm(rows: NDArray[Any]) -> NDArray[Any]:
            one = np.abs(rows[0]) if len(rows) == 1 else None
            result: NDArray[Any] = (
                np.linalg.norm(rows, axis=0, ord=self.norm_order) if one is None else one
            )
            return result

        return importances_of(model, self.importance_getter, norm)

    def _get_support_mask(self) -> NDArray[np.bool_]:
        if self.prefit:
            self._require_fitted()
        n_most = vars(self).get("max_features_", self.max_features)
        if callable(n_most):
            raise shared(NotFittedError)(
                "When `prefit=True` and `max_features` is a callable, call `fit` before calling "
                "`transform`."
            )
        if n_most is not None and not isinstance(n_most, numbers.Integral):
            raise ValueError(
                f"`max_features` must be an integer. Got `max_features={n_most}` instead."
            )
        model = vars(self).get("estimator_", self.estimator)
        importances = self._importances(model)
        mask = np.ones(len(importances), dtype=np.bool_)
        if n_most is not None:
            mask[np.argsort(-importances, kind="stable")[n_most:]] = False
        mask[importances < _threshold(model, importances, self.threshold)] = False
        return mask

    def _read_new(self, X: Any) -> Any:
        if "estimator_" in vars(self) or not self.prefit:
            return super()._read_new(X)
        self._require_fitted()
        data = check_array(X, accept_sparse=("csr",), dtype=None, ensure_all_finite=False)
        expected = len(self._get_support_mask())
        if data.shape[1] != expected:
            raise ValueError(
                f"X has {data.shape[1]} features, but SelectFromModel is expecting {expected} "
                "features as input."
            )
        return data

    def __sklearn_is_fitted__(self) -> bool:
        return "estimator_" in vars(self)

    def _tags(self) -> Tags:
        tags = super()._tags()
        inner = tags_of(self.estimator)
        tags.sparse = inner.sparse
        tags.allow_nan = tags.native_table = inner.allow_nan
        return tags


def _threshold(model: Any, importances: NDArray[np.float64], threshold: Any) -> float:
    """Return the threshold that a number, a text or None means."""
    if threshold is None:
        threshold = _SPARSE_DEFAULT if _has_l1_penalty(model) else "mean"
    if not isinstance(threshold, str):
        return float(threshold)
    factor, star, reference = threshold.rpartition("*")
    means: dict[str, Callable[..., Any]] = {"mean": np.mean, "median": np.median}
    if reference.strip() not in means:
        known = "Unknown reference: " if star else "Expected threshold='mean' or 'median', got "
        raise ValueError(f"{known}{reference.strip()}")
    scale = float(factor) if star else 1.0
    return scale * float(means[reference.strip()](importances))


def _has_l1_penalty(model: Any) -> bool:
    """Tell whether a model makes coefficients exactly zero."""
    name = type(model).__name__
    if getattr(model, "penalty", None) == "l1" or "Lasso" in name:
        return True
    ratio = {"ElasticNet": "l1_ratio", "LogisticRegression": "l1_ratio"}.get(name)
    ratio = ratio or {"ElasticNetCV": "l1_ratio_", "LogisticRegressionCV": "l1_ratio_"}.get(name)
    value = getattr(model, ratio, None) if ratio else None
    return value is not None and bool(np.all(np.isclose(np.asarray(value, dtype=float), 1.0)))
