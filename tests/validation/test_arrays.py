"""Containers of numbers: what is accepted, what is refused, and what is copied."""

import re
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn.utils import check_array as sklearn_check_array

from gramian.linear_model import Ridge
from gramian.preprocessing import PolynomialFeatures
from gramian.validation import (
    check_array,
    check_consistent_length,
    n_samples_of,
    raise_non_finite,
)

X = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])


class Convertible:
    """Something with __array__ and nothing else."""

    def __init__(self, data):
        self.data = np.asarray(data)

    def __array__(self, dtype=None, copy=None):
        return self.data


def read_only(array):
    array = array.copy()
    array.setflags(write=False)
    return array


@pytest.mark.parametrize(
    "array",
    [
        X,
        np.asfortranarray(X),
        X[::2],
        X[:, ::-1],
        X.astype(np.float32),
        read_only(X),
        np.broadcast_to(X[0], (3, 2)),
    ],
    ids=["C", "F", "rows", "reversed", "float32", "read-only", "broadcast"],
)
def test_floats_pass_untouched(array):
    assert check_array(array) is array


@pytest.mark.parametrize(
    "array",
    [
        X.astype(int),
        X.astype(np.uint8),
        X > 2,
        X.astype(np.float16),
        X.astype(np.longdouble),
        X.astype(">f8"),
        X.astype(object),
        np.array([[Fraction(1, 2), 1]], dtype=object),
        X.tolist(),
        tuple(map(tuple, X)),
        Convertible(X),
        pd.DataFrame(X),
        pd.DataFrame(X).astype("Float64"),
        pd.DataFrame({"a": [True, False], "b": [1, 2]}),
        pl.DataFrame(X),
        pl.DataFrame(X).to_arrow(),
        pd.DataFrame(pd.arrays.SparseArray([0.0, 1.0])),
    ],
)
def test_other_numbers_become_float64(array):
    result = check_array(array)
    assert type(result) is np.ndarray
    assert result.dtype == np.float64
    assert result.dtype.isnative


# Inputs on which scikit-learn and we must agree, with the type of error or None.
BOTH = {
    "list": (X.tolist(), None),
    "empty rows": (np.empty((0, 3)), ValueError),
    "empty columns": (np.empty((3, 0)), ValueError),
    "vector": (X[0], ValueError),
    "scalar": (np.float64(1.0), ValueError),
    "cube": (np.ones((2, 2, 2)), ValueError),
    "complex": (X * 1j, ValueError),
    "nan": (np.array([[1.0, np.nan]]), ValueError),
    "infinity": (np.array([[1.0, -np.inf]]), ValueError),
    "huge": (np.array([[1e308, 1e308]]), None),
    "objects with text": (np.array([[1, "a"]], dtype=object), ValueError),
    "objects with dict": (np.array([[1, {}]], dtype=object), TypeError),
    "objects with None": (np.array([[1.0, None]], dtype=object), ValueError),
    "text": (np.array([["a", "b"]]), ValueError),
    "matrix": (np.matrix(X), TypeError),
    "sparse": (sparse.csr_array(X), TypeError),
    "frame": (pd.DataFrame(X), None),
    "frame of text": (pd.DataFrame({"a": ["x", "y"]}), ValueError),
    "frame with nan": (pd.DataFrame({"a": [1.0, np.nan]}), ValueError),
    "series": (pd.Series([1.0, 2.0]), ValueError),
    "ragged": ([[1, 2], [3]], ValueError),
}


@pytest.mark.parametrize("name", BOTH)
def test_accepts_and_refuses_what_scikit_learn_does(name):
    array, error = BOTH[name]
    for check in (check_array, sklearn_check_array):
        if error is None:
            check(array, dtype=np.float64)
        else:
            with pytest.raises(error):
                check(array, dtype=np.float64)


