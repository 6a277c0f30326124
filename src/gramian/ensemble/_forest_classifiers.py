"""Forests that predict classes."""

import warnings
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from gramian._trees.ensemble import TreeEnsemble
from gramian._trees.grow import TreeTarget
from gramian._trees.out_of_bag import OutOfBag
from gramian._trees.target import class_target, weights_of_rows
from gramian._trees.tree import Tree
from gramian._typing import Floats
from gramian.base import ClassifierMixin, Tags
from gramian.ensemble._forest_base import FEATURES
from gramian.ensemble._forest_supervised import SupervisedForest
from gramian.metrics import accuracy_score
from gramian.params import Arrays, Boolean, Mappings, Nothing, OneOf, param
from gramian.tree import BaseDecisionTree, DecisionTreeClassifier, ExtraTreeClassifier
from gramian.validation import FitData

__all__ = ["ExtraTreesClassifier", "ForestClassifier", "RandomForestClassifier"]


class ForestClassifier(ClassifierMixin, SupervisedForest):
    """Base of forests that predict classes."""

    criterion: str = param("gini", OneOf("gini", "entropy", "log_loss", "misclassification"))
    max_features: int | float | str | None = param("sqrt", FEATURES)
    class_weight: Any = param(
        None, OneOf("balanced", "balanced_subsample") | Mappings() | Arrays() | Nothing()
    )
    voting: str = param("soft", OneOf("soft", "hard"))

    classes_: Any
    n_classes_: Any
    oob_decision_function_: Floats

    _oob_names: ClassVar[tuple[str, ...]] = ("oob_decision_function_",)

    # -- fit ------------------------------------------------------------------------------------

    def _read_target(self, data: FitData) -> tuple[TreeTarget, Floats | None]:
        assert data.y is not None
        classes, target = class_target(data.y)
        n_classes = [len(labels) for labels in classes]
        if len(classes) == 1:
            self.classes_, self.n_classes_ = classes[0], n_classes[0]
        else:
            self.classes_, self.n_classes_ = classes, n_classes
        class_weight = self.class_weight
        if isinstance(class_weight, str):
            if self.warm_start:
                warnings.warn(
                    'class_weight presets "balanced" or "balanced_subsample" are not recommended '
                    "for warm_start if the fitted data differs from the full dataset. Pass the "
                    "weights of the classes in the full dataset as a dict.",
                    UserWarning,
                    stacklevel=4,
                )
            is_by_tree = class_weight == "balanced_subsample" and self.bootstrap
            class_weight = None if is_by_tree else "balanced"
        return target, weights_of_rows(class_weight, classes, target, data.sample_weight)

    def _known_target(self, y: NDArray[Any]) -> TreeTarget:
        classes = [self.classes_] if self.n_outputs_ == 1 else self.classes_
        found, target = class_target(y)
        known = [list(labels) for labels in classes]
        if [list(labels) for labels in found] != known:
            raise ValueError(f"y must hold the classes of the fit, {known}.")
        return target

    def _votes_hard(self) -> bool:
        return self.voting == "hard"

    def _oob_scored(self, out: OutOfBag) -> float:
        shares = self._by_output(out.mean)
        stacked = np.stack(shares, axis=-1)
        self.oob_decision_function_ = stacked[:, :, 0] if len(shares) == 1 else stacked
        found, known = np.argmax(self.oob_decision_function_, axis=1), out.target.array
        score = self.oob_score if callable(self.oob_score) else accuracy_score
        return float(score(known[:, 0] if len(shares) == 1 else known, found))

    def _view(self, tree: Tree, seed: int) -> BaseDecisionTree:
        model = super()._view(tree, seed)
        n_classes = np.atleast_1d(self.n_classes_)
        classes = [np.arange(n, dtype=np.float64) for n in n_classes.tolist()]
        is_single = self.n_outputs_ == 1
        model.classes_ = classes[0] if is_single else classes
        model.n_classes_ = n_classes[0] if is_single else n_classes  # type: ignore[attr-defined]
        return model

    # -- rows -------------------------------------------------------------------------------------

    def _by_output(self, shares: Floats) -> list[Floats]:
        """Return the columns of each output."""
        if self.n_outputs_ == 1:
            return [shares]
        return np.split(shares, np.cumsum(self.n_classes_)[:-1], axis=1)

    def _shares(self, X: Any) -> list[Floats]:
        rows = self._rows(X)
        ask = self._forest.votes if self.voting == "hard" else self._forest.mean
        return self._by_output(ask(rows, self.n_jobs))

    def _tree_ensemble(self) -> TreeEnsemble:
        if self.voting == "hard":
            raise ValueError(
                "The shares of hard votes are no sum of what leaves give; fit with voting='soft'."
            )
        return super()._tree_ensemble()

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class with the highest mean probability, or with the most votes.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_outputs)
        """
        best = [np.argmax(shares, axis=1) for shares in self._shares(X)]
        if self.n_outputs_ == 1:
            one: NDArray[Any] = self.classes_.take(best[0], axis=0)
            return one
        columns = [labels.take(k) for labels, k in zip(self.classes_, best, strict=True)]
        return np.column_stack(columns).astype(self.classes_[0].dtype, copy=False)

    def predict_proba(self, X: Any) -> Any:
        """Return the mean of the trees' probabilities, or the shares of their votes.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or list of such for several outputs
            In the order of ``classes_``.
        """
        shares = self._shares(X)
        return shares[0] if self.n_outputs_ == 1 else shares

    def predict_log_proba(self, X: Any) -> Any:
        """Return the logarithms of ``predict_proba``; minus infinity for a share of zero.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or list of such for several outputs
        """
        with np.errstate(divide="ignore"):
            logs = [np.log(shares) for shares in self._shares(X)]
        return logs[0] if self.n_outputs_ == 1 else logs

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.multi_label = True
        return tags


class RandomForestClassifier(ForestClassifier):
    """Classification by the mean of trees, each grown on rows drawn at random.

    Each tree is grown on as many rows as there are, drawn with replacement, and each of its nodes
    looks at a few features drawn at random. The mean of B trees of variance v, two of which have
    the correlation r, has the variance ``r v + (1 - r) v / B``: the draws of features lower r, and
    the number of trees the second part.

    Columns of text and unordered categories of a data frame are split by sets of their levels; a
    missing value goes to the side that suits the training rows best.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees; with `early_stop` the most.
    criterion : {"gini", "entropy", "log_loss", "misclassification"}, default="gini"
        The impurity that splits lower; see `DecisionTreeClassifier`.
    max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf
        As for `DecisionTreeClassifier`.
    max_features : int, float, "sqrt", "log2" or None, default="sqrt"
        How many features, drawn for each node, are looked at; a float is a share of all.
    max_leaf_nodes, min_impurity_decrease, ccp_alpha, monotonic_cst
        As for `DecisionTreeClassifier`.
    bootstrap : bool, default=True
        Whether rows are drawn with replacement for each tree; otherwise all get every row.
    oob_score : bool or callable, default=False
        Whether to predict each training row by the trees that have not seen it, and score that: by
        the accuracy, or by a callable of the numbers of the true and of the predicted classes.
    n_jobs : int, optional
        Number of threads; -1 for all. The result does not depend on it.
    random_state : int, RandomState, Generator or None, default=None
        Source of the seeds of the trees.
    verbose : int, default=0
        Whether ``fit`` tells how many trees are grown.
    warm_start : bool, default=False
        Whether ``fit`` keeps the trees that are there and adds those that are wanting.
    class_weight : dict, list of dict, "balanced", "balanced_subsample" or None, default=None
        Weights of the classes, by label; "balanced" gives all classes the same total, and
        "balanced_subsample" does so among the rows drawn for each tree. For several outputs a list
        with one dict for each.
    max_samples : int, float or None, default=None
        How many rows are drawn for each tree: a number, a share of the rows (of the sum of the
        weights, if there are any), or as many as there are.
    early_stop : bool, default=False
        Whether to stop before `n_estimators` trees once the out-of-bag error is flat; needs
        `oob_score`.
    early_stop_trees : int, default=50
        Number of the last trees whose mean error is compared with that of as many before them.
    early_stop_tol : float, default=0.01
        The error is flat if it has fallen by no more than this share of what it was.
    voting : {"soft", "hard"}, default="soft"
        Whether the trees' probabilities are averaged, or their votes are counted.

    Attributes
    ----------
    estimators_ : list of DecisionTreeClassifier
        The trees as models of their own. They know the classes by their numbers.
    estimator_ : DecisionTreeClassifier
        A tree with their parameters, not fitted.
    estimators_samples_ : list of ndarray
        The rows drawn for each tree.
    classes_ : ndarray of shape (n_classes,) or list of such
        The classes; a list for several outputs.
    n_classes_ : int or list of int
        How many there are.
    n_outputs_ : int
        Number of outputs.
    feature_importances_ : ndarray of shape (n_features,)
        Share of each feature in the decrease of impurity, the mean over the trees.
    oob_score_ : float
        Score of the out-of-bag predictions, if asked for.
    oob_decision_function_ : ndarray of shape (n_samples, n_classes) or with (..., n_outputs)
        Out-of-bag probabilities, if asked for; zeros for a row that every tree has seen.
    oob_error_curve_ : ndarray of shape (n_trees,)
        Share of rows that the first t trees predict wrongly out of the bag, if asked for.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, if they came in a data frame.

    Examples
    --------
    >>> from gramian.datasets import load_iris
    >>> from gramian.ensemble import RandomForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = RandomForestClassifier(oob_score=True, random_state=0).fit(X, y)
    >>> bool(model.oob_score_ > 0.93)
    True
    """

    _tree_class: ClassVar[type[BaseDecisionTree]] = DecisionTreeClassifier


class ExtraTreesClassifier(ForestClassifier):
    """Classification by the mean of extremely randomised trees.

    As `RandomForestClassifier`, but for each feature that a node looks at, one threshold is drawn
    at random, and the best of these splits is taken; each tree gets every row. The trees are less
    alike than those of a random forest and quicker to grow, and each fits a little worse.

    Parameters
    ----------
    n_estimators, criterion, max_depth, min_samples_split, min_samples_leaf
        As for `RandomForestClassifier`.
    min_weight_fraction_leaf, max_features, max_leaf_nodes, min_impurity_decrease
        As for `RandomForestClassifier`.
    oob_score, n_jobs, random_state, verbose, warm_start, class_weight, ccp_alpha
        As for `RandomForestClassifier`.
    max_samples, monotonic_cst, early_stop, early_stop_trees, early_stop_tol, voting
        As for `RandomForestClassifier`.
    bootstrap : bool, default=False
        Whether rows are drawn with replacement for each tree; otherwise all get every row.

    Attributes
    ----------
    estimators_ : list of ExtraTreeClassifier
        The trees as models of their own. They know the classes by their numbers.
    classes_, n_classes_, n_outputs_, feature_importances_, oob_score_, oob_decision_function_
        As for `RandomForestClassifier`.
    oob_error_curve_, estimators_samples_, n_features_in_, feature_names_in_
        As for `RandomForestClassifier`.

    Examples
    --------
    >>> from gramian.datasets import load_iris
    >>> from gramian.ensemble import ExtraTreesClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> ExtraTreesClassifier(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    bootstrap: bool = param(False, Boolean())

    _tree_class: ClassVar[type[BaseDecisionTree]] = ExtraTreeClassifier
