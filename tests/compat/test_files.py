"""Files that the real libraries have written give the predictions of these libraries."""

import io
import json
import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from tests.compat.files import CITIES, EXPECTED, READABLE, REFUSED, content, load, rows_of

import gramian
from gramian.base import is_classifier
from gramian.compat import LoadedClassifier, LoadedRegressor
from gramian.config import core_context
from gramian.exceptions import ModelFileError
from gramian.inspection import tree_shap


def scores_of(model: Any, rows: Any) -> Any:
    return (model.decision_function if is_classifier(model) else model.predict_raw)(rows)


@pytest.mark.parametrize("name", READABLE)
def test_predictions_agree(name):
    model, rows = load(name), rows_of(name)
    # XGBoost adds up in single precision, the others in double.
    tolerance = 1e-6 if name.startswith("xgboost") else 1e-12
    raw, value = EXPECTED[f"{name}:raw"], EXPECTED[f"{name}:value"]
    np.testing.assert_allclose(scores_of(model, rows), raw, rtol=tolerance, atol=tolerance)
    final = model.predict_proba(rows) if is_classifier(model) else model.predict(rows)
    np.testing.assert_allclose(final, value, rtol=tolerance, atol=tolerance)
    assert isinstance(model, LoadedClassifier if is_classifier(model) else LoadedRegressor)


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_supported_is_refused_with_the_reason(name):
    with pytest.raises(ModelFileError, match=REFUSED[name]):
        load(name)


def test_float32_is_compared_as_the_library_does():
    for name in ("xgboost_binary.json", "lightgbm_binary.txt", "catboost_binary.json"):
        single = rows_of(name).astype(np.float32)
        model = load(name)
        expected = model.predict_proba(single.astype(np.float64))
        assert (model.predict_proba(single) == expected).all()


def test_values_at_the_threshold_and_next_to_it():
    """XGBoost: x < t in single precision. LightGBM: x <= t in double. CatBoost: x > t is right."""
    for name in ("xgboost_binary.json", "lightgbm_binary.txt", "catboost_binary.json"):
        model = load(name)
        trees = model.trees_
        column, t = int(trees.feature[0]), float(trees.threshold[0])
        steps = np.float64 if name.startswith("lightgbm") else np.float32
        around = [np.nextafter(steps(t), steps(s)) for s in (-np.inf, np.inf)]
        rows = np.zeros((3, 4))
        rows[:, column] = [around[0], t, around[1]]
        below, at, above = (tuple(row) for row in leaves_of(model, rows))
        assert below[0] == at[0] != above[0]
    document = json.loads(content("xgboost_binary.json"))
    written = document["learner"]["gradient_booster"]["model"]["trees"][0]["split_conditions"][0]
    first = load("xgboost_binary.json").trees_.threshold[0]
    assert first == np.nextafter(np.float32(written), np.float32(-np.inf))


def leaves_of(model: Any, rows: Any) -> Any:
    return model._boosted.apply(rows)


def test_classes_and_labels():
    model = load("catboost_binary.json")
    assert model.classes_.tolist() == ["ill", "well"]
    rows = rows_of("catboost_binary.json")
    assert (model.predict(rows) == model.classes_[model.predict_proba(rows).argmax(axis=1)]).all()
    for name in ("xgboost_multi.ubj", "lightgbm_ova.txt", "catboost_multi.json"):
        model, rows = load(name), rows_of(name)
        assert model.classes_.tolist() == [0, 1, 2]
        assert (model.predict(rows) == model.predict_proba(rows).argmax(axis=1)).all()
    for name in ("xgboost_labels.json", "catboost_labels.json"):
        model, rows = load(name), rows_of(name)
        assert (model.predict(rows) == (model.predict_proba(rows) > 0.5)).all()


def test_rounds_up_to_the_best_are_used():
    name = "xgboost_stopped.json"
    best, everything = load(name), load(name, n_iterations="all")
    assert best.best_iteration_ == everything.best_iteration_ == best.n_iterations_ - 1
    assert everything.n_iterations_ == best.n_iterations_ + 3
    some = load("lightgbm_multi.txt", n_iterations=2)
    assert some.n_iterations_ == 2
    assert some.trees_.n_trees == 6
    with pytest.raises(ValueError, match="the model has 6 only"):
        load("catboost_binary.json", n_iterations=7)
    with pytest.raises(ValueError, match="n_iterations"):
        load("catboost_binary.json", n_iterations=0)


