"""The estimators under test, the data that suit them, and what they compute."""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.contract.expected_failures import expected_failures
from tests.contract.settings import DRAWS_ROWS, EXACT, PRECISE, STEPS_BY_ROW, WITHOUT_DRAWS
from tests.contract.toys import TOYS, ToyClassifier

from gramian.base import BaseEstimator, clone
from gramian.linear_model import LinearRegression, LogisticRegression, Ridge
from gramian.preprocessing import MinMaxScaler, StandardScaler
from gramian.registry import COMPATIBLE, FAMILIES, PARTS, estimators_of

LEFT_OUT = ("BayesianConceptLearner", "FrozenEstimator")
"""Classes whose ``fit`` does nothing, or takes examples of any kind instead of rows: no check of
fitting applies. They have tests of their own."""

_SEARCH = {"estimator": Ridge(), "cv": 2, "error_score": "raise"}
_ALPHAS = {"alpha": [0.1, 10.0]}
_CLASSIFIERS = [
    ("free", LogisticRegression(tol=1e-9)),
    ("tight", LogisticRegression(C=0.1, tol=1e-9)),
]
_REGRESSORS = [("plane", LinearRegression(tol=1e-13)), ("ridge", Ridge()), ("mean", "drop")]
_NET = {
    "hidden_layer_sizes": (5,),
    "activation": "tanh",
    "learning_rate_init": 0.02,
    "tol": 3e-2,
    "max_iter": 5000,
    "random_state": 0,
}
TABLE_NET = {"preset": "table", "max_iter": 60, "n_nets": 1}
_ALL_ROWS = {"bootstrap_type": "No", "random_strength": 0.0}

