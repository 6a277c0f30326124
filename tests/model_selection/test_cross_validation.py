"""cross_validate and its relatives give scikit-learn's results, for its estimators and ours."""

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
import sklearn.datasets
import sklearn.exceptions
import sklearn.linear_model
import sklearn.model_selection as theirs
import sklearn.multioutput
import sklearn.naive_bayes
import sklearn.neighbors
import sklearn.svm

import gramian.model_selection as ours
from gramian.base import BaseEstimator, RegressorMixin
from gramian.config import config, get_config
from gramian.datasets import load_diabetes
from gramian.dummy import DummyClassifier, DummyRegressor
from gramian.exceptions import FitFailedWarning
from gramian.linear_model import LinearRegression, Ridge
from gramian.model_selection import (
    cross_val_predict,
    cross_val_score,
    cross_validate,
    learning_curve,
    permutation_test_score,
    validation_curve,
)

X, Y = load_diabetes(return_X_y=True)
X, Y = X[:150], Y[:150]
LABELS = np.where(Y > 180, "high", np.where(Y > 100, "middle", "low"))
GROUPS = np.arange(150) % 7
THEIR_MODELS = [sklearn.linear_model.Ridge(), sklearn.neighbors.KNeighborsRegressor()]
OUR_MODELS = [Ridge(), LinearRegression(), DummyRegressor()]
CLASSIFIERS = [sklearn.naive_bayes.GaussianNB(), DummyClassifier(strategy="prior")]


@pytest.mark.parametrize("model", [*THEIR_MODELS, *OUR_MODELS], ids=repr)
def test_everything_returned(model):
    options = {
        "scoring": ["r2", "neg_mean_absolute_error"],
        "return_train_score": True,
        "return_estimator": True,
        "return_indices": True,
        "params": {} if "KNeighbors" in repr(model) else {"sample_weight": np.arange(150) + 1.0},
        "cv": 4,
    }
    found = cross_validate(model, X, Y, **options)
    wanted = theirs.cross_validate(model, X, Y, **options)
    assert list(found) == list(wanted)
    for key in (key for key in wanted if key.startswith(("test", "train"))):
        np.testing.assert_allclose(found[key], wanted[key], rtol=1e-10)
    for part in ("train", "test"):
        for rows, their_rows in zip(found["indices"][part], wanted["indices"][part], strict=True):
            np.testing.assert_array_equal(rows, their_rows)
    for fitted, their_fitted in zip(found["estimator"], wanted["estimator"], strict=True):
        np.testing.assert_allclose(fitted.predict(X), their_fitted.predict(X), rtol=1e-10)


@pytest.mark.parametrize("model", [*THEIR_MODELS, *OUR_MODELS], ids=repr)
@pytest.mark.parametrize(
    "name", ["GroupKFold", "ShuffleSplit", "RepeatedKFold", "LeaveOneGroupOut"]
)
def test_scores_with_any_splitter(model, name):
    seed = {} if "Group" in name else {"random_state": 1}
    found = cross_val_score(model, X, Y, cv=getattr(ours, name)(**seed), groups=groups_for(name))
    wanted = theirs.cross_val_score(
        model, X, Y, cv=getattr(theirs, name)(**seed), groups=groups_for(name)
    )
    np.testing.assert_allclose(found, wanted, rtol=1e-10)
    crossed = cross_val_score(
        model, X, Y, cv=getattr(theirs, name)(**seed), groups=groups_for(name)
    )
    np.testing.assert_array_equal(crossed, found)


def groups_for(name):
    return GROUPS if "Group" in name else None


@pytest.mark.parametrize("model", CLASSIFIERS, ids=repr)
@pytest.mark.parametrize("scoring", [None, "accuracy"])
def test_classifiers(model, scoring):
    found = cross_val_score(model, X, LABELS, scoring=scoring)
    np.testing.assert_allclose(found, theirs.cross_val_score(model, X, LABELS, scoring=scoring))


