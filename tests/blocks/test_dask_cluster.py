"""Fits to Dask collections on a cluster, whose workers take the sums."""

import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
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
from gramian.cluster import KMeans
from gramian.decomposition import PCA
from gramian.discriminant_analysis import LinearDiscriminantAnalysis
from gramian.linear_model import (
    GammaRegressor,
    Lasso,
    LinearRegression,
    LogisticRegression,
    PoissonRegressor,
    Ridge,
    TweedieRegressor,
)
from gramian.naive_bayes import GaussianNB
from gramian.preprocessing import MaxAbsScaler, MinMaxScaler, StandardScaler

da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
distributed = pytest.importorskip("distributed")

SUMMED = (
    *(LinearRegression, Ridge, Lasso, GaussianNB, StandardScaler, MinMaxScaler),
    *(LogisticRegression, PoissonRegressor, GammaRegressor, TweedieRegressor),
)


def make_cluster(**options):
    return distributed.LocalCluster(
        threads_per_worker=1, dashboard_address=":0", **{"processes": False, **options}
    )


@pytest.fixture(scope="module")
def client():
    with make_cluster(n_workers=3) as cluster, distributed.Client(cluster) as found:
        yield found


@pytest.fixture(scope="module")
def rows():
    return make_rows(n_rows=50_000)


@pytest.fixture(scope="module")
def parts(rows):
    """Partitions of uneven lengths, two of them empty; blocks of 16,384 rows do not fit them."""
    cuts = [0, 10, 10, 30_000, 30_001, 49_999, 50_000, 50_000]
    return [rows.iloc[a:b] for a, b in pairwise(cuts)]


def collection_of(parts):
    import dask

    delayed = [dask.delayed(part) for part in parts]
    return dd.from_delayed(delayed, meta=parts[0].iloc[:0], verify_meta=False)


@pytest.mark.parametrize("model, y", MODELS, ids=name_of)
def test_workers_give_the_fingerprint_of_memory(model, y, rows, parts, client):
    weight = None if isinstance(model, (MinMaxScaler, MaxAbsScaler)) else "weight"
    frame = collection_of(parts)
    others = {"y": y} if y else {}
    if weight:
        others["sample_weight"] = frame[weight]
    found = gramian.clone(model).fit(frame[columns_for(y)], **others)
    assert gramian.fingerprint(found) == gramian.fingerprint(fit_whole(model, rows, y, weight))


@pytest.mark.parametrize("n_workers", [1, 2, 4])
def test_number_of_workers_plays_no_role(n_workers, rows, parts):
    with make_cluster(n_workers=n_workers) as cluster, distributed.Client(cluster):
        found = Ridge().fit(collection_of(parts)[columns_for("y")], y="y")
    assert gramian.fingerprint(found) == gramian.fingerprint(fit_whole(Ridge(), rows, "y"))


@pytest.mark.parametrize("model", [cls() for cls in SUMMED], ids=name_of)
def test_sums_travel_and_rows_do_not(model, parts, client):
    y = dict(MODELS_BY_NAME)[type(model).__name__]
    scan = blocks.scan(collection_of(parts)[columns_for(y)])
    model.fit(scan, *([y] if y else []))
    # Guesses of means and origins take the first block.
    n_blocks = scan.reading_.n_bytes / (16_384 * len(FEATURES) * 8)
    assert 0 <= n_blocks <= 4
    iterative = (LogisticRegression, PoissonRegressor, GammaRegressor, TweedieRegressor)
    assert scan.reading_.n_passes <= (30 if isinstance(model, iterative) else 4)


MODELS_BY_NAME = [(type(model).__name__, y) for model, y in MODELS]


@pytest.mark.parametrize(
    "model, y",
    [(KMeans(3, random_state=0), None), (PCA(2), None), (LinearDiscriminantAnalysis(), "kind")],
    ids=name_of,
)
def test_centres_and_components(model, y, rows, parts, client):
    found = gramian.clone(model).fit(collection_of(parts)[columns_for(y)], *([y] if y else []))
    assert gramian.fingerprint(found) == gramian.fingerprint(fit_whole(model, rows, y))


def test_nine_classes_are_scored_as_differences(rows, parts, client):
    frame = rows.assign(ninth=rows.index % 9)
    cut = [frame.loc[part.index] for part in parts]
    found = LogisticRegression(C=0.1).fit(collection_of(cut)[columns_for("ninth")], y="ninth")
    whole = fit_whole(LogisticRegression(C=0.1), frame, "ninth")
    assert gramian.fingerprint(found) == gramian.fingerprint(whole)


@pytest.mark.parametrize(
    "model",
    [
        KMeans(3, init="k-means||", random_state=0),
        KMeans(4, init=np.array([[0.0] * 6, [1.0] * 6, [9e9] * 6, [-9e9] * 6]), max_iter=3),
        KMeans(5, random_state=1, verbose=1, max_iter=4),
    ],
    ids=["k-means||", "empty clusters", "verbose"],
)
def test_steps_of_k_means_travel(model, rows, parts, client, capsys):
    scan = blocks.scan(collection_of(parts)[columns_for(None, "weight")])
    found = gramian.clone(model).fit(scan, sample_weight="weight")
    told = capsys.readouterr().out
    whole = fit_whole(model, rows, None, "weight")
    assert gramian.fingerprint(found) == gramian.fingerprint(whole)
    assert told == capsys.readouterr().out
    if isinstance(model.init, str):  # else the farthest rows are looked for
        assert scan.reading_.n_bytes <= 3 * 16_384 * len(FEATURES) * 8


