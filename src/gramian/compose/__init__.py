"""Transformers for some of the columns, and regression on a transformed target."""

from gramian.compose._column_transformer import ColumnTransformer
from gramian.compose._make_column_transformer import make_column_transformer
from gramian.compose._selector import make_column_selector
from gramian.compose._target import TransformedTargetRegressor

__all__ = [
    "ColumnTransformer",
    "TransformedTargetRegressor",
    "make_column_selector",
    "make_column_transformer",
]
