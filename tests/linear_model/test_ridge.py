"""Ridge against scikit-learn and the closed form, for every solver."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn.linear_model import Ridge as Reference

import gramian
from gramian.exceptions import InvalidParameterError
from gramian.linear_model import LinearRegression, Ridge

EXACT = ["auto", "cholesky", "svd"]
ITERATIVE = ["lsqr", "sparse_cg"]


def make(n=200, p=8, t=None, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) + 2.0
    Y = X @ rng.normal(size=(p, t or 1)) + rng.normal(size=(n, t or 1))
    return X, Y if t else Y[:, 0], rng.uniform(0.5, 2.0, size=n)


@pytest.mark.parametrize("solver", EXACT)
@pytest.mark.parametrize("shape", [(200, 8), (10, 50), (5000, 3)])
@pytest.mark.parametrize("alpha", [1e-3, 1.0, 1e4])
@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_same_solution_as_scikit_learn(solver, shape, alpha, fit_intercept, weighted):
    X, y, weight = make(*shape)
    weight = weight if weighted else None
    ours = Ridge(alpha, solver=solver, fit_intercept=fit_intercept).fit(X, y, weight)
    theirs = Reference(alpha, solver="svd", fit_intercept=fit_intercept).fit(X, y, weight)
    assert_allclose(ours.coef_, theirs.coef_, rtol=1e-9, atol=1e-12)
    assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-9, atol=1e-11)
    assert ours.certificate_.converged
    assert ours.certificate_.gap < 1e-12


@pytest.mark.parametrize("solver", ITERATIVE)
def test_iterative_solvers_reach_the_same_optimum(solver):
    X, Y, weight = make(t=2)
    ours = Ridge(0.5, solver=solver, tol=1e-12).fit(X, Y, weight)
    assert_allclose(ours.coef_, Ridge(0.5).fit(X, Y, weight).coef_, rtol=1e-7)
    assert ours.solver_ == solver


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_conjugate_gradients_of_any_scale(container):
    """Squares of the data may overflow or vanish; powers of two change no digit."""
    X, y, weight = make()
    model = Ridge(0.5, solver="sparse_cg").fit(container(X), y, weight)
    for exponent in (-500, 500):
        size = 2.0**exponent
        scaled = Ridge(0.5, solver="sparse_cg").fit(container(X), size * y, weight)
        assert_allclose(scaled.coef_ / size, model.coef_, rtol=1e-15)
    for exponent in (-300, 500):
        size = 2.0**exponent
        scaled = Ridge(0.5 * size * size, solver="sparse_cg").fit(container(size * X), y, weight)
        assert_allclose(scaled.coef_ * size, model.coef_, rtol=1e-15)


def test_one_penalty_for_each_target():
    X, Y, weight = make(t=3)
    alpha = np.array([0.1, 10.0, 0.1])
    model = Ridge(alpha).fit(X, Y, weight)
    for c in range(3):
        assert_allclose(model.coef_[c], Ridge(alpha[c]).fit(X, Y[:, c], weight).coef_, rtol=1e-10)
    with pytest.raises(ValueError, match="do not correspond: 2 != 3"):
        Ridge([1.0, 2.0]).fit(X, Y)
    with pytest.raises(ValueError, match="alpha must be >= 0"):
        Ridge([1.0, -2.0, 1.0]).fit(X, Y)


@pytest.mark.parametrize("solver", ["auto", "cholesky", "lsqr", "sparse_cg"])
def test_sparse_equals_dense(solver):
    rng = np.random.default_rng(1)
    X = sp.random_array((300, 20), density=0.2, rng=rng, format="csr")
    y = X @ rng.normal(size=20) + 3.0
    sparse = Ridge(0.3, solver=solver, tol=1e-12).fit(X, y)
    assert_allclose(sparse.coef_, Ridge(0.3).fit(X.toarray(), y).coef_, rtol=1e-7)


def test_many_sparse_columns_take_the_iterative_solver():
    rng = np.random.default_rng(2)
    X = sp.random_array((200, 4000), density=0.01, rng=rng, format="csr")
    y = rng.normal(size=200)
    model = Ridge(1.0, tol=1e-10).fit(X, y)
    assert model.solver_ == "sparse_cg"
    assert_allclose(model.coef_, Ridge(1.0).fit(X.toarray(), y).coef_, atol=1e-8)


def test_svd_refuses_sparse_data():
    with pytest.raises(ValueError, match="sparse"):
        Ridge(solver="svd").fit(sp.csr_array(np.eye(3)), [1.0, 2.0, 3.0])


def test_positive():
    X, Y, weight = make(t=2, seed=3)
    exact = Ridge(2.0, positive=True).fit(X, Y, weight)
    numeric = Ridge(2.0, positive=True, solver="lbfgs", tol=1e-12).fit(X, Y, weight)
    theirs = Reference(2.0, positive=True, tol=1e-12).fit(X, Y, weight)
    assert (exact.coef_ >= 0).all()
    assert (exact.coef_ == 0).any()
    assert_allclose(numeric.coef_, exact.coef_, atol=1e-5)
    assert_allclose(theirs.coef_, exact.coef_, atol=1e-4)
    sparse = Ridge(2.0, positive=True, tol=1e-12).fit(sp.csr_array(X), Y, weight)
    assert sparse.solver_ == "lbfgs"
    assert_allclose(sparse.coef_, exact.coef_, atol=1e-5)
    assert exact.certificate_.objective <= numeric.certificate_.objective * (1 + 1e-12)


def test_gap_bounds_the_true_excess():
    """For an inexact solution the proven bound lies below the optimum."""
    X, y, _ = make(seed=4)
    optimum = Ridge(1.0).fit(X, y).certificate_.objective
    for max_iter in (1, 2, 4):
        with pytest.warns(UserWarning, match="sparse_cg solver did not converge"):
            rough = Ridge(1.0, solver="sparse_cg", tol=1e-14, max_iter=max_iter).fit(X, y)
        certificate = rough.certificate_
        assert certificate.dual_bound <= optimum <= certificate.objective
    assert not certificate.converged


def test_shapes_are_those_of_scikit_learn():
    X, Y, _ = make(t=2)
    for y in (Y[:, 0], Y[:, :1], Y):
        ours, theirs = Ridge().fit(X, y), Reference().fit(X, y)
        assert ours.coef_.shape == theirs.coef_.shape
        assert np.shape(ours.intercept_) == np.shape(theirs.intercept_)
        assert ours.predict(X).shape == theirs.predict(X).shape


@pytest.mark.parametrize("solver", ["lsqr", "sparse_cg", "sag", "lbfgs"])
def test_a_time_limit_ends_the_fit_with_what_there_is(solver):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(3000, 200)) * np.geomspace(1, 1e4, 200)
    y = X @ rng.normal(size=200)
    model = Ridge(1e-8, solver=solver, positive=solver == "lbfgs", tol=1e-15, max_iter=10**6)
    with gramian.config(time_limit=0.05):
        model.fit(X, y)
    assert model.certificate_.details["stopped"] == "time limit"
    assert "stopped by the time limit" in str(model.certificate_)
    assert np.isfinite(model.coef_).all()


def test_no_penalty_is_least_squares():
    X, y, weight = make()
    assert_allclose(
        Ridge(0.0).fit(X, y, weight).coef_, LinearRegression().fit(X, y, weight).coef_, rtol=1e-12
    )


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"alpha": -1.0}, "'alpha' parameter of Ridge must be a float in the range"),
        ({"solver": "magic"}, "'solver' parameter of Ridge must be a str among"),
        ({"max_iter": 0}, "'max_iter' parameter of Ridge must be an int in the range"),
        ({"fit_intercept": "yes"}, "'fit_intercept' parameter of Ridge must be a bool"),
        ({"random_state": -1}, "'random_state' parameter of Ridge must be an int"),
    ],
)
def test_bad_parameters_are_named_at_fit(params, message):
    model = Ridge(**params)
    with pytest.raises(InvalidParameterError, match=message):
        model.fit([[1.0], [2.0]], [1.0, 2.0])


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"solver": "lbfgs"}, "only when positive=True"),
        ({"solver": "svd", "positive": True}, "does not support positive fitting"),
    ],
)
def test_solvers_that_contradict_positive(params, message):
    with pytest.raises(ValueError, match=message):
        Ridge(**params).fit([[1.0], [2.0]], [1.0, 2.0])


def test_summary_is_refused_with_a_reason():
    X, y, _ = make()
    with pytest.raises(ValueError, match="penal"):
        Ridge().fit(X, y).summary(X, y)
