"""What the columns of all parts must have in common."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Schema", "kind_of", "require_column"]


def kind_of(dtype: Any) -> str | None:
    """Return "numbers", "dates", "text" or "nested"; None for what may become any of them."""
    name = str(dtype)
    if dtype.is_numeric() or name == "Boolean" or name.startswith("Duration"):
        return "numbers"
    if name.startswith("Date"):
        return "dates"
    if name.startswith(("String", "Categorical", "Enum")):
        return "text"
    if name.startswith(("List", "Array", "Struct", "Binary", "Time")):
        return "nested"
    return None


def require_column(label: str, name: str, columns: Sequence[str]) -> None:
    """Raise ValueError if a column is not there."""
    if name not in columns:
        raise ValueError(
            f"{label} has no column {name!r}; its columns are "
            f"{', '.join(map(repr, columns[:8]))}{', ...' * (len(columns) > 8)}."
        )


@dataclass
class Schema:
    """The type of each column where it was seen first.

    Attributes
    ----------
    seen : dict
        Name -> (label of the part, type).
    """

    seen: dict[str, tuple[str, Any]] = field(default_factory=dict)
    singles: dict[str, bool] = field(default_factory=dict)  # whether float32 in all parts

    def take(self, label: str, dtypes: dict[str, Any], wanted: Sequence[str] | None) -> None:
        """Check the columns of a part against those of the parts before."""
        names = list(self.seen) if wanted is None else wanted
        for name in names or dtypes:
            require_column(label, name, list(dtypes))
            self._take_column(label, name, dtypes[name])

    def _take_column(self, label: str, name: str, dtype: Any) -> None:
        kind = kind_of(dtype)
        if kind == "nested":
            raise TypeError(
                f"Column {name!r} of {label} has the unsupported type {dtype}. A column must hold "
                "numbers, text, categories, booleans, dates or durations: convert it or leave it "
                "out by columns=."
            )
        is_single = str(dtype) == "Float32"
        self.singles[name] = self.singles.get(name, True) and (is_single or kind is None)
        if name not in self.seen or kind_of(self.seen[name][1]) is None:
            self.seen[name] = (label, dtype)
            return
        first, before = self.seen[name]
        if kind is not None and kind != kind_of(before):
            raise TypeError(
                f"Column {name!r} holds {kind_of(before)} in {first} ({before}) and {kind} in "
                f"{label} ({dtype}). Write it with one type."
            )
        orders = [_order_of(before), _order_of(dtype)]
        if None not in orders and orders[0] != orders[1]:
            raise TypeError(
                f"The ordered categories of column {name!r} are {orders[0]} in {first} and "
                f"{orders[1]} in {label}. Give them one order."
            )

    def is_plain(self, names: Sequence[str]) -> bool:
        """Tell whether all these columns hold integers or floating-point numbers."""
        dtypes = [self.seen[name][1] for name in names]
        return all(
            (dtype.is_float() or dtype.is_integer()) and "128" not in str(dtype) for dtype in dtypes
        )

    def is_single(self, names: Sequence[str]) -> bool:
        """Tell whether all numeric columns, of which there are some, are of single precision."""
        numeric = [name for name in names if kind_of(self.seen[name][1]) in ("numbers", "dates")]
        return bool(numeric) and all(self.singles[name] for name in numeric)


def _order_of(dtype: Any) -> list[str] | None:
    """Return the categories of a type that orders them."""
    categories = getattr(dtype, "categories", None)
    return None if categories is None else list(categories)
