"""Mercer's condition: kernels hold, others fall with a witness."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from gramian.metrics.pairwise import (
    MercerCheck,
    is_mercer_kernel,
    laplacian_kernel,
    pairwise_kernels,
    sigmoid_kernel,
)


def rows(n=60, p=4, seed=0):
    return np.random.default_rng(seed).normal(size=(n, p))


@pytest.mark.parametrize(
    ("kernel", "params"),
    [
        ("rbf", {"gamma": 0.5}),
        ("rbf", {"gamma": 1e-4}),
        ("laplacian", {}),
        ("poly", {"degree": 3, "coef0": 1.0}),
        ("polynomial", {"degree": 2, "coef0": 0.0}),
        ("linear", {}),
        ("cosine", {}),
        ("chi2", {}),
    ],
)
@pytest.mark.parametrize("offset", [0.0, 1e4])
def test_kernels_are_true(kernel, params, offset):
    X = rows() + offset if kernel != "chi2" else np.abs(rows()) + offset
    check = is_mercer_kernel(kernel, X, **params)
    assert check
    assert check.is_mercer is True
    assert check.asymmetry == 0.0
    assert is_mercer_kernel(pairwise_kernels(X, metric=kernel, **params))


def test_sigmoid_is_false_with_a_witness():
    X = rows()
    check = is_mercer_kernel("sigmoid", X, gamma=1.0, coef0=-1.0)
    assert isinstance(check, MercerCheck)
    assert not check
    gram = sigmoid_kernel(X, gamma=1.0, coef0=-1.0)
    c = check.vector
    assert c @ gram @ c == pytest.approx(check.smallest_eigenvalue, rel=1e-9)
    assert check.smallest_eigenvalue < -0.1
    assert np.linalg.norm(c) == pytest.approx(1.0)
    assert check.smallest_eigenvalue == pytest.approx(np.linalg.eigvalsh(gram)[0])
    assert not is_mercer_kernel("additive_chi2", np.abs(X))


def test_functions_of_sets_and_of_two_rows():
    X = rows(12, 12)  # as many columns as rows: a product of sets is a square matrix, too
    gram = np.tanh(X @ X.T - 1.0)
    for function in (
        lambda A, B: np.tanh(A @ B.T - 1.0),
        lambda x, z: np.tanh(x @ z - 1.0),
        lambda x, z: float(np.tanh((x * z).sum() - 1.0)),
    ):
        check = is_mercer_kernel(function, X)
        assert not check
        assert check.smallest_eigenvalue == pytest.approx(np.linalg.eigvalsh(gram)[0])
    assert is_mercer_kernel(laplacian_kernel, X, gamma=0.3)
    assert is_mercer_kernel(laplacian_kernel, sp.csr_array(X))
    assert is_mercer_kernel(lambda x, z: x @ z + 1.0, X[:1])


def test_asymmetry_is_told():
    gram = np.eye(3)
    gram[0, 2] += 1e-3
    check = is_mercer_kernel(gram)
    assert not check
    assert check.asymmetry == pytest.approx(1e-3)
    assert check.smallest_eigenvalue > 0.99
    assert is_mercer_kernel(gram, tol=1e-2)
    assert not is_mercer_kernel(lambda x, z: x[0] - z[0] + 5.0, rows())


@pytest.mark.parametrize("scale", [1e-320, 1e-300, 1.0, 1e300])
def test_any_scale(scale):
    good, bad = np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([[1.0, 2.0], [2.0, 1.0]])
    assert is_mercer_kernel(scale * good)
    check = is_mercer_kernel(scale * bad)
    assert not check
    assert_allclose(check.smallest_eigenvalue, -scale, rtol=1e-2)
    assert is_mercer_kernel(np.zeros((3, 3)))
    assert is_mercer_kernel([[0.0]])
    assert not is_mercer_kernel([[-scale]])


def test_rounding_of_the_type_is_allowed():
    X = rows(200, 2)
    gram = pairwise_kernels(X, metric="rbf", gamma=1e-3)
    assert is_mercer_kernel(gram.astype(np.float32))
    assert not is_mercer_kernel(gram.astype(np.float32).astype(np.float64))
    assert is_mercer_kernel("rbf", X.astype(np.float32), gamma=1e-3)


def test_what_is_wrong_is_named():
    X = rows(5)
    with pytest.raises(ValueError, match="needs the rows X"):
        is_mercer_kernel("rbf")
    with pytest.raises(ValueError, match="'K' parameter of is_mercer_kernel"):
        is_mercer_kernel("gauss", X)
    with pytest.raises(ValueError, match="takes X where K is a kernel, but K is a matrix"):
        is_mercer_kernel(np.eye(5), X)
    with pytest.raises(ValueError, match="takes gamma where K is a kernel"):
        is_mercer_kernel(np.eye(5), gamma=2.0)
    with pytest.raises(ValueError, match="square matrix"):
        is_mercer_kernel(X)
    with pytest.raises(ValueError, match="NaN"):
        is_mercer_kernel(np.full((2, 2), np.nan))
    with pytest.raises(ValueError, match="NaN"):
        is_mercer_kernel(lambda A, B: np.full((len(A), len(B)), np.nan), X)
    with pytest.raises(ValueError, match="'tol' parameter"):
        is_mercer_kernel(np.eye(2), tol=-1.0)
