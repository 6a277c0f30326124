"""Fits from blocks have the fingerprints of fits in memory."""

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pytest
from tests.blocks.made import (
    FEATURES,
    N_ROWS,
    columns_for,
    fit_blocks,
    fit_whole,
    make_mixed_rows,
    make_rows,
    name_of,
    write_files,
)

import gramian
from gramian import blocks
from gramian.linear_model import (
    ElasticNet,
    GammaRegressor,
    Lasso,
    LinearRegression,
    LogisticRegression,
    PoissonRegressor,
    Ridge,
    RidgeClassifier,
    TweedieRegressor,
)
from gramian.naive_bayes import GaussianNB
from gramian.preprocessing import MaxAbsScaler, MinMaxScaler, StandardScaler

MODELS = [
    (LinearRegression(), "y"),
    (LinearRegression(fit_intercept=False), "y"),
    (Ridge(alpha=3.0), "y"),
    (RidgeClassifier(), "kind"),
    (Lasso(alpha=0.1), "y"),
    (ElasticNet(alpha=0.1), "y"),
    (LogisticRegression(), "sign"),
    (LogisticRegression(C=0.1), "kind"),
    (PoissonRegressor(), "count"),
    (GammaRegressor(), "amount"),
    (TweedieRegressor(power=1.5), "count"),
    (GaussianNB(), "kind"),
    (StandardScaler(), None),
    (MinMaxScaler(), None),
    (MaxAbsScaler(), None),
]


@pytest.fixture(scope="module")
def rows():
    return make_rows()


@pytest.fixture(scope="module")
def folder(rows, tmp_path_factory):
    """Files of uneven lengths, one of them empty."""
    return write_files(tmp_path_factory.mktemp("files"), rows, [0, 999, 999, 12_000, 19_999])


@pytest.mark.parametrize("model, y", MODELS, ids=name_of)
@pytest.mark.parametrize("weight", [None, "weight"])
def test_blocks_give_the_fingerprint_of_memory(model, y, weight, rows, folder):
    if weight and isinstance(model, (MinMaxScaler, MaxAbsScaler)):
        pytest.skip("takes no weights")
    expected = gramian.fingerprint(fit_whole(model, rows, y, weight))
    for block_rows in (1_000, 8_192, 1_000_000):
        for n_threads in (1, 2):
            scan = blocks.scan(folder, columns=columns_for(y, weight), block_rows=block_rows)
            with gramian.config(n_threads=n_threads):
                found = fit_blocks(model, scan, y, weight)
            assert gramian.fingerprint(found) == expected


@pytest.mark.parametrize("model, y", MODELS, ids=name_of)
def test_single_precision(model, y, tmp_path):
    rows = make_rows(np.float32)
    folder = write_files(tmp_path, rows, [0, 7_000])
    found = fit_blocks(model, blocks.scan(folder, columns=columns_for(y)), y)
    assert gramian.fingerprint(found) == gramian.fingerprint(fit_whole(model, rows, y))


@pytest.mark.parametrize("n_files", [1, 7, 64])
def test_number_of_files_plays_no_role(n_files, rows, tmp_path):
    cuts = np.linspace(0, N_ROWS, n_files, endpoint=False).astype(int).tolist()
    scan = blocks.scan(write_files(tmp_path, rows, cuts), columns=columns_for("y"))
    found = LinearRegression().fit(scan, "y")
    assert gramian.fingerprint(found) == gramian.fingerprint(
        fit_whole(LinearRegression(), rows, "y")
    )


def halves_of(rows):
    return [rows.iloc[:3_000], rows.iloc[3_000:3_000], rows.iloc[3_000:]]


def arrow_of(rows):
    return pa.Table.from_pandas(rows, preserve_index=False)


SOURCES = {
    "folder as text": lambda rows, folder: str(folder),
    "data set": lambda rows, folder: ds.dataset(folder, format="parquet"),
    "LazyFrame": lambda rows, folder: pl.from_pandas(rows).lazy(),
    "LazyFrame of files": lambda rows, folder: pl.scan_parquet(folder / "*.parquet"),
    "frame of pandas": lambda rows, folder: rows,
    "frames of pandas": lambda rows, folder: halves_of(rows),
    "frames of polars": lambda rows, folder: [pl.from_pandas(half) for half in halves_of(rows)],
    "Arrow table": lambda rows, folder: arrow_of(rows),
    "batches": lambda rows, folder: arrow_of(rows).to_batches(max_chunksize=1_234),
    "function": lambda rows, folder: lambda: iter(halves_of(rows)),
    "function that makes a reader": lambda rows, folder: arrow_of(rows).to_reader,
}


