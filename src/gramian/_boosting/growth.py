"""How the trees of a boosted model grow, and on which rows, by its parameters."""

from typing import Any

from gramian._boosting.categories import StatisticsBoosting, StatisticsPlan
from gramian._boosting.columns import interaction_sets, monotone_signs
from gramian._boosting.dart import DartBoosting, StatisticsDartBoosting
from gramian._boosting.linear_leaves import LinearPlan
from gramian._boosting.losses import Objective
from gramian._boosting.ordered import OrderedBoosting, OrderedStatisticsBoosting
from gramian._boosting.presets import preset_values
from gramian._boosting.rounds import Boosting, RowSampling, TreePlan
from gramian._boosting.sampling import GossSampling, MinimalVarianceSampling, UniformSampling

__all__ = [
    "boosting_kind",
    "check_ordered",
    "linear_plan",
    "row_sampling",
    "statistics_plan",
    "tree_plan",
]


def boosting_kind(estimator: Any, *, has_statistics: bool) -> type[Boosting]:
    """Return what grows the trees."""
    if estimator.drop_rate > 0.0:
        return StatisticsDartBoosting if has_statistics else DartBoosting
    if estimator.boosting_type == "ordered":
        return OrderedStatisticsBoosting if has_statistics else OrderedBoosting
    return StatisticsBoosting if has_statistics else Boosting


def check_ordered(estimator: Any) -> None:
    """Refuse what ordered boosting cannot be combined with."""
    if estimator.boosting_type != "ordered":
        return
    if estimator._kind not in ("classifier", "regressor"):
        raise ValueError(
            "boosting_type='ordered' is not for rankings, whose gradients belong to whole queries."
        )
    reasons = {
        "drop_rate": (estimator.drop_rate > 0.0, "DART changes the trees of earlier rounds"),
        "warm_start": (
            estimator.warm_start,
            "the models of the first rows of each order are not kept after a fit",
        ),
        "linear_leaves": (estimator.linear_leaves, "leaves must be numbers"),
        "monotonic_cst": (
            estimator.monotonic_cst is not None,
            "the values of leaves that all rows give are not bounded",
        ),
    }
    for name, (is_asked, reason) in reasons.items():
        if is_asked:
            raise ValueError(
                f"{name} cannot be used with boosting_type='ordered', since {reason}. "
                "Set boosting_type='plain'."
            )


def tree_plan(estimator: Any, n_groups: int) -> TreePlan:
    """Return how trees grow."""
    values = preset_values(estimator)
    n_features = estimator.n_features_in_
    signs = monotone_signs(estimator)
    if signs and n_groups > 1 and estimator._kind == "classifier":
        raise ValueError("monotonic constraints are not supported for multiclass classification.")
    if values["growth"] == "symmetric" and not (values["max_depth"] or values["max_leaves"]):
        raise ValueError("growth='symmetric' needs a limit: max_depth or max_leaves above 0.")
    return TreePlan(
        growth=values["growth"],
        max_leaves=int(values["max_leaves"]),
        max_depth=int(values["max_depth"]),
        min_rows=int(values["min_samples_leaf"]),
        min_hessian=float(values["min_child_weight"]),
        min_gain=float(estimator.gamma),
        l1=float(estimator.reg_alpha),
        l2=float(values["reg_lambda"]),
        max_step=float(estimator.max_delta_step),
        columns_by_tree=float(estimator.colsample_bytree),
        columns_by_level=float(estimator.colsample_bylevel),
        columns_by_node=float(estimator.colsample_bynode),
        monotone=signs,
        interaction_sets=interaction_sets(estimator.interaction_cst, n_features),
        splits_by_gradient=values["split_score"] == "gradient",
        one_hot_levels=int(values["max_cat_to_onehot"]),
        level_smoothing=float(values["cat_smooth"]),
        level_l2=float(values["cat_l2"]),
        level_support=float(values["min_samples_category"]),
        max_levels=int(values["max_cat_threshold"]),
        level_group=float(values["min_data_per_group"]),
        orders_absent=estimator.preset == "xgboost",
    )


def row_sampling(estimator: Any) -> RowSampling | None:
    """Return what draws the rows of a tree; None if all are taken."""
    values = preset_values(estimator)
    share = float(values["subsample"])
    if values["sampling"] == "goss":
        if estimator.subsample is not None and share < 1.0:
            raise ValueError(
                "sampling='goss' draws top_rate + other_rate of the rows; leave subsample at "
                f"None. Got subsample={estimator.subsample!r}."
            )
        if not 0.0 < estimator.top_rate + estimator.other_rate <= 1.0:
            raise ValueError(
                "top_rate + other_rate must be above 0 and at most 1. "
                f"Got {estimator.top_rate!r} + {estimator.other_rate!r}."
            )
        return GossSampling(float(estimator.top_rate), float(estimator.other_rate))
    if share == 1.0:
        return None
    if values["sampling"] == "mvs":
        return MinimalVarianceSampling(share, float(values["reg_lambda"]))
    return UniformSampling(share)


def linear_plan(estimator: Any, objective: Objective) -> LinearPlan | None:
    """Return how leaves become linear functions; None if they are numbers."""
    if not estimator.linear_leaves:
        return None
    if any(objective.renewal_of(group) is not None for group in range(objective.n_groups)):
        raise ValueError(
            "linear_leaves=True needs a loss with second derivatives, such as 'huber' or "
            f"'expectile'. Got loss={estimator.loss!r}."
        )
    if monotone_signs(estimator):
        raise ValueError(
            "linear_leaves=True cannot be used with monotonic_cst, since slopes within leaves do "
            "not follow it."
        )
    return LinearPlan(float(estimator.linear_lambda), estimator.linear_leaves != "unbounded")


def statistics_plan(estimator: Any) -> StatisticsPlan | None:
    """Return how categorical columns become statistics; None if they are split by their levels."""
    values = preset_values(estimator)
    if values["categorical_encoding"] == "levels":
        return None
    most = values["max_cat_levels"]
    return StatisticsPlan(
        native_levels=int(estimator.max_bins if most is None else most),
        n_orders=int(values["cat_orders"]),
        strength=float(estimator.cat_prior),
        combined_columns=int(estimator.cat_combination_size),
        max_combinations=int(estimator.max_cat_combinations),
        max_bins=int(estimator.cat_bins),
    )
