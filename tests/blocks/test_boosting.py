"""Boosting on histograms from blocks grows the trees that it grows in memory."""

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
from gramian.boosting import BoostingClassifier, BoostingRanker, BoostingRegressor
from gramian.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

FEW = {"n_estimators": 4, "random_state": 0}
MODELS = {
    "hist": (HistGradientBoostingRegressor(max_iter=4, early_stopping=False, random_state=0), "y"),
    "hist, stopped": (HistGradientBoostingRegressor(max_iter=4, random_state=0), "y"),
    "hist, goss": (
        HistGradientBoostingRegressor(loss="poisson", max_iter=4, sampling="goss", random_state=0),
        "count",
    ),
    "hist, classes": (HistGradientBoostingClassifier(max_iter=4, random_state=0), "kind"),
    "regressor": (BoostingRegressor(**FEW), "y"),
    "folds": (BoostingRegressor(n_folds=3, **FEW), "y"),
    "quantiles": (BoostingRegressor("quantile", quantile=[0.1, 0.9], **FEW), "y"),
    "stopped": (BoostingRegressor("gamma", early_stopping_rounds=2, **FEW), "amount"),
    "constraints": (
        BoostingRegressor(monotonic_cst={"x0": 1}, interaction_cst=[{0, 1}, {2, 3}], **FEW),
        "y",
    ),
    "classifier": (BoostingClassifier(growth="symmetric", max_bins=16, **FEW), "kind"),
    "dart": (BoostingClassifier(drop_rate=0.3, growth="level", **FEW), "sign"),
    "ordered": (BoostingClassifier(boosting_type="ordered", **FEW), "sign"),
}


@pytest.fixture(scope="module")
def rows():
    return make_rows()


@pytest.fixture(scope="module")
def folder(rows, tmp_path_factory):
    """Files of uneven lengths, one of them empty."""
    return write_files(tmp_path_factory.mktemp("files"), rows, [0, 999, 999, 12_000, 19_999])


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("weight", [None, "weight"])
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
def test_number_of_files_plays_no_role(n_files, rows, tmp_path):
    cuts = np.linspace(0, len(rows), n_files, endpoint=False).astype(int).tolist()
    folder = write_files(tmp_path, rows, cuts)
    model, y = MODELS["folds"]
    found = fit_blocks(model, blocks.scan(folder, columns=columns_for(y)), y)
    assert gramian.fingerprint(found) == gramian.fingerprint(fit_whole(model, rows, y))


@pytest.mark.parametrize("weight", [None, "weight"])
def test_bins_come_from_the_sample_of_memory(weight):
    rows = make_rows(np.float32, n_rows=230_000)  # more than bins are chosen from
    model = HistGradientBoostingRegressor(max_iter=2, random_state=0)
    scan = blocks.scan(rows, columns=columns_for("y", weight), block_rows=50_000)
    found = fit_blocks(model, scan, "y", weight)
    assert gramian.fingerprint(found) == gramian.fingerprint(fit_whole(model, rows, "y", weight))


@pytest.mark.parametrize("model", [BoostingRegressor(**FEW), MODELS["hist"][0]])
@pytest.mark.parametrize("block_rows", [1_000, 1_000_000])
def test_mixed_tables(model, block_rows, tmp_path):
    rows = make_mixed_rows()
    rows[:4_000].write_parquet(tmp_path / "a.parquet")
    rows[4_000:].write_parquet(tmp_path / "b.parquet")
    features = [name for name in rows.columns if name not in ("y", "sign")]
    expected = gramian.clone(model).fit(rows[features].to_arrow(), rows["y"].to_arrow())
    scan = blocks.scan(tmp_path, columns=[*features, "y"], block_rows=block_rows)
    found = gramian.clone(model).fit(scan, "y")
    assert found.is_categorical_.tolist() == [name == "level" for name in features]
    assert gramian.fingerprint(found) == gramian.fingerprint(expected)


