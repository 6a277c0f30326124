"""What the displays of curves over all thresholds share: scores, checks, names, looks."""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gramian._drawing import Display, light_axes, merge_style
from gramian._estimator import is_classifier
from gramian._labels import positive_label, type_of_target
from gramian._rows import take_rows
from gramian.metrics._responses import Responses, response_name
from gramian.validation import (
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
    n_samples_of,
)

Style = Mapping[str, Any] | None

MANY = {"alpha": 0.5, "color": "blue", "linewidth": 1.0}
"""The look of curves that share one entry of the legend."""


def binary_scores(estimator: Any, X: Any, response_method: Any, pos_label: Any) -> tuple[Any, Any]:
    """Return the scores of a classifier of two classes, and the positive one."""
    wanted = "Expected 'estimator' to be a binary classifier."
    check_is_fitted(estimator)
    if not is_classifier(estimator):
        raise ValueError(f"{wanted} Got {type(estimator).__name__} instead.")
    classes = estimator.classes_
    if len(classes) != 2:
        raise ValueError(f"{wanted} Got {len(classes)} classes instead.")
    methods = (
        ("predict_proba", "decision_function") if response_method == "auto" else response_method
    )
    scores = Responses(estimator, X).of(response_name(estimator, methods), pos_label)
    return scores, classes[-1] if pos_label is None else pos_label


def check_predictions(y_true: Any, y_score: Any, sample_weight: Any, pos_label: Any) -> Any:
    """Check labels of two classes, their scores and weights; return the positive class."""
    kind = type_of_target(y_true)
    if kind != "binary":
        raise ValueError(f"The target y is not binary. Got {kind} type of target.")
    check_consistent_length(y_true, y_score, sample_weight)
    return positive_label(column_or_1d(y_true)) if pos_label is None else pos_label


@dataclass(frozen=True)
class Fold:
    """The test rows of one fold and the scores of the estimator that has not seen them."""

    y_true: Any
    y_score: Any
    sample_weight: Any
    pos_label: Any


def folds(
    cv_results: Mapping[str, Any],
    data: tuple[Any, Any, Any],
    response_method: Any,
    pos_label: Any,
) -> Iterator[Fold]:
    """Yield the folds of ``cross_validate`` for `data`: features, target and weights."""
    X, y, sample_weight = data
    missing = {"estimator", "indices"} - set(cv_results)
    if missing:
        raise ValueError(
            "`cv_results` does not contain one of the following required keys: {'estimator', "
            "'indices'}. Set explicitly the parameters `return_estimator=True` and "
            "`return_indices=True` to the function `cross_validate`."
        )
    indices = cv_results["indices"]
    n_used = len(indices["train"][0]) + len(indices["test"][0])
    if n_samples_of(X) != n_used:
        raise ValueError(
            f"`X` does not contain the correct number of samples. Expected {n_used}, got "
            f"{n_samples_of(X)}."
        )
    kind = type_of_target(y)
    if kind != "binary":
        raise ValueError(f"The target `y` is not binary. Got {kind} type of target.")
    check_consistent_length(X, y, sample_weight)
    for estimator, test in zip(cv_results["estimator"], indices["test"], strict=True):
        scores, positive = binary_scores(estimator, take_rows(X, test), response_method, pos_label)
        weight = None if sample_weight is None else take_rows(sample_weight, test)
        yield Fold(take_rows(y, test), scores, weight, positive)


