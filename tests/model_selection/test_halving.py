"""Halving searches evaluate scikit-learn's candidates on its samples, with its results."""

import warnings

import numpy as np
import pytest
import scipy.stats
import sklearn.linear_model
import sklearn.model_selection as theirs
import sklearn.tree
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.utils.estimator_checks import check_estimator

import gramian.model_selection as ours
from gramian.base import clone
from gramian.datasets import load_diabetes
from gramian.dummy import DummyClassifier
from gramian.linear_model import Ridge
from gramian.model_selection import HalvingGridSearchCV, HalvingRandomSearchCV, KFold

X, Y = load_diabetes(return_X_y=True)
LABELS = np.where(Y > 140, "high", "low")
ALPHAS = {"alpha": np.logspace(-4, 2, 14)}
TREES = {"max_depth": [1, 2, 3, 5], "min_samples_leaf": [1, 4, 9]}
COUNTS = (
    "n_resources_",
    "n_candidates_",
    "n_remaining_candidates_",
    "min_resources_",
    "max_resources_",
    "n_iterations_",
    "n_required_iterations_",
    "n_possible_iterations_",
    "n_splits_",
    "best_index_",
    "best_params_",
)


def assert_same(found, wanted):
    assert list(found.cv_results_) == list(wanted.cv_results_)
    assert found.cv_results_["params"] == wanted.cv_results_["params"]
    for key, values in wanted.cv_results_.items():
        if "time" not in key and not key.startswith("param"):
            np.testing.assert_allclose(found.cv_results_[key], values, rtol=1e-9, atol=1e-12)
    for name in COUNTS:
        assert getattr(found, name) == getattr(wanted, name), name
    np.testing.assert_allclose(found.best_score_, wanted.best_score_, rtol=1e-10)


def compare(name, *args, data, params=None, **options):
    fitted = [
        getattr(module, name)(*args, **options).fit(*data, **(params or {}))
        for module in (ours, theirs)
    ]
    assert_same(*fitted)
    return fitted[0]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"factor": 2},
        {"factor": 2.5, "min_resources": "smallest", "scoring": "neg_max_error"},
        {"min_resources": 40, "max_resources": 300},
        {"min_resources": 60, "max_resources": 130, "aggressive_elimination": True},
        {"max_resources": 100, "aggressive_elimination": True, "cv": 3},
        {"cv": KFold(4, shuffle=True, random_state=3), "scoring": "neg_mean_squared_error"},
        {"refit": lambda results: 0, "return_train_score": False},
    ],
    ids=range(8),
)
@pytest.mark.parametrize("model", [Ridge(), sklearn.linear_model.Ridge()], ids=repr)
def test_grid_of_rows(model, options):
    compare("HalvingGridSearchCV", model, ALPHAS, data=(X, Y), random_state=5, **options)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"n_candidates": 20, "min_resources": "exhaust"},
        {"n_candidates": 9, "factor": 2, "min_resources": 25},
        {"n_candidates": 30, "max_resources": 90, "aggressive_elimination": True},
    ],
    ids=range(4),
)
def test_random_candidates(options, global_random_seed):
    drawn = {"alpha": scipy.stats.loguniform(1e-3, 10), "fit_intercept": [True, False]}
    options = {"scoring": "neg_mean_squared_error", "random_state": global_random_seed, **options}
    compare("HalvingRandomSearchCV", Ridge(), drawn, data=(X, Y), **options)


def test_classes_count_in_the_smallest_sample():
    search = compare(
        "HalvingGridSearchCV",
        sklearn.tree.DecisionTreeClassifier(random_state=0),
        TREES,
        data=(X, LABELS),
        min_resources="smallest",
        random_state=1,
    )
    assert search.n_resources_[0] == 2 * 5 * 2


@pytest.mark.parametrize("aggressive", [True, False])
def test_a_parameter_as_the_resource(aggressive):
    search = compare(
        "HalvingRandomSearchCV",
        sklearn.linear_model.SGDRegressor(random_state=0, tol=None),
        {"alpha": scipy.stats.loguniform(1e-5, 1)},
        data=(X, Y),
        resource="max_iter",
        max_resources=20,
        n_candidates=12,
        aggressive_elimination=aggressive,
        random_state=2,
    )
    used = [params["max_iter"] for params in search.cv_results_["params"]]
    assert used == search.cv_results_["n_resources"].tolist()