ARGUMENTS: dict[str, dict[str, Any]] = {
    **{
        f"RadiusNeighbors{kind}": {"radius": 1e12, "weights": "distance"}  # all rows of any table
        for kind in ("Classifier", "Regressor")
    },
    "AdaBoostClassifier": {"n_estimators": 5},
    "AdaBoostRegressor": {"n_estimators": 5},
    "BaggingClassifier": {
        "estimator": LogisticRegression(tol=1e-9),
        "n_estimators": 5,
        "random_state": 0,
    },
    "BaggingRegressor": {"estimator": Ridge(), "n_estimators": 5, "random_state": 0},
    "BlendClassifier": {"estimators": _CLASSIFIERS, "cv": 2},
    "BlendRegressor": {"estimators": _REGRESSORS, "cv": 2},
    **{
        f"Boosting{kind}": {"n_estimators": 10, "min_samples_leaf": 5}
        for kind in ("Classifier", "Ranker", "Regressor")
    },
    "BernoulliRBM": {"n_components": 4, "n_iter": 2},
    "CalibratedClassifierCV": {"estimator": ToyClassifier(), "cv": 2},
    "CatBoost": {"params": {"iterations": 10, **_ALL_ROWS}},
    **{
        f"CatBoost{kind}": {"iterations": 10, **_ALL_ROWS}
        for kind in ("Classifier", "Ranker", "Regressor")
    },
    **{name: {"n_components": 1} for name in ("CCA", "PLSCanonical", "PLSSVD")},
    "ClassifierChain": {"estimator": ToyClassifier()},
    "ColumnTransformer": {
        "transformers": [("scaled", StandardScaler(), slice(0, 2))],
        "remainder": "passthrough",
    },
    **{
        f"{kind}{model}": {"n_estimators": 5}
        for kind in ("ExtraTrees", "RandomForest")
        for model in ("Classifier", "Regressor")
    },
    "DBSCAN": {"eps": 2.0, "min_samples": 3},
    "FactorAnalysis": {"n_components": 1},
    "FastICA": {"n_components": 1},
    "FeatureUnion": {"transformer_list": [("z", StandardScaler()), ("range", MinMaxScaler())]},
    "FixedThresholdClassifier": {"estimator": ToyClassifier()},
    **{
        f"{kind}GaussianMixture": {"n_components": 2, "random_state": 0, "max_iter": 1000}
        for kind in ("", "Bayesian")
    },
    "GenericUnivariateSelect": {"mode": "k_best", "param": 1},
    "GradientBoostingClassifier": {"n_estimators": 5},
    "GradientBoostingRegressor": {"n_estimators": 5},
    "GridSearchCV": {**_SEARCH, "param_grid": _ALPHAS},
    "HalvingGridSearchCV": {**_SEARCH, "param_grid": _ALPHAS, "factor": 2},
    "HalvingRandomSearchCV": {
        **_SEARCH,
        "param_distributions": _ALPHAS,
        "n_candidates": 2,
        "min_resources": "exhaust",
        "factor": 2,
    },
    **{
        f"HistGradientBoosting{kind}": {"max_iter": 10, "min_samples_leaf": 5}
        for kind in ("Classifier", "Regressor")
    },
    "IncrementalPCA": {"n_components": 1},
    "HDBSCAN": {"copy": True},  # scikit-learn's class warns of its own default
    "IsolationForest": {"n_estimators": 10},
    "IsotonicRegression": {"out_of_bounds": "clip"},  # by default NaN, with intent
    **{
        f"LGBM{kind}": {"n_estimators": 10, "min_child_samples": 5}
        for kind in ("Classifier", "Regressor")
    },
    "LGBMRanker": {"n_estimators": 10, "min_child_samples": 5, "min_split_gain": 0.01},
    "Isomap": {"n_neighbors": 9},  # fewer leave some tables in parts
    "KernelPCA": {"n_components": 1},
    "Birch": {"n_clusters": 2, "threshold": 0.1},  # so many subclusters that there are two
    "BisectingKMeans": {"n_clusters": 3, "random_state": 0},
    "KMeans": {"n_clusters": 3, "random_state": 0},
    "MDS": {"init": "classical_mds", "eps": 1e-3, "max_iter": 1000},  # the default of init warns
    "MiniBatchNMF": {"n_components": 1, "random_state": 0},
    "MiniBatchKMeans": {"n_clusters": 3, "random_state": 0},
    # Fewer neighbours than the rows of any table, of which many may be alike.
    "LocalOutlierFactor": {"n_neighbors": 5, "novelty": True},
    "LocallyLinearEmbedding": {"n_neighbors": 9, "n_components": 1, "random_state": 0},
    "LinearSVR": {"max_iter": 1_000_000},  # scikit-learn's, as an oracle, needs many
    **{f"MLP{kind}": _NET for kind in ("Classifier", "Regressor")},
    "MultiOutputClassifier": {"estimator": ToyClassifier()},
    "MultiOutputRegressor": {"estimator": Ridge()},
    "NMF": {"n_components": 1, "init": "random", "random_state": 0},
    "NuSVC": {"nu": 0.3},
    "OneVsOneClassifier": {"estimator": ToyClassifier()},
    "OneVsRestClassifier": {"estimator": ToyClassifier()},
    "OutputCodeClassifier": {"estimator": ToyClassifier(), "code_size": 3.0},
    "LogisticRegressionCV": {
        "Cs": 3,
        "l1_ratios": (0.0,),
        "cv": 2,
        "scoring": "accuracy",
        "use_legacy_attributes": False,
    },
    "PCA": {"n_components": 1},
    "PLSRegression": {"n_components": 1},
    "QuadraticDiscriminantAnalysis": {"solver": "eigen", "shrinkage": 0.1, "tol": 0.0},
    "Pipeline": {"steps": [("scale", StandardScaler()), ("model", Ridge())]},
    "QuantileTransformer": {"n_quantiles": 5},
    **{f"{kind}RandomProjection": {"n_components": 1} for kind in ("Gaussian", "Sparse")},
    "RandomizedSearchCV": {**_SEARCH, "param_distributions": _ALPHAS, "n_iter": 2},
    "RandomTreesEmbedding": {"n_estimators": 5},
    "RegressorChain": {"estimator": Ridge()},
    "RFE": {"estimator": Ridge()},
    "RFECV": {"estimator": Ridge(), "cv": 2},
    "SelectFromModel": {"estimator": Ridge()},
    "SelectKBest": {"k": 1},
    "SelectPercentile": {"percentile": 50},
    "SequentialFeatureSelector": {"estimator": Ridge(), "n_features_to_select": 1, "cv": 2},
    "SpectralBiclustering": {"n_clusters": 2, "n_best": 1, "n_init": 2, "random_state": 0},
    "SpectralClustering": {
        "n_clusters": 3,
        "affinity": "nearest_neighbors",
        "n_neighbors": 30,
        "assign_labels": "cluster_qr",
    },
    "SpectralCoclustering": {"n_clusters": 2, "n_init": 2, "random_state": 0},
    "SpectralEmbedding": {"n_neighbors": 30, "random_state": 0},
    "StackingClassifier": {"estimators": _CLASSIFIERS, "cv": 2},
    "StackingRegressor": {"estimators": _REGRESSORS, "cv": 2},
    "TruncatedSVD": {"n_components": 1},
    "TunedThresholdClassifierCV": {"estimator": ToyClassifier(), "cv": 2, "thresholds": 10},
    "TSNE": {"perplexity": 3.0, "max_iter": 500, "init": "random", "random_state": 0},
    "VotingClassifier": {"estimators": _CLASSIFIERS},
    "VotingRegressor": {"estimators": _REGRESSORS},
    **{name: {"n_estimators": 10} for name in ("XGBClassifier", "XGBRanker", "XGBRegressor")},
    "XGBRFClassifier": {"n_estimators": 5},
    "XGBRFRegressor": {"n_estimators": 5},
}
"""Class -> arguments that it needs, or that suit the few rows and columns of the checks."""

