"""What is said of a fitted model can be said of each: on arrays and on data frames."""

import re
import warnings

import numpy as np
import pytest
from tests.contract.cases import classes
from tests.fuzz.inputs import plain_estimator

from gramian._tags import tags_of
from gramian.datasets import load_auto_mpg, load_iris
from gramian.inspection import diagnose, worked
from gramian.inspection._diagnosis.diagnose import _DIAGNOSES
from gramian.inspection._worked.worked import _CALCULATIONS

REFUSALS = re.compile(
    r"^worked: .*(too many to print|too large to read|two classes|dense rows)"
    r"|^worked shows .*(two classes|one number)"
)
"""What is too large to be worked out, or has more classes than are worked out."""


def known(dispatch):
    names = []
    for name, cls in sorted(classes().items()):
        try:
            dispatch.find(cls.__new__(cls))
        except TypeError:
            continue
        names.append(name)
    return names


def numbers(estimator):
    X, y = load_iris(return_X_y=True)
    if tags_of(estimator).estimator_type != "classifier":
        return X, X[:, 0] + 2.0 * X[:, 1]
    return (X[:100], y[:100]) if not tags_of(estimator).multi_class else (X, y)


def cars(estimator):
    X, y = load_auto_mpg(return_X_y=True)
    X, y = X.head(120), np.asarray(y)[:120]
    is_classifier = tags_of(estimator).estimator_type == "classifier"
    return X, np.where(y > 18, "high", "low") if is_classifier else y


def fitted(name, table):
    model = plain_estimator(name)
    X, y = table(model)
    if tags_of(model).multi_output and not tags_of(model).single_output:
        y = np.column_stack([y, y])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of few steps, and of one cluster
        try:
            return model.fit(X, y), X, y
        except ValueError as error:
            pytest.skip(f"does not fit: {error}")


def show(result):
    assert str(result)
    assert result._repr_html_()


@pytest.mark.parametrize("table", [numbers, cars])
@pytest.mark.parametrize("name", known(_DIAGNOSES))
def test_diagnose(name, table):
    model, X, y = fitted(name, table)
    show(diagnose(model, X, y))


@pytest.mark.parametrize("table", [numbers, cars])
@pytest.mark.parametrize("name", known(_CALCULATIONS))
def test_worked(name, table):
    model, X, y = fitted(name, table)
    try:
        try:
            calculation = worked(model, X, y)
        except ValueError as error:
            if "give a query" not in str(error):
                raise
            calculation = worked(model, X, y, query=X[:1])
    except ValueError as error:
        assert REFUSALS.search(str(error)), error
        return
    show(calculation)
    assert calculation.to_latex()


def test_models_of_a_target_need_it():
    model, X, _ = fitted("Ridge", numbers)
    with pytest.raises(TypeError, match=r"diagnose of a Ridge needs y, the target that it"):
        diagnose(model, X)
    with pytest.raises(TypeError, match=r"worked of a Ridge needs y, the target that it"):
        worked(model, X)
    model, X, _ = fitted("KMeans", cars)
    assert diagnose(model, X)["convergence"].verdict == "ok"
