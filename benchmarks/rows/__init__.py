"""The rows of the ratio table, one module per family."""

from benchmarks._row import Row
from benchmarks.rows import distance, linear

ROWS: list[Row] = [*linear.ROWS, *distance.ROWS]