def test_a_forest_of_fewer_rounds_is_their_mean():
    rows = rows_of("lightgbm_forest.txt")
    each = [load("lightgbm_forest.txt", n_iterations=n).decision_function(rows) for n in (1, 2)]
    whole = load("lightgbm_forest.txt")
    second = whole.trees_.select(range(3, 6))
    out = np.empty((len(rows), 3))
    predictor = gramian._core.TreePredictor(second, ctx=core_context())
    predictor.sums(rows, bias=np.zeros(3), out=out, ctx=core_context())
    # The values of the whole model are divided by its six rounds.
    np.testing.assert_allclose(each[1], (each[0] + 6 * out) / 2, rtol=1e-12)


def test_columns_are_matched_by_name():
    model = load("lightgbm_categories.txt")
    rows = rows_of("lightgbm_categories.txt")
    assert model.feature_names_in_.tolist() == ["a", "b", "c", "d", "city", "size"]
    expected = model.decision_function(rows)
    again = model.decision_function(pl.from_pandas(rows)[sorted(rows.columns)])
    assert (again == expected).all()
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(rows.rename(columns={"a": "z"}))
    with pytest.raises(ValueError, match="features"):
        load("lightgbm_binary.txt").predict(np.zeros((2, 3)))


def test_arrays_hold_codes_for_xgboost_and_lightgbm():
    codes = {city: code for code, city in enumerate(CITIES)}
    for name in ("xgboost_categories_1.json", "lightgbm_categories.txt"):
        model, rows = load(name), rows_of(name)[["a", "b", "c", "d", "city", "size"]]
        array = rows.assign(
            city=rows["city"].astype(object).map(codes),
            size=rows["size"].astype(int).map({40: 0, 5: 1, 3: 2, 2: 3}),
        ).to_numpy(dtype=float)
        with pytest.warns(UserWarning, match="feature names"):
            assert (model.decision_function(array) == model.decision_function(rows)).all()


def test_arrays_hold_categories_for_catboost():
    model, rows = load("catboost_lossguide.json"), rows_of("catboost_lossguide.json")
    with pytest.warns(UserWarning, match="feature names"):
        again = model.decision_function(rows.to_numpy(dtype=object))
    assert (again == model.decision_function(rows)).all()


def test_codes_without_names_refuse_text():
    model = load("xgboost_codes.ubj")
    frame = pd.DataFrame(EXPECTED["strange_codes"], columns=list("abcdef"))
    with pytest.warns(UserWarning, match="feature names"):
        assert (model.predict(frame) == model.predict(frame.to_numpy())).all()
    with (
        pytest.warns(UserWarning, match="feature names"),
        pytest.raises(ValueError, match="could not convert string to float"),
    ):
        model.predict(frame.assign(e="Oslo"))


def test_sparse_rows():
    dense = np.nan_to_num(rows_of("lightgbm_binary.txt"))
    for name in ("lightgbm_binary.txt", "lightgbm_zero.txt", "catboost_filled.json"):
        model = load(name)
        assert (scores_of(model, sparse.csr_array(dense)) == scores_of(model, dense)).all()
    # For XGBoost what is not stored is missing.
    with_missing = np.where(dense == 0.0, np.nan, dense)
    for name in ("xgboost_binary.json", "xgboost_dart.ubj"):
        model = load(name)
        found = scores_of(model, sparse.csr_matrix(dense))
        assert (found == scores_of(model, with_missing)).all()
        shap = tree_shap(model, sparse.csr_matrix(dense))
        assert np.array_equal(shap.codes, with_missing, equal_nan=True)


@pytest.mark.parametrize(
    "name",
    [
        "xgboost_multi.ubj",
        "xgboost_vector.json",
        "xgboost_categories_1.json",
        "lightgbm_codes.txt",
        "lightgbm_poisson.txt",
        "lightgbm_zero.txt",
        "catboost_depthwise.json",
        "catboost_binary.json",
    ],
)
def test_shapley_values_add_up(name):
    explained = tree_shap(load(name), rows_of(name)[:20])
    explained.check()
    np.testing.assert_allclose(explained.predictions, scores_of(load(name), rows_of(name)[:20]))


