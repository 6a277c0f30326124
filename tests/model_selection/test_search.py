"""Searches give scikit-learn's tables and choices, for its estimators and ours."""

import pickle

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.stats
import sklearn.linear_model
import sklearn.model_selection as theirs
import sklearn.naive_bayes
import sklearn.neighbors
import sklearn.preprocessing
import sklearn.svm
from scipy.sparse import csr_array
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

import gramian
import gramian.model_selection as ours
from gramian.base import clone, is_classifier, is_regressor
from gramian.datasets import load_diabetes
from gramian.dummy import DummyClassifier
from gramian.exceptions import FitFailedWarning, NotFittedError
from gramian.linear_model import LinearRegression, Ridge
from gramian.model_selection import (
    GridSearchCV,
    ParameterGrid,
    ParameterSampler,
    RandomizedSearchCV,
)
from gramian.pipeline import Pipeline
from gramian.preprocessing import StandardScaler

X, Y = load_diabetes(return_X_y=True)
X, Y = X[:120], Y[:120]
LABELS = np.where(Y > 140, "high", "low")
GROUPS = np.arange(120) % 6
ALPHAS = {"alpha": [0.01, 0.1, 1.0, 10.0]}
MODELS = [Ridge(), sklearn.linear_model.Ridge()]

GRIDS = [
    {},
    {"a": [1]},
    {"b": ["x", "y"], "a": np.arange(3)},
    [{"a": [1, 2]}, {}, {"c": (None, 5), "a": [7]}],
]


def fit_both(name, *args, data=(X, Y), params=None, **options):
    """Return our search and scikit-learn's, both fitted."""
    return tuple(
        getattr(module, name)(*args, **options).fit(*data, **(params or {}))
        for module in (ours, theirs)
    )


def assert_same_search(found, wanted):
    """Assert that two searches hold the same table and choice, but for the times."""
    assert list(found.cv_results_) == list(wanted.cv_results_)
    for key, values in wanted.cv_results_.items():
        mine = found.cv_results_[key]
        if key == "params":
            assert mine == values
        elif key.startswith("param_"):
            assert mine.dtype == values.dtype
            np.testing.assert_array_equal(mine.mask, values.mask)
            assert mine.compressed().tolist() == values.compressed().tolist()
        elif "time" in key:
            assert mine.shape == values.shape
        else:
            np.testing.assert_allclose(mine, values, rtol=1e-9, atol=1e-12, err_msg=key)
            assert mine.dtype == values.dtype, key
    for name in ("best_index_", "best_params_", "n_splits_", "multimetric_"):
        assert hasattr(found, name) == hasattr(wanted, name), name
        assert getattr(found, name, None) == getattr(wanted, name, None)
    for name in ("best_score_", "best_estimator_", "refit_time_"):
        assert hasattr(found, name) == hasattr(wanted, name), name


@pytest.mark.parametrize("grid", GRIDS, ids=str)
def test_grids(grid):
    found, wanted = ParameterGrid(grid), theirs.ParameterGrid(grid)
    assert list(found) == list(wanted)
    assert len(found) == len(wanted)
    assert [found[i] for i in range(len(found))] == [wanted[i] for i in range(len(wanted))]
    with pytest.raises(IndexError, match="out of range"):
        found[len(found)]


@pytest.mark.parametrize(
    "grid", [3, "ab", [3], {"a": 3}, {"a": "text"}, {"a": []}, {"a": np.ones((2, 2))}], ids=str
)
def test_bad_grids(grid):
    with pytest.raises((TypeError, ValueError)) as expected:
        theirs.ParameterGrid(grid)
    with pytest.raises(expected.type) as error:
        ParameterGrid(grid)
    assert str(error.value) == str(expected.value)


SAMPLED = [
    ({"a": [1, 2, 3], "b": list("xyz")}, 5),
    ({"a": range(1000), "b": range(50)}, 7),
    ({"a": range(150)}, 149),
    ({"a": range(300)}, 300),
    ({"a": scipy.stats.uniform(0, 2), "b": [1, 2, 3]}, 6),
    ([{"a": scipy.stats.norm()}, {"b": [1, 2]}, {"c": ["u"], "a": [0]}], 12),
    ([{"a": [1, 2]}, {"b": [1, 2]}], 3),
]


