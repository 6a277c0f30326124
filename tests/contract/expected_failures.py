"""The checks that an estimator is known to fail, and why: class -> check -> reason.

The key ``"*"`` stands for every estimator. An entry may be limited to some instances by `when`. A
listed check that passes fails the suite, so entries cannot outlive their reason.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Expected:
    """One expected failure: its reason, and for which instances it is expected."""

    reason: str
    when: Callable[[Any], bool] = lambda estimator: True


_DRAWN = Expected(
    "predictions are drawn, the i-th row's by the i-th draw; scikit-learn's is exempt too",
    when=lambda estimator: estimator.strategy == "stratified",
)

_STOPPED_EARLY = (
    "an iterative solver stops at its default tol, short of the 1e-7 that the check asks for; "
    "test_weights.py checks it with a tight tol"
)

_FITS_ITS_PARTS = Expected("the parts themselves are fitted, not copies, as by scikit-learn's")

_FOLDS = Expected(
    "rows are drawn into folds by their position: other rows, or another order, are other folds"
)

_BY_POSITION = {
    "frame_weights": _FOLDS,
    "integer_weights": _FOLDS,
    "integer_weights_sparse": _FOLDS,
    "row_order": _FOLDS,
    "zero_weights": _FOLDS,
    "zero_weights_sparse": _FOLDS,
}

_DRAWN_ROWS = Expected(
    "rows are drawn by their position, and weights are the chances of a draw: other rows, another "
    "order or weights are other draws, as for scikit-learn's class, which is exempt too"
)

_BAGS = {
    **dict.fromkeys(_BY_POSITION, _DRAWN_ROWS),
    "equal_weights": _DRAWN_ROWS,
    "check_sample_weight_equivalence_on_dense_data": _DRAWN_ROWS,
    "check_sample_weight_equivalence_on_sparse_data": _DRAWN_ROWS,
    "column_order": Expected(
        "columns are drawn by their position", when=lambda estimator: estimator.max_features != 1.0
    ),
}

_DRAWN_COLUMNS = Expected("the columns that a node looks at are drawn by their position")

_FORESTS = {
    **dict.fromkeys(_BY_POSITION, _DRAWN_ROWS),
    "check_sample_weight_equivalence_on_dense_data": _DRAWN_ROWS,
    "check_sample_weight_equivalence_on_sparse_data": _DRAWN_ROWS,
    "column_order": _DRAWN_COLUMNS,
}

_ORDERED = Expected("fit_transform encodes each row from the rows before it only, transform by all")

_WORDS = Expected(
    "a new column is left out, and a missing one is named in other words, as scikit-learn does; "
    "test_column_transformer.py checks both"
)
_NO_ITERATIONS = Expected(
    "n_iter_ is None for direct solvers and conjugate gradients, as for scikit-learn's Ridge, "
    "which is exempt from this check too",
    when=lambda estimator: estimator.solver in ("auto", "svd", "cholesky", "sparse_cg"),
)
_A_STEP_PER_ROW = Expected(
    "each row is a step and its weight the length of the step, as for scikit-learn's class, which "
    "is exempt too: another order, copies, or rows of weight zero lead elsewhere"
)

_STOCHASTIC = {
    "row_order": _A_STEP_PER_ROW,
    "integer_weights": _A_STEP_PER_ROW,
    "integer_weights_sparse": _A_STEP_PER_ROW,
    "zero_weights": _A_STEP_PER_ROW,
    "zero_weights_sparse": _A_STEP_PER_ROW,
    "check_sample_weight_equivalence_on_dense_data": _A_STEP_PER_ROW,
    "check_sample_weight_equivalence_on_sparse_data": _A_STEP_PER_ROW,
    "sparse": Expected(
        "the intercept's steps are a hundredth as long for sparse rows, as scikit-learn's are"
    ),
}

_SINGLE = Expected(
    "float32 rows are predicted in float32, where scikit-learn's intercept makes float64 of them"
)

_ONE_TARGET = Expected(
    "the check's target is a vector, but several targets are needed: scikit-learn skips all checks "
    "for its class"
)

_TARGETS_IN_COLUMNS = {
    "check_classifiers_classes": _ONE_TARGET,
    "check_classifiers_one_label": _ONE_TARGET,
    "check_classifiers_train": _ONE_TARGET,
}

_NAMED_Y = Expected("the target is called Y, as in scikit-learn's class, and the check says y=")

_THREE_CLASSES = Expected(
    "scores of the check's three classes cannot be handed on: a chain is of two classes each, as "
    "scikit-learn's"
)

_FLOATS = Expected("classes are predicted as float64, as by scikit-learn's class")

_PAIRS = {
    "row_order": Expected("rows of equal scores are ranked in their order, as in LightGBM"),
    **dict.fromkeys(
        (
            "frame_weights",
            "integer_weights",
            "integer_weights_sparse",
            "check_sample_weight_equivalence_on_dense_data",
            "check_sample_weight_equivalence_on_sparse_data",
        ),
        Expected("copies of a row are pairs of their own; a weight is that of its gradient"),
    ),
}

_SMO = {
    "check_sample_weight_equivalence_on_dense_data": Expected(_STOPPED_EARLY),
    "check_sample_weight_equivalence_on_sparse_data": Expected(_STOPPED_EARLY),
}
_KERNELS = {
    **_SMO,
    "any_table_learns": Expected("the largest column rules the distances: the user scales them"),
}

_XGB = {
    "sparse": Expected("what a sparse matrix does not store is missing, as in XGBoost"),
}
_SINGLES = Expected("predictions are float32, as XGBoost's")

_UNSEEN = Expected("a new level has the statistics of no row, which no known level has")

EXPECTED_FAILURES: dict[str, dict[str, Expected]] = {
    "*": {
        "check_dataframe_column_names_consistency": Expected(
            "columns of a data frame in another order are matched by name, not refused; "
            "test_column_names in test_sklearn_checks.py checks the rest",
            when=lambda estimator: (
                estimator._tags().two_d_array and not estimator._tags().no_validation
            ),
        ),
    },
    **dict.fromkeys(("NuSVR", "SVC", "SVR"), _KERNELS),
    "NuSVC": {
        **_KERNELS,
        "check_class_weight_classifiers": Expected(
            "both classes of a nu-machine share the sum of the alphas, whatever their weights"
        ),
    },
    "OneClassSVM": {
        **_SMO,
        **dict.fromkeys(
            (
                "column_order",
                "float32",
                "integer_weights",
                "integer_weights_sparse",
                "layouts",
                "row_order",
                "sparse",
            ),
            Expected("free support vectors lie on the boundary, where the label is rounding"),
        ),
    },
    "AdaBoostRegressor": {
        **dict.fromkeys(_BY_POSITION, _DRAWN_ROWS),
        "check_sample_weight_equivalence_on_dense_data": _DRAWN_ROWS,
        "check_sample_weight_equivalence_on_sparse_data": _DRAWN_ROWS,
        "column_order": Expected("of cuts that are equally good, the first column's is taken"),
    },
    "BaggingClassifier": _BAGS,
    "BaggingRegressor": _BAGS,
    "CalibratedClassifierCV": _BY_POSITION,
    "CatBoost": {
        "frame_weights": Expected(
            "copies of a row have places of their own in the orders of target statistics"
        ),
        "unseen_level": _UNSEEN,
    },
    "CatBoostRanker": {**_PAIRS, "unseen_level": _UNSEEN},
    "ClassifierChain": {
        **_TARGETS_IN_COLUMNS,
        "check_classifiers_regression_target": _ONE_TARGET,
        "check_dict_unchanged": _THREE_CLASSES,
        "check_methods_sample_order_invariance": _THREE_CLASSES,
        "check_methods_subset_invariance": _THREE_CLASSES,
        "check_classifier_multioutput": _FLOATS,
        "check_classifiers_multilabel_output_format_predict": _FLOATS,
    },
    "ColumnTransformer": {
        "column_order": Expected("columns are chosen by position here"),
        "column_names": _WORDS,
        "wrong_columns": _WORDS,
    },
    **{
        f"{task}{name}CV": {"row_order": _FOLDS}
        for task in ("", "MultiTask")
        for name in ("ElasticNet", "Lasso")
    },
    "BoostingRanker": _PAIRS,
    "DummyClassifier": {
        "check_methods_sample_order_invariance": _DRAWN,
        "check_methods_subset_invariance": _DRAWN,
    },
    "ExtraTreesRegressor": {
        "unseen_level": Expected(
            "a new level goes with the missing values at every split, which no known level may do"
        ),
    },
    "FeatureUnion": {"check_estimators_overwrite_params": _FITS_ITS_PARTS},
    "HistGradientBoostingClassifier": {
        "check_sample_weight_equivalence_on_dense_data": Expected(
            "min_samples_leaf counts rows, not copies, where the weights are no whole numbers",
            when=lambda estimator: estimator.class_weight == "balanced",
        ),
    },
    "HistGradientBoostingRegressor": {
        "column_order": Expected(
            "signs as gradients make equal gains, of which the first column's is taken",
            when=lambda estimator: estimator.loss == "absolute_error",
        ),
    },
    "IsolationForest": {
        "column_order": _DRAWN_COLUMNS,
        **dict.fromkeys(
            (
                "integer_weights",
                "integer_weights_sparse",
                "frame_weights",
                "check_sample_weight_equivalence_on_dense_data",
                "check_sample_weight_equivalence_on_sparse_data",
            ),
            _DRAWN_ROWS,
        ),
    },
    "LGBMClassifier": {
        f"check_sample_weight_equivalence_on_{kind}_data": Expected(
            "min_child_samples counts rows, not copies, where the weights are no whole numbers",
            when=lambda estimator: estimator.class_weight == "balanced",
        )
        for kind in ("dense", "sparse")
    },
    "LGBMRanker": {
        **_PAIRS,
        **dict.fromkeys(
            ("zero_weights", "zero_weights_sparse"),
            Expected("rows of no weight still are ranked, as in LightGBM"),
        ),
    },
    "MissingIndicator": {
        "missing_later": Expected(
            "gaps in a column that had none at fit raise, unless error_on_new=False",
            when=lambda estimator: estimator.features == "missing-only",
        ),
    },
    "MultiOutputClassifier": {
        **_TARGETS_IN_COLUMNS,
        "check_classifiers_one_label_sample_weights": _ONE_TARGET,
        "check_sample_weight_equivalence_on_dense_data": _NAMED_Y,
        "check_sample_weight_equivalence_on_sparse_data": _NAMED_Y,
    },
    "OrderedTargetEncoder": {
        "check_transformer_data_not_an_array": _ORDERED,
        "check_transformer_general": _ORDERED,
    },
    "QuantileTransformer": {
        "sparse": Expected(
            "a zero that is not stored stays zero, whatever the distribution, as by scikit-learn's",
            when=lambda estimator: estimator.output_distribution == "normal",
        ),
    },
    "Pipeline": {"check_estimators_overwrite_params": _FITS_ITS_PARTS},
    "RandomForestClassifier": _FORESTS,
    "RandomForestRegressor": _FORESTS,
    "RandomTreesEmbedding": {"column_order": _DRAWN_COLUMNS},
    "SimpleImputer": {
        "check_array_api_input": Expected(
            "inverse_transform works with add_indicator=True only, as scikit-learn's, which is not "
            "under this check",
            when=lambda estimator: not estimator.add_indicator,
        ),
    },
    "StackingClassifier": {"row_order": _FOLDS},
    "StackingRegressor": {"row_order": _FOLDS},
    "SplineTransformer": {
        "float32": Expected(
            "float32 stays float32 in a sparse result too, where scikit-learn's widens it",
            when=lambda estimator: estimator.sparse_output,
        ),
    },
    "Perceptron": _STOCHASTIC,
    "SGDClassifier": _STOCHASTIC,
    "SGDOneClassSVM": {**_STOCHASTIC, "float32": _SINGLE},
    "SGDRegressor": {
        **_STOCHASTIC,
        "float32": _SINGLE,
        "extreme_scales": Expected("steps of one length overflow; fit says so, and to scale"),
    },
    "Ridge": {
        "extreme_scales": Expected(
            "conjugate gradients on the normal equations square the data",
            when=lambda estimator: estimator.solver == "sparse_cg",
        ),
        "check_non_transformer_estimators_n_iter": _NO_ITERATIONS,
        "check_sample_weight_equivalence_on_sparse_data": Expected(
            _STOPPED_EARLY, when=lambda estimator: estimator.solver in ("sag", "saga")
        ),
        "check_sample_weight_equivalence_on_dense_data": Expected(
            _STOPPED_EARLY, when=lambda estimator: estimator.solver in ("sag", "saga")
        ),
    },
    "TunedThresholdClassifierCV": {
        "check_classifiers_train": Expected(
            "the threshold is not that of the classifier: scikit-learn exempts its class too"
        ),
    },
    "RidgeClassifierCV": {
        "frame_weights": Expected(
            "leave-one-out leaves out a row with all its weight, or one of its copies: another "
            "penalty may be chosen"
        ),
    },
    "RidgeClassifier": {"check_non_transformer_estimators_n_iter": _NO_ITERATIONS},
    "XGBClassifier": _XGB,
    "XGBRFClassifier": {**_XGB, **_FORESTS},
    "XGBRFRegressor": {**_XGB, **_FORESTS, "check_regressor_multioutput": _SINGLES},
    "XGBRanker": {
        **_PAIRS,
        **{name: reason for name, reason in _XGB.items() if name != "sparse"},
        **dict.fromkeys(
            ("zero_weights", "zero_weights_sparse"),
            Expected("weights are those of queries, whose rows of no weight still are ranked"),
        ),
    },
    "XGBRegressor": {**_XGB, "check_regressor_multioutput": _SINGLES},
}


def expected_failures(estimator: Any) -> dict[str, str]:
    """Return check -> reason for one instance."""
    entries = {**EXPECTED_FAILURES["*"], **EXPECTED_FAILURES.get(type(estimator).__name__, {})}
    return {check: entry.reason for check, entry in entries.items() if entry.when(estimator)}
