"""A sparse matrix whose indices point outside it is refused by name, and never followed."""

import os
import signal
from functools import partial

import numpy as np
import pytest
from scipy import sparse
from tests.contract.cases import (
    METHODS,
    each_estimator,
    fit,
    fresh,
    make_data,
    reads_features,
    takes_sparse,
)
from tests.contract.processes import failures_in_child
from tests.fuzz.corrupt_sparse import corrupt_matrices

from gramian import metrics, preprocessing, utils
from gramian._rows import split_rows
from gramian.compat import catboost, lightgbm, xgboost
from gramian.compose import ColumnTransformer
from gramian.dummy import DummyClassifier, DummyRegressor
from gramian.ensemble import StackingRegressor
from gramian.feature_selection import chi2, f_classif, mutual_info_classif
from gramian.linear_model import LogisticRegression, Ridge, lasso_path
from gramian.metrics import pairwise
from gramian.model_selection import cross_val_predict, cross_val_score, train_test_split
from gramian.multiclass import OneVsRestClassifier, type_of_target, unique_labels
from gramian.multioutput import MultiOutputClassifier
from gramian.pipeline import FeatureUnion, Pipeline
from gramian.svm import SVC, l1_min_c
from gramian.tree import DecisionTreeRegressor
from gramian.utils.multiclass import is_multilabel
from gramian.utils.validation import check_non_negative
from gramian.validation import check_array

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system"),
    pytest.mark.filterwarnings("ignore"),
]


def _reads_sparse(estimator):
    return takes_sparse(estimator) and reads_features(estimator)


def _sparse_data(estimator):
    X, y = make_data(estimator)
    X[np.random.default_rng(1).random(X.shape) < 0.3] = 0.0
    return X, y


def _fitted(estimator, X, y):
    """Return the estimator fitted on sparse rows, or on an array where its parameters need one."""
    try:
        return fit(fresh(estimator), sparse.csr_matrix(X), y)
    except (TypeError, ValueError):
        return fit(fresh(estimator), X, y)


def _refusal(call, X):
    """Return what is wrong with how a call takes a corrupt matrix, or None."""
    try:
        call(X)
    except ValueError as error:
        is_named = "corrupt sparse matrix" in str(error)
        return None if is_named else f"the message does not say what is wrong: {error}"
    except Exception as error:
        return f"raised {error!r}"
    return "was answered"


@each_estimator("corrupt_sparse", where=_reads_sparse)
def test_corrupt_matrices_are_refused(estimator):
    X, y = _sparse_data(estimator)
    model = _fitted(estimator, X, y)
    calls = {"fit": lambda S: fit(fresh(estimator), S, y)}
    calls |= {name: getattr(model, name) for name in METHODS if hasattr(model, name)}
    cases = {
        f"{name}: {kind}, {what}": partial(_refusal, call, S)
        for (kind, what), S in corrupt_matrices(X).items()
        for name, call in calls.items()
    }
    assert failures_in_child(cases) == {}


# -- what is not a model of rows -------------------------------------------------------------------

N_ROWS = 40
LABELS = np.arange(N_ROWS) % 2
ROWS = np.random.default_rng(2).integers(0, 2, (N_ROWS, 4)).astype(np.float64)
ROWS[:, 0] = np.arange(N_ROWS) % 3 == 0
ROWS[-1] = 1.0
SETS = ROWS.astype(np.int64)
SQUARE = 1.0 - np.eye(N_ROWS)


def _binarizer():
    return preprocessing.LabelBinarizer().fit(SETS)


def _stacked():
    return StackingRegressor([("mean", DummyRegressor())], Ridge(), cv=2, passthrough=True)


def _callable_kernel():
    return SVC(kernel=lambda A, B: (A @ B.T).toarray())


_ONE_VS_REST = OneVsRestClassifier(LogisticRegression())

