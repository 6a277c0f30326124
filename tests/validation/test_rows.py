"""Rows of matrices taken by native threads."""

import numpy as np
import pytest

from gramian import _core, _rows
from gramian._draws import draw_by_weight
from gramian._rows import gather, row_slices, take_rows
from gramian.preprocessing import PolynomialFeatures, PowerTransformer, SplineTransformer

RNG = np.random.default_rng(0)
N = 30_000
"""Rows of 12 columns: more entries than NumPy is left with."""
LAYOUTS = {
    "C": lambda X: X,
    "F": np.asfortranarray,
    "strided": lambda X: np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3],
    "reversed": lambda X: X[::-1, ::-1],
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_gather_is_indexing(layout, dtype, monkeypatch):
    X = LAYOUTS[layout](RNG.standard_normal((N, 12)).astype(dtype))
    X.flags.writeable = False
    is_chosen = RNG.random(N) < 0.9
    calls = []
    native = _core.gather_rows
    monkeypatch.setattr(_core, "gather_rows", lambda *a, **k: (calls.append(1), native(*a, **k)))
    for rows in (RNG.integers(0, N, N), RNG.permutation(N).astype(np.int32), is_chosen):
        found = gather(X, rows)
        np.testing.assert_array_equal(found, X[rows])
        assert found.dtype == dtype and found.flags.c_contiguous and found.flags.writeable
    assert len(calls) == 3


def test_what_native_code_does_not_take():
    X = RNG.standard_normal((N, 12))
    backwards = -1 - np.arange(N)
    np.testing.assert_array_equal(gather(X, backwards), X[::-1])
    np.testing.assert_array_equal(gather(X.astype(int), np.arange(N)), X.astype(int))
    np.testing.assert_array_equal(gather(X.astype(">f8"), np.arange(N)), X)
    np.testing.assert_array_equal(take_rows(X[:, 0], np.arange(0, N, 2)), X[::2, 0])
    with pytest.raises(IndexError):
        gather(X, np.arange(1, N + 1))
    with pytest.raises(IndexError):
        gather(X, np.ones(N - 1, dtype=bool))


def test_native_rows_are_checked():
    X, out = np.ones((3, 2)), np.empty((2, 2))
    for rows in ([0, 3], [-1, 0]):
        with pytest.raises(ValueError, match="rows of X"):
            _core.gather_rows(X, np.array(rows), out=out, ctx=_core.Context())
    with pytest.raises(ValueError, match="C-contiguous"):
        _core.gather_rows(X, np.array([0]), out=out, ctx=_core.Context())


def test_slices_are_all_rows(monkeypatch):
    monkeypatch.setattr(_rows, "_MANY_ENTRIES", 100)
    for n_rows, n_columns in ((0, 1), (1, 500), (99, 1), (101, 1), (1000, 7)):
        parts = [np.arange(n_rows)[part] for part in row_slices(n_rows, n_columns)]
        np.testing.assert_array_equal(np.concatenate([*parts, []]), np.arange(n_rows))


@pytest.mark.parametrize(
    "model", [PolynomialFeatures(3), SplineTransformer(), PowerTransformer()], ids=repr
)
def test_transforms_by_slices(model, monkeypatch):
    X = RNG.standard_normal((500, 3))
    expected = model.fit(X).transform(X)
    monkeypatch.setattr(_rows, "_MANY_ENTRIES", 64)
    np.testing.assert_allclose(model.transform(X), expected, rtol=1e-13)


def test_draws_by_weight_are_those_of_numpy(monkeypatch):
    """AdaBoost and bagging draw the rows that scikit-learn's would."""
    weight = RNG.random(1000) * (RNG.random(1000) < 0.5)
    expected = np.random.RandomState(3).choice(1000, 5000, p=weight / weight.sum())
    monkeypatch.setattr(_rows, "_MANY_ENTRIES", 64)
    found = draw_by_weight(np.random.RandomState(3), weight, 5000)
    np.testing.assert_array_equal(found, expected)