@pytest.mark.parametrize(
    ("array", "error", "message"),
    [
        (X * 1j, ValueError, "Complex data not supported"),
        (X[0], ValueError, "Reshape your data"),
        (3.0, ValueError, "Expected 2D array, got scalar array instead"),
        (pd.Series([1.0]), ValueError, "Expected a 2-dimensional container"),
        (
            np.empty((0, 3)),
            ValueError,
            "Found array with 0 sample(s) (shape=(0, 3)) while a minimum of 1 is required by Some.",
        ),
        (
            np.empty((3, 0)),
            ValueError,
            "0 feature(s) (shape=(3, 0)) while a minimum of 1 is required",
        ),
        (np.ones((2, 2, 2)), ValueError, "Found array with dim 3, while dim <= 2 is required"),
        (np.array([[1, "a"]], dtype=object), ValueError, "could not convert string to float: 'a'"),
        (np.array([["a"]]), ValueError, "could not convert string to float"),
        (np.array([[{}]], dtype=object), TypeError, "argument must be a string or a real number"),
        (np.matrix(X), TypeError, "np.matrix is not supported"),
        (sparse.csr_array(X), TypeError, "Use '.toarray()' to convert"),
        ([[1j, 2]], ValueError, "Complex data not supported"),
        ([[1, 2], [3]], ValueError, "its rows have different lengths"),
        (np.array([["2020-01-01"]], dtype="M8[D]"), ValueError, "dates and durations are encoded"),
        (pd.DataFrame({"a": ["x"]}), ValueError, "hold text or categories: 'a'"),
    ],
)
def test_messages(array, error, message):
    with pytest.raises(error, match=re.escape(message)):
        check_array(array, estimator="Some", input_name="X")


def test_nan_message_names_columns_and_the_way_on():
    array = np.zeros((10, 20))
    array[:3, 4] = np.nan
    array[5, 7] = np.nan
    with pytest.raises(ValueError, match=r"Input X contains NaN\.\n") as info:
        check_array(array, estimator=Ridge(), input_name="X")
    assert "Columns: 4 (3 of 10 rows), 7 (1 of 10 rows)." in str(info.value)
    assert "Ridge does not accept missing values encoded as NaN" in str(info.value)
    assert "Pass a data frame" in str(info.value)


@pytest.mark.parametrize("estimator", [None, "Some", PolynomialFeatures()], ids=repr)
def test_only_models_encode_data_frames(estimator):
    with pytest.raises(ValueError, match=r"Fill them first, .*SimpleImputer") as info:
        check_array([[np.nan]], estimator=estimator, input_name="X")
    assert "data frame" not in str(info.value)


def test_infinity_message():
    with pytest.raises(ValueError, match=r"contains infinity .* dtype\('float32'\)\.\nColumn: 1"):
        check_array(np.array([[0, np.inf]], dtype=np.float32), input_name="X")


def test_nan_can_be_allowed_and_infinity_not():
    array = np.array([[1.0, np.nan]])
    assert check_array(array, ensure_all_finite="allow-nan") is array
    with pytest.raises(ValueError, match="infinity"):
        check_array(np.array([[np.inf, np.nan]]), ensure_all_finite="allow-nan")
    with pytest.raises(ValueError, match="'allow-nan'"):
        check_array(array, ensure_all_finite="perhaps")


def test_masked_values_are_missing():
    masked = np.ma.masked_array([[1, 2], [3, 4]], mask=[[0, 0], [1, 0]])
    with pytest.raises(ValueError, match=r"Column: 0 \(1 of 2 rows\)"):
        check_array(masked, input_name="X")


def test_names_of_columns_in_messages():
    with pytest.raises(ValueError, match=r"Column: 'b' \(1 of 1 rows\)"):
        raise_non_finite(np.array([[1.0, np.nan]]), "X", names=["a", "b"])


