"""What ID3 and oblivious trees share: columns of levels or numbers, and trees of other shapes."""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from gramian._levels.codes import LevelCodes, predict_table
from gramian._typing import Floats
from gramian.base import BaseEstimator, ClassifierMixin, Tags
from gramian.validation import check_is_fitted

__all__ = ["TableTree", "TableTreeClassifier"]


class GrownTree(Protocol):
    """What the methods below need of a grown tree."""

    @property
    def max_depth(self) -> int:
        """Number of questions on the longest way."""

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""

    def apply(self, columns: list[NDArray[Any]]) -> NDArray[np.int64]:
        """Return where each row ends."""

    def gains(self) -> tuple[NDArray[np.int64], Floats]:
        """Return the column of each split, and what the split takes off the impurity."""


class TableTree(BaseEstimator):
    """Base of trees on columns of levels or numbers."""

    tree_: Any
    n_features_in_: int
    _codes: LevelCodes

    def _coded(self, X: Any) -> list[NDArray[Any]]:
        """Return the columns of rows as codes of levels, or numbers."""
        check_is_fitted(self)
        return self._codes.columns(predict_table(self, X))

    def _grown_tree(self) -> GrownTree:
        check_is_fitted(self)
        tree: GrownTree = self.tree_
        return tree

    def apply(self, X: Any) -> NDArray[np.int64]:
        """Return the number of the leaf that each row ends in.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,)
            Numbers that ``tree_`` knows its leaves by: of nodes, or in an oblivious tree, in
            binary, the answers to the conditions, 0 where one holds. A row without a branch ends
            in the split that has none for it.
        """
        columns = self._coded(X)
        return self._grown_tree().apply(columns)

    def get_depth(self) -> int:
        """Return the number of questions from the root to the deepest leaf."""
        return self._grown_tree().max_depth

    def get_n_leaves(self) -> int:
        """Return the number of leaves; in an oblivious tree with those that have no rows."""
        return self._grown_tree().n_leaves

    @property
    def feature_importances_(self) -> Floats:
        """Share of each feature in the decrease of impurity; their sum is one, or zero."""
        feature, gains = self._grown_tree().gains()
        sums = np.bincount(feature, gains, self.n_features_in_).astype(np.float64)
        total = sums.sum()
        return sums / total if total > 0 else sums

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.allow_nan = tags.native_table = True
        return tags


class TableTreeClassifier(ClassifierMixin, TableTree):
    """Base of such trees that predict classes."""

    classes_: NDArray[Any]

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class with the largest share in each row's leaf.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        leaf = self.apply(X)
        classes: NDArray[Any] = self.classes_[self.tree_.shares.argmax(axis=1)[leaf]]
        return classes

    def predict_proba(self, X: Any) -> Floats:
        """Return the share of each class in each row's leaf.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In the order of ``classes_``.
        """
        leaf = self.apply(X)
        shares: Floats = self.tree_.shares[leaf]
        return shares

    def predict_log_proba(self, X: Any) -> Floats:
        """Return the logarithms of ``predict_proba``; minus infinity for a share of zero.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        with np.errstate(divide="ignore"):
            logs: Floats = np.log(self.predict_proba(X))
        return logs