OF_ALL_PAIRS = (
    "AffinityPropagation",
    "ClassicalMDS",
    "Isomap",
    "LocallyLinearEmbedding",
    "MDS",
    "MeanShift",
    "NeighborhoodComponentsAnalysis",
)
"""Estimators that hold or look at all pairs in each step, or factor a matrix of all rows."""


def affordable(estimator: Any, n_samples: int) -> int:
    """Return so many rows, or fewer where the work grows with their square."""
    return min(n_samples, 1_500) if type(estimator).__name__ in OF_ALL_PAIRS else n_samples


COLUMNS = {"IsotonicRegression": 1}
"""Class -> how many columns it takes, if that is limited."""

NUMBERS_ONLY = (
    "Binarizer",
    "FeatureUnion",
    "IsotonicRegression",
    "KBinsDiscretizer",
    "KNNImputer",
    "MaxAbsScaler",
    "MinMaxScaler",
    "Normalizer",
    "Pipeline",
    "PolynomialFeatures",
    "PowerTransformer",
    "QuantileTransformer",
    "RobustScaler",
    "SimpleImputer",
    "SplineTransformer",
    "StandardScaler",
    "VarianceThreshold",
)
"""Estimators of numbers, and what is made of them: text is refused, as by scikit-learn's."""

LABELS = ("LabelBinarizer", "LabelEncoder", "MultiLabelBinarizer")
"""Tools for the target: their ``fit`` takes labels instead of rows."""

