"""Rows drawn at random from several arrays at once.

For an integer seed the same rows are drawn as by scikit-learn's functions of these names.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._draws import likely_counts
from gramian._rows import take_rows
from gramian.params import Boolean, Integer, Nothing, RandomState, check_arguments
from gramian.validation import (
    check_array,
    check_consistent_length,
    check_random_state,
    check_sample_weight,
    n_samples_of,
)


def resample(
    *arrays: Any,
    replace: bool = True,
    n_samples: int | None = None,
    random_state: Any = None,
    stratify: Any = None,
    sample_weight: Any = None,
) -> Any:
    """Draw rows at random, the same from each array: by default one bootstrap sample.

    Parameters
    ----------
    *arrays : arrays, lists, sparse matrices or data frames
        With the same number of rows.
    replace : bool, default=True
        Whether a row may be drawn several times.
    n_samples : int, optional
        How many to draw; by default as many as there are.
    random_state : int, RandomState, Generator or None, default=None
        The source of the draws.
    stratify : array-like of shape (n_samples,) or (n_samples, n_outputs), optional
        Classes, of which each is drawn in its fraction.
    sample_weight : array-like of shape (n_samples,), optional
        Rows are drawn with probabilities in proportion to these weights.

    Returns
    -------
    array, or list of arrays
        New ones of the same kinds; a single one for a single argument, None for no argument.

    Examples
    --------
    >>> from gramian.utils import resample
    >>> X, y = resample([[1.0], [2.0], [3.0]], ["a", "b", "c"], random_state=0)
    >>> X, y
    ([[1.0], [2.0], [1.0]], ['a', 'b', 'a'])
    """
    check_arguments(
        "resample",
        replace=(replace, Boolean()),
        n_samples=(n_samples, Integer(1) | Nothing()),
        random_state=(random_state, RandomState()),
    )
    source = check_random_state(random_state)
    if not arrays:
        return None
    n_rows = n_samples_of(arrays[0])
    n_draws = n_rows if n_samples is None else n_samples
    if n_draws > n_rows and not replace:
        raise ValueError(
            f"Cannot sample {n_draws} out of arrays with dim {n_rows} when replace is False"
        )
    check_consistent_length(*arrays)
    if sample_weight is not None:
        _require_plain_draws(replace, stratify)
    if stratify is not None:
        rows = _stratified(stratify, n_draws, replace, source)
    elif replace:
        chances = None
        if sample_weight is not None:
            weight = check_sample_weight(sample_weight, arrays[0])
            chances = weight / weight.sum()
        rows = source.choice(n_rows, size=n_draws, p=chances, replace=True)
    else:
        rows = np.arange(n_rows)
        source.shuffle(rows)
        rows = rows[:n_draws]
    drawn = [take_rows(array, rows) for array in arrays]
    return drawn[0] if len(drawn) == 1 else drawn


def _require_plain_draws(replace: bool, stratify: Any) -> None:
    """Raise NotImplementedError for what has no meaning together with weights."""
    for argument, is_set in (
        ("replace=True", not replace),
        ("stratify=None", stratify is not None),
    ):
        if is_set:
            raise NotImplementedError(
                f"Resampling with sample_weight is only implemented for {argument}."
            )


def _stratified(stratify: Any, n_draws: int, replace: bool, source: Any) -> NDArray[np.intp]:
    """Draw rows of each class in its fraction; return their numbers in random order."""
    labels = check_array(stratify, ensure_2d=False, dtype=None, input_name="stratify")
    if labels.ndim == 2:
        labels = np.array([" ".join(row) for row in labels.astype("str").tolist()])
    _, codes, counts = np.unique(labels, return_inverse=True, return_counts=True)
    members = np.split(np.argsort(codes, kind="stable"), np.cumsum(counts)[:-1])
    fractions = likely_counts(counts, n_draws, source)
    drawn = [
        source.choice(rows, fraction, replace=replace)
        for rows, fraction in zip(members, fractions, strict=True)
    ]
    order: NDArray[np.intp] = source.permutation(np.concatenate(drawn))
    return order


def shuffle(*arrays: Any, random_state: Any = None, n_samples: int | None = None) -> Any:
    """Put the rows of arrays into one common random order.

    Parameters
    ----------
    *arrays : arrays, lists, sparse matrices or data frames
        With the same number of rows.
    random_state : int, RandomState, Generator or None, default=None
        The source of the order.
    n_samples : int, optional
        How many rows to keep; by default all.

    Returns
    -------
    array, or list of arrays
        New ones of the same kinds; a single one for a single argument.

    Examples
    --------
    >>> from gramian.utils import shuffle
    >>> shuffle([0, 1, 2], ["a", "b", "c"], random_state=0)
    [[2, 1, 0], ['c', 'b', 'a']]
    """
    return resample(*arrays, replace=False, n_samples=n_samples, random_state=random_state)