def test_no_target():
    class Spread(BaseEstimator):
        def fit(self, X, y=None):
            self.mean_ = np.mean(X)
            return self

        def score(self, X, y=None):
            return float(np.mean(X) - self.mean_)

    np.testing.assert_array_equal(cross_val_score(Spread(), X), theirs.cross_val_score(Spread(), X))


class Fragile(RegressorMixin, BaseEstimator):
    """Refuses to learn from the first row."""

    def __init__(self, always=False):
        self.always = always

    def fit(self, X, y):
        if self.always or X[0, 0] == 0:
            raise RuntimeError("the first row is there")
        self.mean_ = float(np.mean(y))
        return self

    def predict(self, X):
        return np.full(len(X), self.mean_)


ROWS = np.arange(20.0)[:, None]


@pytest.mark.parametrize(
    "scoring", [None, "r2", ["r2", "neg_mean_squared_error"], lambda m, X, y: {"a": 1.0, "b": 2.0}]
)
@pytest.mark.parametrize("error_score", [np.nan, -7, 0.5])
def test_failed_fits(scoring, error_score):
    options = {"scoring": scoring, "error_score": error_score, "return_train_score": True, "cv": 4}
    with pytest.warns(
        sklearn.exceptions.FitFailedWarning, match="3 fits failed out of a total of 4"
    ):
        found = cross_validate(Fragile(), ROWS, ROWS[:, 0], **options)
    with pytest.warns(sklearn.exceptions.FitFailedWarning):
        wanted = theirs.cross_validate(Fragile(), ROWS, ROWS[:, 0], **options)
    assert list(found) == list(wanted)
    for key in (key for key in wanted if key.startswith(("test", "train"))):
        np.testing.assert_array_equal(found[key], wanted[key])


def test_our_warning_is_caught_by_both_names():
    for cls in (FitFailedWarning, sklearn.exceptions.FitFailedWarning):
        with pytest.warns(cls):
            cross_val_score(Fragile(), ROWS, ROWS[:, 0], cv=4)


def test_all_fits_failed():
    with pytest.raises(ValueError, match="All the 5 fits failed"):
        cross_val_score(Fragile(always=True), ROWS, ROWS[:, 0])
    with pytest.raises(RuntimeError, match="the first row is there"):
        cross_val_score(Fragile(), ROWS, ROWS[:, 0], error_score="raise")


def failing_scorer(model, X, y):
    raise OSError("no disk")


@pytest.mark.parametrize("scoring", [failing_scorer, {"bad": failing_scorer, "r2": "r2"}])
def test_failed_scores(scoring):
    with pytest.warns(UserWarning, match="Scoring failed. The score on this train-test partition"):
        found = cross_validate(Ridge(), X, Y, scoring=scoring, error_score=-1)
    key = "test_score" if callable(scoring) else "test_bad"
    assert (found[key] == -1).all()
    with pytest.raises(OSError, match="no disk"):
        cross_validate(Ridge(), X, Y, scoring=scoring, error_score="raise")


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_jobs(backend):
    wanted = cross_val_score(Ridge(), X, Y)
    with joblib.parallel_config(backend=backend, n_jobs=2):
        np.testing.assert_array_equal(cross_val_score(Ridge(), X, Y), wanted)
        np.testing.assert_array_equal(cross_val_score(Ridge(), X, Y, scoring="r2"), wanted)


def test_settings_hold_in_the_workers():
    def n_threads(model, X, y):
        return float(get_config()["n_threads"])

    with config(n_threads=1):
        for options in ({}, {"n_jobs": 2}):
            assert (cross_val_score(Ridge(), X, Y, scoring=n_threads, **options) == 1).all()


@pytest.mark.parametrize("verbose", [1, 2, 3, 10])
def test_what_is_printed(verbose, capsys):
    for scoring in (None, ["r2", "neg_mean_squared_error"]):
        lines = []
        for function in (cross_validate, theirs.cross_validate):
            function(Ridge(), X, Y, cv=2, verbose=verbose, scoring=scoring, return_train_score=True)
            text = capsys.readouterr().out
            lines.append([line.split("total time")[0] for line in text.splitlines()])
        assert [x for x in lines[0] if "CV" in x] == [x for x in lines[1] if "CV" in x]


