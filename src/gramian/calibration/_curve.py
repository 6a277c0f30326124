"""How often what was predicted happened."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._labels import positive_label
from gramian.params import Arrays, Boolean, Integer, Nothing, OneOf, Real, Strings, check_arguments
from gramian.validation import check_consistent_length, column_or_1d

__all__ = ["calibration_curve"]


def calibration_curve(
    y_true: Any, y_prob: Any, *, pos_label: Any = None, n_bins: int = 5, strategy: str = "uniform"
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the share of positives against the mean predicted probability, bin by bin.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes.
    y_prob : array-like of shape (n_samples,)
        Probabilities of the positive class.
    pos_label : int, float, bool or str, optional
        The positive class; may be left out for labels {0, 1} or {-1, 1}, where it is 1.
    n_bins : int, default=5
        Number of bins of [0, 1]; empty ones are left out.
    strategy : {"uniform", "quantile"}, default="uniform"
        Whether the bins have equal widths, or equal numbers of rows.

    Returns
    -------
    prob_true : ndarray of shape (n_bins,) or smaller
        The share of positives in each bin.
    prob_pred : ndarray of shape (n_bins,) or smaller
        The mean predicted probability there.

    Examples
    --------
    >>> from gramian.calibration import calibration_curve
    >>> y_prob = [0.1, 0.2, 0.3, 0.4, 0.65, 0.7, 0.8, 0.9, 1.0]
    >>> prob_true, prob_pred = calibration_curve([0, 0, 0, 0, 1, 1, 1, 1, 1], y_prob, n_bins=3)
    >>> prob_true, prob_pred
    (array([0. , 0.5, 1. ]), array([0.2  , 0.525, 0.85 ]))
    """
    check_arguments(
        "calibration_curve",
        y_true=(y_true, Arrays()),
        y_prob=(y_prob, Arrays()),
        pos_label=(pos_label, Real() | Strings() | Boolean() | Nothing()),
        n_bins=(n_bins, Integer(1)),
        strategy=(strategy, OneOf("uniform", "quantile")),
    )
    labels = column_or_1d(y_true, input_name="y_true")
    probability = column_or_1d(y_prob, input_name="y_prob", dtype=np.float64)
    check_consistent_length(labels, probability)
    positive = positive_label(labels) if pos_label is None else pos_label
    if not (probability.min() >= 0 and probability.max() <= 1):
        raise ValueError("y_prob has values outside [0, 1].")
    classes = np.unique(labels)
    if len(classes) > 2:
        raise ValueError(f"Only binary classification is supported. Provided labels {classes}.")
    edges = np.linspace(0.0, 1.0, n_bins + 1)
    if strategy == "quantile":
        edges = np.percentile(probability, edges * 100)
    bins = np.searchsorted(edges[1:-1], probability)
    counts = np.bincount(bins, minlength=n_bins)
    filled = counts > 0
    n_true = np.bincount(bins, weights=labels == positive, minlength=n_bins)
    sums = np.bincount(bins, weights=probability, minlength=n_bins)
    return n_true[filled] / counts[filled], sums[filled] / counts[filled]
