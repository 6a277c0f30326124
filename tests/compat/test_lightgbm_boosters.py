"""LightGBM's boosters on our engine: files, predictions, and what becomes of the trees."""

import json
import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from tests.compat.lightgbm_cases import QUIET, TARGETS, X_NEW, X_TRAIN, data_of, params_of

from gramian.compat import lightgbm as lgb
from gramian.exceptions import ModelFileError

CITIES = np.array(["Oslo", "Rome", "Ulm", "Bonn", "Pisa"])


@pytest.fixture(scope="module", params=list(TARGETS))
def booster(request):
    return lgb.train(params_of(request.param), data_of(request.param), 8)


# -- files -----------------------------------------------------------------------------------------


def test_files_are_read_as_those_of_the_real_library(booster):
    text = booster.model_to_string()
    model = lgb.load_model(text)
    raw = model.decision_function if hasattr(model, "decision_function") else model.predict_raw
    np.testing.assert_allclose(raw(X_NEW), booster.predict(X_NEW, raw_score=True), rtol=1e-12)
    value = model.predict_proba if hasattr(model, "predict_proba") else model.predict
    expected = booster.predict(X_NEW)
    if booster.num_model_per_iteration() == 1 and hasattr(model, "predict_proba"):
        expected = np.column_stack([1.0 - expected, expected])
    np.testing.assert_allclose(value(X_NEW), expected, rtol=1e-12)


def test_a_booster_from_a_file_is_the_same(booster, tmp_path):
    booster.save_model(tmp_path / "model.txt")
    for again in (
        lgb.Booster(model_file=tmp_path / "model.txt"),
        lgb.Booster(model_str=booster.model_to_string()),
        pickle.loads(pickle.dumps(booster)),
    ):
        assert (again.predict(X_NEW) == booster.predict(X_NEW)).all()
        assert (
            again.predict(X_NEW, pred_leaf=True) == booster.predict(X_NEW, pred_leaf=True)
        ).all()
        contributions = again.predict(X_NEW, pred_contrib=True)
        np.testing.assert_allclose(contributions, booster.predict(X_NEW, pred_contrib=True))
        assert again.model_to_string() == booster.model_to_string()
        assert (again.feature_importance("gain") > 0).sum() >= 2


def test_the_real_library_reads_our_files(booster):
    real = pytest.importorskip("lightgbm")
    again = real.Booster(model_str=booster.model_to_string())
    for options in (
        {},
        {"raw_score": True},
        {"pred_leaf": True},
        {"pred_contrib": True},
        {"start_iteration": 2, "num_iteration": 3},
        {"num_iteration": 1},
    ):
        ours, theirs = booster.predict(X_NEW, **options), again.predict(X_NEW, **options)
        assert ours.shape == theirs.shape and ours.dtype == theirs.dtype
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-13)
    assert (again.feature_importance() == booster.feature_importance()).all()
    assert again.feature_name() == booster.feature_name()
    assert (
        again.dump_model()["feature_infos"].keys() == booster.dump_model()["feature_infos"].keys()
    )


def test_missing_values_where_there_were_none_are_zero(booster):
    zeros = X_NEW.copy()
    zeros[np.isnan(zeros[:, 0]), 0] = 0.0
    assert (booster.predict(X_NEW) == booster.predict(zeros)).all()


def test_contributions_add_up(booster):
    n_groups = booster.num_model_per_iteration()
    parts = booster.predict(X_NEW, pred_contrib=True).reshape(len(X_NEW), n_groups, 5)
    scores = booster.predict(X_NEW, raw_score=True).reshape(len(X_NEW), n_groups)
    np.testing.assert_allclose(parts.sum(axis=2), scores, atol=1e-12)


def test_rounds_add_up(booster):
    first = booster.predict(X_NEW, raw_score=True, num_iteration=3)
    rest = booster.predict(X_NEW, raw_score=True, start_iteration=3)
    np.testing.assert_allclose(first + rest, booster.predict(X_NEW, raw_score=True), atol=1e-12)
    with pytest.raises(ValueError, match="no round from 8"):
        booster.predict(X_NEW, start_iteration=8)


