"""Searches, splitters and threshold classifiers come back from a file as they were."""

import io
import json
from zipfile import ZipFile

import numpy as np
import pytest

import gramian
import gramian.model_selection as selection
from gramian.datasets import load_breast_cancer, load_diabetes
from gramian.dummy import DummyClassifier
from gramian.exceptions import ModelFileError
from gramian.linear_model import Ridge
from gramian.metrics import make_scorer, r2_score
from gramian.model_selection import (
    FixedThresholdClassifier,
    GridSearchCV,
    HalvingGridSearchCV,
    HalvingRandomSearchCV,
    KFold,
    RandomizedSearchCV,
    TunedThresholdClassifierCV,
)

X, Y = load_diabetes(return_X_y=True)
ALPHAS = {"alpha": [0.1, 1.0, 10.0]}
COIN = DummyClassifier(strategy="stratified", random_state=0)

SEARCHES = [
    GridSearchCV(Ridge(), [ALPHAS, {"solver": ["svd", "auto"]}], cv=KFold(3, shuffle=True)),
    GridSearchCV(Ridge(), ALPHAS, scoring={"a": "r2", "b": make_scorer(r2_score)}, refit="b"),
    RandomizedSearchCV(Ridge(), ALPHAS, n_iter=2, random_state=np.random.RandomState(0)),
    HalvingGridSearchCV(Ridge(), ALPHAS, random_state=0, return_train_score=False),
    HalvingRandomSearchCV(Ridge(), ALPHAS, n_candidates=3, random_state=0, min_resources=60),
    GridSearchCV(Ridge(), ALPHAS, cv=[(np.arange(300), np.arange(300, 442))], refit=False),
]


def saved(model):
    file = io.BytesIO()
    gramian.save(model, file)
    return file


@pytest.mark.parametrize("search", SEARCHES, ids=range(len(SEARCHES)))
def test_searches(search):
    search.fit(X, Y)
    found = gramian.load(saved(search))
    assert gramian.fingerprint(found) == gramian.fingerprint(search)
    assert type(found) is type(search)
    assert list(found.cv_results_) == list(search.cv_results_)
    for name, values in search.cv_results_.items():
        mine = found.cv_results_[name]
        assert type(mine) is type(values)
        if isinstance(values, np.ma.MaskedArray):
            assert (mine.dtype, mine.tolist()) == (values.dtype, values.tolist())
            assert mine.fill_value == values.fill_value
            np.testing.assert_array_equal(mine.mask, values.mask)
        else:
            np.testing.assert_array_equal(mine, values)
    if search.refit:
        np.testing.assert_array_equal(found.predict(X), search.predict(X))
        assert found.score(X, Y) == search.score(X, Y)


@pytest.mark.parametrize(
    "model",
    [
        FixedThresholdClassifier(COIN, threshold=0.2),
        TunedThresholdClassifierCV(COIN, store_cv_results=True, thresholds=[0.2, 0.6]),
    ],
    ids=["fixed", "tuned"],
)
def test_threshold_classifiers(model):
    data = load_breast_cancer()
    model.fit(data.data, data.target)
    found = gramian.load(saved(model))
    assert gramian.fingerprint(found) == gramian.fingerprint(model)
    np.testing.assert_array_equal(found.predict(data.data), model.predict(data.data))


SPLITTERS = {
    "KFold": {"n_splits": 3},
    "StratifiedKFold": {"n_splits": 3, "shuffle": True, "random_state": 1},
    "RepeatedKFold": {"n_splits": 2, "n_repeats": 2, "random_state": 1},
    "RepeatedStratifiedKFold": {"n_splits": 2, "n_repeats": 2, "random_state": 1},
    "GroupKFold": {"n_splits": 2},
    "StratifiedGroupKFold": {"n_splits": 2},
    "LeaveOneGroupOut": {},
    "LeavePGroupsOut": {"n_groups": 2},
    "LeaveOneOut": {},
    "LeavePOut": {"p": 2},
    "PredefinedSplit": {"test_fold": [0, 1] * 6},
    "ShuffleSplit": {"n_splits": 2, "random_state": 0},
    "GroupShuffleSplit": {"n_splits": 2, "random_state": 0},
    "StratifiedShuffleSplit": {"n_splits": 2, "random_state": 0},
    "TimeSeriesSplit": {"n_splits": 2, "gap": 1},
}


