"""Every splitter gives scikit-learn's rows, for the same integer seed, and shows itself alike."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sklearn.linear_model
import sklearn.model_selection

import gramian.model_selection
from gramian.linear_model import Ridge
from gramian.model_selection import (
    BaseCrossValidator,
    GroupKFold,
    KFold,
    StratifiedGroupKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
    check_cv,
)

SEEDS = range(10)
RNG = np.random.default_rng(3)
N_ROWS = 61
X = np.zeros((N_ROWS, 2))
LABELS = RNG.choice(["a", "b", "c"], size=N_ROWS, p=[0.5, 0.3, 0.2])
GROUPS = RNG.choice(["n", "e", "s", "w", "up", "down", "in", "out"], size=N_ROWS)

FIXED = [
    ("KFold", {}),
    ("KFold", {"n_splits": 7}),
    ("StratifiedKFold", {"n_splits": 4}),
    ("GroupKFold", {"n_splits": 3}),
    ("GroupKFold", {"n_splits": 8}),
    ("StratifiedGroupKFold", {"n_splits": 2}),
    ("StratifiedGroupKFold", {"n_splits": 5}),
    ("LeaveOneOut", {}),
    ("LeavePOut", {"p": 2}),
    ("LeaveOneGroupOut", {}),
    ("LeavePGroupsOut", {"n_groups": 3}),
    ("TimeSeriesSplit", {}),
    ("TimeSeriesSplit", {"n_splits": 3, "max_train_size": 9, "test_size": 5, "gap": 2}),
    ("TimeSeriesSplit", {"n_splits": 2, "max_train_size": 500}),
    ("PredefinedSplit", {"test_fold": RNG.integers(-1, 4, size=N_ROWS)}),
]
RANDOM = [
    ("KFold", {"shuffle": True}),
    ("StratifiedKFold", {"n_splits": 3, "shuffle": True}),
    ("GroupKFold", {"n_splits": 3, "shuffle": True}),
    ("StratifiedGroupKFold", {"n_splits": 3, "shuffle": True}),
    ("RepeatedKFold", {"n_splits": 3, "n_repeats": 2}),
    ("RepeatedStratifiedKFold", {"n_splits": 3, "n_repeats": 2}),
    ("ShuffleSplit", {}),
    ("ShuffleSplit", {"n_splits": 3, "test_size": 7, "train_size": 0.5}),
    ("GroupShuffleSplit", {}),
    ("GroupShuffleSplit", {"n_splits": 2, "train_size": 0.4, "test_size": 3}),
    ("StratifiedShuffleSplit", {}),
    ("StratifiedShuffleSplit", {"n_splits": 4, "test_size": 13, "train_size": 0.3}),
    ("StratifiedShuffleSplit", {"n_splits": 2, "train_size": 17}),
]


def pair(name, options):
    """Return our splitter and scikit-learn's."""
    return tuple(getattr(module, name)(**options) for module in (gramian.model_selection, THEIRS))


THEIRS = sklearn.model_selection


def assert_same_splits(ours, theirs, *data):
    ours, theirs = list(ours.split(*data)), list(theirs.split(*data))
    assert len(ours) == len(theirs)
    for our_split, their_split in zip(ours, theirs, strict=True):
        for our_rows, their_rows in zip(our_split, their_split, strict=True):
            np.testing.assert_array_equal(our_rows, their_rows)
            assert our_rows.dtype == np.intp


def groups_for(name):
    """Return the groups, or None for a splitter that would warn about them."""
    return GROUPS if "Group" in name else None


@pytest.mark.parametrize(("name", "options"), FIXED, ids=str)
def test_splitters_without_chance(name, options):
    ours, theirs = pair(name, options)
    groups = groups_for(name)
    assert_same_splits(ours, theirs, X, LABELS, groups)
    assert ours.get_n_splits(X, LABELS, groups) == theirs.get_n_splits(X, LABELS, groups)
    assert repr(ours) == repr(theirs)


@pytest.mark.parametrize(("name", "options"), RANDOM, ids=str)
@pytest.mark.parametrize("seed", SEEDS)
def test_splitters_with_a_seed(name, options, seed):
    ours, theirs = pair(name, {**options, "random_state": seed})
    groups = groups_for(name)
    assert_same_splits(ours, theirs, X, LABELS, groups)
    assert_same_splits(ours, theirs, X, np.sort(LABELS)[::-1], groups)
    assert ours.get_n_splits(X, LABELS, groups) == theirs.get_n_splits(X, LABELS, groups)
    assert repr(ours) == repr(theirs)