def test_dump_holds_what_leaves_give(booster):
    dump = json.loads(json.dumps(booster.dump_model()))
    assert len(dump["tree_info"]) == booster.num_trees()
    leaves = booster.predict(X_NEW, pred_leaf=True).reshape(len(X_NEW), -1)
    for number, tree in enumerate(dump["tree_info"]):
        row = X_NEW[1]
        node = tree["tree_structure"]
        while "split_feature" in node:
            value = row[node["split_feature"]]
            if node["decision_type"] == "==":
                is_left = str(int(value)) in node["threshold"].split("||")
            elif np.isnan(value):
                is_left = node["default_left"]
            else:
                is_left = value <= node["threshold"]
            node = node["left_child" if is_left else "right_child"]
        if "leaf_index" in node:
            assert node["leaf_index"] == leaves[1, number]
        assert node["leaf_value"] == booster.get_leaf_output(number, int(leaves[1, number]))


def test_categories_of_data_frames():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=400), "size of": rng.integers(2, 5, 400)})
    frame["city"] = pd.Categorical(CITIES[rng.integers(0, 5, 400)])
    frame["size of"] = pd.Categorical(frame["size of"])
    y = frame["x"] + frame["city"].isin(["Rome", "Pisa"]) + frame["size of"].astype(int)
    booster = lgb.train(params_of("regression", cat_smooth=1), lgb.Dataset(frame, y), 10)
    expected = booster.predict(frame)
    assert booster.pandas_categorical == [[2, 3, 4], ["Bonn", "Oslo", "Pisa", "Rome", "Ulm"]]
    again = lgb.Booster(model_str=booster.model_to_string())
    renamed = frame.rename(columns={"size of": "size_of"})
    assert (again.predict(renamed) == expected).all()
    assert (booster.predict(frame[["city", "size of", "x"]]) == expected).all()
    codes = frame.assign(city=frame["city"].cat.codes, **{"size of": frame["size of"].cat.codes})
    assert (booster.predict(codes.to_numpy(dtype=float)) == expected).all()
    other = frame.assign(city=pd.Categorical(np.full(400, "Vienna")))
    missing = frame.assign(city=pd.Categorical([None] * 400, categories=["Rome"]))
    assert (booster.predict(other) == booster.predict(missing)).all()
    with pytest.raises(ValueError, match="validate_features"):
        booster.predict(frame.rename(columns={"x": "z"}), validate_features=True)


@pytest.mark.parametrize("options", [{"zero_as_missing": True}, {"use_missing": False}])
def test_what_is_missing(options):
    X = np.round(X_TRAIN[:, [0, 1]], 0)
    y = np.where(X[:, 0] == 0.0, 2.0, X[:, 0]) + np.isnan(X[:, 1])
    booster = lgb.train({**options, **QUIET}, lgb.Dataset(X, y), 20)
    missing, zero = X.copy(), X.copy()
    missing[X[:, 0] == 0.0, 0] = np.nan
    zero[np.isnan(X)] = 0.0
    changed = missing if "zero_as_missing" in options else zero
    assert (booster.predict(changed) == booster.predict(X)).all()
    again = lgb.Booster(model_str=booster.model_to_string())
    assert (again.predict(changed) == booster.predict(X)).all()
    assert np.abs(booster.predict(X) - y).mean() < 0.6


def test_sparse_rows_are_dense_ones():
    X = np.where(np.abs(X_TRAIN) < 0.7, 0.0, np.nan_to_num(X_TRAIN))
    y = X[:, 0] + X[:, 3]
    dense = lgb.train(QUIET, lgb.Dataset(X, y), 10)
    for made in (sparse.csr_matrix(X), sparse.csc_array(X)):
        booster = lgb.train(QUIET, lgb.Dataset(made, y), 10)
        assert (booster.predict(made) == dense.predict(X)).all()
        assert booster.model_to_string() == dense.model_to_string()