def test_groups_and_weights():
    groups, weight = np.arange(len(Y)) % 7, np.linspace(0.5, 2, len(Y))
    compare(
        "HalvingGridSearchCV",
        sklearn.linear_model.Ridge(),
        ALPHAS,
        data=(X, Y),
        params={"groups": groups, "sample_weight": weight},
        cv=theirs.GroupKFold(3),
        random_state=0,
    )


def test_failing_candidates_come_last():
    class Fussy(sklearn.linear_model.Ridge):
        def fit(self, X, y):
            if self.alpha > 10:
                raise ValueError("too much")
            return super().fit(X, y)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        search = compare("HalvingGridSearchCV", Fussy(), ALPHAS, data=(X, Y), random_state=0)
    assert np.isnan(search.cv_results_["mean_test_score"]).any()
    assert np.isfinite(search.best_score_)


@pytest.mark.parametrize(
    "options",
    [
        {"resource": "not_there"},
        {"resource": "max_iter", "max_resources": "auto"},
        {"min_resources": 5, "max_resources": 4},
        {"min_resources": 0},
        {"max_resources": 10_000.5},
        {"factor": 0},
        {"resource": "alpha", "max_resources": 100},
        {"scoring": ["r2"]},
        {"aggressive_elimination": "yes"},
        {"cv": KFold(3, shuffle=True)},
        {"cv": ours.ShuffleSplit(3)},
        {"n_candidates": "exhaust", "min_resources": "exhaust"},
        {"max_resources": 3},
    ],
    ids=str,
)
def test_errors(options):
    name = "HalvingRandomSearchCV" if "n_candidates" in options else "HalvingGridSearchCV"
    found, wanted = (
        getattr(module, name)(Ridge(), {"alpha": [1, 2]}, **options) for module in (ours, theirs)
    )
    with pytest.raises((TypeError, ValueError)):
        wanted.fit(X, Y)
    with pytest.raises(ValueError):
        found.fit(X, Y)


def test_a_classifier_needs_classes():
    search = HalvingGridSearchCV(DummyClassifier(), {"strategy": ["prior"]})
    with pytest.raises(ValueError, match="requires y"):
        search.fit(X)
    with pytest.raises(ValueError, match="Unknown label type"):
        search.fit(X, Y + 0.5)


def test_too_small_a_sample_says_so():
    search = HalvingGridSearchCV(Ridge(), ALPHAS, min_resources=3, cv=100)
    with pytest.raises(ValueError, match="raise min_resources"):
        search.fit(X, Y)


def test_progress_is_printed_as_by_scikit_learn(capsys):
    printed = []
    for module in (ours, theirs):
        module.HalvingGridSearchCV(Ridge(), ALPHAS, random_state=0, verbose=1).fit(X, Y)
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1]


@pytest.mark.parametrize("name", ["HalvingGridSearchCV", "HalvingRandomSearchCV"])
def test_parameters(name):
    found, wanted = (getattr(module, name)(Ridge(), ALPHAS) for module in (ours, theirs))
    assert found.get_params().keys() == wanted.get_params().keys()
    for key, value in wanted.get_params(deep=False).items():
        if key not in ("estimator", "error_score"):
            assert found.get_params()[key] is value or found.get_params()[key] == value
    assert clone(found).get_params(deep=False).keys() == found.get_params(deep=False).keys()


@pytest.mark.filterwarnings("ignore")
def test_contract_of_scikit_learn():
    search = HalvingRandomSearchCV(
        Ridge(), {"alpha": [0.1, 1.0, 2.0]}, n_candidates=2, random_state=0, cv=2, min_resources=4
    )
    few = {"check_fit2d_1sample": "one row is fewer than min_resources, which is what is said"}
    check_estimator(search, expected_failed_checks=few, on_skip=None)
