"""Typed columns of data frames."""

import datetime as dt
import subprocess
import sys
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from gramian.table import CategoricalColumn, NumericColumn, Table, as_table, table_from_array

DAY = dt.datetime(1970, 1, 3, 12)


def test_numbers_text_and_missing(make_frame):
    frame = make_frame({"x": [1.5, None, 3.0], "n": [1, 2, None], "s": ["b", None, "a"]})
    table = as_table(frame)
    assert table.names == ("x", "n", "s")
    assert len(table) == 3 and table.shape == (3, 3)
    assert_array_equal(table["x"].values, [1.5, np.nan, 3.0])
    assert_array_equal(table["n"].values, [1.0, 2.0, np.nan])
    assert table["s"].categories == ("a", "b")
    assert_array_equal(table["s"].codes, [1, -1, 0])
    assert table["s"].codes.dtype == np.int32
    assert_array_equal(table["s"].is_missing, [False, True, False])


def test_booleans_dates_and_durations_are_numbers(make_frame):
    frame = make_frame({"b": [True, None], "t": [DAY, None], "d": [dt.timedelta(hours=6), None]})
    table = as_table(frame)
    assert_array_equal(table["b"].values, [1.0, np.nan])
    assert_array_equal(table["t"].values, [2.5, np.nan])
    assert_array_equal(table["d"].values, [0.25, np.nan])


def test_dates_of_python(make_frame):
    table = as_table(make_frame({"t": [dt.date(1970, 1, 11), None]}))
    assert_array_equal(table["t"].values, [10.0, np.nan])


def test_time_zones_are_converted_to_utc():
    times = pd.to_datetime(["1970-01-02 01:00", None]).tz_localize("Europe/Paris")
    assert_array_equal(as_table(pd.DataFrame({"t": times}))["t"].values, [1.0, np.nan])


def test_categories_do_not_depend_on_the_order_of_rows(make_frame):
    forwards = as_table(make_frame({"s": ["b", "a", "c"]}))["s"]
    backwards = as_table(make_frame({"s": ["c", "a", "b"]}))["s"]
    assert forwards.categories == backwards.categories == ("a", "b", "c")


@pytest.mark.parametrize(
    "values",
    [
        pd.Series(["b", None, "a"], dtype=object),
        pd.Series(["b", None, "a"], dtype="string"),
        pd.Series(["b", None, "a"], dtype=pd.ArrowDtype(pa.string())),
        pd.Series(pd.Categorical(["b", None, "a"])),
    ],
)
def test_kinds_of_text_in_pandas(values):
    column = as_table(pd.DataFrame({"s": values}))["s"]
    assert column.categories == ("a", "b")
    assert_array_equal(column.codes, [1, -1, 0])


@pytest.mark.parametrize(
    "values",
    [
        pd.array([1, None], dtype="Int64"),
        pd.array([1, None], dtype="Float64"),
        pd.array([True, None], dtype="boolean"),
        pd.array([1, None], dtype=pd.ArrowDtype(pa.int8())),
        pd.array([Decimal(1), None], dtype=pd.ArrowDtype(pa.decimal128(5, 2))),
        pd.Series([1, None], dtype=object),
        pd.Series([True, None], dtype=object),
        pd.Series([Decimal(1), None], dtype=object),
    ],
)
def test_kinds_of_numbers_in_pandas(values):
    assert_array_equal(as_table(pd.DataFrame({"x": values}))["x"].values, [1.0, np.nan])


@pytest.mark.parametrize("dtype", [pl.Int128, pl.Decimal(5, 2), pl.UInt8, pl.Float32, pl.Float64])
def test_kinds_of_numbers_in_polars(dtype):
    column = as_table(pl.DataFrame({"x": pl.Series([1, None]).cast(dtype), "s": ["a", "b"]}))["x"]
    assert_array_equal(column.values, [1.0, np.nan])
    assert column.values.dtype == (np.float32 if dtype == pl.Float32 else np.float64)


def test_polars_categorical_and_enum():
    frame = pl.DataFrame({"c": ["b", None, "a"], "e": ["b", None, "a"]})
    frame = frame.with_columns(pl.col("c").cast(pl.Categorical), pl.col("e").cast(pl.Enum("bca")))
    table = as_table(frame)
    assert table["c"].categories == ("a", "b") and not table["c"].ordered
    assert table["e"].categories == ("b", "c", "a") and table["e"].ordered
    assert_array_equal(table["e"].codes, [0, -1, 2])