class CurveDisplay(Display):
    """One curve or several in one picture."""

    _metric_name: str
    """What the legend calls the number of each curve."""

    name: Any
    line_: Any

    def _lists(self, *, ax: Any, name: Any, **numbers: Any) -> tuple[Any, dict[str, Any]]:
        """Set the axes; return the names and the attributes as lists of equal length, or None."""
        self._set_axes(ax)
        name = _listed(self.name if name is None else name)
        lists = {key: _listed(value) for key, value in numbers.items()}
        counted = {f"self.{key}": values for key, values in lists.items() if values is not None}
        if name is not None and len(name) != 1:
            counted["'name' (or self.name)"] = name
        if len({len(values) for values in counted.values()}) > 1:
            *first, last = counted
            place = " (or `plot`)" if "name" in last else ""
            lengths = ", ".join(f"{key}: {len(values)}" for key, values in counted.items())
            raise ValueError(
                f"{', '.join(first)} and {last} from `{type(self).__name__}` "
                f"initialization{place}, should all be lists of the same length. Got: {lengths}"
            )
        return name, lists

    def _draw_curves(self, points: Sequence[tuple[Any, Any]], styles: Sequence[Any]) -> None:
        lines = [
            self.ax_.plot(x, y, **kwargs)[0] for (x, y), kwargs in zip(points, styles, strict=True)
        ]
        self.line_ = lines[0] if len(lines) == 1 else lines

    def _curve_styles(
        self, n_curves: int, names: Any, metrics: Any, curve_kwargs: Any, default: Style = None
    ) -> list[dict[str, Any]]:
        """Return the arguments of Matplotlib's ``plot`` for each curve."""
        is_each = isinstance(curve_kwargs, list)
        if is_each and len(curve_kwargs) != n_curves:
            raise ValueError(
                f"`curve_kwargs` must be None, a dictionary or a list of length {n_curves}. "
                f"Got: {curve_kwargs}."
            )
        if names is not None and len(names) != 1 and not is_each:
            raise ValueError(
                "To avoid labeling individual curves that have the same appearance, `curve_kwargs` "
                f"should be a list of {n_curves} dictionaries. Alternatively, set `name` to `None` "
                "or a single string to label a single legend entry for all curves."
            )
        if names is None or len(names) == 1:
            names = (names or [None]) * n_curves
        if is_each or n_curves == 1:
            numbers = [None if m is None else f"{m:0.2f}" for m in metrics or [None] * n_curves]
            labels = [self._label(*pair) for pair in zip(names, numbers, strict=True)]
        else:
            spread = f"{np.mean(metrics):0.2f} +/- {np.std(metrics):0.2f}" if metrics else None
            labels = [self._label(names[0], spread), *[None] * (n_curves - 1)]
        look = {**(default or {}), **(MANY if n_curves > 1 else {})}
        each = curve_kwargs if is_each else [curve_kwargs] * n_curves
        return [
            merge_style({"label": label, **look}, given)
            for label, given in zip(labels, each, strict=True)
        ]

    def _label(self, name: str | None, number: str | None) -> str | None:
        if number is None:
            return name
        measure = f"{self._metric_name} = {number}"
        return measure if name is None else f"{name} ({measure})"

    def _curve_columns(self, **curves: Any) -> dict[str, Any]:
        """Return the points of all curves below each other, with the number of the curve."""
        lists = {key: _listed(value) for key, value in curves.items()}
        lengths = [len(points) for points in next(iter(lists.values()))]
        return {
            "curve": np.repeat(np.arange(len(lengths)), lengths),
            **{key: np.concatenate(values) for key, values in lists.items()},
        }


def draw_unit_square(axes: Any, labels: tuple[str, str], pos_label: Any, despine: bool) -> None:
    """Give axes of two rates the same limits from 0 to 1, and their labels."""
    suffix = positive_suffix(pos_label)
    axes.set(
        xlabel=labels[0] + suffix,
        ylabel=labels[1] + suffix,
        xlim=(-0.01, 1.01),
        ylim=(-0.01, 1.01),
        aspect="equal",
    )
    light_axes(axes)
    if despine:
        axes.spines[["top", "right"]].set_visible(False)
        axes.spines["bottom"].set_bounds(0, 1)
        axes.spines["left"].set_bounds(0, 1)


def positive_suffix(pos_label: Any) -> str:
    """Return what the labels of the axes say of the positive class."""
    return "" if pos_label is None else f" (Positive label: {pos_label})"


def renamed_score(y_score: Any, y_pred: Any) -> Any:
    """Return the scores, which scikit-learn called `y_pred` until 1.8."""
    if isinstance(y_pred, str) and y_pred == "deprecated":
        return y_score
    if y_score is not None:
        raise ValueError(
            "`y_pred` and `y_score` cannot be both specified. Please use `y_score` only: `y_pred` "
            "was deprecated in 1.8 and will be removed in 1.10 of scikit-learn."
        )
    warnings.warn(
        "y_pred was deprecated in 1.8 and will be removed in 1.10 of scikit-learn. Please use "
        "`y_score` instead.",
        FutureWarning,
        stacklevel=3,
    )
    return y_pred


def _listed(value: Any) -> Any:
    return value if value is None or isinstance(value, list) else [value]
