"""Leading eigenpairs of operators with spectra that are hard to find."""

import numpy as np
import pytest

from gramian._spectral.lanczos import leading_pairs


def operator(values, seed=0):
    """Return a symmetric matrix with these eigenvalues."""
    rng = np.random.default_rng(seed)
    Q = np.linalg.qr(rng.normal(size=(len(values), len(values))))[0]
    return (Q * values) @ Q.T


def found_in(values, k, **options):
    A = operator(values)
    start = np.random.default_rng(1).normal(size=(len(A), 8))
    found = leading_pairs(lambda V: A @ V, start, k, **options)
    residual = np.linalg.norm(A @ found.vectors - found.vectors * found.values, axis=0)
    return found, residual


SPECTRA = {
    "graded": np.geomspace(1.0, 1e-12, 300),
    "copies": np.r_[np.full(5, 2.0), np.linspace(1.0, 0.0, 295)],
    "many copies": np.r_[np.ones(20), np.zeros(280)],
    "low rank": np.r_[5.0, 4.0, 3.0, np.zeros(297)],
    "crowded": np.r_[np.linspace(1.01, 1.0, 12), np.linspace(0.9, 0.0, 288)],
    "both signs": np.linspace(1.0, -2.0, 300),
}


@pytest.mark.parametrize("name", SPECTRA)
def test_spectra(name):
    values = SPECTRA[name]
    found, residual = found_in(values, 10)
    assert found.converged
    np.testing.assert_allclose(found.values, np.sort(values)[::-1][:10], atol=1e-12)
    assert residual.max() <= 1e-10 * np.abs(values).max()
    np.testing.assert_allclose(found.vectors.T @ found.vectors, np.eye(10), atol=1e-12)


def test_by_size():
    found, _ = found_in(np.r_[3.0, 1.0, np.linspace(0.5, 0.0, 297), -2.0], 2, by_size=True)
    np.testing.assert_allclose(found.values, [3.0, -2.0], atol=1e-12)


def test_the_end_of_iteration_is_told():
    found, residual = found_in(np.linspace(1.0, 0.0, 300), 10, max_iter=3)
    assert not found.converged
    assert found.n_iter == 3
    np.testing.assert_allclose(found.residuals, residual, atol=1e-12)
