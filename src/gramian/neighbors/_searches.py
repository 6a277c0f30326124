"""The searches that models offer: k neighbours, all within a radius, and their graphs."""

import numbers
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, issparse

from gramian._distance.lists import NeighbourLists, Places, without_self
from gramian._typing import Floats
from gramian.neighbors._base import NeighborsBase
from gramian.neighbors._precomputed import nearest_in_graph, within_in_graph
from gramian.neighbors._shared_search import can_share_search, fit_together, shared_search_of

__all__ = ["KNeighborsMixin", "RadiusNeighborsMixin"]


class KNeighborsMixin(NeighborsBase):
    """Searches for a number of neighbours."""

    n_neighbors: Any

    def kneighbors(
        self, X: Any = None, n_neighbors: int | None = None, return_distance: bool = True
    ) -> Any:
        """Return the nearest training rows of each row, nearest first.

        Of equally near rows the first come first.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_queries, n_features), optional
            The rows; with ``metric="precomputed"`` their distances to the training rows. By default
            the training rows, none of which is then its own neighbour.
        n_neighbors : int, optional
            How many; by default the parameter.
        return_distance : bool, default=True
            Whether to return the distances, too.

        Returns
        -------
        neigh_dist : ndarray of shape (n_queries, n_neighbors)
            Distances, if `return_distance`.
        neigh_ind : ndarray of shape (n_queries, n_neighbors)
            Numbers of the training rows.
        """
        distance, index = self._nearest(X, n_neighbors)
        return (distance, index) if return_distance else index

    def _nearest(self, X: Any, n_neighbors: int | None = None) -> tuple[Floats, Places]:
        n_neighbors = self._checked_number(n_neighbors)
        queries = self._queries(X)
        is_train = X is None
        if n_neighbors + is_train > self.n_samples_fit_:
            sign = "<" if is_train else "<="
            raise ValueError(
                f"Expected n_neighbors {sign} n_samples_fit, but n_neighbors = {n_neighbors}, "
                f"n_samples_fit = {self.n_samples_fit_}, n_samples = {queries.shape[0]}"
            )
        if self.metric == "precomputed" and issparse(queries):
            found = nearest_in_graph(queries, n_neighbors + is_train)
            return without_self(*found) if is_train else found
        shared = None if is_train else shared_search_of(self, n_neighbors)
        if shared is not None:
            return shared.nearest(self, queries, n_neighbors)
        return self._searched().nearest(queries, n_neighbors, leaves_out_self=is_train)

    def _shares_fits(self, candidates: list[dict[str, Any]]) -> bool:
        """Tell whether candidates of a search share the search for the most neighbours."""
        is_own = type(self).__module__.startswith("gramian.neighbors.")
        return is_own and hasattr(self, "predict") and can_share_search(candidates)

    def _fit_candidates(self, candidates: list[dict[str, Any]], X: Any, y: Any) -> list[Any]:
        return fit_together(self, candidates, X, y)

    def _checked_number(self, n_neighbors: int | None) -> int:
        if n_neighbors is None:
            n_neighbors = self.n_neighbors
        if not isinstance(n_neighbors, numbers.Integral):
            raise TypeError(
                f"n_neighbors does not take {type(n_neighbors)} value, enter integer value"
            )
        if n_neighbors <= 0:
            raise ValueError(f"Expected n_neighbors > 0. Got {n_neighbors}")
        return int(n_neighbors)

    def kneighbors_graph(
        self, X: Any = None, n_neighbors: int | None = None, mode: str = "connectivity"
    ) -> csr_matrix:
        """Return the graph of the nearest training rows.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_queries, n_features), optional
            The rows; by default the training rows, as in `kneighbors`.
        n_neighbors : int, optional
            How many; by default the parameter.
        mode : {"connectivity", "distance"}, default="connectivity"
            Whether an edge has the value 1 or its length.

        Returns
        -------
        CSR matrix of shape (n_queries, n_samples_fit)
        """
        _check_mode(mode)
        lists = NeighbourLists.of_matrix(*self._nearest(X, n_neighbors))
        return _graph(lists, mode, self.n_samples_fit_)


