"""Which settings of logistic regression go together is as in scikit-learn."""

import itertools
import warnings

import numpy as np
import pytest
import sklearn.linear_model as reference

from gramian.linear_model import LogisticRegression

SOLVERS = ("lbfgs", "liblinear", "newton-cg", "newton-cholesky", "sag", "saga")


def outcome(model, X, y):
    """Return the type of the error that a fit raises, or None."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model.fit(X, y)
        except ValueError as error:
            return type(error)
    return None


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_impossible_combinations_raise(solver, n_classes):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((60, 3)), rng.permutation(np.arange(60) % n_classes)
    found = []
    for dual, ratio, C in itertools.product([False, True], [0, 0.5, 1], [1.0, np.inf]):
        settings = {"solver": solver, "dual": dual, "l1_ratio": ratio, "C": C, "max_iter": 1}
        ours = outcome(LogisticRegression(**settings, random_state=0), X, y)
        theirs = outcome(reference.LogisticRegression(**settings, random_state=0), X, y)
        assert (ours is None) == (theirs is None), settings
        found.append(ours)
    assert ValueError in found


def test_the_same_optimum_for_any_seed_and_for_the_dual():
    rng = np.random.default_rng(1)
    X, y = rng.standard_normal((60, 3)), np.arange(60) % 2
    plain = LogisticRegression(solver="liblinear").fit(X, y)
    other = LogisticRegression(solver="liblinear", dual=True, random_state=7).fit(X, y)
    np.testing.assert_array_equal(plain.coef_, other.coef_)
    exact = reference.LogisticRegression(solver="liblinear", dual=True, tol=1e-10, max_iter=10_000)
    np.testing.assert_allclose(other.coef_, exact.fit(X, y).coef_, rtol=1e-5)
