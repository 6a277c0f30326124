"""Numbers and tables for people, the same in a terminal, a notebook and a report."""

import html
import math
from collections.abc import Iterable, Sequence

_CONTROLS = {code: f"\\x{code:02x}" for code in (*range(0x20), *range(0x7F, 0xA0))}
_CONTROLS |= {code: f"\\u{code:04x}" for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A))}
del _CONTROLS[ord("\n")], _CONTROLS[ord("\t")]


def printable(text: str) -> str:
    """Return a text with its control characters written out: they could command a terminal.

    Those which turn the direction of writing are meant, too; line ends and tabs are left.

    Examples
    --------
    >>> print(printable("\\x1b[31mred"))
    \\x1b[31mred
    """
    return text.translate(_CONTROLS)


def nearest_names(wanted: str, names: Iterable[str], cutoff: float = 0.5) -> list[str]:
    """Return up to three of the names that look like `wanted`, whatever their case.

    Examples
    --------
    >>> nearest_names("Alhpa", ["alpha", "tol"])
    ['alpha']
    """
    import difflib

    by_lower = {name.lower(): name for name in names}
    close = difflib.get_close_matches(wanted.lower(), by_lower, n=3, cutoff=cutoff)
    return [by_lower[name] for name in close]


def meant(wanted: str, names: Iterable[str]) -> str:
    """Return a question after the name that was meant, with a blank before; empty if none is near.

    Examples
    --------
    >>> meant("n_estimater", ["n_estimators", "max_depth"])
    " Did you mean 'n_estimators'?"
    """
    close = nearest_names(wanted, names, 0.6)
    return f" Did you mean {close[0]!r}?" if close else ""


def number(value: float, digits: int = 4) -> str:
    """Format a number with so many significant digits, or one decimal fewer below 1."""
    if not math.isfinite(value):
        return str(value)
    if abs(value) < 10.0 ** (digits + 2):
        decimals = _decimals(value, digits)
        return f"{round(value, decimals) + 0.0:.{decimals}f}"  # + 0.0 turns -0.0 into 0.0
    return f"{value:.{digits}g}"


def plus_minus(mean: float, std: float) -> str:
    """Format a mean and its spread with the same number of decimals."""
    shown = number(mean)
    if not math.isfinite(std) or "e" in shown:
        return f"{shown} ± {number(std, 2)}"
    return f"{shown} ± {std:.{_decimals(mean, 4)}f}"


def _decimals(value: float, digits: int) -> int:
    if abs(value) < 1:
        return digits - 1
    return max(0, digits - 1 - math.floor(math.log10(abs(value))))


def signed(value: float) -> str:
    """Format a difference, a plus sign before what is positive."""
    return f"{'+' if value > 0 else ''}{number(value)}"


def difference(mean: float, low: float, high: float) -> tuple[str, str]:
    """Format a difference and its interval, with two digits of the interval's half.

    A bound other than zero gets more, so that it is not shown as zero.

    Examples
    --------
    >>> difference(-0.0013, -0.0048, 0.0022)
    ('-0.0013', '[-0.0048, +0.0022]')
    >>> difference(-0.05, -0.0998, -0.0002)
    ('-0.0500', '[-0.0998, -0.0002]')
    """
    half = (high - low) / 2
    if not math.isfinite(half):
        return signed(mean), f"[{low}, {high}]"
    decimals = 3 if half <= 0 else min(max(1 - math.floor(math.log10(half)), 0), 9)
    while decimals < 9 and any(v != 0 and round(v, decimals) == 0 for v in (low, high)):
        decimals += 1
    shown, start, end = (f"{round(v, decimals) + 0.0:+.{decimals}f}" for v in (mean, low, high))
    return shown, f"[{start}, {end}]"


def probability(value: float) -> str:
    """Format a p-value."""
    return "<0.001" if value < 0.001 else number(value)


def seconds(values: Sequence[float]) -> str:
    """Format the mean of some times."""
    mean = sum(values) / len(values)
    for limit, factor, unit in ((1e-3, 1e6, "µs"), (1.0, 1e3, "ms")):
        if mean < limit:
            return f"{number(mean * factor, 3)} {unit}"
    return f"{number(mean, 3)} s"


def text_table(heading: Sequence[str], rows: Sequence[Sequence[str]], n_left: int = 1) -> str:
    """Return lines of aligned columns, a rule below the heading; the first `n_left` flush left.

    The last column is flush left too if its heading is empty: it holds remarks.

    Examples
    --------
    >>> print(text_table(["model", "R²", ""], [["Ridge", "0.8", "best"], ["A", "-0.1", ""]]))
    model    R²
    -----------------
    Ridge   0.8  best
    A      -0.1
    """
    widths = [max(map(len, column)) for column in zip(heading, *rows, strict=True)]
    last = len(widths) - 1
    lines = [
        "  ".join(
            cell.ljust(width)
            if i < n_left or (i == last and not heading[last])
            else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in [heading, *rows]
    ]
    lines.insert(1, "-" * (sum(widths) + 2 * last))
    return "\n".join(lines)


def html_table(
    caption: str, heading: Sequence[str], rows: Sequence[Sequence[str]], n_left: int = 1
) -> str:
    """Return an HTML table of text, the first `n_left` columns flush left."""

    def line(cells: Sequence[str], tag: str) -> str:
        sides = ("left" if i < n_left else "right" for i in range(len(cells)))
        return "".join(
            f"<{tag} style='text-align:{side}'>{html.escape(cell)}</{tag}>"
            for cell, side in zip(cells, sides, strict=True)
        )

    body = "".join(f"<tr>{line(row, 'td')}</tr>" for row in rows)
    return (
        f"<table><caption style='text-align:left'>{html.escape(caption)}</caption>"
        f"<thead><tr>{line(heading, 'th')}</tr></thead><tbody>{body}</tbody></table>"
    )
