"""Metrics as objects: a name with its parameters, checked once."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian.metrics.pairwise import (
    PAIRWISE_BOOLEAN_FUNCTIONS,
    haversine_distances,
    pairwise_distances,
)
from gramian.persistence import persistable
from gramian.validation import check_array, is_sparse

__all__ = ["DistanceMetric", "DistanceMetric32", "DistanceMetric64"]

_ALIASES = {
    "l2": "euclidean",
    "p": "minkowski",
    "manhattan": "cityblock",
    "l1": "cityblock",
    "infinity": "chebyshev",
    "sokalmichener": "rogerstanimoto",
}
_PARAMETERS = {
    "euclidean": (),
    "cityblock": (),
    "chebyshev": (),
    "minkowski": ("p", "w"),
    "seuclidean": ("V",),
    "mahalanobis": ("V", "VI"),
    "hamming": (),
    "canberra": (),
    "braycurtis": (),
    "haversine": (),
    "jaccard": (),
    "dice": (),
    "rogerstanimoto": (),
    "russellrao": (),
    "sokalsneath": (),
}
_SQUARED = ("euclidean", "seuclidean", "mahalanobis")


class DistanceMetric:
    """A metric with its parameters, made by `get_metric`.

    Attributes
    ----------
    name : str
        Name of the metric; "pyfunc" for a function.
    params : dict
        Its parameters.
    dtype : dtype
        Type of the distances.

    Examples
    --------
    >>> from gramian.metrics import DistanceMetric
    >>> metric = DistanceMetric.get_metric("minkowski", p=1)
    >>> metric.pairwise([[0.0, 1.0], [3.0, 5.0]])
    array([[0., 7.],
           [7., 0.]])
    """

    dtype: Any = np.float64
    name: str
    params: dict[str, Any]

    def __init__(self, name: str, **params: Any) -> None:
        self.name = name
        self.params = _checked_params(name, params)

    @classmethod
    def get_metric(cls, metric: Any, dtype: Any = np.float64, **kwargs: Any) -> "DistanceMetric":
        """Return the metric of a name.

        Parameters
        ----------
        metric : str, callable or DistanceMetric
            "euclidean", "manhattan", "chebyshev", "minkowski" (with ``p`` and perhaps ``w``),
            "seuclidean" (``V``), "mahalanobis" (``V`` or ``VI``), "hamming", "canberra",
            "braycurtis", "haversine", a metric of truth values such as "jaccard", or a function of
            two rows, by itself or as ``func`` with "pyfunc".
        dtype : {float64, float32}, default=float64
            Type of the distances.
        **kwargs : arguments
            Parameters of the metric.
        """
        if isinstance(metric, DistanceMetric):
            return metric
        if dtype not in (np.float64, np.float32):
            raise ValueError(
                f"Unexpected dtype {dtype} provided. Please select a dtype from "
                f"{{{np.float32!r}, {np.float64!r}}}"
            )
        kind = cls
        if cls is DistanceMetric:
            kind = DistanceMetric32 if dtype == np.float32 else DistanceMetric64
        if callable(metric):
            return kind("pyfunc", func=metric, **kwargs)
        return kind(_ALIASES.get(metric, metric), **kwargs)

    def pairwise(self, X: Any, Y: Any = None) -> NDArray[Any]:
        """Return the distances between the rows of `X` and those of `Y`.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples_X, n_features)
            Rows.
        Y : array or sparse matrix of shape (n_samples_Y, n_features), optional
            Rows to compare with; by default those of `X`.

        Returns
        -------
        ndarray of shape (n_samples_X, n_samples_Y)
        """
        rows = self._rows(X)
        others = rows if Y is None else self._rows(Y)
        # Not all metrics are 0 from a row to itself, as those of one set are taken to be.
        found = self._distances(rows, others if others is not rows else rows.view())
        return np.ascontiguousarray(found, dtype=self.dtype)

    def _distances(self, X: NDArray[Any], Y: NDArray[Any]) -> Any:
        if self.name == "haversine":
            return haversine_distances(X, Y)
        metric, params = self.named()
        return pairwise_distances(X, Y, metric=metric, **params)

    def named(self) -> tuple[Any, dict[str, Any]]:
        """Return the metric and the arguments that `pairwise_distances` takes."""
        if self.name != "pyfunc":
            return self.name, self.params
        params = {name: value for name, value in self.params.items() if name != "func"}
        return _CheckedFunction(self.params["func"]), params

    def _rows(self, X: Any) -> NDArray[Any]:
        checked = check_array(X, accept_sparse="csr", dtype=(np.float64, np.float32))
        rows: NDArray[Any] = checked.toarray() if is_sparse(checked) else checked
        self.check_sizes(rows.shape[1])
        return rows != 0 if self.name in PAIRWISE_BOOLEAN_FUNCTIONS else rows

    def check_sizes(self, n_features: int) -> None:
        """Raise ValueError if the parameters do not fit rows of so many columns."""
        if self.name == "haversine" and n_features != 2:
            raise ValueError("Haversine distance only valid in 2 dimensions")
        kinds = {"w": "MinkowskiDistance", "V": "SEuclideanDistance", "VI": "MahalanobisDistance"}
        for name, kind in kinds.items():
            given = self.params.get(name)
            if given is not None and len(given) != n_features:
                raise ValueError(
                    f"{kind}: the size of {name} must match the number of features "
                    f"({n_features}). Currently len({name})={len(given)}."
                )

    def dist_to_rdist(self, dist: Any) -> Any:
        """Return reduced distances, which have the same order and are quicker to compute.

        Parameters
        ----------
        dist : array-like or float
            Distances.
        """
        values = np.asarray(dist)
        if self.name in _SQUARED:
            return values**2
        if self.name == "minkowski":
            return values ** self.params["p"]
        return np.sin(0.5 * values) ** 2 if self.name == "haversine" else values

    def rdist_to_dist(self, rdist: Any) -> Any:
        """Return the distances of reduced distances.

        Parameters
        ----------
        rdist : array-like or float
            Reduced distances.
        """
        values = np.asarray(rdist)
        if self.name in _SQUARED:
            return np.sqrt(values)
        if self.name == "minkowski":
            return values ** (1.0 / self.params["p"])
        return 2.0 * np.arcsin(np.sqrt(values)) if self.name == "haversine" else values


@persistable
class DistanceMetric64(DistanceMetric):
    """A metric whose distances are of type float64."""

    dtype = np.float64


@persistable
class DistanceMetric32(DistanceMetric):
    """A metric whose distances are of type float32."""

    dtype = np.float32


def _checked_params(name: str, params: dict[str, Any]) -> dict[str, Any]:
    if name == "pyfunc":
        if not callable(params.get("func")):
            raise ValueError("metric 'pyfunc' needs a function of two rows: func=...")
        return params
    if name not in _PARAMETERS:
        raise ValueError(
            f"Unrecognized metric {name!r}; known are {sorted([*_PARAMETERS, *_ALIASES])}."
        )
    unknown = sorted(set(params) - set(_PARAMETERS[name]))
    if unknown:
        raise TypeError(f"metric {name!r} takes no argument {unknown[0]!r}.")
    if name == "minkowski":
        return _minkowski(**params)
    if name == "seuclidean":
        if params.get("V") is None:
            raise TypeError("metric 'seuclidean' needs the variances of the columns: V=...")
        return {"V": np.asarray(params["V"], dtype=np.float64)}
    return _mahalanobis(**params) if name == "mahalanobis" else {}


def _minkowski(p: float = 2.0, w: Any = None) -> dict[str, Any]:
    if p <= 0:
        raise ValueError(f"p must be greater than 0, not {p}.")
    if w is None:
        return {"p": p}
    if is_sparse(w):
        raise TypeError("Sparse data was passed for w, but dense data is required.")
    weights = check_array(w, ensure_2d=False, input_name="w", dtype=np.float64)
    if (weights < 0).any():
        raise ValueError("w cannot contain negative weights")
    return {"p": p, "w": weights}


def _mahalanobis(V: Any = None, VI: Any = None) -> dict[str, Any]:
    if (V is None) == (VI is None):
        raise ValueError("Must provide either V or VI for Mahalanobis distance")
    inverse = np.linalg.inv(np.asarray(V)) if VI is None else VI
    inverse = np.asarray(inverse, dtype=np.float64)
    if inverse.ndim != 2 or inverse.shape[0] != inverse.shape[1]:
        raise ValueError("V/VI must be square")
    return {"VI": inverse}


class _CheckedFunction:
    """A function of two rows whose answers must be numbers."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    def __call__(self, x: Any, y: Any, **kwargs: Any) -> float:
        found = self._function(x, y, **kwargs)
        if isinstance(found, (str, bytes)):
            raise TypeError(
                "Custom distance function must accept two vectors and return a float. Got "
                f"{type(found).__name__}."
            )
        try:
            return float(found)
        except TypeError as error:
            raise TypeError(
                "Custom distance function must accept two vectors and return a float."
            ) from error