def test_saved_and_pickled():
    for name in ("xgboost_categories_1.json", "lightgbm_zero.txt", "catboost_lossguide.json"):
        model, rows = load(name), rows_of(name)
        expected = scores_of(model, rows)
        file = io.BytesIO()
        gramian.save(model, file)
        for again in (gramian.load(file), pickle.loads(pickle.dumps(model))):
            assert (scores_of(again, rows) == expected).all()
            assert gramian.fingerprint(again) == gramian.fingerprint(model)


def test_sources(tmp_path):
    name = "xgboost_binary.json"
    (tmp_path / name).write_bytes(content(name))
    rows = rows_of(name)
    expected = load(name).predict_proba(rows)
    document = json.loads(content(name))
    for source in (tmp_path / name, str(tmp_path / name), io.BytesIO(content(name)), document):
        assert (load(name, source).predict_proba(rows) == expected).all()
    text = content("lightgbm_binary.txt").decode()
    for source in (text, text.replace("\n", "\r\n"), io.StringIO(text)):
        assert load("lightgbm_binary.txt", source).n_iterations_ == 6
    with pytest.raises(TypeError, match="path, bytes"):
        load(name, 3)
    with pytest.raises(FileNotFoundError):
        load(name, tmp_path / "nothing")


def test_a_loaded_model_is_not_fitted_again():
    model = load("xgboost_binary.json")
    with pytest.raises(TypeError, match="cannot be fitted again"):
        model.fit([[0.0]], [0])
    assert repr(model) == "<LoadedClassifier of XGBoost: binary:logistic, 6 trees, 4 features>"
    assert repr(LoadedRegressor()) == "LoadedRegressor()"
    rows = rows_of("xgboost_binary.json")
    assert model.score(rows, model.predict(rows)) == 1.0
    assert not hasattr(LoadedRegressor(), "predict_proba")


def test_files_of_earlier_versions_of_xgboost():
    """Before 3.1 no names of categories; before 2.0 no rounds, truth values, one base score."""
    name = "xgboost_multi.ubj"
    model, rows = load(name), rows_of(name)
    document = json.loads(content("xgboost_forest.json"))
    learner = document["learner"]
    trees = learner["gradient_booster"]["model"]
    del trees["cats"], trees["iteration_indptr"], learner["feature_types"]
    for tree in trees["trees"]:
        tree["default_left"] = [bool(left) for left in tree["default_left"]]
        tree["tree_param"]["size_leaf_vector"] = "0"
    learner["learner_model_param"]["base_score"] = "5E-1"
    del learner["learner_model_param"]["num_target"]
    older, newer = load(name, document), load("xgboost_forest.json")
    assert older.n_iterations_ == 2
    moved = older.decision_function(rows) - 0.5
    np.testing.assert_allclose(moved, newer.decision_function(rows) - newer.bias_, atol=1e-12)
    assert (model.predict(rows) >= 0).all()


def test_objectives_that_differ_in_little_from_others():
    document = json.loads(content("xgboost_binary.json"))
    rows = rows_of("xgboost_binary.json")
    logistic = load("xgboost_binary.json", document)
    base = float(document["learner"]["learner_model_param"]["base_score"].strip("[]"))
    assert logistic.bias_[0] == pytest.approx(np.log(base / (1.0 - base)))
    # The base score of binary:logitraw is a score, not a probability.
    document["learner"]["objective"]["name"] = "binary:logitraw"
    raw = load("xgboost_binary.json", document)
    base = float(np.float32(base))  # as XGBoost keeps it
    assert raw.bias_[0] == base
    moved = raw.decision_function(rows) - base
    np.testing.assert_allclose(moved, logistic.decision_function(rows) - logistic.bias_[0])
    # binary:hinge has classes without probabilities.
    document["learner"]["objective"]["name"] = "binary:hinge"
    hinge = load("xgboost_binary.json", document)
    assert not hasattr(hinge, "predict_proba")
    assert (hinge.predict(rows) == (hinge.decision_function(rows) > 0)).all()
    document = json.loads(content("catboost_binary.json"))
    document["model_info"]["params"]["loss_function"]["type"] = "Focal"
    focal = load("catboost_binary.json", document)
    assert (focal.predict(rows) == load("catboost_binary.json").predict(rows)).all()
