"""Parameters under which the checks can ask for exact answers."""

from typing import Any

import numpy as np


def fixed_centres(X: Any, n_clusters: int, random_state: Any) -> Any:
    """Return centres that know nothing of the rows, for fits without draws."""
    return np.linspace(-1.0, 1.0, n_clusters)[:, None] * np.ones(X.shape[1])


PRECISE: dict[tuple[str, str | None], tuple[dict[str, Any], float]] = {
    **{
        (f"{task}{name}", None): ({"tol": 1e-12, "max_iter": 100_000}, 1e-5)
        for task in ("", "MultiTask")
        for name in ("ElasticNet", "ElasticNetCV", "Lasso", "LassoCV")
    },
    ("LogisticRegression", "lbfgs"): ({"tol": 1e-9}, 1e-7),
    ("LogisticRegression", "newton-cg"): ({"tol": 1e-9}, 1e-7),
    ("LogisticRegression", "liblinear"): ({"tol": 1e-9}, 1e-7),
    ("LogisticRegression", "saga"): ({"tol": 1e-9}, 1e-7),
    **{
        (f"{name}Regressor", solver): ({"tol": 1e-9}, 1e-7)
        for name in ("Gamma", "Poisson", "Tweedie")
        for solver in ("lbfgs", "newton-cholesky")
    },
    ("LogisticRegressionCV", "lbfgs"): ({"tol": 1e-9}, 1e-7),
    ("LogisticRegressionCV", "newton-cholesky"): ({"tol": 1e-9}, 1e-7),
    ("LinearRegression", None): ({"tol": 1e-13}, 1e-10),
    ("PowerTransformer", None): ({}, 1e-6),  # a minimum, found to half the digits
    **{
        (name, None): ({"tol": 1e-10}, 1e-6)
        for name in ("NuSVC", "NuSVR", "OneClassSVM", "SVC", "SVR")
    },
    ("LinearSVC", None): ({"tol": 1e-11, "max_iter": 100_000}, 1e-5),
    ("LinearSVR", None): ({"tol": 1e-8, "max_iter": 100_000}, 1e-5),
    # they end after few steps: on their way, rounding grows
    **{
        (f"MLP{kind}", solver): ({}, 1e-7)
        for kind in ("Classifier", "Regressor")
        for solver in ("adam", "lbfgs")
    },
    **{(name, None): ({"tol": 0.0}, 1e-10) for name in ("BisectingKMeans", "KMeans")},
    **{(name, None): ({"tol": 0.0}, 1e-9) for name in ("CCA", "PLSCanonical", "PLSRegression")},
    ("Ridge", "auto"): ({"tol": 1e-12}, 1e-9),  # iterates on some sparse data
    ("Ridge", "lsqr"): ({"tol": 1e-12, "max_iter": 10_000}, 1e-8),
    ("Ridge", "sparse_cg"): ({"tol": 1e-12, "max_iter": 10_000}, 1e-8),
    ("Ridge", "sag"): ({"tol": 1e-12, "max_iter": 100_000}, 1e-7),
    ("Ridge", "saga"): ({"tol": 1e-12, "max_iter": 100_000}, 1e-7),
    ("Ridge", "lbfgs"): ({"tol": 1e-9, "max_iter": 2_000}, 1e-5),
}
"""Class and solver -> parameters with which an iterative solver comes close to the optimum, and how
close its predictions then are."""

EXACT: tuple[dict[str, Any], float] = ({}, 1e-10)
"""The same for solvers that do not iterate."""

WITHOUT_DRAWS: dict[str, dict[str, Any]] = {
    **{f"{kind}GaussianMixture": {"n_components": 1} for kind in ("", "Bayesian")},
    **{f"MLP{kind}": {"solver": "lbfgs"} for kind in ("Classifier", "Regressor")},
    **{name: {"init": fixed_centres, "n_init": 1} for name in ("BisectingKMeans", "KMeans")},
    **{
        f"RandomForest{kind}": {"bootstrap": False, "max_features": None}
        for kind in ("Classifier", "Regressor")
    },
    **{
        f"XGBRF{kind}": {"subsample": 1.0, "colsample_bynode": 1.0}
        for kind in ("Classifier", "Regressor")
    },
}
"""Class -> parameters under which nothing is drawn by the position of a row or a column: what is
left must not depend on the order, and a weight must mean copies."""

STAYS_WITHOUT_WEIGHT = ("DBSCAN",)
"""Classes for which a row of weight 0 is still a row: it can be core by its neighbours, as
scikit-learn's own tests ask."""

IN_ANY_ORDER: dict[str, dict[str, Any]] = {
    "IncrementalPCA": {"exact": True},
    **{f"SGD{kind}": {"batch_size": "full"} for kind in ("Classifier", "Regressor")},
}
"""Class -> parameters under which a step is made of all rows, whatever their order."""

DRAWS_ROWS = ("AdaBoostRegressor", "BaggingClassifier", "BaggingRegressor")
"""Classes that cannot but draw rows, with replacement and with weights as the chances: a weight
means copies on average over the seeds."""

STEPS_BY_ROW = ("Perceptron", "SGDClassifier", "SGDOneClassSVM", "SGDRegressor")
"""Classes for which each row is a step, and its weight the length of the step."""

SPARSE_AS_DENSE: dict[str, dict[str, Any]] = {
    **{name: {"fit_intercept": False} for name in STEPS_BY_ROW},
    **{
        f"XGB{kind}": {"missing": 0.0}
        for kind in ("Classifier", "Ranker", "Regressor", "RFClassifier", "RFRegressor")
    },
}
"""Class -> parameters under which a sparse matrix means what the dense one does: by default the
intercept's steps are shorter for sparse rows, as scikit-learn's are, and what is not stored is
missing, as in XGBoost."""