def test_arrays_and_several_targets(rows, client):
    X, y = rows[FEATURES].to_numpy(np.float32), rows[["y", "amount"]].to_numpy()
    found = Ridge().fit(da.from_array(X, chunks=(9_000, 6)), da.from_array(y, chunks=(9_000, 1)))
    assert gramian.fingerprint(found) == gramian.fingerprint(Ridge().fit(X, y))


@pytest.mark.parametrize("model, y", [(Lasso(alpha=0.01), "y"), (GaussianNB(), "sign")])
def test_mixed_tables(model, y, client):
    rows = make_mixed_rows().to_pandas()
    rows["day"] = rows["day"].astype("datetime64[s]")
    features = [name for name in rows.columns if name not in ("y", "sign")]
    found = gramian.clone(model).fit(dd.from_pandas(rows[[*features, y]], npartitions=4), y=y)
    expected = gramian.clone(model).fit(rows[features], rows[y])
    assert gramian.fingerprint(found) == gramian.fingerprint(expected)


def test_two_fits_at_once(rows, parts, client):
    frame = collection_of(parts)[columns_for("y")].persist()
    expected = gramian.fingerprint(fit_whole(Ridge(), rows, "y"))
    with ThreadPoolExecutor(2) as pool:
        fits = [pool.submit(Ridge().fit, frame, y="y") for _ in range(4)]
        assert {gramian.fingerprint(fit.result(timeout=60)) for fit in fits} == {expected}


def test_nothing_stays_on_the_workers(parts, client):
    LinearRegression().fit(collection_of(parts)[columns_for("y")], y="y")
    deadline = time.monotonic() + 10
    while client.futures and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not client.futures


def test_bad_columns_name_their_partition(rows, parts, client):
    wrong = parts[2].assign(x0="text")
    frame = collection_of([parts[0], wrong])[columns_for("y")]
    with pytest.raises(TypeError, match=r"'x0' holds .* and .* in partition 1"):
        LinearRegression().fit(frame, y="y")
    large = parts[2].assign(x0=2**60)
    frame = collection_of([parts[0], large])[columns_for("y")]
    with pytest.raises(
        ValueError, match=r"'x0' of partition 1 holds the integer 1152921504606846976"
    ):
        LinearRegression().fit(frame, y="y")


def test_missing_values_are_found(rows, client):
    X = rows[FEATURES].to_numpy().copy()
    X[40_000, 2] = np.inf
    y = da.from_array(rows["y"].to_numpy(), chunks=10_000)
    with pytest.raises(ValueError, match="infinity"):
        LinearRegression().fit(da.from_array(X, chunks=(10_000, 6)), y)


def sleep_for(frame, seconds):
    time.sleep(seconds)
    return frame


def test_silence_raises(parts, client):
    slow = collection_of(parts)[FEATURES].map_partitions(sleep_for, 1.5, meta=parts[0][FEATURES])
    words = r"no progress for 0.4 seconds; partition 0 of 7 was awaited"
    with gramian.config(dask_timeout=0.4), pytest.raises(TimeoutError, match=words):
        StandardScaler().fit(slow)


def test_ctrl_c(parts, client):
    slow = collection_of(parts)[FEATURES].map_partitions(sleep_for, 3.0, meta=parts[0][FEATURES])
    sent = []

    def interrupt():
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(0.7, interrupt)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        StandardScaler().fit(slow)
    assert time.monotonic() - sent[0] < 2.0  # long before the partition is there
    timer.join()


def test_a_killed_worker_changes_nothing(rows, parts):
    expected = gramian.fingerprint(fit_whole(GammaRegressor(), rows, "amount"))
    with (
        make_cluster(n_workers=2, processes=True) as cluster,
        distributed.Client(cluster) as client,
    ):
        frame = collection_of(parts)[columns_for("amount")]
        workers = list(client.run(os.getpid).values())
        scan = blocks.scan(frame)
        killed = []

        def kill():
            while scan.reading_.n_passes < 3:
                time.sleep(0.01)
            os.kill(workers[0], signal.SIGKILL)
            killed.append(workers[0])

        killer = threading.Thread(target=kill)
        killer.start()
        found = GammaRegressor().fit(scan, y="amount")
        killer.join()
    assert killed
    assert gramian.fingerprint(found) == expected


def test_a_scheduler_that_is_gone_raises(parts):
    cluster = make_cluster(n_workers=1)
    with cluster, distributed.Client(cluster):
        slow = collection_of(parts)[FEATURES].map_partitions(
            sleep_for, 0.5, meta=parts[0][FEATURES]
        )
        threading.Timer(0.6, cluster.close).start()
        start = time.monotonic()
        with gramian.config(dask_timeout=2.0), pytest.raises((ConnectionError, TimeoutError)):
            StandardScaler().fit(slow)
        assert time.monotonic() - start < 20.0
