"""scikit-learn's own checks of estimators, and ours where we differ from it on purpose."""

import re
import warnings
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.utils import estimator_checks as sk
from tests.contract.cases import (
    as_array,
    assert_identical,
    classes,
    each_estimator,
    fit,
    fresh,
    instances,
    judges_rows,
    make_data,
    outputs,
    reads_features,
    takes_many_columns,
    without_draws,
)
from tests.contract.expected_failures import EXPECTED_FAILURES, expected_failures
from tests.contract.processes import run_python

import gramian
from gramian.base import is_classifier, is_clusterer
from gramian.exceptions import ConvergenceWarning

OUTPUT_CHECKS = (
    sk.check_transformer_get_feature_names_out,
    sk.check_transformer_get_feature_names_out_pandas,
    sk.check_get_feature_names_out_error,
    sk.check_set_output_transform,
    sk.check_set_output_transform_pandas,
    sk.check_set_output_transform_polars,
    sk.check_global_output_transform_pandas,
    sk.check_global_set_output_transform_polars,
)
ABOUT_OPTIMA = (
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weight_equivalence_on_sparse_data",
)
"""Checks that compare two fits to 1e-7, by which two optima agree; a default `tol` stops before."""


def _names_columns(estimator: Any) -> bool:
    return bool(estimator._tags().transformer) and hasattr(estimator, "get_feature_names_out")


def _has_columns(estimator: Any) -> bool:
    is_pairwise = estimator._tags().pairwise
    return reads_features(estimator) and not is_pairwise and judges_rows(estimator)


def _check_name(check: Any) -> str:
    return _check_name(check.func) if isinstance(check, partial) else check.__name__


def clustering_checks(estimator: Any) -> Iterator[Any]:
    """Yield the checks that `check_estimator` has for subclasses of its own ClusterMixin only."""
    for check in sk._yield_clustering_checks(estimator):
        yield partial(check, type(estimator).__name__)


with warnings.catch_warnings():
    # Said when the checks are generated; not having scikit-learn's base class is the point.
    warnings.filterwarnings("ignore", r"Estimator \w+ does not inherit from", UserWarning)
    warnings.filterwarnings("ignore", r"Can't test estimator", sk.SkipTestWarning)
    parametrised = sk.parametrize_with_checks(
        instances(), expected_failed_checks=expected_failures, xfail_strict=True
    )


@pytest.mark.filterwarnings(
    # said of the checks' data or seeds
    "ignore:No features were selected:UserWarning",
    "ignore:n_neighbors=30 is more than the .. rows:UserWarning",
    "ignore:The number of connected components of the neighbors graph:UserWarning",
    "ignore:Bins whose width are too small:UserWarning",
    "ignore:Label .* is present in all training examples:UserWarning",
    "ignore:`TargetEncoder.shuffle` and:FutureWarning",
)
@parametrised
def test_sklearn_check(estimator, check):
    if _check_name(check) == "check_array_api_input":
        pytest.skip("needs a variable in the environment: see test_array_api")
    with warnings.catch_warnings():
        if hasattr(estimator, "learning_rate"):  # some checks' data keep its steps from settling
            warnings.simplefilter("ignore", ConvergenceWarning)
        check(without_draws(estimator) if _check_name(check) in ABOUT_OPTIMA else estimator)


@each_estimator("clustering_checks", where=is_clusterer)
def test_clustering_checks(estimator):
    names = set()
    for check in clustering_checks(estimator):
        check(fresh(estimator))
        names.add(_check_name(check))
    assert {"check_clustering", "check_clusterer_compute_labels_predict"} <= names


@pytest.mark.filterwarnings(
    "ignore:X (has feature|does not have valid feature) names:UserWarning",
    "ignore:No features were selected:UserWarning",
    "ignore:n_neighbors=30 is more than the .. rows:UserWarning",
    "ignore:The number of connected components of the neighbors graph:UserWarning",
    "ignore:`TargetEncoder.shuffle` and:FutureWarning",
)
@pytest.mark.parametrize("check", OUTPUT_CHECKS, ids=_check_name)
@each_estimator("output_checks", where=_names_columns)
def test_output_check(estimator, check, monkeypatch):
    monkeypatch.setattr(sk, "config_context", gramian.config_context)  # the global setting is ours
    check(type(estimator).__name__, fresh(estimator))


@each_estimator(
    "check_inplace_ensure_writeable", where=lambda e: {"copy", "copy_X"} & e.get_params().keys()
)
def test_read_only_input_without_copy(estimator):
    name = "copy" if hasattr(estimator, "copy") else "copy_X"
    model = fresh(estimator).set_params(**{name: False})
    sk.check_inplace_ensure_writeable(type(model).__name__, model)


