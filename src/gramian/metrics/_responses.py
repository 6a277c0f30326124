"""What an estimator answers, asked once for several scorers."""

from typing import Any

import numpy as np

from gramian._estimator import is_classifier
from gramian._labels import type_of_target

TARGETS = (
    "y_true",
    "y_pred",
    "y_prob",
    "y_proba",
    "y_score",
    "y2",
    "pred_decision",
    "labels_true",
    "labels_pred",
)
"""What metrics call the targets that they compare: no metadata."""


class Responses:
    """What an estimator says about some rows, asked once for each method."""

    def __init__(self, estimator: Any, X: Any) -> None:
        self.estimator = estimator
        self._X = X
        self._found: dict[str, Any] = {}

    def of(self, method: str, pos_label: Any) -> Any:
        """Return the response, of a binary classifier as one number for the positive class."""
        if not is_classifier(self.estimator):
            return self._ask(method)
        classes = self.estimator.classes_
        if type_of_target(classes) != "binary":
            response = self._ask(method)
            if method == "predict_proba" and isinstance(response, list):  # one array for each label
                return np.vstack([label[:, -1] for label in response]).T
            return response
        pos_label = classes[-1] if pos_label is None else pos_label
        if pos_label not in np.asarray(classes).tolist():
            raise ValueError(
                f"pos_label={pos_label} is not a valid label: It should be one of {classes}"
            )
        response = self._ask(method)
        if method == "predict_proba":
            if response.shape[1] < 2:
                raise ValueError(
                    f"Got predict_proba of shape {response.shape}, but need classifier with two "
                    "classes."
                )
            return response[:, np.flatnonzero(classes == pos_label)[0]]
        return -response if method == "decision_function" and pos_label == classes[0] else response

    def _ask(self, method: str) -> Any:
        if method not in self._found:
            self._found[method] = getattr(self.estimator, method)(self._X)
        return self._found[method]


def response_name(estimator: Any, methods: Any) -> str:
    """Return the first of the methods that the estimator has."""
    names = [methods] if isinstance(methods, str) else list(methods)
    for name in names:
        if hasattr(estimator, name):
            return str(name)
    raise AttributeError(
        f"{type(estimator).__name__} has none of the following attributes: {', '.join(names)}."
    )
