"""Naive Bayes and mixtures: normal densities with labels, and without."""

from typing import Any

import numpy as np

from benchmarks._row import Row, Score, same_api
from benchmarks.rows.distance import blobs


def log_loss(model: Any, X: Any, y: Any) -> Score:
    """Return the mean log loss of some rows."""
    p = model.predict_log_proba(X[:20_000])
    return Score(-float(p[np.arange(len(p)), y[: len(p)]].mean()), 0.01)


def bound(model: Any, X: Any, y: Any) -> Score:
    """Return minus the lower bound that was reached."""
    return Score(-float(model.lower_bound_), 0.0)


def _mixture(form: str) -> Row:
    params = {"n_components": 10, "covariance_type": form, "max_iter": 10, "tol": 0.0}
    contenders = same_api("mixture", "GaussianMixture", random_state=0, **params)
    del contenders["intelex"]
    label = f"GaussianMixture fit 100,000x20, 10 {form}, 10 steps"
    return Row(label, (100_000, 20), (1_000, 5), blobs, contenders, "fit", bound)


_GAUSSIAN = same_api("naive_bayes", "GaussianNB")

ROWS: list[Row] = [
    Row(
        "GaussianNB fit 1,000,000x20",
        (1_000_000, 20),
        (1_000, 5),
        blobs,
        _GAUSSIAN,
        "fit",
        log_loss,
    ),
    Row(
        "GaussianNB predict 1,000,000x20",
        (1_000_000, 20),
        (1_000, 5),
        blobs,
        _GAUSSIAN,
        "predict",
        log_loss,
    ),
    *map(_mixture, ("full", "diag")),
]
