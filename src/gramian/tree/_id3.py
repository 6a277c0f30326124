"""ID3: trees with a branch for every level of a category."""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._levels.codes import LevelCodes, feature_names, fit_table
from gramian._powers import times_power
from gramian._trees.multiway import MultiwayTree
from gramian._trees.multiway_pruning import held_out_leaves, keep, pessimistic_leaves
from gramian._trees.scale import TreeScale
from gramian._typing import Floats
from gramian.config import core_context
from gramian.model_selection import train_test_split
from gramian.multiclass import check_classification_targets
from gramian.params import (
    Arrays,
    Fraction,
    Integer,
    Nothing,
    OneOf,
    RandomState,
    Real,
    param,
)
from gramian.table import Table
from gramian.tree._table_tree import TableTreeClassifier
from gramian.validation import check_is_fitted

__all__ = ["ID3Classifier"]


class ID3Classifier(TableTreeClassifier):
    """Classification by a tree with a branch for every level of a category (ID3).

    Each node takes the feature with the largest information gain
    ``H(S) - sum_v |S_v| / |S| H(S_v)``, where H is the entropy in bits, and has a branch for every
    level v that its rows show. Numbers are split in two at the threshold with the largest gain, as
    in C4.5, half-way between two neighbouring values. Growth ends where a node is of one class,
    where no feature has two values, or by the limits below.

    A missing category is a level of its own. Missing numbers go to the side where they gain most.
    A level for which a node has no branch ends the way of a row there, and the shares of the
    classes in that node answer; the same holds for a missing number where the fit saw none.

    Parameters
    ----------
    criterion : {"information_gain", "gain_ratio"}, default="information_gain"
        What the best split has most of. The gain favours features of many levels; the ratio divides
        it by the entropy of the split itself, among the splits that gain at least the average.
    max_depth : int, optional
        Most questions from the root to a leaf; by default no limit.
    min_samples_split : int, default=2
        Fewest rows of a node that is split.
    min_gain : float, default=0.0
        Least information gain of a split, in bits.
    prune : {"reduced_error", "pessimistic"}, optional
        How to cut the grown tree back, from the bottom up: splits that make no fewer errors than a
        leaf on rows held out from growing ("reduced_error"), or by a pessimistic estimate from the
        training rows themselves ("pessimistic", as in C4.5).
    validation_fraction : float, default=0.2
        The share of rows held out for ``prune="reduced_error"``.
    confidence : float, default=0.25
        For ``prune="pessimistic"``: the chance that the errors of a leaf are under-estimated;
        smaller values prune more.
    categorical_features : "from_dtype", "all" or array-like, default="from_dtype"
        Which columns hold levels. Columns of text and categories always do; "all", a mask,
        positions or names add columns of numbers, each distinct one a level.
    random_state : int, RandomState, Generator or None, default=None
        Draws the rows that are held out for ``prune="reduced_error"``.

    Attributes
    ----------
    tree_ : MultiwayTree
        The nodes; ``print(model.tree_)`` shows the tree.
    rules_ : str
        The tree as sentences, one for each leaf.
    classes_ : ndarray of shape (n_classes,)
        The classes.
    feature_importances_ : ndarray of shape (n_features,)
        Share of each feature in the information gained.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, if they came in a data frame.

    See Also
    --------
    gramian.tree.DecisionTreeClassifier : Two-way splits; more accurate as a rule.

    Examples
    --------
    >>> from gramian.tree import ID3Classifier
    >>> days = [["sunny", "high"], ["sunny", "low"], ["rainy", "high"], ["rainy", "low"]]
    >>> model = ID3Classifier().fit(days, ["no", "yes", "yes", "yes"])
    >>> print(model.tree_)
    |--- x0 = rainy: yes (2)
    |--- x0 = sunny
    |   |--- x1 = high: no (1)
    |   |--- x1 = low: yes (1)
    >>> model.predict([["sunny", "high"], ["foggy", "high"]])
    array(['no', 'yes'], dtype='<U3')
    """

    criterion: str = param("information_gain", OneOf("information_gain", "gain_ratio"))
    max_depth: int | None = param(None, Integer(1) | Nothing())
    min_samples_split: int = param(2, Integer(2))
    min_gain: float = param(0.0, Real(0.0))
    prune: str | None = param(None, OneOf("reduced_error", "pessimistic") | Nothing())
    validation_fraction: float = param(0.2, Fraction())
    confidence: float = param(0.25, Fraction())
    categorical_features: Any = param("from_dtype", OneOf("from_dtype", "all") | Arrays())
    random_state: Any = param(None, RandomState())

    tree_: MultiwayTree

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the tree.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Features: text, categories or numbers.
        y : array-like of shape (n_samples,)
            Classes.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows.
        """
        data, table = fit_table(self, X, y, sample_weight)
        check_classification_targets(data.y)
        assert data.y is not None
        self.classes_, labels = np.unique(data.y, return_inverse=True)
        self._codes, table = LevelCodes.of(table, self.categorical_features)
        scale = TreeScale.of_weight(data.sample_weight)
        weight = scale.weight_in(data.sample_weight)
        rows = _Rows(table, labels, weight, np.arange(len(labels)))
        if rows.weight is not None:
            rows = rows.take(np.flatnonzero(rows.weight > 0))
        tree = self._pruned(rows)
        self.tree_ = replace(tree, counts=times_power(tree.counts, scale.weight))
        return self

    def _pruned(self, rows: "_Rows") -> MultiwayTree:
        """Return the tree of some rows, pruned as the parameters say."""
        if self.prune == "reduced_error":
            rows, held_out = self._divided(rows)
            tree = self._grown(rows)
            columns = [column[held_out.places] for column in self._codes.columns(held_out.table)]
            return keep(tree, held_out_leaves(tree, columns, held_out.labels, held_out.weight))
        tree = self._grown(rows)
        if self.prune == "pessimistic":
            return keep(tree, pessimistic_leaves(tree, float(self.confidence)))
        return tree

    def _grown(self, rows: "_Rows") -> MultiwayTree:
        """Return the whole tree of some rows."""
        matrix = self._codes.matrix(rows.table)
        arrays = _core.grow_multiway(
            matrix if len(rows.places) == len(matrix) else matrix[rows.places],
            n_levels=self._codes.n_levels,
            labels=rows.labels.astype(np.int32),
            n_classes=len(self.classes_),
            weight=rows.weight,
            use_ratio=self.criterion == "gain_ratio",
            max_depth=-1 if self.max_depth is None else min(int(self.max_depth), len(matrix)),
            min_samples_split=min(int(self.min_samples_split), len(matrix) + 1),
            min_gain=float(self.min_gain),
            ctx=core_context(),
        )
        counts = arrays.pop("counts").reshape(-1, len(self.classes_))
        return MultiwayTree(
            counts=counts,
            feature_names=feature_names(self),
            class_names=tuple(map(str, self.classes_.tolist())),
            levels=self._codes.levels,
            **arrays,
        )

    def _divided(self, rows: "_Rows") -> tuple["_Rows", "_Rows"]:
        """Return rows to grow on and rows to prune by; classes are kept in proportion."""
        numbers = np.bincount(rows.labels)
        train, test = train_test_split(
            np.arange(len(rows.labels)),
            test_size=self.validation_fraction,
            stratify=rows.labels if numbers[numbers > 0].min() > 1 else None,
            random_state=self.random_state,
        )
        return rows.take(train), rows.take(test)

    @property
    def rules_(self) -> str:
        """The tree as sentences, one for each leaf."""
        check_is_fitted(self)
        return self.tree_.rules()


@dataclass(frozen=True)
class _Rows:
    """Some rows of a table by their places, with their classes and weights, None for ones."""

    table: Table
    labels: NDArray[np.intp]
    weight: Floats | None
    places: NDArray[np.intp]

    def take(self, rows: NDArray[np.intp]) -> "_Rows":
        weight = None if self.weight is None else self.weight[rows]
        return _Rows(self.table, self.labels[rows], weight, self.places[rows])
