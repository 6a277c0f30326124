"""The files that CatBoost reads, and its functions and pools."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from tests.compat import files

from gramian.compat.catboost import (
    CatBoost,
    CatBoostClassifier,
    CatBoostRegressor,
    Pool,
    cv,
    load_model,
    train,
)
from gramian.compat.catboost._trees import _floor
from gramian.datasets import load_breast_cancer, load_diabetes
from gramian.exceptions import InvalidParameterError, ModelFileError
from gramian.model_selection import KFold

X_CANCER, Y_CANCER = load_breast_cancer(return_X_y=True)
X_SUGAR, Y_SUGAR = load_diabetes(return_X_y=True)
POLICIES = ("SymmetricTree", "Depthwise", "Lossguide")


def mixed_rows(n=300):
    """Return numbers with gaps, text, and numbers that are categories."""
    rng = np.random.default_rng(0)
    rows = pd.DataFrame(rng.normal(size=(n, 3)), columns=list("abc"))
    rows.loc[::7, "b"] = np.nan
    rows["town"] = np.array(["Lyon", "Oslo", "Rome", "a name of many letters", "Ö"])[
        rng.integers(0, 5, n)
    ]
    rows["size"] = rng.integers(0, 3, n)
    y = 2.0 * rows["a"] + rows["b"].fillna(2.0) + 2.0 * (rows["town"] == "Rome") - rows["size"]
    return rows, y.to_numpy()


# -- files -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("nan_mode", ["Min", "Max"])
@pytest.mark.parametrize(
    "loss", ["RMSE", "Quantile:alpha=0.7", "Logloss", "MultiClass", "MultiClassOneVsAll"]
)
def test_written_models_are_read_again(policy, nan_mode, loss, tmp_path):
    """The real CatBoost reads these files, too, with predictions equal to 1e-14."""
    rows, number = mixed_rows()
    y = {"RMSE": number, "Logloss": np.array(["no", "yes"])[(number > 0) * 1]}
    target = y.get(loss, number if ":" in loss else np.digitize(number, [-1, 2]))
    params = {"iterations": 8, "depth": 4, "learning_rate": 0.3, "loss_function": loss}
    params |= {"grow_policy": policy, "nan_mode": nan_mode, "one_hot_max_size": 10}
    model = CatBoost(params).fit(rows, target, cat_features=["town", "size"])
    model.save_model(tmp_path / "model.json")
    new = rows.copy()
    new.loc[:5, "town"] = "Vienna"
    expected = model.predict(new)
    again = CatBoost().load_model(tmp_path / "model.json")
    np.testing.assert_allclose(again.predict(new), expected, rtol=1e-12, atol=1e-12)
    read = load_model(tmp_path / "model.json")
    method = "decision_function" if hasattr(read, "classes_") else "predict_raw"
    np.testing.assert_allclose(getattr(read, method)(new), expected, rtol=1e-12, atol=1e-12)
    assert again.feature_names_ == list(rows.columns)
    if "Log" in loss or "Multi" in loss:
        assert again.classes_.tolist() == model.classes_.tolist()
        labels = again.predict(new, prediction_type="Class")
        np.testing.assert_array_equal(labels, model.predict(new, prediction_type="Class"))


def test_what_a_file_says(tmp_path):
    rows, y = mixed_rows()
    options = {"bootstrap_type": "No", "metadata": {"author": "A. Nonym"}}
    model = CatBoostRegressor(iterations=3, depth=2, **options)
    model.fit(rows[["a", "b"]], y).save_model(tmp_path / "model.json")
    document = json.loads((tmp_path / "model.json").read_text())
    assert document["scale_and_bias"] == [1, [pytest.approx(y.mean())]]
    assert document["model_info"]["author"] == "A. Nonym"
    tree = document["oblivious_trees"][0]
    assert len(tree["leaf_values"]) == 4 and sum(tree["leaf_weights"]) == len(y)
    columns = document["features_info"]["float_features"]
    borders = [border for column in columns for border in column["borders"]]
    for split in tree["splits"]:  # borders are numbered through
        assert borders[split["split_index"]] == split["border"]
        assert np.float32(split["border"]) == split["border"]


def test_files_of_catboost_are_loaded():
    for name in ("catboost_binary.json", "catboost_multi.json", "catboost_lossguide.json"):
        rows = files.rows_of(name)
        model = CatBoostClassifier().load_model(blob=files.content(name))
        np.testing.assert_allclose(
            model.predict_proba(rows), files.EXPECTED[f"{name}:value"], atol=1e-6
        )
        raw = model.predict(rows, prediction_type="RawFormulaVal")
        np.testing.assert_allclose(raw, files.EXPECTED[f"{name}:raw"], atol=1e-6)
        assert model.tree_count_ == 6
        half = model.predict(rows, "RawFormulaVal", ntree_end=3)
        rest = model.predict(rows, "RawFormulaVal", ntree_start=3)
        np.testing.assert_allclose(half + rest, raw)
        assert model.feature_importances_.sum() == pytest.approx(100.0)


def test_what_cannot_be_written(tmp_path):
    model = CatBoostRegressor(iterations=3).fit(X_SUGAR, Y_SUGAR)
    with pytest.raises(ValueError, match="format='cbm' is not supported"):
        model.save_model(tmp_path / "model.cbm", format="cbm")
    with pytest.raises(ValueError, match="format='cbm' is not supported"):
        model.load_model(tmp_path / "model.cbm", format="cbm")
    rows, y = mixed_rows()
    statistics = CatBoostRegressor(iterations=5).fit(rows, y, cat_features=["town"])
    with pytest.raises(ValueError, match="statistics of the target"):
        statistics.save_model(tmp_path / "model.json")
    (tmp_path / "model.cbm").write_bytes(b"CBM1")
    with pytest.raises(ModelFileError, match="not JSON"):
        model.load_model(tmp_path / "model.cbm")
    model.save_model(tmp_path / "model.json")
    with pytest.raises(ValueError, match="copy it"):
        CatBoost().load_model(tmp_path / "model.json").save_model(tmp_path / "other.json")


# -- functions -------------------------------------------------------------------------------------


def test_train():
    pool = Pool(X_CANCER[:400], Y_CANCER[:400])
    new = Pool(X_CANCER[400:], Y_CANCER[400:])
    params = {"loss_function": "Logloss", "learning_rate": 0.3, "num_trees": 7}
    model = train(pool, params, num_boost_round=200, eval_set=new, early_stopping_rounds=5)
    assert model.tree_count_ == model.best_iteration_ + 1 < 200
    assert params["num_trees"] == 7
    twin = train(dtrain=(pool.data, pool.label), params=params)
    assert twin.tree_count_ == 7
    assert twin.predict(new, prediction_type="Class").shape == (169,)
    with pytest.raises(ValueError, match="Only one of"):
        train(pool, params, dtrain=pool)
    with pytest.raises(ValueError, match="params must be given"):
        train(pool)


def test_cross_validation():
    pool = Pool(X_CANCER, Y_CANCER)
    params = {"loss_function": "Logloss", "custom_metric": "AUC", "iterations": 8}
    frame, models = cv(pool, params, fold_count=4, return_models=True)
    columns = [f"{part}-{end}" for part in ("test-AUC", "test-Logloss") for end in ("mean", "std")]
    assert list(frame.columns) == [
        "iterations",
        *columns,
        "train-Logloss-mean",
        "train-Logloss-std",
    ]
    assert len(frame) == 8 and len(models) == 4
    values = [model.evals_result_["validation"]["Logloss"][-1] for model in models]
    assert frame["test-Logloss-mean"].iloc[-1] == pytest.approx(np.mean(values))
    assert frame["test-Logloss-std"].iloc[-1] == pytest.approx(np.std(values, ddof=1))
    folds = list(KFold(2).split(X_CANCER))
    found = cv(pool, params, folds=folds, as_pandas=False)
    inverted = cv(pool, params, folds=folds, inverted=True, as_pandas=False)
    assert found["test-Logloss-mean"] == pytest.approx(inverted["test-Logloss-mean"])
    stopped = cv(pool, params, iterations=300, as_pandas=False, early_stopping_rounds=3)
    assert 8 < len(stopped["iterations"]) < 300
    with pytest.raises(ValueError, match="loss_function should be specified"):
        cv(pool, {})
    with pytest.raises(ValueError, match="TimeSeries"):
        cv(pool, params, type="TimeSeries")


# -- pools -----------------------------------------------------------------------------------------


def test_pools():
    rows, y = mixed_rows(20)
    pool = Pool(rows, y, cat_features=["size"], weight=np.arange(20), group_id=np.arange(20) // 5)
    assert pool.shape == (20, 5) and not pool.is_empty_
    assert pool.get_cat_feature_indices() == [3, 4]
    assert pool.get_feature_names() == list(rows.columns)
    part = pool.slice([3, 1])
    assert part.get_label().tolist() == y[[3, 1]].tolist()
    assert part.get_weight().tolist() == [3.0, 1.0] and part.group_id.tolist() == [0, 0]
    assert part.get_cat_feature_indices() == [3, 4]
    numbers = Pool(sparse.csr_matrix(np.eye(3)), feature_names=["x", "y", "z"])
    assert numbers.get_feature_names() == ["x", "y", "z"]
    np.testing.assert_array_equal(numbers.get_features(), np.eye(3))
    assert numbers.get_baseline().shape == (3, 0) and numbers.get_weight().tolist() == [1, 1, 1]


def test_pools_refuse():
    rows, y = mixed_rows(20)
    with pytest.raises(ValueError, match=r"names columns that are not there: .'nothing'"):
        Pool(rows, y, cat_features=["nothing"])
    with pytest.raises(ValueError, match="or places from 0 to 4"):
        Pool(rows, y, cat_features=[5])
    with pytest.raises(ValueError, match="pairs is not supported"):
        Pool(rows, y, pairs=[[0, 1]])
    with pytest.raises(TypeError, match="unexpected argument 'weights'"):
        Pool(rows, y, weights=y)
    with pytest.raises(TypeError, match="not read from a file"):
        Pool("rows.tsv")
    with pytest.raises(ValueError, match="one entry for each of 20 rows"):
        Pool(rows, y, weight=[1.0])
    with pytest.raises(ValueError, match="5 different names"):
        Pool(rows, y, feature_names=["a"])
    with pytest.raises(ValueError, match="inconsistent numbers"):
        Pool(rows, y[:5])
    with pytest.raises(ValueError, match="y belongs into the Pool"):
        CatBoostRegressor(iterations=2).fit(Pool(rows, y), y)
    with pytest.raises(TypeError, match="eval_set must be"):
        CatBoostRegressor(iterations=2).fit(rows, y, eval_set="rows.tsv")


def test_parameters_of_functions_are_checked():
    with pytest.raises(InvalidParameterError, match="CatBoost has no parameter 'rounds'"):
        train(Pool(X_SUGAR, Y_SUGAR), {"rounds": 5})


def test_borders_are_not_above_the_thresholds(tmp_path):
    """A border that is rounded up would send rows just above the threshold to the other side."""
    assert _floor(0.050717247650027275) < 0.050717247650027275
    assert _floor(0.5) == 0.5
    options = {"iterations": 60, "bootstrap_type": "No", "random_strength": 0}
    model = CatBoostRegressor(**options).fit(X_SUGAR[:300], Y_SUGAR[:300])
    model.save_model(tmp_path / "model.json")
    again = CatBoostRegressor().load_model(tmp_path / "model.json")
    np.testing.assert_allclose(again.predict(X_SUGAR), model.predict(X_SUGAR), rtol=1e-12)