VARIANTS: dict[str, list[dict[str, Any]]] = {
    "AdaBoostClassifier": [{"estimator": LogisticRegression(tol=1e-9)}],
    "BaggingRegressor": [{"max_features": 0.7}],
    "BoostingClassifier": [{"loss": "one_vs_all", "growth": "symmetric"}],
    "BoostingRegressor": [{"preset": "xgboost", "drop_rate": 0.3}, {"linear_leaves": True}],
    "DecisionTreeClassifier": [{"criterion": "entropy", "max_leaf_nodes": 8}],
    "DummyClassifier": [{"strategy": "stratified"}],
    "DummyRegressor": [{"strategy": "median"}],
    "KBinsDiscretizer": [{"encode": "ordinal", "strategy": "kmeans"}],
    "KNeighborsClassifier": [{"weights": "distance", "metric": "manhattan"}, {"metric": "gower"}],
    "ElasticNet": [{"positive": True}, {"selection": "random"}],
    "GaussianMixture": [{"covariance_type": "tied"}, {"covariance_type": "spherical"}],
    "HistGradientBoostingClassifier": [{"class_weight": "balanced"}],
    "HistGradientBoostingRegressor": [{"loss": "absolute_error"}],
    "ID3Classifier": [{"criterion": "gain_ratio", "prune": "pessimistic"}],
    "Lasso": [{"alpha": 0.01, "precompute": True}],
    "LGBMClassifier": [{"class_weight": "balanced"}],
    "LGBMRegressor": [{"boosting_type": "dart"}],
    "LogisticRegressionCV": [{"solver": "newton-cholesky"}],
    "LinearRegression": [{"positive": True}, {"fit_intercept": False}],
    "LinearDiscriminantAnalysis": [{"solver": "eigen", "shrinkage": 0.5}],
    "MDS": [{"metric_mds": False}],
    "MissingIndicator": [{"features": "all"}],
    "MLPClassifier": [{"solver": "lbfgs"}, {"n_nets": 2}, {"encoding": "embedding"}, TABLE_NET],
    "MLPRegressor": [{"solver": "lbfgs"}, {"n_nets": 2}, {"encoding": "embedding"}, TABLE_NET],
    "NMF": [{"solver": "mu", "beta_loss": "kullback-leibler"}],
    "OneHotEncoder": [{"sparse_output": False, "handle_unknown": "ignore"}],
    "OrdinalEncoder": [{"handle_unknown": "use_encoded_value", "unknown_value": -1}],
    "PLSCanonical": [{"algorithm": "svd", "scale": False}],
    "PoissonRegressor": [{"solver": "newton-cholesky", "alpha": 0.01}],
    "PowerTransformer": [{"standardize": False}],
    "QuantileTransformer": [{"output_distribution": "normal"}],
    "LogisticRegression": [
        {"solver": "newton-cg"},
        {"solver": "liblinear"},
        {"solver": "saga", "l1_ratio": 0.5, "max_iter": 3000},
    ],
    "Ridge": [
        {"positive": True},
        {"fit_intercept": False},
        {"solver": "svd"},
        {"solver": "cholesky"},
        {"solver": "lsqr"},
        {"solver": "sparse_cg"},
        {"solver": "sag"},
        {"solver": "saga"},
        {"solver": "lbfgs", "positive": True},
    ],
    "RandomForestClassifier": [{"class_weight": "balanced_subsample"}],
    "RobustScaler": [{"with_centering": False}],
    "SimpleImputer": [
        {"strategy": "median", "add_indicator": True},
        {"strategy": "most_frequent"},
        {"strategy": "constant"},
    ],
    "ObliviousTreeClassifier": [{"criterion": "entropy", "max_bins": 8}],
    "VotingClassifier": [{"voting": "soft"}],
    "SplineTransformer": [{"extrapolation": "linear", "sparse_output": True}],
    "StandardScaler": [{"with_mean": False}],
    "LinearSVC": [{"loss": "hinge", "C": 0.1, "max_iter": 100_000}, {"penalty": "l1"}],
    "LinearSVR": [{"epsilon": 0.1}, {"loss": "squared_epsilon_insensitive"}],
    "SVC": [{"kernel": "sigmoid", "class_weight": "balanced"}],
    "TweedieRegressor": [
        {"power": 1.5, "solver": "newton-cholesky", "alpha": 0.01},
        {"power": 3.0, "alpha": 0.01},
        {"power": 2.0, "link": "identity", "alpha": 0.1},
    ],
    "RidgeCV": [{"fit_intercept": False}],
    "RidgeClassifier": [{"class_weight": "balanced"}],
    "RidgeClassifierCV": [{"scoring": "accuracy"}],
}
"""Further parameters under which a class takes part in the checks."""

METHODS = (
    "predict",
    "predict_proba",
    "decision_function",
    "score_samples",
    "transform",
    "mahalanobis",
)


