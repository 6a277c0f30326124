"""Decision trees that predict classes."""

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from gramian._trees.grow import TreeTarget
from gramian._trees.target import class_target, weights_of_rows
from gramian._typing import Floats
from gramian.base import ClassifierMixin, Tags
from gramian.params import Arrays, Fraction, Integer, Mappings, Nothing, OneOf, param
from gramian.tree._base import BaseDecisionTree
from gramian.validation import FitData

__all__ = ["DecisionTreeClassifier", "ExtraTreeClassifier"]


class DecisionTreeClassifier(ClassifierMixin, BaseDecisionTree):
    """Classification by a tree of questions about single features.

    Each node asks whether a feature is at most a threshold, or whether a category is one of a set,
    and sends the row left or right; a leaf answers with the shares of the classes among its
    training rows. The questions are chosen from the root down, each to lower the impurity
    ``w_left H(left) + w_right H(right)`` of its two sides most. With the shares p_k of the classes,
    ``H = 1 - sum_k p_k^2`` (Gini), ``H = -sum_k p_k log2 p_k`` (entropy) or ``H = 1 - max_k p_k``
    (misclassification).

    Columns of text and unordered categories of a data frame are split by sets of their levels.
    A missing value goes to the side that suits the training rows best; where there were none, to
    the side with more rows. Levels not seen at fit count as missing.

    Parameters
    ----------
    criterion : {"gini", "entropy", "log_loss", "misclassification"}, default="gini"
        The impurity; "log_loss" is another name of "entropy".
    splitter : {"best", "random"}, default="best"
        Whether a feature is cut at its best threshold, or at a random one.
    max_depth : int, optional
        Most questions from the root to a leaf; by default no limit.
    min_samples_split : int or float, default=2
        Fewest rows of a node that is split; a float is a share of all rows.
    min_samples_leaf : int or float, default=1
        Fewest rows of a leaf; a float is a share of all rows.
    min_weight_fraction_leaf : float, default=0.0
        Least share of the total weight in a leaf.
    max_features : int, float, "sqrt", "log2" or None, default=None
        How many features, drawn for each node, are looked at; a float is a share of all.
    random_state : int, RandomState, Generator or None, default=None
        Source of the draws. Of equally good splits that of the first feature is taken.
    max_leaf_nodes : int, optional
        Most leaves; nodes are then split in the order of what they gain.
    min_impurity_decrease : float, default=0.0
        Least decrease of the impurity, weighted by the share of rows in the node, for a split.
    class_weight : dict, list of dict, "balanced" or None, default=None
        Weights of the classes, by label; "balanced" gives all classes the same total. For several
        outputs a list with one dict for each.
    ccp_alpha : float, default=0.0
        The cost of a leaf: the tree is cut back to the subtree with the least sum of risk and
        cost. Zero does not cut.
    monotonic_cst : array-like of int of shape (n_features,), optional
        For each feature 1 if the probability of the second class must not fall as it rises, -1 if
        it must not rise, 0 for no constraint. For two classes.
    prune : {"cv", "1se", "reduced_error"}, optional
        How to choose the subtree: by cross-validation with the least error ("cv"), the smallest
        within one standard error of that ("1se"), or from the bottom up by the errors on rows held
        out from growing ("reduced_error").
    cv : int, splitter or iterable, optional
        The folds for `prune`; by default ten.
    validation_fraction : float, default=0.2
        The share of rows held out for ``prune="reduced_error"``.
    prune_by : {"impurity", "misclassification"}, default="impurity"
        What the risk of a leaf is when the tree is cut back by its cost.

    Attributes
    ----------
    tree_ : Tree
        The nodes.
    classes_ : ndarray of shape (n_classes,) or list of such
        The classes; a list for several outputs.
    n_classes_ : int or ndarray of shape (n_outputs,)
        How many there are.
    n_outputs_ : int
        Number of outputs.
    feature_importances_ : ndarray of shape (n_features,)
        Share of each feature in the decrease of impurity.
    max_features_ : int
        Number of features looked at in a node.
    ccp_alpha_ : float
        The cost of a leaf that `prune` has chosen.
    pruning_errors_ : PruningErrors
        The cross-validated errors by which it was chosen.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, if they came in a data frame.

    Examples
    --------
    >>> from gramian.datasets import load_iris
    >>> from gramian.tree import DecisionTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X[:, 2:], y)
    >>> model.predict_proba([[4.5, 1.6]]).round(4)
    array([[0.    , 0.9074, 0.0926]])
    """

    _fits_many: ClassVar[bool] = True  # `_trees.fit_many` grows many at once

    criterion: str = param("gini", OneOf("gini", "entropy", "log_loss", "misclassification"))
    class_weight: Any = param(None, Mappings() | Arrays() | OneOf("balanced") | Nothing())
    prune_by: str = param("impurity", OneOf("impurity", "misclassification"))  # type: ignore[misc]

    n_classes_: Any

    def fit(self, X: Any, y: Any, sample_weight: Any = None, check_input: bool = True) -> Self:
        """Grow the tree.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Features. NaN is a missing value.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Classes.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows.
        check_input : bool, default=True
            Whether to look for infinite values.
        """
        return self._fit(X, y, sample_weight, check_input)

    def _target(self, data: FitData) -> tuple[TreeTarget, Floats | None]:
        assert data.y is not None
        classes, target = class_target(data.y)
        assert target.n_classes is not None
        weight = weights_of_rows(self.class_weight, classes, target, data.sample_weight)
        n_classes = target.n_classes.astype(np.intp)
        if len(classes) == 1:
            self.classes_, self.n_classes_ = classes[0], n_classes[0]
        else:
            self.classes_, self.n_classes_ = classes, n_classes
        return target, weight

    def predict(self, X: Any, check_input: bool = True) -> NDArray[Any]:
        """Return the class with the largest share in each row's leaf.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.
        check_input : bool, default=True
            Whether to look for infinite values.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_outputs)
        """
        rows = self._rows(X, check_input)
        best = self.tree_.best_class[self.tree_.apply(rows)]
        if self.n_outputs_ == 1:
            one: NDArray[Any] = self.classes_.take(best[:, 0], axis=0)
            return one
        columns = [labels.take(best[:, k]) for k, labels in enumerate(self.classes_)]
        return np.column_stack(columns).astype(self.classes_[0].dtype, copy=False)

    def predict_proba(self, X: Any, check_input: bool = True) -> Any:
        """Return the share of each class in each row's leaf.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.
        check_input : bool, default=True
            Whether to look for infinite values.

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or list of such for several outputs
            In the order of ``classes_``.
        """
        rows = self._rows(X, check_input)
        shares = self.tree_.value.take(self.tree_.apply(rows), axis=0)
        if self.n_outputs_ == 1:
            return shares[:, 0, : self.n_classes_]
        return [shares[:, k, :n] for k, n in enumerate(self.n_classes_)]

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
        shares = self.predict_proba(X)
        with np.errstate(divide="ignore"):
            return np.log(shares) if self.n_outputs_ == 1 else [np.log(each) for each in shares]

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.multi_label = True
        return tags


