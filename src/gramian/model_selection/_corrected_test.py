"""Whether models differ by more than the chance of the splits.

The training parts of resampled splits overlap, so their scores are not independent and the usual
standard error is too small. Nadeau and Bengio (2003, "Inference for the generalization error",
Machine Learning 52) replace its factor 1/J, for J scores, by 1/J + n_test/n_train.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gramian.exceptions import InvalidParameterError
from gramian.model_selection._arguments import check_arguments

_ROUNDING = 64 * np.finfo(np.float64).eps  # a smaller fraction of the scores is no difference


class CorrectedTest(NamedTuple):
    """Result of the corrected resampled t-test.

    Attributes
    ----------
    mean : float
        Mean of the values.
    standard_error : float
        Its standard error, corrected for the overlap of the training parts.
    statistic : float
        The mean divided by its standard error.
    df : int
        Degrees of freedom: the number of values less 1.
    pvalue : float
        Probability of a statistic at least as far from 0 if the true mean is 0.
    low, high : float
        Confidence interval of the mean.
    """

    mean: float
    standard_error: float
    statistic: float
    df: int
    pvalue: float
    low: float
    high: float


def corrected_ttest(
    values: ArrayLike, test_train_ratio: float, *, confidence: float = 0.95
) -> CorrectedTest:
    """Test whether the mean over the splits of a cross-validation is zero.

    The statistic is ``mean / sqrt((1/J + n_test/n_train) s^2)`` for J values of variance s^2, with
    J - 1 degrees of freedom (Nadeau and Bengio, 2003). Without the term n_test/n_train, which
    allows for the overlap of the training parts, far too many models would seem to differ.

    Parameters
    ----------
    values : array-like of shape (n_splits,)
        Differences of two models' scores on each split; or the scores of one model, for the
        interval of their mean.
    test_train_ratio : float
        Rows of a test part for each row of its training part: ``1 / (k - 1)`` for k folds.
    confidence : float, default=0.95
        Of the interval.

    Returns
    -------
    CorrectedTest
        NaN throughout if a value is.

    Examples
    --------
    >>> from gramian.model_selection import corrected_ttest
    >>> test = corrected_ttest([0.02, 0.01, 0.03, 0.00, 0.04], 1 / 4)
    >>> round(test.statistic, 4), test.df, round(test.pvalue, 4)
    (1.8856, 4, 0.1324)
    """
    check_arguments("corrected_ttest", confidence=confidence, test_train_ratio=test_train_ratio)
    scores = np.asarray(values, dtype=np.float64)
    if scores.ndim != 1 or len(scores) < 2:
        raise ValueError(
            "the test needs one value for each of two or more splits, not an array of shape "
            f"{scores.shape}."
        )
    from scipy.special import stdtr, stdtrit

    df = len(scores) - 1
    mean = float(scores.mean())
    factor = 1.0 / len(scores) + test_train_ratio
    # Equal values have no variance, but their mean may be off by rounding.
    variance = float(scores.var(ddof=1)) if np.ptp(scores) != 0 else 0.0
    error = float(np.sqrt(factor * variance))
    if error == 0.0:
        statistic = 0.0 if mean == 0.0 else float(np.copysign(np.inf, mean))
    else:
        statistic = mean / error
    half = float(stdtrit(df, 0.5 + confidence / 2)) * error
    pvalue = float(2.0 * stdtr(df, -abs(statistic)))
    return CorrectedTest(mean, error, statistic, df, pvalue, mean - half, mean + half)


@dataclass(frozen=True)
class ScoreDifference:
    """How much a model's scores differ from another's on the same splits.

    Attributes
    ----------
    model, reference : str
        The difference is the first's score less the second's.
    test : CorrectedTest
        Its mean, interval and test by itself.
    pvalue : float
        The p-value of the test, made larger by Holm's method for the number of tests.
    is_different : bool
        Whether that is below 1 - confidence.
    """

    model: str
    reference: str
    test: CorrectedTest
    pvalue: float
    is_different: bool


def compare_scores(
    scores: Mapping[str, ArrayLike],
    test_train_ratio: float,
    *,
    baseline: str | None = None,
    pairs: bool = False,
    confidence: float = 0.95,
) -> list[ScoreDifference]:
    """Test which models differ, given their scores on the same splits.

    `compare` does the cross-validation too. Each test is a `corrected_ttest` of the differences
    split by split; Holm's method then keeps the chance of one or more false claims among all of
    them below 1 - confidence. Differences of the size of rounding errors count as zero.

    Parameters
    ----------
    scores : dict of str to array-like of shape (n_splits,)
        The scores of each model, split by split.
    test_train_ratio : float
        As for `corrected_ttest`.
    baseline : str, optional
        The model to compare all others with; by default the one of the largest mean.
    pairs : bool, default=False
        Whether to compare all pairs of models instead.
    confidence : float, default=0.95
        Of the intervals (each by itself) and of all claims of a difference together.

    Returns
    -------
    list of ScoreDifference
        In the order of `scores`; of all pairs, the later model less the earlier.

    Examples
    --------
    >>> from gramian.model_selection import compare_scores
    >>> folds = {"A": [0.80, 0.82, 0.81], "B": [0.79, 0.83, 0.80], "C": [0.50, 0.51, 0.49]}
    >>> for difference in compare_scores(folds, 1 / 2):
    ...     print(difference.model, difference.reference, difference.is_different)
    B A False
    C A True
    """
    check_arguments("compare_scores", pairs=pairs, confidence=confidence)
    table = {name: np.asarray(values, dtype=np.float64) for name, values in scores.items()}
    if len({len(values) for values in table.values()}) > 1:
        raise ValueError("all models must have scores on the same splits.")
    if pairs and baseline is not None:
        raise ValueError("give a baseline or pairs=True, not both.")
    compared = [(later, earlier) for earlier, later in combinations(table, 2)]
    if not pairs:
        reference = best_of(table) if baseline is None else _known(baseline, table)
        compared = [(name, reference) for name in table if name != reference]
    tests = [
        corrected_ttest(_differences(table[a], table[b]), test_train_ratio, confidence=confidence)
        for a, b in compared
    ]
    pvalues = holm([test.pvalue for test in tests])
    return [
        ScoreDifference(*names, test, pvalue, pvalue < 1.0 - confidence)
        for names, test, pvalue in zip(compared, tests, pvalues, strict=True)
    ]


def best_of(scores: Mapping[str, NDArray[np.float64]]) -> str:
    """Return the model of the largest mean score, the first of several; one with NaN never wins."""
    means = {name: values.mean() for name, values in scores.items()}
    return max(means, key=lambda name: -np.inf if np.isnan(means[name]) else means[name])


def _known(baseline: Any, names: Mapping[str, Any]) -> str:
    if baseline not in names:
        raise InvalidParameterError(
            f"The 'baseline' parameter must be the name of a model: one of {', '.join(names)}. "
            f"Got {baseline!r} instead."
        )
    return str(baseline)


def _differences(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    difference = a - b
    noise = _ROUNDING * np.maximum(np.abs(a), np.abs(b))
    return np.where(np.abs(difference) <= noise, 0.0, difference)


def holm(pvalues: Sequence[float]) -> list[float]:
    """Return p-values adjusted for their number by Holm's step-down method; NaN stays NaN."""
    adjusted = np.array(pvalues, dtype=np.float64)
    order = np.argsort(adjusted, kind="stable")  # NaN last
    order = order[: int(np.count_nonzero(~np.isnan(adjusted)))]
    steps = np.arange(len(order), 0, -1) * adjusted[order]
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return [float(value) for value in adjusted]
