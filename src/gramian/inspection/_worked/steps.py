"""Steps of a worked calculation, and how they are shown."""

from __future__ import annotations

import html
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

import numpy as np

from gramian.inspection._worked.math import display_width, math_ml, math_text
from gramian.inspection._worked.numbers import (
    matrix_html,
    matrix_latex,
    matrix_text,
    number_latex,
    number_text,
    shape_text,
)

MAX_TABLE_ROWS = 12
_WIDTH = 88
_LATEX_SPECIAL = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "#": r"\#", "_": r"\_", "{": r"\{",
    "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "$": r"\$",
}  # fmt: skip


@dataclass(frozen=True)
class StepTable:
    """A table of a worked calculation.

    Attributes
    ----------
    headers : sequence of str
        Column heads; formulas stand between dollar signs.
    rows : sequence of sequences
        Cells: numbers, or text in which formulas stand between dollar signs.
    highlight : collection of (int, int)
        Row and column of the cells to stress.
    is_whole : bool
        Whether all rows are shown, however many there are.
    """

    headers: Sequence[str]
    rows: Sequence[Sequence[Any]]
    highlight: frozenset[tuple[int, int]] = frozenset()
    is_whole: bool = False

    def cells(self) -> list[tuple[int | None, list[str]]]:
        """Return the rows to show as text with their positions; None marks those left out."""
        positions: list[int | None] = list(range(len(self.rows)))
        if len(positions) > MAX_TABLE_ROWS and not self.is_whole:
            kept = {row for row, _ in self.highlight}
            kept |= {*range(MAX_TABLE_ROWS - 4), *range(len(self.rows) - 3, len(self.rows))}
            positions = []
            for row in sorted(kept):
                if positions and positions[-1] is not None and row > positions[-1] + 1:
                    positions.append(None)
                positions.append(row)
        return [
            (row, ["⋮"] * len(self.headers) if row is None else _cells(self.rows[row]))
            for row in positions
        ]


@dataclass(frozen=True)
class Step:
    r"""One step of a worked calculation.

    Attributes
    ----------
    title : str
        What the step does.
    formula : str
        The step in LaTeX (the subset of `gramian.inspection`); may be empty.
    text : str
        Explanation; formulas stand between dollar signs, a plain dollar is written ``\$``.
    values : mapping of str to number or array
        Results, by their symbol in LaTeX.
    table : StepTable or None
        A table of the step.
    """

    title: str
    formula: str = ""
    text: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)
    table: StepTable | None = None


class Worked(Sequence[Step]):
    """A worked calculation: a sequence of steps that prints, shows as HTML, and exports to LaTeX.

    Parameters
    ----------
    title : str
        What is calculated.
    steps : sequence of Step
        The steps in order.

    Examples
    --------
    >>> from gramian.inspection import Step, Worked
    >>> step = Step("Mean", r"\\bar{x} = \\frac{1}{m} \\sum_i x_i", "", {r"\\bar{x}": 2.5})
    >>> print(Worked("An example", [step]))
    An example
    ==========
    <BLANKLINE>
    1. Mean
         x̄ = 1/m ∑ᵢxᵢ
         x̄ = 2.5
    """

    def __init__(self, title: str, steps: Sequence[Step]) -> None:
        self.title = title
        self.steps = tuple(steps)

    @overload
    def __getitem__(self, index: int) -> Step: ...
    @overload
    def __getitem__(self, index: slice) -> Worked: ...
    def __getitem__(self, index: int | slice) -> Step | Worked:
        """Return a step, or a shorter calculation for a slice."""
        if isinstance(index, slice):
            return Worked(self.title, self.steps[index])
        return self.steps[index]

    def __len__(self) -> int:
        return len(self.steps)

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    @property
    def values(self) -> dict[str, Any]:
        """All results by symbol; a later step's replaces an earlier one's."""
        merged: dict[str, Any] = {}
        for step in self.steps:
            merged.update(step.values)
        return merged

    def __repr__(self) -> str:
        return f"<Worked: {self.title}, {len(self)} steps>"

    def __str__(self) -> str:
        """Return the calculation as text for a terminal."""
        lines = [self.title, "=" * len(self.title)]
        for number, step in enumerate(self.steps, start=1):
            lines += ["", f"{number}. {_plain(step.title)}", *_step_lines(step)]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        steps = "".join(_step_html(step) for step in self.steps)
        return f"<div><h3>{html.escape(self.title)}</h3><ol>{steps}</ol></div>"

    def to_latex(self, *, document: bool = False) -> str:
        """Return the calculation in LaTeX; needs the package ``amsmath``.

        Parameters
        ----------
        document : bool, default=False
            Return a document that compiles on its own instead of a fragment.
        """
        parts = [rf"\section*{{{_latex(self.title)}}}"]
        parts += [_step_latex(step) for step in self.steps]
        body = "\n\n".join(parts) + "\n"
        if not document:
            return body
        head = "\\documentclass{article}\n\\usepackage{amsmath}\n\\usepackage{amssymb}\n"
        return f"{head}\\begin{{document}}\n{body}\\end{{document}}\n"


def escape_text(name: str) -> str:
    """Return a name that may hold dollar signs, safe to put into a step's text or table head."""
    return name.replace("$", r"\$")


def _cells(row: Sequence[Any]) -> list[str]:
    return [cell if isinstance(cell, str) else number_text(cell) for cell in row]


