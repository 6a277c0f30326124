"""The rows of the ratio table, one module per family."""

from benchmarks._row import Row
from benchmarks.rows import distance, evaluation, linear

ROWS: list[Row] = [*linear.ROWS, *distance.ROWS, *evaluation.ROWS]