def test_dtype_choices():
    assert check_array(X.astype(int), dtype=None).dtype.kind == "i"
    assert check_array(X.astype(int), dtype="numeric").dtype.kind == "i"
    assert check_array(X.astype(object), dtype="numeric").dtype == np.float64
    assert check_array(X.astype(np.float32), dtype=np.float64).dtype == np.float64
    assert check_array([["a", "b"]], dtype=None).dtype.kind == "U"


def test_copy_never_shares_memory():
    assert not np.shares_memory(check_array(X, copy=True), X)
    matrix = sparse.csr_array(X)
    assert not np.shares_memory(check_array(matrix, "csr", copy=True).data, matrix.data)


# -- sparse --------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "lil", "dok", "dia", "bsr"])
@pytest.mark.parametrize("suffix", ["array", "matrix"])
def test_any_sparse_format_becomes_csr(kind, suffix):
    original = getattr(sparse, f"{kind}_{suffix}")(X)
    result = check_array(original, ("csr",))
    assert result.format == "csr"
    assert isinstance(result, sparse.csr_array if suffix == "array" else sparse.csr_matrix)
    assert_array_equal(result.toarray(), X)


def test_canonical_csr_passes_untouched():
    matrix = sparse.csr_array(X)
    assert check_array(matrix, ("csr",)) is matrix
    assert check_array(sparse.csc_array(X), ("csr", "csc")).format == "csc"


def test_duplicates_are_summed_in_a_copy():
    data, column, pointer = [1.0, 2.0, 3.0], [1, 1, 0], [0, 2, 3]
    matrix = sparse.csr_array((np.array(data), np.array(column), np.array(pointer)), shape=(2, 2))
    result = check_array(matrix, "csr")
    assert_array_equal(result.toarray(), [[0, 3], [3, 0]])
    assert result.has_canonical_format
    assert_array_equal(matrix.data, data)


def test_indices_become_32_bit_where_they_fit():
    matrix = sparse.csr_array(X)
    matrix.indices = matrix.indices.astype(np.int64)
    matrix.indptr = matrix.indptr.astype(np.int64)
    result = check_array(matrix, "csr")
    assert result.indices.dtype == result.indptr.dtype == np.int32
    assert matrix.indices.dtype == np.int64
    assert_array_equal(result.toarray(), X)


def test_sparse_values_are_checked():
    assert check_array(sparse.csr_array(X.astype(int)), "csr").dtype == np.float64
    with pytest.raises(ValueError, match="Complex data not supported"):
        check_array(sparse.csr_array(X * 1j), "csr")
    broken = sparse.csr_array(np.array([[0.0, np.nan], [0.0, 0.0]]))
    with pytest.raises(ValueError, match=r"contains NaN\.\nColumn: 1 \(1 of 2 rows\)"):
        check_array(broken, "csr", input_name="X")
    with pytest.raises(ValueError, match="accept_sparse"):
        check_array(sparse.csr_array(X), ())


# -- lengths -------------------------------------------------------------------------------------


def test_numbers_of_rows():
    for rows in (X, X.tolist(), Convertible(X), pd.DataFrame(X), pl.DataFrame(X).to_arrow()):
        assert n_samples_of(rows) == 3
    for wrong in (3, np.float64(3), None):
        with pytest.raises(TypeError):
            n_samples_of(wrong)


def test_consistent_lengths():
    check_consistent_length(X, None, [1, 2, 3], sparse.csr_array(X))
    with pytest.raises(ValueError, match=r"inconsistent numbers of samples: \[3, 2\]"):
        check_consistent_length(X, [1, 2])


def test_text_that_reads_as_numbers():
    for text in ([["1", "2.5"]], np.array([["1", "2.5"]]), np.array([[b"1", b"2.5"]])):
        assert check_array(text).tolist() == [[1.0, 2.5]]
        with pytest.raises(ValueError, match="not compatible with arrays of bytes/strings"):
            check_array(text, dtype="numeric")
    with pytest.raises(ValueError, match=r"could not convert string to float.*X holds text"):
        check_array([["1", "low"]])