@pytest.mark.parametrize(("name", "options"), RANDOM, ids=str)
def test_a_random_state_is_advanced(name, options):
    sources = np.random.RandomState(5), np.random.RandomState(5)
    ours = getattr(gramian.model_selection, name)(**options, random_state=sources[0])
    theirs = getattr(THEIRS, name)(**options, random_state=sources[1])
    for _ in range(2):
        assert_same_splits(ours, theirs, X, LABELS, groups_for(name))
    assert sources[0].randint(1000) == sources[1].randint(1000)


@pytest.mark.parametrize(("name", "options"), RANDOM, ids=str)
def test_a_generator_is_accepted(name, options):
    cls = getattr(gramian.model_selection, name)
    runs = [
        list(cls(**options, random_state=np.random.default_rng(seed)).split(X, LABELS, groups))
        for seed in (1, 1, 2)
        for groups in [groups_for(name)]
    ]
    tests = [np.concatenate([test for _, test in run]) for run in runs]
    np.testing.assert_array_equal(tests[0], tests[1])
    assert not np.array_equal(tests[0], tests[2])


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("n_classes", [1, 2, 5])
@pytest.mark.parametrize("n_groups", [10, 60, 150])
def test_stratified_groups_of_many_shapes(seed, n_classes, n_groups):
    rng = np.random.default_rng(seed)
    y, groups = rng.integers(n_classes, size=150), rng.integers(n_groups, size=150)
    for n_splits in (2, 4, 9):
        for shuffle in ({}, {"shuffle": True, "random_state": seed}):
            ours, theirs = pair("StratifiedGroupKFold", {"n_splits": n_splits, **shuffle})
            if n_splits <= len(np.unique(groups)):
                assert_same_splits(ours, theirs, y, y, groups)


@pytest.mark.parametrize(
    "make", [list, pd.Series, pl.Series, pa.array, lambda v: pa.chunked_array([v])]
)
@pytest.mark.parametrize("name", ["GroupKFold", "StratifiedGroupKFold", "LeaveOneGroupOut"])
def test_labels_of_any_container(make, name):
    cls = getattr(gramian.model_selection, name)
    wanted = list(cls().split(X, LABELS, GROUPS))
    found = cls().split(make(list(LABELS)), make(list(LABELS)), make(list(GROUPS)))
    for (train, test), (our_train, our_test) in zip(wanted, found, strict=True):
        np.testing.assert_array_equal(train, our_train)
        np.testing.assert_array_equal(test, our_test)


@pytest.mark.parametrize("make", [np.asarray, pd.Series, lambda days: pl.Series(days.tolist())])
def test_groups_of_dates(make):
    days = np.array(["2024-01-01", "2024-01-02", "2024-01-01", "2024-01-03"], dtype="M8[us]")
    splits = list(GroupKFold(3).split(days, groups=make(days)))
    assert sorted(tuple(test) for _, test in splits) == [(0, 2), (1,), (3,)]


def test_several_columns_of_strata():
    frame = pd.DataFrame({"a": LABELS, "b": np.arange(N_ROWS) % 2})
    ours, theirs = pair("StratifiedShuffleSplit", {"random_state": 0, "test_size": 20})
    assert_same_splits(ours, theirs, X, frame.to_numpy())
    for table in (frame, pl.from_pandas(frame), pa.Table.from_pandas(frame)):
        for (train, _), (wanted, _) in zip(
            ours.split(X, table), theirs.split(X, frame), strict=True
        ):
            np.testing.assert_array_equal(train, wanted)


