"""Small tables that come with the package."""

from gramian.datasets._bunch import Bunch
from gramian.datasets._loaders import load_auto_mpg, load_diabetes
from gramian.datasets._registry import BuiltinTable, find_table, table_names

__all__ = [
    "BuiltinTable",
    "Bunch",
    "find_table",
    "load_auto_mpg",
    "load_diabetes",
    "table_names",
]
