"""A table that is stored in the package."""

import csv
import gzip
import io
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Literal

Value = float | int | str | None
Library = Literal["pandas", "polars", "pyarrow"]


@dataclass(frozen=True)
class BuiltinTable:
    """A table stored in the package as gzipped CSV.

    Attributes
    ----------
    name : str
        The name that `gramian compare` takes.
    target : str
        The column to predict.
    text : tuple of str
        The columns that hold text; all others hold numbers.
    categorical : tuple of str
        The columns of `text` that hold a few levels.
    summary : str
        One line for people.
    descr : str
        What the columns mean and where the table comes from.
    classes : tuple of str
        The levels of a target that is a class, in the order of their codes 0, 1, ...
    """

    name: str
    target: str
    text: tuple[str, ...]
    categorical: tuple[str, ...]
    summary: str
    descr: str
    classes: tuple[str, ...] = ()

    @property
    def filename(self) -> str:
        """The name of the file inside the package."""
        return f"{self.name}.csv.gz"

    def columns(self) -> dict[str, list[Value]]:
        """Read the file: one list for each column, None where a value is missing."""
        packed = files("gramian.datasets").joinpath("data", self.filename).read_bytes()
        lines = csv.reader(io.StringIO(gzip.decompress(packed).decode("utf-8"), newline=""))
        header = next(lines)
        cells = zip(*lines, strict=True)
        return {
            name: _texts(column) if name in self.text else _numbers(column)
            for name, column in zip(header, cells, strict=True)
        }

    def frame(self, library: Library) -> Any:
        """Return the whole table as a data frame of `library` ("pandas", "polars", "pyarrow")."""
        import narwhals as nw

        table = nw.from_dict(self.columns(), backend=library)
        categorical = [nw.col(name).cast(nw.Categorical) for name in self.categorical]
        return table.with_columns(categorical).to_native()


def description_of(name: str) -> str:
    """Return what is written about a table, stored in the package or downloaded."""
    return files("gramian.datasets").joinpath("data", f"{name}.rst").read_text("utf-8")


def _texts(cells: Iterable[str]) -> list[Value]:
    return [cell or None for cell in cells]


def _numbers(cells: Iterable[str]) -> list[Value]:
    """Parse a column: whole numbers if all of them are, else floats."""
    values = [float(cell) if cell else None for cell in cells]
    if all(value is None or value.is_integer() for value in values):
        return [None if value is None else int(value) for value in values]
    return list(values)
