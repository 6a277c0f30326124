"""Damaged and hostile files are refused, with the reason, and never cost much."""

import copy
import json
import time
from typing import Any

import numpy as np
import pytest
from tests.compat.files import content, load
from tests.fuzz.library_files import outcome

from gramian.exceptions import ModelFileError
from gramian.inspection import tree_shap

XGBOOST = json.loads(content("xgboost_binary.json"))
HEAD = b"{L\0\0\0\0\0\0\0\1a"  # of a UBJSON object, whose first member is called a


@pytest.mark.parametrize("first", range(0, 400, 100))
def test_damaged_files_load_or_are_refused(first):
    seen = {outcome(number, seed=7) for number in range(first, first + 100)}
    assert seen >= {"loaded", "refused"}


def chain(n_splits: int) -> Any:
    """Return a model of one tree that is as deep as it can be."""
    document = copy.deepcopy(XGBOOST)
    model = document["learner"]["gradient_booster"]["model"]
    n = 2 * n_splits + 1
    is_split = (np.arange(n) % 2 == 0) & (np.arange(n) < n - 1)
    tree = {
        "left_children": np.where(is_split, np.arange(n) + 1, -1).tolist(),
        "right_children": np.where(is_split, np.arange(n) + 2, -1).tolist(),
        "split_indices": [0] * n,
        "split_conditions": np.arange(n).tolist(),
        "default_left": [0] * n,
        "sum_hessian": [1.0] * n,
        "tree_param": {"size_leaf_vector": "1"},
    }
    model["trees"], model["tree_info"], model["iteration_indptr"] = [tree], [0], [0, 1]
    return document


def test_a_deep_tree():
    model = load("xgboost_binary.json", chain(3000))
    rows = np.zeros((3, 4))
    rows[:, 0] = [-1e9, 101.5, 1e9]
    expected = np.array([1.0, 103.0, 6000.0]) + model.bias_
    assert model.decision_function(rows).tolist() == expected.tolist()
    tree_shap(model, rows).check()


def changed(document: Any, path: str, value: Any) -> Any:
    """Return a copy of a document with another value at a path."""
    document = copy.deepcopy(document)
    *parents, last = path.split("/")
    node = document
    for key in parents:
        node = node[int(key) if isinstance(node, list) else key]
    node[int(last) if isinstance(node, list) else last] = value
    return document


MODEL = "learner/gradient_booster/model"
XGBOOST_CASES = {
    "learner/learner_model_param/num_feature": ("2000000000", "2000000000 features"),
    "learner/learner_model_param/num_class": ("2000000000", "output that does not exist"),
    "learner/learner_model_param/num_target": ("x", "not a whole number|invalid literal"),
    "learner/learner_model_param/base_score": ("[1E0]", "does not suit the objective"),
    "learner/objective/name": ("reg:unheard", "objective 'reg:unheard' is not known"),
    "learner/gradient_booster/name": ("gbforest", "booster 'gbforest' is not known"),
    "learner/feature_names": (["a"], "one name for each feature"),
    f"{MODEL}/trees": ([], "not an array of 0 numbers"),
    f"{MODEL}/iteration_indptr": ([0, 99], "rounds do not fit"),
    f"{MODEL}/trees/0/left_children/1": (0, "child of two splits"),
    f"{MODEL}/trees/0/left_children/0": (77, "child of a split does not exist"),
    f"{MODEL}/trees/0/split_indices/0": (4, "column that does not exist"),
    f"{MODEL}/trees/0/split_conditions/0": (1e39, "single precision"),
    f"{MODEL}/trees/0/split_conditions": ([1.0], "array of 15 numbers"),
    f"{MODEL}/trees/0/sum_hessian/0": ("x", "does not hold numbers"),
}


@pytest.mark.parametrize("path", XGBOOST_CASES)
def test_documents_of_xgboost(path):
    value, reason = XGBOOST_CASES[path]
    with pytest.raises(ModelFileError, match=reason):
        load("xgboost_binary.json", changed(XGBOOST, path, value))


UBJSON_CASES = {
    b"": "neither JSON nor UBJSON",
    b"\x80\x04.": "neither JSON nor UBJSON",
    b'{"a":' * 100_000: "nested too deeply",
    HEAD + b"[" * 100_000: "nested too deeply",
    HEAD + b"[$N#i\x05": "type of no size",
    HEAD + b"[$d#L" + b"\x7f" * 8: "a length of 9187201950435737471",
    HEAD + b"SL" + b"\xff" * 8: "a length of -1",
    HEAD + b"[$d#i\x05abc": "ends before",
    HEAD + b"SU\x01\xff}": "not UTF-8",
    HEAD + b"?": "no type of value",
    HEAD + b"Z}}": "bytes follow its end",
    HEAD + b"[U\x01NTFC@D" + b"\0" * 8 + b"]}": "has no 'learner'",
}