REFUSED = [
    ("LeaveOneOut", {}, ([[1]],), {}),
    ("LeavePOut", {"p": 3}, ([1, 2, 3],), {}),
    ("KFold", {"n_splits": 5}, ([1, 2, 3],), {}),
    ("KFold", {"n_splits": 2}, ([1, 2, 3], [1, 2]), {}),
    ("StratifiedKFold", {"n_splits": 3}, (range(4), [0, 0, 1, 1]), {}),
    ("StratifiedKFold", {"n_splits": 2}, (range(4), [0.1, 0.2, 0.3, 0.4]), {}),
    ("StratifiedKFold", {"n_splits": 2}, (range(4), [0, 1, 0, np.nan]), {}),
    ("StratifiedKFold", {"n_splits": 2}, (range(2), [[0, 1], [1, 0]]), {}),
    ("GroupKFold", {"n_splits": 3}, (range(4),), {}),
    ("GroupKFold", {"n_splits": 3}, (range(4),), {"groups": [1, 1, 2, 2]}),
    ("GroupKFold", {"n_splits": 2}, (range(4),), {"groups": [1, 1, 2, np.nan]}),
    ("StratifiedGroupKFold", {"n_splits": 3}, (range(6), [0, 1] * 3), {"groups": [1, 2] * 3}),
    ("StratifiedGroupKFold", {"n_splits": 4}, (range(6), [0, 1] * 3), {"groups": range(6)}),
    (
        "StratifiedGroupKFold",
        {"n_splits": 2},
        (range(4), [0.1, 0.2, 0.3, 0.4]),
        {"groups": range(4)},
    ),
    ("LeaveOneGroupOut", {}, (range(3),), {"groups": [1, 1, 1]}),
    ("LeaveOneGroupOut", {}, (range(3),), {}),
    ("LeavePGroupsOut", {"n_groups": 2}, (range(3),), {"groups": [1, 1, 2]}),
    ("LeavePGroupsOut", {"n_groups": 2}, (range(3),), {}),
    ("TimeSeriesSplit", {"n_splits": 4}, (range(4),), {}),
    ("TimeSeriesSplit", {"n_splits": 4, "test_size": 3}, (range(12),), {}),
    ("GroupShuffleSplit", {}, (range(3),), {}),
    ("ShuffleSplit", {"test_size": 10}, (range(10),), {}),
    ("ShuffleSplit", {"test_size": 1.0}, (range(10),), {}),
    ("ShuffleSplit", {"test_size": "half"}, (range(10),), {}),
    ("ShuffleSplit", {"train_size": -0.1}, (range(10),), {}),
    ("ShuffleSplit", {"train_size": 0}, (range(10),), {}),
    ("ShuffleSplit", {"test_size": 0.6, "train_size": 0.5}, (range(10),), {}),
    ("ShuffleSplit", {"test_size": 6, "train_size": 0.5}, (range(10),), {}),
    ("ShuffleSplit", {"test_size": 0.9}, (range(1),), {}),
    ("StratifiedShuffleSplit", {}, (range(4), [0, 0, 0, 1]), {}),
    ("StratifiedShuffleSplit", {"test_size": 1}, (range(4), [0, 0, 1, 1]), {}),
    ("StratifiedShuffleSplit", {"train_size": 1}, (range(4), [0, 0, 1, 1]), {}),
]


@pytest.mark.parametrize(("name", "options", "data", "groups"), REFUSED, ids=str)
def test_refusals_are_scikit_learns(name, options, data, groups):
    ours, theirs = pair(name, options)
    with pytest.raises(Exception) as expected:
        list(theirs.split(*data, **groups))
    with pytest.raises(expected.type) as found:
        list(ours.split(*data, **groups))
    if "NaN" not in str(expected.value):
        assert str(found.value) == str(expected.value)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("RepeatedKFold", {"n_repeats": 0}),
        ("RepeatedKFold", {"n_repeats": 1.5}),
        ("RepeatedStratifiedKFold", {"n_repeats": "2"}),
        ("TimeSeriesSplit", {"n_splits": 1}),
        ("GroupKFold", {"random_state": 0}),
        ("StratifiedGroupKFold", {"shuffle": "yes"}),
    ],
)
def test_constructors_refuse(name, options):
    with pytest.raises(Exception) as expected:
        getattr(THEIRS, name)(**options)
    with pytest.raises(expected.type) as found:
        getattr(gramian.model_selection, name)(**options)
    assert str(found.value) == str(expected.value)


@pytest.mark.parametrize("name", ["LeaveOneOut", "LeavePOut"])
def test_number_of_splits_needs_rows(name):
    ours, theirs = pair(name, {"p": 2} if name == "LeavePOut" else {})
    for splitter in (ours, theirs):
        with pytest.raises(ValueError, match="'X' parameter should not be None"):
            splitter.get_n_splits(None)


