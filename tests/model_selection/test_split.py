"""Folds are scikit-learn's, row by row."""

import numpy as np
import pytest
import sklearn.model_selection
from hypothesis import given
from hypothesis import strategies as st

from gramian.model_selection import KFold, StratifiedKFold

RNG = np.random.default_rng(1)
LABELS = RNG.choice(["a", "b", "c"], size=57, p=[0.6, 0.3, 0.1])


def assert_same_splits(ours, theirs, X, y):
    for (train, test), (their_train, their_test) in zip(
        ours.split(X, y), theirs.split(X, y), strict=True
    ):
        np.testing.assert_array_equal(train, their_train)
        np.testing.assert_array_equal(test, their_test)


@pytest.mark.parametrize("name", ["KFold", "StratifiedKFold"])
@pytest.mark.parametrize("n_splits", [2, 3, 5])
@pytest.mark.parametrize("options", [{}, {"shuffle": True, "random_state": 7}])
@pytest.mark.parametrize("y", [LABELS, RNG.permutation(LABELS), np.arange(57) % 2])
def test_same_as_scikit_learn(name, n_splits, options, y):
    ours = {"KFold": KFold, "StratifiedKFold": StratifiedKFold}[name](n_splits, **options)
    theirs = getattr(sklearn.model_selection, name)(n_splits, **options)
    assert_same_splits(ours, theirs, np.zeros((57, 2)), y)
    assert repr(ours) == repr(theirs)
    assert ours.get_n_splits() == n_splits


def test_random_state_object_is_advanced():
    first = list(KFold(3, shuffle=True, random_state=np.random.RandomState(0)).split(range(9)))
    theirs = sklearn.model_selection.KFold(
        3, shuffle=True, random_state=np.random.RandomState(0)
    ).split(range(9))
    for (_, test), (_, their_test) in zip(first, theirs, strict=True):
        np.testing.assert_array_equal(test, their_test)


@given(st.integers(2, 6), st.integers(6, 60), st.integers(0, 1000))
def test_every_row_is_tested_once(n_splits, n_rows, seed):
    splits = list(KFold(n_splits, shuffle=True, random_state=seed).split(np.zeros(n_rows)))
    tested = np.concatenate([test for _, test in splits])
    np.testing.assert_array_equal(np.sort(tested), np.arange(n_rows))
    sizes = [len(test) for _, test in splits]
    assert max(sizes) - min(sizes) <= 1
    for train, test in splits:
        assert not set(train) & set(test)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (((1,), {}), ValueError),
        ((("3",), {}), ValueError),
        (((2.5,), {}), ValueError),
        (((3,), {"shuffle": 1}), TypeError),
        (((3,), {"random_state": 0}), ValueError),
    ],
)
@pytest.mark.parametrize("cls", [KFold, StratifiedKFold])
def test_bad_arguments(cls, arguments, error):
    args, options = arguments
    with pytest.raises(error) as theirs:
        getattr(sklearn.model_selection, cls.__name__)(*args, **options)
    with pytest.raises(error) as ours:
        cls(*args, **options)
    assert str(ours.value) == str(theirs.value)


def test_more_folds_than_rows():
    with pytest.raises(ValueError, match="n_splits=5 greater than the number of samples"):
        list(KFold(5).split(np.zeros(4)))


def test_rare_classes():
    y = np.array([0] * 9 + [1])
    with pytest.warns(UserWarning, match="only 1 members, which is less than n_splits=3"):
        list(StratifiedKFold(3).split(y, y))
    with pytest.raises(ValueError, match="n_splits=4 cannot be greater"):
        list(StratifiedKFold(4).split(np.zeros(4), [0, 0, 1, 1]))


def test_continuous_target_has_no_strata():
    with pytest.raises(ValueError, match="Got 'continuous' instead"):
        list(StratifiedKFold(2).split(np.zeros(4), [0.1, 0.2, 0.3, 0.4]))


def test_groups_are_ignored_with_a_warning():
    with pytest.warns(UserWarning, match="groups parameter is ignored by KFold"):
        KFold(2).split(np.zeros(4), groups=[1, 1, 2, 2])