OF_ROWS = {
    "check_array": lambda S: check_array(S, True),
    "cross_val_score": lambda S: cross_val_score(DummyRegressor(), S, LABELS, cv=2),
    "cross_val_predict": lambda S: cross_val_predict(DummyRegressor(), S, LABELS, cv=2),
    "train_test_split": lambda S: train_test_split(S, LABELS),
    "resample": lambda S: utils.resample(S, random_state=0),
    "shuffle": lambda S: utils.shuffle(S, random_state=0),
    "check_non_negative": lambda S: check_non_negative(S, "test"),
    "euclidean_distances": lambda S: pairwise.euclidean_distances(ROWS, S),
    "silhouette_score": lambda S: metrics.silhouette_score(S, LABELS),
    "chi2": lambda S: chi2(S, LABELS),
    "f_classif": lambda S: f_classif(S, LABELS),
    "mutual_info_classif": lambda S: mutual_info_classif(S, LABELS),
    "normalize": preprocessing.normalize,
    "maxabs_scale": preprocessing.maxabs_scale,
    "lasso_path": lambda S: lasso_path(S, LABELS),
    "l1_min_c": lambda S: l1_min_c(S, LABELS),
    "FunctionTransformer.fit": lambda S: preprocessing.FunctionTransformer().fit(S),
    "FunctionTransformer": lambda S: preprocessing.FunctionTransformer().transform(S),
    "ColumnTransformer": lambda S: ColumnTransformer([("a", "passthrough", [0, 1])]).fit(S),
    "FeatureUnion": lambda S: FeatureUnion([("a", "passthrough"), ("b", "drop")]).fit_transform(S),
    "Pipeline": lambda S: Pipeline([("a", "passthrough"), ("b", Ridge())]).fit(S, LABELS),
    "StackingRegressor": lambda S: _stacked().fit(S, LABELS),
    "StackingRegressor.predict": lambda S: _stacked().fit(ROWS, LABELS).predict(S),
    "SVC with a callable kernel": lambda S: _callable_kernel().fit(S, LABELS),
    "tree_.apply": lambda S: DecisionTreeRegressor().fit(ROWS, LABELS).tree_.apply(S),
    "Pool": catboost.Pool,
    "DMatrix": xgboost.DMatrix,
    "Dataset": lambda S: lightgbm.Dataset(S, LABELS).construct(),
}
"""Functions of a sparse X."""

OF_TARGETS = {
    "type_of_target": type_of_target,
    "unique_labels": unique_labels,
    "is_multilabel": is_multilabel,
    "accuracy_score": lambda Y: metrics.accuracy_score(SETS, Y),
    "f1_score": lambda Y: metrics.f1_score(Y, SETS, average="macro"),
    "label_ranking_average_precision_score": lambda Y: (
        metrics.label_ranking_average_precision_score(Y, ROWS)
    ),
    "chi2": lambda Y: chi2(ROWS, Y),
    "compute_sample_weight": lambda Y: utils.compute_sample_weight("balanced", Y),
    "LabelBinarizer.fit": lambda Y: preprocessing.LabelBinarizer().fit(Y),
    "LabelBinarizer.transform": lambda Y: _binarizer().transform(Y),
    "LabelBinarizer.inverse_transform": lambda Y: _binarizer().inverse_transform(Y),
    "MultiLabelBinarizer": lambda Y: (
        preprocessing.MultiLabelBinarizer().fit([range(4)]).inverse_transform(Y)
    ),
    "DummyClassifier": lambda Y: DummyClassifier().fit(ROWS, Y),
    "OneVsRestClassifier": lambda Y: _ONE_VS_REST.fit(ROWS, Y),
    "MultiOutputClassifier": lambda Y: MultiOutputClassifier(LogisticRegression()).fit(ROWS, Y),
    "cross_val_score": lambda Y: cross_val_score(DummyClassifier(), ROWS, Y, cv=2),
    "train_test_split": lambda Y: train_test_split(ROWS, Y),
}
"""Functions of a sparse indicator matrix of labels."""

OF_SQUARES = {
    "check_symmetric": utils.check_symmetric,
    "rows of a kernel": lambda K: split_rows(SVC(kernel="precomputed"), K, LABELS, LABELS),
    "silhouette_score of distances": lambda K: metrics.silhouette_score(
        K, LABELS, metric="precomputed"
    ),
}
"""Functions of a sparse square matrix."""


@pytest.mark.parametrize(
    ("functions", "valid"),
    [(OF_ROWS, ROWS), (OF_TARGETS, SETS), (OF_SQUARES, SQUARE)],
    ids=["rows", "targets", "squares"],
)
def test_functions_refuse_corrupt_matrices(functions, valid):
    for call in functions.values():
        call(sparse.csr_matrix(valid))
    cases = {
        f"{name}: {kind}, {what}": partial(_refusal, call, S)
        for (kind, what), S in corrupt_matrices(valid).items()
        for name, call in functions.items()
        if len(valid) == S.shape[0] and _takes(call, kind, valid)
    }
    assert failures_in_child(cases) == {}


def _takes(call, kind, valid):
    """Tell whether a function takes a format; all take CSR."""
    try:
        call(getattr(sparse, f"{kind}_array")(valid))
    except (TypeError, ValueError):
        return False
    return True


def test_a_crash_is_told_by_its_case():
    def crash():
        os.kill(os.getpid(), signal.SIGKILL)

    cases = {"well": lambda: None, "crash": crash, "not run": lambda: "was run"}
    assert failures_in_child(cases) == {"crash": "the process ended with status -9 (SIGKILL)"}
    assert failures_in_child({"wrong": lambda: "is wrong"}) == {"wrong": "is wrong"}
