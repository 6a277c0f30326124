"""Leaving out the least important columns, again and again."""

import numbers
import operator
import warnings
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gramian._composition import available_if
from gramian._interrupt import interruptible
from gramian._requests import raise_for_params
from gramian._routing import (
    MetadataRouter,
    MethodMapping,
    Routed,
    RoutedMethods,
    fitting,
    process_routing,
    route,
)
from gramian._tags import tags_of
from gramian.base import BaseEstimator, MetaEstimatorMixin, Tags, clone
from gramian.feature_selection._base import SelectorMixin, importances_of, read_fit
from gramian.params import Boolean, Callables, Estimator, Integer, Nothing, Real, Strings, param
from gramian.validation import check_is_fitted

if TYPE_CHECKING:
    from typing import Self

Mask = NDArray[np.bool_]


def _inner_has(name: str) -> Callable[[Any], bool]:
    """Return a check that the estimator, fitted if there is one, has a method."""

    def check(selector: Any) -> bool:
        getattr(vars(selector).get("estimator_", selector.estimator), name)
        return True  # an AttributeError of the estimator says why not

    return check


class EliminationBase(SelectorMixin, MetaEstimatorMixin, BaseEstimator):
    """What `RFE` and `RFECV` share: the elimination, and asking the final model."""

    estimator: Any = param(None, Estimator(("fit",)), positional=True)
    step: Any = param(1, Integer(1) | Real(0.0, 1.0, closed="neither"))
    verbose: Any = param(0, Integer(0) | Boolean())
    importance_getter: Any = param("auto", Strings() | Callables())

    estimator_: Any
    support_: Mask
    ranking_: NDArray[np.int64]

    def _eliminate(
        self, X: Any, y: Any, n_least: int, fit_params: dict[str, Any]
    ) -> Iterator[tuple[Any, Mask, NDArray[np.int64]]]:
        """Yield each fitted model with the columns it saw and their ranks, the smallest last."""
        n_features = X.shape[1]
        n_dropped = max(1, int(self.step * n_features)) if self.step < 1 else int(self.step)
        support = np.ones(n_features, dtype=np.bool_)
        ranking = np.ones(n_features, dtype=np.int64)
        while True:
            columns = np.flatnonzero(support)
            if self.verbose and len(columns) > n_least:
                print(f"Fitting estimator with {len(columns)} features.")
            model = clone(self.estimator)
            kept = interruptible(X.shape[0] * len(columns), operator.getitem, X, np.s_[:, columns])
            model.fit(kept, y, **fit_params)
            yield model, support.copy(), ranking.copy()
            if len(columns) <= n_least:
                return
            importances = importances_of(model, self.importance_getter, _sum_of_squares)
            least = np.argsort(importances, kind="stable")[: min(n_dropped, len(columns) - n_least)]
            support[columns[least]] = False
            ranking[~support] += 1

    def _get_support_mask(self) -> Mask:
        check_is_fitted(self)
        return self.support_

    @property
    def classes_(self) -> Any:
        """The classes of the final model."""
        return self.estimator_.classes_

    @available_if(_inner_has("predict"))
    def predict(self, X: Any, **params: Any) -> Any:
        """Keep the chosen columns and predict with the final model.

        `params` go to the model if it requests them, while metadata routing is on.
        """
        raise_for_params(params, self, "predict")
        given = process_routing(self, "predict", params)["estimator"]["predict"]
        return self._ask("predict", X, **given)

    @available_if(_inner_has("decision_function"))
    def decision_function(self, X: Any) -> Any:
        """Keep the chosen columns and return the final model's ``decision_function``."""
        return self._ask("decision_function", X)

    @available_if(_inner_has("predict_proba"))
    def predict_proba(self, X: Any) -> Any:
        """Keep the chosen columns and return the final model's ``predict_proba``."""
        return self._ask("predict_proba", X)

    @available_if(_inner_has("predict_log_proba"))
    def predict_log_proba(self, X: Any) -> Any:
        """Keep the chosen columns and return the final model's ``predict_log_proba``."""
        return self._ask("predict_log_proba", X)

    def _ask(self, method: str, X: Any, *args: Any, **params: Any) -> Any:
        """Return what a method of the final model says about the chosen columns."""
        chosen = self._read_new(X)[:, self.get_support(indices=True)]
        return getattr(self.estimator_, method)(chosen, *args, **params)

    def _tags(self) -> Tags:
        tags = super()._tags()
        inner = tags_of(self.estimator)
        tags.estimator_type = inner.estimator_type
        tags.multi_class, tags.multi_label = inner.multi_class, inner.multi_label
        tags.multi_output = inner.multi_output
        tags.sparse = inner.sparse
        tags.allow_nan = tags.native_table = inner.allow_nan
        tags.poor_score = tags.required_y = True
        return tags


