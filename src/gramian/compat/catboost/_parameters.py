"""The parameters of CatBoost, and what becomes of each."""

from gramian.compat._parameters import Parameters, each_refused, engine, idle, own, refused
from gramian.params import (
    Anything,
    Arrays,
    Boolean,
    Fraction,
    Integer,
    Mappings,
    OneOf,
    Real,
    Strings,
)

__all__ = ["GROWTHS", "PARAMETERS", "declared"]

GROWTHS = {"SymmetricTree": "symmetric", "Depthwise": "level", "Lossguide": "leaf"}

_STATISTICS = "how statistics of the target are made is not at choice"
_ORDERS = "the models of an order see the first 1, 2, 4, ... rows of it"
_TEXT = "encode the column as numbers or categories first"
_GPU = "trees are grown by the processor"
_FILES = "no files are written while a model is fitted; use gramian.save afterwards"
_PENALTIES = "split gains are not weighted by feature"

PARAMETERS = Parameters(
    "CatBoost",
    # -- how much is learnt ------------------------------------------------------------------------
    engine(
        "iterations n_estimators num_boost_round num_trees", 1000, Integer(1), target="n_estimators"
    ),
    engine(
        "learning_rate eta",
        None,
        Real(0.0, closed="neither"),
        note="by default chosen by the numbers of rows and rounds for RMSE, Logloss and "
        "MultiClass, as CatBoost does, else 0.03",
    ),
    own(
        "loss_function objective",
        None,
        Anything(),
        "the objective, or an object with `calc_ders_range`; see the table of losses",
    ),
    own(
        "boost_from_average",
        None,
        Boolean(),
        "`base_score`: whether scores start at the best constant rather than 0; by default for "
        "RMSE, MAE, Quantile, MAPE and losses of several targets",
    ),
    engine("random_seed random_state", 0, Integer(0), target="random_state"),
    # -- trees -------------------------------------------------------------------------------------
    engine(
        "grow_policy",
        "SymmetricTree",
        OneOf(*GROWTHS),
        target="growth",
        convert=GROWTHS.__getitem__,
        note="`symmetric`, `level` or `leaf`",
    ),
    engine("depth max_depth", 6, Integer(1, 16, closed="both"), target="max_depth"),
    own(
        "max_leaves num_leaves", None, Integer(2), "`max_leaves`, by default 31; for Lossguide only"
    ),
    own(
        "min_data_in_leaf min_child_samples",
        None,
        Integer(1),
        "`min_samples_leaf`, by default 1; not for SymmetricTree",
    ),
    engine("l2_leaf_reg reg_lambda", 3.0, Real(0.0), target="reg_lambda"),
    engine(
        "rsm colsample_bylevel",
        1.0,
        Real(0.0, 1.0, closed="right"),
        target="colsample_bylevel",
        convert=float,
    ),
    own(
        "monotone_constraints",
        None,
        Arrays() | Mappings() | Strings(),
        "`monotonic_cst`: a list, a text such as `(1,0,-1)`, or a dict by place or name",
    ),
    engine(
        "score_function",
        "Cosine",
        OneOf("Cosine", "L2", "NewtonCosine", "NewtonL2"),
        note="Cosine is for SymmetricTree and losses without monotone constraints; otherwise it "
        "is L2",
        refuses={
            "NewtonCosine": "use Cosine; leaves are found by Newton steps",
            "NewtonL2": "use L2; leaves are found by Newton steps",
        },
    ),
    engine(
        "random_strength", 1.0, Real(0.0), note="noise in the scores of splits, for SymmetricTree"
    ),
    refused(
        "random_score_type", "NormalWithModelSizeDecrease", "the noise is normally distributed"
    ),
    refused("feature_weights", None, _PENALTIES),
    refused("penalties_coefficient", 1, _PENALTIES),
    *each_refused(_PENALTIES, "first_feature_use_penalties per_object_feature_penalties"),
    refused("fixed_binary_splits", None, "all splits are searched"),
    own("ignored_features", None, Arrays(), "places or names of columns that no tree splits"),
    # -- values of leaves --------------------------------------------------------------------------
    engine(
        "leaf_estimation_iterations",
        None,
        Integer(1),
        target="leaf_steps",
        note="Newton steps on all rows that give the values of leaves, unless constraints are "
        "monotone; by default 10 for Logloss and Poisson, 5 for Expectile, else 1; and 1 for fewer "
        "than 200 rounds on fewer than 20 columns",
    ),
    own(
        "leaf_estimation_method",
        None,
        OneOf("Newton", "Gradient", "Exact"),
        "quantiles (Exact) for MAE and Quantile, else Newton steps; of RMSE Gradient is the same",
    ),
    refused("leaf_estimation_backtracking", "AnyImprovement", "steps are taken as they are"),
    refused("model_shrink_rate", 0, "earlier trees are not shrunk; lower the learning rate"),
    refused("model_shrink_mode", None, "earlier trees are not shrunk"),
    refused("langevin", False, "no noise is added to gradients"),
    refused("diffusion_temperature", None, "no noise is added to gradients"),
    refused("posterior_sampling", False, "no noise is added to gradients"),
    # -- rows --------------------------------------------------------------------------------------
    own(
        "bootstrap_type",
        None,
        OneOf("MVS", "Bernoulli", "Bayesian", "No"),
        "`sampling`; by default MVS, and Bayesian for losses of several targets",
    ),
    own(
        "subsample",
        None,
        Real(0.0, 1.0, closed="right"),
        "`subsample` for MVS (0.8 by default) and Bernoulli (0.66); all of fewer than 100 rows",
    ),
    engine(
        "bagging_temperature", 1.0, Real(0.0), note="for Bayesian: the power of the random weights"
    ),
    engine(
        "mvs_reg",
        None,
        Real(0.0),
        note="for MVS: what is added to squared gradients; by default their mean size, squared",
    ),
    refused("sampling_frequency", "PerTree", "rows are drawn once for a tree"),
    refused("sampling_unit", "Object", "rows are drawn one by one"),
    refused("data_partition", None, _GPU),
    # -- columns -----------------------------------------------------------------------------------
    engine(
        "border_count max_bin",
        254,
        Integer(1, 254, closed="both"),
        target="max_bins",
        convert=lambda borders: borders + 1,
        note="so many borders are one bin more",
    ),
    refused("feature_border_type", "GreedyLogSum", "borders are quantiles"),
    refused("per_float_feature_quantization", None, "columns have the same number of borders"),
    refused("input_borders", None, "borders are quantiles"),
    refused("output_borders", None, _FILES),
    engine(
        "nan_mode",
        "Min",
        OneOf("Min", "Max", "Forbidden"),
        note="missing numbers are below or above all others, or an error",
    ),
    own(
        "cat_features",
        None,
        Arrays(),
        "`categorical_features`, by place or name; columns of text and of a categorical type are "
        "categorical in any case",
    ),
    engine(
        "one_hot_max_size",
        2,
        Integer(0),
        target=("max_cat_levels", "max_cat_to_onehot"),
        convert=lambda most: (most, most),
        note="columns of more levels become target statistics; the others are split one level "
        "against the rest",
    ),
    engine(
        "max_ctr_complexity",
        None,
        Integer(1),
        target="cat_combination_size",
        note="most columns in a combination, 3 by default",
    ),
    *each_refused(_STATISTICS, "simple_ctr combinations_ctr per_feature_ctr ctr_description"),
    *each_refused(_STATISTICS, "ctr_target_border_count ctr_leaf_count_limit ctr_history_unit"),
    refused("counter_calc_method", "SkipTest", _STATISTICS),
    refused("store_all_simple_ctr", False, _STATISTICS),
    refused("model_size_reg", 0.5, _STATISTICS),
    refused("final_ctr_computation_mode", "Default", _STATISTICS),
    refused("has_time", False, "the orders of the rows are random"),
    engine(
        "boosting_type",
        "Plain",
        OneOf("Plain", "Ordered"),
        convert=str.lower,
        note="Ordered takes gradients from models that have not seen the row; for all growths, and "
        "not for rankings and monotone constraints",
    ),
    refused("approx_on_full_history", False, _ORDERS),
    refused("fold_len_multiplier", 2, _ORDERS),
    refused("fold_permutation_block", None, _ORDERS),
    *each_refused(_TEXT, "text_features tokenizers dictionaries feature_calcers text_processing"),
    refused("embedding_features", None, "make a column of each number of the vectors"),
    # -- classes -----------------------------------------------------------------------------------
    own(
        "class_weights",
        None,
        Arrays() | Mappings(),
        "`class_weight`: a dict by class, or a list in the order of the classes",
    ),
    own(
        "auto_class_weights",
        None,
        OneOf("Balanced", "SqrtBalanced", "None"),
        "weights of the classes by the largest sum of weights over the class's own, or its root",
    ),
    own("scale_pos_weight", None, Real(0.0), "the weight of the second of two classes"),
    own("class_names", None, Arrays(), "the classes, in the order of scores"),
    own("classes_count", None, Integer(0), "the classes are 0, 1, ... up to it, exclusively"),
    own("target_border", None, Real(), "a number above which the target is the class 1, else 0"),
    idle("allow_const_label", False, "a target of one value is accepted in any case", Boolean()),
    # -- evaluation --------------------------------------------------------------------------------
    own("eval_metric", None, Anything(), "decides the best round; by default the loss"),
    own("custom_metric custom_loss", None, Anything(), "further metrics of `evals_result_`"),
    own(
        "use_best_model",
        None,
        Boolean(),
        "whether rounds after the best one are dropped; by default if there is an evaluation set",
    ),
    own("best_model_min_trees", 1, Integer(1), "how many rounds are kept at least"),
    own("od_type", None, OneOf("IncToDec", "Iter"), "how over-fitting is detected"),
    own(
        "od_wait early_stopping_rounds",
        None,
        Integer(1),
        "rounds to wait after the best one; 20 by default if od_type or od_pval is given",
    ),
    own("od_pval", None, Real(0.0, 1.0, closed="both"), "the threshold of IncToDec"),
    own("eval_fraction", None, Fraction(), "fraction of the rows that is set apart to evaluate on"),
    own("metric_period", 1, Integer(1), "rounds between two lines that are printed"),
    own("verbose", None, Boolean() | Integer(0), "whether to print, or rounds between two lines"),
    own("silent", None, Boolean(), "whether not to print"),
    own(
        "logging_level",
        None,
        OneOf("Silent", "Verbose", "Info", "Debug"),
        "whether to print; unlike CatBoost nothing is printed by default",
    ),
    # -- resources ---------------------------------------------------------------------------------
    engine(
        "thread_count",
        None,
        Integer(1) | OneOf(-1),
        target="n_jobs",
        convert=lambda count: None if count == -1 else count,
        note="the model does not depend on it",
    ),
    refused("task_type", "CPU", _GPU),
    idle("devices", None, _GPU),
    idle("device_config", None, _GPU),
    idle("gpu_ram_part", 0.95, _GPU),
    idle("pinned_memory_size", None, _GPU),
    idle("gpu_cat_features_storage", None, _GPU),
    idle("used_ram_limit", None, "memory is not limited"),
    idle("dev_score_calc_obj_block_size", None, "it is about speed"),
    idle("dev_efb_max_buckets", None, "it is about speed"),
    refused("sparse_features_conflict_fraction", 0.0, "bundled columns never conflict"),
    idle("allow_writing_files", True, "no files are written", Boolean()),
    idle("train_dir", None, "no files are written"),
    idle("name", None, "it names CatBoost's files"),
    refused("save_snapshot", False, _FILES),
    refused("snapshot_file", None, _FILES),
    idle("snapshot_interval", None, "no files are written"),
    own("metadata", None, Mappings(), "texts that are written into the model's file"),
    refused("callback", None, "pass callbacks to fit"),
)
"""All parameters of CatBoost's classes and of `train`."""

declared = PARAMETERS.declared
