"""Choosing columns by their names or types, once the data are there."""

import re
from typing import Any

from gramian._column_blocks import as_frame
from gramian.persistence import persistable


@persistable
class make_column_selector:  # noqa: N801 (scikit-learn's name)
    """A function that chooses columns of a data frame, for `ColumnTransformer`.

    Parameters
    ----------
    pattern : str, optional
        A regular expression; columns are chosen whose name contains a match.
    dtype_include, dtype_exclude : type, str or list of them, optional
        Types of columns to choose, or to leave out: what pandas' ``select_dtypes`` takes. For
        other libraries: "number" (or ``numpy.number``, int, float), "object" or "string" (or
        object, str) for text, "category", "bool" (or bool) and "datetime".

    Examples
    --------
    >>> import polars as pl
    >>> from gramian.compose import make_column_selector
    >>> flats = pl.DataFrame({"area": [55.0, 80.0], "rooms": [2, 3], "city": ["Oslo", "Rome"]})
    >>> make_column_selector(dtype_include="number")(flats)
    ['area', 'rooms']
    >>> make_column_selector(pattern="^c")(flats)
    ['city']
    """

    def __init__(
        self, pattern: str | None = None, *, dtype_include: Any = None, dtype_exclude: Any = None
    ) -> None:
        self.pattern = pattern
        self.dtype_include = dtype_include
        self.dtype_exclude = dtype_exclude

    def __call__(self, df: Any) -> list[Any]:
        """Return the names of the chosen columns.

        Parameters
        ----------
        df : data frame
        """
        frame = as_frame(df)
        if frame is None:
            raise ValueError(
                "make_column_selector can only be applied to pandas dataframes and those of other "
                f"libraries. Got {type(df)}."
            )
        if self.dtype_include is None and self.dtype_exclude is None:
            names = list(frame.columns)
        elif frame.implementation.is_pandas():
            rows = df.iloc[:1]
            chosen = rows.select_dtypes(include=self.dtype_include, exclude=self.dtype_exclude)
            names = chosen.columns.tolist()
        else:
            names = [name for name, dtype in frame.schema.items() if self._takes(dtype)]
        if self.pattern is None:
            return names
        return [name for name in names if re.search(self.pattern, str(name))]

    def _takes(self, dtype: Any) -> bool:
        included = self.dtype_include is None or _is_any(dtype, self.dtype_include)
        return included and not (
            self.dtype_exclude is not None and _is_any(dtype, self.dtype_exclude)
        )

    def __repr__(self) -> str:
        return (
            f"make_column_selector(pattern={self.pattern!r}, dtype_include={self.dtype_include!r}, "
            f"dtype_exclude={self.dtype_exclude!r})"
        )


_TESTS: dict[str, Any] = {
    "number": lambda dtype: dtype.is_numeric(),
    "int": lambda dtype: dtype.is_integer(),
    "float": lambda dtype: dtype.is_float(),
    "text": lambda dtype: str(dtype).startswith(("String", "Object")),
    "category": lambda dtype: str(dtype).startswith(("Categorical", "Enum")),
    "bool": lambda dtype: str(dtype) == "Boolean",
    "datetime": lambda dtype: str(dtype).startswith("Date"),
}
_WORDS = {
    **{word: word for word in _TESTS},
    **dict.fromkeys(("object", "str", "string"), "text"),
    **dict.fromkeys(("integer", "int64", "int32"), "int"),
    **dict.fromkeys(("floating", "float64", "float32"), "float"),
    **dict.fromkeys(("boolean", "bool_"), "bool"),
    "datetime64": "datetime",
}


def _is_any(dtype: Any, wanted: Any) -> bool:
    """Tell whether a narwhals type is one of those that a user names in pandas' way."""
    for one in wanted if isinstance(wanted, (list, tuple, set)) else [wanted]:
        word = one if isinstance(one, str) else getattr(one, "__name__", str(one))
        if word not in _WORDS:
            raise ValueError(
                f"{one!r} is no type of columns; known are {', '.join(sorted(_WORDS))}."
            )
        if _TESTS[_WORDS[word]](dtype):
            return True
    return False
