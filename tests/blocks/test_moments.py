"""Components and discriminants from blocks, by the moments of the rows."""

import numpy as np
import pandas as pd
import pytest
from tests.blocks.made import (
    FEATURES,
    columns_for,
    fit_blocks,
    fit_whole,
    make_mixed_rows,
    make_rows,
    write_files,
)

import gramian
from gramian import blocks
from gramian.decomposition import PCA
from gramian.discriminant_analysis import LinearDiscriminantAnalysis

MODELS = {
    "all components": (PCA(), None),
    "some components": (PCA(2, whiten=True), None),
    "a fraction": (PCA(0.9, svd_solver="full"), None),
    "the likeliest": (PCA("mle"), None),
    "svd": (LinearDiscriminantAnalysis(store_covariance=True), "kind"),
    "two classes": (LinearDiscriminantAnalysis(priors=[0.3, 0.7]), "sign"),
    "lsqr": (LinearDiscriminantAnalysis("lsqr", shrinkage=0.1), "kind"),
    "eigen": (LinearDiscriminantAnalysis("eigen"), "kind"),
}


@pytest.fixture(scope="module")
def rows():
    return make_rows()


@pytest.fixture(scope="module")
def folder(rows, tmp_path_factory):
    """Files of uneven lengths, one of them empty."""
    return write_files(tmp_path_factory.mktemp("files"), rows, [0, 999, 999, 12_000, 19_999])


def weights_of(y):
    return [None] if y is None else [None, "weight"]  # PCA takes no weights


CASES = [(name, weight) for name, (_, y) in MODELS.items() for weight in weights_of(y)]


@pytest.mark.parametrize("name, weight", CASES)
def test_blocks_give_the_fingerprint_of_memory(name, weight, rows, folder):
    model, y = MODELS[name]
    expected = gramian.fingerprint(fit_whole(model, rows, y, weight))
    for block_rows in (1_000, 8_192, 1_000_000):
        for n_threads in (1, 2):
            scan = blocks.scan(folder, columns=columns_for(y, weight), block_rows=block_rows)
            with gramian.config(n_threads=n_threads):
                found = fit_blocks(model, scan, y, weight)
            assert gramian.fingerprint(found) == expected


@pytest.mark.parametrize("n_files", [1, 7, 64])
@pytest.mark.parametrize("name", ["some components", "svd"])
def test_number_of_files_plays_no_role(name, n_files, rows, tmp_path):
    cuts = np.linspace(0, len(rows), n_files, endpoint=False).astype(int).tolist()
    folder = write_files(tmp_path, rows, cuts)
    model, y = MODELS[name]
    found = fit_blocks(model, blocks.scan(folder, columns=columns_for(y)), y)
    assert gramian.fingerprint(found) == gramian.fingerprint(fit_whole(model, rows, y))


@pytest.mark.parametrize("name", ["some components", "svd"])
def test_single_precision(name, tmp_path):
    rows = make_rows(np.float32)
    folder = write_files(tmp_path, rows, [0, 7_000])
    model, y = MODELS[name]
    found = fit_blocks(model, blocks.scan(folder, columns=columns_for(y)), y)
    assert gramian.fingerprint(found) == gramian.fingerprint(fit_whole(model, rows, y))


@pytest.mark.parametrize("name", ["all components", "svd"])
def test_columns_that_depend_on_each_other(name, rows, tmp_path):
    frame = rows.assign(x5=rows["x0"] + 2.0 * rows["x1"], x4=7.0)
    folder = write_files(tmp_path, frame, [0, 11_111])
    model, y = MODELS[name]
    found = fit_blocks(model, blocks.scan(folder, columns=columns_for(y)), y)
    assert gramian.fingerprint(found) == gramian.fingerprint(fit_whole(model, frame, y))


@pytest.mark.parametrize("model, y", [(PCA(3), None), (LinearDiscriminantAnalysis(), "sign")])
def test_mixed_tables(model, y, tmp_path):
    rows = make_mixed_rows()
    rows[:4_000].write_parquet(tmp_path / "a.parquet")
    rows[4_000:].write_parquet(tmp_path / "b.parquet")
    features = [name for name in rows.columns if name not in ("y", "sign")]
    target = () if y is None else (rows[y].to_arrow(),)
    expected = gramian.clone(model).fit(rows[features].to_arrow(), *target)
    scan = blocks.scan(tmp_path, columns=[*features, *([y] if y else [])], block_rows=1_000)
    found = fit_blocks(model, scan, y)
    assert gramian.fingerprint(found) == gramian.fingerprint(expected)


def test_passes_over_the_features(folder):
    scan = blocks.scan(folder, columns=FEATURES)
    PCA(2).fit(scan)
    assert scan.reading_.n_passes == 1  # moments, and means on the way


def test_what_takes_rows_in_memory(rows, folder):
    scan = blocks.scan(folder, columns=FEATURES)
    with pytest.raises(TypeError, match="fit_transform of PCA takes rows in memory"):
        PCA(2).fit_transform(scan)
    scan = blocks.scan(folder, columns=columns_for("kind"))
    with pytest.raises(TypeError, match="needs all rows in memory and takes no scan"):
        LinearDiscriminantAnalysis("lsqr", shrinkage="auto").fit(scan, "kind")
    wide = np.random.default_rng(0).normal(size=(2_100, 2_050))
    scan = blocks.scan(pd.DataFrame(wide).add_prefix("x"))
    with pytest.raises(ValueError, match=r"at most 2000 columns.*Got 2050"):
        PCA(2).fit(scan)


def test_blocks_agree_with_scikit_learn(rows, folder):
    from sklearn import decomposition

    found = PCA(3).fit(blocks.scan(folder, columns=FEATURES))
    peer = decomposition.PCA(3).fit(rows[FEATURES])
    np.testing.assert_allclose(found.components_, peer.components_, atol=1e-10)
    np.testing.assert_allclose(found.explained_variance_, peer.explained_variance_, rtol=1e-10)
