"""AdaBoost for classes: SAMME over any classifier that takes weights."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._composition import available_if
from gramian._draws import random_state_of
from gramian._trees.ensemble import TreeEnsemble
from gramian._trees.fit_many import SharedRows
from gramian._trees.forest import Forest
from gramian._trees.grow import as_trees
from gramian._trees.tree import criterion_of
from gramian._typing import Floats
from gramian.base import ClassifierMixin
from gramian.config import core_context
from gramian.ensemble._ada_base import BaseWeightBoosting, Round, is_of_trees
from gramian.ensemble._members import make_member, takes_weights
from gramian.ensemble._tree_members import TreeMembers
from gramian.metrics import accuracy_score
from gramian.multiclass import check_classification_targets
from gramian.params import OneOf, param
from gramian.tree import DecisionTreeClassifier
from gramian.validation import check_is_fitted, names_checked, seed_of

__all__ = ["AdaBoostClassifier"]

_HIGHEST_SEED = np.iinfo(np.int32).max


def _is_binary_adaboost(model: Any) -> bool:
    if len(vars(model).get("classes_", ())) != 2 or model.learning_rate != 1.0:
        raise AttributeError(
            "The bound of the training error holds for two classes and learning_rate=1."
        )
    return True


class AdaBoostClassifier(ClassifierMixin, BaseWeightBoosting):
    """A vote of weak classifiers, each fitted to what those before it got wrong.

    Round t fits a copy of the estimator to the rows with weights w, which start equal, and finds
    its error, the share of the weight on rows that it gets wrong,
    ``e = sum_i w_i [wrong_i] / sum_i w_i``. It then has the weight

        ``a = learning_rate (log((1 - e) / e) + log(n_classes - 1))``

    in the vote, and w of the rows that it got wrong is multiplied by ``exp(a)``. For two classes
    this is AdaBoost as Freund and Schapire wrote it, with ``alpha = a / 2`` and
    ``w exp(-alpha y h(x))``, up to a factor that all rows have; for more classes it is SAMME.
    Boosting ends early with a member without errors, or with one no better than chance, which is
    left out.

    If the members are our own trees, as by default, the columns are sorted once for all rounds.

    Parameters
    ----------
    estimator : classifier, optional
        Copied and fitted with weights; None is a `DecisionTreeClassifier` with ``max_depth=1``.
    n_estimators : int, default=50
        Most rounds.
    learning_rate : float, default=1.0
        Factor of each member's weight; fewer than one need more rounds.
    random_state : int, RandomState, Generator or None, default=None
        Source of the members' seeds, if they have a ``random_state``.
    algorithm : {"SAMME"}, default="SAMME"
        Kept for programs that say it; there is no other.

    Attributes
    ----------
    estimator_ : classifier
        What was copied.
    estimators_ : list of classifiers
        The members.
    estimator_weights_ : ndarray of shape (n_estimators,)
        The weight a of each member, twice the notes' alpha for two classes; 0 for rounds that were
        not needed.
    estimator_errors_ : ndarray of shape (n_estimators,)
        The error e of each member; 1 for rounds that were not needed.
    classes_ : ndarray of shape (n_classes,)
        The classes.
    n_classes_ : int
        How many there are.
    training_error_bound_ : float
        ``exp(-2 sum_t (1/2 - e_t)^2)``, which the share of wrong training rows does not exceed, for
        two classes and ``learning_rate=1``.
    feature_importances_ : ndarray of shape (n_features,)
        Mean of the members' importances, by their weights.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.

    References
    ----------
    .. [1] Y. Freund and R. Schapire, "A decision-theoretic generalization of on-line learning and
       an application to boosting", 1997.
    .. [2] J. Zhu, H. Zou, S. Rosset and T. Hastie, "Multi-class AdaBoost", 2009.

    Examples
    --------
    >>> from gramian.datasets import load_breast_cancer
    >>> from gramian.ensemble import AdaBoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = AdaBoostClassifier(n_estimators=100, random_state=0).fit(X, y)
    >>> model.score(X, y)
    1.0
    >>> model.estimator_errors_[:3].round(3)
    array([0.077, 0.119, 0.156])
    """

    algorithm: str = param("SAMME", OneOf("SAMME"))

    classes_: NDArray[Any]
    n_classes_: int

    def _base(self) -> Any:
        base = DecisionTreeClassifier(max_depth=1) if self.estimator is None else self.estimator
        if not takes_weights(base):
            raise ValueError(f"{type(base).__name__} doesn't support sample_weight.")
        return base

    def _read_target(self, y: NDArray[Any]) -> NDArray[Any]:
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.n_classes_ = len(self.classes_)
        return codes

    # -- fitting ----------------------------------------------------------------------------------

    def _boost(self, X: Any, y: NDArray[Any], weight: Floats) -> None:
        if self._grows_trees():
            self._members = self._boost_trees(X, y, weight)
            n_members = len(self._members.forest)
        else:
            self._members = self._run(self._fit_one(X, y), self._judge(y), weight)
            n_members = len(self._members)
        if n_members == 0:
            raise ValueError(
                "BaseClassifier in AdaBoostClassifier ensemble is worse than random, ensemble can "
                "not be fit."
            )

    def _boost_trees(self, X: Any, y: NDArray[Any], weight: Floats) -> TreeMembers:
        """Grow all trees in one native call, on columns that are sorted once."""
        template = make_member(self.estimator_, 0)
        rows = SharedRows(template, X, self.classes_[y], weight)
        rng = random_state_of(self.random_state)
        seeds = rng.randint(_HIGHEST_SEED, size=self.n_estimators).astype(np.int64)
        arrays, weights, errors, has_overflown = _core.boost_samme(
            rows.columns(),
            rows.growth.native(len(rows.n_levels)),
            labels=y.astype(np.int32),
            n_classes=self.n_classes_,
            weight=weight,
            rate=float(self.learning_rate),
            seeds=np.array([seed_of(seed) for seed in seeds.tolist()], dtype=np.uint64),
            ctx=core_context(),
        )
        n_members = len(weights)
        if has_overflown:
            self._warn_overflow(n_members - 1)
        self.estimator_weights_ = np.zeros(self.n_estimators)
        self.estimator_errors_ = np.ones(self.n_estimators)
        self.estimator_weights_[:n_members] = weights
        self.estimator_errors_[:n_members] = errors
        trees = as_trees(arrays, rows.target, rows.n_levels)
        return TreeMembers(template, Forest(trees, criterion_of(template), seeds[:n_members]))

    def _fit_one(self, X: Any, y: NDArray[Any]) -> Any:
        labels = self.classes_[y]

        def fit_one(rng: np.random.RandomState, weight: Floats) -> tuple[Any, NDArray[Any]]:
            member = make_member(self.estimator_, rng)
            member.fit(X, labels, sample_weight=weight)
            return member, np.asarray(member.predict(X))

        return fit_one

    def _judge(self, y: NDArray[Any]) -> Any:
        labels = self.classes_[y]

        def judge(predicted: NDArray[Any], weight: Floats) -> Round | None:
            is_wrong = predicted != labels
            error = float(np.average(is_wrong, weights=weight))
            if error <= 0:
                return Round(1.0, 0.0, None)
            if error >= 1.0 - 1.0 / self.n_classes_:
                return None
            log_odds = np.log((1.0 - error) / error) + np.log(self.n_classes_ - 1.0)
            a = float(self.learning_rate * log_odds)
            with np.errstate(over="ignore"):
                return Round(a, error, np.where(is_wrong, np.exp(a), 1.0))

        return judge

    @property
    def training_error_bound_(self) -> float:
        """What the share of wrong training rows does not exceed: ``exp(-2 sum (1/2 - e_t)^2)``."""
        check_is_fitted(self)
        _is_binary_adaboost(self)
        errors = self.estimator_errors_[: len(self.estimators_)]
        return float(np.exp(-2.0 * ((0.5 - errors) ** 2).sum()))

    # -- asking the members -----------------------------------------------------------------------

    def decision_function(self, X: Any) -> NDArray[Any]:
        """Return the sum of the weighted votes, as a share of all weights.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or (n_samples,) for two classes
            A member gives its weight to its class, and the same divided by ``1 - n_classes`` to
            each of the others. For two classes, the difference of both.
        """
        votes = self._voted(X)
        return self._decided(votes, float(self.estimator_weights_.sum()))

    def staged_decision_function(self, X: Any) -> Iterator[NDArray[Any]]:
        """Yield what `decision_function` returns with the first member, the first two, and so on.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        """
        norms = np.cumsum(self.estimator_weights_)
        for norm, votes in zip(norms.tolist(), self._staged_votes(self._rows(X)), strict=False):
            yield self._decided(votes, norm)

    def _voted(self, X: Any) -> Floats:
        """Return the sums of all votes; for two classes those of the second, in one column."""
        rows, members = self._rows(X), self._members
        if isinstance(members, TreeMembers):
            return members.votes(self.estimator_weights_).total(members.rows(rows))
        *_, total = self._staged_votes(rows)
        return total

    def _staged_votes(self, rows: Any) -> Iterator[Floats]:
        members = self._members
        if isinstance(members, TreeMembers):
            yield from members.votes(self.estimator_weights_).staged(members.rows(rows))
            return
        total: Any = 0.0
        for member, weight in zip(members, self.estimator_weights_, strict=False):
            total = total + self._vote(member, weight, rows)
            yield total

    def _vote(self, member: Any, weight: float, rows: Any) -> Floats:
        n_classes = self.n_classes_
        with names_checked():
            predicted = np.asarray(member.predict(rows))
        if n_classes == 2:
            return np.where(predicted == self.classes_[1], weight, -weight)[:, None]
        other = -weight / max(n_classes - 1, 1)
        return np.where(predicted[:, None] == self.classes_, weight, other)

    def _decided(self, votes: Floats, norm: float) -> Floats:
        if self.n_classes_ == 1:
            return np.zeros_like(votes)
        return 2.0 * votes[:, 0] / norm if self.n_classes_ == 2 else votes / norm

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class with the most votes.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        """
        return self._named(self.decision_function(X))

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """Yield the predictions of the first member, of the first two, and so on.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        """
        for decision in self.staged_decision_function(X):
            yield self._named(decision)

    def _named(self, decision: NDArray[Any]) -> NDArray[Any]:
        best = decision > 0 if decision.ndim == 1 else decision.argmax(axis=1)
        named: NDArray[Any] = self.classes_.take(best, axis=0)
        return named

    def predict_proba(self, X: Any) -> NDArray[Any]:
        """Return the softmax of the votes, divided by ``n_classes - 1``.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return self._shares(self.decision_function(X))

    def staged_predict_proba(self, X: Any) -> Iterator[NDArray[Any]]:
        """Yield the probabilities by the first member, by the first two, and so on.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        """
        for decision in self.staged_decision_function(X):
            yield self._shares(decision)

    def _shares(self, decision: NDArray[Any]) -> NDArray[Any]:
        from scipy.special import expit, softmax

        if decision.ndim == 1:
            return np.column_stack([expit(-decision), expit(decision)])
        shares: NDArray[Any] = softmax(decision / max(self.n_classes_ - 1, 1), axis=1)
        return shares

    def predict_log_proba(self, X: Any) -> NDArray[Any]:
        """Return the logarithms of `predict_proba`.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        """
        result: NDArray[Any] = np.log(self.predict_proba(X))
        return result

    def staged_score(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[float]:
        """Yield the accuracy of the first member, of the first two, and so on.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Classes.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows.
        """
        for predicted in self.staged_predict(X):
            yield float(accuracy_score(y, predicted, sample_weight=sample_weight))

    # -- for inspection ---------------------------------------------------------------------------

    @available_if(is_of_trees)
    def _tree_ensemble(self) -> TreeEnsemble:
        assert isinstance(self._members, TreeMembers)
        sums = self._members.votes(self.estimator_weights_)
        factor = 2.0 if self.n_classes_ == 2 else 1.0
        scale = np.full(sums.trees.n_trees, factor / self.estimator_weights_.sum())
        return TreeEnsemble(sums.trees, scale, np.zeros(sums.n_outputs), "decision_function")