def test_ordered_categories_keep_their_order():
    values = pd.Categorical(["low", "high"], categories=["low", "mid", "high"], ordered=True)
    column = as_table(pd.DataFrame({"c": values}))["c"]
    assert column.categories == ("low", "mid", "high") and column.ordered


def test_categories_that_are_numbers_sort_as_numbers():
    column = as_table(pd.DataFrame({"c": pd.Categorical([10.0, 9.5, 2.0])}))["c"]
    assert column.categories == ("2", "9.5", "10") and column.is_numbers
    assert_array_equal(column.codes, [2, 1, 0])
    assert_array_equal(column.numbers(), [10.0, 9.5, 2.0])


def test_arrow_dictionaries_of_numbers():
    parts = [pa.array([10, None]), pa.array([9, 10])]
    rows = pa.chunked_array([part.dictionary_encode() for part in parts])
    column = as_table(pa.table({"c": rows}))["c"]
    assert column.categories == ("9", "10") and column.is_numbers
    assert_array_equal(column.numbers(), [10.0, np.nan, 9.0, 10.0])


def test_text_is_no_numbers():
    table = as_table(pd.DataFrame({"digits": ["1", "2"], "gap": pd.Categorical([None, None])}))
    assert table["digits"].numbers() is None
    assert_array_equal(table["gap"].numbers(), [np.nan, np.nan])


def test_mixed_objects_are_levels_by_their_text():
    rows = ["a"] * 200 + [1]  # the odd one comes after what a quick look would see
    column = as_table(pd.DataFrame({"m": pd.Series(rows, dtype=object)}))["m"]
    assert column.categories == ("1", "a")
    assert column.codes[-1] == 0


def test_all_missing_objects_are_numeric():
    assert isinstance(as_table(pd.DataFrame({"x": [None, None]}))["x"], NumericColumn)
    assert isinstance(as_table(pl.DataFrame({"x": [None, None]}))["x"], NumericColumn)


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"bad": [[1], [2]]}),
        pd.DataFrame({"bad": [b"x", b"y"]}),
        pd.DataFrame({"bad": [{"a": 1}, {"a": 2}]}),
        pl.DataFrame({"bad": [[1], [2]]}),
        pl.DataFrame({"bad": [{"a": 1}]}),
        pl.DataFrame({"bad": [dt.time(12)]}),
        pa.table({"bad": [b"x"]}),
    ],
    ids=["lists", "bytes", "dicts", "polars-list", "struct", "time", "binary"],
)
def test_other_types_are_refused_by_name(frame):
    with pytest.raises(TypeError, match=r"Column 'bad' .* unsupported type"):
        as_table(frame)


def test_complex_numbers_are_refused():
    with pytest.raises(ValueError, match=r"Complex data not supported: column 'z'"):
        as_table(pd.DataFrame({"z": [1j]}))


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame([[1, 2, 3]], columns=["a", "b", "a"]),
        pa.table([[1], [2], [3]], names=["a", "b", "a"]),
    ],
)
def test_duplicate_names_are_refused(frame):
    with pytest.raises(ValueError, match=r"same name: 'a'\."):
        as_table(frame)


def test_lazy_frames_are_refused():
    with pytest.raises(TypeError, match=r"lazy frame .* \.collect\(\)"):
        as_table(pl.LazyFrame({"a": [1]}))


def test_record_batches_are_tables():
    batch = pa.RecordBatch.from_pydict({"a": [1, 2], "s": ["x", "y"]})
    assert as_table(batch).names == ("a", "s")


@pytest.mark.parametrize("values", [[[1, 2]], ((1,),), np.ones((2, 2)), pl.Series([1]), 3, "a"])
def test_what_is_no_table(values):
    assert as_table(values) is None


def test_structured_arrays_are_refused():
    array = np.zeros(3, dtype=[("a", "f8"), ("b", "i4")])
    with pytest.raises(TypeError, match="fields a, b"):
        as_table(array)


def test_numeric_frames_give_one_matrix_without_a_copy():
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(20, 3)), columns=list("abc"))
    table = as_table(frame)
    assert np.shares_memory(table.matrix, frame.to_numpy())
    assert np.shares_memory(table["b"].values, table.matrix)
    assert as_table(frame.astype(np.float32)).matrix.dtype == np.float32
    assert as_table(frame.astype(int)).matrix.dtype == np.float64


def test_select_reorders(make_frame):
    for data in ({"a": [1.0], "b": [2.0]}, {"a": [1.0], "b": ["x"]}):
        table = as_table(make_frame(data))
        assert table.select(["a", "b"]) is table
        assert table.select(["b", "a"]).names == ("b", "a")
        assert table.select(["b", "a"])["a"].values[0] == 1.0


