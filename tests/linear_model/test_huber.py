"""HuberRegressor against scikit-learn, and its certificate against the gradient and the optimum."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import HuberRegressor as Reference

import gramian
from gramian.exceptions import ConvergenceWarning, InvalidParameterError
from gramian.linear_model import HuberRegressor, LinearRegression


def make(n=200, p=5, *, noise=1.0, outliers=0.1, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) + 2.0
    y = X @ rng.normal(size=p) + 3.0 + noise * rng.normal(size=n)
    wrong = rng.choice(n, int(outliers * n), replace=False)
    y[wrong] += 50.0 * rng.normal(size=len(wrong))
    return X, y, rng.uniform(0.5, 2.0, size=n)


def objective(model, X, y, weight=None):
    """Write the objective out anew, from the definition."""
    weight = np.ones(len(y)) if weight is None else weight
    residual = np.abs(y - X @ model.coef_ - model.intercept_)
    z, epsilon = residual / model.scale_, model.epsilon
    loss = np.where(z <= epsilon, z**2, 2.0 * epsilon * z - epsilon**2)
    penalty = model.alpha * (model.coef_**2).sum()
    return float((weight * model.scale_ * (1.0 + loss)).sum() + penalty)


@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("epsilon", "alpha"), [(1.35, 1e-4), (1.1, 0.0), (3.0, 10.0)])
def test_same_solution_as_scikit_learn(fit_intercept, weighted, epsilon, alpha):
    X, y, weight = make()
    weight = weight if weighted else None
    params = {"fit_intercept": fit_intercept, "epsilon": epsilon, "alpha": alpha}
    ours = HuberRegressor(**params).fit(X, y, weight)
    theirs = Reference(**params, max_iter=10_000, tol=1e-10).fit(X, y, weight)
    # scikit-learn's L-BFGS stops where its objective no longer falls, some digits earlier.
    assert_allclose(ours.coef_, theirs.coef_, rtol=2e-3, atol=1e-4)
    assert_allclose(ours.scale_, theirs.scale_, rtol=1e-3)
    assert_array_equal(ours.outliers_, theirs.outliers_)
    assert ours.certificate_.objective <= objective(theirs, X, y, weight) * (1 + 1e-13)
    assert_allclose(ours.certificate_.objective, objective(ours, X, y, weight), rtol=1e-12)
    assert ours.certificate_.converged
    assert ours.certificate_.gap < 1e-10
    assert 0 < ours.n_iter_ <= 15


@pytest.mark.parametrize(
    ("shape", "noise", "outliers", "epsilon"),
    [
        ((50, 20), 0.0, 0.1, 1.35),  # most rows fit exactly: the best scale is zero
        ((300, 6), 0.0, 0.3, 1.35),
        ((200, 5), 1.0, 0.2, 1.0),  # least absolute deviations
        ((200, 5), 1.0, 0.2, 1.0001),
        ((500, 5), 0.0, 0.0, 1.35),
        ((60, 40), 1.0, 0.2, 1.35),
        ((30, 60), 1.0, 0.2, 1.35),
    ],
)
def test_hard_problems_are_solved_and_proven(shape, noise, outliers, epsilon):
    X, y, _ = make(*shape, noise=noise, outliers=outliers)
    ours = HuberRegressor(epsilon=epsilon).fit(X, y)
    theirs = Reference(epsilon=epsilon, max_iter=10_000).fit(X, y)
    assert ours.certificate_.converged, ours.certificate_
    assert ours.certificate_.objective <= objective(theirs, X, y) * (1 + 1e-9)
    assert ours.certificate_.dual_bound <= objective(theirs, X, y) * (1 + 1e-9)


def test_bound_is_below_every_objective():
    X, y, _ = make()
    best = HuberRegressor(alpha=0.5).fit(X, y).certificate_
    for max_iter in range(4):
        with pytest.warns(ConvergenceWarning, match="Raise max_iter"):
            early = HuberRegressor(alpha=0.5, max_iter=max_iter).fit(X, y)
        assert early.n_iter_ == max_iter
        assert early.certificate_.dual_bound <= best.objective * (1 + 1e-12)
        assert early.certificate_.objective >= best.objective * (1 - 1e-12)
        assert not early.certificate_.converged


def test_weights_are_copies():
    X, y, _ = make(80)
    weight = np.random.default_rng(1).integers(0, 4, len(y))
    weighted = HuberRegressor().fit(X, y, weight)
    copies = HuberRegressor().fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    assert_allclose(weighted.coef_, copies.coef_, rtol=1e-9)
    assert_allclose(weighted.scale_, copies.scale_, rtol=1e-9)


def test_sparse_and_single_precision():
    X, y, weight = make(300, 8)
    X[X < 2.0] = 0.0
    dense = HuberRegressor().fit(X, y, weight)
    sparse = HuberRegressor().fit(sp.csr_array(X), y, weight)
    assert_allclose(sparse.coef_, dense.coef_, rtol=1e-9)
    assert_allclose(sparse.predict(sp.csr_array(X)), dense.predict(X), rtol=1e-9)
    single = HuberRegressor().fit(X.astype(np.float32), y, weight)
    assert single.coef_.dtype == np.float64
    assert_allclose(single.coef_, dense.coef_, rtol=1e-3)


def test_many_columns_take_another_solver():
    rng = np.random.default_rng(2)
    X = sp.random_array((60, 5000), density=0.01, rng=rng, format="csr")
    y = X @ rng.normal(size=5000) + rng.normal(size=60)
    model = HuberRegressor(alpha=10.0, max_iter=2000).fit(X, y)
    theirs = Reference(alpha=10.0, max_iter=2000).fit(X, y)
    assert model.certificate_.details["solver"] == "lbfgs"
    assert_allclose(model.certificate_.objective, objective(theirs, X, y), rtol=1e-7)
    assert model.certificate_.gap < 1e-6


def test_large_epsilon_is_least_squares():
    X, y, _ = make()
    model = HuberRegressor(epsilon=1e3, alpha=0.0).fit(X, y)
    assert_allclose(model.coef_, LinearRegression().fit(X, y).coef_, rtol=1e-9)
    residual = y - model.predict(X)
    assert_allclose(model.scale_, np.sqrt((residual**2).mean()), rtol=1e-9)
    assert not model.outliers_.any()


def test_scales_with_the_target():
    X, y, _ = make()
    one, other = HuberRegressor(alpha=0.0).fit(X, y), HuberRegressor(alpha=0.0).fit(X, 1e6 * y)
    assert_allclose(other.coef_, 1e6 * one.coef_, rtol=1e-9)
    assert_allclose(other.scale_, 1e6 * one.scale_, rtol=1e-9)
    assert_array_equal(one.outliers_, other.outliers_)


def test_warm_start():
    X, y, _ = make()
    model = HuberRegressor(warm_start=True).fit(X, y)
    first = model.coef_.copy()
    model.fit(X, y)
    assert model.n_iter_ == 0
    assert_array_equal(model.coef_, first)
    with pytest.raises(ValueError, match="warm_start=True, but the last fit had 5 columns"):
        model.fit(X[:, :2], y)


def test_time_limit_and_threads():
    X, y, _ = make(20_000, 10)
    with gramian.config(time_limit=1e-9):
        stopped = HuberRegressor().fit(X, y)
    assert stopped.certificate_.details["stopped"] == "time limit"
    with gramian.config(n_threads=1):
        one = gramian.fingerprint(HuberRegressor().fit(X, y))
    assert one == gramian.fingerprint(HuberRegressor().fit(X, y))


@pytest.mark.parametrize("params", [{"epsilon": 0.9}, {"alpha": -1.0}, {"max_iter": -1}])
def test_refuses(params):
    with pytest.raises(InvalidParameterError, match=next(iter(params))):
        HuberRegressor(**params).fit([[0.0], [1.0]], [0.0, 1.0])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_wide_rows_are_fitted_in_their_own_space(dtype, is_weighted):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 120)).astype(dtype)
    y = X[:, 0] + rng.normal(size=30)
    y[0] += 50.0
    weight = rng.uniform(0.5, 2.0, 30) if is_weighted else None
    params = {"alpha": 5.0, "tol": 1e-10}
    model = HuberRegressor(**params).fit(X, y, weight)
    whole = HuberRegressor(**params).fit(sp.csr_array(X), y, weight)  # in all columns
    assert_allclose(model.coef_, whole.coef_, atol=1e-5 if dtype == np.float32 else 1e-9)
    assert_allclose(model.intercept_, whole.intercept_, atol=1e-6)
    assert_allclose(model.scale_, whole.scale_, rtol=1e-6)
    assert model.certificate_.converged
    again = HuberRegressor(warm_start=True, **params).fit(X, y, weight)
    assert_allclose(again.fit(X, y, weight).coef_, again.coef_, atol=1e-9)
    assert again.n_iter_ <= model.n_iter_
