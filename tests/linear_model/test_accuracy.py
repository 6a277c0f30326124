"""Digits: against fifty-digit arithmetic and NIST's certified values."""

import mpmath
import numpy as np
import pytest
from sklearn.linear_model import LinearRegression as Reference

from gramian.linear_model import LinearRegression, Ridge


def exact_coefficients(X, y, alpha=0.0):
    """Solve the normal equations with fifty digits; the intercept is not penalised."""
    with mpmath.workdps(50):
        design = mpmath.matrix([[1.0, *map(float, row)] for row in X])
        gram = design.T * design
        for j in range(1, gram.rows):
            gram[j, j] += alpha
        solution = mpmath.lu_solve(gram, design.T * mpmath.matrix(list(map(float, y))))
        return np.array([float(value) for value in solution[1:]])


def relative_error(coef, exact):
    return float(np.linalg.norm(coef - exact) / np.linalg.norm(exact))


def test_longley_to_eleven_digits(longley):
    model = LinearRegression().fit(longley.X, longley.y)
    found = np.array([model.intercept_, *model.coef_])
    digits = -np.log10(np.abs(found - longley.coef) / np.abs(longley.coef))
    assert digits.min() >= 11.0


def hilbert_like(p):
    n = 3 * p
    X = 1.0 / (np.arange(n)[:, None] + np.arange(p)[None, :] + 1.0)
    return X, X.sum(axis=1) + 1e-3 * np.cos(np.arange(n))


@pytest.mark.parametrize("p", range(3, 12))
def test_hilbert_matrix_no_worse_than_scikit_learn(p):
    X, y = hilbert_like(p)
    exact = exact_coefficients(X, y)
    ours = relative_error(LinearRegression().fit(X, y).coef_, exact)
    for tol in (1e-6, 1e-16):  # scikit-learn's default drops small singular values
        theirs = relative_error(Reference(tol=tol).fit(X, y).coef_, exact)
        # Ours has the same digits everywhere; theirs are LAPACK's, which differ by processor.
        assert ours <= max(4.0 * theirs, 1e-13)


@pytest.mark.parametrize("alpha", [1e-12, 1e-6, 1e-2])
@pytest.mark.parametrize("solver", ["auto", "svd"])
def test_ridge_on_a_hilbert_matrix(alpha, solver):
    X, y = hilbert_like(8)
    exact = exact_coefficients(X, y, alpha)
    assert relative_error(Ridge(alpha, solver=solver).fit(X, y).coef_, exact) < 1e-10


@pytest.mark.parametrize(("n", "p"), [(60, 5), (300, 20)])
def test_duplicated_columns_no_worse_than_scikit_learn(n, p):
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, p))
    y = X.sum(axis=1) + rng.normal(size=n)
    single = exact_coefficients(X, y)
    shared = np.concatenate([single[:2] / 2, single[2:], single[:2] / 2])
    doubled = np.column_stack([X, X[:, :2]])
    ours = relative_error(LinearRegression().fit(doubled, y).coef_, shared)
    theirs = relative_error(Reference().fit(doubled, y).coef_, shared)
    assert ours <= max(theirs, 5e-16)


def test_well_conditioned_data_within_1e_10():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 50))
    y = X @ rng.normal(size=50) + rng.normal(size=2000)
    theirs = Reference().fit(X, y).coef_
    assert relative_error(LinearRegression().fit(X, y).coef_, theirs) < 1e-13
