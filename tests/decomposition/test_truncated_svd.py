"""Truncated singular value decomposition against LAPACK's and scikit-learn's."""

import numpy as np
import pytest
from scipy import sparse
from sklearn import decomposition as theirs_of

import gramian
from gramian._spectral import singular
from gramian.decomposition import TruncatedSVD, randomized_svd


def spread(shape, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=shape) * np.geomspace(8.0, 0.5, shape[1]) + 0.5


@pytest.fixture(params=[True, False], ids=["iterated", "whole"])
def iterates(request, monkeypatch):
    if request.param:
        monkeypatch.setattr(singular, "_EXACT_SIDE", 10)
    return request.param


@pytest.mark.parametrize("shape", [(400, 120), (120, 400)])
@pytest.mark.parametrize("algorithm", ["arpack", "randomized"])
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_matrix])
def test_triplets_are_lapacks(shape, algorithm, container, iterates):
    X = spread(shape)
    model = TruncatedSVD(5, algorithm=algorithm, random_state=0).fit(container(X))
    assert (model.certificate_.n_iter > 0) == iterates
    assert model.certificate_.converged
    _, s, Vt = np.linalg.svd(X, full_matrices=False)
    np.testing.assert_allclose(model.singular_values_, s[:5], rtol=1e-10)
    agreement = np.abs((model.components_ * Vt[:5]).sum(axis=1))
    np.testing.assert_allclose(agreement, 1.0, atol=1e-8)


def test_as_scikit_learn():
    X = spread((90, 30))
    ours, theirs = (
        cls(4, algorithm="arpack").fit(X) for cls in (TruncatedSVD, theirs_of.TruncatedSVD)
    )
    names = ("components_", "explained_variance_", "explained_variance_ratio_", "singular_values_")
    for name in names:
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), atol=1e-10)
    Z = ours.transform(X)
    np.testing.assert_allclose(Z, theirs.transform(X), atol=1e-10)
    np.testing.assert_allclose(ours.inverse_transform(Z), theirs.inverse_transform(Z), atol=1e-10)


def test_bits_do_not_depend_on_threads(monkeypatch):
    monkeypatch.setattr(singular, "_EXACT_SIDE", 10)
    X, prints = spread((5000, 150)), set()
    for n_threads in (1, 2, 3):
        with gramian.config_context(n_threads=n_threads):
            prints.add(gramian.fingerprint(TruncatedSVD(5, random_state=0).fit(X)))
    assert len(prints) == 1


def test_flat_spectra_are_found_too(iterates):
    X = np.random.default_rng(0).normal(size=(600, 200))
    U, s, Vh = randomized_svd(X, 5, random_state=0)
    np.testing.assert_allclose(s, np.linalg.svd(X, compute_uv=False)[:5], rtol=1e-9)
    np.testing.assert_allclose(U.T @ X, s[:, None] * Vh, atol=1e-4)
    assert (U[np.abs(U).argmax(axis=0), np.arange(5)] > 0).all()


def test_bad_numbers_of_components():
    X = spread((20, 6))
    with pytest.raises(ValueError, match=r"n_components\(7\) must be <= n_features\(6\)"):
        TruncatedSVD(7).fit(X)
    with pytest.raises(ValueError, match="less than min"):
        TruncatedSVD(6, algorithm="arpack").fit(X)
