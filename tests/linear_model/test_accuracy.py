"""Digits: against fifty-digit arithmetic and NIST's certified values."""

import mpmath
import numpy as np
import pytest
from sklearn.linear_model import LinearRegression as Reference

from gramian.linear_model import LinearRegression, Ridge

# NIST Statistical Reference Datasets, Longley (1967): y, then GNP deflator, GNP, unemployed, armed
# forces, population, year; and the certified coefficients, constant first.
LONGLEY = np.array(
    [
        [60323, 83.0, 234289, 2356, 1590, 107608, 1947],
        [61122, 88.5, 259426, 2325, 1456, 108632, 1948],
        [60171, 88.2, 258054, 3682, 1616, 109773, 1949],
        [61187, 89.5, 284599, 3351, 1650, 110929, 1950],
        [63221, 96.2, 328975, 2099, 3099, 112075, 1951],
        [63639, 98.1, 346999, 1932, 3594, 113270, 1952],
        [64989, 99.0, 365385, 1870, 3547, 115094, 1953],
        [63761, 100.0, 363112, 3578, 3350, 116219, 1954],
        [66019, 101.2, 397469, 2904, 3048, 117388, 1955],
        [67857, 104.6, 419180, 2822, 2857, 118734, 1956],
        [68169, 108.4, 442769, 2936, 2798, 120445, 1957],
        [66513, 110.8, 444546, 4681, 2637, 121950, 1958],
        [68655, 112.6, 482704, 3813, 2552, 123366, 1959],
        [69564, 114.2, 502601, 3931, 2514, 125368, 1960],
        [69331, 115.7, 518173, 4806, 2572, 127852, 1961],
        [70551, 116.9, 554894, 4007, 2827, 130081, 1962],
    ]
)
CERTIFIED = np.array(
    [
        -3482258.63459582,
        15.0618722713733,
        -0.358191792925910e-01,
        -2.02022980381683,
        -1.03322686717359,
        -0.511041056535807e-01,
        1829.15146461355,
    ]
)


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


def test_longley_to_nine_digits():
    model = LinearRegression().fit(LONGLEY[:, 1:], LONGLEY[:, 0])
    found = np.array([model.intercept_, *model.coef_])
    digits = -np.log10(np.abs(found - CERTIFIED) / np.abs(CERTIFIED))
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
        assert ours <= max(theirs, 1e-13)


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