def registered() -> list[Any]:
    """Return an instance of every registered estimator, and its variants."""
    return [
        cls(**{**clone(ARGUMENTS.get(name, {}), safe=False), **params})
        for name, cls in classes().items()
        for params in [{}, *VARIANTS.get(name, [])]
    ]


def classes() -> dict[str, type[BaseEstimator]]:
    """Return name -> class of all models, transformers and compositions."""
    found = estimators_of(FAMILIES + PARTS + COMPATIBLE)
    return {name: cls for name, cls in found.items() if name not in LEFT_OUT}


def instances() -> list[Any]:
    """Return every estimator that the checks are about: the registered ones and the toys."""
    return [*registered(), *(toy() for toy in TOYS)]


def short_name(estimator: Any) -> str:
    """Return a test's name for an estimator."""
    return "".join(repr(estimator).split())


def each_estimator(
    check: str, where: Callable[[Any], bool] = lambda estimator: True
) -> pytest.MarkDecorator:
    """Parametrise a test with the estimators; those in the table of failures must fail."""
    params = []
    for estimator in filter(where, instances()):
        reason = expected_failures(estimator).get(check)
        marks = [pytest.mark.xfail(reason=reason, strict=True)] if reason else []
        params.append(pytest.param(estimator, id=short_name(estimator), marks=marks))
    return pytest.mark.parametrize("estimator", params)


def fresh(estimator: Any, *, precise: bool = False) -> Any:
    """Return an unfitted copy with a fixed seed, and with tight tolerances if `precise`."""
    copy = clone(estimator)
    if copy.get_params(deep=False).get("random_state", "none") in (None, 0):
        copy.set_params(random_state=0)
    return copy.set_params(**_precision(copy)[0]) if precise else copy


def without_draws(estimator: Any) -> Any:
    """Return a precise copy that draws nothing by the position of a row or column, if it can."""
    settings = WITHOUT_DRAWS.get(type(estimator).__name__, {})
    return fresh(estimator, precise=True).set_params(**settings)


def in_folds(model: Any, rows: Any) -> Any:
    """Give a model that cross-validates two folds: rows of even and of odd number.

    `rows` are the numbers by which rows are known, wherever they stand and however often: copies of
    a row are held out together, as a row is with all its weight.
    """
    if "cv" in model.get_params(deep=False):
        halves = [np.flatnonzero(rows % 2 == half) for half in (0, 1)]
        model.set_params(cv=[tuple(halves), tuple(halves[::-1])])
    return model


def tolerance(estimator: Any) -> float:
    """Return how well a precise fit reproduces its optimum, relative to the largest output."""
    return _precision(estimator)[1]


def _precision(estimator: Any) -> tuple[dict[str, Any], float]:
    return PRECISE.get((type(estimator).__name__, getattr(estimator, "solver", None)), EXACT)


def is_registered(estimator: Any) -> bool:
    """Tell the library's estimators from the toys."""
    return not isinstance(estimator, TOYS)


def takes_any_scale(estimator: Any) -> bool:
    """Tell whether ``fit`` finds the optimum on columns of unlike scales.

    Stochastic gradient descent does not: it ends somewhere near, with a warning if it knows. Near
    rows are those that are alike in the columns of large numbers.
    """
    is_by_distance = hasattr(estimator, "metric_params")
    is_by_step = hasattr(estimator, "learning_rate")
    return not is_by_step and not is_by_distance and not warns_of_scale(estimator)


def warns_of_scale(estimator: Any) -> bool:
    """Tell whether ``fit`` warns that it did not converge on columns of unlike scales."""
    is_ridge = type(estimator).__name__.startswith("Ridge")
    return is_ridge and getattr(estimator, "solver", None) in ("sag", "saga")


def takes_weight(estimator: Any) -> bool:
    """Tell whether ``fit`` takes `sample_weight`."""
    return "sample_weight" in inspect.signature(estimator.fit).parameters


def is_ranker(estimator: Any) -> bool:
    """Tell rankers: their weights are those of queries."""
    return type(estimator).__name__.endswith("Ranker")


def steps_by_row(estimator: Any) -> bool:
    """Tell whether each row is a step of the descent, and its weight the length of the step."""
    return type(estimator).__name__ in STEPS_BY_ROW