@pytest.mark.parametrize("name", ["LeaveOneGroupOut", "LeavePGroupsOut"])
def test_number_of_splits_needs_groups(name):
    ours, theirs = pair(name, {"n_groups": 2} if name == "LeavePGroupsOut" else {})
    for splitter in (ours, theirs):
        with pytest.raises(ValueError, match="'groups' parameter should not be None"):
            splitter.get_n_splits(X)


@pytest.mark.parametrize(
    ("name", "options"),
    [(n, o) for n, o in [*FIXED, *RANDOM] if "Group" not in n],
    ids=str,
)
def test_unused_groups_give_a_warning(name, options):
    ours, _ = pair(name, options)
    with pytest.warns(UserWarning, match=f"groups parameter is ignored by {name}"):
        ours.split(X, LABELS, GROUPS)


def test_rare_class_warns_also_with_groups():
    y, groups = np.array([0] * 9 + [1]), np.arange(10)
    with pytest.warns(UserWarning, match="only 1 members, which is less than n_splits=3"):
        list(StratifiedGroupKFold(3).split(y, y, groups))


def test_long_repr_is_broken_as_scikit_learns():
    folds = np.arange(200) % 7
    ours, theirs = pair("PredefinedSplit", {"test_fold": folds})
    assert repr(ours) == repr(theirs)
    options = {"n_splits": 10, "test_size": 0.123456789, "random_state": np.random.RandomState(0)}
    ours, theirs = pair("StratifiedShuffleSplit", options)
    assert repr(ours) == repr(theirs)


def test_own_splitters():
    class Even(BaseCrossValidator):
        def get_n_splits(self, X=None, y=None, groups=None):
            return 1

        def _iter_test_masks(self, X=None, y=None, groups=None):
            yield np.arange(len(X)) % 2 == 0

    ((train, test),) = Even().split(range(5))
    assert train.tolist() == [1, 3] and test.tolist() == [0, 2, 4]
    assert repr(Even()) == "Even()"
    with pytest.raises(TypeError):
        BaseCrossValidator()


@pytest.mark.parametrize("classifier", [True, False])
@pytest.mark.parametrize("y", [None, LABELS, [0.5, 0.7, 1.0], [[1, 2], [3, 4]]])
def test_check_cv_of_a_number(classifier, y):
    for options in ({}, {"shuffle": True, "random_state": 1}):
        ours = check_cv(3, y, classifier=classifier, **options)
        theirs = THEIRS.check_cv(3, y, classifier=classifier, **options)
        assert repr(ours) == repr(theirs)
    assert repr(check_cv(None)) == repr(THEIRS.check_cv(None))


def test_check_cv_of_the_rest():
    cv = KFold(3)
    assert check_cv(cv) is cv
    splits = [([0, 1], [2]), ([1, 2], [0])]
    given = check_cv(iter(splits))
    assert list(given.split()) == splits and given.get_n_splits() == 2
    assert list(given.split()) == splits
    for wrong in ("five", 2.5):
        with pytest.raises(ValueError, match="Expected `cv` as an integer"):
            check_cv(wrong)


@pytest.mark.parametrize("name", ["KFold", "GroupKFold", "ShuffleSplit", "RepeatedKFold"])
def test_our_splitters_in_their_search(name):
    rng = np.random.default_rng(0)
    data, target = rng.normal(size=(N_ROWS, 3)), rng.normal(size=N_ROWS)
    seed = {} if name == "GroupKFold" else {"random_state": 3}
    seed |= {"shuffle": True} if name == "KFold" else {}
    results = [
        THEIRS.GridSearchCV(Ridge(), {"alpha": [0.1, 1.0]}, cv=cv)
        .fit(data, target, groups=groups_for(name))
        .cv_results_["mean_test_score"]
        for cv in pair(name, seed)
    ]
    np.testing.assert_array_equal(results[0], results[1])
    scores = THEIRS.cross_val_score(
        sklearn.linear_model.Ridge(), data, target, cv=pair(name, seed)[0], groups=groups_for(name)
    )
    assert np.isfinite(scores).all()


@pytest.mark.parametrize("cls", [StratifiedKFold, StratifiedShuffleSplit])
def test_target_is_needed(cls):
    with pytest.raises((TypeError, ValueError)):
        cls().split(X, None)
