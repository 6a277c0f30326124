"""The parameters of XGBoost, and what becomes of each."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from gramian.compat._parameters import Parameter, Parameters, engine, idle, own, refused
from gramian.compat.xgboost._objectives import OBJECTIVES
from gramian.exceptions import InvalidParameterError
from gramian.params import (
    Anything,
    Arrays,
    Boolean,
    Constraint,
    Integer,
    Mappings,
    OneOf,
    RandomState,
    Real,
    Strings,
)

__all__ = ["CLASSES", "PARAMETERS", "as_params", "declared"]

CLASSES = ("XGBClassifier", "XGBRegressor", "XGBRanker", "XGBRFClassifier", "XGBRFRegressor")
"""The estimators, which take some parameters that `train` has as arguments, or ignores."""

_FRACTION = Real(0.0, 1.0, closed="right")
_SURVIVAL = "gramian has no survival models"
_OLD = ("former versions",)


def _bins(max_bin: int) -> int:
    if max_bin > 256:
        raise InvalidParameterError(
            f"max_bin={max_bin} is not supported by gramian; a bin is a byte, so that 256 is the "
            "most, one of which is that of missing values."
        )
    return min(max_bin, 255)


def _threads(nthread: int) -> int | None:
    return nthread if nthread > 0 else None


def _of_estimators(
    names: str, default: Any, constraint: Constraint, note: str, instead: str = ""
) -> Parameter:
    return own(names, default, constraint, note, calls=CLASSES, instead=instead)


PARAMETERS = Parameters(
    "XGBoost",
    own(
        "objective",
        "reg:squarederror",
        OneOf(*OBJECTIVES, "survival:cox", "survival:aft"),
        "what is minimised",
        refuses={"survival:cox": _SURVIVAL, "survival:aft": _SURVIVAL},
    ),
    own(
        "num_class",
        0,
        Integer(0),
        "number of classes of `multi:softmax` and `multi:softprob`; estimators count them",
    ),
    own(
        "base_score",
        None,
        Real() | Arrays(),
        "the prediction that trees are added to; by default estimated as XGBoost does",
    ),
    own("eval_metric", None, Anything(), "names of metrics, by XGBoost's names"),
    own(
        "disable_default_eval_metric",
        False,
        Boolean(),
        "whether no metric is computed unless `eval_metric` names one",
    ),
    own(
        "booster",
        "gbtree",
        OneOf("gbtree", "dart", "gblinear"),
        "`dart` sets `drop_rate`",
        refuses={"gblinear": "gramian.linear_model has linear models"},
    ),
    _of_estimators(
        "n_estimators num_boost_round",
        100,
        Integer(0),
        "number of rounds",
        "pass num_boost_round as an argument of its own",
    ),
    engine("learning_rate eta", 0.3, Real(0.0, closed="neither")),
    engine("max_depth", 6, Integer(0)),
    engine("max_leaves", 0, Integer(2) | OneOf(0)),
    engine(
        "grow_policy",
        "depthwise",
        OneOf("depthwise", "lossguide"),
        target="growth",
        convert={"depthwise": "level", "lossguide": "leaf"}.__getitem__,
        note="`depthwise` is `level`, `lossguide` is `leaf`",
    ),
    engine("gamma min_split_loss", 0.0, Real(0.0), note="both count gains without the factor ½"),
    engine("min_child_weight", 1.0, Real(0.0)),
    engine("reg_lambda lambda", 1.0, Real(0.0)),
    engine("reg_alpha alpha", 0.0, Real(0.0)),
    own(
        "max_delta_step",
        None,
        Real(0.0),
        "`max_delta_step`; 0.7 by default for `count:poisson`, else 0",
    ),
    engine("subsample", 1.0, _FRACTION, convert=float),
    engine(
        "sampling_method",
        "uniform",
        OneOf("uniform", "gradient_based"),
        target="sampling",
        convert={"uniform": "uniform", "gradient_based": "mvs"}.__getitem__,
        note="`gradient_based` is `mvs`",
    ),
    engine("colsample_bytree", 1.0, _FRACTION, convert=float),
    engine("colsample_bylevel", 1.0, _FRACTION, convert=float),
    engine("colsample_bynode", 1.0, _FRACTION, convert=float),
    own("scale_pos_weight", 1.0, Real(0.0), "weight of the rows of class 1 in the fit"),
    own(
        "num_parallel_tree", 1, Integer(1), "trees of a round, each on rows and columns of its own"
    ),
    engine(
        "max_bin",
        256,
        Integer(2),
        target="max_bins",
        convert=_bins,
        note="256 is 255 and one of missing",
    ),
    own(
        "monotone_constraints",
        None,
        Strings() | Arrays() | Mappings(),
        "`monotonic_cst`; a tuple, its text, or a dict by name",
    ),
    own(
        "interaction_constraints",
        None,
        Strings() | Arrays(),
        "`interaction_cst`; a feature in none of the sets is alone, as in XGBoost",
    ),
    engine(
        "max_cat_to_onehot",
        4,
        Integer(1),
        convert=lambda most: most - 1,
        note="XGBoost's is the least number of levels that are not split one by one",
    ),
    engine(
        "max_cat_threshold",
        64,
        Integer(1),
        convert=lambda most: max(most - 1, 1),
        note="XGBoost cuts off one level less than this",
    ),
    engine(
        "rate_drop", 0.0, Real(0.0, 1.0, closed="both"), target="drop_rate", note="of `dart` only"
    ),
    engine("skip_drop", 0.0, Real(0.0, 1.0, closed="both"), note="of `dart` only"),
    refused("one_drop", False, "DART may leave out no round here"),
    refused("sample_type", "uniform", "DART leaves out all rounds with the same probability here"),
    refused("normalize_type", "tree", "DART scales by the number of rounds left out here"),
    own("tweedie_variance_power", 1.5, Real(1.0, 2.0, closed="neither"), "of `reg:tweedie`"),
    own("quantile_alpha", None, Real(0.0, 1.0) | Arrays(), "of `reg:quantileerror`: one or more"),
    own("huber_slope", 1.0, Real(0.0, closed="neither"), "of `reg:pseudohubererror`"),
    own(
        "lambdarank_num_pair_per_sample",
        32,
        Integer(1),
        "of `rank:*`: pairs with one of so many first rows count",
    ),
    own("lambdarank_normalization", True, Boolean(), "of `rank:*`"),
    own("lambdarank_score_normalization", True, Boolean(), "of `rank:*`"),
    refused("lambdarank_pair_method", "topk", "pairs are not drawn here"),
    refused("lambdarank_unbiased", False, "gramian knows no bias of positions"),
    refused("lambdarank_bias_norm", 1.0, "gramian knows no bias of positions"),
    refused("ndcg_exp_gain", True, "gains are 2^relevance - 1 here"),
    refused("multi_strategy", "one_output_per_tree", "each tree is for one output"),
    idle(
        "tree_method",
        "auto",
        "all grow on histograms",
        OneOf("auto", "hist", "approx", "exact"),
        refuses={"exact": "columns are cut into bins, exact up to 255 different values"},
    ),
    own(
        "device",
        "cpu",
        Strings(),
        "all runs on the CPU; another device gives a warning, and the same model",
    ),
    own("seed random_state", 0, RandomState(), "seed of all draws"),
    refused("seed_per_iteration", False, "each round has draws of its own already"),
    engine(
        "nthread n_jobs",
        None,
        Integer(),
        target="n_jobs",
        convert=_threads,
        note="0 or less: as many as the settings say",
    ),
    refused("feature_weights", None, "columns are drawn with equal probabilities"),
    refused("process_type", "default", "trees are grown, not renewed"),
    refused("updater", None, "there is one way to grow trees"),
    refused("refresh_leaf", 1, "trees are grown, not renewed"),
    idle("verbosity", 1, "warnings are those of Python"),
    idle("validate_parameters", True, "unknown parameters are always refused"),
    idle("max_cached_hist_node", None, "histograms take the memory they need"),
    _of_estimators(
        "missing", np.nan, Real() | Anything(), "the value that means missing", "pass it to DMatrix"
    ),
    _of_estimators(
        "enable_categorical",
        False,
        Boolean(),
        "without effect: columns of text and categories always are categorical",
        "it belongs to DMatrix",
    ),
    _of_estimators(
        "feature_types",
        None,
        Arrays(),
        "`c` marks columns of codes of categories",
        "pass it to DMatrix",
    ),
    _of_estimators(
        "early_stopping_rounds",
        None,
        Integer(1),
        "rounds without progress after which the fit ends",
        "pass it as an argument of its own",
    ),
    _of_estimators(
        "callbacks",
        None,
        Arrays(),
        "called after each round",
        "pass them as an argument of its own",
    ),
    _of_estimators(
        "importance_type",
        None,
        OneOf("gain", "weight", "cover", "total_gain", "total_cover"),
        "what `feature_importances_` are; `gain` by default",
    ),
    own("silent", None, Anything(), "prints nothing", calls=_OLD, instead="use verbosity"),
    own("use_label_encoder", None, Anything(), "labels may be of any kind", calls=_OLD),
    own("predictor", None, Anything(), "there is one", calls=_OLD),
    own("gpu_id", None, Anything(), "all runs on the CPU", calls=_OLD, instead="use device"),
)


declared = PARAMETERS.declared


def as_params(params: Any) -> dict[str, Any]:
    """Return parameters given as a dict or as pairs; a repeated `eval_metric` is a list of them."""
    if params is None:
        return {}
    pairs = list(params.items() if isinstance(params, Mapping) else params)
    found = dict(pairs)
    metrics = [value for name, value in pairs if name == "eval_metric"]
    if len(metrics) > 1:
        found["eval_metric"] = metrics
    return found
