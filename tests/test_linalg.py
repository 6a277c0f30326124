"""Factors of small matrices: the bits of SciPy's functions, without the time around them."""

import numpy as np
import pytest
from scipy import linalg

from gramian import _linalg

SHAPES = [(1, 1), (3, 7), (7, 3), (40, 40), (130, 33), (33, 130)]


@pytest.fixture(autouse=True)
def one_thread():
    with _linalg.single_threaded_blas():
        yield


def assert_same(found, expected):
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("shape", SHAPES)
def test_factors_are_those_of_scipy(shape, order):
    A = np.random.default_rng(0).standard_normal(shape).copy(order=order)
    before = A.copy()
    assert_same(_linalg.svd(A), linalg.svd(A, full_matrices=False))
    assert_same(_linalg.qr(A), linalg.qr(A, mode="economic"))
    assert_same(_linalg.eigh(A @ A.T), linalg.eigh(A @ A.T, driver="evd"))
    np.testing.assert_array_equal(A, before)
    assert_same(_linalg.qr(A.copy(order=order), overwrite=True), linalg.qr(A, mode="economic"))
    triangle = _linalg.qr_triangle(A.copy(order=order))
    np.testing.assert_array_equal(triangle, linalg.qr(A, mode="r")[0][: shape[1]])


def test_matrices_without_entries():
    none = np.empty((0, 3))
    assert [part.shape for part in _linalg.svd(none)] == [(0, 0), (0,), (0, 3)]
    assert [part.shape for part in _linalg.qr(none)] == [(0, 0), (0, 3)]
    assert _linalg.qr_triangle(none).shape == (0, 3)


def test_what_does_not_converge_is_named():
    with pytest.raises(ValueError, match="dgesdd"):
        _linalg.svd(np.full((3, 3), np.nan))
