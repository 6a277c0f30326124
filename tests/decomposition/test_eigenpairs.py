"""Eigenpairs of graded and clustered spectra against arithmetic of 50 digits.

Reference and residuals belong to the matrix of doubles as it is, so that the rounding of its
entries spoils neither.
"""

import mpmath
import numpy as np
import pytest

from gramian._linalg import eigh
from gramian._spectral.lanczos import leading_pairs

N, K = 28, 8
SPECTRA = {
    "graded": np.geomspace(1.0, 1e-12, N),
    "five alike": np.r_[np.full(5, 2.0), np.geomspace(1.0, 1e-12, N - 5)],
    "five alike within": np.r_[4.0, 3.0, np.full(5, 2.0), np.geomspace(1.0, 1e-12, N - 7)],
}


def _matrix(values):
    Q = np.linalg.qr(np.random.default_rng(3).normal(size=(N, N)))[0]
    A = (Q * values) @ Q.T
    return 0.5 * (A + A.T)


def _whole(A):
    values, vectors = eigh(A)
    return values[::-1][:K], vectors[:, ::-1][:, :K]


def _largest(A):
    values, vectors = eigh(A, K)
    return values[::-1], vectors[:, ::-1]


def _iterated(A):
    start = np.random.default_rng(1).normal(size=(N, 5))
    found = leading_pairs(lambda V: A @ V, start, K, tol=1e-13)
    return found.values, found.vectors


@pytest.fixture(scope="module", params=list(SPECTRA))
def known(request):
    """Return a matrix, and its eigenvalues, descending, and eigenvectors to 50 digits."""
    A = _matrix(SPECTRA[request.param])
    with mpmath.workdps(50):
        exact = mpmath.matrix(A.tolist())
        values, vectors = mpmath.eigsy(exact)
        return A, exact, list(values)[::-1], [vectors[:, N - 1 - k] for k in range(N)]


@pytest.mark.parametrize("solve", [_whole, _largest, _iterated])
def test_pairs_to_fifty_digits(known, solve):
    A, exact, values, vectors = known
    found, V = solve(A)
    largest = float(values[0])
    with mpmath.workdps(50):
        columns = mpmath.matrix(V.tolist())
        image = exact * columns
        for k in range(K):
            assert abs(float(values[k]) - found[k]) <= 1e-14 * largest
            left = [image[i, k] - mpmath.mpf(found[k]) * columns[i, k] for i in range(N)]
            assert float(mpmath.norm(left)) <= 1e-12 * largest
        along = mpmath.matrix(N, K)
        for i in range(N):
            for j in range(K):
                along[i, j] = mpmath.fdot(vectors[i], columns[:, j])
    # Spaces, not vectors, are determined: those between two gaps, to the error over the gap.
    spectrum = np.array([float(value) for value in values])
    for k in range(1, K + 1):
        gap = spectrum[k - 1] - spectrum[k]
        if gap < 1e-6 * largest:
            continue
        outside = [along[i, j] for i in range(k, N) for j in range(k)]
        assert float(mpmath.norm(outside)) <= 1e-12 * largest / gap
