"""What cannot be read, or not from blocks, raises errors that name file, column and types."""

import os
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import gramian
from gramian import blocks
from gramian.boosting import BoostingRanker, BoostingRegressor
from gramian.cluster import DBSCAN
from gramian.ensemble import RandomForestRegressor
from gramian.exceptions import InvalidParameterError
from gramian.linear_model import Lasso, LinearRegression, LogisticRegression, Ridge
from gramian.manifold import TSNE
from gramian.neighbors import KNeighborsClassifier
from gramian.pipeline import make_pipeline
from gramian.preprocessing import RobustScaler, StandardScaler
from gramian.svm import SVC


def make_rows(n_rows=200):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n_rows, 2))
    return pd.DataFrame({"a": x[:, 0], "b": x[:, 1], "y": x.sum(axis=1)})


@pytest.fixture
def rows():
    return make_rows()


def write(folder, **frames):
    for name, frame in frames.items():
        if isinstance(frame, pa.Table):
            pq.write_table(frame, folder / f"{name}.parquet")
        else:
            frame.to_parquet(folder / f"{name}.parquet", index=False)
    return folder


def fit(source, **options):
    return LinearRegression().fit(blocks.scan(source, **options), "y")


def test_no_rows_at_all(rows, tmp_path):
    write(tmp_path, first=rows.iloc[:0], second=rows.iloc[:0])
    with pytest.raises(ValueError, match="no rows: all parts of the source are empty"):
        fit(tmp_path)
    with pytest.raises(ValueError, match="no rows"):
        fit([rows.iloc[:0]])


def test_empty_files_may_have_any_types(rows, tmp_path):
    empty = pa.table({"a": pa.array([], pa.string()), "z": pa.array([], pa.null())})
    write(tmp_path, a=empty, b=rows)
    assert fit(tmp_path).coef_.round(6).tolist() == [1.0, 1.0]


def test_numbers_against_text(rows, tmp_path):
    write(tmp_path, first=rows, second=rows.assign(b=rows["b"].astype(str)))
    with pytest.raises(TypeError) as error:
        fit(tmp_path)
    for part in ("'b'", "first.parquet", "second.parquet", "Float64", "String"):
        assert part in str(error.value)


def test_dates_against_numbers(rows, tmp_path):
    dated = rows.assign(b=pd.Timestamp("2024-02-29"))
    with pytest.raises(TypeError, match=r"holds numbers in .*first.* and dates in .*second"):
        fit(write(tmp_path, first=rows, second=dated))


def test_integers_widen_to_floats(rows):
    whole = rows.assign(a=np.arange(200, dtype=np.int32))
    found = fit([whole, rows])
    expected = LinearRegression().fit(*split(pd.concat([whole, rows])))
    assert gramian.fingerprint(found) == gramian.fingerprint(expected)


def split(frame):
    return frame.drop(columns="y"), frame["y"]


def test_integers_beyond_doubles(rows, tmp_path):
    large = rows.assign(b=np.full(200, 2**53 + 1))
    with pytest.raises(
        ValueError, match=r"'b' of .*only.parquet holds the integer 9007199254740993"
    ):
        fit(write(tmp_path, only=large))
    assert fit(tmp_path, columns=["a", "y"]).coef_.shape == (1,)


def test_missing_columns(rows, tmp_path):
    write(tmp_path, first=rows, second=rows.drop(columns="b"))
    with pytest.raises(ValueError, match=r"second.parquet has no column 'b'; its columns are 'a'"):
        fit(tmp_path)
    with pytest.raises(ValueError, match="no column 'c'"):
        fit([rows], columns=["a", "c", "y"])


@pytest.mark.parametrize("argument", ["y", "sample_weight"])
def test_columns_that_are_not_there(argument, rows):
    with pytest.raises(ValueError, match="no column 'z'"):
        LinearRegression().fit(blocks.scan([rows]), **{"y": "y", argument: "z"})


