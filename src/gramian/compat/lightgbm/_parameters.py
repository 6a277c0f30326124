"""The parameters of LightGBM, and what becomes of each."""

from collections.abc import Mapping
from typing import Any

from gramian.compat._parameters import Parameters, engine, own
from gramian.compat.lightgbm._unsupported_parameters import (
    ELSEWHERE,
    WITHOUT_EFFECT,
    WITHOUT_SUPPORT,
)
from gramian.params import (
    Anything,
    Arrays,
    Boolean,
    Callables,
    Integer,
    Nothing,
    OneOf,
    Real,
    Strings,
)

__all__ = ["PARAMETERS", "only", "without"]

_FRACTION = Real(0.0, 1.0, closed="right")
_RATE = Real(0.0, 1.0, closed="both")
_POSITIVE = Real(0.0, closed="neither")


_OBJECTIVES = {
    **dict.fromkeys(("mape", "mean_absolute_percentage_error"), "use regression_l1 and weights"),
    **dict.fromkeys(("cross_entropy_lambda", "xentlambda"), "use cross_entropy"),
    **dict.fromkeys(
        ("rank_xendcg", "xendcg", "xe_ndcg", "xe_ndcg_mart", "xendcg_mart"), "use lambdarank"
    ),
}


def _no_limit(value: int) -> int:
    """Return a limit in which 0, not a number below it, means none."""
    return max(0, int(value))


def _signs(value: Any) -> Any:
    """Return constraints that may be a text, "1,0,-1", as a list."""
    if isinstance(value, str):
        value = [int(word) for word in value.strip("()[] ").split(",") if word.strip()]
    return value if len(value) else None


_CORE = [
    own(
        "objective app application loss objective_type",
        "regression",
        Strings() | Callables() | Nothing(),
        "what is minimised",
        refuses=_OBJECTIVES,
    ),
    own(
        "boosting boosting_type boost",
        "gbdt",
        OneOf("gbdt", "gbrt", "dart", "goss", "rf", "random_forest"),
        'plain boosting, DART (`drop_rate`) or GOSS (`sampling="goss"`)',
        refuses=dict.fromkeys(("rf", "random_forest"), "use gramian.ensemble.RandomForest*"),
    ),
    own(
        "data_sample_strategy",
        "bagging",
        OneOf("bagging", "goss"),
        '`sampling`: "uniform" or "goss"',
    ),
    own(
        "num_iterations num_iteration n_iter num_tree num_trees num_round num_rounds "
        "nrounds num_boost_round n_estimators max_iter",
        100,
        Integer(0),
        "`n_estimators`",
    ),
    engine("learning_rate shrinkage_rate eta", 0.1, _POSITIVE),
    engine(
        "num_leaves num_leaf max_leaves max_leaf max_leaf_nodes",
        31,
        Integer(2),
        target="max_leaves",
    ),
    engine("max_depth", -1, Integer(), convert=_no_limit, note="0 or less: no limit"),
    own("num_threads num_thread nthread nthreads n_jobs", 0, Integer(), "`n_jobs`; 0 is None"),
    own("seed random_seed random_state", None, Anything(), "`random_state`; None is 0"),
]


_GROWTH = [
    engine(
        "min_data_in_leaf min_data_per_leaf min_data min_child_samples min_samples_leaf",
        20,
        Integer(0),
        target="min_samples_leaf",
        convert=lambda value: max(1, int(value)),
        note="rows are counted exactly, where LightGBM estimates them from hessians",
    ),
    engine(
        "min_sum_hessian_in_leaf min_sum_hessian_per_leaf min_sum_hessian min_hessian "
        "min_child_weight",
        1e-3,
        Real(0.0),
        target="min_child_weight",
    ),
    engine(
        "min_gain_to_split min_split_gain",
        0.0,
        Real(0.0),
        target="gamma",
        note="gains have no factor 1/2",
    ),
    engine("lambda_l1 reg_alpha l1_regularization", 0.0, Real(0.0), target="reg_alpha"),
    engine("lambda_l2 reg_lambda lambda l2_regularization", 0.0, Real(0.0), target="reg_lambda"),
    engine(
        "max_delta_step max_tree_output max_leaf_output",
        0.0,
        Real(),
        convert=lambda value: max(0.0, float(value)),
    ),
    engine(
        "max_bin max_bins",
        255,
        Integer(2, 255, closed="both"),
        target="max_bins",
        note="at most 255",
    ),
    engine(
        "monotone_constraints mc monotone_constraint monotonic_cst",
        None,
        Arrays() | Strings(),
        target="monotonic_cst",
        convert=_signs,
    ),
    own(
        "monotone_constraints_method monotone_constraining_method mc_method",
        "basic",
        OneOf("basic", "intermediate", "advanced"),
        "the bound between two branches is the mean of their values",
        refuses=dict.fromkeys(("intermediate", "advanced"), "the method is basic"),
    ),
    own(
        "interaction_constraints",
        None,
        Arrays() | Strings(),
        "`interaction_cst`; as in LightGBM a feature that no set names is not used",
    ),
]


