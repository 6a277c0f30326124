"""How much each neighbour counts."""

from typing import Any

import numpy as np

from gramian._distance.lists import NeighbourLists
from gramian._typing import Floats
from gramian.params import Callables, Nothing, OneOf

__all__ = ["WEIGHTS", "weights_of_lists", "weights_of_matrix"]

WEIGHTS = OneOf("uniform", "distance") | Callables() | Nothing()


def weights_of_matrix(weights: Any, distance: Floats) -> Floats | None:
    """Return the weights of k neighbours each, in one row after the other; None for equal ones."""
    if weights in (None, "uniform"):
        return None
    if callable(weights):
        return _checked(weights(distance), distance.shape).ravel()
    return _inverse(distance, (distance == 0).any(axis=1)[:, None]).ravel()


def weights_of_lists(weights: Any, lists: NeighbourLists) -> Floats | None:
    """Return the weights of lists of any length; a function is given one array for each query."""
    if weights in (None, "uniform"):
        return None
    if callable(weights):
        parts = [np.empty(0), *weights(lists.split(lists.distance))]
        return _checked(np.concatenate(parts), lists.distance.shape)
    has_zero = np.zeros(lists.n_queries, dtype=bool)
    query = lists.query_of()
    has_zero[query[lists.distance == 0]] = True
    return _inverse(lists.distance, has_zero[query])


def _inverse(distance: Floats, beside_zero: Any) -> Floats:
    """Return 1 / distance; where a distance is 0, such neighbours alone count."""
    with np.errstate(divide="ignore", over="ignore"):
        inverse = 1.0 / distance
    inverse = np.minimum(inverse, np.finfo(np.float64).max)
    return np.where(beside_zero, (distance == 0).astype(np.float64), inverse)


def _checked(weights: Any, shape: tuple[int, ...]) -> Floats:
    found = np.ascontiguousarray(weights, dtype=np.float64)
    if found.shape != shape:
        raise ValueError(
            f"The function given as weights must return an array of the shape of the distances, "
            f"{shape}, not {found.shape}."
        )
    return found