def test_names_are_wanted(rows):
    with pytest.raises(TypeError, match=r"y is the name of one of its columns. Got Series"):
        LinearRegression().fit(blocks.scan([rows]), rows["y"])
    with pytest.raises(TypeError, match=r"sample_weight is the name .* Got ndarray"):
        LinearRegression().fit(blocks.scan([rows]), "y", np.ones(200))
    with pytest.raises(ValueError, match="needs a target: name its column"):
        LinearRegression().fit(blocks.scan([rows]), None)
    with pytest.raises(ValueError, match="no column besides the target"):
        LinearRegression().fit(blocks.scan([rows], columns=["y"]), "y")


def test_nested_types(rows, tmp_path):
    nested = pl.from_pandas(rows).with_columns(b=pl.lit([1.0, 2.0]))
    with pytest.raises(TypeError, match=r"'b' of .*only.parquet has the unsupported type List"):
        fit(write(tmp_path, only=nested.to_arrow()))


def test_ordered_categories_in_two_orders(rows):
    sizes = [["small", "large"], ["large", "small"]]
    frames = [
        rows.assign(b=pd.Categorical(["small", "large"] * 100, order, ordered=True))
        for order in sizes
    ]
    with pytest.raises(
        TypeError, match=r"\['small', 'large'\] in frame 0 and \['large', 'small'\]"
    ):
        fit(frames)


def test_files_that_change(rows, tmp_path):
    scan = blocks.scan(write(tmp_path, only=rows))
    write(tmp_path, only=make_rows(300))
    with pytest.raises(ValueError, match=r"only.parquet has changed since it was scanned"):
        LinearRegression().fit(scan, "y")
    (tmp_path / "only.parquet").unlink()
    with pytest.raises(ValueError, match="was there when it was scanned, and is gone now"):
        LinearRegression().fit(scan, "y")


def test_functions_that_change(rows):
    frames = [rows]

    def grow():
        frames.append(rows)
        return iter(list(frames))

    with pytest.raises(ValueError, match="rows in this pass and 400 before"):
        fit(grow)


def test_functions_that_return_one_iterator(rows):
    frames = iter([rows])
    with pytest.raises(ValueError, match="returned the same iterator twice"):
        fit(lambda: frames)
    with pytest.raises(TypeError, match=r"returns an iterator of data frames. Got int"):
        fit(lambda: 3)
    with pytest.raises(TypeError, match="frame 0 is no data frame but a str"):
        fit(lambda: iter(["rows"]))


def test_rows_that_come_once(rows):
    for source in (iter([rows]), pa.Table.from_pandas(rows).to_reader()):
        with pytest.raises(
            TypeError, match=r"come only once. Scan a function that makes a fresh one"
        ):
            fit(source)


def test_corrupt_files(rows, tmp_path):
    path = write(tmp_path, only=rows) / "only.parquet"
    damaged = bytearray(path.read_bytes())
    path.write_bytes(bytes(damaged[:100]))
    with pytest.raises(ValueError, match=r"only.parquet is not a Parquet file that can be read"):
        blocks.scan(tmp_path)
    damaged[8:200] = os.urandom(192)
    path.write_bytes(bytes(damaged))
    with pytest.raises(ValueError, match=r"only.parquet cannot be read"):
        fit(tmp_path)


def test_paths_that_are_not_there(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"holds no \*.parquet file"):
        blocks.scan(tmp_path)
    with pytest.raises(FileNotFoundError, match="neither a Parquet file nor a folder"):
        blocks.scan(tmp_path / "nowhere")


def test_sources_of_other_kinds(rows):
    with pytest.raises(TypeError, match=r"A source of blocks is a path .* Got int"):
        blocks.scan(3)
    with pytest.raises(TypeError, match="is a Scan already"):
        blocks.scan(blocks.scan([rows]))
    with pytest.raises(TypeError, match="filter is for Parquet files"):
        blocks.scan([rows], filter=pl.col("a") > 0)
    for wrong in (0, -1, 2.5, True):
        with pytest.raises(ValueError, match="block_rows must be a positive integer"):
            blocks.scan([rows], block_rows=wrong)
    for columns in ("a", []):
        with pytest.raises(ValueError, match="columns must be a list of names"):
            blocks.scan([rows], columns=columns)