@pytest.mark.parametrize("data", UBJSON_CASES, ids=range(len(UBJSON_CASES)))
def test_bytes_of_xgboost(data):
    began = time.process_time()
    with pytest.raises(ModelFileError, match=UBJSON_CASES[data]):
        load("xgboost_binary.json", data)
    assert time.process_time() - began < 1.0


def test_categories_do_not_exhaust_memory():
    document = json.loads(content("xgboost_categories_1.json"))
    model = document["learner"]["gradient_booster"]["model"]
    model["cats"] = {"enc": []}
    for tree in model["trees"]:
        tree["categories"] = [2**31 - 10] * len(tree["categories"])
    with pytest.raises(ModelFileError, match="more memory than a file of its size"):
        load("xgboost_categories_1.json", document)


LIGHTGBM_CASES = {
    ("tree\n", "trees\n"): "max_feature_idx|features",
    ("max_feature_idx=5", "max_feature_idx=999999999"): "1000000000 features",
    ("num_leaves=7", "num_leaves=999999999"): "does not have 999999999 numbers",
    ("num_tree_per_iteration=1", "num_tree_per_iteration=4"): "6 trees for 4 outputs",
    ("objective=regression", "objective=unheard"): "objective 'unheard' is not known",
    ("left_child=1", "left_child=77"): "child of a split does not exist",
    ("leaf_value=", "leaf_value=nan "): "does not have 7 numbers",
    ("cat_boundaries=0", "cat_boundaries=1"): "do not follow one another",
    ("split_feature=", "split_feature=9 "): "does not have 6 numbers",
}


@pytest.mark.parametrize("change", LIGHTGBM_CASES)
def test_texts_of_lightgbm(change):
    text = content("lightgbm_codes.txt").decode()
    damaged = text.replace(*change)
    if change[0] == "tree\n":
        damaged = damaged.replace("max_feature_idx=5\n", "")
    assert damaged != text
    with pytest.raises(ModelFileError, match=LIGHTGBM_CASES[change]):
        load("lightgbm_codes.txt", damaged)


def test_zero_and_nan_as_missing_in_one_column():
    text = content("lightgbm_zero.txt").decode()
    start = text.index("decision_type=") + len("decision_type=")
    end = text.index("\n", start)
    kinds = ["10" for _ in text[start:end].split()]
    with pytest.raises(ModelFileError, match="zero is missing at some splits"):
        load("lightgbm_zero.txt", text[:start] + " ".join(kinds) + text[end:])


CATBOOST = json.loads(content("catboost_binary.json"))
CATBOOST_CASES = {
    "features_info/text_features": ([{"x": 1}], "text_features, which are not supported"),
    "features_info/float_features/0/flat_feature_index": (1, "same flat_feature_index"),
    "model_info/params/loss_function/type": ("RMSEWithUncertainty", "RMSEWithUncertainty"),
    "model_info/class_params/class_names": (["a", "b", "c"], "3 class names for 1 outputs"),
    "oblivious_trees/0/splits/0/float_feature_index": (9, "column that does not exist"),
    "oblivious_trees/0/splits/0/border": (None, "is not a number"),
    "oblivious_trees/0/leaf_values": ([1.0], "array of 8 numbers"),
    "oblivious_trees": ([], "holds no trees"),
    "scale_and_bias": ([1e308, [0.0]], "infinite"),
}


@pytest.mark.parametrize("path", CATBOOST_CASES)
def test_documents_of_catboost(path):
    value, reason = CATBOOST_CASES[path]
    document = changed(CATBOOST, path, value)
    if path == "scale_and_bias":
        document["oblivious_trees"][0]["leaf_values"] = [1e10] * 8
    with pytest.raises(ModelFileError, match=reason):
        load("catboost_binary.json", document)


def test_a_symmetric_tree_of_many_splits():
    document = copy.deepcopy(CATBOOST)
    document["oblivious_trees"][0]["splits"] *= 20
    with pytest.raises(ModelFileError, match="60 splits"):
        load("catboost_binary.json", document)
    with pytest.raises(ModelFileError, match="format='json'"):
        load("catboost_binary.json", b"CBM1")
