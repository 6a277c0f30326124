"""The rows of the ratio table, one module per family."""

from benchmarks._row import Row
from benchmarks.rows import (
    boosted,
    boosting,
    compat,
    distance,
    evaluation,
    forest,
    generalized,
    lasso,
    linear,
    logistic,
    ridge_cv,
    robust,
    sgd,
    svm,
)

ROWS: list[Row] = [
    *linear.ROWS,
    *ridge_cv.ROWS,
    *lasso.ROWS,
    *logistic.ROWS,
    *sgd.ROWS,
    *svm.ROWS,
    *robust.ROWS,
    *boosted.ROWS,
    *boosting.ROWS,
    *compat.ROWS,
    *distance.ROWS,
    *evaluation.ROWS,
    *forest.ROWS,
    *generalized.ROWS,
]
