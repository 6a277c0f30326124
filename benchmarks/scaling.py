"""How time and memory of a least-squares fit grow with the number of rows."""

import argparse
import math
from collections.abc import Sequence

from benchmarks._harness import run_row
from benchmarks._row import MODULES, Row, same_api
from benchmarks._table import TextTable, bytes_text, seconds_text
from benchmarks.rows.linear import dense, objective

COLUMNS = 50
SIZES = tuple(25_000 * 2**k for k in range(6))


def main() -> None:
    """Print time and memory for doubling numbers of rows, and their log-log slopes."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scaling", description=__doc__)
    parser.add_argument("--repeat", type=int, default=5, metavar="N", help="turns (default 5)")
    parser.add_argument("--quick", action="store_true", help="no more than 100,000 rows")
    arguments = parser.parse_args()
    sizes = SIZES[:3] if arguments.quick else SIZES
    contenders = same_api("linear_model", "LinearRegression")
    parts = [f"{part} {label}" for part in ("time", "memory") for label in MODULES]
    table = TextTable(f"LinearRegression, {COLUMNS} columns, doubling rows", ["rows", *parts])
    seconds: dict[str, list[float | None]] = {label: [] for label in MODULES}
    memory: dict[str, list[float | None]] = {label: [] for label in MODULES}
    for n in sizes:
        shape = (n, COLUMNS)
        row = Row(f"{n}", shape, (2_000, COLUMNS), dense, contenders, "fit", objective)
        results = run_row(row, n_turns=arguments.repeat, quick=False).results
        for label, result in results.items():
            seconds[label].append(result.best)
            memory[label].append(result.memory)
        times = [seconds_text(values[-1]) for values in seconds.values()]
        table.rows.append([f"{n:,}", *times, *(bytes_text(m[-1]) for m in memory.values())])
    slopes = [slope_text(sizes, series) for group in (seconds, memory) for series in group.values()]
    table.rows.append(["log-log slope", *slopes])
    table.show()


def slope_text(sizes: Sequence[int], values: Sequence[float | None]) -> str:
    """Return the least-squares slope of log(value) over log(size)."""
    if any(value is None or value <= 0 for value in values):
        return "-"
    x = [math.log(size) for size in sizes]
    y = [math.log(value) for value in values if value is not None]
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    above = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
    return f"{above / sum((a - mean_x) ** 2 for a in x):.2f}"


if __name__ == "__main__":
    main()