class RadiusNeighborsMixin(NeighborsBase):
    """Searches for all neighbours within a radius."""

    radius: Any

    def radius_neighbors(
        self,
        X: Any = None,
        radius: Any = None,
        return_distance: bool = True,
        sort_results: bool = False,
    ) -> Any:
        """Return the training rows whose distance is at most the radius.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_queries, n_features), optional
            The rows; with ``metric="precomputed"`` their distances to the training rows. By default
            the training rows, none of which is then its own neighbour.
        radius : float or array of shape (n_queries,), optional
            The largest distance, or that of each row; by default the parameter.
        return_distance : bool, default=True
            Whether to return the distances, too.
        sort_results : bool, default=False
            Whether the nearest come first; otherwise they are in the order of the training rows.

        Returns
        -------
        neigh_dist : ndarray of shape (n_queries,) of arrays
            Distances, if `return_distance`.
        neigh_ind : ndarray of shape (n_queries,) of arrays
            Numbers of the training rows.
        """
        if sort_results and not return_distance:
            raise ValueError("return_distance must be True if sort_results is True.")
        lists = self._within(X, radius, by_distance=sort_results)
        index = lists.split(lists.index)
        return (lists.split(lists.distance), index) if return_distance else index

    def _within(self, X: Any, radius: Any = None, *, by_distance: bool = False) -> NeighbourLists:
        radius = self.radius if radius is None else radius
        queries = self._queries(X)
        is_train = X is None
        if np.shape(radius) == () and isinstance(radius, numbers.Real):
            radius = float(radius)  # whole numbers of any size
        if np.shape(radius) not in ((), (queries.shape[0],)) or np.isnan(radius).any():
            raise ValueError(
                f"radius must be a number, or one for each of the {queries.shape[0]} rows, not "
                f"{radius!r}."
            )
        if not (self.metric == "precomputed" and issparse(queries)):
            return self._searched().within(
                queries, radius, leaves_out_self=is_train, by_distance=by_distance
            )
        if np.ndim(radius) != 0:
            raise ValueError("radius must be a number for a sparse graph of distances.")
        lists = within_in_graph(queries, radius)
        if not is_train:
            return lists
        is_other = lists.index != lists.query_of()
        starts = np.concatenate([[0], is_other.cumsum()])[lists.starts]
        return NeighbourLists(starts, lists.index[is_other], lists.distance[is_other])

    def radius_neighbors_graph(
        self,
        X: Any = None,
        radius: float | None = None,
        mode: str = "connectivity",
        sort_results: bool = False,
    ) -> csr_matrix:
        """Return the graph of the training rows within the radius.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_queries, n_features), optional
            The rows; by default the training rows, as in `radius_neighbors`.
        radius : float, optional
            The largest distance; by default the parameter.
        mode : {"connectivity", "distance"}, default="connectivity"
            Whether an edge has the value 1 or its length.
        sort_results : bool, default=False
            Whether the nearest come first in each row; only with ``mode="distance"``.

        Returns
        -------
        CSR matrix of shape (n_queries, n_samples_fit)
        """
        _check_mode(mode)
        lists = self._within(X, radius, by_distance=sort_results and mode == "distance")
        return _graph(lists, mode, self.n_samples_fit_)


def _check_mode(mode: str) -> None:
    if mode not in ("connectivity", "distance"):
        raise ValueError(
            'Unsupported mode, must be one of "connectivity", or "distance" but got '
            f'"{mode}" instead'
        )


def _graph(lists: NeighbourLists, mode: str, n_samples_fit: int) -> csr_matrix:
    values: NDArray[Any] = lists.distance if mode == "distance" else np.ones(len(lists.index))
    shape = (lists.n_queries, n_samples_fit)
    return csr_matrix((values, lists.index, lists.starts), shape=shape)