def draws_rows(estimator: Any) -> bool:
    """Tell whether rows are drawn by their position, and weights are the chances of a draw."""
    return type(estimator).__name__ in DRAWS_ROWS


def takes_sparse(estimator: Any) -> bool:
    """Tell whether ``fit`` takes sparse matrices."""
    return bool(estimator._tags().sparse)


def takes_rows(estimator: Any) -> bool:
    """Tell whether ``fit`` takes rows of features; tools for the target take labels."""
    return type(estimator).__name__ not in LABELS


def reads_features(estimator: Any) -> bool:
    """Tell whether ``fit`` looks at the values of X."""
    return takes_rows(estimator) and not estimator._tags().no_validation


def n_columns(estimator: Any, wanted: int) -> int:
    """Return how many columns to give an estimator: as many as wanted, if it takes so many."""
    return min(wanted, COLUMNS.get(type(estimator).__name__, wanted))


def takes_many_columns(estimator: Any) -> bool:
    """Tell whether the number of columns is not limited."""
    return type(estimator).__name__ not in COLUMNS


def takes_new_levels(estimator: Any) -> bool:
    """Tell whether levels that were not seen at fit have a meaning, rather than raise."""
    return getattr(estimator, "handle_unknown", "") != "error"


def takes_text(estimator: Any) -> bool:
    """Tell whether columns of text and categories have a meaning, rather than raise."""
    uses_text = getattr(estimator, "strategy", "") in ("most_frequent", "constant")
    return type(estimator).__name__ not in NUMBERS_ONLY or uses_text


def takes_gaps(estimator: Any) -> bool:
    """Tell whether missing values of a data frame have a meaning, rather than raise."""
    return takes_text(estimator) or bool(estimator._tags().allow_nan)


def fills_gaps(estimator: Any) -> bool:
    """Tell whether the outputs are numbers even where values are missing."""
    is_imputer = type(estimator).__name__.endswith("Imputer")
    return is_imputer or not estimator._tags().allow_nan


def takes_table(estimator: Any) -> bool:
    """Tell whether any data frame goes in, also one of unlike scales, and an array comes out."""
    is_function = estimator._tags().no_validation and estimator._tags().transformer
    is_other = not takes_rows(estimator) or estimator._tags().pairwise or is_function
    return takes_new_levels(estimator) and not is_other and not warns_of_scale(estimator)


def make_data(
    estimator: Any, n_samples: int = 60, n_features: int = 4, seed: int = 0
) -> tuple[Any, Any]:
    """Return X and y that suit the estimator's kind: three groups, or a linear trend.

    Categories are few whole numbers; labels, for the tools of the target, are text.
    """
    tags = estimator._tags()
    n_samples = min(n_samples, 500) if tags.pairwise else n_samples
    if type(estimator).__name__.startswith(("RadiusNeighbors", "KNeighborsTransformer")):
        n_samples = min(n_samples, 2000)  # whose answers, as arrays, grow with its square
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_samples, n_columns(estimator, n_features)))
    groups = rng.permutation(np.arange(n_samples) % (3 if tags.multi_class else 2))
    if not takes_rows(estimator):
        return make_labels(estimator, groups), None
    if tags.estimator_type != "regressor":
        X[:, 0] += 4.0 * groups
        X[:, -1] -= 2.0 * groups
    X = np.abs(X) if tags.positive_only else X
    X = np.clip(np.round(X), -1.0, 1.0) if tags.categorical else X
    y = make_target(estimator, X, groups, rng)
    return (np.einsum("ij,kj->ik", X, X), y) if tags.pairwise else (X, y)


def make_labels(estimator: Any, groups: Any) -> Any:
    """Return one label for each row, or a set of labels if the estimator takes those."""
    names = np.array(["ash", "birch", "cedar"])[groups]
    if type(estimator).__name__ != "MultiLabelBinarizer":
        return names
    sets = np.empty(len(names), dtype=object)
    sets[:] = [(name, "tree") for name in names]
    return sets


