"""Sources of rows in the place of a data frame: paths, data sets, lazy frames, functions."""

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pytest
from tests.blocks.made import FEATURES, columns_for, fit_whole, make_rows, write_files

import gramian
from gramian.boosting import BoostingRegressor
from gramian.ensemble import RandomForestRegressor
from gramian.linear_model import LinearRegression, Ridge
from gramian.neighbors import KNeighborsRegressor
from gramian.pipeline import make_pipeline
from gramian.preprocessing import StandardScaler
from gramian.svm import SVR


@pytest.fixture(scope="module")
def rows():
    return make_rows(n_rows=2_000)[columns_for("y", "weight")]


@pytest.fixture(scope="module")
def folder(rows, tmp_path_factory):
    return write_files(tmp_path_factory.mktemp("files"), rows, [0, 700])


SOURCES = {
    "path": lambda rows, folder: folder,
    "path as text": lambda rows, folder: str(folder),
    "data set": lambda rows, folder: ds.dataset(folder, format="parquet"),
    "LazyFrame": lambda rows, folder: pl.scan_parquet(folder / "*.parquet"),
    "function": lambda rows, folder: lambda: iter([rows.iloc[:500], rows.iloc[500:]]),
}


@pytest.mark.parametrize("name", SOURCES)
@pytest.mark.parametrize("model", [Ridge(), BoostingRegressor(n_estimators=2, random_state=0)])
def test_sources_are_scanned(name, model, rows, folder):
    source = SOURCES[name](rows, folder)
    found = gramian.clone(model).fit(source, y="y", sample_weight="weight")
    expected = fit_whole(model, rows, "y", "weight")
    assert gramian.fingerprint(found) == gramian.fingerprint(expected)


def test_arguments_by_name_and_one_file(rows, folder):
    expected = gramian.fingerprint(
        StandardScaler().fit(rows.iloc[:700][[*FEATURES, "y", "weight"]])
    )
    path = folder / "part-000.parquet"
    assert gramian.fingerprint(StandardScaler().fit(X=path)) == expected
    assert gramian.fingerprint(StandardScaler().fit(str(path))) == expected


@pytest.mark.parametrize(
    "model",
    [SVR(), KNeighborsRegressor(), RandomForestRegressor(), make_pipeline(StandardScaler(), SVR())],
    ids=lambda model: type(model).__name__,
)
@pytest.mark.parametrize("name", ["path", "path as text", "data set", "LazyFrame"])
def test_models_that_need_rows_in_memory(model, name, rows, folder):
    with pytest.raises(TypeError, match=r"needs its rows in memory.*read it into a data frame"):
        model.fit(SOURCES[name](rows, folder), "y")


def test_paths_that_are_not_there(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"nowhere.parquet is neither a Parquet file nor"):
        Ridge().fit("nowhere.parquet", "y")
    with pytest.raises(FileNotFoundError, match="nowhere is neither a Parquet file nor"):
        Ridge().fit(tmp_path / "nowhere", "y")
    with pytest.raises(FileNotFoundError, match="holds no"):
        Ridge().fit(tmp_path, "y")


def test_text_is_no_path():
    with pytest.raises(ValueError, match="string to float"):
        Ridge().fit("abc", [1.0])
    for text in ("a" * 5_000, "a\0b"):  # no system has such paths
        with pytest.raises(ValueError, match="string to float"):
            Ridge().fit(text, [1.0])


def test_readers_are_tables_unless_the_target_is_a_column(rows):
    table = pa.Table.from_pandas(rows[[*FEATURES, "y"]], preserve_index=False)
    found = LinearRegression().fit(table.drop_columns("y").to_reader(), rows["y"])
    assert found.coef_.round(1).tolist() == np.arange(6.0).tolist()
    with pytest.raises(TypeError, match=r"come only once\. Scan a function"):
        LinearRegression().fit(table.to_reader(), "y")


def test_a_target_is_named(folder):
    with pytest.raises(ValueError, match="needs a target: name its column"):
        Ridge().fit(folder, None)
    with pytest.raises(TypeError, match=r"y is the name of one of its columns. Got list"):
        Ridge().fit(folder, [1.0, 2.0])
