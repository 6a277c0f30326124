"""Non-negative factorizations, against scikit-learn, definitions and properties."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import nnls

from gramian import _core
from gramian.config import config_context, core_context
from gramian.decomposition import NMF, MiniBatchNMF, non_negative_factorization
from gramian.decomposition._nmf_data import Data
from gramian.decomposition._nmf_steps import Penalty, projected_gradient

theirs = pytest.importorskip("sklearn.decomposition")
pytestmark = pytest.mark.filterwarnings("ignore:Maximum number of iterations")

BETAS = [-0.5, 0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0]


def make_parts(rng, n=60, p=25, k=4, noise=0.1):
    W, H = rng.gamma(0.5, size=(n, k)), rng.gamma(0.5, size=(k, p))
    return np.abs(W @ H + noise * rng.normal(size=(n, p)))


def objective(X, W, H, alpha_W=0.0, alpha_H=0.0, l1_ratio=0.0):
    n, p = X.shape
    penalty = p * alpha_W * (l1_ratio * W.sum() + (1 - l1_ratio) / 2 * (W**2).sum())
    penalty += n * alpha_H * (l1_ratio * H.sum() + (1 - l1_ratio) / 2 * (H**2).sum())
    return 0.5 * ((X - W @ H) ** 2).sum() + penalty


def divergence(X, Y, beta):
    if beta == 1.0:
        logs = np.where(X > 0.0, X * np.log(np.maximum(X, 1e-300) / Y), 0.0)
        return (logs - X + Y).sum()
    if beta == 0.0:
        return (X / Y - np.log(X / Y) - 1.0).sum()
    power = (X**beta + (beta - 1.0) * Y**beta - beta * X * Y ** (beta - 1.0)).sum()
    return power / (beta * (beta - 1.0))


@pytest.mark.parametrize("init", [None, "nndsvd", "nndsvdar", "random"])
@pytest.mark.parametrize(
    "options", [{}, {"alpha_W": 1e-3}, {"alpha_W": 1e-3, "alpha_H": 2e-3, "l1_ratio": 0.7}]
)
def test_objective_not_above_scikit_learn(init, options, global_random_seed):
    X = make_parts(np.random.default_rng(global_random_seed))
    settings = {"init": init, "random_state": 0, "max_iter": 1000, "tol": 1e-5, **options}
    model, expected = NMF(4, **settings), theirs.NMF(4, **settings)
    W, V = model.fit_transform(X), expected.fit_transform(X)
    weights = {"alpha_H": options.get("alpha_W", 0.0), **options}
    found = objective(X, W, model.components_, **weights)
    assert found <= objective(X, V, expected.components_, **weights) * (1.0 + 1e-3)
    np.testing.assert_allclose(model.certificate_.objective, found, rtol=1e-9)
    assert (W >= 0.0).all()
    assert (model.components_ >= 0.0).all()
    assert model.certificate_.optimality < 1e-2
    np.testing.assert_allclose(model.reconstruction_err_, np.linalg.norm(X - W @ model.components_))


@pytest.mark.parametrize("beta", BETAS)
def test_multiplicative_updates_are_scikit_learns(beta):
    X = make_parts(np.random.default_rng(1)) + 0.1
    rng = np.random.default_rng(2)
    W, H = rng.random((60, 4)) + 0.1, rng.random((4, 25)) + 0.1
    options = {"init": "custom", "solver": "mu", "beta_loss": beta, "max_iter": 20, "tol": 0.0}
    options |= {"alpha_W": 1e-3, "l1_ratio": 0.5}
    model, expected = NMF(4, **options), theirs.NMF(4, **options)
    found = model.fit_transform(X, W=W.copy(), H=H.copy())
    right = expected.fit_transform(X, W=W.copy(), H=H.copy())
    np.testing.assert_allclose(found, right, rtol=1e-7)
    np.testing.assert_allclose(model.components_, expected.components_, rtol=1e-7)
    np.testing.assert_allclose(model.reconstruction_err_, expected.reconstruction_err_, rtol=1e-9)


@pytest.mark.parametrize("beta", BETAS)
def test_divergence_and_terms(beta):
    """Of shapes that fill no vector, block or tile."""
    rng = np.random.default_rng(3)
    for n, p, k in [(1, 1, 1), (33, 9, 3), (70, 300, 5), (1100, 13, 2)]:
        X = rng.random((n, p)) + 0.1
        W, H = rng.random((n, k)) + 0.1, rng.random((k, p)) + 0.1
        for given in (X, X.astype(np.float32), np.asfortranarray(X), X[:, ::-1]):
            data, exact = Data(given), given.astype(np.float64)
            Y = W @ H
            np.testing.assert_allclose(
                data.divergence(W, H, beta), divergence(exact, Y, beta), rtol=1e-9
            )
            R, S = exact * Y ** (beta - 2.0), Y ** (beta - 1.0)
            numerator, denominator = data.row_terms(W, H, beta)
            np.testing.assert_allclose(numerator, R @ H.T, rtol=1e-9)
            np.testing.assert_allclose(np.broadcast_to(denominator, W.shape), S @ H.T, rtol=1e-9)
            numerator, denominator = data.column_terms(W, H, beta)
            np.testing.assert_allclose(numerator, W.T @ R, rtol=1e-9)
            np.testing.assert_allclose(np.broadcast_to(denominator, H.shape), W.T @ S, rtol=1e-9)


@pytest.mark.parametrize("beta", [0.5, 1.0, 1.5, 2.0])
def test_sparse_rows_are_dense_rows(beta):
    rng = np.random.default_rng(4)
    X = make_parts(rng) * (rng.random((60, 25)) < 0.3)
    solver = "cd" if beta == 2.0 else "mu"
    options = {"solver": solver, "beta_loss": beta, "random_state": 0, "max_iter": 30}
    dense, compressed = NMF(4, **options), NMF(4, **options)
    W = dense.fit_transform(X)
    for form in (sparse.csr_array, sparse.csc_matrix):
        np.testing.assert_allclose(compressed.fit_transform(form(X)), W, rtol=1e-6, atol=1e-9)
        np.testing.assert_allclose(compressed.components_, dense.components_, rtol=1e-6, atol=1e-9)
        errors = compressed.reconstruction_err_, dense.reconstruction_err_
        np.testing.assert_allclose(*errors, rtol=1e-7)
        np.testing.assert_allclose(
            compressed.transform(form(X)), dense.transform(X), rtol=1e-5, atol=1e-8
        )


def test_each_iteration_lowers_the_objective():
    X = make_parts(np.random.default_rng(5), noise=0.5)
    values = []
    for max_iter in range(1, 60):
        model = NMF(4, init="random", random_state=0, tol=0.0, max_iter=max_iter).fit(X)
        values.append(model.certificate_.objective)
    assert (np.diff(values) <= 1e-12 * values[0]).all()


def test_coefficients_are_non_negative_least_squares():
    rng = np.random.default_rng(6)
    X = make_parts(rng)
    model = NMF(4, random_state=0, tol=1e-10, max_iter=2000).fit(X)
    rows = rng.random((10, 25))
    expected = [nnls(model.components_.T, row)[0] for row in rows]
    np.testing.assert_allclose(model.transform(rows), expected, atol=1e-7)
    np.testing.assert_allclose(model.inverse_transform(expected), expected @ model.components_)


def test_sweeps_reach_the_minimum():
    rng = np.random.default_rng(7)
    for n, k in [(1, 1), (31, 3), (300, 7)]:
        A, b = rng.normal(size=(20, k)), rng.normal(size=(n, 20))
        factor = rng.random((n, k))
        arguments = (A.T @ A, b @ A, np.arange(k)[::-1].astype(np.int64).copy())
        _core.nmf_sweeps(*arguments, n_sweeps=10_000, shrink=0.0, factor=factor, ctx=core_context())
        expected = [nnls(A, row)[0] for row in b]
        np.testing.assert_allclose(factor, expected, atol=1e-9)


def test_certificate_sees_what_is_no_optimum():
    X = make_parts(np.random.default_rng(8))
    W, H, _ = non_negative_factorization(
        X, n_components=4, tol=1e-10, max_iter=20_000, random_state=0
    )
    none = Penalty(0.0, 0.0, 0.0, 0.0)
    assert projected_gradient(Data(X), W, H, 2.0, none, True) < 1e-6
    W[0, 0] += 0.1
    assert projected_gradient(Data(X), W, H, 2.0, none, True) > 1e-4


@pytest.mark.parametrize("shuffle", [False, True])
def test_same_bits_for_any_number_of_threads(shuffle):
    X = make_parts(np.random.default_rng(9), n=1500, p=40)
    found = []
    for n_threads in (1, 3):
        with config_context(n_threads=n_threads):
            for options in (
                {"shuffle": shuffle},
                {"solver": "mu", "beta_loss": "kullback-leibler", "max_iter": 15},
            ):
                model = NMF(4, random_state=0, **options)
                found.append((model.fit_transform(X).tobytes(), model.components_.tobytes()))
    assert found[:2] == found[2:]


def test_shuffled_coordinates_take_another_way():
    X = make_parts(np.random.default_rng(10))
    plain, shuffled = (
        NMF(4, init="random", random_state=0, shuffle=flag, max_iter=5).fit(X).components_
        for flag in (False, True)
    )
    assert np.abs(plain - shuffled).max() > 1e-6


def test_one_batch_of_all_rows_is_multiplicative_updates():
    X = make_parts(np.random.default_rng(11)) + 0.1
    for beta in (0.0, 1.0, 2.0, 2.5):
        common = {"n_components": 4, "beta_loss": beta, "random_state": 0, "tol": 0.0}
        batch = MiniBatchNMF(max_no_improvement=None, batch_size=60, forget_factor=0.0, **common)
        whole = NMF(solver="mu", **common)
        np.testing.assert_allclose(batch.fit_transform(X), whole.fit_transform(X), rtol=1e-6)


def test_batches_are_scikit_learns():
    X = make_parts(np.random.default_rng(12), n=200)
    rng = np.random.default_rng(13)
    W, H = rng.random((200, 4)) + 0.1, rng.random((4, 25)) + 0.1
    for options in ({}, {"fresh_restarts": True}, {"beta_loss": 1.0, "alpha_W": 1e-4}):
        options = {"init": "custom", "batch_size": 32, "max_iter": 5, **options}
        model, expected = MiniBatchNMF(4, **options), theirs.MiniBatchNMF(4, **options)
        found = model.fit_transform(X, W=W.copy(), H=H.copy())
        right = expected.fit_transform(X, W=W.copy(), H=H.copy())
        assert (model.n_steps_, model.n_iter_) == (expected.n_steps_, expected.n_iter_)
        np.testing.assert_allclose(found, right, rtol=1e-6)
        np.testing.assert_allclose(model.transform(X), expected.transform(X), rtol=1e-6)


def test_rows_that_arrive_later():
    X = make_parts(np.random.default_rng(14), n=300)
    model = MiniBatchNMF(4, init="random", random_state=0, beta_loss=1.0)
    errors = []
    for _ in range(10):
        for begin in range(0, 300, 100):
            model.partial_fit(X[begin : begin + 100])
        errors.append(np.linalg.norm(X - model.transform(X) @ model.components_))
    assert model.n_steps_ == 30
    assert errors[-1] < 0.7 * errors[0]


def test_refusals():
    X = make_parts(np.random.default_rng(15))
    with pytest.raises(ValueError, match="Negative values in data passed to NMF"):
        NMF(2).fit(-X)
    with pytest.raises(ValueError, match=r"n_components <= min\(n_samples, n_features\): 30 .* 25"):
        NMF(30, init="nndsvd").fit(X)
    with pytest.raises(ValueError, match=r"solver 'cd' does not handle beta_loss = 1\.0"):
        NMF(2, beta_loss=1.0).fit(X)
    with pytest.raises(ValueError, match="X contains zeros"):
        NMF(2, solver="mu", beta_loss=0.0).fit(X * (X > 0.5))
    with pytest.raises(ValueError, match="is None; init='custom' needs both"):
        NMF(2, init="custom").fit(X)
    with pytest.raises(ValueError, match="W has 3 columns, but H has 2 rows"):
        NMF(init="custom").fit(X, W=np.ones((60, 3)), H=np.ones((2, 25)))


def test_nothing_but_zeros():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = NMF(2).fit(np.zeros((5, 4)))
    np.testing.assert_array_equal(model.components_, 0.0)
    assert model.reconstruction_err_ == 0.0
