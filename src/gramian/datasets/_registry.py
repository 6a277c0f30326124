"""The tables that come with the package, by name."""

import csv
import gzip
import io
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Literal

__all__ = ["BuiltinTable", "find_table", "table_names"]

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
    """

    name: str
    target: str
    text: tuple[str, ...]
    categorical: tuple[str, ...]
    summary: str
    descr: str

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


def _texts(cells: Iterable[str]) -> list[Value]:
    return [cell or None for cell in cells]


def _numbers(cells: Iterable[str]) -> list[Value]:
    """Parse a column: whole numbers if all of them are, else floats."""
    values = [float(cell) if cell else None for cell in cells]
    if all(value is None or value.is_integer() for value in values):
        return [None if value is None else int(value) for value in values]
    return list(values)


_DIABETES = BuiltinTable(
    name="diabetes",
    target="target",
    text=(),
    categorical=(),
    summary="disease progression of 442 patients, 10 numeric columns",
    descr="""Diabetes progression
--------------------

442 patients with diabetes: ten measurements at the start, and a quantitative measure of the
disease's progression one year later.

========  ==================================================
age       age in years
sex       1 or 2
bmi       body mass index
bp        average blood pressure
s1        total serum cholesterol
s2        low-density lipoproteins
s3        high-density lipoproteins
s4        total cholesterol / high-density lipoproteins
s5        possibly the logarithm of serum triglycerides
s6        blood sugar
target    progression after one year, from 25 to 346
========  ==================================================

With ``scaled=True`` every column but the target has mean 0 and sum of squares 1.

Source: Bradley Efron, Trevor Hastie, Iain Johnstone and Robert Tibshirani (2004), "Least Angle
Regression", Annals of Statistics 32, 407-499; the table as published at
https://www4.stat.ncsu.edu/~boos/var.select/diabetes.html and as distributed with scikit-learn.
""",
)

_AUTO_MPG = BuiltinTable(
    name="auto_mpg",
    target="mpg",
    text=("origin", "name"),
    categorical=("origin",),
    summary="fuel use of 398 cars: numbers, a category, text, missing values",
    descr="""Auto MPG
--------

398 cars of the model years 1970 to 1982 and the miles they drive on a gallon of fuel in the city.
Six values of `horsepower` are missing.

============  =============================================
mpg           miles per gallon, the target
cylinders     number of cylinders, 3 to 8
displacement  cubic inches
horsepower    horsepower; 6 missing
weight        pounds
acceleration  seconds from 0 to 60 miles per hour
model_year    model year minus 1900
origin        usa, europe or japan
name          maker and model, 305 different texts
============  =============================================

Source: R. Quinlan (1993), Auto MPG, UCI Machine Learning Repository,
https://doi.org/10.24432/C5859H, licensed under CC BY 4.0; first used in the 1983 exposition of
the American Statistical Association, from the StatLib library of Carnegie Mellon University. The
origin codes are written out as in the copy at https://github.com/mwaskom/seaborn-data.
""",
)

_TABLES = {table.name: table for table in (_AUTO_MPG, _DIABETES)}


def table_names() -> list[str]:
    """Return the names of the built-in tables."""
    return list(_TABLES)


def find_table(name: str) -> BuiltinTable | None:
    """Return the built-in table of that name, or None.

    Examples
    --------
    >>> from gramian.datasets import find_table
    >>> find_table("auto_mpg").target
    'mpg'
    """
    return _TABLES.get(name)
