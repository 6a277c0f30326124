"""Parameters of LightGBM that change no model here: accepted, refused, or of other calls."""

from gramian.compat._parameters import each_refused, idle, own, refused
from gramian.params import Anything, Integer, OneOf, Real

__all__ = ["ELSEWHERE", "WITHOUT_EFFECT", "WITHOUT_SUPPORT"]

_COMMAND_LINE = ("the command line",)
_PREDICT = ("predict",)


_EXACT = "results are the same for any number of threads"
_LAYOUT = "the engine chooses the layout of its histograms by itself"
_BINS = "bins are made from all rows"
_CLUSTER = "everything runs on one machine"
WITHOUT_EFFECT = [
    idle(
        "device_type device",
        "cpu",
        "there is one kind of device",
        OneOf("cpu", "gpu", "cuda"),
        refuses=dict.fromkeys(("gpu", "cuda"), "there is one kind of device"),
    ),
    idle(
        "tree_learner tree tree_type tree_learner_type",
        "serial",
        "there is one machine",
        OneOf("serial", "feature", "data", "voting"),
    ),
    idle("deterministic", False, _EXACT),
    idle("force_col_wise", False, _LAYOUT),
    idle("force_row_wise", False, _LAYOUT),
    idle("histogram_pool_size hist_pool_size", -1.0, _LAYOUT),
    idle("is_enable_sparse is_sparse enable_sparse sparse", True, _LAYOUT),
    idle("enable_bundle is_enable_bundle bundle", True, "bundles change no tree"),
    idle("bin_construct_sample_cnt subsample_for_bin", 200_000, _BINS),
    idle("data_random_seed data_seed", 1, _BINS),
    idle("min_data_in_bin", 3, "bins may be smaller", Integer(1)),
    idle("feature_pre_filter", True, "columns that cannot be split are never split"),
    idle("use_quantized_grad", False, "gradients are whole numbers in any case"),
    idle("num_grad_quant_bins", 4, "gradients are whole numbers in any case"),
    idle("quant_train_renew_leaf", False, "leaves are made of exact gradients"),
    idle("stochastic_rounding", True, "gradients are rounded finely enough"),
    idle("extra_seed", 6, "extra_trees is not supported"),
    idle("objective_seed", 5, "rank_xendcg is not supported"),
    idle("precise_float_parser", False, "no text is parsed"),
    idle(
        "is_provide_training_metric training_metric is_training_metric train_metric",
        False,
        "pass the training rows as an evaluation set",
    ),
    idle("saved_feature_importance_type", 0, "save_model has an argument for it"),
    idle("num_machines num_machine", 1, _CLUSTER, OneOf(1)),
    idle("local_listen_port local_port port", 12_400, _CLUSTER),
    idle("time_out", 120, _CLUSTER),
    idle("gpu_platform_id", -1, "there is one kind of device"),
    idle("gpu_device_id", -1, "there is one kind of device"),
    idle("gpu_device_id_list", "", "there is one kind of device"),
    idle("gpu_use_dp", False, "there is one kind of device"),
    idle("num_gpu", 1, "there is one kind of device"),
    idle("top_k topk", 20, _CLUSTER),
    idle("linear_lambda", 0.0, "linear_tree is not supported"),
]
"""What is accepted since it cannot change the model."""


_FORCED = "trees grow by their gains only"
_COST = "splits cost the same for all features"
WITHOUT_SUPPORT = [
    refused("extra_trees extra_tree", False, "use gramian.ensemble.ExtraTrees*"),
    refused("linear_tree linear_trees", False, "leaves are numbers"),
    refused("path_smooth", 0.0, "use lambda_l2 to shrink leaves"),
    refused(
        "monotone_penalty monotone_splits_penalty ms_penalty mc_penalty",
        0.0,
        "monotone constraints have no penalty",
    ),
    refused("bagging_by_query", False, "rows are drawn one by one"),
    refused(
        "pos_bagging_fraction pos_sub_row pos_subsample pos_bagging",
        1.0,
        "use bagging_fraction and scale_pos_weight",
    ),
    refused(
        "neg_bagging_fraction neg_sub_row neg_subsample neg_bagging",
        1.0,
        "use bagging_fraction and scale_pos_weight",
    ),
    refused(
        "forcedsplits_filename fs forced_splits_filename forced_splits_file forced_splits",
        "",
        _FORCED,
    ),
    refused("forcedbins_filename", "", "bins are quantiles"),
    refused("max_bin_by_feature", None, "max_bin holds for all features"),
    refused("feature_contri feature_contrib fc fp feature_penalty", None, _COST),
    refused("cegb_tradeoff", 1.0, _COST),
    refused("cegb_penalty_split", 0.0, "use min_gain_to_split"),
    *each_refused(_COST, "cegb_penalty_feature_lazy cegb_penalty_feature_coupled"),
    refused("label_gain", None, "gains are 2^label - 1"),
    refused("lambdarank_position_bias_regularization", 0.0, "positions have no bias here"),
    refused("auc_mu_weights", None, "the metric auc_mu is not there"),
    refused("machines workers nodes", "", "everything runs on one machine"),
    refused(
        "machine_list_filename machine_list_file machine_list mlist",
        "",
        "everything runs on one machine",
    ),
]
"""What is accepted at its default only."""


_FILES = (
    "config config_file",
    "task task_type",
    "data train train_data train_data_file data_filename",
    "valid test valid_data valid_data_file test_data test_data_file valid_filenames",
    "input_model model_input model_in",
    "output_model model_output model_out",
    "snapshot_freq save_period",
    "header has_header",
    "label_column label",
    "weight_column weight",
    "group_column group group_id query_column query query_id",
    "ignore_column ignore_feature blacklist",
    "two_round two_round_loading use_two_round_loading",
    "pre_partition is_pre_partition",
    "save_binary is_save_binary is_save_binary_file",
    "parser_config_file",
    "metric_freq output_freq",
    "convert_model convert_model_file",
    "convert_model_language",
    "refit_decay_rate",
    "output_result predict_result prediction_result predict_name pred_name prediction_name "
    "name_pred",
)
_ARGUMENTS = (
    "predict_raw_score is_predict_raw_score predict_rawscore raw_score",
    "predict_leaf_index is_predict_leaf_index leaf_index",
    "predict_contrib is_predict_contrib contrib",
    "num_iteration_predict",
    "start_iteration_predict",
)
_INSTEAD = "predict has an argument for it"
_EARLY = "rows get all trees"
ELSEWHERE = [
    *(own(names, None, Anything(), "for files", calls=_COMMAND_LINE) for names in _FILES),
    *(
        own(names, None, Anything(), _INSTEAD, calls=_COMMAND_LINE, instead=_INSTEAD)
        for names in _ARGUMENTS
    ),
    own("predict_disable_shape_check", False, OneOf(False), "rows must fit", calls=_PREDICT),
    own("pred_early_stop", False, OneOf(False), _EARLY, calls=_PREDICT),
    own("pred_early_stop_freq", 10, Integer(), _EARLY, calls=_PREDICT),
    own("pred_early_stop_margin", 10.0, Real(), _EARLY, calls=_PREDICT),
]
"""What LightGBM ignores in its Python functions, or in all but predict."""
