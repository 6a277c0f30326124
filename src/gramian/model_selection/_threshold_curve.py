"""The score of a classifier as its threshold rises."""

import inspect
from collections.abc import Callable
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gramian._routing import Routed
from gramian._rows import rows_of_params, take_rows
from gramian.exceptions import InvalidParameterError
from gramian.metrics import make_scorer

if TYPE_CHECKING:
    pass


def _same(y_true: Any, y_score: Any, pos_label: Any = None) -> Any:
    return y_score


def scores_of(estimator: Any, X: Any, methods: tuple[str, ...], pos_label: Any) -> NDArray[Any]:
    """Return a binary classifier's response for the positive class, by the first of the methods."""
    if len(estimator.classes_) != 2:
        raise ValueError(
            "Expected 'estimator' to be a binary classifier. Got "
            f"{len(estimator.classes_)} classes instead."
        )
    respond = make_scorer(_same, response_method=methods, pos_label=pos_label)
    scores: NDArray[Any] = respond(estimator, X, None)
    return scores


def labels_at(scores: NDArray[Any], threshold: float, classes: Any, pos_label: Any) -> Any:
    """Return the positive class where the score reaches the threshold."""
    is_first = pos_label is not None and classes[0] == pos_label
    return classes[((scores >= threshold) != is_first).astype(np.intp)]


class ThresholdCurve:
    """The scores of a classifier for many thresholds."""

    def __init__(self, scorer: Any, methods: tuple[str, ...], thresholds: Any) -> None:
        if not hasattr(scorer, "_score_func"):
            raise InvalidParameterError(
                "The 'scoring' parameter of TunedThresholdClassifierCV must be a name of a scorer "
                f"or a scorer made by make_scorer. Got {scorer!r} instead."
            )
        self._scorer = scorer
        self._methods = methods
        self._thresholds = thresholds
        self.pos_label = scorer._kwargs.get("pos_label", _default_pos_label(scorer._score_func))

    def get_metadata_routing(self) -> Any:
        """Return what the scorer requests."""
        return self._scorer.get_metadata_routing()

    def __call__(
        self, estimator: Any, X: Any, y: Any, params: dict[str, Any]
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the scores, and the thresholds that they are for."""
        responses = scores_of(estimator, X, self._methods, self.pos_label)
        thresholds = np.asarray(self._thresholds)
        if isinstance(self._thresholds, Integral):
            thresholds = np.linspace(responses.min(), responses.max(), int(self._thresholds))
        # Thresholds without a response between them give the same labels, hence the same score.
        places = np.sort(responses).searchsorted(thresholds, side="left")
        _, first, group = np.unique(places, return_index=True, return_inverse=True)
        scores = [
            self._score(labels_at(responses, cut, estimator.classes_, self.pos_label), y, params)
            for cut in thresholds[first]
        ]
        return np.array(scores)[group], thresholds

    def _score(self, labels: Any, y: Any, params: dict[str, Any]) -> Any:
        scorer = self._scorer
        return scorer._sign * scorer._score_func(y, labels, **{**scorer._kwargs, **params})


def _default_pos_label(metric: Callable[..., Any]) -> Any:
    declared = inspect.signature(metric).parameters.get("pos_label")
    return None if declared is None else declared.default


def curve_of_split(
    estimator: Any, data: tuple[Any, Any], rows: Any, curve: ThresholdCurve, routed: Routed
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Fit on the training rows, and return the curve of the test rows."""
    (X, y), (train, test) = data, rows
    fit_params = rows_of_params(X, routed["estimator"]["fit"], train)
    score_params = rows_of_params(X, routed["scorer"]["score"], test)
    estimator.fit(take_rows(X, train), take_rows(y, train), **fit_params)
    return curve(estimator, take_rows(X, test), take_rows(y, test), score_params)
