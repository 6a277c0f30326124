"""Graphs of the rows of a table and their neighbours."""

from typing import Any

from scipy.sparse import csr_matrix

from gramian.neighbors._metrics import ALL_METRICS
from gramian.neighbors._searches import KNeighborsMixin, RadiusNeighborsMixin
from gramian.neighbors._unsupervised import NearestNeighbors
from gramian.params import (
    Boolean,
    Callables,
    Integer,
    Mappings,
    Nothing,
    OneOf,
    Real,
    check_arguments,
)

__all__ = ["kneighbors_graph", "radius_neighbors_graph"]


def kneighbors_graph(
    X: Any,
    n_neighbors: int,
    *,
    mode: str = "connectivity",
    metric: Any = "minkowski",
    p: float | None = 2,
    metric_params: dict[str, Any] | None = None,
    include_self: bool | str = False,
    n_jobs: int | None = None,
) -> csr_matrix:
    """Return the graph of the rows of `X` and their nearest neighbours.

    Parameters
    ----------
    X : table, array or sparse matrix of shape (n_samples, n_features), or fitted search
        The rows, or a model that has them.
    n_neighbors : int
        Number of neighbours of each row.
    mode : {"connectivity", "distance"}, default="connectivity"
        Whether an edge has the value 1 or its length.
    metric : str or callable, default="minkowski"
        As in `NearestNeighbors`.
    p : float, default=2
        Power of Minkowski's metric.
    metric_params : dict, default=None
        Further arguments of the metric.
    include_self : bool or "auto", default=False
        Whether a row is its own first neighbour; "auto" for connectivity only.
    n_jobs : int, default=None
        Number of threads.

    Returns
    -------
    CSR matrix of shape (n_samples, n_samples)

    Examples
    --------
    >>> from gramian.neighbors import kneighbors_graph
    >>> kneighbors_graph([[0.0], [3.0], [1.0]], 1, include_self=False).toarray()
    array([[0., 0., 1.],
           [0., 0., 1.],
           [1., 0., 0.]])
    """
    _check("kneighbors_graph", mode, metric, p, metric_params, include_self, n_jobs)
    check_arguments("kneighbors_graph", n_neighbors=(n_neighbors, Integer(1)))
    if isinstance(X, KNeighborsMixin):
        search = X
        _check_same(search, metric, p, metric_params)
    else:
        search = NearestNeighbors(
            n_neighbors=n_neighbors, metric=metric, p=p, metric_params=metric_params, n_jobs=n_jobs
        ).fit(X)
    query = _query(search, include_self, mode)
    return search.kneighbors_graph(query, n_neighbors=n_neighbors, mode=mode)


def radius_neighbors_graph(
    X: Any,
    radius: float,
    *,
    mode: str = "connectivity",
    metric: Any = "minkowski",
    p: float | None = 2,
    metric_params: dict[str, Any] | None = None,
    include_self: bool | str = False,
    n_jobs: int | None = None,
) -> csr_matrix:
    """Return the graph of the rows of `X` and all neighbours within a radius.

    Parameters
    ----------
    X : table, array or sparse matrix of shape (n_samples, n_features), or fitted search
        The rows, or a model that has them.
    radius : float
        The largest distance of a neighbour.
    mode : {"connectivity", "distance"}, default="connectivity"
        Whether an edge has the value 1 or its length.
    metric : str or callable, default="minkowski"
        As in `NearestNeighbors`.
    p : float, default=2
        Power of Minkowski's metric.
    metric_params : dict, default=None
        Further arguments of the metric.
    include_self : bool or "auto", default=False
        Whether a row is its own neighbour; "auto" for connectivity only.
    n_jobs : int, default=None
        Number of threads.

    Returns
    -------
    CSR matrix of shape (n_samples, n_samples)

    Examples
    --------
    >>> from gramian.neighbors import radius_neighbors_graph
    >>> radius_neighbors_graph([[0.0], [3.0], [1.0]], 1.5, include_self=True).toarray()
    array([[1., 0., 1.],
           [0., 1., 0.],
           [1., 0., 1.]])
    """
    _check("radius_neighbors_graph", mode, metric, p, metric_params, include_self, n_jobs)
    check_arguments("radius_neighbors_graph", radius=(radius, Real(0.0, closed="both")))
    if isinstance(X, RadiusNeighborsMixin):
        search = X
        _check_same(search, metric, p, metric_params)
    else:
        search = NearestNeighbors(
            radius=radius, metric=metric, p=p, metric_params=metric_params, n_jobs=n_jobs
        ).fit(X)
    query = _query(search, include_self, mode)
    return search.radius_neighbors_graph(query, radius, mode)


def _check(
    function: str, mode: Any, metric: Any, p: Any, params: Any, include_self: Any, n_jobs: Any
) -> None:
    check_arguments(
        function,
        mode=(mode, OneOf("connectivity", "distance")),
        metric=(metric, OneOf(*ALL_METRICS) | Callables()),
        p=(p, Real(0.0, closed="right") | Nothing()),
        metric_params=(params, Mappings() | Nothing()),
        include_self=(include_self, Boolean() | OneOf("auto")),
        n_jobs=(n_jobs, Integer() | Nothing()),
    )


def _check_same(search: Any, metric: Any, p: Any, metric_params: Any) -> None:
    given = {"metric": metric, "p": p, "metric_params": metric_params}
    for name, value in given.items():
        if value != getattr(search, name):
            raise ValueError(
                f"Got {value} for {name}, while the estimator has {getattr(search, name)} for the "
                "same parameter."
            )


def _query(search: Any, include_self: bool | str, mode: str) -> Any:
    """Return what to ask for: nothing, unless rows are their own neighbours."""
    if include_self == "auto":
        include_self = mode == "connectivity"
    return search._fit_X if include_self else None
