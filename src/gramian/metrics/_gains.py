"""How good rankings are whose top matters most."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._labels import type_of_target
from gramian._typing import Floats
from gramian.metrics._arguments import DENSE, OPTIONAL_ARRAY
from gramian.params import Boolean, Integer, Nothing, Real, check_arguments
from gramian.validation import check_array, check_consistent_length, check_sample_weight

_K = Integer(1) | Nothing()
_MATRICES = ("multilabel-indicator", "continuous-multioutput", "multiclass-multioutput")


def dcg_score(
    y_true: Any,
    y_score: Any,
    *,
    k: int | None = None,
    log_base: float = 2,
    sample_weight: Any = None,
    ignore_ties: bool = False,
) -> float:
    """Return the discounted cumulative gain, the mean over the rows of ``Σ_r gain_r / log(1 + r)``.

    Parameters
    ----------
    y_true : array-like of shape (n_samples, n_labels)
        The gain of each label.
    y_score : array-like of shape (n_samples, n_labels)
        The scores by which the labels of a row are ranked.
    k : int, optional
        Only the first `k` ranks count.
    log_base : float, default=2
        Base of the logarithm.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows.
    ignore_ties : bool, default=False
        Whether to rank labels of equal scores in any order instead of taking the mean over all.

    Returns
    -------
    float

    Examples
    --------
    >>> from gramian.metrics import dcg_score
    >>> round(dcg_score([[10, 0, 0, 1, 5]], [[0.1, 0.2, 0.3, 4, 70]]), 2)
    9.5
    """
    gains, scores, weight = _check_ranking(
        "dcg_score",
        y_true,
        y_score,
        sample_weight,
        k=(k, _K),
        log_base=(log_base, Real(0.0, closed="neither")),
        ignore_ties=(ignore_ties, Boolean()),
    )
    _check_kind(gains)
    discount = _discount(gains.shape[1], k, float(log_base))
    return float(np.average(_gain(gains, scores, discount, ignore_ties), weights=weight))


def ndcg_score(
    y_true: Any,
    y_score: Any,
    *,
    k: int | None = None,
    sample_weight: Any = None,
    ignore_ties: bool = False,
) -> float:
    """Return the discounted cumulative gain as a fraction of the best that is possible.

    Parameters
    ----------
    y_true : array-like of shape (n_samples, n_labels)
        The gain of each label, none negative.
    y_score : array-like of shape (n_samples, n_labels)
        The scores by which the labels of a row are ranked.
    k : int, optional
        Only the first `k` ranks count.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows.
    ignore_ties : bool, default=False
        Whether to rank labels of equal scores in any order instead of taking the mean over all.

    Returns
    -------
    float
        The mean over the rows; a row without any gain counts as 0.

    Examples
    --------
    >>> from gramian.metrics import ndcg_score
    >>> round(ndcg_score([[10, 0, 0, 1, 5]], [[0.1, 0.2, 0.3, 4, 70]]), 2)
    0.7
    """
    gains, scores, weight = _check_ranking(
        "ndcg_score",
        y_true,
        y_score,
        sample_weight,
        k=(k, _K),
        ignore_ties=(ignore_ties, Boolean()),
    )
    if gains.min() < 0:
        raise ValueError("ndcg_score should not be used on negative y_true values.")
    if gains.ndim > 1 and gains.shape[1] <= 1:
        raise ValueError(
            "Computing NDCG is only meaningful when there is more than 1 document. "
            f"Got {gains.shape[1]} instead."
        )
    _check_kind(gains)
    discount = _discount(gains.shape[1], k, 2.0)
    reached = _gain(gains, scores, discount, ignore_ties)
    best = np.sort(gains, axis=1)[:, ::-1] @ discount
    fractions = np.divide(reached, best, out=np.zeros_like(reached), where=best != 0)
    return float(np.average(fractions, weights=weight))


def mean_reciprocal_rank(
    y_true: Any, y_score: Any, *, k: int | None = None, sample_weight: Any = None
) -> float:
    """Return the mean over the rows of 1 / (rank of the first relevant label).

    Parameters
    ----------
    y_true : array-like of shape (n_samples, n_labels)
        Which labels are relevant to a row: those that are not zero.
    y_score : array-like of shape (n_samples, n_labels)
        The scores by which the labels of a row are ranked.
    k : int, optional
        A rank beyond `k` counts as none.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows.

    Returns
    -------
    float
        Labels of equal scores are taken in the worst order. A row without a relevant label counts
        as 0.

    Examples
    --------
    The first relevant labels have the ranks 1, 2 and 3:

    >>> from gramian.metrics import mean_reciprocal_rank
    >>> y_true = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    >>> round(mean_reciprocal_rank(y_true, [[3, 2, 1], [3, 2, 1], [3, 2, 1]]), 4)
    0.6111
    """
    relevance, scores, weight = _check_ranking(
        "mean_reciprocal_rank", y_true, y_score, sample_weight, k=(k, _K)
    )
    if relevance.ndim != 2 or scores.shape != relevance.shape:
        raise ValueError(
            "y_true and y_score must be matrices of the same shape, one row for each ranking. Got "
            f"the shapes {relevance.shape} and {scores.shape}."
        )
    is_relevant = relevance != 0
    best = np.where(is_relevant, scores, -np.inf).max(axis=1, keepdims=True)
    rank = 1 + (~is_relevant & (scores >= best)).sum(axis=1)
    is_found = is_relevant.any(axis=1)
    if k is not None:
        is_found &= rank <= k
    return float(np.average(np.where(is_found, 1.0 / rank, 0.0), weights=weight))


def _check_ranking(
    function: str, y_true: Any, y_score: Any, sample_weight: Any, **options: Any
) -> tuple[NDArray[Any], NDArray[Any], Floats | None]:
    check_arguments(
        function,
        y_true=(y_true, DENSE),
        y_score=(y_score, DENSE),
        sample_weight=(sample_weight, OPTIONAL_ARRAY),
        **options,
    )
    truth = check_array(y_true, dtype="numeric", ensure_2d=False, input_name="y_true")
    scores = check_array(y_score, dtype="numeric", ensure_2d=False, input_name="y_score")
    check_consistent_length(truth, scores, sample_weight)
    if sample_weight is not None:
        sample_weight = check_sample_weight(sample_weight, truth, ensure_non_negative=False)
    return truth, scores, sample_weight


def _check_kind(gains: NDArray[Any]) -> None:
    kind = type_of_target(gains, "y_true")
    if kind not in _MATRICES:
        raise ValueError(f"Only {_MATRICES} formats are supported. Got {kind} instead")


def _discount(n_labels: int, k: int | None, log_base: float) -> Floats:
    # The gain at rank r, from 1, is divided by log_base(r + 1).
    discount: Floats = np.log(log_base) / np.log(np.arange(n_labels) + 2.0)
    if k is not None:
        discount[k:] = 0.0
    return discount


def _gain(gains: NDArray[Any], scores: NDArray[Any], discount: Floats, ignore_ties: bool) -> Floats:
    """Return the discounted cumulative gain of each row."""
    if scores.shape != gains.shape:
        raise ValueError(
            f"y_true and y_score have different shapes: {gains.shape} and {scores.shape}."
        )
    order = np.argsort(scores, axis=1)[:, ::-1]
    ranked = np.take_along_axis(gains, order, axis=1)
    if ignore_ties:
        gain: Floats = ranked @ discount
        return gain
    # The mean over all orders of tied labels: each gets the mean discount of its group.
    ranked_scores = np.take_along_axis(scores, order, axis=1)
    is_first = np.ones(scores.shape, dtype=np.bool_)
    is_first[:, 1:] = ranked_scores[:, 1:] != ranked_scores[:, :-1]
    starts = np.flatnonzero(is_first)
    sizes = np.diff(np.append(starts, scores.size))
    sums = np.add.reduceat(np.broadcast_to(discount, scores.shape).reshape(-1), starts)
    shared_discount = np.repeat(sums / sizes, sizes).reshape(scores.shape)
    return np.asarray((ranked * shared_discount).sum(axis=1), dtype=np.float64)
