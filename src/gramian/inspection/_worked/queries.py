"""Rows whose prediction a calculation writes out."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from gramian._rows import indexable
from gramian._typing import Floats
from gramian.inspection._worked.numbers import number_latex, number_text

_MAX_TERMS = 8


def as_rows(query: Any) -> Any:
    """Return one row, or some, as rows."""
    is_row = isinstance(query, (list, tuple, np.ndarray)) and np.ndim(query) == 1
    return np.reshape(query, (1, -1)) if is_row else indexable(query)


def read_rows(read: Callable[[Any], Any], query: Any) -> Any:
    """Return the rows as a model reads them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a row of a list has no names
        return read(as_rows(query))


def titled(rows: Floats) -> Iterator[tuple[str, Floats]]:
    """Yield the rows with the titles of their steps."""
    for number, row in enumerate(rows):
        yield "Prediction" if len(rows) == 1 else f"Prediction for query {number}", row


def sum_of_products(weights: Iterable[float], values: Iterable[float]) -> list[str]:
    """Return the terms of a scalar product in LaTeX."""
    return [
        rf"{factor_text(weight)} \cdot {factor_text(value)}"
        for weight, value in zip(weights, values, strict=True)
    ]


def joined(terms: list[str]) -> str:
    """Return terms as a sum, in which the middle of a long one is left out."""
    if len(terms) > _MAX_TERMS:
        terms = [*terms[: _MAX_TERMS - 2], r"\ldots", terms[-1]]
    return " + ".join(terms)


def factor_text(value: float) -> str:
    """Return a number as a factor in a product, in LaTeX."""
    text = number_latex(number_text(value))
    return f"({text})" if value < 0 or "cdot" in text else text