@pytest.mark.parametrize(("distributions", "n_iter"), SAMPLED, ids=range(len(SAMPLED)))
@pytest.mark.parametrize("seed", range(10))
def test_samples(distributions, n_iter, seed):
    found = ParameterSampler(distributions, n_iter, random_state=seed)
    wanted = theirs.ParameterSampler(distributions, n_iter, random_state=seed)
    assert list(found) == list(wanted)
    assert len(found) == len(wanted)
    from_generator = ParameterSampler(distributions, n_iter, random_state=np.random.default_rng(1))
    assert len(list(from_generator)) == n_iter


def test_more_samples_than_combinations():
    with pytest.warns(UserWarning, match="total space of parameters 2 is smaller than n_iter=5"):
        assert len(list(ParameterSampler({"a": [1, 2]}, 5))) == 2


@pytest.mark.parametrize("distributions", [3, [3], {"a": 3}], ids=str)
def test_bad_distributions(distributions):
    for module in (ours, theirs):
        with pytest.raises(TypeError):
            module.ParameterSampler(distributions, 2)


@pytest.mark.parametrize("model", MODELS, ids=["ours", "theirs"])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"scoring": "neg_mean_squared_error", "cv": 3, "return_train_score": True},
        {"cv": ours.ShuffleSplit(3, random_state=0)},
        {"refit": False},
        {"refit": lambda results: 2},
        {"scoring": ["r2", "neg_mean_absolute_error"], "refit": "r2", "return_train_score": True},
        {"scoring": ["r2", "neg_mean_absolute_error"], "refit": False},
        {"scoring": {"a": "r2", "b": "neg_mean_absolute_error"}, "refit": lambda results: 0},
        {"scoring": lambda m, X, y: {"p": m.score(X, y), "q": 1.0}, "refit": "p"},
    ],
    ids=range(9),
)
def test_grid_searches(model, options):
    found, wanted = fit_both("GridSearchCV", model, ALPHAS, **options)
    assert_same_search(found, wanted)
    if options.get("refit") is not False:
        np.testing.assert_allclose(found.predict(X), wanted.predict(X), rtol=1e-9)
        if not callable(options.get("refit")):
            assert found.score(X, Y) == pytest.approx(wanted.score(X, Y))


@pytest.mark.parametrize("model", MODELS, ids=["ours", "theirs"])
@pytest.mark.parametrize("seed", range(3))
def test_random_searches(model, seed):
    for values in (scipy.stats.loguniform(1e-3, 10), [0.1, 0.2, 0.5, 1.0]):
        options = {"n_iter": 3, "random_state": seed, "cv": 3}
        found, wanted = fit_both("RandomizedSearchCV", model, {"alpha": values}, **options)
        assert_same_search(found, wanted)


def test_parameters_of_any_kind():
    grid = [
        {"kernel": ["linear"], "C": [1, 10]},
        {"kernel": ["rbf"], "gamma": ["scale", 0.5], "class_weight": [None, {"high": 2}]},
    ]
    found, wanted = fit_both(
        "GridSearchCV", sklearn.svm.SVC(), grid, data=(X, LABELS), cv=3, scoring="accuracy"
    )
    assert_same_search(found, wanted)
    assert found.classes_.tolist() == ["high", "low"]
    assert is_classifier(found) and is_regressor(GridSearchCV(Ridge(), ALPHAS))
    np.testing.assert_allclose(found.decision_function(X), wanted.decision_function(X))
    assert not hasattr(found, "transform") and not hasattr(found, "predict_proba")


def test_nested_parameters():
    model = make_pipeline(sklearn.preprocessing.StandardScaler(), Ridge())
    grid = {"ridge__alpha": [0.1, 10.0], "standardscaler__with_mean": [True, False]}
    assert_same_search(*fit_both("GridSearchCV", model, grid))
    steps = {"ridge": [Ridge(alpha=3.0), LinearRegression()]}
    found, wanted = fit_both("GridSearchCV", model, steps)
    np.testing.assert_allclose(
        found.cv_results_["mean_test_score"], wanted.cv_results_["mean_test_score"]
    )


def test_groups_and_weights():
    params = {"groups": GROUPS, "sample_weight": np.arange(120) + 1.0}
    for scoring in (None, "r2", ["r2", "neg_mean_absolute_error"]):
        found, wanted = fit_both(
            "GridSearchCV",
            Ridge(),
            ALPHAS,
            params=params,
            cv=ours.GroupKFold(3),
            scoring=scoring,
            refit="r2" if isinstance(scoring, list) else True,
        )
        assert_same_search(found, wanted)