def test_kernel_matrices_are_cut_both_ways():
    kernel = X @ X.T
    model = sklearn.svm.SVR(kernel="precomputed")
    for found, wanted in (
        (cross_val_score(model, kernel, Y), theirs.cross_val_score(model, kernel, Y)),
        (cross_val_predict(model, kernel, Y), theirs.cross_val_predict(model, kernel, Y)),
    ):
        np.testing.assert_allclose(found, wanted)
    with pytest.raises(ValueError, match="square kernel matrix"):
        cross_val_score(model, X, Y, error_score="raise")
    with pytest.raises(ValueError, match="have to be passed as arrays"):
        cross_val_score(model, kernel.tolist(), Y, error_score="raise")


@pytest.mark.parametrize("options", [{"n_jobs": "all"}, {"params": [1]}, {"error_score": "nan"}])
def test_bad_arguments(options):
    for module in (ours, theirs):
        with pytest.raises(ValueError):
            module.cross_validate(Ridge(), X, Y, **options)
    with pytest.raises(ValueError, match="must be an object implementing 'fit'"):
        cross_validate("ridge", X, Y)


def test_one_score_only():
    for function in (cross_val_score, permutation_test_score, learning_curve):
        with pytest.raises(ValueError, match="cross_validate takes several"):
            function(Ridge(), X, Y, scoring=["r2"])


# -- predictions ---------------------------------------------------------------------------------


@pytest.mark.parametrize("model", [*THEIR_MODELS, *OUR_MODELS], ids=repr)
@pytest.mark.parametrize("cv", [None, 3, ours.KFold(4, shuffle=True, random_state=0)])
def test_predictions(model, cv):
    found, wanted = (
        cross_val_predict(model, X, Y, cv=cv),
        theirs.cross_val_predict(model, X, Y, cv=cv),
    )
    np.testing.assert_allclose(found, wanted, rtol=1e-10)


@pytest.mark.parametrize("model", [*CLASSIFIERS, sklearn.svm.SVC()], ids=repr)
@pytest.mark.parametrize(
    "method", ["predict", "predict_proba", "predict_log_proba", "decision_function"]
)
def test_methods(model, method):
    if not hasattr(model, method):
        return
    found = cross_val_predict(model, X, LABELS, method=method)
    wanted = theirs.cross_val_predict(model, X, LABELS, method=method)
    if method == "predict":
        np.testing.assert_array_equal(found, wanted)
    else:
        np.testing.assert_allclose(found, wanted, rtol=1e-10)


@pytest.mark.parametrize("method", ["predict_proba", "predict_log_proba"])
def test_classes_that_a_fold_lacks(method):
    order = np.argsort(LABELS, kind="stable")
    model = sklearn.naive_bayes.GaussianNB()
    results = []
    for module in (ours, theirs):
        with pytest.warns(RuntimeWarning, match="Number of classes in training fold"):
            results.append(
                module.cross_val_predict(
                    model, X[order], LABELS[order], cv=module.KFold(3), method=method
                )
            )
    np.testing.assert_allclose(results[0], results[1])


def test_margins_of_folds_without_a_class():
    order = np.argsort(LABELS, kind="stable")
    model = sklearn.linear_model.LogisticRegression()
    for module in (ours, theirs):
        with (
            pytest.warns(RuntimeWarning, match="Number of classes"),
            pytest.raises(ValueError, match=r"Only 2 class/es|does not match number of classes"),
        ):
            module.cross_val_predict(
                model, X[order], LABELS[order], cv=module.KFold(3), method="decision_function"
            )