def test_array_api():
    """With array API dispatch on, NumPy input gives the same results."""
    code = (
        "import sklearn.utils.estimator_checks as sk\n"
        "from tests.contract.cases import instances, takes_rows\n"
        "from tests.contract.expected_failures import expected_failures\n"
        "for e in filter(takes_rows, instances()):\n"
        "    if 'check_array_api_input' in expected_failures(e): continue\n"
        "    sk.check_array_api_input(type(e).__name__, e, array_namespace='numpy',\n"
        "                             expect_only_array_outputs=False)\n"
    )
    run_python(code, SCIPY_ARRAY_API="1")


def _answers(model: Any, X: Any, y: Any) -> dict[str, Any]:
    """Return the answers of every method that takes rows."""
    found = outputs(model, X)
    if hasattr(model, "score"):
        found["score"] = np.asarray(model.score(X, y))
    if hasattr(model, "predict_log_proba"):
        found["predict_log_proba"] = as_array(model.predict_log_proba(X))
    return found


@each_estimator("column_names", where=_has_columns)
def test_column_names(estimator):
    """Columns are matched by name: their order does not matter, and other names are refused.

    `check_dataframe_column_names_consistency` of scikit-learn asks the same, but that columns in
    another order be refused.
    """
    X, y = make_data(estimator, n_features=8)
    names = [f"col_{j}" for j in range(X.shape[1])]
    frame = pd.DataFrame(X, columns=names)
    model = fit(fresh(estimator), frame, y)
    assert model.feature_names_in_.dtype == object
    assert model.feature_names_in_.tolist() == names
    expected = _answers(model, frame, y)
    assert_identical(_answers(model, frame[names[::-1]], y), expected)
    renamed = pd.DataFrame(X, columns=[f"another_prefix_{j}" for j in range(X.shape[1])])
    for name in expected:
        method = getattr(model, name)
        method = partial(method, y=y) if name == "score" else method
        with pytest.raises(ValueError, match=UNSEEN):
            method(renamed)
        if takes_many_columns(estimator):
            _check_missing_names(method, X, names)


UNSEEN = (
    "The feature names should match those that were passed during fit.\n"
    r"Feature names unseen at fit time:\n- another_prefix_0\n"
)


def _check_missing_names(method: Any, X: Any, names: list[str]) -> None:
    with pytest.raises(ValueError, match=r"yet now missing:\n- col_3\n- col_4\n"):
        method(pd.DataFrame(X, columns=names)[names[:3]])
    with pytest.warns(UserWarning, match="X does not have valid feature names, but"):
        method(X)


@each_estimator("partial_fit_names", where=lambda e: _has_columns(e) and hasattr(e, "partial_fit"))
def test_column_names_of_partial_fit(estimator):
    """The same holds for rows that are learnt later."""
    X, y = make_data(estimator, n_features=8)
    names = [f"col_{j}" for j in range(X.shape[1])]
    frame = pd.DataFrame(X, columns=names)
    targets = {} if y is None else {"y": y}
    classes = {"classes": np.unique(y)} if is_classifier(estimator) else {}
    models = [fresh(estimator).partial_fit(frame, **targets, **classes) for _ in range(2)]
    models[0].partial_fit(frame, **targets)
    models[1].partial_fit(frame[names[::-1]], **targets)
    assert_identical(outputs(models[1], frame), outputs(models[0], frame))
    renamed = pd.DataFrame(X, columns=[f"another_prefix_{j}" for j in range(X.shape[1])])
    with pytest.raises(ValueError, match=UNSEEN):
        models[0].partial_fit(renamed, **targets)
    with pytest.raises(ValueError, match=r"yet now missing:\n- col_3\n- col_4\n"):
        models[0].partial_fit(frame[names[:3]], **targets)


@each_estimator("names_after_array", where=_has_columns)
def test_names_after_an_array(estimator):
    """A fit without names forgets those of an earlier one and warns if names come later."""
    X, y = make_data(estimator)
    frame = pd.DataFrame(X, columns=list("abcd")[: X.shape[1]])
    model = fit(fit(fresh(estimator), frame, y), X, y)
    assert not hasattr(model, "feature_names_in_")
    for method in outputs(model, X):
        with pytest.warns(UserWarning, match="X has feature names, but"):
            getattr(model, method)(frame)


def test_table_of_expected_failures_is_alive():
    """Every entry names an estimator and a check that run, so that none is dead by a misprint."""
    theirs = {name for name in dir(sk) if name.startswith("check_")}
    tests = Path(__file__).parent.glob("test_*.py")
    ours = {
        name
        for path in tests
        for name in re.findall(r'each_estimator\(\s*"(\w+)"', path.read_text())
    }
    assert set(EXPECTED_FAILURES) <= set(classes())
    assert {check for checks in EXPECTED_FAILURES.values() for check in checks} <= theirs | ours


def test_expected_failures_are_strict():
    """A listed check that passes must fail the suite."""
    marks = [
        mark
        for params in (parametrised.args[1], each_estimator("unseen_level").args[1])
        for param in params
        for mark in getattr(param, "marks", ())
        if mark.name == "xfail"
    ]
    assert marks
    assert all(mark.kwargs["strict"] for mark in marks)
