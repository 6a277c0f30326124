"""Fisher's discriminant worked out: means, scatter, direction, the ratio, and where to cut."""

from __future__ import annotations

from typing import Any

import numpy as np

from gramian._class_moments import ClassMoments, class_scatters
from gramian._labels import encode_labels
from gramian._typing import Floats
from gramian.discriminant_analysis import LinearDiscriminantAnalysis
from gramian.inspection._worked.queries import as_rows
from gramian.inspection._worked.steps import Step, StepTable, Worked, escape_text
from gramian.inspection._worked.worked import register_worked
from gramian.validation import check_is_fitted, check_predict, column_or_1d, training_matrix

_MOST_COLUMNS = 8


@register_worked(LinearDiscriminantAnalysis)
def work_discriminant(model: Any, X: Any, y: Any, query: Any) -> Worked:
    """Work out Fisher's direction between two classes, and the answer for some rows."""
    check_is_fitted(model)
    if len(model.classes_) != 2:
        raise ValueError(
            "worked: Fisher's ratio is worked out for two classes; there are "
            f"{len(model.classes_)}."
        )
    rows = training_matrix(model, X, y).astype(np.float64)
    if rows.shape[1] > _MOST_COLUMNS:
        raise ValueError(
            f"worked: {rows.shape[1]} columns are too many to print; {_MOST_COLUMNS} are the most."
        )
    codes = encode_labels(column_or_1d(y))[1]
    moments = ClassMoments.of(rows, codes, None, 2)
    scatters = class_scatters(rows, codes, None, moments.mean)
    within = scatters.sum(axis=0)
    apart = moments.mean[1] - moments.mean[0]
    direction = np.linalg.lstsq(within, apart, rcond=None)[0]
    steps = [
        _means_step(model, moments.mean, moments.weight),
        Step(
            "Scatter within the classes",
            r"S_k = \sum_{i: y_i = k} (x_i - m_k)(x_i - m_k)^\top , \quad S_W = S_0 + S_1",
            values={"S_0": scatters[0], "S_1": scatters[1], "S_W": within},
        ),
        Step(
            "Direction",
            r"w = S_W^{-1} (m_1 - m_0)",
            values={"m_1 - m_0": apart, "w": direction},
        ),
        _ratio_step(direction, apart, within),
        _cut_step(model, moments.mean),
    ]
    if query is not None:
        steps += [_query_step(model, row) for row in _query_rows(model, query)]
    return Worked("Fisher's linear discriminant", steps)


def _query_rows(model: Any, query: Any) -> Floats:
    given = np.reshape(query, (1, -1)) if np.ndim(query) == 1 else as_rows(query)
    rows: Floats = check_predict(model, given, accept_sparse=False).astype(np.float64)
    return rows


def _means_step(model: Any, mean: Floats, weight: Floats) -> Step:
    table = StepTable(
        ["class", "rows", *(f"$m_{{{j + 1}}}$" for j in range(mean.shape[1]))],
        [
            [escape_text(str(label)), int(n), *map(float, row)]
            for label, n, row in zip(model.classes_, weight, mean, strict=True)
        ],
    )
    values = {"m_0": mean[0], "m_1": mean[1]}
    formula = r"m_k = \frac{1}{n_k} \sum_{i: y_i = k} x_i"
    return Step("Means of the classes", formula, "", values, table)


def _ratio_step(w: Floats, apart: Floats, within: Floats) -> Step:
    between, spread = float(w @ apart) ** 2, float(w @ within @ w)
    ratio = between / spread if spread > 0 else np.inf
    text = "No other direction has a larger one; its largest value is $(m_1 - m_0)^\\top w$."
    values = {r"(w^\top (m_1 - m_0))^2": between, r"w^\top S_W w": spread, "J": ratio}
    formula = r"J(w) = \frac{(w^\top (m_1 - m_0))^2}{w^\top S_W w}"
    return Step("Fisher's ratio", formula, text, values)


def _cut_step(model: Any, mean: Floats) -> Step:
    """Show the fitted score, which is w in other units, at the two means."""
    coef, constant = model.coef_[0].astype(np.float64), float(model.intercept_[0])
    scores = mean @ coef + constant
    text = (
        "The covariance is $S_W / n$ and the cut moves by the logarithm of the priors' ratio: "
        f"class {escape_text(str(model.classes_[1]))} is chosen where the score is positive."
    )
    formula = r"s(x) = c^\top x + b , \quad c = n \, w"
    values = {"c": coef, "b": constant, "s(m_0)": scores[0], "s(m_1)": scores[1]}
    return Step("Score", formula, text, values)


def _query_step(model: Any, row: Floats) -> Step:
    score = float(row @ model.coef_[0].astype(np.float64) + model.intercept_[0])
    answer = escape_text(str(model.classes_[int(score > 0)]))
    probability = 1.0 / (1.0 + np.exp(-score))
    return Step(
        "Query",
        r"P(1 \mid x) = \frac{1}{1 + e^{-s(x)}}",
        f"The answer is {answer}.",
        {"x": row, "s(x)": score, r"P(1 \mid x)": probability},
    )