def test_scorer_without_weights():
    def plain(model, X, y):
        return model.score(X, y)

    for scoring, refit in ((plain, True), ({"plain": plain}, "plain")):
        with pytest.warns(UserWarning, match="does not support sample_weight"):
            GridSearchCV(Ridge(), ALPHAS, scoring=scoring, refit=refit).fit(
                X, Y, sample_weight=np.ones(120)
            )


@pytest.mark.parametrize("error_score", [np.nan, -5.0])
def test_failing_candidates(error_score):
    grid = {"alpha": [-1.0, 1.0, 0.1]}
    results = []
    for module in (ours, theirs):
        with pytest.warns(Warning) as caught:
            search = module.GridSearchCV(Ridge(), grid, error_score=error_score).fit(X, Y)
        assert any("5 fits failed out of a total of 15" in str(w.message) for w in caught)
        assert any(issubclass(w.category, FitFailedWarning) for w in caught) or module is theirs
        non_finite = any("scores are non-finite" in str(w.message) for w in caught)
        assert non_finite == np.isnan(error_score)
        results.append(search)
    assert_same_search(*results)
    with pytest.raises(ValueError, match="All the 5 fits failed"):
        GridSearchCV(Ridge(), {"alpha": [-1.0]}).fit(X, Y)
    with pytest.raises(ValueError, match="alpha"):
        GridSearchCV(Ridge(), grid, error_score="raise").fit(X, Y)


def test_all_scores_nan():
    def nothing(model, X, y):
        return np.nan

    with pytest.warns(UserWarning, match="test scores are non-finite"):
        search = GridSearchCV(Ridge(), ALPHAS, scoring=nothing).fit(X, Y)
    assert search.cv_results_["rank_test_score"].tolist() == [1, 1, 1, 1]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"scoring": ["r2"]}, ValueError, "refit must be set to a scorer key"),
        ({"scoring": ["r2"], "refit": "mse"}, ValueError, "refit must be set to a scorer key"),
        ({"refit": lambda results: "a"}, TypeError, "best_index_ returned is not an integer"),
        ({"refit": lambda results: 9}, IndexError, "best_index_ index out of range"),
        ({"n_jobs": "all"}, ValueError, "'n_jobs' parameter of GridSearchCV"),
        ({"error_score": "nan"}, ValueError, "'error_score' parameter of GridSearchCV"),
        ({"scoring": "best"}, ValueError, "'best' is not a valid scoring|scoring"),
        ({"cv": []}, ValueError, "No fits were performed"),
    ],
    ids=range(8),
)
def test_refusals(options, error, message):
    for module in (ours, theirs):
        with pytest.raises(error, match=message):
            module.GridSearchCV(Ridge(), ALPHAS, **options).fit(X, Y)


def test_refused_parameters_and_estimators():
    with pytest.raises(ValueError, match="Invalid parameter 'beta'"):
        GridSearchCV(Ridge(), {"beta": [1]}).fit(X, Y)
    with pytest.raises(ValueError, match="'estimator' parameter of GridSearchCV"):
        GridSearchCV("ridge", ALPHAS).fit(X, Y)
    with pytest.raises(ValueError, match="inconsistent"):
        GridSearchCV(Ridge(), ALPHAS).fit(X, Y[:-1])
    with pytest.raises(ValueError, match="'n_iter' parameter"):
        RandomizedSearchCV(Ridge(), ALPHAS, n_iter=0).fit(X, Y)


def test_inconsistent_splitter():
    class Liar(ours.KFold):
        def get_n_splits(self, X=None, y=None, groups=None):
            return 7

    with pytest.raises(ValueError, match="Expected 7 splits, got 5"):
        GridSearchCV(Ridge(), ALPHAS, cv=Liar()).fit(X, Y)


def test_before_fit_and_without_refit():
    search = GridSearchCV(Ridge(), ALPHAS)
    with pytest.raises(NotFittedError):
        search.predict(X)
    assert not hasattr(search, "n_features_in_") and not hasattr(search, "cv_results_")
    search = GridSearchCV(Ridge(), ALPHAS, refit=False).fit(X, Y)
    assert not hasattr(search, "predict") and search.best_params_ == {"alpha": 0.1}
    with pytest.raises(AttributeError, match="initialized with `refit=False`"):
        search.score(X, Y)


