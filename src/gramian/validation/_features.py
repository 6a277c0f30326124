"""Names and number of features, at fit and afterwards."""

import warnings
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian.table import Table, as_table, number_names

__all__ = ["check_n_features", "match_names", "names_checked", "names_of", "set_feature_names"]

_N_SHOWN = 5
_is_warned: ContextVar[bool] = ContextVar("_is_warned", default=False)


@contextmanager
def names_checked() -> Iterator[None]:
    """Let estimators be silent about missing names, since the ensemble they belong to has spoken.

    Examples
    --------
    >>> import pandas as pd
    >>> from gramian.linear_model import Ridge
    >>> from gramian.validation import names_checked
    >>> model = Ridge().fit(pd.DataFrame({"area": [1.0, 2.0]}), [1.0, 2.0])
    >>> with names_checked():
    ...     model.predict([[1.5]])  # without a warning
    array([1.5])
    """
    token = _is_warned.set(True)
    try:
        yield
    finally:
        _is_warned.reset(token)


def set_feature_names(estimator: Any, X: Any) -> None:
    """Set ``n_features_in_`` and, if all columns have names, ``feature_names_in_``.

    For estimators that do not read `X` itself; others call `check_fit`, which does this too.
    """
    names = number_names(X)
    if names is not None:
        estimator.n_features_in_ = len(names)
        return remember(estimator, names_of(names))
    table = X if isinstance(X, Table) else None if isinstance(X, np.ndarray) else as_table(X)
    container = table if table is not None else X if hasattr(X, "shape") else np.asarray(X)
    shape = container.shape
    if len(shape) > 1:
        estimator.n_features_in_ = int(shape[1])
    remember(estimator, None if table is None else names_of(table.names))


def remember(estimator: Any, names: NDArray[Any] | None) -> None:
    """Set ``feature_names_in_``, or forget that of an earlier fit."""
    if names is not None:
        estimator.feature_names_in_ = names
    else:
        vars(estimator).pop("feature_names_in_", None)


def names_of(columns: Sequence[Hashable]) -> NDArray[Any] | None:
    """Return column names as an array, or None if they are not strings."""
    is_text = [isinstance(name, str) for name in columns]
    if all(is_text):
        return np.array(columns, dtype=object) if columns else None
    if any(is_text):
        types = sorted({type(name).__qualname__ for name in columns})
        raise TypeError(
            "Feature names are only supported if all input features have string names, but your "
            f"input has {types} as feature name / column name types. Convert them all to strings, "
            "for example by X.columns = X.columns.astype(str)."
        )
    return None


def match_names(estimator: Any, table: Table | None) -> Table | None:
    """Return the table with its columns in the order of fit, matched by name.

    Raises ValueError if names are missing or new, and warns if only one side has names.
    """
    fitted = vars(estimator).get("feature_names_in_")
    given = None if table is None else names_of(table.names)
    whom = type(estimator).__name__
    if given is None and fitted is not None and not _is_warned.get():
        warnings.warn(
            f"X does not have valid feature names, but {whom} was fitted with feature names",
            stacklevel=4,
        )
    if given is not None and fitted is None and not _is_warned.get():
        warnings.warn(
            f"X has feature names, but {whom} was fitted without feature names", stacklevel=4
        )
    if table is None or given is None or fitted is None:
        return table
    if given.tolist() == fitted.tolist():
        return table
    if set(given) != set(fitted):
        raise ValueError(_name_message(set(given), set(fitted)))
    return table.select(fitted.tolist())


def _name_message(given: set[str], fitted: set[str]) -> str:
    message = "The feature names should match those that were passed during fit.\n"
    if unseen := sorted(given - fitted):
        message += f"Feature names unseen at fit time:\n{_listed(unseen)}"
    if missing := sorted(fitted - given):
        message += f"Feature names seen at fit time, yet now missing:\n{_listed(missing)}"
    return message


def _listed(names: list[str]) -> str:
    more = "- ...\n" if len(names) > _N_SHOWN else ""
    return "".join(f"- {name}\n" for name in names[:_N_SHOWN]) + more


def check_n_features(estimator: Any, n_features: int) -> None:
    """Raise ValueError unless the number of features is that of fit, if it is known."""
    expected = getattr(estimator, "n_features_in_", n_features)
    if n_features != expected:
        raise ValueError(
            f"X has {n_features} features, but {type(estimator).__name__} is expecting {expected} "
            "features as input."
        )
