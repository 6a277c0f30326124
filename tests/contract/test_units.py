"""X, y and weights times powers of two: the answer scales as it should, or the fit refuses.

A coming model takes part by being registered; `tests.contract.units` says which laws hold for it.
"""

import re
import warnings

import numpy as np
import pytest
from tests.contract.cases import (
    ARGUMENTS,
    assert_finite,
    classes,
    fit,
    fresh,
    is_ranker,
    make_data,
    outputs,
    reads_features,
    takes_rows,
    takes_weight,
)
from tests.contract.units import ALONG, OTHER_IN_WEIGHT, OTHER_IN_X, OTHER_IN_Y, ROUGH

from gramian.base import clone

EXPONENTS = (-900, -500, -160, 160, 500, 900)
FEW = (-160, 160)
NAMES = re.compile(
    r"\b(X|y|[Ll]abel|sample_weight|weights|[Cc]olumns?|[Ii]nput data|constant predictions)\b"
)
"""What a refusal names: the argument, what it was read as, or what an estimator made of it."""


def instance(name):
    return classes()[name](**clone(ARGUMENTS.get(name, {}), safe=False))


def weights_for(X):
    return np.random.default_rng(1).uniform(0.5, 1.5, len(X))


def answers(model, X, y, weight=None):
    """Return what a copy of a model says of its training rows, or the sentence of its refusal."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return outputs(fit(fresh(model), X, y, weight), X)
        except ValueError as error:
            assert NAMES.search(str(error)), error
            return str(error)


def in_units(role, exponent, X, y, weight):
    """Return the arguments with one of them times a power of two."""
    given = {"X": X, "y": y, "w": weight}
    given[role] = np.ldexp(given[role], exponent)
    return given["X"], given["y"], given["w"]


def assert_scaled(found, expected, role, exponent, rtol=1e-6):
    """Assert that answers are the same, but for the unit of y or of transformed columns."""
    for method, values in expected.items():
        other = found[method]
        if values.dtype.kind != "f":
            np.testing.assert_array_equal(other, values, err_msg=method)
            continue
        size = float(np.abs(values).max())
        is_of_rows = method in ("transform", "kneighbors")
        is_columns = role != "w" and is_of_rows and not _close(other, values, size)
        if is_columns or (role == "y" and method == "predict"):
            other = np.ldexp(other, -exponent)
        np.testing.assert_allclose(other, values, rtol=rtol, atol=rtol * size, err_msg=method)


def _close(found, values, size):
    return found.shape == values.shape and np.allclose(found, values, rtol=1e-6, atol=1e-6 * size)


def check(name, role, others):
    model = instance(name)
    X, y = make_data(model, n_samples=40)
    weight = weights_for(X) if role == "w" else None
    expected = answers(model, X, y, weight)
    for exponent in EXPONENTS:
        found = answers(model, *in_units(role, exponent, X, y, weight))
        if isinstance(found, str):
            continue
        assert_finite(found)
        if name not in others:
            assert_scaled(found, expected, role, exponent, ROUGH.get(name, 1e-6))


def names(where):
    return [name for name in classes() if where(instance(name))]


def is_regressor(model):
    return model._tags().estimator_type == "regressor"


@pytest.mark.parametrize("name", names(lambda model: reads_features(model) and takes_rows(model)))
def test_columns(name):
    check(name, "X", OTHER_IN_X)


@pytest.mark.parametrize("name", names(is_regressor))
def test_targets(name):
    check(name, "y", OTHER_IN_Y)


@pytest.mark.parametrize(
    "name", names(lambda model: takes_weight(model) and not is_ranker(model) and takes_rows(model))
)
def test_weights(name):
    check(name, "w", OTHER_IN_WEIGHT)


@pytest.mark.parametrize(("name", "role"), ALONG, ids=str)
def test_with_the_penalty_in_the_same_units(name, role):
    """A penalised model is right in any unit if its penalty is in it, too."""
    model = instance(name)
    X, y = make_data(model, n_samples=41)  # an odd number has one median
    weight = weights_for(X) if role == "w" else None
    expected = answers(model, X, y, weight)
    for exponent in FEW:
        along = {
            param: float(np.ldexp(getattr(model, param), power * exponent))
            for param, power in ALONG[name, role].items()
        }
        scaled = clone(model).set_params(**along)
        found = answers(scaled, *in_units(role, exponent, X, y, weight))
        assert not isinstance(found, str), found
        assert_scaled(found, expected, role, exponent)


def test_the_tables_name_estimators():
    known = classes().keys()
    for table in (OTHER_IN_X, OTHER_IN_Y, OTHER_IN_WEIGHT):
        assert table.keys() <= known
    assert {name for name, _ in ALONG} <= known
