"""What both kinds of bagging share: draws, fits, and the mean of what the members say."""

import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._composition import available_if
from gramian._draws import random_state_of
from gramian._levels.matrix import are_same, shares_of
from gramian._parts import run_parts
from gramian._requests import raise_for_params, routing_enabled
from gramian._routing import (
    MetadataRouter,
    MethodMapping,
    Routed,
    fitting,
    process_routing,
    route,
)
from gramian._rows import take_rows
from gramian._tags import tags_of
from gramian._trees.ensemble import TreeEnsemble
from gramian._trees.fit_many import can_fit_many, fit_many
from gramian._trees.member_draws import Draws, Indices, n_columns_drawn, n_rows_drawn
from gramian._trees.trees import Trees
from gramian.base import BaseEstimator, MetaEstimatorMixin, Tags
from gramian.config import n_workers_for
from gramian.ensemble._columns import in_order_of_fit
from gramian.ensemble._members import add_up, answer_of, fit_members, make_trees
from gramian.ensemble._sequence import MemberSequence
from gramian.params import Boolean, Estimator, Integer, Nothing, RandomState, Real, param
from gramian.table import Table
from gramian.tree import BaseDecisionTree
from gramian.validation import check_fit, check_is_fitted, check_predict, names_checked

__all__ = ["BaseBagging"]

_HIGHEST_SEED = np.iinfo(np.int32).max
_N_SUMS = 16
_SHARE = Real(0.0, 1.0, closed="right")


def _is_of_trees(bagging: Any) -> bool:
    """Tell whether all members are our trees of all columns, whose mean is the prediction."""
    members = vars(bagging).get("estimators_", [])
    is_soft = getattr(bagging, "voting", "soft") == "soft"
    is_whole = all(draws.takes_all_columns for draws in vars(bagging).get("_draws", []))
    return bool(members) and is_soft and is_whole and isinstance(members[0], BaseDecisionTree)