def test_missing_and_infinite_values(rows):
    rows.loc[3, "a"] = np.inf
    with pytest.raises(ValueError, match=r"infinity.*\nColumn: 'a'"):
        fit([rows])
    rows.loc[3, "y"] = np.nan
    with pytest.raises(ValueError, match="Input y contains NaN"):
        fit([rows])


def test_models_that_take_no_blocks(rows):
    scan = blocks.scan([rows])
    for model in (
        SVC(),
        KNeighborsClassifier(),
        DBSCAN(),
        TSNE(),
        RobustScaler(),
        RandomForestRegressor(),
        BoostingRanker(),
        BoostingRegressor(linear_leaves=True),
        make_pipeline(StandardScaler(), Ridge()),
        LinearRegression(positive=True),
        LinearRegression(keep_covariance=True),
        Ridge(solver="svd"),
        LogisticRegression(l1_ratio=1.0, solver="saga"),
        LogisticRegression(C=np.inf),
        Lasso(precompute=np.eye(2)),
    ):
        with pytest.raises(TypeError, match=r"takes no scan. From blocks fit linear models"):
            model.fit(scan, "y")


def test_methods_that_take_no_scan(rows):
    model = LinearRegression().fit(*split(rows))
    for method in (model.predict, StandardScaler().fit(rows).transform):
        with pytest.raises(TypeError, match=r"gramian.blocks.apply"):
            method(blocks.scan([rows]))
    with pytest.raises(AttributeError, match="LinearRegression has no method 'transform'"):
        blocks.apply(model, [rows], "transform")


def test_dependent_columns_and_few_rows(rows):
    rows["c"] = rows["a"] + 1e-9 * rows["b"] + 1e-9 * np.sin(np.arange(200.0))
    with pytest.raises(ValueError, match="the columns depend on each other too closely"):
        fit([rows])
    with pytest.raises(ValueError, match=r"takes more rows than columns. Got 3 rows and 3 columns"):
        fit([rows.iloc[:3]])


def test_columns_that_need_all_rows(rows):
    streets = rows.assign(b=[f"street {k % 60}" for k in range(200)])
    with pytest.raises(ValueError, match=r"'b' holds 60 levels, which become means of the target"):
        fit([streets])
    words = rows.assign(b=[f"the {k} bright colours of {k * 7} birds" for k in range(200)])
    with pytest.raises(ValueError, match="'b' holds free text"):
        fit([words])
    with pytest.raises(TypeError, match=r"takes columns of numbers, and column 'b' holds String"):
        StandardScaler().fit(blocks.scan([streets]))


def test_memory_limits(rows):
    with gramian.config(memory_limit=0.1), pytest.raises(MemoryError, match=r"memory_limit=0.1"):
        fit([rows])
    with pytest.raises(InvalidParameterError, match="memory_limit"), gramian.config(memory_limit=0):
        pass


def test_a_model_stays_as_it_was_when_a_fit_fails(rows):
    model = LinearRegression().fit(*split(rows))
    before = gramian.fingerprint(model)
    with pytest.raises(ValueError, match="no column 'z'"):
        model.fit(blocks.scan([rows]), "z")
    assert gramian.fingerprint(model) == before


def test_what_a_source_raises_reaches_the_caller(rows):
    n_calls = 0

    def fail_later():
        nonlocal n_calls
        n_calls += 1
        yield rows
        if n_calls > 2:
            raise OSError("the cable was pulled")

    with pytest.raises(OSError, match="the cable was pulled"):
        fit(fail_later)


def test_nothing_is_imported_before_it_is_used():
    code = (
        "import sys, gramian, gramian.blocks, gramian.linear_model;"
        "print({'pyarrow', 'polars', 'pandas'} & set(sys.modules))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "set()"