def make_target(estimator: Any, X: Any, groups: Any, rng: np.random.Generator) -> Any:
    """Return a target for the rows of `X`: numbers of classes if it is asked for."""
    tags = estimator._tags()
    if tags.estimator_type == "classifier":
        if not tags.single_output:
            return np.column_stack([groups > 0, groups == 2]).astype(np.int64)
        return np.array(["ash", "birch", "cedar"])[groups]
    if tags.estimator_type != "regressor":
        return groups if tags.transformer or tags.required_y else None
    slopes = np.linspace(1.0, 2.0, X.shape[1])
    y = 0.5 + X @ slopes + 0.3 * rng.standard_normal(len(X))
    if not tags.single_output:
        y = np.column_stack([y, y - X[:, 0]])
    return np.exp(0.2 * y) if tags.positive_y else y


def fit(estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> Any:
    """Fit with the arguments that are there."""
    weight = {} if sample_weight is None else {"sample_weight": sample_weight}
    return estimator.fit(X, **weight) if y is None else estimator.fit(X, y, **weight)


def outputs(estimator: Any, X: Any) -> dict[str, Any]:
    """Return what a fitted estimator says about rows, by method, as arrays."""
    found = {name: getattr(estimator, name)(X) for name in METHODS if hasattr(estimator, name)}
    if not found and hasattr(estimator, "kneighbors"):
        return {"kneighbors": estimator.kneighbors(X)[0]}  # their numbers depend on the rows' order
    labels = "labels_" if hasattr(estimator, "labels_") else "row_labels_"  # of biclusters
    return {name: as_array(values) for name, values in found.items()} or {
        "labels_": getattr(estimator, labels)
    }


def judges_rows(estimator: Any) -> bool:
    """Tell whether a fitted estimator says something about new rows; biclusters do not."""
    return any(hasattr(estimator, name) for name in (*METHODS, "kneighbors"))


def comparable(estimator: Any, X: Any) -> dict[str, Any]:
    """Return the outputs of which two fits that differ by rounding agree.

    Free support vectors lie on the boundary of a one-class machine: their labels are the signs of
    scores of 0, of which only the scores are compared.
    """
    found = outputs(estimator, X)
    return {
        name: values
        for name, values in found.items()
        if name != "predict" or type(estimator).__name__ != "OneClassSVM"
    }


def as_array(values: Any) -> Any:
    """Return a sparse matrix or a list as an array."""
    return values.toarray() if hasattr(values, "toarray") else np.asarray(values)


def parameters(estimator: Any) -> dict[str, str]:
    """Return the parameters as text, by which those that hold estimators can be compared."""
    return {name: repr(value) for name, value in estimator.get_params(deep=False).items()}


def assert_finite(found: dict[str, Any]) -> None:
    """Assert that no number is NaN or infinite."""
    for method, values in found.items():
        assert values.dtype.kind != "f" or np.isfinite(values).all(), method


def assert_same(first: dict[str, Any], second: dict[str, Any], rtol: float, of: str = "") -> None:
    """Assert that outputs agree up to `rtol` of the largest one; labels agree exactly.

    `of` says in a failure what was tried.
    """
    assert first.keys() == second.keys()
    for method, values in first.items():
        if values.dtype.kind != "f":
            np.testing.assert_array_equal(second[method], values, err_msg=f"{of} {method}")
            continue
        size = float(np.abs(values[np.isfinite(values)]).max(initial=0.0))
        np.testing.assert_allclose(
            second[method], values, rtol=rtol, atol=rtol * size, err_msg=f"{of} {method}"
        )


def assert_identical(first: dict[str, Any], second: dict[str, Any]) -> None:
    """Assert that outputs have the same types and bits."""
    assert first.keys() == second.keys()
    for method, values in first.items():
        assert second[method].dtype == values.dtype, method
        assert _content(second[method]) == _content(values), method


def _content(values: Any) -> Any:
    """Return bytes, or the texts of objects, of which NaN is none equal to itself."""
    return [repr(value) for value in values.flat] if values.dtype == object else values.tobytes()
