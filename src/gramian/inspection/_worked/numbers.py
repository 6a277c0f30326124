"""Numbers, vectors and matrices written for a terminal, for HTML and for LaTeX."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Any

import numpy as np

MAX_ROWS = 8
MAX_COLUMNS = 9
DIGITS = 6


def number_text(value: Any, digits: int = DIGITS) -> str:
    """Return a number with at most `digits` significant digits.

    Examples
    --------
    >>> number_text(3.0), number_text(2.5000001), number_text(1234567.891), number_text(1e-9)
    ('3', '2.5', '1234568', '1e-09')
    """
    if isinstance(value, (bool, np.bool_, str)):
        return str(value)
    number = float(value)
    if not np.isfinite(number):
        return {"inf": "∞", "-inf": "-∞"}.get(str(number), "NaN")
    if number == 0.0:
        return "0"
    size = np.floor(np.log10(abs(number)))
    if digits <= size < 10:
        return f"{number:.0f}"
    return f"{number:.{digits}g}"


def matrix_cells(values: Any) -> list[list[str]]:
    """Return the entries of a matrix as text, long ones elided; a vector is one column."""
    matrix = np.atleast_1d(np.asarray(values))
    matrix = matrix[:, None] if matrix.ndim == 1 else matrix
    rows = _shown(matrix.shape[0], MAX_ROWS)
    columns = _shown(matrix.shape[1], MAX_COLUMNS)
    written = []
    for j in columns:
        if j is None:
            written.append(["⋱" if i is None else "⋯" for i in rows])
            continue
        texts = iter(_column_text([matrix[i, j] for i in rows if i is not None]))
        written.append(["⋮" if i is None else next(texts) for i in rows])
    return [list(row) for row in zip(*written, strict=True)]


def matrix_text(values: Any) -> list[str]:
    """Return the lines of a matrix in square brackets.

    Examples
    --------
    >>> print("\\n".join(matrix_text([[1.0, 0.5], [1.0, -2.0]])))
    ⎡ 1   0.5 ⎤
    ⎣ 1  -2.0 ⎦
    """
    cells = matrix_cells(values)
    widths = [max(len(row[j]) for row in cells) for j in range(len(cells[0]))]
    lines = [
        "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        for row in cells
    ]
    if len(lines) == 1:
        return [f"[ {lines[0]} ]"]
    left = ["⎡", *["⎢"] * (len(lines) - 2), "⎣"]
    right = ["⎤", *["⎥"] * (len(lines) - 2), "⎦"]
    return [f"{a} {line} {b}" for a, line, b in zip(left, lines, right, strict=True)]


def matrix_html(values: Any) -> str:
    """Return a matrix as a MathML table in square brackets."""
    rows = "".join(
        "<mtr>" + "".join(f"<mtd><mn>{html.escape(cell)}</mn></mtd>" for cell in row) + "</mtr>"
        for row in matrix_cells(values)
    )
    table = f"<mtable columnalign='right'>{rows}</mtable>"
    return f"<mrow><mo stretchy='true'>[</mo>{table}<mo stretchy='true'>]</mo></mrow>"


def matrix_latex(values: Any) -> str:
    r"""Return a matrix as a ``bmatrix``.

    Examples
    --------
    >>> matrix_latex([[1, 2], [3, 4]])
    '\\begin{bmatrix} 1 & 2 \\\\ 3 & 4 \\end{bmatrix}'
    """
    rows = [" & ".join(number_latex(cell) for cell in row) for row in matrix_cells(values)]
    return r"\begin{bmatrix} " + r" \\ ".join(rows) + r" \end{bmatrix}"


def number_latex(text: str) -> str:
    """Return a number's text as LaTeX: powers of ten, dots and infinity spelled out."""
    special = {"⋮": r"\vdots", "⋯": r"\cdots", "⋱": r"\ddots", "∞": r"\infty", "-∞": r"-\infty"}
    if text in special:
        return special[text]
    if text == "NaN":
        return r"\mathrm{NaN}"
    mantissa, e, exponent = text.partition("e")
    return rf"{mantissa} \cdot 10^{{{int(exponent)}}}" if e else text


def shape_text(values: Any) -> str:
    """Return the shape of an array whose entries are not all shown, else an empty string."""
    shape = np.atleast_1d(np.asarray(values)).shape
    rows, columns = (*shape, 1)[:2]
    return f"({rows} × {columns})" if rows > MAX_ROWS or columns > MAX_COLUMNS else ""  # noqa: RUF001


def _shown(length: int, most: int) -> list[int | None]:
    """Return the positions to show; None stands for those left out."""
    if length <= most:
        return list(range(length))
    tail = 2
    return [*range(most - tail - 1), None, *range(length - tail, length)]


def _column_text(values: Sequence[Any]) -> list[str]:
    """Write numbers with the same decimals, or each in its own way if their sizes differ much."""
    numbers = np.asarray(values, dtype=np.float64)
    if not np.isfinite(numbers).all():
        return [number_text(value) for value in values]
    size = np.abs(numbers[numbers != 0.0])
    if size.size == 0 or (np.equal(numbers, np.round(numbers)).all() and size.max() < 1e9):
        return [f"{number:.0f}" for number in numbers]
    if size.max() >= 1e9 or size.max() < 1e-4 or size.max() / size.min() > 10.0**DIGITS:
        return [number_text(value) for value in values]
    most = max(0, DIGITS - 1 - int(np.floor(np.log10(size.max()))))
    texts = [f"{number:.{most}f}" for number in numbers]
    spare = min((len(text) - len(text.rstrip("0")) for text in texts), default=0) if most else 0
    spare = min(spare, most - 1) if most else 0
    return [text[: len(text) - spare] for text in texts]
