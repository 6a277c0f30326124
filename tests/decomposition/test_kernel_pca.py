"""Kernel principal components: scikit-learn's numbers, closed forms, and iteration."""

import numpy as np
import pytest
from scipy import sparse
from sklearn import decomposition as theirs_of
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import laplacian_kernel

import gramian
from gramian._kernel import gram
from gramian.datasets import load_iris, make_circles, make_swiss_roll
from gramian.decomposition import PCA, KernelPCA, _kernel_pca
from gramian.preprocessing import StandardScaler

KERNELS = [
    {"kernel": "linear"},
    {"kernel": "rbf", "gamma": 0.3},
    {"kernel": "poly", "degree": 2, "coef0": 0.5},
    {"kernel": "poly", "degree": 2.5, "coef0": 10.0, "gamma": 0.1},
    {"kernel": "sigmoid", "gamma": 0.01},
    {"kernel": "cosine"},
    {"kernel": "laplacian"},
    {"kernel": lambda x, y: float(np.exp(-abs(x - y).max()))},
]


def rows(n=120, p=5, seed=0):
    return np.random.default_rng(seed).normal(size=(n, p)) * np.linspace(2.0, 0.5, p)


def textbook_examples():
    """Return rows and gamma of the circles, the irises and the roll of a textbook."""
    iris = StandardScaler().fit_transform(load_iris(return_X_y=True)[0])
    circles = make_circles(n_samples=400, factor=0.3, noise=0.05, random_state=32)[0]
    roll = make_swiss_roll(n_samples=1000, noise=0.2, random_state=24)[0]
    return [(circles, 15.0), (iris, 0.1), (roll, 0.02)]


@pytest.mark.parametrize(("X", "gamma"), textbook_examples())
def test_textbook_examples(X, gamma):
    ours, theirs = (
        cls(n_components=2, kernel="rbf", gamma=gamma).fit(X)
        for cls in (KernelPCA, theirs_of.KernelPCA)
    )
    np.testing.assert_allclose(ours.eigenvalues_, theirs.eigenvalues_, rtol=1e-10)
    np.testing.assert_allclose(ours.transform(X), theirs.transform(X), atol=1e-7)


@pytest.mark.parametrize("params", KERNELS)
def test_as_scikit_learn(params):
    X, new = rows(), rows(7, seed=1)
    ours = KernelPCA(3, **params).fit(X)
    if params["kernel"] == "laplacian":  # which theirs does not know
        theirs = theirs_of.KernelPCA(3, kernel="precomputed").fit(laplacian_kernel(X))
        expected = theirs.transform(laplacian_kernel(new, X))
        np.testing.assert_allclose(ours.transform(new), expected, atol=1e-8)
        return
    theirs = theirs_of.KernelPCA(3, **params).fit(X)
    np.testing.assert_allclose(ours.eigenvalues_, theirs.eigenvalues_, rtol=1e-9)
    np.testing.assert_allclose(ours.eigenvectors_, theirs.eigenvectors_, atol=1e-8)
    np.testing.assert_allclose(ours.transform(new), theirs.transform(new), atol=1e-8)
    np.testing.assert_allclose(ours.fit_transform(X), ours.transform(X), atol=1e-8)


@pytest.mark.parametrize("held_bytes", [0, 1 << 29])
@pytest.mark.parametrize("params", KERNELS[:-1])
@pytest.mark.parametrize("solver", ["arpack", "randomized"])
def test_iteration_finds_what_factors_find(solver, params, held_bytes, monkeypatch):
    monkeypatch.setattr(_kernel_pca, "_DENSE_SIDE", 10)
    monkeypatch.setattr(gram, "_HELD_BYTES", held_bytes)
    monkeypatch.setattr(gram, "_BLOCK_ENTRIES", 2000)
    X, new = rows(), rows(7, seed=1)
    exact = KernelPCA(3, eigen_solver="dense", **params).fit(X)
    found = KernelPCA(3, eigen_solver=solver, random_state=0, **params).fit(X)
    assert found.certificate_.n_iter > 0
    assert found.certificate_.converged
    np.testing.assert_allclose(found.eigenvalues_, exact.eigenvalues_, rtol=1e-9)
    np.testing.assert_allclose(found.transform(new), exact.transform(new), atol=1e-6)


def test_linear_kernel_is_pca():
    X = rows(40, 6)
    kernel, plain = KernelPCA(4).fit(X), PCA(4).fit(X)
    np.testing.assert_allclose(kernel.eigenvalues_, plain.singular_values_**2, rtol=1e-10)
    np.testing.assert_allclose(abs(kernel.transform(X)), abs(plain.transform(X)), atol=1e-9)
    assert kernel.certificate_.details["captured"] == pytest.approx(
        plain.explained_variance_ratio_.sum()
    )


