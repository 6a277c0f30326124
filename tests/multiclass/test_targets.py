"""The kind of a target is named as by scikit-learn."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.utils.multiclass import type_of_target as reference
from sklearn.utils.multiclass import unique_labels as reference_labels

from gramian.multiclass import type_of_target, unique_labels


@pytest.mark.parametrize(
    "y",
    [
        [0, 1, 1],
        [0, 1, 2],
        [1.0, 2.0],
        [0.5, 1.0],
        ["a", "b", "c"],
        [True, False],
        [],
        [[]],
        [[1, 2]],
        [[1], [2], [3]],
        [[1, 0], [0, 1]],
        [[1, 2], [3, 1]],
        [[0.5, 1.5], [1.0, 2.0]],
        [["a", "b"], ["b", "c"]],
        np.zeros((2, 2, 2)),
        np.array([object(), object()]),
        np.array(["a", "b"], dtype=object),
        scipy.sparse.csr_array([[0, 1], [1, 0]]),
        scipy.sparse.csr_array([[0, 1, 2], [1, 0, 0]]),
        scipy.sparse.csr_array([[0.0, 0.5], [1.0, 0.0]]),
        scipy.sparse.csr_array((3, 4)),
        pd.Series(["x", "y", "z"]),
    ],
)
def test_same_as_scikit_learn(y):
    assert type_of_target(y) == reference(y)


@pytest.mark.parametrize("y", ["abc", 3, {1: 2}, [0.5, np.inf], [[1], [2, 3]]])
def test_refusals(y):
    with pytest.raises(ValueError), np.errstate(invalid="ignore"):
        reference(y)
    with pytest.raises(ValueError):
        type_of_target(y)


def test_bytes_are_refused():
    with pytest.raises(TypeError, match="bytes"):
        type_of_target([b"a", b"b"])


def test_unknown_kinds_can_be_refused():
    assert type_of_target(np.zeros((2, 2, 2))) == "unknown"
    for function in (reference, type_of_target):
        with pytest.raises(ValueError, match="Unknown label type for target"):
            function(np.zeros((2, 2, 2)), "target", raise_unknown=True)


@pytest.mark.parametrize(
    "ys",
    [
        ([3, 1, 1],),
        ([1, 2, 10], [5, 11]),
        (["b", "a"], ["c"]),
        ([True, False], [True]),
        ([1.0, 2.0], [3]),
        ([[0, 1], [1, 1]], [[1, 1], [0, 0]]),
        (scipy.sparse.csr_array([[0, 1, 1], [1, 0, 0]]),),
    ],
)
def test_unique_labels(ys):
    ours, theirs = unique_labels(*ys), reference_labels(*ys)
    np.testing.assert_array_equal(ours, theirs)
    assert ours.dtype == theirs.dtype


@pytest.mark.parametrize(
    "ys",
    [
        (),
        ([1, 2], ["a", "b"]),
        ([1, 2], [[0, 1], [1, 0]]),
        ([0.5, 1.5],),
        ([[0, 1], [1, 0]], [[0, 1, 1], [1, 0, 0]]),
    ],
)
def test_refused_labels(ys):
    for function in (reference_labels, unique_labels):
        with pytest.raises(ValueError):
            function(*ys)
