"""Boosted models of the same kind on folds: their scores after each round."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._rows import take_rows
from gramian._typing import Floats
from gramian.inspection._columns import columns_of
from gramian.inspection._diagnosis.boosting_measure import measure_of
from gramian.inspection._diagnosis.tree_trials import TreeTrials

Rows = NDArray[np.intp]

SLOWER = 5  # the rate is divided, and the rounds are multiplied, by this
_MOST_ROUNDS = 1_000  # of the slower trials
_QUIET = {
    "n_iter_no_change": None,
    "early_stopping": False,
    "early_stopping_rounds": None,
    "warm_start": False,
    "verbose": 0,
}
_OF_COLUMNS = ("monotonic_cst", "interaction_cst")  # parameters that name columns


class BoostingTrials(TreeTrials):
    """A boosted model and its data, with models of the same kind on folds.

    They have as many rounds as the fitted model, whatever has ended its fit.
    """

    n_folds = 3

    def __init__(self, model: Any, X: Any, y: Any, sample_weight: Any) -> None:
        super().__init__(model, X, y, sample_weight)
        if np.ndim(self.y) != 1 or np.ndim(getattr(model, "quantile", 0.0)) > 0:
            raise ValueError("diagnose takes boosted models of one target and one quantile.")
        self.measure = measure_of(model)

    @property
    def score_name(self) -> str:
        """What the score is."""
        return self.measure.name

    @property
    def n_rounds(self) -> int:
        """Rounds of the fitted model."""
        for name in ("n_iter_", "n_estimators_"):
            if hasattr(self.model, name):
                return int(getattr(self.model, name))
        return len(self.model.estimators_)

    @property
    def learning_rate(self) -> float:
        """Learning rate of the fitted model."""
        settings = getattr(self.model, "_settings", None)
        found = self.model.learning_rate if settings is None else settings()["learning_rate"]
        return float(found)

    @property
    def rounds_name(self) -> str:
        """The parameter that says how many rounds there are."""
        return "max_iter" if hasattr(self.model, "max_iter") else "n_estimators"

    @cached_property
    def reason(self) -> str | None:
        """Why no rows can be left out; None if they can."""
        if self.n_samples < 10 * self.n_folds:
            return "There are too few rows to leave some out."
        if self.model._estimator_type == "classifier":
            counts = np.unique(self.y, return_counts=True)[1]
            if len(counts) < 2:
                return "There is a single class."
            if counts.min() < self.n_folds:
                return f"A class has fewer than {self.n_folds} rows."
        return None

    @property
    def _chosen(self) -> dict[str, Any]:
        """Parameters that the fit has chosen for the table; trials are of one model each."""
        if not hasattr(self.model, "_chosen_values"):
            return {}
        chosen: dict[str, Any] = self.model._chosen_values()
        return chosen | {"n_folds": 0} if chosen else {}

    def _trial(self, rows: Rows, n_rounds: int, **params: Any) -> Any:
        known = self.model.get_params(deep=False)
        quiet = {name: value for name, value in _QUIET.items() if name in known}
        if "early_stopping" in known:
            del quiet["n_iter_no_change"]
        rounds = {self.rounds_name: n_rounds}
        return self._fitted(rows, **self._chosen | rounds | quiet | params)

    def _staged(self, model: Any, rows: Rows, method: str) -> Iterator[NDArray[Any]]:
        """Yield what is predicted for rows after each round."""
        yield from getattr(model, f"staged_{method}")(take_rows(self.X, rows))

    def _judged(self, rows: Rows, predicted: NDArray[Any]) -> float:
        """Return the score of predictions of some rows."""
        weight = None if self.weight is None else self.weight[rows]
        return self.measure(self.y[rows], predicted, weight)

    def _curves(self, models: list[Any]) -> Floats:
        """Return the scores of the rows left out, by fold and round."""
        found = [
            [self._judged(test, found) for found in self._staged(model, test, self.measure.method)]
            for model, (_, test) in zip(models, self.folds, strict=True)
        ]
        n_rounds = min(len(curve) for curve in found)
        return np.array([curve[:n_rounds] for curve in found])

    @cached_property
    def models(self) -> list[Any]:
        """Models of the folds, with the parameters as they are."""
        return [self._trial(train, self.n_rounds) for train, _ in self.folds]

    @cached_property
    def curves(self) -> Floats:
        """Scores of the rows left out, by fold and round."""
        return self._curves(self.models)

    @cached_property
    def own_score(self) -> float:
        """Mean score of the models on the rows that they were fitted to."""
        found = []
        for model, (train, _) in zip(self.models, self.folds, strict=True):
            predict = getattr(model, self.measure.method)
            found.append(self._judged(train, predict(take_rows(self.X, train))))
        return float(np.mean(found))

    @cached_property
    def slow_curves(self) -> Floats:
        """Scores of the rows left out with smaller and more steps."""
        n_rounds = min(self.n_rounds * SLOWER, max(self.n_rounds, _MOST_ROUNDS))
        rate = self.learning_rate / SLOWER
        return self._curves(
            [self._trial(train, n_rounds, learning_rate=rate) for train, _ in self.folds]
        )

    @property
    def best_round(self) -> int:
        """The round, from 0, after which rows left out are predicted best."""
        return int(self.curves.mean(axis=0).argmax())

    @property
    def best_score(self) -> float:
        """Mean score of the rows left out at the best round."""
        return float(self.curves.mean(axis=0).max())

    @property
    def guess(self) -> float:
        """The score of a prediction that is the same for all rows."""
        if self.measure.name != "Accuracy":
            return 0.0
        return float(np.unique(self.y, return_counts=True)[1].max() / self.n_samples)

    @cached_property
    def left_out(self) -> NDArray[Any]:
        """What models say at the best round of rows that they have not seen: shares, or numbers."""
        method = "predict_proba" if self.model._estimator_type == "classifier" else "predict"
        found: NDArray[Any] | None = None
        for model, (_, test) in zip(self.models, self.folds, strict=True):
            staged = enumerate(self._staged(model, test, method))
            predicted = next(p for number, p in staged if number == self.best_round)
            if found is None:
                found = np.empty((self.n_samples, *predicted.shape[1:]), predicted.dtype)
            found[test] = predicted
        assert found is not None
        return found

    def of_column(self, column: int) -> BoostingTrials:
        """Return the trials of models that know one column alone."""
        known = self.model.get_params(deep=False)
        params: dict[str, Any] = {name: None for name in _OF_COLUMNS if name in known}
        if isinstance(known.get("max_features"), int):
            params["max_features"] = None
        if np.ndim(known.get("categorical_features")) > 0:
            mask = self.model.is_categorical_
            params["categorical_features"] = [0] if mask is not None and mask[column] else None
        model = copy(self.model).set_params(**params)
        table = self.X if hasattr(self.X, "shape") else np.asarray(self.X)
        return BoostingTrials(model, columns_of(table).only(column), self.y, self.weight)
