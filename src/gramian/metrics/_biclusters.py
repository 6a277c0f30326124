"""How far two sets of biclusters agree."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian.exceptions import InvalidParameterError
from gramian.params import Callables, OneOf, check_arguments
from gramian.validation import check_array, check_consistent_length

Indicators = tuple[NDArray[Any], NDArray[Any]]


def consensus_score(a: Any, b: Any, *, similarity: Any = "jaccard") -> float:
    """Return the similarity of two sets of biclusters.

    Each bicluster of one set is matched with one of the other so that the similarities sum up to
    the most; the score is that sum, divided by the size of the larger set.

    Parameters
    ----------
    a, b : tuple (rows, columns)
        The sets: indicators of shape (n_biclusters, n_rows) and (n_biclusters, n_columns).
    similarity : "jaccard" or callable, default="jaccard"
        The fraction of the entries in either bicluster that are in both, or a function of (a_rows,
        a_columns, b_rows, b_columns), indicators of two biclusters.

    Returns
    -------
    float
        With "jaccard" between 0 and 1, for equal sets.

    Examples
    --------
    >>> from gramian.metrics import consensus_score
    >>> a = ([[True, False], [False, True]], [[False, True], [True, False]])
    >>> b = ([[False, True], [True, False]], [[True, False], [False, True]])
    >>> consensus_score(a, b)
    1.0
    """
    from scipy.optimize import linear_sum_assignment

    for name, value in (("a", a), ("b", b)):
        if not isinstance(value, tuple):
            raise InvalidParameterError(
                f"The {name!r} parameter of consensus_score must be a tuple (rows, columns). "
                f"Got {value!r} instead."
            )
    allowed = OneOf("jaccard") | Callables()
    check_arguments("consensus_score", similarity=(similarity, allowed))
    first, second = _read(a), _read(b)
    if callable(similarity):
        table = np.array(
            [
                [similarity(*one, *other) for other in zip(*second, strict=True)]
                for one in zip(*first, strict=True)
            ]
        )
    else:
        table = _jaccard(first, second)
    chosen = linear_sum_assignment(1.0 - table)
    return float(table[chosen].sum() / max(table.shape))


def _read(biclusters: tuple[Any, Any]) -> Indicators:
    check_consistent_length(*biclusters)
    rows, columns = (
        check_array(part, dtype="numeric", ensure_2d=False, input_name="biclusters")
        for part in biclusters
    )
    return rows, columns


def _jaccard(a: Indicators, b: Indicators) -> NDArray[np.float64]:
    """Return the Jaccard coefficient of each bicluster of `a` (row) and of `b` (column)."""
    (a_rows, a_cols), (b_rows, b_cols) = (
        [part.astype(np.float64) for part in biclusters] for biclusters in (a, b)
    )
    shared = (a_rows @ b_rows.T) * (a_cols @ b_cols.T)
    a_size = a_rows.sum(axis=1) * a_cols.sum(axis=1)
    b_size = b_rows.sum(axis=1) * b_cols.sum(axis=1)
    coefficients: NDArray[np.float64] = shared / (a_size[:, None] + b_size - shared)
    return coefficients