@pytest.mark.parametrize("name", SOURCES)
def test_sources_agree(name, rows, folder):
    source = SOURCES[name](rows, folder)
    found = LinearRegression().fit(blocks.scan(source, columns=columns_for("y")), "y")
    assert gramian.fingerprint(found) == gramian.fingerprint(
        fit_whole(LinearRegression(), rows, "y")
    )


def test_one_file_is_a_source(rows, folder):
    path = folder / "part-003.parquet"
    found = Ridge().fit(blocks.scan(path, columns=columns_for("y")), "y")
    expected = fit_whole(Ridge(), rows.iloc[12_000:19_999], "y")
    assert gramian.fingerprint(found) == gramian.fingerprint(expected)


def test_several_targets(rows, folder):
    scan = blocks.scan(folder, columns=[*FEATURES, "y", "amount"])
    found = LinearRegression().fit(scan, ["y", "amount"])
    expected = LinearRegression().fit(rows[FEATURES], rows[["y", "amount"]])
    assert gramian.fingerprint(found) == gramian.fingerprint(expected)


def test_filters(rows, folder):
    kept = rows[rows["x0"] > 0.0]
    expected = gramian.fingerprint(fit_whole(LinearRegression(), kept, "y"))
    for source, condition in (
        (folder, pc.field("x0") > 0.0),
        (ds.dataset(folder, format="parquet"), pc.field("x0") > 0.0),
        (pl.scan_parquet(folder / "*.parquet"), pl.col("x0") > 0.0),
    ):
        scan = blocks.scan(source, columns=columns_for("y"), filter=condition)
        assert gramian.fingerprint(LinearRegression().fit(scan, "y")) == expected


MIXED_MODELS = [
    (LinearRegression(), "y"),  # levels in columns of their own depend on each other
    (Ridge(), "y"),
    (Lasso(alpha=0.01), "y"),  # scales what is no plain number
    (LogisticRegression(), "sign"),
    (GaussianNB(), "sign"),
]


@pytest.mark.parametrize("model, y", MIXED_MODELS, ids=name_of)
@pytest.mark.parametrize("memory_limit", [None, 2])
def test_mixed_tables(model, y, memory_limit, tmp_path):
    rows = make_mixed_rows()
    rows[:4_000].write_parquet(tmp_path / "a.parquet")
    rows[4_000:].write_parquet(tmp_path / "b.parquet")
    features = [name for name in rows.columns if name not in ("y", "sign")]
    expected = gramian.clone(model).fit(rows[features].to_arrow(), rows[y].to_arrow())
    with gramian.config(memory_limit=memory_limit):
        scan = blocks.scan(tmp_path, columns=[*features, y], block_rows=1_000)
        found = gramian.clone(model).fit(scan, y)
    assert gramian.fingerprint(found) == gramian.fingerprint(expected)


def test_rows_sorted_by_class(rows):
    ordered = rows.sort_values("kind", kind="stable")
    found = GaussianNB().fit(blocks.scan(ordered, columns=columns_for("kind")), "kind")
    assert gramian.fingerprint(found) == gramian.fingerprint(
        fit_whole(GaussianNB(), ordered, "kind")
    )


def test_blocks_agree_with_scikit_learn(rows, folder):
    from sklearn.linear_model import LogisticRegression as Peer

    scan = blocks.scan(folder, columns=columns_for("kind"))
    found = LogisticRegression(tol=1e-10).fit(scan, "kind")
    peer = Peer(tol=1e-10, solver="newton-cholesky").fit(rows[FEATURES], rows["kind"])
    np.testing.assert_allclose(found.coef_, peer.coef_, rtol=1e-5, atol=1e-8)
    assert found.classes_.tolist() == peer.classes_.tolist()


def test_apply_gives_the_answers_of_memory(rows, folder):
    model = fit_whole(LogisticRegression(), rows, "kind")
    for method in ("predict", "predict_proba"):
        parts = list(blocks.apply(model, blocks.scan(folder, block_rows=700), method))
        assert len(parts) > 25
        assert (np.concatenate(parts) == getattr(model, method)(rows[FEATURES])).all()


