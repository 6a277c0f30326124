"""Principal components: the numbers of a textbook, scikit-learn's, and closed forms."""

import numpy as np
import pytest
from scipy import sparse
from sklearn import decomposition as theirs_of
from sklearn.exceptions import ConvergenceWarning

import gramian
from gramian.datasets import load_iris
from gramian.decomposition import PCA
from gramian.preprocessing import StandardScaler

LINE = np.array(
    [
        [2.5, 2.4],
        [0.5, 0.7],
        [2.2, 2.9],
        [1.9, 2.2],
        [3.1, 3.0],
        [2.3, 2.7],
        [2.0, 1.6],
        [1.0, 1.1],
        [1.5, 1.6],
        [1.1, 0.9],
    ]
)


def spread(shape, seed=0):
    """Return rows whose variances are well apart."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=shape) * np.geomspace(8.0, 0.5, shape[1]) + 3.0


def test_textbook_line():
    model = PCA(n_components=1).fit(LINE)
    np.testing.assert_allclose(model.components_, [[0.6778734, 0.73517866]], atol=5e-9)
    np.testing.assert_allclose(model.explained_variance_ratio_, [0.96318131], atol=5e-9)


def test_textbook_iris():
    X = StandardScaler().fit_transform(load_iris(return_X_y=True)[0])
    expected = [2.93808505, 0.9201649, 0.14774182, 0.02085386]
    np.testing.assert_allclose(PCA().fit(X).explained_variance_, expected, atol=5e-9)
    raw = PCA().fit(load_iris(return_X_y=True)[0])
    expected = [4.22824171, 0.24267075, 0.0782095, 0.02383509]
    np.testing.assert_allclose(raw.explained_variance_, expected, atol=5e-9)


@pytest.mark.parametrize("shape", [(60, 7), (7, 60), (300, 12), (12, 12)])
@pytest.mark.parametrize("whiten", [False, True])
def test_as_scikit_learn(shape, whiten):
    X = spread(shape)
    ours, theirs = (cls(4, whiten=whiten).fit(X) for cls in (PCA, theirs_of.PCA))
    for name in ("components_", "explained_variance_", "explained_variance_ratio_", "mean_"):
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), atol=1e-10)
    np.testing.assert_allclose(ours.noise_variance_, theirs.noise_variance_, rtol=1e-10)
    Z = ours.transform(X)
    np.testing.assert_allclose(Z, theirs.transform(X), atol=1e-10)
    np.testing.assert_allclose(ours.inverse_transform(Z), theirs.inverse_transform(Z), atol=1e-10)
    if not whiten:
        np.testing.assert_allclose(ours.score_samples(X), theirs.score_samples(X), rtol=1e-8)
        np.testing.assert_allclose(ours.get_precision(), theirs.get_precision(), atol=1e-8)


def test_small_singular_values_keep_their_digits():
    rng = np.random.default_rng(1)
    U = np.linalg.qr(rng.normal(size=(80, 6)) - 0.0)[0]
    U -= U.mean(axis=0)
    U = np.linalg.qr(U)[0]
    V = np.linalg.qr(rng.normal(size=(6, 6)))[0]
    s = np.array([1.0, 1e-2, 1e-5, 1e-8, 1e-10, 1e-11])
    for X in (U * s @ V.T, V * s @ U.T - (V * s @ U.T).mean(axis=0)):
        values = PCA().fit(X).singular_values_
        expected = np.linalg.svd(X - X.mean(axis=0), compute_uv=False)
        np.testing.assert_allclose(values[:5], expected[:5], atol=1e-15)


def test_sparse_rows_are_centred():
    X = sparse.random(200, 30, 0.1, format="csr", random_state=0)
    ours, dense = PCA(3).fit(X), PCA(3).fit(X.toarray())
    np.testing.assert_allclose(ours.components_, dense.components_, atol=1e-10)
    np.testing.assert_allclose(ours.transform(X), dense.transform(X.toarray()), atol=1e-10)


@pytest.mark.parametrize("solver", ["arpack", "randomized"])
def test_iteration_finds_the_leading_components(solver, monkeypatch):
    monkeypatch.setattr("gramian.decomposition._pca._EXACT_SIDE", 10)
    X = spread((300, 120))
    exact = PCA(3, svd_solver="full").fit(X)
    found = PCA(3, svd_solver=solver, random_state=0).fit(X)
    assert found.certificate_.n_iter > 0
    assert found.certificate_.converged
    np.testing.assert_allclose(found.explained_variance_, exact.explained_variance_, rtol=1e-9)
    np.testing.assert_allclose(found.noise_variance_, exact.noise_variance_, rtol=1e-9)


def test_bits_do_not_depend_on_threads():
    X = spread((5000, 40))
    prints = set()
    for n_threads in (1, 2, 3):
        with gramian.config_context(n_threads=n_threads):
            prints.add(gramian.fingerprint(PCA(5).fit(X)))
    assert len(prints) == 1


def test_certificate():
    certificate = PCA(2).fit(LINE).certificate_
    assert certificate.converged
    assert certificate.optimality < 1e-14
    assert certificate.details["captured"] == pytest.approx(1.0)


@pytest.mark.parametrize("shape", [(6, 40), (30, 300), (40, 41)])
@pytest.mark.parametrize("n_components", [None, 3])
@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_wide_rows_agree_with_the_svd(shape, n_components, offset):
    X = np.random.default_rng(5).normal(size=shape)
    model = PCA(n_components=n_components).fit(X + offset)
    _, s, Vt = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    k = model.n_components_
    np.testing.assert_allclose(model.singular_values_, s[:k], atol=1e-8)
    np.testing.assert_allclose(model.components_ @ model.components_.T, np.eye(k), atol=1e-12)
    # the last of all directions has no variance, so that any complement will do
    known = min(k, shape[0] - 1)
    agreement = np.abs((model.components_[:known] * Vt[:known]).sum(axis=1))
    np.testing.assert_allclose(agreement, 1.0, atol=1e-8)


def test_wide_rows_of_low_rank_have_orthonormal_components():
    X = np.zeros((5, 9))
    X[0, 0], X[1, 0] = 1.0, -1.0
    model = PCA().fit(X)
    np.testing.assert_allclose(model.components_ @ model.components_.T, np.eye(5), atol=1e-12)
    np.testing.assert_allclose(model.singular_values_[1:], 0.0, atol=1e-7)


@pytest.mark.parametrize("solver", ["arpack", "randomized"])
def test_components_that_have_not_converged_warn(solver, monkeypatch):
    monkeypatch.setattr("gramian.decomposition._pca._EXACT_SIDE", 10)
    monkeypatch.setattr("gramian._spectral.spectrum._MAX_ITER", 1)
    X = np.random.default_rng(0).normal(size=(300, 120))
    with pytest.warns(ConvergenceWarning, match="not converged in 1 steps"):
        model = PCA(3, svd_solver=solver, random_state=0).fit(X)
    assert not model.certificate_.converged


def test_variances_beyond_single_precision_are_refused():
    X = np.random.default_rng(0).normal(size=(40, 3)).astype(np.float32) * np.float32(1e38)
    with pytest.raises(ValueError, match="too large for float32"):
        PCA().fit(X)
    assert np.isfinite(PCA().fit(X.astype(np.float64)).explained_variance_).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
def test_coordinates_of_a_row_are_the_same_in_any_company(dtype, order):
    rng = np.random.default_rng(0)
    for p, k in [(3, 2), (9, 9), (40, 17), (77, 77), (130, 3)]:
        X = np.asarray(rng.normal(size=(150, p)), dtype=dtype, order=order)
        model = PCA(k).fit(X)
        found = model.transform(X)
        wanted = (X.astype(np.float64) - model.mean_) @ model.components_.astype(np.float64).T
        np.testing.assert_allclose(found, wanted, atol=1e-4 if dtype == np.float32 else 1e-12)
        for rows in (slice(3, 4), slice(7, 40), slice(149, None)):
            np.testing.assert_array_equal(model.transform(X[rows]), found[rows])
