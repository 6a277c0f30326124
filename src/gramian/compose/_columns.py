"""Columns of any table, chosen by name, position, slice or mask."""

import numbers
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._column_blocks import as_frame
from gramian.validation import check_sparse, is_sparse

_KINDS = {"i": "int", "u": "int", "b": "bool", "O": "str", "U": "str", "S": "str"}
_RULE = (
    "No valid specification of the columns. Only a scalar, list or slice of all integers or all "
    "strings, or boolean mask is allowed"
)


class Columns:
    """The columns of a data frame, array or sparse matrix.

    Parameters
    ----------
    X : data frame, array, sparse matrix or nested lists
        The data.
    """

    def __init__(self, X: Any) -> None:
        self.frame = as_frame(X)
        self.data = X
        if is_sparse(X):
            checked = check_sparse(X)
            self.data = checked if X.format in ("csr", "csc") else checked.tocsr()
        elif self.frame is None and not isinstance(X, np.ndarray):
            self.data = _array(X)
        shape = self.data.shape if self.frame is None else self.frame.shape
        if len(shape) != 2:
            raise ValueError(
                f"Expected 2D array, got an array of shape {shape} instead. Reshape your data "
                "either using array.reshape(-1, 1) if it has a single feature or "
                "array.reshape(1, -1) if it contains a single sample."
            )
        if getattr(getattr(self.data, "dtype", None), "kind", "") == "c":
            raise ValueError(f"Complex data not supported\nX has dtype {self.data.dtype}.")
        self.n_rows, self.n_columns = int(shape[0]), int(shape[1])

    @property
    def names(self) -> list[Any] | None:
        """Names of the columns of a data frame."""
        return None if self.frame is None else list(self.frame.columns)

    def text_names(self) -> NDArray[Any] | None:
        """Return the names as an array, or None if they are no strings; some alone raise."""
        names = self.names or []
        is_text = [isinstance(name, str) for name in names]
        if any(is_text) and not all(is_text):
            types = sorted({type(name).__qualname__ for name in names})
            raise TypeError(
                "Feature names are only supported if all input features have string names, but "
                f"your input has {types} as feature name / column name types. Convert them all to "
                "strings, for example by X.columns = X.columns.astype(str)."
            )
        return np.array(names, dtype=object) if any(is_text) else None

    def positions(self, key: Any) -> list[int]:
        """Return the positions of the columns that a key means."""
        kind = key_kind(key)
        if isinstance(key, (list, tuple)) and not key:
            return []
        if kind == "str":
            return self._positions_of_names(key)
        everything = np.arange(self.n_columns)
        if isinstance(key, slice) or np.isscalar(key):
            chosen: Any = key
        else:
            chosen = np.asarray(key, dtype=bool if kind == "bool" else np.intp)
        try:
            result: list[int] = np.atleast_1d(everything[chosen]).tolist()
            return result
        except IndexError:
            raise ValueError(
                f"all features must be in [0, {self.n_columns - 1}] or [-{self.n_columns}, 0]: "
                f"X has {self.n_columns} feature(s) (shape={(self.n_rows, self.n_columns)}) while "
                f"a minimum of {_highest(key) + 1} is required. Got {key!r}."
            ) from None

    def _positions_of_names(self, key: Any) -> list[int]:
        if self.names is None:
            raise ValueError(
                "Specifying the columns using strings is only supported for dataframes. Got "
                f"{key!r} for {type(self.data).__name__}."
            )
        place = {name: position for position, name in enumerate(self.names)}
        wanted = [key] if isinstance(key, str) else key
        if isinstance(key, slice):
            if key.step not in (1, None):
                raise NotImplementedError(f"key.step must be 1 or None. Got {key.step}.")
            wanted = [end for end in (key.start, key.stop) if end is not None]
        missing = [name for name in wanted if name not in place]
        if missing:
            raise ValueError(f"Some column names are not columns of the dataframe: {set(missing)}")
        if isinstance(key, slice):
            start = 0 if key.start is None else place[key.start]
            stop = self.n_columns if key.stop is None else place[key.stop] + 1
            return list(range(start, stop))
        return [place[name] for name in wanted]

    def take(self, positions: Sequence[int], *, scalar: bool) -> Any:
        """Return columns as a table of the same kind, or a single one as a vector."""
        chosen: Any = positions[0] if scalar else list(positions)
        if self.frame is not None:
            return self.frame[:, chosen].to_native()
        return self.data[:, chosen]


def _array(X: Any) -> NDArray[Any]:
    """Return nested lists as an array, of objects if there is text among them."""
    objects: NDArray[Any] = np.asarray(X, dtype=object)
    return objects if any(isinstance(value, str) for value in objects.flat) else np.asarray(X)


def _highest(key: Any) -> int:
    """Return the highest position that a key of positions means, or the last one of a mask."""
    places = np.atleast_1d(np.asarray(key))
    if places.dtype == bool:
        return len(places) - 1
    return int(np.where(places < 0, -places - 1, places).max())


def key_kind(key: Any) -> str | None:
    """Return "int", "str" or "bool" for a key of columns; None for one of everything or nothing."""
    if key is None:
        return None
    if isinstance(key, (bool, np.bool_)):
        return "bool"
    if isinstance(key, numbers.Integral):
        return "int"
    if isinstance(key, str):
        return "str"
    if isinstance(key, slice):
        kinds = {key_kind(end) for end in (key.start, key.stop)} - {None}
    elif isinstance(key, (list, tuple)):
        kinds = {key_kind(item) for item in key}
    else:
        kinds = {_KINDS.get(getattr(getattr(key, "dtype", None), "kind", ""), "")}
    if len(kinds) > 1 or "" in kinds:
        raise ValueError(f"{_RULE}. Got {key!r}.")
    return kinds.pop() if kinds else None


def is_empty(key: Any) -> bool:
    """Tell whether a key chooses no column at all."""
    if isinstance(key, (str, slice)) or not hasattr(key, "__len__"):
        return False
    return len(key) == 0 or (key_kind(key) == "bool" and not any(key))
