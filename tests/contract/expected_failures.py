"""The checks that an estimator is known to fail, and why: class -> check -> reason.

An entry may be limited to some instances by `when`. A listed check that passes fails the suite, so
entries cannot outlive their reason.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Expected:
    """One expected failure: its reason, and for which instances it is expected."""

    reason: str
    when: Callable[[Any], bool] = lambda estimator: True


_COPIES = (
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weight_equivalence_on_sparse_data",
)

_DRAWN = Expected(
    "predictions are drawn, the i-th row's by the i-th draw; scikit-learn's is exempt too",
    when=lambda estimator: estimator.strategy == "stratified",
)

_FITS_ITS_PARTS = Expected("the parts themselves are fitted, not copies, as by scikit-learn's")

_DRAWN_ROWS = Expected(
    "rows are drawn by their position, and weights are the chances of a draw, as for "
    "scikit-learn's class, which is exempt too: test_weights_are_copies_on_average checks them"
)
_DRAWS = dict.fromkeys(_COPIES, _DRAWN_ROWS)
_BAGS = {
    **_DRAWS,
    "equal_weights": _DRAWN_ROWS,
    "column_order": Expected(
        "columns are drawn by their position", when=lambda estimator: estimator.max_features != 1.0
    ),
}

_DENSITY = Expected("its score is a log-likelihood of X, and knows no target")
_DENSITIES = ("FactorAnalysis", "PCA")
_DRAWN_COLUMNS = Expected("the columns that a node looks at are drawn by their position")

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
    "is exempt too: another order or copies lead elsewhere; test_weights_are_lengths_of_steps "
    "checks them"
)
_STOCHASTIC = dict.fromkeys(_COPIES, _A_STEP_PER_ROW)
_ONE_BY_ONE = {**_STOCHASTIC, "row_order": _A_STEP_PER_ROW}

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
        _COPIES,
        Expected(
            "copies of a row are pairs of their own; test_weights_are_those_of_queries checks the "
            "weights"
        ),
    ),
}

_SINGLES = Expected("predictions are float32, as XGBoost's")

_NET = {
    "column_order": Expected("the first weights are drawn by the position of a column"),
    "float32": Expected(
        "quasi-Newton steps of rounded gradients end elsewhere in the valley; test_mlp.py checks "
        "single precision",
        when=lambda estimator: estimator.solver == "lbfgs",
    ),
    **dict.fromkeys(
        ("row_order", "integer_weights", "check_sample_weight_equivalence_on_dense_data"),
        Expected(
            "first weights are taken from drawn rows, by their place",
            when=lambda estimator: estimator.preset is not None,
        ),
    ),
}

_BY_PLACE = Expected(
    "units and chains are drawn by the place of a row or column, as scikit-learn's"
)

_UNSEEN = Expected("a new level has the statistics of no row, which no known level has")

_COLUMNS_ARE_ROWS = {"row_order": Expected("the columns are the training rows, in their order")}

EXPECTED_FAILURES: dict[str, dict[str, Expected]] = {
    "KNeighborsTransformer": _COLUMNS_ARE_ROWS,
    "RadiusNeighborsTransformer": _COLUMNS_ARE_ROWS,
    "KNeighborsClassifier": {
        "float32": Expected(
            "scikit-learn has no such metric to compare with",
            when=lambda estimator: estimator.metric == "gower",
        )
    },
    "NeighborhoodComponentsAnalysis": {
        "column_order": Expected(
            "with as many components as columns it starts from the columns themselves, and the "
            "components come in their order"
        )
    },
    "OneClassSVM": dict.fromkeys(
        _COPIES,
        Expected(
            "free support vectors lie on the boundary, where a label is rounding: test_weights.py "
            "checks the scores"
        ),
    ),
    "SVC": dict.fromkeys(
        (*_COPIES, "frame_weights"),
        Expected(
            "the sigmoid kernel is not positive definite: the dual has several stationary points",
            when=lambda estimator: estimator.kernel == "sigmoid",
        ),
    ),
    "NuSVC": {
        "check_class_weight_classifiers": Expected(
            "both classes of a nu-machine share the sum of the alphas, whatever their weights"
        ),
    },
    "AdaBoostRegressor": {
        **_DRAWS,
        "column_order": Expected("of cuts that are equally good, the first column's is taken"),
    },
    "BaggingClassifier": _BAGS,
    "BaggingRegressor": _BAGS,
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
    "BoostingRanker": _PAIRS,
    "DBSCAN": {
        **dict.fromkeys(
            [*_COPIES, "integer_weights", "integer_weights_sparse"],
            Expected("a row of weight 0 can be core by its neighbours, as in scikit-learn's class"),
        ),
    },
    "DummyClassifier": {
        "check_methods_sample_order_invariance": _DRAWN,
        "check_methods_subset_invariance": _DRAWN,
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
                *_COPIES,
            ),
            Expected(
                "weights are the chances of draws without replacement, in which copies are rows "
                "of their own, as for scikit-learn's class, which is exempt too"
            ),
        ),
    },
    **{
        name: {
            "any_table_learns": Expected("its score is a log-likelihood of X, and knows no target")
        }
        for name in (
            "EmpiricalCovariance",
            "LedoitWolf",
            "OAS",
            "ShrunkCovariance",
        )
    },
    "GaussianMixture": {
        "any_table_learns": Expected(
            "its score is a log-likelihood of X, and knows no target",
            when=lambda estimator: estimator.covariance_type == "spherical",
        ),
    },
    "BisectingKMeans": {
        "any_table_learns": Expected("its score is the inertia of X, and knows no target"),
    },
    "KMeans": {
        "any_table_learns": Expected("its score is the inertia of X, and knows no target"),
        "frame_weights": Expected(
            "the fixed centres of the test leave a cluster of the scaled table empty, and such a "
            "cluster moves to one row, which is not all copies of it, as in scikit-learn"
        ),
    },
    "MiniBatchKMeans": {
        "any_table_learns": Expected("its score is the inertia of X, and knows no target"),
        **dict.fromkeys(
            ("integer_weights", "integer_weights_sparse", "frame_weights", *_COPIES),
            Expected("weights are the chances of draws, in which copies are rows of their own"),
        ),
        **dict.fromkeys(
            ("row_order", "zero_weights", "zero_weights_sparse"),
            Expected("batches and starts are drawn by the numbers of the rows, as scikit-learn's"),
        ),
    },
    "AffinityPropagation": {
        "row_order": Expected("clusters are numbered by the rows that are exemplars"),
    },
    "Birch": {
        "row_order": Expected("rows join what those before them have begun, as the method asks"),
    },
    **{
        name: {"row_order": Expected("it labels the rows of the matrix, in their order, alone")}
        for name in ("SpectralBiclustering", "SpectralCoclustering")
    },
    "OPTICS": {
        "row_order": Expected("the order begins with the first row, as scikit-learn's"),
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
    "MultiOutputClassifier": {
        **_TARGETS_IN_COLUMNS,
        "check_classifiers_one_label_sample_weights": _ONE_TARGET,
        **dict.fromkeys(_COPIES, _NAMED_Y),
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
    "RandomForestClassifier": {
        "frame_weights": Expected(
            "balanced classes have weights of which sums are rounded, and rounding breaks ties",
            when=lambda estimator: estimator.class_weight is not None,
        ),
    },
    "RandomTreesEmbedding": {"column_order": _DRAWN_COLUMNS},
    "SimpleImputer": {
        "check_array_api_input": Expected(
            "inverse_transform works with add_indicator=True only, as scikit-learn's, which is not "
            "under this check",
            when=lambda estimator: not estimator.add_indicator,
        ),
    },
    "KernelPCA": {
        "check_array_api_input": Expected(
            "inverse_transform works with fit_inverse_transform=True only, as scikit-learn's"
        ),
    },
    "QuadraticDiscriminantAnalysis": {
        "check_sample_weight_equivalence_on_dense_data": Expected(
            "the rows of a class are copies of one, which has no covariance"
        ),
    },
    "FastICA": {
        "column_order": Expected("signs are those of the first column, as scikit-learn's are")
    },
    "NMF": {
        "column_order": Expected(
            "the scale of a component is that of its start, which is drawn column by column",
            when=lambda estimator: estimator.solver == "cd",
        )
    },
    "BernoulliRBM": {
        "check_methods_sample_order_invariance": _BY_PLACE,
        "check_methods_subset_invariance": _BY_PLACE,
        "column_order": _BY_PLACE,
        "row_order": _BY_PLACE,
        "float32": Expected(
            "columns far beyond [0, 1] let one draw that rounds to the other side change all later "
            "steps; test_rbm.py checks single precision"
        ),
    },
    "MLPClassifier": {
        **_NET,
        "check_class_weight_classifiers": Expected(
            "the large tol of these checks ends the fit before the scores have followed the "
            "weights; test_training.py checks that they are those of rows",
            when=lambda estimator: estimator.solver != "lbfgs" and estimator.n_nets is None,
        ),
    },
    "MLPRegressor": _NET,
    **{
        f"{kind}RandomProjection": {"column_order": Expected("entries are drawn by the column")}
        for kind in ("Gaussian", "Sparse")
    },
    **{name: {"any_table_learns": _DENSITY} for name in _DENSITIES},
    "Perceptron": _ONE_BY_ONE,
    "SGDClassifier": _STOCHASTIC,
    "SGDOneClassSVM": _ONE_BY_ONE,
    "SGDRegressor": _STOCHASTIC,
    "Ridge": {"check_non_transformer_estimators_n_iter": _NO_ITERATIONS},
    "TSNE": {
        "float32": Expected("from points so near each other rounding decides which map is found"),
        "row_order": Expected("the start is drawn by the position of the row"),
    },
    "TunedThresholdClassifierCV": {
        "check_classifiers_train": Expected(
            "the threshold is not that of the classifier: scikit-learn exempts its class too"
        ),
    },
    "RidgeClassifier": {"check_non_transformer_estimators_n_iter": _NO_ITERATIONS},
    "XGBRFRegressor": {"check_regressor_multioutput": _SINGLES},
    "XGBRanker": {
        **_PAIRS,
        **dict.fromkeys(
            ("zero_weights", "zero_weights_sparse"),
            Expected("weights are those of queries, whose rows of no weight still are ranked"),
        ),
    },
    "XGBRegressor": {"check_regressor_multioutput": _SINGLES},
}


def expected_failures(estimator: Any) -> dict[str, str]:
    """Return check -> reason for one instance."""
    entries = EXPECTED_FAILURES.get(type(estimator).__name__, {})
    return {check: entry.reason for check, entry in entries.items() if entry.when(estimator)}
