"""Fits to Dask collections, partition by partition in this process."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from tests.blocks.test_same_bits import (
    FEATURES,
    MODELS,
    columns_for,
    fit_whole,
    make_mixed_rows,
    make_rows,
    name_of,
)

import gramian
from gramian import blocks
from gramian.boosting import BoostingRegressor
from gramian.ensemble import HistGradientBoostingClassifier
from gramian.linear_model import Lasso, LinearRegression, LogisticRegression, Ridge
from gramian.naive_bayes import GaussianNB
from gramian.neighbors import KNeighborsClassifier
from gramian.pipeline import make_pipeline
from gramian.preprocessing import MaxAbsScaler, MinMaxScaler, StandardScaler

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")


@pytest.fixture(autouse=True)
def synchronous():
    """Most fits need no threads of Dask, which cost more than these small partitions."""
    with dask.config.set(scheduler="synchronous"):
        yield


@pytest.fixture(scope="module")
def rows():
    return make_rows(n_rows=9_000)


@pytest.fixture(scope="module")
def frame(rows):
    """Seven partitions of uneven lengths, two of them empty, without known divisions."""
    cuts = [0, 10, 10, 4_000, 4_001, 8_999, 9_000, 9_000]
    parts = [rows.iloc[a:b] for a, b in pairwise(cuts)]
    found = dd.from_delayed([dask.delayed(part) for part in parts], meta=rows.iloc[:0])
    assert not found.known_divisions
    return found


@pytest.mark.parametrize("model, y", MODELS, ids=name_of)
def test_dask_gives_the_fingerprint_of_memory(model, y, rows, frame):
    weight = None if isinstance(model, (MinMaxScaler, MaxAbsScaler)) else "weight"
    expected = gramian.fingerprint(fit_whole(model, rows, y, weight))
    if weight is None:
        found = gramian.clone(model).fit(frame[columns_for(y)])
    else:
        others = {"sample_weight": frame[weight]} | ({} if y is None else {"y": frame[y]})
        found = gramian.clone(model).fit(frame[FEATURES], **others)
    assert gramian.fingerprint(found) == expected


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int32, bool])
@pytest.mark.parametrize(
    "model, y",
    [(LinearRegression(), "y"), (LogisticRegression(), "kind"), (GaussianNB(), "kind")],
    ids=name_of,
)
def test_arrays(model, y, dtype, rows):
    X = (rows[FEATURES].to_numpy() - [0, 50, 0, 1000, 0, 0]).round(1).astype(dtype)
    X[:, 2] = np.arange(len(X)) % 3 == 0
    target = rows[y].to_numpy()
    expected = gramian.clone(model).fit(X, target)
    found = gramian.clone(model).fit(
        da.from_array(X, chunks=(2_000, 4)), da.from_array(target, chunks=2_000)
    )
    assert gramian.fingerprint(found) == gramian.fingerprint(expected)
    assert not hasattr(found, "feature_names_in_")


def test_arrays_of_unknown_lengths(rows):
    X = da.from_array(rows[FEATURES].to_numpy(), chunks=(2_000, 6))
    y = da.from_array(rows[["y", "amount"]].to_numpy(), chunks=(2_000, 2))
    kept = rows["x0"] > 0.5
    found = Ridge().fit(X[X[:, 0] > 0.5], y[X[:, 0] > 0.5])
    expected = Ridge().fit(rows[FEATURES].to_numpy()[kept], rows[["y", "amount"]].to_numpy()[kept])
    assert gramian.fingerprint(found) == gramian.fingerprint(expected)


@pytest.mark.parametrize("n_partitions", [1, 7, 64])
def test_number_of_partitions_plays_no_role(n_partitions, rows):
    frame = dd.from_pandas(rows[[*FEATURES, "y"]], npartitions=n_partitions)
    found = LinearRegression().fit(frame, y="y")
    expected = fit_whole(LinearRegression(), rows, "y")
    assert gramian.fingerprint(found) == gramian.fingerprint(expected)


@pytest.mark.parametrize(
    "model, y",
    [(Ridge(), "y"), (Lasso(alpha=0.01), "y"), (LogisticRegression(), "sign")],
    ids=name_of,
)
def test_mixed_tables(model, y):
    rows = make_mixed_rows().to_pandas()
    rows["day"] = rows["day"].astype("datetime64[s]")
    features = [name for name in rows.columns if name not in ("y", "sign")]
    frame = dd.from_pandas(rows, npartitions=4)
    found = gramian.clone(model).fit(frame[[*features, y]], y=y)
    expected = gramian.clone(model).fit(rows[features], rows[y])
    assert gramian.fingerprint(found) == gramian.fingerprint(expected)


# Dask itself calls what pandas 3.1 deprecates.
@pytest.mark.filterwarnings("ignore:The inplace keyword")
def test_selections_of_one_parquet_belong_together(rows, tmp_path):
    for number in range(10):
        part = rows.iloc[900 * number : 900 * (number + 1)]
        part.to_parquet(tmp_path / f"part-{number}.parquet", index=False)
    frame = dd.read_parquet(tmp_path)
    found = LinearRegression().fit(frame[FEATURES], frame["y"], sample_weight=frame["weight"])
    expected = fit_whole(LinearRegression(), rows, "y", "weight")
    assert gramian.fingerprint(found) == gramian.fingerprint(expected)


@pytest.mark.parametrize(
    "model, y",
    [
        (BoostingRegressor(n_estimators=4, random_state=0), "y"),
        (HistGradientBoostingClassifier(max_iter=4, random_state=0), "kind"),
    ],
    ids=name_of,
)
def test_boosting(model, y, rows, frame):
    expected = fit_whole(model, rows, y, "weight")
    found = gramian.clone(model).fit(frame[FEATURES], frame[y], sample_weight=frame["weight"])
    assert gramian.fingerprint(found) == gramian.fingerprint(expected)
    X, target = rows[FEATURES].to_numpy(), rows[y].to_numpy()
    expected = gramian.clone(model).fit(X, target)
    found = gramian.clone(model).fit(
        da.from_array(X, chunks=(2_500, 3)), da.from_array(target, chunks=2_500)
    )
    assert gramian.fingerprint(found) == gramian.fingerprint(expected)


def test_targets_named_as_a_feature(rows):
    frame = dd.from_pandas(rows[FEATURES], npartitions=3)
    target = dd.from_pandas(rows["y"].rename("x0"), npartitions=3)
    found = LinearRegression().fit(frame, target)
    expected = fit_whole(LinearRegression(), rows, "y")
    assert gramian.fingerprint(found) == gramian.fingerprint(expected)


def test_scans_of_dask(rows, frame):
    scan = blocks.scan(frame, columns=[*FEATURES, "y"])
    found = LinearRegression().fit(scan, y="y")
    expected = fit_whole(LinearRegression(), rows, "y")
    assert gramian.fingerprint(found) == gramian.fingerprint(expected)
    assert scan.reading_.n_rows == len(rows)
    assert sum(len(part) for part in blocks.scan(frame, block_rows=1_000)) == len(rows)


def test_the_scheduler_is_that_of_the_settings(rows, frame):
    seen = []

    def get(graph, keys, **options):
        seen.append(keys)
        return dask.local.get_sync(graph, keys, **options)

    with dask.config.set(scheduler=get):
        StandardScaler().fit(frame[FEATURES])
    assert len(seen) >= frame.npartitions


def test_inside_a_task_nothing_waits_for_other_tasks(rows):
    distributed = pytest.importorskip("distributed")
    frame = dd.from_pandas(rows[[*FEATURES, "y"]], npartitions=3)
    cluster = distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0"
    )
    with cluster, distributed.Client(cluster) as client:
        found = client.submit(lambda: Ridge().fit(frame, y="y"), pure=False).result(timeout=30)
    assert gramian.fingerprint(found) == gramian.fingerprint(fit_whole(Ridge(), rows, "y"))


def test_lengths_that_differ(rows):
    frame = dd.from_pandas(rows, npartitions=3)
    short = dd.from_pandas(rows.iloc[:-5], npartitions=3)
    with pytest.raises(ValueError, match=r"X has \d+ rows in a partition in which y has \d+"):
        LinearRegression().fit(frame[FEATURES], short["y"])
    other = dd.from_pandas(rows, npartitions=4)
    with pytest.raises(ValueError, match="X has 3 partitions and sample_weight has 4"):
        LinearRegression().fit(frame[FEATURES], frame["y"], sample_weight=other["weight"])


def test_no_rows(frame):
    with pytest.raises(ValueError, match="There are no rows"):
        LinearRegression().fit(frame[frame["x0"] > 1e9][[*FEATURES, "y"]], y="y")


@pytest.mark.parametrize(
    "X, y, error, words",
    [
        ("frame", np.zeros(9_000), TypeError, "y is the name of one of its columns"),
        ("frame", "none", ValueError, "has no column 'none'"),
        ("frame", ("delayed",), TypeError, "y must be a Dask DataFrame, Series or Array"),
        ("text", "x0", TypeError, "X must be an Array of numbers"),
        ("cube", "x0", ValueError, "X must be an Array of one or two dimensions"),
        ("whole", "y", TypeError, "columns of X must be named by text"),
    ],
)
def test_what_is_no_table(X, y, error, words, frame):
    given = {
        "frame": frame,
        "text": da.from_array(np.array([["a"], ["b"]])),
        "cube": da.zeros((4, 3, 2)),
        "whole": dd.from_pandas(pd.DataFrame({0: [1.0, 2.0], 1: [3.0, 4.0]}), npartitions=1),
    }
    target = dask.delayed(1) if isinstance(y, tuple) else y
    with pytest.raises(error, match=words):
        LinearRegression().fit(given[X], target)


@pytest.mark.parametrize("model", [KNeighborsClassifier(), make_pipeline(StandardScaler())])
def test_what_needs_all_rows(model, frame):
    with pytest.raises(TypeError, match="needs all rows in memory"):
        model.fit(frame[FEATURES], frame["kind"])


def test_a_failing_partition_names_its_error(rows):
    def fail(part):
        if part["x0"].iloc[0] == rows["x0"].iloc[0]:
            return part
        raise OSError("the disk is gone")

    frame = dd.from_pandas(rows[FEATURES], npartitions=2)
    broken = frame.map_partitions(fail, meta=rows[FEATURES].iloc[:0])
    with pytest.raises(OSError, match="the disk is gone"):
        StandardScaler().fit(broken)


def test_missing_values_of_an_array(rows):
    X = rows[FEATURES].to_numpy().copy()
    X[17, 3] = np.nan
    given = da.from_array(X, chunks=(1_000, 6))
    with pytest.raises(ValueError, match="NaN"):
        LinearRegression().fit(given, da.from_array(rows["y"].to_numpy(), chunks=1_000))
    found = StandardScaler().fit(given)
    assert gramian.fingerprint(found) == gramian.fingerprint(StandardScaler().fit(X))


@pytest.mark.parametrize("method", ["predict", "predict_proba"])
def test_answers_are_lazy(method, rows, frame):
    model = fit_whole(LogisticRegression(), rows, "kind")
    seen = []
    counted = frame.map_partitions(lambda part: (seen.append(1), part)[1], meta=rows.iloc[:0])
    found = blocks.apply(model, counted, method)
    assert not seen
    assert found.npartitions == frame.npartitions
    answers = found.compute()
    assert seen
    assert (answers.to_numpy() == getattr(model, method)(rows[FEATURES])).all()
    assert answers.index.equals(rows.index)
    if method == "predict_proba":
        assert answers.columns.tolist() == model.classes_.tolist()


def test_answers_about_arrays(rows):
    X = rows[FEATURES].to_numpy()
    model = LinearRegression().fit(X, rows["y"])
    given = da.from_array(X, chunks=(2_000, 4))
    found = blocks.apply(model, given)
    assert found.shape == (len(rows),)
    assert found.dtype == np.float64
    assert (found.compute() == model.predict(X)).all()
    kept = blocks.apply(model, given[given[:, 0] > 3.0])
    assert (kept.compute() == model.predict(X[X[:, 0] > 3.0])).all()
    scaled = blocks.apply(StandardScaler().fit(X), given, "transform")
    assert scaled.shape == X.shape
    assert (scaled.compute() == StandardScaler().fit_transform(X)).all()


def test_transformed_frames_keep_names(rows, frame):
    scaler = StandardScaler().fit(rows[FEATURES])
    found = blocks.apply(scaler, frame, "transform")
    assert list(found.columns) == FEATURES
    pd.testing.assert_frame_equal(
        found.compute(), pd.DataFrame(scaler.transform(rows[FEATURES]), columns=FEATURES)
    )
    named = blocks.apply(scaler.set_output(transform="polars"), frame, "transform")
    pd.testing.assert_frame_equal(found.compute(), named.compute())


def test_models_say_who_answers(rows, frame):
    model = fit_whole(LinearRegression(), rows, "y")
    with pytest.raises(
        TypeError, match=r"X is a Dask collection. gramian.blocks.apply\(model, X\)"
    ):
        model.predict(frame)
