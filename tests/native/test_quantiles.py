"""Weighted quantiles of the native core against NumPy's of the copies."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gramian._quantiles import group_quantiles, weighted_quantiles

METHODS = ("inverted_cdf", "averaged_inverted_cdf", "linear")
LEVELS = np.array([0.0, 0.1, 0.25, 0.29, 0.5, 0.6, 0.75, 0.9, 1.0])

weighted_rows = st.lists(
    st.tuples(st.sampled_from([-1.5, 0.0, 0.1, 0.3, 7.0]), st.integers(0, 4)), min_size=1
).filter(lambda rows: any(weight for _, weight in rows))


@given(weighted_rows, st.sampled_from(METHODS))
def test_whole_weights_are_numpys_copies(rows, method):
    values, weight = (np.array(column, dtype=np.float64) for column in zip(*rows, strict=True))
    copies = np.repeat(values, weight.astype(int))
    expected = np.quantile(copies, LEVELS, method=method)
    found = weighted_quantiles(values, weight, LEVELS, method=method)
    np.testing.assert_allclose(found, expected, rtol=1e-15, atol=1e-16)
    unweighted = weighted_quantiles(copies, None, LEVELS, method=method)
    np.testing.assert_array_equal(unweighted, found)


def test_columns_gaps_and_nothing():
    values = np.array([[1.0, np.nan], [np.nan, np.nan], [2.0, np.nan], [4.0, 8.0]])
    found = weighted_quantiles(values, [1, 1, 1, 0], [0.5, 1.0], method="linear")
    np.testing.assert_array_equal(found, [[1.5, np.nan], [2.0, np.nan]])
    assert weighted_quantiles([3, 1], None, [0.5], method="inverted_cdf").tolist() == [1.0]


def test_groups():
    values, weight = np.arange(5.0), np.array([1.0, 1.0, 0.5, 0.25, 0.25])
    found = group_quantiles(values, weight, [0, 2, 2, 5], [0.5], method="averaged_inverted_cdf")
    np.testing.assert_array_equal(found[:, 0], [0.5, np.nan, 2.5])


@pytest.mark.parametrize(
    ("offsets", "level", "method", "match"),
    [
        ([0, 3], 0.5, "linear", "offsets must ascend"),
        ([0, 2, 1, 2], 0.5, "linear", "offsets must ascend"),
        ([1, 2], 0.5, "linear", "offsets must ascend"),
        ([0, 2], 1.5, "linear", "levels must be between"),
        ([0, 2], np.nan, "linear", "levels must be between"),
        ([0, 2], 0.5, "nearest", "method must be"),
    ],
)
def test_the_binding_refuses(offsets, level, method, match):
    with pytest.raises(ValueError, match=match):
        group_quantiles(np.zeros(2), None, offsets, [level], method=method)
