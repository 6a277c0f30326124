"""Tables of text: in the terminal (with rich, if it is there) and as Markdown."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec


@dataclass
class TextTable:
    """Headers and rows of text; the first column is aligned left, the others right."""

    title: str
    headers: Sequence[str]
    rows: list[Sequence[str]] = field(default_factory=list)

    def show(self) -> None:
        """Print the table."""
        if find_spec("rich") is not None:
            self._show_rich()
        else:
            print(f"\n{self.title}\n" + "\n".join(self._plain_lines()))

    def markdown(self) -> str:
        """Return the table as Markdown, without its title."""
        ruler = ["---", *["---:"] * (len(self.headers) - 1)]
        lines = (self.headers, ruler, *self.rows)
        return "\n".join("| " + " | ".join(cells) + " |" for cells in lines) + "\n"

    def _show_rich(self) -> None:
        from rich.console import Console
        from rich.table import Table

        table = Table(title=self.title, title_justify="left")
        for position, header in enumerate(self.headers):
            table.add_column(header, justify="right" if position else "left", no_wrap=not position)
        for cells in self.rows:
            table.add_row(*cells)
        console = Console()
        width = None if console.is_terminal else 200  # a file or pipe has no width of its own
        Console(width=width).print(table)

    def _plain_lines(self) -> list[str]:
        lines = (self.headers, *self.rows)
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        return [
            "  ".join(
                cell.rjust(width) if position else cell.ljust(width)
                for position, (cell, width) in enumerate(zip(cells, widths, strict=True))
            )
            for cells in lines
        ]


def ratio_text(ratio: float | None) -> str:
    """Return a ratio with two significant digits at least: 0.93x, 4.10x, 120x."""
    if ratio is None:
        return "-"
    return f"{ratio:.0f}x" if ratio >= 10 else f"{ratio:.2f}x"


def seconds_text(seconds: float | None) -> str:
    """Return a time with its unit."""
    if seconds is None:
        return "-"
    for factor, unit in ((1.0, "s"), (1e3, "ms")):
        if seconds * factor >= 1.0:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e6:.3g} µs"


def bytes_text(n_bytes: float | None) -> str:
    """Return an amount of memory in MB."""
    return "-" if n_bytes is None else f"{n_bytes / 1e6:.1f} MB"


def excess_text(excess: float | None) -> str:
    """Return by which share an objective exceeds the best; below 1e-10 it is rounding."""
    if excess is None:
        return "-"
    return "0" if excess < 1e-10 else f"{excess:.0e}"