def test_sparse_rows():
    X = sparse.random(80, 20, 0.2, format="csr", random_state=0)
    for params in KERNELS[:3]:
        of_sparse, of_dense = (KernelPCA(3, **params).fit(A) for A in (X, X.toarray()))
        np.testing.assert_allclose(of_sparse.eigenvalues_, of_dense.eigenvalues_, rtol=1e-9)
        np.testing.assert_allclose(
            of_sparse.transform(X), of_dense.transform(X.toarray()), atol=1e-8
        )
        np.testing.assert_allclose(of_dense.transform(X), of_sparse.transform(X), atol=1e-8)


def test_precomputed_kernel_stays_as_it_is():
    X = rows(30)
    K = X @ X.T
    given = K.copy()
    model = KernelPCA(3, kernel="precomputed").fit(K)
    np.testing.assert_array_equal(K, given)
    np.testing.assert_allclose(model.transform(K), KernelPCA(3).fit(X).transform(X), atol=1e-9)
    with pytest.raises(ValueError, match="square"):
        KernelPCA(kernel="precomputed").fit(X)


def test_inverse_transform_as_scikit_learn():
    X, new = rows(60), rows(5, seed=1)
    ours, theirs = (
        cls(4, kernel="rbf", gamma=0.2, fit_inverse_transform=True, alpha=0.01).fit(X)
        for cls in (KernelPCA, theirs_of.KernelPCA)
    )
    expected = theirs.inverse_transform(theirs.transform(new))
    np.testing.assert_allclose(ours.inverse_transform(ours.transform(new)), expected, atol=1e-7)
    with pytest.raises(ValueError, match="KernelPCA has 4"):
        ours.inverse_transform(np.ones((2, 3)))


def test_bits_do_not_depend_on_threads(monkeypatch):
    monkeypatch.setattr(gram, "_HELD_BYTES", 0)
    X, prints = rows(900), set()
    for n_threads in (1, 2, 3):
        with gramian.config_context(n_threads=n_threads):
            prints.add(gramian.fingerprint(KernelPCA(5, kernel="rbf", random_state=0).fit(X)))
    assert len(prints) == 1


def test_too_few_products_warn():
    with pytest.warns(ConvergenceWarning, match="2 products"):
        model = KernelPCA(5, kernel="rbf", max_iter=2, random_state=0).fit(rows(500))
    assert not model.certificate_.converged


def test_a_kernel_with_negative_eigenvalues_raises():
    K = np.diag([3.0, -2.0, 1.0, 0.5])
    with pytest.raises(ValueError, match="significant negative"):
        KernelPCA(4, kernel="precomputed").fit(K)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("n", "p", "order"), [(10, 5, "C"), (300, 4, "F"), (700, 60, "C")])
@pytest.mark.parametrize("n_components", [None, 2])
def test_linear_kernels_of_few_columns_follow_from_the_rows(n, p, order, dtype, n_components):
    X = np.asarray(rows(n, p, seed=p) + 3.0, dtype=dtype, order=order)
    by_rows = KernelPCA(n_components).fit(X)
    by_matrix = KernelPCA(n_components, eigen_solver="dense").fit(X)
    assert by_rows.certificate_.details["solver"] == "svd"
    assert by_matrix.certificate_.details["solver"] == "dense"
    assert by_rows.certificate_.converged
    k = n_components or min(p, n - 1)
    assert len(by_rows.eigenvalues_) == k
    tolerance = 1e-10 if dtype == np.float64 else 1e-4
    scale = float(by_matrix.eigenvalues_[0])
    np.testing.assert_allclose(
        by_rows.eigenvalues_, by_matrix.eigenvalues_[:k], atol=tolerance * scale
    )
    np.testing.assert_allclose(
        by_rows.transform(X[:5]), by_matrix.transform(X[:5])[:, :k], atol=tolerance * scale**0.5
    )
    shared = by_rows.certificate_.details["captured"], by_matrix.certificate_.details["captured"]
    assert shared[0] == pytest.approx(shared[1], rel=1e-5)


def test_linear_kernels_of_few_columns_hold_no_matrix_of_all_rows():
    X = rows(60_000, 3)  # whose kernel matrix has 27 GiB
    model = KernelPCA().fit(X)
    np.testing.assert_allclose(
        model.eigenvalues_, np.linalg.svd(X - X.mean(axis=0), compute_uv=False) ** 2, rtol=1e-10
    )
