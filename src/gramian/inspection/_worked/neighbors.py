"""The worked vote or mean of the nearest rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from gramian._typing import Floats
from gramian.inspection._worked.steps import Step, StepTable, Worked, escape_text
from gramian.inspection._worked.worked import register_worked
from gramian.neighbors import KNeighborsClassifier, KNeighborsRegressor


@register_worked(KNeighborsClassifier, KNeighborsRegressor)
def work_neighbors(model: Any, X: Any, y: Any, query: Any) -> Worked:
    """Work out the answer for each query from the distances, neighbours and weights."""
    targets = np.asarray(y)
    if targets.ndim != 1:
        raise ValueError("worked: neighbours are worked out for a target of one column.")
    if query is None:
        raise ValueError("worked: a model of neighbours computes nothing at fit: give a query.")
    if isinstance(query, (list, tuple, np.ndarray)) and np.ndim(query) == 1:
        query = np.reshape(query, (1, -1))
    distance, index = model.kneighbors(query)
    answers = model.predict(query)
    steps = [_model_step(model)]
    for i, answer in enumerate(answers):
        weights = _weights(model, distance[i : i + 1])
        steps.append(_neighbour_step(i, distance[i], index[i], weights, targets))
        if isinstance(model, KNeighborsClassifier):
            steps.append(_vote_step(model, weights, targets[index[i]], answer))
        else:
            steps.append(_mean_step(weights, targets[index[i]], answer))
    return Worked(f"The {model.n_neighbors} nearest neighbours", steps)


def _weights(model: Any, distance: Floats) -> Floats:
    """Return the weights of one query's neighbours, by their definition."""
    if callable(model.weights):
        called: Floats = np.asarray(model.weights(distance), dtype=np.float64)[0]
        return called
    if model.weights != "distance":
        return np.ones(distance.shape[1])
    is_zero = distance[0] == 0
    inverse: Floats = is_zero.astype(np.float64) if is_zero.any() else 1.0 / distance[0]
    return inverse


def _model_step(model: Any) -> Step:
    metric = escape_text(str(model.effective_metric_))
    if isinstance(model, KNeighborsClassifier):
        formula = r"\hat{y} = \arg\max_c \sum_{i \in N_k(x)} w_i \, 1[y_i = c]"
    else:
        formula = r"\hat{y} = \sum_{i \in N_k(x)} w_i y_i \Big/ \sum_{i \in N_k(x)} w_i"
    kind = "alike" if model.weights in (None, "uniform") else "by their weights $w_i$"
    text = (
        f"$N_k(x)$ are the $k = {model.n_neighbors}$ of {model.n_samples_fit_} training rows whose "
        f"distance ({metric}) to $x$ is least; they count {kind}."
    )
    return Step("Model", formula, text)


def _neighbour_step(i: int, distance: Floats, index: Any, weights: Floats, targets: Any) -> Step:
    rows = [
        [int(row), float(far), float(weight), _shown(targets[row])]
        for row, far, weight in zip(index, distance, weights, strict=True)
    ]
    return Step(
        f"Neighbours of query {i}",
        r"d_i = d(x, x_i)",
        "The nearest first.",
        {"d": distance, "w": weights},
        StepTable(["row", "$d_i$", "$w_i$", "$y_i$"], rows),
    )


def _shown(value: Any) -> Any:
    return float(value) if isinstance(value, (float, np.floating)) else escape_text(str(value))


def _vote_step(model: Any, weights: Floats, labels: Any, answer: Any) -> Step:
    votes = np.array([weights[labels == label].sum() for label in model.classes_])
    rows = [
        [escape_text(str(label)), float(vote), float(vote / votes.sum())]
        for label, vote in zip(model.classes_, votes, strict=True)
    ]
    by_hand = model.classes_[int(votes.argmax())]
    agree = "as the model says" if by_hand == answer else f"but the model says {answer}"
    return Step(
        "Vote",
        r"\sum_{i \in N_k(x)} w_i \, 1[y_i = c]",
        f"The class is {escape_text(str(by_hand))}, {escape_text(agree)}.",
        {"votes": votes},
        StepTable(["class $c$", "votes", "share"], rows),
    )


def _mean_step(weights: Floats, values: Any, answer: Any) -> Step:
    total = float(weights.sum())
    by_hand = float((weights * values).sum() / total)
    is_same = bool(np.isclose(by_hand, float(answer), rtol=1e-6))
    agree = "as the model says" if is_same else f"but the model says {float(answer)}"
    return Step(
        "Mean",
        r"\hat{y} = \sum w_i y_i \Big/ \sum w_i",
        f"The prediction is the weighted mean of the neighbours' targets, {agree}.",
        {r"\sum w_i": total, r"\hat{y}": by_hand},
    )
