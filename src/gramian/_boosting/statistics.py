"""Ordered target statistics of categorical columns."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gramian import _core
from gramian._draws import random_state_of
from gramian._levels.matrix import as_levels
from gramian._sums import row_average
from gramian.config import core_context
from gramian.params import Nothing, RandomState, Real, check_arguments
from gramian.table import NumericColumn, as_table, table_from_array
from gramian.validation import check_array, check_consistent_length, check_sample_weight, check_y

__all__ = ["ordered_target_statistics"]

_SEEDS = 2**63 - 1


def ordered_target_statistics(
    X: Any,
    y: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    prior: float | None = None,
    strength: float = 1.0,
    order: ArrayLike | None = None,
    random_state: Any = None,
) -> NDArray[np.float64]:
    """Replace each category by the mean target of the rows of that category that come before.

    The mean over all rows of a category holds the target of the very row it is given to. In a
    random order each row sees those before it only: ``(sum of w y + strength * prior) / (sum of w +
    strength)``. O(n) for each column.

    Parameters
    ----------
    X : array-like or data frame of shape (n_samples, n_features) or (n_samples,)
        Columns of categories; a missing value is a category too.
    y : array-like of shape (n_samples,)
        Target, as numbers; for classes, whether a row is of the class.
    sample_weight : array-like of shape (n_samples,) or None, default=None
        Weights.
    prior : float or None, default=None
        What is expected of a category before its first row; by default the mean of the target.
    strength : float, default=1.0
        Rows that the prior counts for.
    order : array-like of shape (n_samples,) or None, default=None
        The rows from the first to the last; by default a random order.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the random order.

    Returns
    -------
    ndarray of shape (n_samples, n_features)

    References
    ----------
    L. Prokhorenkova et al., "CatBoost: unbiased boosting with categorical features", NeurIPS 2018.

    Examples
    --------
    >>> from gramian.boosting import ordered_target_statistics
    >>> town = ["Rome", "Oslo", "Rome", "Rome", "Oslo"]
    >>> ordered_target_statistics(town, [1, 0, 1, 0, 1], prior=0.5, order=range(5)).ravel()
    array([0.5       , 0.5       , 0.75      , 0.83333333, 0.25      ])
    """
    check_arguments(
        "ordered_target_statistics",
        prior=(prior, Real() | Nothing()),
        strength=(strength, Real(0.0, closed="neither")),
        random_state=(random_state, RandomState()),
    )
    target = check_y(y, y_numeric=True).astype(np.float64)
    codes = _codes(X)
    check_consistent_length(codes.T, target)
    weight = None if sample_weight is None else check_sample_weight(sample_weight, target)
    out = np.empty(codes.shape)
    _core.boost_ordered_statistics(
        codes,
        n_levels=codes.max(axis=1),
        target=target,
        weight=weight,
        order=_order(order, len(target), random_state),
        prior=row_average(target, weight) if prior is None else float(prior),
        strength=float(strength),
        out=out,
        ctx=core_context(),
    )
    return out.T


def _codes(X: Any) -> NDArray[np.int32]:
    """Return numbers for the categories of each column, a row for each; missing ones are last."""
    table = as_table(X)
    if table is None:
        values = check_array(X, dtype=None, ensure_2d=False, ensure_all_finite=False)
        table = table_from_array(values.reshape(len(values), -1))
    rows = []
    for column in table.columns:
        levels = as_levels(column) if isinstance(column, NumericColumn) else column
        rows.append(np.where(levels.codes < 0, len(levels.categories), levels.codes))
    return np.array(rows, np.int32)


def _order(order: ArrayLike | None, n: int, random_state: Any) -> Any:
    if order is None:
        seed = int(random_state_of(random_state).randint(_SEEDS, dtype=np.int64))
        return _core.boost_random_order(n, seed)
    rows = np.asarray(order)
    if not np.array_equal(np.sort(rows), np.arange(n)):
        raise ValueError(f"order must hold each row number from 0 to {n - 1} once.")
    return rows.astype(np.uint32)
