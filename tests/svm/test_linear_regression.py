"""Linear support vector regression against scikit-learn's, its definition and certificate."""

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.svm
from numpy.testing import assert_allclose

import gramian
from gramian.datasets import make_regression
from gramian.exceptions import ConvergenceWarning
from gramian.svm import SVR, LinearSVR

PRECISE = {"tol": 1e-9, "max_iter": 100_000, "random_state": 0}
SQUARED = "squared_epsilon_insensitive"
WAYS = [
    ({}, "interior-point"),
    ({"epsilon": 0.3}, "interior-point"),
    ({"epsilon": 0.3, "dual": True}, "dual-coordinate-descent"),
    ({"loss": SQUARED, "epsilon": 0.3}, "newton"),
    ({"loss": SQUARED, "dual": True}, "dual-coordinate-descent"),
]


def targets(n=150, seed=0):
    X, y = make_regression(n, 5, noise=5.0, random_state=seed)
    return X, y / y.std() + 0.5


def objective(model, X, y, price):
    """The objective, from its definition."""
    w, b = model.coef_, float(np.sum(model.intercept_)) / model.intercept_scaling
    errors = np.abs(y - X @ w - b * model.intercept_scaling)
    excess = np.maximum(errors - model.epsilon, 0.0)
    losses = excess**2 if model.loss == SQUARED else excess
    return (w @ w + b * b) / 2 + (price * losses).sum()


@pytest.mark.parametrize(("params", "way"), WAYS)
@pytest.mark.parametrize("as_matrix", [np.asarray, sp.csr_array])
def test_the_optimum_is_that_of_scikit_learn(params, way, as_matrix):
    X, y = targets()
    weight = np.random.default_rng(0).integers(0, 3, len(y)).astype(float)
    params = {"C": 0.5, "intercept_scaling": 2.0, **params}
    ours = LinearSVR(**params, **PRECISE).fit(as_matrix(X), y, weight)
    theirs = sklearn.svm.LinearSVR(**params, tol=1e-10, max_iter=1_000_000, random_state=0)
    theirs.fit(X, y, sample_weight=weight)
    assert ours.certificate_.details["solver"] == way
    assert_allclose(ours.coef_, theirs.coef_, atol=2e-4)
    assert_allclose(ours.intercept_, theirs.intercept_, atol=2e-4)
    assert ours.intercept_.shape == theirs.intercept_.shape == (1,)
    assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-3)


@pytest.mark.parametrize(("params", "way"), WAYS)
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_certificates_hold(params, way, fit_intercept):
    X, y = targets(300)
    weight = np.random.default_rng(0).uniform(0.1, 3.0, len(y))
    for tol in (1e-2, 1e-6):
        model = LinearSVR(
            C=0.3, fit_intercept=fit_intercept, tol=tol, max_iter=10_000, random_state=0, **params
        ).fit(X, y, weight)
        found = model.certificate_
        assert_allclose(found.objective, objective(model, X, y, 0.3 * weight), rtol=1e-12)
        assert found.converged
        assert 0.0 <= found.gap <= tol
        best = LinearSVR(
            C=0.3, fit_intercept=fit_intercept, loss=model.loss, epsilon=model.epsilon, tol=1e-10
        ).fit(X, y, weight)
        assert found.dual_bound <= best.certificate_.objective * (1.0 + 1e-12)
        assert best.certificate_.objective <= found.objective * (1.0 + 1e-10)


def test_it_is_the_limit_of_svr_without_penalty_of_the_intercept():
    X, y = targets(200)
    linear = LinearSVR(epsilon=0.1, intercept_scaling=1e3, **PRECISE).fit(X, y)
    kernel = SVR(kernel="linear", epsilon=0.1, tol=1e-8).fit(X, y)
    assert_allclose(linear.coef_, kernel.coef_[0], atol=1e-3)
    assert_allclose(linear.intercept_, kernel.intercept_, atol=1e-3)


def test_zero_width_tube_without_penalty_is_the_median():
    X, y = targets(101)
    model = LinearSVR(C=1e6, intercept_scaling=1e3, tol=1e-8).fit(X, y)
    median = gramian.linear_model.QuantileRegressor(alpha=0.0).fit(X, y)
    assert_allclose(model.coef_, median.coef_, atol=1e-4)


@pytest.mark.parametrize("params", [params for params, _ in WAYS])
def test_the_bits_do_not_depend_on_threads(params):
    X, y = targets(3000)
    prints = set()
    for n_threads in (1, 2, 3):
        with gramian.config(n_threads=n_threads):
            model = LinearSVR(**params, random_state=0, max_iter=50_000, tol=1e-3)
            prints.add(gramian.fingerprint(model.fit(X, y)))
    assert len(prints) == 1


def test_errors_and_warnings():
    X, y = targets(50)
    with pytest.raises(ValueError, match="is not supported when dual=False"):
        LinearSVR(dual=False).fit(X, y)
    with pytest.raises(ValueError, match="epsilon"):
        LinearSVR(epsilon=-0.1).fit(X, y)
    for params, _ in WAYS:
        with pytest.warns(ConvergenceWarning, match="increase the number of iterations"):
            LinearSVR(**params, max_iter=1, tol=1e-9, random_state=0).fit(X, y)


def test_targets_within_the_tube_cost_nothing():
    X, y = targets(30)
    model = LinearSVR(epsilon=100.0).fit(X, y)
    assert model.certificate_.converged
    assert model.certificate_.objective == 0.0
    assert (model.coef_ == 0.0).all()


@pytest.mark.parametrize("as_matrix", [np.asarray, sp.csr_array])
def test_columns_of_zeros_leave_the_intercept(as_matrix):
    X, y = as_matrix(np.zeros((11, 3))), np.arange(11.0)
    model = LinearSVR(C=1e3, tol=1e-8).fit(X, y)
    assert (model.coef_ == 0.0).all()
    assert_allclose(model.intercept_, 5.0, atol=1e-6)


@pytest.mark.parametrize("loss", ["epsilon_insensitive", SQUARED])
@pytest.mark.parametrize("scale", [1e-3, 1e4])
@pytest.mark.parametrize("shape", [(10, 30), (60, 121), (60, 400)])
def test_more_columns_than_rows_of_any_scale(loss, scale, shape):
    rng = np.random.default_rng(0)
    X, y = scale * rng.standard_normal(shape), rng.standard_normal(shape[0])
    model = LinearSVR(loss=loss, C=10.0).fit(X, y)
    assert model.certificate_.converged
    assert model.certificate_.gap <= 1e-4