def test_several_outputs():
    targets = np.column_stack([Y, -Y])
    np.testing.assert_allclose(
        cross_val_predict(Ridge(), X, targets), theirs.cross_val_predict(Ridge(), X, targets)
    )
    labels = np.column_stack([LABELS, np.where(Y > 120, "old", "new")])
    model = sklearn.multioutput.MultiOutputClassifier(sklearn.naive_bayes.GaussianNB())
    found = cross_val_predict(model, X, labels, method="predict_proba", cv=3)
    wanted = theirs.cross_val_predict(model, X, labels, method="predict_proba", cv=3)
    for part, their_part in zip(found, wanted, strict=True):
        np.testing.assert_allclose(part, their_part)


@pytest.mark.parametrize("make", [scipy.sparse.csr_array, scipy.sparse.coo_matrix])
def test_sparse(make):
    model = sklearn.linear_model.Ridge(solver="lsqr")
    found = cross_val_predict(model, make(X), Y)
    np.testing.assert_allclose(found, theirs.cross_val_predict(model, make(X), Y))
    labels = scipy.sparse.csr_matrix(np.column_stack([Y > 100, Y > 200]).astype(int))
    nearest = sklearn.neighbors.KNeighborsClassifier()
    np.testing.assert_array_equal(
        cross_val_predict(nearest, X, labels.toarray()),
        theirs.cross_val_predict(nearest, X, labels.toarray()),
    )

    class Sparse(DummyRegressor):
        def predict(self, X):
            return scipy.sparse.csr_matrix(np.ones((len(X), 2)))

    assert cross_val_predict(Sparse(), X, Y).shape == (150, 2)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, lambda d: pa.table(d)])
def test_predictions_from_tables(make):
    table = make({f"x{i}": X[:, i] for i in range(X.shape[1])})
    y = pl.Series(Y) if make is pl.DataFrame else pd.Series(Y, index=np.arange(150)[::-1])
    np.testing.assert_allclose(
        cross_val_predict(Ridge(), table, y), cross_val_predict(Ridge(), X, Y), rtol=1e-9
    )
    labels = pl.Series(LABELS.tolist()) if make is pl.DataFrame else pd.Series(LABELS)
    model = DummyClassifier(strategy="prior")
    np.testing.assert_allclose(
        cross_val_predict(model, table, labels, method="predict_proba"),
        cross_val_predict(model, X, LABELS, method="predict_proba"),
    )


def test_predictions_need_a_partition():
    for cv in (ours.ShuffleSplit(random_state=0), ours.TimeSeriesSplit(3)):
        with pytest.raises(ValueError, match="only works for partitions"):
            cross_val_predict(Ridge(), X, Y, cv=cv)
    with pytest.raises(ValueError, match="'method' parameter"):
        cross_val_predict(Ridge(), X, Y, method="transform")
    with pytest.raises(ValueError, match="'fit' and 'predict'"):
        cross_val_predict(sklearn.preprocessing.StandardScaler(), X, Y)


# -- curves and the permutation test --------------------------------------------------------------


@pytest.mark.parametrize("model", [Ridge(), sklearn.linear_model.Ridge()], ids=["ours", "theirs"])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"train_sizes": [10, 40, 100], "cv": 3},
        {"shuffle": True, "random_state": 4, "scoring": "neg_mean_squared_error"},
        {"params": {"sample_weight": np.arange(150) + 1.0}},
    ],
    ids=range(4),
)
def test_learning_curves(model, options):
    found = learning_curve(model, X, Y, **options)
    wanted = theirs.learning_curve(model, X, Y, **options)
    assert len(found) == len(wanted) == 3
    for part, their_part in zip(found, wanted, strict=True):
        np.testing.assert_allclose(part, their_part, rtol=1e-10)


def test_learning_curve_of_groups_and_times():
    cv = ours.GroupKFold(3)
    found = learning_curve(Ridge(), X, Y, groups=GROUPS, cv=cv, return_times=True)
    wanted = theirs.learning_curve(Ridge(), X, Y, groups=GROUPS, cv=cv, return_times=True)
    for part, their_part in zip(found[:3], wanted[:3], strict=True):
        np.testing.assert_allclose(part, their_part, rtol=1e-10)
    assert [part.shape for part in found] == [part.shape for part in wanted]
    assert (found[3] > 0).all()


