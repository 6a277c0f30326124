"""SAG and SAGA reach the optimum of ridge regression, the same way every time."""

import numpy as np
import pytest
from scipy import sparse

from gramian import config
from gramian.exceptions import ConvergenceWarning
from gramian.linear_model import Ridge

SOLVERS = ["sag", "saga"]
LAYOUTS = ["C", "F", "strided", "reversed", "csr", "csr64"]


def make_data(n=120, p=9, n_targets=None, seed=0, density=1.0):
    """Rows with an offset of their own in every column, and targets with noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) * (rng.random((n, p)) < density)
    X[X != 0] += 0.5
    shape = (p,) if n_targets is None else (p, n_targets)
    y = X @ rng.normal(size=shape) + 3.0
    return X, y + 0.1 * rng.normal(size=y.shape)


def closed_form(X, y, alpha, weight=None, fit_intercept=True):
    """Solve the normal equations of each target; returns coefficients and intercepts."""
    weight = np.ones(len(X)) if weight is None else weight
    Y = y.reshape(len(X), -1)
    mean_x, mean_y = np.zeros(X.shape[1]), np.zeros(Y.shape[1])
    if fit_intercept:
        mean_x = np.average(X, axis=0, weights=weight)
        mean_y = np.average(Y, axis=0, weights=weight)
    Z = X - mean_x
    gram, cross = Z.T @ (weight[:, None] * Z), Z.T @ (weight[:, None] * (Y - mean_y))
    penalties = np.broadcast_to(alpha, Y.shape[1])
    coef = np.column_stack(
        [
            np.linalg.solve(gram + a * np.eye(len(gram)), cross[:, c])
            for c, a in enumerate(penalties)
        ]
    )
    return coef.T.squeeze(), (mean_y - mean_x @ coef).squeeze()


def with_layout(X, layout):
    """Return the same numbers in another memory layout or as a sparse matrix."""
    if layout == "strided":
        wide = np.full((2 * X.shape[0], 3 * X.shape[1]), np.nan, dtype=X.dtype)
        wide[::2, ::3] = X
        return wide[::2, ::3]
    if layout == "reversed":
        return np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1]
    if layout.startswith("csr"):
        result = sparse.csr_array(X)
        index = np.int64 if layout == "csr64" else np.int32
        result.indices, result.indptr = result.indices.astype(index), result.indptr.astype(index)
        return result
    return np.asarray(X, order=layout)


def fitted(solver, X, y, weight=None, **params):
    """Fit to a tolerance far below what the tests ask for."""
    options = {"tol": 1e-12, "max_iter": 5000, "random_state": 0, **params}
    return Ridge(solver=solver, **options).fit(X, y, sample_weight=weight)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("alpha", [0.0, 1.0, 300.0])
def test_reaches_the_closed_form(solver, layout, fit_intercept, alpha):
    X, y = make_data(density=0.4)
    model = fitted(solver, with_layout(X, layout), y, alpha=alpha, fit_intercept=fit_intercept)
    coef, intercept = closed_form(X, y, alpha, fit_intercept=fit_intercept)
    np.testing.assert_allclose(model.coef_, coef, rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(model.intercept_, intercept, rtol=1e-8)
    assert model.certificate_.converged


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("layout", ["C", "F", "csr"])
def test_single_precision(solver, layout):
    X, y = make_data(density=0.4)
    X = X.astype(np.float32)
    model = fitted(solver, with_layout(X, layout), y, alpha=1.0)
    coef, _ = closed_form(X.astype(float), y, 1.0)
    assert model.coef_.dtype == np.float32
    np.testing.assert_allclose(model.coef_, coef, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("layout", ["C", "csr"])
def test_one_penalty_for_each_target(solver, layout):
    X, y = make_data(n_targets=3, density=0.4)
    alpha = np.array([0.1, 2.0, 50.0])
    model = fitted(solver, with_layout(X, layout), y, alpha=alpha)
    coef, intercept = closed_form(X, y, alpha)
    np.testing.assert_allclose(model.coef_, coef, rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(model.intercept_, intercept, rtol=1e-8)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("layout", ["C", "csr"])
def test_weight_is_repetition(solver, layout):
    X, y = make_data(density=0.4)
    count = np.random.default_rng(1).integers(0, 4, size=len(X))
    repeated = np.repeat(np.arange(len(X)), count)
    weighted = fitted(solver, with_layout(X, layout), y, weight=count.astype(float))
    copies = fitted(solver, with_layout(X[repeated], layout), y[repeated])
    np.testing.assert_allclose(weighted.coef_, copies.coef_, rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(weighted.intercept_, copies.intercept_, rtol=1e-8)


@pytest.mark.parametrize("solver", SOLVERS)
def test_row_without_weight_leaves_no_trace(solver):
    X, y = make_data()
    weight = np.ones(len(X))
    weight[10:40] = 0.0
    kept = weight > 0
    X_spoilt = X.copy()
    X_spoilt[10:40] *= 1e6  # would shorten every step if it counted
    weighted = fitted(solver, X_spoilt, y, weight=weight, max_iter=1000)
    removed = fitted(solver, X[kept], y[kept])
    np.testing.assert_allclose(weighted.coef_, removed.coef_, rtol=1e-8)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("scale", [1e-12, 1e12])
def test_scale_of_the_weights_is_that_of_the_penalty(solver, scale):
    X, y = make_data()
    plain = fitted(solver, X, y, alpha=2.0)
    scaled = fitted(solver, X, y, weight=np.full(len(X), scale), alpha=2.0 * scale)
    np.testing.assert_allclose(scaled.coef_, plain.coef_, rtol=1e-9)


@pytest.mark.parametrize("layout", ["C", "csr"])
@pytest.mark.parametrize("solver", SOLVERS)
def test_huge_penalty(solver, layout):
    """The l2 step then takes away nearly the whole coefficient at once."""
    X, y = make_data(density=0.4)
    for alpha in (1e6, 1e15):
        model = fitted(solver, with_layout(X, layout), y, alpha=alpha)
        coef, _ = closed_form(X, y, alpha)
        np.testing.assert_allclose(model.coef_, coef, rtol=1e-7, atol=1e-9 * np.abs(coef).max())


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("layout", ["C", "F", "csr"])
def test_same_bits_for_any_number_of_threads(solver, layout):
    X, y = make_data(n=2000, p=20, n_targets=5, density=0.3)
    data = with_layout(X, layout)
    coefs = []
    for n_threads in (1, 2, 3, 8):
        with config(n_threads=n_threads):
            coefs.append(fitted(solver, data, y, tol=1e-6).coef_.tobytes())
    assert len(set(coefs)) == 1


@pytest.mark.parametrize("solver", SOLVERS)
def test_same_bits_for_any_layout(solver):
    X, y = make_data(p=13)
    reference = fitted(solver, X, y).coef_
    for layout in ("F", "strided", "reversed"):
        assert np.array_equal(fitted(solver, with_layout(X, layout), y).coef_, reference)


@pytest.mark.parametrize("solver", SOLVERS)
def test_random_state_decides_the_path_and_not_the_end(solver):
    X, y = make_data()
    first, again, other = (fitted(solver, X, y, tol=1e-3, random_state=s) for s in (1, 1, 2))
    assert np.array_equal(first.coef_, again.coef_)
    assert not np.array_equal(first.coef_, other.coef_)
    np.testing.assert_allclose(first.coef_, other.coef_, rtol=0.02, atol=0.02)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("layout", ["C", "csr"])
def test_warns_when_stopped_early(solver, layout):
    X, y = make_data()
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        model = Ridge(solver=solver, max_iter=1, tol=1e-10).fit(with_layout(X, layout), y)
    assert model.n_iter_.tolist() == [1]


@pytest.mark.parametrize("solver", SOLVERS)
def test_time_limit_returns_what_was_reached(solver):
    X, y = make_data()
    X[:, 0] *= 1e6  # the other columns then converge slowly
    with config(time_limit=0.01):
        model = Ridge(solver=solver, alpha=0.0, tol=0.0, max_iter=10**9).fit(X, y)
    assert np.isfinite(model.coef_).all()


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("layout", ["C", "csr"])
def test_nothing_to_fit(solver, layout):
    y = np.arange(6.0)
    model = fitted(solver, with_layout(np.zeros((6, 2)), layout), y)
    assert model.coef_.tolist() == [0.0, 0.0]
    assert model.intercept_ == pytest.approx(2.5)


@pytest.mark.parametrize("solver", SOLVERS)
def test_one_row_and_one_column(solver):
    assert fitted(solver, [[3.0]], [5.0]).intercept_ == pytest.approx(5.0)
    model = fitted(solver, [[1.0], [2.0]], [1.0, 3.0], alpha=0.5, fit_intercept=False)
    assert model.coef_ == pytest.approx([7.0 / 5.5])


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("layout", ["C", "csr"])
def test_numbers_whose_squares_overflow_are_not_called_a_solution(solver, layout):
    X, y = make_data()
    too_large = pytest.raises(ValueError, match="values of X are too large for Ridge")
    with too_large, pytest.warns(ConvergenceWarning), np.errstate(all="ignore"):
        Ridge(solver=solver).fit(with_layout(X * 1e200, layout), y)