def test_unsupervised():
    class Mean(sklearn.preprocessing.StandardScaler):
        def score(self, X, y=None):
            return -abs(float(np.mean(self.transform(X))))

    found, wanted = fit_both("GridSearchCV", Mean(), {"with_std": [True, False]}, data=(X,))
    assert_same_search(found, wanted)
    np.testing.assert_allclose(found.transform(X), wanted.transform(X))
    np.testing.assert_allclose(found.inverse_transform(found.transform(X)), X)
    assert found.score(X) == pytest.approx(wanted.score(X))


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_jobs(backend):
    wanted = GridSearchCV(Ridge(), ALPHAS).fit(X, Y).cv_results_["mean_test_score"]
    with joblib.parallel_config(backend=backend, n_jobs=2):
        found = GridSearchCV(Ridge(), ALPHAS, scoring="r2").fit(X, Y)
    np.testing.assert_array_equal(found.cv_results_["mean_test_score"], wanted)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, lambda d: pa.table(d)])
def test_tables(make):
    table = make({f"x{i}": X[:, i] for i in range(3)})
    search = GridSearchCV(Ridge(), ALPHAS).fit(table, Y)
    assert search.feature_names_in_.tolist() == ["x0", "x1", "x2"] and search.n_features_in_ == 3
    plain = GridSearchCV(Ridge(), ALPHAS).fit(X[:, :3], Y)
    np.testing.assert_allclose(search.predict(table), plain.predict(X[:, :3]))


def test_a_search_of_ones_own():
    class TwoSteps(GridSearchCV):
        def _run_search(self, evaluate_candidates):
            first = evaluate_candidates(
                [{"alpha": 0.1}, {"alpha": 10.0}], more_results={"step": [0, 0]}
            )
            best = first["params"][int(np.argmin(first["rank_test_score"]))]["alpha"]
            evaluate_candidates([{"alpha": best / 2}], more_results={"step": [1]})

    search = TwoSteps(Ridge(), {}).fit(X, Y)
    assert search.cv_results_["step"].tolist() == [0, 0, 1]
    assert search.cv_results_["param_alpha"].tolist() == [0.1, 10.0, 0.05]


def test_clone_pickle_and_nesting():
    search = GridSearchCV(Ridge(), ALPHAS, cv=3)
    assert repr(clone(search)) == repr(search)
    again = pickle.loads(pickle.dumps(search.fit(X, Y)))
    np.testing.assert_array_equal(again.predict(X), search.predict(X))
    ours_outside = ours.cross_val_score(theirs.GridSearchCV(Ridge(), ALPHAS), X, Y)
    theirs_outside = theirs.cross_val_score(GridSearchCV(Ridge(), ALPHAS), X, Y)
    np.testing.assert_allclose(ours_outside, theirs_outside)
    assert theirs.GridSearchCV(search, {"estimator__fit_intercept": [True, False]}).fit(X, Y)


@pytest.mark.parametrize("verbose", [1, 2, 3, 10])
@pytest.mark.parametrize("solver", ["svd", "cholesky"])
def test_what_is_printed(verbose, solver, capsys):
    lines = []
    for module in (ours, theirs):
        module.GridSearchCV(Ridge(solver=solver), ALPHAS, cv=2, verbose=verbose).fit(X, Y)
        text = capsys.readouterr().out
        lines.append([line.split("total time")[0] for line in text.splitlines()])
    if solver == "cholesky":  # fitted together: the candidates of one split after the other
        lines = [sorted(part) for part in lines]
    assert lines[0] == lines[1]


class OwnFit(Ridge):
    """A subclass with a fit of its own, which a search must not pass by."""

    def fit(self, X, y, sample_weight=None):
        super().fit(X, y, sample_weight)
        self.coef_ = np.zeros_like(self.coef_)
        return self


SHARED_GRIDS = [
    {"alpha": [0.0, 0.1, 1.0, 100.0]},
    {"alpha": [0.1, 10.0], "fit_intercept": [True, False]},
    [{"alpha": [1.0, 2.0]}, {"alpha": [3.0], "solver": ["cholesky"]}],
]


@pytest.mark.parametrize("grid", SHARED_GRIDS, ids=["alpha", "intercept", "two"])
@pytest.mark.parametrize("kind", ["dense", "float32", "sparse", "targets", "wide"])
def test_candidates_fitted_together_score_as_if_alone(grid, kind, monkeypatch):
    data, target = X, Y
    if kind == "float32":
        data = X.astype(np.float32)
    elif kind == "sparse":
        data = csr_array(np.where(X > 0, X, 0.0))
    elif kind == "targets":
        target = np.column_stack([Y, -2.0 * Y + X[:, 0]])
    elif kind == "wide":
        data = np.random.default_rng(0).standard_normal((len(X), 2 * len(X)))
    weight = np.random.default_rng(1).integers(0, 3, len(X))
    results = []
    for can_share in (True, False):
        if not can_share:
            monkeypatch.setattr(Ridge, "_shares_fits", lambda self, candidates: False)
        search = GridSearchCV(Ridge(), grid, cv=3, return_train_score=True)
        results.append(search.fit(data, target, sample_weight=weight).cv_results_)
    for name in ("mean_test_score", "std_test_score", "mean_train_score"):
        # Sparse rows are summed in chunks whose size depends on the number of targets.
        rtol = 1e-12 if kind == "sparse" else 0.0
        np.testing.assert_allclose(results[0][name], results[1][name], rtol=rtol)


