"""The settings of a boosted model by the parameters of our estimators."""

from collections.abc import Mapping
from typing import Any

from gramian._boosting.categories import StatisticsPlan
from gramian._boosting.losses import Objective
from gramian._boosting.sampling import GossSampling, MinimalVarianceSampling, UniformSampling
from gramian._boosting.settings import DropPlan, LinearPlan, RowSampling, TreePlan

__all__ = [
    "check_goss",
    "check_ordered",
    "drop_plan",
    "linear_plan",
    "row_sampling",
    "statistics_plan",
]

Values = Mapping[str, Any]


def check_ordered(values: Values, *, is_ranking: bool) -> None:
    """Refuse what ordered boosting cannot be combined with."""
    if values["boosting_type"] != "ordered":
        return
    if is_ranking:
        raise ValueError(
            "boosting_type='ordered' is not for rankings, whose gradients belong to whole queries."
        )
    reasons = {
        "drop_rate": "DART changes the trees of earlier rounds",
        "warm_start": "the models of the first rows of each order are not kept after a fit",
        "linear_leaves": "leaves must be numbers",
        "monotonic_cst": "the values of leaves that all rows give are not bounded",
    }
    for name, reason in reasons.items():
        is_given = values[name] is not None if name == "monotonic_cst" else bool(values[name])
        if is_given:
            raise ValueError(
                f"{name} cannot be used with boosting_type='ordered', since {reason}. "
                "Set boosting_type='plain'."
            )


def check_goss(top_rate: float, other_rate: float) -> GossSampling:
    """Return the sampling of these rates; refuse what is no part of the rows."""
    if not 0.0 < top_rate + other_rate <= 1.0:
        raise ValueError(
            "top_rate + other_rate must be above 0 and at most 1. "
            f"Got {top_rate!r} + {other_rate!r}."
        )
    return GossSampling(float(top_rate), float(other_rate))


def row_sampling(values: Values) -> RowSampling | None:
    """Return what draws the rows of a tree; None if all are taken."""
    fraction = float(values["subsample"])
    if values["sampling"] == "goss":
        return check_goss(values["top_rate"], values["other_rate"])
    if fraction == 1.0:
        return None
    if values["sampling"] == "mvs":
        return MinimalVarianceSampling(fraction, float(values["reg_lambda"]))
    return UniformSampling(fraction)


def drop_plan(values: Values) -> DropPlan | None:
    """Return which rounds DART leaves out; None if there is no DART."""
    if values["drop_rate"] == 0.0:
        return None
    return DropPlan(values["drop_rate"], values["skip_drop"], values["max_drop"])


def linear_plan(
    values: Values, objective: Objective, trees: TreePlan, *, has_statistics: bool
) -> LinearPlan | None:
    """Return how leaves become linear functions; None if they are numbers."""
    if not values["linear_leaves"]:
        return None
    if any(objective.renewal_of(group) is not None for group in range(objective.n_groups)):
        raise ValueError(
            "linear_leaves=True needs a loss with second derivatives, such as 'huber' or "
            f"'expectile'. Got loss={values['loss']!r}."
        )
    if trees.monotone:
        raise ValueError(
            "linear_leaves=True cannot be used with monotonic_cst, since slopes within leaves do "
            "not follow it."
        )
    if has_statistics:
        raise ValueError(
            "linear_leaves=True cannot be used with target statistics of categorical "
            "columns. Set categorical_encoding='levels'."
        )
    return LinearPlan(float(values["linear_lambda"]), values["linear_leaves"] != "unbounded")


def statistics_plan(values: Values) -> StatisticsPlan | None:
    """Return how categorical columns become statistics; None if they are split by their levels."""
    if values["categorical_encoding"] == "levels":
        return None
    most = values["max_cat_levels"]
    return StatisticsPlan(
        native_levels=int(values["max_bins"] if most is None else most),
        n_orders=int(values["cat_orders"]),
        strength=float(values["cat_prior"]),
        combined_columns=int(values["cat_combination_size"]),
        max_combinations=int(values["max_cat_combinations"]),
        max_bins=int(values["cat_bins"]),
    )
