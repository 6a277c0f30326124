"""Separation is found exactly when the likelihood has no maximum."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from gramian.diagnostics import check_separation

CASES = {  # one column as in the figures of Albert and Anderson (1984)
    "complete": ([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [0, 0, 0, 1, 1, 1]),
    "quasi-complete": ([1.0, 2.0, 3.0, 3.0, 4.0, 5.0], [0, 0, 0, 1, 1, 1]),
    "none": ([1.0, 2.0, 4.0, 3.0, 5.0, 6.0], [0, 0, 0, 1, 1, 1]),
}


@pytest.mark.parametrize("kind", list(CASES))
@pytest.mark.parametrize("scale", [1.0, 1e-6, 1e8])
def test_three_kinds(kind, scale):
    x, y = CASES[kind]
    found = check_separation(np.array(x)[:, None] * scale + 5.0 * scale, y)
    assert found.kind == kind
    assert bool(found) == (kind != "none")
    assert found.columns == (() if kind == "none" else ("x0",))


def test_direction_separates():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 6)) * [1.0, 10.0, 0.1, 1.0, 1.0, 1.0] + 3.0
    y = np.where(X[:, 1] / 10.0 - X[:, 4] > -2.6, "b", "a")
    found = check_separation(X, y)
    assert found.kind == "complete" and found.columns == ("x1", "x4")
    scores = X @ found.direction + found.intercept
    assert_array_equal(scores > 0.0, y == "b")
    assert_array_equal(found.direction[[0, 2, 3, 5]], 0.0)
    assert found.separated.all()


def test_a_rare_level_is_quasi_complete():
    frame = pd.DataFrame({"age": np.arange(40.0) % 7, "rare": (np.arange(40) % 20 == 3) * 1.0})
    y = (np.arange(40) % 3 == 0).astype(int)
    y[frame["rare"] == 1.0] = 1
    found = check_separation(frame, y)
    assert found.kind == "quasi-complete" and found.columns == ("rare",)
    assert_array_equal(np.flatnonzero(found.separated), [3, 23])
    assert "quasi-complete, 2 of 40 rows) by rare" in str(found)


def test_without_an_intercept_the_boundary_goes_through_zero():
    X, y = [[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1]
    assert check_separation(X, y).kind == "complete"
    assert check_separation(X, y, fit_intercept=False).kind == "none"


def test_several_classes():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(150, 3))
    ordered = np.digitize(X[:, 2], [-0.5, 0.5])
    found = check_separation(X, ordered)
    assert found.kind == "complete" and found.columns == ("x2",)
    scores = np.column_stack([np.zeros(150), X @ found.direction.T + found.intercept])
    assert_array_equal(scores.argmax(axis=1), ordered)
    assert check_separation(X, rng.integers(0, 3, size=150)).kind == "none"
    one_apart = np.where(X[:, 0] > 1.0, 2, rng.integers(0, 2, size=150))
    assert check_separation(X, one_apart).kind == "quasi-complete"


def test_sparse_and_dependent_columns():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(60, 2))
    X = np.column_stack([X, X[:, 0] + X[:, 1], np.ones(60), np.zeros(60)])
    y = rng.integers(0, 2, size=60)
    assert check_separation(X, y).kind == "none"
    assert check_separation(scipy.sparse.csr_array(X), y).kind == "none"
    y = (X[:, 2] > 0.0).astype(int)
    for data in (X, scipy.sparse.csr_array(X)):
        found = check_separation(data, y)
        assert found.kind == "complete" and found.columns == ("x2",)


def test_many_rows_are_judged_by_a_sample_only_if_it_proves_overlap():
    rng = np.random.default_rng(3)
    X = np.column_stack([rng.normal(size=9000), np.zeros(9000)])
    y = (X[:, 0] + rng.normal(size=9000) > 0.0).astype(int)
    assert check_separation(X[:, :1], y).kind == "none"
    rows = [1, 7777]  # a level so rare that a sample misses it
    X[rows, 1], y[rows] = 1.0, 1
    found = check_separation(X, y)
    assert found.kind == "quasi-complete" and found.columns == ("x1",)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.integers(4, 9))
def test_agrees_with_the_definition_in_one_column(seed, n):
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, 5, size=n).astype(float), rng.integers(0, 2, size=n)
    y[:2] = [0, 1]
    low, high = x[y == 0], x[y == 1]
    strict = low.max() < high.min() or high.max() < low.min()
    touching = (low.max() <= high.min() or high.max() <= low.min()) and len(np.unique(x)) > 1
    expected = "complete" if strict else "quasi-complete" if touching else "none"
    assert check_separation(x[:, None], y).kind == expected


def test_errors():
    with pytest.raises(ValueError, match="two classes"):
        check_separation([[1.0], [2.0]], [1, 1])
    with pytest.raises(ValueError, match="names has 2 entries"):
        check_separation([[1.0], [2.0]], [0, 1], names=["a", "b"])
    with pytest.raises(ValueError, match="inconsistent"):
        check_separation([[1.0], [2.0]], [0, 1, 1])
    assert_allclose(check_separation([[1.0], [1.0]], [0, 1]).direction, 0.0)