def test_columns_said_to_be_categorical(rows, tmp_path):
    frame = rows[["x0", "x1", "y"]].assign(x2=np.arange(len(rows)) % 5, x3=np.nan)
    weight = np.where(frame["x2"] == 3, 0.0, 1.0)  # a level of no weight is none
    frame = frame.assign(weight=weight)
    model = HistGradientBoostingRegressor(
        categorical_features=["x2"], max_iter=3, early_stopping=False, random_state=0
    )
    expected = gramian.clone(model).fit(
        frame.drop(columns=["y", "weight"]), frame["y"], frame["weight"]
    )
    scan = blocks.scan(write_files(tmp_path, frame, [0, 7_000]))
    found = gramian.clone(model).fit(scan, "y", "weight")
    assert gramian.fingerprint(found) == gramian.fingerprint(expected)
    assert len(found._table_levels.levels[2]) == 4


def test_rows_that_are_followed(rows, folder):
    model = BoostingClassifier(n_estimators=6, learning_rate=0.5, random_state=0)
    held_out = make_rows(seed=1, n_rows=5_000)
    given = {"early_stopping_rounds": 2, "eval_metric": "log_loss"}
    expected = gramian.clone(model).fit(
        rows[FEATURES],
        rows["sign"],
        eval_set=[(held_out[FEATURES], held_out["sign"])],
        eval_sample_weight=[held_out["weight"]],
        **given,
    )
    followed = blocks.scan(held_out, block_rows=700)
    found = gramian.clone(model).fit(
        blocks.scan(folder, columns=columns_for("sign")),
        "sign",
        eval_set=[(followed, "sign")],
        eval_sample_weight=["weight"],
        **given,
    )
    assert found.evals_result_ == expected.evals_result_
    assert gramian.fingerprint(found) == gramian.fingerprint(expected)


@pytest.mark.parametrize(
    "model, rounds",
    [
        (BoostingRegressor(warm_start=True, **FEW), "n_estimators"),
        (HistGradientBoostingRegressor(max_iter=4, warm_start=True, random_state=0), "max_iter"),
    ],
)
def test_more_rounds(model, rounds, rows, folder):
    whole, scan = gramian.clone(model), blocks.scan(folder, columns=columns_for("y"))
    whole.fit(rows[FEATURES], rows["y"])
    whole.set_params(**{rounds: 7}).fit(rows[FEATURES], rows["y"])
    found = gramian.clone(model).fit(scan, "y")
    found.set_params(**{rounds: 7}).fit(scan, "y")
    assert gramian.fingerprint(found) == gramian.fingerprint(whole)


def test_passes_over_the_features(folder):
    scan = blocks.scan(folder, columns=columns_for("y"))
    fit_blocks(BoostingRegressor(**FEW), scan, "y")
    assert scan.reading_.n_passes == 3  # the sample, the bins, the rows of the certificate


@pytest.mark.parametrize(
    "model",
    [
        BoostingRegressor(linear_leaves=True, **FEW),
        BoostingRegressor(interval_folds=3, **FEW),
        HistGradientBoostingRegressor(interval_folds=3),
        HistGradientBoostingRegressor(scoring="r2"),
        BoostingRanker(),
    ],
)
def test_models_that_need_all_rows(model, rows):
    with pytest.raises(TypeError, match="needs all rows in memory and takes no scan"):
        model.fit(blocks.scan(rows[[*FEATURES, "y"]]), "y")


def test_bins_keep_to_the_memory_limit():
    rows = make_rows(np.float32, n_rows=200_000)
    model, y = MODELS["hist"]
    scan = blocks.scan(rows, columns=columns_for(y))
    with (
        gramian.config(memory_limit=1),
        pytest.raises(MemoryError, match=r"bins of 200000 rows and 6 columns take 1\.1 MiB"),
    ):
        fit_blocks(model, scan, y)
    with gramian.config(memory_limit=2):  # once, not twice
        found = fit_blocks(model, scan, y)
    assert gramian.fingerprint(found) == gramian.fingerprint(fit_whole(model, rows, y))


