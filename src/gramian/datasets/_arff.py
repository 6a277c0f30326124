"""Read ARFF text, dense and sparse, into columns of Python values.

A file declares ``@attribute name type``, where the type is numeric, real, integer, a string, a
date or ``{level, level, ...}``; after ``@data`` follows one line for each row, either values with
commas between or ``{index value, index value}``. ``?`` is a missing value, ``%`` starts a comment.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

_ATTRIBUTE = re.compile(
    r"""@attribute\s+(?P<name>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^\s]+)\s+(?P<kind>.+)$""", re.I
)
_CELL = re.compile(r"""((?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^,'"])*)(,|$)""")
_ESCAPE = re.compile(r"\\(.)")
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r"}
_NUMBERS: dict[str, Callable[[str], float]] = {
    "numeric": float,
    "real": float,
    "integer": lambda cell: int(float(cell)),
}


@dataclass(frozen=True)
class Arff:
    """The declared columns and the rows.

    `levels` lists the levels of a class, `parsers` has a function for numbers; None for others.
    """

    names: list[str]
    levels: list[list[str | None] | None]
    parsers: list[Callable[[str], float] | None]
    lines: Iterator[str]

    def columns(self) -> list[list[Any]]:
        """Read a dense file: one list for each column, None where a value is missing."""
        rows = [split_values(line) for line in self.lines]
        for row in rows:
            if len(row) != len(self.names):
                raise ValueError(
                    f"An ARFF row has {len(row)} values for {len(self.names)} attributes: {row}."
                )
        cells = zip(*rows, strict=True) if rows else ((),) * len(self.names)
        return [
            [None if cell == "?" else parse(cell) for cell in column]
            for column, parse in zip(cells, [p or _unquote for p in self.parsers], strict=True)
        ]

    def entries(self) -> "SparseEntries":
        """Read a sparse file; levels become their positions."""
        entries = SparseEntries([], [], [])
        for line in self.lines:
            items = [item.split(None, 1) for item in split_values(line.strip("{} \t")) if item]
            for column, value in items:
                entries.columns.append(int(column))
                entries.values.append(self._code(int(column), value))
            entries.counts.append(len(items))
        return entries

    def _code(self, column: int, value: str) -> float:
        if value == "?":
            return float("nan")
        levels = self.levels[column]
        return float(value) if levels is None else float(levels.index(_unquote(value)))


@dataclass(frozen=True)
class SparseEntries:
    """The values that a sparse file gives, their columns, and how many each row has."""

    values: list[float]
    columns: list[int]
    counts: list[int]


def read_arff(lines: Iterable[str]) -> Arff:
    """Read the header of an ARFF file; the rows are read when they are asked for.

    Examples
    --------
    >>> from gramian.datasets._arff import read_arff
    >>> arff = read_arff(["@relation r", "@attribute x real", "@attribute 'y' {a, 'b c'}",
    ...                   "@data", "1.5, 'b c'", "?, a"])
    >>> arff.names, arff.levels, arff.columns()
    (['x', 'y'], [None, ['a', 'b c']], [[1.5, None], ['b c', 'a']])
    """
    kept = (line.strip() for line in lines)
    kept = (line for line in kept if line and not line.startswith("%"))
    names: list[str] = []
    levels: list[list[str | None] | None] = []
    parsers: list[Callable[[str], float] | None] = []
    for line in kept:
        if line.lower().startswith("@data"):
            return Arff(names, levels, parsers, kept)
        if line.lower().startswith("@relation"):
            continue
        declared = _ATTRIBUTE.match(line)
        if declared is None:
            raise ValueError(f"This is no line of an ARFF header: {line[:80]!r}.")
        kind = declared["kind"].strip()
        names.append(_unquote(declared["name"]))
        parsers.append(_NUMBERS.get(kind.lower()))
        is_class = kind.startswith("{") and kind.endswith("}")
        levels.append([_level(text) for text in split_values(kind[1:-1])] if is_class else None)
    raise ValueError("The ARFF text has no line @data.")


def split_values(line: str) -> list[str]:
    """Split at the commas that are not in quotes."""
    if "'" not in line and '"' not in line:
        return [cell.strip() for cell in line.split(",")]
    cells, end = [], 0
    for found in _CELL.finditer(line):
        if found.start() != end:
            break
        cells.append(found[1].strip())
        end = found.end()
        if not found[2]:
            return cells
    raise ValueError(f"The quotes in this line of an ARFF file do not match: {line[:80]!r}.")


def _level(text: str) -> str | None:
    return None if text == "?" else _unquote(text)


def _unquote(text: str) -> str:
    if len(text) >= 2 and text[0] == text[-1] and text[0] in "'\"":
        return _ESCAPE.sub(lambda found: _ESCAPED.get(found[1], found[1]), text[1:-1])
    return text