class ExtraTreeClassifier(DecisionTreeClassifier):
    """Classification by an extremely randomised tree.

    As `DecisionTreeClassifier`, but for each feature that a node looks at, one threshold is drawn
    at random between the least and the largest value there, and the best of these is taken. Single
    trees of this kind are weak; forests of them (`gramian.ensemble.ExtraTreesClassifier`) are not.

    Parameters
    ----------
    criterion, max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf
        As for `DecisionTreeClassifier`.
    random_state, max_leaf_nodes, min_impurity_decrease, class_weight, ccp_alpha, monotonic_cst
        As for `DecisionTreeClassifier`.
    prune, cv, validation_fraction, prune_by
        As for `DecisionTreeClassifier`.
    splitter : {"random", "best"}, default="random"
        Whether a feature is cut at a random threshold, or at its best one.
    max_features : int, float, "sqrt", "log2" or None, default="sqrt"
        How many features, drawn for each node, are looked at; a float is a share of all.

    Attributes
    ----------
    tree_, classes_, n_classes_, n_outputs_, feature_importances_, max_features_, n_features_in_
        As for `DecisionTreeClassifier`.

    Examples
    --------
    >>> from gramian.datasets import load_iris
    >>> from gramian.tree import ExtraTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> ExtraTreeClassifier(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    _fits_many: ClassVar[bool] = True  # `_trees.fit_many` grows many at once

    splitter: str = param("random", OneOf("random", "best"))
    max_features: int | float | str | None = param(
        "sqrt", Integer(1) | Fraction(closed="right") | OneOf("sqrt", "log2") | Nothing()
    )