@pytest.mark.parametrize("name", MODELS)
def test_lean_bins_grow_the_same_trees(name, rows, folder, monkeypatch):
    model, y = MODELS[name]
    asked = []
    monkeypatch.setattr("gramian._boosting.bins._is_lean", lambda X: asked.append(X) or True)
    found = fit_blocks(model, blocks.scan(folder, columns=columns_for(y, "weight")), y, "weight")
    assert asked
    assert gramian.fingerprint(found) == gramian.fingerprint(fit_whole(model, rows, y, "weight"))


def test_target_statistics_need_all_rows():
    rng = np.random.default_rng(0)
    rows = pd.DataFrame({"x": rng.normal(size=3_000), "level": rng.integers(0, 300, 3_000)})
    rows["y"], rows["level"] = rows["x"], rows["level"].astype(str).add(" street")
    scan = blocks.scan(rows)
    with pytest.raises(ValueError, match=r"300 levels.*categorical_encoding='levels'"):
        BoostingRegressor(categorical_encoding="ordered", **FEW).fit(scan, "y")
    assert BoostingRegressor(categorical_encoding="levels", **FEW).fit(scan, "y").n_estimators_ == 4


def test_levels_beyond_the_bins(rows):
    levels = pd.Categorical(np.arange(len(rows)) % 40)
    frame = rows[["x0", "y"]].assign(level=levels)
    model = HistGradientBoostingRegressor(max_bins=16)
    with pytest.raises(ValueError, match="'level' is expected to have a cardinality <= 16") as want:
        model.fit(frame[["x0", "level"]], frame["y"])
    with pytest.raises(ValueError, match="'level'") as found:
        model.fit(blocks.scan(frame), "y")
    assert str(found.value) == str(want.value)


def test_rows_of_evaluation_are_named(rows):
    scan = blocks.scan(rows, columns=columns_for("y"))
    with pytest.raises(TypeError, match=r"eval_set=\[\(rows, 'price'\)\].*Got"):
        BoostingRegressor(**FEW).fit(scan, "y", eval_set=[(scan, [1.0])])
    with pytest.raises(ValueError, match="The scan has no column 'x1'"):
        BoostingRegressor(**FEW).fit(scan, "y", eval_set=[(blocks.scan(rows[["x0", "y"]]), "y")])


def test_blocks_agree_with_scikit_learn(rows, folder):
    from sklearn.ensemble import HistGradientBoostingRegressor as Peer

    options = {"max_iter": 60, "early_stopping": False, "random_state": 0}
    scan = blocks.scan(folder, columns=columns_for("y"))
    found = HistGradientBoostingRegressor(**options).fit(scan, "y")
    peer = Peer(**options).fit(rows[FEATURES], rows["y"])
    new = make_rows(seed=5)
    errors = [np.mean((m.predict(new[FEATURES]) - new["y"]) ** 2) for m in (found, peer)]
    assert errors[0] < 1.1 * errors[1]


def test_free_text_needs_all_rows(tmp_path):
    texts = [" ".join(f"word{k * j % 97}" for j in range(8)) for k in range(500)]
    frame = pd.DataFrame({"text": texts, "x": np.arange(500.0), "y": np.arange(500.0)})
    frame.to_parquet(tmp_path / "a.parquet")
    scan = blocks.scan(tmp_path)
    with pytest.raises(ValueError, match="'text' holds free text"):
        HistGradientBoostingRegressor(max_iter=2).fit(scan, "y")
    scan = blocks.scan(tmp_path)
    named = HistGradientBoostingRegressor(max_iter=2, categorical_features=["text"])
    assert named.fit(scan, "y").n_features_in_ == 2
