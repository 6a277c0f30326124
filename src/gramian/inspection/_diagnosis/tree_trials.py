"""Trees of the same kind on other rows: left-out folds, other depths, rows drawn anew."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gramian._rows import indexable, take_rows
from gramian._typing import Floats
from gramian.base import clone
from gramian.model_selection import KFold, StratifiedKFold
from gramian.tree import DecisionTreeClassifier, DecisionTreeRegressor
from gramian.validation import (
    check_consistent_length,
    check_is_fitted,
    check_sample_weight,
    n_samples_of,
    plain_objects,
)

_MAX_ROWS = 20_000


@dataclass(frozen=True)
class FoldScores:
    """Scores of the folds."""

    scores: Floats

    @property
    def mean(self) -> float:
        """Their mean."""
        return float(self.scores.mean())


class TreeTrials:
    """A fitted tree and its data, with trees refitted to parts of them.

    Of more than 20,000 rows as many are drawn, always the same.

    Parameters
    ----------
    model : estimator
        The fitted tree: `DecisionTreeClassifier`, `ObliviousTreeClassifier` or their regressors.
    X, y : array-likes
        The data of the fit.
    sample_weight : array-like of shape (n_samples,), optional
        The weights of the fit.
    """

    n_folds = 5
    depths: tuple[int, ...] = (1, 2, 3, 4, 6, 8, 12, 16, 24)

    def __init__(self, model: Any, X: Any, y: Any, sample_weight: ArrayLike | None) -> None:
        check_is_fitted(model)
        rows, target = indexable(X), np.asarray(y)
        target = plain_objects(target) if target.dtype.kind == "O" else target
        check_consistent_length(rows, target)
        weight = None if sample_weight is None else check_sample_weight(sample_weight, rows)
        n_rows = n_samples_of(rows)
        self.positions = np.arange(n_rows)  # of the rows among those that were given
        if n_rows > _MAX_ROWS:
            kept = np.sort(np.random.default_rng(0).choice(n_rows, _MAX_ROWS, replace=False))
            rows, target, self.positions = take_rows(rows, kept), target[kept], kept
            weight = None if weight is None else weight[kept]
        self.model, self.X, self.y, self.weight = model, rows, target, weight
        self.n_samples = len(target)
        found = vars(model).get("feature_names_in_")
        names = range(model.n_features_in_) if found is None else found
        self.names = [f"x{name}" if found is None else str(name) for name in names]

    @property
    def score_name(self) -> str:
        """What the score is."""
        return "Accuracy" if self.model._estimator_type == "classifier" else "R²"

    @property
    def depth(self) -> int:
        """Depth of the fitted tree."""
        return int(self.model.get_depth())

    def _fitted(self, rows: NDArray[np.intp] | None = None, **params: Any) -> Any:
        """Return a tree of the same kind, of some rows."""
        tree = clone(self.model).set_params(**params)
        if tree.get_params().get("random_state", 0) is None:
            tree.set_params(random_state=0)
        if rows is None:
            return tree.fit(self.X, self.y, sample_weight=self.weight)
        weight = None if self.weight is None else self.weight[rows]
        return tree.fit(take_rows(self.X, rows), self.y[rows], sample_weight=weight)

    def _score(self, tree: Any, rows: NDArray[np.intp]) -> float:
        weight = None if self.weight is None else self.weight[rows]
        return float(tree.score(take_rows(self.X, rows), self.y[rows], sample_weight=weight))

    @cached_property
    def folds(self) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Rows to grow on and rows left out; classes in proportion where each has enough rows."""
        is_classifier = self.model._estimator_type == "classifier"
        rarest = np.unique(self.y, return_counts=True)[1].min() if is_classifier else 0
        kind = StratifiedKFold if rarest >= self.n_folds else KFold
        return list(kind(self.n_folds, shuffle=True, random_state=0).split(self.X, self.y))

    @cached_property
    def training_score(self) -> float:
        """Mean score of the trees of the folds on the rows that they were grown on."""
        scores = [self._score(self._fitted(train), train) for train, _ in self.folds]
        return float(np.mean(scores))

    @cached_property
    def depth_curve(self) -> dict[int, FoldScores]:
        """Depth -> scores on left-out folds; at the fitted depth by the parameters as they are."""
        found = {}
        for depth in sorted({*self.depths, self.depth}):
            params = {} if depth == self.depth else {"max_depth": depth}
            scores = [
                self._score(self._fitted(train, **params), test) for train, test in self.folds
            ]
            found[depth] = FoldScores(np.array(scores))
        return found

    @cached_property
    def stump(self) -> Any:
        """The tree of the best single split."""
        free: dict[str, Any] = {
            "max_leaf_nodes": None,
            "min_samples_leaf": 1,
            "min_samples_split": 2,
            "max_features": None,
            "splitter": "best",
            "prune": None,
            "ccp_alpha": 0.0,
        }
        return self._fitted(max_depth=1, **free)

    def _plain_stump(self) -> Any:
        """Return the best single split by a decision tree, for models of other trees."""
        is_classifier = self.model._estimator_type == "classifier"
        kind = DecisionTreeClassifier if is_classifier else DecisionTreeRegressor
        stump = kind(criterion=self.model.criterion, max_depth=1, random_state=0)
        return stump.fit(self.X, self.y, sample_weight=self.weight)

    def bootstrap_importances(self, n_refits: int) -> Floats:
        """Return the importances in trees of rows drawn anew, a row for each tree."""
        rng = np.random.default_rng(0)
        draws = (rng.integers(0, self.n_samples, self.n_samples) for _ in range(n_refits))
        return np.stack([self._fitted(rows).feature_importances_ for rows in draws])
