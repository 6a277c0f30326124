"""Percentiles by a sort: NumPy's, bit by bit."""

import numpy as np
import pytest

from gramian._quantiles import column_percentiles, percentiles

LEVELS = [[50.0, 25.0, 75.0], [0.0, 100.0, 33.3], 100.0 * np.linspace(0.0, 1.0, 1000)]


@pytest.mark.parametrize("levels", LEVELS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [1, 2, 3, 100, 5001])
def test_percentiles_are_those_of_numpy(n, dtype, levels):
    X = np.random.default_rng(0).standard_normal((n, 3)).astype(dtype)
    X[:, 1] = np.round(X[:, 1])
    X[n // 2 + 1 :: 7, 2] = np.nan
    before = X.copy()
    found = column_percentiles(X, levels)
    np.testing.assert_array_equal(found, np.nanpercentile(X, levels, axis=0))
    np.testing.assert_array_equal(X, before)


def test_without_numbers_there_is_nan():
    assert np.isnan(percentiles(np.full(3, np.nan), [0.0, 50.0])).tolist() == [True, True]
    assert column_percentiles(np.empty((4, 0)), [0.0, 50.0]).shape == (2, 0)
