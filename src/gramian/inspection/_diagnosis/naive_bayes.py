"""Diagnosis of naive Bayes: independence within classes, shapes, zero counts, confidence."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._typing import Floats
from gramian.base import clone
from gramian.diagnostics import column_names
from gramian.inspection._diagnosis.diagnose import register_diagnosis
from gramian.inspection._diagnosis.findings import Diagnosis, Finding, Verdict, counted
from gramian.metrics import mutual_info_score
from gramian.model_selection import cross_val_predict
from gramian.naive_bayes import CategoricalNB, GaussianNB
from gramian.validation import column_or_1d, training_matrix

_SHARED = (0.05, 0.25)  # information of two columns given the class, in nats: warning, problem
_SHAPE = (1.0, 3.0)  # skewness within a class: warning, problem
_GAP = (0.05, 0.15)  # confidence less accuracy: warning, problem
_MAX_COLUMNS = 50
_MAX_ROWS = 5000


@register_diagnosis(CategoricalNB)
def diagnose_categorical(model: Any, X: Any, y: Any, sample_weight: Any) -> Diagnosis:
    """Diagnose a model of counts: independence, zero counts, and confidence."""
    if sample_weight is not None:
        raise ValueError("diagnose takes naive Bayes without sample_weight.")
    codes = model._coded(X)
    labels = column_or_1d(y)
    shared = _pairs(codes.shape[1], lambda i, j: _level_information(codes, labels, i, j))
    findings = [_independence(model, shared), _zero_counts(model), _confidence(model, X, labels)]
    return Diagnosis(_title(model, *codes.shape), findings)


@register_diagnosis(GaussianNB)
def diagnose_gaussian(model: Any, X: Any, y: Any, sample_weight: Any) -> Diagnosis:
    """Diagnose normal columns: independence, their shape, and confidence."""
    if sample_weight is not None:
        raise ValueError("diagnose takes naive Bayes without sample_weight.")
    rows = training_matrix(model, X, y)
    labels = column_or_1d(y)
    parts = [rows[labels == label].astype(np.float64) for label in model.classes_]
    shared = _pairs(rows.shape[1], lambda i, j: _normal_information(parts, i, j))
    findings = [_independence(model, shared), _shapes(model, parts), _confidence(model, X, labels)]
    return Diagnosis(_title(model, *rows.shape), findings)


def _title(model: Any, n: int, p: int) -> str:
    return f"{type(model).__name__} on {counted(n, 'row')} and {counted(p, 'column')}"


def _verdict(value: float, bounds: tuple[float, float]) -> Verdict:
    return "ok" if value < bounds[0] else "warning" if value < bounds[1] else "problem"


def _pairs(n_columns: int, information: Any) -> dict[tuple[int, int], float]:
    few = range(min(n_columns, _MAX_COLUMNS))
    return {(i, j): information(i, j) for i, j in combinations(few, 2)}


def _level_information(codes: NDArray[Any], labels: NDArray[Any], i: int, j: int) -> float:
    """Return I(x_i; x_j | class) in nats, less what as many levels share by chance."""
    total = 0.0
    for label in np.unique(labels):
        is_known = (labels == label) & (codes[:, i] >= 0) & (codes[:, j] >= 0)
        if not is_known.any():
            continue
        a, b = codes[is_known, i], codes[is_known, j]
        chance = (len(np.unique(a)) - 1) * (len(np.unique(b)) - 1) / (2.0 * len(a))
        total += len(a) * max(float(mutual_info_score(a, b)) - chance, 0.0)
    return total / len(labels)


def _normal_information(parts: list[Floats], i: int, j: int) -> float:
    """Return I(x_i; x_j | class) of normal columns: -log(1 - r^2) / 2, r within each class."""
    total = 0.0
    for part in parts:
        a, b = part[:, i] - part[:, i].mean(), part[:, j] - part[:, j].mean()
        size = float(a @ a) * float(b @ b)
        r2 = float(a @ b) ** 2 / size if size > 0 else 0.0
        total += -0.5 * len(part) * float(np.log(max(1.0 - r2, 1e-12)))
    return total / sum(map(len, parts))


def _independence(model: Any, shared: dict[tuple[int, int], float]) -> Finding:
    code, hypothesis = "independence", "Within a class the columns are independent"
    if not shared:
        return Finding.not_applicable(code, hypothesis, "There is one column.")
    (i, j), most = max(shared.items(), key=lambda item: item[1])
    names = column_names(model)
    verdict = _verdict(most, _SHARED)
    text = f"{names[i]} and {names[j]} share {most:.3f} nats given the class, more than other pairs"
    remedy = (
        ""
        if verdict == "ok"
        else f"Leave out one of {names[i]} and {names[j]}: they count as two pieces of evidence."
    )
    columns = (str(names[i]), str(names[j]))
    return Finding(
        code, hypothesis, "conditional mutual information", most, None, verdict, text, remedy,
        columns=columns,
    )  # fmt: skip


def _zero_counts(model: Any) -> Finding:
    n_zeros = sum(int((count == 0).sum()) for count in model.category_count_)
    names = column_names(model)
    columns = tuple(
        str(name) for name, count in zip(names, model.category_count_, strict=True)
        if (count == 0).any()
    )  # fmt: skip
    verdict: Verdict = "problem" if n_zeros and model.alpha == 0 else "ok"
    text = f"{counted(n_zeros, 'level')} of a column never occur in some class"
    remedy = "Smooth: alpha=1 is Laplace's rule." if verdict == "problem" else ""
    return Finding(
        "zero_counts", "No level rules out a class alone", "number of zero counts",
        float(n_zeros), None, verdict, text, remedy, columns=columns,
    )  # fmt: skip


def _shapes(model: Any, parts: list[Floats]) -> Finding:
    skews = np.zeros(model.theta_.shape[1])
    for part in parts:
        apart = part - part.mean(axis=0)
        deviation = np.sqrt((apart**2).mean(axis=0))
        safe = np.where(deviation > 0, deviation, 1.0)
        skews = np.maximum(skews, np.abs((apart**3).mean(axis=0)) / safe**3)
    worst = int(skews.argmax())
    names = column_names(model)
    verdict = _verdict(float(skews[worst]), _SHAPE)
    text = f"{names[worst]} has the skewness {skews[worst]:.2f} in some class"
    remedy = "" if verdict == "ok" else "Transform the column, or take MixedNB with a histogram."
    return Finding(
        "normality", "Within a class each column is normal", "largest skewness",
        float(skews[worst]), None, verdict, text, remedy, columns=(str(names[worst]),),
    )  # fmt: skip


def _confidence(model: Any, X: Any, labels: NDArray[Any]) -> Finding:
    """Compare the probabilities of the answers with how often they are right, out of fold."""
    code, hypothesis = "calibration", "Probabilities are as often right as they say"
    if len(labels) > _MAX_ROWS or np.unique(labels, return_counts=True)[1].min() < 5:
        reason = f"It is measured by 5 folds of up to {_MAX_ROWS} rows with all classes."
        return Finding.not_applicable(code, hypothesis, reason)
    p = cross_val_predict(clone(model), X, labels, cv=5, method="predict_proba")
    right = float((model.classes_[p.argmax(axis=1)] == labels).mean())
    gap = float(p.max(axis=1).mean()) - right
    verdict = _verdict(gap, _GAP)
    text = f"Answers are given {p.max(axis=1).mean():.1%} and are right in {right:.1%} of the rows"
    remedy = "" if verdict == "ok" else "Wrap the model in CalibratedClassifierCV."
    return Finding(code, hypothesis, "confidence less accuracy", gap, None, verdict, text, remedy)
