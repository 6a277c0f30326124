"""Weights are copies in models that cross-validate, where the folds keep copies together."""

import numpy as np
import pytest

from gramian import linear_model
from gramian.linear_model import LassoCV
from gramian.model_selection import GroupKFold

ALPHAS = np.logspace(-3, 1, 12)
PRECISE = {"tol": 1e-12, "max_iter": 100_000}
PATHS = {"alphas": ALPHAS, **PRECISE}
PATH_RESULTS = ("alpha_", "alphas_", "mse_path_", "coef_", "intercept_")
RIDGE_RESULTS = ("alpha_", "best_score_", "coef_", "intercept_")
MODELS = {
    "ElasticNetCV": ({**PATHS, "l1_ratio": [0.3, 0.9]}, (*PATH_RESULTS, "l1_ratio_")),
    "LassoCV": ({**PATHS, "alphas": 12}, PATH_RESULTS),
    "MultiTaskElasticNetCV": (PATHS, PATH_RESULTS),
    "MultiTaskLassoCV": (PATHS, PATH_RESULTS),
    "RidgeCV": ({"alphas": ALPHAS}, RIDGE_RESULTS),
    "RidgeClassifierCV": ({"alphas": ALPHAS}, RIDGE_RESULTS),
    "LogisticRegressionCV": (
        {
            "Cs": 6,
            "l1_ratios": (0.0,),
            "scoring": "neg_log_loss",
            "use_legacy_attributes": False,
            **PRECISE,
        },
        ("C_", "coef_", "intercept_"),
    ),
}


def test_every_model_takes_part():
    assert MODELS.keys() == {name for name in linear_model.__all__ if name.endswith("CV")}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", MODELS)
def test_weights_are_copies(name, seed):
    """The same folds of rows, of unequal size, once by weights and once by copies."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((50, 5))
    y = X @ [1.0, 0.5, 0.0, 0.2, 0.0] + rng.standard_normal(50)
    if name.startswith("MultiTask"):
        y = np.column_stack([y, X[:, 1] - y])
    elif name in ("RidgeClassifierCV", "LogisticRegressionCV"):
        y = y > 0.0
    weight = rng.integers(0, 4, 50)
    copies = np.repeat(np.arange(50), weight)
    folds = GroupKFold(4)
    groups = rng.permutation(np.arange(50) // 3)
    fold = np.empty(50, dtype=int)
    for k, (_, test) in enumerate(folds.split(X, groups=groups)):
        fold[test] = k

    def splits(of):
        return [(np.flatnonzero(of != k), np.flatnonzero(of == k)) for k in range(4)]

    options, results = MODELS[name]
    make = getattr(linear_model, name)
    weighted = make(cv=splits(fold), **options).fit(X, y, sample_weight=weight)
    copied = make(cv=splits(fold[copies]), **options).fit(X[copies], y[copies])
    for result in results:
        np.testing.assert_allclose(
            getattr(weighted, result), getattr(copied, result), rtol=1e-8, atol=1e-11
        )


@pytest.mark.parametrize(("part", "words"), [(0, "training rows"), (1, "rows held out")])
def test_a_fold_of_no_weight_is_refused(part, words):
    rng = np.random.default_rng(0)
    X, weight, parts = rng.standard_normal((20, 2)), np.ones(20), [np.arange(10), np.arange(10, 20)]
    weight[parts[part]] = 0.0
    with pytest.raises(ValueError, match=f"The {words} of fold 1 all have the sample_weight 0"):
        LassoCV(cv=[(np.arange(20), np.arange(20)), tuple(parts)]).fit(X, X[:, 0], weight)
