"""One search for the candidates of a grid: the nearest of the largest number hold those of each.

The candidates are told apart from other models by a table outside of them, so that what is saved
of a model does not depend on how it was fitted.
"""

from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from scipy.sparse import issparse

from gramian._distance.lists import Places
from gramian._typing import Floats
from gramian.base import clone
from gramian.params import check_params

__all__ = ["SharedSearch", "can_share_search", "fit_together", "shared_search_of"]

_SHARED = {"n_neighbors", "weights"}
_KEPT = 2  # searches: for the test rows and for the training rows of a split


@dataclass
class SharedSearch:
    """The searches of some models that differ in the number of neighbours and their weights.

    Attributes
    ----------
    n_most : int
        The largest number of neighbours.
    """

    n_most: int
    _found: list[tuple[Any, tuple[Floats, Places]]] = field(default_factory=list)

    def nearest(self, model: Any, queries: Any, n_neighbors: int) -> tuple[Floats, Places]:
        """Return the nearest rows of queries, which may have been searched for before."""
        found = next((old for known, old in self._found if _are_same(known, queries)), None)
        if found is None:
            found = model._searched().nearest(queries, self.n_most)
            # A copy: the caller may change the rows.
            self._found = [(queries.copy(), found), *self._found][:_KEPT]
        distance, index = found
        return distance[:, :n_neighbors].copy(), index[:, :n_neighbors].copy()


_SEARCHES: WeakKeyDictionary[Any, SharedSearch] = WeakKeyDictionary()


def shared_search_of(model: Any, n_neighbors: int) -> SharedSearch | None:
    """Return the search that a model shares with others, if it goes far enough."""
    search = _SEARCHES.get(model)
    return search if search is not None and n_neighbors <= search.n_most else None


def can_share_search(candidates: list[dict[str, Any]]) -> bool:
    """Tell whether candidates differ only in what a search for more neighbours answers."""
    return all(set(candidate) <= _SHARED for candidate in candidates)


def fit_together(model: Any, candidates: list[dict[str, Any]], X: Any, y: Any) -> list[Any]:
    """Return a fitted model for each candidate; all share rows and searches."""
    models = [clone(model).set_params(**clone(each, safe=False)) for each in candidates]
    for each in models:
        check_params(each)
    first = max(models, key=lambda each: each.n_neighbors)
    first.fit(X, y)
    search = SharedSearch(min(first.n_neighbors, first.n_samples_fit_))
    for each in models:
        own = each.get_params(deep=False)
        vars(each).update({**vars(first), **own})
        _SEARCHES[each] = search
    return models


def _are_same(known: Any, queries: Any) -> bool:
    if type(known) is not type(queries) or known.shape != queries.shape:
        return False
    if known.dtype != queries.dtype:
        return False
    if not issparse(known):
        return np.array_equal(known, queries)
    parts = ("indptr", "indices", "data")
    return all(np.array_equal(getattr(known, part), getattr(queries, part)) for part in parts)
