"""k-means from blocks takes the steps that it takes in memory."""

import numpy as np
import pytest
from tests.blocks.made import (
    FEATURES,
    N_ROWS,
    columns_for,
    fit_blocks,
    make_mixed_rows,
    make_rows,
    write_files,
)

import gramian
from gramian import blocks
from gramian.cluster import KMeans, MiniBatchKMeans

STARTS = np.random.default_rng(5).normal(size=(4, 6)) * [1, 10, 0.1, 1, 1, 3] + [
    0,
    50,
    0,
    1e3,
    0,
    0,
]
MODELS = {
    "k-means++": KMeans(5, max_iter=15, random_state=0),
    "k-means||": KMeans(5, init="k-means||", max_iter=10, random_state=1),
    "random": KMeans(3, init="random", n_init=2, max_iter=10, random_state=2),
    "given": KMeans(4, init=STARTS, max_iter=50),
    "a few steps": KMeans(6, max_iter=3, tol=0.0, random_state=3),
    "empty clusters": KMeans(4, init=STARTS * [1e6, 1, 1, 1, 1, 1] * [[1], [1], [1], [0]]),
}


@pytest.fixture(scope="module")
def rows():
    return make_rows()


@pytest.fixture(scope="module")
def folder(rows, tmp_path_factory):
    """Files of uneven lengths, one of them empty."""
    return write_files(tmp_path_factory.mktemp("files"), rows, [0, 999, 999, 12_000, 19_999])


def fit_whole(model, rows, weight=None):
    given = {} if weight is None else {"sample_weight": rows[weight]}
    return gramian.clone(model).fit(rows[FEATURES], **given)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("weight", [None, "weight"])
def test_blocks_give_the_fingerprint_of_memory(name, weight, rows, folder):
    model = MODELS[name]
    whole = fit_whole(model, rows, weight)
    for block_rows in (1_000, 8_192, 1_000_000):
        for n_threads in (1, 2):
            scan = blocks.scan(folder, columns=columns_for(None, weight), block_rows=block_rows)
            with gramian.config(n_threads=n_threads):
                found = fit_blocks(model, scan, None, weight)
            assert gramian.fingerprint(found) == gramian.fingerprint(whole)
    np.testing.assert_array_equal(found.labels_, whole.labels_)


@pytest.mark.parametrize("n_files", [1, 7, 64])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_number_of_files_plays_no_role(n_files, dtype, tmp_path):
    rows = make_rows(dtype)
    cuts = np.linspace(0, len(rows), n_files, endpoint=False).astype(int).tolist()
    folder = write_files(tmp_path, rows, cuts)
    model = MODELS["k-means++"]
    found = fit_blocks(model, blocks.scan(folder, columns=FEATURES), None)
    assert gramian.fingerprint(found) == gramian.fingerprint(fit_whole(model, rows))


def test_many_clusters(rows, folder):
    model = KMeans(300, max_iter=2, init="random", n_init=1, random_state=0)
    found = fit_blocks(model, blocks.scan(folder, columns=FEATURES), None)
    assert gramian.fingerprint(found) == gramian.fingerprint(fit_whole(model, rows))


def test_mixed_tables(tmp_path):
    rows = make_mixed_rows().drop("y", "sign")
    rows[:4_000].write_parquet(tmp_path / "a.parquet")
    rows[4_000:].write_parquet(tmp_path / "b.parquet")
    model = KMeans(4, random_state=0)
    found = gramian.clone(model).fit(blocks.scan(tmp_path, block_rows=1_000))
    expected = gramian.clone(model).fit(rows.to_arrow())
    assert gramian.fingerprint(found) == gramian.fingerprint(expected)


def test_many_rows_are_seeded_by_some_of_them():
    rows = make_rows(np.float32, n_rows=300_000)[FEATURES[:3]]
    model = KMeans(3, max_iter=20, random_state=0)
    found = gramian.clone(model).fit(blocks.scan(rows))
    again = gramian.clone(model).fit(blocks.scan(rows, block_rows=1_000))
    whole = gramian.clone(model).fit(rows)
    assert gramian.fingerprint(found) == gramian.fingerprint(again)
    assert found.inertia_ <= 1.1 * whole.inertia_
    # From the same start the steps are those of memory.
    given = KMeans(3, init=found.cluster_centers_ + 1.0, max_iter=5)
    expected = gramian.clone(given).fit(rows)
    found = gramian.clone(given).fit(blocks.scan(rows))
    assert gramian.fingerprint(found) == gramian.fingerprint(expected)


def test_labels_and_predictions(rows, folder):
    scan = blocks.scan(folder, columns=FEATURES)
    model = KMeans(3, random_state=0)
    labels = model.fit_predict(scan)
    assert labels.shape == (N_ROWS,)
    found = np.concatenate(list(blocks.apply(model, scan)))
    np.testing.assert_array_equal(found, labels)


def test_what_takes_rows_in_memory(rows, folder):
    scan = blocks.scan(folder, columns=FEATURES)
    with pytest.raises(TypeError, match="fit_transform of KMeans takes rows in memory"):
        KMeans(3).fit_transform(scan)
    with pytest.raises(TypeError, match="needs all rows in memory and takes no scan"):
        KMeans(3, init=lambda X, k, random_state: X[:k]).fit(scan)
    with pytest.raises(TypeError, match="needs all rows in memory and takes no scan"):
        MiniBatchKMeans(3).fit(scan)
    with pytest.raises(ValueError, match="n_clusters=1025 is more than 1024"):
        KMeans(1025).fit(scan)
    with pytest.raises(ValueError, match="n_samples=20000 should be >= n_clusters=20001"):
        KMeans(20_001).fit(scan)
    with pytest.raises(ValueError, match="beyond the range of numbers"):
        KMeans(2, init=STARTS[:2]).fit(blocks.scan(rows[FEATURES] * 1e200))