def test_recode_tells_missing_from_unseen():
    column = CategoricalColumn("c", np.array([0, 1, -1], dtype=np.int32), ("x", "y"))
    assert_array_equal(column.recode(("y",)), [-2, 0, -1])
    assert column.recode(("x", "y")) is column.codes


def test_arrays_of_objects():
    table = table_from_array(np.array([[1, "a"], [None, None], [2.5, "b"]], dtype=object))
    assert_array_equal(table.columns[0].values, [1.0, np.nan, 2.5])
    assert_array_equal(table.columns[1].codes, [0, -1, 1])
    assert_allclose(table_from_array(np.eye(2)).matrix, np.eye(2))


def test_repr_names_columns_and_kinds():
    columns = [NumericColumn(f"x{j}", np.zeros(2)) for j in range(10)]
    assert repr(Table(columns, 2)).endswith("x7 (numeric) and 2 more")


def test_importing_the_library_imports_no_data_frames():
    code = (
        "import sys, gramian.table, gramian.validation, gramian.encoding;"
        "heavy = {'pandas', 'polars', 'pyarrow', 'narwhals', 'sklearn'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "[]"


class FrameOfAnotherClass(pd.DataFrame):
    """Looks like pandas' own, but is read as frames of any library are."""


PLAIN_AND_OTHER_TYPES = {
    "floats": {"a": np.array([1.0, np.nan]), "b": np.array([0.5, -1.0])},
    "single": {"a": np.array([1.0, 2.0], np.float32), "b": np.array([0.5, -1.0], np.float32)},
    "mixed": {"a": np.array([1.0, 2.0], np.float32), "b": np.array([3, 4], np.int8)},
    "integers": {"a": np.array([1, 2], np.uint16), 7: np.array([3, 2**60])},
    "half": {"a": np.array([1.0, 2.0], np.float16), "b": np.array([3.0, 4.0])},
    "booleans": {"a": np.array([True, False]), "b": np.array([3.0, 4.0])},
    "gaps": {"a": pd.array([1, None], dtype="Int64"), "b": np.array([3.0, 4.0])},
    "levels": {"a": pd.Categorical([3, 1])},
    "dates": {"a": pd.to_datetime(["1970-01-01", "1970-01-03"]), "b": np.array([3.0, 4.0])},
}


@pytest.mark.parametrize("name", PLAIN_AND_OTHER_TYPES)
def test_frames_of_plain_numbers_are_read_as_all_others_are(name):
    frame = pd.DataFrame(PLAIN_AND_OTHER_TYPES[name])
    direct, general = as_table(frame), as_table(FrameOfAnotherClass(frame))
    assert direct.names == general.names
    for own, other in zip(direct.columns, general.columns, strict=True):
        assert type(own) is type(other)
        values = [c.values if c.kind == "numeric" else c.codes for c in (own, other)]
        assert values[0].dtype == values[1].dtype
        np.testing.assert_array_equal(*values)


@pytest.mark.parametrize("dtype", [pl.Int32, pl.UInt64, pl.Float32, pl.Float64])
def test_polars_frames_of_numbers_have_gaps_as_nan(dtype):
    frame = pl.DataFrame({"a": [1, None, 3], "b": [4, 5, 6]}, schema={"a": dtype, "b": dtype})
    table = as_table(frame)
    np.testing.assert_array_equal(table.columns[0].values, [1.0, np.nan, 3.0])
    assert table.columns[1].values.dtype == (np.float32 if dtype == pl.Float32 else np.float64)


@pytest.mark.parametrize("n_levels", [1, 7, 3000])
def test_text_of_any_array_is_one_column(n_levels):
    """Texts are looked up by their objects, by their hashes, or by their characters."""
    rng = np.random.default_rng(0)
    texts = [f"Größe {i} " + "x" * (i % 5) for i in rng.integers(0, n_levels, 5000)]
    column = table_from_array(np.array([texts], dtype=object).T).columns[0]
    assert column.categories == tuple(sorted(set(texts)))
    assert [column.categories[code] for code in column.codes] == texts
    fixed = table_from_array(np.array([texts]).T).columns[0]
    assert fixed.categories == column.categories
    np.testing.assert_array_equal(fixed.codes, column.codes)
    texts[::2] = [None, float("nan")] * 1250
    gaps = table_from_array(np.array([texts], dtype=object).T).columns[0]
    np.testing.assert_array_equal(gaps.is_missing, np.arange(5000) % 2 == 0)
