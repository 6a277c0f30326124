"""QuantileRegressor against scikit-learn, closed forms, and what its certificate proves."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn.linear_model import QuantileRegressor as Reference

import gramian
from gramian.exceptions import ConvergenceWarning, InvalidParameterError
from gramian.linear_model import QuantileRegressor


def make(n=203, p=5, seed=0, kind="continuous"):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) + 1.0
    y = X @ rng.normal(size=p) + rng.standard_t(2, size=n)
    if kind == "ties":
        X, y = np.round(X), np.round(y)
    if kind == "classes":
        y = rng.integers(0, 3, n).astype(float)
    return X, y, rng.integers(0, 4, n).astype(float)


def objective(model, X, y, weight=None):
    residual = y - X @ model.coef_ - model.intercept_
    loss = np.maximum(model.quantile * residual, (model.quantile - 1.0) * residual)
    return np.average(loss, weights=weight) + model.alpha * np.abs(model.coef_).sum()


@pytest.mark.parametrize("kind", ["continuous", "ties", "classes"])
@pytest.mark.parametrize(("quantile", "alpha"), [(0.5, 0.0), (0.1, 0.02), (0.9, 0.2)])
@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_as_good_as_scikit_learn(kind, quantile, alpha, fit_intercept, weighted):
    X, y, weight = make(kind=kind)
    weight = weight if weighted else None
    params = {"quantile": quantile, "alpha": alpha, "fit_intercept": fit_intercept}
    ours = QuantileRegressor(**params).fit(X, y, weight)
    theirs = Reference(**params).fit(X, y, weight)
    assert objective(ours, X, y, weight) <= objective(theirs, X, y, weight) * (1 + 1e-11)
    assert_allclose(ours.certificate_.objective, objective(ours, X, y, weight), rtol=1e-12)
    assert ours.certificate_.dual_bound <= objective(theirs, X, y, weight) * (1 + 1e-11)
    assert ours.certificate_.gap < 1e-9
    if kind == "continuous":  # the optimum is unique
        assert_allclose(ours.coef_, theirs.coef_, rtol=1e-9, atol=1e-9)
        assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-9, atol=1e-9)


def test_ends_at_a_vertex():
    X, y, _ = make(500, 4)
    model = QuantileRegressor(alpha=0.0).fit(X, y)
    residual = np.sort(np.abs(y - model.predict(X)))
    assert (residual[:5] < 1e-12).all()  # as many rows as unknowns are met
    assert residual[5] > 1e-8
    penalised = QuantileRegressor(alpha=0.3).fit(X, y)
    assert (penalised.coef_ == 0.0).any()


@pytest.mark.parametrize("quantile", [0.1, 0.5, 0.75])
def test_constant_column_gives_the_empirical_quantile(quantile):
    y = np.random.default_rng(0).normal(size=101)
    model = QuantileRegressor(quantile=quantile, alpha=1.0).fit(np.zeros((101, 1)), y)
    assert model.coef_ == 0.0
    assert_allclose(model.intercept_, np.quantile(y, quantile), rtol=0, atol=1e-12 + 0.1)
    assert (y < model.intercept_).mean() <= quantile <= (y <= model.intercept_).mean()


def test_more_columns_than_rows():
    X, y, _ = make(30, 60)
    ours, theirs = QuantileRegressor(alpha=0.05).fit(X, y), Reference(alpha=0.05).fit(X, y)
    assert_allclose(objective(ours, X, y), objective(theirs, X, y), rtol=1e-9)
    assert ours.certificate_.gap < 1e-9


def test_weights_are_copies():
    X, y, weight = make()
    weighted = QuantileRegressor(alpha=0.01).fit(X, y, weight)
    repeat = weight.astype(int)
    copies = QuantileRegressor(alpha=0.01).fit(np.repeat(X, repeat, axis=0), np.repeat(y, repeat))
    assert_allclose(weighted.coef_, copies.coef_, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("fit_intercept", [False, True])
def test_sparse_equals_dense(fit_intercept):
    X, y, _ = make(300, 8)
    X[X < 1.0] = 0.0
    model = QuantileRegressor(alpha=0.01, fit_intercept=fit_intercept)
    dense = model.fit(X, y).coef_
    assert_allclose(model.fit(sp.csr_array(X), y).coef_, dense, rtol=1e-9, atol=1e-10)
    assert_allclose(model.fit(sp.csc_array(X), y).coef_, dense, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("solver", ["highs", "highs-ds", "highs-ipm"])
def test_named_solvers(solver):
    X, y, _ = make(60, 3)
    model = QuantileRegressor(alpha=0.01, solver=solver).fit(X, y)
    assert_allclose(model.coef_, QuantileRegressor(alpha=0.01).fit(X, y).coef_, atol=1e-7)
    assert model.certificate_.details["solver"] == solver
    assert model.certificate_.gap < 1e-7


def test_solver_options_go_to_highs():
    X, y, _ = make()
    with pytest.warns(ConvergenceWarning, match="did not succeed"):
        model = QuantileRegressor(solver_options={"maxiter": 1}).fit(X, y)
    assert model.certificate_.details["solver"] == "highs"


def test_refusals():
    X, y, _ = make(20, 2)
    with pytest.raises(ValueError, match="not anymore available in SciPy"):
        QuantileRegressor(solver="interior-point").fit(X, y)
    with pytest.raises(ValueError, match="does not support sparse X"):
        QuantileRegressor(solver="revised simplex").fit(sp.csr_array(X), y)
    for params in ({"quantile": 0.0}, {"quantile": 1.0}, {"alpha": -1.0}, {"solver": "blah"}):
        with pytest.raises(InvalidParameterError, match=next(iter(params))):
            QuantileRegressor(**params).fit(X, y)
    with pytest.raises(InvalidParameterError, match="solver_options"):
        QuantileRegressor(solver_options=3).fit(X, y)


def test_exact_fit_and_constant_target():
    X, _, _ = make(40, 3)
    exact = X @ np.array([1.0, -2.0, 3.0]) + 4.0
    model = QuantileRegressor(alpha=0.0, quantile=0.3).fit(X, exact)
    assert_allclose(model.coef_, [1.0, -2.0, 3.0], rtol=1e-9)
    assert model.certificate_.converged
    constant = QuantileRegressor().fit(X, np.full(40, 7.0))
    assert_allclose(constant.predict(X), 7.0, rtol=1e-12)


def test_equivariance():
    X, y, _ = make(101, 3)
    model = QuantileRegressor(alpha=0.0, quantile=0.2).fit(X, y)
    scaled = QuantileRegressor(alpha=0.0, quantile=0.2).fit(X, 1e5 * y + 3.0)
    assert_allclose(scaled.coef_, 1e5 * model.coef_, rtol=1e-8)
    mirrored = QuantileRegressor(alpha=0.0, quantile=0.8).fit(X, -y)
    assert_allclose(mirrored.coef_, -model.coef_, rtol=1e-8)


def test_time_limit_and_threads():
    X, y, _ = make(20_000, 10)
    with gramian.config(time_limit=1e-9):
        stopped = QuantileRegressor(alpha=0.01).fit(X, y)
    assert stopped.certificate_.details["stopped"] == "time limit"
    with gramian.config(n_threads=1):
        one = gramian.fingerprint(QuantileRegressor(alpha=0.01).fit(X, y))
    assert one == gramian.fingerprint(QuantileRegressor(alpha=0.01).fit(X, y))
