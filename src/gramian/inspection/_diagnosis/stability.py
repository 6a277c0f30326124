"""Whether clusters stay when the rows are drawn anew."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from gramian._rows import take_rows
from gramian._typing import Floats
from gramian.base import clone
from gramian.inspection._diagnosis.findings import Finding, conclude, graded
from gramian.metrics import adjusted_rand_score

_DRAWS = 10
_LIMITS = (0.2, 0.4)  # 1 less the adjusted Rand index: warning, problem


def check_stability(model: Any, rows: Any, labels: Any, remedy: str) -> Finding:
    """Are the clusters those of other draws, with replacement, of the same rows?

    A draw is a fit with the number of times that each row was drawn as its weight, so that all
    rows have labels in every draw.
    """
    n, rng = rows.shape[0], np.random.default_rng(0)
    seeded = "random_state" in model.get_params()
    indices = np.empty(_DRAWS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about other draws than the user's rows
        for draw in range(_DRAWS):
            weight = np.bincount(rng.integers(n, size=n), minlength=n).astype(np.float64)
            twin = clone(model)
            if seeded:
                twin.set_params(random_state=draw)
            found = twin.fit(rows, sample_weight=weight).labels_
            indices[draw] = adjusted_rand_score(labels, found)
    return _finding(indices, "draws with replacement", remedy)


def check_stability_of_halves(model: Any, rows: Any, labels: Any, remedy: str) -> Finding:
    """Are the clusters those of draws of half the rows, for models that take no weights?"""
    n, rng = rows.shape[0], np.random.default_rng(0)
    indices = np.empty(_DRAWS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for draw in range(_DRAWS):
            half = np.sort(rng.choice(n, (n + 1) // 2, replace=False))
            found = clone(model).fit(take_rows(rows, half)).labels_
            indices[draw] = adjusted_rand_score(labels[half], found)
    return _finding(indices, "draws of half the rows", remedy)


def _finding(indices: Floats, draws: str, remedy: str) -> Finding:
    index = float(indices.mean())
    return conclude(
        ("stability", "Other draws of the rows give the same clusters"),
        "adjusted Rand index",
        index,
        graded(1.0 - index, *_LIMITS),
        f"Over {_DRAWS} {draws} the clusters agree with these by an adjusted Rand "
        f"index of {index:.2f} in the mean, and {indices.min():.2f} at least; 1 is the same and 0 "
        "chance.",
        remedy,
    )
