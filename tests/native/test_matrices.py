"""One argument of the native core takes matrices of any number and layout, and converts none."""

import numpy as np
import pytest
from scipy import sparse

from gramian import _core
from gramian.config import core_context

COEF = np.array([[1.0], [2.0], [3.0]])


def _values(dtype):
    return np.array([[1, 0, 2], [0, 3, 0], [4, 0, 5], [0, 0, 6]], dtype=dtype)


def _product(X, dtype=np.float64):
    out = np.empty((4, 1), dtype=dtype)
    _core.affine_predict(X, COEF, np.ones(1), out=out, ctx=core_context())
    return out


def _with_indices(X, dtype):
    X.indices, X.indptr = X.indices.astype(dtype), X.indptr.astype(dtype)
    return X


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_any_layout_gives_the_same_product(dtype):
    X = _values(dtype)
    expected = X @ COEF + 1
    read_only = X.copy()
    read_only.flags.writeable = False
    reversed_columns = np.ascontiguousarray(X[:, ::-1])[:, ::-1]
    every_second = np.repeat(X, 2, axis=0)[::2]
    for matrix in (X, np.asfortranarray(X), read_only, reversed_columns, every_second):
        np.testing.assert_array_equal(_product(matrix, dtype), expected)
    for kind in (sparse.csr_array, sparse.csr_matrix):
        for indices in (np.int32, np.int64):
            rows = _with_indices(kind(X), indices)
            np.testing.assert_array_equal(_product(rows, dtype), expected)


@pytest.mark.parametrize(
    "X",
    [
        _values(np.int64),
        _values(np.float16),
        _values(np.float64).astype(">f8"),
        _values(np.float64)[0],
        _values(np.float64).tolist(),
        None,
        sparse.csc_array(_values(np.float64)),
        sparse.coo_array(_values(np.float64)),
        sparse.csr_array(_values(np.int64)),
    ],
    ids=["int", "half", "big-endian", "vector", "list", "none", "csc", "coo", "csr-of-int"],
)
def test_what_does_not_fit_is_refused_and_not_converted(X):
    with pytest.raises(TypeError, match="incompatible function arguments"):
        _product(X)


def test_indices_of_two_types_are_refused():
    X = sparse.csr_array(_values(np.float64))
    X.indptr = X.indptr.astype(np.int64)
    with pytest.raises(TypeError, match="incompatible function arguments"):
        _product(X)


def test_arrays_that_do_not_fit_the_shape_are_refused():
    X = sparse.csr_array(_values(np.float64))
    X.indptr = X.indptr[:-1]
    with pytest.raises(TypeError, match="incompatible function arguments"):
        _product(X)


def test_indices_outside_the_matrix_are_refused():
    X = sparse.csr_array(_values(np.float64))
    X.indices[0] = 3
    with pytest.raises(ValueError, match="index arrays point outside of it"):
        _product(X)


def test_the_result_has_the_numbers_of_the_matrix():
    with pytest.raises(TypeError, match="out must have the dtype of X"):
        _product(_values(np.float64), np.float32)
    with pytest.raises(TypeError, match="same dtype"):
        _core.nearest_rows(
            np.ones((2, 2)),
            np.ones((2, 2), dtype=np.float32),
            metric="euclidean",
            index=np.empty(2, dtype=np.int64),
            distance=np.empty(2),
            ctx=core_context(),
        )


def test_dense_functions_refuse_sparse_matrices():
    with pytest.raises(TypeError, match="incompatible function arguments"):
        _core.all_finite(sparse.csr_array(_values(np.float64)), ctx=core_context())


def test_memory_that_is_not_aligned_is_refused():
    memory = np.zeros(4 * 3 * 8 + 1, dtype=np.uint8)[1:]
    with pytest.raises(TypeError, match="not aligned"):
        _product(memory.view(np.float64).reshape(4, 3))


def _mean(X, weight, out):
    _core.column_means(X, weight, out=out, ctx=core_context())
    return out


@pytest.mark.parametrize("name", ["weight", "out"])
@pytest.mark.parametrize(
    "wrong",
    [
        np.ones(4, np.float32),
        np.ones(4, np.int64),
        np.ones((4, 1)),
        np.ones(8)[::2],
        np.ones(4).astype(">f8"),
        [1.0, 1.0, 1.0, 1.0],
    ],
    ids=["single", "int", "matrix", "strided", "big-endian", "list"],
)
def test_vectors_are_never_converted(name, wrong):
    X = np.arange(16.0).reshape(4, 4)
    arguments = {"weight": np.ones(4), "out": np.empty(4), name: wrong}
    with pytest.raises(TypeError, match="incompatible function arguments"):
        _mean(X, **arguments)


def test_none_and_read_only_vectors():
    X = np.arange(16.0).reshape(4, 4)
    weight = np.ones(4)
    weight.flags.writeable = False
    expected = X.mean(axis=0)
    np.testing.assert_array_equal(_mean(X, weight, np.empty(4)), expected)
    np.testing.assert_array_equal(_mean(X, None, np.empty(4)), expected)
    for out in (None, weight):
        with pytest.raises(TypeError, match="incompatible function arguments"):
            _mean(X, weight, out)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_outputs", [1, 2, 3, 16, 31])
def test_sparse_rows_times_any_number_of_columns(n_outputs, dtype):
    rng = np.random.default_rng(0)
    dense = np.where(rng.random((300, 20)) < 0.2, rng.standard_normal((300, 20)), 0.0)
    X = sparse.csr_array(dense.astype(dtype))
    weights = rng.standard_normal((n_outputs, 20))
    shift = rng.standard_normal(n_outputs)
    expected = X.astype(np.float64).toarray() @ weights.T + shift
    found = []
    for coef in (weights.T, np.ascontiguousarray(weights.T), weights[::-1].T[:, ::-1]):
        for out in (np.empty((300, n_outputs), dtype), np.empty((300, n_outputs), dtype, "F")):
            _core.affine_predict(X, coef, shift, out=out, ctx=core_context())
            found.append(out)
    np.testing.assert_allclose(
        found[0], expected, rtol=0, atol=1e-5 if dtype is np.float32 else 1e-14
    )
    for out in found[1:]:
        np.testing.assert_array_equal(out, found[0])
    few = np.empty((1, n_outputs), dtype)
    _core.affine_predict(X[[7]], weights.T, shift, out=few, ctx=core_context())
    np.testing.assert_array_equal(few[0], found[0][7])