@pytest.mark.parametrize("shuffle", [False, True])
def test_incremental_learning_curve(shuffle):
    options = {"shuffle": shuffle, "random_state": 0 if shuffle else None, "return_times": True}
    for model, y in (
        (sklearn.naive_bayes.GaussianNB(), LABELS),
        (sklearn.linear_model.SGDRegressor(random_state=0), Y),
    ):
        results = [
            module.learning_curve(
                model,
                X,
                y,
                exploit_incremental_learning=True,
                train_sizes=[0.3, 0.6, 1.0],
                **options,
            )
            for module in (ours, theirs)
        ]
        for part, their_part in zip(results[0][:3], results[1][:3], strict=True):
            np.testing.assert_allclose(part, their_part, rtol=1e-10)
        assert results[0][3].shape == results[1][3].shape
    with pytest.raises(ValueError, match="partial_fit"):
        learning_curve(Ridge(), X, Y, exploit_incremental_learning=True)


@pytest.mark.parametrize("sizes", [[0.0, 1.0], [0.5, 1.1], [0, 20], [10, 500]])
def test_sizes_out_of_range(sizes):
    messages = []
    for module in (ours, theirs):
        with pytest.raises(ValueError) as error:
            module.learning_curve(Ridge(), X, Y, train_sizes=sizes)
        messages.append(str(error.value))
    assert messages[0] == messages[1]


def test_duplicate_sizes():
    for module in (ours, theirs):
        with pytest.warns(RuntimeWarning, match="Removed duplicate entries"):
            sizes, *_ = module.learning_curve(Ridge(), X, Y, train_sizes=[20, 20, 50])
        assert sizes.tolist() == [20, 50]


@pytest.mark.parametrize("model", [Ridge(), sklearn.linear_model.Ridge()], ids=["ours", "theirs"])
def test_validation_curves(model):
    options = {"param_name": "alpha", "param_range": [0.01, 0.1, 1.0, 10.0], "cv": 3}
    for extra in ({}, {"scoring": "neg_mean_absolute_error"}):
        found = validation_curve(model, X, Y, **options, **extra)
        wanted = theirs.validation_curve(model, X, Y, **options, **extra)
        for part, their_part in zip(found, wanted, strict=True):
            np.testing.assert_allclose(part, their_part, rtol=1e-10)


def test_validation_curve_with_failures():
    with pytest.warns(FitFailedWarning, match="6 fits failed out of a total of 12"):
        _, test_scores = validation_curve(
            Ridge(), X, Y, param_name="alpha", param_range=[-1.0, 1.0], cv=6
        )
    assert np.isnan(test_scores[0]).all() and np.isfinite(test_scores[1]).all()


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("model", [Ridge(), DummyRegressor()], ids=repr)
@pytest.mark.parametrize("groups", [None, GROUPS])
def test_permutation_tests(seed, model, groups):
    options = {"n_permutations": 9, "random_state": seed, "cv": ours.GroupKFold(3)}
    options |= {"cv": 3} if groups is None else {}
    found = permutation_test_score(model, X, Y, groups=groups, **options)
    wanted = theirs.permutation_test_score(model, X, Y, groups=groups, **options)
    for part, their_part in zip(found, wanted, strict=True):
        np.testing.assert_allclose(part, their_part, rtol=1e-9, atol=1e-12)


def test_permutation_test_of_classes():
    model = sklearn.naive_bayes.GaussianNB()
    options = {"n_permutations": 20, "scoring": "accuracy", "random_state": 1}
    found = permutation_test_score(model, X, LABELS, **options)
    wanted = theirs.permutation_test_score(model, X, LABELS, **options)
    assert found[0] == wanted[0] and found[2] == wanted[2]
    np.testing.assert_allclose(found[1], wanted[1])
    with pytest.raises(ValueError, match="'n_permutations' parameter"):
        permutation_test_score(model, X, LABELS, n_permutations=0)
