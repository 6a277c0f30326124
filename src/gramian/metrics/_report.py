"""Precision, recall and F1 of all classes at a glance."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian.metrics._arguments import OPTIONAL_ARRAY, ZeroDivision
from gramian.metrics._set_scores import Averaging, scores_of
from gramian.metrics._targets import IndicatorPair, LabelPair, read_pair
from gramian.params import Arrays, Boolean, Integer, check_arguments

_COLUMNS = ("precision", "recall", "f1-score", "support")
_WIDEST_AVERAGE = "weighted avg"

Row = tuple[str, list[Any]]  # a name, and the four columns


def classification_report(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    target_names: Any = None,
    sample_weight: Any = None,
    digits: int = 2,
    output_dict: bool = False,
    zero_division: Any = "warn",
) -> Any:
    """Return precision, recall, F1 and the number of true rows of each class, and averages.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), or label indicator matrix
        The true labels.
    y_pred : array-like of shape (n_samples,), or label indicator matrix
        The predicted labels.
    labels : array-like of shape (n_labels,), optional
        The labels to report, in this order; by default all that occur, sorted.
    target_names : array-like of str of shape (n_labels,), optional
        What the labels are called, in the same order.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows.
    digits : int, default=2
        Decimals in the text; the dict is never rounded.
    output_dict : bool, default=False
        Whether to return a dict of dicts instead of text.
    zero_division : {"warn", 0.0, 1.0, nan}, default="warn"
        The score where there is nothing to divide by; "warn" is 0 with a warning.

    Returns
    -------
    str or dict
        The last lines are the accuracy (or, if the labels are a part of those that occur, the
        average over all their rows together), the mean over the labels, the mean weighted by their
        true rows and, for indicator matrices, the mean over the rows.

    Examples
    --------
    >>> from gramian.metrics import classification_report
    >>> print(classification_report([0, 1, 1, 1], [0, 0, 1, 1], target_names=["no", "yes"]))
                  precision    recall  f1-score   support
    <BLANKLINE>
              no       0.50      1.00      0.67         1
             yes       1.00      0.67      0.80         3
    <BLANKLINE>
        accuracy                           0.75         4
       macro avg       0.75      0.83      0.73         4
    weighted avg       0.88      0.75      0.77         4
    <BLANKLINE>
    """
    check_arguments(
        "classification_report",
        y_true=(y_true, Arrays()),
        y_pred=(y_pred, Arrays()),
        labels=(labels, OPTIONAL_ARRAY),
        target_names=(target_names, OPTIONAL_ARRAY),
        sample_weight=(sample_weight, OPTIONAL_ARRAY),
        digits=(digits, Integer(0)),
        output_dict=(output_dict, Boolean()),
        zero_division=(zero_division, ZeroDivision()),
    )
    pair = read_pair(y_true, y_pred, sample_weight)
    chosen = pair.labels if labels is None else np.asarray(labels)
    names = _names_of(chosen, target_names, is_given=labels is not None)
    of_labels, averages = _report_rows(pair, chosen, names, zero_division)
    if output_dict:
        return _as_dict(of_labels, averages)
    return _as_text(of_labels, averages, names, digits)


def _names_of(labels: NDArray[Any], target_names: Any, *, is_given: bool) -> Sequence[str]:
    if target_names is None:
        return [str(label) for label in labels]
    if len(labels) != len(target_names):
        if not is_given:
            raise ValueError(
                f"Number of classes, {len(labels)}, does not match size of target_names, "
                f"{len(target_names)}. Try specifying the labels parameter"
            )
        warnings.warn(
            f"labels size, {len(labels)}, does not match size of target_names, {len(target_names)}",
            UserWarning,
            stacklevel=3,
        )
    return list(target_names)


def _report_rows(
    pair: LabelPair | IndicatorPair, labels: NDArray[Any], names: Sequence[str], zero_division: Any
) -> tuple[list[Row], list[Row]]:
    """Return the rows of the labels and those of the averages, from one count of the pairs."""
    counts = pair.counts(labels)
    scores = scores_of(counts, Averaging(None, zero_division), 1.0, None)
    columns = (scores.precision, scores.recall, scores.f_score, scores.support)
    of_labels = [(name, list(row)) for name, *row in zip(names, *columns, strict=False)]
    total = np.sum(scores.support)
    averages = []
    for average, heading in _averages_of(pair, labels):
        per_set = counts if average != "samples" else pair.counts(labels, samplewise=True)
        mean = scores_of(per_set, Averaging(average, zero_division), 1.0, pair.weight)
        averages.append((heading, [mean.precision, mean.recall, mean.f_score, total]))
    return of_labels, averages


def _averages_of(pair: LabelPair | IndicatorPair, labels: NDArray[Any]) -> list[tuple[str, str]]:
    """Return the averages of a report with their headings."""
    headings = [(average, f"{average} avg") for average in ("micro", "macro", "weighted")]
    if isinstance(pair, IndicatorPair):
        return [*headings, ("samples", "samples avg")]
    if set(labels.tolist()) >= set(pair.labels.tolist()):
        headings[0] = ("micro", "accuracy")
    return headings


def _as_dict(of_labels: list[Row], averages: list[Row]) -> dict[str, Any]:
    report: dict[str, Any] = {
        name: dict(zip(_COLUMNS, map(float, row), strict=True))
        for name, row in [*of_labels, *averages]
    }
    if "accuracy" in report:
        report["accuracy"] = report["accuracy"]["precision"]
    return report


def _as_text(of_labels: list[Row], averages: list[Row], names: Sequence[str], digits: int) -> str:
    width = max(max(len(name) for name in names), len(_WIDEST_AVERAGE), digits)
    heading = " ".join(f"{column:>9}" for column in _COLUMNS)
    lines = [f"{'':>{width}}  {heading}", ""]
    lines += [_line(name, row, width, digits) for name, row in of_labels]
    lines.append("")
    for name, row in averages:
        if name == "accuracy":
            row = ["", "", *row[2:]]
        lines.append(_line(name, row, width, digits))
    return "\n".join([*lines, ""])


def _line(name: str, row: list[Any], width: int, digits: int) -> str:
    *scores, support = row
    cells = [f"{score:>9}" if score == "" else f"{score:>9.{digits}f}" for score in scores]
    return f"{name:>{width}}  {' '.join(cells)} {support:>9}"