def _pieces(text: str) -> Iterator[tuple[bool, str]]:
    """Yield (is formula, piece) of a text with formulas between dollar signs."""
    for position, piece in enumerate(re.split(r"(?<!\\)\$", text)):
        yield position % 2 == 1, piece if position % 2 == 1 else piece.replace(r"\$", "$")


def _plain(text: str) -> str:
    return "".join(math_text(piece) if formula else piece for formula, piece in _pieces(text))


def _html(text: str) -> str:
    return "".join(
        math_ml(piece) if formula else html.escape(piece) for formula, piece in _pieces(text)
    )


def _latex(text: str) -> str:
    return "".join(
        f"${piece}$" if formula else "".join(_LATEX_SPECIAL.get(c, c) for c in piece)
        for formula, piece in _pieces(text)
    )


def _step_lines(step: Step) -> list[str]:
    indent = " " * 5
    lines = [indent + math_text(step.formula)] if step.formula else []
    lines += textwrap.wrap(_plain(step.text), _WIDTH, initial_indent="   ", subsequent_indent="   ")
    for symbol, value in step.values.items():
        lines += [indent + line for line in _value_lines(symbol, value)]
    if step.table is not None:
        lines += [indent + line for line in _table_lines(step.table)]
    return lines


def _value_lines(symbol: str, value: Any) -> list[str]:
    head = f"{math_text(symbol)} = "
    if np.ndim(value) == 0:
        return [head + number_text(value)]
    matrix = matrix_text(value)
    middle = (len(matrix) - 1) // 2
    blank = " " * display_width(head)
    lines = [(head if i == middle else blank) + line for i, line in enumerate(matrix)]
    lines[-1] = f"{lines[-1]} {shape_text(value)}".rstrip()
    return lines


def _table_lines(table: StepTable) -> list[str]:
    heads = [_plain(head) for head in table.headers]
    body = [
        [_plain(cell) + "*" * ((row, j) in table.highlight) for j, cell in enumerate(cells)]
        for row, cells in table.cells()
    ]
    widths = [max(display_width(row[j]) for row in [heads, *body]) for j in range(len(heads))]
    words = [any(isinstance(row[j], str) for row in table.rows) for j in range(len(heads))]

    def line(cells: Sequence[str]) -> str:
        padded = []
        for cell, width, left in zip(cells, widths, words, strict=True):
            blank = " " * (width - display_width(cell))
            padded.append(cell + blank if left else blank + cell)
        return "  ".join(padded).rstrip()

    return [line(heads), "  ".join("─" * width for width in widths), *(line(row) for row in body)]


def _step_html(step: Step) -> str:
    parts = [f"<b>{_html(step.title)}</b>"]
    if step.formula:
        parts.append(math_ml(step.formula, block=True))
    if step.text:
        parts.append(f"<p>{_html(step.text)}</p>")
    for symbol, value in step.values.items():
        scalar = np.ndim(value) == 0
        shown = f"<mn>{html.escape(number_text(value))}</mn>" if scalar else matrix_html(value)
        shape = f" <small>{shape_text(value)}</small>" if not scalar else ""
        name = math_ml(symbol).removeprefix("<math>").removesuffix("</math>")
        parts.append(f"<p><math>{name}<mo>=</mo>{shown}</math>{shape}</p>")
    if step.table is not None:
        parts.append(_table_html(step.table))
    return f"<li>{''.join(parts)}</li>"


def _table_html(table: StepTable) -> str:
    head = "".join(f"<th>{_html(name)}</th>" for name in table.headers)
    body = "".join(
        "<tr>"
        + "".join(
            f"<td><mark>{_html(cell)}</mark></td>"
            if (row, j) in table.highlight
            else f"<td>{_html(cell)}</td>"
            for j, cell in enumerate(cells)
        )
        + "</tr>"
        for row, cells in table.cells()
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _step_latex(step: Step) -> str:
    parts = [rf"\subsection*{{{_latex(step.title)}}}"]
    if step.formula:
        parts.append(f"\\[ {step.formula} \\]")
    if step.text:
        parts.append(_latex(step.text))
    for symbol, value in step.values.items():
        scalar = np.ndim(value) == 0
        shown = number_latex(number_text(value)) if scalar else matrix_latex(value)
        parts.append(f"\\[ {symbol} = {shown} \\]")
    if step.table is not None:
        parts.append(_table_latex(step.table))
    return "\n".join(parts)


def _table_latex(table: StepTable) -> str:
    rows = [" & ".join(_latex(head) for head in table.headers) + r" \\ \hline"]
    for row, cells in table.cells():
        written = [
            rf"\textbf{{{_cell_latex(cell)}}}" if (row, j) in table.highlight else _cell_latex(cell)
            for j, cell in enumerate(cells)
        ]
        rows.append(" & ".join(written) + r" \\")
    inner = "\n".join([f"\\begin{{tabular}}{{{'r' * len(table.headers)}}}", *rows])
    return f"\\begin{{center}}\n{inner}\n\\end{{tabular}}\n\\end{{center}}"


def _cell_latex(cell: str) -> str:
    numeric = re.fullmatch(r"-?[0-9.]+(e[+-]?[0-9]+)?|-?∞|NaN|⋮", cell)
    return f"${number_latex(cell)}$" if numeric else _latex(cell)
