"""What CatBoost's classes share: the fit."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from gramian.base import Tags
from gramian.boosting import RoundReport
from gramian.compat._library_params import LibraryParams
from gramian.compat.catboost._engine import CatBoostTrees, RankerTrees
from gramian.compat.catboost._files import FileMethods
from gramian.compat.catboost._metric_log import MetricLog
from gramian.compat.catboost._parameters import PARAMETERS
from gramian.compat.catboost._plan import FitPlan, fit_plan, plain_label
from gramian.compat.catboost._pool import Pool, as_pool
from gramian.model_selection import train_test_split

__all__ = ["CatBoostModel", "pool_of"]

_REFUSED = {
    "text_features": "encode the columns as numbers or categories first",
    "embedding_features": "make a column of each number of the vectors",
    "pairs": "pass labels and group_id",
    "graph": "make columns of what the neighbours say",
    "group_weight": "pass sample_weight, one for each row",
    "subgroup_id": "pass group_id alone",
    "pairs_weight": "pass sample_weight, one for each row",
    "column_description": "pass an array or a data frame",
    "save_snapshot": "use gramian.save afterwards",
    "snapshot_file": "use gramian.save afterwards",
    "snapshot_interval": "use gramian.save afterwards",
}
_IGNORED = {
    "plot": "evals_result_ has the values that it would show",
    "plot_file": "evals_result_ has the values that it would show",
    "log_cout": "lines are printed to the standard output",
    "log_cerr": "lines are printed to the standard output",
}
_RENAMED = {"verbose_eval": "verbose"}
_AS_PARAMETERS = (
    "use_best_model",
    "verbose",
    "verbose_eval",
    "logging_level",
    "metric_period",
    "silent",
    "early_stopping_rounds",
)


class CatBoostModel(FileMethods, LibraryParams):
    """Base of the classes of CatBoost on our engine."""

    _library = PARAMETERS
    _model_kind: ClassVar[str | None] = None

    classes_: NDArray[Any]
    evals_result_: dict[str, dict[str, list[float]]]
    best_score_: dict[str, dict[str, float]]
    best_iteration_: int | None
    learning_rate_: float

    # -- parameters -------------------------------------------------------------------------------

    def _given(self) -> dict[str, Any]:
        """Return the parameters that are set, by the names that the user chose."""
        return {name: value for name, value in self.get_params(False).items() if value is not None}

    def get_param(self, key: str) -> Any:
        """Return a parameter; None if it is not set.

        Parameters
        ----------
        key : str
            Its name.
        """
        return self.get_params(deep=False).get(key)

    def get_all_params(self) -> dict[str, Any]:
        """Return all parameters that count, those that are not set by their defaults."""
        given = PARAMETERS.given(self._given(), type(self).__name__)
        known = {name: entry.default for name, entry in PARAMETERS.entries.items()}
        return {name: value for name, value in {**known, **given}.items() if value is not None}

    def is_fitted(self) -> bool:
        """Tell whether the model was fitted or loaded."""
        return "_engine" in vars(self)

    def copy(self) -> Self:
        """Return a copy."""
        return copy.deepcopy(self)

    # -- fit --------------------------------------------------------------------------------------

    def _fit(self, pool: Pool, eval_set: Any, options: dict[str, Any]) -> Self:
        """Fit to a pool; `options` are the further arguments of ``fit``."""
        params, init_model, callbacks = _read_options(type(self).__name__, options)
        sets = eval_pools(eval_set, pool)
        params = self._given() | params
        if params.get("eval_fraction"):
            if sets:
                raise ValueError("eval_fraction cannot be used with an eval_set.")
            pool, sets = self._split(pool, params)
        if pool.label is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None."
            )
        plan = fit_plan(params, type(self).__name__, self._model_kind, pool, bool(sets))
        engine = plan.engine
        if init_model is not None:
            engine = _continued(_initial(init_model), plan)
        log = MetricLog(plan.print_period, plan.metrics)
        engine.follow(_with_starts(plan, pool, sets))
        arguments = _rows_of(engine, plan, pool, sets)
        engine.fit(**arguments, callbacks=[log.report, *_callbacks(callbacks, len(sets))])
        engine.follow(None)
        return self._keep(engine, plan, pool, len(sets))

    def _split(self, pool: Pool, params: dict[str, Any]) -> tuple[Pool, list[Pool]]:
        is_classes = self._model_kind == "classifier"
        kept, apart = train_test_split(
            np.arange(pool.num_row()),
            test_size=float(params.pop("eval_fraction")),
            stratify=pool.label if is_classes else None,
            random_state=0,
        )
        return pool.slice(kept), [pool.slice(apart)]

    def _keep(self, engine: CatBoostTrees, plan: FitPlan, pool: Pool, n_sets: int) -> Self:
        """Set the fitted attributes."""
        best = vars(engine).get("best_iteration_")
        results = _named(engine.evals_result_, n_sets)
        if plan.keeps_best and best is not None:
            n_kept = max(best + 1, plan.least_rounds)
            engine = engine[:n_kept] if n_kept < engine.n_estimators_ else engine
        self._engine, self._loss = engine, plan.loss.text
        self.n_features_in_ = engine.n_features_in_
        self._names = pool.get_feature_names()
        for name in ("feature_names_in_", "classes_"):
            if name in vars(engine):
                setattr(self, name, getattr(engine, name))
            else:
                vars(self).pop(name, None)
        self.evals_result_, self.best_iteration_ = results, best
        self.best_score_ = _best_scores(results, plan)
        rate = engine.learning_rate
        self.learning_rate_ = 0.0 if rate is None else float(rate)
        return self

    def _tags(self) -> Tags:
        tags = super()._tags()
        tags.sparse = tags.allow_nan = tags.native_table = tags.required_y = True
        return tags


# -- what is handed to the engine ------------------------------------------------------------------


def _read_options(call: str, options: dict[str, Any]) -> tuple[dict[str, Any], Any, Any]:
    """Return the further arguments of ``fit``: those that are parameters, init_model, callbacks.

    Raises
    ------
    ValueError
        If one is not supported.
    """
    given = {name: value for name, value in options.items() if value not in (None, False)}
    for name, value in given.items():
        if name in _REFUSED:
            raise ValueError(f"{name} is not supported by gramian; {_REFUSED[name]}.")
        if name in _IGNORED:
            warnings.warn(f"gramian ignores {name}; {_IGNORED[name]}.", UserWarning, stacklevel=4)
        elif name not in (*_AS_PARAMETERS, "init_model", "callbacks"):
            raise TypeError(f"{call}.fit got an unexpected argument {name!r}. Got {value!r}.")
    kept = {name: options[name] for name in _AS_PARAMETERS if options.get(name) is not None}
    params = {_RENAMED.get(name, name): value for name, value in kept.items()}
    return params, options.get("init_model"), options.get("callbacks")


def _initial(init_model: Any) -> CatBoostTrees:
    engine = getattr(init_model, "_engine", None)
    if not isinstance(engine, CatBoostTrees):
        raise TypeError(
            "init_model must be a model of gramian.compat.catboost that was fitted, not one from a "
            f"file. Got {type(init_model).__name__}."
        )
    return engine


def eval_pools(eval_set: Any, train: Pool) -> list[Pool]:
    """Return evaluation sets as pools, with the categorical columns of the training rows."""
    if eval_set is None:
        return []
    items = eval_set if isinstance(eval_set, list) else [eval_set]
    found = []
    for item in items:
        if isinstance(item, (tuple, list)) and len(item) == 2:
            item = Pool(item[0], item[1], train.get_cat_feature_indices())
        if not isinstance(item, Pool):
            raise TypeError(
                "eval_set must be a Pool, a pair (X, y), or a list of these. "
                f"Got {type(item).__name__}."
            )
        found.append(item)
    return found


def _with_starts(plan: FitPlan, pool: Pool, sets: list[Pool]) -> Any:
    starts = tuple(one.baseline for one in (pool, *sets))
    if all(start is None for start in starts):
        return plan.metrics
    if plan.loss.kind == "ranker":
        raise ValueError("baseline is not supported by gramian for rankings.")
    return replace(plan.metrics, starts=starts)


def _rows_of(engine: CatBoostTrees, plan: FitPlan, pool: Pool, sets: list[Pool]) -> dict[str, Any]:
    """Return the arguments of the engine's ``fit``."""
    labels = [plain_label(one, plan.own["target_border"], plan.loss.kind) for one in sets]
    found: dict[str, Any] = {
        "X": pool.data,
        "y": plan.label,
        "sample_weight": pool.weight,
        "eval_set": [(one.data, label) for one, label in zip(sets, labels, strict=True)],
        "eval_sample_weight": [one.weight for one in sets],
    }
    if isinstance(engine, RankerTrees):
        found |= {"qid": pool.group_id, "eval_qid": [one.group_id for one in sets]}
    return found


