"""Forests and other ensembles on targets and tables that are odd, or wrong."""

import numpy as np
import pytest

from gramian.ensemble import BaggingRegressor, ExtraTreesRegressor, RandomForestRegressor
from gramian.tree import DecisionTreeRegressor


@pytest.mark.parametrize("cls", [RandomForestRegressor, ExtraTreesRegressor])
def test_forests_of_counts_say_what_is_wrong(cls):
    model = cls(2, criterion="poisson")
    with pytest.raises(ValueError, match="Sum of y is not strictly positive which is necessary"):
        model.fit(np.zeros((3, 2)), [0, 0, 0])
    with pytest.raises(ValueError, match="negative which is not allowed for Poisson"):
        model.fit(np.zeros((3, 2)), [-1, 1, 3])


def test_bagged_trees_of_counts_say_what_is_wrong():
    model = BaggingRegressor(DecisionTreeRegressor(criterion="poisson"), 2)
    with pytest.raises(ValueError, match="negative which is not allowed for Poisson"):
        model.fit(np.zeros((3, 2)), [-1, 1, 3])
