"""Imputers and encoders from blocks."""

from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from tests.blocks.made import FEATURES, make_mixed_rows, make_rows, write_files

import gramian
from gramian import blocks
from gramian.impute import SimpleImputer
from gramian.preprocessing import OneHotEncoder, OrdinalEncoder

IMPUTERS = {
    "mean": SimpleImputer(),
    "median": SimpleImputer(strategy="median", add_indicator=True),
    "mode": SimpleImputer(strategy="most_frequent", keep_empty_features=True),
    "constant": SimpleImputer(strategy="constant", fill_value=-1.0),
    "empty columns": SimpleImputer(keep_empty_features=True, add_indicator=True),
}
ENCODERS = {
    "one-hot": OneHotEncoder(),
    "rare": OneHotEncoder(min_frequency=0.2, handle_unknown="infrequent_if_exist"),
    "dropped": OneHotEncoder(drop="first", sparse_output=False),
    "few": OrdinalEncoder(max_categories=3),
    "ordinal": OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1),
}


def make_gaps(dtype=np.float64):
    rows = make_rows(dtype)[FEATURES]
    rng = np.random.default_rng(3)
    rows = rows.mask(rng.random(rows.shape) < 0.1)
    rows["x2"] = (rows["x2"] * 30).round().astype(dtype)
    rows["x3"] = np.full(len(rows), np.nan, dtype)
    rows["x5"] = rows["x5"].fillna(0.0)
    return rows


@pytest.mark.filterwarnings("ignore:Skipping features")
@pytest.mark.parametrize("name", IMPUTERS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_imputers_have_the_fingerprint_of_memory(name, dtype, tmp_path):
    rows, model = make_gaps(dtype), IMPUTERS[name]
    folder = write_files(tmp_path, rows, [0, 999, 999, 12_000, 19_999])
    whole = gramian.clone(model).fit(rows)
    for block_rows in (1_000, 8_192, 1_000_000):
        for n_threads in (1, 2):
            with gramian.config(n_threads=n_threads):
                found = gramian.clone(model).fit(blocks.scan(folder, block_rows=block_rows))
            assert gramian.fingerprint(found) == gramian.fingerprint(whole)
    filled = np.concatenate(list(blocks.apply(whole, folder, "transform")))
    np.testing.assert_array_equal(filled, whole.transform(rows))


def test_columns_are_held_in_groups(tmp_path):
    rows = make_gaps()
    folder = write_files(tmp_path, rows, [0, 7_777])
    with gramian.config(memory_limit=2):  # of 0.15 MiB a column
        scan = blocks.scan(folder, block_rows=1_000)
        found = SimpleImputer(strategy="median").fit(scan)
    assert scan.reading_.n_passes == 2
    expected = SimpleImputer(strategy="median").fit(rows)
    assert gramian.fingerprint(found) == gramian.fingerprint(expected)


def test_imputers_that_need_all_rows():
    rows = make_gaps()
    for model in (SimpleImputer(missing_values=-1), SimpleImputer(strategy=np.nanmin)):
        with pytest.raises(TypeError, match="needs all rows in memory and takes no scan"):
            model.fit(blocks.scan(rows))
    with pytest.raises(TypeError, match="takes columns of numbers, and column 'level'"):
        SimpleImputer(strategy="most_frequent").fit(blocks.scan(make_mixed_rows()))
    rows.loc[12_345, "x1"] = np.inf
    for strategy in ("mean", "median"):
        with pytest.raises(ValueError, match=r"infinity or a value too large .*'x1'"):
            SimpleImputer(strategy=strategy).fit(blocks.scan(rows))


def make_levels():
    return make_mixed_rows().select("whole", "level", "day", "is_open")


@pytest.mark.parametrize("name", ENCODERS)
@pytest.mark.parametrize("n_files", [1, 7, 64])
def test_encoders_have_the_fingerprint_of_memory(name, n_files, tmp_path):
    rows, model = make_levels(), ENCODERS[name]
    cuts = np.linspace(0, len(rows), n_files + 1).astype(int)
    for number, (first, last) in enumerate(pairwise(cuts.tolist())):
        rows[first:last].write_parquet(tmp_path / f"{number:02d}.parquet")
    whole = gramian.clone(model).fit(rows.to_arrow())
    for block_rows in (1_000, 8_192, 1_000_000):
        scan = blocks.scan(tmp_path, block_rows=block_rows)
        found = gramian.clone(model).fit(scan)
        assert gramian.fingerprint(found) == gramian.fingerprint(whole)


@pytest.mark.parametrize("name", ENCODERS)
def test_encoders_of_frames_of_pandas(name):
    rows, model = make_rows()[["kind", "sign"]], ENCODERS[name]
    whole = gramian.clone(model).fit(rows)
    found = gramian.clone(model).fit(blocks.scan([rows[:300], rows[300:]], block_rows=1_000))
    assert gramian.fingerprint(found) == gramian.fingerprint(whole)


def test_encoders_take_rows_that_come_once():
    rows = make_levels()
    whole = OneHotEncoder().fit(rows.to_arrow())
    found = OneHotEncoder().fit(blocks.scan(rows.to_arrow().to_reader(max_chunksize=500)))
    assert gramian.fingerprint(found) == gramian.fingerprint(whole)


def test_given_categories(tmp_path):
    rows = pl.DataFrame({"size": ["small", "large"] * 700})
    sizes = [["small", "medium", "large"]]
    found = OrdinalEncoder(categories=sizes).fit(blocks.scan(rows, block_rows=100))
    assert found.transform(rows[:2]).ravel().tolist() == [0.0, 2.0]
    with pytest.raises(ValueError, match=r"Found unknown categories \['large'\] in column 0"):
        OrdinalEncoder(categories=[["small"]]).fit(blocks.scan(rows, block_rows=100))


@pytest.mark.parametrize("encoder", [OneHotEncoder(), OrdinalEncoder()])
def test_transforms_go_frame_by_frame(encoder):
    rows = make_levels()
    with pytest.raises(TypeError, match=r"fit_transform of O.*Encoder takes rows in memory"):
        encoder.fit_transform(blocks.scan(rows))
    fitted = gramian.clone(encoder).fit(blocks.scan(rows, block_rows=1_000))
    parts = blocks.apply(fitted, blocks.scan(rows, block_rows=1_000), "transform")
    whole = fitted.transform(rows)
    dense = [part.toarray() if hasattr(part, "toarray") else part for part in parts]
    expected = whole.toarray() if hasattr(whole, "toarray") else whole
    np.testing.assert_array_equal(np.concatenate(dense), expected)
