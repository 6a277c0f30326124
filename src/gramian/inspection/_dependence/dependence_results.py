"""The partial dependences that a display shows, computed."""

from __future__ import annotations

from typing import Any

import numpy as np

from gramian._parts import run_parts
from gramian.base import is_regressor
from gramian.datasets import Bunch
from gramian.inspection._columns import Columns
from gramian.inspection._dependence.dependence_panels import (
    Panels,
)
from gramian.inspection._dependence.grid import column_quantiles
from gramian.inspection._dependence.partial_dependence import partial_dependence

DECILES = np.arange(0.1, 1.0, 0.1)


def compute(
    estimator: Any,
    X: Any,
    panels: Panels,
    options: dict[str, Any],
    n_jobs: int | None,
    verbose: int,
) -> list[Bunch]:
    calls = [
        (estimator, X, list(columns), kind, options)
        for columns, kind in zip(panels.features, panels.kinds, strict=True)
    ]
    return run_parts(compute_one, calls, n_jobs, verbose=verbose)


def compute_one(
    estimator: Any, X: Any, columns: list[int], kind: Any, options: dict[str, Any]
) -> Bunch:
    return partial_dependence(estimator, X, columns, kind=kind, **options)


def output_index(estimator: Any, result: Any, target: Any, found: int) -> int:
    """Return the output to show; how many targets a regressor has is seen in its results."""
    n_outputs = len(result.average if "average" in result else result.individual)
    if not is_regressor(estimator) or n_outputs == 1:
        return found
    if target is None:
        raise ValueError(
            f"target must be specified for multi-output regressors: one of 0 to {n_outputs - 1}."
        )
    if not 0 <= target < n_outputs:
        raise ValueError(f"target must be in [0, n_tasks], got {target}: n_tasks = {n_outputs}.")
    return int(target)


def deciles_of(panels: Panels, table: Columns) -> dict[int, Any]:
    return {
        column: column_quantiles(table.values(column), DECILES)
        for columns, flags in zip(panels.features, panels.is_categorical, strict=True)
        for column, is_category in zip(columns, flags, strict=True)
        if not is_category
    }
