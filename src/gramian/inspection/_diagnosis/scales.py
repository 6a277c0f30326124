"""Whether columns have like scales, for models that measure distances."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.sparse import issparse

from gramian.inspection._diagnosis.findings import Finding, conclude, graded

SCALED_METRICS = ("euclidean", "l2", "sqeuclidean", "manhattan", "chebyshev", "minkowski")
_SPREAD = (10.0, 100.0)  # of the columns' scales: warning, problem


def check_scales(rows: Any, metric: Any, names: Sequence[str]) -> Finding:
    """Do the columns have like scales?"""
    about = ("scale", "The columns have like scales")
    if metric not in SCALED_METRICS or issparse(rows):
        return Finding.not_applicable(
            *about, "The metric, or a sparse matrix, has scales of its own."
        )
    deviations = np.asarray(rows.std(axis=0, dtype=np.float64))
    varying = deviations[deviations > 0.0]
    if len(varying) < 2:
        return Finding.not_applicable(*about, "Fewer than two columns vary.")
    ratio = float(varying.max() / varying.min())
    return conclude(
        about,
        "largest / smallest standard deviation",
        ratio,
        graded(ratio, *(np.nextafter(limit, np.inf) for limit in _SPREAD)),
        f"The standard deviations of the columns differ by a factor of {ratio:.3g}; "
        f"{names[int(deviations.argmax())]!r} has the largest and rules the distances.",
        "Put a StandardScaler before the model.",
    )
