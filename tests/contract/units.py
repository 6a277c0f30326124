"""What becomes of a model when X, y or the weights are given in other units.

By default it is the same model: labels and shares stay, predictions have the unit of y, and what a
transformer returns stays, or has the unit of X. The tables name estimators for which that is not
so, and why; what they answer must still be finite numbers.
"""

PENALTY = "a penalty or constant of fixed size weighs more or less against data in other units"
STEPS = "the first steps are as long as the learning rate says, whatever the units"
SINGLE = "values are held in single precision, as in the library whose names it has"
CONSTANT = "as in scikit-learn, a column that varies by less than some constant counts as constant"
POWERS = "the functions of the columns are not linear"
SMOOTHING = "each count is smoothed by a count of fixed size"
FIRST = "the first weights have one size, whatever the units"
MEMBER = "it is made of estimators with penalties"

_PENALISED = [
    "ElasticNet",
    "Lasso",
    "LinearSVR",
    "MultiTaskElasticNet",
    "MultiTaskLasso",
    "PoissonRegressor",
]
_WEIGHED = [
    "LinearSVC",
    "LogisticRegression",
    "LogisticRegressionCV",
    "Ridge",
    "RidgeCV",
    "RidgeClassifier",
    "RidgeClassifierCV",
]
_LINEAR = [*_WEIGHED, "GammaRegressor", "HuberRegressor", "QuantileRegressor"]
_PATHS = ["ElasticNetCV", "LassoCV", "MultiTaskElasticNetCV", "MultiTaskLassoCV"]
_STOCHASTIC = ["Perceptron", "SGDClassifier", "SGDOneClassSVM", "SGDRegressor"]
_MADE_OF_LINEAR = [
    "BaggingClassifier",
    "BaggingRegressor",
    "BlendClassifier",
    "BlendRegressor",
    "CalibratedClassifierCV",
    "ClassifierChain",
    "FixedThresholdClassifier",
    "GridSearchCV",
    "HalvingGridSearchCV",
    "HalvingRandomSearchCV",
    "MultiOutputClassifier",
    "MultiOutputRegressor",
    "OneVsOneClassifier",
    "OneVsRestClassifier",
    "OutputCodeClassifier",
    "RFE",
    "RFECV",
    "RandomizedSearchCV",
    "RegressorChain",
    "SelectFromModel",
    "StackingClassifier",
    "StackingRegressor",
    "TunedThresholdClassifierCV",
    "VotingClassifier",
    "VotingRegressor",
]
_RANGES = [
    "KBinsDiscretizer",
    "MaxAbsScaler",
    "MinMaxScaler",
    "Normalizer",
    "RobustScaler",
]
_HELD_IN_SINGLES = [
    "CatBoost",
    "CatBoostClassifier",
    "CatBoostRanker",
    "CatBoostRegressor",
    "XGBClassifier",
    "XGBRFClassifier",
    "XGBRFRegressor",
    "XGBRegressor",
]
_BOOSTED = [
    "BoostingClassifier",
    "BoostingRegressor",
    "CatBoost",
    "CatBoostClassifier",
    "CatBoostRegressor",
    "XGBClassifier",
    "XGBRFClassifier",
    "XGBRFRegressor",
    "XGBRegressor",
]

_SMOOTHED = ["BernoulliNB", "CategoricalNB", "ComplementNB", "MixedNB", "MultinomialNB"]
_WITHIN_RADIUS = [f"RadiusNeighbors{kind}" for kind in ("Classifier", "Regressor", "Transformer")]
_WITHIN_RADIUS.append("DBSCAN")

