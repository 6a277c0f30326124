"""What CatBoost's classes do once they are fitted or loaded: predictions and explanations."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._boosting.metrics import Metric
from gramian._trees.ensemble import TreeEnsemble
from gramian._typing import Floats
from gramian.compat._contributions import (
    interactions_with_base,
    shap_interactions,
    shap_values,
    values_with_base,
)
from gramian.compat._model import LoadedClassifier, LoadedRegressor
from gramian.compat.catboost._call_options import check_unused, pandas_frame
from gramian.compat.catboost._engine import CatBoostTrees
from gramian.compat.catboost._metrics import metric_of
from gramian.compat.catboost._pool import Pool
from gramian.compat.catboost._scores import (
    by_features,
    n_rounds_of,
    response,
    some_scores,
    staged,
)
from gramian.compat.catboost._trees import prediction_values_change
from gramian.validation import check_is_fitted

__all__ = ["EFstrType", "PredictionMethods"]


class EFstrType(Enum):
    """Kinds of importances; see `CatBoost.get_feature_importance`.

    Examples
    --------
    >>> from gramian.compat.catboost import EFstrType
    >>> EFstrType("ShapValues").name
    'ShapValues'
    """

    PredictionValuesChange = "PredictionValuesChange"
    FeatureImportance = "FeatureImportance"
    LossFunctionChange = "LossFunctionChange"
    ShapValues = "ShapValues"
    ShapInteractionValues = "ShapInteractionValues"


class PredictionMethods:
    """Scores, predictions and importances."""

    _engine: CatBoostTrees | LoadedClassifier | LoadedRegressor
    _loss: str
    _names: list[str]

    # -- what the model is ------------------------------------------------------------------------

    def _ensemble(self) -> TreeEnsemble:
        check_is_fitted(self, "_engine")
        return self._engine._tree_ensemble()

    def _tree_ensemble(self) -> TreeEnsemble:
        """Return the trees as explanations of tree models see them."""
        return self._ensemble()

    def _tree_rows(self, X: Any) -> Any:
        return self._engine._tree_rows(X)

    def _feature_rows(self, X: Any) -> Any:
        assert isinstance(self._engine, CatBoostTrees)  # others have no target statistics
        return self._engine._feature_rows(X)

    @property
    def _classes(self) -> NDArray[Any] | None:
        """The classes; None if the model has none."""
        return vars(self).get("classes_")

    def _metric(self, name: Any) -> Metric:
        return metric_of(name, None if self._classes is None else len(self._classes))

    @property
    def _n_jobs(self) -> int | None:
        return getattr(self._engine, "n_jobs", None)

    @property
    def tree_count_(self) -> int:
        """Number of rounds that are kept."""
        return n_rounds_of(self._ensemble())

    @property
    def feature_names_(self) -> list[str]:
        """Names of the columns: their numbers if they have none."""
        check_is_fitted(self, "_engine")
        return list(self._names)

    @property
    def feature_importances_(self) -> Floats:
        """By how much predictions change with each feature, on the average; sum 100."""
        ensemble = self._ensemble()
        found = prediction_values_change(ensemble)
        return found if ensemble.shares is None else found @ ensemble.shares

    def get_best_iteration(self) -> int | None:
        """Return the round, from 0, that was best on the evaluation set; None without any."""
        check_is_fitted(self, "_engine")
        return getattr(self, "best_iteration_", None)

    def get_best_score(self) -> dict[str, dict[str, float]]:
        """Return the best value of each metric of each set."""
        check_is_fitted(self, "_engine")
        return getattr(self, "best_score_", {})

    def get_evals_result(self) -> dict[str, dict[str, list[float]]]:
        """Return set -> metric -> its values after each round."""
        check_is_fitted(self, "_engine")
        return getattr(self, "evals_result_", {})

    def get_scale_and_bias(self) -> tuple[float, Any]:
        """Return what the trees are multiplied by, 1, and what they are added to."""
        base = self._ensemble().base.tolist()
        return 1.0, base[0] if len(base) == 1 else base

    def get_cat_feature_indices(self) -> list[int]:
        """Return the places of the categorical columns."""
        levels = self._levels()
        return [place for place, known in enumerate(levels) if known is not None]

    def _levels(self) -> list[Any]:
        """Return the levels of the categorical columns, None for numbers."""
        check_is_fitted(self, "_engine")
        if isinstance(self._engine, CatBoostTrees):
            known = self._engine._table_levels
        else:
            known = self._engine._rules.levels
        return [None] * len(self._names) if known is None else list(known.levels)

    def shrink(self, ntree_end: int, ntree_start: int = 0) -> None:
        """Keep the rounds from `ntree_start` up to, and without, `ntree_end`.

        Parameters
        ----------
        ntree_end, ntree_start : int
            The rounds.
        """
        self._rounds(ntree_start, ntree_end)
        if not isinstance(self._engine, CatBoostTrees):
            raise TypeError("A model from a file cannot be shrunk; fit it anew.")
        if ntree_start:
            raise ValueError("ntree_start must be 0: the start of the scores is the first round's.")
        self._engine = self._engine[:ntree_end]

    # -- scores -----------------------------------------------------------------------------------

    def _rounds(self, first: int, last: int) -> tuple[int, int]:
        """Return a range of rounds, checked; an end of 0 is the last one."""
        n_rounds = self.tree_count_
        end = last or n_rounds
        if not 0 <= first < end <= n_rounds:
            raise ValueError(
                f"ntree_start and ntree_end must be rounds of the {n_rounds} of the model. "
                f"Got {first} and {last}."
            )
        return first, end

    def _raw(self, data: Any, ntree_start: int, ntree_end: int) -> Floats:
        """Return the scores of rows, of shape (n_samples, n_scores)."""
        first, last = self._rounds(ntree_start, ntree_end)
        X, start = (data.data, data.baseline) if isinstance(data, Pool) else (data, None)
        if last - first == self.tree_count_ and isinstance(self._engine, CatBoostTrees):
            scores = self._engine._raw_scores(X)
        else:
            rows = self._engine._tree_rows(X)
            scores = some_scores(self._ensemble(), rows, first, last, self._n_jobs)
        return scores if start is None else scores + start

    def _predicted(
        self, data: Any, kind: str, ntree_start: int, ntree_end: int, options: dict[str, Any]
    ) -> NDArray[Any]:
        check_unused("predict", options)
        scores = self._raw(data, ntree_start, ntree_end)
        return np.asarray(response(scores, kind, self._loss, self._classes))

    def _staged(
        self,
        data: Any,
        kind: str,
        ntree_start: int,
        ntree_end: int,
        eval_period: int,
        options: dict[str, Any],
    ) -> Iterator[Any]:
        check_unused("staged_predict", options)
        first, last = self._rounds(ntree_start, ntree_end)
        X, start = (data.data, data.baseline) if isinstance(data, Pool) else (data, None)
        rows = self._engine._tree_rows(X)
        for scores in staged(self._ensemble(), rows, first, last, eval_period, self._n_jobs):
            started = scores if start is None else scores + start
            yield response(started, kind, self._loss, self._classes)

    def eval_metrics(
        self,
        data: Pool,
        metrics: Any,
        ntree_start: int = 0,
        ntree_end: int = 0,
        eval_period: int = 1,
        **options: Any,
    ) -> dict[str, list[float]]:
        """Return metrics of other rows after each round.

        Parameters
        ----------
        data : Pool
            The rows.
        metrics : str or list of str
            CatBoost's names of metrics.
        ntree_start, ntree_end : int, default=0
            The rounds; an end of 0 is the last one.
        eval_period : int, default=1
            Rounds between two values.
        **options
            `thread_count`, without effect.
        """
        check_unused("eval_metrics", options)
        names = [metrics] if isinstance(metrics, str) else list(metrics)
        wanted = [self._metric(name) for name in names]
        label = self._numbers(data)
        found: dict[str, list[float]] = {name: [] for name in names}
        rounds = self._staged(data, "RawFormulaVal", ntree_start, ntree_end, eval_period, {})
        for scores in rounds:
            raw = scores.reshape(len(scores), -1)
            for name, metric in zip(names, wanted, strict=True):
                assert metric.function is not None
                found[name].append(float(metric.function(label, raw, data.weight)))
        return found

    def _numbers(self, data: Pool) -> NDArray[Any]:
        """Return the target of a pool as metrics see it: classes by their numbers."""
        if data.label is None:
            raise ValueError("The Pool needs a label.")
        return data.label if self._classes is None else np.searchsorted(self._classes, data.label)

    # -- importances ------------------------------------------------------------------------------

    def get_feature_importance(
        self,
        data: Any = None,
        type: Any = "FeatureImportance",
        prettified: bool = False,
        **options: Any,
    ) -> Any:
        """Return what each feature is worth, or what it contributes to each row.

        Parameters
        ----------
        data : Pool, array-like or data frame, optional
            Rows, for all kinds but PredictionValuesChange; LossFunctionChange needs a Pool with
            the target.
        type : str or EFstrType, default="FeatureImportance"
            "PredictionValuesChange", which is also "FeatureImportance": by how much predictions
            change with a feature, of shape (n_features,) and sum 100. "LossFunctionChange": by how
            much the loss rises if a feature's contributions are taken away. "ShapValues": Shapley
            values and, last, what they are added to, of shape (n_samples, n_features + 1) or
            (n_samples, n_scores, n_features + 1). "ShapInteractionValues": those of pairs.
        prettified : bool, default=False
            Whether the first two kinds come as a data frame of pandas with the columns
            "Feature Id" and "Importances", largest first.
        **options
            `thread_count` and `verbose`, without effect.

        Returns
        -------
        ndarray or DataFrame
        """
        check_unused("get_feature_importance", options)
        kind = EFstrType(type.value if isinstance(type, Enum) else type)
        if kind in (EFstrType.PredictionValuesChange, EFstrType.FeatureImportance):
            found = self.feature_importances_
        elif data is None:
            raise ValueError(f"type={kind.value!r} needs data.")
        elif kind is EFstrType.LossFunctionChange:
            found = self._loss_change(data)
        else:
            return self._contributions(data, kind is EFstrType.ShapInteractionValues)
        if not prettified:
            return found
        order = np.argsort(-found, kind="stable").tolist()
        names = [self._names[place] for place in order]
        return pandas_frame({"Feature Id": names, "Importances": found[order]})

    def _shapley(self, data: Any) -> tuple[Floats, Floats, Any]:
        X = data.data if isinstance(data, Pool) else data
        rows = self._tree_rows(X)
        rows = np.asarray(rows.toarray() if hasattr(rows, "toarray") else rows)
        ensemble = self._ensemble()
        return (*shap_values(ensemble, rows, self._n_jobs), rows)

    def _contributions(self, data: Any, is_pairs: bool) -> Floats:
        values, base, rows = self._shapley(data)
        ensemble = self._ensemble()
        pairs = shap_interactions(ensemble, rows, values, self._n_jobs) if is_pairs else None
        values, pairs = by_features(ensemble, values, pairs)
        if pairs is not None:
            found = interactions_with_base(pairs, base)
        else:
            found = values_with_base(values, base)
        return found[:, 0] if found.shape[1] == 1 else found

    def _loss_change(self, data: Any) -> Floats:
        """Return the loss without the contributions of each feature, less that with them."""
        if not isinstance(data, Pool) or data.label is None:
            raise ValueError("type='LossFunctionChange' needs a Pool with the target.")
        values, base, _ = self._shapley(data)
        values, _ = by_features(self._ensemble(), values, None)
        raw = values.sum(axis=1) + base
        metric = self._metric(self._loss)
        label = self._numbers(data)
        assert metric.function is not None
        judge, sign = metric.function, -1.0 if metric.is_higher_better else 1.0
        whole = judge(label, raw, data.weight)
        without = [judge(label, raw - values[:, k], data.weight) for k in range(values.shape[1])]
        return np.asarray(sign * (np.array(without) - whole))
