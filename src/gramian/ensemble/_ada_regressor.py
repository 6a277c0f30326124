"""AdaBoost for numbers: Drucker's AdaBoost.R2 over any regressor."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._draws import draw_by_weight
from gramian._powers import exponent_beyond, largest_of, times_power
from gramian._quantiles import group_quantiles
from gramian._rows import take_rows
from gramian._trees.fit_many import SharedRows
from gramian._trees.forest import Forest
from gramian._trees.grow import grow
from gramian._trees.row_blocks import row_blocks
from gramian._trees.tree import Tree, criterion_of
from gramian._trees.trees import Trees
from gramian._typing import Floats
from gramian.base import RegressorMixin
from gramian.ensemble._ada_base import BaseWeightBoosting, FitOne, Round
from gramian.ensemble._members import make_member
from gramian.ensemble._tree_members import TreeMembers
from gramian.metrics import r2_score
from gramian.params import OneOf, param
from gramian.tree import DecisionTreeRegressor
from gramian.validation import names_checked, seed_of

__all__ = ["AdaBoostRegressor"]

_ANSWERS_AT_ONCE = 1 << 21
_DIFFERENCE_BITS = 1000  # differences of numbers up to 2^1000 are finite


class AdaBoostRegressor(RegressorMixin, BaseWeightBoosting):
    """The median of regressors, each fitted to rows that those before it predicted badly.

    Round t draws as many rows as there are, with replacement and by the weights w, which start
    equal, and fits a copy of the estimator to them. The loss of a row is ``l = |y - f(x)| / D``,
    where D is the largest of all, or ``l^2`` or ``1 - exp(-l)`` of it; the mean loss is
    ``e = sum_i w_i l_i``. With ``beta = e / (1 - e)``, w of a row is multiplied by
    ``beta^(learning_rate (1 - l))``, so that badly predicted rows gain, and the member has the
    weight ``learning_rate log(1 / beta)`` in the median. Boosting ends early with a perfect member,
    or with one with e of a half or more, which is left out.

    Parameters
    ----------
    estimator : regressor, optional
        Copied and fitted; None is a `DecisionTreeRegressor` with ``max_depth=3``.
    n_estimators : int, default=50
        Most rounds.
    learning_rate : float, default=1.0
        How far each round changes the weights.
    loss : {"linear", "square", "exponential"}, default="linear"
        The loss of a row.
    random_state : int, RandomState, Generator or None, default=None
        Source of the draws, and of the members' seeds; those of scikit-learn for the same number.

    Attributes
    ----------
    estimator_ : regressor
        What was copied.
    estimators_ : list of regressors
        The members.
    estimator_weights_ : ndarray of shape (n_estimators,)
        The weight of each member; 0 for rounds that were not needed.
    estimator_errors_ : ndarray of shape (n_estimators,)
        The mean loss of each member; 1 for rounds that were not needed.
    feature_importances_ : ndarray of shape (n_features,)
        Mean of the members' importances, by their weights.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.

    References
    ----------
    .. [1] H. Drucker, "Improving regressors using boosting techniques", 1997.

    Examples
    --------
    >>> from gramian.datasets import load_diabetes
    >>> from gramian.ensemble import AdaBoostRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = AdaBoostRegressor(n_estimators=100, random_state=0).fit(X, y)
    >>> round(model.score(X, y), 2)
    0.61
    """

    loss: str = param("linear", OneOf("linear", "square", "exponential"))

    def _base(self) -> Any:
        return DecisionTreeRegressor(max_depth=3) if self.estimator is None else self.estimator

    def _read_target(self, y: NDArray[Any]) -> NDArray[Any]:
        return y

    # -- fitting ----------------------------------------------------------------------------------

    def _boost(self, X: Any, y: NDArray[Any], weight: Floats) -> None:
        if not self._grows_trees():
            self._members = self._run(self._fit_one(X, y), self._judge(y), weight)
            return
        template = make_member(self.estimator_, 0)
        rows = SharedRows(template, X, y, np.ones(len(y)))
        grown = self._run(self._grow_one(rows), self._judge(y), weight)
        trees = Trees.concatenate([tree.trees for tree, _ in grown])
        seeds = np.array([seed for _, seed in grown], dtype=np.int64)
        self._members = TreeMembers(template, Forest(trees, criterion_of(template), seeds))

    def _grows_trees(self) -> bool:
        # A row that was drawn twice is two rows to the limits, but one with its weight doubled.
        base = self.estimator_
        return (
            super()._grows_trees()
            and isinstance(base, DecisionTreeRegressor)
            and (base.min_samples_split, base.min_samples_leaf) == (2, 1)
        )

    def _grow_one(self, rows: SharedRows) -> FitOne:
        columns, n = rows.columns(), len(rows.target.array)

        def grow_one(rng: np.random.RandomState, weight: Floats) -> tuple[Any, NDArray[Any]]:
            seed = int(make_member(self.estimator_, rng).random_state)
            drawn = draw_by_weight(rng, weight, n)
            counts = np.bincount(drawn, minlength=n).astype(np.float64)
            seeds = np.array([seed_of(seed)], dtype=np.uint64)
            trees = grow(columns, rows.target, counts, rows.growth, rows.n_levels, seeds)
            tree = Tree(rows.scale.trees_out(trees), criterion_of(self.estimator_))
            return (tree, seed), tree.predict(rows.X)[:, 0]

        return grow_one

    def _fit_one(self, X: Any, y: NDArray[Any]) -> FitOne:
        n = len(y)

        def fit_one(rng: np.random.RandomState, weight: Floats) -> tuple[Any, NDArray[Any]]:
            member = make_member(self.estimator_, rng)
            drawn = draw_by_weight(rng, weight, n)
            part = X[drawn] if hasattr(X, "tocsr") else take_rows(X, drawn)
            member.fit(part, y[drawn])
            return member, np.asarray(member.predict(X))

        return fit_one

    def _judge(self, y: NDArray[Any]) -> Any:
        exponent = exponent_beyond(largest_of(y), _DIFFERENCE_BITS)
        known = times_power(y, -exponent)

        def judge(predicted: NDArray[Any], weight: Floats) -> Round | None:
            away = np.abs(times_power(predicted, -exponent) - known)
            loss = np.where(weight > 0, away, 0.0)
            largest = loss.max()
            if largest > 0:
                loss = loss / largest
            if self.loss == "square":
                loss = loss**2
            elif self.loss == "exponential":
                loss = 1.0 - np.exp(-loss)
            error = float((weight * loss).sum())  # a product of BLAS depends on its threads
            if error <= 0:
                return Round(1.0, 0.0, None)
            if error >= 0.5:
                return None
            beta, rate = error / (1.0 - error), float(self.learning_rate)
            return Round(float(rate * np.log(1.0 / beta)), error, beta ** ((1.0 - loss) * rate))

        return judge

    def _keeps_useless(self, members: list[Any]) -> bool:
        return not members  # one member there must be

    # -- asking the members -----------------------------------------------------------------------

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the weighted median of the members' predictions.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        """
        rows, members = self._rows(X), self._members
        if not isinstance(members, TreeMembers):
            return self._median(self._each(rows))
        matrix = members.rows(rows)
        size = max(1, _ANSWERS_AT_ONCE // len(members.forest))
        blocks = (members.forest.each(part)[:, :, 0] for _, part in row_blocks(matrix, size))
        return np.concatenate([self._median(block) for block in blocks])

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """Yield the predictions of the first member, of the first two, and so on.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        """
        each = self._each(self._rows(X))
        for n_members in range(1, each.shape[1] + 1):
            yield self._median(each[:, :n_members])

    def _each(self, rows: Any) -> Floats:
        """Return the predictions of each member, of shape (n, n_members)."""
        members = self._members
        if isinstance(members, TreeMembers):
            return members.forest.each(members.rows(rows))[:, :, 0]
        with names_checked():
            return np.stack([np.asarray(member.predict(rows)) for member in members], axis=1)

    def _median(self, each: Floats) -> Floats:
        n, n_members = each.shape
        weight = self.estimator_weights_[:n_members]
        weights = np.tile(weight, n) if weight.any() else None  # one member of no use has weight 0
        ends = n_members * np.arange(n + 1)
        return group_quantiles(each.reshape(-1), weights, ends, [0.5], method="inverted_cdf")[:, 0]

    def staged_score(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[float]:
        """Yield R² of the first member, of the first two, and so on.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            The target.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows.
        """
        for predicted in self.staged_predict(X):
            yield float(r2_score(y, predicted, sample_weight=sample_weight))