_SAMPLING = [
    own(
        "bagging_fraction sub_row subsample bagging",
        1.0,
        _FRACTION,
        "`subsample`, if `bagging_freq` is above 0",
    ),
    own(
        "bagging_freq subsample_freq",
        0,
        Integer(),
        "rows are drawn anew after so many rounds; 0: never",
    ),
    engine("top_rate", 0.2, _RATE),
    engine("other_rate", 0.1, _RATE),
    engine(
        "feature_fraction sub_feature colsample_bytree", 1.0, _FRACTION, target="colsample_bytree"
    ),
    engine(
        "feature_fraction_bynode sub_feature_bynode colsample_bynode",
        1.0,
        _FRACTION,
        target="colsample_bynode",
    ),
    own("drop_rate rate_drop", 0.1, _RATE, "`drop_rate`, for DART"),
    own("max_drop", 50, Integer(), "`max_drop`, for DART; 0 or less: no limit"),
    own("skip_drop", 0.5, _RATE, "`skip_drop`, for DART"),
    own("xgboost_dart_mode", False, Boolean(), "for DART: how dropped trees are shrunk"),
    own("uniform_drop", False, Boolean(), "for DART: whether all trees are dropped alike"),
    own("bagging_seed bagging_fraction_seed", 3, Integer(), "draws of rows depend on it"),
    own("feature_fraction_seed", 2, Integer(), "draws of columns depend on it"),
    own("drop_seed", 4, Integer(), "draws of DART depend on it"),
]


_CATEGORIES = [
    own(
        "categorical_feature cat_feature categorical_column cat_column categorical_features",
        "auto",
        Anything(),
        "`categorical_features`; columns of text are categorical, too",
    ),
    engine("cat_l2", 10.0, Real(0.0)),
    engine(
        "cat_smooth",
        10.0,
        Real(0.0),
        note="also the least number of rows of a level that is moved on its own",
    ),
    engine("max_cat_to_onehot", 4, Integer(1)),
    engine("max_cat_threshold", 32, Integer(1)),
    engine("min_data_per_group", 100, Integer(1)),
]


_LEARNING = [
    own("num_class num_classes", 1, Integer(1), "number of classes"),
    own("boost_from_average", True, Boolean(), "True: `base_score` is None; False: 0"),
    own(
        "is_unbalance unbalance unbalanced_sets",
        False,
        Boolean(),
        "the rarer class weighs as much as the other",
    ),
    own("scale_pos_weight", 1.0, _POSITIVE, "weight of the rows of class 1"),
    own("sigmoid", 1.0, _POSITIVE, "slope of the logistic function, for binary and multiclassova"),
    own("reg_sqrt", False, Boolean(), "fits the square root of the target"),
    own("alpha", 0.9, _POSITIVE, "`huber_delta` of huber, `quantile` of quantile"),
    own("fair_c", 1.0, _POSITIVE, "constant of the objective fair"),
    own("poisson_max_delta_step", 0.7, _POSITIVE, "hessians of poisson are exp(this) larger"),
    own("tweedie_variance_power", 1.5, Real(1.0, 2.0, closed="neither"), "`tweedie_power`"),
    own("lambdarank_truncation_level", 30, Integer(1), "`truncation` of the ranker"),
    own("lambdarank_norm", True, Boolean(), "whether lambdas of a query are made of one size"),
    own("metric metrics metric_types", None, Anything(), "`eval_metric`; see the table of metrics"),
    own(
        "eval_at ndcg_eval_at ndcg_at map_eval_at map_at",
        (1, 2, 3, 4, 5),
        Anything(),
        "places that ndcg and map judge",
    ),
    own("multi_error_top_k", 1, Integer(1), "of multi_error: a class among so many is right"),
    own(
        "early_stopping_round early_stopping_rounds early_stopping n_iter_no_change",
        0,
        Integer(),
        "`early_stopping_rounds`; 0 or less: never",
    ),
    own("early_stopping_min_delta", 0.0, Real(0.0), "least gain that counts for it"),
    own("first_metric_only", False, Boolean(), "whether only the first metric counts for it"),
    own("use_missing", True, Boolean(), "False: NaN is taken for 0"),
    own("zero_as_missing", False, Boolean(), "True: 0 is taken for NaN"),
    own("verbosity verbose", 1, Integer(), "above 0: early stopping prints what it does"),
]


PARAMETERS = Parameters(
    "LightGBM",
    *_CORE,
    *_GROWTH,
    *_SAMPLING,
    *_CATEGORIES,
    *_LEARNING,
    *WITHOUT_EFFECT,
    *WITHOUT_SUPPORT,
    *ELSEWHERE,
    first_counts=True,
)
"""All parameters of LightGBM 4, under all of their names."""


def only(params: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """Return some of the parameters, whichever of their names is used."""
    kept = {spelling for name in names for spelling in _spellings(name)}
    return {name: value for name, value in params.items() if name in kept}


def without(params: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """Return parameters but for some, whichever of their names is used."""
    left_out = only(params, *names)
    return {name: value for name, value in params.items() if name not in left_out}


def _spellings(name: str) -> tuple[str, ...]:
    return (name, *PARAMETERS.entries[name].aliases)
