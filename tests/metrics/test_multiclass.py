"""The kind of a target is named as by scikit-learn."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.utils.multiclass import type_of_target as reference

from gramian.multiclass import type_of_target


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
