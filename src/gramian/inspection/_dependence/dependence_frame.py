"""The numbers behind pictures of partial dependence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


def long_columns(
    names: Sequence[Sequence[str]], results: Sequence[Any], target: int
) -> dict[str, list[Any]]:
    """Return panel, features and their values, row (None for the average) and response."""
    parts = [
        _long(panel, of_panel, result, target)
        for panel, (of_panel, result) in enumerate(zip(names, results, strict=True))
    ]
    joined = {name: [v for part in parts for v in part[name]] for name in parts[0]}
    for name in ("value", "value_2"):
        if any(isinstance(value, str) for value in joined[name]):
            joined[name] = [None if v is None else str(v) for v in joined[name]]
    unused = ["feature_2", "value_2"] if max(map(len, names)) == 1 else []
    if not any("individual" in result for result in results):
        unused.append("row")
    return {name: column for name, column in joined.items() if name not in unused}


def _long(panel: int, names: Sequence[str], result: Any, target: int) -> dict[str, list[Any]]:
    """Return the numbers of a panel as columns: the average first, then the rows' curves."""
    axes = [values.ravel().tolist() for values in np.meshgrid(*result.grid_values, indexing="ij")]
    blocks: list[tuple[Any, Any]] = []
    if "average" in result:
        blocks.append((None, result.average[target].ravel()))
    if "individual" in result:
        blocks.extend(enumerate(result.individual[target].reshape(-1, len(axes[0]))))
    n, n_points = len(blocks), len(axes[0])
    second = axes[1] * n if len(axes) > 1 else [None] * (n * n_points)
    return {
        "panel": [panel] * (n * n_points),
        "feature": [names[0]] * (n * n_points),
        "value": axes[0] * n,
        "feature_2": [names[1] if len(names) > 1 else None] * (n * n_points),
        "value_2": second,
        "row": [row for row, _ in blocks for _ in range(n_points)],
        "response": np.concatenate([values for _, values in blocks]).tolist(),
    }
