"""The rows of the ratio table, one module per family."""

from benchmarks._row import Row
from benchmarks.rows import distance, evaluation, lasso, linear

ROWS: list[Row] = [
    *linear.ROWS,
    *lasso.ROWS,
    *distance.ROWS,
    *evaluation.ROWS,
]
from benchmarks.rows import distance, linear, ridge_cv

ROWS: list[Row] = [*linear.ROWS, *distance.ROWS, *ridge_cv.ROWS]
