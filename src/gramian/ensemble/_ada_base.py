"""What both kinds of AdaBoost share: rounds of weighted fits, and the members they leave."""

import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gramian._composition import available_if
from gramian._draws import random_state_of
from gramian._tags import tags_of
from gramian._trees.fit_many import can_fit_many
from gramian._typing import Floats
from gramian.base import BaseEstimator, MetaEstimatorMixin, Tags
from gramian.ensemble._columns import in_order_of_fit
from gramian.ensemble._sequence import MemberSequence
from gramian.ensemble._tree_members import TreeMembers
from gramian.params import Estimator, Integer, Nothing, RandomState, Real, param
from gramian.table import Table
from gramian.validation import check_fit, check_is_fitted, check_predict

__all__ = ["BaseWeightBoosting", "Round", "is_of_trees"]

FitOne = Callable[[np.random.RandomState, Floats], tuple[Any, NDArray[Any]]]

_LEAST = float(np.finfo(np.float64).eps)


class Round(NamedTuple):
    """What a round says of its member, and of the rows."""

    weight: float
    error: float
    factor: Floats | None  # what the rows' weights are multiplied by; None: the member is perfect


def is_of_trees(model: Any) -> bool:
    """Tell whether the members are our own trees, kept in one format."""
    return isinstance(vars(model).get("_members"), TreeMembers)


class BaseWeightBoosting(MetaEstimatorMixin, MemberSequence, BaseEstimator):
    """Copies of an estimator, fitted one after another to rows whose weights change."""

    estimator: Any = param(None, Nothing() | Estimator(("fit", "predict")), positional=True)
    n_estimators: int = param(50, Integer(1))
    learning_rate: float = param(1.0, Real(0.0, closed="neither"))
    random_state: Any = param(None, RandomState())

    n_features_in_: int
    encoding_: None
    estimator_: Any
    estimator_weights_: Floats
    estimator_errors_: Floats
    _members: TreeMembers | list[Any]

    # -- written by the classifier and the regressor ----------------------------------------------

    def _base(self) -> Any:
        """Return the estimator to copy."""
        raise NotImplementedError(f"{type(self).__name__} must write _base.")

    def _read_target(self, y: NDArray[Any]) -> NDArray[Any]:
        """Return the target that the members are fitted to."""
        raise NotImplementedError(f"{type(self).__name__} must write _read_target.")

    def _boost(self, X: Any, y: NDArray[Any], weight: Floats) -> None:
        """Set the members, their weights and errors; the weights of the rows add up to one."""
        raise NotImplementedError(f"{type(self).__name__} must write _boost.")

    # -- fitting ----------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Fit the members one after another.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            Whatever the estimator takes.
        y : array-like of shape (n_samples,)
            The target.
        sample_weight : array-like of shape (n_samples,), optional
            The weights of the rows in the first round, up to a factor; all the same by default.
        """
        data = check_fit(
            self,
            X,
            y,
            sample_weight,
            accept_sparse=("csr", "csc"),
            y_numeric=self._estimator_type == "regressor",
            dtype=None,
            check_finite=False,
            allow_nd=True,  # the members see to it
        )
        del self.encoding_  # the members encode data frames themselves
        assert data.y is not None
        weight = np.ones(len(data.y)) if data.sample_weight is None else data.sample_weight
        self.estimator_ = self._base()
        rows = X if isinstance(data.X, Table) else data.X
        self._boost(rows, self._read_target(data.y), weight / weight.sum())
        return self

    def _grows_trees(self) -> bool:
        """Tell whether the members are trees that can share their columns."""
        base = self.estimator_
        return (
            can_fit_many(base)
            and base.ccp_alpha == 0
            and getattr(base, "class_weight", None) is None
        )

    def _run(
        self, fit_one: FitOne, judge: Callable[[NDArray[Any], Floats], Round | None], weight: Floats
    ) -> list[Any]:
        """Fit members until one is perfect or useless; return them, and set what is known of them.

        Parameters
        ----------
        fit_one : callable
            Takes the source of random numbers and the weights of the rows; returns the member and
            what it predicts for all rows.
        judge : callable
            Takes the predictions and the weights; None if the member is of no use.
        weight : ndarray of shape (n_samples,)
            Weights of the rows, which add up to one.
        """
        weights, errors = np.zeros(self.n_estimators), np.ones(self.n_estimators)
        rng, is_used = random_state_of(self.random_state), weight > 0
        members: list[Any] = []
        for k in range(self.n_estimators):
            weight = np.where(is_used, np.maximum(weight, _LEAST), 0.0)
            member, predicted = fit_one(rng, weight)
            found = judge(predicted, weight)
            if found is not None or self._keeps_useless(members):
                members.append(member)
            if found is None:
                break
            weights[k], errors[k] = found.weight, found.error
            if found.factor is None or k == self.n_estimators - 1:
                break
            weight = weight * found.factor
            total = weight.sum()
            if not np.isfinite(total):
                self._warn_overflow(k)
            if not (np.isfinite(total) and total > 0):
                break
            weight = weight / total
        self.estimator_weights_, self.estimator_errors_ = weights, errors
        return members

    def _keeps_useless(self, members: list[Any]) -> bool:
        """Tell whether a member of no use is kept."""
        return False

    def _warn_overflow(self, k: int) -> None:
        warnings.warn(
            f"Sample weights have reached infinite values, at iteration {k}, causing overflow. "
            "Iterations stopped. Try lowering the learning rate.",
            UserWarning,
            stacklevel=5,
        )

    # -- members ----------------------------------------------------------------------------------

    @property
    def estimators_(self) -> list[Any]:
        """The fitted members; trees are made at the first use."""
        check_is_fitted(self)
        members = self._members
        return members.models() if isinstance(members, TreeMembers) else members

    @property
    def feature_importances_(self) -> Floats:
        """Mean of the members' ``feature_importances_``, weighted by ``estimator_weights_``."""
        check_is_fitted(self)
        members = self.estimators_
        if not all(hasattr(member, "feature_importances_") for member in members):
            raise AttributeError(
                "Unable to compute feature importances since estimator does not have a "
                "feature_importances_ attribute"
            )
        importances = np.stack([member.feature_importances_ for member in members])
        total: Floats = self.estimator_weights_[: len(members)] @ importances
        result: Floats = total / self.estimator_weights_.sum()
        return result

    def _rows(self, X: Any) -> Any:
        """Return new rows with the columns in the order of fit; a data frame stays one."""
        check_is_fitted(self)
        data = check_predict(
            self,
            X,
            accept_sparse=("csr", "csc"),
            dtype=None,
            check_finite=False,
            allow_nd=True,
        )
        return in_order_of_fit(self, X) if isinstance(data, Table) else data

    @available_if(is_of_trees)
    def _tree_rows(self, X: Any) -> Any:
        assert isinstance(self._members, TreeMembers)
        return self._members.rows(self._rows(X))

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """Yield the predictions of the first member, of the first two, and so on.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        """
        raise NotImplementedError(f"{type(self).__name__} must write staged_predict.")

    def staged_score(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[float]:
        """Yield the score of the first member, of the first two, and so on.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            The target.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows.
        """
        raise NotImplementedError(f"{type(self).__name__} must write staged_score.")

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.native_table = True
        if self.estimator is None:  # a tree
            tags.sparse = tags.allow_nan = True
        else:
            inner = tags_of(self.estimator)
            tags.sparse, tags.allow_nan = inner.sparse, inner.allow_nan
        return tags