OTHER_IN_X = {
    **dict.fromkeys(["ComplementNB", "MultinomialNB"], SMOOTHING),
    "CategoricalNB": "numbers in other units are other levels",
    "MixedNB": "whole numbers in other units are no counts, and have another family",
    **dict.fromkeys(_WITHIN_RADIUS, "the radius is a distance of fixed size"),
    **dict.fromkeys(_PENALISED + _LINEAR + _PATHS, PENALTY),
    "TweedieRegressor": PENALTY,
    **dict.fromkeys(_STOCHASTIC, STEPS),
    **dict.fromkeys(["MLPClassifier", "MLPRegressor"], FIRST),
    **dict.fromkeys(_MADE_OF_LINEAR, MEMBER),
    **dict.fromkeys(_RANGES, CONSTANT),
    **dict.fromkeys(_HELD_IN_SINGLES, SINGLE),
    "BernoulliRBM": "visible units are probabilities, without a unit",
    "ColumnTransformer": "some columns stay in the unit of X, and others have none",
    "FactorAnalysis": "the noise starts at a variance of one, and tol is a gain of fixed size",
    "FeatureUnion": CONSTANT,
    "IsotonicRegression": CONSTANT,
    **dict.fromkeys(
        ["BayesianGaussianMixture", "GaussianMixture", "PCA", "QuadraticDiscriminantAnalysis"],
        "the logarithm of a density changes with the unit of volume",
    ),
    "Birch": "the threshold is a distance of fixed size",
    "BisectingKMeans": "tol is a distance of fixed size, as scikit-learn's",
    **dict.fromkeys(["MiniBatchNMF", "NMF"], "two factors share the unit"),
    "KernelDensity": "the bandwidth is a distance of fixed size",
    "LocalOutlierFactor": "1e-10 is added to mean distances, as by scikit-learn",
    "NeighborhoodComponentsAnalysis": "probabilities depend on distances of fixed size",
    "OPTICS": "distances are rounded to 15 decimals, as scikit-learn's",
    "PolynomialFeatures": POWERS,
    "PowerTransformer": POWERS,
}
OTHER_IN_Y = {
    **dict.fromkeys([*_PENALISED, "HuberRegressor", "NuSVR", "SVR"], PENALTY),
    **dict.fromkeys(_PATHS, PENALTY),
    "MLPRegressor": FIRST,
    "SGDRegressor": STEPS,
    "StackingRegressor": MEMBER,
}
OTHER_IN_WEIGHT = {
    "BayesianGaussianMixture": "the priors count for a fixed number of rows",
    "GaussianMixture": "the clusters that it starts from are drawn by weight",
    **dict.fromkeys(["LedoitWolf", "OAS"], "the amount of shrinkage falls with the number of rows"),
    **dict.fromkeys(_SMOOTHED, SMOOTHING),
    **dict.fromkeys([*_WEIGHED, *_BOOSTED, "HuberRegressor", "LinearSVR"], PENALTY),
    **dict.fromkeys(["NuSVR", "SVC", "SVR"], PENALTY),
    **dict.fromkeys(_STOCHASTIC, STEPS),
    **dict.fromkeys(["MLPClassifier", "MLPRegressor"], PENALTY),
    **dict.fromkeys(["MultiOutputClassifier", "MultiOutputRegressor"], MEMBER),
    "BlendClassifier": MEMBER,
    "CalibratedClassifierCV": MEMBER,
    "DBSCAN": "min_samples is a weight of fixed size",
    "FirthLogisticRegression": "the prior weighs as much as a few rows of weight one",
    "OneClassSVM": "scores have the unit of the weights",
}

ALONG = {
    ("Birch", "X"): {"threshold": 1},
    ("Lasso", "X"): {"alpha": 1},
    ("Lasso", "y"): {"alpha": 1},
    ("MultiTaskLasso", "X"): {"alpha": 1},
    ("MultiTaskLasso", "y"): {"alpha": 1},
    ("Ridge", "X"): {"alpha": 2},
    ("Ridge", "w"): {"alpha": 1},
    ("RidgeClassifier", "X"): {"alpha": 2},
    ("RidgeClassifier", "w"): {"alpha": 1},
    ("LogisticRegression", "X"): {"C": -2},
    ("LogisticRegression", "w"): {"C": -1},
    ("PoissonRegressor", "X"): {"alpha": 2},
    ("PoissonRegressor", "y"): {"alpha": 1},
    ("GammaRegressor", "X"): {"alpha": 2},
    ("HuberRegressor", "X"): {"alpha": 2},
    ("HuberRegressor", "y"): {"alpha": -1},
    ("HuberRegressor", "w"): {"alpha": 1},
    ("QuantileRegressor", "X"): {"alpha": 1},
    ("SVC", "w"): {"C": -1},
    ("SVR", "w"): {"C": -1},
    ("LinearSVC", "w"): {"C": -1},
}
"""Model, what is in other units -> by which power of the unit its penalty has to change along.

With that change the answers are those in the old units: penalised models are right, not merely
finite."""

ROUGH = {"NuSVC": 1e-3}
"""Model -> how well its answers agree where that is its tolerance, rather than rounding."""