def test_every_splitter_is_tried():
    named = {name for name in selection.__all__ if hasattr(getattr(selection, name), "split")}
    assert named - {"BaseCrossValidator", "BaseShuffleSplit"} == set(SPLITTERS)


@pytest.mark.parametrize("name", sorted(SPLITTERS))
def test_splitters(name):
    splitter = getattr(selection, name)(**SPLITTERS[name])
    found = gramian.load(saved(splitter))
    assert repr(found) == repr(splitter)
    rows, labels, groups = np.zeros((12, 1)), [0, 1] * 6, [0, 0, 1, 1, 2, 2] * 2
    groups = groups if "Group" in name else None
    splits = [list(each.split(rows, labels, groups)) for each in (found, splitter)]
    np.testing.assert_equal(*splits)


@pytest.mark.parametrize(
    "masked",
    [
        np.ma.MaskedArray([1.5, 2.5], mask=[True, False]),
        np.ma.MaskedArray([1, 2], fill_value=7),
        np.ma.MaskedArray(np.array(["a", None], dtype=object), mask=[False, True]),
        np.ma.MaskedArray([[True, False]], mask=True),
        np.ma.MaskedArray(["abc", "d"], mask=[False, True]),
        np.ma.MaskedArray(np.array(["2020-01-01"], dtype="M8[D]")),
        np.ma.MaskedArray(np.empty((0, 2))),
    ],
    ids=range(7),
)
def test_masked_arrays(masked):
    found = gramian.load(saved(masked))
    assert (found.dtype, found.shape) == (masked.dtype, masked.shape)
    assert found.tolist() == masked.tolist()
    assert str(found.fill_value) == str(masked.fill_value)
    assert (found.mask is np.ma.nomask) == (masked.mask is np.ma.nomask)


@pytest.mark.parametrize(
    "change",
    [
        {"mask": {"ref": 0}},
        {"mask": True},
        {"values": 3},
        {"fill_value": "text"},
        {"fill_value": {"ref": 0}},
        {"values": {"ref": 1}},
    ],
    ids=str,
)
def test_wrong_masked_arrays_are_refused(change):
    file = saved(np.ma.MaskedArray([1.5, 2.5, 3.5], mask=[True, False, False]))
    with ZipFile(file) as archive:
        manifest = json.loads(archive.read("manifest.json"))
    node = next(node for node in manifest["objects"] if node["type"] == "masked_array")
    node.update(change)
    damaged = io.BytesIO()
    with ZipFile(damaged, "w") as archive:
        archive.writestr("manifest.json", json.dumps(manifest))
    with pytest.raises(ModelFileError):
        gramian.load(damaged)


def test_a_splitter_without_its_arguments_is_refused():
    with ZipFile(saved(KFold(3))) as archive:
        manifest = json.loads(archive.read("manifest.json"))
    del manifest["objects"][0]["attributes"]["shuffle"]
    damaged = io.BytesIO()
    with ZipFile(damaged, "w") as archive:
        archive.writestr("manifest.json", json.dumps(manifest))
    with pytest.raises(ModelFileError, match="shuffle"):
        gramian.load(damaged)


@pytest.mark.parametrize(
    ("name", "value", "match"),
    [
        ("cv_results_", True, "must give a column"),
        ("cv_results_", {"params": True}, "must give a column"),
        ("cv_results_", {"params": [{}], "rank_test_score": np.arange(2)}, "for each candidate"),
        ("best_index_", np.int64(3), "candidate's number, and is"),
        ("best_index_", "1", "candidate's number, and is '1'"),
    ],
)
def test_results_that_are_no_table_are_refused(name, value, match):
    search = GridSearchCV(Ridge(), ALPHAS).fit(X, Y)
    setattr(search, name, value)
    with pytest.raises(ModelFileError, match=match):
        gramian.load(saved(search))
