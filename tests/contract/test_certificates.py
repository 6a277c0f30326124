"""Certificates claim nothing that is not a number, and nothing that does not exist."""

import math
import warnings

import numpy as np
import pytest
from tests.contract.cases import ARGUMENTS, classes, fit, fresh, make_data, takes_rows

from gramian.base import clone
from gramian.certificate import Certificate
from gramian.exceptions import ConvergenceWarning
from gramian.linear_model import (
    ElasticNet,
    LogisticRegression,
    PoissonRegressor,
    QuantileRegressor,
    Ridge,
    TweedieRegressor,
)


def fitted(name, exponent=0):
    """Return a model of some class with its targets, or else its columns, times a power of two."""
    model = classes()[name](**clone(ARGUMENTS.get(name, {}), safe=False))
    X, y = make_data(model, n_samples=40)
    if y is not None and y.dtype.kind == "f":
        y = np.ldexp(y, exponent)
    else:
        X = np.ldexp(X, exponent)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return fit(fresh(model), X, y)


def certified():
    """Return the names of the classes whose models have a certificate."""
    names = [name for name, cls in classes().items() if takes_rows(cls.__new__(cls))]
    return [name for name in names if hasattr(fitted(name), "certificate_")]


def figures_of(certificate):
    return certificate.objective, certificate.optimality, certificate.gap


@pytest.mark.parametrize("figures", [(math.nan, 0.0), (1.0, math.nan), (math.inf, 0.0)])
def test_no_figure_that_is_no_number_is_proven(figures):
    certificate = Certificate(*figures, True, "optimal within nan")
    assert not certificate.converged
    assert str(certificate).startswith("not proven optimal") and "nan" not in str(certificate)
    assert not Certificate(1.0, 0.0, True, "optimal", gap=math.nan).converged


@pytest.mark.parametrize("exponent", [-500, 0, 500, 900])
def test_all_models_with_certificates(exponent):
    names = certified()
    assert len(names) >= 15
    for name in names:
        try:
            certificate = fitted(name, exponent).certificate_
        except ValueError:
            continue  # refused, which `test_units` looks at
        is_finite = all(x is None or math.isfinite(x) for x in figures_of(certificate))
        assert is_finite or not certificate.converged, name
        assert "nan" not in certificate.statement.split(), name


def test_quantiles_of_the_largest_numbers():
    """The objective said to be "optimal within nan"."""
    X = np.random.default_rng(0).standard_normal((40, 2))
    y = np.where(X[:, 0] > 0, 1.5e308, -1.5e308)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        with pytest.raises(ValueError, match="values of y are too large"):
            QuantileRegressor().fit(X, y)


@pytest.mark.parametrize("model", [PoissonRegressor(), TweedieRegressor(power=1.5, alpha=0.1)])
def test_no_finite_optimum_of_zeros(model):
    X = np.random.default_rng(0).standard_normal((40, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        certificate = model.fit(X, np.zeros(40)).certificate_
    assert str(certificate).startswith("no finite optimum: all values of y are 0")
    assert certificate.details["optimum"] == "none"


@pytest.mark.parametrize("cuts", [[0.0], [-1.0, 1.0]])
def test_no_finite_optimum_of_separable_classes(cuts):
    X = np.random.default_rng(0).standard_normal((60, 2))
    score = X @ [1.0, 2.0]
    y = np.digitize(score, cuts)
    with pytest.warns(ConvergenceWarning, match="classes are separated"):
        free = LogisticRegression(C=np.inf).fit(X, y)
    assert str(free.certificate_).startswith("no finite optimum: the classes can be separated")
    assert str(LogisticRegression().fit(X, y).certificate_).startswith("optimal within")
    y[np.argmin(np.abs(score))] += 1  # one row on the other side
    y[np.argsort(score)[[5, -5]]] = y[np.argsort(score)[[-5, 5]]]
    mixed = LogisticRegression(C=np.inf).fit(X, np.minimum(y, len(cuts)))
    assert str(mixed.certificate_).startswith("optimal within")


def test_a_loose_tolerance_makes_nothing_optimal():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 5)) @ rng.standard_normal((5, 5))
    y = X[:, 0] + rng.standard_normal(60)
    for model in (Ridge(solver="lsqr", tol=0.9), LogisticRegression(tol=0.9)):
        target = (y > 0).astype(int) if isinstance(model, LogisticRegression) else y
        statement = str(model.fit(X, target).certificate_)
        assert statement.startswith(f"as good as tol={model.tol:g} asks for:"), statement
    loose = ElasticNet(alpha=1e-3, tol=0.9).fit(X, y).certificate_
    tight = loose.optimality <= 0.01
    assert str(loose).startswith("optimal" if tight else "as good as tol=0.9 asks for")
