"""Targets, weights and random states."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

from gramian.exceptions import DataConversionWarning
from gramian.validation import (
    check_random_state,
    check_sample_weight,
    check_X_y,
    check_y,
    column_or_1d,
    seed_of,
)


@pytest.mark.parametrize(
    "container",
    [list, tuple, np.array, pd.Series, pl.Series, pa.array, lambda y: pa.chunked_array([y])],
)
@pytest.mark.parametrize("values", [[1.0, 2.5], [1, 2], ["a", "b"], [True, False]])
def test_any_vector(container, values):
    y = check_y(container(values))
    assert y.shape == (2,)
    assert y.tolist() == values


@pytest.mark.parametrize(
    "y", [[1, 2], np.array([1, 2], dtype=object), pd.array([1, 2], dtype="Int64"), [True, False]]
)
def test_numeric_targets_become_float64(y):
    assert check_y(y, y_numeric=True).dtype == np.float64


def test_float32_targets_stay():
    y = np.array([1, 2], dtype=np.float32)
    assert check_y(y, y_numeric=True) is y


def test_text_is_no_numeric_target():
    for y in (["a", "b"], pd.Series(["a", "b"]), np.array(["a", 1], dtype=object)):
        with pytest.raises(ValueError, match=r"Ridge needs a numeric target.*use a classifier"):
            check_y(y, y_numeric=True, estimator="Ridge")


def test_columns_are_ravelled_with_a_warning(make_frame):
    message = "A column-vector y was passed when a 1d array was expected"
    for y in (np.ones((3, 1)), make_frame({"y": [1.0, 1.0, 1.0]})):
        with pytest.warns(DataConversionWarning, match=message):
            assert check_y(y).shape == (3,)
        assert check_y(y, multi_output=True).shape == (3, 1)


def test_frames_of_targets(make_frame):
    numbers = make_frame({"a": [1.0, 2.0], "b": [3.0, 4.0]})
    assert_array_equal(check_y(numbers, multi_output=True), [[1, 3], [2, 4]])
    labels = make_frame({"a": ["x", "y"], "b": ["u", "v"]})
    assert check_y(labels, multi_output=True).tolist() == [["x", "u"], ["y", "v"]]


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (np.ones((3, 2)), r"y should be a 1d array, got an array of shape \(3, 2\)"),
        (np.array([1, 2j]), "Complex data not supported"),
        ([1.0, np.nan], r"Input y contains NaN\.\n1 of 2 rows: 1\."),
        ([1.0, np.inf], "Input y contains infinity"),
        (["a", None], r"Input y contains NaN\.\nMissing in rows \[1\]"),
        (None, "requires y to be passed, but the target y is None"),
        ("text", r"should be a 1d array, got an array of shape \(\)"),
    ],
)
def test_refused_targets(y, message):
    with pytest.raises(ValueError, match=message):
        check_y(y)


def test_sparse_targets():
    y = sparse.csr_array(np.eye(3))
    with pytest.raises(TypeError, match="Sparse data was passed for y"):
        check_y(y)
    assert_array_equal(check_y(y, multi_output=True), np.eye(3))


def test_column_or_1d_keeps_types():
    assert column_or_1d(["a", "b"]).dtype.kind == "U"
    assert column_or_1d([1, 2], dtype=np.float32).dtype == np.float32


def test_check_x_y():
    X, y = check_X_y([[1, 2], [3, 4]], [0, 1])
    assert X.dtype == np.float64 and y.dtype.kind == "i"
    with pytest.raises(ValueError, match="inconsistent"):
        check_X_y([[1, 2], [3, 4]], [0])
    with pytest.raises(ValueError, match="Ridge requires y"):
        check_X_y([[1, 2]], None, estimator="Ridge")


# -- weights -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "container", [list, np.array, pd.Series, pl.Series, pa.array, lambda w: np.array(w, "f4")]
)
def test_any_weights(container):
    weight = check_sample_weight(container([1, 0, 2]), np.ones((3, 2)))
    assert weight.dtype == np.float64
    assert_array_equal(weight, [1, 0, 2])


def test_weights_for_all_rows():
    assert_array_equal(check_sample_weight(None, [1, 2]), [1, 1])
    assert_array_equal(check_sample_weight(3, [1, 2]), [3, 3])


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ([1.0], r"sample_weight.shape == \(1,\), expected \(3,\)"),
        (np.ones((3, 1)), "Sample weights must be 1D array or scalar, got 2D array"),
        ([1.0, -0.5, 1.0], "Negative values in data passed to `sample_weight`: the least is -0.5"),
        ([1.0, np.nan, 1.0], "Input sample_weight contains NaN"),
        ([0.0, 0.0, 0.0], "at least one non-zero number"),
        (["a", "b", "c"], "could not convert string to float"),
    ],
)
def test_refused_weights(weight, message):
    with pytest.raises(ValueError, match=message):
        check_sample_weight(weight, np.ones((3, 2)))


def test_negative_weights_where_they_mean_something():
    assert check_sample_weight([-1.0, 1.0], [1, 2], ensure_non_negative=False)[0] == -1.0


# -- random states -------------------------------------------------------------------------------


def test_random_states():
    state, generator = np.random.RandomState(0), np.random.default_rng(0)
    assert check_random_state(state) is state
    assert check_random_state(generator) is generator
    assert check_random_state(np.int64(7)).randint(1000) == np.random.RandomState(7).randint(1000)
    assert check_random_state(None) is check_random_state(np.random)
    for wrong in ("seed", 1.5, True):
        with pytest.raises(ValueError, match="cannot be used to seed"):
            check_random_state(wrong)


def test_seeds():
    assert seed_of(3) == seed_of(np.int32(3)) != seed_of(4)
    assert len({seed_of(i) for i in range(-50, 1000)}) == 1050
    assert seed_of(None) != seed_of(None)
    for make in (np.random.RandomState, np.random.default_rng):
        first, second = make(0), make(0)
        assert seed_of(first) == seed_of(second)
        assert seed_of(first) != seed_of(make(0))
    assert all(0 <= seed_of(state) < 2**64 for state in (None, 0, np.random.RandomState(1)))
    with pytest.raises(ValueError, match="cannot be used to seed"):
        seed_of("a")


def test_a_weight_without_a_dimension_is_refused():
    with pytest.raises(TypeError, match="at least 1 dimension"):
        check_sample_weight(np.array(0), [[1.0], [2.0]])


LABELS = {
    "int": ([1, 2], "i"),
    "bool": ([True, False], "b"),
    "float": ([1.5, 2.0], "f"),
    "str": (["a", "b"], "OU"),
    "mixed": ([1, "a"], "O"),
    "date": (np.array(["2020-01-01", "2021-01-01"], "datetime64[us]"), "M"),
}


@pytest.mark.parametrize("name", LABELS)
def test_a_frame_of_targets_keeps_their_type(name):
    values, kind = LABELS[name]
    objects = pd.Series(values, dtype=object if name == "mixed" else None)
    frames = [objects.to_frame("y")]
    if name != "mixed":
        frames += [pl.DataFrame({"y": values}), pl.DataFrame({"y": values}).to_arrow()]
    if name in ("int", "bool"):
        frames += [objects.convert_dtypes().to_frame("y"), objects.astype("category").to_frame()]
    for frame in frames:
        y = check_y(frame, multi_output=True)
        assert y.shape == (2, 1) and y.dtype.kind in kind
        assert y[:, 0].tolist() == objects.tolist() or kind == "M"


def test_a_frame_of_several_targets():
    assert check_y(pd.DataFrame({"a": [1, 2], "b": [True, False]}), multi_output=True).dtype == int
    mixed = check_y(pd.DataFrame({"a": [1, 2], "b": ["u", "v"]}), multi_output=True)
    assert mixed.tolist() == [[1, "u"], [2, "v"]]
    with pytest.raises(ValueError, match="without columns"):
        check_y(pd.DataFrame(index=range(3)), multi_output=True)
