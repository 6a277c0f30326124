"""Samples of rows, by their weights."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def sampled_rows(
    n_rows: int, size: int, source: Any, weight: NDArray[Any] | None
) -> NDArray[np.intp]:
    """Return rows drawn with replacement, with probabilities in proportion to the weights."""
    if weight is not None:
        drawn: NDArray[np.intp] = source.choice(n_rows, size=size, p=weight / weight.sum())
        return drawn
    if isinstance(source, np.random.Generator):
        return source.integers(0, n_rows, size=size)
    rows: NDArray[np.intp] = source.randint(0, n_rows, size=size)
    return rows