def test_apply_to_what_comes_once(rows):
    scaler = StandardScaler().fit(rows[FEATURES])
    reader = pa.Table.from_pandas(rows[FEATURES], preserve_index=False).to_reader()
    found = np.concatenate(list(blocks.apply(scaler, reader, "transform")))
    assert (found == scaler.transform(rows[FEATURES])).all()


def test_partial_fit_over_the_frames_of_a_scan(rows, folder):
    model = GaussianNB()
    for frame in blocks.scan(folder, columns=columns_for("kind"), block_rows=5_000):
        table = frame.to_pandas()
        model.partial_fit(table[FEATURES], table["kind"], classes=["low", "middle", "top"])
    whole = fit_whole(GaussianNB(), rows, "kind")
    np.testing.assert_allclose(model.theta_, whole.theta_, rtol=1e-12)
    np.testing.assert_allclose(model.class_count_, whole.class_count_)


def test_the_reading_is_told(folder):
    scan = blocks.scan(folder, columns=columns_for("y"))
    LinearRegression().fit(scan, "y")
    assert scan.reading_.n_rows == N_ROWS
    assert scan.reading_.n_passes == 2  # moments and means, gradient
    assert scan.reading_.n_bytes >= 2 * N_ROWS * len(FEATURES) * 8
    assert scan.reading_.peak is None or scan.reading_.peak > 1_000_000


@pytest.mark.parametrize("model", [LinearRegression(), Ridge(alpha=3.0)], ids=name_of)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_one_pass_over_many_rows(model, dtype):
    rows = make_rows(dtype, n_rows=750_000)
    rows["y"] += 20.0 * rows["kind"].eq("top")  # so that something is left to explain
    halves = [rows.iloc[:300_007], rows.iloc[300_007:]]
    scan = blocks.scan(halves, columns=columns_for("y", "weight"))
    found = fit_blocks(model, scan, "y", "weight")
    whole = fit_whole(model, rows, "y", "weight")
    assert gramian.fingerprint(found) == gramian.fingerprint(whole)
    assert scan.reading_.n_passes == 1
    target, weight = rows["y"].to_numpy(), rows["weight"].to_numpy()
    residual = target - whole.predict(rows[FEATURES]).astype(float)
    penalty = getattr(model, "alpha", 0.0) * float((whole.coef_.astype(float) ** 2).sum())
    objective = float(weight @ residual**2) + penalty
    assert whole.certificate_.converged
    assert abs(whole.certificate_.objective / objective - 1.0) < (1e-11, 1e-6)[dtype is np.float32]


@pytest.mark.parametrize("model", [LinearRegression(), LogisticRegression()], ids=name_of)
def test_a_gap_in_the_last_block(model, rows, tmp_path):
    target = "sign" if isinstance(model, LogisticRegression) else "y"
    gaps = rows.copy()
    gaps.loc[N_ROWS - 1, "x3"] = np.nan
    scan = blocks.scan(write_files(tmp_path, gaps, [0, 9_000]), columns=columns_for(target))
    found = fit_blocks(model, scan, target)
    assert gramian.fingerprint(found) == gramian.fingerprint(fit_whole(model, gaps, target))
    assert found.encoding_.get_feature_names_out()[-1] == "x5"


def test_infinity_in_the_last_block(rows):
    scan = blocks.scan(rows.assign(x2=rows["x2"].where(rows.index < N_ROWS - 1, np.inf)))
    with pytest.raises(ValueError, match="infinity") as error:
        LinearRegression().fit(blocks.scan(list(scan), columns=columns_for("y")), "y")
    assert error.value.__context__ is None


def test_the_means_of_an_encoding_need_no_whole_pass(folder, rows):
    scan = blocks.scan(folder, columns=columns_for("y"))
    found = Ridge().fit(scan, "y")
    unseen = rows[FEATURES].iloc[:3].assign(x1=np.nan)
    whole = fit_whole(Ridge(), rows, "y")
    assert (found.predict(unseen) == whole.predict(unseen)).all()


@pytest.mark.parametrize("y", ["sign", "kind"])
def test_the_rows_that_logistic_regression_reads(y, folder):
    scan = blocks.scan(folder, columns=columns_for(y))
    LogisticRegression().fit(scan, y)
    assert scan.reading_.n_passes <= 15
