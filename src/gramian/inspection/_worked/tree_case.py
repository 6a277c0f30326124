"""A fitted decision tree with its training data, as worked calculations and diagnoses see it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._typing import Floats
from gramian.inspection._worked.queries import read_rows
from gramian.inspection._worked.tree_splits import CRITERIA, Candidate, RowSums, candidate_splits
from gramian.validation import check_consistent_length, check_is_fitted, column_or_1d


@dataclass(frozen=True)
class TreeCase:
    """A decision tree of one output and its rows.

    Attributes
    ----------
    model : estimator
        The fitted tree.
    X : ndarray of shape (n_samples, n_features)
        Features as the tree compares them: levels are their codes, and NaN is missing.
    y : ndarray of shape (n_samples,)
        Numbers of the classes, or the target.
    names : list of str
        Names of the columns.
    levels : list of (sequence of str or None)
        Levels of the columns that are split by sets of levels.
    """

    model: Any
    X: Floats
    y: NDArray[Any]
    names: list[str]
    levels: list[Any]

    @classmethod
    def of(cls, model: Any, X: Any, y: Any) -> TreeCase:
        """Bring model and data together; raise ValueError for several outputs."""
        check_is_fitted(model)
        if model.n_outputs_ != 1:
            raise ValueError(f"Trees of one output are worked out; this has {model.n_outputs_}.")
        rows = model._tree_rows(X)
        matrix = np.asarray(rows.toarray() if hasattr(rows, "toarray") else rows)
        target = column_or_1d(y)
        check_consistent_length(matrix, target)
        if model._estimator_type == "classifier":
            if not np.isin(target, model.classes_).all():
                raise ValueError("y has classes that the tree was not fitted to.")
            target = np.searchsorted(model.classes_, target)
        names, levels = names_and_levels(model)
        return cls(model, matrix.astype(np.float64), target, names, levels)

    @property
    def tree(self) -> Any:
        """The nodes."""
        return self.model.tree_

    @property
    def is_classification(self) -> bool:
        """Whether the target is a class."""
        return bool(self.tree.is_classification)

    @property
    def class_names(self) -> list[str]:
        """Names of the classes."""
        return [str(label) for label in self.model.classes_]

    @cached_property
    def sums(self) -> RowSums:
        """What the impurities are made of."""
        return RowSums.of(self.y, len(self.class_names) if self.is_classification else None)

    @property
    def impurity(self) -> str | None:
        """The impurity that the tree lowers; None if it is not one that sums of rows give."""
        return CRITERIA.get(self.model.criterion)

    @cached_property
    def passes(self) -> Any:
        """Which rows pass each node."""
        return self.tree.decision_path(self.X).tocsc()

    def rows_of(self, node: int) -> NDArray[np.intp]:
        """Return the rows that pass a node."""
        rows: NDArray[np.intp] = self.passes[:, [node]].nonzero()[0]
        return np.sort(rows)

    def candidates(self, node: int) -> list[Candidate]:
        """Return the possible splits of a node, the best first."""
        assert self.impurity is not None
        rows = self.rows_of(node)
        return candidate_splits(
            self.X[rows], self.sums.take(rows), self.names, self.levels, self.impurity
        )

    def condition(self, node: int) -> str:
        """Return what sends a row at a split to the left."""
        return condition_of(self.tree, node, self.names, self.levels)

    def queries(self, query: Any) -> Floats:
        """Return rows to predict as the tree compares them."""
        rows = read_rows(self.model._tree_rows, query)
        return np.asarray(rows.toarray() if hasattr(rows, "toarray") else rows, dtype=np.float64)


def names_and_levels(model: Any) -> tuple[list[str], list[Any]]:
    """Return names of a model's columns, and levels of those that are split by sets of levels."""
    n_features = model.n_features_in_
    found = vars(model).get("feature_names_in_")
    names = [f"x{j}" for j in range(n_features)] if found is None else list(map(str, found))
    known, tables = model._table_levels, getattr(model, "_target_tables", None)
    levels: list[Any] = [None] * n_features
    if known is not None:
        pairs = zip(known.levels, known.is_ordered, strict=True)
        levels = [None if is_ordered else each for each, is_ordered in pairs]
        names = known.names(names)
        levels += [None] * (len(names) - n_features)
    if tables is None:
        return names, levels
    names = tables.names(names)
    kept = [levels[column] for column in tables.kept]
    return names, kept + [None] * (len(names) - len(kept))


def condition_of(tree: Any, node: int, names: list[str], levels: list[Any]) -> str:
    """Return what sends a row at a split to the left."""
    column = int(tree.feature[node])
    name, known = names[column], levels[column]
    if not tree.is_categorical[node]:
        return f"{name} <= {tree.threshold[node]:.6g}"
    texts = [str(code) if known is None else known[code] for code in tree.left_levels(node)]
    return f"{name} = {texts[0]}" if len(texts) == 1 else f"{name} in {{{', '.join(texts)}}}"
