"""Logistic regression: two classes, many classes, small data, and an L1 penalty."""

from functools import partial
from typing import Any

import numpy as np

from benchmarks._row import Contender, Data, Row, Score, same_api


def classes(n: int, p: int, n_classes: int) -> Data:
    """Return correlated columns of different means, and classes drawn from a linear model."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, p))
    X += 0.5 * rng.standard_normal((n, 1)) + rng.standard_normal(p)
    Z = 2.0 * X @ rng.standard_normal((p, n_classes)) / np.sqrt(p)
    Z -= Z.mean(axis=0)
    return X, (Z + rng.gumbel(size=Z.shape)).argmax(axis=1)


def objective(model: Any, X: Any, y: Any, C: float = 1.0, l1_ratio: float = 0.0) -> Score:
    """Return the negative log-likelihood plus the penalty divided by C."""
    scores = X @ model.coef_.T + model.intercept_
    if scores.shape[1] == 1:
        scores = np.column_stack([np.zeros(len(y)), scores])
    losses = np.logaddexp.reduce(scores, axis=1) - scores[np.arange(len(y)), y]
    sizes = l1_ratio * np.abs(model.coef_).sum() + (1 - l1_ratio) / 2 * (model.coef_**2).sum()
    return Score(float(losses.sum() + sizes / C), 1e-12 * len(y))


_L1: dict[str, Any] = {"C": 0.002, "l1_ratio": 1.0, "solver": "saga"}
_SAME = same_api("linear_model", "LogisticRegression")
_NEWTON = Contender("sklearn.linear_model", "LogisticRegression", {"solver": "newton-cholesky"})

_CV: dict[str, Any] = {
    "l1_ratios": (0.0,),
    "scoring": "neg_log_loss",
    "use_legacy_attributes": False,
}


def held_out_loss(model: Any, X: Any, y: Any) -> Score:
    """Return the mean loss of the rows held out, for the penalty chosen."""
    return Score(-float(model.scores_.mean(axis=0).max()), 1e-5)


ROWS: list[Row] = [
    Row(
        "LogisticRegression fit 200,000x50",
        (200_000, 50),
        (5_000, 20),
        partial(classes, n_classes=2),
        {**_SAME, "newton-cholesky": _NEWTON},
        "fit",
        objective,
    ),
    Row(
        "LogisticRegression fit 50,000x100, 10 classes",
        (50_000, 100),
        (2_000, 20),
        partial(classes, n_classes=10),
        _SAME,
        "fit",
        objective,
    ),
    Row(
        "LogisticRegression fit 150x4, 3 classes",
        (150, 4),
        (150, 4),
        partial(classes, n_classes=3),
        _SAME,
        "fit",
        objective,
    ),
    Row(
        "LogisticRegressionCV fit 50,000x50, 10 penalties, 5 folds",
        (50_000, 50),
        (2_000, 10),
        partial(classes, n_classes=2),
        same_api("linear_model", "LogisticRegressionCV", **_CV),
        "fit",
        held_out_loss,
    ),
    Row(
        "LogisticRegression fit 50,000x500, L1",
        (50_000, 500),
        (2_000, 50),
        partial(classes, n_classes=2),
        {
            label: contender
            for label, contender in same_api("linear_model", "LogisticRegression", **_L1).items()
            if label != "intelex"  # hands L1 penalties to scikit-learn
        },
        "fit",
        partial(objective, C=_L1["C"], l1_ratio=1.0),
    ),
]
