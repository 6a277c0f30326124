"""Columns by name or place, and constraints on them."""

import numpy as np
import pytest

from gramian.compat._chosen_columns import column_sets, column_signs, places_of
from gramian.exceptions import InvalidParameterError

NAMES = ["age", "height", "city"]


@pytest.mark.parametrize("chosen", [["city", 0], ("city", "age"), np.array([2, 0])])
def test_places_by_name_or_place(chosen):
    assert places_of(chosen, NAMES, "features") == [2, 0]


def test_one_column_need_not_be_in_a_list():
    assert places_of("height", NAMES, "features") == places_of(1, NAMES, "features") == [1]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("weight", r"features names columns that are not there: \['weight'\]. The columns are"),
        (3, "features must hold names of columns, or places from 0 to 2. Got 3"),
        (-1, "Got -1"),
        (0.5, "Got 0.5"),
    ],
)
def test_mistakes_name_the_argument_and_the_value(wrong, message):
    with pytest.raises(InvalidParameterError, match=message):
        places_of([wrong], NAMES, "features")


@pytest.mark.parametrize(
    "given", [[1, 0, -1], "(1, 0, -1)", "1,0,-1", {"age": 1, "city": -1}, "{'age': 1, 'city': -1}"]
)
def test_signs_in_all_forms(given):
    assert column_signs(given, NAMES) == [1, 0, -1]


def test_signs_of_some_columns():
    assert column_signs([1], NAMES) == [1, 0, 0]
    assert column_signs("", NAMES) == [0, 0, 0]
    with pytest.raises(InvalidParameterError, match="monotone_constraints has 4 entries for 3"):
        column_signs([0] * 4, NAMES)


def test_sets_in_all_forms():
    for given in ([[0, 2], [1]], [("age", "city"), ["height"]], "[[0, 2], ['height']]"):
        assert column_sets(given, NAMES) == [[0, 2], [1]]
    with pytest.raises(InvalidParameterError, match=r"interaction_constraints='\[0' is not the"):
        column_sets("[0", NAMES)
