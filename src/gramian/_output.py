"""``set_output``: give what a transformer returns as a pandas or polars data frame."""

import sys
from collections.abc import Callable
from functools import wraps
from importlib import import_module
from typing import Any

import numpy as np

from gramian.config import get_config

CONTAINERS = ("default", "pandas", "polars")


def check_container(container: str) -> None:
    """Raise unless `container` is one of the names that ``set_output`` knows."""
    if container not in CONTAINERS:
        allowed = ", ".join(repr(name) for name in CONTAINERS)
        raise ValueError(f"set_output: transform must be one of {allowed}. Got {container!r}.")


def wrap(method: Callable[..., Any]) -> Callable[..., Any]:
    """Make a ``transform`` or ``fit_transform`` return the container that was asked for."""

    @wraps(method)
    def wrapped(self: Any, X: Any, *args: Any, **kwargs: Any) -> Any:
        return to_container(method(self, X, *args, **kwargs), self, X)

    return wrapped


def output_container(estimator: Any) -> str:
    """Return the container that ``set_output``, or the settings, ask of an estimator.

    The settings are ours, or those of a scikit-learn that is loaded.
    """
    chosen = getattr(estimator, "_sklearn_output_config", {}).get("transform")
    container = chosen or get_config()["transform_output"]
    theirs = getattr(sys.modules.get("sklearn"), "get_config", None)
    if chosen is None and container == "default" and theirs is not None:
        container = theirs().get("transform_output", "default")
    return str(container)


def to_container(result: Any, estimator: Any, X: Any) -> Any:
    """Return `result` as the container that the estimator or the settings ask for.

    Of several results the first is that of the features.
    """
    container = output_container(estimator)
    if container == "default" or not hasattr(estimator, "get_feature_names_out"):
        return result
    if isinstance(result, tuple):
        return to_container(result[0], estimator, X), *result[1:]
    if hasattr(result, "toarray"):
        raise ValueError(
            f"{container.capitalize()} output does not support sparse data. Set "
            f"sparse_output=False, or what else makes {type(estimator).__name__} return dense "
            f'data, or disable {container.capitalize()} output via set_output(transform="default").'
        )
    names = estimator.get_feature_names_out()
    library = import_module(container)
    if names is None and isinstance(result, library.DataFrame):
        return result
    columns = range(result.shape[1]) if names is None else names
    columns = [str(name) for name in columns]
    if container == "pandas":
        index = getattr(X, "index", None) if isinstance(X, library.DataFrame) else None
        if isinstance(result, library.DataFrame):
            return result.set_axis(columns, axis="columns")
        return library.DataFrame(np.asarray(result), columns=columns, index=index, copy=False)
    if isinstance(result, library.DataFrame):
        return result.rename(dict(zip(result.columns, columns, strict=True)))
    return library.DataFrame(np.asarray(result), schema=columns, orient="row")
