"""Taking in, or leaving out, the column that helps most, again and again."""

import numbers
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gramian._requests import raise_for_params
from gramian._routing import MetadataRouter, MethodMapping, process_routing
from gramian._tags import tags_of
from gramian.base import BaseEstimator, MetaEstimatorMixin, Tags, clone, is_classifier
from gramian.feature_selection._base import SelectorMixin, read_fit
from gramian.metrics import check_scoring
from gramian.model_selection import check_cv, cross_val_score
from gramian.params import (
    Anything,
    Callables,
    Estimator,
    Integer,
    Nothing,
    OneOf,
    Real,
    Strings,
    param,
)
from gramian.validation import check_is_fitted

if TYPE_CHECKING:
    from typing import Self

Mask = NDArray[np.bool_]


class SequentialFeatureSelector(SelectorMixin, MetaEstimatorMixin, BaseEstimator):
    """Take in columns one by one, or leave them out, by the cross-validated score of a model.

    Parameters
    ----------
    estimator : estimator
        The model; it is copied, and needs no importances.
    n_features_to_select : "auto", int or float, default="auto"
        How many columns to keep, or which share; "auto" is half, or with `tol` until a step
        improves the score by less than that.
    tol : float, optional
        The least improvement; only with ``n_features_to_select="auto"``. May be negative when
        columns are left out.
    direction : {"forward", "backward"}, default="forward"
        Whether to begin with no column and take in, or with all and leave out.
    scoring : str or callable, optional
        What to measure; None asks the model's ``score``.
    cv : int, splitter, iterable of (train, test) or None, default=5
        How to split.
    n_jobs : int, optional
        How many splits joblib works on at the same time; -1 for one on each processor.

    Attributes
    ----------
    support_ : ndarray of shape (n_features,)
        Mask of the columns that are kept.
    n_features_to_select_ : int
        How many are kept.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    >>> from gramian.datasets import load_diabetes
    >>> from gramian.feature_selection import SequentialFeatureSelector
    >>> from gramian.linear_model import Ridge
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> selector = SequentialFeatureSelector(Ridge(alpha=0.01), n_features_to_select=3)
    >>> selector.fit(X, y).get_feature_names_out().tolist()
    ['bmi', 'bp', 's5']
    """

    estimator: Any = param(None, Estimator(("fit",)), positional=True)
    n_features_to_select: Any = param(
        "auto", OneOf("auto") | Integer(1) | Real(0.0, 1.0, closed="right")
    )
    tol: Any = param(None, Nothing() | Real(closed="neither"))
    direction: str = param("forward", OneOf("forward", "backward"))
    scoring: Any = param(None, Nothing() | Strings() | Callables())
    cv: Any = param(5, Anything())
    n_jobs: int | None = param(None, Integer() | Nothing())

    def __init__(
        self,
        estimator: Any,
        *,
        n_features_to_select: Any = "auto",
        tol: Any = None,
        direction: str = "forward",
        scoring: Any = None,
        cv: Any = 5,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.n_features_to_select = n_features_to_select
        self.tol = tol
        self.direction = direction
        self.scoring = scoring
        self.cv = cv
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None, **params: Any) -> "Self":
        """Search for the columns.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        y : array-like, optional
            The target; None for a model without one.
        **params : dict
            What the model, the splitter and the scorer request, while metadata routing is on.
        """
        raise_for_params(params, self, "fit")
        process_routing(self, "fit", params)  # raises for what nobody requests
        data, _ = read_fit(self, X, accept_sparse=("csc",), min_features=2)
        n_kept = self._number(data.shape[1])
        if self.tol is not None and self.tol < 0 and self.direction == "forward":
            raise ValueError(
                f"tol must be strictly positive when doing forward selection. Got {self.tol}."
            )
        splitter = check_cv(self.cv, y, classifier=is_classifier(self.estimator))
        by_number = self.n_features_to_select != "auto" and self.direction == "backward"
        score = partial(self._score, data, y, splitter, params)
        chosen = self._search(data.shape[1], data.shape[1] - n_kept if by_number else n_kept, score)
        self.support_ = chosen if self.direction == "forward" else ~chosen
        self.n_features_to_select_ = int(self.support_.sum())
        return self

    def _number(self, n_features: int) -> int:
        wanted = self.n_features_to_select
        if wanted == "auto":
            return n_features // 2 if self.tol is None else n_features - 1
        if not isinstance(wanted, numbers.Integral):
            return int(n_features * wanted)
        if int(wanted) >= n_features:
            raise ValueError(
                f"n_features_to_select must be < n_features. Got {wanted} of {n_features}."
            )
        return int(wanted)

    def get_metadata_routing(self) -> MetadataRouter:
        """Return which arguments go to the model, the splitter and the scorer."""
        scorer = check_scoring(self.estimator, self.scoring)
        return (
            MetadataRouter(self)
            .add(estimator=self.estimator, method_mapping=MethodMapping(fit="fit"))
            .add(splitter=self.cv, method_mapping=MethodMapping(fit="split"))
            .add(scorer=scorer, method_mapping=MethodMapping(fit="score"))
        )

    def _search(self, n_features: int, n_steps: int, score: Callable[..., float]) -> Mask:
        """Return the columns that were taken in, or left out, in at most `n_steps` steps."""
        moved = np.zeros(n_features, dtype=np.bool_)
        stops_early = self.tol is not None and self.n_features_to_select == "auto"
        previous = -np.inf
        for _ in range(n_steps):
            scores = {column: score(moved, column) for column in np.flatnonzero(~moved)}
            best = max(scores, key=scores.__getitem__)
            if stops_early and scores[best] - previous < self.tol:
                break
            previous = scores[best]
            moved[best] = True
        return moved

    def _score(
        self, X: Any, y: Any, splitter: Any, params: dict[str, Any], moved: Mask, column: Any
    ) -> float:
        """Return the mean score if one more column is moved."""
        mask = moved.copy()
        mask[column] = True
        columns = np.flatnonzero(mask if self.direction == "forward" else ~mask)
        scores = cross_val_score(
            clone(self.estimator),
            X[:, columns],
            y,
            cv=splitter,
            scoring=self.scoring,
            n_jobs=self.n_jobs,
            params=params,
        )
        return float(scores.mean())

    def _get_support_mask(self) -> Mask:
        check_is_fitted(self)
        return self.support_

    def _tags(self) -> Tags:
        tags = super()._tags()
        inner = tags_of(self.estimator)
        tags.sparse = inner.sparse
        tags.allow_nan = tags.native_table = inner.allow_nan
        return tags
