"""Columns that users name or number, and constraints on them, which may come as texts."""

import ast
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gramian.exceptions import InvalidParameterError

__all__ = ["column_sets", "column_signs", "places_of"]


def places_of(chosen: Any, names: Sequence[str], argument: str) -> list[int]:
    """Return the places of columns that are given by place or by name.

    Parameters
    ----------
    chosen : int, str or sequence of them
        The columns.
    names : sequence of str
        Names of all columns.
    argument : str
        What they were given as, for messages.
    """
    found = []
    for item in [chosen] if isinstance(chosen, (int, str)) else list(chosen):
        if isinstance(item, str) and item not in names:
            raise InvalidParameterError(
                f"{argument} names columns that are not there: [{item!r}]. "
                f"The columns are {list(names)}."
            )
        place = list(names).index(item) if isinstance(item, str) else item
        if not isinstance(place, (int, np.integer)) or not 0 <= place < len(names):
            raise InvalidParameterError(
                f"{argument} must hold names of columns, or places from 0 to {len(names) - 1}. "
                f"Got {item!r}."
            )
        found.append(int(place))
    return found


def column_sets(given: Any, names: Sequence[str]) -> list[list[int]]:
    """Return sets of columns by place, from lists of them or the text of such."""
    argument = "interaction_constraints"
    sets = _parsed(argument, given) if isinstance(given, str) else given
    return [places_of(group, names, argument) for group in sets]


def column_signs(given: Any, names: Sequence[str]) -> list[int]:
    """Return a monotone constraint for each column: from a list, a dict by name, or their text.

    Columns behind the end of the list have none.
    """
    argument = "monotone_constraints"
    if isinstance(given, str):
        given = _parsed(argument, given)
    if isinstance(given, Mapping):
        places = places_of(given, names, argument)
        by_place = dict(zip(places, given.values(), strict=True))
        given = [by_place.get(place, 0) for place in range(len(names))]
    signs = [int(sign) for sign in np.atleast_1d(np.asarray(given))]
    if len(signs) > len(names):
        raise InvalidParameterError(
            f"{argument} has {len(signs)} entries for {len(names)} columns."
        )
    return signs + [0] * (len(names) - len(signs))


def _parsed(argument: str, text: str) -> Any:
    try:
        return ast.literal_eval(text) if text.strip() else ()
    except (ValueError, SyntaxError):
        raise InvalidParameterError(
            f"{argument}={text!r} is not the text of a tuple, list or dict."
        ) from None