def test_candidates_are_fitted_together_only_where_that_is_right():
    together = Ridge()._shares_fits
    assert together([{"alpha": 1.0}, {"alpha": 2.0, "fit_intercept": False}])
    assert not together([{"alpha": 1.0}, {"alpha": 2.0, "solver": "sag"}])
    assert not together([{"alpha": 1.0}, {"tol": 0.1}])
    assert not together([{"alpha": 1.0}, {"alpha": [1.0, 2.0]}])
    assert not together([{"alpha": 1.0}, {"alpha": 1.0, "unknown": 3}])
    assert not Ridge(positive=True)._shares_fits([{"alpha": 1.0}, {"alpha": 2.0}])
    scores = GridSearchCV(OwnFit(), {"alpha": [1.0, 2.0]}, cv=3).fit(X, Y).cv_results_
    assert (scores["mean_test_score"] <= 0.0).all()


@pytest.mark.filterwarnings("ignore:One or more of the test scores")
def test_a_candidate_that_fails_leaves_the_others_alone():
    search = GridSearchCV(Ridge(), {"alpha": [1.0, -1.0, 2.0]}, cv=3)
    with pytest.warns(FitFailedWarning, match="3 fits failed out of a total of 9"):
        search.fit(X, Y)
    assert np.isnan(search.cv_results_["mean_test_score"]).tolist() == [False, True, False]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "search",
    [
        GridSearchCV(Ridge(), {"alpha": [0.1, 1.0]}, cv=2),
        RandomizedSearchCV(Ridge(), {"alpha": [0.1, 1.0, 2.0]}, n_iter=2, random_state=0, cv=2),
        GridSearchCV(DummyClassifier(), {"strategy": ["prior", "most_frequent"]}, cv=2),
    ],
    ids=repr,
)
def test_contract_of_scikit_learn(search):
    poor = {"check_classifiers_train": "the baseline's score is poor by design"}
    check_estimator(search, expected_failed_checks=poor, on_skip=None)


def test_pipelines_fit_their_transformers_once_for_all_candidates():
    scaled = []

    class Counting(StandardScaler):
        def fit(self, X, y=None, sample_weight=None):
            scaled.append(len(X))
            return super().fit(X, y, sample_weight)

    for last in (Ridge(), sklearn.linear_model.Ridge()):
        scaled.clear()
        pipeline = Pipeline([("scale", Counting()), ("model", last)])
        grid = {"model__alpha": [0.1, 1.0, 10.0]}
        search = GridSearchCV(pipeline, grid, cv=3).fit(X, Y)
        assert len(scaled) == 4  # once for each split, and once for the refit
        alone = theirs.GridSearchCV(pipeline, grid, cv=3).fit(X, Y)
        for name in ("mean_test_score", "std_test_score"):
            np.testing.assert_allclose(search.cv_results_[name], alone.cv_results_[name], rtol=1e-9)
        scaled.clear()
        GridSearchCV(pipeline, {**grid, "scale__with_mean": [True, False]}, cv=3).fit(X, Y)
        assert len(scaled) == 19


def test_fingerprint_leaves_out_the_times():
    """Equal searches have the same fingerprint, whatever the clock says; other ones do not."""
    X, y = load_diabetes(return_X_y=True)

    def fitted(alphas, **options):
        return GridSearchCV(Ridge(), {"alpha": alphas}, cv=2, **options).fit(X, y)

    first, second = fitted([0.1, 1.0]), fitted([0.1, 1.0])
    first.refit_time_, first.cv_results_["mean_fit_time"][:] = 60.0, 30.0
    assert gramian.fingerprint(first) == gramian.fingerprint(second)
    assert first.cv_results_["mean_fit_time"].tolist() == [30.0, 30.0]
    assert gramian.fingerprint(fitted([0.1, 2.0])) != gramian.fingerprint(second)
    second.cv_results_["mean_test_score"][1] += 1e-9
    assert gramian.fingerprint(first) != gramian.fingerprint(second)
