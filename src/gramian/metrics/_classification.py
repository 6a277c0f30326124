"""Single numbers for true against predicted labels."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian.exceptions import UndefinedMetricWarning, shared
from gramian.metrics._arguments import DENSE, OPTIONAL_ARRAY
from gramian.metrics._confusion import single_label_table, warn_single_label
from gramian.metrics._targets import IndicatorPair, LabelPair, read_pair
from gramian.params import Arrays, Boolean, Nothing, OneOf, Real, check_arguments


def accuracy_score(
    y_true: Any, y_pred: Any, *, normalize: bool = True, sample_weight: Any = None
) -> float:
    """Return the fraction of rows whose predicted label (or whole set of labels) is the true one.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), or label indicator matrix
        The true labels.
    y_pred : array-like of shape (n_samples,), or label indicator matrix
        The predicted labels.
    normalize : bool, default=True
        False gives the number (or the weight) of correct rows instead of their fraction.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows.

    Returns
    -------
    float

    Examples
    --------
    >>> from gramian.metrics import accuracy_score
    >>> accuracy_score(["a", "b", "b"], ["a", "b", "a"])
    0.6666666666666666
    """
    pair = _checked_pair("accuracy_score", y_true, y_pred, sample_weight, normalize)
    return pair.correct_fraction() if normalize else pair.correct_sum()


def zero_one_loss(
    y_true: Any, y_pred: Any, *, normalize: bool = True, sample_weight: Any = None
) -> float:
    """Return the fraction of rows whose predicted label (or set of labels) is not the true one.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), or label indicator matrix
        The true labels.
    y_pred : array-like of shape (n_samples,), or label indicator matrix
        The predicted labels.
    normalize : bool, default=True
        False gives the number (or the weight) of wrong rows instead of their fraction.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows.

    Returns
    -------
    float

    Examples
    --------
    >>> from gramian.metrics import zero_one_loss
    >>> zero_one_loss([1, 2, 3, 4], [2, 2, 3, 4])
    0.25
    """
    pair = _checked_pair("zero_one_loss", y_true, y_pred, sample_weight, normalize)
    if normalize:
        return 1 - pair.correct_fraction()
    total = pair.n_samples if pair.weight is None else np.sum(pair.weight)
    return float(total - pair.correct_sum())


def hamming_loss(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> float:
    """Return the fraction of labels that are predicted wrongly.

    For single labels this is the zero-one loss; for indicator matrices each entry counts.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), or label indicator matrix
        The true labels.
    y_pred : array-like of shape (n_samples,), or label indicator matrix
        The predicted labels.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows.

    Returns
    -------
    float

    Examples
    --------
    >>> from gramian.metrics import hamming_loss
    >>> hamming_loss([[0, 1], [1, 1]], [[0, 0], [0, 0]])
    0.75
    """
    pair = _checked_pair("hamming_loss", y_true, y_pred, sample_weight, True)
    if isinstance(pair, IndicatorPair):
        fraction = np.average(pair.n_differences(), weights=pair.weight) / len(pair.labels)
        return float(fraction)
    return pair.wrong_fraction()


def balanced_accuracy_score(
    y_true: Any, y_pred: Any, *, sample_weight: Any = None, adjusted: bool = False
) -> float:
    """Return the mean over the true classes of the fraction of their rows that is predicted right.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        The true labels.
    y_pred : array-like of shape (n_samples,)
        The predicted labels.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows.
    adjusted : bool, default=False
        Whether to scale the score so that guessing gives 0 and perfection 1.

    Returns
    -------
    float

    Examples
    --------
    >>> from gramian.metrics import balanced_accuracy_score
    >>> balanced_accuracy_score([0, 1, 0, 0, 1, 0], [0, 1, 0, 0, 0, 1])
    0.625
    """
    check_arguments(
        "balanced_accuracy_score",
        y_true=(y_true, DENSE),
        y_pred=(y_pred, DENSE),
        sample_weight=(sample_weight, OPTIONAL_ARRAY),
        adjusted=(adjusted, Boolean()),
    )
    counts = _single_labels(read_pair(y_true, y_pred, sample_weight)).counts()
    with np.errstate(divide="ignore", invalid="ignore"):
        recall = counts.tp / counts.true
    occurs = ~np.isnan(recall)
    if not occurs.all():
        warnings.warn("y_pred contains classes not in y_true", UserWarning, stacklevel=2)
    score = np.mean(recall[occurs])
    if adjusted:
        chance = 1 / np.sum(occurs)
        with np.errstate(divide="ignore", invalid="ignore"):
            score = (score - chance) / (1 - chance)
    return float(score)


def matthews_corrcoef(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> float:
    """Return the correlation between true and predicted labels, over all classes.

    1 is perfect, 0 is what guessing or a constant prediction gives, negative values are worse.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        The true labels.
    y_pred : array-like of shape (n_samples,)
        The predicted labels.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows.

    Returns
    -------
    float

    Examples
    --------
    >>> from gramian.metrics import matthews_corrcoef
    >>> round(matthews_corrcoef([1, 1, 1, -1], [1, -1, 1, 1]), 4)
    -0.3333
    """
    check_arguments(
        "matthews_corrcoef",
        y_true=(y_true, DENSE),
        y_pred=(y_pred, DENSE),
        sample_weight=(sample_weight, OPTIONAL_ARRAY),
    )
    counts = _single_labels(read_pair(y_true, y_pred, sample_weight)).counts()
    true, predicted = counts.true.astype(np.float64), counts.predicted.astype(np.float64)
    # Gorodkin (2004): (c s - t.p) / sqrt((s^2 - t.t) (s^2 - p.p)), with c of s rows right.
    covariance = counts.tp.sum() * predicted.sum() - true @ predicted
    # each with its own total, so that one class alone gives exactly zero
    variances = np.prod([values.sum() ** 2 - values @ values for values in (true, predicted)])
    return 0.0 if variances == 0 else float(covariance / np.sqrt(variances))


class _UndefinedKappa(Real):
    """A number from -1 to 1, or NaN."""

    def accepts(self, value: Any) -> bool:
        return super().accepts(value) or (isinstance(value, float) and value != value)

    def describe(self) -> str:
        return f"{super().describe()} or nan"


def cohen_kappa_score(
    y1: Any,
    y2: Any,
    *,
    labels: Any = None,
    weights: str | None = None,
    sample_weight: Any = None,
    replace_undefined_by: float = np.nan,
) -> float:
    """Return Cohen's kappa: how far two raters agree beyond what chance would give.

    kappa = 1 - observed / expected disagreement.

    Parameters
    ----------
    y1 : array-like of shape (n_samples,)
        The labels of the first rater.
    y2 : array-like of shape (n_samples,)
        The labels of the second rater.
    labels : array-like of shape (n_classes,), optional
        The labels to count, in this order; by default all that occur, sorted.
    weights : {"linear", "quadratic"}, optional
        Whether a disagreement counts by the distance of the labels in their order, or by its
        square; by default all count the same.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows.
    replace_undefined_by : float, default=nan
        What is returned where the labels leave nothing to disagree about.

    Returns
    -------
    float

    Examples
    --------
    >>> from gramian.metrics import cohen_kappa_score
    >>> cohen_kappa_score(["a", "b", "b", "a"], ["a", "b", "a", "a"])
    0.5
    """
    check_arguments(
        "cohen_kappa_score",
        y1=(y1, DENSE),
        y2=(y2, DENSE),
        labels=(labels, OPTIONAL_ARRAY),
        weights=(weights, OneOf("linear", "quadratic") | Nothing()),
        sample_weight=(sample_weight, OPTIONAL_ARRAY),
        replace_undefined_by=(replace_undefined_by, _UndefinedKappa(-1.0, 1.0, closed="both")),
    )
    pair = read_pair(y1, y2, sample_weight)
    try:
        observed = single_label_table(pair, labels).astype(np.float64)
    except ValueError as error:
        if "must be in y_true" not in str(error):
            raise
        raise ValueError(
            "At least one label in `labels` must be present in `y1` (even though "
            "`cohen_kappa_score` is otherwise agnostic to the order of `y1` and `y2`)."
        ) from error
    total = observed.sum()
    if total == 0:
        reason = "`y2` contains no labels that are present in both `y1` and `labels`."
        return _undefined_kappa(reason, replace_undefined_by)
    expected = np.outer(observed.sum(axis=0), observed.sum(axis=1)) / total
    distance = _label_distances(len(observed), weights)
    chance = np.sum(distance * expected)
    if chance == 0:
        reason = "`y1`, `y2` and `labels` have only one label in common."
        return _undefined_kappa(reason, replace_undefined_by)
    return float(1 - np.sum(distance * observed) / chance)


def _label_distances(n_labels: int, weights: str | None) -> NDArray[np.float64]:
    if weights is None:
        return 1.0 - np.eye(n_labels)
    position = np.arange(n_labels, dtype=np.float64)
    distance = np.abs(position[:, None] - position)
    return distance if weights == "linear" else distance**2


def _undefined_kappa(reason: str, value: float) -> float:
    warnings.warn(
        f"{reason} `cohen_kappa_score` is undefined and set to the value defined by the "
        f"`replace_undefined_by` param, which is set to {value}.",
        shared(UndefinedMetricWarning),
        stacklevel=3,
    )
    return value


def _checked_pair(
    function: str, y_true: Any, y_pred: Any, sample_weight: Any, normalize: bool
) -> LabelPair | IndicatorPair:
    check_arguments(
        function,
        y_true=(y_true, Arrays()),
        y_pred=(y_pred, Arrays()),
        normalize=(normalize, Boolean()),
        sample_weight=(sample_weight, OPTIONAL_ARRAY),
    )
    return read_pair(y_true, y_pred, sample_weight)


def _single_labels(pair: LabelPair | IndicatorPair) -> LabelPair:
    if isinstance(pair, IndicatorPair):
        raise ValueError(f"{pair.kind} is not supported")
    warn_single_label(len(pair.labels))
    return pair
