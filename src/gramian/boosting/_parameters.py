"""The parameters of the boosted models, and the settings of a fit by them."""

from collections.abc import Mapping
from typing import Any

from gramian._boosting.choice import Choice
from gramian._boosting.growth import drop_plan, linear_plan, row_sampling
from gramian._boosting.losses import Objective
from gramian._boosting.presets import PRESETS, preset_values
from gramian._boosting.rates import chosen_rate
from gramian._boosting.settings import BoostingSettings, TreePlan
from gramian._boosting.steps import BoostedFit
from gramian.params import (
    Arrays,
    Boolean,
    Fraction,
    Integer,
    Mappings,
    Nothing,
    OneOf,
    RandomState,
    Real,
    param,
)
from gramian.validation import check_is_fitted

__all__ = ["BoostingParameters"]


_NONE = Nothing()


class BoostingParameters(BoostedFit):
    """What the user sets, what is chosen for the table, and what follows for a fit."""

    n_estimators: int | None = param(None, Integer(1) | _NONE)
    n_folds: int | None = param(None, Integer(2) | OneOf(0) | _NONE)
    learning_rate: float | None = param(None, Real(0.0, closed="neither") | _NONE)
    boosting_type: str = param("plain", OneOf("plain", "ordered"))
    growth: str | None = param(None, OneOf("leaf", "level", "symmetric") | _NONE)
    max_leaves: int | None = param(None, Integer(2) | OneOf(0) | _NONE)
    max_depth: int | None = param(None, Integer(0) | _NONE)
    min_samples_leaf: int | None = param(None, Integer(1) | _NONE)
    min_child_weight: float | None = param(None, Real(0.0) | _NONE)
    reg_lambda: float | None = param(None, Real(0.0) | _NONE)
    reg_alpha: float = param(0.0, Real(0.0))
    split_score: str | None = param(None, OneOf("newton", "gradient", "cosine") | _NONE)
    random_strength: float | None = param(None, Real(0.0) | _NONE)
    leaf_steps: int | None = param(None, Integer(1) | OneOf(0) | _NONE)
    gamma: float = param(0.0, Real(0.0))
    max_delta_step: float = param(0.0, Real(0.0))
    linear_leaves: Any = param(False, Boolean() | OneOf("unbounded"))
    linear_lambda: float = param(1.0, Real(0.0))
    sampling: str | None = param(None, OneOf("uniform", "goss", "mvs") | _NONE)
    subsample: float | None = param(None, Fraction(closed="right") | _NONE)
    top_rate: float = param(0.2, Real(0.0, 1.0, closed="both"))
    other_rate: float = param(0.1, Real(0.0, 1.0, closed="both"))
    colsample_bytree: float = param(1.0, Fraction(closed="right"))
    colsample_bylevel: float | None = param(None, Fraction(closed="right") | _NONE)
    colsample_bynode: float = param(1.0, Fraction(closed="right"))
    max_bins: int | None = param(None, Integer(2, 255, closed="both") | _NONE)
    categorical_features: Any = param("from_dtype", OneOf("from_dtype") | Arrays() | _NONE)
    max_cat_to_onehot: int | None = param(None, Integer(0) | _NONE)
    cat_smooth: float | None = param(None, Real(0.0) | _NONE)
    cat_l2: float | None = param(None, Real(0.0) | _NONE)
    min_samples_category: float | None = param(None, Real(0.0) | _NONE)
    max_cat_threshold: int | None = param(None, Integer(0) | _NONE)
    min_data_per_group: int | None = param(None, Integer(0) | _NONE)
    categorical_encoding: str | None = param(None, OneOf("levels", "ordered") | _NONE)
    max_cat_levels: int | None = param(None, Integer(0) | _NONE)
    cat_orders: int | None = param(None, Integer(1) | _NONE)
    cat_prior: float = param(3.0, Real(0.0, closed="neither"))
    cat_combination_size: int = param(3, Integer(1))
    max_cat_combinations: int = param(40, Integer(0))
    cat_bins: int = param(16, Integer(2, 255, closed="both"))
    monotonic_cst: Any = param(None, Arrays() | Mappings() | _NONE)
    interaction_cst: Any = param(None, OneOf("pairwise", "no_interactions") | Arrays() | _NONE)
    drop_rate: float = param(0.0, Real(0.0, 1.0, closed="both"))
    skip_drop: float = param(0.0, Real(0.0, 1.0, closed="both"))
    max_drop: int = param(50, Integer(0))
    base_score: float | None = param(None, Real() | _NONE)
    preset: str | None = param(None, OneOf("xgboost", "lightgbm", "catboost") | _NONE)
    early_stopping_rounds: int | None = param(None, Integer(1) | _NONE)
    validation_fraction: Any = param(0.1, Fraction() | Integer(1))
    warm_start: bool = param(False, Boolean())
    verbose: int = param(0, Integer(0) | Boolean())
    random_state: Any = param(None, RandomState())
    n_jobs: int | None = param(None, Integer() | _NONE)

    _choice: Choice = Choice()
    _seed: int

    def _settings(self) -> dict[str, Any]:
        """Return the parameters, those that are None as they are chosen or the preset has them."""
        return self.get_params(deep=False) | preset_values(self) | self._chosen_values()

    def _chosen_values(self) -> dict[str, Any]:
        """Return the parameters that were chosen for the table."""
        chosen = self._choice.values
        return {name: chosen[name] for name in chosen if getattr(self, name) is None}

    @property
    def settings_(self) -> dict[str, tuple[Any, str]]:
        """The parameters that may be None: what they were, and why."""
        check_is_fitted(self)
        reasons, values = self._choice.reasons, self._settings()
        otherwise = f"preset {self.preset!r}" if self.preset else "always"
        return {
            name: (values[name], "given" if given is not None else reasons.get(name, otherwise))
            for name in PRESETS[None]
            for given in (getattr(self, name),)
        }

    def _tree_plan(self, n_groups: int) -> TreePlan:
        """Return how trees grow."""
        values, constraints = self._settings(), self._constraints()
        if constraints["monotone"] and n_groups > 1 and self._estimator_type == "classifier":
            raise ValueError(
                "monotonic constraints are not supported for multiclass classification."
            )
        if values["growth"] == "symmetric" and not (values["max_depth"] or values["max_leaves"]):
            raise ValueError("growth='symmetric' needs a limit: max_depth or max_leaves above 0.")
        return TreePlan.of(values, **constraints, orders_absent=self.preset == "xgboost")

    def _run_settings(
        self, objective: Objective, n_rows: int, *, has_statistics: bool
    ) -> BoostingSettings:
        """Return the settings of a fit to so many rows."""
        values, trees = self._settings(), self._tree_plan(objective.n_groups)
        if values["sampling"] == "goss" and (self.subsample or 1.0) < 1.0:
            raise ValueError(
                "sampling='goss' draws top_rate + other_rate of the rows; leave subsample at "
                f"None. Got subsample={self.subsample!r}."
            )
        is_ordered = self.boosting_type == "ordered"
        return BoostingSettings(
            trees,
            learning_rate=self._learning_rate(values, objective.name, n_rows),
            seed=self._seed,
            max_bins=int(values["max_bins"]),
            sampling=row_sampling(values),
            drops=drop_plan(values),
            n_orders=max(int(values["cat_orders"]) - 1, 1) if is_ordered else 0,
            leaf_steps=int(values["leaf_steps"]),
            random_strength=float(values["random_strength"]),
            linear=linear_plan(values, objective, trees, has_statistics=has_statistics),
            n_jobs=self.n_jobs,
        )

    def _learning_rate(self, values: Mapping[str, Any], loss: str, n_rows: int) -> float:
        """Return the learning rate; that of CatBoost for so many rows where there is none."""
        rate = values["learning_rate"]
        if rate is not None:
            return float(rate)
        return chosen_rate(
            loss,
            n_rows,
            values["n_estimators"],
            keeps_best=self.early_stopping_rounds is not None,
            from_average=True,
        )