class BaseBagging(MetaEstimatorMixin, MemberSequence, BaseEstimator):
    """Copies of an estimator, each fitted to rows and columns drawn at random."""

    estimator: Any = param(None, Nothing() | Estimator(("fit", "predict")), positional=True)
    n_estimators: int = param(10, Integer(1), positional=True)
    max_samples: Any = param(None, Nothing() | Integer(1) | _SHARE)
    max_features: Any = param(1.0, Integer(1) | _SHARE)
    bootstrap: bool = param(True, Boolean())
    bootstrap_features: bool = param(False, Boolean())
    oob_score: bool = param(False, Boolean())
    warm_start: bool = param(False, Boolean())
    n_jobs: int | None = param(None, Integer() | Nothing())
    random_state: Any = param(None, RandomState())
    verbose: int = param(0, Integer(0) | Boolean())

    n_features_in_: int
    encoding_: None
    estimators_: list[Any]
    estimators_features_: list[Indices]
    _draws: list[Draws]

    # -- written by the classifier and the regressor ----------------------------------------------

    def _base(self) -> Any:
        """Return the estimator to copy."""
        raise NotImplementedError(f"{type(self).__name__} must write _base.")

    def _read_target(self, y: NDArray[Any]) -> NDArray[Any]:
        """Return the target that the members are fitted to."""
        raise NotImplementedError(f"{type(self).__name__} must write _read_target.")

    def _set_oob_score(self, X: Any, y: NDArray[Any]) -> None:
        """Score the predictions of each row by the members that were not fitted to it."""
        raise NotImplementedError(f"{type(self).__name__} must write _set_oob_score.")

    # -- fitting ----------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any) -> Any:
        """Draw rows and columns for each member, and fit it to them.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            Whatever the estimator takes.
        y : array-like of shape (n_samples,)
            The target.
        sample_weight : array-like of shape (n_samples,), optional
            How probable it is to draw each row, up to a factor.
        **fit_params : dict
            What the estimator's ``fit`` requests, while metadata routing is on.
        """
        raise_for_params(fit_params, self, "fit")
        X, y, weight = self._read(X, y, sample_weight)
        self.estimator_ = self._base()
        routed = route(self, "fit", fit_params, Routed(estimator=fitting(fit_params)))
        draws = self._new_draws(len(y), weight)
        if draws is None:
            return self
        self._add(draws, self._fit_members(draws, X, y, routed["estimator"]["fit"]))
        vars(self).pop("oob_score_", None)
        if self.oob_score:
            self._set_oob_score(X, y)
        return self

    def _read(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, NDArray[Any], Any]:
        """Return what the members are fitted to, a data frame as it is, and the weights."""
        data = check_fit(
            self,
            X,
            y,
            sample_weight,
            accept_sparse=("csr", "csc"),
            multi_output=True,
            dtype=None,
            check_finite=False,
        )
        del self.encoding_  # the members encode data frames themselves
        if sample_weight is not None and not self.bootstrap:
            warnings.warn(
                f"When fitting {type(self).__name__} with sample_weight it is recommended to use "
                f"bootstrap=True, got {self.bootstrap}.",
                UserWarning,
                stacklevel=4,
            )
        assert data.y is not None
        rows = X if isinstance(data.X, Table) else data.X
        return rows, self._read_target(data.y), data.sample_weight

    def _new_draws(self, n_samples: int, sample_weight: Any) -> Draws | None:
        """Return the draws of the members to add; None if there are none to add."""
        rng = random_state_of(self.random_state)
        max_samples = n_rows_drawn(self.max_samples, n_samples, sample_weight)
        if not self.bootstrap and max_samples > n_samples:
            raise ValueError(
                f"Effective max_samples={max_samples} must be <= n_samples={n_samples} to be able "
                "to sample without replacement."
            )
        max_features = n_columns_drawn(self.max_features, self.n_features_in_)
        n_new = self._n_to_add()
        if n_new == 0:
            return None
        rng.randint(_HIGHEST_SEED, size=self.n_estimators - n_new)  # those of the members there
        return Draws(
            rng.randint(_HIGHEST_SEED, size=n_new),
            n_samples,
            self.n_features_in_,
            max_samples,
            max_features,
            bool(self.bootstrap),
            bool(self.bootstrap_features),
            sample_weight,
        )

    def _n_to_add(self) -> int:
        """Return how many members to fit; check what excludes one another."""
        if self.oob_score and not self.bootstrap:
            raise ValueError("Out of bag estimation only available if bootstrap=True")
        if self.oob_score and self.warm_start:
            raise ValueError("Out of bag estimate only available if warm_start=False")
        n_fitted = len(self._fitted_before())
        n_new = self.n_estimators - n_fitted
        if n_new < 0:
            raise ValueError(
                f"n_estimators={self.n_estimators} must be larger or equal to "
                f"len(estimators_)={n_fitted} when warm_start==True"
            )
        if n_new == 0:
            warnings.warn(
                "Warm-start fitting without increasing n_estimators does not fit new trees.",
                UserWarning,
                stacklevel=5,
            )
        return n_new

    def _fitted_before(self) -> list[Any]:
        """Return the members to keep."""
        return vars(self).get("estimators_", []) if self.warm_start else []

    def _fit_members(
        self, draws: Draws, X: Any, y: NDArray[Any], params: dict[str, Any]
    ) -> list[Any]:
        """Fit a member to each of some draws, in the order of their seeds.

        Our own trees are grown all at once: ``draws.draw(seed)`` gives the rows of a member, whose
        numbers of occurrences are weights.
        """
        from joblib import effective_n_jobs

        if (
            can_fit_many(self.estimator_)
            and draws.takes_all_columns
            and not (params or self.verbose or routing_enabled())
        ):
            return self._fit_trees(draws, X, y)
        n_calls = min(effective_n_jobs(n_workers_for(self.n_jobs)), len(draws.seeds))
        n_told = len(draws.seeds) if self.verbose > 1 else 0
        calls = [
            (self.estimator_, draws, seeds.tolist(), (X, y), params, n_told)
            for seeds in np.array_split(draws.seeds, n_calls)
        ]
        parts = run_parts(fit_members, calls, self.n_jobs, verbose=int(self.verbose))
        return [member for part in parts for member in part]

    def _fit_trees(self, draws: Draws, X: Any, y: NDArray[Any]) -> list[Any]:
        """Fit trees to all draws in one native call."""
        members = make_trees(self.estimator_, draws.seeds.tolist())
        rng = np.random.RandomState(0)

        def counts(index: int) -> NDArray[Any]:
            rows = draws.draw(draws.seeds[index], rng)[0]
            return np.bincount(rows, minlength=draws.n_samples).astype(np.float64)

        fit_many(members, X, y, counts, self.n_jobs)
        return members

    def _add(self, draws: Draws, members: list[Any]) -> None:
        """Keep new members and their draws beside those that are there."""
        before = self._fitted_before()
        kept: tuple[Any, Any] = (self.estimators_features_, self._draws) if before else ([], [])
        self.estimators_ = [*before, *members]
        self.estimators_features_ = [*kept[0], *(draws.columns(seed) for seed in draws.seeds)]
        self._draws = [*kept[1], draws]

    @property
    def estimators_samples_(self) -> list[Indices]:
        """The rows drawn for each member, drawn anew at each call."""
        return [draws.draw(seed)[0] for draws in self._draws for seed in draws.seeds]

    # -- asking the members -----------------------------------------------------------------------

    def _members(self) -> list[tuple[Any, Indices | None]]:
        """Return each member and its columns; None for all in their order."""
        everything = np.arange(self.n_features_in_)
        columns_of = self.estimators_features_[: len(self.estimators_)]  # some may be taken out
        pairs = zip(self.estimators_, columns_of, strict=True)
        return [
            (member, None if np.array_equal(columns, everything) else columns)
            for member, columns in pairs
        ]

    def _rows(self, X: Any) -> Any:
        """Return new rows with the columns in the order of fit; a data frame stays one."""
        data = check_predict(self, X, accept_sparse=("csr", "csc"), dtype=None, check_finite=False)
        return in_order_of_fit(self, X) if isinstance(data, Table) else data

    def _joined(
        self,
        ask: Callable[..., NDArray[Any]],
        X: Any,
        params: dict[str, Any],
        join: Callable[..., NDArray[Any]] = np.add,
    ) -> NDArray[Any]:
        """Return the sum of what all members say of new rows, or what else `join` makes of it."""
        rows, members = self._rows(X), self._members()
        # The partial sums do not depend on n_jobs, so that the result has the same bits for any.
        size = -(-len(members) // _N_SUMS)
        calls = [
            (ask, members[start : start + size], rows, params, join)
            for start in range(0, len(members), size)
        ]
        total, *others = run_parts(add_up, calls, self.n_jobs, verbose=int(self.verbose))
        for part in others:
            total = join(total, part)
        found: NDArray[Any] = total
        return found

    def _mean(self, method: str, X: Any, params: dict[str, Any]) -> NDArray[Any]:
        """Return the mean of what a method of the members says."""
        raise_for_params(params, self, method)
        check_is_fitted(self)
        given = process_routing(self, method, params)["estimator"][method]
        return self._joined(partial(answer_of, method=method), X, given) / len(self.estimators_)

    def _out_of_bag(
        self, ask: Callable[..., NDArray[Any]], X: Any, n_samples: int
    ) -> Iterator[tuple[NDArray[np.bool_], NDArray[Any]]]:
        """Yield for each member the mask of rows it was not fitted to, and what it says of them."""
        for member, rows in zip(self._members(), self.estimators_samples_, strict=True):
            is_out = np.ones(n_samples, dtype=np.bool_)
            is_out[rows] = False
            if is_out.any():
                yield is_out, add_up(ask, [member], take_rows(X, is_out), {})

    def _warn_unless_all(self, is_scored: NDArray[np.bool_]) -> None:
        if not is_scored.all():
            warnings.warn(
                "Some inputs do not have OOB scores. This probably means too few estimators were "
                "used to compute any reliable oob estimates.",
                UserWarning,
                stacklevel=5,
            )

    # -- bags of trees, for inspection ------------------------------------------------------------

    @available_if(_is_of_trees)
    def _tree_ensemble(self) -> TreeEnsemble:
        members = self.estimators_
        first = members[0]._table_levels
        if not all(are_same(member._table_levels, first) for member in members):
            raise ValueError(
                "The members read the columns of text each in its own way, so that their trees "
                "have no columns in common."
            )
        return TreeEnsemble.mean_of(
            Trees.concatenate([member.tree_.trees for member in members]), shares_of(first)
        )

    @available_if(_is_of_trees)
    def _tree_rows(self, X: Any) -> Any:
        rows = self._rows(X)
        with names_checked():
            return self.estimators_[0]._tree_rows(rows)

    @available_if(_is_of_trees)
    def _tree_predictions(self, X: Any) -> NDArray[np.float64]:
        rows, trees = self._rows(X), self.estimators_
        method = "predict" if trees[0]._estimator_type == "regressor" else "predict_proba"
        with names_checked():
            return np.stack([getattr(tree, method)(rows) for tree in trees], axis=1)

    # -- as a sequence, and for tools -------------------------------------------------------------

    def _method_mapping(self) -> MethodMapping:
        return MethodMapping(fit="fit", predict="predict")

    def get_metadata_routing(self) -> MetadataRouter:
        """Return which arguments go to which methods of the estimator."""
        router = MetadataRouter(self)
        return router.add(estimator=self._base(), method_mapping=self._method_mapping())

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.native_table = True
        if self.estimator is None:  # a tree
            tags.sparse = tags.allow_nan = True
        else:
            inner = tags_of(self.estimator)
            tags.sparse, tags.allow_nan = inner.sparse, inner.allow_nan
        return tags