def _sum_of_squares(rows: NDArray[Any]) -> NDArray[np.float64]:
    squares: NDArray[np.float64] = (rows**2).sum(axis=0)
    return squares


class RFE(EliminationBase):
    """Recursive feature elimination: fit, leave out the least important columns, fit again.

    Parameters
    ----------
    estimator : estimator
        Has ``coef_`` or ``feature_importances_`` after ``fit``; copied and fitted.
    n_features_to_select : int or float, optional
        How many columns to keep, or which share; None is half.
    step : int or float, default=1
        How many columns to leave out at a time, or which share of all.
    verbose : int, default=0
        Whether to print the number of columns at each step.
    importance_getter : str or callable, default="auto"
        Where the importances are: "auto", a dotted path of attributes, or a function of the fitted
        estimator.

    Attributes
    ----------
    support_ : ndarray of shape (n_features,)
        Mask of the columns that are kept.
    ranking_ : ndarray of shape (n_features,)
        1 for those, and the more, the earlier a column was left out.
    n_features_ : int
        How many are kept.
    estimator_ : estimator
        The model fitted to them.
    classes_ : ndarray
        Its classes, if it is a classifier.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    >>> from gramian.datasets import load_diabetes
    >>> from gramian.feature_selection import RFE
    >>> from gramian.linear_model import LinearRegression
    >>> X, y = load_diabetes(return_X_y=True)
    >>> RFE(LinearRegression(), n_features_to_select=3).fit(X, y).ranking_.tolist()
    [8, 4, 1, 3, 1, 2, 6, 5, 1, 7]
    """

    n_features_to_select: Any = param(None, Nothing() | Integer(1) | Real(0.0, 1.0, closed="right"))

    def __init__(
        self,
        estimator: Any,
        *,
        n_features_to_select: Any = None,
        step: Any = 1,
        verbose: Any = 0,
        importance_getter: Any = "auto",
    ) -> None:
        self.estimator = estimator
        self.n_features_to_select = n_features_to_select
        self.step = step
        self.verbose = verbose
        self.importance_getter = importance_getter

    def fit(self, X: Any, y: Any, **fit_params: Any) -> "Self":
        """Fit and eliminate.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        **fit_params : dict
            Parameters of the model's ``fit``.
        """
        data, target = read_fit(
            self, X, y, accept_sparse=("csc",), min_features=2, check_finite=False
        )
        n_least = self._number(data.shape[1])
        routed = route(self, "fit", fit_params, Routed(estimator=fitting(fit_params)))
        given = routed["estimator"]["fit"]
        for model, support, ranking in self._eliminate(data, target, n_least, given):
            self.estimator_, self.support_, self.ranking_ = model, support, ranking
        self.n_features_ = int(self.support_.sum())
        return self

    def _number(self, n_features: int) -> int:
        wanted = self.n_features_to_select
        if wanted is None:
            return n_features // 2
        if not isinstance(wanted, numbers.Integral):
            return int(n_features * wanted)
        if int(wanted) > n_features:
            warnings.warn(
                f"Found n_features_to_select={wanted!r} > n_features={n_features!r}. There will be "
                "no feature selection and all features will be kept.",
                UserWarning,
                stacklevel=4,
            )
        return int(wanted)

    @available_if(_inner_has("score"))
    def score(self, X: Any, y: Any, **score_params: Any) -> float:
        """Keep the chosen columns and return the final model's ``score``.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        **score_params : dict
            Parameters of the model's ``score``.
        """
        otherwise = Routed(estimator=RoutedMethods(score=score_params))
        given = route(self, "score", score_params, otherwise)["estimator"]["score"]
        return float(self._ask("score", X, y, **given))

    def get_metadata_routing(self) -> MetadataRouter:
        """Return which arguments go to the model."""
        mapping = MethodMapping(fit="fit", predict="predict", score="score")
        return MetadataRouter(self).add(estimator=self.estimator, method_mapping=mapping)