def test_random_forests_and_other_texts_are_refused():
    text = lgb.train(QUIET, data_of("regression"), 2).model_to_string()
    with pytest.raises(ModelFileError, match="random forest"):
        lgb.Booster(model_str=text.replace("label_index=0", "label_index=0\naverage_output"))
    with pytest.raises(ModelFileError, match="tree"):
        lgb.Booster(model_str="nothing")
    with pytest.raises(ModelFileError):
        lgb.Booster(model_str=text.replace("leaf_count=", "leaf_count=-"))
    with pytest.raises(TypeError, match="needs train_set"):
        lgb.Booster()


def test_damaged_texts_are_refused_or_used():
    rng = np.random.default_rng(0)
    text = lgb.train(params_of("binary"), data_of("binary"), 2).model_to_string()
    n_refused = 0
    for _ in range(200):
        letters = list(text[: text.index("parameters:")])
        for at in rng.integers(0, len(letters), 3):
            letters[at] = str(rng.choice(["", "9" * 12, "-", "x", " "]))
        try:
            booster = lgb.Booster(model_str="".join(letters))
        except ModelFileError:
            n_refused += 1
            continue
        rows = np.zeros((2, booster.num_feature()))
        for options in ({}, {"pred_leaf": True}, {"pred_contrib": True}):
            assert len(booster.predict(rows, **options)) == 2
        assert booster.dump_model() and booster.model_to_string()
    assert 50 < n_refused < 200


# -- trees once grown ------------------------------------------------------------------------------


@pytest.mark.parametrize("objective", ["regression", "binary", "multiclass", "poisson"])
def test_refit_moves_the_leaves(objective):
    booster = lgb.train(params_of(objective, lambda_l2=1.0), data_of(objective), 6)
    y = TARGETS[objective]
    old = booster.refit(X_NEW, y, decay_rate=1.0)
    assert (old.predict(X_NEW) == booster.predict(X_NEW)).all()
    new = booster.refit(X_TRAIN, y, decay_rate=0.0)
    assert (new.predict(X_NEW, pred_leaf=True) == booster.predict(X_NEW, pred_leaf=True)).all()
    again = lgb.Booster(model_str=booster.model_to_string()).refit(X_TRAIN, y, decay_rate=0.0)
    np.testing.assert_allclose(again.predict(X_NEW), new.predict(X_NEW))
    real = pytest.importorskip("lightgbm")
    theirs = real.Booster(model_str=booster.model_to_string())
    other = np.roll(np.asarray(y, float), 1)
    found = booster.refit(X_NEW, other, decay_rate=0.3).predict(X_NEW)
    expected = theirs.refit(X_NEW, other, decay_rate=0.3).predict(X_NEW)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def test_the_last_round_can_be_taken_back():
    data = data_of("multiclass")
    booster = lgb.train(params_of("multiclass"), data, 3, keep_training_booster=True)
    expected = lgb.train(params_of("multiclass"), data, 3).model_to_string()
    booster.update()
    booster.rollback_one_iter()
    assert booster.current_iteration() == 3
    assert booster.model_to_string() == expected
    for _ in range(3):
        booster.rollback_one_iter()
    with pytest.raises(ValueError, match="no round"):
        booster.rollback_one_iter()
    booster.update()
    first = lgb.train(params_of("multiclass"), data, 1)
    np.testing.assert_allclose(booster.predict(X_NEW), first.predict(X_NEW), rtol=1e-6)


def test_nodes_as_a_table(booster):
    frame = booster.trees_to_dataframe()
    assert len(frame) == sum(
        2 * tree["num_leaves"] - 1 for tree in booster.dump_model()["tree_info"]
    )
    roots = frame[frame["node_depth"] == 1]
    assert roots["parent_index"].isna().all() and (roots["count"] == 300).all()
    splits = frame[frame["left_child"].notna()]
    np.testing.assert_allclose(splits["split_gain"].sum(), booster.feature_importance("gain").sum())
