"""The rows of the ratio table, one module per family."""

from benchmarks._row import Row
from benchmarks.rows import distance, evaluation, lasso, linear

ROWS: list[Row] = [
    *linear.ROWS,
    *lasso.ROWS,
    *distance.ROWS,
    *evaluation.ROWS,
]