def _continued(before: CatBoostTrees, plan: FitPlan) -> CatBoostTrees:
    """Return the engine with the rounds of an earlier fit, to which those of the plan are added."""
    engine = plan.engine
    if type(before) is not type(engine):
        raise ValueError("init_model must be a model of the same kind.")
    params = engine.get_params(deep=False)
    params["warm_start"] = True
    params["n_estimators"] += before.n_estimators_
    return copy.copy(before).set_params(**params)


def _callbacks(callbacks: Any, n_sets: int) -> list[Callable[[RoundReport], Any]]:
    """Return a user's callbacks as those of our engine, which end the fit by returning True."""
    found = [] if callbacks is None else list(callbacks)

    def as_ours(callback: Any) -> Callable[[RoundReport], bool]:
        def report(round_: RoundReport) -> bool:
            metrics = _named(round_.evals_result, n_sets)
            info = SimpleNamespace(iteration=round_.iteration + 1, metrics=metrics)
            return not callback.after_iteration(info)

        return report

    return [as_ours(callback) for callback in found]


def _named(results: dict[str, Any], n_sets: int) -> dict[str, Any]:
    """Return metrics by CatBoost's names of the sets; a single one has no number."""
    found = {"learn": results["learn"]} if results["learn"] else {}
    for name, values in results.items():
        if name != "learn":
            found["validation" if n_sets == 1 else name] = values
    return found


def _best_scores(results: dict[str, Any], plan: FitPlan) -> dict[str, dict[str, float]]:
    is_higher_better = {m.name: m.is_higher_better for m in plan.metrics.metrics}
    return {
        part: {
            name: max(values) if is_higher_better.get(name) else min(values)
            for name, values in found.items()
        }
        for part, found in results.items()
    }


def pool_of(
    X: Any, y: Any, cat_features: Any, sample_weight: Any, baseline: Any, group_id: Any = None
) -> Pool:
    """Return what a user passed to ``fit`` as a pool."""
    return as_pool(X, y, cat_features, weight=sample_weight, baseline=baseline, group_id=group_id)
